/* What becomes of pages whose workers died.
 *
 * Such a page is tried once more, alone, when all else is done: a shortage of memory or time that the other
 * workers caused may have killed its worker. If the worker dies again, the model is skipped: those of its pages
 * that are left fail without being tried. From the second death of a model on its other pages wait for that.
 *
 * When the workers of many models in a row die and no page is made in between, the cause is hardly the models, and
 * the run is given up: without an end, each of thousands of pages would cost a time limit.
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

/* A page that waits: its worker died, or it has not been tried yet and its model waits. */
struct waiting_page {
    struct schedule_item item;
    struct page_result result; /* of its first try, if attempts is 1; owns name and reason, how the worker died */
};

void waiting_page_release(struct waiting_page *page);

/* Borrows the jobs. Jobs of one list that name one model file have the same model. `give_up` models in a row are
 * too many; 0: never. */
struct recovery *recovery_new(const struct bake_job *jobs, size_t job_count, unsigned give_up);
void recovery_free(struct recovery *recovery);

/* The next page to try among others: one whose model waits no more, or one of the schedule. False when there is
 * none for now, or when the run is to be given up. */
bool recovery_next(struct recovery *recovery, struct schedule *schedule, unsigned worker,
                   struct schedule_item *out);

/* The page waits until recovery_take_any or recovery_take_skipped, or until its model is good. */
void recovery_hold(struct recovery *recovery, struct schedule_item item);

/* A page was made. Or its worker died while other workers were at work; texts of `result` are copied. */
void recovery_add_made(struct recovery *recovery);
void recovery_add_death(struct recovery *recovery, struct schedule_item item, const struct page_result *result);

/* A page to try alone, and whether its worker died again. */
bool recovery_take_dead(struct recovery *recovery, struct waiting_page *out);
void recovery_settle(struct recovery *recovery, struct schedule_item item, bool died);

/* Each gives a page that is not tried any more: of a model that is skipped; any, when the run ends early. */
bool recovery_take_skipped(struct recovery *recovery, struct waiting_page *out);
bool recovery_take_any(struct recovery *recovery, struct waiting_page *out);

/* A page waits for recovery_take_dead. */
bool recovery_has_dead(const struct recovery *recovery);

/* NULL, or the latest of so many deaths that the run is to be given up. */
const struct waiting_page *recovery_gives_up(const struct recovery *recovery);

#endif
