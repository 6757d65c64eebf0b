#include "page/set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "page/metadata.h"
#include "page/names.h"

/* -- Each page ----------------------------------------------------------------------------------------------- */

static void visit_folder(void *context, const struct folder_listing *folder)
{
    const struct page_search *search = context;
    for (size_t i = 0; i < folder->records.count; i++) {
        char *path = path_join(folder->path, folder->records.items[i]), *stem = path_stem(path);
        struct page page = {.stem = stem};
        struct error ignored;
        enum record_kind kind = RECORD_NONE;
        if (!search->paths || strings_has_sorted(search->paths, stem) == search->is_among)
            kind = recorded_load(path, path, search->extent, &page.record, &ignored);
        if (kind != RECORD_NONE)
            search->visit(search->context, folder, &page);
        record_release(&page.record);
        free(stem);
        free(path);
    }
}

int pages_each(const char *folder, enum folder_extent extent, const struct page_search *search, struct error *err)
{
    return folder_each(folder, extent, visit_folder, (void *)(uintptr_t)search, err);
}

/* -- The pages of a sheet ------------------------------------------------------------------------------------ */

static bool are_of_one_job(const struct record *record, const char *list, const char *job)
{
    return !strcmp(record->list, list) && !strcmp(record->job, job);
}

/* Returns the place of the next page, going by the first and the latest one. */
static enum page_place place_of(const struct page_walk *walk, const struct record *next)
{
    const struct record *first = &walk->first->record, *latest = &walk->latest->record;
    const bool is_one_page = latest->page == next->page;
    const bool is_one_run = first->page_count == next->page_count && are_of_one_job(next, first->list, first->job);
    if (is_one_page && latest->part == next->part && (is_one_run || latest == first))
        return PAGE_TWICE;
    return is_one_run && (!is_one_page || latest->part_count == next->part_count) ? PAGE_NEXT : PAGE_LEFT;
}

enum page_place page_walk(struct page_walk *walk)
{
    const struct page_sheet *sheet = walk->sheet;
    while (walk->job && walk->looked_at < sheet->page_count &&
           !are_of_one_job(&sheet->pages[walk->looked_at].record, walk->list, walk->job))
        walk->looked_at++;
    const struct page *next = walk->looked_at < sheet->page_count ? &sheet->pages[walk->looked_at] : NULL;
    if (!walk->first)
        walk->first = walk->latest = next;
    if (walk->parts) { /* go on from the latest */
        walk->part = walk->part + 1 < walk->parts ? walk->part + 1 : 0;
        walk->page += walk->part == 0;
        walk->parts = 0;
    }
    if (!walk->first || (!next && walk->page == walk->first->record.page_count))
        return PAGE_END;
    walk->at = next;
    enum page_place place = next && next != walk->first ? place_of(walk, &next->record) : PAGE_NEXT;
    if (place == PAGE_NEXT) {
        const struct record *of = next && next->record.page == walk->page ? &next->record : &walk->latest->record;
        walk->parts = of->page == walk->page ? of->part_count : 1;
        if (!next || next->record.page != walk->page || next->record.part != walk->part)
            return PAGE_GAP;
        walk->latest = next;
    }
    walk->looked_at++;
    return place;
}

static int compare_pages(const void *a_item, const void *b_item)
{
    const struct page *a = a_item, *b = b_item;
    const struct record *x = &a->record, *y = &b->record;
    int order = strcmp(a->sheet, b->sheet);
    order = order ? order : (x->page > y->page) - (x->page < y->page);
    order = order ? order : (x->part > y->part) - (x->part < y->part);
    return order ? order : strcmp(a->stem, b->stem);
}

void pages_sort(struct page *pages, size_t count)
{
    SORT(pages, count, compare_pages);
}

bool page_sheet_is_same(const struct page_sheet *a, const struct page_sheet *b)
{
    bool is_same = a->page_count == b->page_count;
    for (size_t i = 0; i < a->page_count && is_same; i++) {
        const struct page *x = &a->pages[i], *y = &b->pages[i];
        is_same = x->record.job && !strcmp(x->stem, y->stem) && !strcmp(x->record.hash, y->record.hash);
    }
    return is_same;
}

/* -- A set --------------------------------------------------------------------------------------------------- */

void page_set_add(struct page_set *set, const char *real, const char *stem, const struct record *record)
{
    const char *name = path_base(record->job ? record->job : stem);
    size_t length = strlen(name);
    if (!record->job) /* only its name is left to tell */
        names_scale(name, &length);
    struct page *page = MUST_ADD(set->pages, set->page_count, set->capacity);
    *page = (struct page){
        .stem = arena_strdup(&set->arena, stem),
        .sheet =
            real ? arena_printf(&set->arena, "%s/%.*s", real, (int)length, name)
                 : arena_printf(&set->arena, "%.*s%.*s", (int)(path_base(stem) - stem), stem, (int)length, name),
        .record = {.list = arena_strdup(&set->arena, record->job ? record->list : ""),
                   .job = record->job ? arena_strdup(&set->arena, record->job) : NULL,
                   .page = record->page,
                   .page_count = record->page_count,
                   .part = record->part,
                   .part_count = record->part_count},
    };
    memcpy(page->record.hash, record->hash, sizeof record->hash);
}

void page_set_sort(struct page_set *set)
{
    pages_sort(set->pages, set->page_count);
    free(set->sheets);
    set->sheets = must_alloc(set->page_count, sizeof *set->sheets);
    set->sheet_count = 0;
    for (size_t i = 0; i < set->page_count; i++) {
        const struct page *page = &set->pages[i];
        if (i == 0 || strcmp(page[-1].sheet, page->sheet))
            set->sheets[set->sheet_count++] = (struct page_sheet){.name = page->sheet, .pages = page};
        set->sheets[set->sheet_count - 1].page_count++;
    }
}

const struct page_sheet *page_set_find(const struct page_set *set, const char *name)
{
    return set->sheet_count ? bsearch(&name, set->sheets, set->sheet_count, sizeof *set->sheets, strings_compare)
                            : NULL;
}

static void add_page(void *context, const struct folder_listing *folder, const struct page *page)
{
    static const struct record none;
    struct page_set *set = context;
    const char *stem = arena_take(&set->arena, path_join(folder->below, path_base(page->stem)));
    const char *path = arena_printf(&set->arena, "%s" RECORD_SUFFIX, page->stem);
    page_set_add(set, NULL, stem, file_is_link(path) ? &none : &page->record); /* none is read through a link */
}

int page_set_open(const char *folder, bool may_be_empty, struct page_set *out, struct error *err)
{
    struct page_set set = {
        .folder = folder, .name = folder, .fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (set.fd < 0)
        return error_set(err, "%s: %s", folder, strerror(errno));
    int result =
        pages_each(folder, FOLDER_ALL, &(struct page_search){add_page, &set, NULL, false, RECORD_OF_PAGE}, err);
    if (result == 0 && !set.page_count && !may_be_empty)
        result = error_set(
            err, "%s: no record (*" RECORD_SUFFIX ") is in it: no run of sheetbake wrote this folder", folder);
    if (result < 0) {
        page_set_release(&set);
        return -1;
    }
    page_set_sort(&set);
    *out = set;
    return 0;
}

void page_set_release(struct page_set *set)
{
    free(set->sheets);
    free(set->pages);
    arena_release(&set->arena);
    if (set->folder)
        close(set->fd);
    *set = (struct page_set){0};
}
