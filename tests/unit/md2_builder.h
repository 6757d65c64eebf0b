/* Makes MD2 files in memory for tests and for the fuzzer's seeds. A spec says what the file holds; md2_build
 * lays it out as the format demands, and tests then damage the bytes. */
#ifndef TESTS_MD2_BUILDER_H
#define TESTS_MD2_BUILDER_H

#include "blobs.h"
#include "idtech/md2.h"

struct md2_spec {
    uint32_t skinwidth, skinheight;
    uint32_t skin_count, st_count, triangle_count, vertex_count, frame_count, word_count;
    const char *const *skins;
    const int16_t (*st)[2];
    const uint16_t (*triangles)[6]; /* three vertices, three st */
    const char *const *frame_names;
    const float (*boxes)[6];      /* scale and translate of each frame; NULL: 1 and 0 */
    const uint8_t (*vertices)[4]; /* frame_count * vertex_count; NULL: all 0 */
    const uint32_t *words;        /* the GL commands */
};

/* Header fields are numbered as in the file; these are the ones tests damage by name. */
enum md2_field {
    MD2_FIELD_IDENT,
    MD2_FIELD_VERSION,
    MD2_FIELD_SKINWIDTH,
    MD2_FIELD_SKINHEIGHT,
    MD2_FIELD_FRAMESIZE,
    MD2_FIELD_NUM_SKINS,
    MD2_FIELD_NUM_XYZ,
    MD2_FIELD_NUM_ST,
    MD2_FIELD_NUM_TRIS,
    MD2_FIELD_NUM_GLCMDS,
    MD2_FIELD_NUM_FRAMES,
    MD2_FIELD_OFS_SKINS,
    MD2_FIELD_OFS_ST,
    MD2_FIELD_OFS_TRIS,
    MD2_FIELD_OFS_FRAMES,
    MD2_FIELD_OFS_GLCMDS,
    MD2_FIELD_OFS_END,
    MD2_FIELD_COUNT
};

static inline void md2_set_field(struct blob *blob, enum md2_field field, uint32_t value)
{
    blob_put(blob, 4 * (size_t)field, value, 4);
}

static inline uint32_t md2_field(const struct blob *blob, enum md2_field field)
{
    struct cursor cursor = cursor_at(blob_bytes(blob), 4 * (size_t)field);

    return cursor_u32(&cursor);
}

static inline void md2_build_header(struct blob *blob, const struct md2_spec *spec, uint32_t framesize)
{
    uint32_t skins = MD2_HEADER_SIZE, st = skins + MD2_SKIN_SIZE * spec->skin_count;
    uint32_t tris = st + MD2_ST_SIZE * spec->st_count, frames = tris + MD2_TRIANGLE_SIZE * spec->triangle_count;
    uint32_t glcmds = frames + framesize * spec->frame_count;
    const uint32_t fields[MD2_FIELD_COUNT] = {0x32504449,
                                              8,
                                              spec->skinwidth,
                                              spec->skinheight,
                                              framesize,
                                              spec->skin_count,
                                              spec->vertex_count,
                                              spec->st_count,
                                              spec->triangle_count,
                                              spec->word_count,
                                              spec->frame_count,
                                              skins,
                                              st,
                                              tris,
                                              frames,
                                              glcmds,
                                              glcmds + 4 * spec->word_count};

    blob->size = fields[MD2_FIELD_OFS_END];
    blob->data = calloc(1, blob->size);
    for (int i = 0; i < MD2_FIELD_COUNT; i++)
        md2_set_field(blob, (enum md2_field)i, fields[i]);
}

static inline void md2_build_frame(struct blob *blob, const struct md2_spec *spec, uint32_t number, size_t at)
{
    static const float unit_box[6] = {1, 1, 1, 0, 0, 0};
    const float *box = spec->boxes ? spec->boxes[number] : unit_box;
    size_t vertices_size = (size_t)spec->vertex_count * MD2_VERTEX_SIZE;

    for (size_t i = 0; i < 6; i++)
        blob_put_float(blob, at + 4 * i, box[i]);
    memcpy(blob->data + at + 24, spec->frame_names[number],
           strnlen(spec->frame_names[number], MD2_FRAME_NAME_SIZE));
    if (spec->vertices)
        memcpy(blob->data + at + MD2_FRAME_HEADER_SIZE, spec->vertices[(size_t)number * spec->vertex_count],
               vertices_size);
}

