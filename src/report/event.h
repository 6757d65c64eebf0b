/* What a command tells of a sheet: the one form that people, CI systems and reports get it in. */
#pragma once

#include "job/rules.h"

enum event_level { EVENT_ERROR, EVENT_WARNING, EVENT_NOTICE };

struct event {
    enum event_level level;
    const char *rule;              /* "triangles"; else "failed", "warning" or the state of a sheet in a review */
    const struct mark *place;      /* in a list; NULL: not known. A column of 0 is none */
    const char *sheet;             /* "units/orc"; NULL: it is of none */
    const char *name;              /* of what people look for: a picture, a job, a sheet; NULL: none */
    const char *text;              /* for people, with the cell and the rule */
    const struct finding *finding; /* of a rule (page/finding.h), or NULL */
};

/* Makes an event that has its sheet and name one of a finding. `rules` may be NULL. */
static inline void event_take_finding(struct event *event, const struct finding *finding, const struct rules *rules)
{
    event->level = finding->is_failure ? EVENT_ERROR : EVENT_WARNING;
    event->rule = finding->rule;
    event->place = rules_mark(rules, finding);
    event->text = finding->told;
    event->finding = finding;
}
