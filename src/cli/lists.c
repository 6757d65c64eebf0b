#include "cli/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"

/* The path of a job's sheets without the suffix. */
struct output {
    char *path;
    const struct job *job;
    size_t order; /* of the job in all lists */
};

static int compare_outputs(const void *a, const void *b)
{
    const struct output *left = a, *right = b;
    int paths = strcasecmp(left->path, right->path);
    return paths ? paths : left->order < right->order ? -1 : 1;
}

static struct output *collect_outputs(const struct lists *lists, size_t *count)
{
    size_t total = 0;
    for (size_t i = 0; i < lists->count; i++)
        total += lists->items[i]->job_count;
    struct output *outputs = must_alloc(total, sizeof *outputs);
    *count = 0;
    for (size_t i = 0; i < lists->count; i++) {
        const struct job_list *list = lists->items[i];
        char *folder = path_resolve(list->output);
        for (size_t j = 0; j < list->job_count; j++) {
            const struct job *job = &list->jobs[j];
            if (job->is_pattern)
                continue;
            outputs[*count] = (struct output){path_join(folder, job->name), job, *count};
            ++*count;
        }
        free(folder);
    }
    if (*count)
        qsort(outputs, *count, sizeof *outputs, compare_outputs);
    return outputs;
}

/* Upper and lower case are the same, as within a list, which job_list_load checks. */
static void find_collisions(const struct lists *lists, struct strings *problems)
{
    size_t count;
    struct output *outputs = collect_outputs(lists, &count);
    for (size_t i = 1; i < count; i++) {
        const struct mark *here = &outputs[i].job->mark, *there = &outputs[i - 1].job->mark;
        if (!strcasecmp(outputs[i].path, outputs[i - 1].path))
            strings_printf(problems, "%s:%u:%u: this job writes %s.png, and so does the one at %s:%u:%u",
                           here->file, here->line, here->column, outputs[i].path, there->file, there->line,
                           there->column);
    }
    for (size_t i = 0; i < count; i++)
        free(outputs[i].path);
    free(outputs);
}

void lists_print_problems(const struct strings *problems, enum ci ci)
{
    size_t count = job_list_problem_count(problems);
    for (size_t i = 0; i < problems->count; i++) {
        struct buffer line = {0};
        if (!ci_add_problem(&line, ci, CI_ERROR, problems->items[i]))
            buffer_printf(&line, "%s\n", problems->items[i]);
        fputs(line.text, stderr);
        buffer_release(&line);
    }
    cli_complain("%s%zu problem%s, nothing was done", count < problems->count ? "more than " : "", count,
                 cli_plural(count));
}

int lists_read(char *const *paths, size_t count, const struct job_options *options, struct lists *out,
               struct strings *problems)
{
    struct lists lists = {.items = must_alloc(count, sizeof *lists.items)};
    for (size_t i = 0; i < count; i++)
        if (job_list_load(paths[i], options, &lists.items[lists.count], problems) == 0)
            lists.count++;
    if (lists.count == count)
        find_collisions(&lists, problems);
    if (problems->count) {
        lists_release(&lists);
        return -1;
    }
    *out = lists;
    return 0;
}

int lists_load(char *const *paths, size_t count, const struct job_options *options, struct lists *out)
{
    struct strings problems = {0};
    int result = lists_read(paths, count, options, out, &problems);
    if (result < 0)
        lists_print_problems(&problems, CI_OFF);
    strings_release(&problems);
    return result;
}

void lists_release(struct lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        job_list_free(lists->items[i]);
    free(lists->items);
    *lists = (struct lists){0};
}
