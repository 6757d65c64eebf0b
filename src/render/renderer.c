#include "render/renderer.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/cast.h"
#include "render/downsample.h"
#include "render/drawable.h"
#include "render/lines.h"
#include "render/outline.h"
#include "render/renderer_state.h"
#include "render/stages.h"

/* The colour of a surface without a picture, sRGB: a warm light grey that shows form well. */
static const uint8_t plain_color[4] = {196, 190, 182, 255}, white_color[4] = {255, 255, 255, 255};

/* -- Opening ----------------------------------------------------------------------------------------------- */

static int add_color(struct renderer *renderer, const uint8_t color[4], struct texture *out, struct error *err)
{
    struct image image = {.width = 1, .height = 1, .pixels = (uint8_t *)color};
    return renderer_add_texture(renderer, &image, MIPMAP_COLOR, out, err);
}

int renderer_new(struct context *context, struct renderer **out, struct error *err)
{
    const struct gl *gl = context_gl(context);
    struct renderer *renderer = must_alloc(1, sizeof *renderer);
    renderer->gl = renderer->programs.gl = gl;
    if (!programs_get(&renderer->programs, SHADER_LIT, 0, err) ||
        add_color(renderer, plain_color, &renderer->plain, err) < 0 ||
        add_color(renderer, white_color, &renderer->white, err) < 0) {
        renderer_free(renderer);
        return -1;
    }
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(GL_CW); /* as models store it, see model/model.h */
    gl->ClearColor(0, 0, 0, 0);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    *out = renderer;
    return 0;
}

static void drop_target(struct renderer *renderer)
{
    const struct gl *gl = renderer->gl;
    gl->DeleteFramebuffers(1, &renderer->framebuffer);
    gl->DeleteRenderbuffers(1, &renderer->color);
    gl->DeleteRenderbuffers(1, &renderer->depth);
    free(renderer->samples);
    renderer->framebuffer = renderer->color = renderer->depth = 0;
    renderer->samples = NULL;
    renderer->supersample = 0;
}

void renderer_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    drop_target(renderer);
    shadow_release(&renderer->shadow);
    cast_release(&renderer->cast, renderer->gl);
    renderer_drop_texture(renderer, &renderer->plain);
    renderer_drop_texture(renderer, &renderer->white);
    programs_release(&renderer->programs);
    free(renderer);
}

/* -- Textures ---------------------------------------------------------------------------------------------- */

static void upload_level(const struct gl *gl, GLint level, enum mipmap_kind kind, const struct image *image)
{
    GLint format = kind == MIPMAP_COLOR ? GL_SRGB8_ALPHA8 : GL_RGBA8;
    gl->TexImage2D(GL_TEXTURE_2D, level, format, (GLsizei)image->width, (GLsizei)image->height, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, image->pixels);
}

int renderer_add_texture(struct renderer *renderer, const struct image *image, enum mipmap_kind kind,
                         struct texture *out, struct error *err)
{
    const struct gl *gl = renderer->gl;
    struct mipmap mipmap;
    if (mipmap_build(image, kind, &mipmap, err) < 0)
        return -1;

    struct texture texture = {.has_alpha = image->has_alpha, .alpha_is_mask = image->alpha_is_mask};
    gl->GenTextures(1, &texture.id);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture.id);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)mipmap.level_count);
    upload_level(gl, 0, kind, image);
    for (uint32_t i = 0; i < mipmap.level_count; i++)
        upload_level(gl, (GLint)i + 1, kind, &mipmap.levels[i]);
    mipmap_release(&mipmap);

    if (check_gl(gl, "uploading a texture", err) < 0) {
        gl->DeleteTextures(1, &texture.id);
        return -1;
    }
    *out = texture;
    return 0;
}

void renderer_drop_texture(struct renderer *renderer, struct texture *texture)
{
    renderer->gl->DeleteTextures(1, &texture->id);
    *texture = (struct texture){0};
}

/* -- The target -------------------------------------------------------------------------------------------- */

