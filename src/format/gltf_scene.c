/* glTF 2.0, as JSON or as GLB (docs/formats.md says what is read of it). */
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"

enum { MOST_SURFACES = 65536 }; /* each is drawn on its own */

/* A node of the file. */
struct gltf_node {
    const struct json *json;
    int32_t parent, mesh, skin; /* -1: none */
    int32_t number;             /* in the rig; -1: not there */
    const char *standard;       /* as in the rig */
    bool is_ordered;
    bool is_drawn;  /* it belongs to the scene */
    bool is_needed; /* or carries a joint of a skin that does */
    bool is_hidden; /* where no animation says otherwise, with all below it */
    bool is_shown_at_times, is_never_seen;
    uint32_t copy_count;    /* of its mesh; 0: the mesh itself is drawn */
    const float *copies[3]; /* their translations, rotations, scales; NULL: none */
};

struct gltf_scene {
    struct gltf *gltf;
    struct rig *rig;
    struct gltf_node *nodes;
    size_t count;
    uint32_t *order; /* parents before children */
    struct rig_surface *surfaces;
    struct rig_skin *skins; /* as in the file; those that nothing uses have no joints */
};

/* -- Hierarchy ---------------------------------------------------------------------------------------------- */

static int read_parents(struct gltf_scene *scene)
{
    struct gltf *gltf = scene->gltf;
    for (size_t i = 0; i < scene->count; i++)
        scene->nodes[i] = (struct gltf_node){
            .json = gltf_item(gltf, "nodes", i), .parent = -1, .mesh = -1, .skin = -1, .number = -1};
    for (size_t i = 0; i < scene->count; i++) {
        const struct json *children = gltf_list(gltf, scene->nodes[i].json, "children"), *item;
        if (gltf_failed(gltf))
            return error_add(&gltf->err, "node %zu", i);
        for (size_t k = 0; (item = gltf_at(children, k)); k++) {
            int32_t child = gltf_index_of(item, scene->count);
            if (child < 0)
                return gltf_fail(gltf, "node %zu: child %zu is not a node; there are %zu", i, k, scene->count);
            int32_t *parent = &scene->nodes[child].parent;
            if (*parent >= 0)
                return gltf_fail(gltf, "node %d is a child of node %d and of node %zu", child, *parent, i);
            *parent = (int32_t)i;
        }
    }
    return 0;
}

/* Orders the nodes: each parent, then all that is below its first child, then that of the second, ... */
static int order_nodes(struct gltf_scene *scene)
{
    uint32_t *stack = arena_must_alloc(&scene->gltf->scratch, scene->count, sizeof *stack);
    scene->order = arena_must_alloc(&scene->gltf->scratch, scene->count, sizeof *scene->order);
    size_t waiting = 0, ordered = 0;
    for (size_t i = scene->count; i-- > 0;)
        if (scene->nodes[i].parent < 0)
            stack[waiting++] = (uint32_t)i;
    while (waiting) {
        uint32_t node = stack[--waiting];
        const struct json *children = gltf_get(scene->nodes[node].json, "children");
        scene->order[ordered++] = node;
        scene->nodes[node].is_ordered = true;
        for (size_t i = gltf_length(children); i-- > 0;)
            stack[waiting++] = (uint32_t)gltf_index_of(gltf_at(children, i), scene->count);
    }
    if (ordered == scene->count)
        return 0;
    /* No root leads to it: up from there is a circle. */
    int32_t node = 0;
    while (scene->nodes[node].is_ordered)
        node++;
    for (size_t i = 0; i < scene->count; i++)
        node = scene->nodes[node].parent;
    return gltf_fail(scene->gltf, "node %d is below itself", node);
}

/* Finds the scene of that name, or else of that number. */
static int32_t find_scene(struct gltf *gltf, const char *wanted)
{
    char *end;
    size_t count = gltf_count(gltf, "scenes");
    unsigned long number = strtoul(wanted, &end, 10);
    if (*wanted)
        for (size_t i = 0; i < count; i++)
            if (!strcmp(gltf_text(gltf_item(gltf, "scenes", i), "name"), wanted))
                return (int32_t)i;
    if (!*wanted || *end || number >= count)
        return gltf_fail(gltf, "no scene '%s': there are %zu, counted from 0", wanted, count);
    return (int32_t)number;
}

