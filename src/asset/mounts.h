/* The roots of the assets, opened with PhysFS: for assets.c alone, which asks PhysFS for what is in them.
 *
 * Each is mounted under its number ("0", "1", ...). PhysFS is one per process, and so is this. */
#ifndef ASSET_MOUNTS_H
#define ASSET_MOUNTS_H

#include <stdbool.h>
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

bool mounts_is_archive(const struct root *root);

/* Why the latest call of PhysFS failed; _of_file says it of a file that this root lists. */
const char *mounts_message(void);
const char *mounts_message_of_file(const struct root *root);

#endif
