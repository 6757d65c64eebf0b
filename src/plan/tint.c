#include "plan/plan.h"

#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/glob.h"
#include "image/srgb.h"

/* Lists the names of surface i in an outfit, and returns their number. */
static size_t names_of(const struct part *part, const struct outfit *outfit, uint32_t i, enum name_kind kind,
                       const char *names[3])
{
    const struct surface *surface = &part->model->surfaces[i];
    const char *worn = outfit->looks[i].name;
    size_t count = 0;
    if (kind == NAME_MESH)
        names[count++] = surface->name;
    if (kind == NAME_MATERIAL && surface->material.name)
        names[count++] = surface->material.name;
    if (kind == NAME_SKIN && outfit->name)
        names[count++] = outfit->name;
    if (kind == NAME_MATERIAL || (kind == NAME_SKIN && surface->material.kind == MATERIAL_SKIN)) {
        names[count++] = worn;
        names[count++] = path_base(worn);
    }
    return count;
}

bool tint_is_called(const char *name, const struct job_name *wanted)
{
    return !strcasecmp(wanted->name, name) || glob_matches(wanted->name, name, true);
}

/* Whether a list has a name of the surface. */
static bool has_name(const struct job_name *wanted, size_t wanted_count, const struct part *part,
                     const struct outfit *outfit, uint32_t i, enum name_kind kind)
{
    const char *names[3];
    size_t count = names_of(part, outfit, i, kind, names);
    for (size_t w = 0; w < wanted_count; w++)
        for (size_t n = 0; n < count; n++)
            if (tint_is_called(names[n], &wanted[w]))
                return true;
    return false;
}

void tint_warn_no_name(struct plan *plan, size_t part_count, const struct job_name *wanted, enum name_kind kind,
                       const char *verb)
{
    static const char *const nouns[] = {"mesh", "material", "skin"};
    SCOPED_BY(strings_release) struct strings all = {0};
    bool is_there = false;
    for (size_t p = 0; p < part_count; p++)
        for (size_t o = 0; o < plan->parts[p].outfit_count; o++)
            for (uint32_t i = 0; i < plan->parts[p].model->surface_count; i++) {
                const char *names[3];
                size_t count = names_of(&plan->parts[p], &plan->parts[p].outfits[o], i, kind, names);
                for (size_t n = 0; n < count; n++) {
                    strings_add(&all, names[n]);
                    is_there |= tint_is_called(names[n], wanted);
                }
            }
    SCOPED char *wide = must_printf("*%s*", wanted->name);
    const char *near = NULL, *pattern = wide;
    for (size_t i = 0; i < all.count && !near; i++)
        if (glob_matches(wide, all.items[i], true))
            near = all.items[i];
    if (!near)
        near = pattern = strings_nearest(wanted->name, all.items, all.count);
    SCOPED char *hint = near ? must_printf("; '%s' would %s '%s'", pattern, verb, near) : must_strdup("");
    if (!is_there)
        strings_printf(&plan->warnings, "%s:%u:%u: %s has no %s '%s' to %s%s", MARK_OF(wanted->mark),
                       plan->job->model, nouns[kind], wanted->name, verb, hint);
}

/* Only model files say which colour a material has: elsewhere it is in the picture. */
static void tint_material(struct plan *plan, const struct tint *tint, struct look *material)
{
    for (int c = 0; c < 3 && material->own; c++)
        material->own->base_color_factor[c] = srgb_to_linear[tint->color[c]];
    if (material->own)
        return;
    SCOPED char *text = must_printf("%s:%u:%u: '%s' has no colour but that of its picture, and cannot be tinted",
                                    MARK_OF(tint->material.mark), material->name);
    strings_add_new(&plan->warnings, text);
}

static void tint_outfit(struct plan *plan, const struct part *part, const struct outfit *outfit)
{
    const struct job *job = plan->job;
    const struct teamcolor *team = &job->teamcolor;
    for (uint32_t i = 0; i < part->model->surface_count; i++) {
        outfit->looks[i].is_team =
            teamcolor_is_given(team) &&
            (!team->mesh_count || has_name(team->meshes, team->mesh_count, part, outfit, i, NAME_MESH)) &&
            (!team->material_count ||
             has_name(team->materials, team->material_count, part, outfit, i, NAME_MATERIAL)) &&
            (!team->skin_count || has_name(team->skins, team->skin_count, part, outfit, i, NAME_SKIN));
        for (size_t t = 0; t < job->tint_count; t++)
            if (has_name(&job->tints[t].material, 1, part, outfit, i, NAME_MATERIAL))
                tint_material(plan, &job->tints[t], &outfit->looks[i]);
    }
}

void tint_parts(struct plan *plan)
{
    const struct job *job = plan->job;
    const struct teamcolor *team = &job->teamcolor;
    for (size_t p = 0; p < plan->part_count; p++)
        for (size_t o = 0; o < plan->parts[p].outfit_count; o++)
            tint_outfit(plan, &plan->parts[p], &plan->parts[p].outfits[o]);
    for (size_t i = 0; i < job->tint_count; i++)
        tint_warn_no_name(plan, plan->part_count, &job->tints[i].material, NAME_MATERIAL, "tint");
    for (size_t i = 0; i < team->mesh_count; i++)
        tint_warn_no_name(plan, plan->part_count, &team->meshes[i], NAME_MESH, "choose");
    for (size_t i = 0; i < team->material_count; i++)
        tint_warn_no_name(plan, plan->part_count, &team->materials[i], NAME_MATERIAL, "choose");
    for (size_t i = 0; i < team->skin_count; i++)
        tint_warn_no_name(plan, plan->part_count, &team->skins[i], NAME_SKIN, "choose");
}
