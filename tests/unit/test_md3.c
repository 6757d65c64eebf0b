#include <cglm/cglm.h>
#include <math.h>

#include "asset_tree.h"
#include "md3_builder.h"
#include "idtech/md3.h"
#include "models.h"
#include "test.h"

static struct model *load(struct blob blob)
{
    struct model *model = NULL;
    struct error err;
    if (model_load(blob_bytes(&blob), NULL, &model, &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);
    return kept(model);
}

static void check_rejected(struct blob blob, const char *message)
{
    expect_no_model(blob_bytes(&blob), message);
    blob_release(&blob);
}

static void check_oddity(struct blob blob, const char *oddity)
{
    struct model *model = load(blob);
    if (!strings_has(&model->oddities, oddity))
        fail_msg("no oddity '%s' among %zu", oddity, model->oddities.count);
}

static void check_near(const float got[3], float x, float y, float z)
{
    const float wanted[] = {x, y, z};
    for (int i = 0; i < 3; i++)
        if (fabsf(got[i] - wanted[i]) > 1e-6f)
            fail_msg("(%g %g %g) is not (%g %g %g)", got[0], got[1], got[2], x, y, z);
}

static struct pose between(uint32_t a, uint32_t b, double blend)
{
    return (struct pose){.moment = {a, b, blend}};
}

TEST(surfaces_have_names_shaders_triangles_and_texture_coordinates)
{
    struct model *model = load(md3_build());
    assert_ptr_equal(model->format, &md3_format);
    assert_int_equal(model->surface_count, 2);
    assert_int_equal(model->point_count, 7);
    assert_string_equal(model->surfaces[0].name, "body");
    assert_int_equal(model->surfaces[0].material.kind, MATERIAL_SHADER);
    assert_string_equal(model->surfaces[0].material.name, "models/thing/body.tga");
    assert_string_equal(model->surfaces[1].material.name, "models/thing/hat");
    assert_int_equal(model->surfaces[1].first_index, 12);
    assert_int_equal(model->indices[3], 0);
    assert_int_equal(model->indices[4], 3);
    assert_int_equal(model->indices[14], 6);
    assert_true(model->uvs[3][0] == 0.75f && model->uvs[3][1] == 0);
    assert_int_equal(model->oddities.count, 0);
}

TEST(keyframes_are_in_64ths_and_blend_in_a_straight_line)
{
    struct model *model = load(md3_build());
    struct mesh still = posed(model, between(0, 0, 0)), grown = posed(model, between(1, 1, 0));
    struct mesh half = posed(model, between(0, 1, 0.5)), bind = posed(model, (struct pose){.animation = -1});
    check_near(still.positions[1], 10, 0, 0);
    check_near(grown.positions[3], 0, 0, 20);
    check_near(half.positions[3], 0, 0, 15);
    check_near(half.positions[5], -1, 1, 10.5f);
    check_near(bind.positions[2], 0, 10, 0);
}

TEST(normals_are_angles_from_z_and_around_it)
{
    struct model *model = load(md3_build());
    struct mesh still = posed(model, between(0, 0, 0)), turned = posed(model, between(1, 1, 0));
    struct mesh half = posed(model, between(0, 1, 0.5));
    check_near(still.normals[0], 0, 0, -1);
    check_near(still.normals[1], 1, 0, 0);
    check_near(still.normals[2], 0, 1, 0);
    check_near(still.normals[3], 0, 0, 1);
    check_near(turned.normals[4], 1, 0, 0);
    check_near(half.normals[4], sqrtf(0.5f), 0, sqrtf(0.5f));
}

TEST(opposite_normals_blend_to_the_first)
{
    struct blob blob = md3_build();
    for (size_t i = 0; i < 4; i++) /* of frame 1: up, where frame 0 has vertex 0 look down */
        blob_put(&blob, MD3_BODY + MD3_BODY_VERTICES + (4 + i) * 8 + 6, 0, 2);
    struct model *model = load(blob);
    check_near(posed(model, between(0, 1, 0.5)).normals[0], 0, 0, -1);
}

TEST(tags_are_rotations_at_each_frame)
{
    struct model *model = load(md3_build());
    assert_int_equal(model->tags.tag_count, 2);
    assert_int_equal(model->tags.frame_count, 3);
    assert_string_equal(model->tags.items[1].name, "tag_turned");
    mat4 place;
    tag_place(&model->tags.items[0], &(struct moment){1, 2, 0.5}, place);
    check_near(place[3], 0, 0, 1.5f);
    check_near(place[0], 1, 0, 0);
    tag_place(&model->tags.items[1], &(struct moment){2, 2, 0}, place);
    check_near(place[0], 0, 1, 0);
    check_near(place[1], -1, 0, 0);
    check_near(place[2], 0, 0, 1);
}

static struct blob with_frame_names(const char *const names[3])
{
    struct blob blob = md3_build();
    for (size_t i = 0; i < 3; i++) {
        memset(blob.data + MD3_FRAMES + 56 * i + 40, 0, 16);
        md3_put_text(&blob, MD3_FRAMES + 56 * i + 40, names[i]);
    }
    return blob;
}

TEST(all_frames_are_one_clip_unless_their_names_tell_several)
{
    static const char *const alone[] = {"frame_1", "frame_2", "frame_3"}, *const odd[] = {"up1", "up2", "down1"};
    for (int i = 0; i < 3; i++) {
        struct model *model = load(i == 0 ? md3_build() : with_frame_names(i == 1 ? alone : odd));
        assert_int_equal(model->clip_count, 1);
        assert_string_equal(model->clips[0].name, "frames");
        assert_int_equal(model->clips[0].frame_count, 3);
        assert_true(model->clips[0].rate_hz == 10);
        assert_int_equal(model->oddities.count, 0);
    }
}

TEST(a_model_of_tags_alone_is_one)
{
    struct blob blob = md3_build();
    md3_set(&blob, MD3_NUM_SURFACES, 0);
    struct model *model = load(blob);
    assert_int_equal(model->index_count, 0);
    assert_int_equal(model->tags.tag_count, 2);
}

TEST(broken_files_are_rejected)
{
    static const struct {
        size_t at;
        uint32_t value;
        const char *message;
    } rows[] = {
        {4, 14, "MD3 version 14 (only 15 is supported)"},
        {72 + 4 * MD3_NUM_FRAMES, 0, "0 frames (1 to 65536 are allowed)"},
        {72 + 4 * MD3_NUM_FRAMES, (uint32_t)-1, "4294967295 frames (1 to 65536 are allowed)"},
        {72 + 4 * MD3_NUM_FRAMES, 70000, "70000 frames (1 to 65536 are allowed)"},
        {72 + 4 * MD3_NUM_FRAMES, 40,
         "40 frames of 56 bytes at offset 108 run past the end of the file (1584 bytes)"},
        {72 + 4 * MD3_NUM_FRAMES, 2, "surface 0: 3 frames, but the file has 2"},
        {72 + 4 * MD3_NUM_TAGS, 257, "257 tags (at most 256)"},
        {72 + 4 * MD3_NUM_TAGS, 8, "8 tags of 336 bytes at offset 276 run past the end of the file (1584 bytes)"},
        {72 + 4 * MD3_NUM_SURFACES, 257, "257 surfaces (at most 256)"},
        {72 + 4 * MD3_NUM_SURFACES, 3, "surface 2: its header runs past the end of the file (1584 bytes)"},
        {MD3_BODY + 68 + 4 * MD3_OFS_END, 4,
         "surface 1: no surface begins at byte 952: it has another ident than \"IDP3\""},
        {MD3_BODY + 68 + 4 * MD3_OFS_END, 0x7fffffff,
         "surface 1: its header runs past the end of the file (1584 bytes)"},
        {MD3_BODY + 68 + 4 * MD3_NUM_TRIANGLES, 1000,
         "surface 0: 1000 triangles of 12 bytes at offset 1056 run past the end of the file (1584 bytes)"},
        {MD3_BODY + 68 + 4 * MD3_NUM_SHADERS, 1000,
         "surface 0: 1000 shaders of 68 bytes at offset 1104 run past the end of the file (1584 bytes)"},
        {MD3_BODY + 68 + 4 * MD3_OFS_ST, 10000,
         "surface 0: 4 texture coordinates of 8 bytes at offset 10948 run past the end of the file (1584 bytes)"},
        {MD3_BODY + 68 + 4 * MD3_OFS_VERTICES, 0x7fffffff,
         "surface 0: 12 vertices of 8 bytes at offset 2147484595 run past the end of the file (1584 bytes)"},
        {MD3_BODY + MD3_BODY_TRIANGLES + 12, 4, "surface 'body': triangle 1 names vertex 4 of 4"},
        {MD3_BODY + MD3_BODY_TRIANGLES + 12, (uint32_t)-1, "surface 'body': triangle 1 names vertex -1 of 4"},
        {MD3_BODY + MD3_BODY_ST + 8, 0x7fc00000, "surface 'body': texture coordinate 1 is nan"},
        {MD3_TAGS + 112 + 64, 0x7f800000, "tag 'tag_turned', frame 0: inf is not a coordinate (at most 1e+09)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fact(rows[i].message);
        struct blob blob = md3_build();
        blob_put(&blob, rows[i].at, rows[i].value, 4);
        check_rejected(blob, rows[i].message);
    }
}

/* A file of a megabyte would ask for hundreds of them. */
TEST(surfaces_that_lie_over_each_other_are_rejected)
{
    struct blob blob = md3_build();
    md3_set(&blob, MD3_NUM_SURFACES, 250);
    md3_set_surface(&blob, MD3_BODY, MD3_OFS_END, 0);
    check_rejected(blob, "3 frames of 1000 vertices are more than fit into the file (1584 bytes)");
}

TEST(oddities_are_told)
{
    struct blob blob = md3_build();
    blob_put(&blob, 72 + 4 * 8, 5, 4);
    check_oddity(blob, "ofs_eof is 5 in a file of 1584 bytes");
    blob = md3_build();
    memset(blob.data + MD3_BODY + MD3_BODY_SHADERS, 0, 64);
    check_oddity(blob, "1 surfaces without a shader");
    blob = md3_build();
    memset(blob.data + MD3_TAGS + 76, 0, 36);
    check_oddity(blob, "tag 'tag_hat' has axes without a direction: those of the model count");
    blob = md3_build();
    md3_put_text(&blob, MD3_HAT + 4, "body");
    blob.data[MD3_HAT + 8] = 0;
    assert_string_equal(load(blob)->surfaces[1].name, "body_2");
}

/* Whatever the bytes, the model loads or fails; what loads can be posed. */
static void try_bytes(struct bytes bytes)
{
    struct model *model = NULL;
    struct error err;
    if (model_load(bytes, NULL, &model, &err) < 0)
        return;
    struct mesh mesh;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    struct pose pose = {.moment = clip_moment(&model->clips[0], 0.07, true)};
    model_pose(model, &pose, &mesh);
    mesh_release(&mesh);
    model_free(model);
}

TEST(the_file_cut_at_any_length_and_with_any_word_damaged_is_handled)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    struct blob blob = md3_build();
    for (size_t size = 0; size < blob.size; size++) {
        struct bytes copy = exact_copy(blob.data, size);
        try_bytes(copy);
        free((void *)copy.data);
    }
    for (size_t at = 0; at + 4 <= blob.size; at += 4)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            uint8_t kept_word[4];
            memcpy(kept_word, blob.data + at, 4);
            blob_put(&blob, at, values[i], 4);
            try_bytes(blob_bytes(&blob));
            memcpy(blob.data + at, kept_word, 4);
        }
    blob_release(&blob);
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

static struct model *load_beside(const char *path, const char *const (*files)[2], size_t count)
{
    struct asset_tree tree = asset_tree_new();
    for (size_t i = 0; i < count; i++)
        asset_tree_add(&tree, files[i][0], files[i][1]);
    asset_tree_open(&tree);
    const struct model_options options = {.path = path, .assets = tree.assets};
    struct model *model;
    struct error err;
    struct blob blob = md3_build();
    assert_int_equal(model_load(blob_bytes(&blob), &options, &model, &err), 0);
    blob_release(&blob);
    return kept(model);
}

TEST(skins_beside_a_model_name_its_shaders)
{
    static const char *const files[][2] = {
        {"m/lower_blue.skin", "body,blue.tga\r\nhat,\"blue hat\"\r\ntag_torso,\r\n"},
        {"m/lower_default.skin", "tag_torso,\nBODY , plain\n"},
        {"m/lower_far_red.skin", "other,red.tga\n"},
        {"m/upper_red.skin", "body,red.tga\n"},
    };
    struct model *model = load_beside("m/lower.md3", files, 4);
    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->skins[0], "default");
    assert_string_equal(model->skins[1], "blue");
    assert_string_equal(model->surfaces[0].material.skin_names[0], "plain");
    assert_string_equal(model->surfaces[0].material.skin_names[1], "blue.tga");
    fact("what a skin does not name keeps the shader of the model");
    assert_string_equal(model->surfaces[1].material.skin_names[0], "models/thing/hat");
    fact("words end at blanks, as in the game");
    assert_string_equal(model->surfaces[1].material.skin_names[1], "blue");
    fact("a simpler level has the skins of the model");
    model = load_beside("m/lower_1.md3", files, 4);
    assert_int_equal(model->skin_count, 2);
    fact("others are told by their suffix, or have a skin alone");
    static const char *const numbered[][2] = {{"box.md3_1.skin", "body,b"}, {"box.md3_0.skin", "body,a"}};
    model = load_beside("box.md3", numbered, 2);
    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->skins[1], "1");
    static const char *const alone[][2] = {{"box.skin", "body,b"}};
    assert_string_equal(load_beside("box.md3", alone, 1)->skins[0], "default");
    assert_int_equal(load_beside("bag.md3", alone, 1)->skin_count, 0);
}

