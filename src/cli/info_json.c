/* docs/formats.md lists the fields. Keys are sorted, so the same files give the same bytes. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/info.h"
#include "cli/json_output.h"
#include "sheet/json_value.h"

enum { FLOAT_DIGITS = 9 }; /* enough to read back the very same float */

struct info_json {
    json_t *files;
};

static json_t *texts(const struct strings *strings, size_t first)
{
    json_t *array = json_array();
    for (size_t i = first; i < strings->count; i++)
        json_array_append_new(array, text_or_null(strings->items[i]));
    return array;
}

static json_t *vector(const vec3 v)
{
    return json_pack("[fff]", (double)v[0], (double)v[1], (double)v[2]);
}

static json_t *box(const struct info_bounds *bounds)
{
    if (!bounds->is_known)
        return json_null();
    return json_pack("{s:o, s:o}", "max", vector(bounds->most), "min", vector(bounds->least));
}

static json_t *bounds_of(const struct info *info)
{
    const struct info_bounds *all = info->all.is_known ? &info->all : &info->first;
    return json_pack("{s:o, s:o, s:s}", "all", box(all), "first", box(&info->first), "first_pose",
                     info->is_first_bind_pose ? "bind" : "frame 0");
}

static json_t *counts_of(const struct info *info)
{
    const struct model *model = info->file.model;
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "clips", (int)model->clip_count, "frames",
                     (int)info->keyframe_count, "joints", (int)model->joint_count, "points",
                     (int)model->point_count, "skins", (int)model->skin_count, "surfaces",
                     (int)model->surface_count, "triangles", (int)(model->index_count / 3), "vertices",
                     (int)model->vertex_count);
}

static json_t *clip_of(const struct clip *clip)
{
    return json_pack("{s:b, s:i, s:i, s:i, s:o, s:f, s:f, s:f, s:f}", "closes", (int)clip->closes, "first_frame",
                     (int)clip->first_frame, "frame_count", (int)clip->frame_count, "last_frame",
                     (int)(clip->first_frame + clip->frame_count - 1), "name", text_or_null(clip->name), "rate_hz",
                     (double)clip->rate_hz, "seconds_looped", clip_duration_s(clip, true), "seconds_once",
                     clip_duration_s(clip, false), "travel",
                     hypot((double)clip->travel[0], (double)clip->travel[1]));
}

/* All clips of a model; of an animation file the one it added. */
static json_t *clips_of(const struct info *info)
{
    const struct model *model = info->file.model;
    json_t *array = json_array();
    for (uint32_t i = info->is_animation ? model->clip_count - 1 : 0; i < model->clip_count; i++)
        json_array_append_new(array, clip_of(&model->clips[i]));
    return array;
}

static json_t *joints_of(const struct model *model)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < model->joint_count; i++)
        json_array_append_new(array, json_pack("{s:o, s:i}", "name", text_or_null(model->joints[i].name), "parent",
                                               (int)model->joints[i].parent));
    return array;
}

static json_t *alpha_test_of(float alpha_test)
{
    return alpha_test < 0 ? json_null() : json_real((double)alpha_test);
}

static json_t *stages_of(const struct material *material)
{
    json_t *array = json_array();
    for (size_t i = 0; i < material->stage_count; i++) {
        const struct material_stage *stage = &material->stages[i];
        const float *color = stage->color;
        json_array_append_new(
            array, json_pack("{s:o, s:[ss], s:[ffff], s:o, s:o}", "alpha_test", alpha_test_of(stage->alpha_test),
                             "blend", blend_factor_names[stage->source], blend_factor_names[stage->destination],
                             "color", (double)color[0], (double)color[1], (double)color[2], (double)color[3],
                             "image", text_or_null(stage->image), "mask", text_or_null(stage->mask)));
    }
    return array;
}

