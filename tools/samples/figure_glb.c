#include "figure_glb.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "glb.h"
#include "picture.h"

enum { WEIGHTS = 4 };

/* Rounded, so that all compilers write the same bytes. */
static float number(double value)
{
    return (float)(floor(value * 1e6 + 0.5) / 1e6);
}

static void set_vector(float *out, struct v3 v, double scale)
{
    out[0] = number(v.y * scale);
    out[1] = number(v.z * scale);
    out[2] = number(v.x * scale);
}

static void set_turn(float *out, struct quat q)
{
    set_vector(out, v3(q.x, q.y, q.z), 1);
    out[3] = number(q.w);
}

int motion_key_count(const struct motion *motion)
{
    return motion->frame_count + motion->loops;
}

/* -- Meshes ------------------------------------------------------------------------------------------------- */

/* Of a weight, 65535ths; the largest has what the others leave. */
static void set_weights(const struct weights *weights, uint8_t *joints, uint16_t *shares)
{
    assert(weights->count <= WEIGHTS);
    int left = 65535;
    for (int i = weights->count - 1; i >= 0; i--) {
        joints[i] = (uint8_t)weights->items[i].joint;
        shares[i] = (uint16_t)(i > 0 ? lround(weights->items[i].bias * 65535) : left);
        left -= shares[i];
    }
}

static void add_mesh(struct glb *glb, const struct coat *coat, int material, struct buffer *json)
{
    size_t count = (size_t)coat->vertex_count, index_count = (size_t)coat->triangle_count * 3;
    struct v3 *rest = must_alloc((size_t)coat->point_count, sizeof *rest);
    struct v3 *outwards = must_alloc((size_t)coat->point_count, sizeof *outwards);
    float(*points)[3] = must_alloc(count, sizeof *points), (*normals)[3] = must_alloc(count, sizeof *normals);
    float(*uvs)[2] = must_alloc(count, sizeof *uvs);
    uint8_t(*joints)[WEIGHTS] = must_alloc(count, sizeof *joints);
    uint16_t(*shares)[WEIGHTS] = must_alloc(count, sizeof *shares);
    uint16_t *indices = must_alloc(index_count, sizeof *indices);
    for (int i = 0; i < coat->point_count; i++)
        rest[i] = coat->points[i].rest;
    coat_normals(coat, rest, outwards);
    for (size_t i = 0; i < count; i++) {
        const struct vertex *vertex = &coat->vertices[i];
        set_vector(points[i], rest[vertex->point], FIGURE_METRES);
        set_vector(normals[i], outwards[vertex->point], 1);
        uvs[i][0] = number(vertex->s);
        uvs[i][1] = number(vertex->t);
        set_weights(&coat->points[vertex->point].weights, joints[i], shares[i]);
    }
    for (size_t i = 0; i < index_count; i++) /* counter-clockwise */
        indices[i] = (uint16_t)coat->triangles[i / 3][2 - i % 3];
    int point = glb_add_positions(glb, points, count), normal = glb_add_floats(glb, normals[0], 3, count);
    int uv = glb_add_floats(glb, uvs[0], 2, count);
    int joint = glb_add_accessor(glb, joints, count * sizeof *joints, GLB_UNSIGNED_BYTE, "VEC4", count, "");
    int share = glb_add_accessor(glb, shares, count * sizeof *shares, GLB_UNSIGNED_SHORT, "VEC4", count,
                                 ",\"normalized\":true");
    buffer_printf(json,
                  "%s{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,"
                  "\"TEXCOORD_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":%d,\"material\":%d}]}",
                  material ? "," : "", coat->name, point, normal, uv, joint, share,
                  glb_add_indices(glb, indices, index_count), material);
    free(rest);
    free(outwards);
    free(points);
    free(normals);
    free(uvs);
    free(joints);
    free(shares);
    free(indices);
}

static void add_picture(struct glb *glb, const uint8_t *pixels, int size, const char *name, struct buffer *json)
{
    struct buffer png = {0};
    picture_save_png(pixels, size, &png);
    buffer_printf(json, "%s{\"name\":\"%s\",\"mimeType\":\"image/png\",\"bufferView\":%d}",
                  json->length ? "," : "", name, glb_add_view(glb, png.text, png.length));
    buffer_release(&png);
}

