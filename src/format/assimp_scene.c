#include <math.h>
#include <string.h>

#include "format/assimp.h"

/* -- Nodes ------------------------------------------------------------------------------------------------- */

int assimp_read_matrix(const struct aiMatrix4x4 *matrix, double out[16], struct error *err)
{
    const float *rows = &matrix->a1;
    for (int i = 0; i < 16; i++) {
        float value = rows[i % 4 * 4 + i / 4];
        if (!(fabs(value) < RIG_LARGEST_NUMBER))
            return error_set(err, "a matrix has the number %g", value);
        out[i] = value;
    }
    return 0;
}

/* At rest the matrix counts, which may slant; where a track moves the node, its parts. */
static int read_node(struct assimp_import *import, const struct aiNode *node, struct rig_node *out,
                     struct error *err)
{
    struct aiVector3D scale, move;
    struct aiQuaternion turn;
    double *matrix = arena_must_alloc(import->arena, 16, sizeof *matrix);
    out->name = assimp_text(import, &node->mName);
    out->matrix = matrix;
    if (assimp_read_matrix(&node->mTransformation, matrix, err) < 0)
        return error_add(err, "node '%s'", out->name);
    import->library.aiDecomposeMatrix(&node->mTransformation, &scale, &turn, &move);
    out->local =
        (struct transform){.translation = {assimp_bounded(move.x), assimp_bounded(move.y), assimp_bounded(move.z)},
                           .rotation = {assimp_bounded(turn.x), assimp_bounded(turn.y), assimp_bounded(turn.z),
                                        assimp_bounded(turn.w)},
                           .scale = {assimp_bounded(scale.x), assimp_bounded(scale.y), assimp_bounded(scale.z)}};
    return 0;
}

/* In the order of their depth: the list is its own queue. */
int assimp_read_nodes(struct assimp_import *import, struct error *err)
{
    struct rig *rig = &import->rig;
    import->nodes = arena_alloc(&import->scratch, MODEL_MOST_JOINTS, sizeof *import->nodes, err);
    rig->nodes = import->rig_nodes = arena_alloc(import->arena, MODEL_MOST_JOINTS, sizeof *import->rig_nodes, err);
    if (!import->nodes || !import->rig_nodes)
        return -1;
    import->nodes[0] = import->scene->mRootNode;
    import->rig_nodes[0].parent = -1;
    rig->node_count = 1;
    for (uint32_t i = 0; i < rig->node_count; i++) {
        const struct aiNode *node = import->nodes[i];
        if (read_node(import, node, &import->rig_nodes[i], err) < 0)
            return -1;
        if (node->mNumChildren > MODEL_MOST_JOINTS - rig->node_count)
            return error_set(err, "more than %d nodes", MODEL_MOST_JOINTS);
        for (unsigned k = 0; k < node->mNumChildren; k++) {
            import->rig_nodes[rig->node_count].parent = (int32_t)i;
            import->nodes[rig->node_count++] = node->mChildren[k];
        }
    }
    return 0;
}

int32_t assimp_find_node(const struct assimp_import *import, const char *name)
{
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        if (!strcmp(import->rig_nodes[i].name, name))
            return (int32_t)i;
    return -1;
}

/* -- Animations -------------------------------------------------------------------------------------------- */

/* A track without keys, after those that the animation has; it counts once it has some. */
static struct rig_track *new_track(struct assimp_import *import, struct rig_animation *animation, uint32_t node,
                                   enum rig_target target, uint32_t width, uint32_t key_count, struct error *err)
{
    struct rig_track *track = (struct rig_track *)&animation->tracks[animation->track_count];
    float *times_s = arena_alloc(import->arena, key_count, sizeof *times_s, err);
    float *values = arena_alloc(import->arena, (size_t)key_count * width, sizeof *values, err);
    *track =
        (struct rig_track){.node = node, .target = target, .width = width, .times_s = times_s, .values = values};
    return times_s && values ? track : NULL;
}

/* Room for the values of the next key, or NULL. */
static float *add_key(struct assimp_import *import, struct rig_track *track, double time_s)
{
    float *times_s = (float *)track->times_s;
    uint32_t count = track->key_count;
    if (!(fabs(time_s) < 1e6) || (count && !((float)time_s > times_s[count - 1]))) {
        assimp_add_oddity(import, "keys of an animation that do not follow the one before are left out");
        return NULL;
    }
    times_s[count] = (float)time_s;
    return (float *)track->values + (size_t)track->width * track->key_count++;
}

