/* ptx_test.c: test the PTX parser. Expected results come from the CUDA sources, the PTX ISA,
 * NVIDIA's assembler, and the definition of post-dominators. */
#include "emulator/ptx/ptx.h"
#include "emulator/ptx/ptx_arena.h"
#include "emulator/ptx/ptx_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TESTDATA "profiler/emulator/testdata/"

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, file);
    assert_int_equal(*length, size);
    fclose(file);
    return text;
}

struct text {
    char *bytes;
    size_t length, capacity;
};

static void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void text_add(struct text *text, const char *format, ...)
{
    enum { MOST = 8192 };
    if (text->capacity - text->length < MOST) {
        text->capacity = 2 * text->capacity + MOST;
        text->bytes = realloc(text->bytes, text->capacity);
        assert_non_null(text->bytes);
    }
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text->bytes + text->length, MOST, format, arguments);
    va_end(arguments);
    assert_in_range(added, 0, MOST - 1);
    text->length += (size_t)added;
}

static void parse_text(const char *text, struct ptx_module *module)
{
    struct failure failure = {0};
    if (!ptx_parse(text, strlen(text), "t.ptx", module, &failure))
        fail_msg("%s", failure.text);
}

static void parse_file(const char *path, struct ptx_module *module)
{
    struct failure failure = {0};
    size_t length;
    char *text = read_file(path, &length);
    bool parsed = ptx_parse(text, length, path, module, &failure);
    free(text);
    if (!parsed)
        fail_msg("%s", failure.text);
}

#define HEAD ".version 8.0 .target sm_80 .address_size 64\n"
#define KERNEL                                                                                     \
    HEAD ".entry k(.param .u64 p){ .reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;\n"

static void parse_kernel(const char *body, struct ptx_module *module)
{
    struct text text = {0};
    text_add(&text, "%s%s }", KERNEL, body);
    parse_text(text.bytes, module);
    free(text.bytes);
}

static const struct ptx_function *function_of(const struct ptx_module *module, const char *name)
{
    const struct ptx_function *function = ptx_find_function(module, name);
    assert_non_null(function);
    return function;
}

static const struct ptx_variable *variable_of(const struct ptx_module *module, const char *name)
{
    const struct ptx_variable *variable = ptx_find_variable(module, name);
    assert_non_null(variable);
    return variable;
}

static const struct ptx_instruction *instruction_of(const struct ptx_function *function,
                                                    const char *text, unsigned n)
{
    for (size_t i = 0; i < function->instruction_count; i++)
        if (strcmp(function->instructions[i].text, text) == 0 && n-- == 0)
            return &function->instructions[i];
    fail_msg("no %s in %s", text, function->name);
    return NULL;
}

static const char *register_name(const struct ptx_function *function, int32_t number)
{
    assert_in_range(number, 0, function->register_count - 1);
    return function->registers[number].name;
}

static uint64_t initial_bits(const struct ptx_variable *variable, size_t offset, unsigned bytes)
{
    uint64_t bits = 0;
    assert_non_null(variable->initial);
    assert_true(offset + bytes <= variable->bytes);
    for (unsigned i = 0; i < bytes; i++)
        bits |= (uint64_t)variable->initial[offset + i] << (8 * i);
    return bits;
}

/* For any text, the indices of a parsed module are in the ranges that ptx.h guarantees. */

static void check_operand(const struct ptx_module *module, const struct ptx_function *function,
                          const struct ptx_operand *operand, bool nested)
{
    enum ptx_operand_kind kind =
        operand->kind == PTX_OPERAND_ADDRESS ? operand->address_kind : operand->kind;
    const size_t variable_counts[] = {module->variable_count, function->variable_count,
                                      function->parameter_count, function->return_count};
    size_t index = (size_t)operand->index;
    if (operand->second >= 0)
        assert_true((size_t)operand->second < function->register_count);
    switch (kind) {
    case PTX_OPERAND_REGISTER:
        assert_true(index < function->register_count);
        break;
    case PTX_OPERAND_VARIABLE:
        assert_true(index < variable_counts[operand->scope]);
        break;
    case PTX_OPERAND_FUNCTION:
        assert_true(index < module->function_count);
        break;
    case PTX_OPERAND_SPECIAL:
        assert_true(index <= PTX_SPECIAL_COUNT);
        break;
    case PTX_OPERAND_LABEL:
        assert_true((uint64_t)operand->integer <= function->instruction_count);
        break;
    case PTX_OPERAND_PROTOTYPE:
        assert_true(index < function->prototype_count);
        break;
    case PTX_OPERAND_TARGETS:
        assert_true(index < function->target_count);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
        assert_false(nested);
        assert_true(index + operand->vector_count <= function->vector_operand_count);
        for (unsigned i = 0; i < operand->vector_count; i++)
            check_operand(module, function, &function->vector_operands[index + i], true);
        break;
    default:
        break;
    }
}

static void check_function(const struct ptx_module *module, const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        assert_non_null(instruction->text);
        assert_true(instruction->location < (int32_t)module->location_count);
        assert_true(instruction->reconverge <= function->instruction_count);
        if (instruction->guarded)
            assert_int_equal(function->registers[instruction->guard].type, PTX_PRED);
        for (unsigned o = 0; o < instruction->operand_count; o++)
            check_operand(module, function, &instruction->operands[o], false);
    }
    for (size_t t = 0; t < function->target_count; t++)
        for (size_t i = 0; i < function->targets[t].count; i++)
            assert_true(function->targets[t].instructions[i] <= function->instruction_count);
}

static void check_module(const struct ptx_module *module)
{
    for (size_t i = 0; i < module->location_count; i++) {
        const struct ptx_location *location = &module->locations[i];
        assert_true(location->inlined_at < (int32_t)i); /* Chains end, because indices decrease. */
        assert_true(location->file == PTX_NO_FILE || module->files[location->file]);
    }
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        for (size_t j = 0; j < variable->address_count; j++)
            assert_true(variable->addresses[j].offset + variable->addresses[j].bytes <=
                        variable->bytes);
    }
    for (size_t i = 0; i < module->function_count; i++)
        check_function(module, &module->functions[i]);
}

static void test_nvcc_variables(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_calls_nvcc.ptx", &module);
    check_module(&module);
    assert_string_equal(module.target, "sm_80");

    /* int garr[5] = {1, -2, 0x7fffffff, 4}; int *gptr = &garr[2]; */
    const struct ptx_variable *garr = variable_of(&module, "garr");
    static const uint32_t elements[5] = {1, 0xfffffffe, 0x7fffffff, 4, 0};
    assert_int_equal(garr->bytes, sizeof elements);
    assert_int_equal(garr->space, PTX_GLOBAL);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(initial_bits(garr, 4 * i, 4), elements[i]);
    const struct ptx_variable *gptr = variable_of(&module, "gptr");
    assert_int_equal(gptr->address_count, 1);
    assert_string_equal(gptr->addresses[0].name, "garr");
    assert_true(gptr->addresses[0].generic);
    assert_int_equal(gptr->addresses[0].addend, 2 * sizeof(int));

    /* struct {char c; int *p; short s; void (*f)();} mixed = {'x', &garr[1], 7, noop}; */
    const struct ptx_variable *mixed = variable_of(&module, "mixed");
    assert_int_equal(mixed->bytes, 32);
    assert_int_equal(initial_bits(mixed, 0, 8), 'x');
    assert_int_equal(initial_bits(mixed, 16, 8), 7);
    assert_int_equal(mixed->address_count, 2);
    assert_int_equal(mixed->addresses[0].offset, 8);
    assert_int_equal(mixed->addresses[0].addend, sizeof(int));
    assert_int_equal(mixed->addresses[1].offset, 24);
    assert_string_equal(mixed->addresses[1].name, "_Z4noopv");
    assert_false(mixed->addresses[1].generic);

    /* __constant__ float4 c4 = {1, 2, 3, 4}; unsigned long long big = 0xfedcba9876543210; */
    const struct ptx_variable *c4 = variable_of(&module, "c4");
    static const float floats[4] = {1, 2, 3, 4};
    assert_int_equal(c4->space, PTX_CONST);
    assert_int_equal(c4->align, 16);
    assert_memory_equal(c4->initial, floats, sizeof floats);
    assert_int_equal(initial_bits(variable_of(&module, "big"), 0, 8), 0xfedcba9876543210u);
    assert_memory_equal(variable_of(&module, "ch")->initial, "abc", 4);
    ptx_module_free(&module);
}

