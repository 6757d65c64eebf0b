/* A pool of worker processes that work on numbered items. It knows nothing of what the items are.
 *
 * The supervisor (the process that calls pool_run) forks the workers, asks `next` for an item whenever a worker
 * is free, and calls `message` and `done` as things happen. A worker that dies or takes longer than the time
 * limit costs the item it had: `done` is told how, and a fresh worker takes its place. Supervisor and workers
 * talk over one socket pair each, in small messages; what the items are is inherited by fork.
 *
 *     supervisor: next -> item ......................... message* .......... done
 *     worker:     start, then for each item: work(item) { worker_send()* }
 *
 * Callbacks of the supervisor run in its one thread, one at a time. */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum { POOL_MAX_WORKERS = 1024, POOL_MAX_MESSAGE = 60 * 1024, POOL_NOTE_SIZE = 8192 };

/* A worker's own end. */
struct worker;

/* Sends a message (of at most POOL_MAX_MESSAGE bytes) to the supervisor's `message`; -1 when it is gone. */
int worker_send(struct worker *worker, struct bytes message);

/* POOL_NOTE_SIZE bytes that the supervisor can still read when the worker has died. Zeroed at each item. */
char *worker_note(struct worker *worker);

/* How an item ended. */
enum outcome_kind {
    OUTCOME_FINISHED,  /* work() returned */
    OUTCOME_SIGNALED,  /* the worker was killed by a signal while it had the item */
    OUTCOME_EXITED,    /* the worker left on its own while it had the item */
    OUTCOME_TIMED_OUT, /* took longer than the limit and was killed */
};

struct outcome {
    enum outcome_kind kind;
    int number;       /* the signal, or the exit status */
    double seconds;
    const char *note; /* the worker's note as it left it */
};

struct pool_settings {
    unsigned worker_count;
    double timeout_s;  /* per item; 0: none */
    double tick_s;     /* `tick` is called about this often; 0: never */
    void *context;     /* handed to every callback; the worker has its own copy after the fork */

    /* In the worker: once, before its first item. On failure the worker leaves; when a first worker fails so,
     * the pool stops and pool_run returns POOL_START_FAILED with this error's text. May be NULL. */
    int (*start)(void *context, struct worker *worker, struct error *err);
    void (*work)(void *context, struct worker *worker, uint64_t item);

    /* In the supervisor. `next` gives the item a free worker should do, or false when there is none for it now;
     * it is asked again after every message and every `done`. When no worker has an item and `next` has
     * nothing for any of them, the run is over. `done` returns false to stop the run (`--fail-fast`). */
    bool (*next)(void *context, unsigned worker, uint64_t *item);
    void (*message)(void *context, unsigned worker, uint64_t item, struct bytes message); /* may be NULL */
    bool (*done)(void *context, unsigned worker, uint64_t item, const struct outcome *outcome);
    void (*tick)(void *context);                                                          /* may be NULL */
};

enum pool_end {
    POOL_DONE,
    POOL_START_FAILED, /* *err says why */
    POOL_INTERRUPTED,  /* SIGINT or SIGTERM came; *signal_number says which. Workers are gone, reaped, and
                          `done` was called for each item that was under way. */
    POOL_STOPPED,      /* `done` returned false: nothing more was handed out and the workers were ended */
    POOL_FAILED,       /* the pool itself could not go on, such as fork() failing; *err says why */
};

enum pool_end pool_run(const struct pool_settings *settings, int *signal_number, struct error *err);

/* The CPUs this process may use: its affinity mask, capped by the cgroup's quota (v1 and v2), at least 1. */
unsigned pool_usable_cpus(void);

#endif
