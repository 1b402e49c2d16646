/* machine_code.h: read a kernel's registers and memory from a cubin, because PTX does not contain
 * them. NVIDIA does not document the .nv.info sections of a cubin. This module reads the format of
 * ptxas 11 to 13; machine_code_test.c compares the results with the report of `ptxas -v`. */
#ifndef MACHINE_CODE_H
#define MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_code {
    unsigned registers;    /* Per thread; 0 if unknown. */
    uint64_t shared_bytes; /* Static shared memory of a block, without the reserved bytes. */
    uint64_t local_bytes;  /* Stack of a thread: local arrays and spilled registers. */
    /* Bytes that a thread stores to and loads from local memory if each instruction runs once; CC
     * 7.0 and later. Without local arrays, all of these bytes are register spills. */
    uint64_t local_stored, local_loaded;
    uint64_t instructions; /* Without the final padding; CC 7.0 and later. */
};

/* Read the machine code of a kernel from an untrusted cubin of `bytes` bytes. If the cubin is
 * malformed or does not contain the kernel, zeroes *code and returns false. */
bool machine_code_read(const void *cubin, size_t bytes, const char *kernel,
                       struct machine_code *code);

/* Assemble PTX to a cubin with the toolkit's ptxas, in a child process. `architecture` 90 is sm_90.
 * Returns the malloc'd cubin, and its size in *bytes. Returns NULL if there is no ptxas, or if
 * ptxas rejects the PTX or runs for more than 10 s. */
void *machine_code_assemble(const char *ptx, size_t length, unsigned architecture, size_t *bytes);

/* Assemble PTX, and read a kernel of the cubin. Returns false if either step fails. */
bool machine_code_of_ptx(const char *ptx, size_t length, unsigned architecture, const char *kernel,
                         struct machine_code *code);

#endif
