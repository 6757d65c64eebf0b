/* Writes the files of a page, all of them or none.
 *
 * Each is written under a temporary name beside its final one, ".NAME.PID-RANDOM.tmp"; when all are, what described the
 * page of an earlier run is removed, and they get their names, pictures first. Whenever the process is killed, no
 * description is of a picture that it was not made with. */
#ifndef RUN_PAGE_WRITE_H
#define RUN_PAGE_WRITE_H

#include "base/error.h"
#include "base/strings.h"
#include "run/pages.h"

struct page_writer {
    const char *folder; /* that the names of files are below */
    char *note;         /* zeroed; has the names of the temporary files under way, as bake_new says */
    size_t note_size, note_used;
};

/* Adds to `written` the names of the files that have theirs, also where others then fail to get them. */
int page_write(struct page_writer *writer, const struct page_files *files, struct strings *written,
               struct error *err);

/* Takes back what was written. */
void page_unwrite(const struct page_writer *writer, const struct strings *written);

#endif
