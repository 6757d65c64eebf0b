#include "model/retarget.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/dvec.h"
#include "base/missing.h"
#include "base/strings.h"

/* Bind poses are the same below this, in radians and in parts of the height; and nodes below that. */
#define AGREES 0.01
#define SAME_NODE 1e-5

#define KEY_APART_S (1.0 / 30)

enum { MOST_PLACES = 1 << 23 }; /* of nodes at keys: ten minutes of two hundred are less than half of it */

static const char HELPER[] = "_$AssimpFbx$_";

bool retarget_is_exact(const struct retarget *match, enum retarget_mode mode)
{
    return mode == RETARGET_EXACT || (mode == RETARGET_AUTO && match->apart_rad < AGREES && match->apart < AGREES);
}

void retarget_release(struct retarget *match)
{
    arena_release(&match->arena);
    *match = (struct retarget){0};
}

/* -- Names ------------------------------------------------------------------------------------------------- */

/* How alike two names have to be: each step less than the one before. */
enum likeness { SAME_AS_JOB_SAYS, SAME_NAME, SAME_BARE_NAME, SAME_BUT_FOR_CASE, LIKENESS_COUNT };

struct joint_names {
    const struct rig *rig;
    const char **bare; /* by node; NULL: no joint has this name */
    int32_t *owners;   /* by node: the joint that it is, or that assimp added it for */
};

/* Files give a part that hangs on a joint the joint's name. */
static bool is_part_of_joint(const struct rig *rig, uint32_t node, const bool *has_surface)
{
    for (uint32_t n = 0; n < rig->node_count && has_surface[node]; n++)
        if (!has_surface[n] && !strcmp(rig->nodes[n].name, rig->nodes[node].name))
            return true;
    return false;
}

static struct joint_names list_names(const struct rig *rig, struct arena *arena)
{
    struct joint_names names = {rig, arena_must_alloc(arena, rig->node_count, sizeof *names.bare),
                                arena_must_alloc(arena, rig->node_count, sizeof *names.owners)};
    bool *has_surface = arena_must_alloc(arena, rig->node_count, sizeof *has_surface);
    for (uint32_t s = 0; s < rig->surface_count; s++)
        has_surface[rig->surfaces[s].node] = true;
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const char *name = rig->nodes[n].name;
        names.owners[n] = (int32_t)n;
        if (!*name || strstr(name, HELPER) || is_part_of_joint(rig, n, has_surface))
            continue;
        names.bare[n] = name_without_prefix(name);
        const size_t length = strlen(name);
        for (int32_t up = rig->nodes[n].parent; up >= 0; up = rig->nodes[up].parent) {
            const char *helper = rig->nodes[up].name;
            if (strncmp(helper, name, length) || strncmp(helper + length, HELPER, sizeof HELPER - 1))
                break;
            names.owners[up] = (int32_t)n;
        }
    }
    return names;
}

static bool is_alike(const struct joint_names *a, uint32_t i, const struct joint_names *b, uint32_t k,
                     enum likeness likeness)
{
    if (!a->bare[i] || !b->bare[k])
        return false;
    return likeness == SAME_NAME        ? !strcmp(a->rig->nodes[i].name, b->rig->nodes[k].name)
           : likeness == SAME_BARE_NAME ? !strcmp(a->bare[i], b->bare[k])
                                        : !strcasecmp(a->bare[i], b->bare[k]);
}

/* The node of that very name, or -1. */
static int32_t find_joint(const struct joint_names *names, const char *name)
{
    for (uint32_t n = 0; n < names->rig->node_count; n++)
        if (names->bare[n] && !strcmp(names->rig->nodes[n].name, name))
            return (int32_t)n;
    return -1;
}

/* -- Matching ---------------------------------------------------------------------------------------------- */

struct matcher {
    struct retarget *match;
    struct joint_names names, from_names;
    enum likeness *likenesses; /* by node of the rig that follows another: why it does */
    bool *has_tracks;          /* by node of `from` */
    bool *is_moved;            /* the same: and not all keys hold it where it is at rest */
};

static bool stays_at_rest(const struct rig_track *track, const struct rig_node *node)
{
    const double *rest = track->target == RIG_TRANSLATION ? node->local.translation
                         : track->target == RIG_ROTATION  ? node->local.rotation
                                                          : node->local.scale;
    const size_t value_count = (size_t)track->key_count * track->width;
    if (node->matrix || track->interpolation == RIG_CUBIC)
        return false;
    for (size_t i = 0; i < value_count; i++)
        if (fabs(track->values[i] - rest[i % track->width]) > SAME_NODE * (1 + fabs(rest[i % track->width])))
            return false;
    return true;
}

