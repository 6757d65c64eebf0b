#include "run/inspect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "material/declaration_index.h"
#include "plan/expected.h"
#include "base/file.h"
#include "base/memory.h"
#include "job/rules.h"
#include "page/folder.h"
#include "page/names.h"
#include "page/metadata.h"

/* A record in the output folder that may be the job's, by its name. */
struct found_page {
    const char *name;        /* below the output folder, without its suffix: "orcs/grunt@walk@1" */
    struct record record;    /* where it is good */
    char *problem;           /* NULL where it is good */
    bool is_own;             /* made for this job, and not for another one */
    struct reasons reasons;  /* what has changed since one of its own was written, except its own files */
    struct strings findings; /* of the job's rules */
};

struct inspector {
    bool keeps_findings;
    /* Of the list of the latest job. */
    const struct job_list *list;
    struct strings
        stems; /* of all records in the folders of its jobs, below the output folder, without suffix; sorted */
    bool are_listed;
    struct assets *assets; /* NULL: cannot be opened */
    struct error assets_error;
    struct trace now; /* the hashes of all files that were asked for */

    struct found_page *pages; /* of the latest job: its own first, by place */
    size_t page_count, own_count;
};

static void release_pages(struct inspector *inspector)
{
    for (size_t i = 0; i < inspector->page_count; i++) {
        struct found_page *page = &inspector->pages[i];
        reasons_release(&page->reasons);
        strings_release(&page->findings);
        record_release(&page->record);
        free(page->problem);
    }
    free(inspector->pages);
    inspector->pages = NULL;
    inspector->page_count = inspector->own_count = 0;
}

struct inspector *inspector_new(bool keeps_findings)
{
    struct inspector *inspector = must_alloc(1, sizeof *inspector);
    inspector->keeps_findings = keeps_findings;
    return inspector;
}

static void close_list(struct inspector *inspector)
{
    release_pages(inspector);
    strings_release(&inspector->stems);
    assets_close(inspector->assets);
    trace_release(&inspector->now);
    *inspector = (struct inspector){.keeps_findings = inspector->keeps_findings};
}

void inspector_free(struct inspector *inspector)
{
    if (!inspector)
        return;
    close_list(inspector);
    free(inspector);
}

static void open_list(struct inspector *inspector, const struct job_list *list)
{
    if (list == inspector->list)
        return;
    close_list(inspector);
    inspector->list = list;
    inspector->now.has_hashes_only = true;
    if (assets_open_as(list->roots, list->root_count, list->tree, &inspector->assets, &inspector->assets_error) ==
        0)
        assets_trace(inspector->assets, &inspector->now);
}

struct assets *inspector_assets(struct inspector *inspector, const struct job_list *list)
{
    open_list(inspector, list);
    return inspector->assets;
}

/* -- Records in the output folder --------------------------------------------------------------------------- */

/* Lists a folder's records: none where it is missing or unreadable, and then all its pages are made. A link in the output
 * folder leads to another output folder. */
static void list_records(struct inspector *inspector)
{
    const struct job_list *list = inspector->list;
    struct strings folders = {0};
    for (size_t i = 0; i < list->job_count; i++)
        strings_printf(&folders, "%.*s", (int)(path_base(list->jobs[i].name) - list->jobs[i].name),
                       list->jobs[i].name);
    strings_sort(&folders);
    for (size_t i = 0; i < folders.count; i++) {
        if (i > 0 && !strcmp(folders.items[i - 1], folders.items[i]))
            continue;
        char *path = path_join(list->output, folders.items[i]);
        struct folder_listing folder = {.path = path};
        folder_list(&folder);
        for (size_t r = 0; r < folder.records.count; r++)
            strings_printf(&inspector->stems, "%s%.*s", folders.items[i],
                           (int)(strlen(folder.records.items[r]) - strlen(RECORD_SUFFIX)),
                           folder.records.items[r]);
        folder_release(&folder);
        free(path);
    }
    strings_release(&folders);
    strings_sort(&inspector->stems);
    inspector->are_listed = true;
}

