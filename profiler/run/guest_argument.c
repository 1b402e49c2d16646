#include "run/guest_argument.h"

#include "base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_ALIGN = 2 << 20 };
#define ARRAY_MAX_BYTES (16ull << 30)

static const struct {
    const char *name;
    unsigned bytes;
    bool is_array_only;
} types[] = {
    {"f16", 2, true},  {"bf16", 2, true}, {"f32", 4, false}, {"f64", 8, false},
    {"i8", 1, false},  {"u8", 1, false},  {"i16", 2, false}, {"u16", 2, false},
    {"i32", 4, false}, {"u32", 4, false}, {"i64", 8, false}, {"u64", 8, false},
};

static bool bad_argument(const char *text, struct failure *failure)
{
    return failure_harness(
        failure,
        "`%s` is not a kernel argument: write out:TYPE:COUNT, in:TYPE:COUNT or "
        "inout:TYPE:COUNT (TYPE f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64, optionally "
        "@FILE), a scalar such as i32:1024 (not f16 or bf16), or raw:HEX",
        text);
}

static bool parse_type(const char *text, bool array, struct guest_argument *argument,
                       const char **rest)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i].name);
        if (strncmp(text, types[i].name, length) || text[length] != ':' ||
            (types[i].is_array_only && !array))
            continue;
        strcpy(argument->type, types[i].name);
        argument->element_bytes = types[i].bytes;
        *rest = text + length + 1;
        return true;
    }
    return false;
}

static bool parse_scalar(const char *value, struct guest_argument *argument)
{
    char *end = NULL;
    errno = 0;
    const unsigned bits = 8 * argument->element_bytes;
    if (argument->type[0] == 'f') {
        double number = strtod(value, &end);
        float narrow = (float)number;
        if (argument->element_bytes == 8)
            memcpy(&argument->bits, &number, sizeof number);
        else
            memcpy(&argument->bits, &narrow, sizeof narrow);
        errno = 0; /* A number that overflows becomes infinity. */
    } else if (argument->type[0] == 'u') {
        argument->bits = strtoull(value, &end, 0);
        if (*value == '-' || (bits < 64 && argument->bits >> bits))
            return false;
    } else {
        int64_t number = strtoll(value, &end, 0);
        const int64_t most = INT64_MAX >> (64 - bits);
        if (number > most || number < -most - 1)
            return false;
        argument->bits = (uint64_t)number;
    }
    return *value && end && !*end && !errno;
}

static bool parse_raw(const char *text, struct guest_argument *argument, struct failure *failure)
{
    size_t digits = strlen(text);
    if (!digits || digits % 2 || strspn(text, "0123456789abcdefABCDEF") != digits)
        return failure_harness(failure, "raw:%.40s: write two hexadecimal digits for each byte",
                               text);
    argument->is_raw = true;
    argument->element_bytes = (unsigned)(digits / 2);
    argument->bytes = malloc(digits / 2);
    if (!argument->bytes)
        return failure_harness(failure, "not enough memory");
    for (size_t i = 0; i < digits / 2; i++) {
        const char pair[] = {text[2 * i], text[2 * i + 1], '\0'};
        argument->bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}

bool guest_values_parse(const char *text, unsigned char *bytes, uint64_t limit, uint64_t *used,
                        struct failure *failure)
{
    struct guest_argument value = {0};
    const char *rest;
    *used = 0;
    if (!strncmp(text, "raw:", 4)) {
        bool good = parse_raw(text + 4, &value, failure);
        *used = value.element_bytes;
        if (good && *used <= limit)
            memcpy(bytes, value.bytes, *used);
        free(value.bytes);
        return good;
    }
    if (!parse_type(text, false, &value, &rest))
        return bad_argument(text, failure);
    for (char one[64]; *rest; rest += strcspn(rest, ",")) {
        rest += *used && *rest == ',';
        snprintf(one, sizeof one, "%.*s", (int)strcspn(rest, ","), rest);
        if (!parse_scalar(one, &value))
            return bad_argument(text, failure);
        if (*used + value.element_bytes <= limit)
            memcpy(bytes + *used, &value.bits, value.element_bytes);
        *used += value.element_bytes;
    }
    return *used || bad_argument(text, failure);
}

bool guest_argument_parse(const char *text, unsigned number, struct guest_argument *argument,
                          struct failure *failure)
{
    static const struct {
        const char *prefix;
        bool is_input, is_output;
    } directions[] = {{"out:", false, true}, {"in:", true, false}, {"inout:", true, true}};
    *argument = (struct guest_argument){0};
    snprintf(argument->name, sizeof argument->name, "argument %u", number);
    const char *rest;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        size_t length = strlen(directions[i].prefix);
        if (strncmp(text, directions[i].prefix, length))
            continue;
        argument->is_array = true;
        argument->is_input = directions[i].is_input;
        argument->is_output = directions[i].is_output;
        if (!parse_type(text + length, true, argument, &rest))
            return bad_argument(text, failure);
        char *end;
        errno = 0;
        argument->count = strtoull(rest, &end, 10);
        if (*rest < '0' || *rest > '9' || errno || (*end && *end != '@') || (*end && !end[1]))
            return bad_argument(text, failure);
        if (!argument->count || argument->count > ARRAY_MAX_BYTES / argument->element_bytes)
            return failure_harness(failure, "`%s`: an array of this type has 1 to %llu elements",
                                   text, ARRAY_MAX_BYTES / argument->element_bytes);
        argument->file = *end ? end + 1 : NULL;
        return true;
    }
    if (!strncmp(text, "raw:", 4))
        return parse_raw(text + 4, argument, failure);
    if (!parse_type(text, false, argument, &rest) || !parse_scalar(rest, argument))
        return bad_argument(text, failure);
    return true;
}

