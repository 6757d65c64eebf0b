#include "model/camera.h"

#include <cglm/cam.h>
#include <cglm/mat3.h>
#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The near plane is no closer than a part of the distance to the far plane, or depth runs out of bits; a framed
 * camera keeps at least this part of the content's depth away from its nearest point, so that the near plane
 * never cuts what is framed. */
static const double NEAREST_PLANE = 1.0 / 4000, NEAREST_POINT = 1.0 / 1000;

/* Exact at multiples of 90 degrees, where cos() of a rounded pi/2 would tilt the picture a little. */
static void sine_cosine(double angle_deg, double *sine, double *cosine)
{
    int quarters;
    double rest = remquo(angle_deg, 90, &quarters) * (M_PI / 180);
    double s = sin(rest), c = cos(rest);
    switch (quarters & 3) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = -s;
        break;
    case 2:
        *sine = -s, *cosine = -c;
        break;
    default:
        *sine = -c, *cosine = s;
    }
}

/* cglm's matrices are arrays of columns; view axes are rows of the rotation to view space. */
static void set_rows(const vec3 right, const vec3 up, const vec3 back, mat3 out)
{
    for (int i = 0; i < 3; i++) {
        out[i][0] = right[i];
        out[i][1] = up[i];
        out[i][2] = back[i];
    }
}

static void orientation_from_angles(const struct camera *camera, mat3 out)
{
    double ys, yc, ps, pc, rs, rc;
    sine_cosine(camera->yaw_deg, &ys, &yc);
    sine_cosine(camera->pitch_deg, &ps, &pc);
    sine_cosine(camera->roll_deg, &rs, &rc);

    double level_right[3] = {-ys, yc, 0}, level_up[3] = {-ps * yc, -ps * ys, pc};
    vec3 right, up, back = {pc * yc, pc * ys, ps};
    for (int i = 0; i < 3; i++) {
        right[i] = rc * level_right[i] - rs * level_up[i];
        up[i] = rs * level_right[i] + rc * level_up[i];
    }
    set_rows(right, up, back, out);
}

static void orientation_from_eye(const struct camera *camera, mat3 out)
{
    vec3 right, up, back;
    glm_vec3_sub((float *)camera->eye, (float *)camera->target, back);
    glm_vec3_normalize(back);
    glm_vec3_cross((float *)camera->up, back, right);
    glm_vec3_normalize(right);
    glm_vec3_cross(back, right, up);
    set_rows(right, up, back, out);
}

void camera_orientation(const struct camera *camera, mat3 world_to_view)
{
    if (camera->has_eye)
        orientation_from_eye(camera, world_to_view);
    else
        orientation_from_angles(camera, world_to_view);
}

/* Half the height of the picture at distance 1. */
static double fov_slope(const struct camera *camera)
{
    return tan(camera->fov_deg * (M_PI / 360));
}

/* Half the width and height, at distance 1, of the part of the picture inside the margin. */
static void inner_slopes(const struct framing *framing, double slopes[2])
{
    double inner = 1 - 2.0 * framing->fit->margin;
    slopes[1] = fov_slope(framing->camera) * inner;
    slopes[0] = slopes[1] * framing->cell_px[0] / framing->cell_px[1];
}

/* Puts the origin at a part of the cell along an axis: at the corner of a whole pixel of the smallest of the job's
 * scales, inside the margin unless the scale is given. */
static void set_origin(struct framing *framing, int axis, double part)
{
    const struct fit *fit = framing->fit;
    const double cell_px = framing->cell_px[axis], step = fit->origin_step_px ? fit->origin_step_px : 1;
    const double margin = fit->pixels_per_unit > 0 ? 0 : (double)fit->margin * cell_px / step;
    const double pixel = fmin(fmax(round(part * cell_px / step), ceil(margin)), floor(cell_px / step - margin));
    framing->pivot_px[axis] = (float)(pixel * step);
}

