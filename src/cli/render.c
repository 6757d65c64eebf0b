#include <signal.h>
#include <stdio.h>

#include "cli/args.h"
#include "cli/dry_run.h"
#include "cli/lists.h"
#include "cli/memory_args.h"
#include "cli/output_args.h"
#include "cli/sandbox_args.h"
#include "cli/share_args.h"
#include "run/batch.h"
#include "run/cpus.h"
#include "run/pool.h"
#include "run/signals.h"

static const char help[] =
    "usage: sheetbake render [OPTION...] LIST...\n"
    "\n"
    "Bakes every job of the job lists (YAML, see docs/jobs.md) into sprite sheets: a PNG and a JSON file per page.\n"
    "A list with any problem runs nothing; a job that fails is reported and the others go on. Sheets that are up to\n"
    "date are left as they are (see docs/running.md).\n"
    "\n"
    "  -j, --jobs N        worker processes (default: the CPUs this process may use)\n"
    "  -o, --output DIR    where the sheets go, in place of the lists' own folders\n"
    "      --only GLOB     only jobs whose name matches, such as 'orcs/*'\n"
    "      --force         make all sheets, up to date or not\n"
    "      --dry-run       only say which sheets would be made, and why\n"
    "      --config FILE   defaults in place of the built-in ones (config/defaults.yaml)\n"
    "      --timeout SEC   the longest a page may take before its worker is killed (default 60, 0: no limit)\n"
    "      --memory SIZE   the most memory a worker may take before it is killed, such as 512M or 2G (default: nine\n"
    "                      tenths of what this machine or container has, 0: no limit)\n"
    "      --fail-fast     stop at the first sheet that fails\n"
    "      --backend NAME  osmesa, egl, or auto (the default): the first that works here; see sheetbake doctor\n"
    "      --sandbox MODE  auto (the default): workers are confined as far as the kernel can; require: it has to; off\n"
    "      --shard I/N     make only this machine's part of the run, from 1/N to N/N; auto: as the batch system or CI\n"
    "                      says (Slurm arrays, Kubernetes, GitLab, CircleCI, Buildkite, AWS Batch; docs/recipes)\n"
    "      --costs LOG     a --log of an earlier run, to balance shards and begin with what takes longest; may be\n"
    "                      given several times; every shard needs the same\n"
    "      --lock WHAT     about another run in an output folder: wait for it (the default), fail, or off\n"
    "      --durable       bring each file to the disk before it gets its name: for power failures\n"
    "      --prune         remove the sheets of jobs that are gone from the lists (first with --dry-run: says which)\n"
    "      --depfile FILE  what the sheets were made of, for make and ninja: FILE without .d is the target, unless\n"
    "      --depfile-target NAME  is\n"
    "      --log FILE      what happened as JSON lines, one for each page and one for the run; - is standard output\n"
    "      --junit FILE    the pages as the tests of a JUnit XML report, for CI systems\n"
    "      --ci NAME       messages as this CI system reads them: github, gitlab, off, or auto (the default): as its\n"
    "                      variables say\n"
    "  -q, --quiet         print failures only\n"
    "  -v, --verbose       print every sheet and warning, and how each texture was found\n"
    "  -h, --help          this text\n"
    "\n"
    "exit codes: 0 all done; 2 wrong options, a list with problems or a folder that cannot be written to; 3 some sheets\n"
    "failed; 4 nothing here can draw; 5 the run could not go on; 6 another run has an output folder\n"
    "(--lock fail); 130, 143 ended by a signal\n";

struct render_args {
    struct job_options job;
    struct batch_settings batch;
    struct report_settings report;
    struct costs *costs;
    bool dry_run, prune;
};

static const char *const lock_names[] = {[LOCK_WAIT] = "wait", [LOCK_FAIL] = "fail", [LOCK_OFF] = "off"};

