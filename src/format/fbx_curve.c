/* FBX, animation: curves of numbers, the channels that they are part of, takes and their layers.
 *
 * From 7.0 on these are objects: a stack carries layers, a layer carries curve nodes, a curve node is connected to a
 * property, and curves to its numbers. Before, Takes has a node for each object, with channels in channels. */
#include "format/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* What the flags of keys say from 7.0 on. */
    KEY_CONSTANT = 0x2,
    KEY_CUBIC = 0x8,
    KEY_NEXT = 0x100, /* of constant ones: the value of the next key */
    KEY_TCB = 0x200,
    KEY_USER = 0x400,
    KEY_CLAMP = 0x1000,
    KEY_TIME_INDEPENDENT = 0x2000,
    KEY_CLAMP_PROGRESSIVE = 0x4000,
    KEY_WEIGHTED = 0x1000000,
    KEY_NEXT_WEIGHTED = 0x2000000,

    MOST_TIMES = 1 << 20, /* of a channel */
    MOST_TAKES = 1024,    /* as many clips as a rig may have */
};

static const double WEIGHT = 1.0 / 3, CLAMP_BELOW = 1e-4;

/* Ends of a take that are nearer than this to a key are meant to be there. */
static const double SAME_END_S = 2e-3;

enum shape { LINEAR, CONSTANT, NEXT, CUBIC };

struct key {
    double time_s, value;
    enum shape shape; /* until the next key */
    double left, right, left_weight,
        right_weight; /* slopes, and how much of the time to the neighbour they hold */
};

enum end { HOLD, REPEAT, REPEAT_ON, MIRROR, SLOPE };

struct fbx_curve {
    struct key *keys;
    size_t count;
    enum end ends[2];  /* before the first, after the last */
    double repeats[2]; /* below 0: no end */
};

/* -- What a curve is at a time -------------------------------------------------------------------------------- */

/* Where on the curve (0 to 1) its time is `x`: times of the four points of Bezier are 0, a, b, 1. */
static double find_parameter(double a, double b, double x)
{
    double low = 0, high = 1, t = x;
    if (fabs(a - WEIGHT) < 1e-5 && fabs(b - 2 * WEIGHT) < 1e-5)
        return x;
    for (int i = 0; i < 60; i++) {
        const double u = 1 - t, at = 3 * u * u * t * a + 3 * u * t * t * b + t * t * t;
        *(at < x ? &low : &high) = t;
        if (fabs(at - x) < 1e-12)
            break;
        const double slope = 3 * u * u * a + 6 * u * t * (b - a) + 3 * t * t * (1 - b);
        t = slope > 1e-9 ? t - (at - x) / slope : -1;
        if (!(t > low && t < high))
            t = (low + high) / 2;
    }
    return t;
}

static double between_keys(const struct key *key, double time_s)
{
    const struct key *next = key + 1;
    const double span_s = next->time_s - key->time_s, x = (time_s - key->time_s) / span_s;
    if (key->shape == CONSTANT || !(x > 0))
        return key->value;
    if (key->shape == NEXT)
        return next->value;
    if (key->shape == LINEAR)
        return key->value + (next->value - key->value) * x;
    const double t = find_parameter(key->right_weight, 1 - next->left_weight, x), u = 1 - t;
    const double b = key->value + key->right * key->right_weight * span_s;
    const double c = next->value - next->left * next->left_weight * span_s;
    return u * u * u * key->value + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * next->value;
}

static double within_keys(const struct fbx_curve *curve, double time_s)
{
    size_t first = 0, past = curve->count; /* the last key that is not after the time */
    const double begin_s = curve->keys[0].time_s, span_s = curve->keys[past - 1].time_s - begin_s;
    const double guess = span_s > 0 ? (time_s - begin_s) / span_s * (double)(past - 1) : 0;
    if (guess > 0 && guess < (double)(past - 1)) { /* most curves have a key for each frame */
        const size_t near = (size_t)guess;
        *(curve->keys[near].time_s <= time_s ? &first : &past) = near;
        if (first == near && curve->keys[near + 1].time_s > time_s)
            past = near + 1;
    }
    while (past - first > 1) {
        const size_t middle = first + (past - first) / 2;
        *(curve->keys[middle].time_s <= time_s ? &first : &past) = middle;
    }
    return past < curve->count ? between_keys(&curve->keys[first], time_s) : curve->keys[first].value;
}

