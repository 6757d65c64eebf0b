#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "cli/info.h"
#include "model/root_motion.h"

/* Labels stand in a column, what they say begins after it. */
enum { LABEL_WIDTH = 12 };

struct printer {
    FILE *out;
    struct arena arena;
};

/* A name out of a file, with nothing in it that a terminal would obey. */
static const char *printable(struct printer *printer, const char *text)
{
    char *copy = arena_strdup(&printer->arena, text);
    printable_mask(copy);
    return *copy ? copy : "\"\"";
}

static void print_label(struct printer *printer, const char *label)
{
    fprintf(printer->out, "  %-*s", LABEL_WIDTH, label);
}

/* A line that goes on under the one of a label. */
static void indent(struct printer *printer)
{
    fprintf(printer->out, "  %*s", LABEL_WIDTH, "");
}

static int wider(int width, int other)
{
    return width > other ? width : other;
}

static int digits_of(uint32_t number)
{
    return snprintf(NULL, 0, "%" PRIu32, number);
}

/* -- Geometry ---------------------------------------------------------------------------------------------- */

static void print_count(struct printer *printer, uint32_t count, const char *one, const char *many)
{
    fprintf(printer->out, "%u %s", count, count == 1 ? one : many);
}

static void print_geometry(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    print_label(printer, "geometry");
    print_count(printer, model->point_count, "point, ", "points, ");
    print_count(printer, model->vertex_count, "vertex, ", "vertices, ");
    print_count(printer, model->index_count / 3, "triangle, ", "triangles, ");
    print_count(printer, model->surface_count, "mesh\n", "meshes\n");
    if (info->file.companions[COMPANION_NORMALS]) {
        print_label(printer, "normals");
        fprintf(printer->out, "from %s\n", printable(printer, info->file.companions[COMPANION_NORMALS]));
    }
    if (info->keyframe_count) {
        print_label(printer, "frames");
        fprintf(printer->out, "%u\n", info->keyframe_count);
    }
    if (!info->knows_gl_commands)
        return;
    print_label(printer, "GL commands");
    if (info->gl_triangle_count)
        print_count(printer, info->gl_triangle_count, "triangle\n", "triangles\n");
    else
        fputs("none that could be drawn\n", printer->out);
}

static void print_box(struct printer *printer, const struct info_bounds *bounds)
{
    const float *a = bounds->least, *b = bounds->most;
    fprintf(printer->out, "(%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)", a[0], a[1], a[2], b[0], b[1], b[2]);
}

static void print_bounds(struct printer *printer, const struct info *info)
{
    print_label(printer, "bounds");
    if (!info->first.is_known) {
        fputs("none, nothing is drawn\n", printer->out);
        return;
    }
    print_box(printer, &info->first);
    fprintf(printer->out, " in %s\n", info->is_first_bind_pose ? "the bind pose" : "frame 0");
    if (!info->all.is_known)
        return;
    indent(printer);
    print_box(printer, &info->all);
    fprintf(printer->out, " over all %u keyframes\n", info->keyframe_count);
}

/* -- Materials --------------------------------------------------------------------------------------------- */

static void print_picture(struct printer *printer, const struct material *material)
{
    if (material->diffuse)
        fprintf(printer->out, "%s%s\n", printable(printer, material->diffuse),
                material->guessed ? " (by a guess)" : "");
    else if (material->stages_only)
        fputs(material->stage_count ? "none, only blended stages\n" : "none, invisible\n", printer->out);
    else if (material->tried.count)
        fprintf(printer->out, "no picture (%zu places tried)\n", material->tried.count);
    else
        fputs("no picture\n", printer->out);
}

static void print_skins(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    int width = 0;
    for (uint32_t i = 0; i < model->skin_count; i++)
        width = wider(width, (int)strlen(printable(printer, model->skins[i])));
    print_label(printer, "skins");
    if (model->skin_count == 0)
        fputs("none named\n", printer->out);
    for (uint32_t i = 0; i < model->skin_count; i++) {
        if (i > 0)
            indent(printer);
        fprintf(printer->out, "%-*s  ", width, printable(printer, model->skins[i]));
        print_picture(printer, &info->skins[i]);
    }
}

/* What an MD2 is drawn with: all its surfaces share it. */
static void print_texture(struct printer *printer, const struct info *info)
{
    print_label(printer, "texture");
    print_picture(printer, &info->materials[0]);
}

static void print_map(struct printer *printer, const char *label, const char *path)
{
    if (!path)
        return;
    indent(printer);
    fprintf(printer->out, "  %-9s %s\n", label, printable(printer, path));
}

