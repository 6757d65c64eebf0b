/* FBX, the scene: nodes with their meshes, what moves them, the format.
 *
 * A node stands at T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1 on its parent: moves, turns and
 * sizes, with offsets and pivots. That is one transform of a rig. A node may not want its parent's size: along its own axes
 * it is as large as its parent (RrSs), or its parent's own size does not count (Rrs). Then its parent becomes two nodes, of
 * which the second one has the size alone, and it hangs on the first, its place multiplied by the size. */
#include "fbx/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"

enum { TRANSLATION, ROTATION, SCALING, PRE, POST, TURN_OFFSET, TURN_PIVOT, SIZE_OFFSET, SIZE_PIVOT, VECTORS };

static const char *const vector_names[VECTORS] = {
    "Lcl Translation", "Lcl Rotation",  "Lcl Scaling",   "PreRotation",  "PostRotation",
    "RotationOffset",  "RotationPivot", "ScalingOffset", "ScalingPivot",
};

enum inherit { RRSS, RSRS, RRS };

enum {
    MOST_SURFACES = 65536,  /* each is drawn on its own */
    MOST_SAMPLES = 1 << 21, /* of a take */
    MOST_HALVINGS = 12,     /* between two keys */
    MOST_TAKEN = 256,
    MOST_BOUND = 1 << 20, /* joints of all skins of all surfaces */
    NO_NODE = -1,
};

/* What may be lost between two samples: of a turn in radians, and parts of sizes, weights and the longest move. */
static const double LOST = 2e-5, LOST_OF_ALL = 1e-6;

struct node {
    uint32_t object;
    int32_t parent;
    uint32_t top;                       /* node above it that has no parent, or itself */
    double vectors[VECTORS][3];         /* at rest */
    struct fbx_channels moved[VECTORS]; /* in the take */
    struct rig_angles angles;           /* with the turns of PreRotation, and back from PostRotation */
    enum inherit inherit;
    uint32_t taken;                     /* nodes above it, one on the other, that its size may depend on */
    bool has_size, is_uneven, is_split; /* at any time: not 1; not equal along its axes; two nodes of the rig */
    uint32_t frame, sized;              /* of the rig; the second one with the size */
    const struct fbx_mesh *mesh;        /* with shapes, or NULL */
};

struct scene {
    struct fbx *fbx;
    struct rig *rig;
    struct node *nodes;
    uint32_t node_count;
    uint32_t *numbers;                   /* 1 + the node, by object; or 0 */
    const struct fbx_take *takes, *take; /* the one that moves nodes, or NULL: they are at rest */
    uint32_t take_count;
    const struct fbx_mesh **meshes; /* by object */
    size_t bound_count;
    struct rig_node *rig_nodes;
    struct rig_surface *surfaces; /* malloc'd, as the next */
    struct rig_skin *skins;
    size_t surface_capacity, skin_capacity;
    double longest_move;
    size_t sample_count;
};

/* -- Turns ------------------------------------------------------------------------------------------------------ */

static void turn_of(const double degrees[3], double out[4])
{
    memcpy(out, (double[4]){0, 0, 0, 1}, 4 * sizeof *out);
    quaternion_turn_by(out, degrees, 0);
}

/* Turns about X, then Y, then Z. */
static void degrees_of(const double turn[4], double out[3])
{
    struct transform transform = {.rotation = {turn[0], turn[1], turn[2], turn[3]}, .scale = {1, 1, 1}};
    double columns[3][3];
    quaternion_normalise(transform.rotation);
    transform_columns(&transform, columns);
    out[0] = atan2(columns[1][2], columns[2][2]) * 180 / M_PI;
    out[1] = asin(fmax(-1, fmin(-columns[0][2], 1))) * 180 / M_PI;
    out[2] = atan2(columns[0][1], columns[0][0]) * 180 / M_PI;
}

/* -- A node at a time --------------------------------------------------------------------------------------------- */

static struct transform stand(const struct node *node, double vectors[VECTORS][3])
{
    struct transform out;
    double shift[3];
    memcpy(out.rotation, node->angles.before, sizeof out.rotation);
    quaternion_turn_by(out.rotation, vectors[ROTATION], node->angles.order);
    quaternion_multiply(out.rotation, node->angles.after, out.rotation);
    quaternion_normalise(out.rotation);
    memcpy(out.scale, vectors[SCALING], sizeof out.scale);
    for (int i = 0; i < 3; i++)
        shift[i] =
            -vectors[TURN_PIVOT][i] + vectors[SIZE_OFFSET][i] + vectors[SIZE_PIVOT][i] * (1 - vectors[SCALING][i]);
    if (shift[0] != 0 || shift[1] != 0 || shift[2] != 0)
        quaternion_turn(out.rotation, shift, shift);
    for (int i = 0; i < 3; i++) {
        const double place = vectors[TRANSLATION][i] + vectors[TURN_OFFSET][i] + vectors[TURN_PIVOT][i] + shift[i];
        out.translation[i] = fabs(place) < MODEL_LARGEST_NUMBER ? place : 0;
    }
    return out;
}

static double power_of(double value, double exponent)
{
    return copysign(pow(fabs(value), exponent), value);
}

/* Puts what a layer has of a property over what the layers below have. Turns are about X, then Y, then Z, whatever the order
 * of the node: so Maya does it, and its order counts for the result alone. */
static void blend_layer(const struct fbx_layer *layer, int vector, double weight, const double value[3],
                        double out[3])
{
    const double kept = layer->blend == FBX_BLEND ? 1 - weight : 1;
    double below[4], own[4] = {0, 0, 0, 1}, above[4];
    if (layer->blend == FBX_REPLACE) {
        memcpy(out, value, 3 * sizeof *out);
    } else if (vector == ROTATION && !layer->adds_angles) {
        turn_of(out, below);
        turn_of(value, above);
        if (layer->blend == FBX_BLEND)
            quaternion_blend(below, above, weight);
        else
            quaternion_blend(own, above, weight);
        quaternion_multiply(below, own, below);
        degrees_of(below, out);
    } else {
        for (int i = 0; i < 3; i++)
            out[i] = vector == SCALING && !layer->adds_sizes ? power_of(out[i], kept) * power_of(value[i], weight)
                                                             : out[i] * kept + value[i] * weight;
    }
}

