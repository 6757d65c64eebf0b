#include "render/ground.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* -- Softening --------------------------------------------------------------------------------------------- */

/* What is this high above the plane is blurred by `sigma` and darkens by `strength`; between two levels both
 * blend. Heights and blur are parts of the scale. */
struct shadow_level {
    float height, sigma, strength;
};

enum { LEVELS = 4 };

static const struct shadow_level contact_levels[LEVELS] = {
    {0, 0.012f, 1},
    {0.05f, 0.035f, 0.7f},
    {0.18f, 0.07f, 0.35f},
    {0.45f, 0.07f, 0},
};

static const struct shadow_level light_levels[LEVELS] = {
    {0, 0.006f, 1},
    {0.2f, 0.016f, 1},
    {0.6f, 0.035f, 1},
    {1.2f, 0.05f, 1},
};

float ground_scale(const struct view *view, const uint32_t cell_px[2])
{
    float side_px = (float)(cell_px[0] > cell_px[1] ? cell_px[0] : cell_px[1]);
    if (view->pixels_per_unit > 0)
        return side_px / view->pixels_per_unit;
    return 0.5f * glm_vec3_norm((float *)view->world_to_view[3]); /* the origin is behind the viewer */
}

float ground_spacing(float scale)
{
    float power = (float)pow(10, floor(log10(scale / 8))), lead = scale / 8 / power;
    return power * (lead < 1.5f ? 1 : lead < 3.5f ? 2 : lead < 7.5f ? 5 : 10);
}

/* How much of level `k` there is at a height: 1 at the level's own, 0 at those next to it. */
static float level_part(const struct shadow_level levels[LEVELS], int k, float height)
{
    if (height <= levels[0].height)
        return k == 0;
    for (int i = 1; i < LEVELS; i++)
        if (height < levels[i].height) {
            float up = (height - levels[i - 1].height) / (levels[i].height - levels[i - 1].height);
            return k == i ? up : k == i - 1 ? 1 - up : 0;
        }
    return k == LEVELS - 1;
}

/* A box of 2 * reach + 1 texels whose outermost ones count in part, over a row of texels `step` apart. */
static void blur_row(float *texels, size_t step, uint32_t count, float reach, float *sums)
{
    int whole = (int)reach, n = (int)count;
    float part = reach - (float)whole, weight = 1 / (2 * reach + 1);
    sums[0] = 0;
    for (int i = 0; i < n; i++)
        sums[i + 1] = sums[i] + texels[(size_t)i * step];
    for (int i = 0; i < n; i++) {
        int first = i - whole, end = i + whole + 1;
        float before = first > 0 ? sums[first] - sums[first - 1] : 0,
              after = end < n ? sums[end + 1] - sums[end] : 0;
        float inside = sums[end < n ? end : n] - sums[first > 0 ? first : 0];
        texels[(size_t)i * step] = (inside + part * (before + after)) * weight;
    }
}

/* Three boxes come close to a bell curve. */
static void blur(float *texels, uint32_t side, float sigma_texels, float *sums)
{
    float reach = 0.5f * (sqrtf(4 * sigma_texels * sigma_texels + 1) - 1);
    for (int round = 0; round < 3; round++) {
        for (uint32_t y = 0; y < side; y++)
            blur_row(texels + (size_t)y * side, 1, side, reach, sums);
        for (uint32_t x = 0; x < side; x++)
            blur_row(texels + x, side, side, reach, sums);
    }
}

int shadow_soften(struct shadow *shadow, enum ground_kind kind, float scale, struct error *err)
{
    const struct shadow_level *levels = kind == GROUND_CONTACT ? contact_levels : light_levels;
    size_t count = (size_t)shadow->side * shadow->side;
    float *layer = memory_alloc(count, sizeof *layer, err), *out = memory_alloc(count, sizeof *out, err);
    float *sums = memory_alloc((size_t)shadow->side + 2, sizeof *sums, err);
    int result = layer && out && sums ? 0 : -1;
    if (result == 0) {
        for (int k = 0; k < LEVELS; k++) {
            if (levels[k].strength <= 0)
                continue;
            for (size_t i = 0; i < count; i++)
                layer[i] = isfinite(shadow->texels[i])
                               ? levels[k].strength * level_part(levels, k, shadow->texels[i] / scale)
                               : 0;
            blur(layer, shadow->side, levels[k].sigma * scale / shadow->size[0] * (float)shadow->side, sums);
            for (size_t i = 0; i < count; i++)
                out[i] = fminf(out[i] + layer[i], 1);
        }
        memcpy(shadow->texels, out, count * sizeof *out);
    }
    free(layer);
    free(out);
    free(sums);
    return result;
}

void shadow_release(struct shadow *shadow)
{
    free(shadow->texels);
    *shadow = (struct shadow){0};
}

/* Between four texels; nothing outside. */
static float shadow_at(const struct shadow *shadow, float x, float y)
{
    float u = (x - shadow->low[0]) / shadow->size[0] * (float)shadow->side - 0.5f;
    float v = (y - shadow->low[1]) / shadow->size[1] * (float)shadow->side - 0.5f;
    float last = (float)shadow->side - 1;
    if (!(u >= 0 && v >= 0 && u < last && v < last))
        return 0;
    size_t column = (size_t)u, row = (size_t)v;
    float right = u - (float)column, up = v - (float)row;
    const float *low = shadow->texels + row * shadow->side + column, *high = low + shadow->side;
    return (low[0] * (1 - right) + low[1] * right) * (1 - up) + (high[0] * (1 - right) + high[1] * right) * up;
}