static const struct arg options[] = {
    {"jobs", 'j', ARG_COUNT(struct render_args, batch.worker_count, 1, POOL_MAX_WORKERS)},
    {"output", 'o', ARG_PATH(struct render_args, job.output)},
    {"only", 0, ARG_TEXT(struct render_args, batch.only)},
    {"force", 0, ARG_FLAG(struct render_args, batch.force)},
    {"dry-run", 0, ARG_FLAG(struct render_args, dry_run)},
    {"config", 0, ARG_PATH(struct render_args, job.config)},
    {"timeout", 0, ARG_NUMBER(struct render_args, batch.timeout_s, 0, 86400)},
    {"memory", 0, ARG_CALL(struct render_args, batch.memory_limit, uint64_t, memory_args_take)},
    {"fail-fast", 0, ARG_FLAG(struct render_args, batch.fail_fast)},
    ARG_BACKEND(struct render_args, batch.backend),
    ARG_SANDBOX(struct render_args, batch.sandbox),
    {"shard", 0, ARG_CALL(struct render_args, batch.shard, struct shard, share_args_shard)},
    {"costs", 0, ARG_CALL(struct render_args, costs, struct costs *, share_args_costs)},
    {"lock", 0, ARG_CHOICE(struct render_args, batch.lock, lock_names)},
    {"durable", 0, ARG_FLAG(struct render_args, batch.durable)},
    {"prune", 0, ARG_FLAG(struct render_args, prune)},
    {"depfile", 0, ARG_PATH(struct render_args, batch.depfile)},
    {"depfile-target", 0, ARG_TEXT(struct render_args, batch.depfile_target)},
    {"log", 0, ARG_PATH(struct render_args, report.log)},
    {"junit", 0, ARG_PATH(struct render_args, report.junit)},
    ARG_CI(struct render_args, report.ci),
    {"quiet", 'q', ARG_INT(struct render_args, report.verbosity, VERBOSITY_QUIET)},
    {"verbose", 'v', ARG_INT(struct render_args, report.verbosity, VERBOSITY_VERBOSE)},
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
    if (!output_args_depfile(command, &args->batch))
        return EXIT_USAGE;
    bool is_quiet = args->report.verbosity == VERBOSITY_QUIET;
    if (args->prune)
        args->batch.prune = is_quiet ? output_args_not_pruned : output_args_pruned;
    return -1;
}

static int exit_code_of(enum batch_end end, const struct batch_settings *settings, int signal_number,
                        const struct error *err)
{
    switch (end) {
    case BATCH_DONE:
        return EXIT_DONE;
    case BATCH_SHEETS_FAILED:
        return EXIT_SHEETS_FAILED;
    case BATCH_NO_JOBS:
        return cli_usage_error(&render_command, "no job's name matches --only '%s'", settings->only);
    case BATCH_NO_OUTPUT:
        cli_complain("%s", err->text);
        return EXIT_USAGE;
    case BATCH_LOCKED:
        cli_complain("%s", err->text);
        return EXIT_LOCKED;
    case BATCH_NO_BACKEND:
        cli_complain("%s", err->text);
        return EXIT_NO_BACKEND;
    case BATCH_INTERRUPTED:
        return EXIT_SIGNAL + signal_number;
    case BATCH_BROKEN:
        break;
    }
    cli_complain("%s", err->text);
    return EXIT_BROKEN;
}

/* The exit code. The lists are the caller's to release, after what has been told of them. */
static int bake_lists(char *const *paths, size_t count, struct render_args *args, struct lists *lists)
{
    int refused = sandbox_args_check(args->batch.sandbox, args->report.verbosity > VERBOSITY_NORMAL);
    if (refused >= 0)
        return refused;
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
    args->batch.costs = args->costs;
    if (args->report.verbosity != VERBOSITY_QUIET)
        share_args_print(&args->batch.shard);
    struct error err;
    int signal_number = 0;
    enum batch_end end = args->dry_run ? dry_run(&args->batch, args->report.verbosity == VERBOSITY_QUIET)
                                       : batch_run(&args->batch, &signal_number, &err);
    if (end == BATCH_LOCKED)
        report_stand_back(args->batch.report);
    return exit_code_of(end, &args->batch, signal_number, &err);
}

static int run(int argc, char **argv)
{
    struct render_args args = {
        .report = {.ci = ci_detect()},
        .batch = {.timeout_s = 60, .memory_limit = memory_limit_default(), .waiting = output_args_waiting},
    };
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0) {
        costs_free(args.costs);
        return exit_code;
    }

    args.report.shard = args.batch.shard;
    args.report.only = args.batch.only;
    if (args.dry_run)
        args.report.log = args.report.junit = NULL;
    /* Whoever read our log may leave; the sheets are wanted all the same. */
    signal(SIGPIPE, SIG_IGN);
    struct error err;
    struct lists lists = {0};
    if (report_open(&args.report, &args.batch.report, &err) < 0) {
        cli_complain("%s", err.text);
        costs_free(args.costs);
        return EXIT_USAGE;
    }
    exit_code = bake_lists(argv + optind, (size_t)(argc - optind), &args, &lists);
    /* The end of a log is not to be lost to a late signal. */
    bool are_caught = signals_open(&err) == 0;
    if (report_close(args.batch.report, exit_code, &err) < 0) {
        cli_complain("%s", err.text);
        exit_code = exit_code == EXIT_DONE ? EXIT_USAGE : exit_code;
    }
    if (are_caught)
        signals_close();
    lists_release(&lists);
    costs_free(args.costs);
    return exit_code;
}

const struct command render_command = {
    .name = "render",
    .summary = "bake job lists into sprite sheets",
    .help = help,
    .options = options,
    .run = run,
};
