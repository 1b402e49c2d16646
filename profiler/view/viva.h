/* viva.h: questions about somebody's own kernel for an oral exam, with answers computed from its
 * runs.
 *
 * There are three: where one thread of the run goes (a bank, an element, who wrote what it reads),
 * what one access of a warp costs and why, and what would change if something in the file were
 * otherwise (a macro, a barrier, the size). Which of each is drawn from the seed and the text of
 * the file, among those that the kernel gives occasion to.
 */
#ifndef VIVA_H
#define VIVA_H

#include "run/run.h"

enum { VIVA_QUESTIONS = 3, VIVA_TEXT = 1536, VIVA_ROWS = 128, VIVA_COLS = 256 };

struct viva_question {
    char text[VIVA_TEXT], answer[VIVA_TEXT];
};

struct viva {
    struct viva_question questions[VIVA_QUESTIONS];
    unsigned count; /* less than VIVA_QUESTIONS where the kernel gives no occasion */
    uint64_t rows, cols;
};

/* The questions for the kernel in a file, at the size in `options` (0: VIVA_ROWS x VIVA_COLS).
 * `wrong` is a student's failure where the kernel is not right, and then there are none. False: a
 * harness failure. */
bool viva_ask(const char *path, const struct run_options *options, uint64_t seed, struct viva *viva,
              struct failure *wrong, struct failure *failure);

#endif
