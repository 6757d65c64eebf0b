#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "bake/listed_pages.h"
#include "run/batch_state.h"
#include "fresh/judge.h"
#include "fresh/recorded.h"
#include "os/signals.h"
#include "fresh/today.h"

/* -- What need not be made --------------------------------------------------------------------------------- */

static void judge_jobs(struct batch *batch, const struct batch_settings *settings)
{
    struct identity identity;
    identity_ask(settings->backend, settings->sandbox, &identity);
    struct judge *judge = judge_new(batch->owners);
    struct today *today = today_new(&identity);
    for (size_t i = 0; i < batch->job_count && !signals_first(); i++) {
        const struct bake_job *job = &batch->jobs[i];
        if (job->job->missing_count)
            judge_missing(job->job, &batch->verdicts[i]);
        else
            judge_job(judge, job->list, job->job, today_record(today, job->list, job->job), &batch->verdicts[i]);
    }
    today_free(today);
    judge_free(judge);
}

static void force_jobs(struct batch *batch)
{
    for (size_t i = 0; i < batch->job_count; i++) {
        batch->verdicts[i].pages = must_alloc(1, sizeof *batch->verdicts[i].pages);
        reasons_add(&batch->verdicts[i].pages[0].reasons, REASON_FORCED, NULL, NULL, NULL);
    }
}

/* The number of pages is told only where some of them are up to date: the worker that opens the job finds it
 * anyhow. */
static void select_pages(struct batch *batch, size_t job)
{
    const struct verdict *verdict = &batch->verdicts[job];
    if (verdict->page_count)
        selection_set_pages(batch->selection, job, verdict->page_count);
    for (uint32_t page = 0; page < verdict->page_count; page++)
        if (verdict->pages[page].reasons.count == 0)
            selection_leave_page(batch->selection, job, page);
}

static bool is_ours(const void *context, size_t number, uint32_t page)
{
    const struct batch *batch = context;
    const struct bake_job *job = &batch->jobs[number];
    const struct shard *shard = &batch->shard;
    return shard->count == 0 ||
           shard_of_page(shard->count, job->list->name, job->job->name, page) == shard->number;
}

/* A job is not even opened where its list alone tells that all its pages belong to other shards. Where one page is
 * ours, its model tells how many there are. */
static void leave_job_of_others(struct batch *batch, size_t job)
{
    uint32_t page_count = listed_page_count(batch->jobs[job].job);
    for (uint32_t page = 0; page < page_count; page++)
        if (is_ours(batch, job, page))
            return;
    if (page_count > 0)
        selection_set_pages(batch->selection, job, page_count);
}

static void leave_other_shards(struct batch *batch)
{
    selection_set_share(batch->selection, is_ours, batch);
    for (size_t i = 0; i < batch->job_count; i++)
        if (selection_pages(batch->selection, i) == 0)
            leave_job_of_others(batch, i);
}

void batch_judge(struct batch *batch, const struct batch_settings *settings)
{
    batch->owners = owners_new(settings->lists, settings->list_count);
    batch->selection = selection_new(batch->job_count);
    batch->verdicts = must_alloc(batch->job_count, sizeof *batch->verdicts);
    if (settings->force)
        force_jobs(batch);
    else
        judge_jobs(batch, settings);
    for (size_t i = 0; i < batch->job_count; i++)
        select_pages(batch, i);
    batch->shard = settings->shard;
    if (batch->shard.count > 0)
        leave_other_shards(batch);
    batch_leave_missing(batch);
}

void batch_release_jobs(struct batch *batch)
{
    for (size_t i = 0; batch->verdicts && i < batch->job_count; i++)
        verdict_release(&batch->verdicts[i]);
    free(batch->verdicts);
    free(batch->missing);
    owners_free(batch->owners);
    selection_free(batch->selection);
    free(batch->jobs);
}

const struct page_verdict *batch_verdict(const struct batch *batch, uint32_t job, uint32_t page)
{
    const struct verdict *verdict = &batch->verdicts[job];
    return &verdict->pages[page < verdict->page_count ? page : 0];
}

/* -- Telling it -------------------------------------------------------------------------------------------- */

static bool is_up_to_date(const struct batch *batch, uint32_t job, uint32_t page)
{
    return page < batch->verdicts[job].page_count && batch_verdict(batch, job, page)->reasons.count == 0;
}

static void claim_names(struct batch *batch, const struct bake_job *job, const struct strings *names)
{
    for (size_t i = 0; i < names->count; i++)
        outputs_claim_page(batch->outputs, job->list, job->job, names->items[i]);
}

