/* The side that shows the most of a model.
 *
 * Every candidate direction is drawn small, on the CPU and at one scale: which of its pixels the model covers, and
 * where the form turns or steps inside them. A side is worth the area it shows plus the length of those lines. Of all
 * candidates whose worth is near the best's, the one taken is the first in an order of preference: three-quarter views
 * of the front, nearer to the side, the front, the sides, from above. So a figure is seen as a portrait shows it, a
 * rifle from the side, a floor tile from above. The back (a cape has folds) and a view from below are taken only where
 * these show hardly anything, as of a one-sided surface. The same mesh gives the same side everywhere. */
#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/camera.h"

enum { SIDE = 64 }; /* pixels of a candidate's picture */

/* In order of preference. */
static const struct direction {
    float yaw_deg, pitch_deg;
} directions[] = {
    {30, 20},  {330, 20}, {60, 20},  {300, 20}, {0, 15},   {90, 15},  {270, 15},  {30, 50},
    {330, 50}, {0, 75},   {150, 20}, {210, 20}, {180, 15}, {30, -30}, {330, -30}, {0, -75},
};

enum { FRONT_COUNT = 10, DIRECTION_COUNT = sizeof directions / sizeof *directions };

/* How much worth may be given up for a side that comes earlier. */
static const float near_enough = 0.85f;

/* Fronts below this part of the most hardly show anything: seven of 4,061 models, one-sided. Figures have over 0.75. */
static const float hardly_any = 0.5f;

/* Two neighbouring pixels show a line of the form where their surfaces turn this far (about 25 degrees), or lie this
 * part of the model's size apart. */
static const float turn_cosine = 0.9f, step = 0.06f;

struct picture {
    float depths[SIDE][SIDE]; /* along the line of sight, towards the viewer; -INFINITY: nothing there */
    vec3 normals[SIDE][SIDE]; /* of the triangle seen there */
};

/* A ball that holds the points drawn. */
struct ball {
    vec3 centre;
    float radius;
};

static struct ball find_ball(const struct model *model, const struct mesh *mesh)
{
    vec3 box[2];
    struct ball ball = {.radius = 0};
    mesh_box(model, mesh, box);
    glm_aabb_center(box, ball.centre);
    for (uint32_t i = 0; i < model->used_point_count; i++)
        ball.radius = fmaxf(ball.radius, glm_vec3_distance(mesh->positions[model->used_points[i]], ball.centre));
    return ball;
}

/* Turns the points into pixels: x right, y up, z towards the viewer, all in pixels. */
static void project(const struct model *model, const struct mesh *mesh, const struct ball *ball,
                    const struct direction *direction, vec3 *out)
{
    const struct camera camera = {
        .yaw_deg = direction->yaw_deg, .pitch_deg = direction->pitch_deg, .up = {0, 0, 1}};
    const float scale = (SIDE / 2 - 1) / ball->radius;
    mat3 world_to_view;
    camera_orientation(&camera, world_to_view);
    for (uint32_t i = 0; i < model->used_point_count; i++) {
        uint32_t point = model->used_points[i];
        vec3 from_centre;
        glm_vec3_sub(mesh->positions[point], (float *)ball->centre, from_centre);
        glm_mat3_mulv(world_to_view, from_centre, out[point]);
        glm_vec3_scale(out[point], scale, out[point]);
        out[point][0] += SIDE / 2;
        out[point][1] += SIDE / 2;
    }
}

/* A linear function of a pixel's centre. */
struct plane {
    float x, y, start;
};

/* 1 at `peak`, 0 on the line through the other two corners. `area` is twice that of the triangle, signed. */
static struct plane rise_to(const vec3 peak, const vec3 b, const vec3 c, float area)
{
    struct plane plane = {(b[1] - c[1]) / area, (c[0] - b[0]) / area, 0};
    plane.start = 1 - plane.x * (peak[0] - 0.5f) - plane.y * (peak[1] - 0.5f);
    return plane;
}

static float at_pixel(const struct plane *plane, int x, int y)
{
    return plane->start + plane->x * (float)x + plane->y * (float)y;
}

