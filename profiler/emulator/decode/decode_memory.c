/* decode_memory.c: loads, stores, atomics, textures, surfaces, and copies. */
#include "emulator/decode/decoding.h"

#include <string.h>

static uint8_t memory_flags(const struct ptx_instruction *in)
{
    unsigned flags = 0;
    if (ptx_has(in, PTX_MOD_VOLATILE) || ptx_has(in, PTX_MOD_RELAXED) ||
        ptx_has(in, PTX_MOD_ACQUIRE) || ptx_has(in, PTX_MOD_RELEASE) || ptx_has(in, PTX_MOD_MMIO))
        flags |= SIMT_VOLATILE | SIMT_BYPASS_L1;
    if (ptx_has(in, PTX_MOD_CG) || ptx_has(in, PTX_MOD_CV))
        flags |= SIMT_BYPASS_L1;
    return (uint8_t)flags;
}

bool decode_load_store(struct decoder *decoder, const struct ptx_instruction *in,
                       struct instruction *out)
{
    bool is_store = in->opcode == PTX_OP_ST;
    enum ptx_type type = first_type(in);
    if (in->operand_count < 2 || ptx_type_bytes(type) == 0 || ptx_type_bytes(type) > 8)
        return false;
    const struct ptx_operand *address = &in->operands[is_store ? 0 : 1];
    const struct ptx_operand *data = &in->operands[is_store ? 1 : 0];
    out->space = in->space;
    out->bytes = (uint8_t)ptx_type_bytes(type);
    out->flags = memory_flags(in);
    if (ptx_type_is_signed(type))
        out->flags |= SIMT_SIGNED;
    static const struct choice vectors[] = {{PTX_MOD_V2, 2}, {PTX_MOD_V4, 4}, {PTX_MOD_V8, 8}};
    if (!decode_address(decoder, address, out) ||
        !decode_elements(decoder, data, type, !is_store, &out->extra, &out->vector))
        return false;
    if (out->vector != CHOOSE(in, vectors, 1) || out->vector * out->bytes > 16)
        return false;
    if (is_store && out->space == PTX_CONST)
        return false;
    out->is_fast =
        (out->space == PTX_SHARED || (out->space == PTX_GLOBAL && out->source[0].stride == 8)) &&
        out->vector == 1 && out->bytes >= 4 && !(out->flags & SIMT_VOLATILE) &&
        decoder->function->operands[out->extra].stride == out->bytes;
    return true;
}

const struct choice atomic_operations[ATOMIC_OPERATIONS] = {
    {PTX_MOD_ADD, ATOMIC_ADD},   {PTX_MOD_MIN, ATOMIC_MIN}, {PTX_MOD_MAX, ATOMIC_MAX},
    {PTX_MOD_AND, ATOMIC_AND},   {PTX_MOD_OR, ATOMIC_OR},   {PTX_MOD_XOR, ATOMIC_XOR},
    {PTX_MOD_EXCH, ATOMIC_EXCH}, {PTX_MOD_CAS, ATOMIC_CAS}, {PTX_MOD_INC, ATOMIC_INC},
    {PTX_MOD_DEC, ATOMIC_DEC},
};

bool decode_atomic(struct decoder *decoder, const struct ptx_instruction *in,
                   struct instruction *out)
{
    bool is_red = in->opcode == PTX_OP_RED;
    enum ptx_type type = last_type(in);
    unsigned first = is_red ? 0 : 1;
    unsigned operation = CHOOSE(in, atomic_operations, NO_OPERATION);
    bool is_float = type_is_float(type);
    unsigned bytes = ptx_type_bytes(type);
    if (operation == NO_OPERATION || (bytes != 2 && bytes != 4 && bytes != 8) ||
        (is_float && (operation != ATOMIC_ADD && operation != ATOMIC_EXCH)) ||
        in->operand_count < first + 2u || ptx_has(in, PTX_MOD_V2) || ptx_has(in, PTX_MOD_V4))
        return false;
    if (is_float && operation == ATOMIC_ADD && type != PTX_F32 && type != PTX_F64)
        operation = type == PTX_F16 || type == PTX_F16X2 ? ATOMIC_ADD_F16 : ATOMIC_ADD_BF16;
    out->space = in->space;
    out->bytes = (uint8_t)bytes;
    out->vector = 1;
    out->control = operation;
    out->flags =
        (uint8_t)((ptx_type_is_signed(type) ? SIMT_SIGNED : 0) | (is_float ? SIMT_FLOAT : 0));
    if (is_red || in->operands[0].kind == PTX_OPERAND_SINK)
        out->flags |= SIMT_NO_RESULT;
    else if (!take_destination(decoder, in, type, out))
        return false;
    if (!decode_address(decoder, &in->operands[first], out))
        return false;
    for (unsigned i = 1; i <= (operation == ATOMIC_CAS ? 2u : 1u); i++)
        if (!take_source(decoder, in, first + i, type, &out->source[i]))
            return false;
    return true;
}

