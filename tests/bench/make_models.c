/* Makes what the steady state is measured on, in the folder named by the one argument: a worm of 4,000 triangles
 * that writhes, as worm.md2 and as worm.md5mesh with worm.md5anim (three weights a vertex), and its skin of
 * 512x512 in worm.png.
 *
 * The worm stands along z, a tube of rings. Joints sit along its middle, and in both files a ring follows the
 * three joints nearest to it, so that the two draw nearly the same pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/md2.h"
#include "sheet/sheet.h"
#include "../unit/md2_builder.h"

enum {
    RINGS = 101,
    SIDES = 20,
    COLUMNS = SIDES + 1, /* of texture coordinates: the seam has two */
    TRIANGLES = (RINGS - 1) * SIDES * 2,
    JOINTS = 21,
    RINGS_PER_JOINT = (RINGS - 1) / (JOINTS - 1),
    FRAMES = 32,
    SKIN_SIDE = 512,
};

static const float LENGTH = 100, TURN = 6.2831853f;

struct ring {
    float center[3];
    float radius, slope; /* of the radius along z */
};

/* How far joint `joint` has swung out sideways in a frame: a wave that runs up the worm. */
static void joint_offset(int joint, int frame, float offset[2])
{
    float along = (float)joint / (JOINTS - 1), phase = TURN * ((float)frame / FRAMES - along);
    offset[0] = 18 * along * sinf(phase);
    offset[1] = 24 * along * cosf(phase);
}

/* The three joints a ring follows, and how much. */
static void ring_weights(int ring, int joints[3], float biases[3])
{
    int middle = (ring + RINGS_PER_JOINT / 2) / RINGS_PER_JOINT;
    int first = middle < 1 ? 0 : middle > JOINTS - 2 ? JOINTS - 3 : middle - 1;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        joints[i] = first + i;
        float away = (float)(ring - joints[i] * RINGS_PER_JOINT) / RINGS_PER_JOINT;
        biases[i] = 1 / (0.2f + away * away);
        sum += biases[i];
    }
    for (int i = 0; i < 3; i++)
        biases[i] /= sum;
}

static struct ring ring_at(int number, int frame)
{
    float along = (float)number / (RINGS - 1), angle = TURN * 4 * along;
    struct ring ring = {.center = {0, 0, LENGTH * along}};
    ring.radius = (14 + 2 * sinf(angle)) * sqrtf(fmaxf(0.02f, 1 - powf(2 * along - 1, 8)));
    ring.slope = 2 * TURN * 4 * cosf(angle) / LENGTH;
    int joints[3];
    float biases[3], offset[2];
    ring_weights(number, joints, biases);
    for (int i = 0; i < 3; i++) {
        joint_offset(joints[i], frame, offset);
        ring.center[0] += biases[i] * offset[0];
        ring.center[1] += biases[i] * offset[1];
    }
    return ring;
}

static void ring_point(const struct ring *ring, int side, float point[3], float normal[3])
{
    float angle = TURN * (float)side / SIDES, length = sqrtf(1 + ring->slope * ring->slope);
    float across[2] = {cosf(angle), sinf(angle)};
    for (int axis = 0; axis < 2; axis++) {
        point[axis] = ring->center[axis] + ring->radius * across[axis];
        normal[axis] = across[axis] / length;
    }
    point[2] = ring->center[2];
    normal[2] = -ring->slope / length;
}

/* Clockwise seen from outside. Corners are ring and column. */
static void triangle_corners(int triangle, int corners[3][2])
{
    int ring = triangle / 2 / SIDES, side = triangle / 2 % SIDES;
    const int lower[3][2] = {{0, 0}, {1, 0}, {0, 1}}, upper[3][2] = {{0, 1}, {1, 0}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        const int *corner = triangle % 2 ? upper[i] : lower[i];
        corners[i][0] = ring + corner[0];
        corners[i][1] = side + corner[1];
    }
}

/* -- MD2 --------------------------------------------------------------------------------------------------- */

static uint8_t nearest_table_normal(const float normal[3])
{
    uint8_t nearest = 0;
    float most = -2;
    for (int i = 0; i < MD2_NORMAL_COUNT; i++) {
        const float *entry = md2_normals[i];
        float cosine = entry[0] * normal[0] + entry[1] * normal[1] + entry[2] * normal[2];
        if (cosine > most) {
            most = cosine;
            nearest = (uint8_t)i;
        }
    }
    return nearest;
}

/* One box holds all frames. */
static const float md2_box[6] = {0.4f, 0.4f, 0.4f, -51, -51, -1};

