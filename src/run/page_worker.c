#include "run/page_worker.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "bake/bake.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/names.h"
#include "run/confine.h"
#include "run/messages.h"
#include "run/measure.h"
#include "run/schedule.h"
#include "page/metadata.h"

/* -- Starting ---------------------------------------------------------------------------------------------- */

static void hold(void *context, bool hold)
{
    worker_hold(context, hold);
}

static void *share(void *context, uint64_t size, uint64_t part)
{
    const struct shared_memory *memory = worker_share(context, size, part);
    return memory ? memory->data : NULL;
}

/* A number for the folders that the lists' paths lead to now. The rules of the sandbox hold for those, not for other
 * folders that come in their place. Archives do not count: a worker that has one open reads it to the end. */
static uint64_t identify_folders(const struct wanted *wanted)
{
    const uint64_t spread = 0x9e3779b97f4a7c15; /* odd, without a pattern */
    uint64_t sum = 0;
    for (size_t i = 0; i < wanted->list_count; i++) {
        const struct job_list *list = wanted->lists[i];
        for (size_t j = 0; j <= list->root_count; j++) {
            struct stat info;
            if (stat(j ? list->roots[j - 1] : list->output, &info) < 0 || !S_ISDIR(info.st_mode))
                info = (struct stat){0};
            sum = ((sum ^ info.st_dev) * spread ^ info.st_ino) * spread;
        }
    }
    return sum;
}

/* The supervisor has made the output folders. If somebody has removed one since, it has to be made again before the
 * process is confined. */
static int confine(struct page_worker *self, struct error *err)
{
    struct sandbox_rules rules = {.mode = self->settings->sandbox};
    for (size_t i = 0; i < self->wanted->list_count; i++) {
        struct error ignored;
        file_make_folders(self->wanted->lists[i]->output, &ignored);
        confine_add_list(&rules, self->wanted->lists[i], true);
    }
    for (size_t i = 0; self->settings->purpose == BATCH_PLANS && i < self->settings->list_count; i++)
        confine_add_list(&rules, self->settings->lists[i], false);
    self->folders = identify_folders(self->wanted);
    int result = confine_renderer(&rules, NULL, err);
    sandbox_rules_release(&rules);
    return result;
}

int page_worker_start(void *context, struct worker *worker, struct error *err)
{
    struct page_worker *self = context;
    struct page_note *note = (struct page_note *)worker_note(worker);
    const struct page_writer writer = {
        .durable = self->settings->durable,
        .png_level = self->settings->purpose == BATCH_SHIPS ? 0 : PNG_FASTEST,
        .hold = hold,
        .hold_context = worker,
        .kept = self->kept,
        .note = note->temporaries,
        .note_size = sizeof note->temporaries,
    };
    self->planner = planner_new(self->measures, self->wanted->list_count);
    for (size_t i = 0; i < self->wanted->job_count; i++)
        planner_expect(self->planner, self->wanted->jobs[i].job, self->wanted->turns[i]);
    self->planner->stopwatch = &note->figures.stopwatch;
    page_note_guard(note, self->settings->memory_limit);
    self->worker = worker;
    if (confine(self, err) < 0)
        return -1;
    const struct identity *known = &self->wanted->identity;
    if (!*known->probe && self->settings->renderer != RENDERER_STRICT && self->settings->purpose == BATCH_SHIPS)
        known = NULL; /* no process could find it */
    bool draws = !self->is_measuring && self->settings->purpose != BATCH_PLANS;
    if (!draws)
        return 0;
    if (bake_new(self->planner, &writer, self->settings->backend, known, &self->bake, err) < 0)
        return -1;
    self->bake->sharer = (struct sharer){share, worker};
    return 0;
}

/* -- Working ----------------------------------------------------------------------------------------------- */

static void send_text(struct worker *worker, enum message_kind kind, const char *text)
{
    message_send(worker, &(struct message){.kind = kind, .text = text});
}

/* Sends, with the first item of a job, what is known once its model is open. */
static void send_plan(const struct page_worker *self, const struct plan *plan)
{
    struct worker *worker = self->worker;
    message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = plan->page_count});
    size_t count = plan->warnings.count;
    for (size_t i = 0; i < count && i < MESSAGE_MOST_WARNINGS; i++)
        send_text(worker, MESSAGE_WARNING, plan->warnings.items[i]);
    if (count > MESSAGE_MOST_WARNINGS) {
        char *rest = must_printf("%s: %zu more warnings", plan->job->model, count - MESSAGE_MOST_WARNINGS);
        send_text(worker, MESSAGE_WARNING, rest);
        free(rest);
    }
    if (!report_wants_details(self->settings->report))
        return;
    struct strings lines = {0};
    search_path_add_all(plan, &lines);
    for (size_t i = 0; i < lines.count; i++)
        send_text(worker, MESSAGE_DETAIL, lines.items[i]);
    strings_release(&lines);
}

/* The job with which it makes a pair, or NULL. */
static const struct bake_job *find_other(const struct page_worker *self, uint32_t job)
{
    return self->settings->purpose == BATCH_FRAMES ? &self->settings->jobs[job].other : NULL;
}

