/* The settings of a job, level upon level: the built-in config, a config of the user's, the list's `defaults`, and
 * the job itself. Each level is read onto a copy of the one below. */
#ifndef JOB_SETTINGS_H
#define JOB_SETTINGS_H

#include "job/job.h"
#include "job/job_attach.h"
#include "job/job_camera.h"
#include "job/job_light.h"
#include "job/job_sampling.h"
#include "job/job_skin.h"
#include "job/job_style.h"
#include "job/reader.h"

/* What settings can name. */
struct presets {
    struct camera_set cameras;
    struct light_set lights;
};

struct settings {
    struct job job; /* but name and model, and what follows; paths are as written */
    struct light_settings light;
    struct ground_settings ground;
    struct skin_settings skin;
    const struct animation_entry *animations;
    size_t animation_count;
    const struct attachment_entry *attachments;
    size_t attachment_count;
};

/* Reads the keys that the mapping has, of which `name` and `model` are known only `of_job` and left to others. */
void settings_read(const struct reader *reader, const struct presets *presets, const struct node *map, bool of_job,
                   struct settings *settings);

/* What only shows when all levels are in: whether a cell and the columns fit a page. Problems are put at the job.
 */
void settings_check(const struct reader *reader, const struct settings *settings);

#endif
