#include "cli/info.h"
#include "model/root_motion.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/sandbox_args.h"
#include "format/formats.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "all files are shown"},
    {"2", "wrong options, or a file that cannot be read, or not within --timeout (the others are shown)"},
    {"5", "the result cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct info_args {
    struct strings roots, names;
    bool is_json, wants_formats, is_verbose;
    enum via via;
    enum sandbox_mode sandbox;
    double timeout_s;
};

static const struct arg options[] = {
    {ARG_ASSETS(struct info_args, roots)},
    {"formats", 0, NULL, "list the formats of models instead: what of them is read, and by which reader",
     ARG_FLAG(struct info_args, wants_formats)},
    {ARG_JSON(struct info_args, is_json)},
    {ARG_VIA(struct info_args, via)},
    {ARG_SANDBOX(struct info_args, sandbox)},
    {"timeout", 0, "SEC", "give up a file after SEC, in the sandbox (default 60; 0: no limit)",
     ARG_NUMBER(struct info_args, timeout_s, 0, 86400)},
    {"verbose", 'v', NULL, "print how each texture was found, and each note of assimp, not their number alone",
     ARG_FLAG(struct info_args, is_verbose)},
    {0},
};

/* -- JSON -------------------------------------------------------------------------------------------------- */

static json_t *vector(const vec3 v)
{
    return json_pack("[fff]", (double)v[0], (double)v[1], (double)v[2]);
}

static json_t *json_of_bounds(const struct info_bounds *bounds)
{
    if (!bounds->is_known)
        return json_null();
    return json_pack("{s:o, s:o}", "max", vector(bounds->most), "min", vector(bounds->least));
}

static json_t *json_of_clip(const struct model *model, const struct clip *clip)
{
    return json_pack("{s:b, s:i, s:i, s:i, s:b, s:o, s:f, s:f, s:f, s:f, s:o}", "closes", (int)clip->closes,
                     "first_frame", (int)clip->first_frame, "frame_count", (int)clip->frame_count, "last_frame",
                     (int)(clip->first_frame + clip->frame_count - 1), "loops", !clip_plays_once(clip), "name",
                     text_or_null(clip->name), "rate_hz", (double)clip->rate_hz, "seconds_looped",
                     clip_duration_s(clip, true), "seconds_once", clip_duration_s(clip, false), "travel",
                     hypot((double)clip->travel[0], (double)clip->travel[1]), "travels_by",
                     text_or_null(clip_travels(clip) ? model->joints[clip->root].name : NULL));
}

static json_t *alpha_test_of(float alpha_test)
{
    return alpha_test < 0 ? json_null() : json_real((double)alpha_test);
}

static json_t *stages_of(const struct look *material)
{
    json_t *array = json_array();
    for (size_t i = 0; i < material->layer_count; i++) {
        const struct look_layer *stage = &material->layers[i];
        const float *color = stage->color;
        json_array_append_new(
            array,
            json_pack("{s:o, s:[ss], s:[ffff], s:o, s:o}", "alpha_test", alpha_test_of(stage->alpha_test), "blend",
                      blend_factor_names[stage->source], blend_factor_names[stage->destination], "color",
                      (double)color[0], (double)color[1], (double)color[2], (double)color[3], "image",
                      text_or_null(stage->image.program), "mask", text_or_null(stage->mask.program)));
    }
    return array;
}

static json_t *program_of(const struct look *material, enum picture_kind picture)
{
    return text_or_null(material->pictures[picture].program);
}

static json_t *json_of_own(const struct look *material)
{
    const struct model_material *said = material->own;
    static const char *const modes[] = {[ALPHA_OPAQUE] = "opaque", [ALPHA_MASK] = "mask", [ALPHA_BLEND] = "blend"};
    const float *color = said->base_color_factor, *emissive = said->emissive_factor;
    return json_pack("{s:s, s:[ffff], s:[fff], s:o, s:f, s:o, s:f, s:o, s:b, s:b}", "alpha_mode",
                     modes[said->alpha_mode], "color", (double)color[0], (double)color[1], (double)color[2],
                     (double)color[3], "emission", (double)emissive[0], (double)emissive[1], (double)emissive[2],
                     "emission_picture", program_of(material, PICTURE_EMISSIVE), "metallic",
                     (double)said->metallic, "occlusion_picture", program_of(material, PICTURE_OCCLUSION),
                     "roughness", (double)said->roughness, "roughness_picture",
                     program_of(material, PICTURE_METALLIC_ROUGHNESS), "specular_glossiness",
                     (int)said->is_specular_glossiness, "unlit", (int)said->is_unlit);
}

