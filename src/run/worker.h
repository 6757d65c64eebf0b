/* The worker's end of the pool (run/pool.h): what a worker does, what it may call, and what passes between the two
 * ends. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

enum { POOL_MAX_MESSAGE = 60 * 1024, POOL_NOTE_SIZE = 64 * 1024, POOL_MAX_TEXT = 4096 };

struct worker;

/* Memory of several workers. Each of them may write anything there at any time. */
struct shared_memory {
    void *data; /* zeroed at first */
    uint64_t size;
    uint64_t part; /* of the item: a number that only the workers understand */
};

/* What each worker does, in a process of its own that has its own copy of `context`. */
struct worker_calls {
    void *context;

    /* Once, before the first item. On failure the worker leaves. When this happens before any worker has ever
     * started, no more are tried and pool_run returns POOL_START_FAILED with this error's text; a worker that dies or
     * takes too long in `start` is treated alike. Later, a replacement is tried a few times before the run goes on
     * with fewer workers. May be NULL. */
    int (*start)(void *context, struct worker *worker, struct error *err);
    void (*work)(void *context, struct worker *worker, uint64_t item);
    /* Before the worker leaves, when the run is over and it was not killed. It has two seconds. May be NULL. */
    void (*finish)(void *context);
    /* Helps another worker, which has the item and shares `memory` with those that help it (worker_share). Sends nothing;
     * its end and its death are told to nobody. NULL: no worker is helped. */
    void (*help)(void *context, struct worker *worker, uint64_t item, const struct shared_memory *memory);
};

/* Sends a message (of at most POOL_MAX_MESSAGE bytes) to the supervisor's `message`, waiting while the
 * supervisor is behind; -1 when it is gone. Only during work(). */
int worker_send(struct worker *worker, struct bytes message);

/* Sends a longer text, as messages that follow each other; the last of them goes with the news that the item is done. No
 * message follows. */
void worker_send_all(struct worker *worker, const char *text, size_t length);

/* The text of the item that `next_text` of the pool gave; "" without it. Only during work(). */
const char *worker_text(const struct worker *worker);

/* Shares memory with workers that have nothing else to do: they are called to help with this part of the item. It takes the
 * place of what was shared before, and is good until the item ends. NULL where there are no others, or no memory for them.
 * Only during work(). */
const struct shared_memory *worker_share(struct worker *worker, uint64_t size, uint64_t part);

/* This process leaves after the item that it has, and a fresh one takes its place where there is more to do. Only
 * during work(). */
void worker_leave(struct worker *worker);

/* POOL_NOTE_SIZE bytes, aligned for any type, that the supervisor can still read when the worker has died. Zeroed
 * at each item. */
char *worker_note(struct worker *worker);

/* Between hold(true) and hold(false), or the end of the item where that comes first, the worker should not be
 * interrupted: a run that is ended early, or an item whose time is up, waits for it, for `hold_s` at most. An item
 * that is held to its end has finished. When the run is ending already, hold(true) does not return. */
void worker_hold(struct worker *worker, bool hold);

/* -- For pool.c alone -------------------------------------------------------------------------------------- */

/* A packet from a worker starts with one of these. To a worker go items, and in answer to PACKET_SHARE one without number
 * and text. */
enum packet {
    PACKET_STARTED = 's',
    PACKET_NOT_STARTED = 'n',
    PACKET_MESSAGE = 'm',
    PACKET_SHARE = 'h', /* a struct shared_memory follows, without data */
    PACKET_FINISHED = 'f',
};

/* The memory that a worker and the supervisor share. No bool: a worker that was taken over may write any byte. 0 is no. */
struct shared {
    atomic_uchar taken;  /* the worker has the item it was sent */
    atomic_uchar holds;  /* see worker_hold */
    atomic_uchar ending; /* the run is ending: the worker must not begin to hold */
    alignas(max_align_t) char note[POOL_NOTE_SIZE];
};

enum { WORKER_NOT_STARTED = 70 }; /* the exit status when start() failed */

struct sent_item {
    uint64_t number;
    struct shared_memory memory; /* without data: a file goes with the packet; of size 0 where none does */
    char text[POOL_MAX_TEXT];    /* only what it has of it, with the '\0' */
};

struct worker {
    int fd;
    bool at_work, leaves;
    struct shared *shared;

    /* Of one that works in the supervisor's own process: gets what it sends. NULL: `fd` does. */
    bool (*take)(void *context, struct bytes message);
    void *take_context;
    struct sent_item item;
    struct shared_memory memory; /* its data is NULL where none is shared */
    struct buffer last;          /* of worker_send_all, not sent yet */
};

/* The life of a worker process, once it has let go of what is the supervisor's. */
_Noreturn void worker_run(const struct worker_calls *calls, int fd, struct shared *shared);