static void test_nvcc_calls(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_calls_nvcc.ptx", &module);
    assert_true(function_of(&module, "vprintf")->is_declaration);
    assert_int_equal(function_of(&module, "__assertfail")->parameter_count, 5);

    const struct ptx_function *fib = function_of(&module, "_Z3fibi");
    assert_false(fib->is_entry);
    assert_int_equal(fib->parameter_count, 1);
    assert_int_equal(fib->return_count, 1);
    const struct ptx_instruction *call = instruction_of(fib, "call.uni", 1);
    assert_int_equal(call->operand_count, 3);
    assert_int_equal(call->operands[0].kind, PTX_OPERAND_LIST);
    assert_int_equal(call->operands[1].kind, PTX_OPERAND_FUNCTION);
    assert_ptr_equal(&module.functions[call->operands[1].index], fib);
    assert_int_equal(call->operands[2].vector_count, 1);
    const struct ptx_operand *argument = &fib->vector_operands[call->operands[2].index];
    assert_int_equal(argument->kind, PTX_OPERAND_VARIABLE);
    assert_int_equal(argument->scope, PTX_SCOPE_FUNCTION);
    assert_string_equal(fib->variables[argument->index].name, "param0");
    assert_int_equal(fib->variables[argument->index].space, PTX_PARAM);

    /* The kernel is k(P p, int *out, fp f, int n) with a 32-byte P. */
    const struct ptx_function *k = function_of(&module, "k");
    assert_true(k->is_entry);
    static const uint64_t sizes[] = {32, 8, 8, 4};
    assert_int_equal(k->parameter_count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(k->parameters[i].bytes, sizes[i]);
    call = instruction_of(k, "call", 0);
    assert_int_equal(call->operand_count, 4);
    assert_int_equal(call->operands[1].kind, PTX_OPERAND_REGISTER);
    assert_int_equal(call->operands[3].kind, PTX_OPERAND_PROTOTYPE);
    const struct ptx_prototype *prototype = &k->prototypes[call->operands[3].index];
    assert_int_equal(prototype->return_count, 1);
    assert_int_equal(prototype->parameter_count, 1);
    assert_int_equal(prototype->parameters[0].bytes, 4);
    ptx_module_free(&module);
}

/* In control.cu, sw(), defined in line 1, is inlined into k() at line 2, column 41. */
static void test_nvcc_inlined_lines(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_control_nvcc.ptx", &module);
    check_module(&module);
    const struct ptx_function *k = function_of(&module, "k");
    const struct ptx_instruction *division = instruction_of(k, "div.s32", 0);
    assert_int_equal(division->ptx_line, 109);
    const struct ptx_location *location = &module.locations[division->location];
    assert_string_equal(module.files[location->file], "/lab/control.cu");
    assert_int_equal(location->line, 1);
    assert_int_equal(location->column, 40);
    assert_true(location->inlined_at >= 0);
    location = &module.locations[location->inlined_at];
    assert_int_equal(location->line, 2);
    assert_int_equal(location->column, 41);
    assert_int_equal(location->inlined_at, -1);
    ptx_module_free(&module);
}

static void test_clang(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_calls_clang.ptx", &module);
    check_module(&module);
    const struct ptx_variable *dynamic = variable_of(&module, "dyn");
    assert_true(dynamic->is_extern);
    assert_int_equal(dynamic->bytes, 0);
    assert_int_equal(dynamic->space, PTX_SHARED);
    const struct ptx_function *k = function_of(&module, "k");
    assert_int_equal(k->parameters[2].bytes, 24); /* The type is struct S {double a; int b[3];}. */
    assert_int_equal(k->parameters[2].align, 8);
    const struct ptx_instruction *barrier = instruction_of(k, "bar.sync", 0);
    assert_int_equal(module.locations[barrier->location].line, 11);
    const struct ptx_instruction *atom = instruction_of(k, "atom.shared.add.u32", 0);
    assert_int_equal(atom->opcode, PTX_OP_ATOM);
    assert_int_equal(atom->space, PTX_SHARED);
    assert_int_equal(atom->types[0], PTX_U32);
    assert_true(ptx_has(atom, PTX_MOD_ADD));
    ptx_module_free(&module);
}

static void test_large_module(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "kernels.ptx", &module);
    check_module(&module);
    for (size_t i = 0; i < module.function_count; i++)
        for (size_t j = 0; j < module.functions[i].instruction_count; j++) {
            const struct ptx_instruction *instruction = &module.functions[i].instructions[j];
            if (instruction->opcode == PTX_OP_UNKNOWN || ptx_has(instruction, PTX_MOD_UNKNOWN))
                fail_msg("%s is not known", instruction->text);
        }
    ptx_module_free(&module);
}

static void test_features_module(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_features.ptx", &module);
    check_module(&module);
    assert_int_equal(initial_bits(variable_of(&module, "counter"), 0, 4), 16);
    static const float pair[2] = {1.5f, -2.0f};
    assert_int_equal(variable_of(&module, "pair")->align, 8);
    assert_memory_equal(variable_of(&module, "pair")->initial, pair, sizeof pair);
    static const double angles[4] = {1.0, 0.0, 0.5, 10.0};
    assert_int_equal(variable_of(&module, "angles")->bytes, sizeof angles);
    assert_memory_equal(variable_of(&module, "angles")->initial, angles, sizeof angles);
    static const int16_t shorts[] = {-1, 5, 15, 38};
    assert_int_equal(variable_of(&module, "shorts")->bytes, sizeof shorts);
    assert_memory_equal(variable_of(&module, "shorts")->initial, shorts, sizeof shorts);
    assert_null(variable_of(&module, "managed")->initial);

    const struct ptx_variable *packed = variable_of(&module, "packed");
    assert_int_equal(packed->address_count, 1);
    assert_int_equal(packed->addresses[0].offset, 1);
    assert_int_equal(packed->addresses[0].bytes, 8);
    const struct ptx_variable *pointer = variable_of(&module, "pointer");
    assert_int_equal(pointer->address_count, 2);
    assert_int_equal(pointer->addresses[0].addend, 4);
    assert_int_equal(pointer->addresses[1].offset, 16);

    const struct ptx_function *again = function_of(&module, "again");
    assert_false(again->is_declaration);
    assert_ptr_equal(again->instructions, function_of(&module, "twice")->instructions);
    const struct ptx_function *features = function_of(&module, "features");
    assert_int_equal(features->max_threads, 256);
    assert_int_equal(features->required_block[0], 0);
    assert_int_equal(features->parameters[0].align, 8); /* .ptr gives the data's alignment. */
    assert_null(ptx_find_function(&module, "counter"));
    assert_null(ptx_find_variable(&module, "features"));
    ptx_module_free(&module);
}

static void test_features_operands(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_features.ptx", &module);
    const struct ptx_function *f = function_of(&module, "features");
    const struct ptx_instruction *i = instruction_of(f, "mov.u64", 0);
    assert_int_equal(i->operands[1].kind, PTX_OPERAND_VARIABLE);
    assert_int_equal(i->operands[1].scope, PTX_SCOPE_FUNCTION);
    assert_int_equal(i->operands[1].integer, 4);
    assert_int_equal(instruction_of(f, "mov.u32", 0)->operands[1].index, PTX_SPECIAL_TID_X);
    assert_int_equal(instruction_of(f, "mov.u32", 1)->operands[1].index, PTX_SPECIAL_ENVREG);
    assert_int_equal(instruction_of(f, "mov.u32", 1)->operands[1].integer, 3);
    assert_int_equal(instruction_of(f, "mov.u32", 2)->operands[1].integer, 32);
    assert_int_equal(instruction_of(f, "mov.u32", 3)->operands[1].integer, -16);
    assert_int_equal((uint64_t)instruction_of(f, "mov.u64", 1)->operands[1].integer, UINT64_MAX);
    assert_int_equal(instruction_of(f, "mov.f32", 0)->operands[1].bits, 0x3f800000);
    assert_int_equal(instruction_of(f, "mov.f32", 0)->operands[1].float_bytes, 4);
    assert_int_equal(instruction_of(f, "mov.f32", 1)->operands[1].bits, 0xbff8000000000000u);
    assert_int_equal(instruction_of(f, "mov.f32", 2)->operands[1].bits, 0x3fe0000000000000u);

    i = instruction_of(f, "setp.lt.and.s32", 0);
    assert_string_equal(register_name(f, i->operands[0].index), "%p1");
    assert_string_equal(register_name(f, i->operands[0].second), "%p2");
    assert_true(i->operands[3].negated);
    i = instruction_of(f, "add.cc.u32", 0);
    assert_true(i->guarded && i->guard_negated);
    assert_string_equal(register_name(f, i->guard), "%p1");
    assert_int_equal(i->operands[2].integer, 12);
    i = instruction_of(f, "atom.global.add.u32", 0);
    assert_int_equal(i->operands[0].kind, PTX_OPERAND_SINK);
    assert_int_equal(i->operands[0].second, PTX_SECOND_NONE);
    assert_int_equal(i->operands[1].kind, PTX_OPERAND_ADDRESS);
    assert_int_equal(i->operands[1].address_kind, PTX_OPERAND_REGISTER);
    assert_int_equal(i->operands[1].integer, -4);
    i = instruction_of(f, "ld.relaxed.sys.global.f32", 0);
    assert_int_equal(i->space, PTX_GLOBAL);
    assert_true(ptx_has(i, PTX_MOD_RELAXED) && ptx_has(i, PTX_MOD_SYS));
    i = instruction_of(f, "ld.global.nc.L1::no_allocate.L2::128B.v4.f32", 0);
    assert_int_equal(i->operands[0].vector_count, 4);
    assert_int_equal(f->vector_operands[i->operands[0].index + 3].kind, PTX_OPERAND_SINK);
    assert_int_equal(f->vector_operands[i->operands[0].index].second, PTX_SECOND_NONE);
    i = instruction_of(f, "st.shared::cta.v2.f32", 0);
    assert_int_equal(i->space, PTX_SHARED);
    assert_int_equal(i->operands[0].address_kind, PTX_OPERAND_VARIABLE);
    i = instruction_of(f, "cp.async.cg.shared.global", 0);
    assert_int_equal(i->space, PTX_SHARED);
    assert_int_equal(i->space2, PTX_GLOBAL);
    int32_t outer = f->vector_operands[instruction_of(f, "mov.b32", 0)->operands[0].index].index;
    assert_int_not_equal(instruction_of(f, "mov.b16", 0)->operands[0].index, outer);
    assert_int_equal(instruction_of(f, "cvt.u32.u16", 0)->operands[1].index, outer);
    i = instruction_of(f, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", 0);
    assert_true(ptx_has(i, PTX_MOD_LOAD) && ptx_has(i, PTX_MOD_A) && ptx_has(i, PTX_MOD_M16N16K16));
    assert_int_equal(i->types[0], PTX_F16);
    ptx_module_free(&module);
}

static void test_features_labels_and_lines(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_file(TESTDATA "ptx_features.ptx", &module);
    const struct ptx_function *f = function_of(&module, "features");
    const struct ptx_instruction *bra = instruction_of(f, "bra", 0);
    const struct ptx_instruction *brx = instruction_of(f, "brx.idx", 0);
    size_t bra_number = (size_t)(bra - f->instructions);
    size_t brx_number = (size_t)(brx - f->instructions);
    assert_int_equal(bra->operands[0].integer, bra_number + 1);
    assert_int_equal(brx->operands[1].kind, PTX_OPERAND_TARGETS);
    const struct ptx_targets *ways = &f->targets[brx->operands[1].index];
    assert_int_equal(ways->count, 3);
    assert_int_equal(ways->instructions[0], brx_number + 1); /* bar.sync */
    assert_int_equal(ways->instructions[1], brx_number + 2); /* membar.gl */
    assert_int_equal(ways->instructions[2], brx_number + 1);
    assert_int_equal(brx->reconverge, brx_number + 2);

    /* The code is inlined at line 20 of code that is inlined at line 10. */
    const struct ptx_location *location = &module.locations[brx->location];
    static const uint32_t lines[] = {30, 20, 10};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(location->line, lines[i]);
        assert_string_equal(module.files[location->file], "/lab/features.cu");
        assert_int_equal(location->inlined_at < 0, i == 2);
        if (i < 2)
            location = &module.locations[location->inlined_at];
    }
    ptx_module_free(&module);
}

