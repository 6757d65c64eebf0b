/* What templates can name of a sheet (docs/formats.md), and the files that they write. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "page/template.h"
#include "render/pass.h"

enum {
    STILL_MS = 100, /* Aseprite's default; engines take no frame without time */
    SPRITE_LETTERS = 26,
};

/* A frame with the clip that it is in. */
struct shown {
    const struct atlas *atlas;
    const struct atlas_clip *clip;
    const struct atlas_frame *frame;
    size_t index;    /* in its clip */
    size_t id;       /* in the file */
    double start_ms; /* in its clip */
};

/* "PIP1A0" for GZDoom: three signs of the sheet's name, one for the animation, a letter for the frame, 1 to 8 for the
 * direction. Null where there are too many of them, or other than 1 or 8 directions. */
static json_t *sprite_value(const struct shown *shown)
{
    static const char animations[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const struct atlas_clip *clip = shown->clip;
    size_t views = shown->atlas->view_count, length = 0;
    char name[3] = "___";
    if (clip->take >= sizeof animations - 1 || shown->index >= SPRITE_LETTERS || (views != 1 && views != 8))
        return json_null();
    for (const char *c = path_base(shown->atlas->name); *c && *c != '@' && length < 3; c++)
        if (isalnum((unsigned char)*c))
            name[length++] = (char)toupper((unsigned char)*c);
    return json_sprintf("%.3s%c%c%zu", name, animations[clip->take], (int)('A' + shown->index),
                        views == 8 ? clip->view + 1 : 0);
}

/* Lengths are pixels; `_up` says that they count from the bottom, as where Y is up. NULL: a number is not finite. */
static json_t *frame_value(const struct shown *shown)
{
    const struct atlas_clip *clip = shown->clip;
    const struct atlas_frame *frame = shown->frame;
    const struct atlas_page *page = &shown->atlas->pages[frame->page];
    const struct rect *rect = &frame->rect, *source = &frame->source;
    const double cell[2] = {frame->source_px[0], frame->source_px[1]};
    /* To a thousandth of a pixel. */
    const double pivot[2] = {round(frame->pivot[0] * cell[0] * 1000) / 1000,
                             round(frame->pivot[1] * cell[1] * 1000) / 1000};
    const double origin[2] = {pivot[0] - source->x, pivot[1] - source->y};
    double ms = round(shown->start_ms + frame->duration_ms) - round(shown->start_ms); /* add up to the clip's */
    const struct {
        const char *name;
        double value;
    } numbers[] = {        {"id", (double)shown->id},
        {"number", (double)shown->id + 1},
        {"index", (double)shown->index},
        {"page", frame->page},
        {"x", rect->x},
        {"y", rect->y},
        {"y_up", (double)page->height - rect->y - rect->height},
        {"width", rect->width},
        {"height", rect->height},
        {"trim_x", source->x},
        {"trim_y", source->y},
        {"trim_y_up", cell[1] - source->y - source->height},
        {"cell_width", cell[0]},
        {"cell_height", cell[1]},
        {"pivot_x", pivot[0]},
        {"pivot_y", pivot[1]},
        {"whole_pivot_x", round(pivot[0])},
        {"whole_pivot_y_up", round(cell[1] - pivot[1])},
        {"anchor_x", frame->pivot[0]},
        {"anchor_y", frame->pivot[1]},
        {"anchor_y_up", 1 - frame->pivot[1]},
        {"origin_x", origin[0]},
        {"origin_y", origin[1]},
        {"whole_origin_x", round(origin[0])},
        {"whole_origin_y", round(origin[1])},
        {"origin_anchor_x", origin[0] / rect->width},
        {"origin_anchor_y_up", 1 - origin[1] / rect->height},
        {"center_x", source->x + (rect->width - cell[0]) / 2},
        {"center_y_up", (cell[1] - rect->height) / 2 - source->y},
        {"duration", frame->duration_ms},
        {"ms", frame->duration_ms > 0 ? fmax(ms, 1) : STILL_MS}};
    json_t *value = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name", text_value(frame->name), "image",
                              text_value(page->image), "clip", text_value(clip->name), "animation",
                              text_value(clip->animation), "camera", text_value(clip->camera), "sprite",
                              sprite_value(shown), "trimmed", atlas_frame_is_trimmed(frame));
    for (size_t i = 0; value && i < sizeof numbers / sizeof *numbers; i++)
        if (json_object_set_new(value, numbers[i].name, number_value(numbers[i].value, 6)) < 0) {
            json_decref(value);
            value = NULL;
        }
    return value;
}

