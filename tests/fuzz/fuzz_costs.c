/* Any bytes as the log of earlier runs, and then once more: the means stay, the pages are there. */
#include <stdlib.h>

#include "run/costs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct costs *costs = costs_new();
    struct strings warnings = {0};
    size_t once, twice;
    costs_load(costs, (struct bytes){data, size}, "log", &warnings);
    const struct cost *cost = costs_of_job(costs, "demo", "orc", &once);
    uint64_t mean_us = once ? cost_us(&cost[0]) : 0;
    costs_load(costs, (struct bytes){data, size}, "log", &warnings);
    cost = costs_of_job(costs, "demo", "orc", &twice);
    if (once != twice ||
        (once && (cost_us(&cost[0]) != mean_us || cost_of_page(cost, once, cost[0].page) != cost)))
        abort();
    strings_release(&warnings);
    costs_free(costs);
    return 0;
}
