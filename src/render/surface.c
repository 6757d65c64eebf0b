#include "render/renderer_state.h"

#include <cglm/cglm.h>

#include "base/memory.h"
#include "render/drawable.h"

int check_gl(const struct gl *gl, const char *doing, struct error *err)
{
    GLenum code = gl->GetError();
    if (code == GL_NO_ERROR)
        return 0;
    while (gl->GetError() != GL_NO_ERROR)
        ;
    /* The second is of a target that Mesa had no memory for. */
    const bool is_full = code == GL_OUT_OF_MEMORY || code == GL_INVALID_FRAMEBUFFER_OPERATION;
    if (is_full)
        memory_failed(0);
    return error_set(err, "OpenGL %s while %s", is_full ? "ran out of memory" : "failed", doing);
}

GLuint add_renderbuffer(const struct gl *gl, GLenum format, GLenum attachment, const uint32_t size_px[2])
{
    GLuint buffer;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, format, (GLsizei)size_px[0], (GLsizei)size_px[1]);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

void renderer_target_data(struct renderer *renderer)
{
    const uint32_t *cell_px = renderer->cell_px, factor = renderer->supersample;
    const uint32_t size_px[2] = {cell_px[0] * factor, cell_px[1] * factor};
    if (!renderer->data)
        renderer->data = add_renderbuffer(renderer->gl, GL_RGBA8, GL_COLOR_ATTACHMENT0, size_px);
    renderer->gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderer->data);
}

/* -- Programs -------------------------------------------------------------------------------------------- */

/* Where `rig_names` (shaders.c) has them. Ambient light is a hemisphere of one colour. */
static void set_rig(const struct gl *gl, GLint location, const struct light_rig *light, const vec4 world_up)
{
    const struct directional_light *lamps[] = {&light->key, &light->fill, &light->rim};
    vec4 rig[7];
    vec3 sky, ground;
    glm_vec3_add((float *)light->sky, (float *)light->ambient, sky);
    glm_vec3_add((float *)light->ground, (float *)light->ambient, ground);
    for (int i = 0; i < 3; i++) {
        glm_vec3_normalize_to((float *)lamps[i]->direction, rig[2 * i]);
        glm_vec3_copy((float *)lamps[i]->color, rig[2 * i + 1]);
        rig[i][3] = ground[i];
        rig[3 + i][3] = world_up[i];
    }
    glm_vec4(sky, 0, rig[6]);
    gl->Uniform4fv(location, 7, rig[0]);
}

