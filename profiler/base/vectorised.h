/* vectorised.h: loops that the compiler turns into vector code, for the processor that runs them.
 *
 * The x86-64 baseline (SSE2) has no vector multiplication or comparison of wide integers. A
 * function marked VECTORISED is compiled for the baseline, AVX2 and AVX-512, and the loader picks;
 * other machines need no such help. It must not be inline, its name must be no other function's
 * (clang gives the one that picks it to the whole program), and it is worth it for loops over whole
 * warps or matrices only.
 */
#ifndef VECTORISED_H
#define VECTORISED_H

#include "base/sanitized.h"

/* Sanitizers instrument the loader's resolver, which runs before they are ready. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !SANITIZED
#define VECTORISED __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define VECTORISED
#endif

#endif
