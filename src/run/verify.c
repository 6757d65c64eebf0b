#include "run/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "page/folder.h"
#include "page/lock.h"
#include "page/metadata.h"
#include "page/record.h"

const char *const verify_names[VERIFY_COUNT] = {
    [VERIFY_CHANGED] = "changed",       [VERIFY_MISSING] = "missing",         [VERIFY_BROKEN] = "broken",
    [VERIFY_UNREADABLE] = "unreadable", [VERIFY_UNDESCRIBED] = "undescribed", [VERIFY_LEFTOVER] = "leftover",
};

/* A page that a record was found of. Whose it is, its folder and its record say. */
struct verified_page {
    const char *folder, *path; /* of the record: resolved; as it is told */
    struct record record;      /* of it only what says which page it is */
};

void verify_release(struct verify *verify)
{
    arena_release(&verify->arena);
    free(verify->found);
}

/* `name`: in the folder; NULL: the folder itself. */
static void add_problem(struct verify *verify, enum verify_kind kind, const char *folder, const char *name,
                        const char *text)
{
    char *path = name ? path_join(folder, name) : must_strdup(folder);
    verify->problems += kind < VERIFY_UNDESCRIBED;
    verify->report(verify->context, &(struct verify_problem){kind, path, text});
    free(path);
}

/* -- One page ---------------------------------------------------------------------------------------------- */

/* How often a page is checked that a run is replacing at that moment. */
enum { LOAD_ATTEMPTS = 10 };

static void check_file(struct verify *verify, const char *folder, const struct record_file *file)
{
    struct error err;
    switch (recorded_check(folder, file, &err)) {
    case RECORDED_SAME:
        verify->files++;
        break;
    case RECORDED_MISSING:
        add_problem(verify, VERIFY_MISSING, folder, file->name,
                    "the record of its page names it, but it is not there");
        break;
    case RECORDED_CHANGED:
        add_problem(verify, VERIFY_CHANGED, folder, file->name, "its bytes are not those that were written");
        break;
    case RECORDED_UNREADABLE:
        add_problem(verify, VERIFY_UNREADABLE, folder, file->name, err.text);
        break;
    }
}

/* Loads a record and checks its page against it, at one moment even while a run is at work. */
static enum record_kind load_page(const char *folder, const char *path, struct record *out, bool *page_is_fine,
                                  struct error *err)
{
    for (int attempt = 1;; attempt++) {
        struct stat before = {0}, after = {0};
        struct error ignored;
        lstat(path, &before);
        enum record_kind kind = recorded_load(path, path, out, err);
        *page_is_fine = kind == RECORD_GOOD;
        for (size_t i = 0; *page_is_fine && i < out->file_count; i++)
            *page_is_fine = recorded_check(folder, &out->files[i], &ignored) == RECORDED_SAME;
        lstat(path, &after); /* a run that replaces a page removes its record first */
        bool is_still = before.st_ino == after.st_ino && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                        before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
        if (*page_is_fine || attempt == LOAD_ATTEMPTS || is_still)
            return kind;
        if (kind == RECORD_GOOD)
            record_release(out);
    }
}

/* Adds the names of the page's files to `described`. */
static void check_page(struct verify *verify, const char *folder, const char *name, struct strings *described)
{
    struct record record;
    struct error err;
    bool page_is_fine;
    char *path = path_join(folder, name);
    enum record_kind kind = load_page(folder, path, &record, &page_is_fine, &err);
    free(path);
    if (kind == RECORD_BROKEN)
        add_problem(verify, VERIFY_BROKEN, folder, name, err.text);
    if (kind != RECORD_GOOD)
        return;
    verify->files++;
    verify->found = must_grow(verify->found, verify->pages, &verify->found_capacity, sizeof *verify->found);
    verify->found[verify->pages++] = (struct verified_page){
        .folder = verify->folder,
        .path = arena_take(&verify->arena, path_join(folder, name)),
        .record = {.list = arena_strdup(&verify->arena, record.list),
                   .job = arena_strdup(&verify->arena, record.job),
                   .page = record.page,
                   .page_count = record.page_count,
                   .part = record.part,
                   .part_count = record.part_count},
    };
    for (size_t i = 0; i < record.file_count; i++) {
        strings_add(described, record.files[i].name);
        if (page_is_fine)
            verify->files++;
        else
            check_file(verify, folder, &record.files[i]);
    }
    record_release(&record);
}

/* -- One folder -------------------------------------------------------------------------------------------- */

/* One folder with all below it. */
struct folder_check {
    struct verify *verify;
    int result;
    struct error *err;
};

/* A folder of frames is described by the record of their page, which lies above. */
static void add_frames(const struct folder_listing *folder, struct strings *described)
{
    const char *name = path_base(folder->path);
    struct record record;
    struct error ignored;
    if (!folder->above || strcmp(path_suffix(name), FRAMES_SUFFIX))
        return;
    char *page = path_stem(folder->path), *path = must_printf("%s" RECORD_SUFFIX, page);
    if (recorded_load(path, path, &record, &ignored) == RECORD_GOOD) {
        for (size_t i = 0; i < record.file_count; i++)
            if (strchr(record.files[i].name, '/'))
                strings_add(described, path_base(record.files[i].name));
        record_release(&record);
    }
    free(path);
    free(page);
}

