#include "figure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct part *figure_part(struct figure *figure, const char *name, int coat, painter *paint)
{
    assert(figure->part_count < FIGURE_MAX_PARTS);
    struct part *part = &figure->parts[figure->part_count++];
    part->name = name;
    part->coat = coat;
    part->paint = paint;
    part->columns = 12;
    part->rows_per_ring = 1;
    part->density = 1;
    part->spread = 0.06;
    part->loft.side = v3(0, 1, 0);
    return part;
}

void part_link(struct part *part, int joint, double v)
{
    assert(part->link_count < PART_MAX_LINKS);
    part->links[part->link_count++] = (struct link){joint, v};
}

void figure_mirror(struct figure *figure, const struct part *part)
{
    assert(figure->part_count < FIGURE_MAX_PARTS);
    struct part *twin = &figure->parts[figure->part_count++];
    *twin = *part;
    twin->mirrored = true;
    twin->twin = part;
    for (int i = 0; i < twin->link_count; i++)
        twin->links[i].joint = figure->rig.joints[twin->links[i].joint].mirror;
}

static void weights_add(struct weights *weights, int joint, double bias)
{
    for (int i = 0; i < weights->count; i++) {
        if (weights->items[i].joint == joint) {
            weights->items[i].bias += bias;
            return;
        }
    }
    if (bias > 0 && weights->count < POINT_MAX_WEIGHTS)
        weights->items[weights->count++] = (struct weight){joint, bias};
}

static int by_bias(const void *a, const void *b)
{
    const struct weight *left = a, *right = b;
    if (left->bias != right->bias)
        return left->bias < right->bias ? 1 : -1;
    return left->joint - right->joint;
}

/* Drops what is too small to see, and rounds the rest to thousandths that sum to exactly 1. */
static void weights_tidy(struct weights *weights)
{
    double sum = 0, others = 0;
    qsort(weights->items, (size_t)weights->count, sizeof(weights->items[0]), by_bias);
    while (weights->count > 1 && weights->items[weights->count - 1].bias < 0.02)
        weights->count--;
    for (int i = 0; i < weights->count; i++)
        sum += weights->items[i].bias;
    for (int i = 1; i < weights->count; i++) {
        weights->items[i].bias = floor(weights->items[i].bias / sum * 1000 + 0.5) / 1000;
        others += weights->items[i].bias;
    }
    weights->items[0].bias = 1 - others;
}

static void weights_at(const struct part *part, double v, double share, struct weights *out)
{
    const struct link *links = part->links;
    int last = part->link_count - 1;
    if (v <= links[0].v || last == 0) {
        weights_add(out, links[0].joint, share);
        return;
    }
    for (int i = 0; i < last; i++) {
        if (v < links[i + 1].v) {
            double next = smooth(links[i].v, links[i + 1].v, v);
            weights_add(out, links[i].joint, share * (1 - next));
            weights_add(out, links[i + 1].joint, share * next);
            return;
        }
    }
    weights_add(out, links[last].joint, share);
}

enum { WEIGHT_SAMPLES = 7 };

static void point_weights(const struct part *part, struct v3 point, double v, struct weights *out)
{
    memset(out, 0, sizeof(*out));
    if (part->weigh) {
        part->weigh(part, point, out);
    } else {
        for (int i = 0; i < WEIGHT_SAMPLES; i++) {
            double off = part->spread * (2.0 * i / (WEIGHT_SAMPLES - 1) - 1);
            weights_at(part, v + off, 1.0 / WEIGHT_SAMPLES, out);
        }
    }
    weights_tidy(out);
}

static struct v3 part_point(const struct part *part, double u, double v)
{
    struct v3 point = loft_point(&part->loft, u, v);
    return part->mirrored ? v3(point.x, -point.y, point.z) : point;
}

/* Rows of faces lie on the rings, so that each ring that was asked for is there, and evenly between them. */
static void place_rows(struct part *part)
{
    const struct loft *loft = &part->loft;
    int steps = (int)part->rows_per_ring;
    part->row_count = 0;
    for (int i = 0; i + 1 < loft->ring_count; i++) {
        for (int k = 0; k < steps; k++)
            part->row_v[part->row_count++] = mix(loft->at[i], loft->at[i + 1], (double)k / steps);
    }
    assert(part->row_count < LOFT_MAX_ROWS);
    part->row_v[part->row_count] = 1;
}

