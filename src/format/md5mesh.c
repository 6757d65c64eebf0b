/* An md5mesh, as text:
 *
 *     MD5Version 10
 *     commandline "..."
 *     numJoints 2
 *     numMeshes 1
 *     joints {
 *         "name" parent ( position ) ( orientation )        parent -1, or an earlier joint; model space
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
 * What real files taught: numMeshes may be wrong; shaders may be empty, meshes too; vertices may share weights; biases
 * need not add up to exactly 1. Words in a wrong place that are not needed are skipped and reported as oddities. A
 * vertex without weights has no position and is an error, as in Doom 3. */
#include "format/md5.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "format/formats.h"

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

/* Items of the lists; `line` comes first in each, and is 0 until the file has given the item. */
struct vert {
    unsigned line;
    float uv[2];
    uint32_t first_weight, weight_count;
};

struct tri {
    unsigned line;
    uint32_t corners[3];
};

struct weight {
    unsigned line;
    struct skin_weight weight;
};

struct list {
    void *items;
    uint32_t count;
    bool is_declared;
};

struct mesh_block {
    struct mesh_block *next;
    const char *name, *shader;
    struct list lists[LIST_COUNT];
};

struct loader {
    struct lexer lexer;
    struct model *model;
    struct arena scratch; /* what is not needed after loading */
    struct md5_unknown unknown;
    struct mesh_block *first, **end;
    uint32_t mesh_count, totals[LIST_COUNT]; /* of all meshes */
    bool has_numJoints, has_numMeshes;
    uint32_t numJoints;
    int32_t numMeshes;
    struct transform *joints;
    uint32_t long_orientations, odd_biases;
    double oddest_bias;
};

struct list_format {
    const char *count_keyword, *keyword;
    size_t item_size, shortest_text;
    uint32_t most; /* in all meshes */
    int (*read)(struct loader *loader, void *item, struct error *err);
};

static int read_vert(struct loader *loader, void *item, struct error *err)
{
    struct vert *vert = item;
    struct lexer *lexer = &loader->lexer;
    if (lexer_expect(lexer, "(", err) < 0 || lexer_f32(lexer, &vert->uv[0], err) < 0 ||
        lexer_f32(lexer, &vert->uv[1], err) < 0 || lexer_expect(lexer, ")", err) < 0)
        return -1;
    return lexer_u32(lexer, &vert->first_weight, err) < 0 ? -1 : lexer_u32(lexer, &vert->weight_count, err);
}

static int read_tri(struct loader *loader, void *item, struct error *err)
{
    struct tri *tri = item;
    for (int i = 0; i < 3; i++)
        if (lexer_u32(&loader->lexer, &tri->corners[i], err) < 0)
            return -1;
    return 0;
}

static int read_weight(struct loader *loader, void *item, struct error *err)
{
    struct weight *weight = item;
    uint32_t joint, joint_count = loader->model->joint_count;
    double bias, position[3];
    if (lexer_u32(&loader->lexer, &joint, err) < 0)
        return -1;
    if (joint >= joint_count)
        return error_set(err, "%u: a weight names joint %u of %u", weight->line, joint, joint_count);
    if (md5_number(&loader->lexer, &bias, err) < 0 || md5_vector(&loader->lexer, position, 3, err) < 0)
        return -1;
    weight->weight = skin_weight(joint, bias, position);
    return 0;
}

static const struct list_format list_formats[LIST_COUNT] = {
    [VERTS] = {"numverts", "vert", sizeof(struct vert), sizeof "vert 0(0 0)0 1" - 1, MODEL_MOST_POINTS, read_vert},
    [TRIS] = {"numtris", "tri", sizeof(struct tri), sizeof "tri 0 0 0 0" - 1, MODEL_MOST_TRIANGLES, read_tri},
    [WEIGHTS] = {"numweights", "weight", sizeof(struct weight), sizeof "weight 0 0 1(0 0 0)" - 1, MOST_WEIGHTS,
                 read_weight},
};

static void *item_at(const struct list *list, enum list_kind kind, uint32_t i)
{
    return (char *)list->items + i * list_formats[kind].item_size;
}

static unsigned line_of(const void *item)
{
    unsigned line;
    memcpy(&line, item, sizeof line);
    return line;
}

