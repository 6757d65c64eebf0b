#include <cglm/cglm.h>
#include <math.h>

#include "../../tools/samples/samples.h"
#include "image/image_format.h"
#include "temp_folder.h"
#include "models.h"
#include "test.h"

#define PIP "jobs/assets/models/pip/"
#define PLUM "jobs/assets/models/plum/"

static const char *const files[] = {
    "models/pip/pip.md5mesh",
    "models/pip/idle.md5anim",
    "models/pip/walk.md5anim",
    "models/pip/jump.md5anim",
    "models/pip/wave.md5anim",
    "models/pip/shell.png",
    "models/pip/shell_local.png",
    "models/pip/cloth.png",
    "models/pip/cloth_local.png",
    "models/pip/face.png",
    "models/pip/face_local.png",
    "models/pip/pip.glb",
    "models/pip/clips/idle.glb",
    "models/pip/clips/walk.glb",
    "models/pip/clips/jump.glb",
    "models/pip/clips/wave.glb",
    "models/pip/pip.fbx",
    "models/pip/clips/idle.fbx",
    "models/pip/clips/walk.fbx",
    "models/pip/clips/jump.fbx",
    "models/pip/clips/wave.fbx",
    "models/plum/plum.md2",
    "models/plum/plum.pcx",
    "models/plum/lime.tga",
    "models/sprout/sprout.glb",
    "models/players/bolt/animation.cfg",
    "models/players/bolt/lower.md3",
    "models/players/bolt/upper.md3",
    "models/players/bolt/head.md3",
    "models/players/bolt/lower_default.skin",
    "models/players/bolt/head_rust.skin",
    "models/players/bolt/bolt.png",
    "models/players/bolt/rust.png",
    "models/players/bolt/visor.png",
};

static struct blob read_whole(const char *folder, const char *name)
{
    struct blob blob;
    struct error err;
    char *path = path_join(folder, name);
    if (file_read(path, 1 << 24, &blob, &err) < 0)
        fail_msg("%s", err.text);
    free(path);
    return blob;
}

TEST(made_anew_the_samples_are_the_same_bytes)
{
    struct error err;
    char *folder = temp_folder_new();
    assert_int_equal(samples_write(folder, &err), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct blob anew = read_whole(folder, files[i]), committed = read_whole("jobs/assets", files[i]);
        if (anew.size != committed.size || memcmp(anew.data, committed.data, anew.size) != 0)
            fail_msg("%s differs: run `make samples`", files[i]);
        blob_release(&anew);
        blob_release(&committed);
    }
    temp_folder_free(folder);
}

static struct model *load(const char *path, enum geometry geometry)
{
    struct error err;
    struct model *model;
    struct blob blob = read_whole(".", path);
    struct model_options options = {.geometry = geometry, .takes_clips_alone = true};
    if (model_load(blob_bytes(&blob), &options, &model, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    blob_release(&blob);
    assert_int_equal(model->oddities.count, 0);
    return kept(model);
}

static struct mesh rest_of(const struct model *model)
{
    struct error err;
    struct mesh mesh;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.animation = -1}, &mesh);
    return mesh;
}

struct edge {
    float from[3], to[3];
};

