#include "render/shaders.h"

#include <stddef.h>

#define GLSL(...) #__VA_ARGS__ "\n"

/* -- Vertices ---------------------------------------------------------------------------------------------- */

/* Where a geometry shader stands in between, the outputs go to it under names of their own. */
static const char to_geometry[] = "#define view_position corner_position\n"
                                  "#define view_normal corner_normal\n"
                                  "#define view_tangent corner_tangent\n"
                                  "#define surface_uv corner_uv\n"
                                  "#define surface_more_uv corner_more_uv\n"
                                  "#define surface_color corner_color\n"
                                  "#define lights corner_lights\n";

/* clang-format off: this is GLSL. */
/* Between linear light and the codes of sRGB, 0 to 1. */
static const char code_functions[] = GLSL(
    vec3 to_codes(vec3 light) {
        vec3 curve = 1.055 * pow(max(light, 0.0031308), vec3(1.0 / 2.4)) - 0.055;
        return mix(12.92 * light, curve, step(0.0031308, light));
    }

    vec3 to_light(vec3 codes) {
        return mix(codes / 12.92, pow((codes + 0.055) / 1.055, vec3(2.4)), step(0.04045, codes));
    }

    vec3 stored(vec3 light) { return HAS_CODES ? to_codes(light) : light; });

/* The light of a shot: directions towards lamps, in view space, and colours; and the roughness of a material. Vertices hand
 * them on, because llvmpipe reads a number of a uniform for each fragment anew, and one that is flat for a block of them. */
static const char rig_names[] = "#define key_direction lights[0].xyz\n#define key_color lights[1].xyz\n"
                                "#define fill_direction lights[2].xyz\n#define fill_color lights[3].xyz\n"
                                "#define rim_direction lights[4].xyz\n#define rim_color lights[5].xyz\n"
                                "#define sky lights[6].xyz\n"
                                "#define ground vec3(lights[0].w, lights[1].w, lights[2].w)\n"
                                "#define world_up vec3(lights[3].w, lights[4].w, lights[5].w)\n"
                                "#define own_roughness lights[6].w\n";

/* Positions are invariant: blended layers are drawn with another program and must meet the same depth. */
static const char model_vertex[] = GLSL(
    layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal; layout(location = 2) in vec2 uv;
    layout(location = 3) in vec4 tangent; layout(location = 4) in vec4 color; layout(location = 5) in vec2 more_uv;

    uniform mat4 model_to_clip; uniform mat4 model_to_view; uniform vec4 rig[7];
    uniform vec3 metallic_roughness_occlusion; flat out vec4 lights[7];

    invariant gl_Position; out vec3 view_position; out vec3 view_normal; out vec4 view_tangent;
    out vec2 surface_uv; out vec2 surface_more_uv; out vec4 surface_color;

    void main() {
        gl_Position = model_to_clip * vec4(position, 1.0);
        view_position = vec3(model_to_view * vec4(position, 1.0));
        view_normal = mat3(model_to_view) * normal;
        view_tangent = vec4(0.0);
        if (HAS_NORMAL_MAP)
            view_tangent = vec4(mat3(model_to_view) * tangent.xyz, tangent.w);
        lights = rig;
        own_roughness = metallic_roughness_occlusion.y;
        surface_uv = uv;
        surface_more_uv = HAS_EXTRAS ? more_uv : uv;
        surface_color = HAS_EXTRAS ? color : vec4(1.0);
        if (HAS_COLORS) /* as codes, as which the games interpolate them */
            surface_color = vec4(HAS_INVERSE ? 1.0 - to_codes(color.rgb) : to_codes(color.rgb), color.a);
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

         uniform vec2 target_size; uniform vec4 rig[7];

         in vec3 corner_position[]; in vec3 corner_normal[]; in vec2 corner_uv[]; in vec2 corner_more_uv[];
         in vec4 corner_color[];

         out vec3 view_position; out vec3 view_normal; out vec4 view_tangent; out vec2 surface_uv;
         out vec2 surface_more_uv; out vec4 surface_color; noperspective out vec3 edge_distances;
         flat out vec4 lights[7];

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
                 surface_more_uv = corner_more_uv[i];
                 surface_color = corner_color[i];
                 lights = rig;
                 EmitVertex();
             }
             EndPrimitive();
         });

