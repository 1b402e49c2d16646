/* failure.h: the two kinds of failure, which never mix.
 *
 * A *student failure* is the fault of the program under test: it fails to compile, computes a wrong
 * result, faults or runs away. It becomes a row of the CSV with its status, and exit status 1.
 * A *harness failure* is ours or the machine's: bad usage, a missing tool, no memory, a full disk.
 * It writes nothing and becomes exit status 2.
 *
 * A function that can fail returns bool (true: done) and fills a struct failure, so that a caller
 * can write `return failure_harness(failure, "cannot open %s: %s", path, strerror(errno));`.
 */
#ifndef FAILURE_H
#define FAILURE_H

#include "base/finding.h"

#include <stdbool.h>

/* The verdicts of the CSV column `status` (the contract's list, in its order). */
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

/* The CSV spelling of a status; "ok" for STATUS_OK. */
const char *status_name(enum status status);

enum failure_kind { FAILURE_NONE, FAILURE_STUDENT, FAILURE_HARNESS };

enum { FAILURE_TEXT_SIZE = 4096, FINDINGS_MAX = 8 };

/* What a text says, in its order. */
struct findings {
    unsigned count;
    struct {
        enum finding_id id;
        size_t at;     /* where its sentence begins in the text */
        uint32_t line; /* of the source, that it is about; 0: none */
    } list[FINDINGS_MAX];
};
/* Add one; FINDING_NONE, one that is there already, and a ninth are dropped. */
void findings_add(struct findings *findings, enum finding_id id, size_t at, uint32_t line);

struct failure {
    enum failure_kind kind;
    enum status status;           /* for FAILURE_STUDENT */
    uint32_t line;                /* of the source, that the failure happened at; 0: none */
    uint64_t rows, cols;          /* of the matrix, for which it happened; 0: none */
    struct findings findings;     /* of the text */
    char text[FAILURE_TEXT_SIZE]; /* a sentence for a person; may hold several lines */
};

/* Record a student failure (the first one stays if one is recorded already). Always returns false.
 */
bool failure_student(struct failure *failure, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Record a harness failure; it replaces a student failure (2 wins over 1). Always returns false. */
bool failure_harness(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Note what the text of a student's failure says. */
void failure_find(struct failure *failure, enum finding_id id, uint32_t line);
bool failure_has(const struct failure *failure, enum finding_id id);

/* Pass on a failure with its findings, as failure_student and failure_harness record one. True:
 * `from` is none. */
bool failure_pass(struct failure *failure, const struct failure *from);

/* Put words before the text of a student's failure; put a text after it, on a line of its own, with
 * its findings (NULL: none). Other failures stay as they are. */
void failure_prepend(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void failure_append(struct failure *failure, const struct findings *findings, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

/* The exit status that the contract gives this failure: 0, 1 or 2. */
int failure_exit_status(const struct failure *failure);

#endif