void framing_init(struct framing *framing, const struct camera *camera, const struct fit *fit,
                  const uint32_t cell_px[2])
{
    *framing = (struct framing){.camera = camera, .fit = fit, .cell_px = {cell_px[0], cell_px[1]}};
    for (int axis = 0; axis < 2; axis++)
        set_origin(framing, axis, fit->origin[axis] == ORIGIN_AUTO ? 0.5 : (double)fit->origin[axis]);

    mat3 rotation;
    camera_orientation(camera, rotation);
    double slopes[2] = {0, 0};
    if (camera->projection == PROJECTION_PERSPECTIVE)
        inner_slopes(framing, slopes);

    /* A perspective camera at (cx, cy, cz) of view orientation sees a point if |x - cx| <= (cz - z) * slope, that
     * is x + z * slope <= cz * slope + cx, and the same with -x; likewise for y. */
    for (int i = 0; i < 3; i++) {
        float right = rotation[i][0], up = rotation[i][1], back = rotation[i][2];
        framing->weights[i][FRAMING_LEFT] = slopes[0] * back - right;
        framing->weights[i][FRAMING_RIGHT] = slopes[0] * back + right;
        framing->weights[i][FRAMING_BOTTOM] = slopes[1] * back - up;
        framing->weights[i][FRAMING_TOP] = slopes[1] * back + up;
        framing->weights[i][FRAMING_NEAR] = back;
        framing->weights[i][FRAMING_FAR] = -back;
        framing->weights[i][FRAMING_DOWN] = i == 2 ? -1 : 0;
        framing->weights[i][FRAMING_UP] = i == 2 ? 1 : 0;
    }
    for (int k = 0; k < FRAMING_LANES; k++)
        framing->most[k] = -INFINITY;
}

void framing_add(struct framing *framing, const uint32_t *points, uint32_t point_count, const struct mesh *mesh,
                 const mat4 model_to_world)
{
    /* Locals, which nothing else can point at, stay in registers. */
    float weights[3][FRAMING_LANES], constant[FRAMING_LANES];
    float x[FRAMING_LANES], y[FRAMING_LANES], z[FRAMING_LANES], most[FRAMING_LANES];
    /* A linear function of a point in the world is one of the model's coordinates, too: weights and a constant. */
    for (int column = 0; column < 4; column++) {
        const float *axis = model_to_world[column];
        float *out = column < 3 ? weights[column] : constant;
        for (int k = 0; k < FRAMING_LANES; k++)
            out[k] = axis[0] * framing->weights[0][k] + axis[1] * framing->weights[1][k] +
                     axis[2] * framing->weights[2][k];
    }
    memcpy(x, weights[0], sizeof x);
    memcpy(y, weights[1], sizeof y);
    memcpy(z, weights[2], sizeof z);
    for (int k = 0; k < FRAMING_LANES; k++)
        most[k] = -INFINITY;

    for (uint32_t i = 0; i < point_count; i++) {
        const float *p = mesh->positions[points[i]];
        for (int k = 0; k < FRAMING_LANES; k++) {
            float value = p[0] * x[k] + p[1] * y[k] + p[2] * z[k];
            most[k] = value > most[k] ? value : most[k];
        }
    }
    for (int k = 0; k < FRAMING_LANES; k++)
        framing->most[k] = fmaxf(framing->most[k], most[k] + constant[k]);
}

float framing_lowest(const struct framing *framing)
{
    float down = framing->most[FRAMING_DOWN];
    return isfinite(down) ? -down : INFINITY;
}

bool framing_matches(const struct framing *a, const struct framing *b)
{
    const struct camera *c = a->camera, *d = b->camera;
    if (c->projection != d->projection || c->has_eye != d->has_eye)
        return false;
    if (c->has_eye && (memcmp(c->eye, d->eye, sizeof(vec3)) || memcmp(c->target, d->target, sizeof(vec3))))
        return false;
    if (c->projection == PROJECTION_PERSPECTIVE && c->fov_deg != d->fov_deg)
        return false;
    return a->fit->has_origin == b->fit->has_origin && !memcmp(a->fit->origin, b->fit->origin, sizeof(vec2)) &&
           a->cell_px[0] == b->cell_px[0] && a->cell_px[1] == b->cell_px[1] && a->fit->margin == b->fit->margin &&
           !memcmp(a->weights, b->weights, sizeof a->weights);
}

