#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/assets.h"
#include "base/file.h"
#include "model/format.h"
#include "format/md3.h"

/* A player of Quake III: a folder with three models, lower.md3, upper.md3 (on lower's tag_torso) and head.md3 (on upper's
 * tag_head), and animation.cfg, which is what is opened here. It has words (sex, footsteps, ...) that are passed over,
 * and in this order the animations of `names`, a line of four numbers each: first frame, number of frames, how many of
 * them loop, and rate.
 *
 *     153  8  8  20     // LEGS_WALKCR
 *
 * Frames are counted as if legs and torso were one model: those of LEGS_ come after those of TORSO_, which lower.md3
 * does not have, so they are moved back. A negative number of frames plays backwards. */

enum part { LOWER, UPPER, HEAD, PART_COUNT };

static const char *const part_files[PART_COUNT] = {"lower.md3", "upper.md3", "head.md3"};

/* Of the game itself, then of its extension, Team Arena, which files may leave out. */
static const char *const names[MD3_MOST_RANGES] = {
    "BOTH_DEATH1",    "BOTH_DEAD1",    "BOTH_DEATH2",     "BOTH_DEAD2",   "BOTH_DEATH3",    "BOTH_DEAD3",
    "TORSO_GESTURE",  "TORSO_ATTACK",  "TORSO_ATTACK2",   "TORSO_DROP",   "TORSO_RAISE",    "TORSO_STAND",
    "TORSO_STAND2",   "LEGS_WALKCR",   "LEGS_WALK",       "LEGS_RUN",     "LEGS_BACK",      "LEGS_SWIM",
    "LEGS_JUMP",      "LEGS_LAND",     "LEGS_JUMPB",      "LEGS_LANDB",   "LEGS_IDLE",      "LEGS_IDLECR",
    "LEGS_TURN",      "TORSO_GETFLAG", "TORSO_GUARDBASE", "TORSO_PATROL", "TORSO_FOLLOWME", "TORSO_AFFIRMATIVE",
    "TORSO_NEGATIVE",
};

enum { TORSO_GESTURE = 6, TORSO_STAND = 11, LEGS_WALKCR = 13, LEGS_IDLE = 22, TORSO_GETFLAG = 25 };

/* What legs and torso play together: the clip has the keyframes of the one that leads, and the other is at its own pace.
 * What plays once leads, or else what takes longer. animation.data */
struct duet {
    struct clip parts[2]; /* of LOWER and UPPER */
    bool are_reversed[2];
    uint32_t lead;
};

/* model.data */
struct player {
    struct model parts[PART_COUNT];
    uint32_t first_points[PART_COUNT];
    const struct tag *torso, *head;
    const struct duet *rest; /* what stands for the bind pose */
};

/* -- animation.cfg ----------------------------------------------------------------------------------------- */

/* The numbers at the start of a line, up to four. */
static uint32_t read_numbers(const char *line, size_t length, double out[4])
{
    char text[256], *at = text;
    uint32_t count = 0;
    memcpy(text, line, length < sizeof text ? length : sizeof text - 1);
    text[length < sizeof text ? length : sizeof text - 1] = '\0';
    for (char *end; count < 4; at = end) {
        at += strspn(at, " \t\r");
        if (!strchr("+-.0123456789", *at) || !*at)
            break;
        out[count] = strtod(at, &end);
        if (end == at || !isfinite(out[count]))
            break;
        count++;
    }
    return count;
}

static bool is_passed_over(const char *line, size_t length)
{
    static const char *const words[] = {"//", "sex", "headoffset", "footsteps", "fixedlegs", "fixedtorso"};
    while (length > 0 && strchr(" \t\r", *line)) {
        line++;
        length--;
    }
    bool found = length == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= length >= strlen(words[i]) && !strncasecmp(line, words[i], strlen(words[i]));
    return found;
}