/* Green is up here, and down in Doom 3's normal maps. */
static void add_pictures(struct glb *glb, const struct coat *coat, const struct canvas *canvas,
                         struct buffer *json)
{
    size_t count = (size_t)canvas->size * (size_t)canvas->size;
    uint8_t *normal = must_alloc(count, 3);
    for (size_t i = 0; i < count * 3; i++)
        normal[i] = i % 3 == 1 ? 255 - canvas->normal[i] : canvas->normal[i];
    char *name = must_printf("%s_normal", coat->name);
    add_picture(glb, canvas->color, canvas->size, coat->name, json);
    add_picture(glb, normal, canvas->size, name, json);
    free(name);
    free(normal);
}

/* -- Joints and clips --------------------------------------------------------------------------------------- */

static void add_nodes(const struct rig *rig, const struct stance *rest, int first, struct buffer *json)
{
    for (int i = 0; i < rig->joint_count; i++) {
        struct placement placement = stance_below_parent(rest, rig, i);
        float at[3], turn[4];
        set_vector(at, placement.at, FIGURE_METRES);
        set_turn(turn, placement.turn);
        buffer_printf(
            json, "%s{\"name\":\"%s\",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]",
            json->length ? "," : "", rig->joints[i].name, at[0], at[1], at[2], turn[0], turn[1], turn[2], turn[3]);
        const char *before = ",\"children\":[";
        for (int k = i + 1; k < rig->joint_count; k++)
            if (rig->joints[k].parent == i) {
                buffer_printf(json, "%s%d", before, first + k);
                before = ",";
            }
        buffer_printf(json, "%s", *before == ',' && before[1] ? "}" : "]}");
    }
}

/* The matrices from the model to the joints, column by column. */
static int add_inverses(struct glb *glb, const struct rig *rig, const struct stance *rest)
{
    float matrices[RIG_MAX_JOINTS][16] = {0};
    for (int i = 0; i < rig->joint_count; i++) {
        struct placement placement = stance_in_model(rest, rig, i);
        struct quat back = quat_back(placement.turn);
        set_vector(matrices[i], quat_rotate(back, v3(0, 1, 0)), 1);
        set_vector(matrices[i] + 4, quat_rotate(back, v3(0, 0, 1)), 1);
        set_vector(matrices[i] + 8, quat_rotate(back, v3(1, 0, 0)), 1);
        set_vector(matrices[i] + 12, quat_rotate(back, placement.at), -FIGURE_METRES);
        matrices[i][15] = 1;
    }
    return glb_add_floats(glb, matrices[0], 16, (size_t)rig->joint_count);
}

/* The values of a joint at the keys, and whether any is another than at rest. */
static bool joint_keys(const struct rig *rig, const struct motion *motion, const struct stance *frames,
                       const struct stance *rest, int joint, int width, float *out)
{
    bool moves = false;
    float still[4], *value = out;
    for (int i = -1; i < motion_key_count(motion); i++) {
        struct placement placement =
            stance_below_parent(i < 0 ? rest : &frames[i % motion->frame_count], rig, joint);
        float *to = i < 0 ? still : value;
        width == 3 ? set_vector(to, placement.at, FIGURE_METRES) : set_turn(to, placement.turn);
        for (int k = 0; k < width && i >= 0; k++)
            moves |= fabsf(value[k] - still[k]) > 2e-6f;
        value += i < 0 ? 0 : width;
    }
    return moves;
}

