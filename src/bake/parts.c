#include "bake/parts.h"

#include <cglm/affine.h>
#include <cglm/mat4.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "bake/takes.h"

static void add_warnings(struct plan *plan, const struct strings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        strings_add(&plan->warnings, warnings->items[i]);
}

static int open_model(struct plan *plan, struct assets *assets, struct part *part, const char *path,
                      const struct model_options *options, struct error *err)
{
    if (model_cache_open(plan->models, assets, path, options, &part->file, err) < 0)
        return -1;
    part->model = part->file.model;
    add_warnings(plan, &part->file.warnings);
    glm_mat4_identity(part->local);
    return 0;
}

/* Where the list asks for the scene, if that is what the model fails for: without it, the model opens. */
static int add_scene_place(struct assets *assets, const struct job *job, const char *path,
                           const struct model_options *options, struct error *err)
{
    struct model_options plain = *options;
    struct model_file file;
    struct error ignored;
    plain.scene = NULL;
    if (!job->scene || model_file_open(assets, path, &plain, &file, &ignored) < 0)
        return -1;
    model_file_release(&file);
    return error_add(err, "%s:%u:%u", job->scene_mark.file, job->scene_mark.line, job->scene_mark.column);
}

int parts_open_model(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    plan->parts = arena_must_alloc(&plan->arena, 1 + job->attachment_count, sizeof *plan->parts);
    if (job->def_name && def_decl_find(assets, job->def_name, &plan->def, err) < 0)
        return -1;
    add_warnings(plan, &plan->def.warnings);
    struct part *part = &plan->parts[0];
    const char *path = job->def_name ? plan->def.mesh : job->model;
    const char *base = path_base(path);
    part->name = arena_strndup(&plan->arena, base, (size_t)(path_suffix(base) - base));
    struct model_options options = {.geometry = job->geometry, .scene = job->scene, .via = job->via};
    if (job->skin_choice == SKIN_NAME)
        options.skin = job->skin_name;
    else if (job->skin_choice == SKIN_SEARCH && job->skin_count == 0)
        options.skin = "";
    if (open_model(plan, assets, part, path, &options, err) < 0) {
        if (job->def_name)
            error_add(err, "%s", plan->def.declared);
        return add_scene_place(assets, job, path, &options, err);
    }
    plan->part_count = 1;
    glm_translate(part->local, plan->def.offset);
    return 0;
}

/* Tags are read where the job names one. A .tag file that is no good fails these jobs; the skeleton of the job's
 * own model does without it, with a warning. */
static int read_tags(struct plan *plan, struct assets *assets, struct part *part, struct error *err)
{
    const struct job *job = plan->job;
    bool are_named = !part->attachment && job->socket_count > 0;
    for (size_t i = 0; i < job->attachment_count; i++) {
        const struct attachment *other = &job->attachments[i];
        bool hangs_here = part->attachment ? other->to && !strcasecmp(other->to, part->name) : !other->to;
        are_named |= hangs_here && other->at;
    }
    bool are_drawn = !part->attachment && job->passes & 1u << PASS_SKELETON;
    if ((!are_named && !are_drawn) || model_file_add_tags(&part->file, assets, err) == 0)
        return 0;
    if (are_named)
        return -1;
    strings_add(&plan->warnings, err->text);
    return 0;
}

static int find_clip(struct part *part, struct plan *plan, struct assets *assets, struct error *err)
{
    const struct attachment *attachment = part->attachment;
    const struct clip *clip;
    if (!attachment->animation)
        return 0;
    if (attachment->animation_file) {
        if (model_file_has_keyframes(&part->file))
            return error_set(err, "%s holds its animations itself, so `file` cannot add one", part->file.path);
        const char *path = attachment->animation_file;
        if (model_file_add_animation(&part->file, assets, path, attachment->animation, err) < 0)
            return -1;
        clip = &part->model->clips[part->model->clip_count - 1];
    } else if (!(clip = takes_find_clip(part, assets, attachment->animation, err))) {
        return -1;
    }
    struct clip *copy = arena_must_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *clip;
    part->clip = copy;
    return 0;
}

