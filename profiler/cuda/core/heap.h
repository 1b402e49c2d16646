/* heap.h: allocations of the program, and copies between them. Guest addresses are not reused, so
 * that runs are repeatable and freed pointers stay invalid. Large allocations start at multiples of
 * 2 MiB, small allocations at multiples of 4 KiB. */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_kind {
    HEAP_DEVICE = 1,     /* cudaMalloc: not accessible to the host. */
    HEAP_MANAGED = 2,    /* cudaMallocManaged: the same address on host and device. */
    HEAP_HOST = 4,       /* cudaMallocHost, cudaHostAlloc: the same address on host and device. */
    HEAP_REGISTERED = 8, /* cudaHostRegister: memory of the program with a device address. */
    HEAP_VARIABLE = 16,  /* Variables of a module: the same address on host and device. */
    HEAP_ARRAY = 32,     /* cudaMallocArray: the host has no pointer. */
    HEAP_OF_DEVICE = HEAP_DEVICE | HEAP_ARRAY,
};

/* Advice for managed memory, which has no effect. A device is 0, -1 (host) or -2 (none). */
struct heap_advice {
    bool is_read_mostly;
    int preferred, prefetched;
    bool is_accessed_by[2]; /* index 0: the device; index 1: the host */
};

struct allocation {
    struct allocation *next;
    uint64_t base, bytes;
    unsigned char *host;
    enum heap_kind kind;
    unsigned flags;
    bool is_retained; /* Memory of a graph, which only heap_free_all frees. */
    bool is_pooled;
    struct heap_advice advice;
    char name[96];
};

static inline uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

/* Allocate zeroed memory. *made receives the allocation, which the heap owns. Returns 0 or
 * ERROR_MemoryAllocation. Prints a message if this machine, not the emulated GPU, lacks memory. */
int heap_allocate(enum heap_kind kind, uint64_t bytes, struct allocation **made);
/* Assign a device address to memory of the program. Returns 0 or a CUDA error. */
int heap_register(void *host, uint64_t bytes, unsigned flags);
/* Free the allocation at the pointer if its kind is in `kinds`. Returns 0 or a CUDA error. */
int heap_free(const void *pointer, unsigned kinds);
void heap_free_all(void);
/* Used bytes of the device in total, of graphs (is_retained), and of pools (is_pooled). */
struct heap_use {
    uint64_t device, retained, pooled;
};
struct heap_use heap_use(void);

/* Returns the allocation that contains the device address, or NULL. */
struct allocation *heap_find(uint64_t address);
/* Returns the registered allocation that contains the host address, or NULL. */
const struct allocation *heap_find_registered(const void *host);
/* Like heap_find, but also returns the allocation of a registered host address. */
const struct allocation *heap_find_any(const void *pointer);

/* Map a module's variables, starting at address `begin`. Returns false if memory is exhausted. */
bool heap_adopt_variables(uint64_t begin);
/* Register the constants of a module. Constants have a host address, but no device address. */
void heap_adopt_constants(unsigned char *host, uint64_t bytes);
/* Returns the guest address for the variables of the next module. */
uint64_t heap_begin_variables(void);

/* A copy of rows; `kind` is enum cudaMemcpyKind. heap_copy executes it. Bit 1 of *direction is set
 * if the copy reads device memory, bit 0 if it writes device memory. Returns 0 or a CUDA error. */
struct heap_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch;
    size_t to_slice, from_slice; /* bytes from one slice to the next */
    size_t width, height, depth;
    int kind;
};
int heap_copy(const struct heap_copy *copy, unsigned *direction);
/* A memset of rows with elements of 1, 2 or 4 bytes. heap_set returns 0 or a CUDA error. */
struct heap_set {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height; /* bytes of a row; number of rows */
};
int heap_set(const struct heap_set *set);

#endif
