#include "run/death.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "run/page_note.h"

bool outcome_is_death(const struct outcome *outcome)
{
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
    case OUTCOME_EXITED:
    case OUTCOME_TIMED_OUT:
    case OUTCOME_TOO_LARGE:
    case OUTCOME_BABBLED:
        return true;
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return false;
}

/* "512 MiB", "1.5 GiB" */
static const char *print_size(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes / 1024;
    size_t unit = 0;
    for (; size >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        size /= 1024;
    snprintf(text, 32, "%.4g %s", size, units[unit]);
    return text;
}

/* The worker could not get memory that it asked for: because of its limit, where that would not have held so much. */
static char *describe_refusal(const struct outcome *outcome, uint64_t bytes, const char *stage, const char *model)
{
    char asked[32], limit[32];
    if (bytes == 0)
        return must_printf("out of memory%s with %s", stage, model);
    print_size(bytes, asked);
    if (outcome->memory_limit == 0 || bytes <= outcome->memory_limit)
        return must_printf("out of memory%s with %s: the worker could not get another %s", stage, model, asked);
    return must_printf("exceeded its memory limit of %s%s with %s: the worker asked for another %s (--memory)",
                       print_size(outcome->memory_limit, limit), stage, model, asked);
}

char *death_describe(const struct outcome *outcome, const char *model, const char *said)
{
    const struct page_note *note = (const struct page_note *)outcome->note;
    const char *name = stage_name(note->figures.stages.current);
    char stage[32] = "";
    if (name)
        snprintf(stage, sizeof stage, " in stage %s", name);
    char limit[32];
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
        return must_printf("the worker was killed by signal %d (%s)%s while it had %s", outcome->number,
                           strsignal(outcome->number), stage, model);
    case OUTCOME_EXITED:
        if (outcome->number == STATUS_OUT_OF_MEMORY)
            return describe_refusal(outcome, note->figures.missing_bytes, stage, model);
        return must_printf("the worker left with status %d%s while it had %s", outcome->number, stage, model);
    case OUTCOME_TIMED_OUT:
        return must_printf("not done after %.*f s (at most %g s)%s with %s: the worker was killed (--timeout)",
                           outcome->timeout_s < 1 ? 3 : 1, outcome->seconds, outcome->timeout_s, stage, model);
    case OUTCOME_TOO_LARGE:
        return must_printf("exceeded its memory limit of %s%s with %s: the worker was killed (--memory)",
                           print_size(outcome->memory_limit, limit), stage, model);
    case OUTCOME_BABBLED:
        return must_printf("%s%s while it had %s: it was killed",
                           said ? said : "the worker sent what no worker sends", stage, model);
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return must_strdup("the worker is well");
}
