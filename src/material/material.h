/* From the names that models carry to the pictures they mean.
 *
 * A skin of an MD2 and a shader of an MD5 are only names. A material declared under a shader's name in the .mtr files
 * of materials/, or in the .shader files of scripts/ (material/mtr.h), says what it looks like. Otherwise a search
 * turns the name into files of the asset tree, as the games do (docs/formats.md lists the places): first with the
 * name's own suffix, then as tga, png, jpg, jpeg, pcx, dds and bmp. Finding nothing is not an error: the material has no
 * diffuse picture then, its `tried` lists every path, and the model is drawn plain. */
#pragma once

#include <stdbool.h>

#include "asset/assets.h"
#include "base/strings.h"
#include "material/mtr.h"
#include "model/model.h"

/* A picture: how it is made, how it lies on a surface, and what the renderer has of it once it is loaded. A zeroed texture
 * stands for "no picture": drawn plain. */
struct texture {
    char *program; /* image program (image/image_program.h), of which an asset path is the simplest; or NULL */
    struct strings tried; /* paths looked for in vain, in order */
    struct texture_placement placement;
    unsigned id;                   /* the renderer's; 0: not loaded */
    bool has_alpha, alpha_is_mask; /* as the image's */
};

/* A blended layer of a look.
 *
 * The alpha that the DST_ALPHA factors take is that of `mask`, 1 without one, and not that of the target. In the
 * engine the alpha of a pixel is a scratch value that one layer leaves for the next; here it is what a sheet shows
 * of its background, which masks must not touch. */
struct look_layer {
    struct texture image;
    enum blend_factor source, destination;
    float alpha_test; /* below 0: none */
    float color[4];   /* multiplies the image: r, g, b, a */
    bool is_lit;      /* light falls on it */
    unsigned masked;  /* channels that are not drawn: bits 1 red, 2 green, 4 blue */
    struct texture mask;
};

/* How the diffuse picture of a material was chosen. */
enum picture_guess {
    GUESS_NONE,
    GUESS_PLACE,   /* it is called as the name says: found beside the model, or as x_d */
    GUESS_PICTURE, /* nothing names it: it lies where a picture that is missing might, or is called like the model */
};

/* The pictures of a material. The last five are those of model files alone, whose base colour is the diffuse picture
 * and whose specular colour the specular one. */
enum picture_kind {
    PICTURE_DIFFUSE,
    PICTURE_NORMAL,
    PICTURE_SPECULAR,
    PICTURE_METALLIC_ROUGHNESS,
    PICTURE_OCCLUSION,
    PICTURE_EMISSIVE,
    PICTURE_SPECULAR_STRENGTH,
    PICTURE_SHADE,
    PICTURE_COUNT,
};

/* For people: "diffuse", "normal", ... */
extern const char *const picture_names[PICTURE_COUNT];

/* How one surface looks, whatever its format: found here, its pictures loaded by plan/looks, drawn by render. A zeroed look
 * but for alpha_test (-1) is plain and opaque. */
struct look {
    char *name; /* of the material, as the model or the job has it; never NULL once it is found */
    /* Of the diffuse picture of a shader that no file declares, `tried` begins with the patterns of those files. */
    struct texture pictures[PICTURE_COUNT];
    float alpha_test; /* texels of the diffuse one with less alpha are holes; below 0: alpha has no meaning */
    bool masks_alone; /* no material declares it: where its alpha is a mask, it is tested as that of a skin */
    bool two_sided;
    bool back_sided;          /* only back faces are drawn */
    bool unsmoothed_tangents; /* with a normal map: the bases of dominant triangles (model/tangents.h) */
    bool
        layers_only; /* nothing but the layers is drawn; without layers: nothing. One that starts with a layer that
                               * covers (one, zero) is solid all the same */
    bool adds_light; /* with layers_only: before the layers, what the maps shine is added to what is behind */
    struct look_layer *layers; /* over the solid surface, in the order they are drawn */
    size_t layer_count;

    /* What the model file says, whose names and paths are the model's, or NULL. What it says of alpha and sides is in
     * alpha_test, blends and two_sided. */
    struct model_material *own;
    bool blends;  /* once loaded: by its alpha it lets through what is behind */
    bool is_team; /* it has the team's colour, where its texels are in the range of the shot */

    char *declared;           /* where it is declared, "materials/monsters.mtr:12", or NULL */
    enum picture_guess guess; /* of the diffuse picture */
    struct strings warnings;  /* what is wrong with its declaration, for people */
};

/* Skins of the MD2 family: what is less than half opaque is a hole. */
#define MATERIAL_SKIN_ALPHA_TEST 0.5f

/* `name` is a texture file the user named: that path, or beside the model; nothing else is tried. Alpha of a skin
 * is tested, that of a picture for a shader only where it is a mask. */
void material_from_path(struct assets *assets, const char *model_path, const char *name, bool of_skin,
                        struct look *out);

/* An MD2 model: each of its skin names in turn (as a path, then its base name beside the model; ".skin" is
 * UFO:AI's way to say "skin beside the model"), then files named after the model, then skin.*, then a picture that
 * is alone beside the model but for those that accompany another (x_n, x_s). `name` becomes the skin name that led to the picture. */
void material_from_skins(struct assets *assets, const char *model_path, const char *const *skins,
                         size_t skin_count, struct look *out);

/* One shader name of an MD5 mesh: as declared, or by search with the companions (normal, specular) of the diffuse
 * found. Where it is the only one of the model, a picture that is alone beside the model is tried last. An empty
 * name finds nothing and tries nothing. */
void material_from_shader(struct assets *assets, const char *model_path, const char *shader, bool is_only,
                          struct look *out);

/* Whether a model may wear the picture by a guess: no companion (a normal map or the like), and none that `thumb` made. */
bool material_may_wear(const char *picture);

/* The picture that a model which names none wears by a guess, for it is called like the model: as found in the assets; NULL:
 * there is none. Each place where it looks is listed by a pattern that ends so. */
#define MATERIAL_GUESS_END "[._]*"
const char *material_guess(struct assets *assets, const char *model_path, const struct model *model);

/* A picture for such a model that a person may mean: the first in all folders that begins with its name; "": there is none;
 * NULL: the model names its pictures. *is_sure: it is called like the model and a texture, below the folder above the
 * model's, as Blends/Textures/Peach.png or PeachTexture.png of FBX/Peach.fbx. */
const char *material_suggest(struct assets *assets, const char *model_path, const struct model *model,
                             bool *is_sure);

/* What the surface's material is called in the first of these skins of its model: NULL for MATERIAL_SKIN and
 * MATERIAL_NONE. */
const char *material_name(const struct model *model, const struct surface *surface, const char *const *skins,
                          size_t skin_count);

/* What a job, or a skin that is declared, has a surface wear instead. */
struct material_choice {
    const char *path;   /* a picture; of an own material another base colour. Or NULL */
    const char *shader; /* a declared material, or NULL */
};

/* Finds the look of a surface of the model: of all formats, games and skins. `skins` are those of the model to look for. Own
 * materials are those of the first skin, or without any what the model wears by itself. */
void material_of_surface(struct assets *assets, const char *model_path, const struct model *model,
                         const struct surface *surface, const char *const *skins, size_t skin_count,
                         const struct material_choice *choice, struct look *out);

/* Whether it has no diffuse picture where one was looked for, or wears one that nothing names: gates let neither pass. */
bool material_lacks_picture(const struct look *material);

void material_release(struct look *material);
