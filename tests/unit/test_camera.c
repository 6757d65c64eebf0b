#include "model/camera.h"
#include "test.h"

#include <cglm/mat3.h>
#include <cglm/mat4.h>
#include <math.h>

enum { MAX_POINTS = 64 };

/* Just enough of a model and its mesh for the framing. */
struct cloud {
    struct model model;
    struct mesh mesh;
    vec3 positions[MAX_POINTS];
    uint32_t used[MAX_POINTS];
};

static void cloud_add(struct cloud *cloud, float x, float y, float z)
{
    uint32_t i = cloud->model.used_point_count++;
    assert_true(i < MAX_POINTS);
    cloud->positions[i][0] = x;
    cloud->positions[i][1] = y;
    cloud->positions[i][2] = z;
    cloud->used[i] = i;
    cloud->model.used_points = cloud->used;
    cloud->model.point_count = cloud->mesh.point_count = i + 1;
    cloud->mesh.positions = cloud->positions;
}

static void cloud_add_box(struct cloud *cloud, const vec3 low, const vec3 high)
{
    for (int i = 0; i < 8; i++)
        cloud_add(cloud, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
}

/* A lopsided heap of points, so that no symmetry hides a mistake. */
static void cloud_add_heap(struct cloud *cloud, float size)
{
    for (int i = 0; i < 24; i++)
        cloud_add(cloud, size * sinf(i * 1.3f) + size, 0.5f * size * cosf(i * 2.1f) - 3 * size,
                  0.8f * size * sinf(i * 3.7f + 1) + 0.25f * size);
}

static const uint32_t SQUARE[2] = {128, 128}, WIDE[2] = {256, 96}, TALL[2] = {64, 160};
static const struct fit TIGHT = {.scope = FIT_JOB}, LOOSE = {.scope = FIT_JOB, .margin = 0.1f};

static struct camera looking(float yaw, float pitch)
{
    return (struct camera){.name = "test", .yaw_deg = yaw, .pitch_deg = pitch};
}

static struct camera perspective(float yaw, float pitch, float fov)
{
    return (struct camera){
        .projection = PROJECTION_PERSPECTIVE, .fov_deg = fov, .yaw_deg = yaw, .pitch_deg = pitch};
}

static struct camera standing(enum projection projection, const vec3 eye, const vec3 target)
{
    struct camera camera = {.projection = projection, .fov_deg = 40, .has_eye = true, .up = {0, 0, 1}};
    memcpy(camera.eye, eye, sizeof camera.eye);
    memcpy(camera.target, target, sizeof camera.target);
    return camera;
}

/* The pixel and the depth (-1 near plane, 1 far plane) of a point. */
static void project(const struct view *view, const uint32_t cell_px[2], const vec3 point, double pixel[3])
{
    vec4 p = {point[0], point[1], point[2], 1}, clip;
    mat4 all;
    glm_mat4_mul((vec4 *)view->view_to_clip, (vec4 *)view->world_to_view, all);
    glm_mat4_mulv(all, p, clip);
    pixel[0] = (1 + clip[0] / clip[3]) / 2 * cell_px[0];
    pixel[1] = (1 - clip[1] / clip[3]) / 2 * cell_px[1];
    pixel[2] = clip[2] / clip[3];
}

struct seen {
    double left, top, right, bottom, nearest, farthest;
};

static struct seen see(const struct view *view, const uint32_t cell_px[2], const struct cloud *cloud)
{
    struct seen seen = {INFINITY, INFINITY, -INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < cloud->model.used_point_count; i++) {
        double pixel[3];
        project(view, cell_px, cloud->positions[i], pixel);
        seen.left = fmin(seen.left, pixel[0]);
        seen.right = fmax(seen.right, pixel[0]);
        seen.top = fmin(seen.top, pixel[1]);
        seen.bottom = fmax(seen.bottom, pixel[1]);
        seen.nearest = fmin(seen.nearest, pixel[2]);
        seen.farthest = fmax(seen.farthest, pixel[2]);
    }
    return seen;
}

static struct framing frame(const struct cloud *cloud, const struct camera *camera, const struct fit *fit,
                            const uint32_t cell_px[2])
{
    struct framing framing;
    framing_init(&framing, camera, fit, cell_px);
    framing_add(&framing, cloud->model.used_points, cloud->model.used_point_count, &cloud->mesh,
                (mat4)GLM_MAT4_IDENTITY_INIT);
    return framing;
}

static struct view view_alone(const struct cloud *cloud, const struct camera *camera, const struct fit *fit,
                              const uint32_t cell_px[2])
{
    struct framing framing = frame(cloud, camera, fit, cell_px);
    struct view view;
    framing_view(&framing, framing_scale(&framing), &view);
    return view;
}

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", actual, expected);
}

