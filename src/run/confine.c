#include "run/confine.h"

#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "base/file.h"
#include "render/shader_cache.h"

void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes)
{
    for (size_t i = 0; i < list->root_count; i++)
        strings_add(&rules->read, list->roots[i]);
    if (list->tree)
        strings_add(&rules->read, list->tree->objects);
    if (!writes)
        return;
    char *output = path_resolve(list->output), *latest = NULL;
    size_t length = strcmp(output, "/") ? strlen(output) : 0;
    strings_add(&rules->write, list->output);
    for (size_t i = 0; i < list->job_count; i++) {
        char *path = path_join(list->output, list->jobs[i].name), *folder = path_folder(path);
        free(path);
        if (!latest || strcmp(folder, latest)) {
            /* The user may have put a link into the output folder: its target is an output folder, too. */
            char *real = path_resolve(folder);
            bool is_below = !strncmp(real, output, length) && (real[length] == '/' || !real[length]);
            if (!is_below)
                strings_add_new(&rules->write, real);
            free(real);
        }
        free(latest);
        latest = folder;
    }
    free(latest);
    free(output);
}

void confine_add_renderer(struct sandbox_rules *rules, const char *cache_part)
{
    char *cache = shader_cache_use(cache_part);
    if (cache)
        strings_add(&rules->write, cache);
    free(cache);
}

int confine_renderer(struct sandbox_rules *rules, struct error *err)
{
    if (rules->mode == SANDBOX_OFF)
        return 0;
    confine_add_renderer(rules, NULL);
    return sandbox_enter(rules, NULL, err);
}
