#include "cli/init.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/model_file.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/missing.h"
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/sandbox_args.h"
#include "format/formats.h"
#include "job/settings.h"
#include "page/names.h"

static const struct exit_cause exits[] = {
    {"0", "the list is written, or what is new to it is printed"},
    {"2", "wrong options, no models, or a list that is there and has mistakes"},
    {"5", "the list cannot be written, or --sandbox require cannot be met"},
    {0},
};

enum { DIRECTIONS = 8, FRAMES = 8 }; /* of the defaults in a new list */

struct init_args {
    const char *output;
    enum sandbox_mode sandbox;
    double timeout_s;
};

static const struct arg options[] = {
    {"output", 'o', "FILE", "write FILE instead of sheetbake.yaml", ARG_PATH(struct init_args, output)},
    {ARG_SANDBOX(struct init_args, sandbox)},
    {"timeout", 0, "SEC", "give up a file after SEC, in the sandbox (default 60; 0: no limit)",
     ARG_NUMBER(struct init_args, timeout_s, 0, 86400)},
    {0},
};

/* -- Which files ---------------------------------------------------------------------------------------------- */

/* Whether the text, or its first word, is one of these words, which have spaces around them. */
static bool is_word(const char *words, const char *text)
{
    char word[16];
    snprintf(word, sizeof word, " %.*s ", (int)(*text == '.' ? strlen(text) : strcspn(text, " _-.(")), text);
    return *text && strcasestr(words, word);
}

/* Whether makers keep clips in folders of that name, also clips on a figure that is none of their models. */
static bool is_clip_folder(const char *name)
{
    return !name[strcspn(name, " _-.(")] &&
           is_word(" anim anims animation animations clips ", name); /* no "animals" */
}

/* Looks in the folders for clips that a folder has, but for the one of that name. Returns how many. */
static size_t add_clip_folders(struct init_files *files, const char *folder, const char *besides)
{
    SCOPED_BY(folder_close) DIR *directory = opendir(folder);
    size_t count = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && is_clip_folder(entry->d_name) &&
            strcmp(entry->d_name, besides)) {
            strings_printf(&files->searched, "%s/**", arena_take(&files->arena, glob_of(entry->d_name)));
            count++;
        }
    return count;
}

/* Makes the named folder, or that of the named model, a root of the assets; if a folder for clips lies beside the model's
 * folder, the one above both. */
static void add_operand(struct init_files *files, const char *operand)
{
    struct arena *arena = &files->arena;
    struct stat info;
    bool is_file = model_has_suffix(path_suffix(operand)) && stat(operand, &info) == 0 && S_ISREG(info.st_mode);
    const char *tidy = arena_take(arena, path_tidy(operand)), *root = tidy, *way = "", *meant = "**";
    if (is_file) {
        root = arena_take(arena, path_folder(tidy));
        meant = arena_take(arena, glob_of(path_base(tidy)));
        const char *above = arena_take(arena, path_tidy(arena_printf(arena, "%s/..", root)));
        const char *name = path_base(arena_take(arena, path_resolve(root)));
        if (add_clip_folders(files, above, name)) {
            root = above;
            way = arena_printf(arena, "%s/", arena_take(arena, glob_of(name)));
        }
    }
    strings_printf(&files->named, "%s%s", way, meant);
    strings_printf(&files->searched, "%s**", way);
    strings_add_new(&files->roots, root);
}

static bool matches_any(const struct strings *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (glob_matches(patterns->items[i], text, true))
            return true;
    return false;
}

/* Whether makers keep the files of a format, or all models, in folders of that name: "FBX", "GLTF format", "fbx(unity)". */
static bool is_format_folder(const char *name)
{
    return is_word(
        " gltf glb fbx dae collada obj stl blend blends blender b3d iqm md2 md3 model models meshes source ",
        name);
}

