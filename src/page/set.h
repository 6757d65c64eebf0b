/* The pages in an output folder and all below it, by the sheets that they are pages of. Which pages a job has, and which it
 * lacks, is judged here for all who ask: verify, the readers of diff and gallery, and atlases. */
#pragma once

#include "base/error.h"
#include "base/strings.h"
#include "page/folder.h"
#include "page/page.h"

/* -- Each page ----------------------------------------------------------------------------------------------- */

/* The page's stem is its path, and its record is whole. Both last for the call. */
typedef void page_visit(void *context, const struct folder_listing *folder, const struct page *page);

struct page_search {
    page_visit *visit;
    void *context;
    const struct strings *paths; /* of pages, sorted; NULL: visit all pages */
    bool is_among;               /* visit those among `paths`, or else those that are not */
    enum record_extent extent;   /* of what is read of each */
};

/* Visits pages as folder_each does folders. */
int pages_each(const char *folder, enum folder_extent extent, const struct page_search *search, struct error *err);

/* -- The pages of a sheet ------------------------------------------------------------------------------------ */

/* All pages of a job. */
struct page_sheet {
    const char *name;         /* below the folder: "orcs/grunt" */
    const struct page *pages; /* by page and part */
    size_t page_count;
    const char *job; /* NULL, or to read only pages of this job: those of others may have its names */
};

enum page_place {
    PAGE_END,
    PAGE_NEXT,  /* `at` goes on with the sheet */
    PAGE_GAP,   /* the next page, or the next part of it, is missing */
    PAGE_LEFT,  /* `at` is not of the sheet: a run that made more or fewer pages left it behind */
    PAGE_TWICE, /* `at` and `latest` are the same page, so one is another run's; nobody knows which */
};

/* A walk over the pages of a sheet, none of them broken. The caller sets what comes first. */
struct page_walk {
    const struct page_sheet *sheet;
    const char *list, *job; /* skip pages of others; NULL: any may be the sheet's */

    const struct page *first, *latest; /* of the sheet */
    const struct page *at;
    uint32_t page, part, parts; /* of PAGE_NEXT and PAGE_GAP */
    size_t looked_at;
};

enum page_place page_walk(struct page_walk *walk);

/* Sorts by sheet, page and part. */
void pages_sort(struct page *pages, size_t count);

/* Whether the records of a sheet are the same in two sets, byte for byte. Broken ones say nothing, so they never are. */
bool page_sheet_is_same(const struct page_sheet *a, const struct page_sheet *b);

/* -- A set --------------------------------------------------------------------------------------------------- */

/* A zeroed set is empty. */
struct page_set {
    const char *folder; /* borrowed; NULL: of several */
    const char *name;   /* in messages: the same, or one that is not gone when people read them; borrowed */
    int fd;             /* the folder */
    struct arena arena;
    struct page *pages; /* by sheet, page and part */
    size_t page_count, capacity;
    struct page_sheet *sheets; /* by name */
    size_t sheet_count;
};

/* Finds the pages in a folder and all folders below. Fails if one of them cannot be read, or there is no record, unless it
 * `may_be_empty`. */
int page_set_open(const char *folder, bool may_be_empty, struct page_set *out, struct error *err);
void page_set_release(struct page_set *set);

/* Adds a page by what its record says, which may be broken. `real` is the folder where it lies, resolved, in a set of several
 * folders; else NULL. After the last page the set is to be sorted. */
void page_set_add(struct page_set *set, const char *real, const char *stem, const struct record *record);
void page_set_sort(struct page_set *set);

/* NULL where it has no such sheet. */
const struct page_sheet *page_set_find(const struct page_set *set, const char *name);
