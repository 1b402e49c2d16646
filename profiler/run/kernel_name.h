/* kernel_name.h: find the kernel `transpose` of a module, also under a similar name. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* Returns the kernel with that name; else the only one whose mangled name has it (in a
 * namespace, an instance of a template, or without extern "C"); else the only one with two
 * addresses and two integers as parameters. NULL: none, or several. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
