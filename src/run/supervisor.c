#include "run/supervisor.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/names.h"
#include "job/rules.h"
#include "os/signals.h"
#include "page/folder.h"
#include "run/messages.h"
#include "run/schedule.h"

/* The news that a worker has sent of its page. */
struct page_state {
    char *name; /* of the sheet, once known */
    char *failure;
    bool is_done;
    uint32_t framing;
    size_t heard, warned; /* bytes that the worker has sent for it, and those of warnings */
    struct strings also, warnings, findings;
    struct strings inputs; /* a hash, a NUL in place of the space, and a path */
};

/* A page whose worker died, until it was tried once more. */
struct retry {
    uint64_t item;
    bool is_begun;
    struct page_result first; /* how the first try ended; owns its name and reason */
};

struct supervisor {
    const struct batch_settings *settings;
    struct wanted *wanted;
    struct strings *kept;
    struct report *report;
    struct page_state *pages; /* by worker */
    size_t also_count;        /* names in MESSAGE_ALSO, of all workers */
    struct job_state {
        bool is_opened;          /* its number of pages is known */
        bool are_warnings_shown; /* before its worker died */
        bool has_lost;           /* a page */
        bool is_skipped;         /* both tries of a page died with its model: no more pages of it are begun */
        size_t died_in;          /* the latest row in which a worker died with its model */
    } * jobs;
    struct schedule *schedule;
    struct retry *retries; /* in the order of the deaths */
    size_t retry_count, retry_capacity;
    size_t row;    /* of deaths with no page made in between; counted from 1 */
    unsigned died; /* models in this row */
    bool is_given_up;
    size_t survey_count;    /* that were reported, for they did not end well: each is one more page */
    size_t atlas_count;     /* that this run makes */
    uint32_t next_atlas;    /* all before it were handed out, or are none */
    bool are_atlases_added; /* all other jobs have ended */
};

/* -- Workers that die ---------------------------------------------------------------------------------------- */

#define SKIPPED "%s killed its worker at the second try, too"

/* A page whose worker died is tried once more at once, in the process that follows the dead one. If that dies, too, the
 * model is skipped: its pages that were not begun fail.
 *
 * When the workers of many models in a row die and no page is made in between, the models are hardly the cause, and the
 * run is given up. Otherwise each of thousands of pages could cost a time limit. */

/* Marks all jobs of the model. Models of different lists are different ones: their assets may be. */
static void mark_model(struct supervisor *supervisor, uint32_t number, bool is_skipped)
{
    const struct bake_job *jobs = supervisor->wanted->jobs;
    for (size_t i = 0; i < supervisor->wanted->job_count; i++)
        if (jobs[i].list == jobs[number].list && !strcmp(jobs[i].job->model, jobs[number].job->model)) {
            supervisor->jobs[i].died_in = supervisor->row;
            supervisor->jobs[i].is_skipped = is_skipped;
        }
}

static bool gives_up(const struct supervisor *supervisor)
{
    return supervisor->settings->give_up && supervisor->died >= supervisor->settings->give_up;
}

/* The retry of this item, or NULL. */
static struct retry *find_retry(const struct supervisor *supervisor, uint64_t item)
{
    for (size_t i = 0; i < supervisor->retry_count; i++)
        if (supervisor->retries[i].item == item)
            return &supervisor->retries[i];
    return NULL;
}

/* Copies the texts of `first`. */
static void add_retry(struct supervisor *supervisor, uint64_t item, const struct page_result *first)
{
    uint32_t job = schedule_item_of(item).job;
    struct retry retry = {.item = item, .first = *first};
    retry.first.name = first->name ? must_strdup(first->name) : NULL;
    retry.first.reason = must_strdup(first->reason);
    retry.first.warnings = retry.first.findings = NULL;
    *MUST_ADD(supervisor->retries, supervisor->retry_count, supervisor->retry_capacity) = retry;
    /* Users and the kernel, when memory is short, may kill any worker: that says nothing about the run. */
    bool is_from_outside = first->signal == SIGKILL || first->signal == SIGTERM;
    if (is_from_outside || supervisor->jobs[job].died_in == supervisor->row)
        return;
    supervisor->died++;
    mark_model(supervisor, job, false);
}

