/* program_file.c: see program_file.h. */
#include "cuda/exec/program_file.h"

#include "base/paths.h"
#include "base/whole_file.h"
#include "cuda/exec/fatbin.h"
#include "process/toolkit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_MAX_BYTES ((size_t)1 << 30)

struct file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

/* Prefixes of libraries that access the GPU without the CUDA runtime. */
static const char *const closed[] = {
    "libcublas", "libcufft",  "libcurand",   "libcusolver", "libcusparse", "libcudnn",   "libnccl",
    "libnpp",    "libnvjpeg", "libcutensor", "libnvshmem",  "libcupti",    "libnvcuvid",
};

/* ---- The file ---- */

static bool contains(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset;
}

/* Copy section header n. False: it does not exist, or the section is not inside the file. */
static bool section_at(const struct file *file, unsigned n, Elf64_Shdr *section)
{
    uint64_t at = file->header.e_shoff + (uint64_t)n * sizeof *section;
    if (n >= file->header.e_shnum || !contains(file, at, sizeof *section))
        return false;
    memcpy(section, file->bytes + at, sizeof *section);
    return section->sh_type == SHT_NOBITS || contains(file, section->sh_offset, section->sh_size);
}

/* Returns a string of a string table; "" if it does not exist. */
static const char *text_at(const struct file *file, const Elf64_Shdr *table, uint64_t offset)
{
    if (table->sh_type == SHT_NOBITS || offset >= table->sh_size)
        return "";
    const char *text = (const char *)file->bytes + table->sh_offset + offset;
    return memchr(text, 0, table->sh_size - offset) ? text : "";
}

static bool find_section(const struct file *file, const char *name, Elf64_Shdr *section)
{
    Elf64_Shdr names;
    if (!section_at(file, file->header.e_shstrndx, &names))
        return false;
    for (unsigned n = 0; n < file->header.e_shnum; n++)
        if (section_at(file, n, section) && !strcmp(text_at(file, &names, section->sh_name), name))
            return section->sh_type != SHT_NOBITS;
    return false;
}

static bool is_elf(struct file *file)
{
    if (file->size < sizeof file->header || memcmp(file->bytes, ELFMAG, SELFMAG) != 0 ||
        file->bytes[EI_CLASS] != ELFCLASS64)
        return false;
    memcpy(&file->header, file->bytes, sizeof file->header);
    return file->header.e_shentsize == sizeof(Elf64_Shdr) && file->header.e_shoff <= file->size;
}

/* ---- The requirements ---- */

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Check the libraries that the program needs. *runtime: the version of libcudart, or 0. */
static bool check_libraries(const struct file *file, long *runtime, struct failure *failure)
{
    Elf64_Shdr dynamic, names;
    *runtime = 0;
    if (!find_section(file, ".dynamic", &dynamic) || !section_at(file, dynamic.sh_link, &names))
        return true;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, file->bytes + dynamic.sh_offset + at, sizeof entry);
        if (entry.d_tag != DT_NEEDED)
            continue;
        const char *library = text_at(file, &names, entry.d_un.d_val);
        if (begins(library, "libcudart.so."))
            *runtime = strtol(library + strlen("libcudart.so."), NULL, 10);
        for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
            if (begins(library, closed[i]))
                return failure_harness(failure,
                                       "%s requires %s, a closed NVIDIA library for real GPUs. "
                                       "tlab cannot emulate it",
                                       file->name, library);
    }
    return true;
}

/* True if one of the fat binaries in the section contains PTX. */
static bool has_ptx(const struct file *file, const Elf64_Shdr *section, struct failure *failure)
{
    const unsigned char *at = file->bytes + section->sh_offset, *end = at + section->sh_size;
    while (at < end) {
        struct fatbin_ptx ptx;
        struct failure none = {0};
        size_t bytes = fatbin_bytes(at, (size_t)(end - at));
        if (bytes && fatbin_read(at, (size_t)(end - at), 80, &ptx, &none)) {
            free(ptx.text);
            return true;
        }
        if (failure->kind == FAILURE_NONE && bytes > 16)
            failure_harness(failure, "%s: %s", file->name, none.text);
        at += bytes ? bytes : 1;
    }
    return failure->kind == FAILURE_NONE;
}

static bool check(const struct file *file, struct failure *failure)
{
    Elf64_Shdr fat, linked;
    long runtime;
    if (!check_libraries(file, &runtime, failure))
        return false;
    bool has_kernels = find_section(file, ".nv_fatbin", &fat);
    if (has_kernels && !runtime)
        return failure_harness(
            failure,
            "%s is statically linked with NVIDIA's CUDA runtime, which requires a "
            "GPU. Link it with `tlab nvcc`, or with nvcc -cudart shared",
            file->name);
    if (runtime && runtime != 12 && runtime != 13)
        return failure_harness(
            failure,
            "%s was built for the runtime of CUDA %ld, but tlab emulates CUDA 12 "
            "and 13. Rebuild the program with `tlab nvcc`",
            file->name, runtime);
    if (!has_kernels || find_section(file, "__nv_relfatbin", &linked))
        return true;
    return has_ptx(file, &fat, failure);
}

bool program_bytes_check(const char *name, const void *bytes, size_t size, struct failure *failure)
{
    struct file file = {.name = name, .bytes = bytes, .size = size};
    return !is_elf(&file) || check(&file, failure);
}

bool program_file_check(const char *program, struct failure *failure)
{
    char path[PATH_SIZE];
    struct failure unread = {0};
    size_t size;
    if (strchr(program, '/'))
        snprintf(path, sizeof path, "%s", program);
    else if (!program_find(program, path, sizeof path))
        return true; /* Starting the program will fail and report why. */
    char *bytes = whole_file_read(path, PROGRAM_MAX_BYTES, &size, &unread);
    if (!bytes)
        return true;
    bool good = program_bytes_check(program, bytes, size, failure);
    free(bytes);
    return good;
}
