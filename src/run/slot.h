/* The inside of the pool: its places for workers. For pool.c and slot.c alone. */
#ifndef RUN_SLOT_H
#define RUN_SLOT_H

#include <poll.h>
#include <signal.h>
#include <sys/types.h>

#include "run/pool.h"

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
    unsigned untaken; /* processes that were given the item and died, by their own account before they took it */
    bool was_spared;          /* its deadline was put off, for it was holding: once an item */
    bool took_item;           /* this process has begun an item, of which it may have finished any number */
    uint64_t peak_kib;        /* of the process that was just reaped */
    unsigned failed_starts;   /* processes in a row that did not */
    struct shared *shared;
};

struct pool {
    const struct pool_settings *settings;
    unsigned slot_count;
    struct slot *slots;
    void *shared; /* a struct shared for each slot, `shared_size` apart: whole pages, so that a worker can be left its own */
    size_t shared_size;
    char *note;   /* the supervisor's copy of one: what is read of it stays as it was checked */
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

/* Forks a worker for this empty place, which has an item. */
void slot_start(struct pool *pool, struct slot *slot);

/* Hands the item to an idle worker. */
void slot_send_item(struct pool *pool, struct slot *slot);

/* Takes one packet of the worker; false when there is none now, or never again. */
bool slot_receive(struct pool *pool, struct slot *slot);

/* The process of this slot is gone and reaped. What it sent before still counts. */
void slot_bury(struct pool *pool, struct slot *slot, int status);

/* No worker has begun the item, and none will. */
void slot_cancel_item(struct pool *pool, struct slot *slot);

#endif