static int clamp_pixel(float at)
{
    return at < 0 ? 0 : at > SIDE - 1 ? SIDE - 1 : (int)at;
}

/* The sign of its area says which way a triangle faces: front faces are clockwise. */
static void draw_triangle(struct picture *picture, const vec3 a, const vec3 b, const vec3 c)
{
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(area < 0))
        return;
    vec3 normal = {0};
    bool has_normal = false; /* most triangles of a fine model cover no pixel's centre */
    const struct plane to_a = rise_to(a, b, c, area), to_b = rise_to(b, c, a, area);
    const int left = clamp_pixel(fminf(a[0], fminf(b[0], c[0]))),
              right = clamp_pixel(fmaxf(a[0], fmaxf(b[0], c[0])));
    const int low = clamp_pixel(fminf(a[1], fminf(b[1], c[1]))),
              high = clamp_pixel(fmaxf(a[1], fmaxf(b[1], c[1])));
    for (int y = low; y <= high; y++)
        for (int x = left; x <= right; x++) {
            const float u = at_pixel(&to_a, x, y), v = at_pixel(&to_b, x, y), w = 1 - u - v;
            const float depth = u * a[2] + v * b[2] + w * c[2];
            if (u < 0 || v < 0 || w < 0 || depth <= picture->depths[y][x])
                continue;
            if (!has_normal) {
                vec3 along, across;
                glm_vec3_sub((float *)c, (float *)a, along);
                glm_vec3_sub((float *)b, (float *)a, across);
                glm_vec3_crossn(along, across, normal);
            }
            has_normal = true;
            picture->depths[y][x] = depth;
            glm_vec3_copy(normal, picture->normals[y][x]);
        }
}

static void draw(const struct model *model, vec3 *points, struct picture *picture)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            picture->depths[y][x] = -INFINITY;
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        const float *corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = points[model->vertex_points[model->indices[i + k]]];
        draw_triangle(picture, corners[0], corners[1], corners[2]);
    }
}

static bool is_line(const struct picture *picture, int x, int y, int other_x, int other_y)
{
    const float depth = picture->depths[y][x], other = picture->depths[other_y][other_x];
    if (isinf(other))
        return false;
    return fabsf(depth - other) > step * SIDE ||
           glm_vec3_dot((float *)picture->normals[y][x], (float *)picture->normals[other_y][other_x]) <
               turn_cosine;
}

/* Area plus lines, in pixels. */
static float worth(const struct picture *picture)
{
    int sum = 0;
    for (int y = 1; y < SIDE; y++)
        for (int x = 1; x < SIDE; x++)
            if (!isinf(picture->depths[y][x]))
                sum += 1 + (is_line(picture, x, y, x - 1, y) || is_line(picture, x, y, x, y - 1));
    return (float)sum;
}

static const struct direction *choose(const struct model *model, const struct mesh *mesh, const struct ball *ball)
{
    SCOPED struct picture *picture = must_alloc(1, sizeof *picture);
    SCOPED vec3 *points = must_alloc(model->point_count, sizeof *points);
    float worths[DIRECTION_COUNT], most = 0, most_of_fronts = 0;
    for (int i = 0; i < DIRECTION_COUNT; i++) {
        project(model, mesh, ball, &directions[i], points);
        draw(model, points, picture);
        worths[i] = worth(picture);
        most = fmaxf(most, worths[i]);
        most_of_fronts = i < FRONT_COUNT ? most : most_of_fronts;
    }
    most = most_of_fronts >= hardly_any * most ? most_of_fronts : most; /* one of the fronts reaches the former */
    int first = 0;
    while (worths[first] < near_enough * most)
        first++;
    return &directions[first];
}

void camera_choose_side(const struct model *model, const struct mesh *mesh, struct camera *camera)
{
    const struct ball ball = find_ball(model, mesh);
    const struct direction *direction = ball.radius > 0 ? choose(model, mesh, &ball) : &directions[0];
    camera->yaw_deg = direction->yaw_deg;
    camera->pitch_deg = direction->pitch_deg;
    camera->roll_deg = 0;
}
