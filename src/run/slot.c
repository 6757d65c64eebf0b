#include "run/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "os/signals.h"
#include "run/worker.h"
#include "os/inherited.h"

enum { START_ATTEMPTS = 3 }; /* in a row, before a place in the pool is given up: a crash loop must end */

/* Processes that may die with an item that they were given, and have not taken. Once may be chance: somebody kills
 * an idle worker at that very moment. A worker that was taken over says it of the item that did it, as often as it
 * gets it. */
enum { UNTAKEN_BY_CHANCE = 1 };

static const double FORK_PAUSE_S = 0.5; /* after the system gave us no process */

static const double HANG_UP_S = 0.5; /* to die in after it closed its socket, which only dying does */

/* All else that is open is the supervisor's, or whoever started it forgot to close it. */
static void keep_files(const struct pool_settings *settings, int socket_fd)
{
    int *kept = must_alloc(settings->kept_count + 1, sizeof *kept);
    for (size_t i = 0; i < settings->kept_count; i++)
        kept[i] = settings->kept_files[i];
    kept[settings->kept_count] = socket_fd;
    inherited_close(kept, settings->kept_count + 1);
    free(kept);
}

/* What the other workers share with the supervisor is none of this one's business. */
static void keep_one_share(const struct pool *pool, const struct slot *slot)
{
    char *first = pool->shared, *ours = (char *)slot->shared, *next = ours + pool->shared_size;
    char *end = first + pool->slot_count * pool->shared_size;
    if (ours > first)
        munmap(first, (size_t)(ours - first));
    if (next < end)
        munmap(next, (size_t)(end - next));
}

/* In the fresh child: lets go of what belongs to the supervisor. */
static _Noreturn void become_worker(struct pool *pool, struct slot *slot, int fd, pid_t supervisor)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor)
        _exit(0);

    close(pool->child_fd);
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].fd >= 0)
            close(pool->slots[i].fd);
    }
    /* The socket may have one of the numbers 0 to 2, if the supervisor was started without them. */
    int socket_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (socket_fd < 0 || null_fd < 0 || (null_fd != STDIN_FILENO && dup2(null_fd, STDIN_FILENO) < 0))
        _exit(WORKER_NOT_STARTED);
    if (null_fd != STDIN_FILENO)
        close(null_fd);
    keep_files(pool->settings, socket_fd);
    keep_one_share(pool, slot);

    sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);

    worker_run(pool->settings, socket_fd, slot->shared);
}

static unsigned slot_index(const struct pool *pool, const struct slot *slot)
{
    return (unsigned)(slot - pool->slots);
}

static double deadline(double timeout_s)
{
    return timeout_s > 0 ? clock_now_s() + timeout_s : INFINITY;
}

static void finish_item(struct pool *pool, struct slot *slot, enum outcome_kind kind, int number)
{
    bool was_sent = slot->state == SLOT_BUSY;
    if (was_sent)
        memcpy(pool->note, slot->shared->note, POOL_NOTE_SIZE);
    else
        memset(pool->note, 0, POOL_NOTE_SIZE);
    pool->note[POOL_NOTE_SIZE - 1] = '\0';
    struct outcome outcome = {
        .kind = kind,
        .number = number,
        .seconds = was_sent ? clock_now_s() - slot->since_s : 0,
        .note = pool->note,
        .timeout_s = pool->settings->timeout_s,
        .memory_limit = pool->settings->memory_limit,
        .peak_kib = slot->peak_kib,
    };
    slot->has_item = false;
    if (!pool->settings->done(pool->settings->context, slot_index(pool, slot), slot->item, &outcome) &&
        !pool->over) {
        pool->over = true;
        pool->end = POOL_STOPPED;
    }
}

/* Once a run. */
static void tell_trouble(struct pool *pool)
{
    if (pool->settings->trouble && !pool->told_trouble)
        pool->settings->trouble(pool->settings->context, pool->start_error.text);
    pool->told_trouble = true;
}

