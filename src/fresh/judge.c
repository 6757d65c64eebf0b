#include "fresh/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "material/declaration_index.h"
#include "base/file.h"
#include "base/memory.h"
#include "fresh/earlier.h"
#include "sheet/metadata.h"

struct judge {
    /* Of the list of the latest job. */
    const struct job_list *list;
    struct earlier *earlier;
    struct assets *assets; /* NULL: cannot be opened */
    struct error assets_error;
    struct trace now; /* every question asked of them so far, so that each file is read once */

    const struct job *job;             /* the latest */
    const struct earlier_page **pages; /* that may be its own */
    size_t page_count;
};

struct judge *judge_new(void)
{
    return must_alloc(1, sizeof(struct judge));
}

static void close_list(struct judge *judge)
{
    free(judge->pages);
    earlier_free(judge->earlier);
    assets_close(judge->assets);
    trace_release(&judge->now);
    *judge = (struct judge){0};
}

void judge_free(struct judge *judge)
{
    if (!judge)
        return;
    close_list(judge);
    free(judge);
}

static void open_list(struct judge *judge, const struct job_list *list)
{
    if (list == judge->list)
        return;
    close_list(judge);
    judge->list = list;
    judge->earlier = earlier_new(list->output);
    if (assets_open(list->roots, list->root_count, &judge->assets, &judge->assets_error) == 0)
        assets_trace(judge->assets, &judge->now);
}

/* -- What the job says ------------------------------------------------------------------------------------- */

/* Both are sorted: a merge. */
static void compare_settings(struct reasons *reasons, const struct record_pairs *was,
                             const struct record_pairs *is)
{
    for (size_t i = 0, j = 0; i < was->count || j < is->count;) {
        const struct record_pair *old = i < was->count ? &was->items[i] : NULL;
        const struct record_pair *new = j < is->count ? &is->items[j] : NULL;
        int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        if (order < 0)
            reasons_add(reasons, REASON_SETTING, old->name, old->value, NULL);
        else if (order > 0)
            reasons_add(reasons, REASON_SETTING, new->name, NULL, new->value);
        else if (strcmp(old->value, new->value))
            reasons_add(reasons, REASON_SETTING, old->name, old->value, new->value);
        i += order <= 0;
        j += order >= 0;
    }
}

static void compare_job(struct reasons *reasons, const struct record *was, const struct record *today)
{
    if (was->output != today->output)
        reasons_add(reasons, REASON_OUTPUT, NULL, NULL, NULL);
    reasons_add_renderer(reasons, was, today);
    compare_settings(reasons, &was->settings, &today->settings);
    if (strcmp(was->group ? was->group : "", today->group ? today->group : ""))
        reasons_add(reasons, REASON_GROUP, NULL, NULL, NULL);
}

/* -- What the assets say ----------------------------------------------------------------------------------- */

/* The hash of a file that is there. */
static const char *hash_now(struct judge *judge, const char *path)
{
    const struct look_up *known = trace_find(&judge->now, LOOK_READ, path);
    if (known)
        return known->value;
    struct blob blob;
    struct error err;
    if (assets_read(judge->assets, path, &blob, &err) == 0)
        blob_release(&blob);
    known = trace_find(&judge->now, LOOK_READ, path);
    return known ? known->value : TRACE_UNREADABLE;
}

static void compare_inputs(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->inputs.count; i++) {
        const struct record_pair *input = &was->inputs.items[i];
        const char *found = assets_find(judge->assets, input->name);
        if (!found)
            reasons_add(reasons, REASON_INPUT, input->name, input->value, NULL);
        else if (strcmp(found, input->name))
            reasons_add(reasons, REASON_LOOKUP, input->name, input->name, found);
        else if (strcmp(hash_now(judge, found), input->value))
            reasons_add(reasons, REASON_INPUT, input->name, input->value, hash_now(judge, found));
    }
}

/* Those that led to a file which is gone, and was read, are among the inputs. */
static void compare_found(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->found.count; i++) {
        const struct record_pair *path = &was->found.items[i];
        const char *found = assets_find(judge->assets, path->name);
        if (!found && record_find(&was->inputs, path->value))
            continue;
        if (!found || strcmp(found, path->value))
            reasons_add(reasons, REASON_LOOKUP, path->name, path->value, found);
    }
}

