#include "run/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "os/inherited.h"
#include "os/memory_use.h"
#include "os/signals.h"
#include "run/worker.h"

static const double LEAVE_S = 2.0;        /* what a worker gets to leave on its own when the run is over */
static const double LONGEST_POLL_S = 1.0; /* so that time in which we were stopped is seen as such */
static const double OVERSLEPT_S = 0.5;
static const double HOLD_S = 5.0; /* a disk may be slow, but whoever ends us will not wait for ever */
static const double WATCH_S =
    0.02; /* between two looks at memory, of which a worker fills some 20 MiB in that time */

enum { FORK_ATTEMPTS = 5 }; /* in a row, with no worker alive whose end might help */
enum { MOST_HEARD_AT_ONCE = 100 };

/* The first places of what is polled. */
enum { POLLED_END, POLLED_CHILD, POLLED_FIRST_WORKER };

enum { START_ATTEMPTS = 3 }; /* in a row, before a place in the pool is given up: a crash loop must end */

/* Processes that may die with an item that they were given, and have not taken. Once may be chance: somebody kills
 * an idle worker at that very moment. A worker that was taken over says it of the item that did it, as often as it
 * gets it. */
enum { UNTAKEN_BY_CHANCE = 1 };

static const double FORK_PAUSE_S = 0.5; /* after the system gave us no process */
static const double HANG_UP_S = 0.5;    /* to die in after it closed its socket, which only dying does */

/* -- Places for workers, as the supervisor sees them ---------------------------------------------------------- */

enum slot_state {
    SLOT_EMPTY,    /* no process */
    SLOT_STARTING, /* the process is in start() */
    SLOT_IDLE,
    SLOT_BUSY,    /* it was sent the item */
    SLOT_RETIRED, /* no process, and none will be started */
};

/* A place for a worker, as the supervisor sees it. */
struct slot {
    enum slot_state state;
    pid_t pid; /* 0: none */
    int fd;    /* -1 when there is no process, or it has hung up and is about to be reaped */
    bool has_item;
    uint64_t item; /* waits for the worker to start, or is with the worker when SLOT_BUSY */
    double since_s, deadline_s;
    bool timed_out, said_why; /* it was killed for its deadline; start() gave a reason to fail */
    bool too_large;           /* it was killed for its memory */
    bool spoke;               /* it has said something about the item that it has */
    bool babbled;             /* it was killed for what it said */
    unsigned untaken;  /* processes that were given the item and died, by their own account before they took it */
    bool was_spared;   /* its deadline was put off, for it was holding: once an item */
    bool took_item;    /* this process has begun an item, of which it may have finished any number */
    uint64_t peak_kib; /* of the process that was just reaped */
    unsigned failed_starts; /* processes in a row that did not */
    struct shared *shared;
};

struct pool {
    const struct pool_settings *settings;
    unsigned slot_count;
    struct slot *slots;
    void *shared; /* a struct shared for each slot, `shared_size` apart: whole pages, so that a worker can be left
                     its own */
    size_t shared_size;
    char *note;            /* the supervisor's copy of one: what is read of it stays as it was checked */
    struct pollfd *polled; /* POLLED_FIRST_WORKER others, then the workers that have a socket now */
    unsigned *polled_slots, polled_count;
    uint64_t *stranded; /* items whose slot was retired: for whoever is free */
    unsigned stranded_count;
    uint8_t *packet;

    bool over;
    enum pool_end end;
    bool any_started, any_failed, fork_failed;
    unsigned failed_forks; /* in a row, while no worker was alive */
    double start_at_s;     /* no process before this */
    bool told_trouble;
    struct error start_error; /* of the latest failed start */
    double next_tick_s, next_watch_s;

    int child_fd; /* readable when a worker has died */
    sigset_t old_mask;
    struct sigaction old_child_action;
};

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

static void start_worker(struct pool *pool, struct slot *slot)
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

static void send_item(struct pool *pool, struct slot *slot)
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

static bool receive_packet(struct pool *pool, struct slot *slot)
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

static void bury_worker(struct pool *pool, struct slot *slot, int status)
{
    slot->pid = 0;
    while (slot->fd >= 0 && receive_packet(pool, slot))
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

/* -- The supervisor ------------------------------------------------------------------------------------------- */

static void nap(double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(seconds * 1e9)}, NULL);
}