/* The first name that does not sort before the job's. */
static size_t find_first(const struct strings *stems, const char *job)
{
    size_t low = 0, high = stems->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(stems->items[middle], job) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool inspector_has_pages(struct inspector *inspector, const struct job_list *list, const char *job)
{
    open_list(inspector, list);
    if (!inspector->are_listed)
        list_records(inspector);
    const size_t first = find_first(&inspector->stems, job);
    return first < inspector->stems.count && !strncmp(inspector->stems.items[first], job, strlen(job));
}

/* Finds, in the order of their names, all pages that may be the job's by these. An unreadable record counts as broken. */
static void find_pages(struct inspector *inspector, const char *job)
{
    const struct strings *stems = &inspector->stems;
    size_t capacity = 0;
    release_pages(inspector);
    for (size_t i = find_first(stems, job); i < stems->count && !strncmp(stems->items[i], job, strlen(job)); i++) {
        if (!names_is_page_of(stems->items[i], job))
            continue;
        struct found_page page = {.name = stems->items[i]};
        char *record = must_printf("%s/%s" RECORD_SUFFIX, inspector->list->output, page.name);
        struct error err;
        enum record_kind kind = recorded_load(record, record, RECORD_WHOLE, &page.record, &err);
        free(record);
        if (kind == RECORD_NONE)
            continue;
        page.problem = kind == RECORD_BROKEN ? must_strdup(err.text) : NULL;
        page.is_own = kind == RECORD_GOOD && !strcmp(page.record.list, inspector->list->name) &&
                      !strcmp(page.record.job, job);
        inspector->own_count += page.is_own;
        *MUST_ADD(inspector->pages, inspector->page_count, capacity) = page;
    }
}

/* -- What the assets say ----------------------------------------------------------------------------------- */

/* The hash of a file that is there. */
static const char *hash_now(struct inspector *inspector, const char *path)
{
    const struct look_up *known = trace_find(&inspector->now, LOOK_READ, path);
    const char *declared = declaration_file_hash(inspector->assets, path);
    if (declared || known)
        return declared ? declared : known->value;
    struct blob blob;
    struct error err;
    if (assets_read(inspector->assets, path, &blob, &err) == 0)
        blob_release(&blob);
    known = trace_find(&inspector->now, LOOK_READ, path);
    return known ? known->value : TRACE_UNREADABLE;
}

/* Whether an archive holds the same packed bytes of a file as before: then the file is the same, and stays packed. */
static bool is_packed_alike(struct inspector *inspector, const struct record *was, const char *path)
{
    const struct record_pair *packed = record_find(&was->packed, path);
    if (packed && !trace_find(&inspector->now, LOOK_PACKED, path))
        assets_look_at_packed(inspector->assets, path);
    const struct look_up *now = packed ? trace_find(&inspector->now, LOOK_PACKED, path) : NULL;
    return now && !strcmp(now->value, packed->value);
}

static void compare_inputs(struct inspector *inspector, struct reasons *reasons, const struct record *was,
                           struct assets *others)
{
    for (size_t i = 0; i < was->inputs.count; i++) {
        const struct record_pair *input = &was->inputs.items[i];
        const char *found = assets_find(inspector->assets, input->name);
        if (!found)
            reasons_add(reasons, REASON_INPUT, input->name, input->value, NULL);
        else if (strcmp(found, input->name))
            reasons_add(reasons, REASON_LOOKUP, input->name, input->name, found);
        else if (!(others && assets_share(inspector->assets, others, found)) &&
                 !is_packed_alike(inspector, was, found) && strcmp(hash_now(inspector, found), input->value))
            reasons_add(reasons, REASON_INPUT, input->name, input->value, hash_now(inspector, found));
    }
}

/* Leaves out paths to files that were read and are gone: the inputs tell of these. */
static void compare_found(struct inspector *inspector, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->found.count; i++) {
        const struct record_pair *path = &was->found.items[i];
        const char *found = assets_find(inspector->assets, path->name);
        if (!found && record_find(&was->inputs, path->value))
            continue;
        if (!found || strcmp(found, path->value))
            reasons_add(reasons, REASON_LOOKUP, path->name, path->value, found);
    }
}

static void compare_listed(struct inspector *inspector, struct reasons *reasons, const struct record *was)
{
    char nothing[HASH_SIZE], hash[HASH_SIZE];
    assets_hash_list(&(struct strings){0}, nothing);
    for (size_t i = 0; i < was->listed.count; i++) {
        const struct record_pair *listed = &was->listed.items[i];
        struct strings matches = {0};
        struct error ignored;
        assets_glob(inspector->assets, listed->name, &matches, &ignored);
        assets_hash_list(&matches, hash);
        const char *first = matches.count ? matches.items[0] : NULL;
        if (strcmp(hash, listed->value) && !strcmp(listed->value, nothing))
            reasons_add(reasons, REASON_LISTED, listed->name, NULL, first);
        else if (strcmp(hash, listed->value))
            reasons_add(reasons, REASON_LISTED, listed->name, listed->value, first ? hash : NULL);
        strings_release(&matches);
    }
}

static void compare_declared(struct inspector *inspector, struct reasons *reasons, const struct record *was)
{
    for (size_t i = 0; i < was->declared.count; i++) {
        const struct record_pair *declared = &was->declared.items[i];
        char *now = NULL;
        bool is_known = declaration_look_again(inspector->assets, declared->name, &now);
        if (!is_known || strcmp(now ? now : "", declared->value ? declared->value : ""))
            reasons_add(reasons, REASON_DECLARED, declared->name, declared->value, now);
        free(now);
    }
}

