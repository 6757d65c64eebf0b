#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "fresh/output_tree.h"
#include "fresh/recorded.h"
#include "material/declaration_index.h"
#include "out/depfile.h"
#include "run/batch_state.h"

struct sources {
    struct strings paths; /* of files, archives and folders, with doubles */
    char *here;           /* the current folder with a '/' at its end: paths below it are relative */
};

static void add_path(struct sources *sources, const char *path)
{
    size_t length = strlen(sources->here);
    bool is_below = !strncmp(path, sources->here, length) && path[length];
    strings_add(&sources->paths, is_below ? path + length : path);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Its folder, too: the folder's time changes when a file comes that goes before this one, or matches the same
 * pattern. Archives are among the roots. */
static void add_asset(struct sources *sources, struct assets *assets, const char *name)
{
    const char *found = assets_find(assets, name), *root = found ? assets_root_of(assets, found) : NULL;
    if (!root || !is_folder(root))
        return;
    char *path = path_join(root, found), *folder = path_folder(path);
    add_path(sources, path);
    add_path(sources, folder);
    free(folder);
    free(path);
}

/* All files of the kind: another one might declare the name, too. */
static void add_declarations(struct sources *sources, struct assets *assets, const char *look_up,
                             struct strings *patterns)
{
    const char *pattern = declaration_files_of(look_up);
    struct strings files = {0};
    struct error err;
    if (!pattern || strings_has(patterns, pattern))
        return;
    strings_add(patterns, pattern);
    assets_glob(assets, pattern, &files, &err);
    for (size_t i = 0; i < files.count; i++)
        add_asset(sources, assets, files.items[i]);
    strings_release(&files);
}

/* What the list's pages were made of, as their records say, whether this run made them or they were up to date. */
static void add_pages(struct batch *batch, struct sources *sources, const struct job_list *list,
                      struct assets *assets)
{
    struct strings records = {0}, patterns = {0};
    output_tree_find(list->output, output_tree_is_record, &records);
    for (size_t i = 0; i < records.count; i++) {
        struct record record;
        struct error err;
        if (!outputs_has(batch->outputs, list, records.items[i]))
            continue;
        char *path = path_join(list->output, records.items[i]);
        if (recorded_load(path, &record, &err) == RECORD_GOOD) {
            for (size_t j = 0; j < record.inputs.count; j++)
                add_asset(sources, assets, record.inputs.items[j].name);
            for (size_t j = 0; j < record.declared.count; j++)
                add_declarations(sources, assets, record.declared.items[j].name, &patterns);
            record_release(&record);
        }
        free(path);
    }
    strings_release(&patterns);
    strings_release(&records);
}

static int add_list(struct batch *batch, struct sources *sources, const struct job_list *list, struct error *err)
{
    struct assets *assets;
    for (size_t i = 0; i < list->file_count; i++)
        add_path(sources, list->files[i]);
    for (size_t i = 0; i < list->root_count; i++)
        add_path(sources, list->roots[i]);
    if (assets_open(list->roots, list->root_count, &assets, err) < 0)
        return -1;
    add_pages(batch, sources, list, assets);
    assets_close(assets);
    return 0;
}

static void drop_doubles(struct strings *paths)
{
    size_t kept = 0;
    strings_sort(paths);
    for (size_t i = 0; i < paths->count; i++)
        if (kept && !strcmp(paths->items[kept - 1], paths->items[i]))
            free(paths->items[i]);
        else
            paths->items[kept++] = paths->items[i];
    paths->count = kept;
}

static int write_file(struct sources *sources, const struct batch_settings *settings, struct error *err)
{
    drop_doubles(&sources->paths);
    const char *file = settings->depfile, *given = settings->depfile_target;
    char *target = given ? must_strdup(given) : must_printf("%.*s", (int)(path_suffix(file) - file), file);
    char *text = depfile_text(target, &sources->paths);
    int result = depfile_write(file, text, err);
    free(text);
    free(target);
    return result;
}

int batch_write_depfile(struct batch *batch, const struct batch_settings *settings, struct error *err)
{
    char *folder = getcwd(NULL, 0);
    struct sources sources = {.here = must_printf("%s/", folder && strcmp(folder, "/") ? folder : "")};
    int result = 0;
    for (size_t i = 0; i < settings->list_count && result == 0; i++)
        result = add_list(batch, &sources, settings->lists[i], err);
    if (result == 0)
        result = write_file(&sources, settings, err);
    strings_release(&sources.paths);
    free(sources.here);
    free(folder);
    return result;
}
