/* compile_request.h: a request to a compiler, and its result. */
#ifndef COMPILE_REQUEST_H
#define COMPILE_REQUEST_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

struct child_limits;

/* The architecture for emulation. It is fixed, so that counts do not depend on the machine. */
enum { COMPILE_EMULATED_ARCHITECTURE = 80 };

/* A compiler of this machine. */
struct compiler_found {
    char program[1024]; /* path; "" for a library */
    char version[64];
    char why[512]; /* the reason if it cannot be used */
};

enum compiler { COMPILER_ANY, COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG };

struct compile_request {
    const char *source_path;    /* The .cu file. */
    const char *const *defines; /* "NAME=VALUE" or "NAME". */
    size_t define_count;
    const char *include_directory; /* The directory of lab.h. */
    const char *const *options;    /* Further options for NVRTC and nvcc; usually none. */
    size_t option_count;
    /* A file with LAB_LAUNCH: NVRTC compiles a function without __host__ or __device__ for the
     * device, so that LAB_LAUNCH can call it. */
    bool is_lab;
    enum compiler compiler; /* COMPILER_ANY: TLAB_COMPILER, or the first usable compiler. */
    unsigned architecture;  /* 80: compute_80, or sm_80 for machine code. */
    /* The directory of clang_cuda.h and stand_ins/; NULL: the installation's directory. */
    const char *support_directory;
    /* Limits of each compiler process; NULL: 60 s, 4 GB, 64 MB of PTX. */
    const struct child_limits *limits;
    const struct compiler_found *memory; /* From compile_preload, or NULL. */
};

struct compile_result {
    char *ptx; /* malloc'd, NUL-terminated. */
    size_t ptx_bytes;
    char *cubin; /* malloc'd machine code (compile_to_cubin). */
    size_t cubin_bytes;
    enum compiler compiler;
    char description[160]; /* "nvrtc 13.0 ptx:0123456789abcdef": name, version, FNV-1a hash. */
    char *warnings;        /* The compiler's messages on success; malloc'd, may be empty. */
};

void compile_result_free(struct compile_result *result);

#endif
