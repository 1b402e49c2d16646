/* sandbox_confine.h: give up rights permanently, for this process and the processes that it starts.
 * A function that fails returns false and sets errno. After a failure, the process must end. */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* Allow only system calls for memory, clocks, the pipe, futexes, exit and the C library. Starting a
 * thread and a few harmless calls fail. All other calls kill the process. */
bool sandbox_confine_interpreter(void);

/* Restrict a compiler (`confine` in child.h): no network, debugging, killing of other processes,
 * namespaces, keys or kernel interfaces. The compiler may execute programs only if `executes`, and
 * start processes only if `starts_others`. Forbidden calls fail with EPERM (clone3: ENOSYS), so
 * that a compiler that only tries a call continues. */
bool sandbox_confine_compiler(bool executes, bool starts_others);

/* Give up root's privileges, which a process in a container may have. */
bool sandbox_confine_privileges(void);

/* Allow reading and executing only these files and directories, and writing only `writable` (may be
 * NULL). Paths that do not exist are ignored. If the kernel has no Landlock (before 5.13), nothing
 * is restricted, and *complete is false. */
bool sandbox_confine_files(const char *const *readable, size_t count, const char *writable,
                           bool *complete);

#endif
