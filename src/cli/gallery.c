#include <stdlib.h>

#include "base/file.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "review/gallery.h"
#include "run/confine.h"
#include "run/wanted.h"
#include "sheet/json_value.h"

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

/* In a confined process: opens jobs whose sheets are stale. *out is an array of why each cannot be made now, or "". */
static int open_stale(void *context, struct blob *out)
{
    const struct wanted *wanted = context;
    struct planner *planner = planner_new(NULL, 0);
    json_t *all = json_array();
    for (size_t i = 0; i < wanted->job_count; i++) {
        const struct job *job = wanted->jobs[i].job;
        struct error err = {""};
        if (!verdict_is_up_to_date(&wanted->verdicts[i]) && !job->missing_count && !job->is_atlas)
            planner_open(planner, &wanted->jobs[i], NULL, &err);
        json_array_append_new(all, text_value(err.text));
    }
    planner_free(planner);
    return json_save(all, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15), out, &(struct error){""}) < 0
               ? EXIT_BROKEN
               : EXIT_DONE;
}

/* Adds for each job of the lists why its sheet is not what would be made now, or "": as a dry run says it, whoever draws, and
 * why it cannot be made. */
static void judge(const struct lists *lists, const struct gallery_args *args, struct strings *out)
{
    const struct batch_settings settings = {
        .lists = lists->items, .list_count = lists->count, .purpose = BATCH_PLANS};
    SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = args->sandbox};
    struct wanted wanted;
    SCOPED_BY(blob_release) struct blob opened = {0};
    wanted_init(&wanted, &settings);
    wanted.is_preview = true;
    wanted_judge(&wanted);
    for (size_t i = 0; i < lists->count; i++)
        confine_add_list(&rules, lists->items[i], false);
    sandbox_run(&rules, args->timeout_s, open_stale, &wanted, &opened, &(struct error){""});
    json_auto_t *failures = json_loadb((const char *)opened.data, opened.size, 0, NULL);
    for (size_t i = 0; i < wanted.job_count; i++) {
        const struct verdict *verdict = &wanted.verdicts[i];
        const char *failure = json_string_value(json_array_get(failures, i));
        uint32_t page = 0;
        while (page + 1 < verdict->page_count && !verdict->pages[page].reasons.count)
            page++;
        const struct reasons *reasons = &verdict->pages[page].reasons;
        SCOPED char *why = reasons->count ? reason_text(&reasons->items[0]) : must_strdup("");
        const bool has_failed = *why && failure && *failure;
        strings_printf(out, "%s%s%s", why, has_failed ? "; it cannot be made now: " : "",
                       has_failed ? failure : "");
    }
    wanted_release(&wanted);
}

static int make(const struct strings *folders, const struct lists *lists, const struct gallery_args *args)
{
    const char *site = args->site ? args->site : folders->items[0];
    if (!args->site && folders->count > 1)
        return cli_usage_error(&gallery_command, "%zu folders of sheets: say with -o where the page goes",
                               folders->count);
    struct gallery_totals totals;
    struct error err;
    SCOPED_BY(strings_release) struct strings stale = {0};
    judge(lists, args, &stale);
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
        SCOPED char *index = path_join(site, "index.html");
        cli_print_line("%s: %zu sheet%s, %zu file%s written", index, totals.sheets, cli_plural(totals.sheets),
                       totals.written, cli_plural(totals.written));
    }
    if (exit_code == EXIT_DONE && totals.problems.count)
        exit_code = EXIT_SHEETS_FAILED;
    strings_release(&totals.problems);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct gallery_args args = {.job = {.missing_fails_job = true, .with_atlases = true},
                                .sandbox = SANDBOX_OF_COMMANDS,
                                .timeout_s = 3600};
    int exit_code = args_read(&gallery_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;
    SCOPED_BY(strings_release) struct strings folders = {0};
    SCOPED_BY(lists_release) struct lists lists = {0};
    if (lists_and_folders_load(argv + optind, (size_t)(argc - optind), &args.job, &folders, &lists) < 0)
        return EXIT_USAGE;
    return make(&folders, &lists, &args);
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
