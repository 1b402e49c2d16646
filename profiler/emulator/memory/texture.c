/* texture.c: see texture.h. */
#include "emulator/memory/texture.h"

#include <math.h>
#include <string.h>

/* ---- Where texels are ---- */

/* Bytes in a group (GOB): halves of 32 bytes, in each of them pairs of rows, in each two sectors. */
static uint64_t gob_offset(uint64_t x, uint64_t y)
{
    return (x & 32) * 8 + (y & 6) * 32 + (x & 16) * 2 + (y & 1) * 16 + (x & 15);
}

uint64_t texture_counted(const struct texture *texture, const struct texture_level *level,
                         uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t plane = level->base + z * level->slice;
    if (texture->memory != TEXTURE_ARRAY || level->height == 1)
        return plane + y * level->pitch + x;
    return plane + y / GOB_ROWS * GOB_ROWS * level->pitch + x / GOB_BYTES * GOB_BYTES * GOB_ROWS +
           gob_offset(x, y);
}

/* The texel's place along an axis of `size`; -1: the border. */
static int64_t address_texel(int64_t i, int64_t size, enum texture_address mode)
{
    int64_t m;
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case ADDRESS_WRAP:
        m = i % size;
        return m < 0 ? m + size : m;
    case ADDRESS_MIRROR:
        m = i % (2 * size);
        m = m < 0 ? m + 2 * size : m;
        return m < size ? m : 2 * size - 1 - m;
    case ADDRESS_BORDER:
        return -1;
    default:
        return i < 0 ? 0 : size - 1;
    }
}

/* Wrapping and mirroring need normalised coordinates; without, they clamp (Programming Guide). */
static enum texture_address address_mode(const struct texture *texture, unsigned axis)
{
    enum texture_address mode = (enum texture_address)texture->address[axis];
    bool repeats = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    return repeats && !texture->is_normalised ? ADDRESS_CLAMP : mode;
}

/* A coordinate in texels, small enough to be counted in 1/256 of them. */
static double in_texels(const struct texture *texture, double x, uint32_t size,
                        enum texture_address mode)
{
    const double limit = 1 << 28;
    if (texture->is_normalised) {
        if (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR)
            x -= 2 * floor(x / 2);
        x *= size;
    }
    return isnan(x) ? 0 : fmin(fmax(x, -limit), limit);
}

/* The texels along one axis: one, or two of which the second weighs `weight`. */
struct span {
    unsigned count;
    int64_t texel[2];
    double weight;
};

static struct span span_of(const struct texture *texture, unsigned axis, double x, uint32_t size,
                           bool is_integer, bool is_linear)
{
    enum texture_address mode = address_mode(texture, axis);
    struct span span = {.count = 1};
    int64_t first;
    if (is_integer) {
        first = (int64_t)x;
        mode = texture->memory == TEXTURE_LINEAR ? ADDRESS_BORDER : mode;
    } else if (!is_linear) {
        first = (int64_t)floor(in_texels(texture, x, size, mode));
    } else {
        /* x - 0.5 in fixed point, with 8 bits of fraction. */
        int64_t fixed = (int64_t)floor(in_texels(texture, x, size, mode) * 256 + 0.5) - 128;
        first = fixed >> 8;
        span.count = 2;
        span.weight = (double)(fixed & 255) / 256;
        span.texel[1] = address_texel(first + 1, size, mode);
    }
    span.texel[0] = address_texel(first, size, mode);
    return span;
}

static void add_tap(const struct texture *texture, const struct texture_level *level,
                    const int64_t texel[3], double weight, struct texture_taps *taps)
{
    struct texture_tap *tap = &taps->tap[taps->count++];
    *tap = (struct texture_tap){.weight = weight};
    if (texel[0] < 0 || texel[1] < 0 || texel[2] < 0)
        return;
    uint64_t x = (uint64_t)texel[0] * texture_texel_bytes(texture), y = (uint64_t)texel[1],
             z = (uint64_t)texel[2];
    tap->address = level->base + z * level->slice + y * level->pitch + x;
    tap->counted = texture_counted(texture, level, x, y, z);
}

