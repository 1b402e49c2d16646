/* driver.h: NVIDIA's CUDA driver API, opened with dlopen when a GPU is requested. tlab is built
 * without CUDA headers. The declarations below suffice, because a changed function gets a new
 * symbol with a suffix such as _v2. All functions return a CUresult, which is 0 on success. If a
 * process has initialized the driver, its forked children must not use it. */
#ifndef GPU_DRIVER_H
#define GPU_DRIVER_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

typedef void *driver_context, *driver_module, *driver_function, *driver_stream, *driver_event;
typedef int driver_device;
typedef uint64_t driver_address;

#define DRIVER_FUNCTIONS(X)                                                                        \
    X(init, cuInit, (unsigned flags))                                                              \
    X(version, cuDriverGetVersion, (int *version))                                                 \
    X(error_name, cuGetErrorName, (int code, const char **name))                                   \
    X(error_string, cuGetErrorString, (int code, const char **text))                               \
    X(device_count, cuDeviceGetCount, (int *count))                                                \
    X(device_get, cuDeviceGet, (driver_device * device, int ordinal))                              \
    X(device_name, cuDeviceGetName, (char *name, int size, driver_device device))                  \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, driver_device device))   \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, driver_device device))                  \
    X(context_device, cuCtxGetDevice, (driver_device * device))                                    \
    X(context_push, cuCtxPushCurrent_v2, (driver_context context))                                 \
    X(context_pop, cuCtxPopCurrent_v2, (driver_context * context))                                 \
    X(context_retain, cuDevicePrimaryCtxRetain, (driver_context * context, driver_device device))  \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (driver_device device))                       \
    X(context_set, cuCtxSetCurrent, (driver_context context))                                      \
    X(synchronize, cuCtxSynchronize, (void))                                                       \
    X(allocate, cuMemAlloc_v2, (driver_address * address, size_t bytes))                           \
    X(release, cuMemFree_v2, (driver_address address))                                             \
    X(host_allocate, cuMemHostAlloc, (void **host, size_t bytes, unsigned flags))                  \
    X(host_release, cuMemFreeHost, (void *host))                                                   \
    X(copy_in, cuMemcpyHtoD_v2, (driver_address to, const void *from, size_t bytes))               \
    X(copy_out, cuMemcpyDtoH_v2, (void *to, driver_address from, size_t bytes))                    \
    X(fill_words, cuMemsetD32_v2, (driver_address address, unsigned word, size_t count))           \
    X(module_load, cuModuleLoadDataEx,                                                             \
      (driver_module * module, const void *image, unsigned option_count, int *options,             \
       void **values))                                                                             \
    X(module_unload, cuModuleUnload, (driver_module module))                                       \
    X(module_function, cuModuleGetFunction,                                                        \
      (driver_function * function, driver_module module, const char *name))                        \
    X(module_global, cuModuleGetGlobal_v2,                                                         \
      (driver_address * address, size_t * bytes, driver_module module, const char *name))          \
    X(function_attribute, cuFuncGetAttribute,                                                      \
      (int *value, int attribute, driver_function function))                                       \
    X(function_set, cuFuncSetAttribute, (driver_function function, int attribute, int value))      \
    X(launch, cuLaunchKernel,                                                                      \
      (driver_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
       driver_stream stream, void **parameters, void **extra))                                     \
    X(event_create, cuEventCreate, (driver_event * event, unsigned flags))                         \
    X(event_destroy, cuEventDestroy_v2, (driver_event event))                                      \
    X(event_record, cuEventRecord, (driver_event event, driver_stream stream))                     \
    X(event_synchronize, cuEventSynchronize, (driver_event event))                                 \
    X(event_query, cuEventQuery, (driver_event event))                                             \
    X(event_elapsed, cuEventElapsedTime,                                                           \
      (float *milliseconds, driver_event from, driver_event to))                                   \
    X(stream_is_capturing, cuStreamIsCapturing, (driver_stream stream, int *status))

struct driver {
    void *library;
#define X(name, symbol, parameters) int(*name) parameters;
    DRIVER_FUNCTIONS(X)
#undef X
};

/* The numbers in the following enumerations are from cuda.h. */
enum driver_result {
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_IMAGE = 200,
    DRIVER_NO_BINARY_FOR_GPU = 209,
    DRIVER_INVALID_PTX = 218,
    DRIVER_UNSUPPORTED_PTX_VERSION = 222,
    DRIVER_NOT_FOUND = 500,
    DRIVER_NOT_READY = 600,
    DRIVER_STREAM_CAPTURE = 900, /* First error about a capturing stream. */
    DRIVER_LAST_CAPTURE = 908,
};

enum driver_device_attribute {
    DRIVER_CLOCK_KHZ = 13,
    DRIVER_MEMORY_CLOCK_KHZ = 36,
    DRIVER_MEMORY_BUS_BITS = 37,
    DRIVER_COMPUTE_MAJOR = 75,
    DRIVER_COMPUTE_MINOR = 76,
};
enum driver_function_attribute {
    DRIVER_FUNCTION_SHARED_BYTES = 1,
    DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
};

/* Open the library and bind the functions, without initializing the driver. Returns false for a
 * harness failure: this machine has no driver, or the driver is too old. */
bool driver_open(struct driver *driver, struct failure *failure);
void driver_close(struct driver *driver);

/* Call cuInit and find device `ordinal`. Returns false for a harness failure. */
bool driver_start(const struct driver *driver, int ordinal, driver_device *device,
                  struct failure *failure);

/* Returns a device attribute; 0 if this driver does not support the attribute. */
int driver_attribute(const struct driver *driver, driver_device device,
                     enum driver_device_attribute attribute);

/* Returns the theoretical DRAM bandwidth in GB/s; 0 if the driver does not report it. */
double driver_dram_gbps(const struct driver *driver, driver_device device);

/* Returns the status for an error after a launch. *what describes the fault, or is NULL. */
enum status driver_fault(int code, const char **what);

/* Set `text` to the name and the description: "CUDA_ERROR_OUT_OF_MEMORY: out of memory". */
void driver_describe(const struct driver *driver, int code, char *text, size_t size);

/* Returns true if `code` is success. Otherwise, sets the harness failure "cannot WHAT: error". */
bool driver_check(const struct driver *driver, int code, const char *what, struct failure *failure);

#define DRIVER_TRY(driver, call, what, failure) driver_check(driver, (driver)->call, what, failure)

#endif
