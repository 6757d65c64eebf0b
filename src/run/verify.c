#include "run/verify.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "page/lock.h"
#include "page/folder.h"
#include "page/record.h"
#include "page/metadata.h"

/* A page that a record was found of. */
struct verified_page {
    const char *list, *job;
    uint32_t page, page_count;
};

struct verify {
    verify_report *report;
    void *context;
    struct verify_totals totals;
    struct arena arena;
    struct verified_page *pages; /* in the order in which they were found; sorted by verify_list */
    size_t page_count, page_capacity;
};

const char *finding_name(enum finding_kind kind)
{
    static const char *const names[FINDING_COUNT] = {
        [FINDING_CHANGED] = "changed",         [FINDING_MISSING] = "missing",
        [FINDING_BROKEN] = "broken",           [FINDING_UNREADABLE] = "unreadable",
        [FINDING_UNDESCRIBED] = "undescribed", [FINDING_LEFTOVER] = "leftover",
    };
    return names[kind];
}

struct verify *verify_new(verify_report *report, void *context)
{
    struct verify *verify = must_alloc(1, sizeof *verify);
    verify->report = report;
    verify->context = context;
    return verify;
}

void verify_free(struct verify *verify)
{
    if (!verify)
        return;
    arena_release(&verify->arena);
    free(verify->pages);
    free(verify);
}

const struct verify_totals *verify_totals(const struct verify *verify)
{
    return &verify->totals;
}

static void add_finding(struct verify *verify, enum finding_kind kind, const char *path, const char *text)
{
    verify->totals.counts[kind]++;
    verify->report(verify->context, &(struct finding){kind, path, text});
}

/* How often a page is checked that a run is replacing at that moment. */
enum { LOAD_ATTEMPTS = 10 };

/* -- One page ---------------------------------------------------------------------------------------------- */

static void check_file(struct verify *verify, const char *folder, const struct record_file *file)
{
    struct error err;
    char *path = path_join(folder, file->name);
    switch (recorded_check(folder, file, &err)) {
    case RECORDED_SAME:
        verify->totals.files++;
        break;
    case RECORDED_MISSING:
        add_finding(verify, FINDING_MISSING, path, "the record of its page names it, but it is not there");
        break;
    case RECORDED_CHANGED:
        add_finding(verify, FINDING_CHANGED, path, "its bytes are not those that were written");
        break;
    case RECORDED_UNREADABLE:
        add_finding(verify, FINDING_UNREADABLE, path, err.text);
        break;
    }
    free(path);
}

static bool is_fine(const char *folder, const struct record *record)
{
    struct error ignored;
    bool result = true;
    for (size_t i = 0; i < record->file_count && result; i++)
        result = recorded_check(folder, &record->files[i], &ignored) == RECORDED_SAME;
    return result;
}

/* Which file a record is: a run that replaces a page removes its record first. */
struct identity {
    ino_t inode;
    struct timespec changed;
};

/* Zeros where there is none. */
static struct identity identify(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 ? (struct identity){info.st_ino, info.st_mtim} : (struct identity){0};
}

/* Loads a record and checks its page against it, at one moment even while a run is at work. */
static enum record_kind load_page(const char *folder, const char *path, struct record *out, bool *page_is_fine,
                                  struct error *err)
{
    for (int attempt = 1;; attempt++) {
        struct identity before = identify(path);
        enum record_kind kind = recorded_load(path, path, out, err);
        *page_is_fine = kind == RECORD_GOOD && is_fine(folder, out);
        struct identity after = identify(path);
        bool is_same = before.inode == after.inode && before.changed.tv_sec == after.changed.tv_sec &&
                       before.changed.tv_nsec == after.changed.tv_nsec;
        if (*page_is_fine || attempt == LOAD_ATTEMPTS || is_same)
            return kind;
        if (kind == RECORD_GOOD)
            record_release(out);
    }
}

/* Adds the names of the recorded files to `described`. */
static void check_record(struct verify *verify, const char *folder, const char *path, struct strings *described)
{
    struct record record;
    struct error err;
    bool page_is_fine;
    enum record_kind kind = load_page(folder, path, &record, &page_is_fine, &err);
    if (kind == RECORD_BROKEN)
        add_finding(verify, FINDING_BROKEN, path, err.text);
    if (kind != RECORD_GOOD)
        return;
    verify->totals.pages++;
    verify->totals.files++;
    verify->pages = must_grow(verify->pages, verify->page_count, &verify->page_capacity, sizeof *verify->pages);
    verify->pages[verify->page_count++] = (struct verified_page){
        .list = arena_strdup(&verify->arena, record.list),
        .job = arena_strdup(&verify->arena, record.job),
        .page = record.page,
        .page_count = record.page_count,
    };
    for (size_t i = 0; i < record.file_count; i++) {
        strings_add(described, record.files[i].name);
        if (page_is_fine)
            verify->totals.files++;
        else
            check_file(verify, folder, &record.files[i]);
    }
    record_release(&record);
}

/* -- One folder -------------------------------------------------------------------------------------------- */

