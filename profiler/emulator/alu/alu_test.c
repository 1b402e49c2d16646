/* Tests of the arithmetic against results recorded on hardware (testdata/alu_h200.txt), values
 * computed by hand from the PTX ISA, and the host's integers, for all instruction sets. */
#include "emulator/testdata/alu_operands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#define HARDWARE_RESULTS "profiler/emulator/testdata/alu_h200.txt"

enum {
    ALL = -1,
    PATTERN = 0x5a,
    REGISTER_BYTES = LANES * 8,
    DESTINATION = 64,
    DESTINATION2 = DESTINATION + REGISTER_BYTES,
    SOURCES = DESTINATION2 + REGISTER_BYTES,
    FRAME_BYTES = SOURCES + OPERANDS * REGISTER_BYTES,
};

struct machine {
    unsigned char frame[FRAME_BYTES] __attribute__((aligned(64)));
    struct listed listed;
    struct alu_operation operation;
    struct instruction instruction;
};

static uint8_t stride_of(enum ptx_type type)
{
    const unsigned bytes = ptx_type_bytes(type);
    return (uint8_t)(bytes == 1 ? 2 : bytes);
}

static bool machine_prepare(struct machine *machine, enum alu_isa isa, const char *text)
{
    memset(machine, 0, sizeof *machine);
    memset(machine->frame, PATTERN, sizeof machine->frame);
    assert_true(listed_parse(text, &machine->listed));
    if (!alu_isa_select(isa, &machine->listed.instruction, &machine->operation))
        return false;
    const struct alu_operation *operation = &machine->operation;
    struct instruction *instruction = &machine->instruction;
    instruction->handler = operation->handler;
    instruction->control = operation->control;
    instruction->destination = (struct operand){
        .offset = DESTINATION, .stride = stride_of(operation->destination_type), .used = true};
    instruction->destination2 =
        (struct operand){.offset = DESTINATION2, .used = listed_pair(&machine->listed)};
    for (unsigned k = 0; k < operation->source_count; k++)
        instruction->source[k] =
            (struct operand){.offset = SOURCES + k * REGISTER_BYTES,
                             .stride = stride_of(operation->source_type[k]),
                             .used = true,
                             .negated = k == 2 && listed_negates(&machine->listed, operation)};
    return true;
}

static void machine_run(struct machine *machine, uint32_t mask)
{
    struct lanes lanes = {{machine->frame, machine->frame}};
    machine->operation.handler(&machine->instruction, &lanes, mask);
}

static void machine_set(struct machine *machine, const struct operand *operand, unsigned lane,
                        uint64_t value)
{
    unsigned char *place = machine->frame + operand->offset;
    if (operand->stride) {
        memcpy(place + lane * operand->stride, &value, operand->stride);
        return;
    }
    uint32_t bits;
    memcpy(&bits, place, sizeof bits);
    bits = (bits & ~lane_bit[lane]) | (value & 1 ? lane_bit[lane] : 0);
    memcpy(place, &bits, sizeof bits);
}

static uint64_t machine_get(const struct machine *machine, const struct operand *operand,
                            unsigned lane)
{
    const unsigned char *place = machine->frame + operand->offset;
    uint64_t value = 0;
    memcpy(&value, operand->stride ? place + lane * operand->stride : place,
           operand->stride ? operand->stride : 4);
    return operand->stride ? value : value >> lane & 1;
}

static const struct operand carry_flags = {.offset = 0, .stride = 0};

static uint64_t machine_result(const struct machine *machine, unsigned lane)
{
    uint64_t result = machine_get(machine, &machine->instruction.destination, lane);
    if (machine->instruction.destination2.used)
        result |= machine_get(machine, &machine->instruction.destination2, lane) << 1;
    if (listed_carries(&machine->listed))
        result += machine_get(machine, &carry_flags, lane)
                  << (machine->instruction.destination.stride == 8 ? 63 : 32);
    return result;
}

static void machine_load(struct machine *machine, uint64_t values[OPERANDS][OPERAND_SETS],
                         unsigned warp)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned set = warp * LANES + lane;
        for (unsigned k = 0; k < machine->operation.source_count; k++)
            machine_set(machine, &machine->instruction.source[k], lane, values[k][set]);
        if (listed_carries(&machine->listed))
            machine_set(machine, &carry_flags, lane, values[3][set]);
    }
}

/* Returns the result of instruction `text`. The test fails unless the result is the same in every
 * lane and with every instruction set. Bit 0 of d is the initial carry flag. */
static uint64_t evaluate(const char *text, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t operands[OPERANDS] = {a, b, c, d};
    uint64_t first = 0;
    for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++) {
        struct machine machine;
        if (!alu_isa_available(isa))
            continue;
        if (!machine_prepare(&machine, isa, text))
            fail_msg("%s is not supported", text);
        for (unsigned lane = 0; lane < LANES; lane++) {
            for (unsigned k = 0; k < machine.operation.source_count; k++)
                machine_set(&machine, &machine.instruction.source[k], lane, operands[k]);
            machine_set(&machine, &carry_flags, lane, d);
        }
        machine_run(&machine, (uint32_t)ALL);
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint64_t result = machine_result(&machine, lane);
            if (isa == 0 && lane == 0)
                first = result;
            if (result != first)
                fail_msg("%s: lane %u of instruction set %u has %llx, not %llx", text, lane, isa,
                         (unsigned long long)result, (unsigned long long)first);
        }
    }
    return first;
}

typedef void check_listed(enum alu_isa isa, const char *text, uint64_t sum);

static void for_each_listed(check_listed *check)
{
    FILE *file = fopen(HARDWARE_RESULTS, "r");
    assert_non_null(file);
    char line[128];
    unsigned count = 0;
    while (fgets(line, sizeof line, file)) {
        char *text;
        uint64_t sum = strtoull(line, &text, 16);
        if (line[0] == '#' || *text != ' ')
            continue;
        line[strcspn(line, "\n")] = 0;
        for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++)
            if (alu_isa_available(isa))
                check(isa, text + 1, sum);
        count++;
    }
    fclose(file);
    assert_true(count > 1000);
}

static uint64_t values[OPERANDS][OPERAND_SETS];