/* Which face a direction meets, and where (Programming Guide, "Cubemap Textures"). */
static unsigned cube_face(const double v[3], double s_t[2])
{
    double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]), m, s, t;
    unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    bool negative = signbit(v[axis]);
    m = axis == 0 ? x : axis == 1 ? y : z;
    if (axis == 0) {
        s = negative ? v[2] : -v[2];
        t = -v[1];
    } else if (axis == 1) {
        s = v[0];
        t = negative ? -v[2] : v[2];
    } else {
        s = negative ? -v[0] : v[0];
        t = -v[1];
    }
    s_t[0] = (s / m + 1) / 2;
    s_t[1] = (t / m + 1) / 2;
    return 2 * axis + negative;
}

/* A fetch in the plane or the volume of one level. */
struct aim {
    struct span span[3];
    int64_t slice; /* layer, face; where the geometry has no third axis */
};

static struct aim aim_at(const struct texture *texture, struct texture_geometry geometry,
                         const struct texture_at *at, const struct texture_level *level,
                         bool is_linear)
{
    const uint32_t sizes[3] = {level->width, level->height, level->depth};
    struct aim aim = {.span = {{.count = 1}, {.count = 1}, {.count = 1}}};
    unsigned axes = geometry.is_cube ? 2 : geometry.axes;
    const double *x = at->x;
    double face_x[2];
    if (geometry.is_layered) {
        uint32_t layers = level->depth / (geometry.is_cube ? 6 : 1);
        aim.slice = at->layer < layers ? at->layer : layers ? layers - 1 : 0;
    }
    if (geometry.is_cube) {
        aim.slice = 6 * aim.slice + cube_face(at->x, face_x);
        x = face_x;
    }
    if (aim.slice >= level->depth)
        aim.slice = 0;
    for (unsigned axis = 0; axis < axes; axis++)
        aim.span[axis] = span_of(texture, axis, x[axis], sizes[axis], at->is_integer, is_linear);
    return aim;
}

static void aim_level(const struct texture *texture, struct texture_geometry geometry,
                      const struct texture_at *at, unsigned number, double weight,
                      struct texture_taps *taps)
{
    const struct texture_level *level = &texture->levels[number];
    struct aim aim = aim_at(texture, geometry, at, level, texture->is_linear && !at->is_integer);
    const struct span *s = aim.span;
    bool is_volume = geometry.axes == 3 && !geometry.is_cube;
    for (unsigned k = 0; k < s[2].count; k++)
        for (unsigned j = 0; j < s[1].count; j++)
            for (unsigned i = 0; i < s[0].count; i++) {
                const int64_t texel[3] = {s[0].texel[i], s[1].texel[j],
                                          is_volume ? s[2].texel[k] : aim.slice};
                double wx = i ? s[0].weight : 1 - s[0].weight;
                double wy = j ? s[1].weight : 1 - s[1].weight;
                double wz = k ? s[2].weight : 1 - s[2].weight;
                add_tap(texture, level, texel, weight * wx * wy * wz, taps);
            }
}

void texture_aim(const struct texture *texture, struct texture_geometry geometry,
                 const struct texture_at *at, struct texture_taps *taps)
{
    taps->count = 0;
    if (texture->level_count <= 1) {
        aim_level(texture, geometry, at, 0, 1, taps);
        return;
    }
    double level = at->level + (double)texture->level_bias;
    double most = fmin((double)texture->level_max, texture->level_count - 1);
    level = isnan(level) ? 0 : fmax(fmin(level, most), fmax((double)texture->level_min, 0));
    level = fmin(level, texture->level_count - 1);
    if (!texture->levels_linear) {
        aim_level(texture, geometry, at, (unsigned)floor(level + 0.5), 1, taps);
        return;
    }
    double fixed = floor(level * 256 + 0.5) / 256;
    unsigned lower = (unsigned)fixed;
    aim_level(texture, geometry, at, lower, 1 - (fixed - lower), taps);
    if (fixed > lower)
        aim_level(texture, geometry, at, lower + 1, fixed - lower, taps);
}

