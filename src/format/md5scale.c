#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/md5.h"

/* The .md5scale beside an md5anim of Quake II's re-release: the sizes of joints, where they are not 1. JSON:
 *
 *     {"weapon": {"scale_positions": true, "0": 0, "1": 0.5}}
 *
 * for each joint the numbers of keyframes, and whether the size multiplies the joint's own place, too. It is that of the
 * points on the joint alone; children do not inherit it. */

/* No joint is drawn so large; below it, sums stay finite. */
#define LARGEST_SCALE 1e6

struct scales {
    struct model *model;
    uint32_t frame_count;
    struct md5_scale *items; /* as many as the file has keys of joints */
    size_t count;
    bool *scales_positions; /* by joint */
    struct error *err;
};

static int find_joint(const struct model *model, const char *name)
{
    for (uint32_t i = 0; i < model->joint_count; i++)
        if (!strcmp(model->joints[i].name, name))
            return (int)i;
    return -1;
}

static int read_joint(struct scales *scales, const char *name, json_t *object)
{
    int joint = find_joint(scales->model, name);
    if (!json_is_object(object))
        return error_set(scales->err, "joint '%s': an object of keyframes is needed", name);
    if (joint < 0) {
        strings_printf(&scales->model->oddities, "scales for '%s', which is not a joint", name);
        return 0;
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!strcmp(key, "scale_positions")) {
            scales->scales_positions[joint] = json_is_true(value);
            continue;
        }
        char *end;
        unsigned long frame = strtoul(key, &end, 10);
        double scale = json_number_value(value);
        if (end == key || *end || frame >= scales->frame_count)
            return error_set(scales->err, "joint '%s': '%s' is not a keyframe, 0 to %u are", name, key,
                             scales->frame_count - 1);
        if (!json_is_number(value) || !(fabs(scale) <= LARGEST_SCALE))
            return error_set(scales->err, "joint '%s', keyframe %s: a number up to %g is needed", name, key,
                             LARGEST_SCALE);
        scales->items[scales->count++] =
            (struct md5_scale){.frame = (uint32_t)frame, .joint = (uint32_t)joint, .scale = (float)scale};
    }
    return 0;
}

static int compare_scales(const void *a, const void *b)
{
    const struct md5_scale *left = a, *right = b;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return left->joint < right->joint ? -1 : left->joint > right->joint;
}

int md5_add_scales(struct model *model, struct bytes bytes, struct error *err)
{
    const struct animation *entry = &model->animations[model->animation_count - 1];
    struct scales scales = {.model = model, .frame_count = entry->frame_count, .err = err};
    json_error_t json_error;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, 0, &json_error), *object;
    if (!json_is_object(root)) {
        json_decref(root);
        return error_set(err, "%d: not JSON of joints: %s", root ? 1 : json_error.line,
                         root ? "an object is needed" : json_error.text);
    }
    const char *name;
    size_t most = 0;
    json_object_foreach(root, name, object) most += json_object_size(object);
    scales.items = arena_alloc(&model->arena, most, sizeof *scales.items, err);
    scales.scales_positions = arena_alloc(&model->arena, model->joint_count, sizeof *scales.scales_positions, err);
    int result = scales.items && scales.scales_positions ? 0 : -1;
    json_object_foreach(root, name, object)
    {
        if (result == 0)
            result = read_joint(&scales, name, object);
    }
    if (result == 0) {
        struct md5_animation *animation = (void *)entry->data;
        qsort(scales.items, scales.count, sizeof *scales.items, compare_scales);
        animation->scales = scales.items;
        animation->scale_count = scales.count;
        animation->scales_positions = scales.scales_positions;
    }
    json_decref(root);
    return result;
}