static void check_sum(enum alu_isa isa, const char *text, uint64_t sum)
{
    static uint64_t results[OPERAND_SETS];
    struct machine machine;
    if (!machine_prepare(&machine, isa, text))
        fail_msg("%s is not supported", text);
    operands_fill(&machine.listed, &machine.operation, values, OPERAND_SETS);
    for (unsigned warp = 0; warp < WARPS; warp++) {
        machine_load(&machine, values, warp);
        machine_run(&machine, (uint32_t)ALL);
        for (unsigned lane = 0; lane < LANES; lane++)
            results[warp * LANES + lane] = machine_result(&machine, lane);
    }
    if (results_sum(results) != sum)
        fail_msg("%s on instruction set %u differs from the hardware", text, isa);
}

static void test_hardware(void **state)
{
    (void)state;
    for_each_listed(check_sum);
}

static void check_mask(enum alu_isa isa, const char *text, uint64_t sum)
{
    static struct machine full, part;
    uint64_t state = sum | 1;
    assert_true(machine_prepare(&full, isa, text));
    operands_fill(&full.listed, &full.operation, values, 3 * LANES);
    for (unsigned warp = 0; warp < 3; warp++) {
        const uint32_t mask = warp == 0 ? 1u << 31 : (uint32_t)(operand_random(&state) >> 32) | 1;
        assert_true(machine_prepare(&part, isa, text));
        machine_load(&full, values, warp);
        machine_load(&part, values, warp);
        const struct machine before = part;
        machine_run(&full, (uint32_t)ALL);
        machine_run(&part, mask);
        for (unsigned lane = 0; lane < LANES; lane++) {
            const struct machine *expected = mask & lane_bit[lane] ? &full : &before;
            if (machine_result(&part, lane) != machine_result(expected, lane))
                fail_msg("%s on instruction set %u: lane %u under mask %08x", text, isa, lane,
                         mask);
        }
        assert_memory_equal(part.frame + SOURCES, before.frame + SOURCES, FRAME_BYTES - SOURCES);
    }
}

static void test_masks(void **state)
{
    (void)state;
    for_each_listed(check_mask);
}

static void check_alias(enum alu_isa isa, const char *text, uint64_t sum)
{
    static struct machine apart, same;
    (void)sum;
    assert_true(machine_prepare(&apart, isa, text));
    operands_fill(&apart.listed, &apart.operation, values, 2 * LANES);
    machine_load(&apart, values, 1);
    machine_run(&apart, (uint32_t)ALL);
    for (unsigned k = 0; k < apart.operation.source_count; k++) {
        assert_true(machine_prepare(&same, isa, text));
        if (same.instruction.source[k].stride != same.instruction.destination.stride)
            continue;
        machine_load(&same, values, 1);
        same.instruction.destination.offset = same.instruction.source[k].offset;
        machine_run(&same, (uint32_t)ALL);
        for (unsigned lane = 0; lane < LANES; lane++)
            if (machine_result(&same, lane) != machine_result(&apart, lane))
                fail_msg("%s on instruction set %u into its source %u", text, isa, k);
    }
}

static void test_aliases(void **state)
{
    (void)state;
    for_each_listed(check_alias);
}

#define NAN32 0x7fffffffu
#define ONE32 0x3f800000u

