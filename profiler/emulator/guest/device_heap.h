/* device_heap.h: what malloc() and free() in kernels give out and take back (CUDA Programming
 * Guide, "Dynamic Global Memory Allocation and Operations"): blocks in one region of the guest's
 * memory.
 *
 * All that is known of blocks stands in the region's own bytes, which no access of a kernel
 * reaches: so blocks stay from launch to launch, and a copy of the guest's memory is a copy of the
 * heap. Each granule of 16 bytes has a byte that says whose it is. Behind each block is a granule
 * of nobody, and what was freed is given out again last, so that wrong accesses are seen. Blocks
 * are named by their offsets in the region, whose address is a multiple of HEAP_ALIGN.
 */
#ifndef DEVICE_HEAP_H
#define DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HEAP_DEFAULT_BYTES = 8 << 20, /* cudaLimitMallocHeapSize */
    HEAP_ALIGN = 16,              /* of blocks */
};

/* Bytes of a region, zeroed, from which blocks of `limit` bytes together can be had. */
uint64_t device_heap_region_bytes(uint64_t limit);

struct device_heap {
    unsigned char *host;
    uint64_t bytes;
};

/* A block's offset, or 0: no room, or no bytes. The caller is the only one at the heap. */
uint64_t device_heap_allocate(struct device_heap heap, uint64_t bytes);

/* Whether no block was ever given out. */
bool device_heap_is_new(struct device_heap heap);

/* Bytes of the block that begins there; 0: none does, any more. */
uint64_t device_heap_block_bytes(struct device_heap heap, uint64_t offset);

/* False: no block begins there, any more. */
bool device_heap_free(struct device_heap heap, uint64_t offset);

/* Whether the bytes, which lie in the region, belong to one block. */
bool device_heap_allows(struct device_heap heap, uint64_t offset, uint64_t bytes);

/* "byte 24 of a block of 20 bytes", for an offset in the region. */
void device_heap_describe(struct device_heap heap, uint64_t offset, char *text, size_t size);

#endif
