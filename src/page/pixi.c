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
#include "base/utf8.h"
#include "image/image.h"
#include "page/json_file.h"
#include "sheet/json_value.h"

/* One JSON file in the making. */
struct pixi_page {
    struct json_file json;
    const struct atlas *atlas;
    struct arena arena;
    const char **names;  /* of all frames of the sheet, as the file has them */
    const char **sorted; /* of this page's frames */
    size_t frame_count;  /* of this page */
};

static bool is_on_page(const struct atlas *atlas, size_t frame)
{
    return atlas->frames[frame].page == atlas->page;
}

static void add_rect(struct json_file *json, const char *key, const struct rect *rect)
{
    json_add(json, "{uuuu}", key, "h", rect->height, "w", rect->width, "x", rect->x, "y", rect->y);
}

static void add_frame_value(struct json_file *json, const char *name, const struct atlas_frame *frame)
{
    const double *pivot = frame->pivot;
    const bool is_trimmed = atlas_frame_is_trimmed(frame);
    json_add(json, "{{66}{", name, "anchor", "x", pivot[0], "y", pivot[1], "boxes"); /* PixiJS and Phaser */
    for (size_t i = 0; i < frame->box_count; i++)
        add_rect(json, frame->boxes[i].name, &frame->boxes[i].rect);
    json_add(json, ".3[", "duration", frame->duration_ms, "events");
    for (size_t i = 0; i < frame->event_count; i++)
        if (frame->events[i].sample == frame->sample)
            json_add(json, "s", frame->events[i].name);
    json_add(json, ".s", "file", frame->file);
    add_rect(json, "frame", &frame->rect);
    if (!json->is_compact) /* TexturePacker's name for it */
        json_add(json, "{66}b", "pivot", "x", pivot[0], "y", pivot[1], "rotated", false);
    if (is_trimmed || !json->is_compact) {
        json_add(json, "{uu}", "sourceSize", "h", frame->source_px[1], "w", frame->source_px[0]);
        add_rect(json, "spriteSourceSize", &frame->source);
        json_add(json, "b", "trimmed", is_trimmed);
    }
    json_add(json, "}");
}

static size_t count_on_page(const struct atlas *atlas, const struct atlas_clip *clip)
{
    size_t count = 0;
    for (size_t i = 0; i < clip->frame_count; i++)
        count += is_on_page(atlas, clip->first_frame + i);
    return count;
}

/* Aseprite's tags count frames in the order of the file, which is that of their names. The names of an animation
 * have a common beginning, so they stay together. */
static void add_tags(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    json_add(&page->json, "[", "frameTags");
    for (size_t i = 0; i < atlas->clip_count; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        if (count_on_page(atlas, clip) < clip->frame_count)
            continue;
        const char **found = bsearch(&page->names[clip->first_frame], page->sorted, page->frame_count,
                                     sizeof *found, strings_compare);
        const uint32_t from = found ? (uint32_t)(found - page->sorted) : 0;
        json_add(&page->json, "{susu}", "direction", "forward", "from", from, "name", clip->name, "to",
                 from + (uint32_t)clip->frame_count - 1);
    }
    json_add(&page->json, "]");
}

/* Adds times and loop of each animation as a whole; its frames, too, where they go on on another page. */
static void add_own_animations(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    struct json_file *json = &page->json;
    json_add(json, "{", "animations");
    for (size_t i = 0; i < atlas->clip_count; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        const struct atlas_frame *frames = &atlas->frames[clip->first_frame];
        const double *travel = clip->travel;
        size_t count = count_on_page(atlas, clip);
        if (count == 0)
            continue;
        json_add(json, "{", clip->name);
        if (count < clip->frame_count)
            json_add(json, "t", "frames", page->names + clip->first_frame, clip->frame_count);
        json_add(json, "b[", "loop", clip->loop, "times");
        for (size_t j = 0; j < clip->frame_count; j++)
            json_add(json, "6", frames[j].time_s);
        if (clip->travels) {
            json_add(json, "]{3[", "travel", "distance", hypot(travel[0], travel[1]), "moved");
            for (size_t j = 0; j < clip->frame_count; j++)
                json_add(json, "{33}", "x", frames[j].moved[0], "y", frames[j].moved[1]);
            json_add(json, "]33}}", "x", travel[0], "y", travel[1]);
        } else
            json_add(json, "]}");
    }
    json_add(json, "}");
}

