/* device_heap.h: the heap of malloc() and free() in kernels (CUDA Programming Guide, "Dynamic
 * Global Memory Allocation and Operations"): one region of the guest's memory, aligned to
 * HEAP_ALIGN. The region also contains the heap's own data, so heap blocks remain allocated from
 * launch to launch. To detect incorrect accesses, an unused granule of 16 bytes follows each heap
 * block, and freed memory is reused as late as possible. The offset in the region identifies a heap
 * block. Below, *block* means a heap block. */
#ifndef DEVICE_HEAP_H
#define DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEAP_DEFAULT_BYTES = 8 << 20, /* The default of cudaLimitMallocHeapSize. */
    HEAP_ALIGN = 16,
};

/* Returns the size in bytes of a region with `limit` bytes for blocks. The caller zeroes it. */
uint64_t device_heap_region_bytes(uint64_t limit);

struct device_heap {
    unsigned char *host;
    uint64_t bytes;
};

/* Returns the offset of a new block, or 0 if there is no space or `bytes` is 0. Not thread-safe. */
uint64_t device_heap_allocate(struct device_heap heap, uint64_t bytes);

/* Returns true if no block was ever allocated. */
bool device_heap_is_new(struct device_heap heap);

/* Returns the size in bytes of the block that begins at `offset`, or 0 if no block begins there. */
uint64_t device_heap_block_bytes(struct device_heap heap, uint64_t offset);

/* Free the block that begins at `offset`. Returns false if no block begins there. */
bool device_heap_free(struct device_heap heap, uint64_t offset);

/* Returns true if the `bytes` bytes from `offset` on, all in the region, belong to one block. */
bool device_heap_allows(struct device_heap heap, uint64_t offset, uint64_t bytes);

/* Write a description of `offset` to `text`: "byte 24 of an allocation of 20 bytes". */
void device_heap_describe(struct device_heap heap, uint64_t offset, char *text, size_t size);

#endif
