#include "run/prune.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/folder.h"
#include "page/record.h"
#include "page/metadata.h"

/* -- Pages of a list that it no longer makes --------------------------------------------------------------- */

struct search {
    const struct prune *prune;
    const struct job **jobs; /* of the list, by name */
    struct strings records;  /* paths below the output folder */
};

static int compare_jobs(const void *a, const void *b)
{
    return strcmp((*(const struct job *const *)a)->name, (*(const struct job *const *)b)->name);
}

/* Why the page of this record is gone, or NULL when it is not. The caller frees it. */
static char *explain(const struct search *search, const struct record *record)
{
    const struct prune *prune = search->prune;
    const struct job wanted = {.name = record->job}, *key = &wanted;
    size_t count = prune->list->job_count;
    if (strcmp(record->list, prune->list->name))
        return NULL;
    const struct job **found =
        count ? bsearch(&key, search->jobs, count, sizeof *search->jobs, compare_jobs) : NULL;
    if (!found)
        return strings_has(prune->others, record->job) ? NULL
                                                       : must_printf("there is no job '%s' any more", record->job);
    return prune->is_known[*found - prune->list->jobs]
               ? must_printf("job '%s' does not make this page any more", record->job)
               : NULL;
}

/* Whether the file may go; where not, and it is there, says why in page->left. */
static bool may_remove(const char *folder, const struct record_file *file, struct pruned_page *page)
{
    struct error err;
    switch (recorded_check(folder, file, &err)) {
    case RECORDED_SAME:
        return true;
    case RECORDED_CHANGED:
        strings_printf(&page->left, "%s: its bytes are not those that were written", file->name);
        break;
    case RECORDED_UNREADABLE:
        strings_printf(&page->left, "%s: %s", file->name, err.text);
        break;
    case RECORDED_MISSING:
        break;
    }
    return false;
}

/* What describes the pictures was changed by somebody, who may want to keep them. */
static bool is_edited(const char *folder, const struct record *record, struct pruned_page *page)
{
    struct error err;
    for (size_t i = 0; i < record->file_count && page->left.count == 0; i++)
        if (!metadata_is_picture(record->files[i].name) &&
            recorded_check(folder, &record->files[i], &err) == RECORDED_CHANGED)
            strings_printf(&page->left, "%s: it was changed since it was written", record->files[i].name);
    return page->left.count;
}

/* The record is renamed first and removed last: if this process is killed, no page lacks a picture, and the next
 * run tidies up by what the record says. */
static void remove_page(const struct prune *prune, const char *below, const struct record *record,
                        struct pruned_page *page)
{
    char *folder = path_folder(page->record), *name = must_strdup(path_base(page->record));
    char *temporary = leftovers_name(folder, name);
    if (is_edited(folder, record, page)) {
        /* All of it stays. */
    } else if (!prune->is_dry && rename(page->record, temporary) < 0) {
        strings_printf(&page->left, "%s: %s", name, strerror(errno));
    } else {
        strings_add(&page->removed, name);
        for (size_t i = 0; i < record->file_count; i++) {
            const char *file = record->files[i].name;
            if (!may_remove(folder, &record->files[i], page))
                continue;
            char *path = path_join(folder, file);
            if (prune->is_dry || unlink(path) == 0)
                strings_add(&page->removed, file);
            else
                strings_printf(&page->left, "%s: %s", file, strerror(errno));
            free(path);
        }
        if (!prune->is_dry) {
            unlink(temporary);
            output_tree_remove_empty(prune->list->output, below);
        }
    }
    free(temporary);
    free(name);
    free(folder);
}

/* `name`: of a record, below the output folder. */
static void consider_page(const struct search *search, const char *name)
{
    const struct prune *prune = search->prune;
    struct record record;
    struct error err;
    char *path = path_join(prune->list->output, name);
    char *stem = path_stem(path);
    if (!strings_has_sorted(prune->pages, stem) && recorded_load(path, path, &record, &err) == RECORD_GOOD) {
        char *why = explain(search, &record);
        if (why) {
            struct pruned_page page = {.record = path, .why = why, .is_dry = prune->is_dry};
            char *below =
                must_printf("%.*s", (int)(path_base(name) > name ? path_base(name) - name - 1 : 0), name);
            remove_page(prune, below, &record, &page);
            prune->report(NULL, &page);
            strings_release(&page.removed);
            strings_release(&page.left);
            free(below);
        }
        free(why);
        record_release(&record);
    }
    free(stem);
    free(path);
}

void prune_list(const struct prune *prune)
{
    const struct job_list *list = prune->list;
    struct search search = {.prune = prune, .jobs = must_alloc(list->job_count, sizeof *search.jobs)};
    for (size_t i = 0; i < list->job_count; i++)
        search.jobs[i] = &list->jobs[i];
    qsort(search.jobs, list->job_count, sizeof *search.jobs, compare_jobs);
    output_tree_find(list->output, output_tree_is_record, &search.records);
    for (size_t i = 0; i < search.records.count; i++)
        consider_page(&search, search.records.items[i]);
    strings_release(&search.records);
    free(search.jobs);
}
