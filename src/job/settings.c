#include "job/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "page/names.h"

enum {
    MOST_CELL = 4096,
    MOST_SCALE = 8,
    MOST_DRAWN = 8192, /* a cell times its supersample: a gigabyte and a half while it is drawn */
    MOST_PAGE = 16384, /* 1 GiB of pixels, and more than GPUs take */
};

/* -- transform ------------------------------------------------------------------------------------------------ */

static const char *const axis_words[] = {
    [AXIS_AUTO] = "auto",  [AXIS_X] = "x",        [AXIS_Y] = "y",        [AXIS_Z] = "z",
    [AXIS_MINUS_X] = "-x", [AXIS_MINUS_Y] = "-y", [AXIS_MINUS_Z] = "-z",
};

const struct setting transform_rows[] = {
    {"up", SETTING_WORD(struct model_transform, up, axis_words)},
    {"front", SETTING_WORD(struct model_transform, front, axis_words)},
    {"scale", SETTING_NUMBER(struct model_transform, scale, 0.0001, 10000)},
    {"rotation", SETTING_VECTOR(struct model_transform, rotation_deg, -360, 360)},
    {0},
};

static void check_transform(const struct reader *reader, const struct node *node, void *member)
{
    const struct model_transform *transform = member;
    if (transform->up != AXIS_AUTO && transform->front != AXIS_AUTO && transform->up % 3 == transform->front % 3)
        problems_add(reader->problems, node->mark,
                     "'up: %s' and 'front: %s' are one axis: what is in front of a model is not above or below it",
                     axis_words[transform->up], axis_words[transform->front]);
}

static const struct model_transform no_transform = {.scale = 1};

/* -- fit ------------------------------------------------------------------------------------------------------ */

static const char *const scope_words[] = {
    [FIT_FRAME] = "frame",
    [FIT_ANIMATION] = "animation",
    [FIT_JOB] = "job",
    [FIT_GROUP] = "group", /* in records alone */
};

/* Reads a word, or the name of a group, which must not look like a slip of a word. */
static void read_scope(const struct reader *reader, const struct node *node, void *whole)
{
    struct fit *fit = whole;
    struct error err;
    fit->scope = FIT_FRAME;
    fit->group = NULL;
    while (fit->scope < FIT_GROUP && !node_is_word(node, scope_words[fit->scope]))
        fit->scope++;
    if (fit->scope < FIT_GROUP || !read_text(reader, node, "'scope'", &fit->group))
        return;
    const char *nearest = strings_nearest(fit->group, scope_words, FIT_GROUP);
    if (nearest)
        problems_add(reader->problems, node->mark,
                     "'scope' is frame, animation, job or the name of a group, and '%.64s' is too much like '%s' "
                     "for a group's name",
                     fit->group, nearest);
    else if (names_check_label(fit->group, &err) < 0)
        problems_add(reader->problems, node->mark, "a group's name %s", err.text);
}

const struct setting fit_rows[] = {
    {"scope", .kind = SETTING_KIND_WORD, SETTING_IN(struct fit, scope, unsigned), .words = scope_words,
     .word_count = FIT_GROUP, .read = read_scope, .forms = FORM_TEXT},
    {NULL, SETTING_TEXT(struct fit, group), .as = "group"},
    {"margin", SETTING_NUMBER(struct fit, margin, 0, 0.49), .not_with = {"pixels_per_unit"}},
    {"pixels_per_unit", SETTING_NUMBER(struct fit, pixels_per_unit, 0.0001, 100000)},
    /* Either part or both may be found; or there is none: a list's defaults may have one. */
    {"origin", .kind = SETTING_KIND_NUMBER, SETTING_IN(struct fit, origin, float *), .range = {0, 1}, .times = 2,
     .takes_auto = true, .auto_is = ORIGIN_AUTO, SETTING_HAS(struct fit, has_origin), SETTING_WORDS(none_words),
     .noun = "a part of the cell, or auto,",
     .expects = "'origin' must be [x, y], parts of the cell from its top left or auto; auto or none"},
    {NULL, SETTING_PART(struct fit, origin_step_px)},
    {0},
};

