#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/glob.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/missing.h"
#include "base/utf8.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "page/metadata.h"
#include "page/names.h"
#include "os/resources.h"
#include "run/batch.h"
#include "run/confine.h"
#include "run/messages.h"
#include "run/measure.h"
#include "run/wanted.h"
#include "plan/expected.h"
#include "plan/planner.h"
#include "image/image_format.h"
#include "job/rules.h"
#include "report/report.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "all jobs can be rendered"},
    {"2", "wrong options, or a list with mistakes"},
    {"3", "some jobs would fail, break a rule of their list, or with --strict have warnings"},
    {"5", "the result cannot be written, no worker could start, or --sandbox require cannot be met"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

struct check_args {
    struct job_options job;
    struct batch_settings batch; /* only, worker_count, timeout_s, memory_limit, sandbox */
    int verbosity;
    bool is_strict, is_json;
    struct report_settings report; /* ci, files */
};

static const struct arg options[] = {
    {ARG_WORKERS(struct check_args, batch.worker_count)},
    {ARG_OUTPUT(struct check_args, job.output)},
    {ARG_ONLY(struct check_args, batch.only)},
    {ARG_CONFIG(struct check_args, job.config)},
    {ARG_TIMEOUT(struct check_args, batch.timeout_s, "a job")},
    {ARG_MEMORY(struct check_args, batch.memory_limit)},
    {"json", 0, NULL, "print the jobs as JSON, each with the files that render would write",
     ARG_FLAG(struct check_args, is_json)},
    {"strict", 0, NULL, "treat a job with a warning as one that would fail",
     ARG_FLAG(struct check_args, is_strict)},
    {ARG_SANDBOX(struct check_args, batch.sandbox)},
    {ARG_SARIF(struct check_args, report.files[SINK_SARIF])},
    {ARG_CI(struct check_args, report.ci)},
    {"quiet", 'q', NULL, "print problems and warnings only", ARG_INT(struct check_args, verbosity, -1)},
    {"verbose", 'v', NULL, "print every sheet, and how each texture was found",
     ARG_INT(struct check_args, verbosity, 1)},
    {0},
};

/* -- In a worker ---------------------------------------------------------------------------------------------- */

/* What a worker tells of a job: texts, each with a letter for its kind before it (LINE: 'a') and a NUL behind it. FILE_NAME
 * is one that render would write, COUNTS are pages and cells. */
enum told { LINE, NOTE, FINDING, WARNING, FAILURE, FILE_NAME, ORIGIN, COUNTS, END };

/* Adds a text, which is freed. */
static void tell_new(struct buffer *told, enum told kind, char *text)
{
    buffer_add(told, &(char){(char)('a' + kind)}, 1);
    buffer_add(told, text, strlen(text) + 1);
    free(text);
}

__attribute__((format(printf, 3, 4))) static void tell(struct buffer *told, enum told kind, const char *format,
                                                       ...)
{
    va_list values;
    va_start(values, format);
    tell_new(told, kind, must_vprintf(format, values));
    va_end(values);
}

static size_t count_cells(const struct plan *plan)
{
    size_t cells = 0;
    for (size_t i = 0; i < plan->sheet_count; i++)
        cells += plan->sheets[i].layout.cell_count;
    return cells;
}

static unsigned count_passes(const struct job *job)
{
    return (unsigned)__builtin_popcount(job->passes);
}

static void tell_pages(const struct plan *plan, const struct sheet_plan *sheet, struct buffer *told)
{
    for (uint32_t p = 0; p < sheet->layout.page_count; p++)
        for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
            const struct layout_page *page = &sheet->layout.pages[p];
            if (!passes_have(plan->job->passes, (enum pass)pass))
                continue;
            SCOPED char *name = names_picture(sheet->base, p, (enum pass)pass);
            char size[64];
            if (layout_needs_pixels(&plan->job->sheet))
                snprintf(size, sizeof size, "laid out when it is drawn");
            else
                snprintf(size, sizeof size, "%ux%u", page->width, page->height);
            tell(told, LINE, "    %s: %s, %zu cell%s", name, size, page->cell_count, cli_plural(page->cell_count));
        }
}