static const struct example {
    const char *text;
    uint64_t a, b, c, d, result;
} examples[] = {
    {"add.s32", 0x7fffffff, 1, 0, 0, 0x80000000},
    {"add.sat.s32", 0x7fffffff, 1, 0, 0, 0x7fffffff},
    {"sub.sat.s32", 0x80000000, 1, 0, 0, 0x80000000},
    {"abs.s32", 0x80000000, 0, 0, 0, 0x80000000},
    {"abs.s16", 0x8000, 0, 0, 0, 0x8000},
    {"div.u32", 7, 0, 0, 0, 0xffffffff},
    {"rem.u32", 7, 0, 0, 0, 0xffffffff},
    {"div.s32", 0x80000000, 0xffffffff, 0, 0, 0x80000000},
    {"rem.s32", 0x80000000, 0xffffffff, 0, 0, 0},
    {"div.s32", (uint32_t)-7, 2, 0, 0, (uint32_t)-3},
    {"rem.s32", (uint32_t)-7, 2, 0, 0, (uint32_t)-1},
    {"div.u32", 0xffffffff, 3, 0, 0, 0x55555555},
    {"div.u32", 0xfffffffe, 0xffffffff, 0, 0, 0},
    {"div.s64", UINT64_C(1) << 63, UINT64_MAX, 0, 0, UINT64_C(1) << 63},
    {"rem.u64", 5, 0, 0, 0, UINT64_MAX},
    {"mul.wide.s32", 0xffffffff, 5, 0, 0, (uint64_t)-5},
    {"mul.wide.u32", 0xffffffff, 0xffffffff, 0, 0, UINT64_C(0xfffffffe00000001)},
    {"mad.wide.u16", 0xffff, 0xffff, 0xffffffff, 0, 0xfffe0000},
    {"mul.hi.s64", UINT64_MAX, 2, 0, 0, UINT64_MAX},
    {"mad.hi.sat.s32", 0x40000000, 0x40000000, 0x70000001, 0, 0x7fffffff},
    {"mul24.hi.u32", 0xffffff, 0xffffff, 0, 0, 0xfffffe00},
    {"mul24.lo.s32", 0xffffff, 3, 0, 0, 0xfffffffd},
    {"sad.s32", 0x80000000, 0x7fffffff, 1, 0, 0},
    {"shl.b32", 1, 32, 0, 0, 0},
    {"shl.b32", 1, 31, 0, 0, 0x80000000},
    {"shl.b64", 1, 63, 0, 0, UINT64_C(1) << 63},
    {"shl.b64", 1, 64, 0, 0, 0},
    {"shl.b16", 1, 16, 0, 0, 0},
    {"shr.s32", 0x80000000, 0xffffffff, 0, 0, 0xffffffff},
    {"shr.u32", 0x80000000, 32, 0, 0, 0},
    {"shr.s16", 0x8000, 40, 0, 0, 0xffff},
    {"shf.l.clamp.b32", 0x80000001, 0x12345678, 32, 0, 0x80000001},
    {"shf.l.wrap.b32", 0x80000001, 0x12345678, 33, 0, 0x2468acf1},
    {"shf.r.wrap.b32", 0x80000001, 0x12345678, 4, 0, 0x88000000},
    {"shf.r.clamp.b32", 0x80000001, 0x12345678, 99, 0, 0x12345678},
    {"popc.b64", 0xff00ff00ff00ff01, 0, 0, 0, 33},
    {"clz.b32", 0, 0, 0, 0, 32},
    {"clz.b64", 1, 0, 0, 0, 63},
    {"bfind.u32", 0, 0, 0, 0, 0xffffffff},
    {"bfind.s32", 0xfffffff0, 0, 0, 0, 3},
    {"bfind.shiftamt.u64", 1, 0, 0, 0, 63},
    {"brev.b32", 0x00000003, 0, 0, 0, 0xc0000000},
    {"fns.b32", 0xaaaaaaaa, 3, 3, 0, 7},
    {"fns.b32", 0xaaaaaaaa, 3, (uint32_t)-2, 0, 1},
    {"fns.b32", 0xaaaaaaaa, 2, 0, 0, 0xffffffff},
    {"fns.b32", 0x80000001, 1, 1, 0, 31},
    {"fns.b32", 0x80000001, 31, (uint32_t)-2, 0, 0},
    {"fns.b32", 0x80000000, 31, 0, 0, 31},
    {"bfe.u32", 0x12345678, 8, 12, 0, 0x456},
    {"bfe.s32", 0x80000000, 28, 16, 0, 0xfffffff8},
    {"bfe.s32", 0x12345678, 40, 0, 0, 0},
    {"bfe.u32", 0x12345678, 0, 200, 0, 0x12345678},
    {"bfi.b32", 0xff, 0x12345678, 8, 4, 0x12345f78},
    {"bfi.b32", 0xff, 0x12345678, 32, 4, 0x12345678},
    {"bfi.b64", 0xabc, 0, 60, 12, UINT64_C(0xc000000000000000)},
    {"bmsk.wrap.b32", 1, 2, 0, 0, 6},
    {"bmsk.clamp.b32", 8, 40, 0, 0, 0xffffff00},
    {"szext.wrap.u32", 0xffffffff, 0, 0, 0, 0},
    {"szext.clamp.s32", 0x80, 8, 0, 0, 0xffffff80},
    {"prmt.b32", 0x33221100, 0x77665544, 0x0123, 0, 0x00112233},
    {"prmt.b32", 0x33228100, 0x77665544, 0x9999, 0, 0xffffffff},
    {"prmt.b32.f4e", 0x33221100, 0x77665544, 3, 0, 0x66554433},
    {"prmt.b32.b4e", 0x33221100, 0x77665544, 1, 0, 0x66770011},
    {"prmt.b32.ecl", 0x33221100, 0x77665544, 2, 0, 0x33222222},
    {"lop3.b32", 0xf0, 0xcc, 0xaa, 0xe8, 0xe8},
    {"lop3.b32", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x1b, 0x1b1b1b1b},
    {"dp4a.s32.u32", 0xff01807f, 0x01020304, 10, 0, 10 - 1 + 2 - 384 + 508},
    {"dp2a.hi.s32.s32", 0xffff0002, 0x03ff0000, 0, 0, (uint32_t)(2 * -1 - 3)},
    {"cnot.b32", 0, 0, 0, 0, 1},
    {"cvt.pack.sat.u16.s32", 70000, (uint32_t)-1, 0, 0, 0xffff0000},
    {"cvt.pack.sat.s16.s32", (uint32_t)-40000, 40000, 0, 0, 0x80007fff},
    {"cvt.pack.sat.u8.s32.b32", 300, (uint32_t)-5, 0x1234, 0, 0x1234ff00},
    {"cvt.pack.sat.s8.s32.b32", (uint32_t)-200, 100, 0xabcd1234, 0, 0x12348064},
    {"cvt.pack.sat.u4.s32.b32", 20, 3, 0x12, 0, 0x12f3},
    {"cvt.pack.sat.s4.s32.b32", (uint32_t)-9, 9, 0, 0, 0x87},
    {"cvt.rn.satfinite.f16.f32", 0x7f800000, 0, 0, 0, 0x7bff},
    {"cvt.rn.satfinite.f16.f32", 0xc7800000, 0, 0, 0, 0xfbff},
    {"cvt.rn.satfinite.f16.f32", NAN32, 0, 0, 0, 0x7fff},
    {"cvt.rna.satfinite.tf32.f32", 0x7f7fffff, 0, 0, 0, 0x7f7fe000},
    {"cvt.rn.satfinite.relu.f16x2.f32", 0x7f800000, 0xbf800000, 0, 0, 0x7bff0000},
    {"cvt.rn.satfinite.bf16x2.f32", 0x7f7fffff, 0xff800000, 0, 0, 0x7f7fff7f},
    {"add.cc.u32", 0xffffffff, 1, 0, 0, UINT64_C(0x100000000)},
    {"addc.cc.u32", 0xffffffff, 0, 0, 1, UINT64_C(0x100000000)},
    {"addc.u32", 1, 1, 0, 1, UINT64_C(0x100000003)},
    {"sub.cc.u32", 1, 2, 0, 1, 0xffffffff},
    {"subc.u32", 5, 2, 0, 0, 2},
    {"selp.b32", 11, 22, 1, 0, 11},
    {"slct.b32.s32", 11, 22, (uint32_t)-1, 0, 22},
    {"slct.b32.f32", 11, 22, 0x80000000, 0, 11},
    {"slct.b32.f32", 11, 22, NAN32, 0, 22},
    {"slct.b32.f32", 11, 22, 0x80000001, 0, 22},
    {"slct.ftz.b32.f32", 11, 22, 0x80000001, 0, 11},
    {"add.f32", ONE32, 0x33800000, 0, 0, ONE32},
    {"add.f32", 0x3f800001, 0x33800000, 0, 0, 0x3f800002},
    {"add.rp.f32", ONE32, 1, 0, 0, 0x3f800001},
    {"add.rm.f32", ONE32, 0x80000001, 0, 0, 0x3f7fffff},
    {"add.rz.f32", 0xbf800000, 1, 0, 0, 0xbf7fffff},
    {"sub.rm.f32", ONE32, ONE32, 0, 0, 0x80000000},
    {"add.sat.f32", ONE32, ONE32, 0, 0, ONE32},
    {"add.sat.f32", NAN32, ONE32, 0, 0, 0},
    {"mul.sat.f32", 0xbf800000, ONE32, 0, 0, 0},
    {"add.ftz.f32", 0x007fffff, 0x00800000, 0, 0, 0x00800000},
    {"mul.ftz.f32", 0x80800000, 0x3f000000, 0, 0, 0x80000000},
    {"mul.f32", 0x80800000, 0x3f000000, 0, 0, 0x80400000},
    {"add.f32", 0x7f800000, 0xff800000, 0, 0, NAN32},
    {"add.f32", 0xffc00001, ONE32, 0, 0, NAN32},
    /* (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which is lost if the product is rounded. */
    {"fma.rn.f32", 0x3f800800, 0x3f800800, 0xbf801000, 0, 0x33800000},
    {"mad.f32", 0x3f800800, 0x3f800800, 0xbf801000, 0, 0x33800000},
    {"div.rn.f32", ONE32, 0x40400000, 0, 0, 0x3eaaaaab},
    {"div.rz.f32", ONE32, 0x40400000, 0, 0, 0x3eaaaaaa},
    {"div.approx.f32", ONE32, 0x7f000001, 0, 0, 0},
    {"div.approx.f32", 0x7f800000, 0x7f000001, 0, 0, NAN32},
    {"rcp.rn.f32", 0x80000000, 0, 0, 0, 0xff800000},
    {"sqrt.rn.f32", 0xbf800000, 0, 0, 0, NAN32},
    {"sqrt.rn.f32", 0x80000000, 0, 0, 0, 0x80000000},
    {"min.f32", 0x80000000, 0, 0, 0, 0x80000000},
    {"max.f32", 0x80000000, 0, 0, 0, 0},
    {"min.f32", NAN32, ONE32, 0, 0, ONE32},
    {"max.f32", NAN32, 0xffc00000, 0, 0, NAN32},
    {"min.NaN.f32", NAN32, ONE32, 0, 0, NAN32},
    {"max.xorsign.abs.f32", 0xc0000000, ONE32, 0, 0, 0xc0000000},
    {"copysign.f32", 0x80000000, ONE32, 0, 0, 0xbf800000},
    {"testp.normal.f32", 0, 0, 0, 0, 1},
    {"testp.subnormal.f32", 0x80000001, 0, 0, 0, 1},
    {"testp.finite.f64", UINT64_C(0x7ff0000000000000), 0, 0, 0, 0},
    {"add.f64", UINT64_C(0x7ff0000000000001), 0, 0, 0, UINT64_C(0x7ff8000000000001)},
    {"sqrt.rn.f64", UINT64_C(0xbff0000000000000), 0, 0, 0, UINT64_C(0xfff8000000000000)},
    {"mul.rp.f64", 1, 1, 0, 0, 1},
    {"add.f16", 0x7bff, 0x7bff, 0, 0, 0x7c00},
    {"mul.f16", 0x0001, 0x3800, 0, 0, 0},
    {"mul.f16", 0x0003, 0x3800, 0, 0, 2},
    {"add.sat.f16", 0x3c00, 0x3c00, 0, 0, 0x3c00},
    {"fma.rn.f16x2", 0x3c004000, 0x40004200, 0xbc00c600, 0, 0x3c000000},
    {"fma.rn.relu.f16", 0x3c00, 0xbc00, 0, 0, 0},
    {"fma.rn.bf16", 0x3f80, 0x3f80, 0x3b80, 0, 0x3f80},
    {"fma.rn.bf16", 0x3f81, 0x3f80, 0x3b80, 0, 0x3f82},
    {"neg.f16x2", 0x3c00fe00, 0, 0, 0, 0xbc007fff},
    /* Comparisons: bit 0 of the result is p, bit 1 is q. */
    {"setp.lt.s32", (uint32_t)-1, 0, 0, 0, 1},
    {"setp.lt.u32", (uint32_t)-1, 0, 0, 0, 2},
    {"setp.hs.u32", 3, 3, 0, 0, 1},
    {"setp.lt.f32", NAN32, ONE32, 0, 0, 2},
    {"setp.ltu.f32", NAN32, ONE32, 0, 0, 1},
    {"setp.ne.f32", NAN32, ONE32, 0, 0, 2},
    {"setp.neu.f32", NAN32, ONE32, 0, 0, 1},
    {"setp.eq.f32", 0x80000000, 0, 0, 0, 1},
    {"setp.eq.ftz.f32", 1, 0, 0, 0, 1},
    {"setp.nan.f64", 0, UINT64_C(0x7ff8000000000000), 0, 0, 1},
    {"setp.lt.and.s32", 1, 2, 1, 0, 0}, /* c is negated: p = true & false, q = false & false */
    {"setp.lt.and.s32", 1, 2, 0, 0, 1},
    {"setp.lt.or.s32", 1, 2, 0, 0, 3},
    {"setp.lt.xor.s32", 1, 2, 0, 0, 2},
    {"set.gt.u32.s32", 2, 1, 0, 0, 0xffffffff},
    {"set.gt.f32.s32", 2, 1, 0, 0, ONE32},
    {"set.le.u32.f16x2", 0x3c004000, 0x40003c00, 0, 0, 0xffff0000},
    {"cvt.s32.s8", 0x80, 0, 0, 0, 0xffffff80},
    {"cvt.u64.s32", 0xffffffff, 0, 0, 0, UINT64_MAX},
    {"cvt.u8.u32", 0x1ff, 0, 0, 0, 0xff},
    {"cvt.s8.u32", 0x1ff, 0, 0, 0, 0xffff},
    {"cvt.sat.u8.s32", (uint32_t)-5, 0, 0, 0, 0},
    {"cvt.sat.s8.s32", 300, 0, 0, 0, 127},
    {"cvt.rzi.s32.f32", 0xbfc00000, 0, 0, 0, (uint32_t)-1},
    {"cvt.rni.s32.f32", 0x40200000, 0, 0, 0, 2},
    {"cvt.rmi.s32.f32", 0xbfc00000, 0, 0, 0, (uint32_t)-2},
    {"cvt.rpi.u16.f32", 0x3f800001, 0, 0, 0, 2},
    {"cvt.rzi.s32.f32", 0x7f800000, 0, 0, 0, 0x7fffffff},
    {"cvt.rzi.u32.f32", 0xc0000000, 0, 0, 0, 0},
    {"cvt.rzi.u32.f32", 0x4f7fffff, 0, 0, 0, 0xffffff00},
    {"cvt.rzi.s32.f32", NAN32, 0, 0, 0, 0},
    {"cvt.rzi.s64.f32", NAN32, 0, 0, 0, UINT64_C(1) << 63},
    {"cvt.rzi.u8.f32", 0x43ff0000, 0, 0, 0, 255},
    {"cvt.rn.f32.u32", 0xffffffff, 0, 0, 0, 0x4f800000},
    {"cvt.rz.f32.u32", 0xffffffff, 0, 0, 0, 0x4f7fffff},
    {"cvt.rn.f32.s64", UINT64_C(0x7fffffffffffffff), 0, 0, 0, 0x5f000000},
    {"cvt.rn.f16.u64", 65520, 0, 0, 0, 0x7c00},
    {"cvt.rz.f16.u64", 70000, 0, 0, 0, 0x7bff},
    {"cvt.sat.f32.f32", 0x40000000, 0, 0, 0, ONE32},
    {"cvt.rmi.f32.f32", 0xbf000000, 0, 0, 0, 0xbf800000},
    {"cvt.rn.f16x2.f32", ONE32, 0x40000000, 0, 0, 0x3c004000},
    {"cvt.rn.bf16x2.f32", 0x3f808000, 0x3f818000, 0, 0, 0x3f803f82},
    {"cvt.rna.tf32.f32", 0x3f801000, 0, 0, 0, 0x3f802000},
    {"cvt.rn.f32.f64", UINT64_C(0x36a0000000000000), 0, 0, 0, 1}, /* 2^-149 */
};

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT(examples); i++) {
        const struct example *example = &examples[i];
        uint64_t result = evaluate(example->text, example->a, example->b, example->c, example->d);
        if (result != example->result)
            fail_msg("%s %llx %llx %llx %llx: %llx, not %llx", example->text,
                     (unsigned long long)example->a, (unsigned long long)example->b,
                     (unsigned long long)example->c, (unsigned long long)example->d,
                     (unsigned long long)result, (unsigned long long)example->result);
    }
}

