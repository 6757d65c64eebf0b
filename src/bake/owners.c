#include "bake/owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "job/output_names.h"
#include "out/outputs.h"

/* A job that names its sheets after clips, opened: all names that its first pages have. */
struct rival {
    const struct job *job;
    struct strings names;
};

struct owners {
    struct outputs *listed; /* the names that lists tell; these and the next in lower case */
    struct outputs *split;  /* the names of jobs that are split by animation */
    struct rival *rivals;   /* opened so far */
    size_t rival_count, rival_capacity;
};

/* -- What lists tell --------------------------------------------------------------------------------------- */

/* The caller frees it. */
static char *lower(const char *name)
{
    char *folded = must_strdup(name);
    for (char *c = folded; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return folded;
}

struct claimer {
    struct outputs *outputs;
    const struct job_list *list;
    const struct job *job;
};

static void claim(void *context, const char *name, bool is_json)
{
    (void)is_json;
    const struct claimer *claimer = context;
    char *folded = lower(name);
    outputs_claim(claimer->outputs, claimer->list, claimer->job, folded);
    free(folded);
}

static void add_job(struct owners *owners, const struct job_list *list, const struct job *job)
{
    struct claimer listed = {owners->listed, list, job}, split = {owners->split, list, job};
    if (job->is_pattern)
        return;
    output_names_of_job(job, claim, &listed);
    if (job->sheet.split == SPLIT_ANIMATION)
        claim(&split, job->name, false);
}

struct owners *owners_new(struct job_list *const *lists, size_t list_count)
{
    struct owners *owners = must_alloc(1, sizeof *owners);
    size_t job_count = 0;
    for (size_t i = 0; i < list_count; i++)
        job_count += lists[i]->job_count;
    owners->listed = outputs_new(job_count);
    owners->split = outputs_new(0);
    for (size_t i = 0; i < list_count; i++)
        for (size_t j = 0; j < lists[i]->job_count; j++)
            add_job(owners, lists[i], &lists[i]->jobs[j]);
    return owners;
}

void owners_free(struct owners *owners)
{
    if (!owners)
        return;
    for (size_t i = 0; i < owners->rival_count; i++)
        strings_release(&owners->rivals[i].names);
    free(owners->rivals);
    outputs_free(owners->listed);
    outputs_free(owners->split);
    free(owners);
}

static const struct job *find(struct outputs *outputs, const struct job_list *list, const char *name)
{
    char *folded = lower(name);
    const struct job *job = outputs_owner(outputs, list, folded);
    free(folded);
    return job;
}

/* A question about a page, and its answer. */
struct search {
    struct owners *owners;
    struct assets *assets;
    const struct job_list *list;
    const struct job *job;
    bool is_numbered;        /* it is not the first of its sheet */
    const struct job *other; /* that has one of the page's names, or NULL so far */
    char *name;              /* this one */
};

static void find_other(struct search *search, const struct job *other, const char *name)
{
    search->other = other;
    search->name = must_strdup(name);
}

static void look_in_lists(void *context, const char *name, bool is_json)
{
    (void)is_json;
    struct search *search = context;
    const struct job *owner = find(search->owners->listed, search->list, name);
    if (!search->other && owner && owner != search->job)
        find_other(search, owner, name);
}

const struct job *owners_of_listed(struct owners *owners, const struct job_list *list, const struct job *job,
                                   const char *page)
{
    struct search search = {.owners = owners, .list = list, .job = job};
    if (owners)
        output_names_of_page(job, page, look_in_lists, &search);
    free(search.name);
    return search.other;
}

/* -- What models tell -------------------------------------------------------------------------------------- */

static void add_rival_name(void *context, const char *name, bool is_json)
{
    (void)is_json;
    struct rival *rival = context;
    char *folded = lower(name);
    strings_add(&rival->names, folded);
    free(folded);
}

/* One that cannot be opened makes nothing. */
static struct rival open_rival(const struct search *search, const struct job *job)
{
    struct rival rival = {.job = job};
    struct plan *plan;
    struct error ignored;
    struct trace *trace = assets_trace(search->assets, NULL);
    int result = plan_open(search->assets, job, &plan, &ignored);
    assets_trace(search->assets, trace);
    if (result < 0)
        return rival;
    for (size_t i = 0; i < plan->sheet_count; i++)
        output_names_of_page(job, plan->sheets[i].base, add_rival_name, &rival);
    plan_free(plan);
    return rival;
}

static const struct rival *find_rival(const struct search *search, const struct job *job)
{
    struct owners *owners = search->owners;
    for (size_t i = 0; i < owners->rival_count; i++)
        if (owners->rivals[i].job == job)
            return &owners->rivals[i];
    owners->rivals =
        must_grow(owners->rivals, owners->rival_count, &owners->rival_capacity, sizeof *owners->rivals);
    owners->rivals[owners->rival_count] = open_rival(search, job);
    return &owners->rivals[owners->rival_count++];
}

/* Whether `job` is before ours, or comes before any number. Those of other lists have assets that are not open. */
static bool may_win(const struct search *search, const struct job *job)
{
    const struct job_list *list = search->list;
    bool is_of_list = job >= list->jobs && job < list->jobs + list->job_count;
    return job != search->job && is_of_list && (search->is_numbered || job < search->job);
}

/* "orc-big-run" may be the clip "big-run" of "orc", or "run" of "orc-big". */
static void look_in_models(void *context, const char *name, bool is_json)
{
    (void)is_json;
    struct search *search = context;
    char *folded = lower(name), *start = must_strdup(folded);
    for (char *dash = strchr(start, '-'); dash && !search->other; dash = strchr(dash + 1, '-')) {
        *dash = '\0';
        const struct job *job = outputs_owner(search->owners->split, search->list, start);
        *dash = '-';
        if (job && may_win(search, job) && strings_has(&find_rival(search, job)->names, folded))
            find_other(search, job, name);
    }
    free(start);
    free(folded);
}

static int check_name(struct search *search, const char *page, struct error *err)
{
    output_names_of_page(search->job, page, look_in_lists, search);
    if (!search->other && find(search->owners->listed, search->list, page) != search->job)
        output_names_of_page(search->job, page, look_in_models, search);
    if (!search->other)
        return 0;
    const struct mark *mark = &search->other->mark;
    error_set(err, "'%s' is the name of a file of job '%s' at %s:%u:%u; give one of them another name",
              search->name, search->other->name, mark->file, mark->line, mark->column);
    free(search->name);
    return -1;
}

int owners_check_page(struct owners *owners, struct assets *assets, const struct job_list *list,
                      const struct plan *plan, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct error *err)
{
    if (!owners)
        return 0;
    struct search search = {.owners = owners, .assets = assets, .list = list, .job = plan->job};
    if (check_name(&search, sheet->base, err) < 0)
        return -1;
    if (page_of_sheet == 0)
        return 0;
    search.is_numbered = true;
    char *name = plan_page_name(sheet, page_of_sheet, "");
    int result = check_name(&search, name, err);
    free(name);
    return result;
}