/* -- The plane in the picture ------------------------------------------------------------------------------ */

/* Takes places of the picture (across, up, 1), -1 to 1, to those of the plane: (x, y, 1) times a number above 0 where it
 * is seen. False where the plane is not seen from above. */
static bool find_plane(const struct view *view, float height, mat3 to_plane)
{
    mat4 m;
    mat3 to_picture;
    const vec4 *v = view->world_to_view;
    float eye_height = -(v[2][0] * v[3][0] + v[2][1] * v[3][1] + v[2][2] * v[3][2]);
    bool is_perspective = view->view_to_clip[3][3] == 0;
    if (!(is_perspective ? eye_height > height : v[2][2] > 1e-3f))
        return false;
    glm_mat4_mul((vec4 *)view->view_to_clip, (vec4 *)view->world_to_view, m);
    static const int rows[3] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        to_picture[0][i] = m[0][rows[i]];
        to_picture[1][i] = m[1][rows[i]];
        to_picture[2][i] = m[2][rows[i]] * height + m[3][rows[i]];
    }
    if (!(fabsf(glm_mat3_det(to_picture)) > 1e-30f))
        return false;
    glm_mat3_inv(to_picture, to_plane);
    return true;
}

/* False where the line of sight does not meet the plane in front of the viewer. */
static bool plane_at(const mat3 to_plane, float across, float up, float place[2])
{
    vec3 on_plane;
    glm_mat3_mulv((vec3 *)to_plane, (vec3){across, up, 1}, on_plane);
    if (!(on_plane[2] > 1e-12f))
        return false;
    for (int i = 0; i < 2; i++)
        place[i] = on_plane[i] / on_plane[2];
    return isfinite(place[0]) && isfinite(place[1]);
}

/* -- Painting ---------------------------------------------------------------------------------------------- */

struct painting {
    mat3 to_plane;
    float spacing, reach; /* of the grid */
    uint32_t cell_px[2];
};

static float smooth(float low, float high, float value)
{
    float t = glm_clamp((value - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* 0 at the edges of the cell. */
static float edge_fade(const struct painting *painting, uint32_t x, uint32_t y)
{
    float width = (float)painting->cell_px[0], height = (float)painting->cell_px[1];
    float across = fminf((float)x + 0.5f, width - (float)x - 0.5f);
    float down = fminf((float)y + 0.5f, height - (float)y - 0.5f);
    return smooth(0, 0.08f * fminf(width, height) + 0.5f, fminf(across, down));
}

/* How much of a pixel that is `footprint` long across the lines they cover, each a pixel wide; where they come
 * closer than pixels they fade. */
static float line_cover(float place, float spacing, float footprint)
{
    float off = fabsf(place / spacing - roundf(place / spacing)) * spacing;
    float cover = glm_clamp(1 - off / fmaxf(footprint, 1e-20f), 0, 1);
    return cover * glm_clamp(0.5f * spacing / fmaxf(footprint, 1e-20f) - 0.5f, 0, 1);
}

static float grid_at(const struct painting *painting, float across, float up, const float place[2])
{
    float right[2], above[2], cover[2];
    if (!plane_at(painting->to_plane, across + 2.0f / (float)painting->cell_px[0], up, right) ||
        !plane_at(painting->to_plane, across, up + 2.0f / (float)painting->cell_px[1], above))
        return 0;
    for (int i = 0; i < 2; i++)
        cover[i] =
            line_cover(place[i], painting->spacing, fabsf(right[i] - place[i]) + fabsf(above[i] - place[i]));
    float distance = glm_vec2_norm((float *)place);
    return fmaxf(cover[0], cover[1]) * (1 - smooth(0.35f * painting->reach, painting->reach, distance));
}

void ground_paint(const struct ground *ground, float height, const struct shadow *shadow, const struct view *view,
                  const uint32_t cell_px[2], uint8_t *pixels, size_t stride)
{
    struct painting painting = {.cell_px = {cell_px[0], cell_px[1]}};
    bool has_shadow = ground->kind == GROUND_CONTACT || ground->kind == GROUND_SHADOW;
    if (ground->kind == GROUND_NONE || (has_shadow && shadow->side == 0) ||
        !find_plane(view, height, painting.to_plane))
        return;
    float scale = ground_scale(view, cell_px);
    painting.spacing = ground->spacing;
    if (!(painting.spacing > 0))
        painting.spacing = ground_spacing(scale);
    painting.reach = 0.6f * scale;
    for (uint32_t y = 0; y < cell_px[1]; y++)
        for (uint32_t x = 0; x < cell_px[0]; x++) {
            float across = 2 * ((float)x + 0.5f) / (float)cell_px[0] - 1;
            float up = 1 - 2 * ((float)y + 0.5f) / (float)cell_px[1], place[2];
            uint8_t *pixel = pixels + y * stride + (size_t)4 * x, under[4];
            if (pixel[3] == 255 || !plane_at(painting.to_plane, across, up, place))
                continue;
            float amount = ground->kind == GROUND_GRID ? grid_at(&painting, across, up, place)
                                                       : ground->strength * shadow_at(shadow, place[0], place[1]);
            if (!(amount > 0))
                continue;
            memcpy(under, ground->color, 4);
            under[3] = (uint8_t)(amount * edge_fade(&painting, x, y) * (float)under[3] + 0.5f);
            pixel_over(pixel, under);
        }
}
