/* FBX, animation: curves of numbers, the channels that they are part of, takes and their layers.
 *
 * From 7.0 on these are objects: a stack carries layers, a layer carries curve nodes, a curve node is connected to a
 * property, and curves to its numbers. Before, Takes has a node for each object, with channels in channels. */
#include "fbx/fbx.h"

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

    MOST_TIMES = 1 << 20,    /* of a channel */
    MOST_TAKES = 1024,       /* as many clips as a rig may have */
    MOST_REPEATED = 1 << 22, /* keys of all curves that repeat */
};

static const float WEIGHT = 1.0f / 3;
static const double CLAMP_BELOW = 1e-4;

/* Ends of a take that are nearer than this to a key are meant to be there. */
static const double SAME_END_S = 2e-3;

/* Until a curve has its slopes (find_slopes), `right`, the next key's `left` and `right_weight` hold what the file has of them:
 * slopes, or how an automatic one leans, or tension, continuity and bias. */
struct key {
    double time_s;
    float value, left, right; /* slopes on both sides */
    float left_weight,
        right_weight; /* how much of the time to the neighbour they hold: WEIGHT but of curves with weights */
    uint32_t flags;   /* of the way to the next key: constant, cubic, or straight, which is cubic, too */
};

struct fbx_curve {
    struct key *keys;
    size_t count, at;                       /* where they were last looked at: the next look is near */
    bool is_stepped, has_weights, is_still; /* always at the value of its first key */
    double end_slopes[2];                   /* before the first key, after the last */
};

/* -- What a curve is at a time -------------------------------------------------------------------------------- */

/* Where on the curve (0 to 1) its time is `x`: times of the four points of Bezier are 0, a, b, 1. */
static double find_parameter(double a, double b, double x)
{
    double low = 0, high = 1, t = x;
    for (int i = 0; i < 52; i++) {
        const double u = 1 - t, off = 3 * u * u * t * a + 3 * u * t * t * b + t * t * t - x;
        if (fabs(off) < 1e-16)
            break;
        *(off < 0 ? &low : &high) = t;
        const double next = t - off / (3 * (u * u * a + 2 * u * t * (b - a) + t * t * (1 - b))); /* by Newton */
        t = next > low && next < high ? next : (low + high) / 2;
    }
    return t;
}

/* *slope is that of curves without weights. */
static double between_keys(const struct fbx_curve *curve, size_t at, double time_s, double *slope)
{
    const struct key *key = &curve->keys[at], *next = key + 1;
    const double span_s = next->time_s - key->time_s, from = (double)key->value, to = (double)next->value;
    double x = (time_s - key->time_s) / span_s, weights[2] = {1.0 / 3, 1.0 / 3};
    if (key->flags & KEY_CONSTANT)
        return key->flags & KEY_NEXT ? to : from;
    if (curve->has_weights) {
        weights[0] = (double)key->right_weight;
        weights[1] = (double)next->left_weight;
        x = find_parameter(weights[0], 1 - weights[1], x);
    }
    const double u = 1 - x, b = from + (double)key->right * weights[0] * span_s,
                 c = to - (double)next->left * weights[1] * span_s;
    *slope = 3 * (u * u * (b - from) + 2 * u * x * (c - b) + x * x * (to - c)) / span_s;
    return u * u * u * from + 3 * u * u * x * b + 3 * u * x * x * c + x * x * x * to;
}

/* The number of the last key that is not after the time, or 0. */
static size_t find_key(struct fbx_curve *curve, double time_s)
{
    const struct key *keys = curve->keys;
    size_t first = keys[curve->at].time_s > time_s ? 0 : curve->at, past = curve->count, step = 1;
    for (; first + step < past && keys[first + step].time_s <= time_s; step *= 2)
        first += step;
    past = first + step < past ? first + step : past;
    while (past > first + 1) {
        const size_t middle = first + (past - first) / 2;
        *(keys[middle].time_s <= time_s ? &first : &past) = middle;
    }
    return curve->at = first;
}

