#include "job/load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/missing.h"
#include "format/formats.h"

const char *source_path(const struct reader *reader, const char *folder, const char *path)
{
    SCOPED char *joined = path_join(folder, path);
    return arena_take(reader->arena, path_tidy(joined));
}

const char *source_place(const struct reader *reader, const char *path)
{
    const struct job_places *places = reader->places;
    return places ? arena_take(reader->arena, places->locate(places->context, path)) : path;
}

int source_parse(const struct reader *reader, struct bytes bytes, const char *path, bool is_config,
                 struct source_files *out)
{
    /* The keys of a config come first. */
    static const char *const keys[] = {"version", "cameras", "lights",  "defaults",
                                       "assets",  "output",  "include", "jobs"};
    const char *what = is_config ? "a config" : "a job list";
    const struct node *root;
    if (yaml_load(bytes, path, reader->arena, &root, reader->problems) < 0 ||
        !read_keys(reader, root, what, keys, is_config ? 4 : COUNT(keys)))
        return -1;
    const struct node *version = node_get(root, "version");
    if (!version)
        return problems_add(reader->problems, root->mark,
                            "'version' is missing; every list starts with 'version: 1'");
    if (version->kind != NODE_SCALAR || !version->is_plain || strcmp(version->text, "1")) {
        reader_expected(reader, version, "'version' must be 1, the only one there is");
        return -1;
    }
    const char *folder = arena_take(reader->arena, path_folder(path));
    out->items[out->count++] = (struct source_file){path, folder, root, is_config};
    return 0;
}

/* Tells people who give another file in place of a list what it is, by how it begins. False for anything else. */
static bool is_mistake(const struct reader *reader, const char *path, struct bytes bytes)
{
    const struct mark mark = {.file = path};
    const struct model_format *model = model_format_of(bytes, path);
    if (model_format_of_animation(bytes))
        return problems_add(reader->problems, mark, "this is an animation, not a job list") < 0;
    if (model)
        return problems_add(reader->problems, mark,
                            "this is a model (%s), not a job list; 'sheetbake thumb' makes a picture of it",
                            model->name) < 0;
    if (bytes_start_with(bytes, "PK\3\4") || bytes_start_with(bytes, "PACK"))
        return problems_add(reader->problems, mark,
                            "this is an archive, not a job list; lists name it under 'assets'") < 0;
    return false;
}

static bool is_list_suffix(const char *suffix)
{
    return !strcasecmp(suffix, ".yaml") || !strcasecmp(suffix, ".yml");
}

/* Problems of opening it are put at `from`, or at the file when that is NULL. */
static int read_source(const struct reader *reader, const char *path, bool is_config, const struct mark *from,
                       struct source_files *out)
{
    SCOPED_BY(blob_release) struct blob blob = {0};
    struct error err;
    const char *place = is_config ? path : source_place(reader, path);
    if (!is_config && !from && reader->text.data)
        return source_parse(reader, reader->text, path, false, out);
    if (file_read(place, YAML_MAX_FILE_SIZE, &blob, &err) < 0) {
        struct stat info;
        size_t shown = strlen(place) + strlen(": "); /* by our mark, or else in our words */
        const char *reason = err.text + (shown < strlen(err.text) ? shown : 0);
        if (stat(place, &info) < 0) {
            missing_path_fail(path, is_list_suffix, &err);
            reason = err.text;
        } else if (S_ISDIR(info.st_mode)) {
            reason = "not a regular file, but a folder; 'sheetbake init' makes a list of the models in it";
        }
        return from ? problems_add(reader->problems, *from, "%s: %s", path, reason)
                    : problems_add(reader->problems, (struct mark){.file = path}, "%s", reason);
    }
    return is_mistake(reader, path, blob_bytes(&blob))
               ? -1
               : source_parse(reader, blob_bytes(&blob), path, is_config, out);
}

/* Adds a file and what it includes, unless it is in `seen`, which has real paths. */
static void add_list(const struct reader *reader, const char *path, const struct mark *from, struct strings *seen,
                     struct source_files *out)
{
    SCOPED char *real_path = realpath(path, NULL); /* a file that is not there is reported on opening it */
    const char *known = real_path ? real_path : path;
    if (strings_has(seen, known))
        return;
    strings_add(seen, known);
    if (out->count == SOURCE_MOST_FILES) {
        problems_add(reader->problems, *from, "more than %d files", SOURCE_MOST_FILES);
        return;
    }
    if (read_source(reader, path, false, from, out) < 0)
        return;
    const struct source_file *source = &out->items[out->count - 1];
    const struct node *value = node_get(source->root, "include");
    struct node_list entries = value ? node_one_or_many(&value) : (struct node_list){0};
    for (size_t i = 0; i < entries.count; i++) {
        const char *name;
        if (read_text(reader, entries.items[i], "the path of an included file", &name))
            add_list(reader, source_path(reader, source->folder, name), &entries.items[i]->mark, seen, out);
    }
}

/* -- Configs ------------------------------------------------------------------------------------------------- */

/* The assembler takes the file in as it is; the path counts from where make runs. */
__asm__(".section .rodata\n"
        ".global config_defaults_start\n"
        ".global config_defaults_end\n"
        "config_defaults_start:\n"
        ".incbin \"config/defaults.yaml\"\n"
        "config_defaults_end:\n"
        ".byte 0\n"
        ".previous\n");

extern const uint8_t config_defaults_start[], config_defaults_end[];

int source_add_built_in(const struct reader *reader, struct source_files *out)
{
    struct bytes bytes = {config_defaults_start, (size_t)(config_defaults_end - config_defaults_start)};
    return source_parse(reader, bytes, "(built-in config)", true, out);
}

int sources_read(const struct reader *reader, const char *path, const char *config, struct source_files *out)
{
    SCOPED_BY(strings_release) struct strings seen = {0};
    add_list(reader, path, NULL, &seen, out);
    bool has_list = out->count > 0;
    if (config && read_source(reader, config, true, NULL, out) < 0)
        return -1;
    return source_add_built_in(reader, out) < 0 || !has_list ? -1 : 0;
}
