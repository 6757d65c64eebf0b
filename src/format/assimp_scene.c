/* Makes a rig of assimp's scene: materials, nodes, triangles, morph targets and skins of meshes, animations. */
#include "format/assimp.h"

#include <assimp/GltfMaterial.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "model/polygon.h"

/* -- Values ------------------------------------------------------------------------------------------------ */

static const char *keep_text(struct assimp_import *import, const struct aiString *text)
{
    return arena_strndup(import->arena, text->data, MODEL_LONGEST_NAME);
}

/* 0 for what no pose stands. */
static float bounded(float value)
{
    return fabsf(value) < (float)MODEL_LARGEST_NUMBER ? value : 0; /* also for NaN */
}

/* The value from 0 to `most`; 0 for NaN. */
static float clamp(float value, float most)
{
    return value > 0 ? fminf(value, most) : 0;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* *out stays where the material has none. */
static void get_number(struct assimp_import *import, const struct aiMaterial *material, const char *key,
                       unsigned type, unsigned index, float *out)
{
    float value = NAN;
    unsigned count = 1;
    import->library.aiGetMaterialFloatArray(material, key, type, index, &value, &count);
    if (isfinite(value))
        *out = value;
}

static bool get_color(struct assimp_import *import, const struct aiMaterial *material, const char *key,
                      unsigned type, unsigned index, float out[3])
{
    struct aiColor4D color = {0, 0, 0, 1};
    if (import->library.aiGetMaterialColor(material, key, type, index, &color) != aiReturn_SUCCESS)
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = clamp((&color.r)[i], 1e6f);
    return true;
}

/* The path of a picture: "*3" is one in the file, which may also go by the name that it had outside. */
static const char *picture_path(struct assimp_import *import, const char *name)
{
    const struct aiScene *scene = import->scene;
    const char *own = import->options->path;
    bool is_number = *name == '*';
    unsigned index = is_number ? (unsigned)strtoul(name + 1, NULL, 10) : 0;
    if (!*name)
        return NULL;
    while (!is_number && index < scene->mNumTextures &&
           strcasecmp(path_foreign_base(scene->mTextures[index]->mFilename.data), path_foreign_base(name)))
        index++;
    if (index < scene->mNumTextures)
        return arena_printf(import->arena, "%s:" ASSIMP_PICTURE_PREFIX "%u", own, index);
    if (is_number)
        return NULL;
    return model_picture_path(import->arena, own, name);
}

static bool read_texture(struct assimp_import *import, const struct aiMaterial *material, enum aiTextureType type,
                         struct model_texture *out)
{
    struct aiString path = {0};
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    unsigned uv_set = 0;
    if (import->library.aiGetMaterialTexture(material, type, 0, &path, NULL, &uv_set, NULL, NULL, modes, NULL) !=
        aiReturn_SUCCESS)
        return false;
    path.data[sizeof path.data - 1] = 0;
    const char *found = picture_path(import, path.data);
    if (!found)
        return false;
    if (uv_set > 1)
        strings_add_new(&import->model->oddities,
                        "texture coordinates beyond the second set, for which the first is taken");
    *out = (struct model_texture){found, model_picture_folder(import->arena, path.data),
                                  .placement.is_second_set = uv_set == 1};
    for (int i = 0; i < 2; i++)
        out->placement.wrap[i] = modes[i] == aiTextureMapMode_Clamp    ? WRAP_CLAMP
                                 : modes[i] == aiTextureMapMode_Mirror ? WRAP_MIRROR
                                                                       : WRAP_REPEAT;
    return true;
}

/* Shininess is the exponent of Phong's highlight. */
static void read_shine(struct assimp_import *import, const struct aiMaterial *material, struct model_material *out)
{
    float exponent = 0, color[3];
    get_number(import, material, AI_MATKEY_SHININESS, &exponent);
    if (exponent > 0)
        out->roughness = (float)pow(2 / (exponent + 2), 0.25);
    if (get_color(import, material, AI_MATKEY_COLOR_SPECULAR, color) && !(color[0] + color[1] + color[2] > 0))
        out->specular_factor = 0;
    get_number(import, material, AI_MATKEY_METALLIC_FACTOR, &out->metallic);
    get_number(import, material, AI_MATKEY_ROUGHNESS_FACTOR, &out->roughness);
    out->metallic = clamp(out->metallic, 1);
    out->roughness = clamp(out->roughness, 1);
    if (!read_texture(import, material, aiTextureType_UNKNOWN, &out->metallic_roughness)) {
        struct model_texture ignored;
        if (read_texture(import, material, aiTextureType_METALNESS, &ignored) ||
            read_texture(import, material, aiTextureType_DIFFUSE_ROUGHNESS, &ignored))
            strings_add_new(&import->model->oddities, "pictures of metal and roughness apart are left out");
    }
}

/* The linear value of a part of a material's colour. */
static float linear_color(const struct assimp_import *import, float part)
{
    return import->has_linear_colors ? clamp(part, 1) : model_linear_of((double)part);
}

/* A picture takes the place of a colour of the old kind. */
static void read_base_color(struct assimp_import *import, const struct aiMaterial *material,
                            struct model_material *out)
{
    bool is_linear = get_color(import, material, AI_MATKEY_BASE_COLOR, out->base_color_factor);
    bool has_color = is_linear || get_color(import, material, AI_MATKEY_COLOR_DIFFUSE, out->base_color_factor);
    bool has_picture = read_texture(import, material, aiTextureType_BASE_COLOR, &out->base_color) ||
                       read_texture(import, material, aiTextureType_DIFFUSE, &out->base_color);
    if (has_color && !is_linear)
        for (int i = 0; i < 3; i++)
            out->base_color_factor[i] = has_picture ? 1 : linear_color(import, out->base_color_factor[i]);
}

/* Many exporters write an opacity of 0 for what is not transparent. */
static void read_alpha(struct assimp_import *import, const struct aiMaterial *material, struct model_material *out)
{
    struct aiString mode = {0};
    struct model_texture holes;
    float opacity = 1;
    get_number(import, material, AI_MATKEY_OPACITY, &opacity);
    if (opacity > 0 && opacity < 1)
        out->base_color_factor[3] = opacity;
    out->alpha_mode = out->base_color_factor[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE;
    if (read_texture(import, material, aiTextureType_OPACITY, &holes)) {
        if (out->base_color.path && !strcmp(holes.path, out->base_color.path))
            out->alpha_mode = ALPHA_MASK;
        else
            strings_add_new(&import->model->oddities, "pictures of opacity alone are left out");
    }
    if (import->library.aiGetMaterialString(material, AI_MATKEY_GLTF_ALPHAMODE, &mode) == aiReturn_SUCCESS)
        out->alpha_mode = !strcmp(mode.data, "MASK")    ? ALPHA_MASK
                          : !strcmp(mode.data, "BLEND") ? ALPHA_BLEND
                                                        : ALPHA_OPAQUE;
    get_number(import, material, AI_MATKEY_GLTF_ALPHACUTOFF, &out->alpha_cutoff);
}

static void read_material(struct assimp_import *import, const struct aiMaterial *material,
                          struct model_material *out)
{
    struct aiString name = {0};
    float emission[3];
    unsigned count = 1;
    int is_two_sided = 1; /* most formats do not say, and their models have holes where back faces are left out */
    model_material_init(out);
    if (import->library.aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        out->name = keep_text(import, &name);
    read_base_color(import, material, out);
    read_shine(import, material, out);
    read_alpha(import, material, out);
    if (get_color(import, material, AI_MATKEY_COLOR_EMISSIVE, emission))
        for (int i = 0; i < 3; i++)
            out->emissive_factor[i] = linear_color(import, emission[i]);
    if (read_texture(import, material, aiTextureType_EMISSIVE, &out->emissive) ||
        read_texture(import, material, aiTextureType_EMISSION_COLOR, &out->emissive))
        out->emissive_factor[0] = out->emissive_factor[1] = out->emissive_factor[2] = 1;
    else if (!strcasecmp(path_suffix(import->options->path), ".x"))
        out->emissive = out->base_color; /* Direct3D adds it to the light, before the picture */
    if (!read_texture(import, material, aiTextureType_NORMALS, &out->normal))
        read_texture(import, material, aiTextureType_NORMAL_CAMERA, &out->normal);
    if (!read_texture(import, material, aiTextureType_AMBIENT_OCCLUSION, &out->occlusion))
        read_texture(import, material, aiTextureType_LIGHTMAP, &out->occlusion);
    import->library.aiGetMaterialIntegerArray(material, AI_MATKEY_TWOSIDED, &is_two_sided, &count);
    out->is_double_sided = is_two_sided != 0;
}

static void read_materials(struct assimp_import *import)
{
    const struct aiScene *scene = import->scene;
    struct model_material *materials = arena_must_alloc(import->arena, scene->mNumMaterials, sizeof *materials);
    import->materials = arena_must_alloc(import->arena, scene->mNumMaterials, sizeof *import->materials);
    for (unsigned i = 0; i < scene->mNumMaterials; i++) {
        read_material(import, scene->mMaterials[i], &materials[i]);
        import->materials[i] = &materials[i];
    }
}

/* -- Nodes ------------------------------------------------------------------------------------------------- */

/* Copies a matrix by column; fails for numbers that no pose stands. */
static int read_matrix(const struct aiMatrix4x4 *matrix, double out[16], struct error *err)
{
    const float *rows = &matrix->a1;
    for (int i = 0; i < 16; i++) {
        float value = rows[i % 4 * 4 + i / 4];
        if (!(fabs(value) < MODEL_LARGEST_NUMBER))
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
    out->name = keep_text(import, &node->mName);
    out->matrix = matrix;
    if (read_matrix(&node->mTransformation, matrix, err) < 0)
        return error_add(err, "node '%s'", out->name);
    import->library.aiDecomposeMatrix(&node->mTransformation, &scale, &turn, &move);
    out->local =
        (struct transform){.translation = {bounded(move.x), bounded(move.y), bounded(move.z)},
                           .rotation = {bounded(turn.x), bounded(turn.y), bounded(turn.z), bounded(turn.w)},
                           .scale = {bounded(scale.x), bounded(scale.y), bounded(scale.z)}};
    return 0;
}

/* Half-Life's bones stand side by side below one node, and each alone says on which other it hangs. */
static int find_parent(struct assimp_import *import, uint32_t node, struct error *err)
{
    const struct aiNode *parent = import->nodes[node]->mParent;
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        if (import->nodes[i] == parent) {
            if (i >= node)
                return error_set(err, "node '%s' hangs on a later one", import->rig_nodes[node].name);
            import->rig_nodes[node].parent = (int32_t)i;
            return 0;
        }
    return 0;
}

/* Reads the nodes in the order of their depth: the list is its own queue. */
static int read_nodes(struct assimp_import *import, struct error *err)
{
    struct rig *rig = &import->rig;
    import->nodes = arena_must_alloc(&import->scratch, MODEL_MOST_JOINTS, sizeof *import->nodes);
    import->nodes[0] = import->scene->mRootNode;
    rig->node_count = 1;
    for (uint32_t i = 0; i < rig->node_count; i++) {
        const struct aiNode *node = import->nodes[i];
        if (node->mNumChildren > MODEL_MOST_JOINTS - rig->node_count)
            return error_set(err, "more than %d nodes", MODEL_MOST_JOINTS);
        for (unsigned k = 0; k < node->mNumChildren; k++)
            import->nodes[rig->node_count++] = node->mChildren[k];
    }
    rig->nodes = import->rig_nodes = arena_must_alloc(import->arena, rig->node_count, sizeof *import->rig_nodes);
    import->rig_nodes[0].parent = -1;
    for (uint32_t i = 0, child = 1; i < rig->node_count; i++) {
        if (read_node(import, import->nodes[i], &import->rig_nodes[i], err) < 0)
            return -1;
        for (unsigned k = 0; k < import->nodes[i]->mNumChildren; k++)
            import->rig_nodes[child++].parent = (int32_t)i;
    }
    for (uint32_t i = 1; i < rig->node_count; i++)
        if (import->nodes[i]->mParent != import->nodes[rig->nodes[i].parent] && find_parent(import, i, err) < 0)
            return -1;
    return 0;
}

/* The next node of that name after `after`, which is -1 for the first; -1: none. */
static int32_t next_node(const struct assimp_import *import, const char *name, int32_t after)
{
    for (uint32_t i = (uint32_t)(after + 1); i < import->rig.node_count; i++)
        if (!strcmp(import->rig_nodes[i].name, name))
            return (int32_t)i;
    return -1;
}

static bool is_below(const struct assimp_import *import, int32_t node, int32_t top)
{
    while (node > top)
        node = import->rig_nodes[node].parent;
    return node == top;
}

/* assimp tells joints and what moves them by names, which two nodes may share. */
static void warn_of_name(struct assimp_import *import, const char *what, const char *name)
{
    SCOPED char *text = must_printf("%s '%s' may be the wrong one: several nodes are called so", what, name);
    strings_add_new(&import->model->warnings, text);
}

/* -- Meshes ------------------------------------------------------------------------------------------------ */

/* Of find_offence: what is not exact in files is below it, and two places that differ are not. */
static const float OFFENCE_THAT_TELLS = 1e-3f;

enum { MOST_SURFACES = 65536 }; /* each is drawn on its own */

/* The first `width` numbers of each; NULL for NULL. */
static float *copy_vectors(struct assimp_import *import, const struct aiVector3D *from, uint32_t count,
                           size_t width)
{
    float *copy = from ? arena_must_alloc(import->arena, count, width * sizeof *copy) : NULL;
    if (copy)
        for (size_t i = 0; i < count * width; i++)
            copy[i] = bounded((&from[i / width].x)[i % width]);
    return copy;
}

static void read_colors(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out)
{
    const struct aiColor4D *from = mesh->mColors[0];
    if (!from)
        return;
    vec4 *colors = arena_must_alloc(import->arena, mesh->mNumVertices, sizeof *colors);
    for (uint32_t i = 0; i < mesh->mNumVertices; i++) {
        const float codes[3] = {from[i].r, from[i].g, from[i].b};
        for (int k = 0; k < 3; k++)
            colors[i][k] = import->has_linear_vertices ? clamp(codes[k], 1) : model_linear_of((double)codes[k]);
        colors[i][3] = clamp(from[i].a, 1);
    }
    out->colors = (const vec4 *)colors;
}

/* Triangles, of polygons, too; points and lines are left out. */
static int read_faces(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                      struct error *err)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < mesh->mNumFaces; i++)
        count += mesh->mFaces[i].mNumIndices > 2 ? mesh->mFaces[i].mNumIndices - 2 : 0;
    if (count > UINT32_MAX / 3)
        return error_set(err, "%llu triangles", (unsigned long long)count);
    uint32_t *indices = arena_must_alloc(import->arena, count, 3 * sizeof *indices);
    for (uint32_t i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices < 3)
            continue;
        polygon_cut(out->positions, face->mIndices, face->mNumIndices, &indices[out->index_count]);
        out->index_count += 3 * (face->mNumIndices - 2);
    }
    out->indices = indices;
    return 0;
}

/* The differences that a rig has of a morph target, where assimp has its places. */
static const vec3 *copy_differences(struct assimp_import *import, const struct aiVector3D *to, const vec3 *base,
                                    uint32_t count)
{
    float *differences = copy_vectors(import, base ? to : NULL, count, 3);
    if (differences)
        for (size_t i = 0; i < (size_t)count * 3; i++)
            differences[i] -= base[i / 3][i % 3];
    return (const vec3 *)differences;
}

static int read_morphs(struct assimp_import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const uint32_t count = mesh->mNumVertices;
    struct rig_morph *morphs = arena_must_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *morphs);
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[i];
        if (target->mNumVertices != count)
            return error_set(err, "morph target %u has %u vertices, its mesh %u", i, target->mNumVertices, count);
        morphs[i].positions = copy_differences(import, target->mVertices, out->positions, count);
        morphs[i].normals = copy_differences(import, target->mNormals, out->normals, count);
    }
    out->morphs = morphs;
    out->morph_count = mesh->mNumAnimMeshes;
    return 0;
}