/* -- Fragments --------------------------------------------------------------------------------------------- */

/* What fragments of a model's surface share. A normal map has x along s and y along t, which runs down in the
 * picture. Code 128 is its zero, so that a flat map is exactly flat. The back of a two-sided surface is that of a
 * thin embossed sheet.
 *
 * Materials of the model file (HAS_OWN) have y up the picture, colours at the vertices and a second set of
 * coordinates, which a 1 at the end of a matrix's rows chooses. A 2 there chooses what the surface mirrors. */
static const char surface_fragment[] = GLSL(
    in vec3 view_position; in vec3 view_normal; in vec4 view_tangent; in vec2 surface_uv; in vec2 surface_more_uv;
    in vec4 surface_color;

    uniform sampler2D diffuse_map; uniform sampler2D normal_map; uniform vec4 diffuse_matrix[2];
    uniform vec4 normal_matrix[2]; uniform float alpha_test; uniform vec4 base_factor; uniform float normal_scale;
    uniform mat4 model_to_view;

    vec3 to_viewer() { return HAS_PERSPECTIVE ? normalize(-view_position) : vec3(0.0, 0.0, 1.0); }

    /* As Quake III places the pictures of surroundings: by the y and z of the model in the mirrored line of sight. */
    vec2 mirrored() {
        vec3 n = normalize(view_normal);
        vec3 v = to_viewer();
        vec3 r = normalize((2.0 * dot(n, v) * n - v) * mat3(model_to_view));
        return vec2(0.5 + 0.5 * r.y, 0.5 - 0.5 * r.z);
    }

    vec4 read(sampler2D map, vec4 rows[2]) {
        float kind = rows[0].w;
        vec3 at = vec3(HAS_EXTRAS && kind > 0.5 ? surface_more_uv : surface_uv, 1.0);
        if (HAS_SURROUNDINGS && kind > 1.5)
            at.xy = mirrored();
        return texture(map, HAS_MATRICES ? vec2(dot(rows[0].xyz, at), dot(rows[1].xyz, at)) : at.xy);
    }

    /* A hue is a direction: of red to the right, and of green a third of a turn from there. */
    uniform vec4 team_range;
    bool is_team = false;

    bool is_in_range(vec3 codes) {
        vec2 hue = vec2(codes.r - 0.5 * (codes.g + codes.b), 0.8660254 * (codes.g - codes.b));
        float most = max(max(codes.r, codes.g), codes.b);
        float least = min(min(codes.r, codes.g), codes.b);
        return dot(hue, team_range.xy) >= team_range.z * length(hue) && most - least >= team_range.w * most;
    }

    vec4 read_diffuse() {
        vec4 texel = read(diffuse_map, diffuse_matrix);
        vec4 factor = HAS_FACTOR ? base_factor : vec4(1.0);
        if (HAS_OWN)
            texel *= HAS_EXTRAS ? factor * surface_color : factor;
        if (HAS_COLORS)
            texel.rgb = to_light(to_codes(texel.rgb) * surface_color.rgb);
        if (HAS_HOLES && texel.a < alpha_test)
            discard;
        if (HAS_TEAM)
            is_team = is_in_range(to_codes(texel.rgb));
        if (is_team) /* times the colour that it had, it is what it was */
            texel.rgb = vec3(max(max(texel.r, texel.g), texel.b));
        return texel;
    }

    /* A picture that does not change along a row of its matrix leans nowhere there. */
    vec2 leaning(vec2 row) { return dot(row, row) > 0.0 ? normalize(row) : vec2(0.0); }

    vec3 surface_normal() {
        vec3 n = normalize(view_normal);
        if (HAS_NORMAL_MAP) {
            vec3 texel = read(normal_map, normal_matrix).xyz;
            vec3 slope = (texel * 255.0 - 128.0) / 127.0;
            if (HAS_OWN) {
                slope.xy *= vec2(normal_scale, -normal_scale);
                if (HAS_MATRICES) /* a picture that is turned or mirrored leans that way */
                    slope.xy = slope.x * leaning(normal_matrix[0].xy) + slope.y * leaning(normal_matrix[1].xy);
            }
            vec3 t = view_tangent.xyz;
            vec3 b = view_tangent.w * cross(n, t);
            vec3 sum = slope.x * t + slope.y * b + slope.z * n;
            if (dot(sum, sum) > 1e-6) /* below a step of the picture: grey, which has no direction */
                n = normalize(sum);
        }
        return HAS_TWO_SIDED && !gl_FrontFacing ? -n : n;
    });

