/* abi.h: the structures and constants of CUDA's runtime and driver API, because tlab is built
 * without CUDA's headers. abi_test.sh compares them with the headers of an installed toolkit. A
 * structure that differs between CUDA 12 and 13 is declared twice, with the suffixes _12 and _13.
 * Sources: driver_types.h, texture_types.h and cuda.h of CUDA 13.0; the bindings of the Rust crate
 * cudarc for 12.0 to 12.9 (src/runtime/sys/mod.rs, where "cuda-13000" marks the changes). */
#ifndef ABI_H
#define ABI_H

#include "emulator/warp/simt.h"

#include <stddef.h>
#include <stdint.h>

enum copy_kind { COPY_HOST, COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_IN_DEVICE, COPY_ANY };

struct pitched {
    void *pointer;
    size_t pitch, width, height;
};
struct extent { /* the width is in bytes, or in texels for arrays */
    size_t width, height, depth;
};
struct position {
    size_t x, y, z;
};

struct copy_3d {
    void *from_array;
    struct position from_at;
    struct pitched from;
    void *to_array;
    struct position to_at;
    struct pitched to;
    struct extent extent;
    int kind;
};

enum { LOCATION_DEVICE = 1 }; /* cudaMemLocationType; 0 is invalid, other values are the host */
struct location {
    int type, id;
};

enum { TYPE_UNREGISTERED, TYPE_HOST, TYPE_DEVICE, TYPE_MANAGED }; /* cudaMemoryType */
struct pointer_attributes_12 {
    int type, device;
    void *device_pointer, *host_pointer;
};
struct pointer_attributes_13 {
    struct pointer_attributes_12 old;
    long reserved[8];
};

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_ARRAY = 3, MEMORY_UNIFIED = 4 };
struct side_2d {
    size_t x, y; /* x in bytes */
    int type;
    void *host, *device, *array;
    size_t pitch;
};
struct copy_2d {
    struct side_2d from, to;
    size_t width, height;
};
struct side_3d {
    size_t x, y, z, level;
    int type;
    void *host, *device, *array, *reserved;
    size_t pitch, height;
};
struct driver_copy_3d {
    struct side_3d from, to;
    struct extent box;
};

struct channel_format {
    int bits[4]; /* Bits of the channels x, y, z and w; 0 for an unused channel. */
    int kind;
};

struct array_3d {
    struct extent extent;
    int format;
    unsigned channels, flags;
};
struct array_2d {
    size_t width, height;
    int format;
    unsigned channels;
};

enum resource_type { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };
union resource_memory {
    void *array;
    struct {
        void *pointer;
        struct channel_format format;
        size_t bytes;
    } linear;
    struct {
        void *pointer;
        struct channel_format format;
        size_t width, height, pitch;
    } pitched;
};
struct resource_12 {
    int type;
    union resource_memory of;
};
struct resource_13 {
    int type;
    union {
        union resource_memory of;
        int reserved[32];
    };
    unsigned flags;
};

struct texture_settings {
    int address[3];
    int is_linear, reads_float, is_srgb;
    float border[4];
    int is_normalised;
    unsigned anisotropy;
    int levels_linear;
    float level_bias, level_min, level_max;
    int no_trilinear_optimisation, is_seamless;
};

struct driver_resource { /* the runtime API's types in place of the driver's */
    int type;
    union {
        void *array;
        struct {
            void *pointer;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};
struct driver_texture {
    int address[3], is_linear;
    unsigned flags, anisotropy;
    int levels_linear;
    float level_bias, level_min, level_max, border[4];
    int reserved[12];
};

struct launch_attribute {
    int id;
    char padding[4];
    union attribute_value {
        char bytes[64];
        int cooperative, priority;
        struct dimensions cluster;
    } value;
};
enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4, ATTRIBUTE_PRIORITY = 8 };
enum { ATTRIBUTE_COUNT = 17 };

struct launch_config {
    struct dimensions grid, block;
    size_t shared;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};
struct driver_launch_config {
    struct dimensions grid, block;
    unsigned shared;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};

struct function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared;
    int carveout, cluster[6], reserved[16];
};

