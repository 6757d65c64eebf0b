/* The gallery: a page of all sheets in output folders, that plays them straight from their own pictures.
 *
 * In the folder of the gallery are
 *
 *     index.html                    the page; what it needs is in
 *     index@files/gallery.js ...    the page's own files
 *     index@files/list.js           a row for each sheet, with the place of its still
 *     index@files/sheets/ID.js      a sheet: its frames, pages and facts, loaded when it is first looked at
 *
 * No job can have files of these names (page/names.h). A file is written only where its bytes change, the page last. Data
 * are scripts, because a page from file:// may not read other files. All text of files is in values, never in keys. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"

struct gallery_totals {
    size_t sheets;
    size_t written, removed; /* files */
    struct strings problems; /* of sheets that cannot be read, which are shown as such; the caller's to release */
};

/* `site` may be one of the folders. Fails where a folder has no sheets, or `site` has an index.html of somebody else's. */
int gallery_write(const struct strings *folders, const char *site, struct gallery_totals *totals,
                  struct error *err);
