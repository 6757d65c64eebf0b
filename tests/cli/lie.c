/* A library for LD_PRELOAD: a worker that an attacker controls. Before its first message it does what LIE names. LIE_ONCE is
 * a file: only the worker that can create it lies. With LIE_ABOUT a worker lies before it starts a page whose name begins so.
 *
 *     pages     tells that its job has 2^32 - 1 pages
 *     claim     tells that its job has 65,536 pages, and dies
 *     names     names sheets in other folders
 *     flood     sends names of 256 MiB in all
 *     warnings  sends 10,000 warnings
 *     noise     sends 1,000 random messages
 *     babble    sends 2 million unknown messages of the largest size
 *     many      tells that it makes 2 million further sheets
 *     deny      writes zeros to all shared memory, and dies
 *     killed    is killed by SIGKILL
 *     shout     sends a packet of an unknown kind
 *     answer    says ANSWER in the place of each message, such as the result of check or thumb; a byte 1 of it stands for 0
 *     twos      writes 2 to each byte of shared memory before it says that it has finished */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[32 * 1024];

static void send_parts(int fd, struct iovec *parts, size_t count)
{
    const struct msghdr packet = {.msg_iov = parts, .msg_iovlen = count};
    if (syscall(SYS_sendmsg, fd, &packet, MSG_NOSIGNAL) < 0)
        _exit(1);
}

/* As src/run/messages.c and src/run/worker.c have it. */
static void say(int fd, char kind, uint32_t number, const char *what, size_t size)
{
    char head[6] = {'m', kind};
    memcpy(head + 2, &number, sizeof number);
    send_parts(fd, (struct iovec[]){{head, sizeof head}, {(void *)(uintptr_t)what, size}}, 2);
}

static void make_noise(int fd)
{
    for (int i = 0; i < 1000; i++) {
        for (size_t at = 0; at < 64; at++)
            text[at] = (char)rand();
        text[0] = 'm';
        send_parts(fd, &(struct iovec){text, 1 + (size_t)rand() % 63}, 1);
    }
}

static void fill_shared(int byte)
{
    char line[256];
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            memset((void *)from, byte, to - from);
    if (maps)
        fclose(maps);
}

static void lie(int fd, const char *what)
{
    memset(text, 'a', sizeof text - 1);
    if (!strcmp(what, "pages"))
        say(fd, 'p', UINT32_MAX, "", 1);
    if (!strcmp(what, "claim")) {
        say(fd, 'p', 65536, "", 1);
        _exit(1);
    }
    if (!strcmp(what, "names")) {
        static const char beside[] = "../../beside.png", below[] = "die/../../beside.png",
                          odd[] = "die\n::error::odd.png";
        say(fd, 'a', 0, beside, sizeof beside);
        say(fd, 'a', 0, below, sizeof below);
        say(fd, 'a', 0, odd, sizeof odd);
        say(fd, 's', 0, beside, sizeof beside);
    }
    memcpy(text, "die-", 4);
    for (int i = 0; i < 8 * 1024 && !strcmp(what, "flood"); i++)
        say(fd, 'a', 0, text, sizeof text);
    text[999] = '\0';
    for (int i = 0; i < 10 * 1000 && !strcmp(what, "warnings"); i++) {
        snprintf(text, sizeof text, "%990d", i);
        say(fd, 'w', 0, text, strlen(text) + 1);
    }
    if (!strcmp(what, "noise"))
        make_noise(fd);
    memset(text, 'z', sizeof text - 1);
    for (int i = 0; i < 2 * 1000 * 1000 && !strcmp(what, "babble"); i++)
        say(fd, 'z', 0, text, sizeof text);
    for (int i = 0; i < 2 * 1000 * 1000 && !strcmp(what, "many"); i++) {
        snprintf(text, sizeof text, "die@%d.png", i + 1);
        say(fd, 'a', 0, text, strlen(text) + 1);
    }
    if (!strcmp(what, "deny")) {
        fill_shared(0);
        _exit(1);
    }
    if (!strcmp(what, "killed"))
        raise(SIGKILL);
    if (!strcmp(what, "shout"))
        send_parts(fd, &(struct iovec){"x", 1}, 1);
}

/* Whether the packet starts a page whose name begins with LIE_ABOUT. Without LIE_ABOUT any packet will do. */
static int is_about(const struct msghdr *packet)
{
    const char *about = getenv("LIE_ABOUT"), *body = packet->msg_iov[1].iov_base;
    return !about || (packet->msg_iov[1].iov_len > 5 + strlen(about) && body[0] == 's' &&
                      !memcmp(body + 5, about, strlen(about)));
}

static int may_lie(void)
{
    const char *once = getenv("LIE_ONCE");
    return !once || open(once, O_CREAT | O_EXCL | O_CLOEXEC, 0600) >= 0;
}

ssize_t sendmsg(int fd, const struct msghdr *packet, int flags)
{
    static int has_lied;
    const char *what = getenv("LIE"), kind = *(char *)packet->msg_iov[0].iov_base;
    const char *answer = getenv("ANSWER");
    if (packet->msg_iovlen != 2) /* of the supervisor */
        return syscall(SYS_sendmsg, fd, packet, flags);
    const int is_message = kind == 'm' || (kind == 'f' && packet->msg_iov[1].iov_len > 0); /* or a result's end */
    if (what && !strcmp(what, "answer") && is_message) {
        const size_t size = strlen(answer);
        for (size_t i = 0; i < size; i++)
            text[i] = answer[i] == 1 ? '\0' : answer[i];
        send_parts(fd, (struct iovec[]){{(char *)&kind, 1}, {text, size}}, 2);
        return 1;
    }
    if (what && !strcmp(what, "twos") && kind == 'f')
        fill_shared(2);
    if (what && !has_lied && packet->msg_iov[0].iov_len == 1 && is_message && is_about(packet)) {
        has_lied = 1;
        if (may_lie())
            lie(fd, what);
    }
    return syscall(SYS_sendmsg, fd, packet, flags);
}
