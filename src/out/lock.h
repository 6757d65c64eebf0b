/* One run at a time in an output folder.
 *
 * A run holds byte-range locks on ".sheetbake.lock" in the folder. They belong to the open file (F_OFD_SETLK), so
 * that the system frees them when the run ends in whatever way, and they work on NFS. Workers keep that file open: one
 * may outlive its supervisor for a moment, or for as long as it waits for a disk, and could still write. A run
 * of everything has the folder for itself; runs that are different shards of one number of them may share it.
 *
 * The file stays; while it is locked it says by whom. */
#ifndef OUT_LOCK_H
#define OUT_LOCK_H

#include <stdbool.h>

#include "base/error.h"
#include "job/shard.h"

#define LOCK_FILE ".sheetbake.lock"

struct lock_settings {
    struct shard shard; /* count 0: all of it */
    bool wait;          /* for the run that has it to end */

    /* Told once, before the waiting begins: "out/orcs: waiting for process 12 on host, ...". */
    void (*waiting)(void *context, const char *text);
    void *context;
};

enum lock_end {
    LOCK_HELD,
    LOCK_BUSY,        /* another run has the folder, and we were not to wait; *err says which */
    LOCK_INTERRUPTED, /* SIGINT, SIGTERM or SIGHUP came while waiting; *signal_number says which */
    LOCK_FAILED,      /* the file cannot be opened or locked; *err says why */
};

struct lock;

/* `folder` has to be there. */
enum lock_end lock_take(const char *folder, const struct lock_settings *settings, struct lock **out,
                        int *signal_number, struct error *err);
void lock_release(struct lock *lock); /* NULL is fine */

/* The open file: unless it is released, the lock is held for as long as any process has that open. */
int lock_file(const struct lock *lock);

/* Until lock_settle, which is to be called once, no other run comes into the folder: whoever is alone in it may
 * remove what dead runs have left. */
bool lock_is_alone(const struct lock *lock);
void lock_settle(struct lock *lock);

/* Who is at work in a folder, as text to be freed; NULL when nobody is, or it cannot be told. Takes no lock. */
char *lock_holder(const char *folder);

#endif
