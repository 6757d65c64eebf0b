/* Collects what templates can name of a sheet (docs/formats.md), and writes their files. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "page/template.h"
#include "render/pass.h"

/* A second, of stills and animations without time: Godot's own default. */
static const double STILL_RATE = 5;

/* "PIP1A2" for GZDoom: three signs of the sheet's name, one for the animation, a letter for the frame, a sign for the
 * direction; "PIP1A2A8" is also shown flipped, as the direction 8. Null where there are too many, or no such direction. */
static json_t *sprite_value(const struct atlas *atlas, const struct atlas_clip *clip, size_t index)
{
    static const char animations[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[4] = "___";
    const char *turns = clip->rotations, letter = (char)('A' + index);
    const char again[3] = {turns[1] ? letter : '\0', turns[1]};
    size_t length = 0;
    for (const char *c = path_base(atlas->name); *c && *c != '@' && length < 3; c++)
        if (isalnum((unsigned char)*c))
            name[length++] = (char)toupper((unsigned char)*c);
    if (clip->take >= strlen(animations) || index >= 26 || !turns[0])
        return json_null();
    return json_sprintf("%s%c%c%c%s", name, animations[clip->take], letter, turns[0], again);
}

/* Adds lists, which may be empty, of what games are told of the frame. False: a number is not finite. */
static bool add_told(const struct atlas_frame *frame, json_t *value)
{
    json_t *sockets = json_array(), *boxes = json_array(), *events = json_array();
    for (size_t i = 0; i < frame->socket_count; i++)
        json_array_append_new(sockets, json_pack("{s:o, s:o, s:o}", "socket", text_value(frame->sockets[i].name),
                                                 "x", number_value(frame->sockets[i].px[0], 3), "y",
                                                 number_value(frame->sockets[i].px[1], 3)));
    for (size_t i = 0; i < frame->box_count; i++) {
        const struct rect *rect = &frame->boxes[i].rect;
        json_array_append_new(boxes,
                              json_pack("{s:o, s:i, s:i, s:i, s:i}", "box", text_value(frame->boxes[i].name), "x",
                                        rect->x, "y", rect->y, "width", rect->width, "height", rect->height));
    }
    for (size_t i = 0; i < frame->event_count; i++)
        if (frame->events[i].sample == frame->sample)
            json_array_append_new(events, json_pack("{s:o}", "event", text_value(frame->events[i].name)));
    json_object_set_new(value, "sockets", sockets);
    json_object_set_new(value, "boxes", boxes);
    json_object_set_new(value, "events", events);
    return json_array_size(sockets) == frame->socket_count;
}

/* Lengths are pixels; `_up` says that they count from the bottom, as where Y is up. NULL: a number is not finite. */
static json_t *frame_value(const struct atlas *atlas, const struct atlas_clip *clip, size_t index, double start_ms,
                           size_t id)
{
    const struct atlas_frame *frame = &atlas->frames[clip->first_frame + index];
    const struct atlas_page *page = &atlas->pages[frame->page];
    const struct rect *rect = &frame->rect, *source = &frame->source;
    const double cell[2] = {frame->source_px[0], frame->source_px[1]};
    const double pivot[2] = {round(frame->pivot[0] * cell[0] * 1000) / 1000,
                             round(frame->pivot[1] * cell[1] * 1000) / 1000};
    const double origin[2] = {pivot[0] - source->x, pivot[1] - source->y};
    const double first_ms = atlas->frames[clip->first_frame].duration_ms;
    const double ms = round(start_ms + frame->duration_ms) - round(start_ms); /* add up to the clip's */
    /* clang-format off */
    const struct { const char *name; double value; } numbers[] = {
        {"id", (double)id}, {"index", (double)index}, {"page", frame->page},
        {"x", rect->x}, {"y", rect->y}, {"width", rect->width}, {"height", rect->height},
        {"y_up", (double)page->height - rect->y - rect->height},
        {"cell_width", cell[0]}, {"cell_height", cell[1]},
        {"trim_width", cell[0] - source->width}, {"trim_height", cell[1] - source->height},
        {"trim_x", source->x}, {"trim_y", source->y}, {"trim_y_up", cell[1] - source->y - source->height},
        {"pivot_x", pivot[0]}, {"pivot_y", pivot[1]},
        {"whole_pivot_x", round(pivot[0])}, {"whole_pivot_y_up", round(cell[1] - pivot[1])},
        {"anchor_x", frame->pivot[0]}, {"anchor_y", frame->pivot[1]}, {"anchor_y_up", 1 - frame->pivot[1]},
        {"origin_x", origin[0]}, {"origin_y", origin[1]},
        {"whole_origin_x", round(origin[0])}, {"whole_origin_y", round(origin[1])},
        {"origin_anchor_x", origin[0] / rect->width}, {"origin_anchor_y_up", 1 - origin[1] / rect->height},
        {"center_x", source->x + (rect->width - cell[0]) / 2}, {"center_y_up", (cell[1] - rect->height) / 2 - source->y},
        {"beats", frame->duration_ms > 0 && first_ms > 0 ? frame->duration_ms / first_ms : 1},
        {"duration", frame->duration_ms}, {"ms", frame->duration_ms > 0 ? fmax(ms, 1) : 100},
    };
    /* clang-format on */
    json_t *value = json_pack("{s:o, s:o, s:o, s:o, s:b}", "name", text_value(frame->name), "clip",
                              text_value(clip->name), "image", text_value(page->image), "sprite",
                              sprite_value(atlas, clip, index), "trimmed", atlas_frame_is_trimmed(frame));
    bool is_good = add_told(frame, value);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        is_good &= json_object_set_new(value, numbers[i].name, number_value(numbers[i].value, 6)) == 0;
    if (is_good)
        return value;
    json_decref(value);
    return NULL;
}

/* Returns a page. The page to describe has the pictures of its other passes, or null for those that it has not. */
static json_t *page_value(const struct atlas *atlas, uint32_t number)
{
    const struct atlas_page *page = &atlas->pages[number];
    json_t *value = json_pack("{s:o, s:i, s:i, s:i, s:[]}", "image", text_value(page->image), "page", number,
                              "page_width", page->width, "page_height", page->height, "frames");
    for (unsigned pass = PASS_MAIN + 1; pass < PASS_COUNT; pass++)
        json_object_set_new(value, pass_names[pass], json_null());
    for (size_t i = 0; i < atlas->pass_count && number == atlas->page; i++)
        json_object_set_new(value, atlas->passes[i].name, text_value(atlas->passes[i].image));
    return value;
}

static json_t *clip_value(const struct atlas *atlas, const struct atlas_clip *clip, json_t *frames)
{
    const double first_ms = atlas->frames[clip->first_frame].duration_ms;
    const char *mirrored = NULL;
    for (size_t i = 0; i < atlas->camera_count; i++)
        if (!strcmp(atlas->cameras[i].name, clip->camera))
            mirrored = atlas->cameras[i].mirrored;
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:O, s:O, s:o, s:O}", "clip", text_value(clip->name), "animation",
                     text_value(clip->animation), "camera", text_value(clip->camera), "mirrored",
                     mirrored ? text_value(mirrored) : json_null(), "loop", clip->loop, "first",
                     json_object_get(json_array_get(frames, 0), "id"), "last",
                     json_object_get(json_array_get(frames, json_array_size(frames) - 1), "id"), "rate",
                     number_value(first_ms > 0 ? 1000 / first_ms : STILL_RATE, 6), "frames", frames);
}