static void test_register_ranges(void **state)
{
    (void)state;
    struct ptx_module module;
    /* Four billion registers are declared, but only the used registers are created. */
    parse_kernel(".reg .b32 %q<4000000000>; mov.u32 %q3999999999, 1; mov.u32 %q0, 2;", &module);
    assert_int_equal(module.functions[0].register_count, 2);
    ptx_module_free(&module);
    /* An inner range hides the outer range only for its own numbers, and ends with its scope. */
    parse_kernel("mov.u32 %r7, 1; { .reg .b64 %r<8>; mov.u64 %r7, 1; mov.u32 %r8, 1; "
                 "mov.u64 %r1, 1; } mov.u32 %r7, 1; mov.u32 %r1, 1;",
                 &module);
    const struct ptx_function *k = &module.functions[0];
    static const enum ptx_type types[] = {PTX_B32, PTX_B64, PTX_B32, PTX_B64, PTX_B32, PTX_B32};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(k->registers[k->instructions[i].operands[0].index].type, types[i]);
    assert_int_equal(k->instructions[0].operands[0].index, k->instructions[4].operands[0].index);
    ptx_module_free(&module);
    /* A name can belong to two ranges: a13 is number 3 of the inner range. */
    parse_kernel(".reg .b32 a<20>; { .reg .b64 a1<5>; mov.u64 a13, 1; } mov.u32 a13, 1;", &module);
    k = &module.functions[0];
    assert_int_equal(k->registers[k->instructions[0].operands[0].index].type, PTX_B64);
    assert_int_equal(k->registers[k->instructions[1].operands[0].index].type, PTX_B32);
    ptx_module_free(&module);
    /* An inner register hides one register of the outer range until its scope ends. */
    parse_kernel("{ .reg .b64 %r5; mov.u64 %r5, 1; } mov.u32 %r5, 1;", &module);
    k = &module.functions[0];
    assert_int_equal(k->registers[k->instructions[0].operands[0].index].type, PTX_B64);
    assert_int_equal(k->registers[k->instructions[1].operands[0].index].type, PTX_B32);
    ptx_module_free(&module);
}

static void test_names_across_functions(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_text(HEAD ".extern .global .align 4 .u32 g;\n"
                    ".func f(.param .b32 a) { .global .u32 x; .reg .b64 %rd<2>; L: mov.u64 %rd1, x;"
                    " bra L; }\n"
                    ".func h(.param .b32 a) { .global .u32 x; L: bra L; }\n"
                    ".global .u32 g = 7;",
               &module);
    check_module(&module);
    assert_int_equal(initial_bits(variable_of(&module, "g"), 0, 4), 7);
    assert_false(variable_of(&module, "g")->is_extern);
    assert_non_null(variable_of(&module, "f::x"));
    assert_non_null(variable_of(&module, "h::x"));
    assert_int_equal(function_of(&module, "f")->instructions[1].operands[0].integer, 0);
    ptx_module_free(&module);
}

static void test_initial_limit(void **state)
{
    (void)state;
    struct ptx_module module;
#define SKIP "{{},{},{},{},{},{},{},"
    parse_text(HEAD
               ".global .u64 a[4][8][8][8][8][8][8][8] = {{},{},{}," SKIP SKIP SKIP SKIP SKIP SKIP
               "{0,0,0,0,0,0,0,1}}}}}}}};",
               &module);
    check_module(&module);
    assert_int_equal(initial_bits(variable_of(&module, "a"), PTX_MAX_INITIAL_BYTES - 8, 8), 1);
    ptx_module_free(&module);
}

/* `.extern` symbols are defined by other objects, and only the first `.weak` definition counts. */
static void test_linked(void **state)
{
    (void)state;
    static const char first[] =
        HEAD ".extern .global .u32 shared_by_name; .global .b8 own[2] = {65, 0};\n"
             ".global .u64 to_own = own;\n"
             ".extern .func far(.param .b32 a); .weak .global .u32 w = 1;\n"
             ".weak .func twice() { .loc 1 10 0 ret; }\n"
             ".visible .entry k() { .reg .b64 %rd<3>; .loc 1 20 0 mov.u64 %rd1, own; }\n"
             ".file 1 \"first.cu\"";
    static const char second[] = HEAD
        ".visible .global .u32 shared_by_name = 7; .global .b8 own[3] = {66, 0};\n"
        ".global .u64 also_to_own = own; .weak .global .u32 w = 2;\n"
        ".weak .func twice() { .loc 1 30 0 ret; ret; }\n"
        ".visible .func far(.param .b32 a) { .reg .b64 %rd<3>; .loc 1 40 0 mov.u64 %rd1, own; }\n"
        ".file 1 \"second.cu\"";
    const struct ptx_text texts[] = {{first, strlen(first)}, {second, strlen(second)}};
    struct ptx_module module;
    struct failure failure = {0};
    assert_true(ptx_parse_linked(texts, 2, "t.ptx", &module, &failure));
    assert_int_equal(initial_bits(variable_of(&module, "shared_by_name"), 0, 4), 7);
    assert_int_equal(initial_bits(variable_of(&module, "w"), 0, 4), 1);
    assert_int_equal(function_of(&module, "twice")->instruction_count, 1);
    assert_false(function_of(&module, "far")->is_declaration);
    const struct ptx_variable *own =
        variable_of(&module, variable_of(&module, "to_own")->addresses[0].name);
    const struct ptx_variable *other =
        variable_of(&module, variable_of(&module, "also_to_own")->addresses[0].name);
    assert_int_equal(own->initial[0], 'A');
    assert_int_equal(other->initial[0], 'B');
    const struct ptx_function *functions[] = {function_of(&module, "k"),
                                              function_of(&module, "far")};
    for (int i = 0; i < 2; i++) {
        const struct ptx_instruction *instruction = &functions[i]->instructions[0];
        assert_ptr_equal(&module.variables[instruction->operands[1].index], i ? other : own);
        const struct ptx_location *location = &module.locations[instruction->location];
        assert_string_equal(module.files[location->file], i ? "second.cu" : "first.cu");
        assert_int_equal(location->line, i ? 40 : 20);
    }
    ptx_module_free(&module);

    const struct ptx_text same[] = {{second, strlen(second)}, {second, strlen(second)}};
    assert_false(ptx_parse_linked(same, 2, "t.ptx", &module, &failure));
    assert_non_null(strstr(failure.text, "shared_by_name is declared twice"));
}