/* Has in `out` the property at rest, and puts all layers on it. */
static void move_property(const struct scene *scene, int vector, struct fbx_channels moved, double time_s,
                          double out[3], double slopes[2][3])
{
    for (uint32_t i = 0; i < moved.count; i++) {
        const struct fbx_channel *channel = &moved.items[i];
        const struct fbx_layer *layer = &scene->take->layers[channel->layer];
        double value[3];
        fbx_values_at(channel, time_s, value, slopes);
        if (channel->layer == 0)
            memcpy(out, value, sizeof value);
        else
            blend_layer(layer, vector, fbx_layer_weight(layer, time_s), value, out);
    }
}

/* Lets a take, or NULL, move all nodes. Turned axes are never moved: no program does that. */
static void play(struct scene *scene, const struct fbx_take *take)
{
    scene->take = take;
    for (uint32_t n = 0; n < scene->node_count; n++)
        for (int i = 0; i < VECTORS; i++)
            if (i != PRE && i != POST)
                scene->nodes[n].moved[i] = fbx_channels_of(take, scene->nodes[n].object, vector_names[i]);
}

/* What it takes from above, for itself; and with that its own. */
static void find_size(const struct scene *scene, int32_t n, bool is_with_own, double time_s, double out[3])
{
    const struct node *node = &scene->nodes[n];
    double own[3];
    memcpy(own, node->vectors[SCALING], sizeof own);
    for (int i = 0; i < 3; i++)
        out[i] = 1;
    if (node->inherit != RSRS)
        find_size(scene, node->parent, node->inherit == RRSS, time_s, out);
    if (is_with_own)
        move_property(scene, SCALING, node->moved[SCALING], time_s, own, NULL);
    for (int i = 0; i < 3 && is_with_own; i++)
        out[i] *= own[i];
}

/* As the rig has it: where it does not want its parent's size, its place is multiplied by that. */
static struct transform place_at(const struct scene *scene, const struct node *node, double time_s)
{
    double vectors[VECTORS][3], above[3], taken[3];
    memcpy(vectors, node->vectors, sizeof vectors);
    for (int i = 0; i < VECTORS; i++)
        move_property(scene, i, node->moved[i], time_s, vectors[i], NULL);
    struct transform local = stand(node, vectors);
    if (node->inherit == RSRS)
        return local;
    find_size(scene, node->parent, true, time_s, above);
    find_size(scene, (int32_t)(node - scene->nodes), false, time_s, taken);
    for (int i = 0; i < 3; i++) {
        local.translation[i] *= above[i];
        local.scale[i] *= taken[i];
    }
    return local;
}

/* -- Nodes -------------------------------------------------------------------------------------------------------- */

static void read_node(struct scene *scene, uint32_t object, int32_t parent)
{
    const struct fbx *fbx = scene->fbx;
    const struct fbx_object *from = &fbx->objects[object];
    struct node *node = &scene->nodes[scene->node_count++];
    *node = (struct node){.object = object, .parent = parent, .vectors[SCALING] = {1, 1, 1}};
    node->top = parent < 0 ? scene->node_count - 1 : scene->nodes[parent].top;
    for (int i = 0; i < VECTORS; i++)
        fbx_property_vector(fbx, from, vector_names[i], node->vectors[i]);
    const double order = fbx_property_number(fbx, from, "RotationOrder", 0);
    node->angles.before[3] = node->angles.after[3] = 1;
    if (fbx_property_number(fbx, from, "RotationActive", 1) != 0 &&
        fbx_property_number(fbx, from, "RotationSpaceForLimitOnly", 0) == 0) {
        node->angles.order = order > 0 && order < 6 ? (uint32_t)order : 0;
        turn_of(node->vectors[PRE], node->angles.before);
        turn_of(node->vectors[POST], node->angles.after);
        quaternion_invert(node->angles.after, node->angles.after);
    }
    const double inherit = fbx_property_number(fbx, from, "InheritType", RSRS);
    node->inherit = parent < 0 || (inherit != RRSS && inherit != RRS) ? RSRS : (enum inherit)inherit;
    scene->numbers[object] = scene->node_count;
}

/* Parents before their children. One that hangs on several hangs on the first. */
static int read_nodes(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    uint32_t model_count = 0;
    size_t depth = 0;
    uint32_t(*stack)[2] =
        arena_must_alloc(&fbx->scratch, (size_t)fbx->link_count + fbx->object_count, sizeof *stack);
    scene->numbers = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *scene->numbers);
    scene->nodes = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *scene->nodes);
    bool *are_carried = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *are_carried);
    for (uint32_t i = 0; i < fbx->link_count; i++) {
        const struct fbx_link *link = &fbx->links[i];
        if (link->kind == FBX_MODEL && link->of != FBX_ROOT && link->property.size == 0)
            are_carried[link->object] |= fbx->objects[link->of].kind == FBX_MODEL;
    }
    for (uint32_t i = fbx->object_count; i-- > 0;) {
        model_count += fbx->objects[i].kind == FBX_MODEL;
        if (fbx->objects[i].kind == FBX_MODEL && !are_carried[i])
            stack[depth++][0] = i;
    }
    if (model_count > MODEL_MOST_JOINTS)
        return fbx_fail(fbx, "%u nodes, at most %d are allowed", model_count, MODEL_MOST_JOINTS);
    while (depth > 0) {
        const uint32_t object = stack[--depth][0], parent = stack[depth][1];
        if (scene->numbers[object])
            continue;
        read_node(scene, object, (int32_t)parent - 1);
        struct fbx_links links = fbx_links_of(fbx, object, FBX_MODEL);
        while (links.count-- > 0) /* so that they come off the stack in the order of the file */
            if (links.items[links.count].property.size == 0) {
                stack[depth][0] = links.items[links.count].object;
                stack[depth++][1] = scene->node_count;
            }
    }
    return scene->node_count < model_count ? fbx_fail(fbx, "nodes hang on each other in a circle") : 0;
}

