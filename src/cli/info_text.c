#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "plan/plan.h"
#include "cli/cli.h"
#include "cli/info.h"
#include "format/formats.h"
#include "model/root_motion.h"

enum { LABEL_WIDTH = 12, NAME_WIDTH = 20 }; /* longer names push what follows to the right */

/* A line with its label, or "" to go on under the one before. Names come from files: control characters become '?'. */
__attribute__((format(printf, 3, 4))) static void print(struct buffer *out, const char *label, const char *format,
                                                        ...)
{
    va_list args;
    va_start(args, format);
    SCOPED char *text = must_vprintf(format, args);
    va_end(args);
    printable_mask(text);
    buffer_printf(out, "  %-*s%s\n", LABEL_WIDTH, label, text);
}

static const char *named(const char *name)
{
    return *name ? name : "\"\"";
}

/* -- Geometry ---------------------------------------------------------------------------------------------- */

static void print_geometry(struct buffer *out, const struct info *info)
{
    const struct model *model = info->file.model;
    const uint32_t triangle_count = model->index_count / 3;
    print(out, "geometry", "%u point%s, %u %s, %u triangle%s, %u mesh%s", model->point_count,
          cli_plural(model->point_count), model->vertex_count, model->vertex_count == 1 ? "vertex" : "vertices",
          triangle_count, cli_plural(triangle_count), model->surface_count, model->surface_count == 1 ? "" : "es");
    if (info->file.companions[COMPANION_NORMALS])
        print(out, "normals", "from %s", info->file.companions[COMPANION_NORMALS]);
    if (info->keyframe_count)
        print(out, "frames", "%u", info->keyframe_count);
    if (info->knows_gl_commands && info->gl_triangle_count)
        print(out, "GL commands", "%u triangle%s", info->gl_triangle_count, cli_plural(info->gl_triangle_count));
    else if (info->knows_gl_commands)
        print(out, "GL commands", "none that could be drawn");
}

static void print_bounds(struct buffer *out, const char *label, const struct info_bounds *bounds,
                         const char *where)
{
    const float *a = bounds->least, *b = bounds->most;
    print(out, label, "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) %s", a[0], a[1], a[2], b[0], b[1], b[2], where);
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* The picture of a material, behind `lead`. */
static void print_picture(struct buffer *out, const char *label, const char *lead, const struct look *material)
{
    const struct texture *diffuse = &material->pictures[PICTURE_DIFFUSE];
    char tried[64] = "";
    if (diffuse->tried.count)
        snprintf(tried, sizeof tried, " (%zu places tried)", diffuse->tried.count);
    if (diffuse->program)
        print(out, label, "%s%s%s", lead, named(diffuse->program), material->guess ? " (by a guess)" : "");
    else if (material->own && !material->own->base_color.path)
        print(out, label, "%sa plain colour", lead);
    else if (material->layers_only)
        print(out, label, "%snone, %s", lead, material->layer_count ? "only blended stages" : "invisible");
    else
        print(out, label, "%sno picture%s", lead, tried);
}

static void print_paths(struct buffer *out, const struct look *material)
{
    SCOPED_BY(strings_release) struct strings paths = {0};
    search_path_add(material, &paths);
    for (size_t i = 0; i < paths.count; i++)
        print(out, "", "  %s", paths.items[i]);
}

/* An MD2 is drawn with one texture, whose skins are its choices. Those in a file are called as they are found. */
static void print_skins(struct buffer *out, const struct info *info, bool is_verbose)
{
    const struct model *model = info->file.model;
    if (model->skin_count == 0)
        print(out, "skins", "none named");
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const char *found = info->skins[i].pictures[PICTURE_DIFFUSE].program;
        bool is_inside = model->format->pictures && found && !strcmp(found, model->skins[i]);
        SCOPED char *lead = must_printf("%-*s  ", NAME_WIDTH, named(model->skins[i]));
        print_picture(out, i ? "" : "skins", is_inside ? "" : lead, &info->skins[i]);
    }
    print_picture(out, "texture", "", &info->materials[0]);
    if (is_verbose)
        print_paths(out, &info->materials[0]);
}

