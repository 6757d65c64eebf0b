#include "model/tag.h"

#include <cglm/cglm.h>
#include <string.h>

/* An axis shorter than this has no direction. */
#define SHORTEST_AXIS 1e-6f

bool tag_frame_turn(const float axes[9], versor orientation)
{
    mat3 turn;
    memcpy(turn, axes, sizeof turn);
    glm_vec3_muladds(turn[0], -glm_vec3_dot(turn[0], turn[1]) / glm_vec3_norm2(turn[0]), turn[1]);
    if (!(glm_vec3_norm(turn[0]) > SHORTEST_AXIS && glm_vec3_norm(turn[1]) > SHORTEST_AXIS))
        return false;
    glm_vec3_normalize(turn[0]);
    glm_vec3_normalize(turn[1]);
    glm_vec3_cross(turn[0], turn[1], turn[2]);
    glm_mat3_quat(turn, orientation);
    return true;
}

void tag_place(const struct tag *tag, const struct moment *moment, mat4 tag_to_model)
{
    const struct tag_frame *a = &tag->frames[moment->frame_a], *b = &tag->frames[moment->frame_b];
    struct tag_frame at = *a;
    if (moment->blend > 0) { /* at a keyframe exactly what the file says */
        const float blend = (float)moment->blend;
        glm_vec3_lerp((float *)a->position, (float *)b->position, blend, at.position);
        /* Along the straight line between the quaternions, as the game does: keyframes are too near to each other for
         * the difference to an arc to be seen. */
        float toward = glm_quat_dot((float *)a->orientation, (float *)b->orientation) < 0 ? -blend : blend;
        for (int i = 0; i < 4; i++)
            at.orientation[i] = (1 - blend) * a->orientation[i] + toward * b->orientation[i];
        glm_quat_normalize(at.orientation);
    }
    glm_quat_mat4(at.orientation, tag_to_model);
    glm_vec3_copy(at.position, tag_to_model[3]);
}
