/* Makes the models of a soak, and the list of jobs over them:
 *
 *     soak-models COUNT FOLDER SAMPLES
 *
 * Writes COUNT models with a job each to FOLDER/assets and FOLDER/list.yaml. 1 in 100 is broken; FOLDER/broken has the names
 * of their sheets. SAMPLES is jobs/assets. The same COUNT makes the same files.
 *
 * Most models are random balls of a few triangles, with a skin of their own, so that textures come and go. Every tenth
 * is an arm (MD5) with random weights, and every fortieth a hard link to one of the two sample models. No two sheets
 * share a model, because a model that is skipped fails all its sheets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "../fuzz/whole/mutate.h"
#include "../unit/md2_builder.h"

#define ARM "../../tests/fixtures/arm/"

enum {
    RINGS = 5,
    SIDES = 8,
    POINTS = RINGS * SIDES,
    TRIANGLES = (RINGS - 1) * SIDES * 2,
    FRAMES = 4,
    SKIN_SIDE = 32
};

struct soak {
    const char *samples;
    char *assets;
    struct random random;
    struct buffer broken;
};

static _Noreturn void fail(const char *text)
{
    fprintf(stderr, "soak-models: %s\n", text);
    exit(1);
}

static void write_file(const char *folder, const char *name, struct bytes bytes)
{
    struct error err;
    char *path = path_join(folder, name), *parent = path_folder(path);
    if (file_make_folders(parent, &err) < 0 || file_renew(path, bytes, &err) < 0)
        fail(err.text);
    free(path);
    free(parent);
}

static struct blob read_sample(const char *folder, const char *name)
{
    struct error err;
    struct blob blob;
    char *path = path_join(folder, name);
    if (file_read(path, 1 << 24, &blob, &err) < 0)
        fail(err.text);
    free(path);
    return blob;
}

static void copy_sample(const struct soak *soak, const char *name)
{
    struct blob blob = read_sample(soak->samples, name);
    write_file(soak->assets, name, blob_bytes(&blob));
    blob_release(&blob);
}

/* -- The models -------------------------------------------------------------------------------------------- */

/* A TGA of SKIN_SIDE squared, with 16 spots of random colours. */
static struct blob make_skin(struct random *random)
{
    static const uint8_t header[18] = {[2] = 2, [12] = SKIN_SIDE, [14] = SKIN_SIDE, [16] = 24};
    struct blob blob = {must_alloc(sizeof header + SKIN_SIDE * SKIN_SIDE * 3, 1),
                        sizeof header + SKIN_SIDE * SKIN_SIDE * 3};
    uint8_t colors[16][3];
    for (int i = 0; i < 48; i++)
        colors[i / 3][i % 3] = (uint8_t)random_next(random);
    memcpy(blob.data, header, sizeof header);
    for (int y = 0; y < SKIN_SIDE; y++)
        for (int x = 0; x < SKIN_SIDE; x++)
            memcpy(blob.data + sizeof header + (y * SKIN_SIDE + x) * 3, colors[y / 8 * 4 + x / 8], 3);
    return blob;
}

static void place_points(struct random *random, uint8_t vertices[FRAMES * POINTS][4])
{
    static const uint8_t radii[RINGS] = {8, 70, 100, 70, 8};
    static const int8_t across[SIDES][2] = {{100, 0},  {71, 71},   {0, 100},  {-71, 71},
                                            {-100, 0}, {-71, -71}, {0, -100}, {71, -71}};
    for (int i = 0; i < FRAMES * POINTS; i++) {
        int ring = i / SIDES % RINGS, side = i % SIDES;
        for (int axis = 0; axis < 2; axis++)
            vertices[i][axis] =
                (uint8_t)(128 + across[side][axis] * radii[ring] / 100 + (int)random_below(random, 24) - 12);
        vertices[i][2] = (uint8_t)(14 + 50 * ring + (int)random_below(random, 24));
        vertices[i][3] = (uint8_t)random_below(random, MD2_NORMAL_COUNT);
    }
}

