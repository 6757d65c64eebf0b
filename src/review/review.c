#include "review/review.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "job/rules.h"
#include "page/reasons.h"
#include "report/event.h"

/* -- Sheets of one name -------------------------------------------------------------------------------------- */

/* A job in one version. */
struct found {
    struct made_sheet *sheet;             /* NULL: there are no files of it */
    const struct review_failure *failure; /* NULL: it was drawn, or is not among the jobs */
};

/* A job of both versions, or of one. */
struct match {
    const char *list, *job; /* as after, where that record is good */
    struct found before, after;
    struct made_sheet *framed[2]; /* before, after, in one frame; NULL: as they ship */
    bool is_renamed;
};

static struct match *add_match(struct review *review)
{
    struct match *match = MUST_ADD(review->matches, review->match_count, review->match_capacity);
    *match = (struct match){.list = "", .job = ""};
    return match;
}

/* The pattern is one of jobs; files of several lists may stand below a folder each. */
static bool is_wanted(const struct review_settings *settings, const char *name)
{
    for (const char *rest = name; settings->only && rest; rest = strchr(rest, '/') ? strchr(rest, '/') + 1 : NULL)
        if (glob_takes(settings->only, rest))
            return true;
    return !settings->only;
}

static struct made_sheet *open_sheet(struct review *review, const struct page_set *folder,
                                     const struct page_sheet *files)
{
    struct made_sheet *sheet = made_sheet_read(folder, files);
    if (sheet->problem)
        strings_add(&review->problems, sheet->problem);
    return sheet;
}

/* Adds "LIST\nJOB" of all sheets that are called like another one in the folder, where lists of one name have theirs. */
static void find_namesakes(const struct page_set *folder, struct strings *out)
{
    SCOPED_BY(strings_release) struct strings all = {0};
    for (size_t i = 0; i < folder->sheet_count; i++)
        if (folder->sheets[i].pages->record.job)
            strings_printf(&all, "%s\n%s", folder->sheets[i].pages->record.list,
                           folder->sheets[i].pages->record.job);
    strings_sort(&all);
    for (size_t i = 1; i < all.count; i++)
        if (!strcmp(all.items[i - 1], all.items[i]))
            strings_add(out, all.items[i]);
}

/* Returns the sheet's list as people read it: with the folder of its files in front where another sheet is called the same. */
static const char *told_list(struct review *review, const struct made_sheet *sheet)
{
    const int folder_length = (int)(path_base(sheet->name) - sheet->name);
    SCOPED char *key = must_printf("%s\n%s", sheet->list, sheet->job);
    const bool is_alone = !strings_has_sorted(&review->namesakes, key);
    return is_alone ? sheet->list
                    : arena_printf(&review->arena, "%.*s%s", folder_length, sheet->name, sheet->list);
}

/* Matches jobs by the names of their files, and opens those whose records differ. */
static void match_files(struct review *review, const struct review_settings *settings)
{
    const struct page_set *a = &review->folders[0], *b = &review->folders[1];
    for (size_t i = 0, j = 0; i < a->sheet_count || j < b->sheet_count;) {
        const struct page_sheet *old = i < a->sheet_count ? &a->sheets[i] : NULL;
        const struct page_sheet *new = j < b->sheet_count ? &b->sheets[j] : NULL;
        int order = !old ? 1 : !new ? -1 : strcmp(old->name, new->name);
        i += order <= 0;
        j += order >= 0;
        if (!is_wanted(settings, order <= 0 ? old->name : new->name))
            continue;
        if (order == 0 && page_sheet_is_same(old, new)) {
            review->sheet_totals[REVIEW_SAME]++;
            continue;
        }
        struct match *match = add_match(review);
        match->before.sheet = order <= 0 ? open_sheet(review, a, old) : NULL;
        match->after.sheet = order >= 0 ? open_sheet(review, b, new) : NULL;
        bool is_named_after = match->after.sheet && (*match->after.sheet->list || !match->before.sheet);
        const struct made_sheet *named = is_named_after ? match->after.sheet : match->before.sheet;
        match->list = told_list(review, named);
        match->job = named->job;
    }
}

/* -- Sheets that only one version has ------------------------------------------------------------------------ */

/* Writes the key of a sheet: two sheets with one key are one sheet under two names. */
typedef void write_key(const struct made_sheet *sheet, struct buffer *out);

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