/* Names its job: "props/barrel" of props/glTF/barrel.gltf.glb. */
static const char *name_of(struct arena *arena, const char *path)
{
    const char *folder = arena_take(arena, path_folder(path)), *stem = path_base_stem(arena, path);
    if (model_is_in_folder(path))
        return folder;
    if (model_has_suffix(path_suffix(stem)))
        stem = path_base_stem(arena, stem);
    if ((!strncmp(stem, "SM_", 3) || !strncmp(stem, "SK_", 3)) && stem[3]) /* marks of Unreal */
        stem += 3;
    while (is_format_folder(path_base(folder)))
        folder = arena_take(arena, path_folder(folder));
    return strcmp(folder, ".") ? arena_printf(arena, "%s/%s", folder, stem) : stem;
}

static enum init_rank rank_of(const char *path)
{
    static const char *const suffixes[INIT_RANKS] = {"", " .glb .gltf .vrm ", " .fbx ",       " .dae ",
                                                     "", " .obj .ply ",       " .stl .blend "};
    for (enum init_rank rank = 0; rank < INIT_RANKS; rank++)
        if (is_word(suffixes[rank], path_suffix(path)))
            return rank;
    return INIT_OTHER;
}

/* Whether init looks at a file: a model, one that makes its folder a model, or an animation of a format of its own. */
static bool is_of_interest(struct assets *assets, const char *path)
{
    const char *suffix = path_suffix(path);
    SCOPED char *folder = path_folder(path);
    bool is_whole = model_is_in_folder(path), is_part = !is_whole && model_find_file(assets, folder);
    bool is_animation = false;
    for (size_t i = 0; model_formats[i]; i++)
        is_animation |=
            model_formats[i]->animation_format && !strcasecmp(model_formats[i]->animation_format->suffix, suffix);
    return is_whole || (!is_part && (is_animation || (model_has_suffix(suffix) && strcasecmp(suffix, ".cfg"))));
}

/* Models of kinds that are not read: people would look for these. */
static void leave_out_unknown(struct init_files *files, const char *path)
{
    const char *suffix = path_suffix(path);
    bool is_kind =
        strcasestr(".m3d .vox .iqe .usd .usdz .max .ma .mb .c4d ", arena_printf(&files->arena, "%s ", suffix));
    if (is_kind && *suffix && !model_has_suffix(suffix) && matches_any(&files->named, path))
        init_leave_out(files, path, "no format that is read: export it as glTF");
}

static int find_files(struct init_files *out, struct error *err)
{
    struct assets *assets;
    SCOPED_BY(strings_release) struct strings paths = {0};
    if (assets_open((const char *const *)out->roots.items, out->roots.count, &assets, err) < 0)
        return -1;
    int result = assets_glob(assets, "**", &paths, err);
    out->items = arena_must_alloc(&out->arena, paths.count, sizeof *out->items);
    for (size_t i = 0; i < paths.count; i++) {
        const char *path = paths.items[i];
        leave_out_unknown(out, path);
        bool is_clips = !model_has_suffix(path_suffix(path)) || model_is_animation(assets, path);
        bool is_named_itself = strings_has(&out->named, arena_take(&out->arena, glob_of(path)));
        if (matches_any(&out->searched, path) && is_of_interest(assets, path) &&
            (is_named_itself || !model_file_is_replaced(assets, path)))
            out->items[out->count++] = (struct init_file){
                .path = arena_strdup(&out->arena, path),
                .name = name_of(&out->arena, path),
                .is_in_clip_folder = is_clip_folder(path_base(arena_take(&out->arena, path_folder(path)))),
                .rank = is_named_itself ? INIT_ASKED : rank_of(path),
                .is_clips = is_clips,
                .is_model = !is_clips && matches_any(&out->named, path),
            };
    }
    const struct strings *unusable = assets_unusable(assets);
    for (size_t i = 0; i < unusable->count; i++)
        if (model_has_suffix(path_suffix(unusable->items[i])) && matches_any(&out->named, unusable->items[i])) {
            char *name = arena_strdup(&out->arena, unusable->items[i]);
            const char *cure = assets_cure_unusable(name);
            init_leave_out(out, name, cure);
        }
    assets_close(assets);
    return result;
}

