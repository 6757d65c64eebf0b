/* MD2 in the words of its description; see plain.h. */
#ifndef UNIT_PLAIN_MD2_H
#define UNIT_PLAIN_MD2_H

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "plain.h"

struct plain_md2 {
    uint8_t *bytes;
    int point_count, frame_count, frame_size, frames_at;
};

/* A run of frames whose names differ in their number only. */
struct plain_sequence {
    char name[17];
    int first, count;
};

static inline int32_t plain_int(const uint8_t *p)
{
    return (int32_t)(p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24);
}

static inline double plain_float(const uint8_t *p)
{
    int32_t bits = plain_int(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The whole file, which has this magic and more than a header; the caller frees it. */
static inline uint8_t *plain_read(const char *path, const char *magic, size_t header_size, size_t *size)
{
    FILE *file = plain_open(path);
    plain_expect(fseek(file, 0, SEEK_END) == 0, path);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    plain_expect(fread(bytes, 1, *size, file) == *size && *size > header_size && !memcmp(bytes, magic, 4), path);
    fclose(file);
    return bytes;
}

static inline struct plain_md2 plain_read_md2(const char *path)
{
    size_t size;
    struct plain_md2 md2 = {.bytes = plain_read(path, "IDP2", 68, &size)};
    md2.frame_size = plain_int(md2.bytes + 16);
    md2.point_count = plain_int(md2.bytes + 24);
    md2.frame_count = plain_int(md2.bytes + 40);
    md2.frames_at = plain_int(md2.bytes + 56);
    plain_expect(md2.frame_size == 40 + 4 * md2.point_count, path);
    plain_expect((size_t)md2.frames_at + (size_t)md2.frame_size * (size_t)md2.frame_count <= size, path);
    return md2;
}

static inline const uint8_t *plain_frame(const struct plain_md2 *md2, int frame)
{
    return md2->bytes + md2->frames_at + (ptrdiff_t)frame * md2->frame_size;
}

/* Scale times byte plus translation, and the number of a normal. */
static inline int plain_md2_point(const struct plain_md2 *md2, int frame, int point, double position[3])
{
    const uint8_t *at = plain_frame(md2, frame), *vertex = at + 40 + 4 * point;
    for (int i = 0; i < 3; i++)
        position[i] = plain_float(at + 4 * i) * vertex[i] + plain_float(at + 12 + 4 * i);
    return vertex[3];
}

/* The sequence that starts at frame `first`. */
static inline struct plain_sequence plain_sequence(const struct plain_md2 *md2, int first)
{
    struct plain_sequence out = {.first = first};
    memcpy(out.name, plain_frame(md2, first) + 24, 16);
    size_t length = strlen(out.name);
    while (length > 0 && isdigit((unsigned char)out.name[length - 1]))
        out.name[--length] = 0;
    for (int frame = first; frame < md2->frame_count; frame++, out.count++) {
        const char *name = (const char *)plain_frame(md2, frame) + 24;
        if (strncmp(name, out.name, length) != 0 || !isdigit((unsigned char)name[length]))
            break;
    }
    return out;
}

#endif