/* Returns a pseudorandom number for an index (SplitMix64; Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95ull + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Returns n / 1024 as f16, exactly, because |n| <= 1024 fits the 11-bit significand. */
static uint16_t half_of_1024ths(int n)
{
    if (!n)
        return 0;
    uint16_t sign = n < 0 ? 0x8000 : 0;
    unsigned magnitude = (unsigned)abs(n), exponent = 15 + 10 - 10;
    while (magnitude < 1024) {
        magnitude <<= 1;
        exponent--;
    }
    return (uint16_t)(sign | exponent << 10 | (magnitude & 1023));
}

static void fill_seeded(struct guest_argument *argument, uint64_t seed)
{
    const bool is_bf16 = argument->type[0] == 'b', is_float = argument->type[0] == 'f';
    for (uint64_t i = 0; i < argument->count; i++) {
        const uint64_t random = mix(seed, i);
        union {
            uint64_t integer;
            uint16_t half;
            uint32_t bits;
            float single;
            double wide;
        } value = {.integer = random % 100};
        if (is_bf16) {
            value.single = (float)((int)(random % 256) - 128) / 128;
            value.half = (uint16_t)(value.bits >> 16);
        } else if (is_float && argument->element_bytes == 2) {
            value.half = half_of_1024ths((int)(random % 2048) - 1024);
        } else if (is_float && argument->element_bytes == 4) {
            value.single = (float)((double)(random >> 40) / (1 << 23) - 1);
        } else if (is_float) {
            value.wide = (double)(random >> 11) / (double)(1ull << 52) - 1;
        }
        memcpy(argument->bytes + i * argument->element_bytes, &value, argument->element_bytes);
    }
}

static bool fill_from_file(struct guest_argument *argument, struct failure *failure)
{
    FILE *file = fopen(argument->file, "rb");
    if (!file)
        return failure_harness(failure, "cannot read %s: %s", argument->file, strerror(errno));
    uint64_t bytes = argument->count * argument->element_bytes;
    size_t got = fread(argument->bytes, 1, bytes, file);
    bool exact = got == bytes && fgetc(file) == EOF && !ferror(file);
    fclose(file);
    return exact ||
           failure_harness(failure,
                           "%s must contain exactly %" PRIu64 " bytes (%" PRIu64 " elements of %s)",
                           argument->file, bytes, argument->count, argument->type);
}

bool guest_argument_create(struct guest_argument *argument, uint64_t seed,
                           struct guest_memory *memory, struct failure *failure)
{
    if (!argument->is_array)
        return true;
    uint64_t bytes = argument->count * argument->element_bytes;
    argument->bytes = aligned_alloc(64, (bytes + 63) & ~63ull);
    memory->next += GUEST_GUARD_BYTES;
    struct memory_region *region =
        argument->bytes ? memory_map(memory, argument->bytes, bytes, ARRAY_ALIGN, argument->name)
                        : NULL;
    if (!region)
        return failure_harness(failure, "not enough memory for %s of %" PRIu64 " bytes",
                               argument->name, bytes);
    region->element_bytes = argument->element_bytes;
    region->starts_undefined = !argument->is_input;
    region->is_read_only = !argument->is_output;
    argument->bits = region->base;
    memory->next += GUEST_GUARD_BYTES;
    if (argument->is_input && argument->file)
        return fill_from_file(argument, failure);
    if (argument->is_input)
        fill_seeded(argument, seed);
    else
        memset(argument->bytes, 0xff, bytes);
    return true;
}

bool guest_argument_save(const struct guest_argument *argument, struct failure *failure)
{
    if (!argument->is_output || !argument->file)
        return true;
    return whole_file_write(argument->file, argument->bytes,
                            argument->count * argument->element_bytes, false, failure);
}

void guest_argument_free(struct guest_argument *argument)
{
    free(argument->bytes);
    argument->bytes = NULL;
}