/* Slopes before and after the time are right where the curve has no weights. */
static double value_at(struct fbx_curve *curve, double time_s, double slopes[2])
{
    const size_t at = find_key(curve, time_s);
    const struct key *key = &curve->keys[at];
    const double over_s = time_s - key->time_s; /* below 0 it is before the first */
    const bool is_last = at + 1 == curve->count;
    if (over_s > 0 && !is_last) {
        const double value = between_keys(curve, at, time_s, &slopes[0]);
        slopes[1] = slopes[0];
        return value;
    }
    slopes[0] = over_s > 0              ? curve->end_slopes[1]
                : over_s < 0 || at == 0 ? curve->end_slopes[0]
                                        : (double)key->left;
    slopes[1] = over_s < 0 ? curve->end_slopes[0] : is_last ? curve->end_slopes[1] : (double)key->right;
    return (double)key->value + over_s * slopes[over_s > 0];
}

void fbx_values_at(const struct fbx_channel *channel, double time_s, double values[3], double slopes[2][3])
{
    for (int i = 0; i < 3; i++) {
        double own[2] = {0, 0};
        const double value = channel->curves[i] ? value_at(channel->curves[i], time_s, own) : channel->values[i];
        values[i] = fabs(value) < MODEL_LARGEST_NUMBER ? value : 0;
        for (int side = 0; side < 2 && slopes; side++)
            slopes[side][i] = own[side];
    }
}

double fbx_layer_weight(const struct fbx_layer *layer, double time_s)
{
    double values[3] = {100 * layer->weight};
    if (layer->animated_weight)
        fbx_values_at(layer->animated_weight, time_s, values, NULL);
    return fmax(0, fmin(values[0] / 100, 1));
}

/* -- Slopes --------------------------------------------------------------------------------------------------- */

static double slope_between(const struct key *a, const struct key *b)
{
    return ((double)b->value - (double)a->value) / (b->time_s - a->time_s);
}

/* The slope of a key between two others that computes it by itself. Its bias, in percent, leans it to the slope on the one
 * side or on the other. */
static double automatic_slope(const struct key *key, double bias)
{
    const struct key *before = key - 1, *after = key + 1;
    const double left_s = key->time_s - before->time_s, right_s = after->time_s - key->time_s;
    const double value = (double)key->value, down = value - (double)before->value,
                 up = (double)after->value - value;
    if ((key->flags & KEY_CLAMP) && fmin(fabs(down), fabs(up)) <= CLAMP_BELOW)
        return 0;
    double slope = (down + up) / (left_s + right_s);
    if (!(key->flags & KEY_TIME_INDEPENDENT)) {
        const double part = left_s / (left_s + right_s), lean = fabs(bias) / 100;
        slope = slope / 2 + (down / left_s * (1 - part) + up / right_s * part) / 2;
        const double target = bias > 0 ? up / right_s : down / left_s, way = target - slope;
        if (lean > 1e-4)
            slope += way * lean;
        if (lean > 5)
            slope += (lean - 5) * (lean - 5) * 40 * ((fabs(way) > 1e-5 ? way : bias) > 0 ? 1 : -1);
    }
    if (key->flags & KEY_CLAMP_PROGRESSIVE) { /* it does not go beyond either neighbour */
        const double sign = slope < 0 ? -1 : 1;
        const double most_left = (double)key->left_weight * left_s,
                     most_right = (double)key->right_weight * right_s;
        const double most =
            fmin(most_left > 0 ? sign * down / most_left : 0, most_right > 0 ? sign * up / most_right : 0);
        slope = sign * fmin(sign * slope, fmax(most, 0));
    }
    return slope;
}