static GLuint add_renderbuffer(const struct gl *gl, GLenum format, GLenum attachment, const uint32_t size_px[2])
{
    GLuint buffer;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, format, (GLsizei)size_px[0], (GLsizei)size_px[1]);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static int make_target(struct renderer *renderer, const uint32_t size_px[2], struct error *err)
{
    const struct gl *gl = renderer->gl;
    GLint limit = 0;
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    if (size_px[0] > (uint32_t)limit || size_px[1] > (uint32_t)limit)
        return error_set(err,
                         "a cell is drawn at %ux%u pixels (its size times supersample), at most %d are allowed",
                         size_px[0], size_px[1], limit);
    renderer->samples = memory_alloc((size_t)size_px[0] * size_px[1], 4, err);
    if (!renderer->samples)
        return -1;

    gl->GenFramebuffers(1, &renderer->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    renderer->color = add_renderbuffer(gl, GL_SRGB8_ALPHA8, GL_COLOR_ATTACHMENT0, size_px);
    renderer->depth = add_renderbuffer(gl, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT, size_px);
    gl->Viewport(0, 0, (GLsizei)size_px[0], (GLsizei)size_px[1]);
    if (check_gl(gl, "making room for a cell", err) < 0)
        return -1;
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return 0;
    memory_failed((size_t)size_px[0] * size_px[1] * 8); /* Mesa's way to say so */
    return error_set(err, "the driver cannot draw into a cell of %ux%u pixels, probably for lack of memory",
                     size_px[0], size_px[1]);
}

int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample,
                        struct error *err)
{
    if (renderer->supersample == supersample && renderer->cell_px[0] == cell_px[0] &&
        renderer->cell_px[1] == cell_px[1])
        return 0;
    drop_target(renderer);
    const uint32_t size_px[2] = {cell_px[0] * supersample, cell_px[1] * supersample};
    if (make_target(renderer, size_px, err) < 0) {
        drop_target(renderer);
        return -1;
    }
    memcpy(renderer->cell_px, cell_px, sizeof renderer->cell_px);
    renderer->supersample = supersample;
    return 0;
}

/* -- Surfaces -------------------------------------------------------------------------------------------- */

static bool is_lit_like_color(enum pass pass)
{
    return pass == PASS_CLAY || pass == PASS_SKELETON || pass == PASS_BOUNDS;
}

static enum shader_kind kind_of_pass(enum pass pass)
{
    if (pass == PASS_COLOR)
        return SHADER_LIT;
    if (is_lit_like_color(pass))
        return SHADER_CLAY;
    return pass == PASS_WIREFRAME ? SHADER_WIRE
           : pass == PASS_NORMAL  ? SHADER_NORMAL
           : pass == PASS_UV      ? SHADER_UV
                                  : SHADER_FLAT;
}

/* What of a look this pass shows. */
static unsigned features_of(const struct look *look, const struct light_rig *light, enum pass pass)
{
    bool is_shaded = pass == PASS_COLOR || is_lit_like_color(pass) || pass == PASS_WIREFRAME;
    unsigned features = look_matrices(look) | (look_has_holes(look) ? SHADER_HOLES : 0);
    if (look->two_sided && (is_shaded || pass == PASS_NORMAL))
        features |= SHADER_TWO_SIDED;
    if (look->normal.id && (pass == PASS_COLOR || pass == PASS_NORMAL))
        features |= SHADER_NORMAL_MAP;
    if (look->specular.id && pass == PASS_COLOR)
        features |= SHADER_SPECULAR;
    if (is_shaded && !look->adds_light && glm_vec3_max((float *)light->rim.color) > 0)
        features |= SHADER_RIM;
    return features;
}

static void set_flat_color(const struct renderer *renderer, const struct program *program, uint32_t mask_id)
{
    static const vec4 edge = {0.006f, 0.008f, 0.012f, 1};
    uint8_t code[4];
    vec4 color;
    mask_color(mask_id, code);
    for (int i = 0; i < 4; i++)
        color[i] = (float)code[i] / 255;
    renderer->gl->Uniform4fv(program->flat_color, 1, renderer->pass == PASS_MASK ? color : edge);
    renderer->gl->Uniform1f(program->line_width, (float)renderer->supersample);
}

