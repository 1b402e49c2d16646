/* texture_record.cu: record the fetches of a GPU for the cases of texture_cases.h, and its surface accesses out
 * of range, as CSV on standard output. Build: nvcc -o texture_record texture_record.cu; takes seconds. */
#include "texture_cases.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error_));     \
            cudaGetLastError();                                                                    \
            throw error_;                                                                          \
        }                                                                                          \
    } while (0)

struct fetch_at {
    float x, y, z, w;
    int layer;
};

template <typename T>
__device__ T fetch_one(cudaTextureObject_t t, int geometry, int operation, int component, fetch_at at)
{
    if (operation == CASE_GATHER)
        return tex2Dgather<T>(t, at.x, at.y, component);
    if (operation == CASE_LEVEL)
        return tex2DLod<T>(t, at.x, at.y, at.w);
    if (operation == CASE_GRADIENT)
        return tex2DGrad<T>(t, at.x, at.y, make_float2(at.w / 8, 0), make_float2(0, at.w / 16));
    switch (geometry) {
    case CASE_LINEAR:
        return tex1Dfetch<T>(t, (int)at.x);
    case CASE_1D:
        return tex1D<T>(t, at.x);
    case CASE_3D:
        return tex3D<T>(t, at.x, at.y, at.z);
    case CASE_A1D:
        return tex1DLayered<T>(t, at.x, at.layer);
    case CASE_A2D:
        return tex2DLayered<T>(t, at.x, at.y, at.layer);
    case CASE_CUBE:
        return texCubemap<T>(t, at.x, at.y, at.z);
    case CASE_ACUBE:
        return texCubemapLayered<T>(t, at.x, at.y, at.z, at.layer);
    default:
        return tex2D<T>(t, at.x, at.y);
    }
}

template <typename T>
__global__ void fetch_all(cudaTextureObject_t t, int geometry, int operation, int component,
                          const fetch_at *at, T *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = fetch_one<T>(t, geometry, operation, component, at[i]);
}

/* Returns the texels of a level, x fastest. */
static std::vector<unsigned char> texels(const texture_case &c, int level, int w, int h, int d)
{
    int bytes = c.bits / 8;
    std::vector<unsigned char> data((size_t)w * h * d * c.channels * bytes);
    for (int i = 0; i < w * h * d; i++)
        for (int k = 0; k < c.channels; k++) {
            uint32_t bits = case_texel(&c, level, (uint32_t)i, (uint32_t)k);
            memcpy(&data[((size_t)i * c.channels + k) * bytes], &bits, bytes);
        }
    return data;
}

static void fill(cudaArray_t array, const texture_case &c, int level, int w, int h, int d)
{
    std::vector<unsigned char> data = texels(c, level, w, h, d);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), (size_t)w * c.channels * c.bits / 8, w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
}

