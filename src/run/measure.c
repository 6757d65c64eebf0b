#include "run/measure.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/strings.h"

struct measuring {
    struct measures *lists; /* by list of `wanted` */
    uint64_t *items;        /* the list's number in the upper half, and the job's */
    size_t count, capacity, next;
    bool leaves_out;
};

struct measures *measure_new(const struct wanted *wanted)
{
    struct measures *lists = must_alloc(wanted->list_count, sizeof *lists);
    for (size_t l = 0; l < wanted->list_count; l++)
        lists[l] =
            (struct measures){wanted->lists[l], must_alloc(wanted->lists[l]->job_count, sizeof *lists[l].jobs)};
    return lists;
}

void measure_free(struct measures *lists, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        for (size_t i = 0; i < lists[l].list->job_count; i++)
            buffer_release(&lists[l].jobs[i]);
        free(lists[l].jobs);
    }
    free(lists);
}

void measure_work(struct planner *planner, const struct wanted *wanted, struct worker *worker, uint64_t item)
{
    const struct job_list *list = wanted->lists[item >> 32];
    const struct bake_job job = {list, &list->jobs[(uint32_t)item]};
    struct buffer measure = {0};
    struct error ignored;
    if (planner_measure(planner, &job, &measure, &ignored) == 0)
        worker_send_all(worker, measure.text, measure.length);
    buffer_release(&measure);
}

static bool next_to_measure(void *context, unsigned worker, uint64_t *item)
{
    struct measuring *run = context;
    (void)worker;
    if (run->next == run->count)
        return false;
    *item = run->items[run->next++];
    return true;
}

/* False ends the run: who draws a job without a measure opens it, and handles its failure. */
static bool end_measured(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct measuring *run = context;
    struct buffer *job = &run->lists[item >> 32].jobs[(uint32_t)item];
    (void)worker;
    if (outcome->kind == OUTCOME_FINISHED) {
        buffer_add(job, (const char *)outcome->result.data, outcome->result.size);
        return true;
    }
    if (run->leaves_out && outcome->kind != OUTCOME_CANCELLED)
        group_measure_nothing(job);
    return run->leaves_out;
}

static void add_item(struct measuring *run, size_t list, size_t job)
{
    *MUST_ADD(run->items, run->count, run->capacity) = (uint64_t)list << 32 | job;
}

static void add_items(struct measuring *run, const struct wanted *wanted, const struct measure_rules *rules)
{
    for (size_t l = 0, job = 0; l < wanted->list_count; l++) {
        const struct job_list *list = wanted->lists[l];
        struct strings groups = {0};
        for (; job < wanted->job_count && wanted->jobs[job].list == list; job++) {
            const struct fit *fit = &wanted->jobs[job].job->fit;
            if (rules->pairs)
                add_item(run, l, (size_t)(wanted->jobs[job].job - list->jobs));
            else if (fit->scope == FIT_GROUP && (!rules->selection || selection_has_job(rules->selection, job)))
                strings_add_new(&groups, fit->group);
        }
        for (size_t i = 0; i < list->job_count; i++)
            if (list->jobs[i].fit.scope == FIT_GROUP && strings_has(&groups, list->jobs[i].fit.group))
                add_item(run, l, i);
        strings_release(&groups);
    }
}

void measure_run(const struct wanted *wanted, const struct measure_rules *rules,
                 const struct pool_settings *settings, struct measures *lists)
{
    struct measuring run = {.lists = lists, .leaves_out = rules->leaves_out};
    struct pool_settings pool = *settings;
    add_items(&run, wanted, rules);
    pool.context = &run;
    pool.next = next_to_measure;
    pool.message = NULL;
    pool.most_result = 16 << 20; /* no job has asked for a tenth of that */
    pool.done = end_measured;
    int ignored_signal;
    struct error ignored;
    if (run.count)
        pool_run(&pool, &ignored_signal, &ignored); /* others open the rest, and tell why they fail */
    free(run.items);
}
