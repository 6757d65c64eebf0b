#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/finding.h"
#include "sheet/json_value.h"

enum { LOG_VERSION = 1 }; /* raised when a field goes or changes its meaning, not when one is added */

struct run_log {
    char *path;
    int fd;
    int reason; /* why a line could not be written; no more are tried */
};

static int open_log(const char *path, void **out, struct error *err)
{
    bool is_stdout = !strcmp(path, "-");
    int fd = is_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                       : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd < 0)
        return error_set(err, "%s: cannot write the log: %s", is_stdout ? "standard output" : path,
                         strerror(errno));
    struct run_log *log = must_alloc(1, sizeof *log);
    *log = (struct run_log){.path = must_strdup(is_stdout ? "standard output" : path), .fd = fd};
    *out = log;
    return 0;
}

/* Standard output may be a file that others write to as well, which was opened as they want it. */
static void begin_log(void *file)
{
    struct run_log *log = file;
    struct stat stat;
    bool is_file = fstat(log->fd, &stat) == 0 && S_ISREG(stat.st_mode);
    if (is_file && strcmp(log->path, "standard output") != 0 && ftruncate(log->fd, 0) < 0)
        log->reason = errno;
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

/* `line` is used up. */
static void add_line(struct run_log *log, json_t *line)
{
    SCOPED char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(line);
    if (!text) {
        log->reason = ENOMEM;
        return;
    }
    size_t size = strlen(text) + 1;
    text[size - 1] = '\n'; /* in place of the NUL */
    size_t done = log->reason ? size : file_write(log->fd, (struct bytes){(const uint8_t *)text, size});
    if (done < size) {
        log->reason = errno;
        /* The disk is full. What it took of the line goes again. */
        off_t end = done ? lseek(log->fd, 0, SEEK_CUR) : -1;
        if (end >= (off_t)done && ftruncate(log->fd, end - (off_t)done) == 0)
            lseek(log->fd, end - (off_t)done, SEEK_SET);
    }
}

/* A value that could not be made leaves its field out; memory that is out is seen when the line is made. */
static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *count_value(size_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *seconds_value(double seconds)
{
    return number_value(seconds, 6);
}

/* RFC 3339, UTC. */
static json_t *time_value(const struct timespec *time)
{
    char text[64];
    struct tm parts;
    gmtime_r(&time->tv_sec, &parts);
    size_t length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03ldZ", time->tv_nsec / 1000000);
    return json_string(text);
}

static json_t *signal_value(int number)
{
    const char *name = number ? sigabbrev_np(number) : NULL;
    if (name)
        return json_sprintf("SIG%s", name);
    return number ? json_sprintf("signal %d", number) : json_null();
}

/* Returns the hashes by path, as in the page's record. */
static json_t *inputs_value(const struct record_pairs *inputs)
{
    json_t *object = json_object();
    for (size_t i = 0; inputs && i < inputs->count; i++) {
        json_auto_t *path = exact_value(inputs->items[i].name);
        set(object, json_string_value(path), text_value(inputs->items[i].value));
    }
    return object;
}

/* Returns the findings, each with the place of its rule in the list. */
static json_t *findings_value(const struct page_result *result)
{
    json_t *array = json_array();
    struct event event;
    struct finding finding;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        if (!event.finding)
            continue;
        const struct mark *mark = event.place;
        json_t *object = finding_json(&finding);
        set(object, "file", text_or_null(mark ? mark->file : NULL));
        set(object, "line", mark ? json_integer(mark->line) : json_null());
        json_array_append_new(array, object);
    }
    return array;
}

/* -- Objects ----------------------------------------------------------------------------------------------- */

static const char *const status_names[PAGE_STATUS_COUNT] = {
    [PAGE_MADE] = "made",
    [PAGE_UP_TO_DATE] = "up-to-date",
    [PAGE_FAILED] = "failed",
    [PAGE_CANCELLED] = "cancelled",
};

/* Every field is there in every line, null where there is nothing to say. */
static void log_page(void *file, const struct page_result *result)
{
    struct run_log *log = file;
    bool is_whole = result->status == PAGE_MADE || result->status == PAGE_UP_TO_DATE;
    json_t *line = json_object(), *stages = json_object();
    for (unsigned stage = STAGE_LOAD; stage < STAGE_COUNT; stage++)
        set(stages, stage_name(stage), seconds_value(result->stopwatch.seconds[stage]));
    set(line, "type", json_string("page"));
    set(line, "version", json_integer(LOG_VERSION));
    set(line, "list", text_value(result->list->name));
    set(line, "job", text_value(result->job->name));
    set(line, "page", json_integer(result->page));
    set(line, "sheet", text_or_null(result->name));
    set(line, "madeWith", text_or_null(result->made_with));
    set(line, "status", json_string(status_names[result->status]));
    set(line, "reason", text_or_null(result->reason));
    set(line, "stage", text_or_null(is_whole ? NULL : stage_name(result->stopwatch.current)));
    set(line, "signal", signal_value(result->signal));
    set(line, "attempts", json_integer(result->attempts));
    set(line, "worker", result->had_worker ? json_integer(result->worker) : json_null());
    set(line, "peakKiB", result->peak_kib ? json_integer((json_int_t)result->peak_kib) : json_null());
    set(line, "seconds", seconds_value(result->seconds));
    set(line, "stages", stages);
    set(line, "ended", time_value(&result->ended));
    set(line, "file", text_value(result->job->mark.file));
    set(line, "line", json_integer(result->job->mark.line));
    set(line, "model", text_value(result->job->model));
    set(line, "warnings", result->warnings ? json_texts(result->warnings, 0) : json_array());
    set(line, "findings", findings_value(result));
    set(line, "inputs", inputs_value(result->inputs));
    add_line(log, line);
}

static void log_run(struct run_log *log, const struct run_result *result)
{
    json_t *line = json_object(), *lists = json_array(), *counts = json_object();
    for (size_t i = 0; i < result->list_count; i++) {
        const struct job_list *list = result->lists[i];
        json_t *object = json_object();
        set(object, "name", text_value(list->name));
        set(object, "file", text_value(list->path));
        set(object, "output", text_value(list->output));
        set(object, "jobs", count_value(list->job_count));
        json_array_append_new(lists, object);
    }
    set(counts, "made", count_value(result->counts[PAGE_MADE]));
    set(counts, "upToDate", count_value(result->counts[PAGE_UP_TO_DATE]));
    set(counts, "failed", count_value(result->counts[PAGE_FAILED]));
    set(counts, "cancelled", count_value(result->counts[PAGE_CANCELLED]));
    set(counts, "notBegun", count_value(result->not_begun));
    set(counts, "warnings", count_value(result->warning_count));

    set(line, "type", json_string("run"));
    set(line, "version", json_integer(LOG_VERSION));
    set(line, "sheetbake", json_string(SHEETBAKE_VERSION));
    set(line, "started", time_value(&result->started));
    set(line, "ended", time_value(&result->ended));
    set(line, "seconds", seconds_value(result->seconds));
    set(line, "lists", lists);
    set(line, "only", text_or_null(result->only));
    const struct shard *shard = &result->shard;
    set(line, "shard", shard->count ? json_sprintf("%u/%u", shard->number, shard->count) : json_null());
    set(line, "workers", count_value(result->worker_count));
    set(line, "counts", counts);
    set(line, "exitCode", json_integer(result->exit_code));
    set(line, "reason", text_or_null(result->reason));
    set(line, "problems", json_texts(&result->problems, 0));
    add_line(log, line);
}

static int close_log(void *file, const char *path, const struct run_result *run, struct error *err)
{
    SCOPED struct run_log *log = file;
    (void)path;
    if (run)
        log_run(log, run);
    if (close(log->fd) < 0 && !log->reason)
        log->reason = errno;
    int result = 0;
    if (log->reason)
        result = error_set(err, "%s: cannot write the log: %s", log->path, strerror(log->reason));
    free(log->path);
    return result;
}

const struct sink run_log_sink = {
    .open = open_log, .begin = begin_log, .page = log_page, .close = close_log, .wants_inputs = true};