/* Whether a model that does not move is called like something to hold: "axe_2handed", "weapons/club"; no "bowl". */
static bool is_weapon(const struct init_file *file)
{
    static const char *const patterns[] = {"**sword[!a-z]**",  "**axe[!a-z]**",    "**bow[!a-z]**",
                                           "**shield[!a-z]**", "**staff[!a-z]**",  "**spear[!a-z]**",
                                           "**gun[!a-z]**",    "**hammer[!a-z]**", "**weapon**"};
    bool is_called_so = false;
    for (size_t i = 0; i < COUNT(patterns); i++)
        is_called_so |= glob_matches(patterns[i], file->path, true);
    return is_called_so && !file->hand && !file->clips.count && !file->clip_file_count;
}

/* -- Entries of `animations` ---------------------------------------------------------------------------------- */

/* A text as it stands in a list: in quotes unless it cannot be taken for anything else, so that none ends a line or a comment.
 */
static const char *quote(struct arena *arena, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+";
    if (!text[strspn(text, plain)] && *text && !strchr("0123456789.-+", *text) && strcasecmp(text, "null") &&
        strcasecmp(text, "true") && strcasecmp(text, "false"))
        return text;
    struct buffer out = {0};
    buffer_add(&out, "\"", 1);
    for (size_t size; *text; text += size + !size) {
        uint32_t code = '?'; /* of a byte that is no text */
        size = utf8_read(text, 4, &code);
        const char *form = code > 0xffff ? "\\U%08X" : code > '~' || code < ' ' ? "\\u%04X" : "%c";
        buffer_printf(&out, code == '"' || code == '\\' ? "\\%c" : form, code);
    }
    buffer_add(&out, "\"", 1);
    return arena_take(arena, out.text);
}

/* Without what makers put in front: "CharacterArmature|Run", which readers make CharacterArmature_Run; "mixamorig:run"; and
 * Goblin_Run of a model called goblin, or @Run. */
static const char *after_prefix(const char *name, const char *model)
{
    static const char *const marks[] = {"|", ":", "Armature_"};
    const size_t length = strlen(model);
    name += *name == '@' && name[1];
    for (size_t i = 0; i < COUNT(marks); i++)
        for (const char *mark; (mark = strstr(name, marks[i])) && mark[strlen(marks[i])];)
            name = mark + strlen(marks[i]);
    bool is_of_model = !strncasecmp(name, model, length) && name[length] && strchr("_-@ .", name[length]);
    return is_of_model && name[length + 1] ? name + length + 1 : name;
}

struct entries {
    struct init_files *files;
    struct arena *arena; /* theirs */
    const struct init_file *model;
    bool wants_new;       /* only what the list that is there lacks gets a line */
    struct strings names; /* so that each is there once */
    struct buffer text;   /* a line each */
};

/* In any case, as clips are asked for. */
static bool has_name(const struct strings *names, const char *name)
{
    return named_find(names->items, names->count, sizeof *names->items, name, true);
}

/* Adds a clip of a file or of the model; `clip` is NULL where it is the file's only one. `original` without its maker's
 * prefix is what it is called. */
static void add_entry(struct entries *entries, const struct init_file *of, const char *clip, const char *original)
{
    struct arena *arena = entries->arena;
    struct error err;
    const char *file = of == entries->model ? NULL : of->path;
    const char *rest = after_prefix(original, path_base(entries->model->name));
    const char *name = clip_name_clean(arena, rest, strlen(rest)), *base = name;
    const char *full = arena_printf(arena, "%s: %s", of->path, original);
    if (file && has_name(&entries->names, rest))
        return init_leave_out(entries->files, full, "the model, or another file for it, has a clip of that name");
    for (unsigned n = 2; has_name(&entries->names, name); n++)
        name = arena_printf(arena, "%s_%u", base, n);
    if (names_check_label(name, &err) < 0 || names_check_text(full, strlen(full), &err) < 0)
        return init_leave_out(entries->files, full, arena_printf(arena, "the name %s", err.text));
    strings_add(&entries->names, name);
    if (entries->wants_new && (clip ? matches_any(&of->listed, clip) : of->listed.count))
        return;
    const char *name_text = quote(arena, name);
    const char *clip_text = clip ? quote(arena, arena_take(arena, glob_of(clip))) : "";
    const char *file_part = file ? arena_printf(arena, "file: %s, ", quote(arena, file)) : "";
    const char *clip_part = clip ? arena_printf(arena, "clip: %s, ", clip_text) : "";
    if (!file && !strcmp(name_text, clip_text))
        buffer_printf(&entries->text, "      - %s\n", name_text);
    else
        buffer_printf(&entries->text, "      - {%s%sname: %s}\n", file_part, clip_part, name_text);
}

