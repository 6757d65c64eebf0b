#include "review/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "bake/planner.h"
#include "base/glob.h"
#include "base/memory.h"
#include "bake/expected.h"
#include "run/inspect.h"
#include "run/confine.h"
#include "run/pool.h"

/* A job of either side. */
struct candidate {
    const struct job_list *list;
    const struct job *job;
    struct candidate *partner; /* of the other side, or NULL */
    bool is_asked;             /* its models have to be opened */
    bool differs;
};

struct search {
    const struct candidates_settings *settings;
    const struct list_pair *pairs;
    size_t pair_count;
    struct candidate *items; /* of each pair those before, then those after, each in the order of its list */
    size_t count, next;

    /* In a worker. */
    const struct job_list *list; /* whose assets are open */
    struct assets *assets;
    struct trace known;          /* what was read of them as pictures */
    struct inspector *inspector; /* of the other side */
};

/* -- In a worker ---------------------------------------------------------------------------------------------- */

static int start(void *context, struct worker *worker, struct error *err)
{
    (void)worker;
    struct search *search = context;
    struct sandbox_rules rules = {.mode = search->settings->sandbox};
    for (size_t i = 0; i < search->pair_count; i++) {
        const struct list_pair *pair = &search->pairs[i];
        if (!pair->before || !pair->after)
            continue;
        confine_add_list(&rules, pair->before, false);
        confine_add_list(&rules, pair->after, false);
    }
    search->inspector = inspector_new();
    int result = sandbox_enter(&rules, NULL, err);
    sandbox_rules_release(&rules);
    return result;
}

static int open_list(struct search *search, const struct job_list *list)
{
    struct error ignored;
    if (search->list == list)
        return 0;
    assets_close(search->assets);
    trace_release(&search->known);
    search->assets = NULL;
    search->list = NULL;
    if (assets_open_as(list->roots, list->root_count, list->tree, &search->assets, &ignored) < 0)
        return -1;
    search->list = list;
    return 0;
}

/* Planning finds pictures, and drawing reads them. Each is read once for all jobs. */
static void read_pictures(struct search *search, struct trace *trace)
{
    assets_trace(search->assets, &search->known);
    for (size_t i = 0, count = trace->count; i < count; i++) {
        const char *path = trace->items[i].kind == LOOK_FOUND ? trace->items[i].value : NULL;
        struct blob blob;
        struct error ignored;
        if (!path || trace_find(trace, LOOK_READ, path))
            continue;
        if (!trace_find(&search->known, LOOK_READ, path) &&
            assets_read(search->assets, path, &blob, &ignored) == 0)
            blob_release(&blob);
        const struct look_up *read = trace_find(&search->known, LOOK_READ, path);
        trace_note(trace, LOOK_READ, path, read ? read->value : TRACE_UNREADABLE);
    }
    assets_trace(search->assets, NULL);
}

/* Whether planning the job asks nothing that ends otherwise on the other side. A job that cannot be planned is tried on
 * both, to fail there with its reason. */
static bool is_same(struct search *search, const struct candidate *item)
{
    struct trace trace = {0};
    struct plan *plan;
    struct error ignored;
    if (open_list(search, item->list) < 0)
        return false;
    assets_trace(search->assets, &trace);
    bool is_planned = plan_open(NULL, search->assets, item->job, &plan, &ignored) == 0;
    if (is_planned)
        plan_free(plan);
    read_pictures(search, &trace);

    struct record asked;
    struct reasons reasons = {0};
    expected_with_look_ups(&(struct record){0}, &trace, &asked);
    inspect_look_ups(search->inspector, item->partner->list, &asked, &reasons);
    bool same = is_planned && reasons.count == 0 && !trace.trouble && !trace.changed;
    reasons_release(&reasons);
    record_release(&asked);
    trace_release(&trace);
    return same;
}

/* One byte for a job that is the same, none for one that is not. */
static void work(void *context, struct worker *worker, uint64_t item)
{
    struct search *search = context;
    if (is_same(search, &search->items[item]))
        worker_send(worker, (struct bytes){(const uint8_t *)"=", 1});
}

static void finish(void *context, struct worker *worker)
{
    (void)worker;
    struct search *search = context;
    inspector_free(search->inspector);
    assets_close(search->assets);
    trace_release(&search->known);
}

/* -- In the supervisor ---------------------------------------------------------------------------------------- */