/* Where the curve is at its own keys, `over_s` past its end; *rounds: how often it has begun again. */
static double fold_time(const struct fbx_curve *curve, bool is_after, double over_s, double *rounds)
{
    const double begin_s = curve->keys[0].time_s, span_s = curve->keys[curve->count - 1].time_s - begin_s;
    double round = floor(over_s / span_s + 1e-9), part_s = fmax(over_s - round * span_s, 0);
    if (curve->repeats[is_after] > 0 && round >= curve->repeats[is_after]) {
        round = curve->repeats[is_after] - 1;
        part_s = span_s;
    }
    *rounds = round + 1;
    if (curve->ends[is_after] == MIRROR && fmod(round, 2) == 0)
        part_s = span_s - part_s;
    return begin_s + (is_after ? part_s : span_s - part_s);
}

static double value_at(const struct fbx_curve *curve, double time_s)
{
    const struct key *first = &curve->keys[0], *last = &curve->keys[curve->count - 1];
    if (curve->count == 1 || (time_s >= first->time_s && time_s <= last->time_s))
        return within_keys(curve, time_s);
    const bool is_after = time_s > last->time_s;
    const struct key *end = is_after ? last : first;
    const double over_s = is_after ? time_s - last->time_s : first->time_s - time_s;
    const enum end how = curve->ends[is_after];
    double rounds;
    if (how == SLOPE)
        return end->value + (is_after ? end->left * over_s : -end->right * over_s);
    if (how == HOLD || curve->repeats[is_after] == 0 || !(last->time_s - first->time_s > 1e-9))
        return end->value;
    const double value = within_keys(curve, fold_time(curve, is_after, over_s, &rounds));
    return how == REPEAT_ON ? value + (last->value - first->value) * (is_after ? rounds : -rounds) : value;
}

void fbx_values_at(const struct fbx_channel *channel, double time_s, double values[3])
{
    for (int i = 0; i < 3; i++) {
        const double value = channel->curves[i] ? value_at(channel->curves[i], time_s) : channel->values[i];
        values[i] = fabs(value) < MODEL_LARGEST_NUMBER ? value : 0;
    }
}

double fbx_layer_weight(const struct fbx_layer *layer, double time_s)
{
    double values[3] = {100 * layer->weight};
    if (layer->animated_weight)
        fbx_values_at(layer->animated_weight, time_s, values);
    return fmax(0, fmin(values[0] / 100, 1));
}

/* -- Tangents ------------------------------------------------------------------------------------------------- */

/* The slope of a key between two others that computes it by itself. Its bias, in percent, leans it to the slope on the one
 * side or on the other. */
static double automatic_slope(const struct key *key, double bias, uint32_t flags)
{
    const struct key *before = key - 1, *after = key + 1;
    const double left_s = key->time_s - before->time_s, right_s = after->time_s - key->time_s;
    const double down = key->value - before->value, up = after->value - key->value;
    if ((flags & KEY_CLAMP) && fmin(fabs(down), fabs(up)) <= CLAMP_BELOW)
        return 0;
    double slope = (down + up) / (left_s + right_s);
    if (!(flags & KEY_TIME_INDEPENDENT)) {
        const double part = left_s / (left_s + right_s), lean = fabs(bias) / 100;
        slope = slope / 2 + (down / left_s * (1 - part) + up / right_s * part) / 2;
        const double target = bias > 0 ? up / right_s : down / left_s, way = target - slope;
        if (lean > 1e-4)
            slope += way * lean;
        if (lean > 5)
            slope += (lean - 5) * (lean - 5) * 40 * ((fabs(way) > 1e-5 ? way : bias) > 0 ? 1 : -1);
    }
    if (flags & KEY_CLAMP_PROGRESSIVE) { /* it does not go beyond either neighbour */
        const double sign = slope < 0 ? -1 : 1;
        const double most_left = key->left_weight * left_s, most_right = key->right_weight * right_s;
        const double most =
            fmin(most_left > 0 ? sign * down / most_left : 0, most_right > 0 ? sign * up / most_right : 0);
        slope = sign * fmin(sign * slope, fmax(most, 0));
    }
    return slope;
}

