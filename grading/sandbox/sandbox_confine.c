/* sandbox_confine.c: theory of operation. The interpreter needs few system calls, so its filter is
 * a list of allowed calls. A compiler needs many calls, which differ by version. Its filter is a
 * list of forbidden calls, and namespaces or Landlock isolate it. libseccomp kills a process that
 * makes a system call of another architecture (32 bits on x86-64). */
#define _GNU_SOURCE
#include "sandbox/sandbox_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool filter_load(scmp_filter_ctx filter, int error)
{
    error = error != 0 ? -EINVAL : seccomp_load(filter);
    seccomp_release(filter);
    errno = -error;
    return error == 0;
}

/* For SCMP_CMP_MASKED_EQ, `a` is the mask and `b` is the value; otherwise `a` is the value. */
static struct scmp_arg_cmp argument(unsigned index, enum scmp_compare how, scmp_datum_t a,
                                    scmp_datum_t b)
{
    return (struct scmp_arg_cmp){.arg = index, .op = how, .datum_a = a, .datum_b = b};
}

/* Calls that this machine lacks have negative numbers and are skipped. Returns 0 or an error. */
static int filter_add(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count; i++)
        error |= calls[i] < 0 ? 0 : seccomp_rule_add(filter, action, calls[i], 0);
    return error;
}

static const int interpreter_calls[] = {
    /* the pipe, which is the only open descriptor */
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(brk),
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    /* clocks, if they are not in the vDSO */
    SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(futex),
    SCMP_SYS(sched_yield), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
    /* exit; abort() reads the process's ids; a sanitizer changes stacks */
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigaction),
    SCMP_SYS(sigaltstack), SCMP_SYS(rt_sigprocmask), SCMP_SYS(getpid), SCMP_SYS(gettid),
    /* random bytes, memory (qsort) and processors, for the C library */
    SCMP_SYS(getrandom), SCMP_SYS(sysinfo), SCMP_SYS(sched_getaffinity)};

/* These calls fail, but do not kill the process. */
static const int interpreter_futile_calls[] = {SCMP_SYS(fstat), SCMP_SYS(newfstatat),
                                               SCMP_SYS(statx), SCMP_SYS(ioctl), SCMP_SYS(clone3)};

bool sandbox_confine_interpreter(void)
{
    const uint32_t allow = SCMP_ACT_ALLOW;
    const struct scmp_arg_cmp not_executable = argument(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int error = filter_add(filter, allow, interpreter_calls, COUNT(interpreter_calls));
    error |= filter_add(filter, SCMP_ACT_ERRNO(ENOSYS), interpreter_futile_calls,
                        COUNT(interpreter_futile_calls));
    error |= seccomp_rule_add(filter, allow, SCMP_SYS(mmap), 1, not_executable);
    error |= seccomp_rule_add(filter, allow, SCMP_SYS(mprotect), 1, not_executable);
    /* starting a thread fails; starting a process kills this process (the default action) */
    error |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 1,
                              argument(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    /* the process may read its limits, but may not set them */
    error |= seccomp_rule_add(filter, allow, SCMP_SYS(prlimit64), 2, argument(0, SCMP_CMP_EQ, 0, 0),
                              argument(2, SCMP_CMP_EQ, 0, 0));
    error |= seccomp_rule_add(filter, allow, SCMP_SYS(tgkill), 2,
                              argument(0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0),
                              argument(2, SCMP_CMP_EQ, SIGABRT, 0));
    return filter_load(filter, error);
}

static const int compiler_forbidden_calls[] = {
    /* network and messages */
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg),
    SCMP_SYS(shmget), SCMP_SYS(msgget), SCMP_SYS(semget), SCMP_SYS(mq_open),
    /* other processes */
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp), SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(setpriority),
    SCMP_SYS(process_madvise), SCMP_SYS(migrate_pages), SCMP_SYS(move_pages),
    /* file systems and namespaces */
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(unshare),
    SCMP_SYS(setns), SCMP_SYS(mount_setattr), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
    SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(mknod), SCMP_SYS(mknodat),
    SCMP_SYS(quotactl), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    /* kernel interfaces with a history of vulnerabilities */
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(add_key), SCMP_SYS(keyctl),
    SCMP_SYS(request_key), SCMP_SYS(fanotify_init), SCMP_SYS(modify_ldt), SCMP_SYS(iopl),
    SCMP_SYS(ioperm), SCMP_SYS(personality), SCMP_SYS(vhangup),
    /* settings of the machine */
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(acct), SCMP_SYS(syslog),
    SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname)};