static int bake_item(const struct page_worker *self, const struct bake_job *job, const struct schedule_item *item,
                     struct error *err)
{
    struct bake *bake = self->bake;
    const struct trace *trace = &self->planner->trace;
    uint32_t page = item->page;
    if (bake_open(bake, job, find_other(self, item->job), err) < 0)
        return -1;
    const struct plan *plan = self->planner->plan;
    if (self->settings->purpose != BATCH_SHIPS)
        message_send(self->worker, &(struct message){.kind = MESSAGE_FRAMED,
                                                     .number = views_hash(&self->planner->views, job->job)});
    if (item->is_first)
        send_plan(self, plan);
    if (page >= plan->page_count)
        return error_set(err, "page %u of %u: %s was changed during the run", page + 1, plan->page_count,
                         job->job->model);
    uint32_t page_of_sheet;
    const struct sheet_plan *sheet = plan_sheet_of_page(plan, page, &page_of_sheet);
    char *name = names_page(sheet->base, page_of_sheet, PICTURE_SUFFIX);
    send_text(self->worker, MESSAGE_STARTED, name);
    free(name);
    if (trace->changed)
        return error_set(err, "%s was changed while the sheet was made", trace->changed);
    for (size_t i = 0; i < trace->count && report_wants_inputs(self->settings->report); i++) {
        const struct look_up *look_up = &trace->items[i];
        if (look_up->kind != LOOK_READ)
            continue;
        char *text = must_printf("%s %s", look_up->value, look_up->name);
        send_text(self->worker, MESSAGE_INPUT, text);
        free(text);
    }
    if (bake_page(bake, page, err) < 0)
        return -1;
    for (size_t i = 0; i < bake->late_warnings.count; i++)
        send_text(self->worker, MESSAGE_WARNING, bake->late_warnings.items[i]);
    for (size_t i = 0; i < bake->findings.count; i++)
        send_text(self->worker, MESSAGE_FINDING, bake->findings.items[i]);
    for (size_t i = 0; i < bake->other_pages.count; i++)
        send_text(self->worker, MESSAGE_ALSO, bake->other_pages.items[i]);
    return 0;
}

/* Fails with what differs, unless all look-ups of the job's record would end alike for the other, which has the same settings. */
static int compare_item(struct page_worker *self, uint32_t number, struct error *err)
{
    const struct batch_job *job = &self->settings->jobs[number];
    const struct record *was;
    if (!self->inspector)
        self->inspector = inspector_new(false);
    struct assets *others = inspector_assets(self->inspector, job->other.list);
    if (planner_record(self->planner, &job->job, job->has_same_folders ? others : NULL, &was, err) < 0)
        return -1;
    struct reasons reasons = {0};
    inspect_look_ups(self->inspector, job->other.list, was, job->has_same_folders ? self->planner->assets : NULL,
                     &reasons);
    char *text = reasons.count ? reason_text(&reasons.items[0]) : NULL;
    int result = text ? error_set(err, "%s", text) : 0;
    free(text);
    reasons_release(&reasons);
    return result;
}

void page_worker_work(void *context, struct worker *worker, uint64_t item)
{
    struct page_worker *self = context;
    if (self->is_measuring) {
        measure_work(self->planner, self->wanted, worker, item);
        return;
    }
    struct schedule_item page = schedule_item_of(item);
    const struct bake_job *job = &self->wanted->jobs[page.job];
    struct error err;
    uint32_t page_count;
    int result;
    self->planner->turn = self->wanted->turns[page.job];
    if (self->settings->purpose == BATCH_PLANS) {
        message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = 1});
        result = compare_item(self, page.job, &err);
    } else if (!page.is_survey) {
        result = bake_item(self, job, &page, &err);
    } else {
        result = planner_survey(self->planner, job, &page_count, &err);
        if (result == 0)
            message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = page_count});
    }
    send_text(worker, result < 0 ? MESSAGE_FAILED : MESSAGE_DONE, result < 0 ? err.text : "");

    struct page_figures *figures = &((struct page_note *)worker_note(worker))->figures;
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        figures->peak_kib = (uint64_t)usage.ru_maxrss;
    figures->is_own = figures->stopwatch.current != STAGE_WRITE && trace_is_sure(&self->planner->trace);
    if (self->settings->sandbox != SANDBOX_OFF && identify_folders(self->wanted) != self->folders)
        worker_leave(worker); /* its sandbox allows folders that are gone */
}

void page_worker_help(void *context, struct worker *worker, uint64_t item, const struct shared_memory *memory)
{
    struct page_worker *self = context;
    const struct schedule_item page = schedule_item_of(item);
    (void)worker;
    if (self->bake)
        bake_help(self->bake, &self->wanted->jobs[page.job], find_other(self, page.job), page.page, memory->data,
                  memory->size, memory->part);
}

/* Leaves nothing for a leak checker to find, and lets the driver write its shader cache. */
void page_worker_finish(void *context)
{
    struct page_worker *self = context;
    inspector_free(self->inspector);
    bake_free(self->bake);
    planner_free(self->planner);
}
