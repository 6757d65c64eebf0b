#include "bake/previews.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "job/names.h"

/* With no names, `all` or none. */
static bool has_name(const struct preview_names *names, const char *name, bool all)
{
    for (size_t i = 0; i < names->count; i++)
        if (glob_matches(names->items[i], name, true))
            return true;
    return names->count == 0 && all;
}

static bool moves(const struct plan *plan, const struct cell *cell)
{
    return plan->takes[cell->take].sample_count > 1;
}

static bool is_shown(const struct plan *plan, const struct cell *cell)
{
    const struct preview_settings *previews = &plan->job->previews;
    return has_name(&previews->clips, plan->takes[cell->take].name, true) &&
           has_name(&previews->cameras, plan->job->cameras[cell->camera].name,
                    cell->camera == 0 || !moves(plan, cell));
}

/* Whether a cell belongs to the preview of the one before it. */
static bool goes_on(const struct plan *plan, const struct cell *cell, const struct cell *before)
{
    return cell->skin == before->skin && cell->take == before->take &&
           (cell->camera == before->camera || !moves(plan, cell));
}

/* The longest name of a file that still has a temporary one (out/leftovers.h). */
static int name_preview(struct plan *plan, const struct sheet_plan *sheet, struct preview_plan *preview,
                        struct error *err)
{
    enum { LONGEST = 255 - 32 };
    const struct cell *cell = preview->cells;
    const char *const parts[3] = {plan->parts[0].outfits[cell->skin].name, plan->takes[cell->take].name,
                                  moves(plan, cell) ? plan->job->cameras[cell->camera].name : NULL};
    char *name = names_preview(sheet->base, parts, plan->job->previews.format);
    preview->name = arena_strdup(&plan->arena, name);
    free(name);
    size_t length = strlen(path_base(preview->name));
    return length <= LONGEST
               ? 0
               : error_set(
                     err,
                     "the file of a preview would be called '%s', which has %zu bytes; at most %d are allowed",
                     path_base(preview->name), length, LONGEST);
}

static int choose_of_sheet(struct plan *plan, struct sheet_plan *sheet, struct error *err)
{
    size_t cell_count = 0;
    struct cell *shown = arena_must_alloc(&plan->arena, sheet->layout.cell_count, sizeof *shown);
    struct preview_plan *previews = arena_must_alloc(&plan->arena, PREVIEWS_MOST, sizeof *previews), *last = NULL;
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        const struct cell *cell = &sheet->cells[i];
        if (!is_shown(plan, cell))
            continue;
        shown[cell_count++] = *cell;
        if (last && goes_on(plan, cell, &last->cells[last->cell_count - 1])) {
            last->cell_count++;
            continue;
        }
        if (sheet->preview_count == PREVIEWS_MOST)
            return error_set(err,
                             "sheet '%s' would have more than %d previews: name fewer `clips` or `cameras` in "
                             "`previews`, or make a sheet for each clip by `split: animation`",
                             sheet->base, PREVIEWS_MOST);
        last = &previews[sheet->preview_count++];
        *last = (struct preview_plan){.cells = &shown[cell_count - 1], .cell_count = 1};
        if (name_preview(plan, sheet, last, err) < 0)
            return -1;
    }
    sheet->previews = previews;
    return 0;
}

/* A name that nothing has is likely a slip. A list may name it for its other jobs. */
static void warn_unknown(struct plan *plan)
{
    const struct preview_settings *previews = &plan->job->previews;
    for (size_t i = 0; i < previews->clips.count; i++) {
        size_t at = 0;
        while (at < plan->take_count && !glob_matches(previews->clips.items[i], plan->takes[at].name, true))
            at++;
        if (at == plan->take_count)
            strings_printf(&plan->warnings, "no preview of '%s': the job has no such clip",
                           previews->clips.items[i]);
    }
    for (size_t i = 0; i < previews->cameras.count; i++) {
        size_t at = 0;
        while (at < plan->job->camera_count &&
               !glob_matches(previews->cameras.items[i], plan->job->cameras[at].name, true))
            at++;
        if (at == plan->job->camera_count)
            strings_printf(&plan->warnings, "no preview by '%s': the job has no such camera",
                           previews->cameras.items[i]);
    }
}

int previews_choose(struct plan *plan, struct error *err)
{
    if (!plan->job->previews.is_wanted)
        return 0;
    warn_unknown(plan);
    for (size_t i = 0; i < plan->sheet_count; i++)
        if (choose_of_sheet(plan, &plan->sheets[i], err) < 0)
            return -1;
    return 0;
}
