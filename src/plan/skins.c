#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "material/model_decl.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/missing.h"
#include "base/strings.h"
#include "model/clip.h"

/* Textures of a model that are told to be missing: each is looked for in all surfaces. */
enum { MOST_MISSING = 256 };

/* Where the materials of a part come from. */
struct material_sources {
    struct plan *plan;
    struct assets *assets;
    const struct part *part;
    const struct skin_override *overrides;
    size_t override_count;
    const struct skin_decl *declared; /* or NULL */
    const char *const *skins;         /* of the model's list, those to look for */
    size_t skin_count;
};

/* -- Choosing ---------------------------------------------------------------------------------------------- */

/* The stem of "models/orc/red.pcx": where in the text it is, and how long. UFO:AI's ".red" has no suffix; of
 * "orc.mdl:skin0" it is the name in the model. */
static const char *skin_stem(const char *skin, size_t *length)
{
    const char *held = strrchr(skin, ':'), *base = held ? held + 1 : path_base(skin);
    base += *base == '.';
    *length = strlen(base) - strlen(path_suffix(base));
    return base;
}

/* A set of cells for each skin of the list; what a model without a list wears is called "default". */
static void choose_all(struct plan *plan)
{
    struct part *part = &plan->parts[0];
    const struct model *model = part->model;
    part->outfit_count = model->skin_count ? model->skin_count : 1;
    part->outfits = arena_must_alloc(&plan->arena, part->outfit_count, sizeof *part->outfits);
    part->outfits[0].name = "default";
    if (model->skin_count == 0)
        strings_printf(&plan->warnings,
                       "%s:%u:%u: `skins: all`: %s has no list of skins and is drawn once, as 'default'",
                       MARK_OF(plan->job->skin_mark), part->file.path);
    for (uint32_t i = 0; i < model->skin_count; i++) {
        size_t length;
        const char *stem = skin_stem(model->skins[i], &length);
        const char *plain = clip_name_clean(&plan->arena, stem, length), *name = plain;
        for (unsigned number = 2; named_find(part->outfits, i, sizeof *part->outfits, name, true); number++)
            name = arena_printf(&plan->arena, "%s_%u", plain, number);
        part->outfits[i].name = name;
    }
}

/* "no skin 7, counted from 0 (it has 3 skins: red, blue, green)" */
static int fail_no_skin(const struct plan *plan, struct error *err)
{
    enum { SHOWN = 12 };
    const struct job *job = plan->job;
    const struct model *model = plan->parts[0].model;
    SCOPED_BY(buffer_release) struct buffer has = {0};
    buffer_printf(&has, "it has %u skin%s", model->skin_count, model->skin_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < model->skin_count && i < SHOWN; i++)
        buffer_printf(&has, "%s%s", i ? ", " : ": ", model->skins[i]);
    if (model->skin_count > SHOWN)
        buffer_printf(&has, ", ...");
    if (job->skin_choice == SKIN_INDEX)
        error_set(err, "%s: no skin %u, counted from 0 (%s)", job->model, job->skin_index, has.text);
    else
        error_set(err, "%s: no skin '%s', and no file of that name (%s)", job->model, job->skin_name, has.text);
    return error_add(err, "%s:%u:%u", MARK_OF(job->skin_mark));
}

/* The skin of the list that the job chooses, by its path, its file name or the stem of that; the number of skins
 * where it chooses none of them. */
static uint32_t chosen_skin(const struct job *job, const struct model *model)
{
    if (job->skin_choice == SKIN_INDEX && job->skin_index < model->skin_count)
        return job->skin_index;
    for (uint32_t i = 0; job->skin_choice == SKIN_NAME && i < model->skin_count; i++) {
        size_t length;
        const char *skin = model->skins[i], *name = job->skin_name, *stem = skin_stem(skin, &length);
        if (!strcasecmp(skin, name) || !strcasecmp(path_base(skin), name) ||
            (strlen(name) == length && !strncasecmp(stem, name, length)))
            return i;
    }
    return model->skin_count;
}

