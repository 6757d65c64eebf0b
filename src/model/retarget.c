#include "model/retarget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/dvec.h"
#include "base/missing.h"
#include "base/strings.h"

/* Rigs are built alike where their bones differ by less, in radians, and rolls about them. Of rigs that are, they do by
 * 0.001 and 0.9, where a clip rests in one of its poses; of others, one of both by a quarter turn. */
#define BUILT_ALIKE 0.35
#define ROLLED_ALIKE 1.2
#define LEANS 0.35     /* bind poses differ by a turn of this and more, or else as their figures do */
#define SAME_NODE 1e-5 /* nodes are the same below this */

#define KEY_APART_S (1.0 / 30)

enum { MOST_PLACES = 1 << 23 }; /* of nodes at keys: ten minutes of two hundred are less than half of it */

bool retarget_is_exact(const struct retarget *match, enum retarget_mode mode)
{
    return mode == RETARGET_EXACT ||
           (mode == RETARGET_AUTO && match->built_rad < BUILT_ALIKE && match->rolled_rad < ROLLED_ALIKE);
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
    struct joint_names names = {rig, arena_must_alloc(arena, rig->node_count, sizeof *names.bare)};
    bool *has_surface = arena_must_alloc(arena, rig->node_count, sizeof *has_surface);
    for (uint32_t s = 0; s < rig->surface_count; s++)
        has_surface[rig->surfaces[s].node] = true;
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const char *name = rig->nodes[n].name;
        if (*name && !is_part_of_joint(rig, n, has_surface))
            names.bare[n] = rig->nodes[n].standard ? rig->nodes[n].standard : name_without_prefix(name);
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

/* The joint of that very name, or else the only one that has it behind a prefix; or -1. */
static int32_t find_joint(const struct joint_names *names, const char *name)
{
    int32_t found = -1, count = 0;
    for (uint32_t n = 0; n < names->rig->node_count; n++) {
        if (names->bare[n] && !strcmp(names->rig->nodes[n].name, name))
            return (int32_t)n;
        if (names->bare[n] && !strcmp(names->bare[n], name))
            found = (int32_t)n, count++;
    }
    return count == 1 ? found : -1;
}

/* -- Matching ---------------------------------------------------------------------------------------------- */

struct matcher {
    struct retarget *match;
    struct joint_names names, from_names;
    enum likeness *likenesses; /* by node of the rig that follows another: why it does */
    bool *has_tracks;          /* by node of `from` */
    bool *is_moved;            /* the same: and not all keys hold it where it is at rest */
    bool *is_named;            /* by node of the rig: one of `from` is it, with tracks or without */
};

static bool stays_at_rest(const struct rig_track *track, const struct rig_node *node)
{
    const double *rest = track->target == RIG_TRANSLATION ? node->local.translation
                         : track->target == RIG_ROTATION  ? node->local.rotation
                                                          : node->local.scale;
    if (node->matrix || track->interpolation == RIG_CUBIC)
        return false;
    for (uint32_t key = 0; key < track->key_count; key++) {
        const float *values = &track->values[key * track->width];
        double at[4] = {values[0], values[1], values[2]}, along = 0;
        const bool turns = track->target == RIG_ROTATION;
        if (turns)
            rig_turn_at(track, key, at);
        for (int k = 0; k < 4 && turns; k++) /* a quaternion is the same turn with all signs changed */
            along += at[k] * rest[k];
        for (int k = 0; k < (turns ? 4 : 3); k++)
            if (fabs(at[k] - (along < 0 ? -rest[k] : rest[k])) > SAME_NODE * (1 + fabs(rest[k])))
                return false;
    }
    return true;
}

static void find_moved(struct matcher *matcher, const struct rig *from)
{
    for (uint32_t a = 0; a < from->animation_count; a++)
        for (uint32_t t = 0; t < from->animations[a].track_count; t++) {
            const struct rig_track *track = &from->animations[a].tracks[t];
            if (track->target >= RIG_WEIGHTS || !matcher->from_names.bare[track->node])
                continue;
            matcher->has_tracks[track->node] = true;
            matcher->is_moved[track->node] |= !stays_at_rest(track, &from->nodes[track->node]);
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
        if (source >= 0 && node >= 0)
            matcher->is_named[node] = true;
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
        for (uint32_t n = 0; n < match->rig->node_count; n++) {
            const int32_t node = match->followers[s], source = match->sources[n];
            if (!is_alike(&matcher->from_names, s, &matcher->names, n, likeness))
                continue;
            matcher->is_named[n] = true;
            if (!matcher->has_tracks[s] || (node >= 0 && matcher->likenesses[node] != likeness) ||
                (source >= 0 && matcher->likenesses[n] != likeness))
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

/* Returns by node the nearest above it that is one of these (its number is not below 0), or -1. */
static int32_t *find_carriers(struct retarget *match, const int32_t *these)
{
    int32_t *carriers = arena_must_alloc(&match->arena, match->rig->node_count, sizeof *carriers);
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        const int32_t up = match->rig->nodes[n].parent;
        carriers[n] = up < 0 || these[up] >= 0 ? up : carriers[up];
    }
    return carriers;
}

/* Returns the first of these that carries several, from the root that carries most. */
static int32_t find_hips(struct retarget *match, const int32_t *these, const int32_t *carriers)
{
    const uint32_t count = match->rig->node_count;
    uint32_t *carried = arena_must_alloc(&match->arena, count, sizeof *carried); /* with those they carry */
    uint32_t *branches = arena_must_alloc(&match->arena, count, sizeof *branches);
    int32_t *next = arena_must_alloc(&match->arena, count, sizeof *next), root = -1;
    for (uint32_t n = count; n-- > 0;) {
        if (these[n] < 0)
            continue;
        int32_t carrier = carriers[n];
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

/* Returns by node 0 for joints that carry weights; else -1. Without skins, parts hang on theirs; without parts, all count. */
static int32_t *find_weighted(struct matcher *matcher)
{
    const struct rig *rig = matcher->match->rig;
    int32_t *weighted = arena_must_alloc(&matcher->match->arena, rig->node_count, sizeof *weighted);
    bool has_skins = false;
    memset(weighted, -1, rig->node_count * sizeof *weighted);
    for (uint32_t s = 0; s < rig->surface_count; s++)
        has_skins |= rig->surfaces[s].skin >= 0;
    for (uint32_t s = 0; s < rig->surface_count; s++) {
        const struct rig_surface *surface = &rig->surfaces[s];
        int32_t node = (int32_t)surface->node;
        for (size_t i = 0; surface->skin >= 0 && i < (size_t)surface->point_count * surface->influence_count; i++)
            if (surface->weights[i] > 0)
                weighted[rig->skins[surface->skin].joints[surface->joints[i]]] = 0;
        while (node >= 0 && !matcher->names.bare[node])
            node = rig->nodes[node].parent;
        if (!has_skins && node >= 0)
            weighted[node] = 0;
    }
    for (uint32_t n = 0; n < rig->node_count && rig->surface_count == 0; n++)
        weighted[n] = matcher->names.bare[n] ? 0 : -1;
    return weighted;
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
    const int32_t *weighted = find_weighted(matcher);
    const int32_t hips = find_hips(match, weighted, find_carriers(match, weighted));
    match->untracked = arena_must_alloc(&match->arena, match->rig->node_count, sizeof *match->untracked);
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        match->weighted_count += weighted[n] >= 0;
        match->is_strange |= weighted[n] >= 0 && !matcher->is_named[n];
        if (weighted[n] >= 0 && match->sources[n] < 0)
            match->untracked[match->untracked_count++] = match->rig->nodes[n].name;
    }
    const uint32_t tracked = match->weighted_count - match->untracked_count;
    match->fits = match->matched_count > 0 &&
                  (match->missing_count <= match->matched_count ||
                   (hips >= 0 && matcher->is_named[hips] && 3 * tracked >= match->weighted_count));
}

/* -- How the rigs differ ------------------------------------------------------------------------------------- */

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

/* A joint's bone: from what carries it, in the model's space, here and there. False where either has no length. */
static bool find_bone(const struct retarget *match, uint32_t n, int32_t carrier, double own[3], double from[3])
{
    if (carrier < 0 || match->sources[n] < 0)
        return false;
    for (int i = 0; i < 3; i++) {
        own[i] = match->bind[n].translation[i] - match->bind[carrier].translation[i];
        from[i] = match->from_bind[match->sources[n]].translation[i] -
                  match->from_bind[match->sources[carrier]].translation[i];
    }
    return dvec_length(own) > 0 && dvec_length(from) > 0;
}

static double angle_between(const double a[3], const double b[3])
{
    double across[3];
    dvec_cross(a, b, across);
    return atan2(dvec_length(across), dvec_dot(a, b));
}

/* The median angle between bones here and there, each in the axes of what carries it, which no pose changes. */
static double compare_bones(struct retarget *match, const double axes[4])
{
    double *angles = arena_must_alloc(&match->arena, match->rig->node_count, sizeof *angles);
    uint32_t count = 0;
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        const int32_t carrier = match->carriers[n];
        double own[3], from[3], back[4];
        if (!find_bone(match, n, carrier, own, from))
            continue;
        quaternion_invert(match->bind[carrier].rotation, back);
        quaternion_turn(back, own, own);
        quaternion_multiply(match->from_bind[match->sources[carrier]].rotation, axes, back);
        quaternion_invert(back, back);
        quaternion_turn(back, from, from);
        angles[count++] = angle_between(own, from);
    }
    SORT(angles, count, doubles_compare);
    return count > 0 ? angles[count / 2] : 0;
}

/* The turn of the files' axes, where the hips are turned so: the files say that one looks the other way. Else none. */
static void find_file_turn(const struct retarget *match, double turn[4])
{
    double of_hips[4];
    quaternion_invert(match->from_bind[match->sources[match->hips]].rotation, of_hips);
    quaternion_multiply(match->bind[match->hips].rotation, of_hips, of_hips);
    quaternion_invert(rig_to_model(match->from).rotation, turn);
    quaternion_multiply(rig_to_model(match->rig).rotation, turn, turn);
    if (turn_between(turn, of_hips) > LEANS)
        memcpy(turn, (const double[]){0, 0, 0, 1}, 4 * sizeof *turn);
}

/* The turn that lays all bones of `from` onto those here best, the long ones before all (Horn's method: the largest
 * eigenvector, by iteration). Of several that are as good, as where all bones are in a line, the one nearest to `turn`. */
static void find_whole_turn(const struct retarget *match, double turn[4])
{
    for (int i = 0; i < 3; i++)
        turn[i] += (i + 1) * 1e-3; /* the best turn has a share in it */
    for (int step = 0; step < 200; step++) {
        double next[4] = {0};
        for (uint32_t n = 0; n < match->rig->node_count; n++) {
            double own[3], from[3], across[3];
            if (!find_bone(match, n, match->carriers[n], own, from))
                continue;
            dvec_cross(from, own, across);
            const double along = dvec_dot(from, own), shift = dvec_length(from) * dvec_length(own);
            for (int i = 0; i < 3; i++)
                next[i] += from[i] * dvec_dot(own, turn) + own[i] * dvec_dot(from, turn) +
                           (shift - along) * turn[i] + across[i] * turn[3];
            next[3] += dvec_dot(across, turn) + (shift + along) * turn[3];
        }
        memcpy(turn, next, sizeof next);
        quaternion_normalise(turn);
    }
    if (fabs(turn[3]) > 1 - 1e-5)
        memcpy(turn, (const double[]){0, 0, 0, 1}, 4 * sizeof *turn);
}

/* How each joint of the clip is bound, turned as a whole onto the model, and limbs onto limbs: a joint with one bone that
 * is no shorter than half of that which carries it. What differs by less than LEANS is how the rigs are built. */
static void find_grips(struct retarget *match, const double whole_turn[4])
{
    const uint32_t count = match->rig->node_count;
    double(*turns)[4] = arena_must_alloc(&match->arena, count, sizeof *turns);
    int32_t *bones =
        arena_must_alloc(&match->arena, count, sizeof *bones); /* the joint below; 0: none; -1: several */
    for (uint32_t n = 0; n < count; n++) {
        const int32_t carrier = match->carriers[n];
        if (match->sources[n] >= 0 && carrier >= 0)
            bones[carrier] = bones[carrier] == 0 ? (int32_t)n : -1;
    }
    for (uint32_t n = 0; n < count; n++) {
        if (match->sources[n] < 0)
            continue;
        const int32_t carrier = match->carriers[n];
        double own[3], from[3], bone[3], from_bone[3], arc[4], bound[4];
        memcpy(turns[n], carrier >= 0 ? turns[carrier] : whole_turn, sizeof turns[n]);
        if (bones[n] > 0 && find_bone(match, n, carrier, own, from) &&
            find_bone(match, (uint32_t)bones[n], (int32_t)n, bone, from_bone) &&
            dvec_length(bone) >= dvec_length(own) / 2) {
            quaternion_turn(turns[n], from_bone, from_bone);
            const double angle = angle_between(from_bone, bone);
            if (angle > LEANS && angle < M_PI - LEANS) {
                dvec_cross(from_bone, bone, arc);
                arc[3] = dvec_length(from_bone) * dvec_length(bone) + dvec_dot(from_bone, bone);
                quaternion_normalise(arc);
                quaternion_multiply(arc, turns[n], turns[n]);
            }
        }
        quaternion_multiply(turns[n], match->from_bind[match->sources[n]].rotation, bound);
        quaternion_invert(bound, bound);
        quaternion_multiply(bound, match->bind[n].rotation, match->grips[n]);
    }
}

/* Lengths go by the heights of the hips, which no pose changes: along the bones down to the joint that lies lowest in
 * both; where rigs lie flat, to the farthest. */
static double compare_heights(struct retarget *match)
{
    const uint32_t count = match->rig->node_count;
    double(*paths)[2] = arena_must_alloc(&match->arena, count, sizeof *paths), most[2] = {0}, lowest = 0.2;
    uint32_t farthest = 0, foot = UINT32_MAX;
    for (uint32_t n = (uint32_t)match->hips + 1; n < count; n++) {
        const int32_t carrier = match->carriers[n];
        double own[3], from[3];
        if (!find_bone(match, n, carrier, own, from) || (carrier != match->hips && paths[carrier][0] == 0))
            continue;
        paths[n][0] = paths[carrier][0] + dvec_length(own);
        paths[n][1] = paths[carrier][1] + dvec_length(from);
        if (paths[n][0] > most[0])
            farthest = n;
        for (int i = 0; i < 2; i++)
            most[i] = fmax(most[i], paths[n][i]);
    }
    for (uint32_t n = 0; n < count; n++) {
        double own[3], from[3];
        if (paths[n][0] == 0 || !find_bone(match, n, match->hips, own, from))
            continue;
        const double low = -own[2] / most[0] - from[2] / most[1];
        if (low > lowest)
            lowest = low, foot = n;
    }
    foot = foot == UINT32_MAX ? farthest : foot;
    const double scale = paths[foot][0] > 0 ? paths[foot][0] / paths[foot][1] : 1;
    return fabs(scale - 1) < SAME_NODE ? 1 : scale;
}

/* How joints are rolled about their bones: the turn between what copying makes of a joint and what its bind pose says, which
 * three of four do not exceed; for limbs that tools bind alike in all else. */
static double compare_rolls(struct retarget *match)
{
    double *angles = arena_must_alloc(&match->arena, match->rig->node_count, sizeof *angles);
    uint32_t count = 0;
    for (uint32_t n = 0; n < match->rig->node_count; n++)
        if (match->sources[n] >= 0)
            angles[count++] = turn_between(match->grips[n], match->axes);
    SORT(angles, count, doubles_compare);
    return angles[count * 3 / 4];
}

static void compare_rigs(struct retarget *match)
{
    static const double no_turn[] = {0, 0, 0, 1};
    match->scale = 1;
    match->carriers = find_carriers(match, match->sources);
    match->hips = find_hips(match, match->sources, match->carriers);
    if (match->hips < 0)
        return;
    match->scale = compare_heights(match);
    const double turned_rad = compare_bones(match, match->axes);
    match->built_rad = compare_bones(match, no_turn);
    if (turned_rad < match->built_rad - SAME_NODE)
        match->built_rad = turned_rad;
    else
        memcpy(match->axes, no_turn, sizeof match->axes);
    double file_turn[4], whole_turn[4];
    find_file_turn(match, file_turn);
    memcpy(whole_turn, file_turn, sizeof whole_turn);
    find_whole_turn(match, whole_turn);
    match->whole_rad = turn_between(no_turn, whole_turn);
    find_grips(match, match->whole_rad > LEANS ? whole_turn : no_turn);
    match->rolled_rad = compare_rolls(match);
    for (uint32_t n = 0; n < match->rig->node_count; n++) {
        double bound[4];
        if (match->sources[n] < 0)
            continue;
        quaternion_multiply(file_turn, match->from_bind[match->sources[n]].rotation, bound);
        quaternion_multiply(bound, match->axes, bound);
        match->apart_rad = fmax(match->apart_rad, turn_between(match->bind[n].rotation, bound));
    }
}

int retarget_match(const struct rig *rig, const struct rig *from, const struct joint_pair *pairs,
                   size_t pair_count, struct retarget *out, struct error *err)
{
    SCOPED_BY(retarget_release) struct retarget match = {.rig = rig, .from = from};
    match.sources = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.sources);
    match.followers = arena_must_alloc(&match.arena, from->node_count, sizeof *match.followers);
    match.bind = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.bind);
    match.from_bind = arena_must_alloc(&match.arena, from->node_count, sizeof *match.from_bind);
    match.grips = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.grips);
    match.rest = arena_must_alloc(&match.arena, rig->node_count, sizeof *match.rest);
    match.from_rest = arena_must_alloc(&match.arena, from->node_count, sizeof *match.from_rest);
    struct matcher matcher = {
        .match = &match,
        .names = list_names(rig, &match.arena),
        .from_names = list_names(from, &match.arena),
        .likenesses = arena_must_alloc(&match.arena, rig->node_count, sizeof *matcher.likenesses),
        .has_tracks = arena_must_alloc(&match.arena, from->node_count, sizeof *matcher.has_tracks),
        .is_moved = arena_must_alloc(&match.arena, from->node_count, sizeof *matcher.is_moved),
        .is_named = arena_must_alloc(&match.arena, rig->node_count, sizeof *matcher.is_named),
    };
    match.absent = arena_must_alloc(&match.arena, pair_count, sizeof *match.absent);
    memset(match.sources, -1, rig->node_count * sizeof *match.sources);
    memset(match.followers, -1, from->node_count * sizeof *match.followers);
    find_moved(&matcher, from);
    if (add_pairs(&matcher, pairs, pair_count, err) < 0)
        return -1;
    for (enum likeness likeness = SAME_NAME; likeness < LIKENESS_COUNT; likeness++)
        if (match_alike(&matcher, likeness, err) < 0)
            return -1;
    count_matches(&matcher);
    rig_place_bind(rig, match.bind);
    rig_place_bind(from, match.from_bind);
    rig_place(rig, NULL, 0, match.rest);
    rig_place(from, NULL, 0, match.from_rest);
    quaternion_invert(rig_to_model(from).rotation, match.axes);
    quaternion_multiply(match.axes, rig_to_model(rig).rotation, match.axes);
    compare_rigs(&match);
    *out = match;
    match = (struct retarget){0}; /* handed on */
    return 0;
}

