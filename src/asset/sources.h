/* The files that something was made of, each with the hash of its bytes: for the list of inputs in a sheet's JSON.
 * A zeroed struct is an empty list. */
#ifndef ASSET_SOURCES_H
#define ASSET_SOURCES_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/hash.h"

struct source {
    char *path; /* in the assets, as found there */
    char hash[HASH_SIZE];
};

struct sources {
    struct source *items;
    size_t count, capacity;
};

void sources_add(struct sources *sources, const char *path,
                 const char *hash); /* a path that is there stays once */
void sources_add_file(struct sources *sources, const char *path, struct bytes bytes);
void sources_release(struct sources *sources);

#endif
