/* sandbox_confine.h: rights that a process gives up for good: system calls (seccomp), privileges,
 * and the file system (Landlock). Every function works on the calling process and all that it
 * starts. False: errno says why, and the process must not go on.
 */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* For the interpreter: memory, clocks, its pipe, threads' locks and the end. Any other system call
 * kills the process; a thread cannot be started (EAGAIN), which parallel_run takes well. */
bool sandbox_confine_interpreter(void);

/* For a compiler (the `confine` of child.h): no network, no debugging or killing of others, no
 * namespaces, keys or kernel interfaces; no other program, unless it is one that is yet to be
 * started (`executes`); no other process, unless it starts_others. Forbidden calls fail with EPERM,
 * so that a compiler that merely asks goes on. */
bool sandbox_confine_compiler(bool executes, bool starts_others);

/* Give up root's privileges, which a process in a container may have. */
bool sandbox_confine_privileges(void);

/* Only these files and directories can be read or executed, only `writable` (may be NULL) be
 * written; paths that do not exist are passed over. *complete: the kernel has Landlock (5.13), else
 * nothing was done. */
bool sandbox_confine_files(const char *const *readable, size_t count, const char *writable,
                           bool *complete);

#endif