/* The hashes of the inputs, under any name, and all settings but names of files. */
static void by_inputs(const struct made_sheet *sheet, struct buffer *out)
{
    const struct record *record = &sheet->pages[0].record;
    SCOPED_BY(strings_release) struct strings hashes = {0};
    for (size_t i = 0; i < record->inputs.count; i++)
        strings_add(&hashes, record->inputs.items[i].value);
    strings_sort(&hashes);
    for (size_t i = 0; i < hashes.count; i++)
        buffer_printf(out, "%s\n", hashes.items[i]);
    for (size_t i = 0; i < record->settings.count; i++) {
        const struct record_pair *pair = &record->settings.items[i];
        if (!strchr(pair->value, '/'))
            buffer_printf(out, "%s=%s\n", pair->name, pair->value);
    }
}

struct keyed {
    const char *key;
    struct match *match;
};

/* The sheets of one version that the other does not have; the caller frees. */
static struct keyed *key_unmatched(struct review *review, bool is_after, write_key *write, size_t *count)
{
    struct keyed *keyed = must_alloc(review->match_count, sizeof *keyed);
    *count = 0;
    for (size_t i = 0; i < review->match_count; i++) {
        struct match *match = &review->matches[i];
        const struct found *found = is_after ? &match->after : &match->before;
        bool has_failed = match->before.failure || match->after.failure;
        if (!found->sheet || found->sheet->problem || has_failed || (match->before.sheet && match->after.sheet))
            continue;
        struct buffer key = {0};
        write(found->sheet, &key);
        keyed[(*count)++] = (struct keyed){key.text ? arena_take(&review->arena, key.text) : "", match};
    }
    qsort(keyed, *count, sizeof *keyed, strings_compare);
    return keyed;
}

static bool is_unique(const struct keyed *keyed, size_t count, size_t i)
{
    return (i == 0 || strings_compare(&keyed[i - 1], &keyed[i])) &&
           (i + 1 == count || strings_compare(&keyed[i], &keyed[i + 1]));
}

/* Joins a removed sheet with an added one, if both have one key and no other sheet has it. */
static void match_renamed(struct review *review, write_key *write, bool is_renamed)
{
    size_t old_count, new_count;
    SCOPED struct keyed *old = key_unmatched(review, false, write, &old_count);
    SCOPED struct keyed *new = key_unmatched(review, true, write, &new_count);
    for (size_t i = 0, j = 0; i < old_count && j < new_count;) {
        int order = strings_compare(&old[i], &new[j]);
        if (order == 0 && is_unique(old, old_count, i) && is_unique(new, new_count, j)) {
            new[j].match->before.sheet = old[i].match->before.sheet;
            new[j].match->is_renamed = is_renamed;
            *old[i].match = (struct match){.list = "", .job = ""};
        }
        i += order <= 0;
        j += order >= 0;
    }
}

/* -- Failures ------------------------------------------------------------------------------------------------ */

static struct match *find_job(struct review *review, const struct review_failure *failure)
{
    for (size_t i = 0; i < review->match_count; i++)
        if (!strcmp(review->matches[i].list, failure->list) && !strcmp(review->matches[i].job, failure->job))
            return &review->matches[i];
    struct match *match = add_match(review);
    match->list = failure->list;
    match->job = failure->job;
    return match;
}

static void match_failures(struct review *review, const struct review_source *source,
                           const struct review_settings *settings, bool is_after)
{
    for (size_t i = 0; i < source->failures.count; i++) {
        const struct review_failure *failure = &source->failures.items[i];
        if (!is_wanted(settings, failure->job))
            continue;
        struct match *match = find_job(review, failure);
        struct found *found = is_after ? &match->after : &match->before;
        if (!found->failure || found->failure->is_own) /* the failure of another page may be worse */
            found->failure = failure;
    }
}

/* -- Causes -------------------------------------------------------------------------------------------------- */

/* A cause by its text: models of many files give as many. */
struct named_cause {
    const char *text;
    uint32_t number;
};

static uint32_t find_cause(struct review *review, const char *kind, const char *text, const char *place)
{
    struct named_cause *const *found = tfind(&text, &review->causes_by_text, strings_compare);
    if (found) {
        review->causes[(*found)->number].sheets++;
        return (*found)->number;
    }
    const struct named_cause own = {arena_strdup(&review->arena, text), (uint32_t)review->cause_count};
    tsearch(arena_copy(&review->arena, &own, 1, sizeof own), &review->causes_by_text, strings_compare);
    *MUST_ADD(review->causes, review->cause_count, review->cause_capacity) =
        (struct review_cause){own.text, place ? arena_strdup(&review->arena, place) : NULL, kind, .sheets = 1};
    return own.number;
}