/* Of all cells: "12.5", or "12.5 to 20". */
static void add_scale(const struct views *views, const struct fit *fit, struct buffer *out)
{
    float least = INFINITY, most = 0;
    for (size_t i = 0; i < views->row_count * views->camera_count; i++) {
        least = fminf(least, views->items[i].pixels_per_unit);
        most = fmaxf(most, views->items[i].pixels_per_unit);
    }
    bool is_grouped = fit->scope == FIT_GROUP;
    buffer_printf(out, ", %.4g", (double)least);
    if (most > least * 1.001f)
        buffer_printf(out, " to %.4g", (double)most);
    buffer_printf(out, " pixels per unit%s%s", is_grouped ? " in group " : "", is_grouped ? fit->group : "");
}

/* Adds where the model's origin is, if that was found, and where a figure would not lose more than a quarter of its size. */
static void add_origin(const struct views *views, const struct fit *fit, struct buffer *out)
{
    const bool is_small = views->gain > 4 / 3.f;
    if ((fit->has_origin && (fit->origin[0] == ORIGIN_AUTO || fit->origin[1] == ORIGIN_AUTO)) || is_small)
        buffer_printf(out, ", origin [%.4g, %.4g]", (double)views->origin[0], (double)views->origin[1]);
    if (is_small)
        buffer_printf(out, " (%.2f times as large with [%.4g, %.4g])", (double)views->gain,
                      (double)views->best_origin[0], (double)views->best_origin[1]);
}

/* Counts the directions without cells, and says how alike they have to be. */
static void add_mirrored(const struct job *job, struct buffer *out)
{
    size_t mirrored = 0, judged = 0;
    for (size_t c = 0; c < job->camera_count; c++) {
        mirrored += job->cameras[c].mirrored != NULL;
        judged += job->cameras[c].mirrored && !job->cameras[c].is_forced;
    }
    if (mirrored)
        buffer_printf(out, " and %zu mirrored", mirrored);
    if (judged)
        buffer_printf(out, " (pixels alike within %d of 255 levels, %d px away)", MIRROR_LEVELS, MIRROR_PX);
}

static void tell_plan(const struct plan *plan, const struct views *views, int verbosity, struct buffer *told)
{
    enum { TAKES_SHOWN = 8 };
    const struct job *job = plan->job;
    const size_t cells = count_cells(plan);
    SCOPED_BY(buffer_release) struct buffer line = {0};
    buffer_printf(&line, "  %s: %s%u page%s", job->name, layout_needs_pixels(&job->sheet) ? "at least " : "",
                  plan->page_count, cli_plural(plan->page_count));
    if (count_passes(job) > 1)
        buffer_printf(&line, " in %u passes", count_passes(job));
    buffer_printf(&line, ", %zu cell%s of %ux%u, %zu camera%s", cells, cli_plural(cells), job->cell_px[0],
                  job->cell_px[1], job->camera_count, cli_plural(job->camera_count));
    add_mirrored(job, &line);
    add_scale(views, &job->fit, &line);
    add_origin(views, &job->fit, &line);
    if (job->atlas)
        buffer_printf(&line, ", in atlas %s", job->atlas);
    for (size_t i = 0; i < plan->take_count && i < TAKES_SHOWN; i++)
        buffer_printf(&line, "%s%s %zu", i ? ", " : "; ", plan->takes[i].name, plan->takes[i].sample_count);
    if (plan->take_count > TAKES_SHOWN)
        buffer_printf(&line, " and %zu more", plan->take_count - TAKES_SHOWN);
    if (verbosity >= 0)
        tell(told, LINE, "%s", line.text);
    for (size_t i = 0; i < plan->sheet_count && verbosity > 0; i++)
        tell_pages(plan, &plan->sheets[i], told);
    SCOPED_BY(strings_release) struct strings paths = {0};
    if (verbosity > 0)
        search_path_add_all(plan, &paths);
    for (size_t i = 0; i < paths.count; i++)
        tell(told, LINE, "    %s", paths.items[i]);
}

