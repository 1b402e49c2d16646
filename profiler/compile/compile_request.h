/* compile_request.h: what is asked of a compiler, and what comes of it.
 */
#ifndef COMPILE_REQUEST_H
#define COMPILE_REQUEST_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

struct child_limits;

/* What emulation compiles for, always, so that counts do not depend on the machine. */
enum { COMPILE_EMULATED_ARCHITECTURE = 80 };

/* What a process that compiles many files need ask only once (compile_preload). */
struct compile_memory {
    char clang[1024], clang_version[64];
};

enum compiler { COMPILER_ANY, COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG };

struct compile_request {
    const char *source_path;    /* the .cu file */
    const char *const *defines; /* "NAME=VALUE" or "NAME" */
    size_t define_count;
    const char *include_directory; /* holds lab.h */
    const char *const *options;    /* further compiler options, NVRTC/nvcc spelling; usually none */
    size_t option_count;
    enum compiler compiler; /* COMPILER_ANY chooses; also set by TLAB_COMPILER=nvrtc|nvcc|clang */
    unsigned architecture;  /* 80: compute_80, or sm_80 for machine code */
    /* Holds clang_cuda.h and stand_ins/; NULL: profiler/compile of the installation (paths.h). */
    const char *support_directory;
    /* Of each run of a compiler; NULL: 60 s, 4 GB, 64 MB of PTX. */
    const struct child_limits *limits;
    const struct compile_memory *memory; /* NULL: there is none */
};

struct compile_result {
    char *ptx; /* malloc'd, NUL-terminated */
    size_t ptx_bytes;
    char *cubin; /* malloc'd machine code (compile_to_cubin) */
    size_t cubin_bytes;
    enum compiler compiler;
    char description[160]; /* "nvrtc 13.0 ptx:0123456789abcdef": name, version, FNV-1a hash */
    char *warnings;        /* the compiler's messages on success; malloc'd, may be empty */
};

void compile_result_free(struct compile_result *result);

#endif
