#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"

enum { MOST_SURFACES = 65536 }; /* each is drawn on its own */

/* What is known of a node of the file. */
struct node {
    json_t *json;
    int32_t parent, mesh, skin; /* -1: none */
    int32_t number;             /* in the rig; -1: not there */
    bool is_ordered;
    bool is_drawn;  /* it belongs to the scene */
    bool is_needed; /* or carries a joint of a skin that does */
};

struct scene {
    struct gltf *gltf;
    struct rig *rig;
    struct node *nodes;
    size_t count;
    uint32_t *order; /* parents before children */
    struct rig_surface *surfaces;
    struct rig_skin *skins; /* as in the file; those that nothing uses have no joints */
};

/* -- Hierarchy ---------------------------------------------------------------------------------------------- */

static int read_parents(struct scene *scene, struct error *err)
{
    for (size_t i = 0; i < scene->count; i++)
        scene->nodes[i] = (struct node){
            .json = gltf_item(scene->gltf, "nodes", i), .parent = -1, .mesh = -1, .skin = -1, .number = -1};
    for (size_t i = 0; i < scene->count; i++) {
        json_t *children, *item;
        size_t k;
        if (gltf_list(scene->nodes[i].json, "children", &children, err) < 0)
            return error_add(err, "node %zu", i);
        json_array_foreach(children, k, item)
        {
            int32_t child = gltf_index_of(item, scene->count);
            if (child < 0)
                return error_set(err, "node %zu: child %zu is not a node; there are %zu", i, k, scene->count);
            int32_t *parent = &scene->nodes[child].parent;
            if (*parent >= 0)
                return error_set(err, "node %d is a child of node %d and of node %zu", child, *parent, i);
            *parent = (int32_t)i;
        }
    }
    return 0;
}

/* Orders the nodes: each parent, then all that is below its first child, then that of the second, ... */
static int order_nodes(struct scene *scene, struct error *err)
{
    uint32_t *stack = arena_alloc(&scene->gltf->scratch, scene->count, sizeof *stack, err);
    scene->order = arena_alloc(&scene->gltf->scratch, scene->count, sizeof *scene->order, err);
    size_t waiting = 0, ordered = 0;
    if (!stack || !scene->order)
        return -1;
    for (size_t i = scene->count; i-- > 0;)
        if (scene->nodes[i].parent < 0)
            stack[waiting++] = (uint32_t)i;
    while (waiting) {
        uint32_t node = stack[--waiting];
        json_t *children = json_object_get(scene->nodes[node].json, "children");
        scene->order[ordered++] = node;
        scene->nodes[node].is_ordered = true;
        for (size_t i = json_array_size(children); i-- > 0;)
            stack[waiting++] = (uint32_t)gltf_index_of(json_array_get(children, i), scene->count);
    }
    if (ordered == scene->count)
        return 0;
    /* No root leads to it: up from there is a circle. */
    int32_t node = 0;
    while (scene->nodes[node].is_ordered)
        node++;
    for (size_t i = 0; i < scene->count; i++)
        node = scene->nodes[node].parent;
    return error_set(err, "node %d is below itself", node);
}

/* The scene of that name, or else of that number. */
static int find_scene(const struct gltf *gltf, const char *wanted, int32_t *out, struct error *err)
{
    char *end;
    size_t count = gltf_count(gltf, "scenes");
    unsigned long number = strtoul(wanted, &end, 10);
    for (size_t i = 0; i < count && *wanted; i++)
        if (!strcmp(gltf_text(gltf_item(gltf, "scenes", i), "name"), wanted)) {
            *out = (int32_t)i;
            return 0;
        }
    if (!*wanted || *end || number >= count)
        return error_set(err, "no scene '%s': there are %zu, counted from 0", wanted, count);
    *out = (int32_t)number;
    return 0;
}

