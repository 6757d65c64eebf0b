/* The list has the calls that are refused, not those that are allowed. What LLVM, Mesa, a GPU's driver and the C library
 * call changes with each of their versions: a list of allowed calls would break with an upgrade, on a machine that we do
 * not know, and people would turn the sandbox off. What they never call is a small, old set. New calls are the weak side
 * of such a list, so calls that are newer than this file get ENOSYS, as from an older kernel: libraries expect that.
 *
 * A refused call gets EPERM and does not end the process: libraries try things (the C library asks a name service over
 * a socket who the user is) and go on without. */
#include "os/sandbox.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) SCMP_SYS(name)

/* clang-format off */
static const int refused[] = {
    /* Other programs and processes. A child could outlive us, and write when the run is over. */
    CALL(execve), CALL(execveat), CALL(fork), CALL(vfork), CALL(ptrace), CALL(process_vm_readv),
    CALL(process_vm_writev), CALL(process_madvise), CALL(process_mrelease), CALL(pidfd_open),
    CALL(pidfd_getfd), CALL(pidfd_send_signal), CALL(move_pages), CALL(migrate_pages), CALL(setsid), CALL(setpgid),
    /* The network. Our end of the supervisor's socket is there already. */
    CALL(socket), CALL(socketpair), CALL(socketcall), CALL(connect), CALL(bind), CALL(listen), CALL(accept),
    CALL(accept4),
    /* What processes share by name. */
    CALL(ipc), CALL(shmget), CALL(shmat), CALL(shmctl), CALL(semget), CALL(semop), CALL(semtimedop), CALL(semctl),
    CALL(msgget), CALL(msgsnd), CALL(msgrcv), CALL(msgctl), CALL(mq_open), CALL(mq_unlink), CALL(add_key),
    CALL(request_key), CALL(keyctl),
    /* Memory that is in no mapping, so that --memory does not see it. */
    CALL(memfd_create), CALL(memfd_secret),
    /* Another view of the files. */
    CALL(mount), CALL(umount), CALL(umount2), CALL(pivot_root), CALL(chroot), CALL(open_tree), CALL(move_mount),
    CALL(fsopen), CALL(fsconfig), CALL(fsmount), CALL(fspick), CALL(mount_setattr), CALL(swapon), CALL(swapoff),
    CALL(quotactl), CALL(quotactl_fd), CALL(open_by_handle_at), CALL(name_to_handle_at), CALL(unshare), CALL(setns),
    CALL(fanotify_init), CALL(fanotify_mark), CALL(inotify_init), CALL(inotify_init1),
    /* Owners, rights, times and attributes of files, of which Landlock lets all be changed. */
    CALL(chmod), CALL(fchmod), CALL(fchmodat), CALL(chown), CALL(chown32), CALL(fchown), CALL(fchown32), CALL(lchown),
    CALL(lchown32), CALL(fchownat), CALL(setxattr), CALL(lsetxattr), CALL(fsetxattr), CALL(removexattr),
    CALL(lremovexattr), CALL(fremovexattr), CALL(utime), CALL(utimes), CALL(futimesat), CALL(utimensat),
    CALL(utimensat_time64), CALL(truncate),
    CALL(truncate64), CALL(mknod), CALL(mknodat),
    /* Other names of files. Landlock would let them be made within one folder. */
    CALL(link), CALL(linkat), CALL(symlink), CALL(symlinkat),
    /* The deep end of the kernel, where most of its holes were. */
    CALL(bpf), CALL(perf_event_open), CALL(userfaultfd), CALL(io_uring_setup), CALL(io_uring_enter),
    CALL(io_uring_register), CALL(io_setup), CALL(vmsplice), CALL(modify_ldt), CALL(lookup_dcookie), CALL(uselib),
    /* The machine. */
    CALL(init_module), CALL(finit_module), CALL(delete_module), CALL(kexec_load), CALL(kexec_file_load), CALL(reboot),
    CALL(syslog), CALL(acct), CALL(iopl), CALL(ioperm), CALL(settimeofday), CALL(stime), CALL(clock_settime),
    CALL(clock_settime64), CALL(clock_adjtime), CALL(adjtimex), CALL(sethostname), CALL(setdomainname), CALL(vhangup),
    /* Who we are. */
    CALL(setuid), CALL(setuid32), CALL(setgid), CALL(setgid32), CALL(setreuid), CALL(setreuid32), CALL(setregid),
    CALL(setregid32), CALL(setresuid), CALL(setresuid32), CALL(setresgid), CALL(setresgid32), CALL(setfsuid),
    CALL(setfsgid), CALL(setgroups), CALL(setgroups32), CALL(capset),
};
/* clang-format on */

/* A call that is refused where the bits of an argument that the mask has are these; without a mask, where the argument is
 * another number. With `next_bits`, only where the next argument has these, too. */
