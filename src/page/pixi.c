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
#include "image/image.h"
#include "page/template.h"

/* One JSON file in the making. */
struct pixi_page {
    const struct atlas *atlas;
    bool is_compact;
    json_t **names;      /* of all frames of the sheet, as JSON strings */
    const char **sorted; /* names of this page's frames in the order in which the file has them */
    size_t frame_count;  /* of this page */
    bool failed;         /* a value could not be made or stored */
};

static void set(struct pixi_page *page, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) < 0)
        page->failed = true;
}

/* Sets a value under a name from outside, which need not be UTF-8. */
static void set_named(struct pixi_page *page, json_t *object, const char *name, json_t *value)
{
    json_t *key = text_value(name);
    set(page, object, json_string_value(key), value);
    json_decref(key);
}

static void append(struct pixi_page *page, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) < 0)
        page->failed = true;
}

static json_t *frame_value(const struct pixi_page *page, const struct atlas_frame *frame)
{
    bool is_trimmed = atlas_frame_is_trimmed(frame), has_source = is_trimmed || !page->is_compact;
    return json_pack("{s:o, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}", "frame", rect_value(&frame->rect),
                     "anchor", point_value(frame->pivot, 6), /* PixiJS and Phaser */
                     "duration", number_value(frame->duration_ms, 3), "trimmed",
                     has_source ? json_boolean(is_trimmed) : NULL, "spriteSourceSize",
                     has_source ? rect_value(&frame->source) : NULL, "sourceSize",
                     has_source ? size_value(frame->source_px[0], frame->source_px[1]) : NULL, "rotated",
                     page->is_compact ? NULL : json_false(), "pivot", /* TexturePacker's name for it */
                     page->is_compact ? NULL : point_value(frame->pivot, 6), "file",
                     frame->file ? text_value(frame->file) : NULL);
}

int pixi_tell(const struct atlas_frame *frame, json_t *value)
{
    struct pixi_page page = {0};
    json_t *boxes = json_object(), *events = json_array();
    json_t *read = frame->told ? json_loads(frame->told, 0, NULL) : NULL;
    json_object_update(boxes, json_array_get(read, 1));
    json_array_extend(events, json_array_get(read, 2));
    json_decref(read);
    for (size_t i = 0; i < frame->box_count; i++)
        set_named(&page, boxes, frame->boxes[i].name, rect_value(&frame->boxes[i].rect));
    for (size_t i = 0; i < frame->event_count; i++)
        if (frame->events[i].sample == frame->sample)
            append(&page, events, text_value(frame->events[i].name));
    if (json_object_size(boxes))
        set(&page, value, "boxes", json_incref(boxes));
    if (json_array_size(events))
        set(&page, value, "events", json_incref(events));
    json_decref(boxes);
    json_decref(events);
    return page.failed ? -1 : 0;
}

static bool is_on_page(const struct atlas *atlas, size_t frame)
{
    return atlas->frames[frame].page == atlas->page;
}

static json_t *frames_value(struct pixi_page *page, struct error *err)
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
        page->failed |= pixi_tell(&atlas->frames[frame], json_object_get(frames, name)) < 0;
    }
    return frames;
}

static size_t count_on_page(const struct atlas *atlas, const struct atlas_clip *clip)
{
    size_t count = 0;
    for (size_t i = 0; i < clip->frame_count; i++)
        count += is_on_page(atlas, clip->first_frame + i);
    return count;
}

static json_t *names_value(struct pixi_page *page, const struct atlas_clip *clip)
{
    json_t *names = json_array();
    for (size_t i = 0; i < clip->frame_count; i++)
        append(page, names, json_incref(page->names[clip->first_frame + i]));
    return names;
}

/* Aseprite's tags count frames in the order of the file, which is that of their names. The names of an animation
 * have a common beginning, so they stay together. */
static json_t *tags_value(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *tags = json_array();
    for (size_t i = 0; i < atlas->clip_count; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        if (count_on_page(atlas, clip) < clip->frame_count)
            continue;
        const char *first = json_string_value(page->names[clip->first_frame]);
        const char **found = bsearch(&first, page->sorted, page->frame_count, sizeof *found, strings_compare);
        size_t from = found ? (size_t)(found - page->sorted) : 0, to = from + clip->frame_count - 1;
        append(page, tags,
               json_pack("{s:o, s:I, s:I, s:s}", "name", text_value(clip->name), "from", (json_int_t)from, "to",
                         (json_int_t)to, "direction", "forward"));
    }
    return tags;
}

