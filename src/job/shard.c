#include "job/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"

#define OUR_INDEX "SHEETBAKE_SHARD_INDEX"
#define OUR_TOTAL "SHEETBAKE_SHARD_TOTAL"

/* -- Numbers ----------------------------------------------------------------------------------------------- */

/* Digits alone: a sign, a space or a hexadecimal number is a slip in somebody's template. */
static const char *read_number(const char *text, uint32_t *out)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (unsigned)(*at - '0');
        if (value > UINT32_MAX)
            return NULL;
    }
    *out = (uint32_t)value;
    return at > text ? at : NULL;
}

static int set_shard(struct shard *out, uint32_t number, uint32_t count, const char *source, struct error *err)
{
    if (count < 1 || count > SHARD_MAX)
        return error_set(err, "%" PRIu32 " shards, 1 to %d are allowed", count, SHARD_MAX);
    if (number < 1 || number > count)
        return error_set(err, "shard %" PRIu32 " of %" PRIu32 ": shards are numbered from 1 to %" PRIu32, number, count,
                         count);
    *out = (struct shard){.number = number, .count = count};
    snprintf(out->source, sizeof out->source, "%s", source);
    return 0;
}

int shard_parse(const char *text, struct shard *out, struct error *err)
{
    uint32_t number, count;
    const char *slash = read_number(text, &number);
    const char *end = slash && *slash == '/' ? read_number(slash + 1, &count) : NULL;
    if (!end || *end)
        return error_set(err, "'%s' is neither auto nor a shard such as 3/8, the third of eight", text);
    return set_shard(out, number, count, "", err);
}

/* -- The environment --------------------------------------------------------------------------------------- */

/* NULL where it is not set, or set to nothing: that is what a template makes of a value it does not have. */
static const char *look_up(char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
            return (*environment)[length + 1] ? *environment + length + 1 : NULL;
    return NULL;
}

static int need_number(char *const *environment, const char *because, const char *name, uint32_t *out,
                       struct error *err)
{
    const char *text = look_up(environment, name);
    if (!text)
        return error_set(err, "%s is set, but %s is not", because, name);
    const char *end = read_number(text, out);
    if (!end || *end)
        return error_set(err, "%s is '%s', which is no whole number", name, text);
    return 0;
}

/* A system that tells both numbers, the first index being `base`. */
struct pair {
    const char *index, *total;
    uint32_t base;
};