/* The matrix from the node's space to the scene's, at rest. */
static struct aiMatrix4x4 place_node(const struct assimp_import *import, int32_t node)
{
    struct aiMatrix4x4 placed = import->nodes[node]->mTransformation;
    while ((node = import->rig_nodes[node].parent) >= 0) {
        struct aiMatrix4x4 parent = import->nodes[node]->mTransformation;
        import->library.aiMultiplyMatrix4(&parent, &placed);
        placed = parent;
    }
    return placed;
}

/* How far from where it is a joint at rest would hold a mesh, in parts of the largest number of its matrix. */
static float find_offence(const struct assimp_import *import, const struct aiBone *bone, int32_t joint,
                          uint32_t node)
{
    struct aiMatrix4x4 held = place_node(import, joint), placed = place_node(import, (int32_t)node);
    float offence = 0, most = 1e-9f;
    import->library.aiMultiplyMatrix4(&held, &bone->mOffsetMatrix);
    for (int i = 0; i < 16; i++) {
        offence = fmaxf(offence, fabsf((&held.a1)[i] - (&placed.a1)[i]));
        most = fmaxf(most, fabsf((&placed.a1)[i]));
    }
    return offence / most;
}

/* The joint of a bone; -1: none. Of several of that name, those without a mesh count first, then those nearest to the
 * mesh of the node, which are in the same armature, then the one that holds the mesh where it is. */
