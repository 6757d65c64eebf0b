#include "md2_builder.h"
#include "models.h"
#include "test.h"

#include <math.h>

static struct blob tetrahedron(void)
{
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);

    return md2_build(&spec);
}

/* A spec with its own commands, which start empty. */
static struct md2_spec tetrahedron_without_commands(struct md2_words *words)
{
    struct md2_spec spec = md2_tetrahedron(words);

    words->count = 0;
    return spec;
}

static struct blob build_with_words(struct md2_spec spec, const struct md2_words *words)
{
    spec.word_count = words->count;
    return md2_build(&spec);
}

/* Loads the bytes, which must succeed, and releases them: a model does not need them any more. */
static struct model *load_as(struct blob blob, enum geometry geometry)
{
    struct model_options options = {.geometry = geometry};
    struct model *model = NULL;
    struct error err;

    if (model_load(blob_bytes(&blob), &options, &model, &err))
        fail_msg("%s", err.text);
    blob_release(&blob);
    return kept(model);
}

static struct model *load(struct blob blob)
{
    return load_as(blob, GEOMETRY_TRIANGLES);
}

static void check_rejected_as(struct blob blob, enum geometry geometry, const char *message)
{
    struct model_options options = {.geometry = geometry};
    struct model *model = NULL;
    struct error err = {0};

    assert_int_equal(model_load(blob_bytes(&blob), &options, &model, &err), -1);
    assert_string_equal(err.text, message);
    assert_null(model);
    blob_release(&blob);
}

static void check_rejected(struct blob blob, const char *message)
{
    check_rejected_as(blob, GEOMETRY_TRIANGLES, message);
}

static void check_field_rejected(enum md2_field field, uint32_t value, const char *message)
{
    struct blob blob = tetrahedron();

    md2_set_field(&blob, field, value);
    check_rejected(blob, message);
}

static void check_oddity(struct blob blob, const char *oddity)
{
    struct model *model = load(blob);

    if (!strings_has(&model->oddities, oddity)) {
        for (size_t i = 0; i < model->oddities.count; i++)
            print_message("oddity: %s\n", model->oddities.items[i]);
        fail_msg("no oddity '%s'", oddity);
    }
}

static struct mesh pose_at(const struct model *model, int32_t animation, uint32_t a, uint32_t b, double blend)
{
    struct pose pose = {.animation = animation, .moment = {.frame_a = a, .frame_b = b, .blend = blend}};
    return posed(model, pose);
}

static void check_vector(const vec3 found, float x, float y, float z)
{
    assert_float_equal(found[0], x, 1e-5);
    assert_float_equal(found[1], y, 1e-5);
    assert_float_equal(found[2], z, 1e-5);
}

/* Frame `frame` of the tetrahedron's first vertices with other normal indices. */
static struct blob with_normals(uint32_t frame, uint8_t n0, uint8_t n1, uint8_t n2, uint8_t n3)
{
    const uint8_t normals[] = {n0, n1, n2, n3};
    struct blob blob = tetrahedron();
    size_t at = md2_field(&blob, MD2_FIELD_OFS_FRAMES) + frame * md2_field(&blob, MD2_FIELD_FRAMESIZE);

    for (size_t i = 0; i < 4; i++)
        blob.data[at + MD2_FRAME_HEADER_SIZE + 4 * i + 3] = normals[i];
    return blob;
}

static struct blob with_bytes_at(enum md2_field section, size_t offset, const char *bytes, size_t count)
{
    struct blob blob = tetrahedron();

    memcpy(blob.data + md2_field(&blob, section) + offset, bytes, count);
    return blob;
}

TEST(vertices_are_points_with_texture_coordinates_in_order_of_first_use)
{
    static const uint32_t points[] = {0, 1, 2, 3, 1}, indices[] = {0, 1, 2, 0, 3, 4, 0, 2, 3, 1, 3, 2};
    static const vec2 uvs[] = {{0, 0}, {0.5f, 0}, {0.25f, 0.25f}, {1, 1}, {0.75f, 0.75f}};
    struct model *model = load(tetrahedron());

    assert_int_equal(model->point_count, 4);
    assert_int_equal(model->vertex_count, 5);
    assert_memory_equal(model->vertex_points, points, sizeof points);
    assert_memory_equal(model->uvs, uvs, sizeof uvs);
    assert_int_equal(model->index_count, 12);
    assert_memory_equal(model->indices, indices, sizeof indices);
}