TEST(lines_of_skins_that_say_nothing_are_passed_over)
{
    static const struct surface surfaces[] = {{.name = "body"}, {.name = "head_1"}, {.name = "body_1"}};
    static const struct {
        const char *text;
        uint32_t count;
    } rows[] = {
        {"", 0},       {"body", 0},       {"body,", 0},         {"body,\nx,y", 0},       {",,,\n\n,", 0},
        {"body,x", 2}, {"body x", 2},     {"head,x\n", 1},      {"head,x\nhead,y\n", 1}, {"head_1,x", 1},
        {"he,x", 0},   {"headless,x", 0}, {"\x01\x02,\x03", 0}, {"\x01 body,x", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fact(rows[i].text);
        struct arena arena = {0};
        const char *shaders[3] = {0};
        struct bytes copy = exact_copy(rows[i].text, strlen(rows[i].text));
        assert_int_equal(md3_read_skin(copy, surfaces, 3, &arena, shaders), rows[i].count);
        free((void *)copy.data);
        arena_release(&arena);
    }
}

/* -- Players ----------------------------------------------------------------------------------------------- */

#define RANGE(first, count, loops) #first " " #count " " #loops " 10 // any words\n"

/* 6 of both, 7 of the torso from frame 1 on, 12 of the legs from frame 2 on, which are frames 1 and 2 of the lower. */
static const char config[] = "// a thing\nsex m\r\nheadoffset 0 0 0\nfootsteps boot\n\n" RANGE(0, 1, 0)
    RANGE(0, 1, 0) RANGE(0, 1, 0) RANGE(0, 1, 0) RANGE(0, 1, 0) RANGE(0, 3, 0) RANGE(1, 1, 0) RANGE(1, 2, 0)
        RANGE(1, 1, 0) RANGE(1, 1, 0) RANGE(1, 1, 0) RANGE(0, 1, 0) RANGE(1, 1, 0) RANGE(2, 1, 1) RANGE(2, 1, 1)
            RANGE(2, 2, 2) RANGE(2, -2, 2) RANGE(2, 1, 1) RANGE(2, 9, 0) RANGE(9, 1, 0) RANGE(2, 1, 0)
                RANGE(2, 1, 0) RANGE(2, 1, 1) RANGE(2, 1, 1) RANGE(2, 1, 1);

/* The two tags of the builder by the names that a player needs. */
static void add_part(const struct asset_tree *tree, const char *name, const char *tag)
{
    struct blob blob = md3_build();
    for (size_t frame = 0; frame < 3; frame++) {
        memset(blob.data + MD3_TAGS + 2 * frame * 112, 0, 64);
        md3_put_text(&blob, MD3_TAGS + 2 * frame * 112, tag);
    }
    free(temp_folder_write(tree->folder, name, blob.data, blob.size));
    blob_release(&blob);
}

static struct asset_tree player_tree(void)
{
    struct asset_tree tree = asset_tree_new();
    add_part(&tree, "p/lower.md3", "tag_torso");
    add_part(&tree, "p/upper.md3", "tag_head");
    add_part(&tree, "p/head.md3", "tag_ear");
    asset_tree_add(&tree, "p/lower_red.skin", "body,legs_red");
    asset_tree_add(&tree, "p/upper_default.skin", "body,torso_plain");
    asset_tree_add(&tree, "p/upper_red.skin", "body,torso_red");
    return tree;
}

static int load_player(struct asset_tree *tree, const char *text, struct model **out, struct error *err)
{
    if (!tree->assets)
        asset_tree_open(tree);
    const struct model_options options = {.path = "p/animation.cfg", .assets = tree->assets};
    return model_load((struct bytes){(const uint8_t *)text, strlen(text)}, &options, out, err);
}

static struct model *player(void)
{
    struct asset_tree tree = player_tree();
    struct model *model = NULL;
    struct error err;
    if (load_player(&tree, config, &model, &err) < 0)
        fail_msg("%s", err.text);
    return kept(model);
}

TEST(a_player_is_three_models_on_tags)
{
    struct model *model = player();
    assert_ptr_equal(model->format, &md3_player_format);
    assert_int_equal(model->point_count, 21);
    assert_int_equal(model->surface_count, 6);
    assert_string_equal(model->surfaces[2].name, "body_3");
    assert_int_equal(model->indices[15], 7);
    fact("its parts and tags are joints");
    static const char *const joints[] = {"origin", "tag_torso", "tag_turned", "tag_head", "tag_ear"};
    static const int32_t parents[] = {-1, 0, 0, 1, 3};
    assert_int_equal(model->joint_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(model->joints[i].name, joints[i]);
        assert_int_equal(model->joints[i].parent, parents[i]);
    }
    fact("a part without a skin wears its first");
    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->skins[0], "red");
    assert_string_equal(model->surfaces[0].material.skin_names[1], "legs_red");
    assert_string_equal(model->surfaces[2].material.skin_names[0], "torso_red");
    assert_string_equal(model->surfaces[2].material.skin_names[1], "torso_plain");
    assert_string_equal(model->surfaces[4].material.skin_names[0], "models/thing/body.tga");
}

