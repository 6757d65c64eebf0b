#include "bake/bake.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/context.h"
#include "render/probe.h"
#include "render/renderer.h"
#include "page/write.h"
#include "bake/frame_files.h"
#include "bake/pages.h"
#include "plan/plan.h"
#include "bake/studio.h"
#include "bake/expected.h"
#include "job/rules.h"
#include "page/names.h"
#include "plan/scene.h"

struct bake {
    struct page_writer writer;
    struct context *context;
    struct renderer *renderer;
    struct expected *expected; /* what the record of a job says */
    struct group *groups;      /* framed so far: jobs of several groups, and lists, may alternate */
    size_t group_count, group_capacity;
    const struct measures *measures;
    size_t measured_count;
    struct bake_job other; /* with which the next job is framed, in place of its group */
    struct group pair;     /* of the open job and that one */

    /* Of the list whose assets are open. */
    const struct job_list *list;
    struct assets *assets;
    struct textures *textures;
    struct model_cache *models;
    struct trace pictures; /* that were read for records alone */

    struct pages pages; /* of the open job */
    struct baked baked;
};

struct bake *bake_new(const struct page_writer *writer, struct stopwatch *stopwatch)
{
    struct bake *bake = must_alloc(1, sizeof *bake);
    bake->writer = *writer;
    bake->pages.stopwatch = stopwatch;
    bake->models = model_cache_new();
    return bake;
}

struct model_cache *bake_models(struct bake *bake)
{
    return bake->models;
}

struct assets *bake_assets(const struct bake *bake)
{
    return bake->assets;
}

const struct views *bake_views(const struct bake *bake)
{
    return &bake->pages.views;
}

static void close_job(struct bake *bake)
{
    studio_close(bake->pages.studio);
    views_release(&bake->pages.views);
    plan_free(bake->pages.plan);
    group_release(&bake->pair);
    if (bake->baked.trace.changed || bake->baked.trace.trouble) { /* the next job opens what it has anew */
        model_cache_free(bake->models);
        bake->models = model_cache_new();
    }
    model_cache_trim(bake->models);
    record_release(&bake->pages.record);
    trace_release(&bake->baked.trace);
    strings_release(&bake->baked.other_pages);
    strings_release(&bake->baked.late_warnings);
    strings_release(&bake->baked.findings);
    free(bake->pages.lightness);
    bake->pages.lightness = NULL;
    bake->pages.studio = NULL;
    bake->pages.plan = NULL;
}

void bake_close(struct bake *bake)
{
    close_job(bake);
    textures_free(bake->textures);
    model_cache_free(bake->models);
    bake->models = model_cache_new();
    trace_release(&bake->pictures);
    assets_close(bake->assets);
    bake->textures = NULL;
    bake->assets = NULL;
    bake->list = NULL;
}

void bake_free(struct bake *bake)
{
    if (!bake)
        return;
    bake_close(bake);
    model_cache_free(bake->models);
    for (size_t i = 0; i < bake->group_count; i++)
        group_release(&bake->groups[i]);
    free(bake->groups);
    expected_free(bake->expected);
    renderer_free(bake->renderer);
    context_close(bake->context);
    free(bake);
}

int bake_start(struct bake *bake, enum backend_choice backend, const struct identity *known, struct error *err)
{
    struct identity identity;
    struct error ignored;
    if (bake->renderer)
        return 0;
    if (context_open(backend, &bake->context, err) < 0)
        return -1;
    identity_take(bake->context, &identity);
    memcpy(identity.assimp, known ? known->assimp : "", known ? sizeof identity.assimp : 1);
    if (known)
        memcpy(identity.probe, known->probe, sizeof identity.probe);
    else if (probe_draw(bake->context, identity.probe, &ignored) < 0)
        identity.probe[0] = '\0';
    bake->expected = expected_new(&identity);
    for (size_t i = 0; i < bake->group_count; i++) { /* nothing was drawn of them */
        free(bake->groups[i].colors);
        bake->groups[i].colors = NULL;
    }
    return renderer_new(bake->context, &bake->renderer, err);
}

