#include "paint.h"

#include <stdlib.h>

#include "base/memory.h"

struct v3 color(uint32_t rgb)
{
    return v3((rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

struct v3 shade(struct v3 c, double factor)
{
    if (factor <= 1)
        return v3_scale(c, factor);
    return v3_mix(c, v3(1, 1, 1), fmin(factor - 1, 1));
}

double cover(double distance, double softness)
{
    return smooth(softness, -softness, distance);
}

void lay(struct paint *paint, struct v3 over, double coverage)
{
    paint->color = v3_mix(paint->color, over, coverage);
}

void groove(struct paint *paint, double distance, double width, double depth)
{
    double in = smooth(width, 0, fabs(distance));
    paint->height -= depth * in;
    paint->color =
        v3_mix(paint->color, v3_mix(v3_scale(paint->color, 0.35), v3(0.05, 0.04, 0.10), 0.3), in * 0.75);
}

void plate(struct paint *paint, struct v3 over, double distance, double height)
{
    double in = cover(distance, 0.12), rim = smooth(0.55, 0.1, fabs(distance + 0.55));
    lay(paint, over, in);
    paint->height += height * smooth(0.05, -0.6, distance);
    lay(paint, shade(over, 1.45), rim * 0.45 * in);
    groove(paint, distance - 0.1, 0.32, 0.12);
}

void shadow(struct paint *paint, const struct texel *texel, double strength)
{
    double dark = strength * (1 - texel->light), above = 1 + 0.05 * texel->n.z;
    struct v3 c = v3_scale(paint->color, above);
    paint->color = v3(c.x * (1 - dark), c.y * (1 - dark * 0.98), c.z * (1 - dark * 0.82));
}

double in_circle(double x, double y, double radius)
{
    return hypot(x, y) - radius;
}

double in_box(double x, double y, double half_width, double half_height, double rounding)
{
    double dx = fabs(x) - half_width + rounding, dy = fabs(y) - half_height + rounding;
    return hypot(fmax(dx, 0), fmax(dy, 0)) + fmin(fmax(dx, dy), 0) - rounding;
}

double in_stroke(double x, double y, double x0, double y0, double x1, double y1, double width)
{
    double dx = x1 - x0, dy = y1 - y0;
    double t = clamp(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1);
    return hypot(x - x0 - t * dx, y - y0 - t * dy) - width / 2;
}

double in_seven(double x, double y, double height)
{
    double a = height / 2, width = height * 0.19;
    double bar = in_stroke(x, y, -a * 0.58, a * 0.8, a * 0.58, a * 0.8, width);
    return fmin(bar, in_stroke(x, y, a * 0.58, a * 0.8, -a * 0.18, -a * 0.85, width));
}

static double lattice(int x, int y, int z, uint32_t seed)
{
    uint32_t h = seed + (uint32_t)x * 0x9E3779B1u + (uint32_t)y * 0x85EBCA77u + (uint32_t)z * 0xC2B2AE3Du;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return (double)(h ^ h >> 15) / 4294967295.0;
}

double noise(struct v3 p)
{
    int x = (int)floor(p.x), y = (int)floor(p.y), z = (int)floor(p.z);
    double fx = smooth(0, 1, p.x - x), fy = smooth(0, 1, p.y - y), fz = smooth(0, 1, p.z - z), sum = 0;
    for (int i = 0; i < 8; i++) {
        int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
        double w = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy) * (dz ? fz : 1 - fz);
        sum += w * lattice(x + dx, y + dy, z + dz, 1);
    }
    return sum * 2 - 1;
}

double scatter(struct v3 p)
{
    int x = (int)floor(p.x), y = (int)floor(p.y), z = (int)floor(p.z);
    double nearest = 9;
    for (int i = 0; i < 27; i++) {
        int cx = x + i % 3 - 1, cy = y + i / 3 % 3 - 1, cz = z + i / 9 - 1;
        struct v3 q = v3(cx + 0.2 + 0.6 * lattice(cx, cy, cz, 2), cy + 0.2 + 0.6 * lattice(cx, cy, cz, 3),
                         cz + 0.2 + 0.6 * lattice(cx, cy, cz, 4));
        nearest = fmin(nearest, v3_distance(p, q));
    }
    return nearest;
}

static double light_of(const struct part *part, double u, double v)
{
    int row = 0, columns = part->columns;
    while (row < part->row_count - 1 && v > part->row_v[row + 1])
        row++;
    double fv = clamp((v - part->row_v[row]) / (part->row_v[row + 1] - part->row_v[row]), 0, 1);
    double at = u * columns;
    int column = (int)clamp(floor(at), 0, columns - 1);
    double fu = at - column;
    const double *a = part->lights + row * (columns + 1) + column, *b = a + columns + 1;
    return mix(mix(a[0], a[1], fu), mix(b[0], b[1], fu), smooth(0, 1, fv));
}

/* A part's own sheet of texels with the margin around it, before it is rounded into the canvas. */
struct patch {
    const struct part *part;
    const void *colors;
    int width, height, margin;
    struct paint *paints;
};

static void texel_of(const struct patch *patch, int x, int y, double *u, double *v)
{
    double across = (x - patch->margin + 0.5) / patch->part->width;
    *u = across - floor(across);
    *v = clamp((y - patch->margin + 0.5) / patch->part->height, 0, 1);
}

static void patch_paint(struct patch *patch)
{
    const struct part *part = patch->part;
    for (int y = 0; y < patch->height; y++) {
        for (int x = 0; x < patch->width; x++) {
            struct texel texel = {.part = part, .colors = patch->colors};
            texel_of(patch, x, y, &texel.u, &texel.v);
            texel.p = loft_point(&part->loft, texel.u, texel.v);
            texel.n = loft_normal(&part->loft, texel.u, texel.v);
            texel.light = light_of(part, texel.u, texel.v);
            patch->paints[y * patch->width + x] = part->paint(&texel);
        }
    }
}

static uint8_t to_byte(double x)
{
    return (uint8_t)floor(clamp(x, 0, 1) * 255 + 0.5);
}

static void put(uint8_t *out, struct v3 c)
{
    out[0] = to_byte(c.x);
    out[1] = to_byte(c.y);
    out[2] = to_byte(c.z);
}

/* The normal of the height field: x along s, y along t, which runs down, as Doom 3's normal maps have it. The size of
 * a texel on the surface is taken into account: near a pole texels are narrow, and the same rise is steep. */
static struct v3 bump(const struct patch *patch, int x, int y)
{
    const struct part *part = patch->part;
    int left = x > 0 ? x - 1 : x, right = x + 1 < patch->width ? x + 1 : x;
    int above = y > 0 ? y - 1 : y, below = y + 1 < patch->height ? y + 1 : y;
    double u, v, du = 0.5 / part->width, dv = 0.5 / part->height;
    texel_of(patch, x, y, &u, &v);
    v = clamp(v, dv, 1 - dv);
    double width = v3_distance(loft_point(&part->loft, u - du, v), loft_point(&part->loft, u + du, v));
    double height = v3_distance(loft_point(&part->loft, u, v - dv), loft_point(&part->loft, u, v + dv));
    width = fmax(width, loft_girth(&part->loft) / part->width * 0.15);
    double rise_s = patch->paints[y * patch->width + right].height - patch->paints[y * patch->width + left].height;
    double rise_t =
        patch->paints[below * patch->width + x].height - patch->paints[above * patch->width + x].height;
    double slope_s = rise_s / (width * (right - left)), slope_t = rise_t / (height * (below - above));
    return v3_unit(v3(-clamp(slope_s, -1.5, 1.5), -clamp(slope_t, -1.5, 1.5), 1));
}

static void patch_store(const struct patch *patch, struct canvas *canvas)
{
    for (int y = 0; y < patch->height; y++) {
        for (int x = 0; x < patch->width; x++) {
            int cx = patch->part->x - patch->margin + x, cy = patch->part->y - patch->margin + y;
            size_t at = ((size_t)cy * (size_t)canvas->size + (size_t)cx) * 3;
            struct v3 n = bump(patch, x, y);
            /* A little of the relief is painted too, for renderers without normal maps. */
            put(canvas->color + at, v3_scale(patch->paints[y * patch->width + x].color, 1 - 0.22 * n.y));
            put(canvas->normal + at, v3(n.x / 2 + 0.5, n.y / 2 + 0.5, n.z / 2 + 0.5));
        }
    }
}

void canvas_paint(struct canvas *canvas, const struct figure *figure, int coat)
{
    size_t texels;
    canvas->size = figure->coats[coat].size;
    texels = (size_t)canvas->size * (size_t)canvas->size;
    canvas->color = must_alloc(texels, 3);
    canvas->normal = must_alloc(texels, 3);
    for (size_t i = 0; i < texels; i++) {
        put(canvas->color + i * 3, v3(0.5, 0.5, 0.5));
        put(canvas->normal + i * 3, v3(0.5, 0.5, 1));
    }
    for (int i = 0; i < figure->part_count; i++) {
        const struct part *part = &figure->parts[i];
        if (part->coat != coat || part->mirrored)
            continue;
        struct patch patch = {.part = part, .colors = figure->colors, .margin = 4};
        patch.width = part->width + 2 * patch.margin;
        patch.height = part->height + 2 * patch.margin;
        patch.paints = must_alloc((size_t)(patch.width * patch.height), sizeof(patch.paints[0]));
        patch_paint(&patch);
        patch_store(&patch, canvas);
        free(patch.paints);
    }
}

void canvas_release(struct canvas *canvas)
{
    free(canvas->color);
    free(canvas->normal);
}
