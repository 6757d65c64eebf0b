/* A job with its models opened: exactly what will be drawn, and where each picture goes.
 *
 * The plan of a job needs no GL and no pixels, so `check` makes it too; it is the same in every worker. Its words:
 * a *part* is one model of the picture, the job's own or one attached to it; a *take* is one animation of the job,
 * a clip with its sample times; a *cell* is one sample of a take seen by one camera, in one skin; a *sheet* is a
 * run of cells laid out on pages under one base name (`split` makes several). Cells are ordered by skin, then
 * take, then camera, then sample, so that each clip seen by a camera is contiguous. */
#pragma once

#include "material/model_decl.h"
#include "material/material.h"
#include "job/job.h"
#include "model/model.h"
#include "plan/model_file.h"
#include "page/read.h"
#include "page/template.h"
#include "sheet/cell_store.h"
#include "sheet/layout.h"

/* In the picture that a flipped cell stands for, each pixel has one so near that is alike to so many levels. */
enum { MIRROR_LEVELS = 32, MIRROR_PX = 1 };

/* Something on a part that moves with it. */
enum place_kind { PLACE_ORIGIN, PLACE_JOINT, PLACE_TAG };

struct place {
    uint32_t part; /* of plan.parts */
    enum place_kind kind;
    uint32_t index; /* of the part's joints or tags */
};

/* What the surfaces of a part look like in one skin. */
struct outfit {
    const char *name;   /* of the skin: unique in the job, safe in a path; NULL where there is only one */
    struct look *looks; /* one per surface of the part's model; those of the next outfit follow */
};

struct part {
    const struct attachment *attachment; /* NULL: the job's own model */
    const char *name;                    /* of the attachment, or the stem of the model's file */
    struct model_file file;
    const struct model *model; /* file.model */
    const struct clip *clip;   /* that an attachment plays; NULL: none */
    struct place at;           /* where it hangs: on a part before it */
    mat4 local;                /* and how: from its own space to that of the place */
    struct outfit *outfits; /* several only with `skins: all`, and only of the job's own model: the skins that the
                                  cells are drawn in */
    size_t outfit_count;
    const uint32_t *visible_points; /* those of model.used_points that some skin shows */
    uint32_t visible_point_count;
};

struct take {
    const char *name;        /* unique in the job, safe in a path */
    int32_t animation;       /* of the job's model, or -1: the bind pose */
    const struct clip *clip; /* NULL for the bind pose */
    const struct sampling *sampling;
    bool loop;
    bool is_in_place; /* the clip's way over the ground is taken out of the pictures */
    double *times_s;  /* malloc'd */
    size_t sample_count;
    struct clip_event *events; /* that samples show */
    size_t event_count;
};

/* Corners of triangles, to be enclosed; one of job.boxes. */
struct box {
    struct box_point {
        uint32_t part, point;
    } * points; /* malloc'd */
    size_t point_count, capacity;
};

struct cell {
    uint32_t skin, take, sample, camera;
};

/* A moving picture of some cells. */
struct preview_plan {
    const char *name; /* of its file, below the output folder */
    const struct cell *cells;
    size_t cell_count;
};

struct sheet_plan {
    const char *base;     /* its name (page/names.h), a path below the output folder */
    struct cell *cells;   /* layout.cell_count of them */
    struct strips strips; /* one for each clip, seen by a camera, in a skin */
    struct layout layout; /* of a packed or trimmed sheet known only when it is drawn: one page until then */
    const struct preview_plan *previews;
    size_t preview_count;
    uint32_t first_page;   /* in the numbering of the job's pages */
    struct joined *joined; /* of an atlas, in place of the cells; else NULL */
};

/* The sheets of the jobs of an atlas, as they were made. */
struct joined {
    struct page_set folder;
    struct made_sheet **sheets;
    size_t sheet_count;
    struct atlas_frame *frames; /* in their places once the pages are laid out */
    struct atlas atlas;         /* of these, with its clips */
};

struct plan {
    struct arena arena;
    const struct job *job;
    struct model_cache *models; /* that may have its models, or NULL */
    struct strings warnings;
    struct def_decl def; /* of `model: def:NAME` */
    struct part *parts;  /* the job's own model, then the attachments: each after the part that carries it */
    size_t part_count;
    const char **socket_names; /* as the job lists them */
    struct place *sockets;     /* on the job's own model */
    size_t socket_count;
    struct box *boxes; /* as the job lists them */
    size_t box_count;
    struct take *takes;
    size_t take_count;
    struct sheet_plan *sheets;
    size_t sheet_count;
    uint32_t page_count;                       /* of all sheets */
    struct template templates[TEMPLATES_MOST]; /* the job's */
    struct palette palette; /* of pixel art; one that is found is known once the studio is open */
};

/* Opens the job's models, finds clips, skins and materials, lays its sheets out and chooses what previews show. `models`
 * are kept for the next job; NULL: they are the plan's own. */