static json_t *travel_value(struct pixi_page *page, const struct atlas_clip *clip)
{
    json_t *value = point_value(clip->travel, 3), *moved = json_array();
    for (size_t i = 0; i < clip->frame_count; i++)
        append(page, moved, point_value(page->atlas->frames[clip->first_frame + i].moved, 3));
    set(page, value, "distance", number_value(hypot(clip->travel[0], clip->travel[1]), 3));
    set(page, value, "moved", moved);
    return value;
}

/* Returns times and loop of each animation as a whole; its frames, too, where they go on on another page. */
static json_t *own_animations_value(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *animations = json_object();
    for (size_t i = 0; i < atlas->clip_count; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        size_t count = count_on_page(atlas, clip);
        if (count == 0)
            continue;
        json_t *value = json_object(), *times = json_array();
        for (size_t j = 0; j < clip->frame_count; j++)
            append(page, times, number_value(atlas->frames[clip->first_frame + j].time_s, 6));
        set(page, value, "loop", json_boolean(clip->loop));
        set(page, value, "times", times);
        if (clip->travels)
            set(page, value, "travel", travel_value(page, clip));
        if (count < clip->frame_count)
            set(page, value, "frames", names_value(page, clip));
        set_named(page, animations, clip->name, value);
    }
    return animations;
}

static void set_scale(struct pixi_page *page, json_t *object, const struct atlas_scale *scale)
{
    set(page, object, "pixelsPerUnit", number_value(scale->pixels_per_unit, 6));
    if (!page->atlas->has_depths)
        return;
    set(page, object, "nearest", number_value(scale->nearest, 6));
    set(page, object, "farthest", number_value(scale->farthest, 6));
}

static json_t *cameras_value(struct pixi_page *page)
{
    json_t *cameras = json_object();
    for (size_t i = 0; i < page->atlas->camera_count; i++) {
        const struct atlas_camera *camera = &page->atlas->cameras[i];
        json_t *value = json_object();
        set(page, value, "projection", text_value(camera->projection));
        if (camera->mirrored)
            set(page, value, "mirrored", text_value(camera->mirrored));
        if (camera->has_one_scale)
            set_scale(page, value, &camera->scale);
        set_named(page, cameras, camera->name, value);
    }
    return cameras;
}

/* Returns the scales of this page's frames, where a camera has several. */
static json_t *scales_value(struct pixi_page *page)
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

static json_t *color_value(const uint8_t color[3])
{
    return json_sprintf("#%02x%02x%02x", color[0], color[1], color[2]);
}

static json_t *masks_value(struct pixi_page *page)
{
    json_t *masks = json_array();
    for (size_t i = 0; i < page->atlas->mask_count; i++) {
        const struct atlas_mask *mask = &page->atlas->masks[i];
        append(page, masks,
               json_pack("{s:o, s:o, s:o}", "color", color_value(mask->color), "part", text_value(mask->part),
                         "surface", text_value(mask->surface)));
    }
    return masks;
}

/* Returns for each socket the frames of this page that show it. */
static json_t *sockets_value(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    json_t *sockets = json_object();
    for (size_t i = 0; i < atlas->socket_count; i++)
        set_named(page, sockets, atlas->sockets[i], json_object());
    for (size_t frame = 0; frame < atlas->frame_count; frame++)
        for (size_t i = 0; is_on_page(atlas, frame) && i < atlas->frames[frame].socket_count; i++) {
            const struct atlas_socket *socket = &atlas->frames[frame].sockets[i];
            json_t *value = point_value(socket->px, 3), *name = text_value(socket->name);
            set(page, value, "depth", number_value(socket->depth, 6));
            set(page, json_object_get(sockets, json_string_value(name)), json_string_value(page->names[frame]),
                value);
            json_decref(name);
        }
    return sockets;
}

