/* naming.h: names that a lab file has wrong, where it is clear all the same what is meant.
 *
 * What compiles and runs must be found by its name: LAB(name), LAB_LAUNCH, and a kernel
 * `transpose`. `tlab run` tells a mistake in these with its remedy; the grader may go on with what
 * was meant, and says so. Each mistake is a sentence with its line: "padded.cu(9): the kernel is
 * called turn; its name must be transpose".
 */
#ifndef NAMING_H
#define NAMING_H

#include "emulator/ptx/ptx.h"

enum { NAMING_TEXT = 1024 };

struct naming {
    const char *path;       /* of the file, for the sentences */
    const char *code;       /* its text without comments (code_text.h), for lines; or NULL */
    char text[NAMING_TEXT]; /* a sentence a line; "": no mistake */
};

/* Add a mistake; `word`, if it is not NULL, is the place in naming->code. */
void naming_add(struct naming *naming, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What can be seen in the text alone: LAB and LAB_LAUNCH misspelt (only where the right word stands
 * nowhere), and a kernel that is static or inline, which compilers leave out when nobody calls it.
 * The text with all of that put right, line by line the same, is malloc'd; NULL: there is nothing
 * to mend, or no memory. `naming` has its code, which is as long as the text. */
char *naming_mend(struct naming *naming, const char *text, size_t bytes, size_t *mended_bytes);

/* The entry that is meant by `transpose`: of that name, or in a namespace, an instance of a
 * template, without extern "C", or the only one with such parameters. Two addresses and two
 * integers are such parameters. NULL: none, or several. */
const struct ptx_function *naming_find_kernel(struct naming *naming,
                                              const struct ptx_module *module);

/* In which order the text declares the kernel's parameters: order[i] is what parameter i is, in
 * terms of (odata, idata, width, height) as 0 to 3. False where const and names do not tell, or
 * tell that order itself. */
bool naming_declared_order(const struct naming *naming, const struct ptx_function *kernel,
                           unsigned char order[4]);

#endif
