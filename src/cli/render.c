#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/args.h"
#include "cli/json_output.h"
#include "cli/lists.h"
#include "cli/memory_args.h"
#include "cli/output_args.h"
#include "cli/sandbox_args.h"
#include "run/batch.h"
#include "report/ci.h"
#include "os/cpus.h"
#include "run/folders.h"
#include "run/recovery.h"
#include "run/pool.h"
#include "os/signals.h"
#include "sheet/json_value.h"

static const char about[] =
    "Bakes every job of the job lists (YAML, see docs/jobs.md) into sprite sheets: a PNG and a JSON file per "
    "page. A list with a mistake runs nothing; a job that fails, or names a file that is missing, is reported "
    "and the others go on. Sheets that are up to date are left as they are (see docs/running.md).";

static const struct exit_cause exits[] = {
    {"0", "all done"},
    {"2", "wrong options, a list with problems, a file that cannot be read, a folder that cannot be written to"},
    {"3", "some sheets failed, the others are there"},
    {"4", "nothing here can draw: see sheetbake doctor"},
    {"5", "the run itself could not go on, or was given up, or no sandbox is to be had where one is required"},
    {"6", "another run has an output folder (--lock fail)"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

struct render_args {
    struct job_options job;
    struct batch_settings batch;
    struct report_settings report;
    bool dry_run, is_json, prune;
};

static const char *const lock_names[] = {[LOCK_WAIT] = "wait", [LOCK_FAIL] = "fail", [LOCK_OFF] = "off"};

/* Into a struct shard: "3/8" or "auto". */
static bool take_shard(const struct command *command, const char *text, void *out)
{
    struct error err;
    bool is_auto = !strcmp(text, "auto");
    int result = is_auto ? shard_detect(out, &err) : shard_parse(text, out, &err);
    if (result < 0)
        cli_usage_error(command, "--shard%s: %s", is_auto ? " auto" : "", err.text);
    return result == 0;
}

static const struct arg options[] = {
    {"jobs", 'j', "N", "worker processes (default: the CPUs this process may use)",
     ARG_COUNT(struct render_args, batch.worker_count, 1, POOL_MAX_WORKERS)},
    ARG_OUTPUT(struct render_args, job.output),
    ARG_ONLY(struct render_args, batch.only),
    {"force", 0, NULL, "make all sheets, up to date or not", ARG_FLAG(struct render_args, batch.force)},
    {"dry-run", 0, NULL, "only say which sheets would be made, and why", ARG_FLAG(struct render_args, dry_run)},
    {"json", 0, NULL, "with --dry-run: all reasons as JSON", ARG_FLAG(struct render_args, is_json)},
    ARG_CONFIG(struct render_args, job.config),
    {"timeout", 0, "SEC", "the longest a page may take before its worker is killed (default 60, 0: no limit)",
     ARG_NUMBER(struct render_args, batch.timeout_s, 0, 86400)},
    {"memory", 0, "SIZE",
     "the most memory a worker may take before it is killed, such as 512M or 2G (default: nine tenths of what "
     "this machine or container has, 0: no limit)",
     ARG_CALL(struct render_args, batch.memory_limit, uint64_t, memory_args_take)},
    {"fail-fast", 0, NULL, "stop at the first sheet that fails", ARG_FLAG(struct render_args, batch.fail_fast)},
    {"give-up", 0, "N",
     "end the run when the workers of N different models in a row have died, and no sheet was made in between "
     "(default 20, 0: never)",
     ARG_COUNT(struct render_args, batch.give_up, 0, 1000000)},
    ARG_BACKEND(struct render_args, batch.backend),
    ARG_SANDBOX(struct render_args, batch.sandbox),
    {"shard", 0, "I/N",
     "make only this machine's part of the run, from 1/N to N/N; auto: as the environment says "
     "(SHEETBAKE_SHARD_INDEX from 0 and SHEETBAKE_SHARD_TOTAL, or a Slurm array; see docs/recipes)",
     ARG_CALL(struct render_args, batch.shard, struct shard, take_shard)},
    {"lock", 0, "WHAT", "where another run has an output folder: wait for it (the default), fail, or off",
     ARG_CHOICE(struct render_args, batch.lock, lock_names)},
    {"durable", 0, NULL, "bring each file to the disk before it gets its name: for power failures",
     ARG_FLAG(struct render_args, batch.durable)},
    {"prune", 0, NULL,
     "remove the sheets of jobs that are gone from the lists (first with --dry-run, which says what it would "
     "remove)",
     ARG_FLAG(struct render_args, prune)},
    {"depfile", 0, "FILE", "what the sheets were made of, for make and ninja",
     ARG_PATH(struct render_args, batch.depfile)},
    {"depfile-target", 0, "NAME", "the target in it (default: FILE without .d)",
     ARG_TEXT(struct render_args, batch.depfile_target)},
    {"log", 0, "FILE", "what happened as JSON lines, one for each page and one for the run; - is standard output",
     ARG_PATH(struct render_args, report.files[REPORT_LOG])},
    {"junit", 0, "FILE", "the pages as the tests of a JUnit XML report, for CI systems",
     ARG_PATH(struct render_args, report.files[REPORT_JUNIT])},
    ARG_CI(struct render_args, report.ci),
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
    if (optind == argc)
        return cli_usage_error(command, "no job list given");
    if (args->prune && (args->batch.only || args->batch.shard.count))
        return cli_usage_error(command, "--prune has to see all that the lists make: not with --only or --shard");
    if (args->is_json && (!args->dry_run || args->prune))
        return cli_usage_error(command, "--json says what --dry-run would make: not without it, nor with --prune");
    if (!output_args_depfile(command, &args->batch))
        return EXIT_USAGE;
    bool is_quiet = args->report.verbosity == VERBOSITY_QUIET;
    if (args->prune)
        args->batch.prune = is_quiet ? output_args_not_pruned : output_args_pruned;
    args->batch.prune_refused = output_args_prune_refused;
    return -1;
}

/* -- --dry-run --------------------------------------------------------------------------------------------- */

struct preview {
    const struct render_args *args;
    json_t *sheets;        /* NULL: text */
    size_t pages, unknown; /* to be made; of those, jobs of any number of pages */
    size_t doubtful;       /* jobs that may have none for this shard */
    size_t failures;       /* jobs that would fail */
};

static json_t *json_of_reason(const struct reason *reason)
{
    char *text = reason_text(reason);
    json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", reason_name(reason->kind), "subject",
                               text_or_null(reason->subject), "was", text_or_null(reason->was), "is",
                               text_or_null(reason->is), "text", text_or_null(text));
    free(text);
    return object;
}

static void add_sheet(json_t *sheets, const struct batch_todo *todo, const char *name)
{
    uint32_t page_count = todo->verdict->page_count;
    const struct reasons *reasons = &todo->verdict->pages[todo->page].reasons;
    json_t *array = json_array();
    for (size_t i = 0; i < reasons->count; i++)
        json_array_append_new(array, json_of_reason(&reasons->items[i]));
    json_array_append_new(sheets,
                          json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "list", text_or_null(todo->list->name),
                                    "job", text_or_null(todo->job->name), "sheet", text_or_null(name), "page",
                                    page_count ? json_integer(todo->page) : json_null(), "pages",
                                    page_count ? json_integer(page_count) : json_null(), "reasons", array));
}

