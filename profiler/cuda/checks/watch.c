#define _GNU_SOURCE
#include "cuda/checks/watch.h"

#include "cuda/core/runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WATCHED_MAX = 64 };

static struct watched {
    uint64_t begin, end;   /* Addresses, which are equal on host and device. */
    unsigned char *before; /* Old contents; NULL for a copy. */
    bool only_stores;      /* True if loads by the host are allowed. */
    bool is_open_ended;    /* True until watch_launch_ends sets the end. */
    double until_us;       /* End of the device work in modelled time. */
    char kernel[96];       /* "" for a copy. */
    struct runtime_row *row;
} watched[WATCHED_MAX];
static unsigned count;
static bool closed; /* True while the pages are protected and the handler is installed. */
static uint64_t found_address; /* Address of the host access that raced; 0 if none. */
static struct watched found;
static bool has_finished;

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static void watch_open(void);
static void watch_close(void);

static struct watched *watch_add(uint64_t begin, uint64_t end)
{
    if (count == WATCHED_MAX || has_finished)
        return NULL;
    runtime.call_begins = watch_open;
    runtime.call_ends = watch_close;
    watched[count] = (struct watched){.begin = begin, .end = end};
    return &watched[count++];
}

static void watch_region(const struct kernel *kernel, unsigned number,
                         const struct snapshot *before)
{
    const struct memory_region *region = &runtime.memory.regions[number];
    const uint64_t page = page_bytes();
    for (uint64_t at = 0, end; at < region->bytes; at = end) {
        for (end = at; end < region->bytes; end += page) {
            uint64_t bytes = region->bytes - end < page ? region->bytes - end : page;
            if (!snapshot_differs(before, number, end, end + bytes))
                break;
        }
        end = end < region->bytes ? end : region->bytes;
        struct watched *early = end > at ? watch_add(region->base + at, region->base + end) : NULL;
        if (early) {
            early->before = runtime_allocate(1, end - at);
            snapshot_copy(before, number, at, end, early->before);
            snprintf(early->kernel, sizeof early->kernel, "%s", kernel->name);
            early->is_open_ended = true;
        }
        end = end > at ? end : at + page;
    }
}

/* Returns true if the kernel or a function that it calls has system-scope or volatile accesses. */
static bool communicates_with_host(const struct kernel *kernel)
{
    const struct program *program = &kernel->module->program;
    const struct ptx_module *module = program->module;
    bool *reached = runtime_allocate(module->function_count + 1, sizeof *reached),
         found_one = false;
    program_reach(program, kernel->function, reached);
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; reached[f] && i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *at = &module->functions[f].instructions[i];
            found_one |= ptx_has(at, PTX_MOD_SYS) ||
                         (ptx_has(at, PTX_MOD_VOLATILE) && at->space != PTX_SHARED);
        }
    free(reached);
    return found_one;
}

void watch_launch(const struct kernel *kernel, const struct snapshot *before)
{
    const struct guest_memory *memory = &runtime.memory;
    bool is_ignored = has_finished || communicates_with_host(kernel);
    for (unsigned i = 0; i < memory->count && !is_ignored; i++) {
        const struct memory_region *region = &memory->regions[i];
        if (!region->is_guard && (uintptr_t)region->host == region->base && !region->is_heap)
            watch_region(kernel, i, before);
    }
}

void watch_launch_ends(double at_us, struct runtime_row *row)
{
    for (unsigned i = 0; i < count; i++)
        if (watched[i].is_open_ended) {
            watched[i].is_open_ended = false;
            watched[i].until_us = at_us;
            watched[i].row = row;
        }
}

void watch_copy(const struct heap_copy *copy, unsigned direction, const struct stream *stream)
{
    bool to_host = direction == 2, from_host = direction == 1;
    uint64_t host = (uintptr_t)(to_host ? copy->to : copy->from);
    const struct allocation *allocation = heap_find(host);
    if ((!to_host && !from_host) || !allocation || allocation->kind != HEAP_HOST ||
        copy->height != 1 || copy->depth != 1)
        return;
    struct watched *bytes = watch_add(host, host + copy->width);
    if (bytes) {
        bytes->only_stores = from_host;
        bytes->until_us = stream->now_us;
    }
}

static void protect(const struct watched *early, int protection)
{
    uint64_t begin = early->begin / page_bytes() * page_bytes();
    mprotect((void *)(uintptr_t)begin, early->end - begin, protection);
}

static void open_all(void)
{
    for (unsigned i = 0; i < count; i++)
        protect(&watched[i], PROT_READ | PROT_WRITE);
}

static bool is_early(const struct watched *early, uint64_t address)
{
    enum { WORD = 8 };
    if (address < early->begin || address >= early->end)
        return false; /* The page also contains other data. */
    uint64_t offset = address - early->begin, left = early->end - address;
    return !early->before || memcmp(early->before + offset, (const void *)(uintptr_t)address,
                                    left < WORD ? left : WORD) != 0;
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    const uint64_t bytes = page_bytes(); /* sysconf() is safe in a signal handler. */
    uint64_t address = (uintptr_t)info->si_addr, page = address / bytes * bytes;
    int error = errno;
    bool is_ours = false;
    (void)context;
    for (unsigned i = 0; i < count && !found_address; i++) {
        const struct watched *early = &watched[i];
        if (page < early->begin / bytes * bytes ||
            address >= (early->end + bytes - 1) / bytes * bytes)
            continue;
        is_ours = true;
        mprotect((void *)(uintptr_t)page, bytes, PROT_READ | PROT_WRITE);
        if (is_early(early, address)) {
            found = *early;
            found_address = address;
        }
    }
    if (found_address)
        open_all();
    if (!is_ours)
        signal(signal_number, SIG_DFL); /* The faulting access is repeated and ends the program. */
    errno = error;
}

static void report_found(void)
{
    char where[256];
    const struct watched *early = &found;
    memory_describe(&runtime.memory, found_address, where, sizeof where);
    runtime_report_race(
        early->row,
        "the host %s %s, but does not first wait for %s%s, which %s this memory. On a GPU, %s. "
        "Add %s before this access",
        early->only_stores ? "writes" : "reads or writes", where,
        *early->kernel ? "kernel " : "an earlier cudaMemcpyAsync()", early->kernel,
        *early->kernel       ? "writes"
        : early->only_stores ? "copies from"
                             : "copies to",
        early->only_stores ? "the new value may be copied" : "the host may read the old value",
        *early->kernel ? "cudaDeviceSynchronize()" : "cudaStreamSynchronize()");
    has_finished = true;
}

static void watch_open(void)
{
    struct sigaction now;
    if (closed) {
        open_all();
        if (!sigaction(SIGSEGV, NULL, &now) && now.sa_sigaction == on_fault)
            signal(SIGSEGV, SIG_DFL);
        closed = false;
    }
    if (found_address && !has_finished)
        report_found();
}

static void watch_close(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    for (unsigned i = count; i-- > 0;)
        if (has_finished || watched[i].until_us <= timeline_awaited()) {
            free(watched[i].before);
            watched[i] = watched[--count];
        }
    if (!count || sigaction(SIGSEGV, NULL, &now) || now.sa_handler != SIG_DFL)
        return;
    sigemptyset(&ours.sa_mask);
    closed = !sigaction(SIGSEGV, &ours, NULL);
    for (unsigned i = 0; i < count && closed; i++)
        protect(&watched[i], watched[i].only_stores ? PROT_READ : PROT_NONE);
}

__attribute__((destructor)) static void watch_end(void)
{
    if (runtime.report)
        watch_open();
}