/* A file that was missing may now be in a folder that cannot be listed. Then the sheet is made, and its worker reports the
 * folder. */
void inspect_look_ups(struct inspector *inspector, const struct job_list *list, const struct record *was,
                      struct assets *others, struct reasons *reasons)
{
    open_list(inspector, list);
    if (!inspector->assets) {
        reasons_add(reasons, REASON_ASSETS, NULL, NULL, inspector->assets_error.text);
        return;
    }
    inspector->now.trouble = NULL; /* that of other records */
    compare_inputs(inspector, reasons, was, others);
    compare_found(inspector, reasons, was);
    for (size_t i = 0; i < was->absent_count; i++) { /* names, even those that look like patterns */
        const char *path = was->absent[i], *found = assets_find(inspector->assets, path);
        if (found)
            reasons_add(reasons, REASON_LOOKUP, path, NULL, found);
    }
    compare_listed(inspector, reasons, was);
    compare_declared(inspector, reasons, was);
    if (inspector->now.trouble)
        reasons_add(reasons, REASON_ASSETS, NULL, NULL, inspector->now.trouble);
}

static void inspect_record(struct inspector *inspector, const struct job_list *list, const struct record *was,
                           const struct record *expected, struct reasons *out)
{
    if (expected->inputs.count) { /* an atlas: its inputs are jobs, not assets */
        reasons_compare(out, was, expected);
        return;
    }
    if (was->output != expected->output)
        reasons_add(out, REASON_OUTPUT, NULL, NULL, NULL);
    reasons_add_renderer(out, was, expected);
    reasons_add_settings(out, was, expected);
    inspect_look_ups(inspector, list, was, NULL, out);
}

/* -- What is in the output folder -------------------------------------------------------------------------- */

/* Compares a picture's size, and the bytes of what describes pictures, which people edit. */
static void compare_files(const struct inspector *inspector, struct reasons *reasons,
                          const struct found_page *page)
{
    struct arena arena = {0};
    const char *below = arena_strndup(&arena, page->name, (size_t)(path_base(page->name) - page->name));
    const char *folder = arena_take(&arena, path_join(inspector->list->output, below));
    for (size_t i = 0; i < page->record.file_count; i++) {
        const struct record_file *file = &page->record.files[i];
        const char *name = arena_printf(&arena, "%s%s", below, file->name);
        struct stat info;
        struct error ignored;
        const char *path = arena_take(&arena, path_join(folder, file->name));
        bool is_there = lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
                        !(strchr(file->name, '/') && file_is_link(arena_take(&arena, path_folder(path))));
        if (!is_there || (uintmax_t)info.st_size != file->bytes)
            reasons_add(reasons, REASON_FILE, name, arena_printf(&arena, "%ju", (uintmax_t)file->bytes),
                        is_there ? arena_printf(&arena, "%jd", (intmax_t)info.st_size) : NULL);
        else if (!metadata_is_picture(name) && recorded_verify(folder, file, &ignored) != RECORDED_SAME)
            reasons_add(reasons, REASON_EDITED, name, NULL, NULL);
    }
    arena_release(&arena);
}

/* -- A job ------------------------------------------------------------------------------------------------- */

static struct page_verdict *new_pages(struct verdict *verdict, uint32_t page_count)
{
    verdict->page_count = page_count;
    verdict->pages = must_alloc(page_count ? page_count : 1, sizeof *verdict->pages);
    return verdict->pages;
}

/* Adds why there is no record of a job, by the files in the place of its first page. */
static void explain_missing(const struct inspector *inspector, const struct job *job, struct reasons *reasons)
{
    for (size_t i = 0; i < inspector->page_count; i++) {
        const struct found_page *page = &inspector->pages[i];
        char *name = must_printf("%s" RECORD_SUFFIX, page->name), *owner = NULL;
        if (page->problem) {
            reasons_add(reasons, REASON_BROKEN, name, NULL, page->problem);
        } else if (!strcmp(page->name, job->name)) {
            owner = must_printf("job '%s' of list '%s'", page->record.job, page->record.list);
            reasons_add(reasons, REASON_OWNER, name, owner, NULL);
        }
        free(name);
        free(owner);
        if (reasons->count)
            return;
    }
    reasons_add(reasons, REASON_NEW, NULL, NULL, NULL);
}

/* A page of the job that is up to date: its record knows how many pages and parts there are. NULL: none is. */
static const struct record *find_same(const struct found_page *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pages[i].reasons.count == 0)
            return &pages[i].record;
    return NULL;
}

/* Writes the record anew where the rules find something else than it says. If that fails, the record stays, and the run
 * still tells what the rules found. */
