#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/verify_json.h"
#include "out/verify.h"

static const char about[] =
    "Compares the files of output folders with what was recorded when they were written, and changes nothing. "
    "Of a list it also tells which of its sheets are not there. Without LIST and DIR, the folder is that of "
    "-o. See docs/outputs.md.";

static const struct exit_cause exits[] = {
    {"0", "all is as it was written"},
    {"2", "wrong options, a list with problems, or a folder that cannot be read"},
    {"3", "files are missing or changed"},
    {"5", "the result cannot be written"},
    {0},
};

struct verify_args {
    struct job_options job;
    bool is_json, is_quiet;
};

/* Where findings go. */
struct sink {
    struct verify_json *json; /* NULL: as text */
    bool is_quiet;
};

static void print_finding(void *context, const struct finding *finding)
{
    const struct sink *sink = context;
    if (finding_is_note(finding->kind) && sink->is_quiet)
        return;
    if (sink->json)
        verify_json_add(sink->json, finding);
    else
        cli_print_line("%s: %s%s: %s", finding->path, finding_is_note(finding->kind) ? "note: " : "",
                       finding_name(finding->kind), finding->text);
}

static const struct arg options[] = {
    ARG_OUTPUT(struct verify_args, job.output),
    ARG_CONFIG(struct verify_args, job.config),
    ARG_JSON(struct verify_args, is_json),
    {"quiet", 'q', NULL, "print problems only, no notes and no summary", ARG_FLAG(struct verify_args, is_quiet)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct verify_args *args)
{
    int exit_code = args_read(&verify_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    if (optind == argc && !args->job.output)
        return cli_usage_error(&verify_command, "no job list and no folder given");
    return -1;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Folders first: then a list that cannot be read is told before anything was done. */
static int load_lists(char **arguments, size_t count, const struct verify_args *args, struct strings *folders,
                      struct lists *lists)
{
    char **paths = must_alloc(count, sizeof *paths);
    size_t list_count = 0;
    for (size_t i = 0; i < count; i++) {
        char *path = path_tidy(arguments[i]);
        if (is_folder(path))
            strings_add(folders, path);
        else
            paths[list_count++] = arguments[i];
        free(path);
    }
    int result = lists_load(paths, list_count, &args->job, lists);
    free(paths);
    for (size_t i = 0; result == 0 && i < lists->count; i++)
        strings_add(folders, lists->items[i]->output);
    if (count == 0)
        strings_add(folders, args->job.output);
    return result;
}

/* Each once, though two lists may share one. */
static int verify_folders(struct verify *verify, const struct strings *folders, struct error *err)
{
    struct strings seen = {0};
    int result = 0;
    for (size_t i = 0; i < folders->count && result == 0; i++) {
        char *folder = path_resolve(folders->items[i]);
        if (!strings_has(&seen, folder))
            result = verify_folder(verify, folders->items[i], err);
        strings_add(&seen, folder);
        free(folder);
    }
    strings_release(&seen);
    return result;
}

static size_t problem_count(const struct verify_totals *totals)
{
    size_t count = 0;
    for (int kind = 0; kind < FINDING_COUNT; kind++)
        if (!finding_is_note((enum finding_kind)kind))
            count += totals->counts[kind];
    return count;
}

static void print_summary(const struct verify_totals *totals)
{
    size_t problems = problem_count(totals);
    printf("%zu file%s of %zu page%s as written", totals->files, totals->files == 1 ? "" : "s", totals->pages,
           totals->pages == 1 ? "" : "s");
    if (problems)
        printf(", %zu problem%s", problems, problems == 1 ? "" : "s");
    putchar('\n');
}

static int verify_all(struct verify *verify, const struct strings *folders, const struct lists *lists,
                      struct sink *sink)
{
    struct error err;
    int result = verify_folders(verify, folders, &err);
    for (size_t i = 0; i < lists->count && result == 0; i++)
        verify_list(verify, lists->items[i]);
    const struct verify_totals *totals = verify_totals(verify);
    if (sink->json && verify_json_print(sink->json, totals) < 0 && result == 0)
        result = error_set(&err, "cannot write the JSON");
    else if (!sink->json && !sink->is_quiet && result == 0)
        print_summary(totals);
    if (result < 0) {
        cli_complain("%s", err.text);
        return EXIT_USAGE;
    }
    return problem_count(totals) ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct verify_args args = {.job = {.missing_fails_job = true}};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    struct strings folders = {0};
    struct lists lists = {0};
    exit_code = EXIT_USAGE;
    if (load_lists(argv + optind, (size_t)(argc - optind), &args, &folders, &lists) == 0) {
        struct sink sink = {args.is_json ? verify_json_new() : NULL, args.is_quiet};
        struct verify *verify = verify_new(print_finding, &sink);
        exit_code = verify_all(verify, &folders, &lists, &sink);
        verify_free(verify);
        lists_release(&lists);
    }
    strings_release(&folders);
    return exit_code;
}

const struct command verify_command = {
    .name = "verify",
    .summary = "compare output files with what was recorded when they were written",
    .operands = "[LIST...|DIR...]",
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
