/* array.h: CUDA arrays, and the texture and surface objects that kernels read them by. */
#ifndef ARRAY_H
#define ARRAY_H

#include "cuda/abi.h"
#include "cuda/core/heap.h"
#include "emulator/guest/texture.h"

enum array_flags { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

struct array {
    void *handle;
    struct allocation *memory;
    struct channel_format format;
    struct extent extent; /* as the program gave it: 0 where there is no such axis */
    unsigned flags;       /* enum array_flags, as cudaMalloc3DArray has them */
    unsigned texel_bytes;
    struct texture_level level;
    struct array *smaller; /* the next level of a mipmapped array */
    bool is_level;         /* of a mipmapped array; */
    bool is_first;         /* the level by whose handle the array is freed */
};

/* The sizes that CUDA arrays and textures may have; as an H200 says (testdata/texture_record.cu
 * of the emulator), which are those of CC 8.0 and above (Programming Guide, "Technical
 * Specifications"). */
enum {
    TEXTURE_1D = 131072,
    SURFACE_1D = 32768,
    TEXTURE_2D_WIDTH = 131072,
    TEXTURE_2D_HEIGHT = 65536,
    TEXTURE_MIPMAP = 32768,
    TEXTURE_PITCHED_WIDTH = 131072,
    TEXTURE_PITCHED_HEIGHT = 65000,
    TEXTURE_PITCHED_PITCH = 2097120,
    TEXTURE_3D = 16384,
    TEXTURE_3D_ALTERNATE = 8192,
    TEXTURE_LAYERED = 32768,
    TEXTURE_LAYERS = 2048,
    TEXTURE_LINEAR_BITS = 32, /* texels of 2^32 bits in linear memory: 2^30 of four bytes */
    TEXTURE_ALIGN = 512,
    TEXTURE_PITCH_ALIGN = 32
};

/* 0 or an error. `levels`: of a mipmapped array; 0 for any other. */
int array_create(void **made, const struct channel_format *format, struct extent extent,
                 unsigned levels, unsigned flags);
/* The array of a handle, or NULL. */
struct array *array_of(const void *handle);
int array_free(const void *handle, bool is_mipmapped);
/* cudaDeviceReset: no array and no object is left. */
void array_free_all(void);
/* Bytes of a texel; 0: no such format. */
unsigned channel_format_bytes(const struct channel_format *format);

/* Where a box of an array (or of memory) is for a copy; position and box in texels. False: it
 * reaches over the array's edge. */
struct array_side {
    void *pointer;
    size_t pitch, slice;
};
bool array_side(const struct array *array, struct position at, struct extent box,
                struct array_side *side);

/* What an object was made of; of a surface the resource only. */
struct object {
    struct resource_13 resource;
    struct texture_settings settings;
};

/* Make an object: 0 or an error. `settings` NULL: a surface. */
int object_create(unsigned long long *handle, const struct resource_13 *resource,
                  const struct texture_settings *settings);
/* What it was made of; NULL: no such, or destroyed. */
const struct object *object_of(unsigned long long handle, enum texture_use use);
int object_destroy(unsigned long long handle, enum texture_use use);

/* All objects that there were, for a launch. */
const struct texture *object_table(uint32_t *count);

#endif
