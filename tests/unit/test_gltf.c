#include <math.h>
#include <meshoptimizer.h>

#include "asset_tree.h"
#include "gltf_builder.h"
#include "model/rig.h"
#include "models.h"

/* A triangle that looks along +Z, a quad with numbers of other kinds, and a bent plate on two joints. */
static const struct {
    float triangle[3][3];  /*   0 */
    uint16_t indices[4];   /*  36 */
    int16_t shorts[4][4];  /*  44: stride 8 */
    uint8_t joints[4][4];  /*  76 */
    float weights[4][4];   /*  92 */
    float times_s[3];      /* 156 */
    float turns[3][4];     /* 168 */
    float moved[3];        /* 216 */
    uint8_t corner[4];     /* 228 */
    float inverses[2][16]; /* 232 */
} data = {
    {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}},
    {0, 1, 2, 0},
    {{-32767, 0, 0}, {32767, 0, 0}, {-32767, 32767, 0}, {32767, 16384, 0}},
    {{0, 1, 9, 9}, {0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}},
    {{3, 1, 0, 0}, {0.5f, 0.5f, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}},
    {0.5f, 1, 2},
    {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}},
    {5, 6, 7},
    {2},
    {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
};

#define VIEWS                                                                                                     \
    "\"buffers\":[{\"byteLength\":360}],\"bufferViews\":["                                                        \
    "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":8},"                         \
    "{\"buffer\":0,\"byteOffset\":44,\"byteLength\":32,\"byteStride\":8},"                                        \
    "{\"buffer\":0,\"byteOffset\":76,\"byteLength\":16},{\"buffer\":0,\"byteOffset\":92,\"byteLength\":64},"      \
    "{\"buffer\":0,\"byteOffset\":156,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":168,\"byteLength\":48},"    \
    "{\"buffer\":0,\"byteOffset\":216,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":228,\"byteLength\":1},"     \
    "{\"buffer\":0,\"byteOffset\":232,\"byteLength\":128}]"
#define ACCESSORS                                                                                                 \
    "\"accessors\":["                                                                                             \
    "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},"                                    \
    "{\"bufferView\":1,\"componentType\":5123,\"type\":\"SCALAR\",\"count\":3},"                                  \
    "{\"bufferView\":2,\"componentType\":5122,\"type\":\"VEC3\",\"count\":4,\"normalized\":true},"                \
    "{\"bufferView\":3,\"componentType\":5121,\"type\":\"VEC4\",\"count\":4},"                                    \
    "{\"bufferView\":4,\"componentType\":5126,\"type\":\"VEC4\",\"count\":4},"                                    \
    "{\"bufferView\":5,\"componentType\":5126,\"type\":\"SCALAR\",\"count\":3},"                                  \
    "{\"bufferView\":6,\"componentType\":5126,\"type\":\"VEC4\",\"count\":3},"                                    \
    "{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"sparse\":{\"count\":1,"             \
    "\"indices\":{\"bufferView\":8,\"componentType\":5121},\"values\":{\"bufferView\":7}}},"                      \
    "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},"                                                     \
    "{\"bufferView\":9,\"componentType\":5126,\"type\":\"MAT4\",\"count\":2}]"

static const char triangle[] =
    VIEWS "," ACCESSORS
          ",\"meshes\":[{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
          "\"nodes\":[{\"mesh\":0}]";

static const char skinned[] = VIEWS
    "," ACCESSORS
    ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"mode\":5}]}],"
    "\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":\"a\",\"children\":[2]},{\"name\":\"b\"}],"
    "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":9}],"
    "\"animations\":[{\"name\":\"turn\",\"samplers\":[{\"input\":5,\"output\":6}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}]";

static struct model *load(const char *body)
{
    struct error err;
    struct model *model = load_glb(body, &data, sizeof data, &err);
    if (!model)
        fail_msg("%s", err.text);
    return kept(model);
}

static struct model *load_changed(const char *body, const char *old, const char *new)
{
    char *text = changed(body, old, new);
    struct model *model = load(text);
    free(text);
    return model;
}

static void assert_rejects(const char *body, const char *old, const char *new, const char *message)
{
    struct error err;
    char *text = changed(body, old, new);
    struct model *model = load_glb(text, &data, sizeof data, &err);
    free(text);
    if (model)
        fail_msg("loaded with '%s' in place of '%s'", new, old);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
}

static void assert_tells(const struct model *model, const char *what)
{
    for (size_t i = 0; i < model->oddities.count; i++)
        if (strstr(model->oddities.items[i], what))
            return;
    fail_msg("nothing of %zu oddities says '%s'", model->oddities.count, what);
}

static void assert_point(const struct model *model, int32_t animation, uint32_t point, float x, float y, float z)
{
    struct mesh mesh = posed(model, (struct pose){.animation = animation});
    const float *at = mesh.positions[point];
    if (fabsf(at[0] - x) + fabsf(at[1] - y) + fabsf(at[2] - z) > 1e-5f)
        fail_msg("point %u is at %g %g %g, not at %g %g %g", point, at[0], at[1], at[2], x, y, z);
}

TEST(z_becomes_forward_and_y_up)
{
    struct model *model = load(triangle);
    assert_string_equal(model->format->name, "glTF");
    assert_int_equal(model->oddities.count, 0);
    assert_int_equal(model->index_count, 3);
    assert_string_equal(model->surfaces[0].name, "tri");
    assert_point(model, -1, 0, 0, 0, 0);
    assert_point(model, -1, 1, 0, 1, 0);
    assert_point(model, -1, 2, 0, 0, 2);
    fact("front faces are clockwise, and the normal is +X");
    assert_int_equal(model->indices[1], 2);
    struct mesh mesh = posed(model, (struct pose){.animation = -1});
    assert_true(fabsf(mesh.normals[0][0] - 1) < 1e-6f);
}

