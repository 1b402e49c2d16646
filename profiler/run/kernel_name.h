/* kernel_name.h: find the kernel `transpose` of a module, or a kernel with a similar name. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* Returns the kernel `transpose`; else the only kernel whose mangled name contains `transpose` (in
 * a namespace, an instance of a template, or without extern "C"); else the only kernel with two
 * addresses and two integers as parameters. Returns NULL for none or several. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
