/* alu_operands.h: functions that alu_test.c and alu_record.c share: they read the text of an
 * instruction, choose its operands, and compute the sum of its results.
 *
 * Operands are pseudo-random, from a seed that is the instruction's text, with many special cases:
 * zeros, subnormals, infinities, NaNs, halfway cases, powers of two, small counts, equal and
 * neighbouring operands. Even one wrong result in fifteen thousand changes the sum of an
 * instruction. The sum does not show which operands gave the wrong result; use a debugger. */
#ifndef ALU_OPERANDS_H
#define ALU_OPERANDS_H

#include "emulator/alu/alu_lanes.h"

#include <stdlib.h>

enum { OPERAND_SETS = 4096, OPERANDS = 4, WARPS = OPERAND_SETS / LANES };

/* An instruction of the list: "mul.wide.s32", or "lop3.b32 0x96" with its immediate. */
struct listed {
    char text[64]; /* without the immediate */
    struct ptx_instruction instruction;
    uint64_t immediate; /* of the last operand, for lop3 */
};

static inline bool listed_word(const char *word, struct ptx_instruction *instruction)
{
    static const char *const modifiers[] = {
#define X(id, text) [PTX_MOD_##id] = text,
        PTX_MODIFIER_LIST(X)
#undef X
    };
    static const char *const types[] = {
#define X(id, text, bytes) [PTX_##id] = text,
        PTX_TYPE_LIST(X)
#undef X
    };
    for (unsigned i = 1; i < PTX_TYPE_COUNT; i++)
        if (strcmp(types[i], word) == 0 && instruction->type_count < 4) {
            instruction->types[instruction->type_count++] = (uint8_t)i;
            return true;
        }
    if (strcmp(word, "NaN") == 0)
        word = "nan";
    for (unsigned i = 1; i < PTX_MOD_COUNT; i++)
        if (strcmp(modifiers[i], word) == 0 && instruction->modifier_count < PTX_MAX_MODIFIERS) {
            instruction->modifiers[instruction->modifier_count++] = (uint16_t)i;
            return true;
        }
    return false;
}

/* Read an instruction's text. Returns false if the text contains an unknown word. */
static inline bool listed_parse(const char *line, struct listed *listed)
{
    static const char *const opcodes[] = {
#define X(id, text, capability) [PTX_OP_##id] = text,
        PTX_OPCODE_LIST(X)
#undef X
    };
    size_t length = strcspn(line, " \n");
    if (length >= sizeof listed->text)
        return false;
    *listed = (struct listed){.immediate = strtoull(line + length, NULL, 0)};
    memcpy(listed->text, line, length);
    char words[sizeof listed->text], *rest = NULL;
    memcpy(words, listed->text, sizeof words);
    for (char *word = strtok_r(words, ".", &rest); word; word = strtok_r(NULL, ".", &rest)) {
        if (word != words) {
            if (!listed_word(word, &listed->instruction))
                return false;
            continue;
        }
        for (unsigned i = 1; i < PTX_OP_COUNT; i++)
            if (strcmp(opcodes[i], word) == 0)
                listed->instruction.opcode = (uint16_t)i;
    }
    return listed->instruction.opcode != PTX_OP_UNKNOWN;
}

static inline bool listed_has(const struct listed *listed, enum ptx_modifier modifier)
{
    for (unsigned i = 0; i < listed->instruction.modifier_count; i++)
        if (listed->instruction.modifiers[i] == modifier)
            return true;
    return false;
}

/* True if the carry flags are an operand and a result. */
static inline bool listed_carries(const struct listed *listed)
{
    const uint16_t opcode = listed->instruction.opcode;
    return opcode == PTX_OP_ADDC || opcode == PTX_OP_SUBC || opcode == PTX_OP_MADC ||
           listed_has(listed, PTX_MOD_CC);
}

/* True if there is a second predicate result, `p|q` (setp.f16 and .bf16 have none). */
static inline bool listed_pair(const struct listed *listed)
{
    const uint8_t type = listed->instruction.types[0];
    return listed->instruction.opcode == PTX_OP_SETP && type != PTX_F16 && type != PTX_BF16;
}

/* True if the instruction has an operand 2 that is written `!c`: some forms of set and setp. */
static inline bool listed_negates(const struct listed *listed,
                                  const struct alu_operation *operation)
{
    const uint16_t opcode = listed->instruction.opcode;
    return (opcode == PTX_OP_SET || opcode == PTX_OP_SETP) && operation->source_count == 3;
}

static inline uint64_t operand_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t operand_integer(uint64_t *state)
{
    const uint64_t random = operand_random(state);
    const unsigned bit = random >> 32 & 63;
    switch (random % 10) {
    case 0:
        return bit;
    case 1:
        return 0 - (uint64_t)bit;
    case 2:
        return random >> 32 & 0x1ff;
    case 3:
        return UINT64_C(1) << bit;
    case 4:
        return 0 - (UINT64_C(1) << bit);
    case 5:
        return (UINT64_C(1) << bit) - 1;
    case 6:
        return UINT64_C(0x8000800080008000) >> (bit & 1);
    case 7:
        return operand_random(state) >> bit;
    default:
        return operand_random(state);
    }
}

