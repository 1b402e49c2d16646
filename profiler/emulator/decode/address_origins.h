/* address_origins.h: find the variable from which the address of an access is computed. An access
 * outside this variable is out of bounds. */
#ifndef ADDRESS_ORIGINS_H
#define ADDRESS_ORIGINS_H

#include "emulator/decode/simt_decode.h"

struct address_origin {
    const struct ptx_variable *variable; /* NULL if there is none or several are possible. */
    /* Byte range in the state space. `end` is UINT64_MAX for an extern array. */
    uint64_t begin, end;
};

/* Set the entries of loads, stores and atomic operations in `origins`, which has one entry per PTX
 * instruction. Addresses are followed through registers, but not through memory or calls. Returns
 * false if memory is exhausted. */
bool address_origins_find(const struct program *program, int function,
                          struct address_origin *origins);

#endif
