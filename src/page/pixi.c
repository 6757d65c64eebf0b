/* The JSON that PixiJS and Phaser 3 read, with our own data for games under meta.sheetbake. docs/formats.md lists
 * the fields. Keys are sorted and there is no time stamp: the same atlas gives the same bytes. Text that is not
 * UTF-8 gets '?' for what JSON cannot hold.
 *
 * A sheet of several pages has one JSON each. `frames`, `animations` and `frameTags` of a file have its own
 * frames only, because PixiJS looks the frames of an animation up in the page alone: one from another page would
 * be undefined in its list. An animation that spans pages is in none of these lists, so that a game that asks for
 * it notices; meta.sheetbake.animations of each page has all its frames. `related_multi_packs` is in the first
 * page's file only: loading that one loads all, and pages that name each other make PixiJS's loader wait for ever
 * when a program asks for several of them at once (issue 8833 there). `frameTags` count frames in the order of
 * the file, that of their names.
 *
 * The compact form has no white space and nothing that neither of the two needs: no `pivot`, `rotated`, sizes of
 * frames that are not trimmed, `frameTags`. */
#include "page/metadata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "sheet/json_value.h"

/* One JSON file in the making. */
struct page {
    const struct atlas *atlas;
    bool is_compact;
    json_t **names;      /* of all frames of the sheet, as JSON strings */
    const char **sorted; /* names of this page's frames in the order in which the file has them */
    size_t frame_count;  /* of this page */
    bool failed;         /* a value could not be made or stored */
};

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

static json_t *frame_value(struct page *page, const struct atlas_frame *frame)
{
    json_t *value = json_object();
    set(page, value, "frame", rect_value(&frame->rect));
    set(page, value, "anchor", point_value(frame->pivot, 6)); /* PixiJS and Phaser */
    set(page, value, "duration", number_value(frame->duration_ms, 3));
    if (frame->trimmed || !page->is_compact) {
        set(page, value, "trimmed", json_boolean(frame->trimmed));
        set(page, value, "spriteSourceSize", rect_value(&frame->source_rect));
        set(page, value, "sourceSize", size_value(frame->source_px[0], frame->source_px[1]));
    }
    if (!page->is_compact) {
        set(page, value, "rotated", json_false());
        set(page, value, "pivot", point_value(frame->pivot, 6)); /* TexturePacker's name for it */
    }
    return value;
}

static bool is_on_page(const struct atlas *atlas, size_t frame)
{
    return atlas->frames[frame].page == atlas->page;
}

static json_t *frames_value(struct page *page, struct error *err)
{
    const struct atlas *atlas = page->atlas;
    json_t *frames = json_object();
    for (size_t frame = 0; frame < atlas->frame_count; frame++) {
        if (!is_on_page(atlas, frame))
            continue;
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

static size_t count_on_page(const struct atlas *atlas, const struct atlas_animation *animation)
{
    size_t count = 0;
    for (size_t i = 0; i < animation->frame_count; i++)
        count += is_on_page(atlas, animation->first_frame + i);
    return count;
}

static json_t *names_value(struct page *page, const struct atlas_animation *animation)
{
    json_t *names = json_array();
    for (size_t i = 0; i < animation->frame_count; i++)
        append(page, names, json_incref(page->names[animation->first_frame + i]));
    return names;
}

static json_t *animations_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *animations = json_object();
    for (size_t i = 0; i < atlas->animation_count; i++)
        if (count_on_page(atlas, &atlas->animations[i]) == atlas->animations[i].frame_count)
            set_named(page, animations, atlas->animations[i].name, names_value(page, &atlas->animations[i]));
    return animations;
}

static size_t place_of(const struct page *page, size_t frame)
{
    const char *name = json_string_value(page->names[frame]);
    const char **found = bsearch(&name, page->sorted, page->frame_count, sizeof *page->sorted, strings_compare);
    return found ? (size_t)(found - page->sorted) : 0;
}

/* Aseprite's tags count frames in the order of the file, which is that of their names. The names of an animation
 * have a common beginning, so they stay together. */
static json_t *tags_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *tags = json_array();
    for (size_t i = 0; i < atlas->animation_count; i++) {
        const struct atlas_animation *animation = &atlas->animations[i];
        if (count_on_page(atlas, animation) < animation->frame_count)
            continue;
        size_t from = place_of(page, animation->first_frame), to = from + animation->frame_count - 1;
        json_t *name = text_value(animation->name);
        append(page, tags,
               json_pack("{s:o, s:I, s:I, s:s}", "name", name, "from", (json_int_t)from, "to", (json_int_t)to,
                         "direction", "forward"));
    }
    return tags;
}

static json_t *travel_value(struct page *page, const struct atlas_animation *animation)
{
    json_t *value = point_value(animation->travel, 3), *moved = json_array();
    for (size_t i = 0; i < animation->frame_count; i++)
        append(page, moved, point_value(page->atlas->frames[animation->first_frame + i].moved, 3));
    set(page, value, "distance", number_value(hypot(animation->travel[0], animation->travel[1]), 3));
    set(page, value, "moved", moved);
    return value;
}