/* A margin and a fixed scale exclude each other: what one level gives ends what a level below gave. */
static void check_fit(const struct reader *reader, const struct node *node, void *member)
{
    (void)reader;
    if (node_get(node, "margin"))
        ((struct fit *)member)->pixels_per_unit = 0;
}

/* -- sheet ---------------------------------------------------------------------------------------------------- */

static const char *const layout_words[] = {[LAYOUT_GRID] = "grid", [LAYOUT_PACKED] = "packed"};

const struct setting trim_rows[] = {
    {"alpha", SETTING_WHOLE(struct sheet_settings, trim, 1, 255)},
    {NULL, .kind = SETTING_KIND_BOOL, SETTING_IN(struct sheet_settings, trim, uint32_t), .is_short = true},
    {0},
};

static void record_trim(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct sheet_settings *sheet = whole;
    recorder_add(recorder, prefix, "trim",
                 sheet->trim > 1 ? arena_printf(recorder->arena, "alpha: %u", sheet->trim)
                 : sheet->trim   ? "true"
                                 : "false");
}

const struct setting sheet_rows[] = {
    {"layout", SETTING_WORD(struct sheet_settings, layout, layout_words)},
    {"columns", SETTING_WHOLE(struct sheet_settings, columns, 1, MOST_PAGE), .takes_auto = true},
    {"padding", SETTING_WHOLE(struct sheet_settings, padding, 0, 1024)},
    {"extrude", SETTING_WHOLE(struct sheet_settings, extrude, 0, 256)},
    {"max_size", SETTING_WHOLE(struct sheet_settings, max_size, 16, MOST_PAGE)},
    {"trim", SETTING_OWN(struct sheet_settings, trim, trim_rows), .record = record_trim},
    {"power_of_two", SETTING_BOOL(struct sheet_settings, power_of_two)},
    {"bleed", SETTING_WHOLE(struct sheet_settings, bleed, 0, 256)},
    {NULL, SETTING_PART(struct sheet_settings, split)}, /* a key of the job */
    {0},
};

/* Columns are those of a grid: one level's `packed` ends what a level below gave. */
static void check_sheet(const struct reader *reader, const struct node *node, void *member)
{
    struct sheet_settings *sheet = member;
    if (sheet->layout != LAYOUT_PACKED)
        return;
    if (node_get(node, "columns") && sheet->columns)
        problems_add(reader->problems, node_key(node, "columns")->mark,
                     "'columns' belongs to the layout 'grid'; 'packed' has no columns");
    sheet->columns = 0;
}

static const char *const png_row_words[] = {[PNG_JOINED] = "joined", [PNG_FLUSH] = "flush"};

const struct setting png_rows[] = {
    {"level", SETTING_WHOLE(struct png_settings, level, PNG_FASTEST, PNG_SMALLEST), .is_meant = true},
    {"indexed", SETTING_BOOL(struct png_settings, indexed), .is_new = true},
    {"rows", SETTING_WORD(struct png_settings, rows, png_row_words), .is_new = true},
    {0},
};

/* -- Cells and files ------------------------------------------------------------------------------------------ */

static void read_cell(const struct reader *reader, const struct node *node, void *member)
{
    uint32_t *cell_px = member;
    const struct range side = {1, MOST_CELL};
    double number;
    if (node_is_number(node, &number)) {
        if (read_integer(reader, node, "'cell'", side, &cell_px[0]))
            cell_px[1] = cell_px[0];
    } else if (node->kind != NODE_SEQUENCE || node->count != 2) {
        reader_expected(reader, node, "'cell' must be a number of pixels or [width, height]");
    } else {
        read_integer(reader, node->values[0], "the width of a cell", side, &cell_px[0]);
        read_integer(reader, node->values[1], "the height of a cell", side, &cell_px[1]);
    }
}

