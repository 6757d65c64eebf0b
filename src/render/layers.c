#include "render/renderer_state.h"

#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/drawable.h"

/* What is sorted: a surface of a part, or a triangle; `depth` grows towards the viewer. */
struct layered {
    const struct shot_part *part;
    uint32_t index;
    float depth;
};

/* Farthest first; what is equally far stays in order. */
static int compare_depths(const void *a, const void *b)
{
    const struct layered *left = a, *right = b;
    if (left->depth != right->depth)
        return left->depth < right->depth ? -1 : 1;
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* The depth of the middle of some corners, in view space. */
static float depth_of(const struct shot *shot, const struct shot_part *part, const uint32_t *corners,
                      uint32_t count)
{
    vec3 middle = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++)
        glm_vec3_add(middle, part->drawable->positions[corners[i]], middle);
    glm_vec3_scale(middle, 1 / (float)count, middle);
    glm_mat4_mulv3((vec4 *)part->model_to_world, middle, 1, middle);
    glm_mat4_mulv3((vec4 *)shot->view->world_to_view, middle, 1, middle);
    return middle[2];
}

/* The corners of the surface, triangle by triangle in the order they are drawn; the caller frees them. */
static uint32_t *sort_triangles(const struct shot *shot, const struct shot_part *part,
                                const struct surface *surface)
{
    uint32_t count = surface->index_count / 3;
    const uint32_t *corners = &part->drawable->indices[surface->first_index];
    struct layered *triangles = must_alloc(count, sizeof *triangles);
    uint32_t *sorted = must_alloc(surface->index_count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        triangles[i] = (struct layered){part, i, depth_of(shot, part, &corners[(size_t)3 * i], 3)};
    qsort(triangles, count, sizeof *triangles, compare_depths);
    for (uint32_t i = 0; i < count; i++)
        memcpy(&sorted[(size_t)3 * i], &corners[(size_t)3 * triangles[i].index], 3 * sizeof *sorted);
    free(triangles);
    return sorted;
}

/* GL's name for a factor that hangs on the colour of the target; `otherwise` for one that hangs on the layer. */
static GLenum target_factor(enum blend_factor factor, GLenum otherwise)
{
    if (factor == BLEND_ONE_MINUS_DST_COLOR)
        return GL_ONE_MINUS_DST_COLOR;
    return factor == BLEND_DST_COLOR ? GL_DST_COLOR : otherwise;
}

/* Whether it is added as it is, whatever light there is. */
static bool layer_shines(const struct look_layer *layer)
{
    return layer->destination == BLEND_ONE && !layer->is_lit;
}

/* Draws a layer of surface i, its triangles as they are `sorted`, or NULL. */
static void draw_layer(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                       uint32_t i, const struct look_layer *layer, const uint32_t *sorted)
{
    const struct gl *gl = renderer->gl;
    const struct surface *surface = &part->drawable->model->surfaces[i];
    const struct look *look = &part->looks[i];
    const struct texture *image = layer->image.id ? &layer->image : &renderer->white;
    const struct texture *mask = layer->mask.id ? &layer->mask : &renderer->white;
    unsigned features = color_features(image) | (layer_has_holes(layer) ? SHADER_HOLES : 0);
    if (image->placement.has_matrix || mask->placement.has_matrix)
        features |= SHADER_MATRICES;
    if (image->placement.is_environment)
        features |= SHADER_SURROUNDINGS;
    if (layer->is_lit)
        features |= SHADER_LIGHT | (look->two_sided ? SHADER_TWO_SIDED : 0);
    if (!layer_shines(layer))
        features |= team_feature(renderer, look);
    enum basis basis = BASIS_SMOOTH;
    if (layer->is_lit && look->pictures[PICTURE_NORMAL].id) { /* a diffuse layer: it is added, in any order */
        features |= SHADER_NORMAL_MAP | look_features(look, 0);
        basis = renderer_basis(renderer, look);
        sorted = NULL;
        if (!renderer_use_tangents(renderer, part, look))
            return;
    }
    const struct program *program = renderer_use(renderer, SHADER_LAYER, features, shot, part);
    if (!program)
        return;
    renderer_bind(renderer, program, PICTURE_DIFFUSE, image);
    renderer_bind(renderer, program, UNIT_MASK, mask);
    if (features & SHADER_NORMAL_MAP)
        renderer_bind(renderer, program, PICTURE_NORMAL, &look->pictures[PICTURE_NORMAL]);
    gl->Uniform1f(program->alpha_test, layer->alpha_test);
    bool is_dark = pass_rows[renderer->pass].traits & ONLY_EMISSION && !layer_shines(layer) &&
                   layer->source != BLEND_DST_COLOR;
    gl->Uniform4fv(program->flat_color, 1, is_dark ? (vec4){0, 0, 0, layer->color[3]} : layer->color);
    gl->Uniform1i(program->source_factor, (GLint)layer->source);
    gl->Uniform1i(program->destination_factor, (GLint)layer->destination);
    /* The shader has multiplied by all that hangs on the layer itself, and its mask. */
    gl->ColorMask(!(layer->masked & 1), !(layer->masked & 2), !(layer->masked & 4), GL_TRUE);
    gl->BlendFuncSeparate(target_factor(layer->source, GL_ONE), target_factor(layer->destination, GL_SRC1_COLOR),
                          GL_ONE, GL_SRC1_ALPHA);
    if (sorted)
        drawable_draw_sorted(part->drawable, sorted, surface->index_count);
    else
        drawable_draw(part->drawable, surface, basis);
}

/* A surface of a material of the model file that blends: what faces away first. */
static void draw_blended(struct renderer *renderer, const struct shot *shot, const struct layered *layered)
{
    const struct gl *gl = renderer->gl;
    const struct shot_part *part = layered->part;
    const struct surface *surface = &part->drawable->model->surfaces[layered->index];
    if (!renderer_use_surface(renderer, shot, part, layered->index, 0))
        return;
    uint32_t *sorted = sort_triangles(shot, part, surface);
    gl->DepthFunc(GL_LEQUAL);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->BlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (part->looks[layered->index].two_sided) {
        gl->CullFace(GL_FRONT);
        drawable_draw_sorted(part->drawable, sorted, surface->index_count);
        gl->CullFace(GL_BACK);
    }
    drawable_draw_sorted(part->drawable, sorted, surface->index_count);
    free(sorted);
}

static void draw_surface(struct renderer *renderer, const struct shot *shot, const struct layered *layered)
{
    const struct shot_part *part = layered->part;
    const struct surface *surface = &part->drawable->model->surfaces[layered->index];
    const struct look *look = &part->looks[layered->index];
    uint32_t *sorted = look_is_solid(look) ? NULL : sort_triangles(shot, part, surface);
    /* Layers lie on the surface that they belong to, and not in its holes. */
    renderer->gl->DepthFunc(look_is_solid(look) ? GL_EQUAL : GL_LEQUAL);
    if (look->adds_light) { /* and alpha stays as it is */
        renderer->gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        renderer->gl->BlendFuncSeparate(GL_ONE, GL_ONE, GL_ZERO, GL_ONE);
        renderer_draw_surface(renderer, shot, part, layered->index, look_holes(look));
    }
    look_begin_faces(renderer, look);
    for (size_t i = look_cover(look) ? 1 : 0; i < look->layer_count; i++)
        if (renderer->shines || !layer_shines(&look->layers[i]))
            draw_layer(renderer, shot, part, layered->index, &look->layers[i], sorted);
    look_end_faces(renderer);
    free(sorted);
}

void layers_draw_cover(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                       uint32_t i)
{
    const struct look *look = &part->looks[i];
    look_begin_faces(renderer, look);
    draw_layer(renderer, shot, part, i, &look->layers[0], NULL);
    look_end_faces(renderer);
    renderer->gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

/* Fills `data` with the light drawn so far as codes, and has drawing go there. */
static void encode(struct renderer *renderer)
{
    const struct gl *gl = renderer->gl;
    const struct program *program = programs_get(&renderer->programs, SHADER_ENCODE, 0, &renderer->failure);
    renderer->failed |= !program;
    if (!program)
        return;
    renderer_target_data(renderer);
    gl->ActiveTexture(GL_TEXTURE0 + PICTURE_DIFFUSE);
    gl->BindTexture(GL_TEXTURE_2D, renderer->light);
    gl->UseProgram(program->id);
    gl->BindVertexArray(renderer->no_vertices);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_CULL_FACE);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->Enable(GL_CULL_FACE);
    gl->Enable(GL_DEPTH_TEST);
}

static void draw_all(struct renderer *renderer, const struct shot *shot, const struct layered *surfaces,
                     size_t count)
{
    const struct gl *gl = renderer->gl;
    gl->Enable(GL_BLEND);
    gl->DepthMask(GL_FALSE);
    for (size_t i = 0; i < count; i++)
        if (surfaces[i].part->looks[surfaces[i].index].blends) {
            draw_blended(renderer, shot, &surfaces[i]);
        } else if (renderer->writes_codes) {
            gl->Enable(GL_STENCIL_TEST);
            draw_surface(renderer, shot, &surfaces[i]);
            gl->Disable(GL_STENCIL_TEST);
        }
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
}

void layers_draw(struct renderer *renderer, const struct shot *shot)
{
    struct layered *surfaces = NULL;
    size_t count = 0, capacity = 0;
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        const struct model *model = part->drawable->model;
        for (uint32_t i = 0; i < model->surface_count; i++) {
            const struct surface *surface = &model->surfaces[i];
            const struct look *look = &part->looks[i];
            if (surface->index_count == 0 || (look->layer_count == 0 && !look->adds_light && !look->blends))
                continue;
            float depth =
                depth_of(shot, part, &part->drawable->indices[surface->first_index], surface->index_count);
            *MUST_ADD(surfaces, count, capacity) = (struct layered){part, i, depth};
            renderer->has_layers |= !look->blends;
        }
    }
    if (count == 0)
        return;
    qsort(surfaces, count, sizeof *surfaces, compare_depths);
    if (renderer->has_layers) {
        encode(renderer);
        renderer->writes_codes = true;
        draw_all(renderer, shot, surfaces, count);
        renderer->writes_codes = false;
        renderer_target_light(renderer);
    }
    draw_all(renderer, shot, surfaces, count);
    free(surfaces);
}