void framing_merge(struct framing *framing, const struct framing *other)
{
    for (int k = 0; k < FRAMING_LANES; k++)
        framing->most[k] = fmaxf(framing->most[k], other->most[k]);
}

/* The extents of what was seen, in view orientation around the world origin. In double: large and small numbers are
 * added. */
struct seen {
    bool any;
    double left, right, bottom, top; /* the maxima */
    double nearest, farthest;        /* z: nearest >= farthest */
    double depth, middle;            /* nearest - farthest, and the z half-way */
};

/* Points too large for a float count as not seen: they cannot be drawn either. */
static struct seen seen_by(const struct framing *framing)
{
    for (int k = 0; k < FRAMING_LANES; k++)
        if (!isfinite(framing->most[k]))
            return (struct seen){.any = false};
    const float *most = framing->most;
    double nearest = most[FRAMING_NEAR], farthest = -(double)most[FRAMING_FAR];
    return (struct seen){.any = true,
                         .left = most[FRAMING_LEFT],
                         .right = most[FRAMING_RIGHT],
                         .bottom = most[FRAMING_BOTTOM],
                         .top = most[FRAMING_TOP],
                         .nearest = nearest,
                         .farthest = farthest,
                         .depth = nearest - farthest,
                         .middle = (nearest + farthest) / 2};
}

/* A place of the world in view orientation. */
static void to_view(const struct camera *camera, const vec3 point, double out[3])
{
    mat3 rotation;
    camera_orientation(camera, rotation);
    for (int i = 0; i < 3; i++)
        out[i] = (double)rotation[0][i] * point[0] + (double)rotation[1][i] * point[1] +
                 (double)rotation[2][i] * point[2];
}

/* Pixels per unit at a distance before a perspective camera. The same formula turns a scale into its distance. */
static double perspective_scale(const struct framing *framing, double distance)
{
    return framing->cell_px[1] / (2 * fov_slope(framing->camera) * distance);
}

/* 0 for a size within the rounding error of floats as large as `magnitude`. */
static double size_or_0(double size, double magnitude)
{
    return size > 4 * FLT_EPSILON * magnitude ? size : 0;
}

/* The size of the picture from the maxima on both sides, around their middle or around `center`. */
static double picture_size(double minus, double plus, const double *center)
{
    double size = center ? 2 * fmax(plus - *center, minus + *center) : plus + minus;
    return size_or_0(size, fmax(fabs(plus), fabs(minus)));
}

enum { LEFT_SIDE = 1, RIGHT_SIDE = 2, TOP_SIDE = 4, BOTTOM_SIDE = 8, ALL_SIDES = 15 };

/* The largest scale, in pixels per unit at the origin's depth, at which all that was seen has room on these sides of the
 * pixel of the origin; 0 where there is none. The functions of a perspective camera reach as far there as those of an
 * orthographic one do anywhere. */
static double origin_fit(const struct framing *framing, const struct seen *seen, double margin, unsigned sides)
{
    const double reach[2][2] = {{seen->left, seen->right}, {seen->top, seen->bottom}};
    const float *pivot_px = framing->pivot_px;
    double scale = INFINITY;
    for (int axis = 0; axis < 2; axis++)
        for (int side = 0; side < 2; side++) {
            double edge_px = side ? framing->cell_px[axis] - pivot_px[axis] : pivot_px[axis];
            if (!(sides & 1u << (2 * axis + side)))
                continue;
            double room_px = fmax(edge_px - margin * framing->cell_px[axis], 0);
            double size = size_or_0(reach[axis][side], fmax(fabs(reach[axis][0]), fabs(reach[axis][1])));
            scale = size > 0 ? fmin(scale, room_px / size) : scale;
        }
    return scale;
}