static void remove_retry(struct supervisor *supervisor, struct retry *retry)
{
    free((char *)(uintptr_t)retry->first.name);
    free((char *)(uintptr_t)retry->first.reason);
    supervisor->retry_count--;
    memmove(retry, retry + 1, (size_t)(supervisor->retries + supervisor->retry_count - retry) * sizeof *retry);
}

static struct page_result name_page(const struct supervisor *supervisor, uint32_t number, uint32_t page)
{
    const struct bake_job *job = &supervisor->wanted->jobs[number];
    return (struct page_result){
        .list = job->list, .job = job->job, .page = page, .order = schedule_order(number, page)};
}

static void show_counts(struct supervisor *supervisor)
{
    report_total(supervisor->report, schedule_known(supervisor->schedule) + supervisor->survey_count +
                                         supervisor->wanted->missing_count + supervisor->atlas_count);
}

/* Reports the failure of a page that no worker has, or has any more since its `first` try. Frees the reason. */
static void report_untried(struct supervisor *supervisor, const struct schedule_item *item,
                           const struct page_result *first, enum page_status status, char *reason)
{
    struct page_result result = first ? *first : name_page(supervisor, item->job, item->page);
    result.status = status;
    result.reason = reason;
    supervisor->jobs[item->job].has_lost = true;
    supervisor->survey_count += item->is_survey;
    show_counts(supervisor);
    report_page(supervisor->report, &result);
    free(reason);
}

/* -- Which page is next -------------------------------------------------------------------------------------- */

/* Gives the page of a dead worker to the fresh process that has its number. */
static bool next_retry(struct supervisor *supervisor, unsigned worker, struct schedule_item *out)
{
    for (size_t i = 0; i < supervisor->retry_count; i++) {
        struct retry *retry = &supervisor->retries[i];
        if (retry->is_begun || retry->first.worker != worker)
            continue;
        retry->is_begun = true;
        *out = schedule_item_of(retry->item);
        return true;
    }
    return false;
}

/* Fails the pages of skipped models; these may be very many, so a signal ends it. */
static bool next_page(struct supervisor *supervisor, unsigned worker, struct schedule_item *out)
{
    while (!signals_first() && schedule_next(supervisor->schedule, worker, out)) {
        if (!supervisor->jobs[out->job].is_skipped)
            return true;
        const char *model = supervisor->wanted->jobs[out->job].job->model;
        report_untried(supervisor, out, NULL, PAGE_FAILED, must_printf("not tried: " SKIPPED, model));
    }
    return false;
}

static bool next_atlas(struct supervisor *supervisor, struct schedule_item *out)
{
    while (supervisor->are_atlases_added && supervisor->next_atlas < supervisor->wanted->job_count) {
        *out = (struct schedule_item){.job = supervisor->next_atlas++, .is_first = true};
        if (wanted_is_atlas(supervisor->wanted, out->job))
            return true;
    }
    return false;
}

static bool next_item(void *context, unsigned worker, uint64_t *item)
{
    struct supervisor *supervisor = context;
    struct schedule_item page;
    if (gives_up(supervisor) || (!next_retry(supervisor, worker, &page) && !next_page(supervisor, worker, &page) &&
                                 !next_atlas(supervisor, &page)))
        return false;
    *item = schedule_number(&page);
    report_begin(supervisor->report, worker, supervisor->wanted->jobs[page.job].job);
    return true;
}

/* -- What workers say ---------------------------------------------------------------------------------------- */

/* A worker that broke its own memory, or was taken over, may send anything, and as much as it likes. All names of
 * the largest sheet, and all inputs of the richest model, take far less. */
enum { MOST_HEARD = 64 * 1024 * 1024, MOST_WARNED = 256 * 1024 };

/* Of all jobs: each is an item that fails, or a name that is kept. No list that we know of has a hundredth of it. */
enum { MOST_PAGES = 1 << 20, LEAST_SHARE = 1024 };

/* Has the pool kill a worker that sent too much. */
static bool refuse(struct page_state *state, const char *what, size_t most)
{
    free(state->failure);
    state->failure = must_printf("the worker sent more than %zu %s", most, what);
    return false;
}

/* Called once for a job; false when the number is too large. If records had another number, a file has changed since
 * they were read, and the next run makes the missing pages. */