/* The same of the first or the last key, whose flags these are. */
static double automatic_end(const struct key *a, const struct key *b, double bias, uint32_t flags)
{
    const double over = fabs(bias) / 100 - 5;
    if ((flags & KEY_CLAMP_PROGRESSIVE) ||
        ((flags & KEY_CLAMP) && fabs((double)b->value - (double)a->value) <= CLAMP_BELOW))
        return 0;
    const double slope = slope_between(a, b);
    return !(flags & KEY_TIME_INDEPENDENT) && over > 0 ? slope + over * over * 40 * (bias > 0 ? 1 : -1) : slope;
}

/* Both slopes of a key whose neighbours give it them. */
static void set_automatic(struct key *key, bool has_left, bool has_right)
{
    const double left_bias = (double)key->left, right_bias = (double)key->right;
    if (has_left && has_right) {
        key->right = (float)automatic_slope(key, right_bias);
        key->left = fabs(left_bias + right_bias) <= 1e-4 ? key->right : (float)automatic_slope(key, -left_bias);
    } else {
        key->left = key->right = (float)(has_left    ? automatic_end(key - 1, key, -left_bias, key->flags)
                                         : has_right ? automatic_end(key, key + 1, right_bias, key->flags)
                                                     : 0);
    }
}

/* Tension, continuity and bias, after Kochanek and Bartels. */
static void set_tcb(struct key *key, bool has_left, bool has_right)
{
    const double continuity = (double)key[1].left, bias = (double)key->right_weight;
    const double down = has_left ? slope_between(key - 1, key) : 0,
                 up = has_right ? slope_between(key, key + 1) : 0;
    const double factor = (has_left && has_right ? 0.5 : 1) * (1 - (double)key->right);
    key->left = (float)(factor * ((1 + bias) * (1 - continuity) * down + (1 - bias) * (1 + continuity) * up));
    key->right = (float)(factor * ((1 + bias) * (1 + continuity) * down + (1 - bias) * (1 - continuity) * up));
    key->right_weight = WEIGHT;
    key[1].left = 0;
}

/* Gives all keys their slopes: the last one has room for a next one. */
static void find_slopes(struct fbx_curve *curve)
{
    curve->is_still = true;
    for (size_t i = 0; i < curve->count; i++) {
        struct key *key = &curve->keys[i];
        const bool has_left = i > 0, has_right = i + 1 < curve->count;
        if (!(key->flags & KEY_CUBIC) || (key->flags & KEY_CONSTANT))
            key->right = key[1].left =
                has_right && !(key->flags & KEY_CONSTANT) ? (float)slope_between(key, key + 1) : 0;
        else if (key->flags & KEY_TCB)
            set_tcb(key, has_left, has_right);
        else if (!(key->flags & KEY_USER))
            set_automatic(key, has_left, has_right);
        curve->is_stepped |= (key->flags & KEY_CONSTANT) != 0;
        curve->has_weights |= key->left_weight != WEIGHT || key->right_weight != WEIGHT;
        curve->is_still &= key->value == curve->keys->value && key->left == 0 && key->right == 0;
    }
}

/* -- Curves ---------------------------------------------------------------------------------------------------- */

/* Adds a key, with the slope and weight before the next one, if it follows the last; if not, the next takes its place. */
static struct key *add_key(struct fbx *fbx, struct fbx_curve *curve, double ticks, double value)
{
    struct key *key = &curve->keys[curve->count];
    key->time_s = ticks / fbx->ticks_per_s;
    key->value = (float)value;
    key->right_weight = key[1].left_weight = WEIGHT;
    key->right = key[1].left = 0;
    key->flags = 0;
    if (fabs(value) < MODEL_LARGEST_NUMBER && fabs(key->time_s) < 1e6 &&
        (curve->count == 0 || key->time_s > key[-1].time_s))
        curve->count++;
    else
        fbx_note(fbx, false, "keys that do not follow the one before are left out", NULL);
    return key;
}

static void make_room(struct fbx_curve *curve, struct arena *arena, size_t count)
{
    curve->keys = arena_must_alloc(arena, count + 2, sizeof *curve->keys);
    curve->keys->left_weight = WEIGHT;
}