static void add_scale(struct pixi_page *page, const struct atlas_scale *scale)
{
    json_add(&page->json, page->atlas->has_depths ? "666" : "6", "pixelsPerUnit", scale->pixels_per_unit,
             "nearest", scale->nearest, "farthest", scale->farthest);
}

static const char *color_text(struct pixi_page *page, const uint8_t color[3])
{
    return arena_printf(&page->arena, "#%02x%02x%02x", color[0], color[1], color[2]);
}

/* Adds for each socket the frames of this page that show it. */
static void add_sockets(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    json_add(&page->json, "{", "sockets");
    for (size_t s = 0; s < atlas->socket_count; s++) {
        json_add(&page->json, "{", atlas->sockets[s]);
        for (size_t frame = 0; frame < atlas->frame_count; frame++)
            for (size_t i = 0; is_on_page(atlas, frame) && i < atlas->frames[frame].socket_count; i++) {
                const struct atlas_socket *socket = &atlas->frames[frame].sockets[i];
                if (!strcmp(socket->name, atlas->sockets[s]))
                    json_add(&page->json, "{633}", page->names[frame], "depth", socket->depth, "x", socket->px[0],
                             "y", socket->px[1]);
            }
        json_add(&page->json, "}");
    }
    json_add(&page->json, ".");
}

/* Adds our own data, members of which a sheet need not have. */
static void add_own(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    struct json_file *json = &page->json;
    json_add(json, "{", "sheetbake");
    add_own_animations(page);
    json_add(json, "{", "cameras");
    for (size_t i = 0; i < atlas->camera_count; i++) {
        const struct atlas_camera *camera = &atlas->cameras[i];
        json_add(json, "{ss", camera->name, "mirrored", camera->mirrored, "projection", camera->projection);
        if (camera->has_one_scale)
            add_scale(page, &camera->scale);
        json_add(json, "}");
    }
    json_add(json, "}");
    if (atlas->has_frame_scales) { /* where a camera has several */
        json_add(json, "{", "frames");
        for (size_t i = 0; i < atlas->frame_count; i++) {
            if (!is_on_page(atlas, i))
                continue;
            json_add(json, "{", page->names[i]);
            add_scale(page, &atlas->frames[i].scale);
            json_add(json, "}");
        }
        json_add(json, "}");
    }
    json_add(json, "[", "mask");
    for (size_t i = 0; i < atlas->mask_count; i++)
        json_add(json, "{sss}", "color", color_text(page, atlas->masks[i].color), "part", atlas->masks[i].part,
                 "surface", atlas->masks[i].surface);
    json_add(json, ".[", "palette");
    for (uint32_t i = 0; atlas->palette && i < atlas->palette->count; i++)
        json_add(json, "s", color_text(page, atlas->palette->colors[i]));
    json_add(json, ".{", "passes");
    for (size_t i = 0; i < atlas->pass_count; i++)
        json_add(json, "s", atlas->passes[i].name, atlas->passes[i].image);
    json_add(json, ".");
    if (atlas->has_pivot)
        json_add(json, "{00}", "pivot", "x", atlas->pivot_px[0], "y", atlas->pivot_px[1]);
    add_sockets(page);
    json_add(json, "}");
}

