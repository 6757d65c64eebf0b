#include "report/progress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"

/* -- Pieces of lines --------------------------------------------------------------------------------------- */

/* "NAME: MESSAGE", or the message alone. */
static void line_add_subject(struct buffer *line, const char *name, const char *message)
{
    if (name) {
        printable_add(line, name);
        buffer_printf(line, ": ");
    }
    printable_add(line, message);
}

static void line_add_whole_seconds(struct buffer *line, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 100)
        buffer_printf(line, "%lu s", whole);
    else if (whole < 3600)
        buffer_printf(line, "%lu min %02lu s", whole / 60, whole % 60);
    else
        buffer_printf(line, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
}

/* "0.42 s", "7.2 s", "2 min 05 s" */
static void line_add_duration(struct buffer *line, double seconds)
{
    if (seconds < 0.995)
        buffer_printf(line, "%.2f s", seconds);
    else if (seconds < 99.95)
        buffer_printf(line, "%.1f s", seconds);
    else
        line_add_whole_seconds(line, seconds);
}

/* "108/s", "7.2/s", "12.5/min" */
static void line_add_rate(struct buffer *line, double per_second)
{
    if (per_second >= 9.95)
        buffer_printf(line, "%.0f/s", per_second);
    else if (per_second >= 0.95)
        buffer_printf(line, "%.1f/s", per_second);
    else
        buffer_printf(line, "%.1f/min", per_second * 60);
}

static void line_add_count(struct buffer *line, size_t count, const char *what)
{
    buffer_printf(line, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

/* Characters that terminals give two columns, roughly: what is East Asian, and pictures. One that is not known to
 * be so would let a line wrap; of combining ones it matters little that they are counted. */
static size_t columns_of(const char *text, size_t length)
{
    static const struct range {
        uint32_t first, last;
    } wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x1f000, 0x1ffff}, {0x20000, 0x3fffd}};
    uint32_t code = printable_code(text, length);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i].first && code <= wide[i].last)
            return 2;
    return 1;
}

/* To so many columns of a terminal. */
static void line_clip(struct buffer *line, size_t columns)
{
    size_t length = 0;
    for (size_t column = 0; line->text[length];) {
        size_t next = printable_length(line->text + length);
        column += columns_of(line->text + length, next);
        if (column > columns)
            break;
        length += next;
    }
    line->text[length] = '\0';
    line->length = length;
}

/* -- Where the run is ---------------------------------------------------------------------------------------- */

enum {
    WARNING_BUCKETS = 1024,
    DEFAULT_COLUMNS = 80,
    SCREEN_LINES = 20, /* what is further up has left a small terminal, with the lines of the end */
    FEWEST_MERGED =
        4, /* failures for one reason, such as pages of a model that is skipped, that the end tells as one */
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
    size_t number; /* as they came */
    char *name, *message;
    bool has_place;
    struct mark place; /* its file is borrowed */
};

/* A text that came as a warning, in a hash table. */
struct warning {
    struct warning *next;
    char *message;
};

struct progress {
    struct progress_settings settings;
    double started_s;
    size_t total, done, up_to_date;
    struct activity *activities;

    struct failure *failures;
    size_t failure_count, failure_capacity;
    bool is_scattered;  /* they were printed out of order, or with other lines between them */
    size_t lines_since; /* the first failure, with its own */
    bool is_folded;     /* all lines so far have folded, in a CI system */

    struct warning *warning_buckets[WARNING_BUCKETS];
    size_t warning_count, shown_warning_count;

    struct buffer line, live_line; /* the line being made; what the terminal shows, "" when nothing */
    double drawn_s;
    bool in_group, is_over;
};

static double real_now_s(void *unused)
{
    (void)unused;
    return clock_now_s();
}

static double now_s(const struct progress *progress)
{
    return progress->settings.now_s(progress->settings.clock);
}

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
    if (!settings->now_s)
        progress->settings.now_s = real_now_s;
    progress->activities = must_alloc(settings->worker_count, sizeof *progress->activities);
    progress->started_s = now_s(progress);
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
    for (size_t i = 0; i < WARNING_BUCKETS; i++) {
        for (struct warning *warning = progress->warning_buckets[i], *next; warning; warning = next) {
            next = warning->next;
            free(warning->message);
            free(warning);
        }
    }
    buffer_release(&progress->line);
    buffer_release(&progress->live_line);
    free(progress);
}