/* With the pictures of other passes, or null, of the page to describe. */
static json_t *page_value(const struct atlas *atlas, uint32_t number)
{
    const struct atlas_page *page = &atlas->pages[number];
    json_t *value = json_pack("{s:o, s:I, s:I, s:I, s:[]}", "image", text_value(page->image), "page_width",
                              (json_int_t)page->width, "page_height", (json_int_t)page->height, "page",
                              (json_int_t)number, "frames");
    for (unsigned pass = PASS_MAIN + 1; pass < PASS_COUNT && number == atlas->page; pass++)
        json_object_set_new(value, pass_names[pass], json_null());
    for (size_t i = 0; i < atlas->pass_count && number == atlas->page; i++)
        json_object_set_new(value, atlas->passes[i].name, text_value(atlas->passes[i].image));
    return value;
}

/* The frames of a clip that are in the file, in each list of them. Returns false where one could not be made. */
static bool add_frames(const struct atlas *atlas, const struct atlas_clip *clip, json_t *clip_frames, json_t *root,
                       json_t *pages)
{
    json_t *frames = json_object_get(root, "frames");
    struct shown shown = {.atlas = atlas, .clip = clip};
    for (; shown.index < clip->frame_count; shown.index++) {
        shown.frame = &atlas->frames[clip->first_frame + shown.index];
        shown.id = json_array_size(frames);
        if (pages || shown.frame->page == atlas->page) {
            json_t *value = frame_value(&shown);
            if (pages)
                json_array_append(json_object_get(json_array_get(pages, shown.frame->page), "frames"), value);
            json_array_append(clip_frames, value);
            if (json_array_append_new(frames, value) < 0)
                return false;
        }
        shown.start_ms += shown.frame->duration_ms;
    }
    return true;
}

/* Of the page, or of the whole sheet with its `pages`. NULL: a number is not finite. */
static json_t *sheet_values(const struct atlas *atlas, bool is_of_sheet)
{
    json_t *root = is_of_sheet ? json_pack("{s:[]}", "frames") : page_value(atlas, atlas->page);
    json_t *clips = json_array(), *pages = is_of_sheet ? json_array() : NULL;
    bool is_good = true;
    for (uint32_t i = 0; is_of_sheet && i < atlas->page_count; i++)
        json_array_append_new(pages, page_value(atlas, i));
    for (size_t i = 0; i < atlas->clip_count && is_good; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        json_int_t first = (json_int_t)json_array_size(json_object_get(root, "frames"));
        json_t *frames = json_array();
        is_good = add_frames(atlas, clip, frames, root, pages);
        if (json_array_size(frames))
            json_array_append_new(clips, json_pack("{s:o, s:o, s:o, s:b, s:I, s:I, s:O}", "name",
                                                   text_value(clip->name), "animation",
                                                   text_value(clip->animation), "camera", text_value(clip->camera),
                                                   "loop", clip->loop, "first", first, "count",
                                                   (json_int_t)json_array_size(frames), "frames", frames));
        json_decref(frames);
    }
    const uint32_t *cell_px = atlas->frames[0].source_px; /* all have one size */
    json_object_set_new(root, "name", text_value(atlas->name));
    json_object_set_new(root, "frame_count", json_integer((json_int_t)json_array_size(json_object_get(root, "frames"))));
    json_object_set_new(root, "cell_width", json_integer(cell_px[0]));
    json_object_set_new(root, "cell_height", json_integer(cell_px[1]));
    json_object_set_new(root, "clips", clips);
    if (pages)
        json_object_set_new(root, "pages", pages);
    if (is_good)
        return root;
    json_decref(root);
    return NULL;
}

int template_save(const struct template *template, const struct atlas *atlas, struct blob *out, struct error *err)
{
    bool is_of_sheet = template_has_section(template, "pages");
    if (is_of_sheet && atlas->page > 0)
        return 0;
    json_t *values = sheet_values(atlas, is_of_sheet);
    int result = values ? template_fill(template, values, out, err)
                        : error_set(err, "a number is not finite");
    json_decref(values);
    return result;
}

int metadata_save(enum metadata metadata, const struct atlas *atlas, struct blob *out, struct error *err)
{
    const struct metadata_format *format = &metadata_formats[metadata];
    if (format->save)
        return format->is_of_sheet && atlas->page > 0 ? 0 : format->save(atlas, out, err);
    struct arena arena = {0};
    struct template *template;
    struct bytes text = {(const uint8_t *)format->template, (size_t)(format->template_end - format->template)};
    int result = template_load(text, format->suffix, &arena, &template, err);
    if (result == 0)
        result = template_save(template, atlas, out, err);
    arena_release(&arena);
    return result < 0 ? error_add(err, "metadata '%s'", format->name) : 0;
}
