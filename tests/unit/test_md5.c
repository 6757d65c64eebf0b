#include "md5_samples.h"
#include "test.h"

/* The changed sample must be refused with a message that holds `message`. */
static void assert_rejects(const char *old, const char *new, const char *message)
{
    struct error err;
    char *text = with_change(mesh_text, old, new);
    struct model *model = load_bytes(text, strlen(text), &err);
    if (model)
        fail_msg("loaded with '%s' in place of '%s'", new, old);
    assert_message(&err, message);
    free(text);
}

static void assert_loads(const char *old, const char *new)
{
    struct model *model = load_changed(old, new);
    assert_int_equal(model->oddities.count, 0);
}

static void assert_loads_oddly(const char *old, const char *new, const char *oddity)
{
    struct model *model = load_changed(old, new);
    assert_odd(model, oddity);
}

/* "mesh { ... }" blocks after the joints of the sample, in place of its own. */
static struct model *load_meshes(const char *meshes)
{
    const char *end_of_joints = strstr(mesh_text, "mesh {");
    char *text = must_printf("%.*s%s", (int)(end_of_joints - mesh_text), mesh_text, meshes);
    struct model *model = load(text);
    free(text);
    return model;
}

static void assert_surface(const struct model *model, uint32_t i, const char *name, const char *shader)
{
    assert_string_equal(model->surfaces[i].name, name);
    assert_string_equal(model->surfaces[i].material.name, shader);
}

TEST(the_sample_loads_as_written)
{
    struct model *model = load(mesh_text);
    assert_string_equal(model->format->name, "MD5");
    assert_int_equal(model->point_count, 4);
    assert_int_equal(model->vertex_count, 4);
    assert_int_equal(model->index_count, 6);
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    assert_memory_equal(model->indices, indices, sizeof indices);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(model->vertex_points[i], i);
    assert_true(model->uvs[2][0] == 1 && model->uvs[2][1] == -0.5f);
    assert_true(model->uvs[3][0] == 0 && model->uvs[3][1] == 1.5f);
    assert_int_equal(model->used_point_count, 4);
    assert_int_equal(model->skin_count, 0);
    assert_int_equal(model->animation_count, 0);
    assert_int_equal(model->clip_count, 0);
    assert_int_equal(model->oddities.count, 0);
}

TEST(without_a_comment_the_shader_names_the_mesh)
{
    struct model *model = load_meshes("mesh { shader \"models/monsters/imp\" } mesh { shader \"art\\imp2\" }"
                                      "mesh { shader \"\" } mesh { } mesh { shader \"folder/\" }"
                                      "mesh { // meshes: \n shader bare }");
    assert_int_equal(model->surface_count, 6);
    assert_surface(model, 0, "imp", "models/monsters/imp");
    assert_surface(model, 1, "imp2", "art\\imp2");
    assert_surface(model, 2, "mesh3", "");
    assert_surface(model, 3, "mesh4", "");
    assert_surface(model, 4, "mesh5", "folder/");
    assert_surface(model, 5, "bare", "bare");
}

TEST(meshes_are_put_one_after_the_other)
{
    static const char triangle[] = "mesh { numverts 3 vert 0(0 0)0 1 vert 1(0 0)1 1 vert 2(0 0)0 2 numtris 1"
                                   " tri 0 2 1 0 numweights 2 weight 0 0 1(0 0 0) weight 1 1 0(1 1 1) }";
    char *meshes = must_printf("mesh { } %s mesh { } %s", triangle, triangle);
    struct model *model = load_meshes(meshes);
    assert_int_equal(model->point_count, 6);
    assert_int_equal(model->surface_count, 4);
    static const uint32_t indices[] = {2, 1, 0, 5, 4, 3};
    assert_int_equal(model->index_count, 6);
    assert_memory_equal(model->indices, indices, sizeof indices);
    assert_int_equal(model->surfaces[1].first_index, 0);
    assert_int_equal(model->surfaces[3].first_index, 3);
    assert_int_equal(model->surfaces[3].index_count, 3);
    free(meshes);
}

