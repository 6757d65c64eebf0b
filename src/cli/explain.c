#include "cli/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "fresh/today.h"

static const char about[] =
    "Says of sheets whether they are up to date, and if not, all that changed since they were made: inputs, "
    "what is found elsewhere now or was looked for and is there now, settings with their old and new value. "
    "SHEET is the name of a job, a pattern such as 'orcs/*', or the path of a PNG or JSON file.";

static const struct exit_cause exits[] = {
    {"0", "said"},
    {"2", "wrong options, a list with problems, or no such sheet"},
    {"5", "the result cannot be written"},
    {0},
};

struct explain_args {
    struct job_options job;
    enum backend_choice backend;
    bool is_json, is_verbose;
};

struct explainer {
    const struct explain_args *args;
    const struct job_list *list;
    char *output; /* of the list, resolved */
    struct owners *owners;
    struct judge *judge;
    struct today *today;
    struct explain_json *json; /* NULL: text */
};

static const struct arg options[] = {
    ARG_OUTPUT(struct explain_args, job.output),
    ARG_CONFIG(struct explain_args, job.config),
    ARG_BACKEND(struct explain_args, backend),
    ARG_JSON(struct explain_args, is_json),
    {"verbose", 'v', NULL, "also print all that the sheets were made of", ARG_FLAG(struct explain_args, is_verbose)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct explain_args *args)
{
    int exit_code = args_read(&explain_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    if (optind == argc)
        return cli_usage_error(&explain_command, "no job list given");
    return optind + 1 == argc ? cli_usage_error(&explain_command, "no sheet given") : -1;
}

/* -- One job ----------------------------------------------------------------------------------------------- */

static void judge_one(struct explainer *explainer, const struct job *job, struct verdict *out)
{
    const struct job_list *list = explainer->list;
    if (job->missing_count)
        judge_missing(job, out);
    else
        judge_job(explainer->judge, list, job, today_record(explainer->today, list, job), out);
}

static void show_page(struct explainer *explainer, const struct job *job, const struct verdict *verdict,
                      uint32_t page)
{
    const struct page_verdict *it = &verdict->pages[page];
    char *name = verdict_page_name(verdict, job, page);
    const struct explained explained = {
        .list = explainer->list,
        .job = job,
        .page = page,
        .page_count = verdict->page_count,
        .name = name,
        .reasons = &it->reasons,
        .record = it->names.count ? judge_record(explainer->judge, it->names.items[0]) : NULL,
    };
    if (explainer->json)
        explain_json_add(explainer->json, &explained);
    else
        explain_print(&explained, explainer->args->is_verbose);
    free(name);
}

/* All pages, or `only` one of them. */
static void show_job(struct explainer *explainer, const struct job *job, const uint32_t *only)
{
    struct verdict verdict;
    judge_one(explainer, job, &verdict);
    uint32_t count = verdict.page_count ? verdict.page_count : 1;
    for (uint32_t page = 0; page < count; page++)
        if (!only || page == *only)
            show_page(explainer, job, &verdict, page);
    verdict_release(&verdict);
}

/* -- Which one is meant ------------------------------------------------------------------------------------ */

static bool show_matching_jobs(struct explainer *explainer, const char *pattern)
{
    bool found = false;
    for (size_t i = 0; i < explainer->list->job_count; i++) {
        const struct job *job = &explainer->list->jobs[i];
        if (strcmp(pattern, job->name) && !glob_matches(pattern, job->name, false))
            continue;
        show_job(explainer, job, NULL);
        found = true;
    }
    return found;
}

/* Whether `path` is `base`, or goes on with a part of the name of a page, of a pass, or a suffix. */
static bool goes_on(const char *path, const char *base)
{
    size_t length = strlen(base);
    return !strncmp(path, base, length) && (path[length] == '\0' || path[length] == '-' || path[length] == '.');
}

/* Whether a file is one of the page's: "orc.png", "orc.normal.png", "orc.aseprite.json" of "orc". */
static bool is_file_of(const char *path, const char *page)
{
    return goes_on(path, page) && path[strlen(page)] == '.';
}

/* *may_be: it is not, and yet may be a file of the job once that is made. */
static bool find_page(struct explainer *explainer, const struct job *job, const char *path, uint32_t *page,
                      bool *may_be)
{
    struct verdict verdict;
    bool found = false;
    judge_one(explainer, job, &verdict);
    for (uint32_t i = 0; i < verdict.page_count && !found; i++)
        for (size_t j = 0; j < verdict.pages[i].names.count && !found; j++)
            if ((found = is_file_of(path, verdict.pages[i].names.items[j])))
                *page = i;
    *may_be = !found && !verdict_is_up_to_date(&verdict);
    verdict_release(&verdict);
    return found;
}

/* `path` is below the list's output folder. Where no job knows the file as its own, it is of the job with the
 * longest name that it may have. */
static bool show_file(struct explainer *explainer, const char *path)
{
    const struct job *best = NULL;
    for (size_t i = 0; i < explainer->list->job_count; i++) {
        const struct job *job = &explainer->list->jobs[i];
        uint32_t page;
        bool may_be;
        if (!goes_on(path, job->name))
            continue;
        if (find_page(explainer, job, path, &page, &may_be)) {
            show_job(explainer, job, &page);
            return true;
        }
        if (may_be && (!best || strlen(job->name) > strlen(best->name)))
            best = job;
    }
    if (best)
        show_job(explainer, best, NULL);
    return best;
}

static bool is_file_name(const char *text)
{
    return metadata_is_output(text);
}

/* A path from here, or from the output folder. */
static bool show_path(struct explainer *explainer, const char *path)
{
    char *resolved = path_resolve(path);
    size_t length = strlen(explainer->output);
    bool is_inside = !strncmp(resolved, explainer->output, length) && resolved[length] == '/';
    bool found = show_file(explainer, is_inside ? resolved + length + 1 : path);
    free(resolved);
    return found;
}

static int show_all(struct explainer *explainer, char *const *names, size_t count)
{
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < count; i++) {
        if (show_matching_jobs(explainer, names[i]))
            continue;
        if (is_file_name(names[i]) && show_path(explainer, names[i]))
            continue;
        cli_complain("%s: no job of that name, nor a sheet of one", names[i]);
        exit_code = EXIT_USAGE;
    }
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct explain_args args = {.job = {.missing_fails_job = true}};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;
    struct lists lists;
    if (lists_load(argv + optind, 1, &args.job, &lists) < 0)
        return EXIT_USAGE;
    struct owners *owners = owners_new(lists.items, lists.count);
    struct identity identity;
    identity_ask(args.backend, SANDBOX_AUTO, &identity);
    struct explainer explainer = {
        .args = &args,
        .list = lists.items[0],
        .output = path_resolve(lists.items[0]->output),
        .owners = owners,
        .judge = judge_new(owners),
        .today = today_new(&identity),
        .json = args.is_json ? explain_json_new() : NULL,
    };
    exit_code = show_all(&explainer, argv + optind + 1, (size_t)(argc - optind - 1));
    if (explainer.json && explain_json_finish(explainer.json, stdout) < 0)
        exit_code = EXIT_BROKEN;
    free(explainer.output);
    judge_free(explainer.judge);
    owners_free(explainer.owners);
    today_free(explainer.today);
    lists_release(&lists);
    return exit_code;
}

const struct command explain_command = {
    .name = "explain",
    .summary = "say why sheets are made anew, or not",
    .operands = "LIST SHEET...",
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