static void assert_finite(const struct view *view)
{
    for (int i = 0; i < 16; i++) {
        assert_true(isfinite(view->world_to_view[i / 4][i % 4]));
        assert_true(isfinite(view->view_to_clip[i / 4][i % 4]));
    }
    assert_true(isfinite(view->pixels_per_unit));
    assert_true(isfinite(view->pivot_px[0]) && isfinite(view->pivot_px[1]));
    assert_true(view->view_to_clip[0][0] != 0 && view->view_to_clip[1][1] != 0 && view->view_to_clip[2][2] != 0);
}

/* Everything is inside the margin and between the planes, and on one axis it reaches the margin on both sides. */
static void assert_fits(const struct cloud *cloud, const struct camera *camera, const struct fit *fit,
                        const uint32_t cell_px[2])
{
    struct view view = view_alone(cloud, camera, fit, cell_px);
    assert_finite(&view);
    struct seen seen = see(&view, cell_px, cloud);
    double margin_x = cell_px[0] * fit->margin, margin_y = cell_px[1] * fit->margin, slop = 0.01;
    double left = seen.left - margin_x, right = cell_px[0] - margin_x - seen.right;
    double top = seen.top - margin_y, bottom = cell_px[1] - margin_y - seen.bottom;
    assert_true(left > -slop && right > -slop && top > -slop && bottom > -slop);
    bool touches_across = left < slop && right < slop, touches_down = top < slop && bottom < slop;
    assert_true(touches_across || touches_down);
    assert_true(seen.nearest > -1 && seen.farthest < 1);
}

static void assert_fits_everywhere(enum projection projection, float size)
{
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, size);
    for (float yaw = -170; yaw <= 190; yaw += 45)
        for (float pitch = -90; pitch <= 90; pitch += 30) {
            struct camera camera = projection ? perspective(yaw, pitch, 35) : looking(yaw, pitch);
            camera.roll_deg = yaw / 7;
            assert_fits(&cloud, &camera, &TIGHT, SQUARE);
            assert_fits(&cloud, &camera, &LOOSE, WIDE);
            assert_fits(&cloud, &camera, &LOOSE, TALL);
        }
}

/* Where in the picture a point on an axis lies as seen from the origin: -1, 0 or 1 right and down, and towards
 * the viewer. */
static void assert_sees(struct camera camera, const vec3 axis, int right, int down, int towards)
{
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-1, -1, -1}, (vec3){1, 1, 1});
    struct view view = view_alone(&cloud, &camera, &TIGHT, SQUARE);
    double origin[3], pixel[3];
    project(&view, SQUARE, (vec3){0, 0, 0}, origin);
    project(&view, SQUARE, axis, pixel);
    assert_near((pixel[0] - origin[0]) / view.pixels_per_unit, right, 1e-5);
    assert_near((pixel[1] - origin[1]) / view.pixels_per_unit, down, 1e-5);
    assert_int_equal((pixel[2] < origin[2] - 1e-3) - (pixel[2] > origin[2] + 1e-3), towards);
}

static const vec3 FRONT = {1, 0, 0}, LEFT = {0, 1, 0}, TOP = {0, 0, 1};

TEST(nothing_is_mirrored)
{
    for (float angle = -180; angle <= 180; angle += 15) {
        struct camera camera = looking(angle, angle / 2);
        camera.roll_deg = 3 * angle;
        mat3 rotation, transposed, product;
        camera_orientation(&camera, rotation);
        assert_near(glm_mat3_det(rotation), 1, 1e-6);
        glm_mat3_transpose_to(rotation, transposed);
        glm_mat3_mul(rotation, transposed, product);
        for (int i = 0; i < 9; i++)
            assert_near(product[i / 3][i % 3], i % 4 == 0, 1e-6);
    }
}

