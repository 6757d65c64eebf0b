#include "bolt.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"
#include "vec.h"

const char *const bolt_part_names[BOLT_PARTS] = {"lower", "upper", "head"};

enum { PICTURE_SIZE = 16, CELL_SIZE = PICTURE_SIZE / 2, MOST_BOXES = 3, MOST_TAGS = 3 };

/* A box that turns about the y axis through its pivot. */
struct box {
    const char *surface, *picture; /* "" for the picture of the skin */
    struct v3 low, high, pivot;
    int cell; /* of the picture, 0 to 3 */
};

/* A tag moves with a box, or with the whole part. */
struct tag {
    const char *name;
    struct v3 place;
    int box; /* or -1 */
};

struct shape {
    int frame_count, box_count, tag_count;
    struct box boxes[MOST_BOXES];
    struct tag tags[MOST_TAGS];
};

/* Feet are 22 units below the hips, where the origin of the legs is. */
static const struct shape shapes[BOLT_PARTS] = {
    [BOLT_LOWER] = {18,
                    2,
                    1,
                    {{"l_left", "", {-3, 1, -22}, {3, 6, 0}, {0, 0, -1}, 0},
                     {"l_right", "", {-3, -6, -22}, {3, -1, 0}, {0, 0, -1}, 0}},
                    {{"tag_torso", {0, 0, 0}, -1}}},
    [BOLT_UPPER] = {12,
                    3,
                    3,
                    {{"u_torso", "", {-4, -7, 0}, {4, 7, 15}, {0, 0, 0}, 1},
                     {"u_left", "", {-2, 7.5, 1}, {2, 11, 14}, {0, 9, 13}, 2},
                     {"u_right", "", {-2, -11, 1}, {2, -7.5, 14}, {0, -9, 13}, 2}},
                    {{"tag_head", {0, 0, 15}, -1}, {"tag_weapon", {0, -9, 1}, 2}, {"tag_torso", {0, 0, 0}, -1}}},
    [BOLT_HEAD] = {1,
                   2,
                   1,
                   {{"h_head", "", {-5, -5, 1}, {4, 5, 9}, {0, 0, 0}, 3},
                    {"h_visor", "visor", {4, -4, 4}, {5, 4, 7}, {0, 0, 0}, 0}},
                   {{"tag_head", {0, 0, 0}, -1}}},
};

/* -- Motion ------------------------------------------------------------------------------------------------ */

/* How far the part leans forward at a frame, in turns. Frames 0 to 3 fall, which all legs and torsos share. */
static double lean(enum bolt_part part, int frame)
{
    return part == BOLT_LOWER && frame < 4 ? frame / 12.0 : 0;
}

static double turn_leg(int frame, int side)
{
    if (frame < 4)
        return 0;
    if (frame < 12) /* eight steps of a walk */
        return side * 0.1 * sin(2 * PI * (frame - 4) / 8);
    if (frame < 14) /* a jump */
        return side * 0.05 + 0.04 * (frame - 12);
    return side * 0.01 * sin(2 * PI * (frame - 14) / 4);
}

static double turn_arm(int frame, int side)
{
    if (frame < 4)
        return -0.15 * frame;
    if (frame < 8) /* a wave of the left arm */
        return side > 0 ? -0.45 + 0.05 * (frame % 2) : 0;
    if (frame < 11) /* a shot */
        return side > 0 ? -0.05 : -0.25 + 0.03 * (frame - 8);
    return -0.1;
}

static double turn_box(enum bolt_part part, int box, int frame)
{
    if (part == BOLT_LOWER)
        return turn_leg(frame, box == 0 ? 1 : -1);
    return part == BOLT_UPPER && box > 0 ? turn_arm(frame, box == 1 ? 1 : -1) : 0;
}

static struct v3 turn_y(struct v3 p, struct v3 pivot, double turns)
{
    double s = sin(2 * PI * turns), c = cos(2 * PI * turns);
    struct v3 d = v3_sub(p, pivot);
    return v3_add(pivot, v3(c * d.x + s * d.z, d.y, c * d.z - s * d.x));
}

/* A point, or with no pivot a direction, of a box (or -1) at a frame. */
static struct v3 moved(enum bolt_part part, int box, int frame, struct v3 p, bool is_direction)
{
    struct v3 origin = v3(0, 0, 0);
    if (box >= 0)
        p = turn_y(p, is_direction ? origin : shapes[part].boxes[box].pivot, turn_box(part, box, frame));
    return turn_y(p, origin, lean(part, frame));
}

/* -- Faces ------------------------------------------------------------------------------------------------- */

