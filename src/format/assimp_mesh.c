#include <math.h>
#include <string.h>

#include "format/assimp.h"
#include "model/format.h"

enum { MOST_SURFACES = 65536 };

static vec3 *copy_vectors(struct assimp_import *import, const struct aiVector3D *from, uint32_t count,
                          struct error *err)
{
    vec3 *out = arena_alloc(import->arena, count, sizeof *out, err);
    for (uint32_t i = 0; out && i < count; i++) {
        const float values[3] = {assimp_bounded(from[i].x), assimp_bounded(from[i].y), assimp_bounded(from[i].z)};
        memcpy(out[i], values, sizeof values);
    }
    return out;
}

static int read_positions(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                          struct error *err)
{
    out->positions = (const vec3 *)copy_vectors(import, mesh->mVertices, mesh->mNumVertices, err);
    if (mesh->mNormals)
        out->normals = (const vec3 *)copy_vectors(import, mesh->mNormals, mesh->mNumVertices, err);
    return out->positions && (out->normals || !mesh->mNormals) ? 0 : -1;
}

static int read_uvs(struct assimp_import *import, const struct aiVector3D *from, uint32_t count, const vec2 **out,
                    struct error *err)
{
    if (!from)
        return 0;
    vec2 *uvs = arena_alloc(import->arena, count, sizeof *uvs, err);
    for (uint32_t i = 0; uvs && i < count; i++) {
        uvs[i][0] = assimp_bounded(from[i].x);
        uvs[i][1] = assimp_bounded(from[i].y);
    }
    *out = (const vec2 *)uvs;
    return uvs ? 0 : -1;
}

static int read_colors(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const struct aiColor4D *from = mesh->mColors[0];
    if (!from)
        return 0;
    bool is_linear =
        !assimp_has_suffix(import->options->path); /* in glTF; other formats have colours of the screen */
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
    if (mesh->mNumFaces > MODEL_MOST_TRIANGLES)
        return error_set(err, "%u triangles (at most %d)", mesh->mNumFaces, MODEL_MOST_TRIANGLES);
    uint32_t *indices = arena_alloc(import->arena, mesh->mNumFaces, 3 * sizeof *indices, err);
    for (uint32_t i = 0; indices && i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (unsigned k = 0; k < face->mNumIndices; k++)
            if (face->mNumIndices != 3 || face->mIndices[k] >= mesh->mNumVertices)
                return error_set(err, "face %u names vertex %u of %u", i, face->mIndices[k], mesh->mNumVertices);
        if (face->mNumIndices == 3)
            memcpy(&indices[out->index_count], face->mIndices, 3 * sizeof *indices);
        out->index_count += face->mNumIndices == 3 ? 3 : 0;
    }
    out->indices = indices;
    return indices ? 0 : -1;
}

/* What assimp has of a morph target are its places; a rig has what they add. */
static vec3 *find_differences(struct assimp_import *import, const struct aiVector3D *to, const vec3 *from,
                              uint32_t count, struct error *err)
{
    vec3 *out = copy_vectors(import, to, count, err);
    for (uint32_t i = 0; out && i < count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] -= from[i][k];
    return out;
}

static int read_morphs(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    struct rig_morph *morphs = arena_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *morphs, err);
    if (!morphs)
        return -1;
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[i];
        if (target->mNumVertices != mesh->mNumVertices)
            return error_set(err, "morph target %u has %u vertices, its mesh %u", i, target->mNumVertices,
                             mesh->mNumVertices);
        vec3 *positions = NULL, *normals = NULL;
        if (target->mVertices &&
            !(positions = find_differences(import, target->mVertices, out->positions, mesh->mNumVertices, err)))
            return -1;
        if (target->mNormals && out->normals &&
            !(normals = find_differences(import, target->mNormals, out->normals, mesh->mNumVertices, err)))
            return -1;
        morphs[i] = (struct rig_morph){(const vec3 *)positions, (const vec3 *)normals};
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
        int32_t joint = assimp_find_node(import, name, strlen(name));
        if (joint < 0)
            assimp_tell(import, "bones that are no nodes do not move");
        joints[b] = joint < 0 ? node : (uint32_t)joint;
        if (assimp_read_matrix(&mesh->mBones[b]->mOffsetMatrix, &binds[(size_t)b * 16], err))
            return error_add(err, "bone '%s'", name);
    }
    joints[mesh->mNumBones] = node;
    for (int i = 0; i < 4; i++)
        binds[(size_t)mesh->mNumBones * 16 + (size_t)i * 5] = 1;
    *out = (struct rig_skin){mesh->mNumBones + 1, joints, binds};
    return 0;
}

