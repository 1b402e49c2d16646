/* watch.c: see watch.h. */
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
    uint64_t begin, end;   /* addresses, the same for the host and the device */
    unsigned char *before; /* the bytes as they were, which may be the same; NULL: of a copy */
    bool only_stores;      /* the host may read */
    bool is_open_ended;    /* the launch in hand */
    double until_us;       /* in the host's modelled time */
    char kernel[96];       /* its name; "": a copy */
    struct runtime_row *row;
} watched[WATCHED_MAX];
static unsigned count;
static bool closed;            /* pages are, and the handler is there */
static uint64_t found_address; /* where the host came too early; 0: nowhere */
static struct watched found;
static bool has_finished; /* one finding was said */

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- What to watch ---- */

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

static void watch_remove(unsigned i)
{
    free(watched[i].before);
    watched[i] = watched[--count];
}

/* Pages of a region that differ, as runs. */
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

/* Whether the kernel, or what it calls, has accesses or fences that are meant for the host. */
static bool talks_to_host(const struct kernel *kernel)
{
    const struct program *program = module_program(kernel->module);
    const struct ptx_module *module = program->module;
    bool *reached = runtime_allocate(module->function_count + 1, sizeof *reached), talks = false;
    program_reach(program, kernel->function, reached);
    for (size_t f = 0; f < module->function_count; f++)
        for (size_t i = 0; reached[f] && i < module->functions[f].instruction_count; i++) {
            const struct ptx_instruction *at = &module->functions[f].instructions[i];
            talks |= ptx_has(at, PTX_MOD_SYS) ||
                     (ptx_has(at, PTX_MOD_VOLATILE) && at->space != PTX_SHARED);
        }
    free(reached);
    return talks;
}

void watch_launch(const struct kernel *kernel, const struct snapshot *before)
{
    const struct guest_memory *memory = &runtime.memory;
    bool is_left_alone = has_finished || talks_to_host(kernel);
    for (unsigned i = 0; i < memory->count && !is_left_alone; i++) {
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
    bool comes = direction == 2, goes = direction == 1;
    uint64_t host = (uintptr_t)(comes ? copy->to : copy->from);
    const struct allocation *allocation = heap_find(host);
    if ((!comes && !goes) || !allocation || allocation->kind != HEAP_HOST || copy->height != 1 ||
        copy->depth != 1)
        return;
    struct watched *bytes = watch_add(host, host + copy->width);
    if (bytes) {
        bytes->only_stores = goes;
        bytes->until_us = stream->now_us;
    }
}

/* ---- Pages ---- */

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

/* Whether the bytes at the address, which the program is about to access, are others' business. */
static bool is_early(const struct watched *early, uint64_t address)
{
    enum { WORD = 8 };
    if (address < early->begin || address >= early->end)
        return false; /* beside it, in its page */
    uint64_t offset = address - early->begin, left = early->end - address;
    return !early->before || memcmp(early->before + offset, (const void *)(uintptr_t)address,
                                    left < WORD ? left : WORD) != 0;
}

/* In the program's thread, in its own code: nobody is inside a call, where nothing is closed. */
static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    const uint64_t bytes = page_bytes(); /* sysconf() may be called in a handler */
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
        signal(signal_number, SIG_DFL); /* the program's own mistake comes again, and ends it */
    errno = error;
}

static void say_found(void)
{
    char where[256], text[1024];
    const struct watched *early = &found;
    memory_describe(&runtime.memory, found_address, where, sizeof where);
    snprintf(text, sizeof text,
             "the host %s %s, %s %s%s, without waiting for that work. On a GPU, %s. Add %s before "
             "this access",
             early->only_stores ? "writes" : "reads or writes", where,
             *early->kernel       ? "which kernel"
             : early->only_stores ? "from which an earlier cudaMemcpyAsync()"
                                  : "to which an earlier cudaMemcpyAsync()",
             *early->kernel ? early->kernel : "copies", *early->kernel ? " writes" : "",
             early->only_stores ? "the new value may be copied" : "it may read the old value",
             *early->kernel ? "cudaDeviceSynchronize()" : "cudaStreamSynchronize()");
    runtime_say("race: %s", text);
    __atomic_fetch_add(&runtime.report->wrong, 1, __ATOMIC_RELAXED);
    if (early->row) {
        record_set_text(&early->row->record, COLUMN_status, "%s", status_name(STATUS_RACE));
        record_set_text(&early->row->record, COLUMN_reason, "%s", text);
    }
    has_finished = true;
}

/* A call begins. */
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
        say_found();
}

/* It ends, and the program's own code goes on. */
static void watch_close(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    for (unsigned i = count; i-- > 0;)
        if (has_finished || watched[i].until_us <= timeline_awaited())
            watch_remove(i);
    if (!count || sigaction(SIGSEGV, NULL, &now) || now.sa_handler != SIG_DFL)
        return;
    sigemptyset(&ours.sa_mask);
    closed = !sigaction(SIGSEGV, &ours, NULL);
    for (unsigned i = 0; i < count && closed; i++)
        protect(&watched[i], watched[i].only_stores ? PROT_READ : PROT_NONE);
}

/* The program ends, and with it what it would have waited for. */
__attribute__((destructor)) static void watch_end(void)
{
    if (runtime.report)
        watch_open();
}