static int compare_edges(const void *a, const void *b)
{
    const float *left = ((const struct edge *)a)->from, *right = ((const struct edge *)b)->from;
    for (int i = 0; i < 6; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* The seam of a texture splits points of an MD5 in two, so edges are told apart by where they are. */
static struct edge *edges_of(const struct model *model, const struct mesh *mesh, bool backwards)
{
    struct edge *edges = must_alloc(model->index_count, sizeof *edges);
    for (uint32_t i = 0; i < model->index_count; i++) {
        uint32_t next = i % 3 == 2 ? i - 2 : i + 1;
        const float *from = mesh->positions[model->vertex_points[model->indices[i]]];
        const float *to = mesh->positions[model->vertex_points[model->indices[next]]];
        memcpy(edges[i].from, backwards ? to : from, sizeof edges[i].from);
        memcpy(edges[i].to, backwards ? from : to, sizeof edges[i].to);
    }
    qsort(edges, model->index_count, sizeof *edges, compare_edges);
    return edges;
}

static void assert_closed(const char *path)
{
    struct model *model = load(path, GEOMETRY_TRIANGLES);
    struct mesh mesh = rest_of(model);
    struct edge *there = edges_of(model, &mesh, false), *back = edges_of(model, &mesh, true);
    for (uint32_t i = 0; i < model->index_count; i++)
        assert_int_equal(compare_edges(&there[i], &back[i]), 0);
    free(there);
    free(back);
    mesh_release(&mesh);
}

/* Points joined by triangles, or by being in one place, have one piece: the least of their numbers. */
static uint32_t *pieces_of(const struct model *model, const struct mesh *mesh)
{
    uint32_t *piece = must_alloc(mesh->point_count, sizeof *piece);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (piece[i] = 0; memcmp(mesh->positions[piece[i]], mesh->positions[i], sizeof(vec3)) != 0;)
            piece[i]++;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < model->index_count; i++) {
            uint32_t next = i % 3 == 2 ? i - 2 : i + 1;
            uint32_t *a = &piece[piece[model->vertex_points[model->indices[i]]]];
            uint32_t *b = &piece[piece[model->vertex_points[model->indices[next]]]];
            changed |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    for (uint32_t i = 0; i < mesh->point_count; i++)
        while (piece[i] != piece[piece[i]])
            piece[i] = piece[piece[i]];
    return piece;
}

/* Six times the volume inside of each piece, positive when front faces are clockwise. */
static void assert_outside_out(const struct model *model, const struct mesh *mesh)
{
    uint32_t *piece = pieces_of(model, mesh), piece_count = 0;
    double *volumes = must_alloc(mesh->point_count, sizeof *volumes);
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        uint32_t first = model->vertex_points[model->indices[i]];
        const float *a = mesh->positions[first];
        const float *b = mesh->positions[model->vertex_points[model->indices[i + 1]]];
        const float *c = mesh->positions[model->vertex_points[model->indices[i + 2]]];
        volumes[piece[first]] += a[0] * (c[1] * b[2] - c[2] * b[1]) + a[1] * (c[2] * b[0] - c[0] * b[2]) +
                                 a[2] * (c[0] * b[1] - c[1] * b[0]);
    }
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        piece_count += piece[i] == i;
        assert_true(piece[i] != i || volumes[i] > 0);
    }
    assert_true(piece_count > 30);
    free(piece);
    free(volumes);
}

static void assert_stands_facing_outwards(const char *path, float height)
{
    struct model *model = load(path, GEOMETRY_TRIANGLES);
    struct mesh mesh = rest_of(model);
    float low = 1e9f, high = -1e9f;
    for (uint32_t i = 0; i < mesh.point_count; i++) {
        low = fminf(low, mesh.positions[i][2]);
        high = fmaxf(high, mesh.positions[i][2]);
    }
    assert_outside_out(model, &mesh);
    assert_true(fabsf(low) < 0.007f * height);
    assert_true(fabsf(high - height) < 0.04f * height);
    mesh_release(&mesh);
}

TEST(pip_has_no_holes)
{
    assert_closed(PIP "pip.md5mesh");
}

TEST(pip_has_no_holes_as_glb)
{
    assert_closed(PIP "pip.glb");
}

TEST(plum_has_no_holes)
{
    assert_closed(PLUM "plum.md2");
}

TEST(pip_stands_on_the_floor_with_its_outside_out)
{
    assert_stands_facing_outwards(PIP "pip.md5mesh", 74.7f);
}

TEST(pip_stands_on_the_floor_with_its_outside_out_as_glb)
{
    assert_stands_facing_outwards(PIP "pip.glb", 1.494f);
}

TEST(plum_stands_on_the_floor_with_its_outside_out)
{
    assert_stands_facing_outwards(PLUM "plum.md2", 58);
}

static void assert_clip(const struct model *model, const char *name, uint32_t frames, float rate_hz)
{
    const struct clip *clip = model_find_clip(model, name);
    if (!clip)
        fail_msg("no clip '%s'", name);
    assert_int_equal(clip->frame_count, frames);
    assert_true(clip->rate_hz == rate_hz);
}

static const char *const motions[] = {"idle", "walk", "jump", "wave"};

static struct model *load_md5_with_motions(void)
{
    struct error err;
    struct model *model = load(PIP "pip.md5mesh", GEOMETRY_TRIANGLES);
    for (int i = 0; i < 4; i++) {
        char *path = must_printf(PIP "%s.md5anim", motions[i]);
        struct blob blob = read_whole(".", path);
        if (model_add_animation(model, motions[i], blob_bytes(&blob), &err) < 0)
            fail_msg("%s", err.text);
        blob_release(&blob);
        free(path);
    }
    assert_int_equal(model->oddities.count, 0);
    return model;
}

TEST(pip_idles_walks_jumps_and_waves)
{
    struct model *model = load_md5_with_motions();
    assert_clip(model, "idle", 48, 16);
    assert_clip(model, "walk", 24, 24);
    assert_clip(model, "jump", 37, 24);
    assert_clip(model, "wave", 32, 16);
}

/* A clip of glTF that loops ends where it began. */
static void assert_clips_of_pip(const struct model *model, const char *only)
{
    static const uint32_t frames[] = {49, 25, 37, 33};
    static const float rates_hz[] = {16, 24, 24, 16};
    for (int i = 0; i < 4; i++)
        if (!only || !strcmp(only, motions[i]))
            assert_clip(model, motions[i], frames[i], rates_hz[i]);
    assert_int_equal(model->clip_count, only ? 1 : 4);
}

