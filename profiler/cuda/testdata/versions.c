/* versions.c CASE: a program of CUDA 12 or 13 (VERSION) that requires no toolkit, because it
 * declares the prototypes and structures of that version. Sources: see profiler/cuda/abi.h. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
struct location {
    int type, id;
};
struct set_node {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};
struct kernel_node {
    handle function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
};

int cudaMalloc(void **, size_t);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaMallocHost(void **, size_t);
int cudaMallocArray(handle *, const void *, size_t, size_t, unsigned);
int cudaFreeArray(handle);
int cudaRuntimeGetVersion(int *);
int cudaPointerGetAttributes(void *, const void *);
int cudaCreateTextureObject(unsigned long long *, const void *, const void *, const void *);
int cudaGetTextureObjectResourceDesc(void *, unsigned long long);
int cudaCreateSurfaceObject(unsigned long long *, const void *);
int cudaGetSurfaceObjectResourceDesc(void *, unsigned long long);
int cudaMemRangeGetAttribute(void *, size_t, int, const void *, size_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, handle);
int cudaStreamCreate(handle *);
int cudaStreamDestroy(handle);
int cudaEventCreate(handle *);
int cudaEventDestroy(handle);
int cudaEventRecord(handle, handle);
int cudaGraphCreate(handle *, unsigned);
int cudaGraphDestroy(handle);
int cudaGraphAddEmptyNode(handle *, handle, const handle *, size_t);
int cudaGraphAddMemsetNode(handle *, handle, const handle *, size_t, const struct set_node *);
int cudaGraphAddKernelNode(handle *, handle, const handle *, size_t, const struct kernel_node *);
int cudaGraphDestroyNode(handle);
int cudaGraphNodeGetType(handle, int *);
int cudaGraphKernelNodeSetParams(handle, const struct kernel_node *);
int cudaGraphMemsetNodeSetParams(handle, const struct set_node *);
int cudaGraphHostNodeSetParams(handle, const void *);
int cudaGraphNodeGetDependencies(handle, handle *, ...);
int cudaGraphInstantiate(handle *, handle, unsigned long long);
int cudaGraphExecDestroy(handle);
int cudaGraphLaunch(handle, handle);
int cudaDeviceGetDefaultMemPool(handle *, int);
int cudaMemPoolCreate(handle *, const void *);
int cudaMemPoolDestroy(handle);
int cudaMallocFromPoolAsync(void **, size_t, handle, handle);
#if VERSION == 12
int cudaMemAdvise(const void *, size_t, int, int);
int cudaMemPrefetchAsync(const void *, size_t, int, handle);
int cudaMemcpyBatchAsync(void **, void **, size_t *, size_t, void *, size_t *, size_t, size_t *,
                         handle);
int cudaMemAdvise_v2(const void *, size_t, int, struct location);
enum { ATTRIBUTES_BYTES = 24, RESOURCE_BYTES = 64 };
#else
int cudaMemAdvise(const void *, size_t, int, struct location);
int cudaMemPrefetchAsync(const void *, size_t, struct location, unsigned, handle);
int cudaMemcpyBatchAsync(void **, void **, size_t *, size_t, void *, size_t *, size_t, handle);
enum { ATTRIBUTES_BYTES = 88, RESOURCE_BYTES = 144 };
#endif

static void *find(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        printf("libcuda has no %s: %s\n", name, dlerror());
        exit(3);
    }
    return function;
}

static int status;
#define GIVES(error, call) gives(error, (int)(call), #call, __LINE__)
static void gives(int wanted, int error, const char *what, int line)
{
    if (error == wanted)
        return;
    printf("line %d: %s gives %d instead of %d\n", line, what, error, wanted);
    status = 4;
}

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400 };

/* Check that a function does not write past the end of a structure. */
static void check_size(const char *what, const unsigned char *bytes, size_t size)
{
    size_t end = 256;
    while (end && bytes[end - 1] == 0xa5)
        end--;
    if (end <= size && end)
        return;
    printf("%s: %zu bytes instead of %zu\n", what, end, size);
    status = 4;
}

