/* The tetrahedron of the fixture shows, from the front, y and z of 0-10 in its first frame, 2-22 and 3-23 in its
 * second ("run" is both), and 0-5 in its third ("hop"). Margins are 0, so a cell of 100 pixels shows 23 units at
 * 100 / 23 pixels each. */
#include "job_fixture.h"
#include "test.h"

#include "plan/scene.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

#define THING "    model: models/thing.md2\n    sampling: {frames: all}\n    cell: 100\n"

/* One job of the tetrahedron, with these keys, and its views. */
struct one {
    struct fixture fixture;
    struct plan *plan;
    struct views views;
};

static struct one open_one(const char *keys)
{
    struct error err;
    char *text = must_printf("jobs:\n  - name: it\n" THING "%s", keys);
    struct one one = {.fixture = fixture_open(text)};
    free(text);
    one.plan = fixture_plan(&one.fixture, 0);
    assert_int_equal(views_init(&one.views, one.plan, NULL, &err), 0);
    return one;
}

static void close_one(struct one *one)
{
    views_release(&one->views);
    plan_free(one->plan);
    fixture_release(&one->fixture);
}

static const struct view *view(const struct one *one, uint32_t take, uint32_t sample, uint32_t camera)
{
    return views_of(&one->views, &(struct cell){.take = take, .sample = sample, .camera = camera});
}

static void expect_scale(const struct view *view, double wanted)
{
    assert_float_equal(view->pixels_per_unit, wanted, 1e-4);
}

static void expect_pivot(const struct view *view, double x, double y)
{
    assert_float_equal(view->pivot_px[0], x, 1e-3);
    assert_float_equal(view->pivot_px[1], y, 1e-3);
}

/* -- Scopes ------------------------------------------------------------------------------------------------ */

TEST(scopes_share_scales)
{
    fact("scope job shows all samples alike");
    struct one one = open_one("    cameras: [front]\n    fit: {scope: job, margin: 0}\n");
    expect_scale(view(&one, 0, 0, 0), 100 / 23.0);
    assert_ptr_equal(view(&one, 0, 0, 0), view(&one, 0, 1, 0));
    assert_ptr_equal(view(&one, 0, 0, 0), view(&one, 1, 0, 0));
    expect_pivot(view(&one, 0, 0, 0), 50 - 11 * 100 / 23.0, 100);
    close_one(&one);
    fact("scope animation fits each animation");
    one = open_one("    cameras: [front]\n    fit: {scope: animation, margin: 0}\n");
    expect_scale(view(&one, 0, 0, 0), 100 / 23.0);
    expect_scale(view(&one, 1, 0, 0), 100 / 5.0);
    assert_ptr_equal(view(&one, 0, 0, 0), view(&one, 0, 1, 0));
    close_one(&one);
    fact("scope frame fits each sample");
    one = open_one("    cameras: [front]\n    fit: {scope: frame, margin: 0}\n");
    expect_scale(view(&one, 0, 0, 0), 100 / 10.0);
    expect_scale(view(&one, 0, 1, 0), 100 / 20.0);
    expect_scale(view(&one, 1, 0, 0), 100 / 5.0);
    expect_pivot(view(&one, 0, 0, 0), 0, 100);
    expect_pivot(view(&one, 0, 1, 0), -2 * 5, 100 + 3 * 5);
    close_one(&one);
    fact("scope frame fits each camera by itself");
    one = open_one("    cameras: [front, {yaw: 45}]\n    fit: {scope: frame, margin: 0}\n");
    expect_scale(view(&one, 0, 0, 0), 10);
    expect_scale(view(&one, 0, 0, 1), 100 / (2 * 10 * 0.70710678)); /* x and y, seen along their diagonal */
    close_one(&one);
    fact("cameras of other scopes share a scale");
    static const char *const scopes[] = {"animation", "job"};
    for (size_t i = 0; i < 2; i++) {
        char *keys =
            must_printf("    cameras: [front, {yaw: 45}, top]\n    fit: {scope: %s, margin: 0}\n", scopes[i]);
        one = open_one(keys);
        for (uint32_t camera = 0; camera < 3; camera++)
            expect_scale(view(&one, 0, 1, camera), 100 / (2 * 20 * 0.70710678));
        free(keys);
        close_one(&one);
    }
}

