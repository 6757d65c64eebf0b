#include "bake/planner.h"

#include <stdlib.h>

#include "base/memory.h"
#include "bake/parts.h"
#include "bake/previews.h"
#include "bake/skins.h"
#include "bake/takes.h"
#include "job/names.h"

/* Whether a take or a camera belongs to sheet number `sheet`. */
static bool sheet_has(const struct plan *plan, size_t sheet, size_t take, size_t camera)
{
    enum split split = plan->job->sheet.split;
    return split == SPLIT_ANIMATION ? take == sheet : split == SPLIT_CAMERA ? camera == sheet : true;
}

/* The cells of a sheet in order, and their strips. Returns the number of cells. */
static size_t list_cells(struct plan *plan, size_t index, struct sheet_plan *sheet)
{
    size_t skins = plan->parts[0].outfit_count, takes = plan->take_count, cameras = plan->job->camera_count,
           count = 0;
    for (size_t t = 0; t < takes; t++)
        for (size_t c = 0; c < cameras; c++)
            count += sheet_has(plan, index, t, c) ? skins * plan->takes[t].sample_count : 0;
    struct cell *cell = sheet->cells = arena_must_alloc(&plan->arena, count, sizeof *sheet->cells);
    size_t *lengths = arena_must_alloc(&plan->arena, skins * takes * cameras, sizeof *lengths);
    sheet->strips.lengths = lengths;
    for (size_t k = 0; k < skins; k++)
        for (size_t t = 0; t < takes; t++)
            for (size_t c = 0; c < cameras; c++) {
                if (!sheet_has(plan, index, t, c))
                    continue;
                lengths[sheet->strips.count++] = plan->takes[t].sample_count;
                for (size_t s = 0; s < plan->takes[t].sample_count; s++)
                    *cell++ = (struct cell){(uint32_t)k, (uint32_t)t, (uint32_t)s, (uint32_t)c};
            }
    return count;
}

static int lay_out_sheets(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    const struct sheet_settings *settings = &job->sheet;
    plan->sheet_count = settings->split == SPLIT_ANIMATION ? plan->take_count
                        : settings->split == SPLIT_CAMERA  ? job->camera_count
                                                           : 1;
    plan->sheets = arena_must_alloc(&plan->arena, plan->sheet_count, sizeof *plan->sheets);
    for (size_t i = 0; i < plan->sheet_count; i++) {
        struct sheet_plan *sheet = &plan->sheets[i];
        const char *label = job->sheet.split == SPLIT_ANIMATION ? plan->takes[i].name
                            : job->sheet.split == SPLIT_CAMERA  ? job->cameras[i].name
                                                                : NULL;
        char *name = names_sheet(job->name, label);
        sheet->base = arena_strdup(&plan->arena, name);
        free(name);

        size_t count = list_cells(plan, i, sheet);
        int result = layout_needs_pixels(settings)
                         ? layout_reserve(&sheet->layout, count, err)
                         : layout_init(&sheet->layout, settings, job->cell_px, &sheet->strips, err);
        if (result < 0)
            return error_add(err, "sheet '%s'", sheet->base);
        plan_warn_torn(plan, sheet, &plan->warnings);
        sheet->first_page = plan->page_count;
        plan->page_count += sheet->layout.page_count;
    }
    return 0;
}

int plan_open(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
              struct error *err)
{
    if (job->missing_count)
        return error_set(err, "%s", job->missing[0].text);
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->job = job;
    plan->models = models;
    if (parts_open_model(plan, assets, err) < 0 || skins_choose(plan, err) < 0 ||
        takes_add(plan, assets, err) < 0 || parts_attach(plan, assets, err) < 0 || lay_out_sheets(plan, err) < 0 ||
        previews_choose(plan, err) < 0 || skins_resolve(plan, assets, err) < 0 ||
        skins_find_visible(plan, err) < 0) {
        plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}