/* -- The same keys ------------------------------------------------------------------------------------------- */

static bool is_same_place(const struct transform *a, const struct transform *b, double size)
{
    return turn_between(a->rotation, b->rotation) < SAME_NODE &&
           distance(a->translation, b->translation) <= SAME_NODE * size &&
           distance(a->scale, b->scale) < SAME_NODE * dvec_length(a->scale);
}

static bool moves_node(const struct rig_animation *animation, int32_t node)
{
    for (uint32_t t = 0; t < animation->track_count; t++)
        if ((int32_t)animation->tracks[t].node == node)
            return true;
    return false;
}

/* Whether what two nodes hang on is the same in both files, or moved here as there, so that numbers of one are right for
 * the other. */
static bool hang_alike(const struct retarget *match, const struct rig_animation *animation, uint32_t node)
{
    int32_t above = match->rig->nodes[node].parent;
    int32_t from_above = match->from->nodes[match->sources[node]].parent;
    if (above < 0 || from_above < 0)
        return above < 0 && from_above < 0 &&
               !memcmp(match->rig->to_model, match->from->to_model, sizeof match->rig->to_model);
    return (match->sources[above] == from_above && moves_node(animation, from_above)) ||
           is_same_place(&match->rest[above], &match->from_rest[from_above],
                         dvec_length(match->rest[above].translation));
}