static json_t *meta_value(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    const struct atlas_page *this = &atlas->pages[atlas->page];
    json_t *own = json_object(), *passes = json_object(), *siblings = json_array(), *palette = json_array();
    for (size_t i = 0; i < atlas->pass_count; i++)
        set(page, passes, atlas->passes[i].name, text_value(atlas->passes[i].image));
    set(page, own, "cameras", cameras_value(page));
    set(page, own, "animations", own_animations_value(page));
    if (atlas->has_pivot)
        set(page, own, "pivot", point_value(atlas->pivot_px, 0));
    if (atlas->has_frame_scales)
        set(page, own, "frames", scales_value(page));
    if (atlas->pass_count > 0)
        set(page, own, "passes", json_incref(passes));
    if (atlas->mask_count > 0)
        set(page, own, "mask", masks_value(page));
    for (uint32_t i = 0; atlas->palette && i < atlas->palette->count; i++)
        append(page, palette, color_value(atlas->palette->colors[i]));
    if (atlas->palette)
        set(page, own, "palette", json_incref(palette));
    if (atlas->socket_count > 0)
        set(page, own, "sockets", sockets_value(page));
    json_decref(palette);
    json_decref(passes);

    for (uint32_t i = 1; i < atlas->page_count && atlas->page == 0; i++)
        append(page, siblings, text_value(atlas->pages[i].json));
    char scale[16];
    snprintf(scale, sizeof scale, "%u", atlas->scale ? atlas->scale : 1);
    json_t *meta = json_pack("{s:s, s:s, s:o, s:s, s:o, s:s, s:o}", "app", "sheetbake", "version",
                             OUTPUT_VERSION_TEXT, "image", text_value(this->image), "format", "RGBA8888", "size",
                             size_value(this->width, this->height), "scale", scale, "sheetbake", own);
    if (!page->is_compact)
        set(page, meta, "frameTags", tags_value(page));
    if (json_array_size(siblings))
        set(page, meta, "related_multi_packs", json_incref(siblings));
    json_decref(siblings);
    return meta;
}

int pixi_save(const struct atlas *atlas, bool is_compact, struct blob *out, struct error *err)
{
    struct pixi_page page = {
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
        json_t *root = json_object(), *animations = json_object();
        for (size_t i = 0; i < atlas->clip_count; i++)
            if (count_on_page(atlas, &atlas->clips[i]) == atlas->clips[i].frame_count)
                set_named(&page, animations, atlas->clips[i].name, names_value(&page, &atlas->clips[i]));
        set(&page, root, "frames", frames);
        set(&page, root, "animations", animations);
        set(&page, root, "meta", meta_value(&page));
        result = json_save(root, !page.failed, is_compact ? JSON_COMPACTED : JSON_SORTED, out, err);
    }
    for (size_t i = 0; i < atlas->frame_count; i++)
        json_decref(page.names[i]);
    free(page.names);
    free(page.sorted);
    return result;
}

/* -- Reading ----------------------------------------------------------------------------------------------- */

/* A file of anybody's. `travel`, projections, the legend of a mask, `frameTags` and `related_multi_packs` are left
 * unread: what compares, shows or joins sheets has no use for them. */

enum { MOST_SOCKETS = 256 };

/* Bounds milliseconds, and numbers that say where something is: sums stay finite, also rounded to decimals. */
static const double most_number = 1e9;

/* One JSON file that is read. */
struct pixi_file {
    struct arena *arena; /* where what is read lives */
    const json_t *frames, *sockets;
    const json_t *own;   /* meta.sheetbake */
    json_t *left;        /* of `frames` what is in no clip so far */
    uint32_t page_px[2]; /* the sides of its picture */
    struct atlas_frame *items;
    size_t count, capacity;
};

/* Takes the key's number, if it is from `least` to IMAGE_MAX_SIDE. */
static bool take_uint(const json_t *object, const char *key, uint32_t least, uint32_t *out)
{
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    bool is_good = json_is_integer(value) && number >= least && number <= IMAGE_MAX_SIDE;
    if (is_good)
        *out = (uint32_t)number;
    return is_good;
}

/* Takes a size of at least a pixel. */
static bool take_size(const json_t *object, uint32_t *width, uint32_t *height)
{
    return take_uint(object, "w", 1, width) && take_uint(object, "h", 1, height);
}

static bool take_rect(const json_t *object, struct rect *out)
{
    return take_uint(object, "x", 0, &out->x) && take_uint(object, "y", 0, &out->y) &&
           take_size(object, &out->width, &out->height);
}

static bool take_double(const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_number_value(value);
    return json_is_number(value) && fabs(*out) <= most_number;
}

static bool take_point(const json_t *object, double out[2])
{
    return take_double(object, "x", &out[0]) && take_double(object, "y", &out[1]);
}