TEST(a_file_is_recognised_by_its_content)
{
    static const struct {
        const char *text;
        bool is_gltf;
    } files[] = {
        {"{\"asset\":{}}", true},
        {"\xef\xbb\xbf \n{\"a\":[{\"b\":\"}\\\"\"}], \"asset\" : 1}", true},
        {"{\"a\":{\"asset\":1}}", false},
        {"{\"a\":\"\\\"asset\\\"\"}", false},
        {"[\"asset\"]", false},
        {"{\"asset", false},
        {"{\"\\", false},
        {"glTF", true},
        {"glT", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct bytes bytes = exact_copy(files[i].text, strlen(files[i].text));
        fact(files[i].text);
        assert_int_equal(model_format_of(bytes, NULL) == &gltf_format, files[i].is_gltf);
        free((void *)bytes.data);
    }
}

TEST(other_versions_are_rejected_with_their_number)
{
    static const char *const texts[][2] = {
        {"{\"asset\":{\"version\":\"1.0\"}}", "glTF 1.0 (only 2.0 is read"},
        {"{\"asset\":{},\"meshes\":{}}", "glTF 1.0 (only 2.0 is read"},
        {"{\"asset\":{\"version\":\"3.0\"}}", "version '3.0'"},
        {"{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", "version '2.1'"},
        {"{\"asset\":{\"version\":\"2.1\"}}", "no triangles"},
        {"{\"asset\":{\"version\":\"2.0\"", "the JSON cannot be read: line 1"},
        {"{\"asset\":{\"version\":\"2.0\"},\"nodes\":{}}", "nodes is not a list"},
        {"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[1]}", "nodes[0] is not an object"},
        {"glTF\1\0\0\0\24\0\0\0\0\0\0\0\0\0\0\0", "GLB version 1"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error err;
        struct model *model;
        struct bytes bytes = {(const uint8_t *)texts[i][0], i == 8 ? 20 : strlen(texts[i][0])};
        assert_int_equal(model_load(bytes, NULL, &model, &err), -1);
        if (!strstr(err.text, texts[i][1]))
            fail_msg("'%s' is not in '%s'", texts[i][1], err.text);
    }
}

TEST(numbers_come_in_many_kinds)
{
    fact("normalized, with a stride");
    struct model *model = load_changed(triangle, "\"POSITION\":0},\"indices\":1", "\"POSITION\":2},\"mode\":4");
    assert_tells(model, "corners that make no whole triangle");
    assert_point(model, -1, 0, 0, -1, 0);
    assert_point(model, -1, 2, 0, -1, 1);
    fact("as they are");
    assert_point(load_changed(triangle, "\"POSITION\":0},\"indices\":1", "\"POSITION\":0},\"mode\":4"), -1, 2, 0,
                 0, 2);
    fact("sparse");
    assert_point(load_changed(triangle, "\"POSITION\":0", "\"POSITION\":7"), -1, 2, 7, 5, 6);
    fact("zeros");
    assert_point(load_changed(triangle, "\"POSITION\":0", "\"POSITION\":8"), -1, 2, 0, 0, 0);
}

TEST(strips_and_fans_become_triangles)
{
    static const struct {
        const char *mode;
        uint32_t corners[6];
    } modes[] = {{"5", {0, 1, 2, 1, 3, 2}}, {"6", {1, 2, 0, 2, 3, 0}}};
    for (int i = 0; i < 2; i++) {
        char *change = must_printf("\"POSITION\":2},\"mode\":%s", modes[i].mode);
        struct model *model = load_changed(triangle, "\"POSITION\":0},\"indices\":1", change);
        struct mesh mesh = posed(model, (struct pose){.animation = -1});
        assert_int_equal(model->index_count, 6);
        for (int k = 0; k < 6; k++) {
            /* Each triangle is turned round, and has points of its own. */
            const float *at = mesh.positions[model->indices[k / 3 * 3 + (3 - k % 3) % 3]];
            const int16_t *from = data.shorts[modes[i].corners[k]];
            assert_true(fabsf(at[1] - from[0] / 32767.0f) < 1e-6f && fabsf(at[2] - from[1] / 32767.0f) < 1e-6f);
        }
        free(change);
    }
    struct error err;
    char *lines = changed(triangle, "\"indices\":1", "\"mode\":1");
    assert_null(load_glb(lines, &data, sizeof data, &err));
    free(lines);
}

TEST(broken_numbers_are_rejected)
{
    static const struct {
        const char *old, *new, *message;
    } changes[] = {
        {"\"bufferView\":0", "\"bufferView\":10",
         "mesh 0: primitive 0: POSITION: accessor 0: bufferView is 10, but there are 10"},
        {"\"bufferView\":0", "\"bufferView\":-1", "bufferView is not a whole number"},
        {"\"bufferView\":0", "\"bufferView\":1.5", "bufferView is not a whole number"},
        {"\"count\":3", "\"count\":4", "4 elements at 0 run past the end of bufferView 0 (36 bytes)"},
        {"\"count\":3", "\"count\":0", "accessor 0: count is 0"},
        {"\"count\":3", "\"count\":4294967295", "count is 4294967295"},
        {"\"count\":3", "\"byteOffset\":4294967295,\"count\":3", "run past the end of bufferView 0"},
        {"\"componentType\":5126", "\"componentType\":5124", "componentType is 5124"},
        {"\"componentType\":5123", "\"componentType\":5126", "indices: accessor 1: 3 elements"},
        {"\"componentType\":5123", "\"componentType\":5122",
         "componentType is 5122, where whole numbers are needed"},
        {"VEC3", "MAT3", "type is 'MAT3'"},
        {"VEC3", "VEC2", "accessor 0 has 2 numbers in an element, where 3 are needed"},
        {"\"byteLength\":360", "\"byteLength\":361", "buffer 0: byteLength is 361, but there are 360 bytes"},
        {"\"byteLength\":36}", "\"byteLength\":36,\"byteStride\":8}", "elements of 12 bytes with a stride of 8"},
        {"\"byteLength\":36}", "\"byteLength\":361}", "bufferView 0: 361 bytes at 0 run past the end of buffer 0"},
        {"\"buffer\":0", "\"buffer\":1", "buffer is 1, but there are 1"},
        {"\"indices\":1", "\"indices\":10", "indices is 10, but there are 10"},
        {"\"indices\":1", "\"mode\":7", "mode is 7"},
        {"\"POSITION\":0}", "\"POSITION\":0,\"NORMAL\":2}", "NORMAL: 4 elements, but POSITION has 3"},
        {"\"mesh\":0", "\"mesh\":1", "node 0: mesh is 1, but there are 1"},
        {"\"POSITION\":0}", "\"POSITION\":0,\"COLOR_0\":5}", "COLOR_0 has 1 numbers"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_rejects(triangle, changes[i].old, changes[i].new, changes[i].message);
    fact("indices");
    struct error err;
    char copy[sizeof data];
    memcpy(copy, &data, sizeof data);
    copy[40] = 3;
    assert_null(load_glb(triangle, copy, sizeof copy, &err));
    assert_non_null(strstr(err.text, "index 2 is 3 of 3 points"));
    fact("floats");
    memcpy(copy, &data, sizeof data);
    memcpy(copy + 4, &(float){NAN}, 4);
    assert_null(load_glb(triangle, copy, sizeof copy, &err));
    assert_non_null(strstr(err.text, "POSITION: accessor 0: number 1 is nan"));
    fact("sparse");
    assert_rejects(triangle, "\"POSITION\":0},\"indices\":1", "\"POSITION\":7},\"indices\":11", "indices is 11");
    char *sparse = changed(triangle, "\"POSITION\":0", "\"POSITION\":7");
    assert_rejects(sparse, "\"sparse\":{\"count\":1", "\"sparse\":{\"count\":4", "sparse: count is 4 of 3");
    assert_rejects(sparse, "\"bufferView\":8,\"componentType\":5121", "\"bufferView\":1,\"componentType\":5126",
                   "componentType of its indices is 5126");
    assert_rejects(sparse, "\"bufferView\":8,\"componentType\":5121", "\"bufferView\":8,\"componentType\":-1e30",
                   "sparse: componentType is not a whole number");
    free(sparse);
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

static void assert_nodes(const char *nodes, const char *message)
{
    assert_rejects(triangle, "\"nodes\":[{\"mesh\":0}]", nodes, message);
}

TEST(nodes_form_a_tree)
{
    assert_nodes("\"nodes\":[{\"mesh\":0,\"children\":[1]},{\"children\":[0]}]", "node 0 is below itself");
    assert_nodes("\"nodes\":[{\"mesh\":0},{\"children\":[2]},{\"children\":[1]}]", "is below itself");
    assert_nodes("\"nodes\":[{\"children\":[2]},{\"children\":[2]},{\"mesh\":0}]",
                 "node 2 is a child of node 0 and of node 1");
    assert_nodes("\"nodes\":[{\"children\":[2,2]},{},{\"mesh\":0}]", "node 2 is a child of node 0 and of node 0");
    assert_nodes("\"nodes\":[{\"mesh\":0,\"children\":[1]}]", "node 0: child 0 is not a node; there are 1");
    assert_nodes("\"nodes\":[{\"mesh\":0,\"matrix\":[0]}]", "matrix is not a list of 16 numbers");
    assert_nodes("\"nodes\":[{\"mesh\":0,\"rotation\":[0,0,0,0]}]", "rotation is four zeros");
    assert_nodes("\"nodes\":[{\"mesh\":0,\"translation\":[0,1e10,0]}]",
                 "translation[1] is not a number up to 1e+09");
}

TEST(a_node_without_a_name_is_called_by_its_number)
{
    struct model *model =
        load_changed(triangle, "\"nodes\":[{\"mesh\":0}]",
                     "\"nodes\":[{\"mesh\":0},{\"name\":\"arm\",\"children\":[0]},{\"name\":\"\"}]");
    static const char *const names[] = {"arm", "node_0", "node_2"};
    assert_int_equal(model->joint_count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(model->joints[i].name, names[i]);
    fact("what it draws is called as the mesh is");
    assert_string_equal(model->surfaces[0].name, "tri");
}

TEST(a_chain_of_nodes_may_be_deep)
{
    for (int depth = MODEL_MOST_JOINTS; depth <= MODEL_MOST_JOINTS + 1; depth++) {
        struct buffer nodes = {0};
        struct error err;
        buffer_printf(&nodes, "\"nodes\":[");
        for (int i = 0; i < depth - 1; i++)
            buffer_printf(&nodes, "{\"translation\":[0,1,0],\"children\":[%d]},", i + 1);
        buffer_printf(&nodes, "{\"mesh\":0}]");
        char *text = changed(triangle, "\"nodes\":[{\"mesh\":0}]", nodes.text);
        struct model *model = load_glb(text, &data, sizeof data, &err);
        if (depth > MODEL_MOST_JOINTS)
            assert_non_null(strstr(err.text, "more than 65536 nodes in the scene"));
        else
            assert_point(kept(model), -1, 0, 0, 0, MODEL_MOST_JOINTS - 1);
        free(text);
        buffer_release(&nodes);
    }
}

TEST(a_scene_is_chosen)
{
    static const char nodes[] = "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"translation\":[0,0,3]},{\"children\":[1]}]";
    static const struct {
        const char *scenes;
        uint32_t joint_count, triangle_count;
    } cases[] = {
        {"", 3, 2},
        {",\"scenes\":[{\"nodes\":[2]},{\"nodes\":[0]}]", 2, 1},
        {",\"scenes\":[{\"nodes\":[2]},{\"nodes\":[0]}],\"scene\":1", 1, 1},
        {",\"scenes\":[{\"nodes\":[2,0]}]", 3, 2},
        {",\"scenes\":[{\"nodes\":[1]}]", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = must_printf("%s%s", nodes, cases[i].scenes);
        struct model *model = load_changed(triangle, "\"nodes\":[{\"mesh\":0}]", text);
        assert_int_equal(model->joint_count, cases[i].joint_count);
        assert_int_equal(model->index_count / 3, cases[i].triangle_count);
        free(text);
    }
    fact("of the caller's choice");
    static const struct {
        const char *wanted, *message;
    } choices[] = {
        {"0", NULL}, {"1", "no triangles"}, {"big one", NULL}, {"2", "no scene '2'"}, {"", "no scene ''"}};
    char *named =
        changed(triangle, "\"nodes\":[{\"mesh\":0}]",
                "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"name\":\"big one\",\"nodes\":[0]},{}],\"scene\":1");
    struct buffer glb = glb_of(named, &data, sizeof data);
    free(named);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct model *model = NULL;
        struct error err = {""};
        model_load((struct bytes){(const uint8_t *)glb.text, glb.length},
                   &(struct model_options){.scene = choices[i].wanted}, &model, &err);
        fact(choices[i].wanted);
        assert_int_equal(model == NULL, choices[i].message != NULL);
        assert_non_null(strstr(err.text, choices[i].message ? choices[i].message : ""));
        model_free(model);
    }
    buffer_release(&glb);
    assert_nodes("\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[1]}]",
                 "scene 0: node 0 is not a node; there are 1");
    assert_nodes("\"nodes\":[{\"mesh\":0}],\"scene\":0", "scene is 0, but there are 0");
    assert_nodes("\"nodes\":[{\"mesh\":0}],\"scenes\":[{}]", "no triangles");
}

/* A triangle in sight, one that is hidden with the one below it, and a clip that turns the hidden one on or off. */
static const char hidden_nodes[] =
    "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"translation\":[7,0,0],\"children\":[2],\"extensions\":"
    "{\"KHR_node_visibility\":{\"visible\":false}}},{\"mesh\":0,\"translation\":[0,5,0]}]";

TEST(a_hidden_node_is_not_drawn_and_takes_no_room)
{
    struct model *model = load_changed(triangle, "\"nodes\":[{\"mesh\":0}]", hidden_nodes);
    assert_int_equal(model->surface_count, 1);
    assert_int_equal(model->joint_count, 3);
    assert_int_equal(model->oddities.count + model->warnings.count, 0);
}

TEST(a_clip_shows_and_hides_nodes)
{
    static const char channel[] = "\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":"
                                  "{\"KHR_animation_pointer\":{\"pointer\":\"%s\"}}}}]";
    char *pointed = must_printf(channel, "/nodes/1/extensions/KHR_node_visibility/visible");
    /* At 0.5 s it is hidden, at 1 s shown, at 2 s hidden: the first numbers of the points. */
    char *nodes = must_printf(
        "%s,\"animations\":[{\"samplers\":[{\"input\":5,\"output\":10,\"interpolation\":\"STEP\"}],%s}]",
        hidden_nodes, pointed);
    char *with = changed(triangle, "\"nodes\":[{\"mesh\":0}]", nodes);
    char *text = changed(with, "\"count\":2}]",
                         "\"count\":2},{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,"
                         "\"type\":\"SCALAR\",\"count\":3}]");
    struct model *model = load(text);
    assert_int_equal(model->surface_count, 3);
    assert_int_equal(model->clip_count, 1);
    fact("hidden at rest: in the place of a point that is seen");
    assert_point(model, -1, 3, 0, 0, 0);
    assert_point(model, -1, 8, 0, 0, 0);
    for (uint32_t frame = 0; frame < 3; frame++) {
        struct mesh mesh = posed(model, (struct pose){.moment = {frame, frame, 0}});
        assert_true(mesh.positions[3][1] == (frame == 1 ? 7 : 0));
        assert_true(mesh.positions[8][2] == (frame == 1 ? 7 : 0));
    }
    free(text);
    fact("other pointers are left out, with a warning");
    text = changed(with, "nodes/1/extensions/KHR_node_visibility/visible", "materials/0/emissiveFactor");
    model = load(text);
    assert_tells(model, "animation of '/materials/0/emissiveFactor' is left out");
    assert_int_equal(model->warnings.count, 1);
    assert_non_null(strstr(model->warnings.items[0], "KHR_animation_pointer is not read"));
    assert_int_equal(model->surface_count, 1);
    free(text);
    free(with);
    free(nodes);
    free(pointed);
}

TEST(vrm_says_which_joints_a_person_has_and_looks_where_its_version_does)
{
    static const char nodes[] =
        "\"nodes\":[{\"mesh\":0},{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}],\"extensions\":{%s}";
    static const struct {
        const char *extension, *names[3];
        float y;
    } files[] = {
        {"\"VRM\":{\"humanoid\":{\"humanBones\":[{\"bone\":\"hips\",\"node\":1},{\"bone\":\"leftLowerArm\","
         "\"node\":2},"
         "{\"bone\":\"rightThumbProximal\",\"node\":3},{\"bone\":\"head\",\"node\":9},7,{\"bone\":\"jaw\","
         "\"node\":0}]}}",
         {"Hips", "LeftForeArm", "RightHandThumb1"},
         -1},
        {"\"VRMC_vrm\":{\"humanoid\":{\"humanBones\":{\"upperChest\":{\"node\":1},\"rightLittleDistal\":{\"node\":"
         "2},"
         "\"leftThumbProximal\":{\"node\":3},\"leftFoot\":7}}},\"VRM\":{}",
         {"Spine2", "RightHandPinky3", "LeftHandThumb2"},
         1},
        {"\"VRMC_vrm_animation\":{\"humanoid\":{\"humanBones\":{\"leftThumbMetacarpal\":{\"node\":1},"
         "\"rightToes\":{\"node\":2},"
         "\"left\":{\"node\":3}}}}",
         {"LeftHandThumb1", "RightToeBase", NULL},
         1},
        {"\"VRM\":{\"humanoid\":{\"humanBones\":7}},\"VRMC_vrm\":7", {NULL, NULL, NULL}, -1},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *change = must_printf(nodes, files[i].extension);
        struct model *model = load_changed(triangle, "\"nodes\":[{\"mesh\":0}]", change);
        fact(files[i].extension);
        for (int k = 0; k < 3; k++) {
            const char *name = model->rig->nodes[1 + k].standard;
            assert_true(name ? files[i].names[k] && !strcmp(name, files[i].names[k]) : !files[i].names[k]);
        }
        assert_null(model->rig->nodes[0].standard);
        assert_point(model, -1, 1, 0, files[i].y, 0);
        free(change);
    }
}

TEST(copies_of_a_mesh_are_nodes)
{
    static const char nodes[] =
        "\"nodes\":[{\"name\":\"tree\",\"mesh\":0,\"translation\":[0,0,1],\"extensions\":"
        "{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":0,\"_ODD\":77}}}},{\"name\":\"end\"}]";
    struct model *model = load_changed(triangle, "\"nodes\":[{\"mesh\":0}]", nodes);
    static const char *const names[] = {"tree", "tree_1", "tree_2", "tree_3", "end"};
    assert_int_equal(model->joint_count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(model->joints[i].name, names[i]);
    assert_int_equal(model->surface_count, 3);
    assert_int_equal(model->warnings.count, 0);
    assert_point(model, -1, 0, 1, 0, 0);
    assert_point(model, -1, 3, 1, 1, 0);
    assert_point(model, -1, 6, 1, 0, 2);
    char *turned = changed(nodes, "\"TRANSLATION\":0", "\"ROTATION\":6,\"SCALE\":0");
    model = load_changed(triangle, "\"nodes\":[{\"mesh\":0}]", turned);
    assert_point(model, -1, 5, 1, 0, 0); /* of size 0 along y, and turned */
    free(turned);
    fact("limits and mistakes");
    turned = changed(nodes, "\"TRANSLATION\":0", "\"TRANSLATION\":0,\"ROTATION\":4");
    assert_nodes(turned, "node 0: ROTATION of 4 copies, but there are 3");
    free(turned);
    turned = changed(nodes, "\"TRANSLATION\":0", "\"TRANSLATION\":5");
    assert_nodes(turned, "node 0: TRANSLATION of copies: accessor 5 has 1 numbers");
    free(turned);
    char *many = changed(triangle, "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}",
                         "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":9999999}");
    turned = changed(nodes, "\"TRANSLATION\":0", "\"TRANSLATION\":8");
    assert_rejects(many, "\"nodes\":[{\"mesh\":0}]", turned,
                   "nodes in the scene, with the copies of their meshes");
    free(turned);
    free(many);
}

TEST(a_mesh_counts_at_each_node_that_has_it)
{
    struct buffer parts = {0}, nodes = {0};
    buffer_printf(&parts, "\"primitives\":[{\"attributes\":{\"POSITION\":0}}");
    for (int i = 1; i < 200; i++)
        buffer_printf(&parts, ",{\"attributes\":{\"POSITION\":0}}");
    buffer_printf(&nodes, "\"nodes\":[{\"mesh\":0}");
    for (int i = 1; i < MODEL_MOST_JOINTS; i++)
        buffer_printf(&nodes, ",{\"mesh\":0}");
    buffer_printf(&nodes, "]");
    char *text = changed(triangle, "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}", parts.text);
    assert_rejects(text, "\"nodes\":[{\"mesh\":0}]", nodes.text, "more than 65536 parts of meshes");
    free(text);
    buffer_release(&parts);
    buffer_release(&nodes);
}

/* -- Skins and animations ----------------------------------------------------------------------------------- */

TEST(weights_become_a_sum_of_one_and_joints_turn_points)
{
    struct model *model = load(skinned);
    assert_int_equal(model->joint_count, 3);
    assert_int_equal(model->clip_count, 1);
    assert_string_equal(model->clips[0].name, "turn");
    assert_int_equal(model->clips[0].frame_count, 3);
    assert_true(fabs(model->clips[0].times_s[2] - 1.5) < 1e-6);
    fact("at rest the plate is where its points are");
    assert_point(model, -1, 0, 0, -1, 0);
    fact("joint b is turned half round: by weights of 3/4 and 1/4, 1/2 and 1/2, and 1");
    const struct pose half = {.animation = 0, .moment = {1, 1, 0}};
    struct mesh mesh = posed(model, half);
    const float *points[4];
    for (uint32_t i = 0; i < model->index_count; i++) {
        static const uint32_t corners[6] = {0, 2, 1, 1, 2, 3};
        points[corners[i]] = mesh.positions[model->indices[i]];
    }
    assert_true(fabsf(points[0][1] - -0.5f) < 1e-5f);
    assert_true(fabsf(points[1][1]) < 1e-5f);
    assert_true(fabsf(points[2][1] - 1) < 1e-5f && fabsf(points[2][2] + 1) < 1e-5f);
    fact("a point without weights stays with the first joint");
    assert_true(fabsf(points[3][1] - 1) < 1e-5f);
}

/* The sample with other weights of a point, and another time of the first key. */
static struct model *load_with(size_t point, const float weights[4], float time_s, struct error *err)
{
    char copy[sizeof data];
    memcpy(copy, &data, sizeof data);
    memcpy(copy + 92 + point * 16, weights, 16);
    memcpy(copy + 156, &time_s, 4);
    struct model *model = load_glb(skinned, copy, sizeof copy, err);
    return model ? kept(model) : NULL;
}

/* FBX2glTF writes four NaN for a point that hangs on nothing. */
TEST(weights_that_are_not_finite_count_as_zero)
{
    struct error err = {""};
    struct model *whole = load(skinned), *model = load_with(3, (float[]){NAN, NAN, NAN, NAN}, 0.5f, &err);
    if (!model)
        fail_msg("%s", err.text);
    fact("so the point hangs on the first joint, as one of four zeros");
    const struct pose half = {.animation = 0, .moment = {1, 1, 0}};
    struct mesh wanted = posed(whole, half), got = posed(model, half);
    assert_memory_equal(got.positions, wanted.positions, wanted.point_count * sizeof(vec3));
    assert_int_equal(model->warnings.count, 1);
    assert_string_equal(model->warnings.items[0], "weights that are not finite count as 0");
    fact("and the other weights of a point count");
    model = load_with(2, (float[]){0.25f, INFINITY, NAN, 0}, 0.5f, &err);
    assert_non_null(model);
    got = posed(model, half);
    assert_memory_equal(got.positions, wanted.positions, wanted.point_count * sizeof(vec3));
    fact("a file without such weights has no warning, and other numbers have to be finite");
    assert_int_equal(whole->warnings.count, 0);
    assert_null(load_with(2, (float[]){2e9f, 0, 0, 0}, 0.5f, &err));
    assert_non_null(strstr(err.text, "WEIGHTS_0: accessor 4: number 8 is 2e+09"));
    assert_null(load_with(2, (float[]){1, 0, 0, 0}, NAN, &err));
    assert_non_null(strstr(err.text, "accessor 5: number 0 is nan"));
}

TEST(keys_before_0_are_at_0)
{
    struct error err = {""};
    struct model *model = load_with(2, (float[]){1, 0, 0, 0}, -0.25f, &err);
    if (!model)
        fail_msg("%s", err.text);
    assert_int_equal(model->clips[0].frame_count, 3);
    assert_true(fabs(model->clips[0].times_s[2] - 2) < 1e-6);
    assert_tells(model, "keys of an animation before 0 seconds count as at 0");
}

TEST(broken_skins_and_animations_are_rejected)
{
    static const struct {
        const char *old, *new, *message;
    } changes[] = {
        {"\"skin\":0", "\"skin\":1", "node 0: skin is 1, but there are 1"},
        {"\"joints\":[1,2]", "\"joints\":[1]", "mesh 0 names joint 1 of the 1 of skin 0"},
        {"\"joints\":[1,2]", "\"joints\":[1,3]", "skin 0: joint 1 is not a node; there are 3"},
        {"\"joints\":[1,2]", "\"joints\":[1,2,0]", "skin 0: 2 inverse bind matrices for 3 joints"},
        {"\"input\":5", "\"input\":10", "animation 0: channel 0: input is 10"},
        {"\"input\":5", "\"output\":6", "the sampler has no input"},
        {"\"output\":6", "\"output\":0", "accessor 0 has 3 numbers in an element, where 4 are needed"},
        {"\"output\":6", "\"output\":6,\"interpolation\":\"CUBICSPLINE\"", "3 values for 3 times (9 are needed)"},
        {"\"output\":6", "\"output\":6,\"interpolation\":\"ODD\"", "interpolation is 'ODD'"},
        {"\"sampler\":0", "\"sampler\":1", "sampler is 1, but there are 1"},
        {"\"node\":2", "\"node\":3", "node is 3, but there are 3"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        assert_rejects(skinned, changes[i].old, changes[i].new, changes[i].message);
    struct error err;
    char copy[sizeof data];
    memcpy(copy, &data, sizeof data);
    memcpy(copy + 160, &(float){0.25f}, 4);
    assert_null(load_glb(skinned, copy, sizeof copy, &err));
    assert_non_null(strstr(err.text, "time 1 is 0.25, after 0.5"));
}

/* Zeros, which take no bytes in the file. */
TEST(channels_that_share_long_lists_are_counted_each)
{
    struct error err;
    struct buffer body = {0};
    buffer_printf(&body,
                  "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":1048576},"
                  "{\"componentType\":5126,\"type\":\"SCALAR\",\"count\":1048576}],"
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}],"
                  "\"animations\":[{\"samplers\":[{\"input\":1,\"output\":0}],\"channels\":[");
    for (int i = 0; i < 200; i++)
        buffer_printf(&body, "%s{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}", i ? "," : "");
    buffer_printf(&body, "]}]");
    assert_null(load_glb(body.text, &data, sizeof data, &err));
    assert_non_null(strstr(err.text, "more than 134217728 numbers are to be read"));
    buffer_release(&body);
}

TEST(what_an_animation_moves_that_is_not_drawn_is_left_out)
{
    struct model *model = load_changed(skinned, "\"path\":\"rotation\"", "\"path\":\"pointer\"");
    assert_tells(model, "animation of 'pointer' is left out");
    assert_int_equal(model->clip_count, 0);
    assert_int_equal(load_changed(skinned, "\"path\":\"rotation\"", "\"path\":\"weights\"")->clip_count, 0);
    assert_int_equal(load_changed(skinned, "\"node\":2,", "")->clip_count, 0);
}

static const char morphed[] =
    VIEWS "," ACCESSORS ",\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{\"POSITION\":0},"
          "\"targets\":[{\"POSITION\":7}]}]}],\"nodes\":[{\"mesh\":0}]";

TEST(morph_targets_have_the_weights_of_the_node_or_else_of_the_mesh)
{
    assert_point(load(morphed), -1, 2, 3.5f, 2.5f, 2 + 3);
    assert_point(load_changed(morphed, "{\"mesh\":0}", "{\"mesh\":0,\"weights\":[1]}"), -1, 2, 7, 5, 2 + 6);
    assert_rejects(morphed, "[0.5]", "[0.5,1]", "weights is not a list of 1 numbers");
    assert_rejects(morphed, "\"POSITION\":7", "\"POSITION\":2",
                   "target 0: POSITION: 4 elements, but POSITION has 3");
    struct model *model =
        load_changed(morphed, "\"nodes\"",
                     "\"animations\":[{\"samplers\":[{\"input\":5,\"output\":5}],"
                     "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}]}],\"nodes\"");
    assert_string_equal(model->clips[0].name, "animation");
    assert_point(model, 0, 2, 3.5f, 2.5f, 2 + 3);
}

/* -- Materials ---------------------------------------------------------------------------------------------- */

static const struct model *model_with(const char *material)
{
    char *change = must_printf(
        "\"textures\":[{\"source\":0,\"sampler\":0},{\"extensions\":{\"EXT_texture_webp\":{\"source\":1}}},{}],"
        "\"samplers\":[{\"wrapS\":33071,\"wrapT\":33648,\"magFilter\":9728}],"
        "\"images\":[{\"bufferView\":0},{\"uri\":\"../a%%20b/wood.webp\"}],"
        "\"materials\":[%s],\"meshes\"",
        material);
    char *with = changed(triangle, "\"meshes\"", change);
    struct model *model = load_changed(with, "\"indices\":1", "\"material\":0");
    free(with);
    free(change);
    return model;
}

static const struct model_material *material_with(const char *material)
{
    return model_with(material)->surfaces[0].material.own[0];
}

TEST(a_material_says_what_the_file_says)
{
    const struct model_material *material = material_with(
        "{\"name\":\"m\",\"doubleSided\":true,\"alphaMode\":\"MASK\",\"alphaCutoff\":0.25,"
        "\"emissiveFactor\":[1,0.5,0],\"extensions\":{\"KHR_materials_emissive_strength\":{\"emissiveStrength\":4}"
        ","
        "\"KHR_materials_specular\":{\"specularFactor\":0.5},\"KHR_materials_unlit\":{}},"
        "\"normalTexture\":{\"index\":1,\"scale\":0.5,\"texCoord\":1},"
        "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.2,0.3,0.4],\"roughnessFactor\":0.5,"
        "\"baseColorTexture\":{\"index\":0,\"extensions\":{\"KHR_texture_transform\":"
        "{\"offset\":[0.5,0.25],\"scale\":[2,3],\"rotation\":1.5707963267948966,\"texCoord\":1}}}}}");
    assert_string_equal(material->name, "m");
    assert_true(material->is_double_sided && material->is_unlit);
    assert_true(material->alpha_mode == ALPHA_MASK && material->alpha_cutoff == 0.25f);
    assert_true(material->metallic == 1 && material->roughness == 0.5f && material->base_color_factor[3] == 0.4f);
    assert_true(material->emissive_factor[0] == 4 && material->emissive_factor[1] == 2);
    assert_true(material->specular_factor == 0.5f && material->normal_scale == 0.5f);
    const struct model_texture *color = &material->base_color, *normal = &material->normal;
    assert_string_equal(color->path, "models/robot.glb:0");
    assert_true(color->placement.wrap[0] == WRAP_CLAMP && color->placement.wrap[1] == WRAP_MIRROR &&
                color->placement.is_nearest);
    assert_true(color->placement.has_matrix && color->placement.is_second_set);
    static const float matrix[6] = {0, 3, 0.5f, -2, 0, 0.25f};
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(color->placement.matrix[i / 3][i % 3] - matrix[i]) < 1e-6f);
    assert_string_equal(normal->path, "a b/wood.webp");
    assert_true(normal->placement.is_second_set && normal->placement.wrap[0] == WRAP_REPEAT &&
                !normal->placement.is_nearest);
}

TEST(specular_and_glossiness_take_the_place_of_metal_and_roughness)
{
    const struct model_material *material = material_with(
        "{\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseFactor\":[1,0,0,1],"
        "\"specularFactor\":[0.1,0.2,0.3],\"glossinessFactor\":0.75,\"diffuseTexture\":{\"index\":0}}},"
        "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0,0,0,0]}}");
    assert_true(material->is_specular_glossiness && material->base_color_factor[0] == 1 &&
                material->roughness == 0.25f);
    assert_true(material->specular_color_factor[2] == 0.3f && material->base_color.path);
}

static bool is_shaded(const struct model_material *material, float red, float blue, float low, float high)
{
    return material->has_shade && !material->is_unlit && fabsf(material->shade_factor[0] - red) < 1e-4f &&
           fabsf(material->shade_factor[2] - blue) < 1e-4f && fabsf(material->shade_range[0] - low) < 1e-6f &&
           fabsf(material->shade_range[1] - high) < 1e-6f;
}

TEST(a_toon_has_a_shade_and_the_cosines_where_it_begins_and_ends)
{
    const struct model_material *material = material_with(
        "{\"extensions\":{\"KHR_materials_unlit\":{},\"VRMC_materials_mtoon\":{\"shadeColorFactor\":[0.5,0,0.25],"
        "\"shadeMultiplyTexture\":{\"index\":1},\"shadingShiftFactor\":0.25,\"shadingToonyFactor\":0.5}}}");
    assert_true(is_shaded(material, 0.5f, 0.25f, -0.75f, 0.25f));
    assert_string_equal(material->shade.path, "a b/wood.webp");
    assert_true(is_shaded(material_with("{\"extensions\":{\"VRMC_materials_mtoon\":{}}}"), 0, 0, -0.1f, 0.1f));
    assert_true(!material_with("{\"extensions\":{\"VRMC_materials_mtoon\":7}}")->has_shade);
}

/* VRM 0.x has them beside the materials. */
#define OLD_TOON(properties)                                                                                      \
    "{\"extensions\":{\"KHR_materials_unlit\":{}},\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,"   \
    "\"texCoord\":1}}}],\"extensions\":{\"VRM\":{\"materialProperties\":[" properties "]}},\"rest\":["

TEST(a_toon_of_the_older_vrm_is_the_same_in_other_words)
{
    const struct model_material *material = material_with(
        OLD_TOON("{\"shader\":\"VRM/MToon\",\"floatProperties\":{\"_ShadeShift\":-0.5,\"_ShadeToony\":0.75},"
                 "\"vectorProperties\":{\"_ShadeColor\":[1,0.5,0.50196,1]},"
                 "\"textureProperties\":{\"_MainTex\":0,\"_ShadeTexture\":0}}"));
    assert_true(is_shaded(material, 1, 0.21586f, -0.5f, -0.125f));
    assert_string_equal(material->shade.path, "models/robot.glb:0");
    assert_true(material->shade.placement.is_second_set && material->shade.placement.is_nearest);
    material = material_with(OLD_TOON("{\"shader\":\"VRM/MToon\",\"vectorProperties\":{\"_ShadeColor\":[1,-7]},"
                                      "\"textureProperties\":{\"_ShadeTexture\":9}}"));
    assert_true(is_shaded(material, 1, 0.70838f, 0, 0.1f));
    assert_true(material->shade_factor[1] == 0 && !material->shade.path);
    assert_true(material_with(OLD_TOON("{\"shader\":\"VRM_USE_GLTFSHADER\"}"))->is_unlit);
    assert_true(material_with(OLD_TOON("7"))->is_unlit && material_with(OLD_TOON(""))->is_unlit);
}

TEST(what_a_toon_loses_is_a_warning_where_it_matters)
{
    static const char outlines[] = "MToon's outlines are not drawn; `outline` draws one around the model";
    static const char rims[] = "MToon's rims and matcaps are not drawn; `rim` of a light brightens edges";
#define TOON(members) "{\"extensions\":{\"VRMC_materials_mtoon\":{" members "}}}"
#define OLD(members) OLD_TOON("{\"shader\":\"VRM/MToon\"," members "}")
    static const struct {
        const char *material, *warning;
    } materials[] = {
        {TOON("\"outlineWidthFactor\":0.1"), NULL},
        {TOON("\"outlineWidthFactor\":0.1,\"outlineWidthMode\":\"none\""), NULL},
        {TOON("\"outlineWidthFactor\":0.1,\"outlineWidthMode\":\"worldCoordinates\""), outlines},
        {TOON("\"parametricRimColorFactor\":[0,0,0]"), NULL},
        {TOON("\"parametricRimColorFactor\":[0,0,0.1]"), rims},
        {TOON("\"matcapTexture\":{\"index\":0}"), rims},
        {OLD("\"floatProperties\":{\"_OutlineWidth\":0.5,\"_OutlineWidthMode\":0}"), NULL},
        {OLD("\"floatProperties\":{\"_OutlineWidth\":0.5,\"_OutlineWidthMode\":1}"), outlines},
        {OLD("\"vectorProperties\":{\"_RimColor\":[0,0,0,1]}"), NULL},
        {OLD("\"vectorProperties\":{\"_RimColor\":[0,0.5,0,1]}"), rims},
        {OLD("\"textureProperties\":{\"_SphereAdd\":0}"), rims},
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        fact(materials[i].material);
        const struct model *model = model_with(materials[i].material);
        assert_int_equal(model->warnings.count, materials[i].warning ? 1 : 0);
        if (materials[i].warning)
            assert_string_equal(model->warnings.items[0], materials[i].warning);
    }
}

TEST(broken_materials_are_rejected)
{
    static const char *const materials[][2] = {
        {"{\"alphaMode\":\"ODD\"}", "material 0: alphaMode is 'ODD'"},
        {"{\"emissiveFactor\":[1,2]}", "emissiveFactor is not a list of 3 numbers"},
        {"{\"emissiveTexture\":{\"index\":3}}", "emissiveTexture: index is 3, but there are 3"},
        {"{\"emissiveTexture\":{}}", "emissiveTexture: it has no index"},
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        char *change = must_printf("\"textures\":[{},{},{}],\"materials\":[%s],\"meshes\"", materials[i][0]);
        char *with = changed(triangle, "\"meshes\"", change);
        assert_rejects(with, "\"indices\":1", "\"material\":0", materials[i][1]);
        free(with);
        free(change);
    }
    assert_rejects(triangle, "\"indices\":1", "\"material\":0", "material is 0, but there are 0");
}

TEST(variants_are_skins)
{
    char *text = changed(triangle, "\"indices\":1",
                         "\"material\":0,\"extensions\":{\"KHR_materials_variants\":{\"mappings\":["
                         "{\"material\":1,\"variants\":[1]}]}}");
    struct model *model =
        load_changed(text, "\"meshes\"",
                     "\"materials\":[{\"name\":\"x\"},{\"name\":\"y\"}],\"extensions\":"
                     "{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"old/a\"},{\"name\":\"b\"}]}},"
                     "\"meshes\"");
    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->skins[1], "b");
    assert_string_equal(model->surfaces[0].material.own[0]->name, "x");
    assert_string_equal(model->surfaces[0].material.own[1]->name, "y");
    free(text);
}

TEST(variants_keep_their_names_and_each_has_one_of_its_own)
{
    const struct model *model =
        load_changed(triangle, "\"meshes\"",
                     "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"赤\"},"
                     "{\"name\":\"青\"},{\"name\":\"a!\"},{\"name\":\"a?\"},{\"name\":\"A_2\"}]}},"
                     "\"meshes\"");
    static const char *const names[] = {"赤", "青", "a", "a_2", "A_2_2"};
    assert_int_equal(model->skin_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(model->skins[i], names[i]);
}

TEST(extensions_are_known_told_or_refused)
{
    assert_tells(load_changed(triangle, "\"meshes\"", "\"extensionsUsed\":[\"X_odd\"],\"meshes\""),
                 "extension X_odd is left out");
    assert_int_equal(
        load_changed(triangle, "\"meshes\"", "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"meshes\"")
            ->oddities.count,
        0);
    assert_rejects(triangle, "\"meshes\"", "\"extensionsRequired\":[\"X_odd\"],\"meshes\"",
                   "the file requires the extension 'X_odd', which is not read");
    fact("what only decorates may be required");
    const struct model *model =
        load_changed(triangle, "\"meshes\"",
                     "\"extensionsRequired\":[\"KHR_xmp_json_ld\",\"KHR_materials_clearcoat\"],\"meshes\"");
    assert_tells(model, "words about the file are left out: KHR_xmp_json_ld is not read");
    assert_int_equal(model->oddities.count, 1);
    assert_int_equal(model->warnings.count, 0);
}

TEST(what_a_material_loses_is_a_warning_where_it_matters)
{
    static const struct {
        const char *extension, *warning;
    } materials[] = {
        {"\"KHR_materials_clearcoat\":{}", NULL},
        {"\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.5}",
         "lacquer is drawn without its gloss: KHR_materials_clearcoat is not read"},
        {"\"KHR_materials_sheen\":{\"sheenColorFactor\":[0,0,0]}", NULL},
        {"\"KHR_materials_sheen\":{\"sheenColorFactor\":[0,0,0.1]}",
         "cloth is drawn without its sheen: KHR_materials_sheen is not read"},
        {"\"KHR_materials_anisotropy\":{\"anisotropyStrength\":1}",
         "brushed metal is drawn without its streaks: KHR_materials_anisotropy is not read"},
        {"\"KHR_materials_iridescence\":{\"iridescenceFactor\":1}",
         "films are drawn without their colours: KHR_materials_iridescence is not read"},
        {"\"KHR_materials_iridescence\":7", NULL},
        {"\"X_odd\":{}", NULL},
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        char *change = must_printf("\"materials\":[{\"extensions\":{%s}}],\"meshes\"", materials[i].extension);
        char *with = changed(triangle, "\"meshes\"", change);
        const struct model *model = load_changed(with, "\"indices\":1", "\"material\":0");
        fact(materials[i].extension);
        assert_int_equal(model->warnings.count, materials[i].warning ? 1 : 0);
        if (materials[i].warning)
            assert_string_equal(model->warnings.items[0], materials[i].warning);
        free(with);
        free(change);
    }
}

TEST(an_index_of_refraction_says_what_a_surface_reflects)
{
    static const struct {
        const char *ior;
        float factor; /* of the 4 % that an index of 1.5 gives */
    } materials[] = {
        {"{}", 1}, {"{\"ior\":1.5}", 1}, {"{\"ior\":1}", 0}, {"{\"ior\":3}", 6.25f}, {"{\"ior\":0}", 25}};
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        char *text = must_printf("{\"extensions\":{\"KHR_materials_ior\":%s}}", materials[i].ior);
        fact(materials[i].ior);
        assert_true(fabsf(material_with(text)->specular_color_factor[1] - materials[i].factor) < 1e-6f);
        free(text);
    }
    assert_true(
        material_with("{\"extensions\":{\"KHR_materials_ior\":{\"ior\":1.5}}}")->specular_color_factor[0] == 1);
}

TEST(glass_has_the_tint_that_its_thickness_gives)
{
    static const struct {
        const char *volume;
        float red;
    } materials[] = {
        {"\"thicknessFactor\":2,\"attenuationDistance\":1,\"attenuationColor\":[0.5,1,1]", 0.25f + 0.75f * 0.25f},
        {"\"thicknessFactor\":2,\"attenuationColor\":[0.5,1,1]", 1},
        {"\"attenuationDistance\":1,\"attenuationColor\":[0.5,1,1]", 1},
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        char *text = must_printf("{\"extensions\":{\"KHR_materials_transmission\":{\"transmissionFactor\":0.75},"
                                 "\"KHR_materials_volume\":{%s}}}",
                                 materials[i].volume);
        const float *color = material_with(text)->base_color_factor;
        fact(materials[i].volume);
        assert_true(fabsf(color[0] - materials[i].red) < 1e-6f && color[1] == 1);
        free(text);
    }
    fact("without glass there is no way through");
    assert_true(material_with("{\"extensions\":{\"KHR_materials_volume\":{\"thicknessFactor\":2,"
                              "\"attenuationDistance\":1,\"attenuationColor\":[0,0,0]}}}")
                    ->base_color_factor[0] == 1);
}

TEST(what_is_unusual_is_told_up_to_a_number)
{
    struct buffer list = {0};
    for (int i = 0; i < 100; i++)
        buffer_printf(&list, "%s\"X_%d\"", i ? "," : "\"extensionsUsed\":[", i);
    buffer_printf(&list, "],\"meshes\"");
    const struct model *model = load_changed(triangle, "\"meshes\"", list.text);
    assert_int_equal(model->oddities.count, 64);
    assert_string_equal(model->oddities.items[63], "and more");
    buffer_release(&list);
}

/* -- Files beside the model --------------------------------------------------------------------------------- */

/* {"buffers":[{"uri": URI, ...}]}, of a triangle. */
static int load_uri(struct assets *assets, const char *uri, struct model **out, struct error *err)
{
    char *text = must_printf(
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":"
        "5126,"
        "\"type\":\"VEC3\",\"count\":3}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0}]}",
        uri);
    struct model_options options = {.path = "models/x/a.gltf", .assets = assets};
    int result = model_load((struct bytes){(const uint8_t *)text, strlen(text)}, &options, out, err);
    free(text);
    return result;
}

TEST(buffers_are_files_beside_the_model_or_data)
{
    static const char *const fine[] = {
        "a%20b.bin",
        "../y/c.bin",
        "./../../models//y/c.bin",
        "..\\\\y\\\\c.bin",
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAA",
        "data:,%0000000000000000000000000000000000000",
    };
    static const char *const broken[][2] = {
        {"../../../y/c.bin", "buffer 0: '../../../y/c.bin': the path leaves the assets"},
        {"/y/c.bin", "'/y/c.bin' is not a path of a file beside the model"},
        {"a%00b", "is not a path of a file beside the model"},
        {"https://example.org/c.bin", "is not a file, and nothing is downloaded"},
        {"none.bin", "models/x/none.bin: no such file"},
        {"data:;base64,AAA*", "byte 3 of the base64 data is 0x2a"},
        {"data:;base64,AAAA", "byteLength is 36, but there are 3 bytes"},
        {"data:;base64", "a data URI without a comma"},
    };
    struct asset_tree tree = asset_tree_new();
    struct model *model;
    struct error err;
    asset_tree_add(&tree, "models/x/a b.bin", "000000000000000000000000000000000000");
    asset_tree_add(&tree, "models/y/c.bin", "000000000000000000000000000000000000");
    asset_tree_open(&tree);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        if (load_uri(tree.assets, fine[i], &model, &err))
            fail_msg("%s: %s", fine[i], err.text);
        model_free(model);
    }
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_int_equal(load_uri(tree.assets, broken[i][0], &model, &err), -1);
        if (!strstr(err.text, broken[i][1]))
            fail_msg("'%s' is not in '%s'", broken[i][1], err.text);
    }
    assert_int_equal(load_uri(NULL, "a%20b.bin", &model, &err), -1);
}

/* What a model has besides, which is not read for them, holds marks and names that could be taken for others. */
TEST(pictures_come_out_of_the_file)
{
    struct buffer glb =
        glb_of("\"animations\":[{\"name\":\"]\\\"}\\\\\",\"images\":[[]]},3],\"nodes\":[{\"a\":[]}],"
               "\"images\":[{\"bufferView\":0},{\"uri\":\"data:image/png;base64,QUJD\"},{}],"
               "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":1,\"byteLength\":2}],"
               "\"buffers\":[{\"byteLength\":4,\"accessors\":[{}]}],\"accessors\":[],\"x\":\"meshes\"",
               "wxyz", 4);
    struct bytes bytes = {(const uint8_t *)glb.text, glb.length};
    static const struct {
        const char *name, *text;
    } pictures[] = {{"0", "xy"}, {"1", "ABC"}, {"0", "xy"},  {"2", NULL},
                    {"3", NULL}, {"", NULL},   {"-1", NULL}, {"0x", NULL}};
    const struct file_opener *opener = gltf_format.pictures;
    struct container file = {.path = "a.glb", .bytes = bytes};
    struct error err;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct blob blob = {0};
        fact(pictures[i].name);
        if (!file.opened)
            assert_int_equal(opener->open(&file, &err), 0);
        int result = opener->read(&file, pictures[i].name, &blob, &err);
        assert_int_equal(result, pictures[i].text ? 0 : -1);
        if (pictures[i].text) {
            assert_int_equal(blob.size, strlen(pictures[i].text));
            assert_memory_equal(blob.data, pictures[i].text, blob.size);
        } else {
            opener->close(file.opened);
            file.opened = NULL;
        }
        blob_release(&blob);
    }
    buffer_release(&glb);
}

/* -- Packed data -------------------------------------------------------------------------------------------- */

TEST(meshopt_is_unpacked)
{
    unsigned char packed[512];
    size_t size = meshopt_encodeVertexBuffer(packed, sizeof packed, data.triangle, 3, 12);
    char *text = must_printf(
        "\"buffers\":[{\"byteLength\":%zu},{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":1,\"byteLength\":36,"
        "\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":%zu,\"byteStride\":12,\"count\":"
        "3,"
        "\"mode\":\"ATTRIBUTES\"}}}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\","
        "\"count\":3}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]",
        size, size);
    struct error err;
    struct model *model = load_glb(text, packed, size, &err);
    if (!model)
        fail_msg("%s", err.text);
    assert_point(kept(model), -1, 2, 0, 0, 2);
    static const char *const changes[][3] = {
        {"\"byteStride\":12", "\"byteStride\":13", "bufferView 0 (meshopt): a stride of 13"},
        {"\"byteStride\":12", "\"byteStride\":0", "a stride of 0"},
        {"\"count\":3,\"mode\"", "\"count\":300,\"mode\"", "the packed data are broken"},
        {"\"count\":3,\"mode\"", "\"count\":4294967295,\"mode\"", "more than 134217728 numbers are to be read"},
        {"ATTRIBUTES", "TRIANGLES", "a stride of 12 for indices"},
        {"\"byteStride\":12,\"count\":3,\"mode\":\"ATTRIBUTES\"", "\"byteStride\":4,\"count\":9,\"mode\":\"ODD\"",
         "9 items in mode 'ODD'"},
        {"\"mode\":\"ATTRIBUTES\"", "\"mode\":\"ATTRIBUTES\",\"filter\":\"OCTAHEDRAL\"",
         "filter 'OCTAHEDRAL' with a stride of 12"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *broken = changed(text, changes[i][0], changes[i][1]);
        assert_null(load_glb(broken, packed, size, &err));
        if (!strstr(err.text, changes[i][2]))
            fail_msg("'%s' is not in '%s'", changes[i][2], err.text);
        free(broken);
    }
    fact("Khronos' extension has the same JSON");
    char *ours = changed(text, "EXT_meshopt", "KHR_meshopt");
    assert_point(kept(load_glb(ours, packed, size, &err)), -1, 2, 0, 0, 2);
    free(ours);
    fact("the first byte says what is packed");
    packed[0] = 0;
    err = (struct error){0};
    assert_null(load_glb(text, packed, size, &err));
    assert_non_null(strstr(err.text, "bufferView 0 (meshopt): the packed data are broken"));
#if MESHOPTIMIZER_VERSION < 250
    packed[0] = 0xa1;
    assert_null(load_glb(text, packed, size, &err));
    assert_non_null(
        strstr(err.text, "packed vertices of version 1, which needs a program with meshoptimizer 0.25"));
#endif
    free(text);
}

#ifdef WITH_DRACO
/* A plate of four points, with texture coordinates, as libdraco 1.5.5 packs it. */
static const char draco_plate[] =
    "\x44\x52\x41\x43\x4f\x02\x02\x01\x01\x00\x00\x00\x04\x02\x01\x02\x00\x00\x01\x1f"
    "\xff\x01\x11\xff\x01\x11\x02\xff\x00\x00\x00\x00\x00\x01\x00\x09\x03\x00\x00\x02"
    "\x01\x03\x09\x02\x00\x01\x02\x01\x01\x01\x00\x0c\x03\x01\x20\x23\x01\x20\x03\x00"
    "\xf0\x83\xf8\x7f\x00\x00\xf0\x7f\x00\x00\x00\x00\x00\x00\x00\xff\x07\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40\x0b\x01\x01\x01\x00"
    "\x03\x03\x01\x20\x01\x20\x03\x00\xf0\x83\xa6\x00\x00\x00\x00\x00\xff\x03\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x0a";

static const char draco_json[] =
    "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"buffers\":[{\"byteLength\":133}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":133}],\"accessors\":["
    "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":4},{\"componentType\":5126,\"type\":\"VEC2\",\"count\":4}"
    ","
    "{\"componentType\":5125,\"type\":\"SCALAR\",\"count\":6}],\"meshes\":[{\"primitives\":[{\"indices\":2,"
    "\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"extensions\":{\"KHR_draco_mesh_compression\":"
    "{\"bufferView\":0,\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1}}}}]}],\"nodes\":[{\"mesh\":0}]";

TEST(draco_is_unpacked)
{
    struct error err;
    struct model *model = load_glb(draco_json, draco_plate, sizeof draco_plate - 1, &err);
    if (!model)
        fail_msg("%s", err.text);
    kept(model);
    assert_int_equal(model->index_count, 6);
    struct mesh mesh = posed(model, (struct pose){.animation = -1});
    for (uint32_t i = 0; i < model->vertex_count; i++) {
        const float *at = mesh.positions[model->vertex_points[i]], *uv = model->uvs[i];
        assert_true(fabsf(at[1] - uv[0]) < 1e-3f && fabsf(at[2] - 2 + 2 * uv[1]) < 2e-3f);
    }
    static const char *const changes[][3] = {
        {"{\"POSITION\":0,\"TEXCOORD_0\":1}}}}", "{\"POSITION\":2}}}}",
         "POSITION: the Draco data have no attribute 2"},
        {"{\"POSITION\":0,\"TEXCOORD_0\":1}}}}", "{\"POSITION\":-1}}}}", "POSITION is not a whole number"},
        {"\"byteLength\":133}],\"acc", "\"byteLength\":60}],\"acc", "libdraco says: "},
        {"\"bufferView\":0,\"attr", "\"attr", "KHR_draco_mesh_compression: it has no bufferView"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *broken = changed(draco_json, changes[i][0], changes[i][1]);
        assert_null(load_glb(broken, draco_plate, sizeof draco_plate - 1, &err));
        if (!strstr(err.text, changes[i][2]))
            fail_msg("'%s' is not in '%s'", changes[i][2], err.text);
        free(broken);
    }
}

/* A triangle of whole numbers, as libdraco 1.5.5 packs it: positions (0,0,0) (10,0,0) (0,20,0), which have Draco's flag
 * for normalized, and without it colours (65535,0,0,65535) (0,32768,0,65535) (13107,0,65535,0) and texture coordinates
 * (0,127) (-128,64) (-64,0). */
static const char draco_whole[] =
    "\x44\x52\x41\x43\x4f\x02\x02\x01\x00\x00\x00\x01\x03\x01\x00\x01\x02\x01\x03\x00"
    "\x04\x03\x01\x00\x02\x04\x04\x00\x01\x03\x01\x02\x00\x02\x01\x01\x01\x00\x01\x01"
    "\x00\x06\x03\x55\x15\x0b\xad\x2a\x03\x04\x70\x81\xa0\x00\xcc\x00\x00\x00\x00\x00"
    "\x00\x14\x00\x00\x00\x00\x01\x01\x00\x11\x03\x55\x15\x37\xad\x2a\x03\x04\x70\x81"
    "\x29\x00\xf0\xff\x0f\x00\x00\x00\x60\x66\xf6\xff\x1f\x00\x20\x00\x00\x00\x00\x00"
    "\x00\xff\xff\x00\x00\x00\x01\x01\x00\x09\x1f\x01\x40\x01\x00\x00\xfe\xff\x7d\x80"
    "\x7f\x80\xff\xff\xff\x7f\x00\x00\x00";

static const char draco_whole_json[] =
    "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"buffers\":[{\"byteLength\":129}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":129}],\"accessors\":["
    "{\"componentType\":5123,\"type\":\"VEC3\",\"count\":3},"
    "{\"componentType\":5123,\"type\":\"VEC4\",\"count\":3,\"normalized\":true},"
    "{\"componentType\":5120,\"type\":\"VEC2\",\"count\":3,\"normalized\":true},"
    "{\"componentType\":5125,\"type\":\"SCALAR\",\"count\":3}],\"meshes\":[{\"primitives\":[{\"indices\":3,"
    "\"attributes\":{\"POSITION\":0,\"COLOR_0\":1,\"TEXCOORD_0\":2},"
    "\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0,"
    "\"attributes\":{\"POSITION\":0,\"COLOR_0\":1,\"TEXCOORD_0\":2}}}}]}],\"nodes\":[{\"mesh\":0}]";

