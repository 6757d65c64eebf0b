/* What `init` finds out about files before it writes a list of them (init_look.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/strings.h"
#include "os/sandbox.h"

struct init_texts {
    const char **items;
    size_t count;
};

/* All that it points to lives in the arena. */
struct init_file {
    const char *path; /* in the assets */
    bool is_model;    /* a job can be of it: it was meant, can be read, and has more than clips */
    bool is_clips;    /* it has clips for others: it is without a mesh, or in a folder for clips */
    bool has_joints;
    bool is_listed; /* a list that is there names it */
    struct init_texts clips, skins;
    struct init_file **clip_files; /* those with clips that its joints can play */
    size_t clip_file_count;
    const char *hand; /* the joint or tag on which a weapon may hang, or NULL */
};

struct init_files {
    struct arena arena;
    struct strings roots; /* of the assets */
    struct init_file *items;
    size_t count;
    struct sandbox_rules rules;
    double timeout_s;
};

/* Reads each file in a confined process of its own, but for those that are clips already, which only a model can read. A
 * file that cannot be read gives a message. */
void init_look_at_all(struct init_files *files);