static void add_clip(struct glb *glb, const struct rig *rig, const struct motion *motion,
                     const struct stance *frames, const struct stance *rest, int first, struct buffer *json)
{
    struct buffer samplers = {0}, channels = {0};
    int count = motion_key_count(motion), sampler_count = 0;
    float *values = must_alloc((size_t)count * 4, sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = number(i / motion->rate_hz);
    int times = glb_add_times(glb, values, (size_t)count);
    for (int i = 0; i < rig->joint_count * 2; i++) {
        int width = i % 2 ? 4 : 3;
        if (!joint_keys(rig, motion, frames, rest, i / 2, width, values))
            continue;
        const char *comma = sampler_count ? "," : "";
        buffer_printf(&samplers, "%s{\"input\":%d,\"output\":%d}", comma, times,
                      glb_add_floats(glb, values, width, (size_t)count));
        buffer_printf(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", comma,
                      sampler_count++, first + i / 2, width == 3 ? "translation" : "rotation");
    }
    buffer_printf(json, "%s{\"name\":\"%s\",\"samplers\":[%s],\"channels\":[%s]}", json->length ? "," : "",
                  motion->name, samplers.text, channels.text);
    buffer_release(&samplers);
    buffer_release(&channels);
    free(values);
}

/* -- Files -------------------------------------------------------------------------------------------------- */

static const char head[] = "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sheetbake\"},\"scene\":0";

void figure_glb_save(const struct figure *figure, const struct canvas *canvases, const struct motion *motions,
                     int motion_count, const struct stance *frames, struct buffer *out)
{
    const struct rig *rig = &figure->rig;
    struct stance rest;
    struct glb glb = {0};
    struct buffer json = {0}, nodes = {0}, meshes = {0}, materials = {0}, textures = {0}, images = {0},
                  clips = {0};
    stance_init(&rest, rig);
    buffer_printf(&json, "%s,\"scenes\":[{\"nodes\":[", head);
    for (int i = 0; i < figure->coat_count; i++) {
        const struct coat *coat = &figure->coats[i];
        const char *comma = i ? "," : "";
        buffer_printf(&json, "%d,", i);
        buffer_printf(&nodes, "%s{\"name\":\"%s\",\"mesh\":%d,\"skin\":0}", comma, coat->name, i);
        add_mesh(&glb, coat, i, &meshes);
        add_pictures(&glb, coat, &canvases[i], &images);
        buffer_printf(&textures, "%s{\"source\":%d,\"sampler\":0},{\"source\":%d,\"sampler\":0}", comma, 2 * i,
                      2 * i + 1);
        buffer_printf(&materials,
                      "%s{\"name\":\"%s\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d},"
                      "\"metallicFactor\":0,\"roughnessFactor\":0.9},\"normalTexture\":{\"index\":%d}}",
                      comma, coat->name, 2 * i, 2 * i + 1);
    }
    add_nodes(rig, &rest, figure->coat_count, &nodes);
    int inverses = add_inverses(&glb, rig, &rest);
    for (int i = 0; i < motion_count; frames += motions[i++].frame_count)
        add_clip(&glb, rig, &motions[i], frames, &rest, figure->coat_count, &clips);
    buffer_printf(&json, "%d]}],\"nodes\":[%s],\"skins\":[{\"inverseBindMatrices\":%d,\"joints\":[",
                  figure->coat_count, nodes.text, inverses);
    for (int i = 0; i < rig->joint_count; i++)
        buffer_printf(&json, "%s%d", i ? "," : "", figure->coat_count + i);
    buffer_printf(&json,
                  "]}],\"meshes\":[%s],\"materials\":[%s],\"textures\":[%s],\"images\":[%s],"
                  "\"samplers\":[{\"magFilter\":9729,\"minFilter\":9987}],\"animations\":[%s]",
                  meshes.text, materials.text, textures.text, images.text, clips.text);
    glb_save(&glb, &json, out);
    buffer_release(&nodes);
    buffer_release(&meshes);
    buffer_release(&materials);
    buffer_release(&textures);
    buffer_release(&images);
    buffer_release(&clips);
}

void motion_glb_save(const struct rig *rig, const struct motion *motion, const struct stance *frames,
                     struct buffer *out)
{
    struct stance rest;
    struct glb glb = {0};
    struct buffer json = {0}, nodes = {0}, clip = {0};
    stance_init(&rest, rig);
    add_nodes(rig, &rest, 0, &nodes);
    add_clip(&glb, rig, motion, frames, &rest, 0, &clip);
    buffer_printf(&json, "%s,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[%s],\"animations\":[%s]", head, nodes.text,
                  clip.text);
    glb_save(&glb, &json, out);
    buffer_release(&nodes);
    buffer_release(&clip);
}
