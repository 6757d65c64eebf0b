#include "run/verify.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "page/lock.h"
#include "page/metadata.h"

const char *const verify_names[VERIFY_COUNT] = {
    [VERIFY_CHANGED] = "changed",       [VERIFY_MISSING] = "missing",         [VERIFY_BROKEN] = "broken",
    [VERIFY_UNREADABLE] = "unreadable", [VERIFY_UNDESCRIBED] = "undescribed", [VERIFY_LEFTOVER] = "leftover",
};

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

/* Tries for a page that a run is replacing at that moment. */
enum { LOAD_ATTEMPTS = 10 };

static void verify_file(struct verify *verify, const char *folder, const struct record_file *file)
{
    static const struct {
        enum verify_kind kind;
        const char *text; /* NULL: that of the error */
    } problems[] = {
        [RECORDED_MISSING] = {VERIFY_MISSING, "the record of its page names it, but it is not there"},
        [RECORDED_CHANGED] = {VERIFY_CHANGED, "its bytes are not those that were written"},
        [RECORDED_UNREADABLE] = {VERIFY_UNREADABLE, NULL},
    };
    struct error err;
    const enum recorded_state state = recorded_verify(folder, file, &err);
    const char *text = problems[state].text;
    verify->files += state == RECORDED_SAME;
    if (state != RECORDED_SAME)
        add_problem(verify, problems[state].kind, folder, file->name, text ? text : err.text);
}

/* Loads a record and verifies its page, both at one moment, even while a run is at work. */
static enum record_kind load_page(const char *folder, const char *path, struct record *out, bool *page_is_fine,
                                  struct error *err)
{
    for (int attempt = 1;; attempt++) {
        struct stat before = {0}, after = {0};
        struct error ignored;
        lstat(path, &before);
        enum record_kind kind = recorded_load(path, path, RECORD_WHOLE, out, err);
        *page_is_fine = kind == RECORD_GOOD;
        for (size_t i = 0; *page_is_fine && i < out->file_count; i++)
            *page_is_fine = recorded_verify(folder, &out->files[i], &ignored) == RECORDED_SAME;
        lstat(path, &after); /* a run that replaces a page removes its record first */
        bool is_still = before.st_ino == after.st_ino && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                        before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
        if (*page_is_fine || attempt == LOAD_ATTEMPTS || is_still)
            return kind;
        if (kind == RECORD_GOOD)
            record_release(out);
    }
}

/* Adds the names of the page's files to `described`. `real` is the folder, resolved. */
static void verify_page(struct verify *verify, const char *folder, const char *real, const char *name,
                        struct strings *described)
{
    struct record record;
    struct error err;
    bool page_is_fine;
    char *path = path_join(folder, name), *stem = path_stem(path);
    enum record_kind kind = load_page(folder, path, &record, &page_is_fine, &err);
    if (kind == RECORD_GOOD)
        page_set_add(&verify->found, real, stem, &record);
    free(stem);
    free(path);
    if (kind == RECORD_BROKEN)
        add_problem(verify, VERIFY_BROKEN, folder, name, err.text);
    if (kind != RECORD_GOOD)
        return;
    verify->files++;
    for (size_t i = 0; i < record.file_count; i++) {
        strings_add(described, record.files[i].name);
        if (page_is_fine)
            verify->files++;
        else
            verify_file(verify, folder, &record.files[i]);
    }
    record_release(&record);
}

/* -- One folder -------------------------------------------------------------------------------------------- */

/* One folder with all below it. */
struct folder_visit {
    struct verify *verify;
    int result;
    struct error *err;
};

