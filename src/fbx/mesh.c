/* FBX, geometry. Polygons name control points, and layers give their corners normals, coordinates and colours, by whatever
 * of the two, or by polygon; a rig has points, which are corners that have all in common. */
#include "fbx/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "base/hash.h"
#include "model/polygon.h"

enum {
    MOST_INFLUENCES = 16,  /* of a point: the strongest */
    MOST_SHAPED = 1 << 26, /* points of all shapes of a geometry */
    MOST_AROUND = 512,     /* corners at a control point that are smooth together */
    NONE = UINT32_MAX
};

/* The cosine of 60 degrees: where no one says what is smooth, less than that is. */
static const double SMOOTH = 0.5;

/* Weights of a point that are too many are told from here on. */
static const float LEAST_TOLD = 1e-3f;

enum mapping { BY_CORNER, BY_CONTROL, BY_POLYGON, BY_ALL };

/* A layer of the geometry. */
struct layer {
    const double *values, *numbers; /* numbers of values, or NULL: they are in order */
    size_t value_count, number_count;
    uint32_t width;
    enum mapping mapping;
};

enum part { NORMAL, UV = NORMAL + 3, MORE_UV = UV + 2, COLOR = MORE_UV + 2, PART_COUNT = COLOR + 4 };

struct corner {
    uint32_t control;
    float values[PART_COUNT];
};

struct reader {
    struct fbx *fbx;
    const struct fbx_node *node;
    struct fbx_mesh *mesh;
    const double *places;
    uint32_t *controls; /* of corners */
    uint32_t corner_count;
    uint32_t *starts; /* of polygons, in corners; after them the end of the last */
    uint32_t polygon_count;
    uint32_t *polygons; /* of corners */
    uint32_t *points;   /* of corners */
    const uint32_t *point_controls;
};

/* 0 for what no pose stands. */
static float bounded(double value)
{
    return fabs(value) < MODEL_LARGEST_NUMBER ? (float)value : 0;
}

/* -- Layers ------------------------------------------------------------------------------------------------- */

/* Without values where it says of them nothing that is known. */
static struct layer read_layer(struct reader *reader, const struct fbx_node *node, const char *values,
                               const char *numbers, uint32_t width)
{
    struct fbx *fbx = reader->fbx;
    const struct bytes mapping = fbx_bytes(fbx_child(node, "MappingInformationType"), 0);
    struct layer out = {.width = width};
    out.values = fbx_numbers(fbx, fbx_child(node, values), &out.value_count);
    if (numbers && fbx_child(node, numbers))
        out.numbers = fbx_numbers(fbx, fbx_child(node, numbers), &out.number_count);
    out.value_count /= width;
    const size_t count = out.numbers ? out.number_count : out.value_count;
    if (fbx_is(mapping, "ByPolygonVertex"))
        out.mapping = BY_CORNER;
    else if (fbx_is(mapping, "ByVertex") || fbx_is(mapping, "ByVertice"))
        out.mapping = BY_CONTROL;
    else if (fbx_is(mapping, "ByPolygon")) /* some mean corners */
        out.mapping = count == reader->corner_count && count > reader->polygon_count ? BY_CORNER : BY_POLYGON;
    else if (fbx_is(mapping, "AllSame"))
        out.mapping = BY_ALL;
    else if (mapping.size > 0 || count != reader->corner_count) /* some say nothing, and mean corners */
        out.value_count = 0;
    return out;
}

/* The values of a corner; NULL: it has none. */
static const double *value_of(const struct reader *reader, const struct layer *layer, uint32_t corner)
{
    size_t at = layer->mapping == BY_CORNER    ? corner
                : layer->mapping == BY_CONTROL ? reader->controls[corner]
                : layer->mapping == BY_POLYGON ? reader->polygons[corner]
                                               : 0;
    if (layer->numbers) {
        const double number = at < layer->number_count ? layer->numbers[at] : -1;
        at = number >= 0 && number < (double)layer->value_count ? (size_t)number : SIZE_MAX;
    }
    return at < layer->value_count ? layer->values + at * layer->width : NULL;
}

/* -- Polygons ----------------------------------------------------------------------------------------------- */