/* The first page that differs is enough: pages of a job have the same inputs, unless one changed during the run. */
static void compare_records(struct reasons *reasons, const struct made_sheet *before,
                            const struct made_sheet *after)
{
    size_t count = before && after ? before->page_count : 0;
    for (size_t i = 0; i < count && i < after->page_count && !reasons->count; i++)
        reasons_compare(reasons, &before->pages[i].record, &after->pages[i].record);
}

static void find_causes(struct review *review, struct review_sheet *sheet)
{
    SCOPED_BY(reasons_release) struct reasons reasons = {0};
    if (sheet->state > REVIEW_FAILED && sheet->state != REVIEW_FIXED)
        compare_records(&reasons, sheet->shipped[0], sheet->shipped[1]);
    sheet->cause_count = reasons.count ? reasons.count : 1;
    uint32_t *causes = arena_must_alloc(&review->arena, sheet->cause_count, sizeof *causes);
    if (!reasons.count)
        causes[0] = find_cause(review, review_states[sheet->state].kind, review_states[sheet->state].cause, NULL);
    for (size_t i = 0; i < reasons.count; i++) {
        SCOPED char *text = reason_text(&reasons.items[i]);
        causes[i] = find_cause(review, reason_name(reasons.items[i].kind), text, reasons.items[i].place);
    }
    sheet->causes = causes;
}

/* -- All of it ----------------------------------------------------------------------------------------------- */

/* Why a version has no frames to compare, or NULL. */
static const char *obstacle_of(const struct found *found)
{
    return found->failure ? found->failure->reason : found->sheet ? found->sheet->problem : NULL;
}

/* Nobody knows if the sheet is good: another try may find it so. */
static bool is_unknown(const struct found *found)
{
    return found->failure ? !found->failure->is_own : found->sheet && found->sheet->problem;
}

static const char on_both_sides[] = "on both sides: ";

static const char *reason_of(struct review *review, const struct match *match)
{
    const struct found *before = &match->before, *after = &match->after;
    const char *old = obstacle_of(before), *new = obstacle_of(after);
    if (before->failure && after->failure && is_unknown(before) == is_unknown(after))
        return arena_printf(&review->arena, "%s%s", on_both_sides, new);
    if (before->failure && is_unknown(before))
        return arena_printf(&review->arena, "before: %s", old);
    return new && (is_unknown(after) || !is_unknown(before)) ? new : old;
}

/* Gives its state to a sheet with an obstacle in either version. */
static void judge_obstacles(struct review *review, const struct match *match, struct review_sheet *sheet)
{
    sheet->reason = reason_of(review, match);
    sheet->state = is_unknown(&match->before) || is_unknown(&match->after) ? REVIEW_UNKNOWN
                   : obstacle_of(&match->after)                            ? REVIEW_FAILED
                   : match->after.sheet                                    ? REVIEW_FIXED
                                                                           : REVIEW_REMOVED;
    memset(sheet->counts, 0, sizeof sheet->counts);
    sheet->frames_text = "";
    if (sheet->state == REVIEW_UNKNOWN)
        sheet->clip_count = sheet->frame_count = sheet->new_warning_count = sheet->gone_warning_count = 0;
}

/* Opens the framed pictures of both versions, where there are any, to compare these. */
static void open_in_one_frame(struct review *review, const struct review_source *source, struct match *match,
                              struct review_sheet *sheet)
{
    sheet->is_framed = true;
    const struct review_failures *unframed = &source->unframed;
    for (size_t i = 0; i < unframed->count && !sheet->unframed; i++)
        if (!strcmp(unframed->items[i].list, match->list) && !strcmp(unframed->items[i].job, match->job))
            sheet->unframed = unframed->items[i].reason;
    for (int version = 0; version < 2; version++) {
        const struct page_set *folder = &review->framed[version];
        const struct made_sheet *shipped = sheet->shipped[version];
        const struct page_sheet *files = shipped ? page_set_find(folder, shipped->name) : NULL;
        struct made_sheet *framed = match->framed[version] = files ? open_sheet(review, folder, files) : NULL;
        sheet->is_framed = sheet->is_framed && framed && !framed->problem && !sheet->unframed;
    }
    sheet->before = sheet->is_framed ? match->framed[0] : sheet->shipped[0];
    sheet->after = sheet->is_framed ? match->framed[1] : sheet->shipped[1];
}

static uint64_t bytes_of(const struct made_sheet *sheet)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < sheet->page_count; i++)
        bytes += rules_bytes(&sheet->pages[i].record);
    return bytes;
}