TEST(models_fit_and_are_seen_from_the_right_side)
{
    fact("orthographic fit is exact");
    assert_fits_everywhere(PROJECTION_ORTHOGRAPHIC, 20);
    fact("perspective fit is exact");
    assert_fits_everywhere(PROJECTION_PERSPECTIVE, 20);
    fact("tiny and enormous models fit exactly");
    assert_fits_everywhere(PROJECTION_ORTHOGRAPHIC, 1e-6f);
    assert_fits_everywhere(PROJECTION_PERSPECTIVE, 1e-6f);
    assert_fits_everywhere(PROJECTION_ORTHOGRAPHIC, 1e6f);
    assert_fits_everywhere(PROJECTION_PERSPECTIVE, 1e6f);
    fact("narrow and wide fields of view fit exactly");
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 1);
    const float fovs[] = {1, 10, 90, 150};
    for (int i = 0; i < 4; i++) {
        struct camera camera = perspective(30, 20, fovs[i]);
        assert_fits(&cloud, &camera, &LOOSE, WIDE);
    }
    fact("a needle seen end on fits in perspective");
    cloud = (struct cloud){0};
    cloud_add_box(&cloud, (vec3){-50, -0.001f, -0.001f}, (vec3){50, 0.001f, 0.001f});
    struct camera camera = perspective(0, 0, 35);
    struct view view = view_alone(&cloud, &camera, &TIGHT, SQUARE);
    struct seen seen = see(&view, SQUARE, &cloud);
    assert_finite(&view);
    assert_true(seen.left >= 0 && seen.right <= 128 && seen.nearest > -1 && seen.farthest < 1);
    fact("points without triangles do not count");
    cloud = (struct cloud){0};
    cloud_add_box(&cloud, (vec3){-1, -1, -1}, (vec3){1, 1, 1});
    cloud_add(&cloud, 100, 100, 100);
    cloud.model.used_point_count--;
    camera = looking(0, 0);
    assert_near(view_alone(&cloud, &camera, &TIGHT, SQUARE).pixels_per_unit, 64, 1e-4);
    fact("front shows the front with the left side on the right");
    assert_sees(looking(0, 0), FRONT, 0, 0, 1);
    assert_sees(looking(0, 0), LEFT, 1, 0, 0);
    assert_sees(looking(0, 0), TOP, 0, -1, 0);
    fact("yaw 90 sees the left side");
    assert_sees(looking(90, 0), LEFT, 0, 0, 1);
    assert_sees(looking(90, 0), FRONT, -1, 0, 0);
    assert_sees(looking(-90, 0), LEFT, 0, 0, -1);
    assert_sees(looking(-90, 0), FRONT, 1, 0, 0);
    fact("yaw 180 sees the back");
    assert_sees(looking(180, 0), FRONT, 0, 0, -1);
    assert_sees(looking(180, 0), LEFT, -1, 0, 0);
    assert_sees(looking(-540, 0), LEFT, -1, 0, 0);
    fact("pitch 90 looks down with the front at the bottom");
    assert_sees(looking(0, 90), TOP, 0, 0, 1);
    assert_sees(looking(0, 90), FRONT, 0, 1, 0);
    assert_sees(looking(0, 90), LEFT, 1, 0, 0);
    assert_sees(looking(0, -90), TOP, 0, 0, -1);
    assert_sees(looking(0, -90), FRONT, 0, -1, 0);
    fact("roll turns the picture counter clockwise");
    camera = looking(0, 0);
    camera.roll_deg = 90;
    assert_sees(camera, TOP, -1, 0, 0);
    assert_sees(camera, LEFT, 0, -1, 0);
    fact("an explicit eye sees what the angles see");
    camera = standing(PROJECTION_ORTHOGRAPHIC, (vec3){0, 5, 0}, (vec3){0, 0, 0});
    assert_sees(camera, LEFT, 0, 0, 1);
    assert_sees(camera, FRONT, -1, 0, 0);
    assert_sees(camera, TOP, 0, -1, 0);
    fact("quarter turns are exact");
    for (int quarter = -9; quarter <= 9; quarter++) {
        camera = looking(90 * quarter, 0);
        mat3 rotation;
        camera_orientation(&camera, rotation);
        for (int i = 0; i < 9; i++) {
            float value = fabsf(rotation[i / 3][i % 3]);
            assert_true(value == 0 || value == 1);
        }
    }
}

static void assert_pivot_is_the_origin(const struct camera *camera, const uint32_t cell_px[2])
{
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 5);
    struct view view = view_alone(&cloud, camera, &LOOSE, cell_px);
    double pixel[3];
    project(&view, cell_px, (vec3){0, 0, 0}, pixel);
    assert_near(view.pivot_px[0], pixel[0], 1e-2);
    assert_near(view.pivot_px[1], pixel[1], 1e-2);
}

TEST(pivot_is_where_the_origin_projects)
{
    struct camera a = looking(33, 21), b = perspective(33, 21, 50);
    struct camera c = standing(PROJECTION_PERSPECTIVE, (vec3){30, 20, 10}, (vec3){0, -10, 0});
    struct camera d = standing(PROJECTION_ORTHOGRAPHIC, (vec3){30, 20, 10}, (vec3){0, -10, 0});
    assert_pivot_is_the_origin(&a, WIDE);
    assert_pivot_is_the_origin(&b, TALL);
    assert_pivot_is_the_origin(&c, SQUARE);
    assert_pivot_is_the_origin(&d, WIDE);
}

/* Pixels between two points one unit apart at the origin's depth. */
static double measured_scale(const struct view *view, const uint32_t cell_px[2])
{
    double a[3], b[3];
    vec3 step = {view->world_to_view[0][0], view->world_to_view[1][0], view->world_to_view[2][0]};
    project(view, cell_px, (vec3){0, 0, 0}, a);
    project(view, cell_px, step, b);
    return hypot(b[0] - a[0], b[1] - a[1]);
}