static void test_scopes_and_offsets(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_kernel("IN: { { bra OUT; bra IN; } } ld.global.u32 %r1, [%rd1+4-2*8]; "
                 "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r3}; OUT: ret;",
                 &module);
    const struct ptx_function *k = &module.functions[0];
    assert_int_equal(k->instructions[0].operands[0].integer, 4);
    assert_int_equal(k->instructions[1].operands[0].integer, 0);
    assert_int_equal(k->instructions[2].operands[1].integer, -12);
    assert_string_equal(k->instructions[3].text, "sust.b.2d.b32.trap");
    assert_int_equal(k->instructions[3].operand_count, 3);
    assert_int_equal(k->instructions[3].operands[0].kind, PTX_OPERAND_ADDRESS);
    assert_int_equal(k->instructions[3].operands[1].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(k->instructions[3].operands[1].vector_count, 2);
    ptx_module_free(&module);
}

static void test_locations_are_of_a_function(void **state)
{
    (void)state;
    struct ptx_module module;
    parse_text(HEAD ".func f() { .loc 1 5 1\n ret; } .func g() { ret; .loc 1 6 1\n ret; }",
               &module);
    assert_int_equal(module.functions[0].instructions[0].location, 0);
    assert_int_equal(module.functions[1].instructions[0].location, -1);
    assert_int_equal(module.locations[0].file, PTX_NO_FILE);
    ptx_module_free(&module);
    /* The call at 1:10 in g is not the call at 1:10 in f. */
    parse_text(HEAD
               ".func f() { .loc 1 5 1\n .loc 1 10 1, function_name x, inlined_at 1 5 1\n ret; }"
               ".func g() { .loc 1 20 1, function_name x, inlined_at 1 10 1\n ret; }",
               &module);
    check_module(&module);
    const struct ptx_location *location =
        &module.locations[module.functions[1].instructions[0].location];
    assert_int_equal(location->line, 20);
    location = &module.locations[location->inlined_at];
    assert_int_equal(location->line, 10);
    assert_int_equal(location->inlined_at, -1);
    ptx_module_free(&module);
}

static void test_flow(void **state)
{
    (void)state;
    static const struct {
        bool ends_block, falls, leaves, jumps, has_table;
    } expected[] = {
        {false, true, false, false, false}, /* mov */
        {true, false, false, true, false},  /* bra */
        {true, true, false, true, false},   /* @p bra */
        {true, false, false, false, true},  /* brx.idx */
        {true, true, false, false, true},   /* @p brx.idx */
        {false, true, false, false, false}, /* call */
        {true, false, true, false, false},  /* ret */
        {true, true, true, false, false},   /* @p ret */
        {true, false, true, false, false},  /* exit */
        {true, true, true, false, false},   /* @p exit */
        {true, false, false, false, false}, /* trap */
        {true, true, false, false, false},  /* @p trap */
        {true, false, false, false, false}, /* brkpt */
        {false, true, false, false, false}, /* bar.sync */
    };
    static const uint32_t begins[] = {0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13};
    struct ptx_module module;
    struct ptx_blocks blocks;
    parse_kernel("w: .branchtargets A, E; mov.u32 %r1, 1; bra A; A: @%p1 bra E; brx.idx %r1, w; "
                 "@%p1 brx.idx %r1, w; call k; ret; @%p1 ret; exit; @%p1 exit; trap; @%p1 trap; "
                 "brkpt; E: bar.sync 0;",
                 &module);
    const struct ptx_function *k = &module.functions[0];
    const size_t count = sizeof expected / sizeof *expected;
    assert_int_equal(k->instruction_count, count);
    for (size_t i = 0; i < count; i++) {
        struct ptx_flow flow = ptx_flow_at(k, i);
        if (flow.ends_block != expected[i].ends_block || flow.falls != expected[i].falls ||
            flow.leaves != expected[i].leaves || flow.jumps != expected[i].jumps ||
            (flow.table != NULL) != expected[i].has_table)
            fail_msg("instruction %zu, %s", i, k->instructions[i].text);
    }
    assert_int_equal(ptx_flow_at(k, 1).target, 2);
    assert_int_equal(ptx_flow_at(k, 2).target, 13);
    assert_true(ptx_blocks_find(&blocks, k));
    assert_int_equal(blocks.count, sizeof begins / sizeof *begins);
    for (uint32_t b = 0; b < blocks.count; b++) {
        size_t end = b + 1 < blocks.count ? begins[b + 1] : count;
        assert_int_equal(blocks.first_of[b], begins[b]);
        for (size_t i = begins[b]; i < end; i++)
            assert_int_equal(blocks.block_of[i], b);
    }
    assert_int_equal(blocks.first_of[blocks.count], count);
    ptx_blocks_free(&blocks);
    ptx_module_free(&module);
}

struct reconvergence_case {
    const char *body;
    struct {
        unsigned at, reconverge;
    } branches[6];
    unsigned branch_count;
};

/* The comments number the instructions of each body from 0. */
static const struct reconvergence_case reconvergence_cases[] = {
    /* if: 0 branch, 1, 2 join */
    {"@%p1 bra J; mov.u32 %r1, 1; J: ret;", {{0, 2}}, 1},
    /* if-else: 0 branch, 1 else, 2 bra, 3 then, 4 join */
    {"@%p1 bra T; mov.u32 %r1, 1; bra.uni J; T: mov.u32 %r1, 2; J: ret;", {{0, 4}, {2, 4}}, 2},
    /* loop: 0 body, 1 branch back, 2 after */
    {"L: mov.u32 %r1, 1; @%p1 bra L; ret;", {{1, 2}}, 1},
    /* loop with break: 0 break, 1 body, 2 back, 3 after */
    {"L: @%p1 bra B; mov.u32 %r1, 1; @%p2 bra L; B: ret;", {{0, 3}, {2, 3}}, 2},
    /* loop with continue: 0 continue, 1 body, 2 step, 3 back, 4 after */
    {"L: @%p1 bra C; mov.u32 %r1, 1; C: mov.u32 %r2, 1; @%p2 bra L; ret;", {{0, 2}, {3, 4}}, 2},
    /* nested ifs: 0 outer, 1 inner, 2, 3 inner join, 4 outer join */
    {"@%p1 bra O; @%p2 bra I; mov.u32 %r1, 1; I: mov.u32 %r2, 1; O: ret;", {{0, 4}, {1, 3}}, 2},
    /* early return: lanes reconverge at the function's end */
    {"@%p1 bra R; mov.u32 %r1, 1; ret; R: ret;", {{0, 4}}, 1},
    {"@%p1 ret; mov.u32 %r1, 1; ret;", {{0, 3}}, 1},
    {"@%p1 exit; mov.u32 %r1, 1;", {{0, 2}}, 1},
    /* a trap does not count as an exit: 0 branch, 1 trap, 2 join */
    {"@%p1 bra J; trap; J: ret;", {{0, 2}}, 1},
    {"@%p1 bra J; brkpt; J: ret;", {{0, 2}}, 1},
    /* a check inside a loop: 0 check, 1 trap, 2 back, 3 after */
    {"L: @%p1 bra G; trap; G: @%p2 bra L; ret;", {{0, 2}, {2, 3}}, 2},
    /* an endless loop: 0 branch, 1 ret, 2 spin */
    {"@%p1 bra S; ret; S: bra S;", {{0, 1}, {2, 3}}, 2},
    {"S: @%p1 bra S; bra S;", {{0, 2}, {1, 2}}, 2},
    /* irreducible: 0 into the middle, 1 A, 2 to C, 3 B, 4 back to A, 5 C */
    {"@%p1 bra B; A: mov.u32 %r1, 1; @%p2 bra C; B: mov.u32 %r2, 1; @%p3 bra A; C: ret;",
     {{0, 5}, {2, 5}, {4, 5}},
     3},
    /* a branch to the end of the text, and a branch to the next instruction */
    {"@%p1 bra E; mov.u32 %r1, 1; E:", {{0, 2}}, 1},
    {"@%p1 bra N; N: mov.u32 %r1, 1; ret;", {{0, 1}}, 1},
    /* a switch: 0 brx, 1 A, 2 bra, 3 B, 4 bra, 5 default, 6 join */
    {"w: .branchtargets A, B, D; brx.idx %r1, w; A: mov.u32 %r1, 1; bra J; B: mov.u32 %r1, 2; "
     "bra J; D: mov.u32 %r1, 3; J: ret;",
     {{0, 6}, {2, 6}, {4, 6}},
     3},
    /* two switches, each with its list: 0 brx, 1 A, 2 B and brx, 3 C, 4 D */
    {"w: .branchtargets A, B; v: .branchtargets C, D; brx.idx %r1, w; A: mov.u32 %r1, 1; "
     "B: brx.idx %r2, v; C: mov.u32 %r1, 1; D: ret;",
     {{0, 2}, {2, 4}},
     2},
    /* two switches on one list: 0 branch, 1 and 2 brx, 3 A, 4 B, where all paths join */
    {"w: .branchtargets A, B; @%p1 bra X; brx.idx %r1, w; X: brx.idx %r2, w; A: mov.u32 %r1, 1; "
     "B: ret;",
     {{0, 4}, {1, 4}, {2, 4}},
     3},
};

static void test_reconvergence(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof reconvergence_cases / sizeof *reconvergence_cases; c++) {
        const struct reconvergence_case *test = &reconvergence_cases[c];
        struct ptx_module module;
        parse_kernel(test->body, &module);
        for (unsigned b = 0; b < test->branch_count; b++) {
            unsigned at = test->branches[b].at;
            unsigned found = module.functions[0].instructions[at].reconverge;
            if (found != test->branches[b].reconverge)
                fail_msg("instruction %u of \"%s\" reconverges at %u, not %u", at, test->body,
                         found, test->branches[b].reconverge);
        }
        ptx_module_free(&module);
    }
}

/* v post-dominates u if a path leads from u to the exit, and all these paths contain v. */

enum { GRAPH = 14 };

/* Successors of each instruction, as bits. Bit GRAPH is the exit. */
static uint32_t graph_edges[GRAPH];

static bool reaches_exit(unsigned from, unsigned without)
{
    uint32_t seen = 1u << from, wave = seen;
    while (wave) {
        uint32_t next = 0;
        for (unsigned u = 0; u < GRAPH; u++)
            if (wave >> u & 1)
                next |= graph_edges[u];
        next &= ~seen & ~(1u << without);
        seen |= next;
        wave = next & ((1u << GRAPH) - 1);
    }
    return seen >> GRAPH & 1;
}

