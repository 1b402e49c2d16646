/* decoding.h: what the files that decode instructions share (simt_decoder.c, decode_matrix.c): the
 * decoder of a function, and how operands are taken. Nobody else includes it.
 */
#ifndef DECODING_H
#define DECODING_H

#include "emulator/decode/simt_decode.h"

struct pool_entry {
    uint64_t bits;
    uint32_t offset;
    uint8_t stride;
};

struct decoder {
    struct program *program;
    const struct ptx_module *module;
    const struct ptx_function *source;
    struct program_function *function;
    const uint64_t *module_offsets; /* of module variables: address in their space */
    uint64_t *variable_offsets;     /* of the function's variables: shared offset, local offset or
                                       offset in the lane's parameter block */
    uint32_t *register_offsets;
    int64_t special_offsets[PTX_SPECIAL_COUNT]; /* in the frame; -1: not used yet */
    uint64_t dynamic_shared;                    /* offset of `extern .shared` arrays */
    uint64_t frame_bytes;
    uint32_t matrix_scratch; /* where it begins in the frame */
    size_t code_capacity, operand_capacity, pool_capacity;
    struct pool_entry *entries;
    size_t entry_count, entry_capacity;
    size_t call_capacity;
    bool out_of_memory;
    uint32_t number; /* of the PTX instruction being decoded */
};

static inline unsigned lane_stride(unsigned bytes)
{
    return bytes <= 2 ? 2 : bytes <= 4 ? 4 : 8;
}

static inline unsigned type_stride(enum ptx_type type)
{
    return type == PTX_PRED ? 0 : lane_stride(ptx_type_bytes(type));
}

static inline struct operand operand_make(enum bank bank, uint32_t offset, unsigned stride)
{
    return (struct operand){
        .offset = offset, .bank = (uint8_t)bank, .stride = (uint8_t)stride, .used = true};
}

/* The instruction's first operand, a destination of exactly the type's width (`%p|%q`: both). */
bool take_destination(struct decoder *decoder, const struct ptx_instruction *in, enum ptx_type type,
                      struct instruction *out);

/* Operand `number` of the instruction, a source of exactly the type's width. */
bool take_source(struct decoder *decoder, const struct ptx_instruction *in, unsigned number,
                 enum ptx_type type, struct operand *out);

/* Append an operand to the side table; its index, or UINT32_MAX. */
uint32_t operand_append(struct decoder *decoder, const struct operand *operand);

/* The elements of a vector operand (or the one operand) into the side table. */
bool decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                     bool destination, uint32_t *first, uint8_t *count);

/* An address operand: source[0] and immediate, in the instruction's or variable's space. */
bool decode_address(struct decoder *decoder, const struct ptx_operand *operand,
                    struct instruction *out);

/* A new instruction with the PTX instruction's guard; NULL without memory. It moves when the next
 * one is made. */
struct instruction *decode_emit(struct decoder *decoder, const struct ptx_instruction *in);

/* decode_matrix.c: wmma, mma, ldmatrix, stmatrix, movmatrix. Emits what stands for the instruction;
 * false for what is not supported. */
bool decode_matrix(struct decoder *decoder, const struct ptx_instruction *in);
/* Bytes of scratch registers that the instruction needs in the frame. */
unsigned matrix_scratch_bytes(const struct ptx_instruction *in);

#endif
