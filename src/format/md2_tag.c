#include "format/md2.h"

#include <math.h>
#include <string.h>

#include "model/clip.h"

/* UFO:AI's .tag: the tags of an MD2, all little-endian:
 *
 *     header  8 words: ident "JDP2", version 1, num_tags, num_frames, ofs_names, ofs_tags, ofs_end, unpacked_size
 *     names   num_tags of 64 bytes
 *     tags    for each tag num_frames of 12 floats: its x, y and z axes in the model's space, then its place
 *
 * unpacked_size is what a game needs in memory and says nothing about the file. Real axes are of length 1 and at
 * right angles, but for a few frames that an exporter blended number by number. */
struct tag_header {
    uint32_t ident, version, num_tags, num_frames, ofs_names, ofs_tags, ofs_end, unpacked_size;
};

enum {
    TAG_IDENT = 'J' | 'D' << 8 | 'P' << 16 | '2' << 24,
    TAG_VERSION = 1,
    TAG_NAME_SIZE = 64,
    TAG_FRAME_SIZE = 12 * 4,
    /* Keeps lists in messages and the search for a name short. Real files have up to 4. */
    TAG_MAX_TAGS = 256,
};

/* No model is as large, and below it no sum or product can leave the range of a float. */
#define TAG_LARGEST_NUMBER 1e9f

static int read_header(struct bytes bytes, struct tag_header *out, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);
    struct tag_header header = {0};
    uint32_t *const fields[] = {&header.ident,     &header.version,  &header.num_tags, &header.num_frames,
                                &header.ofs_names, &header.ofs_tags, &header.ofs_end,  &header.unpacked_size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = cursor_u32(&cursor);
    if (cursor.overrun)
        return error_set(err, "%zu bytes are too few for the header of a .tag file (%zu)", bytes.size,
                         sizeof fields / sizeof *fields * 4);
    if (header.ident != TAG_IDENT)
        return error_set(err, "not a .tag file: it does not start with \"JDP2\"");
    if (header.version != TAG_VERSION)
        return error_set(err, "a .tag file of version %u, only %d is known", header.version, TAG_VERSION);
    if (header.num_tags == 0 || header.num_tags > TAG_MAX_TAGS)
        return error_set(err, "%u tags, 1 to %d are allowed", header.num_tags, TAG_MAX_TAGS);
    if (header.num_frames == 0)
        return error_set(err, "0 frames of tags, at least 1 is needed");
    if (header.ofs_end > bytes.size)
        return error_set(err, "the file ends at byte %zu, but says %u", bytes.size, header.ofs_end);
    if (!bytes_hold(bytes, header.ofs_names, header.num_tags, TAG_NAME_SIZE))
        return error_set(err, "the names of %u tags at byte %u run past the end of the file (%zu bytes)",
                         header.num_tags, header.ofs_names, bytes.size);
    if (!bytes_hold(bytes, header.ofs_tags, (size_t)header.num_tags * header.num_frames, TAG_FRAME_SIZE))
        return error_set(err, "%u tags of %u frames at byte %u run past the end of the file (%zu bytes)",
                         header.num_tags, header.num_frames, header.ofs_tags, bytes.size);
    *out = header;
    return 0;
}

static int read_frame(struct cursor *cursor, struct tag_frame *out, struct error *err)
{
    float numbers[12];
    for (int i = 0; i < 12; i++) {
        numbers[i] = cursor_f32(cursor);
        if (!(fabsf(numbers[i]) <= TAG_LARGEST_NUMBER))
            return error_set(err, "%g is not a coordinate (at most %g)", (double)numbers[i],
                             (double)TAG_LARGEST_NUMBER);
    }
    if (!tag_frame_turn(numbers, out->orientation))
        return error_set(err, "its axes point nowhere");
    memcpy(out->position, numbers + 9, sizeof out->position);
    return 0;
}

int md2_load_tags(struct bytes bytes, struct arena *arena, struct tags *out, struct error *err)
{
    struct tag_header header = {0};
    if (read_header(bytes, &header, err) < 0)
        return -1;
    struct cursor names = cursor_at(bytes, header.ofs_names), places = cursor_at(bytes, header.ofs_tags);
    struct tag *tags = arena_must_alloc(arena, header.num_tags, sizeof *tags);
    for (uint32_t i = 0; i < header.num_tags; i++) {
        const char *name = (const char *)cursor_take(&names, TAG_NAME_SIZE);
        struct tag_frame *frames = arena_alloc(arena, header.num_frames, sizeof *frames, err);
        if (!frames)
            return -1;
        tags[i] = (struct tag){clip_name_clean(arena, name, strnlen(name, TAG_NAME_SIZE)), frames};
        for (uint32_t frame = 0; frame < header.num_frames; frame++)
            if (read_frame(&places, &frames[frame], err) < 0)
                return error_add(err, "tag '%s', frame %u", tags[i].name, frame);
    }
    *out = (struct tags){header.num_frames, header.num_tags, tags};
    return 0;
}