int skins_choose(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    struct part *part = &plan->parts[0];
    if (job->skin_choice == SKIN_ALL) {
        choose_all(plan);
        return 0;
    }
    if (job->skin_choice != SKIN_SEARCH && chosen_skin(job, part->model) == part->model->skin_count)
        return fail_no_skin(plan, err);
    part->outfit_count = 1;
    part->outfits = arena_must_alloc(&plan->arena, 1, sizeof *part->outfits);
    return 0;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* The override that the job has for a surface of one of these names; NULL: none. */
static const struct skin_override *find_override(const struct material_sources *sources, const char *const *names,
                                                 size_t name_count)
{
    for (size_t i = 0; i < sources->override_count; i++) {
        const struct skin_override *override = &sources->overrides[i];
        if (!override->from)
            return override;
        for (size_t j = 0; j < name_count; j++)
            if (!strcasecmp(override->from, names[j]))
                return override;
    }
    return NULL;
}

static void resolve_look(const struct material_sources *sources, const struct surface *surface, struct look *out)
{
    const struct model *model = sources->part->model;
    const struct job *job = sources->plan->job;
    bool is_hidden = false;
    for (size_t i = 0; i < job->hidden_count && !sources->part->attachment; i++)
        is_hidden |= tint_is_called(surface->name, &job->hidden[i]);
    if (is_hidden) {
        *out = (struct look){.name = must_strdup(surface->name), .layers_only = true};
        return;
    }
    const char *path = sources->part->file.path;
    const char *name = material_name(model, surface, sources->skins, sources->skin_count);
    const char *const names[] = {name, surface->material.name};
    const struct skin_override *override = surface->material.kind == MATERIAL_SKIN
                                               ? find_override(sources, model->skins, model->skin_count)
                                               : find_override(sources, names, name ? 2 : 0);
    struct material_choice choice = {0};
    if (override)
        choice = (struct material_choice){override->path, override->shader};
    else if (name && sources->declared)
        choice.shader = skin_decl_map(sources->declared, name);
    material_of_surface(sources->assets, path, model, surface, sources->skins, sources->skin_count, &choice, out);
}

/* Adds each warning once: a file of declarations that is broken is so for all surfaces. */
static void add_warnings(struct plan *plan, const struct strings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        strings_add_new(&plan->warnings, warnings->items[i]);
}

/* The name of the texture that a surface should have and lacks; NULL: it lacks none. A skin or a shader is called as its
 * texture; "": nothing names one. */
static const char *missing_texture(const struct material_sources *sources, const struct surface *surface,
                                   const struct look *material)
{
    bool is_drawn = surface->index_count > 0 && (!material->layers_only || material->adds_light);
    if (!is_drawn || !material_lacks_picture(material))
        return NULL;
    if (material->own)
        return material->guess == GUESS_PICTURE ? "" : material->own->base_color.path;
    return surface->material.kind == MATERIAL_SKIN && sources->skin_count ? sources->skins[0] : material->name;
}

/* Says which picture a surface, and so many more, has in the place of this texture, and the key that decides. */
static void warn_texture(const struct material_sources *sources, const struct surface *surface,
                         const struct look *material, const char *texture, uint32_t more, struct strings *out)
{
    const char *path = sources->part->file.path;
    const struct texture *diffuse = &material->pictures[PICTURE_DIFFUSE];
    size_t tried = diffuse->tried.count;
    SCOPED char *name = material->own ? must_printf("'%s' ", texture) : must_strdup("");
    SCOPED char *others = more ? must_printf(" and %u more", more) : must_strdup("");
    SCOPED char *drawn = diffuse->program
                             ? must_printf("drawn in '%s' by a guess, which `skin: %s` would make sure",
                                           diffuse->program, diffuse->program)
                             : must_strdup("drawn untextured; `skin` chooses a picture");
    if (diffuse->program && !*texture)
        strings_printf(out, "%s: it names no texture for '%s'%s, %s", path, surface->name, others, drawn);
    else
        strings_printf(out, "%s: no texture %sfor '%s' of '%s'%s, %s; %zu place%s tried, see -v", path, name,
                       material->own ? material->name : texture, surface->name, others, drawn, tried,
                       tried == 1 ? "" : "s");
}

/* Of those surfaces that miss the same texture the first is named, and the others are counted. */
static void warn_untextured(const struct material_sources *sources, const struct look *looks)
{
    const struct model *model = sources->part->model;
    SCOPED_BY(strings_release) struct strings warnings = {0}, told = {0};
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct look *look = &looks[i];
        const struct surface *surface = &model->surfaces[i];
        const char *texture = missing_texture(sources, surface, look);
        if (!texture || strings_has(&told, texture))
            continue;
        if (told.count == MOST_MISSING) {
            strings_printf(&warnings, "%s: more than %d textures are missing", sources->part->file.path,
                           MOST_MISSING);
            break;
        }
        strings_add(&told, texture);
        uint32_t more = 0;
        for (uint32_t j = i + 1; j < model->surface_count; j++) {
            const char *other = missing_texture(sources, &model->surfaces[j], &looks[j]);
            more += other && !strcmp(other, texture);
        }
        warn_texture(sources, surface, look, texture, more, &warnings);
    }
    add_warnings(sources->plan, &warnings);
}

