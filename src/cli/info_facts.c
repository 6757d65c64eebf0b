#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "cli/info.h"
#include "model/root_motion.h"

/* -- Measures ---------------------------------------------------------------------------------------------- */

static void include_pose(const struct model *model, int32_t animation, uint32_t frame, struct mesh *mesh,
                         struct info_bounds *bounds)
{
    const struct pose pose = {.animation = animation, .moment = {.frame_a = frame, .frame_b = frame}};
    vec3 box[2];
    if (model->used_point_count == 0)
        return;
    model_pose(model, &pose, mesh);
    mesh_box(model, mesh, box);
    for (int axis = 0; axis < 3; axis++) { /* adding 0 prints -0 as 0 */
        bounds->least[axis] = fminf(bounds->is_known ? bounds->least[axis] : INFINITY, box[0][axis]) + 0.0f;
        bounds->most[axis] = fmaxf(bounds->is_known ? bounds->most[axis] : -INFINITY, box[1][axis]) + 0.0f;
    }
    bounds->is_known = true;
}

static int measure_bounds(struct info *info, struct error *err)
{
    const struct model *model = info->file.model;
    /* Its own frames, or of an animation file those that were added last. */
    int32_t count = (int32_t)model->animation_count, animation = info->is_animation || count == 0 ? count - 1 : 0;
    struct mesh mesh;
    if (mesh_init_positions(&mesh, model, err) < 0)
        return -1;
    include_pose(model, animation, 0, &mesh, &info->first);
    info->is_first_bind_pose = animation < 0;
    for (int32_t i = animation; i >= 0 && i < count; i++)
        info->keyframe_count += model->animations[i].frame_count;
    for (int32_t i = animation; info->keyframe_count > 1 && i < count; i++)
        for (uint32_t frame = 0; frame < model->animations[i].frame_count; frame++)
            include_pose(model, i, frame, &mesh, &info->all);
    mesh_release(&mesh);
    return 0;
}

static int count_vertices(struct info *info, struct error *err)
{
    const struct model *model = info->file.model;
    SCOPED uint32_t *last_user =
        memory_alloc(model->vertex_count, sizeof *last_user, err); /* surface number + 1 */
    info->vertex_counts = must_alloc(model->surface_count, sizeof *info->vertex_counts);
    if (!last_user)
        return -1;
    for (uint32_t s = 0; s < model->surface_count; s++)
        for (uint32_t i = 0; i < model->surfaces[s].index_count; i++) {
            uint32_t vertex = model->indices[model->surfaces[s].first_index + i];
            info->vertex_counts[s] += last_user[vertex] != s + 1;
            last_user[vertex] = s + 1;
        }
    return 0;
}

/* Loads the model again, from its GL commands. */
static void count_gl_triangles(struct info *info, struct bytes bytes)
{
    const struct model_options options = {.geometry = GEOMETRY_GL_COMMANDS};
    struct model *model;
    struct error ignored;
    info->knows_gl_commands = info->file.model->format->has_gl_commands;
    if (!info->knows_gl_commands || model_load(bytes, &options, &model, &ignored) < 0)
        return;
    info->gl_triangle_count = model->index_count / 3;
    model_free(model);
}

/* -- Models ------------------------------------------------------------------------------------------------ */

static int open_model(const struct info_files *files, const struct model_place *place, struct bytes bytes,
                      struct info *info, struct error *err)
{
    struct trace trace = {0};
    const struct model_options options = {
        .via = files->via, .takes_clips_alone = true, .lists_notes = files->is_verbose};
    if (model_file_open_read(place->assets, place->path, bytes, &options, &info->file, err) < 0)
        return model_place_name_as_typed(place, info->name, err);
    info->format = info->file.model->format_name;
    if (measure_bounds(info, err) < 0 || count_vertices(info, err) < 0)
        return error_add(err, "%s", info->name);
    count_gl_triangles(info, bytes);
    assets_trace(place->assets, &trace);

