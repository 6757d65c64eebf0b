/* Writes the files of a page, all of them or none.
 *
 * A file that lies there already, byte for byte, stays as it is, but what describes a picture is written anew with
 * it, and the record with anything. The others are written under temporary names beside their final ones,
 * ".NAME.PID-RANDOM.tmp"; when all are, the record of an earlier run and what described its pictures are removed,
 * and they get their names: pictures first, the record last. Files that the earlier record lists and the page no
 * longer has are removed if their bytes are those that it lists. Whenever the process is killed, no record and no
 * description is beside a picture that it was not made with. */
#ifndef BAKE_PAGE_WRITE_H
#define BAKE_PAGE_WRITE_H

#include "base/error.h"
#include "base/strings.h"
#include "bake/pages.h"

/* Told when the files of a page begin to get their names, and when they have them: in between it is better not to end this
 * process. -1 (with an error) when they are not to have them. The hold of the last page is left to whoever tells that
 * it is made. */
typedef int page_hold(void *context, bool hold, struct error *err);

struct page_writer {
    const char *folder; /* that the names of files are below */
    bool durable;       /* each step waits for the disk, so that a power failure is like a kill */
    page_hold *hold;    /* or NULL */
    void *hold_context;
    bool is_last; /* of those that are made at once */
    char *note;   /* zeroed; has the names of the temporary files under way, as bake_new says */
    size_t note_size, note_used;
};

/* Adds to `written` the names of the page's files, also of those that were the same unless all were. Where it fails, of
 * those that it has replaced. */
int page_write(struct page_writer *writer, const struct page_files *files, struct strings *written,
               struct error *err);

/* Takes back what was written. */
void page_unwrite(const struct page_writer *writer, const struct strings *written);

#endif
