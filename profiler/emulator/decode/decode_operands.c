/* decode_operands.c: decode PTX operands: registers, constants and addresses. */
#include "base/array.h"
#include "emulator/decode/decoding.h"

#include <stdlib.h>
#include <string.h>

bool decoder_make_room(struct decoder *decoder, void *array, size_t count, size_t item_bytes)
{
    bool good = array_make_room(array, count, item_bytes);
    decoder->out_of_memory |= !good;
    return good;
}

struct operand local_base(void)
{
    return operand_make(BANK_FRAME, FRAME_LOCAL_BASE, 8);
}

/* Set *operand to a constant in the pool, which contains LANES copies of `stride` bytes. If
 * `stride` is 0, the constant is a predicate mask. */
static bool decode_constant(struct decoder *decoder, uint64_t bits, unsigned stride,
                            struct operand *operand)
{
    if (stride == 0)
        bits = bits ? 0xffffffffu : 0;
    else if (stride < 8)
        bits &= (1ull << 8 * stride) - 1;
    size_t first = decoder->entry_count > 256 ? decoder->entry_count - 256 : 0;
    for (size_t i = first; i < decoder->entry_count; i++) {
        const struct pool_entry *entry = &decoder->entries[i];
        if (entry->bits == bits && entry->stride == stride) {
            *operand = operand_make(BANK_POOL, entry->offset, stride);
            return true;
        }
    }
    size_t bytes = stride ? LANES * stride : 64;
    struct program_function *function = decoder->function;
    while (function->pool_bytes + bytes > decoder->pool_capacity) {
        size_t capacity = decoder->pool_capacity ? 2 * decoder->pool_capacity : 4096;
        unsigned char *pool = realloc(function->pool, capacity);
        if (!pool || capacity > UINT32_MAX) {
            decoder->out_of_memory = true;
            function->pool = pool ? pool : function->pool;
            return false;
        }
        function->pool = pool;
        decoder->pool_capacity = capacity;
    }
    if (!decoder_make_room(decoder, &decoder->entries, decoder->entry_count,
                           sizeof *decoder->entries))
        return false;
    uint32_t offset = (uint32_t)function->pool_bytes;
    for (size_t at = 0; at < bytes; at += stride ? stride : 4)
        memcpy(function->pool + offset + at, &bits, stride ? stride : 4);
    function->pool_bytes += bytes;
    decoder->entries[decoder->entry_count++] =
        (struct pool_entry){.bits = bits, .offset = offset, .stride = (uint8_t)stride};
    *operand = operand_make(BANK_POOL, offset, stride);
    return true;
}

bool decode_register(struct decoder *decoder, int32_t number, bool negated, struct operand *operand)
{
    if (number < 0 || (size_t)number >= decoder->source->register_count)
        return false;
    *operand = operand_make(BANK_FRAME, decoder->register_offsets[number],
                            type_stride(decoder->source->registers[number].type));
    operand->negated = negated;
    return true;
}

bool find_place(const struct decoder *decoder, const struct ptx_operand *operand,
                struct place *place)
{
    const struct program *program = decoder->program;
    const struct ptx_module *module = program->module;
    const struct ptx_function *source = decoder->source;
    const struct {
        const struct ptx_variable *variables;
        size_t count;
    } scopes[] = {
        [PTX_SCOPE_MODULE] = {module->variables, module->variable_count},
        [PTX_SCOPE_FUNCTION] = {source->variables, source->variable_count},
        [PTX_SCOPE_PARAMETER] = {source->parameters, source->parameter_count},
        [PTX_SCOPE_RETURN] = {source->returns, source->return_count},
    };
    size_t index = (size_t)operand->index;
    if (operand->index < 0 || index >= scopes[operand->scope].count)
        return false;
    const struct ptx_variable *variable = &scopes[operand->scope].variables[index];
    place->space = variable->space;
    decoder->program->has_addresses |= variable->space == PTX_GLOBAL;
    place->is_local = operand->scope == PTX_SCOPE_FUNCTION && variable->space == PTX_LOCAL;
    if (operand->scope == PTX_SCOPE_PARAMETER)
        place->address = decoder->function->parameter_offsets[index];
    else if (operand->scope == PTX_SCOPE_RETURN)
        place->address = decoder->function->return_offsets[index];
    else if (variable->space == PTX_SHARED && variable->is_extern)
        place->address = program->dynamic_shared;
    else if (operand->scope == PTX_SCOPE_MODULE)
        place->address = program->variables[index];
    else
        place->address = decoder->function->variable_offsets[index];
    if (place->address == UINT64_MAX)
        return false;
    place->address += (uint64_t)operand->integer;
    return true;
}