#define UPPER_UNIT (UINT64_C(1) << 32) /* One unit in the last place of a double's upper word. */

static const struct approximation {
    const char *text;
    uint64_t a, b, result;
    uint64_t units; /* The tolerance in units in the last place. */
} approximations[] = {
    {"lg2.approx.f32", 0x3f4f1f96, 0, 0xbe9c7e96, 16},
    {"lg2.approx.f32", 0x3f800000, 0, 0x0, 16},
    {"lg2.approx.f32", 0x411b8000, 0, 0x4051f826, 16},
    {"lg2.approx.f32", 0x3ef5410d, 0, 0xbf87eb3d, 16},
    {"ex2.approx.f32", 0xc115c6a3, 0, 0x3ac7541d, 2},
    {"ex2.approx.f32", 0xbe151677, 0, 0x3f676d08, 2},
    {"ex2.approx.f32", 0x3f4f1f96, 0, 0x3fe04471, 2},
    {"ex2.approx.f32", 0x3f800000, 0, 0x40000000, 2},
    {"tanh.approx.f32", 0xc115c6a3, 0, 0xbf800000, 8192},
    {"tanh.approx.f32", 0xbe151677, 0, 0xbe140af8, 8192},
    {"tanh.approx.f32", 0x3f4f1f96, 0, 0x3f2b48cf, 8192},
    {"tanh.approx.f32", 0x3f800000, 0, 0x3f42f848, 8192},
    {"rsqrt.approx.f32", 0x3f4f1f96, 0, 0x3f8e4dae, 2},
    {"rsqrt.approx.f32", 0x3f800000, 0, 0x3f800000, 2},
    {"rsqrt.approx.f32", 0x411b8000, 0, 0x3ea43c11, 2},
    {"rsqrt.approx.f32", 0x3ef5410d, 0, 0x3fb8f14a, 2},
    {"rcp.approx.f32", 0x3f4f1f96, 0, 0x3f9e3489, 2},
    {"rcp.approx.f32", 0x3f800000, 0, 0x3f800000, 2},
    {"rcp.approx.f32", 0x411b8000, 0, 0x3dd2ba08, 2},
    {"rcp.approx.f32", 0x3ef5410d, 0, 0x40059bbe, 2},
    {"sqrt.approx.f32", 0x3f4f1f96, 0, 0x3f6644bd, 2},
    {"sqrt.approx.f32", 0x3f800000, 0, 0x3f800000, 2},
    {"sqrt.approx.f32", 0x411b8000, 0, 0x404784f9, 2},
    {"sqrt.approx.f32", 0x3ef5410d, 0, 0x3f312dea, 2},
    {"div.approx.f32", 0xc115c6a3, 0xbe2af327, 0x42604ab2, 2},
    {"div.approx.f32", 0xbe151677, 0x48000000, 0xb5951677, 2},
    {"div.approx.f32", 0x3f4f1f96, 0x7fe95115, 0x7fffffff, 2},
    {"div.approx.f32", 0x3f800000, 0xc9a30000, 0xb54907da, 2},
    {"div.full.f32", 0xc115c6a3, 0xbe2af327, 0x42604ab2, 2},
    {"div.full.f32", 0xbe151677, 0x48000000, 0xb5951677, 2},
    {"div.full.f32", 0x3f4f1f96, 0x7fe95115, 0x7fffffff, 2},
    {"div.full.f32", 0x3f800000, 0xc9a30000, 0xb54907da, 2},
    {"ex2.approx.f16", 0xbc00, 0, 0x3800, 2},
    {"ex2.approx.f16", 0xc2ea, 0, 0x2dd3, 2},
    {"ex2.approx.f16", 0xb856, 0, 0x397e, 2},
    {"ex2.approx.f16", 0xc685, 0, 0x2194, 2},
    {"tanh.approx.f16", 0xbc00, 0, 0xba17, 2},
    {"tanh.approx.f16", 0xc2ea, 0, 0xbbfb, 2},
    {"tanh.approx.f16", 0xb856, 0, 0xb7e9, 2},
    {"tanh.approx.f16", 0xc685, 0, 0xbbff, 2},
    {"rcp.approx.ftz.f64", 0x3fea64a62067c90b, 0, 0x3ff3662200000000, UPPER_UNIT},
    {"rcp.approx.ftz.f64", 0xbff0000000000000, 0, 0xbff0000000000000, UPPER_UNIT},
    {"rcp.approx.ftz.f64", 0x3fed24b10732eae0, 0, 0x3ff1917f00000000, UPPER_UNIT},
    {"rcp.approx.ftz.f64", 0x40147203c3227da2, 0, 0x3fc90ad800000000, UPPER_UNIT},
    {"rsqrt.approx.f64", 0x3fea64a62067c90b, 0, 0x3ff19e21c3f3d984, 2},
    {"rsqrt.approx.f64", 0x3fed24b10732eae0, 0, 0x3ff0c40e55045bb2, 2},
    {"rsqrt.approx.f64", 0x40147203c3227da2, 0, 0x3fdc4ee72b7bd762, 2},
    {"rsqrt.approx.f64", 0x400ab40d93bbf843, 0, 0x3fe183dc97e70a3e, 2},
    {"rsqrt.approx.ftz.f64", 0x3fea64a62067c90b, 0, 0x3ff19e2100000000, UPPER_UNIT},
    {"rsqrt.approx.ftz.f64", 0x3fed24b10732eae0, 0, 0x3ff0c40e00000000, UPPER_UNIT},
    {"rsqrt.approx.ftz.f64", 0x40147203c3227da2, 0, 0x3fdc4ee700000000, UPPER_UNIT},
    {"rsqrt.approx.ftz.f64", 0x400ab40d93bbf843, 0, 0x3fe183dc00000000, UPPER_UNIT},
    {"ex2.approx.ftz.bf16", 0x3f80, 0, 0x4000, 2},
    {"ex2.approx.ftz.bf16", 0x3e40, 0, 0x3f91, 2},
    {"ex2.approx.ftz.bf16", 0xc0ed, 0, 0x3bc1, 2},
    {"ex2.approx.ftz.bf16", 0xbf80, 0, 0x3f00, 2},
};