static int32_t find_joint(struct assimp_import *import, const struct aiBone *bone, const char *name, uint32_t node)
{
    int32_t found = next_node(import, name, -1), best = -2;
    float least = 0;
    bool is_told = true;
    if (found < 0 || next_node(import, name, found) < 0)
        return found;
    for (int32_t at = found; at >= 0; at = next_node(import, name, at)) {
        int32_t rank = (int32_t)node; /* the lowest node that both are below: parents have lower numbers */
        while (!is_below(import, at, rank))
            rank = import->rig_nodes[rank].parent;
        if (import->nodes[at]->mNumMeshes)
            rank = -1;
        float offence = find_offence(import, bone, at, node);
        if (rank < best)
            continue;
        is_told = rank > best || fabsf(offence - least) > OFFENCE_THAT_TELLS;
        if (rank > best || offence < least)
            found = at, least = offence;
        best = rank;
    }
    if (!is_told)
        warn_of_name(import, "the joint", name);
    return found;
}

/* The bones of a mesh, and one more joint that carries what hangs on no bone: the node of the mesh. */
static int read_skin(struct assimp_import *import, const struct aiMesh *mesh, uint32_t node, struct rig_skin *out,
                     struct error *err)
{
    uint32_t *joints = arena_must_alloc(import->arena, (size_t)mesh->mNumBones + 1, sizeof *joints);
    double *binds = arena_must_alloc(import->arena, (size_t)mesh->mNumBones + 1, 16 * sizeof *binds);
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const char *name = keep_text(import, &mesh->mBones[b]->mName);
        int32_t joint = find_joint(import, mesh->mBones[b], name, node);
        if (joint < 0)
            strings_add_new(&import->model->oddities, "bones that are no nodes do not move");
        joints[b] = joint < 0 ? node : (uint32_t)joint;
        if (read_matrix(&mesh->mBones[b]->mOffsetMatrix, &binds[(size_t)b * 16], err) < 0)
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
    uint32_t *joints = arena_must_alloc(import->arena, mesh->mNumVertices * width, sizeof *joints);
    float *weights = arena_must_alloc(import->arena, mesh->mNumVertices * width, sizeof *weights);
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[i];
            size_t at = weight->mVertexId * width, end = at + width;
            while (at < end && weights[at] > 0)
                at++;
            if (at == end)
                return error_set(err, "vertex %u hangs on more than %zu bones", weight->mVertexId, width);
            joints[at] = b;
            weights[at] = clamp(weight->mWeight, 1e6f);
        }
    for (uint32_t v = 0; v < mesh->mNumVertices; v++) {
        float *own = weights + v * width, sum = 0;
        for (size_t i = 0; i < width; i++)
            sum += own[i];
        if (sum > 0) {
            for (size_t i = 0; i < width; i++)
                own[i] /= sum;
        } else {
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
    const uint32_t count = mesh->mNumVertices;
    if (mesh->mMaterialIndex >= import->scene->mNumMaterials)
        return error_set(err, "it has material %u of %u", mesh->mMaterialIndex, import->scene->mNumMaterials);
    const struct model_material *const *material = &import->materials[mesh->mMaterialIndex];
    *out = (struct rig_surface){
        .name = keep_text(import, &mesh->mName),
        .material = {.kind = MATERIAL_OWN, .name = (*material)->name, .own = material},
        .skin = -1,
        .point_count = count,
        .positions = (const vec3 *)copy_vectors(import, mesh->mVertices, count, 3),
        .normals = (const vec3 *)copy_vectors(import, mesh->mNormals, count, 3),
        .uvs = (const vec2 *)copy_vectors(import, mesh->mTextureCoords[0], count, 2),
        .more_uvs = (const vec2 *)copy_vectors(import, mesh->mTextureCoords[1], count, 2),
    };
    read_colors(import, mesh, out);
    if (read_faces(import, mesh, out, err) < 0 || read_morphs(import, mesh, out, err) < 0)
        return -1;
    if (!mesh->mNumBones)
        return 0;
    out->skin = (int32_t)import->rig.skin_count++;
    return read_skin(import, mesh, node, &import->skins[out->skin], err) < 0
               ? -1
               : read_influences(import, mesh, out, err);
}

/* The weights of the morph targets at rest: of the mesh that has most. */
static void add_weights(struct assimp_import *import, const struct aiMesh *mesh, struct rig_node *node)
{
    if (mesh->mNumAnimMeshes <= node->weight_count)
        return;
    float *weights = arena_must_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *weights);
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++)
        weights[i] = bounded(mesh->mAnimMeshes[i]->mWeight);
    node->weights = weights;
    node->weight_count = mesh->mNumAnimMeshes;
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
        if (!(mesh->mPrimitiveTypes & (aiPrimitiveType_TRIANGLE | aiPrimitiveType_POLYGON))) {
            strings_add_new(&import->model->oddities, "points and lines are left out");
            continue;
        }
        if (!import->meshes[number].positions && read_mesh(import, number, node, err) < 0)
            return error_add(err, "mesh %u", number);
        add_weights(import, mesh, &import->rig_nodes[node]);
        struct rig_surface *surface = &out[import->rig.surface_count++];
        *surface = import->meshes[number];
        surface->node = node;
        if (!*surface->name)
            surface->name = import->rig_nodes[node].name;
    }
    return 0;
}

