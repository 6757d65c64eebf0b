#include "run/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "bake/scene.h"

struct packing {
    struct packed_list *lists; /* by list of `wanted` */
    uint64_t *items;           /* the list's number in the upper half, and the job's */
    size_t count, capacity, next;
    bool leaves_out;
};

struct packed_list *packing_new(const struct wanted *wanted)
{
    struct packed_list *lists = must_alloc(wanted->list_count, sizeof *lists);
    for (size_t l = 0; l < wanted->list_count; l++)
        lists[l] =
            (struct packed_list){wanted->lists[l], must_alloc(wanted->lists[l]->job_count, sizeof *lists[l].jobs)};
    return lists;
}

void packing_free(struct packed_list *lists, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        for (size_t i = 0; i < lists[l].list->job_count; i++)
            buffer_release(&lists[l].jobs[i]);
        free(lists[l].jobs);
    }
    free(lists);
}

void packing_work(struct bake *bake, const struct wanted *wanted, struct worker *worker, uint64_t item)
{
    const struct job_list *list = wanted->lists[item >> 32];
    const struct bake_job job = {list, &list->jobs[(uint32_t)item]};
    struct buffer packed = {0};
    struct error ignored;
    if (bake_pack(bake, &job, &packed, &ignored) == 0)
        worker_send_all(worker, packed.text, packed.length);
    buffer_release(&packed);
}

static bool next_to_pack(void *context, unsigned worker, uint64_t *item)
{
    struct packing *packing = context;
    (void)worker;
    if (packing->next == packing->count)
        return false;
    *item = packing->items[packing->next++];
    return true;
}

/* Where it ends, those who need the rest look themselves: recovery is theirs. */
static bool end_packed(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct packing *packing = context;
    struct buffer *job = &packing->lists[item >> 32].jobs[(uint32_t)item];
    (void)worker;
    if (outcome->kind == OUTCOME_FINISHED) {
        buffer_add(job, (const char *)outcome->result.data, outcome->result.size);
        return true;
    }
    if (packing->leaves_out && outcome->kind != OUTCOME_CANCELLED)
        group_pack_nothing(job);
    return packing->leaves_out;
}

static void add_item(struct packing *packing, size_t list, size_t job)
{
    packing->items = must_grow(packing->items, packing->count, &packing->capacity, sizeof *packing->items);
    packing->items[packing->count++] = (uint64_t)list << 32 | job;
}

static void add_items(struct packing *packing, const struct wanted *wanted, const struct packing_rules *rules)
{
    for (size_t l = 0, job = 0; l < wanted->list_count; l++) {
        const struct job_list *list = wanted->lists[l];
        struct strings groups = {0};
        for (; job < wanted->job_count && wanted->jobs[job].list == list; job++) {
            const struct fit *fit = &wanted->jobs[job].job->fit;
            if (rules->pairs)
                add_item(packing, l, (size_t)(wanted->jobs[job].job - list->jobs));
            else if (fit->scope == FIT_GROUP && (!rules->selection || selection_has_job(rules->selection, job)))
                strings_add_new(&groups, fit->group);
        }
        for (size_t i = 0; i < list->job_count; i++)
            if (list->jobs[i].fit.scope == FIT_GROUP && strings_has(&groups, list->jobs[i].fit.group))
                add_item(packing, l, i);
        strings_release(&groups);
    }
}

void packing_run(const struct wanted *wanted, const struct packing_rules *rules,
                 const struct pool_settings *settings, struct packed_list *lists)
{
    struct packing packing = {.lists = lists, .leaves_out = rules->leaves_out};
    struct pool_settings pool = *settings;
    add_items(&packing, wanted, rules);
    pool.context = &packing;
    pool.next = next_to_pack;
    pool.message = NULL;
    pool.most_result = 16 << 20; /* no job has asked for a tenth of that */
    pool.done = end_packed;
    int ignored_signal;
    struct error ignored;
    if (packing.count)
        pool_run(&pool, &ignored_signal, &ignored); /* what it could not do, others find again */
    free(packing.items);
}
