/* address_origins.h: of which variable an access is meant to be: the one whose address its own is
 * computed from. Beyond that variable it reaches into another, or nothing. */
#ifndef ADDRESS_ORIGINS_H
#define ADDRESS_ORIGINS_H

#include "emulator/decode/simt_decode.h"

struct address_origin {
    const struct ptx_variable *variable; /* NULL: not known, or one of several */
    uint64_t begin, end;                 /* its bytes in its space */
};

/* Fill `origins`, one for each PTX instruction of a function, as far as they are loads, stores or
 * atomic operations. Addresses are followed through registers, where each has the same origin
 * wherever it is written; not through memory or calls. False: no memory. */
bool address_origins_find(const struct program *program, int function,
                          struct address_origin *origins);

#endif