static bool set_pages(struct supervisor *supervisor, struct page_state *state, uint32_t job, uint32_t page_count)
{
    if (supervisor->jobs[job].is_opened || supervisor->wanted->page_counts[job])
        return true;
    size_t share = MOST_PAGES / supervisor->wanted->job_count;
    share = share > LEAST_SHARE ? share : LEAST_SHARE;
    if (page_count > share)
        return refuse(state, "pages for its part of this run", share);
    supervisor->jobs[job].is_opened = true;
    schedule_set_pages(supervisor->schedule, job, page_count);
    show_counts(supervisor);
    return true;
}

/* Whether a worker may have made the picture `name` for this job. */
static bool is_picture_of(const struct job *job, const char *name)
{
    struct error ignored;
    char *page = path_stem(name);
    bool result = strlen(name) <= strlen(job->name) + NAME_PART_LENGTH && names_is_page_of(page, job->name) &&
                  names_check_text(name, strlen(name), &ignored) == 0;
    free(page);
    return result;
}

/* Keeps the pages that a worker has made. */
static void keep_made(struct supervisor *supervisor, const struct page_state *state, const struct job_list *list)
{
    if (state->failure || !state->is_done || !state->name)
        return;
    for (size_t i = 0; i <= state->also.count; i++) {
        char *path = path_join(list->output, i ? state->also.items[i - 1] : state->name);
        strings_printf(supervisor->kept, "%.*s", (int)(path_suffix(path) - path), path);
        free(path);
    }
}

static bool take_message(void *context, unsigned worker, uint64_t item, struct bytes bytes)
{
    struct supervisor *supervisor = context;
    struct page_state *state = &supervisor->pages[worker];
    uint32_t number = schedule_item_of(item).job;
    const struct job *job = supervisor->wanted->jobs[number].job;
    struct message message;
    struct finding finding;
    struct error cut;
    state->heard += bytes.size;
    if (state->heard > MOST_HEARD)
        return refuse(state, "MiB about this page", MOST_HEARD >> 20);
    if (!message_read(bytes, &message))
        return true; /* it means nothing */
    switch (message.kind) {
    case MESSAGE_PAGES:
        return set_pages(supervisor, state, number, message.number);
    case MESSAGE_WARNING:
        state->warned += strlen(message.text);
        if (state->warned > MOST_WARNED || state->warnings.count > MESSAGE_MOST_WARNINGS)
            break;
        strings_add(&state->warnings, message.text);
        if (!supervisor->jobs[number].are_warnings_shown)
            report_warning(supervisor->report, job, message.text, false);
        break;
    case MESSAGE_FINDING:
        if (state->findings.count < MESSAGE_MOST_WARNINGS && finding_read(message.text, &finding) &&
            rules_mark(job->rules, &finding))
            strings_add(&state->findings, message.text);
        break;
    case MESSAGE_STARTED:
        if (!state->name && is_picture_of(job, message.text)) /* a page has one */
            state->name = must_strdup(message.text);
        break;
    case MESSAGE_ALSO:
        if (!is_picture_of(job, message.text))
            break;
        if (state->also.count == LAYOUT_MOST_PAGES || ++supervisor->also_count > MOST_PAGES)
            return refuse(state, "names of pages", state->also.count);
        strings_add(&state->also, message.text);
        break;
    case MESSAGE_DETAIL:
        report_detail(supervisor->report, job, message.text);
        break;
    case MESSAGE_INPUT:
        if (strnlen(message.text, HASH_SIZE) < HASH_SIZE || message.text[HASH_SIZE - 1] != ' ')
            break;
        strings_add(&state->inputs, message.text);
        state->inputs.items[state->inputs.count - 1][HASH_SIZE - 1] = '\0';
        break;
    case MESSAGE_FAILED:
        error_set(&cut, "%s", message.text); /* the texts of workers are cut to the length of an error */
        free(state->failure);
        state->failure = must_strdup(cut.text);
        break;
    case MESSAGE_FRAMED:
        state->framing = message.number;
        break;
    case MESSAGE_DONE:
        state->is_done = true;
        break;
    }
    return true;
}