int md3_read_ranges(struct bytes bytes, struct md3_range ranges[MD3_MOST_RANGES], uint32_t *count,
                    struct error *err)
{
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    *count = 0;
    for (unsigned line = 1; at < end && *count < MD3_MOST_RANGES; line++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end ? line_end : end) - at);
        double n[4] = {0};
        uint32_t number_count = read_numbers(at, length, n);
        if (number_count == 0 && !is_passed_over(at, length))
            return error_set(err, "%u: '%.*s' is not a line of an animation.cfg", line,
                             (int)(length < 32 ? length : 32), at);
        if (number_count > 0) {
            if (number_count < 4 || n[0] < 0 || n[0] > MODEL_MOST_FRAMES || fabs(n[1]) > MODEL_MOST_FRAMES)
                return error_set(err,
                                 "%u: '%.*s' is not a first frame, a number of frames, how many loop, and a rate",
                                 line, (int)(length < 32 ? length : 32), at);
            ranges[(*count)++] = (struct md3_range){
                .first = (uint32_t)n[0],
                .frame_count = (uint32_t)fmax(fabs(n[1]), 1),
                .is_reversed = n[1]<0, .loops = n[2]> 0,
                .rate_hz = n[3] >= 0.01 && n[3] <= 1000 ? (float)n[3] : 1, /* the game takes 0 for 1 */
            };
        }
        at = line_end ? line_end + 1 : end;
    }
    return 0;
}

/* Moves the frames of the legs behind those that are of both. */
static void move_legs(struct md3_range ranges[MD3_MOST_RANGES])
{
    int64_t skip = (int64_t)ranges[LEGS_WALKCR].first - ranges[TORSO_GESTURE].first;
    for (int i = LEGS_WALKCR; i < TORSO_GETFLAG; i++)
        ranges[i].first = skip < ranges[i].first ? (uint32_t)(ranges[i].first - skip) : 0;
}

/* -- Parts ------------------------------------------------------------------------------------------------- */

static int load_part(const struct model_options *options, enum part number, struct model *model,
                     struct player *player, struct error *err)
{
    struct model *part = &player->parts[number];
    char *folder = path_folder(options->path), *path = path_join(folder, part_files[number]);
    struct model_options at = *options;
    struct blob blob;
    int result = assets_read(options->assets, path, &blob, err);
    free(folder);
    at.path = path;
    part->format = &md3_format;
    if (result == 0) {
        result = md3_format.matches(blob_bytes(&blob)) ? md3_format.load(blob_bytes(&blob), &at, part, err)
                                                       : error_set(err, "not an MD3");
        blob_release(&blob);
        if (result < 0)
            error_add(err, "%s", path);
    }
    for (size_t i = 0; i < part->oddities.count && result == 0; i++)
        strings_printf(&model->oddities, "%s: %s", part_files[number], part->oddities.items[i]);
    /* The player plays clips of its own, and keeps the rest. */
    arena_join(&model->arena, &part->arena);
    strings_release(&part->oddities);
    strings_release(&part->warnings);
    free(part->clips);
    free(path);
    part->clips = NULL;
    part->clip_count = part->clip_capacity = 0;
    return result;
}

static int find_tag(const struct model *part, enum part number, const char *name, const struct tag **out,
                    struct error *err)
{
    for (uint32_t i = 0; i < part->tags.tag_count; i++)
        if (!strcasecmp(part->tags.items[i].name, name)) {
            *out = &part->tags.items[i];
            return 0;
        }
    return error_set(err, "%s has no tag '%s'", part_files[number], name);
}