/* Parts are laid out tallest first, each as high up as it can go, after a common scale is found that fits all. */
enum { ATLAS_GAP = 4, ATLAS_MAX_SIZE = 1024 };

struct order {
    struct part *parts[FIGURE_MAX_PARTS];
    int count;
};

static int by_height(const void *a, const void *b)
{
    const struct part *left = *(struct part *const *)a, *right = *(struct part *const *)b;
    if (left->height != right->height)
        return right->height - left->height;
    if (left->width != right->width)
        return right->width - left->width;
    return strcmp(left->name, right->name);
}

/* How far down columns x..x+width of the texture are taken. */
static int lowest_free(const int *taken, int x, int width)
{
    int y = 0;
    for (int i = x; i < x + width; i++)
        y = taken[i] > y ? taken[i] : y;
    return y;
}

static bool place_part(struct part *part, int *taken, int size)
{
    int width = part->width + 2 * ATLAS_GAP, height = part->height + 2 * ATLAS_GAP, best_x = -1, best_y = size;
    for (int x = 0; x + width <= size; x++) {
        int y = lowest_free(taken, x, width);
        if (y + height <= size && y < best_y) {
            best_x = x;
            best_y = y;
        }
    }
    if (best_x < 0)
        return false;
    for (int i = best_x; i < best_x + width; i++)
        taken[i] = best_y + height;
    part->x = best_x + ATLAS_GAP;
    part->y = best_y + ATLAS_GAP;
    return true;
}

static bool place_parts(struct order *order, int size, double texels_per_unit)
{
    int taken[ATLAS_MAX_SIZE] = {0};
    for (int i = 0; i < order->count; i++) {
        struct part *part = order->parts[i];
        double scale = texels_per_unit * part->density;
        part->width = (int)fmax(ceil(loft_girth(&part->loft) * scale), 8);
        part->height = (int)fmax(ceil(loft_length(&part->loft) * scale), 8);
    }
    qsort(order->parts, (size_t)order->count, sizeof(order->parts[0]), by_height);
    for (int i = 0; i < order->count; i++) {
        if (!place_part(order->parts[i], taken, size))
            return false;
    }
    return true;
}

static void lay_out(struct figure *figure, int coat)
{
    struct order order = {.count = 0};
    for (int i = 0; i < figure->part_count; i++) {
        if (figure->parts[i].coat == coat && !figure->parts[i].mirrored)
            order.parts[order.count++] = &figure->parts[i];
    }
    double scale = 40;
    while (!place_parts(&order, figure->coats[coat].size, scale))
        scale *= 0.99;
    for (int i = 0; i < figure->part_count; i++) {
        struct part *part = &figure->parts[i];
        if (part->coat == coat && part->mirrored) {
            part->x = part->twin->x;
            part->y = part->twin->y;
            part->width = part->twin->width;
            part->height = part->twin->height;
        }
    }
}

static int pole_vertices(const struct part *part)
{
    return part->painted_poles ? part->columns : 1;
}

static void count_coat(struct figure *figure, struct coat *coat, int index)
{
    for (int i = 0; i < figure->part_count; i++) {
        const struct part *part = &figure->parts[i];
        if (part->coat != index)
            continue;
        coat->point_count += part->columns * (part->row_count - 1) + 2;
        coat->vertex_count += (part->columns + 1) * (part->row_count - 1) + 2 * pole_vertices(part);
        coat->triangle_count += 2 * part->columns * (part->row_count - 1);
    }
    coat->points = must_alloc((size_t)coat->point_count, sizeof(coat->points[0]));
    coat->vertices = must_alloc((size_t)coat->vertex_count, sizeof(coat->vertices[0]));
    coat->triangles = must_alloc((size_t)coat->triangle_count, sizeof(coat->triangles[0]));
}