/* Whether the part has the keyframes of a clip that the model which carries it plays. */
static int check_keyframes(const struct part *part, const struct clip *clip, const char *name, struct error *err)
{
    uint32_t frames = part->model->animations[0].frame_count;
    if (!clip || clip->first_frame + clip->frame_count <= frames)
        return 0;
    return error_set(err, "`same_frame` of animation '%s': its keyframes %u-%u, but %s has 0-%u", name,
                     clip->first_frame, clip->first_frame + clip->frame_count - 1, part->file.path, frames - 1);
}

/* The model that carries it may have keyframes that are not shown and its attachment lacks: real weapons do. */
static int check_same_frames(const struct plan *plan, const struct part *part, struct error *err)
{
    const struct part *carrier = &plan->parts[part->at.part];
    const struct part *still = model_file_has_keyframes(&carrier->file) ? part : carrier;
    if (!model_file_has_keyframes(&still->file))
        return error_set(err, "`same_frame` needs two models with keyframes of their own, and %s has none",
                         still->file.path);
    while (carrier->attachment && carrier->attachment->same_frame)
        carrier = &plan->parts[carrier->at.part];
    if (carrier->attachment)
        return check_keyframes(part, carrier->clip, carrier->clip ? carrier->clip->name : "", err);
    for (size_t i = 0; i < plan->take_count; i++)
        if (check_keyframes(part, plan->takes[i].clip, plan->takes[i].name, err) < 0)
            return -1;
    return 0;
}

static int open_attachment(struct plan *plan, struct assets *assets, struct part *part, struct error *err)
{
    const struct attachment *attachment = part->attachment;
    const struct model_options options = {.skin = attachment->skin_count ? NULL : ""};
    if (open_model(plan, assets, part, attachment->model, &options, err) < 0 ||
        read_tags(plan, assets, part, err) < 0)
        return -1;
    part->outfit_count = 1;
    part->outfits = arena_must_alloc(&plan->arena, 1, sizeof *part->outfits);

    /* Turned about the fixed axes of the place: x, then y, then z. */
    const float *turn = attachment->rotation_deg;
    glm_translate_make(part->local, (float *)attachment->offset);
    glm_rotate(part->local, glm_rad(turn[2]), (vec3){0, 0, 1});
    glm_rotate(part->local, glm_rad(turn[1]), (vec3){0, 1, 0});
    glm_rotate(part->local, glm_rad(turn[0]), (vec3){1, 0, 0});
    glm_scale_uni(part->local, attachment->scale);

    uint32_t carrier = attachment->to ? 1 : 0; /* the list has put it before what it carries */
    while (attachment->to && strcasecmp(plan->parts[carrier].name, attachment->to))
        carrier++;
    part->at.part = carrier;
    if (attachment->at && plan_find_place(plan, carrier, attachment->at, &part->at, err) < 0)
        return -1;
    return attachment->same_frame ? check_same_frames(plan, part, err) : find_clip(part, plan, assets, err);
}

int parts_attach(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    if (read_tags(plan, assets, &plan->parts[0], err) < 0)
        return -1;
    for (size_t i = 0; i < job->attachment_count; i++) {
        const struct attachment *attachment = &job->attachments[i];
        struct part *part = &plan->parts[plan->part_count++];
        part->attachment = attachment;
        part->name = attachment->name;
        if (open_attachment(plan, assets, part, err) < 0)
            return error_add(err, "%s:%u:%u: attachment '%s'", attachment->mark.file, attachment->mark.line,
                             attachment->mark.column, attachment->name);
    }
    size_t joints = plan->parts[0].model->tags.tag_count;
    for (size_t i = 0; i < plan->part_count; i++)
        joints += plan->parts[i].model->joint_count;
    if (job->passes & 1u << PASS_SKELETON && joints == 0)
        strings_printf(&plan->warnings, "%s: nothing to show as a skeleton: it has neither joints nor tags",
                       job->model);

    plan->sockets = arena_must_alloc(&plan->arena, job->socket_count, sizeof *plan->sockets);
    for (size_t i = 0; i < job->socket_count; i++) {
        const struct job_name *asked = &job->sockets[i];
        struct socket *socket = &plan->sockets[plan->socket_count++];
        socket->name = asked->name;
        if (plan_find_place(plan, 0, socket->name, &socket->place, err) < 0)
            return error_add(err, "%s:%u:%u: socket '%s'", asked->mark.file, asked->mark.line, asked->mark.column,
                             asked->name);
    }
    return 0;
}
