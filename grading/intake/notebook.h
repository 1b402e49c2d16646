/* notebook.h: the programs in a Jupyter notebook (.ipynb): cells that begin with %%writefile NAME,
 * or with %%cu, %%cuda or %%nvcc, which may name a file (-n NAME, --name NAME), and cells that are
 * CUDA as they stand.
 */
#ifndef NOTEBOOK_H
#define NOTEBOOK_H

#include <stdbool.h>
#include <stddef.h>

/* Call `found` for each program, with its name ("cell-3.cu" if it has none) and its text. *programs
 * is the number of programs. False: it is not a notebook. */
bool notebook_read(const void *bytes, size_t size,
                   void (*found)(void *context, const char *name, const char *text), void *context,
                   size_t *programs);

#endif
