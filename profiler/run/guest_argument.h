/* guest_argument.h: the arguments of `tlab emulate`: arrays and scalars for any kernel.
 *
 *     out:TYPE:COUNT[@FILE]    an array that the kernel writes; FILE receives its raw bytes
 *     in:TYPE:COUNT[@FILE]     an array of seeded data, or of FILE's raw bytes, that is only read
 *     inout:TYPE:COUNT[@FILE]  both; FILE is read before the launch and written after it
 *     TYPE:VALUE               a scalar of the same types, except f16 and bf16
 *     raw:HEX                  the bytes of a structure, two hexadecimal digits each
 *
 * TYPE: f16, bf16, f32, f64, and i or u with 8, 16, 32 or 64. Seeded data are uniformly
 * distributed: floats in [-1, 1), integers from 0 to 99 (small, because they may be indices). */
#ifndef GUEST_ARGUMENT_H
#define GUEST_ARGUMENT_H

#include "emulator/guest/memory.h"

struct guest_argument {
    bool is_array, is_input, is_output, is_raw;
    char type[5];
    unsigned element_bytes; /* Bytes per element; for raw bytes, the number of bytes. */
    uint64_t count;
    const char *file;     /* File of an array, or NULL. */
    uint64_t bits;        /* Value of a scalar, low bytes first; or guest address of an array. */
    unsigned char *bytes; /* Contents of an array, or raw bytes; the argument owns them. */
    char name[24];
};

/* Parse a variable's values (TYPE:VALUE,VALUE,... or raw:HEX) into at most `limit` bytes. *used
 * receives their size, even above `limit`. Returns false (a harness failure) for invalid text. */
bool guest_values_parse(const char *text, unsigned char *bytes, uint64_t limit, uint64_t *used,
                        struct failure *failure);

/* Parse argument `number` (from 1). Returns false (a harness failure) for invalid text. */
bool guest_argument_parse(const char *text, unsigned number, struct guest_argument *argument,
                          struct failure *failure);

/* Allocate an array and map it into `memory`. The array receives seeded data or the contents of its
 * file; an output receives bytes 0xff. Returns false (a harness failure) if the sizes differ. */
bool guest_argument_create(struct guest_argument *argument, uint64_t seed,
                           struct guest_memory *memory, struct failure *failure);

/* Write an output array to its file. Returns false for a harness failure. */
bool guest_argument_save(const struct guest_argument *argument, struct failure *failure);

void guest_argument_free(struct guest_argument *argument);

#endif
