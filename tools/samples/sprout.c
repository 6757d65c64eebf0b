#include "sprout.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "picture.h"

enum { SIDES = 8, RINGS = 7, STEM_POINTS = SIDES * RINGS, JOINTS = 3, POT_SIDES = 10, PICTURE_SIZE = 8 };
enum { UNSIGNED_BYTE = 5121, UNSIGNED_SHORT = 5123, FLOAT = 5126 };

static const double TAU = 6.283185307179586;

/* A file while it is put together: the accessors' data, and their text. */
struct file {
    struct buffer binary, views, accessors;
    int view_count, accessor_count;
};

static int add_view(struct file *file, const void *data, size_t size)
{
    static const char padding[4];
    buffer_printf(&file->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}",
                  file->view_count ? "," : "", file->binary.length, size);
    buffer_add(&file->binary, data, size);
    buffer_add(&file->binary, padding, -size & 3);
    return file->view_count++;
}

/* `more` is added to the text of the accessor. */
static int add_accessor(struct file *file, const void *data, size_t size, int component, const char *type,
                        size_t count, const char *more)
{
    buffer_printf(&file->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"type\":\"%s\",\"count\":%zu%s}",
                  file->accessor_count ? "," : "", add_view(file, data, size), component, type, count, more);
    return file->accessor_count++;
}

static int add_floats(struct file *file, const float *values, int width, size_t count)
{
    static const char *const types[] = {[1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [16] = "MAT4"};
    return add_accessor(file, values, count * (size_t)width * sizeof *values, FLOAT, types[width], count, "");
}

/* The format wants the box of positions and the span of times. */
static int add_positions(struct file *file, float (*points)[3], size_t count)
{
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {-1e9f, -1e9f, -1e9f};
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            least[k] = fminf(least[k], points[i][k]);
            most[k] = fmaxf(most[k], points[i][k]);
        }
    char *more = must_printf(",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", least[0], least[1], least[2],
                             most[0], most[1], most[2]);
    int accessor = add_accessor(file, points, count * sizeof *points, FLOAT, "VEC3", count, more);
    free(more);
    return accessor;
}

static int add_times(struct file *file, const float *times_s, size_t count)
{
    char *more = must_printf(",\"min\":[%.9g],\"max\":[%.9g]", times_s[0], times_s[count - 1]);
    int accessor = add_accessor(file, times_s, count * sizeof *times_s, FLOAT, "SCALAR", count, more);
    free(more);
    return accessor;
}

static int add_indices(struct file *file, const uint16_t *indices, size_t count)
{
    return add_accessor(file, indices, count * sizeof *indices, UNSIGNED_SHORT, "SCALAR", count, "");
}

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

static int add_stem(struct file *file, struct buffer *primitive)
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
    int positions = add_positions(file, stem.points, STEM_POINTS);
    int normals = add_floats(file, stem.normals[0], 3, STEM_POINTS);
    int colors = add_accessor(file, stem.colors, sizeof stem.colors, UNSIGNED_BYTE, "VEC4", STEM_POINTS,
                              ",\"normalized\":true");
    int joints = add_accessor(file, stem.joints, sizeof stem.joints, UNSIGNED_BYTE, "VEC4", STEM_POINTS, "");
    int weights = add_accessor(file, stem.weights, sizeof stem.weights, UNSIGNED_BYTE, "VEC4", STEM_POINTS,
                               ",\"normalized\":true");
    int swollen = add_positions(file, stem.swollen, STEM_POINTS);
    buffer_printf(
        primitive,
        "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
        "\"targets\":[{\"POSITION\":%d}],\"indices\":%d,\"material\":0}",
        positions, normals, colors, joints, weights, swollen,
        add_indices(file, stem.indices, sizeof stem.indices / sizeof *stem.indices));
    float inverses[JOINTS][16] = {0};
    for (int i = 0; i < JOINTS; i++) {
        for (int k = 0; k < 4; k++)
            inverses[i][5 * k] = 1;
        inverses[i][13] = -(float)i / (JOINTS - 1);
    }
    return add_floats(file, inverses[0], 16, JOINTS);
}