TEST(broken_meshes_are_rejected)
{
    fact("parents come before their children");
    assert_rejects("\"upper arm\"\t0", "\"upper arm\"\t1", "7: joint 1, 'upper arm', is below itself");
    assert_rejects("\"origin\"\t-1", "\"origin\"\t1", "7: joint 0, 'origin', is below itself");
    assert_rejects("\"origin\"\t-1", "\"origin\"\t-2", "8: joint 0 has parent -2");
    assert_rejects("\"origin\"\t-1", "\"origin\"\t2147483647", "has parent 2147483647");
    assert_rejects("\"origin\"\t-1", "\"origin\"\t2147483648", "out of range");
    fact("numMeshes may be wrong");
    assert_loads_oddly("numMeshes 1", "numMeshes 0", "numMeshes is 0, the file has 1");
    assert_loads_oddly("numMeshes 1", "numMeshes -1", "numMeshes is -1, the file has 1");
    assert_loads_oddly("numMeshes 1", "numMeshes 2147483647", "cut short");
    assert_loads_oddly("numMeshes 1", "", "no numMeshes");
    fact("numJoints must be right");
    assert_rejects("numJoints 2", "numJoints 1", "9: expected '}', found 'upper arm'");
    assert_rejects("numJoints 2", "numJoints 3", "10: expected a name, found '}'");
    assert_rejects("numJoints 2", "numJoints 0", "8: expected '}', found 'origin'");
    assert_rejects("numJoints 2", "numJoints -1", "-1 is out of range");
    assert_rejects("numJoints 2", "numJoints 2147483647", "room for at most");
    assert_rejects("numJoints 2", "", "before numJoints");
    assert_rejects("numJoints 2", "numJoints 2 numJoints 2", "second numJoints");
    fact("counts of a mesh must be right");
    assert_rejects("numverts 4", "numverts 0", "17: a vert that no numverts counts");
    assert_rejects("numverts 4", "numverts 3", "20: a vert that no numverts counts");
    assert_rejects("numverts 4", "numverts 5", "22: expected 'vert', found 'numtris'");
    assert_rejects("numverts 4", "numverts -1", "16: -1 is out of range");
    assert_rejects("numverts 4", "numverts 2147483647", "16: numverts is 2147483647, but the rest of the file");
    assert_rejects("numverts 4", "numverts 4 numverts 4", "16: expected 'vert', found 'numverts'");
    assert_rejects("numverts 4", "", "17: a vert that no numverts counts");
    assert_rejects("numtris 2", "numtris 0", "23: a tri that no numtris counts");
    assert_rejects("numtris 2", "numtris 3", "26: expected 'tri', found 'numweights'");
    assert_rejects("numtris 2", "numtris -1", "-1 is out of range");
    assert_rejects("numtris 2", "numtris 2147483647", "room for at most");
    assert_rejects("numweights 5", "numweights 0", "27: a weight that no numweights counts");
    assert_rejects("numweights 5", "numweights 6", "32: expected 'weight', found '}'");
    assert_rejects("numweights 5", "numweights -1", "-1 is out of range");
    assert_rejects("numweights 5", "numweights 2147483647", "room for at most");
    fact("items come in the order of their numbers");
    assert_rejects("\ttri 0 0 1 2\n\ttri 1 0 2 3\n", "\ttri 1 0 2 3\n\ttri 0 0 1 2\n",
                   "23: tri 1 where 0 of 2 comes");
    assert_rejects("tri 1 0 2 3", "tri 0 0 2 3", "24: tri 0 where 1 of 2 comes");
    assert_rejects("vert 3 (", "vert 1 (", "20: vert 1 where 3 of 4 comes");
    assert_rejects("weight 4 1", "weight 0 1", "31: weight 0 where 4 of 5 comes");
    assert_rejects("vert 3 (", "vert -1 (", "-1 is out of range");
    assert_rejects("vert 3 (", "vert 4294967295 (", "20: vert 4294967295 where 3 of 4 comes");
    fact("triangles name vertices of their mesh");
    assert_rejects("tri 1 0 2 3", "tri 1 0 2 4", "24: triangle 1 names vertex 4 of 4");
    assert_rejects("tri 1 0 2 3", "tri 1 4294967295 2 3", "names vertex 4294967295 of 4");
    assert_rejects("tri 1 0 2 3", "tri 1 0 -1 3", "-1 is out of range");
    fact("vertices name weights of their mesh");
    assert_rejects(") 4 1", ") 5 1", "20: vertex 3 names weights 5-5 of 5");
    assert_rejects(") 4 1", ") 4 2", "20: vertex 3 names weights 4-5 of 5");
    assert_rejects(") 4 1", ") 4294967295 2", "names weights 4294967295-4294967296 of 5");
    assert_rejects(") 4 1", ") 4 4294967295", "4294967295 weights, at most 64");
    assert_rejects(") 4 1", ") -1 1", "-1 is out of range");
    fact("a vertex needs a weight");
    assert_rejects(") 4 1", ") 4 0", "20: vertex 3 has no weights");
    fact("weights name joints");
    assert_rejects("weight 4 1", "weight 4 2", "31: a weight names joint 2 of 2");
    assert_rejects("weight 4 1", "weight 4 4294967295", "names joint 4294967295 of 2");
    assert_rejects("weight 4 1", "weight 4 -1", "-1 is out of range");
    fact("biases that do not add up are odd");
    assert_loads("0.75 ( 4 5 1 )", "0.7595 ( 4 5 1 )");
    assert_loads("0.75 ( 4 5 1 )", "0.7405 ( 4 5 1 )");
    assert_loads_oddly("0.75 ( 4 5 1 )", "0.77 ( 4 5 1 )", "1 vertices do not add up to 1 (1.02");
    assert_loads_oddly("0.75 ( 4 5 1 )", "-0.75 ( 4 5 1 )", "1 vertices do not add up to 1 (-0.5");
    fact("numbers are finite and in range");
    assert_rejects("( 1 2 3 )", "( 1 nan 3 )", "finite");
    assert_rejects("( 1 2 3 )", "( 1 inf 3 )", "finite");
    assert_rejects("( 1 2 3 )", "( 1 1e400 3 )", "finite");
    assert_rejects("( 1 2 3 )", "( 1 2e9 3 )", "8: '2e9' is out of range");
    assert_rejects("( 0 0 0.5 )", "( 0 0 -1e10 )", "out of range");
    assert_rejects("( 0 5 -10 )", "( 0 5 x )", "'x'");
    assert_rejects("( 0 5 -10 )", "( 0 1e39 0 )", "out of range");
    assert_rejects("( 0 1.5 )", "( 0 1e39 )", "'1e39' is out of range, -3.40282e+38 to 3.40282e+38 are allowed");
    assert_rejects("( 0 1.5 )", "( 0 )", "expected a number, found ')'");
    assert_rejects("( 0 1.5 )", "( 0 1 2 )", "expected ')', found '2'");
    fact("long orientations are odd");
    assert_loads("( 0 0 0.5 )", "( 0.70711 0 0.70711 )");
    assert_loads_oddly("( 0 0 0.5 )", "( 3 0 4 )", "1 joint orientations are longer than a unit");
    fact("unknown words and blocks are passed over");
    assert_loads("commandline \"made by hand\"\n", "");
    assert_loads("commandline \"made by hand\"\n", "commandline \"rename \\\"\n");
    assert_loads_oddly("numJoints", "sceneScale 1.5\nnumJoints", "line 4: 'sceneScale' and 1 more words");
    assert_loads_oddly("joints {", "tags { \"a\" { mesh { } } }\njoints {", "line 7: 'tags' and 1 more words");
    assert_loads_oddly("numtris", "\"note\" numtris", "line 22: 'note' is not known");
    assert_loads_oddly("numtris", "{ vert { } } numtris", "line 22: '{' is not known");
    assert_rejects("numJoints", "} numJoints", "4: '}' without a '{'");
    fact("blocks and strings must be closed");
    assert_rejects("numJoints", "tags { numJoints", "the block that starts in line 4 is never closed");
    assert_rejects("skin\"\n", "skin\n", "14: a string starts here and is never closed");
    assert_rejects("\"upper arm\"\t0", "{", "9: expected a name, found '{'");
    fact("a mesh comes after the joints");
    assert_rejects("joints {", "mesh { }\njoints {", "7: a mesh before the joints");
    assert_rejects("mesh {", "joints { }\nmesh {", "12: a second joints block");
    fact("only version 10 is read");
    assert_rejects("MD5Version 10", "MD5Version 0", "1: MD5 version 0, only version 10");
    assert_rejects("MD5Version 10", "MD5Version -1", "MD5 version -1");
    assert_rejects("MD5Version 10", "MD5Version 2147483647", "MD5 version 2147483647");
    assert_rejects("MD5Version 10", "MD5Version 6", "MD5 version 6");
    assert_rejects("MD5Version 10", "MD5Version ten", "'ten'");
    assert_rejects("MD5Version 10", "MD5Version", "found 'commandline'");
}