/* -- Opening a job ----------------------------------------------------------------------------------------- */

static int open_list(struct bake *bake, const struct job_list *list, struct error *err)
{
    if (bake->list == list)
        return 0;
    if (bake->list)
        bake_close(bake);
    if (assets_open_as(list->roots, list->root_count, list->tree, &bake->assets, err) < 0)
        return -1;
    bake->textures = textures_new(bake->renderer, bake->assets);
    bake->list = list;
    bake->writer.folder = list->output;
    return 0;
}

static const struct measures *find_measures(const struct bake *bake, const struct job_list *list)
{
    const struct measures *measures = bake->measures, *end = measures + bake->measured_count;
    while (measures < end && measures->list != list)
        measures++;
    return measures < end && measures->jobs ? measures : NULL;
}

/* The list before comes first. */
static int frame_pair(struct bake *bake, const struct job *job, struct error *err)
{
    const struct measures *own = find_measures(bake, bake->list), *others = find_measures(bake, bake->other.list);
    const struct buffer *measure = own ? &own->jobs[job - own->list->jobs] : NULL;
    const struct buffer *other = others ? &others->jobs[bake->other.job - others->list->jobs] : NULL;
    bool is_first = own < others;
    const struct job *const jobs[] = {is_first ? job : bake->other.job, is_first ? bake->other.job : job};
    const struct buffer *const both[] = {is_first ? measure : other, is_first ? other : measure};
    return group_frame_pair(&bake->pair, jobs, both, err);
}

/* Views and pictures of a job whose plan is open. */
static int open_studio(struct bake *bake, struct plan *plan, const struct group *group, struct views *views,
                       struct studio **studio, struct error *err)
{
    stopwatch_enter(bake->pages.stopwatch, STAGE_POSE);
    if (views_init(views, plan, group, err) < 0)
        return -1;
    views_warn(views, group, plan);
    stopwatch_enter(bake->pages.stopwatch, STAGE_LOAD);
    textures_trim(bake->textures);
    return studio_open(studio, bake->renderer, bake->textures, plan, views, err);
}

enum { MOST_COUNTED = 256 }; /* cells that a palette is found in */

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

/* Drawn as they ship. One that cannot be drawn is not left out: the others would get other colours. Without a renderer
 * their pictures are looked at. */
static int count_group_colors(struct bake *bake, struct group *group, struct error *err)
{
    struct trace *trace = assets_trace(bake->assets, &group->color_trace);
    struct color_counts *counts = must_alloc(1, sizeof *counts);
    size_t count;
    struct counted_job *jobs = list_counted(group, &count);
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        const struct job *job = jobs[i].job;
        struct plan *plan = NULL;
        struct views views = {0};
        struct studio *studio = NULL;
        result = plan_open(bake->models, bake->assets, job, &plan, err);
        if (result == 0)
            result = open_studio(bake, plan, group, &views, &studio, err);
        if (result == 0 && bake->renderer)
            result = studio_count_colors(studio, 1 + MOST_COUNTED / count, counts, err);
        if (result < 0)
            error_add(err, "the palette of group '%s': job '%s'", group->name, job->name);
        studio_close(studio);
        views_release(&views);
        plan_free(plan);
        model_cache_trim(bake->models);
    }
    assets_trace(bake->assets, trace);
    free(jobs);
    if (result < 0)
        free(counts);
    else
        group->colors = counts;
    return result;
}

/* The job's group, framed, and its colours counted, when that is first asked for; NULL where the job is framed by itself.
 * No job is open. */