/* Looks at the sizes of all nodes, at rest or in the take. */
static void look_at_sizes(const struct scene *scene)
{
    enum { LOOKS = 8 };
    const double begin_s = scene->take ? scene->take->begin_s : 0,
                 step_s = scene->take ? (scene->take->end_s - begin_s) / (LOOKS - 1) : 0;
    for (uint32_t n = 0; n < scene->node_count; n++) {
        struct node *node = &scene->nodes[n];
        for (int look = 0; look < (scene->take ? LOOKS : 1); look++) {
            double size[3];
            memcpy(size, node->vectors[SCALING], sizeof size);
            move_property(scene, SCALING, node->moved[SCALING], begin_s + look * step_s, size, NULL);
            for (int k = 0; k < 3; k++) {
                node->has_size |= fabs(size[k] - 1) > 1e-6;
                node->is_uneven |= fabs(size[k] - size[0]) > 1e-6 * fabs(size[0]);
            }
        }
    }
}

/* Where sizes are even, RrSs is the same as RSrs, and where they are 1, so is Rrs. */
static void find_splits(struct scene *scene)
{
    for (uint32_t t = 0; t <= scene->take_count; t++) {
        play(scene, t < scene->take_count ? &scene->takes[t] : NULL);
        look_at_sizes(scene);
    }
    for (uint32_t n = 0; n < scene->node_count; n++) {
        struct node *node = &scene->nodes[n], *parent = node->parent < 0 ? NULL : &scene->nodes[node->parent];
        if (parent &&
            ((node->inherit == RRSS && !parent->is_uneven) || (node->inherit == RRS && !parent->has_size)))
            node->inherit = RSRS;
        if (node->inherit == RSRS)
            continue;
        parent->is_split = true;
        node->has_size = node->is_uneven = true; /* it may take some from above */
        node->taken = parent->taken + 1;
        if (node->taken > MOST_TAKEN)
            fbx_fail(scene->fbx,
                     "more than %d nodes, each below the other, do not take the shape of the one above",
                     MOST_TAKEN);
    }
}

/* What a group of levels of detail carries after the first. */
static bool is_lower_detail(const struct fbx *fbx, uint32_t group, uint32_t object)
{
    return fbx_links_of(fbx, group, FBX_DETAIL_GROUP).count > 0 &&
           fbx_links_of(fbx, group, FBX_MODEL).items->object != object;
}

static void add_rig_nodes(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    scene->rig_nodes = arena_must_alloc(fbx->arena, 2 * (size_t)scene->node_count, sizeof *scene->rig_nodes);
    for (uint32_t n = 0; n < scene->node_count; n++) {
        struct node *node = &scene->nodes[n];
        const struct fbx_object *object = &fbx->objects[node->object];
        const struct node *parent = node->parent < 0 ? NULL : &scene->nodes[node->parent];
        const struct transform local = place_at(scene, node, 0);
        node->frame = node->sized = scene->rig->node_count;
        struct rig_node *out = &scene->rig_nodes[scene->rig->node_count++];
        *out = (struct rig_node){.name = object->name, .parent = NO_NODE, .local = local};
        out->is_hidden = (parent && is_lower_detail(fbx, parent->object, node->object)) ||
                         fbx_property_number(fbx, object, "Visibility", 1) == 0;
        if (out->is_hidden)
            fbx_note(fbx, false, "nodes are hidden", object->name);
        if (parent)
            out->parent = (int32_t)(node->inherit == RSRS ? parent->sized : parent->frame);
        if (node->is_split) {
            node->sized = scene->rig->node_count++;
            out[1] = (struct rig_node){.name = arena_printf(fbx->arena, "%.900s size", object->name),
                                       .parent = (int32_t)node->frame,
                                       .local = {.rotation = {0, 0, 0, 1}}};
            for (int i = 0; i < 3; i++) {
                out[1].local.scale[i] = local.scale[i];
                out[0].local.scale[i] = 1;
            }
        }
        for (int i = 0; i < 3; i++)
            scene->longest_move = fmax(scene->longest_move, fabs(local.translation[i]));
    }
    scene->rig->nodes = scene->rig_nodes;
}

/* -- Meshes --------------------------------------------------------------------------------------------------------- */

/* Of two matrices by column. */
static void multiply(const double a[16], const double b[16], double out[16])
{
    memset(out, 0, 16 * sizeof *out);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            out[i] += a[4 * k + i % 4] * b[i / 4 * 4 + k];
}

/* Where a node's geometry alone is moved, turned and sized, which is 3ds Max' pivot. False: it is not. */
static bool read_geometric(const struct fbx *fbx, const struct fbx_object *model, double out[16])
{
    struct transform own = {.scale = {1, 1, 1}};
    double degrees[3] = {0}, columns[3][3];
    bool is_any = false;
    fbx_property_vector(fbx, model, "GeometricTranslation", own.translation);
    fbx_property_vector(fbx, model, "GeometricRotation", degrees);
    fbx_property_vector(fbx, model, "GeometricScaling", own.scale);
    turn_of(degrees, own.rotation);
    for (int i = 0; i < 3; i++)
        is_any |= own.translation[i] != 0 || degrees[i] != 0 || own.scale[i] != 1;
    transform_columns(&own, columns);
    for (int i = 0; i < 16; i++)
        out[i] = i % 4 == 3 ? i == 15 : i < 12 ? columns[i / 4][i % 4] : own.translation[i % 4];
    return is_any;
}

/* 16 numbers of a cluster, by column. False: it has none. */
static bool read_matrix(const struct scene *scene, uint32_t cluster, const char *name, double out[16])
{
    size_t count;
    const double *numbers = fbx_numbers(scene->fbx, fbx_child(scene->fbx->objects[cluster].node, name), &count);
    bool is_fit = count >= 16;
    for (int i = 0; i < 16 && is_fit; i++)
        is_fit = fabs(numbers[i]) < MODEL_LARGEST_NUMBER;
    if (is_fit)
        memcpy(out, numbers, 16 * sizeof *out);
    return is_fit;
}

/* Where the first cluster was bound, the node of the mesh stood; NULL: no cluster says. */
static const double *find_bound_mesh(const struct scene *scene, const struct fbx_mesh *mesh)
{
    double joint[16], inverse[16], *out = arena_must_alloc(scene->fbx->arena, 16, sizeof *out);
    if (mesh->cluster_count == 0 || !read_matrix(scene, mesh->clusters[0], "TransformLink", joint) ||
        !read_matrix(scene, mesh->clusters[0], "Transform", inverse))
        return NULL;
    multiply(joint, inverse, out);
    return out;
}