/* The first file that matches, or NULL, and the hash of all. The path is the caller's to free. */
static char *list_now(struct judge *judge, const char *pattern, char hash[HASH_SIZE])
{
    struct strings matches = {0};
    struct error err;
    assets_glob(judge->assets, pattern, &matches, &err);
    char *first = matches.count ? must_strdup(matches.items[0]) : NULL;
    assets_hash_list(&matches, hash);
    strings_release(&matches);
    return first;
}

static void compare_listed(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    char nothing[HASH_SIZE], hash[HASH_SIZE];
    assets_hash_list(&(struct strings){0}, nothing);
    for (size_t i = 0; i < was->listed.count; i++) {
        const struct record_pair *listed = &was->listed.items[i];
        char *first = list_now(judge, listed->name, hash);
        if (strcmp(hash, listed->value) && !strcmp(listed->value, nothing))
            reasons_add(reasons, REASON_LISTED, listed->name, NULL, first);
        else if (strcmp(hash, listed->value))
            reasons_add(reasons, REASON_LISTED, listed->name, listed->value, first ? hash : NULL);
        free(first);
    }
}

/* A name may look like a pattern, and is none. */
static void compare_absent(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->absent_count; i++) {
        const char *path = was->absent[i], *found = assets_find(judge->assets, path);
        if (found)
            reasons_add(reasons, REASON_LOOKUP, path, NULL, found);
    }
}

static bool are_alike(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static void compare_declared(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->declared.count; i++) {
        const struct record_pair *declared = &was->declared.items[i];
        char *now = NULL;
        bool is_known = declaration_look_again(judge->assets, declared->name, &now);
        if (!is_known || !are_alike(now, declared->value))
            reasons_add(reasons, REASON_DECLARED, declared->name, declared->value, now);
        free(now);
    }
}

/* What was looked for in vain may be in a folder that cannot be listed: then the sheet is made, which tells of it. */
static void compare_assets(struct judge *judge, struct reasons *reasons, const struct record *was)
{
    if (!judge->assets) {
        reasons_add(reasons, REASON_ASSETS, NULL, NULL, judge->assets_error.text);
        return;
    }
    judge->now.trouble = NULL; /* that of other records */
    compare_inputs(judge, reasons, was);
    compare_found(judge, reasons, was);
    compare_absent(judge, reasons, was);
    compare_listed(judge, reasons, was);
    compare_declared(judge, reasons, was);
    if (judge->now.trouble)
        reasons_add(reasons, REASON_ASSETS, NULL, NULL, judge->now.trouble);
}

/* -- What is in the output folder -------------------------------------------------------------------------- */

static void compare_file(const struct judge *judge, struct reasons *reasons, const struct earlier_page *page,
                         const struct record_file *file)
{
    int folder = (int)(path_base(page->name) - page->name);
    int64_t size = earlier_file_size(judge->earlier, page, file->name);
    char *name = must_printf("%.*s%s", folder, page->name, file->name);
    char *was = must_printf("%ju", (uintmax_t)file->bytes), *is = must_printf("%jd", (intmax_t)size);
    if (size != (int64_t)file->bytes)
        reasons_add(reasons, REASON_FILE, name, was, size < 0 ? NULL : is);
    else if (!metadata_is_picture(name) && !earlier_file_is_same(judge->earlier, page, file))
        reasons_add(reasons, REASON_EDITED, name, NULL, NULL);
    free(name);
    free(was);
    free(is);
}

/* Pictures have the size they had; what describes them, which people edit, the bytes. */
static void compare_files(const struct judge *judge, struct reasons *reasons, const struct earlier_page *page)
{
    for (size_t i = 0; i < page->record.file_count; i++)
        compare_file(judge, reasons, page, &page->record.files[i]);
}

