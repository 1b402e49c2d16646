/* fake_program.c: a program that loads libtlab_inject.so, with a fake driver (fake_libcuda.c) and a
 * fake CUPTI that counts nothing. Each argument NAME[,GRID[,BLOCK]] is a launch. After the argument
 * `captured`, the stream of the next launch is capturing. With -DFAKE_CUPTI, this file is compiled
 * into the fake CUPTI that TLAB_CUPTI names. */
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FAKE_CUPTI

CUpti_CallbackFunc fake_callback;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *user)
{
    (void)subscriber, (void)user;
    fake_callback = callback;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)enable, (void)subscriber, (void)domain, (void)id;
    return CUPTI_SUCCESS;
}
#define REFUSES(name)                                                                              \
    int cupti##name(void *parameters)                                                              \
    {                                                                                              \
        (void)parameters;                                                                          \
        return 35;                                                                                 \
    } /* counting is not permitted */
REFUSES(GetVersion);
REFUSES(DeviceGetChipName);
REFUSES(ProfilerInitialize);
REFUSES(ProfilerDeviceSupported);
REFUSES(ProfilerGetCounterAvailability);
REFUSES(ProfilerHostInitialize);
REFUSES(ProfilerHostDeinitialize);
REFUSES(ProfilerHostGetMetricProperties);
REFUSES(ProfilerHostConfigAddMetrics);
REFUSES(ProfilerHostGetConfigImageSize);
REFUSES(ProfilerHostGetConfigImage);
REFUSES(ProfilerHostGetNumOfPasses);
REFUSES(ProfilerHostEvaluateToGpuValues);
REFUSES(RangeProfilerEnable);
REFUSES(RangeProfilerDisable);
REFUSES(RangeProfilerSetConfig);
REFUSES(RangeProfilerStart);
REFUSES(RangeProfilerStop);
REFUSES(RangeProfilerPushRange);
REFUSES(RangeProfilerPopRange);
REFUSES(RangeProfilerDecodeData);
REFUSES(RangeProfilerGetCounterDataSize);
REFUSES(RangeProfilerCounterDataImageInitialize);
REFUSES(RangeProfilerGetCounterDataInfo);

#else

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "%s is missing\n", name);
        exit(99);
    }
    return symbol;
}

int main(int count, char **words)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    const char *path = getenv("CUDA_INJECTION64_PATH"), *cupti_path = getenv("TLAB_CUPTI");
    void *injected = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!driver || !injected || !cupti_path) {
        fprintf(stderr, "%s\n", dlerror());
        return 98;
    }
    if (!((int (*)(void))find(injected, "InitializeInjection"))())
        return 97;
    CUpti_CallbackFunc *callback = find(dlopen(cupti_path, RTLD_NOW), "fake_callback");
    CUresult (*get)(void **, void *, const char *) = find(driver, "cuModuleGetFunction");
    CUresult (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void *, void **, void **) = find(driver, "cuLaunchKernel");
    void *stream = NULL;
    for (int i = 1; i < count; i++) {
        char name[64];
        unsigned grid = 1, block = 32;
        struct {
            void *function;
            unsigned grid[3], block[3], shared;
            void *stream;
        } arguments = {0};
        if (!strcmp(words[i], "captured")) {
            stream = (void *)8;
            continue;
        }
        if (sscanf(words[i], "%63[^,],%u,%u", name, &grid, &block) < 1 ||
            get(&arguments.function, NULL, name))
            return 96;
        for (int k = 0; k < 3; k++)
            arguments.grid[k] = k ? 1 : grid, arguments.block[k] = k ? 1 : block;
        arguments.stream = stream;
        CUresult result = 0;
        CUpti_CallbackData data = {.callbackSite = CUPTI_API_ENTER,
                                   .functionParams = &arguments,
                                   .functionReturnValue = &result,
                                   .symbolName = name,
                                   .context = (CUcontext)1};
        (*callback)(NULL, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                    &data);
        result = launch(arguments.function, grid, 1, 1, block, 1, 1, 0, stream, NULL, NULL);
        data.callbackSite = CUPTI_API_EXIT;
        (*callback)(NULL, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                    &data);
        stream = NULL;
    }
    return 0;
}

#endif
