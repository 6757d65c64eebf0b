#include "render/shaders.h"

#define GLSL(...) "#version 330 core\n" #__VA_ARGS__

const char model_vertex_shader[] = GLSL(
    layout(location = 0) in vec3 position;
    layout(location = 1) in vec3 normal;
    layout(location = 2) in vec2 uv;

    uniform mat4 world_to_clip;
    uniform mat4 world_to_view;

    out vec3 view_normal;
    out float up; /* the normal's part along world up, for the hemisphere light */
    out vec2 surface_uv;

    void main()
    {
        gl_Position = world_to_clip * vec4(position, 1.0);
        view_normal = mat3(world_to_view) * normal;
        up = normal.z;
        surface_uv = uv;
    }
);

/* Two directional lights and a hemisphere. The key light wraps a little around the form: on a sprite of a hundred
 * pixels a hard terminator reads as an edge of the model. */
const char model_fragment_shader[] = GLSL(
    in vec3 view_normal;
    in float up;
    in vec2 surface_uv;

    uniform sampler2D diffuse;
    uniform bool cut_out;
    uniform vec3 key_direction;
    uniform vec3 key_color;
    uniform vec3 fill_direction;
    uniform vec3 fill_color;
    uniform vec3 sky;
    uniform vec3 ground;

    out vec4 color;

    float wrapped(float cosine)
    {
        const float wrap = 0.15;
        return max((cosine + wrap) / (1.0 + wrap), 0.0);
    }

    void main()
    {
        vec4 albedo = texture(diffuse, surface_uv);
        if (cut_out && albedo.a < 0.5)
            discard;
        vec3 n = normalize(view_normal);
        vec3 light = mix(ground, sky, 0.5 + 0.5 * up);
        light += key_color * wrapped(dot(n, key_direction));
        light += fill_color * max(dot(n, fill_direction), 0.0);
        color = vec4(albedo.rgb * light, 1.0);
    }
);