TEST(legs_and_torso_play_clips_of_their_own)
{
    struct model *model = player();
    const struct clip *run = model_find_clip(model, "LEGS_RUN"), *both = model_find_clip(model, "BOTH_DEAD3");
    const struct clip *attack = model_find_clip(model, "TORSO_ATTACK");
    assert_true(run && both && attack);
    assert_int_equal(run->frame_count, 2);
    assert_false(clip_plays_once(run));
    assert_false(run->is_extra);
    assert_true(clip_plays_once(attack));
    assert_true(model_find_clip(model, "LEGS_RUN+TORSO_ATTACK")->is_extra);
    assert_true(clip_plays_once(model_find_clip(model, "LEGS_RUN+TORSO_ATTACK")));
    assert_null(model_find_clip(model, "LEGS_RUN+BOTH_DEAD3"));
    fact("the tag of frame 1 lifts the torso, at rest in its frame 0, and the head");
    struct pose pose = {.animation = (int32_t)run->animation};
    struct mesh mesh = posed(model, pose);
    check_near(mesh.positions[3], 0, 0, 20);
    check_near(mesh.positions[7 + 3], 0, 0, 11);
    check_near(mesh.positions[14 + 3], 0, 0, 11);
    fact("between keyframes, too");
    pose.moment = (struct moment){0, 1, 0.5};
    check_near(posed(model, pose).positions[7 + 3], 0, 0, 11.5f);
    fact("the torso in frame 1 is twice as tall, and lifts the head");
    pose = (struct pose){.animation = (int32_t)attack->animation};
    mesh = posed(model, pose);
    check_near(mesh.positions[7 + 3], 0, 0, 21);
    check_near(mesh.positions[14 + 3], 0, 0, 12);
    fact("joints are where the parts are");
    mat4 joints[5];
    model_pose_joints(model, &pose, joints);
    check_near(joints[1][3], 0, 0, 1);
    check_near(joints[3][3], 0, 0, 2);
    fact("a negative number of frames plays backwards");
    const struct clip *back = model_find_clip(model, "LEGS_BACK");
    pose = (struct pose){.animation = (int32_t)back->animation};
    check_near(posed(model, pose).positions[4], 0, 0, 12);
    fact("at rest it stands");
    check_near(posed(model, (struct pose){.animation = -1}).positions[7 + 3], 0, 0, 11);
    fact("frames that a part lacks are cut off, or lose their clip");
    assert_int_equal(model_find_clip(model, "LEGS_JUMP")->frame_count, 2);
    assert_null(model_find_clip(model, "LEGS_LAND"));
    assert_true(strings_has(&model->oddities, "LEGS_JUMP: frames 1-9, but lower.md3 has 0-2"));
}

