/* The plate of the fixture with a second mesh, "ghost", that reaches farther: to x = 100 and z = -100. */
#include "job_fixture.h"
#include "test.h"

#include "plan/scene.h"
#include "plan/plan.h"

#define GHOST                                                                                                     \
    "mesh {\n"                                                                                                    \
    "\tshader \"ghost\"\n"                                                                                        \
    "\tnumverts 3\n"                                                                                              \
    "\tvert 0 ( 0 0 ) 0 1\n"                                                                                      \
    "\tvert 1 ( 1 0 ) 1 1\n"                                                                                      \
    "\tvert 2 ( 1 1 ) 2 1\n"                                                                                      \
    "\tnumtris 1\n"                                                                                               \
    "\ttri 0 0 1 2\n"                                                                                             \
    "\tnumweights 3\n"                                                                                            \
    "\tweight 0 0 1 ( 0 0 0 )\n"                                                                                  \
    "\tweight 1 0 1 ( 0 0 -100 )\n"                                                                               \
    "\tweight 2 0 1 ( 100 0 0 )\n"                                                                                \
    "}\n"

#define INVISIBLE " { noshadows }\n"
#define BLENDED " { { blend add map red.png } }\n"

struct one {
    struct fixture fixture;
    struct plan *plan;
};

/* A job of the model, with these materials and keys. */
static struct one open_one(const char *model, const char *materials, const char *keys)
{
    struct one one = {.fixture = fixture_new()};
    char *head = with_change(mesh_text, "numMeshes 1", "numMeshes 2");
    char *both = must_printf("%s%s", head, GHOST);
    char *empty = with_change(mesh_text, "numtris 2\n\ttri 0 0 1 2\n\ttri 1 0 2 3\n", "numtris 0\n");
    char *list = must_printf("jobs:\n  - name: it\n    model: models/%s\n    cameras: [front]\n%s", model, keys);
    fixture_add_text(&one.fixture, "models/haunted.md5mesh", both);
    fixture_add_text(&one.fixture, "models/empty.md5mesh", empty);
    fixture_add_text(&one.fixture, "materials/a.mtr", materials);
    fixture_add_text(&one.fixture, "red.png", "");
    fixture_load(&one.fixture, list);
    fixture_open_assets(&one.fixture);
    one.plan = fixture_plan(&one.fixture, 0);
    free(list);
    free(empty);
    free(both);
    free(head);
    return one;
}

static void close_one(struct one *one)
{
    plan_free(one->plan);
    fixture_release(&one->fixture);
}

static size_t count_warnings(const struct one *one, const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < one->plan->warnings.count; i++)
        count += strstr(one->plan->warnings.items[i], part) != NULL;
    return count;
}

static void expect_warning(const char *model, const char *materials, const char *keys, const char *wanted)
{
    struct one one = open_one(model, materials, keys);
    assert_int_equal(count_warnings(&one, "can be seen"), wanted != NULL);
    if (wanted && !strings_has(&one.plan->warnings, wanted))
        fail_msg("no warning is \"%s\"", wanted);
    close_one(&one);
}

/* The least z that framing has seen, and the box of the bounds pass. */
static void expect_lowest(const char *materials, float wanted)
{
    struct one one = open_one("haunted.md5mesh", materials, "");
    struct views views;
    struct scene scene;
    struct error err;
    vec3 box[2];
    assert_int_equal(views_init(&views, one.plan, NULL, &err), 0);
    assert_int_equal(scene_init(&scene, one.plan, true, &err), 0);
    scene_pose(&scene, 0, 0);
    assert_true(scene_box(&scene, box));
    assert_float_equal(views_lowest(&views, &(struct cell){0}), wanted, 1e-3);
    assert_float_equal(box[0][2], wanted, 1e-3);
    scene_release(&scene);
    views_release(&views);
    close_one(&one);
}

TEST(what_shows_nothing_is_a_warning)
{
    fact("a model without anything to see is a warning");
    expect_warning("plate.md5mesh", "models/plate_skin" INVISIBLE, "",
                   "models/plate.md5mesh: nothing of it can be seen: it has no material that draws anything");
    expect_warning("empty.md5mesh", "", "",
                   "models/empty.md5mesh: nothing of it can be seen: it has no triangles");
    fact("an attachment without anything to see is a warning");
    expect_warning("thing.md2", "models/plate_skin" INVISIBLE, "    attach: {name: hat, model: plate.md5mesh}\n",
                   "models/thing.md2: nothing of attachment 'hat' can be seen: it has no material that draws "
                   "anything");
    fact("what shows something is no warning");
    expect_warning("plate.md5mesh", "models/plate_skin" BLENDED, "", NULL);
    expect_warning("haunted.md5mesh", "ghost" INVISIBLE, "", NULL);
    expect_warning("haunted.md5mesh", "models/plate_skin" INVISIBLE, "", NULL);
    fact("invisible surfaces do not count for framing");
    expect_lowest("", 3 - 100);
    expect_lowest("ghost" BLENDED, 3 - 100);
    expect_lowest("ghost" INVISIBLE, 2.6179f); /* of the plate alone: its bent corner */
}

TEST(a_surface_is_visible_by_its_material)
{
    struct one one = open_one("haunted.md5mesh", "ghost" INVISIBLE, "");
    assert_true(skins_is_visible(&one.plan->parts[0], 0));
    assert_false(skins_is_visible(&one.plan->parts[0], 1));
    close_one(&one);
}
