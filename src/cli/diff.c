#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "cli/versions.h"
#include "os/signals.h"
#include "review/diff_page.h"
#include "review/output.h"
#include "review/strips.h"
#include "review/verdict.h"

static const struct exit_cause exits[] = {
    {"0", "done, whether or not something differs"},
    {"1", "something differs that --fail-on names"},
    {"2", "wrong options, a folder that no run wrote or that cannot be read, or not within --timeout, a list with "
          "mistakes, or no such revision"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the result cannot be written, the run of --base broke off, or --sandbox require cannot be met"},
    {"129, 130, 143", "--base was ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

struct diff_args {
    struct versions_settings versions;
    const char *base, *head;    /* --base, --head */
    struct sandbox_rules rules; /* of the process that reads the pictures */
    struct review_settings review;
    unsigned fail_on;     /* bits of enum review_state */
    const char *accepted; /* --accepted */
    struct blob verdicts; /* its bytes */
    const char *markdown, *junit, *html;
    bool prints_markdown;
    unsigned max_size_mb; /* of the page */
    unsigned budget;      /* of the Markdown, in characters */
    struct strips_settings strips;
    const char *strips_url;
    struct report_settings report; /* ci, files */
    bool is_json;
    struct history_settings history; /* of that command; else all zero */
};

/* Reads "changed,added" into bits: of these states, and of those that a gate for them must not let pass either. */
static int take_fail_on(const struct command *command, const char *text, void *out)
{
    unsigned *states = out;
    SCOPED char *words = must_strdup(text);
    char *rest = words;
    for (char *word; (word = strsep(&rest, ","));) {
        enum review_state state = 0;
        while (state < REVIEW_SAME && strcmp(review_states[state].name, word))
            state++;
        if (state == REVIEW_SAME) {
            SCOPED_BY(buffer_release) struct buffer names = {0};
            for (enum review_state i = 0; i < REVIEW_SAME; i++)
                buffer_printf(&names, "%s%s", i ? ", " : "", review_states[i].name);
            return cli_usage_error(command, "--fail-on: unknown state '%s', allowed are %s", word, names.text);
        }
        *states |= 1u << state;
    }
    *states |= 1u << REVIEW_UNKNOWN; /* nobody knows which state it has */
    *states |= *states & 1u << REVIEW_CHANGED ? 1u << REVIEW_TEXTURE_LOST : 0;
    return -1;
}

static const char *const strip_formats[] = {[MOVIE_APNG] = "apng", [MOVIE_WEBP] = "webp"};

#define DRAWS .needs = "base: without it nothing is drawn"

static const struct arg options[] = {
    {"base", 0, "REV|DIR",
     "compare the sheets of job lists with those of REV, a revision of the git repository of the first list, or "
     "of DIR, another checkout: draw both sides, but for what cannot differ",
     ARG_PATH(struct diff_args, base)},
    {"head", 0, "REV|DIR", "with --base, compare with the lists of REV or DIR in place of those of the work tree",
     ARG_PATH(struct diff_args, head), DRAWS},
    {ARG_WORKERS(struct diff_args, versions.batch.worker_count), DRAWS},
    {"timeout", 0, "SEC",
     "kill a worker that takes longer than SEC for a page (default 60; 0: no limit); without --base, give up on "
     "the folders after SEC (default 3600)",
     ARG_NUMBER(struct diff_args, versions.batch.timeout_s, 0, 86400)},
    {ARG_MEMORY(struct diff_args, versions.batch.memory_limit), DRAWS},
    {ARG_BACKEND(struct diff_args, versions.batch.backend), DRAWS},
    {ARG_CONFIG(struct diff_args, versions.config), DRAWS},
    {"html", 0, "FILE|DIR/",
     "write a page that plays both sides in step: one file that needs nothing else, or in DIR/ index.html and the "
     "folder index@files with its pictures, which each run writes anew",
     ARG_PATH(struct diff_args, html)},
    {"max-size", 0, "MB",
     "with --html FILE, write at most MB megabytes (25 unless given): of each sheet the clips that differ "
     "most, and one frame at least",
     ARG_COUNT(struct diff_args, max_size_mb, 1, 2000)},
    {ARG_JSON(struct diff_args, is_json)},
    {"fail-on", 0, "STATE,...",
     "exit with 1 if a sheet has one of these states, such as changed,removed,failed; or is unknown; changed "
     "means texture-lost, too, and with --strict any of them new-warning",
     ARG_CALL(struct diff_args, fail_on, unsigned, take_fail_on)},
    {"accepted", 0, "FILE",
     "with --fail-on, let pass what a person accepted: FILE has a name, a tab and the line of the page's "
     "Verdicts, such as 'ann<TAB>/sheetbake accept HASH SHEET: words', in each line",
     ARG_PATH(struct diff_args, accepted), .needs = "fail-on, which says what has to be accepted"},
    {"markdown", 0, "FILE",
     "write a table to FILE, worst first, for a comment or a job's summary on a code host; - is standard output, "
     "in place of the plain table",
     ARG_PATH(struct diff_args, markdown)},
    {"budget", 0, "N",
     "with --markdown, write at most N characters (65000 unless given) and count the sheets that do not fit",
     ARG_COUNT(struct diff_args, budget, MARKDOWN_LEAST_BUDGET, 1e9)},
    {"strips", 0, "DIR",
     "write to DIR, for each of the worst sheets, one small moving picture of the clip that differs most: before, "
     "after and difference in step, at most 150 KB",
     ARG_PATH(struct diff_args, strips.folder)},
    {"strips-most", 0, "N", "with --strips, write at most N pictures (6 unless given)",
     ARG_COUNT(struct diff_args, strips.most, 1, 1000)},
    {"strips-format", 0, "NAME", "with --strips, write webp (the default) or apng",
     ARG_CHOICE(struct diff_args, strips.format, strip_formats)},
    {"strips-url", 0, "PREFIX",
     "with --strips and --markdown, group the sheets by cause and show the pictures, which you put at PREFIX/NAME",
     ARG_PATH(struct diff_args, strips_url), .needs = "strips"},
    {"junit", 0, "FILE",
     "write a JUnit XML report to FILE: a test for each sheet that differs, which fails if the sheet could not be "
     "made or --fail-on names its state",
     ARG_PATH(struct diff_args, junit)},
    {ARG_SARIF(struct diff_args, report.files[SINK_SARIF])},
    {ARG_CI(struct diff_args, report.ci)},
    {"tolerance", 0, "T",
     "treat pixels as equal if they differ by at most T, from 0 (the default) to 1: for folders from different "
     "machines",
     ARG_NUMBER(struct diff_args, review.tolerance, 0, 1)},
    {"pixels", 0, "N", "treat frames as equal if at most N pixels differ",
     ARG_COUNT(struct diff_args, review.pixels, 0, 1e9)},
    {"strict", 0, NULL, "count a sheet with a new warning, such as a missing texture, as failed",
     ARG_FLAG(struct diff_args, review.is_strict)},
    {ARG_ONLY(struct diff_args, versions.batch.only)},
    {ARG_SANDBOX(struct diff_args, versions.batch.sandbox)},
    {"quiet", 'q', NULL, "print no table, only the last line", ARG_INT(struct diff_args, versions.verbosity, -1)},
    {"verbose", 'v', NULL, "print every frame, and every cause", ARG_INT(struct diff_args, versions.verbosity, 1)},
    {0},
};

/* -- Outputs ------------------------------------------------------------------------------------------------- */

static int write_text(const char *path, const struct buffer *text, struct error *err)
{
    return file_renew(path, (struct bytes){(const uint8_t *)text->text, text->length}, err);
}

static int write_page(const struct review *review, const struct diff_args *args, struct error *err)
{
    struct diff_page_settings settings = {.path = args->html, .max_size = args->max_size_mb * (uint64_t)1000000};
    struct diff_page_totals totals;
    int result = diff_page_write(review, &settings, &totals, err);
    for (size_t i = 0; i < totals.problems.count; i++)
        cli_complain("%s", totals.problems.items[i]);
    if (result == 0 && totals.left_out)
        cli_complain("%s: the pictures of %zu sheet%s are left out, for they do not fit into --max-size %u; a "
                     "folder (--html DIR/) has no limit",
                     args->html, totals.left_out, cli_plural(totals.left_out), args->max_size_mb);
    if (result == 0 && totals.in_part)
        cli_complain("%s: of %zu sheet%s only what differs most has pictures, for all do not fit into --max-size "
                     "%u; a folder (--html DIR/) has no limit",
                     args->html, totals.in_part, cli_plural(totals.in_part), args->max_size_mb);
    strings_release(&totals.problems);
    return result;
}

static void use_defaults(struct diff_args *args)
{
    args->versions =
        (struct versions_settings){.batch = batch_defaults(), .rules = &args->rules, .review = &args->review};
    args->versions.batch.sandbox = SANDBOX_OF_COMMANDS;
}

/* Fails early if an output cannot be written; lets the sandbox write the others. Returns the exit code, or -1. */
static int prepare(struct diff_args *args, bool is_drawn)
{
    args->rules.mode = args->versions.batch.sandbox;
    args->review.only = args->versions.batch.only;
    args->review.is_drawn = is_drawn;
    const char *const paths[] = {args->markdown, args->junit, args->report.files[SINK_SARIF], args->html,
                                 args->strips.folder};
    struct error err;
    if (args->accepted && file_read(args->accepted, VERDICTS_MOST_TEXT, &args->verdicts, &err) < 0)
        return cli_fail(&err, EXIT_USAGE);
    const struct bytes verdicts = blob_bytes(&args->verdicts);
    if (verdicts.size && memchr(verdicts.data, '\0', verdicts.size)) { /* a verdict after it would be lost */
        error_set(&err, "%s: holds a NUL, and is no file of verdicts", args->accepted);
        return cli_fail(&err, EXIT_USAGE);
    }
    /* Models and pictures come and go: their memory is kept for the next ones, also in the workers. */
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!paths[i])
            continue;
        bool is_strips = paths[i] == args->strips.folder;
        SCOPED char *file = is_strips ? path_join(paths[i], "strip") : diff_page_file(paths[i]);
        SCOPED char *folder = path_folder(file);
        strings_add(&args->rules.write, folder);
        if ((strcmp(file, paths[i]) != 0 && file_make_folders(folder, &err) < 0) ||
            file_can_renew(file, &err) < 0 || (paths[i] == args->html && diff_page_check(paths[i], &err) < 0))
            return cli_fail(&err, EXIT_USAGE);
    }
    return -1;
}

static int write_outputs(const struct review *review, const struct diff_args *args, struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer markdown = {0}, junit = {0}, table = {0};
    if (args->markdown || args->prints_markdown)
        markdown_add(&markdown, review, args->budget, args->strips_url);
    if (args->junit)
        review_add_junit(&junit, review, args->fail_on);
    if ((args->markdown && write_text(args->markdown, &markdown, err) < 0) ||
        (args->junit && write_text(args->junit, &junit, err) < 0) ||
        (args->html && write_page(review, args, err) < 0))
        return -1;
    if (args->is_json)
        return json_print(review_json(review, true), JSON_INDENT(1) | JSON_REAL_PRECISION(15), err);
    if (args->prints_markdown) {
        fputs(markdown.text, stdout);
        return 0;
    }
    review_add_table(&table, review, args->versions.verbosity,
                     args->history.most ? "no commit changed a sheet" : "no sheets");
    char *rest = table.text;
    for (const char *line; (line = strsep(&rest, "\n")) && rest;)
        cli_print_line("%s", line);
    return 0;
}

static void judge(struct review *review, const struct diff_args *args)
{
    SCOPED_BY(strings_release) struct strings problems = {0};
    if (!args->history.most)
        verdicts_ask(review);
    if (args->accepted)
        verdicts_take(review, blob_bytes(&args->verdicts), args->accepted, args->fail_on, &problems);
    for (size_t i = 0; i < problems.count; i++)
        cli_complain("warning: %s", problems.items[i]);
}

static int tell(void *context, struct review *review)
{
    const struct diff_args *args = context;
    struct report *report;
    struct error err;
    int exit_code = EXIT_DONE;
    if (args->strips.folder && strips_write(review, &args->strips, &err) < 0)
        exit_code = cli_fail(&err, EXIT_BROKEN);
    for (size_t i = 0; i < review->problems.count; i++)
        cli_complain("%s", review->problems.items[i]);
    judge(review, args);
    bool fails = args->fail_on & 1u << REVIEW_FAILED && review->broken;
    for (size_t i = 0; i < review->sheet_count; i++)
        fails |= args->fail_on & 1u << review->sheets[i].state && !review->sheets[i].verdict.is_accepted;
    if (fails && exit_code == EXIT_DONE)
        exit_code = EXIT_DIFFERS;
    if (report_open(&args->report, &report, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    review_tell(review, args->fail_on, report);
    if (report_close(report, exit_code, &err) < 0 || write_outputs(review, args, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    return exit_code;
}

/* Versions stand newest first. */
enum when { AFTER, BEFORE, BOTH };

/* -- Two versions --------------------------------------------------------------------------------------------- */

/* Opens a revision, or a checkout: a folder with the paths of this repository, or of the working folder without one. */
static int open_version(struct versions *versions, struct version *version, const char *name, struct error *err)
{
    struct stat info;
    version->name = name;
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) {
        version->tree = path_resolve(name);
        return 0;
    }
    if (versions->has_repository)
        return revision_read(&versions->repository, name, NULL, NULL, &version->revision, err);
    *err = versions->no_repository;
    return -1;
}

/* Returns the exit code, or -1. */
static int open_both(struct versions *versions, const char *base, const char *head)
{
    const char *const names[] = {[BEFORE] = base, [AFTER] = head};
    struct error err;
    versions->items = must_alloc(BOTH, sizeof *versions->items);
    versions->count = BOTH;
    version_begin(versions, &versions->items[BEFORE], "before");
    version_begin(versions, &versions->items[AFTER], "after");
    for (int when = BEFORE; when >= AFTER; when--) {
        versions->items[when].name = "work tree";
        if (!names[when] || open_version(versions, &versions->items[when], names[when], &err) == 0)
            continue;
        bool is_missing = strstr(err.text, "not a git repository") != NULL;
        if (!signals_first())
            cli_complain("%s: %s%s", when == BEFORE ? "--base" : "--head", err.text,
                         is_missing ? "; --base DIR compares with a folder" : "");
        return versions_exit(versions);
    }
    return -1;
}

/* A list that was not there before has new sheets; sheets of one that was broken cannot be compared. */
static void load_before(struct versions *versions, size_t path)
{
    struct version *before = &versions->items[BEFORE];
    SCOPED_BY(strings_release) struct strings problems = {0};
    bool is_broken = version_load(versions, before, path, &problems) == LIST_BROKEN;
    for (size_t i = 0; i < problems.count && !*before->failure.text; i++)
        cli_complain("warning: %s; %s", problems.items[i],
                     is_broken ? "no sheet of the list can be compared" : "all sheets of the list are new");
    if (is_broken && problems.count)
        version_fail(versions, before, versions->items[AFTER].lists[path].list,
                     arena_strdup(&versions->arena, problems.items[0]), false);
}

/* Returns the exit code, or -1. */
static int load_lists(struct versions *versions)
{
    struct version *before = &versions->items[BEFORE], *after = &versions->items[AFTER];
    SCOPED_BY(strings_release) struct strings problems = {0};
    for (size_t i = 0; i < versions->path_count; i++)
        version_load(versions, after, i, &problems);
    for (size_t i = 0; i < versions->path_count; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(versions->paths[i], versions->paths[j]))
                strings_printf(&problems, "%s is given twice", versions->paths[i]);
    bool is_broken = problems.count > 0;
    if (is_broken && !*after->failure.text)
        lists_print_problems(&problems, CI_OFF);
    for (size_t i = 0; i < versions->path_count && !is_broken && !*after->failure.text; i++)
        load_before(versions, i);
    const char *failure = *after->failure.text ? after->failure.text : before->failure.text;
    if (*failure && !signals_first())
        cli_complain("%s", failure);
    return is_broken || *failure ? versions_exit(versions) : -1;
}

/* Whether the work tree has the lists and the assets as a revision has them. False where nobody knows. */
static bool is_checked_out(const struct versions *versions, struct revision *head)
{
    struct error ignored;
    bool is = true;
    for (size_t i = 0; i < versions->path_count && is; i++) {
        const struct job_list *list = versions->items[AFTER].lists[i].list;
        for (size_t p = 0; p < list->file_count + list->root_count && is; p++) {
            SCOPED char *path =
                path_resolve(p < list->file_count ? list->files[p] : list->roots[p - list->file_count]);
            const char *below = path_below(versions->top, path);
            is = !below || (revision_is_checked_out(head, below, &is, &ignored) == 0 && is);
        }
    }
    return is;
}

/* Calls the versions what people call them: `main 62df7ac -> this pull request c308715 "Longer sword"`. Of a merge that a CI
 * system has made of a pull request it names what is merged. */
static void title_versions(struct versions *versions, struct revision *work_tree)
{
    struct version *before = &versions->items[BEFORE], *after = &versions->items[AFTER];
    struct revision *base = before->revision.commit ? &before->revision : NULL;
    struct error ignored;
    const bool is_now = !after->tree && !after->revision.commit;
    if (is_now && (!base || revision_read(&versions->repository, "HEAD", NULL, base, work_tree, &ignored) < 0))
        return;
    struct revision *head = is_now ? work_tree : &after->revision;
    const char *target, *change = ci_change(&target);
    bool is_merge = change && head->commit && base && !strcmp(head->parents[0], base->commit) && *head->parents[1];
    if (base) {
        const char *branch = revision_branch(base);
        bool is_target = change && (is_merge || !strncmp(base->name, base->commit, strlen(base->name)));
        before->title = branch ? branch : is_target ? target : base->name;
        before->detail = arena_strndup(&base->arena, base->commit, SHORT_ID);
    }
    if (is_now && !is_checked_out(versions, head)) {
        after->detail =
            arena_printf(&head->arena, "%.*s with changes that are not committed", SHORT_ID, head->commit);
    } else if (head->commit) {
        const char *branch = is_now && change ? change : revision_branch(head);
        after->title = branch ? branch : head->name;
        after->detail = revision_describe(head, is_merge && is_now ? head->parents[1] : head->commit);
    }
}

/* `diff --base`: each version is a folder or a revision of git; without --head, the one after is the work tree. */
static int review_versions(struct diff_args *args, char *const *paths, size_t count)
{
    struct versions versions = {.settings = &args->versions, .paths = paths, .path_count = count};
    struct revision work_tree = {0};
    int exit_code = versions_open(&versions);
    if (exit_code < 0)
        exit_code = open_both(&versions, args->base, args->head);
    if (exit_code < 0)
        exit_code = load_lists(&versions);
    if (exit_code < 0 && versions.batch.only && !versions.job_count) {
        cli_complain("no job's name matches --only '%s'%s", versions.batch.only, glob_hint(versions.batch.only));
        exit_code = EXIT_USAGE;
    }
    if (exit_code < 0)
        title_versions(&versions, &work_tree);
    if (exit_code < 0)
        exit_code = versions_judge(&versions, &versions.items[BEFORE], &versions.items[AFTER]);
    if (exit_code < 0)
        exit_code = versions_draw(&versions);
    if (exit_code < 0)
        exit_code = versions_review(&versions, tell, args);
    exit_code = versions_close(&versions, exit_code);
    revision_release(&work_tree);
    return exit_code;
}

/* -- The command --------------------------------------------------------------------------------------------- */

static bool is_list(const char *path)
{
    const char *suffix = strrchr(path, '.');
    return suffix && (!strcmp(suffix, ".yaml") || !strcmp(suffix, ".yml"));
}

static int review_folders_given(char **operands, int count, struct diff_args *args)
{
    for (int i = 0; i < count; i++)
        if (is_list(operands[i]))
            return cli_usage_error(
                &diff_command,
                "'%s' is a job list: --base HEAD compares what it makes with the last commit, as "
                "in 'sheetbake diff --base HEAD %s'; without --base, two output folders are compared",
                operands[i], operands[i]);
    if (count != 2)
        return cli_usage_error(&diff_command, "two output folders are needed, %d %s given", count,
                               count == 1 ? "is" : "are");
    struct review_source pair[1][2];
    SCOPED_BY(strings_release) struct strings folders = {0};
    for (int i = 0; i < 2; i++) {
        pair[0][i] = (struct review_source){.folder = operands[i], .name = operands[i], .detail = ""};
        strings_add(&folders, operands[i]);
    }
    int exit_code = sandbox_args_enter(&args->rules, &folders, args->versions.batch.timeout_s);
    return exit_code < 0 ? sources_review(pair, 1, &args->review, tell, args) : exit_code;
}

static int run(int argc, char **argv)
{
    struct diff_args args = {
        .budget = MARKDOWN_BUDGET,
        .max_size_mb = 25,
        .strips = {.format = MOVIE_WEBP, .most = 6},
    };
    use_defaults(&args);
    args.versions.batch.timeout_s = NAN;
    int exit_code = args_read(&diff_command, argc, argv, &args);
    if (isnan(args.versions.batch.timeout_s))
        args.versions.batch.timeout_s = args.base ? batch_defaults().timeout_s : 3600;
    if (args.markdown && !strcmp(args.markdown, "-")) {
        args.prints_markdown = true;
        args.markdown = NULL;
    }
    if (exit_code < 0 && args.is_json && args.prints_markdown)
        exit_code = cli_usage_error(&diff_command, "--json and --markdown - cannot be used together");
    args.strips.tolerance = (float)args.review.tolerance;
    if (!args.base && args.fail_on & 1u << REVIEW_CHANGED)
        args.fail_on |= 1u << REVIEW_RESCALED; /* sheets at two scales cannot be compared */
    if (args.fail_on && args.review.is_strict)
        args.fail_on |= 1u << REVIEW_NEW_WARNING; /* it hides which of the later states the sheet has */
    if (exit_code < 0)
        exit_code = prepare(&args, args.base != NULL);
    if (exit_code < 0 && args.base)
        exit_code = review_versions(&args, argv + optind, (size_t)(argc - optind));
    else if (exit_code < 0)
        exit_code = review_folders_given(argv + optind, argc - optind, &args);
    blob_release(&args.verdicts);
    sandbox_rules_release(&args.rules);
    return exit_code;
}

const struct command diff_command = {
    .name = "diff",
    .summary = "say what differs between two commits or two output folders, and why",
    .operands = {"BEFORE AFTER | LIST...", "output folder or job list", 1, INT_MAX},
    .about = "Says what differs between two output folders, or with --base between what job lists made in another "
             "commit and make now: which sheets and frames, by how much, and why. Frames are matched by name, "
             "wherever they lie on their pages.\n"
             "With --base, both sides are drawn into temporary folders, without the sheets that cannot differ. In "
             "two folders, a sheet with the same records is the same; 'sheetbake verify' compares files with "
             "their records.",
    .options = options,
    .notes =
        "States of a sheet: unknown (not compared: a side cannot be read or could not be drawn), failed, "
        "texture-lost (it has no picture any more), new-warning (with --strict), changed, removed, added, "
        "fixed (it failed before), "
        "renamed, rescaled (the same pixels, drawn at one scale; in two folders, not compared, and changed for "
        "--fail-on), moved (the same pixels; the pivot, the size of the cell, a socket, box or event differs), "
        "retimed, "
        "repacked (the same frames, elsewhere), settings (the same files, made with other settings), same.\n"
        "Pixels differ by a number from 0 to 1: the distance of their colours in OKLab, multiplied by alpha, "
        "or the difference of their alphas if that is larger.",
    .exits = exits,
    .run = run,
};

/* -- History -------------------------------------------------------------------------------------------------- */

static const struct arg history_options[] = {
    {ARG_ONLY(struct diff_args, versions.batch.only)},
    {"since", 0, "REV", "look only at commits that REV does not have", ARG_TEXT(struct diff_args, history.since)},
    {"max", 0, "N", "look at the latest N commits (200 unless given)",
     ARG_COUNT(struct diff_args, history.most, 1, 100000)},
    {"html", 0, "FILE|DIR/",
     "write the page of 'sheetbake diff', with a group for each sheet: its versions in time",
     ARG_PATH(struct diff_args, html)},
    {"max-size", 0, "MB", "with --html FILE, write at most MB megabytes (25 unless given)",
     ARG_COUNT(struct diff_args, max_size_mb, 1, 2000)},
    {ARG_JSON(struct diff_args, is_json)},
    {ARG_WORKERS(struct diff_args, versions.batch.worker_count)},
    {ARG_TIMEOUT(struct diff_args, versions.batch.timeout_s, "a page")},
    {ARG_MEMORY(struct diff_args, versions.batch.memory_limit)},
    {ARG_BACKEND(struct diff_args, versions.batch.backend)},
    {ARG_CONFIG(struct diff_args, versions.config)},
    {ARG_SANDBOX(struct diff_args, versions.batch.sandbox)},
    {"quiet", 'q', NULL, "print no table, only the last line", ARG_INT(struct diff_args, versions.verbosity, -1)},
    {"verbose", 'v', NULL, "print every frame, and every cause", ARG_INT(struct diff_args, versions.verbosity, 1)},
    {0},
};

static const struct exit_cause history_exits[] = {
    {"0", "done, whether or not a commit changed something"},
    {"2", "wrong options, no repository, no such revision, or no such job in any commit"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the result cannot be written, the run broke off, or --sandbox require cannot be met"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

static int run_history(int argc, char **argv)
{
    struct diff_args args = {.max_size_mb = 25, .report = {.ci = CI_OFF}, .history = {.most = 200}};
    use_defaults(&args);
    args.versions.batch.give_up = 0;
    int exit_code = args_read(&history_command, argc, argv, &args);
    if (exit_code < 0)
        exit_code = prepare(&args, true);
    if (exit_code < 0)
        exit_code = history_run(&args.versions, &args.history, argv + optind, tell, &args);
    sandbox_rules_release(&args.rules);
    return exit_code;
}

const struct command history_command = {
    .name = "history",
    .summary = "say which commits changed a sheet, and why",
    .operands = {"LIST", "job list", 1, 1},
    .about =
        "Says which commits of a git repository changed the sheets of a list, or with --only of some of its jobs: "
        "when, by whom, by how much, and why; newest first. It goes from HEAD along first parents, draws the "
        "sheets of each commit that may have changed them, and compares them with those before. A job is followed "
        "by its name.",
    .options = history_options,
    .notes = "States are those of 'sheetbake diff'. Sheets of which only a record would change are left out.",
    .exits = history_exits,
    .run = run_history,
};
