/* Plans of several models, and where they stand. The tetrahedron of the fixture is the job's model unless a test
 * says otherwise; its corners are the origin and 10 units along each axis in its first frame, "run" has frames
 * 0-1, "hop" frame 2. Tags hang on it at (2, 0, 0), then at (4, 0, 0) turned a quarter to the left, then at (0, 0,
 * 8). */
#include "job_fixture.h"
#include "test.h"

#include <cglm/mat4.h>

#include "plan/scene.h"
#include "tag_builder.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

struct one {
    struct fixture fixture;
    struct plan *plan;
    struct scene scene;
};

static struct blob build_tags(uint32_t frame_count)
{
    static const char *const names[] = {"tag_hand"};
    static const float frames[][12] = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0},
                                       {0, 1, 0, -1, 0, 0, 0, 0, 1, 4, 0, 0},
                                       {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 8}};
    return tag_build(&(struct tag_spec){1, frame_count, names, frames});
}

static void add_tags(const struct fixture *fixture, uint32_t frame_count)
{
    struct blob blob = build_tags(frame_count);
    fixture_add_bytes(fixture, "models/thing.tag", blob_bytes(&blob));
    blob_release(&blob);
}

/* A triangle of two keyframes, "wag". */
static void add_tool(const struct fixture *fixture)
{
    struct md2_spec spec = md2_named_frames((const char *const[]){"wag1", "wag2"}, 2);
    fixture_add_md2(fixture, "models/tool.md2", &spec);
}

static struct fixture new_fixture(void)
{
    struct fixture fixture = fixture_new();
    add_tags(&fixture, 3);
    add_tool(&fixture);
    return fixture;
}

static void load_one(struct fixture *fixture, const char *model, const char *keys)
{
    char *text = must_printf("jobs:\n  - name: it\n    model: models/%s\n    cameras: [front]\n%s", model, keys);
    fixture_load(fixture, text);
    fixture_open_assets(fixture);
    free(text);
}

static struct one open_in(struct fixture fixture, const char *model, const char *keys)
{
    struct one one = {.fixture = fixture};
    struct error err;
    load_one(&one.fixture, model, keys);
    one.plan = fixture_plan(&one.fixture, 0);
    assert_int_equal(scene_init(&one.scene, one.plan, true, &err), 0);
    return one;
}

static struct one open_one(const char *model, const char *keys)
{
    return open_in(new_fixture(), model, keys);
}

static void close_one(struct one *one)
{
    scene_release(&one->scene);
    plan_free(one->plan);
    fixture_release(&one->fixture);
}

static void expect_failure_in(struct fixture fixture, const char *model, const char *keys, const char *part)
{
    struct plan *plan;
    struct error err = {""};
    load_one(&fixture, model, keys);
    assert_int_equal(plan_open(NULL, fixture.assets, &fixture.list->jobs[0], &plan, &err), -1);
    assert_message(&err, part);
    fixture_release(&fixture);
}

static void expect_failure(const char *model, const char *keys, const char *part)
{
    expect_failure_in(new_fixture(), model, keys, part);
}

/* Where a point of a part is in the world. */
static void expect_place(const struct one *one, size_t part, const vec3 point, const vec3 wanted)
{
    vec3 found;
    glm_mat4_mulv3(one->scene.parts[part].to_world, (float *)point, 1, found);
    for (int i = 0; i < 3; i++)
        if (!(fabsf(found[i] - wanted[i]) <= 1e-4f))
            fail_msg("(%g %g %g) is not (%g %g %g)", found[0], found[1], found[2], wanted[0], wanted[1],
                     wanted[2]);
}

/* -- Places ------------------------------------------------------------------------------------------------ */

TEST(an_attachment_stands_at_the_origin_unless_told)
{
    struct one one = open_one("thing.md2", "    attach: {model: tool.md2}\n");
    assert_int_equal(one.plan->part_count, 2);
    assert_string_equal(one.plan->parts[1].name, "tool");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 0, (vec3){1, 2, 3}, (vec3){1, 2, 3});
    expect_place(&one, 1, (vec3){1, 2, 3}, (vec3){1, 2, 3});
    close_one(&one);
}