/* The last corner of a polygon is stored as ~control. */
static int read_polygons(struct reader *reader)
{
    struct fbx *fbx = reader->fbx;
    size_t place_count, count;
    reader->places = fbx_numbers(fbx, fbx_child(reader->node, "Vertices"), &place_count);
    const double *numbers = fbx_numbers(fbx, fbx_child(reader->node, "PolygonVertexIndex"), &count);
    if (fbx->has_failed)
        return -1;
    if (place_count / 3 > UINT32_MAX / 4 || count > UINT32_MAX / 4)
        return fbx_fail(fbx, "%zu numbers of places and %zu corners", place_count, count);
    const uint32_t control_count = reader->mesh->control_count = (uint32_t)(place_count / 3);
    reader->controls = arena_must_alloc(&fbx->scratch, count, sizeof *reader->controls);
    reader->polygons = arena_must_alloc(&fbx->scratch, count, sizeof *reader->polygons);
    reader->starts = arena_must_alloc(&fbx->scratch, count + 1, sizeof *reader->starts);
    reader->corner_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const double number = numbers[i] < 0 ? -1 - numbers[i] : numbers[i];
        if (!(number >= 0 && number < control_count))
            return fbx_fail(fbx, "corner %u is at control point %g of %u", i, number, control_count);
        reader->controls[i] = (uint32_t)number;
        reader->polygons[i] = reader->polygon_count;
        if (numbers[i] < 0 || i + 1 == count)
            reader->starts[++reader->polygon_count] = i + 1;
    }
    return 0;
}

/* -- Normals, where the file has none ------------------------------------------------------------------------- */

static void find_polygon_normal(const struct reader *reader, uint32_t polygon, double out[3])
{
    const uint32_t begin = reader->starts[polygon], end = reader->starts[polygon + 1];
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = begin; i < end; i++) {
        const double *a = reader->places + 3 * (size_t)reader->controls[i];
        const double *b = reader->places + 3 * (size_t)reader->controls[i + 1 < end ? i + 1 : begin];
        for (int k = 0; k < 3; k++)
            out[k] += (a[(k + 1) % 3] - b[(k + 1) % 3]) * (a[(k + 2) % 3] + b[(k + 2) % 3]);
    }
    if (!dvec_normalise(out))
        memset(out, 0, 3 * sizeof *out);
}

/* The corner before, or with 1 the one after, in its polygon. */
static uint32_t beside(const struct reader *reader, uint32_t corner, int is_after)
{
    const uint32_t *ends = &reader->starts[reader->polygons[corner]];
    return is_after ? corner + 1 < ends[1] ? corner + 1 : ends[0] : (corner > ends[0] ? corner : ends[1]) - 1;
}

static uint32_t root_of(uint32_t *groups, uint32_t corner)
{
    while (groups[corner] != corner)
        corner = groups[corner] = groups[groups[corner]];
    return corner;
}

/* Which edges are hard, by the corner at which they begin. */
static bool *read_hard_edges(struct reader *reader, const struct fbx_node *smoothing)
{
    size_t edge_count, value_count;
    const double *edges = fbx_numbers(reader->fbx, fbx_child(reader->node, "Edges"), &edge_count);
    const double *values = fbx_numbers(reader->fbx, smoothing, &value_count);
    bool *are_hard = arena_must_alloc(&reader->fbx->scratch, reader->corner_count, sizeof *are_hard);
    for (size_t i = 0; i < edge_count && i < value_count; i++)
        if (edges[i] >= 0 && edges[i] < reader->corner_count)
            are_hard[(size_t)edges[i]] = values[i] == 0;
    return are_hard;
}

/* Whether two corners at a control point are on both sides of an edge that is not hard. */
static bool share_edge(const struct reader *reader, const bool *are_hard, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t end_a = beside(reader, a, i & 1), end_b = beside(reader, b, i >> 1);
        if (reader->controls[end_a] == reader->controls[end_b] && !are_hard[i & 1 ? a : end_a] &&
            !are_hard[i >> 1 ? b : end_b])
            return true;
    }
    return false;
}

/* A corner has the sum of the unit normals of the polygons around its control point that are smooth with its own: by
 * groups of polygons as bits, by edges, or by the angle between them. */