/* The origin is at its pixel, everything is inside the margin, and somewhere reaches it. */
static void assert_fits_around_origin(const struct cloud *cloud, const struct camera *camera,
                                      const struct fit *fit, const uint32_t cell_px[2], float x, float y)
{
    struct view view = view_alone(cloud, camera, fit, cell_px);
    struct seen seen = see(&view, cell_px, cloud);
    double pixel[3], slop = 0.01, margin_x = cell_px[0] * fit->margin, margin_y = cell_px[1] * fit->margin;
    project(&view, cell_px, (vec3){0, 0, 0}, pixel);
    assert_finite(&view);
    assert_true(view.pivot_px[0] == x && view.pivot_px[1] == y);
    assert_near(pixel[0], x, 2e-3);
    assert_near(pixel[1], y, 2e-3);
    double across = fmin(seen.left, cell_px[0] - seen.right) - margin_x;
    double down = fmin(seen.top, cell_px[1] - seen.bottom) - margin_y;
    assert_near(fmin(across, down), 0, slop);
    assert_true(seen.nearest > -1 && seen.farthest < 1 && !view.is_cropped);
}

TEST(an_origin_stands_at_its_pixel_from_every_side)
{
    const struct fit fit = {.margin = 0.1f, .has_origin = true, .origin = {0.3f, 0.85f}};
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 20);
    cloud_add(&cloud, 5, 5, -9);
    for (float yaw = -170; yaw <= 190; yaw += 45)
        for (float pitch = -60; pitch <= 90; pitch += 30)
            for (int projection = 0; projection < 2; projection++) {
                struct camera camera = projection ? perspective(yaw, pitch, 35) : looking(yaw, pitch);
                assert_fits_around_origin(&cloud, &camera, &fit, SQUARE, 38, 109);
                assert_fits_around_origin(&cloud, &camera, &fit, WIDE, 77, 82);
                assert_fits_around_origin(&cloud, &camera, &fit, TALL, 19, 136);
            }
}

TEST(an_origin_needs_room_where_the_model_is)
{
    struct fit fit = {.has_origin = true, .origin = {0.5f, 1}};
    const struct camera eye = standing(PROJECTION_ORTHOGRAPHIC, (vec3){9, 0, 7}, (vec3){0, 5, 7});
    struct camera cameras[] = {looking(20, 0), perspective(20, 0, 35), eye};
    struct cloud above = {0}, below = {0};
    cloud_add_box(&above, (vec3){-1, -1, 0}, (vec3){1, 1, 3});
    cloud_add_box(&below, (vec3){-1, -1, -0.01f}, (vec3){1, 1, 3});
    for (int c = 0; c < 3; c++) {
        struct view view = view_alone(&below, &cameras[c], &fit, SQUARE);
        assert_true(view.pixels_per_unit == 0);
        assert_finite(&view);
    }
    assert_fits_around_origin(&above, &cameras[0], &fit, SQUARE, 64, 128);
    assert_fits_around_origin(&above, &eye, &fit, SQUARE, 64, 128);
    fact("at a given scale it is cropped");
    fit.pixels_per_unit = 10;
    struct view view = view_alone(&below, &cameras[0], &fit, SQUARE);
    assert_true(view.is_cropped && view.pivot_px[1] == 128 && view.pixels_per_unit == 10);
    fact("the margin is room, too");
    fit.origin[1] = 0.75f, fit.margin = 0.2f, fit.pixels_per_unit = 31;
    view = view_alone(&above, &cameras[0], &fit, SQUARE);
    assert_false(view.is_cropped);
    assert_near(view.fitting_scale, 32, 1e-4); /* 96 pixels above the origin */
    struct cloud nothing = {0};
    view = view_alone(&nothing, &cameras[1], &fit, SQUARE);
    assert_finite(&view);
}

enum { VIEWS = 6 };

/* Two jobs of one group, with cameras of both projections. */
static void look(const struct fit *fit, const uint32_t cells[2][2], struct framing framings[VIEWS])
{
    static const struct camera cameras[VIEWS] = {
        {.yaw_deg = 20, .pitch_deg = 30},
        {.yaw_deg = 20, .pitch_deg = 30},
        {.yaw_deg = 110},
        {.yaw_deg = 200, .pitch_deg = 60},
        {.yaw_deg = 110},
        {.yaw_deg = 290, .pitch_deg = 20},
    };
    static struct camera shown[VIEWS];
    memcpy(shown, cameras, sizeof shown);
    for (int i = 0; i < VIEWS; i++) {
        struct cloud cloud = {0};
        cloud_add_heap(&cloud, i % 2 ? 7 : 4);
        cloud_add_box(&cloud, (vec3){-2, -1, -3}, (vec3){1, 2, 5 + i});
        shown[i].projection = i % 3 == 1 ? PROJECTION_PERSPECTIVE : PROJECTION_ORTHOGRAPHIC;
        shown[i].fov_deg = 35;
        framings[i] = frame(&cloud, &shown[i], fit, cells[i % 2]);
    }
}

static float smallest_scale(const struct framing framings[VIEWS])
{
    float scale = INFINITY;
    for (int i = 0; i < VIEWS; i++)
        scale = fminf(scale, framing_scale(&framings[i]));
    return scale;
}