/* The bits of a float, or the number itself where ASCII files have these bits. */
static uint32_t bits_of(double number, bool are_bits)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return are_bits ? (uint32_t)fbx_whole(number) : bits;
}

static void read_keys(struct fbx *fbx, const struct fbx_node *node, struct fbx_curve *curve, struct arena *arena)
{
    size_t count, value_count, flag_count, datum_count, run_count;
    bool are_bits = !fbx->is_binary; /* where all are whole */
    const double *times = fbx_numbers(fbx, fbx_child(node, "KeyTime"), &count);
    const double *values = fbx_numbers(fbx, fbx_child(node, "KeyValueFloat"), &value_count);
    const double *flags = fbx_numbers(fbx, fbx_child(node, "KeyAttrFlags"), &flag_count);
    const double *data = fbx_numbers(fbx, fbx_child(node, "KeyAttrDataFloat"), &datum_count);
    const double *runs = fbx_numbers(fbx, fbx_child(node, "KeyAttrRefCount"), &run_count);
    double run_left = run_count ? runs[0] : 0;
    count = count < value_count ? count : value_count;
    for (size_t i = 0; i < datum_count && are_bits; i++)
        are_bits = data[i] == (double)fbx_whole(data[i]);
    make_room(curve, arena, count);
    for (size_t i = 0, run = 0; i < count; i++) {
        struct key *key = add_key(fbx, curve, times[i], values[i]);
        if (run < flag_count && 4 * run + 3 < datum_count) {
            const uint32_t bits[] = {bits_of(data[4 * run], are_bits), bits_of(data[4 * run + 1], are_bits),
                                     bits_of(data[4 * run + 2], are_bits)};
            key->flags = (uint32_t)fbx_whole(flags[run]);
            memcpy(&key->right, &bits[0], sizeof key->right);
            memcpy(&key[1].left, &bits[1], sizeof key->left);
            const bool is_cubic = key->flags & KEY_CUBIC, is_tcb = key->flags & KEY_TCB;
            if (is_cubic && is_tcb)
                memcpy(&key->right_weight, &bits[2], sizeof key->right_weight);
            else if (is_cubic && (key->flags & KEY_WEIGHTED))
                key->right_weight = (float)((bits[2] & 0xffff) * 1e-4);
            if (is_cubic && !is_tcb && (key->flags & KEY_NEXT_WEIGHTED))
                key[1].left_weight = (float)((bits[2] >> 16) * 1e-4);
        }
        if (--run_left < 0.5 && run + 1 < run_count)
            run_left = runs[++run];
    }
}

/* The keys of versions below 7.0: for each key a time, a value, a letter for its shape, and what that has with it. */
static void read_old_keys(struct fbx *fbx, const struct fbx_node *node, struct fbx_curve *curve,
                          struct arena *arena)
{
    size_t count, most = (size_t)fbx_whole(fmax(0, fbx_number(fbx_child(node, "KeyCount"), 0, 0)));
    const double *data = fbx_numbers(fbx, fbx_child(node, "Key"), &count);
    const int version = (int)fbx_whole(fbx_number(fbx_child(node, "KeyVer"), 0, 4005));
    most = most < count / 3 ? most : count / 3;
    make_room(curve, arena, most);
    for (size_t i = 0; most > 0 && count - i >= 3; most--) {
        const int shape = (int)fbx_whole(data[i + 2]);
        struct key *key = add_key(fbx, curve, data[i], data[i + 1]);
        i += 3;
        if (shape == 'C')
            key->flags = KEY_CONSTANT | (version >= 4004 && i < count && data[i++] == 'n' ? KEY_NEXT : 0);
        if (shape != 'U' || i >= count)
            continue;
        const int slopes = (int)fbx_whole(data[i++]);
        const bool is_told = slopes == 's' || slopes == 'b', is_pair = slopes == 'p' || slopes == 'q';
        const size_t width = is_told || is_pair ? 2 : slopes == 't' ? 3 : slopes == 'd';
        const bool has_no_weight =
            slopes == 't' || (slopes == 'a' && version <= 4004) || (is_told && version == 4003);
        if (count - i < width)
            break;
        key->flags = KEY_CUBIC | (is_told ? KEY_USER : KEY_CLAMP_PROGRESSIVE | KEY_TIME_INDEPENDENT);
        if (is_told) {
            key->right = (float)data[i];
            key[1].left = (float)data[i + 1];
        }
        i += width;
        for (int weights = has_no_weight               ? 0
                           : is_pair && version > 4004 ? 2
                                                       : 1;
             weights > 0 && i < count; weights--) {
            const int which = (int)fbx_whole(data[i++]);
            if ((which == 'a' || which == 'r') && i < count)
                key->right_weight = (float)data[i++];
            if ((which == 'a' || which == 'l') && i < count)
                key[1].left_weight = (float)data[i++];
        }
    }
}