/* The same of the first and the last key. */
static double automatic_end(const struct key *a, const struct key *b, double bias, uint32_t flags)
{
    const double over = fabs(bias) / 100 - 5;
    if ((flags & KEY_CLAMP_PROGRESSIVE) || ((flags & KEY_CLAMP) && fabs(b->value - a->value) <= CLAMP_BELOW))
        return 0;
    double slope = (b->value - a->value) / (b->time_s - a->time_s);
    return !(flags & KEY_TIME_INDEPENDENT) && over > 0 ? slope + over * over * 40 * (bias > 0 ? 1 : -1) : slope;
}

static void set_automatic(struct fbx_curve *curve, size_t at, double left_bias, double right_bias, uint32_t flags)
{
    struct key *key = &curve->keys[at];
    const bool has_left = at > 0 && key->time_s > key[-1].time_s;
    const bool has_right = at + 1 < curve->count && key[1].time_s > key->time_s;
    if (has_left && has_right) {
        key->right = automatic_slope(key, right_bias, flags);
        key->left = fabs(left_bias + right_bias) <= 1e-4 ? key->right : automatic_slope(key, -left_bias, flags);
    } else if (has_left) {
        key->left = key->right = automatic_end(key - 1, key, -left_bias, flags);
    } else if (has_right) {
        key->left = key->right = automatic_end(key, key + 1, right_bias, flags);
    } else {
        key->left = key->right = 0;
    }
}

/* Tension, continuity and bias, after Kochanek and Bartels. */
static void set_tcb(struct fbx_curve *curve, size_t at, const double tcb[3])
{
    struct key *key = &curve->keys[at];
    const bool has_left = at > 0 && key->time_s > key[-1].time_s;
    const bool has_right = at + 1 < curve->count && key[1].time_s > key->time_s;
    const double down = has_left ? (key->value - key[-1].value) / (key->time_s - key[-1].time_s) : 0;
    const double up = has_right ? (key[1].value - key->value) / (key[1].time_s - key->time_s) : 0;
    const double factor = (has_left && has_right ? 0.5 : 1) * (1 - tcb[0]);
    key->left = factor * ((1 + tcb[2]) * (1 - tcb[1]) * down + (1 - tcb[2]) * (1 + tcb[1]) * up);
    key->right = factor * ((1 + tcb[2]) * (1 + tcb[1]) * down + (1 - tcb[2]) * (1 - tcb[1]) * up);
}

static double slope_to_next(const struct fbx_curve *curve, size_t at)
{
    const struct key *key = &curve->keys[at];
    if (at + 1 >= curve->count || !(key[1].time_s > key->time_s))
        return 0;
    return (key[1].value - key->value) / (key[1].time_s - key->time_s);
}

/* -- Curves ---------------------------------------------------------------------------------------------------- */

static void read_end(const struct fbx_node *curve, const char *name, enum end *how, double *repeats)
{
    const struct fbx_node *node = fbx_child(curve, name);
    const int letter = (int)fbx_whole(fbx_number(fbx_child(node, "Type"), 0, 'C'));
    *how = letter == 'A'   ? REPEAT_ON
           : letter == 'K' ? SLOPE
           : letter == 'M' ? MIRROR
           : letter == 'R' ? REPEAT
                           : HOLD;
    *repeats = fbx_number(fbx_child(node, "Repetition"), 0, -1);
}

/* Keys that do not follow the one before go; a curve needs one. */
static const struct fbx_curve *check_curve(struct fbx *fbx, struct fbx_curve *curve)
{
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const struct key *key = &curve->keys[i];
        const bool is_fit = fabs(key->value) < MODEL_LARGEST_NUMBER && fabs(key->time_s) < 1e6;
        if (is_fit && (kept == 0 || key->time_s > curve->keys[kept - 1].time_s))
            curve->keys[kept++] = *key;
        else
            fbx_note(fbx, false, "keys that do not follow the one before are left out", NULL);
    }
    curve->count = kept;
    return kept ? curve : NULL;
}

/* The bits of a float as ASCII files have them, or the float. */
static double float_of(double number, bool are_bits)
{
    const int64_t whole = fbx_whole(number);
    const uint32_t bits = (uint32_t)whole;
    float value;
    memcpy(&value, &bits, sizeof value);
    return are_bits ? (double)value : number;
}

static uint32_t bits_of(double number, bool are_bits)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return are_bits ? (uint32_t)fbx_whole(number) : bits;
}

