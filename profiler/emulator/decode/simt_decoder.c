/* simt_decoder.c: decode the instructions of a function (simt_decode.h). */
#include "emulator/alu/alu.h"
#include "emulator/decode/decoding.h"
#include "emulator/decode/read_uses.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_FRAME_BYTES = 32 << 20,
    MAX_LOCAL_BYTES = 512 << 10, /* CUDA's limit of local memory per thread. */
    MAX_SHARED_BYTES = 16 << 20,
};

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
    out->space = in->space;
    out->flags |= ptx_has(in, PTX_MOD_TO) ? SIMT_TO_SPACE : 0;
    out->immediate = (int64_t)space_window((enum ptx_space)in->space);
    return in->operand_count >= 2 && type_stride(type) == 8 &&
           take_destination(decoder, in, type, out) &&
           (decode_local_address(decoder, &in->operands[1], out) ||
            take_source(decoder, in, 1, type, &out->source[0]));
}

static bool decode_move_parts(struct decoder *decoder, const struct ptx_instruction *in,
                              bool unpack)
{
    const struct ptx_operand *vector = &in->operands[unpack ? 0 : 1];
    const struct ptx_operand *whole = &in->operands[unpack ? 1 : 0];
    const struct ptx_operand *elements = &decoder->source->vector_operands[vector->index];
    enum ptx_type type = first_type(in);
    unsigned bytes = ptx_type_bytes(type), count = vector->vector_count;
    if (count < 2 || bytes == 0 || bytes > 8 || bytes % count != 0)
        return false;
    unsigned part_bytes = bytes / count;
    enum ptx_type part_type = part_bytes == 4 ? PTX_B32 : part_bytes == 2 ? PTX_B16 : PTX_B8;
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
    return operand->kind == PTX_OPERAND_SPECIAL && operand->index >= PTX_SPECIAL_CLOCK &&
           operand->index <= PTX_SPECIAL_GLOBALTIMER_HI;
}

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
    decoder->function->traits |= PROGRAM_READS_CLOCK;
    if (read_use_find(decoder->source, decoder->number) == READ_TESTED)
        decoder->function->traits |= PROGRAM_WAITS_FOR_CLOCK;
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
    unsigned required = type_stride(operation.destination_type);
    if (exact ? out->destination.stride != required
              : (out->destination.stride == 0) != (required == 0))
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

/* Decode lop3.or.b32 d|p, a, b, c, table, q to lop3, followed by p = (d != 0) or q. */
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

/* Decode a new cache policy to a constant, because the model of the caches has no policies. */
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

/* Columns: opcode, kind, decoder (or NULL), type of the destination (PTX_NONE if the decoder
 * decodes all operands), type of source 0 (or PTX_NONE), true if a mask of lanes follows. */
