/* `skin` and `skins` of a job, as written: nothing is looked for in the assets yet. */
#ifndef JOB_JOB_SKIN_H
#define JOB_JOB_SKIN_H

#include "job/job.h"
#include "job/reader.h"

/* The fields of struct job, of which `path` of an override may still be the name of a material or of a skin. */
struct skin_settings {
    struct mark mark;
    enum skin_choice choice;
    uint32_t index;
    const char *file, *name;
    const struct skin_override *skins;
    size_t skin_count;
};

/* Reads both keys of a job, which replace each other. */
void skin_settings_read(const struct reader *reader, const struct node *map, struct skin_settings *out);

/* Images alone: a path, or a mapping of names to paths. */
void skin_images_read(const struct reader *reader, const struct node *node, const struct skin_override **out,
                      size_t *count);

#endif
