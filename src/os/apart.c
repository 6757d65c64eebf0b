#include "os/apart.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "os/inherited.h"

/* What comes is as good as whoever took over that process: no more than any picture or mesh of ours. */
enum { MOST_BYTES = 1 << 30 };

static _Noreturn void work_apart(const struct sandbox_rules *rules, int (*make)(void *, struct blob *), void *context,
                                 int fd, pid_t parent)
{
    struct blob made = {0};
    struct error err;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    inherited_close(&fd, 1);
    if (getppid() != parent || sandbox_enter(rules, NULL, &err) < 0)
        _exit(1);
    int result = make(context, &made);
    fflush(NULL);
    bool is_told = file_write(fd, (struct bytes){&(uint8_t){(uint8_t)result}, 1}) == 1 &&
                   file_write(fd, blob_bytes(&made)) == made.size;
    blob_release(&made);
    _exit(is_told ? 0 : 1);
}

/* Whether there is something to read, or the end, before it is `end_s` o'clock. */
static bool wait_for_more(int fd, double end_s)
{
    const double longest_s = 3600; /* of one call, which counts in an int */
    struct pollfd file = {.fd = fd, .events = POLLIN};
    for (;;) {
        double left_s = end_s - clock_now_s();
        if (left_s <= 0)
            return false;
        if (poll(&file, 1, (int)ceil(fmin(left_s, longest_s) * 1000)) > 0)
            return true;
    }
}

/* All that comes, up to the end; -1 when that is too much, or takes too long. */
static int read_all(int fd, double timeout_s, struct blob *out, struct error *err)
{
    const double end_s = timeout_s > 0 ? clock_now_s() + timeout_s : INFINITY;
    size_t capacity = 0, size = 0;
    uint8_t *data = NULL;
    for (;;) {
        if (!wait_for_more(fd, end_s)) {
            free(data);
            return error_set(err, "the process that read it took longer than %g s", timeout_s);
        }
        if (size == capacity) {
            capacity = capacity ? 2 * capacity : 64 * 1024;
            data = must_realloc(data, capacity, 1);
        }
        ssize_t got = read(fd, data + size, capacity - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
        if (size > MOST_BYTES) {
            free(data);
            return error_set(err, "more than %d bytes came from the process that read it", MOST_BYTES);
        }
    }
    *out = (struct blob){data, size};
    return 0;
}

/* The first byte is what `make` returned. */
static int take_result(struct blob *answer, int status, struct blob *out, struct error *err)
{
    if (WIFSIGNALED(status))
        return error_set(err, "the process that read it was killed by signal %d (%s)", WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
    if (answer->size < 1 || WEXITSTATUS(status) != 0)
        return error_set(err, "the process that read it left with status %d", WEXITSTATUS(status));
    int result = answer->data[0];
    memmove(answer->data, answer->data + 1, --answer->size);
    *out = *answer;
    *answer = (struct blob){0};
    return result;
}

int sandbox_apart(struct sandbox_rules *rules, double timeout_s, int (*make)(void *context, struct blob *out),
                  void *context, struct blob *out, struct error *err)
{
    int ends[2];
    if (rules->mode == SANDBOX_OFF)
        return make(context, out);
    if (pipe(ends) < 0)
        return error_set(err, "cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        close(ends[0]);
        work_apart(rules, make, context, ends[1], parent);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return error_set(err, "cannot start a process: %s", strerror(errno));
    }
    struct blob answer = {0};
    int status = 0, result = read_all(ends[0], timeout_s, &answer, err);
    close(ends[0]);
    kill(child, SIGKILL); /* at the end of what it tells it is leaving with its status, or else will never */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (result == 0)
        result = take_result(&answer, status, out, err);
    blob_release(&answer);
    return result;
}
