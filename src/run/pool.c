#include "run/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
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

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/signals.h"

static const double LEAVE_S = 2.0;        /* in which a worker may leave by itself when the run is over */
static const double LONGEST_POLL_S = 1.0; /* so that we notice that the whole run was stopped for a while */
static const double OVERSLEPT_S = 0.5;
static const double HOLD_S = 5.0;       /* a disk may be slow, but somebody waits for the run to end */
static const double WATCH_S = 0.02;     /* between two looks at memory; a worker fills some 20 MiB in that time */
static const double FORK_PAUSE_S = 0.5; /* after the system gave us no process */
static const double HANG_UP_S = 0.5;    /* for a worker to die in after it closed its socket */

enum {
    FORK_ATTEMPTS = 5,  /* in a row, with no worker alive whose end might help */
    START_ATTEMPTS = 3, /* in a row, before a slot is retired: a crash loop must end */
    MOST_HEARD_AT_ONCE = 100,
    MOST_SHARES = 64, /* with an item */
};

static const uint64_t MOST_SHARED =
    1 << 30; /* bytes with a process, before a fresh one takes its place: memory_use does not
                                                see what it keeps of them */

/* Processes that may die with an item that they were sent and had not taken. Once may be chance: somebody kills an
 * idle worker at that very moment. A worker that was taken over says each time that it had not taken the item. */
enum { UNTAKEN_BY_CHANCE = 1 };

/* The first entries of what is polled. */
enum { POLLED_END, POLLED_CHILD, POLLED_INPUT, POLLED_FIRST_WORKER };

enum slot_state {
    SLOT_EMPTY,    /* no process */
    SLOT_STARTING, /* the process is in start() */
    SLOT_IDLE,
    SLOT_BUSY,    /* it was sent the item */
    SLOT_RETIRED, /* no process, and none will be started */
};

struct item {
    uint64_t number;
    char *text; /* NULL: none */
};

/* A slot for a worker, as the supervisor sees it. */
struct slot {
    enum slot_state state;
    pid_t pid; /* 0: none */
    int fd;    /* -1 when there is no process, or it has closed its socket and is about to be reaped */
    bool has_item;
    struct item item; /* waits for the worker to start, or is with the worker when SLOT_BUSY */
    struct buffer result;
    double since_s, deadline_s;
    enum outcome_kind cause; /* that it was killed for; OUTCOME_FINISHED: it was not */
    bool said_why;           /* start() gave a reason to fail */
    bool spoke;              /* it has sent something about its item */
    unsigned untaken;        /* processes that were sent the item and died, apparently before they took it */
    bool was_spared;         /* its deadline was put off because it was holding: once an item */
    bool took_item;          /* this process has begun at least one item */
    int memory_fd;           /* -1: its worker shares none */
    struct shared_memory memory;
    uint64_t memory_number,
        shared_bytes;       /* how often workers of this slot shared memory; what this process has had */
    unsigned shares;        /* with this item */
    struct slot *helped;    /* whose item it has, or NULL */
    uint64_t helped_number; /* the memory_number of that */
    uint64_t peak_kib;      /* of the process that was just reaped */
    unsigned failed_starts; /* processes in a row that did not start */
    struct shared *shared;
};

struct pool {
    const struct pool_settings *settings;
    unsigned slot_count;
    struct slot *slots, *slots_end;
    /* A struct shared for each slot, `shared_size` apart: whole pages, so that a worker can unmap the others. */
    void *shared;
    size_t shared_size;
    char *note;            /* a copy, so that the worker cannot change it between check and use */
    size_t note_size;      /* as much of it as the settings say */
    struct pollfd *polled; /* POLLED_FIRST_WORKER others, then the workers */
    uint64_t text_count;   /* items that `next_text` gave */
    struct item *stranded; /* items whose slot was retired: for any free worker */
    unsigned stranded_count;
    uint8_t *packet;

    bool over;
    enum pool_end end;
    bool any_started, any_failed, fork_failed;
    unsigned failed_forks; /* in a row, while no worker was alive */
    double start_at_s;     /* no process before this */
    bool are_fewer_reported;
    struct error start_error; /* of the latest failed start */
    double next_tick_s, next_watch_s, hold_s;

