#include "bake/same_inputs.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"

struct same_inputs {
    size_t job_count;
    /* By job: of the look-ups of the page that was written first, 0: none yet. Shared. */
    _Atomic uint64_t *digests;
};

struct same_inputs *same_inputs_new(size_t job_count)
{
    struct same_inputs *inputs = must_alloc(1, sizeof *inputs);
    size_t size = job_count * sizeof *inputs->digests;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    inputs->job_count = job_count;
    inputs->digests = shared == MAP_FAILED ? NULL : shared; /* then each worker watches its own pages alone */
    return inputs;
}

void same_inputs_free(struct same_inputs *inputs)
{
    if (!inputs)
        return;
    if (inputs->digests)
        munmap(inputs->digests, inputs->job_count * sizeof *inputs->digests);
    free(inputs);
}

static uint64_t digest_text(const char *text)
{
    return text ? hash_number((struct bytes){(const uint8_t *)text, strlen(text)}) : 1;
}

/* The hash of a trace, in any order of its look-ups. Never 0. */
static uint64_t digest(const struct trace *trace)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct look_up *item = &trace->items[i];
        const uint64_t parts[] = {item->kind, digest_text(item->name), digest_text(item->value)};
        sum += hash_number((struct bytes){(const uint8_t *)parts, sizeof parts});
    }
    return sum ? sum : 1;
}

static int fail(const char *model, struct error *err)
{
    return error_set(err, "%s, or another file of the job, was changed while its pages were made", model);
}

int same_inputs_check(const struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err)
{
    if (trace->changed)
        return error_set(err, "%s was changed while the sheet was made", trace->changed);
    uint64_t first = inputs->digests ? atomic_load(&inputs->digests[job]) : 0;
    return first == 0 || first == digest(trace) ? 0 : fail(model, err);
}

int same_inputs_claim(struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err)
{
    uint64_t ours = digest(trace), first = 0;
    if (!inputs->digests || atomic_compare_exchange_strong(&inputs->digests[job], &first, ours) || first == ours)
        return 0;
    return fail(model, err);
}
