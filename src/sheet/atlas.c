#include "sheet/atlas.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One JSON file in the making. */
struct page {
    const struct atlas *atlas;
    json_t **names;      /* of all frames of the sheet, as JSON strings */
    const char **sorted; /* names of this page's frames in the order in which the file has them */
    bool failed;         /* a value could not be made or stored */
};

/* Text from a file need not be UTF-8, but JSON must be: what is not becomes '?'. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = must_strdup(text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

/* Rounded to `decimals` so that the file never shows the noise of binary fractions; whole numbers are written
 * without a point. NULL when it is not finite. */
static json_t *number_value(double number, int decimals)
{
    double scale = pow(10, decimals);
    double rounded = round(number * scale) / scale;
    if (!isfinite(rounded))
        return NULL;
    if (rounded == trunc(rounded) && fabs(rounded) < 1e15)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

static void set(struct page *page, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) < 0)
        page->failed = true;
}

/* The same with a key that comes from outside. */
static void set_named(struct page *page, json_t *object, const char *name, json_t *value)
{
    json_t *key = text_value(name);
    set(page, object, json_string_value(key), value);
    json_decref(key);
}

static void append(struct page *page, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) < 0)
        page->failed = true;
}

static json_t *size_value(uint32_t width, uint32_t height)
{
    return json_pack("{s:I, s:I}", "w", (json_int_t)width, "h", (json_int_t)height);
}

static json_t *rect_value(const struct rect *rect)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "x", (json_int_t)rect->x, "y", (json_int_t)rect->y, "w",
                     (json_int_t)rect->width, "h", (json_int_t)rect->height);
}

static json_t *point_value(struct page *page, const double point[2])
{
    json_t *value = json_object();
    set(page, value, "x", number_value(point[0], 6));
    set(page, value, "y", number_value(point[1], 6));
    return value;
}

static json_t *frame_value(struct page *page, const struct atlas_frame *frame)
{
    json_t *value = json_object();
    set(page, value, "frame", rect_value(&frame->rect));
    set(page, value, "rotated", json_false());
    set(page, value, "trimmed", json_boolean(frame->trimmed));
    set(page, value, "spriteSourceSize", rect_value(&frame->source_rect));
    set(page, value, "sourceSize", size_value(frame->source_px[0], frame->source_px[1]));
    set(page, value, "anchor", point_value(page, frame->pivot)); /* PixiJS and Phaser */
    set(page, value, "pivot", point_value(page, frame->pivot));  /* TexturePacker's name for it */
    set(page, value, "duration", number_value(frame->duration_ms, 3));
    return value;
}

static json_t *frames_value(struct page *page, struct error *err)
{
    const struct atlas *atlas = page->atlas;
    json_t *frames = json_object();
    for (size_t i = 0; i < atlas->page_frame_count; i++) {
        size_t frame = atlas->first_frame + i;
        const char *name = json_string_value(page->names[frame]);
        if (json_object_get(frames, name)) {
            error_set(err, "two frames have the name '%s'", name);
            json_decref(frames);
            return NULL;
        }
        set(page, frames, name, frame_value(page, &atlas->frames[frame]));
    }
    return frames;
}

/* The frames of an animation that are on this page, as indices into the frames of the sheet. */
static size_t frames_on_page(const struct atlas *atlas, const struct atlas_animation *animation, size_t *first)
{
    size_t end = animation->first_frame + animation->frame_count;
    size_t page_end = atlas->first_frame + atlas->page_frame_count;
    *first = animation->first_frame > atlas->first_frame ? animation->first_frame : atlas->first_frame;
    end = end < page_end ? end : page_end;
    return end > *first ? end - *first : 0;
}

static json_t *names_value(struct page *page, size_t first, size_t count)
{
    json_t *names = json_array();
    for (size_t i = 0; i < count; i++)
        append(page, names, json_incref(page->names[first + i]));
    return names;
}

static json_t *animations_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *animations = json_object();
    for (size_t i = 0; i < atlas->animation_count; i++) {
        size_t first, count = frames_on_page(atlas, &atlas->animations[i], &first);
        if (count > 0)
            set_named(page, animations, atlas->animations[i].name, names_value(page, first, count));
    }
    return animations;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t place_of(const struct page *page, size_t frame)
{
    const char *name = json_string_value(page->names[frame]);
    const char **found =
        bsearch(&name, page->sorted, page->atlas->page_frame_count, sizeof *page->sorted, compare_names);
    return found ? (size_t)(found - page->sorted) : 0;
}

