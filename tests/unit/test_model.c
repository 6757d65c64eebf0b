#include "md2_builder.h"

#include "format/formats.h"
#include "test.h"

static struct model *new_model(void)
{
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    struct blob blob = md2_build(&spec);
    struct model *model = NULL;
    struct error err;

    assert_int_equal(model_load(blob_bytes(&blob), NULL, &model, &err), 0);
    blob_release(&blob);
    return model;
}

static void check_unknown(const char *bytes, size_t size)
{
    struct model *model = NULL;
    struct error err;

    assert_int_equal(model_load((struct bytes){(const uint8_t *)bytes, size}, NULL, &model, &err), -1);
    assert_non_null(strstr(err.text, "not a model file: known are MD2 (starts with \"IDP2\"), "));
    assert_non_null(strstr(err.text, "MD5 (starts with \"MD5Version\")"));
    assert_non_null(strstr(err.text, ", and by their suffixes .3d .3ds "));
    assert_string_equal(err.text + strlen(err.text) - strlen(" .zae .zgl"), " .zae .zgl");
    assert_null(model);
}

TEST(models_and_clips_are_found)
{
    fact("a format is recognised by content");
    struct model *model = new_model();
    assert_ptr_equal(model->format, &md2_format);
    model_free(model);
    fact("other files are named as such");
    check_unknown("IDPX", 4);
    check_unknown("\x89PNG\r\n\x1a\n", 8);
    fact("an empty file is named as such");
    struct model *none = NULL;
    struct error err;
    assert_int_equal(model_load((struct bytes){0}, NULL, &none, &err), -1);
    assert_string_equal(err.text, "the file is empty");
    fact("freeing nothing is fine");
    struct mesh mesh = {0};
    model_free(NULL);
    mesh_release(&mesh);
    fact("used points are ascending and once each");
    model = new_model();
    assert_int_equal(model->used_point_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(model->used_points[i], i);
    model_free(model);
    fact("clips are found by their exact name");
    model = new_model();
    assert_ptr_equal(model_find_clip(model, "run"), &model->clips[0]);
    assert_ptr_equal(model_find_clip(model, "hop"), &model->clips[1]);
    assert_null(model_find_clip(model, "Run"));
    assert_null(model_find_clip(model, ""));
    model_free(model);
    fact("a taken clip name gets a number");
    model = new_model();
    for (int i = 0; i < 20; i++)
        model_add_clip(model, &(struct clip){.name = model_unique_clip_name(model, "run"), .frame_count = 1});
    assert_int_equal(model->clip_count, 22);
    assert_string_equal(model->clips[2].name, "run_2");
    assert_string_equal(model->clips[21].name, "run_21");
    assert_string_equal(model_unique_clip_name(model, "jump"), "jump");
    model_free(model);
    fact("a name given for a clip is copied");
    model = new_model();
    char name[] = "jump";
    const char *unique = model_unique_clip_name(model, name);
    name[0] = 'x';
    assert_string_equal(unique, "jump");
    model_free(model);
    fact("animations are copied in order");
    model = new_model();
    for (uint32_t i = 0; i < 20; i++)
        model_add_animation_entry(model, &(struct animation){.name = "more", .frame_count = i, .rate_hz = 24});
    assert_int_equal(model->animation_count, 21);
    assert_int_equal(model->animations[20].frame_count, 19);
    model_free(model);
}

TEST(a_mesh_has_room_for_every_point)
{
    struct model *model = new_model();
    struct mesh mesh;
    struct error err;

    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    assert_int_equal(mesh.point_count, 4);
    assert_non_null(mesh.positions);
    assert_non_null(mesh.normals);
    mesh_release(&mesh);
    assert_null(mesh.positions);
    model_free(model);
}

TEST(a_pose_depends_on_nothing_before_it)
{
    struct model *model = new_model();
    struct mesh fresh, used;
    struct error err;
    struct pose pose = {.moment = {.frame_a = 0, .frame_b = 1, .blend = 0.5}};
    struct pose other = {.moment = {.frame_a = 2, .frame_b = 2}};

    assert_int_equal(mesh_init(&fresh, model, &err), 0);
    assert_int_equal(mesh_init(&used, model, &err), 0);
    model_pose(model, &pose, &fresh);
    model_pose(model, &other, &used);
    model_pose(model, &pose, &used);
    assert_memory_equal(used.positions, fresh.positions, 4 * sizeof(vec3));
    assert_memory_equal(used.normals, fresh.normals, 4 * sizeof(vec3));
    mesh_release(&fresh);
    mesh_release(&used);
    model_free(model);
}