/* Turns the way to the next key round: `key` has taken the place of the next one, `before` of the one before. */
static void mirror(struct key *key, const struct key *before)
{
    const struct key old = *key;
    key->left = -old.right;
    key->right = -old.left;
    key->left_weight = old.right_weight;
    key->right_weight = old.left_weight;
    key->flags = before->flags ^ KEY_NEXT; /* of constant ones */
}

/* Puts keys of its own in all rounds of a curve that goes on before and after these, as far as the take goes: 'R' from the first
 * to the last again, 'A' from where it is, 'M' to and fro; 'K' is its slope. Where a round begins are two keys, of which the last
 * counts. */
static void extend(struct fbx *fbx, struct fbx_curve *curve, const struct fbx_node *node,
                   const struct fbx_take *take)
{
    static const char *const names[] = {"Pre-Extrapolation", "Post-Extrapolation"};
    const size_t count = curve->count;
    const struct key *own = curve->keys, *last = own + count - 1;
    const double span_s = last->time_s - own->time_s, rise = (double)last->value - (double)own->value;
    double rounds[2];
    int hows[2];
    for (int i = 0; i < 2; i++) {
        const struct fbx_node *end = fbx_child(node, names[i]);
        const double told = fbx_number(fbx_child(end, "Repetition"), 0, -1); /* below 0: no end */
        hows[i] = (int)fbx_whole(fbx_number(fbx_child(end, "Type"), 0, 'C'));
        const bool repeats = (hows[i] == 'A' || hows[i] == 'M' || hows[i] == 'R') && span_s > 1e-3;
        rounds[i] = !repeats ? 0 : told < 0 ? INFINITY : floor(told);
        if (hows[i] == 'K')
            curve->end_slopes[i] = i ? (double)last->left : (double)own->right;
    }
    if (rounds[0] + rounds[1] == 0 || !(take->end_s > take->begin_s))
        return;
    const double begin = fmax(-rounds[0], fmin(floor((take->begin_s - own->time_s) / span_s), rounds[1]));
    const double end = fmin(rounds[1], fmax(floor((take->end_s - own->time_s) / span_s), -rounds[0]));
    fbx->repeated_count += (end - begin + 1) * (double)count;
    if (fbx->repeated_count > MOST_REPEATED) {
        fbx_fail(fbx, "curves that repeat have more than %d keys", MOST_REPEATED);
        return;
    }
    struct key *key = arena_must_alloc(&fbx->scratch, (size_t)(end - begin + 1) * count, sizeof *key);
    curve->keys = key;
    curve->is_stepped = true;
    for (double round = begin; round <= end; round++) {
        const int how = round == 0 ? 0 : hows[round > 0];
        const bool is_back = how == 'M' && fmod(round, 2) != 0;
        for (size_t i = 0; i < count; i++, key++) {
            *key = is_back ? last[-(ptrdiff_t)i] : own[i];
            key->time_s = (is_back ? own->time_s + last->time_s - key->time_s : key->time_s) + round * span_s;
            key->value += how == 'A' ? (float)(rise * round) : 0;
            if (is_back)
                mirror(key, &last[-(ptrdiff_t)(i + 1 < count ? i + 1 : i)]);
        }
    }
    curve->count = (size_t)(key - curve->keys);
}

