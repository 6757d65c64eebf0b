#include <stdlib.h>

#include "base/memory.h"
#include "run/batch_state.h"

/* Pruning the list whose jobs are batch->jobs[first..end). */
struct pruned_list {
    const struct batch *batch;
    size_t first, end;
    bool is_dry;
};

/* All pages of a job are known when all were made, or are up to date. */
static bool is_known(void *context, const struct job *job)
{
    const struct pruned_list *list = context;
    const struct batch *batch = list->batch;
    size_t number = list->first + (size_t)(job - batch->jobs[list->first].list->jobs);
    if (number >= list->end || batch->jobs[number].job != job)
        return false;
    return list->is_dry ? verdict_is_up_to_date(&batch->verdicts[number]) : !batch->has_lost[number];
}

/* Where one file is gone, more may be: a folder of models that is not mounted makes jobs miss what they name, and
 * takes those of patterns away. That must not empty the output. */
static bool is_refused(const struct job_list *list, const struct batch_settings *settings, bool is_dry)
{
    const struct missing *missing = job_list_first_missing(list);
    if (!missing)
        return false;
    char *why =
        must_printf("%s:%u:%u: %s", missing->mark.file, missing->mark.line, missing->mark.column, missing->text);
    settings->prune_refused(list, why, is_dry);
    free(why);
    return true;
}

void batch_prune(struct batch *batch, const struct batch_settings *settings, bool is_dry)
{
    struct pruned_list list = {.batch = batch, .is_dry = is_dry};
    for (; list.first < batch->job_count; list.first = list.end) {
        const struct job_list *jobs = batch->jobs[list.first].list;
        for (list.end = list.first; list.end < batch->job_count && batch->jobs[list.end].list == jobs;)
            list.end++;
        const struct prune prune = {
            .list = jobs,
            .outputs = batch->outputs,
            .is_known = is_known,
            .context = &list,
            .is_dry = is_dry,
            .tell = settings->prune,
        };
        if (!is_refused(jobs, settings, is_dry))
            prune_list(&prune);
    }
}
