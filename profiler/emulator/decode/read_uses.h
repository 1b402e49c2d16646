/* read_uses.h: what becomes of the value that a load or an atomic operation gives: whether it is
 * passed on, or only asked for until it changes. */
#ifndef READ_USES_H
#define READ_USES_H

#include "emulator/ptx/ptx.h"

enum read_use {
    READ_UNKNOWN,
    READ_UNUSED, /* by no instruction */
    READ_TESTED, /* by conditions only, or by one that may come back to read again: it polls */
    READ_PASSED, /* stored, given away, or used as an address */
};

/* Values are followed through registers, also through those that conditions choose, but not through
 * memory or calls: what goes there is passed. READ_UNKNOWN without memory. */
enum read_use read_use_find(const struct ptx_function *function, uint32_t instruction);

/* Whether the value that a load gives is what a compare-and-swap expects to find there still, so
 * that nothing is lost when others were faster. */
bool read_is_compared(const struct ptx_function *function, uint32_t instruction);

/* Whether a store goes to where its thread has loaded from before, as far as their text says. */
bool read_is_updated(const struct ptx_function *function, uint32_t store);

/* Whether the value that a load gives always goes into a shuffle, vote or reduction of the whole
 * warp before the store is executed, which is never executed without one: nobody in the warp can
 * give his part in it before his load is done, so that the store comes behind all of their
 * loads. */
bool read_is_shuffled(const struct ptx_function *function, uint32_t load, uint32_t store);

#endif