static int read_influences(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                           struct error *err)
{
    const uint32_t width = ASSIMP_MOST_INFLUENCES;
    uint32_t *joints = arena_alloc(import->arena, (size_t)mesh->mNumVertices * width, sizeof *joints, err);
    float *weights = arena_alloc(import->arena, (size_t)mesh->mNumVertices * width, sizeof *weights, err);
    uint32_t *used = arena_alloc(&import->scratch, mesh->mNumVertices, sizeof *used, err);
    if (!joints || !weights || !used)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[i];
            if (weight->mVertexId >= mesh->mNumVertices)
                return error_set(err, "bone %u names vertex %u of %u", b, weight->mVertexId, mesh->mNumVertices);
            if (used[weight->mVertexId] == width)
                return error_set(err, "vertex %u hangs on more than %u bones", weight->mVertexId, width);
            size_t at = (size_t)weight->mVertexId * width + used[weight->mVertexId]++;
            joints[at] = b;
            weights[at] = assimp_clamp(weight->mWeight, 1e6f);
        }
    for (uint32_t v = 0; v < mesh->mNumVertices; v++) {
        float *own = weights + (size_t)v * width, sum = 0;
        for (uint32_t i = 0; i < width; i++)
            sum += own[i];
        for (uint32_t i = 0; i < width && sum > 0; i++)
            own[i] /= sum;
        if (!(sum > 0)) {
            joints[(size_t)v * width] = mesh->mNumBones;
            own[0] = 1;
        }
    }
    out->joints = joints;
    out->weights = weights;
    out->influence_count = width;
    return 0;
}

/* `node` is the first one that has it. */
static int read_mesh(struct assimp_import *import, uint32_t number, uint32_t node, struct error *err)
{
    const struct aiMesh *mesh = import->scene->mMeshes[number];
    struct rig_surface *out = &import->meshes[number];
    if (mesh->mNumVertices > MODEL_MOST_POINTS)
        return error_set(err, "%u vertices (at most %d)", mesh->mNumVertices, MODEL_MOST_POINTS);
    if (mesh->mMaterialIndex >= import->scene->mNumMaterials)
        return error_set(err, "it has material %u of %u", mesh->mMaterialIndex, import->scene->mNumMaterials);
    const struct model_material *const *material = &import->materials[mesh->mMaterialIndex];
    *out = (struct rig_surface){
        .name = assimp_text(import, &mesh->mName),
        .material = {.kind = MATERIAL_OWN, .name = (*material)->name, .own = material},
        .skin = -1,
        .point_count = mesh->mNumVertices,
    };
    if (read_faces(import, mesh, out, err) || read_positions(import, mesh, out, err) ||
        read_uvs(import, mesh->mTextureCoords[0], mesh->mNumVertices, &out->uvs, err) ||
        read_uvs(import, mesh->mTextureCoords[1], mesh->mNumVertices, &out->more_uvs, err) ||
        read_colors(import, mesh, out, err) || read_morphs(import, mesh, out, err))
        return -1;
    if (!mesh->mNumBones)
        return 0;
    out->skin = (int32_t)import->rig.skin_count;
    return read_skin(import, mesh, node, &import->skins[import->rig.skin_count++], err) ||
                   read_influences(import, mesh, out, err)
               ? -1
               : 0;
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
            assimp_tell(import, "points and lines are left out");
            continue;
        }
        if ((!import->meshes[number].positions && read_mesh(import, number, node, err)) ||
            add_weights(import, mesh, &import->rig_nodes[node], err))
            return error_add(err, "mesh %u", number);
        struct rig_surface *surface = &out[import->rig.surface_count++];
        *surface = import->meshes[number];
        surface->node = node;
        if (!*surface->name)
            surface->name = *import->rig_nodes[node].name ? import->rig_nodes[node].name : "mesh";
    }
    return 0;
}

int assimp_read_surfaces(struct assimp_import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < import->node_count; i++)
        count += import->nodes[i]->mNumMeshes;
    if (count > MOST_SURFACES)
        return error_set(err, "%llu meshes of nodes (at most %d)", (unsigned long long)count, MOST_SURFACES);
    struct rig_surface *surfaces = arena_alloc(import->arena, count, sizeof *surfaces, err);
    import->meshes = arena_alloc(&import->scratch, scene->mNumMeshes, sizeof *import->meshes, err);
    import->rig.skins = import->skins = arena_alloc(import->arena, scene->mNumMeshes, sizeof *import->skins, err);
    if (!surfaces || !import->meshes || !import->skins)
        return -1;
    import->rig.surfaces = surfaces;
    for (uint32_t i = 0; i < import->node_count; i++)
        if (read_surfaces_of(import, i, surfaces, err))
            return error_add(err, "node '%s'", import->rig_nodes[i].name);
    return 0;
}