static void structures(void)
{
    unsigned char bytes[256];
    int version, format[5] = {32, 0, 0, 0, 2};
    void *memory;
    handle array;
    unsigned long long object;
    char resource[RESOURCE_BYTES] = {0}, settings[72] = {0};
    GIVES(0, cudaRuntimeGetVersion(&version));
    if (version / 1000 != VERSION)
        printf("version %d\n", version);
    GIVES(0, cudaMalloc(&memory, 64));
    memset(bytes, 0xa5, sizeof bytes);
    GIVES(0, cudaPointerGetAttributes(bytes, memory));
    check_size("cudaPointerGetAttributes", bytes, ATTRIBUTES_BYTES);
    GIVES(0, cudaMallocArray(&array, format, 8, 8, 2));
    memcpy(resource + 8, &array, sizeof array);
    GIVES(0, cudaCreateTextureObject(&object, resource, settings, NULL));
    memset(bytes, 0xa5, sizeof bytes);
    GIVES(0, cudaGetTextureObjectResourceDesc(bytes, object));
    check_size("cudaGetTextureObjectResourceDesc", bytes, RESOURCE_BYTES);
    GIVES(0, cudaCreateSurfaceObject(&object, resource));
    memset(bytes, 0xa5, sizeof bytes);
    GIVES(0, cudaGetSurfaceObjectResourceDesc(bytes, object));
    check_size("cudaGetSurfaceObjectResourceDesc", bytes, RESOURCE_BYTES);
}

enum {
    PREFER = 3,
    PREFERRED = 2,
    PREFETCHED = 4
}; /* A kind of advice, and two attributes of ranges. */

static void check_attribute(const void *memory, int attribute, int wanted, int line)
{
    int value;
    GIVES(0, cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory, 64));
    if (value != wanted) {
        printf("line %d: attribute %d is %d instead of %d\n", line, attribute, value, wanted);
        status = 4;
    }
}

static void arguments(void)
{
    const struct location device = {1, 0}, host = {2, 0};
    void *memory, *from[2], *to[2];
    size_t sizes[2] = {4, 4};
    int value = 7, result = 0;
    handle stream;
    GIVES(0, cudaStreamCreate(&stream));
    GIVES(0, cudaMallocManaged(&memory, 64, 1));
    from[0] = &value, to[0] = memory, from[1] = memory, to[1] = &result;
#if VERSION == 12
    size_t failed = 77;
    GIVES(0, cudaMemAdvise(memory, 64, PREFER, -1));
    check_attribute(memory, PREFERRED, -1, __LINE__);
    GIVES(0, cudaMemAdvise_v2(memory, 64, PREFER, device));
    check_attribute(memory, PREFERRED, 0, __LINE__);
    GIVES(0, cudaMemPrefetchAsync(memory, 64, -1, stream));
    check_attribute(memory, PREFETCHED, -1, __LINE__);
    GIVES(0, cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, &failed, stream));
    from[1] = NULL;
    GIVES(INVALID_VALUE, cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, &failed, stream));
    if (failed != 1)
        printf("copy %zu failed\n", failed);
#else
    GIVES(0, cudaMemAdvise(memory, 64, PREFER, host));
    check_attribute(memory, PREFERRED, -1, __LINE__);
    GIVES(0, cudaMemPrefetchAsync(memory, 64, device, 0, stream));
    check_attribute(memory, PREFETCHED, 0, __LINE__);
    GIVES(0, cudaMemcpyBatchAsync(to, from, sizes, 2, NULL, NULL, 0, stream));
#endif
    if (result != 7)
        printf("copied %d\n", result);
    int (*advise)(void *, size_t, int, int) = find("cuMemAdvise");
    int (*advise_v2)(void *, size_t, int, struct location) = find("cuMemAdvise_v2");
    int (*prefetch)(void *, size_t, int, handle) = find("cuMemPrefetchAsync");
    int (*prefetch_v2)(void *, size_t, struct location, unsigned, handle) =
        find("cuMemPrefetchAsync_v2");
    GIVES(0, advise(memory, 64, PREFER, 0));
    check_attribute(memory, PREFERRED, 0, __LINE__);
    GIVES(0, advise_v2(memory, 64, PREFER, host));
    check_attribute(memory, PREFERRED, -1, __LINE__);
    GIVES(0, prefetch(memory, 64, -1, stream));
    check_attribute(memory, PREFETCHED, -1, __LINE__);
    GIVES(0, prefetch_v2(memory, 64, device, 0, stream));
    check_attribute(memory, PREFETCHED, 0, __LINE__);
    /* A lookup by name returns the requested version of a function. */
    int (*by_name)(const char *, void **, int, uint64_t, int *) = find("cuGetProcAddress_v2");
    void *old = NULL, *new = NULL;
    GIVES(0, by_name("cuMemAdvise", &old, 12010, 0, &value));
    GIVES(0, by_name("cuMemAdvise", &new, 12020, 0, &value));
    if (old != (void *)advise || new != (void *)advise_v2) {
        puts("cuGetProcAddress returns the wrong version");
        status = 4;
    }
}