/* NULL: there are no keys. What their readers take on the way goes at once. */
static struct fbx_curve *read_curve(struct fbx *fbx, const struct fbx_node *node, const struct fbx_take *take)
{
    struct arena kept = fbx->scratch;
    fbx->scratch = (struct arena){0};
    struct fbx_curve *curve = arena_must_alloc(&kept, 1, sizeof *curve);
    (fbx_child(node, "KeyTime") ? read_keys : read_old_keys)(fbx, node, curve, &kept);
    arena_release(&fbx->scratch);
    fbx->scratch = kept;
    if (curve->count == 0)
        return NULL;
    find_slopes(curve);
    extend(fbx, curve, node, take);
    return curve;
}

/* -- Takes ----------------------------------------------------------------------------------------------------- */

/* Of "d|X" and of the last letter of others: which of three numbers it is. */
static int index_of(struct bytes name)
{
    const uint8_t last = name.size ? name.data[name.size - 1] : 0;
    const bool is_axis = name.size == 1 || (name.size == 3 && name.data[1] == '|');
    return is_axis && last >= 'X' && last <= 'Z' ? last - 'X' : 0;
}

/* One curve node moves the same numbers wherever it is connected. */
static void read_curve_node(struct fbx *fbx, struct fbx_take *take, uint32_t layer, uint32_t node)
{
    static const char *const names[] = {"d|X", "d|Y", "d|Z"};
    const struct fbx_links targets = fbx_links_of(fbx, node, FBX_CARRIER);
    const struct fbx_links curves = fbx_links_of(fbx, node, FBX_CURVE);
    struct fbx_channel channel = {.layer = layer};
    for (int i = 0; i < 3; i++)
        channel.values[i] = fbx_property_number(fbx, &fbx->objects[node], names[i], 0);
    for (uint32_t c = 0; c < curves.count; c++)
        channel.curves[index_of(curves.items[c].property)] =
            read_curve(fbx, fbx->objects[curves.items[c].object].node, take);
    for (uint32_t t = 0; t < targets.count && !fbx->has_failed; t++) {
        const struct bytes property = targets.items[t].property;
        if (targets.items[t].object == FBX_ROOT || property.size == 0)
            continue;
        channel.object = targets.items[t].object;
        channel.property = arena_strndup(&fbx->scratch, (const char *)property.data, property.size);
        *MUST_ADD(take->channels, take->channel_count, take->capacity) = channel;
    }
}

static void read_layer(struct fbx *fbx, struct fbx_take *take, uint32_t layer)
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
    const struct fbx_links nodes = fbx_links_of(fbx, layer, FBX_CURVE_NODE);
    for (uint32_t i = 0; i < nodes.count && !fbx->has_failed; i++)
        if (nodes.items[i].property.size == 0)
            read_curve_node(fbx, take, take->layer_count, nodes.items[i].object);
    take->layer_count++;
}

static int compare_channels(const void *a, const void *b)
{
    const struct fbx_channel *left = a, *right = b;
    if (left->object != right->object)
        return left->object < right->object ? -1 : 1;
    const int order = strcmp(left->property, right->property);
    return order ? order : (left->layer > right->layer) - (left->layer < right->layer);
}