/* By trying all of a cell's pixels, along the axes that are `auto`. */
static float best_by_trying(const struct fit *fit, const uint32_t cells[2][2])
{
    struct fit tried = *fit;
    struct framing framings[VIEWS];
    const uint32_t step = fit->origin_step_px ? fit->origin_step_px : 1;
    float best = 0;
    for (uint32_t x = 0; x <= cells[0][0]; x += step)
        for (uint32_t y = 0; y <= cells[0][1]; y += step) {
            tried.origin[0] = fit->origin[0] == ORIGIN_AUTO ? (float)x / (float)cells[0][0] : fit->origin[0];
            tried.origin[1] = fit->origin[1] == ORIGIN_AUTO ? (float)y / (float)cells[0][1] : fit->origin[1];
            look(&tried, cells, framings);
            best = fmaxf(best, smallest_scale(framings));
        }
    return best;
}

TEST(no_other_pixel_is_better_than_the_origin_that_is_found)
{
    static const uint32_t cells[][2][2] = {{{31, 40}, {31, 40}}, {{48, 36}, {24, 18}}};
    static const struct fit fits[] = {
        {.has_origin = true, .origin = {ORIGIN_AUTO, ORIGIN_AUTO}},
        {.has_origin = true, .origin = {ORIGIN_AUTO, ORIGIN_AUTO}, .margin = 0.07f, .origin_step_px = 3},
        {.has_origin = true, .origin = {0.4f, ORIGIN_AUTO}, .margin = 0.05f},
        {.has_origin = true, .origin = {ORIGIN_AUTO, 0.85f}, .margin = 0.05f},
    };
    for (unsigned c = 0; c < 2; c++)
        for (unsigned f = 0; f < sizeof fits / sizeof *fits; f++) {
            struct framing framings[VIEWS];
            look(&fits[f], cells[c], framings);
            framings_place(framings, VIEWS);
            const float found = smallest_scale(framings), most = best_by_trying(&fits[f], cells[c]);
            assert_true(most > 0);
            assert_near(found, most, 1e-6 * most);
            for (int i = 0; i < VIEWS; i++) {
                struct view view;
                framing_view(&framings[i], found, &view);
                assert_true(view.pivot_px[0] == framings[i].pivot_px[0] &&
                            fmodf(view.pivot_px[1], fmaxf(fits[f].origin_step_px, 1)) == 0 && !view.is_cropped);
                for (int axis = 0; axis < 2; axis++)
                    if (fits[f].origin[axis] != ORIGIN_AUTO)
                        assert_true(view.pivot_px[axis] ==
                                    roundf(fits[f].origin[axis] * (float)cells[c][i % 2][axis]));
            }
        }
}

TEST(what_a_given_origin_costs_is_told_with_the_best_one)
{
    static const uint32_t cells[2][2] = {{31, 40}, {31, 40}};
    struct fit given = {.has_origin = true, .origin = {0.4f, 0.95f}},
               both = {.has_origin = true, .origin = {ORIGIN_AUTO, ORIGIN_AUTO}};
    struct framing framings[VIEWS], best[VIEWS];
    vec2 at;
    look(&given, cells, framings);
    look(&both, cells, best);
    framings_place(best, VIEWS);
    assert_near(framings_gain(framings, VIEWS, at) * smallest_scale(framings), smallest_scale(best), 1e-4);
    assert_near(framings_gain(best, VIEWS, at), 1, 1e-6);
    memcpy(given.origin, at, sizeof at);
    look(&given, cells, framings);
    assert_true(framings_gain(framings, VIEWS, at) < 1.011f);
    assert_true(at[0] == given.origin[0] && at[1] == given.origin[1]);
}

TEST(an_origin_is_found_where_nothing_or_one_side_is_seen)
{
    const struct fit fit = {.has_origin = true, .origin = {ORIGIN_AUTO, ORIGIN_AUTO}, .margin = 0.1f};
    struct cloud nothing = {0}, above = {0};
    struct camera camera = looking(0, 0);
    cloud_add_box(&above, (vec3){-1, 0, 0}, (vec3){1, 0, 3});
    struct framing none = frame(&nothing, &camera, &fit, SQUARE), some = frame(&above, &camera, &fit, SQUARE);
    framings_place(&none, 1);
    framings_place(&some, 1);
    assert_true(none.pivot_px[0] == 64 && none.pivot_px[1] == 64);
    assert_true(some.pivot_px[0] == 64 && some.pivot_px[1] == 115); /* of 128, outside the margin of 12.8 */
    const struct fit high = {.has_origin = true, .origin = {0.5f, 0.5f}, .margin = 0.1f};
    vec2 best;
    some = frame(&above, &camera, &high, SQUARE);
    assert_true(framings_gain(&some, 1, best) > 1 && best[0] == 0.5f && best[1] == 115 / 128.f);
}

TEST(scale_is_true_at_the_depth_of_the_origin)
{
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 5);
    struct camera a = looking(33, 21), b = perspective(33, 21, 50);
    struct view view = view_alone(&cloud, &a, &LOOSE, WIDE);
    assert_near(measured_scale(&view, WIDE), view.pixels_per_unit, 1e-3);
    view = view_alone(&cloud, &b, &LOOSE, WIDE);
    assert_near(measured_scale(&view, WIDE), view.pixels_per_unit, 1e-3);
}