static void state(void)
{
    void *memory, *base = NULL, *pool = NULL;
    size_t bytes = 0;
    const struct location device = {1, 0};
    handle stream, context = NULL, own = NULL;
    GIVES(0, cudaMalloc(&memory, 640));
    GIVES(0, cudaStreamCreate(&stream));
    int (*init)(unsigned) = find("cuInit");
    int (*range)(void **, size_t *, void *) = find("cuMemGetAddressRange_v2");
    int (*current)(handle *) = find("cuCtxGetCurrent");
    int (*of_stream)(handle, handle *) = find("cuStreamGetCtx");
    int (*create)(handle *, unsigned, int) = find("cuCtxCreate_v2");
    int (*default_pool)(handle *, const struct location *, int) = find("cuMemGetDefaultMemPool");
    GIVES(0, init(0));
    GIVES(0, range(&base, &bytes, memory));
    if (base != memory || bytes != 640)
        printf("the memory has %zu bytes\n", bytes);
    GIVES(0, current(&context));
    for (uintptr_t number = 0; number < 3; number++) {
        GIVES(0, of_stream((handle)number, &own));
        if (own != context)
            printf("stream %d belongs to another context\n", (int)number);
    }
    GIVES(0, create(&own, 0, 0));
    GIVES(0, of_stream(stream, &own));
    if (own != context)
        puts("the stream belongs to the current context, not to its own");
    GIVES(INVALID_HANDLE, of_stream(memory, &own));
    GIVES(0, default_pool(&pool, &device, 1));
    GIVES(0, cudaMallocFromPoolAsync(&memory, 64, pool, stream));
}

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry empty()\n{\nret;\n}\n";

static void nodes(void)
{
    handle graph, other, node, empty, first, instance, module, kernel;
    size_t count = 1;
    int type;
    void *memory;
    struct kernel_node parameters = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    int (*load)(handle *, const void *) = find("cuModuleLoadData");
    int (*get)(handle *, handle, const char *) = find("cuModuleGetFunction");
    int (*unload)(handle) = find("cuModuleUnload");
    GIVES(0, cudaMalloc(&memory, 64));
    struct set_node set = {memory, 0, 1, 4, 16, 1};
    GIVES(0, load(&module, ptx));
    GIVES(0, get(&kernel, module, "empty"));
    parameters.function = kernel;
    GIVES(0, cudaGraphCreate(&graph, 0));
    GIVES(0, cudaGraphCreate(&other, 0));
    GIVES(0, cudaGraphAddEmptyNode(&first, graph, NULL, 0));
    GIVES(0, cudaGraphAddMemsetNode(&node, graph, &first, 1, &set));
    GIVES(0, cudaGraphAddKernelNode(&empty, graph, &node, 1, &parameters));
    /* Nodes of another kind or graph, and missing parameters. */
    GIVES(INVALID_VALUE, cudaGraphKernelNodeSetParams(node, &parameters));
    GIVES(INVALID_VALUE, cudaGraphMemsetNodeSetParams(node, NULL));
    GIVES(INVALID_VALUE, cudaGraphHostNodeSetParams(node, NULL));
    GIVES(INVALID_VALUE, cudaGraphAddEmptyNode(&empty, other, &node, 1));
    GIVES(INVALID_VALUE, cudaGraphLaunch(graph, NULL)); /* the graph is not executable */
    GIVES(0, cudaGraphInstantiate(&instance, graph, 0));
    GIVES(0, cudaGraphLaunch(instance, NULL));
    GIVES(INVALID_VALUE, cudaGraphDestroy(instance));
    /* A destroyed node, and an invented handle. */
    GIVES(0, cudaGraphDestroyNode(node));
    handle wrong[] = {node, NULL, memory, &type, graph, (handle)(uintptr_t)0x1234567};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        GIVES(INVALID_VALUE, cudaGraphNodeGetType(wrong[i], &type));
        GIVES(INVALID_VALUE, cudaGraphKernelNodeSetParams(wrong[i], &parameters));
        GIVES(INVALID_VALUE, cudaGraphMemsetNodeSetParams(wrong[i], &set));
        GIVES(INVALID_VALUE, cudaGraphNodeGetDependencies(wrong[i], NULL, &count, &count));
        GIVES(INVALID_VALUE, cudaGraphDestroyNode(wrong[i]));
        GIVES(INVALID_VALUE, cudaGraphAddEmptyNode(&empty, graph, &wrong[i], 1));
    }
    GIVES(0, cudaGraphLaunch(instance, NULL)); /* the instance has its own nodes */
    GIVES(0, unload(module));
    GIVES(INVALID_HANDLE, get(&kernel, module, "empty"));
    GIVES(98, cudaGraphAddKernelNode(&empty, graph, NULL, 0, &parameters));
    GIVES(0, cudaGraphExecDestroy(instance));
    GIVES(INVALID_VALUE, cudaGraphExecDestroy(instance));
    GIVES(0, cudaGraphDestroy(graph));
    GIVES(INVALID_VALUE, cudaGraphDestroy(graph));
}