/* Marks the nodes that are drawn: of the scene that the job chose, or the file, else of the first, else all. */
static int choose_scene(struct gltf_scene *scene)
{
    struct gltf *gltf = scene->gltf;
    const char *wanted = gltf->options->scene;
    int32_t chosen = gltf_index(gltf, gltf->root, "scene", "scenes");
    if (wanted)
        chosen = find_scene(gltf, wanted);
    else if (chosen < 0 && gltf_count(gltf, "scenes"))
        chosen = 0;
    const struct json *item, *json = chosen < 0 ? NULL : gltf_item(gltf, "scenes", (size_t)chosen);
    const struct json *roots = gltf_list(gltf, json, "nodes");
    for (size_t k = 0; (item = gltf_at(roots, k)); k++) {
        int32_t root = gltf_index_of(item, scene->count);
        if (root < 0)
            return gltf_fail(gltf, "scene %d: node %zu is not a node; there are %zu", chosen, k, scene->count);
        scene->nodes[root].is_drawn = true;
    }
    for (size_t i = 0; i < scene->count; i++) {
        struct gltf_node *node = &scene->nodes[scene->order[i]];
        node->is_drawn |= node->parent < 0 ? chosen < 0 : scene->nodes[node->parent].is_drawn;
    }
    return gltf_failed(gltf) ? -1 : 0;
}

/* Finds the node that a channel moves, or -1, and the name of the property that it moves. */
static int32_t find_target(struct gltf_scene *scene, const struct json *channel, const char **path)
{
    static const char start[] = "/nodes/";
    const struct json *target = gltf_get(channel, "target"), *extension;
    *path = gltf_text(target, "path");
    if (!(extension = gltf_extension(target, "KHR_animation_pointer")))
        return gltf_index(scene->gltf, target, "node", "nodes");
    char *end;
    *path = gltf_text(extension, "pointer");
    if (strncmp(*path, start, strlen(start)))
        return -1;
    const unsigned long node = strtoul(*path + strlen(start), &end, 10);
    if (*end != '/' || node >= scene->count)
        return -1;
    *path = end + 1;
    return (int32_t)node;
}

static const char VISIBLE[] = "extensions/KHR_node_visibility/visible";

/* Marks the nodes that are hidden, and those that no animation shows again. */
static void find_hidden(struct gltf_scene *scene)
{
    const struct json *animation, *channel;
    const char *path;
    for (size_t i = 0; (animation = gltf_item(scene->gltf, "animations", i)); i++)
        for (size_t k = 0; (channel = gltf_at(gltf_get(animation, "channels"), k)); k++) {
            const int32_t node = find_target(scene, channel, &path);
            if (node >= 0 && !strcmp(path, VISIBLE))
                scene->nodes[node].is_shown_at_times = true;
        }
    for (size_t i = 0; i < scene->count; i++) {
        struct gltf_node *node = &scene->nodes[scene->order[i]];
        const struct json *visible = gltf_get(gltf_extension(node->json, "KHR_node_visibility"), "visible");
        node->is_hidden = gltf_is(visible, GLTF_FALSE_OR_NULL);
        node->is_never_seen = (node->is_hidden && !node->is_shown_at_times) ||
                              (node->parent >= 0 && scene->nodes[node->parent].is_never_seen);
    }
}

/* Marks a node as needed, and all above it, which move it. */
static void need(struct gltf_scene *scene, int32_t node)
{
    for (; node >= 0 && !scene->nodes[node].is_needed; node = scene->nodes[node].parent) {
        scene->nodes[node].is_needed = true;
        scene->rig->node_count++;
    }
}

static int need_joints(struct gltf_scene *scene, int32_t skin)
{
    struct gltf *gltf = scene->gltf;
    const struct json *joints = gltf_list(gltf, gltf_item(gltf, "skins", (size_t)skin), "joints"), *item;
    scene->skins[skin].joint_count = (uint32_t)gltf_length(joints);
    for (size_t k = 0; (item = gltf_at(joints, k)); k++) {
        int32_t joint = gltf_index_of(item, scene->count);
        if (joint < 0)
            return gltf_fail(gltf, "joint %zu is not a node; there are %zu", k, scene->count);
        need(scene, joint);
    }
    return gltf_failed(gltf) ? -1 : 0;
}

