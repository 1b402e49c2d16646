/* memory.h: the guest's global memory, and the address space of a kernel.
 *
 * Guest addresses are fixed numbers that do not depend on the host, so that everything counted from
 * them is the same on every machine. Global memory is a list of *regions* (a matrix, its guard
 * bands, a module variable), each with bytes on the host; whatever lies between regions is out of
 * bounds. The other state spaces have windows of their own in the generic address space, far above
 * the regions.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/failure.h"
#include "base/ranges.h"
#include "emulator/guest/device_heap.h"

#include <stddef.h>
#include <stdint.h>

/* Generic addresses. A global address is its own generic address. */
#define GUEST_GLOBAL_BASE 0x0000000200000000ull
#define GUEST_GLOBAL_END 0x0000100000000000ull /* 2^44: what a run's address can hold */
#define GUEST_SHARED_BASE 0x0001000000000000ull
#define GUEST_LOCAL_BASE 0x0002000000000000ull
#define GUEST_CONST_BASE 0x0003000000000000ull
#define GUEST_PARAM_BASE 0x0004000000000000ull
#define GUEST_FUNCTION_BASE 0x0005000000000000ull
#define GUEST_WINDOW_BYTES 0x0000000100000000ull

/* Guard bands come in multiples of this, so that the partitions of a GTX 280 (8 x 256 bytes) line
 * up. */
enum { GUEST_GUARD_BYTES = 2048 };

enum { MEMORY_MAX_REGIONS = 1 << 16 };

struct memory_region {
    uint64_t base, bytes;
    unsigned char *host; /* `bytes` bytes, 16-byte aligned at least */
    const char *name;    /* for messages: "odata", "guard before odata", a variable's name */
    bool is_guard;       /* accesses are faults */
    bool is_freed;       /* a guard where an array was that the program gave back */
    bool is_heap; /* of malloc() in kernels: only parts of it may be accessed, device_heap.h */
    bool is_read_only;
    bool is_variable;      /* of the program's text: small, and seldom what a stray address meant */
    bool starts_undefined; /* holds nothing at the launch: reading before writing is a bug; */
    struct ranges defined; /* but for these bytes, counted from its beginning */
    /* For messages: elements of this size in rows of that many; 0 when it is no matrix. */
    unsigned element_bytes;
    uint64_t row_elements;
};

struct guest_memory {
    struct memory_region *regions; /* ascending, no overlap */
    unsigned count;
    uint64_t next;       /* the lowest free guest address */
    uint64_t heap_bytes; /* for malloc() in kernels; 0: HEAP_DEFAULT_BYTES */
    bool has_late_heap;  /* program_map_heap is called later, when its size is known */
};

void memory_init(struct guest_memory *memory);
void memory_free(struct guest_memory *memory);

/* Place `bytes` of the caller's host memory at the next free guest address that is a multiple of
 * `align` (a power of two, at least 256 for what cudaMalloc would give). Returns the region, or
 * NULL when there is no memory or the address space is full. The pointer is valid until the next
 * memory_map. The host bytes stay the caller's. */
struct memory_region *memory_map(struct guest_memory *memory, unsigned char *host, uint64_t bytes,
                                 uint64_t align, const char *name);

/* Place them at a guest address of the caller's choice, which may be where the host has them. NULL
 * also where a region is in the way, or beyond GUEST_GLOBAL_END. */
struct memory_region *memory_map_at(struct guest_memory *memory, uint64_t base, unsigned char *host,
                                    uint64_t bytes, const char *name);

/* Bytes of the region, counted from its beginning, now hold something. Where it becomes too much to
 * remember which, all do. */
void memory_define(struct memory_region *region, uint64_t begin, uint64_t end);

/* Take out the region that begins at `base`; false: none does. */
bool memory_unmap(struct guest_memory *memory, uint64_t base);

/* The region that holds the address, or NULL. */
const struct memory_region *memory_find(const struct guest_memory *memory, uint64_t address);

/* The region of malloc() in kernels, or NULL; and what device_heap.h sees of it. */
const struct memory_region *memory_find_heap(const struct guest_memory *memory);
static inline struct device_heap memory_heap(const struct memory_region *region)
{
    return (struct device_heap){region->host, region->bytes};
}

/* Describe an address for a person: "odata[3][17]", "4 bytes behind the end of idata (1000 x 777)",
 * "address 0x0 (a null pointer)". */
void memory_describe(const struct guest_memory *memory, uint64_t address, char *text, size_t size);

#endif
