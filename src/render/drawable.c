#include "render/drawable.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/renderer_state.h"

enum {
    ATTRIBUTE_POSITION,
    ATTRIBUTE_NORMAL,
    ATTRIBUTE_UV,
    ATTRIBUTE_TANGENT,
    ATTRIBUTE_COLOR,
    ATTRIBUTE_MORE_UV,
};

/* -- Vertices ---------------------------------------------------------------------------------------------- */

/* How the rasterizer rounds depends on the corner that a triangle starts with. Let each start with its lowest
 * point, so that the GL commands of an MD2, which turn triangles about, give the very pixels of its triangle
 * table. */
static void turn_triangle(const struct model *model, const uint32_t corners[3], uint32_t out[3])
{
    const uint32_t *points = model->vertex_points;
    uint32_t first = 0;
    for (uint32_t i = 1; i < 3; i++)
        if (points[corners[i]] < points[corners[first]])
            first = i;
    for (uint32_t i = 0; i < 3; i++)
        out[i] = corners[(first + i) % 3];
}

/* Gives each corner of each triangle a vertex of ours. The first handedness that a vertex meets keeps it, the other
 * gets a copy: across a mirror line tangents jump, and must not be averaged. */
static int split_vertices(struct drawable *drawable, struct error *err)
{
    const struct model *model = drawable->model;
    size_t count = model->vertex_count;
    int8_t *taken = memory_alloc(count, sizeof *taken, err);
    uint32_t *copies = memory_alloc(count, sizeof *copies, err);
    drawable->vertices = arena_alloc(&drawable->arena, count, 2 * sizeof *drawable->vertices, err);
    drawable->indices = arena_alloc(&drawable->arena, model->index_count, sizeof *drawable->indices, err);
    int result = taken && copies && drawable->vertices && drawable->indices ? 0 : -1;
    if (result == 0) {
        for (uint32_t i = 0; i < model->vertex_count; i++)
            drawable->vertices[i] = i;
        drawable->vertex_count = model->vertex_count;
        for (uint32_t i = 0; i < model->index_count; i += 3) {
            uint32_t *corners = &drawable->indices[i];
            turn_triangle(model, &model->indices[i], corners);
            int handedness = triangle_handedness(corners, model->uvs);
            for (int j = 0; j < 3; j++) {
                uint32_t vertex = corners[j];
                if (handedness == 0 || taken[vertex] == handedness)
                    continue;
                if (taken[vertex] == 0) {
                    taken[vertex] = (int8_t)handedness;
                    continue;
                }
                if (copies[vertex] == 0) {
                    copies[vertex] = drawable->vertex_count;
                    drawable->vertices[drawable->vertex_count++] = vertex;
                }
                corners[j] = copies[vertex];
            }
        }
    }
    free(taken);
    free(copies);
    return result;
}

/* -- Buffers ----------------------------------------------------------------------------------------------- */

static void add_attribute(const struct gl *gl, GLuint attribute, GLint size, GLuint *buffer)
{
    if (!*buffer)
        gl->GenBuffers(1, buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, *buffer);
    gl->EnableVertexAttribArray(attribute);
    gl->VertexAttribPointer(attribute, size, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void fill(const struct gl *gl, GLuint buffer, const void *data, size_t count, size_t size, GLenum usage)
{
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * size), data, usage);
}

/* Vertex arrays share all but normals and tangents. */
static void make_vertex_array(struct drawable *drawable, enum basis basis)
{
    const struct gl *gl = drawable->gl;
    struct gl_vertex_array *array = &drawable->arrays[basis];
    gl->GenVertexArrays(1, &array->id);
    gl->BindVertexArray(array->id);
    add_attribute(gl, ATTRIBUTE_POSITION, 3, &drawable->position_buffer);
    add_attribute(gl, ATTRIBUTE_NORMAL, 3, &array->normal_buffer);
    add_attribute(gl, ATTRIBUTE_UV, 2, &drawable->uv_buffer);
    add_attribute(gl, ATTRIBUTE_TANGENT, 4, &array->tangent_buffer);
    if (drawable->model->colors)
        add_attribute(gl, ATTRIBUTE_COLOR, 4, &drawable->color_buffer);
    if (drawable->model->more_uvs)
        add_attribute(gl, ATTRIBUTE_MORE_UV, 2, &drawable->more_uv_buffer);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawable->index_buffer);
}