static bool post_dominates(unsigned v, unsigned u)
{
    return v != u && reaches_exit(u, 31) && !reaches_exit(u, v);
}

static unsigned immediate_post_dominator(unsigned u)
{
    for (unsigned v = 0; v < GRAPH; v++) {
        if (!post_dominates(v, u))
            continue;
        bool is_first = true;
        for (unsigned w = 0; w < GRAPH; w++)
            if (w != v && post_dominates(w, u) && !post_dominates(w, v))
                is_first = false;
        if (is_first)
            return v;
    }
    return GRAPH;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void test_reconvergence_of_random_graphs(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (unsigned round = 0; round < 400; round++) {
        struct text text = {0};
        for (unsigned u = 0; u < GRAPH; u++) {
            unsigned target = next_random(&seed) % (GRAPH + 1), kind = next_random(&seed) % 8;
            text_add(&text, "L%u: ", u);
            if (kind < 4)
                text_add(&text, "@%%p1 bra L%u;\n", target);
            else if (kind < 5)
                text_add(&text, "bra L%u;\n", target);
            else
                text_add(&text, kind < 6 ? "@%%p1 ret;\n" : "mov.u32 %%r1, 1;\n");
            graph_edges[u] = kind < 5 ? 1u << target : kind < 6 ? 1u << GRAPH : 0;
            if (kind != 4)
                graph_edges[u] |= 1u << (u + 1);
        }
        text_add(&text, "L%u:", GRAPH);
        struct ptx_module module;
        parse_kernel(text.bytes, &module);
        free(text.bytes);
        const struct ptx_function *k = &module.functions[0];
        for (unsigned u = 0; u < GRAPH; u++)
            if (k->instructions[u].opcode != PTX_OP_MOV)
                assert_int_equal(k->instructions[u].reconverge, immediate_post_dominator(u));
        ptx_module_free(&module);
    }
}

/* A chain of blocks with branches to both ends: the analysis must not recurse or be quadratic. */
static void test_large_function(void **state)
{
    (void)state;
    enum { BLOCKS = 50000 };
    struct text text = {0};
    text_add(&text, "%s", KERNEL);
    for (unsigned i = 0; i < BLOCKS / 2; i++)
        text_add(&text, "@%%p1 bra C0; @%%p2 bra C%u;\n", BLOCKS / 2 - 1);
    for (unsigned i = 0; i < BLOCKS / 2; i++)
        text_add(&text, "C%u: mov.u32 %%r1, 1; @%%p1 bra C%u;\n", i, i);
    text_add(&text, "ret; }");
    struct ptx_module module;
    parse_text(text.bytes, &module);
    free(text.bytes);
    const struct ptx_function *k = &module.functions[0];
    assert_int_equal(k->instruction_count, 2 * BLOCKS + 1);
    assert_int_equal(k->instructions[0].reconverge, 2 * BLOCKS - 2);
    assert_int_equal(k->instructions[BLOCKS + 1].reconverge, BLOCKS + 2);
    ptx_module_free(&module);
}

struct malformed_case {
    const char *text, *message;
    unsigned line;
};

static const struct malformed_case malformed_modules[] = {
    {"", "expected .version but the text ends", 1},
    {"int main() {}", "expected .version but found 'int'", 1},
    {".target sm_80", "expected .version", 1},
    {".version 8", "expected a version", 1},
    {".version 8.0", "no .target", 1},
    {HEAD ".version 8.0", "second .version", 2},
    {HEAD ".target sm_80", "second .target", 2},
    {HEAD ".address_size 16", "32 or 64", 2},
    {HEAD ".frobnicate 3;", "directive .frobnicate is not supported", 2},
    {HEAD "\n}", "expected a directive but found '}'", 3},
    {HEAD "/* comment", "a comment has no end", 2},
    {HEAD ".file 1 \"name", "no closing quote", 2},
    {HEAD ".file 70000 \"name\"", "at most 65535", 2},
    {HEAD "\x01", "a character is not valid in PTX", 2},
    {HEAD ".section .debug_str {", "a closing bracket", 2},
    {HEAD ".reg .b32 r;", "not allowed here", 2},
    {HEAD ".visible .pragma \"x\";", "not allowed here", 2},
    {HEAD ".global .u32 a; .global .u32 a;", "a is declared twice, first in line 2", 2},
    {HEAD ".global .u32 a", "expected ';' but the text ends", 2},
    {HEAD ".global .pred a;", "only registers", 2},
    {HEAD ".global a;", "expected a type", 2},
    {HEAD ".global .align 3 .u32 a;", "power of two", 2},
    {HEAD ".global .u32 a[];", "has no size", 2},
    {HEAD ".global .u32 a[2][];", "expected a constant", 2},
    {HEAD ".global .u32 a[-1];", "size is not between", 2},
    {HEAD ".global .u32 a[268435456];", "larger than 256 MiB", 2},
    {HEAD ".global .u32 a[268435456][268435456][268435456];", "larger than 256 MiB", 2},
    {HEAD ".global .u8 a[][268435456][268435456] = {{{1},{1}}};", "larger than 256 MiB", 2},
    {HEAD ".global .u8 a[200000000]; .global .u8 b[200000000];", "together exceed 256 MiB", 2},
    {HEAD ".global .u8 a[100000000] = {1};", "initial values exceed 64 MiB", 2},
    {HEAD ".global .u8 a[5][8388608][2] = {{},{},{},{},{{0}}};", "initial values exceed 64 MiB", 2},
    {HEAD ".global .u32 a[1][1][1][1][1][1][1][1][1];", "more than 8 dimensions", 2},
    {HEAD ".global .u32 a[2] = {1, 2, 3};", "more initial values than elements", 2},
    {HEAD ".global .u32 a[2][2] = {1, 2, 3, 4};", "expected '{' but found '1'", 2},
    {HEAD ".global .u32 a[2] = 1;", "expected '{'", 2},
    {HEAD ".global .u32 a = {1};", "expected a constant", 2},
    {HEAD ".global .f32 a = 1;", "does not fit the type .f32", 2},
    {HEAD ".global .u32 a = 1.5;", "does not fit the type .u32", 2},
    {HEAD ".global .f16 a = 0x3c00;", "does not fit the type .f16", 2},
    {HEAD ".shared .u32 a = 1;", "cannot have initial values", 2},
    {HEAD ".global .u16 a = b;", "cannot hold an address", 2},
    {HEAD ".global .u64 a = b;", "b, in the initial value of a, is not defined", 0},
    {HEAD ".global .u32 b; .global .u8 a[2] = {0xFF(b), 0xFF00(b)};", "only part of an address", 2},
    {HEAD ".global .u32 b; .global .u8 a = 0xFF00(b);", "not in order", 2},
    {HEAD ".global .u32 a = 1/0;", "divided by zero", 2},
    {HEAD ".global .u64 a = 18446744073709551616;", "does not fit in 64 bits", 2},
    {HEAD ".global .f32 a = 0f3F80;", "8 hexadecimal digits", 2},
    {HEAD ".global .f64 a = 0d3FF00000000000000;", "16 hexadecimal digits", 2},
    {HEAD ".global .u32 a = 0x;", "has no digits", 2},
    {HEAD ".global .u32 a = 12ab;", "letter follows a number", 2},
    {HEAD ".func f() { ret; } .func f() { ret; }", "f is defined twice", 2},
    {HEAD ".func f(.param .b32 a); .func f(.param .b64 a) { ret; }", "declared differently", 2},
    {HEAD ".func f(); .entry f() { ret; }", "declared differently", 2},
    {HEAD ".func f(.param .b32 a, .param .b32 a);", "a is declared twice", 2},
    {HEAD ".func f(.reg .b32 a[2]);", "does not fit a register", 2},
    {HEAD ".func f(.reg .v8 .b32 a);", "does not fit a register", 2},
    {HEAD ".func f(.reg .b32 a) { .reg .b32 a; }", "a is declared twice", 2},
    {HEAD ".entry f(.reg .b32 a) { ret; }", "a kernel parameter must not be a register", 2},
    {HEAD ".func f(.param .pred a);", "only registers can be .pred", 2},
    {HEAD ".func f(.param .b32 a) { .reg .b32 a; }", "a is declared twice", 2},
    {HEAD ".func f() .maxntid", "expected a number but the text ends", 2},
    {HEAD ".func f() .maxntid 4000000000, 4000000000 { ret; }", "too large", 2},
    {HEAD ".func f() .wrong { ret; }", "expected '{' or ';'", 2},
    {HEAD ".func f() { ret;", "expected an instruction but the text ends", 2},
    {HEAD ".func g(); .alias f, g;", "cannot be an alias", 2},
    {HEAD ".func f() { ret; } .func g() { .func h() { ret; } }", "not allowed here", 2},
};

/* Kernel bodies, in line 3 of the text, that the parser must reject. */
static const struct malformed_case malformed_bodies[] = {
    {"mov.u32 %r1, 1", "expected ';' but found '}'", 4},
    {"mov.u32 %r1, %x1;", "%x1 is not defined", 3},
    {"mov.u32 %r99, 1;", "%r99 is not defined", 3},
    {"mov.u32 %r01, 1;", "%r01 is not defined", 3},
    {"mov.u32 %r1, %envreg32;", "%envreg32 is not defined", 3},
    {"@%r1 ret;", "%r1 is not a predicate", 3},
    {"@p ret;", "p is not a register", 3},
    {"@%p1 { ret; }", "expected an instruction but found '{'", 3},
    {"@%p1", "expected an instruction but found '}'", 4},
    {"bra NOWHERE;", "NOWHERE is not a label of this function", 3},
    {"bra k;", "k is not a label", 3},
    {"bra %r1;", "%r1 is not a label", 3},
    {"bra IN; { IN: ret; }", "IN is not a label", 3},
    {"L: ret; L: ret;", "L is declared twice", 3},
    {"brx.idx %r1, L; L: ret;", "L is not defined", 3},
    {"L: brx.idx %r1, L;", "L is not a .branchtargets list", 3},
    {"w: .branchtargets NOWHERE; brx.idx %r1, w;", "NOWHERE is not a label", 3},
    {"w: .branchtargets ; ret;", "expected a name", 3},
    {"call f;", "f is not defined", 3},
    {"call 5;", "only functions and registers", 3},
    {"call p;", "only functions and registers", 3},
    {"call %rd1, (p);", "has no prototype", 3},
    {"call %rd1, (p), p;", "p is not a .callprototype", 3},
    {"call ((p)), k;", "expected a constant", 3},
    {"w: .calltargets p;", "p is not a function", 3},
    {".reg .b32 %r3; mov.u32 %r3, 1;", "%r3 is declared twice", 3},
    {".reg .b32 %r<5>;", "%r is declared twice", 3},
    {".reg .b32 x<4294967296>;", "at most 4294967295", 3},
    {".reg .v2 .b32 x; call x, ();", "a vector register cannot be an operand here", 3},
    {".reg .v2 .pred x; @x ret;", "x is a vector register", 3},
    {".reg .v2 .b32 x; .reg .b32 x;", "x is declared twice", 3},
    {".reg .v2 .b32 x<40000>; mov.b64 %rd1, x39999; mov.b64 %rd1, x40000;", "x40000 is not defined",
     3},
    {".reg .b32;", "expected a name", 3},
    {".reg x;", "expected a register's type", 3},
    {".entry other() { ret; }", "not allowed here", 3},
    {"} }", "expected a directive but found '}'", 3},
    {".loc 1 2", "expected a column", 4},
    {".loc 1 2 3, wrong\n ret;", "expected function_name or inlined_at", 3},
    {".loc 70000 2 3\n ret;", "at most 65535", 3},
    {".loc 1 5000000000 3\n ret;", "at most 4294967295", 3},
    {"unknown.op (((;", "a closing bracket", 0},
    {"unknown.op ];", "expected ';' but found ']'", 3},
    {";", "expected an instruction but found ';'", 3},
};

/* Kernel bodies with operands of unknown forms: an error only when execution reaches them. */
static const struct malformed_case odd_bodies[] = {
    {".reg .v2 .b32 x; mov.u32 %r1, x.z;", "expected an element of a vector but found '.z'", 3},
    {".reg .v2 .b32 x; mov.b64 %rd1, {x, x};", "a vector register cannot be an operand here", 3},
    {".reg .v2 .b64 x; ld.u32 %r1, [x];", "a vector register cannot be an operand here", 3},
    {"mov.u32 %r1, -%r2;", "expected a constant but found '%r2'", 3},
    {"mov.u32 %r1, ;", "expected a constant but found ';'", 3},
    {"mov.u32 %r1, 1,;", "expected a constant", 3},
    {"mov.u32 %r1, {{%r1}};", "expected a constant but found '{'", 3},
    {"mov.u32 %r1, {};", "expected a constant", 3},
    {"mov.u32 %r1, [[%rd1]];", "expected a constant but found '['", 3},
    {"mov.u32 %r1, {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1};", "more than 8 operands", 3},
    {"mov.u32 %r1, %r1, %r1, %r1, %r1, %r1, %r1;", "more than 6 operands", 3},
    {"ld.global.u32 %r1, [k];", "an address must be", 3},
    {"ld.global.u32 %r1, [%tid.x];", "an address must be", 3},
    {"ld.global.u32 %r1, [1.5];", "an address must be", 3},
    {"ld.global.u32 %r1, [%rd1+%rd2];", "expected a constant", 3},
    {"and.pred %p1, %p2, !%r1;", "%r1 is not a predicate", 3},
    {"L: mov.u32 %r1, L;", "L cannot be an operand", 3},
    {"setp.eq.s32 %p1|k, %r1, %r2;", "k is not a register", 3},
    {"add.u32 %r1, %r2 -> %r3;", "expected ';' but found '-'", 3},
    {"mov.u32 %r1, 1 mov.u32 %r1, 1;", "expected ';' but found 'mov'", 3},
    {"vavrg2.u32.u32.u32 %r1.h7, %r1, %r1, %r1;", "expected parts of one register", 3},
};

static void expect_failure(const char *text, size_t length, const struct malformed_case *test)
{
    struct ptx_module module;
    struct failure failure = {0};
    char position[32];
    snprintf(position, sizeof position, "t.ptx:%u: ", test->line);
    if (ptx_parse(text, length, "t.ptx", &module, &failure))
        fail_msg("parsed without a failure: %s", test->text);
    assert_int_equal(failure.kind, FAILURE_STUDENT);
    if (!strstr(failure.text, test->message) ||
        (test->line && strncmp(failure.text, position, strlen(position)) != 0))
        fail_msg("\"%s\" gives \"%s\", not \"%s%s\"", test->text, failure.text, position,
                 test->message);
    assert_null(module.arena);
}

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed_modules / sizeof *malformed_modules; i++)
        expect_failure(malformed_modules[i].text, strlen(malformed_modules[i].text),
                       &malformed_modules[i]);
    for (size_t i = 0; i < sizeof malformed_bodies / sizeof *malformed_bodies; i++) {
        struct text text = {0};
        text_add(&text, "%s%s\n}", KERNEL, malformed_bodies[i].text);
        expect_failure(text.bytes, text.length, &malformed_bodies[i]);
        free(text.bytes);
    }
}

