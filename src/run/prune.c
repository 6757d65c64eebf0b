#include "run/prune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/metadata.h"
#include "page/set.h"

/* Returns why the list no longer makes the page of this record; NULL where it does or may. The caller frees it. */
static char *explain(const struct prune *prune, const struct record *record)
{
    if (!record->job || strcmp(record->list, prune->list->name) || strings_has_sorted(prune->unsure, record->job))
        return NULL;
    return strings_has_sorted(prune->known, record->job)
               ? must_printf("job '%s' does not make this page any more", record->job)
               : must_printf("there is no job '%s' any more", record->job);
}

/* There may be thousands of frames: tells their folder instead. */
static void add_removed(struct pruned_page *page, const char *name)
{
    const char *slash = strchr(name, '/');
    char *shown = slash ? must_printf("%.*s", (int)(slash + 1 - name), name) : must_strdup(name);
    strings_add_new(&page->removed, shown);
    free(shown);
}

static void remove_file(const char *folder, const struct record_file *file, struct pruned_page *page)
{
    struct error err;
    switch (page->is_dry ? recorded_verify(folder, file, &err) : recorded_remove(folder, file, &err)) {
    case RECORDED_SAME:
        add_removed(page, file->name);
        break;
    case RECORDED_CHANGED:
        strings_printf(&page->left, "%s: its bytes are not those that were written", file->name);
        break;
    case RECORDED_UNREADABLE:
        strings_add(&page->left, err.text); /* with its path */
        break;
    case RECORDED_MISSING:
        break;
    }
}

/* The record is renamed first and removed last: if this process is killed, no page lacks a picture, and the next
 * run tidies up by what the record says. */
static void remove_page(const char *folder, const struct record *record, struct pruned_page *page)
{
    const char *name = path_base(page->record);
    char *tail = leftovers_tail(), *temporary = must_printf("%s/.%s%s", folder, name, tail);
    struct error ignored;
    for (size_t i = 0; i < record->file_count && page->left.count == 0; i++)
        if (!metadata_is_picture(record->files[i].name) &&
            recorded_verify(folder, &record->files[i], &ignored) == RECORDED_CHANGED)
            strings_printf(&page->left, "%s: it was changed since it was written", record->files[i].name);
    if (page->left.count) {
        /* Somebody has changed what describes the pictures, and may want to keep them: all of it stays. */
    } else if (!page->is_dry && rename(page->record, temporary) < 0) {
        strings_printf(&page->left, "%s: %s", name, strerror(errno));
    } else {
        strings_add(&page->removed, name);
        for (size_t i = 0; i < record->file_count; i++)
            remove_file(folder, &record->files[i], page);
        if (!page->is_dry)
            unlink(temporary);
    }
    free(temporary);
    free(tail);
}

static void consider_page(void *context, const struct folder_listing *folder, const struct page *page)
{
    const struct prune *prune = context;
    char *record = must_printf("%s" RECORD_SUFFIX, page->stem);
    struct pruned_page gone = {.record = record, .why = explain(prune, &page->record), .is_dry = prune->is_dry};
    if (gone.why) {
        remove_page(folder->path, &page->record, &gone);
        prune->report(&gone);
        if (!prune->is_dry)
            folder_remove_empty(prune->list->output, folder->below);
    }
    strings_release(&gone.removed);
    strings_release(&gone.left);
    free(gone.why);
    free(record);
}

void prune_list(const struct prune *prune)
{
    const struct page_search search = {consider_page, (void *)(uintptr_t)prune, prune->pages, false,
                                       RECORD_OF_PAGE};
    struct error ignored;
    pages_each(prune->list->output, FOLDER_OWN, &search, &ignored);
}
