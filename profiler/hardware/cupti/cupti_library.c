/* This file repeats the stable numbers of cupti_result.h, so that a build without CUPTI's headers
 * also has the remedies and their test. */
#define _GNU_SOURCE
#include "hardware/cupti/cupti_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int code;
    const char *remedy;
} remedies[] = {
    {2, "CUPTI does not support this device. Use the CUPTI of the driver's own CUDA version (run "
        "nvidia-smi), or omit --device gpu"},
    {8, "CUPTI is out of memory. Close other programs that use the GPU or the memory, then try "
        "again"},
    {9, "the GPU reports a hardware failure. Check `nvidia-smi` and the kernel log (dmesg, "
        "\"NVRM: Xid\"); a restart may be needed"},
    {11, "this CUPTI lacks the Range Profiler. Install the CUDA Toolkit 12.6 or newer"},
    {14, "CUPTI and the driver are incompatible. Update the driver, or set TLAB_CUPTI to the "
         "libcupti.so of the CUDA version that nvidia-smi names"},
    {15, "CUPTI could not start: the driver does not respond. Check it with "
         "`nvidia-smi`. Start a container with --gpus all"},
    {17, "this chip lacks a counter that tlab requires. Run `make check-metrics` and report its "
         "output"},
    {26, "another profiler is using the GPU's counters (ncu, nsys, a monitor such as DCGM, another "
         "tlab). End that profiler, or pause DCGM with `dcgmi profiling --pause`, then try again"},
    {27, "this device or configuration does not support profiling. `tlab doctor` names the "
         "unsupported part"},
    {31, "the GPU is shared by MPS, which hides the counters. End the MPS server "
         "(echo quit | nvidia-cuda-mps-control), then try again"},
    {33, "this is a virtual GPU without counters. The administrator of the host must enable "
         "profiling for this GPU (vGPU parameter enable_profiling=1)"},
    {35, "this user may not read the GPU's counters. The administrator of the machine must load "
         "the driver with NVreg_RestrictProfilingToAdminUsers=0 (a line `options nvidia "
         "NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d/, then a restart); a container "
         "needs --cap-add=SYS_ADMIN. Running tlab as root works as well"},
    {36,
     "the program has started CUDA's old profiler (cuProfilerInitialize, or an old tool), which "
     "cannot run together with the profiler of tlab. Run the program without the old profiler"},
    {38, "this device supports only the new profiler, but the old profiler was requested. Use a "
         "CUPTI of CUDA 12.6 or newer"},
    {39,
     "another tool already profiles the program (nsys, a debugger, PyTorch's profiler). Only one "
     "tool can profile a program: run the program without the other tool"},
    {40, "the counters of this virtual GPU are disabled. The administrator of the host must enable "
         "profiling for this GPU (vGPU parameter enable_profiling=1)"},
    {41, "the GPU runs in confidential-computing mode, which hides the counters. The administrator "
         "of the machine must disable this mode"},
    {42, "this is a mining card (CMP), which has no counters. Use another GPU"},
    {43, "the GPU is divided into MIG instances, which hide the counters. Use another GPU, or ask "
         "the administrator to disable MIG (nvidia-smi -mig 0)"},
    {44, "the GPU is part of an SLI group, which hides the counters. Disable SLI"},
    {45, "this Windows Subsystem for Linux does not provide counters. In Windows, open the NVIDIA "
         "Control Panel as administrator and select Desktop > Enable Developer Settings. Allow all "
         "users to access the GPU performance counters. Update the driver and WSL"},
    {46, "CUPTI does not support this chip. Install a newer CUDA Toolkit that the driver supports "
         "(run nvidia-smi)"},
};

/* For an unsupported or a disabled feature: a message, or the number of an error in `remedies`. */
static const struct {
    const char *unsupported;
    int unsupported_code, disabled_code;
} obstacles[CUPTI_OBSTACLE_COUNT] = {
    [CUPTI_OBSTACLE_ARCHITECTURE] = {"the GPU is older than compute capability 7.0 (Volta), and "
                                     "the Range Profiler does not support it. Use a newer GPU",
                                     0, 0},
    [CUPTI_OBSTACLE_SLI] = {NULL, 44, 0},
    [CUPTI_OBSTACLE_VGPU] = {"this type of virtual GPU has no counters. Ask the "
                             "administrator of the host for a whole GPU (pass-through)",
                             0, 40},
    [CUPTI_OBSTACLE_CONFIDENTIAL] = {NULL, 41, 0},
    [CUPTI_OBSTACLE_CMP] = {NULL, 42, 0},
    [CUPTI_OBSTACLE_WSL] =
        {"this Windows Subsystem for Linux does not provide counters. Update the "
         "Windows driver and WSL (wsl --update)",
         0, 0},
};

