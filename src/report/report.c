#include "report/report.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/missing.h"
#include "base/utf8.h"

/* -- Pieces of lines --------------------------------------------------------------------------------------- */

/* "0.42 s", "7.2 s", "42 s", "2 min 05 s" */
static void line_add_duration(struct buffer *line, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (seconds < 9.95)
        buffer_printf(line, "%.*f s", seconds < 0.995 ? 2 : 1, seconds);
    else if (whole < 100)
        buffer_printf(line, "%lu s", whole);
    else if (whole < 3600)
        buffer_printf(line, "%lu min %02lu s", whole / 60, whole % 60);
    else
        buffer_printf(line, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
}

/* "108/s", "7.2/s", "12.5/min" */
static void line_add_rate(struct buffer *line, double per_second)
{
    if (per_second >= 0.95)
        buffer_printf(line, "%.*f/s", per_second < 9.95 ? 1 : 0, per_second);
    else
        buffer_printf(line, "%.1f/min", per_second * 60);
}

static void line_add_count(struct buffer *line, size_t count, const char *what)
{
    buffer_printf(line, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

/* Cuts the line to this many bytes, before a character. A character has no more columns on a terminal than bytes. */
static void line_clip(struct buffer *line, size_t most)
{
    if (line->length <= most)
        return;
    while (most > 0 && (line->text[most] & 0xc0) == 0x80)
        most--;
    line->text[most] = '\0';
    line->length = most;
}

/* -- The state of a run ------------------------------------------------------------------------------------ */

enum {
    DEFAULT_COLUMNS = 80,
    SCREEN_LINES = 20, /* lines further up have left a small terminal once the summary is printed */
};

static const double REDRAW_S = 0.1;
static const double LONG_S = 5; /* a sheet that takes longer is shown with its time */
static const double FIRST_RATE_S = 1;

static const char *const ERASE_LINE = "\r\033[K";
static const char *const RED = "\033[1;31m";
static const char *const YELLOW = "\033[1;33m";
static const char *const PLAIN = "\033[0m";

/* A worker, and the page that it is making. */
struct activity {
    char *name; /* NULL: nothing */
    double since_s;
    bool was_used;
};

struct failure {
    uint64_t order;
    char *name, *message;
};

#define SINK_POINTER(number, name, option, help) &name
static const struct sink *const sinks[SINK_COUNT] = {SINK_ROWS(SINK_POINTER)};

struct report {
    struct report_settings settings;
    void *files[SINK_COUNT];       /* NULL: not asked for */
    bool stands_back, has_started; /* report_stand_back, report_start */
    struct run_result run;
    double opened_s, started_s; /* the time of day may be set meanwhile */

    /* Pages to make that are known, those of them that have ended, and pages that were up to date at the beginning. Of both
     * kinds --strict counts those with warnings as failed, and not in the last two. A page that was made along with another
     * counts with that one. */
    size_t wanted, ended, kept, made, up_to_date;
    struct activity *activities; /* of each worker */
    struct failure *failures;
    size_t failure_count, failure_capacity;
    size_t own_count;   /* pages that failed for what their files hold */
    size_t lines_since; /* lines since the first failure, with its own */
    void *warnings;     /* texts, in a tree of tsearch */
    size_t shown_warning_count;

    struct buffer line; /* the line being made */
    bool has_live_line; /* on the terminal */
    double drawn_s;
    size_t next_percent; /* to tell an engine: they never fall */
    bool in_group;       /* a CI system folds these lines, up to the summary */
    bool is_over;
};

static int open_file(const struct sink *sink, const char *path, void **out, struct error *err)
{
    if (sink->open)
        return sink->open(path, out, err);
    if (file_can_renew(path, err) < 0)
        return error_add(err, "cannot write the report");
    *out = sink->collect();
    return 0;
}

static int close_files(struct report *report, const struct run_result *run, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (report->files[i] && sinks[i]->close(report->files[i], report->settings.files[i], run, err) < 0)
            result = -1;
    return result;
}

/* A CI system gets a log, even through a terminal. */
static void look_at_terminal(struct report_settings *settings)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    settings->out = stderr;
    settings->is_live = settings->ci == CI_OFF && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    settings->has_colours = settings->is_live && !(no_colour && *no_colour);
}

int report_open(const struct report_settings *settings, struct report **out, struct error *err)
{
    struct report *report = must_alloc(1, sizeof *report);
    report->settings = *settings;
    report->settings.ci = ci_detect(settings->ci);
    if (!settings->out)
        look_at_terminal(&report->settings);
    report->run.only = settings->only;
    report->run.shard = settings->shard;
    clock_gettime(CLOCK_REALTIME, &report->run.started);
    report->opened_s = clock_now_s();
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (settings->files[i] && open_file(sinks[i], settings->files[i], &report->files[i], err) < 0) {
            close_files(report, NULL, &(struct error){""});
            free(report);
            return -1;
        }
    *out = report;
    return 0;
}

void report_problems(struct report *report, const struct strings *problems)
{
    strings_add_all(&report->run.problems, problems);
}

static void begin_files(struct report *report)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (report->files[i] && sinks[i]->begin)
            sinks[i]->begin(report->files[i]);
}

void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count)
{
    report->run.lists = lists;
    report->run.list_count = list_count;
    report->run.worker_count = worker_count;
    report->activities = must_alloc(worker_count, sizeof *report->activities);
    report->started_s = clock_now_s();
    report->drawn_s = report->started_s - REDRAW_S;
    report->has_started = true;
    begin_files(report);
}