/* The meshes of all nodes, once these are read. */
static int read_surfaces(struct assimp_import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        count += import->nodes[i]->mNumMeshes;
    if (count > MOST_SURFACES)
        return error_set(err, "%llu meshes of nodes (at most %d)", (unsigned long long)count, MOST_SURFACES);
    struct rig_surface *surfaces = arena_must_alloc(import->arena, count, sizeof *surfaces);
    import->meshes = arena_must_alloc(&import->scratch, scene->mNumMeshes, sizeof *import->meshes);
    import->rig.skins = import->skins = arena_must_alloc(import->arena, scene->mNumMeshes, sizeof *import->skins);
    import->rig.surfaces = surfaces;
    for (uint32_t i = 0; i < import->rig.node_count; i++)
        if (read_surfaces_of(import, i, surfaces, err) < 0)
            return error_add(err, "node '%s'", import->rig_nodes[i].name);
    return 0;
}

/* -- Animations -------------------------------------------------------------------------------------------- */

/* Numbers in tracks of weights: a key has one for each morph target, and need not name any. */
enum { MOST_WEIGHTS = 1 << 26 };

/* A track without keys, after those that the animation has; it counts once it has some. */
static struct rig_track *new_track(struct assimp_import *import, struct rig_animation *animation, uint32_t node,
                                   enum rig_target target, uint32_t width, uint32_t key_count)
{
    struct rig_track *track = (struct rig_track *)&animation->tracks[animation->track_count];
    *track = (struct rig_track){.node = node, .target = target, .width = width};
    track->times_s = arena_must_alloc(import->arena, key_count, sizeof *track->times_s);
    track->values = arena_must_alloc(import->arena, (size_t)key_count * width, sizeof *track->values);
    return track;
}

