#define _GNU_SOURCE
#include "cuda/core/heap.h"

#include "base/sanitized.h"
#include "cuda/abi.h"
#include "cuda/core/runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALL_ALIGN = 4096, LARGE_ALIGN = 2 << 20, LARGE = 1 << 20 };
#define RESERVED_BYTES (1ull << 40)

static struct allocation **allocations;
static size_t allocation_count;
static struct allocation *registered;
static unsigned made_count;
static uint64_t reserved_end;
static uint64_t device_bytes, host_bytes; /* Used bytes of the emulated GPU and of this machine. */

/* Returns an unused guest address. The first call reserves all addresses on the host. */
static uint64_t next_address(uint64_t bytes)
{
    if (!reserved_end)
        reserved_end = mmap((void *)(uintptr_t)GUEST_GLOBAL_BASE, RESERVED_BYTES, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                            0) == (void *)(uintptr_t)GUEST_GLOBAL_BASE
                           ? GUEST_GLOBAL_BASE + RESERVED_BYTES
                           : GUEST_GLOBAL_BASE;
    return round_up(runtime.memory.next + 1, bytes >= LARGE ? LARGE_ALIGN : SMALL_ALIGN);
}

/* Like next_address, but aligned to a page, so that the host can map memory there. */
static uint64_t next_page(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), address = next_address(bytes);
    return page > SMALL_ALIGN ? round_up(address, page) : address;
}

/* Map zeroed host memory at the address, or at any address if `address` is 0. */
static unsigned char *map_host(uint64_t address, uint64_t bytes)
{
    if (ADDRESS_SANITIZED) /* The sanitizer itself uses the guest addresses. */
        address = 0;
    bool is_ours = address + bytes <= reserved_end;
    int fixed = !address ? 0 : is_ours ? MAP_FIXED : MAP_FIXED_NOREPLACE;
    void *host = mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
#ifdef MADV_HUGEPAGE
    if (host != MAP_FAILED && bytes >= LARGE)
        madvise(host, bytes, MADV_HUGEPAGE);
#endif
    return host == MAP_FAILED ? NULL : host;
}

static const char *kind_name(enum heap_kind kind)
{
    return kind == HEAP_DEVICE       ? "cudaMalloc"
           : kind == HEAP_ARRAY      ? "cudaMallocArray"
           : kind == HEAP_MANAGED    ? "cudaMallocManaged"
           : kind == HEAP_REGISTERED ? "cudaHostRegister"
                                     : "cudaMallocHost";
}

static size_t index_after(uint64_t address)
{
    size_t low = 0, high = allocation_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle]->base > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void table_add(struct allocation *allocation)
{
    runtime_make_room(&allocations, allocation_count, sizeof(struct allocation *));
    size_t at = index_after(allocation->base);
    memmove(&allocations[at + 1], &allocations[at],
            (allocation_count - at) * sizeof(struct allocation *));
    allocations[at] = allocation;
    allocation_count++;
}

static void table_remove(size_t at)
{
    allocation_count--;
    memmove(&allocations[at], &allocations[at + 1],
            (allocation_count - at) * sizeof(struct allocation *));
}

static struct allocation *allocation_new(enum heap_kind kind, uint64_t base, unsigned char *host,
                                         uint64_t bytes)
{
    struct allocation *allocation = runtime_allocate(1, sizeof *allocation);
    *allocation = (struct allocation){.base = base,
                                      .bytes = bytes,
                                      .host = host,
                                      .kind = kind,
                                      .advice = {.preferred = -2, .prefetched = -2}};
    return allocation;
}

static struct allocation *allocation_add(enum heap_kind kind, uint64_t base, unsigned char *host,
                                         uint64_t bytes)
{
    struct allocation *allocation = allocation_new(kind, base, host, bytes);
    snprintf(allocation->name, sizeof allocation->name, "array %u (%s, %" PRIu64 " byte%s)",
             ++made_count, kind_name(kind), bytes, bytes == 1 ? "" : "s");
    struct memory_region *region =
        memory_map_at(&runtime.memory, base, host, bytes, allocation->name);
    if (!region) {
        free(allocation);
        return NULL;
    }
    region->starts_undefined = kind & HEAP_OF_DEVICE;
    table_add(allocation);
    return allocation;
}

