#include "sprout.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "glb.h"
#include "picture.h"

enum { SIDES = 8, RINGS = 7, STEM_POINTS = SIDES * RINGS, JOINTS = 3, POT_SIDES = 10, PICTURE_SIZE = 8 };

static const double TAU = 6.283185307179586;

/* -- The stem ----------------------------------------------------------------------------------------------- */

struct stem {
    float points[STEM_POINTS][3], normals[STEM_POINTS][3], swollen[STEM_POINTS][3];
    uint8_t colors[STEM_POINTS][4], joints[STEM_POINTS][4], weights[STEM_POINTS][4];
    uint16_t indices[(RINGS - 1) * SIDES * 6];
};

static void make_stem_point(struct stem *stem, int ring, int side)
{
    int i = ring * SIDES + side;
    double up = ring / (RINGS - 1.0), turn = TAU * side / SIDES, radius = 0.09 * (1.2 - up),
           swell = 0.12 * sin(up * TAU / 2);
    double joint = up * (JOINTS - 1);
    int below = joint < JOINTS - 1 ? (int)joint : JOINTS - 2;
    for (int k = 0; k < 3; k++) {
        double outwards = k == 0 ? sin(turn) : k == 2 ? cos(turn) : 0;
        stem->points[i][k] = (float)(k == 1 ? up : radius * outwards);
        stem->normals[i][k] = (float)outwards;
        stem->swollen[i][k] = (float)(swell * outwards);
    }
    uint8_t above = (uint8_t)lround((joint - below) * 255);
    memcpy(stem->colors[i], (uint8_t[]){(uint8_t)(40 + 120 * up), 160, 40, 255}, 4);
    memcpy(stem->joints[i], (uint8_t[]){(uint8_t)below, (uint8_t)(below + 1), 0, 0}, 4);
    memcpy(stem->weights[i], (uint8_t[]){255 - above, above, 0, 0}, 4);
}

static int add_stem(struct glb *file, struct buffer *primitive)
{
    struct stem stem;
    uint16_t *next = stem.indices;
    for (int i = 0; i < STEM_POINTS; i++)
        make_stem_point(&stem, i / SIDES, i % SIDES);
    for (int i = 0; i < STEM_POINTS - SIDES; i++) {
        int beside = i / SIDES * SIDES + (i + 1) % SIDES;
        int corners[6] = {i, beside, i + SIDES, beside, beside + SIDES, i + SIDES};
        for (int k = 0; k < 6; k++)
            *next++ = (uint16_t)corners[k];
    }
    int positions = glb_add_positions(file, stem.points, STEM_POINTS);
    int normals = glb_add_floats(file, stem.normals[0], 3, STEM_POINTS);
    int colors = glb_add_accessor(file, stem.colors, sizeof stem.colors, GLB_UNSIGNED_BYTE, "VEC4", STEM_POINTS,
                                  ",\"normalized\":true");
    int joints =
        glb_add_accessor(file, stem.joints, sizeof stem.joints, GLB_UNSIGNED_BYTE, "VEC4", STEM_POINTS, "");
    int weights = glb_add_accessor(file, stem.weights, sizeof stem.weights, GLB_UNSIGNED_BYTE, "VEC4", STEM_POINTS,
                                   ",\"normalized\":true");
    int swollen = glb_add_positions(file, stem.swollen, STEM_POINTS);
    buffer_printf(
        primitive,
        "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
        "\"targets\":[{\"POSITION\":%d}],\"indices\":%d,\"material\":0}",
        positions, normals, colors, joints, weights, swollen,
        glb_add_indices(file, stem.indices, sizeof stem.indices / sizeof *stem.indices));
    float inverses[JOINTS][16] = {0};
    for (int i = 0; i < JOINTS; i++) {
        for (int k = 0; k < 4; k++)
            inverses[i][5 * k] = 1;
        inverses[i][13] = -(float)i / (JOINTS - 1);
    }
    return glb_add_floats(file, inverses[0], 16, JOINTS);
}

/* -- Leaf and pot ------------------------------------------------------------------------------------------- */

/* A leaf is a strip that points to the left, bent down at its tip, seen from both sides. */
static void add_leaf(struct glb *file, struct buffer *primitive)
{
    float points[8][3];
    for (int i = 0; i < 8; i++) {
        double along = i / 2 / 3.0, across = (i % 2 ? -1 : 1) * 0.16 * sin(along * TAU / 2 * 0.95 + 0.1);
        float point[3] = {(float)(0.5 * along), (float)(0.16 * sin(along * 2.6)), (float)across};
        memcpy(points[i], point, sizeof point);
    }
    buffer_printf(primitive, "{\"attributes\":{\"POSITION\":%d},\"mode\":5,\"material\":1}",
                  glb_add_positions(file, points, 8));
}