static void add_coloured(struct progress *progress, const char *colour, const char *text)
{
    bool coloured = progress->settings.has_colours;
    buffer_printf(&progress->line, "%s%s%s", coloured ? colour : "", text, coloured ? PLAIN : "");
}

/* -- Lines ----------------------------------------------------------------------------------------------- */

static void write_out(struct progress *progress, const struct buffer *text)
{
    fwrite(text->text, 1, text->length, progress->settings.out);
    fflush(progress->settings.out);
}

/* All lines but those of the end fold. */
static void open_group(struct progress *progress)
{
    const struct progress_settings *settings = &progress->settings;
    if (settings->ci == CI_OFF || progress->in_group || progress->is_over ||
        settings->verbosity < VERBOSITY_NORMAL)
        return;
    ci_begin_group(&progress->line, settings->ci, 0, time(NULL), settings->title);
    write_out(progress, &progress->line);
    progress->in_group = true;
}

static void close_group(struct progress *progress)
{
    progress->is_over = true;
    if (!progress->in_group)
        return;
    buffer_clear(&progress->line);
    ci_end_group(&progress->line, progress->settings.ci, 0, time(NULL));
    write_out(progress, &progress->line);
    progress->is_folded = true;
}

/* Starts a line that stays, in place of the live one. */
static void begin_line(struct progress *progress)
{
    buffer_clear(&progress->line);
    open_group(progress);
    buffer_clear(&progress->line);
    if (progress->live_line.length > 0)
        buffer_printf(&progress->line, "%s", ERASE_LINE);
    buffer_clear(&progress->live_line);
}

static void end_line(struct progress *progress, bool is_failure)
{
    ci_disarm(progress->settings.ci, progress->line.text);
    buffer_add(&progress->line, "\n", 1);
    write_out(progress, &progress->line);
    if (progress->failure_count > 0 && !is_failure)
        progress->is_scattered = true;
    progress->lines_since += progress->failure_count > 0;
}

/* False where it is to be told as a line of our own. */
static bool print_finding(struct progress *progress, enum ci_level level, const char *name,
                          const struct mark *place, const char *message)
{
    if (progress->is_over || !ci_add_finding(&progress->line, progress->settings.ci, level, place, name, message))
        return false;
    write_out(progress, &progress->line);
    return true;
}

static unsigned terminal_columns(const struct progress *progress)
{
    struct winsize size;
    if (progress->settings.columns)
        return progress->settings.columns;
    if (ioctl(fileno(progress->settings.out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return DEFAULT_COLUMNS;
}

static void add_activities(struct progress *progress, double now)
{
    const char *before = ": ";
    for (unsigned i = 0; i < progress->settings.worker_count; i++) {
        const struct activity *activity = &progress->activities[i];
        if (!activity->name)
            continue;
        buffer_printf(&progress->line, "%s", before);
        before = ", ";
        printable_add(&progress->line, activity->name);
        if (now - activity->since_s >= LONG_S) {
            buffer_printf(&progress->line, " (");
            line_add_whole_seconds(&progress->line, now - activity->since_s);
            buffer_printf(&progress->line, ")");
        }
    }
}

static size_t count_ended(const struct progress *progress)
{
    return progress->done + progress->failure_count + progress->up_to_date;
}

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
        line_add_whole_seconds(line, progress->total > ended ? (double)(progress->total - ended) / rate : 0);
        buffer_printf(line, " left");
    }
    if (progress->failure_count > 0)
        buffer_printf(line, "%s %zu failed", has_rate ? "," : "", progress->failure_count);
    add_activities(progress, now);
    line_clip(line, terminal_columns(progress) - 1); /* a line that wraps could not be erased */
}

void progress_tick(struct progress *progress)
{
    double now = now_s(progress);
    if (!progress->settings.is_live || progress->settings.verbosity < VERBOSITY_NORMAL ||
        now - progress->drawn_s < REDRAW_S)
        return;
    progress->drawn_s = now;
    make_live_line(progress, now);
    if (progress->live_line.length == progress->line.length &&
        memcmp(progress->live_line.text, progress->line.text, progress->line.length) == 0)
        return;

    struct buffer text = {0};
    buffer_printf(&text, "%s%s", ERASE_LINE, progress->line.text);
    write_out(progress, &text);
    buffer_release(&text);
    buffer_clear(&progress->live_line);
    buffer_add(&progress->live_line, progress->line.text, progress->line.length);
}

/* -- What happens ---------------------------------------------------------------------------------------- */

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
    activity->since_s = now_s(progress);
    activity->was_used = true;
}

