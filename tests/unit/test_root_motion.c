/* Which clips travel, and which loops close: a plate of size 10 (its diagonal) whose first joint moves along x,
 * and whose second moves the plate up and down. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "format/formats.h"
#include "model/root_motion.h"
#include "test.h"

static const char plate[] = "MD5Version 10 commandline \"\" numJoints 2 numMeshes 1\n"
                            "joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) \"body\" 0 ( 0 0 0 ) ( 0 0 0 ) }\n"
                            "mesh { shader \"plate\" numverts 3\n"
                            "vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1\n"
                            "numtris 1 tri 0 0 1 2 numweights 3\n"
                            "weight 0 1 1 ( 0 0 0 ) weight 1 1 1 ( 6 0 0 ) weight 2 1 1 ( 0 8 0 ) }\n";

struct keyframe {
    double origin_x, body_z;
};

static struct bytes text_bytes(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

/* The clip of these keyframes, as it was measured when it was added; then measured with this joint. */
static struct clip clip_of(const struct keyframe *frames, size_t count, uint32_t root)
{
    struct error err;
    struct model *model;
    struct buffer text = {0};
    buffer_printf(&text,
                  "MD5Version 10 commandline \"\" numFrames %zu numJoints 2 frameRate 24 numAnimatedComponents 2\n"
                  "hierarchy { \"origin\" -1 1 0 \"body\" 0 4 1 } bounds { }\n"
                  "baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 0 ) ( 0 0 0 ) }\n",
                  count);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&text, "frame %zu { %.9g %.9g }\n", i, frames[i].origin_x, frames[i].body_z);
    if (model_load(text_bytes(plate), NULL, &model, &err) < 0 ||
        model_add_animation(model, "clip", text_bytes(text.text), &err) < 0)
        fail_msg("%s", err.text);
    struct clip clip = model->clips[0];
    if (root != 0)
        assert_int_equal(clip_measure(model, root, &clip, &err), 0);
    buffer_release(&text);
    model_free(model);
    return clip;
}

#define CLIP(...)                                                                                                 \
    clip_of((const struct keyframe[]){__VA_ARGS__},                                                               \
            sizeof((const struct keyframe[]){__VA_ARGS__}) / sizeof(struct keyframe), 0)

/* `count` keyframes of a swing up and down, `height` of the size, whose period is `period` keyframes. */
static struct clip swing(size_t count, double period, double height)
{
    struct keyframe *frames = calloc(count, sizeof *frames);
    for (size_t i = 0; i < count; i++)
        frames[i].body_z = 5 * height * sin(2 * 3.14159265358979 * (double)i / period);
    struct clip clip = clip_of(frames, count, 0);
    free(frames);
    return clip;
}

TEST(clips_travel_and_close)
{
    fact("a clip travels when its root ends elsewhere");
    struct clip walk = CLIP({-60, 0}, {0, 1}, {70, 0});
    assert_true(clip_travels(&walk));
    assert_true(fabsf(walk.travel[0] - 130) < 1e-4f && walk.travel[1] == 0);
    walk = CLIP({0, 0}, {-0.3, 1}, {-0.6, 0});
    assert_true(clip_travels(&walk));
    fact("sway and a way back are no travel");
    struct clip sway = CLIP({0, 0}, {0.2, 1}, {0.4, 0}), lunge = CLIP({0, 0}, {50, 1}, {0, 0}),
                away = CLIP({80, 0}, {80, 1});
    assert_false(clip_travels(&sway));
    assert_false(clip_travels(&lunge));
    assert_false(clip_travels(&away));
    fact("a walk closes in place");
    assert_true(CLIP({0, 0}, {40, 2}, {90, -2}, {130, 0}).closes);
    assert_true(CLIP({0, 0}, {40, 2}, {90, -2}, {130, 0.07}).closes);
    assert_false(CLIP({0, 0}, {40, 2}, {90, -2}, {130, 0.2}).closes);
    assert_false(CLIP({0, 0}, {0.2, 2}, {0.3, -2}, {0.4, 0}).closes); /* it does not travel, so it would jump */
    /* Neither their speed nor their length makes open loops closed: the wind in a flag moves it by a thousandth of its
     * size from keyframe to keyframe. */
    fact("loops close whose last keyframe is the first");
    static const double heights[] = {0.05, 0.5, 3};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        for (size_t count = 8; count <= 128; count *= 2) {
            assert_false(swing(count, (double)count, heights[i]).closes);
            assert_true(swing(count, (double)count - 1, heights[i]).closes);
        }
    fact("short and still clips");
    assert_false(CLIP({0, 0}).closes);
    assert_true(CLIP({0, 0}, {0, 0}).closes);
    assert_false(CLIP({0, 0}, {0, 0.05}).closes);
    assert_true(CLIP({0, 0}, {0, 3}, {0, 0}).closes);
    assert_true(CLIP({0, 1}, {0, 1}, {0, 1}).closes);
    fact("another joint can carry the model");
    static const struct keyframe frames[] = {{0, 0}, {65, 1}, {130, 0}};
    struct clip clip = clip_of(frames, 3, 1); /* a child moves with its parent */
    assert_true(fabsf(clip.travel[0] - 130) < 1e-4f);
    assert_true(clip.closes);
}
