/* The options about the output folder. */
#ifndef CLI_OUTPUT_ARGS_H
#define CLI_OUTPUT_ARGS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "run/batch.h"

/* Prints that the run waits for another. */
void output_args_waiting(void *context, const char *text);

/* Prints what --prune has done, or would do: all of it, or only what it leaves. */
void output_args_pruned(void *context, const struct pruned_page *page);
void output_args_not_pruned(void *context, const struct pruned_page *page);

void output_args_prune_refused(const struct job_list *list, const char *why, bool is_dry);

/* Fills in the target of --depfile; false (after a message) where there is none, or one that cannot be told. */
bool output_args_depfile(const struct command *command, struct batch_settings *settings);

#endif