void progress_begin(struct progress *progress, unsigned worker, const char *name)
{
    set_activity(progress, worker, name);
    progress_tick(progress);
}

void progress_done(struct progress *progress, unsigned worker, const char *name, double seconds)
{
    set_activity(progress, worker, NULL);
    progress->done++;
    enum verbosity needed = progress->settings.is_live ? VERBOSITY_VERBOSE : VERBOSITY_NORMAL;
    if (progress->settings.verbosity >= needed) {
        begin_line(progress);
        buffer_printf(&progress->line, "[%zu/%zu] ", count_ended(progress), progress->total);
        printable_add(&progress->line, name);
        buffer_printf(&progress->line, "  ");
        line_add_duration(&progress->line, seconds);
        end_line(progress, false);
    }
    progress_tick(progress);
}

void progress_up_to_date(struct progress *progress, const char *name)
{
    progress->up_to_date++;
    if (progress->settings.verbosity >= VERBOSITY_VERBOSE) {
        begin_line(progress);
        buffer_printf(&progress->line, "[%zu/%zu] ", count_ended(progress), progress->total);
        printable_add(&progress->line, name);
        buffer_printf(&progress->line, "  up to date");
        end_line(progress, false);
    }
    progress_tick(progress);
}

/* `others` have failed for the same reason and get no line of their own. */
static void print_failure(struct progress *progress, const struct failure *failure, size_t others)
{
    begin_line(progress);
    if (print_finding(progress, CI_ERROR, failure->name, failure->has_place ? &failure->place : NULL,
                      failure->message))
        return;
    add_coloured(progress, RED, "error:");
    buffer_add(&progress->line, " ", 1);
    printable_add(&progress->line, failure->name);
    if (others > 0)
        buffer_printf(&progress->line, " (and %zu more)", others);
    buffer_printf(&progress->line, ": ");
    printable_add(&progress->line, failure->message);
    end_line(progress, true);
}

void progress_failed(struct progress *progress, int worker, uint64_t order, const char *name,
                     const struct mark *place, const char *message)
{
    if (worker >= 0)
        set_activity(progress, (unsigned)worker, NULL);
    size_t number = progress->failure_count;
    if (number > 0 && order < progress->failures[number - 1].order)
        progress->is_scattered = true;
    progress->failures =
        must_grow(progress->failures, number, &progress->failure_capacity, sizeof *progress->failures);
    progress->failures[number] = (struct failure){
        .order = order,
        .number = number,
        .name = must_strdup(name),
        .message = must_strdup(message),
        .has_place = place != NULL,
        .place = place ? *place : (struct mark){0},
    };
    progress->failure_count++;
    print_failure(progress, &progress->failures[number], 0);
    progress_tick(progress);
}

/* Whether it is the first of this text. */
static bool add_new_warning(struct progress *progress, const char *message)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *at = message; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    struct warning **bucket = &progress->warning_buckets[hash % WARNING_BUCKETS];
    for (struct warning *warning = *bucket; warning; warning = warning->next)
        if (strcmp(warning->message, message) == 0)
            return false;
    struct warning *warning = must_alloc(1, sizeof *warning);
    *warning = (struct warning){*bucket, must_strdup(message)};
    *bucket = warning;
    return true;
}

static void print_warning(struct progress *progress, const char *name, const struct mark *place,
                          const char *message)
{
    progress->shown_warning_count++;
    begin_line(progress);
    if (!print_finding(progress, CI_WARNING, name, place, message)) {
        add_coloured(progress, YELLOW, "warning:");
        buffer_add(&progress->line, " ", 1);
        line_add_subject(&progress->line, name, message);
        end_line(progress, false);
    }
    progress_tick(progress);
}

void progress_warning(struct progress *progress, const char *name, const struct mark *place, const char *message)
{
    enum verbosity needed = add_new_warning(progress, message) ? VERBOSITY_NORMAL : VERBOSITY_VERBOSE;
    progress->warning_count++;
    if (progress->settings.verbosity >= needed)
        print_warning(progress, name, place, message);
}

