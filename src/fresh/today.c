#include "fresh/today.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fresh/job_settings.h"
#include "render/fingerprint.h"

/* Of which the hash has been made: it is over all jobs of the group. */
struct hashed_group {
    const struct job_list *list;
    const char *name;
    char hash[HASH_SIZE];
};

struct today {
    struct fingerprint renderer;
    struct record record; /* its arena has the settings of the latest job */
    struct hashed_group *groups;
    size_t group_count, group_capacity;
};

struct today *today_new(enum backend_choice backend)
{
    struct today *today = must_alloc(1, sizeof *today);
    fingerprint_take(backend, &today->renderer);
    today->record = (struct record){
        .output = OUTPUT_VERSION,
        .backend = today->renderer.backend,
        .cpu = today->renderer.cpu,
        .library = today->renderer.library,
        .program = today->renderer.program,
    };
    return today;
}

void today_set_backend(struct today *today, enum backend_choice backend)
{
    fingerprint_take_renderer(backend, &today->renderer);
}

void today_free(struct today *today)
{
    if (!today)
        return;
    arena_release(&today->record.arena);
    free(today->groups);
    free(today);
}

static const char *hash_group(struct today *today, const struct job_list *list, const char *name)
{
    for (size_t i = 0; i < today->group_count; i++)
        if (today->groups[i].list == list && !strcmp(today->groups[i].name, name))
            return today->groups[i].hash;
    today->groups = must_grow(today->groups, today->group_count, &today->group_capacity, sizeof *today->groups);
    struct hashed_group *group = &today->groups[today->group_count++];
    *group = (struct hashed_group){.list = list, .name = name};
    job_recorded_group(list, name, group->hash);
    return group->hash;
}

const struct record *today_record(struct today *today, const struct job_list *list, const struct job *job)
{
    struct record *record = &today->record;
    arena_release(&record->arena);
    job_recorded_settings(job, &record->arena, &record->settings);
    record->group = job->fit.scope == FIT_GROUP ? hash_group(today, list, job->fit.group) : NULL;
    return record;
}