TEST(texture_coordinates_of_one_value_are_one)
{
    /* st 4 gets the value of st 1: the seam is gone. */
    struct model *model = load(with_bytes_at(MD2_FIELD_OFS_ST, 16, "\x20\x00\x00\x00", 4));

    assert_int_equal(model->vertex_count, 4);
    assert_int_equal(model->indices[5], 1);
}

TEST(points_that_share_a_texture_coordinate_stay_apart)
{
    static const char *const names[] = {"frame"};
    uint16_t triangles[100][6] = {{0}};
    struct md2_spec spec = md2_named_frames(names, 1);
    struct model *model;
    for (uint16_t i = 0; i < 300; i++)
        triangles[i / 3][i % 3] = i;
    spec.vertex_count = 300;
    spec.triangle_count = 100;
    spec.triangles = (const uint16_t(*)[6])triangles;
    model = load(md2_build(&spec));
    assert_int_equal(model->vertex_count, 300);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(model->vertex_points[model->indices[i]], i);
}

TEST(skins_and_frames_have_their_names)
{
    struct model *model = load(tetrahedron());

    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->skins[0], "models/thing/skin.pcx");
    assert_string_equal(model->skins[1], "models/thing/other.pcx");
    assert_int_equal(model->animation_count, 1);
    assert_int_equal(model->animations[0].frame_count, 3);
    assert_string_equal(model->frame_names[0], "run1");
    assert_string_equal(model->frame_names[2], "hop1");
    assert_int_equal(model->oddities.count, 0);
}

TEST(keyframes_are_posed)
{
    fact("a model is one surface");
    struct model *model = load(tetrahedron());
    assert_int_equal(model->surface_count, 1);
    assert_null(model->surfaces[0].material.name);
    assert_int_equal(model->surfaces[0].first_index, 0);
    assert_int_equal(model->surfaces[0].index_count, 12);
    fact("texture coordinates are signed");
    struct blob blob = with_bytes_at(MD2_FIELD_OFS_ST, 0, "\xc0\xff\x10\x00", 4);
    model = load(blob);
    assert_float_equal(model->uvs[0][0], -1, 0);
    assert_float_equal(model->uvs[0][1], 0.5, 0);
    fact("a keyframe is exactly what the file says");
    model = load(tetrahedron());
    struct mesh mesh = pose_at(model, 0, 1, 1, 0);
    check_vector(mesh.positions[0], 1, 2, 3);
    check_vector(mesh.positions[1], 21, 2, 3);
    check_vector(mesh.positions[3], 1, 2, 23);
    assert_memory_equal(mesh.normals[3], md2_normals[52], sizeof(vec3));
    fact("positions and normals blend");
    model = load(tetrahedron());
    mesh = pose_at(model, 0, 0, 1, 0.25);
    check_vector(mesh.positions[0], 0.25f, 0.5f, 0.75f);
    check_vector(mesh.positions[1], 10 + 0.25f * 11, 0.5f, 0.75f);
    check_vector(mesh.normals[3], 0.25f / sqrtf(0.625f), 0, 0.75f / sqrtf(0.625f));
    fact("opposite normals blend to the first");
    model = load(tetrahedron());
    mesh = pose_at(model, 0, 0, 2, 0.5);
    check_vector(mesh.normals[3], 0, 0, 1);
    fact("the bind pose is frame 0");
    model = load(tetrahedron());
    mesh = pose_at(model, -1, 2, 2, 0);
    check_vector(mesh.positions[1], 10, 0, 0);
    fact("a normal index past the table is computed");
    model = load(with_normals(0, 143, 162, 32, 255));
    mesh = pose_at(model, 0, 0, 0, 0);
    check_vector(mesh.normals[0], -1, 0, 0);
    check_vector(mesh.normals[1], 1, 0, 0);
    check_vector(mesh.normals[2], 0, 1, 0);
    check_vector(mesh.normals[3], 0, 0, 1);
    check_oddity(with_normals(0, 143, 162, 32, 255), "2 normal indices above 161");
    fact("a normal past the table in either frame is computed");
    model = load(with_normals(0, 143, 52, 32, 162));
    struct mesh there = pose_at(model, 0, 0, 1, 0.5), back = pose_at(model, 0, 1, 0, 0.5);
    check_vector(there.normals[3], 0, 0, 1);
    check_vector(back.normals[3], 0, 0, 1);
}

