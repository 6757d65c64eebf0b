/* A SpriteFrames resource of Godot 4 (.tres) for a whole sheet: an AtlasTexture for each frame, with the margin
 * that puts a trimmed one back into its cell, and the animations with speed, durations and loop. One file serves
 * all pages. Pictures are named relative to the resource, which Godot reads as res:// paths in the resource's own
 * folder. */
#include "page/metadata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"

/* Frames a second of stills and of animations without time: Godot's own default. */
static const double default_speed = 5;

/* Never an exponent; whole numbers as Godot writes floats. */
static void add_number(struct buffer *out, double number, int decimals)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%.*f", decimals, number);
    while (text[length - 1] == '0' && text[length - 2] != '.')
        length--;
    buffer_add(out, text, (size_t)length);
}

/* As the text of resources has it: UTF-8 within quotes, which are escaped like backslashes. */
static void add_string(struct buffer *out, const char *text)
{
    char *copy = must_strdup(text);
    utf8_mask(copy);
    buffer_add(out, "\"", 1);
    for (const char *c = copy; *c; c++) {
        if (*c == '"' || *c == '\\')
            buffer_add(out, "\\", 1);
        buffer_add(out, c, 1);
    }
    buffer_add(out, "\"", 1);
    free(copy);
}

/* Godot's margin: where the region lies in the whole, and by how much the whole is larger. */
static void add_frame(struct buffer *out, const struct atlas_frame *frame, size_t number)
{
    const struct rect *rect = &frame->rect, *source = &frame->source_rect;
    buffer_printf(out, "[sub_resource type=\"AtlasTexture\" id=\"%zu\"]\natlas = ExtResource(\"%u\")\n", number,
                  frame->page + 1);
    buffer_printf(out, "region = Rect2(%u, %u, %u, %u)\n", rect->x, rect->y, rect->width, rect->height);
    if (frame->trimmed)
        buffer_printf(out, "margin = Rect2(%u, %u, %u, %u)\n", source->x, source->y,
                      frame->source_px[0] - source->width, frame->source_px[1] - source->height);
    buffer_printf(out, "filter_clip = true\nmetadata/pivot = Vector2(");
    add_number(out, frame->pivot[0] * frame->source_px[0], 3);
    buffer_printf(out, ", ");
    add_number(out, frame->pivot[1] * frame->source_px[1], 3);
    buffer_printf(out, ")\n\n");
}

/* Godot gives an animation frames a second, and each frame a duration in those. */
static void add_animation(struct buffer *out, const struct atlas *atlas, const struct atlas_animation *animation)
{
    double first_ms = atlas->frames[animation->first_frame].duration_ms;
    double speed = first_ms > 0 ? 1000 / first_ms : default_speed;
    buffer_printf(out, "{\n\"frames\": [");
    for (size_t i = 0; i < animation->frame_count; i++) {
        size_t frame = animation->first_frame + i;
        double duration = atlas->frames[frame].duration_ms * speed / 1000;
        buffer_printf(out, "%s{\n\"duration\": ", i ? ", " : "");
        add_number(out, duration > 0 ? duration : 1, 6);
        buffer_printf(out, ",\n\"texture\": SubResource(\"%zu\")\n}", frame + 1);
    }
    buffer_printf(out, "],\n\"loop\": %s,\n\"name\": &", animation->loop ? "true" : "false");
    add_string(out, animation->name);
    buffer_printf(out, ",\n\"speed\": ");
    add_number(out, speed, 6);
    buffer_printf(out, "\n}");
}

int godot_save(const struct atlas *atlas, struct blob *out, struct error *err)
{
    struct buffer text = {0};
    for (size_t i = 0; i < atlas->frame_count; i++) {
        const struct atlas_frame *frame = &atlas->frames[i];
        if (!isfinite(frame->duration_ms) || !isfinite(frame->pivot[0]) || !isfinite(frame->pivot[1]))
            return error_set(err, "frame '%s': a number is not finite", frame->name);
    }
    buffer_printf(&text, "[gd_resource type=\"SpriteFrames\" load_steps=%zu format=3]\n\n",
                  atlas->page_count + atlas->frame_count + 1);
    for (uint32_t i = 0; i < atlas->page_count; i++) {
        buffer_printf(&text, "[ext_resource type=\"Texture2D\" path=");
        add_string(&text, atlas->pages[i].image);
        buffer_printf(&text, " id=\"%u\"]\n", i + 1);
    }
    buffer_printf(&text, "\n");
    for (size_t i = 0; i < atlas->frame_count; i++)
        add_frame(&text, &atlas->frames[i], i + 1);
    buffer_printf(&text, "[resource]\nanimations = [");
    for (size_t i = 0; i < atlas->animation_count; i++) {
        buffer_printf(&text, "%s", i ? ", " : "");
        add_animation(&text, atlas, &atlas->animations[i]);
    }
    buffer_printf(&text, "]\n");
    *out = (struct blob){(uint8_t *)text.text, text.length};
    return 0;
}
