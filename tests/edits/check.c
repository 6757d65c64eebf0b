#include "check.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/folder.h"
#include "reviewed.h"
#include "page/metadata.h"

const char *const way_names[WAYS] = {"plain", "--force", "--only", "--shard", "--prune", "killed", "disturbed"};

enum { CODE_PROBLEMS = 2, CODE_FAILED = 3, MOST_SHOWN = 12 };

#define PROBLEM(check, ...) strings_printf(&(check)->problems, __VA_ARGS__)

void check_release(struct check *check)
{
    snapshot_release(&check->full);
    strings_release(&check->damaged);
    strings_release(&check->problems);
    strings_release(&check->asked);
    strings_release(&check->failed);
}

/* The list comes after the options. */
static int run(const struct check *check, const struct world_now *world, const char *output, const char *arguments)
{
    const char *config = world->list.has_config ? " --config config.yaml" : "";
    char *line = must_printf("%s%s list.yaml", arguments, config);
    int code = program_run(&check->program, output, line);
    free(line);
    return code;
}

/* -- Names ------------------------------------------------------------------------------------------------- */

/* Whether the output is one of the page that a name without suffix stands for. */
static bool is_of_page(const char *output, const char *page)
{
    size_t length = strlen(page);
    return !strncmp(output, page, length) && output[length] == '.' && !strchr(output + length, '/');
}

/* The part before the first '.' of the base: names of jobs have no '.'. */
static char *page_of(const char *output)
{
    return must_printf("%.*s", (int)(strcspn(path_base(output), ".") + (size_t)(path_base(output) - output)),
                       output);
}

/* A damaged page may make other pages of its job stale: those whose names begin alike. */
static bool is_damaged(const struct check *check, const char *output)
{
    for (size_t i = 0; i < check->damaged.count; i++)
        if (is_of_page(output, check->damaged.items[i]))
            return true;
    return false;
}

static void forget_damage(struct check *check)
{
    struct strings left = {0};
    for (size_t i = 0; i < check->damaged.count; i++) {
        char *json = must_printf("%s.json", check->damaged.items[i]);
        if (!snapshot_find(&check->full, json))
            strings_add(&left, check->damaged.items[i]);
        free(json);
    }
    strings_release(&check->damaged);
    check->damaged = left;
}

/* -- Announcements ------------------------------------------------------------------------------------------- */

/* Whether a run made, or tried to make, a page. -1: any page of the job. */
static bool was_tried(const struct outcomes *log, const char *job, int page)
{
    for (size_t i = 0; i < log->count; i++) {
        const struct outcome *outcome = &log->items[i];
        if ((outcome->is_made || outcome->is_failed) && !strcmp(outcome->job, job) &&
            (page < 0 || outcome->page == page))
            return true;
    }
    return false;
}

static bool is_announced(const struct outcomes *announced, const struct outcome *page)
{
    for (size_t i = 0; i < announced->count; i++) {
        const struct outcome *outcome = &announced->items[i];
        if (!strcmp(outcome->job, page->job) && (outcome->page < 0 || outcome->page == page->page))
            return true;
    }
    return false;
}

/* A part of a run may leave an announced job, whose pages were unknown, to the other parts. An atlas is announced where a
 * job of it is, and is not made where that comes out as before. */
static void compare_told(struct check *check, const struct outcomes *announced, const struct outcomes *log,
                         enum way way)
{
    for (size_t i = 0; i < announced->count; i++) {
        const struct outcome *page = &announced->items[i];
        bool may_be_left = page->page < 0 && (way == WAY_SHARDS || !strncmp(page->job, ATLAS, strlen(ATLAS)));
        if (!was_tried(log, page->job, page->page) && !may_be_left)
            PROBLEM(check, "page %d of '%s' was announced, and not made", page->page, page->job);
    }
    for (size_t i = 0; i < log->count; i++) {
        const struct outcome *page = &log->items[i];
        if ((page->is_made || page->is_failed) && !is_announced(announced, page))
            PROBLEM(check, "page %d of '%s' was not announced, and made", page->page, page->job);
    }
}

/* -- Runs -------------------------------------------------------------------------------------------------- */