static int find_group(struct bake *bake, const struct job *job, struct group **out, struct error *err)
{
    const struct fit *fit = &job->fit;
    *out = NULL;
    if (fit->scope != FIT_GROUP)
        return 0;
    size_t i = 0;
    while (i < bake->group_count &&
           (bake->groups[i].list != bake->list || strcmp(bake->groups[i].name, fit->group) != 0))
        i++;
    if (i == bake->group_count) {
        struct group fresh;
        const struct measures *known = find_measures(bake, bake->list);
        if (group_frame(&fresh, bake->models, bake->assets, bake->list, fit->group, known ? known->jobs : NULL,
                        err) < 0)
            return -1;
        bake->groups = must_grow(bake->groups, bake->group_count, &bake->group_capacity, sizeof *bake->groups);
        bake->groups[bake->group_count++] = fresh;
    }
    struct group *group = *out = &bake->groups[i];
    const bool has_palette = job->pixel.color_count > 0;
    const int result = has_palette && !group->colors ? count_group_colors(bake, group, err) : 0;
    trace_add(&bake->baked.trace, &group->trace);
    if (has_palette)
        trace_add(&bake->baked.trace, &group->color_trace);
    return result;
}

/* So many colours as the job asks for: of its cells, or of those of its group. */
static int find_palette(const struct bake *bake, const struct color_counts *shared, struct error *err)
{
    const struct pixel_art *pixel = &bake->pages.plan->job->pixel;
    struct palette *palette = &bake->pages.plan->palette;
    struct color_counts *counts = must_alloc(1, sizeof *counts);
    int result = 0;
    if (shared)
        memcpy(counts, shared, sizeof *counts);
    else
        result = studio_count_colors(bake->pages.studio, MOST_COUNTED, counts, err);
    if (result == 0 && pixel->outline)
        palette_add(palette, pixel->outline_color);
    if (result == 0)
        palette_find(palette, counts, pixel->color_count);
    free(counts);
    return result;
}

static int open_job(struct bake *bake, const struct job *job, struct error *err)
{
    struct group *group = NULL;
    stopwatch_enter(bake->pages.stopwatch, STAGE_POSE);
    if ((!bake->other.job || job->pixel.color_count) && find_group(bake, job, &group, err) < 0)
        return -1;
    const struct color_counts *colors = group ? group->colors : NULL;
    if (bake->other.job) {
        group = &bake->pair;
        if (frame_pair(bake, job, err) < 0)
            return -1;
    }
    stopwatch_enter(bake->pages.stopwatch, STAGE_LOAD);
    if (plan_open(bake->models, bake->assets, job, &bake->pages.plan, err) < 0 ||
        plan_read_templates(bake->pages.plan, bake->assets, err) < 0 ||
        frame_files_check(bake->pages.plan, err) < 0)
        return -1;
    /* What is judged by its bytes has those that a run ships. */
    bool has_bytes = rules_ask(job->rules, RULE_BYTES) || rules_ask(job->rules, RULE_MORE_BYTES);
    if (bake->writer.png_level && !has_bytes)
        bake->pages.png = (struct png_settings){.level = bake->writer.png_level};
    if (open_studio(bake, bake->pages.plan, group, &bake->pages.views, &bake->pages.studio, err) < 0)
        return -1;
    if (bake->renderer && job->pixel.color_count && find_palette(bake, colors, err) < 0)
        return -1;
    /* A folder or file could not be read: what was not found may be there, another worker may frame the group with it,
     * and a sheet without it would pass for finished. */
    return bake->baked.trace.trouble ? error_set(err, "%s", bake->baked.trace.trouble) : 0;
}

int bake_open(struct bake *bake, const struct bake_job *job, const struct plan **plan, struct error *err)
{
    stopwatch_enter(bake->pages.stopwatch, STAGE_LOAD);
    if (open_list(bake, job->list, err) < 0)
        return -1;
    if (!bake->pages.plan || bake->pages.plan->job != job->job) {
        close_job(bake);
        assets_trace(bake->assets, &bake->baked.trace);
        bake->pages.png = job->job->png;
        int result = job->job->is_atlas
                         ? plan_atlas(job->list, job->job, bake->writer.kept, bake->assets, &bake->pages.plan, err)
                         : open_job(bake, job->job, err);
        assets_trace(bake->assets, NULL);
        assets_close_container(bake->assets); /* all pictures are loaded */
        if (result < 0) {
            struct trace asked = bake->baked.trace; /* stays, to be looked at */
            bake->baked.trace = (struct trace){0};
            close_job(bake);
            bake->baked.trace = asked;
            return -1;
        }
    }
    *plan = bake->pages.plan;
    return 0;
}

