#include "render/trial.h"

#include <stdint.h>
#include <stdlib.h>

#include "image/srgb.h"
#include "render/gl.h"

enum { SIDE = 32 };

static const char vertex_source[] = "#version 330 core\n"
                                    "layout(location = 0) in vec2 position;\n"
                                    "void main() { gl_Position = vec4(position, 0.0, 1.0); }\n";

static const char fragment_source[] = "#version 330 core\n"
                                      "out vec4 color;\n"
                                      "void main() { color = vec4(0.5, 0.2, 1.0, 1.0); }\n";

static const float linear_color[3] = {0.5f, 0.2f, 1.0f};

/* The lower left half of the target. */
static const float corners[3][2] = {{-1, -1}, {1, -1}, {-1, 1}};
static const uint16_t order[3] = {0, 1, 2};

static int add_shader(const struct gl *gl, GLuint program, GLenum kind, const char *source, struct error *err)
{
    GLuint shader = gl->CreateShader(kind);
    GLint compiled = 0;
    gl->ShaderSource(shader, 1, &source, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (!compiled) {
        char text[512] = "";
        gl->GetShaderInfoLog(shader, sizeof text, NULL, text);
        return error_set(err, "it cannot compile a shader: %s", text);
    }
    gl->AttachShader(program, shader);
    return 0;
}

static int use_program(const struct gl *gl, struct error *err)
{
    GLuint program = gl->CreateProgram();
    GLint linked = 0;
    if (add_shader(gl, program, GL_VERTEX_SHADER, vertex_source, err) < 0 ||
        add_shader(gl, program, GL_FRAGMENT_SHADER, fragment_source, err) < 0)
        return -1;
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked)
        return error_set(err, "it cannot link its shaders");
    gl->UseProgram(program);
    return 0;
}

static int use_target(const struct gl *gl, struct error *err)
{
    GLuint framebuffer, color;
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->GenRenderbuffers(1, &color);
    gl->BindRenderbuffer(GL_RENDERBUFFER, color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, SIDE, SIDE);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return error_set(err, "it cannot draw into an sRGB target");
    gl->Viewport(0, 0, SIDE, SIDE);
    gl->Enable(GL_FRAMEBUFFER_SRGB);
    return 0;
}

static void draw_triangle(const struct gl *gl)
{
    GLuint array, buffers[2];
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    gl->GenBuffers(2, buffers);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    gl->BufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof order, order, GL_STATIC_DRAW);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->DrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
}

/* On the slanted edge a driver may decide either way; elsewhere the last bit of a colour is its own. */
static int check_pixels(uint8_t pixels[SIDE][SIDE][4], struct error *err)
{
    const uint8_t inside[4] = {srgb_from_linear(linear_color[0]), srgb_from_linear(linear_color[1]),
                               srgb_from_linear(linear_color[2]), 255};
    static const uint8_t outside[4];
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int from_edge = x + y - (SIDE - 1);
            const uint8_t *pixel = pixels[y][x], *expected = from_edge < 0 ? inside : outside;
            for (int c = 0; abs(from_edge) > 1 && c < 4; c++)
                if (abs(pixel[c] - expected[c]) > 2)
                    return error_set(
                        err, "it draws a wrong picture: pixel %d,%d is #%02x%02x%02x%02x, not #%02x%02x%02x%02x",
                        x, y, pixel[0], pixel[1], pixel[2], pixel[3], expected[0], expected[1], expected[2],
                        expected[3]);
        }
    return 0;
}

int trial_draw(struct context *context, struct error *err)
{
    const struct gl *gl = context_gl(context);
    uint8_t pixels[SIDE][SIDE][4] = {0};
    if (use_target(gl, err) < 0 || use_program(gl, err) < 0)
        return -1;
    draw_triangle(gl);
    gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    GLenum code = gl->GetError();
    if (code != GL_NO_ERROR)
        return error_set(err, "OpenGL reports error 0x%04x", code);
    return check_pixels(pixels, err);
}