/* For those who want to know its inputs. It was read to be judged, but was not kept: most runs need it no more. */
static void load_record(const struct batch *batch, const struct job_list *list, const char *name,
                        struct record *record)
{
    *record = (struct record){0};
    if (!report_wants_inputs(batch->report))
        return;
    struct error err;
    char *file = must_printf("%s" RECORD_SUFFIX, name), *path = path_join(list->output, file);
    recorded_load(path, record, &err);
    free(path);
    free(file);
}

static void report_kept(struct batch *batch, uint32_t number, uint32_t page, const struct strings *names)
{
    const struct bake_job *job = &batch->jobs[number];
    struct record record;
    char *first = must_printf("%s" PICTURE_SUFFIX, names->items[0]);
    for (size_t i = 0; i < names->count; i++) {
        char *name = must_printf("%s" PICTURE_SUFFIX, names->items[i]);
        load_record(batch, job->list, names->items[i], &record);
        report_page(batch->report, &(struct page_result){
                                       .list = job->list,
                                       .job = job->job,
                                       .page = page,
                                       .order = schedule_order(&(struct schedule_item){.job = number, .page = page}),
                                       .name = name,
                                       .made_with = i ? first : NULL,
                                       .status = PAGE_UP_TO_DATE,
                                       .inputs = &record.inputs,
                                       .warnings = page || i ? NULL : &batch->verdicts[number].warnings,
                                   });
        record_release(&record);
        free(name);
    }
    free(first);
}

static void report_warnings(struct batch *batch, uint32_t job)
{
    const struct strings *warnings = &batch->verdicts[job].warnings;
    for (size_t i = 0; i < warnings->count; i++)
        report_old_warning(batch->report, batch->jobs[job].job, warnings->items[i]);
}

static size_t count_kept(const struct batch *batch)
{
    size_t count = 0;
    for (uint32_t job = 0; job < batch->job_count; job++)
        for (uint32_t page = 0; page < batch->verdicts[job].page_count; page++)
            count += is_up_to_date(batch, job, page) && is_ours(batch, job, page);
    return count;
}

void batch_keep_pages(struct batch *batch)
{
    for (uint32_t job = 0; job < batch->job_count; job++)
        for (uint32_t page = 0; page < batch->verdicts[job].page_count; page++) {
            if (!is_up_to_date(batch, job, page))
                continue;
            const struct strings *names = &batch_verdict(batch, job, page)->names;
            claim_names(batch, &batch->jobs[job], names);
            if (is_ours(batch, job, page))
                report_kept(batch, job, page, names);
            if (is_ours(batch, job, page) && page == 0)
                report_warnings(batch, job);
        }
}

/* -- A run that only says what it would do ----------------------------------------------------------------- */

static void tell_job(const struct batch *batch, uint32_t number, batch_tell *tell, void *context)
{
    const struct bake_job *job = &batch->jobs[number];
    struct batch_todo todo = {.list = job->list, .job = job->job, .verdict = &batch->verdicts[number]};
    if (todo.verdict->page_count == 0 && selection_has_job(batch->selection, number)) {
        todo.is_doubtful = !is_ours(batch, number, 0); /* a first page every job has */
        tell(context, &todo);
    }
    for (; todo.page < todo.verdict->page_count; todo.page++)
        if (selection_has(batch->selection, number, todo.page))
            tell(context, &todo);
}

static void tell_missing(const struct batch *batch, uint32_t number, batch_tell *tell, void *context)
{
    const struct bake_job *job = &batch->jobs[number];
    tell(context, &(struct batch_todo){.list = job->list, .job = job->job, .verdict = &batch->verdicts[number]});
}

static void preview_prune(struct batch *batch, const struct batch_settings *settings)
{
    batch->outputs = outputs_new(batch->job_count);
    for (uint32_t job = 0; job < batch->job_count; job++)
        for (uint32_t page = 0; page < batch->verdicts[job].page_count; page++)
            if (is_up_to_date(batch, job, page))
                claim_names(batch, &batch->jobs[job], &batch_verdict(batch, job, page)->names);
    batch_prune(batch, settings, true);
    outputs_free(batch->outputs);
}

enum batch_end batch_preview(const struct batch_settings *settings, batch_tell *tell, void *context,
                             size_t *up_to_date)
{
    struct batch batch = {0};
    batch_select_jobs(&batch, settings);
    if (batch.job_count == 0)
        return BATCH_NO_JOBS;
    batch_judge(&batch, settings);
    for (uint32_t job = 0; job < batch.job_count; job++)
        tell_job(&batch, job, tell, context);
    for (size_t i = 0; i < batch.missing_count; i++)
        tell_missing(&batch, batch.missing[i], tell, context);
    *up_to_date = count_kept(&batch);
    if (settings->prune)
        preview_prune(&batch, settings);
    enum batch_end end = batch.missing_count ? BATCH_SHEETS_FAILED : BATCH_DONE;
    batch_release_jobs(&batch);
    return end;
}