static int add_vectors(struct assimp_import *import, struct rig_animation *out, uint32_t node,
                       enum rig_target target, const struct aiVectorKey *keys, uint32_t count, double tick_s,
                       struct error *err)
{
    struct rig_track *track = new_track(import, out, node, target, 3, count, err);
    if (!track)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        float *value = add_key(import, track, keys[i].mTime * tick_s);
        const float *from = &keys[i].mValue.x;
        for (int k = 0; value && k < 3; k++)
            value[k] = assimp_bounded(from[k]);
    }
    out->track_count += track->key_count > 0;
    return 0;
}

static int add_rotations(struct assimp_import *import, struct rig_animation *out, uint32_t node,
                         const struct aiNodeAnim *channel, double tick_s, struct error *err)
{
    struct rig_track *track = new_track(import, out, node, RIG_ROTATION, 4, channel->mNumRotationKeys, err);
    if (!track)
        return -1;
    for (uint32_t i = 0; i < channel->mNumRotationKeys; i++) {
        float *value = add_key(import, track, channel->mRotationKeys[i].mTime * tick_s);
        const struct aiQuaternion *from = &channel->mRotationKeys[i].mValue;
        double turn[4] = {assimp_bounded(from->x), assimp_bounded(from->y), assimp_bounded(from->z),
                          assimp_bounded(from->w)};
        quaternion_normalise(turn);
        for (int k = 0; value && k < 4; k++)
            value[k] = (float)turn[k];
    }
    out->track_count += track->key_count > 0;
    return 0;
}

/* A channel of morph targets is called as its node; what may follow is a '*' and the number of the mesh. */
static int add_weight_track(struct assimp_import *import, struct rig_animation *out,
                            const struct aiMeshMorphAnim *channel, double tick_s, struct error *err)
{
    const char *name = assimp_text(import, &channel->mName);
    int32_t node = assimp_find_node(import, arena_strndup(import->arena, name, strcspn(name, "*")));
    if (node < 0 || !import->rig_nodes[node].weight_count)
        return 0;
    uint32_t width = import->rig_nodes[node].weight_count;
    struct rig_track *track = new_track(import, out, (uint32_t)node, RIG_WEIGHTS, width, channel->mNumKeys, err);
    if (!track)
        return -1;
    for (uint32_t i = 0; i < channel->mNumKeys; i++) {
        const struct aiMeshMorphKey *key = &channel->mKeys[i];
        float *value = add_key(import, track, key->mTime * tick_s);
        for (unsigned k = 0; value && k < key->mNumValuesAndWeights; k++)
            if (key->mValues[k] < width)
                value[key->mValues[k]] = assimp_bounded((float)key->mWeights[k]);
    }
    out->track_count += track->key_count > 0;
    return 0;
}

static int read_animation(struct assimp_import *import, const struct aiAnimation *from, struct rig_animation *out,
                          struct error *err)
{
    double tick_s = from->mTicksPerSecond > 0 ? 1 / from->mTicksPerSecond : 1.0 / 25;
    size_t most = (size_t)from->mNumChannels * 3 + from->mNumMorphMeshChannels;
    *out = (struct rig_animation){.name = assimp_text(import, &from->mName),
                                  .tracks = arena_alloc(import->arena, most, sizeof *out->tracks, err)};
    if (!out->tracks)
        return -1;
    for (unsigned i = 0; i < from->mNumChannels; i++) {
        const struct aiNodeAnim *channel = from->mChannels[i];
        int32_t found = assimp_find_node(import, assimp_text(import, &channel->mNodeName));
        uint32_t node = (uint32_t)found;
        if (found >= 0 && (add_vectors(import, out, node, RIG_TRANSLATION, channel->mPositionKeys,
                                       channel->mNumPositionKeys, tick_s, err) < 0 ||
                           add_rotations(import, out, node, channel, tick_s, err) < 0 ||
                           add_vectors(import, out, node, RIG_SCALE, channel->mScalingKeys,
                                       channel->mNumScalingKeys, tick_s, err) < 0))
            return -1;
    }
    for (unsigned i = 0; i < from->mNumMorphMeshChannels; i++)
        if (add_weight_track(import, out, from->mMorphMeshChannels[i], tick_s, err) < 0)
            return -1;
    return 0;
}

int assimp_read_animations(struct assimp_import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    struct rig_animation *animations = arena_alloc(import->arena, scene->mNumAnimations, sizeof *animations, err);
    if (!animations)
        return -1;
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        if (read_animation(import, scene->mAnimations[i], &animations[import->rig.animation_count], err) < 0)
            return error_add(err, "animation %u", i);
        import->rig.animation_count += animations[import->rig.animation_count].track_count > 0;
    }
    import->rig.animations = animations;
    return 0;
}