static json_t *json_of_material(const struct look *material)
{
    return json_pack("{s:b, s:o, s:b, s:o, s:o, s:b, s:o, s:o, s:o*, s:o, s:o, s:b, s:o, s:b, s:o}", "adds_light",
                     (int)material->adds_light, "alpha_test", alpha_test_of(material->alpha_test), "back_sided",
                     (int)material->back_sided, "declared", text_or_null(material->declared), "diffuse",
                     program_of(material, PICTURE_DIFFUSE), "guessed", material->guess != GUESS_NONE, "name",
                     text_or_null(material->name), "normal", program_of(material, PICTURE_NORMAL), "own",
                     material->own ? json_of_own(material) : NULL, "specular",
                     program_of(material, PICTURE_SPECULAR), "stages", stages_of(material), "stages_only",
                     (int)material->layers_only, "tried",
                     json_texts(&material->pictures[PICTURE_DIFFUSE].tried, 0), "two_sided",
                     (int)material->two_sided, "warnings", json_texts(&material->warnings, 0));
}

/* The facts that a model has and an animation has not. */
static json_t *json_of_model(const struct info *info)
{
    const struct model *model = info->file.model;
    json_t *joints = json_array(), *skins = json_array(), *surfaces = json_array(), *tags = json_array();
    for (uint32_t i = 0; i < model->joint_count; i++)
        json_array_append_new(joints, json_pack("{s:o, s:i}", "name", text_or_null(model->joints[i].name),
                                                "parent", (int)model->joints[i].parent));
    for (uint32_t i = 0; i < model->skin_count; i++)
        json_array_append_new(skins, json_of_material(&info->skins[i]));
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        json_array_append_new(surfaces,
                              json_pack("{s:o, s:o, s:o, s:i, s:i}", "material",
                                        json_of_material(&info->materials[i]), "name", text_or_null(surface->name),
                                        "shader", text_or_null(surface->material.name), "triangles",
                                        (int)(surface->index_count / 3), "vertices", (int)info->vertex_counts[i]));
    }
    for (uint32_t i = 0; i < model->tags.tag_count; i++)
        json_array_append_new(tags, text_or_null(model->tags.items[i].name));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "animation_files",
                     json_texts(&info->animation_files, 0), "clips_from",
                     text_or_null(info->file.companions[COMPANION_CLIPS]), "gl_triangles",
                     info->knows_gl_commands ? json_integer(info->gl_triangle_count) : json_null(), "joints",
                     joints, "normals_from", text_or_null(info->file.companions[COMPANION_NORMALS]), "skins",
                     skins, "surfaces", surfaces, "tags", tags);
}

static json_t *json_of_info(const struct info *info)
{
    const struct model *model = info->file.model;
    json_t *clips = json_array();
    for (uint32_t i = info->is_animation ? model->clip_count - 1 : 0; i < model->clip_count; i++)
        json_array_append_new(clips, json_of_clip(model, &model->clips[i]));
    json_t *bounds = json_pack(
        "{s:o, s:o, s:s}", "all", json_of_bounds(info->all.is_known ? &info->all : &info->first), "first",
        json_of_bounds(&info->first), "first_pose", info->is_first_bind_pose ? "bind" : "frame 0");
    json_t *counts =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "clips", (int)model->clip_count, "frames",
                  (int)info->keyframe_count, "joints", (int)model->joint_count, "points", (int)model->point_count,
                  "skins", (int)model->skin_count, "surfaces", (int)model->surface_count, "triangles",
                  (int)(model->index_count / 3), "vertices", (int)model->vertex_count);
    json_t *object =
        info->is_animation ? json_pack("{s:o}", "mesh", text_or_null(info->mesh)) : json_of_model(info);
    if (info->match.count > 0)
        json_object_set_new(object, "match", json_texts(&info->match, 0));
    json_object_update_new(object,
                           json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "bounds", bounds, "clips", clips,
                                     "counts", counts, "file", text_or_null(info->name), "format", info->format,
                                     "oddities", json_texts(&model->oddities, info->first_oddity), "warnings",
                                     json_texts(&info->file.warnings, 0)));
    return object;
}

/* -- The command ------------------------------------------------------------------------------------------- */

/* Puts in place of each pattern the files of --assets that match it. */
static int find_names(struct info_args *args, struct error *err)
{
    struct strings names = {0};
    struct assets *assets;
    if (assets_open((const char *const *)args->roots.items, args->roots.count, &assets, err) < 0)
        return -1;
    int result = 0;
    for (size_t i = 0; i < args->names.count && result == 0; i++) {
        const char *name = args->names.items[i];
        size_t before = names.count;
        if (!assets_find(assets, name) && glob_is_pattern(name))
            result = assets_glob(assets, name, &names, err);
        if (names.count == before) { /* a name, or a pattern without a match, which is reported as no such file */
            const char *found = model_find_file(assets, name);
            strings_add(&names, found && !assets_find(assets, name) ? found : name);
        }
    }
    assets_close(assets);
    strings_release(&args->names);
    args->names = names;
    return result;
}

