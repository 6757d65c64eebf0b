#include "cli/init.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "cli/args.h"
#include "cli/sandbox_args.h"
#include "format/formats.h"
#include "job/settings.h"
#include "os/resources.h"
#include "page/names.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "the list is written, or what is new to it is printed"},
    {"2", "wrong options, no models, or a list that is there and has mistakes"},
    {"5", "the list cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct init_args {
    const char *output;
    enum sandbox_mode sandbox;
    double timeout_s;
};

static const struct arg options[] = {
    {"output", 'o', "FILE", "write FILE instead of sheetbake.yaml", ARG_PATH(struct init_args, output)},
    ARG_SANDBOX(struct init_args, sandbox),
    {"timeout", 0, "SEC", "give up a file after SEC, in the sandbox (default 60; 0: no limit)",
     ARG_NUMBER(struct init_args, timeout_s, 0, 86400)},
    {0},
};

/* -- Which files ---------------------------------------------------------------------------------------------- */

/* Patterns over the assets: of the models that are named, and of all that may have clips for them. */
struct patterns {
    struct strings named, all;
};

static void add_pattern(struct strings *out, const char *folder, const char *rest)
{
    char *quoted = glob_of(folder);
    strings_printf(out, "%s%s%s", quoted, *quoted ? "/" : "", rest);
    free(quoted);
}

/* Adds the folders for clips that lie in a folder. */
static void add_clip_folders(const char *folder, struct strings *out)
{
    DIR *names = opendir(folder);
    for (struct dirent *entry; names && (entry = readdir(names));)
        if (init_is_clip_folder(entry->d_name))
            add_pattern(out, entry->d_name, "**");
    if (names)
        closedir(names);
}

/* A root of the assets is the folder that is named, or that the model is in; where folders for clips lie beside it, the one
 * above. */
static void add_operand(struct init_files *files, struct patterns *patterns, const char *operand)
{
    struct arena *arena = &files->arena;
    struct stat info;
    bool is_file = model_has_suffix(path_suffix(operand)) && stat(operand, &info) == 0 && S_ISREG(info.st_mode);
    const char *tidy = arena_take(arena, path_tidy(operand)),
               *folder = is_file ? arena_take(arena, path_folder(tidy)) : tidy;
    const char *above = arena_take(arena, path_folder(folder)), *inside = path_base(folder);
    size_t before = patterns->all.count;
    if (strcmp(inside, ".") && strcmp(inside, ".."))
        add_clip_folders(above, &patterns->all);
    bool is_beside = patterns->all.count > before;
    if (!strings_has(&files->roots, is_beside ? above : folder))
        strings_add(&files->roots, is_beside ? above : folder);
    add_pattern(&patterns->named, is_beside ? inside : "",
                is_file ? arena_take(arena, glob_of(path_base(tidy))) : "**");
    add_pattern(&patterns->all, is_beside ? inside : "", "**");
}

/* How gladly we take one of several files of one model: our own readers know more of a file than assimp does. */
static size_t rank_of(const char *path)
{
    static const char *const best[] = {".glb", ".gltf", ".md5mesh", ".iqm", ".md3",
                                       ".md2", ".mdl",  ".fbx",     ".dae"};
    size_t i = 0;
    while (i < COUNT(best) && strcasecmp(path_suffix(path), best[i]))
        i++;
    return i;
}

/* The same for FBX/orc.fbx, glTF/orc.gltf and orc.blend: the path without suffix and a folder that is called like one. */
static const char *model_of(struct arena *arena, const char *path)
{
    const char *folder = arena_take(arena, path_folder(path));
    bool is_of_suffix = model_has_suffix(arena_printf(arena, ".%s", path_base(folder)));
    if (is_of_suffix)
        folder = arena_take(arena, path_folder(folder));
    return arena_printf(arena, "%s/%s", folder, path_base_stem(arena, path));
}