    int child_fd; /* readable when a worker has died */
    sigset_t old_mask;
    struct sigaction old_child_action;
};

/* In the fresh child: lets go of what belongs to the supervisor, and works. */
static _Noreturn void become_worker(struct pool *pool, struct slot *own, int fd, pid_t supervisor)
{
    const struct pool_settings *settings = pool->settings;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor)
        _exit(0);

    close(pool->child_fd);
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (slot->fd >= 0)
            close(slot->fd);
    /* The socket may have one of the numbers 0 to 2, if the supervisor was started without them. */
    int socket_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null_fd < 0) /* a root that has nothing in it */
        null_fd = memfd_create("nothing", MFD_CLOEXEC);
    if (socket_fd < 0 || null_fd < 0 || (null_fd != STDIN_FILENO && dup2(null_fd, STDIN_FILENO) < 0))
        _exit(WORKER_NOT_STARTED);
    if (null_fd != STDIN_FILENO)
        close(null_fd);

    /* All other files are the supervisor's, or were left open by what started it. */
    int *kept = must_alloc(settings->kept_count + 1, sizeof *kept);
    kept[0] = socket_fd;
    for (size_t i = 0; i < settings->kept_count; i++)
        kept[i + 1] = settings->kept_files[i];
    inherited_close(kept, settings->kept_count + 1);
    free(kept);

    /* No worker may touch what another one shares with the supervisor. */
    char *first = pool->shared, *ours = (char *)own->shared, *next = ours + pool->shared_size;
    char *end = first + pool->slot_count * pool->shared_size;
    if (ours > first)
        munmap(first, (size_t)(ours - first));
    if (next < end)
        munmap(next, (size_t)(end - next));

    sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
    worker_run(&settings->worker, socket_fd, own->shared);
}

static unsigned slot_index(const struct pool *pool, const struct slot *slot)
{
    return (unsigned)(slot - pool->slots);
}

static double deadline(double timeout_s)
{
    return timeout_s > 0 ? clock_now_s() + timeout_s : INFINITY;
}

/* Lets go of what a worker shares: no more are sent to help it. Those that do keep their own view of it. */
static void end_sharing(struct slot *slot)
{
    if (slot->memory_fd >= 0)
        close(slot->memory_fd);
    slot->memory_fd = -1;
}

/* Whether the memory that its worker is to help with is still shared. */
static bool is_helpful(const struct slot *slot)
{
    return slot->helped->memory_fd >= 0 && slot->helped->memory_number == slot->helped_number;
}

static void finish_help(struct slot *slot)
{
    if (is_helpful(slot)) /* it found nothing more to do, or died of it */
        end_sharing(slot->helped);
    slot->helped = NULL;
    slot->has_item = false;
}

static void finish_item(struct pool *pool, struct slot *slot, enum outcome_kind kind, int number)
{
    if (slot->helped) {
        finish_help(slot);
        return;
    }
    for (struct slot *other = pool->slots; kind != OUTCOME_FINISHED && other < pool->slots_end; other++)
        if (other->state == SLOT_BUSY && other->helped == slot && other->pid)
            kill(other->pid, SIGKILL); /* it works for nobody */
    end_sharing(slot);
    bool was_sent = slot->state == SLOT_BUSY;
    if (was_sent)
        memcpy(pool->note, slot->shared->note, pool->note_size);
    else
        memset(pool->note, 0, pool->note_size);
    pool->note[POOL_NOTE_SIZE - 1] = '\0';
    struct outcome outcome = {
        .kind = kind,
        .number = number,
        .seconds = was_sent ? clock_now_s() - slot->since_s : 0,
        .note = pool->note,
        .timeout_s = pool->settings->timeout_s,
        .memory_limit = pool->settings->memory_limit,
        .peak_kib = slot->peak_kib,
        .text = slot->item.text,
        .result = {(const uint8_t *)slot->result.text, slot->result.length},
    };
    slot->has_item = false;
    if (!pool->settings->done(pool->settings->context, slot_index(pool, slot), slot->item.number, &outcome) &&
        !pool->over) {
        pool->over = true;
        pool->end = POOL_STOPPED;
    }
    free(slot->item.text);
    buffer_release(&slot->result);
}