/* A copy under another name still says whose it was: its picture is not its own. */
static bool has_own_picture(const struct earlier_page *page)
{
    size_t length = strlen(path_base(page->name));
    for (size_t i = 0; i < page->record.file_count; i++) {
        const char *name = page->record.files[i].name;
        if (!strncmp(name, path_base(page->name), length) && !strcmp(name + length, PICTURE_SUFFIX))
            return true;
    }
    return false;
}

static bool is_of_job(const struct earlier_page *page, const struct job_list *list, const struct job *job)
{
    return page->kind == RECORD_GOOD && !strcmp(page->record.list, list->name) &&
           !strcmp(page->record.job, job->name) && has_own_picture(page);
}

/* -- A job ------------------------------------------------------------------------------------------------- */

static struct page_verdict *new_pages(struct verdict *verdict, uint32_t page_count)
{
    verdict->page_count = page_count;
    verdict->pages = must_alloc(page_count ? page_count : 1, sizeof *verdict->pages);
    return verdict->pages;
}

/* Why there is no record of a job: what stands in the place of its first page. */
static void explain_missing(const struct judge *judge, const struct job *job, struct reasons *reasons)
{
    for (size_t i = 0; i < judge->page_count; i++) {
        const struct earlier_page *page = judge->pages[i];
        char *name = must_printf("%s" RECORD_SUFFIX, page->name);
        char *owner = page->kind == RECORD_GOOD
                          ? must_printf("job '%s' of list '%s'", page->record.job, page->record.list)
                          : NULL;
        if (page->kind == RECORD_BROKEN)
            reasons_add(reasons, REASON_BROKEN, name, NULL, page->problem);
        else if (!strcmp(page->name, job->name))
            reasons_add(reasons, REASON_OWNER, name, owner, NULL);
        free(name);
        free(owner);
        if (reasons->count)
            return;
    }
    reasons_add(reasons, REASON_NEW, NULL, NULL, NULL);
}

/* A page of the job, and what is no longer as its record has it but for its own files. */
struct judged {
    const struct earlier_page *page;
    struct reasons reasons;
};

static struct judged *judge_records(struct judge *judge, const struct job *job, const struct record *today,
                                    size_t *count)
{
    struct judged *judged = must_alloc(judge->page_count, sizeof *judged);
    *count = 0;
    for (size_t i = 0; i < judge->page_count; i++) {
        if (!is_of_job(judge->pages[i], judge->list, job))
            continue;
        struct judged *one = &judged[(*count)++];
        one->page = judge->pages[i];
        compare_job(&one->reasons, &one->page->record, today);
        compare_assets(judge, &one->reasons, &one->page->record);
    }
    return judged;
}

/* How many pages the job has is told by any of them that would come out alike today; 0 where none would. */
static uint32_t find_page_count(const struct judged *judged, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (judged[i].reasons.count == 0)
            return judged[i].page->record.page_count;
    return 0;
}

static void judge_page(const struct judge *judge, const struct judged *judged, struct page_verdict *page)
{
    strings_add(&page->names, judged->page->name);
    reasons_copy(&page->reasons, &judged->reasons);
    compare_files(judge, &page->reasons, judged->page);
}

/* By page and part; of several of one place, such as one that an earlier list called otherwise, that with the
 * least to say first. */
static int compare_judged(const void *a_item, const void *b_item)
{
    const struct judged *a = a_item, *b = b_item;
    const struct record *x = &a->page->record, *y = &b->page->record;
    if (x->page != y->page)
        return x->page < y->page ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (a->reasons.count != b->reasons.count)
        return a->reasons.count < b->reasons.count ? -1 : 1;
    return strcmp(a->page->name, b->page->name);
}

/* How many parts a page has is told by any of them that would come out alike today. */
static uint32_t find_part_count(const struct judged *judged, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (judged[i].reasons.count == 0)
            return judged[i].page->record.part_count;
    return judged[0].page->record.part_count;
}

