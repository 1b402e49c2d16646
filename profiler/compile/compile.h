/* compile.h: CUDA source to PTX, by the first of NVRTC, nvcc and clang that this machine has; and
 * to a GPU's machine code, by NVRTC or nvcc.
 *
 * NVRTC is opened at run time (dlopen), so one tlab runs with and without a CUDA Toolkit. nvcc
 * serves files that include host headers. clang serves machines without a toolkit, with our own
 * header for CUDA's built-ins.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include "compile/compile_request.h"

/* Compile, with the macro LAB_HARNESS defined. A source that does not compile is a student failure
 * STATUS_COMPILE_ERROR whose text is the compiler's messages (at most FAILURE_TEXT_SIZE, first
 * errors first, paths as the student gave them). A missing file, or no usable compiler, is a
 * harness failure that says what to install. The source's own path stands in the PTX's .file lines
 * as source_path spells it.
 *
 * Compilers run in child processes under the request's limits; a compiler that runs out of them, or
 * crashes, is a student failure. Without COMPILER_ANY (or TLAB_COMPILER) no other compiler is
 * tried. With it, NVRTC is left for nvcc, and nvcc for clang, where the machine lacks the one, or
 * where the source holds host code that NVRTC does not take. */
bool compile_to_ptx(const struct compile_request *request, struct compile_result *result,
                    struct failure *failure);

/* The same to machine code for the request's architecture, in result->cubin; the description is
 * "nvrtc 13.0 sm_90 cubin:0123456789abcdef". Limits that only the assembler checks, such as 48 KB
 * of static shared memory, are student failures here. clang has no assembler for GPUs, so without
 * NVRTC and nvcc (of a version that knows the architecture) this is a harness failure. */
bool compile_to_cubin(const struct compile_request *request, struct compile_result *result,
                      struct failure *failure);

/* Make further compilations of this process cheaper: NVRTC, if there is one and it is to be used,
 * is opened here, so that each compilation's child finds it open; otherwise clang is asked for its
 * version, which takes as long as a third of a lab's compilation; `memory` is for the requests.
 * Compilers' code then runs in this process: for one that only compiles, on one thread, and holds
 * nothing of worth. */
void compile_preload(struct compile_memory *memory);

/* What this machine has, for `tlab doctor` and `make`: version text, or NULL with the reason it is
 * not usable in `why`. */
bool compiler_probe(enum compiler compiler, char *version, size_t version_size, char *why,
                    size_t why_size);
const char *compiler_name(enum compiler compiler);

#endif
