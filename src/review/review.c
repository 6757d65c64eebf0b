#include "review/review.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "page/reasons.h"

/* -- Sheets of one name -------------------------------------------------------------------------------------- */

/* While sheets are matched. */
struct match {
    struct made_sheet *before, *after;
    const struct review_failure *old_failure, *failure;
    bool is_renamed;
};

struct matches {
    struct match *items;
    size_t count, capacity;
};

static struct match *add_match(struct matches *matches)
{
    matches->items = must_grow(matches->items, matches->count, &matches->capacity, sizeof *matches->items);
    matches->items[matches->count] = (struct match){0};
    return &matches->items[matches->count++];
}

/* The pattern is one of jobs; files of several lists may stand below a folder each. */
static bool is_wanted(const struct review_settings *settings, const char *name)
{
    for (const char *rest = name; settings->only && rest; rest = strchr(rest, '/') ? strchr(rest, '/') + 1 : NULL)
        if (glob_matches(settings->only, rest, false))
            return true;
    return !settings->only;
}

static struct made_sheet *open_sheet(struct review *review, const struct page_folder *side,
                                     const struct sheet_files *files)
{
    struct made_sheet *sheet = made_sheet_read(side, files);
    review->opened =
        must_grow(review->opened, review->opened_count, &review->opened_capacity, sizeof *review->opened);
    review->opened[review->opened_count++] = sheet;
    if (sheet->problem)
        strings_add(&review->problems, sheet->problem);
    return sheet;
}

/* Matches jobs by the names of their files, and opens those whose records differ. */
static void match_files(struct review *review, const struct review_settings *settings, struct matches *matches)
{
    const struct page_folder *a = &review->sides[0], *b = &review->sides[1];
    for (size_t i = 0, j = 0; i < a->job_count || j < b->job_count;) {
        const struct sheet_files *old = i < a->job_count ? &a->jobs[i] : NULL;
        const struct sheet_files *new = j < b->job_count ? &b->jobs[j] : NULL;
        int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        i += order <= 0;
        j += order >= 0;
        if (!is_wanted(settings, order <= 0 ? old->name : new->name))
            continue;
        if (order == 0 && sheet_files_are_same(a, old, b, new)) {
            review->sheet_totals[REVIEW_SAME]++;
            continue;
        }
        struct match *match = add_match(matches);
        match->before = order <= 0 ? open_sheet(review, a, old) : NULL;
        match->after = order >= 0 ? open_sheet(review, b, new) : NULL;
    }
}

/* -- Sheets that only one side has --------------------------------------------------------------------------- */

/* Writes what two sheets have in common if they are one sheet under two names. */
typedef void name_sheet(const struct made_sheet *sheet, struct buffer *out);

static void by_job(const struct made_sheet *sheet, struct buffer *out)
{
    buffer_printf(out, "%s\n%s", sheet->list, sheet->job);
}

static void by_pictures(const struct made_sheet *sheet, struct buffer *out)
{
    for (size_t i = 0; i < sheet->page_count; i++)
        for (size_t p = 0; p < sheet->pages[i].pass_count; p++)
            buffer_printf(out, "%s\n", sheet->pages[i].passes[p].hash);
}

/* The bytes of the inputs, under any name, and all settings but names of files. */
static void by_inputs(const struct made_sheet *sheet, struct buffer *out)
{
    const struct record *record = &sheet->pages[0].record;
    struct strings hashes = {0};
    for (size_t i = 0; i < record->inputs.count; i++)
        strings_add(&hashes, record->inputs.items[i].value);
    strings_sort(&hashes);
    for (size_t i = 0; i < hashes.count; i++)
        buffer_printf(out, "%s\n", hashes.items[i]);
    strings_release(&hashes);
    for (size_t i = 0; i < record->settings.count; i++) {
        const struct record_pair *pair = &record->settings.items[i];
        if (!strchr(pair->value, '/'))
            buffer_printf(out, "%s=%s\n", pair->name, pair->value);
    }
}

struct named {
    char *text;
    struct match *match;
};

static int compare_named(const void *a_item, const void *b_item)
{
    return strcmp(((const struct named *)a_item)->text, ((const struct named *)b_item)->text);
}