static const struct choice geometries[] = {
    {PTX_MOD_1D, GEOMETRY_1D},       {PTX_MOD_2D, GEOMETRY_2D},   {PTX_MOD_3D, GEOMETRY_3D},
    {PTX_MOD_A1D, GEOMETRY_A1D},     {PTX_MOD_A2D, GEOMETRY_A2D}, {PTX_MOD_CUBE, GEOMETRY_CUBE},
    {PTX_MOD_ACUBE, GEOMETRY_ACUBE},
};
/* Numbers of coordinates (including the layer) and of components of a gradient, per geometry. */
static const uint8_t coordinate_counts[] = {1, 2, 3, 2, 3, 3, 4};
static const uint8_t slope_counts[] = {1, 2, 3, 1, 2};

/* The object is in a register, because CUDA 12 has no texture or surface variables. */
static bool take_object(struct decoder *decoder, const struct ptx_operand *operand,
                        struct instruction *out)
{
    out->space = PTX_GLOBAL;
    return operand->kind == PTX_OPERAND_ADDRESS && operand->address_kind == PTX_OPERAND_REGISTER &&
           !operand->integer && decode_register(decoder, operand->index, false, &out->source[0]) &&
           out->source[0].stride == 8;
}

static void set_form(struct instruction *out, struct texture_form form)
{
    memcpy(&out->immediate, &form, sizeof form);
}

static bool append_words(struct decoder *decoder, const struct ptx_operand *operand,
                         enum ptx_type type, unsigned count, struct texture_form *form)
{
    uint32_t first;
    uint8_t given;
    bool done = decode_elements(decoder, operand, type, false, &first, &given) && given >= count;
    if (done)
        decoder->function->operand_count = first + count;
    form->inputs = (form->inputs + count) & 255;
    return done;
}

bool decode_texture(struct decoder *decoder, const struct ptx_instruction *in,
                    struct instruction *out)
{
    static const struct choice components[] = {{PTX_MOD_G, 1}, {PTX_MOD_B, 2}, {PTX_MOD_A, 3}};
    static const struct choice levels[] = {{PTX_MOD_LEVEL, LEVEL_GIVEN},
                                           {PTX_MOD_GRAD, LEVEL_GRADIENT}};
    unsigned geometry = CHOOSE(in, geometries, NO_OPERATION);
    unsigned level = CHOOSE(in, levels, LEVEL_BASE);
    enum ptx_type type = last_type(in);
    bool is_gather = in->opcode == PTX_OP_TLD4;
    if (geometry == NO_OPERATION || in->type_count != 2 || in->operand_count != 3 + level ||
        ptx_type_bytes(first_type(in)) != 4 || (type != PTX_F32 && type != PTX_S32) ||
        !ptx_has(in, PTX_MOD_V4) || (level == LEVEL_GRADIENT && geometry > GEOMETRY_A2D))
        return false;
    struct texture_form form = {.geometry = geometry & 15,
                                .is_float = type == PTX_F32,
                                .is_gather = is_gather,
                                .component = is_gather ? CHOOSE(in, components, 0) & 3 : 0,
                                .level = level & 3};
    out->bytes = 1;
    bool done = decode_elements(decoder, &in->operands[0], first_type(in), true, &out->extra,
                                &out->vector) &&
                out->vector == 4 &&
                decode_destination2(decoder, &in->operands[0], &out->destination2) &&
                take_object(decoder, &in->operands[1], out) &&
                append_words(decoder, &in->operands[2], type, coordinate_counts[geometry], &form);
    unsigned words = level == LEVEL_GRADIENT ? slope_counts[geometry] : 1;
    for (unsigned i = 0; i < level && done; i++)
        done = append_words(decoder, &in->operands[3 + i], type, words, &form);
    set_form(out, form);
    return done;
}

bool decode_texture_query(struct decoder *decoder, const struct ptx_instruction *in,
                          struct instruction *out)
{
    static const struct choice queries[] = {
        {PTX_MOD_WIDTH, QUERY_WIDTH},
        {PTX_MOD_HEIGHT, QUERY_HEIGHT},
        {PTX_MOD_DEPTH, QUERY_DEPTH},
        {PTX_MOD_ARRAY_SIZE, QUERY_ARRAY_SIZE},
        {PTX_MOD_NUM_MIPMAP_LEVELS, QUERY_LEVELS},
        {PTX_MOD_NORMALIZED_COORDS, QUERY_NORMALISED},
    };
    unsigned query = CHOOSE(in, queries, NO_OPERATION);
    if (query == NO_OPERATION || in->operand_count != 2 || ptx_has(in, PTX_MOD_LEVEL))
        return false;
    set_form(out, (struct texture_form){.query = query & 15});
    return take_destination(decoder, in, PTX_B32, out) &&
           take_object(decoder, &in->operands[1], out);
}