/* -- Leaf and pot ------------------------------------------------------------------------------------------- */

/* A leaf is a strip that points to the left, bent down at its tip, seen from both sides. */
static void add_leaf(struct file *file, struct buffer *primitive)
{
    float points[8][3];
    for (int i = 0; i < 8; i++) {
        double along = i / 2 / 3.0, across = (i % 2 ? -1 : 1) * 0.16 * sin(along * TAU / 2 * 0.95 + 0.1);
        float point[3] = {(float)(0.5 * along), (float)(0.16 * sin(along * 2.6)), (float)across};
        memcpy(points[i], point, sizeof point);
    }
    buffer_printf(primitive, "{\"attributes\":{\"POSITION\":%d},\"mode\":5,\"material\":1}",
                  add_positions(file, points, 8));
}

/* Without indices, and without normals, so that its sides are flat. */
static void add_pot(struct file *file, struct buffer *primitive)
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
    int positions = add_positions(file, points, POT_SIDES * 12);
    buffer_printf(primitive,
                  "{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},\"material\":2,"
                  "\"extensions\":{\"KHR_materials_variants\":{\"mappings\":[{\"material\":2,\"variants\":[0]},"
                  "{\"material\":3,\"variants\":[1]}]}}}",
                  positions, add_floats(file, uvs[0], 2, POT_SIDES * 12));
}

/* Bands of clay. */
static int add_picture(struct file *file)
{
    uint8_t pixels[PICTURE_SIZE * PICTURE_SIZE * 3];
    struct buffer png = {0};
    for (int i = 0; i < PICTURE_SIZE * PICTURE_SIZE; i++) {
        int band = (i / PICTURE_SIZE / 2 + i % PICTURE_SIZE / 4) % 2 ? 40 : 0;
        memcpy(pixels + 3 * i, (uint8_t[]){(uint8_t)(190 + band), (uint8_t)(100 + band), (uint8_t)(70 + band)}, 3);
    }
    picture_save_png(pixels, PICTURE_SIZE, &png);
    int view = add_view(file, png.text, png.length);
    buffer_release(&png);
    return view;
}

/* -- Clips -------------------------------------------------------------------------------------------------- */

static void add_clips(struct file *file, struct buffer *text)
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
    int times = add_times(file, times_s, 5), rotations = add_floats(file, turns[0], 4, 5);
    int few_times = add_times(file, times_s, 3), weights = add_floats(file, swellings, 1, 9);
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

static void add_u32(struct buffer *out, uint32_t value)
{
    buffer_add(out, (char[]){(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)}, 4);
}

static void add_chunk(struct buffer *out, const char type[4], struct buffer *data, char padding)
{
    while (data->length % 4)
        buffer_add(data, &padding, 1);
    add_u32(out, (uint32_t)data->length);
    buffer_add(out, type, 4);
    buffer_add(out, data->text, data->length);
    buffer_release(data);
}

void sprout_save(struct buffer *out)
{
    struct file file = {0};
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
        "\"images\":[{\"bufferView\":%d,\"mimeType\":\"image/png\"}],"
        "\"bufferViews\":[%s],\"accessors\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
        nodes, stem.text, leaf.text, pot.text, inverses, clips.text, materials, picture, file.views.text,
        file.accessors.text, file.binary.length);
    uint32_t json_size = (uint32_t)(json.length + 3) & ~3u;
    buffer_add(out, "glTF", 4);
    add_u32(out, 2);
    add_u32(out, 12 + 8 + json_size + 8 + (uint32_t)file.binary.length);
    add_chunk(out, "JSON", &json, ' ');
    add_chunk(out, "BIN\0", &file.binary, 0);
    buffer_release(&file.views);
    buffer_release(&file.accessors);
    buffer_release(&stem);
    buffer_release(&leaf);
    buffer_release(&pot);
    buffer_release(&clips);
}
