#include "cli/output_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "out/depfile.h"

void output_args_waiting(void *context, const char *text)
{
    (void)context;
    cli_complain("%s", text);
}

/* What would be done is the result of a dry run, and belongs to standard output; what was done is a message. */
static void print_pruned(const struct pruned_page *page, const char *done, const char *would, const char *text)
{
    if (page->is_dry)
        cli_print_line("%s %s", would, text);
    else
        cli_complain("%s %s", done, text);
}

void output_args_not_pruned(void *context, const struct pruned_page *page)
{
    (void)context;
    char *folder = path_folder(page->record);
    for (size_t i = 0; i < page->left.count; i++) {
        char *path = path_join(folder, page->left.items[i]);
        print_pruned(page, "left", "would leave", path);
        free(path);
    }
    free(folder);
}

/* A page is a line: its JSON with the folder, then the names of its other files. */
void output_args_pruned(void *context, const struct pruned_page *page)
{
    struct buffer line = {0};
    if (page->removed.count) {
        buffer_printf(&line, "%s", page->record);
        for (size_t i = 1; i < page->removed.count; i++)
            buffer_printf(&line, ", %s", page->removed.items[i]);
        buffer_printf(&line, ": %s", page->why);
        print_pruned(page, "removed", "would remove", line.text);
    }
    buffer_release(&line);
    output_args_not_pruned(context, page);
}

void output_args_prune_refused(const struct job_list *list, const char *why, bool is_dry)
{
    char *text = must_printf("of %s while something that it names is missing: %s", list->path, why);
    if (is_dry)
        cli_print_line("would remove nothing %s", text);
    else
        cli_complain("removed nothing %s", text);
    free(text);
}

bool output_args_depfile(const struct command *command, struct batch_settings *settings)
{
    const char *file = settings->depfile, *target = settings->depfile_target;
    if (!file && target)
        cli_usage_error(command, "--depfile-target is for --depfile, which is not given");
    else if (file && !target && strcmp(path_suffix(file), ".d"))
        cli_usage_error(command, "--depfile: '%s' does not end in .d: --depfile-target has to say what depends",
                        file);
    else if (file && !depfile_can_be_target(target ? target : file))
        cli_usage_error(command, "--depfile: '%s' is no name that make and ninja both understand",
                        target ? target : file);
    else
        return true;
    return false;
}
