#include "render/shaders.h"

#define GLSL(...) #__VA_ARGS__ "\n"

/* -- Vertices ---------------------------------------------------------------------------------------------- */

/* Where a geometry shader stands in between, the outputs go to it under names of their own. */
static const char to_geometry[] = "#define view_position corner_position\n"
                                  "#define view_normal corner_normal\n"
                                  "#define view_tangent corner_tangent\n"
                                  "#define surface_uv corner_uv\n";

/* clang-format off: this is GLSL. */
/* Positions are invariant: blended layers are drawn with another program and must meet the same depth. */
static const char model_vertex[] = GLSL(layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;
                                        layout(location = 2) in vec2 uv; layout(location = 3) in vec4 tangent;

                                        uniform mat4 model_to_clip; uniform mat4 model_to_view;

                                        invariant gl_Position; out vec3 view_position; out vec3 view_normal;
                                        out vec4 view_tangent; out vec2 surface_uv;

                                        void main() {
                                            gl_Position = model_to_clip * vec4(position, 1.0);
                                            view_position = vec3(model_to_view * vec4(position, 1.0));
                                            view_normal = mat3(model_to_view) * normal;
                                            view_tangent = vec4(0.0);
                                            if (HAS_NORMAL_MAP)
                                                view_tangent = vec4(mat3(model_to_view) * tangent.xyz, tangent.w);
                                            surface_uv = uv;
                                        });

static const char line_vertex[] =
    GLSL(layout(location = 0) in vec4 position; layout(location = 1) in vec4 line_color;

         out vec4 vertex_color;

         void main() {
             gl_Position = position;
             vertex_color = line_color;
         });

/* Gives every point of a triangle its distances to the three edges, in samples. In screen space they are linear,
 * so each edge needs only the height of the corner across from it. A triangle that reaches behind the viewer has
 * no such picture and gets no edges. */
static const char wire_geometry[] =
    GLSL(layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;

         uniform vec2 target_size;

         in vec3 corner_position[]; in vec3 corner_normal[]; in vec2 corner_uv[];

         out vec3 view_position; out vec3 view_normal; out vec4 view_tangent; out vec2 surface_uv;
         noperspective out vec3 edge_distances;

         void main() {
             vec2 p[3];
             bool in_front = true;
             for (int i = 0; i < 3; i++) {
                 in_front = in_front && gl_in[i].gl_Position.w > 0.0;
                 p[i] = 0.5 * target_size * gl_in[i].gl_Position.xy / gl_in[i].gl_Position.w;
             }
             vec2 ab = p[1] - p[0];
             vec2 ac = p[2] - p[0];
             float area = abs(ab.x * ac.y - ab.y * ac.x);
             for (int i = 0; i < 3; i++) {
                 float across = length(p[(i + 1) % 3] - p[(i + 2) % 3]);
                 edge_distances = vec3(in_front ? 0.0 : 1e6);
                 if (in_front)
                     edge_distances[i] = area / max(across, 1e-6);
                 gl_Position = gl_in[i].gl_Position;
                 view_position = corner_position[i];
                 view_normal = corner_normal[i];
                 view_tangent = vec4(0.0);
                 surface_uv = corner_uv[i];
                 EmitVertex();
             }
             EndPrimitive();
         });

/* -- Fragments --------------------------------------------------------------------------------------------- */

/* What fragments of a model's surface share. A normal map has x along s and y along t, which runs down in the
 * picture. Code 128 is its zero, so that a flat map is exactly flat. The back of a two-sided surface is that of a
 * thin embossed sheet. */