/* The first reason, or with -v a line for each. */
static void print_sheet(const struct preview *preview, const struct batch_todo *todo, const char *name)
{
    const struct reasons *reasons = &todo->verdict->pages[todo->page].reasons;
    const char *end = todo->job->missing_count ? "would fail: " : "";
    bool is_verbose = preview->args->report.verbosity > VERBOSITY_NORMAL;
    for (size_t i = 0; i < (is_verbose ? reasons->count : 1); i++) {
        char *text = is_verbose ? reason_text(&reasons->items[i]) : reasons_text(reasons);
        cli_print_line("%s: %s%s", name, end, text);
        free(text);
    }
}

static void preview_page(void *context, const struct batch_todo *todo)
{
    struct preview *preview = context;
    char *name = verdict_page_name(todo->verdict, todo->job, todo->page);
    bool would_fail = todo->job->missing_count > 0;
    if (preview->sheets)
        add_sheet(preview->sheets, todo, name);
    else
        print_sheet(preview, todo, name);
    preview->pages += !would_fail && !todo->is_doubtful;
    preview->doubtful += todo->is_doubtful;
    preview->unknown += !would_fail && todo->verdict->page_count == 0;
    preview->failures += would_fail;
    free(name);
}

static void print_totals(const struct preview *preview, size_t up_to_date)
{
    fprintf(stderr, "%s%zu sheet%s would be made", preview->unknown ? "at least " : "", preview->pages,
            preview->pages == 1 ? "" : "s");
    if (preview->doubtful > 0)
        fprintf(stderr, ", and what %zu other job%s for this shard", preview->doubtful,
                preview->doubtful == 1 ? " has" : "s have");
    fprintf(stderr, ", %zu up to date", up_to_date);
    if (preview->failures)
        fprintf(stderr, ", %zu job%s would fail", preview->failures, preview->failures == 1 ? "" : "s");
    fprintf(stderr, "\n");
}

static enum batch_end dry_run(const struct render_args *args, struct error *err)
{
    struct preview preview = {.args = args, .sheets = args->is_json ? json_array() : NULL};
    size_t up_to_date;
    enum batch_end end = batch_preview(&args->batch, preview_page, &preview, &up_to_date);
    if (args->is_json && json_print(json_pack("{s:o}", "sheets", preview.sheets), JSON_INDENT(2), stdout) < 0) {
        error_set(err, "no memory for the JSON");
        return BATCH_BROKEN;
    }
    fflush(stdout);
    if (end != BATCH_NO_JOBS && args->report.verbosity != VERBOSITY_QUIET)
        print_totals(&preview, up_to_date);
    return end;
}

