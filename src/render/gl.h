/* The OpenGL entry points we use, as a table filled by context.c: `gl->DrawElements(...)`. */
#pragma once

#define GL_GLEXT_PROTOTYPES /* for their types alone */
#include <GL/glcorearb.h>

/* Names without "gl". */
/* clang-format off */
#define GL_ENTRY_POINTS(X)                                                                                  \
    X(ActiveTexture) X(AttachShader) X(BindBuffer) X(BindFramebuffer) X(BindRenderbuffer) X(BindTexture)    \
    X(BindVertexArray) X(BlendFuncSeparate) X(BufferData) X(BufferSubData) X(CheckFramebufferStatus) X(Clear) X(ClearColor)  \
    X(ColorMask) X(CompileShader) X(CreateProgram) X(CreateShader) X(CullFace) X(DeleteBuffers)             \
    X(DeleteFramebuffers) X(DeleteProgram) X(DeleteRenderbuffers) X(DeleteShader) X(DeleteTextures)         \
    X(DeleteVertexArrays) X(DepthFunc) X(DepthMask) X(Disable) X(DrawArrays) X(DrawBuffer) X(DrawElements)  \
    X(Enable) X(EnableVertexAttribArray) X(FramebufferRenderbuffer) X(FramebufferTexture2D) X(FrontFace) X(GenBuffers)              \
    X(GenFramebuffers) X(GenRenderbuffers) X(GenTextures) X(GenVertexArrays) X(GetError) X(GetIntegerv)     \
    X(GetProgramInfoLog) X(GetProgramiv) X(GetShaderInfoLog) X(GetShaderiv) X(GetString)                    \
    X(GetUniformLocation) X(LinkProgram) X(PixelStorei) X(ReadBuffer) X(ReadPixels) X(RenderbufferStorage)  \
    X(ShaderSource) X(StencilFunc) X(StencilOp) X(TexImage2D) X(TexParameterfv) X(TexParameteri) X(Uniform1f) X(Uniform1i)              \
    X(Uniform2f) X(Uniform3fv) X(Uniform4fv) X(UniformMatrix4fv) X(UseProgram) X(VertexAttrib4fv)           \
    X(VertexAttribPointer) X(Viewport)
/* clang-format on */

struct gl {
#define X(name) __typeof__(gl##name) *name;
    GL_ENTRY_POINTS(X)
#undef X
};