static bool next_item(void *context, unsigned worker, uint64_t *item)
{
    (void)worker;
    struct search *search = context;
    while (search->next < search->count && !search->items[search->next].is_asked)
        search->next++;
    *item = search->next;
    return search->next++ < search->count;
}

static bool take_message(void *context, unsigned worker, uint64_t item, struct bytes message)
{
    (void)worker, (void)message;
    struct search *search = context;
    search->items[item].differs = false;
    return true;
}

static bool item_done(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    (void)worker;
    struct search *search = context;
    if (outcome->kind != OUTCOME_FINISHED)
        search->items[item].differs = true;
    return true;
}

static int open_models(struct search *search, int *signal_number, struct error *err)
{
    const struct pool_settings pool = {
        .worker_count = search->settings->worker_count,
        .timeout_s = search->settings->timeout_s,
        .memory_limit = search->settings->memory_limit,
        .worker = {search, start, work, finish},
        .context = search,
        .next = next_item,
        .message = take_message,
        .done = item_done,
    };
    enum pool_end end = pool_run(&pool, signal_number, err);
    if (end == POOL_INTERRUPTED)
        return error_set(err, "interrupted");
    return end == POOL_DONE ? 0 : -1;
}

/* -- Pairs of jobs -------------------------------------------------------------------------------------------- */

static void add_side(struct search *search, size_t *count, const struct job_list *list)
{
    for (size_t i = 0; list && i < list->job_count; i++)
        search->items[(*count)++] = (struct candidate){.list = list, .job = &list->jobs[i]};
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(struct candidate *const *)a)->job->name, (*(struct candidate *const *)b)->job->name);
}

static bool have_same_settings(const struct job *a, const struct job *b)
{
    struct arena arena = {0};
    struct record_pairs x, y;
    job_recorded_settings(a, &arena, &x);
    job_recorded_settings(b, &arena, &y);
    bool same = x.count == y.count;
    for (size_t i = 0; same && i < x.count; i++)
        same = !strcmp(x.items[i].name, y.items[i].name) && !strcmp(x.items[i].value, y.items[i].value);
    arena_release(&arena);
    return same;
}

/* Whether a list's roots have just the files of the tree, all in their places. */
static bool is_as_it_was(const struct job_list *now, const struct job_list *then)
{
    struct assets *assets[2] = {NULL, NULL};
    struct strings names[2] = {{0}};
    struct error ignored;
    bool same = true;
    for (int side = 0; side < 2; side++) {
        const struct assets_tree *tree = side ? then->tree : NULL;
        same = same && assets_open_as(now->roots, now->root_count, tree, &assets[side], &ignored) == 0 &&
               assets_glob(assets[side], "**", &names[side], &ignored) == 0;
    }
    same = same && names[0].count == names[1].count;
    for (size_t i = 0; same && i < names[0].count; i++)
        same = !strcmp(names[0].items[i], names[1].items[i]) && assets_is_in_place(assets[1], names[1].items[i]);
    for (int side = 0; side < 2; side++) {
        assets_close(assets[side]);
        strings_release(&names[side]);
    }
    return same;
}

/* The same folders, with no file that was another before. */
static bool have_same_roots(const struct job_list *a, const struct job_list *b)
{
    bool same = a->root_count == b->root_count;
    for (size_t i = 0; same && i < a->root_count; i++)
        same = !strcmp(a->roots[i], b->roots[i]);
    return same && (!a->tree || is_as_it_was(b, a));
}

/* Jobs of one name are partners. What is left differs until a worker says otherwise. */
static void match(struct candidate *before, size_t before_count, struct candidate *after, size_t after_count)
{
    bool may_differ = before_count && after_count && !have_same_roots(before->list, after->list);
    struct candidate **sorted = must_alloc(before_count, sizeof *sorted);
    for (size_t i = 0; i < before_count; i++)
        sorted[i] = &before[i];
    qsort(sorted, before_count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < after_count; i++) {
        struct candidate *key = &after[i],
                         **found = bsearch(&key, sorted, before_count, sizeof *sorted, compare_names);
        key->differs = true;
        if (!found)
            continue;
        key->partner = *found;
        (*found)->partner = key;
        if (key->job->missing_count || (*found)->job->missing_count ||
            !have_same_settings(key->job, (*found)->job))
            continue;
        key->differs = key->is_asked = may_differ;
    }
    free(sorted);
}

/* -- Groups --------------------------------------------------------------------------------------------------- */