/* Room for the values of the next key, or NULL. */
static float *add_key(struct assimp_import *import, struct rig_track *track, double time_s)
{
    float *times_s = (float *)track->times_s;
    uint32_t count = track->key_count;
    if (!(fabs(time_s) < 1e6) || (count && !((float)time_s > times_s[count - 1]))) {
        strings_add_new(&import->model->oddities,
                        "keys of an animation that do not follow the one before are left out");
        return NULL;
    }
    times_s[count] = (float)time_s;
    return (float *)track->values + (size_t)track->width * track->key_count++;
}

/* The node that a channel is called as; -1: none. Of several of that name, those with a mesh count first, or without: a
 * mesh is often called as the bone that carries it. */
static int32_t find_moved(struct assimp_import *import, const char *name, bool has_mesh)
{
    int32_t found = -1, best = -1;
    bool is_told = true;
    for (int32_t at = next_node(import, name, -1); at >= 0; at = next_node(import, name, at)) {
        int32_t rank = (import->nodes[at]->mNumMeshes > 0) == has_mesh;
        if (rank < best)
            continue;
        is_told = rank > best;
        if (is_told)
            found = at, best = rank;
    }
    if (!is_told)
        warn_of_name(import, "what a clip moves as", name);
    return found;
}

/* A channel of morph targets is called as its node; what may follow is a '*' and the number of the mesh. */
static void add_weight_track(struct assimp_import *import, struct rig_animation *out,
                             const struct aiMeshMorphAnim *channel, double tick_s)
{
    const char *name = keep_text(import, &channel->mName);
    int32_t node = find_moved(import, arena_strndup(import->arena, name, strcspn(name, "*")), true);
    import->rig.morph_track_count += node >= 0;
    if (node < 0 || !import->rig_nodes[node].weight_count)
        return;
    uint32_t width = import->rig_nodes[node].weight_count;
    import->weight_count += (size_t)width * channel->mNumKeys;
    if (import->weight_count > MOST_WEIGHTS) {
        strings_add_new(&import->model->oddities, "weights of morph targets beyond what is read are left out");
        return;
    }
    struct rig_track *track = new_track(import, out, (uint32_t)node, RIG_WEIGHTS, width, channel->mNumKeys);
    for (uint32_t i = 0; i < channel->mNumKeys; i++) {
        const struct aiMeshMorphKey *key = &channel->mKeys[i];
        float *value = add_key(import, track, key->mTime * tick_s);
        if (value)
            for (unsigned k = 0; k < key->mNumValuesAndWeights; k++)
                if (key->mValues[k] < width)
                    value[key->mValues[k]] = bounded((float)key->mWeights[k]);
    }
    out->track_count += track->key_count > 0;
}