static void print_own(struct buffer *out, const struct model_material *said)
{
    const char *unlit = said->is_unlit ? ", unlit" : "";
    char alpha[32] = "";
    if (said->alpha_mode == ALPHA_MASK)
        snprintf(alpha, sizeof alpha, ", alpha test %g", said->alpha_cutoff);
    print(out, "", "  %s%g, roughness %g%s%s%s%s",
          said->is_specular_glossiness ? "glossy, metallic " : "metallic ", said->metallic, said->roughness,
          said->has_shade ? ", toon" : unlit, said->is_double_sided ? ", two-sided" : "",
          said->alpha_mode == ALPHA_BLEND ? ", blended" : "", alpha);
}

static void print_material(struct buffer *out, const struct look *material)
{
    print_picture(out, "", "  diffuse   ", material);
    for (int i = PICTURE_NORMAL; i < PICTURE_COUNT; i++)
        if (material->pictures[i].program)
            print(out, "", "  %-9s %s", picture_names[i], named(material->pictures[i].program));
    if (material->own)
        print_own(out, material->own);
    for (size_t i = 0; i < material->layer_count; i++) {
        const struct look_layer *stage = &material->layers[i];
        print(out, "", "  stage     %s (%s, %s)", named(stage->image.program), blend_factor_names[stage->source],
              blend_factor_names[stage->destination]);
        if (stage->mask.program)
            print(out, "", "    mask    %s", named(stage->mask.program));
    }
    char alpha_test[32] = "";
    if (material->alpha_test >= 0)
        snprintf(alpha_test, sizeof alpha_test, ", alpha test %g", material->alpha_test);
    if (material->declared)
        print(out, "", "  declared  %s%s%s%s%s", named(material->declared),
              material->two_sided ? ", two-sided" : "", material->back_sided ? ", back-sided" : "",
              material->adds_light ? ", adds its light to what is behind" : "", alpha_test);
    for (size_t i = 0; i < material->warnings.count; i++)
        print(out, "", "  warning   %s", named(material->warnings.items[i]));
}

static void print_meshes(struct buffer *out, const struct info *info, bool is_verbose)
{
    const struct model *model = info->file.model;
    print(out, "meshes", "%-*s  vertices  triangles  shader", NAME_WIDTH, "name");
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        print(out, "", "%-*s  %8u  %9u  %s", NAME_WIDTH, named(surface->name), info->vertex_counts[i],
              surface->index_count / 3, surface->material.name ? named(surface->material.name) : "the skin");
        if (surface->material.name)
            print_material(out, &info->materials[i]);
        if (surface->material.name && is_verbose)
            print_paths(out, &info->materials[i]);
    }
}

/* -- Joints and clips -------------------------------------------------------------------------------------- */

/* Prints the joints below one, top down. A file may nest them as deep as it is long, so they are indented only so far. */
static void print_joints_below(struct buffer *out, const struct model *model, int32_t parent, int depth)
{
    enum { DEEPEST = 40 };
    for (int32_t i = 0; i < (int32_t)model->joint_count; i++) {
        if (model->joints[i].parent != parent)
            continue;
        print(out, "", "%*s%s", (depth < DEEPEST ? depth : DEEPEST) * 2, "", named(model->joints[i].name));
        print_joints_below(out, model, i, depth + 1);
    }
}