TEST(given_pixels_per_unit_are_kept_by_both_projections)
{
    struct fit fit = {.scope = FIT_JOB, .pixels_per_unit = 7};
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-2, -2, -2}, (vec3){2, 2, 2}); /* its centre is at the origin's depth */
    struct camera a = looking(33, 21), b = perspective(33, 21, 50);
    assert_near(view_alone(&cloud, &a, &fit, WIDE).pixels_per_unit, 7, 1e-5);
    assert_near(view_alone(&cloud, &b, &fit, TALL).pixels_per_unit, 7, 1e-4);
}

TEST(cameras_of_a_scope_share_the_smallest_scale)
{
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-1, -8, 0}, (vec3){1, 8, 4}); /* wide from the front, narrow from the side */
    struct camera cameras[] = {looking(0, 0), looking(90, 0), perspective(0, 0, 30), perspective(90, 0, 30)};
    float scale = INFINITY;
    struct framing framings[4];
    for (int i = 0; i < 4; i++) {
        framings[i] = frame(&cloud, &cameras[i], &TIGHT, SQUARE);
        scale = fminf(scale, framing_scale(&framings[i]));
    }
    assert_true(framing_scale(&framings[1]) > 3 * scale);
    for (int i = 0; i < 4; i++) {
        struct view view;
        framing_view(&framings[i], scale, &view);
        struct seen seen = see(&view, SQUARE, &cloud);
        assert_near(view.pixels_per_unit, scale, 1e-4 * scale);
        assert_near((seen.left + seen.right) / 2, 64, 1e-3);
        assert_true(seen.left > -1e-3 && seen.top > -1e-3 && seen.right < 128.001 && seen.bottom < 128.001);
    }
}

TEST(framings_match_when_camera_cell_and_margin_do)
{
    struct camera a = looking(20, 30), same = looking(20, 30), turned = looking(21, 30);
    struct camera near = perspective(20, 30, 40), wide = perspective(20, 30, 41);
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 1);
    struct framing base = frame(&cloud, &a, &TIGHT, SQUARE), lens = frame(&cloud, &near, &TIGHT, SQUARE);
    struct framing others[] = {
        frame(&cloud, &turned, &TIGHT, SQUARE), frame(&cloud, &a, &LOOSE, SQUARE),
        frame(&cloud, &a, &TIGHT, WIDE),        frame(&cloud, &near, &TIGHT, SQUARE),
        frame(&cloud, &wide, &TIGHT, SQUARE),
    };
    struct framing equal = frame(&cloud, &same, &TIGHT, SQUARE);
    assert_true(framing_matches(&base, &equal));
    for (int i = 0; i < 5; i++)
        assert_false(framing_matches(&base, &others[i]));
    assert_false(framing_matches(&lens, &others[4]));
    const struct fit corner = {.scope = FIT_JOB, .has_origin = true},
                     middle = {FIT_JOB, .has_origin = true, .origin = {0.5f, 0.5f}};
    struct framing placed = frame(&cloud, &a, &corner, SQUARE), other = frame(&cloud, &a, &middle, SQUARE);
    assert_false(framing_matches(&base, &placed));
    assert_false(framing_matches(&placed, &other));
}

TEST(an_explicit_perspective_eye_is_kept)
{
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 5);
    struct camera camera = standing(PROJECTION_PERSPECTIVE, (vec3){40, 10, 30}, (vec3){5, -15, 1});
    struct framing framing = frame(&cloud, &camera, &LOOSE, WIDE);
    assert_true(isinf(framing_scale(&framing)));
    struct view view;
    framing_view(&framing, 3, &view);
    vec4 eye = {40, 10, 30, 1}, target = {5, -15, 1, 1}, out;
    glm_mat4_mulv(view.world_to_view, eye, out);
    assert_near(hypot(hypot(out[0], out[1]), out[2]), 0, 1e-4);
    glm_mat4_mulv(view.world_to_view, target, out);
    assert_near(out[0], 0, 1e-4);
    assert_near(out[1], 0, 1e-4);
    assert_true(out[2] < 0);
    assert_near(2 * atan(1 / view.view_to_clip[1][1]) * 180 / M_PI, 40, 1e-3);
    struct seen seen = see(&view, WIDE, &cloud);
    assert_true(seen.nearest > -1 && seen.farthest < 1);
}

TEST(an_eye_inside_or_past_the_model_has_sane_planes)
{
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-10, -10, -10}, (vec3){10, 10, 10});
    struct camera inside = standing(PROJECTION_PERSPECTIVE, (vec3){0, 0, 0}, (vec3){5, 0, 0});
    struct camera past = standing(PROJECTION_PERSPECTIVE, (vec3){50, 0, 0}, (vec3){60, 0, 0});
    const struct camera *cameras[] = {&inside, &past};
    for (int i = 0; i < 2; i++) {
        struct view view = view_alone(&cloud, cameras[i], &TIGHT, SQUARE);
        assert_finite(&view);
        assert_near(view.pivot_px[0], 64, 1e-6); /* the origin is not in front of either */
        assert_near(view.pixels_per_unit, 0, 0);
        double near = view.view_to_clip[3][2] / (view.view_to_clip[2][2] - 1);
        double far = view.view_to_clip[3][2] / (view.view_to_clip[2][2] + 1);
        assert_true(near > 0 && far > near && far < 5000 * near);
    }
}

