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
#ifndef RUN_RECOVERY_H
#define RUN_RECOVERY_H

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

/* Borrows the jobs. `give_up` models in a row are too many; 0: never. */
struct recovery *recovery_new(const struct bake_job *jobs, size_t job_count, unsigned give_up);
void recovery_free(struct recovery *recovery);

/* The next page for a worker: one that waits no longer, or one of the schedule. False when there is none for now,
 * or when the run has to be given up. */
bool recovery_next(struct recovery *recovery, struct schedule *schedule, unsigned worker,
                   struct schedule_item *out);

/* The page waits for the retry of its model, and with it all pages of its job that are left. */
void recovery_hold(struct recovery *recovery, struct schedule *schedule, struct schedule_item item);

/* A page was made. Or its worker died while others were at work, and it waits for its retry; copies the texts of
 * `result`. */
void recovery_add_made(struct recovery *recovery);
void recovery_add_retry(struct recovery *recovery, struct schedule_item item, const struct page_result *result);

/* A page to try alone, and how that ended. */
bool recovery_take_retry(struct recovery *recovery, struct waiting_page *out);
void recovery_settle(struct recovery *recovery, struct schedule_item item, bool died);

/* A page that is not tried any more: of a skipped model; any page, when the run ends early. */
bool recovery_take_skipped(struct recovery *recovery, struct waiting_page *out);
bool recovery_take_any(struct recovery *recovery, struct waiting_page *out);

/* Whether a page waits for recovery_take_retry. */
bool recovery_has_retry(const struct recovery *recovery);

/* NULL, or the latest page that died when the run has to be given up. */
const struct waiting_page *recovery_gives_up(const struct recovery *recovery);

#endif