static json_t *material_of(const struct material *material)
{
    json_t *object = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o}", "diffuse", text_or_null(material->diffuse),
                               "guessed", (int)material->guessed, "name", text_or_null(material->name), "normal",
                               text_or_null(material->normal), "specular", text_or_null(material->specular),
                               "tried", texts(&material->tried, 0));
    json_t *declared = json_pack(
        "{s:b, s:o, s:b, s:o, s:o, s:b, s:b, s:o}", "adds_light", (int)material->adds_light, "alpha_test",
        alpha_test_of(material->alpha_test), "back_sided", (int)material->back_sided, "declared",
        text_or_null(material->declared), "stages", stages_of(material), "stages_only", (int)material->stages_only,
        "two_sided", (int)material->two_sided, "warnings", texts(&material->warnings, 0));
    json_object_update(object, declared);
    json_decref(declared);
    return object;
}

static json_t *skins_of(const struct info *info)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < info->file.model->skin_count; i++)
        json_array_append_new(array, material_of(&info->skins[i]));
    return array;
}

static json_t *surfaces_of(const struct info *info)
{
    const struct model *model = info->file.model;
    json_t *array = json_array();
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        json_array_append_new(array,
                              json_pack("{s:o, s:o, s:o, s:i, s:i}", "material", material_of(&info->materials[i]),
                                        "name", text_or_null(surface->name), "shader",
                                        text_or_null(surface->material.name), "triangles",
                                        (int)(surface->index_count / 3), "vertices", (int)info->vertex_counts[i]));
    }
    return array;
}

static json_t *tags_of(const struct info *info)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < info->file.model->tags.tag_count; i++)
        json_array_append_new(array, text_or_null(info->file.model->tags.items[i].name));
    return array;
}

static void add_model_facts(json_t *object, const struct info *info)
{
    json_object_set_new(object, "animation_files", texts(&info->animation_files, 0));
    json_object_set_new(object, "clips_from", text_or_null(info->file.companions[COMPANION_CLIPS]));
    json_object_set_new(object, "gl_triangles",
                        info->knows_gl_commands ? json_integer(info->gl_triangle_count) : json_null());
    json_object_set_new(object, "joints", joints_of(info->file.model));
    json_object_set_new(object, "normals_from", text_or_null(info->file.companions[COMPANION_NORMALS]));
    json_object_set_new(object, "skins", skins_of(info));
    json_object_set_new(object, "surfaces", surfaces_of(info));
    json_object_set_new(object, "tags", tags_of(info));
}

struct info_json *info_json_new(void)
{
    struct info_json *json = must_alloc(1, sizeof *json);
    json->files = json_array();
    return json;
}

void info_json_add(struct info_json *json, const struct info *info)
{
    json_t *object = json_object();
    json_object_set_new(object, "bounds", bounds_of(info));
    json_object_set_new(object, "clips", clips_of(info));
    json_object_set_new(object, "counts", counts_of(info));
    json_object_set_new(object, "file", text_or_null(info->name));
    json_object_set_new(object, "format", json_string(info->format));
    json_object_set_new(object, "oddities", texts(&info->file.model->oddities, info->first_oddity));
    json_object_set_new(object, "warnings", texts(&info->file.warnings, 0));
    if (info->is_animation)
        json_object_set_new(object, "mesh", text_or_null(info->mesh));
    else
        add_model_facts(object, info);
    json_array_append_new(json->files, object);
}

void info_json_add_failure(struct info_json *json, const char *name, const char *message)
{
    json_t *object = json_object();
    json_object_set_new(object, "error", text_or_null(message));
    json_object_set_new(object, "file", text_or_null(name));
    json_array_append_new(json->files, object);
}

int info_json_finish(struct info_json *json, FILE *out)
{
    json_t *document = json_pack("{s:o}", "files", json->files);
    free(json);
    return json_print(document, JSON_INDENT(2) | JSON_REAL_PRECISION(FLOAT_DIGITS), out);
}
