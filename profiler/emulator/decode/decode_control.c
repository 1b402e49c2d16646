/* decode_control.c: branches, calls, and synchronization: barriers, shuffles, votes. */
#include "emulator/decode/decoding.h"

#include <string.h>

bool decode_branch(struct decoder *decoder, const struct ptx_instruction *in,
                   struct instruction *out)
{
    (void)decoder;
    if (in->operand_count < 1 || in->operands[0].kind != PTX_OPERAND_LABEL)
        return false;
    /* The number of a PTX instruction, which patch_targets converts. */
    out->target = (uint32_t)in->operands[0].integer;
    out->reconverge = in->reconverge;
    return true;
}

bool decode_branch_index(struct decoder *decoder, const struct ptx_instruction *in,
                         struct instruction *out)
{
    if (in->operand_count < 2 || in->operands[1].kind != PTX_OPERAND_TARGETS)
        return false;
    out->extra = (uint32_t)in->operands[1].index;
    out->reconverge = in->reconverge;
    return take_source(decoder, in, 0, PTX_U32, &out->source[0]);
}

bool decode_return(struct decoder *decoder, const struct ptx_instruction *in,
                   struct instruction *out)
{
    out->kind = in->opcode == PTX_OP_RET && !decoder->source->is_entry ? SIMT_RETURN : SIMT_EXIT;
    return true;
}

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

static bool find_builtin(const char *name, struct program_call *call)
{
    static const struct {
        const char *name;
        enum simt_builtin builtin;
        uint32_t arguments;
        uint32_t argument_bytes[3], return_bytes;
    } builtins[] = {
        {"vprintf", BUILTIN_VPRINTF, 2, {8, 8}, 0},
        {"__assertfail", BUILTIN_ASSERTFAIL, 3, {8, 8, 4}, 0},
        {"malloc", BUILTIN_MALLOC, 1, {8}, 8},
        {"free", BUILTIN_FREE, 1, {8}, 0},
        {"cudaGraphSetConditional", BUILTIN_SET_CONDITION, 2, {8, 4}, 0},
    };
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        bool fits = !strcmp(name, builtins[i].name) &&
                    call->argument_count >= builtins[i].arguments &&
                    (!builtins[i].return_bytes ||
                     (call->return_count && call->return_bytes[0] == builtins[i].return_bytes));
        for (uint32_t k = 0; fits && k < builtins[i].arguments; k++)
            fits = call->argument_bytes[k] == builtins[i].argument_bytes[k];
        if (fits) {
            call->builtin = builtins[i].builtin;
            return true;
        }
    }
    return false;
}

