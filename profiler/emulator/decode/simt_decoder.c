/* simt_decoder.c: from PTX instructions to decoded ones.
 *
 * Registers get places in the frame (simt_allocate.h), immediates and addresses places in the
 * constant pool, and a table from opcode to decoder fills in the rest. What no decoder takes is
 * asked of the arithmetic (alu_select); what that refuses becomes SIMT_UNSUPPORTED.
 */
#include "emulator/decode/simt_decoder.h"

#include "emulator/decode/decoding.h"
#include "emulator/decode/simt_fuse.h"

#include "emulator/alu/alu.h"
#include "emulator/decode/simt_allocate.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_FRAME_BYTES = 32 << 20,
    MAX_LOCAL_BYTES = 512 << 10, /* the PTX ISA's limit of local memory per thread */
    MAX_SHARED_BYTES = 16 << 20,
};

/* Grow an array to hold one more element; sets out_of_memory. */
static void *grow(struct decoder *decoder, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? 2 * *capacity : 64;
    void *bigger = realloc(array, wanted * size);
    if (!bigger) {
        decoder->out_of_memory = true;
        return NULL;
    }
    *capacity = wanted;
    return bigger;
}

/* ---- Operands ---- */

/* The register that holds where the frame's local variables begin. */
static struct operand local_base(void)
{
    return operand_make(BANK_FRAME, FRAME_LOCAL_BASE, 8);
}

/* A constant in the pool: LANES copies, `stride` bytes each (0: a predicate mask). */
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
    struct pool_entry *entries = grow(decoder, decoder->entries, decoder->entry_count,
                                      &decoder->entry_capacity, sizeof *entries);
    if (!entries)
        return false;
    decoder->entries = entries;
    uint32_t offset = (uint32_t)function->pool_bytes;
    for (size_t at = 0; at < bytes; at += stride ? stride : 4)
        memcpy(function->pool + offset + at, &bits, stride ? stride : 4);
    function->pool_bytes += bytes;
    entries[decoder->entry_count++] =
        (struct pool_entry){.bits = bits, .offset = offset, .stride = (uint8_t)stride};
    *operand = operand_make(BANK_POOL, offset, stride);
    return true;
}

static bool decode_register(struct decoder *decoder, int32_t number, bool negated,
                            struct operand *operand)
{
    if (number < 0 || (size_t)number >= decoder->source->register_count)
        return false;
    *operand = operand_make(BANK_FRAME, decoder->register_offsets[number],
                            type_stride(decoder->source->registers[number].type));
    operand->negated = negated;
    return true;
}

/* Reserve LANES lanes of `stride` bytes in the frame. */
static uint32_t frame_reserve(struct decoder *decoder, unsigned stride)
{
    uint64_t offset = decoder->frame_bytes;
    decoder->frame_bytes += stride ? (uint64_t)LANES * stride : 4;
    return (uint32_t)offset;
}

/* A special register as a source: filled at warp start, read as a 4-byte register. Those that are
 * not reserved in the frame (layout_frame) are the clocks, which only moves may read. */
static bool decode_special(struct decoder *decoder, int special, struct operand *operand)
{
    if (special < 0 || special >= PTX_SPECIAL_COUNT || decoder->special_offsets[special] < 0)
        return false;
    *operand = operand_make(BANK_FRAME, (uint32_t)decoder->special_offsets[special], 4);
    return true;
}

/* Where a variable operand points, in its own space; is_local: behind the frame's local base. */
struct place {
    uint64_t address;
    enum ptx_space space;
    bool is_local;
};

static bool find_place(const struct decoder *decoder, const struct ptx_operand *operand,
                       struct place *place)
{
    const struct ptx_module *module = decoder->module;
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
    place->is_local = operand->scope == PTX_SCOPE_FUNCTION && variable->space == PTX_LOCAL;
    if (operand->scope == PTX_SCOPE_PARAMETER)
        place->address = decoder->function->parameter_offsets[index];
    else if (operand->scope == PTX_SCOPE_RETURN)
        place->address = decoder->function->return_offsets[index];
    else if (variable->space == PTX_SHARED && variable->is_extern)
        place->address = decoder->dynamic_shared;
    else if (operand->scope == PTX_SCOPE_MODULE)
        place->address = decoder->module_offsets[index];
    else
        place->address = decoder->variable_offsets[index];
    if (place->address == UINT64_MAX)
        return false; /* a variable that was not placed, such as an extern of another module */
    place->address += (uint64_t)operand->integer;
    return true;
}

/* Any source operand, read as `type`. The register's own width is kept: the caller compares
 * strides. */
static bool decode_source(struct decoder *decoder, const struct ptx_operand *operand,
                          enum ptx_type type, struct operand *out)
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
        return decode_special(decoder, operand->index, out);
    case PTX_OPERAND_VARIABLE:
        return find_place(decoder, operand, &place) && !place.is_local &&
               decode_constant(decoder, place.address, stride, out);
    case PTX_OPERAND_FUNCTION:
        return decode_constant(decoder, function_address(operand->index), stride, out);
    default:
        return false;
    }
}

static bool decode_destination(struct decoder *decoder, const struct ptx_operand *operand,
                               enum ptx_type type, struct operand *out)
{
    *out = operand_make(BANK_FRAME, FRAME_SCRATCH, type_stride(type));
    return operand->kind == PTX_OPERAND_SINK ||
           (operand->kind == PTX_OPERAND_REGISTER &&
            decode_register(decoder, operand->index, false, out));
}