/* The joints of the clusters, and last the node itself, for what hangs on no cluster; `own` brings the points to the
 * node. In Maya they also go as the node of the mesh goes; with a group that carries mesh and joints they would go twice,
 * and no one means that. */
static int32_t add_skin(struct scene *scene, const struct node *node, const struct fbx_mesh *mesh,
                        const double own[16])
{
    struct fbx *fbx = scene->fbx;
    const uint32_t count = mesh->cluster_count + 1;
    scene->bound_count += count;
    if (scene->bound_count > MOST_BOUND) {
        fbx_fail(fbx, "surfaces hang on more than %d joints", MOST_BOUND);
        return -1;
    }
    uint32_t *joints = arena_must_alloc(fbx->arena, count, sizeof *joints);
    double(*inverses)[16] = arena_must_alloc(fbx->arena, count, sizeof *inverses);
    bool is_apart = fbx->is_of_maya;
    for (uint32_t c = 0; c < mesh->cluster_count; c++) {
        double bound[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
        const uint32_t cluster = mesh->clusters[c];
        const struct fbx_links links = fbx_links_of(fbx, cluster, FBX_MODEL);
        joints[c] = node->sized;
        for (uint32_t i = 0; i < links.count; i++) {
            const uint32_t number = scene->numbers[links.items[i].object];
            if (number) {
                joints[c] = scene->nodes[number - 1].sized;
                is_apart &= scene->nodes[number - 1].top != node->top;
            }
        }
        if (links.count == 0 || !read_matrix(scene, cluster, "Transform", bound))
            fbx_note(fbx, true, "joints of skins do not say where they are bound", fbx->objects[cluster].name);
        multiply(bound, own, inverses[c]);
    }
    joints[mesh->cluster_count] = node->sized;
    memcpy(inverses[mesh->cluster_count], own, sizeof *inverses);
    *MUST_ADD(scene->skins, scene->rig->skin_count, scene->skin_capacity) =
        (struct rig_skin){count, joints, inverses[0], .moved_from = is_apart ? find_bound_mesh(scene, mesh) : NULL,
                          .mover = node->sized};
    return (int32_t)scene->rig->skin_count - 1;
}

/* How much of each shape of a mesh is there. */
static void find_weights(const struct scene *scene, const struct fbx_mesh *mesh, double time_s, double *out)
{
    const struct fbx *fbx = scene->fbx;
    for (uint32_t i = 0; i < mesh->all.morph_count;) {
        const struct fbx_shape *shape = &mesh->shapes[i];
        const struct fbx_object *channel = &fbx->objects[shape->channel];
        const double own = fbx_number(fbx_child(channel->node, "DeformPercent"), 0, 0);
        double percent[3] = {fbx_property_number(fbx, channel, shape->property, own)};
        move_property(scene, VECTORS, fbx_channels_of(scene->take, shape->channel, shape->property), time_s,
                      percent, NULL);
        i += fbx_weigh_shapes(mesh, i, fabs(*percent) < 1e6 ? *percent : 0, out);
    }
}

static void fill_weights(struct scene *scene, struct node *node, const struct fbx_mesh *mesh)
{
    struct fbx *fbx = scene->fbx;
    double *weights = arena_must_alloc(&fbx->scratch, mesh->all.morph_count, sizeof *weights);
    float *rest = arena_must_alloc(fbx->arena, mesh->all.morph_count, sizeof *rest);
    find_weights(scene, mesh, 0, weights);
    for (uint32_t i = 0; i < mesh->all.morph_count; i++)
        rest[i] = (float)weights[i];
    scene->rig_nodes[node->sized].weights = rest;
    scene->rig_nodes[node->sized].weight_count = mesh->all.morph_count;
    node->mesh = mesh;
}

static void add_surfaces(struct scene *scene, uint32_t n, const struct fbx_mesh *mesh)
{
    struct fbx *fbx = scene->fbx;
    struct node *node = &scene->nodes[n];
    const struct fbx_object *model = &fbx->objects[node->object];
    double geometric[16];
    const bool is_moved = read_geometric(fbx, model, geometric);
    struct rig_surface all = mesh->all;
    all.name = *all.name ? all.name : model->name;
    all.node = node->sized;
    all.skin = mesh->cluster_count || is_moved ? add_skin(scene, node, mesh, geometric) : -1;
    if (is_moved && mesh->cluster_count == 0) {
        float *weights = arena_must_alloc(fbx->arena, all.point_count, sizeof *weights);
        for (uint32_t i = 0; i < all.point_count; i++)
            weights[i] = 1;
        all.joints = arena_must_alloc(fbx->arena, all.point_count, sizeof *all.joints);
        all.weights = weights;
        all.influence_count = 1;
    }
    if (all.morph_count && !node->mesh)
        fill_weights(scene, node, mesh);
    else
        all.morph_count = 0;
    const struct fbx_links materials = fbx_links_of(fbx, node->object, FBX_MATERIAL);
    if (scene->rig->surface_count + mesh->part_count > MOST_SURFACES)
        fbx_fail(fbx, "more than %d surfaces", MOST_SURFACES);
    for (uint32_t i = 0; i < mesh->part_count && !fbx->has_failed; i++) {
        const struct fbx_part *part = &mesh->parts[i];
        struct rig_surface *surface =
            MUST_ADD(scene->surfaces, scene->rig->surface_count, scene->surface_capacity);
        const struct model_material **own = arena_must_alloc(fbx->arena, 1, sizeof *own);
        *own = fbx_read_material(
            fbx, part->material < materials.count ? materials.items[part->material].object : FBX_ROOT,
            node->object);
        *surface = all;
        surface->material = (struct surface_material){.kind = MATERIAL_OWN, .name = (*own)->name, .own = own};
        surface->indices = part->indices;
        surface->index_count = part->index_count;
    }
}

static void add_geometry(struct scene *scene, uint32_t n, uint32_t geometry)
{
    struct fbx *fbx = scene->fbx;
    const struct fbx_object *object = &fbx->objects[geometry];
    const struct fbx_mesh **mesh = &scene->meshes[geometry];
    if (!*mesh && fbx_child(object->node, "Points") && !fbx_child(object->node, "Vertices"))
        fbx_note(fbx, true, "curved surfaces (NURBS, patches) and lines are left out: save polygons",
                 object->name);
    if (!*mesh)
        *mesh = fbx_read_mesh(fbx, geometry);
    if (*mesh && (*mesh)->part_count > 0)
        add_surfaces(scene, n, *mesh);
}

static void read_surfaces(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    struct rig *rig = scene->rig;
    scene->meshes = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *scene->meshes);
    for (uint32_t n = 0; n < scene->node_count && !fbx->has_failed; n++) {
        const uint32_t model = scene->nodes[n].object;
        const struct fbx_links links = fbx_links_of(fbx, model, FBX_GEOMETRY);
        if (fbx_child(fbx->objects[model].node, "Vertices") || fbx_child(fbx->objects[model].node, "Points"))
            add_geometry(scene, n, model);
        for (uint32_t i = 0; i < links.count && !fbx->has_failed; i++)
            add_geometry(scene, n, links.items[i].object);
    }
    rig->surfaces = arena_copy(fbx->arena, scene->surfaces, rig->surface_count, sizeof *rig->surfaces);
    rig->skins = arena_copy(fbx->arena, scene->skins, rig->skin_count, sizeof *rig->skins);
    free(scene->surfaces);
    free(scene->skins);
}