static const struct fbx_curve *read_curve(struct fbx *fbx, const struct fbx_node *node)
{
    size_t count, value_count, flag_count, datum_count, run_count;
    bool are_bits;
    const double *times = fbx_numbers(fbx, fbx_child(node, "KeyTime"), &count, NULL);
    const double *values = fbx_numbers(fbx, fbx_child(node, "KeyValueFloat"), &value_count, NULL);
    const double *flags = fbx_numbers(fbx, fbx_child(node, "KeyAttrFlags"), &flag_count, NULL);
    const double *data = fbx_numbers(fbx, fbx_child(node, "KeyAttrDataFloat"), &datum_count, &are_bits);
    const double *runs = fbx_numbers(fbx, fbx_child(node, "KeyAttrRefCount"), &run_count, NULL);
    struct fbx_curve *curve = arena_must_alloc(&fbx->scratch, 1, sizeof *curve);
    curve->count = count < value_count ? count : value_count;
    curve->keys = arena_must_alloc(&fbx->scratch, curve->count, sizeof *curve->keys);
    read_end(node, "Pre-Extrapolation", &curve->ends[0], &curve->repeats[0]);
    read_end(node, "Post-Extrapolation", &curve->ends[1], &curve->repeats[1]);
    for (size_t i = 0; i < curve->count; i++)
        curve->keys[i] = (struct key){.time_s = times[i] / fbx->ticks_per_s, .value = values[i]};
    if (fbx->has_failed || !check_curve(fbx, curve) || curve->count < count)
        return fbx->has_failed || curve->count == 0 ? NULL : curve;
    double left = 0, left_weight = WEIGHT, run_left = run_count ? runs[0] : 0;
    for (size_t i = 0, run = 0; i < curve->count; i++) {
        struct key *key = &curve->keys[i];
        const bool has_flags = run < flag_count && 4 * run + 3 < datum_count;
        const uint32_t flag = has_flags ? (uint32_t)fbx_whole(flags[run]) : 0;
        const double *datum = has_flags ? data + 4 * run : NULL;
        key->shape = (flag & KEY_CONSTANT) ? (flag & KEY_NEXT) ? NEXT : CONSTANT
                     : (flag & KEY_CUBIC)  ? CUBIC
                                           : LINEAR;
        key->left_weight = left_weight;
        key->right_weight = left_weight = WEIGHT;
        if (key->shape == CUBIC) {
            const double own[3] = {float_of(datum[0], are_bits), float_of(datum[1], are_bits),
                                   float_of(datum[2], are_bits)};
            const uint32_t weights = bits_of(datum[2], are_bits);
            const bool is_tcb = (flag & KEY_TCB) != 0, is_user = !is_tcb && (flag & KEY_USER);
            if (!is_tcb && (flag & KEY_WEIGHTED))
                key->right_weight = (weights & 0xffff) * 1e-4;
            if (!is_tcb && (flag & KEY_NEXT_WEIGHTED))
                left_weight = (weights >> 16) * 1e-4;
            key->left = left;
            key->right = own[0];
            if (is_tcb)
                set_tcb(curve, i, own);
            else if (!is_user)
                set_automatic(curve, i, left, own[0], flag);
            left = is_tcb ? 0 : own[1];
        } else {
            key->left = left;
            key->right = left = key->shape == LINEAR ? slope_to_next(curve, i) : 0;
        }
        if (--run_left < 0.5 && run + 1 < run_count)
            run_left = runs[++run];
    }
    return curve;
}