const struct program *renderer_use(struct renderer *renderer, enum shader_kind kind, unsigned features,
                                   const struct shot *shot, const struct shot_part *part)
{
    const struct gl *gl = renderer->gl;
    features |= renderer->writes_codes ? SHADER_CODES : 0;
    features |= shot->view->view_to_clip[3][3] == 0 ? SHADER_PERSPECTIVE : 0;
    const struct model *model = part->drawable->model;
    if (features & SHADER_OWN && (model->colors || model->more_uvs))
        features |= SHADER_EXTRAS;
    struct program *program = programs_get(&renderer->programs, kind, features, &renderer->failure);
    if (!program) {
        renderer->failed = true;
        return NULL;
    }
    gl->UseProgram(program->id);
    if (program->shot != renderer->shot_number) {
        set_rig(gl, program->rig, shot->light, shot->view->world_to_view[2]);
        gl->Uniform4fv(program->team_range, 1, shot->team_range);
        gl->Uniform1f(program->light_steps, shot->pixel ? (float)shot->pixel->light_steps : 0);
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

bool look_hides_insides(const struct look *look)
{
    return look->two_sided && look_is_solid(look) && look->layer_count == 0 && !look->adds_light &&
           !(look_holes(look) > 0);
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

unsigned team_feature(const struct renderer *renderer, const struct look *look)
{
    bool has_colors = pass_rows[renderer->pass].traits & (SHOWS_LAYERS | ONLY_TEAM);
    return renderer->is_grey && look->is_team && has_colors ? SHADER_TEAM : 0;
}

unsigned look_features(const struct look *look, float holes)
{
    const bool has_factor = look->own && !glm_vec4_eq((float *)look->own->base_color_factor, 1);
    return (has_matrix(look) ? SHADER_MATRICES : 0) | (look->own ? SHADER_OWN : 0) |
           (has_factor ? SHADER_FACTOR : 0) | (holes > 0 ? SHADER_HOLES : 0);
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

/* -- Surfaces as the pass shows them --------------------------------------------------------------------- */

/* Light from everywhere alike shows the colours of surfaces as they are, and no form: nothing is reflected. */
static bool is_even(const struct light_rig *light)
{
    const float *const colors[] = {light->key.color, light->fill.color, light->rim.color, light->sky,
                                   light->ground};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (glm_vec3_max((float *)colors[i]) > 0)
            return false;
    return true;
}

/* The features that read the pictures; every program reads the diffuse one. */
static const unsigned picture_features[PICTURE_COUNT] = {
    [PICTURE_NORMAL] = SHADER_NORMAL_MAP,
    [PICTURE_SPECULAR] = SHADER_SPECULAR,
    [PICTURE_METALLIC_ROUGHNESS] = SHADER_METALLIC_ROUGHNESS,
    [PICTURE_OCCLUSION] = SHADER_OCCLUSION,
    [PICTURE_EMISSIVE] = SHADER_EMISSIVE,
    [PICTURE_SPECULAR_STRENGTH] = SHADER_SPECULAR,
    [PICTURE_SHADE] = SHADER_SHADE,
};

static const unsigned toon_features = SHADER_EMISSIVE | SHADER_NORMAL_MAP | SHADER_TWO_SIDED | SHADER_RIM;

enum basis renderer_basis(const struct renderer *renderer, const struct look *look)
{
    bool is_mapped = look->pictures[PICTURE_NORMAL].id && pass_rows[renderer->pass].features & SHADER_NORMAL_MAP;
    return is_mapped && look->unsmoothed_tangents ? BASIS_DOMINANT : BASIS_SMOOTH;
}

bool renderer_use_tangents(struct renderer *renderer, const struct shot_part *part, const struct look *look)
{
    enum basis basis = renderer_basis(renderer, look);
    renderer->failed |= drawable_use_tangents(part->drawable, basis, &renderer->failure) < 0;
    return !renderer->failed;
}

/* What a material of the model file says, but for its pictures and base colour (look_use_holes). */
static void use_own(const struct renderer *renderer, const struct program *program, const struct shot *shot,
                    const struct model_material *own)
{
    const struct gl *gl = renderer->gl;
    const vec3 surface = {own->metallic, own->roughness, own->occlusion_strength};
    static const vec3 white = {1, 1, 1};
    const float *color = own->specular_color_factor;
    const bool is_dark = pass_rows[renderer->pass].traits & ONLY_EMISSION;
    const vec4 specular = {color[0], color[1], color[2], own->specular_factor};
    gl->Uniform1f(program->normal_scale, own->normal_scale);
    gl->Uniform3fv(program->metallic_roughness_occlusion, 1, surface);
    gl->Uniform4fv(program->specular_factor, 1, specular);
    gl->Uniform1i(program->is_glossy, own->is_specular_glossiness);
    gl->Uniform3fv(program->shade_factor, 1, own->shade_factor);
    gl->Uniform2f(program->shade_range, own->shade_range[0], own->shade_range[1]);
    gl->Uniform3fv(program->emission, 1, own->emissive_factor);
    gl->Uniform3fv(program->even_light, 1, own->is_unlit && !is_dark ? white : shot->light->ambient);
}

/* Whether the material reflects as most do that are no metals: 4 % of what it faces. */
static bool reflects_little(const struct model_material *own)
{
    return own->metallic == 0 && !own->is_specular_glossiness && own->specular_factor == 1 &&
           glm_vec3_eq((float *)own->specular_color_factor, 1);
}

bool renderer_use_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                          uint32_t i, float holes)
{
    static const vec4 edge_color = {0.006f, 0.008f, 0.012f, 1};
    const struct gl *gl = renderer->gl;
    const struct look *look = &part->looks[i];
    const struct pass_row *pass = &pass_rows[renderer->pass];
    enum shader_kind kind = pass->shader;
    const bool is_flat = look->own && (look->own->is_unlit || is_even(shot->light));
    const bool has_steps = kind == SHADER_LIT && look->own && look->own->has_shade && !is_flat;
    if (kind == SHADER_LIT && look->own)
        kind = is_flat || has_steps ? SHADER_UNLIT : SHADER_PHYSICAL;

    unsigned features = look->two_sided ? SHADER_TWO_SIDED : 0;
    for (int k = 0; k < PICTURE_COUNT; k++)
        features |= look->pictures[k].id ? picture_features[k] : 0;
    if (!look->adds_light && glm_vec3_max((float *)shot->light->rim.color) > 0)
        features |= SHADER_RIM;
    if (has_steps)
        features = (features & toon_features) | SHADER_SHADE;
    else
        features &= kind == SHADER_UNLIT ? SHADER_EMISSIVE : pass->features;
    const bool is_own = kind == SHADER_UNLIT || kind == SHADER_PHYSICAL;
    const bool emits = is_own && renderer->shines && !glm_vec3_eq((float *)look->own->emissive_factor, 0);
    features = emits ? features | SHADER_EMISSION : features & ~(unsigned)SHADER_EMISSIVE;
    features |= is_own && look->blends && !(holes > 0) ? SHADER_BLENDED : 0;
    features |= look_features(look, holes) | team_feature(renderer, look);
    if (kind == SHADER_PHYSICAL && (features & SHADER_SPECULAR || !reflects_little(look->own)))
        features |= SHADER_REFLECTANCE;
    if (shot->pixel && shot->pixel->light_steps && (kind == SHADER_LIT || kind == SHADER_PHYSICAL))
        features |= SHADER_STEPS;
    if (kind == SHADER_LIT)
        features |= color_features(&look->pictures[PICTURE_DIFFUSE]);
    if (features & SHADER_NORMAL_MAP && !renderer_use_tangents(renderer, part, look))
        return false;
    const struct program *program = renderer_use(renderer, kind, features, shot, part);
    if (!program)
        return false;
    look_use_holes(renderer, program, look, holes);
    for (GLenum k = 0; k < PICTURE_COUNT; k++)
        if (features & picture_features[k])
            renderer_bind(renderer, program, k, look->pictures[k].id ? &look->pictures[k] : &renderer->white);
    if (look->own)
        use_own(renderer, program, shot, look->own);
    if (pass->shader == SHADER_WIRE) {
        gl->Uniform4fv(program->flat_color, 1, edge_color);
        gl->Uniform1f(program->line_width, (float)renderer->supersample);
    } else if (pass->shader == SHADER_FLAT) {
        uint8_t code[4];
        vec4 color;
        mask_color(part->first_mask_id + i, code);
        for (int k = 0; k < 4; k++)
            color[k] = pass->traits & ONLY_TEAM ? (float)look->is_team : (float)code[k] / 255;
        gl->Uniform4fv(program->flat_color, 1, color);
    }
    return true;
}

void renderer_draw_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                           uint32_t i, float holes)
{
    const struct look *look = &part->looks[i];
    const struct drawable *drawable = part->drawable;
    const enum basis basis = renderer_basis(renderer, look);
    struct surface closed = drawable->model->surfaces[i], rest = closed;
    if (!renderer_use_surface(renderer, shot, part, i, holes))
        return;
    bool culls = drawable->closed && look_hides_insides(look) && !shot->view->is_cut;
    closed.index_count = culls ? drawable->closed[i] : 0;
    rest.first_index += closed.index_count;
    rest.index_count -= closed.index_count;
    if (closed.index_count > 0)
        drawable_draw(drawable, &closed, basis);
    look_begin_faces(renderer, look);
    if (rest.index_count > 0)
        drawable_draw(drawable, &rest, basis);
    look_end_faces(renderer);
}