TEST(one_normal_for_all_vertices_is_computed_instead)
{
    struct model *model = load(with_normals(0, 5, 5, 5, 5));
    struct mesh mesh = pose_at(model, 0, 0, 0, 0);
    float third = -sqrtf(1 / 3.0f);

    check_vector(mesh.normals[0], third, third, third);
    check_vector(mesh.normals[1], 1, 0, 0);
    mesh = pose_at(model, 0, 1, 1, 0);
    check_vector(mesh.normals[0], -1, 0, 0);
    check_oddity(with_normals(0, 5, 5, 5, 5), "1 frames with one normal for all vertices");
}

/* A sheet with two sides that share their points, and whose triangles start at different corners. */
TEST(sides_that_cancel_out_leave_the_normals_of_the_file)
{
    static const char *const names[] = {"sheet"};
    static const float boxes[][6] = {{0.1f, 0.3f, 0.7f, 33.3f, -7.7f, 0.123f}};
    const uint8_t vertices[4][4] = {{1, 7, 3, 52}, {251, 3, 199, 52}, {243, 254, 255, 52}, {13, 249, 1, 52}};
    const uint16_t triangles[][6] = {{0, 1, 2}, {2, 3, 0}, {1, 0, 2}, {3, 2, 0}};
    struct md2_spec spec = md2_named_frames(names, 1);
    struct model *model;
    struct mesh mesh;

    spec.boxes = boxes;
    spec.vertex_count = spec.triangle_count = 4;
    spec.vertices = vertices;
    spec.triangles = triangles;
    model = load(md2_build(&spec));
    mesh = pose_at(model, 0, 0, 0, 0);
    assert_memory_equal(mesh.normals[0], md2_normals[52], sizeof(vec3));
}

TEST(triangles_without_area_leave_the_normals_of_the_file)
{
    static const char *const names[] = {"a", "b"};
    struct md2_spec spec = md2_named_frames(names, 2);
    const uint8_t vertices[6][4] = {{0, 0, 0, 52},  {0, 0, 0, 52},  {0, 0, 0, 52},
                                    {0, 0, 0, 200}, {0, 0, 0, 200}, {0, 0, 0, 200}};
    struct model *model;
    struct mesh mesh;

    spec.vertices = vertices;
    model = load(md2_build(&spec));
    mesh = pose_at(model, 0, 0, 0, 0);
    check_vector(mesh.normals[1], 1, 0, 0);
    mesh = pose_at(model, 0, 1, 1, 0);
    check_vector(mesh.normals[1], 0, 0, 1);
}

TEST(gl_commands_draw_what_the_triangles_draw)
{
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 1, 3, 2};
    struct model *triangles = load(tetrahedron()), *commands = load_as(tetrahedron(), GEOMETRY_GL_COMMANDS);

    assert_int_equal(commands->vertex_count, triangles->vertex_count);
    assert_memory_equal(commands->vertex_points, triangles->vertex_points, 5 * sizeof(uint32_t));
    assert_memory_equal(commands->uvs, triangles->uvs, 5 * sizeof(vec2));
    assert_int_equal(commands->index_count, 12);
    assert_memory_equal(commands->indices, indices, sizeof indices);
    assert_false(
        strings_has(&triangles->oddities, "the GL commands draw other triangles than the triangle table"));
}

TEST(strips_alternate_their_winding)
{
    static const uint32_t indices[] = {0, 1, 2, 2, 1, 3, 2, 3, 0};
    static const int32_t strip[] = {0, 1, 2, 3, 0};
    struct md2_words words;
    struct md2_spec spec = tetrahedron_without_commands(&words);
    struct model *model;
    md2_add_word(&words, 5);
    for (size_t i = 0; i < 5; i++)
        md2_add_gl_vertex(&words, 0, 0, strip[i]);
    md2_add_word(&words, 0);
    model = load_as(build_with_words(spec, &words), GEOMETRY_GL_COMMANDS);
    assert_int_equal(model->index_count, 9);
    assert_memory_equal(model->indices, indices, sizeof indices);
    check_oddity(build_with_words(spec, &words), "the GL commands draw other triangles than the triangle table");
}