    const struct model *model = info->file.model;
    const char *path = info->file.path;
    info->skins = must_alloc(model->skin_count, sizeof *info->skins);
    for (uint32_t i = 0; i < model->skin_count; i++)
        if (model_uses(model, MATERIAL_SKIN))
            material_from_skins(place->assets, path, &model->skins[i], 1, &info->skins[i]);
        else /* what it means differs from surface to surface */
            info->skins[i] = (struct look){.name = must_strdup(model->skins[i]), .alpha_test = -1};

    info->materials = must_alloc(model->surface_count, sizeof *info->materials);
    for (uint32_t i = 0; i < model->surface_count; i++)
        material_of_surface(place->assets, path, model, &model->surfaces[i], model->skins,
                            model_uses(model, MATERIAL_OWN) ? 0 : model->skin_count, &(struct material_choice){0},
                            &info->materials[i]);

    if (model_file_add_tags(&info->file, place->assets, err) < 0) /* only jobs that name one need it */
        strings_add(&info->file.warnings, err->text);
    if (model->surface_count > 0)
        model_file_find_animations(&info->file, place->assets, &info->animation_files);
    assets_trace(place->assets, NULL);
    if (trace.trouble)
        strings_add(&info->file.warnings, trace.trouble);
    trace_release(&trace);
    return 0;
}

/* -- Animations -------------------------------------------------------------------------------------------- */

/* Adds the meshes beside an animation, named as it is. */
static void add_meshes_beside(const struct model_place *place, const struct model_format *format, const char *name,
                              struct strings *out)
{
    SCOPED char *named_folder = path_folder(name);
    SCOPED_BY(strings_release) struct strings found = {0};
    model_find_of_format(place->assets, place->path, format, false, &found);
    for (size_t i = 0; i < found.count; i++) {
        SCOPED char *mesh = path_join(named_folder, path_base(found.items[i]));
        strings_add(out, mesh);
    }
}

static int open_mesh(const struct info_files *files, const char *mesh, struct model_file *out, struct error *err)
{
    SCOPED_BY(model_place_release) struct model_place place = {0};
    return model_place_open(mesh, files->roots, &place, err) < 0 ? -1
                                                                 : model_place_load(&place, mesh, NULL, out, err);
}

/* Fills in info->file if the animation fits the mesh, or all its joints do. */
static int try_mesh(const struct info_files *files, const char *mesh, bool takes_all, struct bytes animation,
                    struct info *info, struct error *err)
{
    SCOPED_BY(model_file_release) struct model_file file = {0};
    if (open_mesh(files, mesh, &file, err) < 0)
        return -1;

    const struct strings *news = &file.model->warnings;
    size_t oddity_count = file.model->oddities.count, said = news->count;
    SCOPED char *clip = path_stem(path_base(info->name));
    int result = model_add_animation(file.model, clip, animation, err);
    if (result == 0 && takes_all && news->count > said)
        result = error_set(err, "%s", news->items[said]);
    if (result < 0)
        return error_add(err, "on %s", mesh);
    for (; said < news->count; said++)
        strings_add(&file.warnings, news->items[said]);
    info->file = file;
    file = (struct model_file){0};
    info->mesh = must_strdup(mesh);
    info->first_oddity = oddity_count;
    return 0;
}

/* Tries the meshes that were named before, the last one first, then those beside the animation. */
static int find_mesh(const struct info_files *files, const struct strings *beside, struct bytes animation,
                     struct info *info, struct error *err)
{
    struct error first_reason = {0}, *reason = &first_reason, other;
    for (size_t i = files->meshes.count; i-- > 0; reason = &other)
        if (try_mesh(files, files->meshes.items[i], false, animation, info, reason) == 0) {
            info->is_mesh_named = true;
            return 0;
        }
    for (size_t i = 0, count = beside->count; i < 2 * count; i++, reason = &other)
        if (try_mesh(files, beside->items[i % count], i < count, animation, info, reason) == 0)
            return 0;