/* Once a run. */
static void call_fewer_workers(struct pool *pool)
{
    if (pool->settings->fewer_workers && !pool->are_fewer_reported)
        pool->settings->fewer_workers(pool->settings->context, pool->start_error.text);
    pool->are_fewer_reported = true;
}

/* Leaves its item to any free worker. */
static void strand_item(struct pool *pool, struct slot *slot)
{
    if (slot->has_item && !slot->helped)
        pool->stranded[pool->stranded_count++] = slot->item;
    slot->has_item = false;
    slot->helped = NULL;
}

static bool has_processes(const struct pool *pool)
{
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (slot->pid)
            return true;
    return false;
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
    if (fork_worker(pool, slot) < 0) { /* a process too many, for now */
        pool->fork_failed = true;
        pool->failed_forks = has_processes(pool) ? 0 : pool->failed_forks + 1;
        pool->start_at_s = clock_now_s() + FORK_PAUSE_S;
        strand_item(pool, slot);
        call_fewer_workers(pool);
        return;
    }
    pool->failed_forks = 0;
    slot->state = SLOT_STARTING;
    slot->cause = OUTCOME_FINISHED;
    slot->said_why = slot->took_item = false;
    slot->shared_bytes = 0;
    atomic_store(&slot->shared->holds, 0);
    slot->deadline_s = deadline(pool->settings->start_timeout_s);
}

/* Nothing more comes from this worker; it dies soon, or is killed. */
static void hang_up(struct slot *slot)
{
    close(slot->fd);
    slot->fd = -1;
    slot->deadline_s = fmin(slot->deadline_s, clock_now_s() + HANG_UP_S);
}

