/* glTF 2.0, as JSON or as GLB (docs/formats.md says what is read of it). */
#include <string.h>

#include "format/gltf.h"

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct gltf gltf = {.options = options, .model = model, .arena = &model->arena};
    struct rig rig = {.may_lack_triangles = options->takes_clips_alone};
    memcpy(rig.to_model, rig_y_up_z_forward, sizeof rig.to_model);
    bool is_broken = gltf_open(&gltf, bytes, err) < 0 || gltf_read_variants(&gltf, err) < 0 ||
                     gltf_read_scene(&gltf, &rig, err) < 0 || rig_build(model, &rig, err) < 0;
    gltf_close(&gltf);
    return is_broken ? -1 : 0;
}

const struct model_format gltf_format = {
    .name = "glTF",
    .suffixes = (const struct model_suffix[]){{.text = ".gltf"}, {.text = ".glb"}, {0}},
    .reads = "2.0: nodes, skins, morph targets, animations, materials, variants; Draco, meshopt",
    .start = "glTF",
    .has_scenes = true,
    .matches = gltf_matches,
    .load = load,
    .read_picture = gltf_read_picture,
    .pose = rig_pose,
    .pose_joints = rig_pose_joints,
};