TEST(a_fixed_scale_is_that_of_every_scope)
{
    static const char *const scopes[] = {"frame", "animation", "job"};
    for (size_t i = 0; i < 3; i++) {
        char *keys =
            must_printf("    cameras: [front, top]\n    fit: {scope: %s, pixels_per_unit: 3}\n", scopes[i]);
        struct one one = open_one(keys);
        expect_scale(view(&one, 0, 0, 0), 3);
        expect_scale(view(&one, 0, 1, 1), 3);
        expect_scale(view(&one, 1, 0, 1), 3);
        free(keys);
        close_one(&one);
    }
}

TEST(a_model_that_draws_nothing_has_views)
{
    static const char *const scopes[] = {"frame", "animation", "job"};
    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture = fixture_new();
        struct md2_spec spec = md2_named_frames((const char *const[]){"a1", "a2"}, 2);
        fixture_add_md2(&fixture, "models/thing.md2", &spec); /* all points in one place */
        char *text = must_printf("jobs:\n  - name: it\n" THING "    fit: {scope: %s}\n", scopes[i]);
        fixture_load(&fixture, text);
        fixture_open_assets(&fixture);
        struct one one = {.fixture = fixture, .plan = fixture_plan(&fixture, 0)};
        struct error err;
        assert_int_equal(views_init(&one.views, one.plan, NULL, &err), 0);
        assert_true(view(&one, 0, 1, 0)->pixels_per_unit > 0);
        expect_pivot(view(&one, 0, 1, 0), 50, 50);
        free(text);
        close_one(&one);
    }
}

/* -- Attachments ------------------------------------------------------------------------------------------- */

/* Another tetrahedron beside the job's, that does not move: of y from 50 to 60, while the job's has 0 to 23. */
TEST(attachments_are_framed_with_the_model)
{
    struct one one = open_one("    cameras: [front]\n    fit: {scope: job, margin: 0}\n"
                              "    attach: {model: thing.md2, offset: [0, 50, 0]}\n");
    expect_scale(view(&one, 0, 0, 0), 100 / 60.0);
    expect_pivot(view(&one, 0, 0, 0), 0, 50 + 23 / 2.0 * 100 / 60);
    close_one(&one);
}

/* -- The ground -------------------------------------------------------------------------------------------- */

static float lowest(const struct one *one, uint32_t take, uint32_t sample)
{
    return views_lowest(&one->views, &(struct cell){.take = take, .sample = sample});
}

TEST(the_ground_is_at_the_lowest_point_of_its_scope)
{
    static const struct {
        const char *scope;
        float run[2], hop;
    } cases[] = {{"frame", {0, 3}, 0}, {"animation", {0, 0}, 0}, {"job", {0, 0}, 0}};
    for (size_t i = 0; i < 3; i++) {
        char *keys = must_printf("    fit: {scope: %s}\n    cameras: [front, left]\n", cases[i].scope);
        struct one one = open_one(keys);
        assert_float_equal(lowest(&one, 0, 0), cases[i].run[0], 1e-5);
        assert_float_equal(lowest(&one, 0, 1), cases[i].run[1], 1e-5);
        assert_float_equal(lowest(&one, 1, 0), cases[i].hop, 1e-5);
        free(keys);
        close_one(&one);
    }
}

TEST(attachments_may_reach_lower_than_the_model)
{
    struct one one = open_one("    attach: {model: thing.md2, offset: [0, 0, -7]}\n");
    assert_float_equal(lowest(&one, 0, 1), -7, 1e-5);
    close_one(&one);
}

/* -- Groups ------------------------------------------------------------------------------------------------ */

/* Two jobs: the tetrahedron and one a tenth of its size, which comes first. */
struct two {
    struct fixture fixture;
    struct group group;
    struct plan *plans[2];
    struct views views[2];
};