/* For --json: where the origin is, and the files that each page will have (bake/pages.c), where that is known before it is
 * drawn. */
static void tell_files(const struct plan *plan, const struct views *views, struct buffer *told)
{
    const struct job *job = plan->job;
    const float *at = views->origin, *best = views->best_origin;
    if (job->fit.has_origin) /* six digits of it count */
        tell(told, ORIGIN, "%.6g %.6g %.6g %.6g %.6g", (double)at[0], (double)at[1], (double)best[0],
             (double)best[1], (double)views->gain);
    for (uint32_t number = 0; number < plan->page_count && !layout_needs_pixels(&job->sheet); number++) {
        uint32_t page;
        const struct sheet_plan *sheet = plan_sheet_of_page(plan, number, &page);
        for (unsigned pass = 0; pass < PASS_COUNT; pass++)
            if (passes_have(job->passes, (enum pass)pass))
                tell_new(told, FILE_NAME, names_picture(sheet->base, page, (enum pass)pass));
        for (size_t i = 0; page == 0 && i < sheet->preview_count; i++)
            tell(told, FILE_NAME, "%s", sheet->previews[i].name);
        for (unsigned i = 0; i < METADATA_COUNT; i++)
            if (job->metadata & 1u << i && (page == 0 || !metadata_formats[i].is_of_sheet))
                tell_new(told, FILE_NAME, names_page(sheet->base, page, metadata_formats[i].suffix));
        for (size_t i = 0; i < job->template_count; i++)
            if (page == 0 || !plan->templates[i].is_of_sheet)
                tell_new(told, FILE_NAME, names_page(sheet->base, page, plan->templates[i].suffix));
        struct error ignored; /* the plan was checked for it */
        for (size_t i = 0; job->frame_name && i < sheet->layout.cell_count; i++)
            if (sheet->layout.cells[i].page == page)
                tell_new(told, FILE_NAME, frame_file_name(plan, sheet, page, &sheet->cells[i], &ignored));
        tell_new(told, FILE_NAME, names_page(sheet->base, page, RECORD_SUFFIX));
    }
}

/* For the notes: pictures in use, and what expected_add_beside says. */
static void tell_pictures(const struct planner *planner, const struct record *record, struct buffer *told)
{
    const struct record_pairs *lists[] = {&record->inputs, &record->packed};
    SCOPED_BY(buffer_release) struct buffer beside = {0};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            if (image_has_suffix(path_suffix(lists[k]->items[i].name)))
                tell(told, NOTE, "%s", lists[k]->items[i].name);
    if (record->listed.count)
        expected_add_beside(planner->assets, record, &beside);
    if (beside.length)
        tell(told, NOTE, "%s", beside.text);
}

/* By the rules that need no picture. */
static void judge(const struct planner *planner, struct buffer *told)
{
    struct record record;
    SCOPED_BY(strings_release) struct strings findings = {0};
    expected_with_look_ups(&(struct record){0}, &planner->trace, &record);
    if (planner->plan->job->rules || record.listed.count) /* nothing else asks for facts */
        planner_describe(planner, &record);
    tell_pictures(planner, &record, told);
    expected_add_unused(planner->plan->job, planner->assets, &record);
    rules_judge(planner->plan->job->rules, &record, true, NULL, &findings);
    for (size_t i = 0; i < findings.count; i++)
        tell(told, FINDING, "%s", findings.items[i]);
    record_release(&record);
}

/* A message takes longer than a job whose model is open: a worker gets so many jobs with one model at once, but in short lists,
 * and after so long leaves the rest. An item is the first of them, and in its upper half their number. */
enum { MOST_AT_ONCE = 32, SHARES = 16 };
static const double ENOUGH_S = 0.01;