/* A curve of versions below 7.0: for each key a time, a value, a letter for its shape, and what that has with it. */
static const struct fbx_curve *read_old_curve(struct fbx *fbx, const struct fbx_node *node)
{
    size_t count, key_count = (size_t)fbx_whole(fmax(0, fbx_number(fbx_child(node, "KeyCount"), 0, 0))), i = 0;
    const double *data = fbx_numbers(fbx, fbx_child(node, "Key"), &count, NULL);
    const int version = (int)fbx_whole(fbx_number(fbx_child(node, "KeyVer"), 0, 4005));
    struct fbx_curve *curve = arena_must_alloc(&fbx->scratch, 1, sizeof *curve);
    key_count = key_count < count / 3 ? key_count : count / 3;
    curve->keys = arena_must_alloc(&fbx->scratch, key_count, sizeof *curve->keys);
    bool *is_automatic = arena_must_alloc(&fbx->scratch, key_count, sizeof *is_automatic);
    read_end(node, "Pre-Extrapolation", &curve->ends[0], &curve->repeats[0]);
    read_end(node, "Post-Extrapolation", &curve->ends[1], &curve->repeats[1]);
    double left = 0, left_weight = WEIGHT;
    while (curve->count < key_count && count - i >= 3) {
        const int shape = (int)fbx_whole(data[i + 2]);
        struct key *key = &curve->keys[curve->count];
        *key = (struct key){.time_s = data[i] / fbx->ticks_per_s, .value = data[i + 1]};
        key->shape = shape == 'U' ? CUBIC : shape == 'C' ? CONSTANT : LINEAR;
        i += 3;
        key->left = left;
        key->left_weight = left_weight;
        key->right_weight = left_weight = WEIGHT;
        left = 0;
        if (shape == 'C' && version >= 4004 && i < count)
            key->shape = data[i++] == 'n' ? NEXT : CONSTANT;
        if (shape == 'U' && i < count) {
            const int slopes = (int)fbx_whole(data[i++]);
            const bool is_told = slopes == 's' || slopes == 'b';
            size_t width = is_told || slopes == 'p' || slopes == 'q' ? 2 : slopes == 't' ? 3 : slopes == 'd';
            uint32_t weights = slopes == 't' || (slopes == 'a' && version <= 4004) || (is_told && version == 4003)
                                   ? 0
                               : (slopes == 'p' || slopes == 'q') && version > 4004 ? 2
                                                                                    : 1;
            if (count - i < width)
                break;
            key->right = is_told ? data[i] : 0;
            left = is_told ? data[i + 1] : 0;
            is_automatic[curve->count] = !is_told;
            for (i += width; weights > 0 && i < count; weights--) {
                const int which = (int)fbx_whole(data[i++]);
                if ((which == 'a' || which == 'r') && i < count)
                    key->right_weight = data[i++];
                if ((which == 'a' || which == 'l') && i < count)
                    left_weight = data[i++];
            }
        }
        curve->count++;
    }
    const size_t read = curve->count;
    if (fbx->has_failed || !check_curve(fbx, curve) || curve->count < read)
        return fbx->has_failed || curve->count == 0 ? NULL : curve;
    for (size_t k = 0; k < curve->count; k++) {
        if (is_automatic[k] && k > 0)
            set_automatic(curve, k, 0, 0, KEY_CLAMP_PROGRESSIVE | KEY_TIME_INDEPENDENT);
        if (curve->keys[k].shape == LINEAR && k + 1 < curve->count)
            curve->keys[k].right = curve->keys[k + 1].left = slope_to_next(curve, k);
    }
    return curve;
}

/* -- Takes ----------------------------------------------------------------------------------------------------- */

/* Room for one more channel, which may be gone when the next is added. */
static struct fbx_channel *add_channel(struct fbx_take *take, size_t *capacity)
{
    struct fbx_channel *channel = MUST_ADD(take->channels, take->channel_count, *capacity);
    *channel = (struct fbx_channel){0};
    return channel;
}

/* Of "d|X" and of the last letter of others: which of three numbers it is. */
static int index_of(struct bytes name)
{
    const uint8_t last = name.size ? name.data[name.size - 1] : 0;
    const bool is_axis = name.size == 1 || (name.size == 3 && name.data[1] == '|');
    return is_axis && last >= 'X' && last <= 'Z' ? last - 'X' : 0;
}

/* One curve node moves the same numbers wherever it is connected. */
static void read_curve_node(struct fbx *fbx, struct fbx_take *take, size_t *capacity, uint32_t layer,
                            uint32_t node)
{
    static const char *const names[] = {"d|X", "d|Y", "d|Z"};
    uint32_t target_count, curve_count;
    const struct fbx_link *targets = fbx_carriers(fbx, node, &target_count);
    const struct fbx_link *curves = fbx_carried(fbx, node, &curve_count);
    for (uint32_t t = 0; t < target_count && !fbx->has_failed; t++) {
        if (targets[t].to == FBX_ROOT || targets[t].property.size == 0)
            continue;
        struct fbx_channel *channel = add_channel(take, capacity);
        const struct bytes property = targets[t].property;
        *channel = (struct fbx_channel){.object = targets[t].to, .layer = layer};
        channel->property = arena_strndup(&fbx->scratch, (const char *)property.data, property.size);
        for (int i = 0; i < 3; i++)
            channel->values[i] = fbx_property_number(fbx, &fbx->objects[node], names[i], 0);
        for (uint32_t c = 0; c < curve_count; c++) {
            const uint32_t curve = curves[c].from;
            if (fbx->objects[curve].kind != FBX_CURVE)
                continue;
            if (!fbx->curves[curve])
                fbx->curves[curve] = read_curve(fbx, fbx->objects[curve].node);
            channel->curves[index_of(curves[c].property)] = fbx->curves[curve];
        }
    }
}

