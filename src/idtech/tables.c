#include "idtech/tables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* -- Tables ------------------------------------------------------------------------------------------------ */

bool read_words(struct cursor *cursor, void *out, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word = cursor_u32(cursor);
        memcpy((char *)out + at, &word, sizeof word);
    }
    return !cursor->overrun;
}

int check_tables(struct bytes bytes, const struct file_table *tables, size_t count, struct error *err)
{
    for (const struct file_table *table = tables; table < tables + count; table++) {
        if (table->count > table->most && table->least == 0)
            return error_set(err, "%zu %s (at most %zu)", table->count, table->items, table->most);
        if (table->count < table->least || table->count > table->most)
            return error_set(err, "%zu %s (%zu to %zu are allowed)", table->count, table->items, table->least,
                             table->most);
        if (table->count && table->stride && !bytes_hold(bytes, table->offset, table->count, table->stride))
            return error_set(err, "%zu %s of %zu bytes at offset %zu run past the end of the file (%zu bytes)",
                             table->count, table->items, table->stride, table->offset, bytes.size);
    }
    return 0;
}

/* -- Tags -------------------------------------------------------------------------------------------------- */

static int read_tag_frame(struct cursor *cursor, bool place_is_first, struct tag_frame *out, bool *has_axes,
                          struct error *err)
{
    float numbers[12];
    for (int i = 0; i < 12; i++) {
        numbers[i] = cursor_f32(cursor);
        if (!(fabs(numbers[i]) <= MODEL_LARGEST_NUMBER))
            return error_set(err, "%g is not a coordinate (at most %g)", numbers[i], MODEL_LARGEST_NUMBER);
    }
    *out = (struct tag_frame){.orientation = {0, 0, 0, 1}};
    memcpy(out->position, place_is_first ? numbers : numbers + 9, sizeof out->position);
    if (tag_frame_turn(place_is_first ? numbers + 3 : numbers, out->orientation))
        return 0;
    if (!has_axes)
        return error_set(err, "its axes point nowhere");
    *has_axes = false;
    return 0;
}

int read_tag(struct bytes bytes, const struct tag_place *place, uint32_t frame_count, struct arena *arena,
             struct tag *out, bool *has_axes, struct error *err)
{
    const char *name = (const char *)bytes.data + place->name_at;
    struct tag_frame *frames = arena_must_alloc(arena, frame_count, sizeof *frames);
    *out = (struct tag){clip_name_clean(arena, name, strnlen(name, 64)), frames};
    for (uint32_t frame = 0; frame < frame_count; frame++) {
        struct cursor cursor = cursor_at(bytes, place->first_at + frame * place->stride);
        if (read_tag_frame(&cursor, place->place_is_first, &frames[frame], has_axes, err) < 0)
            return error_add(err, "tag '%s', frame %u", out->name, frame);
    }
    return 0;
}

/* -- What a model has -------------------------------------------------------------------------------------- */

struct model_arrays model_alloc_arrays(struct model *model)
{
    struct model_arrays arrays = {
        .surfaces = arena_must_alloc(&model->arena, model->surface_count, sizeof *arrays.surfaces),
        .indices = arena_must_alloc(&model->arena, model->index_count, sizeof *arrays.indices),
        .vertex_points = arena_must_alloc(&model->arena, model->vertex_count, sizeof *arrays.vertex_points),
        .uvs = arena_must_alloc(&model->arena, model->vertex_count, sizeof *arrays.uvs),
    };
    for (uint32_t i = 0; i < model->vertex_count; i++)
        arrays.vertex_points[i] = i;
    model->surfaces = arrays.surfaces;
    model->indices = arrays.indices;
    model->vertex_points = arrays.vertex_points;
    model->uvs = (const vec2 *)arrays.uvs;
    return arrays;
}

/* -- Sequences of frames ----------------------------------------------------------------------------------- */

/* More sequences than any model has: then the names mean something else, and all frames become one clip. */
enum { MAX_SEQUENCES = 512 };