static bool has_same_nodes(const struct retarget *match, const struct rig_animation *animation)
{
    bool are_same = match->scale == 1 && match->axes[3] == 1;
    for (uint32_t t = 0; t < animation->track_count && are_same; t++) {
        const int32_t node = match->followers[animation->tracks[t].node];
        are_same = node < 0 || hang_alike(match, animation, (uint32_t)node);
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
        if (match->followers[from->node] < 0 || from->target >= RIG_WEIGHTS)
            continue;
        const size_t numbers_per_key = from->interpolation == RIG_CUBIC ? 3 * from->width : from->width;
        struct rig_track *track = &tracks[out->track_count++];
        *track = *from;
        track->node = (uint32_t)match->followers[from->node];
        track->times_s = arena_copy(arena, from->times_s, from->key_count, sizeof(float));
        track->values = arena_copy(arena, from->values, from->key_count, numbers_per_key * sizeof(float));
        track->angles = from->angles ? arena_copy(arena, from->angles, 1, sizeof *from->angles) : NULL;
    }
}

/* -- New keys ------------------------------------------------------------------------------------------------ */

struct baker {
    const struct retarget *match;
    bool is_exact;
    struct transform to_model;       /* what carries the roots: axes and units of the file */
    struct transform *own;           /* of each node of the rig: at rest, seen from what carries it */
    struct transform *worlds, *from; /* at the time */
    bool *is_carried_along;          /* from the root to the hips */
    float *(*values)[3];             /* of each node that follows, by target: filled in key by key */
};