static void read_channel(struct assimp_import *import, struct rig_animation *out, const struct aiNodeAnim *channel,
                         uint32_t node, double tick_s)
{
    const uint32_t counts[] = {channel->mNumPositionKeys, channel->mNumRotationKeys, channel->mNumScalingKeys};
    for (enum rig_target target = RIG_TRANSLATION; target <= RIG_SCALE; target++) {
        const bool turns = target == RIG_ROTATION;
        const struct aiQuatKey *turn = channel->mRotationKeys;
        const struct aiVectorKey *key = target == RIG_SCALE ? channel->mScalingKeys : channel->mPositionKeys;
        struct rig_track *track = new_track(import, out, node, target, rig_widths[target], counts[target]);
        for (uint32_t i = 0; i < counts[target]; i++) {
            float *value = add_key(import, track, (turns ? turn[i].mTime : key[i].mTime) * tick_s);
            double unit[4] = {0};
            if (turns) {
                const struct aiQuaternion *q = &turn[i].mValue;
                memcpy(unit, (double[]){bounded(q->x), bounded(q->y), bounded(q->z), bounded(q->w)}, sizeof unit);
                quaternion_normalise(unit);
            }
            for (uint32_t k = 0; value && k < track->width; k++)
                value[k] = turns ? (float)unit[k] : bounded((&key[i].mValue.x)[k]);
        }
        out->track_count += track->key_count > 0;
    }
}

