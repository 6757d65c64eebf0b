/* An md5mesh, as text:
 *
 *     MD5Version 10
 *     commandline "..."
 *     numJoints 2
 *     numMeshes 1
 *     joints {
 *         "name" parent ( position ) ( orientation )        parent -1, or another joint; model space
 *     }
 *     mesh {                                                 as often as there are meshes
 *         // meshes: name                                    some exporters only
 *         shader "material"
 *         numverts 3
 *         vert index ( s t ) first_weight weight_count
 *         numtris 1
 *         tri index vert vert vert
 *         numweights 3
 *         weight index joint bias ( position )               in the joint's space
 *     }
 *
 * Lists are in the order of their numbers, as the game reads them. What real files taught: numMeshes may be wrong;
 * shaders may be empty, meshes too; vertices may share weights; biases need not add up to exactly 1. Words outside its
 * lists that are not needed are skipped and reported as oddities. A vertex without weights has no position and is an
 * error, as in Doom 3. */
#include "idtech/md5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "idtech/tables.h"

enum {
    /* 9 is the most seen. Ranges may overlap, so without a limit the work of a pose could grow with the square
     * of the file. */
    MOST_WEIGHTS_PER_VERTEX = 64,
    /* A mesh is a drawing call; real models have a few dozen at most. */
    MOST_MESHES = 4096,
    MOST_WEIGHTS = 4 * MODEL_MOST_POINTS,
};

/* The three numbered lists of a mesh. */
enum list_kind { VERTS, TRIS, WEIGHTS, LIST_COUNT };

struct vert {
    unsigned line;
    float uv[2];
    uint32_t first_weight, weight_count; /* of the mesh */
};

struct tri {
    unsigned line;
    uint32_t corners[3]; /* vertices of the mesh */
};

/* Of all meshes, one after the other. */
struct list {
    void *items;
    uint32_t count;
    size_t capacity;
};

struct mesh_block {
    const char *name, *shader;
    uint32_t firsts[LIST_COUNT], counts[LIST_COUNT];
    bool has[LIST_COUNT];
};

struct md5_loader {
    struct lexer lexer;
    struct model *model;
    struct md5_unknown unknown;
    struct list lists[LIST_COUNT], meshes;
    bool has_numJoints, has_numMeshes;
    uint32_t numJoints;
    int32_t numMeshes;
    struct transform *joints;
    uint32_t *joint_places; /* in the model, where a parent comes before its children, by number in the file */
    uint32_t long_orientations, odd_biases;
    double oddest_bias;
};

/* -- Lists ------------------------------------------------------------------------------------------------- */

static void read_vert(struct md5_loader *loader, void *item)
{
    struct vert *vert = item;
    struct lexer *lexer = &loader->lexer;
    vert->line = lexer->line;
    lexer_expect(lexer, "(");
    vert->uv[0] = lexer_f32(lexer);
    vert->uv[1] = lexer_f32(lexer);
    lexer_expect(lexer, ")");
    vert->first_weight = lexer_u32(lexer);
    vert->weight_count = lexer_u32(lexer);
}

static void read_tri(struct md5_loader *loader, void *item)
{
    struct tri *tri = item;
    tri->line = loader->lexer.line;
    for (int i = 0; i < 3; i++)
        tri->corners[i] = lexer_u32(&loader->lexer);
}

static void read_weight(struct md5_loader *loader, void *item)
{
    struct lexer *lexer = &loader->lexer;
    double position[3];
    const uint32_t joint = lexer_u32(lexer), joint_count = loader->model->joint_count;
    if (joint >= joint_count) {
        lexer_fail(lexer, lexer->line, "a weight names joint %u of %u", joint, joint_count);
        return;
    }
    const double bias = lexer_f64(lexer, MODEL_LARGEST_NUMBER);
    md5_vector(lexer, position, 3);
    struct skin_weight *weight = item;
    *weight = (struct skin_weight){.bias = (float)bias, .joint = loader->joint_places[joint]};
    for (int i = 0; i < 3; i++)
        weight->biased_position[i] = (float)(bias * position[i]);
}