static void keep_findings(const struct inspector *inspector, const struct found_page *found)
{
    struct record record = found->record;
    struct blob file;
    struct error ignored;
    bool is_same = record.finding_count == found->findings.count;
    for (size_t i = 0; i < record.finding_count && is_same; i++)
        is_same = !strcmp(record.findings[i], found->findings.items[i]);
    record.findings = (const char *const *)found->findings.items;
    record.finding_count = found->findings.count;
    if (is_same || record_save(&record, &file, &ignored) < 0)
        return;
    char *path = must_printf("%s/%s" RECORD_SUFFIX, inspector->list->output, found->name);
    file_renew(path, blob_bytes(&file), &ignored);
    free(path);
    blob_release(&file);
}

static void add_page(const struct inspector *inspector, const struct found_page *found, struct page_verdict *page)
{
    strings_add(&page->names, found->name);
    reasons_copy(&page->reasons, &found->reasons);
    compare_files(inspector, &page->reasons, found);
    strings_add_all(&page->findings, &found->findings);
    if (page->reasons.count == 0 && inspector->keeps_findings)
        keep_findings(inspector, found);
}

/* Sorts the job's own pages first, by page and part. Of several at one place (an earlier list may have called one
 * otherwise) the one with the fewest reasons comes first. */
static int compare_places(const void *a_item, const void *b_item)
{
    const struct found_page *a = a_item, *b = b_item;
    const size_t numbers[][2] = {{b->is_own, a->is_own},
                                 {a->record.page, b->record.page},
                                 {a->record.part, b->record.part},
                                 {a->reasons.count, b->reasons.count}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i][0] != numbers[i][1])
            return numbers[i][0] > numbers[i][1] ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* The verdict of a page from the records, at least one, that say they are of it. */
static void add_parts(const struct inspector *inspector, const struct found_page *found, size_t count,
                      struct page_verdict *page)
{
    const struct record *same = find_same(found, count);
    uint32_t part_count = (same ? same : &found[0].record)->part_count, part = 0;
    for (size_t i = 0; i < count; i++) {
        if (found[i].record.part != part || found[i].record.part_count != part_count)
            continue;
        add_page(inspector, &found[i], page);
        part++;
    }
    if (part < part_count) {
        char *was = must_printf("%u", part_count), *is = must_printf("%u", part);
        reasons_add(&page->reasons, REASON_PARTS, NULL, was, is);
        free(was);
        free(is);
    }
}

/* Compares each page with its own records. There may be records of pages that the job no longer has. */
static void add_pages(const struct inspector *inspector, struct verdict *verdict)
{
    const struct found_page *pages = inspector->pages;
    for (size_t first = 0, end = 0; first < inspector->own_count; first = end) {
        uint32_t page = pages[first].record.page;
        while (end < inspector->own_count && pages[end].record.page == page)
            end++;
        if (page < verdict->page_count)
            add_parts(inspector, pages + first, end - first, &verdict->pages[page]);
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

void inspect_job(struct inspector *inspector, const struct job_list *list, const struct job *job,
                 const struct record *expected, struct verdict *out)
{
    if (inspector_has_pages(inspector, list, job->name))
        find_pages(inspector, job->name);
    else
        release_pages(inspector);
    struct found_page *pages = inspector->pages;
    for (size_t i = 0; i < inspector->page_count; i++)
        if (pages[i].is_own) {
            if (inspector->assets)
                expected_add_unused(job, inspector->assets, &pages[i].record);
            const char *rule = rules_judge(job->rules, &pages[i].record, false, NULL, &pages[i].findings);
            inspect_record(inspector, list, &pages[i].record, expected, &pages[i].reasons);
            if (rule)
                reasons_add(&pages[i].reasons, REASON_RULE, rule, NULL, NULL);
        }
    if (inspector->own_count)
        qsort(pages, inspector->page_count, sizeof *pages, compare_places);

    struct verdict verdict = {0};
    const struct record *same = find_same(pages, inspector->own_count);
    struct page_verdict *first = new_pages(&verdict, same ? same->page_count : 0);
    if (verdict.page_count)
        add_pages(inspector, &verdict);
    else if (inspector->own_count)
        add_page(inspector, &pages[0], first);
    else
        explain_missing(inspector, job, &first->reasons);
    /* Records of one job have the same warnings, but for what drawing packed sheets has shown. One record may have a
     * warning twice. */
    for (size_t i = 0; i < inspector->own_count && verdict_is_up_to_date(&verdict); i++) {
        const struct record *record = &pages[i].record;
        if (pages[i].reasons.count)
            continue;
        for (size_t j = 0; j < record->warning_count; j++)
            if (i == 0 || !strings_has(&verdict.warnings, record->warnings[j]))
                strings_add(&verdict.warnings, record->warnings[j]);
        if (job->atlas)
            record_add_to_hash(record, verdict.hash);
    }
    *out = verdict;
}

void inspect_missing(const struct job *job, struct verdict *out)
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
        strings_release(&verdict->pages[i].findings);
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
