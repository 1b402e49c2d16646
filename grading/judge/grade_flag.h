/* grade_flag.h: flags. A flag is a reason for an instructor to inspect a submission. */
#ifndef GRADE_FLAG_H
#define GRADE_FLAG_H

/* X(identifier, name in the document) */
#define GRADE_FLAGS(X)                                                                             \
    X(SAME_FILE, "same_file")               /* several exercises have the same kernel */           \
    X(SUSPICIOUS_TEXT, "suspicious_text")   /* code that labs do not need */                       \
    X(HARD_CODED_SIZES, "hard_coded_sizes") /* published sizes are special cases */                \
    X(FOR_SHOW, "for_show")                 /* a mechanism that the result does not need */        \
    X(OTHER_CODE, "other_code")             /* other instructions run at another size */           \
    X(IMPOSSIBLE_LOADS, "impossible_loads") /* the result is correct in spite of too few loads */  \
    X(UNREADABLE, "unreadable")             /* an instructor must read the file */                 \
    X(EXERCISE, "exercise")                 /* the exercise of a file is in doubt */               \
    X(NOT_MEASURED, "not_measured")         /* the GPU could not run the kernel */                 \
    X(HARDWARE_DIFFERS, "hardware_differs") /* GPU and emulator disagree */                        \
    X(NOT_GRADED, "not_graded")             /* the grader itself failed */

enum grade_flag {
#define X(id, name) GRADE_FLAG_##id,
    GRADE_FLAGS(X)
#undef X
};
const char *grade_flag_name(enum grade_flag flag);

#endif