void texture_aim_gather(const struct texture *texture, struct texture_geometry geometry,
                        const struct texture_at *at, struct texture_taps *taps)
{
    const struct texture_level *level = &texture->levels[0];
    struct aim aim = aim_at(texture, geometry, at, level, true);
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    taps->count = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int64_t texel[3] = {aim.span[0].texel[order[i][0]], aim.span[1].texel[order[i][1]],
                                  aim.slice};
        add_tap(texture, level, texel, 1, taps);
    }
}

double texture_gradient_level(const struct texture *texture, unsigned axes, const double dx[3],
                              const double dy[3])
{
    const struct texture_level *level = &texture->levels[0];
    const uint32_t sizes[3] = {level->width, level->height, level->depth};
    double x = 0, y = 0;
    for (unsigned axis = 0; axis < axes; axis++) {
        double size = texture->is_normalised ? sizes[axis] : 1;
        x += dx[axis] * size * dx[axis] * size;
        y += dy[axis] * size * dy[axis] * size;
    }
    return log2(fmax(x, y)) / 2;
}

/* ---- What texels are ---- */

static float half_value(uint32_t half)
{
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                  : ldexp(fraction, -24);
    return (float)(half & 0x8000 ? -value : value);
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* IEC 61966-2-1. */
static double srgb_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* A channel's 32 bits: an integer, sign-extended, or a float. */
static uint32_t channel_value(const struct texture *texture, const unsigned char *texel,
                              unsigned channel)
{
    unsigned bytes = texture->bits / 8u;
    uint32_t value = 0;
    if (channel >= texture->channels)
        return 0;
    memcpy(&value, texel + channel * bytes, bytes);
    if (texture->kind == TEXEL_FLOAT)
        return bytes == 2 ? bits_of(half_value(value)) : value;
    uint32_t sign = 1u << (texture->bits - 1);
    bool is_signed = texture->kind == TEXEL_SIGNED;
    int64_t number = is_signed ? (int64_t)(int32_t)((value ^ sign) - sign) : (int64_t)value;
    if (!texture->reads_float)
        return (uint32_t)number;
    double share = (double)number / (is_signed ? sign - 1 : 2 * (sign - 1) + 1);
    if (texture->is_srgb && channel < 3 && texture->bits == 8)
        share = srgb_linear(share);
    return bits_of((float)fmax(share, -1));
}

static uint32_t tap_value(const struct texture *texture, const struct texture_tap *tap,
                          const unsigned char *texel, unsigned channel)
{
    if (tap->address)
        return channel_value(texture, texel, channel);
    return texture->memory == TEXTURE_LINEAR || channel >= texture->channels
               ? 0
               : bits_of(texture->border[channel]);
}

void texture_blend(const struct texture *texture, const struct texture_taps *taps,
                   const unsigned char (*texels)[16], uint32_t result[4])
{
    for (unsigned channel = 0; channel < 4; channel++) {
        double sum = 0;
        if (taps->count == 1) {
            result[channel] = tap_value(texture, &taps->tap[0], texels[0], channel);
            continue;
        }
        for (unsigned i = 0; i < taps->count; i++)
            sum += taps->tap[i].weight *
                   (double)float_of(tap_value(texture, &taps->tap[i], texels[i], channel));
        result[channel] = bits_of((float)sum);
    }
}

void texture_gather(const struct texture *texture, const struct texture_taps *taps,
                    const unsigned char (*texels)[16], unsigned component, uint32_t result[4])
{
    for (unsigned i = 0; i < 4; i++)
        result[i] = tap_value(texture, &taps->tap[i], texels[i], component);
}
