#include "model/tag.h"

#include <cglm/cglm.h>

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