TEST(a_tag_carries_what_hangs_on_it)
{
    struct one one =
        open_one("thing.md2", "    attach: {model: tool.md2, at: tag_hand}\n    sampling: {frames: all}\n");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 1, (vec3){1, 2, 3}, (vec3){3, 2, 3});
    scene_pose(&one.scene, 0, 1);
    expect_place(&one, 1, (vec3){1, 2, 3}, (vec3){2, 1, 3}); /* its x points to the left now */
    scene_pose(&one.scene, 1, 0);
    expect_place(&one, 1, (vec3){1, 2, 3}, (vec3){1, 2, 11});
    close_one(&one);
}

TEST(attachments_hang_on_the_tags_of_attachments)
{
    struct one one =
        open_one("thing.md2", "    attach:\n"
                              "      - {name: last, to: two, model: tool.md2, at: tag_hand}\n"
                              "      - {name: two, to: one, model: thing.md2, at: tag_hand, scale: 2}\n"
                              "      - {name: one, model: thing.md2, at: tag_hand, animation: run}\n"
                              "    sampling: {frames: all}\n");
    assert_string_equal(one.plan->parts[3].name, "last");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 2, (vec3){1, 2, 3}, (vec3){2 + 2 + 2, 4, 6});
    expect_place(&one, 3, (vec3){1, 2, 3}, (vec3){2 + 2 + 2 * (2 + 1), 4, 6});
    scene_pose(&one.scene, 0, 1); /* two quarters to the left; "two" stands still */
    expect_place(&one, 1, (vec3){1, 2, 3}, (vec3){4 - 2, 1, 3});
    expect_place(&one, 2, (vec3){1, 2, 3}, (vec3){4 - 2, 4 - 4, 6});
    expect_place(&one, 3, (vec3){1, 2, 3}, (vec3){4 - 2 * (2 + 1), 4 - 4, 6});
    close_one(&one);
}

TEST(between_keyframes_a_tag_is_half_way)
{
    struct one one = open_one("thing.md2", "    attach: {model: tool.md2, at: TAG_Hand}\n"
                                           "    animations: [{name: run, sampling: {times: [0.05]}}]\n");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 1, (vec3){0, 0, 0}, (vec3){3, 0, 0});
    expect_place(&one, 1, (vec3){2, 0, 0}, (vec3){3 + 1.41421356f, 1.41421356f, 0});
    close_one(&one);
}

TEST(offset_rotation_and_scale_are_along_the_axes_of_the_place)
{
    struct one one = open_one(
        "thing.md2",
        "    attach: {model: tool.md2, at: tag_hand, offset: [0, 0, 1], rotation: [90, 0, 90], scale: 2}\n"
        "    sampling: {frames: all}\n");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 1, (vec3){0, 1, 0}, (vec3){2, 0, 3}); /* about x to z, and z stays about z */
    expect_place(&one, 1, (vec3){1, 0, 0}, (vec3){2, 2, 1}); /* x stays about x, and goes to y about z */
    scene_pose(&one.scene, 0, 1);
    expect_place(&one, 1, (vec3){1, 0, 0}, (vec3){4 - 2, 0, 1});
    close_one(&one);
}

TEST(a_joint_carries_what_hangs_on_it)
{
    struct one one =
        open_one("plate.md5mesh", "    attach: {model: tool.md2, at: upper arm, offset: [0, 0, 2]}\n");
    scene_pose(&one.scene, 0, 0);
    /* The stored joint: at (1, 2, 13), turned by (0.3, -0.2, 0.1) and w = -sqrt(0.86). */
    const float x = 0.3f, y = -0.2f, z = 0.1f, w = -0.92736185f;
    expect_place(
        &one, 1, (vec3){0, 0, 0},
        (vec3){1 + 2 * 2 * (x * z + w * y), 2 + 2 * 2 * (y * z - w * x), 13 + 2 * (1 - 2 * (x * x + y * y))});
    close_one(&one);
}

TEST(a_joint_moves_with_its_animation)
{
    struct one one =
        open_one("plate.md5mesh", "    attach: {model: tool.md2, at: origin}\n"
                                  "    root_motion: keep\n"
                                  "    animations: [{file: walk.md5anim, sampling: {frames: all}}]\n");
    static const float x[] = {1, 3, -2}; /* of its three frames */
    for (uint32_t i = 0; i < 3; i++) {
        scene_pose(&one.scene, 0, i);
        expect_place(&one, 1, (vec3){0, 0, 0}, (vec3){x[i], 2, 3});
    }
    close_one(&one);
}

