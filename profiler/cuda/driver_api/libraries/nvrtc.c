/* nvrtc.c: a wrapper of the toolkit's NVRTC. `tlab exec` puts the wrapper before NVIDIA's library
 * in the search path. If the program requests machine code or PTX, the wrapper returns PTX for
 * compute_80 with line information. cuModuleLoadData accepts this PTX in place of a cubin. All
 * other calls are forwarded. */
#include "process/toolkit.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define EXPORT __attribute__((visibility("default")))

enum { NVRTC_OUT_OF_MEMORY = 1, NVRTC_INTERNAL_ERROR = 11 };

typedef uintptr_t any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static uintptr_t fail(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return NVRTC_INTERNAL_ERROR;
}

/* Returns a function of NVIDIA's library; `fail` if the library or the function is missing. */
static any_function *find(const char *name)
{
    static void *library;
    any_function *function = NULL;
    struct toolkit toolkit;
    if (!library && toolkit_find(&toolkit) && *toolkit.nvrtc)
        library = dlopen(toolkit.nvrtc, RTLD_LAZY | RTLD_LOCAL);
    if (library)
        *(void **)&function = dlsym(library, name);
    if (!function)
        fprintf(stderr, "tlab: the call of %s failed: the CUDA Toolkit has no NVRTC%s\n", name,
                library ? " with this function" : " that can be loaded");
    return function ? function : fail;
}

#define FORWARD(name, other)                                                                       \
    EXPORT uintptr_t name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e,         \
                          uintptr_t f)                                                             \
    {                                                                                              \
        return find(#other)(a, b, c, d, e, f);                                                     \
    }
FORWARD(nvrtcGetCUBIN, nvrtcGetPTX)
FORWARD(nvrtcGetCUBINSize, nvrtcGetPTXSize)

// clang-format off
#define FORWARD_LIST(X) \
    X(nvrtcAddNameExpression) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcGetErrorString) \
    X(nvrtcGetLTOIR) X(nvrtcGetLTOIRSize) X(nvrtcGetLoweredName) X(nvrtcGetNumSupportedArchs) \
    X(nvrtcGetOptiXIR) X(nvrtcGetOptiXIRSize) X(nvrtcGetPCHCreateStatus) X(nvrtcGetPCHHeapSize) \
    X(nvrtcGetPCHHeapSizeRequired) X(nvrtcGetPTX) X(nvrtcGetPTXSize) X(nvrtcGetProgramLog) \
    X(nvrtcGetProgramLogSize) X(nvrtcGetSupportedArchs) X(nvrtcSetFlowCallback) \
    X(nvrtcSetPCHHeapSize) X(nvrtcVersion)
// clang-format on
#define X(name) FORWARD(name, name)
FORWARD_LIST(X)
#undef X

/* Returns the number of arguments (1 or 2) of an option that the wrapper replaces; otherwise 0. */
static int is_replaced(const char *const *at, int left)
{
    static const char *const names[] = {"--gpu-architecture",   "-arch", "-lineinfo",
                                        "--generate-line-info", "-G",    "--device-debug"};
    enum { WITH_VALUE = 2 };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(at[0], names[i], length) != 0)
            continue;
        if (!at[0][length])
            return i < WITH_VALUE && left > 1 ? 2 : 1;
        if (i < WITH_VALUE && at[0][length] == '=')
            return 1;
    }
    return 0;
}

EXPORT uintptr_t nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    const char **passed = calloc((size_t)(count > 0 ? count : 0) + 2, sizeof *passed);
    int used = 0;
    if (!passed)
        return NVRTC_OUT_OF_MEMORY;
    passed[used++] = "--gpu-architecture=compute_80";
    passed[used++] = "-lineinfo";
    for (int i = 0; i < count;) {
        int skip = is_replaced(&options[i], count - i);
        if (!skip)
            passed[used++] = options[i];
        i += skip ? skip : 1;
    }
    uintptr_t status = find("nvrtcCompileProgram")((uintptr_t)program, (uintptr_t)used,
                                                   (uintptr_t)passed, 0, 0, 0);
    free(passed);
    return status;
}