static void test_odd_operands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof odd_bodies / sizeof *odd_bodies; i++) {
        struct text text = {0};
        struct ptx_module module;
        struct failure failure = {0};
        text_add(&text, "%s%s\nmov.u32 %%r1, 1;\n}", KERNEL, odd_bodies[i].text);
        if (!ptx_parse(text.bytes, text.length, "t.ptx", &module, &failure))
            fail_msg("%s", failure.text);
        const struct ptx_function *function = &module.functions[module.function_count - 1];
        assert_int_equal(function->instruction_count, 2);
        assert_int_equal(function->instructions[0].opcode, PTX_OP_UNKNOWN);
        assert_int_equal(function->instructions[0].operand_count, 0);
        if (!strstr(function->instructions[0].problem, odd_bodies[i].message))
            fail_msg("%s: %s", odd_bodies[i].text, function->instructions[0].problem);
        assert_int_equal(function->instructions[1].opcode, PTX_OP_MOV);
        assert_null(function->instructions[1].problem);
        ptx_module_free(&module);
        free(text.bytes);
    }
}

/* Parse `head`, `count` times `repeated`, and `tail`. The failure must contain `message`. If
 * `message` is NULL, the parser must accept the text. */
static void expect_repeated(const char *head, const char *repeated, size_t count, const char *tail,
                            const char *message)
{
    size_t size = strlen(repeated), at = strlen(head);
    char *text = malloc(at + count * size + strlen(tail) + 1);
    assert_non_null(text);
    memcpy(text, head, at);
    for (size_t i = 0; i < count; i++, at += size)
        memcpy(text + at, repeated, size);
    strcpy(text + at, tail);
    struct ptx_module module;
    struct failure failure = {0};
    bool parsed = ptx_parse(text, strlen(text), "t.ptx", &module, &failure);
    if (parsed)
        ptx_module_free(&module);
    free(text);
    if (!message && !parsed)
        fail_msg("%s", failure.text);
    if (message && (parsed || !strstr(failure.text, message)))
        fail_msg("\"%s\", not \"%s\"", failure.text, message);
}

static void test_limits(void **state)
{
    (void)state;
    expect_repeated(KERNEL, "{", 62, "", "the text ends");
    expect_repeated(KERNEL, "{", 63, "", "nested more than");
    expect_repeated(KERNEL, "{", 1000000, "", "nested more than");
    expect_repeated(HEAD ".section .x ", "{", 1000000, "", "a closing bracket");
    expect_repeated(HEAD ".global .u32 a = ", "(", 1000000, "", "nested too deeply");
    expect_repeated(HEAD ".global .u32 a = ", "-", 1000000, "", "nested too deeply");
    expect_repeated(HEAD ".global .u32 a = 1", "+1", 100000, ";", NULL);
    expect_repeated(HEAD ".global .u32 a = ", "1", 1000000, ";", "does not fit in 64 bits");
    expect_repeated(HEAD ".global .f32 a = 1.", "1", 1000000, ";", "too long");
    expect_repeated(HEAD ".global .u8 ", "a", 1000000, ";", NULL);
    expect_repeated(KERNEL "mov", ".u32", 1000, " %r1, 1; }", "name is too long");
    expect_repeated(KERNEL "mov", ".u32", 50, " %r1, 1; }", NULL); /* The instruction is opaque. */
    expect_repeated(KERNEL, "ret;", PTX_MAX_INSTRUCTIONS, "}", NULL);
    expect_repeated(KERNEL, "ret;", PTX_MAX_INSTRUCTIONS + 1, "}", "instructions");
    expect_repeated(HEAD ".func f(.param .b32 _", ", .param .b32 _", 254, ");", NULL);
    expect_repeated(HEAD ".func f(.param .b32 _", ", .param .b32 _", 255, ");", "255 parameters");
    expect_repeated(KERNEL "call (_", ", _", 255, "), k;}", "more than 255 operands");
}

