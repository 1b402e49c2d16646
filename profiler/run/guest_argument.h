/* guest_argument.h: the arguments of `tlab emulate`: arrays and scalars for any kernel.
 *
 *     out:TYPE:COUNT[@FILE]    an array that the kernel writes; FILE receives its raw bytes
 *     in:TYPE:COUNT[@FILE]     an array of seeded data, or of FILE's raw bytes, that is only read
 *     inout:TYPE:COUNT[@FILE]  both; FILE is read before the launch and written after it
 *     TYPE:VALUE               a scalar of the same types, except f16 and bf16
 *     raw:HEX                  the bytes of a structure, two hexadecimal digits each
 *
 * TYPE: f16, bf16, f32, f64, and i or u with 8, 16, 32 or 64. Seeded data are uniform: floats in
 * [-1, 1), integers below 100 (so that they can serve as indices and sums stay small).
 */
#ifndef GUEST_ARGUMENT_H
#define GUEST_ARGUMENT_H

#include "emulator/guest/memory.h"

struct guest_argument {
    bool is_array, is_input, is_output, is_raw;
    char type[5];
    unsigned element_bytes; /* Bytes of an element, or of all raw bytes. */
    uint64_t count;         /* Elements of an array. */
    const char *file;       /* The file of an array, or NULL. */
    uint64_t bits;          /* Value of a scalar, low bytes first; or guest address of an array. */
    unsigned char *bytes;   /* An array's contents, or raw bytes. */
    char name[24];          /* "argument 1" */
};

/* Parse values for a variable, TYPE:VALUE,VALUE,... or raw:HEX, into at most `limit` bytes. *used
 * becomes the size of all values, which may exceed `limit`. Harness failure for invalid text. */
bool guest_values_parse(const char *text, unsigned char *bytes, uint64_t limit, uint64_t *used,
                        struct failure *failure);

/* Parse one argument; `number` (from 1) names it in messages. Harness failure for invalid text. */
bool guest_argument_parse(const char *text, unsigned number, struct guest_argument *argument,
                          struct failure *failure);

/* Allocate and map an array, and fill it with seeded data or from its file; an output is filled
 * with 0xff bytes. Harness failure if the file and the array differ in size. */
bool guest_argument_create(struct guest_argument *argument, uint64_t seed,
                           struct guest_memory *memory, struct failure *failure);

/* Write an output array to its file. A failed write leaves the old file unchanged. */
bool guest_argument_save(const struct guest_argument *argument, struct failure *failure);

void guest_argument_free(struct guest_argument *argument);

#endif
