/* simt_decoder.h: the interface between simt_program.c, which lays out a module, and
 * simt_decoder.c, which decodes its functions. Private to decode/.
 */
#ifndef SIMT_DECODER_H
#define SIMT_DECODER_H

#include "emulator/decode/simt_decode.h"

/* Allocate zeroed memory that the program owns, 64-byte aligned; NULL: no memory. */
void *program_allocate(struct program *program, size_t count, size_t size);

/* Replace a malloc'd array of `bytes` bytes, to which `pointer_to_array` points, by a copy that the
 * program owns. False (and the pointer NULL): no memory. */
bool program_adopt(struct program *program, void *pointer_to_array, size_t bytes);

/* Decode function number `index` of the module into program->functions[index]. Its own shared
 * variables begin at offset `shared`. */
bool decode_function(struct program *program, size_t index, uint64_t shared,
                     struct failure *failure);

static inline uint64_t function_address(int32_t index)
{
    return GUEST_FUNCTION_BASE + 16 * ((uint64_t)index + 1);
}

static inline uint64_t align_up(uint64_t value, uint64_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

#endif
