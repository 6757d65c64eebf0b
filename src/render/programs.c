#include "render/programs.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"

/* Compiles the stages that the kind has and attaches them; GL deletes them with the program. */
static int attach_stages(const struct gl *gl, GLuint program, enum shader_kind kind, unsigned features,
                         struct error *err)
{
    const struct shader_sources *sources = &shader_sources[kind];
    const struct {
        GLenum stage;
        const char *const *parts;
    } stages[] = {
        {GL_VERTEX_SHADER, sources->vertex},
        {GL_GEOMETRY_SHADER, sources->geometry},
        {GL_FRAGMENT_SHADER, sources->fragment},
    };
    static const char *const names[] = {
#define X(name) #name,
        SHADER_FEATURES(X)
#undef X
    };
    char text[512] = "";
    struct buffer header = {0};
    buffer_printf(&header, "#version 330 core\n");
    for (unsigned i = 0; i < SHADER_BIT_COUNT; i++)
        buffer_printf(&header, "const bool HAS_%s = %s;\n", names[i], features & 1u << i ? "true" : "false");
    int result = 0;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && result == 0; i++) {
        const char *texts[1 + SHADER_MOST_PARTS] = {header.text};
        GLsizei count = 1;
        for (const char *const *part = stages[i].parts; *part; part++)
            texts[count++] = *part;
        if (count == 1)
            continue;
        GLint compiled = 0;
        GLuint shader = gl->CreateShader(stages[i].stage);
        gl->ShaderSource(shader, count, texts, NULL);
        gl->CompileShader(shader);
        gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (!compiled)
            gl->GetShaderInfoLog(shader, sizeof text, NULL, text);
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
        if (!compiled)
            result = error_set(err, "the driver does not accept our shaders: %s", text);
    }
    buffer_release(&header);
    return result;
}

/* Where the uniforms are; pictures stay in their units. */
static void find_uniforms(const struct gl *gl, struct program *program)
{
    static const struct {
        const char *picture, *matrix;
    } units[UNIT_COUNT] = {
        [PICTURE_DIFFUSE] = {"diffuse_map", "diffuse_matrix"},
        [PICTURE_NORMAL] = {"normal_map", "normal_matrix"},
        [PICTURE_SPECULAR] = {"specular_map", "specular_matrix"},
        [PICTURE_METALLIC_ROUGHNESS] = {"metallic_roughness_map", "metallic_roughness_matrix"},
        [PICTURE_OCCLUSION] = {"occlusion_map", "occlusion_matrix"},
        [PICTURE_EMISSIVE] = {"emissive_map", "emissive_matrix"},
        [PICTURE_SPECULAR_STRENGTH] = {"specular_strength_map", "specular_strength_matrix"},
        [PICTURE_SHADE] = {"shade_map", "shade_matrix"},
        [UNIT_MASK] = {"mask_map", "mask_matrix"},
    };
#define X(name) program->name = gl->GetUniformLocation(program->id, #name);
    PROGRAM_UNIFORMS(X)
#undef X
    gl->UseProgram(program->id);
    for (GLint i = 0; i < UNIT_COUNT; i++) {
        gl->Uniform1i(gl->GetUniformLocation(program->id, units[i].picture), i);
        program->matrices[i] = gl->GetUniformLocation(program->id, units[i].matrix);
    }
}

struct program *programs_get(struct programs *programs, enum shader_kind kind, unsigned features,
                             struct error *err)
{
    for (size_t i = 0; i < programs->count; i++)
        if (programs->items[i].kind == kind && programs->items[i].features == features)
            return &programs->items[i];
    const struct gl *gl = programs->gl;
    GLuint id = gl->CreateProgram();
    GLint linked = 0;
    if (attach_stages(gl, id, kind, features, err) < 0) {
        gl->DeleteProgram(id);
        return NULL;
    }
    gl->LinkProgram(id);
    gl->GetProgramiv(id, GL_LINK_STATUS, &linked);
    if (!linked) {
        char text[512] = "";
        gl->GetProgramInfoLog(id, sizeof text, NULL, text);
        error_set(err, "the driver cannot link our shaders: %s", text);
        gl->DeleteProgram(id);
        return NULL;
    }

    struct program *program = MUST_ADD(programs->items, programs->count, programs->capacity);
    *program = (struct program){.kind = kind, .features = features, .id = id};
    find_uniforms(gl, program);
    return program;
}

void programs_release(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        programs->gl->DeleteProgram(programs->items[i].id);
    free(programs->items);
    *programs = (struct programs){0};
}
