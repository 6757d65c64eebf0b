#include "run/page_worker.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/names.h"
#include "run/schedule.h"
#include "run/confine.h"
#include "run/messages.h"
#include "bake/search_path.h"
#include "sheet/metadata.h"

static int hold(void *context, bool hold, struct error *err)
{
    const struct page_worker *self = context;
    const char *model = self->wanted->jobs[self->job].job->model;
    if (hold && steady_claim(self->steady, self->job, bake_trace(self->bake), model, err) < 0)
        return -1;
    worker_hold(self->worker, hold);
    return 0;
}

static bool is_first_of_list(const struct page_worker *self, size_t job)
{
    return job == 0 || self->wanted->jobs[job].list != self->wanted->jobs[job - 1].list;
}

static uint64_t identify_places(const struct page_worker *self)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < self->wanted->job_count; i++)
        if (is_first_of_list(self, i))
            sum = 31 * sum + confine_identity(self->wanted->jobs[i].list);
    return sum;
}

/* Output folders are there since the run was started, unless someone has removed one: who is confined could not
 * make it. */
static int confine(struct page_worker *self, struct error *err)
{
    struct sandbox_rules rules = {.mode = self->sandbox};
    for (size_t i = 0; i < self->wanted->job_count; i++) {
        struct error ignored;
        if (!is_first_of_list(self, i))
            continue;
        file_make_folders(self->wanted->jobs[i].list->output, &ignored);
        confine_add_list(&rules, self->wanted->jobs[i].list, true);
    }
    self->places = identify_places(self);
    int result = confine_renderer(&rules, err);
    sandbox_rules_release(&rules);
    return result;
}

/* The address sanitizer takes terabytes of addresses for itself. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#elif defined __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#endif

static struct page_note *note_of_process; /* for leave(), which gets no context */

static void leave(size_t size)
{
    note_of_process->figures.missing_bytes = size;
    _exit(STATUS_OUT_OF_MEMORY);
}

#ifndef HAS_ADDRESS_SANITIZER
/* So much more that a driver is refused nothing which it then would not use: it may not say why it fails. */
static void limit_data(uint64_t limit)
{
    const uint64_t most = limit * 2 + (UINT64_C(4) << 30);
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) < 0 || data.rlim_cur <= most)
        return;
    data.rlim_cur = most;
    setrlimit(RLIMIT_DATA, &data);
}
#endif

/* From now on this process leaves with STATUS_OUT_OF_MEMORY where there is no memory, and `note` says what it
 * asked for. The pool kills who exceeds the limit, 0: none; should it not come to look for a while, the kernel
 * refuses far more. */
static void guard_memory(struct page_note *note, uint64_t limit)
{
    note_of_process = note;
    memory_on_failure(leave);
#ifndef HAS_ADDRESS_SANITIZER
    if (limit > 0)
        limit_data(limit);
#else
    (void)limit;
#endif
}

int page_worker_start(void *context, struct worker *worker, struct error *err)
{
    struct page_worker *self = context;
    struct page_note *note = (struct page_note *)worker_note(worker);
    self->bake = bake_new(note->temporaries, sizeof note->temporaries, &note->figures.stages);
    guard_memory(note, self->memory_limit);
    self->worker = worker;
    bake_set_hold(self->bake, hold, self);
    if (self->durable)
        bake_be_durable(self->bake);
    if (confine(self, err) < 0)
        return -1;
    return bake_start(self->bake, self->backend, err);
}

static void send_text(struct worker *worker, enum message_kind kind, const char *text)
{
    message_send(worker, &(struct message){.kind = kind, .text = text});
}