/* The length of "Rig_Medium_", where all of several names begin so and a word is left of each; or of folders: "pack/". */
static size_t common_prefix(const struct strings *names, size_t fewest, char end_mark)
{
    const size_t shortest = end_mark == '_' ? 3 : 1;
    size_t common = 0;
    for (size_t end = 0; names->count >= fewest && names->items[0][end]; end++) {
        size_t i = 0;
        while (i < names->count && !strncmp(names->items[i], names->items[0], end + 1) &&
               strlen(names->items[i]) > end + shortest)
            i++;
        if (names->items[0][end] == end_mark && i == names->count)
            common = end + 1;
    }
    return common;
}

static void add_clips(struct entries *entries, const struct init_file *of)
{
    const size_t prefix = common_prefix(&of->clips, 3, '_');
    const char *only = of->clips.count == 1 ? of->only_clip : NULL;
    for (size_t i = 0; i < of->clips.count; i++)
        add_entry(entries, of, of->clips.items[i], only ? only : of->clips.items[i] + prefix);
}

/* Adds the clips of the model, and of the files that it can play. */
static void add_all_clips(struct entries *entries)
{
    const struct init_file *model = entries->model;
    add_clips(entries, model);
    for (size_t i = 0; i < model->clip_file_count; i++) {
        const struct init_file *file = model->clip_files[i];
        if (file->clips.count > 1)
            add_clips(entries, file);
        else /* called after the file: many call it "mixamo.com" or "Take 001" */
            add_entry(entries, file, NULL, path_base(file->name));
    }
}

/* Adds them to a list, and releases them. */
static void finish_entries(struct entries *entries, struct buffer *out)
{
    if (entries->text.length)
        buffer_printf(out, "    animations:\n%s", entries->text.text);
    buffer_release(&entries->text);
    strings_release(&entries->names);
}

/* -- Jobs ----------------------------------------------------------------------------------------------------- */

/* Says how many cells a job with the defaults of a new list has, if they are many, and what makes them fewer. */
static void add_cell_count(struct arena *arena, const struct strings *clips, struct buffer *out)
{
    enum { MANY = 500 };
    static const char *const first_wanted[] = {"idle", "walk", "run", "attack", "death", "die"};
    const size_t count = clips->count, frames = MANY / (count * DIRECTIONS + 1);
    const char *last = NULL;
    if (count * DIRECTIONS * FRAMES <= MANY)
        return;
    buffer_printf(out, "    # %zu cells: %zu clips of %d frames in %d directions. Fewer: sampling: {count: %zu}",
                  count * DIRECTIONS * FRAMES, count, FRAMES, DIRECTIONS, frames + !frames);
    for (size_t i = 0; i < COUNT(first_wanted); i++) {
        const char *best = NULL;
        for (size_t k = 0; k < count; k++)
            if (strcasestr(clips->items[k], first_wanted[i]) && (!best || strlen(clips->items[k]) < strlen(best)))
                best = clips->items[k];
        if (best && best != last)
            buffer_printf(out, "%s%s", last ? ", " : ", or only ", quote(arena, best));
        last = best ? best : last;
    }
    buffer_printf(out, "\n");
}

