/* Prints where the joints of a model are, as JSON: at rest, and at some keyframes of each clip.
 *
 *     joints MODEL
 *
 *     {"joints": [[NAME, PARENT], ...], "bind": POSE, "clips": [{"name": NAME, "times": [...], "poses": [POSE, ...]}]}
 *
 * POSE: {"joints": [x, y, z of each], "least": [x, y, z], "most": [x, y, z] of all points}. Root motion stays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "format/formats.h"

enum { FILE_LIMIT = 256 << 20, MOST_POSES = 5 };

static void print_name(const char *name)
{
    putchar('"');
    for (; *name; name++)
        printf(*name == '"' || *name == '\\' || (unsigned char)*name < ' ' ? "\\u%04x" : "%c",
               (unsigned char)*name);
    putchar('"');
}

static void print_vector(const float *v)
{
    printf("[%.9g,%.9g,%.9g]", (double)v[0], (double)v[1], (double)v[2]);
}

static void print_pose(const struct model *model, const struct pose *pose, struct mesh *mesh, mat4 *matrices)
{
    vec3 least = {INFINITY, INFINITY, INFINITY}, most = {-INFINITY, -INFINITY, -INFINITY};
    model_pose(model, pose, mesh);
    model_pose_joints(model, pose, matrices);
    printf("{\"joints\":[");
    for (uint32_t i = 0; i < model->joint_count; i++) {
        printf(i ? "," : "");
        print_vector(matrices[i][3]);
    }
    for (uint32_t i = 0; i < model->used_point_count; i++)
        for (int k = 0; k < 3; k++) {
            least[k] = fminf(least[k], mesh->positions[model->used_points[i]][k]);
            most[k] = fmaxf(most[k], mesh->positions[model->used_points[i]][k]);
        }
    printf("]");
    if (model->used_point_count) {
        printf(",\"least\":");
        print_vector(least);
        printf(",\"most\":");
        print_vector(most);
    }
    printf("}");
}

static void print_clip(const struct model *model, const struct clip *clip, struct mesh *mesh, mat4 *matrices)
{
    uint32_t count = clip->frame_count < MOST_POSES ? clip->frame_count : MOST_POSES;
    printf("{\"name\":");
    print_name(clip->name);
    printf(",\"poses\":[");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = count > 1 ? i * (clip->frame_count - 1) / (count - 1) : 0;
        const struct pose pose = {
            .animation = (int32_t)clip->animation,
            .moment = {.frame_a = clip->first_frame + frame, .frame_b = clip->first_frame + frame},
        };
        printf("%s[%.9g,", i ? "," : "", clip_keyframe_s(clip, frame));
        print_pose(model, &pose, mesh, matrices);
        printf("]");
    }
    printf("]}");
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "";
    const struct model_options options = {.path = path_base(path), .takes_clips_alone = true};
    struct model *model;
    struct mesh mesh;
    struct blob blob;
    struct error err;
    if (file_read(path, FILE_LIMIT, &blob, &err) < 0 ||
        model_load(blob_bytes(&blob), &options, &model, &err) < 0 || mesh_init(&mesh, model, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    mat4 *matrices = must_alloc(model->joint_count, sizeof *matrices);
    printf("{\"joints\":[");
    for (uint32_t i = 0; i < model->joint_count; i++) {
        printf(i ? ",[" : "[");
        print_name(model->joints[i].name);
        printf(",%d]", (int)model->joints[i].parent);
    }
    printf("],\"bind\":");
    print_pose(model, &(struct pose){.animation = -1}, &mesh, matrices);
    printf(",\"clips\":[");
    for (uint32_t i = 0; i < model->clip_count; i++) {
        printf(i ? "," : "");
        if (!model->clips[i].is_extra)
            print_clip(model, &model->clips[i], &mesh, matrices);
        else
            printf("null");
    }
    printf("],\"warnings\":[");
    for (size_t i = 0; i < model->warnings.count; i++) {
        printf(i ? "," : "");
        print_name(model->warnings.items[i]);
    }
    printf("]}\n");
    free(matrices);
    mesh_release(&mesh);
    model_free(model);
    blob_release(&blob);
    return 0;
}