bool decode_source(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                   struct operand *out)
{
    unsigned stride = type_stride(type);
    struct place place;
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return decode_register(decoder, operand->index, operand->negated, out);
    case PTX_OPERAND_INTEGER:
        return decode_constant(decoder, (uint64_t)operand->integer, stride, out);
    case PTX_OPERAND_FLOAT:
        return decode_constant(
            decoder, ptx_float_bits(operand->bits, operand->float_bytes, ptx_type_bytes(type)),
            stride, out);
    case PTX_OPERAND_SPECIAL:
        if (operand->vector_count || operand->index >= PTX_SPECIAL_COUNT ||
            decoder->special_offsets[operand->index] < 0)
            return false;
        *out = operand_make(BANK_FRAME, (uint32_t)decoder->special_offsets[operand->index],
                            special_stride(operand->index));
        return true;
    case PTX_OPERAND_VARIABLE:
        return find_place(decoder, operand, &place) && !place.is_local &&
               decode_constant(decoder, place.address, stride, out);
    case PTX_OPERAND_FUNCTION:
        return decode_constant(decoder, function_address(operand->index), stride, out);
    default:
        return false;
    }
}

bool decode_destination(struct decoder *decoder, const struct ptx_operand *operand,
                        enum ptx_type type, struct operand *out)
{
    *out = operand_make(BANK_FRAME, FRAME_SCRATCH, type_stride(type));
    return operand->kind == PTX_OPERAND_SINK ||
           (operand->kind == PTX_OPERAND_REGISTER &&
            decode_register(decoder, operand->index, false, out));
}

bool decode_destination2(struct decoder *decoder, const struct ptx_operand *operand,
                         struct operand *out)
{
    if (operand->second == PTX_SECOND_NONE)
        return true;
    *out = operand_make(BANK_FRAME, FRAME_SCRATCH, 0);
    return operand->second == PTX_SECOND_SINK ||
           decode_register(decoder, operand->second, false, out);
}

bool take_destination(struct decoder *decoder, const struct ptx_instruction *in, enum ptx_type type,
                      struct instruction *out)
{
    return in->operand_count >= 1 &&
           decode_destination(decoder, &in->operands[0], type, &out->destination) &&
           out->destination.stride == type_stride(type) &&
           decode_destination2(decoder, &in->operands[0], &out->destination2);
}

bool take_source(struct decoder *decoder, const struct ptx_instruction *in, unsigned number,
                 enum ptx_type type, struct operand *out)
{
    return number < in->operand_count && decode_source(decoder, &in->operands[number], type, out) &&
           out->stride == type_stride(type);
}

uint32_t operand_append(struct decoder *decoder, const struct operand *operand)
{
    struct program_function *function = decoder->function;
    if (!decoder_make_room(decoder, &function->operands, function->operand_count,
                           sizeof *function->operands))
        return UINT32_MAX;
    function->operands[function->operand_count] = *operand;
    return (uint32_t)function->operand_count++;
}

bool decode_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                     bool destination, uint32_t *first, uint8_t *count)
{
    const struct ptx_operand *elements = operand;
    unsigned total = 1;
    if (operand->kind == PTX_OPERAND_VECTOR) {
        elements = &decoder->source->vector_operands[operand->index];
        total = operand->vector_count;
    }
    *first = (uint32_t)decoder->function->operand_count;
    *count = (uint8_t)total;
    for (unsigned i = 0; i < total; i++) {
        struct operand element = {0};
        bool done = destination ? decode_destination(decoder, &elements[i], type, &element)
                                : decode_source(decoder, &elements[i], type, &element);
        if (!done || operand_append(decoder, &element) == UINT32_MAX)
            return false;
        if (element.stride < type_stride(type) || element.stride == 0)
            return false;
    }
    return true;
}

bool decode_address(struct decoder *decoder, const struct ptx_operand *operand,
                    struct instruction *out)
{
    struct place place;
    bool is_address = operand->kind == PTX_OPERAND_ADDRESS;
    /* Some instructions have an address register without brackets. */
    switch (is_address ? operand->address_kind : operand->kind) {
    case PTX_OPERAND_REGISTER:
        out->immediate = is_address ? operand->integer : 0;
        /* Generic addresses in the parameter window are those of the kernel's parameters. */
        if (is_address && (decoder->source->is_entry || out->space == PTX_GENERIC))
            out->flags |= SIMT_KERNEL_PARAM;
        return decode_register(decoder, operand->index, false, &out->source[0]) &&
               out->source[0].stride >= 4;
    case PTX_OPERAND_INTEGER:
        return is_address &&
               decode_constant(decoder, (uint64_t)operand->integer, 8, &out->source[0]);
    case PTX_OPERAND_VARIABLE:
        if (!is_address || !find_place(decoder, operand, &place))
            return false;
        if (out->space == PTX_GENERIC)
            out->space = (uint8_t)place.space;
        if (decoder->source->is_entry && operand->scope == PTX_SCOPE_PARAMETER)
            out->flags |= SIMT_KERNEL_PARAM;
        if (!place.is_local)
            return decode_constant(decoder, place.address, 8, &out->source[0]);
        out->immediate = (int64_t)place.address;
        out->source[0] = local_base();
        return true;
    default:
        return false;
    }
}

struct instruction *decode_emit(struct decoder *decoder, const struct ptx_instruction *in)
{
    struct program_function *function = decoder->function;
    if (!decoder_make_room(decoder, &function->code, function->code_count, sizeof *function->code))
        return NULL;
    struct instruction *out = &function->code[function->code_count++];
    *out = (struct instruction){.opcode = in->opcode, .number = decoder->number};
    if (in->guarded && !decode_register(decoder, in->guard, in->guard_negated, &out->guard))
        out->kind = SIMT_UNSUPPORTED;
    return out;
}
