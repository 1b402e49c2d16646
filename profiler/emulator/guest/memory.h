/* memory.h: the guest's global memory, and the address space of a kernel. Guest addresses do not
 * depend on the host, so that counts are the same on every machine. Global memory is a list of
 * *regions* (a matrix, its guard bands, a module variable), each with its bytes in host memory.
 * Addresses between regions are out of bounds. The other state spaces have windows in the generic
 * address space, far above the regions. */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/failure.h"
#include "base/ranges.h"
#include "emulator/guest/device_heap.h"

#include <stddef.h>
#include <stdint.h>

/* Generic addresses. A global address is its own generic address. */
#define GUEST_GLOBAL_BASE 0x0000000200000000ull
#define GUEST_GLOBAL_END 0x0000100000000000ull /* 2^44: a trace_run has 44 bits for its address. */
#define GUEST_SHARED_BASE 0x0001000000000000ull
#define GUEST_LOCAL_BASE 0x0002000000000000ull
#define GUEST_CONST_BASE 0x0003000000000000ull
#define GUEST_PARAM_BASE 0x0004000000000000ull
#define GUEST_FUNCTION_BASE 0x0005000000000000ull
#define GUEST_WINDOW_BYTES 0x0000000100000000ull

/* Guard bands are multiples of this size, so that arrays start at partition 0 of a GTX 280. */
enum { GUEST_GUARD_BYTES = 2048 };

enum { MEMORY_MAX_REGIONS = 1 << 16 };

struct memory_region {
    uint64_t base, bytes;
    unsigned char *host; /* `bytes` bytes, 16-byte aligned, that the caller owns. */
    const char *name;    /* Name in messages, such as "odata" or "guard before odata". */
    bool is_guard;       /* Every access is a fault. */
    bool is_freed;       /* The region replaces a freed array. */
    bool is_heap;
    bool is_read_only;
    bool is_written;
    bool is_variable;
    bool starts_undefined; /* Only the bytes in `defined` are initialized at the launch. */
    struct ranges defined; /* Initialized bytes, counted from the region's beginning. */
    /* For messages: bytes of an element, and elements per row of a matrix. 0 if unknown. */
    unsigned element_bytes;
    uint64_t row_elements;
};

struct guest_memory {
    struct memory_region *regions; /* In ascending order, without overlap. */
    unsigned count;
    uint64_t next;       /* All guest addresses from `next` on are free. */
    uint64_t heap_bytes; /* Bytes of the heap of malloc() in kernels. 0 means HEAP_DEFAULT_BYTES. */
    bool has_late_heap;  /* The caller calls program_map_heap when the heap's size is known. */
};

void memory_init(struct guest_memory *memory);
void memory_free(struct guest_memory *memory);

/* Map `bytes` bytes of host memory, which the caller owns. The guest address is the next free
 * multiple of `align`, a power of two of at least 256 (the alignment of cudaMalloc). Returns the
 * region, which is valid until regions change, or NULL if memory or addresses are exhausted. */
struct memory_region *memory_map(struct guest_memory *memory, unsigned char *host, uint64_t bytes,
                                 uint64_t align, const char *name);

/* Like memory_map, but at a given guest address, which may be equal to the host address. Also
 * returns NULL if the region overlaps another region or ends past GUEST_GLOBAL_END. */
struct memory_region *memory_map_at(struct guest_memory *memory, uint64_t base, unsigned char *host,
                                    uint64_t bytes, const char *name);

/* Record that bytes [begin, end) of the region are initialized. If there are too many ranges or
 * memory is exhausted, all bytes count as initialized. */
void memory_define(struct memory_region *region, uint64_t begin, uint64_t end);

/* Remove the region that begins at `base`. Returns false if no region begins there. */
bool memory_unmap(struct guest_memory *memory, uint64_t base);

const struct memory_region *memory_find(const struct guest_memory *memory, uint64_t address);

static inline bool memory_is_written(const struct memory_region *region)
{
    return __atomic_load_n(&region->is_written, __ATOMIC_RELAXED);
}

/* Record that a kernel writes to a region of `memory`. Thread-safe. */
static inline void memory_note_write(const struct guest_memory *memory,
                                     const struct memory_region *region)
{
    if (!memory_is_written(region))
        __atomic_store_n(&memory->regions[region - memory->regions].is_written, true,
                         __ATOMIC_RELAXED);
}

/* Returns the region of the heap of malloc() in kernels, or NULL. */
const struct memory_region *memory_find_heap(const struct guest_memory *memory);
static inline struct device_heap memory_heap(const struct memory_region *region)
{
    return (struct device_heap){region->host, region->bytes};
}

/* Write a description of an address for a message, such as "idata, 1 element past its end". */
void memory_describe(const struct guest_memory *memory, uint64_t address, char *text, size_t size);

#endif