/* A page by the records that say they are of it, at least one. */
static void judge_parts(const struct judge *judge, const struct judged *judged, size_t count,
                        struct page_verdict *page)
{
    uint32_t part_count = find_part_count(judged, count), found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &judged[i].page->record;
        if (record->part != found || record->part_count != part_count)
            continue;
        judge_page(judge, &judged[i], page);
        found++;
    }
    if (found < part_count) {
        char *was = must_printf("%u", part_count), *is = must_printf("%u", found);
        reasons_add(&page->reasons, REASON_PARTS, NULL, was, is);
        free(was);
        free(is);
    }
}

static size_t count_of_page(const struct judged *judged, size_t count)
{
    size_t same = 1;
    while (same < count && judged[same].page->record.page == judged->page->record.page)
        same++;
    return same;
}

/* Each page by its own records. A page may be left that the job had once and has no more. */
static void judge_pages(const struct judge *judge, const struct judged *judged, size_t count,
                        struct verdict *verdict)
{
    for (size_t i = 0, same; i < count; i += same) {
        uint32_t page = judged[i].page->record.page;
        same = count_of_page(judged + i, count - i);
        if (page < verdict->page_count)
            judge_parts(judge, judged + i, same, &verdict->pages[page]);
    }
    for (uint32_t page = 0; page < verdict->page_count; page++)
        if (verdict->pages[page].names.count == 0 && verdict->pages[page].reasons.count == 0)
            reasons_add(&verdict->pages[page].reasons, REASON_NEW, NULL, NULL, NULL);
}

bool verdict_is_up_to_date(const struct verdict *verdict)
{
    for (uint32_t page = 0; page < verdict->page_count; page++)
        if (verdict->pages[page].reasons.count)
            return false;
    return verdict->page_count > 0;
}

/* Records of one job have the same warnings, but for what drawing packed sheets has shown. One record may have a
 * warning twice. */
static void keep_warnings(const struct judged *judged, size_t count, struct verdict *verdict)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &judged[i].page->record;
        for (size_t j = 0; j < record->warning_count && judged[i].reasons.count == 0; j++)
            if (i == 0 || !strings_has(&verdict->warnings, record->warnings[j]))
                strings_add(&verdict->warnings, record->warnings[j]);
    }
}

void judge_job(struct judge *judge, const struct job_list *list, const struct job *job, const struct record *today,
               struct verdict *out)
{
    open_list(judge, list);
    judge->job = job;
    free(judge->pages);
    earlier_pages(judge->earlier, job->name, &judge->pages, &judge->page_count);

    size_t count;
    struct judged *judged = judge_records(judge, job, today, &count);
    if (count)
        qsort(judged, count, sizeof *judged, compare_judged);
    struct verdict verdict = {0};
    struct page_verdict *first = new_pages(&verdict, find_page_count(judged, count));
    if (verdict.page_count)
        judge_pages(judge, judged, count, &verdict);
    else if (count)
        judge_page(judge, &judged[0], first);
    else
        explain_missing(judge, job, &first->reasons);
    if (verdict_is_up_to_date(&verdict))
        keep_warnings(judged, count, &verdict); /* the first has none to say against itself */
    for (size_t i = 0; i < count; i++)
        reasons_release(&judged[i].reasons);
    free(judged);
    *out = verdict;
}

void judge_missing(const struct job *job, struct verdict *out)
{
    struct verdict verdict = {0};
    char *missing = job_describe_missing(job);
    reasons_add(&new_pages(&verdict, 0)->reasons, REASON_MISSING, NULL, NULL, missing);
    free(missing);
    *out = verdict;
}

void verdict_release(struct verdict *verdict)
{
    for (uint32_t i = 0; verdict->pages && i < (verdict->page_count ? verdict->page_count : 1); i++) {
        strings_release(&verdict->pages[i].names);
        reasons_release(&verdict->pages[i].reasons);
    }
    free(verdict->pages);
    strings_release(&verdict->warnings);
    *verdict = (struct verdict){0};
}

char *verdict_page_name(const struct verdict *verdict, const struct job *job, uint32_t page)
{
    if (verdict->page_count == 0)
        return must_strdup(job->name);
    if (verdict->pages[page].names.count)
        return must_printf("%s.png", verdict->pages[page].names.items[0]);
    return must_printf("%s, page %u of %u", job->name, page + 1, verdict->page_count);
}
