#include "render/renderer_state.h"

#include <cglm/cglm.h>

#include "base/memory.h"

int check_gl(const struct gl *gl, const char *doing, struct error *err)
{
    GLenum code = gl->GetError();
    if (code == GL_NO_ERROR)
        return 0;
    while (gl->GetError() != GL_NO_ERROR)
        ;
    if (code == GL_OUT_OF_MEMORY)
        memory_failed(0);
    return error_set(err, "OpenGL %s while %s", code == GL_OUT_OF_MEMORY ? "ran out of memory" : "failed", doing);
}

/* -- Programs -------------------------------------------------------------------------------------------- */

static void set_light(const struct gl *gl, GLint direction, GLint color, const struct directional_light *light)
{
    vec3 unit;
    glm_vec3_normalize_to((float *)light->direction, unit);
    gl->Uniform3fv(direction, 1, unit);
    gl->Uniform3fv(color, 1, light->color);
}

/* Ambient light is a hemisphere of one colour. */
static void set_hemisphere(const struct gl *gl, GLint location, const vec3 color, const vec3 ambient)
{
    vec3 sum;
    glm_vec3_add((float *)color, (float *)ambient, sum);
    gl->Uniform3fv(location, 1, sum);
}

const struct program *renderer_use(struct renderer *renderer, enum shader_kind kind, unsigned features,
                                   const struct shot *shot, const struct shot_part *part)
{
    const struct gl *gl = renderer->gl;
    features |= renderer->has_codes ? SHADER_CODES : 0;
    struct program *program = programs_get(&renderer->programs, kind, features, &renderer->failure);
    if (!program) {
        renderer->failed = true;
        return NULL;
    }
    gl->UseProgram(program->id);
    if (program->shot != renderer->shot_number) {
        const struct light_rig *light = shot->light;
        set_light(gl, program->key_direction, program->key_color, &light->key);
        set_light(gl, program->fill_direction, program->fill_color, &light->fill);
        set_light(gl, program->rim_direction, program->rim_color, &light->rim);
        set_hemisphere(gl, program->sky, light->sky, light->ambient);
        set_hemisphere(gl, program->ground, light->ground, light->ambient);
        gl->Uniform3fv(program->world_up, 1, shot->view->world_to_view[2]);
        gl->Uniform1f(program->perspective, shot->view->view_to_clip[3][3] == 0);
        gl->Uniform2f(program->target_size, (float)(renderer->cell_px[0] * renderer->supersample),
                      (float)(renderer->cell_px[1] * renderer->supersample));
        program->shot = renderer->shot_number;
    }
    mat4 model_to_view, model_to_clip;
    glm_mat4_mul((vec4 *)shot->view->world_to_view, (vec4 *)part->model_to_world, model_to_view);
    glm_mat4_mul((vec4 *)shot->view->view_to_clip, model_to_view, model_to_clip);
    gl->UniformMatrix4fv(program->model_to_view, 1, GL_FALSE, model_to_view[0]);
    gl->UniformMatrix4fv(program->model_to_clip, 1, GL_FALSE, model_to_clip[0]);
    return program;
}

