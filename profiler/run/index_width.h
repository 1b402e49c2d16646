/* index_width.h: find indices of global memory that are computed with 32 bits although they grow
 * with the number of elements.
 */
#ifndef INDEX_WIDTH_H
#define INDEX_WIDTH_H

#include "emulator/ptx/ptx.h"

/* Returns the number of sizes (width, height, a block index, ...) that are multiplied with 32 bits
 * before the product becomes an index of an array: 2 for row * width, 3 for matrix * width *
 * height. 0: there is no such index, or no memory for the search. *line receives the line of the
 * conversion to 64 bits. */
unsigned index_width_find(const struct ptx_module *module, const struct ptx_function *kernel,
                          uint32_t *line);

#endif
