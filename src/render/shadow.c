/* The shadow of a shot's parts on the ground, as a picture of the plane.
 *
 * Everything is projected along the light onto the plane, which keeps for each texel how high above the plane the
 * lowest thing over it is. Only the plane receives this shadow, so nothing has to be compared and nothing can
 * shadow itself by accident. Looking straight down gives the field of heights that contact shadows are made from. */
#include "render/renderer_state.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "render/drawable.h"

/* Room around the shadow for its soft edge, and how deep a foot may sink into the plane before the shadow loses
 * it, as parts of ground_scale. */
static const float MARGIN = 0.2f, DEEPEST = 0.03f;

/* A light near the horizon would throw a shadow without end; from below it throws none on the ground. It counts as
 * standing at least this high, as the sine of its angle. */
static const float LOWEST_LIGHT = 0.35f;

/* What is to be drawn: the extent of its projection, and of its heights in the world. */
struct extent {
    vec2 low, high;
    float bottom, top;
};

/* Whether surface i is seen, so that it throws a shadow. */
static bool throws(const struct shot_part *part, uint32_t i)
{
    const struct look *look = &part->looks[i];
    return part->drawable->model->surfaces[i].index_count > 0 && (look_is_solid(look) || look->blends);
}

static void add_point(const struct shot *shot, const struct shot_part *part, float *position, const vec3 to_light,
                      struct extent *extent)
{
    vec3 point;
    vec2 place; /* where its shadow falls */
    glm_mat4_mulv3((vec4 *)part->model_to_world, position, 1, point);
    for (int axis = 0; axis < 2; axis++)
        place[axis] = point[axis] - to_light[axis] / to_light[2] * (point[2] - shot->ground_height);
    glm_vec2_minv(extent->low, place, extent->low);
    glm_vec2_maxv(extent->high, place, extent->high);
    extent->top = fmaxf(extent->top, point[2]);
}

static void add_part(const struct shot *shot, const struct shot_part *part, const vec3 to_light,
                     struct extent *extent)
{
    const struct drawable *drawable = part->drawable;
    bool *is_added = must_alloc(drawable->vertex_count, sizeof *is_added); /* triangles share vertices */
    for (uint32_t s = 0; s < drawable->model->surface_count; s++) {
        const struct surface *surface = &drawable->model->surfaces[s];
        for (uint32_t i = 0; i < surface->index_count && throws(part, s); i++) {
            uint32_t vertex = drawable->indices[surface->first_index + i];
            if (!is_added[vertex])
                add_point(shot, part, drawable->positions[vertex], to_light, extent);
            is_added[vertex] = true;
        }
    }
    free(is_added);
}

/* From the world to the clip space of the picture: the plane's x and y across it, heights along its depth. */
static void world_to_cast(const struct shadow *shadow, const struct extent *extent, const vec3 to_light,
                          float height, mat4 out)
{
    glm_mat4_zero(out);
    for (int i = 0; i < 2; i++) {
        float zoom = 2 / shadow->size[i], slant = to_light[i] / to_light[2];
        out[i][i] = zoom;
        out[2][i] = -zoom * slant;
        out[3][i] = zoom * (slant * height - shadow->low[i]) - 1;
    }
    float range = extent->top - extent->bottom;
    out[2][2] = 2 / range;
    out[3][2] = -2 * extent->bottom / range - 1;
    out[3][3] = 1;
}

void shadow_release_target(struct renderer *renderer)
{
    renderer->gl->DeleteFramebuffers(1, &renderer->cast.framebuffer);
    renderer->gl->DeleteRenderbuffers(1, &renderer->cast.depth);
    renderer->cast.framebuffer = renderer->cast.depth = renderer->cast.side = 0;
}

static int bind_target(struct renderer *renderer, uint32_t side, struct error *err)
{
    const struct gl *gl = renderer->gl;
    if (renderer->cast.side == side) {
        gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->cast.framebuffer);
        return 0;
    }
    shadow_release_target(renderer);
    gl->GenFramebuffers(1, &renderer->cast.framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->cast.framebuffer);
    renderer->cast.depth =
        add_renderbuffer(gl, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, (const uint32_t[2]){side, side});
    gl->DrawBuffer(GL_NONE);
    gl->ReadBuffer(GL_NONE);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return error_set(err, "the driver cannot draw a shadow of %ux%u texels", side, side);
    renderer->cast.side = side;
    return 0;
}

