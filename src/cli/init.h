/* The facts that `init` finds about files before it writes a list of them (init_look.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/strings.h"
#include "os/sandbox.h"

/* The kinds of files of one model, of which init takes the first. INIT_ASKED is a file that is named itself, or listed. */
enum init_rank { INIT_ASKED, INIT_GLTF, INIT_FBX, INIT_DAE, INIT_OTHER, INIT_STILL, INIT_LAST, INIT_RANKS };

/* All that it points to lives in the arena, but for lists of strings. */
struct init_file {
    const char *path;  /* in the assets */
    const char *name;  /* without suffix and folders of formats: files of one name are of one model */
    const char *place; /* the real path, once there is a list to compare with */
    bool is_model;     /* it can have a job: it is meant, readable, and more than clips */
    bool
        is_clips; /* it has clips for others: it is without a mesh, or in a folder for clips and plays on a model */
    const char *only_clip; /* what its clip is called, by the name of the file, or NULL */
    enum init_rank rank;
    bool is_seen, has_job, has_joints, is_in_clip_folder, is_played;
    const struct init_file *instead; /* the file of the same model that is taken, or NULL */
    const char *misfit;              /* why the first model that was tried does not play it; or NULL */
    struct strings listed; /* patterns of its clips that the earlier list names; none: it lacks the file */
    struct strings clips, skins;
    struct init_file **clip_files; /* those with clips that its joints can play */
    size_t clip_file_count;
    const char *picture; /* its name is the model's, which has no picture of its own; or NULL */
    const char *like;    /* without such a picture: one whose name begins so, or "" */
    const char *hand;    /* the joint or tag on which a weapon may hang, or NULL */
};

struct init_files {
    struct arena arena;
    struct strings left_out;                        /* "REASON\nNAME" */
    struct strings job_names, job_files, job_texts; /* of the new jobs; names also of those that are listed */
    struct strings roots;                           /* of the assets */
    struct strings named, searched; /* patterns of the models that are meant, and of all that is looked at */
    struct init_file *items;
    size_t count;
    struct sandbox_rules rules;
    double timeout_s;
};

/* Notes what is not in the list, to be told at the end. */
void init_leave_out(struct init_files *files, const char *name, const char *reason);

/* Reads each file in a confined process of its own, but not clips that only a model can read, nor models that another file
 * has. Leaves out a file that cannot be read. */
void init_look_at_all(struct init_files *files);
