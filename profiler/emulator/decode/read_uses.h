/* read_uses.h: how a kernel uses the result of a load or an atomic operation. */
#ifndef READ_USES_H
#define READ_USES_H

#include "emulator/ptx/ptx.h"

enum read_use {
    READ_UNKNOWN,
    READ_UNUSED,
    READ_TESTED, /* Only conditions use the value, or a branch on the value may repeat the read. */
    READ_PASSED, /* The value is stored, passed to another thread, or used as an address. */
};

/* Returns the use of the value that the instruction reads. Values are followed through registers
 * and selections, but not through memory or calls. A stored value or an argument is READ_PASSED. */
enum read_use read_use_find(const struct ptx_function *function, uint32_t instruction);

/* Returns true if a compare-and-swap uses the loaded value as its expected value. */
bool read_is_compared(const struct ptx_function *function, uint32_t instruction);

/* Returns true if an earlier PTX instruction loads from the address operand of the store. */
bool read_is_updated(const struct ptx_function *function, uint32_t store);

/* Returns true if every path to the store contains a shuffle, vote, match or reduction of the whole
 * warp that reads the loaded value. So the store follows the loads of all lanes. */
bool read_is_shuffled(const struct ptx_function *function, uint32_t load, uint32_t store);

#endif
