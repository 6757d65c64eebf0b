#include "report/progress.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/result.h"

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

/* What a worker is doing. */
struct activity {
    char *name; /* NULL: nothing */
    double since_s;
    bool was_used;
};

struct failure {
    uint64_t order;
    char *name, *message;
};

struct progress {
    struct progress_settings settings;
    double started_s;
    size_t total, done, up_to_date;
    struct activity *activities;

    struct failure *failures;
    size_t failure_count, failure_capacity;
    size_t lines_since; /* lines since the first failure, with its own */

    void *warnings; /* texts, in a tree of tsearch */
    size_t warning_count, shown_warning_count;

    struct buffer line; /* the line being made */
    bool has_live_line; /* on the terminal */
    double drawn_s;
    bool in_group; /* a CI system folds these lines, up to the summary */
    bool is_over;
};

void progress_settings_detect(struct progress_settings *settings)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    int fd = fileno(settings->out);
    settings->is_live = settings->ci == CI_OFF && fd >= 0 && isatty(fd) && term && strcmp(term, "dumb") != 0;
    settings->has_colours = settings->is_live && !(no_colour && *no_colour);
}

struct progress *progress_new(const struct progress_settings *settings)
{
    struct progress *progress = must_alloc(1, sizeof *progress);
    progress->settings = *settings;
    progress->activities = must_alloc(settings->worker_count, sizeof *progress->activities);
    progress->started_s = clock_now_s();
    progress->drawn_s = progress->started_s - REDRAW_S;
    return progress;
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    for (unsigned i = 0; i < progress->settings.worker_count; i++)
        free(progress->activities[i].name);
    free(progress->activities);
    for (size_t i = 0; i < progress->failure_count; i++) {
        free(progress->failures[i].name);
        free(progress->failures[i].message);
    }
    free(progress->failures);
    tdestroy(progress->warnings, free);
    buffer_release(&progress->line);
    free(progress);
}