static void frame_two(struct two *two, const char *group)
{
    struct error err;
    assert_int_equal(group_frame(&two->group, NULL, two->fixture.assets, two->fixture.list, group, NULL, &err), 0);
    for (size_t i = 0; i < 2; i++) {
        two->plans[i] = fixture_plan(&two->fixture, i);
        assert_int_equal(views_init(&two->views[i], two->plans[i], &two->group, &err), 0);
    }
}

static void load_two(struct two *two, const char *small_keys, const char *large_keys)
{
    *two = (struct two){.fixture = fixture_new()};
    static const float boxes[][6] = {{0.1f, 0.1f, 0.1f, 0, 0, 0}, {0.2f, 0.2f, 0.2f, 0.1f, 0.2f, 0.3f}, {0}};
    struct md2_words words;
    struct md2_spec small = md2_tetrahedron(&words);
    small.boxes = boxes;
    fixture_add_md2(&two->fixture, "models/small.md2", &small);
    char *text = must_printf("defaults:\n"
                             "  sampling: {frames: all}\n"
                             "  cameras: [front]\n"
                             "  cell: 100\n"
                             "  fit: {scope: units, margin: 0}\n"
                             "jobs:\n"
                             "  - name: small\n"
                             "    model: models/small.md2\n"
                             "%s"
                             "  - name: large\n"
                             "    model: models/thing.md2\n"
                             "%s"
                             "  - name: other\n" /* and one that has nothing to do with them */
                             "    model: models/thing.md2\n"
                             "    cell: 1\n"
                             "    fit: {scope: others}\n",
                             small_keys, large_keys);
    fixture_load(&two->fixture, text);
    fixture_open_assets(&two->fixture);
    free(text);
}

static struct two open_two(const char *small_keys, const char *large_keys)
{
    struct two two;
    load_two(&two, small_keys, large_keys);
    frame_two(&two, "units");
    return two;
}

static void close_two(struct two *two)
{
    for (size_t i = 0; i < 2; i++) {
        views_release(&two->views[i]);
        plan_free(two->plans[i]);
    }
    group_release(&two->group);
    fixture_release(&two->fixture);
}

static const struct view *group_view(const struct two *two, size_t job, uint32_t camera)
{
    return views_of(&two->views[job], &(struct cell){.take = 1, .camera = camera});
}

TEST(groups_share_scales)
{
    fact("jobs of a group share scale and pivot");
    struct two two = open_two("", "");
    for (size_t job = 0; job < 2; job++) {
        expect_scale(group_view(&two, job, 0), 100 / 23.0);
        expect_pivot(group_view(&two, job, 0), 50 - 11 * 100 / 23.0, 100);
    }
    close_two(&two);
    fact("a group shares its scale among cells of different sizes");
    two = open_two("    cell: 11\n", ""); /* 11 pixels for 2.3 units are 4.8 each: enough */
    expect_scale(group_view(&two, 0, 0), 100 / 23.0);
    expect_scale(group_view(&two, 1, 0), 100 / 23.0);
    /* Each size of cell has its own centre. */
    expect_pivot(group_view(&two, 0, 0), 5.5 - 1.1 * 100 / 23.0, 5.5 + 1.15 * 100 / 23.0);
    expect_pivot(group_view(&two, 1, 0), 50 - 11 * 100 / 23.0, 100);
    close_two(&two);
    fact("the smallest cell may set the scale of a group");
    two = open_two("    cell: 5\n", "");
    expect_scale(group_view(&two, 0, 0), 5 / 2.3);
    expect_scale(group_view(&two, 1, 0), 5 / 2.3);
    close_two(&two);
    fact("cameras of a group are told apart by where they look");
    two = open_two("    cameras: [top, front]\n", "");
    expect_pivot(group_view(&two, 0, 1), 50 - 11 * 100 / 23.0, 100); /* the front of both */
    expect_scale(group_view(&two, 0, 0), 100 / 23.0);
    expect_pivot(group_view(&two, 0, 0), 50 - 1.1 * 100 / 23.0, 50 - 1.05 * 100 / 23.0); /* its top is its own */
    close_two(&two);
    fact("a job that cannot be opened does not count");
    struct error err;
    load_two(&two, "", "    animations: [nonsense]\n");
    assert_int_equal(group_frame(&two.group, NULL, two.fixture.assets, two.fixture.list, "units", NULL, &err), 0);
    assert_int_equal(two.group.framing_count, 1);
    two.plans[0] = fixture_plan(&two.fixture, 0);
    assert_int_equal(views_init(&two.views[0], two.plans[0], &two.group, &err), 0);
    expect_scale(group_view(&two, 0, 0), 100 / 2.3);
    close_two(&two);
    fact("a view that its group does not know is still finite");
    load_two(&two, "", "");
    frame_two(&two, "nobody");
    assert_int_equal(two.group.framing_count, 0);
    expect_scale(group_view(&two, 0, 0), 100); /* as where there is nothing to see: one unit fills the cell */
    expect_pivot(group_view(&two, 0, 0), 50, 50);
    close_two(&two);
    fact("each job of a group stands on its own ground");
    two = open_two("", "    attach: {model: thing.md2, offset: [0, 0, -4]}\n");
    for (uint32_t take = 0; take < 2; take++) {
        assert_float_equal(views_lowest(&two.views[0], &(struct cell){.take = take}), 0, 1e-5);
        assert_float_equal(views_lowest(&two.views[1], &(struct cell){.take = take}), -4, 1e-5);
    }
    close_two(&two);
    fact("the ground of a job that its group does not know is the worlds");
    load_two(&two, "    attach: {model: thing.md2, offset: [0, 0, -4]}\n", "");
    frame_two(&two, "nobody");
    assert_float_equal(views_lowest(&two.views[0], &(struct cell){0}), 0, 0);
    close_two(&two);
}