/* Two directional lights, a hemisphere, and a light from behind. The key light wraps a little around the form: on
 * a sprite of a hundred pixels a hard terminator reads as an edge of the model. Light from behind is kept to the
 * edges of the form, by how far the surface is turned from the viewer; so flat, any surface shines a little. `sky`
 * and `ground` hold the ambient light too. */
static const char rig_fragment[] = GLSL(
    uniform sampler2D specular_map; uniform vec4 specular_matrix[2]; uniform float light_steps;
    flat in vec4 lights[7];

    float wrapped(float cosine) {
        const float wrap = 0.15;
        return max((cosine + wrap) / (1.0 + wrap), 0.0);
    }

    vec3 rim_light(vec3 albedo, vec3 n, vec3 v) {
        float edge = 1.0 - abs(dot(n, v));
        float facing = max(0.6 * dot(n, rim_direction) + 0.4, 0.0);
        return (albedo + 0.15) * rim_color * (edge * edge * edge * facing);
    }

    /* How bright a colour became by light, in steps that look equal: to the middle of one. */
    vec3 stepped(vec3 color, vec3 albedo) {
        float shade = dot(color, vec3(1.0)) / max(dot(albedo, vec3(1.0)), 0.01);
        float middle = (floor(sqrt(shade) * light_steps) + 0.5) / light_steps;
        return HAS_STEPS && shade > 0.0 ? color * (middle * middle / shade) : color;
    });

static const char light_fragment[] = GLSL(
    /* The plain colour of the renderer, in linear light. */
    const vec3 clay = vec3(0.552, 0.515, 0.468);

    /* Blinn-Phong, to the power of 16. */
    float highlight(vec3 n, vec3 direction, vec3 v) {
        float cosine = max(dot(n, normalize(direction + v)), 0.0);
        cosine *= cosine;
        cosine *= cosine;
        cosine *= cosine;
        cosine *= cosine;
        return dot(n, direction) > 0.0 ? cosine : 0.0;
    }

    vec3 lit(vec3 albedo) {
        vec3 n = surface_normal();
        vec3 v = to_viewer();
        vec3 light = mix(ground, sky, 0.5 + 0.5 * dot(n, world_up));
        light += key_color * wrapped(dot(n, key_direction));
        light += fill_color * max(dot(n, fill_direction), 0.0);
        vec3 color = albedo * light;
        if (HAS_RIM)
            color += rim_light(albedo, n, v);
        if (HAS_SPECULAR) {
            vec3 shine = key_color * highlight(n, key_direction, v);
            shine += fill_color * highlight(n, fill_direction, v);
            color += read(specular_map, specular_matrix).rgb * shine;
        }
        return stepped(color, albedo);
    });

/* What all but layers write. */
static const char color_fragment[] = GLSL(out vec4 color;);

static const char lit_fragment[] = GLSL(void main() { color = vec4(stored(lit(read_diffuse().rgb)), 1.0); });

static const char clay_fragment[] = GLSL(void main() {
    read_diffuse();
    color = vec4(lit(clay), 1.0);
});

static const char wire_fragment[] =
    GLSL(noperspective in vec3 edge_distances; uniform vec4 flat_color; uniform float line_width;

         void main() {
             read_diffuse();
             float nearest = min(edge_distances.x, min(edge_distances.y, edge_distances.z));
             float line = clamp(0.5 * line_width + 0.5 - nearest, 0.0, 1.0);
             color = vec4(mix(lit(clay), flat_color.rgb, line), 1.0);
         });

static const char normal_fragment[] = GLSL(void main() {
    read_diffuse();
    color = vec4((surface_normal() * 127.0 + 128.0) / 255.0, 1.0);
});

static const char uv_fragment[] = GLSL(void main() {
    read_diffuse();
    color = vec4(fract(surface_uv), 0.0, 1.0);
});