/* Scales are no setting of a job that was made: each gives one of other sizes. */
static void read_scales(const struct reader *reader, const struct node *node, void *member)
{
    const struct node_list entries = node_one_or_many(&node);
    uint32_t scales = 0, scale;
    for (size_t i = 0; i < entries.count; i++)
        if (read_integer(reader, entries.items[i], "a scale", (struct range){1, MOST_SCALE}, &scale))
            scales |= 1u << scale;
    if (scales)
        *(uint32_t *)member = scales;
    else if (entries.count == 0)
        problems_add(reader->problems, node->mark, "'scales' needs at least one number");
}

/* -- A job ---------------------------------------------------------------------------------------------------- */

static void record_animations(struct recorder *recorder, const char *prefix, const void *whole)
{
    recorder_add(recorder, prefix, "animations", ((const struct job *)whole)->animation_count ? "listed" : "none");
}

/* Joints of clips, and those of the model that follow them. A job's own are in the place of those of the defaults. */
const struct setting joint_rows[] = {
    {"from", SETTING_TEXT(struct joint_pair, from)},
    {"to", SETTING_TEXT(struct joint_pair, to), .noun = "a joint of the model"},
    {0},
};

static const char *const retarget_words[] = {
    [RETARGET_AUTO] = "auto",
    [RETARGET_EXACT] = "exact",
    [RETARGET_REST] = "rest",
};

const char *const geometry_words[2] = {
    [GEOMETRY_TRIANGLES] = "triangles",
    [GEOMETRY_GL_COMMANDS] = "glcommands",
};

const char *const via_words[2] = {
    [VIA_OWN] = "own",
    [VIA_ASSIMP] = "assimp",
};

static const char *const color_words[] = {
    [COLORS_AUTO] = "auto",
    [COLORS_LINEAR] = "linear",
    [COLORS_SRGB] = "srgb",
};

const char *const interpolation_words[2] = {
    [INTERPOLATION_LOCAL] = "local",
    [INTERPOLATION_OBJECT] = "object",
};

const char *const loop_words[LOOP_COUNT] = {
    [LOOP_NONE] = "false", [LOOP_FOUND] = "true", [LOOP_CLOSED] = "closed",
    [LOOP_OPEN] = "open",  [LOOP_AUTO] = "auto",
};

static const char *const split_words[] = {
    [SPLIT_NONE] = "none",
    [SPLIT_ANIMATION] = "animation",
    [SPLIT_CAMERA] = "camera",
};

static const char *const metadata_words[] = {
#define X(metadata, name, ...) [metadata] = name,
    METADATA_ROWS(X) TEMPLATE_ROWS(X)
#undef X
};

/* Words, and templates by their paths. */
static void read_metadata(const struct reader *reader, const struct node *node, void *whole)
{
    struct job *job = whole;
    struct node_list entries = node_one_or_many(&node);
    const struct node **kept = arena_must_alloc(reader->arena, entries.count, sizeof *kept);
    struct node words = {.kind = NODE_SEQUENCE, .mark = node->mark, .values = kept};
    const char **templates = arena_must_alloc(reader->arena, TEMPLATES_MOST, sizeof *templates);
    struct error err;
    job->templates = templates;
    job->template_count = 0;
    for (size_t i = 0; i < entries.count; i++) {
        const struct node *entry = entries.items[i];
        if (entry->kind != NODE_SCALAR || strcmp(path_suffix(entry->text), TEMPLATE_SUFFIX) != 0)
            kept[words.count++] = entry;
        else if (job->template_count < TEMPLATES_MOST)
            templates[job->template_count++] = entry->text;
        else
            problems_add(reader->problems, entry->mark, "a job has at most %d templates", TEMPLATES_MOST);
    }
    if (!read_flags(reader, &words, "form of metadata", metadata_words, METADATA_COUNT, &job->metadata))
        return;
    for (size_t i = 0; i < job->template_count; i++) {
        const char *file =
            arena_printf(reader->arena, "NAME%s", template_suffix(reader->arena, job->templates[i]));
        bool is_taken = false;
        for (unsigned k = 0; k < METADATA_COUNT; k++)
            is_taken |= job->metadata & 1u << k && !strcasecmp(file + 4, metadata_formats[k].suffix);
        for (size_t k = 0; k < i; k++)
            is_taken |= !strcasecmp(file + 4, template_suffix(reader->arena, job->templates[k]));
        if (names_check_label(file, &err) < 0)
            problems_add(reader->problems, node->mark, "'%s' would write '%s', which %s", job->templates[i], file,
                         err.text);
        else if (is_taken)
            problems_add(reader->problems, node->mark, "'%s' would write '%s', and so does another of this list",
                         job->templates[i], file);
    }
}

