#include "os/child.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "os/resources.h"
#include "os/signals.h"

/* -- Inherited files --------------------------------------------------------------------------------------- */

static void close_files(unsigned first, unsigned last)
{
    const unsigned end = 65536; /* before Linux 5.9, which cannot close them at once */
    if (first > last || close_range(first, last, 0) == 0)
        return;
    for (unsigned fd = first; fd <= last && fd < end; fd++)
        close((int)fd);
}

void inherited_close(const int *kept, size_t count)
{
    for (unsigned first = STDERR_FILENO + 1, next = 0; next != UINT_MAX; first = next + 1) {
        next = UINT_MAX; /* the first kept file from there on */
        for (size_t i = 0; i < count; i++)
            if (kept[i] >= (int)first && (unsigned)kept[i] < next)
                next = (unsigned)kept[i];
        close_files(first, next == UINT_MAX ? next : next - 1);
    }
}

/* -- The child --------------------------------------------------------------------------------------------- */

/* A child that a hostile file took over may send anything. Pictures and meshes of ours are smaller than this. */
enum { MOST_BYTES = 1 << 30 };

static void become_child(const struct child *child, int fd, pid_t parent)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (signal(ends[i], SIG_DFL) == SIG_IGN) /* our handlers are for our own process */
            signal(ends[i], SIG_IGN);
    if (child->output) {
        dup2(child->output, STDOUT_FILENO);
        dup2(child->output, STDERR_FILENO);
    }
    inherited_close(&fd, 1);
}

static _Noreturn void make(const struct child *child, int fd)
{
    struct blob made = {0};
    int result = child->make(child->context, &made);
    fflush(NULL);
    bool is_sent = file_write(fd, (struct bytes){&(uint8_t){(uint8_t)result}, 1}) == 1 &&
                   file_write(fd, blob_bytes(&made)) == made.size;
    blob_release(&made);
    _exit(is_sent ? 0 : 1);
}

/* All that comes, up to the end; -1 when that is too much, or a signal ends the run, or it takes too long. */
static int read_all(const struct child *child, int fd, struct blob *out, struct error *err)
{
    const double longest_s = 3600; /* of one call, which counts in an int */
    const double end_s = child->timeout_s > 0 ? clock_now_s() + child->timeout_s : INFINITY;
    struct pollfd file = {.fd = fd, .events = POLLIN};
    size_t capacity = 0;
    for (;;) {
        double left_s = end_s - clock_now_s();
        int number = signals_first();
        if (number)
            return error_set(err, "the process that %s was ended by signal %d (%s)", child->task, number,
                             strsignal(number));
        if (left_s <= 0)
            return error_set(err, "the process that %s took longer than %g s", child->task, child->timeout_s);
        if (poll(&file, 1, (int)ceil(fmin(left_s, longest_s) * 1000)) <= 0)
            continue;
        if (out->size == capacity) {
            capacity = capacity ? 2 * capacity : 64 * 1024;
            uint8_t *data = realloc(out->data, capacity);
            if (!data)
                return error_set(err, "out of memory for what the process that %s says", child->task);
            out->data = data;
        }
        ssize_t got = read(fd, out->data + out->size, capacity - out->size);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return error_set(err, "cannot read what the process that %s says: %s", child->task, strerror(errno));
        out->size += got > 0 ? (size_t)got : 0;
        if (out->size > MOST_BYTES)
            return error_set(err, "more than %d bytes came from the process that %s", MOST_BYTES, child->task);
    }
}

/* The first byte is what `make` returned. */
static int take_result(const struct child *child, struct blob *answer, int status, struct blob *out,
                       struct error *err)
{
    char note[64];
    if (!child->make && WIFEXITED(status))
        return WEXITSTATUS(status);
    if (!child->make && WTERMSIG(status) == SIGPIPE)
        return 128 + SIGPIPE;
    if (WIFSIGNALED(status))
        return error_set(err, "the process that %s was killed by signal %d (%s)%s", child->task, WTERMSIG(status),
                         strsignal(WTERMSIG(status)), memory_note(UINT64_MAX, note));
    if (answer->size < 1 || WEXITSTATUS(status) != 0)
        return error_set(err, "the process that %s left with status %d", child->task, WEXITSTATUS(status));
    int result = answer->data[0];
    memmove(answer->data, answer->data + 1, --answer->size);
    *out = *answer;
    *answer = (struct blob){0};
    return result;
}

int child_run(const struct child *child, struct blob *out, struct error *err)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set(err, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL); /* the child would write what is buffered again */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become_child(child, ends[1], parent);
        if (child->make)
            make(child, ends[1]);
        return CHILD_IS_THIS;
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return error_set(err, "cannot start a process: %s", strerror(errno));
    }
    SCOPED_BY(blob_release) struct blob answer = {0};
    int status = 0, result = read_all(child, ends[0], &answer, err);
    kill(pid, SIGKILL); /* its answer has ended, so it has left, or never will */
    kill(-pid, SIGKILL);
    poll(&(struct pollfd){.fd = ends[0]}, 1, 1000); /* until nobody can write: then the group is gone, too */
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return result == 0 ? take_result(child, &answer, status, out, err) : result;
}
