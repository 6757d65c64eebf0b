#include "job/draft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "page/names.h"
#include "job/settings.h"

/* -- Presets ----------------------------------------------------------------------------------------------- */

enum { MOST_PRESETS = 1000 };

static struct preset *find_preset(const struct preset_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

const struct preset *preset_find(const struct reader *reader, const struct preset_set *set,
                                 const struct node *node, const char *noun)
{
    const struct preset *found = find_preset(set, node->text);
    if (!found) {
        const char **names = must_alloc(set->count, sizeof *names);
        for (size_t i = 0; i < set->count; i++)
            names[i] = set->items[i].name;
        reader_unknown(reader, node, noun, names, set->count);
        free(names);
    }
    return found;
}

static void read_set(const struct reader *reader, const struct node *map, const char *form, const char *noun,
                     bool is_built_in, preset_read *read, struct preset_set *set)
{
    struct error err;
    if (map && map->kind != NODE_MAPPING)
        reader_expected(reader, map, "%s", form);
    for (size_t i = 0; map && map->kind == NODE_MAPPING && i < map->count; i++) {
        const struct node *key = map->keys[i];
        if (node_key(map, key->text) != key) /* given twice, which was reported */
            continue;
        if (set->count == MOST_PRESETS) {
            problems_add(reader->problems, key->mark, "more than %d %ss", MOST_PRESETS, noun);
            return;
        }
        if (names_check_label(key->text, &err) < 0)
            problems_add(reader->problems, key->mark, "a %s's name %s", noun, err.text);
        struct preset preset = {.name = key->text, .mark = key->mark, .is_built_in = is_built_in};
        read(reader, map->values[i], &preset);
        struct preset *other = find_preset(set, preset.name);
        if (other && other->is_built_in) {
            *other = preset;
        } else if (other) {
            problems_add(reader->problems, preset.mark, "%s '%s' is already described at %s:%u:%u", noun,
                         preset.name, other->mark.file, other->mark.line, other->mark.column);
        } else {
            set->items = must_grow(set->items, set->count, &set->capacity, sizeof *set->items);
            set->items[set->count++] = preset;
        }
    }
}

/* Adds the `cameras` and `lights` of a file. */
static void presets_read(const struct reader *reader, const struct node *root, bool is_built_in,
                         struct presets *presets)
{
    struct reader level = *reader;
    level.presets = presets; /* a rig may start from another */
    read_set(&level, node_get(root, "cameras"), "'cameras' must be a mapping (name: camera)", "camera",
             is_built_in, read_preset_camera, &presets->cameras);
    read_set(&level, node_get(root, "lights"), "'lights' must be a mapping (name: light)", "light rig",
             is_built_in, read_preset_light, &presets->lights);
}

static void presets_release(struct presets *presets)
{
    free(presets->cameras.items);
    free(presets->lights.items);
    *presets = (struct presets){0};
}

/* -- Drafts ------------------------------------------------------------------------------------------------ */

void draft_add_config(const struct reader *reader, const struct source *config, struct draft *draft)
{
    assert(draft->config_count < DRAFT_MOST_CONFIGS);
    presets_read(reader, config->root, true, &draft->presets);
    draft->config_defaults[draft->config_count++] = node_get(config->root, "defaults");
}

void draft_add_root(struct draft *draft, const char *path, struct mark mark)
{
    draft->roots = must_grow(draft->roots, draft->root_count, &draft->root_capacity, sizeof *draft->roots);
    draft->roots[draft->root_count++] = (struct draft_root){path, mark};
}

struct draft_job *draft_add_job(struct draft *draft)
{
    draft->jobs = must_grow(draft->jobs, draft->job_count, &draft->job_capacity, sizeof *draft->jobs);
    struct draft_job *job = &draft->jobs[draft->job_count++];
    *job = (struct draft_job){.settings = draft->defaults};
    return job;
}

static void read_needed_text(const struct reader *reader, const struct node *map, const char *key,
                             const char **out, struct mark *mark)
{
    const struct node *node = node_get(map, key);
    *mark = node ? node->mark : map->mark;
    if (read_needed(reader, map, "a job", key))
        read_string(reader, map, key, out);
}

static void read_jobs(const struct reader *reader, const struct source *source, struct draft *draft)
{
    const struct node *list = node_get(source->root, "jobs");
    if (!list)
        return;
    if (list->kind != NODE_SEQUENCE) {
        reader_expected(reader, list, "'jobs' must be a list");
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct node *map = list->values[i];
        struct draft_job *job = draft_add_job(draft);
        job->settings.job.mark = map->mark;
        size_t problems_before = reader->problems->count;
        settings_read(reader, &draft->presets, map, true, &job->settings);
        if (map->kind != NODE_MAPPING)
            continue;
        read_needed_text(reader, map, "name", &job->name, &job->name_mark);
        read_needed_text(reader, map, "model", &job->model, &job->model_mark);
        if (reader->problems->count == problems_before)
            settings_check(reader, &job->settings);
    }
}

static void read_defaults(const struct reader *reader, const struct node *map, struct draft *draft)
{
    if (map)
        settings_read(reader, &draft->presets, map, false, &draft->defaults);
}

void draft_read(const struct reader *reader, const struct source *sources, size_t source_count,
                struct draft *draft)
{
    for (size_t i = 0; i < source_count; i++) {
        const struct node *value = node_get(sources[i].root, "assets");
        if (value) {
            struct node_list entries = node_one_or_many(&value);
            for (size_t j = 0; j < entries.count; j++) {
                const char *path;
                if (read_text(reader, entries.items[j], "the path of assets", &path))
                    draft_add_root(draft, source_path(reader, sources[i].folder, path), entries.items[j]->mark);
            }
        }
        const char *output;
        if (read_string(reader, sources[i].root, "output", &output) && !draft->output)
            draft->output = source_path(reader, sources[i].folder, output);
        presets_read(reader, sources[i].root, false, &draft->presets);
    }
    for (size_t i = 0; i < draft->config_count; i++)
        read_defaults(reader, draft->config_defaults[i], draft);
    for (size_t i = source_count; i-- > 0;) /* the last has the least to say */
        read_defaults(reader, node_get(sources[i].root, "defaults"), draft);
    for (size_t i = 0; i < source_count; i++)
        read_jobs(reader, &sources[i], draft);
    if (draft->job_count == 0 && source_count > 0 && reader->problems->count == 0) /* else it may be why */
        problems_add(reader->problems, sources[0].root->mark, "the list has no jobs");
}

void draft_release(struct draft *draft)
{
    presets_release(&draft->presets);
    free(draft->roots);
    free(draft->jobs);
    *draft = (struct draft){0};
}