/* Sends a packet to a worker, with a file unless that is -1. Returns false when it has died. */
static bool send_packet(const struct slot *slot, const struct sent_item *item, int file)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)(uintptr_t)item, offsetof(struct sent_item, text) + strlen(item->text) + 1};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        packet.msg_control = &control;
        packet.msg_controllen = sizeof control;
        memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    }
    return sendmsg(slot->fd, &packet, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

/* Nobody may change the size of the memory: who reads above its end is killed. */
static void share_memory(struct pool *pool, struct slot *slot, struct bytes asked)
{
    struct sent_item answer = {0};
    end_sharing(slot);
    memcpy(&slot->memory, asked.data, sizeof slot->memory);
    const uint64_t size = slot->memory.size;
    slot->spoke = true;
    if (pool->slot_count > 1 && pool->settings->worker.help && size && size <= MOST_SHARED &&
        slot->shared_bytes <= MOST_SHARED)
        slot->memory_fd = memfd_create("shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (slot->memory_fd >= 0 &&
        (ftruncate(slot->memory_fd, (off_t)size) < 0 ||
         fcntl(slot->memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0))
        end_sharing(slot);
    if (slot->memory_fd >= 0) {
        slot->memory_number++;
        slot->shared_bytes += size;
        answer.memory = slot->memory;
    }
    if (!send_packet(slot, &answer, slot->memory_fd))
        hang_up(slot);
}

/* Gives a worker without an item that of another, which shares it. */
static bool take_help(struct pool *pool, struct slot *slot)
{
    for (struct slot *other = pool->slots; other < pool->slots_end; other++) {
        if (other->memory_fd < 0)
            continue;
        slot->item = (struct item){.number = other->item.number};
        slot->helped = other;
        slot->helped_number = other->memory_number;
        slot->has_item = true;
        return true;
    }
    return false;
}

static void send_item(struct pool *pool, struct slot *slot)
{
    memset(slot->shared->note, 0, pool->note_size);
    atomic_store(&slot->shared->taken, 0);
    slot->was_spared = slot->spoke = false;
    slot->since_s = clock_now_s(); /* the worker may be done before send() returns here */
    slot->shares = 0;
    struct sent_item item = {.number = slot->item.number};
    if (slot->item.text)
        snprintf(item.text, sizeof item.text, "%s", slot->item.text);
    if (slot->helped) {
        item.memory = slot->helped->memory;
        slot->shared_bytes += item.memory.size;
    }
    if (!send_packet(slot, &item, slot->helped ? slot->helped->memory_fd : -1)) {
        hang_up(slot); /* it died while idle; the item stays for the next process */
        return;
    }
    slot->state = SLOT_BUSY;
    slot->deadline_s = deadline(pool->settings->timeout_s);
}

static void kill_misbehaving(struct slot *slot)
{
    if (slot->pid)
        kill(slot->pid, SIGKILL);
    slot->cause = OUTCOME_MISBEHAVED;
    hang_up(slot);
}

/* Returns false where the worker is to be killed for it. */
static bool take_message(const struct pool *pool, struct slot *slot, struct bytes message)
{
    const struct pool_settings *settings = pool->settings;
    if (settings->message)
        return settings->message(settings->context, slot_index(pool, slot), slot->item.number, message);
    buffer_add(&slot->result, (const char *)message.data, message.size);
    return slot->result.length <= settings->most_result;
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
    } else if (kind == PACKET_SHARE && slot->state == SLOT_BUSY && !slot->helped &&
               body.size == sizeof(struct shared_memory) && slot->shares++ < MOST_SHARES) {
        share_memory(pool, slot, body);
    } else if (kind == PACKET_MESSAGE && slot->state == SLOT_BUSY && !slot->helped) {
        slot->spoke = true;
        if (!take_message(pool, slot, body))
            kill_misbehaving(slot);
    } else if (kind == PACKET_FINISHED && slot->state == SLOT_BUSY) {
        slot->spoke = true;
        if (body.size > 0 && (slot->helped || !take_message(pool, slot, body))) {
            kill_misbehaving(slot);
            return;
        }
        slot->took_item = true;
        slot->deadline_s = INFINITY;
        finish_item(pool, slot, OUTCOME_FINISHED, 0);
        slot->state = SLOT_IDLE;
        if (slot->shared_bytes > MOST_SHARED)
            hang_up(slot); /* it leaves */
    } else {
        kill_misbehaving(slot); /* no worker that is well sends this */
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
    char note[64];
    if (slot->cause == OUTCOME_TOO_LARGE)
        error_set(&pool->start_error, "a worker took more memory than its limit of %ju MiB %s",
                  (uintmax_t)(pool->settings->memory_limit >> 20), when);
    else if (slot->cause == OUTCOME_TIMED_OUT)
        error_set(&pool->start_error, "a worker did not start within %g s", pool->settings->start_timeout_s);
    else if (WIFSIGNALED(status))
        error_set(&pool->start_error, "a worker was killed by signal %d (%s) %s%s", WTERMSIG(status),
                  strsignal(WTERMSIG(status)), when, memory_note(MEMORY_TO_DRAW, note));
    else if (!slot->said_why)
        error_set(&pool->start_error, "a worker left with status %d %s", WEXITSTATUS(status), when);
}

static void handle_death(struct pool *pool, struct slot *slot, int status)
{
    slot->pid = 0;
    while (slot->fd >= 0 && receive_packet(pool, slot))
        ;
    if (slot->fd >= 0)
        close(slot->fd);
    slot->fd = -1;
    slot->deadline_s = INFINITY;

    /* A worker may have written anything into `taken`, so the item is to blame also for what we saw ourselves. */
    bool has_begun =
        atomic_load(&slot->shared->taken) || slot->spoke || slot->cause || slot->untaken >= UNTAKEN_BY_CHANCE;
    if (slot->state == SLOT_BUSY && (has_begun || slot->helped)) {
        slot->took_item = true;
        enum outcome_kind kind = pool->over            ? OUTCOME_CANCELLED
                                 : slot->cause         ? slot->cause
                                 : WIFSIGNALED(status) ? OUTCOME_SIGNALED
                                                       : OUTCOME_EXITED;
        int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        finish_item(pool, slot, kind, kind == OUTCOME_CANCELLED ? 0 : number);
    } else if (slot->state == SLOT_BUSY) {
        slot->untaken++;
    }
    if (!slot->took_item)
        explain_failed_start(pool, slot, status);
    slot->state = SLOT_EMPTY;
    if (slot->took_item) {
        slot->failed_starts = 0;
        return;
    }

    slot->failed_starts++;
    pool->any_failed = true;
    if (pool->over || (pool->any_started && slot->failed_starts < START_ATTEMPTS))
        return;
    slot->state = SLOT_RETIRED;
    strand_item(pool, slot);
    if (pool->any_started)
        call_fewer_workers(pool);
}

/* -- The supervisor ------------------------------------------------------------------------------------------- */

static void reap_workers(struct pool *pool, int flags)
{
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
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
            handle_death(pool, slot, status);
        slot->peak_kib = 0;
    }
}

static bool take_item(struct pool *pool, struct slot *slot)
{
    const struct pool_settings *settings = pool->settings;
    slot->untaken = 0;
    if (pool->stranded_count > 0) {
        slot->item = pool->stranded[--pool->stranded_count];
        slot->has_item = true;
    } else if (settings->next_text) {
        slot->item = (struct item){pool->text_count, settings->next_text(settings->context)};
        slot->has_item = slot->item.text != NULL;
        pool->text_count += slot->has_item;
    } else {
        slot->item.text = NULL;
        slot->has_item = settings->next(settings->context, slot_index(pool, slot), &slot->item.number);
    }
    return slot->has_item;
}

static bool has_work(struct pool *pool, struct slot *slot)
{
    if (slot->helped && !is_helpful(slot)) /* its process took long to start */
        finish_help(slot);
    return slot->has_item || take_item(pool, slot) || take_help(pool, slot);
}

static bool has_input(const struct pool *pool)
{
    return pool->settings->input && *pool->settings->input >= 0;
}

/* Whether there is nothing left to wait for: all done, or no worker to do it. */
static void check_if_over(struct pool *pool, struct error *err)
{
    unsigned with_item = pool->stranded_count + has_input(pool), usable = 0, dying = 0;
    for (const struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
        with_item += slot->has_item && !slot->helped;
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

/* Whether a worker has died since the last call. */
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

/* Waits until something may have happened, at most until `until_s`. When that took much longer than asked for,
 * we were stopped, and most likely the workers with us. */
static void wait_until(struct pool *pool, double until_s)
{
    pool->polled[POLLED_END] = (struct pollfd){.fd = signals_fd(), .events = POLLIN};
    pool->polled[POLLED_CHILD] = (struct pollfd){.fd = pool->child_fd, .events = POLLIN};
    pool->polled[POLLED_INPUT] = (struct pollfd){.fd = -1, .events = POLLIN};
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
        if (has_input(pool) && !slot->has_item && (slot->state == SLOT_EMPTY || slot->state == SLOT_IDLE))
            pool->polled[POLLED_INPUT].fd = *pool->settings->input; /* it could take one at once */
        pool->polled[POLLED_FIRST_WORKER + slot_index(pool, slot)] =
            (struct pollfd){.fd = slot->fd, .events = POLLIN}; /* none where that is -1 */
    }

    double before_s = clock_now_s();
    double wait_s = fmin(fmax(until_s - before_s, 0), LONGEST_POLL_S);
    poll(pool->polled, POLLED_FIRST_WORKER + pool->slot_count, (int)ceil(wait_s * 1000));
    double overslept_s = clock_now_s() - before_s - wait_s;
    if (overslept_s < OVERSLEPT_S)
        return;
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
        slot->since_s += overslept_s;
        slot->deadline_s += overslept_s;
    }
}

/* Takes at most one packet of each worker, so that none has to wait for one that sends many. */
static void handle_events(struct pool *pool)
{
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (pool->polled[POLLED_FIRST_WORKER + slot_index(pool, slot)].revents)
            receive_packet(pool, slot);
    if (pool->polled[POLLED_CHILD].revents && read_child_signals(pool))
        reap_workers(pool, WNOHANG);
    check_if_interrupted(pool);
}

static bool holds(const struct slot *slot)
{
    return slot->pid && atomic_load(&slot->shared->holds);
}

static void kill_late_workers(struct pool *pool)
{
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
        if (!slot->pid || slot->deadline_s > clock_now_s())
            continue;
        if (holds(slot) && !slot->was_spared) {
            slot->was_spared = true;
            slot->deadline_s = clock_now_s() + pool->hold_s;
            continue;
        }
        if (slot->fd >= 0 && !slot->cause) /* else it only takes too long to die, perhaps of this very limit */
            slot->cause = OUTCOME_TIMED_OUT;
        slot->deadline_s = INFINITY;
        kill(slot->pid, SIGKILL);
    }
}