static void record_metadata(struct recorder *recorder, const char *prefix, const void *whole)
{
    const struct job *job = whole;
    const char *text = "";
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        if (job->metadata & 1u << i)
            text = arena_printf(recorder->arena, "%s%s%s", text, *text ? ", " : "", metadata_words[i]);
    for (size_t i = 0; i < job->template_count; i++)
        text = arena_printf(recorder->arena, "%s, %s", text, job->templates[i]);
    recorder_add(recorder, prefix, "metadata", text);
}

static void check_atlas(const struct reader *reader, const struct node *node, void *member)
{
    const char *atlas = *(const char **)member;
    struct error err;
    if (names_check_path(atlas, &err) < 0)
        problems_add(reader->problems, node->mark, "the name of an atlas, '%.64s', %s", atlas, err.text);
}

/* `defaults` have all but the first OF_JOBS_ALONE. */
const struct setting job_rows[] = {
    {"name", SETTING_TEXT(struct job, name), SETTING_MARK(struct job, name_mark), .is_needed = true,
     .is_unrecorded = true},
    {"model", SETTING_TEXT(struct job, model), SETTING_MARK(struct job, model_mark), .is_needed = true},
    {"exclude", SETTING_NAMES(struct job, exclude), .noun = "a name or pattern", .is_unrecorded = true},
    {NULL, SETTING_TEXT(struct job, def_name), .as = "model.def"},
    {"skin", SETTING_LIST(struct job, skins, skin_count, skin_rows, NULL), SETTING_MARK(struct job, skin_mark),
     .check = check_skin, .forms = FORM_WHOLE | FORM_NAME | FORM_PAIRS, .items = {1, 0}, .range = {0, MOST_SKIN}},
    {NULL, SETTING_WORD(struct job, skin_choice, skin_choice_words), .as = "skin"},
    {NULL, SETTING_CALL(struct job, skin_index, NULL, record_skin_index)},
    {NULL, SETTING_TEXT(struct job, skin_file), .as = "skin.file"},
    {NULL, SETTING_TEXT(struct job, skin_name), .as = "skin.name"},
    /* Another way to give the same. */
    {"skins", .kind = SETTING_KIND_PART, SETTING_MARK(struct job, skin_mark), .read = read_skins,
     SETTING_WORDS(skins_words), .not_with = {"skin"}},
    {"geometry", SETTING_WORD(struct job, geometry, geometry_words)},
    {"scene", SETTING_TEXT(struct job, scene), SETTING_MARK(struct job, scene_mark)},
    {"via", SETTING_WORD(struct job, via, via_words)},
    {"colors", SETTING_WORD(struct job, colors, color_words)},
    {"transform", SETTING_MAPPING(struct job, transform, transform_rows), .check = check_transform,
     .starts = &no_transform, .is_new = true, .of_member = true},
    {"interpolation", SETTING_WORD(struct job, interpolation, interpolation_words)},
    {"attach", SETTING_LIST(struct job, attachments, attachment_count, attachment_rows, &attachment_list),
     .starts = &default_attachment, .check = check_attachment},
    {"sockets", SETTING_LIST(struct job, sockets, socket_count, name_rows, &socket_list)},
    {"boxes", SETTING_LIST(struct job, boxes, box_count, name_rows, &box_list)},
    {"events", SETTING_LIST(struct job, events, event_count, event_rows, NULL), .read = read_events,
     .forms = FORM_EVENTS},
    {"hide", SETTING_LIST(struct job, hidden, hidden_count, name_rows, &mesh_list)},
    {"tint", SETTING_LIST(struct job, tints, tint_count, tint_rows, NULL),
     .expects = "'tint' must be a mapping of materials to colours, as {cloth: '#c02020'}"},
    {"teamcolor", SETTING_MAPPING(struct job, teamcolor, teamcolor_rows), .is_anew = true,
     .needs = "'teamcolor' needs a material, mesh, skin or range", SETTING_WORDS(none_words),
     .expects = "'teamcolor' must be 'none' or a mapping with material, mesh, skin or range"},
    {"animations", SETTING_LIST(struct job, animations, animation_count, animation_rows, &animation_list),
     SETTING_HAS(struct job, has_animations), .check = check_animation, .record = record_animations,
     .without = "all"},
    {"joints", SETTING_LIST(struct job, retarget.pairs, retarget.pair_count, joint_rows, NULL),
     .expects = "'joints' must be a mapping, as {Hips: pelvis}: the clip's joint, the model's"},
    {"retarget", SETTING_WORD(struct job, retarget.mode, retarget_words), .is_new = true},
    {"loop", SETTING_WORD(struct job, loop, loop_words)},
    {"root_motion", SETTING_MAPPING(struct job, root_motion, root_motion_rows), .is_anew = true,
     .check = check_root_motion, .of_member = true},
    {"sampling", SETTING_MAPPING(struct job, sampling, sampling_rows), .is_anew = true, .noun = "a sampling",
     .check = check_sampling, .record = record_sampling, .of_member = true},
    {"cameras", SETTING_CALL(struct job, cameras, read_cameras, record_cameras), .rows = camera_rows,
     .forms = FORM_TEXT | FORM_MAPPING | FORM_LIST, .items = {1, 0}, .presets = "cameras"},
    {NULL, SETTING_PART(struct job, camera_count)},
    {"fit", SETTING_MAPPING(struct job, fit, fit_rows), .check = check_fit, .of_member = true},
    {"cell", .kind = SETTING_KIND_WHOLE, SETTING_IN(struct job, cell_px, uint32_t *), .range = {1, MOST_CELL},
     .times = 2, .read = read_cell, .of_member = true, .forms = FORM_WHOLE | FORM_LIST},
    {"scales", SETTING_NOTE(struct job, scales), .read = read_scales, .of_member = true,
     .forms = FORM_WHOLE | FORM_LIST, .range = {1, MOST_SCALE}, .items = {1, 0}},
    {"background", SETTING_MAPPING(struct job, background, background_rows), .noun = "a background",
     .check = check_background, .record = record_background, .of_member = true, SETTING_WORDS(background_words)},
    {"supersample", SETTING_WHOLE(struct job, supersample, 1, 4)},
    {"light", LIGHT_SETTINGS(struct settings)},
    {NULL, SETTING_MAPPING(struct job, light, light_rows), .as = "light"},
    {"ground", SETTING_MAPPING(struct job, ground, ground_rows), .check = check_ground},
    {"outline", SETTING_MAPPING(struct job, outline, outline_rows), .starts = &default_outline,
     SETTING_WORDS(none_words), .expects = "'outline' must be 'none' or a mapping with 'width' and 'color'"},
    {"pixel", SETTING_MAPPING(struct job, pixel, pixel_rows), SETTING_HAS(struct job, pixel.is_wanted),
     .starts = &default_pixel, .check = check_pixel, SETTING_WORDS(none_words),
     .expects = "'pixel' must be 'none' or a mapping; `{}` makes hard edges", .is_new = true},
    {NULL, SETTING_NOTE(struct job, palette_mark)},
    {"passes", SETTING_FLAGS(struct job, passes, pass_names, "pass")},
    {"sheet", SETTING_MAPPING(struct job, sheet, sheet_rows), .check = check_sheet, .of_member = true},
    {"split", SETTING_WORD(struct job, sheet.split, split_words)},
    {"metadata", SETTING_FLAGS(struct job, metadata, metadata_words, "form of metadata"),
     SETTING_MARK(struct job, metadata_mark), .read = read_metadata, .record = record_metadata,
     .forms = FORM_LIST | FORM_ENDING, .ending = TEMPLATE_SUFFIX},
    {NULL, SETTING_PART(struct job, templates)},
    {NULL, SETTING_PART(struct job, template_count)},
    {"png", SETTING_MAPPING(struct job, png, png_rows)},
    {"previews", SETTING_MAPPING(struct job, previews, preview_rows), SETTING_HAS(struct job, previews.is_wanted),
     .check = check_previews, .of_member = true, .without = "none", SETTING_WORDS(none_words),
     .expects = "'previews' must be 'none' or a mapping; `{}` makes one of each clip"},
    {"frames", SETTING_OWN(struct job, frame_name, frame_file_rows), SETTING_WORDS(none_words),
     .expects = "'frames' must be 'none' or {name: \"{clip}_{direction}_{frame:2}.png\"} ('sampling: {count: 8}' "
                "draws 8 moments of a clip)",
     .is_new = true},
    {"atlas", SETTING_TEXT(struct job, atlas), .check = check_atlas, .of_member = true, .is_anew = true,
     .is_unrecorded = true, SETTING_WORDS(none_words)},
    {NULL, SETTING_NOTE(struct job, is_atlas)},
    {"rules", SETTING_CALL(struct job, rules, read_rules, NULL), .of_member = true, .is_unrecorded = true,
     .forms = FORM_MAPPING, .rows = rule_rows},
    {NULL, SETTING_NOTE(struct settings, has_ground_color)},
    {NULL, SETTING_NOTE(struct job, mark)},
    {NULL, SETTING_NOTE(struct job, written)},
    {NULL, SETTING_NOTE(struct job, missing)}, /* a job that misses something is not made */
    {NULL, SETTING_NOTE(struct job, missing_count)},
    {NULL, SETTING_NOTE(struct job, is_match)},
    {NULL, SETTING_NOTE(struct job, is_pattern)},
    {0},
};