const char *cupti_remedy(int code)
{
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (remedies[i].code == code)
            return remedies[i].remedy;
    return NULL;
}

const char *cupti_obstacle_remedy(enum cupti_obstacle obstacle, bool disabled)
{
    if (disabled && obstacles[obstacle].disabled_code)
        return cupti_remedy(obstacles[obstacle].disabled_code);
    const char *text = obstacles[obstacle].unsupported;
    return text ? text : cupti_remedy(obstacles[obstacle].unsupported_code);
}

bool cupti_failure(struct failure *failure, const char *name, int code)
{
    const char *remedy = cupti_remedy(code);
    if (remedy)
        return failure_harness(failure, "hardware counters are not available: %s (CUPTI error %d)",
                               remedy, code);
    return failure_harness(
        failure,
        "hardware counters are not available: %s failed with CUPTI error %d. A driver older than "
        "the CUDA Toolkit can cause this: compare `nvidia-smi` and `nvcc --version`, and set "
        "TLAB_CUPTI to the libcupti.so of the driver's version",
        name, code);
}

bool cupti_check(struct failure *failure, const char *name, int code)
{
    return !code || cupti_failure(failure, name, code);
}

bool cupti_newer_than_driver(unsigned cupti, int driver)
{
    enum { OLD_STYLE = 10000, CUDA_OF_OLD_STYLE = 12 };
    int major = cupti < OLD_STYLE ? CUDA_OF_OLD_STYLE : (int)(cupti / 10000);
    return major > driver / 1000;
}

static const char *const library_patterns[] = {
    "extras/CUPTI/lib64/libcupti.so*", "lib64/libcupti.so*",           "lib/libcupti.so*",
    "targets/*/lib/libcupti.so*",      "lib/*-linux-gnu/libcupti.so*", NULL};

void cupti_library_path(char path[TOOLKIT_PATH_SIZE])
{
    const char *chosen = getenv("TLAB_CUPTI");
    struct toolkit toolkit;
    bool is_chosen = chosen && *chosen;
    if (is_chosen || !toolkit_find(&toolkit) ||
        !toolkit_find_file(toolkit.root, library_patterns, ".so", path))
        snprintf(path, TOOLKIT_PATH_SIZE, "%s", is_chosen ? chosen : "libcupti.so");
}

#ifdef HAVE_CUPTI

static struct cupti library;
static bool library_is_open;
static struct failure library_failure;

static void *loaded_copy(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
    return handle;
}

static void library_open(void)
{
    struct failure *failure = &library_failure;
    char path[TOOLKIT_PATH_SIZE];
    cupti_library_path(path);
    void *handle = loaded_copy();
    if (!handle)
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        failure_harness(failure,
                        "hardware counters are not available: cannot open CUPTI (%s). Install the "
                        "CUDA Toolkit, or set TLAB_CUPTI to the path of libcupti.so",
                        dlerror());
        return;
    }
#define X(name)                                                                                    \
    *(void **)&library.name = dlsym(handle, "cupti" #name);                                        \
    if (!library.name)                                                                             \
        failure_harness(failure,                                                                   \
                        "hardware counters are not available: the installed CUPTI is older "       \
                        "than CUDA 12.6 (it has no cupti%s). Install a newer CUDA Toolkit, or "    \
                        "set TLAB_CUPTI to the path of a newer libcupti.so",                       \
                        #name);
    CUPTI_FUNCTIONS(X)
#undef X
    library_is_open = failure->kind == FAILURE_NONE;
}

const struct cupti *cupti_open(struct failure *failure)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_open);
    if (library_is_open)
        return &library;
    failure_harness(failure, "%s", library_failure.text);
    return NULL;
}

#endif