/* With the first item of a job. */
static void send_plan(struct worker *worker, const struct plan *plan)
{
    message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = plan->page_count});
    size_t count = plan->warnings.count;
    for (size_t i = 0; i < count && i < MESSAGE_MOST_WARNINGS; i++)
        send_text(worker, MESSAGE_WARNING, plan->warnings.items[i]);
    if (count > MESSAGE_MOST_WARNINGS) {
        char *rest = must_printf("%s: %zu more warnings", plan->job->model, count - MESSAGE_MOST_WARNINGS);
        send_text(worker, MESSAGE_WARNING, rest);
        free(rest);
    }
}

static void send_search_paths(struct worker *worker, const struct plan *plan)
{
    struct strings lines = {0};
    search_path_add_all(plan, &lines);
    for (size_t i = 0; i < lines.count; i++)
        send_text(worker, MESSAGE_DETAIL, lines.items[i]);
    strings_release(&lines);
}

static void send_inputs(struct worker *worker, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct look_up *item = &trace->items[i];
        if (item->kind != LOOK_READ)
            continue;
        char *text = must_printf("%s %s", item->value, item->name);
        send_text(worker, MESSAGE_INPUT, text);
        free(text);
    }
}

/* Finds how many pages the job has, and draws none. */
static int survey_item(struct bake *bake, const struct bake_job *job, struct worker *worker, struct error *err)
{
    uint32_t page_count;
    if (bake_survey(bake, job, &page_count, err) < 0)
        return -1;
    message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = page_count});
    return 0;
}

static int bake_item(const struct page_worker *self, const struct bake_job *job, const struct schedule_item *item,
                     struct worker *worker, struct error *err)
{
    struct bake *bake = self->bake;
    const struct plan *plan;
    uint32_t page = item->page;
    if (bake_open(bake, job, &plan, err) < 0)
        return -1;
    if (item->is_first)
        send_plan(worker, plan);
    if (item->is_first && self->sends_details)
        send_search_paths(worker, plan);
    if (page >= plan->page_count)
        return error_set(err, "page %u of %u: %s was changed during the run", page + 1, plan->page_count,
                         job->job->model);
    uint32_t page_of_sheet;
    const struct sheet_plan *sheet = plan_sheet_of_page(plan, page, &page_of_sheet);
    char *name = names_page(sheet->base, page_of_sheet, PICTURE_SUFFIX);
    send_text(worker, MESSAGE_STARTED, name);
    free(name);
    if (steady_check(self->steady, item->job, bake_trace(bake), job->job->model, err) < 0)
        return -1;
    if (self->sends_inputs)
        send_inputs(worker, bake_trace(bake));
    if (bake_page(bake, page, err) < 0)
        return -1;
    const struct strings *others = bake_other_pages(bake), *late = bake_late_warnings(bake);
    for (size_t i = 0; i < late->count; i++)
        send_text(worker, MESSAGE_WARNING, late->items[i]);
    for (size_t i = 0; i < others->count; i++)
        send_text(worker, MESSAGE_ALSO, others->items[i]);
    return 0;
}

static void note_peak(struct page_note *note)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        note->figures.peak_kib = (uint64_t)usage.ru_maxrss;
}

void page_worker_work(void *context, struct worker *worker, uint64_t item)
{
    struct page_worker *self = context;
    struct schedule_item page = schedule_unpack(item);
    struct error err;
    const struct bake_job *job = &self->wanted->jobs[page.job];
    self->job = page.job;
    int result =
        page.is_survey ? survey_item(self->bake, job, worker, &err) : bake_item(self, job, &page, worker, &err);
    if (result < 0)
        send_text(worker, MESSAGE_FAILED, err.text);
    else
        send_text(worker, MESSAGE_DONE, "");
    note_peak((struct page_note *)worker_note(worker));
    if (self->sandbox != SANDBOX_OFF && identify_places(self) != self->places)
        worker_leave(worker); /* its rules are for what was there before */
}

/* Leaves nothing for a leak checker to find, and lets the driver write its shader cache. */
void page_worker_finish(void *context, struct worker *worker)
{
    (void)worker;
    struct page_worker *self = context;
    bake_free(self->bake);
}
