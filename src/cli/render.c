#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "os/resources.h"
#include "os/signals.h"
#include "review/html.h"
#include "run/depfile.h"
#include "run/batch.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "all sheets are made or up to date"},
    {"2", "wrong options, a list with mistakes, a file that cannot be read or a folder that cannot be written to"},
    {"3", "some sheets failed, broke a rule of their list, or with --strict have warnings"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the run broke off or was given up, or --sandbox require cannot be met"},
    {"6", "another run uses an output folder (--lock fail)"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

struct render_args {
    struct job_options job;
    struct batch_settings batch;
    struct report_settings report;
    bool dry_run, is_json, prune, watch;
    enum { FAILED_JOBS_3, FAILED_JOBS_0 } failed_jobs;
};

/* -- Options ----------------------------------------------------------------------------------------------- */

static const char *const renderer_names[] = {[RENDERER_ALIKE] = "alike", [RENDERER_STRICT] = "strict"};
static const char *const progress_names[] = {[PROGRESS_LIVE] = "live", [PROGRESS_OPENJD] = "openjd"};
static const char *const failed_jobs_names[] = {[FAILED_JOBS_3] = "3", [FAILED_JOBS_0] = "0"};
static const char *const lock_names[] = {[LOCK_WAIT] = "wait", [LOCK_FAIL] = "fail", [LOCK_OFF] = "off"};

/* Into a struct shard: "3/8" or "auto". */
static int take_shard(const struct command *command, const char *text, void *out)
{
    struct error err;
    bool is_auto = !strcmp(text, "auto");
    int result = is_auto ? shard_detect(out, &err) : shard_parse(text, out, &err);
    return result < 0 ? cli_usage_error(command, "--shard%s: %s", is_auto ? " auto" : "", err.text) : -1;
}

#define SINK_OPTION(number, name, option, help)                                                                   \
    {                                                                                                             \
        option, 0, "FILE", help, ARG_PATH(struct render_args, report.files[SINK_##number])                        \
    }

static const struct arg options[] = {
    {ARG_WORKERS(struct render_args, batch.worker_count)},
    {ARG_OUTPUT(struct render_args, job.output)},
    {ARG_ONLY(struct render_args, batch.only)},
    {"force", 0, NULL, "make all sheets, even those that are up to date",
     ARG_FLAG(struct render_args, batch.force)},
    {"dry-run", 0, NULL, "make nothing; print which sheets would be made, and why",
     ARG_FLAG(struct render_args, dry_run)},
    {"json", 0, NULL, "with --dry-run: print all reasons as JSON", ARG_FLAG(struct render_args, is_json),
     .needs = "dry-run", .excludes = "prune"},
    {ARG_CONFIG(struct render_args, job.config)},
    {ARG_TIMEOUT(struct render_args, batch.timeout_s, "a page")},
    {ARG_MEMORY(struct render_args, batch.memory_limit)},
    {"fail-fast", 0, NULL, "stop when the first sheet fails", ARG_FLAG(struct render_args, batch.fail_fast)},
    {"strict", 0, NULL, "treat a sheet with a warning as failed: it is made, and the exit code is 3",
     ARG_FLAG(struct render_args, report.is_strict), .excludes = "dry-run: only the models know"},
    {"failed-jobs", 0, "CODE",
     "the exit code when all that failed did so for what its files hold or lack: 3 (the default), or 0, so that "
     "nobody tries it again",
     ARG_CHOICE(struct render_args, failed_jobs, failed_jobs_names)},
    {"give-up", 0, "N",
     "end the run when the workers of N models in a row die and no sheet is made in between (default 20; 0: "
     "never)",
     ARG_COUNT(struct render_args, batch.give_up, 0, 1000000)},
    {ARG_BACKEND(struct render_args, batch.backend)},
    {"renderer", 0, "WHAT",
     "sheets of another machine are up to date if it draws the same pictures: alike (the default), or only if "
     "processor and libraries are the same, too: strict",
     ARG_CHOICE(struct render_args, batch.renderer, renderer_names)},
    {ARG_SANDBOX(struct render_args, batch.sandbox)},
    {"shard", 0, "I/N",
     "make only part I of N, from 1/N to N/N; auto: the part that the environment names, by SHEETBAKE_SHARD_INDEX "
     "(from 0) and SHEETBAKE_SHARD_TOTAL or by a Slurm array (see docs/recipes)",
     ARG_CALL(struct render_args, batch.shard, struct shard, take_shard)},
    {"lock", 0, "WHAT",
     "while another run uses an output folder: wait (the default), fail, or off, which ignores it",
     ARG_CHOICE(struct render_args, batch.lock, lock_names)},
    {"durable", 0, NULL, "write each file to the disk before it gets its name, in case the power fails",
     ARG_FLAG(struct render_args, batch.durable)},
    {"prune", 0, NULL,
     "remove the sheets of jobs that are no longer in the lists; with --dry-run, print what it would remove",
     ARG_FLAG(struct render_args, prune), .excludes = "only shard: it needs all that the lists make"},
    {"watch", 0, NULL,
     "go on until Ctrl-C: bake again whenever a list or a file of its assets changes, and renew the gallery",
     ARG_FLAG(struct render_args, watch)},
    {"depfile", 0, "FILE", "write what the sheets were made of to FILE, for make and ninja",
     ARG_PATH(struct render_args, batch.depfile)},
    {"depfile-target", 0, "NAME", "the target in the depfile (default: FILE without .d)",
     ARG_TEXT(struct render_args, batch.depfile_target), .needs = "depfile"},
    SINK_ROWS(SINK_OPTION),
    {"progress", 0, "WHAT",
     "live (the default): a line on a terminal; openjd: also lines of Open Job Description on standard output",
     ARG_CHOICE(struct render_args, report.progress, progress_names)},
    {ARG_CI(struct render_args, report.ci)},
    {"in-process", 0, NULL, NULL, ARG_FLAG(struct render_args, batch.in_process)}, /* see CONTRIBUTING.md */
    {"quiet", 'q', NULL, "print failures only", ARG_INT(struct render_args, report.verbosity, VERBOSITY_QUIET)},
    {"verbose", 'v', NULL,
     "print every sheet and warning, and how each texture was found; with --dry-run, all reasons",
     ARG_INT(struct render_args, report.verbosity, VERBOSITY_VERBOSE)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct render_args *args)
{
    const struct command *command = &render_command;
    int exit_code = args_read(command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    ci_listen_openjd(args->report.progress == PROGRESS_OPENJD);
    if (args->batch.in_process) {
        args->batch.worker_count = 1;
        args->batch.memory_limit = 0;
        args->batch.sandbox = SANDBOX_OFF;
        args->batch.force = true; /* judging would start another process, to find what draws */
    }
    const char *depfile = args->batch.depfile, *target = args->batch.depfile_target;
    if (depfile && !target && strcmp(path_suffix(depfile), ".d"))
        return cli_usage_error(command, "--depfile: '%s' does not end in .d, so it needs --depfile-target",
                               depfile);
    if (depfile && !depfile_can_be_target(target ? target : depfile))
        return cli_usage_error(command, "--depfile: make and ninja cannot both read the name '%s'",
                               target ? target : depfile);
    return -1;
}

/* -- What is printed of a run ------------------------------------------------------------------------------ */

static void print_waiting(void *context, const char *text)
{
    (void)context;
    cli_complain("%s", text);
}

/* Prints to standard output what a dry run would do, for that is its result. What was done is a message. */
static void print_pruned_line(bool is_dry, const char *done, const char *would, const char *text)
{
    if (is_dry)
        cli_print_line("%s %s", would, text);
    else
        cli_complain("%s %s", done, text);
}

static void print_left(const struct pruned_page *page)
{
    SCOPED char *folder = path_folder(page->record);
    for (size_t i = 0; i < page->left.count; i++) {
        SCOPED char *path = path_join(folder, page->left.items[i]);
        print_pruned_line(page->is_dry, "left", "would leave", path);
    }
}

/* A page is a line: its record with the folder, then the names of its other files. */
static void print_pruned(const struct pruned_page *page)
{
    if (page->removed.count) {
        SCOPED_BY(buffer_release) struct buffer line = {0};
        buffer_printf(&line, "%s", page->record);
        for (size_t i = 1; i < page->removed.count; i++)
            buffer_printf(&line, ", %s", page->removed.items[i]);
        buffer_printf(&line, ": %s", page->why);
        print_pruned_line(page->is_dry, "removed", "would remove", line.text);
    }
    print_left(page);
}

static void print_prune_refused(const struct job_list *list, const char *why, bool is_dry)
{
    SCOPED char *text = must_printf("of %s while something that it names is missing: %s", list->path, why);
    print_pruned_line(is_dry, "removed nothing", "would remove nothing", text);
}

/* -- --dry-run --------------------------------------------------------------------------------------------- */

struct preview {
    const struct render_args *args;
    json_t *sheets;        /* NULL: text */
    size_t pages, unknown; /* to be made; of those, jobs of any number of pages */
    size_t doubtful;       /* jobs that may have no page for this shard */
    size_t failures;       /* jobs that would fail */
};

static void add_sheet(json_t *sheets, const struct batch_todo *todo, const char *name)
{
    uint32_t page_count = todo->verdict->page_count;
    const struct reasons *reasons = &todo->verdict->pages[todo->page].reasons;
    json_t *array = json_array();
    for (size_t i = 0; i < reasons->count; i++) {
        const struct reason *reason = &reasons->items[i];
        SCOPED char *text = reason_text(reason);
        json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind", reason_name(reason->kind),
                                               "subject", text_or_null(reason->subject), "was",
                                               text_or_null(reason->was), "is", text_or_null(reason->is), "text",
                                               text_or_null(text), "place", text_or_null(reason->place)));
    }
    json_array_append_new(sheets,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "list", text_or_null(todo->list->name),
                                    "job", text_or_null(todo->job->name), "sheet", text_or_null(name), "page",
                                    page_count ? json_integer(todo->page) : json_null(), "pages",
                                    page_count ? json_integer(page_count) : json_null(), "reasons", array));
}

/* In text, a sheet has its first reason, or with -v a line for each. */
static void preview_page(void *context, const struct batch_todo *todo)
{
    struct preview *preview = context;
    SCOPED char *name = verdict_page_name(todo->verdict, todo->job, todo->page);
    bool would_fail = todo->job->missing_count > 0;
    const struct reasons *reasons = &todo->verdict->pages[todo->page].reasons;
    bool is_verbose = preview->args->report.verbosity > VERBOSITY_NORMAL;
    if (preview->sheets)
        add_sheet(preview->sheets, todo, name);
    for (size_t i = 0; !preview->sheets && i < (is_verbose ? reasons->count : 1); i++) {
        SCOPED char *text = is_verbose ? reason_text(&reasons->items[i]) : reasons_text(reasons);
        cli_print_line("%s: %s%s", name, would_fail ? "would fail: " : "", text);
    }
    preview->pages += !would_fail && !todo->is_doubtful;
    preview->doubtful += todo->is_doubtful;
    preview->unknown += !would_fail && todo->verdict->page_count == 0;
    preview->failures += would_fail;
}

static void print_totals(const struct preview *preview, size_t up_to_date)
{
    fprintf(stderr, "%s%zu sheet%s would be made", preview->unknown ? "at least " : "", preview->pages,
            cli_plural(preview->pages));
    if (preview->doubtful > 0)
        fprintf(stderr, ", and pages of %zu more job%s if this shard has any", preview->doubtful,
                cli_plural(preview->doubtful));
    fprintf(stderr, ", %zu up to date", up_to_date);
    if (preview->failures)
        fprintf(stderr, ", %zu job%s would fail", preview->failures, cli_plural(preview->failures));
    fprintf(stderr, "\n");
}

static enum batch_end dry_run(const struct render_args *args, struct error *err)
{
    struct preview preview = {.args = args, .sheets = args->is_json ? json_array() : NULL};
    size_t up_to_date;
    enum batch_end end = batch_preview(&args->batch, preview_page, &preview, &up_to_date);
    if (args->is_json && json_print(json_pack("{s:o}", "sheets", preview.sheets), JSON_INDENT(2), err) < 0)
        return BATCH_BROKEN;
    fflush(stdout);
    if (end != BATCH_NO_JOBS && args->report.verbosity != VERBOSITY_QUIET)
        print_totals(&preview, up_to_date);
    return end;
}

/* -- A run ------------------------------------------------------------------------------------------------- */

static const enum exit_code exit_codes[] = {
    [BATCH_DONE] = EXIT_DONE,     [BATCH_SHEETS_FAILED] = EXIT_SHEETS_FAILED,
    [BATCH_NO_JOBS] = EXIT_USAGE, [BATCH_NO_OUTPUT] = EXIT_USAGE,
    [BATCH_LOCKED] = EXIT_LOCKED, [BATCH_NO_BACKEND] = EXIT_NO_BACKEND,
    [BATCH_BROKEN] = EXIT_BROKEN, [BATCH_INTERRUPTED] = EXIT_SIGNAL, /* plus the signal's number */
};

/* Says why a run could not begin or go on: no page tells that. */
static void tell_end(const struct render_args *args, enum batch_end end, struct error *err)
{
    if (end == BATCH_DONE || end == BATCH_SHEETS_FAILED)
        return;
    if (end == BATCH_INTERRUPTED) {
        report_end_reason(args->batch.report, "interrupted");
        return;
    }
    if (end == BATCH_LOCKED)
        report_stand_back(args->batch.report);
    if (end == BATCH_NO_JOBS)
        error_set(err, "no job's name matches --only '%s'%s", args->batch.only, glob_hint(args->batch.only));
    report_end_reason(args->batch.report, err->text);
    if (!report_event(args->batch.report, &(struct event){EVENT_ERROR, .text = err->text}))
        cli_complain("%s", err->text);
}

/* Returns the exit code. The caller releases the lists and leaves the folders, once the report is closed. */
static int bake_lists(char *const *paths, size_t count, struct render_args *args, struct lists *lists,
                      struct folders **folders)
{
    int refused = sandbox_args_check(args->batch.sandbox, args->report.verbosity > VERBOSITY_NORMAL);
    if (refused >= 0) {
        report_end_reason(args->batch.report, "--sandbox require cannot be met");
        return refused;
    }
    if (lists_load(paths, count, &args->job, ci_detect(args->report.ci), args->batch.report, lists) < 0)
        return EXIT_USAGE;
    args->batch.lists = lists->items;
    args->batch.list_count = lists->count;
    if (!args->batch.worker_count)
        args->batch.worker_count = cpus_usable();
    const struct shard *shard = &args->batch.shard;
    if (args->report.verbosity != VERBOSITY_QUIET && shard->count > 0)
        cli_complain("shard %" PRIu32 " of %" PRIu32 "%s%s", shard->number, shard->count,
                     shard->source ? ", from " : "", shard->source ? shard->source : "");
    struct error err;
    int signal_number = 0;
    enum batch_end end =
        args->dry_run ? dry_run(args, &err) : batch_run(&args->batch, folders, &signal_number, &err);
    tell_end(args, end, &err);
    if (end == BATCH_SHEETS_FAILED && args->failed_jobs == FAILED_JOBS_0 && !args->batch.fail_fast &&
        report_failures_are_own(args->batch.report))
        return EXIT_DONE;
    return end == BATCH_INTERRUPTED ? EXIT_SIGNAL + signal_number : (int)exit_codes[end];
}

/* -- --watch ----------------------------------------------------------------------------------------------- */

/* Each run is an ordinary one, in a process of its own, while this one waits. Folders are found and watched before it
 * starts, so no change during the run is lost. */

enum { BAKES_ONCE = -1, GOES_ON = -2, QUIET_MS = 200, CHILD_MS = 50, MOST_TOLD = 3 };

struct watch {
    int fd;
    struct strings paths;   /* lists, what they include, and roots, since the beginning */
    struct strings ignored; /* output folders below a root, and names of files that runs write */
    struct strings watched; /* by the kernel's numbers, "" where there is none */
    struct strings told;    /* what has changed since the last run */
    bool is_quiet;
};

static void add_path(struct strings *paths, const char *path)
{
    SCOPED char *real = path_resolve(path);
    strings_add_new(paths, real);
}

/* Ignores a file that runs write. */
static void ignore_file(struct watch *watch, const char *path)
{
    SCOPED char *real = path_resolve(path);
    strings_add(&watch->ignored, path_base(real));
}

/* Watches the files of a list, or those with problems, which the run prints. */
static void add_list(struct watch *watch, const char *path, const struct job_options *job)
{
    struct job_list *list = NULL;
    SCOPED_BY(strings_release) struct strings problems = {0};
    add_path(&watch->paths, path);
    if (job_list_load(path, job, &list, &problems) == 0) {
        add_path(&watch->ignored, list->output);
        for (size_t i = 0; i < list->file_count; i++)
            add_path(&watch->paths, list->files[i]);
        for (size_t i = 0; i < list->root_count; i++)
            add_path(&watch->paths, list->roots[i]);
        job_list_free(list);
    }
    for (size_t i = 0; i < problems.count; i++) {
        problems.items[i][strcspn(problems.items[i], ":")] = '\0';
        add_path(&watch->paths, problems.items[i]);
    }
}

/* Watches a file, or a folder and those below it; where it is missing, the folder where it will be. What comes into a folder
 * after it was listed is an event. */
static int watch_path(struct watch *watch, const char *path, uint32_t flags, struct error *err)
{
    const uint32_t events =
        IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF | IN_MOVE_SELF;
    SCOPED char *above = path_folder(path);
    int result = inotify_add_watch(watch->fd, path, events | flags);
    const bool is_above = result < 0 && errno == ENOENT && !flags;
    if (is_above)
        result = inotify_add_watch(watch->fd, above, events);
    while (result >= (int)watch->watched.count) /* one may be watched again */
        strings_add(&watch->watched, result > (int)watch->watched.count ? "" : is_above ? above : path);
    if (result < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
        return 0;
    if (result < 0)
        return error_set(err, "cannot watch '%s': %s%s", path, strerror(errno),
                         errno == ENOSPC ? "; sysctl fs.inotify.max_user_watches limits it" : "");
    SCOPED_BY(folder_close) DIR *folder = opendir(path);
    struct dirent *entry;
    for (result = 0; folder && result == 0 && (entry = readdir(folder));) {
        SCOPED char *inner = path_join(path, entry->d_name);
        if (entry->d_name[0] != '.' && !strings_has(&watch->ignored, inner))
            result = watch_path(watch, inner, IN_ONLYDIR | IN_DONT_FOLLOW, err);
    }
    return result;
}

/* Tells the first paths that change, as from the current folder. */
static void tell_change(struct watch *watch, const struct inotify_event *event)
{
    const char *place = event->wd < 0 ? "" : watch->watched.items[event->wd];
    SCOPED char *path = event->len ? path_join(place, event->name) : must_strdup(place), *here = path_resolve(".");
    const char *below = path_below(here, path);
    if (*path && !watch->is_quiet && watch->told.count <= MOST_TOLD && !strings_has(&watch->told, path)) {
        strings_add(&watch->told, path);
        cli_complain("changed: %s", watch->told.count > MOST_TOLD ? "more" : below && *below ? below : path);
    }
}

/* Tells what the events are about. Returns whether any is of a file that counts, or says that there were too many. */
static bool read_events(struct watch *watch)
{
    _Alignas(struct inotify_event) char buffer[16 * 1024];
    bool counts = false;
    ssize_t got;
    while ((got = read(watch->fd, buffer, sizeof buffer)) > 0)
        for (const char *at = buffer; at < buffer + got;) {
            const struct inotify_event *event = (const void *)at;
            const char *name = event->len ? event->name : "";
            if (name[0] != '.' && !strings_has(&watch->ignored, name)) {
                tell_change(watch, event);
                counts = true;
            }
            at += sizeof *event + event->len;
        }
    return counts;
}

/* Waits until something has changed, and then nothing more for a moment; or for a signal. */
static void wait_for_change(struct watch *watch)
{
    struct pollfd files[] = {{.fd = watch->fd, .events = POLLIN}, {.fd = signals_fd(), .events = POLLIN}};
    bool is_changed = false;
    while (!signals_first() && poll(files, 2, is_changed ? QUIET_MS : -1) != 0)
        is_changed |= read_events(watch);
}

/* Waits for a run. A signal ends it, too: by SIGHUP, which never counts as a second SIGINT (a terminal sends that to both),
 * or, where SIGHUP is ignored (nohup), by the same signal. */
static int wait_for_end(pid_t pid)
{
    struct pollfd end = {.fd = signals_fd(), .events = POLLIN};
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && poll(&end, 1, CHILD_MS) <= 0)
        ;
    if (ended == 0) {
        struct sigaction hangup;
        sigaction(SIGHUP, NULL, &hangup);
        kill(pid, hangup.sa_handler == SIG_IGN ? signals_first() : SIGHUP);
        waitpid(pid, &status, 0);
    }
    return status;
}

static int bake_and_wait(struct watch *watch, char *const *lists, size_t count, const struct render_args *args)
{
    struct error err;
    close(watch->fd); /* with its watches; the run sees what changes before there are new ones */
    strings_release(&watch->watched);
    strings_release(&watch->told);
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch->fd < 0) {
        error_set(&err, "cannot watch files: %s", strerror(errno));
        return cli_fail(&err, EXIT_BROKEN);
    }
    for (size_t i = 0; i < count; i++)
        add_list(watch, lists[i], &args->job);
    for (size_t i = 0; i < watch->paths.count; i++)
        if (watch_path(watch, watch->paths.items[i], 0, &err) < 0)
            return cli_fail(&err, EXIT_BROKEN);
    pid_t pid = fork();
    if (pid == 0)
        return BAKES_ONCE;
    int status = pid < 0 ? 0 : wait_for_end(pid);
    if (signals_first())
        return GOES_ON;
    if (pid < 0 || WIFSIGNALED(status))
        cli_complain("the run %s: %s", pid < 0 ? "did not start" : "was killed",
                     pid < 0 ? strerror(errno) : strsignal(WTERMSIG(status)));
    if (!watch->is_quiet)
        cli_complain("waiting for changes");
    wait_for_change(watch);
    return GOES_ON;
}

/* Returns the exit code, or BAKES_ONCE in the process of a run. */
static int watch_lists(char *const *lists, size_t count, const struct render_args *args)
{
    struct watch watch = {.fd = -1, .is_quiet = args->report.verbosity == VERBOSITY_QUIET};
    struct error err;
    if (signals_open(&err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    ignore_file(&watch, "/proc/self/fd/1");
    ignore_file(&watch, "/proc/self/fd/2");
    for (size_t i = 0; i < SINK_COUNT; i++)
        if (args->report.files[i])
            ignore_file(&watch, args->report.files[i]);
    int exit_code = GOES_ON;
    while (exit_code == GOES_ON && !signals_first())
        exit_code = bake_and_wait(&watch, lists, count, args);
    close(watch.fd);
    strings_release(&watch.paths);
    strings_release(&watch.ignored);
    strings_release(&watch.watched);
    strings_release(&watch.told);
    signals_close();
    return signals_first() ? EXIT_SIGNAL + signals_first() : exit_code;
}

/* The one in the output folder of the first list, if it is there. */
static void renew_gallery(const struct job_list *list)
{
    SCOPED char *files = path_join(list->output, HTML_FOLDER);
    optind = 0;
    if (access(files, F_OK) == 0)
        gallery_command.run(3, (char *[]){"gallery", "--quiet", (char *)list->output, NULL});
}

static int run(int argc, char **argv)
{
    struct render_args args = {
        .job = {.missing_fails_job = true, .with_atlases = true},
        .batch = batch_defaults(),
    };
    args.batch.waiting = print_waiting;
    args.batch.prune_refused = print_prune_refused;
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    args.report.shard = args.batch.shard;
    args.report.only = args.batch.only;
    if (args.prune)
        args.batch.prune = args.report.verbosity == VERBOSITY_QUIET ? print_left : print_pruned;
    if (args.dry_run)
        memset(args.report.files, 0, sizeof args.report.files);
    /* The sheets are wanted even when nobody reads the log any more. */
    signal(SIGPIPE, SIG_IGN);
    exit_code = args.watch ? watch_lists(argv + optind, (size_t)(argc - optind), &args) : BAKES_ONCE;
    if (exit_code != BAKES_ONCE)
        return exit_code;
    struct error err;
    SCOPED_BY(lists_release) struct lists lists = {0};
    struct folders *folders = NULL;
    if (report_open(&args.report, &args.batch.report, &err) < 0)
        return cli_fail(&err, EXIT_USAGE);
    exit_code = bake_lists(argv + optind, (size_t)(argc - optind), &args, &lists, &folders);
    /* A late signal must not cut off the log. */
    bool are_caught = signals_open(&err) == 0;
    if (report_close(args.batch.report, exit_code, &err) < 0)
        exit_code = cli_fail(&err, exit_code == EXIT_DONE ? EXIT_USAGE : exit_code);
    folders_leave(folders);
    if (are_caught)
        signals_close();
    if (args.watch && lists.count && exit_code < EXIT_SIGNAL)
        renew_gallery(lists.items[0]);
    return exit_code;
}

const struct command render_command = {
    .name = "render",
    .summary = "bake job lists into sprite sheets",
    .operands = {"LIST...", "job list", 1, INT_MAX},
    .about = "Bakes the jobs of job lists (YAML, see docs/jobs.md) into sprite sheets: a PNG and a JSON file for "
             "each page. Sheets that are up to date are left alone (see docs/running.md). If a list has mistakes, "
             "nothing is done. If a job fails or names a missing file, the others go on.",
    .options = options,
    .exits = exits,
    .run = run,
};