static void find_moved(struct matcher *matcher, const struct rig *from)
{
    for (uint32_t a = 0; a < from->animation_count; a++)
        for (uint32_t t = 0; t < from->animations[a].track_count; t++) {
            const struct rig_track *track = &from->animations[a].tracks[t];
            int32_t owner = matcher->from_names.owners[track->node];
            if (track->target == RIG_WEIGHTS || !matcher->from_names.bare[owner])
                continue;
            matcher->has_tracks[owner] = true;
            matcher->is_moved[owner] |= !stays_at_rest(track, &from->nodes[track->node]);
        }
}

static void follow(struct matcher *matcher, uint32_t node, uint32_t source, enum likeness likeness)
{
    matcher->match->sources[node] = (int32_t)source;
    matcher->match->followers[source] = (int32_t)node;
    matcher->likenesses[node] = likeness;
}

static int add_pairs(struct matcher *matcher, const struct joint_pair *pairs, size_t count, struct error *err)
{
    const struct rig *rig = matcher->match->rig;
    for (size_t i = 0; i < count; i++) {
        int32_t source = find_joint(&matcher->from_names, pairs[i].from);
        int32_t node = find_joint(&matcher->names, pairs[i].to);
        if (source < 0)
            matcher->match->absent[matcher->match->absent_count++] = pairs[i].from;
        if (source < 0 || !matcher->has_tracks[source])
            continue; /* it may be there for another file */
        if (node < 0) {
            const char **names = arena_must_alloc(&matcher->match->arena, rig->node_count, sizeof *names);
            for (uint32_t n = 0; n < rig->node_count; n++)
                names[n] = rig->nodes[n].name;
            missing_fail("joint", pairs[i].to, strings_nearest(pairs[i].to, names, rig->node_count), names,
                         rig->node_count, err);
            return error_add(err, "`joints`");
        }
        if (matcher->match->sources[node] >= 0 || matcher->match->followers[source] >= 0)
            return error_set(err, "`joints` has more than one joint for '%s' or '%s'", pairs[i].from, pairs[i].to);
        follow(matcher, (uint32_t)node, (uint32_t)source, SAME_AS_JOB_SAYS);
    }
    return 0;
}

/* Among joints that nothing but the same likeness has given a partner: two of these are one too many. */
static int match_alike(struct matcher *matcher, enum likeness likeness, struct error *err)
{
    struct retarget *match = matcher->match;
    const struct rig_node *nodes = match->rig->nodes, *from_nodes = match->from->nodes;
    for (uint32_t s = 0; s < match->from->node_count; s++)
        for (uint32_t n = 0; n < match->rig->node_count && matcher->has_tracks[s]; n++) {
            const int32_t node = match->followers[s], source = match->sources[n];
            if ((node >= 0 && matcher->likenesses[node] != likeness) ||
                (source >= 0 && matcher->likenesses[n] != likeness) ||
                !is_alike(&matcher->from_names, s, &matcher->names, n, likeness))
                continue;
            if (node >= 0)
                return error_set(err, "joint '%s' of the clip could be '%s' or '%s' of the model",
                                 from_nodes[s].name, nodes[node].name, nodes[n].name);
            if (source >= 0)
                return error_set(err, "joint '%s' of the model could be '%s' or '%s' of the clip", nodes[n].name,
                                 from_nodes[source].name, from_nodes[s].name);
            follow(matcher, n, s, likeness);
        }
    return 0;
}

static void count_matches(struct matcher *matcher)
{
    struct retarget *match = matcher->match;
    match->missing = arena_must_alloc(&match->arena, match->from->node_count, sizeof *match->missing);
    for (uint32_t s = 0; s < match->from->node_count; s++)
        if (match->followers[s] >= 0)
            match->matched_count++;
        else if (matcher->is_moved[s])
            match->missing[match->missing_count++] = match->from->nodes[s].name;
}

/* -- How the bind poses differ ------------------------------------------------------------------------------- */

/* The nearest node above that follows another, or -1. */
static int32_t carrier_of(const struct retarget *match, uint32_t node)
{
    int32_t up = match->rig->nodes[node].parent;
    while (up >= 0 && match->sources[up] < 0)
        up = match->rig->nodes[up].parent;
    return up;
}

