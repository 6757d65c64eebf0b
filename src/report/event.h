/* Events: all that commands tell of sheets, pages and runs, in one form for people, CI systems and files. */
#pragma once

#include <time.h>

#include "plan/stopwatch.h"
#include "job/rules.h"
#include "job/shard.h"

#define BY_STRICT " (--strict)" /* ends the text of a failure that is a warning without --strict */
enum event_level { EVENT_ERROR, EVENT_WARNING, EVENT_NOTICE };

struct event {
    enum event_level level;
    const char *rule;              /* "triangles"; else "failed", "warning" or the state of a sheet in a review */
    const struct mark *place;      /* in a list; NULL: not known. A column of 0 is none */
    const char *sheet;             /* "units/orc"; NULL: it is of none */
    const char *name;              /* what people look for: a picture, a job, a sheet; NULL: none */
    const char *text;              /* for people, with the cell and the rule */
    const struct finding *finding; /* of a rule (page/finding.h), or NULL */
};

/* Fills a finding into an event that has its sheet and name. `rules` may be NULL. */
static inline void event_take_finding(struct event *event, const struct finding *finding,
                                      const struct rules *rules)
{
    event->level = finding->is_failure ? EVENT_ERROR : EVENT_WARNING;
    event->rule = finding->rule;
    event->place = rules_mark(rules, finding);
    event->text = finding->told;
    event->finding = finding;
}

enum page_status {
    PAGE_MADE,
    PAGE_UP_TO_DATE,
    PAGE_FAILED,
    PAGE_CANCELLED, /* the run ended first */
    PAGE_STATUS_COUNT
};

/* The end of a page. Unknown values are zero or NULL. */
struct page_result {
    const struct job_list *list;
    const struct job *job;
    const struct mark *place; /* in the list, of what failed it; NULL: the job's */
    uint32_t page;            /* of the job; all pages of a packed or trimmed sheet have that of its first */
    uint64_t order;           /* its position in the run, by which failures are sorted */
    const char *name;         /* of its picture, below the list's output folder */
    const char *made_with; /* the picture of the page that this one was made with, and whose time this one has */
    enum page_status status;
    const char *reason; /* why it failed, was cancelled, or had to be made */
    bool is_own;        /* it failed for what its files hold or lack, and not because a file could not be read, the
                             page could not be written, or the worker died */
    double seconds;     /* of the last attempt */
    struct stopwatch stopwatch; /* of the last attempt, ended (stopwatch_end) */
    uint32_t framing;           /* a number for how its job is framed; 0: unknown */
    bool had_worker;
    unsigned worker; /* its number in the pool */
    unsigned attempts;
    int signal;                        /* that killed the worker */
    uint64_t peak_kib;                 /* the most memory that the worker has held so far, in KiB */
    const struct record_pairs *inputs; /* every file that was read for it, with its hash */
    const struct strings *warnings;    /* those of the job come with its page 0 */
    const struct strings *findings; /* of its rules (page/finding.h); one that is a failure has failed the page */
    struct timespec ended;          /* filled in by report_page, as is: */
    size_t failing; /* with 1 the first page_event: that which failed it though it was made; 0: none did */
};

/* The end of a run. */
struct run_result {
    struct timespec started, ended;
    double seconds;
    struct job_list *const *lists;
    size_t list_count;
    unsigned worker_count;
    const char *only; /* the pattern of the jobs that were asked for, or NULL */
    struct shard shard;
    size_t counts[PAGE_STATUS_COUNT], not_begun, warning_count;
    char *reason; /* why it ended early, or NULL */
    int exit_code;
    struct strings problems; /* of the lists: if there are any, nothing was run */
};
