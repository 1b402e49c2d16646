/* container.c: run a program with the rights that root has in a Docker container:
 *
 *   container [--no-landlock] ROOT PROGRAM ARGUMENT...
 *
 * The rights are Docker's defaults (Docker documentation, "Seccomp security profiles" and "Runtime
 * privilege and Linux capabilities"): 14 capabilities, and a filter of system calls. --no-landlock
 * also forbids Landlock, as old versions do. The caller sets up namespaces, limits and network. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (1ull << (capability))

static const uint64_t retained = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) |
                                 BIT(CAP_FSETID) | BIT(CAP_KILL) | BIT(CAP_SETGID) |
                                 BIT(CAP_SETUID) | BIT(CAP_SETPCAP) | BIT(CAP_NET_BIND_SERVICE) |
                                 BIT(CAP_NET_RAW) | BIT(CAP_SYS_CHROOT) | BIT(CAP_MKNOD) |
                                 BIT(CAP_AUDIT_WRITE) | BIT(CAP_SETFCAP);

static const int refused[] = {
    SCMP_SYS(unshare),         SCMP_SYS(setns),         SCMP_SYS(mount),      SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),      SCMP_SYS(bpf),           SCMP_SYS(keyctl),     SCMP_SYS(add_key),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),   SCMP_SYS(acct),       SCMP_SYS(init_module),
    SCMP_SYS(reboot),          SCMP_SYS(kexec_load),    SCMP_SYS(swapon),     SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),      SCMP_SYS(fsopen),        SCMP_SYS(fsmount),    SCMP_SYS(quotactl),
    SCMP_SYS(settimeofday),    SCMP_SYS(clock_settime), SCMP_SYS(sethostname)};

enum { LANDLOCK_CREATE_RULESET = 444, LANDLOCK_RESTRICT_SELF = 446 };

static bool refuse(scmp_filter_ctx filter, int call)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
}

static bool drop_calls(bool landlock)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool done = filter != NULL && seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) == 0 &&
                seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
                seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                 SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)) == 0;
    for (size_t i = 0; done && i < sizeof refused / sizeof *refused; i++)
        done = refuse(filter, refused[i]);
    for (int call = LANDLOCK_CREATE_RULESET; done && !landlock && call <= LANDLOCK_RESTRICT_SELF;
         call++)
        done = refuse(filter, call);
    return done && seccomp_load(filter) == 0;
}

static bool drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        if (!(retained & BIT(capability)) && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
            return false;
    for (int half = 0; half < 2; half++)
        data[half].effective = data[half].permitted = (uint32_t)(retained >> 32 * half);
    return syscall(SYS_capset, &head, data) == 0;
}

int main(int count, char **values)
{
    bool landlock = count < 2 || strcmp(values[1], "--no-landlock") != 0;
    if (!landlock)
        values++, count--;
    if (count < 3) {
        fputs("usage: container [--no-landlock] ROOT PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    /* Loading the filter requires CAP_SYS_ADMIN, so drop_calls precedes drop_capabilities. */
    if (chroot(values[1]) == 0 && chdir("/autograder") == 0 && drop_calls(landlock) &&
        drop_capabilities())
        execvp(values[2], values + 2);
    perror("container");
    return 2;
}