static void print_stage(struct printer *printer, const struct material_stage *stage)
{
    indent(printer);
    fprintf(printer->out, "  %-9s %s (%s, %s)\n", "stage", printable(printer, stage->image),
            blend_factor_names[stage->source], blend_factor_names[stage->destination]);
    if (stage->mask) {
        indent(printer);
        fprintf(printer->out, "  %-9s %s\n", "  mask", printable(printer, stage->mask));
    }
}

static void print_declaration(struct printer *printer, const struct material *material)
{
    if (material->declared) {
        indent(printer);
        fprintf(printer->out, "  %-9s %s", "declared", printable(printer, material->declared));
        if (material->two_sided)
            fputs(", two-sided", printer->out);
        if (material->back_sided)
            fputs(", back-sided", printer->out);
        if (material->adds_light)
            fputs(", adds its light to what is behind", printer->out);
        if (material->alpha_test >= 0)
            fprintf(printer->out, ", alpha test %g", material->alpha_test);
        fputc('\n', printer->out);
    }
    for (size_t i = 0; i < material->warnings.count; i++) {
        indent(printer);
        fprintf(printer->out, "  %-9s %s\n", "warning", printable(printer, material->warnings.items[i]));
    }
}

static void print_mesh_material(struct printer *printer, const struct material *material)
{
    indent(printer);
    fprintf(printer->out, "  %-9s ", "diffuse");
    print_picture(printer, material);
    print_map(printer, "normal", material->normal);
    print_map(printer, "specular", material->specular);
    for (size_t i = 0; i < material->stage_count; i++)
        print_stage(printer, &material->stages[i]);
    print_declaration(printer, material);
}

static void print_meshes(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    int width = 4;
    for (uint32_t i = 0; i < model->surface_count; i++)
        width = wider(width, (int)strlen(printable(printer, model->surfaces[i].name)));
    print_label(printer, "meshes");
    fprintf(printer->out, "%-*s  vertices  triangles  shader\n", width, "name");
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        indent(printer);
        fprintf(printer->out, "%-*s  %8u  %9u  %s\n", width, printable(printer, surface->name),
                info->vertex_counts[i], surface->index_count / 3,
                surface->material.name ? printable(printer, surface->material.name) : "the skin");
        if (surface->material.name)
            print_mesh_material(printer, &info->materials[i]);
    }
}

/* -- Joints ------------------------------------------------------------------------------------------------ */

/* Children of each joint as a linked list in file order. A file may nest joints as deep as it is long, so the tree
 * is walked without recursion, and indented only so far. */
struct tree {
    int32_t *first_child, *next_sibling; /* -1: none */
    int32_t first_root;
};

static void tree_init(struct tree *tree, const struct model *model)
{
    *tree = (struct tree){
        .first_child = must_alloc(model->joint_count, sizeof *tree->first_child),
        .next_sibling = must_alloc(model->joint_count, sizeof *tree->next_sibling),
        .first_root = -1,
    };
    for (int32_t i = (int32_t)model->joint_count; i-- > 0;)
        tree->first_child[i] = -1;
    for (int32_t i = (int32_t)model->joint_count; i-- > 0;) {
        int32_t parent = model->joints[i].parent;
        int32_t *head = parent < 0 ? &tree->first_root : &tree->first_child[parent];
        tree->next_sibling[i] = *head;
        *head = i;
    }
}

static void tree_release(struct tree *tree)
{
    free(tree->first_child);
    free(tree->next_sibling);
}

/* The joint after this one, top down; *depth follows. */
static int32_t tree_next(const struct tree *tree, const struct model *model, int32_t joint, uint32_t *depth)
{
    if (tree->first_child[joint] >= 0) {
        ++*depth;
        return tree->first_child[joint];
    }
    while (joint >= 0 && tree->next_sibling[joint] < 0) {
        joint = model->joints[joint].parent;
        --*depth;
    }
    return joint < 0 ? -1 : tree->next_sibling[joint];
}

static void print_joints(struct printer *printer, const struct model *model)
{
    enum { DEEPEST = 40 };
    struct tree tree;
    uint32_t depth = 0;
    tree_init(&tree, model);
    print_label(printer, "joints");
    fprintf(printer->out, "%u\n", model->joint_count);
    for (int32_t i = tree.first_root; i >= 0; i = tree_next(&tree, model, i, &depth)) {
        indent(printer);
        fprintf(printer->out, "%*s%s\n", (int)(depth < DEEPEST ? depth : DEEPEST) * 2, "",
                printable(printer, model->joints[i].name));
    }
    tree_release(&tree);
}