bool decode_surface(struct decoder *decoder, const struct ptx_instruction *in,
                    struct instruction *out)
{
    static const struct choice vectors[] = {{PTX_MOD_V2, 2}, {PTX_MOD_V4, 4}};
    static const struct choice outsides[] = {{PTX_MOD_CLAMP, SURFACE_CLAMP},
                                             {PTX_MOD_ZERO, SURFACE_ZERO}};
    bool loads = in->opcode == PTX_OP_SULD, reduces = in->opcode == PTX_OP_SURED;
    unsigned geometry = CHOOSE(in, geometries, NO_OPERATION);
    enum ptx_type type = last_type(in);
    struct texture_form form = {.geometry = geometry & 15,
                                .outside = CHOOSE(in, outsides, SURFACE_TRAP) & 3};
    if (geometry > GEOMETRY_A2D || in->operand_count != 3 || ptx_type_bytes(type) == 0 ||
        ptx_type_bytes(type) > 8 || !ptx_has(in, PTX_MOD_B))
        return false;
    out->bytes = (uint8_t)ptx_type_bytes(type);
    if (!take_object(decoder, &in->operands[loads ? 1 : 0], out))
        return false;
    out->extra = (uint32_t)decoder->function->operand_count;
    if (reduces) {
        out->control = CHOOSE(in, atomic_operations, NO_OPERATION);
        out->flags = SIMT_NO_RESULT | (ptx_type_is_signed(type) ? SIMT_SIGNED : 0);
        if (out->control == NO_OPERATION || out->bytes < 4 ||
            !take_source(decoder, in, 2, type, &out->source[1]))
            return false;
    } else if (!decode_elements(decoder, &in->operands[loads ? 0 : 2], type, loads, &out->extra,
                                &out->vector) ||
               out->vector != CHOOSE(in, vectors, 1) || out->vector * out->bytes > 16) {
        return false;
    }
    bool done = append_words(decoder, &in->operands[loads ? 2 : 1], PTX_B32,
                             coordinate_counts[geometry], &form);
    set_form(out, form);
    return done;
}

bool decode_copy_async(struct decoder *decoder, const struct ptx_instruction *in,
                       struct instruction *out)
{
    if (ptx_has(in, PTX_MOD_COMMIT_GROUP)) {
        out->kind = SIMT_COPY_COMMIT;
        return true;
    }
    if (ptx_has(in, PTX_MOD_WAIT_ALL) || ptx_has(in, PTX_MOD_WAIT_GROUP)) {
        out->kind = SIMT_COPY_WAIT;
        if (ptx_has(in, PTX_MOD_WAIT_ALL)) {
            out->flags = SIMT_EVERY;
            return true;
        }
        if (in->operand_count < 1 || in->operands[0].kind != PTX_OPERAND_INTEGER)
            return false;
        out->immediate = in->operands[0].integer;
        return true;
    }
    if (ptx_has(in, PTX_MOD_MBARRIER)) {
        out->kind = SIMT_MBARRIER;
        out->space = in->space;
        out->bytes = 8;
        out->vector = 1;
        out->flags = SIMT_VOLATILE;
        out->control = ptx_has(in, PTX_MOD_NOINC) ? MBARRIER_COPIES_COUNTED : MBARRIER_COPIES;
        return in->operand_count == 1 && !ptx_has(in, PTX_MOD_BULK) &&
               (in->space == PTX_SHARED || in->space == PTX_GENERIC) &&
               decode_address(decoder, &in->operands[0], out);
    }
    if (ptx_has(in, PTX_MOD_BULK) || in->operand_count < 3 || !ptx_has(in, PTX_MOD_ASYNC) ||
        in->operands[2].kind != PTX_OPERAND_INTEGER)
        return false;
    int64_t bytes = in->operands[2].integer;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return false;
    struct instruction destination = {.space = PTX_SHARED};
    out->bytes = (uint8_t)bytes;
    out->vector = 1;
    out->space = PTX_GLOBAL;
    if (ptx_has(in, PTX_MOD_CG))
        out->flags |= SIMT_BYPASS_L1;
    if (!decode_address(decoder, &in->operands[1], out) ||
        !decode_address(decoder, &in->operands[0], &destination))
        return false;
    out->source[1] = destination.source[0];
    out->control = (uint32_t)destination.immediate;
    /* The optional fourth operand is the number of bytes to copy or the predicate ignore-src. */
    if (in->operand_count > 3) {
        const struct ptx_operand *size = &in->operands[3];
        if (!decode_source(decoder, size, PTX_U32, &out->source[2]))
            return false;
    }
    return true;
}