static void clear_page(struct page_state *state)
{
    free(state->name);
    free(state->failure);
    strings_release(&state->also);
    strings_release(&state->warnings);
    strings_release(&state->findings);
    strings_release(&state->inputs);
    *state = (struct page_state){0};
}

/* -- How pages end ------------------------------------------------------------------------------------------- */

/* Borrows the texts that the worker sent. */
static struct page_result describe_try(const struct supervisor *supervisor, unsigned worker, uint64_t item,
                                       const struct outcome *outcome)
{
    const struct page_state *state = &supervisor->pages[worker];
    const struct page_figures *figures = &((const struct page_note *)outcome->note)->figures;
    const uint64_t most_kib = (uint64_t)1 << 40; /* a PiB: a worker that was taken over may write any number */
    struct schedule_item page = schedule_item_of(item);
    struct page_result result = name_page(supervisor, page.job, page.page);
    result.name = state->name;
    result.reason = state->failure;
    result.is_own = outcome->kind == OUTCOME_FINISHED && figures->is_own;
    result.seconds = outcome->seconds;
    result.framing = state->framing;
    result.had_worker = true;
    result.worker = worker;
    result.attempts = find_retry(supervisor, item) ? 2 : 1;
    result.signal = outcome->kind == OUTCOME_SIGNALED ? outcome->number : 0;
    result.peak_kib = outcome->peak_kib               ? outcome->peak_kib
                      : figures->peak_kib <= most_kib ? figures->peak_kib
                                                      : 0;
    result.warnings = &state->warnings;
    result.findings = &state->findings;
    stopwatch_end(&figures->stopwatch, outcome->seconds, &result.stopwatch);
    return result;
}

static void report_end_of_page(struct supervisor *supervisor, unsigned worker, uint64_t item,
                               const struct outcome *outcome, enum page_status status)
{
    const struct page_state *state = &supervisor->pages[worker];
    const struct schedule_item page = schedule_item_of(item);
    struct record_pair *pairs = must_alloc(state->inputs.count, sizeof *pairs);
    for (size_t i = 0; i < state->inputs.count; i++)
        pairs[i] =
            (struct record_pair){.name = state->inputs.items[i] + HASH_SIZE, .value = state->inputs.items[i]};
    const struct record_pairs inputs = {pairs, state->inputs.count};

    struct page_result result = describe_try(supervisor, worker, item, outcome);
    char *need = NULL;
    if (status == PAGE_MADE) {
        const struct reasons *reasons = &wanted_verdict(supervisor->wanted, page.job, page.page)->reasons;
        need = reasons->count ? reasons_text(reasons) : NULL; /* none: the worker found more pages than we knew */
        result.reason = need;
    } else if (status == PAGE_FAILED && !result.reason) {
        result.reason = "the worker did not say why";
    }
    result.status = status;
    result.inputs = &inputs;
    supervisor->jobs[page.job].has_lost |= status != PAGE_MADE;
    supervisor->survey_count += page.is_survey;
    show_counts(supervisor);
    report_page(supervisor->report, &result);

    /* The pages of a packed or trimmed sheet after its first. */
    result.made_with = result.name;
    result.reason = NULL;
    result.seconds = 0;
    result.stopwatch = (struct stopwatch){0};
    result.peak_kib = 0;
    result.warnings = result.findings = NULL;
    for (size_t i = 0; status == PAGE_MADE && i < state->also.count; i++) {
        result.name = state->also.items[i];
        report_page(supervisor->report, &result);
    }
    free(need);
    free(pairs);
}

/* Removes the files that a worker was writing when it died. It may have broken its own memory, and the note too:
 * only the last '\0' of the note is certain. */
static void remove_temporaries(const struct page_note *note, const struct job_list *list)
{
    size_t folder = strlen(list->output);
    const char *end = note->temporaries + sizeof note->temporaries;
    for (const char *path = note->temporaries; path < end && *path; path += strlen(path) + 1)
        if (!strncmp(path, list->output, folder) && path[folder] == '/' && !strstr(path + folder, "/../") &&
            leftovers_has(path_base(path)))
            leftovers_remove_one(path);
}

