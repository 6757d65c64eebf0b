#include "job/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "job/names.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
    MOST_CELL = 4096,
    MOST_DRAWN = 8192, /* a cell times its supersample: a gigabyte and a half while it is drawn */
    MOST_PAGE = 16384, /* 1 GiB of pixels, and more than GPUs take */
    MOST_PADDING = 1024,
    MOST_EXTRUDE = 256,
    MOST_BLEED = 256,
};

/* A group may have any name but one that looks like a slip of the other words. */
static bool read_group(const struct reader *reader, const struct node *node, const char *const *scopes,
                       size_t scope_count, struct fit *fit)
{
    struct error err;
    if (!read_text(reader, node, "'scope'", &fit->group))
        return false;
    const char *nearest = strings_nearest(fit->group, scopes, scope_count);
    if (nearest)
        problems_add(reader->problems, node->mark,
                     "'scope' is frame, animation, job or the name of a group, and '%.64s' is too much like '%s' "
                     "for a group's name",
                     fit->group, nearest);
    else if (names_check_label(fit->group, &err) < 0)
        problems_add(reader->problems, node->mark, "a group's name %s", err.text);
    return true;
}

static void read_scope(const struct reader *reader, const struct node *node, struct fit *fit)
{
    static const char *const scopes[] = {
        [FIT_FRAME] = "frame",
        [FIT_ANIMATION] = "animation",
        [FIT_JOB] = "job",
    };
    for (unsigned i = 0; i < COUNT(scopes); i++) {
        if (node->kind == NODE_SCALAR && !strcmp(node->text, scopes[i])) {
            fit->scope = (enum fit_scope)i;
            fit->group = NULL;
            return;
        }
    }
    if (read_group(reader, node, scopes, COUNT(scopes), fit))
        fit->scope = FIT_GROUP;
}

/* A margin and a fixed scale exclude each other: what one level gives ends what a level below gave. */
static void read_fit(const struct reader *reader, const struct node *map, struct fit *fit)
{
    static const char *const keys[] = {"scope", "margin", "pixels_per_unit"};
    if (!read_keys(reader, map, "'fit'", keys, COUNT(keys)))
        return;
    if (node_get(map, "scope"))
        read_scope(reader, node_get(map, "scope"), fit);
    if (read_f32(reader, map, "margin", (struct range){0, 0.49}, &fit->margin))
        fit->pixels_per_unit = 0;
    if (read_f32(reader, map, "pixels_per_unit", (struct range){0.0001, 100000}, &fit->pixels_per_unit) &&
        node_get(map, "margin"))
        problems_add(reader->problems, node_key(map, "margin")->mark,
                     "'margin' cannot be given together with 'pixels_per_unit'");
}

static void read_cell(const struct reader *reader, const struct node *node, uint32_t cell_px[2])
{
    const struct range side = {1, MOST_CELL};
    uint32_t sides[2];
    if (node->kind != NODE_SEQUENCE) {
        if (read_integer(reader, node, "'cell'", side, &sides[0]))
            cell_px[0] = cell_px[1] = sides[0];
    } else if (node->count != 2) {
        reader_expected(reader, node, "'cell' must be a number of pixels or [width, height]");
    } else if (read_integer(reader, node->values[0], "the width of a cell", side, &sides[0]) &&
               read_integer(reader, node->values[1], "the height of a cell", side, &sides[1])) {
        cell_px[0] = sides[0];
        cell_px[1] = sides[1];
    }
}

/* Columns are those of a grid: one level's `packed` ends what a level below gave. */
static void read_columns(const struct reader *reader, const struct node *map, struct sheet_settings *sheet)
{
    const struct node *node = node_get(map, "columns");
    bool is_auto = node && node->kind == NODE_SCALAR && !strcmp(node->text, "auto");
    if (is_auto || (!node && sheet->layout == LAYOUT_PACKED))
        sheet->columns = 0;
    else if (read_u32(reader, map, "columns", (struct range){1, MOST_PAGE}, &sheet->columns) &&
             sheet->layout == LAYOUT_PACKED)
        problems_add(reader->problems, node_key(map, "columns")->mark,
                     "'columns' are those of a grid; a sheet with the layout 'packed' has none");
}

static void read_sheet(const struct reader *reader, const struct node *map, struct sheet_settings *sheet)
{
    static const char *const keys[] = {"layout",   "columns", "padding",      "extrude",
                                       "max_size", "trim",    "power_of_two", "bleed"};
    static const char *const layouts[] = {[LAYOUT_GRID] = "grid", [LAYOUT_PACKED] = "packed"};
    if (!read_keys(reader, map, "'sheet'", keys, COUNT(keys)))
        return;
    unsigned layout;
    if (read_word(reader, map, "layout", layouts, COUNT(layouts), &layout))
        sheet->layout = (enum layout_kind)layout;
    read_columns(reader, map, sheet);
    read_u32(reader, map, "padding", (struct range){0, MOST_PADDING}, &sheet->padding);
    read_u32(reader, map, "extrude", (struct range){0, MOST_EXTRUDE}, &sheet->extrude);
    read_u32(reader, map, "max_size", (struct range){16, MOST_PAGE}, &sheet->max_size);
    read_bool(reader, map, "trim", &sheet->trim);
    read_bool(reader, map, "power_of_two", &sheet->power_of_two);
    read_u32(reader, map, "bleed", (struct range){0, MOST_BLEED}, &sheet->bleed);
}

