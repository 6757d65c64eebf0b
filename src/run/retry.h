/* Second chances for pages whose worker died, and models that get no more of them.
 *
 * A page whose worker died while other workers were at work is tried once more, alone: what killed it may have been a
 * shortage of memory or time that the others had caused. Two such deaths put a model under suspicion: its other pages are
 * held back, and the first of the dead is tried alone. When that goes well, the death is forgiven, and the pages held back
 * are free to go; when the worker dies again, the model is quarantined: nothing of it is tried any more.
 *
 *     page of a trusted model ── tried with others ──▶ done or failed
 *                                  └ died ──▶ tried alone ──▶ done or failed (forgiven), or died (model quarantined)
 *     page of a suspect ── held back ──▶ tried with others, once the model is trusted again; given up with its quarantine
 *
 * Pure data: no processes, no clock. */
#ifndef RUN_RETRY_H
#define RUN_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/schedule.h"
#include "bake/stages.h"

struct retry;

/* A page that waits for its second try, or for its model to be cleared. */
struct retry_page {
    struct schedule_item item;
    char *name;            /* of the sheet; NULL where nobody has come to know it */
    char *death;           /* how its first worker died; NULL where nobody has begun it */
    unsigned attempts;     /* 0 or 1; of that one: */
    unsigned worker;       /* its place in the pool */
    int signal;            /* that killed the worker, or 0 */
    double seconds;
    struct stages stages;  /* ended */
    uint64_t peak_kib;
};

void retry_page_release(struct retry_page *page);

/* models[i] is the number of job i's model: the same for jobs that show the same one, below job_count. */
struct retry *retry_new(const uint32_t *models, size_t job_count);
void retry_free(struct retry *retry);

/* Whether this page, not tried yet, may be tried along with others; when not, it is held back. */
bool retry_admit(struct retry *retry, struct schedule_item item);

/* Its worker died among others. The texts are copied. */
void retry_add_death(struct retry *retry, const struct retry_page *page);

/* Each gives away the next page of its kind (the caller's to release), or false when there is none now: one that was held
 * back and may be tried along with others; one to be tried alone; one that is given up with its model. */
bool retry_take_freed(struct retry *retry, struct schedule_item *out);
bool retry_take_dead(struct retry *retry, struct retry_page *out);
bool retry_take_lost(struct retry *retry, struct retry_page *out);

/* The run ends early: any page whose worker died, and any that is held back. */
bool retry_take_any_dead(struct retry *retry, struct retry_page *out);
bool retry_take_held(struct retry *retry, struct schedule_item *out);

/* How the page from retry_take_dead fared when it was tried alone. */
void retry_settle(struct retry *retry, struct schedule_item item, bool died);

/* A page waits for retry_take_dead. */
bool retry_has_dead(const struct retry *retry);

/* How many workers this job's model has killed in this run. */
unsigned retry_deaths(const struct retry *retry, uint32_t job);

#endif
