/* compile.h: compile CUDA source to PTX with NVRTC, nvcc or clang, or to machine code with NVRTC or
 * nvcc. NVRTC is opened at run time (dlopen), so that the same tlab works with and without a CUDA
 * Toolkit. clang is for machines without a toolkit. */
#ifndef COMPILE_H
#define COMPILE_H

#include "compile/compile_request.h"

/* Compile to PTX with the macro LAB_HARNESS defined. A source that does not compile, or a compiler
 * that exceeds the request's limits or crashes, is a student failure STATUS_COMPILE_ERROR with the
 * compiler's messages. If the machine has no usable compiler, the harness failure names the package
 * to install. In the PTX, the .file line of the source contains source_path. Free `result` with
 * compile_result_free.
 *
 * With COMPILER_ANY and without TLAB_COMPILER, the order is NVRTC, nvcc, clang. The next compiler
 * is tried if a compiler is not usable, or if NVRTC rejects host code. */
bool compile_to_ptx(const struct compile_request *request, struct compile_result *result,
                    struct failure *failure);

/* Compile to machine code in result->cubin. A source that exceeds a limit of the assembler, such as
 * 48 KiB of static shared memory, is a student failure. An architecture that neither NVRTC nor nvcc
 * supports is a harness failure, because clang has no assembler for GPUs. */
bool compile_to_cubin(const struct compile_request *request, struct compile_result *result,
                      struct failure *failure);

/* Find a compiler, and fill `memory`. Compilations whose request has this `memory` do not search
 * for clang again. NVRTC is opened in this process; sources are compiled in child processes. */
void compile_preload(struct compiler_found *memory);

/* Find a compiler and its version. Returns false and sets found->why if it is not usable. */
bool compiler_probe(enum compiler compiler, struct compiler_found *found);
const char *compiler_name(enum compiler compiler);

#endif
