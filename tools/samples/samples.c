#include "samples.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "bolt.h"
#include "figure_fbx.h"
#include "figure_glb.h"
#include "md2_save.h"
#include "md5_save.h"
#include "paint.h"
#include "picture.h"
#include "pip.h"
#include "plum.h"
#include "sprout.h"

/* Writes the buffer to folder/name and releases it. */
static int write_out(const char *folder, struct buffer *buffer, const char *name, struct error *err)
{
    char *path = path_join(folder, name);
    struct bytes bytes = {(const uint8_t *)buffer->text, buffer->length};
    int result = file_renew(path, bytes, err);
    buffer_release(buffer);
    free(path);
    return result;
}

static int write_pip_pictures(const char *folder, const struct coat *coat, const struct canvas *canvas,
                              struct error *err)
{
    struct buffer color = {0}, normal = {0};
    picture_save_png(canvas->color, canvas->size, &color);
    picture_save_png(canvas->normal, canvas->size, &normal);
    char *color_name = must_printf("%s.png", coat->name), *normal_name = must_printf("%s_local.png", coat->name);
    int result = write_out(folder, &color, color_name, err);
    result |= write_out(folder, &normal, normal_name, err);
    free(color_name);
    free(normal_name);
    return result;
}

/* A motion in a file of its own, for each format. */
static int write_pip_motion(const char *folder, const struct pip *pip, const struct motion *motion,
                            const struct stance *frames, struct error *err)
{
    struct buffer out = {0};
    char *md5_name = must_printf("%s.md5anim", motion->name),
         *glb_name = must_printf("clips/%s.glb", motion->name);
    char *fbx_name = must_printf("clips/%s.fbx", motion->name);
    md5anim_save(&pip->figure, motion, frames, &out);
    int result = write_out(folder, &out, md5_name, err);
    motion_glb_save(&pip->figure.rig, motion, frames, &out);
    result |= write_out(folder, &out, glb_name, err);
    motion_fbx_save(&pip->figure.rig, motion, frames, &out);
    result |= write_out(folder, &out, fbx_name, err);
    free(md5_name);
    free(glb_name);
    free(fbx_name);
    return result;
}

/* As MD5 with its pictures, as GLB, and as FBX, which has the pictures of the MD5. */
static int write_pip(const char *folder, struct error *err)
{
    struct pip *pip = must_alloc(1, sizeof(*pip));
    struct stance *frames = must_alloc(PIP_MOTIONS * PIP_MAX_FRAMES, sizeof(*frames)), *next = frames;
    struct canvas canvases[FIGURE_MAX_SURFACES];
    struct buffer out = {0};
    pip_build(pip);
    md5mesh_save(&pip->figure, &out);
    int result = write_out(folder, &out, "pip.md5mesh", err);
    for (int i = 0; i < PIP_MOTIONS; i++) {
        pip_record(pip, &pip_motions[i], next);
        result |= write_pip_motion(folder, pip, &pip_motions[i], next, err);
        next += pip_motions[i].frame_count;
    }
    for (int i = 0; i < pip->figure.coat_count; i++) {
        canvas_paint(&canvases[i], &pip->figure, i);
        result |= write_pip_pictures(folder, &pip->figure.coats[i], &canvases[i], err);
    }
    figure_glb_save(&pip->figure, canvases, pip_motions, PIP_MOTIONS, frames, &out);
    result |= write_out(folder, &out, "pip.glb", err);
    figure_fbx_save(&pip->figure, &out);
    result |= write_out(folder, &out, "pip.fbx", err);
    for (int i = 0; i < pip->figure.coat_count; i++)
        canvas_release(&canvases[i]);
    figure_release(&pip->figure);
    free(frames);
    free(pip);
    return result;
}

static int write_plum_skins(const char *folder, struct figure *figure, struct error *err)
{
    int result = 0;
    for (int i = 0; i < PLUM_SKINS; i++) {
        struct canvas canvas;
        struct buffer out = {0};
        figure->colors = &plum_skins[i];
        canvas_paint(&canvas, figure, 0);
        /* One of each kind that the games had. */
        char *name = must_printf("%s.%s", plum_skins[i].name, i == 0 ? "pcx" : "tga");
        (i == 0 ? picture_save_pcx : picture_save_tga)(canvas.color, canvas.size, &out);
        canvas_release(&canvas);
        result |= write_out(folder, &out, name, err);
        free(name);
    }
    return result;
}

static int write_plum(const char *folder, struct error *err)
{
    static const char *const skins[PLUM_SKINS] = {"models/plum/plum.pcx", "models/plum/lime.tga"};
    struct plum *plum = must_alloc(1, sizeof(*plum));
    struct stance *frames = must_alloc(PLUM_MAX_FRAMES, sizeof(*frames)), *next = frames;
    struct buffer out = {0};
    plum_build(plum);
    for (int i = 0; i < PLUM_MOTIONS; i++) {
        plum_record(plum, &plum_motions[i], next);
        next += plum_motions[i].frame_count;
    }
    md2_save(&plum->figure, plum_motions, PLUM_MOTIONS, frames, skins, PLUM_SKINS, &out);
    int result = write_out(folder, &out, "plum.md2", err);
    result |= write_plum_skins(folder, &plum->figure, err);
    figure_release(&plum->figure);
    free(frames);
    free(plum);
    return result;
}

static int write_sprout(const char *folder, struct error *err)
{
    struct buffer out = {0};
    sprout_save(&out);
    return write_out(folder, &out, "sprout.glb", err);
}

static int write_bolt(const char *folder, struct error *err)
{
    static const char *const skins[] = {"default", "rust"}, *const pictures[] = {"bolt", "rust", "visor"};
    struct buffer out = {0};
    bolt_save_animations(&out);
    int result = write_out(folder, &out, "animation.cfg", err);
    for (enum bolt_part part = 0; part < BOLT_PARTS; part++) {
        char *name = must_printf("%s.md3", bolt_part_names[part]);
        bolt_save_part(part, &out);
        result |= write_out(folder, &out, name, err);
        free(name);
        for (int i = 0; i < 2; i++) {
            name = must_printf("%s_%s.skin", bolt_part_names[part], skins[i]);
            bolt_save_skin(part, pictures[i], &out);
            result |= write_out(folder, &out, name, err);
            free(name);
        }
    }
    for (int i = 0; i < 3; i++) {
        char *name = must_printf("%s.png", pictures[i]);
        bolt_save_picture(pictures[i], &out);
        result |= write_out(folder, &out, name, err);
        free(name);
    }
    return result;
}

int samples_write(const char *folder, struct error *err)
{
    char *pip = path_join(folder, "models/pip"), *clips = path_join(folder, "models/pip/clips");
    char *plum = path_join(folder, "models/plum");
    char *sprout = path_join(folder, "models/sprout"), *bolt = path_join(folder, "models/players/bolt");
    int result = file_make_folders(clips, err) | file_make_folders(plum, err) | file_make_folders(sprout, err) |
                 file_make_folders(bolt, err);
    if (result == 0)
        result = write_pip(pip, err);
    if (result == 0)
        result = write_plum(plum, err);
    if (result == 0)
        result = write_sprout(sprout, err);
    if (result == 0)
        result = write_bolt(bolt, err);
    free(bolt);
    free(sprout);
    free(pip);
    free(clips);
    free(plum);
    return result;
}
