/* notebook.h: split files that contain several programs: Jupyter notebooks (.ipynb) and sources
 * with several LAB(). A cell is a program if it contains a kernel and LAB(). A cell is also a
 * program if it begins with %%writefile NAME, or with %%cu, %%cuda or %%nvcc (with an optional
 * -n NAME or --name NAME). */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>

/* Call `found` for each program with its text and its name (default: "cell-3.cu"). *programs
 * receives the number of programs. Returns false if the bytes are not a notebook. */
bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs);

/* Split a source in which a kernel follows each of several LAB(). For each part, call `found` with
 * the name in LAB() and a malloc'd copy of the source, which `found` must free. In the copy, other
 * parts are blank, so that line numbers stay the same. The text before the first LAB() stays,
 * unless the part has its own #include. Returns the number of parts; 0 for any other source. */
size_t sections_read(const char *text, size_t size,
                     void (*found)(void *context, const char *lab, char *part, size_t size),
                     void *context);

#endif