static void draw_heights(struct renderer *renderer, const struct shot *shot, const struct extent *extent,
                         const vec3 to_light, struct shadow *shadow)
{
    const struct gl *gl = renderer->gl;
    mat4 to_cast;
    world_to_cast(shadow, extent, to_light, shot->ground_height, to_cast);
    gl->Viewport(0, 0, (GLsizei)shadow->side, (GLsizei)shadow->side);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->Disable(GL_CULL_FACE);
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        const struct model *model = part->drawable->model;
        mat4 model_to_cast;
        glm_mat4_mul(to_cast, (vec4 *)part->model_to_world, model_to_cast);
        for (uint32_t i = 0; i < model->surface_count; i++) {
            const struct look *look = &part->looks[i];
            const float holes = look_holes(look);
            unsigned features = holes > 0 ? look_features(look, holes) : 0;
            if (!throws(part, i))
                continue;
            const struct program *program = renderer_use(renderer, SHADER_FLAT, features, shot, part);
            if (!program)
                break;
            gl->UniformMatrix4fv(program->model_to_clip, 1, GL_FALSE, model_to_cast[0]);
            look_use_holes(renderer, program, look, holes);
            drawable_draw(part->drawable, &model->surfaces[i], BASIS_SMOOTH);
        }
    }
    gl->Enable(GL_CULL_FACE);
    gl->ReadPixels(0, 0, (GLsizei)shadow->side, (GLsizei)shadow->side, GL_DEPTH_COMPONENT, GL_FLOAT,
                   shadow->texels);

    float range = extent->top - extent->bottom, sunk = shot->ground_height - extent->bottom;
    for (size_t i = 0; i < (size_t)shadow->side * shadow->side; i++) {
        float depth = shadow->texels[i];
        shadow->texels[i] = depth < 1 ? fmaxf(depth * range - sunk, 0) : INFINITY;
    }
}

/* Towards what throws the shadow, in the world: the key light, or straight up. */
static void find_light(const struct renderer *renderer, const struct shot *shot, vec3 to_light)
{
    mat3 view_to_world;
    vec3 direction;
    glm_vec3_copy((vec3){0, 0, 1}, to_light);
    if (renderer->ground.kind != GROUND_SHADOW || !(glm_vec3_max((float *)shot->light->key.color) > 0))
        return;
    glm_mat4_pick3((vec4 *)shot->view->world_to_view, view_to_world);
    glm_mat3_transpose(view_to_world);
    glm_vec3_normalize_to((float *)shot->light->key.direction, direction);
    glm_mat3_mulv(view_to_world, direction, to_light);
    to_light[2] = fmaxf(to_light[2], LOWEST_LIGHT);
}

void shadow_draw(struct renderer *renderer, const struct shot *shot)
{
    enum { LEAST_SIDE = 96, MOST_SIDE = 512 }; /* one texel a pixel, within reason: shadows are soft */
    const uint32_t *cell_px = renderer->cell_px, longest = cell_px[0] > cell_px[1] ? cell_px[0] : cell_px[1];
    float scale = ground_scale(shot->view, cell_px);
    struct extent extent = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}, .top = -INFINITY};
    struct shadow *shadow = &renderer->shadow;
    vec3 to_light;
    find_light(renderer, shot, to_light);
    for (size_t i = 0; i < shot->part_count; i++)
        add_part(shot, &shot->parts[i], to_light, &extent);
    extent.bottom = shot->ground_height - DEEPEST * scale;
    extent.top += 0.01f * scale; /* the far plane means that there is nothing */
    if (!(extent.high[0] >= extent.low[0]) || !(extent.top > extent.bottom))
        return;

    float size = fmaxf(extent.high[0] - extent.low[0], extent.high[1] - extent.low[1]) + 2 * MARGIN * scale;
    for (int i = 0; i < 2; i++) {
        shadow->size[i] = size;
        shadow->low[i] = 0.5f * (extent.low[i] + extent.high[i] - size);
    }
    shadow->side = longest < LEAST_SIDE ? LEAST_SIDE : longest > MOST_SIDE ? MOST_SIDE : longest;
    shadow->texels = memory_alloc((size_t)shadow->side * shadow->side, sizeof *shadow->texels, &renderer->failure);
    if (!shadow->texels || bind_target(renderer, shadow->side, &renderer->failure) < 0) {
        renderer->failed = true;
        shadow_release(shadow);
        return;
    }
    draw_heights(renderer, shot, &extent, to_light, shadow);
    if (shadow_soften(shadow, renderer->ground.kind, scale, &renderer->failure) < 0)
        renderer->failed = true;
}
