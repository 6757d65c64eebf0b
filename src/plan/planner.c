#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/expected.h"

struct planner *planner_new(const struct measures *lists, size_t count)
{
    struct planner *planner = must_alloc(1, sizeof *planner);
    planner->models = model_cache_new();
    planner->measures = lists;
    planner->measured_count = count;
    return planner;
}

void planner_expect(struct planner *planner, const struct job *job, size_t turn)
{
    if (!job->is_atlas)
        model_cache_expect(planner->models, job->model, turn);
    for (size_t i = 0; i < job->attachment_count; i++)
        model_cache_expect(planner->models, job->attachments[i].model, turn);
}

void planner_close_job(struct planner *planner)
{
    if (planner->drawer.close)
        planner->drawer.close(planner->drawer.context);
    views_release(&planner->views);
    plan_free(planner->plan);
    planner->plan = NULL;
    planner->group = NULL;
    group_release(&planner->pair);
    record_release(&planner->record);
    if (planner->assets)
        assets_trace(planner->assets, NULL);
    if (planner->trace.changed || planner->trace.trouble) /* the next job opens what it has anew */
        model_cache_clear(planner->models);
    model_cache_trim(planner->models, planner->turn);
}

void planner_close(struct planner *planner)
{
    planner_close_job(planner);
    textures_free(planner->textures);
    model_cache_clear(planner->models);
    trace_release(&planner->trace);
    trace_release(&planner->pictures);
    assets_close(planner->assets);
    planner->textures = NULL;
    planner->assets = NULL;
    planner->list = NULL;
}

void planner_free(struct planner *planner)
{
    if (!planner)
        return;
    planner_close(planner);
    model_cache_free(planner->models);
    for (size_t i = 0; i < planner->group_count; i++)
        group_release(&planner->groups[i]);
    free(planner->groups);
    free(planner);
}

/* Closes the open job, and opens the list of the next, whose questions the trace gets. */
static int begin(struct planner *planner, const struct job_list *list, struct error *err)
{
    if (planner->list && planner->list != list)
        planner_close(planner);
    planner_close_job(planner);
    trace_release(&planner->trace);
    if (!planner->list) {
        if (assets_open_as(list->roots, list->root_count, list->tree, &planner->assets, err) < 0)
            return -1;
        planner->textures = textures_new(&planner->drawer.textures, planner->assets);
        planner->list = list;
    }
    assets_trace(planner->assets, &planner->trace);
    return 0;
}

/* -- Groups ------------------------------------------------------------------------------------------------ */

static const struct measures *find_measures(const struct planner *planner, const struct job_list *list)
{
    const struct measures *measures = planner->measures, *end = measures + planner->measured_count;
    while (measures < end && measures->list != list)
        measures++;
    return measures < end && measures->jobs ? measures : NULL;
}

/* The list before comes first. */
static int frame_pair(struct planner *planner, const struct job *job, const struct bake_job *other,
                      struct error *err)
{
    const struct measures *own = find_measures(planner, planner->list),
                          *others = find_measures(planner, other->list);
    const struct buffer *measure = own ? &own->jobs[job - own->list->jobs] : NULL;
    const struct buffer *other_measure = others ? &others->jobs[other->job - others->list->jobs] : NULL;
    bool is_first = own < others;
    const struct job *const jobs[] = {is_first ? job : other->job, is_first ? other->job : job};
    const struct buffer *const both[] = {is_first ? measure : other_measure, is_first ? other_measure : measure};
    return group_frame_pair(&planner->pair, jobs, both, err);
}

/* Views and pictures of a job whose plan is open. */
static int open_views(struct planner *planner, struct plan *plan, const struct group *group, struct views *views,
                      struct error *err)
{
    stopwatch_enter(planner->stopwatch, STAGE_POSE);
    if (views_init(views, plan, group, err) < 0)
        return -1;
    stopwatch_enter(planner->stopwatch, STAGE_LOAD);
    textures_trim(planner->textures);
    return looks_load(planner->textures, plan, err);
}

