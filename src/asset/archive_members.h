/* What archives list, looked at before PhysFS sees them.
 *
 * Zip archives must hold no symbolic links. Game archives have none, and PhysFS 3.0.2 follows them even where links are
 * off: a link to "/.x" keeps it in an endless loop at the first listing. And PhysFS keeps every member in memory, so
 * there is a limit to their number, in zip and pak files. */
#ifndef ASSET_ARCHIVE_MEMBERS_H
#define ASSET_ARCHIVE_MEMBERS_H

#include "base/error.h"

enum {
    /* Some 150 bytes each in memory. The largest games have some 50,000 files. */
    ARCHIVE_MOST_MEMBERS = 1000 * 1000,
};

/* Fails when the file holds a link or too many members, or cannot be read. Files that are no archives pass. */
int archive_check_members(const char *path, struct error *err);

#endif