static double orthographic_fit(const struct framing *framing, const struct seen *seen, unsigned sides)
{
    const struct camera *camera = framing->camera;
    double target[3];
    if (framing->fit->has_origin)
        return origin_fit(framing, seen, framing->fit->margin, sides);
    if (camera->has_eye)
        to_view(camera, camera->target, target);
    double width = picture_size(seen->left, seen->right, camera->has_eye ? &target[0] : NULL);
    double height = picture_size(seen->bottom, seen->top, camera->has_eye ? &target[1] : NULL);

    double inner = 1 - 2.0 * framing->fit->margin;
    double across = width > 0 ? framing->cell_px[0] * inner / width : INFINITY;
    double down = height > 0 ? framing->cell_px[1] * inner / height : INFINITY;
    return fmin(across, down);
}

static double perspective_fit(const struct framing *framing, const struct seen *seen, unsigned sides)
{
    double slopes[2];
    inner_slopes(framing, slopes);
    double z_across = (seen->left + seen->right) / (2 * slopes[0]);
    double z_down = (seen->bottom + seen->top) / (2 * slopes[1]);
    double z = fmax(z_across, z_down);
    if (framing->fit->has_origin)
        z = perspective_scale(framing, origin_fit(framing, seen, framing->fit->margin, sides));
    z = fmax(z, seen->nearest + seen->depth * NEAREST_POINT);

    double magnitude = fmax(fabs(z), fmax(fmax(fabs(seen->left), fabs(seen->right)) / slopes[0],
                                          fmax(fabs(seen->bottom), fabs(seen->top)) / slopes[1]));
    double distance = size_or_0(z - seen->middle, magnitude);
    return isinf(z) ? 0 : distance > 0 ? perspective_scale(framing, distance) : INFINITY;
}

/* Whether the camera stands at a given place, and no scale moves it. */
static bool is_fixed(const struct camera *camera)
{
    return camera->projection == PROJECTION_PERSPECTIVE && camera->has_eye;
}

/* As framing_fitting_scale; where the origin has a place, of these sides of it alone. */
static double fitting_scale(const struct framing *framing, unsigned sides)
{
    struct seen seen = seen_by(framing);
    if (is_fixed(framing->camera) || !seen.any)
        return INFINITY;
    bool is_perspective = framing->camera->projection == PROJECTION_PERSPECTIVE;
    return is_perspective ? perspective_fit(framing, &seen, sides) : orthographic_fit(framing, &seen, sides);
}

float framing_fitting_scale(const struct framing *framing)
{
    return (float)fitting_scale(framing, ALL_SIDES);
}

/* The smallest scale on these sides, with the origins that are looked for at a part of the cell along the axis. */
static double least_scale(struct framing *framings, size_t count, int axis, bool is_forced, double part,
                          unsigned sides)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (framings[i].fit->has_origin && (is_forced || framings[i].fit->origin[axis] == ORIGIN_AUTO)) {
            set_origin(&framings[i], axis, part);
            least = fmin(least, fitting_scale(&framings[i], sides));
        }
    return least;
}

/* Looks for origins along an axis: those that are `auto`, or all. The scale is the smaller of two, that of what is on
 * one side, which grows with each pixel that the origin is further from there, and that of the other side, which
 * shrinks. So it is largest beside the place where they cross. Returns the part of the cell. */
static double place_axis(struct framing *framings, size_t count, int axis, bool is_forced)
{
    const unsigned before = axis ? TOP_SIDE : LEFT_SIDE, after = axis ? BOTTOM_SIDE : RIGHT_SIDE;
    const uint32_t step = count && framings[0].fit->origin_step_px ? framings[0].fit->origin_step_px : 1;
    uint32_t cell_px = 1;
    for (size_t i = 0; i < count; i++)
        cell_px = framings[i].cell_px[axis] > cell_px ? framings[i].cell_px[axis] : cell_px;
    if (isinf(least_scale(framings, count, axis, is_forced, 0.5, before | after)))
        return 0.5; /* all is as large anywhere */
    const double pixel = (double)step / cell_px;
    uint32_t low = 0, high = cell_px / step;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        const bool grows = least_scale(framings, count, axis, is_forced, middle * pixel, before) <
                           least_scale(framings, count, axis, is_forced, middle * pixel, after);
        low = grows ? middle : low;
        high = grows ? high : middle;
    }
    const double at_low = least_scale(framings, count, axis, is_forced, low * pixel, before | after),
                 at_high = least_scale(framings, count, axis, is_forced, high * pixel, before | after);
    const double best = (at_low < at_high ? high : low) * pixel;
    least_scale(framings, count, axis, is_forced, best, before | after); /* puts them there */
    return best;
}