static void record(int number, const texture_case &c)
{
    int w = case_extent(&c, 0), h = case_extent(&c, 1), d = case_extent(&c, 2);
    int each[4];
    for (int k = 0; k < 4; k++)
        each[k] = k < c.channels ? c.bits : 0;
    cudaChannelFormatDesc format = cudaCreateChannelDesc(each[0], each[1], each[2], each[3],
                                                         (cudaChannelFormatKind)c.kind);
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    size_t texel = (size_t)c.channels * c.bits / 8;
    if (c.levels) {
        cudaMipmappedArray_t mipmap;
        CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(w, h, 0), c.levels, 0));
        for (int level = 0; level < c.levels; level++) {
            cudaArray_t array;
            CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
            fill(array, c, level, w >> level, h >> level, 1);
        }
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = mipmap;
    } else if (c.geometry == CASE_LINEAR) {
        std::vector<unsigned char> data = texels(c, 0, w, h, d);
        void *memory;
        CHECK(cudaMalloc(&memory, data.size()));
        CHECK(cudaMemcpy(memory, data.data(), data.size(), cudaMemcpyHostToDevice));
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear = {memory, format, data.size()};
    } else if (c.geometry == CASE_PITCH) {
        std::vector<unsigned char> data = texels(c, 0, w, h, d);
        void *memory;
        size_t pitch;
        CHECK(cudaMallocPitch(&memory, &pitch, w * texel, h));
        CHECK(cudaMemcpy2D(memory, pitch, data.data(), w * texel, w * texel, h,
                           cudaMemcpyHostToDevice));
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D = {memory, format, (size_t)w, (size_t)h, pitch};
    } else {
        bool is_1d = c.geometry == CASE_1D || c.geometry == CASE_A1D;
        bool is_2d = c.geometry == CASE_2D;
        bool is_layered = c.geometry == CASE_A1D || c.geometry == CASE_A2D ||
                          c.geometry == CASE_ACUBE;
        bool is_cube = c.geometry == CASE_CUBE || c.geometry == CASE_ACUBE;
        unsigned flags = (is_layered ? cudaArrayLayered : 0) | (is_cube ? cudaArrayCubemap : 0) |
                         (c.operation == CASE_GATHER ? cudaArrayTextureGather : 0);
        cudaArray_t array;
        CHECK(cudaMalloc3DArray(&array, &format,
                                make_cudaExtent(w, is_1d ? 0 : h, is_2d || c.geometry == CASE_1D ? 0 : d),
                                flags));
        fill(array, c, 0, w, h, d);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    }
    for (int k = 0; k < 3; k++)
        texture.addressMode[k] = (cudaTextureAddressMode)c.address;
    texture.filterMode = c.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.readMode = c.reads_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    texture.normalizedCoords = c.is_normalised;
    texture.sRGB = c.is_srgb;
    memcpy(texture.borderColor, case_border, sizeof case_border);
    texture.mipmapFilterMode = c.level_filter ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.maxMipmapLevelClamp = c.levels ? 99 : 0;
    cudaTextureObject_t object;
    cudaError_t error = cudaCreateTextureObject(&object, &resource, &texture, NULL);
    if (error != cudaSuccess) {
        printf("%d,%s\n", number, cudaGetErrorName(error));
        return;
    }
    std::vector<fetch_at> at(c.fetches);
    for (int i = 0; i < c.fetches; i++) {
        at[i] = {case_coordinate(&c, i, 0), case_coordinate(&c, i, 1), case_coordinate(&c, i, 2),
                 case_coordinate(&c, i, 3), case_layer(i)};
        if (c.geometry == CASE_LINEAR)
            at[i].x = (float)(i - 20);
    }
    fetch_at *places;
    uint4 *out;
    CHECK(cudaMalloc(&places, c.fetches * sizeof *places));
    CHECK(cudaMalloc(&out, c.fetches * sizeof *out));
    CHECK(cudaMemcpy(places, at.data(), c.fetches * sizeof *places, cudaMemcpyHostToDevice));
    int blocks = (c.fetches + 63) / 64;
    if (c.kind == CASE_FLOAT || c.reads_float)
        fetch_all<<<blocks, 64>>>(object, c.geometry, c.operation, c.component, places,
                                  (float4 *)out, c.fetches);
    else if (c.kind == CASE_SIGNED)
        fetch_all<<<blocks, 64>>>(object, c.geometry, c.operation, c.component, places, (int4 *)out,
                                  c.fetches);
    else
        fetch_all<<<blocks, 64>>>(object, c.geometry, c.operation, c.component, places, out,
                                  c.fetches);
    std::vector<uint4> results(c.fetches);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(results.data(), out, c.fetches * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < c.fetches; i++)
        printf("%d,%d,%x,%x,%x,%x\n", number, i, results[i].x, results[i].y, results[i].z,
               results[i].w);
    CHECK(cudaDestroyTextureObject(object));
}

/* ---- Surfaces out of range ---- */

__global__ void surface_read(cudaSurfaceObject_t s, int x, int y, uint2 *out)
{
    out[0].x = surf2Dread<unsigned>(s, x * 4, y, cudaBoundaryModeZero);
    out[0].y = surf2Dread<unsigned>(s, x * 4, y, cudaBoundaryModeClamp);
}

__global__ void surface_write(cudaSurfaceObject_t s, int x, int y, int clamp)
{
    if (clamp)
        surf2Dwrite<unsigned>(0xabcd, s, x * 4, y, cudaBoundaryModeClamp);
    else
        surf2Dwrite<unsigned>(0xabcd, s, x * 4, y, cudaBoundaryModeZero);
}

__global__ void surface_trap(cudaSurfaceObject_t s, int x, int y)
{
    surf2Dwrite<unsigned>(0xabcd, s, x * 4, y, cudaBoundaryModeTrap);
}

