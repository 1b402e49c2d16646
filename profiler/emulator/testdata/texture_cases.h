/* texture_cases.h: the fetches that texture_record.cu records on a GPU and texture_test.c compares:
 * all combinations of geometry, filter, address mode, read mode and kind of coordinates, with
 * texels and coordinates that follow from their numbers. C and CUDA C++. */
#ifndef TEXTURE_CASES_H
#define TEXTURE_CASES_H

#include <stdint.h>
#include <string.h>

enum case_geometry {
    CASE_LINEAR, /* tex1Dfetch */
    CASE_1D,
    CASE_2D,
    CASE_PITCH,
    CASE_3D,
    CASE_A1D,
    CASE_A2D,
    CASE_CUBE,
    CASE_ACUBE
};
enum case_kind { CASE_SIGNED, CASE_UNSIGNED, CASE_FLOAT }; /* as cudaChannelFormatKind */
enum case_operation { CASE_FETCH, CASE_LEVEL, CASE_GRADIENT, CASE_GATHER };

/* Sizes of all textures, in texels; no size is a power of two. */
enum { CASE_WIDTH = 13, CASE_HEIGHT = 7, CASE_DEPTH = 5, CASE_LAYERS = 3, CASE_SIDE = 6 };
enum { CASE_FETCHES = 64, CASE_DENSE_FETCHES = 4096, CASE_LEVELS = 3 };

struct texture_case {
    int geometry, kind, bits, channels;
    int is_linear;     /* true for the filter mode linear */
    int address;       /* as cudaTextureAddressMode: wrap, clamp, mirror, border */
    int is_normalised; /* true for normalised coordinates */
    int reads_float;   /* true if integers are read as normalised floats */
    int is_srgb;
    int operation, component; /* used for gathers */
    int levels, level_filter; /* used for mipmapped arrays; 0 levels: no mipmap */
    int fetches;
};

static const float case_border[4] = {0.25f, 0.5f, 0.75f, 1.0f};

static inline uint32_t case_hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h =
        a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu ^ (c + 0x165667b1u) * 0xc2b2ae35u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ h >> 15;
}

static inline uint32_t case_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns the bits of `channel` of texel `index` (x fastest, then y, z or layer) of a level. */
static inline uint32_t case_texel(const struct texture_case *c, int level, uint32_t index,
                                  uint32_t channel)
{
    uint32_t h = case_hash(index, channel, (uint32_t)level);
    if (c->kind == CASE_FLOAT && c->bits == 32) /* from 2^-3 to 2^2, either sign */
        return (h & 0x807fffffu) | (124u + (h >> 24) % 5) << 23;
    if (c->kind == CASE_FLOAT)
        return (h & 0x83ffu) | (12u + (h >> 24) % 5) << 10;
    return c->bits == 32 ? h : h >> (32 - c->bits);
}

/* Returns the number of texels or layers along an axis: 0 x, 1 y, 2 z. */
static inline int case_extent(const struct texture_case *c, int axis)
{
    int is_cube = c->geometry == CASE_CUBE || c->geometry == CASE_ACUBE;
    int is_flat = c->geometry == CASE_LINEAR || c->geometry == CASE_1D || c->geometry == CASE_A1D;
    if (is_cube)
        return axis < 2 ? CASE_SIDE : 6 * (c->geometry == CASE_ACUBE ? CASE_LAYERS : 1);
    if (axis == 0)
        return CASE_WIDTH;
    if (axis == 1)
        return is_flat ? 1 : CASE_HEIGHT;
    return c->geometry == CASE_3D                               ? CASE_DEPTH
           : c->geometry == CASE_A1D || c->geometry == CASE_A2D ? CASE_LAYERS
                                                                : 1;
}

