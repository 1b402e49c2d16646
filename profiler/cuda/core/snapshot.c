#define _GNU_SOURCE
#include "cuda/core/snapshot.h"

#include "cuda/core/heap.h"
#include "cuda/core/runtime.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 2 << 20, /* A huge page of x86-64; a smaller chunk would split it. */
    MAX_CHUNKS = 1 << 14,  /* Linux allows 65530 mappings. */
};

struct recorded {
    unsigned char *host;
    uint64_t bytes, chunk_count;
    unsigned char **chunks; /* Saved copy of each chunk, or NULL. */
    bool is_protected;
};

struct snapshot {
    struct recorded *regions;
    unsigned count;
    uint64_t chunk_bytes, saved, max_bytes;
    bool is_recording, is_lost;
    struct sigaction before;
};

static struct snapshot *current;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static uint64_t chunk_length(const struct snapshot *snapshot, const struct recorded *region,
                             uint64_t chunk)
{
    uint64_t left = region->bytes - chunk * snapshot->chunk_bytes;
    return left < snapshot->chunk_bytes ? left : snapshot->chunk_bytes;
}

/* Save a chunk in memory from mmap, because malloc is not safe in a signal handler. */
static void save(struct snapshot *snapshot, struct recorded *region, uint64_t chunk)
{
    uint64_t bytes = chunk_length(snapshot, region, chunk);
    unsigned char *host = region->host + chunk * snapshot->chunk_bytes, *copy = MAP_FAILED;
    if (snapshot->saved + bytes <= snapshot->max_bytes)
        copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        snapshot->is_lost = true;
    } else {
        memcpy(copy, host, bytes);
        snapshot->saved += bytes;
        region->chunks[chunk] = copy;
    }
    if (region->is_protected)
        mprotect(host, bytes, PROT_READ | PROT_WRITE);
}

/* Handle the first write to a chunk, from any thread. Other faults go to the previous handler. */
static void on_write(int signal_number, siginfo_t *info, void *context)
{
    int error = errno;
    bool is_ours = false;
    (void)context;
    while (atomic_flag_test_and_set(&busy))
        ;
    uintptr_t address = (uintptr_t)info->si_addr;
    for (unsigned i = 0; current && i < current->count && !is_ours; i++) {
        struct recorded *region = &current->regions[i];
        uint64_t offset = address - (uintptr_t)region->host;
        is_ours = region->is_protected && offset < region->bytes;
        if (is_ours && !region->chunks[offset / current->chunk_bytes])
            save(current, region, offset / current->chunk_bytes);
    }
    if (!is_ours && current)
        sigaction(signal_number, &current->before, NULL);
    atomic_flag_clear(&busy);
    errno = error;
}

static bool record_region(struct snapshot *snapshot, struct recorded *recorded,
                          const struct memory_region *region)
{
    if (region->is_guard)
        return true;
    *recorded = (struct recorded){.host = region->host, .bytes = region->bytes};
    uint64_t count = (region->bytes + snapshot->chunk_bytes - 1) / snapshot->chunk_bytes;
    recorded->chunks = calloc(count + 1, sizeof *recorded->chunks);
    if (!recorded->chunks)
        return false;
    recorded->chunk_count = count;
    /* System calls must not write to protected memory, so host memory is never protected. */
    const struct allocation *allocation = heap_find(region->base);
    recorded->is_protected = allocation && (allocation->kind & (HEAP_OF_DEVICE | HEAP_MANAGED)) &&
                             region->bytes >= CHUNK_BYTES &&
                             (uintptr_t)region->host % (uint64_t)sysconf(_SC_PAGESIZE) == 0 &&
                             !mprotect(region->host, region->bytes, PROT_READ);
    for (uint64_t k = 0; k < recorded->chunk_count && !recorded->is_protected; k++)
        save(snapshot, recorded, k);
    return !snapshot->is_lost;
}