static const char surface_fragment[] = GLSL(
    in vec3 view_position; in vec3 view_normal; in vec4 view_tangent; in vec2 surface_uv;

    uniform sampler2D diffuse; uniform sampler2D normal_map; uniform vec3 diffuse_matrix[2];
    uniform vec3 normal_matrix[2]; uniform float alpha_test;

    vec2 placed(vec3 s, vec3 t) {
        vec3 at = vec3(surface_uv, 1.0);
        return HAS_MATRICES ? vec2(dot(s, at), dot(t, at)) : surface_uv;
    }

    vec4 read_diffuse() {
        vec4 texel = texture(diffuse, placed(diffuse_matrix[0], diffuse_matrix[1]));
        if (HAS_HOLES && texel.a < alpha_test)
            discard;
        return texel;
    }

    vec3 surface_normal() {
        vec3 n = normalize(view_normal);
        if (HAS_NORMAL_MAP) {
            vec3 texel = texture(normal_map, placed(normal_matrix[0], normal_matrix[1])).xyz;
            vec3 slope = (texel * 255.0 - 128.0) / 127.0;
            vec3 t = view_tangent.xyz;
            vec3 b = view_tangent.w * cross(n, t);
            n = normalize(slope.x * t + slope.y * b + slope.z * n);
        }
        return HAS_TWO_SIDES && !gl_FrontFacing ? -n : n;
    });

/* Two directional lights, a hemisphere, and a light from behind. The key light wraps a little around the form: on
 * a sprite of a hundred pixels a hard terminator reads as an edge of the model. Light from behind is kept to the
 * edges of the form, by how far the surface is turned from the viewer; so flat, any surface shines a little. `sky`
 * and `ground` hold the ambient light too. */
static const char light_fragment[] = GLSL(
    uniform sampler2D specular_map; uniform vec3 specular_matrix[2]; uniform vec3 key_direction;
    uniform vec3 key_color; uniform vec3 fill_direction; uniform vec3 fill_color; uniform vec3 rim_direction;
    uniform vec3 rim_color; uniform vec3 sky; uniform vec3 ground; uniform vec3 world_up;
    uniform float perspective;

    /* The plain colour of the renderer, in linear light. */
    const vec3 clay = vec3(0.552, 0.515, 0.468);

    float wrapped(float cosine) {
        const float wrap = 0.15;
        return max((cosine + wrap) / (1.0 + wrap), 0.0);
    }

    /* Blinn-Phong, to the power of 16. */
    float highlight(vec3 n, vec3 direction, vec3 to_viewer) {
        float cosine = max(dot(n, normalize(direction + to_viewer)), 0.0);
        cosine *= cosine;
        cosine *= cosine;
        cosine *= cosine;
        cosine *= cosine;
        return dot(n, direction) > 0.0 ? cosine : 0.0;
    }

    vec3 lit(vec3 albedo) {
        vec3 n = surface_normal();
        vec3 light = mix(ground, sky, 0.5 + 0.5 * dot(n, world_up));
        light += key_color * wrapped(dot(n, key_direction));
        light += fill_color * max(dot(n, fill_direction), 0.0);
        vec3 to_viewer = vec3(0.0, 0.0, 1.0);
        if (HAS_RIM || HAS_SPECULAR)
            to_viewer = normalize(mix(to_viewer, -view_position, perspective));
        vec3 color = albedo * light;
        if (HAS_RIM) {
            float edge = 1.0 - abs(dot(n, to_viewer));
            float facing = max(0.6 * dot(n, rim_direction) + 0.4, 0.0);
            color += (albedo + 0.15) * rim_color * (edge * edge * edge * facing);
        }
        if (HAS_SPECULAR) {
            vec3 shine = key_color * highlight(n, key_direction, to_viewer);
            shine += fill_color * highlight(n, fill_direction, to_viewer);
            color += texture(specular_map, placed(specular_matrix[0], specular_matrix[1])).rgb * shine;
        }
        return color;
    });

static const char lit_fragment[] = GLSL(out vec4 color;

                                        void main() { color = vec4(lit(read_diffuse().rgb), 1.0); });

static const char clay_fragment[] = GLSL(out vec4 color;

                                         void main() {
                                             read_diffuse();
                                             color = vec4(lit(clay), 1.0);
                                         });

static const char wire_fragment[] = GLSL(noperspective in vec3 edge_distances;

                                         uniform vec4 flat_color; uniform float line_width;

                                         out vec4 color;

                                         void main() {
                                             read_diffuse();
                                             float nearest =
                                                 min(edge_distances.x, min(edge_distances.y, edge_distances.z));
                                             float line = clamp(0.5 * line_width + 0.5 - nearest, 0.0, 1.0);
                                             color = vec4(mix(lit(clay), flat_color.rgb, line), 1.0);
                                         });

