#include "fresh/today.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fresh/job_settings.h"

/* Of which the hash has been made: it is over all jobs of the group. */
struct hashed_group {
    const struct job_list *list;
    const char *name;
    char hash[HASH_SIZE];
};

struct today {
    struct identity identity;
    struct record record; /* its arena has the settings of the latest job */
    struct hashed_group *groups;
    size_t group_count, group_capacity;
};

struct today *today_new(const struct identity *identity)
{
    struct today *today = must_alloc(1, sizeof *today);
    today->identity = *identity;
    today->record = (struct record){
        .output = OUTPUT_VERSION,
        .renderer = today->identity.name,
        .backend = today->identity.backend,
        .cpu = today->identity.cpu,
        .library = today->identity.library,
        .program = today->identity.program,
    };
    return today;
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
