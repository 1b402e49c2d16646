/* fuzz.h: functions for all fuzz targets. A target NAME_fuzz.c defines LLVMFuzzerTestOneInput,
 * which accepts any bytes, returns 0, and crashes if there is a bug. The seeds are in
 * profiler/tools/fuzz/corpus/NAME_fuzz.tar.gz. `make fuzz` runs a target under libFuzzer (with
 * clang). In other builds, replay.c runs the target on the files of its corpus. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/failure.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Abort if the condition is false, so that libFuzzer saves the input. */
#define FUZZ_DEMAND(condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: false: %s: ", __FILE__, __LINE__, #condition);                 \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Demand that the result `done` of a function agrees with the failure that the function set. */
static inline void fuzz_demand_failure(bool done, const struct failure *failure)
{
    FUZZ_DEMAND(done == (failure->kind == FAILURE_NONE), "done %d, kind %d: %s", done,
                failure->kind, failure->text);
    FUZZ_DEMAND(done || failure->text[0], "a failure has no message");
    FUZZ_DEMAND(memchr(failure->text, '\0', sizeof failure->text) != NULL,
                "the message is not terminated");
}

static inline void fuzz_demand_student(bool done, const struct failure *failure)
{
    fuzz_demand_failure(done, failure);
    FUZZ_DEMAND(failure->kind != FAILURE_HARNESS, "untrusted input caused a harness failure: %s",
                failure->text);
}

static char fuzz_place[64]; /* "" until fuzz_directory() is called */

static inline void fuzz_empty_directory(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char inside[PATH_MAX];
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside &&
            unlink(inside) != 0) {
            fuzz_empty_directory(inside);
            rmdir(inside);
        }
    }
    if (directory)
        closedir(directory);
}

static inline void fuzz_remove_directory(void)
{
    fuzz_empty_directory(fuzz_place);
    rmdir(fuzz_place);
}

/* Returns a directory of this process, in memory if possible, which is removed at exit. */
static inline const char *fuzz_directory(void)
{
    if (!fuzz_place[0]) {
        snprintf(fuzz_place, sizeof fuzz_place, "%s/tlab-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_DEMAND(mkdtemp(fuzz_place) != NULL, "%s", fuzz_place);
        atexit(fuzz_remove_directory);
    }
    return fuzz_place;
}

/* Write the bytes to a file in fuzz_directory(). Returns its path, valid until the next call. */
static inline const char *fuzz_file(const char *name, const void *bytes, size_t size)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", fuzz_directory(), name);
    FILE *file = fopen(path, "wb");
    FUZZ_DEMAND(file != NULL, "%s", path);
    size_t written = size > 0 ? fwrite(bytes, 1, size, file) : 0;
    FUZZ_DEMAND(fclose(file) == 0 && written == size, "%s", path);
    return path;
}

#endif
