#include "render/renderer.h"

#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

#include "asset/mipmap.h"
#include "base/memory.h"
#include "render/downsample.h"
#include "render/gl.h"
#include "render/shaders.h"

enum { ATTRIBUTE_POSITION, ATTRIBUTE_NORMAL, ATTRIBUTE_UV };

/* What the dynamic vertex buffer holds, in vertex order. */
struct posed_vertex {
    vec3 position, normal;
};

struct uniforms {
    GLint world_to_clip, world_to_view, diffuse, cut_out;
    GLint key_direction, key_color, fill_direction, fill_color, sky, ground;
};

struct renderer {
    const struct gl *gl;
    GLuint program;
    struct uniforms uniforms;
    struct texture plain; /* what surfaces without a picture use */

    GLuint framebuffer, color, depth;
    uint32_t cell_px[2], supersample;
    uint8_t *samples; /* the target as read back: bottom row first */
};

struct drawable {
    const struct gl *gl;
    const struct model *model;
    GLuint vertex_array, pose_buffer, uv_buffer, index_buffer;
    struct posed_vertex *posed;
};

/* The colour of a surface without a picture, sRGB: a warm light grey that shows form well. */
static const uint8_t plain_color[4] = {196, 190, 182, 255};

static int check_gl(const struct gl *gl, const char *doing, struct error *err)
{
    GLenum code = gl->GetError();
    if (code == GL_NO_ERROR)
        return 0;
    while (gl->GetError() != GL_NO_ERROR)
        ;
    return error_set(err, "OpenGL %s while %s", code == GL_OUT_OF_MEMORY ? "ran out of memory" : "failed", doing);
}

/* -- The program ------------------------------------------------------------------------------------------- */

static int compile_shader(const struct gl *gl, GLenum kind, const char *source, GLuint *out, struct error *err)
{
    GLuint shader = gl->CreateShader(kind);
    gl->ShaderSource(shader, 1, &source, NULL);
    gl->CompileShader(shader);
    GLint compiled = 0;
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        char text[512] = "";
        gl->GetShaderInfoLog(shader, sizeof text, NULL, text);
        gl->DeleteShader(shader);
        return error_set(err, "the driver does not accept our %s shader: %s",
                         kind == GL_VERTEX_SHADER ? "vertex" : "fragment", text);
    }
    *out = shader;
    return 0;
}

static int link_program(struct renderer *renderer, struct error *err)
{
    const struct gl *gl = renderer->gl;
    GLuint vertex = 0, fragment = 0;
    if (compile_shader(gl, GL_VERTEX_SHADER, model_vertex_shader, &vertex, err) < 0)
        return -1;
    if (compile_shader(gl, GL_FRAGMENT_SHADER, model_fragment_shader, &fragment, err) < 0) {
        gl->DeleteShader(vertex);
        return -1;
    }
    renderer->program = gl->CreateProgram();
    gl->AttachShader(renderer->program, vertex);
    gl->AttachShader(renderer->program, fragment);
    gl->LinkProgram(renderer->program);
    gl->DeleteShader(vertex);
    gl->DeleteShader(fragment);

    GLint linked = 0;
    gl->GetProgramiv(renderer->program, GL_LINK_STATUS, &linked);
    if (!linked) {
        char text[512] = "";
        gl->GetProgramInfoLog(renderer->program, sizeof text, NULL, text);
        return error_set(err, "the driver cannot link our shaders: %s", text);
    }
    return 0;
}

