/* A model put together from quads, to be drawn without a file, and the view that shows it: the cell is y and z
 * from -1 to 1, y to the right and z up, and x comes towards the viewer. */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include <cglm/cglm.h>

#include "model/camera.h"
#include "model/model.h"

enum { SCENE_QUADS = 8, SCENE_VERTICES = 4 * SCENE_QUADS, SCENE_INDICES = 6 * SCENE_QUADS };

struct scene {
    struct model model;
    struct mesh mesh;
    uint32_t points[SCENE_VERTICES], indices[SCENE_INDICES];
    vec2 uvs[SCENE_VERTICES];
    vec3 positions[SCENE_VERTICES], normals[SCENE_VERTICES];
    struct surface surfaces[SCENE_QUADS];
};

/* An empty scene. It holds pointers to itself, so it stays where it is. */
static inline void scene_init(struct scene *scene)
{
    *scene = (struct scene){0};
    for (uint32_t i = 0; i < SCENE_VERTICES; i++)
        scene->points[i] = i;
    scene->model.vertex_points = scene->points;
    scene->model.uvs = (const vec2 *)scene->uvs;
    scene->model.indices = scene->indices;
    scene->model.surfaces = scene->surfaces;
    scene->mesh.positions = scene->positions;
    scene->mesh.normals = scene->normals;
}

/* Adds a surface of one quad in a plane of equal x, facing the viewer, with a whole texture on it. */
static inline void scene_add_quad(struct scene *scene, float left, float bottom, float right, float top, float x)
{
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3}; /* clockwise as seen */
    struct model *model = &scene->model;
    uint32_t first = model->vertex_count;
    const float places[4][3] = {{x, left, bottom}, {x, left, top}, {x, right, top}, {x, right, bottom}};
    static const float uvs[4][2] = {{0, 1}, {0, 0}, {1, 0}, {1, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(scene->positions[first + i], places[i], sizeof(vec3));
        memcpy(scene->uvs[first + i], uvs[i], sizeof(vec2));
        memcpy(scene->normals[first + i], (vec3){1, 0, 0}, sizeof(vec3));
    }
    scene->surfaces[model->surface_count++] =
        (struct surface){.name = "quad", .first_index = model->index_count, .index_count = 6};
    for (uint32_t i = 0; i < 6; i++)
        scene->indices[model->index_count++] = first + corners[i];
    model->vertex_count = model->point_count = scene->mesh.point_count = first + 4;
}

static inline struct view scene_view(void)
{
    struct view view = {.pixels_per_unit = 1};
    static const float rows[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}; /* right, up, towards the viewer */
    glm_mat4_identity(view.world_to_view);
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++)
            view.world_to_view[column][row] = rows[row][column];
    glm_ortho(-1, 1, -1, 1, -10, 10, view.view_to_clip);
    return view;
}

#endif
