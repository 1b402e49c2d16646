/* grade_flag.h: reasons for an instructor to inspect a submission. */
#ifndef GRADE_FLAG_H
#define GRADE_FLAG_H

#define GRADE_FLAGS(X)                                                                             \
    X(SAME_FILE, "same_file")                                                                      \
    X(SUSPICIOUS_TEXT, "suspicious_text")                                                          \
    X(HARD_CODED_SIZES, "hard_coded_sizes")                                                        \
    X(FOR_SHOW, "for_show")                 /* the result does not depend on the mechanism */      \
    X(OTHER_CODE, "other_code")             /* other instructions run at another size */           \
    X(IMPOSSIBLE_LOADS, "impossible_loads") /* the kernel loads too few bytes for its result */    \
    X(UNREADABLE, "unreadable")                                                                    \
    X(EXERCISE, "exercise") /* the exercise of a file is in doubt */                               \
    X(NOT_MEASURED, "not_measured")                                                                \
    X(HARDWARE_DIFFERS, "hardware_differs")                                                        \
    X(NOT_GRADED, "not_graded")

enum grade_flag {
#define X(id, name) GRADE_FLAG_##id,
    GRADE_FLAGS(X)
#undef X
};
const char *grade_flag_name(enum grade_flag flag);

#endif