static struct layer find_normals(struct reader *reader)
{
    struct arena *scratch = &reader->fbx->scratch;
    const struct fbx_node *node = fbx_child(reader->node, "LayerElementSmoothing");
    const bool is_by_edge = fbx_is(fbx_bytes(fbx_child(node, "MappingInformationType"), 0), "ByEdge");
    const struct layer smoothing = is_by_edge ? (struct layer){0} : read_layer(reader, node, "Smoothing", NULL, 1);
    const bool *are_hard = is_by_edge ? read_hard_edges(reader, fbx_child(node, "Smoothing")) : NULL;
    if (!is_by_edge && smoothing.value_count == 0)
        fbx_note(reader->fbx, false, "surfaces without normals and smoothing are smooth up to 60 degrees",
                 reader->mesh->all.name);
    const uint32_t count = reader->corner_count, control_count = reader->mesh->control_count;
    uint32_t *firsts = arena_must_alloc(scratch, control_count, sizeof *firsts); /* 1 + the corner, or 0 */
    uint32_t *nexts = arena_must_alloc(scratch, count, sizeof *nexts);           /* of corners, the same */
    uint32_t *groups = arena_must_alloc(scratch, count, sizeof *groups); /* of those that share soft edges */
    double(*normals)[3] = arena_must_alloc(scratch, count, sizeof *normals);
    double(*faces)[3] = arena_must_alloc(scratch, reader->polygon_count, sizeof *faces);
    for (uint32_t p = 0; p < reader->polygon_count; p++)
        find_polygon_normal(reader, p, faces[p]);
    for (uint32_t i = 0; i < count; i++) {
        groups[i] = i;
        nexts[i] = firsts[reader->controls[i]];
        firsts[reader->controls[i]] = i + 1;
        for (uint32_t k = nexts[i], around = 0; is_by_edge && k > 0 && around < MOST_AROUND;
             k = nexts[k - 1], around++)
            if (share_edge(reader, are_hard, i, k - 1))
                groups[root_of(groups, i)] = root_of(groups, k - 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t own = reader->polygons[i];
        const double *bits = value_of(reader, &smoothing, i);
        double *sum = memcpy(normals[i], faces[own], sizeof faces[own]);
        for (uint32_t k = firsts[reader->controls[i]], around = 0; k > 0 && around < MOST_AROUND; around++) {
            const uint32_t other = k - 1, polygon = reader->polygons[other];
            const double *its = value_of(reader, &smoothing, other);
            const bool is_smooth = is_by_edge              ? root_of(groups, i) == root_of(groups, other)
                                   : smoothing.value_count ? bits && its && (fbx_whole(*bits) & fbx_whole(*its))
                                                           : dvec_dot(faces[own], faces[polygon]) > SMOOTH;
            for (int axis = 0; axis < 3 && other != i && is_smooth; axis++)
                sum[axis] += faces[polygon][axis];
            k = nexts[other];
        }
        if (!dvec_normalise(sum))
            sum[2] = 1;
    }
    return (struct layer){.values = normals[0], .value_count = count, .width = 3, .mapping = BY_CORNER};
}

/* -- Points ------------------------------------------------------------------------------------------------- */

/* The layer whose number, after its name, is the lowest above `after`; NULL: none. */
static const struct fbx_node *layer_after(const struct fbx_node *parent, const char *name, double after)
{
    const struct fbx_node *found = NULL;
    for (const struct fbx_node *node = fbx_child(parent, name); node; node = fbx_next(node, name))
        if (fbx_number(node, 0, 0) > after && (!found || fbx_number(node, 0, 0) < fbx_number(found, 0, 0)))
            found = node;
    return found;
}

static void fill_corner(const struct reader *reader, const struct layer layers[4], uint32_t index,
                        struct corner *out)
{
    static const enum part parts[] = {NORMAL, UV, MORE_UV, COLOR};
    *out = (struct corner){.control = reader->controls[index]};
    for (uint32_t i = 0; i < 4; i++) {
        const double *from = value_of(reader, &layers[i], index);
        for (uint32_t k = 0; k < layers[i].width; k++)
            out->values[parts[i] + k] = from ? bounded(from[k]) : i == 3 ? 1 : 0;
    }
    for (int i = 0; i < 2; i++) /* t is up in the file */
        out->values[UV + 2 * i + 1] = 1 - out->values[UV + 2 * i + 1];
    for (int i = 0; i < 3 && layers[3].value_count; i++)
        out->values[COLOR + i] = model_linear_of((double)out->values[COLOR + i]);
}

/* Gives each point what its control point has; in `by_control` the next one's begins after `stride` bytes. */
static void *spread(const struct reader *reader, const void *by_control, size_t size, size_t stride)
{
    struct fbx *fbx = reader->fbx;
    const uint32_t count = reader->mesh->all.point_count;
    uint8_t *out = arena_alloc(fbx->arena, count, size, fbx->err);
    fbx->has_failed |= !out;
    for (size_t i = 0; i < count && out; i++)
        memcpy(out + i * size, (const uint8_t *)by_control + reader->point_controls[i] * stride, size);
    return out;
}

static const void *copy_part(const struct reader *reader, const struct corner *corners, enum part part,
                             size_t width)
{
    float *out = arena_must_alloc(reader->fbx->arena, reader->mesh->all.point_count, width * sizeof *out);
    for (uint32_t i = 0; i < reader->mesh->all.point_count; i++)
        memcpy(out + i * width, corners[i].values + part, width * sizeof *out);
    return out;
}

/* Gives corners that are equal in all one point. */
static void join_corners(struct reader *reader)
{
    struct fbx *fbx = reader->fbx;
    struct fbx_mesh *mesh = reader->mesh;
    const struct fbx_node *uv = layer_after(reader->node, "LayerElementUV", -1);
    const struct fbx_node *more = uv ? layer_after(reader->node, "LayerElementUV", fbx_number(uv, 0, 0)) : NULL;
    struct layer layers[] = {
        read_layer(reader, layer_after(reader->node, "LayerElementNormal", -1), "Normals", "NormalsIndex", 3),
        read_layer(reader, uv, "UV", "UVIndex", 2),
        read_layer(reader, more, "UV", "UVIndex", 2),
        read_layer(reader, layer_after(reader->node, "LayerElementColor", -1), "Colors", "ColorIndex", 4),
    };
    if (layers[0].value_count == 0)
        layers[0] = find_normals(reader);
    size_t capacity = 16;
    while (capacity < 2 * (size_t)reader->corner_count)
        capacity *= 2;
    uint32_t *table = arena_must_alloc(&fbx->scratch, capacity, sizeof *table); /* 1 + the point */
    struct corner *corners = arena_must_alloc(&fbx->scratch, reader->corner_count, sizeof *corners);
    reader->points = arena_must_alloc(&fbx->scratch, reader->corner_count, sizeof *reader->points);
    for (uint32_t i = 0; i < reader->corner_count; i++) {
        struct corner *own = &corners[mesh->all.point_count];
        fill_corner(reader, layers, i, own);
        size_t at = hash_number((struct bytes){(const uint8_t *)own, sizeof *own}) & (capacity - 1);
        while (table[at] && memcmp(&corners[table[at] - 1], own, sizeof *own))
            at = (at + 1) & (capacity - 1);
        if (!table[at])
            table[at] = ++mesh->all.point_count;
        reader->points[i] = table[at] - 1;
    }
    uint32_t *controls = arena_must_alloc(&fbx->scratch, mesh->all.point_count, sizeof *controls);
    vec3 *positions = arena_must_alloc(fbx->arena, mesh->all.point_count, sizeof *positions);
    for (uint32_t i = 0; i < mesh->all.point_count; i++) {
        controls[i] = corners[i].control;
        for (int k = 0; k < 3; k++)
            positions[i][k] = bounded(reader->places[3 * (size_t)controls[i] + (size_t)k]);
    }
    reader->point_controls = controls;
    mesh->all.positions = (const vec3 *)positions;
    mesh->all.normals = copy_part(reader, corners, NORMAL, 3);
    mesh->all.uvs = layers[1].value_count ? copy_part(reader, corners, UV, 2) : NULL;
    mesh->all.more_uvs = layers[2].value_count ? copy_part(reader, corners, MORE_UV, 2) : NULL;
    mesh->all.colors = layers[3].value_count ? copy_part(reader, corners, COLOR, 4) : NULL;
}

/* -- Triangles ---------------------------------------------------------------------------------------------- */

/* Corners of a polygon; 0: it is a hole. */
static uint32_t size_of_polygon(const struct reader *reader, const struct layer *holes, uint32_t polygon)
{
    const uint32_t *start = &reader->starts[polygon];
    const double *is_hole = value_of(reader, holes, *start);
    return is_hole && *is_hole != 0 ? 0 : start[1] - start[0];
}

/* Materials by polygon; holes, and polygons of one or two corners, which are points and lines, are left out. */
static void cut_polygons(struct reader *reader)
{
    struct fbx *fbx = reader->fbx;
    struct fbx_mesh *mesh = reader->mesh;
    const struct fbx_node *node = fbx_child(reader->node, "LayerElementMaterial");
    const struct layer layer = read_layer(reader, node, "Materials", NULL, 1);
    const struct layer holes = read_layer(reader, fbx_child(reader->node, "LayerElementHole"), "Hole", NULL, 1);
    uint32_t *materials = arena_must_alloc(&fbx->scratch, reader->polygon_count, sizeof *materials), most = 0;
    for (uint32_t p = 0; p < reader->polygon_count; p++) {
        const double *number = value_of(reader, &layer, reader->starts[p]);
        materials[p] = number && *number > 0 && *number < 65536 ? (uint32_t)*number : 0;
        most = materials[p] > most ? materials[p] : most;
    }
    struct fbx_part *parts = arena_must_alloc(&fbx->scratch, (size_t)most + 1, sizeof *parts);
    for (uint32_t p = 0; p < reader->polygon_count; p++) {
        const uint32_t size = size_of_polygon(reader, &holes, p);
        parts[materials[p]].index_count += size > 2 ? 3 * (size - 2) : 0;
    }
    for (uint32_t m = 0; m <= most; m++)
        parts[m] = (struct fbx_part){
            .material = m, .indices = arena_must_alloc(fbx->arena, parts[m].index_count, sizeof *parts->indices)};
    for (uint32_t p = 0; p < reader->polygon_count; p++) {
        const uint32_t begin = reader->starts[p], size = size_of_polygon(reader, &holes, p);
        struct fbx_part *part = &parts[materials[p]];
        if (size == 1 || size == 2)
            fbx_note(fbx, false, "points and lines are left out", NULL);
        if (size < 3)
            continue;
        polygon_cut(mesh->all.positions, reader->points + begin, size, part->indices + part->index_count);
        part->index_count += 3 * (size - 2);
    }
    mesh->parts = arena_must_alloc(fbx->arena, (size_t)most + 1, sizeof *mesh->parts);
    for (uint32_t m = 0; m <= most; m++)
        if (parts[m].index_count > 0)
            mesh->parts[mesh->part_count++] = parts[m];
}

/* -- Skins -------------------------------------------------------------------------------------------------- */

/* Of a control point: the joints that hold it, and how much; those of weight 0 do not. */
struct influences {
    uint32_t joints[MOST_INFLUENCES];
    float weights[MOST_INFLUENCES];
};

/* Takes the place of the weakest; returns what has no place any more. */
static float add_influence(struct influences *list, uint32_t joint, float weight)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < MOST_INFLUENCES; i++)
        at = fabsf(list->weights[i]) < fabsf(list->weights[at]) ? i : at;
    const float least = fminf(fabsf(list->weights[at]), fabsf(weight));
    if (fabsf(weight) > least) {
        list->joints[at] = joint;
        list->weights[at] = weight;
    }
    return least;
}

