#include "render/programs.h"

#include <stdio.h>

static void write_features(unsigned features, char *out, size_t size)
{
    static const char *const names[] = {"HAS_NORMAL_MAP", "HAS_SPECULAR",  "HAS_RIM",
                                        "HAS_HOLES",      "HAS_TWO_SIDES", "HAS_MATRICES"};
    size_t length = (size_t)snprintf(out, size, "#version 330 core\n");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        length += (size_t)snprintf(out + length, size - length, "const bool %s = %s;\n", names[i],
                                   features & (1u << i) ? "true" : "false");
}

/* 0 when the driver refuses it. */
static GLuint compile_shader(const struct gl *gl, GLenum stage, const char *const *sources, unsigned count,
                             struct error *err)
{
    GLuint shader = gl->CreateShader(stage);
    gl->ShaderSource(shader, (GLsizei)count, sources, NULL);
    gl->CompileShader(shader);
    GLint compiled = 0;
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled)
        return shader;
    char text[512] = "";
    gl->GetShaderInfoLog(shader, sizeof text, NULL, text);
    gl->DeleteShader(shader);
    error_set(err, "the driver does not accept our shaders: %s", text);
    return 0;
}

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
    char header[512];
    write_features(features, header, sizeof header);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const char *sources[1 + SHADER_MOST_PARTS] = {header};
        unsigned count = stages[i].parts(kind, sources + 1);
        if (count == 0)
            continue;
        GLuint shader = compile_shader(gl, stages[i].stage, sources, 1 + count, err);
        if (!shader)
            return -1;
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
    }
    return 0;
}

static int link_program(const struct gl *gl, GLuint program, struct error *err)
{
    gl->LinkProgram(program);
    GLint linked = 0;
    gl->GetProgramiv(program, GL_LINK_STATUS, &linked);
    if (linked)
        return 0;
    char text[512] = "";
    gl->GetProgramInfoLog(program, sizeof text, NULL, text);
    return error_set(err, "the driver cannot link our shaders: %s", text);
}

static void find_uniforms(const struct gl *gl, struct program *program)
{
#define X(name) program->name = gl->GetUniformLocation(program->id, #name);
    PROGRAM_UNIFORMS(X)
#undef X
    static const char *const matrices[] = {"diffuse_matrix", "normal_matrix", "specular_matrix", "mask_matrix"};
    for (int i = 0; i < UNIT_COUNT; i++)
        program->matrices[i] = gl->GetUniformLocation(program->id, matrices[i]);
    gl->UseProgram(program->id);
    gl->Uniform1i(program->diffuse, UNIT_DIFFUSE);
    gl->Uniform1i(program->normal_map, UNIT_NORMAL);
    gl->Uniform1i(program->specular_map, UNIT_SPECULAR);
    gl->Uniform1i(program->mask, UNIT_MASK);
}

struct program *programs_get(struct programs *programs, enum shader_kind kind, unsigned features,
                             struct error *err)
{
    struct program *program = &programs->items[kind][features];
    if (program->id)
        return program;
    const struct gl *gl = programs->gl;
    GLuint id = gl->CreateProgram();
    if (attach_stages(gl, id, kind, features, err) < 0 || link_program(gl, id, err) < 0) {
        gl->DeleteProgram(id);
        return NULL;
    }
    program->id = id;
    find_uniforms(gl, program);
    return program;
}

void programs_release(struct programs *programs)
{
    for (int kind = 0; kind < SHADER_KIND_COUNT; kind++)
        for (int features = 0; features < SHADER_FEATURE_SETS; features++)
            if (programs->items[kind][features].id)
                programs->gl->DeleteProgram(programs->items[kind][features].id);
    *programs = (struct programs){0};
}