int heap_allocate(enum heap_kind kind, uint64_t bytes, struct allocation **made)
{
    uint64_t limit = runtime.device->memory_bytes;
    if (kind != HEAP_HOST && (bytes > limit || device_bytes > limit - bytes))
        return ERROR_MemoryAllocation;
    uint64_t mapped = round_up(bytes, SMALL_ALIGN),
             machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t base = kind & HEAP_OF_DEVICE ? next_address(bytes) : next_page(bytes);
    unsigned char *host = NULL;
    if (mapped < machine && host_bytes < machine - mapped)
        host = map_host(kind & HEAP_OF_DEVICE ? 0 : base, mapped);
    if (!host) {
        runtime_note("%s of %" PRIu64 " bytes failed: the emulated %s has enough memory, but "
                     "this machine has too little memory",
                     kind_name(kind), bytes, runtime.device->title);
        return ERROR_MemoryAllocation;
    }
    struct allocation *allocation = allocation_add(kind, base, host, bytes);
    if (!allocation) {
        munmap(host, mapped);
        return ERROR_MemoryAllocation;
    }
    host_bytes += mapped;
    device_bytes += kind == HEAP_HOST ? 0 : bytes;
    *made = allocation;
    return 0;
}

int heap_register(void *host, uint64_t bytes, unsigned flags)
{
    if (!host || !bytes)
        return ERROR_InvalidValue;
    if (heap_find_registered(host) || heap_find((uint64_t)(uintptr_t)host))
        return ERROR_HostMemoryAlreadyRegistered;
    struct allocation *allocation = allocation_add(
        HEAP_REGISTERED, next_address(bytes) + (uintptr_t)host % SMALL_ALIGN, host, bytes);
    if (!allocation)
        return ERROR_MemoryAllocation;
    allocation->flags = flags;
    allocation->next = registered;
    registered = allocation;
    return 0;
}

/* Replace freed memory by a guard region, so that an access is reported as a use after free. */
static void add_freed_region(const struct allocation *allocation)
{
    enum { FREED_MAX = 4096 };
    static struct {
        uint64_t base;
        char name[sizeof allocation->name];
    } freed[FREED_MAX];
    static unsigned count;
    unsigned place = count++ % FREED_MAX;
    memory_unmap(&runtime.memory, allocation->base);
    if (freed[place].base)
        memory_unmap(&runtime.memory, freed[place].base);
    freed[place].base = allocation->base;
    memcpy(freed[place].name, allocation->name, sizeof allocation->name);
    struct memory_region *region = memory_map_at(&runtime.memory, allocation->base, NULL,
                                                 allocation->bytes, freed[place].name);
    if (region)
        region->is_guard = region->is_freed = true;
}

static void allocation_release(struct allocation *allocation)
{
    uint64_t mapped = round_up(allocation->bytes, SMALL_ALIGN);
    add_freed_region(allocation);
    if (allocation->kind != HEAP_REGISTERED) {
        if (allocation->kind & HEAP_OF_DEVICE)
            munmap(allocation->host, mapped);
        else /* The guest address stays reserved. */
            mmap(allocation->host, mapped, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        host_bytes -= mapped;
        device_bytes -= allocation->kind == HEAP_HOST ? 0 : allocation->bytes;
    }
    free(allocation);
}

static size_t find_index(uint64_t address)
{
    size_t after = index_after(address);
    if (!after)
        return SIZE_MAX;
    const struct allocation *at = allocations[after - 1];
    bool contains = address - at->base < at->bytes || address == at->base;
    return contains ? after - 1 : SIZE_MAX;
}

static int free_registered(const void *host)
{
    for (struct allocation **at = &registered; *at; at = &(*at)->next) {
        struct allocation *allocation = *at;
        if (allocation->host != host)
            continue;
        *at = allocation->next;
        table_remove(find_index(allocation->base));
        allocation_release(allocation);
        return 0;
    }
    return ERROR_InvalidValue;
}

int heap_free(const void *pointer, unsigned kinds)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    size_t index = find_index(address);
    struct allocation *found = index == SIZE_MAX ? NULL : allocations[index];
    if (!found || found->base != address || found->kind == HEAP_REGISTERED ||
        !(found->kind & kinds))
        return kinds & HEAP_REGISTERED ? free_registered(pointer) : ERROR_InvalidValue;
    if (found->is_retained)
        return 0;
    table_remove(index);
    allocation_release(found);
    return 0;
}