static const struct decode_row {
    uint16_t opcode, kind;
    decode_one *decode;
    enum ptx_type destination, source;
    bool has_mask;
} decoders[] = {
    {PTX_OP_BRA, SIMT_BRANCH, decode_branch, 0, 0, false},
    {PTX_OP_BRX, SIMT_BRANCH_INDEX, decode_branch_index, 0, 0, false},
    {PTX_OP_RET, SIMT_RETURN, decode_return, 0, 0, false},
    {PTX_OP_EXIT, SIMT_EXIT, NULL, 0, 0, false},
    {PTX_OP_TRAP, SIMT_TRAP, NULL, 0, 0, false},
    {PTX_OP_BRKPT, SIMT_TRAP, NULL, 0, 0, false},
    {PTX_OP_CALL, SIMT_CALL, decode_call, 0, 0, false},
    {PTX_OP_LD, SIMT_LOAD, decode_load_store, 0, 0, false},
    {PTX_OP_LDU, SIMT_LOAD, decode_load_store, 0, 0, false},
    {PTX_OP_ST, SIMT_STORE, decode_load_store, 0, 0, false},
    {PTX_OP_ATOM, SIMT_ATOMIC, decode_atomic, 0, 0, false},
    {PTX_OP_RED, SIMT_ATOMIC, decode_atomic, 0, 0, false},
    {PTX_OP_TEX, SIMT_TEXTURE, decode_texture, 0, 0, false},
    {PTX_OP_TLD4, SIMT_TEXTURE, decode_texture, 0, 0, false},
    {PTX_OP_TXQ, SIMT_TEXTURE_QUERY, decode_texture_query, 0, 0, false},
    {PTX_OP_SUQ, SIMT_TEXTURE_QUERY, decode_texture_query, 0, 0, false},
    {PTX_OP_SULD, SIMT_SURFACE_LOAD, decode_surface, 0, 0, false},
    {PTX_OP_SUST, SIMT_SURFACE_STORE, decode_surface, 0, 0, false},
    {PTX_OP_SURED, SIMT_SURFACE_ATOMIC, decode_surface, 0, 0, false},
    {PTX_OP_CP, SIMT_COPY_ASYNC, decode_copy_async, 0, 0, false},
    {PTX_OP_BAR, SIMT_BARRIER, decode_barrier, 0, 0, false},
    {PTX_OP_BARRIER, SIMT_BARRIER, decode_barrier, 0, 0, false},
    {PTX_OP_SHFL, SIMT_SHUFFLE, decode_shuffle, 0, 0, false},
    {PTX_OP_VOTE, SIMT_VOTE, decode_vote, 0, 0, false},
    {PTX_OP_MATCH, SIMT_MATCH, decode_match, 0, 0, false},
    {PTX_OP_REDUX, SIMT_REDUX, decode_redux, PTX_B32, PTX_B32, true},
    {PTX_OP_ACTIVEMASK, SIMT_ACTIVE_MASK, NULL, PTX_B32, 0, false},
    {PTX_OP_ELECT, SIMT_ELECT, NULL, PTX_B32, 0, true},
    {PTX_OP_CVTA, SIMT_CONVERT_ADDRESS, decode_convert_address, 0, 0, false},
    {PTX_OP_ISSPACEP, SIMT_IS_SPACE, NULL, PTX_PRED, PTX_U64, false},
    {PTX_OP_MOV, SIMT_ALU, decode_move, 0, 0, false},
    {PTX_OP_CREATEPOLICY, SIMT_ALU, decode_policy, 0, 0, false},
    {PTX_OP_MBARRIER, SIMT_MBARRIER, decode_mbarrier, 0, 0, false},
    {PTX_OP_MEMBAR, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_FENCE, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_PREFETCH, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_PREFETCHU, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_NANOSLEEP, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_PMEVENT, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_DISCARD, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_APPLYPRIORITY, SIMT_NOP, NULL, 0, 0, false},
    {PTX_OP_GRIDDEPCONTROL, SIMT_NOP, NULL, 0, 0, false},
};

static bool decode_by_table(struct decoder *decoder, const struct ptx_instruction *in,
                            struct instruction *out)
{
    const struct decode_row *row = decoders, *end = row + sizeof decoders / sizeof *decoders;
    while (row < end && row->opcode != in->opcode)
        row++;
    if (row == end)
        return decode_alu(decoder, in, out);
    out->kind = row->kind;
    if (row->decode && !row->decode(decoder, in, out))
        return false;
    if (row->destination == PTX_NONE)
        return true;
    unsigned at = 1;
    out->space = in->space;
    return take_destination(decoder, in, row->destination, out) &&
           (!row->source || take_source(decoder, in, at++, row->source, &out->source[0])) &&
           (!row->has_mask || take_source(decoder, in, at, PTX_B32, &out->source[3]));
}

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
    if (!is_known || is_matrix(in) || !decode_by_table(decoder, in, out)) {
        struct operand guard = out->guard;
        *out = (struct instruction){.opcode = in->opcode,
                                    .number = decoder->number,
                                    .kind = SIMT_UNSUPPORTED,
                                    .guard = guard};
    }
}

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
        at = align_up(at, variable->align);
        function->variable_offsets[i] = at;
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
        decoder->function->variable_offsets[i] = *at;
        *at += variable->bytes;
    }
    decoder->function->local_bytes = (uint32_t)align_up(local, 16);
    return local <= MAX_LOCAL_BYTES && *shared <= MAX_SHARED_BYTES;
}