/* Vertex `corner` of face `face`: the axis is face / 2, its low side for even faces. Clockwise from outside. */
static struct v3 face_corner(const struct box *box, int face, int corner)
{
    int axis = face / 2, is_high = face % 2;
    double values[3];
    const double low[] = {box->low.x, box->low.y, box->low.z}, high[] = {box->high.x, box->high.y, box->high.z};
    bool along = corner == 1 || corner == 2, across = corner >= 2;
    values[axis] = is_high ? high[axis] : low[axis];
    values[(axis + 1) % 3] = (is_high ? across : along) ? high[(axis + 1) % 3] : low[(axis + 1) % 3];
    values[(axis + 2) % 3] = (is_high ? along : across) ? high[(axis + 2) % 3] : low[(axis + 2) % 3];
    return v3(values[0], values[1], values[2]);
}

static struct v3 face_normal(int face)
{
    double values[3] = {0};
    values[face / 2] = face % 2 ? 1 : -1;
    return v3(values[0], values[1], values[2]);
}

/* -- MD3 --------------------------------------------------------------------------------------------------- */

static void add_number(struct buffer *out, uint32_t value, int size)
{
    for (int i = 0; i < size; i++) {
        char byte = (char)(uint8_t)(value >> 8 * i);
        buffer_add(out, &byte, 1);
    }
}

static void add_float(struct buffer *out, double value)
{
    float single = (float)(fabs(value) < 1e-9 ? 0 : value);
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    add_number(out, bits, 4);
}

static void add_vector(struct buffer *out, struct v3 v)
{
    add_float(out, v.x);
    add_float(out, v.y);
    add_float(out, v.z);
}

static void add_name(struct buffer *out, const char *name, size_t size)
{
    for (size_t i = 0, length = strlen(name); i < size; i++)
        buffer_add(out, i < length ? &name[i] : "", 1);
}

static void add_vertex(struct buffer *out, struct v3 p, struct v3 n)
{
    const double values[] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++)
        add_number(out, (uint32_t)(int)floor(values[i] * 64 + 0.5), 2);
    double from_z = acos(clamp(n.z, -1, 1)), around = fabs(n.x) + fabs(n.y) > 1e-9 ? atan2(n.y, n.x) : 0;
    add_number(out, (uint32_t)(int)floor(from_z * 128 / PI + 0.5), 1);
    add_number(out, (uint32_t)(int)floor(around * 128 / PI + 0.5), 1);
}

static void add_surface(enum bolt_part part, int number, struct buffer *out)
{
    const struct shape *shape = &shapes[part];
    const struct box *box = &shape->boxes[number];
    const uint32_t verts = 24, triangles = 12, ofs_shaders = 108 + 12 * triangles, ofs_st = ofs_shaders + 68;
    const uint32_t ofs_verts = ofs_st + 8 * verts, end = ofs_verts + 8 * verts * (uint32_t)shape->frame_count;
    const uint32_t words[] = {
        0, (uint32_t)shape->frame_count, 1, verts, triangles, 108, ofs_shaders, ofs_st, ofs_verts, end};
    add_name(out, "IDP3", 4);
    add_name(out, box->surface, 64);
    for (int i = 0; i < 10; i++)
        add_number(out, words[i], 4);
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t i = 0; i < 6; i++)
            add_number(out, 4 * face + (uint32_t)(i < 3 ? i : i == 3 ? 0 : i - 2), 4);
    char shader[64];
    snprintf(shader, sizeof shader, "models/players/bolt/%s.png", *box->picture ? box->picture : "bolt");
    add_name(out, shader, 64);
    add_number(out, 0, 4);
    for (int i = 0; i < 24; i++) {
        int corner = i % 4;
        add_float(out, (box->cell % 2 + (corner == 1 || corner == 2)) / 2.0);
        add_float(out, (box->cell / 2 + (corner < 2)) / 2.0);
    }
    for (int frame = 0; frame < shape->frame_count; frame++)
        for (int i = 0; i < 24; i++)
            add_vertex(out, moved(part, number, frame, face_corner(box, i / 4, i % 4), false),
                       moved(part, number, frame, face_normal(i / 4), true));
}