static bool is_in_group(const struct candidate *item, const char *group)
{
    return item->job->fit.scope == FIT_GROUP && !strcmp(item->job->fit.group, group);
}

/* Jobs that are framed together differ together, on both sides: a model that changed, came or went changes the framing. */
static void spread_over_groups(struct candidate *items, size_t count)
{
    struct strings done = {0};
    for (size_t i = 0; i < count; i++) {
        const char *group = items[i].job->fit.group;
        if (!items[i].differs || items[i].job->fit.scope != FIT_GROUP || strings_has(&done, group))
            continue;
        strings_add(&done, group);
        for (size_t j = 0; j < count; j++)
            items[j].differs |= is_in_group(&items[j], group);
        i = (size_t)-1; /* a partner may be of another group */
        for (size_t j = 0; j < count; j++)
            if (items[j].partner)
                items[j].differs |= items[j].partner->differs;
    }
    strings_release(&done);
}

/* -- What is drawn -------------------------------------------------------------------------------------------- */

static void add_list(struct candidates *out, const struct job_list *list, const struct candidate *items,
                     size_t count)
{
    struct job *jobs = arena_must_alloc(&out->arena, count, sizeof *jobs);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].list == list && items[i].differs)
            jobs[kept++] = *items[i].job;
    if (kept == 0)
        return;
    struct job_list *drawn = arena_must_alloc(&out->arena, 1, sizeof *drawn);
    *drawn = *list;
    drawn->arena = (struct arena){0};
    drawn->jobs = jobs;
    drawn->job_count = kept;
    out->lists[out->list_count++] = drawn;
}

static void gather(const struct search *search, struct candidates *out)
{
    const char *only = search->settings->only;
    out->lists = arena_must_alloc(&out->arena, 2 * search->pair_count, sizeof *out->lists);
    for (size_t i = 0; i < search->count; i++) {
        const struct candidate *item = &search->items[i];
        if (only && !glob_matches(only, item->job->name, false))
            continue;
        out->job_count++;
        out->same_count += !item->differs;
    }
    out->same_count /= 2; /* each is on both sides */
    for (size_t i = 0; i < search->pair_count; i++) {
        const struct list_pair *pair = &search->pairs[i];
        if (pair->before)
            add_list(out, pair->before, search->items, search->count);
        if (pair->after)
            add_list(out, pair->after, search->items, search->count);
    }
}

/* With `only`, a job that it does not match is asked for where it may be framed with others. */
static void ask_only(struct search *search)
{
    const char *only = search->settings->only;
    for (size_t i = 0; only && i < search->count; i++) {
        struct candidate *item = &search->items[i];
        if (item->is_asked && item->job->fit.scope != FIT_GROUP && !glob_matches(only, item->job->name, false))
            item->is_asked = item->differs = false;
    }
}

int candidates_find(const struct list_pair *pairs, size_t count, const struct candidates_settings *settings,
                    struct candidates *out, int *signal_number, struct error *err)
{
    struct search search = {.settings = settings, .pairs = pairs, .pair_count = count};
    for (size_t i = 0; i < count; i++)
        search.count +=
            (pairs[i].before ? pairs[i].before->job_count : 0) + (pairs[i].after ? pairs[i].after->job_count : 0);
    search.items = must_alloc(search.count, sizeof *search.items);
    size_t *starts = must_alloc(count + 1, sizeof *starts);
    for (size_t i = 0, at = 0; i < count; i++) {
        size_t first = at;
        add_side(&search, &at, pairs[i].before);
        size_t middle = at;
        add_side(&search, &at, pairs[i].after);
        starts[i + 1] = at;
        for (size_t j = first; j < middle; j++)
            search.items[j].differs = true;
        match(search.items + first, middle - first, search.items + middle, at - middle);
    }
    ask_only(&search);
    *signal_number = 0;
    int result = open_models(&search, signal_number, err);
    for (size_t i = 0; result == 0 && i < count; i++) {
        for (size_t j = starts[i]; j < starts[i + 1]; j++)
            if (search.items[j].partner && search.items[j].list == pairs[i].after)
                search.items[j].partner->differs = search.items[j].differs;
        spread_over_groups(search.items + starts[i], starts[i + 1] - starts[i]);
    }
    if (result == 0) {
        *out = (struct candidates){0};
        gather(&search, out);
    }
    free(starts);
    free(search.items);
    return result;
}

void candidates_release(struct candidates *candidates)
{
    arena_release(&candidates->arena);
    *candidates = (struct candidates){0};
}
