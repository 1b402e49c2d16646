/* simt_decoder.h: between simt_program.c, which lays out a module, and simt_decoder.c, which
 * decodes its functions with the help of decode_*.c. Nobody else includes it.
 */
#ifndef SIMT_DECODER_H
#define SIMT_DECODER_H

#include "emulator/decode/simt_decode.h"

/* Zeroed memory that the program owns, 64-byte aligned; NULL when there is none. */
void *program_allocate(struct program *program, size_t count, size_t size);

/* Replace a malloc'd array of `bytes` bytes, to which `pointer_to_array` points, by a copy that the
 * program owns. False (and the pointer NULL): no memory. */
bool program_adopt(struct program *program, void *pointer_to_array, size_t bytes);

/* What a function's decoder must know of the module's layout. */
struct decode_layout {
    const uint64_t *variables; /* of module variables: address in their space; UINT64_MAX: none */
    uint64_t shared;           /* where the function's own shared variables begin */
};

/* Decode function number `index` of the module into program->functions[index]. */
bool decode_function(struct program *program, size_t index, const struct decode_layout *layout,
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
