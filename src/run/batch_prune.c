#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "run/batch_state.h"

/* Pruning the list whose jobs are batch->jobs[first..end). */
struct pruned_list {
    const struct batch *batch;
    const struct batch_settings *settings;
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

/* Records tell the names of lists, so pages of one look like pages of the other. */
static bool look_alike(const struct job_list *list, const struct job_list *other)
{
    if (list == other || strcmp(list->name, other->name))
        return list == other;
    char *folder = path_resolve(list->output), *others = path_resolve(other->output);
    bool result = !strcmp(folder, others);
    free(folder);
    free(others);
    return result;
}

static bool is_of_another(void *context, const char *name)
{
    const struct pruned_list *pruned = context;
    const struct job_list *list = pruned->batch->jobs[pruned->first].list;
    for (size_t i = 0; i < pruned->settings->list_count; i++) {
        const struct job_list *other = pruned->settings->lists[i];
        if (other == list || !look_alike(list, other))
            continue;
        for (size_t j = 0; j < other->job_count; j++)
            if (!strcmp(other->jobs[j].name, name))
                return true;
    }
    return false;
}

static const struct missing *find_missing(const struct job_list *list, const struct batch_settings *settings)
{
    const struct missing *missing = NULL;
    for (size_t i = 0; i < settings->list_count && !missing; i++)
        if (look_alike(list, settings->lists[i]))
            missing = job_list_first_missing(settings->lists[i]);
    return missing;
}

/* Where one file is gone, more may be: a folder of models that is not mounted makes jobs miss what they name, and
 * takes those of patterns away. That must not empty the output. */
static bool is_refused(const struct job_list *list, const struct batch_settings *settings, bool is_dry)
{
    const struct missing *missing = find_missing(list, settings);
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
    struct pruned_list list = {.batch = batch, .settings = settings, .is_dry = is_dry};
    for (; list.first < batch->job_count; list.first = list.end) {
        const struct job_list *jobs = batch->jobs[list.first].list;
        for (list.end = list.first; list.end < batch->job_count && batch->jobs[list.end].list == jobs;)
            list.end++;
        const struct prune prune = {
            .list = jobs,
            .outputs = batch->outputs,
            .is_known = is_known,
            .is_of_another = is_of_another,
            .context = &list,
            .is_dry = is_dry,
            .tell = settings->prune,
        };
        if (!is_refused(jobs, settings, is_dry))
            prune_list(&prune);
    }
}