static const char normal_fragment[] = GLSL(out vec4 color;

                                           void main() {
                                               read_diffuse();
                                               color = vec4((surface_normal() * 127.0 + 128.0) / 255.0, 1.0);
                                           });

static const char uv_fragment[] = GLSL(out vec4 color;

                                       void main() {
                                           read_diffuse();
                                           color = vec4(fract(surface_uv), 0.0, 1.0);
                                       });

static const char flat_fragment[] = GLSL(uniform vec4 flat_color;

                                         out vec4 color;

                                         void main() {
                                             read_diffuse();
                                             color = flat_color;
                                         });

/* A blended layer leaves `added` + `kept` * what is there. Factors that hang on the colour there are left to the
 * blending unit (render/stages.c); all others are multiplied in here. The numbers are those of enum blend_factor.
 *
 * Alpha says how much of a background would not show through. Where light is only added, that is nothing; what is
 * multiplied away counts by its brightness. */
static const char stage_fragment[] = GLSL(
    uniform vec4 flat_color; uniform int source_factor; uniform int destination_factor; uniform sampler2D mask;
    uniform vec3 mask_matrix[2];

    layout(location = 0, index = 0) out vec4 added; layout(location = 0, index = 1) out vec4 kept;

    vec3 factor(int number, vec4 source, float there) {
        if (number == 1)
            return vec3(0.0);
        if (number == 2)
            return source.rgb;
        if (number == 3)
            return 1.0 - source.rgb;
        if (number == 4)
            return vec3(source.a);
        if (number == 5)
            return vec3(1.0 - source.a);
        if (number == 8)
            return vec3(there);
        if (number == 9)
            return vec3(1.0 - there);
        return vec3(1.0);
    }

    float brightness(vec3 linear) { return dot(linear, vec3(0.2126, 0.7152, 0.0722)); }

    void main() {
        vec4 source = clamp(read_diffuse() * flat_color, 0.0, 1.0);
        float there = 1.0;
        if (source_factor >= 8 || destination_factor >= 8)
            there = texture(mask, placed(mask_matrix[0], mask_matrix[1])).a;
        vec3 passed = factor(destination_factor, source, there);
        float through = brightness(passed);
        if (destination_factor == 7)
            through = 0.0;
        if (source_factor == 6)
            through += brightness(source.rgb);
        if (source_factor == 7)
            through -= brightness(source.rgb);
        through = clamp(through, 0.0, 1.0);
        added = vec4(source.rgb * factor(source_factor, source, there), 1.0 - through);
        kept = vec4(passed, through);
    });

static const char line_fragment[] = GLSL(in vec4 vertex_color;

                                         out vec4 color;

                                         void main() { color = vertex_color; });
/* clang-format on */

/* -- Putting them together --------------------------------------------------------------------------------- */

unsigned shader_vertex_parts(enum shader_kind kind, const char *parts[SHADER_MOST_PARTS])
{
    unsigned count = 0;
    if (kind == SHADER_WIRE)
        parts[count++] = to_geometry;
    parts[count++] = kind == SHADER_LINES ? line_vertex : model_vertex;
    return count;
}

unsigned shader_geometry_parts(enum shader_kind kind, const char *parts[SHADER_MOST_PARTS])
{
    if (kind != SHADER_WIRE)
        return 0;
    parts[0] = wire_geometry;
    return 1;
}

unsigned shader_fragment_parts(enum shader_kind kind, const char *parts[SHADER_MOST_PARTS])
{
    static const char *const last[SHADER_KIND_COUNT] = {
        [SHADER_LIT] = lit_fragment,   [SHADER_STAGE] = stage_fragment, [SHADER_NORMAL] = normal_fragment,
        [SHADER_UV] = uv_fragment,     [SHADER_FLAT] = flat_fragment,   [SHADER_CLAY] = clay_fragment,
        [SHADER_WIRE] = wire_fragment, [SHADER_LINES] = line_fragment,
    };
    unsigned count = 0;
    if (kind != SHADER_LINES)
        parts[count++] = surface_fragment;
    if (kind == SHADER_LIT || kind == SHADER_CLAY || kind == SHADER_WIRE)
        parts[count++] = light_fragment;
    parts[count++] = last[kind];
    return count;
}
