/* notebook.h: files that contain several programs: sources with several LAB(), and Jupyter
 * notebooks (.ipynb). In a notebook, a program is a cell that begins with %%writefile NAME, %%cu,
 * %%cuda or %%nvcc (-n NAME or --name NAME may follow), or another cell with a kernel and LAB().
 */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>

/* Call `found` for each program, with its name ("cell-3.cu" if it has no name) and text. *programs
 * becomes the number of programs. Returns false if the bytes are not a notebook. */
bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs);

/* Split a source that has several LAB() and a kernel after each LAB(). For each part, call `found`
 * with the name in LAB() and a malloc'd copy of the text, with a NUL. The callee owns the copy. The
 * copy is blank except for this part and the text before the first LAB(), so line numbers stay the
 * same. Returns the number of parts; 0: the source is not of that form. */
size_t sections_read(const char *text, size_t size,
                     void (*found)(void *context, const char *lab, char *part, size_t size),
                     void *context);

#endif
