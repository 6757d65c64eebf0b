#include <math.h>
#include <string.h>

#include "format/assimp.h"
#include "format/formats.h"

enum { MOST_SURFACES = 65536 }; /* each is drawn on its own */

/* The first `width` numbers of each; *out is NULL for NULL. */
static int copy_vectors(struct assimp_import *import, const struct aiVector3D *from, uint32_t count, size_t width,
                        float **out, struct error *err)
{
    *out = from ? arena_alloc(import->arena, count, width * sizeof **out, err) : NULL;
    for (size_t i = 0; *out && i < count * width; i++)
        (*out)[i] = assimp_bounded((&from[i / width].x)[i % width]);
    return from && !*out ? -1 : 0;
}

static int read_points(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const uint32_t count = mesh->mNumVertices;
    float *positions, *normals, *uvs, *more_uvs;
    if (copy_vectors(import, mesh->mVertices, count, 3, &positions, err) < 0 ||
        copy_vectors(import, mesh->mNormals, count, 3, &normals, err) < 0 ||
        copy_vectors(import, mesh->mTextureCoords[0], count, 2, &uvs, err) < 0 ||
        copy_vectors(import, mesh->mTextureCoords[1], count, 2, &more_uvs, err) < 0)
        return -1;
    out->positions = (const vec3 *)positions;
    out->normals = (const vec3 *)normals;
    out->uvs = (const vec2 *)uvs;
    out->more_uvs = (const vec2 *)more_uvs;
    return 0;
}

static int read_colors(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const struct aiColor4D *from = mesh->mColors[0];
    if (!from)
        return 0;
    /* In glTF; other formats have colours of the screen. */
    bool is_linear = !model_format_suffix(&assimp_format, import->options->path);
    vec4 *colors = arena_alloc(import->arena, mesh->mNumVertices, sizeof *colors, err);
    for (uint32_t i = 0; colors && i < mesh->mNumVertices; i++) {
        const float codes[3] = {from[i].r, from[i].g, from[i].b};
        for (int k = 0; k < 3; k++)
            colors[i][k] = is_linear ? assimp_clamp(codes[k], 1) : assimp_linear(codes[k]);
        colors[i][3] = assimp_clamp(from[i].a, 1);
    }
    out->colors = (const vec4 *)colors;
    return colors ? 0 : -1;
}

static int read_faces(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                      struct error *err)
{
    uint32_t *indices = arena_alloc(import->arena, mesh->mNumFaces, 3 * sizeof *indices, err);
    for (uint32_t i = 0; indices && i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (unsigned k = 0; k < 3 && face->mNumIndices == 3; k++) {
            if (face->mIndices[k] >= mesh->mNumVertices)
                return error_set(err, "face %u names vertex %u of %u", i, face->mIndices[k], mesh->mNumVertices);
            indices[out->index_count++] = face->mIndices[k];
        }
    }
    out->indices = indices;
    return indices ? 0 : -1;
}

/* What assimp has of a morph target are its places; a rig has what they add. */
static int copy_differences(struct assimp_import *import, const struct aiVector3D *to, const vec3 *base,
                            uint32_t count, const vec3 **out, struct error *err)
{
    float *differences;
    if (copy_vectors(import, base ? to : NULL, count, 3, &differences, err) < 0)
        return -1;
    for (size_t i = 0; differences && i < (size_t)count * 3; i++)
        differences[i] -= base[i / 3][i % 3];
    *out = (const vec3 *)differences;
    return 0;
}

static int read_morphs(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const uint32_t count = mesh->mNumVertices;
    struct rig_morph *morphs = arena_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *morphs, err);
    if (!morphs)
        return -1;
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[i];
        if (target->mNumVertices != count)
            return error_set(err, "morph target %u has %u vertices, its mesh %u", i, target->mNumVertices, count);
        if (copy_differences(import, target->mVertices, out->positions, count, &morphs[i].positions, err) < 0 ||
            copy_differences(import, target->mNormals, out->normals, count, &morphs[i].normals, err) < 0)
            return -1;
    }
    out->morphs = morphs;
    out->morph_count = mesh->mNumAnimMeshes;
    return 0;
}

/* The bones of a mesh, and one more joint that carries what hangs on no bone: the node of the mesh. */
static int read_skin(struct assimp_import *import, const struct aiMesh *mesh, uint32_t node, struct rig_skin *out,
                     struct error *err)
{
    uint32_t *joints = arena_alloc(import->arena, (size_t)mesh->mNumBones + 1, sizeof *joints, err);
    double *binds = arena_alloc(import->arena, (size_t)mesh->mNumBones + 1, 16 * sizeof *binds, err);
    if (!joints || !binds)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const char *name = assimp_text(import, &mesh->mBones[b]->mName);
        int32_t joint = assimp_find_node(import, name);
        if (joint < 0)
            assimp_add_oddity(import, "bones that are not nodes do not move");
        joints[b] = joint < 0 ? node : (uint32_t)joint;
        if (assimp_read_matrix(&mesh->mBones[b]->mOffsetMatrix, &binds[(size_t)b * 16], err) < 0)
            return error_add(err, "bone '%s'", name);
    }
    joints[mesh->mNumBones] = node;
    for (int i = 0; i < 4; i++)
        binds[(size_t)mesh->mNumBones * 16 + (size_t)i * 5] = 1;
    *out = (struct rig_skin){.joint_count = mesh->mNumBones + 1, .joints = joints, .inverse_binds = binds};
    return 0;
}

