/* How a picture lies on a surface. */
#ifndef MODEL_TEXTURE_PLACEMENT_H
#define MODEL_TEXTURE_PLACEMENT_H

#include <stdbool.h>

/* What a picture shows outside 0..1: itself again, its edge, black, white without alpha, or itself turned over. */
enum texture_wrap { WRAP_REPEAT, WRAP_CLAMP, WRAP_ZERO, WRAP_ZERO_ALPHA, WRAP_MIRROR };

/* What colours at the vertices do to the codes of a picture in a material of Doom 3: nothing; they multiply them, or what
 * they lack to white does. */
enum vertex_color { VERTEX_COLOR_IGNORED, VERTEX_COLOR, VERTEX_COLOR_INVERSE };

/* The rows of the matrix give the s and t of the picture from (s, t, 1) of the model. */
struct texture_placement {
    enum texture_wrap wrap[2]; /* along s and t */
    bool is_nearest;           /* magnified without smoothing */
    bool is_second_set;        /* s and t are those of model.more_uvs */
    bool is_environment;       /* s and t are where the surface mirrors what is around it, as in Quake III */
    enum vertex_color vertex_color;
    bool has_matrix; /* else s and t are those of the model */
    float matrix[2][3];
};

#endif