static void print_tags(struct printer *printer, const struct tags *tags)
{
    print_label(printer, "tags");
    for (uint32_t i = 0; i < tags->tag_count; i++)
        fprintf(printer->out, "%s%s", i ? ", " : "", printable(printer, tags->items[i].name));
    putc('\n', printer->out);
}

/* -- Clips ------------------------------------------------------------------------------------------------- */

struct clip_widths {
    int name, first, last, count;
};

static struct clip_widths measure_clips(struct printer *printer, const struct model *model)
{
    struct clip_widths widths = {.name = 4, .first = 3, .last = 2, .count = 5};
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        widths.name = wider(widths.name, (int)strlen(printable(printer, clip->name)));
        widths.first = wider(widths.first, digits_of(clip->first_frame));
        widths.last = wider(widths.last, digits_of(clip->first_frame + clip->frame_count - 1));
        widths.count = wider(widths.count, digits_of(clip->frame_count));
    }
    return widths;
}

static void print_clip(struct printer *printer, const struct clip *clip, const struct clip_widths *widths)
{
    indent(printer);
    fprintf(printer->out, "%-*s  %*u-%-*u  %*u  %5.6g  %7.2f\n", widths->name, printable(printer, clip->name),
            widths->first, clip->first_frame, widths->last, clip->first_frame + clip->frame_count - 1,
            widths->count, clip->frame_count, clip->rate_hz, clip_duration_s(clip, true));
}

/* The seconds are those of a loop, in which the last keyframe blends into the first. */
static void print_clips(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    struct clip_widths widths = measure_clips(printer, model);
    print_label(printer, "clips");
    fprintf(printer->out, "%-*s  %*s  %*s     Hz  seconds", widths.name, "name", widths.first + 1 + widths.last,
            "frames", widths.count, "count");
    if (info->file.companions[COMPANION_CLIPS])
        fprintf(printer->out, "  (from %s)", printable(printer, info->file.companions[COMPANION_CLIPS]));
    putc('\n', printer->out);
    for (uint32_t i = 0; i < model->clip_count; i++)
        print_clip(printer, &model->clips[i], &widths);
}

/* -- A file ------------------------------------------------------------------------------------------------ */

static void print_list(struct printer *printer, const char *label, const struct strings *lines, size_t first)
{
    for (size_t i = first; i < lines->count; i++) {
        if (i == first)
            print_label(printer, label);
        else
            indent(printer);
        fprintf(printer->out, "%s\n", printable(printer, lines->items[i]));
    }
}

static void print_animation(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    const struct animation *animation = &model->animations[model->animation_count - 1];
    const struct clip *clip = &model->clips[model->clip_count - 1];
    print_label(printer, "frames");
    fprintf(printer->out, "%u at %.6g Hz, %.2f seconds\n", animation->frame_count, animation->rate_hz,
            clip_duration_s(clip, true));
    print_label(printer, "loop");
    fprintf(printer->out, "%s\n",
            clip->closes ? "closed: the last frame repeats the first"
                         : "open: the last frame blends into the first");
    if (clip_travels(clip)) {
        print_label(printer, "travel");
        fprintf(printer->out, "%.6g units\n", hypot((double)clip->travel[0], (double)clip->travel[1]));
    }
    print_label(printer, "joints");
    fprintf(printer->out, "%u\n", model->joint_count);
    print_label(printer, "mesh");
    fprintf(printer->out, "%s (%s)\n", printable(printer, info->mesh),
            info->is_mesh_named ? "named before it" : "the first beside it that fits");
}

static void print_model(struct printer *printer, const struct info *info)
{
    const struct model *model = info->file.model;
    print_geometry(printer, info);
    if (model_uses(model, MATERIAL_SKIN)) {
        print_skins(printer, info);
        print_texture(printer, info);
    } else {
        print_meshes(printer, info);
    }
    if (model->joint_count)
        print_joints(printer, model);
    if (info->file.model->tags.tag_count)
        print_tags(printer, &info->file.model->tags);
    if (model->clip_count)
        print_clips(printer, info);
}

void info_print(const struct info *info, FILE *out)
{
    struct printer printer = {.out = out};
    fprintf(out, "%s\n", printable(&printer, info->name));
    print_label(&printer, "format");
    fprintf(out, "%s\n", info->format);
    if (info->is_animation)
        print_animation(&printer, info);
    else
        print_model(&printer, info);
    print_bounds(&printer, info);
    print_list(&printer, "beside it", &info->animation_files, 0);
    print_list(&printer, "oddities", &info->file.model->oddities, info->first_oddity);
    print_list(&printer, "warnings", &info->file.warnings, 0);
    arena_release(&printer.arena);
}