/* The caller releases the blob. */
static inline struct blob md2_build(const struct md2_spec *spec)
{
    uint32_t framesize = MD2_FRAME_HEADER_SIZE + MD2_VERTEX_SIZE * spec->vertex_count;
    struct blob blob;

    md2_build_header(&blob, spec, framesize);
    for (uint32_t i = 0; i < spec->skin_count; i++)
        memcpy(blob.data + md2_field(&blob, MD2_FIELD_OFS_SKINS) + i * MD2_SKIN_SIZE, spec->skins[i],
               strnlen(spec->skins[i], MD2_SKIN_SIZE));
    for (uint32_t i = 0; i < 2 * spec->st_count; i++)
        blob_put(&blob, md2_field(&blob, MD2_FIELD_OFS_ST) + 2 * i, (uint16_t)spec->st[i / 2][i % 2], 2);
    for (uint32_t i = 0; i < 6 * spec->triangle_count; i++)
        blob_put(&blob, md2_field(&blob, MD2_FIELD_OFS_TRIS) + 2 * i, spec->triangles[i / 6][i % 6], 2);
    for (uint32_t i = 0; i < spec->frame_count; i++)
        md2_build_frame(&blob, spec, i, md2_field(&blob, MD2_FIELD_OFS_FRAMES) + i * framesize);
    for (uint32_t i = 0; i < spec->word_count; i++)
        blob_put(&blob, md2_field(&blob, MD2_FIELD_OFS_GLCMDS) + 4 * i, spec->words[i], 4);
    return blob;
}

/* GL commands as they are put together. */
struct md2_words {
    uint32_t items[256];
    uint32_t count;
};

static inline void md2_add_word(struct md2_words *words, int32_t value)
{
    words->items[words->count++] = (uint32_t)value;
}

static inline void md2_add_gl_vertex(struct md2_words *words, float s, float t, int32_t vertex)
{
    words->items[words->count++] = float_bits(s);
    words->items[words->count++] = float_bits(t);
    md2_add_word(words, vertex);
}

/* A tetrahedron in three frames ("run1", "run2", "hop1") with a skin of 64 x 32, a seam at vertex 1, and GL
 * commands, a fan and a strip, for the same picture. Frame 1 is twice the size of frame 0, moved by (1, 2, 3). */
static inline struct md2_spec md2_tetrahedron(struct md2_words *words)
{
    static const char *const skins[] = {"models/thing/skin.pcx", "models/thing/other.pcx"};
    static const char *const names[] = {"run1", "run2", "hop1"};
    static const int16_t st[][2] = {{0, 0}, {32, 0}, {16, 8}, {64, 32}, {48, 24}};
    static const uint16_t triangles[][6] = {
        {0, 1, 2, 0, 1, 2}, {0, 3, 1, 0, 3, 4}, {0, 2, 3, 0, 2, 3}, {1, 3, 2, 1, 3, 2}};
    static const float boxes[][6] = {{1, 1, 1, 0, 0, 0}, {2, 2, 2, 1, 2, 3}, {0.5f, 0.5f, 0.5f, 0, 0, 0}};
    static const uint8_t vertices[][4] = {{0, 0, 0, 143}, {10, 0, 0, 52}, {0, 10, 0, 32}, {0, 0, 10, 5},
                                          {0, 0, 0, 143}, {10, 0, 0, 52}, {0, 10, 0, 32}, {0, 0, 10, 52},
                                          {0, 0, 0, 143}, {10, 0, 0, 52}, {0, 10, 0, 32}, {0, 0, 10, 84}};
    static const struct {
        int32_t count;
        uint8_t vertices[5], st[5];
    } commands[] = {{-5, {0, 1, 2, 3, 1}, {0, 1, 2, 3, 4}}, {3, {1, 3, 2}, {1, 3, 2}}};

    words->count = 0;
    for (size_t i = 0; i < 2; i++) {
        md2_add_word(words, commands[i].count);
        for (int32_t k = 0; k < abs(commands[i].count); k++)
            md2_add_gl_vertex(words, (st[commands[i].st[k]][0] + 0.5f) / 64,
                              (st[commands[i].st[k]][1] + 0.5f) / 32, commands[i].vertices[k]);
    }
    md2_add_word(words, 0);
    return (struct md2_spec){.skinwidth = 64,
                             .skinheight = 32,
                             .skin_count = 2,
                             .st_count = 5,
                             .triangle_count = 4,
                             .vertex_count = 4,
                             .frame_count = 3,
                             .word_count = words->count,
                             .skins = skins,
                             .st = st,
                             .triangles = triangles,
                             .frame_names = names,
                             .boxes = boxes,
                             .vertices = vertices,
                             .words = words->items};
}

/* Frames of one triangle with nothing but these names. */
static inline struct md2_spec md2_named_frames(const char *const *names, uint32_t count)
{
    static const int16_t st[1][2];
    static const uint16_t triangles[][6] = {{0, 1, 2, 0, 0, 0}};

    return (struct md2_spec){.skinwidth = 1,
                             .skinheight = 1,
                             .st_count = 1,
                             .triangle_count = 1,
                             .vertex_count = 3,
                             .frame_count = count,
                             .st = st,
                             .triangles = triangles,
                             .frame_names = names};
}

#endif