/* The first joint is at (1, 2, 3) in the bind pose. */
TEST(what_hangs_on_a_model_that_stays_in_place_stays_with_it)
{
    struct one one =
        open_one("plate.md5mesh", "    attach: [{model: tool.md2, at: origin}, {name: aura, model: tool.md2}]\n"
                                  "    animations: [{file: walk.md5anim, sampling: {frames: all}}]\n");
    assert_true(one.plan->takes[0].is_in_place);
    for (uint32_t i = 0; i < 3; i++) {
        scene_pose(&one.scene, 0, i);
        expect_place(&one, 1, (vec3){0, 0, 0}, (vec3){1, 2, 3});
        expect_place(&one, 2, (vec3){0, 0, 0}, (vec3){0, 0, 0});
    }
    close_one(&one);
}

TEST(a_place_that_does_not_exist_suggests_the_nearest)
{
    expect_failure(
        "thing.md2", "    attach: {model: tool.md2, at: tag_hnd}\n",
        "list.yaml:8:13: attachment 'tool': models/thing.md2: no tag 'tag_hnd', did you mean 'tag_hand'? "
        "(it has tag_hand)");
    expect_failure("plate.md5mesh", "    attach: {model: tool.md2, at: shoulder}\n",
                   "models/plate.md5mesh: no joint 'shoulder' (it has origin, upper arm)");
    expect_failure("plate.md5mesh", "    sockets: [upperarm]\n",
                   "list.yaml:8:15: socket 'upperarm': models/plate.md5mesh: no joint 'upperarm', did you mean "
                   "'upper arm'?");
}

TEST(tags_of_another_count_of_frames_are_refused)
{
    struct fixture fixture = new_fixture();
    add_tags(&fixture, 2);
    expect_failure_in(fixture, "thing.md2", "    sockets: [tag_hand]\n",
                      "models/thing.tag: tags for 2 keyframes, but the model has 3");
}

TEST(a_broken_tag_file_fails_the_jobs_that_need_it_alone)
{
    struct fixture fixture = new_fixture();
    fixture_add_text(&fixture, "models/thing.tag", "JDP2");
    expect_failure_in(fixture, "thing.md2", "    sockets: [tag_hand]\n",
                      "models/thing.tag: 4 bytes are too few for the header of a .tag file (32)");
    fixture = new_fixture();
    fixture_add_text(&fixture, "models/thing.tag", "JDP2");
    struct one one = open_in(fixture, "thing.md2", "");
    assert_int_equal(one.plan->warnings.count, 1); /* of its skin alone */
    close_one(&one);
}

static void check_skeleton_warning(struct fixture fixture, const char *wanted)
{
    struct one one = open_in(fixture, "thing.md2", "    passes: [skeleton]\n");
    assert_int_equal(one.plan->parts[0].model->tags.tag_count, 0);
    assert_string_equal(one.plan->warnings.items[0], wanted);
    assert_string_equal(one.plan->warnings.items[1],
                        "models/thing.md2: nothing to show as a skeleton: it has neither joints nor tags");
    assert_int_equal(one.plan->warnings.count, 3); /* and one of its skin */
    close_one(&one);
}

TEST(a_skeleton_of_a_broken_tag_file_is_empty_with_a_warning)
{
    struct fixture fixture = new_fixture();
    fixture_add_text(&fixture, "models/thing.tag", "JDP2");
    check_skeleton_warning(fixture, "models/thing.tag: 4 bytes are too few for the header of a .tag file (32)");
    fixture = new_fixture();
    add_tags(&fixture, 2);
    check_skeleton_warning(fixture, "models/thing.tag: tags for 2 keyframes, but the model has 3");
    fixture = new_fixture();
    fixture_add_text(&fixture, "models/thing.tag", "JDP2");
    expect_failure_in(fixture, "thing.md2", "    passes: [skeleton]\n    sockets: [tag_hand]\n",
                      "models/thing.tag: 4");
}

/* -- Motion ------------------------------------------------------------------------------------------------ */

/* The keyframe that a part shows at a sample; 99 is the pose without an animation. */
static void expect_frame(const struct one *one, uint32_t part, uint32_t take, size_t sample, uint32_t wanted)
{
    struct pose pose = plan_pose(one->plan, part, &one->plan->takes[take], sample);
    assert_int_equal(pose.animation < 0 ? 99 : pose.moment.frame_a, wanted);
}