/* Adds the findings about a version as it ships: of the rules of the version after, or else of its records. */
static void find_findings(const struct review_source *source, const struct review_sheet *sheet, int version,
                          const struct growth *growth, struct strings *out)
{
    const struct made_sheet *of = sheet->shipped[version];
    for (size_t page = 0; of && page < of->page_count; page++) {
        const struct record *record = &of->pages[page].record;
        if (sheet->rules)
            rules_judge(sheet->rules, record, false, page == 0 ? growth : NULL, out);
        for (size_t i = 0; !source->rules_of && i < record->finding_count; i++)
            strings_add(out, record->findings[i]);
    }
}

/* Adds the names of the rules that found them, sorted. */
static void add_rules(const struct strings *findings, struct strings *out)
{
    struct finding finding;
    for (size_t i = 0; i < findings->count; i++)
        if (finding_read(findings->items[i], &finding))
            strings_add(out, finding.rule);
    strings_sort(out);
}

/* Fails a sheet for its new warnings. Its pictures are there, and it keeps the state that says more. */
static void refuse_warnings(struct review *review, struct review_sheet *sheet)
{
    const char **marked = arena_must_alloc(&review->arena, sheet->new_warning_count, sizeof *marked);
    for (size_t i = 0; i < sheet->new_warning_count; i++)
        marked[i] = arena_printf(&review->arena, "%s%s", sheet->new_warnings[i], BY_STRICT);
    sheet->new_warnings = marked;
    sheet->breaks_rules = true;
    if (sheet->state != REVIEW_TEXTURE_LOST)
        sheet->state = REVIEW_NEW_WARNING;
}

/* Keeps the findings about the version after. With is_strict a warning fails, too, unless the sheet broke its rule before. */
static void judge_rules(struct review *review, const struct review_source *source,
                        const struct review_settings *settings, struct review_sheet *sheet)
{
    const struct made_sheet *was = sheet->shipped[0], *is = sheet->shipped[1];
    SCOPED_BY(strings_release) struct strings old = {0}, new = {0}, broken = {0};
    sheet->rules = is && source->rules_of ? source->rules_of(source->context, sheet->list, sheet->job) : NULL;
    const struct growth growth = {was && was->page_count ? &was->pages[0].record : NULL,
                                  {was ? bytes_of(was) : 0, is ? bytes_of(is) : 0}};
    find_findings(source, sheet, 0, NULL, &old);
    add_rules(&old, &broken);
    find_findings(source, sheet, 1, growth.was ? &growth : NULL, &new);
    sheet->findings = arena_must_alloc(&review->arena, new.count, sizeof *sheet->findings);
    for (size_t i = 0; i < new.count; i++) {
        struct finding *finding = &sheet->findings[sheet->finding_count];
        if (!finding_read(new.items[i], finding))
            continue;
        if (settings->is_strict && !finding->is_failure && !strings_has_sorted(&broken, finding->rule)) {
            size_t length = strlen(finding->told);
            snprintf(finding->told + length, sizeof finding->told - length, "%s", BY_STRICT);
            finding->is_failure = true;
        }
        sheet->breaks_rules |= finding->is_failure;
        sheet->finding_count++;
    }
}