static void read_copies(struct gltf *gltf, struct gltf_node *node)
{
    static const char *const names[] = {"TRANSLATION", "ROTATION", "SCALE"};
    const struct json *extension = gltf_extension(node->json, "EXT_mesh_gpu_instancing");
    for (int i = 0; i < 3; i++) {
        const int32_t index = gltf_index(gltf, gltf_get(extension, "attributes"), names[i], "accessors");
        const uint32_t before = node->copy_count;
        if (index < 0)
            continue;
        node->copies[i] = gltf_read_accessor(gltf, index, rig_widths[i], true, &node->copy_count);
        if (!node->copies[i]) {
            error_add(&gltf->err, "%s of copies", names[i]);
            return;
        }
        if (before && before != node->copy_count)
            gltf_fail(gltf, "%s of %u copies, but there are %u", names[i], node->copy_count, before);
    }
}

/* Marks the nodes that become joints, and counts the parts of their meshes. A scene's roots may be anywhere in the
 * hierarchy, and so may joints. */
static int need_nodes(struct gltf_scene *scene, size_t *part_count)
{
    struct gltf *gltf = scene->gltf;
    scene->skins = arena_must_alloc(gltf->arena, gltf_count(gltf, "skins"), sizeof *scene->skins);
    for (size_t i = 0; i < scene->count; i++) {
        struct gltf_node *node = &scene->nodes[i];
        if (!node->is_drawn)
            continue;
        need(scene, (int32_t)i);
        node->mesh = node->is_never_seen ? -1 : gltf_index(gltf, node->json, "mesh", "meshes");
        if (node->mesh >= 0) {
            const struct json *mesh = gltf_item(gltf, "meshes", (size_t)node->mesh);
            node->skin = gltf_index(gltf, node->json, "skin", "skins");
            if (!gltf_failed(gltf) && node->skin < 0 && !gltf->options->is_for_clips)
                read_copies(gltf, node);
            scene->rig->node_count += node->copy_count;
            *part_count += gltf_length(gltf_get(mesh, "primitives")) * (node->copy_count ? node->copy_count : 1);
        }
        if (gltf_failed(gltf))
            return error_add(&gltf->err, "node %zu", i);
        if (node->skin >= 0 && !scene->skins[node->skin].joint_count && need_joints(scene, node->skin) < 0)
            return error_add(&gltf->err, "skin %d", node->skin);
        if (scene->rig->node_count > MODEL_MOST_JOINTS)
            return gltf_fail(gltf, "more than %d nodes in the scene, with the copies of their meshes",
                             MODEL_MOST_JOINTS);
    }
    if (*part_count > MOST_SURFACES)
        return gltf_fail(gltf, "more than %d parts of meshes, which count at each node that has them",
                         MOST_SURFACES);
    return 0;
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

/* A node without a name gets one that jobs can use. */
static void read_node(struct gltf_scene *scene, const struct gltf_node *node, struct rig_node *out)
{
    struct gltf *gltf = scene->gltf;
    const char *name = gltf_text(node->json, "name");
    *out = (struct rig_node){
        .name =
            *name ? arena_strdup(gltf->arena, name) : arena_printf(gltf->arena, "node_%td", node - scene->nodes),
        .standard = node->standard,
        .parent = node->parent < 0 ? -1 : scene->nodes[node->parent].number,
        .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
        .is_hidden = node->is_hidden,
    };
    if (gltf_get(node->json, "matrix")) {
        double *matrix = arena_must_alloc(gltf->arena, 16, sizeof *matrix);
        out->matrix = matrix;
        gltf_numbers(gltf, node->json, "matrix", matrix, 16);
    } else {
        const double *rotation = out->local.rotation;
        gltf_numbers(gltf, node->json, "translation", out->local.translation, 3);
        gltf_numbers(gltf, node->json, "rotation", out->local.rotation, 4);
        gltf_numbers(gltf, node->json, "scale", out->local.scale, 3);
        if (!rotation[0] && !rotation[1] && !rotation[2] && !rotation[3])
            gltf_fail(gltf, "rotation is four zeros");
    }
}

/* The surfaces of a mesh, on the node itself or on a copy of it. */
static void add_surfaces(struct gltf_scene *scene, const struct gltf_node *node, const struct gltf_mesh *mesh,
                         const struct rig_node *on, uint32_t number)
{
    struct gltf *gltf = scene->gltf;
    for (uint32_t i = 0; i < mesh->surface_count; i++) {
        struct rig_surface *surface = &scene->surfaces[scene->rig->surface_count++];
        *surface = mesh->surfaces[i];
        if (node->skin >= 0 && surface->influence_count) {
            const uint32_t joint_count = scene->skins[node->skin].joint_count;
            if (mesh->largest_joints[i] >= joint_count)
                gltf_fail(gltf, "mesh %d names joint %u of the %u of skin %d", node->mesh, mesh->largest_joints[i],
                          joint_count, node->skin);
            surface->skin = node->skin;
        }
        surface->node = number;
        surface->name = *gltf_text(node->json, "name") ? on->name : mesh->name;
    }
}

/* The mesh on a node. Each copy of it is a node of its own, which follows this one. */
static void read_node_mesh(struct gltf_scene *scene, const struct gltf_node *node, struct rig_node *out)
{
    struct gltf *gltf = scene->gltf;
    const struct gltf_mesh *mesh = gltf_mesh_of(gltf, (size_t)node->mesh);
    const uint32_t number = (uint32_t)node->number;
    if (!mesh)
        return;
    out->weights = mesh->weights;
    out->weight_count = mesh->morph_count;
    gltf_read_weights(gltf, node->json, mesh->morph_count, &out->weights);
    if (node->skin >= 0 && gltf_extension(node->json, "EXT_mesh_gpu_instancing"))
        gltf_warn(gltf, "one copy is drawn of a mesh with a skin: EXT_mesh_gpu_instancing is not read there");
    if (!node->copy_count)
        add_surfaces(scene, node, mesh, out, number);
    for (uint32_t i = 0; i < node->copy_count; i++) {
        struct rig_node *copy = &out[1 + i];
        *copy = *out;
        copy->name = arena_printf(gltf->arena, "%s_%u", out->name, i + 1);
        copy->standard = NULL;
        copy->parent = (int32_t)number;
        copy->matrix = NULL;
        copy->local = (struct transform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
        double *const to[] = {copy->local.translation, copy->local.rotation, copy->local.scale};
        for (int target = 0; target < 3; target++)
            for (uint32_t k = 0, width = rig_widths[target]; node->copies[target] && k < width; k++)
                to[target][k] = node->copies[target][(size_t)i * width + k];
        add_surfaces(scene, node, mesh, copy, number + 1 + i);
    }
}

/* -- People ------------------------------------------------------------------------------------------------- */

/* The role of a joint in VRM, then what Mixamo calls it; before those of a side come "left" and "Left", and so on the
 * right. */
static const char roles[] =
    ",hips=Hips,spine=Spine,chest=Spine1,upperChest=Spine2,neck=Neck,head=Head,Eye=Eye,Shoulder=Shoulder,"
    "UpperArm=Arm,LowerArm=ForeArm,Hand=Hand,UpperLeg=UpLeg,LowerLeg=Leg,Foot=Foot,Toes=ToeBase,"
    "ThumbMetacarpal=HandThumb1,ThumbProximal=HandThumb2,ThumbIntermediate=HandThumb2,"
    "ThumbDistal=HandThumb3,IndexProximal=HandIndex1,IndexIntermediate=HandIndex2,IndexDistal=HandIndex3,"
    "MiddleProximal=HandMiddle1,MiddleIntermediate=HandMiddle2,MiddleDistal=HandMiddle3,"
    "RingProximal=HandRing1,RingIntermediate=HandRing2,RingDistal=HandRing3,LittleProximal=HandPinky1,"
    "LittleIntermediate=HandPinky2,LittleDistal=HandPinky3,";

/* NULL: Mixamo has no such joint. */
static const char *standard_name(struct gltf *gltf, const char *role, bool is_old)
{
    static const char *const sides[][2] = {{"left", "Left"}, {"right", "Right"}, {"", ""}};
    int side = 0;
    while (strncmp(role, sides[side][0], strlen(sides[side][0])))
        side++;
    role += strlen(sides[side][0]);
    if (is_old && !strcmp(role, "ThumbProximal")) /* and ThumbIntermediate is what 1.0 calls so */
        role = "ThumbMetacarpal";
    char key[32];
    snprintf(key, sizeof key, ",%s=", role);
    const char *found = strstr(roles, key), *name = found ? found + strlen(key) : NULL;
    return name ? arena_printf(gltf->arena, "%s%.*s", sides[side][1], (int)strcspn(name, ","), name) : NULL;
}

static void name_joint(struct gltf_scene *scene, const struct json *bone, const char *role, bool is_old)
{
    const int32_t node = gltf_index_of(gltf_get(bone, "node"), scene->count);
    if (node >= 0)
        scene->nodes[node].standard = standard_name(scene->gltf, role, is_old);
}

/* The joints of a person that VRM names: as a list in 0.x, as an object in 1.0 and in its animations. */
static void find_person(struct gltf_scene *scene)
{
    static const char *const names[] = {"VRM", "VRMC_vrm_animation", "VRMC_vrm"};
    for (int i = 0; i < 3; i++) {
        const struct json *extension = gltf_extension(scene->gltf->root, names[i]);
        const struct json *bones = gltf_get(gltf_get(extension, "humanoid"), "humanBones"), *bone;
        for (size_t k = 0; (bone = gltf_at(bones, k)); k++)
            name_joint(scene, bone, gltf_text(bone, "bone"), true);
        for (size_t k = 0; gltf_is(bones, GLTF_OBJECT) && k < bones->count; k++)
            name_joint(scene, &bones->items[2 * k + 1], bones->items[2 * k].text, false);
    }
}

static int read_nodes(struct gltf_scene *scene)
{
    struct gltf *gltf = scene->gltf;
    struct rig *rig = scene->rig;
    struct rig_node *nodes = arena_must_alloc(gltf->arena, rig->node_count, sizeof *nodes), *next = nodes;
    for (size_t i = 0; i < scene->count; i++) {
        struct gltf_node *node = &scene->nodes[scene->order[i]];
        if (!node->is_needed)
            continue;
        node->number = (int32_t)(next - nodes);
        read_node(scene, node, next);
        if (node->mesh >= 0 && !gltf->options->is_for_clips)
            read_node_mesh(scene, node, next);
        if (gltf_failed(gltf))
            return error_add(&gltf->err, "node %u", scene->order[i]);
        if (node->is_drawn && gltf_get(node->json, "camera"))
            gltf_add_oddity(gltf, "cameras are left out");
        next += 1 + node->copy_count;
    }
    rig->nodes = nodes;
    return 0;
}

/* -- Skins -------------------------------------------------------------------------------------------------- */

static void read_inverse_binds(struct gltf *gltf, const struct json *json, struct rig_skin *skin)
{
    const int32_t accessor = gltf_index(gltf, json, "inverseBindMatrices", "accessors");
    uint32_t count;
    const float *values = gltf_read_accessor(gltf, accessor, 16, true, &count);
    if (values && count < skin->joint_count)
        gltf_fail(gltf, "%u inverse bind matrices for %u joints", count, skin->joint_count);
    if (!values || gltf_failed(gltf))
        return;
    double *matrices = arena_must_alloc(gltf->arena, skin->joint_count, 16 * sizeof *matrices);
    for (size_t i = 0; i < (size_t)skin->joint_count * 16; i++)
        matrices[i] = values[i];
    skin->inverse_binds = matrices;
}

static int read_skins(struct gltf_scene *scene)
{
    struct gltf *gltf = scene->gltf;
    for (size_t i = 0; i < gltf_count(gltf, "skins"); i++) {
        struct rig_skin *skin = &scene->skins[i];
        if (!skin->joint_count)
            continue;
        const struct json *json = gltf_item(gltf, "skins", i), *list = gltf_get(json, "joints");
        uint32_t *joints = arena_must_alloc(gltf->arena, skin->joint_count, sizeof *joints);
        for (uint32_t k = 0; k < skin->joint_count; k++)
            joints[k] = (uint32_t)scene->nodes[gltf_index_of(gltf_at(list, k), scene->count)].number;
        skin->joints = joints;
        read_inverse_binds(gltf, json, skin);
        if (gltf_failed(gltf))
            return error_add(&gltf->err, "skin %zu", i);
    }
    scene->rig->skins = scene->skins;
    scene->rig->skin_count = (uint32_t)gltf_count(gltf, "skins");
    return 0;
}

/* -- Animations --------------------------------------------------------------------------------------------- */

/* Times of keys, which lie in the model's arena: they ascend, and none is below 0. */
static void check_times(struct gltf *gltf, float *times_s, uint32_t count)
{
    bool has_equal = false;
    for (uint32_t i = 0; i < count; i++) {
        float before = i ? times_s[i - 1] : 0;
        if (times_s[i] < 0) {
            times_s[i] = 0;
            gltf_add_oddity(gltf, "keys of an animation before 0 seconds count as at 0");
        }
        if (!(times_s[i] >= before))
            gltf_fail(gltf, "time %u is %g, after %g", i, times_s[i], before);
        has_equal |= i && times_s[i] == before;
    }
    if (has_equal)
        gltf_add_oddity(gltf, "keys of an animation with the same time");
}

/* Times and values of a sampler, for a track whose node, target and width are known. */
static void read_sampler(struct gltf *gltf, const struct json *sampler, struct rig_track *track)
{
    static const char *const interpolations[] = {"LINEAR", "STEP", "CUBICSPLINE"}; /* as enum rig_interpolation */
    const int32_t input = gltf_index(gltf, sampler, "input", "accessors");
    const int32_t output = gltf_index(gltf, sampler, "output", "accessors");
    const uint32_t width = track->target == RIG_WEIGHTS ? 1 : track->width;
    uint32_t value_count;
    track->interpolation = (enum rig_interpolation)gltf_choice(gltf, sampler, "interpolation", interpolations);
    if (input < 0 || output < 0)
        gltf_fail(gltf, "the sampler has no %s", input < 0 ? "input" : "output");
    track->times_s = gltf_read_accessor(gltf, input, 1, true, &track->key_count);
    track->values = gltf_read_accessor(gltf, output, width, true, &value_count);
    if (gltf_take_numbers(gltf, track->key_count, 1) < 0) /* many channels may name one long accessor */
        return;
    check_times(gltf, (float *)track->times_s, track->key_count);
    uint64_t needed =
        (uint64_t)track->key_count * (track->interpolation == RIG_CUBIC ? 3 : 1) * track->width / width;
    if (value_count < needed)
        gltf_fail(gltf, "%u values for %u times (%ju are needed)", value_count, track->key_count,
                  (uintmax_t)needed);
}

/* Reads the track of a channel; its width is 0 if it moves nothing that we draw. */
static void read_channel(struct gltf_scene *scene, const struct json *animation, const struct json *channel,
                         struct rig_track *track)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights",
                                        VISIBLE}; /* as enum rig_target */
    struct gltf *gltf = scene->gltf;
    const struct json *samplers = gltf_list(gltf, animation, "samplers");
    const char *path;
    const int32_t node = find_target(scene, channel, &path);
    const int number = gltf_word(path, paths, 5);
    const int32_t sampler = gltf_index_below(gltf, channel, "sampler", gltf_length(samplers));
    *track = (struct rig_track){0};
    if (number < 0) {
        gltf_add_oddity(gltf, "animation of '%s' is left out", path);
        gltf_warn_of_lost(gltf, gltf_get(channel, "target"));
    }
    if (gltf_failed(gltf) || number < 0 || node < 0 || sampler < 0 || scene->nodes[node].number < 0)
        return;
    scene->rig->morph_track_count += number == RIG_WEIGHTS;
    track->target = (enum rig_target)number;
    track->node = (uint32_t)scene->nodes[node].number;
    track->width = number == RIG_WEIGHTS ? scene->rig->nodes[track->node].weight_count : rig_widths[number];
    if (track->width)
        read_sampler(gltf, gltf_at(samplers, (size_t)sampler), track);
}

