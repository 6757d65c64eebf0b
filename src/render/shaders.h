/* The GLSL sources, in shaders.c. */
#ifndef RENDER_SHADERS_H
#define RENDER_SHADERS_H

extern const char model_vertex_shader[], model_fragment_shader[];

#endif
