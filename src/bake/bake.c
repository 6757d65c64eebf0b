#include "bake/bake.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/rules.h"
#include "page/names.h"
#include "plan/expected.h"
#include "render/probe.h"

/* -- The planner's drawer ---------------------------------------------------------------------------------- */

static int add_texture(void *context, const struct image *image, enum mipmap_kind kind, struct texture *out,
                       struct error *err)
{
    return renderer_add_texture(context, image, kind, out, err);
}

static void drop_texture(void *context, struct texture *texture)
{
    renderer_drop_texture(context, texture);
}

static int count_colors(void *context, const struct plan *plan, const struct views *views, size_t cells,
                        struct color_counts *counts, struct error *err)
{
    const struct bake *bake = context;
    struct studio *studio;
    if (studio_open(&studio, bake->renderer, plan, views, err) < 0)
        return -1;
    int result = studio_count_colors(studio, cells, counts, err);
    studio_close(studio);
    return result;
}

static void release_results(struct bake *bake)
{
    strings_release(&bake->other_pages);
    strings_release(&bake->late_warnings);
    strings_release(&bake->findings);
}

static void close_job(void *context)
{
    struct bake *bake = context;
    studio_close(bake->pages.studio);
    record_release(&bake->pages.record);
    arena_release(&bake->arena);
    release_results(bake);
    bake->pages = (struct pages){0};
}

/* -- Opening ----------------------------------------------------------------------------------------------- */

int bake_new(struct planner *planner, const struct page_writer *writer, enum backend_choice backend,
             const struct identity *known, struct bake **out, struct error *err)
{
    struct identity identity;
    struct error ignored;
    struct bake *bake = must_alloc(1, sizeof *bake);
    bake->writer = *writer;
    if (context_open(backend, &bake->context, err) < 0) {
        free(bake);
        return -1;
    }
    identity_take(bake->context, &identity);
    memcpy(identity.assimp, known ? known->assimp : "", known ? sizeof identity.assimp : 1);
    if (known)
        memcpy(identity.probe, known->probe, sizeof identity.probe);
    else if (probe_draw(bake->context, identity.probe, &ignored) < 0)
        identity.probe[0] = '\0';
    if (renderer_new(bake->context, &bake->renderer, err) < 0) {
        bake_free(bake);
        return -1;
    }
    bake->expected = expected_new(&identity);
    bake->planner = planner;
    planner->kept = writer->kept;
    planner->drawer = (struct drawer){
        .textures = {bake->renderer, add_texture, drop_texture},
        .context = bake,
        .count_colors = count_colors,
        .close = close_job,
    };
    *out = bake;
    return 0;
}

void bake_free(struct bake *bake)
{
    if (!bake)
        return;
    if (bake->planner) {
        planner_close(bake->planner);
        bake->planner->drawer = (struct drawer){0};
    }
    expected_free(bake->expected);
    renderer_free(bake->renderer);
    context_close(bake->context);
    free(bake);
}

/* So many colours as the job asks for: of its cells, or of those of its group. */
static int find_palette(const struct bake *bake, struct error *err)
{
    const struct group *group = bake->planner->group;
    const struct pixel_art *pixel = &bake->pages.plan->job->pixel;
    struct palette *palette = &bake->pages.plan->palette;
    struct color_counts *counts = must_alloc(1, sizeof *counts);
    int result = 0;
    stopwatch_enter(bake->pages.stopwatch, STAGE_DRAW);
    if (group)
        memcpy(counts, group->colors, sizeof *counts);
    else
        result = studio_count_colors(bake->pages.studio, PALETTE_CELLS, counts, err);
    if (result == 0 && pixel->outline)
        palette_add(palette, pixel->outline_color);
    if (result == 0)
        palette_find(palette, counts, pixel->color_count);
    free(counts);
    return result;
}