/* Weights of a control point have a sum of 1. Where they are absolute, what they lack moves with the model; where there are
 * none, all. Returns how many these are. */
static uint32_t complete_influences(const struct fbx_mesh *mesh, struct influences *list, bool is_absolute)
{
    float sum = 0;
    uint32_t count = MOST_INFLUENCES;
    for (uint32_t i = 0; i < MOST_INFLUENCES; i++)
        sum += list->weights[i];
    const bool has_any = sum > 1e-6f;
    if (!has_any)
        *list = (struct influences){0};
    if (!has_any || (is_absolute && fabsf(1 - sum) > 1e-5f))
        add_influence(list, mesh->cluster_count, has_any ? 1 - sum : 1);
    else
        for (uint32_t i = 0; i < MOST_INFLUENCES; i++)
            list->weights[i] /= sum;
    while (list->weights[count - 1] == 0)
        count--;
    return count;
}

/* How much of each control point goes by dual quaternions, as the skin says, or else `otherwise`; NULL: nothing does. */
static const float *read_turn_weights(struct reader *reader, const struct fbx_node *skin, const float *otherwise)
{
    struct fbx *fbx = reader->fbx;
    const struct bytes type = fbx_bytes(fbx_child(skin, "SkinningType"), 0);
    const bool is_mixed = fbx_is(type, "Blend");
    if (!is_mixed && !fbx_is(type, "DualQuaternion"))
        return otherwise;
    size_t count, weight_count;
    const uint32_t control_count = reader->mesh->control_count;
    const double *controls = fbx_numbers(fbx, fbx_child(skin, "Indexes"), &count);
    const double *weights = fbx_numbers(fbx, fbx_child(skin, "BlendWeights"), &weight_count);
    float *out = arena_must_alloc(&fbx->scratch, control_count, sizeof *out);
    for (uint32_t i = 0; i < control_count; i++)
        out[i] = !is_mixed;
    for (size_t i = 0; i < count && i < weight_count && is_mixed; i++)
        if (controls[i] >= 0 && controls[i] < control_count)
            out[(size_t)controls[i]] = (float)fmin(fmax(weights[i], 0), 1);
    return out;
}