/* Returns coordinate `axis` (3: layer, level or slope) of fetch `number`. */
static inline float case_coordinate(const struct texture_case *c, uint32_t number, int axis)
{
    static const uint32_t specials[] = {0x00000000, 0x80000000, 0x3f000000, 0xbf000000, 0x3f800000,
                                        0xbf800000, 0x7fc00000, 0x7f800000, 0xff800000, 0x7149f2ca,
                                        0xf149f2ca, 0x4f000000, 0xcf000000, 0x4b800001, 0x00000001,
                                        0x807fffff, 0x3f7fffff, 0x3effffff, 0x3f000001, 0x40500000};
    enum { SPECIALS = sizeof specials / sizeof *specials };
    uint32_t h = case_hash(number, (uint32_t)axis + 100, 7);
    float extent = (float)case_extent(c, axis), value;
    if (axis == 3)
        return (float)(int)(h % 400) / 64.0f - 1.0f;
    if (c->fetches == CASE_DENSE_FETCHES) /* across two texels in steps of 1/2048 */
        value = 3.0f + (float)number / 2048.0f;
    else if (number < SPECIALS) {
        uint32_t bits = specials[(number + 7 * (uint32_t)axis) % SPECIALS];
        memcpy(&value, &bits, sizeof value);
        return value;
    } else if (number < 36) /* edges and middles of texels, ties of the eight bits */
        value = (float)((int)(h % 97) - 32) / 4.0f + (float)(h >> 20 & 1) / 512.0f;
    else if (number < 50)
        value = extent * (float)(h >> 8) / 16777216.0f;
    else
        value = extent * (5.0f * (float)(h >> 8) / 16777216.0f - 2.0f);
    if (c->geometry == CASE_CUBE || c->geometry == CASE_ACUBE)
        return (float)(int)(h >> 8) / 8388608.0f - 1.0f;
    return c->is_normalised ? value / extent : value;
}

/* Returns the layer of a fetch; some layers are outside the texture. */
static inline int case_layer(uint32_t number)
{
    return (int)(case_hash(number, 55, 8) % 6) - 1;
}

/* Fill in case `number`. Returns 0 if there is no such case. */
static inline int texture_case_get(int number, struct texture_case *c)
{
    static const struct texture_case plain = {CASE_2D, CASE_FLOAT, 32, 1, 0, 1, 1,
                                              0,       0,          0,  0, 0, 0, CASE_FETCHES};
    int at = 0;
    *c = plain;
    /* Geometry, filter, address mode, coordinates. */
    for (c->geometry = CASE_LINEAR; c->geometry <= CASE_ACUBE; c->geometry++)
        for (c->is_linear = 0; c->is_linear < 2; c->is_linear++)
            for (c->address = 0; c->address < 4; c->address++)
                for (c->is_normalised = 0; c->is_normalised < 2; c->is_normalised++) {
                    int is_cube = c->geometry >= CASE_CUBE;
                    if ((is_cube && (!c->is_normalised || c->address != 1)) ||
                        (c->geometry == CASE_LINEAR &&
                         (c->is_normalised || c->is_linear || c->address != 1)))
                        continue;
                    if (at++ == number)
                        return 1;
                }
    *c = plain;
    for (c->kind = CASE_SIGNED; c->kind <= CASE_FLOAT; c->kind++)
        for (c->bits = 8; c->bits <= 32; c->bits *= 2)
            for (c->channels = 1; c->channels <= 4; c->channels *= 2)
                for (c->is_linear = 0; c->is_linear < 2; c->is_linear++)
                    for (c->reads_float = 0; c->reads_float < 2; c->reads_float++) {
                        int is_float = c->kind == CASE_FLOAT || c->reads_float;
                        if ((c->kind == CASE_FLOAT && (c->bits == 8 || c->reads_float)) ||
                            (c->bits == 32 && c->reads_float) || (c->is_linear && !is_float))
                            continue;
                        c->address = c->channels == 4 ? 3 : 1;
                        if (at++ == number)
                            return 1;
                    }
    *c = plain;
    c->kind = CASE_UNSIGNED, c->bits = 8, c->channels = 4, c->reads_float = c->is_srgb = 1;
    for (; c->is_linear < 2; c->is_linear++)
        if (at++ == number)
            return 1;
    /* Dense tests of filter weights: 1-D textures of f32, u8, s16 and f16. */
    *c = plain;
    c->geometry = CASE_1D, c->is_linear = 1, c->is_normalised = 0, c->fetches = CASE_DENSE_FETCHES;
    for (int i = 0; i < 4; i++, at++) {
        c->bits = i == 0 ? 32 : i == 1 ? 8 : 16;
        c->kind = i == 1 ? CASE_UNSIGNED : i == 2 ? CASE_SIGNED : CASE_FLOAT;
        c->reads_float = c->kind != CASE_FLOAT;
        if (at == number)
            return 1;
    }
    *c = plain;
    c->operation = CASE_GATHER, c->channels = 4;
    for (c->address = 0; c->address < 4; c->address++)
        for (c->component = 0; c->component < 4; c->component++)
            if (at++ == number)
                return 1;
    *c = plain;
    c->levels = CASE_LEVELS;
    for (c->operation = CASE_LEVEL; c->operation <= CASE_GRADIENT; c->operation++)
        for (c->is_linear = 0; c->is_linear < 2; c->is_linear++)
            for (c->level_filter = 0; c->level_filter < 2; c->level_filter++)
                if (at++ == number)
                    return 1;
    return 0;
}

#endif