void framings_place(struct framing *framings, size_t count)
{
    for (int axis = 0; axis < 2; axis++)
        place_axis(framings, count, axis, false);
}

float framings_gain(const struct framing *framings, size_t count, vec2 best)
{
    const double hardly_less = 0.99;
    SCOPED struct framing *moved = must_alloc(count, sizeof *moved);
    memcpy(moved, framings, count * sizeof *moved);
    double given = INFINITY, most = INFINITY;
    size_t first = 0; /* one that has an origin */
    while (first + 1 < count && !framings[first].fit->has_origin)
        first++;
    for (int axis = 0; axis < 2; axis++) {
        most = least_scale(moved, count, axis, true, place_axis(moved, count, axis, true), ALL_SIDES);
        best[axis] = moved[first].pivot_px[axis] / (float)moved[first].cell_px[axis]; /* outside the margin */
    }
    for (size_t i = 0; i < count; i++)
        given = fmin(given, framings[i].fit->has_origin ? fitting_scale(&framings[i], ALL_SIDES) : INFINITY);
    for (int axis = 0; axis < 2; axis++) {
        const double part = (double)framings[first].pivot_px[axis] / framings[first].cell_px[axis];
        if (least_scale(moved, count, axis, true, part, ALL_SIDES) >= hardly_less * most)
            best[axis] = (float)part;
        least_scale(moved, count, axis, true, (double)best[axis], ALL_SIDES);
    }
    return isfinite(most) && given > 0 ? (float)(most / given) : 1;
}

float framing_scale(const struct framing *framing)
{
    bool is_given = framing->fit->pixels_per_unit > 0 && !is_fixed(framing->camera);
    return is_given ? framing->fit->pixels_per_unit : framing_fitting_scale(framing);
}

/* `place` is where the camera stands, in view orientation. */
static void set_world_to_view(const struct camera *camera, const double place[3], struct view *out)
{
    mat3 rotation;
    camera_orientation(camera, rotation);
    glm_mat4_identity(out->world_to_view);
    glm_mat4_ins3(rotation, out->world_to_view);
    for (int i = 0; i < 3; i++)
        out->world_to_view[3][i] = -place[i];
}

static void set_pivot(const struct framing *framing, const double place[3], double scale, struct view *out)
{
    out->pixels_per_unit = scale;
    out->pivot_px[0] = framing->cell_px[0] / 2.0 - place[0] * scale;
    out->pivot_px[1] = framing->cell_px[1] / 2.0 + place[1] * scale;
    if (framing->fit->has_origin) /* without what was rounded */
        glm_vec2_copy((float *)framing->pivot_px, out->pivot_px);
}

/* Moves the camera aside so that it sees the origin where the fit wants it; `scale` is that at the origin. */
static void place_by_origin(const struct framing *framing, double scale, double place[3])
{
    const float *pivot_px = framing->pivot_px;
    place[0] = (framing->cell_px[0] / 2.0 - pivot_px[0]) / scale;
    place[1] = (pivot_px[1] - framing->cell_px[1] / 2.0) / scale;
}

/* A range must have a size: where everything lies at one depth, half of `slack` is added around it. */
static void set_depths(double place, const struct seen *seen, double near, double slack, struct view *out)
{
    double nearest = fmax(place - seen->nearest, near), farthest = fmax(place - seen->farthest, nearest);
    out->is_cut = place - seen->nearest < near;
    out->is_flat = farthest - nearest < slack / 2;
    out->nearest = out->is_flat ? fmax(nearest - slack / 2, 0) : nearest;
    out->farthest = out->is_flat ? nearest + slack / 2 : farthest;
}

