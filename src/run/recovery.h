/* What happens to a page whose worker died.
 *
 * It is tried once more, alone, when all else is done: the other workers may have caused a shortage of memory or time
 * that killed its worker. If the worker dies again, the model is skipped: the rest of its pages fail without being
 * tried. When workers have died twice with one model, its other pages wait for the retry.
 *
 * When the workers of many models in a row die and no page is made in between, the models are hardly the cause, and
 * the run is given up. Otherwise each of thousands of pages could cost a time limit.
 *
 * Pure data: no processes, no clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bake/bake.h"
#include "report/report.h"
#include "run/schedule.h"

enum { GIVE_UP_DEFAULT = 20 };

struct recovery;

/* A page that waits for its retry; or the first of those of a job that wait for the retry of another page of the model,
 * whose others the schedule holds. */
struct waiting_page {
    struct schedule_item item;
    struct page_result result; /* of its first try, if attempts is 1; owns its name and reason */
};

void waiting_page_release(struct waiting_page *page);

/* What a page waits for; the values are bits. */
enum wait {
    WAITS_FOR_WORKER = 1, /* nothing is against trying it */
    WAITS_FOR_MODEL = 2,  /* the retry of another page decides */
    WAITS_FOR_RETRY = 4,
    WAITS_NO_MORE = 8, /* its model is skipped */
    WAITS_FOR_ANY = 15,
};

/* Borrows the schedule, from which the pages come, and the jobs. `give_up` models in a row are too many; 0: never. */
struct recovery *recovery_new(struct schedule *schedule, const struct bake_job *jobs, size_t job_count,
                              unsigned give_up);
void recovery_free(struct recovery *recovery);

/* The next page for a worker: one that waits no longer, or one of the schedule. False when there is none for now,
 * or when the run has to be given up. */
bool recovery_next(struct recovery *recovery, unsigned worker, struct schedule_item *out);

/* The page waits for the retry of its model, and with it all pages of its job that are left. */
void recovery_hold(struct recovery *recovery, struct schedule_item item);

/* A page was made. Or its worker died while others were at work, and it waits for its retry; copies the texts of
 * `result`. */
void recovery_add_made(struct recovery *recovery);
void recovery_add_retry(struct recovery *recovery, struct schedule_item item, const struct page_result *result);

/* A page with one of these waits: to try it alone, or because the run does not try it any more. False: there is none. */
bool recovery_take(struct recovery *recovery, unsigned waits, struct waiting_page *out);

/* How a page that was tried alone has ended. */
void recovery_settle(struct recovery *recovery, struct schedule_item item, bool died);

/* Whether a page waits for its retry. */
bool recovery_has_retry(const struct recovery *recovery);

/* NULL, or the latest page that died when the run has to be given up. */
const struct waiting_page *recovery_gives_up(const struct recovery *recovery);