/* What was told of a job, in the supervisor. */
struct told_job {
    bool is_whole;
    struct strings texts[END];
};

struct check_run {
    struct check_args *args;
    struct lists lists;
    struct wanted wanted;
    struct told_job *told; /* by job */
    size_t next, shown;    /* jobs */
    size_t *alone;         /* jobs that are given again, each by itself */
    size_t alone_count, alone_capacity;
    size_t begun; /* lists */
    size_t pages, pictures, cells, warnings, failures;
    struct strings notes; /* as tell_pictures has them */
    struct report *report;
    json_t *jobs;         /* NULL: text */
    struct error failure; /* that was printed last */

    struct planner *planner; /* in a worker */

    bool is_measuring;         /* the items are those of measure_run */
    struct measures *measures; /* by list of `wanted` */
};

static int start(void *context, struct worker *worker, struct error *err)
{
    struct check_run *check = context;
    SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = check->args->batch.sandbox};
    check->planner = planner_new(check->measures, check->wanted.list_count);
    page_note_guard((struct page_note *)worker_note(worker), check->args->batch.memory_limit);
    for (size_t i = 0; i < check->lists.count; i++)
        confine_add_list(&rules, check->lists.items[i], false);
    return sandbox_enter(&rules, NULL, err);
}

static void check_job(struct check_run *check, const struct bake_job *job, struct buffer *told)
{
    struct planner *planner = check->planner;
    struct error err;
    if (job->job->is_atlas)
        return; /* only drawing tells what it would be */
    if (planner_open(planner, job, NULL, &err) < 0) {
        tell(told, FAILURE, "%s", err.text);
        return;
    }
    judge(planner, told);
    const struct plan *plan = planner->plan;
    tell(told, COUNTS, "%u %zu", plan->page_count, count_cells(plan));
    if (check->jobs)
        tell_files(plan, &planner->views, told);
    else
        tell_plan(plan, &planner->views, check->args->verbosity, told);
    for (size_t i = 0; i < plan->warnings.count; i++)
        tell(told, WARNING, "%s", plan->warnings.items[i]);
}

static void work(void *context, struct worker *worker, uint64_t item)
{
    struct check_run *check = context;
    if (check->is_measuring) {
        measure_work(check->planner, &check->wanted, worker, item);
        return;
    }
    const struct bake_job *job = &check->wanted.jobs[(uint32_t)item], *end = job + (item >> 32);
    const double until_s = clock_now_s() + ENOUGH_S;
    SCOPED_BY(buffer_release) struct buffer told = {0};
    for (bool is_first = true; job < end && (is_first || clock_now_s() < until_s); job++, is_first = false) {
        check_job(check, job, &told);
        tell(&told, END, "%s", "");
    }
    worker_send_all(worker, told.text, told.length);
}

/* -- In the order of the jobs --------------------------------------------------------------------------------- */

/* Tells the findings, warnings or failures of a job, which some CI systems show at its place in the list; adds findings to
 * an array, which may be NULL. Returns whether any fails it. */
static bool tell_events(struct check_run *check, const struct bake_job *job, const struct told_job *told,
                        enum told kind, json_t *findings)
{
    const struct strings *texts = &told->texts[kind];
    SCOPED char *sheet =
        texts->count ? must_printf("%s/%s", job->list->name, job->job->name) : NULL; /* as render calls it */
    const bool is_warning = kind == WARNING, is_finding = kind == FINDING;
    bool has_failed = false;
    for (size_t i = 0; i < texts->count; i++) {
        struct event event = {is_warning ? EVENT_WARNING : EVENT_ERROR,
                              is_warning ? "warning" : "failed",
                              &job->job->mark,
                              sheet,
                              job->job->name,
                              texts->items[i],
                              NULL};
        struct finding finding;
        if (is_finding && !finding_read(event.text, &finding))
            continue;
        if (is_finding) {
            event_take_finding(&event, &finding, job->job->rules);
            json_array_append_new(findings, finding_json(&finding));
        }
        check->warnings += event.level == EVENT_WARNING;
        if (check->args->is_strict)
            event.level = EVENT_ERROR;
        has_failed |= event.level == EVENT_ERROR;
        if (report_event(check->report, &event) || check->jobs)
            continue;
        if (event.level == EVENT_WARNING) {
            cli_print_line("  warning: %s", event.text);
            continue;
        }
        cli_print_line("  FAILED %s: %.*s", event.name, missing_news(event.text, check->failure.text), event.text);
        error_set(&check->failure, "%s", event.text);
    }
    return has_failed;
}

