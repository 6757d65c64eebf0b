/* A job list as written: all files merged and every value checked, but nothing looked for in the assets yet.
 *
 * Where several files say the same thing, the list itself wins over what it includes, and an earlier included file
 * over a later one. */
#ifndef JOB_DRAFT_H
#define JOB_DRAFT_H

#include "job/settings.h"
#include "job/source.h"

enum { DRAFT_MOST_CONFIGS = 2 }; /* the built-in one and the user's */

struct draft_job {
    struct settings settings;
    const char *name, *model; /* as written, NULL where there is none */
    struct mark name_mark, model_mark;
};

struct draft_root {
    const char *path; /* of the real file system */
    struct mark mark;
};

struct draft {
    struct presets presets;
    const struct node *config_defaults[DRAFT_MOST_CONFIGS];
    size_t config_count;
    struct settings defaults;
    const char *output; /* NULL: not given */
    struct draft_root *roots;
    size_t root_count, root_capacity;
    struct draft_job *jobs;
    size_t job_count, job_capacity;
};

/* The presets and defaults of a config; the built-in one comes first. Its defaults are read by draft_read, when
 * all cameras and lights that they may name are known. */
void draft_add_config(const struct reader *reader, const struct source *config, struct draft *draft);

void draft_read(const struct reader *reader, const struct source *sources, size_t source_count,
                struct draft *draft);
void draft_add_root(struct draft *draft, const char *path, struct mark mark);

/* With the defaults as they are now. Borrowed until the next is added. */
struct draft_job *draft_add_job(struct draft *draft);
void draft_release(struct draft *draft);

#endif