/* A frame name taken apart: "pain101" is prefix "pain", number 101; `"stand"_1` prefix `"stand"_`, number 1;
 * "FRAME 000......" prefix "FRAME ", number 0. A name without a number counts as number 0. */
struct frame_name {
    const char *text;
    size_t length;        /* without punctuation at the end */
    size_t prefix_length; /* without the number */
    uint64_t number;
};

static struct frame_name split_name(const char *text)
{
    struct frame_name name = {.text = text, .length = strlen(text)};

    while (name.length && !isalnum((unsigned char)text[name.length - 1]))
        name.length--;
    name.prefix_length = name.length;
    while (name.prefix_length && isdigit((unsigned char)text[name.prefix_length - 1]))
        name.prefix_length--;
    /* A frame name has at most 16 digits, which fit. */
    for (size_t i = name.prefix_length; i < name.length; i++)
        name.number = name.number * 10 + (uint64_t)(text[i] - '0');
    return name;
}

/* Some exporters give every frame the same name: that is one sequence, too. */
static bool continues(const struct frame_name *before, const struct frame_name *name)
{
    if (before->prefix_length != name->prefix_length || memcmp(before->text, name->text, name->prefix_length))
        return false;
    return name->number == before->number + 1 ||
           (before->length == name->length && !memcmp(before->text, name->text, name->length));
}

/* How many frames before `end` the sequence has that starts at `first`. */
static uint32_t sequence_length(const struct model *model, uint32_t first, uint32_t end)
{
    struct frame_name before = split_name(model->frame_names[first]);
    uint32_t frame = first + 1;

    for (; frame < end; frame++) {
        struct frame_name name = split_name(model->frame_names[frame]);

        if (!continues(&before, &name))
            break;
        before = name;
    }
    return frame - first;
}

/* Quake II numbers a second and third variant in the hundreds: pain101 to pain104 is "pain1", pain201 to
 * pain204 "pain2". The length of the name that includes the hundreds, or that of the prefix. */
static size_t name_length(const struct frame_name *first, const struct frame_name *last)
{
    bool are_hundreds = first->number >= 100 && first->number < 1000 && first->number / 100 == last->number / 100;

    if (are_hundreds && first->length - first->prefix_length == 3 && first->number % 100 <= 1)
        return first->prefix_length + 1;
    return first->prefix_length;
}

static void add_clip(struct model *model, const char *name, uint32_t first, uint32_t count)
{
    model_add_clip(model, &(struct clip){.name = model_unique_clip_name(model, name),
                                         .first_frame = first,
                                         .frame_count = count,
                                         .rate_hz = model->animations[0].rate_hz});
}

void model_add_sequences(struct model *model, uint32_t first, uint32_t end)
{
    const char *const *names = model->frame_names;
    uint32_t same = first + 1, clips_before = model->clip_count;

    while (same < end && !strcmp(names[same], names[first]))
        same++;
    if (end - first > 1 && same == end)
        strings_printf(&model->oddities, "all %u frames are called '%s'", end - first, names[first]);
    if (strpbrk(names[first], "/\\"))
        strings_printf(&model->oddities, "frame name '%s' is a path", names[first]);

    for (uint32_t frame = first, length; frame < end; frame += length) {
        if (model->clip_count - clips_before == MAX_SEQUENCES) {
            strings_printf(&model->oddities, "frame names make more than %d sequences: all frames are one clip",
                           MAX_SEQUENCES);
            model->clip_count = clips_before;
            add_clip(model, "all", first, end - first);
            return;
        }
        length = sequence_length(model, frame, end);
        struct frame_name from = split_name(names[frame]), to = split_name(names[frame + length - 1]);
        const size_t named = strpbrk(names[frame], "/\\") ? 0 : name_length(&from, &to); /* a path says nothing */
        add_clip(model, clip_name_clean(&model->arena, from.text, named), frame, length);
    }
}
