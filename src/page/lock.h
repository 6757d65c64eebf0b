/* One run at a time in an output folder, or any number of shards.
 *
 * A whole run holds an exclusive lock on LOCK_FILE in the folder, a shard a shared one. The lock belongs to the open
 * file (F_OFD_SETLK): the kernel frees it when the last process that has the file open ends for any reason, and it
 * works on NFS. Workers keep the file open: a worker that waits for a disk may outlive its supervisor and still write.
 *
 * The file stays; while a whole run holds it, it names that run. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct lock_settings {
    bool is_shard;
    bool wait; /* for the run that has it to end */

    /* Called once, before the waiting begins: "out/orcs: waiting for process 12 on host, ...". */
    void (*waiting)(void *context, const char *text);
    void *context;
};

enum lock_end {
    LOCK_HELD,
    LOCK_BUSY,        /* another run holds the folder, and `wait` is not set; *err names the run */
    LOCK_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP came while waiting; *signal_number says which */
    LOCK_FAILED,      /* the file cannot be opened or locked; *err says why */
};

struct lock {
    int fd; /* the lock is held until it is released, or until no process has this open */
    bool is_shard;
    bool is_alone; /* no other run is in the folder or can enter it: leftovers of killed runs may be removed */
};

/* `folder` must exist. */
enum lock_end lock_take(const char *folder, const struct lock_settings *settings, struct lock *out,
                        int *signal_number, struct error *err);
void lock_release(struct lock *lock);

/* A shard that was alone lets other shards in. */
void lock_let_in(struct lock *lock);

/* Whether a run is at work in a folder; false where that cannot be known. Takes no lock. */
bool lock_is_held(const char *folder);
