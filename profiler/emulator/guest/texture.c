#include "emulator/guest/texture.h"

#include "base/bits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Returns the offset of a byte in a group (GOB) of 64 bytes by 8 rows. A group has two halves of 32
 * bytes by 8 rows, a half has four pairs of rows, and a pair of rows has two sectors. */
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

enum { COORDINATE_BITS = 21 };

/* Returns the texel, from 0 to size - 1, for texel coordinate `i`, or -1 for the border. */
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

/* Without normalized coordinates, the modes wrap and mirror act like clamp (Programming Guide). */
static enum texture_address address_mode(const struct texture *texture, unsigned axis)
{
    enum texture_address mode = (enum texture_address)texture->address[axis];
    bool repeats = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR;
    return repeats && !texture->is_normalised ? ADDRESS_CLAMP : mode;
}

/* Returns x in texels, limited so that its conversion to 1/256 texel does not overflow. */
static double in_texels(const struct texture *texture, double x, uint32_t size,
                        enum texture_address mode)
{
    const double limit = 1 << 28, steps = 1 << COORDINATE_BITS;
    if (fabs(x) < (double)FLT_MIN)
        x = 0;
    if (texture->is_normalised) {
        if (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR)
            x -= 2 * floor(x / 2);
        if (fabs(x) < limit)
            x = floor(x * steps) / steps;
        x *= size;
    }
    return isnan(x) ? 0 : fmin(fmax(x, -limit), limit);
}

/* One or two texels along an axis. The weight of the second texel is `weight` / 256. */
struct span {
    unsigned count;
    int64_t texel[2];
    unsigned weight;
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
        int64_t fixed = (int64_t)floor(in_texels(texture, x, size, mode) * 256 + 0.5) - 128;
        first = fixed >> 8;
        span.count = 2;
        span.weight = (unsigned)(fixed & 255);
        span.texel[1] = address_texel(first + 1, size, mode);
    }
    span.texel[0] = address_texel(first, size, mode);
    if (span.count == 2 && span.texel[0] == span.texel[1] && mode == ADDRESS_CLAMP)
        span.weight = 0;
    return span;
}

/* Compute the weights of four texels, in 1/256, from the second texel's weight along each axis. */
static void weigh_plane(unsigned a, unsigned b, unsigned weight[4])
{
    weight[3] = (a * b + 128) / 256;
    weight[2] = b - weight[3];
    weight[1] = a - weight[3];
    weight[0] = 256 - a - b + weight[3];
}

/* Compute the weights of eight texels, with x as the fastest axis. The weights for x and z are
 * computed first. Each of these weights is then divided between two rows (y). */
