/* Refuses zip archives that hold symbolic links.
 *
 * Game archives have none, and PhysFS 3.0.2 follows them even where links are off: a link to "/.x" keeps it in
 * an endless loop at the first listing. So they are looked for before PhysFS sees the file. */
#ifndef ASSET_ZIP_LINKS_H
#define ASSET_ZIP_LINKS_H

#include "base/error.h"

/* Fails when the file holds a link or cannot be read. Files that are no zips pass. */
int zip_refuse_links(const char *path, struct error *err);

#endif