static void kill_large_workers(struct pool *pool)
{
    uint64_t limit = pool->settings->memory_limit;
    if (limit == 0 || clock_now_s() < pool->next_watch_s)
        return;
    pool->next_watch_s = clock_now_s() + WATCH_S;
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (slot->pid && slot->fd >= 0 && !slot->cause && memory_use(slot->pid) > limit) {
            slot->cause = OUTCOME_TOO_LARGE;
            kill(slot->pid, SIGKILL);
        }
}

static void supervise(struct pool *pool, struct error *err)
{
    const struct pool_settings *settings = pool->settings;
    for (;;) {
        check_if_interrupted(pool);
        /* Free workers first, then processes for the empty slots: a worker that runs is better than a new one. */
        for (struct slot *slot = pool->slots; slot < pool->slots_end && !pool->over; slot++)
            if (slot->state == SLOT_IDLE && slot->fd >= 0 && has_work(pool, slot))
                send_item(pool, slot);
        for (struct slot *slot = pool->slots; slot < pool->slots_end && !pool->over; slot++)
            if (slot->state == SLOT_EMPTY && (pool->any_started || !pool->any_failed) &&
                pool->start_at_s <= clock_now_s() && has_work(pool, slot))
                start_worker(pool, slot);
        check_if_over(pool, err);
        if (pool->over)
            return;

        double until_s = fmin(pool->next_tick_s, pool->next_watch_s);
        for (const struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
            until_s = fmin(until_s, slot->deadline_s);
        wait_until(pool, pool->start_at_s > clock_now_s() ? fmin(until_s, pool->start_at_s) : until_s);
        handle_events(pool);
        kill_late_workers(pool);
        kill_large_workers(pool);
        if (pool->next_tick_s <= clock_now_s()) {
            pool->next_tick_s = clock_now_s() + settings->tick_s;
            settings->tick(settings->context);
        }
    }
}

/* All are idle but those that help. The end of their sockets tells them to leave, and they get a moment for finish(). */
static void let_workers_leave(struct pool *pool)
{
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
        if (slot->helped && slot->pid)
            kill(slot->pid, SIGKILL);
        else if (slot->fd >= 0)
            shutdown(slot->fd, SHUT_WR);
    }
    double until_s = clock_now_s() + LEAVE_S;
    while (has_processes(pool) && clock_now_s() < until_s && pool->end == POOL_DONE) {
        wait_until(pool, until_s);
        handle_events(pool);
    }
}