/* The sheets of one side that the other does not have; the caller frees. */
static struct named *name_loners(struct matches *matches, bool is_after, name_sheet *name, size_t *count)
{
    struct named *named = must_alloc(matches->count, sizeof *named);
    for (size_t i = 0; i < matches->count; i++) {
        struct match *match = &matches->items[i];
        const struct made_sheet *sheet = is_after ? match->after : match->before;
        bool has_failed = match->failure || match->old_failure;
        if (!sheet || sheet->problem || has_failed || (match->before && match->after))
            continue;
        struct buffer text = {0};
        name(sheet, &text);
        named[(*count)++] = (struct named){text.text, match};
    }
    if (*count)
        qsort(named, *count, sizeof *named, compare_named);
    return named;
}

/* How many from `i` on have the same text. */
static size_t run_of(const struct named *named, size_t count, size_t i)
{
    size_t end = i + 1;
    while (end < count && !strcmp(named[end].text, named[i].text))
        end++;
    return end - i;
}

/* Joins a sheet that was removed with one that was added if they have the same text and no other sheet has it. */
static void join_loners(struct matches *matches, name_sheet *name, bool is_renamed)
{
    size_t old_count = 0, new_count = 0;
    struct named *old = name_loners(matches, false, name, &old_count);
    struct named *new = name_loners(matches, true, name, &new_count);
    for (size_t i = 0, j = 0; i < old_count && j < new_count;) {
        int order = strcmp(old[i].text, new[j].text);
        size_t old_run = run_of(old, old_count, i), new_run = run_of(new, new_count, j);
        if (order == 0 && old_run == 1 && new_run == 1) {
            new[j].match->before = old[i].match->before;
            new[j].match->is_renamed = is_renamed;
            old[i].match->before = NULL;
        }
        i += order <= 0 ? old_run : 0;
        j += order >= 0 ? new_run : 0;
    }
    for (size_t i = 0; i < old_count; i++)
        free(old[i].text);
    for (size_t i = 0; i < new_count; i++)
        free(new[i].text);
    free(old);
    free(new);
}

/* -- Failures ------------------------------------------------------------------------------------------------ */

static struct match *find_job(struct matches *matches, const char *list, const char *job)
{
    for (size_t i = 0; i < matches->count; i++) {
        const struct match *match = &matches->items[i];
        const struct made_sheet *sheet = match->after ? match->after : match->before;
        const struct review_failure *failure = match->failure ? match->failure : match->old_failure;
        const char *its_list = sheet ? sheet->list : failure ? failure->list : "";
        const char *its_job = sheet ? sheet->job : failure ? failure->job : "";
        if (!strcmp(its_list, list) && !strcmp(its_job, job))
            return &matches->items[i];
    }
    return NULL;
}

static void match_failures(const struct review_source *source, const struct review_settings *settings,
                           struct matches *matches, bool is_after)
{
    for (size_t i = 0; i < source->failure_count; i++) {
        const struct review_failure *failure = &source->failures[i];
        if (!is_wanted(settings, failure->job))
            continue;
        struct match *match = find_job(matches, failure->list, failure->job);
        if (!match)
            match = add_match(matches);
        const struct review_failure **place = is_after ? &match->failure : &match->old_failure;
        if (!*place || (*place)->is_own) /* one of another page may be worse */
            *place = failure;
    }
}

/* -- Causes -------------------------------------------------------------------------------------------------- */

static uint32_t find_cause(struct review *review, const char *kind, const char *text)
{
    for (size_t i = 0; i < review->cause_count; i++)
        if (!strcmp(review->causes[i].text, text)) {
            review->causes[i].sheets++;
            return (uint32_t)i;
        }
    review->causes =
        must_grow(review->causes, review->cause_count, &review->cause_capacity, sizeof *review->causes);
    review->causes[review->cause_count] = (struct review_cause){arena_strdup(&review->arena, text), kind, 1};
    return (uint32_t)review->cause_count++;
}

/* What the state says where the records give no reason. */
static void find_plain_cause(struct review *review, struct review_sheet *sheet)
{
    static const char *const texts[REVIEW_STATE_COUNT] = {
        [REVIEW_UNKNOWN] = "not compared",           [REVIEW_FAILED] = "cannot be made",
        [REVIEW_REMOVED] = "no longer made",         [REVIEW_ADDED] = "not made before",
        [REVIEW_FIXED] = "could not be made before", [REVIEW_RENAMED] = "only names differ",
    };
    const char *text = texts[sheet->state];
    const char *kind = !text                            ? "unknown"
                       : sheet->state == REVIEW_UNKNOWN ? "not-compared"
                                                        : review_state_name(sheet->state);
    if (!text)
        text = "the records give no cause";
    uint32_t *cause = arena_must_alloc(&review->arena, 1, sizeof *cause);
    *cause = find_cause(review, kind, text);
    sheet->causes = cause;
    sheet->cause_count = 1;
}