static void resolve_looks(const struct material_sources *sources, struct look *looks)
{
    const struct model *model = sources->part->model;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        resolve_look(sources, &model->surfaces[i], &looks[i]);
        if (model->surfaces[i].index_count > 0)
            add_warnings(sources->plan, &looks[i].warnings);
    }
    warn_untextured(sources, looks);
}

/* Warns of skins that the model does not have, and names those it has. */
static void warn_unused_overrides(const struct material_sources *sources)
{
    const struct model *model = sources->part->model;
    SCOPED_BY(strings_release) struct strings names = {0};
    for (uint32_t i = 0; i < model->skin_count && sources->override_count; i++)
        strings_add(&names, model->skins[i]);
    for (uint32_t s = 0; s < model->surface_count && sources->override_count; s++)
        if (model->surfaces[s].material.name)
            strings_add_new(&names, model->surfaces[s].material.name);
    for (size_t i = 0; i < sources->override_count; i++) {
        const struct skin_override *skin = &sources->overrides[i];
        struct error err;
        bool is_used = !skin->from || named_find(names.items, names.count, sizeof *names.items, skin->from, true);
        for (uint32_t s = 0; s < model->surface_count && !is_used; s++) {
            const char *const *worn = model->surfaces[s].material.skin_names;
            is_used = worn && named_find(worn, model->skin_count, sizeof *worn, skin->from, true);
        }
        if (is_used)
            continue;
        missing_fail("skin or shader", skin->from, strings_nearest(skin->from, names.items, names.count),
                     names.items, names.count, &err);
        strings_printf(&sources->plan->warnings, "%s:%u:%u: %s has %s", MARK_OF(skin->mark),
                       sources->part->file.path, err.text);
    }
}

/* The skin of `skin: FILE.skin#NAME`, or the one that the model's declaration names; false where there is none. A
 * declaration whose skin is missing draws the model's own materials, as the engine does. */
static int find_declared(struct plan *plan, struct assets *assets, struct skin_decl *out, bool *found,
                         struct error *err)
{
    const struct job *job = plan->job;
    const char *name = job->skin_file ? job->skin_name : plan->def.skin;
    *found = false;
    if (!name || (!job->skin_file && job->skin_count > 0))
        return 0;
    int result;
    if (!model_uses(plan->parts[0].model, MATERIAL_SHADER))
        result = error_set(err, "skin '%s' changes shaders, and this model has none", name);
    else
        result = skin_decl_find(assets, job->skin_file, name, out, err);
    if (result < 0 && !job->skin_file) {
        strings_printf(&plan->warnings, "%s: %s; drawn without it", job->model, err->text);
        return 0;
    }
    if (result < 0) {
        error_add(err, "%s", job->model);
        return error_add(err, "%s:%u:%u", MARK_OF(job->skin_mark));
    }
    *found = true;
    add_warnings(plan, &out->warnings);
    return 0;
}

int skins_resolve(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    for (size_t i = 0; i < plan->part_count; i++) {
        struct part *part = &plan->parts[i];
        const struct model *model = part->model;
        const struct attachment *attachment = part->attachment;
        struct material_sources sources = {
            .plan = plan,
            .assets = assets,
            .part = part,
            .overrides = attachment ? attachment->skins : job->skins,
            .override_count = attachment ? attachment->skin_count : job->skin_count,
            .skins = model->skins,
            .skin_count = model_uses(model, MATERIAL_OWN) ? 0 : model->skin_count,
        };
        SCOPED_BY(skin_decl_release) struct skin_decl declared = {0};
        bool is_declared = false;
        if (!attachment && find_declared(plan, assets, &declared, &is_declared, err) < 0)
            return -1;
        sources.declared = is_declared ? &declared : NULL;
        /* Skins that the job chooses from the list are looked for each by itself, so that none stands in for
         * another. */
        uint32_t first = job->skin_choice == SKIN_ALL ? 0 : chosen_skin(job, model);
        struct look *looks = must_alloc(part->outfit_count * model->surface_count, sizeof *looks);
        for (size_t o = 0; o < part->outfit_count; o++) {
            if (!attachment && first < model->skin_count) {
                sources.skins = &model->skins[first + o];
                sources.skin_count = 1;
            }
            part->outfits[o].looks = &looks[o * model->surface_count];
            resolve_looks(&sources, part->outfits[o].looks);
        }
        warn_unused_overrides(&sources);
        for (size_t h = 0; h < job->hidden_count && !attachment; h++)
            tint_warn_no_name(plan, 1, &job->hidden[h], NAME_MESH, "hide");
    }
    tint_parts(plan);
    return 0;
}

/* -- Visible points ---------------------------------------------------------------------------------------- */