static void add_coloured(struct progress *progress, const char *colour, const char *text)
{
    bool coloured = progress->settings.has_colours;
    buffer_printf(&progress->line, "%s%s%s", coloured ? colour : "", text, coloured ? PLAIN : "");
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

static void write_out(struct progress *progress, const struct buffer *text)
{
    fwrite(text->text, 1, text->length, progress->settings.out);
    fflush(progress->settings.out);
}

/* Starts a line that stays, in place of the live one. */
static void begin_line(struct progress *progress)
{
    const struct progress_settings *settings = &progress->settings;
    buffer_clear(&progress->line);
    if (settings->ci != CI_OFF && !progress->in_group && !progress->is_over &&
        settings->verbosity >= VERBOSITY_NORMAL) {
        ci_begin_group(&progress->line, settings->ci, 0, time(NULL), settings->title);
        write_out(progress, &progress->line);
        progress->in_group = true;
        buffer_clear(&progress->line);
    }
    if (progress->has_live_line)
        buffer_printf(&progress->line, "%s", ERASE_LINE);
    progress->has_live_line = false;
}

static void end_line(struct progress *progress)
{
    ci_disarm(progress->line.text);
    buffer_add(&progress->line, "\n", 1);
    write_out(progress, &progress->line);
    progress->lines_since += progress->failure_count > 0;
}

/* "NAME: MESSAGE", or the message alone. */
static void add_subject(struct progress *progress, const char *name, const char *message)
{
    if (name) {
        printable_add(&progress->line, name);
        buffer_add(&progress->line, ": ", 2);
    }
    printable_add(&progress->line, message);
}

static void print_finding(struct progress *progress, enum ci_level level, const char *name,
                          const struct mark *place, const char *message)
{
    begin_line(progress);
    if (!progress->is_over &&
        ci_add_finding(&progress->line, progress->settings.ci, level, place, name, message)) {
        write_out(progress, &progress->line);
        return;
    }
    add_coloured(progress, level == CI_ERROR ? RED : YELLOW, level == CI_ERROR ? "error:" : "warning:");
    buffer_add(&progress->line, " ", 1);
    add_subject(progress, name, message);
    end_line(progress);
}

static size_t count_ended(const struct progress *progress)
{
    return progress->done + progress->failure_count + progress->up_to_date;
}

/* "[412/859] 108/s, 4 s left, 1 failed: orcs/grunt, orcs/troll (12 s)" */
static void make_live_line(struct progress *progress, double now)
{
    struct buffer *line = &progress->line;
    size_t tried = progress->done + progress->failure_count, ended = count_ended(progress);
    double elapsed_s = now - progress->started_s;
    bool has_rate = tried > 0 && elapsed_s >= FIRST_RATE_S;
    buffer_clear(line);
    buffer_printf(line, "[%zu/%zu]", ended, progress->total);
    if (has_rate) {
        double rate = (double)tried / elapsed_s;
        buffer_printf(line, " ");
        line_add_rate(line, rate);
        buffer_printf(line, ", ");
        line_add_duration(line, progress->total > ended ? (double)(progress->total - ended) / rate : 0);
        buffer_printf(line, " left");
    }
    if (progress->failure_count > 0)
        buffer_printf(line, "%s %zu failed", has_rate ? "," : "", progress->failure_count);

    const char *before = ": ";
    for (unsigned i = 0; i < progress->settings.worker_count; i++) {
        const struct activity *activity = &progress->activities[i];
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

void progress_tick(struct progress *progress)
{
    double now = clock_now_s();
    bool wants_line =
        progress->settings.verbosity >= VERBOSITY_NORMAL || progress->settings.verbosity == VERBOSITY_LIVE;
    if (!progress->settings.is_live || !wants_line || now - progress->drawn_s < REDRAW_S)
        return;
    progress->drawn_s = now;
    make_live_line(progress, now);

    struct winsize size;
    size_t columns = progress->settings.columns;
    if (!columns && ioctl(fileno(progress->settings.out), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    line_clip(&progress->line, (columns ? columns : DEFAULT_COLUMNS) - 1); /* a line that wraps cannot be erased */
    fputs(ERASE_LINE, progress->settings.out);
    write_out(progress, &progress->line);
    progress->has_live_line = true;
}

/* -- Events ------------------------------------------------------------------------------------------------ */

void progress_total(struct progress *progress, size_t total)
{
    progress->total = total;
}

static void set_activity(struct progress *progress, unsigned worker, const char *name)
{
    assert(worker < progress->settings.worker_count);
    struct activity *activity = &progress->activities[worker];
    free(activity->name);
    activity->name = name ? must_strdup(name) : NULL;
    activity->since_s = clock_now_s();
    activity->was_used = true;
}

void progress_begin(struct progress *progress, unsigned worker, const char *name)
{
    set_activity(progress, worker, name);
    progress_tick(progress);
}

void progress_idle(struct progress *progress, unsigned worker)
{
    set_activity(progress, worker, NULL);
}

static void add_failure(struct progress *progress, const char *name, const struct page_result *result)
{
    progress->failures = must_grow(progress->failures, progress->failure_count, &progress->failure_capacity,
                                   sizeof *progress->failures);
    progress->failures[progress->failure_count++] =
        (struct failure){result->order, must_strdup(name), must_strdup(result->reason)};
    const struct mark *place = result->place ? result->place : &result->job->mark;
    if (progress->settings.verbosity >= VERBOSITY_QUIET)
        print_finding(progress, CI_ERROR, name, place, result->reason);
}

/* "[413/859] orcs/grunt.png  0.12 s", where so much is to be printed. */
static void print_sheet(struct progress *progress, enum verbosity needed, const char *name,
                        const struct page_result *result)
{
    if (progress->settings.verbosity < needed)
        return;
    begin_line(progress);
    buffer_printf(&progress->line, "[%zu/%zu] ", count_ended(progress), progress->total);
    printable_add(&progress->line, name);
    buffer_printf(&progress->line, "  ");
    if (result->status == PAGE_UP_TO_DATE)
        buffer_printf(&progress->line, "up to date");
    else
        line_add_duration(&progress->line, result->seconds);
    end_line(progress);
}

void progress_page(struct progress *progress, const struct page_result *result)
{
    /* A page that was never begun has no name yet. */
    const char *job = result->job->name;
    char *name = result->name   ? must_strdup(result->name)
                 : result->page ? must_printf("%s, page %u", job, result->page + 1)
                                : must_strdup(job);
    if (result->had_worker)
        set_activity(progress, result->worker, NULL);
    if (result->status == PAGE_MADE) {
        progress->done++;
        print_sheet(progress, progress->settings.is_live ? VERBOSITY_VERBOSE : VERBOSITY_NORMAL, name, result);
    } else if (result->status == PAGE_UP_TO_DATE) {
        progress->up_to_date++;
        print_sheet(progress, VERBOSITY_VERBOSE, name, result);
    } else if (result->status == PAGE_FAILED) {
        add_failure(progress, name, result);
    }
    progress_tick(progress);
    free(name);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether this text is new. */
static bool add_new_warning(struct progress *progress, const char *message)
{
    char *text = must_strdup(message), **found = tsearch(text, &progress->warnings, compare_texts);
    bool is_new = !found || *found == text; /* NULL: no memory */
    if (!found || !is_new)
        free(text);
    return is_new;
}

void progress_warning(struct progress *progress, bool is_old, const char *name, const struct mark *place,
                      const char *message)
{
    bool is_new = !is_old && add_new_warning(progress, message);
    progress->warning_count++;
    if (progress->settings.verbosity < (is_new ? VERBOSITY_NORMAL : VERBOSITY_VERBOSE))
        return;
    progress->shown_warning_count++;
    print_finding(progress, CI_WARNING, name, place, message);
    progress_tick(progress);
}

void progress_detail(struct progress *progress, const char *name, const char *text)
{
    if (progress->settings.verbosity < VERBOSITY_VERBOSE)
        return;
    begin_line(progress);
    add_subject(progress, name, text);
    end_line(progress);
    progress_tick(progress);
}

/* -- The summary ------------------------------------------------------------------------------------------- */

static int compare_failures(const void *a, const void *b)
{
    const struct failure *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return strcmp(left->message, right->message);
}

static void print_failures_again(struct progress *progress)
{
    bool is_on_screen = progress->lines_since <= SCREEN_LINES && !progress->in_group;
    struct failure *failures = progress->failures;
    if (progress->failure_count)
        qsort(failures, progress->failure_count, sizeof *failures, compare_failures);
    for (size_t i = 0; i < progress->failure_count && !is_on_screen; i++)
        print_finding(progress, CI_ERROR, failures[i].name, NULL, failures[i].message);
}

/* "858 of 859 sheets in 7.9 s (108/s, 2 workers), 12 up to date, 1 failed" */
static void add_counts(struct progress *progress)
{
    double elapsed_s = clock_now_s() - progress->started_s;
    size_t wanted = progress->total - progress->up_to_date, workers = 0;
    struct buffer *line = &progress->line;
    for (unsigned i = 0; i < progress->settings.worker_count; i++)
        workers += progress->activities[i].was_used;
    if (progress->done < wanted)
        buffer_printf(line, "%zu of ", progress->done);
    line_add_count(line, wanted, "sheet");
    buffer_printf(line, " in ");
    line_add_duration(line, elapsed_s);
    buffer_printf(line, " (");
    if (progress->done > 0 && elapsed_s > 0) {
        line_add_rate(line, (double)progress->done / elapsed_s);
        buffer_printf(line, ", ");
    }
    line_add_count(line, workers, "worker");
    buffer_printf(line, ")");
    if (progress->up_to_date > 0)
        buffer_printf(line, ", %zu up to date", progress->up_to_date);
    if (progress->failure_count > 0) {
        char text[64];
        snprintf(text, sizeof text, "%zu failed", progress->failure_count);
        buffer_printf(line, ", ");
        add_coloured(progress, RED, text);
    }
}

static void print_summary(struct progress *progress, const char *ended)
{
    bool has_ended_sheets = progress->done + progress->failure_count > 0;
    bool is_idle = !has_ended_sheets && progress->up_to_date > 0 && progress->up_to_date == progress->total;
    struct buffer *line = &progress->line;
    if (!has_ended_sheets && !is_idle && !ended)
        return;
    begin_line(progress);
    if (has_ended_sheets) {
        buffer_printf(line, "%s%s", ended ? ended : "", ended ? ": " : "");
        add_counts(progress);
    } else if (is_idle) {
        buffer_printf(line, "nothing to do: ");
        line_add_count(line, progress->total, "sheet");
        buffer_printf(line, " up to date (");
        line_add_duration(line, clock_now_s() - progress->started_s);
        buffer_printf(line, ")");
    } else {
        printable_add(line, ended);
    }
    if (progress->warning_count > 0 && (has_ended_sheets || is_idle)) {
        buffer_printf(line, ", ");
        line_add_count(line, progress->warning_count, "warning");
        if (progress->shown_warning_count < progress->warning_count)
            buffer_printf(line, " (-v shows all)");
    }
    if (progress->settings.folders && (has_ended_sheets || is_idle)) {
        buffer_printf(line, " -> ");
        printable_add(line, progress->settings.folders);
    }
    end_line(progress);
}

void progress_finish(struct progress *progress, const char *ended)
{
    if (progress->has_live_line) {
        begin_line(progress);
        write_out(progress, &progress->line);
    }
    progress->is_over = true;
    if (progress->in_group) {
        buffer_clear(&progress->line);
        ci_end_group(&progress->line, progress->settings.ci, 0, time(NULL));
        write_out(progress, &progress->line);
    }
    if (progress->settings.verbosity < VERBOSITY_NORMAL)
        return;
    print_failures_again(progress);
    print_summary(progress, ended);
}
