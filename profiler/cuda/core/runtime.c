#define _GNU_SOURCE
#include "cuda/core/runtime.h"

#include "base/array.h"
#include "base/wording.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct runtime runtime;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool started;
static unsigned depth;

struct runtime_thread *runtime_thread(void)
{
    static __thread struct runtime_thread thread;
    return &thread;
}

static struct runtime_report *map_report(const char *path)
{
    struct stat status;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && !fstat(file, &status) &&
        status.st_size == (off_t)sizeof(struct runtime_report))
        bytes =
            mmap(NULL, sizeof(struct runtime_report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return NULL;
    struct runtime_report *report = bytes;
    return report->bytes == sizeof *report ? report : NULL;
}

static void start(void)
{
    const char *path = getenv(RUNTIME_REPORT_VARIABLE);
    started = true;
    memory_init(&runtime.memory);
    runtime.memory.has_late_heap = true;
    runtime.report = path ? map_report(path) : NULL;
    if (!runtime.report) {
        fputs(
            "tlab: this libcudart emulates a GPU. Start the program with `tlab exec -- PROGRAM`\n",
            stderr);
        return;
    }
    runtime.device = &runtime.report->device;
    __atomic_fetch_add(&runtime.report->processes, 1, __ATOMIC_RELAXED);
}

/* After a fork, the child gets a new lock, because it cannot release the parent's lock. */
static void lock_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void renew_after_fork(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

__attribute__((constructor)) static void attend_forks(void)
{
    pthread_atfork(lock_before_fork, unlock_after_fork, renew_after_fork);
}

int runtime_enter_quietly(void)
{
    pthread_mutex_lock(&lock);
    depth++;
    if (!started)
        start();
    if (!runtime.report)
        return ERROR_NoDevice;
    if (runtime.call_begins)
        runtime.call_begins();
    runtime_thread()->has_context = true;
    return runtime.sticky;
}

int runtime_enter(void)
{
    int error = runtime_enter_quietly();
    if (!error && runtime.pending)
        error = runtime.sticky = runtime.pending;
    return error;
}

int runtime_leave(int error)
{
    if (error && error != ERROR_NotReady)
        runtime_thread()->last_error = error;
    if (!--depth && runtime.call_ends)
        runtime.call_ends();
    pthread_mutex_unlock(&lock);
    return error;
}

int runtime_last_error(bool clear)
{
    int error = runtime_thread()->last_error;
    if (clear)
        runtime_thread()->last_error = runtime.sticky;
    return error;
}

static bool is_first(const char *string)
{
    enum { MAX_STRINGS = 512 };
    static const char *seen[MAX_STRINGS];
    static unsigned count;
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == string)
            return false;
    if (count < MAX_STRINGS)
        seen[count++] = string;
    return true;
}

void runtime_say(const char *format, ...)
{
    char text[2048];
    FORMAT(text, sizeof text, format);
    fflush(stdout);
    fprintf(stderr, "tlab: %s\n", text);
}

void runtime_note(const char *format, ...)
{
    char text[2048];
    FORMAT(text, sizeof text, format);
    if (is_first(format))
        runtime_say("%s", text);
}

int runtime_refuse(const char *name)
{
    if (is_first(name))
        runtime_say("%s is not emulated: it returns %s", name,
                    strncmp(name, "cuda", 4) != 0 ? "CUDA_ERROR_NOT_SUPPORTED"
                                                  : "cudaErrorNotSupported");
    return ERROR_NotSupported;
}

void runtime_report_race(struct runtime_row *row, const char *format, ...)
{
    char text[1024];
    FORMAT(text, sizeof text, format);
    runtime_say("race: %s", text);
    __atomic_fetch_add(&runtime.report->wrong, 1, __ATOMIC_RELAXED);
    if (row) {
        record_set_text(&row->record, COLUMN_status, "%s", status_name(STATUS_RACE));
        record_set_text(&row->record, COLUMN_reason, "%s", text);
    }
}

void runtime_trouble(const char *format, ...)
{
    if (!runtime.report || __atomic_exchange_n(&runtime.report->troubled, 1, __ATOMIC_RELAXED))
        return;
    FORMAT(runtime.report->trouble, sizeof runtime.report->trouble, format);
}

static _Noreturn void end_without_memory(void)
{
    runtime_trouble("not enough memory for the emulated CUDA runtime");
    _exit(2);
}

void *runtime_allocate(size_t count, size_t size)
{
    void *bytes = calloc(count ? count : 1, size ? size : 1);
    if (!bytes)
        end_without_memory();
    return bytes;
}

void runtime_make_room(void *array, size_t count, size_t item_bytes)
{
    if (!array_make_room(array, count, item_bytes))
        end_without_memory();
}