/* Whether a constraint moves a node that has no curves of its own in any take. */
static bool moves_alone(const struct scene *scene, uint32_t constraint)
{
    const struct fbx_links links = fbx_links_of(scene->fbx, constraint, FBX_MODEL);
    bool has_target = false, has_curves = false;
    for (uint32_t i = 0; i < links.count; i++) {
        const struct fbx_link *link = &links.items[i];
        if (!fbx_is(link->property, "First Joint") && !bytes_start_with(link->property, "Constrained"))
            continue;
        has_target = true;
        for (uint32_t t = 0; t < scene->take_count; t++)
            for (int v = TRANSLATION; v <= SCALING; v++)
                has_curves |= fbx_channels_of(&scene->takes[t], link->object, vector_names[v]).count > 0;
    }
    return has_target && !has_curves && scene->take_count > 0;
}

static void note_left_out(const struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    for (uint32_t i = 0; i < fbx->object_count; i++) {
        if (fbx->objects[i].kind == FBX_CACHE && !fbx->options->is_for_clips)
            fbx_note(fbx, true, "caches of moving points are left out: save shapes or joints",
                     fbx->objects[i].name);
        if (fbx->objects[i].kind == FBX_CONSTRAINT && moves_alone(scene, i))
            fbx_note(fbx, true, "constraints that move what no curve moves are left out: bake them",
                     fbx->objects[i].name);
        else if (fbx->objects[i].kind == FBX_CONSTRAINT)
            fbx_note(fbx, false, "constraints are left out", fbx->objects[i].name);
    }
}

/* -- Tracks ---------------------------------------------------------------------------------------------------------- */

/* What is sampled: one of the vectors of a node that stands at no more than T * Rpre * R * Rpost^-1 * S (TRANSLATION, ROTATION,
 * SCALING), or its whole transform. */
enum { TRANSFORM = SCALING + 1, WEIGHTS, VISIBILITY, TARGETS };

/* Places in the numbers of a struct transform. */
enum { TURN = 3, SIZE = 7, TRANSFORM_WIDTH = 10 };

/* A sample is a row: its time, then `width` numbers, then as many slopes before it, and as many after it. Between two samples
 * each number is a cubic. */
struct sampler {
    struct scene *scene;
    const struct node *node;
    uint32_t width;
    int target;
    bool may_jump; /* at a key */
    bool is_plain; /* numbers are those of curves, whose slopes are known, and cubics between keys */
    double longest_move;
    double *times_s; /* malloc'd, as the next */
    float *values;   /* as rig_track has them with RIG_CUBIC */
    size_t count, capacity, value_capacity;
};

/* How far a number may be from what it is taken for. */
static double most_lost(const struct sampler *sampler, uint32_t i, double number)
{
    const int target = sampler->target;
    if (target == TRANSLATION || (target == TRANSFORM && i < TURN))
        return fmax(LOST * sampler->longest_move, LOST_OF_ALL * sampler->scene->longest_move) + 1e-12;
    if (target == SCALING || (target == TRANSFORM && i >= SIZE))
        return LOST * fmax(1, fabs(number));
    return target == ROTATION ? LOST * 360 / M_PI : LOST;
}

static bool differ(const struct sampler *sampler, const double *a, const double *b)
{
    for (uint32_t i = 0; i < sampler->width; i++)
        if (fabs(a[i] - b[i]) > most_lost(sampler, i, a[i]))
            return true;
    return false;
}

/* `slopes` may be NULL, and else are filled in for vectors: see fbx_values_at. */
static void find_numbers(const struct sampler *sampler, double time_s, double *out, double slopes[2][3])
{
    const struct scene *scene = sampler->scene;
    const struct node *node = sampler->node;
    const int target = sampler->target;
    if (target == TRANSFORM) {
        const struct transform local = place_at(scene, node, time_s);
        memcpy(out, &local, sizeof local);
    } else if (target == VISIBILITY) {
        double value[3] = {1};
        move_property(scene, VECTORS, fbx_channels_of(scene->take, node->object, "Visibility"), time_s, value,
                      NULL);
        out[0] = value[0] != 0;
    } else if (target == WEIGHTS) {
        find_weights(scene, node->mesh, time_s, out);
    } else {
        memcpy(out, node->vectors[target], sizeof node->vectors[target]);
        move_property(scene, target, node->moved[target], time_s, out, slopes);
        for (int i = 0; i < 3 && target == TRANSLATION; i++)
            out[i] += node->vectors[TURN_OFFSET][i];
    }
}