/* From the root that carries most. */
static int32_t find_hips(struct retarget *match)
{
    const uint32_t count = match->rig->node_count;
    uint32_t *carried = arena_must_alloc(&match->arena, count, sizeof *carried); /* with those they carry */
    uint32_t *branches = arena_must_alloc(&match->arena, count, sizeof *branches);
    int32_t *next = arena_must_alloc(&match->arena, count, sizeof *next), root = -1;
    for (uint32_t n = count; n-- > 0;) {
        if (match->sources[n] < 0)
            continue;
        int32_t carrier = carrier_of(match, n);
        carried[n]++;
        if (carrier >= 0) {
            carried[carrier] += carried[n];
            branches[carrier]++;
            next[carrier] = (int32_t)n;
        } else if (root < 0 || carried[n] >= carried[root]) {
            root = (int32_t)n;
        }
    }
    int32_t hips = root;
    while (hips >= 0 && branches[hips] == 1)
        hips = next[hips];
    return hips >= 0 && branches[hips] == 0 ? root : hips;
}

static double distance(const double a[3], const double b[3])
{
    const double way[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return dvec_length(way);
}

static double turn_between(const double a[4], const double b[4])
{
    double turn[4];
    quaternion_invert(a, turn);
    quaternion_multiply(turn, b, turn);
    return 2 * atan2(dvec_length(turn), fabs(turn[3]));
}

/* Lengths go by the heights of the hips above the lowest joint; where rigs lie flat, by how far the joints reach. */
static void compare_binds(struct retarget *match)
{
    double height = 0, from_height = 0, reach = 0, from_reach = 0, turned_rad = 0;
    match->scale = 1;
    match->hips = find_hips(match);
    if (match->hips < 0)
        return;
    const double *hips = match->bind[match->hips].translation;
    const double *from_hips = match->from_bind[match->sources[match->hips]].translation;
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        if (match->sources[n] < 0)
            continue;
        const double *own = match->bind[n].translation, *from = match->from_bind[match->sources[n]].translation;
        height = fmax(height, hips[2] - own[2]);
        from_height = fmax(from_height, from_hips[2] - from[2]);
        reach = fmax(reach, distance(hips, own));
        from_reach = fmax(from_reach, distance(from_hips, from));
    }
    if (height > 0.1 * reach && from_height > 0.1 * from_reach)
        match->scale = height / from_height;
    else if (reach > 0 && from_reach > 0)
        match->scale = reach / from_reach;
    if (fabs(match->scale - 1) < SAME_NODE)
        match->scale = 1;
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        if (match->sources[n] < 0)
            continue;
        const struct transform *own = &match->bind[n], *from = &match->from_bind[match->sources[n]];
        double place[3], turned[4];
        quaternion_multiply(from->rotation, match->axes, turned);
        turned_rad = fmax(turned_rad, turn_between(own->rotation, turned));
        for (int i = 0; i < 3; i++)
            place[i] = hips[i] + (from->translation[i] - from_hips[i]) * match->scale;
        match->apart_rad = fmax(match->apart_rad, turn_between(own->rotation, from->rotation));
        if (reach > 0)
            match->apart = fmax(match->apart, distance(place, own->translation) / reach);
    }
    if (match->apart_rad < AGREES || turned_rad > match->apart_rad - SAME_NODE)
        memcpy(match->axes, (const double[]){0, 0, 0, 1}, sizeof match->axes);
    else
        match->apart_rad = turned_rad;
}