static void read_animation(struct assimp_import *import, const struct aiAnimation *from, struct rig_animation *out)
{
    double tick_s = from->mTicksPerSecond > 0 ? 1 / from->mTicksPerSecond : 1.0 / 25;
    int32_t *nodes = arena_must_alloc(&import->scratch, from->mNumChannels, sizeof *nodes);
    size_t most = from->mNumMorphMeshChannels;
    *out = (struct rig_animation){.name = keep_text(import, &from->mName)};
    for (unsigned i = 0; i < from->mNumChannels; i++) {
        nodes[i] = find_moved(import, keep_text(import, &from->mChannels[i]->mNodeName), false);
        most += nodes[i] < 0 ? 0 : 3;
    }
    out->tracks = arena_must_alloc(import->arena, most, sizeof *out->tracks);
    for (unsigned i = 0; i < from->mNumChannels; i++)
        if (nodes[i] >= 0)
            read_channel(import, out, from->mChannels[i], (uint32_t)nodes[i], tick_s);
    for (unsigned i = 0; i < from->mNumMorphMeshChannels; i++)
        add_weight_track(import, out, from->mMorphMeshChannels[i], tick_s);
}

/* Reads the animations, after the surfaces, which say how many weights a node has. */
static void read_animations(struct assimp_import *import)
{
    const struct aiScene *scene = import->scene;
    struct rig_animation *animations = arena_must_alloc(import->arena, scene->mNumAnimations, sizeof *animations);
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        read_animation(import, scene->mAnimations[i], &animations[import->rig.animation_count]);
        import->rig.animation_count += animations[import->rig.animation_count].track_count > 0;
    }
    import->rig.animations = animations;
}

int assimp_read_scene(struct assimp_import *import, struct error *err)
{
    read_materials(import);
    if (read_nodes(import, err) < 0 || read_surfaces(import, err) < 0)
        return -1;
    read_animations(import);
    import->rig.may_lack_triangles =
        import->options->is_for_clips || (import->options->takes_clips_alone && import->rig.animation_count > 0);
    return 0;
}