/* Turns have two signs: `parts` of numbers get the one that is nearer to the last sample. */
static void align(const struct sampler *sampler, const double *last, double *numbers, uint32_t parts)
{
    double along = 0;
    for (uint32_t i = TURN; i < SIZE && sampler->target == TRANSFORM; i++)
        along += last[i] * numbers[i];
    for (uint32_t i = 0; i < parts && along < 0; i++)
        for (uint32_t k = i * sampler->width + TURN; k < i * sampler->width + SIZE; k++)
            numbers[k] = -numbers[k];
}

/* Fills in a row, with the sign of the row before. What is not plain has the slopes to right before and right after. */
static void fill_row(const struct sampler *sampler, double time_s, const double *before, double *row)
{
    static const double STEP_S = 1e-6;
    double *numbers = row + 1, *slopes = numbers + sampler->width;
    *row = time_s;
    find_numbers(sampler, time_s, numbers, sampler->is_plain ? (double(*)[3])slopes : NULL);
    for (int side = 0; side < 2 && !sampler->is_plain; side++, slopes += sampler->width) {
        const double step_s = side ? STEP_S : -STEP_S;
        find_numbers(sampler, time_s + step_s, slopes, NULL);
        align(sampler, numbers, slopes, 1);
        for (uint32_t i = 0; i < sampler->width; i++)
            slopes[i] = sampler->target == VISIBILITY ? 0 : (slopes[i] - numbers[i]) / step_s;
    }
    align(sampler, before + 1, numbers, 3);
}

/* Keeps a row; slopes towards a jump are 0. */
static void add_sample(struct sampler *sampler, double time_s, const double *row, bool has_before, bool has_after)
{
    const uint32_t width = sampler->width;
    const double *parts[] = {has_before ? row + 1 + width : NULL, row + 1, has_after ? row + 1 + 2 * width : NULL};
    size_t ignored = sampler->capacity;
    sampler->values =
        must_grow(sampler->values, sampler->count, &ignored, 3 * (size_t)width * sizeof *sampler->values);
    float *out = sampler->values + sampler->count * 3 * width;
    *MUST_ADD(sampler->times_s, sampler->count, sampler->capacity) = time_s;
    for (int part = 0; part < 3; part++, out += width)
        for (uint32_t i = 0; i < width; i++)
            out[i] = parts[part] && fabs(parts[part][i]) < MODEL_LARGEST_NUMBER ? (float)parts[part][i] : 0;
    for (uint32_t i = 0; i < 3 && (sampler->target == TRANSFORM || sampler->target == TRANSLATION); i++)
        if (fabs(row[1 + i]) > sampler->longest_move)
            sampler->longest_move = fabs(row[1 + i]);
    sampler->scene->sample_count++;
}

/* What the rig makes of two rows. */
static void blend(const struct sampler *sampler, const double *a, const double *b, double part, double *out)
{
    const uint32_t width = sampler->width;
    const double along = part * part * (3 - 2 * part), span_s = *b - *a;
    const double leaving_s = span_s * part * (1 - part) * (1 - part),
                 arriving_s = span_s * part * part * (part - 1);
    for (uint32_t i = 0; i < width; i++)
        out[i] = (1 - along) * a[1 + i] + leaving_s * a[1 + 2 * width + i] + arriving_s * b[1 + width + i] +
                 along * b[1 + i];
    if (sampler->target == TRANSFORM)
        quaternion_normalise(out + TURN);
}

/* `buffer` has room for two rows of numbers. */
static bool is_right_between(const struct sampler *sampler, const double *a, const double *b, double *buffer)
{
    double *seen = buffer, *guess = buffer + sampler->width;
    for (int i = 1; i < 4; i++) {
        find_numbers(sampler, *a + (*b - *a) * i / 4, seen, NULL);
        blend(sampler, a, b, i / 4.0, guess);
        align(sampler, guess, seen, 1);
        if (differ(sampler, seen, guess))
            return false;
    }
    return true;
}

/* Adds samples between two rows, where the way between these is another than the rig makes of them. */
static void fill_between(struct sampler *sampler, const double *a, const double *b, double *buffer, int depth)
{
    if (depth == MOST_HALVINGS || is_right_between(sampler, a, b, buffer) ||
        sampler->scene->sample_count > MOST_SAMPLES)
        return;
    double *middle = buffer;
    buffer += 1 + 3 * (size_t)sampler->width;
    fill_row(sampler, (*a + *b) / 2, a, middle);
    fill_between(sampler, a, middle, buffer, depth + 1);
    add_sample(sampler, *middle, middle, true, true);
    fill_between(sampler, middle, b, buffer, depth + 1);
}

/* Values jump at keys of steps: right before one, or right after. */
static void sample_all(struct sampler *sampler, const double *times_s, size_t count)
{
    static const double BESIDE_S = 1e-7;
    const size_t stride = 1 + 3 * (size_t)sampler->width;
    double *buffer = must_alloc((4 + MOST_HALVINGS + 1) * stride, sizeof *buffer), *now = buffer,
           *last = now + stride;
    double *before = sampler->may_jump ? now + 2 * stride : now,
           *after = sampler->may_jump ? now + 3 * stride : now;
    for (size_t i = 0; i < count; i++) {
        bool comes = false, goes = false;
        fill_row(sampler, times_s[i], i > 0 ? last : now, now);
        if (sampler->may_jump) {
            fill_row(sampler, times_s[i] - BESIDE_S, now, before);
            fill_row(sampler, times_s[i] + BESIDE_S, now, after);
            comes = i > 0 && differ(sampler, before + 1, now + 1);
            goes = i + 1 < count && differ(sampler, after + 1, now + 1);
        }
        if (i > 0 && !sampler->is_plain)
            fill_between(sampler, last, before, buffer + 4 * stride, 0);
        if (comes)
            add_sample(sampler, nextafterf((float)times_s[i], -INFINITY), before, true, false);
        add_sample(sampler, times_s[i], now, !comes, !goes);
        if (goes)
            add_sample(sampler, nextafterf((float)times_s[i], INFINITY), after, false, true);
        memcpy(last, after, stride * sizeof *last);
    }
    free(buffer);
}

