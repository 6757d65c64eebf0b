/* How long pages took in earlier runs, from the logs of those (--log).
 *
 * All numbers are whole microseconds, so that every machine computes the same from the same logs, in whatever order it
 * is given them. */
#ifndef RUN_COSTS_H
#define RUN_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/strings.h"

/* A page that was made at least once. */
struct cost {
    const char *list, *job;
    uint32_t page; /* of the plan: a packed or trimmed sheet is one */
    uint32_t runs;
    uint64_t total_us; /* of all runs, at least 1 */
};

struct costs;

struct costs *costs_new(void);
void costs_free(struct costs *costs);

/* Adds the pages that a log says were made. Lines that are none of a log are skipped, each with a warning; `name` stands
 * for the log in these. */
void costs_load(struct costs *costs, struct bytes log, const char *name, struct strings *warnings);
int costs_read(struct costs *costs, const char *path, struct strings *warnings, struct error *err);

/* The pages of a job, ascending, and how many those are. Borrowed until more is added. */
const struct cost *costs_of_job(const struct costs *costs, const char *list, const char *job, size_t *count);

/* The one of these pages of a job with that number, or NULL. */
const struct cost *cost_of_page(const struct cost *costs, size_t count, uint32_t page);

/* The mean over its runs, at least 1. */
uint64_t cost_us(const struct cost *cost);

#endif