static const char flat_fragment[] = GLSL(uniform vec4 flat_color;

                                         void main() {
                                             read_diffuse();
                                             color = HAS_TEAM && !is_team ? vec4(0.0) : flat_color;
                                         });

/* What the materials of model files share: what they emit, and their alpha, by which colour is multiplied. What emits more
 * than the target holds is drawn as bright as it goes, in its hue: by its largest channel, and with it the light that it
 * reflects. Reflected light alone goes towards white as it grows, as highlights are expected to: each channel ends at 1.
 * All of this is done for each sample, before they are averaged, so that a spot smaller than a pixel has smooth edges. */
static const char own_fragment[] =
    GLSL(uniform sampler2D emissive_map; uniform vec4 emissive_matrix[2]; uniform vec3 emission;

         void finish(vec3 light, float alpha) {
             float cover = HAS_BLENDED ? clamp(alpha, 0.0, 1.0) : 1.0;
             if (HAS_EMISSION) {
                 vec3 shining = HAS_EMISSIVE ? emission * read(emissive_map, emissive_matrix).rgb : emission;
                 float most = max(max(shining.r, shining.g), shining.b);
                 light = (light + shining) / max(cover * most, 1.0);
             }
             color = cover * vec4(stored(light), 1.0);
         });

/* Of the light only key and rim have a direction on a toon, so that both steps are flat. The others shine on all of it with
 * their mean over all directions. What is lit is as bright as the base colour at most. */
static const char unlit_fragment[] = GLSL(
    uniform vec3 even_light; uniform sampler2D shade_map; uniform vec4 shade_matrix[2]; uniform vec3 shade_factor;
    uniform vec2 shade_range;

    vec3 in_two_steps(vec3 albedo) {
        vec3 n = surface_normal();
        vec3 shade = shade_factor * read(shade_map, shade_matrix).rgb;
        if (is_team)
            shade = vec3(max(max(shade.r, shade.g), shade.b));
        float width = max(shade_range.y - shade_range.x, 0.001);
        float part = clamp((dot(n, key_direction) - shade_range.x) / width, 0.0, 1.0);
        vec3 around = 0.5 * (sky + ground) + 0.25 * fill_color;
        vec3 full = key_color + around;
        vec3 color = around * albedo + key_color * mix(shade, albedo, part);
        color /= max(max(max(full.r, full.g), full.b), 1.0);
        return HAS_RIM ? color + rim_light(albedo, n, to_viewer()) : color;
    }

    void main() {
        vec4 base = read_diffuse();
        finish(HAS_SHADE ? in_two_steps(base.rgb) : base.rgb * even_light, base.a);
    });

/* Metallic-roughness shading as glTF 2.0 defines it (appendix B), by GGX, with the same lights as everything else:
 *
 * - Lights are as large as the soft boxes of a studio: their size is added to the roughness. A part of what key and
 *   fill give comes back from the walls of the room, which metals reflect; the hemisphere is a sky and a floor.
 * - Smith's visibility is approximated as by Hammon (PBR Diffuse Lighting for GGX+Smith Microsurfaces, 2017), what the
 *   surface reflects of its surroundings as by Karis (Physically Based Shading on Mobile, 2014).
 * - What bounces more than once between the facets is given back, as by Turquin (Practical multiple scattering
 *   compensation for microfacet models, 2019): in even light, white metal is white.
 *
 * Diffuse light is what is not reflected, of the light that `lit` has and of what the walls `bounced`. In `studio` that
 * takes the mean code of 40 models from 101 to 105 (their base colours have 113), as 15 % more key does, which fills
 * five times as many channels; with 0.25 round forms look flat. */