static void reap_workers(struct pool *pool, int flags)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        int status = 0;
        if (!slot->pid)
            continue;
        struct rusage usage = {0};
        pid_t pid;
        do {
            pid = wait4(slot->pid, &status, flags, &usage);
        } while (pid < 0 && errno == EINTR);
        slot->peak_kib = pid > 0 ? (uint64_t)usage.ru_maxrss : 0;
        if (pid != 0)
            bury_worker(pool, slot, status);
        slot->peak_kib = 0;
    }
}

static bool take_item(struct pool *pool, struct slot *slot)
{
    slot->untaken = 0;
    if (pool->stranded_count > 0) {
        slot->item = pool->stranded[--pool->stranded_count];
        slot->has_item = true;
    } else {
        slot->has_item =
            pool->settings->next(pool->settings->context, (unsigned)(slot - pool->slots), &slot->item);
    }
    return slot->has_item;
}

/* Free workers first, then processes for the empty slots: a worker that runs is better than a new one. */
static void hand_out_items(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->state == SLOT_IDLE && slot->fd >= 0 && (slot->has_item || take_item(pool, slot)))
            send_item(pool, slot);
    }
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        bool may_start = pool->any_started || !pool->any_failed;
        if (slot->state == SLOT_EMPTY && may_start && pool->start_at_s <= clock_now_s() &&
            (slot->has_item || take_item(pool, slot)))
            start_worker(pool, slot);
    }
}

/* Whether there is nothing left to wait for: all done, or no worker to do it. */
static void check_if_over(struct pool *pool, struct error *err)
{
    unsigned with_item = pool->stranded_count, usable = 0, dying = 0;
    for (unsigned i = 0; i < pool->slot_count; i++) {
        const struct slot *slot = &pool->slots[i];
        with_item += slot->has_item;
        usable += slot->pid != 0 || (slot->state == SLOT_EMPTY && (pool->any_started || !pool->any_failed));
        dying += slot->pid != 0 && slot->fd < 0; /* its successor has not been asked for yet */
    }
    if (pool->failed_forks >= FORK_ATTEMPTS)
        usable = 0;
    if (pool->over || dying > 0 || (with_item > 0 && usable > 0))
        return;
    pool->over = true;
    if (with_item == 0) {
        pool->end = POOL_DONE;
        return;
    }
    pool->end = pool->any_started || pool->fork_failed ? POOL_FAILED : POOL_START_FAILED;
    error_set(err, "%s", pool->start_error.text);
}

/* Whether a worker has died since this was last asked. */
static bool read_child_signals(struct pool *pool)
{
    struct signalfd_siginfo info;
    bool any = false;
    while (read(pool->child_fd, &info, sizeof info) == sizeof info)
        any = true;
    return any;
}

static void check_if_interrupted(struct pool *pool)
{
    if (!signals_first())
        return;
    pool->over = true;
    pool->end = POOL_INTERRUPTED;
}

static void move_clocks(struct pool *pool, double by_s)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        pool->slots[i].since_s += by_s;
        pool->slots[i].deadline_s += by_s;
    }
}

/* Waits until something may have happened, at most until `until_s`. When that took much longer than asked for,
 * we were stopped, and most likely the workers with us. */
static void wait_until(struct pool *pool, double until_s)
{
    pool->polled[POLLED_END] = (struct pollfd){.fd = signals_fd(), .events = POLLIN};
    pool->polled[POLLED_CHILD] = (struct pollfd){.fd = pool->child_fd, .events = POLLIN};
    pool->polled_count = POLLED_FIRST_WORKER;
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].fd < 0)
            continue;
        pool->polled_slots[pool->polled_count] = i;
        pool->polled[pool->polled_count++] = (struct pollfd){.fd = pool->slots[i].fd, .events = POLLIN};
    }

    double before_s = clock_now_s();
    double wait_s = fmin(fmax(until_s - before_s, 0), LONGEST_POLL_S);
    if (poll(pool->polled, pool->polled_count, (int)ceil(wait_s * 1000)) <= 0)
        pool->polled_count = 0;
    double overslept_s = clock_now_s() - before_s - wait_s;
    if (overslept_s > OVERSLEPT_S)
        move_clocks(pool, overslept_s);
}