static void add_root(struct pixi_page *page)
{
    const struct atlas *atlas = page->atlas;
    const struct atlas_page *this = &atlas->pages[atlas->page];
    struct json_file *json = &page->json;
    json_add(json, "{{", "animations");
    for (size_t i = 0; i < atlas->clip_count; i++)
        if (count_on_page(atlas, &atlas->clips[i]) == atlas->clips[i].frame_count)
            json_add(json, "t", atlas->clips[i].name, page->names + atlas->clips[i].first_frame,
                     atlas->clips[i].frame_count);
    json_add(json, "}{", "frames");
    for (size_t i = 0; i < atlas->frame_count; i++)
        if (is_on_page(atlas, i))
            add_frame_value(json, page->names[i], &atlas->frames[i]);
    json_add(json, "}{ss", "meta", "app", "sheetbake", "format", "RGBA8888");
    if (!json->is_compact)
        add_tags(page);
    json_add(json, "s[", "image", this->image, "related_multi_packs");
    for (uint32_t i = 1; i < atlas->page_count && atlas->page == 0; i++)
        json_add(json, "s", atlas->pages[i].json);
    json_add(json, ".s", "scale", arena_printf(&page->arena, "%u", atlas->scale ? atlas->scale : 1));
    add_own(page);
    json_add(json, "{uu}s}}", "size", "h", this->height, "w", this->width, "version", OUTPUT_VERSION_TEXT);
}