struct listing {
    struct strings files, folders, leftovers; /* names */
};

static int list_folder(const char *folder, struct listing *listing, struct error *err)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return error_set(err, "%s: %s", folder, strerror(errno));
    struct dirent *entry;
    while (errno = 0, (entry = readdir(directory))) {
        struct stat info;
        const char *name = entry->d_name;
        char *path = path_join(folder, name);
        if (!strcmp(name, ".") || !strcmp(name, ".."))
            /* not in it */;
        else if (leftovers_has(name))
            strings_add(&listing->leftovers, name);
        else if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
            strings_add(&listing->folders, name);
        else
            strings_add(&listing->files, name);
        free(path);
    }
    int result = errno ? error_set(err, "%s: cannot list all of it: %s", folder, strerror(errno)) : 0;
    closedir(directory);
    strings_sort(&listing->files);
    strings_sort(&listing->folders);
    strings_sort(&listing->leftovers);
    return result;
}

/* The records first, which describe the other files. */
static void check_files(struct verify *verify, const char *folder, const struct strings *files)
{
    struct strings described = {0};
    for (size_t i = 0; i < files->count; i++) {
        if (!output_tree_is_record(files->items[i]))
            continue;
        char *path = path_join(folder, files->items[i]);
        check_record(verify, folder, path, &described);
        free(path);
    }
    strings_sort(&described);
    for (size_t i = 0; i < files->count; i++) {
        const char *name = files->items[i];
        if (!metadata_is_output(name) || output_tree_is_record(name) || strings_has_sorted(&described, name))
            continue;
        char *path = path_join(folder, name);
        add_finding(verify, FINDING_UNDESCRIBED, path, "no record beside it names this file");
        free(path);
    }
    strings_release(&described);
}

static int check_folder(struct verify *verify, const char *folder, bool is_busy, struct error *err)
{
    struct listing listing = {0};
    int result = list_folder(folder, &listing, err);
    is_busy = is_busy || lock_is_held(folder); /* a run has it, or one above it */
    check_files(verify, folder, &listing.files);

    for (size_t i = 0; i < listing.leftovers.count; i++) {
        char *path = path_join(folder, listing.leftovers.items[i]);
        add_finding(verify, FINDING_LEFTOVER, path,
                    is_busy ? "a temporary file; a run is at work in this folder"
                            : "a temporary file of a run that was killed: the next run removes it");
        free(path);
    }

    for (size_t i = 0; i < listing.folders.count; i++) {
        char *path = path_join(folder, listing.folders.items[i]);
        struct error inner;
        if (check_folder(verify, path, is_busy, &inner) < 0)
            add_finding(verify, FINDING_UNREADABLE, path, inner.text);
        free(path);
    }
    strings_release(&listing.files);
    strings_release(&listing.folders);
    strings_release(&listing.leftovers);
    return result;
}

int verify_folder(struct verify *verify, const char *folder, struct error *err)
{
    return check_folder(verify, folder, false, err);
}

/* -- The jobs of a list ------------------------------------------------------------------------------------ */

static int compare_pages(const void *a, const void *b)
{
    const struct verified_page *left = a, *right = b;
    int order = strcmp(left->list, right->list);
    if (order == 0)
        order = strcmp(left->job, right->job);
    return order ? order : (left->page > right->page) - (left->page < right->page);
}

/* The first of the job's pages at or after this one, or NULL. */
static const struct verified_page *find_page(const struct verify *verify, const char *list, const char *job,
                                             uint32_t page)
{
    const struct verified_page wanted = {.list = list, .job = job, .page = page};
    size_t low = 0, high = verify->page_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_pages(&verify->pages[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct verified_page *found = &verify->pages[low];
    return low < verify->page_count && !strcmp(found->list, list) && !strcmp(found->job, job) ? found : NULL;
}

static void add_missing(struct verify *verify, const struct job_list *list, const struct job *job,
                        const char *text)
{
    char *path = path_join(list->output, job->name);
    add_finding(verify, FINDING_MISSING, path, text);
    free(path);
}

static void check_job(struct verify *verify, const struct job_list *list, const struct job *job)
{
    const struct verified_page *first = find_page(verify, list->name, job->name, 0);
    if (!first) {
        add_missing(verify, list, job, "no page of this job is there");
        return;
    }
    for (uint32_t page = 0; page < first->page_count; page++) {
        const struct verified_page *found = find_page(verify, list->name, job->name, page);
        if (found && found->page == page)
            continue;
        char *text = must_printf("page %u of the %u of this job is not there", page + 1, first->page_count);
        add_missing(verify, list, job, text);
        free(text);
    }
}

void verify_list(struct verify *verify, const struct job_list *list)
{
    if (verify->page_count)
        qsort(verify->pages, verify->page_count, sizeof *verify->pages, compare_pages);
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].is_pattern) { /* which jobs it would give is not known now */
            char *why = job_describe_missing(&list->jobs[i]);
            add_missing(verify, list, &list->jobs[i], why);
            free(why);
        } else {
            check_job(verify, list, &list->jobs[i]);
        }
}
