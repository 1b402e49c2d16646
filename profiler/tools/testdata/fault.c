/* fault.c: a library for LD_PRELOAD that makes the n-th allocation or file operation fail.
 *
 *   FAULT_IN      part of a path; only calls from objects with such a path are counted
 *   FAULT_KIND    alloc (malloc, calloc, realloc, aligned_alloc, mmap) or file (open, fopen, read,
 *                 fread, write, fclose, rename, mkdir, ftruncate)
 *   FAULT_AT      the number of the call that fails, from 1; 0: none
 *   FAULT_SITES   a file that receives "NUMBER SITE" for the first call of each call site when the
 *                 process ends. A call site is the call and its callers.
 *   FAULT_FORKS   if set, calls in forked children count; if not, only calls in started programs do
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at;
static int counts_files;
static const char *counted_in;
static pid_t counted_process; /* process in which calls are counted; 0: all processes */

static int is_counted(const void *caller)
{
    Dl_info object;
    return counted_in && dladdr(caller, &object) && object.dli_fname &&
           strstr(object.dli_fname, counted_in) != NULL;
}

/* Called if the current call fails. Breakpoints can be set here. */
__attribute__((noinline)) void fault_now(void)
{
    __asm__ volatile("");
}

enum { FRAMES = 8, SITES = 1 << 14 };

/* Hash table of call sites: hash of the return addresses, 0 if free; number of the first call. */
static struct {
    uint64_t hash;
    long number;
} sites[SITES];
static const char *sites_path;

static void site_note(long number)
{
    void *frames[FRAMES];
    uint64_t hash = 1;
    for (int i = 0, count = backtrace(frames, FRAMES); i < count; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < SITES; i++) {
        unsigned at = (unsigned)((hash >> 32) + i) % SITES;
        if (sites[at].hash == hash)
            return;
        if (!sites[at].hash) {
            sites[at].hash = hash;
            sites[at].number = number;
            return;
        }
    }
}

static int fails(int is_file, const void *caller)
{
    if (is_file != counts_files || !is_counted(caller) ||
        (counted_process && counted_process != getpid()))
        return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (sites_path)
        site_note(number);
    if (number != fail_at)
        return 0;
    fault_now();
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    fail_at = at ? atol(at) : 0;
    counts_files = kind && !strcmp(kind, "file");
    void *frames[1];
    backtrace(frames, 1); /* the first call loads a library */
    sites_path = getenv("FAULT_SITES");
    counted_in = getenv("FAULT_IN");
    counted_process = getenv("FAULT_FORKS") ? 0 : getpid();
}

__attribute__((destructor)) static void end(void)
{
    FILE *file = sites_path && (!counted_process || counted_process == getpid())
                     ? fopen(sites_path, "a")
                     : NULL;
    if (!file)
        return;
    for (unsigned i = 0; i < SITES; i++)
        if (sites[i].hash)
            fprintf(file, "%ld %llx\n", sites[i].number, (unsigned long long)sites[i].hash);
    fclose(file);
}

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define CALLER __builtin_return_address(0)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    return fails(0, CALLER) ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(0, CALLER) ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(0, CALLER) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return fails(0, CALLER) ? (errno = ENOMEM, NULL) : __libc_memalign(align, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    static typeof(&mmap) real;
    if (fails(0, CALLER))
        return errno = ENOMEM, MAP_FAILED;
    real = real ? real : REAL(mmap);
    return real(at, size, protection, flags, file, offset);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails(1, CALLER) ? (errno = EIO, -1) : REAL(open)(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return fails(1, CALLER) ? (errno = EMFILE, NULL) : REAL(fopen)(path, mode);
}

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    if (!fails(1, CALLER))
        return REAL(fread)(to, size, count, file);
    file->_flags |= 0x20; /* the error flag that ferror() reads in the GNU C library */
    return errno = EIO, 0;
}

ssize_t read(int file, void *to, size_t size)
{
    return fails(1, CALLER) ? (errno = EIO, -1) : REAL(read)(file, to, size);
}

ssize_t write(int file, const void *from, size_t size)
{
    return fails(1, CALLER) ? (errno = ENOSPC, -1) : REAL(write)(file, from, size);
}

int fclose(FILE *file)
{
    int failed = fails(1, CALLER), result = REAL(fclose)(file);
    return failed ? (errno = ENOSPC, EOF) : result;
}

int rename(const char *from, const char *to)
{
    return fails(1, CALLER) ? (errno = EACCES, -1) : REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(1, CALLER) ? (errno = ENOSPC, -1) : REAL(mkdir)(path, mode);
}

int ftruncate(int file, off_t size)
{
    return fails(1, CALLER) ? (errno = ENOSPC, -1) : REAL(ftruncate)(file, size);
}