/* The run ended early: kills all workers but those that hold, and waits for these. */
static void wait_for_held_workers(struct pool *pool)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    double until_s = clock_now_s() + pool->hold_s;
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        atomic_store(&slot->shared->ending, 1); /* none begins to hold any more */
    for (;;) {
        bool any_holds = false;
        for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++) {
            if (holds(slot)) {
                any_holds = true;
                /* It may have more to send than its socket holds. */
                for (int i = 0; i < MOST_HEARD_AT_ONCE && slot->fd >= 0 && receive_packet(pool, slot); i++)
                    ;
            } else if (slot->pid) {
                kill(slot->pid, SIGKILL);
            }
        }
        if (!any_holds || clock_now_s() >= until_s)
            return;
        nanosleep(&pause, NULL);
        reap_workers(pool, WNOHANG);
    }
}

static void end_workers(struct pool *pool)
{
    if (pool->end == POOL_DONE)
        let_workers_leave(pool);
    if (pool->end != POOL_DONE)
        wait_for_held_workers(pool);
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (slot->pid)
            kill(slot->pid, SIGKILL);
    reap_workers(pool, 0);

    /* Workers had these only waiting for them. */
    for (struct slot *slot = pool->slots; slot < pool->slots_end; slot++)
        if (slot->has_item)
            finish_item(pool, slot, OUTCOME_CANCELLED, 0);
    while (pool->stranded_count > 0) {
        pool->slots[0].item = pool->stranded[--pool->stranded_count];
        finish_item(pool, &pool->slots[0], OUTCOME_CANCELLED, 0);
    }
}