/* Returns the values of the page to describe, or of the whole sheet. NULL: a number is not finite. */
static json_t *sheet_values(const struct atlas *atlas, bool is_of_sheet)
{
    json_t *pages = json_array(), *clips = json_array(), *frames = json_array();
    bool is_good = true;
    for (uint32_t i = 0; i < atlas->page_count; i++)
        json_array_append_new(pages, page_value(atlas, i));
    for (size_t i = 0; i < atlas->clip_count; i++) {
        const struct atlas_clip *clip = &atlas->clips[i];
        json_t *shown = json_array();
        double start_ms = 0;
        for (size_t index = 0; index < clip->frame_count; index++) {
            const struct atlas_frame *frame = &atlas->frames[clip->first_frame + index];
            if (is_of_sheet || frame->page == atlas->page) {
                json_t *value = frame_value(atlas, clip, index, start_ms, json_array_size(frames));
                json_array_append(json_object_get(json_array_get(pages, frame->page), "frames"), value);
                json_array_append(shown, value);
                is_good &= json_array_append_new(frames, value) == 0;
            }
            start_ms += frame->duration_ms;
        }
        if (json_array_size(shown))
            json_array_append_new(clips, clip_value(atlas, clip, shown));
        json_decref(shown);
    }
    json_t *root = is_of_sheet ? json_pack("{s:O, s:O}", "pages", pages, "frames", frames)
                               : json_incref(json_array_get(pages, atlas->page));
    json_t *more = json_pack("{s:o, s:i, s:o, s:I, s:i, s:i}", "name", text_value(atlas->name), "scale",
                             atlas->scale ? atlas->scale : 1, "clips", clips, "frame_count",
                             (json_int_t)json_array_size(frames), "cell_width", atlas->frames[0].source_px[0],
                             "cell_height", atlas->frames[0].source_px[1]);
    json_object_update(root, more);
    json_decref(more);
    json_decref(pages);
    json_decref(frames);
    if (is_good)
        return root;
    json_decref(root);
    return NULL;
}