/* A track of some of the numbers: with one key where they stay the same, and without slopes where their ways are straight. */
static struct rig_track make_track(const struct sampler *sampler, const float *times_s, struct rig_track track,
                                   uint32_t first)
{
    const size_t all = sampler->width, count = sampler->count, width = track.width;
    bool is_still = true, is_straight = true;
    for (uint32_t k = first; k < first + track.width; k++) {
        const float *in = sampler->values + k, *at = in + all, *out = at + all;
        const double most = most_lost(sampler, k, (double)*at), still = most / 20;
        for (size_t i = 1; i < count && (is_still || is_straight); i++) {
            const size_t to = i * 3 * all, from = to - 3 * all;
            const double span_s = sampler->times_s[i] - sampler->times_s[i - 1];
            const double way = (double)at[to] - (double)at[from],
                         bend = fabs((double)out[from] * span_s - way) + fabs((double)in[to] * span_s - way);
            is_still &= fabs((double)at[to] - (double)*at) < still;
            is_straight &= bend < most || span_s < 1e-5;
        }
    }
    is_straight |= is_still || track.target == RIG_VISIBILITY;
    const uint32_t parts = is_straight ? 1 : 3;
    track.times_s = times_s;
    track.key_count = is_still ? 1 : (uint32_t)count;
    track.interpolation = is_straight ? RIG_LINEAR : RIG_CUBIC;
    float *values = arena_must_alloc(sampler->scene->fbx->arena, track.key_count, parts * width * sizeof *values);
    track.values = values;
    for (size_t i = 0; i < track.key_count; i++)
        for (size_t part = 0; part < parts; part++, values += width)
            memcpy(values, sampler->values + (3 * i + (is_straight ? 1 : part)) * all + first,
                   width * sizeof *values);
    return track;
}

/* Sorts them, with the begin and the end of the take, and keeps those that differ. */
static void sort_times(const struct fbx_take *take, struct fbx_times *times)
{
    size_t kept = 0;
    *MUST_ADD(times->items, times->count, times->capacity) = take->begin_s;
    *MUST_ADD(times->items, times->count, times->capacity) = take->end_s;
    SORT(times->items, times->count, doubles_compare);
    for (size_t i = 0; i < times->count; i++) {
        const double step_s = kept ? times->items[i] - times->items[kept - 1] : INFINITY;
        times->are_near |= step_s > 0 && step_s <= 1e-5 && times->items[i] < take->end_s;
        if (step_s > 1e-5)
            times->items[kept++] = times->items[i];
    }
    times->count = kept;
}

/* Adds the times of the keys that move one thing of a node: also those of the sizes that it does not take from above. */
static void add_node_times(const struct scene *scene, const struct node *node, int target, struct fbx_times *times)
{
    for (int i = 0; i < VECTORS && target <= TRANSFORM; i++)
        if (target == TRANSFORM || i == target)
            fbx_add_times(scene->take, node->moved[i], times);
    for (const struct node *at = node; target == TRANSFORM && at->inherit != RSRS;) {
        at = &scene->nodes[at->parent];
        fbx_add_times(scene->take, at->moved[SCALING], times);
    }
    if (target == VISIBILITY)
        fbx_add_times(scene->take, fbx_channels_of(scene->take, node->object, "Visibility"), times);
    for (uint32_t i = 0; target == WEIGHTS && node->mesh && i < node->mesh->all.morph_count; i++) {
        const struct fbx_shape *shape = &node->mesh->shapes[i];
        fbx_add_times(scene->take, fbx_channels_of(scene->take, shape->channel, shape->property), times);
    }
}

/* Whether no more moves than the three vectors of T * Rpre * R * Rpost^-1 * S, in no layers that turn. */
static bool is_simple(const struct node *node)
{
    const struct fbx_channels turns = node->moved[ROTATION];
    bool is_simple = node->inherit == RSRS && (turns.count == 0 || (turns.count == 1 && turns.items->layer == 0));
    for (int i = PRE; i < VECTORS; i++) {
        const double *rest = node->vectors[i];
        is_simple &= node->moved[i].count == 0 && (i < TURN_PIVOT || !(rest[0] || rest[1] || rest[2]));
    }
    return is_simple;
}

/* Adds the tracks of one thing of a node, at most three. */
static void add_tracks(struct scene *scene, const struct node *node, int target, struct rig_animation *out)
{
    struct fbx *fbx = scene->fbx;
    struct rig_track *tracks = (struct rig_track *)out->tracks;
    struct fbx_times times = {0};
    struct sampler sampler = {.scene = scene, .node = node, .target = target};
    if (target <= TRANSFORM && is_simple(node) == (target == TRANSFORM))
        return;
    add_node_times(scene, node, target, &times);
    if (target < TRANSFORM && node->moved[target].count &&
        !times.is_moved) /* it has a value where others have curves */
        add_node_times(scene, node, TRANSFORM, &times);
    if (!times.is_moved)
        return;
    sort_times(scene->take, &times);
    sampler.may_jump = times.may_jump;
    sampler.is_plain = target < TRANSFORM && !times.may_jump && !times.has_weights && !times.are_near;
    sampler.width = target < TRANSFORM     ? 3
                    : target == TRANSFORM  ? TRANSFORM_WIDTH
                    : target == VISIBILITY ? 1
                                           : node->mesh->all.morph_count;
    sample_all(&sampler, times.items, times.count);
    float *times_s = arena_must_alloc(fbx->arena, sampler.count, sizeof *times_s);
    for (size_t i = 0; i < sampler.count; i++) {
        times_s[i] = (float)(sampler.times_s[i] - scene->take->begin_s);
        if (i > 0 && !(times_s[i] > times_s[i - 1]))
            times_s[i] = nextafterf(times_s[i - 1], INFINITY);
    }
    struct rig_track rows[] = {{node->frame, RIG_TRANSLATION, .width = 3},
                               {node->frame, RIG_ROTATION, .width = 4},
                               {node->sized, RIG_SCALE, .width = 3},
                               [WEIGHTS] = {node->sized, RIG_WEIGHTS, .width = sampler.width},
                               {node->frame, RIG_VISIBILITY, .width = 1}};
    if (target == ROTATION) {
        rows[ROTATION].width = 3;
        rows[ROTATION].angles = arena_copy(fbx->arena, &node->angles, 1, sizeof node->angles);
    }
    const int first = target == TRANSFORM ? 0 : target, past = target == TRANSFORM ? TRANSFORM : first + 1;
    uint32_t at = 0;
    for (int i = first; i < past; at += rows[i++].width)
        tracks[out->track_count++] = make_track(&sampler, times_s, rows[i], at);
    scene->rig->morph_track_count += target == WEIGHTS;
    free(times.items);
    free(sampler.times_s);
    free(sampler.values);
}

