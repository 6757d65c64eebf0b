#include "run/wanted.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "plan/expected.h"
#include "os/signals.h"

/* Goes by the job's name or that of its atlas. */
static bool takes(const char *only, const struct job *job)
{
    return !only || glob_takes(only, job->name) || (job->atlas && glob_takes(only, job->atlas));
}

static void add_job(struct wanted *wanted, size_t *capacity, struct bake_job job)
{
    *MUST_ADD(wanted->jobs, wanted->job_count, *capacity) = job;
    if (!wanted->list_count || wanted->lists[wanted->list_count - 1] != job.list)
        wanted->lists[wanted->list_count++] = job.list;
}

void wanted_init(struct wanted *wanted, const struct batch_settings *settings)
{
    struct job_list *const *lists = settings->lists;
    size_t list_count = settings->list_count, capacity = 0;
    *wanted = (struct wanted){.settings = settings, .lists = must_alloc(list_count, sizeof *wanted->lists)};
    for (size_t i = 0; i < settings->job_count; i++)
        add_job(wanted, &capacity, settings->jobs[i].job);
    for (size_t i = 0; i < list_count && !settings->jobs; i++)
        for (size_t j = 0; j < lists[i]->job_count; j++)
            if (takes(settings->only, &lists[i]->jobs[j]))
                add_job(wanted, &capacity, (struct bake_job){lists[i], &lists[i]->jobs[j]});
}

/* Lists the jobs of an atlas, all of them before it, with the hashes of their files. The caller frees the items. */
static struct record_pairs list_atlas(const struct wanted *wanted, const struct bake_job *atlas, size_t number)
{
    struct record_pair *items = must_alloc(number, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < number; i++)
        if (wanted->jobs[i].list == atlas->list && job_is_in_atlas(wanted->jobs[i].job, atlas->job))
            items[count++] = (struct record_pair){wanted->jobs[i].job->name, wanted->verdicts[i].hash};
    record_sort_pairs(items, count);
    return (struct record_pairs){items, count};
}

static void judge_job(struct wanted *wanted, struct inspector *inspector, struct expected *expected, size_t i)
{
    const struct bake_job *job = &wanted->jobs[i];
    verdict_release(&wanted->verdicts[i]);
    if (job->job->missing_count) {
        inspect_missing(job->job, &wanted->verdicts[i]);
        return;
    }
    struct record record = {0}; /* asked only where there is one to compare */
    if (inspector_has_pages(inspector, job->list, job->job->name))
        record = *expected_record(expected, job->list, job->job);
    if (job->job->is_atlas)
        record.inputs = list_atlas(wanted, job, i);
    inspect_job(inspector, job->list, job->job, &record, &wanted->verdicts[i]);
    free((struct record_pair *)record.inputs.items);
}

/* Judges all, or an atlas and those of its jobs that were not up to date. */
static void judge_jobs(struct wanted *wanted, const struct bake_job *atlas)
{
    struct inspector *inspector = inspector_new(!wanted->is_preview);
    struct expected *expected = expected_new(wanted->settings->purpose == BATCH_SHIPS ? &wanted->identity : NULL);
    for (size_t i = 0; i < wanted->job_count && !signals_first(); i++) {
        const struct bake_job *job = &wanted->jobs[i];
        if (!atlas || job == atlas ||
            (job->list == atlas->list && job_is_in_atlas(job->job, atlas->job) && !*wanted->verdicts[i].hash))
            judge_job(wanted, inspector, expected, i);
    }
    expected_free(expected);
    inspector_free(inspector);
}

bool wanted_judge_atlas(struct wanted *wanted, uint32_t job)
{
    if (!wanted->settings->force)
        judge_jobs(wanted, &wanted->jobs[job]);
    return wanted_is_up_to_date(wanted, job, 0);
}

bool wanted_is_ours(const struct wanted *wanted, uint32_t job, uint32_t page)
{
    const struct bake_job *of = &wanted->jobs[job];
    const struct shard *shard = &wanted->settings->shard;
    const char *atlas = of->job->atlas; /* with all its jobs */
    return shard->count == 0 || shard_of_page(shard->count, of->list->name, atlas ? atlas : of->job->name,
                                              atlas ? 0 : page) == shard->number;
}

