#include "out/prune.h"

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
#include "fresh/output_tree.h"
#include "fresh/record.h"
#include "sheet/metadata.h"

/* -- What killed runs have left ---------------------------------------------------------------------------- */

char *leftovers_name(const char *folder, const char *name)
{
    /* Workers in different containers that share the output may have one process number. */
    uint32_t random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)time(NULL);
    return must_printf("%s/.%s.%ld-%08x.tmp", folder, name, (long)getpid(), random);
}

/* NAME of ".NAME.PID-RANDOM.tmp". NULL where it is not such a name; the caller frees it. */
static char *final_name(const char *name)
{
    static const char pattern[] = "-########.tmp"; /* '#' is a hexadecimal digit */
    size_t tail = sizeof pattern - 1, length = strlen(name), digits = 0;
    if (name[0] != '.' || length <= tail)
        return NULL;
    size_t at = length - tail;
    for (size_t i = 0; i < tail; i++)
        if (pattern[i] == '#' ? !isxdigit((unsigned char)name[at + i]) : name[at + i] != pattern[i])
            return NULL;
    while (at > 1 && isdigit((unsigned char)name[at - 1]))
        at--, digits++;
    bool is_one = digits > 0 && at > 2 && name[at - 1] == '.';
    return is_one ? must_printf("%.*s", (int)(at - 2), name + 1) : NULL;
}

bool leftovers_has(const char *name)
{
    char *final = final_name(name);
    bool result = final && final[0] != '.' && metadata_is_output(final);
    free(final);
    return result;
}

/* `path` is the record that a page had before a run was killed: removes its files that no record has any more. */
static void remove_described(const char *path, const char *final)
{
    struct record old, now;
    struct error err;
    if (recorded_load(path, final, &old, &err) != RECORD_GOOD)
        return;
    char *folder = path_folder(path), *final_path = path_join(folder, final);
    bool has_record = recorded_load(final_path, final, &now, &err) == RECORD_GOOD;
    for (size_t i = 0; i < old.file_count; i++) {
        const struct record_file *file = &old.files[i];
        if ((has_record && recorded_has(&now, file->name)) || recorded_check(folder, file, &err) != RECORDED_SAME)
            continue;
        char *described = path_join(folder, file->name);
        unlink(described);
        free(described);
    }
    if (has_record)
        record_release(&now);
    record_release(&old);
    free(final_path);
    free(folder);
}

void leftovers_remove_one(const char *path)
{
    char *final = final_name(path_base(path));
    if (final && output_tree_is_record(final))
        remove_described(path, final);
    free(final);
    unlink(path);
}

void leftovers_remove(const char *folder)
{
    struct strings paths = {0};
    output_tree_find(folder, leftovers_has, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = path_join(folder, paths.items[i]), *below = path_folder(paths.items[i]);
        leftovers_remove_one(path);
        if (strcmp(below, "."))
            output_tree_remove_empty(folder, below);
        free(below);
        free(path);
    }
    strings_release(&paths);
}

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