static bool decode_destination2(struct decoder *decoder, const struct ptx_operand *operand,
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
    struct operand *operands = grow(decoder, function->operands, function->operand_count,
                                    &decoder->operand_capacity, sizeof *operands);
    if (!operands)
        return UINT32_MAX;
    function->operands = operands;
    operands[function->operand_count] = *operand;
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
    /* Some instructions take a bare register. */
    switch (is_address ? operand->address_kind : operand->kind) {
    case PTX_OPERAND_REGISTER:
        out->immediate = is_address ? operand->integer : 0;
        /* The window of generic addresses holds the kernel's parameters only. */
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

/* ---- Instructions ---- */

struct instruction *decode_emit(struct decoder *decoder, const struct ptx_instruction *in)
{
    struct program_function *function = decoder->function;
    struct instruction *code =
        grow(decoder, function->code, function->code_count, &decoder->code_capacity, sizeof *code);
    if (!code)
        return NULL;
    function->code = code;
    struct instruction *out = &code[function->code_count++];
    *out = (struct instruction){.opcode = in->opcode, .number = decoder->number};
    if (in->guarded && !decode_register(decoder, in->guard, in->guard_negated, &out->guard))
        out->kind = SIMT_UNSUPPORTED;
    return out;
}

static enum ptx_type first_type(const struct ptx_instruction *in)
{
    return in->type_count ? (enum ptx_type)in->types[0] : PTX_NONE;
}

static enum ptx_type last_type(const struct ptx_instruction *in)
{
    return in->type_count ? (enum ptx_type)in->types[in->type_count - 1] : PTX_NONE;
}

static bool type_is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2 ||
           type == PTX_F32 || type == PTX_F64;
}

/* What a modifier of the instruction chooses. */
struct choice {
    uint16_t modifier; /* enum ptx_modifier */
    uint8_t value;
};

static unsigned choose(const struct ptx_instruction *in, const struct choice *choices, size_t count,
                       unsigned otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (ptx_has(in, (enum ptx_modifier)choices[i].modifier))
            return choices[i].value;
    return otherwise;
}
#define CHOOSE(in, choices, otherwise)                                                             \
    choose(in, choices, sizeof(choices) / sizeof *(choices), otherwise)

static bool decode_nop(struct decoder *decoder, const struct ptx_instruction *in,
                       struct instruction *out)
{
    (void)decoder, (void)in;
    out->kind = SIMT_NOP;
    return true;
}

static bool decode_branch(struct decoder *decoder, const struct ptx_instruction *in,
                          struct instruction *out)
{
    (void)decoder;
    if (in->operand_count < 1 || in->operands[0].kind != PTX_OPERAND_LABEL)
        return false;
    out->kind = SIMT_BRANCH;
    out->target = (uint32_t)in->operands[0].integer; /* a PTX number; patched at the end */
    out->reconverge = in->reconverge;
    return true;
}

static bool decode_branch_index(struct decoder *decoder, const struct ptx_instruction *in,
                                struct instruction *out)
{
    if (in->operand_count < 2 || in->operands[1].kind != PTX_OPERAND_TARGETS)
        return false;
    out->kind = SIMT_BRANCH_INDEX;
    out->extra = (uint32_t)in->operands[1].index;
    out->reconverge = in->reconverge;
    return take_source(decoder, in, 0, PTX_U32, &out->source[0]);
}

static bool decode_return(struct decoder *decoder, const struct ptx_instruction *in,
                          struct instruction *out)
{
    out->kind = in->opcode == PTX_OP_RET && !decoder->source->is_entry ? SIMT_RETURN : SIMT_EXIT;
    return true;
}

static bool decode_trap(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out)
{
    (void)decoder, (void)in;
    out->kind = SIMT_TRAP;
    return true;
}

/* Offsets and sizes of the `.param` variables that a call's list names. */
static bool call_list(struct decoder *decoder, const struct ptx_operand *list, uint32_t *count,
                      uint32_t **offsets, uint32_t **bytes)
{
    unsigned total = list ? list->vector_count : 0;
    *count = total;
    *offsets = program_allocate(decoder->program, total + 1u, sizeof **offsets);
    *bytes = program_allocate(decoder->program, total + 1u, sizeof **bytes);
    if (!*offsets || !*bytes) {
        decoder->out_of_memory = true;
        return false;
    }
    for (unsigned i = 0; i < total; i++) {
        const struct ptx_operand *element = &decoder->source->vector_operands[list->index + (int)i];
        struct place place;
        if (element->kind != PTX_OPERAND_VARIABLE || element->scope != PTX_SCOPE_FUNCTION ||
            !find_place(decoder, element, &place) || place.space != PTX_PARAM)
            return false;
        (*offsets)[i] = (uint32_t)place.address;
        (*bytes)[i] = (uint32_t)decoder->source->variables[element->index].bytes;
    }
    return true;
}

/* The function that CUDA provides by that name, if the call is one of it. */
static bool find_builtin(const char *name, struct program_call *call)
{
    static const struct {
        const char *name;
        enum simt_builtin builtin;
        uint32_t arguments, returns; /* at least */
        uint32_t argument_bytes[3], return_bytes;
    } builtins[] = {
        {"vprintf", BUILTIN_VPRINTF, 2, 0, {8, 8}, 0},
        {"__assertfail", BUILTIN_ASSERTFAIL, 3, 0, {8, 8, 4}, 0},
        {"malloc", BUILTIN_MALLOC, 1, 1, {8}, 8},
        {"free", BUILTIN_FREE, 1, 0, {8}, 0},
    };
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        bool fits = !strcmp(name, builtins[i].name) &&
                    call->argument_count >= builtins[i].arguments &&
                    call->return_count >= builtins[i].returns &&
                    (!builtins[i].returns || call->return_bytes[0] == builtins[i].return_bytes);
        for (uint32_t k = 0; fits && k < builtins[i].arguments; k++)
            fits = call->argument_bytes[k] == builtins[i].argument_bytes[k];
        if (fits) {
            call->builtin = builtins[i].builtin;
            return true;
        }
    }
    return false;
}

