/* The settings of a job, level upon level: the built-in config, a config of the user's, the list's `defaults`, and
 * the job itself. Each level is read onto a copy of the one below. job/rows.h says how a key is added. */
#pragma once

#include "job/job.h"
#include "job/rows.h"

/* The best known engine draws 32 skins of an MD2, its successors 64; the file's own count is checked on opening it. */
enum { MOST_SKIN = 1023 };

/* Fills in the outline of a job that gives only one of its keys, or only asks for its pass. */
extern const struct outline default_outline;

/* Begins a `model` that names a declaration, not a file. */
#define DEFINITION_PREFIX "def:"

struct light_source {
    float direction[3]; /* of key, fill and rim */
    uint8_t color[4];   /* sRGB */
    float strength;
};

struct light_settings {
    struct light_source key, fill, rim, sky, ground, ambient;
};

/* A camera as a list describes it, with its directions, or with the views of an octahedral impostor. */
struct camera_settings {
    struct camera camera;
    uint32_t directions, octahedral; /* how many, and how many on each side; 0: not given */
    float start_deg;
    unsigned turn, sphere, mirror; /* words */
};

struct settings {
    struct job job; /* as written: nothing is looked for in the assets, and what clips leave open is the job's */
    struct light_settings light;
    bool has_ground_color; /* else it depends on the kind, which a level above may still change */
};

/* Reads the keys that the mapping has, of which `name` and `model` are known only `of_job`. */
void settings_read(const struct reader *reader, const struct node *map, bool of_job, struct settings *settings);

/* Checks what all levels together give, such as whether a cell and the columns fit a page. Problems are put at the job. */
void settings_check(const struct reader *reader, const struct settings *settings);

/* Makes it the job of its sheets at another scale. What needs a name gets it in the arena. */
void settings_scale(struct job *job, uint32_t scale, struct arena *arena);

/* The nearest mappings of a job that know a key: "'sheet'". NULL: none does. The caller frees it. */
char *settings_homes(const char *key);

/* Gives the job the light and the colour of the ground that its levels have come to. */
void settings_finish(const struct settings *settings, struct job *job);

/* The settings that decide about the pictures of a job, after defaults, as texts by the names of docs/jobs.md. Two jobs
 * with equal settings are the same job; its place in the list and its name do not matter. *out lives in the arena. With
 * `other`, a job of the same kind unless that is NULL, leaves out most that both have; or copies it, in a fraction of the time,
 * from `others`, the other's settings unless that is NULL. */
void job_recorded_settings(const struct job *job, const struct job *other, const struct record_pairs *others,
                           struct arena *arena, struct record_pairs *out);

/* The words with which a list, the lists that it includes and the user's config describe a job: "cell" "96", "light" "rim",
 * "cameras" "[compass]", "cameras[compass].pitch" "30"; and their places by the same names: "jobs/orcs.yaml:8" (written.c). */
void job_written_settings(const struct job_list *list, const struct job *job, struct arena *arena,
                          struct record_pairs *words, struct record_pairs *places);

/* The JSON Schema of lists: of the rows, described by the tables of docs/jobs.md (schema.c). */
int job_schema(struct blob *out, struct error *err);

/* -- Presets (presets.c) ----------------------------------------------------------------------------------- */

/* Cameras (one, or one for each of its directions) or a light rig, to which a list or a config gives a name. */
struct preset {
    const char *name;
    struct mark mark;
    bool is_built_in; /* a list may use the name again */
    const struct camera *cameras;
    size_t camera_count;
    struct light_settings light;
};

struct preset_set {
    struct preset *items;
    size_t count, capacity;
};

/* All cameras and rigs that settings can name. They live in the reader's arena, but for the arrays. */
struct presets {
    struct preset_set cameras, lights;
};

/* Adds the `cameras` and `lights` of a file to the reader's. */
void presets_read(const struct reader *reader, const struct node *root, bool is_built_in);
void presets_release(struct presets *presets);

/* The one that the node names, or NULL after a problem. `noun` is "camera" or "light rig". */
const struct preset *preset_find(const struct reader *reader, const struct preset_set *set,
                                 const struct node *node, const char *noun);

typedef void preset_read(const struct reader *reader, const struct node *node, struct preset *out);
preset_read read_preset_camera, read_preset_light;

/* -- Keys of a job, by file -------------------------------------------------------------------------------- */

enum { OF_JOBS_ALONE = 3 }; /* of job_rows, the first: `defaults` have them not */
extern const struct setting job_rows[], transform_rows[], fit_rows[], sheet_rows[], trim_rows[], png_rows[],
    joint_rows[]; /* settings.c */
extern const struct setting animation_rows[], sampling_rows[], root_motion_rows[],
    event_rows[]; /* job_sampling.c */
extern const struct setting attachment_rows[], clip_rows[], name_rows[], skin_rows[], teamcolor_rows[],
    range_rows[], tint_rows[];                           /* job_attach.c */
extern const struct setting camera_rows[], pixel_rows[]; /* and job_style.c */
extern const struct setting ground_rows[], outline_rows[], background_rows[], preview_rows[],
    frame_file_rows[]; /* job_style.c */
extern const struct setting rule_rows[], growth_rows[], count_rows[], percent_rows[],
    patterns_rows[]; /* rules.c */
/* The member `light` of a struct: a name of a rig, or a mapping. */
#define LIGHT_SETTINGS(type)                                                                                      \
    SETTING_MAPPING(type, light, light_settings_rows),                                                            \
        .is_unrecorded = true, .expects = "'light' must be the name of a light rig, or a mapping"
extern const struct setting preset_light_row;

/* Rows of light_settings and its members, and of the resulting light (job_light.c). */
extern const struct setting light_settings_rows[], light_source_rows[], ambient_rows[], light_rows[];

extern const char *const skins_words[1],
    *const skin_choice_words[4], *const ground_words[4], *const none_words[1], *const background_words[2];
extern const struct list_kind animation_list, attachment_list, socket_list, box_list, mesh_list, material_list;
extern const struct attachment default_attachment;
extern const struct pixel_art default_pixel;
setting_read read_skins, read_cameras, read_rules, read_events, check_skin, check_animation, check_attachment,
    check_sampling, check_root_motion, check_ground, check_background, check_pixel, check_previews;
setting_record record_skin_index, record_sampling, record_cameras, record_background;
void rules_check(const struct reader *reader, const struct rules *rules);
void light_finish(const struct light_settings *light, struct light_rig *out);
