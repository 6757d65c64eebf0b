#include "job/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"

#define OUR_INDEX "SHEETBAKE_SHARD_INDEX"
#define OUR_TOTAL "SHEETBAKE_SHARD_TOTAL"
#define SLURM_ID "SLURM_ARRAY_TASK_ID"

/* -- Numbers ----------------------------------------------------------------------------------------------- */

/* Digits alone: a sign, a space or a hexadecimal number is a slip in somebody's template. */
static const char *read_number(const char *text, uint32_t *out)
{
    const size_t digits = strspn(text, "0123456789");
    const unsigned long long value = strtoull(text, NULL, 10);
    *out = (uint32_t)value;
    return digits > 0 && value <= UINT32_MAX ? text + digits : NULL;
}

static int set_shard(struct shard *out, uint32_t number, uint32_t count, const char *source, struct error *err)
{
    if (count < 1 || count > SHARD_MAX)
        return error_set(err, "%" PRIu32 " shards, 1 to %d are allowed", count, SHARD_MAX);
    if (number < 1 || number > count)
        return error_set(err, "shard %" PRIu32 " of %" PRIu32 ": shards are numbered from 1 to %" PRIu32, number,
                         count, count);
    *out = (struct shard){.number = number, .count = count, .source = source};
    return 0;
}

int shard_parse(const char *text, struct shard *out, struct error *err)
{
    uint32_t number, count;
    const char *slash = read_number(text, &number);
    const char *end = slash && *slash == '/' ? read_number(slash + 1, &count) : NULL;
    if (!end || *end)
        return error_set(err, "'%s' is neither auto nor a shard such as 3/8, the third of eight", text);
    return set_shard(out, number, count, NULL, err);
}

/* -- The environment --------------------------------------------------------------------------------------- */

/* NULL also where it is set to nothing: that is what a template makes of a value it does not have. */
static const char *look_up(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static int need_number(const char *name, uint32_t *out, struct error *err)
{
    const char *text = look_up(name);
    if (!text)
        return error_set(err, "%s is not set", name);
    const char *end = read_number(text, out);
    return end && !*end ? 0 : error_set(err, "%s is '%s', which is not a whole number", name, text);
}

int shard_detect(struct shard *out, struct error *err)
{
    if (look_up(OUR_INDEX) || look_up(OUR_TOTAL)) {
        uint32_t index, total;
        if (need_number(OUR_INDEX, &index, err) < 0 || need_number(OUR_TOTAL, &total, err) < 0)
            return -1;
        if (total > 0 && index >= total)
            return error_set(err, OUR_INDEX " is %" PRIu32 ", for %" PRIu32 " shards it is from 0 to %" PRIu32,
                             index, total, total - 1);
        return set_shard(out, index + 1, total, OUR_INDEX, err);
    }
    if (look_up(SLURM_ID)) {
        /* The user chooses the task ids of an array, such as 10-24:2. A list without a step (1,2,7) cannot be numbered from what a task knows. */
        uint32_t id, first, last, step, count;
        if (need_number(SLURM_ID, &id, err) < 0 || need_number("SLURM_ARRAY_TASK_COUNT", &count, err) < 0 ||
            need_number("SLURM_ARRAY_TASK_MIN", &first, err) < 0 ||
            need_number("SLURM_ARRAY_TASK_MAX", &last, err) < 0 ||
            need_number("SLURM_ARRAY_TASK_STEP", &step, err) < 0)
            return -1;
        if (step == 0 || last < first || (uint64_t)(last - first) / step + 1 != count)
            return error_set(err,
                             "%" PRIu32 " task ids from %" PRIu32 " to %" PRIu32 " in steps of %" PRIu32
                             " are not a range: use --array=FIRST-LAST or --array=FIRST-LAST:STEP",
                             count, first, last, step);
        if (id < first || id > last || (id - first) % step != 0)
            return error_set(err,
                             SLURM_ID " is %" PRIu32 ", ids are %" PRIu32 " to %" PRIu32 " in steps of %" PRIu32,
                             id, first, last, step);
        return set_shard(out, (id - first) / step + 1, count, SLURM_ID, err);
    }
    return error_set(err, "neither " OUR_INDEX " nor " SLURM_ID " is set");
}

/* -- Pages ------------------------------------------------------------------------------------------------- */

uint32_t shard_of_page(uint32_t count, const char *list, const char *job, uint32_t page)
{
    SCOPED_BY(buffer_release) struct buffer id = {0};
    buffer_add(&id, list, strlen(list) + 1);
    buffer_add(&id, job, strlen(job) + 1);
    buffer_printf(&id, "%" PRIu32, page);
    return (uint32_t)(hash_number((struct bytes){(const uint8_t *)id.text, id.length}) % count) + 1;
}