static bool decode_call(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out)
{
    const struct ptx_operand *returns = NULL, *arguments = NULL, *callee = NULL;
    for (unsigned i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *operand = &in->operands[i];
        if (operand->kind == PTX_OPERAND_LIST && !callee)
            returns = operand;
        else if (operand->kind == PTX_OPERAND_LIST)
            arguments = operand;
        else if (!callee)
            callee = operand;
    }
    struct program *program = decoder->program;
    struct program_call *calls =
        grow(decoder, program->calls, program->call_count, &decoder->call_capacity, sizeof *calls);
    if (!calls || !callee)
        return false;
    program->calls = calls;
    struct program_call call = {.function = -1};
    if (!call_list(decoder, returns, &call.return_count, &call.returns, &call.return_bytes) ||
        !call_list(decoder, arguments, &call.argument_count, &call.arguments, &call.argument_bytes))
        return false;
    if (callee->kind == PTX_OPERAND_FUNCTION) {
        const struct ptx_function *target = &decoder->module->functions[callee->index];
        call.function = callee->index;
        out->kind = SIMT_CALL;
        if (target->is_declaration) {
            out->kind = SIMT_CALL_BUILTIN;
            if (!find_builtin(target->name, &call))
                return false;
        } else if (!program_call_fits(&call, target)) {
            return false;
        }
    } else if (callee->kind == PTX_OPERAND_REGISTER) {
        out->kind = SIMT_CALL_POINTER;
        decoder->function->calls_pointers = true;
        if (!decode_register(decoder, callee->index, false, &out->source[0]) ||
            out->source[0].stride != 8)
            return false;
    } else {
        return false;
    }
    if (out->kind != SIMT_CALL_BUILTIN)
        program->has_calls = true;
    out->extra = (uint32_t)program->call_count;
    program->calls[program->call_count++] = call;
    return true;
}

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

static bool decode_load_store(struct decoder *decoder, const struct ptx_instruction *in,
                              struct instruction *out)
{
    bool is_store = in->opcode == PTX_OP_ST;
    enum ptx_type type = first_type(in);
    if (in->operand_count < 2 || ptx_type_bytes(type) == 0 || ptx_type_bytes(type) > 8)
        return false;
    const struct ptx_operand *address = &in->operands[is_store ? 0 : 1];
    const struct ptx_operand *data = &in->operands[is_store ? 1 : 0];
    out->kind = is_store ? SIMT_STORE : SIMT_LOAD;
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
    return true;
}

/* The first REDUCTIONS are redux's too. */
enum { REDUCTIONS = 6, NO_OPERATION = 255 };
static const struct choice atomic_operations[] = {
    {PTX_MOD_ADD, ATOMIC_ADD},   {PTX_MOD_MIN, ATOMIC_MIN}, {PTX_MOD_MAX, ATOMIC_MAX},
    {PTX_MOD_AND, ATOMIC_AND},   {PTX_MOD_OR, ATOMIC_OR},   {PTX_MOD_XOR, ATOMIC_XOR},
    {PTX_MOD_EXCH, ATOMIC_EXCH}, {PTX_MOD_CAS, ATOMIC_CAS}, {PTX_MOD_INC, ATOMIC_INC},
    {PTX_MOD_DEC, ATOMIC_DEC},
};

static bool decode_atomic(struct decoder *decoder, const struct ptx_instruction *in,
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
    out->kind = SIMT_ATOMIC;
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

/* ---- Textures and surfaces ---- */

static const struct choice geometries[] = {
    {PTX_MOD_1D, GEOMETRY_1D},       {PTX_MOD_2D, GEOMETRY_2D},   {PTX_MOD_3D, GEOMETRY_3D},
    {PTX_MOD_A1D, GEOMETRY_A1D},     {PTX_MOD_A2D, GEOMETRY_A2D}, {PTX_MOD_CUBE, GEOMETRY_CUBE},
    {PTX_MOD_ACUBE, GEOMETRY_ACUBE},
};
/* Coordinates of each, with the layer. */
static const uint8_t coordinate_counts[] = {1, 2, 3, 2, 3, 3, 4};

/* The object, in a register: texture and surface variables are not there since CUDA 12. */
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

/* The first `count` operands of a vector of at least so many, of 32 bits, into the side table. */
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

/* tex.geometry.v4.type.ctype {d}, [object, {c}]; tex.level with a level, tex.grad with two slopes
 * behind; tld4.component. */
static bool decode_texture(struct decoder *decoder, const struct ptx_instruction *in,
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
        !ptx_has(in, PTX_MOD_V4) || (level == LEVEL_GRADIENT && geometry > GEOMETRY_3D))
        return false;
    struct texture_form form = {.geometry = geometry & 15,
                                .is_float = type == PTX_F32,
                                .is_gather = is_gather,
                                .component = is_gather ? CHOOSE(in, components, 0) & 3 : 0,
                                .level = level & 3};
    out->kind = SIMT_TEXTURE;
    out->bytes = 1;
    bool done = decode_elements(decoder, &in->operands[0], first_type(in), true, &out->extra,
                                &out->vector) &&
                out->vector == 4 &&
                decode_destination2(decoder, &in->operands[0], &out->destination2) &&
                take_object(decoder, &in->operands[1], out) &&
                append_words(decoder, &in->operands[2], type, coordinate_counts[geometry], &form);
    unsigned words = level == LEVEL_GIVEN ? 1 : coordinate_counts[geometry];
    for (unsigned i = 0; i < level && done; i++)
        done = append_words(decoder, &in->operands[3 + i], type, words, &form);
    set_form(out, form);
    return done;
}

