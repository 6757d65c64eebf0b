#include "run/death.h"

#include <string.h>

#include "base/memory.h"
#include "run/page_note.h"

bool outcome_is_death(const struct outcome *outcome)
{
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
    case OUTCOME_EXITED:
    case OUTCOME_TIMED_OUT:
        return true;
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return false;
}

char *death_describe(const struct outcome *outcome, const char *model)
{
    const struct page_note *note = (const struct page_note *)outcome->note;
    const char *name = stage_name(note->figures.stages.current);
    char stage[32] = "";
    if (name)
        snprintf(stage, sizeof stage, " in stage %s", name);
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
        return must_printf("the worker was killed by signal %d (%s)%s while it had %s", outcome->number,
                           strsignal(outcome->number), stage, model);
    case OUTCOME_EXITED:
        return must_printf("the worker left with status %d%s while it had %s", outcome->number, stage, model);
    case OUTCOME_TIMED_OUT:
        return must_printf("not done after %.1f s%s with %s: the worker was killed (--timeout)", outcome->seconds,
                           stage, model);
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return must_strdup("the worker is well");
}

char *death_describe_both(const char *first, const char *second)
{
    if (!strcmp(first, second))
        return must_printf("%s, and again when it was tried alone", first);
    return must_printf("%s; tried again alone: %s", first, second);
}

char *death_describe_lost(const char *first, const char *model, unsigned deaths)
{
    return must_printf("%s%s: %s is quarantined for this run, for it has killed %u workers", first ? first : "",
                       first ? "; not tried again" : "not tried", model, deaths);
}
