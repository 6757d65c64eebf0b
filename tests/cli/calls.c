/* Runs a program and lists the system calls of it and all its processes: calls FILE PROGRAM ARGUMENTS...
 * A line of FILE is the number of a call, or "open PATH". Ends as the program does. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

static FILE *list;

/* A text of a process, which may end at the last byte of a mapping. */
static void print_text(pid_t process, uint64_t address)
{
    char c;
    struct iovec here = {&c, 1}, there = {(void *)(uintptr_t)address, 1};
    while (process_vm_readv(process, &here, 1, &there, 1, 0) == 1 && c) {
        putc(c == '\n' ? '?' : c, list);
        there.iov_base = (char *)there.iov_base + 1;
    }
}

static void note_call(pid_t process)
{
    struct ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return;
    if (info.entry.nr == SYS_openat) {
        fputs("open ", list);
        print_text(process, info.entry.args[1]);
    } else {
        fprintf(list, "%llu", (unsigned long long)info.entry.nr);
    }
    putc('\n', list);
}

/* The signal that a stopped process is to get, or 0. New processes begin with a SIGSTOP. */
static int signal_of(pid_t process, int status)
{
    int number = WSTOPSIG(status);
    if (number == (SIGTRAP | 0x80))
        note_call(process);
    return number == (SIGTRAP | 0x80) || number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

int main(int argc, char **argv)
{
    const long options =
        PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    int status, result = 1;
    if (argc < 3)
        errx(2, "usage: calls FILE PROGRAM ARGUMENTS...");
    list = fopen(argv[1], "we");
    if (!list)
        err(2, "%s", argv[1]);
    pid_t program = fork(), process;
    if (program == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) {
            raise(SIGSTOP);
            execv(argv[2], argv + 2);
        }
        err(126, "%s", argv[2]);
    }
    if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, program, 0, options) < 0 || ptrace(PTRACE_SYSCALL, program, 0, 0) < 0)
        errx(2, "cannot trace");
    while ((process = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (process > 0 && WIFSTOPPED(status))
            ptrace(PTRACE_SYSCALL, process, 0, signal_of(process, status));
        else if (process == program)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return fclose(list) == 0 ? result : 2;
}