static void test_approximations(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT(approximations); i++) {
        const struct approximation *row = &approximations[i];
        uint64_t result = evaluate(row->text, row->a, row->b, 0, 0);
        uint64_t off = result > row->result ? result - row->result : row->result - result;
        if (off > row->units)
            fail_msg("%s %llx: %llx, the hardware has %llx", row->text, (unsigned long long)row->a,
                     (unsigned long long)result, (unsigned long long)row->result);
    }
}

/* The error of sin and cos is absolute: at most 2^-20.5 between -pi and pi (PTX ISA 9.7.3). */
static void test_angles(void **state)
{
    static const struct {
        uint32_t angle, sine, cosine;
    } rows[] = {
        {0xc115c6a3, 0xbd828a3f, 0xbf7f7abb}, {0xbe151677, 0xbe148fb7, 0x3f7d4aa1},
        {0x3f4f1f96, 0x3f394118, 0x3f30aed0}, {0x411b8000, 0xbe945ada, 0xbf75048c},
        {0xc7ee0000, 0x3de1bc08, 0x3f7e70b1},
    };
    (void)state;
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        float sine = float_f32((uint32_t)evaluate("sin.approx.f32", rows[i].angle, 0, 0, 0));
        float cosine = float_f32((uint32_t)evaluate("cos.approx.f32", rows[i].angle, 0, 0, 0));
        assert_true(fabsf(sine - float_f32(rows[i].sine)) < 0x1p-20f);
        assert_true(fabsf(cosine - float_f32(rows[i].cosine)) < 0x1p-20f);
    }
    assert_int_equal(evaluate("sin.approx.f32", 0x7f800000, 0, 0, 0), NAN32);
}

