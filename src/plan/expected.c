#include "plan/expected.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/strings.h"
#include "image/image_format.h"
#include "job/rules.h"
#include "job/settings.h"
#include "material/material.h"
#include "page/metadata.h"

/* -- Settings ------------------------------------------------------------------------------------------------ */

/* Texts with the NUL at their end: none runs into the next. */
static void add_hashed(struct buffer *text, const char *part)
{
    buffer_add(text, part, strlen(part) + 1);
}

void job_recorded_hash(const struct job *job, char hash[HASH_SIZE])
{
    SCOPED_BY(arena_release) struct arena arena = {0};
    SCOPED_BY(buffer_release) struct buffer text = {0};
    struct record_pairs settings;
    job_recorded_settings(job, NULL, NULL, &arena, &settings);
    for (size_t i = 0; i < settings.count; i++) {
        add_hashed(&text, settings.items[i].name);
        add_hashed(&text, settings.items[i].value);
    }
    hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, hash);
}

void job_recorded_group(const struct job_list *list, const char *group, char hash[HASH_SIZE])
{
    SCOPED_BY(strings_release) struct strings hashes = {0};
    SCOPED_BY(buffer_release) struct buffer text = {0};
    for (size_t i = 0; i < list->job_count; i++) {
        const struct job *job = &list->jobs[i];
        if (job->missing_count || job->fit.scope != FIT_GROUP || strcmp(job->fit.group, group))
            continue; /* a group is framed without jobs that cannot be opened, and again when they can */
        job_recorded_hash(job, hash);
        strings_add(&hashes, hash);
    }
    strings_sort(&hashes);
    for (size_t i = 0; i < hashes.count; i++)
        if (i == 0 || strcmp(hashes.items[i - 1], hashes.items[i]))
            add_hashed(&text, hashes.items[i]);
    hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, hash);
}

/* -- A job ------------------------------------------------------------------------------------------------- */

/* Of which the hash has been made: it is over all jobs of the group. */
struct hashed_group {
    const struct job_list *list;
    const char *name;
    char hash[HASH_SIZE];
};

struct expected {
    struct identity identity;
    struct record record; /* its arena has the settings of the latest job */
    const struct job *latest;
    struct hashed_group *groups;
    size_t group_count, group_capacity;
};

struct expected *expected_new(const struct identity *identity)
{
    struct expected *expected = must_alloc(1, sizeof *expected);
    expected->identity = identity ? *identity : (struct identity){"-", "-", "-", "-", "-", "-", "-", ""};
    expected->record = (struct record){
        .output = OUTPUT_VERSION,
        .renderer = expected->identity.name,
        .backend = expected->identity.backend,
        .cpu = expected->identity.cpu,
        .library = expected->identity.library,
        .program = expected->identity.program,
        .assimp = expected->identity.assimp,
        .probe = expected->identity.probe,
    };
    return expected;
}

void expected_free(struct expected *expected)
{
    if (!expected)
        return;
    arena_release(&expected->record.arena);
    free(expected->groups);
    free(expected);
}

const struct record *expected_record(struct expected *expected, const struct job_list *list, const struct job *job)
{
    struct record *record = &expected->record;
    const struct record_pairs before = record->settings;
    struct arena arena = record->arena;
    const struct job *latest =
        expected->latest && expected->latest->is_atlas == job->is_atlas ? expected->latest : NULL;
    record->arena = (struct arena){0};
    job_recorded_settings(job, latest, latest ? &before : NULL, &record->arena, &record->settings);
    arena_release(&arena);
    expected->latest = job;
    job_written_settings(list, job, &record->arena, &record->words, &record->places);
    record->list = list->name;
    record->job = job->name;
    record->group = NULL;
    if (job->fit.scope != FIT_GROUP)
        return record;
    size_t i = 0;
    while (i < expected->group_count &&
           (expected->groups[i].list != list || strcmp(expected->groups[i].name, job->fit.group)))
        i++;
    if (i == expected->group_count) {
        *MUST_ADD(expected->groups, expected->group_count, expected->group_capacity) =
            (struct hashed_group){.list = list, .name = job->fit.group};
        job_recorded_group(list, job->fit.group, expected->groups[i].hash);
    }
    record->group = expected->groups[i].hash;
    return record;
}

/* -- Look-ups ---------------------------------------------------------------------------------------------- */

static void list_pairs(struct record *record, const struct trace *trace, enum look_up_kind kind,
                       struct record_pairs *out)
{
    struct record_pair *items = arena_must_alloc(&record->arena, trace->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct look_up *item = &trace->items[i];
        /* That a file was found where it was looked for is said by its being read. */
        bool is_said = item->kind == LOOK_FOUND && !strcmp(item->name, item->value) &&
                       trace_find(trace, LOOK_READ, item->name);
        if (item->kind == kind && !is_said)
            items[count++] = (struct record_pair){item->name, item->value};
    }
    record_sort_pairs(items, count);
    *out = (struct record_pairs){items, count};
}

