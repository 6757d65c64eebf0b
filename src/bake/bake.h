/* Makes the pages of jobs: bake_new, then bake_open and bake_page for any page of any job, then bake_free. A job stays open
 * while its pages follow each other. */
#pragma once

#include "bake/pages.h"
#include "page/write.h"
#include "plan/planner.h"
#include "render/context.h"
#include "render/identity.h"

struct bake {
    struct planner *planner;
    struct page_writer writer;
    struct sharer sharer; /* of all jobs, once it is set */
    struct context *context;
    struct renderer *renderer;
    struct expected *expected; /* what the record of a job says */
    struct pages pages;        /* of the open job */
    struct arena arena;        /* of the latest page */

    /* Of the latest page. */
    struct strings other_pages;   /* the pictures of those that were made as well */
    struct strings findings;      /* of rules (page/finding.h) */
    struct strings late_warnings; /* that only drawing gave; the plan has the others */
};

/* Opens the back end. `planner` is borrowed, has opened no job, and goes after the bake. The writer says how pages are
 * written (page/write.h), but for the folder. Its note holds the names of the temporary files under way, one after the other,
 * each with its '\0', and an empty name at the end: the supervisor removes these files when this process dies. `known` has the
 * probe and the build of assimp that records name (render/identity.h). NULL: the probe is drawn here. */
int bake_new(struct planner *planner, const struct page_writer *writer, enum backend_choice backend,
             const struct identity *known, struct bake **out, struct error *err);
void bake_free(struct bake *bake);

/* planner_open, ready to be drawn. Until the planner opens or closes another job, bake->pages can draw it, too. */
int bake_open(struct bake *bake, const struct bake_job *job, const struct bake_job *other, struct error *err);

/* Draws a page of the open job and writes its files under the list's output folder. A packed or trimmed sheet is
 * one page of the plan: all its pages are made. */
int bake_page(struct bake *bake, uint32_t page, struct error *err);

/* Opens a job, and draws cells of a page for the process that makes it (pages_help). */
void bake_help(struct bake *bake, const struct bake_job *job, const struct bake_job *other, uint32_t page,
               void *memory, uint64_t size, uint64_t part);
