/* Between the readers of MD2 and MDL, whose frames and poses are alike; the rest of the program sees only md2_format and
 * mdl_format. */
#pragma once

#include "idtech/tables.h"

struct rig_frame;

/* Layout of a file: this header, then in any order the tables it points to. All little-endian.
 *
 *     skins   num_skins   64 bytes each: a name (a well-known description says 68; no real file has that)
 *     st      num_st      s, t: signed 16-bit, in pixels of a skin of skinwidth * skinheight
 *     tris    num_tris    3 unsigned 16-bit vertices, 3 unsigned 16-bit st
 *     frames  num_frames  framesize bytes each: scale and translate (3 floats each), a 16-byte name, then
 *                         num_xyz vertices of 3 bytes position and 1 byte normal: scale * position + translate
 *     glcmds  num_glcmds  32-bit words: n, then |n| of {float s, float t, int vertex}: a strip of n for n > 0,
 *                         a fan of -n for n < 0; n = 0 ends */
struct md2_header {
    uint32_t ident, version;
    uint32_t skinwidth, skinheight, framesize;
    uint32_t num_skins, num_xyz, num_st, num_tris, num_glcmds, num_frames;
    uint32_t ofs_skins, ofs_st, ofs_tris, ofs_frames, ofs_glcmds, ofs_end;
};

enum {
    MD2_HEADER_SIZE = 68,
    MD2_SKIN_SIZE = 64,
    MD2_ST_SIZE = 4,
    MD2_TRIANGLE_SIZE = 12,
    MD2_FRAME_HEADER_SIZE = 40,
    MD2_FRAME_NAME_SIZE = 16,
    MD2_VERTEX_SIZE = 4,
    MD2_GL_VERTEX_SIZE = 12,
    MD2_NORMAL_COUNT = 162,
};

/* The most words of GL commands: a triangle that stands alone takes ten. */
enum { MD2_MOST_WORDS = 10 * MODEL_MOST_TRIANGLES };

/* The file's frames are played at this rate: it holds none, and Quake II runs at 10 Hz. */
#define MD2_RATE_HZ 10.0f

/* Frames and their names, for a reader to fill in. */
struct md2 {
    struct rig_frame *frames;
    const char **frame_names;
};

extern const vec3 md2_normals[MD2_NORMAL_COUNT];

/* A model of so many points with room for frames and their names, which become animations[0]. */
struct md2 md2_init(struct model *model, uint32_t point_count, size_t frame_count);

/* Reads scale and translate of a frame. */
int md2_read_scale(struct cursor *cursor, struct rig_frame *out, struct error *err);

/* Copies the vertices of a frame. Returns how many have a normal that is not in the table. */
uint32_t md2_copy_vertices(struct model *model, const uint8_t *vertices, struct rig_frame *out);

/* Fills vertices, texture coordinates and indices from the triangle table or the GL commands. The header's
 * tables are known to lie inside the bytes. */
int md2_load_geometry(struct bytes bytes, const struct md2_header *header, enum geometry geometry,
                      struct model *model, struct error *err);

/* Splits the points of a model made from its triangle table: the corners of triangles that have one vertex and are
 * of one group are a point. `groups` has a number below group_count for each corner, model.index_count in all. On
 * failure the model is as before. */
int md2_split_points(struct model *model, const uint32_t *groups, uint32_t group_count, struct error *err);

/* -- md2_companions ----------------------------------------------------------------------------------------- */

/* Reads an .mdx, and splits the points as it says. */
int md2_add_normals(struct model *model, struct bytes bytes, struct error *err);

/* Reads a .tag: tags for as many keyframes as it says. */
int md2_load_tags(struct bytes bytes, struct arena *arena, struct tags *out, struct error *err);

/* Adds the clips named in an .anm, on animation 0 of the model; its first clips take the place of the guesses. What does not
 * fit the model (frames past its end) becomes an oddity; text that is not an .anm, or of which nothing fits, is an error
 * and adds nothing. */
int md2_add_clips(struct model *model, struct bytes bytes, struct error *err);
