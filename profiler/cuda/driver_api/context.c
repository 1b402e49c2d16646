/* context.c: initialisation, the device, contexts, errors, and functions by name. */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaDeviceReset(void);

/* ---- Contexts ---- */

/* All contexts are views of one device's state. What differs is which one is current to a
 * thread, and whether it was destroyed. */
struct context {
    struct context *next;
    bool is_gone;
    unsigned flags;
    unsigned retained; /* of the primary one: how often */
};

enum { STACK_MAX = 64 };
static struct context primary;
static struct context *contexts; /* those of cuCtxCreate, gone ones, too */
static __thread struct context *stack[STACK_MAX];
static __thread unsigned depth;
static bool is_initialised;

static struct context *current(void)
{
    return depth ? stack[depth - 1] : runtime_thread()->has_context ? &primary : NULL;
}

static struct context *context_of(const void *handle)
{
    if (handle == &primary)
        return &primary;
    for (struct context *at = contexts; at; at = at->next)
        if (at == handle && !at->is_gone)
            return at;
    return NULL;
}

/* ---- Calls ---- */

static int check_need(enum driver_need need)
{
    const struct context *context = current();
    if (need >= NEED_INIT && !is_initialised && !runtime_thread()->has_context) {
        runtime_note("the driver API begins with cuInit(0)");
        return ERROR_InitializationError;
    }
    if (need < NEED_CONTEXT || (context && !context->is_gone))
        return 0;
    runtime_note(context ? "the thread's current context was destroyed"
                         : "no context is current to this thread: cuCtxCreate, "
                           "cuDevicePrimaryCtxRetain and cuCtxSetCurrent, or a call of the runtime "
                           "make one so");
    return context ? ERROR_ContextIsDestroyed : ERROR_DeviceUninitialized;
}

int driver_enter(struct driver_call *call, enum driver_need need)
{
    call->thread = *runtime_thread();
    int state = need == NEED_CONTEXT ? runtime_enter() : runtime_enter_quietly();
    runtime_thread()->has_context = call->thread.has_context;
    if (state == ERROR_NoDevice)
        return state;
    int error = check_need(need);
    return error || need < NEED_CONTEXT ? error : state; /* kernels' errors are the context's */
}

int driver_leave(const struct driver_call *call, int error)
{
    runtime_leave(error);
    *runtime_thread() = call->thread;
    if (error == ERROR_InvalidSymbol)
        return ERROR_SymbolNotFound;
    if (error == ERROR_InvalidDeviceFunction)
        return ERROR_InvalidResourceHandle;
    return driver_error_name(error) ? error : ERROR_InvalidValue;
}

DRIVER_FUNCTION(NEED_NOTHING, cuInit, (unsigned flags),
                flags ? ERROR_InvalidValue : (is_initialised = true, 0))

/* ---- Contexts' functions ---- */

static int push(struct context *context)
{
    if (!context || context->is_gone || depth == STACK_MAX)
        return ERROR_DeviceUninitialized;
    stack[depth++] = context;
    return 0;
}

static int create(void **made, unsigned flags, int device)
{
    if (!made || device)
        return made ? ERROR_InvalidDevice : ERROR_InvalidValue;
    struct context *context = runtime_allocate(1, sizeof *context);
    *context = (struct context){.next = contexts, .flags = flags};
    contexts = *made = context;
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

/* With the last context goes what the program still had, and what its kernels did wrong. */
static void reset_if_last(void)
{
    bool is_used = primary.retained || runtime_thread()->has_context;
    for (const struct context *at = contexts; at; at = at->next)
        is_used |= !at->is_gone;
    if (!is_used)
        cudaDeviceReset();
}

static int destroy(const void *handle)
{
    struct context *context = context_of(handle);
    if (!context || context == &primary)
        return context ? ERROR_InvalidValue : ERROR_DeviceUninitialized;
    context->is_gone = true;
    if (depth && stack[depth - 1] == context)
        depth--;
    reset_if_last();
    return 0;
}

DRIVER_FUNCTION(NEED_INIT, cuCtxDestroy_v2, (void *context), destroy(context))
ALIAS(cuCtxDestroy_v2, cuCtxDestroy);
ALIAS(cuCtxDestroy_v2, cuCtxDetach);
DRIVER_FUNCTION(NEED_INIT, cuCtxPushCurrent_v2, (void *context), push(context_of(context)))
ALIAS(cuCtxPushCurrent_v2, cuCtxPushCurrent);

static int pop(void **popped)
{
    if (!depth)
        return ERROR_DeviceUninitialized;
    depth--;
    if (popped)
        *popped = stack[depth];
    return 0;
}

DRIVER_FUNCTION(NEED_INIT, cuCtxPopCurrent_v2, (void **popped), pop(popped))
ALIAS(cuCtxPopCurrent_v2, cuCtxPopCurrent);

/* It replaces what is on top; none takes that away. */
static int set_current(const void *handle)
{
    if (depth)
        depth--;
    return handle ? push(context_of(handle)) : 0;
}

DRIVER_FUNCTION(NEED_INIT, cuCtxSetCurrent, (void *context), set_current(context))
DRIVER_FUNCTION(NEED_INIT, cuCtxGetCurrent, (void **context),
                context ? (*context = current(), 0) : ERROR_InvalidValue)

static int get_number(unsigned *value, unsigned number)
{
    if (value)
        *value = number;
    return value ? 0 : ERROR_InvalidValue;
}

DRIVER_FUNCTION(NEED_CONTEXT, cuCtxGetDevice, (unsigned *device), get_number(device, 0))
ALIAS(cuCtxGetDevice, cuCtxGetDevice_v2);
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxGetFlags, (unsigned *flags), get_number(flags, current()->flags))
DRIVER_FUNCTION(NEED_CONTEXT, cuCtxSetFlags, (unsigned flags), (current()->flags = flags, 0))
DRIVER_FUNCTION(NEED_INIT, cuCtxGetApiVersion, (void *context, unsigned *version),
                context_of(context) || !context ? get_number(version, 3020)
                                                : ERROR_DeviceUninitialized)
