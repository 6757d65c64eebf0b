#include "cli/info.h"
#include "model/root_motion.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "cli/args.h"
#include "cli/sandbox_args.h"
#include "format/formats.h"
#include "os/child.h"
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

static json_t *stages_of(const struct material *material)
{
    json_t *array = json_array();
    for (size_t i = 0; i < material->stage_count; i++) {
        const struct material_stage *stage = &material->stages[i];
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

static json_t *program_of(const struct material *material, enum picture_kind picture)
{
    return text_or_null(material->pictures[picture].program);
}

static json_t *json_of_own(const struct material *material)
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

static json_t *json_of_material(const struct material *material)
{
    return json_pack("{s:b, s:o, s:b, s:o, s:o, s:b, s:o, s:o, s:o*, s:o, s:o, s:b, s:o, s:b, s:o}", "adds_light",
                     (int)material->adds_light, "alpha_test", alpha_test_of(material->alpha_test), "back_sided",
                     (int)material->back_sided, "declared", text_or_null(material->declared), "diffuse",
                     program_of(material, PICTURE_DIFFUSE), "guessed", material->guess != GUESS_NONE, "name",
                     text_or_null(material->name), "normal", program_of(material, PICTURE_NORMAL), "own",
                     material->own ? json_of_own(material) : NULL, "specular",
                     program_of(material, PICTURE_SPECULAR), "stages", stages_of(material), "stages_only",
                     (int)material->stages_only, "tried",
                     json_texts(&material->pictures[PICTURE_DIFFUSE].tried, 0), "two_sided",
                     (int)material->two_sided, "warnings", json_texts(&material->warnings, 0));
}

/* What a model has and an animation has not. */
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

/* Opens the tree of --assets, and puts in place of each pattern the files that match it. */
static int open_assets(struct info_args *args, struct info_files *files, struct error *err)
{
    struct strings names = {0};
    if (assets_open((const char *const *)args->roots.items, args->roots.count, &files->assets, err) < 0)
        return -1;
    for (size_t i = 0; i < args->names.count; i++) {
        const char *name = args->names.items[i];
        size_t before = names.count;
        if (!assets_find(files->assets, name) && glob_is_pattern(name) &&
            assets_glob(files->assets, name, &names, err) < 0) {
            strings_release(&names);
            return -1;
        }
        if (names.count == before) { /* a name, or a pattern without a match, which is reported as no such file */
            const char *found = model_find_file(files->assets, name);
            strings_add(&names, found && !assets_find(files->assets, name) ? found : name);
        }
    }
    strings_release(&args->names);
    args->names = names;
    return 0;
}

/* An object as it stands in the list of files, of which it is number `i`. Uses it up. */
static void print_object(json_t *object, size_t i)
{
    const size_t exact = JSON_REAL_PRECISION(9); /* reads back as the same float */
    char *text = json_dumps(object, JSON_INDENT(2) | exact | JSON_SORT_KEYS);
    json_decref(object);
    printf("%s", i > 0 ? "," : "{\n  \"files\": [");
    for (const char *line = text ? text : "null", *end; line; line = *end ? end + 1 : NULL) {
        end = line + strcspn(line, "\n");
        printf("\n    %.*s", (int)(end - line), line);
    }
    free(text);
}

static void print_failure(const struct info_args *args, size_t i, const char *name, const char *why)
{
    cli_complain("%s", why);
    if (args->is_json)
        print_object(json_pack("{s:o, s:o}", "error", text_value(why), "file", text_value(name)), i);
}

/* From number `first` on. Before each is read, its name goes to an open file (-1: none). */
static int show_files(const struct info_args *args, struct info_files *files, size_t first, int names)
{
    int exit_code = EXIT_DONE;
    bool is_first = first == 0;
    struct error err;
    files->count = args->names.count;
    for (size_t i = first; i < args->names.count; i++) {
        const char *name = args->names.items[i];
        struct info info;
        fflush(stdout); /* in case this process dies of the file */
        file_write(names, (struct bytes){(const uint8_t *)name, strlen(name) + 1});
        if (info_open(files, name, &info, &err) < 0) {
            print_failure(args, i, name, err.text);
            exit_code = EXIT_USAGE;
            continue;
        }
        if (args->is_json) {
            print_object(json_of_info(&info), i);
        } else {
            if (!is_first)
                putchar('\n');
            is_first = false;
            info_print(&info, args->is_verbose);
        }
        info_release(&info);
    }
    if (args->is_json)
        puts("\n  ]\n}");
    return exit_code;
}

/* How many names a process wrote, and the last of them. */
static size_t count_names(const struct blob *names, const char **last)
{
    size_t count = 0;
    for (size_t i = 0, start = 0; i < names->size; i++)
        if (names->data[i] == '\0') {
            *last = (const char *)names->data + start;
            start = i + 1;
            count++;
        }
    return count;
}

/* Returns -1 in a confined process, which goes on with the files from number *first on. Where it dies, the one that it had
 * has failed, and another takes its place, without the models that were read before. In the first process, returns the exit
 * code. */
static int enter(const struct info_args *args, const struct sandbox_rules *rules, size_t *first, int *names)
{
    int exit_code = sandbox_args_check(args->sandbox, args->is_verbose);
    if (exit_code >= 0 || args->sandbox == SANDBOX_OFF)
        return exit_code;
    for (int worst = EXIT_DONE;; worst = EXIT_USAGE) {
        struct blob begun = {0};
        struct error err;
        const char *name = "--assets";
        exit_code = sandbox_args_fork(rules, args->timeout_s, args->names.count, names, &begun, &err);
        if (exit_code == CHILD_IS_THIS)
            return -1;
        size_t count = count_names(&begun, &name);
        *first += count;
        bool is_over = exit_code >= 0 || count == 0;
        if (exit_code == -1) {
            error_add(&err, "%s", name);
            exit_code = EXIT_USAGE;
            if (is_over)
                cli_complain("%s", err.text);
            else
                print_failure(args, *first - 1, name, err.text);
        }
        blob_release(&begun);
        if (is_over)
            return exit_code == EXIT_DONE ? worst : exit_code;
    }
}

/* -- Formats ----------------------------------------------------------------------------------------------- */

static const char *first_suffix(const struct model_format *format)
{
    return format->in_folder ? format->in_folder : format->suffixes[0].text;
}

/* Of the animations, or else of models; NULL: there is one alone. */
static const char *second_suffix(const struct model_format *format)
{
    const struct animation_format *animations = format->animation_format;
    return animations && strcmp(animations->suffix, format->suffixes[0].text) ? animations->suffix
                                                                              : format->suffixes[1].text;
}

/* Of models, after the second. */
static const struct model_suffix *more_suffixes(const struct model_format *format)
{
    return format->suffixes[1].text ? format->suffixes + 2 : format->suffixes + 1;
}

static void print_formats(void)
{
    enum { MOST_COLUMNS = 80 };
    const struct model_format *format;
    for (size_t i = 0; (format = model_formats[i]); i++) {
        if (!format->reads)
            continue;
        const char *second = second_suffix(format);
        struct buffer suffixes = {0};
        buffer_printf(&suffixes, "%s%s%s", first_suffix(format), second ? " " : "", second ? second : "");
        for (const struct model_suffix *more = more_suffixes(format); more->text; more++)
            buffer_printf(&suffixes, " %s", more->text);
        printf("%-17s %-18s %s\n", format->name, suffixes.text, format->reads);
        buffer_release(&suffixes);
    }
    printf("\nThrough assimp, by the suffix (doctor says whether the library is there):\n");
    size_t column = 0;
    for (const struct model_suffix *suffix = assimp_format.suffixes; suffix->text; suffix++) {
        size_t width = strlen(suffix->text) + strlen(suffix->format) + strlen("  ()");
        if (column + width > MOST_COLUMNS)
            column = (size_t)(putchar('\n') - '\n');
        column += (size_t)printf("%s%s (%s)", column ? "  " : "", suffix->text, suffix->format);
    }
    putchar('\n');
}

static json_t *json_of_format(const char *name, const char *suffix, const char *second,
                              const struct model_suffix *more, const char *reads)
{
    json_t *suffixes = json_pack("[s]", suffix);
    if (second)
        json_array_append_new(suffixes, json_string(second));
    for (; more && more->text; more++)
        json_array_append_new(suffixes, json_string(more->text));
    return json_pack("{s:s, s:o, s:s, s:o}", "name", name, "reads", text_or_null(reads), "reader",
                     reads ? "sheetbake" : "assimp", "suffixes", suffixes);
}

static int show_formats(bool is_json)
{
    const struct model_format *format;
    struct error err;
    if (!is_json) {
        print_formats();
        return EXIT_DONE;
    }
    json_t *array = json_array();
    for (size_t i = 0; (format = model_formats[i]); i++)
        if (format->reads)
            json_array_append_new(array, json_of_format(format->name, first_suffix(format), second_suffix(format),
                                                        more_suffixes(format), format->reads));
    for (const struct model_suffix *suffix = assimp_format.suffixes; suffix->text; suffix++)
        json_array_append_new(array, json_of_format(suffix->format, suffix->text, NULL, NULL, NULL));
    if (json_print(json_pack("{s:o}", "formats", array), JSON_INDENT(2), &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct info_args args = {.sandbox = SANDBOX_OF_COMMANDS, .timeout_s = 60};
    struct info_files files = {.roots = &args.roots};
    size_t first = 0;
    int names = -1;
    struct error err;
    int exit_code = args_read(&info_command, argc, argv, &args);
    for (int i = optind; exit_code < 0 && i < argc; i++)
        strings_add(&args.names, argv[i]);
    if (exit_code < 0 && !args.wants_formats && !args.names.count)
        exit_code = cli_usage_error(&info_command, "no file given");
    if (exit_code < 0 && args.wants_formats && args.names.count)
        exit_code =
            cli_usage_error(&info_command, "--formats takes no file, but '%s' is given", args.names.items[0]);
    if (exit_code < 0 && args.wants_formats)
        exit_code = show_formats(args.is_json);
    if (exit_code < 0) {
        struct sandbox_rules rules = {.mode = args.sandbox};
        files.via = args.via;
        files.is_verbose = args.is_verbose;
        for (size_t i = 0; i < args.names.count; i++)
            model_place_add_roots(args.names.items[i], &args.roots, &rules.read);
        exit_code = enter(&args, &rules, &first, &names);
        sandbox_rules_release(&rules);
    }
    if (exit_code < 0 && args.roots.count && open_assets(&args, &files, &err) < 0)
        exit_code = cli_fail(&err, EXIT_USAGE);
    if (exit_code < 0)
        exit_code = show_files(&args, &files, first, names);
    assets_close(files.assets);
    strings_release(&files.meshes);
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