static int read_animation(struct gltf_scene *scene, const struct json *json, struct rig_animation *out)
{
    struct gltf *gltf = scene->gltf;
    const struct json *channels = gltf_list(gltf, json, "channels"), *channel;
    struct rig_track *tracks = arena_must_alloc(gltf->arena, gltf_length(channels), sizeof *tracks);
    for (size_t i = 0; (channel = gltf_at(channels, i)); i++) {
        read_channel(scene, json, channel, &tracks[out->track_count]);
        if (gltf_failed(gltf))
            return error_add(&gltf->err, "channel %zu", i);
        out->track_count += tracks[out->track_count].width > 0;
    }
    out->name = arena_strdup(gltf->arena, gltf_text(json, "name"));
    out->tracks = tracks;
    return gltf_failed(gltf) ? -1 : 0;
}

/* Animations that move nothing of the scene are not clips of it. */
static int read_animations(struct gltf_scene *scene)
{
    struct gltf *gltf = scene->gltf;
    size_t count = gltf_count(gltf, "animations");
    struct rig_animation *animations = arena_must_alloc(gltf->arena, count, sizeof *animations);
    for (size_t i = 0; i < count; i++) {
        struct rig_animation animation = {0};
        if (read_animation(scene, gltf_item(gltf, "animations", i), &animation) < 0)
            return error_add(&gltf->err, "animation %zu", i);
        if (animation.track_count)
            animations[scene->rig->animation_count++] = animation;
    }
    scene->rig->animations = animations;
    return 0;
}