static int take_frame(const struct pixi_file *file, const json_t *value, struct atlas_frame *frame,
                      struct error *err)
{
    const json_t *source = json_object_get(value, "sourceSize");
    if (!take_rect(json_object_get(value, "frame"), &frame->rect) ||
        !take_point(json_object_get(value, "anchor"), frame->pivot) ||
        !take_double(value, "duration", &frame->duration_ms) || frame->duration_ms < 0)
        return error_set(err, "frame '%.200s' has no place of at least a pixel, anchor and duration up to %g",
                         frame->name, most_number);
    const struct rect *rect = &frame->rect;
    if (rect->x + rect->width > file->page_px[0] || rect->y + rect->height > file->page_px[1])
        return error_set(err, "frame '%.200s' lies at %u,%u with %ux%u pixels, outside its page of %ux%u",
                         frame->name, rect->x, rect->y, rect->width, rect->height, file->page_px[0],
                         file->page_px[1]);
    frame->source = (struct rect){0, 0, rect->width, rect->height};
    frame->source_px[0] = rect->width;
    frame->source_px[1] = rect->height;
    if (!source) /* the compact form leaves out what the place says */
        return 0;
    if (!take_rect(json_object_get(value, "spriteSourceSize"), &frame->source) ||
        !take_size(source, &frame->source_px[0], &frame->source_px[1]) || frame->source.width != rect->width ||
        frame->source.height != rect->height || frame->source.x + rect->width > frame->source_px[0] ||
        frame->source.y + rect->height > frame->source_px[1])
        return error_set(err, "frame '%.200s' does not lie in its untrimmed cell", frame->name);
    return 0;
}

static double number_or_0(const json_t *object, const char *key)
{
    double number;
    return take_double(object, key, &number) ? number : 0;
}

/* Takes the scale that the frame has, or its camera: the part before the number in its name. */
static void take_scale(const struct pixi_file *file, struct atlas_frame *frame)
{
    const json_t *value = json_object_get(json_object_get(file->own, "frames"), frame->name);
    char *name = must_printf("/%s", frame->name);
    *strrchr(name, '/') = '\0';
    if (!value && *name)
        value = json_object_get(json_object_get(file->own, "cameras"), strrchr(name, '/') + 1);
    frame->scale = (struct atlas_scale){number_or_0(value, "pixelsPerUnit"), number_or_0(value, "nearest"),
                                        number_or_0(value, "farthest")};
    free(name);
}

/* Takes the sockets, and all that games are told of the frame as one text. */
static int take_sockets(const struct pixi_file *file, const json_t *value, struct atlas_frame *frame,
                        struct error *err)
{
    struct atlas_socket found[MOST_SOCKETS];
    const char *name;
    json_t *frames, *points = json_object();
    int result = 0;
    json_object_foreach((json_t *)file->sockets, name, frames)
    {
        json_t *point = json_object_get(frames, frame->name);
        struct atlas_socket *socket = &found[frame->socket_count];
        if (!point)
            continue;
        if (!take_point(point, socket->px) || !take_double(point, "depth", &socket->depth))
            result = error_set(err, "socket '%.200s' of frame '%.200s' has no place and depth within %g", name,
                               frame->name, most_number);
        json_object_set(points, name, point);
        socket->name = arena_strdup(file->arena, name);
        frame->socket_count++;
    }
    json_t *all = json_pack("[oO?O?]", points, json_object_get(value, "boxes"), json_object_get(value, "events"));
    frame->sockets = arena_copy(file->arena, found, frame->socket_count, sizeof *found);
    frame->told = arena_take(file->arena, json_dumps(all, JSON_SORT_KEYS));
    json_decref(all);
    return result;
}

/* Adds a frame. Only the name is known of one on another page. */
static int add_frame(struct pixi_file *file, const char *name, struct error *err)
{
    const json_t *value = json_object_get(file->left, name);
    struct atlas_frame frame = {.name = arena_strdup(file->arena, name), .page = value ? 0 : PIXI_ELSEWHERE};
    if (file->count == LAYOUT_MOST_CELLS)
        return error_set(err, "it has more than %d frames", LAYOUT_MOST_CELLS);
    if (!value && json_object_get(file->frames, name))
        return error_set(err, "its animations have the frame '%.200s' twice", name);
    if (value && (take_frame(file, value, &frame, err) < 0 || take_sockets(file, value, &frame, err) < 0))
        return -1;
    if (value)
        take_scale(file, &frame);
    *MUST_ADD(file->items, file->count, file->capacity) = frame;
    return 0;
}