static const char physical_fragment[] = GLSL(
    uniform sampler2D metallic_roughness_map; uniform vec4 metallic_roughness_matrix[2];
    uniform sampler2D occlusion_map; uniform vec4 occlusion_matrix[2]; uniform sampler2D specular_strength_map;
    uniform vec4 specular_strength_matrix[2]; uniform vec3 metallic_roughness_occlusion;
    uniform vec4 specular_factor; uniform bool is_glossy;

    const float walls = 0.4;    /* the part of key and fill that comes from them, */
    const float bounced = 0.15; /* and that they give to what is turned away from it */
    const float light_size = 0.15;

    vec3 hemisphere(float up, float blur) { return mix(ground, sky, clamp(0.5 + 0.5 * up / blur, 0.0, 1.0)); }

    /* As much light on what faces the middle of the wall as from a lamp of that part; rough surfaces blur it. */
    float wall(vec3 direction, vec3 light, float roughness) {
        float facing = 0.5 + 0.5 * dot(direction, light);
        float square = facing * facing;
        return walls * mix(2.33 * square * square * square, 1.41 * square, roughness);
    }

    vec3 room(vec3 direction, float roughness) {
        return hemisphere(dot(direction, world_up), mix(0.2, 1.0, roughness)) +
               key_color * wall(direction, key_direction, roughness) +
               fill_color * wall(direction, fill_direction, roughness);
    }

    vec3 highlight(vec3 n, vec3 v, float n_v, float alpha, vec3 f0, float f90, vec3 light) {
        vec3 h = normalize(light + v);
        float n_l = max(dot(n, light), 0.0);
        float n_h = max(dot(n, h), 0.0);
        float edge = 1.0 - max(dot(v, h), 0.0);
        float square = alpha * alpha;
        float spread = (n_h * square - n_h) * n_h + 1.0;
        float distribution = square / (spread * spread);
        float visibility = 0.5 / mix(2.0 * n_l * n_v, n_l + n_v, alpha);
        float edge_2 = edge * edge;
        return mix(f0, vec3(f90), edge_2 * edge_2 * edge) * (n_l * distribution * visibility);
    }

    /* The parts of f0 and f90 that a surface reflects of even light. */
    vec2 reflected_parts(float roughness, float n_v) {
        vec4 r = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
        float a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
        return vec2(-1.04, 1.04) * a + r.zw;
    }

    void main() {
        vec4 base = read_diffuse();
        vec4 texel = vec4(1.0);
        vec4 specular = HAS_REFLECTANCE ? specular_factor : vec4(1.0);
        if (HAS_METALLIC_ROUGHNESS)
            texel = read(metallic_roughness_map, metallic_roughness_matrix);
        if (HAS_SPECULAR)
            specular *= vec4(read(specular_map, specular_matrix).rgb,
                             read(specular_strength_map, specular_strength_matrix).a);
        float metallic = HAS_REFLECTANCE ? metallic_roughness_occlusion.x * texel.b : 0.0;
        float roughness = own_roughness * texel.g;
        vec3 f0 = mix(min(0.04 * specular.rgb, 1.0) * specular.a, base.rgb, metallic);
        float f90 = mix(specular.a, 1.0, metallic);
        vec3 albedo = base.rgb * (1.0 - metallic);
        if (HAS_REFLECTANCE && is_glossy) {
            f0 = specular.rgb * texel.rgb;
            f90 = 1.0;
            roughness = 1.0 - (1.0 - own_roughness) * texel.a;
            albedo = base.rgb;
        }
        float open = 1.0;
        if (HAS_OCCLUSION)
            open += metallic_roughness_occlusion.z * (read(occlusion_map, occlusion_matrix).r - 1.0);

        vec3 n = surface_normal();
        vec3 v = to_viewer();
        float n_v = clamp(dot(n, v), 0.001, 1.0);
        float alpha = min(roughness * roughness + light_size, 1.0);
        vec2 parts = reflected_parts(roughness, n_v);
        vec3 reflected = f0 * parts.x + f90 * parts.y;
        float kept = 1.0 - max(max(reflected.r, reflected.g), reflected.b);

        vec3 light = open * hemisphere(dot(n, world_up), 1.0);
        light += key_color * mix(bounced * open, 1.0, wrapped(dot(n, key_direction)));
        light += fill_color * max(dot(n, fill_direction), 0.0);
        vec3 shine = key_color * highlight(n, v, n_v, alpha, f0, f90, key_direction);
        shine += fill_color * highlight(n, v, n_v, alpha, f0, f90, fill_direction);
        shine = (1.0 - walls) * shine + open * reflected * room(reflect(-v, n), roughness);
        shine *= 1.0 + f0 * (1.0 / (parts.x + parts.y) - 1.0);
        vec3 sum = kept * albedo * light + shine;
        if (HAS_RIM)
            sum += rim_light(base.rgb, n, v);
        finish(stepped(sum, base.rgb), base.a);
    });