/* The first page that differs is enough: all pages of a job are made from the same inputs. */
static void compare_records(struct reasons *reasons, const struct made_sheet *before,
                            const struct made_sheet *after)
{
    size_t count = before && after ? before->page_count : 0;
    for (size_t i = 0; i < count && i < after->page_count && !reasons->count; i++)
        reasons_compare(reasons, &before->pages[i].record, &after->pages[i].record);
}

static void find_causes(struct review *review, struct review_sheet *sheet)
{
    struct reasons reasons = {0};
    if (sheet->state > REVIEW_FAILED && sheet->state != REVIEW_FIXED)
        compare_records(&reasons, sheet->before, sheet->after);
    if (!reasons.count) {
        find_plain_cause(review, sheet);
        return;
    }
    uint32_t *causes = arena_must_alloc(&review->arena, reasons.count, sizeof *causes);
    for (size_t i = 0; i < reasons.count; i++) {
        char *text = reason_text(&reasons.items[i]);
        causes[i] = find_cause(review, reason_name(reasons.items[i].kind), text);
        free(text);
    }
    sheet->causes = causes;
    sheet->cause_count = reasons.count;
    reasons_release(&reasons);
}

/* -- All of it ----------------------------------------------------------------------------------------------- */

static void name_review_sheet(struct review *review, const struct match *match, struct review_sheet *sheet)
{
    bool is_known = match->after && *match->after->list; /* no broken record */
    const struct made_sheet *side = is_known || !match->before ? match->after : match->before;
    const struct review_failure *failure = match->failure ? match->failure : match->old_failure;
    sheet->list = side ? side->list : failure->list;
    sheet->job = side ? side->job : failure->job;
    sheet->name = *sheet->list ? arena_printf(&review->arena, "%s/%s", sheet->list, sheet->job) : sheet->job;
    if (match->is_renamed)
        sheet->old_name = arena_printf(&review->arena, "%s/%s", match->before->list, match->before->job);
}

/* Why a side has no frames to compare, or NULL. */
static const char *find_obstacle(const struct made_sheet *sheet, const struct review_failure *failure)
{
    return failure ? failure->reason : sheet ? sheet->problem : NULL;
}

/* Whether another look might find a good sheet: nothing is known of this one. */
static bool is_unknown(const struct made_sheet *sheet, const struct review_failure *failure)
{
    return failure ? !failure->is_own : sheet && sheet->problem;
}

/* Of a sheet with an obstacle on either side. */
static void judge_obstacles(struct review *review, const struct match *match, struct review_sheet *sheet)
{
    const char *old = find_obstacle(match->before, match->old_failure);
    const char *new = find_obstacle(match->after, match->failure);
    bool is_old_unknown = is_unknown(match->before, match->old_failure);
    bool is_new_unknown = is_unknown(match->after, match->failure);
    sheet->reason = new && (is_new_unknown || !is_old_unknown) ? new : old;
    if (match->failure && match->old_failure && is_old_unknown == is_new_unknown)
        sheet->reason = arena_printf(&review->arena, "on both sides: %s", new);
    else if (match->old_failure && is_old_unknown)
        sheet->reason = arena_printf(&review->arena, "before: %s", old);
    sheet->state = is_old_unknown || is_new_unknown ? REVIEW_UNKNOWN
                   : new                            ? REVIEW_FAILED
                   : match->after                   ? REVIEW_FIXED
                                                    : REVIEW_REMOVED;
    memset(sheet->counts, 0, sizeof sheet->counts);
    if (sheet->state == REVIEW_UNKNOWN)
        sheet->clip_count = sheet->frame_count = sheet->new_warning_count = sheet->gone_warning_count = 0;
}

