/* array.h: CUDA arrays, and texture and surface objects. */
#ifndef ARRAY_H
#define ARRAY_H

#include "cuda/abi.h"
#include "cuda/core/handle.h"
#include "cuda/core/heap.h"
#include "emulator/guest/texture.h"

enum array_flags { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

struct array {
    void *handle;
    struct allocation *memory;
    struct channel_format format;
    struct extent extent; /* Requested size; 0 for an unused axis. */
    unsigned flags;       /* Flags of cudaMalloc3DArray. */
    unsigned texel_bytes;
    struct texture_level level;
    struct array *smaller;
    bool is_level;
    bool is_first; /* True for the first mipmap level; its handle frees the array. */
};

/* Limits of CC 8.0 and above (Programming Guide, "Technical Specifications"), as on an H200. */
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
    TEXTURE_LINEAR_BITS = 32, /* Linear memory: at most 2^32 bytes, or 2^30 4-byte texels. */
    TEXTURE_ALIGN = 512,
    TEXTURE_PITCH_ALIGN = 32
};

/* Set *made to the handle of a new array. `levels` is 0 without mipmaps. Returns 0 or an error. */
int array_create(void **made, const struct channel_format *format, struct extent extent,
                 unsigned levels, unsigned flags);
HANDLE_LOOKUP(array_of, array, HANDLE_ARRAY)
int array_free(const void *handle, bool is_mipmapped);
void array_free_all(void);
/* Returns the bytes of a texel; 0 if the format is invalid. */
unsigned channel_format_bytes(const struct channel_format *format);

/* The address and the pitches, in bytes, of a box of an array. array_side returns false if the box,
 * in texels, does not fit into the array. */
struct array_side {
    void *pointer;
    size_t pitch, slice;
};
bool array_side(const struct array *array, struct position at, struct extent box,
                struct array_side *side);

/* The parameters of a texture object, or of a surface object, which has only the resource. */
struct object {
    struct resource_13 resource;
    struct texture_settings settings;
};

/* Create a texture object, or a surface object if `settings` is NULL. `resource` is a struct
 * resource_12 or resource_13, depending on `resource_bytes`. Returns 0 or a CUDA error. */
int object_create(unsigned long long *handle, const void *resource, size_t resource_bytes,
                  const struct texture_settings *settings);
/* Returns the parameters of a texture or surface object; NULL for other handles. */
const struct object *object_of(unsigned long long handle, enum texture_use use);
int object_destroy(unsigned long long handle, enum texture_use use);

/* Returns the table of *count objects, including destroyed objects, for a launch. */
const struct texture *object_table(uint32_t *count);

#endif