static void record_surfaces()
{
    texture_case c;
    texture_case_get(0, &c);
    c.geometry = CASE_2D;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    CHECK(cudaMallocArray(&array, &format, CASE_WIDTH, CASE_HEIGHT, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    static const int xs[] = {0, 5, -1, -100, 12, 13, 14, 1000000};
    static const int ys[] = {0, 3, -1, -100, 6, 7, 8, 1000000};
    uint2 *out, read;
    CHECK(cudaMalloc(&out, sizeof *out));
    for (int x : xs)
        for (int y : ys) {
            fill(array, c, 0, CASE_WIDTH, CASE_HEIGHT, 1);
            surface_read<<<1, 1>>>(surface, x, y, out);
            CHECK(cudaMemcpy(&read, out, sizeof read, cudaMemcpyDeviceToHost));
            printf("read,%d,%d,%x,%x\n", x, y, read.x, read.y);
            for (int clamp = 0; clamp < 2; clamp++) {
                std::vector<unsigned> data(CASE_WIDTH * CASE_HEIGHT);
                fill(array, c, 0, CASE_WIDTH, CASE_HEIGHT, 1);
                surface_write<<<1, 1>>>(surface, x, y, clamp);
                CHECK(cudaMemcpy2DFromArray(data.data(), CASE_WIDTH * 4, array, 0, 0,
                                            CASE_WIDTH * 4, CASE_HEIGHT, cudaMemcpyDeviceToHost));
                int where = -1;
                for (int i = 0; i < CASE_WIDTH * CASE_HEIGHT; i++)
                    if (data[i] == 0xabcd)
                        where = i;
                printf("%s,%d,%d,%d\n", clamp ? "write_clamp" : "write_zero", x, y, where);
            }
        }
}

static void record_trap()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMallocArray(&resource.res.array.array, &format, CASE_WIDTH, CASE_HEIGHT,
                          cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    surface_trap<<<1, 1>>>(surface, CASE_WIDTH, 0);
    printf("trap,%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

/* ---- Results of the functions of the runtime ---- */

#define SAY(call) printf("%s,%s\n", #call, cudaGetErrorName(call)), fflush(stdout), cudaGetLastError()

static void record_errors()
{
    cudaArray_t array, none = NULL;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat),
                          odd = cudaCreateChannelDesc(24, 0, 0, 0, cudaChannelFormatKindFloat), i = cudaCreateChannelDesc<int>();
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t o;
    cudaSurfaceObject_t s;
    char host[256];
    float *memory;
    CHECK(cudaMalloc(&memory, 4096));
    SAY(cudaMallocArray(&array, &three, 4, 4));
    SAY(cudaMallocArray(&array, &odd, 4, 4));
    SAY(cudaMallocArray(&array, &f, 0, 4));
    SAY(cudaMallocArray(&array, &f, 1 << 20, 4));
    SAY(cudaMallocArray(&array, &f, 4, 1 << 20));
    SAY(cudaMalloc3DArray(&array, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&array, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
    SAY(cudaFreeArray(none));
    SAY(cudaMallocArray(&array, &f, 4, 4));
    SAY(cudaMemcpy2DToArray(array, 0, 0, host, 16, 20, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, host, 8, 16, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 2, host, 16, 16, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 4, cudaMemcpyDeviceToHost));
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    SAY(cudaCreateSurfaceObject(&s, &r));
    t.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    t.readMode = cudaReadModeElementType;
    SAY(cudaDestroyTextureObject(o));
    SAY(cudaMallocArray(&array, &i, 4, 4));
    r.res.array.array = array;
    t.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    t.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    t = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {memory, f, 4096};
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    t.normalizedCoords = 1;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    t = {};
    r.res.linear.devPtr = memory + 1;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    r.res.linear.devPtr = NULL;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {memory, f, 16, 16, 64};
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    r.res.pitch2D.pitchInBytes = 68;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    r.res.pitch2D.pitchInBytes = 32;
    SAY(cudaCreateTextureObject(&o, &r, &t, NULL));
    SAY(cudaCreateSurfaceObject(&s, &r));
    size_t width;
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 0));
    printf("width,%zu\n", width);
    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    SAY(cudaArrayGetInfo(&got, &extent, &flags, array));
    printf("info,%zu,%zu,%zu,%u\n", extent.width, extent.height, extent.depth, flags);
    SAY(cudaFreeArray(array));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("limits,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n",
           p.name, p.maxTexture1D, p.maxTexture1DMipmap, p.maxTexture2D[0], p.maxTexture2D[1],
           p.maxTexture2DMipmap[0], p.maxTexture2DMipmap[1], p.maxTexture2DLinear[0], p.maxTexture2DLinear[1],
           p.maxTexture2DLinear[2], p.maxTexture2DGather[0], p.maxTexture2DGather[1], p.maxTexture3D[0],
           p.maxTexture3D[1], p.maxTexture3D[2], p.maxTexture3DAlt[0], p.maxTexture3DAlt[1], p.maxTexture3DAlt[2],
           p.maxTextureCubemap, p.maxTexture1DLayered[0], p.maxTexture1DLayered[1], p.maxTexture2DLayered[0],
           p.maxTexture2DLayered[2], p.maxSurface1D, p.maxSurface2D[0], p.maxSurface2D[1], p.maxSurface3D[0], p.maxSurfaceCubemap);
}

/* ---- The cost of fetches: one warp per launch, for ncu ---- */

enum { COUNTED_SIDE = 64 };

__global__ void count_one(int how, cudaTextureObject_t t, cudaSurfaceObject_t s, int columns, int step,
                          float *out)
{
    int x = threadIdx.x % columns * step, y = threadIdx.x / columns * step;
    float value = how == 0   ? tex1Dfetch<float>(t, y * COUNTED_SIDE + x)
                  : how <= 3 ? tex2D<float>(t, x + 0.5f * (how < 3) + 1.0f * (how == 3), y + 0.5f * (how < 3) + 1.0f * (how == 3))
                             : surf2Dread<float>(s, x * 4, y);
    out[threadIdx.x] = value;
}

/* The name of a launch states the kind of fetch, the columns of the warp's lanes, and their distance. */
static void count()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    float *memory, *out;
    size_t bytes = COUNTED_SIDE * COUNTED_SIDE * sizeof(float);
    cudaArray_t array;
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMalloc(&out, 128));
    CHECK(cudaMallocArray(&array, &f, COUNTED_SIDE, COUNTED_SIDE, cudaArraySurfaceLoadStore));
    for (int how = 0; how < 5; how++) { /* linear memory, pitched, array by point, linear, surface */
        cudaResourceDesc r = {};
        cudaTextureDesc t = {};
        cudaTextureObject_t object = 0;
        cudaSurfaceObject_t surface = 0;
        t.filterMode = how == 3 ? cudaFilterModeLinear : cudaFilterModePoint;
        if (how == 0)
            r.resType = cudaResourceTypeLinear, r.res.linear = {memory, f, bytes};
        else if (how == 1)
            r.resType = cudaResourceTypePitch2D,
            r.res.pitch2D = {memory, f, COUNTED_SIDE, COUNTED_SIDE, COUNTED_SIDE * sizeof(float)};
        else
            r.resType = cudaResourceTypeArray, r.res.array.array = array;
        if (how == 4)
            CHECK(cudaCreateSurfaceObject(&surface, &r));
        else
            CHECK(cudaCreateTextureObject(&object, &r, &t, NULL));
        for (int columns = 1; columns <= 32; columns *= 2)
            for (int step = 0; step <= 2; step++) {
                if (step == 2 && columns == 32 && how == 3)
                    continue;
                printf("%d,%d,%d\n", how, columns, step);
                count_one<<<1, 32>>>(how, object, surface, columns, step, out);
            }
    }
    CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    texture_case c;
    try {
        if (argc > 1 && argv[1][0] == 't') {
            record_trap();
            return 0;
        }
        if (argc > 1) {
            count();
            return 0;
        }
    } catch (cudaError_t) {
        return 1;
    }
    for (int number = 0; texture_case_get(number, &c); number++)
        try {
            record(number, c);
        } catch (cudaError_t error) {
            printf("%d,%s\n", number, cudaGetErrorName(error));
        }
    fflush(stdout);
    for (int part = 0; part < 2; part++)
        try {
            part ? record_errors() : record_surfaces();
            fflush(stdout);
        } catch (cudaError_t) {
        }
    return 0;
}