/* Leaves its item to whoever is free. */
static void strand_item(struct pool *pool, struct slot *slot)
{
    if (slot->has_item)
        pool->stranded[pool->stranded_count++] = slot->item;
    slot->has_item = false;
}

/* A process of this slot died before it had begun any item. */
static void count_failed_start(struct pool *pool, struct slot *slot)
{
    slot->failed_starts++;
    pool->any_failed = true;
    if (pool->over || (pool->any_started && slot->failed_starts < START_ATTEMPTS))
        return;
    slot->state = SLOT_RETIRED;
    strand_item(pool, slot);
    if (pool->any_started)
        tell_trouble(pool);
}

static bool any_process(const struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].pid)
            return true;
    return false;
}

/* A process too many, for now. */
static void put_off_start(struct pool *pool, struct slot *slot)
{
    pool->fork_failed = true;
    pool->failed_forks = any_process(pool) ? 0 : pool->failed_forks + 1;
    pool->start_at_s = clock_now_s() + FORK_PAUSE_S;
    strand_item(pool, slot);
    tell_trouble(pool);
}

static int fork_worker(struct pool *pool, struct slot *slot)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set(&pool->start_error, "cannot make a socket pair: %s", strerror(errno));

    /* If a library in the worker calls exit(), what we have buffered must not be written a second time. */
    fflush(NULL);
    pid_t supervisor = getpid();
    pid_t pid = signals_fork();
    if (pid == 0) {
        close(pair[0]);
        become_worker(pool, slot, pair[1], supervisor);
    }
    int reason = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return error_set(&pool->start_error, "cannot start a process: %s", strerror(reason));
    }
    slot->pid = pid;
    slot->fd = pair[0];
    return 0;
}

void slot_start(struct pool *pool, struct slot *slot)
{
    if (fork_worker(pool, slot) < 0) {
        put_off_start(pool, slot);
        return;
    }
    pool->failed_forks = 0;
    slot->state = SLOT_STARTING;
    slot->timed_out = slot->too_large = slot->babbled = slot->said_why = slot->took_item = false;
    atomic_store(&slot->shared->holds, 0);
    slot->deadline_s = deadline(pool->settings->start_timeout_s);
}

/* Nothing more comes from this worker; it is reaped soon, or else ended. */
static void hang_up(struct slot *slot)
{
    close(slot->fd);
    slot->fd = -1;
    slot->deadline_s = fmin(slot->deadline_s, clock_now_s() + HANG_UP_S);
}