static void test_register_limit(void **state)
{
    (void)state;
    for (unsigned extra = 0; extra < 2; extra++) {
        struct text text = {0};
        text_add(&text, "%s.entry k() { .reg .b32 %%r<70000>;\n", HEAD);
        for (unsigned i = 0; i < PTX_MAX_REGISTERS + extra; i++)
            text_add(&text, "mov.u32 %%r%u, 1;\n", i);
        text_add(&text, "}");
        struct ptx_module module;
        struct failure failure = {0};
        assert_int_equal(ptx_parse(text.bytes, text.length, "t.ptx", &module, &failure), !extra);
        assert_int_equal(failure.kind, extra ? FAILURE_STUDENT : FAILURE_NONE);
        ptx_module_free(&module);
        free(text.bytes);
    }
}

static void test_shared_targets(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct text text = {0};
    text_add(&text, "%sw: .branchtargets L0", KERNEL);
    for (unsigned i = 1; i < COUNT; i++)
        text_add(&text, ", L%u", i);
    text_add(&text, ";\n");
    for (unsigned i = 0; i < COUNT; i++)
        text_add(&text, "L%u: @%%p1 brx.idx %%r1, w;\n", i);
    text_add(&text, "ret; }");
    struct ptx_module module;
    parse_text(text.bytes, &module);
    free(text.bytes);
    assert_int_equal(module.functions[0].instructions[0].reconverge, COUNT - 1);
    assert_int_equal(module.functions[0].instructions[COUNT - 1].reconverge, COUNT);
    ptx_module_free(&module);
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

static size_t token_at(const char *text, size_t length, size_t at, size_t *start)
{
    size_t end = at + 1;
    if (is_word_character(text[at])) {
        while (at > 0 && is_word_character(text[at - 1]))
            at--;
        while (end < length && is_word_character(text[end]))
            end++;
    }
    *start = at;
    return end - at;
}

/* Returns the new length, or the old length if the result exceeds `capacity`. */
static size_t replace(char *text, size_t length, size_t capacity, size_t at, size_t removed,
                      const char *with, size_t added)
{
    if (length - removed + added > capacity)
        return length;
    memmove(text + at + added, text + at + removed, length - at - removed);
    memcpy(text + at, with, added);
    return length - removed + added;
}

static size_t mutate(char *text, size_t length, size_t capacity, uint32_t *seed)
{
    static const char *const spices[] = {
        "{",
        "}",
        ";",
        ",",
        "(",
        ")",
        "[",
        "]",
        "|",
        "@",
        ":",
        "<4000000000>",
        "-",
        "0x",
        "\"",
        "_",
        "18446744073709551615",
        "-9223372036854775808",
        "/*",
        "//",
        ".reg",
        ".param",
        "bra",
        "call",
        "%r3",
        "SAME",
        "twice",
        ".b8 x[4294967296]",
        "1e999",
        ".loc 1 1 1",
        "\0",
        "\x80",
    };
    char token[64];
    size_t start, other;
    size_t size = token_at(text, length, next_random(seed) % length, &start);
    size_t other_size = token_at(text, length, next_random(seed) % length, &other);
    const char *spice = spices[next_random(seed) % (sizeof spices / sizeof *spices)];
    if (other_size > sizeof token)
        other_size = sizeof token;
    memcpy(token, text + other, other_size);
    switch (next_random(seed) % 6) {
    case 0:
        text[start] = (char)(text[start] ^ 1 << next_random(seed) % 8);
        return length;
    case 1:
        return replace(text, length, capacity, start, size, "", 0);
    case 2:
        return replace(text, length, capacity, start, size, token, other_size);
    case 3:
        return replace(text, length, capacity, start, 0, token, other_size);
    case 4:
        return replace(text, length, capacity, start, size, spice,
                       strlen(spice) ? strlen(spice) : 1);
    default:
        size = next_random(seed) % 200;
        return replace(text, length, capacity, start, size < length - start ? size : length - start,
                       "", 0);
    }
}

static void mutate_file(const char *path, unsigned rounds)
{
    size_t size, parsed = 0;
    char *original = read_file(path, &size);
    char *text = malloc(2 * size);
    uint32_t seed = 20100;
    assert_non_null(text);
    for (unsigned round = 0; round < rounds; round++) {
        size_t length = size;
        memcpy(text, original, size);
        for (unsigned i = next_random(&seed) % 3 + 1; i > 0 && length > 0; i--)
            length = mutate(text, length, 2 * size, &seed);
        /* The allocation has exactly this length, so that sanitizers detect reads past the end. */
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        struct ptx_module module;
        struct failure failure = {0};
        bool done = ptx_parse(copy, length, "t.ptx", &module, &failure);
        free(copy);
        parsed += done;
        if (done)
            check_module(&module);
        else
            assert_int_equal(failure.kind, FAILURE_STUDENT);
        ptx_module_free(&module);
    }
    assert_true(parsed > rounds / 50 && parsed < rounds);
    free(text);
    free(original);
}

static void test_mutations(void **state)
{
    (void)state;
    mutate_file(TESTDATA "ptx_features.ptx", 18000);
    mutate_file(TESTDATA "ptx_control_nvcc.ptx", 1000);
    mutate_file(TESTDATA "ptx_calls_nvcc.ptx", 1000);
    mutate_file(TESTDATA "ptx_calls_clang.ptx", 500);
}

static void test_truncations(void **state)
{
    (void)state;
    size_t size;
    char *text = read_file(TESTDATA "ptx_features.ptx", &size);
    for (size_t length = 0; length < size; length++) {
        char *copy = malloc(length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, text, length);
        struct ptx_module module;
        struct failure failure = {0};
        if (ptx_parse(copy, length, "t.ptx", &module, &failure))
            check_module(&module);
        ptx_module_free(&module);
        free(copy);
    }
    free(text);
}

static void test_nothing(void **state)
{
    (void)state;
    struct ptx_module module = {0};
    assert_null(ptx_find_function(&module, "k"));
    assert_null(ptx_find_variable(&module, "k"));
    ptx_module_free(&module);
    assert_int_equal(ptx_type_bytes(PTX_F64), 8);
    assert_int_equal(ptx_type_bytes(PTX_PRED), 0);
    assert_string_equal(ptx_type_name(PTX_BF16X2), "bf16x2");
}

static void test_capabilities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned capability;
    } cases[] = {
        {"add.s32 %r1, %r2, %r3;", 10},
        {"fma.rn.f32 %f1, %f2, %f3, %f1;", 10},
        {"div.rn.f32 %f1, %f2, %f3;", 10},
        {"lop3.b32 %r1, %r2, %r3, %r1, 1;", 10},
        {"prmt.b32 %r1, %r2, %r3, 1;", 10},
        {"shf.l.wrap.b32 %r1, %r2, %r3, 1;", 10},
        {"popc.b32 %r1, %r2;", 10},
        {"cvta.to.global.u64 %d1, %d2;", 10},
        {"ld.global.nc.f32 %f1, [%d1];", 10},
        {"ld.global.cg.L1::no_allocate.f32 %f1, [%d1];", 10},
        {"ld.u32 %r1, [%d1];", 10},
        {"st.volatile.shared.u32 [%r1], %r2;", 10},
        {"bar.sync 0;", 10},
        {"bar.warp.sync -1;", 10},
        {"membar.gl;", 10},
        {"atom.global.add.u32 %r1, [%d1], 1;", 11},
        {"red.global.add.u32 [%d1], 1;", 11},
        {"atom.shared.add.u32 %r1, [%r2], 1;", 12},
        {"red.global.add.u64 [%d1], %d2;", 12},
        {"vote.any.pred %p1, %p2;", 12},
        {"add.f64 %l1, %l2, %l3;", 13},
        {"st.global.f64 [%d1], %l1;", 13},
        {"cvt.rn.f32.f64 %f1, %l1;", 13},
        {"bar.sync 1, 64;", 20},
        {"bar.arrive 1, 64;", 20},
        {"bar.sync %r1;", 20},
        {"bar.red.popc.u32 %r1, 0, %p1;", 20},
        {"membar.sys;", 20},
        {"vote.ballot.b32 %r1, %p1;", 20},
        {"atom.global.add.f32 %f1, [%d1], %f2;", 20},
        {"red.shared.add.f32 [%r1], %f2;", 20},
        {"atom.shared.cas.b64 %d1, [%r2], %d2, %d3;", 20},
        {"mov.u64 %d1, %clock64;", 20},
        {"mov.u32 %r1, %lanemask_lt;", 20},
        {"testp.finite.f32 %p1, %f1;", 20},
        {"vadd.s32.s32.s32 %r1, %r2, %r3;", 20},
        {"shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", 30},
        {"shfl.down.b32 %r1, %r2, 1, 31;", 30},
        {"vote.sync.all.pred %p1, %p2, -1;", 30},
        {"vote.sync.ballot.b32 %r1, %p2, -1;", 30},
        {"activemask.b32 %r1;", 30},
        {"mov.u64 %d1, %globaltimer;", 30},
        {"fns.b32 %r1, %r2, 0, 1;", 30},
        {"vadd4.s32.s32.s32 %r1, %r2, %r3, %r1;", 30},
        {"barrier.sync 0;", 30},
        {"atom.global.max.u64 %d1, [%d2], %d3;", 32},
        {"red.global.or.b64 [%d2], %d3;", 32},
        {"add.f16 %h1, %h2, %h3;", 53},
        {"fma.rn.f16x2 %r1, %r2, %r3, %r1;", 53},
        {"setp.lt.f16 %p1, %h1, %h2;", 53},
        {"atom.global.add.f64 %l1, [%d1], %l2;", 60},
        {"red.global.add.f64 [%d1], %l2;", 60},
        {"atom.global.cta.add.u32 %r1, [%d1], 1;", 60},
        {"red.global.sys.add.u32 [%d1], 1;", 60},
        {"atom.global.add.noftz.f16x2 %r1, [%d1], %r2;", 60},
        {"dp4a.s32.s32 %r1, %r2, %r3, %r1;", 61},
        {"dp2a.lo.s32.s32 %r1, %r2, %r3, %r1;", 61},
        {"match.any.sync.b32 %r1, %r2, -1;", 70},
        {"nanosleep.u32 100;", 70},
        {"fence.acq_rel.gpu;", 70},
        {"ld.acquire.gpu.global.u32 %r1, [%d1];", 70},
        {"st.relaxed.sys.global.u32 [%d1], %r1;", 70},
        {"atom.global.acq_rel.gpu.add.u32 %r1, [%d1], 1;", 70},
        {"atom.global.cas.b16 %h1, [%d1], %h2, %h3;", 70},
        {"atom.global.add.noftz.f16 %h1, [%d1], %h2;", 70},
        {"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
         "{%r1,%r2}, {%r1,%r2,%r3,%r4};",
         70},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", 75},
        {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", 75},
        {"tanh.approx.f32 %f1, %f2;", 75},
        {"ex2.approx.f16 %h1, %h2;", 75},
        {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2}, {%r3}, "
         "{%r1,%r2};",
         75},
        {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, "
         "{%r1,%r2}, {%r1,%r2};",
         80},
        {"redux.sync.add.s32 %r1, %r2, -1;", 80},
        {"cp.async.ca.shared.global [%r1], [%d1], 16;", 80},
        {"cp.async.wait_all;", 80},
        {"mbarrier.init.shared.b64 [%r1], 32;", 80},
        {"createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;", 80},
        {"min.f16 %h1, %h2, %h3;", 80},
        {"max.NaN.f32 %f1, %f2, %f3;", 80},
        {"fma.rn.bf16x2 %r1, %r2, %r3, %r1;", 80},
        {"cvt.rn.bf16.f32 %h1, %f1;", 80},
        {"min.xorsign.abs.f32 %f1, %f2, %f3;", 86},
        {"add.bf16 %h1, %h2, %h3;", 90},
        {"elect.sync %r1|%p1, -1;", 90},
        {"griddepcontrol.wait;", 90},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};", 90},
        {"mbarrier.try_wait.shared.b64 %p1, [%r1], %d1;", 90},
        {"barrier.cluster.arrive;", 90},
        {"atom.global.exch.b128 %q1, [%d1], %q2;", 90},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        struct ptx_module module;
        snprintf(text, sizeof text,
                 ".version 8.8\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
                 ".reg .pred %%p<5>;\n.reg .b16 %%h<5>;\n.reg .b32 %%r<5>;\n.reg .b64 %%d<5>;\n"
                 ".reg .f32 %%f<5>;\n.reg .f64 %%l<5>;\n.reg .b128 %%q<5>;\n%s\n}\n",
                 cases[i].text);
        parse_text(text, &module);
        unsigned found = ptx_capability(&module.functions[0].instructions[0]);
        if (found != cases[i].capability)
            fail_msg("%s: %u instead of %u", cases[i].text, found, cases[i].capability);
        ptx_module_free(&module);
    }
}

