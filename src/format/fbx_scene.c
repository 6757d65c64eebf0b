/* FBX, the scene: nodes with their meshes, what moves them, the format.
 *
 * A node stands at T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1 on its parent: moves, turns and
 * sizes, with offsets and pivots. That is one transform of a rig. A node may not want its parent's size: along its own axes
 * it is as large as its parent (RrSs), or its parent's own size does not count (Rrs). Then its parent becomes two nodes, of
 * which the second one has the size alone, and it hangs on the first, its place multiplied by the size. */
#include "format/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"

enum {
    TRANSLATION,
    ROTATION,
    SCALING,
    PRE,
    POST,
    ROTATION_OFFSET,
    ROTATION_PIVOT,
    SCALING_OFFSET,
    SCALING_PIVOT,
    VECTORS
};

static const char *const vector_names[VECTORS] = {
    "Lcl Translation", "Lcl Rotation",  "Lcl Scaling",   "PreRotation",  "PostRotation",
    "RotationOffset",  "RotationPivot", "ScalingOffset", "ScalingPivot",
};

enum inherit { RRSS, RSRS, RRS };

enum {
    MOST_SURFACES = 65536,  /* each is drawn on its own */
    MOST_SAMPLES = 1 << 22, /* of a take */
    MOST_HALVINGS = 12,     /* between two keys */
    TRANSFORM_WIDTH = 10,   /* place, turn, size */
    NO_NODE = -1,
};

/* What may be lost between two samples: of a turn in radians, and parts of sizes, weights and the longest move. */
static const double LOST = 2e-5, LOST_OF_ALL = 1e-6;

struct node {
    uint32_t object;
    int32_t parent;
    uint32_t top; /* node above it that has no parent, or itself */
    double vectors[VECTORS][3];
    int order;            /* of the axes of its turn */
    bool has_turned_axes; /* PreRotation and PostRotation count, and the order */
    enum inherit inherit;
    bool has_size, is_uneven, is_split; /* at any time: not 1; not equal along its axes; two nodes of the rig */
    uint32_t frame, sized;              /* of the rig; the second one with the size */
    double size[3];                     /* at rest, with that of its parent where it takes that by axis */
    const struct fbx_mesh *mesh;        /* with shapes, or NULL */
};

struct scene {
    struct fbx *fbx;
    struct rig *rig;
    struct node *nodes;
    uint32_t node_count;
    uint32_t *numbers; /* 1 + the node, by object; or 0 */
    const struct fbx_take *takes;
    uint32_t take_count;
    const struct fbx_mesh **meshes; /* by object */
    struct rig_node *rig_nodes;
    struct rig_surface *surfaces;
    struct rig_skin *skins;
    double longest_move;
    size_t sample_count;
};

/* -- Turns ------------------------------------------------------------------------------------------------------ */

/* First about the one axis, then about the next. */
static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};

static void turn_of(const double degrees[3], int order, double out[4])
{
    double turn[4] = {0, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        const int axis = orders[order][i];
        const double half = degrees[axis] * M_PI / 360;
        double one[4] = {0, 0, 0, cos(half)};
        one[axis] = sin(half);
        quaternion_multiply(one, turn, turn);
    }
    memcpy(out, turn, sizeof turn);
}

static void degrees_of(const double turn[4], int order, double out[3])
{
    const int i = orders[order][0], j = orders[order][1], k = orders[order][2];
    const double sign = (i + 1) % 3 == j ? 1 : -1;
    struct transform transform = {.rotation = {turn[0], turn[1], turn[2], turn[3]}, .scale = {1, 1, 1}};
    double columns[3][3];
    quaternion_normalise(transform.rotation);
    transform_columns(&transform, columns);
    out[i] = atan2(sign * columns[j][k], columns[k][k]) * 180 / M_PI;
    out[j] = asin(fmax(-1, fmin(-sign * columns[i][k], 1))) * 180 / M_PI;
    out[k] = atan2(sign * columns[i][j], columns[i][i]) * 180 / M_PI;
}

static void turn_vector(const double turn[4], const double v[3], double out[3])
{
    double cross[3], twice[3];
    dvec_cross(turn, v, cross);
    for (int i = 0; i < 3; i++)
        cross[i] += turn[3] * v[i];
    dvec_cross(turn, cross, twice);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2 * twice[i];
}

/* -- A node at a time --------------------------------------------------------------------------------------------- */

/* Of the axes of its turn. */
static int order_of(const struct node *node)
{
    return node->has_turned_axes ? node->order : 0;
}

static int vector_of(const char *property)
{
    int i = 0;
    while (i < VECTORS && strcmp(property, vector_names[i]) != 0)
        i++;
    return i;
}

