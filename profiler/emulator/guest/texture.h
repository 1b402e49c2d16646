/* texture.h: textures and surfaces: where the texels are that a fetch reads, and what it makes of
 * them.
 *
 * Theory of operation. An object (cudaTextureObject_t, cudaSurfaceObject_t) is a number: its place
 * in the launch's table of descriptors, counted from 1. A fetch has two steps, so that the
 * interpreter reads the texels like any other memory: texture_aim finds the *taps*, each a texel's
 * guest address and its weight, and texture_blend makes the result of their bytes. The rules are
 * those of the CUDA C++ Programming Guide, "Texture Fetching"; what it leaves open was measured on
 * an H200 (testdata/texture_record.cu).
 *
 * Texels lie in guest memory row by row. How a GPU lays out a CUDA array is not documented; sectors
 * are counted as if in groups of 64 bytes by 8 rows with sectors of 16 bytes by 2 rows (the layout
 * "block linear" of NVIDIA's Tegra manuals; an H200's sectors have that shape), so a tap also has
 * the address that it is counted at.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum texture_use {
    TEXTURE_DESTROYED, /* the program gave it back */
    TEXTURE_OBJECT,
    TEXTURE_SURFACE
};
enum texture_memory { TEXTURE_LINEAR, TEXTURE_PITCHED, TEXTURE_ARRAY };
enum texture_kind { TEXEL_SIGNED, TEXEL_UNSIGNED, TEXEL_FLOAT }; /* cudaChannelFormatKind */
enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };

enum {
    TEXTURE_MAX_LEVELS = 17,
    TEXTURE_MAX_TAPS = 16, /* 8 of a volume, on two levels */
    GOB_BYTES = 64,        /* of a row, */
    GOB_ROWS = 8,          /* and rows: arrays are padded to whole groups */
};

/* Texels of one level: `pitch` bytes from row to row, `slice` from one plane, face or layer to the
 * next; height and depth are 1 where there is none. */
struct texture_level {
    uint64_t base; /* guest address */
    uint32_t width, height, depth;
    uint64_t pitch, slice;
};

struct texture {
    enum texture_use use;
    enum texture_memory memory;
    enum texture_kind kind;
    uint8_t bits, channels; /* of a channel: 8, 16 or 32; 1, 2 or 4 of them */
    uint8_t address[3];     /* enum texture_address */
    bool is_linear;         /* filter */
    bool is_normalised;     /* coordinates */
    bool reads_float;       /* integers become floats in [0, 1] or [-1, 1] */
    bool is_srgb;
    bool levels_linear; /* filter between levels */
    float border[4];
    float level_bias, level_min, level_max;
    uint32_t level_count; /* at least 1 */
    struct texture_level levels[TEXTURE_MAX_LEVELS];
};

static inline unsigned texture_texel_bytes(const struct texture *texture)
{
    return (unsigned)texture->bits / 8 * texture->channels;
}

/* How many coordinates an instruction gives, and what is beside them. */
struct texture_geometry {
    uint8_t axes; /* 1 to 3 */
    bool is_layered, is_cube;
};

struct texture_at {
    double x[3];
    bool is_integer; /* the coordinates: texels, unfiltered */
    uint32_t layer;
    double level;
};

struct texture_tap {
    uint64_t address; /* 0: the border */
    uint64_t counted;
    double weight;
};
struct texture_taps {
    unsigned count;
    struct texture_tap tap[TEXTURE_MAX_TAPS];
};

void texture_aim(const struct texture *texture, struct texture_geometry geometry,
                 const struct texture_at *at, struct texture_taps *taps);
/* The four texels that linear filtering would weigh, in tld4's order. */
void texture_aim_gather(const struct texture *texture, struct texture_geometry geometry,
                        const struct texture_at *at, struct texture_taps *taps);

/* What the fetch gives: 32 bits for each of x, y, z, w. `texels`: the bytes of each tap that is not
 * of the border. */
void texture_blend(const struct texture *texture, const struct texture_taps *taps,
                   const unsigned char (*texels)[16], uint32_t result[4]);
/* Component `component` of each tap. */
void texture_gather(const struct texture *texture, const struct texture_taps *taps,
                    const unsigned char (*texels)[16], unsigned component, uint32_t result[4]);

/* The level that slopes of the coordinates along the screen's axes ask for. */
double texture_gradient_level(const struct texture *texture, unsigned axes, const double dx[3],
                              const double dy[3]);

/* The address at which byte `x` of a row is counted. */
uint64_t texture_counted(const struct texture *texture, const struct texture_level *level,
                         uint64_t x, uint64_t y, uint64_t z);

#endif