static void read_layer(struct fbx *fbx, struct fbx_take *take, size_t *capacity, uint32_t layer)
{
    const struct fbx_object *object = &fbx->objects[layer];
    if (fbx_property_number(fbx, object, "Mute", 0) != 0) {
        fbx_note(fbx, false, "muted layers are left out", object->name);
        return;
    }
    const double blend = fbx_property_number(fbx, object, "BlendMode", 0);
    take->layers[take->layer_count] = (struct fbx_layer){
        .object = layer,
        .weight = fbx_property_number(fbx, object, "Weight", 100) / 100,
        .blend = blend == 0   ? FBX_ADD
                 : blend == 2 ? FBX_BLEND
                              : FBX_REPLACE,
        .adds_angles = fbx_property_number(fbx, object, "RotationAccumulationMode", 0) != 0,
        .adds_sizes = fbx_property_number(fbx, object, "ScaleAccumulationMode", 0) != 0,
    };
    uint32_t count;
    const struct fbx_link *links = fbx_carried(fbx, layer, &count);
    for (uint32_t i = 0; i < count && !fbx->has_failed; i++)
        if (fbx->objects[links[i].from].kind == FBX_CURVE_NODE && links[i].property.size == 0)
            read_curve_node(fbx, take, capacity, take->layer_count, links[i].from);
    take->layer_count++;
}

/* The take of that name below Takes. */
static const struct fbx_node *find_take(struct fbx *fbx, const char *name)
{
    const struct fbx_node *take = fbx_child(fbx_child(fbx->root, "Takes"), "Take");
    while (take && !fbx_is(fbx_bytes(take, 0), name))
        take = fbx_next(take, "Take");
    return take;
}

static int compare_channels(const void *a, const void *b)
{
    const struct fbx_channel *left = a, *right = b;
    if (left->object != right->object)
        return left->object < right->object ? -1 : 1;
    const int order = strcmp(left->property, right->property);
    return order ? order : (left->layer > right->layer) - (left->layer < right->layer);
}

/* Sorts the channels, and lets the take go from its first key to its last where the file says nothing else. False: it
 * moves nothing. */
static bool finish_take(struct fbx *fbx, struct fbx_take *take)
{
    double first_s = INFINITY, last_s = -INFINITY;
    struct fbx_channel *channels = take->channels;
    SORT(channels, take->channel_count, compare_channels);
    take->channels = arena_copy(&fbx->scratch, channels, take->channel_count, sizeof *channels);
    free(channels);
    for (uint32_t i = 0; i < take->channel_count; i++) {
        const struct fbx_channel *channel = &take->channels[i];
        for (uint32_t l = 0; l < take->layer_count; l++)
            if (take->layers[l].object == channel->object && !strcmp(channel->property, "Weight"))
                take->layers[l].animated_weight = channel;
        for (int k = 0; k < 3; k++)
            if (channel->curves[k]) {
                first_s = fmin(first_s, channel->curves[k]->keys[0].time_s);
                last_s = fmax(last_s, channel->curves[k]->keys[channel->curves[k]->count - 1].time_s);
            }
    }
    const double told_s[] = {take->begin_s, take->end_s};
    const bool is_told = take->end_s > take->begin_s && fabs(take->begin_s) < 1e6 && fabs(take->end_s) < 1e6;
    if (!is_told || fabs(take->begin_s - first_s) < SAME_END_S)
        take->begin_s = first_s;
    if (!is_told || fabs(take->end_s - last_s) < SAME_END_S)
        take->end_s = fmax(last_s, take->begin_s);
    if (is_told && fabs(take->begin_s - told_s[0]) + fabs(take->end_s - told_s[1]) > 1e-6)
        fbx_note(fbx, false, "takes begin or end at a key that is less than 2 ms away", take->name);
    return first_s < INFINITY;
}