static void review_match(struct review *review, const struct review_settings *settings, const struct match *match)
{
    bool is_old_hidden = find_obstacle(match->before, match->old_failure) != NULL;
    bool is_new_hidden = find_obstacle(match->after, match->failure) != NULL;
    if (!match->before && !match->after && !is_old_hidden && !is_new_hidden)
        return;
    struct review_sheet *sheet = &review->sheets[review->sheet_count];
    *sheet = (struct review_sheet){.before = is_old_hidden ? NULL : match->before,
                                   .after = is_new_hidden ? NULL : match->after};
    name_review_sheet(review, match, sheet);
    review_sheet_compare(sheet, settings, &review->arena, &review->problems);
    if (is_old_hidden || is_new_hidden)
        judge_obstacles(review, match, sheet);
    if (sheet->state == REVIEW_SAME) {
        review->sheet_totals[REVIEW_SAME]++;
        return;
    }
    find_causes(review, sheet);
    if (settings->is_strict && sheet->new_warning_count && sheet->state > REVIEW_FAILED) {
        sheet->state = REVIEW_FAILED;
        sheet->reason = sheet->new_warnings[0];
    }
    review->sheet_totals[sheet->state]++;
    for (int state = 0; state < REVIEW_STATE_COUNT; state++)
        review->frame_totals[state] += sheet->counts[state];
    review->sheet_count++;
}

static int compare_review_sheets(const void *a_item, const void *b_item)
{
    const struct review_sheet *a = a_item, *b = b_item;
    const struct pixel_change *x = &a->change.pixels, *y = &b->change.pixels;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (x->mean != y->mean)
        return x->mean > y->mean ? -1 : 1;
    if (a->counts[REVIEW_CHANGED] != b->counts[REVIEW_CHANGED])
        return a->counts[REVIEW_CHANGED] > b->counts[REVIEW_CHANGED] ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sheets worst first, and causes as these name them. */
static void sort_review(struct review *review)
{
    if (review->sheet_count)
        qsort(review->sheets, review->sheet_count, sizeof *review->sheets, compare_review_sheets);
    struct review_cause *causes = must_alloc(review->cause_count, sizeof *causes);
    uint32_t *places = must_alloc(review->cause_count, sizeof *places), count = 0;
    for (int first = 1; first >= 0; first--) /* those that a sheet has as its first, then the others */
        for (size_t i = 0; i < review->sheet_count; i++)
            for (size_t c = 0; c < (first ? 1 : review->sheets[i].cause_count); c++) {
                uint32_t cause = review->sheets[i].causes[c];
                if (places[cause])
                    continue;
                causes[count++] = review->causes[cause];
                places[cause] = count;
            }
    for (size_t i = 0; i < review->sheet_count; i++)
        for (size_t c = 0; c < review->sheets[i].cause_count; c++) {
            uint32_t *cause = &((uint32_t *)review->sheets[i].causes)[c];
            *cause = places[*cause] - 1;
        }
    free(places);
    free(review->causes);
    review->causes = causes;
}

int review_folders(const struct review_source *before, const struct review_source *after,
                   const struct review_settings *settings, struct review *out, struct error *err)
{
    struct matches matches = {0};
    *out = (struct review){.before = {before->name, before->detail}, .after = {after->name, after->detail}};
    if (page_folder_open(before->folder, before->may_be_empty, &out->sides[0], err) < 0 ||
        page_folder_open(after->folder, after->may_be_empty, &out->sides[1], err) < 0) {
        review_release(out);
        return -1;
    }
    out->sheet_totals[REVIEW_SAME] = settings->undrawn;
    match_files(out, settings, &matches);
    join_loners(&matches, by_job, false);
    match_failures(before, settings, &matches, false);
    match_failures(after, settings, &matches, true);
    join_loners(&matches, by_pictures, true);
    join_loners(&matches, by_inputs, true);
    out->sheets = must_alloc(matches.count, sizeof *out->sheets);
    for (size_t i = 0; i < matches.count; i++)
        review_match(out, settings, &matches.items[i]);
    sort_review(out);
    free(matches.items);
    return 0;
}

void review_release(struct review *review)
{
    for (size_t i = 0; i < review->opened_count; i++)
        made_sheet_free(review->opened[i]);
    page_folder_release(&review->sides[0]);
    page_folder_release(&review->sides[1]);
    free(review->opened);
    free(review->sheets);
    free(review->causes);
    strings_release(&review->problems);
    arena_release(&review->arena);
    *review = (struct review){0};
}
