/* conditions.h: which lines of a source file run only where a condition holds. A compiler makes the
 * same code of `if (i < n) { ... }` at a kernel's end and of `if (i >= n) return;`; the text tells
 * them apart. */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONDITIONS_MAX = 2048 }; /* more are left out */

/* A condition, of if, switch or a loop, and lines that it guards. An else has the same
 * condition. */
struct source_condition {
    uint32_t line, line_end; /* of the condition: its first and its last line */
    uint32_t first, last;    /* of what it guards */
    bool returns;            /* what it guards has a `return`, */
    bool other_returns;      /* or the other part of the if has */
    bool leaves_loop;        /* while reading: a break, whose loop has not ended */
};

struct conditions {
    size_t count;
    struct source_condition all[CONDITIONS_MAX];
};

void conditions_read(const char *text, size_t length, struct conditions *conditions);

/* Whether threads that the condition in one line turned away went around the other line without a
 * `return`. Where it guards a `return` before that line, too, compilers may have made one condition
 * of both: false. */
bool conditions_guard(const struct conditions *conditions, uint32_t condition, uint32_t line);

/* Whether the condition in one line may lead to a `return`, and not to the other line. */
bool conditions_return(const struct conditions *conditions, uint32_t condition, uint32_t line);

#endif