void renderer_bind(const struct renderer *renderer, const struct program *program, GLenum unit,
                   const struct texture *texture)
{
    static const GLint modes[] = {[WRAP_REPEAT] = GL_REPEAT,
                                  [WRAP_CLAMP] = GL_CLAMP_TO_EDGE,
                                  [WRAP_ZERO] = GL_CLAMP_TO_BORDER,
                                  [WRAP_ZERO_ALPHA] = GL_CLAMP_TO_BORDER,
                                  [WRAP_MIRROR] = GL_MIRRORED_REPEAT};
    static const GLfloat black[] = {0, 0, 0, 1}, clear[] = {1, 1, 1, 0};
    static const float identity[2][3] = {{1, 0, 0}, {0, 1, 0}};
    static const GLenum axes[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T};
    const struct gl *gl = renderer->gl;
    const struct texture_placement *placement = &texture->placement;
    gl->ActiveTexture(GL_TEXTURE0 + unit);
    gl->BindTexture(GL_TEXTURE_2D, texture->id);
    for (int i = 0; i < 2; i++)
        gl->TexParameteri(GL_TEXTURE_2D, axes[i], modes[placement->wrap[i]]);
    if (modes[placement->wrap[0]] == GL_CLAMP_TO_BORDER)
        gl->TexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR,
                           placement->wrap[0] == WRAP_ZERO ? black : clear);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, placement->is_nearest ? GL_NEAREST : GL_LINEAR);
    vec4 rows[2];
    for (int i = 0; i < 2; i++) {
        glm_vec3_copy((float *)(placement->has_matrix ? placement->matrix[i] : identity[i]), rows[i]);
        rows[i][3] = placement->is_environment ? 2 : placement->is_second_set;
    }
    gl->Uniform4fv(program->matrices[unit], 2, rows[0]);
}

/* -- Solid surfaces ---------------------------------------------------------------------------------------- */

const struct look_layer *look_cover(const struct look *look)
{
    const struct look_layer *first = look->layers_only && look->layer_count ? &look->layers[0] : NULL;
    return first && first->source == BLEND_ONE && first->destination == BLEND_ZERO ? first : NULL;
}

bool look_is_solid(const struct look *look)
{
    return !look->blends && (!look->layers_only || look_cover(look));
}

static bool has_matrix(const struct look *look)
{
    const struct look_layer *cover = look_cover(look);
    bool found = false;
    for (int i = 0; i < PICTURE_COUNT; i++)
        found |= look->pictures[i].placement.has_matrix;
    return cover ? cover->image.placement.has_matrix : found;
}

void look_begin_faces(const struct renderer *renderer, const struct look *look)
{
    if (look->two_sided)
        renderer->gl->Disable(GL_CULL_FACE);
    else if (look->back_sided)
        renderer->gl->CullFace(GL_FRONT);
}

void look_end_faces(const struct renderer *renderer)
{
    renderer->gl->Enable(GL_CULL_FACE);
    renderer->gl->CullFace(GL_BACK);
}

bool layer_has_holes(const struct look_layer *layer)
{
    return layer->alpha_test > 0 && layer->image.has_alpha;
}

float look_holes(const struct look *look)
{
    const struct look_layer *cover = look_cover(look);
    if (cover)
        return layer_has_holes(cover) ? cover->alpha_test : 0;
    if (look->blends)
        return 0.5f;
    return look->alpha_test > 0 && (look->own || look->pictures[PICTURE_DIFFUSE].has_alpha) ? look->alpha_test : 0;
}

unsigned color_features(const struct texture *diffuse)
{
    static const unsigned features[] = {0, SHADER_COLORS, SHADER_COLORS | SHADER_INVERSE};
    return features[diffuse->placement.vertex_color];
}

unsigned look_features(const struct look *look, float holes)
{
    return (has_matrix(look) ? SHADER_MATRICES : 0) | (look->own ? SHADER_OWN : 0) |
           (holes > 0 ? SHADER_HOLES : 0);
}

/* A material of the model file whose picture is missing is drawn plain, as all are; one without is white. */
void look_use_holes(struct renderer *renderer, const struct program *program, const struct look *look, float holes)
{
    const struct look_layer *cover = look_cover(look);
    const struct texture *picture = cover ? &cover->image : &look->pictures[PICTURE_DIFFUSE];
    const struct texture *none = look->own && !look->own->base_color.path ? &renderer->white : &renderer->plain;
    renderer_bind(renderer, program, PICTURE_DIFFUSE, picture->id ? picture : none);
    renderer->gl->Uniform1f(program->alpha_test, holes);
    if (look->own)
        renderer->gl->Uniform4fv(program->base_factor, 1, look->own->base_color_factor);
}
