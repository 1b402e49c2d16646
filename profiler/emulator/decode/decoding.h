/* decoding.h: the decoder of a function and the decoding of operands, for simt_decoder.c and
 * decode_*.c. Functions return false if an operand is not supported or memory is exhausted. */
#ifndef DECODING_H
#define DECODING_H

#include "emulator/decode/simt_allocate.h"
#include "emulator/decode/simt_decode.h"

struct pool_entry {
    uint64_t bits;
    uint32_t offset;
    uint8_t stride;
};

struct decoder {
    struct program *program;
    const struct ptx_function *source;
    struct program_function *function;
    uint32_t *register_offsets;
    bool *invariant;                            /* One entry per register (simt_invariant.c). */
    int64_t special_offsets[PTX_SPECIAL_COUNT]; /* Offsets in the frame. -1 if not read. */
    uint64_t frame_bytes;
    uint32_t matrix_scratch; /* Offset in the frame of the scratch registers for matrices. */
    size_t pool_capacity;
    struct pool_entry *entries;
    size_t entry_count;
    bool out_of_memory;
    uint32_t number;
};

static inline unsigned lane_stride(unsigned bytes)
{
    return bytes <= 2 ? 2 : bytes <= 4 ? 4 : 8;
}

static inline unsigned type_stride(enum ptx_type type)
{
    return type == PTX_PRED ? 0 : lane_stride(ptx_type_bytes(type));
}

static inline unsigned special_stride(int special)
{
    return special == PTX_SPECIAL_CLOCK64 || special == PTX_SPECIAL_GLOBALTIMER ? 8 : 4;
}

static inline struct operand operand_make(enum bank bank, uint32_t offset, unsigned stride)
{
    return (struct operand){
        .offset = offset, .bank = (uint8_t)bank, .stride = (uint8_t)stride, .used = true};
}

static inline enum ptx_type first_type(const struct ptx_instruction *in)
{
    return in->type_count ? (enum ptx_type)in->types[0] : PTX_NONE;
}

static inline enum ptx_type last_type(const struct ptx_instruction *in)
{
    return in->type_count ? (enum ptx_type)in->types[in->type_count - 1] : PTX_NONE;
}

static inline bool type_is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2 ||
           type == PTX_F32 || type == PTX_F64;
}

struct choice {
    uint16_t modifier;
    uint8_t value;
};

static inline unsigned choose(const struct ptx_instruction *in, const struct choice *choices,
                              size_t count, unsigned otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_has(in, (enum ptx_modifier)choices[i].modifier))
            return choices[i].value;
    return otherwise;
}
#define CHOOSE(in, choices, otherwise)                                                             \
    choose(in, choices, sizeof(choices) / sizeof *(choices), otherwise)

/* redux supports only the first REDUCTIONS entries of atomic_operations. */
enum { REDUCTIONS = 6, ATOMIC_OPERATIONS = 10, NO_OPERATION = 255 };
extern const struct choice atomic_operations[ATOMIC_OPERATIONS];

/* Like array_make_room. If memory is exhausted, sets out_of_memory and returns false. */
bool decoder_make_room(struct decoder *decoder, void *array, size_t count, size_t item_bytes);

/* The address of a variable in its space or, if is_local is true, in the frame's local memory. */
struct place {
    uint64_t address;
    enum ptx_space space;
    bool is_local;
};

bool decode_register(struct decoder *decoder, int32_t number, bool negated,
                     struct operand *operand);

/* Decode any source operand as `type`. The caller must compare the strides, because the width of a
 * register may differ from the type. */
bool decode_source(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                   struct operand *out);

bool decode_destination(struct decoder *decoder, const struct ptx_operand *operand,
                        enum ptx_type type, struct operand *out);

bool decode_destination2(struct decoder *decoder, const struct ptx_operand *operand,
                         struct operand *out);

bool find_place(const struct decoder *decoder, const struct ptx_operand *operand,
                struct place *place);

/* Returns the register that contains the address of the frame's local variables. */
struct operand local_base(void);

/* Decode the first operand: one or two destinations (`%p|%q`) of exactly the type's width. */
bool take_destination(struct decoder *decoder, const struct ptx_instruction *in, enum ptx_type type,
                      struct instruction *out);

bool take_source(struct decoder *decoder, const struct ptx_instruction *in, unsigned number,
                 enum ptx_type type, struct operand *out);

/* Append an operand to the side table. Returns its index, or UINT32_MAX if memory is exhausted. */
uint32_t operand_append(struct decoder *decoder, const struct operand *operand);

/* Append the elements of a vector operand, or a single operand, to the side table. *first and
 * *count receive the first index and the number of elements. */
bool decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                     bool destination, uint32_t *first, uint8_t *count);

/* Decode an address operand to out->source[0] and out->immediate. If the address names a variable
 * and out->space is generic, out->space becomes the variable's space. */
bool decode_address(struct decoder *decoder, const struct ptx_operand *operand,
                    struct instruction *out);

/* Append an instruction with the guard of `in`. The next call invalidates the returned pointer,
 * which is NULL if memory is exhausted. */
struct instruction *decode_emit(struct decoder *decoder, const struct ptx_instruction *in);

/* Decode `in` to `out`. The caller has set out->kind. */
typedef bool decode_one(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out);

decode_one decode_branch, decode_branch_index, decode_return, decode_call, decode_barrier,
    decode_mbarrier, decode_shuffle, decode_vote, decode_match, decode_redux;

decode_one decode_load_store, decode_atomic, decode_texture, decode_texture_query, decode_surface,
    decode_copy_async;

bool decode_matrix(struct decoder *decoder, const struct ptx_instruction *in);
unsigned matrix_scratch_bytes(const struct ptx_instruction *in);

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

/* Set `fused` of shared loads, and `address_slot` of loads and stores (simt_fuse.c). The function's
 * pool and code must be complete. Returns false if memory is exhausted. */
bool fuse_shared_loads(struct program_function *function);

/* Set invariant[r], which is initially false, to true for each invariant register r. */
choose_apart invariant_find;

/* Number the invariant registers and accesses of a decoded function, and set their counts. */
void invariant_number(struct program_function *function, const bool *invariant);

#endif
