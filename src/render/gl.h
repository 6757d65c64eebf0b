/* The OpenGL entry points we use, as a table filled by context.c: `gl->DrawElements(...)`. */
#pragma once

#include <GL/glcorearb.h>

/* Name of the function without "gl", and its type without "PFNGL" and "PROC". */
#define GL_ENTRY_POINTS(X)                                                                                        \
    X(ActiveTexture, ACTIVETEXTURE)                                                                               \
    X(AttachShader, ATTACHSHADER)                                                                                 \
    X(BindBuffer, BINDBUFFER)                                                                                     \
    X(BindFramebuffer, BINDFRAMEBUFFER)                                                                           \
    X(BindRenderbuffer, BINDRENDERBUFFER)                                                                         \
    X(BindTexture, BINDTEXTURE)                                                                                   \
    X(BindVertexArray, BINDVERTEXARRAY)                                                                           \
    X(BlendFuncSeparate, BLENDFUNCSEPARATE)                                                                       \
    X(BufferData, BUFFERDATA)                                                                                     \
    X(CheckFramebufferStatus, CHECKFRAMEBUFFERSTATUS)                                                             \
    X(Clear, CLEAR)                                                                                               \
    X(ClearColor, CLEARCOLOR)                                                                                     \
    X(ColorMask, COLORMASK)                                                                                       \
    X(CompileShader, COMPILESHADER)                                                                               \
    X(CreateProgram, CREATEPROGRAM)                                                                               \
    X(CreateShader, CREATESHADER)                                                                                 \
    X(CullFace, CULLFACE)                                                                                         \
    X(DeleteBuffers, DELETEBUFFERS)                                                                               \
    X(DeleteFramebuffers, DELETEFRAMEBUFFERS)                                                                     \
    X(DeleteProgram, DELETEPROGRAM)                                                                               \
    X(DeleteRenderbuffers, DELETERENDERBUFFERS)                                                                   \
    X(DeleteShader, DELETESHADER)                                                                                 \
    X(DeleteTextures, DELETETEXTURES)                                                                             \
    X(DeleteVertexArrays, DELETEVERTEXARRAYS)                                                                     \
    X(DepthFunc, DEPTHFUNC)                                                                                       \
    X(DepthMask, DEPTHMASK)                                                                                       \
    X(Disable, DISABLE)                                                                                           \
    X(DrawArrays, DRAWARRAYS)                                                                                     \
    X(DrawBuffer, DRAWBUFFER)                                                                                     \
    X(DrawElements, DRAWELEMENTS)                                                                                 \
    X(Enable, ENABLE)                                                                                             \
    X(EnableVertexAttribArray, ENABLEVERTEXATTRIBARRAY)                                                           \
    X(FramebufferRenderbuffer, FRAMEBUFFERRENDERBUFFER)                                                           \
    X(FrontFace, FRONTFACE)                                                                                       \
    X(GenBuffers, GENBUFFERS)                                                                                     \
    X(GenFramebuffers, GENFRAMEBUFFERS)                                                                           \
    X(GenRenderbuffers, GENRENDERBUFFERS)                                                                         \
    X(GenTextures, GENTEXTURES)                                                                                   \
    X(GenVertexArrays, GENVERTEXARRAYS)                                                                           \
    X(GetError, GETERROR)                                                                                         \
    X(GetIntegerv, GETINTEGERV)                                                                                   \
    X(GetProgramInfoLog, GETPROGRAMINFOLOG)                                                                       \
    X(GetProgramiv, GETPROGRAMIV)                                                                                 \
    X(GetShaderInfoLog, GETSHADERINFOLOG)                                                                         \
    X(GetShaderiv, GETSHADERIV)                                                                                   \
    X(GetString, GETSTRING)                                                                                       \
    X(GetUniformLocation, GETUNIFORMLOCATION)                                                                     \
    X(LinkProgram, LINKPROGRAM)                                                                                   \
    X(PixelStorei, PIXELSTOREI)                                                                                   \
    X(ReadBuffer, READBUFFER)                                                                                     \
    X(ReadPixels, READPIXELS)                                                                                     \
    X(RenderbufferStorage, RENDERBUFFERSTORAGE)                                                                   \
    X(ShaderSource, SHADERSOURCE)                                                                                 \
    X(TexImage2D, TEXIMAGE2D)                                                                                     \
    X(TexParameterfv, TEXPARAMETERFV)                                                                             \
    X(TexParameteri, TEXPARAMETERI)                                                                               \
    X(Uniform1f, UNIFORM1F)                                                                                       \
    X(Uniform1i, UNIFORM1I)                                                                                       \
    X(Uniform2f, UNIFORM2F)                                                                                       \
    X(Uniform3fv, UNIFORM3FV)                                                                                     \
    X(Uniform4fv, UNIFORM4FV)                                                                                     \
    X(UniformMatrix4fv, UNIFORMMATRIX4FV)                                                                         \
    X(UseProgram, USEPROGRAM)                                                                                     \
    X(VertexAttrib4fv, VERTEXATTRIB4FV)                                                                           \
    X(VertexAttribPointer, VERTEXATTRIBPOINTER)                                                                   \
    X(Viewport, VIEWPORT)

struct gl {
#define X(name, type) PFNGL##type##PROC name;
    GL_ENTRY_POINTS(X)
#undef X
};