void slot_send_item(struct pool *pool, struct slot *slot)
{
    memset(slot->shared->note, 0, sizeof slot->shared->note);
    atomic_store(&slot->shared->taken, 0);
    slot->was_spared = slot->spoke = false;
    slot->since_s = clock_now_s(); /* the worker may be done before send() returns here */
    if (send(slot->fd, &slot->item, sizeof slot->item, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        hang_up(slot); /* it died while idle; the item stays for the next process */
        return;
    }
    slot->state = SLOT_BUSY;
    slot->deadline_s = deadline(pool->settings->timeout_s);
}

/* What it says after that is not heard any more. */
static void end_babbler(struct slot *slot)
{
    if (slot->pid)
        kill(slot->pid, SIGKILL);
    slot->babbled = true;
    hang_up(slot);
}

static void handle_packet(struct pool *pool, struct slot *slot, struct bytes packet)
{
    struct bytes body = {packet.data + 1, packet.size - 1};
    uint8_t kind = packet.data[0];
    if (kind == PACKET_STARTED && slot->state == SLOT_STARTING) {
        slot->state = SLOT_IDLE;
        slot->deadline_s = INFINITY;
        pool->any_started = true;
    } else if (kind == PACKET_NOT_STARTED && slot->state == SLOT_STARTING) {
        slot->said_why = true;
        error_set(&pool->start_error, "%.*s", (int)body.size, (const char *)body.data);
    } else if (kind == PACKET_MESSAGE && slot->state == SLOT_BUSY) {
        slot->spoke = true;
        if (pool->settings->message &&
            !pool->settings->message(pool->settings->context, slot_index(pool, slot), slot->item, body))
            end_babbler(slot);
    } else if (kind == PACKET_FINISHED && slot->state == SLOT_BUSY) {
        slot->took_item = true;
        slot->deadline_s = INFINITY;
        finish_item(pool, slot, OUTCOME_FINISHED, 0);
        slot->state = SLOT_IDLE;
    } else {
        end_babbler(slot); /* memory gone mad: it speaks, but not our language */
    }
}

bool slot_receive(struct pool *pool, struct slot *slot)
{
    ssize_t size;
    do {
        size = recv(slot->fd, pool->packet, POOL_MAX_MESSAGE + 1, MSG_DONTWAIT);
    } while (size < 0 && errno == EINTR);
    if (size > 0) {
        handle_packet(pool, slot, (struct bytes){pool->packet, (size_t)size});
        return true;
    }
    if (size == 0 || errno != EAGAIN) /* ECONNRESET is a death with an unread item, so with nothing more to say */
        hang_up(slot);
    return false;
}

static void explain_failed_start(struct pool *pool, const struct slot *slot, int status)
{
    const char *when = slot->state == SLOT_STARTING ? "while it started" : "before its first item";
    if (slot->too_large)
        error_set(&pool->start_error, "a worker took more memory than its limit of %ju MiB %s",
                  (uintmax_t)(pool->settings->memory_limit >> 20), when);
    else if (slot->timed_out)
        error_set(&pool->start_error, "a worker did not start within %g s", pool->settings->start_timeout_s);
    else if (WIFSIGNALED(status))
        error_set(&pool->start_error, "a worker was killed by signal %d (%s) %s", WTERMSIG(status),
                  strsignal(WTERMSIG(status)), when);
    else if (!slot->said_why)
        error_set(&pool->start_error, "a worker left with status %d %s", WEXITSTATUS(status), when);
}

/* How a worker's death ends the item it had. */
static void lose_item(struct pool *pool, struct slot *slot, int status)
{
    if (pool->over)
        finish_item(pool, slot, OUTCOME_CANCELLED, 0);
    else if (slot->too_large)
        finish_item(pool, slot, OUTCOME_TOO_LARGE, SIGKILL);
    else if (slot->timed_out)
        finish_item(pool, slot, OUTCOME_TIMED_OUT, SIGKILL);
    else if (slot->babbled)
        finish_item(pool, slot, OUTCOME_BABBLED, SIGKILL);
    else if (WIFSIGNALED(status))
        finish_item(pool, slot, OUTCOME_SIGNALED, WTERMSIG(status));
    else
        finish_item(pool, slot, OUTCOME_EXITED, WEXITSTATUS(status));
}

/* Whether the item is to be blamed for the death, whatever the worker has left in the shared memory. */
static bool has_begun(const struct slot *slot)
{
    return atomic_load(&slot->shared->taken) || slot->spoke || slot->timed_out || slot->too_large ||
           slot->babbled || slot->untaken >= UNTAKEN_BY_CHANCE;
}

void slot_bury(struct pool *pool, struct slot *slot, int status)
{
    slot->pid = 0;
    while (slot->fd >= 0 && slot_receive(pool, slot))
        ;
    if (slot->fd >= 0)
        close(slot->fd);
    slot->fd = -1;
    slot->deadline_s = INFINITY;

    if (slot->state == SLOT_BUSY && has_begun(slot)) {
        slot->took_item = true;
        lose_item(pool, slot, status);
    } else if (slot->state == SLOT_BUSY) {
        slot->untaken++;
    }
    if (!slot->took_item)
        explain_failed_start(pool, slot, status);
    slot->state = SLOT_EMPTY;
    if (slot->took_item)
        slot->failed_starts = 0;
    else
        count_failed_start(pool, slot);
}

void slot_cancel_item(struct pool *pool, struct slot *slot)
{
    finish_item(pool, slot, OUTCOME_CANCELLED, 0);
}
