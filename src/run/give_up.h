/* Whether a run is to be given up, for nothing comes of it: the workers of many different models in a row have
 * died, and no page was made in between. The cause is hardly the models then, but what they have in common: the
 * driver, the machine, a limit that is too low. Without an end, each of thousands of pages would cost two time
 * limits.
 *
 * Pages that fail and leave their workers alive count neither way, for they may not have come to what kills
 * others. Nor does who is killed from outside. Pure data: no processes, no clock. */
#ifndef RUN_GIVE_UP_H
#define RUN_GIVE_UP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GIVE_UP_DEFAULT = 20 };

struct give_up;

/* models[i] is the number of job i's model, below job_count. `limit` of them in a row are too many; 0: never. */
struct give_up *give_up_new(const uint32_t *models, size_t job_count, unsigned limit);
void give_up_free(struct give_up *give_up);

void give_up_died(struct give_up *give_up, uint32_t job); /* a worker that had a page of this job */
void give_up_made(struct give_up *give_up);               /* a page */

/* There are too many. */
bool give_up_is_due(const struct give_up *give_up);

/* There are some: models that are alike often follow each other, so the next ones are to be taken from elsewhere.
 */
bool give_up_doubts(const struct give_up *give_up);

#endif