static int load_parts(const struct model_options *options, struct model *model, struct player *player,
                      struct error *err)
{
    for (enum part i = LOWER; i < PART_COUNT; i++) {
        struct model *part = &player->parts[i];
        if (load_part(options, i, model, player, err) < 0)
            return -1;
        player->first_points[i] = model->point_count;
        model->point_count += part->point_count;
        model->index_count += part->index_count;
        model->surface_count += part->surface_count;
        if (model->point_count > MODEL_MOST_POINTS || model->index_count / 3 > MODEL_MOST_TRIANGLES)
            return error_set(err, "%u vertices and %u triangles up to %s (at most %d and %d)", model->point_count,
                             model->index_count / 3, part_files[i], MODEL_MOST_POINTS, MODEL_MOST_TRIANGLES);
    }
    if (find_tag(&player->parts[LOWER], LOWER, "tag_torso", &player->torso, err) < 0 ||
        find_tag(&player->parts[UPPER], UPPER, "tag_head", &player->head, err) < 0)
        return -1;
    return 0;
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

/* What the part wears in that skin of the player: its own of that name, or else its first. */
static uint32_t skin_of_part(const struct model *part, const char *name)
{
    uint32_t i = 0;
    while (i < part->skin_count && strcasecmp(part->skins[i], name))
        i++;
    return i < part->skin_count ? i : 0;
}

/* All that any part has. */
static void join_skins(struct model *model, const struct player *player, struct surface *surfaces)
{
    uint32_t most = 0, count = 0;
    for (int i = 0; i < PART_COUNT; i++)
        most += player->parts[i].skin_count;
    const char **skins = arena_must_alloc(&model->arena, most, sizeof *skins);
    for (int i = 0; i < PART_COUNT; i++)
        for (uint32_t k = 0; k < player->parts[i].skin_count; k++) {
            uint32_t same = 0;
            while (same < count && strcasecmp(skins[same], player->parts[i].skins[k]))
                same++;
            if (same == count)
                skins[count++] = player->parts[i].skins[k];
        }
    model->skins = skins;
    model->skin_count = count;
    for (int i = 0; i < PART_COUNT && count > 0; i++) {
        const struct model *part = &player->parts[i];
        for (uint32_t s = 0; s < part->surface_count; s++, surfaces++) {
            const char **shaders = arena_must_alloc(&model->arena, count, sizeof *shaders);
            for (uint32_t k = 0; k < count; k++)
                shaders[k] = part->skin_count ? surfaces->material.skin_names[skin_of_part(part, skins[k])]
                                              : surfaces->material.name;
            surfaces->material.skin_names = shaders;
        }
    }
}

/* -- One mesh ---------------------------------------------------------------------------------------------- */

static int join_meshes(struct model *model, const struct player *player, struct error *err)
{
    uint32_t *indices = arena_alloc(&model->arena, model->index_count, sizeof *indices, err);
    uint32_t *points = arena_alloc(&model->arena, model->point_count, sizeof *points, err);
    vec2 *uvs = arena_alloc(&model->arena, model->point_count, sizeof *uvs, err);
    struct surface *surfaces = arena_alloc(&model->arena, model->surface_count, sizeof *surfaces, err);
    uint32_t index = 0, surface = 0;
    if (!indices || !points || !uvs || !surfaces)
        return -1;
    for (int i = 0; i < PART_COUNT; i++) {
        const struct model *part = &player->parts[i];
        for (uint32_t s = 0; s < part->surface_count; s++, surface++) {
            surfaces[surface] = part->surfaces[s];
            surfaces[surface].first_index += index;
        }
        for (uint32_t k = 0; k < part->index_count; k++)
            indices[index++] = player->first_points[i] + part->indices[k];
        if (part->point_count > 0)
            memcpy(uvs[player->first_points[i]], part->uvs, part->point_count * sizeof *uvs);
    }
    for (uint32_t i = 0; i < model->point_count; i++)
        points[i] = i;
    model->vertex_count = model->point_count;
    model->indices = indices;
    model->vertex_points = points;
    model->uvs = (const vec2 *)uvs;
    model->surfaces = surfaces;
    model_name_surfaces(model, surfaces);
    join_skins(model, player, surfaces);
    return 0;
}

/* -- Clips ------------------------------------------------------------------------------------------------- */

/* The range on a part, without what is past its frames; false where nothing is left. */
static bool take_range(const struct md3_range *range, const char *name, const struct model *part, enum part number,
                       struct clip *out, struct model *model)
{
    uint32_t frame_count = part->animations[0].frame_count;
    uint32_t left = range->first < frame_count ? frame_count - range->first : 0;
    if (left < range->frame_count) {
        char *told = must_printf("%s: frames %u-%u, but %s has 0-%u", name, range->first,
                                 range->first + range->frame_count - 1, part_files[number], frame_count - 1);
        if (!strings_has(&model->oddities, told))
            strings_add(&model->oddities, told);
        free(told);
    }
    *out = (struct clip){
        .first_frame = range->first,
        .frame_count = left < range->frame_count ? left : range->frame_count,
        .rate_hz = range->rate_hz,
        .plays_once = !range->loops,
    };
    return left > 0;
}

static bool leads(const struct clip *torso, const struct clip *legs)
{
    bool torso_ends = torso->plays_once && torso->frame_count > 1;
    bool legs_end = legs->plays_once && legs->frame_count > 1;
    return torso_ends == legs_end ? clip_duration_s(torso, true) > clip_duration_s(legs, true) : torso_ends;
}

/* The clip of these two ranges, unless nothing of one is there. */
static void add_duet(struct model *model, struct player *player, const struct md3_range *ranges, int legs,
                     int torso, const char *name, bool is_extra)
{
    struct duet duet = {.are_reversed = {ranges[legs].is_reversed, ranges[torso].is_reversed}};
    if (!take_range(&ranges[legs], names[legs], &player->parts[LOWER], LOWER, &duet.parts[0], model) ||
        !take_range(&ranges[torso], names[torso], &player->parts[UPPER], UPPER, &duet.parts[1], model))
        return;
    duet.lead = leads(&duet.parts[1], &duet.parts[0]);
    struct duet *kept = arena_must_alloc(&model->arena, 1, sizeof *kept);
    *kept = duet;
    const struct clip *lead = &kept->parts[duet.lead];
    struct clip clip = {
        .name = arena_strdup(&model->arena, name),
        .animation = model->animation_count,
        .frame_count = lead->frame_count,
        .rate_hz = lead->rate_hz,
        .plays_once = lead->plays_once,
        .is_extra = is_extra,
    };
    model_add_animation_entry(
        model, &(struct animation){
                   .name = clip.name, .frame_count = clip.frame_count, .rate_hz = clip.rate_hz, .data = kept});
    model_add_clip(model, &clip);
    if (legs == LEGS_IDLE && torso == TORSO_STAND)
        player->rest = kept;
}

static bool is_of(int number, const char *prefix)
{
    return !strncmp(names[number], prefix, strlen(prefix));
}

/* What is told of legs or torso alone, the other part being at rest, and what is told of both; then all pairs. */
static void add_clips(struct model *model, struct player *player, const struct md3_range *ranges, int count)
{
    for (int i = 0; i < count; i++)
        add_duet(model, player, ranges, is_of(i, "TORSO_") ? LEGS_IDLE : i, is_of(i, "LEGS_") ? TORSO_STAND : i,
                 names[i], false);
    for (int legs = LEGS_WALKCR; legs < TORSO_GETFLAG && legs < count; legs++)
        for (int torso = 0; torso < count; torso++) {
            char *name = must_printf("%s+%s", names[legs], names[torso]);
            if (is_of(torso, "TORSO_"))
                add_duet(model, player, ranges, legs, torso, name, true);
            free(name);
        }
}

/* -- Joints ------------------------------------------------------------------------------------------------ */

/* The parts hang on each other like joints, and so do the tags of each. Those that two parts have are of the lower. */
static void name_joints(struct model *model, const struct player *player)
{
    uint32_t most = 1, count = 0;
    for (int i = 0; i < PART_COUNT; i++)
        most += player->parts[i].tags.tag_count;
    struct joint *joints = arena_must_alloc(&model->arena, most, sizeof *joints);
    joints[count++] = (struct joint){"origin", -1};
    int32_t parent = 0;
    for (int i = 0; i < PART_COUNT; i++) {
        const struct tags *tags = &player->parts[i].tags;
        const char *next = i == LOWER ? player->torso->name : player->head->name;
        int32_t next_parent = parent;
        for (uint32_t t = 0; t < tags->tag_count; t++) {
            uint32_t same = 0;
            while (same < count && strcasecmp(joints[same].name, tags->items[t].name))
                same++;
            if (same < count)
                continue;
            if (!strcmp(tags->items[t].name, next))
                next_parent = (int32_t)count;
            joints[count++] = (struct joint){tags->items[t].name, parent};
        }
        parent = next_parent;
    }
    model->joints = joints;
    model->joint_count = count;
}

/* -- Poses ------------------------------------------------------------------------------------------------- */

static uint32_t frame_of(const struct clip *clip, bool is_reversed, uint32_t frame)
{
    return clip->first_frame + (is_reversed ? clip->frame_count - 1 - frame : frame);
}

/* The moments of legs and torso. */
static void find_moments(const struct model *model, const struct pose *pose, struct moment out[2])
{
    const struct player *player = model->data;
    bool is_at_rest = pose->animation < 0;
    const struct duet *duet = is_at_rest ? player->rest : model->animations[pose->animation].data;
    struct moment at = is_at_rest ? (struct moment){0} : pose->moment;
    for (int i = 0; i < 2; i++) {
        struct clip clip = duet->parts[i];
        double time_s = (at.frame_a + at.blend) / (double)duet->parts[duet->lead].rate_hz;
        clip.first_frame = 0;
        struct moment moment = (uint32_t)i == duet->lead ? at : clip_moment(&clip, time_s, !clip.plays_once);
        out[i].frame_a = frame_of(&duet->parts[i], duet->are_reversed[i], moment.frame_a);
        out[i].frame_b = frame_of(&duet->parts[i], duet->are_reversed[i], moment.frame_b);
        out[i].blend = moment.blend;
    }
}

/* From the space of each part to the player's. */
static void place_parts(const struct player *player, const struct moment moments[2],
                        mat4 part_to_model[PART_COUNT])
{
    mat4 on_tag;
    glm_mat4_identity(part_to_model[LOWER]);
    tag_place(player->torso, &moments[0], part_to_model[UPPER]);
    tag_place(player->head, &moments[1], on_tag);
    glm_mat4_mul(part_to_model[UPPER], on_tag, part_to_model[HEAD]);
}

static void pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    const struct player *player = model->data;
    struct moment moments[PART_COUNT] = {0};
    mat4 part_to_model[PART_COUNT];
    find_moments(model, pose, moments);
    place_parts(player, moments, part_to_model);
    for (int i = 0; i < PART_COUNT; i++) {
        const uint32_t first = player->first_points[i];
        struct mesh slice = {.point_count = player->parts[i].point_count, .positions = mesh->positions + first};
        slice.normals = mesh->normals ? mesh->normals + first : NULL;
        md3_format.pose(&player->parts[i], &(struct pose){.moment = moments[i]}, &slice);
        for (uint32_t p = 0; p < slice.point_count && i != LOWER; p++) {
            glm_mat4_mulv3(part_to_model[i], slice.positions[p], 1, slice.positions[p]);
            if (slice.normals)
                glm_mat4_mulv3(part_to_model[i], slice.normals[p], 0, slice.normals[p]);
        }
    }
}

