#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "run/batch_state.h"
#include "out/dependencies.h"
#include "out/depfile.h"
#include "fresh/output_tree.h"
#include "fresh/recorded.h"

/* What the list's pages were made of, as they say themselves, made by this run or up to date. */
static void add_pages(struct batch *batch, struct dependencies *dependencies, const struct job_list *list)
{
    struct strings records = {0};
    output_tree_find(list->output, output_tree_is_record, &records);
    for (size_t i = 0; i < records.count; i++) {
        struct record record;
        struct error err;
        if (!outputs_has(batch->outputs, list, records.items[i]))
            continue;
        char *path = path_join(list->output, records.items[i]);
        if (recorded_load(path, &record, &err) == RECORD_GOOD) {
            dependencies_add_record(dependencies, &record);
            record_release(&record);
        }
        free(path);
    }
    strings_release(&records);
}

static int add_list(struct batch *batch, struct dependencies *dependencies, const struct job_list *list,
                    struct error *err)
{
    struct assets *assets;
    for (size_t i = 0; i < list->file_count; i++)
        dependencies_add(dependencies, list->files[i]);
    if (assets_open(list->roots, list->root_count, &assets, err) < 0)
        return -1;
    dependencies_set_assets(dependencies, assets, list->roots, list->root_count);
    dependencies_add_look_ups(dependencies, &list->look_ups);
    add_pages(batch, dependencies, list);
    assets_close(assets);
    return 0;
}

static int write_file(const struct dependencies *dependencies, const struct batch_settings *settings,
                      struct error *err)
{
    struct strings paths = {0};
    dependencies_list(dependencies, &paths);
    const char *file = settings->depfile, *given = settings->depfile_target;
    char *target = given ? must_strdup(given) : must_printf("%.*s", (int)(path_suffix(file) - file), file);
    char *text = depfile_text(target, &paths);
    int result = depfile_write(file, text, err);
    free(text);
    free(target);
    strings_release(&paths);
    return result;
}

int batch_write_depfile(struct batch *batch, const struct batch_settings *settings, struct error *err)
{
    struct dependencies *dependencies = dependencies_new();
    int result = 0;
    for (size_t i = 0; i < settings->list_count && result == 0; i++)
        result = add_list(batch, dependencies, settings->lists[i], err);
    if (result == 0)
        result = write_file(dependencies, settings, err);
    dependencies_free(dependencies);
    return result;
}
