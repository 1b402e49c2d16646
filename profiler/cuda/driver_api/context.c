/* context.c: initialization, the device, contexts, errors, and lookup of functions by name. */
#define _GNU_SOURCE
#include "cuda/core/handle.h"
#include "cuda/driver_api/driver.h"
#include "cuda/runtime_api/calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context of the driver API. All contexts share the state of one device. */
struct context {
    void *handle;
    bool is_gone;
    unsigned flags;
    unsigned retained;
    struct context *next_gone;
};

enum { STACK_MAX = 64 };
static struct context primary;
static struct context *gone; /* destroyed contexts, which may still be in the stacks of threads */
static __thread struct context *stack[STACK_MAX];
static __thread unsigned depth;
static bool is_initialised;

static struct context *current(void)
{
    return depth ? stack[depth - 1] : runtime_thread()->has_context ? &primary : NULL;
}

HANDLE_LOOKUP(context_of, context, HANDLE_CONTEXT)

static void *handle_of(struct context *context)
{
    if (context && !context->handle)
        context->handle = handle_make(HANDLE_CONTEXT, context);
    return context ? context->handle : NULL;
}

static void update_thread(void)
{
    runtime_thread()->context = depth ? stack[depth - 1]->handle : NULL;
}

static int check_need(enum driver_need need)
{
    const struct context *context = current();
    if (need >= NEED_INIT && !is_initialised && !runtime_thread()->has_context) {
        runtime_note("the driver API is not initialized. Call cuInit(0) first");
        return ERROR_InitializationError;
    }
    if (need < NEED_CONTEXT || (context && !context->is_gone))
        return 0;
    runtime_note(context ? "the current context of this thread was destroyed"
                         : "this thread has no current context. Call cuCtxCreate, or "
                           "cuDevicePrimaryCtxRetain and cuCtxSetCurrent, or any function of the "
                           "runtime API");
    return context ? ERROR_ContextIsDestroyed : ERROR_DeviceUninitialized;
}

int driver_enter(struct runtime_thread *saved, enum driver_need need)
{
    *saved = *runtime_thread();
    int state = need == NEED_CONTEXT ? runtime_enter() : runtime_enter_quietly();
    runtime_thread()->has_context = saved->has_context;
    if (state == ERROR_NoDevice)
        return state;
    int error = check_need(need);
    return error || need < NEED_CONTEXT ? error : state; /* kernel errors belong to the context */
}

int driver_leave(const struct runtime_thread *saved, int error)
{
    runtime_leave(error);
    runtime_thread()->last_error = saved->last_error;
    runtime_thread()->has_context = saved->has_context;
    if (error == ERROR_InvalidSymbol)
        return ERROR_SymbolNotFound;
    if (error == ERROR_InvalidDeviceFunction)
        return ERROR_InvalidResourceHandle;
    return error_names(error)->driver ? error : ERROR_InvalidValue;
}

DRIVER_FUNCTION(NEED_NOTHING, cuInit, (unsigned flags),
                flags ? ERROR_InvalidValue : (is_initialised = true, 0))

static int push(struct context *context)
{
    if (!context || depth == STACK_MAX)
        return ERROR_DeviceUninitialized;
    stack[depth++] = context;
    update_thread();
    return 0;
}

static int create(void **made, unsigned flags, int device)
{
    if (!made || device)
        return made ? ERROR_InvalidDevice : ERROR_InvalidValue;
    struct context *context = runtime_allocate(1, sizeof *context);
    context->flags = flags;
    *made = handle_of(context);
    return push(context);
}

DRIVER_FUNCTION(NEED_INIT, cuCtxCreate_v2, (void **made, unsigned flags, int device),
                create(made, flags, device))
ALIAS(cuCtxCreate_v2, cuCtxCreate);
DRIVER_FUNCTION(NEED_INIT, cuCtxCreate_v3,
                (void **made, void *affinity, int affinities, unsigned flags, int device),
                create(made, flags, device))
DRIVER_FUNCTION(NEED_INIT, cuCtxCreate_v4,
                (void **made, void *parameters, unsigned flags, int device),
                create(made, flags, device))

static void reset_if_last(void)
{
    bool is_used = primary.retained || runtime_thread()->has_context;
    FOR_OBJECTS (at, context, HANDLE_CONTEXT)
        is_used |= at != &primary;
    if (!is_used)
        cudaDeviceReset();
}

DRIVER_BODY(NEED_INIT, cuCtxDestroy_v2, (void *handle), (handle))
{
    struct context *context = context_of(handle);
    if (!context || context == &primary)
        return context ? ERROR_InvalidValue : ERROR_DeviceUninitialized;
    handle_forget(HANDLE_CONTEXT, handle);
    context->is_gone = true;
    context->next_gone = gone;
    gone = context;
    if (depth && stack[depth - 1] == context)
        depth--;
    update_thread();
    reset_if_last();
    return 0;
}

