/* address_origins.h: find the variable whose bytes an access may use. */
#ifndef ADDRESS_ORIGINS_H
#define ADDRESS_ORIGINS_H

#include "emulator/decode/simt_decode.h"

struct address_origin {
    const struct ptx_variable *variable; /* NULL if there is none or several are possible. */
    /* Byte range in the state space. `end` is UINT64_MAX for an extern array. */
    uint64_t begin, end;
};

/* Fill in `origins`, which has one entry per PTX instruction, for loads, stores and atomics.
 * Addresses are followed through registers only. Returns false if memory is exhausted. */
bool address_origins_find(const struct program *program, int function,
                          struct address_origin *origins);

#endif