__extension__ typedef unsigned __int128 wide;

static void chain(enum alu_isa isa, const char *const *texts, unsigned words,
                  const uint32_t (*a)[LANES], const uint32_t (*b)[LANES], uint32_t (*d)[LANES])
{
    unsigned char flags[4] = {0};
    for (unsigned word = 0; word < words; word++) {
        struct machine machine;
        assert_true(machine_prepare(&machine, isa,
                                    texts[word == 0          ? 0
                                          : word < words - 1 ? 1
                                                             : 2]));
        memcpy(machine.frame, flags, sizeof flags);
        memcpy(machine.frame + SOURCES, a[word], sizeof a[word]);
        memcpy(machine.frame + SOURCES + REGISTER_BYTES, b[word], sizeof b[word]);
        machine_run(&machine, (uint32_t)ALL);
        memcpy(flags, machine.frame, sizeof flags);
        memcpy(d[word], machine.frame + DESTINATION, sizeof d[word]);
    }
}

static wide wide_of(const uint32_t (*words)[LANES], unsigned lane)
{
    wide value = 0;
    for (unsigned word = 4; word-- > 0;)
        value = value << 32 | words[word][lane];
    return value;
}

static void test_carry_chains(void **state)
{
    static const char *const add[] = {"add.cc.u32", "addc.cc.u32", "addc.u32"};
    static const char *const subtract[] = {"sub.cc.u32", "subc.cc.u32", "subc.u32"};
    uint32_t a[4][LANES], b[4][LANES], d[4][LANES];
    uint64_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        const enum alu_isa isa =
            alu_isa_available(round % ALU_ISA_COUNT) ? round % ALU_ISA_COUNT : 0;
        for (unsigned i = 0; i < 4 * LANES; i++) {
            a[i / LANES][i % LANES] = (uint32_t)operand_integer(&random);
            b[i / LANES][i % LANES] = (uint32_t)operand_integer(&random);
        }
        chain(isa, add, 4, a, b, d);
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_true(wide_of(d, lane) == wide_of(a, lane) + wide_of(b, lane));
        chain(isa, subtract, 4, a, b, d);
        for (unsigned lane = 0; lane < LANES; lane++)
            assert_true(wide_of(d, lane) == wide_of(a, lane) - wide_of(b, lane));
    }
}

static double half_value(unsigned half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double magnitude =
        exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

static void run_lanes(struct machine *machine, const uint64_t *a, uint64_t *results)
{
    for (unsigned lane = 0; lane < LANES; lane++)
        machine_set(machine, &machine->instruction.source[0], lane, a[lane]);
    machine_run(machine, (uint32_t)ALL);
    for (unsigned lane = 0; lane < LANES; lane++)
        results[lane] = machine_get(machine, &machine->instruction.destination, lane);
}

static void test_half_widens(void **state)
{
    (void)state;
    for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++) {
        struct machine machine;
        if (!alu_isa_available(isa))
            continue;
        assert_true(machine_prepare(&machine, isa, "cvt.f32.f16"));
        for (unsigned half = 0; half < 65536; half += LANES) {
            uint64_t a[LANES], results[LANES];
            for (unsigned lane = 0; lane < LANES; lane++)
                a[lane] = half + lane;
            run_lanes(&machine, a, results);
            for (unsigned lane = 0; lane < LANES; lane++) {
                const unsigned h = half + lane;
                const unsigned magnitude = h & 0x7fff;
                const uint32_t expected = magnitude > 0x7c00 ? NAN32
                                          : magnitude == 0x7c00
                                              ? (uint32_t)(h & 0x8000) << 16 | 0x7f800000u
                                              : bits_f32((float)half_value(h));
                assert_int_equal(results[lane], expected);
            }
        }
    }
}