/* -- The format --------------------------------------------------------------------------------------------- */

static int read_scene(struct gltf *gltf, struct rig *rig)
{
    struct gltf_scene scene = {.gltf = gltf, .rig = rig, .count = gltf_count(gltf, "nodes")};
    size_t part_count = 0;
    scene.nodes = arena_must_alloc(&gltf->scratch, scene.count, sizeof *scene.nodes);
    if (read_parents(&scene) < 0 || order_nodes(&scene) < 0 || choose_scene(&scene) < 0)
        return -1;
    find_hidden(&scene);
    find_person(&scene);
    if (need_nodes(&scene, &part_count) < 0)
        return -1;
    rig->surfaces = scene.surfaces = arena_must_alloc(gltf->arena, part_count, sizeof *scene.surfaces);
    if (read_nodes(&scene) < 0 || read_skins(&scene) < 0 || read_animations(&scene) < 0)
        return -1;
    rig->may_lack_triangles =
        gltf->options->is_for_clips || (gltf->options->takes_clips_alone && rig->animation_count > 0);
    return 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    SCOPED_BY(gltf_close) struct gltf gltf = {.options = options, .model = model, .arena = &model->arena};
    struct rig rig = {0};
    memcpy(rig.to_model, rig_y_up_z_forward, sizeof rig.to_model);
    const bool is_open = gltf_open(&gltf, bytes) == 0;
    if (is_open && gltf_extension(gltf.root, "VRM") && !gltf_extension(gltf.root, "VRMC_vrm"))
        for (int axis = 0; axis < 3; axis += 2) /* VRM 0.x looks along -Z */
            for (int i = 0; i < 3; i++)
                rig.to_model[4 * axis + i] *= -1;
    return !is_open || gltf_read_variants(&gltf) < 0 || read_scene(&gltf, &rig) < 0
               ? error_set(err, "%s", gltf.err.text)
               : rig_build(model, &rig, err);
}

const struct model_format gltf_format = {
    .name = "glTF",
    .suffixes = (const struct model_suffix[]){{.text = ".gltf"}, {.text = ".glb"}, {.text = ".vrm"}, {0}},
    .reads = "2.0: nodes, skins, morph targets, animations, materials, variants; Draco, meshopt, VRM",
    .start = "glTF",
    .has_scenes = true,
    .matches = gltf_matches,
    .load = load,
    .pictures = &gltf_pictures,
};