static void weigh_volume(unsigned a, unsigned b, unsigned c, unsigned weight[8])
{
    unsigned plane[4];
    memset(weight, 0, 8 * sizeof *weight);
    weigh_plane(a, c ? c : b, c ? plane : weight);
    for (unsigned i = 0; i < 4 && c; i++) {
        unsigned at = (i & 1) + (i & 2) * 2;
        weight[at + 2] = (plane[i] * b + 128) / 256;
        weight[at] = plane[i] - weight[at + 2];
    }
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

struct aim {
    struct span span[3];
    int64_t slice; /* Layer or face, used if the geometry has no third axis. */
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
    /* A 1-D texture is fetched like the upper edge of a plane: the border has half the weight. */
    if (geometry.axes == 1 && !geometry.is_layered && !at->is_integer)
        axes = 2;
    for (unsigned axis = 0; axis < axes; axis++)
        aim.span[axis] = span_of(texture, axis, axis < geometry.axes ? x[axis] : 0, sizes[axis],
                                 at->is_integer, is_linear);
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
    unsigned weights[8];
    if (is_volume)
        weigh_volume(s[0].weight, s[1].weight, s[2].weight, weights);
    else
        weigh_plane(s[0].weight, s[1].weight, weights);
    for (unsigned i = 0; i < 8; i++) {
        unsigned side[3] = {i & 1, i >> 1 & 1, i >> 2};
        if (side[0] >= s[0].count || side[1] >= s[1].count || side[2] >= s[2].count)
            continue;
        const int64_t texel[3] = {s[0].texel[side[0]], s[1].texel[side[1]],
                                  is_volume ? s[2].texel[side[2]] : aim.slice};
        add_tap(texture, level, texel, weight * weights[i] / 256, taps);
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

static float half_value(uint32_t half)
{
    uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                  : ldexp(fraction, -24);
    return (float)(half & 0x8000 ? -value : value);
}

/* The formula of IEC 61966-2-1. */
static double srgb_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t largest(const struct texture *texture, unsigned bits)
{
    return UINT32_MAX >> (32 - bits + (texture->kind == TEXEL_SIGNED));
}

/* Integers are filtered with 16 bits. Returns `share` x the largest 16-bit value, rounded. */
static double in_16_bits(const struct texture *texture, double share)
{
    return floor(share * largest(texture, 16) + 0.5);
}

/* Round to 7 bits of fraction, which is the precision of the GPU's sRGB table. */
static double round_short(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(floor(fraction * 256 + 0.5), exponent - 8);
}

static double share_of(const struct texture *texture, int64_t number, unsigned channel)
{
    double share = fmax((double)number / largest(texture, texture->bits), -1);
    return texture->is_srgb && channel < 3 && texture->bits == 8 ? round_short(srgb_linear(share))
                                                                 : share;
}

static uint32_t channel_value(const struct texture *texture, uint32_t value, unsigned channel)
{
    if (texture->kind == TEXEL_FLOAT)
        return texture->bits == 16 ? bits_f32(half_value(value)) : value;
    unsigned unused = 32u - texture->bits;
    int64_t number = texture->kind == TEXEL_SIGNED ? (int64_t)((int32_t)(value << unused) >> unused)
                                                   : (int64_t)(value << unused >> unused);
    return texture->reads_float ? bits_f32((float)share_of(texture, number, channel))
                                : (uint32_t)number;
}

static uint32_t border_value(const struct texture *texture, unsigned channel)
{
    float border = texture->border[channel];
    if (texture->memory == TEXTURE_LINEAR)
        return 0;
    if (texture->kind == TEXEL_FLOAT)
        return bits_f32(border);
    if (!texture->reads_float)
        return channel_value(texture, bits_f32(border), channel);
    double most = largest(texture, texture->bits),
           least = texture->kind == TEXEL_SIGNED ? -most : 0;
    double number = ceil(fmin(fmax((double)border * most, least), most) - 0.5);
    return bits_f32((float)(number / most));
}

static uint32_t tap_value(const struct texture *texture, const struct texture_tap *tap,
                          const unsigned char *texel, unsigned channel)
{
    unsigned bytes = texture->bits / 8u;
    uint32_t value = 0;
    if (channel >= texture->channels)
        return 0;
    if (!tap->address)
        return border_value(texture, channel);
    memcpy(&value, texel + channel * bytes, bytes);
    return channel_value(texture, value, channel);
}

/* Round to `bits` significant bits. Ties are rounded away from zero. */
static double round_away(double value, int bits)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return isfinite(value) ? ldexp(round(ldexp(fraction, bits)), exponent - bits) : value;
}

static float filtered(const struct texture *texture, double sum, bool is_integer)
{
    if (is_integer)
        return (float)(floor(sum + 0.5) / largest(texture, 16));
    return (float)round_away(sum, texture->kind == TEXEL_FLOAT && texture->bits == 32 ? 24 : 11);
}

void texture_blend(const struct texture *texture, const struct texture_taps *taps,
                   const unsigned char (*texels)[16], uint32_t result[4])
{
    for (unsigned channel = 0; channel < 4; channel++) {
        bool is_integer = texture->kind != TEXEL_FLOAT && (!texture->is_srgb || channel == 3);
        double sum = 0;
        result[channel] = tap_value(texture, &taps->tap[0], texels[0], channel);
        for (unsigned i = 0; i < taps->count && taps->count > 1; i++) {
            double value = (double)float_f32(tap_value(texture, &taps->tap[i], texels[i], channel));
            if (is_integer)
                value = in_16_bits(texture, value);
            if (taps->tap[i].weight > 0)
                sum += taps->tap[i].weight * value;
        }
        if (taps->count > 1)
            result[channel] = bits_f32(filtered(texture, sum, is_integer));
    }
}

void texture_gather(const struct texture *texture, const struct texture_taps *taps,
                    const unsigned char (*texels)[16], unsigned component, uint32_t result[4])
{
    for (unsigned i = 0; i < 4; i++)
        result[i] = tap_value(texture, &taps->tap[i], texels[i], component);
}