/* Takes at most one packet of each worker, so that none has to wait for one that talks much. */
static void handle_events(struct pool *pool)
{
    for (unsigned i = POLLED_FIRST_WORKER; i < pool->polled_count; i++) {
        if (pool->polled[i].revents)
            receive_packet(pool, &pool->slots[pool->polled_slots[i]]);
    }
    if (read_child_signals(pool))
        reap_workers(pool, WNOHANG);
    check_if_interrupted(pool);
}

static double first_deadline(const struct pool *pool)
{
    double first_s = INFINITY;
    for (unsigned i = 0; i < pool->slot_count; i++)
        first_s = fmin(first_s, pool->slots[i].deadline_s);
    return pool->start_at_s > clock_now_s() ? fmin(first_s, pool->start_at_s) : first_s;
}

static double hold_s(const struct pool *pool)
{
    return pool->settings->hold_s > 0 ? pool->settings->hold_s : HOLD_S;
}

static bool holds(const struct slot *slot)
{
    return slot->pid && atomic_load(&slot->shared->holds);
}

static void kill_late_workers(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->pid && slot->deadline_s <= clock_now_s() && holds(slot) && !slot->was_spared) {
            slot->was_spared = true;
            slot->deadline_s = clock_now_s() + hold_s(pool);
        } else if (slot->pid && slot->deadline_s <= clock_now_s()) {
            slot->timed_out |= slot->fd >= 0; /* else it only takes too long to die, perhaps of this very limit */
            slot->deadline_s = INFINITY;
            kill(slot->pid, SIGKILL);
        }
    }
}

static void kill_large_workers(struct pool *pool)
{
    uint64_t limit = pool->settings->memory_limit;
    if (limit == 0 || clock_now_s() < pool->next_watch_s)
        return;
    pool->next_watch_s = clock_now_s() + WATCH_S;
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->pid && slot->fd >= 0 && !slot->too_large && memory_use(slot->pid) > limit) {
            slot->too_large = true;
            kill(slot->pid, SIGKILL);
        }
    }
}

static void tick(struct pool *pool)
{
    const struct pool_settings *settings = pool->settings;
    if (!settings->tick || settings->tick_s <= 0 || clock_now_s() < pool->next_tick_s)
        return;
    pool->next_tick_s = clock_now_s() + settings->tick_s;
    settings->tick(settings->context);
}

static void supervise(struct pool *pool, struct error *err)
{
    while (!pool->over) {
        check_if_interrupted(pool);
        if (pool->over)
            return;
        hand_out_items(pool);
        check_if_over(pool, err);
        if (pool->over)
            return;
        wait_until(pool, fmin(first_deadline(pool), fmin(pool->next_tick_s, pool->next_watch_s)));
        handle_events(pool);
        kill_late_workers(pool);
        kill_large_workers(pool);
        tick(pool);
    }
}

static bool has_processes(const struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].pid)
            return true;
    }
    return false;
}

/* All idle: they are told by the end of their sockets, and get a moment for finish(). */
static void let_workers_leave(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].fd >= 0)
            shutdown(pool->slots[i].fd, SHUT_WR);
    }
    double until_s = clock_now_s() + LEAVE_S;
    while (has_processes(pool) && clock_now_s() < until_s && pool->end == POOL_DONE) {
        wait_until(pool, until_s);
        handle_events(pool);
    }
}

/* It may have more to say than its socket holds. */
static void listen_to_worker(struct pool *pool, struct slot *slot)
{
    for (int i = 0; i < MOST_HEARD_AT_ONCE && slot->fd >= 0 && receive_packet(pool, slot); i++)
        ;
}

/* Kills all but those that hold; gives the number of these. */
static unsigned kill_workers(struct pool *pool)
{
    unsigned held = 0;
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (holds(slot)) {
            held++;
            listen_to_worker(pool, slot);
        } else if (slot->pid) {
            kill(slot->pid, SIGKILL);
        }
    }
    return held;
}

/* The run ended early, and none begins to hold any more. */
static void wait_for_held_workers(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++)
        atomic_store(&pool->slots[i].shared->ending, true);
    double until_s = clock_now_s() + hold_s(pool);
    while (kill_workers(pool) > 0 && clock_now_s() < until_s) {
        nap(0.01);
        reap_workers(pool, WNOHANG);
    }
}

