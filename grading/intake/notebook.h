/* notebook.h: files that contain several programs: sources with several LAB(), and the programs in
 * a Jupyter notebook (.ipynb): cells that begin with %%writefile NAME, or with %%cu, %%cuda or
 * %%nvcc, which may name a file (-n NAME, --name NAME), and other cells with a kernel and LAB().
 */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>

/* Call `found` for each program, with its name ("cell-3.cu" if it has none) and its text. *programs
 * is the number of programs. False: the bytes are not a notebook. */
bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs);

/* Split a source in which a kernel of its own follows each of several LAB(). Call `found` with the
 * name in LAB() and a malloc'd copy of the text, with a NUL, which the callee owns. In the copy all
 * is blank except the part of this LAB() and the text before the first LAB(); line numbers stay the
 * same. Returns the number of parts; 0: not such a source. */
size_t sections_read(const char *text, size_t size,
                     void (*found)(void *context, const char *lab, char *part, size_t size),
                     void *context);

#endif
