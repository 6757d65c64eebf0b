#include <stdlib.h>

#include "base/file.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "review/gallery.h"
#include "run/inspect.h"

static const struct exit_cause exits[] = {
    {"0", "the gallery is complete"},
    {"2", "wrong options, a list with mistakes, or a folder that cannot be written, or read within --timeout"},
    {"3", "some sheets cannot be read; the gallery shows which"},
    {"5", "--sandbox require cannot be met"},
    {0},
};

struct gallery_args {
    struct job_options job;
    const char *site;
    bool is_quiet;
    enum sandbox_mode sandbox;
    double timeout_s;
};

static const struct arg options[] = {
    {"output", 'o', "DIR", "where the page goes (default: into the folder of the sheets, if it is one)",
     ARG_PATH(struct gallery_args, site)},
    {ARG_CONFIG(struct gallery_args, job.config)},
    {ARG_SANDBOX(struct gallery_args, sandbox)},
    {ARG_GIVE_UP(struct gallery_args, timeout_s, "3600")},
    {"quiet", 'q', NULL, "print problems only, and not where the page is",
     ARG_FLAG(struct gallery_args, is_quiet)},
    {0},
};

static int make(const struct strings *folders, const struct lists *lists, const struct gallery_args *args)
{
    const char *site = args->site ? args->site : folders->items[0];
    if (!args->site && folders->count > 1)
        return cli_usage_error(&gallery_command, "%zu folders of sheets: say with -o where the page goes",
                               folders->count);
    struct gallery_totals totals;
    struct error err;
    struct strings stale = {0};
    for (size_t i = 0; i < lists->count; i++)
        inspect_list(lists->items[i], &stale);
    if (args->site && file_make_folders(site, &err) < 0) /* the sandbox lets only what is there be written */
        return cli_fail(&err, EXIT_USAGE);
    struct sandbox_rules rules = {.mode = args->sandbox};
    strings_add(&rules.write, site);
    int exit_code = sandbox_args_enter(&rules, folders, args->timeout_s);
    if (exit_code >= 0)
        return exit_code;
    exit_code = EXIT_DONE;
    if (gallery_write(folders, lists->items, lists->count, &stale, site, &totals, &err) < 0)
        exit_code = cli_fail(&err, EXIT_USAGE);
    for (size_t i = 0; i < totals.problems.count; i++)
        cli_complain("%s", totals.problems.items[i]);
    if (exit_code == EXIT_DONE && !args->is_quiet) {
        char *index = path_join(site, "index.html");
        cli_print_line("%s: %zu sheet%s, %zu file%s written", index, totals.sheets, cli_plural(totals.sheets),
                       totals.written, cli_plural(totals.written));
        free(index);
    }
    if (exit_code == EXIT_DONE && totals.problems.count)
        exit_code = EXIT_SHEETS_FAILED;
    strings_release(&totals.problems);
    strings_release(&stale);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct gallery_args args = {
        .job = {.missing_fails_job = true}, .sandbox = SANDBOX_OF_COMMANDS, .timeout_s = 3600};
    int exit_code = args_read(&gallery_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;
    struct strings folders = {0};
    struct lists lists = {0};
    exit_code = EXIT_USAGE;
    if (lists_and_folders_load(argv + optind, (size_t)(argc - optind), &args.job, &folders, &lists) == 0)
        exit_code = make(&folders, &lists, &args);
    lists_release(&lists);
    strings_release(&folders);
    return exit_code;
}

const struct command gallery_command = {
    .name = "gallery",
    .summary = "write a page that shows and plays all sheets of a folder",
    .operands = {"LIST...|DIR...", "job list or folder", 1, INT_MAX},
    .about = "Writes a page of all sheets in output folders, for people: index.html and the folder index@files "
             "beside it. It shows the pictures where they are, so keep the folders where they are to each other. "
             "Only files that change are written. A LIST stands for its output folder, and its jobs that have "
             "no page are shown with the reason.",
    .options = options,
    .exits = exits,
    .run = run,
};