static const struct pair our_pair = {OUR_INDEX, OUR_TOTAL, 0}; /* as GitHub's strategy.job-index and .job-total */
static const struct pair pairs[] = {
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},                               /* GitLab */
    {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                       /* CircleCI */
    {"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},       /* Buildkite */
    {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},        /* AWS Batch */
    {"JOB_COMPLETION_INDEX", OUR_TOTAL, 0},                              /* Kubernetes: an index and no total */
};
enum { PAIR_COUNT = sizeof pairs / sizeof *pairs };

/* What an index of the environment is, counted from 1. */
static int set_index(struct shard *out, const char *variable, uint32_t index, uint32_t base, uint32_t count,
                     struct error *err)
{
    if (index < base || index - base >= count)
        return error_set(err, "%s is %" PRIu32 ", for %" PRIu32 " shards it is from %" PRIu32 " to %" PRIu32, variable,
                         index, count, base, base + count - 1);
    return set_shard(out, index - base + 1, count, variable, err);
}

/* GitLab and CircleCI number jobs that are not split, too, GitLab by a total of 1 without an index. */
static bool is_unsplit(char *const *environment, const struct pair *pair)
{
    const char *total = look_up(environment, pair->total);
    return pair->base == 1 && !look_up(environment, pair->index) && total && !strcmp(total, "1");
}

/* 1 where the system tells a shard, 0 where it is not there, -1 where it tells half of one. */
static int read_pair(char *const *environment, const struct pair *pair, struct shard *out, struct error *err)
{
    bool has_index = look_up(environment, pair->index), has_total = look_up(environment, pair->total);
    if (!has_index && !has_total)
        return 0;
    uint32_t index = pair->base, total;
    if (need_number(environment, has_index ? pair->index : pair->total, pair->total, &total, err) < 0)
        return -1;
    if (total == 0)
        return error_set(err, "%s is 0", pair->total);
    if (!is_unsplit(environment, pair) && need_number(environment, pair->total, pair->index, &index, err) < 0)
        return -1;
    return set_index(out, pair->index, index, pair->base, total, err) < 0 ? -1 : 1;
}

/* Task ids are chosen by whoever submits the array, such as 10-24:2. A list without a step (1,2,7) cannot be numbered
 * from what a task is told. */
static int read_slurm(char *const *environment, struct shard *out, struct error *err)
{
    static const char id_name[] = "SLURM_ARRAY_TASK_ID", count_name[] = "SLURM_ARRAY_TASK_COUNT";
    if (!look_up(environment, id_name) && !look_up(environment, count_name))
        return 0;
    uint32_t id, least, most, step, count;
    if (need_number(environment, count_name, id_name, &id, err) < 0 ||
        need_number(environment, id_name, count_name, &count, err) < 0 ||
        need_number(environment, id_name, "SLURM_ARRAY_TASK_MIN", &least, err) < 0 ||
        need_number(environment, id_name, "SLURM_ARRAY_TASK_MAX", &most, err) < 0 ||
        need_number(environment, id_name, "SLURM_ARRAY_TASK_STEP", &step, err) < 0)
        return -1;
    if (step == 0 || most < least || (uint64_t)(most - least) / step + 1 != count)
        return error_set(err,
                         "%" PRIu32 " task ids from %" PRIu32 " to %" PRIu32 " in steps of %" PRIu32
                         " are no range: use --array=FIRST-LAST or --array=FIRST-LAST:STEP",
                         count, least, most, step);
    if (id < least || id > most || (id - least) % step != 0)
        return error_set(err, "%s is %" PRIu32 ", ids are %" PRIu32 " to %" PRIu32 " in steps of %" PRIu32, id_name, id,
                         least, most, step);
    return set_index(out, id_name, (id - least) / step, 0, count, err) < 0 ? -1 : 1;
}

/* A Kubernetes total alone belongs to whatever else should have told the index. */
static int read_system(char *const *environment, size_t i, struct shard *out, struct error *err)
{
    if (i == PAIR_COUNT)
        return read_slurm(environment, out, err);
    if (!strcmp(pairs[i].total, OUR_TOTAL) && !look_up(environment, pairs[i].index))
        return 0;
    return read_pair(environment, &pairs[i], out, err);
}

/* A system that does not split the run gives way to one that does. */
static int choose(struct shard *chosen, const struct shard *found, struct error *err)
{
    if (chosen->count <= 1) {
        *chosen = *found;
        return 0;
    }
    if (found->count == 1 || (found->number == chosen->number && found->count == chosen->count))
        return 0;
    return error_set(err,
                     "%s makes this shard %" PRIu32 " of %" PRIu32 ", %s makes it %" PRIu32 " of %" PRIu32
                     ": give --shard I/N, or " OUR_INDEX " (from 0) and " OUR_TOTAL,
                     chosen->source, chosen->number, chosen->count, found->source, found->number, found->count);
}

static int fail_nothing_set(struct error *err)
{
    struct buffer names = {0};
    for (size_t i = 0; i < PAIR_COUNT; i++)
        buffer_printf(&names, "%s, ", pairs[i].index);
    error_set(err, "no shard in the environment: none of %sSLURM_ARRAY_TASK_ID and " OUR_INDEX " is set", names.text);
    buffer_release(&names);
    return -1;
}

int shard_detect(char *const *environment, struct shard *out, struct error *err)
{
    /* Ours comes first: somebody has set it for us. */
    if (look_up(environment, OUR_INDEX))
        return read_pair(environment, &our_pair, out, err) < 0 ? -1 : 0;
    struct shard found, chosen = {0};
    for (size_t i = 0; i <= PAIR_COUNT; i++) {
        int result = read_system(environment, i, &found, err);
        if (result < 0 || (result > 0 && choose(&chosen, &found, err) < 0))
            return -1;
    }
    bool total_is_used = !strcmp(chosen.source, "JOB_COMPLETION_INDEX");
    if (look_up(environment, OUR_TOTAL) && !total_is_used)
        return error_set(err, OUR_TOTAL " is set, but neither " OUR_INDEX " nor JOB_COMPLETION_INDEX is");
    if (chosen.count == 0)
        return fail_nothing_set(err);
    *out = chosen;
    return 0;
}

/* -- Pages ------------------------------------------------------------------------------------------------- */

uint32_t shard_of_page(uint32_t count, const char *list, const char *job, uint32_t page)
{
    struct buffer id = {0};
    buffer_add(&id, list, strlen(list) + 1);
    buffer_add(&id, job, strlen(job) + 1);
    buffer_printf(&id, "%" PRIu32, page);
    uint64_t hash = hash_number((struct bytes){(const uint8_t *)id.text, id.length});
    buffer_release(&id);
    return (uint32_t)(hash % count) + 1;
}
