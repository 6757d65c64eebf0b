#include "model/md5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/tangents.h"

struct place {
    float at[3];
    uint32_t point;
};

/* By place; points at one place in their order. */
static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    for (int i = 0; i < 3; i++)
        if (left->at[i] != right->at[i])
            return left->at[i] < right->at[i] ? -1 : 1;
    return left->point < right->point ? -1 : left->point > right->point;
}

int md5_find_twins(const vec3 *positions, uint32_t first, uint32_t count, struct arena *scratch, uint32_t *twins,
                   struct error *err)
{
    struct place *places = arena_alloc(scratch, count, sizeof *places, err);
    if (!places)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        places[i].point = first + i;
        memcpy(places[i].at, positions[first + i], sizeof places[i].at);
    }
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        const float *at = places[i].at, *before = i > 0 ? places[i - 1].at : at;
        bool is_twin = i > 0 && at[0] == before[0] && at[1] == before[1] && at[2] == before[2];
        twins[places[i].point] = is_twin ? twins[places[i - 1].point] : places[i].point;
    }
    return 0;
}

/* False where unit normals cancel each other out, as those of the two sides of a sheet do. */
static bool normalise(const vec3 sum, vec3 out)
{
    const float least = 1e-3f;
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > least))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = sum[i] / length;
    return true;
}

/* Sums are gathered at the first of the points at a place, which has the lowest number: going down, it is finished
 * last. */
static void join_normals(const uint32_t *twins, const vec3 *own, struct mesh *mesh)
{
    vec3 *normals = mesh->normals;
    memcpy(normals, own, mesh->point_count * sizeof *normals);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int k = 0; k < 3 && twins[i] != i; k++)
            normals[twins[i]][k] += own[i][k];
    for (uint32_t i = mesh->point_count; i-- > 0;)
        if (!normalise(normals[twins[i]], normals[i]) && !normalise(own[i], normals[i]))
            memcpy(normals[i], (vec3){0, 0, 1}, sizeof normals[i]);
}

void md5_normals(const struct model *model, struct mesh *mesh)
{
    const struct md5_mesh *data = model->data;
    vec3 *own = mesh->scratch;
    memset(own, 0, model->point_count * sizeof *own);
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        const uint32_t *corners = &model->indices[i];
        vec3 normal;
        if (!triangle_normal(corners, (const vec3 *)mesh->positions, normal))
            continue;
        for (int corner = 0; corner < 3; corner++)
            for (int k = 0; k < 3; k++)
                own[corners[corner]][k] += normal[k];
    }
    join_normals(data->twins, (const vec3 *)own, mesh);
}
