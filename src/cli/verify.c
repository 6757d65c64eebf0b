#include <jansson.h>
#include <stdio.h>

#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "run/verify.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "all files are as they were written"},
    {"2", "wrong options, a list with mistakes, or a folder that cannot be read, or not within --timeout"},
    {"3", "files are missing or changed"},
    {"5", "the result cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct verify_args {
    struct job_options job;
    bool is_json, is_quiet;
    enum sandbox_mode sandbox;
    double timeout_s;
};

struct sink {
    json_t *problems, *notes; /* NULL: problems are printed as text */
    bool is_quiet;
};

static void print_problem(void *context, const struct verify_problem *problem)
{
    const struct sink *sink = context;
    bool is_note = problem->kind >= VERIFY_UNDESCRIBED;
    if (is_note && sink->is_quiet)
        return;
    if (sink->problems)
        json_array_append_new(is_note ? sink->notes : sink->problems,
                              json_pack("{s:s, s:o, s:o}", "kind", verify_names[problem->kind], "path",
                                        text_value(problem->path), "text", text_value(problem->text)));
    else
        cli_print_line("%s: %s%s: %s", problem->path, is_note ? "note: " : "", verify_names[problem->kind],
                       problem->text);
}

static const struct arg options[] = {
    {ARG_OUTPUT(struct verify_args, job.output)},
    {ARG_CONFIG(struct verify_args, job.config)},
    {ARG_JSON(struct verify_args, is_json)},
    {ARG_SANDBOX(struct verify_args, sandbox)},
    {ARG_GIVE_UP(struct verify_args, timeout_s, "3600")},
    {"quiet", 'q', NULL, "print problems only, no notes and no summary", ARG_FLAG(struct verify_args, is_quiet)},
    {0},
};

static void print_summary(const struct verify *verify)
{
    printf("%zu file%s of %zu page%s as written", verify->files, cli_plural(verify->files),
           verify->found.page_count, cli_plural(verify->found.page_count));
    if (verify->problems)
        printf(", %zu problem%s", verify->problems, cli_plural(verify->problems));
    putchar('\n');
}

/* Verifies, in a confined process. */
static int verify_here(const struct strings *folders, const struct lists *lists, const struct verify_args *args)
{
    struct sink sink = {.is_quiet = args->is_quiet};
    struct verify verify = {.report = print_problem, .context = &sink};
    struct error err;
    int result = 0, exit_code = EXIT_USAGE;
    if (args->is_json) {
        sink.problems = json_array();
        sink.notes = json_array();
    }
    for (size_t i = 0; i < folders->count && result == 0; i++)
        result = verify_folder(&verify, folders->items[i], &err);
    if (result == 0) {
        for (size_t i = 0; i < lists->count; i++)
            verify_list(&verify, lists->items[i]);
        exit_code = verify.problems ? EXIT_SHEETS_FAILED : EXIT_DONE;
        if (args->is_json)
            result = json_print(json_pack("{s:I, s:I, s:O, s:O}", "files", (json_int_t)verify.files, "pages",
                                          (json_int_t)verify.found.page_count, "problems", sink.problems, "notes",
                                          sink.notes),
                                JSON_INDENT(1), &err);
        else if (!args->is_quiet)
            print_summary(&verify);
        exit_code = result < 0 ? EXIT_BROKEN : exit_code;
    }
    if (result < 0)
        cli_complain("%s", err.text);
    json_decref(sink.problems);
    json_decref(sink.notes);
    page_set_release(&verify.found);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct verify_args args = {.job = {.missing_fails_job = true, .with_atlases = true},
                               .sandbox = SANDBOX_OF_COMMANDS,
                               .timeout_s = 3600};
    int exit_code = args_read(&verify_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;
    if (optind == argc && !args.job.output)
        return cli_usage_error(&verify_command, "no job list and no folder given");

    struct sandbox_rules rules = {.mode = args.sandbox};
    SCOPED_BY(strings_release) struct strings folders = {0};
    SCOPED_BY(lists_release) struct lists lists = {0};
    if (optind == argc)
        strings_add(&folders, args.job.output);
    if (lists_and_folders_load(argv + optind, (size_t)(argc - optind), &args.job, &folders, &lists) < 0)
        return EXIT_USAGE;
    exit_code = sandbox_args_enter(&rules, &folders, args.timeout_s);
    return exit_code < 0 ? verify_here(&folders, &lists, &args) : exit_code;
}

const struct command verify_command = {
    .name = "verify",
    .summary = "compare output files with what was recorded when they were written",
    .operands = {"[LIST...|DIR...]", "job list", 0, INT_MAX},
    .about = "Compares the files in output folders with what was recorded when they were written, and changes "
             "nothing. Given a list, it also finds sheets of the list that are missing. Without LIST and DIR, it "
             "takes the folder of -o. See docs/outputs.md.",
    .options = options,
    .exits = exits,
    .run = run,
};
