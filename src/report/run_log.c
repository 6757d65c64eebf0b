#include "report/run_log.h"

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
#include "sheet/json_value.h"

enum { LOG_VERSION = 1 }; /* raised when a field goes or changes its meaning, not when one is added */

struct run_log {
    char *path;
    int fd;
    int reason; /* why a line could not be written; no more are tried */
};

int run_log_open(const char *path, struct run_log **out, struct error *err)
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
void run_log_begin(struct run_log *log)
{
    struct stat stat;
    bool is_file = fstat(log->fd, &stat) == 0 && S_ISREG(stat.st_mode);
    if (is_file && strcmp(log->path, "standard output") != 0 && ftruncate(log->fd, 0) < 0)
        log->reason = errno;
}

int run_log_close(struct run_log *log, struct error *err)
{
    if (!log)
        return 0;
    if (close(log->fd) < 0 && !log->reason)
        log->reason = errno;
    int result = 0;
    if (log->reason)
        result = error_set(err, "%s: cannot write the log: %s", log->path, strerror(log->reason));
    free(log->path);
    free(log);
    return result;
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

/* What a disk took of a line before it was full. */
static void forget_piece(int fd, size_t length)
{
    off_t end = length ? lseek(fd, 0, SEEK_CUR) : -1;
    if (end >= (off_t)length && ftruncate(fd, end - (off_t)length) == 0)
        lseek(fd, end - (off_t)length, SEEK_SET);
}

static void write_line(struct run_log *log, const char *line, size_t length)
{
    size_t done = file_write(log->fd, (struct bytes){(const uint8_t *)line, length});
    if (done < length) {
        log->reason = errno;
        forget_piece(log->fd, done);
    }
}

/* `line` is used up. */
static void add_line(struct run_log *log, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(line);
    if (!text) {
        log->reason = ENOMEM;
        return;
    }
    size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the NUL */
    if (!log->reason)
        write_line(log, text, length + 1);
    free(text);
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

static json_t *strings_value(const struct strings *strings)
{
    json_t *array = json_array();
    for (size_t i = 0; strings && i < strings->count; i++)
        json_array_append_new(array, text_value(strings->items[i]));
    return array;
}

/* By path, as in the page's JSON. */
static json_t *inputs_value(const struct record_pairs *inputs)
{
    json_t *object = json_object();
    for (size_t i = 0; inputs && i < inputs->count; i++) {
        json_t *path = exact_value(inputs->items[i].name);
        set(object, json_string_value(path), text_value(inputs->items[i].value));
        json_decref(path);
    }
    return object;
}

static json_t *stages_value(const struct page_result *result)
{
    json_t *object = json_object();
    for (unsigned stage = STAGE_LOAD; stage < STAGE_COUNT; stage++)
        set(object, stage_name(stage), seconds_value(result->stages.seconds[stage]));
    return object;
}

/* -- Objects ----------------------------------------------------------------------------------------------- */

static const char *status_name(enum page_status status)
{
    static const char *const names[PAGE_STATUS_COUNT] = {
        [PAGE_MADE] = "made",
        [PAGE_UP_TO_DATE] = "up-to-date",
        [PAGE_FAILED] = "failed",
        [PAGE_CANCELLED] = "cancelled",
    };
    return names[status];
}

/* What a page was begun but not done with. */
static const char *broken_stage(const struct page_result *result)
{
    bool is_whole = result->status == PAGE_MADE || result->status == PAGE_UP_TO_DATE;
    return is_whole ? NULL : stage_name(result->stages.current);
}

/* Every field is there in every line, null where there is nothing to say. */
void run_log_page(struct run_log *log, const struct page_result *result)
{
    json_t *line = json_object();
    set(line, "type", json_string("page"));
    set(line, "version", json_integer(LOG_VERSION));
    set(line, "list", text_value(result->list->name));
    set(line, "job", text_value(result->job->name));
    set(line, "page", json_integer(result->page));
    set(line, "sheet", text_or_null(result->name));
    set(line, "madeWith", text_or_null(result->made_with));
    set(line, "status", json_string(status_name(result->status)));
    set(line, "reason", text_or_null(result->reason));
    set(line, "stage", text_or_null(broken_stage(result)));
    set(line, "signal", signal_value(result->signal));
    set(line, "attempts", json_integer(result->attempts));
    set(line, "worker", result->had_worker ? json_integer(result->worker) : json_null());
    set(line, "peakKiB", result->peak_kib ? json_integer((json_int_t)result->peak_kib) : json_null());
    set(line, "seconds", seconds_value(result->seconds));
    set(line, "stages", stages_value(result));
    set(line, "ended", time_value(&result->ended));
    set(line, "file", text_value(result->job->mark.file));
    set(line, "line", json_integer(result->job->mark.line));
    set(line, "model", text_value(result->job->model));
    set(line, "warnings", strings_value(result->warnings));
    set(line, "inputs", inputs_value(result->inputs));
    add_line(log, line);
}

static json_t *lists_value(const struct run_result *result)
{
    json_t *array = json_array();
    for (size_t i = 0; i < result->list_count; i++) {
        const struct job_list *list = result->lists[i];
        json_t *object = json_object();
        set(object, "name", text_value(list->name));
        set(object, "file", text_value(list->path));
        set(object, "output", text_value(list->output));
        set(object, "jobs", count_value(list->job_count));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *shard_value(const struct shard *shard)
{
    return shard->count ? json_sprintf("%u/%u", shard->number, shard->count) : json_null();
}

static json_t *counts_value(const struct run_result *result)
{
    json_t *object = json_object();
    set(object, "made", count_value(result->counts[PAGE_MADE]));
    set(object, "upToDate", count_value(result->counts[PAGE_UP_TO_DATE]));
    set(object, "failed", count_value(result->counts[PAGE_FAILED]));
    set(object, "cancelled", count_value(result->counts[PAGE_CANCELLED]));
    set(object, "notBegun", count_value(result->not_begun));
    set(object, "warnings", count_value(result->warning_count));
    return object;
}

void run_log_run(struct run_log *log, const struct run_result *result)
{
    json_t *line = json_object();
    set(line, "type", json_string("run"));
    set(line, "version", json_integer(LOG_VERSION));
    set(line, "sheetbake", json_string(SHEETBAKE_VERSION));
    set(line, "started", time_value(&result->started));
    set(line, "ended", time_value(&result->ended));
    set(line, "seconds", seconds_value(result->seconds));
    set(line, "lists", lists_value(result));
    set(line, "only", text_or_null(result->only));
    set(line, "shard", shard_value(&result->shard));
    set(line, "workers", count_value(result->worker_count));
    set(line, "counts", counts_value(result));
    set(line, "exitCode", json_integer(result->exit_code));
    set(line, "reason", text_or_null(result->reason));
    set(line, "problems", strings_value(result->problems));
    add_line(log, line);
}