static void add_coloured(struct report *report, const char *colour, const char *text)
{
    bool coloured = report->settings.has_colours;
    buffer_printf(&report->line, "%s%s%s", coloured ? colour : "", text, coloured ? PLAIN : "");
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

static void write_out(struct report *report, const struct buffer *text)
{
    fwrite(text->text, 1, text->length, report->settings.out);
    fflush(report->settings.out);
}

/* Begins, for a CI system, a group that folds all lines but the summary: "sheetbake: orcs, elves", by the lists. */
static void begin_group(struct report *report)
{
    SCOPED_BY(buffer_release) struct buffer title = {0};
    for (size_t i = 0; i < report->run.list_count; i++)
        buffer_printf(&title, "%s%s", i ? ", " : "sheetbake: ", report->run.lists[i]->name);
    ci_begin_group(&report->line, report->settings.ci, 0, time(NULL), title.text);
    write_out(report, &report->line);
    report->in_group = true;
    buffer_clear(&report->line);
}

/* Starts a line that stays, in place of the live one. */
static void begin_line(struct report *report)
{
    const struct report_settings *settings = &report->settings;
    buffer_clear(&report->line);
    if (settings->ci != CI_OFF && !report->in_group && !report->is_over && settings->verbosity >= VERBOSITY_NORMAL)
        begin_group(report);
    if (report->has_live_line)
        buffer_printf(&report->line, "%s", ERASE_LINE);
    report->has_live_line = false;
}

static void end_line(struct report *report)
{
    ci_disarm(report->line.text);
    buffer_add(&report->line, "\n", 1);
    write_out(report, &report->line);
    report->lines_since += report->failure_count > 0;
}

/* "NAME: MESSAGE", or the message alone. */
static void add_subject(struct report *report, const char *name, const char *message)
{
    if (name) {
        printable_add(&report->line, name);
        buffer_add(&report->line, ": ", 2);
    }
    printable_add(&report->line, message);
}

/* Leaves out what the message `before` (or NULL) has said, too. */
static void print_event(struct report *report, const struct event *event, const char *before)
{
    const bool is_error = event->level == EVENT_ERROR;
    begin_line(report);
    if (!report->is_over && ci_add_event(&report->line, report->settings.ci, event)) {
        write_out(report, &report->line);
        return;
    }
    SCOPED char *news = must_printf("%.*s", missing_news(event->text, before), event->text);
    add_coloured(report, is_error ? RED : YELLOW, is_error ? "error:" : "warning:");
    buffer_add(&report->line, " ", 1);
    add_subject(report, event->name, news);
    end_line(report);
}

/* Returns how many pages there are: to make, and up to date. */
static size_t pages_of(const struct report *report)
{
    return report->wanted + report->kept;
}

static size_t count_ended(const struct report *report)
{
    return report->made + report->failure_count + report->up_to_date;
}

/* "[412/859] 108/s, 4 s left, 1 failed: orcs/grunt, orcs/troll (12 s)" */
static void make_live_line(struct report *report, double now)
{
    struct buffer *line = &report->line;
    size_t tried = report->made + report->failure_count, ended = count_ended(report);
    double elapsed_s = now - report->started_s;
    bool has_rate = tried > 0 && elapsed_s >= FIRST_RATE_S;
    buffer_clear(line);
    buffer_printf(line, "[%zu/%zu]", ended, pages_of(report));
    if (has_rate) {
        double rate = (double)tried / elapsed_s;
        buffer_printf(line, " ");
        line_add_rate(line, rate);
        buffer_printf(line, ", ");
        line_add_duration(line, pages_of(report) > ended ? (double)(pages_of(report) - ended) / rate : 0);
        buffer_printf(line, " left");
    }
    if (report->failure_count > 0)
        buffer_printf(line, "%s %zu failed", has_rate ? "," : "", report->failure_count);

    const char *before = ": ";
    for (unsigned i = 0; i < report->run.worker_count; i++) {
        const struct activity *activity = &report->activities[i];
        if (!activity->name)
            continue;
        buffer_printf(line, "%s", before);
        before = ", ";
        printable_add(line, activity->name);
        if (now - activity->since_s >= LONG_S) {
            buffer_printf(line, " (");
            line_add_duration(line, now - activity->since_s);
            buffer_printf(line, ")");
        }
    }
}

/* The live line goes with each new percentage, so that the log of a long run stays short. */
static void tell_percent(struct report *report, size_t percent, double now)
{
    if (percent < report->next_percent)
        return;
    report->next_percent = percent + 1;
    make_live_line(report, now);
    printf("openjd_progress: %zu\nopenjd_status: %s\n", percent, report->line.text);
    fflush(stdout);
}

void report_tick(struct report *report)
{
    double now = clock_now_s();
    bool wants_line =
        report->settings.verbosity >= VERBOSITY_NORMAL || report->settings.verbosity == VERBOSITY_LIVE;
    if (now - report->drawn_s < REDRAW_S)
        return;
    report->drawn_s = now;
    if (report->settings.progress == PROGRESS_OPENJD && count_ended(report) < pages_of(report))
        tell_percent(report, count_ended(report) * 100 / pages_of(report), now);
    if (!report->settings.is_live || !wants_line)
        return;
    make_live_line(report, now);

    struct winsize size;
    size_t columns = report->settings.columns;
    if (!columns && ioctl(fileno(report->settings.out), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    line_clip(&report->line, (columns ? columns : DEFAULT_COLUMNS) - 1); /* a line that wraps cannot be erased */
    fputs(ERASE_LINE, report->settings.out);
    write_out(report, &report->line);
    report->has_live_line = true;
}

/* -- Events ------------------------------------------------------------------------------------------------ */

void report_total(struct report *report, size_t page_count)
{
    report->wanted = page_count;
}

static void set_activity(struct report *report, unsigned worker, const char *name)
{
    assert(worker < report->run.worker_count);
    struct activity *activity = &report->activities[worker];
    free(activity->name);
    activity->name = name ? must_strdup(name) : NULL;
    activity->since_s = clock_now_s();
    activity->was_used = true;
}

void report_begin(struct report *report, unsigned worker, const struct job *job)
{
    set_activity(report, worker, job->name);
    report_tick(report);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether this text is new. */
static bool add_new_warning(struct report *report, const char *message)
{
    char *text = must_strdup(message), **found = tsearch(text, &report->warnings, compare_texts);
    bool is_new = !found || *found == text; /* NULL: no memory */
    if (!found || !is_new)
        free(text);
    return is_new;
}

static void add_warning(struct report *report, bool is_old, const struct event *event)
{
    bool is_new = !is_old && add_new_warning(report, event->text);
    report->run.warning_count++;
    if (report->settings.verbosity < (is_new ? VERBOSITY_NORMAL : VERBOSITY_VERBOSE))
        return;
    report->shown_warning_count++;
    print_event(report, event, NULL);
    report_tick(report);
}

void report_warning(struct report *report, const struct job *job, const char *text, bool is_old)
{
    add_warning(report, is_old,
                &(struct event){EVENT_WARNING, .place = &job->mark, .name = job->name, .text = text});
}

void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason)
{
    set_activity(report, worker, NULL);
    add_warning(
        report, false,
        &(struct event){EVENT_WARNING, .place = &job->mark, .name = name ? name : job->name, .text = reason});
}

void report_fewer_workers(struct report *report, const char *text)
{
    SCOPED char *message = must_printf("%s: going on with fewer workers", text);
    add_warning(report, false, &(struct event){EVENT_WARNING, .text = message});
}

void report_detail(struct report *report, const struct job *job, const char *text)
{
    if (report->settings.verbosity < VERBOSITY_VERBOSE)
        return;
    begin_line(report);
    add_subject(report, job->name, text);
    end_line(report);
    report_tick(report);
}

static void add_failure(struct report *report, const char *name, const struct page_result *result)
{
    const char *before = report->failure_count ? report->failures[report->failure_count - 1].message : NULL;
    *MUST_ADD(report->failures, report->failure_count, report->failure_capacity) =
        (struct failure){result->order, must_strdup(name), must_strdup(result->reason)};
    if (report->settings.verbosity >= VERBOSITY_QUIET)
        print_event(report,
                    &(struct event){EVENT_ERROR, .place = result->place ? result->place : &result->job->mark,
                                    .name = name, .text = result->reason},
                    before);
}

/* "[413/859] orcs/grunt.png  0.12 s", where so much is to be printed. */
static void print_sheet(struct report *report, enum verbosity needed, const char *name,
                        const struct page_result *result)
{
    if (report->settings.verbosity < needed)
        return;
    begin_line(report);
    buffer_printf(&report->line, "[%zu/%zu] ", count_ended(report), pages_of(report));
    printable_add(&report->line, name);
    buffer_printf(&report->line, "  ");
    if (result->status == PAGE_UP_TO_DATE)
        buffer_printf(&report->line, "up to date");
    else
        line_add_duration(&report->line, result->seconds);
    end_line(report);
}

static void print_page(struct report *report, const struct page_result *result)
{
    /* A page that was never begun has no name yet. */
    const char *job = result->job->name;
    SCOPED char *name = result->name   ? must_strdup(result->name)
                        : result->page ? must_printf("%s, page %u", job, result->page + 1)
                                       : must_strdup(job);
    if (result->had_worker)
        set_activity(report, result->worker, NULL);
    if (result->status == PAGE_MADE)
        print_sheet(report, report->settings.is_live ? VERBOSITY_VERBOSE : VERBOSITY_NORMAL, name, result);
    else if (result->status == PAGE_UP_TO_DATE)
        print_sheet(report, VERBOSITY_VERBOSE, name, result);
    else if (result->status == PAGE_FAILED)
        add_failure(report, name, result);
    report_tick(report);
}

bool page_event(const struct page_result *result, size_t i, struct finding *finding, struct event *out)
{
    const struct job *job = result->job;
    const size_t warning_count = result->warnings ? result->warnings->count : 0;
    const struct strings *texts = i < warning_count ? result->warnings : result->findings;
    const size_t index = i < warning_count ? i : i - warning_count;
    if (!texts || index >= texts->count)
        return false;
    *out = (struct event){.level = EVENT_WARNING,
                          .rule = "warning",
                          .place = &job->mark,
                          .name = result->name ? result->name : job->name,
                          .text = texts->items[index]};
    if (texts == result->findings && finding_read(out->text, finding))
        event_take_finding(out, finding, job->rules);
    return true;
}

/* Why a page that was made has failed: the first failure that its rules found, or with --strict its first warning. NULL: it
 * has not. The caller frees it. Tells the other findings, each at its place in the list. */
static char *judge_page(struct report *report, struct page_result *result)
{
    size_t counts[2] = {0}, why = SIZE_MAX; /* warnings and failures */
    struct event event;
    struct finding finding;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        const bool is_failure = event.level == EVENT_ERROR;
        if (is_failure ? !counts[true] : report->settings.is_strict && why == SIZE_MAX)
            why = i;
        counts[is_failure]++;
    }
    for (size_t i = 0; page_event(result, i, &finding, &event); i++)
        if (event.finding && i != why && event.level == EVENT_WARNING)
            add_warning(report, false, &event);
        else if (event.finding && i != why && report->settings.verbosity >= VERBOSITY_QUIET)
            print_event(report, &event, NULL);
    if (!page_event(result, why, &finding, &event))
        return NULL;
    const bool is_strict = event.level == EVENT_WARNING;
    const size_t others = counts[!is_strict] - 1;
    result->place = event.place;
    result->failing = why + 1;
    return others ? must_printf("%s, and %zu more %s%s%s", event.text, others, is_strict ? "warning" : "finding",
                                others == 1 ? "" : "s", is_strict ? BY_STRICT : "")
                  : must_printf("%s%s", event.text, is_strict ? BY_STRICT : "");
}

void report_page(struct report *report, const struct page_result *given)
{
    struct page_result result = *given;
    bool is_kept = result.status == PAGE_UP_TO_DATE, is_whole = is_kept || result.status == PAGE_MADE;
    SCOPED char *reason = is_whole ? judge_page(report, &result) : NULL;
    if (reason) {
        result.status = PAGE_FAILED;
        result.reason = reason;
        result.stopwatch.current = STAGE_NONE; /* it did not fail in any */
    }
    clock_gettime(CLOCK_REALTIME, &result.ended);
    report->run.counts[result.status]++;
    if (!result.made_with) { /* else it ends with the page that it was made with */
        report->ended += !is_kept;
        report->kept += is_kept;
        report->made += result.status == PAGE_MADE;
        report->up_to_date += result.status == PAGE_UP_TO_DATE;
        report->own_count += result.status == PAGE_FAILED && (result.is_own || reason);
        print_page(report, &result);
    }
    if (report->settings.on_page)
        report->settings.on_page(report->settings.on_page_context, &result);
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (report->files[i])
            sinks[i]->page(report->files[i], &result);
}

bool report_event(struct report *report, const struct event *event)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (report->files[i] && sinks[i]->event && event->sheet)
            sinks[i]->event(report->files[i], event);
    buffer_clear(&report->line);
    bool is_told = ci_add_event(&report->line, report->settings.ci, event);
    if (is_told)
        write_out(report, &report->line);
    return is_told;
}

/* -- The summary ------------------------------------------------------------------------------------------- */

static int compare_failures(const void *a, const void *b)
{
    const struct failure *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return strcmp(left->message, right->message);
}

static void print_failures_again(struct report *report)
{
    bool is_on_screen = report->lines_since <= SCREEN_LINES && !report->in_group;
    struct failure *failures = report->failures;
    SORT(failures, report->failure_count, compare_failures);
    for (size_t i = 0; i < report->failure_count && !is_on_screen; i++)
        print_event(report, &(struct event){EVENT_ERROR, .name = failures[i].name, .text = failures[i].message},
                    i ? failures[i - 1].message : NULL);
}

/* "858 of 859 sheets in 7.9 s (108/s, 2 workers), 12 up to date, 1 failed" */
static void add_counts(struct report *report)
{
    double elapsed_s = clock_now_s() - report->started_s;
    size_t wanted = pages_of(report) - report->up_to_date, workers = 0;
    struct buffer *line = &report->line;
    for (unsigned i = 0; i < report->run.worker_count; i++)
        workers += report->activities[i].was_used;
    if (report->made < wanted)
        buffer_printf(line, "%zu of ", report->made);
    line_add_count(line, wanted, "sheet");
    buffer_printf(line, " in ");
    line_add_duration(line, elapsed_s);
    buffer_printf(line, " (");
    if (report->made > 0 && elapsed_s > 0) {
        line_add_rate(line, (double)report->made / elapsed_s);
        buffer_printf(line, ", ");
    }
    line_add_count(line, workers, "worker");
    buffer_printf(line, ")");
    if (report->up_to_date > 0)
        buffer_printf(line, ", %zu up to date", report->up_to_date);
    if (report->failure_count > 0) {
        char text[64];
        snprintf(text, sizeof text, "%zu failed", report->failure_count);
        buffer_printf(line, ", ");
        add_coloured(report, RED, text);
    }
}

/* " -> out/orcs, out/elves": each folder once. */
static void add_folders(struct report *report)
{
    enum { SHOWN = 4 };
    SCOPED_BY(strings_release) struct strings folders = {0};
    for (size_t i = 0; i < report->run.list_count; i++)
        strings_add_new(&folders, report->run.lists[i]->output);
    for (size_t i = 0; i < folders.count && i < SHOWN; i++) {
        buffer_printf(&report->line, i ? ", " : " -> ");
        printable_add(&report->line, folders.items[i]);
    }
    if (folders.count > SHOWN)
        buffer_printf(&report->line, " and %zu more folders", folders.count - SHOWN);
}

/* Prints the last line. Where no page was made or failed, it says that there was nothing to do, or why the run ended early. */
static void print_summary(struct report *report, const char *ended)
{
    bool has_ended_sheets = report->made + report->failure_count > 0;
    bool is_idle = !has_ended_sheets && !ended && report->up_to_date == pages_of(report);
    struct buffer *line = &report->line;
    if (!has_ended_sheets && !is_idle && !ended)
        return;
    begin_line(report);
    if (!has_ended_sheets && !is_idle) {
        printable_add(line, ended);
        end_line(report);
        return;
    }
    if (has_ended_sheets) {
        buffer_printf(line, "%s%s", ended ? ended : "", ended ? ": " : "");
        add_counts(report);
    } else {
        buffer_printf(line, "nothing to do: ");
        line_add_count(line, pages_of(report), "sheet");
        buffer_printf(line, " up to date (");
        line_add_duration(line, clock_now_s() - report->started_s);
        buffer_printf(line, ")");
    }
    if (report->run.warning_count > 0) {
        buffer_printf(line, ", ");
        line_add_count(line, report->run.warning_count, "warning");
        if (report->shown_warning_count < report->run.warning_count)
            buffer_printf(line, " (-v shows all)");
    }
    add_folders(report);
    end_line(report);
}

void report_end(struct report *report, const char *ended)
{
    if (report->has_live_line) {
        begin_line(report);
        write_out(report, &report->line);
    }
    report->is_over = true;
    if (report->in_group) {
        buffer_clear(&report->line);
        ci_end_group(&report->line, report->settings.ci, 0, time(NULL));
        write_out(report, &report->line);
    }
    if (report->settings.verbosity >= VERBOSITY_NORMAL) {
        print_failures_again(report);
        print_summary(report, ended);
    }
    if (ended && !report->run.reason)
        report->run.reason = must_strdup(ended);
}

void report_end_reason(struct report *report, const char *reason)
{
    free(report->run.reason);
    report->run.reason = must_strdup(reason);
}

void report_stand_back(struct report *report)
{
    report->stands_back = true;
}

/* Prints one message for all failures, for an engine shows the last: "2 sheets failed: orcs/troll: no file ...". */
static void tell_failure(struct report *report)
{
    struct buffer *line = &report->line;
    const char *problem = report->run.problems.count ? report->run.problems.items[0] : "";
    const char *why = report->run.reason ? report->run.reason : problem;
    buffer_clear(line);
    buffer_printf(line, "openjd_fail: ");
    printable_add(line, why);
    if (report->failure_count) {
        buffer_printf(line, "%s", *why ? "; " : "");
        line_add_count(line, report->failure_count, "sheet");
        buffer_printf(line, " failed: ");
        add_subject(report, report->failures[0].name, report->failures[0].message);
    }
    printf("%s\n", line->text);
    fflush(stdout);
}

int report_close(struct report *report, int exit_code, struct error *err)
{
    if (!report)
        return 0;
    if (report->settings.progress == PROGRESS_OPENJD && exit_code)
        tell_failure(report);
    else if (report->settings.progress == PROGRESS_OPENJD)
        tell_percent(report, 100, clock_now_s());
    struct run_result *run = &report->run;
    clock_gettime(CLOCK_REALTIME, &run->ended);
    run->seconds = clock_now_s() - report->opened_s;
    run->exit_code = exit_code;
    run->not_begun = report->wanted > report->ended ? report->wanted - report->ended : 0;
    if (!report->has_started && !report->stands_back)
        begin_files(report);
    int result = close_files(report, run, err);
    for (unsigned i = 0; report->activities && i < run->worker_count; i++)
        free(report->activities[i].name);
    free(report->activities);
    for (size_t i = 0; i < report->failure_count; i++) {
        free(report->failures[i].name);
        free(report->failures[i].message);
    }
    free(report->failures);
    tdestroy(report->warnings, free);
    buffer_release(&report->line);
    strings_release(&report->run.problems);
    free(report->run.reason);
    free(report);
    return result;
}

size_t report_count(const struct report *report, enum page_status status)
{
    return report->run.counts[status];
}

bool report_failures_are_own(const struct report *report)
{
    return report->own_count && report->own_count == report->failure_count;
}

bool report_wants_details(const struct report *report)
{
    return report->settings.verbosity >= VERBOSITY_VERBOSE;
}

bool report_wants_inputs(const struct report *report)
{
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (report->files[i] && sinks[i]->wants_inputs)
            return true;
    return false;
}
