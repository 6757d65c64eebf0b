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
#include "page/json_file.h"

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

static const struct json_file empty_line = {.is_compact = true, .keeps_order = true};

/* `line` is used up. */
static void add_line(struct run_log *log, struct json_file *line)
{
    SCOPED_BY(blob_release) struct blob text = {0};
    struct error ignored;
    if (json_finish(line, &text, &ignored) < 0) {
        log->reason = ENOMEM;
        return;
    }
    const size_t size = text.size, done = log->reason ? size : file_write(log->fd, blob_bytes(&text));
    if (done < size) {
        log->reason = errno;
        /* The disk is full. What it took of the line goes again. */
        off_t end = done ? lseek(log->fd, 0, SEEK_CUR) : -1;
        if (end >= (off_t)done && ftruncate(log->fd, end - (off_t)done) == 0)
            lseek(log->fd, end - (off_t)done, SEEK_SET);
    }
}

struct text {
    char text[64];
};

/* RFC 3339, UTC. */
static const char *time_text(const struct timespec *time, struct text *out)
{
    struct tm parts;
    gmtime_r(&time->tv_sec, &parts);
    size_t length = strftime(out->text, sizeof out->text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out->text + length, sizeof out->text - length, ".%03ldZ", time->tv_nsec / 1000000);
    return out->text;
}

/* NULL for 0. */
static const char *signal_text(int number, struct text *out)
{
    const char *name = number ? sigabbrev_np(number) : NULL;
    snprintf(out->text, sizeof out->text, "signal %d", number);
    if (name)
        snprintf(out->text, sizeof out->text, "SIG%s", name);
    return number ? out->text : NULL;
}

/* Adds the hashes by path, as in the page's record. */
static void add_inputs(struct json_file *line, const struct record_pairs *inputs)
{
    line->is_exact = true;
    json_add(line, "{", "inputs");
    for (size_t i = 0; inputs && i < inputs->count; i++)
        json_add(line, "s", inputs->items[i].name, inputs->items[i].value);
    json_add(line, "}");
    line->is_exact = false;
}

/* Adds the findings, each with the place of its rule in the list. */
static void add_findings(struct json_file *line, const struct page_result *result)
{
    struct event event;
    struct finding finding;
    json_add(line, "[", "findings");
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        if (!event.finding)
            continue;
        const struct mark *mark = event.place;
        json_add(line, "{sssSS", "rule", finding.rule, "level", finding_level(&finding), "text", finding.text,
                 "cell", *finding.cell ? finding.cell : NULL, "file", mark ? mark->file : NULL);
        json_add(line, mark ? "u}" : "n}", "line", mark ? mark->line : 0);
    }
    json_add(line, "]");
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
    struct json_file line = empty_line;
    struct text ended, signal;
    const struct strings none = {0}, *warnings = result->warnings ? result->warnings : &none;
    const bool is_whole = result->status == PAGE_MADE || result->status == PAGE_UP_TO_DATE;
    json_add(&line, "{sussuSSsSSSu", "type", "page", "version", LOG_VERSION, "list", result->list->name, "job",
             result->job->name, "page", result->page, "sheet", result->name, "madeWith", result->made_with,
             "status", status_names[result->status], "reason", result->reason, "stage",
             is_whole ? NULL : stage_name(result->stopwatch.current), "signal",
             signal_text(result->signal, &signal), "attempts", result->attempts);
    json_add(&line, result->had_worker ? "u" : "n", "worker", result->worker);
    json_add(&line, result->peak_kib ? "0" : "n", "peakKiB", (double)result->peak_kib);
    json_add(&line, "6{", "seconds", result->seconds, "stages");
    for (unsigned stage = STAGE_LOAD; stage < STAGE_COUNT; stage++)
        json_add(&line, "6", stage_name(stage), result->stopwatch.seconds[stage]);
    json_add(&line, "}ssust", "ended", time_text(&result->ended, &ended), "file", result->job->mark.file, "line",
             result->job->mark.line, "model", result->job->model, "warnings", warnings->items, warnings->count);
    add_findings(&line, result);
    add_inputs(&line, result->inputs);
    json_add(&line, "}");
    add_line(file, &line);
}

static void log_run(struct run_log *log, const struct run_result *result)
{
    struct json_file line = empty_line;
    struct text started, ended, part = {""};
    const struct shard *shard = &result->shard;
    if (shard->count)
        snprintf(part.text, sizeof part.text, "%u/%u", shard->number, shard->count);
    json_add(&line, "{susss6[", "type", "run", "version", LOG_VERSION, "sheetbake", SHEETBAKE_VERSION, "started",
             time_text(&result->started, &started), "ended", time_text(&result->ended, &ended), "seconds",
             result->seconds, "lists");
    for (size_t i = 0; i < result->list_count; i++) {
        const struct job_list *list = result->lists[i];
        json_add(&line, "{sss0}", "name", list->name, "file", list->path, "output", list->output, "jobs",
                 (double)list->job_count);
    }
    json_add(&line, "]SS0{000000}", "only", result->only, "shard", shard->count ? part.text : NULL, "workers",
             (double)result->worker_count, "counts", "made", (double)result->counts[PAGE_MADE], "upToDate",
             (double)result->counts[PAGE_UP_TO_DATE], "failed", (double)result->counts[PAGE_FAILED], "cancelled",
             (double)result->counts[PAGE_CANCELLED], "notBegun", (double)result->not_begun, "warnings",
             (double)result->warning_count);
    json_add(&line, "0St}", "exitCode", (double)result->exit_code, "reason", result->reason, "problems",
             result->problems.items, result->problems.count);
    add_line(log, &line);
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
