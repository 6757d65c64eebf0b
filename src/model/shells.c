#include "model/shells.h"

#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"

struct edge {
    uint64_t ends; /* its lower point, its higher point */
    uint32_t triangle;
    bool runs_down;
};

static uint32_t point_of(const struct shells *shells, uint32_t corner)
{
    const struct model *model = shells->model;
    return model->vertex_points[model->indices[shells->surface->first_index + corner]];
}

static struct edge edge_of(uint32_t from, uint32_t to, uint32_t triangle)
{
    const uint64_t low = from < to ? from : to, high = from < to ? to : from;
    return (struct edge){low << 32 | high, triangle, from > to};
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    if (left->ends != right->ends)
        return left->ends < right->ends ? -1 : 1;
    int order = left->runs_down - right->runs_down;
    return order ? order : (left->triangle > right->triangle) - (left->triangle < right->triangle);
}

/* Triangles with two corners in one place have no edges, and so no volume by themselves. */
static uint32_t list_edges(const struct shells *shells, struct edge *edges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shells->surface->index_count; i += 3) {
        const uint32_t *points = &shells->welded[i];
        if (points[0] != points[1] && points[1] != points[2] && points[2] != points[0])
            for (int k = 0; k < 3; k++)
                edges[count++] = edge_of(points[k], points[(k + 1) % 3], i / 3);
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    return count;
}

/* While triangles are joined, each names an earlier one of its set, or itself. */
static uint32_t find_first(uint32_t *firsts, uint32_t triangle)
{
    while (firsts[triangle] != triangle)
        triangle = firsts[triangle] = firsts[firsts[triangle]];
    return triangle;
}

/* Joins the triangles on both sides of edges; what has other edges is open, and all that is joined to it. */
static void join(struct shells *shells)
{
    const uint32_t triangle_count = shells->surface->index_count / 3;
    SCOPED struct edge *edges = must_alloc(shells->surface->index_count, sizeof *edges);
    SCOPED bool *is_open = must_alloc(triangle_count, sizeof *is_open);
    uint32_t *firsts = shells->firsts, edge_count = list_edges(shells, edges);
    for (uint32_t t = 0; t < triangle_count; t++)
        firsts[t] = t;
    for (uint32_t i = 0, end; i < edge_count; i = end) {
        end = i + 1;
        while (end < edge_count && edges[end].ends == edges[i].ends)
            end++;
        if (end - i == 2 && edges[i].runs_down != edges[i + 1].runs_down) {
            uint32_t a = find_first(firsts, edges[i].triangle), b = find_first(firsts, edges[i + 1].triangle);
            firsts[a > b ? a : b] = a > b ? b : a;
        } else {
            for (uint32_t k = i; k < end; k++)
                is_open[edges[k].triangle] = true;
        }
    }
    for (uint32_t t = 0; t < triangle_count; t++)
        is_open[find_first(firsts, t)] |= is_open[t];
    for (uint32_t t = triangle_count; t-- > 0;) { /* those that name it come after it */
        uint32_t first = find_first(firsts, t);
        firsts[t] = is_open[first] ? NO_SHELL : first;
    }
}

/* The volume of a shell is the sum of those between its triangles and the origin; here, of six times those. */
static void measure(const struct shells *shells, const vec3 *positions)
{
    const uint32_t triangle_count = shells->surface->index_count / 3;
    memset(shells->volumes, 0, triangle_count * sizeof *shells->volumes);
    for (uint32_t t = 0; t < triangle_count; t++) {
        double corners[3][3], across[3];
        if (shells->firsts[t] == NO_SHELL)
            continue;
        for (uint32_t k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                corners[k][i] = positions[point_of(shells, 3 * t + k)][i];
        dvec_cross(corners[2], corners[1], across); /* front faces are clockwise */
        shells->volumes[shells->firsts[t]] += dvec_dot(corners[0], across);
    }
}

void shells_find(struct arena *arena, const struct model *model, const struct surface *surface,
                 const vec3 *positions, struct shells *out)
{
    const uint32_t triangle_count = surface->index_count / 3;
    *out = (struct shells){.model = model, .surface = surface};
    out->firsts = arena_must_alloc(arena, triangle_count, sizeof *out->firsts);
    out->welded = arena_must_alloc(arena, surface->index_count, sizeof *out->welded);
    out->volumes = arena_must_alloc(arena, triangle_count, sizeof *out->volumes);
    for (uint32_t i = 0; i < surface->index_count; i++)
        out->welded[i] = point_of(out, i);
    points_weld(positions, out->welded, surface->index_count, out->welded);
    join(out);
    measure(out, positions);
    for (uint32_t t = 0; t < triangle_count; t++)
        if (out->firsts[t] != NO_SHELL && out->volumes[out->firsts[t]] > 0)
            out->triangle_count++;
        else
            out->firsts[t] = NO_SHELL;
}

bool shells_hold(const struct shells *shells, const vec3 *positions)
{
    measure(shells, positions);
    for (uint32_t t = 0; t < shells->surface->index_count / 3; t++) {
        if (shells->firsts[t] == NO_SHELL)
            continue;
        for (uint32_t i = 3 * t; i < 3 * t + 3; i++)
            if (!glm_vec3_eqv((float *)positions[point_of(shells, i)], (float *)positions[shells->welded[i]]))
                return false;
        if (!(shells->volumes[shells->firsts[t]] > 0))
            return false;
    }
    return true;
}
