/* A figure: lofted parts on a skeleton, each with its place in a texture, and the painters of those textures.
 *
 * A figure is described part by part (figure_part, then its loft and who moves it), finished once (figure_finish
 * makes the points, triangles and shading), and is then only read: by the painter, which asks about each texel,
 * and by the writers of the file formats. */
#ifndef GENERATOR_FIGURE_H
#define GENERATOR_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#include "loft.h"
#include "rig.h"

enum { FIGURE_MAX_PARTS = 72, FIGURE_MAX_SURFACES = 4, PART_MAX_LINKS = 12, POINT_MAX_WEIGHTS = 6 };

struct part;

/* A texel for a painter, in the rest pose. A mirrored part is painted as its left twin. */
struct texel {
    const struct part *part;
    struct v3 p, n;
    double u, v;
    double light;       /* ambient light: 0 none .. 1 all */
    const void *colors; /* the figure's */
};

/* The painter's result: colour as sRGB 0..1, and height above the surface in units, for the normal map. */
struct paint {
    struct v3 color;
    double height;
};

typedef struct paint painter(const struct texel *texel);

/* A joint that moves the part at `v` of its loft. Between two joints the weight changes smoothly. */
struct link {
    int joint;
    double v;
};

struct weight {
    int joint;
    double bias;
};

struct weights {
    int count;
    struct weight items[POINT_MAX_WEIGHTS]; /* biases sum to 1, largest first */
};

struct part {
    const char *name;
    int coat;
    struct loft loft;
    int columns;             /* faces around */
    double rows_per_ring;    /* faces along, from one ring to the next; at least 1 */
    bool painted_poles;      /* each face at a pole has its own texture coordinate there, to show what is painted;
                                otherwise one does for all, and shades smoothly where normals follow vertices */
    double density;          /* texels per unit, relative to the rest of its texture; 1 by default */
    bool mirrored;           /* the right-hand twin of a part: its reflection, on the mirrored joints */
    const struct part *twin; /* a mirrored part shares the texels of this one */
    painter *paint;
    int link_count;
    struct link links[PART_MAX_LINKS];
    double spread; /* over how much of v a hold is blurred */
    void (*weigh)(const struct part *part, struct v3 point, struct weights *out); /* a rule of its own, or NULL */

    int row_count; /* set by figure_finish */
    double row_v[LOFT_MAX_ROWS];
    double *lights;          /* (row_count + 1) * (columns + 1) */
    int x, y, width, height; /* its texels */
};

/* A texture and the triangles that have it: one mesh of an MD5. */
struct coat {
    const char *name, *shader;
    int size; /* texels, square */
    int point_count, vertex_count, triangle_count;
    struct point *points;
    struct vertex *vertices;
    uint32_t (*triangles)[3]; /* clockwise from outside, as both formats store them */
};

struct point {
    struct v3 rest;
    struct weights weights;
};

struct vertex {
    uint32_t point;
    double s, t; /* 0..1, t downwards */
};

struct figure {
    struct rig rig;
    const void *colors; /* for the painters of a figure that is painted in several colours */
    int part_count;
    struct part parts[FIGURE_MAX_PARTS];
    int coat_count;
    struct coat coats[FIGURE_MAX_SURFACES];
};

struct part *figure_part(struct figure *figure, const char *name, int coat, painter *paint);
void part_link(struct part *part, int joint, double v);

/* The right-hand twin of a part; to be called when the part is complete. */
void figure_mirror(struct figure *figure, const struct part *part);

void figure_finish(struct figure *figure);
void figure_release(struct figure *figure);

/* The points of a coat in a stance, and their normals: both arrays of point_count. */
void coat_pose(const struct coat *coat, const struct rig *rig, const struct stance *pose, struct v3 *points);
void coat_normals(const struct coat *coat, const struct v3 *points, struct v3 *normals);

#endif