/* Ends the list before, and begins the next one where there is one. In CI systems, its lines fold under its name. */
static void begin_next_list(struct check_run *check)
{
    const struct check_args *args = check->args;
    const struct job_list *list = check->begun < check->lists.count ? check->lists.items[check->begun] : NULL;
    SCOPED_BY(buffer_release) struct buffer group = {0};
    SCOPED char *title = list ? must_printf("%s: into %s", list->path, list->output) : NULL;
    if (check->begun > 0)
        ci_end_group(&group, args->report.ci, (unsigned)check->begun - 1, time(NULL));
    if (list)
        ci_begin_group(&group, args->report.ci, (unsigned)check->begun, time(NULL), title);
    if (args->verbosity >= 0 && group.text)
        fputs(group.text, stdout);
    else if (args->verbosity >= 0 && list)
        cli_print_line("%s", title);
    check->begun++;
}

/* NULL: it was not told. */
static json_t *origin_value(const struct strings *told)
{
    double at[2], best[2], gain;
    return told->count && sscanf(told->items[0], "%lf %lf %lf %lf %lf", at, at + 1, best, best + 1, &gain) == 5
               ? json_pack("{s:o, s:o, s:o}", "at", point_value(at, 6), "best", point_value(best, 6), "gain",
                           number_value(gain, 4))
               : NULL;
}

static void show_job(struct check_run *check, const struct bake_job *job, const struct told_job *told)
{
    const struct strings *texts = told->texts, *counts = &texts[COUNTS];
    char *end = "";
    const size_t pages = counts->count ? strtoul(counts->items[0], &end, 10) : 0;
    json_t *findings = check->jobs ? json_array() : NULL;
    if (check->jobs)
        json_array_append_new(
            check->jobs,
            json_pack("{s:o, s:o, s:o?, s:o?, s:o, s:o, s:o}", "list", text_value(job->list->name), "job",
                      text_value(job->job->name), "origin", origin_value(&texts[ORIGIN]), "files",
                      layout_needs_pixels(&job->job->sheet) ? NULL : json_texts(&texts[FILE_NAME], 0), "findings",
                      findings, "warnings", json_texts(&texts[WARNING], 0), "failures",
                      json_texts(&texts[FAILURE], 0)));
    while (!check->jobs && (check->begun == 0 || check->lists.items[check->begun - 1] != job->list))
        begin_next_list(check);
    for (size_t i = 0; i < texts[NOTE].count; i++)
        strings_add_new(&check->notes, texts[NOTE].items[i]);
    bool has_failed = tell_events(check, job, told, FINDING, findings);
    for (size_t i = 0; i < texts[LINE].count && !check->jobs; i++)
        cli_print_line("%s", texts[LINE].items[i]);
    has_failed |= tell_events(check, job, told, WARNING, NULL);
    has_failed |= tell_events(check, job, told, FAILURE, NULL);
    check->failures += has_failed;
    check->pages += pages;
    check->pictures += pages * count_passes(job->job);
    check->cells += strtoul(end, NULL, 10);
}

static void forget(struct told_job *told)
{
    for (int kind = 0; kind < END; kind++)
        strings_release(&told->texts[kind]);
}

