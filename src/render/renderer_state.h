/* The renderer from the inside: what the files that draw with it share. renderer.h has what callers need. The first
 * functions are of surface.c. */
#pragma once

#include "render/gl.h"
#include "render/ground.h"
#include "render/pass.h"
#include "render/programs.h"
#include "render/shot.h"

struct renderer {
    const struct gl *gl;
    struct programs programs;
    struct texture plain, white; /* what surfaces and layers without a picture use */

    GLuint framebuffer, depth; /* with a stencil: 1 where a layer was drawn (layers.c) */
    GLuint light;              /* a texture: linear colours, 16 bits a channel */
    GLuint data;               /* codes, and what is not a colour, 8 bits a channel; 0 until it is drawn to */
    GLuint no_vertices;        /* a vertex array, for a triangle over the whole target */
    uint32_t cell_px[2], supersample;
    void *samples; /* a band of the target as read back: bottom row first */
    uint32_t band; /* its rows of pixels */

    struct { /* where shadows are drawn */
        GLuint framebuffer, depth;
        uint32_t side;
    } cast;

    /* What was drawn last, for reading it. */
    uint64_t shot_number;
    enum pass pass;
    bool shines;       /* what emits light is drawn */
    bool is_grey;      /* what has the team's colour */
    bool has_layers;   /* `data` holds their samples as codes that are multiplied by alpha */
    bool writes_codes; /* what is drawn now goes there */
    struct view view;
    struct ground ground;
    float ground_height;
    struct shadow shadow; /* of GROUND_CONTACT and GROUND_SHADOW */
    struct outline outline;
    struct background background;
    struct pixel_art pixel;
    float lightness; /* of the cell of PASS_MAIN that was read last */
    bool failed;     /* for the reason in `failure`, which reading the cell returns */
    struct error failure;
};

/* Fails when GL reported an error since the last check. */
int check_gl(const struct gl *gl, const char *doing, struct error *err);

/* A new renderbuffer of the framebuffer that is bound. */
GLuint add_renderbuffer(const struct gl *gl, GLenum format, GLenum attachment, const uint32_t size_px[2]);

/* Have drawing and reading go there. */
static inline void renderer_target_light(const struct renderer *renderer)
{
    renderer->gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, renderer->light, 0);
}

void renderer_target_data(struct renderer *renderer); /* which is made when it is first asked for */

/* The program, bound, with the light, view and place of the part; NULL when it does not compile, which is noted.
 */
const struct program *renderer_use(struct renderer *renderer, enum shader_kind kind, unsigned features,
                                   const struct shot *shot, const struct shot_part *part);

/* Puts a picture into a unit of the program, as it lies on the surface. */
void renderer_bind(const struct renderer *renderer, const struct program *program, GLenum unit,
                   const struct texture *texture);

/* Draws the faces of a look that show: its front ones by default. */
void look_begin_faces(const struct renderer *renderer, const struct look *look);
void look_end_faces(const struct renderer *renderer);

/* Of a look of layers alone the first, where that replaces what is under it; else NULL. */
const struct look_layer *look_cover(const struct look *look);

/* Whether the look covers what is behind it: it is more than blended layers, not invisible, and does not blend. */
bool look_is_solid(const struct look *look);

/* The alpha below which texels of its diffuse picture, or of its cover, are holes; 0 where none are. A look that blends
 * is solid where it hides at least half of what is behind. */
float look_holes(const struct look *look);

/* Whether texels of the layer's own picture are holes. */
bool layer_has_holes(const struct look_layer *layer);

/* Whether both sides are drawn, and nothing of the look lets one see into a closed body. */
bool look_hides_insides(const struct look *look);

/* The features that a diffuse picture needs for colours at the vertices. */
unsigned color_features(const struct texture *diffuse);

/* The feature that has what is the team's drawn so in this pass. */
unsigned team_feature(const struct renderer *renderer, const struct look *look);

/* The features that a program needs to read the look's diffuse picture with these holes. */
unsigned look_features(const struct look *look, float holes);

/* Binds the look's diffuse picture, or its cover, with these holes. */
void look_use_holes(struct renderer *renderer, const struct program *program, const struct look *look,
                    float holes);

/* Binds all that surface i of the part needs to be drawn as it is lit, or as the pass shows it, with texels below an
 * alpha of `holes` left out; without holes, what blends comes out multiplied by its alpha. False when that fails, which
 * is noted. */
bool renderer_use_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                          uint32_t i, float holes);

/* Binds what surface i needs, and draws it. */
void renderer_draw_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                           uint32_t i, float holes);

/* Where normals and tangents of lit surfaces come from. */
enum basis renderer_basis(const struct renderer *renderer, const struct look *look);

/* Whether those of a normal map are on the GL side; if not, the failure is noted. */
bool renderer_use_tangents(struct renderer *renderer, const struct shot_part *part, const struct look *look);

/* -- layers.c -- */

/* Draws the blended layers of a shot over its solid surfaces, and what blends as materials of model files do.
 * Surfaces with layers, and those that blend, are drawn farthest first, by the depth of their centres over all parts,
 * each with its layers in their order; where a surface has nothing solid under its layers, its triangles are sorted
 * likewise, those of a material of the model file seen from behind before the others.
 * Layers are tested against depth but leave none. Light falls on those that say so. A look that adds light is drawn as
 * it is lit, and added, before its layers.
 *
 * Materials of model files blend by light. Layers blend by codes, as in Doom 3 and Quake III: what is solid is encoded into
 * a second target, where all that blends is drawn over it. Samples that layers touch are those of this target, all others
 * are as if there were no layers.
 *
 * The target holds colour multiplied by alpha, so that light added over transparent ground is kept: colour without
 * alpha. What a layer lets through decides the alpha it leaves (layer_fragment in shaders.c). */
void layers_draw(struct renderer *renderer, const struct shot *shot);

/* The first layer of surface i, which covers what is behind it (look_cover), as a solid that is not lit. */
void layers_draw_cover(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                       uint32_t i);

/* -- lines.c -- */

/* Draws the lines of the shot over everything. */
void lines_draw(struct renderer *renderer, const struct shot *shot);

/* -- shadow.c -- */

/* Draws and softens the shadow of the shot's parts on renderer->ground into renderer->shadow, whose side stays 0 where
 * nothing throws one. Leaves a framebuffer of its own bound. */
void shadow_draw(struct renderer *renderer, const struct shot *shot);
void shadow_release_target(struct renderer *renderer);
