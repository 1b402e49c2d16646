/* failure.h: the two kinds of failure. A *student failure* is an error of the program under test,
 * such as a wrong result. tlab writes the verdict to the CSV and exits with status 1. A *harness
 * failure* is an error of tlab, its input or the machine. Then tlab writes no row and exits with
 * status 2. A function that can fail returns true, or fills a struct failure and returns false. */
#ifndef FAILURE_H
#define FAILURE_H

#include "base/finding.h"

#include <stdbool.h>

/* The verdicts in the CSV column `status`. Other programs depend on their names and order. */
#define STATUS_LIST(X)                                                                             \
    X(OK, "ok")                                                                                    \
    X(COMPILE_ERROR, "compile_error")                                                              \
    X(LAUNCH_ERROR, "launch_error")                                                                \
    X(WRONG_RESULT, "wrong_result")                                                                \
    X(OUT_OF_BOUNDS, "out_of_bounds")                                                              \
    X(MISALIGNED, "misaligned")                                                                    \
    X(RACE, "race")                                                                                \
    X(UNINITIALISED, "uninitialised")                                                              \
    X(DEADLOCK, "deadlock")                                                                        \
    X(TIMEOUT, "timeout")                                                                          \
    X(UNSUPPORTED, "unsupported")                                                                  \
    X(UNTRUSTED, "untrusted")

enum status {
#define X(id, text) STATUS_##id,
    STATUS_LIST(X)
#undef X
        STATUS_COUNT
};

const char *status_name(enum status status);

enum failure_kind { FAILURE_NONE, FAILURE_STUDENT, FAILURE_HARNESS };

enum { FAILURE_TEXT_SIZE = 4096, FAILURE_MAP_SIZE = 1280, FINDINGS_MAX = 8 };

struct findings {
    unsigned count;
    struct {
        enum finding_id id;
        size_t at;     /* offset of the finding's sentence in failure->text, in bytes */
        uint32_t line; /* source line; 0 if none */
    } list[FINDINGS_MAX];
};
/* Add a finding, unless it is FINDING_NONE or already in the list, or the list is full. */
void findings_add(struct findings *findings, enum finding_id id, size_t at, uint32_t line);

struct failure {
    enum failure_kind kind;
    enum status status;
    uint32_t line;       /* source line of the failure; 0 if none */
    uint64_t rows, cols; /* size of the matrix; 0 if unknown */
    struct findings findings;
    char text[FAILURE_TEXT_SIZE];
    char map[FAILURE_MAP_SIZE]; /* map of the wrong elements, one line per row; "" if none */
};

/* Record a student failure, unless `failure` already contains a failure. Always returns false. */
bool failure_student(struct failure *failure, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like failure_student, for a harness failure, which replaces a recorded student failure. */
bool failure_harness(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* failure_find adds a finding to a student failure. failure_has tests for a finding. */
void failure_find(struct failure *failure, enum finding_id id, uint32_t line);
bool failure_has(const struct failure *failure, enum finding_id id);

/* Record the failure `from` by the same rules. Returns true if `from` contains no failure. */
bool failure_pass(struct failure *failure, const struct failure *from);

/* Both functions change only student failures. failure_prepend inserts a text at the beginning.
 * failure_append adds a line and `findings`, which may be NULL. */
void failure_prepend(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void failure_append(struct failure *failure, const struct findings *findings, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/* Move the sentence that describes a tested repair (finding FINDING_REPAIR_TESTED) from the
 * failure's text to `repair` (`size` bytes). Without such a sentence, `repair` becomes "". */
void failure_take_repair(struct failure *failure, char *repair, size_t size);

/* Returns the exit status of tlab for a failure: 0 (no failure), 1 (student) or 2 (harness). */
int failure_exit_status(const struct failure *failure);

#endif