struct snapshot *snapshot_take(void)
{
    const struct guest_memory *memory = &runtime.memory;
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (!snapshot)
        return NULL;
    snapshot->regions = calloc(memory->count + 1, sizeof *snapshot->regions);
    snapshot->max_bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    uint64_t total = 0;
    for (unsigned i = 0; i < memory->count; i++)
        total += memory->regions[i].is_guard ? 0 : memory->regions[i].bytes;
    snapshot->chunk_bytes = CHUNK_BYTES;
    while (total / snapshot->chunk_bytes > MAX_CHUNKS)
        snapshot->chunk_bytes *= 2;
    struct sigaction ours = {.sa_sigaction = on_write, .sa_flags = SA_SIGINFO};
    sigemptyset(&ours.sa_mask);
    current = snapshot;
    bool good = snapshot->regions && !sigaction(SIGSEGV, &ours, &snapshot->before);
    snapshot->is_recording = good;
    for (unsigned i = 0; good && i < memory->count; i++) {
        snapshot->count = i + 1;
        good = record_region(snapshot, &snapshot->regions[i], &memory->regions[i]);
    }
    if (!good) {
        snapshot_free(snapshot);
        return NULL;
    }
    return snapshot;
}

bool snapshot_is_whole(const struct snapshot *snapshot)
{
    return !snapshot->is_lost;
}

void snapshot_restore(struct snapshot *snapshot)
{
    for (unsigned i = 0; i < snapshot->count; i++) {
        const struct recorded *region = &snapshot->regions[i];
        for (uint64_t k = 0; k < region->chunk_count; k++)
            if (region->chunks[k])
                memcpy(region->host + k * snapshot->chunk_bytes, region->chunks[k],
                       chunk_length(snapshot, region, k));
    }
}

bool snapshot_end(struct snapshot *snapshot)
{
    for (unsigned i = 0; i < snapshot->count && snapshot->is_recording; i++)
        if (snapshot->regions[i].is_protected)
            mprotect(snapshot->regions[i].host, snapshot->regions[i].bytes, PROT_READ | PROT_WRITE);
    if (snapshot->is_recording)
        sigaction(SIGSEGV, &snapshot->before, NULL);
    snapshot->is_recording = false;
    return snapshot_is_whole(snapshot);
}

/* Returns the number of bytes of [at, end) in the chunk of `at`. *saved receives the saved copy
 * of these bytes; NULL if the chunk was not saved. */
static uint64_t part_of(const struct snapshot *snapshot, const struct recorded *region, uint64_t at,
                        uint64_t end, const unsigned char **saved)
{
    uint64_t chunk = at / snapshot->chunk_bytes, begin = chunk * snapshot->chunk_bytes;
    *saved = region->chunks[chunk] ? region->chunks[chunk] + (at - begin) : NULL;
    return (end < begin + snapshot->chunk_bytes ? end : begin + snapshot->chunk_bytes) - at;
}

void snapshot_copy(const struct snapshot *snapshot, unsigned region, uint64_t begin, uint64_t end,
                   unsigned char *to)
{
    const struct recorded *recorded = &snapshot->regions[region];
    const unsigned char *saved;
    for (uint64_t at = begin, bytes; at < end; at += bytes, to += bytes) {
        bytes = part_of(snapshot, recorded, at, end, &saved);
        memcpy(to, saved ? saved : recorded->host + at, bytes);
    }
}

bool snapshot_differs(const struct snapshot *snapshot, unsigned region, uint64_t begin,
                      uint64_t end)
{
    const struct recorded *recorded = &snapshot->regions[region];
    const unsigned char *saved;
    for (uint64_t at = begin, bytes; at < end; at += bytes) {
        bytes = part_of(snapshot, recorded, at, end, &saved);
        if (saved && memcmp(saved, recorded->host + at, bytes))
            return true;
    }
    return false;
}

uint64_t snapshot_saved(const struct snapshot *snapshot)
{
    return snapshot->saved;
}

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    snapshot_end(snapshot);
    current = NULL;
    for (unsigned i = 0; i < snapshot->count; i++) {
        struct recorded *region = &snapshot->regions[i];
        for (uint64_t k = 0; k < region->chunk_count; k++)
            if (region->chunks[k])
                munmap(region->chunks[k], chunk_length(snapshot, region, k));
        free(region->chunks);
    }
    free(snapshot->regions);
    free(snapshot);
}