static void read_skins(struct reader *reader, uint32_t geometry)
{
    struct fbx *fbx = reader->fbx;
    struct fbx_mesh *mesh = reader->mesh;
    struct fbx_links skins = fbx_links_of(fbx, geometry, FBX_SKIN);
    const struct fbx_node *name = fbx_child(reader->node, "NodeAttributeName");
    if (skins.count == 0 && name && name->value_count) /* below 7.0 instances have the skin of the first */
        skins = fbx_links_of(fbx, fbx_find_object(fbx, name, 0), FBX_SKIN);
    const float *turn_weights = NULL;
    size_t most = 0;
    for (uint32_t i = 0; i < skins.count; i++)
        most += fbx_links_of(fbx, skins.items[i].object, FBX_CLUSTER).count;
    mesh->clusters = arena_must_alloc(fbx->arena, most, sizeof *mesh->clusters);
    for (uint32_t i = 0; i < skins.count; i++) {
        const struct fbx_links clusters = fbx_links_of(fbx, skins.items[i].object, FBX_CLUSTER);
        turn_weights = read_turn_weights(reader, fbx->objects[skins.items[i].object].node, turn_weights);
        for (uint32_t c = 0; c < clusters.count; c++)
            mesh->clusters[mesh->cluster_count++] = clusters.items[c].object;
    }
    if (mesh->cluster_count == 0 || fbx->has_failed)
        return;
    struct influences *all = arena_alloc(&fbx->scratch, mesh->control_count, sizeof *all, fbx->err);
    bool is_absolute = false;
    fbx->has_failed |= !all;
    for (uint32_t c = 0; c < mesh->cluster_count && !fbx->has_failed; c++) {
        const struct fbx_node *node = fbx->objects[mesh->clusters[c]].node;
        const struct bytes mode = fbx_bytes(fbx_child(node, "Mode"), 0);
        size_t count, weight_count;
        const double *controls = fbx_numbers(fbx, fbx_child(node, "Indexes"), &count);
        const double *weights = fbx_numbers(fbx, fbx_child(node, "Weights"), &weight_count);
        is_absolute |= fbx_is(mode, "Total1") || fbx_is(mode, "Additive");
        const bool has_bone = fbx_links_of(fbx, mesh->clusters[c], FBX_MODEL).count > 0;
        for (size_t i = 0; i < count && i < weight_count && has_bone; i++)
            if (controls[i] >= 0 && controls[i] < mesh->control_count && fabs(weights[i]) > 0 &&
                fabs(weights[i]) < 1e6 &&
                add_influence(&all[(size_t)controls[i]], c, (float)weights[i]) > LEAST_TOLD)
                fbx_note(fbx, true, "of points on more than 16 joints the largest weights count", mesh->all.name);
    }
    for (uint32_t i = 0; i < mesh->control_count && !fbx->has_failed; i++) {
        const uint32_t count = complete_influences(mesh, &all[i], is_absolute);
        if (count > mesh->all.influence_count)
            mesh->all.influence_count = count;
    }
    if (fbx->has_failed)
        return;
    const size_t size = mesh->all.influence_count * sizeof *all->weights;
    mesh->all.joints = spread(reader, all->joints, size, sizeof *all);
    mesh->all.weights = spread(reader, all->weights, size, sizeof *all);
    if (turn_weights)
        mesh->all.turn_weights = spread(reader, turn_weights, sizeof *turn_weights, sizeof *turn_weights);
}