static void add_job(struct init_files *files, const struct init_file *file, const char *name)
{
    struct arena *arena = &files->arena;
    struct entries entries = {.files = files, .arena = arena, .model = file};
    struct buffer text = {0}, *out = &text;
    struct error err;
    const char *model = model_is_in_folder(file->path) ? file->name : file->path;
    if (names_check_path(name, &err) < 0)
        return init_leave_out(
            files, file->path,
            arena_printf(arena, "the name of its job %s: list it under another `name`", err.text));
    const char *base = name;
    for (unsigned n = 2; has_name(&files->job_names, name); n++) /* Orc.glb and orc.glb */
        name = arena_printf(arena, "%s_%u", base, n);
    buffer_printf(out, "  - name: %s\n", quote(arena, name));
    buffer_printf(out, "    model: %s\n", quote(arena, model));
    if (file->picture)
        buffer_printf(out, "    skin: %s # called like the model, which names no picture\n",
                      quote(arena, file->picture));
    else if (file->like)
        buffer_printf(out, "    # skin: %s # the model names no picture%s\n",
                      *file->like ? quote(arena, file->like) : "FILE",
                      *file->like ? ", and this begins with its name" : "");
    add_all_clips(&entries);
    add_cell_count(arena, &entries.names, out);
    finish_entries(&entries, out);
    for (size_t i = 0; file->skins.count > 1 && i < file->skins.count; i++)
        buffer_printf(out, "%s%s", i ? ", " : "    # skins: all # ", quote(arena, file->skins.items[i]));
    buffer_printf(out, "%s", file->skins.count > 1 ? "\n" : "");
    for (size_t i = 0; file->hand && i < files->count; i++)
        if (files->items[i].is_model && is_weapon(&files->items[i]))
            buffer_printf(out, "    # attach: {model: %s, at: %s}\n", quote(arena, files->items[i].path),
                          quote(arena, file->hand));
    strings_add(&files->job_names, name);
    strings_add(&files->job_files, file->path);
    strings_add(&files->job_texts, text.text);
    buffer_release(&text);
}

/* Adds a job for each model that is not listed, but for weapons if another model can hold them. A job is called after its
 * file, without the folders and the maker's mark that all have in common. */
static void add_jobs(struct init_files *files)
{
    struct init_file *const end = files->items + files->count;
    SCOPED_BY(strings_release) struct strings names = {0};
    bool has_hand = false;
    for (const struct init_file *file = files->items; file < end; file++)
        has_hand |= file->is_model && file->hand;
    for (struct init_file *file = files->items; file < end; file++) {
        file->has_job = file->is_model && !(has_hand && is_weapon(file));
        if (file->has_job)
            strings_add(&names, file->name);
    }
    const size_t folders = common_prefix(&names, 1, '/'), mark = common_prefix(&names, 3, '_');
    for (const struct init_file *file = files->items; file < end; file++)
        if (file->has_job && !file->listed.count)
            add_job(files, file, file->name + (mark > folders ? mark : folders));
}

/* -- The list ------------------------------------------------------------------------------------------------- */

/* A root as the list names it: from its own folder, where both are named from here. */
static const char *root_from(struct arena *arena, const char *folder, const char *root)
{
    const char *below = path_below(folder, root), *way = root;
    if (below)
        return *below ? below : ".";
    if (*folder == '/' || *root == '/' || !strncmp(folder, "..", 2))
        return arena_take(arena, path_resolve(root));
    for (const char *part = strcmp(folder, ".") ? folder : NULL; part; part = strchr(part + 1, '/'))
        way = arena_printf(arena, "../%s", way);
    return arena_take(arena, path_tidy(way));
}

static void write_head(struct init_files *files, const char *path, struct buffer *out)
{
    struct arena *arena = &files->arena;
    const char *folder = arena_take(arena, path_tidy(arena_take(arena, path_folder(path))));
    const char *named = quote(arena, path);
    buffer_printf(out,
                  "# yaml-language-server: $schema=sheetbake.schema.json\n"
                  "# `sheetbake check %s` says what would be made, and `sheetbake render %s` makes it.\n"
                  "# Take away what you do not want; lines in jobs that begin with # are what else there is.\n"
                  "# `sheetbake init` again prints what is new. docs/jobs.md has all keys.\n"
                  "version: 1\nassets: [",
                  named, named);
    for (size_t i = 0; i < files->roots.count; i++)
        buffer_printf(out, "%s%s", i ? ", " : "", quote(arena, root_from(arena, folder, files->roots.items[i])));
    buffer_printf(
        out,
        "]\n"
        "defaults: # what all jobs have that do not say otherwise\n"
        "  cell: 128 # its width and height in pixels\n"
        "  cameras: [{camera: isometric, directions: %d}] # or [three_quarter]: one picture of each moment\n"
        "  sampling: {count: %d} # frames of each clip; {fps: 10} makes more of longer clips\n"
        "  # fit: {origin: auto} # all stand at one place of their cells\n"
        "  metadata: [json] # and for an engine: godot, unity, aseprite, texturepacker, libgdx, cocos, ...\n"
        "jobs:\n",
        DIRECTIONS, FRAMES);
}