/* Adds the mappings that are so deep in these rows and know the key, such as 'sheet' and 'sheet.trim'. */
static void add_homes(const struct setting *rows, const char *place, const char *key, int depth,
                      struct buffer *out)
{
    enum { LONG = 80 }; /* many rules have one key */
    for (const struct setting *row = rows; (row->key || row->size) && out->length < LONG; row++) {
        if (depth == 0 && row->key && !strcmp(row->key, key))
            buffer_printf(out, "%s%s", out->length ? " or " : "", place ? place : "a job");
        if (depth == 0 || !row->key || !row->rows || (row->kind == SETTING_KIND_LIST && !row->list) ||
            (row->forms && !(row->forms & FORM_MAPPING)))
            continue;
        SCOPED char *inner = place ? must_printf("'%s' of %s", row->key, place) : must_printf("'%s'", row->key);
        add_homes(row->rows, inner, key, depth - 1, out);
    }
}

char *settings_homes(const char *key)
{
    enum { DEEPEST = 2 };
    struct buffer out = {0};
    for (int depth = 0; depth <= DEEPEST && !out.length; depth++)
        add_homes(job_rows, NULL, key, depth, &out);
    return out.text;
}

/* Settings that shape the pages of an atlas: its jobs agree on them. */
static const char *const scale_words[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
static const struct setting atlas_rows[] = {
    {"scales", SETTING_FLAGS(struct job, scales, scale_words, "scale")},
    {"passes", SETTING_FLAGS(struct job, passes, pass_names, "pass")},
    {"sheet", SETTING_MAPPING(struct job, sheet, sheet_rows)},
    {"metadata", SETTING_FLAGS(struct job, metadata, metadata_words, "form"), .record = record_metadata},
    {"png", SETTING_MAPPING(struct job, png, png_rows)},
    {0},
};

void settings_read(const struct reader *reader, const struct node *map, bool of_job, struct settings *settings)
{
    struct reader level = *reader;
    struct job *job = &settings->job;
    level.of_job = of_job;
    if (!rows_read(&level, map, of_job ? "a job" : "'defaults'", job_rows + (of_job ? 0 : OF_JOBS_ALONE),
                   settings))
        return;
    /* The first of each is always in. */
    job->passes |= PASSES_ALWAYS;
    if (job->metadata & 1u << METADATA_COMPACT)
        job->metadata &= ~(1u << METADATA_JSON);
    else
        job->metadata |= 1u << METADATA_JSON;
}

void settings_scale(struct job *job, uint32_t scale, struct arena *arena)
{
    struct sheet_settings *sheet = &job->sheet;
    job->fit.origin_step_px = scale; /* the same pixel, so many times as far */
    job->name = names_scaled(job->name, scale, arena);
    if (job->atlas)
        job->atlas = names_scaled(job->atlas, scale, arena);
    if (job->fit.scope == FIT_GROUP)
        job->fit.group = names_scaled(job->fit.group, scale, arena);
    job->fit.pixels_per_unit *= (float)scale;
    job->outline.width_px *= (float)scale;
    for (int axis = 0; axis < 2; axis++)
        job->cell_px[axis] *= scale;
    job->background.checker_px *= scale;
    sheet->padding *= scale;
    sheet->extrude *= scale;
    sheet->bleed *= scale;
    sheet->max_size = sheet->max_size * scale < MOST_PAGE ? sheet->max_size * scale : MOST_PAGE;
    if (job->scales & ((1u << scale) - 1)) /* one scale has them */
        job->previews.is_wanted = false;
}

static void check_size(const struct reader *reader, const struct job *job)
{
    uint32_t width = job->cell_px[0] * job->supersample, height = job->cell_px[1] * job->supersample;
    if (width > MOST_DRAWN || height > MOST_DRAWN)
        problems_add(reader->problems, job->mark,
                     "a cell of %ux%u is drawn at %ux%u with supersample %u, at most %d on a side are allowed",
                     job->cell_px[0], job->cell_px[1], width, height, job->supersample, MOST_DRAWN);
    rules_check(reader, job->rules);
    struct layout layout;
    struct error err;
    if (layout_init(&layout, &job->sheet, job->cell_px, &(struct strips){(size_t[]){1}, 1}, &err) < 0)
        problems_add(reader->problems, job->mark, "%s", err.text);
    else
        layout_release(&layout);
}

/* An origin in the margin would leave no room for what the model has there. */
static void check_origin(const struct reader *reader, const struct job *job)
{
    const float margin = job->fit.pixels_per_unit > 0 ? 0 : job->fit.margin, rounding = 1e-6f;
    for (int axis = 0; axis < 2 && job->fit.has_origin; axis++)
        if (job->fit.origin[axis] != ORIGIN_AUTO &&
            fminf(job->fit.origin[axis], 1 - job->fit.origin[axis]) < margin - rounding)
            problems_add(reader->problems, job->mark,
                         "'origin' of 'fit' is at %g of the cell, in the margin of %g; it must be from %g to %g",
                         (double)job->fit.origin[axis], (double)margin, (double)margin, (double)(1 - margin));
    for (size_t c = 0; c < job->camera_count && job->fit.has_origin; c++)
        if (job->cameras[c].has_eye && job->cameras[c].projection == PROJECTION_PERSPECTIVE)
            problems_add(reader->problems, job->mark,
                         "'origin' of 'fit' moves cameras, and the perspective camera '%s' stands at its 'eye'",
                         job->cameras[c].name);
}

/* Refuses passes that another setting would hide, or that have nothing to show. */
static void check_layers(const struct reader *reader, const struct job *job)
{
    const bool has_shadow = passes_have(job->passes, PASS_SHADOW);
    if (job->atlas && passes_have(job->passes, PASS_DEPTH))
        problems_add(reader->problems, job->mark, "an atlas has no pass 'depth', which has 16 bits");
    if (job->atlas && job->metadata & 1u << METADATA_GZDOOM)
        problems_add(reader->problems, job->mark,
                     "an atlas has no metadata 'gzdoom': the names of its sprites are those of one sheet");
    if (passes_have(job->passes, PASS_TEAMCOLOR) && !teamcolor_is_given(&job->teamcolor) && !job->atlas)
        problems_add(reader->problems, job->mark,
                     "the pass 'teamcolor' needs a 'teamcolor' that says what it shows");
    if (has_shadow && job->ground.kind == GROUND_GRID)
        problems_add(reader->problems, job->mark,
                     "the pass 'shadow' cannot show the ground 'grid': give 'ground' a shadow or none");
    if ((has_shadow || passes_have(job->passes, PASS_OUTLINE)) && job->background.kind != BACKGROUND_TRANSPARENT)
        problems_add(
            reader->problems, job->mark,
            "the 'background' of the colour picture would hide the pass '%s', which lies below it: leave it "
            "transparent",
            pass_names[has_shadow ? PASS_SHADOW : PASS_OUTLINE]);
}

void settings_check(const struct reader *reader, const struct settings *settings)
{
    check_origin(reader, &settings->job);
    for (uint32_t scale = 1; scale <= MOST_SCALE; scale++) {
        struct job job = settings->job;
        job.name = "";
        if (!(job.scales & 1u << scale))
            continue;
        if (scale > 1)
            settings_scale(&job, scale, reader->arena);
        check_size(reader, &job);
    }
    check_layers(reader, &settings->job);
}

void settings_finish(const struct settings *settings, struct job *job)
{
    /* A shadow is black; lines must show on light and on dark. */
    static const uint8_t shadow[4] = {0, 0, 0, 255}, lines[4] = {128, 128, 128, 255};
    if (!settings->has_ground_color)
        memcpy(job->ground.color, job->ground.kind == GROUND_GRID ? lines : shadow, sizeof job->ground.color);
    /* Passes draw what there would be, even if the colour picture is to have none of it. */
    if (passes_have(job->passes, PASS_SHADOW) && job->ground.kind == GROUND_NONE)
        job->ground.kind = GROUND_SHADOW;
    if (teamcolor_is_given(&job->teamcolor))
        job->passes |= 1u << PASS_TEAMCOLOR;
    if (passes_have(job->passes, PASS_OUTLINE) && !(job->outline.width_px > 0))
        job->outline = default_outline;
    light_finish(&settings->light, &job->light);
}

void job_recorded_settings(const struct job *job, const struct job *other, const struct record_pairs *others,
                           struct arena *arena, struct record_pairs *out)
{
    struct recorder recorder = {
        .arena = arena, .other = other ? (const char *)other - (const char *)job : 0, .others = others};
    rows_record(&recorder, "", job->is_atlas ? atlas_rows : job_rows, job);
    record_sort_pairs(recorder.items, recorder.count);
    *out = (struct record_pairs){arena_copy(arena, recorder.items, recorder.count, sizeof *recorder.items),
                                 recorder.count};
    free(recorder.items);
}
