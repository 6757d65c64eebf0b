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
    SHADER_UNLIT,    /* materials of the model file that no light changes, or in two steps */
    SHADER_PHYSICAL, /* and those of metallic-roughness shading */
    SHADER_KIND_COUNT,
};

enum shader_feature {
    SHADER_NORMAL_MAP = 1,
    SHADER_SPECULAR = 2,
    SHADER_RIM = 4,
    SHADER_HOLES = 8,                /* texels of little alpha are left out; costs the early depth test */
    SHADER_TWO_SIDED = 16,           /* back faces are lit as fronts */
    SHADER_MATRICES = 32,            /* pictures have matrices of their own */
    SHADER_OWN = 64,                 /* the material is of the model file */
    SHADER_METALLIC_ROUGHNESS = 128, /* pictures of SHADER_PHYSICAL */
    SHADER_OCCLUSION = 256,
    SHADER_EMISSIVE = 512,      /* and of SHADER_UNLIT */
    SHADER_LIGHT = 1024,        /* light falls on a layer */
    SHADER_SURROUNDINGS = 2048, /* some picture lies where the surface mirrors what is around it */
    SHADER_COLORS = 4096,       /* colours at the vertices multiply the codes of the diffuse picture, */
    SHADER_INVERSE = 8192,      /* or what they lack to white does */
    SHADER_CODES = 16384,       /* codes are written, not light: the target does not encode */
    SHADER_EXTRAS = 32768,      /* of SHADER_OWN: vertices have colours or a second set of coordinates */
    SHADER_REFLECTANCE = 65536, /* of SHADER_PHYSICAL: more, or other, than 4 % is reflected */
    SHADER_STEPS = 131072,      /* light is in steps */
    SHADER_TEAM = 262144,       /* texels of the team's colours are grey; of SHADER_FLAT: others are transparent */
    SHADER_SHADE = 524288,      /* of SHADER_UNLIT: a toon, which light shows in two steps */
};

enum { SHADER_MOST_PARTS = 8 };

/* The parts of each stage's source, to be joined in order, up to the first NULL; none where a kind has no such stage. The
 * feature part, such as "const bool HAS_RIM = true;", is the caller's and goes first. */
extern const struct shader_sources {
    const char *vertex[SHADER_MOST_PARTS], *geometry[SHADER_MOST_PARTS], *fragment[SHADER_MOST_PARTS];
} shader_sources[SHADER_KIND_COUNT];