ALIAS(cuCtxDestroy_v2, cuCtxDestroy);
ALIAS(cuCtxDestroy_v2, cuCtxDetach);
DRIVER_FUNCTION(NEED_INIT, cuCtxPushCurrent_v2, (void *context), push(context_of(context)))
ALIAS(cuCtxPushCurrent_v2, cuCtxPushCurrent);

DRIVER_BODY(NEED_INIT, cuCtxPopCurrent_v2, (void **popped), (popped))
{
    if (!depth)
        return ERROR_DeviceUninitialized;
    depth--;
    MAY_GIVE(popped, handle_of(stack[depth]));
    update_thread();
    return 0;
}

ALIAS(cuCtxPopCurrent_v2, cuCtxPopCurrent);

/* If `handle` is NULL, remove the top of the stack. */
DRIVER_BODY(NEED_INIT, cuCtxSetCurrent, (void *handle), (handle))
{
    if (depth)
        depth--;
    update_thread();
    return handle ? push(context_of(handle)) : 0;
}

DRIVER_FUNCTION(NEED_INIT, cuCtxGetCurrent, (void **context), GIVE(context, handle_of(current())))

DRIVER_FUNCTION(NEED_INIT, cuCtxGetDevice_v2, (unsigned *device, void *context),
                !context || context_of(context) ? GIVE(device, 0) : ERROR_DeviceUninitialized)
DRIVER_FUNCTION(NEED_INIT, cuCtxSynchronize_v2, (void *context),
                !context || context_of(context) ? (timeline_await_all(), 0)
                                                : ERROR_DeviceUninitialized)

/* These functions fail, because there is only one device and a device is not its own peer. */
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxEnablePeerAccess, (void *context, unsigned flags),
                ERROR_InvalidDevice)
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxDisablePeerAccess, (void *context), ERROR_InvalidDevice)
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxGetFlags, (unsigned *flags), GIVE(flags, current()->flags))
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxSetFlags, (unsigned flags), (current()->flags = flags, 0))
DRIVER_FUNCTION(NEED_INIT, cuCtxGetApiVersion, (void *context, unsigned *version),
                context_of(context) || !context ? GIVE(version, 3020) : ERROR_DeviceUninitialized)

DRIVER_FUNCTION(NEED_CONTEXT, cuCtxGetId, (void *context, unsigned long long *id),
                context && !context_of(context)
                    ? ERROR_DeviceUninitialized
                    : GIVE(id, (uintptr_t)(context ? context : handle_of(current()))))

/* Set *context to the creator of the stream; for a default stream, to the current context. */
static int context_of_stream(const void *handle, void **context)
{
    const struct stream *stream = timeline_stream(handle);
    if (!stream)
        return ERROR_InvalidResourceHandle;
    const void *made_in = stream->handle ? stream->context : handle_of(current());
    return GIVE(context, made_in ? mutable(made_in) : handle_of(&primary));
}

DRIVER_FUNCTION(NEED_CONTEXT, cuStreamGetCtx, (void *stream, void **context),
                context_of_stream(stream, context))
ALIAS(cuStreamGetCtx, cuStreamGetCtx_ptsz);

DRIVER_FUNCTION(NEED_CONTEXT, cuStreamGetCtx_v2, (void *stream, void **context, void **green),
                green ? (*green = NULL, context_of_stream(stream, context)) : ERROR_InvalidValue)
ALIAS(cuStreamGetCtx_v2, cuStreamGetCtx_v2_ptsz);

static int change_primary(int device, int retain, void **context)
{
    if (device)
        return ERROR_InvalidDevice;
    if (retain < 0 && !primary.retained)
        return ERROR_DeviceUninitialized;
    primary.retained += (unsigned)retain;
    MAY_GIVE(context, handle_of(&primary));
    if (retain < 0)
        reset_if_last();
    return 0;
}

DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxRetain, (void **context, int device),
                change_primary(device, 1, context))
DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxRelease_v2, (int device),
                change_primary(device, -1, NULL))
ALIAS(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);
DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxReset_v2, (int device),
                device ? ERROR_InvalidDevice : cudaDeviceReset())
ALIAS(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);
DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags),
                device ? ERROR_InvalidDevice : (primary.flags = flags, 0))
ALIAS(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active),
                device ? ERROR_InvalidDevice
                       : GIVE(flags, primary.flags) |
                             GIVE(active, primary.retained || runtime_thread()->has_context))

DRIVER_FUNCTION(NEED_INIT, cuDeviceGet, (int *device, int number),
                number ? ERROR_InvalidDevice : GIVE(device, 0))

DRIVER_FUNCTION(NEED_INIT, cuDeviceGetName, (char *name, int size, int device),
                device ? ERROR_InvalidDevice
                : size < 1 || !name
                    ? ERROR_InvalidValue
                    : (snprintf(name, (size_t)size, "%s", runtime.device->title), 0))
DRIVER_FUNCTION(NEED_INIT, cuDeviceTotalMem_v2, (size_t * bytes, int device),
                device ? ERROR_InvalidDevice : GIVE(bytes, runtime.device->memory_bytes))