static bool read_stack(struct fbx *fbx, uint32_t stack, struct fbx_take *take)
{
    const struct fbx_object *object = &fbx->objects[stack];
    static const char *const starts[] = {"LocalStart", "ReferenceStart"}, *const stops[] = {"LocalStop",
                                                                                            "ReferenceStop"};
    size_t capacity = 0;
    uint32_t count;
    const struct fbx_link *links = fbx_carried(fbx, stack, &count);
    *take = (struct fbx_take){.name = object->name,
                              .layers = arena_must_alloc(&fbx->scratch, count, sizeof *take->layers)};
    for (uint32_t i = 0; i < count && !fbx->has_failed; i++)
        if (fbx->objects[links[i].from].kind == FBX_LAYER)
            read_layer(fbx, take, &capacity, links[i].from);
    for (int i = 0; i < 2 && !(take->end_s > take->begin_s); i++) {
        take->begin_s = fbx_property_number(fbx, object, starts[i], 0) / fbx->ticks_per_s;
        take->end_s = fbx_property_number(fbx, object, stops[i], 0) / fbx->ticks_per_s;
    }
    const struct fbx_node *times = fbx_child(find_take(fbx, object->name), "LocalTime");
    if (!(take->end_s > take->begin_s) && times) {
        take->begin_s = fbx_number(times, 0, 0) / fbx->ticks_per_s;
        take->end_s = fbx_number(times, 1, 0) / fbx->ticks_per_s;
    }
    return finish_take(fbx, take);
}

/* Reads a channel of an old take, or those in it: "Transform" has "T", "R" and "S", and these have "X", "Y" and "Z". */
static void read_old_channel(struct fbx *fbx, struct fbx_take *take, size_t *capacity, uint32_t object,
                             const struct fbx_node *node, const char *name, int depth)
{
    static const char *const parts[][2] = {{"T", "Lcl Translation"}, {"R", "Lcl Rotation"}, {"S", "Lcl Scaling"}};
    const struct fbx_node *below = fbx_child(node, "Channel");
    if (!strcmp(name, "Transform") && depth == 0) {
        for (; below; below = fbx_next(below, "Channel"))
            for (int i = 0; i < 3; i++)
                if (fbx_is(fbx_bytes(below, 0), parts[i][0]))
                    read_old_channel(fbx, take, capacity, object, below, parts[i][1], 1);
        return;
    }
    struct fbx_channel *channel = add_channel(take, capacity);
    *channel = (struct fbx_channel){.object = object, .property = name};
    const bool is_one = fbx_child(node, "Key") || fbx_child(node, "Default");
    for (const struct fbx_node *part = is_one ? node : below; part && !fbx->has_failed;
         part = is_one ? NULL : fbx_next(part, "Channel")) {
        const int index = is_one ? 0 : index_of(fbx_bytes(part, 0));
        channel->values[index] = fbx_number(fbx_child(part, "Default"), 0, 0);
        if (fbx_child(part, "Key"))
            channel->curves[index] = read_old_curve(fbx, part);
    }
}

static bool read_old_take(struct fbx *fbx, const struct fbx_node *node, struct fbx_take *take)
{
    const struct fbx_node *times = fbx_child(node, "LocalTime");
    size_t capacity = 0;
    *take = (struct fbx_take){.name = fbx_text(fbx, node, 0),
                              .begin_s = fbx_number(times, 0, 0) / fbx->ticks_per_s,
                              .end_s = fbx_number(times, 1, 0) / fbx->ticks_per_s,
                              .layer_count = 1};
    take->layers = arena_must_alloc(&fbx->scratch, 1, sizeof *take->layers);
    take->layers[0] = (struct fbx_layer){.object = FBX_ROOT, .weight = 1};
    for (const struct fbx_node *model = node->first; model; model = model->next) {
        const uint32_t object = model->value_count ? fbx_find_object(fbx, model->values) : FBX_ROOT;
        for (const struct fbx_node *channel = object == FBX_ROOT ? NULL : fbx_child(model, "Channel"); channel;
             channel = fbx_next(channel, "Channel"))
            read_old_channel(fbx, take, &capacity, object, channel, fbx_text(fbx, channel, 0), 0);
    }
    return finish_take(fbx, take);
}