static struct transform stand(const struct node *node, double vectors[VECTORS][3])
{
    struct transform out;
    double pre[4], post[4], own[4], shift[3];
    turn_of(vectors[ROTATION], order_of(node), own);
    if (node->has_turned_axes) {
        turn_of(vectors[PRE], 0, pre);
        turn_of(vectors[POST], 0, post);
        quaternion_invert(post, post);
        quaternion_multiply(pre, own, own);
        quaternion_multiply(own, post, own);
    }
    quaternion_normalise(own);
    memcpy(out.rotation, own, sizeof own);
    memcpy(out.scale, vectors[SCALING], sizeof out.scale);
    for (int i = 0; i < 3; i++)
        shift[i] = -vectors[ROTATION_PIVOT][i] + vectors[SCALING_OFFSET][i] +
                   vectors[SCALING_PIVOT][i] * (1 - vectors[SCALING][i]);
    turn_vector(own, shift, shift);
    for (int i = 0; i < 3; i++) {
        const double place =
            vectors[TRANSLATION][i] + vectors[ROTATION_OFFSET][i] + vectors[ROTATION_PIVOT][i] + shift[i];
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
        turn_of(out, 0, below);
        turn_of(value, 0, above);
        if (layer->blend == FBX_BLEND)
            quaternion_blend(below, above, weight);
        else
            quaternion_blend(own, above, weight);
        quaternion_multiply(below, own, below);
        degrees_of(below, 0, out);
    } else {
        for (int i = 0; i < 3; i++)
            out[i] = vector == SCALING && !layer->adds_sizes ? power_of(out[i], kept) * power_of(value[i], weight)
                                                             : out[i] * kept + value[i] * weight;
    }
}

static struct transform stand_at(const struct node *node, const struct fbx_take *take, double time_s)
{
    double vectors[VECTORS][3];
    uint32_t count = 0;
    memcpy(vectors, node->vectors, sizeof vectors);
    const struct fbx_channel *channels = take ? fbx_channels_of(take, node->object, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const int vector = vector_of(channels[i].property);
        const struct fbx_layer *layer = &take->layers[channels[i].layer];
        double value[3];
        if (vector == VECTORS)
            continue;
        fbx_values_at(&channels[i], time_s, value);
        if (channels[i].layer == 0)
            memcpy(vectors[vector], value, sizeof value);
        else
            blend_layer(layer, vector, fbx_layer_weight(layer, time_s), value, vectors[vector]);
    }
    return stand(node, vectors);
}

/* Whether the take has anything to say of the node's size. */
static bool moves_size(const struct node *node, const struct fbx_take *take)
{
    uint32_t count;
    const struct fbx_channel *channels = fbx_channels_of(take, node->object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(channels[i].property, vector_names[SCALING]))
            return true;
    return false;
}

/* What it takes from above, for itself; and with that its own. */
static void find_size(const struct scene *scene, int32_t n, bool is_with_own, const struct fbx_take *take,
                      double time_s, double out[3])
{
    const struct node *node = &scene->nodes[n];
    for (int i = 0; i < 3; i++)
        out[i] = 1;
    if (node->inherit != RSRS)
        find_size(scene, node->parent, node->inherit == RRSS, take, time_s, out);
    if (is_with_own) {
        const struct transform own = stand_at(node, take && moves_size(node, take) ? take : NULL, time_s);
        for (int i = 0; i < 3; i++)
            out[i] *= own.scale[i];
    }
}

/* As the rig has it: where it does not want its parent's size, its place is multiplied by that. */
static struct transform place_at(const struct scene *scene, uint32_t n, const struct fbx_take *take, double time_s)
{
    const struct node *node = &scene->nodes[n];
    struct transform local = stand_at(node, take, time_s);
    double above[3], taken[3];
    if (node->inherit == RSRS)
        return local;
    find_size(scene, node->parent, true, take, time_s, above);
    find_size(scene, (int32_t)n, false, take, time_s, taken);
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
    for (int i = 0; i < VECTORS; i++) {
        fbx_property_vector(fbx, from, vector_names[i], node->vectors[i]);
        for (int k = 0; k < 3; k++)
            if (!(fabs(node->vectors[i][k]) < MODEL_LARGEST_NUMBER))
                node->vectors[i][k] = i == SCALING;
    }
    const double order = fbx_property_number(fbx, from, "RotationOrder", 0);
    node->order = order > 0 && order < 6 ? (int)order : 0;
    node->has_turned_axes = fbx_property_number(fbx, from, "RotationActive", 1) != 0 &&
                            fbx_property_number(fbx, from, "RotationSpaceForLimitOnly", 0) == 0;
    const double inherit = fbx_property_number(fbx, from, "InheritType", RSRS);
    node->inherit = parent < 0 || (inherit != RRSS && inherit != RRS) ? RSRS : (enum inherit)inherit;
    scene->numbers[object] = scene->node_count;
}