/* Whether path number `i` is of a model that another is taken for. `models` are those of all paths. */
static bool has_better(const struct strings *paths, const struct strings *models, size_t i)
{
    const size_t rank = rank_of(paths->items[i]);
    for (size_t j = 0; j < paths->count; j++) {
        const size_t other = strcasecmp(models->items[i], models->items[j]) ? SIZE_MAX : rank_of(paths->items[j]);
        if (other < rank || (other == rank && j < i))
            return true;
    }
    return false;
}

/* Whether init looks at a file: a model, one that makes its folder a model, or an animation of a format of its own. */
static bool is_of_interest(struct assets *assets, const char *path)
{
    const char *suffix = path_suffix(path);
    char *folder = path_folder(path);
    bool is_whole = model_is_in_folder(path), is_part = !is_whole && model_find_file(assets, folder);
    bool is_animation = false;
    for (size_t i = 0; model_formats[i]; i++)
        is_animation |=
            model_formats[i]->animation_format && !strcasecmp(model_formats[i]->animation_format->suffix, suffix);
    free(folder);
    return is_whole || (!is_part && (is_animation || (model_has_suffix(suffix) && strcasecmp(suffix, ".cfg"))));
}

/* The paths live in `paths`. */
static int find_files(const struct patterns *patterns, struct strings *paths, struct init_files *out,
                      struct error *err)
{
    struct assets *assets;
    struct strings named = {0}, found = {0}, models = {0};
    int result = 0;
    if (assets_open((const char *const *)out->roots.items, out->roots.count, &assets, err) < 0)
        return -1;
    for (size_t i = 0; i < patterns->named.count && result == 0; i++)
        result = assets_glob(assets, patterns->named.items[i], &named, err);
    for (size_t i = 0; i < patterns->all.count && result == 0; i++)
        result = assets_glob(assets, patterns->all.items[i], &found, err);
    strings_sort(&named);
    strings_sort(&found);
    for (size_t i = 0; i < found.count; i++)
        if ((i == 0 || strcmp(found.items[i], found.items[i - 1])) && is_of_interest(assets, found.items[i]))
            strings_add(paths, found.items[i]);
    for (size_t i = 0; i < paths->count; i++)
        strings_add(&models, model_of(&out->arena, paths->items[i]));
    out->items = must_alloc(paths->count, sizeof *out->items);
    for (size_t i = 0; i < paths->count; i++)
        out->items[i] = (struct init_file){
            .path = paths->items[i],
            .is_passed_over = has_better(paths, &models, i),
            .is_clips =
                !model_has_suffix(path_suffix(paths->items[i])) || model_is_animation(assets, paths->items[i]),
            .is_model = strings_has_sorted(&named, paths->items[i]),
        };
    out->count = paths->count;
    assets_close(assets);
    strings_release(&named);
    strings_release(&found);
    strings_release(&models);
    return result;
}

/* Whether a model that does not move is called like something to hold: "axe_2handed", "weapons/club". */
static bool is_weapon(const struct init_file *file)
{
    static const char *const words[] = {"sword",  "axe",    "bow",   "shield", "staff",  "wand",
                                        "dagger", "hammer", "mace",  "spear",  "gun",    "rifle",
                                        "pistol", "knife",  "blade", "weapon", "weapons"};
    for (size_t i = 0; i < COUNT(words) && !file->hand && !file->clips.count && !file->clip_files.count; i++)
        for (const char *found = file->path; (found = strcasestr(found, words[i])); found++)
            if (ascii_lower(found[strlen(words[i])]) < 'a') /* no "bowl" */
                return true;
    return false;
}

/* -- Names ---------------------------------------------------------------------------------------------------- */

/* A text as it stands in a list: in quotes unless it cannot be taken for anything else. */
static const char *quote(struct arena *arena, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+";
    if (!text[strspn(text, plain)] && *text && !strchr("0123456789.-+", *text) && strcasecmp(text, "null") &&
        strcasecmp(text, "true") && strcasecmp(text, "false"))
        return text;
    json_t *value = text_value(text);
    const char *quoted = arena_take(arena, json_dumps(value, JSON_ENCODE_ANY));
    json_decref(value);
    return quoted;
}