/* A blended layer leaves `added` + `kept` * what is there, in codes. Factors that hang on the colour there are left to
 * the blending unit (render/layers.c); all others are multiplied in here. The numbers are those of enum blend_factor.
 *
 * Alpha says how much of a background would not show through. Where light is only added, that is nothing; what is
 * multiplied away by colours counts by the brightness of the light. */
static const char layer_fragment[] = GLSL(
    uniform vec4 flat_color; uniform int source_factor; uniform int destination_factor; uniform sampler2D mask_map;
    uniform vec4 mask_matrix[2];

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
        vec4 source = read_diffuse();
        if (flat_color != vec4(1.0))
            source = vec4(to_light(to_codes(source.rgb) * flat_color.rgb), source.a * flat_color.a);
        if (HAS_COLORS)
            source.a *= surface_color.a;
        if (HAS_LIGHT)
            source.rgb = clamp(lit(source.rgb), 0.0, 1.0);
        source.rgb = stored(source.rgb);
        float there = 1.0;
        if (source_factor >= 8 || destination_factor >= 8)
            there = read(mask_map, mask_matrix).a;
        vec3 passed = factor(destination_factor, source, there);
        float more = source_factor == 6 ? 1.0 : source_factor == 7 ? -1.0 : 0.0;
        vec3 of_target = clamp((destination_factor == 7 ? vec3(0.0) : passed) + more * source.rgb, 0.0, 1.0);
        bool by_alpha = destination_factor == 4 || destination_factor == 5 || destination_factor >= 8;
        float through = brightness(by_alpha ? of_target : to_light(of_target));
        added = vec4(source.rgb * factor(source_factor, source, there), 1.0 - through);
        kept = vec4(passed, through);
    });

static const char whole_vertex[] = GLSL(void main() {
    gl_Position = vec4(4.0 * float(gl_VertexID & 1) - 1.0, 4.0 * float(gl_VertexID >> 1) - 1.0, 0.0, 1.0);
});

static const char encode_fragment[] = GLSL(uniform sampler2D diffuse_map; void main() {
    vec4 light = texelFetch(diffuse_map, ivec2(gl_FragCoord.xy), 0);
    color = vec4(to_codes(light.rgb), light.a);
});

static const char line_fragment[] = GLSL(in vec4 vertex_color;

                                         void main() { color = vertex_color; });
/* clang-format on */

/* -- Putting them together --------------------------------------------------------------------------------- */

/* The vertices of a model. Of a fragment of its surface what is read, and how it is lit. */
#define MODEL code_functions, rig_names, model_vertex
#define READ code_functions, surface_fragment
#define RIG rig_names, rig_fragment
#define LIT RIG, light_fragment

const struct shader_sources shader_sources[SHADER_KIND_COUNT] = {
    [SHADER_LIT] = {{MODEL}, {NULL}, {READ, LIT, color_fragment, lit_fragment}},
    [SHADER_LAYER] = {{MODEL}, {NULL}, {READ, LIT, layer_fragment}},
    [SHADER_NORMAL] = {{MODEL}, {NULL}, {READ, color_fragment, normal_fragment}},
    [SHADER_UV] = {{MODEL}, {NULL}, {READ, color_fragment, uv_fragment}},
    [SHADER_FLAT] = {{MODEL}, {NULL}, {READ, color_fragment, flat_fragment}},
    [SHADER_CLAY] = {{MODEL}, {NULL}, {READ, LIT, color_fragment, clay_fragment}},
    [SHADER_WIRE] = {{to_geometry, MODEL}, {wire_geometry}, {READ, LIT, color_fragment, wire_fragment}},
    [SHADER_LINES] = {{line_vertex}, {NULL}, {color_fragment, line_fragment}},
    [SHADER_ENCODE] = {{whole_vertex}, {NULL}, {code_functions, color_fragment, encode_fragment}},
    [SHADER_UNLIT] = {{MODEL}, {NULL}, {READ, RIG, color_fragment, own_fragment, unlit_fragment}},
    [SHADER_PHYSICAL] = {{MODEL}, {NULL}, {READ, RIG, color_fragment, own_fragment, physical_fragment}},
};