static bool decode_texture_query(struct decoder *decoder, const struct ptx_instruction *in,
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
    out->kind = SIMT_TEXTURE_QUERY;
    set_form(out, (struct texture_form){.query = query & 15});
    return take_destination(decoder, in, PTX_B32, out) &&
           take_object(decoder, &in->operands[1], out);
}

/* suld.b.geometry.vec.type.outside {d}, [object, {c}]; sust the other way round; sured.op. */
static bool decode_surface(struct decoder *decoder, const struct ptx_instruction *in,
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
    out->kind = loads ? SIMT_SURFACE_LOAD : reduces ? SIMT_SURFACE_ATOMIC : SIMT_SURFACE_STORE;
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

static bool decode_copy_async(struct decoder *decoder, const struct ptx_instruction *in,
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
    if (ptx_has(in, PTX_MOD_BULK) || ptx_has(in, PTX_MOD_MBARRIER) || in->operand_count < 3 ||
        !ptx_has(in, PTX_MOD_ASYNC) || in->operands[2].kind != PTX_OPERAND_INTEGER)
        return false;
    int64_t bytes = in->operands[2].integer;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return false;
    struct instruction destination = {.space = PTX_SHARED};
    out->kind = SIMT_COPY_ASYNC;
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
    /* The optional fourth operand: bytes to copy (the rest is zero), or a predicate to ignore. */
    if (in->operand_count > 3) {
        const struct ptx_operand *size = &in->operands[3];
        if (!decode_source(decoder, size, PTX_U32, &out->source[2]))
            return false;
    }
    return true;
}

static bool decode_barrier(struct decoder *decoder, const struct ptx_instruction *in,
                           struct instruction *out)
{
    if (ptx_has(in, PTX_MOD_WARP)) {
        out->kind = SIMT_WARP_SYNC;
        return take_source(decoder, in, 0, PTX_U32, &out->source[0]);
    }
    if (ptx_has(in, PTX_MOD_CLUSTER))
        return false;
    bool is_red = ptx_has(in, PTX_MOD_RED), arrives = ptx_has(in, PTX_MOD_ARRIVE);
    static const struct choice reductions[] = {{PTX_MOD_POPC, BARRIER_RED_POPC},
                                               {PTX_MOD_AND, BARRIER_RED_AND}};
    out->kind = SIMT_BARRIER;
    out->control = arrives  ? BARRIER_ARRIVE
                   : is_red ? CHOOSE(in, reductions, BARRIER_RED_OR)
                            : BARRIER_SYNC;
    /* bar.sync is barrier.sync.aligned: all threads of a warp must come together. */
    out->immediate = in->opcode == PTX_OP_BAR || ptx_has(in, PTX_MOD_ALIGNED);
    /* [destination,] barrier [, threads] [, predicate] */
    enum ptx_type type = out->control == BARRIER_RED_POPC ? PTX_U32 : PTX_PRED;
    if (is_red && (in->operand_count < 3 || !take_destination(decoder, in, type, out)))
        return false;
    unsigned at = is_red ? 1 : 0;
    if (!take_source(decoder, in, at++, PTX_U32, &out->source[0]))
        return false;
    unsigned left = in->operand_count - at - (is_red ? 1u : 0u);
    if ((arrives && left != 1) ||
        (left == 1 && !take_source(decoder, in, at++, PTX_U32, &out->source[1])))
        return false;
    return !is_red || take_source(decoder, in, at, PTX_PRED, &out->source[2]);
}

static bool decode_mbarrier(struct decoder *decoder, const struct ptx_instruction *in,
                            struct instruction *out)
{
    static const struct choice operations[] = {
        {PTX_MOD_INIT, MBARRIER_INIT},      {PTX_MOD_INVAL, MBARRIER_INVAL},
        {PTX_MOD_ARRIVE, MBARRIER_ARRIVE},  {PTX_MOD_ARRIVE_DROP, MBARRIER_ARRIVE_DROP},
        {PTX_MOD_TEST_WAIT, MBARRIER_WAIT}, {PTX_MOD_TRY_WAIT, MBARRIER_WAIT},
    };
    unsigned operation = CHOOSE(in, operations, NO_OPERATION);
    bool waits = operation == MBARRIER_WAIT;
    bool arrives = operation == MBARRIER_ARRIVE || operation == MBARRIER_ARRIVE_DROP;
    if (operation == NO_OPERATION || ptx_has(in, PTX_MOD_EXPECT_TX) ||
        ptx_has(in, PTX_MOD_CLUSTER) || (in->space != PTX_SHARED && in->space != PTX_GENERIC))
        return false;
    out->kind = SIMT_MBARRIER;
    out->space = in->space;
    out->bytes = 8;
    out->vector = 1;
    out->flags = operation == MBARRIER_INIT ? 0 : SIMT_VOLATILE;
    out->control = waits && ptx_has(in, PTX_MOD_PARITY) ? MBARRIER_WAIT_PARITY : operation;
    if (arrives && in->operands[0].kind == PTX_OPERAND_SINK)
        out->flags |= SIMT_NO_RESULT;
    else if (waits || arrives)
        if (!take_destination(decoder, in, waits ? PTX_PRED : PTX_B64, out))
            return false;
    unsigned at = waits || arrives;
    if (in->operand_count <= at || !decode_address(decoder, &in->operands[at++], out))
        return false;
    /* A state; or a parity, or a number of arrivals, which one of them is without. */
    if (in->operand_count <= at)
        return arrives || operation == MBARRIER_INVAL;
    return take_source(decoder, in, at, out->control == MBARRIER_WAIT ? PTX_B64 : PTX_U32,
                       &out->source[1]);
}

static bool decode_shuffle(struct decoder *decoder, const struct ptx_instruction *in,
                           struct instruction *out)
{
    static const struct choice modes[] = {
        {PTX_MOD_UP, SHUFFLE_UP}, {PTX_MOD_DOWN, SHUFFLE_DOWN}, {PTX_MOD_BFLY, SHUFFLE_BFLY}};
    out->kind = SIMT_SHUFFLE;
    out->control = CHOOSE(in, modes, SHUFFLE_IDX);
    bool good = take_destination(decoder, in, PTX_B32, out);
    for (unsigned i = 0; good && i < (ptx_has(in, PTX_MOD_SYNC) ? 4u : 3u); i++)
        good = take_source(decoder, in, 1 + i, PTX_B32, &out->source[i]);
    return good;
}

static bool decode_vote(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out)
{
    static const struct choice modes[] = {
        {PTX_MOD_BALLOT, VOTE_BALLOT}, {PTX_MOD_ANY, VOTE_ANY}, {PTX_MOD_UNI, VOTE_UNI}};
    out->kind = SIMT_VOTE;
    out->control = CHOOSE(in, modes, VOTE_ALL);
    return take_destination(decoder, in, out->control == VOTE_BALLOT ? PTX_B32 : PTX_PRED, out) &&
           take_source(decoder, in, 1, PTX_PRED, &out->source[0]) &&
           (in->operand_count < 3 || take_source(decoder, in, 2, PTX_B32, &out->source[3]));
}

static bool decode_match(struct decoder *decoder, const struct ptx_instruction *in,
                         struct instruction *out)
{
    enum ptx_type type = last_type(in);
    out->kind = SIMT_MATCH;
    out->control = ptx_has(in, PTX_MOD_ALL);
    return type_stride(type) >= 4 && take_destination(decoder, in, PTX_B32, out) &&
           take_source(decoder, in, 1, type, &out->source[0]) &&
           take_source(decoder, in, 2, PTX_B32, &out->source[3]);
}

static bool decode_redux(struct decoder *decoder, const struct ptx_instruction *in,
                         struct instruction *out)
{
    out->kind = SIMT_REDUX;
    out->control = choose(in, atomic_operations, REDUCTIONS, NO_OPERATION);
    out->flags = ptx_type_is_signed(last_type(in)) ? SIMT_SIGNED : 0;
    return out->control != NO_OPERATION && !type_is_float(last_type(in)) &&
           take_destination(decoder, in, PTX_B32, out) &&
           take_source(decoder, in, 1, PTX_B32, &out->source[0]) &&
           take_source(decoder, in, 2, PTX_B32, &out->source[3]);
}

static bool decode_active_mask(struct decoder *decoder, const struct ptx_instruction *in,
                               struct instruction *out)
{
    out->kind = SIMT_ACTIVE_MASK;
    return take_destination(decoder, in, PTX_B32, out);
}

static bool decode_elect(struct decoder *decoder, const struct ptx_instruction *in,
                         struct instruction *out)
{
    out->kind = SIMT_ELECT;
    return take_destination(decoder, in, PTX_B32, out) &&
           take_source(decoder, in, 1, PTX_B32, &out->source[3]);
}

/* The local base plus a constant, if that is what a source means. */
static bool decode_local_address(struct decoder *decoder, const struct ptx_operand *source,
                                 struct instruction *out)
{
    struct place place;
    if (source->kind != PTX_OPERAND_VARIABLE || !find_place(decoder, source, &place) ||
        !place.is_local)
        return false;
    out->immediate += (int64_t)place.address;
    out->source[0] = local_base();
    return true;
}

static bool decode_convert_address(struct decoder *decoder, const struct ptx_instruction *in,
                                   struct instruction *out)
{
    enum ptx_type type = first_type(in);
    out->kind = SIMT_CONVERT_ADDRESS;
    out->space = in->space;
    out->flags |= ptx_has(in, PTX_MOD_TO) ? SIMT_TO_SPACE : 0;
    out->immediate = (int64_t)space_window((enum ptx_space)in->space);
    return in->operand_count >= 2 && type_stride(type) == 8 &&
           take_destination(decoder, in, type, out) &&
           (decode_local_address(decoder, &in->operands[1], out) ||
            take_source(decoder, in, 1, type, &out->source[0]));
}

static bool decode_is_space(struct decoder *decoder, const struct ptx_instruction *in,
                            struct instruction *out)
{
    out->kind = SIMT_IS_SPACE;
    out->space = in->space;
    return take_destination(decoder, in, PTX_PRED, out) &&
           take_source(decoder, in, 1, PTX_U64, &out->source[0]);
}

/* Moves that are no arithmetic: packing, unpacking, clocks, local addresses. */
static bool decode_move_parts(struct decoder *decoder, const struct ptx_instruction *in,
                              bool unpack)
{
    const struct ptx_operand *vector = &in->operands[unpack ? 0 : 1];
    const struct ptx_operand *whole = &in->operands[unpack ? 1 : 0];
    const struct ptx_operand *elements = &decoder->source->vector_operands[vector->index];
    enum ptx_type type = first_type(in);
    unsigned bytes = ptx_type_bytes(type), count = vector->vector_count;
    if (count < 2 || bytes == 0 || bytes > 8 || bytes % count != 0 || bytes / count < 2)
        return false;
    unsigned part_bytes = bytes / count;
    enum ptx_type part_type = part_bytes == 4 ? PTX_B32 : PTX_B16;
    for (unsigned part = 0; part < count; part++) {
        struct alu_operation operation;
        bool selected = alu_select_part(!unpack, bytes, part_bytes, part, &operation);
        if (unpack && elements[part].kind == PTX_OPERAND_SINK)
            continue;
        struct instruction *out = decode_emit(decoder, in);
        if (!out || !selected)
            return false;
        out->kind = SIMT_ALU;
        out->handler = operation.handler;
        out->control = operation.control;
        struct operand destination = {0}, source = {0};
        bool done = unpack
                        ? decode_destination(decoder, &elements[part], part_type, &destination) &&
                              decode_source(decoder, whole, type, &source)
                        : decode_destination(decoder, whole, type, &destination) &&
                              decode_source(decoder, &elements[part], part_type, &source);
        unsigned destination_stride = type_stride(unpack ? part_type : type);
        unsigned source_stride = type_stride(unpack ? type : part_type);
        if (!done || destination.stride != destination_stride || source.stride != source_stride)
            return false;
        out->destination = destination;
        out->source[0] = source;
    }
    return true;
}

static bool is_clock(const struct ptx_operand *operand)
{
    if (operand->kind != PTX_OPERAND_SPECIAL)
        return false;
    switch (operand->index) {
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        return true;
    default:
        return false;
    }
}

static bool decode_alu(struct decoder *decoder, const struct ptx_instruction *in,
                       struct instruction *out)
{
    struct alu_operation operation = {0};
    if (!alu_select(in, &operation))
        return false;
    out->kind = SIMT_ALU;
    out->handler = operation.handler;
    out->control = operation.control;
    if (in->operand_count < 1u + operation.source_count)
        return false;
    if (!decode_destination(decoder, &in->operands[0], operation.destination_type,
                            &out->destination) ||
        !decode_destination2(decoder, &in->operands[0], &out->destination2))
        return false;
    bool exact = !operation.any_stride;
    unsigned wanted = type_stride(operation.destination_type);
    if (exact ? out->destination.stride != wanted : (out->destination.stride == 0) != (wanted == 0))
        return false;
    for (unsigned i = 0; i < operation.source_count; i++) {
        enum ptx_type type = operation.source_type[i];
        if (!decode_source(decoder, &in->operands[1 + i], type, &out->source[i]))
            return false;
        unsigned stride = type_stride(type);
        if (exact ? out->source[i].stride != stride : (out->source[i].stride == 0) != (stride == 0))
            return false;
        if (out->source[i].negated && stride != 0)
            return false;
    }
    return true;
}

static bool decode_move(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out)
{
    if (in->operand_count < 2)
        return false;
    if (is_clock(&in->operands[1])) {
        out->kind = SIMT_CLOCK;
        out->control = (uint32_t)in->operands[1].index;
        return decode_destination(decoder, &in->operands[0], first_type(in), &out->destination) &&
               out->destination.stride >= 4;
    }
    if (decode_local_address(decoder, &in->operands[1], out)) {
        out->kind = SIMT_CONVERT_ADDRESS;
        return take_destination(decoder, in, PTX_U64, out);
    }
    return decode_alu(decoder, in, out);
}

typedef bool decode_one(struct decoder *, const struct ptx_instruction *, struct instruction *);

static const struct {
    uint16_t opcode;
    decode_one *decode;
} decoders[] = {
    {PTX_OP_BRA, decode_branch},
    {PTX_OP_BRX, decode_branch_index},
    {PTX_OP_RET, decode_return},
    {PTX_OP_EXIT, decode_return},
    {PTX_OP_TRAP, decode_trap},
    {PTX_OP_BRKPT, decode_trap},
    {PTX_OP_CALL, decode_call},
    {PTX_OP_LD, decode_load_store},
    {PTX_OP_LDU, decode_load_store},
    {PTX_OP_ST, decode_load_store},
    {PTX_OP_ATOM, decode_atomic},
    {PTX_OP_RED, decode_atomic},
    {PTX_OP_TEX, decode_texture},
    {PTX_OP_TLD4, decode_texture},
    {PTX_OP_TXQ, decode_texture_query},
    {PTX_OP_SUQ, decode_texture_query},
    {PTX_OP_SULD, decode_surface},
    {PTX_OP_SUST, decode_surface},
    {PTX_OP_SURED, decode_surface},
    {PTX_OP_CP, decode_copy_async},
    {PTX_OP_BAR, decode_barrier},
    {PTX_OP_BARRIER, decode_barrier},
    {PTX_OP_SHFL, decode_shuffle},
    {PTX_OP_VOTE, decode_vote},
    {PTX_OP_MATCH, decode_match},
    {PTX_OP_REDUX, decode_redux},
    {PTX_OP_ACTIVEMASK, decode_active_mask},
    {PTX_OP_ELECT, decode_elect},
    {PTX_OP_CVTA, decode_convert_address},
    {PTX_OP_ISSPACEP, decode_is_space},
    {PTX_OP_MOV, decode_move},
    {PTX_OP_MBARRIER, decode_mbarrier},
    {PTX_OP_MEMBAR, decode_nop},
    {PTX_OP_FENCE, decode_nop},
    {PTX_OP_PREFETCH, decode_nop},
    {PTX_OP_PREFETCHU, decode_nop},
    {PTX_OP_NANOSLEEP, decode_nop},
    {PTX_OP_PMEVENT, decode_nop},
    {PTX_OP_DISCARD, decode_nop},
    {PTX_OP_APPLYPRIORITY, decode_nop},
    {PTX_OP_GRIDDEPCONTROL, decode_nop},
};

/* Those that decode_matrix makes several of. */
static bool is_matrix(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_MMA || in->opcode == PTX_OP_WMMA || in->opcode == PTX_OP_LDMATRIX ||
           in->opcode == PTX_OP_STMATRIX || in->opcode == PTX_OP_MOVMATRIX;
}

static void decode_instruction(struct decoder *decoder, const struct ptx_instruction *in)
{
    size_t first = decoder->function->code_count;
    bool is_known = !ptx_has(in, PTX_MOD_UNKNOWN);
    bool is_parts =
        in->opcode == PTX_OP_MOV && in->operand_count == 2 &&
        (in->operands[0].kind == PTX_OPERAND_VECTOR || in->operands[1].kind == PTX_OPERAND_VECTOR);
    if (is_parts && decode_move_parts(decoder, in, in->operands[0].kind == PTX_OPERAND_VECTOR))
        return;
    if (is_matrix(in) && is_known && decode_matrix(decoder, in))
        return;
    decoder->function->code_count = first;
    struct instruction *out = decode_emit(decoder, in);
    if (!out || out->kind == SIMT_UNSUPPORTED)
        return;
    decode_one *decode = decode_alu;
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders; i++)
        if (decoders[i].opcode == in->opcode)
            decode = decoders[i].decode;
    bool done = is_known && !is_matrix(in) && decode(decoder, in, out);
    if (!done) {
        struct operand guard = out->guard;
        *out = (struct instruction){.opcode = in->opcode,
                                    .number = decoder->number,
                                    .kind = SIMT_UNSUPPORTED,
                                    .guard = guard};
    }
}