struct heap_use heap_use(void)
{
    struct heap_use use = {.device = device_bytes};
    for (size_t i = 0; i < allocation_count; i++) {
        use.retained += allocations[i]->is_retained ? allocations[i]->bytes : 0;
        use.pooled += allocations[i]->is_pooled ? allocations[i]->bytes : 0;
    }
    return use;
}

void heap_free_all(void)
{
    size_t remaining = 0;
    for (size_t i = 0; i < allocation_count; i++)
        if (allocations[i]->kind == HEAP_VARIABLE)
            allocations[remaining++] = allocations[i];
        else
            allocation_release(allocations[i]);
    allocation_count = remaining;
    registered = NULL;
}

struct allocation *heap_find(uint64_t address)
{
    size_t index = find_index(address);
    return index == SIZE_MAX ? NULL : allocations[index];
}

const struct allocation *heap_find_registered(const void *host)
{
    for (const struct allocation *at = registered; at; at = at->next)
        if ((uintptr_t)host - (uintptr_t)at->host < at->bytes)
            return at;
    return NULL;
}

const struct allocation *heap_find_any(const void *pointer)
{
    const struct allocation *found = heap_find((uintptr_t)pointer);
    return found ? found : heap_find_registered(pointer);
}

uint64_t heap_begin_variables(void)
{
    return runtime.memory.next = next_page(LARGE);
}

void heap_adopt_constants(unsigned char *host, uint64_t bytes)
{
    if (bytes)
        table_add(allocation_new(HEAP_VARIABLE, (uint64_t)(uintptr_t)host, host, bytes));
}

bool heap_adopt_variables(uint64_t begin)
{
    struct guest_memory *memory = &runtime.memory;
    uint64_t bytes = round_up(memory->next - begin, SMALL_ALIGN);
    if (!bytes)
        return true;
    unsigned char *host = map_host(begin, bytes);
    if (!host)
        return false;
    for (unsigned i = 0; i < memory->count; i++) {
        struct memory_region *region = &memory->regions[i];
        if (region->base < begin || region->base - begin >= bytes)
            continue;
        memcpy(host + (region->base - begin), region->host, region->bytes);
        region->host = host + (region->base - begin);
    }
    table_add(allocation_new(HEAP_VARIABLE, begin, host, bytes));
    return true;
}

/* Returns the host address of `bytes` bytes at a pointer of the program, which is not NULL. Returns
 * NULL if a guest address is not allocated or the bytes extend past the end of an allocation. *kind
 * receives the heap_kind, or 0 for other host memory. */
static unsigned char *find_bytes(const void *pointer, uint64_t bytes, unsigned *kind)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const struct allocation *allocation = heap_find(address);
    *kind = 0;
    if (!allocation && address >= GUEST_GLOBAL_BASE && address < runtime.memory.next)
        return NULL;
    if (!allocation) {
        *kind = heap_find_registered(pointer) ? HEAP_REGISTERED : 0;
        return (unsigned char *)(uintptr_t)pointer;
    }
    uint64_t offset = address - allocation->base;
    *kind = allocation->kind;
    if (bytes > allocation->bytes - offset) {
        runtime_note("a copy or memset of %" PRIu64 " byte%s, starting at byte %" PRIu64
                     ", extends past the end of %s",
                     bytes, bytes == 1 ? "" : "s", offset,
                     *allocation->name ? allocation->name : "a variable");
        return NULL;
    }
    return allocation->host + offset;
}

/* Returns the bytes from the first byte to the end of the last row; UINT64_MAX on overflow. */
static uint64_t extent(size_t width, size_t pitch, size_t height, size_t slice, size_t depth)
{
    uint64_t rows, slices, bytes;
    return __builtin_mul_overflow(pitch, height - 1, &rows) ||
                   __builtin_mul_overflow(slice, depth - 1, &slices) ||
                   __builtin_add_overflow(rows, slices, &bytes) ||
                   __builtin_add_overflow(bytes, width, &bytes)
               ? UINT64_MAX
               : bytes;
}

static bool is_wrong_side(unsigned kind, bool should_be_device)
{
    return should_be_device ? kind == 0 : kind & HEAP_OF_DEVICE;
}

/* Returns the region of the address; NULL if there is none or it is fully initialized. */
static struct memory_region *undefined_region(uint64_t address)
{
    const struct memory_region *found = memory_find(&runtime.memory, address);
    return found && found->starts_undefined
               ? &runtime.memory.regions[found - runtime.memory.regions]
               : NULL;
}