static void orthographic_view(const struct framing *framing, const struct seen *seen, double scale,
                              struct view *out)
{
    double place[3] = {(seen->right - seen->left) / 2, (seen->top - seen->bottom) / 2, 0};
    if (framing->camera->has_eye)
        to_view(framing->camera, framing->camera->target, place);
    if (framing->fit->has_origin)
        place_by_origin(framing, scale, place);

    double half_width = framing->cell_px[0] / scale / 2, half_height = framing->cell_px[1] / scale / 2;
    double slack = 0.02 * fmax(seen->depth, fmax(half_width, half_height)) +
                   1e-6 * fmax(fabs(seen->nearest), fabs(seen->farthest));
    place[2] = seen->nearest + 2 * slack;
    set_world_to_view(framing->camera, place, out);
    glm_ortho(-half_width, half_width, -half_height, half_height, slack, seen->depth + 3 * slack,
              out->view_to_clip);
    set_depths(place[2], seen, slack, slack, out);
    set_pivot(framing, place, scale, out);
}

static void perspective_view(const struct framing *framing, const struct seen *seen, double scale,
                             struct view *out)
{
    const struct camera *camera = framing->camera;
    double place[3] = {0, 0, seen->middle + perspective_scale(framing, scale)};
    if (camera->has_eye) {
        to_view(camera, camera->eye, place);
    } else if (framing->fit->has_origin) {
        place_by_origin(framing, perspective_scale(framing, place[2]), place);
    } else {
        place[0] = (seen->right - seen->left) / 2;
        place[1] = (seen->top - seen->bottom) / 2;
    }

    double far = place[2] - seen->farthest, near = place[2] - seen->nearest;
    if (!seen->any || far <= 0) /* nothing is seen: any range will do */
        near = far = camera->has_eye ? glm_vec3_distance((float *)camera->eye, (float *)camera->target) : far;
    double slack = 0.02 * far + 1e-6 * fabs(place[2]);
    far += slack;
    near = fmax(near - slack, far * NEAREST_PLANE);

    set_world_to_view(camera, place, out);
    set_depths(place[2], seen, near, slack, out);
    float aspect = (float)framing->cell_px[0] / (float)framing->cell_px[1];
    glm_perspective(GLM_PI_2f, aspect, near, far, out->view_to_clip);
    /* Releases of libm differ in the last bit of tanf(), which is seen. */
    out->view_to_clip[1][1] = 1 / (float)tan((float)(camera->fov_deg * (M_PI / 360)));
    out->view_to_clip[0][0] = out->view_to_clip[1][1] / aspect;
    if (place[2] > far * NEAREST_PLANE)
        set_pivot(framing, place, perspective_scale(framing, place[2]), out);
    else
        set_pivot(framing, (double[3]){0, 0, 0}, 0, out);
}

void framing_view(const struct framing *framing, float scale, struct view *out)
{
    struct seen seen = seen_by(framing);
    const double inner = 1 - 2.0 * framing->fit->margin, rounding = 1.0001;
    /* Nothing in the scope has a size: one unit fills the cell. */
    double used = scale;
    if (!isfinite(scale) || scale <= 0)
        used = inner * (framing->cell_px[0] < framing->cell_px[1] ? framing->cell_px[0] : framing->cell_px[1]);
    out->fitting_scale = framing_fitting_scale(framing);
    out->is_cropped = used * inner > out->fitting_scale * rounding; /* the margin is room, too */

    if (framing->camera->projection == PROJECTION_PERSPECTIVE) {
        perspective_view(framing, &seen, used, out);
    } else {
        out->fitting_scale /= inner;
        if (framing->fit->has_origin && seen.any) {
            out->fitting_scale = origin_fit(framing, &seen, 0, ALL_SIDES);
            out->is_cropped = used > out->fitting_scale * rounding;
        }
        orthographic_view(framing, &seen, used, out);
    }
    if (framing->fit->has_origin && scale <= 0)
        out->pixels_per_unit = 0;
}