/* A freed handle stays invalid, even after the memory of its object is reused. */
static void stale(void)
{
    const int format[5] = {32, 0, 0, 0, 2};
    char properties[88] = {1};
    handle old, new, first = NULL;
    for (int i = 0; i < 3; i++) {
        GIVES(0, cudaStreamCreate(&old));
        first = i ? first : old;
        GIVES(0, cudaStreamDestroy(old));
        GIVES(INVALID_HANDLE, cudaStreamDestroy(first));
    }
    GIVES(0, cudaEventCreate(&old));
    GIVES(0, cudaEventDestroy(old));
    GIVES(0, cudaEventCreate(&new));
    GIVES(INVALID_HANDLE, cudaEventRecord(old, NULL));
    GIVES(INVALID_HANDLE, cudaEventRecord(new, old));
    GIVES(0, cudaEventRecord(new, NULL));
    GIVES(0, cudaMallocArray(&old, format, 8, 8, 0));
    GIVES(0, cudaFreeArray(old));
    GIVES(INVALID_HANDLE, cudaFreeArray(old));
    GIVES(0, cudaMemPoolCreate(&old, properties));
    GIVES(0, cudaMemPoolDestroy(old));
    GIVES(INVALID_VALUE, cudaMemPoolDestroy(old));
    GIVES(INVALID_VALUE, cudaMallocFromPoolAsync(&new, 64, old, NULL));
}

static void streams(void)
{
    void *memory, *pinned;
    GIVES(0, cudaMalloc(&memory, 64));
    GIVES(0, cudaMallocHost(&pinned, 64));
    for (uintptr_t number = 0; number < 2; number++) {
        GIVES(0, cudaMemcpyAsync(pinned, memory, 64, 2, (handle)number));
        if (*(volatile char *)pinned)
            puts("the copy is wrong");
    }
    GIVES(0, cudaStreamDestroy(NULL) != INVALID_HANDLE);
    GIVES(INVALID_HANDLE, cudaStreamDestroy((handle)(uintptr_t)1));
    GIVES(INVALID_HANDLE, cudaStreamDestroy((handle)(uintptr_t)2));
    GIVES(INVALID_HANDLE, cudaMemcpyAsync(memory, pinned, 64, 1, (handle)(uintptr_t)3));
}

int main(int count, char **values)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"structures", structures}, {"arguments", arguments}, {"state", state},
                 {"nodes", nodes},           {"stale", stale},         {"streams", streams}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count == 2 && !strcmp(values[1], cases[i].name)) {
            cases[i].run();
            if (!status)
                puts("done");
            return status;
        }
    return 2;
}