int template_save(const struct template *template, const struct atlas *atlas, struct blob *out, struct error *err)
{
    if (template->is_of_sheet && atlas->page > 0)
        return 0;
    json_t *values = sheet_values(atlas, template->is_of_sheet);
    int result =
        values ? template_fill(template, values, out, err) : error_set(err, "a number of a frame is not finite");
    json_decref(values);
    return result;
}

int template_check(const struct template *template, uint32_t passes, struct error *err)
{
    static const struct atlas_page page = {"a.png", "a.json", 16, 8};
    static const struct atlas_socket socket = {.name = "a"};
    static const struct atlas_box box = {"a", {0, 0, 1, 1}};
    static const struct clip_event event = {.name = "a"};
    static const struct atlas_clip clip = {
        .name = "a", .animation = "a", .camera = "a", .rotations = "0", .frame_count = 2, .loop = true};
    struct atlas_frame frames[2] = {{.name = "a", .rect = {0, 0, 8, 8}, .source = {0, 0, 8, 8}}};
    struct atlas_pass shown[PASS_COUNT];
    struct atlas sample = {.name = "a", .pages = &page, .frames = frames, .clips = &clip, .passes = shown};
    frames[0].source_px[0] = frames[0].source_px[1] = 9;
    frames[0].sockets = &socket;
    frames[0].boxes = &box;
    frames[0].events = &event;
    frames[0].socket_count = frames[0].box_count = frames[0].event_count = 1;
    frames[1] = frames[0];
    for (unsigned pass = PASS_MAIN + 1; pass < PASS_COUNT; pass++)
        if (passes_have(passes, (enum pass)pass))
            shown[sample.pass_count++] = (struct atlas_pass){pass_names[pass], "a.png"};
    sample.page_count = sample.clip_count = 1;
    sample.frame_count = 2;
    struct blob ignored = {0};
    int result = template_save(template, &sample, &ignored, err);
    blob_release(&ignored);
    return result;
}

int metadata_save(enum metadata metadata, const struct atlas *atlas, struct blob *out, struct error *err)
{
    const struct metadata_format *format = &metadata_formats[metadata];
    if (!format->template)
        return pixi_save(atlas, metadata == METADATA_COMPACT, out, err);
    struct bytes text = {(const uint8_t *)format->template, (size_t)(format->template_end - format->template)};
    struct arena arena = {0};
    struct template template;
    int result = template_load(text, format->suffix, &arena, &template, err);
    if (result == 0)
        result = template_save(&template, atlas, out, err);
    arena_release(&arena);
    return result < 0 ? error_add(err, "metadata '%s'", format->name) : 0;
}
