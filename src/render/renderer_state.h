/* The renderer from the inside: what the files of this folder share that draw with it. renderer.h has what callers
 * need. */
#ifndef RENDER_RENDERER_STATE_H
#define RENDER_RENDERER_STATE_H

#include "render/gl.h"
#include "render/ground.h"
#include "render/programs.h"
#include "render/renderer.h"

/* The framebuffer that shadows are drawn in (render/cast.h). */
struct cast {
    GLuint framebuffer, depth;
    uint32_t side;
};

struct renderer {
    const struct gl *gl;
    struct programs programs;
    struct texture plain, white; /* what surfaces and layers without a picture use */

    GLuint framebuffer, color, depth;
    uint32_t cell_px[2], supersample;
    uint8_t *samples; /* the target as read back: bottom row first */

    struct cast cast; /* where shadows are drawn */

    /* What was drawn last, for reading it. */
    uint64_t shot_number;
    enum pass pass;
    struct view view;
    struct ground ground;
    float ground_height;
    struct shadow shadow; /* of GROUND_CONTACT and GROUND_SHADOW */
    struct outline outline;
    bool failed; /* for the reason in `failure`; told when the cell is read */
    struct error failure;
};

/* What GL has to complain about since the last check. */
int check_gl(const struct gl *gl, const char *doing, struct error *err);

/* The program, bound, with the light, view and place of the part; NULL when it does not compile, which is noted.
 */
const struct program *renderer_use(struct renderer *renderer, enum shader_kind kind, unsigned features,
                                   const struct shot *shot, const struct shot_part *part);

/* Draws surface i of the part as it is lit, or as the pass shows it. */
void renderer_draw_surface(struct renderer *renderer, const struct shot *shot, const struct shot_part *part,
                           uint32_t i);

/* Puts a picture into a unit of the program, as it lies on the surface. */
void renderer_bind(const struct renderer *renderer, const struct program *program, GLenum unit,
                   const struct texture *texture);

/* Draws the faces of a look that show: its front ones by default. */
void look_begin_faces(const struct renderer *renderer, const struct look *look);
void look_end_faces(const struct renderer *renderer);

/* Of a look of layers alone the first, where that replaces what is under it; else NULL. */
const struct look_stage *look_cover(const struct look *look);

/* Whether the look covers what is behind it: it is more than blended layers, and not invisible. */
bool look_is_solid(const struct look *look);

/* SHADER_MATRICES where one of the pictures that lie on the look's solid surface has a matrix, else 0. */
unsigned look_matrices(const struct look *look);

/* Whether texels of its diffuse picture, or of its cover, are left out. */
bool look_has_holes(const struct look *look);

/* The same of a layer, and its own picture. */
bool stage_has_holes(const struct look_stage *stage);

/* Binds the picture of a look's holes and sets the alpha below which its texels are. */
void look_use_holes(struct renderer *renderer, const struct program *program, const struct look *look);

#endif