    size_t tried = files->meshes.count + beside->count;
    error_set(err, "%s: %s", info->name, first_reason.text);
    return tried == 1 ? -1 : error_add(err, "none of %zu meshes fits", tried);
}

static int add_beside_animation(const struct info_files *files, const char *name, struct model_file *file,
                                struct error *err)
{
    SCOPED_BY(model_place_release) struct model_place place = {0};
    if (model_place_open(name, files->roots, &place, err) < 0)
        return -1;
    const int result = model_file_add_beside_animation(file, place.assets, place.path, err);
    return result < 0 ? error_add(err, "%s", name) : 0;
}

/* -- Clips of other files ------------------------------------------------------------------------------------ */

/* Files with clips alone say how they fit the last model before them; one with a mesh does where there are but these two.
 * Clips of a companion are for its model alone. A model that cannot be read again is not the fault of the clips. */
static void find_match(const struct info_files *files, struct info *info)
{
    static const struct retarget_rules rules;
    const struct model *clips = info->file.model;
    const bool has_mesh = clips->surface_count > 0;
    SCOPED_BY(model_file_release) struct model_file file = {0};
    struct error err;
    if (files->meshes.count == 0 || clips->clip_count == 0 || !model_has_nodes(clips) ||
        (has_mesh && (files->count != 2 || info->file.companions[COMPANION_CLIPS])))
        return;
    const char *mesh = files->meshes.items[files->meshes.count - 1];
    if (open_mesh(files, mesh, &file, &err) < 0)
        return;
    strings_add(&info->match, mesh);
    if (model_has_nodes(file.model) &&
        model_file_describe_match(&file, &info->file, &rules, &info->match, &err) < 0)
        strings_add(&info->match, err.text);
}

/* -- Files ------------------------------------------------------------------------------------------------- */

int info_open(const struct info_files *files, const char *name, struct info *out, struct error *err)
{
    SCOPED_BY(info_release) struct info info = {.name = name};
    SCOPED_BY(model_place_release) struct model_place place = {0};
    SCOPED_BY(blob_release) struct blob blob = {0};
    SCOPED_BY(strings_release) struct strings beside = {0};
    if (model_place_open(name, files->roots, &place, err) < 0)
        return -1;
    if (assets_read(place.assets, place.path, &blob, err) < 0)
        return model_place_name_as_typed(&place, name, err);
    const struct model_format *animation = model_format_of_animation(blob_bytes(&blob));
    if (animation)
        add_meshes_beside(&place, animation, name, &beside);
    if (files->mesh_format ? files->mesh_format != animation : beside.count == 0)
        animation = NULL; /* it is shown as it is, or as clips of the last model */
    if (!animation && open_model(files, &place, blob_bytes(&blob), &info, err) < 0)
        return -1;
    /* Only one tree can be open, and each mesh of an animation may bring its own. */
    model_place_release(&place);
    if (animation) {
        info.format = animation->animation_format->name;
        info.is_animation = true;
        if (find_mesh(files, &beside, blob_bytes(&blob), &info, err) < 0 ||
            add_beside_animation(files, name, &info.file, err) < 0)
            return -1;
        if (measure_bounds(&info, err) < 0)
            return error_add(err, "%s", name);
    } else {
        find_match(files, &info);
    }
    for (uint32_t i = 0; i < info.file.model->clip_count; i++)
        if (clip_find_travel(info.file.model, &info.file.model->clips[i], err) < 0)
            return -1;
    *out = info;
    info = (struct info){0};
    return 0;
}

void info_release(struct info *info)
{
    const struct model *model = info->file.model;
    for (uint32_t i = 0; info->skins && i < model->skin_count; i++)
        material_release(&info->skins[i]);
    for (uint32_t i = 0; info->materials && i < model->surface_count; i++)
        material_release(&info->materials[i]);
    free(info->skins);
    free(info->materials);
    free(info->vertex_counts);
    free(info->mesh);
    strings_release(&info->animation_files);
    strings_release(&info->match);
    model_file_release(&info->file);
    *info = (struct info){0};
}