/* The task of a process that reads a file. */
struct file_task {
    const struct info_args *args;
    const struct info_files *files;
    const char *name;
};

/* In the sandbox. *out is what JSON shows, or {"text": TEXT}, or {"error": WHY}; of a model with joints also its format. */
static int read_file(void *context, struct blob *out)
{
    const struct file_task *task = context;
    SCOPED_BY(buffer_release) struct buffer text = {0};
    struct info info = {0};
    struct error err;
    int result = info_open(task->files, task->name, &info, &err);
    if (result == 0 && !task->args->is_json)
        info_print(&info, task->args->is_verbose, &text);
    json_auto_t *said = result < 0  ? json_pack("{s:o}", "error", text_value(err.text))
                        : text.text ? json_pack("{s:o}", "text", text_value(text.text))
                                    : json_of_info(&info);
    const struct model *model = info.file.model;
    if (model && !info.is_animation && model->joint_count > 0 && model->surface_count > 0)
        json_object_set_new(said, "mesh_format", json_string(model->format->name));
    char *dumped = json_dumps(said, JSON_COMPACT | JSON_REAL_PRECISION(17)); /* exact */
    *out = (struct blob){(uint8_t *)dumped, dumped ? strlen(dumped) : 0};
    info_release(&info);
    return EXIT_DONE;
}

/* Shows what a process said of a file, which may have taken it over; or adds it to `all`, if not NULL. */
static void show(struct info_files *files, const char *name, json_t *said, json_t *all)
{
    const char *why = json_string_value(json_object_get(said, "error"));
    const char *text = json_string_value(json_object_get(said, "text"));
    const char *mesh = json_string_value(json_object_get(said, "mesh_format"));
    for (size_t k = 0; mesh && model_formats[k]; k++)
        if (!strcmp(model_formats[k]->name, mesh)) {
            strings_add(&files->meshes, name);
            files->mesh_format = model_formats[k];
        }
    if (why)
        cli_complain("%s", why);
    else if (text && !all)
        printf("%s%s", files->is_shown ? "\n" : "", text);
    files->is_shown |= !why;
    json_object_set_new(said, "file", text_value(name));
    json_object_del(said, "mesh_format");
    json_array_append(all, said);
}

/* Each file in a process of its own, which may die of it. Returns the exit code. */
static int show_files(const struct info_args *args, const struct sandbox_rules *rules)
{
    enum { MOST_SAID = 64 << 20 }; /* a hostile process may say anything */
    struct info_files files = {
        .roots = &args->roots, .via = args->via, .is_verbose = args->is_verbose, .count = args->names.count};
    json_t *all = args->is_json ? json_array() : NULL;
    struct error err;
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < args->names.count; i++) {
        struct file_task task = {args, &files, args->names.items[i]};
        SCOPED_BY(blob_release) struct blob told = {0};
        error_set(&err, "the process that read it said nothing");
        sandbox_run(rules, args->timeout_s, read_file, &task, &told, &err);
        error_add(&err, "%s", task.name);
        json_auto_t *said = told.size > MOST_SAID ? NULL : json_loadb((const char *)told.data, told.size, 0, NULL);
        if (!json_is_object(said)) {
            json_decref(said);
            said = json_pack("{s:o}", "error", text_value(err.text));
        }
        exit_code = json_object_get(said, "error") ? EXIT_USAGE : exit_code;
        show(&files, task.name, said, all);
    }
    const size_t exact = JSON_REAL_PRECISION(9); /* reads back as the same float */
    if (all && json_print(json_pack("{s:o}", "files", all), JSON_INDENT(2) | exact, &err) < 0)
        exit_code = cli_fail(&err, EXIT_BROKEN);
    strings_release(&files.meshes);
    return exit_code;
}

/* Finds the files, and shows them. Returns the exit code. */
static int find_and_show(struct info_args *args)
{
    SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = args->sandbox};
    struct error err;
    int exit_code = sandbox_args_check(args->sandbox, args->is_verbose);
    for (size_t i = 0; i < args->names.count; i++)
        model_place_add_roots(args->names.items[i], &args->roots, &rules.read);
    if (exit_code < 0 && args->roots.count && find_names(args, &err) < 0)
        exit_code = cli_fail(&err, EXIT_USAGE);
    if (exit_code < 0)
        exit_code = show_files(args, &rules);
    return exit_code;
}