static void test_half_rounds(void **state)
{
    static const char *const texts[] = {"cvt.rn.f16.f32", "cvt.rz.f16.f32", "cvt.rm.f16.f32",
                                        "cvt.rp.f16.f32"};
    (void)state;
    for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++)
        for (unsigned mode = 0; mode < (isa == 0 ? 4 : 1) && alu_isa_available(isa); mode++) {
            struct machine machine;
            assert_true(machine_prepare(&machine, isa, texts[mode]));
            for (unsigned half = 0; half < 0x7bff; half += LANES / 8) {
                uint64_t a[LANES], results[LANES];
                uint32_t expected[LANES];
                for (unsigned lane = 0; lane < LANES; lane++) {
                    const unsigned low = half + lane / 8, high = low + 1, kind = lane & 3;
                    const bool negative = lane & 4;
                    const float middle = (float)((half_value(low) + half_value(high)) / 2);
                    const float value = kind == 0   ? (float)half_value(low)
                                        : kind == 1 ? nextafterf(middle, 0)
                                        : kind == 2 ? middle
                                                    : nextafterf(middle, INFINITY);
                    const bool away = mode == 0   ? kind == 3 || (kind == 2 && (low & 1))
                                      : mode == 1 ? false
                                      : mode == 2 ? negative
                                                  : !negative;
                    a[lane] = bits_f32(negative ? -value : value);
                    expected[lane] = (kind != 0 && away ? high : low) | (negative ? 0x8000 : 0);
                }
                run_lanes(&machine, a, results);
                for (unsigned lane = 0; lane < LANES; lane++)
                    assert_int_equal(results[lane], expected[lane]);
            }
        }
}

static int64_t half_units(unsigned half)
{
    return (int64_t)ldexp(half_value(half), 24);
}

/* Returns the half nearest to sign * magnitude * 2^-48, found by bisection. */
static unsigned half_nearest(wide magnitude, bool negative)
{
    unsigned low = 0, high = 0x7c00; /* As an integer, infinity follows the largest half. */
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        *((wide)half_units(middle) << 24 <= magnitude ? &low : &high) = middle;
    }
    const wide below = (wide)half_units(low) << 24;
    const wide above = low == 0x7bff ? (wide)65536 << 48 : (wide)half_units(high) << 24;
    const wide from_below = magnitude - below;
    const wide to_above = magnitude < above ? above - magnitude : 0;
    const bool up = from_below > to_above || (from_below == to_above && (low & 1));
    return (up ? high : low) | (negative ? 0x8000 : 0);
}

static void test_half_fma(void **state)
{
    __extension__ typedef __int128 wide_signed;
    uint64_t random = 7;
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        const unsigned a = (unsigned)operand_float(&random, 5, 10);
        const unsigned b = (unsigned)operand_float(&random, 5, 10);
        const unsigned c = (unsigned)operand_float(&random, 5, 10);
        if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00 || (c & 0x7c00) == 0x7c00)
            continue;
        const wide_signed exact =
            (wide_signed)half_units(a) * half_units(b) + (wide_signed)half_units(c) * (1 << 24);
        if (exact == 0)
            continue;
        const unsigned expected = half_nearest((wide)(exact < 0 ? -exact : exact), exact < 0);
        const unsigned result = (unsigned)evaluate("fma.rn.f16", a, b, c, 0);
        if (result != expected)
            fail_msg("fma.rn.f16 %04x %04x %04x: %04x, not %04x", a, b, c, result, expected);
    }
}

static void test_directed_products(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        const uint32_t a = (uint32_t)operand_float(&random, 8, 23);
        const uint32_t b = (uint32_t)operand_float(&random, 8, 23);
        const double exact = (double)float_f32(a) * float_f32(b);
        if (!isfinite(exact) || fabs(exact) >= 0x1p128 || fabs(exact) < 0x1p-900)
            continue;
        const float down = float_f32((uint32_t)evaluate("mul.rm.f32", a, b, 0, 0));
        const float up = float_f32((uint32_t)evaluate("mul.rp.f32", a, b, 0, 0));
        const float zero = float_f32((uint32_t)evaluate("mul.rz.f32", a, b, 0, 0));
        assert_true(down <= exact && exact <= up);
        assert_true(down == up || bits_f32(nextafterf(down, INFINITY)) == bits_f32(up) ||
                    (down == 0 && up == 0) || nextafterf(down, INFINITY) == up);
        assert_true((down == up) == ((double)(float)exact == exact && isfinite((float)exact)));
        assert_true(zero == (exact < 0 ? up : down));
    }
}

static void test_strides(void **state)
{
    static const struct {
        const char *text;
        uint8_t from, to;
        uint64_t value, result;
    } rows[] = {
        {"cvt.s32.s8", 4, 4, 0x12345680, 0xffffff80},
        {"cvt.u32.u8", 8, 4, 0x1234567890abcdef, 0xef},
        {"cvt.s8.s32", 4, 4, 0x12345680, 0xffffff80},
        {"cvt.u8.u32", 4, 8, 0x12345680, 0x80},
        {"cvt.s16.s64", 8, 8, 0x18000, UINT64_C(0xffffffffffff8000)},
        {"cvt.rn.f32.u16", 4, 4, 0xffff0001, ONE32},
        {"cvt.rn.f16.f32", 8, 4, UINT64_C(0xffffffff3f800000), 0x3c00},
        {"mov.b16", 4, 2, 0x12345678, 0x5678},
        {"mov.u16", 4, 4, 0x12345678, 0x5678},
        {"mov.b32", 4, 4, 0x12345678, 0x12345678},
    };
    (void)state;
    for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++)
        for (size_t i = 0; i < ROW_COUNT(rows) && alu_isa_available(isa); i++) {
            struct machine machine;
            assert_true(machine_prepare(&machine, isa, rows[i].text));
            assert_true(machine.operation.any_stride);
            machine.instruction.source[0].stride = rows[i].from;
            machine.instruction.destination.stride = rows[i].to;
            for (unsigned lane = 0; lane < LANES; lane++)
                machine_set(&machine, &machine.instruction.source[0], lane, rows[i].value);
            machine_run(&machine, 0x7fffffff);
            for (unsigned lane = 0; lane < LANES - 1; lane++)
                assert_int_equal(machine_get(&machine, &machine.instruction.destination, lane),
                                 rows[i].result);
            assert_int_equal(machine_get(&machine, &machine.instruction.destination, 31) & 0xff,
                             PATTERN);
        }
}