/* Deaths come through a file, as everything else does that we wait for. */
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
    /* The process that started us may ignore SIGCHLD, and then children leave no status to wait for. */
    struct sigaction child_action = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &child_action, &pool->old_child_action);
    return 0;
}

static int open_pool(struct pool *pool, struct error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = pool->slot_count;
    pool->shared_size = (sizeof(struct shared) + page - 1) / page * page;
    pool->shared =
        mmap(NULL, count * pool->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool->shared == MAP_FAILED)
        return error_set(err, "cannot share memory with workers: %s", strerror(errno));
    if (open_signals(pool, err) < 0) {
        munmap(pool->shared, count * pool->shared_size);
        return -1;
    }
    pool->note = must_alloc(POOL_NOTE_SIZE, 1);
    pool->slots = must_alloc(count, sizeof *pool->slots);
    pool->slots_end = pool->slots + count;
    pool->polled = must_alloc(count + POLLED_FIRST_WORKER, sizeof *pool->polled);
    pool->stranded = must_alloc(count, sizeof *pool->stranded);
    pool->packet = must_alloc(POOL_MAX_MESSAGE + 1, 1);
    for (size_t i = 0; i < count; i++)
        pool->slots[i] = (struct slot){.fd = -1,
                                       .memory_fd = -1,
                                       .deadline_s = INFINITY,
                                       .shared = (void *)((char *)pool->shared + i * pool->shared_size)};
    return 0;
}

static void close_pool(struct pool *pool)
{
    check_if_interrupted(pool); /* by a signal in the last moment */
    read_child_signals(pool);
    sigaction(SIGCHLD, &pool->old_child_action, NULL);
    sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
    close(pool->child_fd);
    munmap(pool->shared, pool->slot_count * pool->shared_size);
    free(pool->note);
    free(pool->slots);
    free(pool->polled);
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
        .hold_s = settings->hold_s > 0 ? settings->hold_s : HOLD_S,
        .note_size = settings->note_size ? settings->note_size : POOL_NOTE_SIZE,
    };
    if (open_pool(&pool, err) < 0)
        return POOL_FAILED;
    supervise(&pool, err);
    end_workers(&pool);
    close_pool(&pool);
    if (pool.end == POOL_INTERRUPTED)
        *signal_number = signals_first();
    signals_close();
    return pool.end;
}

/* -- Without processes --------------------------------------------------------------------------------------- */

struct pool_here {
    const struct pool_settings *settings;
    uint64_t item;
};

static bool take_here(void *context, struct bytes message)
{
    const struct pool_here *here = context;
    return here->settings->message(here->settings->context, 0, here->item, message);
}

enum pool_end pool_run_here(const struct pool_settings *settings, int *signal_number, struct error *err)
{
    const struct worker_calls *calls = &settings->worker;
    struct pool_here here = {.settings = settings};
    struct worker worker = {.fd = -1, .shared = must_alloc(1, sizeof *worker.shared), take_here, &here};
    enum pool_end end = calls->start(calls->context, &worker, err) < 0 ? POOL_START_FAILED : POOL_DONE;
    bool has_started = end == POOL_DONE;
    while (end == POOL_DONE && settings->next(settings->context, 0, &here.item)) {
        double since_s = clock_now_s();
        memset(worker.shared->note, 0, POOL_NOTE_SIZE);
        worker.at_work = true;
        calls->work(calls->context, &worker, here.item);
        worker.at_work = false;
        const struct outcome outcome = {.seconds = clock_now_s() - since_s, .note = worker.shared->note};
        *signal_number = signals_first();
        if (!settings->done(settings->context, 0, here.item, &outcome))
            end = POOL_STOPPED;
        else if (*signal_number)
            end = POOL_INTERRUPTED;
    }
    if (has_started)
        calls->finish(calls->context);
    free(worker.shared);
    return end;
}