static void find_uniforms(struct renderer *renderer)
{
    const struct gl *gl = renderer->gl;
    struct uniforms *uniforms = &renderer->uniforms;
    const struct {
        const char *name;
        GLint *location;
    } wanted[] = {
        {"world_to_clip", &uniforms->world_to_clip},   {"world_to_view", &uniforms->world_to_view},
        {"diffuse", &uniforms->diffuse},               {"cut_out", &uniforms->cut_out},
        {"key_direction", &uniforms->key_direction},   {"key_color", &uniforms->key_color},
        {"fill_direction", &uniforms->fill_direction}, {"fill_color", &uniforms->fill_color},
        {"sky", &uniforms->sky},                       {"ground", &uniforms->ground},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        *wanted[i].location = gl->GetUniformLocation(renderer->program, wanted[i].name);
}

int renderer_new(struct context *context, struct renderer **out, struct error *err)
{
    struct renderer *renderer = must_alloc(1, sizeof *renderer);
    renderer->gl = context_gl(context);
    struct image plain = {.width = 1, .height = 1, .pixels = (uint8_t *)plain_color};
    if (link_program(renderer, err) < 0 || renderer_add_texture(renderer, &plain, &renderer->plain, err) < 0) {
        renderer_free(renderer);
        return -1;
    }
    find_uniforms(renderer);

    const struct gl *gl = renderer->gl;
    gl->UseProgram(renderer->program);
    gl->Uniform1i(renderer->uniforms.diffuse, 0);
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(GL_CW); /* as models store it, see model/model.h */
    gl->Enable(GL_FRAMEBUFFER_SRGB);
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
    renderer_drop_texture(renderer, &renderer->plain);
    renderer->gl->DeleteProgram(renderer->program);
    free(renderer);
}

/* -- Textures ---------------------------------------------------------------------------------------------- */

static void upload_level(const struct gl *gl, GLint level, const struct image *image)
{
    gl->TexImage2D(GL_TEXTURE_2D, level, GL_SRGB8_ALPHA8, (GLsizei)image->width, (GLsizei)image->height, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, image->pixels);
}

int renderer_add_texture(struct renderer *renderer, const struct image *image, struct texture *out, struct error *err)
{
    const struct gl *gl = renderer->gl;
    struct mipmap mipmap;
    if (mipmap_build(image, MIPMAP_COLOR, &mipmap, err) < 0)
        return -1;

    struct texture texture = {.has_alpha = image->has_alpha};
    gl->GenTextures(1, &texture.id);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture.id);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)mipmap.level_count);
    upload_level(gl, 0, image);
    for (uint32_t i = 0; i < mipmap.level_count; i++)
        upload_level(gl, (GLint)i + 1, &mipmap.levels[i]);
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

/* -- Drawables --------------------------------------------------------------------------------------------- */

static void point_attribute(const struct gl *gl, GLuint attribute, GLint size, size_t stride, size_t offset)
{
    gl->EnableVertexAttribArray(attribute);
    gl->VertexAttribPointer(attribute, size, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void *)offset);
}

/* How the rasterizer rounds depends on the corner that a triangle starts with. Let each start with its lowest point,
 * so that the GL commands of an MD2, which turn triangles about, give the very pixels of its triangle table. */
static void turn_triangles(const struct model *model, uint32_t *indices)
{
    const uint32_t *points = model->vertex_points;
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        const uint32_t *corners = &model->indices[i];
        uint32_t first = 0;
        for (uint32_t j = 1; j < 3; j++)
            if (points[corners[j]] < points[corners[first]])
                first = j;
        for (uint32_t j = 0; j < 3; j++)
            indices[i + j] = corners[(first + j) % 3];
    }
}

static int upload_triangles(const struct gl *gl, const struct model *model, struct error *err)
{
    uint32_t *indices = memory_alloc(model->index_count, sizeof *indices, err);
    if (!indices)
        return -1;
    turn_triangles(model, indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(model->index_count * sizeof *indices), indices,
                   GL_STATIC_DRAW);
    free(indices);
    return check_gl(gl, "uploading a model", err);
}

int drawable_new(struct renderer *renderer, const struct model *model, struct drawable **out, struct error *err)
{
    const struct gl *gl = renderer->gl;
    struct posed_vertex *posed = memory_alloc(model->vertex_count, sizeof *posed, err);
    if (!posed)
        return -1;
    struct drawable *drawable = must_alloc(1, sizeof *drawable);
    drawable->gl = gl;
    drawable->model = model;
    drawable->posed = posed;

    gl->GenVertexArrays(1, &drawable->vertex_array);
    gl->BindVertexArray(drawable->vertex_array);
    gl->GenBuffers(1, &drawable->pose_buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, drawable->pose_buffer);
    point_attribute(gl, ATTRIBUTE_POSITION, 3, sizeof *posed, offsetof(struct posed_vertex, position));
    point_attribute(gl, ATTRIBUTE_NORMAL, 3, sizeof *posed, offsetof(struct posed_vertex, normal));
    gl->GenBuffers(1, &drawable->uv_buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, drawable->uv_buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(model->vertex_count * sizeof(vec2)), model->uvs, GL_STATIC_DRAW);
    point_attribute(gl, ATTRIBUTE_UV, 2, sizeof(vec2), 0);
    gl->GenBuffers(1, &drawable->index_buffer);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, drawable->index_buffer);
    if (upload_triangles(gl, model, err) < 0) {
        drawable_free(drawable);
        return -1;
    }
    *out = drawable;
    return 0;
}

