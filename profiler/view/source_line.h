/* source_line.h: which line of the student's file an instruction belongs to.
 *
 * The line table of the PTX gives each instruction a position, and NVIDIA's compilers also say
 * where inlined code was called from. The line that counts is the innermost one in the student's
 * own file: of a helper in the same file its own line, of one in a header the line that calls it.
 */
#ifndef SOURCE_LINE_H
#define SOURCE_LINE_H

#include "emulator/ptx/ptx.h"
#include "emulator/simt/observer.h"

/* The line of `path` (as the PTX spells it) that an instruction of a function belongs to, or 0:
 * none of the function is in that file. Where the compiler does not say from where it inlined code
 * (clang before version 21), that is the line of the instruction before. */
uint32_t source_line(const struct ptx_module *module, const struct ptx_function *function,
                     size_t instruction, const char *path);

/* The line of an access: its own, or that of the innermost call that has one. 0: unknown. */
uint32_t source_line_of_access(const struct ptx_module *module,
                               const struct observed_access *access, const char *path);

#endif
