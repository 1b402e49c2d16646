/* simt_decoder.h: the interface between simt_program.c and simt_decoder.c. Private to decode/. */
#ifndef SIMT_DECODER_H
#define SIMT_DECODER_H

#include "emulator/decode/simt_decode.h"

/* Returns zeroed, 64-byte aligned memory that the program owns, or NULL if memory is exhausted. */
void *program_allocate(struct program *program, size_t count, size_t size);

/* Free a malloc'd array of `bytes` bytes and set the pointer at `pointer_to_array` to a copy that
 * the program owns. If memory is exhausted, sets the pointer to NULL and returns false. */
bool program_adopt(struct program *program, void *pointer_to_array, size_t bytes);

/* Decode function number `index` of the module. The function's shared variables begin at offset
 * `shared`. For failures, see program_create. */
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