/* Without what makers put in front: "CharacterArmature|Run", which readers make CharacterArmature_Run; "mixamorig:run". */
static const char *after_marks(const char *name)
{
    static const char *const marks[] = {"|", ":", "Armature_"};
    for (size_t i = 0; i < COUNT(marks); i++)
        for (const char *mark; (mark = strstr(name, marks[i])) && mark[strlen(marks[i])];)
            name = mark + strlen(marks[i]);
    return name;
}

/* The length of what all names begin with, as "Rig_Medium_": it ends in a separator, and leaves a word of each. */
static size_t common_length(const struct strings *names)
{
    enum { FEWEST = 3, SHORTEST = 3 };
    const char *first = names->count < FEWEST ? "" : after_marks(names->items[0]);
    size_t length = strlen(first), shortest = length;
    for (size_t i = 0; i < names->count && length > 0; i++) {
        const char *name = after_marks(names->items[i]);
        size_t same = 0;
        while (same < length && name[same] == first[same])
            same++;
        length = same;
        shortest = strlen(name) < shortest ? strlen(name) : shortest;
    }
    while (length > 0 && (!strchr("_- .", first[length - 1]) || length + SHORTEST > shortest))
        length--;
    return length;
}

/* -- A job ---------------------------------------------------------------------------------------------------- */

/* Entries of `animations`: what each is called, is of (a clip, or a file of one), and looks like. */
struct entries {
    struct arena *arena;
    struct strings names, keys, texts;
};

static void entries_release(struct entries *entries)
{
    strings_release(&entries->names);
    strings_release(&entries->keys);
    strings_release(&entries->texts);
}

/* `original` without its maker's prefix, of which `common` bytes are in all of its fellows, is what the clip is called. */
static void add_entry(struct entries *entries, const char *file, const char *clip, const char *original,
                      size_t common)
{
    struct arena *arena = entries->arena;
    struct error err;
    char *name = arena_strdup(arena, after_marks(original) + common);
    for (char *c = name; *c && strlen(name) < strlen(original); c++)
        *c = *c == ' ' ? '_' : ascii_lower(*c);
    if (strings_has(&entries->names, name))
        name = arena_printf(arena, "%s_%zu", name, entries->names.count);
    if (names_check_label(name, &err) < 0 || names_check_text(original, strlen(original), &err) < 0) {
        cli_complain("left out: the clip '%s', whose name %s", original, err.text);
        return;
    }
    strings_add(&entries->names, name);
    strings_add(&entries->keys, clip ? clip : file);
    const char *name_text = quote(arena, name), *file_text = quote(arena, file ? file : "");
    const char *clip_text = quote(arena, arena_take(arena, glob_of(clip ? clip : "")));
    if (!file && !strcmp(name_text, clip_text))
        strings_add(&entries->texts, name_text);
    else if (!file)
        strings_printf(&entries->texts, "{clip: %s, name: %s}", clip_text, name_text);
    else if (!clip)
        strings_printf(&entries->texts, "{file: %s, name: %s}", file_text, name_text);
    else
        strings_printf(&entries->texts, "{file: %s, clip: %s, name: %s}", file_text, clip_text, name_text);
}

static void add_clips(struct entries *entries, const struct strings *clips, const char *file)
{
    for (size_t i = 0; i < clips->count; i++)
        add_entry(entries, file, clips->items[i], clips->items[i], common_length(clips));
}

static struct entries entries_of(struct init_files *files, const struct init_file *file)
{
    struct entries entries = {.arena = &files->arena};
    struct strings stems = {0};
    add_clips(&entries, &file->clips, NULL);
    for (size_t i = 0; i < file->clip_files.count; i++)
        strings_add(&stems, path_base_stem(&files->arena, file->clip_files.items[i]));
    for (size_t i = 0, j = 0; i < files->count && j < stems.count; i++) {
        const struct init_file *clips = &files->items[i];
        if (strcmp(clips->path, file->clip_files.items[j]))
            continue;
        if (clips->clips.count > 1)
            add_clips(&entries, &clips->clips, clips->path);
        else /* called after the file: many call it "mixamo.com" or "Take 001" */
            add_entry(&entries, clips->path, NULL, stems.items[j], common_length(&stems));
        j++;
    }
    strings_release(&stems);
    return entries;
}