static void end_workers(struct pool *pool)
{
    if (pool->end == POOL_DONE)
        let_workers_leave(pool);
    if (pool->end != POOL_DONE)
        wait_for_held_workers(pool);
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].pid)
            kill(pool->slots[i].pid, SIGKILL);
    }
    reap_workers(pool, 0);
}

/* What no worker had begun, after what workers had begun was ended with them. */
static void cancel_waiting_items(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        if (pool->slots[i].has_item)
            finish_item(pool, &pool->slots[i], OUTCOME_CANCELLED, 0);
    }
    while (pool->stranded_count > 0) {
        pool->slots[0].item = pool->stranded[--pool->stranded_count];
        finish_item(pool, &pool->slots[0], OUTCOME_CANCELLED, 0);
    }
}

/* Deaths come through a file like everything else we wait for. */
static int open_signals(struct pool *pool, struct error *err)
{
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    pool->child_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (pool->child_fd < 0)
        return error_set(err, "cannot wait for workers: %s", strerror(errno));
    if (signals_open(err) < 0) {
        close(pool->child_fd);
        return -1;
    }
    sigprocmask(SIG_BLOCK, &mask, &pool->old_mask);
    /* Whoever started us may have SIGCHLD ignored, and then children leave no status to wait for. */
    struct sigaction child_action = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &child_action, &pool->old_child_action);
    return 0;
}

static void close_signals(struct pool *pool)
{
    check_if_interrupted(pool); /* one that came in the last moment is not lost */
    read_child_signals(pool);
    sigaction(SIGCHLD, &pool->old_child_action, NULL);
    sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
    close(pool->child_fd);
}

static int share_memory(struct pool *pool, struct error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pool->shared_size = (sizeof(struct shared) + page - 1) / page * page;
    pool->shared = mmap(NULL, pool->slot_count * pool->shared_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return pool->shared == MAP_FAILED ? error_set(err, "cannot share memory with workers: %s", strerror(errno))
                                      : 0;
}

static struct shared *shared_of(const struct pool *pool, unsigned slot)
{
    return (void *)((char *)pool->shared + slot * pool->shared_size);
}

static int open_pool(struct pool *pool, struct error *err)
{
    unsigned count = pool->slot_count;
    if (share_memory(pool, err) < 0)
        return -1;
    if (open_signals(pool, err) < 0) {
        munmap(pool->shared, count * pool->shared_size);
        return -1;
    }
    pool->note = must_alloc(POOL_NOTE_SIZE, 1);
    pool->slots = must_alloc(count, sizeof *pool->slots);
    pool->polled = must_alloc(count + POLLED_FIRST_WORKER, sizeof *pool->polled);
    pool->polled_slots = must_alloc(count + POLLED_FIRST_WORKER, sizeof *pool->polled_slots);
    pool->stranded = must_alloc(count, sizeof *pool->stranded);
    pool->packet = must_alloc(POOL_MAX_MESSAGE + 1, 1);
    for (unsigned i = 0; i < count; i++)
        pool->slots[i] = (struct slot){.fd = -1, .deadline_s = INFINITY, .shared = shared_of(pool, i)};
    return 0;
}

static void close_pool(struct pool *pool)
{
    close_signals(pool);
    munmap(pool->shared, pool->slot_count * pool->shared_size);
    free(pool->note);
    free(pool->slots);
    free(pool->polled);
    free(pool->polled_slots);
    free(pool->stranded);
    free(pool->packet);
}

enum pool_end pool_run(const struct pool_settings *settings, int *signal_number, struct error *err)
{
    unsigned count = settings->worker_count;
    struct pool pool = {
        .settings = settings,
        .slot_count = count < 1                  ? 1
                      : count > POOL_MAX_WORKERS ? POOL_MAX_WORKERS
                                                 : count,
        .next_watch_s = settings->memory_limit ? 0 : INFINITY,
        .next_tick_s = settings->tick && settings->tick_s > 0 ? clock_now_s() : INFINITY,
    };
    if (open_pool(&pool, err) < 0)
        return POOL_FAILED;
    supervise(&pool, err);
    end_workers(&pool);
    cancel_waiting_items(&pool);
    close_pool(&pool);
    if (pool.end == POOL_INTERRUPTED)
        *signal_number = signals_first();
    signals_close();
    return pool.end;
}