/* Takes what was told of the jobs, and returns of how many all was. A worker that was taken over may send anything. */
static size_t take_told(struct told_job *jobs, size_t count, struct bytes sent)
{
    size_t done = 0;
    while (done < count && sent.size > 1) {
        const char *text = (const char *)sent.data + 1;
        const size_t kind = *sent.data - (size_t)'a', length = strnlen(text, sent.size - 1);
        if (kind > END || length == sent.size - 1)
            break;
        if (kind == END) {
            jobs[done++].is_whole = true;
        } else {
            struct strings *texts = &jobs[done].texts[kind];
            strings_add(texts, text);
            utf8_mask(texts->items[texts->count - 1]);
        }
        sent = (struct bytes){sent.data + length + 2, sent.size - length - 2};
    }
    if (done < count)
        forget(&jobs[done]);
    return done;
}

/* An atlas has none. */
static bool have_one_model(const struct bake_job *a, const struct bake_job *b)
{
    return a->job->model && b->job->model && !strcmp(a->job->model, b->job->model);
}

static bool next_item(void *context, unsigned worker, uint64_t *item)
{
    struct check_run *check = context;
    const struct bake_job *jobs = check->wanted.jobs + check->next;
    const size_t left = check->wanted.job_count - check->next, share = left / SHARES + 1;
    size_t count = 0;
    (void)worker;
    if (check->alone_count > 0) {
        *item = check->alone[--check->alone_count] | 1ull << 32;
        return true;
    }
    while (count < left && count < share && count < MOST_AT_ONCE &&
           (count == 0 || have_one_model(jobs, jobs + count)))
        count++;
    *item = check->next | (uint64_t)count << 32;
    check->next += count;
    return count > 0;
}

static bool item_done(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct check_run *check = context;
    const size_t first = (uint32_t)item, count = item >> 32;
    struct told_job *told = &check->told[first];
    const size_t done = outcome->kind == OUTCOME_FINISHED ? take_told(told, count, outcome->result) : 0;
    (void)worker;
    if (done < count && count == 1 && outcome->kind != OUTCOME_CANCELLED) {
        SCOPED char *reason = outcome_describe(outcome, check->wanted.jobs[first].job->model, NULL);
        strings_add(&told->texts[FAILURE], reason);
        told->is_whole = true;
    } else if (outcome->kind != OUTCOME_CANCELLED) {
        for (size_t i = count; i-- > done;) /* any of them may have cost the worker */
            *MUST_ADD(check->alone, check->alone_count, check->alone_capacity) = first + i;
    }
    for (; check->shown < check->wanted.job_count && check->told[check->shown].is_whole; check->shown++) {
        show_job(check, &check->wanted.jobs[check->shown], &check->told[check->shown]);
        forget(&check->told[check->shown]);
    }
    return true;
}

/* After all jobs have told which pictures they use. */
static void print_notes(const struct check_run *check)
{
    for (size_t i = 0; i < check->notes.count; i++) {
        SCOPED_BY(strings_release) struct strings unused = {0};
        char *note = must_strdup(check->notes.items[i]), *rest = note, *model = strsep(&rest, "\t"), *picture;
        while ((picture = strsep(&rest, "\t")))
            if (!strings_has(&check->notes, picture))
                strings_add(&unused, picture);
        SCOPED char *names = missing_list((const char *const *)unused.items, unused.count);
        if (unused.count)
            cli_print_line("note: %s: drawn without a picture; beside it: %s, which no job uses; `skin` takes one",
                           model, names);
        free(note);
    }
}