static int read_influences(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                           struct error *err)
{
    const size_t width = ASSIMP_MOST_INFLUENCES;
    uint32_t *joints = arena_alloc(import->arena, mesh->mNumVertices * width, sizeof *joints, err);
    float *weights = arena_alloc(import->arena, mesh->mNumVertices * width, sizeof *weights, err);
    if (!joints || !weights)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[i];
            if (weight->mVertexId >= mesh->mNumVertices)
                return error_set(err, "bone %u names vertex %u of %u", b, weight->mVertexId, mesh->mNumVertices);
            size_t at = weight->mVertexId * width, end = at + width;
            while (at < end && weights[at] > 0)
                at++;
            if (at == end)
                return error_set(err, "vertex %u hangs on more than %zu bones", weight->mVertexId, width);
            joints[at] = b;
            weights[at] = assimp_clamp(weight->mWeight, 1e6f);
        }
    for (uint32_t v = 0; v < mesh->mNumVertices; v++) {
        float *own = weights + v * width, sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += own[i];
        for (size_t i = 0; i < width && sum > 0; i++)
            own[i] /= sum;
        if (!(sum > 0)) {
            joints[v * width] = mesh->mNumBones;
            own[0] = 1;
        }
    }
    out->joints = joints;
    out->weights = weights;
    out->influence_count = ASSIMP_MOST_INFLUENCES;
    return 0;
}

/* `node` is the first one that has it. */
static int read_mesh(struct assimp_import *import, uint32_t number, uint32_t node, struct error *err)
{
    const struct aiMesh *mesh = import->scene->mMeshes[number];
    struct rig_surface *out = &import->meshes[number];
    if (mesh->mMaterialIndex >= import->scene->mNumMaterials)
        return error_set(err, "it has material %u of %u", mesh->mMaterialIndex, import->scene->mNumMaterials);
    const struct model_material *const *material = &import->materials[mesh->mMaterialIndex];
    *out = (struct rig_surface){
        .name = assimp_text(import, &mesh->mName),
        .material = {.kind = MATERIAL_OWN, .name = (*material)->name, .own = material},
        .skin = -1,
        .point_count = mesh->mNumVertices,
    };
    if (read_faces(import, mesh, out, err) < 0 || read_points(import, mesh, out, err) < 0 ||
        read_colors(import, mesh, out, err) < 0 || read_morphs(import, mesh, out, err) < 0)
        return -1;
    if (!mesh->mNumBones)
        return 0;
    out->skin = (int32_t)import->rig.skin_count++;
    if (read_skin(import, mesh, node, &import->skins[out->skin], err) < 0)
        return -1;
    return read_influences(import, mesh, out, err);
}

/* The weights of the morph targets at rest: of the mesh that has most. */
static int add_weights(struct assimp_import *import, const struct aiMesh *mesh, struct rig_node *node,
                       struct error *err)
{
    if (mesh->mNumAnimMeshes <= node->weight_count)
        return 0;
    float *weights = arena_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *weights, err);
    for (unsigned i = 0; weights && i < mesh->mNumAnimMeshes; i++)
        weights[i] = assimp_bounded(mesh->mAnimMeshes[i]->mWeight);
    node->weights = weights;
    node->weight_count = mesh->mNumAnimMeshes;
    return weights ? 0 : -1;
}

static int read_surfaces_of(struct assimp_import *import, uint32_t node, struct rig_surface *out,
                            struct error *err)
{
    const struct aiNode *from = import->nodes[node];
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        uint32_t number = from->mMeshes[i];
        if (number >= import->scene->mNumMeshes)
            return error_set(err, "mesh %u of %u", number, import->scene->mNumMeshes);
        const struct aiMesh *mesh = import->scene->mMeshes[number];
        if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)) {
            assimp_add_oddity(import, "points and lines are left out");
            continue;
        }
        if ((!import->meshes[number].positions && read_mesh(import, number, node, err) < 0) ||
            add_weights(import, mesh, &import->rig_nodes[node], err) < 0)
            return error_add(err, "mesh %u", number);
        struct rig_surface *surface = &out[import->rig.surface_count++];
        *surface = import->meshes[number];
        surface->node = node;
        if (!*surface->name)
            surface->name = import->rig_nodes[node].name;
    }
    return 0;
}

int assimp_read_surfaces(struct assimp_import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        count += import->nodes[i]->mNumMeshes;
    if (count > MOST_SURFACES)
        return error_set(err, "%llu meshes of nodes (at most %d)", (unsigned long long)count, MOST_SURFACES);
    struct rig_surface *surfaces = arena_alloc(import->arena, count, sizeof *surfaces, err);
    import->meshes = arena_alloc(&import->scratch, scene->mNumMeshes, sizeof *import->meshes, err);
    import->rig.skins = import->skins = arena_alloc(import->arena, scene->mNumMeshes, sizeof *import->skins, err);
    if (!surfaces || !import->meshes || !import->skins)
        return -1;
    import->rig.surfaces = surfaces;
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        if (read_surfaces_of(import, i, surfaces, err) < 0)
            return error_add(err, "node '%s'", import->rig_nodes[i].name);
    return 0;
}
