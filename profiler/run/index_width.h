/* index_width.h: find indices of arrays in global memory that are computed with 32 bits although
 * they grow with the number of elements. */
#ifndef INDEX_WIDTH_H
#define INDEX_WIDTH_H

#include "emulator/ptx/ptx.h"

/* Returns the number of sizes that are multiplied with 32 bits before the product becomes an array
 * index: 2 for row * width, 3 for matrix * width * height. A block index is also a size. Returns 0
 * if there is no such index, or not enough memory. *line receives the source line of the conversion
 * to 64 bits. */
unsigned index_width_find(const struct ptx_module *module, const struct ptx_function *kernel,
                          uint32_t *line);

#endif