/* ---- Layout ---- */

/* Places for parameters: an entry's in its parameter buffer, a function's, its returns' and its
 * calls' in the lane's parameter block. */
static bool layout_parameters(struct decoder *decoder)
{
    const struct ptx_function *source = decoder->source;
    struct program_function *function = decoder->function;
    function->parameter_offsets =
        program_allocate(decoder->program, source->parameter_count + 1, sizeof(uint32_t));
    function->return_offsets =
        program_allocate(decoder->program, source->return_count + 1, sizeof(uint32_t));
    if (!function->parameter_offsets || !function->return_offsets)
        return false;
    uint64_t at = 0;
    for (size_t i = 0; i < source->parameter_count; i++) {
        at = align_up(at, source->parameters[i].align);
        function->parameter_offsets[i] = (uint32_t)at;
        at += source->parameters[i].bytes;
    }
    if (source->is_entry) {
        function->kernel_params_bytes = at;
        at = 0;
    }
    for (size_t i = 0; i < source->return_count; i++) {
        at = align_up(at, source->returns[i].align);
        function->return_offsets[i] = (uint32_t)at;
        at += source->returns[i].bytes;
    }
    for (size_t i = 0; i < source->variable_count; i++) {
        const struct ptx_variable *variable = &source->variables[i];
        if (variable->space != PTX_PARAM)
            continue;
        /* On an entry, offsets of call parameters must differ from the buffer's: they live in the
         * lane's block, and are told apart by scope. */
        at = align_up(at, variable->align);
        decoder->variable_offsets[i] = at;
        at += variable->bytes;
    }
    function->params_bytes = (uint32_t)align_up(at, 16);
    return at < MAX_LOCAL_BYTES && function->kernel_params_bytes < MAX_LOCAL_BYTES;
}

