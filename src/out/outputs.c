#include "out/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

/* A name is known by its hash alone, which for a million of them is as good as the name, and a tenth of its size: a run
 * has as many as it has files. */
struct claim {
    uint64_t hash;
    const struct job *job; /* NULL: the slot is free */
};

struct outputs {
    struct claim *slots; /* a power of two of them, at least a quarter free; a name is in the first free one from its hash on */
    size_t slot_count, count;

    /* Of the latest claim: its list, and the folder that writes to without links and "..". */
    const struct job_list *list;
    char *folder;
};

static struct claim *find_slot(const struct outputs *outputs, uint64_t hash)
{
    size_t i = hash & (outputs->slot_count - 1);
    while (outputs->slots[i].job && outputs->slots[i].hash != hash)
        i = (i + 1) & (outputs->slot_count - 1);
    return &outputs->slots[i];
}

static void make_slots(struct outputs *outputs, size_t claim_count)
{
    outputs->slot_count = 16;
    while (outputs->slot_count / 4 * 3 <= claim_count)
        outputs->slot_count *= 2;
    outputs->slots = must_alloc(outputs->slot_count, sizeof *outputs->slots);
}

static void grow(struct outputs *outputs)
{
    struct claim *old = outputs->slots;
    size_t old_count = outputs->slot_count;
    make_slots(outputs, old_count);
    for (size_t i = 0; i < old_count; i++)
        if (old[i].job)
            *find_slot(outputs, old[i].hash) = old[i];
    free(old);
}

struct outputs *outputs_new(size_t claim_count)
{
    struct outputs *outputs = must_alloc(1, sizeof *outputs);
    make_slots(outputs, claim_count);
    return outputs;
}

void outputs_free(struct outputs *outputs)
{
    if (!outputs)
        return;
    free(outputs->slots);
    free(outputs->folder);
    free(outputs);
}

static uint64_t hash_path(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    uint64_t hash = hash_number((struct bytes){(const uint8_t *)path, strlen(path)});
    free(path);
    return hash;
}

static uint64_t hash_name(struct outputs *outputs, const struct job_list *list, const char *name)
{
    if (list != outputs->list) {
        free(outputs->folder);
        outputs->folder = path_resolve(list->output);
        outputs->list = list;
    }
    return hash_path(outputs->folder, name);
}

const struct job *outputs_claim(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                const char *name)
{
    uint64_t hash = hash_name(outputs, list, name);
    struct claim *slot = find_slot(outputs, hash);
    if (slot->job)
        return slot->job == job ? NULL : slot->job;
    *slot = (struct claim){hash, job};
    if (++outputs->count > outputs->slot_count / 4 * 3)
        grow(outputs);
    return NULL;
}

const struct job *outputs_owner(struct outputs *outputs, const struct job_list *list, const char *name)
{
    return find_slot(outputs, hash_name(outputs, list, name))->job;
}

bool outputs_has(struct outputs *outputs, const struct job_list *list, const char *name)
{
    return outputs_owner(outputs, list, name);
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
        char *suffix =
            pass == PASS_COLOR ? must_strdup(PICTURE_SUFFIX) : must_printf(".%s" PICTURE_SUFFIX, pass_names[pass]);
        if (job->passes & 1u << pass)
            found = claim_suffix(outputs, list, job, page, suffix);
        free(suffix);
    }
    for (unsigned i = 0; i < METADATA_COUNT && !found; i++)
        if (job->metadata & 1u << i)
            found = claim_suffix(outputs, list, job, page, metadata_formats[i].suffix);
    return found ? found : claim_suffix(outputs, list, job, page, RECORD_SUFFIX);
}