/* Makes the list of the new jobs, from *head on, without those that the reader refuses: it says "PATH:LINE:COLUMN: ...". */
static int draft(struct init_files *files, const char *path, struct buffer *out, size_t *head)
{
    const char *place = arena_printf(&files->arena, "%s:", arena_take(&files->arena, path_tidy(path)));
    const struct strings *jobs = &files->job_texts;
    SCOPED_BY(strings_release) struct strings problems = {0};
    struct job_list *list = NULL;
    size_t line = 1; /* of the job */
    bool is_better = false;
    buffer_clear(out);
    write_head(files, path, out);
    *head = out->length;
    for (size_t i = 0; i < jobs->count; i++)
        buffer_printf(out, "%s", jobs->items[i]);
    const struct job_options reading = {.text = {(const uint8_t *)out->text, out->length}};
    int result = out->length > *head ? job_list_load(path, &reading, &list, &problems) : 0;
    for (size_t k = 0; k < *head; k++)
        line += out->text[k] == '\n';
    for (size_t i = 0, first = line; result < 0 && i < jobs->count; i++, first = line) {
        for (const char *c = jobs->items[i]; *c; c++)
            line += *c == '\n';
        for (size_t k = 0; k < problems.count && *jobs->items[i]; k++) {
            const char *problem = problems.items[k];
            const bool is_placed = !strncmp(problem, place, strlen(place));
            const size_t at = is_placed ? strtoul(problem + strlen(place), NULL, 10) : 0;
            if (at < first || at >= line)
                continue;
            init_leave_out(files, files->job_files.items[i], strstr(problem + strlen(place), ": ") + 2);
            *jobs->items[i] = '\0';
            is_better = true;
        }
    }
    for (size_t i = 0; result < 0 && !is_better && i < problems.count; i++)
        cli_complain("%s", problems.items[i]);
    job_list_free(list);
    return is_better ? draft(files, path, out, head) : result;
}

/* Says how the file that is taken instead is better than this one. */
static const char *why_instead(const struct init_file *file)
{
    static const char *const formats[] = {[INIT_GLTF] = "glTF", [INIT_FBX] = "FBX", [INIT_DAE] = "DAE"};
    const struct init_file *taken = file->instead;
    const enum init_rank rank = rank_of(taken->path);
    return rank > file->rank       ? taken->rank == INIT_ASKED ? "named or listed" : "the one with clips"
           : rank < COUNT(formats) ? formats[rank]
                                   : path_suffix(taken->path);
}

static void leave_out_same(struct init_files *files)
{
    const struct init_file *const end = files->items + files->count;
    for (struct init_file *file = files->items; file < end; file++) {
        const struct init_file *first = NULL, *last = NULL;
        for (const struct init_file *other = files->items; file->instead && other < end; other++)
            if (other->instead && !strcmp(why_instead(other), why_instead(file))) {
                first = first ? first : other;
                last = other;
            }
        if (first)
            init_leave_out(files, file->path,
                           arena_printf(&files->arena, "the same model as %s%s, which is %s", first->instead->path,
                                        first == last ? "" : " and so on", why_instead(file)));
    }
}

/* Prints a line for each reason. */
static void tell_left_out(struct init_files *files)
{
    const char *why = NULL;
    leave_out_same(files);
    for (const struct init_file *file = files->items; file < files->items + files->count; file++) {
        if (!file->is_clips || file->is_played || file->listed.count || !matches_any(&files->named, file->path))
            continue;
        if (file->misfit && !why)
            why = arena_printf(&files->arena, "clips that no model here can play; the first: %s", file->misfit);
        init_leave_out(files, file->path,
                       file->misfit
                           ? why
                           : "clips that no model has tried: it has no joints, or nearer clips. `file` in "
                             "`animations` takes them");
    }
    strings_sort(&files->left_out);
    char **items = files->left_out.items;
    for (size_t i = 0, count = 1; i < files->left_out.count; i += count, count = 1) {
        const size_t length = strcspn(items[i], "\n") + 1;
        SCOPED_BY(strings_release) struct strings names = {0};
        while (i + count < files->left_out.count && !strncmp(items[i + count], items[i], length))
            count++;
        for (size_t k = i; k < i + count; k++)
            if (k == i || strcmp(items[k], items[k - 1]))
                strings_add(&names, items[k] + length);
        const char *list = arena_take(&files->arena, missing_list((const char *const *)names.items, names.count));
        const char *in_all = names.count > 1 ? arena_printf(&files->arena, " (%zu)", names.count) : "";
        cli_complain("left out: %s%s: %.*s", list, in_all, (int)length - 1, items[i]);
    }
}

