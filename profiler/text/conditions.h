/* conditions.h: the lines of a source file that run only if a condition is true. A compiler
 * generates the same code for `if (i < n) { ... }` at the end of a kernel and for `if (i >= n)
 * return;`. Only the text shows the difference. */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONDITIONS_MAX = 2048 }; /* further conditions are ignored */

/* The condition of an if (with its else), switch or loop, and the lines that depend on it. */
struct source_condition {
    uint32_t line, line_end;
    uint32_t first, last; /* first and last guarded line */
    bool returns;         /* the guarded lines contain a `return` */
    bool other_returns;   /* the opposite branch of the if contains a `return` */
    bool leaves_loop;     /* while reading: true from a break to the end of the loop */
};

struct conditions {
    size_t count;
    struct source_condition all[CONDITIONS_MAX];
};

void conditions_read(const char *text, size_t length, struct conditions *conditions);

/* Returns true if threads skip `line` without a `return` when the condition in line `condition` is
 * false. A condition that also guards an earlier `return` does not count, because compilers may
 * merge the two branches. */
bool conditions_guard(const struct conditions *conditions, uint32_t condition, uint32_t line);

/* Returns true if the condition in line `condition` guards a `return` but does not guard `line`. */
bool conditions_return(const struct conditions *conditions, uint32_t condition, uint32_t line);

#endif