static void set_md2_vertex(uint8_t vertex[4], const struct ring *ring, int side)
{
    float point[3], normal[3];
    ring_point(ring, side, point, normal);
    for (int axis = 0; axis < 3; axis++)
        vertex[axis] = (uint8_t)lrintf((point[axis] - md2_box[3 + axis]) / md2_box[axis]);
    vertex[3] = nearest_table_normal(normal);
}

static struct blob make_md2(void)
{
    static uint8_t vertices[FRAMES * RINGS * SIDES][4];
    static uint16_t triangles[TRIANGLES][6];
    static int16_t st[RINGS * COLUMNS][2];
    static float boxes[FRAMES][6];
    static char names[FRAMES][MD2_FRAME_NAME_SIZE];
    static const char *name_list[FRAMES], *const skins[] = {"worm.png"};

    for (int frame = 0; frame < FRAMES; frame++) {
        snprintf(names[frame], sizeof names[frame], "writhe%d", frame + 1);
        name_list[frame] = names[frame];
        memcpy(boxes[frame], md2_box, sizeof md2_box);
        for (int i = 0; i < RINGS * SIDES; i++) {
            struct ring ring = ring_at(i / SIDES, frame);
            set_md2_vertex(vertices[frame * RINGS * SIDES + i], &ring, i % SIDES);
        }
    }
    for (int i = 0; i < RINGS * COLUMNS; i++) {
        st[i][0] = (int16_t)(i % COLUMNS * SKIN_SIDE / SIDES);
        st[i][1] = (int16_t)(i / COLUMNS * SKIN_SIDE / (RINGS - 1));
    }
    for (int i = 0; i < TRIANGLES; i++) {
        int corners[3][2];
        triangle_corners(i, corners);
        for (int c = 0; c < 3; c++) {
            triangles[i][c] = (uint16_t)(corners[c][0] * SIDES + corners[c][1] % SIDES);
            triangles[i][3 + c] = (uint16_t)(corners[c][0] * COLUMNS + corners[c][1]);
        }
    }
    struct md2_spec spec = {
        .skinwidth = SKIN_SIDE,
        .skinheight = SKIN_SIDE,
        .skin_count = 1,
        .st_count = RINGS * COLUMNS,
        .triangle_count = TRIANGLES,
        .vertex_count = RINGS * SIDES,
        .frame_count = FRAMES,
        .skins = skins,
        .st = st,
        .triangles = triangles,
        .frame_names = name_list,
        .boxes = boxes,
        .vertices = vertices,
    };
    return md2_build(&spec);
}

/* -- MD5 --------------------------------------------------------------------------------------------------- */

/* Joints are turned by nothing and stand above each other: each is this far from its parent. */
static float joint_height(int joint)
{
    return joint == 0 ? 0 : LENGTH / (JOINTS - 1);
}

static void print_joint_name(struct buffer *out, int joint)
{
    buffer_printf(out, "\t\"joint%d\" %d", joint, joint - 1);
}

static void print_vertex_weights(struct buffer *out, int vertex)
{
    int number = vertex / COLUMNS, joints[3];
    float biases[3], point[3], normal[3];
    struct ring ring = ring_at(number, 0);
    ring.center[0] = ring.center[1] = 0; /* stands straight at bind pose */
    ring_point(&ring, vertex % COLUMNS % SIDES, point, normal);
    ring_weights(number, joints, biases);
    for (int i = 0; i < 3; i++)
        buffer_printf(out, "\tweight %d %d %f ( %f %f %f )\n", vertex * 3 + i, joints[i], biases[i], point[0],
                      point[1], point[2] - LENGTH * (float)joints[i] / (JOINTS - 1));
}

static void print_md5mesh(struct buffer *out)
{
    buffer_printf(out, "MD5Version 10\ncommandline \"\"\n\nnumJoints %d\nnumMeshes 1\n\njoints {\n", JOINTS);
    for (int joint = 0; joint < JOINTS; joint++) {
        print_joint_name(out, joint);
        buffer_printf(out, " ( 0 0 %f ) ( 0 0 0 )\n", LENGTH * (float)joint / (JOINTS - 1));
    }
    buffer_printf(out, "}\n\nmesh {\n\tshader \"worm\"\n\n\tnumverts %d\n", RINGS * COLUMNS);
    for (int i = 0; i < RINGS * COLUMNS; i++)
        buffer_printf(out, "\tvert %d ( %f %f ) %d 3\n", i, (float)(i % COLUMNS) / SIDES,
                      (float)(i / COLUMNS) / (RINGS - 1), i * 3);
    buffer_printf(out, "\n\tnumtris %d\n", TRIANGLES);
    for (int i = 0; i < TRIANGLES; i++) {
        int c[3][2];
        triangle_corners(i, c);
        buffer_printf(out, "\ttri %d %d %d %d\n", i, c[0][0] * COLUMNS + c[0][1], c[1][0] * COLUMNS + c[1][1],
                      c[2][0] * COLUMNS + c[2][1]);
    }
    buffer_printf(out, "\n\tnumweights %d\n", RINGS * COLUMNS * 3);
    for (int i = 0; i < RINGS * COLUMNS; i++)
        print_vertex_weights(out, i);
    buffer_printf(out, "}\n");
}

