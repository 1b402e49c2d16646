/* index_width.h: find array indices that grow with the matrix but are computed with 32 bits. */
#ifndef INDEX_WIDTH_H
#define INDEX_WIDTH_H

#include "emulator/ptx/ptx.h"

/* Returns the number of factors (sizes or block indices) of a 32-bit product that becomes an array
 * index: 2 for row * width, 3 for matrix * width * height. Returns 0 if there is no such product or
 * not enough memory. *line receives the source line of the conversion to 64 bits. */
unsigned index_width_find(const struct ptx_module *module, const struct ptx_function *kernel,
                          uint32_t *line);

#endif