/* All of a job but its name and model. */
static const char *body_of(struct init_files *files, const struct init_file *file)
{
    enum { WIDTH = 110 };
    struct entries entries = entries_of(files, file);
    struct buffer text = {0};
    size_t column = 0;
    buffer_add(&text, "", 0);
    for (size_t i = 0; i < entries.texts.count; i++) {
        const char *entry = entries.texts.items[i];
        column += strlen(entry) + 2;
        bool is_full = column > WIDTH && i > 0;
        column = is_full ? strlen(entry) + 8 : column;
        buffer_printf(&text, "%s%s", i == 0 ? "    animations: [" : is_full ? ",\n      " : ", ", entry);
    }
    buffer_printf(&text, "%s", entries.texts.count ? "]\n" : "");
    entries_release(&entries);
    for (size_t i = 0; file->skins.count > 1 && i < file->skins.count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "    # skins: all # ", quote(&files->arena, file->skins.items[i]));
    buffer_printf(&text, "%s", file->skins.count > 1 ? "\n" : "");
    for (size_t i = 0; file->hand && i < files->count; i++)
        if (files->items[i].is_model && is_weapon(&files->items[i]))
            buffer_printf(&text, "    # attach: {model: %s, at: %s}\n", quote(&files->arena, files->items[i].path),
                          quote(&files->arena, file->hand));
    return arena_take(&files->arena, text.text);
}

/* Whether both have one folder and one suffix. */
static bool is_alike(const char *a, const char *b)
{
    size_t length = (size_t)(path_base(a) - a);
    return (size_t)(path_base(b) - b) == length && !strncmp(a, b, length) &&
           !strcasecmp(path_suffix(a), path_suffix(b));
}

/* A job for each model; one for all of a folder where all of its suffix have the same clips. */
static void add_jobs(struct init_files *files, struct buffer *out)
{
    const char **bodies = arena_must_alloc(&files->arena, files->count, sizeof *bodies);
    struct error err;
    bool has_hand = false;
    for (size_t i = 0; i < files->count; i++)
        has_hand |= !files->items[i].is_clips && files->items[i].hand; /* also in a list that is there */
    for (size_t i = 0; i < files->count; i++) {
        const struct init_file *file = &files->items[i];
        bool is_held = has_hand && is_weapon(file);
        bodies[i] = file->is_model && !is_held ? body_of(files, file) : NULL;
    }
    for (size_t i = 0; i < files->count; i++) {
        const char *model = files->items[i].path, *name = arena_take(&files->arena, path_stem(model));
        size_t first = i, alike = 0, same = 0;
        for (size_t j = files->count; bodies[i] && j-- > 0;)
            if (is_alike(files->items[j].path, model)) {
                first = j;
                alike++;
                same += bodies[j] && !strcmp(bodies[j], bodies[i]);
            }
        if (!bodies[i] || (alike > 1 && alike == same && first != i))
            continue;
        if (model_is_in_folder(model)) {
            model = name = arena_take(&files->arena, path_folder(model));
        } else if (alike > 1 && alike == same) {
            const char *start = arena_strndup(&files->arena, model, (size_t)(path_base(model) - model));
            name = arena_printf(&files->arena, "%s{stem}", start);
            model = arena_printf(&files->arena, "%s*%s", arena_take(&files->arena, glob_of(start)),
                                 path_suffix(model));
        }
        if (names_check_path(name, &err) < 0)
            cli_complain("left out: %s, as the name of its job %s", model, err.text);
        else
            buffer_printf(out, "  - name: %s\n    model: %s\n%s", quote(&files->arena, name),
                          quote(&files->arena, model), bodies[i]);
    }
}

/* -- A list that is there -------------------------------------------------------------------------------------- */

