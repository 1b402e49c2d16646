/* kernel_name.h: the kernel `transpose` of a module, also where its name is not quite that.
 */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "emulator/ptx/ptx.h"
#include "text/naming.h"

/* The entry that is meant by `transpose`: of that name, or in a namespace, an instance of a
 * template, without extern "C", or the only one with such parameters. Two addresses and two
 * integers are such parameters. NULL: none, or several. */
const struct ptx_function *kernel_name_find(struct naming *naming, const struct ptx_module *module);

#endif
