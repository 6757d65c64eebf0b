#include "render/lines.h"

#include <cglm/cglm.h>
#include <math.h>

/* Ends nearer to the viewer's plane than this part of the other's distance are cut off there. */
static const float NEAREST = 1e-3f;

/* Moves the end behind the viewer to the front of him. False when both are behind. */
static bool clip_to_front(vec4 a, vec4 b)
{
    float least = NEAREST * fmaxf(a[3], b[3]);
    if (!(fmaxf(a[3], b[3]) > 0))
        return false;
    float *behind = a[3] < b[3] ? a : b, *before = a[3] < b[3] ? b : a;
    if (behind[3] < least)
        glm_vec4_lerp(before, behind, (before[3] - least) / (before[3] - behind[3]), behind);
    return true;
}

static void to_samples(const vec4 clip, const uint32_t size[2], vec2 out)
{
    for (int i = 0; i < 2; i++)
        out[i] = (clip[i] / clip[3] + 1) * 0.5f * (float)size[i];
}

static void put(struct line_vertex *out, float x, float y, const uint32_t size[2], const vec4 color)
{
    glm_vec4_copy((vec4){2 * x / (float)size[0] - 1, 2 * y / (float)size[1] - 1, 0, 1}, out->clip);
    glm_vec4_copy((float *)color, out->color);
}

static size_t put_stripe(const vec2 a, const vec2 b, float width, const uint32_t size[2], const vec4 color,
                         struct line_vertex *out)
{
    static const struct {
        int end;
        float side;
    } corners[LINE_CORNERS] = {{0, 1}, {0, -1}, {1, -1}, {0, 1}, {1, -1}, {1, 1}};
    float along[2] = {b[0] - a[0], b[1] - a[1]}, length = hypotf(along[0], along[1]);
    if (!(length > 1e-6f))
        return 0;
    float across[2] = {-along[1] / length * width / 2, along[0] / length * width / 2};
    for (int i = 0; i < LINE_CORNERS; i++) {
        const float *end = corners[i].end ? b : a;
        put(&out[i], end[0] + corners[i].side * across[0], end[1] + corners[i].side * across[1], size, color);
    }
    return LINE_CORNERS;
}

static size_t put_dot(const vec2 place, float dot, const uint32_t size[2], const vec4 color,
                      struct line_vertex *out)
{
    enum { SIDES = DOT_CORNERS / 3 };
    for (int i = 0; i < SIDES; i++) {
        float from = 2 * (float)M_PI * (float)i / SIDES, to = 2 * (float)M_PI * (float)(i + 1) / SIDES;
        put(&out[3 * i], place[0], place[1], size, color);
        put(&out[3 * i + 1], place[0] + dot / 2 * cosf(from), place[1] + dot / 2 * sinf(from), size, color);
        put(&out[3 * i + 2], place[0] + dot / 2 * cosf(to), place[1] + dot / 2 * sinf(to), size, color);
    }
    return DOT_CORNERS;
}

size_t line_triangles(const vec3 ends[2], const mat4 world_to_clip, const uint32_t size[2], float width, float dot,
                      const vec4 color, struct line_vertex *out)
{
    vec4 clip[2];
    vec2 places[2];
    for (int i = 0; i < 2; i++)
        glm_mat4_mulv((vec4 *)world_to_clip, (vec4){ends[i][0], ends[i][1], ends[i][2], 1}, clip[i]);
    if (!clip_to_front(clip[0], clip[1]))
        return 0;
    for (int i = 0; i < 2; i++)
        to_samples(clip[i], size, places[i]);
    size_t count = put_stripe(places[0], places[1], width, size, color, out);
    for (int i = 0; i < 2 && dot > 0; i++)
        count += put_dot(places[i], dot, size, color, out + count);
    return count;
}