void renderer_draw_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                           uint32_t i)
{
    const struct look *look = &part->looks[i];
    unsigned features = features_of(look, shot->light, renderer->pass);
    bool is_unsmoothed = features & SHADER_NORMAL_MAP && look->unsmoothed_tangents;
    enum basis basis = is_unsmoothed ? BASIS_DOMINANT : BASIS_SMOOTH;
    if (features & SHADER_NORMAL_MAP && drawable_use_tangents(part->drawable, basis, &renderer->failure) < 0) {
        renderer->failed = true;
        return;
    }
    const struct program *program = renderer_use(renderer, kind_of_pass(renderer->pass), features, shot, part);
    if (!program)
        return;
    look_use_holes(renderer, program, look);
    if (features & SHADER_NORMAL_MAP)
        renderer_bind(renderer, program, UNIT_NORMAL, &look->normal);
    if (features & SHADER_SPECULAR)
        renderer_bind(renderer, program, UNIT_SPECULAR, &look->specular);
    set_flat_color(renderer, program, part->first_mask_id + i);
    look_begin_faces(renderer, look);
    drawable_draw(part->drawable, &part->drawable->model->surfaces[i], basis);
    look_end_faces(renderer);
}

static bool has_solids(const struct shot *shot)
{
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        for (uint32_t i = 0; i < part->drawable->model->surface_count; i++)
            if (part->drawable->model->surfaces[i].index_count > 0 && look_is_solid(&part->looks[i]))
                return true;
    }
    return false;
}

static void draw_solids(struct renderer *renderer, const struct shot *shot)
{
    bool is_color = renderer->pass == PASS_COLOR;
    bool all = !is_color && !has_solids(shot); /* that can be seen at all */
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        const struct model *model = part->drawable->model;
        for (uint32_t i = 0; i < model->surface_count; i++) {
            const struct look *look = &part->looks[i];
            bool is_shown = look_is_solid(look) || (all && (look->stage_count > 0 || look->adds_light));
            if (model->surfaces[i].index_count == 0 || !is_shown)
                continue;
            if (is_color && look_cover(look))
                stages_draw_cover(renderer, shot, part, i);
            else
                renderer_draw_surface(renderer, shot, part, i);
        }
    }
}

/* -- Lines over a model ------------------------------------------------------------------------------------ */

/* Less than a hundredth of the cell, so that lines of small cells stay lines and those of large ones can be seen.
 */
static float line_width(const struct renderer *renderer)
{
    uint32_t side = renderer->cell_px[0] < renderer->cell_px[1] ? renderer->cell_px[0] : renderer->cell_px[1];
    return fmaxf(1, (float)side / 150) * (float)renderer->supersample;
}

/* Every line twice: all with a dark border first, then all in their colour. */
static size_t make_lines(const struct renderer *renderer, const struct shot *shot, struct line_vertex *out)
{
    static const vec4 dark = {0.01f, 0.01f, 0.015f, 1}, joints = {1, 0.38f, 0.02f, 1}, box = {0.02f, 0.62f, 1, 1};
    const uint32_t size[2] = {renderer->cell_px[0] * renderer->supersample,
                              renderer->cell_px[1] * renderer->supersample};
    float width = line_width(renderer), dot = renderer->pass == PASS_SKELETON ? 3 * width : width;
    float border = fmaxf(1, 0.5f * width) * 2;
    size_t count = 0;
    mat4 world_to_clip;
    glm_mat4_mul((vec4 *)shot->view->view_to_clip, (vec4 *)shot->view->world_to_view, world_to_clip);
    for (size_t i = 0; i < shot->line_count; i++)
        count +=
            line_triangles(shot->lines[i], world_to_clip, size, width + border, dot + border, dark, out + count);
    for (size_t i = 0; i < shot->line_count; i++)
        count += line_triangles(shot->lines[i], world_to_clip, size, width, dot,
                                renderer->pass == PASS_SKELETON ? joints : box, out + count);
    return count;
}

static void draw_triangles(const struct gl *gl, const struct line_vertex *vertices, size_t count)
{
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
    gl->DrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    gl->DeleteBuffers(1, &buffer);
    gl->DeleteVertexArrays(1, &vertex_array);
}