/* Every component is animated, as exporters write it; the turns are small and around the worm's axis. */
static void print_md5anim_frame(struct buffer *out, int frame)
{
    buffer_printf(out, "\nframe %d {\n", frame);
    for (int joint = 0; joint < JOINTS; joint++) {
        float here[2], parent[2] = {0};
        joint_offset(joint, frame, here);
        if (joint > 0)
            joint_offset(joint - 1, frame, parent);
        buffer_printf(out, "\t%f %f %f 0 0 %f\n", here[0] - parent[0], here[1] - parent[1], joint_height(joint),
                      0.001f * sinf(TURN * (float)frame / FRAMES));
    }
    buffer_printf(out, "}\n");
}

static void print_md5anim(struct buffer *out)
{
    buffer_printf(out,
                  "MD5Version 10\ncommandline \"\"\n\nnumFrames %d\nnumJoints %d\nframeRate 24\n"
                  "numAnimatedComponents %d\n\nhierarchy {\n",
                  FRAMES, JOINTS, JOINTS * 6);
    for (int joint = 0; joint < JOINTS; joint++) {
        print_joint_name(out, joint);
        buffer_printf(out, " 63 %d\n", joint * 6);
    }
    buffer_printf(out, "}\n\nbounds {\n");
    for (int frame = 0; frame < FRAMES; frame++)
        buffer_printf(out, "\t( -51 -51 0 ) ( 51 51 101 )\n");
    buffer_printf(out, "}\n\nbaseframe {\n");
    for (int joint = 0; joint < JOINTS; joint++)
        buffer_printf(out, "\t( 0 0 %f ) ( 0 0 0 )\n", joint_height(joint));
    buffer_printf(out, "}\n");
    for (int frame = 0; frame < FRAMES; frame++)
        print_md5anim_frame(out, frame);
}

/* -- The skin, and files ----------------------------------------------------------------------------------- */

static int make_skin(struct blob *out, struct error *err)
{
    struct sheet sheet;
    if (sheet_init(&sheet, SHEET_COLOR, SKIN_SIDE, SKIN_SIDE, err) < 0)
        return -1;
    uint32_t noise = 1;
    for (uint32_t y = 0; y < SKIN_SIDE; y++)
        for (uint32_t x = 0; x < SKIN_SIDE; x++) {
            noise = noise * 1664525 + 1013904223;
            uint8_t grain = (uint8_t)(noise >> 27), band = (y / 16 + x / 64) % 2 ? 60 : 0;
            const uint8_t color[4] = {(uint8_t)(120 + grain + band), (uint8_t)(90 + grain + band / 2),
                                      (uint8_t)(70 + grain), 255};
            memcpy(sheet_row(&sheet, y) + x * 4, color, 4);
        }
    int result = sheet_save_png(&sheet, out, err);
    sheet_release(&sheet);
    return result;
}

static int write_file(const char *folder, const char *name, struct bytes bytes, struct error *err)
{
    char *path = path_join(folder, name), *temporary = must_printf("%s.tmp", path);
    int result = file_replace(path, temporary, bytes, err);
    free(temporary);
    free(path);
    return result;
}

static int write_text(const char *folder, const char *name, void (*print)(struct buffer *), struct error *err)
{
    struct buffer text = {0};
    print(&text);
    int result = write_file(folder, name, (struct bytes){(const uint8_t *)text.text, text.length}, err);
    buffer_release(&text);
    return result;
}

static int write_models(const char *folder, struct error *err)
{
    struct blob md2 = make_md2(), skin = {0};
    int result = -1;
    if (make_skin(&skin, err) == 0 && write_file(folder, "worm.md2", blob_bytes(&md2), err) == 0 &&
        write_file(folder, "worm.png", blob_bytes(&skin), err) == 0 &&
        write_text(folder, "worm.md5mesh", print_md5mesh, err) == 0)
        result = write_text(folder, "worm.md5anim", print_md5anim, err);
    blob_release(&md2);
    blob_release(&skin);
    return result;
}

int main(int argc, char **argv)
{
    struct error err;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    if (write_models(argv[1], &err) < 0) {
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
        return 1;
    }
    return 0;
}
