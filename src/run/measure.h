/* What jobs show that are framed together, found out before they are made or checked: each is opened and looked at
 * once, by the workers of a pool of its own. Those that are started afterwards inherit it. */
#pragma once

#include "base/buffer.h"
#include "run/pool.h"
#include "run/wanted.h"

/* By list of `wanted`. The caller ends it with packing_free. */
struct packed_list *packing_new(const struct wanted *wanted);
void packing_free(struct packed_list *lists, size_t count);

struct packing_rules {
    /* Pack the jobs of groups that have any of these; NULL: any that is wanted. */
    const struct selection *selection;
    bool pairs; /* pack every wanted job instead */
    /* A job with which a worker dies counts as one that cannot be opened; else it ends the packing. */
    bool leaves_out;
};

/* Of `settings` it takes the workers, which give each item to packing_work. */
void packing_run(const struct wanted *wanted, const struct packing_rules *rules,
                 const struct pool_settings *settings, struct packed_list *lists);

/* What fails is left to those who draw or check: they open the job themselves, and say why. */
void packing_work(struct bake *bake, const struct wanted *wanted, struct worker *worker, uint64_t item);
