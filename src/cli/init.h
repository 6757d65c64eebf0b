/* What `init` finds out about files before it writes a list of them (init_look.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/strings.h"
#include "os/sandbox.h"

struct init_file {
    const char *path; /* in the assets; borrowed */
    bool
        is_model; /* a job can be of it: it can be read, has more than clips, and is not only beside what is named */
    bool is_clips;       /* it has clips for others: it is without a mesh, or in a folder for clips */
    bool is_passed_over; /* another file is the same model: it is not read */
    bool has_joints;
    struct strings clips, skins;
    struct strings clip_files; /* those with clips that its joints can play */
    char *hand;                /* the joint or tag on which a weapon may hang, or NULL */
};

struct init_files {
    struct arena arena;   /* for texts */
    struct strings roots; /* of the assets */
    struct init_file *items;
    size_t count;
    struct sandbox_rules rules;
    double timeout_s;
};

/* Whether a folder of this name is for clips: "anims". */
bool init_is_clip_folder(const char *name);

/* Reads each file in a confined process of its own. `is_model` is set for those that may be one, and `is_clips` for those
 * that only a model can read. A file that cannot be read gives a message. */
void init_look_at_all(const struct init_files *files);