static bool layout_variables(struct decoder *decoder, uint64_t *shared)
{
    const struct ptx_function *source = decoder->source;
    uint64_t local = 0;
    for (size_t i = 0; i < source->variable_count; i++) {
        const struct ptx_variable *variable = &source->variables[i];
        uint64_t *at = variable->space == PTX_LOCAL ? &local : shared;
        if (variable->space == PTX_SHARED && variable->is_extern)
            continue;
        if (variable->space != PTX_LOCAL && variable->space != PTX_SHARED)
            continue;
        *at = align_up(*at, variable->align);
        decoder->variable_offsets[i] = *at;
        *at += variable->bytes;
    }
    decoder->function->local_bytes = (uint32_t)align_up(local, 16);
    return local <= MAX_LOCAL_BYTES && *shared <= MAX_SHARED_BYTES;
}

/* The special registers that the function reads, then its own. */
static bool layout_frame(struct decoder *decoder)
{
    const struct ptx_function *source = decoder->source;
    struct program_function *function = decoder->function;
    decoder->frame_bytes = FRAME_FIRST_REGISTER;
    for (int special = 0; special < PTX_SPECIAL_COUNT; special++)
        decoder->special_offsets[special] = -1;
    function->specials =
        program_allocate(decoder->program, PTX_SPECIAL_COUNT, sizeof *function->specials);
    if (!function->specials)
        return false;
    uint64_t scratch_bytes = 0;
    for (size_t i = 0; i < source->instruction_count; i++) {
        unsigned wanted = matrix_scratch_bytes(&source->instructions[i]);
        scratch_bytes = wanted > scratch_bytes ? wanted : scratch_bytes;
        for (unsigned k = 0; k < source->instructions[i].operand_count; k++) {
            const struct ptx_operand *operand = &source->instructions[i].operands[k];
            if (operand->kind != PTX_OPERAND_SPECIAL || operand->index < 0 ||
                operand->index >= PTX_SPECIAL_COUNT || is_clock(operand) ||
                decoder->special_offsets[operand->index] >= 0)
                continue;
            uint32_t offset = frame_reserve(decoder, 4);
            decoder->special_offsets[operand->index] = offset;
            function->specials[function->special_count++] = (struct program_special){
                .special = (enum ptx_special)operand->index, .offset = offset};
        }
    }
    decoder->frame_bytes = align_up(decoder->frame_bytes, 64);
    decoder->matrix_scratch = (uint32_t)decoder->frame_bytes;
    decoder->frame_bytes += scratch_bytes;
    function->registers_begin = (uint32_t)decoder->frame_bytes;
    if (!simt_allocate_registers(source, decoder->register_offsets, &decoder->frame_bytes)) {
        decoder->out_of_memory = true;
        return false;
    }
    decoder->frame_bytes = align_up(decoder->frame_bytes, 64);
    function->frame_bytes = (uint32_t)decoder->frame_bytes;
    return decoder->frame_bytes <= MAX_FRAME_BYTES;
}

