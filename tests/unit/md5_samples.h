/* An md5mesh and an md5anim that belong together, and ways to spoil them. */
#ifndef UNIT_MD5_SAMPLES_H
#define UNIT_MD5_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "test.h"

/* Two joints, both turned, and a bent plate of two triangles: vertices 0 and 1 hang on the first joint, 2 on
 * both, 3 on the second. */
static const char mesh_text[] = "MD5Version 10\n"
                                "commandline \"made by hand\"\n"
                                "\n"
                                "numJoints 2\n"
                                "numMeshes 1\n"
                                "\n"
                                "joints {\n"
                                "\t\"origin\"\t-1 ( 1 2 3 ) ( 0 0 0.5 )\t\t// \n"
                                "\t\"upper arm\"\t0 ( 1 2 13 ) ( 0.3 -0.2 0.1 )\t\t// origin\n"
                                "}\n"
                                "\n"
                                "mesh {\n"
                                "\t// meshes: plate\n"
                                "\tshader \"models/plate_skin\"\n"
                                "\n"
                                "\tnumverts 4\n"
                                "\tvert 0 ( 0 0 ) 0 1\n"
                                "\tvert 1 ( 1 0 ) 1 1\n"
                                "\tvert 2 ( 1 -0.5 ) 2 2\n"
                                "\tvert 3 ( 0 1.5 ) 4 1\n"
                                "\n"
                                "\tnumtris 2\n"
                                "\ttri 0 0 1 2\n"
                                "\ttri 1 0 2 3\n"
                                "\n"
                                "\tnumweights 5\n"
                                "\tweight 0 0 1 ( 0 0 0 )\n"
                                "\tweight 1 0 1 ( 4 0.25 -0 )\n"
                                "\tweight 2 0 0.75 ( 4 5 1 )\n"
                                "\tweight 3 1 0.25 ( 4 5 -9 )\n"
                                "\tweight 4 1 1 ( 0 5 -10 )\n"
                                "}\n";

/* Three frames; the first joint moves along x and turns, the second turns. */
static const char anim_text[] = "MD5Version 10\n"
                                "commandline \"\"\n"
                                "\n"
                                "numFrames 3\n"
                                "numJoints 2\n"
                                "frameRate 24\n"
                                "numAnimatedComponents 5\n"
                                "\n"
                                "hierarchy {\n"
                                "\t\"origin\"\t-1 33 0\t// ( Tx Qz )\n"
                                "\t\"upper arm\"\t0 56 2\t// origin ( Qx Qy Qz )\n"
                                "}\n"
                                "\n"
                                "bounds {\n"
                                "\t( -1 -1 -1 ) ( 1 1 1 )\n"
                                "\t( -1 -1 -1 ) ( 1 1 1 )\n"
                                "\t( -1 -1 -1 ) ( 1 1 1 )\n"
                                "}\n"
                                "\n"
                                "baseframe {\n"
                                "\t( 9 2 3 ) ( 0 0 0 )\n"
                                "\t( 0 0 10 ) ( 0.1 0.2 0.3 )\n"
                                "}\n"
                                "\n"
                                "frame 8 {\n"
                                "\t1 0.5\n"
                                "\t0.1 0.2 0.3\n"
                                "}\n"
                                "\n"
                                "frame 9 {\n"
                                "\t3 -0.7\n"
                                "\t-0.8 0.2 0.1\n"
                                "}\n"
                                "\n"
                                "frame 10 {\n"
                                "\t-2 0.999\n"
                                "\t0.8 -0.2 -0.1\n"
                                "}\n";

/* The text with the first `old` in it replaced. Fails the test when `old` is not there. */
static inline char *with_change(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    if (!at)
        fail_msg("the sample does not contain '%s'", old);
    return must_printf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

/* From an exact copy. NULL on failure. */
static inline struct model *load_bytes(const char *text, size_t size, struct error *err)
{
    struct bytes copy = exact_copy(text, size);
    struct model *model = NULL;
    err->text[0] = '\0';
    int result = model_load(copy, &(struct model_options){0}, &model, err);
    free((void *)copy.data);
    assert_true((result == 0) == (model != NULL));
    assert_true((result == 0) == (err->text[0] == '\0'));
    return model;
}

/* It lives as long as the test. */
static inline struct model *load(const char *text)
{
    struct error err;
    struct model *model = load_bytes(text, strlen(text), &err);
    if (!model)
        fail_msg("%s", err.text);
    return kept(model);
}

static inline struct model *load_changed(const char *old, const char *new)
{
    char *text = with_change(mesh_text, old, new);
    struct model *model = load(text);
    free(text);
    return model;
}

/* The same for an animation onto a model: 0 or -1. */
static inline int animate_bytes(struct model *model, const char *name, const char *text, size_t size,
                                struct error *err)
{
    struct bytes copy = exact_copy(text, size);
    err->text[0] = '\0';
    int result = model_add_animation(model, name, copy, err);
    free((void *)copy.data);
    assert_true((result == 0) == (err->text[0] == '\0'));
    return result;
}

static inline void animate(struct model *model, const char *text)
{
    struct error err;
    if (animate_bytes(model, "walk", text, strlen(text), &err) < 0)
        fail_msg("%s", err.text);
}

static inline void assert_message(const struct error *err, const char *part)
{
    if (!strstr(err->text, part))
        fail_msg("'%s' is not in the message '%s'", part, err->text);
}

static inline void assert_odd(const struct model *model, const char *part)
{
    for (size_t i = 0; i < model->oddities.count; i++)
        if (strstr(model->oddities.items[i], part))
            return;
    fail_msg("no oddity says '%s'; the first of %zu is '%s'", part, model->oddities.count,
             model->oddities.count ? model->oddities.items[0] : "");
}

/* Where the text may be cut and still be whole: after its last brace only white space follows. */
static inline size_t whole_from(const char *text)
{
    return (size_t)(strrchr(text, '}') - text) + 1;
}

#endif
