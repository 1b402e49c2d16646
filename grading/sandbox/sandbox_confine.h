/* sandbox_confine.h: rights that a process gives up permanently: system calls (seccomp),
 * privileges, and files (Landlock). Each function applies to the calling process and those that it
 * starts. False: errno is set, and the process must end.
 */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* Allow only system calls of the interpreter: memory, clocks, its pipe, futexes, exit. Other calls
 * kill the process, except that starting a thread fails with EAGAIN, which parallel_run handles. */
bool sandbox_confine_interpreter(void);

/* Restrict a compiler (the `confine` of child.h): no network, debugging, killing of other
 * processes, namespaces, keys or kernel interfaces. It may execute a program only if `executes`,
 * and start processes only if `starts_others`. Forbidden calls fail with EPERM, so that a
 * compiler that only probes continues. */
bool sandbox_confine_compiler(bool executes, bool starts_others);

/* Give up root's privileges, which a process in a container may have. */
bool sandbox_confine_privileges(void);

/* Allow reading and executing only of these files and directories, and writing only of
 * `writable` (may be NULL). Paths that do not exist are ignored. *complete: false if the kernel
 * has no Landlock (before 5.13); nothing is restricted then. */
bool sandbox_confine_files(const char *const *readable, size_t count, const char *writable,
                           bool *complete);

#endif