/* Without indices, and without normals, so that its sides are flat. */
static void add_pot(struct glb *file, struct buffer *primitive)
{
    float points[POT_SIDES * 12][3], uvs[POT_SIDES * 12][2];
    static const int corners[12][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1},
                                       {0, 1}, {1, 1}, {1, 2}, {0, 1}, {1, 2}, {0, 2}};
    static const double profile[3][2] = {{0.22, 0}, {0.32, 0.34}, {0.05, 0.3}};
    for (int i = 0; i < POT_SIDES * 12; i++) {
        const int *corner = corners[i % 12];
        double turn = TAU * (i / 12 + corner[0]) / POT_SIDES, radius = profile[corner[1]][0];
        float point[3] = {(float)(radius * sin(turn)), (float)(profile[corner[1]][1] - 0.3),
                          (float)(radius * cos(turn))};
        memcpy(points[i], point, sizeof point);
        uvs[i][0] = (float)(i / 12 + corner[0]) / POT_SIDES * 5;
        uvs[i][1] = 1 - (float)corner[1] / 2;
    }
    int positions = glb_add_positions(file, points, POT_SIDES * 12);
    buffer_printf(primitive,
                  "{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},\"material\":2,"
                  "\"extensions\":{\"KHR_materials_variants\":{\"mappings\":[{\"material\":2,\"variants\":[0]},"
                  "{\"material\":3,\"variants\":[1]}]}}}",
                  positions, glb_add_floats(file, uvs[0], 2, POT_SIDES * 12));
}

/* Bands of clay. */
static int add_picture(struct glb *file)
{
    uint8_t pixels[PICTURE_SIZE * PICTURE_SIZE * 3];
    struct buffer png = {0};
    for (int i = 0; i < PICTURE_SIZE * PICTURE_SIZE; i++) {
        int band = (i / PICTURE_SIZE / 2 + i % PICTURE_SIZE / 4) % 2 ? 40 : 0;
        memcpy(pixels + 3 * i, (uint8_t[]){(uint8_t)(190 + band), (uint8_t)(100 + band), (uint8_t)(70 + band)}, 3);
    }
    picture_save_png(pixels, PICTURE_SIZE, &png);
    int view = glb_add_view(file, png.text, png.length);
    buffer_release(&png);
    return view;
}

/* -- Clips -------------------------------------------------------------------------------------------------- */

static void add_clips(struct glb *file, struct buffer *text)
{
    static const float times_s[] = {0, 0.5f, 1, 1.5f, 2};
    float turns[5][4] = {0};
    for (int i = 0; i < 5; i++) {
        double half = 0.22 * sin(TAU * i / 4);
        turns[i][2] = (float)sin(half);
        turns[i][3] = (float)cos(half);
    }
    /* In, value, out of each key. */
    static const float swellings[] = {0, 0, 2, 0, 1, 0, -2, 0, 0};
    int times = glb_add_times(file, times_s, 5), rotations = glb_add_floats(file, turns[0], 4, 5);
    int few_times = glb_add_times(file, times_s, 3), weights = glb_add_floats(file, swellings, 1, 9);
    buffer_printf(
        text,
        "{\"name\":\"sway\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":["
        "{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"rotation\"}},"
        "{\"sampler\":0,\"target\":{\"node\":4,\"path\":\"rotation\"}}]},"
        "{\"name\":\"swell\",\"samplers\":[{\"input\":%d,\"output\":%d,\"interpolation\":\"CUBICSPLINE\"}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"weights\"}}]}",
        times, rotations, few_times, weights);
}

/* -- File --------------------------------------------------------------------------------------------------- */

static const char nodes[] = "{\"name\":\"sprout\",\"children\":[1,2,5]},"
                            "{\"name\":\"stem\",\"mesh\":0,\"skin\":0},"
                            "{\"name\":\"root\",\"children\":[3]},"
                            "{\"name\":\"middle\",\"translation\":[0,0.5,0],\"children\":[4]},"
                            "{\"name\":\"top\",\"translation\":[0,0.5,0],\"children\":[6,7]},"
                            "{\"name\":\"pot\",\"mesh\":2},"
                            "{\"name\":\"leaf_l\",\"mesh\":1},"
                            "{\"name\":\"leaf_r\",\"mesh\":1,\"scale\":[-1,1,1]}";

static const char materials[] =
    "{\"name\":\"stem\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.7}},"
    "{\"name\":\"leaf\",\"doubleSided\":true,"
    "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.5,0.08,1],\"metallicFactor\":0,\"roughnessFactor\":0.4}}"
    ","
    "{\"name\":\"clay\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicFactor\":0}},"
    "{\"name\":\"brass\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.9,0.7,0.3,1],\"roughnessFactor\":0.3}}";

void sprout_save(struct buffer *out)
{
    struct glb file = {0};
    struct buffer stem = {0}, leaf = {0}, pot = {0}, clips = {0}, json = {0};
    int inverses = add_stem(&file, &stem);
    add_leaf(&file, &leaf);
    add_pot(&file, &pot);
    add_clips(&file, &clips);
    int picture = add_picture(&file);
    buffer_printf(
        &json,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sheetbake\"},\"extensionsUsed\":"
        "[\"KHR_materials_variants\"],\"extensions\":{\"KHR_materials_variants\":{\"variants\":"
        "[{\"name\":\"clay\"},{\"name\":\"brass\"}]}},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[%s],"
        "\"meshes\":[{\"name\":\"stem\",\"primitives\":[%s]},{\"name\":\"leaf\",\"primitives\":[%s]},"
        "{\"name\":\"pot\",\"primitives\":[%s]}],"
        "\"skins\":[{\"joints\":[2,3,4],\"inverseBindMatrices\":%d}],\"animations\":[%s],\"materials\":[%s],"
        "\"textures\":[{\"source\":0,\"sampler\":0}],\"samplers\":[{\"magFilter\":9728}],"
        "\"images\":[{\"bufferView\":%d,\"mimeType\":\"image/png\"}]",
        nodes, stem.text, leaf.text, pot.text, inverses, clips.text, materials, picture);
    glb_save(&file, &json, out);
    buffer_release(&stem);
    buffer_release(&leaf);
    buffer_release(&pot);
    buffer_release(&clips);
}
