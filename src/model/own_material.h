/* What a model file itself says of the look of a surface: glTF's metallic-roughness material, with those of its
 * extensions that are drawn. Formats without materials of their own name skins or shaders instead (model/model.h).
 *
 * Colours are in linear light. Factors multiply what the pictures have; where a picture is missing, it counts as white,
 * and a missing normal map as flat. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"

/* What a picture shows outside 0..1: itself again, its edge, black, white without alpha, or itself turned over. */
enum texture_wrap { WRAP_REPEAT, WRAP_CLAMP, WRAP_ZERO, WRAP_ZERO_ALPHA, WRAP_MIRROR };

/* What colours at the vertices do to the codes of a picture in a material of Doom 3: nothing; they multiply them, or what
 * they lack to white does. */
enum vertex_color { VERTEX_COLOR_IGNORED, VERTEX_COLOR, VERTEX_COLOR_INVERSE };

/* How a picture lies on a surface. The rows of the matrix give the s and t of the picture from (s, t, 1) of the model. */
struct texture_placement {
    enum texture_wrap wrap[2]; /* along s and t */
    bool is_nearest;           /* magnified without smoothing */
    bool is_second_set;        /* s and t are those of model.more_uvs */
    bool is_environment;       /* s and t are where the surface mirrors what is around it, as in Quake III */
    enum vertex_color vertex_color;
    bool has_matrix; /* else s and t are those of the model */
    float matrix[2][3];
};

/* A picture on a surface. */
struct model_texture {
    const char *path;   /* in the assets, "textures/wood.png", or in the model file, "robot.glb:0"; NULL: none */
    const char *folder; /* the last one of a path from another machine, "textures"; or NULL */
    struct texture_placement placement;
};

enum alpha_mode {
    ALPHA_OPAQUE, /* alpha has no meaning */
    ALPHA_MASK,   /* texels below the cutoff are holes */
    ALPHA_BLEND,  /* what is behind shows through */
};

struct model_material {
    const char *name; /* for people; may be "" */
    struct model_texture base_color;
    struct model_texture normal;             /* green as if lit from above, as glTF has it */
    struct model_texture metallic_roughness; /* green: roughness, blue: metallic */
    struct model_texture occlusion;          /* red */
    struct model_texture emissive;
    float base_color_factor[4];
    float metallic, roughness; /* factors, 0 to 1 */
    float normal_scale, occlusion_strength;
    float emissive_factor[3]; /* times its strength: may be above 1 */

    struct model_texture specular, specular_color; /* alpha; colour, in sRGB */
    float specular_factor, specular_color_factor[3];

    /* With it base_color is the diffuse colour, `metallic_roughness` has the specular colour (sRGB) and in alpha the
     * glossiness, specular_color_factor is the factor of the one and 1 - roughness that of the other. */
    bool is_specular_glossiness;

    /* A toon, which light shows in two steps: the base colour, and this one where the cosine of the angle between surface
     * and key light is below the range. Within the range the one becomes the other. */
    bool has_shade;
    struct model_texture shade; /* in sRGB */
    float shade_factor[3], shade_range[2];

    enum alpha_mode alpha_mode;
    float alpha_cutoff;
    bool is_double_sided;
    bool is_unlit;
};

/* White, not metallic and quite rough, opaque, without pictures: what a file without materials means (but for
 * `metallic`, which glTF's own default has at 1). */
void model_material_init(struct model_material *material);

/* The linear value of a code in sRGB, from 0 to 1. */
float model_linear_of(double code);

/* The path in the assets of a picture that a model file names: from the folder of the model on. Of an absolute path,
 * which was so on another machine, and of a URL the last part counts. A path that leaves the assets still does. */
const char *model_picture_path(struct arena *arena, const char *model_path, const char *name);

/* The last folder of the same path, or NULL. */
const char *model_picture_folder(struct arena *arena, const char *name);