/* Mark the bytes at `to` as initialized. If they were copied from `from` (not 0), mark only the
 * copies of initialized bytes. */
static void define(uint64_t to, uint64_t from, uint64_t bytes)
{
    struct memory_region *region = undefined_region(to);
    const struct memory_region *source = region && from ? undefined_region(from) : NULL;
    uint64_t begin = region ? to - region->base : 0;
    if (!region)
        return;
    if (!source) {
        memory_define(region, begin, begin + bytes);
        return;
    }
    const uint64_t first = from - source->base, last = first + bytes;
    const struct range *part;
    for (uint64_t at = first; (part = ranges_after(&source->defined, at)) && part->begin < last;) {
        uint64_t low = part->begin > first ? part->begin : first;
        uint64_t high = part->end < last ? part->end : last;
        at = part->end; /* `part` may move if both rows are in the same array. */
        memory_define(region, begin + (low - first), begin + (high - first));
    }
}

int heap_copy(const struct heap_copy *copy, unsigned *direction)
{
    unsigned from_kind, to_kind;
    *direction = 0;
    if (!copy->width || !copy->height || !copy->depth)
        return 0;
    if (copy->kind < COPY_HOST || copy->kind > COPY_ANY)
        return ERROR_InvalidMemcpyDirection;
    if (!copy->from || !copy->to ||
        (copy->height > 1 && (copy->from_pitch < copy->width || copy->to_pitch < copy->width)))
        return !copy->from || !copy->to ? ERROR_InvalidValue : ERROR_InvalidPitchValue;
    const uint64_t from_bytes =
        extent(copy->width, copy->from_pitch, copy->height, copy->from_slice, copy->depth);
    const uint64_t to_bytes =
        extent(copy->width, copy->to_pitch, copy->height, copy->to_slice, copy->depth);
    const unsigned char *from = find_bytes(copy->from, from_bytes, &from_kind);
    unsigned char *to = from ? find_bytes(copy->to, to_bytes, &to_kind) : NULL;
    if (!to)
        return ERROR_InvalidValue;
    bool from_device = copy->kind == COPY_FROM_DEVICE || copy->kind == COPY_IN_DEVICE;
    bool to_device = copy->kind == COPY_TO_DEVICE || copy->kind == COPY_IN_DEVICE;
    if (copy->kind < COPY_ANY &&
        (is_wrong_side(from_kind, from_device) || is_wrong_side(to_kind, to_device))) {
        bool is_target = is_wrong_side(to_kind, to_device);
        runtime_note("the direction of a copy does not match its pointers: the %s is %s memory",
                     is_target ? "destination" : "source",
                     (is_target ? to_device : from_device) ? "host" : "device");
        return ERROR_InvalidValue;
    }
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            uint64_t there = z * copy->to_slice + y * copy->to_pitch;
            uint64_t here = z * copy->from_slice + y * copy->from_pitch;
            memmove(to + there, from + here, copy->width);
            if (to_kind & HEAP_OF_DEVICE)
                define((uintptr_t)copy->to + there,
                       from_kind & HEAP_OF_DEVICE ? (uintptr_t)copy->from + here : 0, copy->width);
        }
    bool from_gpu = from_kind & (HEAP_OF_DEVICE | HEAP_VARIABLE | HEAP_MANAGED);
    bool to_gpu = to_kind & (HEAP_OF_DEVICE | HEAP_VARIABLE | HEAP_MANAGED);
    *direction = (unsigned)from_gpu << 1 | (unsigned)to_gpu;
    return 0;
}

int heap_set(const struct heap_set *set)
{
    unsigned kind;
    if (!set->width || !set->height)
        return 0;
    if (!set->to)
        return ERROR_InvalidValue;
    unsigned char *at =
        find_bytes(set->to, extent(set->width, set->pitch, set->height, 0, 1), &kind);
    if (!at || !kind)
        return ERROR_InvalidValue;
    for (size_t y = 0; y < set->height; y++, at += set->pitch) {
        define((uintptr_t)set->to + y * set->pitch, 0, set->width);
        if (set->element == 1)
            memset(at, (int)set->value, set->width);
        else
            for (size_t i = 0; i + set->element <= set->width; i += set->element)
                memcpy(at + i, &set->value, set->element);
    }
    return 0;
}