struct fbx_channels fbx_channels_of(const struct fbx_take *take, uint32_t object, const char *property)
{
    struct fbx_channel key = {.object = object, .property = property};
    if (!take)
        return (struct fbx_channels){0};
    const size_t first = sorted_place(take->channels, take->channel_count, sizeof key, &key, compare_channels);
    key.layer = UINT32_MAX;
    const size_t past = sorted_place(take->channels, take->channel_count, sizeof key, &key, compare_channels);
    return (struct fbx_channels){&take->channels[first], (uint32_t)(past - first)};
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
    for (uint32_t l = 0; l < take->layer_count; l++) {
        const struct fbx_channels weight = fbx_channels_of(take, take->layers[l].object, "Weight");
        take->layers[l].animated_weight = weight.count ? weight.items : NULL;
    }
    for (uint32_t i = 0; i < take->channel_count; i++) {
        const struct fbx_channel *channel = &take->channels[i];
        for (int k = 0; k < 3; k++)
            if (channel->curves[k]) {
                const struct fbx_curve *curve = channel->curves[k];
                first_s = fmin(first_s, curve->keys[0].time_s);
                last_s = fmax(last_s, curve->keys[curve->count - 1].time_s);
            }
    }
    const double told_s[] = {take->begin_s, take->end_s};
    const bool is_told = take->end_s > take->begin_s;
    if (!is_told || fabs(take->begin_s - first_s) < SAME_END_S)
        take->begin_s = first_s;
    if (!is_told || fabs(take->end_s - last_s) < SAME_END_S)
        take->end_s = fmax(last_s, take->begin_s);
    if (is_told && fabs(take->begin_s - told_s[0]) + fabs(take->end_s - told_s[1]) > 1e-6)
        fbx_note(fbx, false, "takes begin or end at a key that is less than 2 ms away", take->name);
    return first_s < INFINITY;
}

/* In ticks of the file; a take has the first that is longer than nothing. */
static void set_span(const struct fbx *fbx, struct fbx_take *take, double begin, double end)
{
    const double begin_s = begin / fbx->ticks_per_s, end_s = end / fbx->ticks_per_s;
    if (take->end_s > take->begin_s || !(end_s > begin_s) || fabs(begin_s) >= 1e6 || fabs(end_s) >= 1e6)
        return;
    take->begin_s = begin_s;
    take->end_s = end_s;
}

static bool read_stack(struct fbx *fbx, uint32_t stack, struct fbx_take *take)
{
    static const char *const names[][2] = {{"LocalStart", "LocalStop"}, {"ReferenceStart", "ReferenceStop"}};
    const struct fbx_object *object = &fbx->objects[stack];
    const struct fbx_links layers = fbx_links_of(fbx, stack, FBX_LAYER);
    *take = (struct fbx_take){.name = object->name,
                              .layers = arena_must_alloc(&fbx->scratch, layers.count, sizeof *take->layers)};
    for (int i = 0; i < 2; i++)
        set_span(fbx, take, fbx_property_number(fbx, object, names[i][0], 0),
                 fbx_property_number(fbx, object, names[i][1], 0));
    const struct fbx_node *told = fbx_child(fbx_child(fbx->root, "Takes"), "Take");
    while (told && !fbx_is(fbx_bytes(told, 0), object->name))
        told = fbx_next(told, "Take");
    told = fbx_child(told, "LocalTime");
    set_span(fbx, take, fbx_number(told, 0, 0), fbx_number(told, 1, 0));
    for (uint32_t i = 0; i < layers.count && !fbx->has_failed; i++)
        read_layer(fbx, take, layers.items[i].object);
    return finish_take(fbx, take);
}

/* Reads a channel of an old take, or those in it: "Transform" has "T", "R" and "S", and these have "X", "Y" and "Z". */
static void read_old_channel(struct fbx *fbx, struct fbx_take *take, uint32_t object, const struct fbx_node *node,
                             const char *name, int depth)
{
    static const char *const parts[][2] = {{"T", "Lcl Translation"}, {"R", "Lcl Rotation"}, {"S", "Lcl Scaling"}};
    const struct fbx_node *below = fbx_child(node, "Channel");
    if (!strcmp(name, "Transform") && depth == 0) {
        for (; below; below = fbx_next(below, "Channel"))
            for (int i = 0; i < 3; i++)
                if (fbx_is(fbx_bytes(below, 0), parts[i][0]))
                    read_old_channel(fbx, take, object, below, parts[i][1], 1);
        return;
    }
    struct fbx_channel *channel = MUST_ADD(take->channels, take->channel_count, take->capacity);
    *channel = (struct fbx_channel){.object = object, .property = name};
    const bool is_one = fbx_child(node, "Key") || fbx_child(node, "Default");
    for (const struct fbx_node *part = is_one ? node : below; part && !fbx->has_failed;
         part = is_one ? NULL : fbx_next(part, "Channel")) {
        const int index = is_one ? 0 : index_of(fbx_bytes(part, 0));
        channel->values[index] = fbx_number(fbx_child(part, "Default"), 0, 0);
        if (fbx_child(part, "Key"))
            channel->curves[index] = read_curve(fbx, part, take);
    }
}