void progress_old_warning(struct progress *progress, const char *name, const struct mark *place,
                          const char *message)
{
    progress->warning_count++;
    if (progress->settings.verbosity >= VERBOSITY_VERBOSE)
        print_warning(progress, name, place, message);
}

void progress_postponed(struct progress *progress, unsigned worker, const char *name, const struct mark *place,
                        const char *message)
{
    set_activity(progress, worker, NULL);
    progress_warning(progress, name, place, message);
}

void progress_detail(struct progress *progress, const char *name, const char *text)
{
    if (progress->settings.verbosity < VERBOSITY_VERBOSE)
        return;
    begin_line(progress);
    line_add_subject(&progress->line, name, text);
    end_line(progress, false);
    progress_tick(progress);
}

/* -- The end --------------------------------------------------------------------------------------------- */

static int compare_failures(const void *a, const void *b)
{
    const struct failure *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

/* How many failures from this one on, which each had a line when they came, are told in the same words. */
static size_t count_same(const struct progress *progress, size_t first)
{
    size_t end = first + 1;
    while (end < progress->failure_count &&
           !strcmp(progress->failures[end].message, progress->failures[first].message))
        end++;
    return end - first;
}

static void print_failures_again(struct progress *progress)
{
    bool is_on_screen = !progress->is_scattered || progress->lines_since <= SCREEN_LINES;
    if (progress->failure_count == 0 || (is_on_screen && !progress->is_folded))
        return;
    qsort(progress->failures, progress->failure_count, sizeof *progress->failures, compare_failures);
    for (size_t i = 0, same; i < progress->failure_count; i += same) {
        same = count_same(progress, i);
        if (same < FEWEST_MERGED)
            same = 1;
        print_failure(progress, &progress->failures[i], same - 1);
    }
}

static unsigned count_used_workers(const struct progress *progress)
{
    unsigned count = 0;
    for (unsigned i = 0; i < progress->settings.worker_count; i++)
        count += progress->activities[i].was_used;
    return count;
}

/* The last thing of a run. */
static void end_summary(struct progress *progress)
{
    if (progress->warning_count > 0) {
        buffer_printf(&progress->line, ", ");
        line_add_count(&progress->line, progress->warning_count, "warning");
        if (progress->shown_warning_count < progress->warning_count)
            buffer_printf(&progress->line, " (-v shows all)");
    }
    if (progress->settings.folders) {
        buffer_printf(&progress->line, " -> ");
        printable_add(&progress->line, progress->settings.folders);
    }
    end_line(progress, false);
}

static void print_summary(struct progress *progress, const char *ended)
{
    double elapsed_s = now_s(progress) - progress->started_s;
    size_t wanted = progress->total - progress->up_to_date;
    struct buffer *line = &progress->line;
    begin_line(progress);
    if (ended)
        buffer_printf(line, "%s: ", ended);
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
    line_add_count(line, count_used_workers(progress), "worker");
    buffer_printf(line, ")");
    if (progress->up_to_date > 0)
        buffer_printf(line, ", %zu up to date", progress->up_to_date);
    if (progress->failure_count > 0) {
        char text[64];
        snprintf(text, sizeof text, "%zu failed", progress->failure_count);
        buffer_printf(line, ", ");
        add_coloured(progress, RED, text);
    }
    end_summary(progress);
}

static void print_nothing_to_do(struct progress *progress)
{
    begin_line(progress);
    buffer_printf(&progress->line, "nothing to do: ");
    line_add_count(&progress->line, progress->total, "sheet");
    buffer_printf(&progress->line, " up to date (");
    line_add_duration(&progress->line, now_s(progress) - progress->started_s);
    buffer_printf(&progress->line, ")");
    end_summary(progress);
}

void progress_finish(struct progress *progress, const char *ended)
{
    if (progress->live_line.length > 0) {
        begin_line(progress);
        write_out(progress, &progress->line);
    }
    close_group(progress);
    if (progress->settings.verbosity < VERBOSITY_NORMAL)
        return;
    print_failures_again(progress);
    if (progress->done + progress->failure_count > 0) {
        print_summary(progress, ended);
    } else if (progress->up_to_date > 0 && progress->up_to_date == progress->total) {
        print_nothing_to_do(progress);
    } else if (ended) {
        begin_line(progress);
        printable_add(&progress->line, ended);
        end_line(progress, false);
    }
}