bool skins_is_visible(const struct part *part, uint32_t surface)
{
    bool is_drawn = false;
    for (size_t o = 0; o < part->outfit_count; o++) {
        const struct look *material = &part->outfits[o].looks[surface];
        is_drawn |= !material->layers_only || material->layer_count > 0 || material->adds_light;
    }
    return is_drawn && part->model->surfaces[surface].index_count > 0;
}

static int find_visible_points(struct plan *plan, struct part *part, struct error *err)
{
    const struct model *model = part->model;
    uint32_t shown = 0; /* of all indices */
    for (uint32_t s = 0; s < model->surface_count; s++)
        shown += skins_is_visible(part, s) ? model->surfaces[s].index_count : 0;
    if (shown == model->index_count) {
        part->visible_points = model->used_points;
        part->visible_point_count = model->used_point_count;
        return 0;
    }
    SCOPED bool *is_visible = memory_alloc(model->point_count, sizeof *is_visible, err);
    uint32_t *points = arena_alloc(&plan->arena, model->used_point_count, sizeof *points, err);
    if (!is_visible || !points)
        return -1;
    for (uint32_t s = 0; s < model->surface_count; s++) {
        const struct surface *surface = &model->surfaces[s];
        if (!skins_is_visible(part, s))
            continue;
        for (uint32_t i = 0; i < surface->index_count; i++)
            is_visible[model->vertex_points[model->indices[surface->first_index + i]]] = true;
    }
    for (uint32_t i = 0; i < model->used_point_count; i++)
        if (is_visible[model->used_points[i]])
            points[part->visible_point_count++] = model->used_points[i];
    part->visible_points = points;
    return 0;
}

int skins_find_visible(struct plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->part_count; i++) {
        struct part *part = &plan->parts[i];
        if (find_visible_points(plan, part, err) < 0)
            return -1;
        if (part->visible_point_count > 0)
            continue;
        SCOPED char *what = part->attachment ? must_printf("attachment '%s'", part->name) : must_strdup("it");
        strings_printf(&plan->warnings, "%s: nothing of %s can be seen: it has no %s", plan->job->model, what,
                       part->model->index_count > 0 ? "material that draws anything" : "triangles");
    }
    return 0;
}

/* -- How pictures were found ------------------------------------------------------------------------------- */

/* "surface 'sword/blade' in skin 'gold'", with the name of the attachment in front of its surface. The caller frees it. */
static char *surface_text(const struct part *part, const struct outfit *outfit, uint32_t surface)
{
    struct buffer text = {0};
    buffer_printf(&text, "surface '%s%s%s'", part->attachment ? part->name : "", part->attachment ? "/" : "",
                  part->model->surfaces[surface].name);
    if (outfit->name)
        buffer_printf(&text, " in skin '%s'", outfit->name);
    return text.text;
}

static void add_line(const char *role, const struct texture *picture, struct strings *out)
{
    const struct strings *tried = &picture->tried;
    const char *found = picture->program;
    SCOPED_BY(buffer_release) struct buffer line = {0};
    if (!found && tried->count == 0)
        return;
    buffer_printf(&line, "%s: ", role);
    for (size_t i = 0; i < tried->count; i++)
        buffer_printf(&line, "%s%s", i ? ", " : "tried ", tried->items[i]);
    buffer_printf(&line, "%sfound %s", tried->count ? "; " : "", found ? found : "nothing");
    strings_add(out, line.text);
}

void search_path_add(const struct look *material, struct strings *out)
{
    if (material->declared)
        strings_printf(out, "material '%s': declared at %s", material->name, material->declared);
    for (int i = 0; i < PICTURE_COUNT; i++)
        add_line(picture_names[i], &material->pictures[i], out);
    for (size_t i = 0; i < material->layer_count; i++) {
        char role[32];
        snprintf(role, sizeof role, "stage %zu", i + 1);
        add_line(role, &material->layers[i].image, out);
    }
}

void search_path_add_all(const struct plan *plan, struct strings *out)
{
    for (size_t p = 0; p < plan->part_count; p++)
        for (size_t o = 0; o < plan->parts[p].outfit_count; o++)
            for (uint32_t i = 0; i < plan->parts[p].model->surface_count; i++) {
                const struct outfit *outfit = &plan->parts[p].outfits[o];
                SCOPED_BY(strings_release) struct strings lines = {0};
                SCOPED char *name = surface_text(&plan->parts[p], outfit, i);
                search_path_add(&outfit->looks[i], &lines);
                for (size_t line = 0; line < lines.count; line++)
                    strings_printf(out, "%s: %s", name, lines.items[line]);
            }
}