/* Reserve places for special registers. SIMT_CLOCK sets clocks, and frame_begin sets all others. */
static void place_specials(struct decoder *decoder, const struct ptx_operand *operand)
{
    struct program_function *function = decoder->function;
    int last = operand->index + (operand->vector_count ? 2 : 0);
    if (operand->kind != PTX_OPERAND_SPECIAL)
        return;
    for (int special = operand->index; special >= 0 && special <= last; special++) {
        if (special >= PTX_SPECIAL_COUNT || decoder->special_offsets[special] >= 0)
            continue;
        uint32_t offset = (uint32_t)decoder->frame_bytes;
        decoder->frame_bytes += LANES * special_stride(special);
        decoder->special_offsets[special] = offset;
        if (special >= PTX_SPECIAL_RESERVED_SMEM_BEGIN && special <= PTX_SPECIAL_RESERVED_SMEM_1)
            function->traits |= PROGRAM_READS_RESERVED;
        if (!is_clock(operand))
            function->specials[function->special_count++] =
                (struct program_special){.special = (enum ptx_special)special, .offset = offset};
    }
}

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
        unsigned required = matrix_scratch_bytes(&source->instructions[i]);
        scratch_bytes = required > scratch_bytes ? required : scratch_bytes;
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
                                 invariant_find, decoder->invariant, &invariant_begin,
                                 &function->reads_early)) {
        decoder->out_of_memory = true;
        return false;
    }
    function->invariant_begin = (uint32_t)invariant_begin;
    decoder->frame_bytes = align_up(decoder->frame_bytes, 64);
    function->frame_bytes = (uint32_t)decoder->frame_bytes;
    return decoder->frame_bytes <= MAX_FRAME_BYTES;
}

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

/* As in the assembler, the result of an atomic operation is discarded if it is never read. */
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

static void append_end(struct decoder *decoder)
{
    struct ptx_instruction end = {.opcode = PTX_OP_RET};
    if (decoder->source->instruction_count)
        decoder->number = (uint32_t)decoder->source->instruction_count - 1;
    struct instruction *out = decode_emit(decoder, &end);
    if (out)
        decode_return(decoder, &end, out);
}

bool decode_function(struct program *program, size_t index, uint64_t shared,
                     struct failure *failure)
{
    const struct ptx_function *source = &program->module->functions[index];
    struct program_function *function = &program->functions[index];
    struct decoder decoder = {.program = program, .source = source, .function = function};
    function->variable_offsets =
        program_allocate(program, source->variable_count + 1, sizeof(uint64_t));
    decoder.register_offsets = calloc(source->register_count + 1, sizeof(uint32_t));
    decoder.invariant = calloc(source->register_count + 1, sizeof *decoder.invariant);
    function->first_of = program_allocate(program, source->instruction_count + 1, sizeof(uint32_t));
    bool done = false;
    if (!function->variable_offsets || !decoder.register_offsets || !decoder.invariant ||
        !function->first_of) {
        decoder.out_of_memory = true;
    } else if (!layout_parameters(&decoder) || !layout_variables(&decoder, &shared) ||
               !layout_frame(&decoder)) {
        if (!decoder.out_of_memory)
            failure_student(
                failure, STATUS_UNSUPPORTED,
                "function %s needs more registers, parameters, local or shared memory than "
                "the emulator supports",
                source->name);
    } else {
        for (uint32_t i = 0; i < source->instruction_count && !decoder.out_of_memory; i++) {
            unsigned capability = ptx_capability(&source->instructions[i]);
            if (capability > function->capability)
                function->capability = capability;
            decoder.number = i;
            function->first_of[i] = (uint32_t)function->code_count;
            decode_instruction(&decoder, &source->instructions[i]);
        }
        function->first_of[source->instruction_count] = (uint32_t)function->code_count;
        append_end(&decoder);
        done = !decoder.out_of_memory;
        if (done && !patch_targets(&decoder))
            done = failure_student(failure, STATUS_COMPILE_ERROR,
                                   "a branch leaves the code of function %s", source->name);
        if (done && !fuse_shared_loads(function)) {
            decoder.out_of_memory = true;
            done = false;
        }
        if (done) {
            drop_unread_results(&decoder);
            invariant_number(function, decoder.invariant);
        }
    }
    free(decoder.register_offsets);
    free(decoder.invariant);
    free(decoder.entries);
    bool adopted =
        program_adopt(program, &function->code, function->code_count * sizeof *function->code);
    adopted &= program_adopt(program, &function->operands,
                             function->operand_count * sizeof *function->operands);
    adopted &= program_adopt(program, &function->pool, function->pool_bytes);
    if (decoder.out_of_memory || !adopted)
        return failure_harness(failure, "not enough memory to decode function %s", source->name);
    return done;
}
