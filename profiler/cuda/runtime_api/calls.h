/* calls.h: functions of the runtime API that other files and the driver API call. */
#ifndef CALLS_H
#define CALLS_H

#include "cuda/abi.h"

#include <stdbool.h>

int copy_box(const struct copy_3d *parameters, void *stream);
/* Copy a box (bytes, rows, slices) between memory and arrays. Returns 0 or a CUDA error. */
int copy_sides(const struct side_3d *from, const struct side_3d *to, struct extent box, int kind,
               void *stream);
int set_rows(const struct set_node *set, void *stream);
/* Launch a kernel with the attributes of `config`. Returns 0 or a CUDA error. */
int launch_kernel(const void *function, const struct launch_config *config, void *const *arguments,
                  bool is_cooperative);
int cudaDeviceReset(void);
int cudaFuncGetAttributes(struct function_attributes *attributes, const void *function);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaGraphAddMemsetNode(void **node, void *graph, void *const *before, size_t count,
                           const struct set_node *parameters);
int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyFromArray(void *to, const void *from, size_t x, size_t y, size_t bytes, int kind);
int cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from, size_t bytes, int kind);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                  size_t shared);

#endif