TEST(meshes_are_read)
{
    fact("joint names may hold spaces");
    struct model *model = load(mesh_text);
    assert_int_equal(model->joint_count, 2);
    assert_string_equal(model->joints[0].name, "origin");
    assert_string_equal(model->joints[1].name, "upper arm");
    assert_int_equal(model->joints[0].parent, -1);
    assert_int_equal(model->joints[1].parent, 0);
    fact("a model may have several roots");
    model = load_changed("\"upper arm\"\t0", "\"upper arm\"\t-1");
    assert_int_equal(model->joints[1].parent, -1);
    fact("the name of a mesh is in its comment");
    model = load(mesh_text);
    assert_int_equal(model->surface_count, 1);
    assert_surface(model, 0, "plate", "models/plate_skin");
    assert_int_equal(model->surfaces[0].first_index, 0);
    assert_int_equal(model->surfaces[0].index_count, 6);
    model = load_changed("// meshes: plate\n", "// meshes: \t left boot \r\n");
    assert_surface(model, 0, "left boot", "models/plate_skin");
    fact("mesh names are made unique");
    model = load_meshes("mesh { shader imp_3 } mesh { shader imp } mesh { shader imp }"
                        "mesh { shader imp }");
    assert_surface(model, 0, "imp_3", "imp_3");
    assert_surface(model, 1, "imp", "imp");
    assert_surface(model, 2, "imp_3_3", "imp");
    assert_surface(model, 3, "imp_4", "imp");
    fact("a mesh may be empty");
    model = load_meshes("mesh { shader \"\" numverts 0 numtris 0 numweights 0 }");
    assert_int_equal(model->point_count, 0);
    assert_int_equal(model->surfaces[0].index_count, 0);
    posed(model, (struct pose){.animation = -1});
    fact("a million open braces are no recursion");
    enum { DEPTH = 1000000 };
    char *braces = must_alloc(DEPTH + 16, 1);
    memset(braces, '{', DEPTH);
    memcpy(braces + DEPTH, "numJoints", sizeof "numJoints");
    assert_rejects("numJoints", braces, "never closed");
    free(braces);
    fact("something must be there");
    struct error err;
    assert_null(load_bytes("MD5Version 10", 13, &err));
    assert_message(&err, "without joints and meshes");
    size_t joints_only = (size_t)(strstr(mesh_text, "mesh {") - mesh_text);
    assert_null(load_bytes(mesh_text, joints_only, &err));
    assert_message(&err, "12: the file ends without a mesh");
    fact("an animation is no mesh");
    assert_null(load_bytes(anim_text, strlen(anim_text), &err));
    assert_message(&err, "this is an MD5 animation, not a mesh");
    fact("gl commands are refused");
    model = NULL;
    struct model_options options = {.geometry = GEOMETRY_GL_COMMANDS};
    struct bytes bytes = {(const uint8_t *)mesh_text, strlen(mesh_text)};
    assert_int_equal(model_load(bytes, &options, &model, &err), -1);
    assert_message(&err, "no GL commands");
    fact("more meshes than any model has are refused");
    struct buffer {
        char text[5000 * 6 + 1];
    } *meshes = must_alloc(1, sizeof *meshes);
    for (int i = 0; i < 5000; i++)
        memcpy(meshes->text + i * 6, "mesh{}", 6);
    memcpy(meshes->text + 5000 * 6 - 6, "mesh {", 6);
    assert_rejects("mesh {", meshes->text, "more than 4096 meshes");
    free(meshes);
}