struct refusal {
    int call;
    unsigned argument;
    uint64_t mask, bits, next_bits;
};

#define OUR_PID UINT64_MAX
#define UNLESS(name, argument, number)                                                                            \
    {                                                                                                             \
        CALL(name), argument, 0, number, 0                                                                        \
    }
#define WITH(name, argument, bits)                                                                                \
    {                                                                                                             \
        CALL(name), argument, bits, bits, 0                                                                       \
    }
#define COMMAND(name, argument, command)                                                                          \
    {                                                                                                             \
        CALL(name), argument, UINT32_MAX, (uint32_t)(command), 0                                                  \
    } /* the kernel looks at no more */

/* Ways of opening that have no innocent use and that the first ABIs of Landlock allow: to truncate a file that is not
 * opened for writing, and to open one for neither reading nor writing, which with O_TRUNC truncates any file; and bits of
 * a new file's rights that would have others run it as us. */
#define OPENING(name, flags)                                                                                      \
    {CALL(name), flags, O_ACCMODE, O_ACCMODE, 0},                                                                 \
        {CALL(name), flags, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC, 0},                                          \
        {CALL(name), flags, O_CREAT, O_CREAT, S_ISUID}, {CALL(name), flags, O_CREAT, O_CREAT, S_ISGID},           \
        {CALL(name), flags, O_TMPFILE & ~O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY, S_ISUID},                         \
    {                                                                                                             \
        CALL(name), flags, O_TMPFILE & ~O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY, S_ISGID                            \
    }

/* ioctls of file systems, which change flags and attributes, make snapshots, encrypt and seal, even for files that may
 * only be read. Their kinds are those of ext4 and others, XFS, versions, FAT, Btrfs, F2FS, bcachefs and SMB; no driver
 * of a GPU has them. */
#define FILE_SYSTEM(kind)                                                                                         \
    {                                                                                                             \
        CALL(ioctl), 1, (uint64_t)_IOC_TYPEMASK << _IOC_TYPESHIFT, (uint64_t)(kind) << _IOC_TYPESHIFT, 0          \
    }

#define TERMINAL(command) COMMAND(ioctl, 1, command)
#define OWNER(command) COMMAND(fcntl, 1, command), COMMAND(fcntl64, 1, command)
#define PROCESS(command) COMMAND(prctl, 0, command)

/* clang-format off */
static const struct refusal refusals[] = {
    /* A worker may start threads, without a name space of their own, and no processes. */
    {CALL(clone), 0, CLONE_THREAD, 0, 0},
    WITH(clone, 0, CLONE_NEWNS), WITH(clone, 0, CLONE_NEWCGROUP), WITH(clone, 0, CLONE_NEWUTS), WITH(clone, 0, CLONE_NEWIPC),
    WITH(clone, 0, CLONE_NEWUSER), WITH(clone, 0, CLONE_NEWPID), WITH(clone, 0, CLONE_NEWNET),
    OPENING(open, 1), OPENING(openat, 2), WITH(creat, 1, S_ISUID), WITH(creat, 1, S_ISGID),
    /* Signals, limits and priorities of other processes. */
    UNLESS(kill, 0, OUR_PID), UNLESS(tkill, 0, OUR_PID), UNLESS(tgkill, 0, OUR_PID), UNLESS(rt_sigqueueinfo, 0, OUR_PID),
    UNLESS(rt_tgsigqueueinfo, 0, OUR_PID), UNLESS(sched_setaffinity, 0, OUR_PID), UNLESS(sched_setscheduler, 0, OUR_PID),
    UNLESS(sched_setparam, 0, OUR_PID), UNLESS(sched_setattr, 0, OUR_PID), UNLESS(prlimit64, 0, 0),
    UNLESS(kcmp, 0, OUR_PID), UNLESS(kcmp, 1, OUR_PID), /* drivers ask whether two files are one */
    UNLESS(setpriority, 0, 0), UNLESS(setpriority, 1, 0), /* PRIO_PROCESS */
    UNLESS(ioprio_set, 0, 1), UNLESS(ioprio_set, 1, 0), /* IOPRIO_WHO_PROCESS */
    UNLESS(personality, 0, UINT32_MAX), /* asks for it */
    /* Typing into the terminal that the worker may share with a shell, or changing its settings. */
    TERMINAL(TIOCSTI), TERMINAL(TIOCLINUX), TERMINAL(TIOCSETD), TERMINAL(TIOCCONS), TERMINAL(TIOCSCTTY), TERMINAL(TIOCSPGRP),
    TERMINAL(FIOSETOWN), TERMINAL(SIOCSPGRP), TERMINAL(TCSETS), TERMINAL(TCSETSW), TERMINAL(TCSETSF), TERMINAL(TCSETA),
    TERMINAL(TCSETAW), TERMINAL(TCSETAF), TERMINAL(TIOCSWINSZ), TERMINAL(TIOCEXCL), TERMINAL(TIOCPKT), TERMINAL(TCXONC),
    TERMINAL(TCFLSH),
#ifdef TCSETS2 /* not on all machines */
    TERMINAL(TCSETS2), TERMINAL(TCSETSW2), TERMINAL(TCSETSF2),
#endif
    /* Sending a signal to the owner of a file; keeping others from opening a file. */
    OWNER(F_SETOWN), OWNER(F_SETOWN_EX), OWNER(F_SETSIG), OWNER(F_NOTIFY), OWNER(F_SETLEASE),
    /* Outliving the supervisor; leaving the sandbox. */
    PROCESS(PR_SET_PDEATHSIG), PROCESS(PR_SET_DUMPABLE), PROCESS(PR_SET_PTRACER), PROCESS(PR_SET_CHILD_SUBREAPER),
    PROCESS(PR_SET_SECUREBITS), PROCESS(PR_SET_KEEPCAPS), PROCESS(PR_SET_MM), PROCESS(PR_CAP_AMBIENT),
    FILE_SYSTEM('f'), FILE_SYSTEM('X'), FILE_SYSTEM('v'), FILE_SYSTEM('r'), FILE_SYSTEM(0x94), FILE_SYSTEM(0xf5),
    FILE_SYSTEM(0xbc), FILE_SYSTEM(0xcf),
};
/* clang-format on */