/* The failure of a second try says what happened in both. */
static void tell_both(struct page_state *state, const struct page_result *first, bool died)
{
    if (!state->name && first->name)
        state->name = must_strdup(first->name);
    if (!state->failure)
        return;
    char *both = !died ? must_printf("%s (when first tried, %s)", state->failure, first->reason)
                 : !strcmp(first->reason, state->failure)
                     ? must_printf("%s, and again at the second try", state->failure)
                     : must_printf("%s; tried again: %s", first->reason, state->failure);
    free(state->failure);
    state->failure = both;
}

/* Postpones a page whose worker died. */
static void postpone(struct supervisor *supervisor, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct page_state *state = &supervisor->pages[worker];
    const struct page_result tried = describe_try(supervisor, worker, item, outcome);
    supervisor->jobs[schedule_item_of(item).job].are_warnings_shown |= state->warnings.count > 0;
    add_retry(supervisor, item, &tried);
    char *text = must_printf("%s; it will be tried again", tried.reason);
    report_postponed(supervisor->report, worker, tried.job, tried.name, text);
    free(text);
    clear_page(state);
}

static bool finish_item(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct supervisor *supervisor = context;
    struct page_state *state = &supervisor->pages[worker];
    struct schedule_item page = schedule_item_of(item);
    const struct bake_job *job = &supervisor->wanted->jobs[page.job];
    struct retry *retry = find_retry(supervisor, item);
    bool has_died = outcome_is_death(outcome);

    if (retry && outcome->kind == OUTCOME_CANCELLED && !(outcome->seconds > 0)) {
        retry->is_begun = false; /* no worker had it again: cancel_rest reports it */
        return true;
    }
    if (outcome->kind != OUTCOME_FINISHED) {
        remove_temporaries((const struct page_note *)outcome->note, job->list);
        char *reason = has_died ? outcome_describe(outcome, job->job->model, state->failure) : NULL;
        free(state->failure);
        state->failure = reason;
    }
    if (has_died && !retry && !supervisor->jobs[page.job].is_skipped) {
        postpone(supervisor, worker, item, outcome);
        return true;
    }
    if (retry && outcome->kind != OUTCOME_CANCELLED) {
        tell_both(state, &retry->first, has_died);
    } else if (has_died) {
        char *reason = must_printf("%s; not tried again: " SKIPPED, state->failure, job->job->model);
        free(state->failure);
        state->failure = reason;
    }
    keep_made(supervisor, state, job->list);
    enum page_status status = outcome->kind == OUTCOME_CANCELLED  ? PAGE_CANCELLED
                              : state->failure || !state->is_done ? PAGE_FAILED
                                                                  : PAGE_MADE;
    if (status == PAGE_MADE) {
        supervisor->row++;
        supervisor->died = 0;
    }
    if (!page.is_survey || status != PAGE_MADE)
        report_end_of_page(supervisor, worker, item, outcome, status);
    clear_page(state);
    if (retry && has_died)
        mark_model(supervisor, page.job, true);
    if (retry)
        remove_retry(supervisor, retry);
    return !(supervisor->settings->fail_fast && report_count(supervisor->report, PAGE_FAILED));
}

static void tick(void *context)
{
    struct supervisor *supervisor = context;
    report_tick(supervisor->report);
}

static void tell_fewer_workers(void *context, const char *text)
{
    struct supervisor *supervisor = context;
    report_fewer_workers(supervisor->report, text);
}

/* -- The run ------------------------------------------------------------------------------------------------- */

/* The run ends early. Pages that nobody tried are not begun, unless the run is given up. */
static void cancel_rest(struct supervisor *supervisor)
{
    struct schedule_item item;
    while (supervisor->retry_count) {
        struct page_result *first = &supervisor->retries[0].first;
        item = schedule_item_of(supervisor->retries[0].item);
        report_untried(supervisor, &item, first, PAGE_CANCELLED,
                       must_printf("%s; the run ended before it was tried again", first->reason));
        remove_retry(supervisor, supervisor->retries);
    }
    while (supervisor->is_given_up &&
           (schedule_next(supervisor->schedule, 0, &item) || next_atlas(supervisor, &item)))
        if (!item.is_survey)
            report_untried(supervisor, &item, NULL, PAGE_CANCELLED,
                           must_strdup("not tried: the run was given up"));
}

