#include "run/outputs.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

struct claim {
    char *path;
    const struct job *job;
};

struct outputs {
    void *tree; /* of struct claim, by path */

    /* Of the latest claim: its list, and the folder that writes to without links and "..". */
    const struct job_list *list;
    char *folder;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct claim *)a)->path, ((const struct claim *)b)->path);
}

static void free_claim(void *node)
{
    struct claim *claim = node;
    free(claim->path);
    free(claim);
}

struct outputs *outputs_new(void)
{
    return must_alloc(1, sizeof(struct outputs));
}

void outputs_free(struct outputs *outputs)
{
    if (!outputs)
        return;
    tdestroy(outputs->tree, free_claim);
    free(outputs->folder);
    free(outputs);
}

const struct job *outputs_claim(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                const char *name)
{
    if (list != outputs->list) {
        free(outputs->folder);
        outputs->folder = path_resolve(list->output);
        outputs->list = list;
    }
    struct claim *claim = must_alloc(1, sizeof *claim);
    *claim = (struct claim){path_join(outputs->folder, name), job};
    struct claim **found = tsearch(claim, &outputs->tree, compare);
    if (!found)
        abort(); /* out of memory */
    const struct claim *first = *found;
    if (first != claim)
        free_claim(claim);
    return first->job == job ? NULL : first->job;
}

static const struct job *claim_suffix(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                      const char *page, const char *suffix)
{
    char *name = must_printf("%s%s", page, suffix);
    const struct job *other = outputs_claim(outputs, list, job, name);
    free(name);
    return other;
}

const struct job *outputs_claim_page(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                     const char *page)
{
    const struct job *found = NULL;
    for (unsigned pass = 0; pass < PASS_COUNT && !found; pass++) {
        char *suffix = pass == PASS_COLOR ? must_strdup(".png") : must_printf(".%s.png", pass_names[pass]);
        if (job->passes & 1u << pass)
            found = claim_suffix(outputs, list, job, page, suffix);
        free(suffix);
    }
    for (unsigned i = 0; i < METADATA_COUNT && !found; i++)
        if (job->metadata & 1u << i)
            found = claim_suffix(outputs, list, job, page, metadata_writers[i].suffix);
    return found;
}