static const struct list_format {
    const char *count_keyword, *keyword;
    size_t item_size, shortest_text;
    uint32_t most; /* in all meshes */
    void (*read)(struct md5_loader *loader, void *item);
} list_formats[LIST_COUNT] = {
    [VERTS] = {"numverts", "vert", sizeof(struct vert), sizeof "vert 0(0 0)0 1" - 1, MODEL_MOST_POINTS, read_vert},
    [TRIS] = {"numtris", "tri", sizeof(struct tri), sizeof "tri 0 0 0 0" - 1, MODEL_MOST_TRIANGLES, read_tri},
    [WEIGHTS] = {"numweights", "weight", sizeof(struct skin_weight), sizeof "weight 0 0 1(0 0 0)" - 1,
                 MOST_WEIGHTS, read_weight},
};

static void *new_item(struct list *list, size_t size)
{
    list->items = must_grow(list->items, list->count, &list->capacity, size);
    return (char *)list->items + list->count++ * size;
}

/* A count, and so many items with their numbers from 0. */
static void read_list(struct md5_loader *loader, struct mesh_block *block, enum list_kind kind)
{
    const struct list_format *format = &list_formats[kind];
    struct lexer *lexer = &loader->lexer;
    struct list *list = &loader->lists[kind];
    if (block->has[kind])
        lexer_fail(lexer, lexer->line, "a second %s in one mesh", format->count_keyword);
    const uint32_t count = md5_count(lexer, format->count_keyword, format->shortest_text, false, UINT32_MAX);
    if (count > format->most - list->count)
        lexer_fail(lexer, lexer->line, "%s is %u and makes %u in all meshes, at most %u are allowed",
                   format->count_keyword, count, list->count + count, format->most);
    for (uint32_t i = 0; i < count && !lexer->has_failed; i++) {
        lexer_expect(lexer, format->keyword);
        const uint32_t number = lexer_u32(lexer);
        if (number != i)
            lexer_fail(lexer, lexer->line, "%s %u where %u of %u comes", format->keyword, number, i, count);
        format->read(loader, new_item(list, format->item_size));
    }
    block->has[kind] = true;
    block->counts[kind] = count;
}

/* -- Meshes ------------------------------------------------------------------------------------------------ */

static void check_vert(struct md5_loader *loader, const struct mesh_block *block, uint32_t i)
{
    const struct vert *vert = (const struct vert *)loader->lists[VERTS].items + block->firsts[VERTS] + i;
    const struct skin_weight *weights = loader->lists[WEIGHTS].items;
    uint32_t count = vert->weight_count, weight_count = block->counts[WEIGHTS];
    if (count == 0)
        lexer_fail(&loader->lexer, vert->line, "vertex %u has no weights, so it has no place", i);
    if (count > MOST_WEIGHTS_PER_VERTEX)
        lexer_fail(&loader->lexer, vert->line, "vertex %u has %u weights, at most %d are allowed", i, count,
                   MOST_WEIGHTS_PER_VERTEX);
    if (vert->first_weight > weight_count || count > weight_count - vert->first_weight)
        lexer_fail(&loader->lexer, vert->line, "vertex %u names weights %u-%llu of %u", i, vert->first_weight,
                   (unsigned long long)vert->first_weight + count - 1, weight_count);

    double sum = 0;
    for (uint32_t w = 0; w < count && !loader->lexer.has_failed; w++)
        sum += weights[block->firsts[WEIGHTS] + vert->first_weight + w].bias;
    if (fabs(sum - 1) > 0.01 && (!loader->odd_biases++ || fabs(sum - 1) > fabs(loader->oddest_bias - 1)))
        loader->oddest_bias = sum;
}

/* At the '}' of the mesh: everything names what is there. */
static void check_mesh(struct md5_loader *loader, const struct mesh_block *block)
{
    for (uint32_t i = 0; i < block->counts[VERTS] && !loader->lexer.has_failed; i++)
        check_vert(loader, block, i);
    for (uint32_t i = 0; i < 3 * block->counts[TRIS] && !loader->lexer.has_failed; i++) {
        const struct tri *tri = (const struct tri *)loader->lists[TRIS].items + block->firsts[TRIS] + i / 3;
        if (tri->corners[i % 3] >= block->counts[VERTS])
            lexer_fail(&loader->lexer, tri->line, "triangle %u names vertex %u of %u", i / 3, tri->corners[i % 3],
                       block->counts[VERTS]);
    }
}

