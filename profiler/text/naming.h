/* naming.h: recover from misspelled names in a lab file when the intent is unambiguous.
 *
 * LAB(name), LAB_LAUNCH and the kernel `transpose` are found by their names. `tlab run` reports a
 * mistake in these names and the correction. The grader may use the corrected name, and then
 * reports the correction. Each mistake is a sentence with its line: "padded.cu(9): the kernel is
 * called turn: its name must be transpose".
 */
#ifndef NAMING_H
#define NAMING_H

#include "text/tokens.h"

enum { NAMING_TEXT = 1024 };

struct naming {
    const char *path;       /* The file's path, for messages. */
    const char *code;       /* The file's text, or NULL. */
    char text[NAMING_TEXT]; /* One sentence per line; "": no mistake. */
};

/* Add a mistake; `line` is 0 if it has no line. */
void naming_add(struct naming *naming, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Find misspellings of LAB and LAB_LAUNCH (only if the correct word is absent), and kernels that
 * are static or inline, which compilers remove if they are unused. Returns the corrected text with
 * the same lines, malloc'd; NULL if there is nothing to correct, or not enough memory. */
char *naming_repair(struct naming *naming, const char *text, size_t bytes, size_t *repaired_bytes);

/* Returns the last part of a mangled name: "transpose" for _ZN2my9transposeILi32EEvPfPKfii (Itanium
 * C++ ABI, 5.1); or the name itself if it is not mangled. */
struct token naming_plain(const char *name);

/* Returns the line that declares the kernel; 0 if there is none. The name may be mangled. */
unsigned naming_kernel_line(const struct naming *naming, const char *kernel);

/* Find the order in which the text declares the kernel's parameters: order[i] is the role of
 * parameter i, 0 to 3 for (odata, idata, width, height). Returns false if the roles are unknown, or
 * if the parameters are in this order. */
bool naming_declared_order(const struct naming *naming, const char *kernel, unsigned char order[4]);

#endif
