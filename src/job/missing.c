#include "job/missing.h"

#include <string.h>

#include "base/buffer.h"
#include "base/printable.h"

void missing_keep(struct problems *found, struct arena *arena, struct job *job)
{
    struct missing *kept = arena_must_alloc(arena, found->count, sizeof *kept);
    size_t count = problems_sort(found);
    for (size_t i = 0; i < count; i++) {
        char *text = arena_strdup(arena, found->items[i].text);
        printable_mask(text);
        kept[i] = (struct missing){found->items[i].mark, text};
    }
    job->missing = kept;
    job->missing_count = count;
    problems_release(found);
}

void missing_report(const struct job *jobs, size_t count, struct problems *problems)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < jobs[i].missing_count; j++)
            problems_add(problems, jobs[i].missing[j].mark, "%s", jobs[i].missing[j].text);
}

/* A pattern may match thousands of files with names that no job can have. */
enum { SHOWN = 16 };

char *job_describe_missing(const struct job *job)
{
    struct buffer text = {0};
    for (size_t i = 0; i < job->missing_count && i < SHOWN; i++) {
        const struct missing *missing = &job->missing[i];
        buffer_printf(&text, "%s%s:%u:%u: %s", i ? "; " : "", missing->mark.file, missing->mark.line,
                      missing->mark.column, missing->text);
    }
    if (job->missing_count > SHOWN)
        buffer_printf(&text, "; and %zu more", job->missing_count - SHOWN);
    return text.text;
}

const struct missing *job_list_first_missing(const struct job_list *list)
{
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].missing_count)
            return &list->jobs[i].missing[0];
    return NULL;
}