int retarget_match(const struct rig *rig, const struct rig *from, const struct joint_pair *pairs,
                   size_t pair_count, struct retarget *out, struct error *err)
{
    struct retarget match = {.rig = rig, .from = from};
    match.sources = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.sources);
    match.followers = arena_must_alloc(&match.arena, from->node_count, sizeof *match.followers);
    match.bind = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.bind);
    match.from_bind = arena_must_alloc(&match.arena, from->node_count, sizeof *match.from_bind);
    match.rest = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.rest);
    match.from_rest = arena_must_alloc(&match.arena, from->node_count, sizeof *match.from_rest);
    struct matcher matcher = {
        .match = &match,
        .names = list_names(rig, &match.arena),
        .from_names = list_names(from, &match.arena),
        .likenesses = arena_must_alloc(&match.arena, rig->node_count, sizeof *matcher.likenesses),
        .has_tracks = arena_must_alloc(&match.arena, from->node_count, sizeof *matcher.has_tracks),
        .is_moved = arena_must_alloc(&match.arena, from->node_count, sizeof *matcher.is_moved),
    };
    match.absent = arena_must_alloc(&match.arena, pair_count, sizeof *match.absent);
    memset(match.sources, -1, rig->node_count * sizeof *match.sources);
    memset(match.followers, -1, from->node_count * sizeof *match.followers);
    find_moved(&matcher, from);
    int result = add_pairs(&matcher, pairs, pair_count, err);
    for (int likeness = SAME_NAME; likeness < LIKENESS_COUNT && result == 0; likeness++)
        result = match_alike(&matcher, (enum likeness)likeness, err);
    if (result < 0) {
        retarget_release(&match);
        return -1;
    }
    count_matches(&matcher);
    rig_place_bind(rig, match.bind);
    rig_place_bind(from, match.from_bind);
    rig_place(rig, NULL, 0, match.rest);
    rig_place(from, NULL, 0, match.from_rest);
    quaternion_invert(rig_to_model(from).rotation, match.axes);
    quaternion_multiply(match.axes, rig_to_model(rig).rotation, match.axes);
    compare_binds(&match);
    *out = match;
    return 0;
}

/* -- The same keys ------------------------------------------------------------------------------------------- */

static bool is_same_place(const struct transform *a, const struct transform *b, double size)
{
    return turn_between(a->rotation, b->rotation) < SAME_NODE &&
           distance(a->translation, b->translation) <= SAME_NODE * size &&
           distance(a->scale, b->scale) < SAME_NODE * dvec_length(a->scale);
}

/* Whether what two nodes hang on is the same in both files, so that numbers of one are right for the other. */
static bool hang_alike(const struct retarget *match, uint32_t node)
{
    int32_t above = match->rig->nodes[node].parent;
    int32_t from_above = match->from->nodes[match->sources[node]].parent;
    if (above < 0 || from_above < 0)
        return above < 0 && from_above < 0 &&
               !memcmp(match->rig->to_model, match->from->to_model, sizeof match->rig->to_model);
    return match->sources[above] == from_above || is_same_place(&match->rest[above], &match->from_rest[from_above],
                                                                dvec_length(match->rest[above].translation));
}

static bool has_same_nodes(const struct retarget *match, const struct rig_animation *animation)
{
    bool are_same = match->scale == 1 && match->axes[3] == 1;
    for (uint32_t t = 0; t < animation->track_count && are_same; t++) {
        const uint32_t source = animation->tracks[t].node;
        const int32_t node = match->followers[source];
        are_same =
            !strstr(match->from->nodes[source].name, HELPER) && (node < 0 || hang_alike(match, (uint32_t)node));
    }
    return are_same;
}

static void copy_tracks(const struct retarget *match, const struct rig_animation *animation, struct arena *arena,
                        struct rig_animation *out)
{
    struct rig_track *tracks = arena_must_alloc(arena, animation->track_count, sizeof *tracks);
    out->tracks = tracks;
    for (uint32_t t = 0; t < animation->track_count; t++) {
        const struct rig_track *from = &animation->tracks[t];
        if (match->followers[from->node] < 0 || from->target == RIG_WEIGHTS)
            continue;
        const size_t numbers_per_key = from->interpolation == RIG_CUBIC ? 3 * from->width : from->width;
        struct rig_track *track = &tracks[out->track_count++];
        *track = *from;
        track->node = (uint32_t)match->followers[from->node];
        track->times_s = arena_copy(arena, from->times_s, from->key_count, sizeof(float));
        track->values = arena_copy(arena, from->values, from->key_count, numbers_per_key * sizeof(float));
    }
}

/* -- New keys ------------------------------------------------------------------------------------------------ */

/* Numbers of a value of each of these targets. */
static const uint32_t widths[] = {[RIG_TRANSLATION] = 3, [RIG_ROTATION] = 4, [RIG_SCALE] = 3};

struct baker {
    const struct retarget *match;
    bool is_exact;
    struct transform to_model;       /* what carries the roots: axes and units of the file */
    struct transform *own;           /* of each node of the rig: at rest, seen from what carries it */
    struct transform *worlds, *from; /* at the time */
    bool *is_carried_along;          /* from the root to the hips */
    float *(*values)[3];             /* of each node that follows, by target: filled in key by key */
};