/* Aseprite's tags count frames in the order of the file, which is that of their names. The names of an animation
 * have a common beginning, so they stay together. */
static json_t *tags_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *tags = json_array();
    for (size_t i = 0; i < atlas->animation_count; i++) {
        size_t first, count = frames_on_page(atlas, &atlas->animations[i], &first);
        if (count == 0)
            continue;
        size_t from = SIZE_MAX, to = 0;
        for (size_t frame = first; frame < first + count; frame++) {
            size_t place = place_of(page, frame);
            from = place < from ? place : from;
            to = place > to ? place : to;
        }
        json_t *name = text_value(atlas->animations[i].name);
        append(page, tags,
               json_pack("{s:o, s:I, s:I, s:s}", "name", name, "from", (json_int_t)from, "to", (json_int_t)to,
                         "direction", "forward"));
    }
    return tags;
}

/* Times and loop of the whole animation; its frames too where they go on on another page. */
static json_t *own_animations_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *animations = json_object();
    for (size_t i = 0; i < atlas->animation_count; i++) {
        const struct atlas_animation *animation = &atlas->animations[i];
        size_t first, count = frames_on_page(atlas, animation, &first);
        if (count == 0)
            continue;
        json_t *value = json_object(), *times = json_array();
        for (size_t j = 0; j < animation->frame_count; j++)
            append(page, times, number_value(atlas->frames[animation->first_frame + j].time_s, 6));
        set(page, value, "loop", json_boolean(animation->loop));
        set(page, value, "times", times);
        if (count < animation->frame_count)
            set(page, value, "frames", names_value(page, animation->first_frame, animation->frame_count));
        set_named(page, animations, animation->name, value);
    }
    return animations;
}

static void set_scale(struct page *page, json_t *object, const struct atlas_scale *scale)
{
    set(page, object, "pixelsPerUnit", number_value(scale->pixels_per_unit, 6));
    if (!page->atlas->has_depths)
        return;
    set(page, object, "nearest", number_value(scale->nearest, 6));
    set(page, object, "farthest", number_value(scale->farthest, 6));
}

static json_t *cameras_value(struct page *page)
{
    json_t *cameras = json_object();
    for (size_t i = 0; i < page->atlas->camera_count; i++) {
        const struct atlas_camera *camera = &page->atlas->cameras[i];
        json_t *value = json_object();
        set(page, value, "projection", text_value(camera->projection));
        if (camera->is_steady)
            set_scale(page, value, &camera->scale);
        set_named(page, cameras, camera->name, value);
    }
    return cameras;
}

/* Of this page's frames, where cameras alone cannot tell. */
static json_t *scales_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *frames = json_object();
    for (size_t i = 0; i < atlas->page_frame_count; i++) {
        size_t frame = atlas->first_frame + i;
        json_t *value = json_object();
        set_scale(page, value, &atlas->frames[frame].scale);
        set(page, frames, json_string_value(page->names[frame]), value);
    }
    return frames;
}

static json_t *passes_value(struct page *page)
{
    json_t *passes = json_object();
    for (size_t i = 0; i < page->atlas->pass_count; i++)
        set(page, passes, page->atlas->passes[i].name, text_value(page->atlas->passes[i].image));
    return passes;
}

static json_t *masks_value(struct page *page)
{
    json_t *masks = json_array();
    for (size_t i = 0; i < page->atlas->mask_count; i++) {
        const struct atlas_mask *mask = &page->atlas->masks[i];
        json_t *value = json_object();
        char color[8];
        snprintf(color, sizeof color, "#%02x%02x%02x", mask->color[0], mask->color[1], mask->color[2]);
        set(page, value, "color", json_string(color));
        set(page, value, "part", text_value(mask->part));
        set(page, value, "surface", text_value(mask->surface));
        append(page, masks, value);
    }
    return masks;
}