static void assert_finite_from_everywhere(const struct cloud *cloud)
{
    const float scales[] = {INFINITY, 1e-6f, 1, 1e6f};
    const struct camera cameras[] = {
        looking(0, 0),
        looking(30, 40),
        perspective(0, 0, 35),
        perspective(30, 40, 35),
        standing(PROJECTION_PERSPECTIVE, (vec3){3, 4, 5}, (vec3){0, 0, 0}),
        standing(PROJECTION_ORTHOGRAPHIC, (vec3){3, 4, 5}, (vec3){0, 0, 0}),
    };
    for (size_t i = 0; i < sizeof cameras / sizeof *cameras; i++) {
        struct framing framing = frame(cloud, &cameras[i], &LOOSE, WIDE);
        struct view view;
        framing_view(&framing, framing_scale(&framing), &view);
        assert_finite(&view);
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
            framing_view(&framing, scales[k], &view);
            assert_finite(&view);
        }
    }
}

TEST(a_single_point_gives_a_finite_view_around_it)
{
    const float places[] = {0, 1e-6f, 1, 1e6f};
    for (int i = 0; i < 4; i++) {
        struct cloud cloud = {0};
        cloud_add(&cloud, places[i], -places[i], 0.3f * places[i]);
        assert_finite_from_everywhere(&cloud);
        struct camera a = looking(25, 35), b = perspective(25, 35, 35);
        struct framing framing = frame(&cloud, &a, &TIGHT, SQUARE);
        assert_true(isinf(framing_scale(&framing)));
        framing = frame(&cloud, &b, &TIGHT, SQUARE);
        assert_true(isinf(framing_scale(&framing)));
    }
}

TEST(special_views_are_sane)
{
    fact("merging sees what both have seen");
    struct cloud a = {0}, b = {0}, both = {0};
    cloud_add_box(&a, (vec3){-1, 0, 0}, (vec3){1, 1, 9});
    cloud_add_box(&b, (vec3){3, -4, 2}, (vec3){5, 0, 3});
    cloud_add_box(&both, (vec3){-1, 0, 0}, (vec3){1, 1, 9});
    cloud_add_box(&both, (vec3){3, -4, 2}, (vec3){5, 0, 3});
    struct camera camera = perspective(20, 30, 40);
    struct framing merged = frame(&a, &camera, &TIGHT, SQUARE), other = frame(&b, &camera, &TIGHT, SQUARE);
    framing_merge(&merged, &other);
    struct framing expected = frame(&both, &camera, &TIGHT, SQUARE);
    assert_memory_equal(merged.most, expected.most, sizeof merged.most);
    fact("an explicit orthographic eye keeps its line of sight in the centre");
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-1, 0, 0}, (vec3){1, 8, 2});
    camera = standing(PROJECTION_ORTHOGRAPHIC, (vec3){0.5f, 0, 0}, (vec3){0, 0, 0});
    struct view view = view_alone(&cloud, &camera, &TIGHT, SQUARE);
    struct seen seen = see(&view, SQUARE, &cloud);
    assert_near(view.pixels_per_unit, 8, 1e-4); /* 8 units to the right fill half of the 128 pixels */
    assert_near(view.pivot_px[0], 64, 1e-3);
    assert_near(view.pivot_px[1], 64, 1e-3);
    assert_near(seen.right, 128, 1e-3);
    assert_true(seen.nearest > -1 && seen.farthest < 1); /* also what lies behind the eye */
    fact("nothing to see gives a finite view");
    cloud = (struct cloud){0};
    camera = looking(0, 0);
    struct framing framing = frame(&cloud, &camera, &TIGHT, SQUARE);
    assert_true(isinf(framing_scale(&framing)));
    assert_finite_from_everywhere(&cloud);
    fact("flat models fit from every side");
    cloud = (struct cloud){0};
    cloud_add_box(&cloud, (vec3){-3, 0, -1}, (vec3){3, 0, 2});
    assert_finite_from_everywhere(&cloud);
    struct camera side = looking(0, 0), face = looking(90, 0), above = perspective(90, 90, 60);
    assert_fits(&cloud, &side, &LOOSE, SQUARE);
    assert_fits(&cloud, &face, &LOOSE, SQUARE);
    assert_fits(&cloud, &above, &LOOSE, SQUARE);
    fact("points too large for a float are not framed");
    cloud = (struct cloud){0};
    cloud_add_box(&cloud, (vec3){-1, -1, -1}, (vec3){1, 1, 1});
    cloud_add(&cloud, INFINITY, 0, 0);
    cloud_add(&cloud, NAN, NAN, 0);
    assert_finite_from_everywhere(&cloud);
}

