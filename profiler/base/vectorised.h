/* vectorised.h: VECTORISED compiles a function for the baseline of x86-64, for AVX2 and for
 * AVX-512. The loader selects a version. On other machines and with sanitizers, VECTORISED has no
 * effect. The function must not be inline, and its name must be unique in the program, because
 * clang exports the resolver. Use VECTORISED only for loops over whole warps or matrices. */
#ifndef VECTORISED_H
#define VECTORISED_H

#include "base/sanitized.h"

/* The resolver, which selects a version, runs before sanitizers are initialized. */
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