/* -- A run ------------------------------------------------------------------------------------------------- */

static int exit_code_of(enum batch_end end, int signal_number)
{
    switch (end) {
    case BATCH_DONE:
        return EXIT_DONE;
    case BATCH_SHEETS_FAILED:
        return EXIT_SHEETS_FAILED;
    case BATCH_NO_JOBS:
    case BATCH_NO_OUTPUT:
        return EXIT_USAGE;
    case BATCH_LOCKED:
        return EXIT_LOCKED;
    case BATCH_NO_BACKEND:
        return EXIT_NO_BACKEND;
    case BATCH_INTERRUPTED:
        return EXIT_SIGNAL + signal_number;
    case BATCH_BROKEN:
        break;
    }
    return EXIT_BROKEN;
}

static void complain(enum ci ci, const char *text)
{
    struct buffer line = {0};
    if (ci_add_finding(&line, ci, CI_ERROR, NULL, NULL, text))
        fputs(line.text, stderr);
    else
        cli_complain("%s", text);
    buffer_release(&line);
}

/* Of a run that could not begin or go on, for which no page is to blame. */
static void tell_end(const struct render_args *args, enum batch_end end, struct error *err)
{
    switch (end) {
    case BATCH_DONE:
    case BATCH_SHEETS_FAILED:
        return;
    case BATCH_INTERRUPTED:
        report_end_reason(args->batch.report, "interrupted");
        return;
    case BATCH_LOCKED:
        report_stand_back(args->batch.report);
        break;
    case BATCH_NO_JOBS:
        error_set(err, "no job's name matches --only '%s'", args->batch.only);
        break;
    case BATCH_NO_OUTPUT:
    case BATCH_NO_BACKEND:
    case BATCH_BROKEN:
        break;
    }
    report_end_reason(args->batch.report, err->text);
    complain(args->report.ci, err->text);
}

static void print_shard(const struct shard *shard)
{
    if (shard->count > 0)
        cli_complain("shard %" PRIu32 " of %" PRIu32 "%s%s", shard->number, shard->count,
                     shard->source ? ", from " : "", shard->source ? shard->source : "");
}

/* The exit code. The lists are the caller's to release, and the folders to leave, after what has been told of them. */
static int bake_lists(char *const *paths, size_t count, struct render_args *args, struct lists *lists,
                      struct folders **folders)
{
    int refused = sandbox_args_check(args->batch.sandbox, args->report.verbosity > VERBOSITY_NORMAL);
    if (refused >= 0) {
        report_end_reason(args->batch.report, "--sandbox require: it has holes");
        return refused;
    }
    struct strings problems = {0};
    if (lists_read(paths, count, &args->job, lists, &problems) < 0) {
        lists_print_problems(&problems, args->report.ci);
        report_problems(args->batch.report, &problems);
        strings_release(&problems);
        return EXIT_USAGE;
    }
    args->batch.lists = lists->items;
    args->batch.list_count = lists->count;
    if (!args->batch.worker_count)
        args->batch.worker_count = cpus_usable();
    if (args->report.verbosity != VERBOSITY_QUIET)
        print_shard(&args->batch.shard);
    struct error err;
    int signal_number = 0;
    enum batch_end end =
        args->dry_run ? dry_run(args, &err) : batch_run(&args->batch, folders, &signal_number, &err);
    tell_end(args, end, &err);
    return exit_code_of(end, signal_number);
}

static int run(int argc, char **argv)
{
    struct render_args args = {
        .job = {.missing_fails_job = true},
        .report = {.ci = ci_detect()},
        .batch = {.timeout_s = 60,
                  .memory_limit = memory_limit_default(),
                  .give_up = GIVE_UP_DEFAULT,
                  .waiting = output_args_waiting},
    };
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    args.report.shard = args.batch.shard;
    args.report.only = args.batch.only;
    if (args.dry_run)
        memset(args.report.files, 0, sizeof args.report.files);
    /* Whoever read our log may leave; the sheets are wanted all the same. */
    signal(SIGPIPE, SIG_IGN);
    struct error err;
    struct lists lists = {0};
    struct folders *folders = NULL;
    if (report_open(&args.report, &args.batch.report, &err) < 0) {
        cli_complain("%s", err.text);
        return EXIT_USAGE;
    }
    exit_code = bake_lists(argv + optind, (size_t)(argc - optind), &args, &lists, &folders);
    /* The end of a log is not to be lost to a late signal. */
    bool are_caught = signals_open(&err) == 0;
    if (report_close(args.batch.report, exit_code, &err) < 0) {
        cli_complain("%s", err.text);
        exit_code = exit_code == EXIT_DONE ? EXIT_USAGE : exit_code;
    }
    folders_leave(folders);
    if (are_caught)
        signals_close();
    lists_release(&lists);
    return exit_code;
}

const struct command render_command = {
    .name = "render",
    .summary = "bake job lists into sprite sheets",
    .operands = "LIST...",
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