int plan_open(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
              struct error *err);
void plan_free(struct plan *plan);

/* Plans an atlas from the `kept` pages of its jobs (atlas.c), and notes these jobs as inputs. */
int plan_atlas(const struct job_list *list, const struct job *job, const struct strings *kept,
               struct assets *assets, struct plan **out, struct error *err);
void joined_free(struct joined *joined);
int joined_store(const struct joined *joined, const enum pass *passes, struct cell_store *store,
                 struct error *err);

/* Reads the job's templates, which framing and counting need not know. */
int plan_read_templates(struct plan *plan, struct assets *assets, struct error *err);

/* The joint or tag of a part exactly so called, or else but for case; fails with those there are. */
int plan_find_place(const struct plan *plan, uint32_t part, const char *name, struct place *out,
                    struct error *err);

/* The sheet that page `page` of the job belongs to, and its number within that sheet. */
const struct sheet_plan *plan_sheet_of_page(const struct plan *plan, uint32_t page, uint32_t *page_of_sheet);

/* "walk/front", or "red/walk/front" where there are several skins. Caller frees. */
char *plan_animation_name(const struct plan *plan, const struct cell *cell);

/* "orcs/grunt/walk/front/0003", without the scale of a job. */
const char *plan_cell_name(const struct plan *plan, const struct cell *cell, struct arena *arena);

/* Adds a warning where animations of the sheet do not fit one page. */
void plan_warn_torn(struct plan *plan, const struct sheet_plan *sheet);

/* The pose of the job's own model at a sample. */
struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation);

/* Returns the pose of a part at the same sample. One with `same_frame` has the moment of what carries it, in its own
 * keyframes. */
struct pose plan_pose(const struct plan *plan, uint32_t part, const struct take *take, size_t sample);

/* -- Frames that are files of their own (frame_names.c) ------------------------------------------------------- */

/* What ZDoom calls the directions of sprites that a camera is for, of at most 16: "1" for the front, "3" for the model's left,
 * "37" for that and for the right, which is left out as its mirror image, "0" for an only camera. "" for one between. */
void sprite_rotations(const struct job *job, uint32_t camera, char out[3]);

/* "orcs/grunt.frames/walk_s_00.png", below the output folder. The caller frees it. NULL with an error: the cell has
 * none, because its number is beyond the letters or rotations that there are. */
char *frame_file_name(const struct plan *plan, const struct sheet_plan *sheet, uint32_t page,
                      const struct cell *cell, struct error *err);

/* Fails where two cells of a sheet would have one file, or one has no name that a file may have, or GZDoom's. */
int frame_names_check(const struct plan *plan, struct error *err);

/* -- Takes (takes.c): which clips a job plays, and when they are sampled ----------------------------------- */

/* Fills plan->takes. The job's own model is open, and its skins are counted. */
int takes_add(struct plan *plan, struct assets *assets, struct error *err);

/* The clip of that name, ignoring case; fails with those there are. Borrowed until the part gets another
 * animation. */
const struct clip *takes_find_clip(const struct part *part, struct assets *assets, const char *name,
                                   struct error *err);

/* -- Skins (skins.c): which a job chooses, the materials of surfaces, and which of these can be seen ------- */

/* Makes the outfits of the job's own model, without materials yet: fails where the job asks for a skin that its
 * model lacks. The model is open. */
int skins_choose(struct plan *plan, struct error *err);

/* Finds the materials of all parts. A missing one is a warning; a missing skin of a Doom 3 file is an error. */
int skins_resolve(struct plan *plan, struct assets *assets, struct error *err);

/* Finds the points of all parts that can be seen, and warns of parts without any. Doom 3 models bring surfaces
 * along that draw nothing, such as those for collisions: these do not count for framing. */
int skins_find_visible(struct plan *plan, struct error *err);

/* Whether a surface has triangles, and a material that draws something in any skin of the job. */
bool skins_is_visible(const struct part *part, uint32_t surface);

/* -- Tint (tint.c): names of parts of models, base colours of materials, and what has the team's colour ------ */

enum name_kind { NAME_MESH, NAME_MATERIAL, NAME_SKIN };

/* Whether the list means that name: the very same but for case, or a pattern of it. */
bool tint_is_called(const char *name, const struct job_name *wanted);

/* Warns where none of the first parts has such a name "to hide", with one that is near. Their materials are known. */
void tint_warn_no_name(struct plan *plan, size_t part_count, const struct job_name *wanted, enum name_kind kind,
                       const char *verb);

/* Does to the materials of all parts what the job says. */
void tint_parts(struct plan *plan);

/* -- How pictures were found (skins.c) ---------------------------------------------------------------------- */

/* Lines for `-v`: one for each picture of a surface, with all paths that were tried, in order, and the one that was
 * found. */
void search_path_add(const struct look *material, struct strings *out);

/* Those of all surfaces, each with its name in front. */
void search_path_add_all(const struct plan *plan, struct strings *out);
