/* The GLSL sources, in shaders.c. A program is put together from its kind and its features (render/programs.h), so
 * that each surface pays for what it has and no more. */
#pragma once

/* What a program writes. */
enum shader_kind {
    SHADER_LIT,    /* the colour of lit surfaces */
    SHADER_LAYER,  /* a blended layer */
    SHADER_NORMAL, /* view-space normals */
    SHADER_UV,
    SHADER_FLAT,     /* one colour; also where only depth counts */
    SHADER_CLAY,     /* lit, without pictures */
    SHADER_WIRE,     /* clay with the edges of triangles */
    SHADER_LINES,    /* ready-made triangles in clip space */
    SHADER_ENCODE,   /* light that was drawn, as codes: one triangle without vertices */
    SHADER_UNLIT,    /* materials of the model file that no light changes, or in two steps */
    SHADER_PHYSICAL, /* and those of metallic-roughness shading */
    SHADER_KIND_COUNT,
};

/* Each is SHADER_NAME, a bit, and in the sources the constant HAS_NAME. */
/* clang-format off */
#define SHADER_FEATURES(X)                                                                                             \
    X(NORMAL_MAP)                                                                                                      \
    X(SPECULAR)                                                                                                        \
    X(RIM)                                                                                                             \
    X(HOLES)              /* texels of little alpha are left out; costs the early depth test */                        \
    X(TWO_SIDED)          /* back faces are lit as fronts */                                                           \
    X(MATRICES)           /* pictures have matrices of their own */                                                    \
    X(OWN)                /* the material is of the model file */                                                      \
    X(METALLIC_ROUGHNESS) /* of SHADER_PHYSICAL: it has this picture */                                                \
    X(OCCLUSION)          /* of SHADER_PHYSICAL: it has this picture */                                                \
    X(EMISSIVE)           /* of SHADER_PHYSICAL and SHADER_UNLIT: they have this picture */                            \
    X(LIGHT)              /* light falls on a layer */                                                                 \
    X(SURROUNDINGS)       /* some picture lies where the surface mirrors what is around it */                          \
    X(COLORS)             /* colours at the vertices multiply the codes of the diffuse picture */                      \
    X(INVERSE)            /* with COLORS: what these lack to white does */                                             \
    X(CODES)              /* codes are written, not light: the target does not encode */                               \
    X(EXTRAS)             /* of OWN: vertices have colours or a second set of coordinates */                           \
    X(REFLECTANCE)        /* of SHADER_PHYSICAL: more, or other, than 4 % is reflected */                              \
    X(STEPS)              /* light is in steps */                                                                      \
    X(TEAM)               /* texels of the team's colours are grey; of SHADER_FLAT: others are transparent */          \
    X(SHADE)              /* of SHADER_UNLIT: a toon, which light shows in two steps */                                \
    X(FACTOR)             /* of OWN: the base colour has one besides its picture */                                    \
    X(EMISSION)           /* of SHADER_PHYSICAL and SHADER_UNLIT: they emit light */                                   \
    X(BLENDED)            /* of these two: colour is multiplied by alpha */                                            \
    X(PERSPECTIVE)        /* lines of sight meet in the camera */
/* clang-format on */

enum shader_bit {
#define X(name) SHADER_BIT_##name,
    SHADER_FEATURES(X)
#undef X
        SHADER_BIT_COUNT,
};

enum shader_feature {
#define X(name) SHADER_##name = 1 << SHADER_BIT_##name,
    SHADER_FEATURES(X)
#undef X
};

enum { SHADER_MOST_PARTS = 9 };

/* The parts of each stage's source, to be joined in order, up to the first NULL; none where a kind has no such stage. The
 * feature part, such as "const bool HAS_RIM = true;", is the caller's and goes first. */
extern const struct shader_sources {
    const char *vertex[SHADER_MOST_PARTS], *geometry[SHADER_MOST_PARTS], *fragment[SHADER_MOST_PARTS];
} shader_sources[SHADER_KIND_COUNT];