/* A floating-point value of `exponent_bits` and `fraction_bits`. */
static inline uint64_t operand_float(uint64_t *state, int exponent_bits, int fraction_bits)
{
    const uint64_t random = operand_random(state), bits = operand_random(state);
    const uint64_t all = (UINT64_C(1) << fraction_bits) - 1;
    const uint64_t top = (UINT64_C(1) << exponent_bits) - 1, bias = top >> 1;
    const uint64_t noise = random >> 32 & 0xff;
    uint64_t exponent = bits >> 53 & top, fraction = bits & all;
    switch (random % 12) {
    case 0: /* zero */
        exponent = fraction = 0;
        break;
    case 1: /* infinity, NaN */
        exponent = top;
        fraction = noise & 1 ? 0 : fraction;
        break;
    case 2: /* subnormal */
        exponent = 0;
        break;
    case 3: /* one, and its neighbour below */
        exponent = bias - (noise & 1);
        fraction = noise & 1 ? all : 0;
        break;
    case 4: /* smallest normal */
        exponent = 1;
        fraction = noise & 1 ? 0 : fraction;
        break;
    case 5: /* largest */
        exponent = top - 1;
        fraction = noise & 1 ? all : fraction;
        break;
    case 6: /* integers and halves */
        exponent = bias + noise % (unsigned)(fraction_bits + 2);
        fraction &= ~(all >> 8);
        break;
    case 7: /* around the ranges of integers */
        exponent = bias + noise % 66;
        fraction = noise & 128 ? all : fraction;
        break;
    case 8:
    case 9: /* around one */
        exponent = bias - 3 + noise % 7;
        break;
    default:
        break;
    }
    if (exponent > top)
        exponent = top - 1;
    return (random >> 63) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static inline uint64_t operand_value(enum ptx_type type, uint64_t *state)
{
    uint64_t high;
    switch (type) {
    case PTX_F16:
        return operand_float(state, 5, 10);
    case PTX_BF16:
        return operand_float(state, 8, 7);
    case PTX_F16X2:
        high = operand_float(state, 5, 10) << 16;
        return high | operand_float(state, 5, 10);
    case PTX_BF16X2:
        high = operand_float(state, 8, 7) << 16;
        return high | operand_float(state, 8, 7);
    case PTX_F32:
        return operand_float(state, 8, 23);
    case PTX_F64:
        return operand_float(state, 11, 52);
    default:
        return operand_integer(state);
    }
}

/* Returns the type of an operand's values: tables read halves and bits of floats as integers. */
static inline enum ptx_type operand_type(const struct listed *listed,
                                         const struct alu_operation *operation, unsigned number)
{
    const enum ptx_type type = operation->source_type[number];
    const struct ptx_instruction *instruction = &listed->instruction;
    const enum ptx_type last =
        instruction->type_count ? instruction->types[instruction->type_count - 1] : PTX_NONE;
    const uint32_t floats = T(F16) | T(F16X2) | T(BF16) | T(BF16X2) | T(F32) | T(F64);
    const bool as_bits = (floats >> last & 1) && ptx_type_bytes(last) == ptx_type_bytes(type);
    return as_bits && number < 3 ? last : type;
}

/* Fill values[operand][set] for the first `sets` sets. Bit 0 of values[3] seeds the carry flags. */
static inline void operands_fill(const struct listed *listed, const struct alu_operation *operation,
                                 uint64_t values[OPERANDS][OPERAND_SETS], unsigned sets)
{
    uint64_t state = UINT64_C(0xcbf29ce484222325);
    for (const char *p = listed->text; *p; p++)
        state = (state ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    for (unsigned set = 0; set < sets; set++)
        for (unsigned k = 0; k < OPERANDS; k++) {
            enum ptx_type type =
                k < operation->source_count ? operand_type(listed, operation, k) : PTX_U64;
            uint64_t value = operand_value(type, &state);
            if (k == 1 && set % 7 == 0 && type == operand_type(listed, operation, 0))
                value = values[0][set] ^ (set % 3 == 0);
            values[k][set] = value;
        }
    if (listed->instruction.opcode == PTX_OP_LOP3)
        for (unsigned set = 0; set < sets; set++)
            values[3][set] = listed->immediate;
}

/* Returns the sum (FNV-1a by words) of an instruction's results: a 64-bit word per operand set. The
 * word holds the destination's bits; predicates p and q in bits 0 and 1; and the carry flag in bit
 * 32, or added to bit 63 of a 64-bit destination. */
static inline uint64_t results_sum(const uint64_t *results)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (unsigned set = 0; set < OPERAND_SETS; set++)
        sum = (sum ^ results[set] ^ results[set] >> 32) * UINT64_C(0x100000001b3);
    return sum;
}

#endif
