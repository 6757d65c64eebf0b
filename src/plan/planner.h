/* Opens jobs: each with its plan, views and looks, and with all that was asked of the assets.
 *
 * A planner holds at most one job open. What it opened of the job's list stays open for the next jobs: assets, models,
 * pictures, and the framing of groups. */
#pragma once

#include "asset/assets.h"
#include "asset/trace.h"
#include "base/buffer.h"
#include "job/job.h"
#include "page/record.h"
#include "plan/looks.h"
#include "plan/plan.h"
#include "plan/scene.h"
#include "plan/stopwatch.h"

/* A job of a list of the run. */
struct bake_job {
    const struct job_list *list;
    const struct job *job;
};

/* The measures of a list, by job, from planner_measure; empty for a job that nobody measured. */
struct measures {
    const struct job_list *list;
    struct buffer *jobs;
};

enum { PALETTE_CELLS = 256 }; /* that a palette is found in */

/* Who draws the jobs (bake/bake). Zeroed: nobody. */
struct drawer {
    struct texture_store textures;
    void *context; /* of the functions */
    /* Counts the colours of a job that a group has, of so many cells or a few more. */
    int (*count_colors)(void *context, const struct plan *plan, const struct views *views, size_t cells,
                        struct color_counts *counts, struct error *err);
    void (*close)(void *context); /* the open job is about to be closed */
};

struct planner {
    struct model_cache *models; /* that stay open, also for one who looks at a model before its job is made */

    /* Given before the first job. */
    const struct measures *measures; /* by which groups and pairs are framed */
    size_t measured_count;           /* lists */
    const struct strings *kept;      /* pages that atlases are made of (plan_atlas) */
    struct stopwatch *stopwatch;     /* or NULL */
    struct drawer drawer;

    size_t turn; /* of the job that is opened next: given before it, or 0 where nobody knows */

    /* Of the list that is open; NULL: none. */
    const struct job_list *list;
    struct assets *assets;
    struct textures *textures;
    struct trace pictures; /* that were read for records alone */

    /* Of the open job. */
    struct plan *plan; /* NULL: none is open */
    struct views views;
    const struct group *group; /* whose framing or palette it has, or NULL */
    struct group pair;         /* of the job and another one */
    struct record record;      /* of planner_record */

    struct trace trace; /* what the latest job was made of, or what was asked for one that failed to open */

    struct group *groups; /* framed so far: jobs of several groups, and lists, may alternate */
    size_t group_count, group_capacity;
};

/* Borrows the measures of `count` lists. */
struct planner *planner_new(const struct measures *lists, size_t count);
void planner_free(struct planner *planner);

/* The job will be opened in this turn, here or by another planner. Its models stay open until then. */
void planner_expect(struct planner *planner, const struct job *job, size_t turn);

/* Opens the job unless it is open, and closes the one before. With `other`, a job unless that is NULL, it is framed as if
 * both were one, by the measures of both. */
int planner_open(struct planner *planner, const struct bake_job *job, const struct bake_job *other,
                 struct error *err);

/* Those below close the open job, and leave none. They open models, draw nothing, and do not need a drawer. */

/* How many pages the job has; loads no pictures. */
int planner_survey(struct planner *planner, const struct bake_job *job, uint32_t *page_count, struct error *err);

/* The look-ups that the records of the job would have; reads its pictures, but for those that are shared with `others`
 * (assets_share), if not NULL. Borrowed until the next call. */
int planner_record(struct planner *planner, const struct bake_job *job, struct assets *others,
                   const struct record **out, struct error *err);

/* Adds the measure of a job to `out` (group_measure). */
int planner_measure(struct planner *planner, const struct bake_job *job, struct buffer *out, struct error *err);

/* -- Facts (facts.c) ---------------------------------------------------------------------------------------- */

/* Adds what people and rules want to know of the open job's own model, so that a folder alone tells it, and its clips.
 * Sorted by name; the texts live in the record's arena. */
void planner_describe(const struct planner *planner, struct record *out);

/* "3 models/a.png", or "3" where nothing shows it. */
const char *facts_number(struct arena *arena, double number, const char *shown_by);

/* -- Closing ------------------------------------------------------------------------------------------------ */

/* Closes the open job. */
void planner_close_job(struct planner *planner);

/* Closes the open job and its list, for lists that do not stay. */
void planner_close(struct planner *planner);
