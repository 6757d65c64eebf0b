/* Cameras of a job list: those with names, and the list that a job sees through. */
#ifndef JOB_JOB_CAMERA_H
#define JOB_JOB_CAMERA_H

#include "job/reader.h"
#include "model/camera.h"

enum {
    CAMERA_MOST_DIRECTIONS = 360,
    CAMERA_MOST_NAMED = 1000,
    CAMERA_MOST_OF_JOB = 1000, /* with directions expanded */
};

/* One name: a camera, or one for each of its directions. */
struct named_camera {
    const char *name;
    struct mark mark;
    bool is_preset;
    const struct camera *cameras;
    size_t count;
};

/* Lives in the reader's arena, but for the array. */
struct camera_set {
    struct named_camera *items;
    size_t count, capacity;
};

/* Adds the cameras of a `cameras` mapping. A name may be used again only where it is a preset. */
void camera_set_read(const struct reader *reader, struct camera_set *set, const struct node *map, bool is_preset);
void camera_set_release(struct camera_set *set);

#endif