/* -- A list that is there -------------------------------------------------------------------------------------- */

/* Returns the real path of a file of the assets; its path in them where it lies in an archive. */
static const char *place_of(struct arena *arena, const char *const *roots, size_t count, const char *path)
{
    char *real = NULL;
    for (size_t i = 0; i < count && !real; i++)
        real = realpath(arena_take(arena, path_join(roots[i], path)), NULL);
    return real ? arena_take(arena, real) : path;
}

/* Notes which clips of a file an entry of the list names: one, or those of a pattern, as we call them or as the file does. */
static void add_listed(struct init_files *files, const struct job_list *list, const char *path, const char *clips)
{
    char *ours = arena_strdup(&files->arena, clips);
    for (char *c = ours; (c = strpbrk(c, "|:/@\"<>\\"));)
        *c = '_';
    const char *place = place_of(&files->arena, list->roots, list->root_count, path);
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->items[i].place, place)) {
            strings_add(&files->items[i].listed, clips);
            strings_add(&files->items[i].listed, ours);
            files->items[i].rank = INIT_ASKED;
        }
}

/* Reads the list that is there. */
static int mark_listed(struct init_files *files, const char *path)
{
    struct job_list *list = NULL;
    SCOPED_BY(strings_release) struct strings problems = {0};
    int result = job_list_load(path, &(struct job_options){.missing_fails_job = true}, &list, &problems);
    for (size_t i = 0; i < problems.count; i++)
        cli_complain("%s", problems.items[i]);
    for (struct init_file *file = files->items; file < files->items + files->count; file++)
        file->place =
            place_of(&files->arena, (const char *const *)files->roots.items, files->roots.count, file->path);
    for (const struct job *job = list ? list->jobs : NULL; list && job < list->jobs + list->job_count; job++) {
        strings_add(&files->job_names, job->name);
        if (job->missing_count)
            init_leave_out(files, arena_printf(&files->arena, "job '%s'", job->name),
                           "it is listed, but files of it are gone; `check` says which");
        add_listed(files, list, job->model, job->animation_count ? "" : "**"); /* all, or none as the list wants */
        for (size_t j = 0; j < job->animation_count; j++) {
            const struct job_animation *entry = &job->animations[j];
            const char *clips = entry->clip ? entry->clip : entry->file ? "**" : entry->name;
            if (entry->files.count == 0)
                add_listed(files, list, entry->file ? entry->file : job->model, clips);
            for (size_t k = 0; k < entry->files.count; k++)
                add_listed(files, list, entry->files.items[k], clips);
        }
    }
    job_list_free(list);
    return result;
}

/* Adds new clips for the models that are listed; those of a file once. */
static void add_new_clips(struct init_files *files, struct buffer *out)
{
    for (const struct init_file *file = files->items; file < files->items + files->count; file++) {
        struct entries entries = {.files = files, .arena = &files->arena, .model = file, .wants_new = true};
        if (!file->is_model || !file->listed.count)
            continue;
        add_all_clips(&entries);
        for (size_t i = 0; i < file->clip_file_count; i++)
            strings_add(&file->clip_files[i]->listed, "**");
        if (entries.text.length)
            buffer_printf(out, "  # for jobs of %s:\n", quote(&files->arena, file->path));
        finish_entries(&entries, out);
    }
}

/* Prints what the list lacks. */
static int compare(struct init_files *files, const char *path)
{
    SCOPED_BY(buffer_release) struct buffer text = {0};
    size_t head = 0;
    add_jobs(files);
    if (draft(files, path, &text, &head) < 0)
        return EXIT_USAGE;
    add_new_clips(files, &text);
    if (text.length == head)
        cli_print_line("nothing new for %s", path);
    else {
        cli_print_line("# %s is there, and stays as it is. New:", path);
        printf("%s", text.text + head);
    }
    return EXIT_DONE;
}