TEST(without_an_animation_an_attachment_stands_still)
{
    struct one one = open_one("thing.md2", "    attach: {model: tool.md2}\n    sampling: {frames: all}\n");
    expect_frame(&one, 1, 0, 0, 99);
    expect_frame(&one, 1, 0, 1, 99);
    close_one(&one);
}

TEST(same_frame_shows_the_keyframes_of_the_jobs_model)
{
    struct one one =
        open_one("thing.md2", "    attach: {model: thing.md2, same_frame: true}\n    sampling: {frames: all}\n");
    expect_frame(&one, 1, 0, 0, 0);
    expect_frame(&one, 1, 0, 1, 1);
    expect_frame(&one, 1, 1, 0, 2);
    close_one(&one);
}

TEST(same_frame_shows_the_keyframes_of_what_an_attachment_hangs_on)
{
    struct one one = open_one("thing.md2", "    attach:\n"
                                           "      - {name: rider, model: thing.md2, animation: hop}\n"
                                           "      - {name: gun, to: rider, model: thing.md2, same_frame: true}\n"
                                           "      - {name: sight, to: gun, model: thing.md2, same_frame: true}\n");
    expect_frame(&one, 2, 0, 0, 2);
    expect_frame(&one, 3, 0, 0, 2);
    close_one(&one);
    expect_failure(
        "thing.md2",
        "    attach:\n"
        "      - {name: rider, model: thing.md2, animation: hop}\n"
        "      - {name: gun, to: rider, model: tool.md2, same_frame: true}\n"
        "    animations: [run]\n",
        "attachment 'gun': `same_frame` of animation 'hop': its keyframes 2-2, but models/tool.md2 has 0-1");
}

TEST(same_frame_needs_the_frames_that_are_shown)
{
    expect_failure("thing.md2", "    attach: {model: tool.md2, same_frame: true}\n",
                   "`same_frame` of animation 'hop': its keyframes 2-2, but models/tool.md2 has 0-1");
    struct one one =
        open_one("thing.md2", "    attach: {model: tool.md2, same_frame: true}\n    animations: [run]\n");
    close_one(&one);
    expect_failure("plate.md5mesh", "    attach: {model: tool.md2, same_frame: true}\n",
                   "`same_frame` needs two models with keyframes of their own, and models/plate.md5mesh has none");
    expect_failure("thing.md2", "    attach: {model: plate.md5mesh, same_frame: true}\n",
                   "and models/plate.md5mesh has none");
}

TEST(a_clip_of_an_attachment_plays_at_the_samples_time_and_loops)
{
    struct one one =
        open_one("thing.md2", "    attach: {model: thing.md2, animation: RUN}\n"
                              "    animations: [{name: long, frames: 0-2, sampling: {times: [0, 0.1, 0.2]}}]\n");
    expect_frame(&one, 1, 0, 0, 0);
    expect_frame(&one, 1, 0, 1, 1);
    expect_frame(&one, 1, 0, 2, 0);
    close_one(&one);
}

TEST(an_attachment_may_take_its_clip_from_a_file)
{
    struct one one = open_one("thing.md2", "    attach: {model: plate.md5mesh, animation: {file: walk.md5anim}}\n"
                                           "    animations: [{name: run, sampling: {times: [0.1]}}]\n");
    assert_string_equal(one.plan->parts[1].clip->name, "walk");
    expect_frame(&one, 1, 0, 0, 2); /* 0.1 s at 24 Hz are 2.4 frames */
    close_one(&one);
}