/* Adds how the clip moves the node on its carrier: in the axes of the carrier here; unless exact, with the turn between how
 * these are bound there and here. */
static void add_way(const struct baker *baker, uint32_t n, uint32_t carrier, struct transform *offset)
{
    const struct retarget *match = baker->match;
    const int32_t source = match->sources[n], on = match->sources[carrier];
    const struct transform bound = transform_relative(&match->from_bind[on], &match->from_bind[source]);
    const struct transform moved = transform_relative(&baker->from[on], &baker->from[source]);
    struct transform turn = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}, way = turn;
    for (int i = 0; i < 3; i++)
        way.translation[i] =
            (moved.translation[i] - bound.translation[i]) * match->scale * match->from_bind[on].scale[i];
    quaternion_invert(match->axes, turn.rotation);
    if (!baker->is_exact) {
        quaternion_invert(match->bind[carrier].rotation, turn.rotation);
        quaternion_multiply(turn.rotation, match->from_bind[on].rotation, turn.rotation);
    }
    way = transform_multiply(&turn, &way);
    for (int i = 0; i < 3; i++)
        offset->translation[i] += way.translation[i] / match->bind[carrier].scale[i];
}

/* Where a node is bound, on what carries it where that is at rest. */
static struct transform held_at_rest(const struct rig *rig, uint32_t n, const struct transform *bind,
                                     const struct transform *rest)
{
    const int32_t above = rig->nodes[n].parent;
    if (above < 0)
        return bind[n];
    const struct transform offset = transform_relative(&bind[above], &bind[n]);
    return transform_multiply(&rest[above], &offset);
}

/* Where a node goes that follows another. */
static struct transform place_follower(const struct baker *baker, uint32_t n)
{
    const struct retarget *match = baker->match;
    const bool is_exact = baker->is_exact, goes_along = baker->is_carried_along[n];
    const int32_t source = match->sources[n], carrier = carrier_of(match, n);
    const struct transform *bind = &match->bind[n], *from_bind = &match->from_bind[source];
    const struct transform *from = &baker->from[source];
    struct transform world = carrier < 0 ? held_at_rest(match->rig, n, match->bind, match->rest) : *bind;
    quaternion_multiply(from->rotation, match->axes, world.rotation);
    if (!is_exact) {
        double back[4];
        quaternion_invert(from_bind->rotation, back);
        quaternion_multiply(from->rotation, back, world.rotation);
        quaternion_multiply(world.rotation, bind->rotation, world.rotation);
    }
    if (carrier >= 0 && (is_exact || !goes_along)) {
        struct transform offset = transform_relative(&match->bind[carrier], bind);
        if (is_exact || baker->is_carried_along[carrier])
            add_way(baker, n, (uint32_t)carrier, &offset);
        const struct transform placed = transform_multiply(&baker->worlds[carrier], &offset);
        memcpy(world.translation, placed.translation, sizeof world.translation);
    } else if (is_exact || goes_along) {
        const struct transform held =
            held_at_rest(match->from, (uint32_t)source, match->from_bind, match->from_rest);
        for (int i = 0; i < 3; i++)
            world.translation[i] += (from->translation[i] - held.translation[i]) * match->scale;
    }
    for (int i = 0; i < 3 && is_exact; i++)
        world.scale[i] *= from_bind->scale[i] != 0 ? from->scale[i] / from_bind->scale[i] : 1;
    return world;
}

/* Each node's place at the time, and the keys of those that follow. */
static void bake_time(struct baker *baker, uint32_t key)
{
    const struct rig *rig = baker->match->rig;
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const int32_t above = rig->nodes[n].parent;
        const struct transform *parent = above < 0 ? &baker->to_model : &baker->worlds[above];
        const bool follows = baker->match->sources[n] >= 0;
        baker->worlds[n] = follows ? place_follower(baker, n) : transform_multiply(parent, &baker->own[n]);
        const struct transform local = transform_relative(parent, &baker->worlds[n]);
        const double *properties[] = {local.translation, local.rotation, local.scale};
        for (int target = RIG_TRANSLATION; target <= RIG_SCALE && follows; target++)
            for (uint32_t i = 0; i < widths[target]; i++)
                baker->values[n][target][widths[target] * key + i] = (float)properties[target][i];
    }
}

static bool only_steps(const struct rig_animation *animation)
{
    bool steps = true;
    for (uint32_t t = 0; t < animation->track_count; t++)
        steps &= animation->tracks[t].interpolation == RIG_STEP || animation->tracks[t].key_count == 1;
    return steps;
}