void bolt_save_part(enum bolt_part part, struct buffer *out)
{
    const struct shape *shape = &shapes[part];
    const uint32_t frames = (uint32_t)shape->frame_count, tags = (uint32_t)shape->tag_count;
    const uint32_t ofs_tags = 108 + 56 * frames, ofs_surfaces = ofs_tags + 112 * frames * tags;
    const uint32_t surface_size = 108 + 12 * 12 + 68 + 8 * 24 + 8 * 24 * frames;
    const uint32_t words[] = {0,
                              frames,
                              tags,
                              (uint32_t)shape->box_count,
                              0,
                              108,
                              ofs_tags,
                              ofs_surfaces,
                              ofs_surfaces + surface_size * (uint32_t)shape->box_count};
    add_name(out, "IDP3", 4);
    add_number(out, 15, 4);
    add_name(out, bolt_part_names[part], 64);
    for (int i = 0; i < 9; i++)
        add_number(out, words[i], 4);
    for (uint32_t i = 0; i < frames; i++) {
        add_vector(out, v3(-32, -32, -32)); /* a box that holds them all */
        add_vector(out, v3(32, 32, 32));
        add_vector(out, v3(0, 0, 0));
        add_float(out, 56);
        add_name(out, "bolt", 16);
    }
    for (int frame = 0; frame < shape->frame_count; frame++)
        for (int i = 0; i < shape->tag_count; i++) {
            const struct tag *tag = &shape->tags[i];
            add_name(out, tag->name, 64);
            add_vector(out, moved(part, tag->box, frame, tag->place, false));
            add_vector(out, moved(part, tag->box, frame, v3(1, 0, 0), true));
            add_vector(out, moved(part, tag->box, frame, v3(0, 1, 0), true));
            add_vector(out, moved(part, tag->box, frame, v3(0, 0, 1), true));
        }
    for (int i = 0; i < shape->box_count; i++)
        add_surface(part, i, out);
}

/* -- Texts and pictures ------------------------------------------------------------------------------------ */

void bolt_save_animations(struct buffer *out)
{
    static const char *const rows[] = {
        "0 4 0 8    // BOTH_DEATH1",   "3 1 0 8    // BOTH_DEAD1",   "0 4 0 8    // BOTH_DEATH2",
        "3 1 0 8    // BOTH_DEAD2",    "0 4 0 8    // BOTH_DEATH3",  "3 1 0 8    // BOTH_DEAD3",
        "4 4 0 8    // TORSO_GESTURE", "8 3 0 12   // TORSO_ATTACK", "8 3 0 12   // TORSO_ATTACK2",
        "11 1 0 8   // TORSO_DROP",    "11 1 0 8   // TORSO_RAISE",  "11 1 0 8   // TORSO_STAND",
        "11 1 0 8   // TORSO_STAND2",  "12 8 8 8   // LEGS_WALKCR",  "12 8 8 10  // LEGS_WALK",
        "12 8 8 16  // LEGS_RUN",      "12 -8 8 12 // LEGS_BACK",    "12 8 8 8   // LEGS_SWIM",
        "20 2 0 8   // LEGS_JUMP",     "20 2 0 8   // LEGS_LAND",    "20 2 0 8   // LEGS_JUMPB",
        "20 2 0 8   // LEGS_LANDB",    "22 4 4 4   // LEGS_IDLE",    "22 4 4 4   // LEGS_IDLECR",
        "22 4 4 8   // LEGS_TURN",
    };
    buffer_printf(out, "// first frame, number of frames, how many of them loop, frames per second\n\nsex n\n\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buffer_printf(out, "%s\n", rows[i]);
}

void bolt_save_skin(enum bolt_part part, const char *picture, struct buffer *out)
{
    for (int i = 0; i < shapes[part].box_count; i++) {
        const struct box *box = &shapes[part].boxes[i];
        buffer_printf(out, "%s,models/players/bolt/%s\n", box->surface, *box->picture ? box->picture : picture);
    }
    for (int i = 0; i < shapes[part].tag_count; i++)
        buffer_printf(out, "%s,\n", shapes[part].tags[i].name);
}

/* Four cells, each of a colour with a darker edge and a brighter corner at the top left. */
void bolt_save_picture(const char *name, struct buffer *out)
{
    static const uint8_t bolt[4][3] = {{70, 78, 92}, {236, 178, 48}, {120, 128, 140}, {250, 214, 120}};
    static const uint8_t rust[4][3] = {{84, 66, 58}, {178, 74, 40}, {132, 110, 96}, {206, 120, 84}};
    static const uint8_t visor[4][3] = {{40, 210, 230}, {40, 210, 230}, {40, 210, 230}, {40, 210, 230}};
    const uint8_t(*colors)[3] = !strcmp(name, "visor") ? visor : !strcmp(name, "rust") ? rust : bolt;
    uint8_t pixels[PICTURE_SIZE * PICTURE_SIZE * 3], *pixel = pixels;
    for (int y = 0; y < PICTURE_SIZE; y++)
        for (int x = 0; x < PICTURE_SIZE; x++) {
            int in_x = x % CELL_SIZE, in_y = y % CELL_SIZE;
            bool is_edge = in_x == 0 || in_y == 0 || in_x == CELL_SIZE - 1 || in_y == CELL_SIZE - 1;
            for (int i = 0; i < 3; i++) {
                int value = colors[y / CELL_SIZE * 2 + x / CELL_SIZE][i];
                *pixel++ = (uint8_t)(is_edge ? value / 2 : in_x < 3 && in_y < 3 ? (value + 255) / 2 : value);
            }
        }
    picture_save_png(pixels, PICTURE_SIZE, out);
}
