/* heap.h: memory that the program allocates, and copies.
 *
 * All of it has guest addresses that grow and are never used again, so that a run is the same each
 * time, and a pointer that was freed stays wrong. Arrays begin at multiples of 2 MB, as those of
 * `tlab run` (small ones of 4 KB).
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum heap_kind {
    HEAP_DEVICE = 1,  /* cudaMalloc: the host cannot follow a pointer to it */
    HEAP_MANAGED = 2, /* cudaMallocManaged: one address for both, as for the next */
    HEAP_HOST = 4,    /* cudaMallocHost, cudaHostAlloc */
    HEAP_REGISTERED =
        8, /* cudaHostRegister: the program's, with an address of its own for the device */
    HEAP_VARIABLE = 16,                        /* of a module: one address for both */
    HEAP_ARRAY = 32,                           /* cudaMallocArray: the host has no pointer at all */
    HEAP_OF_DEVICE = HEAP_DEVICE | HEAP_ARRAY, /* what the host cannot follow */
};

/* What the program has advised for managed memory, which changes nothing here; devices are 0, -1
 * the host, -2 none. */
struct heap_advice {
    bool is_read_mostly, is_advised;
    int preferred, prefetched;
    bool is_accessed_by[2]; /* the device, the host */
};

struct allocation {
    struct allocation *next; /* the next registered one, if it is one */
    uint64_t base, bytes;
    unsigned char *host;
    enum heap_kind kind;
    unsigned flags; /* of cudaHostAlloc */
    bool is_kept;   /* memory of a graph: to free it does nothing */
    bool is_pooled; /* by cudaMallocAsync */
    struct heap_advice advice;
    char name[96];
};

/* Allocate zeroed memory. A CUDA error: ERROR_MemoryAllocation, with a sentence on standard error
 * where this machine, and not the emulated GPU, has too little. */
int heap_allocate(enum heap_kind kind, uint64_t bytes, struct allocation **made);
/* Make the program's memory accessible to the device. */
int heap_register(void *host, uint64_t bytes, unsigned flags);
/* Free what begins at the pointer and is of one of the kinds. */
int heap_free(const void *pointer, unsigned kinds);
void heap_free_all(void);
/* Bytes of allocations that stay when they are freed. */
uint64_t heap_kept(void);
/* Mark as memory of pools, and the bytes of pools that are in use. */
void heap_pool(struct allocation *allocation);
uint64_t heap_pooled(void);
/* The advice for the memory that holds the address, or NULL. */
struct heap_advice *heap_advice(const void *pointer);

/* Bytes of device memory that are in use. */
uint64_t heap_used(void);

/* The allocation that holds the (device) address, or NULL; the registered one that holds the
 * host's. */
struct allocation *heap_find(uint64_t address);
const struct allocation *heap_find_registered(const void *host);

/* Give the module's variables, which program_create laid out from guest address `begin` on, one
 * address for both sides. */
bool heap_adopt_variables(uint64_t begin);
/* The same for its constants, which have no address of the device's: the host's serves for
 * copies. */
void heap_adopt_constants(unsigned char *host, uint64_t bytes);
/* Where the variables of a module may begin. */
uint64_t heap_begin_variables(void);

/* Where `bytes` bytes at a pointer of the program are: host bytes; NULL with *error when they reach
 * over the end of an allocation. *kind is 0 for ordinary memory of the host. */
unsigned char *heap_bytes(const void *pointer, uint64_t bytes, unsigned *kind, int *error);

/* Copy rows. `kind` is enum cudaMemcpyKind: 0 to 4. *direction says what it was: bit 1 from the
 * device, bit 0 to it. */
struct heap_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch;
    size_t to_slice, from_slice; /* bytes from one slice to the next */
    size_t width, height, depth;
    int kind;
};
int heap_copy(const struct heap_copy *copy, unsigned *direction);
/* Set rows of elements of 1, 2 or 4 bytes. */
struct heap_set {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height; /* bytes, rows */
};
int heap_set(const struct heap_set *set);

#endif