/* Marks what is drawn: the scene of the job's choice, or of the file's, else the first, else all. */
static int choose_scene(struct scene *scene, struct error *err)
{
    int32_t chosen = gltf_count(scene->gltf, "scenes") ? 0 : -1;
    const char *wanted = scene->gltf->options->scene;
    json_t *roots = NULL, *item;
    size_t k;
    if (gltf_index(scene->gltf->root, "scene", gltf_count(scene->gltf, "scenes"), &chosen, err) < 0 ||
        (wanted && find_scene(scene->gltf, wanted, &chosen, err) < 0) ||
        (chosen >= 0 && gltf_list(gltf_item(scene->gltf, "scenes", (size_t)chosen), "nodes", &roots, err) < 0))
        return -1;
    json_array_foreach(roots, k, item)
    {
        int32_t root = gltf_index_of(item, scene->count);
        if (root < 0)
            return error_set(err, "scene %d: node %zu is not a node; there are %zu", chosen, k, scene->count);
        scene->nodes[root].is_drawn = true;
    }
    for (size_t i = 0; i < scene->count; i++) {
        struct node *node = &scene->nodes[scene->order[i]];
        node->is_drawn |= node->parent < 0 ? chosen < 0 : scene->nodes[node->parent].is_drawn;
    }
    return 0;
}

/* What is above a node moves it. */
static void need(struct scene *scene, int32_t node)
{
    for (; node >= 0 && !scene->nodes[node].is_needed; node = scene->nodes[node].parent) {
        scene->nodes[node].is_needed = true;
        scene->rig->node_count++;
    }
}

static int need_joints(struct scene *scene, int32_t skin, struct error *err)
{
    json_t *joints, *item;
    size_t k;
    if (gltf_list(gltf_item(scene->gltf, "skins", (size_t)skin), "joints", &joints, err) < 0)
        return -1;
    scene->skins[skin].joint_count = (uint32_t)json_array_size(joints);
    json_array_foreach(joints, k, item)
    {
        int32_t joint = gltf_index_of(item, scene->count);
        if (joint < 0)
            return error_set(err, "joint %zu is not a node; there are %zu", k, scene->count);
        need(scene, joint);
    }
    return 0;
}

/* Marks the nodes that become joints, and counts the parts of their meshes. A scene's roots may be anywhere in the
 * hierarchy, and so may joints. */