void supervisor_report_missing(const struct supervisor *supervisor)
{
    const struct wanted *wanted = supervisor->wanted;
    for (size_t i = 0; i < wanted->missing_count; i++) {
        struct page_result result = name_page(supervisor, wanted->missing[i], 0);
        char *reason = job_describe_missing(result.job);
        result.place = &result.job->missing[0].mark;
        result.status = PAGE_FAILED;
        result.reason = reason;
        result.is_own = !result.list->is_unsure;
        report_page(supervisor->report, &result);
        free(reason);
    }
}

void supervisor_report_kept(const struct supervisor *supervisor, uint32_t number, uint32_t page)
{
    struct report *report = supervisor->report;
    const struct strings *warnings = &supervisor->wanted->verdicts[number].warnings;
    const struct page_verdict *verdict = wanted_verdict(supervisor->wanted, number, page);
    const struct strings *names = &verdict->names;
    struct page_result result = name_page(supervisor, number, page);
    char *first = must_printf("%s" PICTURE_SUFFIX, names->items[0]);
    result.status = PAGE_UP_TO_DATE;
    for (size_t i = 0; i < names->count; i++) {
        char *name = must_printf("%s" PICTURE_SUFFIX, names->items[i]);
        struct record record = {0};
        if (report_wants_inputs(report)) { /* the record was read before, but most runs need it no more */
            struct error ignored;
            char *path = must_printf("%s/%s" RECORD_SUFFIX, result.list->output, names->items[i]);
            recorded_load(path, path, RECORD_WHOLE, &record, &ignored);
            free(path);
        }
        result.name = name;
        result.made_with = i ? first : NULL;
        result.inputs = &record.inputs;
        result.warnings = page || i ? NULL : warnings;
        result.findings = i ? NULL : &verdict->findings;
        report_page(report, &result);
        record_release(&record);
        free(name);
    }
    free(first);
    for (size_t i = 0; page == 0 && i < warnings->count; i++)
        report_warning(report, result.job, warnings->items[i], true);
}

/* Judges the atlases, when all other jobs have ended: whether any is to be made. */
static bool add_atlases(struct supervisor *supervisor)
{
    if (supervisor->are_atlases_added)
        return false;
    supervisor->are_atlases_added = true;
    for (uint32_t i = 0; i < supervisor->wanted->job_count; i++)
        if (wanted_is_atlas(supervisor->wanted, i) && wanted_judge_atlas(supervisor->wanted, i)) {
            supervisor->atlas_count--;
            show_counts(supervisor);
            wanted_keep(supervisor->wanted, i, 0, supervisor->kept);
            supervisor_report_kept(supervisor, i, 0);
        }
    return supervisor->atlas_count > 0;
}

/* Runs the pool; again for atlases, and where it had no process left for a retry. */
static enum pool_end run_all(struct supervisor *supervisor, const struct pool_settings *pool, int *signal_number,
                             struct error *err)
{
    enum pool_end end;
    do {
        end = supervisor->settings->in_process ? pool_run_here(pool, signal_number, err)
                                               : pool_run(pool, signal_number, err);
        if (end == POOL_DONE && gives_up(supervisor)) {
            const struct page_result *latest = &supervisor->retries[supervisor->retry_count - 1].first;
            supervisor->is_given_up = true;
            error_set(err,
                      "given up: the workers of %u different models in a row died, and no sheet was made in "
                      "between. Something else than the models is wrong: the driver (see sheetbake doctor), the "
                      "machine, or a limit (--timeout, --memory). The latest was %s: %s. --give-up 0 goes on",
                      supervisor->settings->give_up, latest->job->name, latest->reason);
            return POOL_FAILED;
        }
    } while (end == POOL_DONE && (supervisor->retry_count || add_atlases(supervisor)));
    return end;
}

enum pool_end supervisor_run(struct supervisor *supervisor, const struct pool_settings *settings,
                             int *signal_number, struct error *err)
{
    struct pool_settings pool = *settings;
    pool.worker_count = supervisor->settings->worker_count;
    pool.tick_s = 0.1;
    pool.context = supervisor;
    pool.next = next_item;
    pool.message = take_message;
    pool.done = finish_item;
    pool.tick = tick;
    pool.fewer_workers = tell_fewer_workers;
    if (signals_open(err) < 0) /* also for the moments between two pools */
        return POOL_FAILED;
    enum pool_end end = run_all(supervisor, &pool, signal_number, err);
    cancel_rest(supervisor);
    signals_close();
    if (end == POOL_DONE && signals_first()) { /* in the last moment */
        *signal_number = signals_first();
        end = POOL_INTERRUPTED;
    }
    return end;
}