static bool is_same_time(const struct snapshot_file *a, const struct snapshot_file *b)
{
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

enum part { PART_PICTURES, PART_ALL_BUT_RECORD, PART_ALL };

static bool is_of_part(const char *name, enum part part)
{
    return part == PART_PICTURES ? metadata_is_picture(name) : part == PART_ALL || !folder_is_record(name);
}

/* Whether the files of this part of the page are unchanged. */
static bool is_page_same(const struct snapshot *before, const struct snapshot *after, const char *page,
                         enum part part)
{
    for (size_t i = 0; i < after->count; i++) {
        const char *name = after->files[i].name;
        if (!is_of_page(name, page) || !is_of_part(name, part))
            continue;
        const struct snapshot_file *old = snapshot_find(before, name);
        if (!old || strcmp(old->hash, after->files[i].hash))
            return false;
    }
    return true;
}

/* Metadata is written with any of its pictures, and the record with any file. */
static bool is_written_with_others(const struct snapshot *before, const struct snapshot *after, const char *name)
{
    char *page = page_of(name);
    enum part part = folder_is_record(name) ? PART_ALL_BUT_RECORD : PART_PICTURES;
    bool is_changed = !is_page_same(before, after, page, part);
    free(page);
    return !metadata_is_picture(name) && is_changed;
}

/* A file whose new bytes are the old ones stays untouched. */
static void compare_touched(struct check *check, const struct snapshot *before, const struct snapshot *after)
{
    for (size_t i = 0; i < after->count; i++) {
        const struct snapshot_file *new = &after->files[i], *old = snapshot_find(before, new->name);
        if (!old || strcmp(old->hash, new->hash) || (old->inode == new->inode &&is_same_time(old, new)))
            continue;
        if (!is_written_with_others(before, after, new->name))
            PROBLEM(check, "out/%s was written anew with the bytes it had", new->name);
    }
}

/* The name under which all pages of a packed or trimmed sheet are known; any other page is a sheet. */
static const char *whole_of(const struct outcome *page)
{
    return page->made_with ? page->made_with : page->sheet;
}

/* Whether a run made a sheet, which may be of many pages, though all its files are as before. */
static bool is_made_in_vain(const struct outcomes *log, const char *whole, const struct snapshot *before,
                            const struct snapshot *after)
{
    bool is_same = true;
    for (size_t i = 0; i < log->count && is_same; i++) {
        if (!log->items[i].is_made || !log->items[i].sheet || strcmp(whole_of(&log->items[i]), whole))
            continue;
        char *page = page_of(log->items[i].sheet);
        is_same = is_page_same(before, after, page, PART_ALL);
        free(page);
    }
    return is_same;
}

static void count_made(struct check *check, const struct outcomes *log, const struct snapshot *before,
                       const struct snapshot *after, enum way way)
{
    for (size_t i = 0; i < log->count; i++) {
        if (!log->items[i].is_made || !log->items[i].sheet)
            continue;
        char *page = page_of(log->items[i].sheet);
        check->made++;
        check->same_pictures += is_page_same(before, after, page, PART_ALL_BUT_RECORD);
        if (way != WAY_FORCE && is_made_in_vain(log, whole_of(&log->items[i]), before, after))
            PROBLEM(check, "%s was made anew and nothing of it changed", log->items[i].sheet);
        free(page);
    }
}

/* Compares a run with the dry run before it. --prune has a dry run of its own. */
static int run_told(struct check *check, const struct world_now *world, const char *options, enum way way)
{
    struct snapshot before, after;
    struct outcomes announced, log;
    char *dry = must_printf("render -q --dry-run --json%s", strcmp(options, " --prune") ? options : "");
    char *wet = must_printf("render -q --log log%s", options);
    int dry_code = run(check, world, "announced", dry);
    snapshot_take("out", &before);
    int code = run(check, world, "output", wet);
    snapshot_take("out", &after);
    if (code == CODE_PROBLEMS && dry_code == CODE_PROBLEMS) {
        /* a list with problems */
    } else if ((dry_code && dry_code != code) || (code && code != CODE_FAILED)) {
        PROBLEM(check, "exit codes are %d for --dry-run, %d for `render%s`", dry_code, code, options);
    } else {
        outcomes_of_dry_run("announced", &announced);
        outcomes_of_log("log", &log);
        compare_told(check, &announced, &log, way);
        count_made(check, &log, &before, &after, way);
        outcomes_release(&announced);
        outcomes_release(&log);
    }
    if (way !=
        WAY_KILLED) /* a page may be without its JSON: then what is known to be of it is removed, and made anew */
        compare_touched(check, &before, &after);
    snapshot_release(&before);
    snapshot_release(&after);
    free(dry);
    free(wet);
    return code;
}

/* After the run everything is up to date; failed jobs are tried again. */
static void check_rest(struct check *check, const struct world_now *world, int code, long *warnings)
{
    struct snapshot before, after;
    struct outcomes log;
    snapshot_take("out", &before);
    int again = run(check, world, "output", "render -q --log log");
    snapshot_take("out", &after);
    if (again != code)
        PROBLEM(check, "the exit code is %d, and that of the next run %d", code, again);
    outcomes_of_log("log", &log);
    for (size_t i = 0; i < log.count; i++)
        if (log.items[i].is_made)
            PROBLEM(check, "%s was made anew by the next run", log.items[i].sheet);
    *warnings = log.warnings;
    if (before.count != after.count)
        PROBLEM(check, "the next run changed how many files there are from %zu to %zu", before.count, after.count);
    for (size_t i = 0; i < after.count; i++) {
        const struct snapshot_file *old = snapshot_find(&before, after.files[i].name);
        if (!old || old->inode != after.files[i].inode || strcmp(old->hash, after.files[i].hash))
            PROBLEM(check, "out/%s was changed by the next run", after.files[i].name);
    }
    outcomes_release(&log);
    snapshot_release(&before);
    snapshot_release(&after);
}

/* -- A full run -------------------------------------------------------------------------------------------- */

/* Without what tells of a change, or finds one sooner, but never whether the page is up to date: how the list words it, and
 * what an archive holds. */
static json_t *load_record(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    json_t *record = json_load_file(path, 0, NULL);
    for (const char *const *key = (const char *const[]){"packed", "words", "places", "self", NULL}; *key; key++)
        json_object_del(record, *key);
    free(path);
    return record;
}

static bool is_as_in_full(const struct snapshot_file *file, const struct snapshot_file *full)
{
    if (!strcmp(file->hash, full->hash) || !folder_is_record(file->name))
        return !strcmp(file->hash, full->hash);
    json_t *record = load_record("out", file->name), *other = load_record("full", file->name);
    bool is_same = record && json_equal(record, other);
    json_decref(record);
    json_decref(other);
    return is_same;
}

static void compare_full(struct check *check, const struct snapshot *out)
{
    for (size_t i = 0; i < check->full.count; i++) {
        const struct snapshot_file *full = &check->full.files[i], *file = snapshot_find(out, full->name);
        if (!file || !is_as_in_full(file, full))
            PROBLEM(check, "out/%s %s", full->name, file ? "is not as in a full run" : "is missing");
    }
    for (size_t i = 0; i < out->count; i++)
        if (!strcmp(path_suffix(out->files[i].name), ".tmp"))
            PROBLEM(check, "out/%s is left", out->files[i].name);
}

/* The output has the files of the list, files that a step has damaged, and no others. */
static void check_pruned(struct check *check, const struct snapshot *out)
{
    for (size_t i = 0; i < out->count; i++)
        if (!snapshot_find(&check->full, out->files[i].name) && !is_damaged(check, out->files[i].name))
            PROBLEM(check, "out/%s is left by --prune", out->files[i].name);
}

static void list_asked(struct check *check)
{
    strings_release(&check->asked);
    for (size_t i = 0; i < check->full.count; i++) {
        char *path = path_join("full", check->full.files[i].name);
        if (folder_is_record(path))
            paths_of_page(path, &check->asked);
        free(path);
    }
}

static void check_full(struct check *check, const struct world_now *world, int code, enum way way, long warnings)
{
    struct snapshot out;
    struct outcomes log;
    if (system("rm -rf before; mkdir -p full; mv full before"))
        fail("cannot move full");
    snapshot_release(&check->full);
    int full_code = run(check, world, "output", "render -q --log full.log -j 1 --force -o full");
    snapshot_take("full", &check->full);
    snapshot_take("out", &out);
    outcomes_of_log("full.log", &log);
    if (full_code != code)
        PROBLEM(check, "the exit code is %d, and that of a full run %d", code, full_code);
    if (code == 0 && log.warnings != warnings)
        PROBLEM(check, "there are %ld warnings, and %ld in a full run", warnings, log.warnings);
    strings_release(&check->failed);
    for (size_t i = 0; i < log.count; i++)
        if (log.items[i].is_failed)
            strings_add(&check->failed, log.items[i].job);
    compare_full(check, &out);
    forget_damage(check);
    list_asked(check);
    if (way == WAY_PRUNE && code == 0)
        check_pruned(check, &out);
    snapshot_release(&out);
    outcomes_release(&log);
}

static bool has_record(const char *folder)
{
    struct snapshot now;
    bool is_there = false;
    snapshot_take(folder, &now);
    for (size_t i = 0; i < now.count; i++)
        is_there = is_there || folder_is_record(now.files[i].name);
    snapshot_release(&now);
    return is_there;
}

/* `verify` lists damaged sheets whose jobs have failed since or are gone, and a folder where no job was ever made. */
static void check_verified(struct check *check)
{
    struct strings problems = {0};
    const char *empty = has_record("out") ? NULL : "out";
    int code = program_run(&check->program, "verified", "verify --json out");
    problems_of_verify("verified", &problems);
    for (size_t i = 0; i < problems.count; i++)
        if (empty ? strcmp(problems.items[i], empty)
                  : strncmp(problems.items[i], "out/", 4) || !is_damaged(check, problems.items[i] + 4))
            PROBLEM(check, "`verify` tells of %s", problems.items[i]);
    if (code != (problems.count || empty ? CODE_FAILED : 0))
        PROBLEM(check, "`verify` ends with %d", code);
    strings_release(&problems);
}

/* -- Ways -------------------------------------------------------------------------------------------------- */

static void disturb(struct check *check, struct world_now *world, enum way way, uint32_t delay_ms)
{
    struct buffer said = {0};
    pid_t process = program_start(&check->program, "output",
                                  world->list.has_config ? "render -q -j 2 --config config.yaml list.yaml"
                                                         : "render -q -j 2 list.yaml");
    usleep(delay_ms * 1000);
    if (way == WAY_KILLED)
        kill(-process, SIGKILL);
    else
        world_change_assets(world, &said);
    program_wait(process);
    program_wait_for_workers(process);
    buffer_release(&said);
}

static int bring_up_to_date(struct check *check, struct world_now *world, enum way way, uint32_t delay_ms)
{
    switch (way) {
    case WAY_FORCE:
        return run_told(check, world, " --force", way);
    case WAY_PRUNE:
        return run_told(check, world, " --prune", WAY_PLAIN);
    case WAY_ONLY:
        run_told(check, world, " --only *e*", way);
        break;
    case WAY_SHARDS:
        run_told(check, world, " --shard 1/2", way);
        run_told(check, world, " --shard 2/2", way);
        break;
    case WAY_KILLED:
        disturb(check, world, way, delay_ms);
        return run_told(check, world, "", way);
    case WAY_DISTURBED:
        disturb(check, world, way, delay_ms);
        break;
    default:
        break;
    }
    return run_told(check, world, "", WAY_PLAIN);
}

bool check_world(struct check *check, struct world_now *world, const struct step *step, enum way way,
                 uint32_t delay_ms)
{
    long warnings;
    bool had_failed = check->failed.count > 0, had_pages = check->full.count > 0;
    check->made = check->same_pictures = 0;
    if (step->damaged) {
        char *page = page_of(step->damaged);
        strings_add(&check->damaged, page);
        free(page);
    }
    int code = bring_up_to_date(check, world, way, delay_ms);
    if (code == CODE_PROBLEMS)
        return false;
    if (step->is_neutral && check->made && way != WAY_FORCE && way != WAY_DISTURBED && !had_failed && code == 0)
        PROBLEM(check, "%zu sheets were made, and nothing had changed", check->made);
    check_rest(check, world, code, &warnings);
    check_full(check, world, code, way, warnings);
    check_verified(check);
    if (had_pages && check->full.count) /* `diff` takes no folder without a page */
        check_review(&check->program, way == WAY_DISTURBED ? NULL : step, &check->problems);
    return true;
}