int pixi_save(const struct atlas *atlas, bool is_compact, struct blob *out, struct error *err)
{
    struct pixi_page page = {.json = {.is_compact = is_compact}, .atlas = atlas};
    page.names = arena_must_alloc(&page.arena, atlas->frame_count, sizeof *page.names);
    page.sorted = arena_must_alloc(&page.arena, atlas->frame_count, sizeof *page.sorted);
    for (size_t i = 0; i < atlas->frame_count; i++) {
        char *name = arena_strdup(&page.arena, atlas->frames[i].name);
        utf8_mask(name);
        page.names[i] = name;
        if (is_on_page(atlas, i))
            page.sorted[page.frame_count++] = name;
    }
    SORT(page.sorted, page.frame_count, strings_compare);
    int result = 0;
    for (size_t i = 1; i < page.frame_count && result == 0; i++)
        if (!strcmp(page.sorted[i - 1], page.sorted[i]))
            result = error_set(err, "two frames have the name '%s'", page.sorted[i]);
    if (result == 0) {
        add_root(&page);
        result = json_finish(&page.json, out, err);
    }
    arena_release(&page.arena);
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
    struct arena *arena;           /* where what is read lives */
    const json_t *own, *sockets;   /* meta.sheetbake, and of it */
    const struct atlas_page *page; /* that it describes */
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
    if (rect->x + rect->width > file->page->width || rect->y + rect->height > file->page->height)
        return error_set(err, "frame '%.200s' lies at %u,%u with %ux%u pixels, outside its page of %ux%u",
                         frame->name, rect->x, rect->y, rect->width, rect->height, file->page->width,
                         file->page->height);
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

static int take_sockets(const struct pixi_file *file, struct atlas_frame *frame, struct error *err)
{
    struct atlas_socket found[MOST_SOCKETS];
    const char *name;
    json_t *frames;
    json_object_foreach((json_t *)file->sockets, name, frames)
    {
        json_t *point = json_object_get(frames, frame->name);
        struct atlas_socket *socket = &found[frame->socket_count];
        if (!point)
            continue;
        if (!take_point(point, socket->px) || !take_double(point, "depth", &socket->depth))
            return error_set(err, "socket '%.200s' of frame '%.200s' has no place and depth within %g", name,
                             frame->name, most_number);
        socket->name = arena_strdup(file->arena, name);
        frame->socket_count++;
    }
    frame->sockets = arena_copy(file->arena, found, frame->socket_count, sizeof *found);
    return 0;
}

/* Takes its boxes, and the events of its sample. */
static int take_told(const struct pixi_file *file, const json_t *value, struct atlas_frame *frame,
                     struct error *err)
{
    json_t *all = json_object_get(value, "boxes"), *names = json_object_get(value, "events"), *item;
    struct atlas_box *boxes = arena_must_alloc(file->arena, json_object_size(all), sizeof *boxes);
    struct clip_event *events = arena_must_alloc(file->arena, json_array_size(names), sizeof *events);
    const char *name;
    frame->boxes = boxes;
    frame->events = events;
    json_object_foreach(all, name, item)
    {
        if (!take_rect(item, &boxes[frame->box_count].rect))
            return error_set(err, "box '%.200s' of frame '%.200s' has no place of at least a pixel", name,
                             frame->name);
        boxes[frame->box_count++].name = arena_strdup(file->arena, name);
    }
    for (; frame->event_count < json_array_size(names); frame->event_count++) {
        name = json_string_value(json_array_get(names, frame->event_count));
        if (!name)
            return error_set(err, "an event of frame '%.200s' is not a text", frame->name);
        events[frame->event_count].name = arena_strdup(file->arena, name);
    }
    return 0;
}

static int take_frames(struct pixi_file *file, const json_t *root, struct atlas *atlas, struct error *err)
{
    json_t *values = json_object_get(root, "frames"), *value;
    struct atlas_frame *frames = arena_must_alloc(file->arena, json_object_size(values), sizeof *frames);
    const char *name;
    atlas->frames = frames;
    json_object_foreach(values, name, value)
    {
        struct atlas_frame *frame = &frames[atlas->frame_count++];
        frame->name = arena_strdup(file->arena, name);
        if (take_frame(file, value, frame, err) < 0 || take_sockets(file, frame, err) < 0 ||
            take_told(file, value, frame, err) < 0)
            return -1;
        take_scale(file, frame);
    }
    return 0;
}

/* A clip that goes on on another page has its list of frames in our own data. */
static int take_clips(struct pixi_file *file, const json_t *root, struct atlas *atlas, struct error *err)
{
    json_t *own = json_object_get(file->own, "animations"), *value, *item;
    struct atlas_clip *clips = arena_must_alloc(file->arena, json_object_size(own), sizeof *clips);
    const char *name;
    size_t i;
    atlas->clips = clips;
    json_object_foreach(own, name, value)
    {
        const json_t *frames = json_object_get(value, "frames"), *times = json_object_get(value, "times");
        if (!frames)
            frames = json_object_get(json_object_get(root, "animations"), name);
        if (!*name) /* one of frames in no animation has none */
            return error_set(err, "it has an animation without a name");
        if (!json_array_size(frames))
            return error_set(err, "its animation '%.200s' has no frames", name);
        struct atlas_keyframe *keyframes =
            arena_must_alloc(file->arena, json_array_size(frames), sizeof *keyframes);
        clips[atlas->clip_count++] = (struct atlas_clip){
            .name = arena_strdup(file->arena, name),
            .keyframes = keyframes,
            .frame_count = json_array_size(frames),
            .loop = json_is_true(json_object_get(value, "loop")),
        };
        json_array_foreach(frames, i, item)
        {
            const char *frame = json_string_value(item);
            if (!frame)
                return error_set(err, "a frame of its animation '%.200s' is not a text", name);
            keyframes[i].frame = arena_strdup(file->arena, frame);
            const double time_s = json_number_value(json_array_get(times, i));
            keyframes[i].time_s = fabs(time_s) <= most_number ? time_s : 0;
        }
    }
    return 0;
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
    file->page = page;
    return take_frames(file, root, atlas, err) < 0 ? -1 : take_clips(file, root, atlas, err);
}

int pixi_load(struct bytes bytes, struct arena *arena, struct atlas *out, struct error *err)
{
    json_error_t problem;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return error_set(err, "line %d: %s", problem.line, problem.text);
    struct pixi_file file = {.arena = arena};
    struct atlas atlas;
    int result = take_page(&file, root, &atlas, err);
    json_decref(root);
    if (result == 0)
        *out = atlas;
    return result;
}
