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
    struct md5_animation *animation;
    struct md5_scale *items;
    size_t count, capacity;
    bool *scales_positions;
    struct error *err;
};

static int find_joint(const struct model *model, const char *name)
{
    for (uint32_t i = 0; i < model->joint_count; i++)
        if (!strcmp(model->joints[i].name, name))
            return (int)i;
    return -1;
}

static int read_joint(struct scales *scales, uint32_t joint, json_t *object)
{
    const char *joint_name = scales->model->joints[joint].name, *key;
    const struct animation *animation = &scales->model->animations[scales->model->animation_count - 1];
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
        if (end == key || *end || frame >= animation->frame_count)
            return error_set(scales->err, "joint '%s': '%s' is no keyframe, 0 to %u are", joint_name, key,
                             animation->frame_count - 1);
        if (!json_is_number(value) || !(fabs(scale) <= LARGEST_SCALE))
            return error_set(scales->err, "joint '%s', keyframe %s: a number up to %g is needed", joint_name, key,
                             LARGEST_SCALE);
        scales->items = must_grow(scales->items, scales->count, &scales->capacity, sizeof *scales->items);
        scales->items[scales->count++] =
            (struct md5_scale){.frame = (uint32_t)frame, .joint = joint, .scale = (float)scale};
    }
    return 0;
}

static int read_joints(struct scales *scales, json_t *root)
{
    const char *name;
    json_t *object;
    json_object_foreach(root, name, object)
    {
        int joint = find_joint(scales->model, name);
        if (!json_is_object(object))
            return error_set(scales->err, "joint '%s': an object of keyframes is needed", name);
        if (joint < 0)
            strings_printf(&scales->model->oddities, "scales for '%s', which is no joint", name);
        else if (read_joint(scales, (uint32_t)joint, object) < 0)
            return -1;
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
    struct md5_animation *animation = (void *)model->animations[model->animation_count - 1].data;
    struct scales scales = {.model = model, .animation = animation, .err = err};
    json_error_t json_error;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, 0, &json_error);
    if (!json_is_object(root)) {
        json_decref(root);
        return error_set(err, "%d: not JSON of joints: %s", root ? 1 : json_error.line,
                         root ? "an object is needed" : json_error.text);
    }
    scales.scales_positions = arena_alloc(&model->arena, model->joint_count, sizeof *scales.scales_positions, err);
    int result = scales.scales_positions ? read_joints(&scales, root) : -1;
    struct md5_scale *kept = result == 0 ? arena_alloc(&model->arena, scales.count, sizeof *kept, err) : NULL;
    if (kept && scales.count > 0) {
        qsort(scales.items, scales.count, sizeof *scales.items, compare_scales);
        memcpy(kept, scales.items, scales.count * sizeof *kept);
        animation->scales = kept;
        animation->scale_count = scales.count;
        animation->scales_positions = scales.scales_positions;
    }
    free(scales.items);
    json_decref(root);
    return kept ? 0 : -1;
}