static char *with_crlf(const char *text)
{
    char *out = must_alloc(strlen(text) * 2 + 1, 1), *to = out;
    for (; *text; text++) {
        if (*text == '\n')
            *to++ = '\r';
        *to++ = *text;
    }
    return out;
}

/* Comments end with their line, so they go when the lines go. */
static char *on_one_line(const char *text)
{
    char *out = must_alloc(strlen(text) + 1, 1), *to = out;
    for (; *text; text++) {
        if (text[0] == '/' && text[1] == '/')
            text = strchr(text, '\n');
        *to++ = *text == '\n' ? ' ' : *text;
    }
    return out;
}

TEST(lines_may_end_or_not_end_as_they_like)
{
    char *crlf = with_crlf(mesh_text), *one_line = on_one_line(mesh_text);
    struct model *model = load(crlf);
    assert_int_equal(model->point_count, 4);
    assert_string_equal(model->surfaces[0].name, "plate");
    model = load(one_line);
    assert_int_equal(model->point_count, 4);
    assert_string_equal(model->surfaces[0].name, "plate_skin");
    free(crlf);
    free(one_line);
}

TEST(a_file_cut_short_is_refused_at_every_length)
{
    size_t whole = whole_from(mesh_text);
    for (size_t size = 0; size <= strlen(mesh_text); size++) {
        struct error err;
        struct model *model = load_bytes(mesh_text, size, &err);
        if ((model != NULL) != (size >= whole))
            fail_msg("%zu of %zu bytes: %s", size, strlen(mesh_text), model ? "loaded" : err.text);
        model_free(model);
    }
}

/* Between two meshes a cut cannot be told from a wrong numMeshes, but it never goes unsaid. */
TEST(a_file_cut_between_meshes_is_odd)
{
    char *text = with_change(mesh_text, "numMeshes 1", "numMeshes 2");
    char *twice = must_printf("%s%s", text, strstr(text, "mesh {"));
    size_t first = whole_from(text), whole = whole_from(twice);
    for (size_t size = first; size < whole; size++) {
        struct error err;
        struct model *model = load_bytes(twice, size, &err);
        if (model)
            assert_odd(model, "numMeshes is 2, the file has 1 (was it cut short?)");
        model_free(model);
    }
    struct model *model = load(twice);
    assert_int_equal(model->surface_count, 2);
    assert_string_equal(model->surfaces[1].name, "plate_2");
    assert_int_equal(model->oddities.count, 0);
    free(text);
    free(twice);
}
