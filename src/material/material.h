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

/* Given as an image program (image/image_program.h), of which a plain asset path is the simplest. */
struct material_picture {
    char *program; /* or NULL */
    struct texture_placement placement;
    struct strings tried; /* paths looked for in vain, in order */
};

/* A layer drawn over the opaque surfaces. */
struct material_stage {
    enum blend_factor source, destination;
    struct material_picture image;
    float alpha_test; /* below 0: none */
    float color[4];   /* multiplies the image: r, g, b, a */
    bool is_lit;      /* light falls on it */
    unsigned masked;  /* channels it does not draw: bits 1 red, 2 green, 4 blue */
    /* The picture whose alpha is what the DST_ALPHA factors take; without one: 1. In the engine a layer before this
     * one puts it into the alpha of the pixels. */
    struct material_picture mask;
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

struct material {
    char *name; /* as the model or the job has it; never NULL */
    /* Of the diffuse picture of a shader that no file declares, `tried` begins with the patterns of those files. */
    struct material_picture pictures[PICTURE_COUNT];
    float alpha_test; /* of diffuse: texels with less alpha are holes; below 0: alpha has no meaning */
    bool masks_alone; /* no material declares diffuse: where its alpha is a mask, it is tested as that of a skin */
    bool two_sided, back_sided;    /* back_sided: back faces are drawn, and front faces are not */
    bool unsmoothed_tangents;      /* its normal map is for the bases of dominant triangles (model/tangents.h) */
    bool stages_only;              /* there is nothing but the stages to draw; no stages: it is invisible */
    bool adds_light;               /* with stages_only: before the stages, what the maps shine is added to what is
                      * behind */
    struct material_stage *stages; /* in the order they are drawn */
    size_t stage_count;
    struct model_material *own; /* what the model file says, whose names and paths are the model's, or NULL */
    char *declared;             /* where it is declared, "materials/monsters.mtr:12", or NULL */
    bool is_team;               /* a job says that it has the team's colour */
    enum picture_guess guess;   /* of the diffuse picture */
    struct strings warnings;    /* what is wrong with its declaration, for people */
};

/* Skins of the MD2 family: what is less than half opaque is a hole. */
#define MATERIAL_SKIN_ALPHA_TEST 0.5f

/* `name` is a texture file the user named: that path, or beside the model; nothing else is tried. Alpha of a skin
 * is tested, that of a picture for a shader only where it is a mask. */
void material_from_path(struct assets *assets, const char *model_path, const char *name, bool of_skin,
                        struct material *out);

/* An MD2 model: each of its skin names in turn (as a path, then its base name beside the model; ".skin" is
 * UFO:AI's way to say "skin beside the model"), then files named after the model, then skin.*, then a picture that
 * is alone beside the model but for those that accompany another (x_n, x_s). `name` becomes the skin name that led to the picture. */
void material_from_skins(struct assets *assets, const char *model_path, const char *const *skins,
                         size_t skin_count, struct material *out);

/* One shader name of an MD5 mesh: as declared, or by search with the companions (normal, specular) of the diffuse
 * found. Where it is the only one of the model, a picture that is alone beside the model is tried last. An empty
 * name finds nothing and tries nothing. */
void material_from_shader(struct assets *assets, const char *model_path, const char *shader, bool is_only,
                          struct material *out);

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

/* Gives a material of the model file another base colour: that of a picture that the user named. */
void material_repaint(struct assets *assets, const char *model_path, const char *name, struct material *material);

/* What the surface's material is called in the first of these skins of its model: NULL for MATERIAL_SKIN. */
const char *material_name(const struct model *model, const struct surface *surface, const char *const *skins,
                          size_t skin_count);

/* A surface of the model: by the search for its kind of material. `skins` are those of the model to look for. Own
 * materials are those of the first skin, or without any what the model wears by itself. */
void material_of_surface(struct assets *assets, const char *model_path, const struct model *model,
                         const struct surface *surface, const char *const *skins, size_t skin_count,
                         struct material *out);

/* Whether it has no diffuse picture where one was looked for, or wears one that nothing names: gates let neither pass. */
bool material_lacks_picture(const struct material *material);

void material_release(struct material *material);