static bool read_old_take(struct fbx *fbx, const struct fbx_node *node, struct fbx_take *take)
{
    const struct fbx_node *times = fbx_child(node, "LocalTime");
    *take = (struct fbx_take){.name = fbx_text(fbx, node, 0),
                              .layers = arena_must_alloc(&fbx->scratch, 1, sizeof *take->layers),
                              .layer_count = 1};
    set_span(fbx, take, fbx_number(times, 0, 0), fbx_number(times, 1, 0));
    take->layers[0] = (struct fbx_layer){.object = FBX_ROOT, .weight = 1};
    for (const struct fbx_node *model = node->first; model; model = model->next) {
        const uint32_t object = model->value_count ? fbx_find_object(fbx, model, 0) : FBX_ROOT;
        for (const struct fbx_node *channel = object == FBX_ROOT ? NULL : fbx_child(model, "Channel"); channel;
             channel = fbx_next(channel, "Channel"))
            read_old_channel(fbx, take, object, channel, fbx_text(fbx, channel, 0), 0);
    }
    return finish_take(fbx, take);
}

const struct fbx_take *fbx_read_takes(struct fbx *fbx, uint32_t *count)
{
    struct fbx_take *takes = arena_must_alloc(&fbx->scratch, MOST_TAKES, sizeof *takes);
    *count = 0;
    for (uint32_t i = 0; i < fbx->object_count && *count < MOST_TAKES && !fbx->has_failed; i++)
        if (fbx->objects[i].kind == FBX_STACK)
            *count += read_stack(fbx, i, &takes[*count]);
    const struct fbx_node *old = fbx->version < 7000 ? fbx_child(fbx_child(fbx->root, "Takes"), "Take") : NULL;
    for (; old && *count < MOST_TAKES && !fbx->has_failed; old = fbx_next(old, "Take"))
        *count += read_old_take(fbx, old, &takes[*count]);
    return fbx->has_failed ? NULL : takes;
}

/* -- Times ----------------------------------------------------------------------------------------------------- */

static void add_curve_times(const struct fbx_take *take, const struct fbx_curve *curve, struct fbx_times *times)
{
    const struct fbx_curve *last = times->last;
    const struct key *keys = curve->keys;
    size_t i = 0; /* many curves of a file have the same */
    while (last && i < curve->count && i < last->count && keys[i].time_s == last->keys[i].time_s)
        i++;
    for (; i < curve->count && times->count < MOST_TIMES; i++)
        if (keys[i].time_s > take->begin_s && keys[i].time_s < take->end_s)
            *MUST_ADD(times->items, times->count, times->capacity) = keys[i].time_s;
    times->last = curve;
}

void fbx_add_times(const struct fbx_take *take, struct fbx_channels channels, struct fbx_times *times)
{
    times->may_jump |= take->layer_count > 1;
    for (uint32_t i = 0; i < 6 * channels.count; i++) {
        const struct fbx_channel *own = &channels.items[i / 6], *weight = take->layers[own->layer].animated_weight,
                                 *channel = i % 6 < 3 ? own : weight;
        const struct fbx_curve *curve = channel ? channel->curves[i % 3] : NULL;
        if (!curve)
            continue;
        times->is_moved = true;
        if (curve->is_still && !times->takes_still)
            continue;
        times->may_jump |= curve->is_stepped;
        times->has_weights |= curve->has_weights;
        add_curve_times(take, curve, times);
    }
}
