/* For the fuzz targets of models and animations: what loads must also pose, to finite numbers. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/formats.h"
#include "model/retarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    model_pose(model, pose, mesh);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->positions[i][k]) || !isfinite(mesh->normals[i][k]))
                abort();
}

/* A picture in a file, as it is there or not: twice the same. */
static inline void fuzz_picture(const struct file_opener *opener, const char *path, struct bytes bytes,
                                const char *name)
{
    struct container file = {.path = path, .bytes = bytes};
    struct blob picture, again;
    struct error err;
    if (opener->open(&file, &err) == 0 && opener->read(&file, name, &picture, &err) == 0) {
        if (opener->read(&file, name, &again, &err) < 0 || again.size != picture.size)
            abort();
        blob_release(&picture);
        blob_release(&again);
    }
    opener->close(file.opened);
}

/* Every clip at a few times. */
static inline void fuzz_pose_clips(const struct model *model)
{
    static const double times_s[] = {0, 0.07, -0.31, 1e9};
    struct mesh mesh;
    struct error err;
    if (mesh_init(&mesh, model, &err))
        return;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (size_t t = 0; t < sizeof times_s / sizeof *times_s; t++)
            fuzz_pose(model, &(struct pose){.moment = clip_moment(&model->clips[i], times_s[t], t % 2)}, &mesh);
    mesh_release(&mesh);
}

static inline struct bytes fuzz_text(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

/* A mesh of two joints, a and b, for animations. */
static const char fuzz_md5_mesh[] __attribute__((unused)) =
    "MD5Version 10 numJoints 2 numMeshes 1\n"
    "joints { \"a\" -1 (1 2 3) (0 0 0.5) \"b\" 0 (1 2 13) (0.3 -0.2 0.1) }\n"
    "mesh { shader \"s\"\n"
    "numverts 3 vert 0 (0 0) 0 1 vert 1 (1 0) 1 1 vert 2 (1 1) 1 2\n"
    "numtris 1 tri 0 0 1 2\n"
    "numweights 3 weight 0 0 1 (0 0 0) weight 1 0 0.5 (5 0 0) weight 2 1 0.5 (0 5 0) }\n";

static inline void fuzz_pose_animation(const struct model *model, int32_t animation)
{
    struct mesh mesh;
    struct error err;
    struct pose pose = {.animation = animation, .moment = {.blend = animation < 0 ? 0 : 0.5}};
    if (animation >= 0 && model->animations[animation].frame_count > 1)
        pose.moment.frame_b = 1;
    if (mesh_init(&mesh, model, &err) < 0)
        abort();
    for (int kind = INTERPOLATION_LOCAL; kind <= INTERPOLATION_OBJECT; kind++) {
        pose.interpolation = (enum interpolation)kind;
        fuzz_pose(model, &pose, &mesh);
    }
    mesh_release(&mesh);
}

/* The bytes as a file of clips, on a model. The first joints of the two follow each other by whatever names. */
static inline void fuzz_retarget(struct model *model, struct bytes bytes, const struct model_options *options)
{
    struct model_options for_clips = *options;
    struct model *clips;
    struct retarget match;
    struct error err;
    for_clips.is_for_clips = true;
    if (model_load(bytes, &for_clips, &clips, &err) < 0)
        return;
    struct rig from = *clips->rig;
    struct rig_animation first = {0};
    if (clips->clip_count > 0)
        first = rig_animation_of(clips, &clips->clips[0]);
    from.animations = &first;
    from.animation_count = clips->clip_count > 0;
    struct joint_pair pairs[2];
    size_t pair_count = 0;
    for (; pair_count < 2 && pair_count < from.node_count && pair_count < model->rig->node_count; pair_count++)
        pairs[pair_count] = (struct joint_pair){from.nodes[pair_count].name, model->rig->nodes[pair_count].name};
    for (size_t count = 0; count <= pair_count; count += 2) {
        if (retarget_match(model->rig, &from, pairs, count, &match, &err) < 0)
            continue;
        for (int mode = RETARGET_AUTO; mode <= RETARGET_REST && from.animation_count > 0; mode++) {
            struct rig_animation animation;
            if (retarget_animation(&match, &first, (enum retarget_mode)mode, &model->arena, &animation, &err) ==
                    0 &&
                rig_add_animation(model, &animation, &err) == 0 && model->animation_count > 0)
                fuzz_pose_animation(model, (int32_t)model->animation_count - 1);
        }
        retarget_release(&match);
    }
    model_free(clips);
}

/* The same on an MD5. */
static inline void fuzz_retarget_md5(struct bytes bytes, const struct model_options *options)
{
    struct model *model;
    struct error err;
    if (model_load(fuzz_text(fuzz_md5_mesh), NULL, &model, &err) < 0)
        abort();
    fuzz_retarget(model, bytes, options);
    model_free(model);
}

/* Any bytes as a file of a format with pictures and clips. What loads must also pose, to finite numbers, and its pictures be
 * there or not. Its clips play on itself and on an MD5, too, as if they were those of another file. */
static inline void fuzz_file(const struct model_format *format, const char *path, struct bytes bytes)
{
    struct model *model;
    struct error err;
    const struct model_options options = {.path = path, .takes_clips_alone = true};
    if (!format->matches(bytes))
        return;
    fuzz_picture(format->pictures, path, bytes, "0");
    if (model_load(bytes, &options, &model, &err) < 0)
        return;
    fuzz_pose_animation(model, -1);
    for (uint32_t i = 0; i < model->animation_count && i < 4; i++)
        fuzz_pose_animation(model, (int32_t)i);
    fuzz_retarget(model, bytes, &options);
    model_free(model);
    fuzz_retarget_md5(bytes, &options);
}

#endif