/* The record that describes a folder of frames is that of their page, in the folder above. */
static void add_frames(const struct folder_listing *folder, struct strings *described)
{
    const char *name = path_base(folder->path);
    struct record record;
    struct error ignored;
    if (!folder->above || strcmp(path_suffix(name), FRAMES_SUFFIX))
        return;
    char *page = path_stem(folder->path), *path = must_printf("%s" RECORD_SUFFIX, page);
    if (recorded_load(path, path, RECORD_OF_PAGE, &record, &ignored) == RECORD_GOOD) {
        for (size_t i = 0; i < record.file_count; i++)
            if (strchr(record.files[i].name, '/'))
                strings_add(described, path_base(record.files[i].name));
        record_release(&record);
    }
    free(path);
    free(page);
}

static void visit_folder(void *context, const struct folder_listing *folder)
{
    struct folder_visit *visit = context;
    struct verify *verify = visit->verify;
    struct strings described = {0};
    char *real = path_resolve(folder->path);
    for (size_t i = 0; i < folder->records.count; i++)
        verify_page(verify, folder->path, real, folder->records.items[i], &described);
    free(real);
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
        visit->result = error_set(visit->err, "%s", listing.text);
}

int verify_folder(struct verify *verify, const char *folder, struct error *err)
{
    struct folder_visit visit = {verify, 0, err};
    const size_t before = verify->found.page_count + verify->problems;
    struct error found; /* the problems tell it */
    folder_each(folder, FOLDER_ALL, visit_folder, &visit, &found);
    if (visit.result == 0 && verify->found.page_count + verify->problems == before)
        add_problem(verify, VERIFY_MISSING, folder, NULL,
                    "no record (*" RECORD_SUFFIX ") is in it: no run of sheetbake wrote this folder");
    return visit.result;
}

/* -- The jobs of a list ------------------------------------------------------------------------------------ */

/* The folder where a run writes the pages of a job: copies elsewhere do not count. The caller frees it. */
static char *sheet_name(const struct job_list *list, const struct job *job)
{
    char *path = path_join(list->output, job->name), *folder = path_folder(path), *real = path_resolve(folder);
    char *name = must_printf("%s/%s", real, path_base(job->name));
    free(real);
    free(folder);
    free(path);
    return name;
}

static void verify_job(struct verify *verify, const struct job_list *list, const struct job *job)
{
    static const struct page_sheet none;
    char *name = sheet_name(list, job);
    const struct page_sheet *sheet = page_set_find(&verify->found, name);
    struct page_walk walk = {.sheet = sheet ? sheet : &none, .list = list->name, .job = job->name};
    for (enum page_place place; (place = page_walk(&walk)) != PAGE_END;) {
        char *path = must_printf("%s" RECORD_SUFFIX, walk.at ? walk.at->stem : ""), *gap = NULL;
        if (place == PAGE_LEFT)
            add_problem(verify, VERIFY_LEFTOVER, path, NULL,
                        "a page of another run, which is none of the sheet: remove it");
        else if (place == PAGE_TWICE)
            add_problem(verify, VERIFY_BROKEN, path, NULL,
                        "another record is of the same page, from another run: remove both and render again");
        else if (place == PAGE_GAP && walk.parts > 1)
            gap = must_printf("part %u of the %u of this job is not there", walk.part + 1, walk.parts);
        else if (place == PAGE_GAP)
            gap = must_printf("page %u of the %u of this job is not there", walk.page + 1,
                              walk.first->record.page_count);
        if (gap)
            add_problem(verify, VERIFY_MISSING, list->output, job->name, gap);
        free(gap);
        free(path);
    }
    if (!walk.first)
        add_problem(verify, VERIFY_MISSING, list->output, job->name, "no page of this job is there");
    free(name);
}

void verify_list(struct verify *verify, const struct job_list *list)
{
    page_set_sort(&verify->found);
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].is_pattern) { /* nobody knows which jobs it would give */
            char *why = job_describe_missing(&list->jobs[i]);
            add_problem(verify, VERIFY_MISSING, list->output, list->jobs[i].name, why);
            free(why);
        } else {
            verify_job(verify, list, &list->jobs[i]);
        }
}