/* `own`: of meta.sheetbake. A clip that goes on on another page has its list of frames there. */
static int take_clips(struct pixi_file *file, const json_t *lists, json_t *own, struct atlas *atlas,
                      struct error *err)
{
    struct atlas_clip *clips = arena_must_alloc(file->arena, json_object_size(own), sizeof *clips);
    const char *name;
    json_t *value, *item;
    size_t i;
    atlas->clips = clips;
    json_object_foreach(own, name, value)
    {
        const json_t *frames = json_object_get(value, "frames");
        if (!frames)
            frames = json_object_get(lists, name);
        if (!*name) /* one of frames in no animation has none */
            return error_set(err, "it has an animation without a name");
        if (!json_array_size(frames))
            return error_set(err, "its animation '%.200s' has no frames", name);
        clips[atlas->clip_count++] = (struct atlas_clip){
            .name = arena_strdup(file->arena, name),
            .first_frame = file->count,
            .frame_count = json_array_size(frames),
            .loop = json_is_true(json_object_get(value, "loop")),
        };
        const json_t *times = json_object_get(value, "times");
        json_array_foreach(frames, i, item)
        {
            const char *frame = json_string_value(item);
            if (!frame)
                return error_set(err, "a frame of its animation '%.200s' is not a text", name);
            if (add_frame(file, frame, err) < 0)
                return -1;
            file->items[file->count - 1].time_s = json_number_value(json_array_get(times, i));
            json_object_del(file->left, frame);
        }
    }
    return 0;
}

static int take_frames(struct pixi_file *file, const json_t *root, json_t *own, struct atlas *atlas,
                       struct error *err)
{
    const char *name;
    json_t *value;
    int result =
        take_clips(file, json_object_get(root, "animations"), json_object_get(own, "animations"), atlas, err);
    json_object_foreach(file->left, name, value)
    {
        if (result == 0)
            result = add_frame(file, name, err);
    }
    atlas->frames = arena_copy(file->arena, file->items, file->count, sizeof *file->items);
    atlas->frame_count = file->count;
    return result;
}

/* A picture of the page: a plain name beside its JSON. */
static int take_picture(const struct pixi_file *file, const char *pass, const json_t *value, const char **out,
                        struct error *err)
{
    const char *picture = json_string_value(value);
    if (!picture || !metadata_is_picture(picture) || strchr(picture, '/'))
        return error_set(err, "its pass '%.200s' names '%.200s', which is not a picture beside it", pass,
                         picture ? picture : "");
    *out = arena_strdup(file->arena, picture);
    return 0;
}

static int take_page(struct pixi_file *file, const json_t *root, struct atlas *atlas, struct error *err)
{
    const json_t *meta = json_object_get(root, "meta");
    json_t *own = json_object_get(meta, "sheetbake"), *passes = json_object_get(own, "passes"), *value;
    struct atlas_page *page = arena_must_alloc(file->arena, 1, sizeof *page);
    struct atlas_pass *pass = arena_must_alloc(file->arena, json_object_size(passes), sizeof *pass);
    const char *name;
    *atlas = (struct atlas){.pages = page, .page_count = 1, .passes = pass};
    if (!take_size(json_object_get(meta, "size"), &page->width, &page->height))
        return error_set(err, "it does not say how large its page is: it is not the JSON of a sheet");
    if (take_picture(file, "color", json_object_get(meta, "image"), &page->image, err) < 0)
        return -1;
    json_object_foreach(passes, name, value)
    {
        pass[atlas->pass_count].name = arena_strdup(file->arena, name);
        if (take_picture(file, name, value, &pass[atlas->pass_count++].image, err) < 0)
            return -1;
    }
    file->own = own;
    file->sockets = json_object_get(own, "sockets");
    if (json_object_size(file->sockets) > MOST_SOCKETS)
        return error_set(err, "it has %zu sockets, at most %d are allowed", json_object_size(file->sockets),
                         MOST_SOCKETS);
    file->page_px[0] = page->width;
    file->page_px[1] = page->height;
    return take_frames(file, root, own, atlas, err);
}

int pixi_load(struct bytes bytes, struct arena *arena, struct atlas *out, struct error *err)
{
    json_error_t problem;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return error_set(err, "line %d: %s", problem.line, problem.text);
    struct pixi_file file = {.arena = arena, .frames = json_object_get(root, "frames")};
    struct atlas atlas;
    file.left = json_copy((json_t *)file.frames);
    int result = take_page(&file, root, &atlas, err);
    json_decref(file.left);
    json_decref(root);
    free(file.items);
    if (result == 0)
        *out = atlas;
    return result;
}
