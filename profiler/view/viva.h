/* viva.h: questions about a student's own kernel for an oral exam, with answers from runs of the
 * kernel. The topics are the access of one thread, the cost of a warp's access, and the effect of a
 * change. The seed and the text of the file determine the selection. */
#ifndef VIVA_H
#define VIVA_H

#include "run/run.h"

enum { VIVA_QUESTIONS = 3, VIVA_TEXT = 1536, VIVA_ROWS = 128, VIVA_COLS = 256 };

struct viva_question {
    char text[VIVA_TEXT], answer[VIVA_TEXT];
};

struct viva {
    struct viva_question questions[VIVA_QUESTIONS];
    unsigned count; /* Less than VIVA_QUESTIONS if no further question applies. */
    uint64_t rows, cols;
};

/* Make the questions for the kernel in the file `path`, at the size in `options` (by default
 * VIVA_ROWS x VIVA_COLS). If the kernel is incorrect, `wrong` receives the student failure, and
 * there are no questions. Returns false for a harness failure. */
bool viva_ask(const char *path, const struct run_options *options, uint64_t seed, struct viva *viva,
              struct failure *wrong, struct failure *failure);

#endif