/* Fills a buffer with what the model has of each vertex, if it has it: `width` numbers. */
static int fill_static(const struct drawable *drawable, GLuint buffer, const float *values, size_t width,
                       struct error *err)
{
    size_t size = width * sizeof *values;
    if (!values)
        return 0;
    float *gathered = memory_alloc(drawable->vertex_count, size, err);
    if (!gathered)
        return -1;
    for (uint32_t i = 0; i < drawable->vertex_count; i++)
        memcpy(&gathered[i * width], &values[drawable->vertices[i] * width], size);
    fill(drawable->gl, buffer, gathered, drawable->vertex_count, size, GL_STATIC_DRAW);
    free(gathered);
    return 0;
}

int drawable_new(struct renderer *renderer, const struct model *model, struct drawable **out, struct error *err)
{
    const struct gl *gl = renderer->gl;
    struct drawable *drawable = must_alloc(1, sizeof *drawable);
    drawable->gl = gl;
    drawable->model = model;
    if (split_vertices(drawable, err) < 0)
        goto fail;
    size_t count = drawable->vertex_count;
    drawable->is_turned = arena_must_alloc(&drawable->arena, model->surface_count, sizeof *drawable->is_turned);
    drawable->uvs = arena_alloc(&drawable->arena, count, sizeof *drawable->uvs, err);
    drawable->positions = arena_alloc(&drawable->arena, count, sizeof *drawable->positions, err);
    drawable->normals = arena_alloc(&drawable->arena, count, sizeof *drawable->normals, err);
    drawable->tangents = arena_alloc(&drawable->arena, count, sizeof *drawable->tangents, err);
    drawable->tangent_sums = arena_alloc(&drawable->arena, count, sizeof *drawable->tangent_sums, err);
    if (!drawable->uvs || !drawable->positions || !drawable->normals || !drawable->tangents ||
        !drawable->tangent_sums)
        goto fail;
    for (uint32_t i = 0; i < count; i++)
        memcpy(drawable->uvs[i], model->uvs[drawable->vertices[i]], sizeof *drawable->uvs);

    gl->GenBuffers(1, &drawable->sorted_buffer);
    gl->GenBuffers(1, &drawable->index_buffer);
    make_vertex_array(drawable, BASIS_SMOOTH);
    fill(gl, drawable->uv_buffer, drawable->uvs, count, sizeof *drawable->uvs, GL_STATIC_DRAW);
    if (fill_static(drawable, drawable->color_buffer, (const float *)model->colors, 4, err) < 0 ||
        fill_static(drawable, drawable->more_uv_buffer, (const float *)model->more_uvs, 2, err) < 0)
        goto fail;
    /* An attribute without memory behind it must not be read. */
    fill(gl, drawable->arrays[BASIS_SMOOTH].tangent_buffer, drawable->tangents, count, sizeof *drawable->tangents,
         GL_STREAM_DRAW);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(model->index_count * sizeof *drawable->indices),
                   drawable->indices, GL_STATIC_DRAW);
    if (check_gl(gl, "uploading a model", err) < 0)
        goto fail;
    *out = drawable;
    return 0;

fail:
    drawable_free(drawable);
    return -1;
}

void drawable_free(struct drawable *drawable)
{
    if (!drawable)
        return;
    const GLuint buffers[] = {drawable->index_buffer,  drawable->uv_buffer,      drawable->position_buffer,
                              drawable->sorted_buffer, drawable->more_uv_buffer, drawable->color_buffer};
    drawable->gl->DeleteBuffers(sizeof buffers / sizeof *buffers, buffers);
    for (int i = 0; i < BASIS_COUNT; i++) {
        drawable->gl->DeleteBuffers(1, &drawable->arrays[i].normal_buffer);
        drawable->gl->DeleteBuffers(1, &drawable->arrays[i].tangent_buffer);
        drawable->gl->DeleteVertexArrays(1, &drawable->arrays[i].id);
    }
    arena_release(&drawable->arena);
    free(drawable);
}

