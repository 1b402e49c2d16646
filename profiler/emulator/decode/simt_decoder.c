/* simt_decoder.c: from PTX instructions to decoded ones.
 *
 * Registers get places in the frame (simt_allocate.h), immediates and addresses places in the
 * constant pool, and a table from opcode to decoder fills in the rest. What no decoder takes is
 * asked of the arithmetic (alu_select); what that refuses becomes SIMT_UNSUPPORTED.
 */
#include "emulator/decode/simt_decoder.h"

#include "emulator/decode/decoding.h"
#include "emulator/decode/read_uses.h"
#include "emulator/decode/simt_fuse.h"
#include "emulator/decode/simt_invariant.h"

#include "emulator/alu/alu.h"
#include "emulator/decode/simt_allocate.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_FRAME_BYTES = 32 << 20,
    MAX_LOCAL_BYTES = 512 << 10, /* the PTX ISA's limit of local memory per thread */
    MAX_SHARED_BYTES = 16 << 20,
};

/* ---- Moves and arithmetic ---- */

static bool decode_nop(struct decoder *decoder, const struct ptx_instruction *in,
                       struct instruction *out)
{
    (void)decoder, (void)in;
    out->kind = SIMT_NOP;
    return true;
}

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

/* A clock goes into its place in the frame before the instruction that reads it. */
static bool decode_clock(struct decoder *decoder, const struct ptx_instruction *in,
                         const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        bool done = true;
        for (int i = 0; i < operand->vector_count; i++)
            done &=
                decode_clock(decoder, in, &decoder->source->vector_operands[operand->index + i]);
        return done;
    }
    if (!is_clock(operand))
        return true;
    struct instruction *out = decode_emit(decoder, in);
    if (!out || out->kind == SIMT_UNSUPPORTED ||
        !decode_source(decoder, operand, PTX_NONE, &out->destination))
        return false;
    out->kind = SIMT_CLOCK;
    out->control = (uint32_t)operand->index;
    decoder->function->reads_clock = true;
    decoder->function->waits_for_clock |=
        read_use_find(decoder->source, decoder->number) == READ_TESTED;
    return true;
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
    out->immediate = operation.immediate;
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

/* lop3.or.b32 d|p, a, b, c, table, q: a lop3, and p = (d != 0) or q. */
static bool decode_logic_test(struct decoder *decoder, const struct ptx_instruction *in)
{
    struct ptx_instruction logic = *in, test = {.opcode = PTX_OP_SETP};
    struct instruction *out = decode_emit(decoder, in);
    logic.modifier_count = 0;
    logic.operands[0].second = PTX_SECOND_NONE;
    if (!out || in->modifier_count != 1 || in->operand_count != 6 ||
        in->operands[0].second == PTX_SECOND_NONE || !decode_alu(decoder, &logic, out))
        return false;
    struct operand value = out->destination;
    test.modifiers[test.modifier_count++] = PTX_MOD_NE;
    test.modifiers[test.modifier_count++] = in->modifiers[0];
    test.types[test.type_count++] = PTX_B32;
    test.operand_count = 4;
    test.operands[0] = (struct ptx_operand){
        .kind = PTX_OPERAND_REGISTER, .index = in->operands[0].second, .second = PTX_SECOND_NONE};
    if (in->operands[0].second == PTX_SECOND_SINK)
        return true;
    test.operands[1] = test.operands[2] = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER};
    test.operands[3] = in->operands[5];
    out = decode_emit(decoder, in);
    if (!out || !decode_alu(decoder, &test, out))
        return false;
    out->source[0] = value;
    return true;
}

/* createpolicy: for caches that are not modelled so closely; all policies are the same. */
static bool decode_policy(struct decoder *decoder, const struct ptx_instruction *in,
                          struct instruction *out)
{
    struct ptx_instruction move = {.opcode = PTX_OP_MOV,
                                   .type_count = 1,
                                   .types = {PTX_B64},
                                   .operand_count = 2,
                                   .operands = {in->operands[0], {.kind = PTX_OPERAND_INTEGER}}};
    return in->operand_count >= 1 && decode_alu(decoder, &move, out);
}

static bool decode_move(struct decoder *decoder, const struct ptx_instruction *in,
                        struct instruction *out)
{
    if (in->operand_count < 2)
        return false;
    if (decode_local_address(decoder, &in->operands[1], out)) {
        out->kind = SIMT_CONVERT_ADDRESS;
        return take_destination(decoder, in, PTX_U64, out);
    }
    return decode_alu(decoder, in, out);
}

/* mov.v4.u32 {a, b, c, d}, %tid: the fourth is 0. */
static bool decode_move_vector(struct decoder *decoder, const struct ptx_instruction *in)
{
    const struct ptx_operand *vector = &in->operands[0], *source = &in->operands[1];
    struct ptx_instruction move = *in;
    if (source->vector_count != 4 || vector->vector_count != 4 || in->modifier_count != 1 ||
        !ptx_has(in, PTX_MOD_V4))
        return false;
    move.modifier_count = 0;
    for (int i = 0; i < 4; i++) {
        struct instruction *out = decode_emit(decoder, in);
        move.operands[0] = decoder->source->vector_operands[vector->index + i];
        move.operands[1] =
            i < 3 ? (struct ptx_operand){.kind = PTX_OPERAND_SPECIAL, .index = source->index + i}
                  : (struct ptx_operand){.kind = PTX_OPERAND_INTEGER};
        if (!out || !decode_alu(decoder, &move, out))
            return false;
    }
    return true;
}