const struct fbx_take *fbx_read_takes(struct fbx *fbx, uint32_t *count)
{
    struct fbx_take *takes = arena_must_alloc(&fbx->scratch, MOST_TAKES, sizeof *takes);
    *count = 0;
    fbx->curves = arena_must_alloc(&fbx->scratch, fbx->object_count, sizeof *fbx->curves);
    for (uint32_t i = 0; i < fbx->object_count && *count < MOST_TAKES && !fbx->has_failed; i++)
        if (fbx->objects[i].kind == FBX_STACK)
            *count += read_stack(fbx, i, &takes[*count]);
    const struct fbx_node *old = fbx->version < 7000 ? fbx_child(fbx_child(fbx->root, "Takes"), "Take") : NULL;
    for (; old && *count < MOST_TAKES && !fbx->has_failed; old = fbx_next(old, "Take"))
        *count += read_old_take(fbx, old, &takes[*count]);
    return fbx->has_failed ? NULL : takes;
}

const struct fbx_channel *fbx_channels_of(const struct fbx_take *take, uint32_t object, uint32_t *count)
{
    uint32_t first = 0, past = take->channel_count;
    while (first < past) {
        const uint32_t middle = first + (past - first) / 2;
        if (take->channels[middle].object < object)
            first = middle + 1;
        else
            past = middle;
    }
    for (past = first; past < take->channel_count && take->channels[past].object == object;)
        past++;
    *count = past - first;
    return &take->channels[first];
}

/* -- Times ----------------------------------------------------------------------------------------------------- */

static void add_time(const struct fbx_take *take, double time_s, struct fbx_times *times)
{
    if (!(time_s > take->begin_s && time_s < take->end_s) || times->count >= MOST_TIMES)
        return;
    *MUST_ADD(times->items, times->count, times->capacity) = time_s;
}

static void add_curve_times(const struct fbx_take *take, const struct fbx_curve *curve, struct fbx_times *times)
{
    const struct key *keys = curve->keys;
    const double first_s = keys[0].time_s, last_s = keys[curve->count - 1].time_s, span_s = last_s - first_s;
    for (size_t i = 0; i < curve->count; i++)
        add_time(take, keys[i].time_s, times);
    for (int is_after = 0; is_after < 2 && span_s > 1e-3; is_after++) {
        const double over_s = is_after ? take->end_s - last_s : first_s - take->begin_s;
        const double rounds = curve->repeats[is_after] >= 0 ? curve->repeats[is_after] : over_s / span_s + 1;
        if (curve->ends[is_after] == HOLD || curve->ends[is_after] == SLOPE || !(over_s > 0))
            continue;
        for (double round = 0; round < rounds && round * span_s < over_s && times->count < MOST_TIMES; round++)
            for (size_t i = 0; i < curve->count; i++) {
                const bool is_mirrored = curve->ends[is_after] == MIRROR && fmod(round, 2) == 0;
                const double part_s =
                    is_mirrored == (is_after != 0) ? last_s - keys[i].time_s : keys[i].time_s - first_s;
                add_time(take, is_after ? last_s + round * span_s + part_s : first_s - round * span_s - part_s,
                         times);
            }
    }
}

static bool jumps(const struct fbx_curve *curve)
{
    bool is_stepped = curve->ends[0] != HOLD || curve->ends[1] != HOLD;
    for (size_t i = 0; i < curve->count && !is_stepped; i++)
        is_stepped = curve->keys[i].shape == CONSTANT || curve->keys[i].shape == NEXT;
    return is_stepped;
}

bool fbx_jumps(const struct fbx_take *take, const struct fbx_channel *channel)
{
    bool is_stepped = take->layer_count > 1;
    for (int i = 0; i < 3 && !is_stepped; i++)
        is_stepped = channel->curves[i] && jumps(channel->curves[i]);
    return is_stepped;
}

void fbx_add_times(const struct fbx_take *take, const struct fbx_channel *channel, struct fbx_times *times)
{
    const struct fbx_channel *weight = take->layers[channel->layer].animated_weight;
    for (int i = 0; i < 3; i++) {
        if (channel->curves[i])
            add_curve_times(take, channel->curves[i], times);
        if (weight && weight->curves[i])
            add_curve_times(take, weight->curves[i], times);
    }
}