TEST(gl_texture_coordinates_off_texel_centres_stay_as_stored)
{
    struct md2_words words;
    struct md2_spec spec = tetrahedron_without_commands(&words);
    struct model *model;
    md2_add_word(&words, 3);
    md2_add_gl_vertex(&words, 0.5f / 64, 0.5f / 32, 0);
    md2_add_gl_vertex(&words, 0.25f, 2.5f, 1);
    md2_add_gl_vertex(&words, -1, 0.125f, 2);
    md2_add_word(&words, 0);
    model = load_as(build_with_words(spec, &words), GEOMETRY_GL_COMMANDS);
    assert_float_equal(model->uvs[0][0], 0.5f / 64, 0);
    assert_float_equal(model->uvs[1][1], 2.5f, 0);
    assert_float_equal(model->uvs[2][0], -1, 0);
}

/* Broken commands fail only who wants to draw them. */
static void check_words_rejected(const struct md2_words *words, const char *message)
{
    struct md2_words unused;
    struct md2_spec spec = md2_tetrahedron(&unused);
    char oddity[256];

    spec.words = words->items;
    check_rejected_as(build_with_words(spec, words), GEOMETRY_GL_COMMANDS, message);
    snprintf(oddity, sizeof oddity, "broken GL commands: %s", message);
    check_oddity(build_with_words(spec, words), oddity);
}

TEST(gl_commands_past_their_end_are_rejected)
{
    struct md2_words words = {.count = 0};

    md2_add_word(&words, 1);
    check_words_rejected(&words,
                         "a GL command of 1 vertices runs past the end of the commands (0 bytes are left)");
    words.items[0] = 0x80000000;
    check_words_rejected(
        &words, "a GL command of 2147483648 vertices runs past the end of the commands (0 bytes are left)");
    words.items[0] = 0x7fffffff;
    check_words_rejected(
        &words, "a GL command of 2147483647 vertices runs past the end of the commands (0 bytes are left)");
    words.items[0] = 1;
    md2_add_gl_vertex(&words, 0, 0, 3);
    check_words_rejected(&words, "the GL commands have no end in their 4 words");
}

TEST(gl_commands_with_bad_vertices_are_rejected)
{
    struct md2_words words = {.count = 0};

    md2_add_word(&words, -1);
    md2_add_gl_vertex(&words, 0, 0, 4);
    md2_add_word(&words, 0);
    check_words_rejected(&words, "a GL command names vertex 4 of 4");
    words.items[3] = (uint32_t)-1;
    check_words_rejected(&words, "a GL command names vertex -1 of 4");
    words.items[3] = 3;
    words.items[1] = float_bits(INFINITY);
    check_words_rejected(&words, "a GL command has a texture coordinate that is not finite");
}