static int need_nodes(struct scene *scene, size_t *part_count, struct error *err)
{
    const struct gltf *gltf = scene->gltf;
    const size_t skin_count = gltf_count(gltf, "skins");
    scene->skins = arena_alloc(gltf->arena, skin_count, sizeof *scene->skins, err);
    if (!scene->skins)
        return -1;
    for (size_t i = 0; i < scene->count; i++) {
        struct node *node = &scene->nodes[i];
        if (!node->is_drawn)
            continue;
        need(scene, (int32_t)i);
        if (gltf_index(node->json, "mesh", gltf_count(gltf, "meshes"), &node->mesh, err) < 0 ||
            (node->mesh >= 0 && gltf_index(node->json, "skin", skin_count, &node->skin, err) < 0))
            return error_add(err, "node %zu", i);
        if (node->mesh >= 0)
            *part_count +=
                json_array_size(json_object_get(gltf_item(gltf, "meshes", (size_t)node->mesh), "primitives"));
        if (node->skin >= 0 && !scene->skins[node->skin].joint_count && need_joints(scene, node->skin, err) < 0)
            return error_add(err, "skin %d", node->skin);
    }
    if (*part_count > MOST_SURFACES)
        return error_set(err, "more than %d parts of meshes, which count at each node that has them",
                         MOST_SURFACES);
    return 0;
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

/* A node without a name gets one that jobs can use. */
static int read_node(struct scene *scene, const struct node *node, struct rig_node *out, struct error *err)
{
    const char *name = gltf_text(node->json, "name");
    *out = (struct rig_node){
        .name = *name ? arena_strdup(scene->gltf->arena, name)
                      : arena_printf(scene->gltf->arena, "node_%td", node - scene->nodes),
        .parent = node->parent < 0 ? -1 : scene->nodes[node->parent].number,
        .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
    };
    if (json_object_get(node->json, "matrix")) {
        double *matrix = arena_must_alloc(scene->gltf->arena, 16, sizeof *matrix);
        out->matrix = matrix;
        return gltf_numbers(node->json, "matrix", matrix, 16, err);
    }
    const double *rotation = out->local.rotation;
    if (gltf_numbers(node->json, "translation", out->local.translation, 3, err) < 0 ||
        gltf_numbers(node->json, "rotation", out->local.rotation, 4, err) < 0 ||
        gltf_numbers(node->json, "scale", out->local.scale, 3, err) < 0)
        return -1;
    if (!rotation[0] && !rotation[1] && !rotation[2] && !rotation[3])
        return error_set(err, "rotation is four zeros");
    return 0;
}

/* The surfaces of the mesh on a node. */
static int read_node_mesh(struct scene *scene, const struct node *node, struct rig_node *out, struct error *err)
{
    struct gltf *gltf = scene->gltf;
    const struct gltf_mesh *mesh;
    if (gltf_mesh_of(gltf, (size_t)node->mesh, &mesh, err) < 0)
        return -1;
    out->weights = mesh->weights;
    out->weight_count = mesh->morph_count;
    if (gltf_read_weights(gltf, node->json, mesh->morph_count, &out->weights, err) < 0)
        return -1;
    if (gltf_extension(node->json, "EXT_mesh_gpu_instancing"))
        gltf_warn(gltf, "one copy of many is drawn: EXT_mesh_gpu_instancing is not read");
    for (uint32_t i = 0; i < mesh->surface_count; i++) {
        struct rig_surface *surface = &scene->surfaces[scene->rig->surface_count++];
        *surface = mesh->surfaces[i];
        if (node->skin >= 0 && surface->influence_count) {
            const uint32_t joint_count = scene->skins[node->skin].joint_count;
            if (mesh->largest_joints[i] >= joint_count)
                return error_set(err, "mesh %d names joint %u of the %u of skin %d", node->mesh,
                                 mesh->largest_joints[i], joint_count, node->skin);
            surface->skin = node->skin;
        }
        surface->node = (uint32_t)node->number;
        surface->name = *gltf_text(node->json, "name") ? out->name : mesh->name;
    }
    return 0;
}

static int read_nodes(struct scene *scene, struct error *err)
{
    struct rig *rig = scene->rig;
    if (rig->node_count > MODEL_MOST_JOINTS)
        return error_set(err, "%u nodes in the scene (at most %d)", rig->node_count, MODEL_MOST_JOINTS);
    struct rig_node *nodes = arena_alloc(scene->gltf->arena, rig->node_count, sizeof *nodes, err), *next = nodes;
    if (!nodes)
        return -1;
    for (size_t i = 0; i < scene->count; i++) {
        struct node *node = &scene->nodes[scene->order[i]];
        if (!node->is_needed)
            continue;
        node->number = (int32_t)(next - nodes);
        if (read_node(scene, node, next, err) < 0 ||
            (node->mesh >= 0 && read_node_mesh(scene, node, next, err) < 0))
            return error_add(err, "node %u", scene->order[i]);
        if (node->is_drawn && json_object_get(node->json, "camera"))
            gltf_add_oddity(scene->gltf, "cameras are left out");
        next++;
    }
    rig->nodes = nodes;
    return 0;
}

/* -- Skins -------------------------------------------------------------------------------------------------- */

static int read_inverse_binds(struct gltf *gltf, json_t *json, struct rig_skin *skin, struct error *err)
{
    int32_t accessor = -1;
    const void *values;
    uint32_t count;
    if (gltf_index(json, "inverseBindMatrices", gltf_count(gltf, "accessors"), &accessor, err) < 0)
        return -1;
    if (accessor < 0)
        return 0;
    if (gltf_read_accessor(gltf, (size_t)accessor, 16, true, &values, &count, err) < 0)
        return -1;
    if (count < skin->joint_count)
        return error_set(err, "%u inverse bind matrices for %u joints", count, skin->joint_count);
    double *matrices = arena_alloc(gltf->arena, skin->joint_count, 16 * sizeof *matrices, err);
    for (size_t i = 0; matrices && i < (size_t)skin->joint_count * 16; i++)
        matrices[i] = ((const float *)values)[i];
    skin->inverse_binds = matrices;
    return matrices ? 0 : -1;
}

static int read_skins(struct scene *scene, struct error *err)
{
    struct gltf *gltf = scene->gltf;
    for (size_t i = 0; i < gltf_count(gltf, "skins"); i++) {
        struct rig_skin *skin = &scene->skins[i];
        if (!skin->joint_count)
            continue;
        json_t *json = gltf_item(gltf, "skins", i), *list = json_object_get(json, "joints");
        uint32_t *joints = arena_alloc(gltf->arena, skin->joint_count, sizeof *joints, err);
        if (!joints)
            return -1;
        for (uint32_t k = 0; k < skin->joint_count; k++)
            joints[k] = (uint32_t)scene->nodes[gltf_index_of(json_array_get(list, k), scene->count)].number;
        skin->joints = joints;
        if (read_inverse_binds(gltf, json, skin, err) < 0)
            return error_add(err, "skin %zu", i);
    }
    scene->rig->skins = scene->skins;
    scene->rig->skin_count = (uint32_t)gltf_count(gltf, "skins");
    return 0;
}

/* -- Animations --------------------------------------------------------------------------------------------- */

static int read_interpolation(json_t *sampler, enum rig_interpolation *out, struct error *err)
{
    static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE"}; /* as enum rig_interpolation */
    const char *name = gltf_text(sampler, "interpolation");
    const int number = *name ? gltf_word(name, words, 3) : RIG_LINEAR;
    if (number < 0)
        return error_set(err, "interpolation is '%s' (LINEAR, STEP and CUBICSPLINE are read)", name);
    *out = (enum rig_interpolation)number;
    return 0;
}

/* Times and values of a sampler, for a track whose node, target and width are known. */
static int read_sampler(struct gltf *gltf, json_t *sampler, struct rig_track *track, struct error *err)
{
    int32_t input = -1, output = -1;
    size_t accessor_count = gltf_count(gltf, "accessors");
    uint32_t value_count;
    if (gltf_index(sampler, "input", accessor_count, &input, err) < 0 ||
        gltf_index(sampler, "output", accessor_count, &output, err) < 0 ||
        read_interpolation(sampler, &track->interpolation, err) < 0)
        return -1;
    if (input < 0 || output < 0)
        return error_set(err, "the sampler has no %s", input < 0 ? "input" : "output");
    uint32_t width = track->target == RIG_WEIGHTS ? 1 : track->width;
    const void *times, *values;
    if (gltf_read_accessor(gltf, (size_t)input, 1, true, &times, &track->key_count, err) < 0 ||
        gltf_read_accessor(gltf, (size_t)output, width, true, &values, &value_count, err) < 0)
        return -1;
    float *times_s = (float *)times; /* in the model's arena */
    track->times_s = times_s;
    track->values = values;
    /* Many channels may name one long accessor. */
    if (gltf_take_numbers(gltf, track->key_count, 1, err) < 0)
        return -1;
    bool has_equal = false;
    for (uint32_t i = 0; i < track->key_count; i++) {
        float before = i ? times_s[i - 1] : 0;
        if (times_s[i] < 0) {
            times_s[i] = 0;
            gltf_add_oddity(gltf, "keys of an animation before 0 seconds count as at 0");
        }
        if (!(times_s[i] >= before))
            return error_set(err, "time %u is %g, after %g", i, times_s[i], before);
        has_equal |= i && times_s[i] == before;
    }
    if (has_equal)
        gltf_add_oddity(gltf, "keys of an animation with the same time");
    uint64_t needed =
        (uint64_t)track->key_count * (track->interpolation == RIG_CUBIC ? 3 : 1) * track->width / width;
    if (value_count < needed)
        return error_set(err, "%u values for %u times (%llu are needed)", value_count, track->key_count,
                         (unsigned long long)needed);
    return 0;
}

/* Reads the track of a channel; its width is 0 if it moves nothing that we draw. */
static int read_channel(struct scene *scene, json_t *animation, json_t *channel, struct rig_track *track,
                        struct error *err)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"}; /* as enum rig_target */
    json_t *target = json_object_get(channel, "target"), *samplers;
    const char *path = gltf_text(target, "path");
    const int number = gltf_word(path, paths, 4);
    int32_t node = -1, sampler = -1;
    *track = (struct rig_track){0};
    if (gltf_list(animation, "samplers", &samplers, err) < 0 ||
        gltf_index(target, "node", scene->count, &node, err) < 0 ||
        gltf_index(channel, "sampler", json_array_size(samplers), &sampler, err) < 0)
        return -1;
    if (number < 0)
        gltf_add_oddity(scene->gltf, "animation of '%s' is left out", path);
    if (number < 0 || node < 0 || sampler < 0 || scene->nodes[node].number < 0)
        return 0;
    track->target = (enum rig_target)number;
    track->node = (uint32_t)scene->nodes[node].number;
    track->width = track->target == RIG_WEIGHTS    ? scene->rig->nodes[track->node].weight_count
                   : track->target == RIG_ROTATION ? 4
                                                   : 3;
    return track->width ? read_sampler(scene->gltf, json_array_get(samplers, (size_t)sampler), track, err) : 0;
}