/* -- Shapes ------------------------------------------------------------------------------------------------- */

/* What the shape adds to points, out of what it adds to control points. Blender's have weights of their own. */
static const vec3 *read_offsets(struct reader *reader, const struct fbx_node *shape, const char *name,
                                const double *own_weights, size_t own_count)
{
    struct fbx *fbx = reader->fbx;
    const struct fbx_mesh *mesh = reader->mesh;
    size_t count, number_count;
    const double *controls = fbx_numbers(fbx, fbx_child(shape, "Indexes"), &count);
    const double *offsets = fbx_numbers(fbx, fbx_child(shape, name), &number_count);
    if (number_count < 3 || count == 0)
        return NULL;
    vec3 *by_control = arena_must_alloc(&fbx->scratch, mesh->control_count, sizeof *by_control);
    for (size_t i = 0; i < count && i < number_count / 3; i++)
        for (size_t k = 0; k < 3 && controls[i] >= 0 && controls[i] < mesh->control_count; k++)
            by_control[(size_t)controls[i]][k] =
                bounded(offsets[3 * i + k] * (own_weights && i < own_count ? own_weights[i] / 100 : 1));
    return spread(reader, by_control, sizeof *by_control, sizeof *by_control);
}

static void add_shape(struct reader *reader, const struct fbx_node *node, struct fbx_shape shape,
                      const double *weights, size_t weight_count)
{
    struct fbx_mesh *mesh = reader->mesh;
    const struct rig_morph morph = {read_offsets(reader, node, "Vertices", weights, weight_count),
                                    read_offsets(reader, node, "Normals", weights, weight_count)};
    ((struct rig_morph *)mesh->all.morphs)[mesh->all.morph_count] = morph;
    mesh->shapes[mesh->all.morph_count++] = shape;
}