static void check_folder(void *context, const struct folder_listing *folder)
{
    struct folder_check *check = context;
    struct verify *verify = check->verify;
    struct strings described = {0};
    verify->folder = arena_take(&verify->arena, path_resolve(folder->path));
    for (size_t i = 0; i < folder->records.count; i++)
        check_page(verify, folder->path, folder->records.items[i], &described);
    add_frames(folder, &described);
    strings_sort(&described);
    for (size_t i = 0; i < folder->others.count; i++) {
        const char *name = folder->others.items[i];
        if (metadata_is_output(name) && !strings_has_sorted(&described, name))
            add_problem(verify, VERIFY_UNDESCRIBED, folder->path, name, "no record beside it names this file");
    }
    strings_release(&described);
    bool is_at_work = false;
    for (const struct folder_listing *above = folder; above && folder->leftovers.count > 0; above = above->above)
        is_at_work |= lock_is_held(above->path);
    for (size_t i = 0; i < folder->leftovers.count; i++)
        add_problem(verify, VERIFY_LEFTOVER, folder->path, folder->leftovers.items[i],
                    is_at_work ? "a temporary file; a run is at work in this folder"
                               : "a temporary file of a run that was killed: the next run removes it");
    if (!folder->error)
        return;
    struct error listing;
    error_set(&listing, "%s: %s%s", folder->path, folder->was_opened ? "cannot list all of it: " : "",
              strerror(folder->error));
    if (folder->above)
        add_problem(verify, VERIFY_UNREADABLE, folder->path, NULL, listing.text);
    else
        check->result = error_set(check->err, "%s", listing.text);
}

int verify_folder(struct verify *verify, const char *folder, struct error *err)
{
    struct folder_check check = {verify, 0, err};
    const size_t before = verify->pages + verify->problems;
    struct error found; /* told as problems */
    folder_each(folder, FOLDER_ALL, check_folder, &check, &found);
    if (check.result == 0 && verify->pages + verify->problems == before)
        add_problem(verify, VERIFY_MISSING, folder, NULL,
                    "no record (*" RECORD_SUFFIX ") is in it: no run of sheetbake wrote this folder");
    return check.result;
}

/* -- The jobs of a list ------------------------------------------------------------------------------------ */

static int compare_jobs(const void *a, const void *b)
{
    const struct verified_page *left = a, *right = b;
    int order = strcmp(left->folder, right->folder);
    order = order ? order : strcmp(left->record.list, right->record.list);
    return order ? order : strcmp(left->record.job, right->record.job);
}

static int compare_pages(const void *a, const void *b)
{
    const struct verified_page *left = a, *right = b;
    int order = compare_jobs(a, b);
    return order ? order : record_compare_pages(&left->record, &right->record);
}

/* The pages of a job where a run writes them, or NULL: copies in other folders, and jobs of this name of other lists, do not count. */
static const struct verified_page *find_pages(const struct verify *verify, const struct job_list *list,
                                              const struct job *job, size_t *count)
{
    struct arena arena = {0};
    const char *folder = arena_take(&arena, path_folder(arena_take(&arena, path_join(list->output, job->name))));
    const struct verified_page wanted = {.folder = arena_take(&arena, path_resolve(folder)),
                                         .record = {.list = list->name, .job = job->name}};
    const struct verified_page *first =
        verify->pages ? bsearch(&wanted, verify->found, verify->pages, sizeof wanted, compare_jobs) : NULL;
    while (first && first > verify->found && compare_jobs(first - 1, &wanted) == 0)
        first--;
    for (*count = 0; first && first + *count < verify->found + verify->pages; ++*count)
        if (compare_jobs(first + *count, &wanted) != 0)
            break;
    arena_release(&arena);
    return first;
}

static void check_job(struct verify *verify, const struct job_list *list, const struct job *job)
{
    static const char *const texts[] = {
        [RECORD_LEFT] = "a page of another run, which is none of the sheet: remove it",
        [RECORD_TWICE] = "another record is of the same page, from another run: remove both and render again"};
    size_t count;
    const struct verified_page *pages = find_pages(verify, list, job, &count);
    const struct record *first = pages ? &pages->record : NULL, *latest = first;
    uint32_t page = 0, part = 0; /* that should come next */
    if (count == 0)
        add_problem(verify, VERIFY_MISSING, list->output, job->name, "no page of this job is there");
    for (size_t i = 0; count && (i < count || page < first->page_count);) {
        const struct record *next = i < count ? &pages[i].record : latest;
        enum record_place place = i && i < count ? record_place(first, latest, next) : RECORD_NEXT;
        if (place != RECORD_NEXT) {
            add_problem(verify, place == RECORD_LEFT ? VERIFY_LEFTOVER : VERIFY_BROKEN, pages[i++].path, NULL,
                        texts[place]);
            continue;
        }
        const uint32_t parts = next->page == page     ? next->part_count
                               : latest->page == page ? latest->part_count
                                                      : 1;
        if (i < count && next->page == page && next->part == part) {
            latest = next;
            i++;
        } else {
            char *text = must_printf("%s %u of the %u of this job is not there", parts > 1 ? "part" : "page",
                                     (parts > 1 ? part : page) + 1, parts > 1 ? parts : first->page_count);
            add_problem(verify, VERIFY_MISSING, list->output, job->name, text);
            free(text);
        }
        part = part + 1 < parts ? part + 1 : 0;
        page += part == 0;
    }
}

void verify_list(struct verify *verify, const struct job_list *list)
{
    if (verify->pages)
        qsort(verify->found, verify->pages, sizeof *verify->found, compare_pages);
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].is_pattern) { /* which jobs it would give is not known now */
            char *why = job_describe_missing(&list->jobs[i]);
            add_problem(verify, VERIFY_MISSING, list->output, list->jobs[i].name, why);
            free(why);
        } else {
            check_job(verify, list, &list->jobs[i]);
        }
}
