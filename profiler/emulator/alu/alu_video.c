/* alu_video.c: the video instructions, scalar (vadd, vset, ...) and on two or four parts of a word
 * (vadd2, vabsdiff4, ...). PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". */
#include "emulator/alu/alu_lanes.h"

enum video_operation {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_AVERAGE,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_SET,
};

static const struct {
    uint16_t opcode;
    uint8_t operation, parts;
} video[] = {
    {PTX_OP_VADD, VIDEO_ADD, 1},          {PTX_OP_VADD2, VIDEO_ADD, 2},
    {PTX_OP_VADD4, VIDEO_ADD, 4},         {PTX_OP_VSUB, VIDEO_SUB, 1},
    {PTX_OP_VSUB2, VIDEO_SUB, 2},         {PTX_OP_VSUB4, VIDEO_SUB, 4},
    {PTX_OP_VABSDIFF, VIDEO_ABSDIFF, 1},  {PTX_OP_VABSDIFF2, VIDEO_ABSDIFF, 2},
    {PTX_OP_VABSDIFF4, VIDEO_ABSDIFF, 4}, {PTX_OP_VAVRG2, VIDEO_AVERAGE, 2},
    {PTX_OP_VAVRG4, VIDEO_AVERAGE, 4},    {PTX_OP_VMIN, VIDEO_MIN, 1},
    {PTX_OP_VMIN2, VIDEO_MIN, 2},         {PTX_OP_VMIN4, VIDEO_MIN, 4},
    {PTX_OP_VMAX, VIDEO_MAX, 1},          {PTX_OP_VMAX2, VIDEO_MAX, 2},
    {PTX_OP_VMAX4, VIDEO_MAX, 4},         {PTX_OP_VSHL, VIDEO_SHL, 1},
    {PTX_OP_VSHR, VIDEO_SHR, 1},          {PTX_OP_VSET, VIDEO_SET, 1},
    {PTX_OP_VSET2, VIDEO_SET, 2},         {PTX_OP_VSET4, VIDEO_SET, 4},
};

/* Fields of the control, from the lowest bit: operation, number of parts, flags, secondary
 * operation, outcomes for which the comparison is true, selected parts of a, b, d. */
enum {
    VIDEO_PARTS = 4,
    VIDEO_D_SIGNED = 1 << 7,
    VIDEO_A_SIGNED = 1 << 8,
    VIDEO_B_SIGNED = 1 << 9,
    VIDEO_SATURATES = 1 << 10,
    VIDEO_WRAPS = 1 << 11,
    VIDEO_SECOND = 12, /* 2 bits */
    VIDEO_OUTCOMES = 14,
    VIDEO_SELECT_A = 17, /* 3 bits each */
    VIDEO_SELECT_B = 20,
    VIDEO_SELECT_D = 23, /* 5 bits */
    VIDEO_DIGITS_B = 16,
};
enum { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };
enum { OUTCOME_LESS = 1, OUTCOME_EQUAL = 2, OUTCOME_GREATER = 4 };

static int64_t extract(uint32_t word, unsigned at, unsigned width, bool is_signed)
{
    uint64_t bits = (uint64_t)word >> at << (64 - width);
    return is_signed ? (int64_t)bits >> (64 - width) : (int64_t)(bits >> (64 - width));
}

static uint32_t insert(uint32_t word, unsigned at, unsigned width, int64_t value)
{
    uint32_t ones = (uint32_t)((UINT64_C(1) << width) - 1) << at;
    return (word & ~ones) | ((uint32_t)value << at & ones);
}

static void find_part(unsigned part, unsigned *at, unsigned *width)
{
    *at = part == PTX_PART_WHOLE ? 0
          : part < PTX_PART_H0   ? (part - PTX_PART_B0) * 8
                                 : (part - PTX_PART_H0) * 16;
    *width = part == PTX_PART_WHOLE ? 32 : part < PTX_PART_H0 ? 8 : 16;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t operate(uint32_t control, int64_t a, int64_t b)
{
    uint64_t distance = (uint64_t)b & 0xffffffffu;
    distance = control & VIDEO_WRAPS ? distance & 31 : distance > 32 ? 32 : distance;
    switch ((enum video_operation)(control & 15)) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_MIN:
        return least(a, b);
    case VIDEO_MAX:
        return a < b ? b : a;
    case VIDEO_SHL:
        return (int64_t)((uint64_t)a << distance);
    case VIDEO_SHR:
        return a >> distance;
    case VIDEO_SET:
        return (control >> VIDEO_OUTCOMES & (a < b   ? OUTCOME_LESS
                                             : a > b ? OUTCOME_GREATER
                                                     : OUTCOME_EQUAL)) != 0;
    }
    return 0;
}