static int check(int result, struct error *err)
{
    /* Not an error: this machine does not have the call. */
    if (result == 0 || result == -EDOM || result == -EEXIST)
        return 0;
    return error_set(err, "cannot make the list of system calls: %s", strerror(-result));
}

static int refuse(scmp_filter_ctx filter, const int *calls, size_t count, int answer, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (check(seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)answer), calls[i], 0), err) < 0)
            return -1;
    return 0;
}

static int refuse_some(scmp_filter_ctx filter, struct error *err)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *row = &refusals[i];
        const uint64_t bits = row->bits == OUR_PID ? (uint64_t)getpid() : row->bits;
        const struct scmp_arg_cmp arguments[] = {
            {row->argument, row->mask ? SCMP_CMP_MASKED_EQ : SCMP_CMP_NE, row->mask ? row->mask : bits, bits},
            {row->argument + 1, SCMP_CMP_MASKED_EQ, row->next_bits, row->next_bits},
        };
        if (check(seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), row->call, row->next_bits ? 2 : 1,
                                         arguments),
                  err) < 0)
            return -1;
    }
    return 0;
}

/* libseccomp does not say why. */
static int fail_to_load(struct error *err)
{
    return error_set(err, "this kernel takes no list of system calls (seccomp), or a container refuses it");
}

/* Calls that libseccomp may not know get ENOSYS from a filter of their own: with a rule for each, libseccomp takes
 * milliseconds more in every process. Numbers from 424 on are the same on all machines that we build for. */
static int refuse_unknown(struct error *err)
{
    /* clang-format off */
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 451, 0, 6),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 600, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 451, 4, 0), /* cachestat */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 462, 3, 0), /* mseal */
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 456, 1, 0), /* map_shadow_stack, futex_wake, futex_wait, futex_requeue */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 453, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    /* clang-format on */
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    const unsigned long all_threads = SECCOMP_FILTER_FLAG_TSYNC,
                        fast = SECCOMP_FILTER_FLAG_SPEC_ALLOW; /* see load */
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all_threads | fast, &program);
    if (result < 0 && errno == EINVAL) /* before Linux 4.17 */
        result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all_threads, &program);
    return result == 0 ? 0 : fail_to_load(err);
}

static int load(scmp_filter_ctx filter, struct error *err)
{
    /* For all threads, and without the mitigation (SSB) that makes memory slower; newer kernels leave it out as well. */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    /* Calls of another architecture (32-bit ones on 64 bits) have other numbers, and no innocent use. */
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    return seccomp_load(filter) == 0 ? 0 : fail_to_load(err);
}

int syscalls_restrict(struct error *err)
{
    /* These hide their flags in memory, where a filter does not see them; the C library knows how to do without. */
    static const int hidden[] = {CALL(clone3), CALL(openat2)};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return error_set(err, "seccomp is not available");
    bool is_done = refuse(filter, refused, sizeof refused / sizeof *refused, EPERM, err) == 0 &&
                   refuse(filter, hidden, sizeof hidden / sizeof *hidden, ENOSYS, err) == 0 &&
                   refuse_some(filter, err) == 0 && refuse_unknown(err) == 0 && load(filter, err) == 0;
    seccomp_release(filter);
    return is_done ? 0 : -1;
}