/* -- Its life ------------------------------------------------------------------------------------------------ */

/* The pixels that a job draws, by its list: guesses where that does not say how many clips and samples there are. */
static double count_pixels(const struct job *job)
{
    enum { GUESSED_SAMPLES = 8 }; /* of a clip */
    const struct sampling *whole = &job->sampling;
    double samples = job->animation_count ? 0 : job->has_animations ? 1 : sampling_guess(whole, GUESSED_SAMPLES);
    for (size_t i = 0; i < job->animation_count; i++) {
        const struct job_animation *animation = &job->animations[i];
        double clips = animation->files.count ? (double)animation->files.count : 1;
        samples += clips * sampling_guess(&animation->sampling, GUESSED_SAMPLES);
    }
    return samples * (double)job->camera_count * job->cell_px[0] * job->cell_px[1] * job->supersample *
           job->supersample * __builtin_popcount(job->passes);
}

/* Lists come one after the other, for a worker has the assets of one open; in each the costliest jobs come first. Jobs
 * of one list with models in one folder share its number. */
static struct schedule *new_schedule(struct wanted *wanted, unsigned worker_count)
{
    enum { PIXEL_BITS = 48 }; /* the lists after this one are above them */
    uint64_t *costs = must_alloc(wanted->job_count, sizeof *costs), lists = wanted->list_count + 1;
    uint32_t *model_folders = must_alloc(wanted->job_count, sizeof *model_folders);
    const struct job_list *latest = NULL;
    const char *folder = NULL;
    for (size_t i = 0; i < wanted->job_count; i++) {
        const struct bake_job *of = &wanted->jobs[i];
        lists -= of->list != latest;
        costs[i] = lists << PIXEL_BITS | (uint64_t)fmin(count_pixels(of->job), (double)((1ull << PIXEL_BITS) - 1));

        const char *model = of->job->model;
        size_t length = (size_t)(path_base(model) - model);
        bool is_same = of->list == latest && (size_t)(path_base(folder) - folder) == length &&
                       !strncmp(folder, model, length);
        model_folders[i] = i ? model_folders[i - 1] + !is_same : 0;
        latest = of->list;
        folder = model;
    }
    wanted->turns = must_alloc(wanted->job_count, sizeof *wanted->turns);
    struct schedule *schedule =
        schedule_new(costs, model_folders, &wanted->selection, worker_count, wanted->turns);
    free(costs);
    free(model_folders);
    return schedule;
}

struct supervisor *supervisor_new(struct wanted *wanted, struct strings *kept)
{
    const struct batch_settings *settings = wanted->settings;
    struct supervisor *supervisor = must_alloc(1, sizeof *supervisor);
    *supervisor = (struct supervisor){
        .settings = settings,
        .wanted = wanted,
        .kept = kept,
        .report = settings->report,
        .pages = must_alloc(settings->worker_count, sizeof *supervisor->pages),
        .jobs = must_alloc(wanted->job_count, sizeof *supervisor->jobs),
        .schedule = new_schedule(wanted, settings->worker_count),
        .row = 1,
    };
    for (uint32_t i = 0; i < wanted->job_count; i++)
        supervisor->atlas_count += wanted_is_atlas(wanted, i);
    show_counts(supervisor);
    return supervisor;
}

void supervisor_free(struct supervisor *supervisor)
{
    if (!supervisor)
        return;
    for (unsigned i = 0; i < supervisor->settings->worker_count; i++)
        clear_page(&supervisor->pages[i]);
    free(supervisor->pages);
    free(supervisor->jobs);
    free(supervisor->retries);
    schedule_free(supervisor->schedule);
    free(supervisor);
}

bool supervisor_has_given_up(const struct supervisor *supervisor)
{
    return supervisor->is_given_up;
}

bool supervisor_has_lost(const struct supervisor *supervisor, uint32_t job)
{
    return supervisor->jobs[job].has_lost;
}