static void review_match(struct review *review, const struct review_settings *settings,
                         const struct review_source *source, struct match *match)
{
    bool is_old_hidden = obstacle_of(&match->before) != NULL, is_new_hidden = obstacle_of(&match->after) != NULL;
    struct made_sheet *before = match->before.sheet, *after = match->after.sheet;
    if (!before && !after && !is_old_hidden && !is_new_hidden)
        return;
    struct review_sheet *sheet = &review->sheets[review->sheet_count];
    *sheet = (struct review_sheet){
        .list = match->list,
        .job = match->job,
        .name = *match->list ? arena_printf(&review->arena, "%s/%s", match->list, match->job) : match->job,
        .old_name = match->is_renamed
                        ? arena_printf(&review->arena, "%s/%s", told_list(review, before), before->job)
                        : NULL,
        .shipped = {is_old_hidden ? NULL : before, is_new_hidden ? NULL : after},
    };
    open_in_one_frame(review, source, match, sheet);
    review_sheet_compare(sheet, settings, &review->arena, &review->problems);
    if (is_old_hidden || is_new_hidden)
        judge_obstacles(review, match, sheet);
    if (sheet->state == REVIEW_SAME) {
        review->sheet_totals[REVIEW_SAME]++;
        return;
    }
    find_causes(review, sheet);
    if (settings->is_strict && sheet->new_warning_count && sheet->state > REVIEW_FAILED)
        refuse_warnings(review, sheet);
    judge_rules(review, source, settings, sheet);
    review->broken += sheet->breaks_rules;
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

/* Sorts sheets, worst first, and causes in the order in which sheets have them. */
static void sort_review(struct review *review)
{
    SORT(review->sheets, review->sheet_count, compare_review_sheets);
    struct review_cause *causes = must_alloc(review->cause_count, sizeof *causes);
    uint32_t *places = must_alloc(review->cause_count, sizeof *places), count = 0;
    for (int first = 1; first >= 0; first--) /* causes that are a sheet's first, then the others */
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
    *out = (struct review){.before = {before->name, before->detail}, .after = {after->name, after->detail}};
    if (page_set_open(before->folder, before->may_be_empty, &out->folders[0], err) < 0 ||
        page_set_open(after->folder, after->may_be_empty, &out->folders[1], err) < 0 ||
        (before->framed && page_set_open(before->framed, true, &out->framed[0], err) < 0) ||
        (after->framed && page_set_open(after->framed, true, &out->framed[1], err) < 0)) {
        review_release(out);
        return -1;
    }
    for (int version = 0; version < 2; version++) {
        const struct review_source *source = version ? after : before;
        if (source->told)
            out->folders[version].name = out->framed[version].name = source->told;
    }
    out->is_strict = settings->is_strict;
    out->sheet_totals[REVIEW_SAME] = after->undrawn;
    find_namesakes(&out->folders[0], &out->namesakes);
    find_namesakes(&out->folders[1], &out->namesakes);
    strings_sort(&out->namesakes);
    match_files(out, settings);
    match_renamed(out, by_job, false);
    match_failures(out, before, settings, false);
    match_failures(out, after, settings, true);
    if (settings->only && !before->may_be_empty && !out->match_count && !out->sheet_totals[REVIEW_SAME]) {
        review_release(out);
        return error_set(err, "no job's name matches --only '%s'%s", settings->only, glob_hint(settings->only));
    }
    match_renamed(out, by_pictures, true);
    match_renamed(out, by_inputs, true);
    out->sheets = must_alloc(out->match_count, sizeof *out->sheets);
    for (size_t i = 0; i < out->match_count; i++)
        review_match(out, settings, after, &out->matches[i]);
    sort_review(out);
    return 0;
}

void review_add_commit(struct review *all, const struct review *one, const struct commit *commit)
{
    all->sheets = must_realloc(all->sheets, all->sheet_count + one->sheet_count, sizeof *all->sheets);
    for (size_t i = 0; i < one->sheet_count; i++) {
        struct review_sheet sheet = one->sheets[i];
        uint32_t *causes = arena_must_alloc(&all->arena, sheet.cause_count, sizeof *causes);
        bool is_drawn_never = sheet.reason && !strncmp(sheet.reason, on_both_sides, strlen(on_both_sides));
        if (sheet.state >= REVIEW_SETTINGS || is_drawn_never)
            continue;
        for (size_t c = 0; c < sheet.cause_count; c++)
            causes[c] = find_cause(all, one->causes[sheet.causes[c]].kind, one->causes[sheet.causes[c]].text,
                                   one->causes[sheet.causes[c]].place);
        sheet.causes = causes;
        sheet.commit = commit;
        all->sheets[all->sheet_count++] = sheet;
        all->sheet_totals[sheet.state]++;
        for (int state = 0; state < REVIEW_STATE_COUNT; state++)
            all->frame_totals[state] += sheet.counts[state];
    }
    strings_add_all(&all->problems, &one->problems);
}

static void keep(void *cause)
{
    (void)cause; /* in the arena */
}

void review_release(struct review *review)
{
    tdestroy(review->causes_by_text, keep);
    for (size_t i = 0; i < review->match_count; i++) {
        made_sheet_free(review->matches[i].before.sheet);
        made_sheet_free(review->matches[i].after.sheet);
        for (int version = 0; version < 2; version++)
            made_sheet_free(review->matches[i].framed[version]);
    }
    for (int version = 0; version < 2; version++) {
        page_set_release(&review->folders[version]);
        page_set_release(&review->framed[version]);
    }
    free(review->matches);
    free(review->sheets);
    free(review->causes);
    strings_release(&review->problems);
    strings_release(&review->namesakes);
    arena_release(&review->arena);
    *review = (struct review){0};
}
