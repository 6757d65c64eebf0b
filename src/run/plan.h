/* A job with its model opened: exactly what will be drawn, and where each picture goes.
 *
 * The plan of a job needs no GL and no pixels, so `check` makes it too; it is the same in every worker. Its words:
 * a *take* is one animation of the job, a clip with its sample times; a *cell* is one sample of a take seen by one
 * camera; a *sheet* is a run of cells laid out on pages under one base name (`split` makes several).
 * Cells are ordered by take, then camera, then sample, so that each clip seen by a camera is contiguous. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "asset/assets.h"
#include "asset/material.h"
#include "job/job.h"
#include "model/model.h"
#include "run/model_file.h"
#include "sheet/layout.h"

struct take {
    const char *name;        /* unique in the job, safe in a path */
    int32_t animation;       /* of the model, or -1: the bind pose */
    const struct clip *clip; /* NULL for the bind pose */
    const struct sampling *sampling;
    bool loop;
    double *times_s;         /* malloc'd */
    size_t sample_count;
};

struct cell {
    uint32_t take, sample, camera;
};

struct sheet_plan {
    const char *base;      /* path below the output folder, without page number and suffix */
    struct cell *cells;    /* layout.cell_count of them */
    struct layout layout;
    uint32_t first_page;   /* in the numbering of the job's pages */
};

struct plan {
    struct arena arena;
    const struct job *job;
    struct model_file file;     /* with the warnings of the whole plan */
    const struct model *model;  /* file.model */
    struct material *materials; /* one per surface of the model */
    struct take *takes;
    size_t take_count;
    struct sheet_plan *sheets;
    size_t sheet_count;
    uint32_t page_count;        /* of all sheets */
};

int plan_open(struct assets *assets, const struct job *job, struct plan **out, struct error *err);
void plan_free(struct plan *plan);

/* The sheet that page `page` of the job belongs to, and its number within that sheet. */
const struct sheet_plan *plan_sheet_of_page(const struct plan *plan, uint32_t page, uint32_t *page_of_sheet);

/* "orcs/grunt-walk", with "-1", "-2", ... from the second page on; suffix such as ".png". Caller frees. */
char *plan_page_name(const struct sheet_plan *sheet, uint32_t page_of_sheet, const char *suffix);

/* The pose of a sample. */
struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation);

#endif