/* Times and loop of the whole animation; its frames too where they go on on another page. */
static json_t *own_animations_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *animations = json_object();
    for (size_t i = 0; i < atlas->animation_count; i++) {
        const struct atlas_animation *animation = &atlas->animations[i];
        size_t count = count_on_page(atlas, animation);
        if (count == 0)
            continue;
        json_t *value = json_object(), *times = json_array();
        for (size_t j = 0; j < animation->frame_count; j++)
            append(page, times, number_value(atlas->frames[animation->first_frame + j].time_s, 6));
        set(page, value, "loop", json_boolean(animation->loop));
        set(page, value, "times", times);
        if (animation->travels)
            set(page, value, "travel", travel_value(page, animation));
        if (count < animation->frame_count)
            set(page, value, "frames", names_value(page, animation));
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
        if (camera->has_one_scale)
            set_scale(page, value, &camera->scale);
        set_named(page, cameras, camera->name, value);
    }
    return cameras;
}

/* Of this page's frames, where a camera has several scales. */
static json_t *scales_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *frames = json_object();
    for (size_t frame = 0; frame < atlas->frame_count; frame++) {
        if (!is_on_page(atlas, frame))
            continue;
        json_t *value = json_object();
        set_scale(page, value, &atlas->frames[frame].scale);
        set(page, frames, json_string_value(page->names[frame]), value);
    }
    return frames;
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

/* Where each is seen in the frames of this page. */
static json_t *sockets_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *sockets = json_object();
    for (size_t i = 0; i < atlas->socket_count; i++) {
        json_t *frames = json_object();
        for (size_t frame = 0; frame < atlas->frame_count; frame++) {
            if (!is_on_page(atlas, frame) || !atlas->frames[frame].sockets[i].is_seen)
                continue;
            const struct atlas_point *point = &atlas->frames[frame].sockets[i];
            json_t *value = json_object();
            set(page, value, "x", number_value(point->px[0], 3));
            set(page, value, "y", number_value(point->px[1], 3));
            set(page, value, "depth", number_value(point->depth, 6));
            set(page, frames, json_string_value(page->names[frame]), value);
        }
        set_named(page, sockets, atlas->sockets[i], frames);
    }
    return sockets;
}

static json_t *own_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *own = json_object(), *passes = json_object();
    for (size_t i = 0; i < atlas->pass_count; i++)
        set(page, passes, atlas->passes[i].name, text_value(atlas->passes[i].image));
    set(page, own, "cameras", cameras_value(page));
    set(page, own, "animations", own_animations_value(page));
    if (atlas->has_frame_scales)
        set(page, own, "frames", scales_value(page));
    if (atlas->pass_count > 0)
        set(page, own, "passes", json_incref(passes));
    if (atlas->mask_count > 0)
        set(page, own, "mask", masks_value(page));
    if (atlas->socket_count > 0)
        set(page, own, "sockets", sockets_value(page));
    json_decref(passes);
    return own;
}

static json_t *siblings_value(struct page *page)
{
    json_t *siblings = json_array();
    for (uint32_t i = 0; i < page->atlas->page_count; i++)
        if (i != page->atlas->page)
            append(page, siblings, text_value(page->atlas->pages[i].json));
    return siblings;
}

static json_t *meta_value(struct page *page)
{
    const struct atlas *atlas = page->atlas;
    const struct atlas_page *this = &atlas->pages[atlas->page];
    json_t *meta = json_object();
    set(page, meta, "app", json_string("sheetbake"));
    set(page, meta, "version", json_string(OUTPUT_VERSION_TEXT));
    set(page, meta, "image", text_value(this->image));
    set(page, meta, "format", json_string("RGBA8888"));
    set(page, meta, "size", size_value(this->width, this->height));
    set(page, meta, "scale", json_string("1"));
    if (!page->is_compact)
        set(page, meta, "frameTags", tags_value(page));
    if (atlas->page_count > 1 && atlas->page == 0)
        set(page, meta, "related_multi_packs", siblings_value(page));
    set(page, meta, "sheetbake", own_value(page));
    return meta;
}

static int save(const struct atlas *atlas, bool is_compact, struct blob *out, struct error *err)
{
    struct page page = {
        .atlas = atlas,
        .is_compact = is_compact,
        .names = must_alloc(atlas->frame_count, sizeof *page.names),
        .sorted = must_alloc(atlas->frame_count, sizeof *page.sorted),
    };
    for (size_t i = 0; i < atlas->frame_count; i++) {
        page.names[i] = text_value(atlas->frames[i].name);
        if (is_on_page(atlas, i))
            page.sorted[page.frame_count++] = json_string_value(page.names[i]);
    }
    qsort(page.sorted, page.frame_count, sizeof *page.sorted, strings_compare);

    json_t *frames = frames_value(&page, err);
    int result = frames ? 0 : -1;
    if (frames) {
        json_t *root = json_object();
        set(&page, root, "frames", frames);
        set(&page, root, "animations", animations_value(&page));
        set(&page, root, "meta", meta_value(&page));
        result = json_save(root, !page.failed, is_compact ? JSON_COMPACTED : JSON_SORTED, out, err);
    }
    for (size_t i = 0; i < atlas->frame_count; i++)
        json_decref(page.names[i]);
    free(page.names);
    free(page.sorted);
    return result;
}

int pixi_save(const struct atlas *atlas, struct blob *out, struct error *err)
{
    return save(atlas, false, out, err);
}

int pixi_save_compact(const struct atlas *atlas, struct blob *out, struct error *err)
{
    return save(atlas, true, out, err);
}
