/* naming.h: names that a lab file has wrong, where it is clear all the same what is meant.
 *
 * What compiles and runs must be found by its name: LAB(name), LAB_LAUNCH, and a kernel
 * `transpose`. `tlab run` tells a mistake in these with its remedy; the grader may go on with what
 * was meant, and says so. Each mistake is a sentence with its line: "padded.cu(9): the kernel is
 * called turn; its name must be transpose".
 */
#ifndef NAMING_H
#define NAMING_H

#include "text/tokens.h"

enum { NAMING_TEXT = 1024 };

struct naming {
    const char *path;       /* of the file, for the sentences */
    const char *code;       /* its text, or NULL */
    char text[NAMING_TEXT]; /* a sentence a line; "": no mistake */
};

/* Add a mistake; `line`: 0 if it has no place. */
void naming_add(struct naming *naming, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What can be seen in the text alone: LAB and LAB_LAUNCH misspelt (only where the right word stands
 * nowhere), and a kernel that is static or inline, which compilers leave out when nobody calls it.
 * The text with all of that put right, line by line the same, is malloc'd; NULL: there is nothing
 * to repair, or no memory. */
char *naming_repair(struct naming *naming, const char *text, size_t bytes, size_t *repaired_bytes);

/* The last name of a mangled one: "transpose" of _ZN2my9transposeILi32EEvPfPKfii (Itanium C++ ABI,
 * 5.1). A name that is not mangled is its own. */
struct token naming_plain(const char *name);

/* The line in which the text declares the kernel, whose name may be mangled; 0: none. */
unsigned naming_kernel_line(const struct naming *naming, const char *kernel);

/* In which order the text declares the kernel's parameters: order[i] is what parameter i is, in
 * terms of (odata, idata, width, height) as 0 to 3. False where const and names do not tell, or
 * tell that order itself. */
bool naming_declared_order(const struct naming *naming, const char *kernel, unsigned char order[4]);

#endif