/* Branch targets and reconvergence points, from PTX numbers to decoded ones. */
static bool patch_targets(struct decoder *decoder)
{
    struct program_function *function = decoder->function;
    size_t count = decoder->source->instruction_count;
    for (size_t i = 0; i < function->code_count; i++) {
        struct instruction *instruction = &function->code[i];
        if (instruction->kind != SIMT_BRANCH && instruction->kind != SIMT_BRANCH_INDEX)
            continue;
        if (instruction->target > count || instruction->reconverge > count)
            return false;
        if (instruction->kind == SIMT_BRANCH)
            instruction->target = function->first_of[instruction->target];
        instruction->reconverge = function->first_of[instruction->reconverge];
    }
    return true;
}

/* Falling off the end of a function returns. */
static void append_end(struct decoder *decoder)
{
    struct ptx_instruction end = {.opcode = PTX_OP_RET};
    if (decoder->source->instruction_count)
        decoder->number = (uint32_t)decoder->source->instruction_count - 1;
    struct instruction *out = decode_emit(decoder, &end);
    if (out)
        decode_return(decoder, &end, out);
}

static bool decode_body(struct decoder *decoder, uint64_t shared, struct failure *failure)
{
    const struct ptx_function *source = decoder->source;
    struct program_function *function = decoder->function;
    function->source = source;
    decoder->variable_offsets = calloc(source->variable_count + 1, sizeof(uint64_t));
    decoder->register_offsets = calloc(source->register_count + 1, sizeof(uint32_t));
    function->first_of =
        program_allocate(decoder->program, source->instruction_count + 1, sizeof(uint32_t));
    bool done = false;
    if (!decoder->variable_offsets || !decoder->register_offsets || !function->first_of) {
        decoder->out_of_memory = true;
    } else if (!layout_parameters(decoder) || !layout_variables(decoder, &shared) ||
               !layout_frame(decoder)) {
        if (!decoder->out_of_memory)
            failure_student(
                failure, STATUS_UNSUPPORTED,
                "function %s needs more registers, parameters, local or shared memory than "
                "the emulator gives",
                source->name);
    } else {
        for (uint32_t i = 0; i < source->instruction_count && !decoder->out_of_memory; i++) {
            decoder->number = i;
            function->first_of[i] = (uint32_t)function->code_count;
            decode_instruction(decoder, &source->instructions[i]);
        }
        function->first_of[source->instruction_count] = (uint32_t)function->code_count;
        append_end(decoder);
        done = !decoder->out_of_memory;
        if (done && !patch_targets(decoder))
            done = failure_student(failure, STATUS_COMPILE_ERROR,
                                   "function %s branches outside itself", source->name);
        if (done && !fuse_shared_loads(function)) {
            decoder->out_of_memory = true;
            done = false;
        }
    }
    free(decoder->variable_offsets);
    free(decoder->register_offsets);
    free(decoder->entries);
    decoder->entries = NULL;
    struct program *program = decoder->program;
    bool adopted =
        program_adopt(program, &function->code, function->code_count * sizeof *function->code);
    adopted &= program_adopt(program, &function->operands,
                             function->operand_count * sizeof *function->operands);
    adopted &= program_adopt(program, &function->pool, function->pool_bytes);
    if (decoder->out_of_memory || !adopted)
        return failure_harness(failure, "not enough memory to decode function %s", source->name);
    return done;
}

bool decode_function(struct program *program, size_t index, struct decode_layout *layout,
                     struct failure *failure)
{
    struct decoder decoder = {.program = program,
                              .module = program->module,
                              .source = &program->module->functions[index],
                              .function = &program->functions[index],
                              .module_offsets = layout->variables,
                              .dynamic_shared = program->dynamic_shared,
                              .call_capacity = layout->call_capacity};
    bool done = decode_body(&decoder, layout->shared, failure);
    layout->call_capacity = decoder.call_capacity;
    return done;
}
