/* kernel_name.h: find the kernel `transpose` of a module, or the kernel that is meant. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* Returns the kernel `transpose`. If there is none, returns the only kernel with a mangled name
 * that contains `transpose` (in a namespace, a template instance, or without extern "C"). If there
 * is none, returns the only kernel with two addresses and two integers as parameters. Adds wrong
 * names to `naming`. Returns NULL if no kernel or several kernels match. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