struct kernel_node {
    void *function;
    struct dimensions grid, block;
    unsigned shared;
    void **arguments, **extra;
};
struct set_node { /* the width is in elements */
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct host_call {
    void (*function)(void *);
    void *data;
};
struct allocation_node {
    char pool_properties[88];
    const void *access;
    size_t access_count, bytes;
    void *pointer;
};
struct condition_node {
    unsigned long long handle;
    int kind;
    unsigned count;
    void **bodies; /* CUDA stores its graphs here, and owns the graphs. */
};
struct any_node {
    int kind, reserved[3];
    union {
        struct kernel_node kernel;
        struct {
            int flags[4];
            struct copy_3d copy;
        } copy;
        struct set_node set;
        struct host_call call;
        struct allocation_node allocation;
        struct condition_node condition;
        void *handle; /* A graph or an event, or memory to free. */
        long long reserved1[29];
    } of;
    long long reserved2;
};
struct instantiation {
    unsigned long long flags;
    void *stream, *node;
    int result;
};
struct update_result {
    int result;
    void *node, *from;
};

/* ABI_STRUCTURES contains the name, CUDA's name and the size in bytes of each structure. */
// clang-format off
#define ABI_STRUCTURES(X) \
    X(pitched, struct cudaPitchedPtr, 32) \
    X(extent, struct cudaExtent, 24) \
    X(position, struct cudaPos, 24) \
    X(copy_3d, struct cudaMemcpy3DParms, 160) \
    X(location, struct cudaMemLocation, 8) \
    X(copy_2d, CUDA_MEMCPY2D, 128) \
    X(driver_copy_3d, CUDA_MEMCPY3D, 200) \
    X(channel_format, struct cudaChannelFormatDesc, 20) \
    X(array_3d, CUDA_ARRAY3D_DESCRIPTOR, 40) \
    X(array_2d, CUDA_ARRAY_DESCRIPTOR, 24) \
    X(texture_settings, struct cudaTextureDesc, 72) \
    X(driver_resource, CUDA_RESOURCE_DESC, 144) \
    X(driver_texture, CUDA_TEXTURE_DESC, 104) \
    X(launch_attribute, cudaLaunchAttribute, 72) \
    X(launch_config, cudaLaunchConfig_t, 56) \
    X(driver_launch_config, CUlaunchConfig, 56) \
    X(function_attributes, struct cudaFuncAttributes, 144) \
    X(kernel_node, struct cudaKernelNodeParams, 56) \
    X(set_node, struct cudaMemsetParams, 40) \
    X(host_call, struct cudaHostNodeParams, 16) \
    X(allocation_node, struct cudaMemAllocNodeParams, 120) \
    X(condition_node, struct cudaConditionalNodeParams, 24) \
    X(any_node, struct cudaGraphNodeParams, 256) \
    X(instantiation, cudaGraphInstantiateParams, 32) \
    X(update_result, cudaGraphExecUpdateResultInfo, 24)
#define ABI_STRUCTURES_12(X) \
    X(pointer_attributes_12, struct cudaPointerAttributes, 24) \
    X(resource_12, struct cudaResourceDesc, 64)
#define ABI_STRUCTURES_13(X) \
    X(pointer_attributes_13, struct cudaPointerAttributes, 88) \
    X(resource_13, struct cudaResourceDesc, 144)
#define ABI_MEMBERS(X) \
    X(copy_3d, to_array, struct cudaMemcpy3DParms, dstArray, 64) \
    X(copy_3d, kind, struct cudaMemcpy3DParms, kind, 152) \
    X(copy_2d, to, CUDA_MEMCPY2D, dstXInBytes, 56) \
    X(driver_copy_3d, to, CUDA_MEMCPY3D, dstXInBytes, 88) \
    X(array_3d, format, CUDA_ARRAY3D_DESCRIPTOR, Format, 24) \
    X(texture_settings, border, struct cudaTextureDesc, borderColor, 24) \
    X(texture_settings, level_bias, struct cudaTextureDesc, mipmapLevelBias, 52) \
    X(driver_resource, flags, CUDA_RESOURCE_DESC, flags, 136) \
    X(driver_texture, flags, CUDA_TEXTURE_DESC, flags, 16) \
    X(driver_texture, border, CUDA_TEXTURE_DESC, borderColor, 40) \
    X(launch_attribute, value, cudaLaunchAttribute, val, 8) \
    X(launch_config, stream, cudaLaunchConfig_t, stream, 32) \
    X(driver_launch_config, stream, CUlaunchConfig, hStream, 32) \
    X(function_attributes, max_dynamic_shared, struct cudaFuncAttributes, maxDynamicSharedSizeBytes, 44) \
    X(kernel_node, arguments, struct cudaKernelNodeParams, kernelParams, 40) \
    X(set_node, value, struct cudaMemsetParams, value, 16) \
    X(allocation_node, bytes, struct cudaMemAllocNodeParams, bytesize, 104) \
    X(condition_node, bodies, struct cudaConditionalNodeParams, phGraph_out, 16) \
    X(any_node, of, struct cudaGraphNodeParams, kernel, 16) \
    X(any_node, reserved2, struct cudaGraphNodeParams, reserved2, 248) \
    X(instantiation, result, cudaGraphInstantiateParams, result_out, 24)
// clang-format on

#define X(name, theirs, bytes)                                                                     \
    _Static_assert(sizeof(struct name) == (bytes), #name " has the size of " #theirs);
ABI_STRUCTURES(X)
ABI_STRUCTURES_12(X)
ABI_STRUCTURES_13(X)
#undef X
#define X(name, member, theirs, their_member, at)                                                  \
    _Static_assert(offsetof(struct name, member) == (at), #name "." #member " as in " #theirs);
ABI_MEMBERS(X)
#undef X

#endif
