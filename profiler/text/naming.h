/* naming.h: recover from misspelled names in a lab file if the intent is unambiguous. `tlab run`
 * reports a misspelled name and its correction. Grading can accept it. Each report is a sentence
 * with the line number: "padded.cu(9): the kernel is called turn: its name must be transpose". */
#ifndef NAMING_H
#define NAMING_H

#include "text/tokens.h"

enum { NAMING_TEXT = 1024 };

struct naming {
    const char *path;
    const char *code;       /* text of the file; may be NULL */
    char text[NAMING_TEXT]; /* one sentence per line; "" if there is no mistake */
};

/* Add a mistake. `line` is its line number; 0 if unknown. */
void naming_add(struct naming *naming, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Find misspellings of LAB and LAB_LAUNCH (only if the correct name is absent), and static or
 * inline kernels, which compilers remove as unused. Returns the corrected text, malloc'd, with the
 * same number of lines; NULL if there is nothing to correct or memory is exhausted. */
char *naming_repair(struct naming *naming, const char *text, size_t bytes, size_t *repaired_bytes);

/* Returns the last part of a mangled name: "transpose" for _ZN2my9transposeILi32EEvPfPKfii (Itanium
 * C++ ABI, 5.1). Returns the whole name if it is not mangled. */
struct token naming_plain(const char *name);

/* Returns the line that declares a kernel; 0 if there is none. `kernel` may be a mangled name. */
unsigned naming_kernel_line(const struct naming *naming, const char *kernel);

/* Find the declared order of a kernel's parameters: order[i] is the role of parameter i, 0 to 3 for
 * odata, idata, width and height. Returns false for the order 0, 1, 2, 3 or ambiguous roles. */
bool naming_declared_order(const struct naming *naming, const char *kernel, unsigned char order[4]);

#endif
