/* The JSON that Aseprite would write for a page, for what reads such files: Phaser's createFromAseprite, KAPLAY,
 * melonJS, and importers of other engines. `frames` is an array, as Aseprite's json-array, or an object, as its
 * json-hash. meta.app is Aseprite's, because melonJS tells formats by it. Frames are called "0", "1", ... in the
 * order of the page's frames; durations are whole milliseconds that add up to the animation's, 100 (Aseprite's own
 * default) for a still. Each animation is a tag; one that does not loop has `repeat` "1". A sheet of several pages
 * has a file for each, with the tags of what is on that page. */
#include "page/metadata.h"

#include <math.h>
#include <stdio.h>

#include "sheet/json_value.h"

enum { STILL_MS = 100 };

/* One file in the making. */
struct aseprite_page {
    const struct atlas *atlas;
    json_t *frames, *tags; /* frames: a list, or an object */
    uint32_t frame_count;  /* written so far */
    bool failed;
};

/* Where a frame begins in its animation, in whole milliseconds: rounded so, durations add up. */
static long long whole_ms(double ms)
{
    return llround(ms);
}

static void add_frame(struct aseprite_page *page, const struct atlas_frame *frame, double start_ms)
{
    char name[16];
    snprintf(name, sizeof name, "%u", page->frame_count++);
    if (!isfinite(start_ms + frame->duration_ms)) {
        page->failed = true;
        return;
    }
    long long duration = whole_ms(start_ms + frame->duration_ms) - whole_ms(start_ms);
    if (frame->duration_ms <= 0)
        duration = STILL_MS;
    bool is_list = json_is_array(page->frames);
    json_t *value = json_pack("{s:s*, s:o, s:b, s:b, s:o, s:o, s:o, s:I}", "filename", is_list ? name : NULL,
                              "frame", rect_value(&frame->rect), "rotated", 0, "trimmed",
                              atlas_frame_is_trimmed(frame), "spriteSourceSize", rect_value(&frame->source),
                              "sourceSize", size_value(frame->source_px[0], frame->source_px[1]), "anchor",
                              point_value(frame->pivot, 6), "duration", (json_int_t)(duration > 0 ? duration : 1));
    if ((is_list ? json_array_append_new(page->frames, value) : json_object_set_new(page->frames, name, value)) <
        0)
        page->failed = true;
}

static void add_clip(struct aseprite_page *page, const struct atlas_clip *clip)
{
    uint32_t from = page->frame_count;
    double start_ms = 0;
    for (size_t i = 0; i < clip->frame_count; i++) {
        const struct atlas_frame *frame = &page->atlas->frames[clip->first_frame + i];
        if (frame->page == page->atlas->page)
            add_frame(page, frame, start_ms);
        start_ms += frame->duration_ms;
    }
    if (page->frame_count == from)
        return;
    json_t *tag = json_pack("{s:o, s:I, s:I, s:s}", "name", text_value(clip->name), "from", (json_int_t)from, "to",
                            (json_int_t)page->frame_count - 1, "direction", "forward");
    if (!clip->loop && json_object_set_new(tag, "repeat", json_string("1")) < 0)
        page->failed = true;
    if (json_array_append_new(page->tags, tag) < 0)
        page->failed = true;
}

/* `frames` is used up. */
static int save(const struct atlas *atlas, json_t *frames, struct blob *out, struct error *err)
{
    struct aseprite_page page = {.atlas = atlas, .frames = frames, .tags = json_array()};
    const struct atlas_page *this = &atlas->pages[atlas->page];
    for (size_t i = 0; i < atlas->clip_count; i++)
        add_clip(&page, &atlas->clips[i]);
    char scale[16];
    snprintf(scale, sizeof scale, "%u", atlas->scale ? atlas->scale : 1);
    json_t *root = json_pack("{s:o, s:{s:s, s:s, s:o, s:s, s:o, s:s, s:o}}", "frames", page.frames, "meta", "app",
                             "https://www.aseprite.org/", "version", "1.3", "image", text_value(this->image),
                             "format", "RGBA8888", "size", size_value(this->width, this->height), "scale", scale,
                             "frameTags", page.tags);
    return json_save(root, root && !page.failed, JSON_AS_SET, out, err);
}

int aseprite_save(const struct atlas *atlas, struct blob *out, struct error *err)
{
    return save(atlas, json_array(), out, err);
}

int aseprite_save_hash(const struct atlas *atlas, struct blob *out, struct error *err)
{
    return save(atlas, json_object(), out, err);
}
