#include "run/confine.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "render/shader_cache.h"

/* Whether a link is on the way from the output folder to the job's files: in the part of the path that is its name. */
static bool is_linked(char *path, const char *name)
{
    bool is_link = false;
    char *slash = path + strlen(path) - strlen(name);
    for (; !is_link && (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        is_link = file_is_link(path);
    }
    return is_link;
}

void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes)
{
    for (size_t i = 0; i < list->root_count; i++)
        strings_add(&rules->read, list->roots[i]);
    if (list->tree)
        strings_add(&rules->read, list->tree->objects);
    if (!writes)
        return;
    strings_add(&rules->write, list->output);
    for (size_t i = 0; i < list->job_count; i++) {
        char *path = path_join(list->output, list->jobs[i].name);
        if (is_linked(path, list->jobs[i].name)) { /* the user's: its target is an output folder, too */
            char *folder = path_folder(path), *real = path_resolve(folder);
            strings_add_new(&rules->write, real);
            free(real);
            free(folder);
        }
        free(path);
    }
}

void confine_add_renderer(struct sandbox_rules *rules, const char *cache_part)
{
    char *cache = rules->mode == SANDBOX_OFF ? NULL : shader_cache_use(cache_part);
    if (cache)
        strings_add(&rules->write, cache);
    free(cache);
}

int confine_renderer(struct sandbox_rules *rules, const char *cache_part, struct error *err)
{
    confine_add_renderer(rules, cache_part);
    return sandbox_enter(rules, NULL, err);
}