TEST(broken_files_are_rejected)
{
    fact("md2 is recognised by its first bytes");
    assert_ptr_equal(model_format_of((struct bytes){(const uint8_t *)"IDP2", 4}, NULL), &md2_format);
    assert_ptr_equal(model_format_of((struct bytes){(const uint8_t *)"IDP3", 4}, NULL), &md3_format);
    assert_null(model_format_of((struct bytes){(const uint8_t *)"IDP", 3}, NULL));
    assert_null(model_format_of((struct bytes){(const uint8_t *)"", 0}, NULL));
    fact("header fields are checked");
    check_field_rejected(MD2_FIELD_VERSION, 7, "MD2 version 7 (only 8 is supported)");
    check_field_rejected(MD2_FIELD_NUM_XYZ, 0, "0 vertices (1 to 65536 are allowed)");
    check_field_rejected(MD2_FIELD_NUM_XYZ, 65537, "65537 vertices (1 to 65536 are allowed)");
    check_field_rejected(MD2_FIELD_NUM_XYZ, (uint32_t)-1, "4294967295 vertices (1 to 65536 are allowed)");
    check_field_rejected(MD2_FIELD_NUM_SKINS, 257, "257 skins (at most 256)");
    check_field_rejected(MD2_FIELD_NUM_ST, 65537, "65537 texture coordinates (at most 65536)");
    check_field_rejected(MD2_FIELD_NUM_FRAMES, 0, "0 frames (1 to 65536 are allowed)");
    check_field_rejected(MD2_FIELD_FRAMESIZE, 55, "a frame size of 55 bytes is too small for 4 vertices (56)");
    check_field_rejected(MD2_FIELD_NUM_TRIS, 0, "0 triangles, at least 1 is needed");
    fact("tables past the end of the file are rejected");
    check_field_rejected(MD2_FIELD_NUM_FRAMES, 100,
                         "100 frames of 56 bytes at offset 264 run past the end of the file (540 bytes)");
    check_field_rejected(MD2_FIELD_OFS_SKINS, 500,
                         "2 skins of 64 bytes at offset 500 run past the end of the file (540 bytes)");
    check_field_rejected(
        MD2_FIELD_OFS_ST, 1000,
        "5 texture coordinates of 4 bytes at offset 1000 run past the end of the file (540 bytes)");
    check_field_rejected(MD2_FIELD_OFS_TRIS, 0x7fffffff,
                         "4 triangles of 12 bytes at offset 2147483647 run past the end of the file (540 bytes)");
    check_field_rejected(
        MD2_FIELD_OFS_GLCMDS, 440,
        "27 words of GL commands of 4 bytes at offset 440 run past the end of the file (540 bytes)");
    fact("indices past their table are rejected");
    check_rejected(with_bytes_at(MD2_FIELD_OFS_TRIS, 12, "\x04\x00", 2), "triangle 1 names vertex 4 of 4");
    check_rejected(with_bytes_at(MD2_FIELD_OFS_TRIS, 46, "\x05\x00", 2),
                   "triangle 3 names texture coordinate 5 of 5");
    fact("frames without usable coordinates are rejected");
    check_rejected(with_bytes_at(MD2_FIELD_OFS_FRAMES, 56, "\x00\x00\xc0\x7f", 4),
                   "frame 1: scale nan and translate 1 give no usable coordinates (up to 1e+08)");
    check_rejected(with_bytes_at(MD2_FIELD_OFS_FRAMES, 16, "\x00\x00\x80\x7f", 4),
                   "frame 0: scale 1 and translate inf give no usable coordinates (up to 1e+08)");
    check_rejected(with_bytes_at(MD2_FIELD_OFS_FRAMES, 0, "\xff\xff\x7f\x7f", 4),
                   "frame 0: scale 3.40282e+38 and translate 0 give no usable coordinates (up to 1e+08)");
    fact("oddities of triangles are told");
    check_oddity(with_bytes_at(MD2_FIELD_OFS_TRIS, 0, "\x01\x00", 2), "1 triangles without area");
    check_oddity(with_bytes_at(MD2_FIELD_OFS_ST, 0, "\xff\xff", 2), "1 of 5 texture coordinates outside 0..1");
}

TEST(skin_names_end_at_their_nul_or_their_field)
{
    struct blob junk = with_bytes_at(MD2_FIELD_OFS_SKINS, 0, "a.pcx\0junk", 10), full = tetrahedron();
    struct model *model;
    model = load(junk);
    assert_string_equal(model->skins[0], "a.pcx");
    assert_true(strings_has(&model->oddities, "1 skin names with bytes after their end"));

    memset(full.data + MD2_HEADER_SIZE, 'x', MD2_SKIN_SIZE);
    model = load(full);
    assert_int_equal(strlen(model->skins[0]), MD2_SKIN_SIZE);
    assert_string_equal(model->skins[1], "models/thing/other.pcx");
}

/* Loads bytes that may be broken, both ways, and poses what loads: under the sanitizers nothing may go wrong. */
static void try_bytes(struct bytes bytes)
{
    for (int geometry = 0; geometry < 2; geometry++) {
        struct model_options options = {.geometry = (enum geometry)geometry};
        struct model *model;
        struct error err = {0};

        if (model_load(bytes, &options, &model, &err)) {
            assert_true(err.text[0]);
            continue;
        }
        struct mesh mesh;
        struct pose pose = {.moment = {.frame_b = model->animations[0].frame_count - 1, .blend = 0.5}};
        assert_int_equal(mesh_init(&mesh, model, &err), 0);
        model_pose(model, &pose, &mesh);
        mesh_release(&mesh);
        model_free(model);
    }
}

TEST(the_file_cut_at_any_length_is_handled)
{
    struct blob blob = tetrahedron();

    for (size_t size = 0; size < blob.size; size++) {
        struct bytes copy = exact_copy(blob.data, size);
        try_bytes(copy);
        free((void *)copy.data);
    }
    blob_release(&blob);
}