/* Whether assimp may have read one of the files, of this job or of one that is framed with it. */
static bool may_use_assimp(const struct record *record)
{
    const struct record_pair *via = record_find(&record->settings, "via");
    bool may_use = via && via->value && !strcmp(via->value, via_words[VIA_ASSIMP]);
    for (size_t i = 0; i < record->inputs.count && !may_use; i++)
        may_use = model_format_suffix(&assimp_format, record->inputs.items[i].name) != NULL;
    return may_use;
}

void expected_with_look_ups(const struct record *expected, const struct trace *trace, struct record *out)
{
    *out = *expected;
    out->arena = (struct arena){0};
    list_pairs(out, trace, LOOK_READ, &out->inputs);
    list_pairs(out, trace, LOOK_PACKED, &out->packed);
    list_pairs(out, trace, LOOK_FOUND, &out->found);
    list_pairs(out, trace, LOOK_LISTED, &out->listed);
    list_pairs(out, trace, LOOK_DECLARED, &out->declared);
    out->assimp = may_use_assimp(out) ? out->assimp : NULL;
    const char **absent = arena_must_alloc(&out->arena, trace->count, sizeof *absent);
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].kind == LOOK_ABSENT)
            absent[out->absent_count++] = trace->items[i].name;
    SORT(absent, out->absent_count, strings_compare);
    out->absent = absent;
}

static bool is_used(const struct record *record, const char *path)
{
    bool is_found = record_find(&record->inputs, path) != NULL;
    for (size_t i = 0; i < record->found.count && !is_found; i++)
        is_found = !strcmp(record->found.items[i].value, path);
    return is_found;
}

/* Adds the pictures that match, and that no look-up of the record names; false: files cannot be listed. */
static bool find_unused(struct assets *assets, const struct record *record, const char *pattern,
                        struct strings *out)
{
    SCOPED_BY(strings_release) struct strings files = {0};
    struct error ignored;
    struct trace *trace = assets_trace(assets, NULL); /* files that nothing is made of make nothing stale */
    bool is_known = assets_glob(assets, pattern, &files, &ignored) == 0;
    assets_trace(assets, trace);
    for (size_t i = 0; i < files.count; i++)
        if (image_has_suffix(path_suffix(files.items[i])) && !is_used(record, files.items[i]))
            strings_add(out, files.items[i]);
    return is_known;
}

void expected_add_unused(const struct job *job, struct assets *assets, struct record *record)
{
    const struct record_pair *model = record_find(&record->facts, "model");
    struct record_pairs *measured = &record->measured;
    if (!rules_ask(job->rules, RULE_UNUSED_TEXTURES) || !model)
        return;
    SCOPED char *pattern = glob_beside(model->value, "*");
    SCOPED_BY(strings_release) struct strings unused = {0};
    bool is_known = find_unused(assets, record, pattern, &unused);
    SCOPED char *names = missing_list(unused.items, unused.count);
    struct record_pair *pairs = arena_must_alloc(&record->arena, measured->count + 1, sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; i < measured->count; i++)
        if (strcmp(measured->items[i].name, "unused_textures"))
            pairs[count++] = measured->items[i];
    if (is_known)
        pairs[count++] = (struct record_pair){
            "unused_textures", unused.count ? arena_printf(&record->arena, "%zu %s", unused.count, names) : "0"};
    record_sort_pairs(pairs, count);
    *measured = (struct record_pairs){pairs, count};
}

void expected_add_beside(struct assets *assets, const struct record *record, struct buffer *out)
{
    const char *model = record_find(&record->facts, "model")->value;
    const bool is_bare = !strcmp(record_find(&record->facts, "textures")->value, "0");
    for (size_t i = 0; is_bare && i < record->listed.count; i++) {
        const char *looked = record->listed.items[i].name, *end = strstr(looked, MATERIAL_GUESS_END);
        SCOPED char *folder = path_folder(looked), *pattern = path_join(folder, "*");
        const size_t length = strlen(pattern) - 1;
        const bool is_above = !strncmp(model, pattern, length) && strchr(model + length, '/');
        SCOPED_BY(strings_release) struct strings found = {0};
        if (end && !is_above) /* such folders hold all kinds of pictures */
            find_unused(assets, record, pattern, &found);
        for (size_t k = 0; k < found.count; k++)
            if (material_may_wear(found.items[k]))
                buffer_printf(out, "%s\t%s", out->length ? "" : model, found.items[k]);
    }
}
