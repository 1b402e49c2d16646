#include "cuda/exec/program_file.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "cuda/exec/fatbin.h"
#include "process/elf_file.h"
#include "process/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX_BYTES ((size_t)1 << 30)

/* Prefixes of the names of NVIDIA's libraries that contain machine code without PTX, or that use a
 * GPU directly. */
static const char *const closed[] = {
    "libcublas", "libcufft",  "libcurand",   "libcusolver", "libcusparse", "libcudnn",   "libnccl",
    "libnpp",    "libnvjpeg", "libcutensor", "libnvshmem",  "libcupti",    "libnvcuvid",
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool find_section(const struct elf_file *file, const char *name, Elf64_Shdr *section)
{
    return elf_find(file, name, "", section) && section->sh_type != SHT_NOBITS;
}

/* Reject the libraries in `closed`. *runtime receives the major version of libcudart, or 0. */
static bool check_libraries(const char *name, const struct elf_file *file, long *runtime,
                            struct failure *failure)
{
    Elf64_Shdr dynamic, names;
    *runtime = 0;
    if (!find_section(file, ".dynamic", &dynamic) || !elf_section(file, dynamic.sh_link, &names))
        return true;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, file->bytes + dynamic.sh_offset + at, sizeof entry);
        const char *library = elf_text(file, &names, entry.d_un.d_val);
        if (entry.d_tag != DT_NEEDED || !library)
            continue;
        if (begins(library, "libcudart.so."))
            *runtime = strtol(library + strlen("libcudart.so."), NULL, 10);
        for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
            if (begins(library, closed[i]))
                return failure_harness(failure,
                                       "%s requires %s, a closed NVIDIA library for real GPUs. "
                                       "tlab cannot emulate this library",
                                       name, library);
    }
    return true;
}

static bool has_ptx(const char *name, const struct elf_file *file, const Elf64_Shdr *section,
                    struct failure *failure)
{
    const unsigned char *at = file->bytes + section->sh_offset, *end = at + section->sh_size;
    while (at < end) {
        struct fatbin_ptx ptx;
        struct failure none = {0};
        size_t bytes = fatbin_bytes(at, (size_t)(end - at));
        if (bytes && fatbin_read(at, (size_t)(end - at), 80, &ptx, &none)) {
            free(ptx.text);
            *failure = (struct failure){0}; /* nvcc's linker adds a fat binary without PTX. */
            return true;
        }
        if (failure->kind == FAILURE_NONE && bytes > 16)
            failure_harness(failure, "%s: %s", name, none.text);
        at += bytes ? bytes : 1;
    }
    return failure->kind == FAILURE_NONE;
}

bool program_bytes_check(const char *name, const void *bytes, size_t size, struct failure *failure)
{
    struct elf_file file;
    Elf64_Shdr fat, linked;
    long runtime;
    if (!elf_open(&file, bytes, size))
        return true;
    if (!check_libraries(name, &file, &runtime, failure))
        return false;
    bool has_kernels = find_section(&file, ".nv_fatbin", &fat);
    if (has_kernels && !runtime)
        return failure_harness(
            failure,
            "%s is statically linked with NVIDIA's CUDA runtime, which requires a "
            "GPU. Link the program with `tlab nvcc`, or with nvcc -cudart shared",
            name);
    if (runtime && runtime != 12 && runtime != 13)
        return failure_harness(
            failure,
            "%s was built for the runtime of CUDA %ld, but tlab emulates CUDA 12 "
            "and 13. Rebuild the program with `tlab nvcc`",
            name, runtime);
    if (!has_kernels || find_section(&file, "__nv_relfatbin", &linked))
        return true;
    return has_ptx(name, &file, &fat, failure);
}

bool program_file_check(const char *program, struct failure *failure)
{
    char path[PATH_SIZE];
    struct failure unread = {0};
    size_t size;
    if (strchr(program, '/'))
        snprintf(path, sizeof path, "%s", program);
    else if (!program_find(program, path, sizeof path))
        return true; /* the program will not start, and the loader reports the reason */
    char *bytes = whole_file_read(path, PROGRAM_MAX_BYTES, &size, &unread);
    if (!bytes)
        return true;
    bool good = program_bytes_check(program, bytes, size, failure);
    free(bytes);
    return good;
}