static void draw_lines(struct renderer *renderer, const struct shot *shot)
{
    const struct gl *gl = renderer->gl;
    const struct program *program = programs_get(&renderer->programs, SHADER_LINES, 0, &renderer->failure);
    struct line_vertex *vertices = memory_alloc(
        shot->line_count * 2, (LINE_CORNERS + 2 * DOT_CORNERS) * sizeof *vertices, &renderer->failure);
    if (program && vertices) {
        gl->UseProgram(program->id);
        gl->Disable(GL_DEPTH_TEST);
        gl->Disable(GL_CULL_FACE);
        draw_triangles(gl, vertices, make_lines(renderer, shot, vertices));
        gl->Enable(GL_CULL_FACE);
        gl->Enable(GL_DEPTH_TEST);
    } else {
        renderer->failed = true;
    }
    free(vertices);
}

/* -- The ground -------------------------------------------------------------------------------------------- */

/* A light near the horizon would throw a shadow without end; from below it throws none on the ground. It counts as
 * standing at least this high, as the sine of its angle. */
static const float LOWEST_LIGHT = 0.35f;

/* Towards the key light, in the world. */
static void find_key_light(const struct shot *shot, vec3 to_light)
{
    mat3 world_to_view;
    vec3 direction;
    glm_mat4_pick3((vec4 *)shot->view->world_to_view, world_to_view);
    glm_vec3_normalize_to((float *)shot->light->key.direction, direction);
    glm_mat3_transpose(world_to_view);
    glm_mat3_mulv(world_to_view, direction, to_light);
    to_light[2] = fmaxf(to_light[2], LOWEST_LIGHT);
}

/* One texel a pixel, within reason: shadows are soft. */
static uint32_t shadow_side(const struct renderer *renderer)
{
    enum { LEAST = 96, MOST = 512 };
    uint32_t side = renderer->cell_px[0] > renderer->cell_px[1] ? renderer->cell_px[0] : renderer->cell_px[1];
    return side < LEAST ? LEAST : side > MOST ? MOST : side;
}

static void prepare_shadow(struct renderer *renderer, const struct shot *shot)
{
    vec3 to_light = {0, 0, 1};
    if (renderer->ground.kind == GROUND_SHADOW && glm_vec3_max((float *)shot->light->key.color) > 0)
        find_key_light(shot, to_light);
    cast_draw(renderer, shot, to_light, shadow_side(renderer), &renderer->shadow);
    if (renderer->shadow.side > 0 &&
        shadow_soften(&renderer->shadow, renderer->ground.kind, ground_scale(shot->view, renderer->cell_px),
                      &renderer->failure) < 0)
        renderer->failed = true;
}

/* -- Cells ------------------------------------------------------------------------------------------------- */

static void bind_target(const struct renderer *renderer)
{
    const struct gl *gl = renderer->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    gl->Viewport(0, 0, (GLsizei)(renderer->cell_px[0] * renderer->supersample),
                 (GLsizei)(renderer->cell_px[1] * renderer->supersample));
}

/* Keeps what reading the cell will need. */
static void begin_shot(struct renderer *renderer, const struct shot *shot, enum pass pass)
{
    renderer->shot_number++;
    renderer->pass = pass;
    renderer->view = *shot->view;
    renderer->ground = pass == PASS_COLOR && shot->ground ? *shot->ground : (struct ground){0};
    renderer->ground_height = shot->ground_height;
    renderer->outline = pass == PASS_COLOR && shot->outline ? *shot->outline : (struct outline){0};
    shadow_release(&renderer->shadow);
}

void renderer_draw(struct renderer *renderer, const struct shot *shot, enum pass pass)
{
    const struct gl *gl = renderer->gl;
    begin_shot(renderer, shot, pass);
    if (renderer->ground.kind == GROUND_CONTACT || renderer->ground.kind == GROUND_SHADOW)
        prepare_shadow(renderer, shot);

    bind_target(renderer);
    bool is_data = pass == PASS_NORMAL || pass == PASS_DEPTH || pass == PASS_MASK || pass == PASS_UV;
    (is_data ? gl->Disable : gl->Enable)(GL_FRAMEBUFFER_SRGB);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_solids(renderer, shot);
    if (pass == PASS_COLOR)
        stages_draw(renderer, shot);
    if ((pass == PASS_SKELETON || pass == PASS_BOUNDS) && shot->line_count > 0)
        draw_lines(renderer, shot);
}