static void place_triangles(uint16_t triangles[TRIANGLES][6])
{
    static const uint8_t corners[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{0, 1}, {1, 0}, {1, 1}}};
    for (int i = 0; i < TRIANGLES; i++)
        for (int c = 0; c < 3; c++) {
            int ring = i / 2 / SIDES + corners[i % 2][c][0], side = (i / 2 + corners[i % 2][c][1]) % SIDES;
            triangles[i][c] = triangles[i][3 + c] = (uint16_t)(ring * SIDES + side);
        }
}

static struct blob make_ball(struct random *random, const char *skin)
{
    static uint8_t vertices[FRAMES * POINTS][4];
    static uint16_t triangles[TRIANGLES][6];
    int16_t st[POINTS][2];
    const char *names[FRAMES] = {"wobble1", "wobble2", "wobble3", "wobble4"};
    place_points(random, vertices);
    place_triangles(triangles);
    for (int i = 0; i < POINTS; i++) {
        st[i][0] = (int16_t)(i % SIDES * SKIN_SIDE / SIDES);
        st[i][1] = (int16_t)(i / SIDES * SKIN_SIDE / RINGS);
    }
    return md2_build(&(struct md2_spec){
        .skinwidth = SKIN_SIDE,
        .skinheight = SKIN_SIDE,
        .skin_count = 1,
        .st_count = POINTS,
        .triangle_count = TRIANGLES,
        .vertex_count = POINTS,
        .frame_count = FRAMES,
        .skins = &skin,
        .st = (const int16_t(*)[2])st,
        .triangles = (const uint16_t(*)[6])triangles,
        .frame_names = names,
        .vertices = (const uint8_t(*)[4])vertices,
    });
}

static void add_ball(struct soak *soak, unsigned number, bool is_broken)
{
    char *name = must_printf("balls/%05u.md2", number), *skin = must_printf("balls/%05u.tga", number);
    struct blob model = make_ball(&soak->random, skin), picture = make_skin(&soak->random);
    struct blob *cut = number % 3 ? &model : &picture; /* broken: either the model or its skin is cut off */
    if (is_broken)
        cut->size = random_below(&soak->random, cut->size);
    write_file(soak->assets, name, blob_bytes(&model));
    write_file(soak->assets, skin, blob_bytes(&picture));
    blob_release(&model);
    blob_release(&picture);
    free(name);
    free(skin);
}

/* A number from -1.5 to 1.5. */
static void print_number(struct random *random, struct buffer *out)
{
    buffer_printf(out, " %.2f", (int)random_below(random, 301) / 100.0 - 1.5);
}

/* The fixture with random weights. */
static void print_arm(struct random *random, const char *line, struct buffer *out)
{
    unsigned weight, joint;
    for (const char *end; *line; line = end + (*end != '\0')) {
        end = line + strcspn(line, "\n");
        if (sscanf(line, " weight %u %u", &weight, &joint) == 2) {
            buffer_printf(out, "\tweight %u %u 1 (", weight, joint);
            for (int i = 0; i < 3; i++)
                print_number(random, out);
            buffer_printf(out, " )\n");
        } else {
            buffer_printf(out, "%.*s\n", (int)(end - line), line);
        }
    }
}

static void add_arm(struct soak *soak, unsigned number, bool is_broken)
{
    struct buffer text = {0};
    char *name = must_printf("arms/%05u.md5mesh", number);
    struct blob arm = read_sample(soak->samples, ARM "arm.md5mesh");
    char *lines = must_printf("%.*s", (int)arm.size, (const char *)arm.data);
    print_arm(&soak->random, lines, &text);
    if (is_broken)
        buffer_printf(&text, "joints {\n");
    write_file(soak->assets, name, (struct bytes){(const uint8_t *)text.text, text.length});
    blob_release(&arm);
    buffer_release(&text);
    free(lines);
    free(name);
}