/* Where a file of the assets really is; its path where it lies in an archive. */
static char *place_of(const char *const *roots, size_t count, const char *path)
{
    char *real = NULL;
    for (size_t i = 0; i < count && !real; i++) {
        char *joined = path_join(roots[i], path);
        real = realpath(joined, NULL);
        free(joined);
    }
    return real ? real : must_strdup(path);
}

/* Whether a job has the clip, by what is recorded of a job. */
static bool has_clip(const struct record_pairs *settings, const char *key, bool is_own)
{
    for (size_t i = 0; i < settings->count; i++) {
        const char *name = settings->items[i].name, *value = settings->items[i].value;
        if ((is_own && !strcmp(name, "animations") && !strcmp(value, "all")) ||
            (!strncmp(name, "animations[", 11) && (!strcasecmp(value, key) || glob_matches(value, key, true))))
            return true;
    }
    return false;
}

/* One job of a list with a pattern is many, so that each line is added once. */
static void add_new_clips(struct init_files *files, const struct init_file *file, const struct job *job,
                          struct strings *out)
{
    struct record_pairs settings;
    struct entries entries = entries_of(files, file);
    job_recorded_settings(job, &files->arena, &settings);
    for (size_t i = 0; i < entries.keys.count; i++) {
        const char *line = arena_printf(&files->arena, "%s,   # animations of the job in line %u",
                                        entries.texts.items[i], job->mark.line);
        bool is_own = strings_has(&file->clips, entries.keys.items[i]);
        if (!has_clip(&settings, entries.keys.items[i], is_own) && !strings_has(out, line))
            strings_add(out, line);
    }
    entries_release(&entries);
}

/* Adds what the list lacks. */
static int compare(struct init_files *files, const char *path, struct buffer *out)
{
    struct job_list *list = NULL;
    struct strings problems = {0};
    struct strings clips = {0};
    int result = job_list_load(path, &(struct job_options){.missing_fails_job = true}, &list, &problems);
    for (size_t i = 0; i < problems.count; i++)
        cli_complain("%s", problems.items[i]);
    for (size_t i = 0; i < files->count && list; i++) {
        struct init_file *file = &files->items[i];
        char *place = place_of((const char *const *)files->roots.items, files->roots.count, file->path);
        for (size_t j = 0; j < list->job_count && file->is_model; j++) {
            char *listed = place_of(list->roots, list->root_count, list->jobs[j].model);
            if (!strcmp(place, listed)) {
                add_new_clips(files, file, &list->jobs[j], &clips);
                file->is_model = false;
            }
            free(listed);
        }
        free(place);
    }
    if (list)
        add_jobs(files, out);
    for (size_t i = 0; i < clips.count; i++)
        buffer_printf(out, "      %s\n", clips.items[i]);
    strings_release(&clips);
    strings_release(&problems);
    job_list_free(list);
    return result;
}

/* -- A new list ------------------------------------------------------------------------------------------------ */

/* A root as the list names it: from its own folder, where both are named from here. */
static const char *root_from(struct arena *arena, const char *folder, const char *root)
{
    if (*folder == '/' || *root == '/' || !strncmp(folder, "..", 2))
        return arena_take(arena, path_resolve(root));
    const char *way = root;
    for (const char *part = strcmp(folder, ".") ? folder : NULL; part; part = strchr(part + 1, '/'))
        way = arena_printf(arena, "../%s", way);
    return arena_take(arena, path_tidy(way));
}