static json_t *socket_value(struct page *page, size_t socket)
{
    const struct atlas *atlas = page->atlas;
    json_t *frames = json_object();
    for (size_t i = 0; i < atlas->page_frame_count; i++) {
        const struct atlas_point *point = &atlas->frames[atlas->first_frame + i].sockets[socket];
        if (!point->is_seen)
            continue;
        json_t *value = json_object();
        set(page, value, "x", number_value(point->px[0], 3));
        set(page, value, "y", number_value(point->px[1], 3));
        set(page, value, "depth", number_value(point->depth, 6));
        set(page, frames, json_string_value(page->names[atlas->first_frame + i]), value);
    }
    return frames;
}

static json_t *sockets_value(struct page *page)
{
    json_t *sockets = json_object();
    for (size_t i = 0; i < page->atlas->socket_count; i++)
        set_named(page, sockets, page->atlas->sockets[i], socket_value(page, i));
    return sockets;
}

static json_t *inputs_value(struct page *page)
{
    json_t *inputs = json_object();
    for (size_t i = 0; i < page->atlas->input_count; i++)
        set_named(page, inputs, page->atlas->inputs[i].path, text_value(page->atlas->inputs[i].hash));
    return inputs;
}

static json_t *texts_value(struct page *page, const char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        append(page, array, text_value(texts[i]));
    return array;
}

static json_t *own_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *own = json_object();
    set(page, own, "version", json_string(SHEETBAKE_VERSION));
    set(page, own, "renderer", text_value(atlas->renderer ? atlas->renderer : ""));
    set(page, own, "inputs", inputs_value(page));
    set(page, own, "cameras", cameras_value(page));
    set(page, own, "animations", own_animations_value(page));
    if (atlas->has_unsteady_cameras)
        set(page, own, "frames", scales_value(page));
    if (atlas->pass_count > 0)
        set(page, own, "passes", passes_value(page));
    if (atlas->mask_count > 0)
        set(page, own, "mask", masks_value(page));
    if (atlas->socket_count > 0)
        set(page, own, "sockets", sockets_value(page));
    set(page, own, "warnings", texts_value(page, atlas->warnings, atlas->warning_count));
    return own;
}

static json_t *meta_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *meta = json_object();
    set(page, meta, "app", json_string("sheetbake"));
    set(page, meta, "version", json_string(SHEETBAKE_VERSION));
    set(page, meta, "image", text_value(atlas->image));
    set(page, meta, "format", json_string("RGBA8888"));
    set(page, meta, "size", size_value(atlas->width, atlas->height));
    set(page, meta, "scale", json_string("1"));
    set(page, meta, "frameTags", tags_value(page));
    if (atlas->sibling_count > 0 && atlas->first_frame == 0)
        set(page, meta, "related_multi_packs", texts_value(page, atlas->siblings, atlas->sibling_count));
    set(page, meta, "sheetbake", own_value(page));
    return meta;
}

static int save_page(struct page *page, struct blob *out, struct error *err)
{
    json_t *frames = frames_value(page, err);
    if (!frames)
        return -1;
    json_t *root = json_object();
    set(page, root, "frames", frames);
    set(page, root, "animations", animations_value(page));
    set(page, root, "meta", meta_value(page));
    /* Numbers were rounded to fewer than 15 digits, so that all of them come out as they would be written. */
    char *text = page->failed ? NULL : json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    json_decref(root);
    if (!text)
        return error_set(err, "cannot make the JSON: a number is not finite, or memory is out");

    size_t size = strlen(text);
    text[size] = '\n'; /* in the place of the NUL: a blob has none */
    *out = (struct blob){(uint8_t *)text, size + 1};
    return 0;
}

int atlas_save_json(const struct atlas *atlas, struct blob *out, struct error *err)
{
    struct page page = {
        .atlas = atlas,
        .names = must_alloc(atlas->frame_count, sizeof *page.names),
        .sorted = must_alloc(atlas->page_frame_count, sizeof *page.sorted),
    };
    for (size_t i = 0; i < atlas->frame_count; i++)
        page.names[i] = text_value(atlas->frames[i].name);
    for (size_t i = 0; i < atlas->page_frame_count; i++)
        page.sorted[i] = json_string_value(page.names[atlas->first_frame + i]);
    qsort(page.sorted, atlas->page_frame_count, sizeof *page.sorted, compare_names);

    int result = save_page(&page, out, err);
    for (size_t i = 0; i < atlas->frame_count; i++)
        json_decref(page.names[i]);
    free(page.names);
    free(page.sorted);
    return result;
}