static void read_channel(struct reader *reader, uint32_t channel)
{
    static const char deform_percent[] = "DeformPercent";
    struct fbx *fbx = reader->fbx;
    const struct fbx_links links = fbx_links_of(fbx, channel, FBX_GEOMETRY);
    size_t full_count;
    const double *full = fbx_numbers(fbx, fbx_child(fbx->objects[channel].node, "FullWeights"), &full_count);
    const bool has_own_weights = fbx->is_of_blender && links.count == 1 && full_count != 1;
    for (uint32_t i = 0; i < links.count && !fbx->has_failed; i++) {
        struct fbx_shape shape = {channel, deform_percent, 100};
        if (!has_own_weights && i < full_count && fabs(full[i]) < 1e6)
            shape.full = full[i];
        add_shape(reader, fbx->objects[links.items[i].object].node, shape, has_own_weights ? full : NULL,
                  full_count);
    }
}

static void read_shapes(struct reader *reader, uint32_t geometry)
{
    struct fbx *fbx = reader->fbx;
    struct fbx_mesh *mesh = reader->mesh;
    const struct fbx_links deformers = fbx_links_of(fbx, geometry, FBX_BLEND_SHAPE);
    const struct fbx_node *shape = fbx->version <= 7100 ? fbx_child(reader->node, "Shape") : NULL;
    size_t all = 0;
    for (uint32_t i = 0; i < deformers.count; i++) {
        const struct fbx_links channels = fbx_links_of(fbx, deformers.items[i].object, FBX_SHAPE_CHANNEL);
        for (uint32_t c = 0; c < channels.count; c++)
            all += fbx_links_of(fbx, channels.items[c].object, FBX_GEOMETRY).count;
    }
    for (const struct fbx_node *node = shape; node; node = fbx_next(node, "Shape"))
        all++;
    if (all * ((size_t)mesh->all.point_count + mesh->control_count + 1) > MOST_SHAPED)
        fbx_fail(fbx, "%zu shapes of %u points", all, mesh->all.point_count);
    if (all == 0 || fbx->has_failed)
        return;
    mesh->shapes = arena_must_alloc(fbx->arena, all, sizeof *mesh->shapes);
    mesh->all.morphs = arena_must_alloc(fbx->arena, all, sizeof *mesh->all.morphs);
    for (uint32_t i = 0; i < deformers.count; i++) {
        const struct fbx_links channels = fbx_links_of(fbx, deformers.items[i].object, FBX_SHAPE_CHANNEL);
        for (uint32_t c = 0; c < channels.count && !fbx->has_failed; c++)
            read_channel(reader, channels.items[c].object);
    }
    for (; shape && !fbx->has_failed; shape = fbx_next(shape, "Shape"))
        add_shape(reader, shape, (struct fbx_shape){geometry, fbx_text(fbx, shape, 0), 100}, NULL, 0);
}