/* The keyframes of a clip are the keys of its curves. */
static void find_keyframes(struct scene *scene, struct rig_animation *out)
{
    struct fbx_times times = {.takes_still = true};
    for (uint32_t n = 0; n < scene->node_count; n++)
        for (int target = TRANSFORM; target <= VISIBILITY; target++)
            add_node_times(scene, &scene->nodes[n], target, &times);
    sort_times(scene->take, &times);
    for (size_t i = 0; i < times.count; i++)
        times.items[i] -= scene->take->begin_s;
    out->keyframes_s = arena_copy(scene->fbx->arena, times.items, times.count, sizeof *times.items);
    out->keyframe_count = (uint32_t)times.count;
    free(times.items);
}

static void read_animations(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    struct rig *rig = scene->rig;
    struct rig_animation *animations = arena_must_alloc(fbx->arena, scene->take_count, sizeof *animations);
    rig->animations = animations;
    for (uint32_t t = 0; t < scene->take_count && !fbx->has_failed; t++) {
        struct rig_animation *out = &animations[rig->animation_count];
        *out = (struct rig_animation){.name = scene->takes[t].name};
        out->tracks = arena_must_alloc(fbx->arena, 5 * (size_t)scene->node_count, sizeof *out->tracks);
        play(scene, &scene->takes[t]);
        scene->sample_count = 0;
        for (uint32_t n = 0; n < scene->node_count && !fbx->has_failed; n++) {
            for (int target = 0; target < TARGETS; target++)
                add_tracks(scene, &scene->nodes[n], target, out);
            if (scene->sample_count > 4 * (size_t)MOST_SAMPLES)
                fbx_fail(fbx, "take '%s' has more than %d keys of nodes", out->name, 4 * MOST_SAMPLES);
        }
        if (scene->sample_count > MOST_SAMPLES)
            fbx_note(fbx, true, "takes have more samples than are read: they play less smoothly", out->name);
        if (out->track_count > 0)
            find_keyframes(scene, out);
        rig->animation_count += out->track_count > 0;
    }
}

/* -- The format ------------------------------------------------------------------------------------------------------- */

/* An axis of the file, 0 to 2, or -1. */
static int read_axis(const struct fbx *fbx, const struct fbx_object *settings, const char *name)
{
    const double axis = fbx_property_number(fbx, settings, name, -1);
    return axis >= 0 && axis < 3 ? (int)axis : -1;
}

/* Files say which axes are up and to the front, and how many centimetres their unit has. */
static void find_space(const struct fbx *fbx, double to_model[16])
{
    const struct fbx_object settings = fbx_find_properties(fbx, fbx->root, "GlobalSettings");
    const int up = read_axis(fbx, &settings, "UpAxis"), front = read_axis(fbx, &settings, "FrontAxis");
    memcpy(to_model, rig_y_up_z_forward, 16 * sizeof *to_model);
    if (up >= 0 && front >= 0 && up != front) {
        const double up_sign = fbx_property_number(fbx, &settings, "UpAxisSign", 1) < 0 ? -1 : 1;
        const double front_sign = fbx_property_number(fbx, &settings, "FrontAxisSign", 1) < 0 ? -1 : 1;
        const int left = 3 - up - front, left_sign = (up + 1) % 3 == front ? 1 : -1; /* up cross front */
        memset(to_model, 0, 16 * sizeof *to_model);
        to_model[front * 4] = front_sign;
        to_model[left * 4 + 1] = left_sign * up_sign * front_sign;
        to_model[up * 4 + 2] = up_sign;
        to_model[15] = 1;
    }
    const double unit = fbx_property_number(fbx, &settings, "UnitScaleFactor", 1);
    for (int i = 0; i < 12; i++)
        to_model[i] *= (unit > 1e-6 && unit < 1e6 ? unit : 1) / 100;
}

static void tell_notes(const struct fbx *fbx)
{
    for (size_t i = 0; i < fbx->note_count; i++) {
        const struct fbx_note *note = &fbx->notes[i];
        struct strings *out = note->is_warning ? &fbx->model->warnings : &fbx->model->oddities;
        if (*note->first)
            strings_printf(out, "%s: %u, such as '%s'", note->text, note->count, note->first);
        else
            strings_printf(out, "%s: %u", note->text, note->count);
    }
}

static int read_scene(struct fbx *fbx, struct rig *rig)
{
    struct scene scene = {.fbx = fbx, .rig = rig};
    find_space(fbx, rig->to_model);
    if (read_nodes(&scene) < 0)
        return -1;
    scene.takes = fbx_read_takes(fbx, &scene.take_count);
    if (!scene.takes)
        return -1;
    find_splits(&scene);
    if (fbx->has_failed)
        return -1;
    add_rig_nodes(&scene);
    if (!fbx->options->is_for_clips)
        read_surfaces(&scene);
    read_animations(&scene);
    note_left_out(&scene);
    rig->may_lack_triangles =
        fbx->options->is_for_clips || (fbx->options->takes_clips_alone && rig->animation_count > 0);
    return fbx->has_failed ? -1 : 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    SCOPED_BY(fbx_close)
    struct fbx fbx = {.err = err, .options = options, .model = model, .arena = &model->arena};
    struct rig rig = {0};
    if (fbx_open(&fbx, bytes) < 0 || read_scene(&fbx, &rig) < 0 || rig_build(model, &rig, err) < 0)
        return -1;
    tell_notes(&fbx);
    return 0;
}

const struct model_format fbx_format = {
    .name = "FBX",
    .suffixes = (const struct model_suffix[]){{.text = ".fbx"}, {0}},
    .reads =
        "6.0 to 7.7, binary and ASCII: nodes, skins, blend shapes, takes with layers, materials, pictures in it",
    .matches = fbx_matches,
    .load = load,
    .pictures = &fbx_pictures,
};