static uint32_t add_point(struct coat *coat, const struct part *part, double u, double v)
{
    struct point *point = &coat->points[coat->point_count];
    point->rest = part_point(part, u, v);
    point_weights(part, point->rest, v, &point->weights);
    return (uint32_t)coat->point_count++;
}

static uint32_t add_vertex(struct coat *coat, const struct part *part, uint32_t point, double u, double v)
{
    double s = (part->x + u * part->width) / coat->size, t = (part->y + v * part->height) / coat->size;
    coat->vertices[coat->vertex_count] = (struct vertex){point, s, t};
    return (uint32_t)coat->vertex_count++;
}

static void add_triangle(struct coat *coat, const struct part *part, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = coat->triangles[coat->triangle_count++];
    triangle[0] = a;
    triangle[1] = part->mirrored ? c : b;
    triangle[2] = part->mirrored ? b : c;
}

/* Adds the vertices of a pole; returns the first. */
static uint32_t add_pole(struct coat *coat, const struct part *part, double v)
{
    uint32_t point = add_point(coat, part, 0, v), first = (uint32_t)coat->vertex_count;
    int count = pole_vertices(part);
    for (int i = 0; i < count; i++)
        add_vertex(coat, part, point, (i + 0.5) / count, v);
    return first;
}

static uint32_t pole_vertex(const struct part *part, uint32_t first, int column)
{
    return part->painted_poles ? first + (uint32_t)column : first;
}

/* A row between the poles shares its points across the seam; returns its first vertex. */
static uint32_t add_row(struct coat *coat, const struct part *part, double v)
{
    uint32_t point = (uint32_t)coat->point_count, first = (uint32_t)coat->vertex_count;
    for (int i = 0; i < part->columns; i++)
        add_point(coat, part, (double)i / part->columns, v);
    for (int i = 0; i <= part->columns; i++)
        add_vertex(coat, part, point + (uint32_t)(i % part->columns), (double)i / part->columns, v);
    return first;
}

static void build_part(struct coat *coat, const struct part *part)
{
    int columns = part->columns;
    uint32_t top = add_pole(coat, part, 0), above = add_row(coat, part, part->row_v[1]);
    for (int i = 0; i < columns; i++)
        add_triangle(coat, part, pole_vertex(part, top, i), above + (uint32_t)i + 1, above + (uint32_t)i);
    for (int row = 2; row < part->row_count; row++) {
        uint32_t line = add_row(coat, part, part->row_v[row]);
        for (uint32_t i = 0; i < (uint32_t)columns; i++) {
            add_triangle(coat, part, above + i, above + i + 1, line + i);
            add_triangle(coat, part, above + i + 1, line + i + 1, line + i);
        }
        above = line;
    }
    uint32_t bottom = add_pole(coat, part, 1);
    for (int i = 0; i < columns; i++)
        add_triangle(coat, part, above + (uint32_t)i, above + (uint32_t)i + 1, pole_vertex(part, bottom, i));
}

/* Ambient light by discs: each triangle is a disc that covers part of the sky of every point that sees it. */
struct disc {
    struct v3 centre, normal;
    double area;
};

static struct disc *make_discs(const struct figure *figure, int *count)
{
    int total = 0, n = 0;
    for (int i = 0; i < figure->coat_count; i++)
        total += figure->coats[i].triangle_count;
    struct disc *discs = must_alloc((size_t)total, sizeof(discs[0]));
    for (int i = 0; i < figure->coat_count; i++) {
        const struct coat *s = &figure->coats[i];
        for (int k = 0; k < s->triangle_count; k++) {
            struct v3 a = s->points[s->vertices[s->triangles[k][0]].point].rest;
            struct v3 b = s->points[s->vertices[s->triangles[k][1]].point].rest;
            struct v3 c = s->points[s->vertices[s->triangles[k][2]].point].rest;
            struct v3 cross = v3_cross(v3_sub(c, a), v3_sub(b, a));
            discs[n].centre = v3_scale(v3_add(a, v3_add(b, c)), 1.0 / 3);
            discs[n].normal = v3_unit(cross);
            discs[n++].area = v3_length(cross) / 2;
        }
    }
    *count = n;
    return discs;
}