TEST(a_range_has_at_least_one_frame)
{
    static const struct {
        const char *line;
        uint32_t frame_count;
    } rows[] = {{"0 0 0 10", 1}, {"0 0.5 0 10", 1}, {"0 -0.5 0 10", 1}, {"0 2.9 0 10", 2}, {"0 -3 0 10", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct md3_range ranges[MD3_MOST_RANGES];
        fact(rows[i].line);
        const struct bytes text = {(const uint8_t *)rows[i].line, strlen(rows[i].line)};
        assert_int_equal(md3_read_ranges(text, ranges), 1);
        assert_int_equal(ranges[0].frame_count, rows[i].frame_count);
    }
}

TEST(broken_players_are_rejected)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"0 1 0 10\n", "1 animations (players have 25)"},     {"sex m\n0 1 0\n", "not a model file: known are "},
        {"1 2 3 4\nhello\n", "not a model file: known are "}, {"", "the file is empty"},
        {"70000 1 0 1\n", "not a model file: known are "},    {"sex m\n", "not a model file: known are "},
    };
    struct asset_tree tree = player_tree();
    struct model *model;
    struct error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fact(rows[i].text);
        assert_int_equal(load_player(&tree, rows[i].text, &model, &err), -1);
        assert_int_equal(strncmp(err.text, rows[i].message, strlen(rows[i].message)), 0);
    }
    fact("the bytes alone are no player");
    assert_int_equal(model_load((struct bytes){(const uint8_t *)config, strlen(config)}, NULL, &model, &err), -1);
    assert_string_equal(err.text, "a player has models in files beside it");
    fact("each part must be there, and be good");
    struct asset_tree headless = asset_tree_new();
    add_part(&headless, "p/lower.md3", "tag_torso");
    add_part(&headless, "p/upper.md3", "tag_head");
    assert_int_equal(load_player(&headless, config, &model, &err), -1);
    assert_non_null(strstr(err.text, "p/head.md3: no such file in the assets"));
    struct asset_tree tagless = asset_tree_new();
    add_part(&tagless, "p/lower.md3", "tag_torso");
    add_part(&tagless, "p/upper.md3", "tag_neck");
    add_part(&tagless, "p/head.md3", "tag_ear");
    assert_int_equal(load_player(&tagless, config, &model, &err), -1);
    assert_string_equal(err.text, "upper.md3 has no tag 'tag_head'");
    struct asset_tree other = asset_tree_new();
    asset_tree_add(&other, "p/lower.md3", "IDP2");
    assert_int_equal(load_player(&other, config, &model, &err), -1);
    assert_string_equal(err.text, "p/lower.md3: not an MD3");
    fact("cut anywhere");
    for (size_t size = 0; size < strlen(config); size++) {
        struct bytes cut = exact_copy(config, size);
        struct md3_range ranges[MD3_MOST_RANGES];
        assert_true(md3_read_ranges(cut, ranges) <= 25);
        free((void *)cut.data);
    }
}