/* ---- The table ---- */

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
    {PTX_OP_CREATEPOLICY, decode_policy},
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
    bool is_known = !ptx_has(in, PTX_MOD_UNKNOWN);
    for (unsigned i = 0; i < in->operand_count; i++)
        is_known = is_known && decode_clock(decoder, in, &in->operands[i]);
    size_t first = decoder->function->code_count;
    bool is_parts =
        in->opcode == PTX_OP_MOV && in->operand_count == 2 &&
        (in->operands[0].kind == PTX_OPERAND_VECTOR || in->operands[1].kind == PTX_OPERAND_VECTOR);
    if (is_parts && in->operands[1].kind == PTX_OPERAND_SPECIAL && decode_move_vector(decoder, in))
        return;
    if (is_parts && decode_move_parts(decoder, in, in->operands[0].kind == PTX_OPERAND_VECTOR))
        return;
    if (is_matrix(in) && is_known && decode_matrix(decoder, in))
        return;
    bool tests = in->opcode == PTX_OP_LOP3 && in->modifier_count;
    if (tests && is_known && decode_logic_test(decoder, in))
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

/* Reserve LANES lanes of `stride` bytes in the frame. */
static uint32_t frame_reserve(struct decoder *decoder, unsigned stride)
{
    uint64_t offset = decoder->frame_bytes;
    decoder->frame_bytes += stride ? (uint64_t)LANES * stride : 4;
    return (uint32_t)offset;
}

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

/* Places for the special registers that an operand reads: what the warp fills them with when it
 * starts, or what the instruction before reads from a clock. */
static void place_specials(struct decoder *decoder, const struct ptx_operand *operand)
{
    struct program_function *function = decoder->function;
    int last = operand->index + (operand->vector_count ? 2 : 0);
    if (operand->kind != PTX_OPERAND_SPECIAL)
        return;
    for (int special = operand->index; special >= 0 && special <= last; special++) {
        if (special >= PTX_SPECIAL_COUNT || decoder->special_offsets[special] >= 0)
            continue;
        uint32_t offset = frame_reserve(decoder, special_stride(special));
        decoder->special_offsets[special] = offset;
        if (!is_clock(operand))
            function->specials[function->special_count++] =
                (struct program_special){.special = (enum ptx_special)special, .offset = offset};
    }
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
        for (unsigned k = 0; k < source->instructions[i].operand_count; k++)
            place_specials(decoder, &source->instructions[i].operands[k]);
    }
    for (size_t i = 0; i < source->vector_operand_count; i++)
        place_specials(decoder, &source->vector_operands[i]);
    decoder->frame_bytes = align_up(decoder->frame_bytes, 64);
    decoder->matrix_scratch = (uint32_t)decoder->frame_bytes;
    decoder->frame_bytes += scratch_bytes;
    function->registers_begin = (uint32_t)decoder->frame_bytes;
    uint64_t invariant_begin;
    if (!simt_allocate_registers(source, decoder->register_offsets, &decoder->frame_bytes,
                                 invariant_find, decoder->invariant, &invariant_begin)) {
        decoder->out_of_memory = true;
        return false;
    }
    function->invariant_begin = (uint32_t)invariant_begin;
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

static void note_register_read(void *context, int32_t number, bool is_write)
{
    bool *read = context;
    read[number] |= !is_write;
}

/* Atomic operations whose result no instruction reads have none, as assemblers see it. */
static void drop_unread_results(struct decoder *decoder)
{
    const struct ptx_function *source = decoder->source;
    bool *read = calloc(source->register_count + 1, sizeof *read);
    for (size_t i = 0; read && i < source->instruction_count; i++)
        registers_visit(source, &source->instructions[i], note_register_read, read);
    for (size_t i = 0; read && i < source->instruction_count; i++) {
        const struct ptx_instruction *in = &source->instructions[i];
        struct instruction *decoded = &decoder->function->code[decoder->function->first_of[i]];
        if (decoded->kind == SIMT_ATOMIC && in->operands[0].kind == PTX_OPERAND_REGISTER &&
            !read[in->operands[0].index])
            decoded->flags |= SIMT_NO_RESULT;
    }
    free(read);
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
    decoder->invariant = calloc(source->register_count + 1, sizeof *decoder->invariant);
    function->first_of =
        program_allocate(decoder->program, source->instruction_count + 1, sizeof(uint32_t));
    bool done = false;
    if (!decoder->variable_offsets || !decoder->register_offsets || !decoder->invariant ||
        !function->first_of) {
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
            unsigned capability = ptx_capability(&source->instructions[i]);
            if (capability > function->capability)
                function->capability = capability;
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
        if (done) {
            drop_unread_results(decoder);
            invariant_number(function, decoder->invariant);
        }
    }
    free(decoder->variable_offsets);
    free(decoder->register_offsets);
    free(decoder->invariant);
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

bool decode_function(struct program *program, size_t index, const struct decode_layout *layout,
                     struct failure *failure)
{
    struct decoder decoder = {.program = program,
                              .module = program->module,
                              .source = &program->module->functions[index],
                              .function = &program->functions[index],
                              .module_offsets = layout->variables,
                              .dynamic_shared = program->dynamic_shared};
    return decode_body(&decoder, layout->shared, failure);
}
