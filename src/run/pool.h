/* A pool of worker processes that work on numbered items. It knows nothing of what the items are.
 *
 * The supervisor (the process that calls pool_run) asks `next` for an item whenever a worker is free, and calls
 * `message` and `done` as things happen. A worker that dies or takes longer than the time limit costs the item
 * it had: `done` is told how, and a fresh worker takes its place. One that dies without an item is replaced
 * quietly. Supervisor and workers talk over one socket pair each, in small messages; what the items are is
 * inherited by fork. A worker is forked when there is a first item for it, so a short list starts few.
 *
 *     supervisor: next -> item ......................... message* .......... done
 *     worker:     start, then for each item: work(item) { worker_send()* }, then finish
 *
 * A worker may have been taken over by what it reads. Whatever it sends, does to itself, or writes into the memory
 * that it shares, costs the item that it has and those that it is given later, and neither the items of others nor
 * the run.
 *
 * Callbacks of the supervisor run in its one thread, one at a time. Each item that `next` gave gets exactly one
 * `done`, however the run ends, and all its messages before that.
 *
 * Workers read nothing (their standard input is /dev/null), have no other open files than the standard
 * ones, their socket and those that they are told to keep, die with the supervisor, leave by _exit (no atexit
 * handlers, no flushing of what the supervisor had buffered) and ignore SIGINT, SIGTERM and SIGHUP, which a
 * terminal sends to all of them: ending the run is the supervisor's business. During pool_run it catches those
 * signals (os/signals.h) and blocks SIGCHLD; before it returns, everything is as it was. */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum { POOL_MAX_WORKERS = 1024, POOL_MAX_MESSAGE = 60 * 1024, POOL_NOTE_SIZE = 64 * 1024 };

/* A worker's own end. */
struct worker;

/* Sends a message (of at most POOL_MAX_MESSAGE bytes) to the supervisor's `message`, waiting while the
 * supervisor is behind; -1 when it is gone. Only during work(). */
int worker_send(struct worker *worker, struct bytes message);

/* This process is to leave after the item that it has; a fresh one takes its place where there is more to do. Only
 * during work(). */
void worker_leave(struct worker *worker);

/* POOL_NOTE_SIZE bytes, aligned for any type, that the supervisor can still read when the worker has died. Zeroed
 * at each item. */
char *worker_note(struct worker *worker);

/* Between hold(true) and hold(false), or the end of the item where that comes first, the worker is at something
 * better not left half done: a run that is ended early, or an item whose time is up, waits for it, for `hold_s` at
 * most. What it holds to its end has finished. When the run is ending already, hold(true) does not return. */
void worker_hold(struct worker *worker, bool hold);

/* How an item ended. */
enum outcome_kind {
    OUTCOME_FINISHED,  /* work() returned */
    OUTCOME_SIGNALED,  /* the worker was killed by a signal while it had the item */
    OUTCOME_EXITED,    /* the worker left on its own while it had the item */
    OUTCOME_TIMED_OUT, /* took longer than the limit and was killed */
    OUTCOME_TOO_LARGE, /* took more memory than the limit and was killed */
    OUTCOME_BABBLED,   /* said what makes no sense, or `message` had enough of it, and was killed */
    OUTCOME_CANCELLED, /* the run ended first: no fault of the item's */
};

struct outcome {
    enum outcome_kind kind;
    int number;            /* the signal, or the exit status */
    double timeout_s;      /* that of the pool */
    uint64_t memory_limit; /* as well */
    uint64_t peak_kib;     /* the most memory that a worker which died has held; 0 when it lives */
    double seconds;        /* since the worker was given the item; 0 when none was yet */
    const char *note; /* the worker's note as it left it, its last byte 0; all zero when no worker was given the
                         item yet */
};

struct pool_settings {
    unsigned worker_count;
    double timeout_s;      /* per item; 0: none. Time in which the supervisor itself was stopped (Ctrl-Z)
                              does not count */
    uint64_t memory_limit; /* bytes that a worker may have for itself; 0: any number. It is looked at fifty times a
                              second */
    double start_timeout_s; /* for `start`, in the same way */
    double hold_s;          /* the most that a worker which holds is waited for; 0: five seconds */
    double tick_s;          /* `tick` is called about this often; 0: never */
    void *context;          /* handed to the callbacks of the supervisor, and */
    void *worker_context;   /* to those of the worker, which has its own copy after the fork */
    const int *kept_files;  /* that stay open in workers; from 3 on */
    size_t kept_count;

    /* In the worker: once, before its first item. On failure the worker leaves. When this happens before any
     * worker has ever started, no more are tried and pool_run returns POOL_START_FAILED with this error's text;
     * a worker that dies or takes too long in `start` is treated alike. Later, a replacement is tried a few
     * times before the run goes on with fewer workers. May be NULL. */
    int (*start)(void *context, struct worker *worker, struct error *err);
    void (*work)(void *context, struct worker *worker, uint64_t item);
    /* In the worker: before it leaves, when the run is over and it was not killed. It has two seconds. May be
     * NULL. */
    void (*finish)(void *context, struct worker *worker);

    /* In the supervisor. `next` gives the item a free worker should do, or false when there is none for it now;
     * it is asked again after every message and every `done`. When no worker has an item and `next` has
     * nothing for any of them, the run is over. `message` returns false to have the worker killed. `done` returns
     * false to stop the run (`--fail-fast`). */
    bool (*next)(void *context, unsigned worker, uint64_t *item);
    bool (*message)(void *context, unsigned worker, uint64_t item, struct bytes message); /* may be NULL */
    bool (*done)(void *context, unsigned worker, uint64_t item, const struct outcome *outcome);
    void (*tick)(void *context);                      /* may be NULL */
    void (*trouble)(void *context, const char *text); /* the run goes on, with fewer workers; may be NULL */
};

enum pool_end {
    POOL_DONE,
    POOL_START_FAILED, /* no worker could start; *err says why */
    POOL_INTERRUPTED,  /* SIGINT, SIGTERM or SIGHUP came (also before, while os/signals.h was open);
                        *signal_number says which */
    POOL_STOPPED,      /* `done` returned false: nothing more was handed out and the workers were ended */
    POOL_FAILED,       /* the pool itself could not go on, such as fork() failing; *err says why */
};

/* However it ends, the workers are gone and reaped when this returns. */
enum pool_end pool_run(const struct pool_settings *settings, int *signal_number, struct error *err);

#endif