static struct model *load_whole_draco(const char *old, const char *new)
{
    struct error err;
    char *text = changed(draco_whole_json, old, new);
    struct model *model = load_glb(text, draco_whole, sizeof draco_whole - 1, &err);
    free(text);
    if (!model)
        fail_msg("%s", err.text);
    return kept(model);
}

TEST(the_accessor_says_whether_whole_numbers_of_draco_are_parts_of_their_largest)
{
    static const float colors[3][4] = {{1, 0, 0, 1}, {0, 32768 / 65535.0f, 0, 1}, {0.2f, 0, 1, 0}};
    static const float whole[3] = {0, -128, -64};
    static const float uvs[3][2] = {{0, 1}, {-1, 64 / 127.0f}, {-64 / 127.0f, 0}};
    struct model *model = load_whole_draco("", "");
    assert_point(model, -1, 1, 0, 10, 0);
    assert_point(model, -1, 2, 0, 0, 20);
    for (uint32_t i = 0; i < model->vertex_count; i++) {
        const uint32_t point = model->vertex_points[i];
        for (int k = 0; k < 4; k++)
            assert_true(fabsf(model->colors[i][k] - colors[point][k]) < 1e-6f);
        for (int k = 0; k < 2; k++)
            assert_true(fabsf(model->uvs[i][k] - uvs[point][k]) < 1e-6f);
    }
    fact("positions that are normalized");
    model = load_whole_draco("VEC3\",", "VEC3\",\"normalized\":true,");
    assert_point(model, -1, 2, 0, 0, 20 / 65535.0f);
    fact("texture coordinates that are not");
    model = load_whole_draco("VEC2\",\"count\":3,\"normalized\":true", "VEC2\",\"count\":3");
    for (uint32_t i = 0; i < model->vertex_count; i++)
        assert_true(model->uvs[i][0] == whole[model->vertex_points[i]]);
}

