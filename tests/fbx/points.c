/* Compares the points of a posed FBX, as sheetbake writes them (sheetbake pose), with those of the library ufbx, which shares
 * no code with ours.
 *
 *     points MODEL.fbx POSE.obj [SECONDS]
 *
 * At SECONDS of the first take; without it, at rest. Prints a word and how far the farthest point of either is from the
 * nearest of the other, in parts of the model's size, then how much larger or smaller all triangles are together:
 *
 *     same    no point is off by more than 1e-4
 *     area    nor are points, but the triangles differ by more than 1e-3: polygons that are not flat can be cut in two ways
 *     wrong   a point is
 *     refused ufbx does not read the file */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ufbx.h"

enum { GRID = 64, NEAR_CELLS = 7 };

struct points {
    double (*items)[3];
    size_t count, capacity;
    double area;
};

static double *add_point(struct points *points)
{
    if (points->count == points->capacity) {
        points->capacity = points->capacity ? 2 * points->capacity : 1024;
        points->items = realloc(points->items, points->capacity * sizeof *points->items);
    }
    return points->items[points->count++];
}

static double triangle_area(const double *a, const double *b, const double *c)
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z) / 2;
}

/* Points of triangles, each as often as it is a corner. */
static struct points read_obj(const char *path)
{
    struct points all = {0}, corners = {0};
    FILE *file = fopen(path, "r");
    char line[1024];
    while (file && fgets(line, sizeof line, file)) {
        char *at = line + 2;
        if (!strncmp(line, "v ", 2))
            for (double *point = add_point(&all), *end = point + 3; point < end; point++)
                *point = strtod(at, &at);
        if (strncmp(line, "f ", 2))
            continue;
        double *corner[3];
        for (int i = 0; i < 3; i++, at += strcspn(at, " \n")) {
            corner[i] = all.items[strtoul(at, &at, 10) - 1];
            memcpy(add_point(&corners), corner[i], sizeof *all.items);
        }
        corners.area += triangle_area(corner[0], corner[1], corner[2]);
    }
    if (file)
        fclose(file);
    free(all.items);
    return corners;
}

static void add_mesh(const ufbx_node *node, struct points *points)
{
    const ufbx_mesh *mesh = node->mesh;
    uint32_t *corners = malloc(3 * (mesh->max_face_triangles + 1) * sizeof *corners);
    for (size_t f = 0; f < mesh->num_faces; f++) {
        ufbx_face face = mesh->faces.data[f];
        size_t first = points->count;
        for (uint32_t i = 0; face.num_indices >= 3 && i < face.num_indices; i++) {
            ufbx_vec3 v = ufbx_get_vertex_vec3(&mesh->skinned_position, face.index_begin + i);
            if (mesh->skinned_is_local)
                v = ufbx_transform_position(&node->geometry_to_world, v);
            memcpy(add_point(points), v.v, sizeof *points->items);
        }
        uint32_t count = ufbx_triangulate_face(corners, 3 * mesh->max_face_triangles, mesh, face);
        const double(*items)[3] = (const double(*)[3])points->items + first;
        for (uint32_t t = 0; t < count; t++)
            points->area += triangle_area(items[corners[3 * t] - face.index_begin],
                                          items[corners[3 * t + 1] - face.index_begin],
                                          items[corners[3 * t + 2] - face.index_begin]);
    }
    free(corners);
}

/* The first that moves anything, as for us: Mixamo writes an empty one before its clip. NULL: none does. */
static const ufbx_anim_stack *first_take(const ufbx_scene *scene)
{
    for (size_t i = 0; i < scene->anim_stacks.count; i++)
        for (size_t l = 0; l < scene->anim_stacks.data[i]->layers.count; l++)
            if (scene->anim_stacks.data[i]->layers.data[l]->anim_props.count)
                return scene->anim_stacks.data[i];
    return NULL;
}

