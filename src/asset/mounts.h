/* The roots of the assets, opened with PhysFS: for assets.c alone, which asks PhysFS for what is in them.
 *
 * Each is mounted under its number ("0", "1", ...). PhysFS is one per process, and so is this. */
#ifndef ASSET_MOUNTS_H
#define ASSET_MOUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct root {
    const char *path; /* of a folder or an archive, as given */
    uint64_t size;    /* in bytes, of an archive; UINT64_MAX for a folder. Filled in by mounts_open */
};

/* Fails where one cannot be opened, and then has none open. */
int mounts_open(struct root *roots, size_t count, struct error *err);
void mounts_close(void);

/* Why the latest call of PhysFS failed. */
const char *mounts_message(void);

#endif