TEST(damaged_draco_data_give_a_model_or_a_message)
{
    char copy[sizeof draco_plate - 1];
    for (size_t at = 0; at < sizeof copy; at++) {
        for (int value = 0; value <= 255; value += 51) {
            struct error err;
            memcpy(copy, draco_plate, sizeof copy);
            copy[at] = (char)value;
            model_free(load_glb(draco_json, copy, sizeof copy, &err));
        }
    }
}
#endif

/* -- Whole files -------------------------------------------------------------------------------------------- */

#define SPROUT "jobs/assets/models/sprout/sprout.glb"

TEST(the_sprout_loads_as_made)
{
    struct blob blob = read_file(SPROUT);
    struct model *model;
    struct error err;
    assert_int_equal(model_load(blob_bytes(&blob), &(struct model_options){.path = "a.glb"}, &model, &err), 0);
    blob_release(&blob);
    kept(model);
    assert_int_equal(model->oddities.count, 0);
    assert_int_equal(model->index_count, 3 * 148);
    assert_int_equal(model->skin_count, 2);
    assert_string_equal(model->surfaces[3].material.own[0]->base_color.path, "a.glb:0");
    assert_string_equal(model->surfaces[3].material.own[1]->name, "brass");
    assert_non_null(model_find_clip(model, "swell"));
    assert_non_null(model->colors);
}

TEST(a_file_cut_at_any_length_is_rejected)
{
    struct blob blob = read_file(SPROUT);
    expect_no_cut_loads(blob_bytes(&blob), 0);
    blob_release(&blob);
}

TEST(a_header_with_odd_words_is_rejected_or_read)
{
    struct blob blob = read_file(SPROUT);
    static const uint32_t odd[] = {0, 1, 11, 0x7fffffff, 0xffffffff};
    for (size_t at = 4; at < 20; at += 4) {
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            struct bytes bytes = exact_copy(blob.data, blob.size);
            struct model *model = NULL;
            struct error err;
            memcpy((uint8_t *)bytes.data + at, &odd[i], 4);
            assert_int_equal(model_load(bytes, NULL, &model, &err), -1);
            free((void *)bytes.data);
        }
    }
    blob_release(&blob);
}
