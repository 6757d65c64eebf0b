/* Makes an MD3 in memory: two surfaces, two tags, three frames. Tests then damage the bytes.
 *
 * Surface "body" is a tetrahedron whose frame 1 is twice as large; surface "hat" is one triangle that rises by a unit
 * a frame. */
#ifndef TESTS_MD3_BUILDER_H
#define TESTS_MD3_BUILDER_H

#include "base/memory.h"
#include "blobs.h"

/* Where things are in the file. */
enum {
    MD3_FRAMES = 108,
    MD3_TAGS = MD3_FRAMES + 3 * 56,
    MD3_BODY = MD3_TAGS + 2 * 3 * 112,
    MD3_BODY_TRIANGLES = 108, /* from the start of the surface */
    MD3_BODY_SHADERS = MD3_BODY_TRIANGLES + 4 * 12,
    MD3_BODY_ST = MD3_BODY_SHADERS + 68,
    MD3_BODY_VERTICES = MD3_BODY_ST + 4 * 8,
    MD3_HAT = MD3_BODY + MD3_BODY_VERTICES + 3 * 4 * 8,
    MD3_SIZE = MD3_HAT + 108 + 12 + 68 + 3 * 8 + 3 * 3 * 8,
};

/* The words of a header, numbered from 0 behind the name. */
enum md3_field { MD3_FLAGS, MD3_NUM_FRAMES, MD3_NUM_TAGS, MD3_NUM_SURFACES, MD3_NUM_SKINS, MD3_OFS_FRAMES };
enum md3_surface_field {
    MD3_SURFACE_FRAMES = 1,
    MD3_NUM_SHADERS,
    MD3_NUM_VERTS,
    MD3_NUM_TRIANGLES,
    MD3_OFS_TRIANGLES,
    MD3_OFS_SHADERS,
    MD3_OFS_ST,
    MD3_OFS_VERTICES,
    MD3_OFS_END,
};

static inline void md3_put_text(struct blob *blob, size_t at, const char *text)
{
    memcpy(blob->data + at, text, strlen(text));
}

static inline void md3_set(struct blob *blob, enum md3_field field, uint32_t value)
{
    blob_put(blob, 72 + 4 * (size_t)field, value, 4);
}

static inline void md3_set_surface(struct blob *blob, size_t surface, int field, uint32_t value)
{
    blob_put(blob, surface + 68 + 4 * (size_t)field, value, 4);
}

static inline void md3_put_vertex(struct blob *blob, size_t at, int x, int y, int z, unsigned from_z,
                                  unsigned around)
{
    const int place[] = {x, y, z};
    for (size_t i = 0; i < 3; i++)
        blob_put(blob, at + 2 * i, (uint32_t)place[i], 2);
    blob->data[at + 6] = (uint8_t)from_z;
    blob->data[at + 7] = (uint8_t)around;
}

static inline void md3_put_surface(struct blob *blob, size_t at, const char *name, const char *shader,
                                   uint32_t vert_count, uint32_t triangle_count)
{
    uint32_t shaders = 108 + 12 * triangle_count, st = shaders + 68, vertices = st + 8 * vert_count;
    const uint32_t words[] = {0,   3,       1,  vert_count, triangle_count,
                              108, shaders, st, vertices,   vertices + 3 * 8 * vert_count};
    md3_put_text(blob, at, "IDP3");
    md3_put_text(blob, at + 4, name);
    for (int i = 0; i < 10; i++)
        md3_set_surface(blob, at, i, words[i]);
    md3_put_text(blob, at + shaders, shader);
}

static inline void md3_put_tags(struct blob *blob)
{
    for (size_t frame = 0; frame < 3; frame++)
        for (size_t i = 0; i < 2; i++) {
            size_t at = MD3_TAGS + (2 * frame + i) * 112;
            /* The first stands; the second is turned to the left by a quarter, and its axes are two units long. */
            const float turned[] = {0, 2, 0, -2, 0, 0, 0, 0, 2}, straight[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
            md3_put_text(blob, at, i ? "tag_turned" : "tag_hat");
            blob_put_float(blob, at + 64 + 8, (float)frame);
            for (size_t k = 0; k < 9; k++)
                blob_put_float(blob, at + 76 + 4 * k, i ? turned[k] : straight[k]);
        }
}

/* The caller releases the blob. */
static inline struct blob md3_build(void)
{
    static const int corners[4][3] = {{0, 0, 0}, {640, 0, 0}, {0, 640, 0}, {0, 0, 640}};
    static const unsigned normals[4][2] = {{128, 0}, {64, 0}, {64, 64}, {0, 0}}; /* down, x, y, up */
    static const uint32_t triangles[] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    struct blob blob = {must_alloc(MD3_SIZE, 1), MD3_SIZE};
    const uint32_t words[] = {0, 3, 2, 2, 0, MD3_FRAMES, MD3_TAGS, MD3_BODY, MD3_SIZE};
    md3_put_text(&blob, 0, "IDP3");
    blob_put(&blob, 4, 15, 4);
    for (int i = 0; i < 9; i++)
        md3_set(&blob, (enum md3_field)i, words[i]);
    for (size_t frame = 0; frame < 3; frame++)
        md3_put_text(&blob, MD3_FRAMES + 56 * frame + 40, "(from somewhere)");
    md3_put_tags(&blob);

    md3_put_surface(&blob, MD3_BODY, "body", "models/thing/body.tga", 4, 4);
    for (size_t i = 0; i < 12; i++)
        blob_put(&blob, MD3_BODY + MD3_BODY_TRIANGLES + 4 * i, triangles[i], 4);
    for (size_t i = 0; i < 4; i++)
        blob_put_float(&blob, MD3_BODY + MD3_BODY_ST + 8 * i, (float)i / 4);
    md3_put_surface(&blob, MD3_HAT, "hat", "models/thing/hat", 3, 1);
    for (size_t i = 0; i < 3; i++)
        blob_put(&blob, MD3_HAT + 108 + 4 * i, (uint32_t)i, 4);
    for (size_t frame = 0; frame < 3; frame++) {
        int grown = frame == 1 ? 2 : 1, raised = 64 * (int)frame;
        for (size_t i = 0; i < 4; i++)
            md3_put_vertex(&blob, MD3_BODY + MD3_BODY_VERTICES + (4 * frame + i) * 8, grown * corners[i][0],
                           grown * corners[i][1], grown * corners[i][2], normals[i][0], normals[i][1]);
        for (size_t i = 0; i < 3; i++)
            md3_put_vertex(&blob, MD3_HAT + 108 + 12 + 68 + 24 + (3 * frame + i) * 8, -64 * (int)i,
                           i == 1 ? 64 : 0, 640 + raised, frame == 1 ? 64 : 0, 0);
    }
    return blob;
}

#endif