int bake_survey(struct bake *bake, const struct bake_job *job, uint32_t *page_count, struct error *err)
{
    if (open_list(bake, job->list, err) < 0)
        return -1;
    close_job(bake);
    assets_trace(bake->assets, &bake->baked.trace); /* after a failure it stays, to be looked at */
    int result = plan_open(bake->models, bake->assets, job->job, &bake->pages.plan, err);
    assets_trace(bake->assets, NULL);
    if (result < 0)
        return -1;
    *page_count = bake->pages.plan->page_count;
    close_job(bake);
    return 0;
}

int bake_measure(struct bake *bake, const struct bake_job *job, struct buffer *out, struct error *err)
{
    if (open_list(bake, job->list, err) < 0)
        return -1;
    close_job(bake);
    return group_measure(bake->models, bake->assets, job->job, out, err);
}

void bake_pair(struct bake *bake, const struct bake_job *other)
{
    bake->other = *other;
}

int bake_describe(const struct bake *bake, struct record *out, struct error *err)
{
    const struct pages *pages = &bake->pages;
    return describe_model(pages->plan, &pages->views, studio_picture_size, pages->studio, out, err);
}

uint32_t bake_framing(const struct bake *bake)
{
    return views_hash(&bake->pages.views, bake->pages.plan->job);
}

void bake_take_measures(struct bake *bake, const struct measures *lists, size_t count)
{
    bake->measures = lists;
    bake->measured_count = count;
}

/* -- A record alone ---------------------------------------------------------------------------------------- */

/* Planning finds pictures, and drawing reads them. Each is read once for all jobs of the list. */
static void read_pictures(struct bake *bake)
{
    struct trace *trace = &bake->baked.trace;
    assets_trace(bake->assets, &bake->pictures);
    for (size_t i = 0, count = trace->count; i < count; i++) {
        const char *path = trace->items[i].kind == LOOK_FOUND ? trace->items[i].value : NULL;
        struct blob blob;
        struct error ignored;
        if (!path || trace_find(trace, LOOK_READ, path))
            continue;
        if (!trace_find(&bake->pictures, LOOK_READ, path) && assets_read(bake->assets, path, &blob, &ignored) == 0)
            blob_release(&blob);
        const struct look_up *read = trace_find(&bake->pictures, LOOK_READ, path);
        trace_note(trace, LOOK_READ, path, read ? read->value : TRACE_UNREADABLE);
    }
}

int bake_record(struct bake *bake, const struct bake_job *of, const struct record **out, struct error *err)
{
    struct group *group;
    if (open_list(bake, of->list, err) < 0)
        return -1;
    close_job(bake);
    assets_trace(bake->assets, &bake->baked.trace);
    int result = find_group(bake, of->job, &group, err);
    if (result == 0)
        result = plan_open(bake->models, bake->assets, of->job, &bake->pages.plan, err);
    if (result == 0)
        result = plan_read_templates(bake->pages.plan, bake->assets, err);
    if (result == 0)
        read_pictures(bake);
    assets_trace(bake->assets, NULL);
    const char *trouble = bake->baked.trace.trouble ? bake->baked.trace.trouble : bake->baked.trace.changed;
    if (result < 0 || trouble)
        return result < 0 ? -1 : error_set(err, "%s", trouble);
    if (!bake->expected)
        bake->expected = expected_new(NULL);
    expected_with_look_ups(expected_record(bake->expected, of->list, of->job), &bake->baked.trace,
                           &bake->pages.record);
    *out = &bake->pages.record;
    return 0;
}

/* -- Making a page ----------------------------------------------------------------------------------------- */

/* Pages `first` to `last`, all of their files or none: a picture without its description would pass for a
 * finished page, and a page without the others of its sheet for a finished sheet. */