static void add_link(struct soak *soak, const char *sample, unsigned number)
{
    char *from = path_join(soak->assets, sample), *folder = path_folder(from);
    char *to = must_printf("%s/%05u%s", folder, number, path_suffix(sample));
    if (link(from, to) < 0)
        fail(strerror(errno));
    free(from);
    free(folder);
    free(to);
}

static void add_model(struct soak *soak, unsigned number)
{
    bool is_broken = number % 200 == 51 || number % 200 == 150; /* balls and arms in turn */
    if (number % 80 == 15)
        add_link(soak, "models/pip/pip.md5mesh", number);
    else if (number % 80 == 55)
        add_link(soak, "models/plum/plum.md2", number);
    else if (number % 10 == 0)
        add_arm(soak, number, is_broken);
    else
        add_ball(soak, number, is_broken);
    if (is_broken)
        buffer_printf(&soak->broken, "%s/%05u\n", number % 10 == 0 ? "arms" : "balls", number);
}

/* -- The list ---------------------------------------------------------------------------------------------- */

/* Jobs of a hundred models each and of equal cost, so that every part of the run has every kind. */
static void print_list(unsigned count, struct buffer *out)
{
    buffer_printf(
        out,
        "version: 1\nassets: assets\noutput: out\n"
        "defaults: {cell: 48, supersample: 2, sampling: {count: 4}, cameras: [front, left], passes: [normal]}\n"
        "jobs:\n");
    for (unsigned i = 0; i < count / 100; i++) {
        buffer_printf(out, "  - {name: 'balls/{stem}', model: 'balls/%03u*.md2', animations: [wobble]}\n", i);
        buffer_printf(
            out,
            "  - {name: 'arms/{stem}', model: 'arms/%03u*.md5mesh', animations: [{file: arms/bend.md5anim}],\n"
            "     sheet: {layout: packed, trim: true}}\n",
            i);
        buffer_printf(out,
                      "  - {name: 'pips/{stem}', model: 'models/pip/%03u*.md5mesh', ground: contact,\n"
                      "     animations: [{file: models/pip/wave.md5anim}]}\n",
                      i);
        buffer_printf(out,
                      "  - {name: 'plums/{stem}', model: 'models/plum/%03u*.md2', outline: {width: 1},\n"
                      "     animations: [stand]}\n",
                      i);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: soak-models COUNT FOLDER SAMPLES");
    unsigned count = (unsigned)strtoul(argv[1], NULL, 10);
    if (count == 0 || count % 100 || count > 99900)
        fail("the number of models is one of 100, 200, ... 99900");
    struct buffer list = {0};
    struct soak soak = {.samples = argv[3], .assets = path_join(argv[2], "assets"), .random = {1}};
    static const char *const samples[] = {
        "models/pip/pip.md5mesh",     "models/pip/wave.md5anim",   "models/pip/cloth.png",
        "models/pip/face.png",        "models/pip/shell.png",      "models/plum/plum.md2",
        "models/pip/cloth_local.png", "models/pip/face_local.png", "models/pip/shell_local.png",
        "models/plum/plum.pcx",       "models/plum/lime.tga",
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        copy_sample(&soak, samples[i]);
    struct blob bend = read_sample(soak.samples, ARM "bend.md5anim");
    write_file(soak.assets, "arms/bend.md5anim", blob_bytes(&bend));
    blob_release(&bend);
    for (unsigned i = 0; i < count; i++)
        add_model(&soak, i);
    print_list(count, &list);
    write_file(argv[2], "list.yaml", (struct bytes){(const uint8_t *)list.text, list.length});
    write_file(argv[2], "broken", (struct bytes){(const uint8_t *)soak.broken.text, soak.broken.length});
    buffer_release(&list);
    buffer_release(&soak.broken);
    free(soak.assets);
    return 0;
}
