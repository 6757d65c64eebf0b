/* The files below an output folder at one moment. */
#ifndef EDITS_SNAPSHOT_H
#define EDITS_SNAPSHOT_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "base/hash.h"

struct snapshot_file {
    char *name; /* below the folder */
    char hash[HASH_SIZE];
    ino_t inode;
    struct timespec changed;
};

struct snapshot {
    struct snapshot_file *files; /* sorted by name */
    size_t count, capacity;
};

/* Reads a folder, which may be missing, without its lock file. */
void snapshot_take(const char *folder, struct snapshot *out);
const struct snapshot_file *snapshot_find(const struct snapshot *snapshot, const char *name); /* or NULL */
void snapshot_release(struct snapshot *snapshot);

#endif