/* The turn from the axes of the joint that a node follows to its own. */
static const double *grip_of(const struct baker *baker, uint32_t n)
{
    return baker->is_exact ? baker->match->axes : baker->match->grips[n];
}

/* Adds how the clip moves the node on its carrier, in the axes of the carrier here. */
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
    quaternion_invert(grip_of(baker, carrier), turn.rotation);
    way = transform_multiply(&turn, &way);
    for (int i = 0; i < 3; i++)
        offset->translation[i] += way.translation[i] / match->bind[carrier].scale[i];
}

/* Returns where a node is bound, its carrier being at rest. */
static struct transform held_at_rest(const struct rig *rig, uint32_t n, const struct transform *bind,
                                     const struct transform *rest)
{
    const int32_t above = rig->nodes[n].parent;
    if (above < 0)
        return bind[n];
    const struct transform offset = transform_relative(&bind[above], &bind[n]);
    return transform_multiply(&rest[above], &offset);
}

/* Returns the place of a node that follows another. */
static struct transform place_follower(const struct baker *baker, uint32_t n)
{
    const struct retarget *match = baker->match;
    const bool is_exact = baker->is_exact, goes_along = baker->is_carried_along[n];
    const int32_t source = match->sources[n], carrier = match->carriers[n];
    const struct transform *bind = &match->bind[n], *from_bind = &match->from_bind[source];
    const struct transform *from = &baker->from[source];
    struct transform world = carrier < 0 ? held_at_rest(match->rig, n, match->bind, match->rest) : *bind;
    quaternion_multiply(from->rotation, grip_of(baker, n), world.rotation);
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
            for (uint32_t i = 0; i < rig_widths[target]; i++)
                baker->values[n][target][rig_widths[target] * key + i] = (float)properties[target][i];
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
    SCOPED_BY(arena_release) struct arena scratch = {0};
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
            baker.values[n][target] = arena_must_alloc(arena, count, rig_widths[target] * sizeof(float));
            tracks[out->track_count++] =
                (struct rig_track){n,       (enum rig_target)target, steps ? RIG_STEP : RIG_LINEAR, count,
                                   times_s, rig_widths[target],      baker.values[n][target],       NULL};
        }
    for (uint32_t key = 0; key < count; key++) {
        rig_place(match->from, animation, times_s[key], baker.from);
        bake_time(&baker, key);
    }
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