static void pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    const struct player *player = model->data;
    struct moment moments[PART_COUNT] = {0};
    mat4 part_to_model[PART_COUNT];
    find_moments(model, pose, moments);
    place_parts(player, moments, part_to_model);
    glm_mat4_identity(joint_to_model[0]);
    uint32_t joint = 1;
    for (int i = 0; i < PART_COUNT; i++)
        for (uint32_t t = 0; t < player->parts[i].tags.tag_count && joint < model->joint_count; t++) {
            const struct tag *tag = &player->parts[i].tags.items[t];
            if (tag->name != model->joints[joint].name) /* a part before has one of this name */
                continue;
            mat4 on_part;
            tag_place(tag, &moments[i], on_part);
            glm_mat4_mul(part_to_model[i], on_part, joint_to_model[joint++]);
        }
}

/* -- The format -------------------------------------------------------------------------------------------- */

/* Such a text has no magic word, so it has to be one as a whole. */
static bool matches(struct bytes bytes)
{
    struct md3_range ranges[MD3_MOST_RANGES];
    struct error ignored;
    uint32_t count;
    return bytes.size <= MD3_LARGEST_RANGES && !memchr(bytes.data, '\0', bytes.size) &&
           md3_read_ranges(bytes, ranges, &count, &ignored) == 0 && count > 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct md3_range ranges[MD3_MOST_RANGES];
    struct player *player = arena_must_alloc(&model->arena, 1, sizeof *player);
    uint32_t count;
    if (md3_read_ranges(bytes, ranges, &count, err) < 0)
        return -1;
    if (count < TORSO_GETFLAG)
        return error_set(err, "%u animations (players have %d)", count, TORSO_GETFLAG);
    if (!options->assets || !options->path)
        return error_set(err, "a player has models in files beside it");
    model->data = player;
    move_legs(ranges);
    int result = load_parts(options, model, player, err);
    if (result == 0 && (result = join_meshes(model, player, err)) == 0) {
        name_joints(model, player);
        add_clips(model, player, ranges, (int)count);
        if (!player->rest)
            result = error_set(err, "its models lack the frames of LEGS_IDLE or TORSO_STAND");
    }
    for (int i = 0; i < PART_COUNT; i++) {
        free(player->parts[i].animations);
        player->parts[i].animations = NULL;
    }
    return result;
}

const struct model_format md3_player_format = {
    .name = "Quake III player",
    .suffix = ".cfg",
    .reads = "a folder: lower, upper and head on tags, with the clips of animation.cfg",
    .in_folder = "animation.cfg",
    .matches = matches,
    .load = load,
    .pose = pose,
    .pose_joints = pose_joints,
};