static const int execute_calls[] = {SCMP_SYS(execve), SCMP_SYS(execveat)};
static const int fork_calls[] = {SCMP_SYS(fork), SCMP_SYS(vfork)};

bool sandbox_confine_compiler(bool executes, bool starts_others)
{
    const uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
    const struct scmp_arg_cmp others = argument(0, SCMP_CMP_NE, (scmp_datum_t)getpid(), 0);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int error =
        filter_add(filter, refuse, compiler_forbidden_calls, COUNT(compiler_forbidden_calls));
    error |= seccomp_rule_add(filter, refuse, SCMP_SYS(kill), 1, others);
    error |= seccomp_rule_add(filter, refuse, SCMP_SYS(tgkill), 1, others);
    /* limits of other processes */
    error |=
        seccomp_rule_add(filter, refuse, SCMP_SYS(prlimit64), 1, argument(0, SCMP_CMP_NE, 0, 0));
    /* A filter cannot read the flags of clone3. If clone3 is missing, the C library calls clone. */
    error |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (!executes)
        error |= filter_add(filter, refuse, execute_calls, COUNT(execute_calls));
    if (!starts_others)
        error |= filter_add(filter, refuse, fork_calls, COUNT(fork_calls));
    /* without privileges, only user namespaces can be created */
    error |= seccomp_rule_add(filter, refuse, SCMP_SYS(clone), 1,
                              argument(0, SCMP_CMP_MASKED_EQ,
                                       starts_others ? CLONE_NEWUSER : CLONE_THREAD,
                                       starts_others ? CLONE_NEWUSER : 0));
    return filter_load(filter, error);
}

bool sandbox_confine_privileges(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    /* Without PR_SET_NO_NEW_PRIVS, starting a program as root would restore the privileges. */
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &head, none) == 0;
}

/* Landlock rights of versions 1, 2 and 3 (kernel documentation, userspace-api/landlock). */
#define FILES_READ                                                                                 \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FILES_ALL ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define FILES_REFER (1ull << 13)
#define FILES_TRUNCATE (1ull << 14)
#define FILES_PLAIN                                                                                \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)

static bool ruleset_allow(int ruleset, const char *path, uint64_t rights)
{
    struct stat status;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT;
    bool done = fstat(file, &status) == 0;
    if (!S_ISDIR(status.st_mode))
        rights &= FILES_PLAIN;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = file};
    done =
        done && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    int error = errno;
    close(file);
    errno = error;
    return done;
}

bool sandbox_confine_files(const char *const *readable, size_t count, const char *writable,
                           bool *complete)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    *complete = version >= 1;
    if (version < 1)
        return true;
    struct landlock_ruleset_attr handled = {.handled_access_fs = FILES_ALL};
    if (version >= 2)
        handled.handled_access_fs |= FILES_REFER;
    if (version >= 3)
        handled.handled_access_fs |= FILES_TRUNCATE;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (ruleset < 0)
        return false;
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = ruleset_allow(ruleset, readable[i], FILES_READ);
    if (done && writable != NULL)
        done = ruleset_allow(ruleset, writable, handled.handled_access_fs);
    done = done && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    int error = errno;
    close(ruleset);
    errno = error;
    return done;
}