DRIVER_FUNCTION(NEED_INIT, cuDeviceComputeCapability, (int *major, int *minor, int device),
                device ? ERROR_InvalidDevice
                       : GIVE(major, (int)runtime.device->compute_capability / 10) |
                             GIVE(minor, (int)runtime.device->compute_capability % 10))

DRIVER_FUNCTION(NEED_INIT, cuDeviceGetUuid_v2, (char uuid[16], int device),
                device  ? ERROR_InvalidDevice
                : !uuid ? ERROR_InvalidValue
                        : (memcpy(uuid, "emulatedGPU\0\0\0\0", 16), 0))
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

EXPORT int cuGetErrorName(int error, const char **text)
{
    const char *name = error_names(error)->driver;
    return GIVE(text, name) || !name ? ERROR_InvalidValue : 0;
}

EXPORT int cuGetErrorString(int error, const char **text)
{
    const struct error_names *names = error_names(error);
    return GIVE(text, names->driver ? names->text : NULL) || !names->driver ? ERROR_InvalidValue
                                                                            : 0;
}

/* Versioned names that CUDA 11 or later introduced (cudaTypedefs.h). */
static const struct {
    int since;
    const char *names; /* each name is between two spaces */
} late[] = {
    {11000,
     " cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxSetFlags_v2 "
     "cuGraphInstantiate_v2 cuIpcOpenMemHandle_v2 "},
    {11030, " cuStreamGetCaptureInfo_v2 "},
    {11040, " cuCtxCreate_v3 cuDeviceGetUuid_v2 "},
    {11070, " cuStreamBatchMemOp_v2 cuStreamWaitValue32_v2 cuStreamWaitValue64_v2 "
            "cuStreamWriteValue32_v2 cuStreamWriteValue64_v2 "},
    {12000, " cuGetProcAddress_v2 cuGraphAddKernelNode_v2 cuGraphExecKernelNodeSetParams_v2 "
            "cuGraphExecUpdate_v2 cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetParams_v2 "},
    {12020, " cuMemAdvise_v2 cuMemPrefetchAsync_v2 "},
    {12030, " cuGraphAddDependencies_v2 cuGraphAddNode_v2 cuGraphGetEdges_v2 "
            "cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes_v2 "
            "cuGraphRemoveDependencies_v2 cuStreamGetCaptureInfo_v3 "
            "cuStreamUpdateCaptureDependencies_v2 "},
    {12050, " cuCtxCreate_v4 cuStreamGetCtx_v2 "},
    {12080, " cuEventElapsedTime_v2 "},
    {13000, " cuCtxGetDevice_v2 cuCtxSynchronize_v2 cuMemcpy3DBatchAsync_v2 "
            "cuMemcpyBatchAsync_v2 "},
};

static int version_of(const char *name)
{
    char word[136];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strstr(late[i].names, word))
            return late[i].since;
    return 0;
}

/* Returns the newest variant of a function in CUDA `version` (12080 for 12.8); NULL if none. */
static void *find_function(const char *name, int version)
{
    Dl_info own;
    void *found = NULL;
    void *library =
        dladdr(&is_initialised, &own) ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!library || strncmp(name, "cu", 2) != 0)
        return NULL;
    for (int number = 4; number >= 1 && !found; number--) {
        char text[128];
        snprintf(text, sizeof text, number > 1 ? "%s_v%d" : "%s", name, number);
        if (version >= version_of(text))
            found = dlsym(library, text);
    }
    dlclose(library);
    return found;
}

static int get_function(const char *name, void **function, int version, int *status)
{
    if (!name || !function)
        return ERROR_InvalidValue;
    *function = find_function(name, version);
    MAY_GIVE(status, !*function); /* CUdriverProcAddressQueryResult */
    return *function || status ? 0 : ERROR_SymbolNotFound;
}

DRIVER_FUNCTION(NEED_NOTHING, cuGetProcAddress_v2,
                (const char *name, void **function, int version, uint64_t flags, int *status),
                get_function(name, function, version, status))
DRIVER_FUNCTION(NEED_NOTHING, cuGetProcAddress,
                (const char *name, void **function, int version, uint64_t flags),
                get_function(name, function, version, NULL))

/* NVIDIA's libraries request tables of private functions, which tlab does not emulate. */
EXPORT int cuGetExportTable(const void **table, const void *id)
{
    MAY_GIVE(table, NULL);
    return ERROR_NotSupported;
}

API_FUNCTION_PTSZ(cudaGetDriverEntryPointByVersion,
                  (const char *name, void **function, unsigned version, unsigned long long flags,
                   int *status),
                  get_function(name, function, (int)version, status))
API_FUNCTION(cudaGetDriverEntryPoint_12,
             (const char *name, void **function, unsigned long long flags, int *status),
             get_function(name, function, 12000, status))
API_FUNCTION(cudaGetDriverEntryPoint_13,
             (const char *name, void **function, unsigned long long flags, int *status),
             get_function(name, function, 13000, status))
