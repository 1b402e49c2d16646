/* address_origins.h: find the variable that an access refers to: the access's address is computed
 * from the address of this variable. An access outside the variable is out of bounds. */
#ifndef ADDRESS_ORIGINS_H
#define ADDRESS_ORIGINS_H

#include "emulator/decode/simt_decode.h"

struct address_origin {
    const struct ptx_variable *variable; /* NULL: unknown, or several are possible. */
    uint64_t begin, end;                 /* Range of its bytes in its space. */
};

/* Fill the entries of loads, stores and atomic operations in `origins`, which has one entry per PTX
 * instruction. Addresses are followed through registers if all writes to a register have the same
 * origin; they are not followed through memory or calls. False: no memory. */
bool address_origins_find(const struct program *program, int function,
                          struct address_origin *origins);

#endif
