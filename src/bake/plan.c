#include "bake/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bake/parts.h"
#include "bake/skins.h"
#include "bake/takes.h"
#include "bake/visible.h"
#include "job/names.h"

static size_t skin_count(const struct plan *plan)
{
    return plan->parts[0].outfit_count;
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

/* Whether a take or a camera belongs to sheet number `sheet`. */
static bool sheet_has(const struct plan *plan, size_t sheet, size_t take, size_t camera)
{
    switch (plan->job->sheet.split) {
    case SPLIT_ANIMATION:
        return take == sheet;
    case SPLIT_CAMERA:
        return camera == sheet;
    case SPLIT_NONE:
        break;
    }
    return true;
}

static const char *sheet_base(struct plan *plan, size_t sheet)
{
    const struct job *job = plan->job;
    const char *label = job->sheet.split == SPLIT_ANIMATION ? plan->takes[sheet].name
                        : job->sheet.split == SPLIT_CAMERA  ? job->cameras[sheet].name
                                                            : NULL;
    char *name = names_sheet(job->name, label);
    const char *base = arena_strdup(&plan->arena, name);
    free(name);
    return base;
}

static size_t count_cells(const struct plan *plan, size_t sheet)
{
    size_t count = 0;
    for (size_t t = 0; t < plan->take_count; t++)
        for (size_t c = 0; c < plan->job->camera_count; c++)
            if (sheet_has(plan, sheet, t, c))
                count += plan->takes[t].sample_count;
    return count * skin_count(plan);
}

/* The cells of a sheet in order, and their strips. */
static void list_cells(struct plan *plan, size_t index, struct sheet_plan *sheet)
{
    struct cell *cells = sheet->cells;
    size_t *lengths = arena_must_alloc(&plan->arena, skin_count(plan) * plan->take_count * plan->job->camera_count,
                                       sizeof *lengths);
    sheet->strips.lengths = lengths;
    for (size_t k = 0; k < skin_count(plan); k++)
        for (size_t t = 0; t < plan->take_count; t++)
            for (size_t c = 0; c < plan->job->camera_count; c++) {
                if (!sheet_has(plan, index, t, c))
                    continue;
                lengths[sheet->strips.count++] = plan->takes[t].sample_count;
                for (size_t s = 0; s < plan->takes[t].sample_count; s++)
                    *cells++ = (struct cell){(uint32_t)k, (uint32_t)t, (uint32_t)s, (uint32_t)c};
            }
}

char *plan_animation_name(const struct plan *plan, const struct cell *cell)
{
    const char *skin = plan->parts[0].outfits[cell->skin].name;
    return must_printf("%s%s%s/%s", skin ? skin : "", skin ? "/" : "", plan->takes[cell->take].name,
                       plan->job->cameras[cell->camera].name);
}

void plan_warn_torn(const struct plan *plan, const struct sheet_plan *sheet, struct strings *warnings)
{
    size_t first, torn = layout_find_torn(&sheet->layout, &sheet->strips, &first);
    if (torn == 0)
        return;
    char *name = plan_animation_name(plan, &sheet->cells[first]);
    char *more = torn > 1 ? must_printf(" and %zu more are", torn - 1) : must_strdup(" is");
    strings_printf(
        warnings,
        "animation '%s'%s on several pages, because one of %u pixels cannot hold all its frames, and engines "
        "play what is on one page: see `max_size`, `trim` and `cell`",
        name, more, layout_most_side(&plan->job->sheet));
    free(more);
    free(name);
}

static int lay_out_sheet(struct plan *plan, size_t index, struct error *err)
{
    struct sheet_plan *sheet = &plan->sheets[index];
    size_t count = count_cells(plan, index);
    sheet->base = sheet_base(plan, index);
    sheet->cells = arena_alloc(&plan->arena, count, sizeof *sheet->cells, err);
    if (!sheet->cells)
        return -1;
    const struct sheet_settings *settings = &plan->job->sheet;
    list_cells(plan, index, sheet);
    int result = layout_needs_pixels(settings)
                     ? layout_reserve(&sheet->layout, count, err)
                     : layout_init(&sheet->layout, settings, plan->job->cell_px, &sheet->strips, err);
    if (result < 0)
        return error_add(err, "sheet '%s'", sheet->base);
    plan_warn_torn(plan, sheet, &plan->warnings);
    sheet->first_page = plan->page_count;
    plan->page_count += sheet->layout.page_count;
    return 0;
}

static int lay_out_sheets(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    plan->sheet_count = job->sheet.split == SPLIT_ANIMATION ? plan->take_count
                        : job->sheet.split == SPLIT_CAMERA  ? job->camera_count
                                                            : 1;
    plan->sheets = arena_must_alloc(&plan->arena, plan->sheet_count, sizeof *plan->sheets);
    for (size_t i = 0; i < plan->sheet_count; i++)
        if (lay_out_sheet(plan, i, err) < 0)
            return -1;
    return 0;
}

/* -- The plan ---------------------------------------------------------------------------------------------- */

static int fill_plan(struct plan *plan, struct assets *assets, struct error *err)
{
    if (parts_open_own(plan, assets, err) < 0 || skins_choose(plan, err) < 0 || takes_add(plan, assets, err) < 0 ||
        parts_open_others(plan, assets, err) < 0 || lay_out_sheets(plan, err) < 0)
        return -1;
    return skins_resolve(plan, assets, err) < 0 ? -1 : visible_find(plan, err);
}

int plan_open_with(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
                   struct error *err)
{
    if (job->missing_count)
        return error_set(err, "%s", job->missing[0].text);
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->job = job;
    plan->models = models;
    if (fill_plan(plan, assets, err) < 0) {
        plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}

int plan_open(struct assets *assets, const struct job *job, struct plan **out, struct error *err)
{
    return plan_open_with(NULL, assets, job, out, err);
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; plan->sheets && i < plan->sheet_count; i++)
        layout_release(&plan->sheets[i].layout);
    for (size_t i = 0; i < plan->part_count; i++)
        skins_release(&plan->parts[i]);
    takes_release(plan);
    parts_release(plan);
    strings_release(&plan->warnings);
    arena_release(&plan->arena);
    free(plan);
}

const struct sheet_plan *plan_sheet_of_page(const struct plan *plan, uint32_t page, uint32_t *page_of_sheet)
{
    assert(page < plan->page_count);
    size_t i = plan->sheet_count - 1;
    while (page < plan->sheets[i].first_page)
        i--;
    *page_of_sheet = page - plan->sheets[i].first_page;
    return &plan->sheets[i];
}
