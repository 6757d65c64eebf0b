/* Writes the files of a page, all of them or none.
 *
 * A file that lies there already with the same bytes stays, but metadata is written anew with any picture, and
 * the record with any file. The others are written under temporary names beside their final ones,
 * ".NAME.PID-RANDOM.tmp". When all of them are there, the record and the metadata of the earlier run are removed
 * and the files get their names: pictures first, the record last. Files that the earlier record lists and the
 * page no longer has are removed if their bytes are as listed; so are pages that the sheet no longer has, with the
 * last one that it has. So no record and no metadata ever lies beside a picture of another run, whenever the
 * process is killed. */
#pragma once

#include "base/bytes.h"
#include "base/error.h"
#include "base/strings.h"
#include "page/metadata.h"

/* Previews of one sheet. The names of all files that a page is about to write fit into a worker's note (bake/bake.h). */
enum { PREVIEWS_MOST = 256 };

/* The caller sets name and blob; the rest is page_write's. */
struct page_file {
    char *name; /* below the output folder */
    struct blob blob;
    const char *path;
    const char *temporary; /* NULL until it is staged */
    bool is_frame;         /* it goes into a folder of its own, beside the others */
    bool is_same;          /* what lies there has these bytes already */
};

struct page_files {
    struct arena arena; /* paths */
    /* The picture, its frames, the other passes, previews; then what describes them; then the record. They get their names in
     * this order. */
    struct page_file *items;
    size_t count, capacity, picture_count;
    const char
        *frames_temporary; /* stands in the note for all temporary names of frames; NULL until one is staged */
    const char *folder;    /* the one that they are all in */
    const char *tail;      /* of the temporary names */
    bool has_record;       /* of an earlier run */
    /* The sheet, if this is its last page, of `page_count`, with its list and job: later pages go. Else NULL. */
    const char *last_of, *list, *job;
    uint32_t page_count;
    struct strings stale;   /* paths of files of an earlier run that the page or sheet no longer has */
    const char *old_record; /* the temporary name under which its record waits for them to be gone, or NULL */
};

void page_files_release(struct page_files *files);

/* Called with true before the files of a page get their names, and with false when they have them: in between
 * this process should not be ended. After the last page the caller of page_write ends the hold. */
typedef void page_hold(void *context, bool hold);

struct page_writer {
    const char *folder; /* names of files are relative to it */
    bool durable;       /* each step is synced to the disk, so that a power failure is like a kill */
    page_hold *hold;    /* or NULL */
    void *hold_context;
    uint32_t png_level;         /* of all pictures; 0: as their jobs say */
    const struct strings *kept; /* all pages of the run that are as they should be: paths without suffix */
    bool is_last;               /* of the pages that are made together */
    char *note;                 /* zeroed; the names of the temporary files under way (bake_new) */
    size_t note_size, note_used;
};

/* Adds the names of the page's files to `written`, unless all of them are there already; after a failure, of those that it
 * has replaced. */
int page_write(struct page_writer *writer, struct page_files *files, struct strings *written, struct error *err);

/* Removes the files that were written. */
void page_unwrite(const struct page_writer *writer, const struct strings *written);