static void read_words(const struct reader *reader, const struct node *map, struct job *job)
{
    static const char *const geometries[] = {
        [GEOMETRY_TRIANGLES] = "triangles",
        [GEOMETRY_GL_COMMANDS] = "glcommands",
    };
    static const char *const interpolations[] = {
        [INTERPOLATION_LOCAL] = "local",
        [INTERPOLATION_OBJECT] = "object",
    };
    static const char *const splits[] = {
        [SPLIT_NONE] = "none",
        [SPLIT_ANIMATION] = "animation",
        [SPLIT_CAMERA] = "camera",
    };
    unsigned word;
    if (read_word(reader, map, "geometry", geometries, COUNT(geometries), &word))
        job->geometry = (enum geometry)word;
    if (read_word(reader, map, "interpolation", interpolations, COUNT(interpolations), &word))
        job->interpolation = (enum interpolation)word;
    if (read_word(reader, map, "split", splits, COUNT(splits), &word))
        job->sheet.split = (enum split)word;
}

/* The first of each is always in. */
static void read_outputs(const struct reader *reader, const struct node *map, struct job *job)
{
    const char *metadata_names[METADATA_COUNT];
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        metadata_names[i] = metadata_formats[i].name;
    const struct node *node;
    if ((node = node_get(map, "passes")))
        read_flags(reader, node, "pass", pass_names, PASS_COUNT, &job->passes);
    if ((node = node_get(map, "metadata")))
        read_flags(reader, node, "form of metadata", metadata_names, METADATA_COUNT, &job->metadata);
    job->passes |= 1u << PASS_COLOR;
    if (job->metadata & 1u << METADATA_COMPACT)
        job->metadata &= ~(1u << METADATA_JSON);
    else
        job->metadata |= 1u << METADATA_JSON;
}

/* What is drawn: models and clips. */
static void read_content(const struct reader *reader, const struct node *map, bool of_job,
                         struct settings *settings)
{
    struct job *job = &settings->job;
    const struct node *node;
    skin_settings_read(reader, map, &settings->skin);
    if ((node = node_get(map, "animations"))) {
        job->has_animations = true;
        animations_read(reader, node, of_job, &settings->animations, &settings->animation_count);
    }
    if ((node = node_get(map, "sampling")))
        sampling_read(reader, node, &job->sampling);
    if ((node = node_get(map, "attach")))
        attachments_read(reader, node, &settings->attachments, &settings->attachment_count);
    if ((node = node_get(map, "sockets")))
        sockets_read(reader, node, &job->sockets, &job->socket_count);
    loop_read(reader, map, &job->loop);
    root_motion_read(reader, map, of_job, &job->root_motion);
}

/* How it looks. */
static void read_looks(const struct reader *reader, const struct presets *presets, const struct node *map,
                       struct settings *settings)
{
    struct job *job = &settings->job;
    const struct node *node;
    if ((node = node_get(map, "cameras")))
        camera_list_read(reader, &presets->cameras, node, &job->cameras, &job->camera_count);
    if ((node = node_get(map, "fit")))
        read_fit(reader, node, &job->fit);
    if ((node = node_get(map, "cell")))
        read_cell(reader, node, job->cell_px);
    if ((node = node_get(map, "light")))
        light_read(reader, &presets->lights, node, &settings->light);
    if ((node = node_get(map, "ground")))
        ground_read(reader, node, &settings->ground);
    if ((node = node_get(map, "outline")))
        outline_read(reader, node, &job->outline);
    if ((node = node_get(map, "background")))
        background_read(reader, node, &job->background);
    if ((node = node_get(map, "sheet")))
        read_sheet(reader, node, &job->sheet);
    read_u32(reader, map, "supersample", (struct range){1, 4}, &job->supersample);
}

void settings_read(const struct reader *reader, const struct presets *presets, const struct node *map, bool of_job,
                   struct settings *settings)
{
    static const char *const keys[] = {
        "name",        "model", "skin",        "skins",    "geometry", "interpolation", "attach", "sockets",
        "animations",  "loop",  "root_motion", "sampling", "cameras",  "fit",           "cell",   "background",
        "supersample", "light", "ground",      "outline",  "passes",   "sheet",         "split",  "metadata",
    };
    size_t left_out = of_job ? 0 : 2;
    if (!read_keys(reader, map, of_job ? "a job" : "'defaults'", keys + left_out, COUNT(keys) - left_out))
        return;
    read_content(reader, map, of_job, settings);
    read_looks(reader, presets, map, settings);
    read_outputs(reader, map, &settings->job);
    read_words(reader, map, &settings->job);
}

static void check_drawn_size(const struct reader *reader, const struct job *job)
{
    uint32_t width = job->cell_px[0] * job->supersample, height = job->cell_px[1] * job->supersample;
    if (width > MOST_DRAWN || height > MOST_DRAWN)
        problems_add(reader->problems, job->mark,
                     "a cell of %ux%u is drawn at %ux%u with supersample %u, at most %d on a side are allowed",
                     job->cell_px[0], job->cell_px[1], width, height, job->supersample, MOST_DRAWN);
}

void settings_check(const struct reader *reader, const struct settings *settings)
{
    const struct job *job = &settings->job;
    check_drawn_size(reader, job);
    struct layout layout;
    struct error err;
    if (layout_init(&layout, &job->sheet, job->cell_px, &(struct strips){(size_t[]){1}, 1}, &err) < 0)
        problems_add(reader->problems, job->mark, "%s", err.text);
    else
        layout_release(&layout);
}