static double light_at(struct v3 p, struct v3 n, const struct disc *discs, int count)
{
    double covered = 0;
    for (int i = 0; i < count; i++) {
        struct v3 to = v3_sub(discs[i].centre, p);
        double square = v3_dot(to, to) + 1e-4, distance = sqrt(square);
        double at_receiver = v3_dot(n, to) / distance, at_disc = -v3_dot(discs[i].normal, to) / distance;
        /* The discs next to the point belong to its own surface, and only back faces cover from inside. */
        if (at_receiver <= 0.02 || distance > 40)
            continue;
        double facing = at_disc > 0 ? at_disc : -0.15 * at_disc;
        double cover = discs[i].area * facing * at_receiver / (PI * square + discs[i].area);
        covered += cover * smooth(40, 10, distance);
    }
    /* The floor, a wide disc under the feet. */
    covered += 0.25 * smooth(0.2, -1, n.z) * smooth(14, 0, p.z);
    return exp(-1.15 * covered);
}

static void light_parts(struct figure *figure)
{
    int count = 0;
    struct disc *discs = make_discs(figure, &count);
    for (int i = 0; i < figure->part_count; i++) {
        struct part *part = &figure->parts[i];
        if (part->mirrored)
            continue;
        int columns = part->columns + 1;
        part->lights = must_alloc((size_t)(columns * (part->row_count + 1)), sizeof(double));
        for (int row = 0; row <= part->row_count; row++) {
            for (int k = 0; k < columns; k++) {
                double u = (double)k / part->columns, v = part->row_v[row];
                struct v3 n = loft_normal(&part->loft, u, v);
                struct v3 p = v3_add_scaled(loft_point(&part->loft, u, v), n, 0.15);
                part->lights[row * columns + k] = light_at(p, n, discs, count);
            }
        }
    }
    free(discs);
}

void figure_finish(struct figure *figure)
{
    for (int i = 0; i < figure->part_count; i++) {
        loft_finish(&figure->parts[i].loft);
        place_rows(&figure->parts[i]);
    }
    for (int i = 0; i < figure->coat_count; i++) {
        struct coat *coat = &figure->coats[i];
        lay_out(figure, i);
        count_coat(figure, coat, i);
        coat->point_count = coat->vertex_count = coat->triangle_count = 0;
        for (int k = 0; k < figure->part_count; k++) {
            if (figure->parts[k].coat == i)
                build_part(coat, &figure->parts[k]);
        }
    }
    light_parts(figure);
}

void figure_release(struct figure *figure)
{
    for (int i = 0; i < figure->part_count; i++)
        free(figure->parts[i].lights);
    for (int i = 0; i < figure->coat_count; i++) {
        free(figure->coats[i].points);
        free(figure->coats[i].vertices);
        free(figure->coats[i].triangles);
    }
}

void coat_pose(const struct coat *coat, const struct rig *rig, const struct stance *pose, struct v3 *points)
{
    for (int i = 0; i < coat->point_count; i++) {
        const struct point *point = &coat->points[i];
        points[i] = v3(0, 0, 0);
        for (int k = 0; k < point->weights.count; k++) {
            const struct weight *weight = &point->weights.items[k];
            points[i] =
                v3_add_scaled(points[i], stance_carry(pose, rig, weight->joint, point->rest), weight->bias);
        }
    }
}

void coat_normals(const struct coat *coat, const struct v3 *points, struct v3 *normals)
{
    for (int i = 0; i < coat->point_count; i++)
        normals[i] = v3(0, 0, 0);
    for (int i = 0; i < coat->triangle_count; i++) {
        uint32_t corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = coat->vertices[coat->triangles[i][k]].point;
        struct v3 a = points[corner[0]];
        struct v3 cross = v3_cross(v3_sub(points[corner[2]], a), v3_sub(points[corner[1]], a));
        for (int k = 0; k < 3; k++)
            normals[corner[k]] = v3_add(normals[corner[k]], cross);
    }
    for (int i = 0; i < coat->point_count; i++)
        normals[i] = v3_unit(normals[i]);
}