static int declare_list(struct loader *loader, struct list *list, enum list_kind kind, struct error *err)
{
    const struct list_format *format = &list_formats[kind];
    if (list->is_declared)
        return error_set(err, "%u: a second %s in one mesh", loader->lexer.line, format->count_keyword);
    if (md5_count(&loader->lexer, format->count_keyword, format->shortest_text, &list->count, err) < 0)
        return -1;
    if (list->count > format->most - loader->totals[kind])
        return error_set(err, "%u: %s is %u and makes %u in all meshes, at most %u are allowed",
                         loader->lexer.line, format->count_keyword, list->count,
                         loader->totals[kind] + list->count, format->most);
    loader->totals[kind] += list->count;
    list->is_declared = true;
    list->items = arena_alloc(&loader->scratch, list->count, format->item_size, err);
    return list->items ? 0 : -1;
}

/* Items carry their number. They may come in any order, but each exactly once. */
static int read_item(struct loader *loader, struct list *list, enum list_kind kind, unsigned line,
                     struct error *err)
{
    const struct list_format *format = &list_formats[kind];
    uint32_t i;
    if (!list->is_declared)
        return error_set(err, "%u: a %s before %s", line, format->keyword, format->count_keyword);
    if (lexer_u32(&loader->lexer, &i, err) < 0)
        return -1;
    if (i >= list->count)
        return error_set(err, "%u: %s %u, but %s is %u", line, format->keyword, i, format->count_keyword,
                         list->count);
    void *item = item_at(list, kind, i);
    if (line_of(item))
        return error_set(err, "%u: a second %s %u, the first is in line %u", line, format->keyword, i,
                         line_of(item));
    memcpy(item, &line, sizeof line);
    return format->read(loader, item, err);
}

static int check_vert(struct loader *loader, const struct mesh_block *block, uint32_t i, struct error *err)
{
    const struct vert *vert = item_at(&block->lists[VERTS], VERTS, i);
    uint32_t count = vert->weight_count, weight_count = block->lists[WEIGHTS].count;
    if (count == 0)
        return error_set(err, "%u: vertex %u has no weights, so it has no place", vert->line, i);
    if (count > MOST_WEIGHTS_PER_VERTEX)
        return error_set(err, "%u: vertex %u has %u weights, at most %d are allowed", vert->line, i, count,
                         MOST_WEIGHTS_PER_VERTEX);
    if (vert->first_weight > weight_count || count > weight_count - vert->first_weight)
        return error_set(err, "%u: vertex %u names weights %u-%llu of %u", vert->line, i, vert->first_weight,
                         (unsigned long long)vert->first_weight + count - 1, weight_count);

    double sum = 0;
    for (uint32_t w = 0; w < count; w++) {
        const struct weight *weight = item_at(&block->lists[WEIGHTS], WEIGHTS, vert->first_weight + w);
        sum += weight->weight.bias;
    }
    if (fabs(sum - 1) > 0.01) {
        if (!loader->odd_biases++ || fabs(sum - 1) > fabs(loader->oddest_bias - 1))
            loader->oddest_bias = sum;
    }
    return 0;
}

/* At the '}' of the mesh: everything that was declared is there, and names what is there. */
static int check_mesh(struct loader *loader, const struct mesh_block *block, unsigned line, struct error *err)
{
    for (int kind = 0; kind < LIST_COUNT; kind++)
        for (uint32_t i = 0; i < block->lists[kind].count; i++)
            if (!line_of(item_at(&block->lists[kind], kind, i)))
                return error_set(err, "%u: the mesh ends without %s %u of %u", line, list_formats[kind].keyword, i,
                                 block->lists[kind].count);
    for (uint32_t i = 0; i < block->lists[VERTS].count; i++)
        if (check_vert(loader, block, i, err) < 0)
            return -1;
    for (uint32_t i = 0; i < block->lists[TRIS].count; i++) {
        const struct tri *tri = item_at(&block->lists[TRIS], TRIS, i);
        for (int corner = 0; corner < 3; corner++)
            if (tri->corners[corner] >= block->lists[VERTS].count)
                return error_set(err, "%u: triangle %u names vertex %u of %u", tri->line, i, tri->corners[corner],
                                 block->lists[VERTS].count);
    }
    return 0;
}

static int check_name(const struct token *name, const char *what, struct error *err)
{
    if (name->length > MODEL_LONGEST_NAME)
        return error_set(err, "%u: the name of a %s has %zu bytes, at most %d are allowed", name->line, what,
                         name->length, MODEL_LONGEST_NAME);
    return 0;
}