TEST(pip_has_its_clips_inside_and_beside_it_as_glb)
{
    assert_clips_of_pip(load(PIP "pip.glb", GEOMETRY_TRIANGLES), NULL);
    for (int i = 0; i < 4; i++) {
        char *path = must_printf(PIP "clips/%s.glb", motions[i]);
        assert_clips_of_pip(load(path, GEOMETRY_TRIANGLES), motions[i]);
        free(path);
    }
}

static struct mesh posed_at(const struct model *model, const char *name, double time_s)
{
    const struct clip *clip = model_find_clip(model, name);
    assert_non_null(clip);
    return posed(model, (struct pose){(int32_t)clip->animation, clip_moment(clip, time_s, true), 0});
}

/* The files round differently: MD5 to 4 decimals, and weights to 3. */
TEST(pip_moves_alike_as_md5_and_as_glb)
{
    const float METRES = 0.02f, NEAR = 0.003f;
    struct model *md5 = load_md5_with_motions(), *glb = load(PIP "pip.glb", GEOMETRY_TRIANGLES);
    for (int i = 0; i < 4 * 8; i++) {
        struct mesh a = posed_at(md5, motions[i / 8], i % 8 * 0.171),
                    b = posed_at(glb, motions[i / 8], i % 8 * 0.171);
        assert_int_equal(a.point_count, b.point_count);
        for (uint32_t k = 0; k < a.point_count; k++) {
            vec3 in_units;
            glm_vec3_divs(b.positions[k], METRES, in_units);
            assert_true(glm_vec3_distance(a.positions[k], in_units) < NEAR);
        }
    }
}

TEST(the_sequences_of_plum_come_from_its_frame_names)
{
    struct model *model = load(PLUM "plum.md2", GEOMETRY_TRIANGLES);
    assert_int_equal(model->clip_count, 7);
    assert_clip(model, "stand", 20, 10);
    assert_clip(model, "run", 8, 10);
    assert_clip(model, "attack", 12, 10);
    assert_clip(model, "jump", 16, 10);
    assert_clip(model, "taunt", 14, 10);
    assert_clip(model, "pain", 5, 10);
    assert_clip(model, "death", 16, 10);
}

/* A triangle as point, s, t of each corner, from its least corner on. */
struct corners {
    double values[3][3];
};

static int compare_corners(const void *a, const void *b)
{
    const double *left = (const double *)a, *right = (const double *)b;
    for (int i = 0; i < 9; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static struct corners *corners_of(const struct model *model)
{
    struct corners *all = must_alloc(model->index_count / 3, sizeof *all);
    for (uint32_t i = 0; i < model->index_count / 3; i++) {
        const uint32_t *triangle = &model->indices[i * 3];
        uint32_t first = 0;
        for (uint32_t k = 1; k < 3; k++)
            if (model->vertex_points[triangle[k]] < model->vertex_points[triangle[first]])
                first = k;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = triangle[(first + k) % 3];
            all[i].values[k][0] = model->vertex_points[vertex];
            all[i].values[k][1] = model->uvs[vertex][0];
            all[i].values[k][2] = model->uvs[vertex][1];
        }
    }
    qsort(all, model->index_count / 3, sizeof *all, compare_corners);
    return all;
}

TEST(the_gl_commands_of_plum_are_its_triangles)
{
    struct model *triangles = load(PLUM "plum.md2", GEOMETRY_TRIANGLES);
    struct model *commands = load(PLUM "plum.md2", GEOMETRY_GL_COMMANDS);
    assert_int_equal(triangles->index_count, commands->index_count);
    struct corners *a = corners_of(triangles), *b = corners_of(commands);
    for (uint32_t i = 0; i < triangles->index_count / 3; i++)
        assert_int_equal(compare_corners(&a[i], &b[i]), 0);
    free(a);
    free(b);
}

TEST(the_strips_and_fans_of_plum_are_long)
{
    struct blob blob = read_whole(".", PLUM "plum.md2");
    struct cursor counts = cursor_at(blob_bytes(&blob), 32);
    uint32_t triangles = cursor_u32(&counts), words = cursor_u32(&counts);
    assert_true(words < triangles * 4); /* a triangle by itself takes 10, the best strip just over 3 */
    blob_release(&blob);
}

TEST(the_pictures_of_the_samples_can_be_read)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct error err;
        struct image image;
        struct blob blob = read_whole("jobs/assets", files[i]);
        if (image_has_suffix(path_suffix(files[i]))) {
            if (image_load(blob_bytes(&blob), &image, &err) < 0)
                fail_msg("%s: %s", files[i], err.text);
            assert_true(image.width == image.height && image.width >= 16 && !image.has_alpha);
            image_release(&image);
        }
        blob_release(&blob);
    }
}