/* False where ufbx does not read it. */
static bool read_fbx(const char *path, const char *seconds, struct points *points)
{
    const ufbx_load_opts load = {
        .target_axes = {UFBX_COORDINATE_AXIS_POSITIVE_Y, UFBX_COORDINATE_AXIS_POSITIVE_Z,
                        UFBX_COORDINATE_AXIS_POSITIVE_X},
        .target_unit_meters = 1,
        .evaluate_skinning = true,
    };
    const ufbx_evaluate_opts evaluate = {.evaluate_skinning = true};
    ufbx_scene *scene = ufbx_load_file(path, &load, NULL);
    if (scene && seconds) {
        const ufbx_anim_stack *take = first_take(scene);
        scene = ufbx_evaluate_scene(scene, take ? take->anim : scene->anim,
                                    (take ? take->time_begin : 0) + strtod(seconds, NULL), &evaluate, NULL);
    }
    for (size_t i = 0; scene && i < scene->nodes.count; i++)
        if (scene->nodes.data[i]->mesh && scene->nodes.data[i]->visible)
            add_mesh(scene->nodes.data[i], points);
    return scene;
}

/* -- Nearest points, by the cells of a grid -------------------------------------------------------------------- */

struct grid {
    struct points points;
    double least[3], side;
    size_t first[GRID][GRID][GRID], *next; /* numbers of points and 1, or 0 */
};

static int cell_of(const struct grid *grid, const double *point, int axis)
{
    double cell = (point[axis] - grid->least[axis]) / grid->side;
    return cell > 0 ? cell < GRID - 1 ? (int)cell : GRID - 1 : 0;
}

static void fill_grid(struct grid *grid, struct points points)
{
    memset(grid->first, 0, sizeof grid->first);
    grid->points = points;
    grid->next = calloc(points.count, sizeof *grid->next);
    for (size_t i = 0; i < points.count; i++) {
        const double *point = points.items[i];
        size_t *first = &grid->first[cell_of(grid, point, 0)][cell_of(grid, point, 1)][cell_of(grid, point, 2)];
        grid->next[i] = *first;
        *first = i + 1;
    }
}

/* Infinite where no point is near. */
static double nearest(const struct grid *grid, const double *point)
{
    double best = INFINITY;
    int cell[3] = {cell_of(grid, point, 0), cell_of(grid, point, 1), cell_of(grid, point, 2)};
    for (int ring = 0; ring < NEAR_CELLS && best > (ring - 1) * grid->side; ring++)
        for (int x = cell[0] - ring; x <= cell[0] + ring; x++)
            for (int y = cell[1] - ring; y <= cell[1] + ring; y++)
                for (int z = cell[2] - ring; z <= cell[2] + ring; z++) {
                    if (x < 0 || y < 0 || z < 0 || x >= GRID || y >= GRID || z >= GRID)
                        continue;
                    if (abs(x - cell[0]) < ring && abs(y - cell[1]) < ring && abs(z - cell[2]) < ring)
                        continue;
                    for (size_t i = grid->first[x][y][z]; i; i = grid->next[i - 1]) {
                        const double *other = grid->points.items[i - 1];
                        best = fmin(best,
                                    hypot(hypot(other[0] - point[0], other[1] - point[1]), other[2] - point[2]));
                    }
                }
    return best;
}

static double farthest(struct grid *grid, struct points from, struct points to)
{
    double worst = 0;
    fill_grid(grid, to);
    for (size_t i = 0; i < from.count; i++)
        worst = fmax(worst, nearest(grid, from.items[i]));
    free(grid->next);
    return worst;
}

int main(int argc, char **argv)
{
    static struct grid grid;
    struct points theirs = {0}, ours;
    if (argc < 3 || !read_fbx(argv[1], argc > 3 ? argv[3] : NULL, &theirs)) {
        puts("refused");
        return 0;
    }
    ours = read_obj(argv[2]);
    double most[3], size = 0;
    for (int k = 0; k < 3; k++) {
        grid.least[k] = INFINITY;
        most[k] = -INFINITY;
        for (size_t i = 0; i < theirs.count; i++) {
            grid.least[k] = fmin(grid.least[k], theirs.items[i][k]);
            most[k] = fmax(most[k], theirs.items[i][k]);
        }
        size = hypot(size, most[k] - grid.least[k]);
        grid.side = fmax(grid.side, (most[k] - grid.least[k]) / GRID);
    }
    grid.side += 1e-12;
    double off = ours.count && theirs.count
                     ? fmax(farthest(&grid, ours, theirs), farthest(&grid, theirs, ours)) / size
                 : ours.count == theirs.count ? 0
                                              : INFINITY;
    double area = ours.area / theirs.area - 1;
    printf("%s %.2g %+.2g\n", !(off <= 1e-4) ? "wrong" : fabs(area) > 1e-3 ? "area" : "same", off, area);
    return 0;
}