bool decode_call(struct decoder *decoder, const struct ptx_instruction *in, struct instruction *out)
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
    if (!callee ||
        !decoder_make_room(decoder, &program->calls, program->call_count, sizeof *program->calls))
        return false;
    struct program_call call = {.function = -1};
    if (!call_list(decoder, returns, &call.return_count, &call.returns, &call.return_bytes) ||
        !call_list(decoder, arguments, &call.argument_count, &call.arguments, &call.argument_bytes))
        return false;
    if (callee->kind == PTX_OPERAND_FUNCTION) {
        const struct ptx_function *target = &program->module->functions[callee->index];
        call.function = callee->index;
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

bool decode_barrier(struct decoder *decoder, const struct ptx_instruction *in,
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
    out->control = arrives  ? BARRIER_ARRIVE
                   : is_red ? CHOOSE(in, reductions, BARRIER_RED_OR)
                            : BARRIER_SYNC;
    /* bar.sync is barrier.sync.aligned: all threads of a warp must execute it together. */
    out->immediate = in->opcode == PTX_OP_BAR || ptx_has(in, PTX_MOD_ALIGNED);
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

bool decode_mbarrier(struct decoder *decoder, const struct ptx_instruction *in,
                     struct instruction *out)
{
    static const struct choice operations[] = {
        {PTX_MOD_INIT, MBARRIER_INIT},      {PTX_MOD_INVAL, MBARRIER_INVAL},
        {PTX_MOD_ARRIVE, MBARRIER_ARRIVE},  {PTX_MOD_ARRIVE_DROP, MBARRIER_ARRIVE_DROP},
        {PTX_MOD_TEST_WAIT, MBARRIER_WAIT}, {PTX_MOD_TRY_WAIT, MBARRIER_WAIT},
    };
    if (ptx_has(in, PTX_MOD_PENDING_COUNT)) {
        out->control = MBARRIER_PENDING_COUNT;
        return take_destination(decoder, in, PTX_U32, out) &&
               take_source(decoder, in, 1, PTX_B64, &out->source[1]);
    }
    unsigned operation = CHOOSE(in, operations, NO_OPERATION);
    bool waits = operation == MBARRIER_WAIT;
    bool arrives = operation == MBARRIER_ARRIVE || operation == MBARRIER_ARRIVE_DROP;
    if (operation == NO_OPERATION || ptx_has(in, PTX_MOD_EXPECT_TX) ||
        ptx_has(in, PTX_MOD_CLUSTER) || (in->space != PTX_SHARED && in->space != PTX_GENERIC))
        return false;
    out->space = in->space;
    out->bytes = 8;
    out->vector = 1;
    out->flags = (uint8_t)((operation == MBARRIER_INIT ? 0 : SIMT_VOLATILE) |
                           (ptx_has(in, PTX_MOD_NOCOMPLETE) ? SIMT_NO_COMPLETE : 0));
    out->control = waits && ptx_has(in, PTX_MOD_PARITY) ? MBARRIER_WAIT_PARITY : operation;
    if (arrives && in->operands[0].kind == PTX_OPERAND_SINK)
        out->flags |= SIMT_NO_RESULT;
    else if (waits || arrives)
        if (!take_destination(decoder, in, waits ? PTX_PRED : PTX_B64, out))
            return false;
    unsigned at = waits || arrives;
    if (in->operand_count <= at || !decode_address(decoder, &in->operands[at++], out))
        return false;
    if (in->operand_count <= at)
        return arrives || operation == MBARRIER_INVAL;
    return take_source(decoder, in, at, out->control == MBARRIER_WAIT ? PTX_B64 : PTX_U32,
                       &out->source[1]);
}

bool decode_shuffle(struct decoder *decoder, const struct ptx_instruction *in,
                    struct instruction *out)
{
    static const struct choice modes[] = {
        {PTX_MOD_UP, SHUFFLE_UP}, {PTX_MOD_DOWN, SHUFFLE_DOWN}, {PTX_MOD_BFLY, SHUFFLE_BFLY}};
    out->control = CHOOSE(in, modes, SHUFFLE_IDX);
    bool good = take_destination(decoder, in, PTX_B32, out);
    for (unsigned i = 0; good && i < (ptx_has(in, PTX_MOD_SYNC) ? 4u : 3u); i++)
        good = take_source(decoder, in, 1 + i, PTX_B32, &out->source[i]);
    return good;
}

bool decode_vote(struct decoder *decoder, const struct ptx_instruction *in, struct instruction *out)
{
    static const struct choice modes[] = {
        {PTX_MOD_BALLOT, VOTE_BALLOT}, {PTX_MOD_ANY, VOTE_ANY}, {PTX_MOD_UNI, VOTE_UNI}};
    out->control = CHOOSE(in, modes, VOTE_ALL);
    return take_destination(decoder, in, out->control == VOTE_BALLOT ? PTX_B32 : PTX_PRED, out) &&
           take_source(decoder, in, 1, PTX_PRED, &out->source[0]) &&
           (in->operand_count < 3 || take_source(decoder, in, 2, PTX_B32, &out->source[3]));
}

bool decode_match(struct decoder *decoder, const struct ptx_instruction *in,
                  struct instruction *out)
{
    enum ptx_type type = last_type(in);
    out->control = ptx_has(in, PTX_MOD_ALL);
    return type_stride(type) >= 4 && take_destination(decoder, in, PTX_B32, out) &&
           take_source(decoder, in, 1, type, &out->source[0]) &&
           take_source(decoder, in, 2, PTX_B32, &out->source[3]);
}

bool decode_redux(struct decoder *decoder, const struct ptx_instruction *in,
                  struct instruction *out)
{
    (void)decoder;
    out->control = choose(in, atomic_operations, REDUCTIONS, NO_OPERATION);
    out->flags = ptx_type_is_signed(last_type(in)) ? SIMT_SIGNED : 0;
    return out->control != NO_OPERATION && !type_is_float(last_type(in));
}
