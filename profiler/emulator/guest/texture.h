/* texture.h: texel addresses and results of fetches from textures and surfaces.
 *
 * An object (cudaTextureObject_t, cudaSurfaceObject_t) is an index, from 1, into the launch's table
 * of descriptors. A fetch has two steps, so that the interpreter reads texels like other memory.
 * First, texture_aim finds the *taps*, which are guest addresses and weights of texels. Then
 * texture_blend computes the result from the texels' bytes. The rules are those of the CUDA C++
 * Programming Guide, "Texture Fetching". Other details were measured on an H200
 * (testdata/texture_record.cu).
 *
 * Texels lie in guest memory row by row. The layout of a CUDA array on a GPU is not documented.
 * Sectors are counted as in the layout "block linear" of NVIDIA's Tegra manuals: groups of 64 bytes
 * by 8 rows, with sectors of 16 bytes by 2 rows. So each tap has a second address for counting. */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texture_use { TEXTURE_DESTROYED, TEXTURE_OBJECT, TEXTURE_SURFACE };
enum texture_memory { TEXTURE_LINEAR, TEXTURE_PITCHED, TEXTURE_ARRAY };
enum texture_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT }; /* cudaChannelFormatKind */
enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

enum {
    TEXTURE_MAX_LEVELS = 17,
    TEXTURE_MAX_TAPS = 16, /* 8 taps of a volume on each of two levels. */
    /* Arrays are padded to whole groups of GOB_ROWS rows with GOB_BYTES bytes each. */
    GOB_BYTES = 64,
    GOB_ROWS = 8,
};

/* One mipmap level. Missing dimensions are 1. `pitch` is the distance in bytes between rows,
 * `slice` between planes, faces or layers. */
struct texture_level {
    uint64_t base;
    uint32_t width, height, depth;
    uint64_t pitch, slice;
};

struct texture {
    enum texture_use use;
    enum texture_memory memory;
    enum texture_kind kind;
    uint8_t bits, channels; /* Bits per channel: 8, 16 or 32. Number of channels: 1, 2 or 4. */
    uint8_t address[3];     /* A value of enum texture_address for each axis. */
    bool is_linear;
    bool is_normalised;
    bool reads_float; /* Integers are read as floats in [0, 1] or [-1, 1]. */
    bool is_srgb;
    bool levels_linear;
    float border[4];
    float level_bias, level_min, level_max;
    uint32_t level_count;
    struct texture_level levels[TEXTURE_MAX_LEVELS];
};

static inline unsigned texture_texel_bytes(const struct texture *texture)
{
    return (unsigned)texture->bits / 8 * texture->channels;
}

struct texture_geometry {
    uint8_t axes; /* Number of coordinates, 1 to 3. */
    bool is_layered, is_cube;
};

struct texture_at {
    double x[3];
    bool is_integer; /* The coordinates are texel indices, and no filter is applied. */
    uint32_t layer;
    double level;
};

struct texture_tap {
    uint64_t address; /* Guest address of the texel, or 0 for the border color. */
    uint64_t counted;
    double weight;
};
struct texture_taps {
    unsigned count;
    struct texture_tap tap[TEXTURE_MAX_TAPS];
};

void texture_aim(const struct texture *texture, struct texture_geometry geometry,
                 const struct texture_at *at, struct texture_taps *taps);
/* Find the four texels of linear filtering, in the order of tld4. */
void texture_aim_gather(const struct texture *texture, struct texture_geometry geometry,
                        const struct texture_at *at, struct texture_taps *taps);

/* Compute the result of a fetch: 32 bits for each of x, y, z and w. texels[i] contains the bytes of
 * tap i. The bytes of border taps are ignored. */
void texture_blend(const struct texture *texture, const struct texture_taps *taps,
                   const unsigned char (*texels)[16], uint32_t result[4]);
void texture_gather(const struct texture *texture, const struct texture_taps *taps,
                    const unsigned char (*texels)[16], unsigned component, uint32_t result[4]);

/* Returns the mipmap level for the gradients `dx` and `dy` of the coordinates. */
double texture_gradient_level(const struct texture *texture, unsigned axes, const double dx[3],
                              const double dy[3]);

/* Returns the address at which byte `x` of row `y` in plane `z` is counted. */
uint64_t texture_counted(const struct texture *texture, const struct texture_level *level,
                         uint64_t x, uint64_t y, uint64_t z);

#endif
