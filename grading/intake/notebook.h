/* notebook.h: split files that contain several programs: Jupyter notebooks (.ipynb) and sources
 * with several LAB(). A cell of a notebook is a program if it begins with %%writefile NAME, %%cu,
 * %%cuda or %%nvcc (-n NAME or --name NAME may follow), or if it contains a kernel and LAB(). */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>

/* Call `found` for each program, with its name ("cell-3.cu" if the cell has no name) and text.
 * *programs receives the number of programs. Returns false if the bytes are not a notebook. */
bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs);

/* Split a source that has several LAB() and a kernel after each LAB(). For each part, call `found`
 * with the name in LAB() and a malloc'd copy of the text, followed by a NUL, which `found` must
 * free. The copy is blank except for this part and the text before the first LAB(), so that line
 * numbers stay the same. Returns the number of parts; 0 if the source does not have this form. */
size_t sections_read(const char *text, size_t size,
                     void (*found)(void *context, const char *lab, char *part, size_t size),
                     void *context);

#endif