static int read_animation(struct scene *scene, json_t *json, struct rig_animation *out, struct error *err)
{
    json_t *channels, *channel;
    size_t i;
    if (gltf_list(json, "channels", &channels, err) < 0)
        return -1;
    struct rig_track *tracks = arena_alloc(scene->gltf->arena, json_array_size(channels), sizeof *tracks, err);
    if (!tracks)
        return -1;
    json_array_foreach(channels, i, channel)
    {
        if (read_channel(scene, json, channel, &tracks[out->track_count], err) < 0)
            return error_add(err, "channel %zu", i);
        out->track_count += tracks[out->track_count].width > 0;
    }
    out->name = arena_strdup(scene->gltf->arena, gltf_text(json, "name"));
    out->tracks = tracks;
    return 0;
}

/* Animations that move nothing of the scene are not clips of it. */
static int read_animations(struct scene *scene, struct error *err)
{
    size_t count = gltf_count(scene->gltf, "animations");
    struct rig_animation *animations = arena_alloc(scene->gltf->arena, count, sizeof *animations, err);
    if (!animations)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct rig_animation animation = {0};
        if (read_animation(scene, gltf_item(scene->gltf, "animations", i), &animation, err) < 0)
            return error_add(err, "animation %zu", i);
        if (animation.track_count)
            animations[scene->rig->animation_count++] = animation;
    }
    scene->rig->animations = animations;
    return 0;
}

/* -- Scene -------------------------------------------------------------------------------------------------- */

int gltf_read_scene(struct gltf *gltf, struct rig *rig, struct error *err)
{
    struct scene scene = {.gltf = gltf, .rig = rig, .count = gltf_count(gltf, "nodes")};
    size_t part_count = 0;
    scene.nodes = arena_alloc(&gltf->scratch, scene.count, sizeof *scene.nodes, err);
    if (!scene.nodes || read_parents(&scene, err) < 0 || order_nodes(&scene, err) < 0 ||
        choose_scene(&scene, err) < 0 || need_nodes(&scene, &part_count, err) < 0)
        return -1;
    rig->surfaces = scene.surfaces = arena_alloc(gltf->arena, part_count, sizeof *scene.surfaces, err);
    return !scene.surfaces || read_nodes(&scene, err) < 0 || read_skins(&scene, err) < 0 ||
                   read_animations(&scene, err) < 0
               ? -1
               : 0;
}
