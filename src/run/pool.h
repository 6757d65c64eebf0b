/* A pool of worker processes that work on numbered items. It does not know what the items are.
 *
 * The supervisor (the process that calls pool_run) asks `next` for an item whenever a worker is free, and calls
 * `message` and `done` as things happen. A worker that dies or takes longer than the time limit costs the item
 * it had: `done` learns how, and a fresh worker takes its place. One that dies without an item is replaced
 * quietly. Supervisor and workers talk over one socket pair each, in small messages; what the items are is
 * inherited by fork. A worker is forked when there is a first item for it, so a short list starts few.
 *
 *     supervisor: next -> item ......................... message* .......... done
 *     worker:     start, then for each item: work(item) { worker_send()* }, then finish
 *
 * An item may be too large for one worker. Its worker shares memory (worker_share), and workers for which `next` has
 * nothing are sent to help, until one of them comes back. The run does not wait for those.
 *
 * A hostile file may take a worker over. Whatever such a worker sends, does to itself, or writes into the memory that
 * it shares, costs the item that it has and those that it is given later, never the items of others or the run.
 *
 * Callbacks of the supervisor run in its one thread, one at a time. Each item that `next` gave gets exactly one
 * `done`, however the run ends, and all its messages before that.
 *
 * Workers read nothing (their standard input is /dev/null), have no open files but the standard ones, their socket and
 * `kept_files`, die with the supervisor, leave by _exit (no atexit handlers, no flushing of the supervisor's buffers) and
 * ignore SIGINT, SIGTERM and SIGHUP, which a terminal sends to all of them: the supervisor ends the run. During pool_run
 * it catches those signals (os/signals.h) and blocks SIGCHLD; before it returns, everything is as it was. */
#pragma once

#include "run/worker.h"

enum { POOL_MAX_WORKERS = 1024 };

/* How an item ended. */
enum outcome_kind {
    OUTCOME_FINISHED,   /* work() returned */
    OUTCOME_SIGNALED,   /* the worker was killed by a signal while it had the item */
    OUTCOME_EXITED,     /* the worker left on its own while it had the item */
    OUTCOME_TIMED_OUT,  /* took longer than the limit and was killed */
    OUTCOME_TOO_LARGE,  /* took more memory than the limit and was killed */
    OUTCOME_MISBEHAVED, /* sent no valid packet, or `message` returned false, and was killed */
    OUTCOME_CANCELLED,  /* the run ended first: no fault of the item's */
};

struct outcome {
    enum outcome_kind kind;
    int number;            /* the signal, or the exit status */
    double timeout_s;      /* that of the pool */
    uint64_t memory_limit; /* as well */
    uint64_t peak_kib;     /* the most memory that a worker which died has held; 0 when it lives */
    double seconds;        /* since a worker was given the item; 0 when none was */
    const char *note;      /* the worker's note, its last byte 0; all zero when no worker was given the item */
    const char *text;      /* the item's; NULL without `next_text` */
    struct bytes result;   /* all that the worker sent about the item; nothing where `message` took it */
};

struct pool_settings {
    unsigned worker_count;
    double timeout_s;       /* per item; 0: none. Time in which the supervisor itself was stopped (Ctrl-Z)
                              does not count */
    uint64_t memory_limit;  /* bytes that a worker may have for itself, checked fifty times a second; 0: none */
    double start_timeout_s; /* for `start`, in the same way */
    double hold_s;          /* the most that a worker which holds is waited for; 0: five seconds */
    double tick_s;          /* `tick` is called about this often; 0: never */
    size_t note_size;       /* bytes of the worker's note in use, the first ones; 0: all */
    const int *kept_files;  /* that stay open in workers; from 3 on */
    size_t kept_count;
    struct worker_calls worker;

    /* The supervisor calls these. `next` gives the item for a free worker, or false while there is none; it is asked again
     * after every message and every `done`. The run is over when no worker has an item and `next` gives none. Where there is
     * an `input`, a file, it is also asked when that can be read, and the run is not over before `next` sets it to -1.
     * `next_text`, if set, takes the place of `next`: it gives a text, or NULL; the pool numbers the items, sends the first
     * bytes of the text, less than POOL_MAX_TEXT, and frees it. The pool kills a worker when `message` returns false or,
     * where that is NULL, when it sends more than `most_result` bytes about an item. `done` returns false to stop the run
     * (`--fail-fast`). */
    void *context;
    const int *input; /* may be NULL */
    bool (*next)(void *context, unsigned worker, uint64_t *item);
    char *(*next_text)(void *context);
    bool (*message)(void *context, unsigned worker, uint64_t item, struct bytes message);
    size_t most_result;
    bool (*done)(void *context, unsigned worker, uint64_t item, const struct outcome *outcome);
    void (*tick)(void *context); /* may be NULL */
    void (*fewer_workers)(void *context,
                          const char *text); /* the run goes on with these, for this reason; may be NULL */
};

enum pool_end {
    POOL_DONE,
    POOL_START_FAILED, /* no worker could start; *err says why */
    POOL_INTERRUPTED,  /* SIGINT, SIGTERM or SIGHUP came (also before, while os/signals.h was open);
                        *signal_number says which */
    POOL_STOPPED,      /* `done` returned false: nothing more was handed out and the workers were ended */
    POOL_FAILED,       /* the pool itself could not go on, such as fork() failing; *err says why */
};

/* Works on all items in this process, one after the other, with no limits: for a debugger. */
enum pool_end pool_run_here(const struct pool_settings *settings, int *signal_number, struct error *err);

/* However it ends, the workers are gone and reaped when this returns. */
enum pool_end pool_run(const struct pool_settings *settings, int *signal_number, struct error *err);