DRIVER_FUNCTION(NEED_INIT, cuCtxGetId, (void *context, unsigned long long *id),
                GIVE(id, (uintptr_t)(context ? context : current())))
ALIAS(cuCtxGetId, cuStreamGetCtx); /* of any stream: the current one */

/* ---- The primary context ---- */

static int change_primary(int device, int retain, void **context)
{
    if (device)
        return ERROR_InvalidDevice;
    if (retain < 0 && !primary.retained)
        return ERROR_DeviceUninitialized;
    primary.retained += (unsigned)retain;
    if (context)
        *context = &primary;
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

static int primary_state(int device, unsigned *flags, int *active)
{
    if (device)
        return ERROR_InvalidDevice;
    return GIVE(flags, primary.flags) |
           GIVE(active, primary.retained || runtime_thread()->has_context);
}

DRIVER_FUNCTION(NEED_INIT, cuDevicePrimaryCtxGetState, (int device, unsigned *flags, int *active),
                primary_state(device, flags, active))

/* ---- The device ---- */

DRIVER_FUNCTION(NEED_INIT, cuDeviceGet, (int *device, int number),
                number   ? ERROR_InvalidDevice
                : device ? (*device = 0, 0)
                         : ERROR_InvalidValue)

static int get_name(char *name, int size, int device)
{
    if (device || size < 1 || !name)
        return device ? ERROR_InvalidDevice : ERROR_InvalidValue;
    snprintf(name, (size_t)size, "%s", runtime.device->title);
    return 0;
}

DRIVER_FUNCTION(NEED_INIT, cuDeviceGetName, (char *name, int size, int device),
                get_name(name, size, device))
DRIVER_FUNCTION(NEED_INIT, cuDeviceTotalMem_v2, (size_t * bytes, int device),
                device ? ERROR_InvalidDevice : GIVE(bytes, runtime.device->memory_bytes))

static int capability(int *major, int *minor, int device)
{
    const int capability = (int)runtime.device->compute_capability;
    return device ? ERROR_InvalidDevice
                  : GIVE(major, capability / 10) | GIVE(minor, capability % 10);
}

DRIVER_FUNCTION(NEED_INIT, cuDeviceComputeCapability, (int *major, int *minor, int device),
                capability(major, minor, device))

static int get_uuid(char uuid[16], int device)
{
    if (device || !uuid)
        return device ? ERROR_InvalidDevice : ERROR_InvalidValue;
    memcpy(uuid, "emulatedGPU\0\0\0\0", 16);
    return 0;
}

DRIVER_FUNCTION(NEED_INIT, cuDeviceGetUuid_v2, (char uuid[16], int device), get_uuid(uuid, device))
ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

/* ---- Errors ---- */

static int get_text(const char **text, int error, bool wants_name)
{
    const char *name = driver_error_name(error);
    if (!text)
        return ERROR_InvalidValue;
    *text = !name || wants_name ? name : runtime_error_text(error);
    return name ? 0 : ERROR_InvalidValue;
}

EXPORT int cuGetErrorName(int error, const char **text)
{
    return get_text(text, error, true);
}

EXPORT int cuGetErrorString(int error, const char **text)
{
    return get_text(text, error, false);
}

/* ---- Functions by name ---- */

/* Names whose second, third or fourth version came with a later CUDA than 4: of others programs
 * always mean the newest (cudaTypedefs.h). */
static const struct {
    const char *name;
    int since;
} late[] = {
    {"cuCtxCreate_v3", 11040},
    {"cuCtxCreate_v4", 12050},
    {"cuGetProcAddress_v2", 12000},
    {"cuDevicePrimaryCtxRelease_v2", 11000},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuEventElapsedTime_v2", 12080},
    {"cuStreamGetCaptureInfo_v3", 12030},
    {"cuCtxGetDevice_v2", 13000},
};

static int version_of(const char *name)
{
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (!strcmp(late[i].name, name))
            return late[i].since;
    return 0;
}

void *driver_find(const char *name, int version)
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

enum { FOUND, NOT_FOUND };

static int get_function(const char *name, void **function, int version, int *status)
{
    if (!name || !function)
        return ERROR_InvalidValue;
    *function = driver_find(name, version);
    if (status)
        *status = *function ? FOUND : NOT_FOUND;
    return *function || status ? 0 : ERROR_SymbolNotFound;
}

DRIVER_FUNCTION(NEED_NOTHING, cuGetProcAddress_v2,
                (const char *name, void **function, int version, uint64_t flags, int *status),
                get_function(name, function, version, status))
DRIVER_FUNCTION(NEED_NOTHING, cuGetProcAddress,
                (const char *name, void **function, int version, uint64_t flags),
                get_function(name, function, version, NULL))

/* Tables of private functions, for which NVIDIA's own libraries ask; NVRTC does without. */
EXPORT int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    if (table)
        *table = NULL;
    return ERROR_NotSupported;
}

API_FUNCTION_PTSZ(cudaGetDriverEntryPointByVersion,
                  (const char *name, void **function, unsigned version, unsigned long long flags,
                   int *status),
                  get_function(name, function, (int)version, status))

extern const int runtime_version;

API_FUNCTION_PTSZ(cudaGetDriverEntryPoint,
                  (const char *name, void **function, unsigned long long flags, int *status),
                  get_function(name, function, runtime_version, status))