/* -- Triangles ---------------------------------------------------------------------------------------------- */

/* Uploads those of surface s, shells first. They keep their order among those of shells, and among the rest. */
static void upload_triangles(const struct drawable *drawable, uint32_t s)
{
    const struct shells *shells = drawable->shells && drawable->shells[s].surface ? &drawable->shells[s] : NULL;
    const struct surface *surface = &drawable->model->surfaces[s];
    const uint32_t *indices = &drawable->indices[surface->first_index];
    uint32_t *sorted = must_alloc(surface->index_count, sizeof *sorted), closed = 0,
             rest = shells ? 3 * shells->triangle_count : 0;
    for (uint32_t i = 0; i < surface->index_count; i += 3) {
        uint32_t *next = shells && shells->firsts[i / 3] != NO_SHELL ? &closed : &rest;
        memcpy(&sorted[*next], &indices[i], 3 * sizeof *sorted);
        *next += 3;
    }
    drawable->gl->BindBuffer(GL_ARRAY_BUFFER, drawable->index_buffer);
    drawable->gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)(surface->first_index * sizeof *sorted),
                                (GLsizeiptr)(surface->index_count * sizeof *sorted), sorted);
    free(sorted);
}

static void turn_surface(struct drawable *drawable, uint32_t s)
{
    const struct surface *surface = &drawable->model->surfaces[s];
    for (uint32_t *corner = &drawable->indices[surface->first_index], *end = corner + surface->index_count;
         corner < end; corner += 3) {
        uint32_t second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
    drawable->is_turned[s] = !drawable->is_turned[s];
    upload_triangles(drawable, s);
}

int drawable_find_shells(struct drawable *drawable, const struct look *looks, size_t outfit_count,
                         struct error *err)
{
    const struct model *model = drawable->model;
    struct mesh bind = {0};
    for (size_t l = 0; l < outfit_count * model->surface_count; l++) {
        const size_t i = l % model->surface_count;
        if (model->surfaces[i].index_count == 0 || !look_hides_insides(&looks[l]) ||
            (drawable->shells && drawable->shells[i].surface))
            continue;
        if (!drawable->shells) {
            if (mesh_init_positions(&bind, model, err) < 0)
                return -1;
            model_pose(model, &(struct pose){.animation = -1}, &bind);
            drawable->shells = arena_must_alloc(&drawable->arena, model->surface_count, sizeof *drawable->shells);
            drawable->closed = arena_must_alloc(&drawable->arena, model->surface_count, sizeof *drawable->closed);
        }
        shells_find(&drawable->arena, model, &model->surfaces[i], (const vec3 *)bind.positions,
                    &drawable->shells[i]);
        upload_triangles(drawable, (uint32_t)i);
    }
    mesh_release(&bind);
    return 0;
}

/* -- Posing and drawing ------------------------------------------------------------------------------------ */

void drawable_set_pose(struct drawable *drawable, const struct mesh *mesh)
{
    const uint32_t *points = drawable->model->vertex_points;
    for (uint32_t i = 0; i < drawable->vertex_count; i++) {
        uint32_t point = points[drawable->vertices[i]];
        memcpy(drawable->positions[i], mesh->positions[point], sizeof(vec3));
        memcpy(drawable->normals[i], mesh->normals[point], sizeof(vec3));
    }
    for (uint32_t i = 0; i < drawable->model->surface_count; i++)
        if (drawable->is_turned[i] != (mesh->is_turned && mesh->is_turned[i]))
            turn_surface(drawable, i);
    for (uint32_t i = 0; drawable->shells && i < drawable->model->surface_count; i++) {
        const struct shells *shells = &drawable->shells[i];
        bool hold = shells->triangle_count > 0 && shells_hold(shells, (const vec3 *)mesh->positions);
        drawable->closed[i] = hold ? 3 * shells->triangle_count : 0;
    }
    for (int i = 0; i < BASIS_COUNT; i++)
        drawable->arrays[i].has_tangents = false;
    fill(drawable->gl, drawable->position_buffer, drawable->positions, drawable->vertex_count, sizeof(vec3),
         GL_STREAM_DRAW);
    fill(drawable->gl, drawable->arrays[BASIS_SMOOTH].normal_buffer, drawable->normals, drawable->vertex_count,
         sizeof(vec3), GL_STREAM_DRAW);
}

/* Finds the dominant triangles; they are those of the bind pose in every pose. */
static int find_dominant(struct drawable *drawable, struct error *err)
{
    const struct model *model = drawable->model;
    size_t count = drawable->vertex_count;
    struct mesh mesh = {0};
    vec3 *positions = memory_alloc(count, sizeof *positions, err);
    vec3 *normals = arena_alloc(&drawable->arena, count, sizeof *normals, err);
    uint32_t *dominant = arena_alloc(&drawable->arena, count, sizeof *dominant, err);
    int result = positions && normals && dominant ? mesh_init_positions(&mesh, model, err) : -1;
    if (result == 0) {
        model_pose(model, &(struct pose){.animation = -1}, &mesh);
        for (size_t i = 0; i < count; i++)
            memcpy(positions[i], mesh.positions[model->vertex_points[drawable->vertices[i]]], sizeof *positions);
        result = dominant_triangles(drawable->indices, model->index_count, (const vec3 *)positions, count,
                                    dominant, err);
    }
    mesh_release(&mesh);
    free(positions);
    if (result < 0)
        return -1;
    drawable->dominant_normals = normals;
    drawable->dominant = dominant;
    make_vertex_array(drawable, BASIS_DOMINANT);
    return 0;
}

int drawable_use_tangents(struct drawable *drawable, enum basis basis, struct error *err)
{
    const struct gl *gl = drawable->gl;
    struct gl_vertex_array *array = &drawable->arrays[basis];
    const vec2 *uvs = (const vec2 *)drawable->uvs;
    const vec3 *positions = (const vec3 *)drawable->positions;
    if (array->has_tangents)
        return 0;
    if (basis == BASIS_DOMINANT) {
        if (!drawable->dominant && find_dominant(drawable, err) < 0)
            return -1;
        dominant_bases(drawable->indices, uvs, positions, drawable->dominant, drawable->vertex_count,
                       drawable->dominant_normals, drawable->tangents);
        fill(gl, array->normal_buffer, drawable->dominant_normals, drawable->vertex_count, sizeof(vec3),
             GL_STREAM_DRAW);
    } else {
        tangents_from_triangles(drawable->indices, drawable->model->index_count, uvs, positions,
                                (const vec3 *)drawable->normals, drawable->vertex_count, drawable->tangent_sums,
                                drawable->tangents);
    }
    fill(gl, array->tangent_buffer, drawable->tangents, drawable->vertex_count, sizeof(vec4), GL_STREAM_DRAW);
    array->has_tangents = true;
    return 0;
}

/* What a model without colours has instead belongs to the context, and drawing others may change it. */
static void use_vertices(const struct drawable *drawable, enum basis basis)
{
    static const float white[4] = {1, 1, 1, 1}, black[4];
    drawable->gl->BindVertexArray(drawable->arrays[basis].id);
    if (!drawable->color_buffer)
        drawable->gl->VertexAttrib4fv(ATTRIBUTE_COLOR, drawable->model->has_black_vertices ? black : white);
}

void drawable_draw(const struct drawable *drawable, const struct surface *surface, enum basis basis)
{
    use_vertices(drawable, basis);
    drawable->gl->DrawElements(GL_TRIANGLES, (GLsizei)surface->index_count, GL_UNSIGNED_INT,
                               (const void *)(surface->first_index * sizeof *drawable->indices));
}

void drawable_draw_sorted(struct drawable *drawable, const uint32_t *indices, uint32_t count)
{
    const struct gl *gl = drawable->gl;
    use_vertices(drawable, BASIS_SMOOTH);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawable->sorted_buffer);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *indices), indices, GL_STREAM_DRAW);
    gl->DrawElements(GL_TRIANGLES, (GLsizei)count, GL_UNSIGNED_INT, NULL);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawable->index_buffer);
}