/* Reads the samples back, or tells why there are none. */
static int read_samples(struct renderer *renderer, GLenum format, GLenum type, struct error *err)
{
    const struct gl *gl = renderer->gl;
    if (renderer->failed) {
        renderer->failed = false;
        *err = renderer->failure;
        return -1;
    }
    gl->ReadPixels(0, 0, (GLsizei)(renderer->cell_px[0] * renderer->supersample),
                   (GLsizei)(renderer->cell_px[1] * renderer->supersample), format, type, renderer->samples);
    return check_gl(gl, "drawing a cell", err);
}

int renderer_read(struct renderer *renderer, uint8_t *pixels, size_t stride, struct error *err)
{
    const uint32_t factor = renderer->supersample, *cell_px = renderer->cell_px;
    if (read_samples(renderer, GL_RGBA, GL_UNSIGNED_BYTE, err) < 0)
        return -1;
    downsampler *shrink = renderer->pass == PASS_NORMAL ? downsample_normals
                          : renderer->pass == PASS_MASK ? downsample_majority
                          : renderer->pass == PASS_UV   ? downsample_middle
                                                        : downsample;
    shrink(renderer->samples, (size_t)cell_px[0] * factor * 4, cell_px[0], cell_px[1], factor, true, pixels,
           stride);
    if (outline_apply(&renderer->outline, pixels, stride, cell_px[0], cell_px[1], err) < 0)
        return -1;
    ground_paint(&renderer->ground, renderer->ground_height, &renderer->shadow, &renderer->view, cell_px, pixels,
                 stride);
    return 0;
}

/* -- Depth ------------------------------------------------------------------------------------------------- */

/* The distance from the camera's plane of what has this depth in the buffer. */
static float distance_of(mat4 view_to_clip, float depth)
{
    double ndc = 2.0 * depth - 1;
    double z = (view_to_clip[3][2] - ndc * view_to_clip[3][3]) / (ndc * view_to_clip[2][3] - view_to_clip[2][2]);
    return (float)-z;
}

static uint16_t depth_code(float distance, const float near_far[2])
{
    float range = near_far[1] - near_far[0];
    float part = range > 0 ? glm_clamp((distance - near_far[0]) / range, 0, 1) : 0;
    return (uint16_t)(65535.5f - part * 65534);
}

/* The nearest sample of a pixel; 1, the far plane, where nothing is. Rows run from the bottom. */
static float nearest_depth(const struct renderer *renderer, uint32_t x, uint32_t y)
{
    const uint32_t factor = renderer->supersample;
    const float *samples = (const float *)renderer->samples;
    float nearest = 1;
    for (uint32_t v = 0; v < factor; v++)
        for (uint32_t u = 0; u < factor; u++) {
            size_t row = (size_t)(renderer->cell_px[1] - 1 - y) * factor + v;
            nearest = fminf(nearest, samples[row * renderer->cell_px[0] * factor + (size_t)x * factor + u]);
        }
    return nearest;
}

int renderer_read_depth(struct renderer *renderer, const float near_far[2], uint16_t *pixels, size_t stride,
                        struct error *err)
{
    if (read_samples(renderer, GL_DEPTH_COMPONENT, GL_FLOAT, err) < 0)
        return -1;
    for (uint32_t y = 0; y < renderer->cell_px[1]; y++) {
        uint16_t *row = (uint16_t *)((uint8_t *)pixels + y * stride);
        for (uint32_t x = 0; x < renderer->cell_px[0]; x++) {
            float depth = nearest_depth(renderer, x, y);
            row[x] = depth < 1 ? depth_code(distance_of(renderer->view.view_to_clip, depth), near_far) : 0;
        }
    }
    return 0;
}
