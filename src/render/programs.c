#include "render/programs.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Compiles the stages that the kind has and attaches them; GL deletes them with the program. */
static int attach_stages(const struct gl *gl, GLuint program, enum shader_kind kind, unsigned features,
                         struct error *err)
{
    static const struct {
        GLenum stage;
        unsigned (*parts)(enum shader_kind, const char *[SHADER_MOST_PARTS]);
    } stages[] = {
        {GL_VERTEX_SHADER, shader_vertex_parts},
        {GL_GEOMETRY_SHADER, shader_geometry_parts},
        {GL_FRAGMENT_SHADER, shader_fragment_parts},
    };
    static const char *const names[] = {"HAS_NORMAL_MAP", "HAS_SPECULAR", "HAS_RIM",   "HAS_HOLES",
                                        "HAS_TWO_SIDES",  "HAS_MATRICES", "HAS_OWN",   "HAS_METALLIC_ROUGHNESS",
                                        "HAS_OCCLUSION",  "HAS_EMISSIVE", "HAS_LIGHT", "HAS_SURROUNDINGS"};
    char header[1024], text[512] = "";
    size_t length = (size_t)snprintf(header, sizeof header, "#version 330 core\n");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        length += (size_t)snprintf(header + length, sizeof header - length, "const bool %s = %s;\n", names[i],
                                   features & (1u << i) ? "true" : "false");

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const char *sources[1 + SHADER_MOST_PARTS] = {header};
        unsigned count = stages[i].parts(kind, sources + 1);
        if (count == 0)
            continue;
        GLint compiled = 0;
        GLuint shader = gl->CreateShader(stages[i].stage);
        gl->ShaderSource(shader, (GLsizei)(1 + count), sources, NULL);
        gl->CompileShader(shader);
        gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
        if (!compiled)
            gl->GetShaderInfoLog(shader, sizeof text, NULL, text);
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
        if (!compiled)
            return error_set(err, "the driver does not accept our shaders: %s", text);
    }
    return 0;
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

    programs->items = must_grow(programs->items, programs->count, &programs->capacity, sizeof *programs->items);
    struct program *program = &programs->items[programs->count++];
    *program = (struct program){.kind = kind, .features = features, .id = id};
#define X(name) program->name = gl->GetUniformLocation(id, #name);
    PROGRAM_UNIFORMS(X)
#undef X
    gl->UseProgram(id);
#define X(unit, picture, matrix)                                                                                  \
    gl->Uniform1i(gl->GetUniformLocation(id, picture), unit);                                                     \
    program->matrices[unit] = gl->GetUniformLocation(id, matrix);
    PROGRAM_UNITS(X)
#undef X
    return program;
}

void programs_release(struct programs *programs)
{
    for (size_t i = 0; i < programs->count; i++)
        programs->gl->DeleteProgram(programs->items[i].id);
    free(programs->items);
    *programs = (struct programs){0};
}
