#include "hardware/cupti/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* WSL has a directory that some search paths omit. */
static const char *const library_names[] = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};

static const struct {
    int code; /* CUresult (cuda.h). */
    const char *advice;
} start_advice[] = {
    {34, "the library that was found is the toolkit's stub for linking: remove its directory from "
         "LD_LIBRARY_PATH"},
    {DRIVER_NO_DEVICE, "no GPU is visible; start a container with --gpus all, and check "
                       "that CUDA_VISIBLE_DEVICES does not hide the GPU"},
    {2, "other programs use the GPU's memory (nvidia-smi lists them)"},
    {802, "the GPU's fabric manager is not running, or not ready yet"},
    {803, "the driver was updated while it was loaded: reboot"},
    {999, "the driver's Linux kernel module may be missing, or /dev/nvidia* may be inaccessible: "
          "run nvidia-smi"},
};

static const struct {
    int code; /* CUresult (cuda.h). */
    enum status status;
    const char *what;
} kernel_faults[] = {
    {700, STATUS_OUT_OF_BOUNDS, "the kernel accessed an address outside all allocations"},
    {716, STATUS_MISALIGNED,
     "the kernel accessed an address that is not a multiple of the access size"},
    {717, STATUS_OUT_OF_BOUNDS, "the kernel accessed an address in the wrong memory space"},
    {702, STATUS_TIMEOUT, "the kernel exceeded the time limit of a GPU that drives a display"},
    {710, STATUS_LAUNCH_ERROR, "an assertion in the kernel failed"},
    {715, STATUS_LAUNCH_ERROR, "the kernel executed a trap or an illegal instruction"},
    {714, STATUS_LAUNCH_ERROR, "the kernel overflowed its stack"},
    {718, STATUS_LAUNCH_ERROR, "the kernel jumped to an address without code"},
    {719, STATUS_LAUNCH_ERROR, "the kernel failed while it ran"},
};

bool driver_open(struct driver *driver, struct failure *failure)
{
    *driver = (struct driver){0};
    for (size_t i = 0; i < sizeof library_names / sizeof *library_names && !driver->library; i++)
        driver->library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    if (!driver->library)
        return failure_harness(failure, "this machine has no NVIDIA driver (libcuda.so.1 is not "
                                        "found)");
    const char *missing = NULL;
#define X(name, symbol, parameters)                                                                \
    *(void **)&driver->name = dlsym(driver->library, #symbol);                                     \
    if (!driver->name)                                                                             \
        missing = #symbol;
    DRIVER_FUNCTIONS(X)
#undef X
    if (!missing)
        return true;
    driver_close(driver);
    return failure_harness(
        failure,
        "the NVIDIA driver is too old: it does not contain the function %s. Update the driver",
        missing);
}

void driver_close(struct driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    *driver = (struct driver){0};
}

bool driver_start(const struct driver *driver, int ordinal, driver_device *device,
                  struct failure *failure)
{
    char text[256];
    int count = 0, code = driver->init(0);
    if (!code)
        code = driver->device_count(&count);
    if (!code && !count)
        code = DRIVER_NO_DEVICE;
    if (!code && ordinal >= count)
        return failure_harness(failure,
                               "there is no GPU %d: the driver reports %d GPU%s, numbered from 0",
                               ordinal, count, count == 1 ? "" : "s");
    if (!code)
        code = driver->device_get(device, ordinal);
    if (!code)
        return true;
    driver_describe(driver, code, text, sizeof text);
    for (size_t i = 0; i < sizeof start_advice / sizeof *start_advice; i++)
        if (start_advice[i].code == code)
            return failure_harness(failure, "the GPU cannot be used: %s (%s)", text,
                                   start_advice[i].advice);
    return failure_harness(failure, "the GPU cannot be used: %s", text);
}

int driver_attribute(const struct driver *driver, driver_device device,
                     enum driver_device_attribute attribute)
{
    int value = 0;
    return driver->device_attribute(&value, attribute, device) ? 0 : value;
}

/* DRAM with double data rate transfers twice per clock. kHz x bits / 8 is kB/s. */
double driver_dram_gbps(const struct driver *driver, driver_device device)
{
    return 2e3 * driver_attribute(driver, device, DRIVER_MEMORY_CLOCK_KHZ) *
           driver_attribute(driver, device, DRIVER_MEMORY_BUS_BITS) / 8 / 1e9;
}

enum status driver_fault(int code, const char **what)
{
    *what = NULL;
    for (size_t i = 0; i < sizeof kernel_faults / sizeof *kernel_faults; i++)
        if (kernel_faults[i].code == code) {
            *what = kernel_faults[i].what;
            return kernel_faults[i].status;
        }
    return STATUS_LAUNCH_ERROR;
}

void driver_describe(const struct driver *driver, int code, char *text, size_t size)
{
    const char *name = NULL, *meaning = NULL;
    if (driver->error_name(code, &name) || !name)
        snprintf(text, size, "error %d of the CUDA driver", code);
    else if (driver->error_string(code, &meaning) || !meaning)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s: %s", name, meaning);
}

bool driver_check(const struct driver *driver, int code, const char *what, struct failure *failure)
{
    char text[256];
    if (!code)
        return true;
    driver_describe(driver, code, text, sizeof text);
    return failure_harness(failure, "cannot %s: %s", what, text);
}
