#include "job/output_names.h"

#include <stdlib.h>
#include <string.h>

/* As output_names_tell has it. */
struct output_name {
    const char *name;
    const struct job *job;
    bool is_json;
};

struct output_names {
    struct arena arena;
    struct output_name *items;
    size_t count, capacity;
    const struct job *job; /* whose names are being added */
};

static void tell_behind(const char *page, const char *behind, bool is_json, output_names_tell *tell, void *context)
{
    char *name = must_printf("%s.%s", page, behind);
    tell(context, name, is_json);
    free(name);
}

/* Of ".aseprite.json", what a job called "orc.aseprite" would write, too. */
static void tell_metadata(const char *page, const char *suffix, output_names_tell *tell, void *context)
{
    const char *last = strrchr(suffix, '.');
    if (last == suffix)
        return;
    char *behind = must_printf("%.*s", (int)(last - suffix - 1), suffix + 1);
    tell_behind(page, behind, true, tell, context);
    free(behind);
}

/* A job may be called "orc.normal" too. */
void output_names_of_page(const struct job *job, const char *page, output_names_tell *tell, void *context)
{
    tell(context, page, false);
    for (unsigned pass = PASS_COLOR + 1; pass < PASS_COUNT; pass++)
        if (job->passes & 1u << pass)
            tell_behind(page, pass_names[pass], false, tell, context);
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        if (job->metadata & 1u << i)
            tell_metadata(page, metadata_formats[i].suffix, tell, context);
}

static void tell_part(const struct job *job, const char *part, output_names_tell *tell, void *context)
{
    char *name = must_printf("%s-%s", job->name, part);
    output_names_of_page(job, name, tell, context);
    free(name);
}

void output_names_of_job(const struct job *job, output_names_tell *tell, void *context)
{
    switch (job->sheet.split) {
    case SPLIT_NONE:
        output_names_of_page(job, job->name, tell, context);
        break;
    case SPLIT_CAMERA:
        for (size_t i = 0; i < job->camera_count; i++)
            tell_part(job, job->cameras[i].name, tell, context);
        break;
    case SPLIT_ANIMATION:
        for (size_t i = 0; i < job->animation_count; i++)
            if (!job->animations[i].is_pattern)
                tell_part(job, job->animations[i].name, tell, context);
        break;
    }
}

static void add_name(void *context, const char *name, bool is_json)
{
    struct output_names *names = context;
    if (names->count > OUTPUT_MOST_NAMES)
        return;
    names->items = must_grow(names->items, names->count, &names->capacity, sizeof *names->items);
    names->items[names->count++] = (struct output_name){arena_strdup(&names->arena, name), names->job, is_json};
}

/* Regardless of case, for file systems that disregard it; in the order of the list where names are the same. */
static int compare_output_names(const void *a_item, const void *b_item)
{
    const struct output_name *a = a_item, *b = b_item;
    int order = strcasecmp(a->name, b->name);
    return order ? order : (a->job > b->job) - (a->job < b->job);
}

static int compare_job_names(const void *a_item, const void *b_item)
{
    const struct job *a = *(const struct job *const *)a_item, *b = *(const struct job *const *)b_item;
    int order = strcasecmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);
}

static void check_job_names(const struct reader *reader, const struct jobs *jobs)
{
    const struct job **sorted = must_alloc(jobs->count, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (!jobs->items[i].is_pattern)
            sorted[count++] = &jobs->items[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, compare_job_names);
    for (size_t i = 1; i < count; i++) {
        const struct job *a = sorted[i - 1], *b = sorted[i];
        if (strcasecmp(a->name, b->name))
            continue;
        problems_add(reader->problems, b->mark,
                     "job '%s' (model '%s') has the name of job '%s' (model '%s') at %s:%u:%u", b->name, b->model,
                     a->name, a->model, a->mark.file, a->mark.line, a->mark.column);
    }
    free(sorted);
}

/* A job whose own name is another's is left out: that is reported already. */
static void check_same_names(const struct reader *reader, const struct output_names *names)
{
    for (size_t i = 1; i < names->count; i++) {
        const struct output_name *a = &names->items[i - 1], *b = &names->items[i];
        if (strcasecmp(a->name, b->name) || !strcasecmp(a->job->name, b->job->name))
            continue;
        const struct mark *other = &a->job->mark;
        problems_add(reader->problems, b->job->mark,
                     "job '%s' would write '%s.%s', as would job '%s' at %s:%u:%u; give one of them another name",
                     b->job->name, b->name, a->is_json || b->is_json ? "json" : "png", a->job->name, other->file,
                     other->line, other->column);
    }
}

static void check_files(const struct reader *reader, const struct jobs *jobs)
{
    struct output_names names = {0};
    for (size_t i = 0; i < jobs->count && names.count <= OUTPUT_MOST_NAMES; i++) {
        names.job = &jobs->items[i];
        if (!names.job->is_pattern)
            output_names_of_job(names.job, add_name, &names);
    }
    if (names.count > OUTPUT_MOST_NAMES)
        problems_add(reader->problems, names.items[names.count - 1].job->mark,
                     "with this job the list makes more than %d sheets, counting their passes", OUTPUT_MOST_NAMES);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_output_names);
    check_same_names(reader, &names);
    free(names.items);
    arena_release(&names.arena);
}

void output_names_check(const struct reader *reader, const struct jobs *jobs)
{
    check_job_names(reader, jobs);
    check_files(reader, jobs);
}