/* The name in a comment "// meshes: NAME" at the start of a mesh, which is the only place where exporters leave
 * it; NULL when there is none. The lexer passes over comments, so this looks at the text itself. */
static const char *name_in_comment(struct loader *loader, const struct token *first)
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

static int read_mesh_entry(struct loader *loader, struct mesh_block *block, const struct token *token,
                           struct error *err)
{
    if (token->kind == TOKEN_WORD && token_is(token, "shader")) {
        struct token shader;
        if (lexer_string(&loader->lexer, &shader, err) < 0 || check_name(&shader, "shader", err) < 0)
            return -1;
        block->shader = arena_strndup(&loader->model->arena, shader.text, shader.length);
        return 0;
    }
    for (int kind = 0; kind < LIST_COUNT; kind++) {
        if (token->kind != TOKEN_WORD)
            break;
        if (token_is(token, list_formats[kind].keyword))
            return read_item(loader, &block->lists[kind], kind, token->line, err);
        if (token_is(token, list_formats[kind].count_keyword))
            return declare_list(loader, &block->lists[kind], kind, err);
    }
    return md5_skip(&loader->lexer, token, &loader->unknown, err);
}

static int read_mesh(struct loader *loader, unsigned line, struct error *err)
{
    struct token token;
    if (!loader->joints)
        return error_set(err, "%u: a mesh before the joints", line);
    if (loader->mesh_count == MOST_MESHES)
        return error_set(err, "%u: more than %d meshes", line, MOST_MESHES);
    if (lexer_expect(&loader->lexer, "{", err) < 0 || lexer_peek(&loader->lexer, &token, err) < 0)
        return -1;
    struct mesh_block *block = arena_alloc(&loader->scratch, 1, sizeof *block, err);
    if (!block)
        return -1;
    block->shader = "";
    block->name = name_in_comment(loader, &token);

    for (;;) {
        if (lexer_next(&loader->lexer, &token, err) < 0)
            return -1;
        if (token.kind == TOKEN_END)
            return error_set(err, "%u: the file ends inside the mesh that starts in line %u", token.line, line);
        if (token.kind == TOKEN_PUNCTUATION && token.text[0] == '}')
            break;
        if (read_mesh_entry(loader, block, &token, err) < 0)
            return -1;
    }
    if (check_mesh(loader, block, token.line, err) < 0)
        return -1;
    *loader->end = block;
    loader->end = &block->next;
    loader->mesh_count++;
    return 0;
}

static int read_joint(struct loader *loader, const struct token *name, uint32_t i, struct joint *joint,
                      struct transform *placed, struct error *err)
{
    double length_squared;
    if (check_name(name, "joint", err) < 0 || lexer_i32(&loader->lexer, &joint->parent, err) < 0)
        return -1;
    if (joint->parent < -1 || joint->parent >= (int64_t)i)
        return error_set(err, "%u: joint %u has parent %d, allowed are -1 and the joints before it", name->line, i,
                         joint->parent);
    if (md5_transform(&loader->lexer, placed, &length_squared, err) < 0)
        return -1;
    loader->long_orientations += length_squared > 1.01;
    joint->name = arena_strndup(&loader->model->arena, name->text, name->length);
    return 0;
}

/* Joints past the declared number are read all the same, so that the message can name both numbers. */
static int read_joints(struct loader *loader, unsigned line, struct error *err)
{
    struct model *model = loader->model;
    if (loader->joints)
        return error_set(err, "%u: a second joints block", line);
    if (!loader->has_numJoints)
        return error_set(err, "%u: the joints before numJoints", line);
    if (lexer_expect(&loader->lexer, "{", err) < 0)
        return -1;
    uint32_t declared = loader->numJoints, found = 0;
    struct joint *joints = arena_alloc(&model->arena, declared, sizeof *joints, err);
    struct transform *placed = arena_alloc(&model->arena, declared, sizeof *placed, err);
    if (!joints || !placed)
        return -1;

    struct token token;
    for (;; found++) {
        struct joint joint;
        struct transform place;
        char text[64];
        if (lexer_next(&loader->lexer, &token, err) < 0)
            return -1;
        if (token.kind == TOKEN_PUNCTUATION && token.text[0] == '}')
            break;
        if (token.kind != TOKEN_STRING && token.kind != TOKEN_WORD)
            return error_set(err, "%u: expected joint %u of %u or '}', found %s", token.line, found, declared,
                             token_describe(&token, text));
        if (read_joint(loader, &token, found, &joint, &place, err) < 0)
            return -1;
        if (found < declared) {
            joints[found] = joint;
            placed[found] = place;
        }
    }
    if (found != declared)
        return error_set(err, "%u: numJoints is %u, but the joints block has %u", token.line, declared, found);
    model->joints = joints;
    model->joint_count = declared;
    loader->joints = placed;
    return 0;
}

