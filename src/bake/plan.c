#include "bake/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/missing.h"

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->sheet_count; i++)
        layout_release(&plan->sheets[i].layout);
    for (size_t i = 0; i < plan->part_count; i++) {
        struct part *part = &plan->parts[i];
        for (size_t o = 0; o < part->outfit_count; o++) {
            struct material *materials = part->outfits[o].materials;
            for (uint32_t s = 0; materials && s < part->model->surface_count; s++)
                material_release(&materials[s]);
            free(materials);
        }
        model_file_release(&part->file);
    }
    for (size_t i = 0; i < plan->take_count; i++)
        free(plan->takes[i].times_s);
    free(plan->takes);
    def_decl_release(&plan->def);
    strings_release(&plan->warnings);
    arena_release(&plan->arena);
    free(plan);
}

int plan_find_place(const struct plan *plan, uint32_t number, const char *wanted, struct place *out,
                    struct error *err)
{
    const struct part *part = &plan->parts[number];
    const char *path = number == 0 ? plan->job->model : part->file.path;
    bool has_joints = part->model->joint_count > 0;
    size_t count = has_joints ? part->model->joint_count : part->model->tags.tag_count, found = count;
    if (count == 0)
        return error_set(err, "%s: there is no '%s': it has neither joints nor a .tag file beside it", path,
                         wanted);
    const char **names = must_alloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = has_joints ? part->model->joints[i].name : part->model->tags.items[i].name;
    for (size_t i = count; i-- > 0;)
        if (!strcasecmp(names[i], wanted))
            found = i;
    for (size_t i = count; i-- > 0;)
        if (!strcmp(names[i], wanted))
            found = i;
    if (found < count)
        *out = (struct place){number, has_joints ? PLACE_JOINT : PLACE_TAG, (uint32_t)found};
    else
        missing_fail(has_joints ? "joint" : "tag", wanted, strings_nearest(wanted, names, count), names, count,
                     err);
    free(names);
    return found < count ? 0 : error_add(err, "%s", path);
}

struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation)
{
    struct pose pose = {.animation = take->animation, .interpolation = interpolation};
    if (take->clip)
        pose.moment = clip_moment(take->clip, take->times_s[sample], take->loop);
    return pose;
}

struct pose plan_pose(const struct plan *plan, uint32_t number, const struct take *take, size_t sample)
{
    const struct part *part = &plan->parts[number];
    while (part->attachment && part->attachment->same_frame)
        part = &plan->parts[part->at.part];
    if (!part->attachment)
        return take_pose(take, sample, plan->job->interpolation);
    struct pose pose = {.animation = -1, .interpolation = plan->job->interpolation};
    if (part->clip) {
        pose.animation = (int32_t)part->clip->animation;
        pose.moment = clip_moment(part->clip, take->times_s[sample], true);
    }
    return pose;
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
        "animation '%s'%s on several pages, because a page of %u pixels cannot hold its frames; engines play "
        "only what is on one page: see `max_size`, `trim` and `cell`",
        name, more, layout_most_side(&plan->job->sheet));
    free(more);
    free(name);
}

/* -- How pictures were found ------------------------------------------------------------------------------- */

char *search_path_surface(const struct part *part, const struct outfit *outfit, uint32_t surface)
{
    struct buffer text = {0};
    buffer_printf(&text, "surface '%s%s%s'", part->attachment ? part->name : "", part->attachment ? "/" : "",
                  part->model->surfaces[surface].name);
    if (outfit->name)
        buffer_printf(&text, " in skin '%s'", outfit->name);
    return text.text;
}

static void add_line(const char *role, const struct material_picture *picture, struct strings *out)
{
    const struct strings *tried = &picture->tried;
    const char *found = picture->program;
    struct buffer line = {0};
    if (!found && tried->count == 0)
        return;
    buffer_printf(&line, "%s: ", role);
    for (size_t i = 0; i < tried->count; i++)
        buffer_printf(&line, "%s%s", i ? ", " : "tried ", tried->items[i]);
    buffer_printf(&line, "%sfound %s", tried->count ? "; " : "", found ? found : "nothing");
    strings_add(out, line.text);
    buffer_release(&line);
}

void search_path_add(const struct material *material, struct strings *out)
{
    if (material->declared)
        strings_printf(out, "material '%s': declared at %s", material->name, material->declared);
    for (int i = 0; i < PICTURE_COUNT; i++)
        add_line(picture_names[i], &material->pictures[i], out);
    for (size_t i = 0; i < material->stage_count; i++) {
        char role[32];
        snprintf(role, sizeof role, "stage %zu", i + 1);
        add_line(role, &material->stages[i].image, out);
    }
}

void search_path_add_all(const struct plan *plan, struct strings *out)
{
    for (size_t p = 0; p < plan->part_count; p++)
        for (size_t o = 0; o < plan->parts[p].outfit_count; o++)
            for (uint32_t i = 0; i < plan->parts[p].model->surface_count; i++) {
                const struct outfit *outfit = &plan->parts[p].outfits[o];
                struct strings lines = {0};
                char *name = search_path_surface(&plan->parts[p], outfit, i);
                search_path_add(&outfit->materials[i], &lines);
                for (size_t line = 0; line < lines.count; line++)
                    strings_printf(out, "%s: %s", name, lines.items[line]);
                strings_release(&lines);
                free(name);
            }
}
