#include "cli/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "report/report.h"

void lists_print_problems(const struct strings *problems, enum ci ci)
{
    size_t count = job_list_problem_count(problems);
    for (size_t i = 0; i < problems->count; i++) {
        SCOPED_BY(buffer_release) struct buffer line = {0};
        if (!ci_add_problem(&line, ci, problems->items[i]))
            buffer_printf(&line, "%s\n", problems->items[i]);
        fputs(line.text, stderr);
    }
    cli_complain("%s%zu problem%s, nothing was done", count < problems->count ? "more than " : "", count,
                 cli_plural(count));
}

int lists_load(char *const *paths, size_t count, const struct job_options *options, enum ci ci,
               struct report *report, struct lists *out)
{
    SCOPED_BY(strings_release) struct strings found = {0};
    *out = (struct lists){.items = must_alloc(count, sizeof *out->items)};
    for (size_t i = 0; i < count; i++)
        if (job_list_load(paths[i], options, &out->items[out->count], &found) == 0)
            out->count++;
    if (out->count == count)
        job_lists_check(out->items, out->count, &found);
    int result = found.count ? -1 : 0;
    if (result < 0) {
        lists_print_problems(&found, ci);
        lists_release(out);
    }
    if (report)
        report_problems(report, &found);
    return result;
}

static void add_folder(struct strings *folders, struct strings *seen, const char *folder)
{
    SCOPED char *path = path_resolve(folder);
    if (!strings_has(seen, path))
        strings_add(folders, folder);
    strings_add(seen, path);
}

int lists_and_folders_load(char *const *arguments, size_t count, const struct job_options *options,
                           struct strings *folders, struct lists *out)
{
    SCOPED char **paths = must_alloc(count, sizeof *paths);
    SCOPED_BY(strings_release) struct strings seen = {0};
    size_t list_count = 0;
    for (size_t i = 0; i < count; i++) {
        SCOPED char *path = path_tidy(arguments[i]);
        struct stat info;
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            add_folder(folders, &seen, path);
        else
            paths[list_count++] = arguments[i];
    }
    int result = lists_load(paths, list_count, options, CI_OFF, NULL, out);
    for (size_t i = 0; result == 0 && i < out->count; i++)
        add_folder(folders, &seen, out->items[i]->output);
    return result;
}

void lists_release(struct lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        job_list_free(lists->items[i]);
    free(lists->items);
    *lists = (struct lists){0};
}