/* -- A new list ------------------------------------------------------------------------------------------------ */

static int write_list(struct init_files *files, const char *path, const struct buffer *text, struct error *err)
{
    const char *folder = arena_take(&files->arena, path_folder(path));
    const char *schema_path = arena_take(&files->arena, path_join(folder, "sheetbake.schema.json"));
    SCOPED_BY(blob_release) struct blob schema = {0};
    int result = file_make_folders(folder, err);
    if (result == 0 && access(schema_path, F_OK) < 0)
        result = job_schema(&schema, err) < 0 ? -1 : file_renew(schema_path, blob_bytes(&schema), err);
    return result < 0 ? -1 : file_renew(path, (struct bytes){(const uint8_t *)text->text, text->length}, err);
}

static int make(struct init_files *files, const char *path)
{
    SCOPED_BY(buffer_release) struct buffer text = {0};
    struct error err;
    size_t head;
    add_jobs(files);
    if (draft(files, path, &text, &head) < 0)
        return EXIT_USAGE;
    if (text.length == head)
        return cli_usage_error(&init_command, "no models here");
    if (write_list(files, path, &text, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    cli_print_line("%s is written, with %zu job%s; 'sheetbake check %s' says what would be made", path,
                   files->job_texts.count, cli_plural(files->job_texts.count), path);
    return EXIT_DONE;
}

/* -- The command ----------------------------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    struct init_args args = {.output = "sheetbake.yaml", .sandbox = SANDBOX_OF_COMMANDS, .timeout_s = 60};
    struct init_files files = {0};
    struct error err;
    int exit_code = args_read(&init_command, argc, argv, &args);
    if (exit_code < 0)
        exit_code = sandbox_args_check(args.sandbox, false);
    for (int i = optind; exit_code < 0 && i < argc; i++)
        add_operand(&files, argv[i]);
    if (exit_code < 0 && find_files(&files, &err) < 0)
        exit_code = cli_fail(&err, EXIT_USAGE);
    if (exit_code < 0) {
        files.timeout_s = args.timeout_s;
        files.rules.mode = args.sandbox;
        strings_add_all(&files.rules.read, &files.roots);
        struct stat info; /* a link to nothing is something, too */
        bool is_there = lstat(args.output, &info) == 0;
        if (is_there && mark_listed(&files, args.output) < 0)
            exit_code = EXIT_USAGE;
        else {
            init_look_at_all(&files);
            exit_code = is_there ? compare(&files, args.output) : make(&files, args.output);
            tell_left_out(&files);
        }
    }
    for (size_t i = 0; i < files.count; i++) {
        strings_release(&files.items[i].listed);
        strings_release(&files.items[i].clips);
        strings_release(&files.items[i].skins);
    }
    arena_release(&files.arena);
    strings_release(&files.roots);
    strings_release(&files.job_names);
    strings_release(&files.job_files);
    strings_release(&files.job_texts);
    strings_release(&files.left_out);
    sandbox_rules_release(&files.rules);
    strings_release(&files.named);
    strings_release(&files.searched);
    return exit_code;
}

const struct command init_command = {
    .name = "init",
    .summary = "write a first job list of the models in a folder",
    .operands = {"DIR|MODEL...", "folder or model", 1, INT_MAX},
    .about = "Writes a job list of the models in folders, with the clips of each and of files beside it that have "
             "its joints. A list that is there is never changed: init then prints what is new to it.",
    .options = options,
    .notes =
        "Name the folder that has both models and clips; of a model that is named itself, clips are looked for "
        "in its folder, and in folders such as 'anims' beside that. Of a model in several formats, also in "
        "folders "
        "such as FBX and OBJ, one is taken: glTF before FBX before DAE. X@Run.fbx is a clip of X, and @Run.fbx of "
        "the models in its folder. A folder for clips is called anim, anims, animation, animations or clips. "
        "Models that are called like weapons are named in comments, where another "
        "has a hand for them. An editor that reads YAML with a schema finds one beside the list.",
    .exits = exits,
    .run = run,
};
