/* kernel_name.h: find the kernel `transpose`, or a kernel that can replace it. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* Returns the kernel `transpose`; otherwise the only kernel with a mangled name of `transpose`;
 * otherwise the only kernel. The parameters must be two addresses and two integers. Returns NULL if
 * no kernel or several kernels match. Wrong names are added to `naming`. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