void drawable_free(struct drawable *drawable)
{
    if (!drawable)
        return;
    const struct gl *gl = drawable->gl;
    const GLuint buffers[] = {drawable->pose_buffer, drawable->uv_buffer, drawable->index_buffer};
    gl->DeleteBuffers(3, buffers);
    gl->DeleteVertexArrays(1, &drawable->vertex_array);
    free(drawable->posed);
    free(drawable);
}

void drawable_set_pose(struct drawable *drawable, const struct mesh *mesh)
{
    const struct model *model = drawable->model;
    for (uint32_t i = 0; i < model->vertex_count; i++) {
        uint32_t point = model->vertex_points[i];
        glm_vec3_copy(mesh->positions[point], drawable->posed[i].position);
        glm_vec3_copy(mesh->normals[point], drawable->posed[i].normal);
    }
    const struct gl *gl = drawable->gl;
    gl->BindBuffer(GL_ARRAY_BUFFER, drawable->pose_buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(model->vertex_count * sizeof *drawable->posed), drawable->posed,
                   GL_STREAM_DRAW);
}

/* -- Cells ------------------------------------------------------------------------------------------------- */

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
        return error_set(err, "a cell is drawn at %ux%u pixels (its size times supersample), at most %d are allowed",
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
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return error_set(err, "the driver cannot draw into a cell of %ux%u pixels", size_px[0], size_px[1]);
    return 0;
}

int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample, struct error *err)
{
    if (renderer->supersample == supersample && renderer->cell_px[0] == cell_px[0] && renderer->cell_px[1] == cell_px[1])
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

static void set_direction(const struct gl *gl, GLint location, const vec3 direction)
{
    vec3 unit;
    glm_vec3_normalize_to((float *)direction, unit);
    gl->Uniform3fv(location, 1, unit);
}

static void set_light(const struct renderer *renderer, const struct light_rig *light)
{
    const struct gl *gl = renderer->gl;
    const struct uniforms *uniforms = &renderer->uniforms;
    set_direction(gl, uniforms->key_direction, light->key.direction);
    set_direction(gl, uniforms->fill_direction, light->fill.direction);
    gl->Uniform3fv(uniforms->key_color, 1, light->key.color);
    gl->Uniform3fv(uniforms->fill_color, 1, light->fill.color);
    gl->Uniform3fv(uniforms->sky, 1, light->sky);
    gl->Uniform3fv(uniforms->ground, 1, light->ground);
}

void renderer_draw(struct renderer *renderer, const struct drawable *drawable, const struct look *looks,
                   const struct light_rig *light, const struct view *view)
{
    const struct gl *gl = renderer->gl;
    const struct model *model = drawable->model;
    mat4 world_to_clip;
    glm_mat4_mul((vec4 *)view->view_to_clip, (vec4 *)view->world_to_view, world_to_clip);
    gl->UniformMatrix4fv(renderer->uniforms.world_to_clip, 1, GL_FALSE, world_to_clip[0]);
    gl->UniformMatrix4fv(renderer->uniforms.world_to_view, 1, GL_FALSE, view->world_to_view[0]);
    set_light(renderer, light);

    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl->BindVertexArray(drawable->vertex_array);
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        const struct look *look = &looks[i];
        if (surface->index_count == 0)
            continue;
        gl->BindTexture(GL_TEXTURE_2D, look->diffuse.id ? look->diffuse.id : renderer->plain.id);
        gl->Uniform1i(renderer->uniforms.cut_out, look->cut_out && look->diffuse.has_alpha);
        gl->DrawElements(GL_TRIANGLES, (GLsizei)surface->index_count, GL_UNSIGNED_INT,
                         (const void *)(surface->first_index * sizeof *model->indices));
    }
}

int renderer_read(struct renderer *renderer, uint8_t *pixels, size_t stride, struct error *err)
{
    const struct gl *gl = renderer->gl;
    const uint32_t factor = renderer->supersample;
    const uint32_t width = renderer->cell_px[0], height = renderer->cell_px[1];
    gl->ReadPixels(0, 0, (GLsizei)(width * factor), (GLsizei)(height * factor), GL_RGBA, GL_UNSIGNED_BYTE,
                   renderer->samples);
    if (check_gl(gl, "drawing a cell", err) < 0)
        return -1;
    downsample(renderer->samples, (size_t)width * factor * 4, width, height, factor, true, pixels, stride);
    return 0;
}