/* Between the two shapes whose percents are nearest on both sides, of which nothing at 0 is one; or beyond the last two. */
uint32_t fbx_weigh_shapes(const struct fbx_mesh *mesh, uint32_t first, double percent, double *weights)
{
    const struct fbx_shape *shapes = mesh->shapes;
    uint32_t past = first, chosen[2] = {NONE, NONE}; /* NONE: nothing at 0 */
    double full[2] = {-INFINITY, INFINITY}, least = 0, most = 0;
    for (; past < mesh->all.morph_count && shapes[past].channel == shapes[first].channel &&
           shapes[past].property == shapes[first].property;
         past++) {
        weights[past] = 0;
        least = fmin(least, shapes[past].full);
        most = fmax(most, shapes[past].full);
    }
    const double inner = fmin(fmax(percent, least), nextafter(most, -INFINITY)); /* within the outermost two */
    for (uint32_t i = first; i <= past; i++) {
        const double own = i < past ? shapes[i].full : 0;
        const int side = own > inner;
        if (side ? own < full[side] : own > full[side]) {
            full[side] = own;
            chosen[side] = i < past ? i : NONE;
        }
    }
    const double part =
        full[1] > full[0] && full[1] - full[0] < INFINITY ? (percent - full[0]) / (full[1] - full[0]) : 0;
    if (chosen[0] != NONE)
        weights[chosen[0]] = 1 - part;
    if (chosen[1] != NONE)
        weights[chosen[1]] = part;
    return past - first;
}

/* ----------------------------------------------------------------------------------------------------------- */

const struct fbx_mesh *fbx_read_mesh(struct fbx *fbx, uint32_t geometry)
{
    const struct fbx_object *object = &fbx->objects[geometry];
    struct fbx_mesh *mesh = arena_must_alloc(fbx->arena, 1, sizeof *mesh);
    const struct arena kept = fbx->scratch;
    fbx->scratch = (struct arena){0};
    struct reader reader = {.fbx = fbx, .node = object->node, .mesh = mesh};
    mesh->all.name = object->name;
    if (read_polygons(&reader) == 0 && reader.corner_count > 0) {
        if (fbx_number(fbx_child(object->node, "Smoothness"), 0, 0) > 0)
            fbx_note(fbx, true, "surfaces that are subdivided are drawn as their cage: save them smoothed",
                     object->name);
        join_corners(&reader);
        if (!fbx->has_failed)
            cut_polygons(&reader);
        read_skins(&reader, geometry);
        read_shapes(&reader, geometry);
    }
    arena_release(&fbx->scratch);
    fbx->scratch = kept;
    if (fbx->has_failed)
        error_add(fbx->err, "geometry '%s'", object->name);
    return fbx->has_failed ? NULL : mesh;
}
