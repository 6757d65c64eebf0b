#include "run/confine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/shader_cache.h"

static bool is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length] || !strcmp(folder, "/"));
}

/* The folder of a job's sheets may be a link that the user has put into the output folder: its target counts as
 * one. */
static void add_linked_folder(struct sandbox_rules *rules, const char *output, const char *folder)
{
    char *real = path_resolve(folder);
    if (!is_below(real, output) && !strings_has(&rules->write, real))
        strings_add(&rules->write, real);
    free(real);
}

static void add_outputs(struct sandbox_rules *rules, const struct job_list *list)
{
    char *output = path_resolve(list->output), *latest = NULL;
    strings_add(&rules->write, list->output);
    for (size_t i = 0; i < list->job_count; i++) {
        char *path = path_join(list->output, list->jobs[i].name), *folder = path_folder(path);
        free(path);
        if (!latest || strcmp(folder, latest))
            add_linked_folder(rules, output, folder);
        free(latest);
        latest = folder;
    }
    free(latest);
    free(output);
}

void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes)
{
    for (size_t i = 0; i < list->root_count; i++)
        strings_add(&rules->read, list->roots[i]);
    if (writes)
        add_outputs(rules, list);
}

static uint64_t add_identity(uint64_t sum, const char *path)
{
    struct stat info;
    const uint64_t spread = 0x9e3779b97f4a7c15; /* odd, and of no pattern */
    if (stat(path, &info) < 0 || !S_ISDIR(info.st_mode))
        info = (struct stat){0};
    return ((sum ^ info.st_dev) * spread ^ info.st_ino) * spread;
}

uint64_t confine_identity(const struct job_list *list)
{
    uint64_t sum = add_identity(0, list->output);
    for (size_t i = 0; i < list->root_count; i++)
        sum = add_identity(sum, list->roots[i]);
    return sum;
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