static void test_arena(void **state)
{
    static const struct {
        size_t bytes, used;
    } sizes[] = {{1, 16},  {15, 16}, {16, 16}, {17, 32},       {31, 32},
                 {32, 32}, {0, 0},   {16, 16}, {16384, 16384}, {16, 16}};
    (void)state;
    struct ptx_arena *arena = ptx_arena_create();
    assert_non_null(arena);
    unsigned char *next = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *bytes = ptx_arena_allocate(arena, sizes[i].bytes);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        if (next)
            assert_ptr_equal(bytes, next);
        for (size_t k = 0; k < sizes[i].bytes; k++)
            assert_int_equal(bytes[k], 0);
        memset(bytes, 0xff, sizes[i].bytes);
        next = bytes + sizes[i].used;
    }
    /* A large object has its own block. The next small object is still in the shared block. */
    unsigned char *large = ptx_arena_allocate(arena, 16385);
    assert_non_null(large);
    memset(large, 0xff, 16385);
    assert_ptr_equal(ptx_arena_allocate(arena, 16), next);
    assert_null(ptx_arena_allocate(arena, SIZE_MAX));
    assert_null(ptx_arena_allocate(arena, SIZE_MAX - 15));
    char *text = ptx_arena_text(arena, "texture", 4);
    assert_string_equal(text, "text");
    assert_string_equal(ptx_arena_text(arena, NULL, 0), "");
    text = ptx_arena_text(arena, "sixteen letters.", 16);
    assert_non_null(text);
    assert_ptr_equal(ptx_arena_allocate(arena, 1), text + 32); /* The NUL is the 17th byte. */
    ptx_arena_free(arena);
    ptx_arena_free(NULL);
}

/* A block has 64 KiB. An object that does not fit into the current block begins a new block. */
static void test_arena_blocks(void **state)
{
    enum { BYTES = 16384, BLOCKS = 8, EACH = 4 };
    (void)state;
    struct ptx_arena *arena = ptx_arena_create();
    unsigned char *objects[BLOCKS * EACH];
    assert_non_null(arena);
    for (unsigned i = 0; i < BLOCKS * EACH; i++) {
        objects[i] = ptx_arena_allocate(arena, BYTES);
        assert_non_null(objects[i]);
        memset(objects[i], (int)i + 1, BYTES);
        if (i % EACH)
            assert_ptr_equal(objects[i], objects[i - 1] + BYTES);
    }
    for (unsigned i = 0; i < BLOCKS * EACH; i++)
        assert_true(objects[i][0] == i + 1 && objects[i][BYTES - 1] == i + 1);
    ptx_arena_free(arena);
    arena = ptx_arena_create();
    assert_non_null(arena);
    unsigned char *large = ptx_arena_allocate(arena, BYTES + 1);
    assert_non_null(large);
    memset(large, 0xff, BYTES + 1);
    unsigned char *small = ptx_arena_allocate(arena, 16);
    assert_non_null(small);
    assert_int_equal(small[0], 0);
    memset(small, 0xff, 16);
    ptx_arena_free(arena);
}

static void test_vector(void **state)
{
    struct ptx_vector vector = {.item_bytes = sizeof(uint64_t)};
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        uint64_t *item = ptx_vector_push(&vector);
        assert_non_null(item);
        assert_int_equal(*item, 0);
        *item = ~i;
    }
    assert_int_equal(vector.count, 100);
    const size_t capacity = vector.capacity;
    assert_true(capacity >= 100);
    uint64_t *rest = ptx_vector_extend(&vector, capacity - 100);
    assert_non_null(rest);
    assert_int_equal(vector.capacity, capacity);
    assert_non_null(ptx_vector_extend(&vector, 5 * capacity));
    assert_int_equal(vector.count, 6 * capacity);
    for (uint64_t i = 0; i < vector.count; i++)
        assert_true(((uint64_t *)vector.items)[i] == (i < 100 ? ~i : 0));
    assert_null(ptx_vector_extend(&vector, SIZE_MAX / 16));
    assert_null(ptx_vector_extend(&vector, SIZE_MAX));
    assert_int_equal(vector.count, 6 * capacity);

    struct ptx_arena *arena = ptx_arena_create();
    assert_non_null(arena);
    const uint64_t *moved = ptx_vector_move(&vector, arena);
    assert_non_null(moved);
    for (uint64_t i = 0; i < 6 * capacity; i++)
        assert_true(moved[i] == (i < 100 ? ~i : 0));
    assert_int_equal(vector.count, 0);
    assert_non_null(ptx_vector_move(&vector, arena));
    assert_int_equal(*(uint64_t *)ptx_vector_push(&vector), 0);
    ptx_arena_free(arena);
    free(vector.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_nvcc_variables),
        cmocka_unit_test(test_nvcc_calls),
        cmocka_unit_test(test_nvcc_inlined_lines),
        cmocka_unit_test(test_clang),
        cmocka_unit_test(test_large_module),
        cmocka_unit_test(test_features_module),
        cmocka_unit_test(test_features_operands),
        cmocka_unit_test(test_features_labels_and_lines),
        cmocka_unit_test(test_register_ranges),
        cmocka_unit_test(test_names_across_functions),
        cmocka_unit_test(test_initial_limit),
        cmocka_unit_test(test_linked),
        cmocka_unit_test(test_scopes_and_offsets),
        cmocka_unit_test(test_locations_are_of_a_function),
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_reconvergence),
        cmocka_unit_test(test_reconvergence_of_random_graphs),
        cmocka_unit_test(test_large_function),
        cmocka_unit_test(test_shared_targets),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_odd_operands),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_register_limit),
        cmocka_unit_test(test_truncations),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_blocks),
        cmocka_unit_test(test_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