static int make_pages(struct bake *bake, const struct sheet_plan *sheet, const struct cell_store *store,
                      uint32_t first, uint32_t last, struct error *err)
{
    struct strings written = {0};
    int result = 0;
    for (uint32_t page = first; page <= last && result == 0; page++) {
        const bool is_last = page + 1 == sheet->layout.page_count;
        const struct record *record = &bake->pages.record;
        struct page_files files = {.last_of = is_last ? sheet->base : NULL,
                                   .list = record->list,
                                   .job = record->job,
                                   .page_count = page + 1};
        result = pages_make(&bake->pages, sheet, store, page, &files, err);
        bake->writer.is_last = page == last;
        if (result == 0) {
            stopwatch_enter(bake->pages.stopwatch, STAGE_WRITE);
            result = page_write(&bake->writer, &files, &written, err);
        }
        page_files_release(&files);
    }
    if (result < 0)
        page_unwrite(&bake->writer, &written);
    strings_release(&written);
    return result;
}

/* A packed or trimmed sheet: drawn first, then laid out, then made page after page. */
static int make_sheet(struct bake *bake, const struct sheet_plan *planned, struct error *err)
{
    struct sheet_plan sheet = *planned;
    struct cell_store store;
    if (pages_draw_sheet(&bake->pages, &sheet, &store, err) < 0)
        return -1;
    plan_warn_torn(bake->pages.plan, &sheet);
    int result = make_pages(bake, &sheet, &store, 0, sheet.layout.page_count - 1, err);
    for (uint32_t page = 1; page < sheet.layout.page_count && result == 0; page++) {
        char *name = names_page(sheet.base, page, PICTURE_SUFFIX);
        strings_add(&bake->baked.other_pages, name);
        free(name);
    }
    layout_release(&sheet.layout);
    cell_store_release(&store);
    return result;
}

int bake_page(struct bake *bake, uint32_t page, struct error *err)
{
    uint32_t page_of_sheet;
    const struct sheet_plan *sheet = plan_sheet_of_page(bake->pages.plan, page, &page_of_sheet);
    if (!bake->pages.record.job)
        expected_with_look_ups(expected_record(bake->expected, bake->list, bake->pages.plan->job),
                               &bake->baked.trace, &bake->pages.record);
    if (!bake->writer.png_level) /* its pages are kept, and lines move */
        bake->pages.record.places = (struct record_pairs){0};
    bake->pages.findings = bake->writer.png_level ? NULL : &bake->baked.findings;
    bake->pages.assets = bake->assets;
    bake->pages.lightness =
        must_realloc(bake->pages.lightness, sheet->layout.cell_count, sizeof *bake->pages.lightness);
    strings_release(&bake->baked.other_pages);
    strings_release(&bake->baked.late_warnings);
    strings_release(&bake->baked.findings);
    struct strings *warnings = &bake->pages.plan->warnings;
    size_t before = warnings->count;
    int result = layout_needs_pixels(&bake->pages.plan->job->sheet)
                     ? make_sheet(bake, sheet, err)
                     : make_pages(bake, sheet, NULL, page_of_sheet, page_of_sheet, err);
    /* A record has the warnings of the plan, and so for this page those that its drawing has shown. */
    for (size_t i = before; i < warnings->count; i++) {
        strings_add(&bake->baked.late_warnings, warnings->items[i]);
        free(warnings->items[i]);
    }
    warnings->count = before;
    return result;
}

const struct baked *bake_result(const struct bake *bake)
{
    return &bake->baked;
}

int bake_preview(struct bake *bake, struct blob *file, struct error *err)
{
    return pages_draw_preview(&bake->pages, &bake->pages.plan->sheets[0].previews[0], file, err);
}

int bake_board(struct bake *bake, const char *order, const uint32_t *sizes_px, size_t count, struct blob *files,
               struct error *err)
{
    return board_draw(&bake->pages, order, sizes_px, count, files, err);
}