/* A job that asks for a palette; sorted by its settings, to be counted in the same order in any list. */
struct counted_job {
    char hash[HASH_SIZE];
    const struct job *job;
};

static int compare_counted(const void *a, const void *b)
{
    return strcmp(((const struct counted_job *)a)->hash, ((const struct counted_job *)b)->hash);
}

/* Those that the group was framed with, each once. The caller frees them. */
static struct counted_job *list_counted(const struct group *group, size_t *count)
{
    struct counted_job *jobs = must_alloc(group->job_count, sizeof *jobs);
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; i < group->job_count; i++)
        if (group->jobs[i].job->pixel.color_count) {
            jobs[all].job = group->jobs[i].job;
            job_recorded_hash(jobs[all].job, jobs[all].hash);
            all++;
        }
    qsort(jobs, all, sizeof *jobs, compare_counted);
    for (size_t i = 0; i < all; i++)
        if (*count == 0 || compare_counted(&jobs[*count - 1], &jobs[i]))
            jobs[(*count)++] = jobs[i];
    return jobs;
}

/* Drawn as they ship. One that cannot be drawn is not left out: the others would get other colours. Without a drawer
 * their pictures are looked at. */
static int count_group_colors(struct planner *planner, struct group *group, struct error *err)
{
    const struct drawer *drawer = &planner->drawer;
    struct trace *trace = assets_trace(planner->assets, &group->color_trace);
    struct color_counts *counts = must_alloc(1, sizeof *counts);
    size_t count;
    SCOPED struct counted_job *jobs = list_counted(group, &count);
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        const struct job *job = jobs[i].job;
        struct plan *plan = NULL;
        struct views views = {0};
        if (plan_open(planner->models, planner->assets, job, &plan, err) < 0 ||
            open_views(planner, plan, group, &views, err) < 0 ||
            (drawer->count_colors &&
             drawer->count_colors(drawer->context, plan, &views, 1 + PALETTE_CELLS / count, counts, err) < 0))
            result = error_add(err, "the palette of group '%s': job '%s'", group->name, job->name);
        views_release(&views);
        plan_free(plan);
        model_cache_trim(planner->models, planner->turn);
    }
    assets_trace(planner->assets, trace);
    if (result < 0)
        free(counts);
    else
        group->colors = counts;
    return result;
}

/* Finds the job's group, framed, and its colours counted, when that is first asked for; none where the job is framed by
 * itself. */
static int find_group(struct planner *planner, const struct job *job, struct error *err)
{
    const struct fit *fit = &job->fit;
    if (fit->scope != FIT_GROUP)
        return 0;
    size_t i = 0;
    while (i < planner->group_count &&
           (planner->groups[i].list != planner->list || strcmp(planner->groups[i].name, fit->group) != 0))
        i++;
    if (i == planner->group_count) {
        struct group fresh;
        const struct measures *known = find_measures(planner, planner->list);
        if (group_frame(&fresh, planner->models, planner->assets, planner->list, fit->group,
                        known ? known->jobs : NULL, err) < 0)
            return -1;
        *MUST_ADD(planner->groups, planner->group_count, planner->group_capacity) = fresh;
    }
    struct group *group = &planner->groups[i];
    const bool has_palette = job->pixel.color_count > 0;
    const int result = has_palette && !group->colors ? count_group_colors(planner, group, err) : 0;
    trace_add(&planner->trace, &group->trace);
    if (has_palette)
        trace_add(&planner->trace, &group->color_trace);
    planner->group = group;
    return result;
}

/* -- A job ------------------------------------------------------------------------------------------------- */

