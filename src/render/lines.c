/* Lines of any width, as triangles: GL's own are one sample wide. */
#include "render/renderer_state.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct line_vertex {
    vec4 clip;
    vec4 color;
};

/* A line makes a stripe of 6 vertices; with dots, each end is a disc of as many. */
enum { LINE_CORNERS = 6, DOT_CORNERS = 3 * 12 };

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
    float along[2] = {b[0] - a[0], b[1] - a[1]}, length = glm_vec2_norm(along);
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
        put(&out[3 * i], place[0], place[1], size, color);
        for (int k = 0; k < 2; k++) {
            double angle = 2 * M_PI * (i + k) / SIDES;
            put(&out[3 * i + 1 + k], place[0] + dot / 2 * (float)cos(angle),
                place[1] + dot / 2 * (float)sin(angle), size, color);
        }
    }
    return DOT_CORNERS;
}

/* Writes the triangles of a line, `width` samples wide, with a dot of `dot` samples across on each end where that is
 * above 0. Returns how many vertices; none where the line lies behind the viewer. */
static size_t put_line(const vec3 ends[2], const mat4 world_to_clip, const uint32_t size[2], float width,
                       float dot, const vec4 color, struct line_vertex *out)
{
    vec4 clip[2];
    vec2 places[2];
    for (int i = 0; i < 2; i++)
        glm_mat4_mulv((vec4 *)world_to_clip, (vec4){ends[i][0], ends[i][1], ends[i][2], 1}, clip[i]);
    if (!clip_to_front(clip[0], clip[1]))
        return 0;
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 2; i++)
            places[end][i] = (clip[end][i] / clip[end][3] + 1) * 0.5f * (float)size[i];
    size_t count = put_stripe(places[0], places[1], width, size, color, out);
    for (int i = 0; i < 2 && dot > 0; i++)
        count += put_dot(places[i], dot, size, color, out + count);
    return count;
}

void lines_draw(struct renderer *renderer, const struct shot *shot)
{
    static const vec4 dark = {0.01f, 0.01f, 0.015f, 1};
    static const vec4 skeleton = {1, 0.38f, 0.02f, 1}, box = {0.02f, 0.62f, 1, 1};
    const bool is_skeleton = pass_rows[renderer->pass].traits & SHOWS_SKELETON;
    const struct gl *gl = renderer->gl;
    const struct program *program = programs_get(&renderer->programs, SHADER_LINES, 0, &renderer->failure);
    struct line_vertex *vertices = memory_alloc(
        shot->line_count * 2, (LINE_CORNERS + 2 * DOT_CORNERS) * sizeof *vertices, &renderer->failure);
    if (!program || !vertices) {
        renderer->failed = true;
        free(vertices);
        return;
    }

    /* Less than a hundredth of the cell, so that lines of small cells stay lines and those of large ones can be seen.
     */
    const uint32_t *cell_px = renderer->cell_px, side = cell_px[0] < cell_px[1] ? cell_px[0] : cell_px[1];
    const uint32_t size[2] = {cell_px[0] * renderer->supersample, cell_px[1] * renderer->supersample};
    float width = fmaxf(1, (float)side / 150) * (float)renderer->supersample;
    float dot = is_skeleton ? 3 * width : width;
    size_t count = 0;
    mat4 world_to_clip;
    glm_mat4_mul((vec4 *)shot->view->view_to_clip, (vec4 *)shot->view->world_to_view, world_to_clip);
    for (int is_inside = 0; is_inside < 2;
         is_inside++) { /* all with a dark border first, then all in their colour */
        float border = is_inside ? 0 : fmaxf(1, 0.5f * width) * 2;
        for (size_t i = 0; i < shot->line_count; i++)
            count += put_line(shot->lines[i], world_to_clip, size, width + border, dot + border,
                              is_inside ? is_skeleton ? skeleton : box : dark, vertices + count);
    }

    GLuint vertex_array, buffer;
    gl->GenVertexArrays(1, &vertex_array);
    gl->BindVertexArray(vertex_array);
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *vertices), vertices, GL_STREAM_DRAW);
    for (GLuint i = 0; i < 2; i++) {
        size_t offset = i ? offsetof(struct line_vertex, color) : offsetof(struct line_vertex, clip);
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof *vertices, (const void *)offset);
    }
    gl->UseProgram(program->id);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    gl->Enable(GL_CULL_FACE);
    gl->Enable(GL_DEPTH_TEST);
    gl->DeleteBuffers(1, &buffer);
    gl->DeleteVertexArrays(1, &vertex_array);
    free(vertices);
}