/* Without a palette, if that comes from who makes the page. */
static int open_job(struct bake *bake, const struct bake_job *of, const struct bake_job *other, bool has_palette,
                    struct error *err)
{
    struct planner *planner = bake->planner;
    const struct job *job = of->job;
    if (planner_open(planner, of, other, err) < 0)
        return -1;
    if (bake->pages.plan == planner->plan)
        return 0;
    /* What is judged by its bytes has those that a run ships. */
    bool has_bytes = rules_ask(job->rules, RULE_BYTES) || rules_ask(job->rules, RULE_MORE_BYTES);
    bake->pages = (struct pages){
        .stopwatch = planner->stopwatch,
        .plan = planner->plan,
        .views = &planner->views,
        .assets = planner->assets,
        .sharer = bake->sharer,
        .trace = &planner->trace,
        .findings = bake->writer.png_level ? NULL : &bake->findings,
        .png = bake->writer.png_level && !has_bytes && !job->is_atlas
                   ? (struct png_settings){.level = bake->writer.png_level}
                   : job->png,
    };
    bake->writer.folder = of->list->output;
    if (!job->is_atlas &&
        (studio_open(&bake->pages.studio, bake->renderer, planner->plan, &planner->views, err) < 0 ||
         (job->pixel.color_count && has_palette && find_palette(bake, err) < 0))) {
        planner_close_job(planner);
        return -1;
    }
    return 0;
}

int bake_open(struct bake *bake, const struct bake_job *job, const struct bake_job *other, struct error *err)
{
    return open_job(bake, job, other, true, err);
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
        strings_add(&bake->other_pages, name);
        free(name);
    }
    layout_release(&sheet.layout);
    cell_store_release(&store);
    return result;
}

/* Nothing is known of its cells. */
static void begin_sheet(struct bake *bake, const struct sheet_plan *sheet)
{
    arena_release(&bake->arena);
    bake->pages.arena = &bake->arena;
    bake->pages.facts = arena_must_alloc(&bake->arena, sheet->layout.cell_count, sizeof *bake->pages.facts);
}

int bake_page(struct bake *bake, uint32_t page, struct error *err)
{
    uint32_t page_of_sheet;
    const struct sheet_plan *sheet = plan_sheet_of_page(bake->pages.plan, page, &page_of_sheet);
    if (!bake->pages.record.job)
        expected_with_look_ups(expected_record(bake->expected, bake->planner->list, bake->pages.plan->job),
                               &bake->planner->trace, &bake->pages.record);
    if (!sheet->joined && !bake->pages.record.facts.count)
        planner_describe(bake->planner, &bake->pages.record);
    if (!bake->writer.png_level) /* its pages are kept, and lines move */
        bake->pages.record.places = (struct record_pairs){0};
    begin_sheet(bake, sheet);
    release_results(bake);
    struct strings *warnings = &bake->pages.plan->warnings;
    size_t before = warnings->count;
    int result = layout_needs_pixels(&bake->pages.plan->job->sheet)
                     ? make_sheet(bake, sheet, err)
                     : make_pages(bake, sheet, NULL, page_of_sheet, page_of_sheet, err);
    /* A record has the warnings of the plan, and so for this page those that its drawing has shown. */
    for (size_t i = before; i < warnings->count; i++) {
        strings_add(&bake->late_warnings, warnings->items[i]);
        free(warnings->items[i]);
    }
    warnings->count = before;
    return result;
}

void bake_help(struct bake *bake, const struct bake_job *job, const struct bake_job *other, uint32_t page,
               void *memory, uint64_t size, uint64_t part)
{
    struct error ignored; /* who makes the page finds it, too */
    uint32_t page_of_sheet;
    if (job->job->is_atlas) /* it is made of other sheets */
        return;
    if (open_job(bake, job, other, false, &ignored) < 0)
        return;
    const struct plan *plan = bake->pages.plan;
    if (page < plan->page_count) {
        const struct sheet_plan *sheet = plan_sheet_of_page(plan, page, &page_of_sheet);
        begin_sheet(bake, sheet);
        pages_help(&bake->pages, sheet, page_of_sheet, memory, size, part);
    }
    if (job->job->pixel.color_count) /* no page of ours gets this palette */
        planner_close_job(bake->planner);
}