/* Takes a name that is not too long, in the model's arena. */
static const char *take_name(struct md5_loader *loader, const char *what)
{
    const struct token name = lexer_string(&loader->lexer);
    if (name.length > MODEL_LONGEST_NAME)
        lexer_fail(&loader->lexer, name.line, "the name of a %s has %zu bytes, at most %d are allowed", what,
                   name.length, MODEL_LONGEST_NAME);
    return arena_strndup(&loader->model->arena, name.text, name.length);
}

/* The name in a comment "// meshes: NAME" at the start of a mesh, which is the only place where exporters leave
 * it; NULL when there is none. The lexer passes over comments, so this looks at the text itself. */
static const char *name_in_comment(struct md5_loader *loader, const struct token *first)
{
    static const char key[] = "// meshes:";
    const char *from = (const char *)loader->lexer.bytes.data + loader->lexer.at;
    const char *to = first->kind == TOKEN_END ? from : first->text;
    const char *at = memmem(from, (size_t)(to - from), key, sizeof key - 1);
    if (!at)
        return NULL;
    at += sizeof key - 1;
    const char *end = memchr(at, '\n', (size_t)(to - at));
    end = end ? end : to;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (at < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return at < end && end - at <= MODEL_LONGEST_NAME
               ? arena_strndup(&loader->model->arena, at, (size_t)(end - at))
               : NULL;
}

static void read_mesh_entry(struct md5_loader *loader, struct mesh_block *block, const struct token *token)
{
    if (token->kind == TOKEN_WORD && token_is(token, "shader")) {
        block->shader = take_name(loader, "shader");
        return;
    }
    for (int kind = 0; kind < LIST_COUNT && token->kind == TOKEN_WORD; kind++) {
        const struct list_format *format = &list_formats[kind];
        if (token_is(token, format->count_keyword)) {
            read_list(loader, block, kind);
            return;
        }
        if (token_is(token, format->keyword))
            lexer_fail(&loader->lexer, token->line, "a %s that no %s counts", format->keyword,
                       format->count_keyword);
    }
    md5_skip(&loader->lexer, token, &loader->unknown);
}

static void read_mesh(struct md5_loader *loader, unsigned line)
{
    struct lexer *lexer = &loader->lexer;
    struct token token;
    if (!loader->joints)
        lexer_fail(lexer, line, "a mesh before the joints");
    if (loader->meshes.count == MOST_MESHES)
        lexer_fail(lexer, line, "more than %d meshes", MOST_MESHES);
    lexer_expect(lexer, "{");
    lexer_peek(lexer, &token);
    struct mesh_block *block = new_item(&loader->meshes, sizeof *block);
    *block = (struct mesh_block){.name = name_in_comment(loader, &token), .shader = ""};
    for (int kind = 0; kind < LIST_COUNT; kind++)
        block->firsts[kind] = loader->lists[kind].count;
    while (lexer_next(lexer, &token) && !token_is_sign(&token, '}'))
        read_mesh_entry(loader, block, &token);
    if (token.kind == TOKEN_END)
        lexer_fail(lexer, token.line, "the file ends inside the mesh that starts in line %u", line);
    check_mesh(loader, block);
}

/* -- Joints and what else there is ------------------------------------------------------------------------- */

static void read_joints(struct md5_loader *loader, unsigned line)
{
    struct model *model = loader->model;
    struct lexer *lexer = &loader->lexer;
    if (loader->joints)
        lexer_fail(lexer, line, "a second joints block");
    if (!loader->has_numJoints)
        lexer_fail(lexer, line, "the joints before numJoints");
    lexer_expect(lexer, "{");
    struct joint *joints = arena_must_alloc(&model->arena, loader->numJoints, sizeof *joints);
    struct transform *placed = arena_must_alloc(&model->arena, loader->numJoints, sizeof *placed);
    loader->joints = arena_must_alloc(&model->arena, loader->numJoints, sizeof *loader->joints);
    loader->joint_places = arena_must_alloc(&model->arena, loader->numJoints, sizeof *loader->joint_places);
    for (uint32_t i = 0; i < loader->numJoints && !lexer->has_failed; i++) {
        double length_squared;
        joints[i].name = take_name(loader, "joint");
        joints[i].parent = lexer_i32(lexer);
        if (joints[i].parent < -1 || joints[i].parent >= (int64_t)loader->numJoints)
            lexer_fail(lexer, lexer->line, "joint %u has parent %d of %u joints", i, joints[i].parent,
                       loader->numJoints);
        placed[i] = md5_transform(lexer, &length_squared);
        loader->long_orientations += length_squared > 1.01;
    }
    if (lexer->has_failed || md5_sort_joints(joints, loader->numJoints, loader->joint_places, lexer, line) < 0)
        return;
    for (uint32_t i = 0; i < loader->numJoints; i++)
        loader->joints[loader->joint_places[i]] = placed[i];
    model->joints = joints;
    model->joint_count = loader->numJoints;
    lexer_expect(lexer, "}");
}

static void read_top_level(struct md5_loader *loader, const struct token *token)
{
    struct lexer *lexer = &loader->lexer;
    const bool is_word = token->kind == TOKEN_WORD;
    if (is_word && token_is(token, "numJoints")) {
        if (loader->has_numJoints)
            lexer_fail(lexer, token->line, "a second numJoints");
        loader->has_numJoints = true;
        loader->numJoints =
            md5_count(lexer, "numJoints", sizeof "a 0(0 0 0)(0 0 0)" - 1, false, MODEL_MOST_JOINTS);
    } else if (is_word && token_is(token, "numMeshes")) {
        loader->has_numMeshes = true;
        loader->numMeshes = lexer_i32(lexer);
    } else if (is_word && token_is(token, "joints")) {
        read_joints(loader, token->line);
    } else if (is_word && token_is(token, "mesh")) {
        read_mesh(loader, token->line);
    } else {
        if (is_word && (token_is(token, "hierarchy") || token_is(token, "numFrames")))
            lexer_fail(lexer, token->line, "this is an MD5 animation, not a mesh");
        md5_skip(lexer, token, &loader->unknown);
    }
}

/* -- Joining the meshes ------------------------------------------------------------------------------------ */

/* Fills in all of the model but its joints, which it has already: one surface for each mesh, in file order, with all
 * vertices in one row. */
static int join_meshes(struct md5_loader *loader, struct error *err)
{
    struct model *model = loader->model;
    const struct mesh_block *blocks = loader->meshes.items;
    const struct vert *verts = loader->lists[VERTS].items;
    const struct tri *tris = loader->lists[TRIS].items;
    const uint32_t point_count = loader->lists[VERTS].count, weight_count = loader->lists[WEIGHTS].count;
    model->surface_count = loader->meshes.count;
    model->index_count = loader->lists[TRIS].count * 3;
    model->point_count = model->vertex_count = point_count;
    model->has_black_vertices = true;
    struct model_arrays arrays = model_alloc_arrays(model);
    struct rig_part *parts = arena_must_alloc(&model->arena, model->surface_count, sizeof *parts);
    struct skin_span *spans = arena_must_alloc(&model->arena, point_count, sizeof *spans);
    struct skin_weight *weights = arena_must_alloc(&model->arena, weight_count, sizeof *weights);
    uint32_t *twins = arena_must_alloc(&model->arena, point_count, sizeof *twins);
    uint32_t *point_joints = arena_must_alloc(&model->arena, point_count, sizeof *point_joints);
    if (weight_count > 0)
        memcpy(weights, loader->lists[WEIGHTS].items, weight_count * sizeof *weights);
    for (uint32_t m = 0; m < model->surface_count; m++) {
        const struct mesh_block *block = &blocks[m];
        const uint32_t first_vert = block->firsts[VERTS], first_index = block->firsts[TRIS] * 3;
        const char *name = block->name ? block->name : path_foreign_base(block->shader);
        arrays.surfaces[m] = (struct surface){
            .name = *name ? name : arena_printf(&model->arena, "mesh%u", m + 1),
            .material = {.kind = MATERIAL_SHADER, .name = block->shader},
            .first_index = first_index,
            .index_count = block->counts[TRIS] * 3,
        };
        for (uint32_t i = first_vert; i < first_vert + block->counts[VERTS]; i++) {
            twins[i] = i;
            memcpy(arrays.uvs[i], verts[i].uv, sizeof verts[i].uv);
            spans[i] = (struct skin_span){block->firsts[WEIGHTS] + verts[i].first_weight, verts[i].weight_count};
            const struct skin_weight *weight = weights + spans[i].first, *most = weight;
            for (uint32_t left = spans[i].count; left > 0; left--, weight++)
                most = weight->bias > most->bias ? weight : most;
            point_joints[i] = most->joint;
        }
        parts[m] = (struct rig_part){.first_point = first_vert,
                                     .point_count = block->counts[VERTS],
                                     .weights = weights,
                                     .spans = spans + first_vert,
                                     .twins = twins + first_vert};
        if (block->counts[TRIS] > 0)
            parts[m].bind = point_joints[first_vert + tris[first_index / 3].corners[0]];
        for (uint32_t i = first_index; i < first_index + block->counts[TRIS] * 3; i++)
            arrays.indices[i] = first_vert + tris[i / 3].corners[i % 3];
    }
    model_name_surfaces(model, arrays.surfaces);
    model->point_joints = point_joints;
    struct rig rig = md5_rig(model, loader->joints);
    rig.parts = parts;
    rig.part_count = model->surface_count;
    if (rig_build(model, &rig, err) < 0)
        return -1;
    SCOPED_BY(mesh_release)
    struct mesh bound = {.point_count = point_count, .positions = must_alloc(point_count, sizeof(vec3))};
    rig_pose(model, &(struct pose){.animation = -1}, &bound);
    for (uint32_t m = 0; m < model->surface_count; m++) { /* twins are in one mesh */
        uint32_t *own = twins + parts[m].first_point;
        points_weld((const vec3 *)bound.positions, own, parts[m].point_count, own);
    }
    return 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static void report_oddities(struct md5_loader *loader)
{
    struct strings *oddities = &loader->model->oddities;
    if (!loader->has_numMeshes) {
        strings_add(oddities, "there is no numMeshes");
    } else if (loader->numMeshes != (int64_t)loader->meshes.count) {
        strings_printf(oddities, "numMeshes is %d, the file has %u%s", loader->numMeshes, loader->meshes.count,
                       loader->numMeshes > (int64_t)loader->meshes.count ? " (was it cut short?)" : "");
        strings_add(&loader->model->warnings, oddities->items[oddities->count - 1]);
    }
    if (loader->long_orientations)
        strings_printf(oddities, "%u joint orientations are longer than a unit quaternion and were shortened",
                       loader->long_orientations);
    if (loader->odd_biases)
        strings_printf(oddities, "the biases of %u vertices do not add up to 1 (%g at the worst)",
                       loader->odd_biases, loader->oddest_bias);
    md5_report_unknown(&loader->unknown, "", oddities);
}

int md5_load_mesh(struct bytes bytes, bool wants_meshes, struct model *model, struct error *err)
{
    struct md5_loader loader = {.model = model};
    struct token token;
    int result = md5_start(bytes, &loader.lexer, err);
    while ((wants_meshes || !loader.joints) && lexer_next(&loader.lexer, &token))
        read_top_level(&loader, &token);
    if (wants_meshes ? !loader.meshes.count : !loader.joints)
        lexer_fail(&loader.lexer, loader.lexer.line, "the file ends without %s",
                   loader.joints ? "a mesh" : "joints and meshes");
    if (result == 0 && !loader.lexer.has_failed)
        result = join_meshes(&loader, err);
    if (loader.lexer.has_failed)
        result = -1;
    if (result == 0 && wants_meshes)
        report_oddities(&loader);
    for (int kind = 0; kind < LIST_COUNT; kind++)
        free(loader.lists[kind].items);
    free(loader.meshes.items);
    return result;
}
