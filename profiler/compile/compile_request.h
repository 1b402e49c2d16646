/* compile_request.h: a request to a compiler, and its result. */
#ifndef COMPILE_REQUEST_H
#define COMPILE_REQUEST_H

#include "base/failure.h"

#include <stddef.h>
#include <stdint.h>

struct child_limits;

/* The emulated architecture is fixed, so that counts are the same on every machine. */
enum { COMPILE_EMULATED_ARCHITECTURE = 80 };

struct compiler_found {
    char program[1024]; /* Path; "" for a library. */
    char version[64];
    char why[512];
};

enum compiler { COMPILER_ANY, COMPILER_NVRTC, COMPILER_NVCC, COMPILER_CLANG };

struct compile_request {
    const char *source_path;
    const char *const *defines; /* "NAME=VALUE" or "NAME". */
    size_t define_count;
    const char *include_directory; /* Directory of lab.h, or NULL. */
    const char *const *options;
    size_t option_count;
    /* True for a file with LAB_LAUNCH. NVRTC then compiles functions without __host__ or __device__
     * for the device, so that LAB_LAUNCH can call them. */
    bool is_lab;
    bool is_trial;          /* Optimize less to save time. nvcc and clang ignore this. */
    enum compiler compiler; /* COMPILER_ANY: TLAB_COMPILER, or the first usable compiler. */
    unsigned architecture;  /* 80 means compute_80 for PTX and sm_80 for machine code. */
    /* Directory of clang_cuda.h and stand_ins/; the installation's directory if NULL. */
    const char *support_directory;
    /* Limits of each compiler process; 60 s, 4 GiB of memory and 64 MiB of PTX if NULL. */
    const struct child_limits *limits;
    const struct compiler_found *memory; /* From compile_preload, or NULL. */
};

struct compile_result {
    char *ptx; /* Malloc'd and NUL-terminated. */
    size_t ptx_bytes;
    char *cubin; /* Malloc'd; only from compile_to_cubin. */
    size_t cubin_bytes;
    enum compiler compiler;
    char description[160]; /* Name, version, FNV-1a hash: "nvrtc 13.0 ptx:0123456789abcdef". */
    char *warnings;        /* Malloc'd messages of the successful compiler; may be empty. */
};

void compile_result_free(struct compile_result *result);

#endif