static int64_t saturate(uint32_t control, int64_t value, unsigned width)
{
    bool is_signed = control & VIDEO_D_SIGNED;
    int64_t high = (INT64_C(1) << (width - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    if (!(control & VIDEO_SATURATES))
        return value;
    return value < low ? low : least(value, high);
}

static uint32_t scalar_result(uint32_t control, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned at, width, into, into_width;
    find_part(control >> VIDEO_SELECT_A & 7, &at, &width);
    int64_t left = extract(a, at, width, control & VIDEO_A_SIGNED);
    find_part(control >> VIDEO_SELECT_B & 7, &at, &width);
    int64_t right = extract(b, at, width, control & VIDEO_B_SIGNED);
    find_part(control >> VIDEO_SELECT_D & 7, &into, &into_width);
    int64_t result = saturate(control, operate(control, left, right), into_width);
    bool is_signed = control & VIDEO_D_SIGNED;
    int64_t third = extract(c, 0, 32, is_signed);
    result = extract((uint32_t)result, 0, 32, is_signed);
    switch (control >> VIDEO_SECOND & 3) {
    case SECOND_ADD:
        return (uint32_t)(result + third);
    case SECOND_MIN:
        return (uint32_t)least(result, third);
    case SECOND_MAX:
        return (uint32_t)(result < third ? third : result);
    default:
        return insert(c, into, into_width, result);
    }
}

static int64_t pick(uint32_t a, uint32_t b, unsigned digit, unsigned width, bool is_signed)
{
    unsigned at = (digit & 7) * width;
    return extract(at < 32 ? a : b, at & 31, width, is_signed);
}

/* Returns the result of a SIMD instruction on 2 or 4 parts. For each part i, `digits` has 4 bits
 * per operand, which select a part of {b, a}. The bits of the first operand begin at bit 4 * i,
 * those of the second operand at bit VIDEO_DIGITS_B + 4 * i. */
static uint32_t parts_result(uint32_t control, uint32_t digits, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned parts = control >> VIDEO_PARTS & 7, width = 32 / parts;
    bool adds = (control >> VIDEO_SECOND & 3) == SECOND_ADD;
    uint32_t result = c;
    for (unsigned i = 0; i < parts; i++) {
        int64_t value = operate(
            control, pick(a, b, digits >> 4 * i, width, control & VIDEO_A_SIGNED),
            pick(a, b, digits >> (VIDEO_DIGITS_B + 4 * i), width, control & VIDEO_B_SIGNED));
        value = saturate(control, value, width);
        if (control >> VIDEO_SELECT_D >> i & 1)
            result = adds ? result + (uint32_t)value : insert(result, i * width, width, value);
    }
    return result;
}

static void alu_video(const struct instruction *instruction, const struct lanes *lanes,
                      uint32_t mask)
{
    const uint32_t control = instruction->control;
    const bool is_scalar = (control >> VIDEO_PARTS & 7) == 1;
    const uint32_t *a = lanes_source(instruction, lanes, 0);
    const uint32_t *b = lanes_source(instruction, lanes, 1);
    const uint32_t *c = instruction->source[2].used ? lanes_source(instruction, lanes, 2) : NULL;
    uint32_t *d = lanes_destination(instruction, lanes);
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask & lane_bit[lane])
            d[lane] = is_scalar ? scalar_result(control, a[lane], b[lane], c ? c[lane] : 0)
                                : parts_result(control, (uint32_t)instruction->immediate, a[lane],
                                               b[lane], c ? c[lane] : 0);
}

enum { MAD_PLUS_ONE = 1, MAD_NEGATES_PRODUCT = 2, MAD_NEGATES_C = 4, MAD_SHR7 = 8, MAD_SHR15 = 16 };

__extension__ typedef __int128 wide;

static uint32_t mad_result(uint32_t control, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned at, width;
    bool is_signed =
        control & (VIDEO_A_SIGNED | VIDEO_B_SIGNED | MAD_NEGATES_PRODUCT | MAD_NEGATES_C);
    find_part(control >> VIDEO_SELECT_A & 7, &at, &width);
    wide product = extract(a, at, width, control & VIDEO_A_SIGNED);
    find_part(control >> VIDEO_SELECT_B & 7, &at, &width);
    product *= extract(b, at, width, control & VIDEO_B_SIGNED);
    wide third = extract(c, 0, 32, is_signed);
    wide sum = (control & MAD_NEGATES_PRODUCT ? -product : product) +
               (control & MAD_NEGATES_C ? -third : third) + !!(control & MAD_PLUS_ONE);
    sum >>= control & MAD_SHR7 ? 7 : control & MAD_SHR15 ? 15 : 0;
    wide low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : (wide)UINT32_MAX;
    if (control & VIDEO_SATURATES)
        sum = sum < low ? low : sum > high ? high : sum;
    return (uint32_t)sum;
}

static void alu_video_mad(const struct instruction *instruction, const struct lanes *lanes,
                          uint32_t mask)
{
    const uint32_t *a = lanes_source(instruction, lanes, 0);
    const uint32_t *b = lanes_source(instruction, lanes, 1);
    const uint32_t *c = lanes_source(instruction, lanes, 2);
    uint32_t *d = lanes_destination(instruction, lanes);
    for (unsigned lane = 0; lane < LANES; lane++)
        if (mask & lane_bit[lane])
            d[lane] = mad_result(instruction->control, a[lane], b[lane], c[lane]);
}

static bool take_sign(enum ptx_type type, uint32_t flag, uint32_t *control)
{
    *control |= type == PTX_S32 ? flag : 0;
    return type == PTX_S32 || type == PTX_U32;
}

static bool take_modifiers(const struct ptx_instruction *in, enum video_operation operation,
                           uint32_t *control)
{
    static const struct {
        uint16_t modifier;
        uint32_t control;
    } known[] = {
        {PTX_MOD_SAT, VIDEO_SATURATES},
        {PTX_MOD_ADD, SECOND_ADD << VIDEO_SECOND},
        {PTX_MOD_MIN, SECOND_MIN << VIDEO_SECOND},
        {PTX_MOD_MAX, SECOND_MAX << VIDEO_SECOND},
        {PTX_MOD_CLAMP, 0},
        {PTX_MOD_WRAP, VIDEO_WRAPS},
        {PTX_MOD_EQ, OUTCOME_EQUAL << VIDEO_OUTCOMES},
        {PTX_MOD_NE, (OUTCOME_LESS | OUTCOME_GREATER) << VIDEO_OUTCOMES},
        {PTX_MOD_LT, OUTCOME_LESS << VIDEO_OUTCOMES},
        {PTX_MOD_LE, (OUTCOME_LESS | OUTCOME_EQUAL) << VIDEO_OUTCOMES},
        {PTX_MOD_GT, OUTCOME_GREATER << VIDEO_OUTCOMES},
        {PTX_MOD_GE, (OUTCOME_GREATER | OUTCOME_EQUAL) << VIDEO_OUTCOMES},
    };
    for (unsigned i = 0; i < in->modifier_count; i++) {
        size_t k = 0;
        while (k < ROW_COUNT(known) && known[k].modifier != in->modifiers[i])
            k++;
        if (k == ROW_COUNT(known))
            return false;
        *control |= known[k].control;
    }
    bool compares = *control >> VIDEO_OUTCOMES,
         is_shift = operation == VIDEO_SHL || operation == VIDEO_SHR;
    return (operation == VIDEO_SET) == compares &&
           is_shift == (ptx_has(in, PTX_MOD_CLAMP) || ptx_has(in, PTX_MOD_WRAP));
}

static bool take_digits(int64_t part, unsigned parts, unsigned first, unsigned at, int64_t *digits)
{
    uint64_t taken = (uint64_t)part >> PTX_PART_DIGITS & 0xffff;
    for (unsigned i = 0; i < parts && part == PTX_PART_WHOLE; i++)
        taken |= (uint64_t)(first + i) << 4 * i;
    *digits |= (int64_t)(taken << at);
    return part == PTX_PART_WHOLE || part >> PTX_PART_COUNT == parts;
}

static bool take_selectors(const struct ptx_instruction *in, unsigned parts, bool is_merged,
                           uint32_t *control, int64_t *digits)
{
    int64_t d = in->operands[0].integer, a = in->operands[1].integer, b = in->operands[2].integer;
    a = in->operands[1].kind == PTX_OPERAND_REGISTER ? a : PTX_PART_WHOLE;
    b = in->operands[2].kind == PTX_OPERAND_REGISTER ? b : PTX_PART_WHOLE;
    if (parts == 1) {
        *control |= (uint32_t)a << VIDEO_SELECT_A | (uint32_t)b << VIDEO_SELECT_B |
                    (uint32_t)d << VIDEO_SELECT_D;
        return a < PTX_PART_SET && b < PTX_PART_SET && d < PTX_PART_SET &&
               (d == PTX_PART_WHOLE || is_merged);
    }
    unsigned first = parts == 4 ? PTX_PART_B0 : PTX_PART_H0, all = (1u << parts) - 1;
    unsigned mask = d == PTX_PART_WHOLE   ? all
                    : d >= PTX_PART_SET   ? ((unsigned)d & 0xff) - PTX_PART_SET
                    : d >= (int64_t)first ? 1u << ((unsigned)d - first)
                                          : 0;
    *control |= (mask & all) << VIDEO_SELECT_D;
    return take_digits(a, parts, 0, 0, digits) &&
           take_digits(b, parts, parts, VIDEO_DIGITS_B, digits) && mask && !(mask & ~all);
}

static bool select_mad(const struct ptx_instruction *in, struct alu_operation *operation)
{
    uint32_t control = 0;
    bool good = in->operand_count == 4 && in->type_count == 3 &&
                take_sign(in->types[0], 0, &control) &&
                take_sign(in->types[1], VIDEO_A_SIGNED, &control) &&
                take_sign(in->types[2], VIDEO_B_SIGNED, &control);
    for (unsigned i = 0; good && i < in->modifier_count; i++) {
        uint16_t modifier = in->modifiers[i];
        uint32_t flag = modifier == PTX_MOD_SAT     ? VIDEO_SATURATES
                        : modifier == PTX_MOD_PO    ? MAD_PLUS_ONE
                        : modifier == PTX_MOD_SHR7  ? MAD_SHR7
                        : modifier == PTX_MOD_SHR15 ? MAD_SHR15
                                                    : 0;
        good = flag != 0;
        control |= flag;
    }
    for (unsigned i = 1; good && i < 4; i++) {
        bool is_register = in->operands[i].kind == PTX_OPERAND_REGISTER;
        uint32_t part = is_register ? (uint32_t)in->operands[i].integer : PTX_PART_WHOLE;
        if (part & PTX_PART_NEGATED)
            control ^= i < 3 ? MAD_NEGATES_PRODUCT : MAD_NEGATES_C;
        part &= ~(uint32_t)PTX_PART_NEGATED;
        good = part < (i < 3 ? PTX_PART_SET : PTX_PART_WHOLE + 1);
        control |= part << (i == 1 ? VIDEO_SELECT_A : i == 2 ? VIDEO_SELECT_B : 0);
    }
    bool negates = control & (MAD_NEGATES_PRODUCT | MAD_NEGATES_C);
    *operation = (struct alu_operation){
        .handler = alu_video_mad,
        .control = control,
        .source_count = 3,
        .destination_type = PTX_U32,
        .source_type = {PTX_U32, PTX_U32, PTX_U32},
    };
    return good && in->operands[0].integer == PTX_PART_WHOLE &&
           (control & (MAD_NEGATES_PRODUCT | MAD_NEGATES_C)) !=
               (MAD_NEGATES_PRODUCT | MAD_NEGATES_C) &&
           !(negates && control & MAD_PLUS_ONE);
}

bool alu_select_video(const struct ptx_instruction *in, struct alu_operation *operation)
{
    size_t row = 0;
    if (in->opcode == PTX_OP_VMAD)
        return select_mad(in, operation);
    while (row < ROW_COUNT(video) && video[row].opcode != in->opcode)
        row++;
    if (row == ROW_COUNT(video) || in->operand_count < 3)
        return false;
    enum video_operation what = (enum video_operation)video[row].operation;
    unsigned parts = video[row].parts, types = what == VIDEO_SET ? 2 : 3, at = types - 2;
    uint32_t control = what | parts << VIDEO_PARTS;
    bool has_third = in->operand_count > 3;
    *operation = (struct alu_operation){
        .handler = alu_video,
        .source_count = has_third ? 3 : 2,
        .destination_type = PTX_U32,
        .source_type = {PTX_U32, PTX_U32, PTX_U32},
    };
    bool good = in->type_count == types &&
                (types == 2 || take_sign(in->types[0], VIDEO_D_SIGNED, &control)) &&
                take_sign(in->types[at], VIDEO_A_SIGNED, &control) &&
                take_sign(in->types[at + 1], VIDEO_B_SIGNED, &control) &&
                take_modifiers(in, what, &control) &&
                take_selectors(in, parts, has_third, &control, &operation->immediate) &&
                (parts == 1 || has_third);
    bool has_second = control >> VIDEO_SECOND & 3;
    operation->control = control;
    return good && !(has_second && !has_third) &&
           !(parts > 1 && (control >> VIDEO_SECOND & 3) > SECOND_ADD);
}