/* Of the selection, at first without a look at what is missing. */
static bool is_left(const void *context, size_t job, uint32_t page)
{
    const struct wanted *wanted = context;
    return !wanted_is_up_to_date(wanted, (uint32_t)job, page) && wanted_is_ours(wanted, (uint32_t)job, page);
}

static bool is_to_be_made(const void *context, size_t job, uint32_t page)
{
    const struct wanted *wanted = context;
    const struct job *of = wanted->jobs[job].job;
    return !of->missing_count && (wanted->is_preview || !of->is_atlas) && is_left(wanted, job, page);
}

bool wanted_is_atlas(const struct wanted *wanted, uint32_t job)
{
    const struct job *of = wanted->jobs[job].job;
    return of->is_atlas && !of->missing_count && is_left(wanted, job, 0);
}

void wanted_judge(struct wanted *wanted)
{
    wanted->page_counts = must_alloc(wanted->job_count, sizeof *wanted->page_counts);
    wanted->selection = (struct selection){wanted->job_count, wanted->page_counts, is_left, wanted};
    wanted->verdicts = must_alloc(wanted->job_count, sizeof *wanted->verdicts);
    wanted->missing = must_alloc(wanted->job_count, sizeof *wanted->missing);
    const struct batch_settings *settings = wanted->settings;
    if (!settings->in_process && settings->purpose == BATCH_SHIPS)
        identity_ask(settings->backend, settings->sandbox, settings->renderer != RENDERER_STRICT,
                     &wanted->identity);
    if (!settings->force)
        judge_jobs(wanted, NULL);
    for (size_t job = 0; job < wanted->job_count; job++) {
        struct verdict *verdict = &wanted->verdicts[job];
        if (settings->force && wanted->jobs[job].job->missing_count) {
            inspect_missing(wanted->jobs[job].job, verdict);
        } else if (settings->force) {
            verdict->pages = must_alloc(1, sizeof *verdict->pages);
            reasons_add(&verdict->pages[0].reasons, REASON_FORCED, NULL, NULL, NULL);
        }
        /* 0: the worker that opens the job finds it. */
        wanted->page_counts[job] = wanted->jobs[job].job->is_atlas ? 1 : verdict->page_count;
    }
    for (uint32_t job = 0; job < wanted->job_count; job++) {
        if (wanted->jobs[job].job->missing_count == 0)
            continue;
        if (selection_has_job(&wanted->selection, job))
            wanted->missing[wanted->missing_count++] = job;
        wanted->page_counts[job] = 1; /* nothing to find out: it is not made */
    }
    wanted->selection.has = is_to_be_made;
}

void wanted_release(struct wanted *wanted)
{
    for (size_t i = 0; wanted->verdicts && i < wanted->job_count; i++)
        verdict_release(&wanted->verdicts[i]);
    free(wanted->verdicts);
    free(wanted->missing);
    free(wanted->page_counts);
    free(wanted->turns);
    free(wanted->jobs);
    free(wanted->lists);
}

const struct page_verdict *wanted_verdict(const struct wanted *wanted, uint32_t job, uint32_t page)
{
    const struct verdict *verdict = &wanted->verdicts[job];
    return &verdict->pages[page < verdict->page_count ? page : 0];
}

bool wanted_is_up_to_date(const struct wanted *wanted, uint32_t job, uint32_t page)
{
    return page < wanted->verdicts[job].page_count && wanted_verdict(wanted, job, page)->reasons.count == 0;
}

void wanted_keep(const struct wanted *wanted, uint32_t job, uint32_t page, struct strings *kept)
{
    const struct strings *names = &wanted_verdict(wanted, job, page)->names;
    for (size_t i = 0; i < names->count; i++) {
        char *path = path_join(wanted->jobs[job].list->output, names->items[i]);
        strings_add(kept, path);
        free(path);
    }
}