/* -- Formats ----------------------------------------------------------------------------------------------- */

/* One of our own, or those of assimp for a suffix: with the suffixes of models, and of animations as the second. */
static json_t *json_of_format(const struct model_format *format, const struct model_suffix *of_assimp)
{
    const struct animation_format *animations = format->animation_format;
    const struct model_suffix *suffix = of_assimp ? of_assimp : format->suffixes;
    json_t *suffixes = json_pack("[s]", format->in_folder ? format->in_folder : suffix->text);
    if (animations && strcmp(animations->suffix, suffix->text))
        json_array_append_new(suffixes, json_string(animations->suffix));
    while (!of_assimp && (++suffix)->text)
        json_array_append_new(suffixes, json_string(suffix->text));
    return json_pack("{s:s, s:o, s:s, s:o}", "name", of_assimp ? of_assimp->format : format->name, "reads",
                     text_or_null(format->reads), "reader", format->reads ? "sheetbake" : "assimp", "suffixes",
                     suffixes);
}

static void print_formats(const json_t *formats)
{
    enum { MOST_COLUMNS = 80 };
    size_t i, k, column = 0;
    json_t *format, *suffix;
    json_array_foreach(formats, i, format)
    {
        const char *name = json_string_value(json_object_get(format, "name"));
        const char *reads = json_string_value(json_object_get(format, "reads"));
        SCOPED_BY(buffer_release) struct buffer suffixes = {0};
        json_array_foreach(json_object_get(format, "suffixes"), k, suffix)
            buffer_printf(&suffixes, "%s%s", k ? " " : "", json_string_value(suffix));
        if (reads) {
            printf("%-17s %-18s %s\n", name, suffixes.text, reads);
        } else {
            if (column == 0)
                printf("\nThrough assimp, by the suffix (doctor says whether the library is there):\n");
            size_t width = suffixes.length + strlen(name) + strlen("  ()");
            if (column + width > MOST_COLUMNS)
                column = (size_t)(putchar('\n') - '\n');
            column += (size_t)printf("%s%s (%s)", column ? "  " : "", suffixes.text, name);
        }
    }
    putchar('\n');
}

static int show_formats(bool is_json)
{
    struct error err;
    json_t *array = json_array();
    for (size_t i = 0; model_formats[i]; i++)
        if (model_formats[i]->reads)
            json_array_append_new(array, json_of_format(model_formats[i], NULL));
    for (const struct model_suffix *suffix = assimp_format.suffixes; suffix->text; suffix++)
        json_array_append_new(array, json_of_format(&assimp_format, suffix));
    if (is_json)
        return json_print(json_pack("{s:o}", "formats", array), JSON_INDENT(2), &err) < 0
                   ? cli_fail(&err, EXIT_BROKEN)
                   : EXIT_DONE;
    print_formats(array);
    json_decref(array);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct info_args args = {.sandbox = SANDBOX_OF_COMMANDS, .timeout_s = 60};
    int exit_code = args_read(&info_command, argc, argv, &args);
    for (int i = optind; exit_code < 0 && i < argc; i++)
        strings_add(&args.names, argv[i]);
    if (exit_code < 0 && !args.wants_formats && !args.names.count)
        exit_code = cli_usage_error(&info_command, "no file given");
    if (exit_code < 0 && args.wants_formats && args.names.count)
        exit_code =
            cli_usage_error(&info_command, "--formats takes no file, but '%s' is given", args.names.items[0]);
    if (exit_code < 0)
        exit_code = args.wants_formats ? show_formats(args.is_json) : find_and_show(&args);
    strings_release(&args.roots);
    strings_release(&args.names);
    return exit_code;
}

const struct command info_command = {
    .name = "info",
    .summary = "show what is in models and animations",
    .operands = {"FILE...", "file", 0, INT_MAX},
    .about = "Shows what is in models and animations: geometry, joints, clips, bounds, the file that each skin "
             "and shader resolves to, and what is odd about the file.",
    .options = options,
    .notes = "An animation is shown on a mesh named before it, or on the first .md5mesh beside it that fits. Of a "
             "file without a mesh the joints and clips are listed. Without --assets, skins are looked for in the "
             "folder that holds the 'models' folder of the file's path, or else in the file's own folder. With "
             "--assets, FILE may be a pattern such as 'models/**/*.md2'.\n"
             "The JSON is {\"files\": [...]}, with an object for each file; docs/formats.md lists its fields.",
    .exits = exits,
    .run = run,
};