static void test_parts(void **state)
{
    static const unsigned sizes[][2] = {{8, 4}, {8, 2}, {8, 1}, {4, 2}, {4, 1}, {2, 1}};
    const uint64_t whole = UINT64_C(0x1122334455667788), part_value = UINT64_C(0xffffffffffffffc3);
    (void)state;
    for (enum alu_isa isa = 0; isa < ALU_ISA_COUNT; isa++)
        for (size_t i = 0; i < ROW_COUNT(sizes) && alu_isa_available(isa); i++)
            for (unsigned part = 0; part <= sizes[i][0] / sizes[i][1]; part++) {
                const unsigned whole_bytes = sizes[i][0], bytes = sizes[i][1];
                struct machine machine;
                const bool exists = part < whole_bytes / bytes;
                assert_true(machine_prepare(&machine, isa, "mov.b64"));
                assert_true(exists == alu_isa_select_part(isa, false, whole_bytes, bytes, part,
                                                          &machine.operation));
                if (!exists)
                    continue;
                const uint64_t field = ((UINT64_C(1) << 8 * bytes) - 1) << 8 * bytes * part;
                machine.instruction.control = machine.operation.control;
                machine.instruction.source[0].stride = (uint8_t)whole_bytes;
                machine.instruction.destination.stride = (uint8_t)(bytes == 1 ? 2 : bytes);
                for (unsigned lane = 0; lane < LANES; lane++)
                    machine_set(&machine, &machine.instruction.source[0], lane, whole);
                machine_run(&machine, (uint32_t)ALL);
                assert_int_equal(machine_get(&machine, &machine.instruction.destination, 17),
                                 (whole & field) >> 8 * bytes * part);
                assert_true(
                    alu_isa_select_part(isa, true, whole_bytes, bytes, part, &machine.operation));
                machine.instruction.control = machine.operation.control;
                machine.instruction.source[0].stride = (uint8_t)(bytes == 1 ? 2 : bytes);
                machine.instruction.destination.stride = (uint8_t)whole_bytes;
                for (unsigned lane = 0; lane < LANES; lane++) {
                    machine_set(&machine, &machine.instruction.source[0], lane, part_value);
                    machine_set(&machine, &machine.instruction.destination, lane, whole);
                }
                machine_run(&machine, 1u << 17);
                const uint64_t all =
                    whole_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * whole_bytes) - 1;
                const uint64_t expected =
                    ((whole & ~field) | (part_value << 8 * bytes * part & field)) & all;
                assert_int_equal(machine_get(&machine, &machine.instruction.destination, 17),
                                 expected);
                assert_int_equal(machine_get(&machine, &machine.instruction.destination, 16),
                                 whole & all);
            }
}

static void test_refusals(void **state)
{
    static const char *const texts[] = {
        "add.pred",
        "add.b32",
        "add.sat.u32",
        "mul.s32",
        "mul.wide.u64",
        "shl.f32",
        "setp.lo.s32",
        "setp.lt.b32",
        "setp.lt.gt.s32",
        "setp.s32",
        "setp.equ.s32",
        "div.approx.f64",
        "sqrt.approx.f64",

        "cvt.u32.pred",
        "cvt.f16x2.f16x2",
        "ld.u32",
        "bra",
        "popc.u8",
        "set.eq.u64.u32",
        "add.volatile.s32",
        "min.xorsign.f32",
        "cvt.sat.cc.u8.s32",
        "mov.b128",
        "cvt.u32",
        "dp4a.u32",
        "add.s32.s32",
        "add.s32.s32.s32.s32",
    };
    (void)state;
    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        struct machine machine;
        if (machine_prepare(&machine, ALU_ISA_GENERIC, texts[i]))
            fail_msg("%s was accepted", texts[i]);
    }
}

static bool processor_has(const char *const *features)
{
    static char flags[16384];
    FILE *file = fopen("/proc/cpuinfo", "r");
    assert_non_null(file);
    while (fgets(flags, sizeof flags, file) && strncmp(flags, "flags", 5) != 0)
        continue;
    fclose(file);
    flags[strcspn(flags, "\n")] = 0;
    for (; *features; features++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", *features);
        const size_t length = strlen(word);
        const size_t end = strlen(flags);
        const bool is_last = end >= length && !strncmp(flags + end - length + 1, word, length - 1);
        if (!strstr(flags, word) && !is_last)
            return false;
    }
    return true;
}

static void test_instruction_sets(void **state)
{
    static const char *const avx2[] = {"avx2", "fma", NULL};
    static const char *const avx512[] = {"avx2",     "fma",      "avx512f", "avx512bw",
                                         "avx512dq", "avx512vl", NULL};
    (void)state;
    assert_true(alu_isa_available(ALU_ISA_GENERIC));
    assert_int_equal(alu_isa_available(ALU_ISA_AVX2), processor_has(avx2));
    assert_int_equal(alu_isa_available(ALU_ISA_AVX512), processor_has(avx512));
}

static void test_choice(void **state)
{
    struct listed listed;
    struct alu_operation chosen, best, generic;
    enum alu_isa isa = ALU_ISA_COUNT - 1;
    const char *const wanted = getenv("TLAB_ISA");
    char *saved = wanted ? strdup(wanted) : NULL;
    (void)state;
    while (!alu_isa_available(isa))
        isa--;
    assert_true(listed_parse("add.s32", &listed));
    assert_true(alu_isa_select(isa, &listed.instruction, &best));
    assert_true(alu_isa_select(ALU_ISA_GENERIC, &listed.instruction, &generic));
    unsetenv("TLAB_ISA");
    assert_true(alu_select(&listed.instruction, &chosen));
    assert_ptr_equal(chosen.handler, best.handler);
    setenv("TLAB_ISA", "generic", 1);
    assert_true(alu_select(&listed.instruction, &chosen));
    assert_ptr_equal(chosen.handler, generic.handler);
    if (alu_isa_available(ALU_ISA_AVX2)) {
        struct alu_operation avx2;
        assert_true(alu_isa_select(ALU_ISA_AVX2, &listed.instruction, &avx2));
        assert_true(avx2.handler != generic.handler);
        setenv("TLAB_ISA", "avx2", 1);
        assert_true(alu_select(&listed.instruction, &chosen));
        assert_ptr_equal(chosen.handler, avx2.handler);
    }
    setenv("TLAB_ISA", "no such set", 1);
    assert_true(alu_select(&listed.instruction, &chosen));
    assert_ptr_equal(chosen.handler, best.handler);
    if (saved)
        setenv("TLAB_ISA", saved, 1);
    else
        unsetenv("TLAB_ISA");
    free(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hardware),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_approximations),
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_carry_chains),
        cmocka_unit_test(test_half_widens),
        cmocka_unit_test(test_half_rounds),
        cmocka_unit_test(test_half_fma),
        cmocka_unit_test(test_directed_products),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