/* The seconds are those of a loop, in which the last keyframe blends into the first, unless the clip plays once. */
static void print_clips(struct buffer *out, const struct info *info)
{
    const struct model *model = info->file.model;
    const char *from = info->file.companions[COMPANION_CLIPS];
    const struct clip *extra = NULL;
    uint32_t extra_count = 0;
    print(out, "clips", "%-*s  frames       count     Hz  seconds%s%s%s", NAME_WIDTH, "name",
          from ? "  (from " : "", from ? named(from) : "", from ? ")" : "");
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        char frames[32];
        snprintf(frames, sizeof frames, "%u-%u", clip->first_frame, clip->first_frame + clip->frame_count - 1);
        if (clip->is_extra) {
            extra = clip;
            extra_count++;
            continue;
        }
        print(out, "", "%-*s  %-11s  %5u  %5.6g  %7.2f%s", NAME_WIDTH, named(clip->name), frames,
              clip->frame_count, clip->rate_hz,
              clip_duration_s(clip, !clip_plays_once(clip) || clip->frame_count == 1),
              clip_plays_once(clip) ? "  once" : "");
        if (clip_travels(clip))
            print(out, "", "%-*s  %.6g units by %s", NAME_WIDTH, "  travels",
                  hypot((double)clip->travel[0], (double)clip->travel[1]), named(model->joints[clip->root].name));
    }
    if (extra)
        print(out, "", "and %u pairs of these, such as %s", extra_count, named(extra->name));
}

/* -- A file ------------------------------------------------------------------------------------------------ */

static void print_list(struct buffer *out, const char *label, const struct strings *lines, size_t first)
{
    for (size_t i = first; i < lines->count; i++)
        print(out, i == first ? label : "", "%s", named(lines->items[i]));
}

static void print_animation(struct buffer *out, const struct info *info)
{
    const struct model *model = info->file.model;
    const struct animation *animation = &model->animations[model->animation_count - 1];
    const struct clip *clip = &model->clips[model->clip_count - 1];
    print(out, "frames", "%u at %.6g Hz, %.2f seconds", animation->frame_count, animation->rate_hz,
          clip_duration_s(clip, true));
    print(out, "loop", "%s",
          clip->closes ? "closed: the last frame repeats the first"
                       : "open: the last frame blends into the first");
    if (clip_travels(clip))
        print(out, "travel", "%.6g units by %s", hypot((double)clip->travel[0], (double)clip->travel[1]),
              named(model->joints[clip->root].name));
    print(out, "joints", "%u", model->joint_count);
    print(out, "mesh", "%s (%s)", named(info->mesh),
          info->is_mesh_named ? "named before it" : "the first beside it that fits");
}

void info_print(const struct info *info, bool is_verbose, struct buffer *out)
{
    SCOPED char *name = must_strdup(named(info->name));
    printable_mask(name);
    buffer_printf(out, "%s\n", name);
    print(out, "format", "%s", info->format);
    if (info->is_animation)
        print_animation(out, info);
    else {
        const struct model *model = info->file.model;
        print_geometry(out, info);
        if (model->surface_count == 0)
            print(out, "meshes", "none: the clips are for models with these joints");
        else if (model_uses(model, MATERIAL_SKIN))
            print_skins(out, info, is_verbose);
        else
            print_meshes(out, info, is_verbose);
        for (uint32_t i = 0; i < model->skin_count && !model_uses(model, MATERIAL_SKIN); i++)
            print(out, i ? "" : "skins", "%s", named(model->skins[i]));
        if (model->joint_count) {
            print(out, "joints", "%u", model->joint_count);
            print_joints_below(out, model, -1, 0);
        }
        SCOPED_BY(buffer_release) struct buffer tags = {0};
        for (uint32_t i = 0; i < model->tags.tag_count; i++)
            buffer_printf(&tags, "%s%s", i ? ", " : "", named(model->tags.items[i].name));
        if (tags.text)
            print(out, "tags", "%s", tags.text);
        if (model->clip_count)
            print_clips(out, info);
    }
    char where[64];
    snprintf(where, sizeof where, "over all %u keyframes", info->keyframe_count);
    if (info->first.is_known)
        print_bounds(out, "bounds", &info->first, info->is_first_bind_pose ? "in the bind pose" : "in frame 0");
    else
        print(out, "bounds", "none, nothing is drawn");
    if (info->first.is_known && info->all.is_known)
        print_bounds(out, "", &info->all, where);
    print_list(out, "plays on", &info->match, 0);
    print_list(out, "beside it", &info->animation_files, 0);
    print_list(out, "oddities", &info->file.model->oddities, info->first_oddity);
    print_list(out, "warnings", &info->file.warnings, 0);
}
