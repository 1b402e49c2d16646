/* kernel_name.h: find the kernel `transpose`, or a kernel with a similar name or the same types of
 * parameters. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* Returns the kernel `transpose`. If it is missing, returns the only kernel with a mangled name
 * that contains `transpose` (in a namespace, a template instance, or without extern "C"). If no
 * name matches, returns the only kernel with two addresses and two integers as parameters. Wrong
 * names are added to `naming`. Returns NULL if no kernel or several kernels match. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
