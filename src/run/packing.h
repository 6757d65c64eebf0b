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
    const struct selection
        *selection; /* pack the jobs of groups that have any of these; NULL: any that is wanted */
    bool pairs;     /* pack every wanted job instead */
    bool
        leaves_out; /* a job with which a worker dies counts as one that cannot be opened; else it ends the packing */
};

/* Of `settings` it takes the workers, which do with an item: packing_job, bake_pack or group_pack_job, worker_send_all. */
void packing_run(const struct wanted *wanted, const struct packing_rules *rules,
                 const struct pool_settings *settings, struct packed_list *lists);

struct bake_job packing_job(const struct wanted *wanted, uint64_t item);