static int open_job(struct planner *planner, const struct job *job, const struct bake_job *other,
                    struct error *err)
{
    stopwatch_enter(planner->stopwatch, STAGE_POSE);
    if ((!other || job->pixel.color_count) && find_group(planner, job, err) < 0)
        return -1;
    if (other && frame_pair(planner, job, other, err) < 0)
        return -1;
    stopwatch_enter(planner->stopwatch, STAGE_LOAD);
    if (plan_open(planner->models, planner->assets, job, &planner->plan, err) < 0 ||
        plan_read_templates(planner->plan, planner->assets, err) < 0 ||
        frame_names_check(planner->plan, err) < 0 ||
        open_views(planner, planner->plan, other ? &planner->pair : planner->group, &planner->views, err) < 0)
        return -1;
    /* A folder or file could not be read: what was not found may be there, another worker may frame the group with it,
     * and a sheet without it would pass for finished. */
    return planner->trace.trouble ? error_set(err, "%s", planner->trace.trouble) : 0;
}

int planner_open(struct planner *planner, const struct bake_job *job, const struct bake_job *other,
                 struct error *err)
{
    if (planner->plan && planner->plan->job == job->job && planner->list == job->list)
        return 0;
    stopwatch_enter(planner->stopwatch, STAGE_LOAD);
    if (begin(planner, job->list, err) < 0)
        return -1;
    int result = job->job->is_atlas
                     ? plan_atlas(job->list, job->job, planner->kept, planner->assets, &planner->plan, err)
                     : open_job(planner, job->job, other, err);
    assets_trace(planner->assets, NULL);
    assets_close_container(planner->assets); /* all pictures are loaded */
    if (result < 0)
        planner_close_job(planner);
    return result;
}

int planner_survey(struct planner *planner, const struct bake_job *job, uint32_t *page_count, struct error *err)
{
    if (begin(planner, job->list, err) < 0)
        return -1;
    int result = plan_open(planner->models, planner->assets, job->job, &planner->plan, err);
    if (result == 0)
        *page_count = planner->plan->page_count;
    planner_close_job(planner);
    return result;
}

int planner_measure(struct planner *planner, const struct bake_job *job, struct buffer *out, struct error *err)
{
    return begin(planner, job->list, err) < 0
               ? -1
               : group_measure(planner->models, planner->assets, job->job, out, err);
}

/* -- A record alone ---------------------------------------------------------------------------------------- */

/* Planning finds pictures, and drawing reads them. Each is read once for all jobs of the list. */
static void read_pictures(struct planner *planner, struct assets *others)
{
    struct trace *trace = &planner->trace;
    assets_trace(planner->assets, &planner->pictures);
    for (size_t i = 0, count = trace->count; i < count; i++) {
        const char *path = trace->items[i].kind == LOOK_FOUND ? trace->items[i].value : NULL;
        SCOPED_BY(blob_release) struct blob blob = {0};
        struct error ignored;
        if (!path || trace_find(trace, LOOK_READ, path))
            continue;
        bool is_wanted = !others || !assets_share(planner->assets, others, path);
        if (is_wanted && !trace_find(&planner->pictures, LOOK_READ, path))
            assets_read(planner->assets, path, &blob, &ignored); /* the trace gets its hash */
        const struct look_up *read = trace_find(&planner->pictures, LOOK_READ, path);
        trace_note(trace, LOOK_READ, path, read ? read->value : TRACE_UNREADABLE);
    }
}

int planner_record(struct planner *planner, const struct bake_job *of, struct assets *others,
                   const struct record **out, struct error *err)
{
    if (begin(planner, of->list, err) < 0)
        return -1;
    bool is_open = find_group(planner, of->job, err) == 0 &&
                   plan_open(planner->models, planner->assets, of->job, &planner->plan, err) == 0 &&
                   plan_read_templates(planner->plan, planner->assets, err) == 0;
    if (is_open)
        read_pictures(planner, others);
    const char *trouble = planner->trace.trouble ? planner->trace.trouble : planner->trace.changed;
    planner_close_job(planner);
    if (!is_open || trouble)
        return is_open ? error_set(err, "%s", trouble) : -1;
    expected_with_look_ups(&(struct record){0}, &planner->trace, &planner->record);
    *out = &planner->record;
    return 0;
}
