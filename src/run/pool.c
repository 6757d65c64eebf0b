#include "run/pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "os/memory_use.h"
#include "os/signals.h"
#include "run/slot.h"
#include "run/worker.h"

static const double LEAVE_S = 2.0;        /* what a worker gets to leave on its own when the run is over */
static const double LONGEST_POLL_S = 1.0; /* so that time in which we were stopped is seen as such */
static const double OVERSLEPT_S = 0.5;
static const double HOLD_S = 5.0;   /* a disk may be slow, but whoever ends us will not wait for ever */
static const double WATCH_S = 0.02; /* between two looks at the memory of workers: some 20 MiB can be filled in that time */

enum { FORK_ATTEMPTS = 5 }; /* in a row, with no worker alive whose end might help */
enum { MOST_HEARD_AT_ONCE = 100 };

/* The first places of what is polled. */
enum { POLLED_END, POLLED_CHILD, POLLED_FIRST_WORKER };

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
            slot_bury(pool, slot, status);
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
        slot->has_item = pool->settings->next(pool->settings->context, (unsigned)(slot - pool->slots), &slot->item);
    }
    return slot->has_item;
}

/* Free workers first, then processes for the empty slots: a worker that runs is better than a new one. */
static void hand_out_items(struct pool *pool)
{
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        if (slot->state == SLOT_IDLE && slot->fd >= 0 && (slot->has_item || take_item(pool, slot)))
            slot_send_item(pool, slot);
    }
    for (unsigned i = 0; i < pool->slot_count; i++) {
        struct slot *slot = &pool->slots[i];
        bool may_start = pool->any_started || !pool->any_failed;
        if (slot->state == SLOT_EMPTY && may_start && pool->start_at_s <= clock_now_s() && (slot->has_item || take_item(pool, slot)))
            slot_start(pool, slot);
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
            slot_receive(pool, &pool->slots[pool->polled_slots[i]]);
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
    for (int i = 0; i < MOST_HEARD_AT_ONCE && slot->fd >= 0 && slot_receive(pool, slot); i++)
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
            slot_cancel_item(pool, &pool->slots[i]);
    }
    while (pool->stranded_count > 0) {
        pool->slots[0].item = pool->stranded[--pool->stranded_count];
        slot_cancel_item(pool, &pool->slots[0]);
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
    pool->shared = mmap(NULL, pool->slot_count * pool->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    return pool->shared == MAP_FAILED ? error_set(err, "cannot share memory with workers: %s", strerror(errno)) : 0;
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
