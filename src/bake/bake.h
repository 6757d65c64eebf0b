/* What one worker does: opens jobs, draws their pages and writes them.
 *
 *     bake_new; bake_start once (opens the rendering back end); then for any page of any job
 *     bake_open (keeps the job open while its pages follow each other) and bake_page.
 *
 * A bake holds at most one job open: its textures, its GL objects. Models stay open for the next jobs of the list. */
#pragma once

#include "asset/trace.h"
#include "base/buffer.h"
#include "base/error.h"
#include "job/job.h"
#include "render/context.h"
#include "render/identity.h"
#include "page/record.h"
#include "page/write.h"
#include "bake/board.h"
#include "plan/plan.h"
#include "bake/stopwatch.h"

/* A job of a list of the run. */
struct bake_job {
    const struct job_list *list;
    const struct job *job;
};

/* The measures of a list, by job, from bake_measure; empty for a job that nobody measured. */
struct measures {
    const struct job_list *list;
    struct buffer *jobs;
};

struct bake;

/* The writer says how pages are written (page/write.h), but for the folder. Its note holds the names of the temporary
 * files under way, one after the other, each with its '\0', and an empty name at the end: the supervisor removes these
 * files when this process dies. `stopwatch` may be NULL. */
struct bake *bake_new(const struct page_writer *writer, struct stopwatch *stopwatch);
void bake_free(struct bake *bake);

/* The models that stay open, for one who looks at a model before its job is made. */
struct model_cache *bake_models(struct bake *bake);

/* At most once: later calls do nothing. `known` has the probe and the build of assimp that records name
 * (render/identity.h). NULL: the probe is drawn here. */
int bake_start(struct bake *bake, enum backend_choice backend, const struct identity *known, struct error *err);

/* Opens the job unless it is open. The plan is borrowed until the next bake_open. Without bake_start it can
 * be looked at, with its pictures, but not drawn. */
int bake_open(struct bake *bake, const struct bake_job *job, const struct plan **plan, struct error *err);

/* Of the open job. */
struct assets *bake_assets(const struct bake *bake);
const struct views *bake_views(const struct bake *bake);

/* How many pages the job has: opens its models, draws nothing and loads no pictures. Closes the open job. */
int bake_survey(struct bake *bake, const struct bake_job *job, uint32_t *page_count, struct error *err);

/* What the records of the job would say, but for the renderer: opens its models, reads its pictures, draws nothing, and
 * needs no bake_start. Closes the open job. Borrowed until the next call of any of these. */
int bake_record(struct bake *bake, const struct bake_job *job, const struct record **out, struct error *err);

/* Jobs that are opened from now on are framed together with `other`, by the measures of both; {NULL}: by themselves. */
void bake_pair(struct bake *bake, const struct bake_job *other);

/* Facts of the open job's model, and its clips (describe_model). The caller releases *out, also after a failure. */
int bake_describe(const struct bake *bake, struct record *out, struct error *err);

/* A number for how the open job is framed (views_hash). */
uint32_t bake_framing(const struct bake *bake);

/* Adds the measure of a job to `out` (group_measure): opens its models, draws nothing, and needs no bake_start. Closes
 * the open job. */
int bake_measure(struct bake *bake, const struct bake_job *job, struct buffer *out, struct error *err);
/* Groups and pairs are framed by these from now on; `count` lists, borrowed. */
void bake_take_measures(struct bake *bake, const struct measures *lists, size_t count);

/* Draws a page of the open job and writes its files under the list's output folder. A packed or trimmed sheet is
 * one page of the plan: all its pages are made. */
int bake_page(struct bake *bake, uint32_t page, struct error *err);

struct baked {
    struct trace trace;         /* what the open job was made of, or what was asked for one that failed to open */
    struct strings other_pages; /* the pictures of those that the latest bake_page made as well */
    struct strings findings;    /* of rules, about the latest pages (page/finding.h) */
    struct strings late_warnings; /* that only drawing the latest page gave; the plan has the others */
};
const struct baked *bake_result(const struct bake *bake);

/* The first preview of the open job in memory. */
int bake_preview(struct bake *bake, struct blob *file, struct error *err);

/* board_draw (bake/board.h) of the open job. */
int bake_board(struct bake *bake, const char *order, const uint32_t *sizes_px, size_t count, struct blob *files,
               struct error *err);

/* Forgets the open job and its list, for lists that do not stay. */
void bake_close(struct bake *bake);