static int write_list(struct init_files *files, const char *path, const char *jobs, struct error *err)
{
    struct arena *arena = &files->arena;
    const char *folder = arena_take(arena, path_folder(path));
    const char *schema_path = arena_take(arena, path_join(folder, "sheetbake.schema.json"));
    struct buffer text = {0};
    struct blob schema = {0};
    buffer_printf(&text,
                  "# yaml-language-server: $schema=sheetbake.schema.json\n"
                  "# `sheetbake check %s` says what would be made, and `sheetbake render %s` makes it.\n"
                  "# Take away what you do not want; lines in jobs that begin with # are what else there is.\n"
                  "# `sheetbake init` again prints what is new. docs/jobs.md has all keys.\n"
                  "version: 1\nassets: [",
                  path, path);
    for (size_t i = 0; i < files->roots.count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", quote(arena, root_from(arena, folder, files->roots.items[i])));
    buffer_printf(&text, "]\ndefaults: {cell: 128, cameras: [three_quarter]}\njobs:\n%s", jobs);
    int result = file_make_folders(folder, err);
    if (result == 0 && access(schema_path, F_OK) < 0)
        result = job_schema(&schema, err) < 0 ? -1 : cli_write(schema_path, blob_bytes(&schema), err);
    if (result == 0)
        result = cli_write(path, (struct bytes){(const uint8_t *)text.text, text.length}, err);
    blob_release(&schema);
    buffer_release(&text);
    return result;
}

/* -- The command ----------------------------------------------------------------------------------------------- */

static int finish(struct init_files *files, const char *path)
{
    struct buffer jobs = {0};
    struct error err;
    int exit_code = EXIT_DONE;
    bool is_there = access(path, F_OK) == 0;
    buffer_add(&jobs, "", 0);
    if (!is_there)
        add_jobs(files, &jobs);
    if (is_there && compare(files, path, &jobs) < 0)
        exit_code = EXIT_USAGE;
    else if (is_there)
        printf(jobs.length ? "# %s is there, and stays as it is. New:\n%s" : "nothing new for %s\n%s", path,
               jobs.text);
    else if (jobs.length == 0)
        exit_code = cli_usage_error(&init_command, "no models here");
    else if (write_list(files, path, jobs.text, &err) < 0)
        exit_code = cli_fail(&err, EXIT_BROKEN);
    else
        cli_print_line("%s is written; 'sheetbake check %s' says what would be made", path, path);
    buffer_release(&jobs);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct init_args args = {.output = "sheetbake.yaml", .sandbox = SANDBOX_OF_COMMANDS, .timeout_s = 60};
    struct init_files files = {0};
    struct patterns patterns = {0};
    struct strings paths = {0};
    struct error err;
    int exit_code = args_read(&init_command, argc, argv, &args);
    if (exit_code < 0)
        exit_code = sandbox_args_check(args.sandbox, false);
    for (int i = optind; exit_code < 0 && i < argc; i++)
        add_operand(&files, &patterns, argv[i]);
    if (exit_code < 0 && find_files(&patterns, &paths, &files, &err) < 0)
        exit_code = cli_fail(&err, EXIT_USAGE);
    if (exit_code < 0) {
        files.timeout_s = args.timeout_s;
        files.rules.mode = args.sandbox;
        strings_add_all(&files.rules.read, &files.roots);
        memory_limit(memory_usable() / 2);
        init_look_at_all(&files);
        exit_code = finish(&files, args.output);
    }
    for (size_t i = 0; i < files.count; i++) {
        struct strings *lists[] = {&files.items[i].clips, &files.items[i].skins, &files.items[i].clip_files};
        for (size_t j = 0; j < COUNT(lists); j++)
            strings_release(lists[j]);
        free(files.items[i].hand);
    }
    free(files.items);
    arena_release(&files.arena);
    strings_release(&files.roots);
    sandbox_rules_release(&files.rules);
    strings_release(&patterns.named);
    strings_release(&patterns.all);
    strings_release(&paths);
    return exit_code;
}

const struct command init_command = {
    .name = "init",
    .summary = "write a first job list of the models in a folder",
    .operands = {"DIR|MODEL...", "folder or model", 1, INT_MAX},
    .about =
        "Writes a job list of the models in folders, with the clips of each and of files beside it that have its "
        "joints. A list that is there is never changed: init then prints what is new to it.",
    .options = options,
    .notes = "Of one model in several formats, such as FBX and glTF, one is taken. Folders called 'anims', "
             "'animations' "
             "or 'clips' hold clips for others. Models that are called like weapons are named in comments, where "
             "another "
             "has a hand for them. An editor that reads YAML with a schema finds one beside the list.",
    .exits = exits,
    .run = run,
};