/* The keyframes, and where they are far from each other and of no rate, times between them. */
static float *list_times(const struct rig_animation *animation, struct arena *arena, uint32_t *count,
                         struct error *err)
{
    uint32_t frame_count;
    const double *frames_s = rig_keyframes(animation, arena, &frame_count, err);
    if (!frames_s)
        return NULL;
    const double whole_s = frame_count > 0 ? frames_s[frame_count - 1] - frames_s[0] : 0;
    const double apart_s = animation->rate_hz > 0 || only_steps(animation)
                               ? INFINITY
                               : fmax(KEY_APART_S, whole_s / fmax((double)MODEL_MOST_FRAMES - frame_count, 1));
    const double most = fmin(frame_count + whole_s / apart_s, MODEL_MOST_FRAMES);
    float *times_s = arena_must_alloc(arena, (size_t)most, sizeof *times_s);
    *count = 0;
    for (uint32_t f = 0; f < frame_count; f++) {
        double span_s = f + 1 < frame_count ? frames_s[f + 1] - frames_s[f] : 0;
        double steps = fmin(fmax(ceil(span_s / apart_s - 0.01), 1), MODEL_MOST_FRAMES);
        for (double step = 0; step < steps && *count < (uint32_t)most; step++)
            times_s[(*count)++] = (float)(frames_s[f] + span_s * step / steps);
    }
    return times_s;
}

static void bake_keys(const struct retarget *match, const struct rig_animation *animation, bool is_exact,
                      const float *times_s, uint32_t count, struct arena *arena, struct rig_animation *out)
{
    const struct rig *rig = match->rig;
    struct arena scratch = {0};
    struct baker baker = {.match = match, .is_exact = is_exact, .to_model = rig_to_model(rig)};
    baker.own = arena_must_alloc(&scratch, rig->node_count, sizeof *baker.own);
    baker.worlds = arena_must_alloc(&scratch, rig->node_count, sizeof *baker.worlds);
    baker.from = arena_must_alloc(&scratch, match->from->node_count, sizeof *baker.from);
    baker.is_carried_along = arena_must_alloc(&scratch, rig->node_count, sizeof *baker.is_carried_along);
    baker.values = arena_must_alloc(&scratch, rig->node_count, sizeof *baker.values);
    for (int32_t n = match->hips; n >= 0; n = rig->nodes[n].parent)
        baker.is_carried_along[n] = true;
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const int32_t above = rig->nodes[n].parent;
        baker.own[n] = transform_relative(above < 0 ? &baker.to_model : &match->rest[above], &match->rest[n]);
    }

    struct rig_track *tracks = arena_must_alloc(arena, 3 * (size_t)rig->node_count, sizeof *tracks);
    const bool steps = only_steps(animation);
    out->tracks = tracks;
    for (uint32_t n = 0; n < rig->node_count; n++)
        for (int target = RIG_TRANSLATION; target <= RIG_SCALE && match->sources[n] >= 0; target++) {
            baker.values[n][target] = arena_must_alloc(arena, count, widths[target] * sizeof(float));
            tracks[out->track_count++] =
                (struct rig_track){n,       (enum rig_target)target, steps ? RIG_STEP : RIG_LINEAR, count,
                                   times_s, widths[target],          baker.values[n][target]};
        }
    for (uint32_t key = 0; key < count; key++) {
        rig_place(match->from, animation, times_s[key], baker.from);
        bake_time(&baker, key);
    }
    arena_release(&scratch);
}

int retarget_animation(const struct retarget *match, const struct rig_animation *animation,
                       enum retarget_mode mode, struct arena *arena, struct rig_animation *out, struct error *err)
{
    const bool is_exact = retarget_is_exact(match, mode);
    *out = *animation;
    out->track_count = 0;
    if (is_exact && has_same_nodes(match, animation)) {
        copy_tracks(match, animation, arena, out);
        return 0;
    }
    uint32_t count;
    const float *times_s = list_times(animation, arena, &count, err);
    if (!times_s)
        return -1;
    if ((uint64_t)count * (match->rig->node_count + match->from->node_count) > MOST_PLACES)
        return error_set(err, "clip '%s': %u keys for %u joints are too many", animation->name, count,
                         match->rig->node_count);
    bake_keys(match, animation, is_exact, times_s, count, arena, out);
    return 0;
}
