/* `ground`, `outline` and `background` of a job. */
#ifndef JOB_JOB_STYLE_H
#define JOB_JOB_STYLE_H

#include "job/reader.h"
#include "render/style.h"

/* A ground as written: its colour depends on its kind, which a level above may still change. */
struct ground_settings {
    struct ground ground;
    bool has_color;
};

/* A word is the kind; a mapping changes what it gives, and leaves the rest. */
void ground_read(const struct reader *reader, const struct node *node, struct ground_settings *ground);
void ground_settings_finish(const struct ground_settings *ground, struct ground *out);

void outline_read(const struct reader *reader, const struct node *node, struct outline *outline);
void background_read(const struct reader *reader, const struct node *node, struct background *background);

#endif