TEST(oddities_and_names_are_told)
{
    fact("a model without gl commands cannot be drawn from them");
    struct md2_words words;
    struct md2_spec spec = tetrahedron_without_commands(&words);
    const char *message = "no GL commands to draw (geometry: triangles draws the 4 triangles)";
    check_rejected_as(build_with_words(spec, &words), GEOMETRY_GL_COMMANDS, message);
    check_oddity(build_with_words(spec, &words), "no GL commands");
    md2_add_word(&words, 0);
    check_rejected_as(build_with_words(spec, &words), GEOMETRY_GL_COMMANDS, message);
    fact("oddities of the header are told");
    struct blob longer = tetrahedron(), flat = tetrahedron(), bare = tetrahedron();
    md2_set_field(&longer, MD2_FIELD_OFS_END, 123456);
    check_oddity(longer, "ofs_end is 123456 in a file of 540 bytes");
    md2_set_field(&flat, MD2_FIELD_SKINWIDTH, 0);
    check_oddity(flat, "a skin size of 0 x 32 gives no texture coordinates");
    md2_set_field(&bare, MD2_FIELD_NUM_SKINS, 0);
    md2_set_field(&bare, MD2_FIELD_OFS_SKINS, 0x7fffffff);
    check_oddity(bare, "no skins");
    fact("frames may be further apart than they are long");
    struct blob blob = tetrahedron();
    /* Two frames that overlap nothing: the second starts where the third was. */
    md2_set_field(&blob, MD2_FIELD_FRAMESIZE, 112);
    md2_set_field(&blob, MD2_FIELD_NUM_FRAMES, 1);
    check_oddity(blob, "a frame size of 112 bytes where 56 are needed");
    fact("points of no triangle are not used points");
    blob = with_bytes_at(MD2_FIELD_OFS_TRIS, 0, "\x00\x00\x01\x00\x02\x00", 6);
    struct model *model;
    md2_set_field(&blob, MD2_FIELD_NUM_TRIS, 1);
    model = load(blob);
    assert_int_equal(model->used_point_count, 3);
    assert_int_equal(model->used_points[2], 2);
    assert_true(strings_has(&model->oddities, "1 of 4 vertices are part of no triangle"));
    fact("more frames than quake 2 allows are told");
    static const char *names[513];
    spec = md2_named_frames(names, 513);
    for (size_t i = 0; i < 513; i++)
        names[i] = "frame";
    check_oddity(md2_build(&spec), "513 frames (Quake II allows 512)");
    fact("skin names lose quotes and unprintable bytes");
    model = load(with_bytes_at(MD2_FIELD_OFS_SKINS, 0, "\"a\x01\xe9.tga\"\0", 10));
    assert_string_equal(model->skins[0], "a?"
                                         "?.tga");
    fact("empty skin names are left out");
    blob = with_bytes_at(MD2_FIELD_OFS_SKINS, 0, "", 1);
    model = load(blob);
    assert_int_equal(model->skin_count, 1);
    assert_string_equal(model->skins[0], "models/thing/other.pcx");
    assert_true(strings_has(&model->oddities, "skin 0 has no name"));
    fact("frame names may fill their field or hold junk");
    model = load(with_bytes_at(MD2_FIELD_OFS_FRAMES, 24, "sixteen letters7", 16));
    assert_string_equal(model->frame_names[0], "sixteen letters7");
    check_oddity(with_bytes_at(MD2_FIELD_OFS_FRAMES, 24, "run1\0junk", 9),
                 "1 frame names with bytes after their end");
    fact("a file without its last byte is rejected");
    blob = tetrahedron();
    blob.size--;
    check_rejected(blob,
                   "27 words of GL commands of 4 bytes at offset 432 run past the end of the file (539 bytes)");
}

TEST(any_value_of_a_header_field_is_handled)
{
    static const uint32_t values[] = {0,     1,     0xffffffff, 0x7fffffff, 0x80000000, 65535,
                                      65536, 65537, 3,          4,          540,        539};

    for (int field = 0; field < MD2_FIELD_COUNT; field++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            struct blob blob = tetrahedron();

            md2_set_field(&blob, (enum md2_field)field, values[i]);
            try_bytes(blob_bytes(&blob));
            blob_release(&blob);
        }
    }
}

TEST(any_damaged_byte_is_handled)
{
    struct blob blob = tetrahedron();

    for (size_t i = 0; i < blob.size; i++) {
        uint8_t good = blob.data[i];

        blob.data[i] = 0xff;
        try_bytes(blob_bytes(&blob));
        blob.data[i] = 0x80;
        try_bytes(blob_bytes(&blob));
        blob.data[i] = good;
    }
    blob_release(&blob);
}