static int declare_joints(struct loader *loader, struct error *err)
{
    if (loader->has_numJoints)
        return error_set(err, "%u: a second numJoints", loader->lexer.line);
    loader->has_numJoints = true;
    if (md5_count(&loader->lexer, "numJoints", sizeof "a 0(0 0 0)(0 0 0)" - 1, &loader->numJoints, err) < 0)
        return -1;
    if (loader->numJoints > MODEL_MOST_JOINTS)
        return error_set(err, "%u: numJoints is %u, at most %d are allowed", loader->lexer.line, loader->numJoints,
                         MODEL_MOST_JOINTS);
    return 0;
}

static int read_top_level(struct loader *loader, const struct token *token, struct error *err)
{
    struct token ignored;
    if (token->kind == TOKEN_WORD) {
        if (token_is(token, "commandline"))
            return lexer_string(&loader->lexer, &ignored, err);
        if (token_is(token, "numJoints"))
            return declare_joints(loader, err);
        if (token_is(token, "numMeshes")) {
            loader->has_numMeshes = true;
            return lexer_i32(&loader->lexer, &loader->numMeshes, err);
        }
        if (token_is(token, "joints"))
            return read_joints(loader, token->line, err);
        if (token_is(token, "mesh"))
            return read_mesh(loader, token->line, err);
        if (token_is(token, "hierarchy") || token_is(token, "numFrames"))
            return error_set(err, "%u: this is an MD5 animation, not a mesh", token->line);
    }
    return md5_skip(&loader->lexer, token, &loader->unknown, err);
}

/* -- Joining the meshes ------------------------------------------------------------------------------------ */

/* The name in the file, else the last part of the shader, else "mesh" and the mesh's number from 1. */
static const char *surface_name(struct model *model, uint32_t i, const struct mesh_block *block)
{
    const char *name = block->name ? block->name : path_foreign_base(block->shader);
    return *name ? name : arena_printf(&model->arena, "mesh%u", i + 1);
}

/* Fills in all of the model but its joints, which it has already: one surface for each mesh, in file order, with all
 * vertices in one row. */