static bool have_same_look_ups(const struct trace *a, const struct trace *b)
{
    bool is_same = a->count == b->count;
    for (size_t i = 0; i < a->count && is_same; i++) {
        const struct look_up *other = trace_find(b, a->items[i].kind, a->items[i].name), *item = &a->items[i];
        is_same = other && (item->value ? !strcmp(item->value, other->value) : !other->value);
    }
    return is_same;
}

TEST(a_group_is_framed_by_what_others_have_measured)
{
    struct two two = open_two("", "    attach: {model: thing.md2, offset: [0, 0, -4]}\n");
    struct assets *assets = two.fixture.assets;
    const struct group *opened = &two.group;
    struct buffer measures[3] = {0};
    struct group group;
    struct error err;
    for (size_t i = 0; i < 2; i++)
        if (group_measure(NULL, assets, &two.fixture.list->jobs[i], &measures[i], &err) < 0)
            fail_msg("%s", err.text);
    for (size_t i = 0; i < 2; i++) { /* gone: it cannot be opened again */
        char *path = must_printf("%s/assets/models/%s.md2", two.fixture.folder, i ? "thing" : "small");
        assert_int_equal(unlink(path), 0);
        free(path);
    }
    assert_int_equal(group_frame(&group, NULL, assets, two.fixture.list, "units", measures, &err), 0);
    assert_int_equal(group.framing_count, opened->framing_count);
    assert_memory_equal(group.framings[0].most, opened->framings[0].most, sizeof group.framings[0].most);
    assert_true(group.scale == opened->scale && group.job_count == 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(group.jobs[i].job == &two.fixture.list->jobs[i] &&
                    !memcmp(&group.jobs[i].movement, &opened->jobs[i].movement, sizeof group.jobs[i].movement));
    assert_true(group.trace.count > 2 && have_same_look_ups(&group.trace, &opened->trace));
    group_release(&group);

    fact("what is cut within a look-up is not taken, but opened: here, that fails");
    size_t taken = 0;
    for (size_t length = measures[1].length; length-- > 1;) {
        measures[1].length = length;
        assert_int_equal(group_frame(&group, NULL, assets, two.fixture.list, "units", measures, &err), 0);
        taken += group.job_count == 2;
        group_release(&group);
    }
    assert_true(taken > 0 && taken < opened->trace.count);
    for (size_t i = 0; i < 2; i++)
        buffer_release(&measures[i]);
    close_two(&two);
}

TEST(a_job_that_cannot_be_opened_is_measured_as_such)
{
    struct two two;
    struct buffer measures = {0};
    struct error err;
    load_two(&two, "", "    animations: [nonsense]\n");
    const struct job *job = &two.fixture.list->jobs[1];
    assert_int_equal(group_measure(NULL, two.fixture.assets, job, &measures, &err), 0);
    assert_int_equal(measures.text[0], 'f');
    buffer_release(&measures);
    fixture_release(&two.fixture);
}

/* -- Jobs that see the same -------------------------------------------------------------------------------- */

enum { NOT_SEEN = 77 };

/* Opens two jobs of a model, one after the other, and puts a mark in what the first has seen: whether the second has it, and
 * so did not pose the model. Without the mark its views are those that it has by itself. */
static bool sees_what_was_seen(const char *keys, const char *other_keys)
{
    char *text = must_printf("jobs:\n  - name: it\n" THING "%s  - name: other\n" THING "%s", keys, other_keys);
    struct fixture fixture = fixture_open(text);
    struct model_cache *cache = model_cache_new();
    struct plan *plans[3];
    struct views views[3];
    struct error err;
    bool has_mark = false;
    for (int i = 0; i < 3; i++) {
        struct model_cache *models = i < 2 ? cache : NULL;
        if (plan_open(models, fixture.assets, &fixture.list->jobs[i > 0], &plans[i], &err) < 0 ||
            views_init(&views[i], plans[i], NULL, &err) < 0)
            fail_msg("%s", err.text);
        struct model_memo *memo = model_file_memo(&plans[i]->parts[0].file);
        struct movement *movement = (struct movement *)(memo ? memo->answer.text : NULL);
        assert_true(!movement == !models);
        has_mark |= i == 1 && views[1].movement.jump == NOT_SEEN;
        if (i == 0)
            movement->jump = NOT_SEEN;
    }
    views[1].movement.jump = has_mark ? views[2].movement.jump : views[1].movement.jump;
    assert_int_equal(views[1].row_count, views[2].row_count);
    assert_memory_equal(views[1].items, views[2].items,
                        views[1].row_count * views[1].camera_count * sizeof *views[1].items);
    assert_memory_equal(&views[1].movement, &views[2].movement, sizeof views[1].movement);
    for (int i = 0; i < 3; i++) {
        views_release(&views[i]);
        plan_free(plans[i]);
    }
    model_cache_free(cache);
    fixture_release(&fixture);
    free(text);
    return has_mark;
}

TEST(jobs_that_differ_in_style_pose_their_model_once)
{
    static const char *const styles[] = {"", "    background: '#204060'\n", "    passes: [color, normal]\n",
                                         "    fit: {margin: 0.2}\n", "    sheet: {max_size: 512}\n"};
    static const char *const others[] = {
        "    cameras: [left]\n",
        "    cameras: [front, left]\n",
        "    animations: [run]\n",
        "    animations: [hop, run]\n",
        "    animations: [{name: run, sampling: {count: 3}}]\n",
        "    fit: {scope: frame}\n",
        "    fit: {scope: animation}\n",
        "    loop: false\n",
        "    transform: {scale: 2}\n",
        "    attach: {model: thing.md2, offset: [0, 0, 4]}\n",
    };
    for (size_t i = 0; i < COUNT(styles); i++) {
        fact(styles[i]);
        assert_true(sees_what_was_seen("", styles[i]));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        fact(others[i]);
        assert_false(sees_what_was_seen("", others[i]));
        assert_true(sees_what_was_seen(others[i], others[i]));
    }
    fact("another moment between the same keyframes");
    assert_false(sees_what_was_seen("    animations: [{name: run, sampling: {times: [0.02]}}]\n",
                                    "    animations: [{name: run, sampling: {times: [0.05]}}]\n"));
    fact("attachments stand elsewhere");
    assert_false(sees_what_was_seen("    attach: {model: thing.md2, offset: [0, 0, 4]}\n",
                                    "    attach: {model: thing.md2, offset: [0, 0, 5]}\n"));
}
