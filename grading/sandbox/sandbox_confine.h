/* sandbox_confine.h: give up rights permanently: system calls (seccomp), privileges, and files
 * (Landlock). Each function applies to the calling process and to all processes that it starts. A
 * function that fails returns false and sets errno. After a failure, the process must end. */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* Allow only system calls of the interpreter: memory, clocks, its pipe, futexes, exit. Other calls
 * kill the process, but starting a thread fails with EAGAIN, and harmless calls with ENOSYS. */
bool sandbox_confine_interpreter(void);

/* Restrict a compiler (the `confine` of child.h): no network, debugging, killing of other
 * processes, namespaces, keys or kernel interfaces. The compiler may execute programs only if
 * `executes` is true, and start processes only if `starts_others` is true. Forbidden calls fail
 * with EPERM (clone3: ENOSYS), so that a compiler that only tries a call continues. */
bool sandbox_confine_compiler(bool executes, bool starts_others);

/* Give up root's privileges, which a process in a container may have. */
bool sandbox_confine_privileges(void);

/* Allow the process to read and execute only these files and directories, and to write only to
 * `writable` (may be NULL). Paths that do not exist are ignored. If the kernel has no Landlock
 * (before 5.13), nothing is restricted and *complete becomes false. */
bool sandbox_confine_files(const char *const *readable, size_t count, const char *writable,
                           bool *complete);

#endif