static int check_jobs(struct check_run *check)
{
    const struct batch_settings *batch = &check->args->batch;
    const struct pool_settings pool = {
        .worker_count = batch->worker_count ? batch->worker_count : cpus_usable(),
        .timeout_s = batch->timeout_s,
        .memory_limit = batch->memory_limit,
        .worker = {check, start, work, NULL, NULL},
        .note_size = sizeof(struct page_figures),
        .context = check,
        .next = next_item,
        .most_result = 8 << 20,
        .done = item_done,
    };
    struct error err;
    int signal_number;
    check->is_measuring = true;
    measure_run(&check->wanted, &(struct measure_rules){.leaves_out = true}, &pool, check->measures);
    check->is_measuring = false;
    enum pool_end end = pool_run(&pool, &signal_number, &err);
    if (end == POOL_INTERRUPTED)
        return EXIT_SIGNAL + signal_number;
    if (end != POOL_DONE)
        return cli_fail(&err, EXIT_BROKEN);
    if (check->jobs &&
        json_print(json_pack("{s:o}", "jobs", check->jobs), JSON_INDENT(2) | JSON_REAL_PRECISION(15), &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    if (check->jobs)
        return check->failures ? EXIT_SHEETS_FAILED : EXIT_DONE;
    while (check->begun <= check->lists.count)
        begin_next_list(check);
    if (!batch->only && check->args->verbosity >= 0)
        print_notes(check);
    printf("%zu job%s, %zu page%s", check->shown, cli_plural(check->shown), check->pages,
           cli_plural(check->pages));
    if (check->pictures != check->pages) /* passes are pictures of the same page */
        printf(" in %zu pictures", check->pictures);
    printf(", %zu cell%s", check->cells, cli_plural(check->cells));
    if (check->warnings)
        printf(", %zu warning%s", check->warnings, cli_plural(check->warnings));
    printf(check->failures ? ", %zu failed\n" : "\n", check->failures);
    return check->failures ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

/* Returns the exit code. */
static int close_report(struct check_run *check, int exit_code)
{
    struct error err;
    return report_close(check->report, exit_code, &err) < 0
               ? cli_fail(&err, exit_code == EXIT_DONE ? EXIT_BROKEN : exit_code)
               : exit_code;
}

static int run(int argc, char **argv)
{
    struct check_args args = {.report = {.out = stdout}, .batch = batch_defaults()};
    struct check_run check = {.args = &args};
    int exit_code = args_read(&check_command, argc, argv, &args);
    if (exit_code < 0)
        exit_code = sandbox_args_check(args.batch.sandbox, args.verbosity > 0);
    if (exit_code >= 0)
        return exit_code;

    struct error err;
    const enum ci ci = ci_detect(args.report.ci);
    args.report.ci = args.is_json ? CI_OFF : ci; /* nothing else goes to standard output */
    args.job.with_atlases = args.is_json;
    if (report_open(&args.report, &check.report, &err) < 0)
        return cli_fail(&err, EXIT_USAGE);
    if (lists_load(argv + optind, (size_t)(argc - optind), &args.job, ci, check.report, &check.lists) < 0)
        return close_report(&check, EXIT_USAGE);
    args.batch.lists = check.lists.items;
    args.batch.list_count = check.lists.count;
    wanted_init(&check.wanted, &args.batch);
    check.told = must_alloc(check.wanted.job_count, sizeof *check.told);
    check.jobs = args.is_json ? json_array() : NULL;
    check.measures = measure_new(&check.wanted);
    exit_code = check.wanted.job_count ? check_jobs(&check)
                                       : cli_usage_error(&check_command, "no job's name matches --only '%s'%s",
                                                         args.batch.only ? args.batch.only : "",
                                                         args.batch.only ? glob_hint(args.batch.only) : "");
    for (size_t i = check.shown; i < check.wanted.job_count; i++)
        forget(&check.told[i]);
    free(check.told);
    free(check.alone);
    strings_release(&check.notes);
    measure_free(check.measures, check.wanted.list_count);
    wanted_release(&check.wanted);
    lists_release(&check.lists);
    return close_report(&check, exit_code);
}

const struct command check_command = {
    .name = "check",
    .summary = "check job lists and models, and say what would be made",
    .operands = {"LIST...", "job list", 1, INT_MAX},
    .about = "Does all that render does but draw: reads the job lists, opens their models and animations, reads "
             "their textures, and prints what render would make.",
    .options = options,
    .exits = exits,
    .run = run,
};