static int join_meshes(struct loader *loader, struct error *err)
{
    struct model *model = loader->model;
    struct arena *arena = &model->arena;
    const struct transform *bind = loader->joints;
    const uint32_t *totals = loader->totals, point_count = totals[VERTS];
    uint32_t at[LIST_COUNT] = {0}; /* of the meshes joined so far */
    struct surface *surfaces = arena_alloc(arena, loader->mesh_count, sizeof *surfaces, err);
    uint32_t *indices = arena_alloc(arena, totals[TRIS], 3 * sizeof *indices, err);
    uint32_t *vertex_points = arena_alloc(arena, point_count, sizeof *vertex_points, err);
    vec2 *uvs = arena_alloc(arena, point_count, sizeof *uvs, err);
    struct skin_span *spans = arena_alloc(arena, point_count, sizeof *spans, err);
    struct skin_weight *weights = arena_alloc(arena, totals[WEIGHTS], sizeof *weights, err);
    uint32_t *twins = arena_alloc(arena, point_count, sizeof *twins, err);
    struct md5_mesh *data = arena_alloc(arena, 1, sizeof *data, err);
    vec3 *positions = arena_alloc(&loader->scratch, point_count, sizeof *positions, err);
    if (!surfaces || !indices || !vertex_points || !uvs || !spans || !weights || !twins || !data || !positions)
        return -1;

    for (const struct mesh_block *block = loader->first; block; block = block->next) {
        const struct list *lists = block->lists;
        const struct vert *verts = lists[VERTS].items;
        const struct tri *tris = lists[TRIS].items;
        const struct weight *own_weights = lists[WEIGHTS].items;
        surfaces[model->surface_count] = (struct surface){
            .name = surface_name(model, model->surface_count, block),
            .material = {.kind = MATERIAL_SHADER, .name = block->shader},
            .first_index = at[TRIS] * 3,
            .index_count = lists[TRIS].count * 3,
        };
        model->surface_count++;
        for (uint32_t i = 0; i < lists[VERTS].count; i++) {
            uint32_t point = at[VERTS] + i;
            memcpy(uvs[point], verts[i].uv, sizeof verts[i].uv);
            vertex_points[point] = point;
            spans[point] = (struct skin_span){at[WEIGHTS] + verts[i].first_weight, verts[i].weight_count};
        }
        for (uint32_t i = 0; i < lists[TRIS].count; i++)
            for (uint32_t corner = 0; corner < 3; corner++)
                indices[(at[TRIS] + i) * 3 + corner] = at[VERTS] + tris[i].corners[corner];
        for (uint32_t i = 0; i < lists[WEIGHTS].count; i++)
            weights[at[WEIGHTS] + i] = own_weights[i].weight;
        for (int kind = 0; kind < LIST_COUNT; kind++)
            at[kind] += lists[kind].count;
    }
    model_name_surfaces(model, surfaces);
    *data = (struct md5_mesh){.bind = bind, .skin = {weights, spans}, .twins = twins};
    skin_points(&data->skin, point_count, bind, model->joint_count, positions);
    uint32_t first_point = 0;
    for (const struct mesh_block *block = loader->first; block; block = block->next) {
        uint32_t count = block->lists[VERTS].count;
        if (md5_find_twins((const vec3 *)positions, first_point, count, &loader->scratch, twins, err) < 0)
            return -1;
        first_point += count;
    }
    model->surfaces = surfaces;
    model->indices = indices;
    model->index_count = totals[TRIS] * 3;
    model->vertex_points = vertex_points;
    model->uvs = (const vec2 *)uvs;
    model->has_black_vertices = true;
    model->point_count = model->vertex_count = point_count;
    model->data = data;
    return 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static void report_oddities(struct loader *loader)
{
    struct strings *oddities = &loader->model->oddities;
    if (!loader->has_numMeshes) {
        strings_add(oddities, "there is no numMeshes");
    } else if (loader->numMeshes != (int64_t)loader->mesh_count) {
        strings_printf(oddities, "numMeshes is %d, the file has %u%s", loader->numMeshes, loader->mesh_count,
                       loader->numMeshes > (int64_t)loader->mesh_count ? " (was it cut short?)" : "");
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

static bool md5_matches(struct bytes bytes)
{
    struct lexer lexer = lexer_at_start(bytes);
    struct error ignored;
    return lexer_expect(&lexer, "MD5Version", &ignored) == 0;
}

static int md5_load(struct bytes bytes, const struct model_options *options, struct model *model,
                    struct error *err)
{
    struct loader loader = {.model = model};
    if (options->takes_clips_alone && md5_animation_format.matches(bytes)) {
        const char *base = options->path ? path_base(options->path) : "";
        model->format_name = md5_animation_format.name;
        return md5_add_animation(model, arena_strndup(&model->arena, base, (size_t)(path_suffix(base) - base)),
                                 bytes, err);
    }
    loader.end = &loader.first;
    struct token token = {.kind = TOKEN_WORD};
    int result = md5_start(bytes, &loader.lexer, err);
    while (result == 0 && token.kind != TOKEN_END) {
        result = lexer_next(&loader.lexer, &token, err);
        if (result == 0 && token.kind != TOKEN_END)
            result = read_top_level(&loader, &token, err);
    }
    if (result == 0 && !loader.mesh_count)
        result = error_set(err, "%u: the file ends without %s", token.line,
                           loader.joints ? "a mesh" : "joints and meshes");
    if (result == 0)
        result = join_meshes(&loader, err);
    if (result == 0)
        report_oddities(&loader);
    arena_release(&loader.scratch);
    return result;
}

const struct model_format md5_format = {
    .name = "MD5",
    .suffixes = (const struct model_suffix[]){{.text = ".md5mesh"}, {0}},
    .reads = "Doom 3, version 10: joints, weights, animations, their scales (.md5scale)",
    .start = "MD5Version",
    .animation_format = &md5_animation_format,
    .matches = md5_matches,
    .load = md5_load,
    .add_animation = md5_add_animation,
    .pose = md5_pose,
    .pose_joints = md5_pose_joints,
};
