/* vectorised.h: the attribute VECTORISED compiles a function for several vector instruction sets.
 *
 * The x86-64 baseline (SSE2) has no vector multiplication or comparison of wide integers. Therefore
 * the function is also compiled for AVX2 and AVX-512, and the loader selects a version. x86-64-v4
 * is AVX-512 with 16-bit elements; gcc 12 and later support it. On other machines, VECTORISED has
 * no effect. The function must not be inline, and its name must be unique in the program, because
 * clang exports the resolver. Use VECTORISED only for loops over whole warps or matrices. */
#ifndef VECTORISED_H
#define VECTORISED_H

#include "base/sanitized.h"

/* VECTORISED is off with sanitizers, because the loader calls the resolver before sanitizers are
 * initialized. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !SANITIZED
#if !defined(__clang__) && __GNUC__ < 12
#define VECTORISED __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define VECTORISED __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#endif
#else
#define VECTORISED
#endif

#endif
