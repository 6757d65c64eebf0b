/* The gallery: a page of all sheets in output folders, that plays them straight from their own pictures.
 *
 * In the folder of the gallery are
 *
 *     index.html                    the page (review/html.h); its data have a row for each sheet, with the place of its still
 *     index@files/sheets/ID.js      a sheet: its frames, pages and facts, loaded when it is first looked at
 *
 * No job can have files of these names (page/names.h). A file is written only where its bytes change, the page last. Paths
 * are exact_value (sheet/json_value.h), all other text is what JSON can hold of it. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"

struct gallery_totals {
    size_t sheets;
    size_t written, removed; /* files */
    struct strings problems; /* of sheets that cannot be read, which are shown as such; the caller's to release */
};

/* `site` may be one of the folders. Jobs of the lists that have no page in their folder are shown with the reason; sheets that
 * are there with what `stale` has of each job of each list, one after another. Fails where a folder has no sheets, or `site` has an index.html of somebody else's. */
int gallery_write(const struct strings *folders, struct job_list *const *lists, size_t list_count,
                  const struct strings *stale, const char *site, struct gallery_totals *totals, struct error *err);