TEST(a_clip_that_an_attachment_lacks_fails)
{
    expect_failure("thing.md2", "    attach: {model: tool.md2, animation: wagg}\n",
                   "attachment 'tool': models/tool.md2: no animation 'wagg', did you mean 'wag'? (it has wag)");
    expect_failure("thing.md2", "    attach: {model: tool.md2, animation: {file: walk.md5anim}}\n",
                   "models/tool.md2 holds its animations itself, so `file` cannot add one");
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

static struct fixture new_wardrobe(void)
{
    struct fixture fixture = new_fixture();
    static const char *const names[] = {"models/thing/skin.png", "models/thing/other.png", "red.png",
                                        "models/burnt.tga",      "models/plate_skin.tga",  "models/tool.png"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fixture_add_text(&fixture, names[i], "");
    fixture_add_text(&fixture, "skins/plate.skin",
                     "skin plates/burnt { models/plate_skin models/burnt }\nskin plates/plain { a b }\n");
    return fixture;
}

static void check_diffuse(const char *model, const char *keys, const char *wanted)
{
    struct one one = open_in(new_wardrobe(), model, keys);
    assert_int_equal(one.plan->parts[0].outfit_count, 1);
    assert_null(one.plan->parts[0].outfits[0].name);
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program, wanted);
    close_one(&one);
}

TEST(all_skins_are_a_set_of_cells_each)
{
    struct one one = open_in(new_wardrobe(), "thing.md2", "    skins: all\n    sampling: {frames: all}\n");
    const struct part *part = &one.plan->parts[0];
    assert_int_equal(one.plan->parts[0].outfit_count, 2);
    assert_string_equal(part->outfits[0].name, "skin");
    assert_string_equal(part->outfits[1].name, "other");
    assert_string_equal(part->outfits[1].looks[0].pictures[PICTURE_DIFFUSE].program, "models/thing/other.png");
    const struct sheet_plan *sheet = &one.plan->sheets[0];
    static const struct cell wanted[] = {{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0},
                                         {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 1, 0, 0}};
    assert_int_equal(sheet->layout.cell_count, 6);
    assert_memory_equal(sheet->cells, wanted, sizeof wanted);
    close_one(&one);
}

TEST(skins_of_one_name_are_told_apart)
{
    static const char *const skins[] = {"a/red.pcx", "b/RED.pcx", ".red"};
    struct fixture fixture = new_fixture();
    struct md2_spec spec = md2_named_frames((const char *const[]){"a1"}, 1);
    spec.skins = skins;
    spec.skin_count = 3;
    fixture_add_md2(&fixture, "models/reds.md2", &spec);
    struct one one = open_in(fixture, "reds.md2", "    skins: all\n");
    assert_string_equal(one.plan->parts[0].outfits[0].name, "red");
    assert_string_equal(one.plan->parts[0].outfits[1].name, "RED_2");
    assert_string_equal(one.plan->parts[0].outfits[2].name, "red_3");
    close_one(&one);
}

/* It is the first of so many. */
static void expect_no_list_warning(const struct one *one, const char *model, size_t count)
{
    char *wanted = must_printf(
        "list.yaml:8:12: `skins: all`: %s has no list of skins and is drawn once, as 'default'", model);
    assert_int_equal(one->plan->warnings.count, count);
    const char *found = one->plan->warnings.items[0];
    assert_non_null(strstr(found, wanted));
    free(wanted);
}

TEST(all_skins_of_a_model_without_a_list_are_what_is_found_with_a_warning)
{
    struct one one = open_in(new_wardrobe(), "tool.md2", "    skins: all\n");
    assert_int_equal(one.plan->parts[0].outfit_count, 1);
    assert_string_equal(one.plan->parts[0].outfits[0].name, "default");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/tool.png");
    expect_no_list_warning(&one, "models/tool.md2", 2); /* and one of the guess */
    close_one(&one);
    one = open_in(new_wardrobe(), "plate.md5mesh", "    skins: all\n    animations: []\n");
    assert_string_equal(one.plan->parts[0].outfits[0].name, "default");
    expect_no_list_warning(&one, "models/plate.md5mesh", 1);
    close_one(&one);
}

TEST(a_skin_is_chosen)
{
    fact("a skin is chosen by its number");
    check_diffuse("thing.md2", "    skin: 0\n", "models/thing/skin.png");
    check_diffuse("thing.md2", "    skin: 1\n", "models/thing/other.png");
    expect_failure_in(new_wardrobe(), "thing.md2", "    skin: 2\n",
                      "list.yaml:8:11: models/thing.md2: no skin 2, counted from 0 (it has 2 skins: "
                      "models/thing/skin.pcx, "
                      "models/thing/other.pcx)");
    expect_failure_in(new_wardrobe(), "plate.md5mesh", "    skin: 0\n",
                      "no skin 0, counted from 0 (it has 0 skins)");
    fact("a skin is chosen by its name");
    check_diffuse("thing.md2", "    skin: Other\n", "models/thing/other.png");
    expect_failure_in(
        new_wardrobe(), "thing.md2", "    skin: othr\n",
        "list.yaml:8:11: models/thing.md2: no skin 'othr', and no file of that name (it has 2 skins: ");
    fact("a declared skin puts its materials on shaders");
    check_diffuse("plate.md5mesh", "    skin: skins/plate.skin#plates/burnt\n", "models/burnt.tga");
    check_diffuse("plate.md5mesh", "    skin: skins/plate.skin#Plates/Plain\n", "models/plate_skin.tga");
    expect_failure_in(new_wardrobe(), "plate.md5mesh", "    skin: skins/plate.skin#plates/burn\n",
                      "list.yaml:8:11: models/plate.md5mesh: ");
    expect_failure_in(
        new_wardrobe(), "thing.md2", "    skin: skins/plate.skin#plates/burnt\n",
        "list.yaml:8:11: models/thing.md2: skin 'plates/burnt' changes shaders, and this model has none");
}

TEST(an_attachment_wears_its_own)
{
    struct one one = open_in(new_wardrobe(), "thing.md2",
                             "    skin: 1\n"
                             "    attach: [{model: tool.md2}, {name: red, model: thing.md2, skin: red.png},\n"
                             "             {model: thing.md2}]\n");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/thing/other.png");
    assert_string_equal(one.plan->parts[1].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/tool.png");
    assert_string_equal(one.plan->parts[2].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program, "red.png");
    assert_string_equal(one.plan->parts[3].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/thing/skin.png");
    close_one(&one);
}

/* -- Declarations ------------------------------------------------------------------------------------------ */

/* A plate with a skin and an offset, that walks in two ways and stands. */
static struct fixture new_declarations(const char *extra)
{
    struct fixture fixture = new_wardrobe();
    char *text = must_printf("model plate_man {\n"
                             "    mesh models/plate.md5mesh\n"
                             "    skin plates/burnt\n"
                             "    offset ( 0 0 4 )\n"
                             "    anim walk models/walk.md5anim\n"
                             "    anim walk1 models/walk.md5anim { frame 2 sound_step }\n"
                             "    anim stand models/walk.md5anim\n"
                             "%s}\n",
                             extra);
    fixture_add_text(&fixture, "def/plates.def", text);
    free(text);
    return fixture;
}

/* A job of the declaration, with these keys. */
static struct one open_declared(const char *keys)
{
    struct one one = {.fixture = new_declarations("")};
    struct error err;
    char *text = must_printf("jobs:\n  - name: it\n    model: def:plate_man\n    cameras: [front]\n%s", keys);
    fixture_load(&one.fixture, text);
    fixture_open_assets(&one.fixture);
    free(text);
    one.plan = fixture_plan(&one.fixture, 0);
    assert_int_equal(scene_init(&one.scene, one.plan, true, &err), 0);
    return one;
}

static void expect_takes(const struct plan *plan, const char *wanted)
{
    char text[256] = "";
    for (size_t i = 0; i < plan->take_count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", i ? " " : "", plan->takes[i].name);
    }
    assert_string_equal(text, wanted);
}

static void check_declared_takes(const char *keys, const char *wanted)
{
    struct one one = open_declared(keys);
    expect_takes(one.plan, wanted);
    close_one(&one);
}

TEST(a_declaration_gives_mesh_skin_and_offset)
{
    struct one one = open_declared("    attach: {model: models/tool.md2, at: origin}\n    animations: []\n");
    assert_string_equal(one.plan->parts[0].file.path, "models/plate.md5mesh");
    assert_string_equal(one.plan->parts[0].outfits[0].looks[0].pictures[PICTURE_DIFFUSE].program,
                        "models/burnt.tga");
    scene_pose(&one.scene, 0, 0);
    expect_place(&one, 0, (vec3){1, 2, 3}, (vec3){1, 2, 7});
    expect_place(&one, 1, (vec3){0, 0, 0}, (vec3){1, 2, 3 + 4}); /* the joint moves along */
    close_one(&one);
}

static void expect_declared_failure(const char *extra, const char *name, const char *keys, const char *part)
{
    struct fixture fixture = new_declarations(extra);
    struct plan *plan;
    struct error err = {""};
    char *text = must_printf("jobs:\n  - name: it\n    model: def:%s\n    cameras: [front]\n%s", name, keys);
    fixture_load(&fixture, text);
    fixture_open_assets(&fixture);
    free(text);
    assert_int_equal(plan_open(NULL, fixture.assets, &fixture.list->jobs[0], &plan, &err), -1);
    assert_message(&err, part);
    fixture_release(&fixture);
}

TEST(declared_animations_are_takes)
{
    fact("the animations of a declaration are takes");
    check_declared_takes("", "walk walk1 stand");
    check_declared_takes("    animations: ['*']\n", "walk walk1 stand");
    check_declared_takes("    animations: [stand, walk1]\n", "stand walk1");
    check_declared_takes("    animations: [stand, '*']\n", "stand walk walk1");
    check_declared_takes("    animations: []\n", "bind");
    fact("the name of variants takes all of them");
    check_declared_takes("    animations: [Walk]\n", "walk walk1");
    fact("a job may add files to a declaration");
    check_declared_takes("    animations: [{name: hop, file: models/walk.md5anim}, stand]\n", "hop stand");
    fact("what a declaration lacks fails its job");
    expect_declared_failure("", "plate_men", "", "plate_men");
    expect_declared_failure("", "plate_man", "    animations: [wlk]\n",
                            "def:plate_man: no animation 'wlk', did you mean 'walk'? (it has walk, walk1, stand)");
    expect_declared_failure(
        "    anim fall models/fall.md5anim\n", "plate_man", "",
        "models/fall.md5anim: no such file in the assets (def:plate_man: def/plates.def:1: animation 'fall')");
    expect_declared_failure("    mesh models/gone.md5mesh\n", "plate_man", "",
                            "models/gone.md5mesh: no such file in the assets (def/plates.def:1)");
}

/* What a declaration calls its animations becomes a part of file names. */
TEST(names_of_declared_animations_are_safe)
{
    struct one one = {.fixture = new_declarations("    anim \"../out\" models/walk.md5anim\n")};
    fixture_load(&one.fixture, "jobs:\n  - {name: it, model: 'def:plate_man', cameras: [front]}\n");
    fixture_open_assets(&one.fixture);
    one.plan = fixture_plan(&one.fixture, 0);
    for (size_t i = 0; i < one.plan->take_count; i++)
        assert_null(strchr(one.plan->takes[i].name, '/'));
    close_one(&one);
}

/* -- Skeletons --------------------------------------------------------------------------------------------- */

static void expect_joint(const struct one *one, size_t part, uint32_t joint, const vec3 wanted)
{
    vec3 found;
    struct posed_part *posed = &one->scene.parts[part];
    glm_mat4_mulv3(posed->to_world, posed->joint_to_model[joint][3], 1, found);
    for (int i = 0; i < 3; i++)
        assert_float_equal(found[i], wanted[i], 1e-4);
}

TEST(joints_of_an_attachment_are_where_it_hangs)
{
    struct one one = open_one("thing.md2", "    passes: [skeleton]\n"
                                           "    attach: {model: plate.md5mesh, at: tag_hand, scale: 2}\n");
    scene_pose(&one.scene, 1, 0);
    expect_joint(&one, 1, 1, (vec3){2, 4, 8 + 26}); /* the upper arm, at (1, 2, 13) of the plate */
    close_one(&one);
}

TEST(joints_of_an_attachment_move_with_its_animation)
{
    struct one one =
        open_one("plate.md5mesh",
                 "    passes: [skeleton]\n"
                 "    root_motion: keep\n"
                 "    attach: {model: plate.md5mesh, offset: [0, 0, 50], animation: {file: walk.md5anim}}\n"
                 "    animations: [{file: walk.md5anim, sampling: {frames: all}}]\n");
    static const float x[] = {1, 3, -2};
    for (uint32_t i = 0; i < 3; i++) {
        scene_pose(&one.scene, 0, i);
        expect_joint(&one, 0, 0, (vec3){x[i], 2, 3});
        expect_joint(&one, 1, 0, (vec3){x[i], 2, 53});
    }
    close_one(&one);
}

/* -- Boxes ------------------------------------------------------------------------------------------------- */

TEST(the_box_holds_all_parts_where_they_are)
{
    struct one one = open_one("thing.md2", "    attach: {model: thing.md2, offset: [0, -20, 0], scale: 2}\n");
    scene_pose(&one.scene, 0, 0);
    static const vec3 wanted[2] = {{0, -20, 0}, {20, 10, 20}};
    vec3 box[2];
    assert_true(scene_box(&one.scene, box));
    for (int i = 0; i < 6; i++)
        assert_float_equal(box[i / 3][i % 3], wanted[i / 3][i % 3], 1e-5);
    close_one(&one);
}