TEST(a_turned_and_moved_model_is_framed_where_it_is)
{
    struct cloud cloud = {0}, moved = {0};
    cloud_add_heap(&cloud, 2);
    /* A quarter turn, three times as large. */
    mat4 place = {{0, 3, 0, 0}, {-3, 0, 0, 0}, {0, 0, 3, 0}, {5, -7, 11, 1}};
    for (uint32_t i = 0; i < cloud.model.used_point_count; i++) {
        vec3 point;
        glm_mat4_mulv3(place, cloud.positions[i], 1, point);
        cloud_add(&moved, point[0], point[1], point[2]);
    }
    struct camera cameras[] = {looking(20, 30), perspective(70, 10, 35)};
    for (int i = 0; i < 2; i++) {
        struct framing framing, expected = frame(&moved, &cameras[i], &TIGHT, SQUARE);
        framing_init(&framing, &cameras[i], &TIGHT, SQUARE);
        framing_add(&framing, cloud.model.used_points, cloud.model.used_point_count, &cloud.mesh, place);
        for (int k = 0; k < FRAMING_LANES; k++)
            assert_near(framing.most[k], expected.most[k], 1e-4);
    }
}

TEST(the_lowest_point_is_that_of_all_that_was_seen)
{
    struct cloud low = {0}, high = {0}, nothing = {0};
    cloud_add_box(&low, (vec3){-1, -1, -2.5f}, (vec3){1, 1, 1});
    cloud_add_box(&high, (vec3){-1, -1, 3}, (vec3){1, 1, 4});
    struct camera camera = perspective(20, 70, 35);
    struct framing framing = frame(&high, &camera, &TIGHT, SQUARE), below = frame(&low, &camera, &TIGHT, SQUARE);
    assert_near(framing_lowest(&framing), 3, 0);
    framing_merge(&framing, &below);
    assert_near(framing_lowest(&framing), -2.5, 0);
    framing = frame(&nothing, &camera, &TIGHT, SQUARE);
    assert_true(isinf(framing_lowest(&framing)));
}

/* tanf() gives another float for these in each of Debian 12 and 13; it showed in the pixels. */
TEST(perspective_is_the_same_with_each_libm)
{
    struct cloud cloud = {0};
    cloud_add_box(&cloud, (vec3){-1, -1, -1}, (vec3){1, 1, 1});
    const float fovs_deg[] = {37, 60, 72}, slopes[] = {0x1.7e8d3cp+1f, 0x1.bb67bp+0f, 0x1.605a9p+0f};
    for (int i = 0; i < 3; i++) {
        struct camera camera = perspective(0, 0, fovs_deg[i]);
        struct view view = view_alone(&cloud, &camera, &TIGHT, WIDE);
        assert_float_equal(view.view_to_clip[1][1], slopes[i], 0);
        assert_float_equal(view.view_to_clip[0][0], slopes[i] * WIDE[1] / WIDE[0], 1e-7);
    }
}

/* The distance of a point from the plane of the camera. */
static double distance_of(const struct view *view, const vec3 point)
{
    vec3 seen;
    glm_mat4_mulv3((vec4 *)view->world_to_view, (float *)point, 1, seen);
    return -seen[2];
}

TEST(depths_are_those_of_the_nearest_and_farthest_point)
{
    struct cloud cloud = {0};
    cloud_add_heap(&cloud, 4);
    struct camera cameras[] = {looking(20, 30), perspective(70, 10, 35)};
    for (int i = 0; i < 2; i++) {
        struct view view = view_alone(&cloud, &cameras[i], &LOOSE, SQUARE);
        double nearest = INFINITY, farthest = -INFINITY;
        for (uint32_t p = 0; p < cloud.model.used_point_count; p++) {
            nearest = fmin(nearest, distance_of(&view, cloud.positions[p]));
            farthest = fmax(farthest, distance_of(&view, cloud.positions[p]));
        }
        assert_near(view.nearest, nearest, 1e-4);
        assert_near(view.farthest, farthest, 1e-4);
    }
}

TEST(depths_have_a_range_whatever_is_seen)
{
    struct cloud clouds[4] = {0}; /* nothing, a point, a plane seen from the front, what is behind the eye */
    cloud_add(&clouds[1], 1e5f, 2, 3);
    cloud_add_box(&clouds[2], (vec3){5, -1, -1}, (vec3){5, 1, 1});
    cloud_add_box(&clouds[3], (vec3){50, -1, -1}, (vec3){60, 1, 1});
    struct camera cameras[] = {looking(0, 0), perspective(0, 0, 35),
                               standing(PROJECTION_PERSPECTIVE, (vec3){20, 0, 0}, (vec3){0, 0, 0})};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            struct view view = view_alone(&clouds[i], &cameras[c], &TIGHT, SQUARE);
            assert_true(view.nearest >= 0 && view.nearest < view.farthest && isfinite(view.farthest));
        }
}