static bool is_carried_by_model(const struct fbx *fbx, uint32_t object)
{
    uint32_t count;
    const struct fbx_link *links = fbx_carriers(fbx, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (links[i].to != FBX_ROOT && fbx->objects[links[i].to].kind == FBX_MODEL && links[i].property.size == 0)
            return true;
    return false;
}

/* The models that an object carries, so that they come off the stack in the order of the file. */
static void push_carried(const struct scene *scene, uint32_t object, uint32_t (*stack)[2], size_t *depth,
                         uint32_t parent)
{
    uint32_t count;
    const struct fbx_link *links = fbx_carried(scene->fbx, object, &count);
    while (count-- > 0)
        if (scene->fbx->objects[links[count].from].kind == FBX_MODEL && links[count].property.size == 0) {
            stack[*depth][0] = links[count].from;
            stack[(*depth)++][1] = parent;
        }
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
    for (uint32_t i = fbx->object_count; i-- > 0;)
        if (fbx->objects[i].kind == FBX_MODEL) {
            model_count++;
            if (!is_carried_by_model(fbx, i)) {
                stack[depth][0] = i;
                stack[depth++][1] = 0;
            }
        }
    while (depth > 0) {
        const uint32_t object = stack[--depth][0], parent = stack[depth][1];
        if (scene->numbers[object])
            continue;
        read_node(scene, object, (int32_t)parent - 1);
        push_carried(scene, object, stack, &depth, scene->node_count);
    }
    return scene->node_count < model_count ? fbx_fail(fbx, "nodes hang on each other in a circle") : 0;
}

/* Looks at the sizes of a node at rest and in all takes. */
static void find_sizes(const struct scene *scene, struct node *node)
{
    enum { LOOKS = 8 };
    for (uint32_t t = 0; t <= scene->take_count; t++) {
        const struct fbx_take *take = t < scene->take_count ? &scene->takes[t] : NULL;
        const int looks = !take ? 1 : moves_size(node, take) ? LOOKS : 0;
        for (int i = 0; i < looks; i++) {
            const double part = looks > 1 ? i / (LOOKS - 1.0) : 0;
            const struct transform at =
                stand_at(node, take, take ? take->begin_s + part * (take->end_s - take->begin_s) : 0);
            for (int k = 0; k < 3; k++) {
                node->has_size |= fabs(at.scale[k] - 1) > 1e-6;
                node->is_uneven |= fabs(at.scale[k] - at.scale[0]) > 1e-6 * fabs(at.scale[0]);
            }
        }
    }
}

/* Where sizes are even, RrSs is the same as RSrs, and where they are 1, so is Rrs. */
static void find_splits(struct scene *scene)
{
    for (uint32_t n = 0; n < scene->node_count; n++) {
        struct node *node = &scene->nodes[n], *parent = node->parent < 0 ? NULL : &scene->nodes[node->parent];
        find_sizes(scene, node);
        if (parent &&
            ((node->inherit == RRSS && !parent->is_uneven) || (node->inherit == RRS && !parent->has_size)))
            node->inherit = RSRS;
        if (node->inherit == RSRS)
            continue;
        parent->is_split = true;
        node->has_size = node->is_uneven = true; /* it may take some from above */
    }
}

/* What a level-of-detail group carries after the first. */
static bool is_lower_detail(const struct scene *scene, uint32_t n)
{
    const struct fbx *fbx = scene->fbx;
    const struct node *node = &scene->nodes[n];
    uint32_t count;
    bool is_group = false;
    if (node->parent < 0)
        return false;
    const uint32_t group = scene->nodes[node->parent].object;
    const struct fbx_link *links = fbx_carried(fbx, group, &count);
    for (uint32_t i = 0; i < count; i++)
        is_group |= fbx->objects[links[i].from].kind == FBX_ATTRIBUTE &&
                    fbx_is(fbx->objects[links[i].from].sub, "LodGroup");
    for (uint32_t i = 0; i < count && is_group; i++)
        if (fbx->objects[links[i].from].kind == FBX_MODEL)
            return links[i].from != node->object;
    return false;
}

static void add_rig_nodes(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    scene->rig_nodes = arena_must_alloc(fbx->arena, 2 * (size_t)scene->node_count, sizeof *scene->rig_nodes);
    for (uint32_t n = 0; n < scene->node_count; n++) {
        struct node *node = &scene->nodes[n];
        const struct fbx_object *object = &fbx->objects[node->object];
        const struct node *parent = node->parent < 0 ? NULL : &scene->nodes[node->parent];
        const struct transform local = place_at(scene, n, NULL, 0);
        node->frame = node->sized = scene->rig->node_count;
        struct rig_node *out = &scene->rig_nodes[scene->rig->node_count++];
        *out = (struct rig_node){
            .name = object->name, .parent = NO_NODE, .local = local, .is_hidden = is_lower_detail(scene, n)};
        out->is_hidden |= fbx_property_number(fbx, object, "Visibility", 1) == 0;
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

/* Where a node's geometry alone is moved, turned and sized, which is 3ds Max' pivot. False: it is not. */
static bool read_geometric(const struct fbx *fbx, const struct fbx_object *model, struct transform *out)
{
    double degrees[3] = {0}, *move = out->translation;
    *out = (struct transform){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    fbx_property_vector(fbx, model, "GeometricTranslation", move);
    fbx_property_vector(fbx, model, "GeometricRotation", degrees);
    fbx_property_vector(fbx, model, "GeometricScaling", out->scale);
    turn_of(degrees, 0, out->rotation);
    bool is_any = false;
    for (int i = 0; i < 3; i++) {
        is_any |= move[i] != 0 || degrees[i] != 0 || out->scale[i] != 1;
        if (!(fabs(move[i]) < MODEL_LARGEST_NUMBER && fabs(degrees[i]) < 1e6 && fabs(out->scale[i]) < 1e6))
            return false;
    }
    return is_any;
}

/* Copies vectors through a transform: as places, as ways, or as normals. */
enum { AS_PLACES, AS_WAYS, AS_NORMALS };

static const vec3 *move_vectors(struct fbx *fbx, const struct transform *transform, const vec3 *from,
                                uint32_t count, int as)
{
    vec3 *out = from ? arena_alloc(fbx->arena, count, sizeof *out, fbx->err) : NULL;
    fbx->has_failed |= from && !out;
    for (uint32_t i = 0; i < count && out; i++) {
        double v[3];
        for (int k = 0; k < 3; k++) /* the inverse transpose, but for its size */
            v[k] = (double)from[i][k] * (as == AS_NORMALS
                                             ? transform->scale[(k + 1) % 3] * transform->scale[(k + 2) % 3]
                                             : transform->scale[k]);
        turn_vector(transform->rotation, v, v);
        if (as == AS_NORMALS && transform->scale[0] * transform->scale[1] * transform->scale[2] < 0)
            for (int k = 0; k < 3; k++)
                v[k] = -v[k];
        if (as == AS_NORMALS && !dvec_normalise(v))
            v[2] = 1;
        for (int k = 0; k < 3; k++) {
            v[k] += as == AS_PLACES ? transform->translation[k] : 0;
            out[i][k] = fabs(v[k]) < MODEL_LARGEST_NUMBER ? (float)v[k] : 0;
        }
    }
    return (const vec3 *)out;
}

static const uint32_t *turn_triangles(struct fbx *fbx, const uint32_t *indices, uint32_t count)
{
    uint32_t *out = arena_copy(fbx->arena, indices, count, sizeof *out);
    for (uint32_t i = 0; i + 2 < count; i += 3) {
        out[i + 1] = indices[i + 2];
        out[i + 2] = indices[i + 1];
    }
    return out;
}

/* 16 numbers of a cluster, by column. False: it has none. */
static bool read_matrix(const struct scene *scene, uint32_t cluster, const char *name, double out[16])
{
    size_t count;
    const double *numbers =
        fbx_numbers(scene->fbx, fbx_child(scene->fbx->objects[cluster].node, name), &count, NULL);
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
    if (!read_matrix(scene, mesh->clusters[0], "TransformLink", joint) ||
        !read_matrix(scene, mesh->clusters[0], "Transform", inverse))
        return NULL;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            out[i] += joint[4 * k + i % 4] * inverse[i / 4 * 4 + k];
    return out;
}

/* The joints of the clusters, and last the node itself, for what hangs on no cluster. In Maya the points also go as the node
 * of the mesh goes; with a group that carries mesh and joints they would go twice, and no one means that. */
static int32_t add_skin(struct scene *scene, const struct node *node, const struct fbx_mesh *mesh)
{
    struct fbx *fbx = scene->fbx;
    const uint32_t count = mesh->cluster_count + 1;
    uint32_t *joints = arena_must_alloc(fbx->arena, count, sizeof *joints);
    double(*inverses)[16] = arena_must_alloc(fbx->arena, count, sizeof *inverses);
    bool is_apart = fbx->is_of_maya;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t link_count = 0;
        const uint32_t cluster = c + 1 < count ? mesh->clusters[c] : 0;
        const struct fbx_link *links = c + 1 < count ? fbx_carried(fbx, cluster, &link_count) : NULL;
        joints[c] = node->sized;
        for (int i = 0; i < 16; i += 5)
            inverses[c][i] = 1;
        for (uint32_t i = 0; i < link_count; i++)
            if (fbx->objects[links[i].from].kind == FBX_MODEL && scene->numbers[links[i].from]) {
                const struct node *joint = &scene->nodes[scene->numbers[links[i].from] - 1];
                joints[c] = joint->sized;
                is_apart &= joint->top != node->top;
            }
        if (c + 1 < count && !(link_count && read_matrix(scene, cluster, "Transform", inverses[c])))
            fbx_note(fbx, true, "joints of skins do not say where they are bound", fbx->objects[cluster].name);
    }
    scene->skins[scene->rig->skin_count] =
        (struct rig_skin){count, joints, inverses[0], .moved_from = is_apart ? find_bound_mesh(scene, mesh) : NULL,
                          .mover = node->sized};
    return (int32_t)scene->rig->skin_count++;
}

static void fill_weights(struct scene *scene, struct node *node, const struct fbx_mesh *mesh)
{
    struct fbx *fbx = scene->fbx;
    struct rig_node *out = &scene->rig_nodes[node->sized];
    double *weights = arena_must_alloc(&fbx->scratch, mesh->shape_count, sizeof *weights);
    float *rest = arena_must_alloc(fbx->arena, mesh->shape_count, sizeof *rest);
    for (uint32_t i = 0; i < mesh->shape_count;) {
        const struct fbx_object *channel = &fbx->objects[mesh->shapes[i].channel];
        const double own = fbx_number(fbx_child(channel->node, "DeformPercent"), 0, 0);
        const double percent = fbx_property_number(fbx, channel, mesh->shapes[i].property, own);
        i += fbx_weigh_shapes(mesh, i, fabs(percent) < 1e6 ? percent : 0, weights);
    }
    for (uint32_t i = 0; i < mesh->shape_count; i++)
        rest[i] = (float)weights[i];
    out->weights = rest;
    out->weight_count = mesh->shape_count;
    node->mesh = mesh;
}

static void add_surfaces(struct scene *scene, uint32_t n, const struct fbx_mesh *mesh)
{
    struct fbx *fbx = scene->fbx;
    struct node *node = &scene->nodes[n];
    const struct fbx_object *model = &fbx->objects[node->object];
    struct transform geometric;
    const bool is_moved = read_geometric(fbx, model, &geometric);
    const bool is_mirrored = is_moved && geometric.scale[0] * geometric.scale[1] * geometric.scale[2] < 0;
    struct rig_surface all = {.name = *mesh->name ? mesh->name : model->name,
                              .node = node->sized,
                              .skin = -1,
                              .point_count = mesh->point_count,
                              .positions = mesh->positions,
                              .normals = mesh->normals,
                              .uvs = mesh->uvs,
                              .more_uvs = mesh->more_uvs,
                              .colors = mesh->colors,
                              .influence_count = mesh->influence_count,
                              .joints = mesh->joints,
                              .weights = mesh->weights};
    if (mesh->cluster_count)
        all.skin = add_skin(scene, node, mesh);
    if (mesh->shape_count && !node->mesh) {
        fill_weights(scene, node, mesh);
        all.morphs = mesh->morphs;
        all.morph_count = mesh->shape_count;
    }
    if (is_moved) {
        struct rig_morph *morphs = arena_must_alloc(fbx->arena, all.morph_count, sizeof *morphs);
        all.positions = move_vectors(fbx, &geometric, mesh->positions, mesh->point_count, AS_PLACES);
        all.normals = move_vectors(fbx, &geometric, mesh->normals, mesh->point_count, AS_NORMALS);
        for (uint32_t i = 0; i < all.morph_count && !fbx->has_failed; i++) {
            morphs[i].positions =
                move_vectors(fbx, &geometric, all.morphs[i].positions, mesh->point_count, AS_WAYS);
            morphs[i].normals = move_vectors(fbx, &geometric, all.morphs[i].normals, mesh->point_count, AS_WAYS);
        }
        all.morphs = morphs;
    }
    uint32_t link_count, material_count = 0;
    const struct fbx_link *links = fbx_carried(fbx, node->object, &link_count);
    uint32_t *materials = arena_must_alloc(&fbx->scratch, link_count, sizeof *materials);
    for (uint32_t i = 0; i < link_count; i++)
        if (fbx->objects[links[i].from].kind == FBX_MATERIAL)
            materials[material_count++] = links[i].from;
    for (uint32_t i = 0; i < mesh->part_count && !fbx->has_failed; i++) {
        const struct fbx_part *part = &mesh->parts[i];
        struct rig_surface *surface = &scene->surfaces[scene->rig->surface_count++];
        const struct model_material **own = arena_must_alloc(fbx->arena, 1, sizeof *own);
        *own = fbx_read_material(fbx, part->material < material_count ? materials[part->material] : FBX_ROOT,
                                 node->object);
        *surface = all;
        surface->material = (struct surface_material){.kind = MATERIAL_OWN, .name = (*own)->name, .own = own};
        surface->indices = is_mirrored ? turn_triangles(fbx, part->indices, part->index_count) : part->indices;
        surface->index_count = part->index_count;
    }
}

/* Reads the geometry, and then, once there is room for all surfaces, adds those of the node. */
static void add_geometry(struct scene *scene, uint32_t n, uint32_t geometry, size_t *part_count)
{
    struct fbx *fbx = scene->fbx;
    const struct fbx_object *object = &fbx->objects[geometry];
    if (!scene->meshes[geometry]) {
        if (fbx_child(object->node, "Points") && !fbx_child(object->node, "Vertices"))
            fbx_note(fbx, true, "curved surfaces (NURBS, patches) and lines are left out: save polygons",
                     object->name);
        scene->meshes[geometry] = fbx_read_mesh(fbx, geometry);
    }
    if (scene->meshes[geometry] && scene->surfaces && scene->meshes[geometry]->part_count > 0)
        add_surfaces(scene, n, scene->meshes[geometry]);
    if (scene->meshes[geometry])
        *part_count += scene->meshes[geometry]->part_count;
}

static void add_geometries(struct scene *scene, size_t *part_count)
{
    struct fbx *fbx = scene->fbx;
    for (uint32_t n = 0; n < scene->node_count && !fbx->has_failed; n++) {
        const uint32_t model = scene->nodes[n].object;
        uint32_t count;
        const struct fbx_link *links = fbx_carried(fbx, model, &count);
        if (fbx_child(fbx->objects[model].node, "Vertices") || fbx_child(fbx->objects[model].node, "Points"))
            add_geometry(scene, n, model, part_count);
        for (uint32_t i = 0; i < count && !fbx->has_failed; i++)
            if (fbx->objects[links[i].from].kind == FBX_GEOMETRY)
                add_geometry(scene, n, links[i].from, part_count);
    }
}

static void read_surfaces(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    size_t count = 0, ignored = 0;
    scene->meshes = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *scene->meshes);
    add_geometries(scene, &count);
    if (count > MOST_SURFACES)
        fbx_fail(fbx, "%zu surfaces, at most %d are allowed", count, MOST_SURFACES);
    if (fbx->has_failed)
        return;
    scene->rig->surfaces = scene->surfaces = arena_must_alloc(fbx->arena, count, sizeof *scene->surfaces);
    scene->rig->skins = scene->skins = arena_must_alloc(fbx->arena, count, sizeof *scene->skins);
    add_geometries(scene, &ignored);
}

/* Whether a constraint moves a node that has no curves of its own in any take. */
static bool moves_alone(const struct scene *scene, uint32_t constraint)
{
    uint32_t count, channel_count;
    const struct fbx_link *links = fbx_carried(scene->fbx, constraint, &count);
    bool has_target = false, has_curves = false;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_target =
            (links[i].property.size > 11 && !memcmp(links[i].property.data, "Constrained", 11)) ||
            fbx_is(links[i].property, "First Joint");
        has_target |= is_target;
        for (uint32_t t = 0; t < scene->take_count && is_target; t++) {
            const struct fbx_channel *channels = fbx_channels_of(&scene->takes[t], links[i].from, &channel_count);
            for (uint32_t c = 0; c < channel_count; c++)
                has_curves |= vector_of(channels[c].property) < VECTORS;
        }
    }
    return has_target && !has_curves && scene->take_count > 0;
}

static void note_left_out(const struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    for (uint32_t i = 0; i < fbx->object_count; i++) {
        if (fbx->objects[i].kind == FBX_CACHE && scene->surfaces)
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

enum moved { TRANSFORM, WEIGHTS, VISIBILITY };

/* Samples of some numbers over time, as many as are needed. */
struct sampler {
    struct scene *scene;
    const struct fbx_take *take;
    uint32_t node, width;
    enum moved moved;
    bool jumps; /* values may, at a key */
    double lost_move;
    double *samples; /* malloc'd: of each its time, then the numbers */
    size_t count, capacity;
};

static void evaluate(const struct sampler *sampler, double time_s, double *out)
{
    const struct node *node = &sampler->scene->nodes[sampler->node];
    if (sampler->moved == TRANSFORM) {
        const struct transform local = place_at(sampler->scene, sampler->node, sampler->take, time_s);
        memcpy(out, local.translation, sizeof local.translation);
        memcpy(out + 3, local.rotation, sizeof local.rotation);
        memcpy(out + 7, local.scale, sizeof local.scale);
        return;
    }
    const struct fbx_mesh *mesh = node->mesh;
    uint32_t one = 1;
    for (uint32_t at = 0; at < sampler->width; at += one) {
        const bool is_visibility = sampler->moved == VISIBILITY;
        const uint32_t object = is_visibility ? node->object : mesh->shapes[at].channel;
        const char *property = is_visibility ? "Visibility" : mesh->shapes[at].property;
        double value[3] = {is_visibility ? 1 : 0}, layered[3];
        uint32_t count;
        const struct fbx_channel *channels = fbx_channels_of(sampler->take, object, &count);
        bool is_animated = false;
        for (uint32_t i = 0; i < count; i++) {
            if (strcmp(channels[i].property, property) != 0)
                continue;
            const struct fbx_layer *layer = &sampler->take->layers[channels[i].layer];
            const double weight = channels[i].layer ? fbx_layer_weight(layer, time_s) : 1;
            fbx_values_at(&channels[i], time_s, layered);
            value[0] = channels[i].layer == 0 || layer->blend == FBX_REPLACE
                           ? layered[0]
                           : value[0] * (layer->blend == FBX_BLEND ? 1 - weight : 1) + layered[0] * weight;
            is_animated = true;
        }
        if (is_visibility) {
            out[0] = value[0] != 0;
        } else if (is_animated) {
            one = fbx_weigh_shapes(mesh, at, value[0], out);
        } else {
            out[at] = (double)sampler->scene->rig_nodes[node->sized].weights[at];
            one = 1;
        }
    }
}

/* Whether numbers are too far from those that they are taken for. */
static bool differ(const struct sampler *sampler, const double *a, const double *b)
{
    for (uint32_t i = 0; i < sampler->width; i++) {
        const bool is_move = sampler->moved == TRANSFORM && i < 3;
        const double most =
            is_move ? sampler->lost_move : LOST * (sampler->moved == TRANSFORM ? fmax(1, fabs(a[i])) : 1);
        if (fabs(a[i] - b[i]) > most)
            return true;
    }
    return false;
}

/* Turns have two signs: the one that is nearer to the last sample. */
static void align(const struct sampler *sampler, const double *last, double *numbers)
{
    double along = 0;
    for (int i = 3; i < 7 && sampler->moved == TRANSFORM; i++)
        along += last[i] * numbers[i];
    for (int i = 3; i < 7 && along < 0; i++)
        numbers[i] = -numbers[i];
}

static void add_sample(struct sampler *sampler, double time_s, const double *numbers)
{
    const size_t stride = sampler->width + 1;
    sampler->samples = must_grow(sampler->samples, sampler->count, &sampler->capacity, stride * sizeof *numbers);
    double *out = sampler->samples + sampler->count++ * stride;
    *out = time_s;
    memcpy(out + 1, numbers, sampler->width * sizeof *numbers);
    if (sampler->count > 1)
        align(sampler, out + 1 - stride, out + 1);
    sampler->scene->sample_count++;
}

/* What the rig makes of two samples. */
static void blend(const struct sampler *sampler, const double *a, const double *b, double part, double *out)
{
    for (uint32_t i = 0; i < sampler->width; i++)
        out[i] = a[i] + (b[i] - a[i]) * part;
    if (sampler->moved == TRANSFORM) {
        memcpy(out + 3, a + 3, 4 * sizeof *out);
        quaternion_blend(out + 3, b + 3, part);
    }
}

/* Adds samples between two times, whose numbers are `a` and `b`, where the way between these is not straight. */
static void fill_between(struct sampler *sampler, double from_s, const double *a, double to_s, const double *b,
                         struct arena *scratch, int depth)
{
    const uint32_t width = sampler->width;
    double *seen = arena_must_alloc(scratch, width, 3 * sizeof *seen), *guess = seen + width,
           *middle = seen + 2 * width;
    bool is_straight = true;
    for (int i = 1; i < 4 && is_straight; i++) {
        evaluate(sampler, from_s + (to_s - from_s) * i / 4, seen);
        align(sampler, a, seen);
        blend(sampler, a, b, i / 4.0, guess);
        align(sampler, guess, seen);
        is_straight = !differ(sampler, seen, guess);
    }
    if (is_straight || depth == MOST_HALVINGS || sampler->scene->sample_count > MOST_SAMPLES)
        return;
    const double middle_s = (from_s + to_s) / 2;
    evaluate(sampler, middle_s, middle);
    align(sampler, a, middle);
    fill_between(sampler, from_s, a, middle_s, middle, scratch, depth + 1);
    add_sample(sampler, middle_s, middle);
    fill_between(sampler, middle_s, middle, to_s, b, scratch, depth + 1);
}

/* Values jump at keys of steps: right before one, or right after. */
static void sample_all(struct sampler *sampler, const double *times_s, size_t count)
{
    static const double BEFORE_S = 1e-7;
    const uint32_t width = sampler->width;
    struct arena scratch = {0};
    double *at = arena_must_alloc(&scratch, width, 4 * sizeof *at), *before = at + width, *after = at + 2 * width,
           *last = at + 3 * width;
    for (size_t i = 0; i < count; i++) {
        struct arena local = {0};
        evaluate(sampler, times_s[i], at);
        memcpy(before, at, width * sizeof *at);
        if (i > 0) {
            if (sampler->jumps)
                evaluate(sampler, times_s[i] - BEFORE_S, before);
            align(sampler, last, before);
            fill_between(sampler, times_s[i - 1] + BEFORE_S, last, times_s[i] - BEFORE_S, before, &local, 0);
            align(sampler, before, at);
            if (differ(sampler, before, at))
                add_sample(sampler, nextafterf((float)times_s[i], -INFINITY), before);
        }
        add_sample(sampler, times_s[i], at);
        memcpy(after, at, width * sizeof *at);
        if (sampler->jumps)
            evaluate(sampler, times_s[i] + BEFORE_S, after);
        align(sampler, at, after);
        if (i + 1 < count && differ(sampler, after, at))
            add_sample(sampler, nextafterf((float)times_s[i], INFINITY), after);
        memcpy(last, after, width * sizeof *last);
        arena_release(&local);
    }
    arena_release(&scratch);
}

/* A track of some of the numbers; where they never change, with one key. */
static struct rig_track make_track(const struct sampler *sampler, const float *times_s, uint32_t node,
                                   enum rig_target target, uint32_t first, uint32_t width)
{
    struct arena *arena = sampler->scene->fbx->arena;
    const size_t stride = sampler->width + 1;
    struct rig_track track = {.node = node, .target = target, .key_count = 1, .times_s = times_s, .width = width};
    for (size_t i = 1; i < sampler->count; i++)
        for (uint32_t k = 0; k < width; k++)
            if (sampler->samples[i * stride + 1 + first + k] != sampler->samples[1 + first + k])
                track.key_count = (uint32_t)sampler->count;
    float *values = arena_must_alloc(arena, track.key_count, width * sizeof *values);
    for (size_t i = 0; i < track.key_count; i++)
        for (uint32_t k = 0; k < width; k++)
            values[i * width + k] = (float)sampler->samples[i * stride + 1 + first + k];
    track.values = values;
    return track;
}

/* Sorts them, with the begin and the end of the take, and keeps those that differ. */
static void sort_times(const struct fbx_take *take, struct fbx_times *times)
{
    const double ends_s[] = {take->begin_s, take->end_s};
    size_t kept = 0;
    for (int i = 0; i < 2; i++)
        *MUST_ADD(times->items, times->count, times->capacity) = ends_s[i];
    SORT(times->items, times->count, doubles_compare);
    for (size_t i = 0; i < times->count; i++)
        if (kept == 0 || times->items[i] - times->items[kept - 1] > 1e-5)
            times->items[kept++] = times->items[i];
    times->count = kept;
}

static bool is_of(const struct node *node, enum moved moved, const struct fbx_channel *channel)
{
    if (moved == TRANSFORM)
        return channel->object == node->object && vector_of(channel->property) < VECTORS;
    if (moved == VISIBILITY)
        return channel->object == node->object && !strcmp(channel->property, "Visibility");
    for (uint32_t i = 0; i < node->mesh->shape_count; i++)
        if (node->mesh->shapes[i].channel == channel->object &&
            !strcmp(channel->property, node->mesh->shapes[i].property))
            return true;
    return false;
}

/* Adds the times of the keys that move one thing of a node: also those of the sizes that it does not take from above.
 * *jumps becomes true where values may jump at them. */
static bool add_node_times(const struct scene *scene, const struct fbx_take *take, int32_t n, enum moved moved,
                           struct fbx_times *times, bool *jumps)
{
    bool has_any = false, is_own = true;
    do {
        const struct node *node = &scene->nodes[n];
        uint32_t count = take->channel_count;
        const struct fbx_channel *channels = take->channels;
        if (moved != WEIGHTS)
            channels = fbx_channels_of(take, node->object, &count);
        for (uint32_t i = 0; i < count; i++)
            if (is_of(node, moved, &channels[i]) && (is_own || vector_of(channels[i].property) == SCALING)) {
                has_any |= channels[i].curves[0] || channels[i].curves[1] || channels[i].curves[2];
                fbx_add_times(take, &channels[i], times);
                *jumps |= fbx_jumps(take, &channels[i]);
            }
        is_own = false;
        if (moved != TRANSFORM || node->inherit == RSRS)
            break;
        n = node->parent;
    } while (n >= 0);
    return has_any;
}

/* Adds the tracks of one thing of a node, at most four. */
static void add_tracks(struct scene *scene, const struct fbx_take *take, uint32_t n, enum moved moved,
                       struct rig_animation *out, struct fbx_times *keyframes)
{
    const struct node *node = &scene->nodes[n];
    struct rig_track *tracks = (struct rig_track *)out->tracks;
    struct fbx_times times = {0};
    struct sampler sampler = {.scene = scene, .take = take, .node = n, .moved = moved};
    sampler.width = moved == TRANSFORM ? TRANSFORM_WIDTH : moved == WEIGHTS ? node->mesh->shape_count : 1;
    if (!add_node_times(scene, take, (int32_t)n, moved, &times, &sampler.jumps)) {
        free(times.items);
        return;
    }
    for (size_t i = 0; i < times.count; i++) {
        *MUST_ADD(keyframes->items, keyframes->count, keyframes->capacity) = times.items[i];
    }
    sort_times(take, &times);
    double longest = 0;
    for (size_t i = 0; i < times.count && moved == TRANSFORM; i++) {
        const struct transform at = place_at(scene, n, take, times.items[i]);
        for (int k = 0; k < 3; k++)
            longest = fmax(longest, fabs(at.translation[k]));
    }
    sampler.lost_move = fmax(LOST * longest, LOST_OF_ALL * scene->longest_move) + 1e-12;
    sample_all(&sampler, times.items, times.count);
    float *times_s = arena_must_alloc(scene->fbx->arena, sampler.count, sizeof *times_s);
    for (size_t i = 0; i < sampler.count; i++) {
        times_s[i] = (float)(sampler.samples[i * (sampler.width + 1)] - take->begin_s);
        if (i > 0 && !(times_s[i] > times_s[i - 1]))
            times_s[i] = nextafterf(times_s[i - 1], INFINITY);
    }
    if (moved == WEIGHTS) {
        tracks[out->track_count++] = make_track(&sampler, times_s, node->sized, RIG_WEIGHTS, 0, sampler.width);
        scene->rig->morph_track_count++;
    } else if (moved == VISIBILITY) {
        tracks[out->track_count++] = make_track(&sampler, times_s, node->frame, RIG_VISIBILITY, 0, 1);
    } else {
        tracks[out->track_count++] = make_track(&sampler, times_s, node->frame, RIG_TRANSLATION, 0, 3);
        tracks[out->track_count++] = make_track(&sampler, times_s, node->frame, RIG_ROTATION, 3, 4);
        tracks[out->track_count++] = make_track(&sampler, times_s, node->sized, RIG_SCALE, 7, 3);
    }
    free(times.items);
    free(sampler.samples);
}

static void read_animations(struct scene *scene)
{
    struct fbx *fbx = scene->fbx;
    struct rig *rig = scene->rig;
    struct rig_animation *animations = arena_must_alloc(fbx->arena, scene->take_count, sizeof *animations);
    rig->animations = animations;
    for (uint32_t t = 0; t < scene->take_count && !fbx->has_failed; t++) {
        const struct fbx_take *take = &scene->takes[t];
        struct rig_animation *out = &animations[rig->animation_count];
        struct fbx_times keyframes = {0};
        *out = (struct rig_animation){.name = take->name};
        out->tracks = arena_must_alloc(fbx->arena, 5 * (size_t)scene->node_count, sizeof *out->tracks);
        scene->sample_count = 0;
        for (uint32_t n = 0; n < scene->node_count; n++) {
            add_tracks(scene, take, n, TRANSFORM, out, &keyframes);
            add_tracks(scene, take, n, VISIBILITY, out, &keyframes);
            if (scene->nodes[n].mesh)
                add_tracks(scene, take, n, WEIGHTS, out, &keyframes);
        }
        if (scene->sample_count > MOST_SAMPLES)
            fbx_note(fbx, true, "takes have more samples than are read: they play less smoothly", take->name);
        sort_times(take, &keyframes);
        double *times_s = arena_must_alloc(fbx->arena, keyframes.count, sizeof *times_s);
        for (size_t i = 0; i < keyframes.count; i++)
            times_s[i] = keyframes.items[i] - take->begin_s;
        out->keyframes_s = times_s;
        out->keyframe_count = (uint32_t)keyframes.count;
        free(keyframes.items);
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
    const struct fbx_node *node = fbx_child(fbx->root, "GlobalSettings");
    if (!node)
        node = fbx_child(fbx_child(fbx->root, "Objects"), "GlobalSettings");
    const struct fbx_node *newer = fbx_child(node, "Properties70");
    const struct fbx_object settings = {.kind = FBX_OTHER,
                                        .properties = newer ? newer : fbx_child(node, "Properties60")};
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
    struct fbx fbx = {.err = err, .options = options, .model = model, .arena = &model->arena};
    struct rig rig = {0};
    int result = fbx_open(&fbx, bytes);
    if (result == 0)
        result = read_scene(&fbx, &rig);
    if (result == 0)
        result = rig_build(model, &rig, err);
    if (result == 0)
        tell_notes(&fbx);
    fbx_close(&fbx);
    return result;
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
