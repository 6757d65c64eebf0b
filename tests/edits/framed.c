#include "framed.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "tree.h"

#define PROBLEM(...) strings_printf(problems, __VA_ARGS__)

enum { KEYS = 4 };

/* A tetrahedron on a joint that stands still, and one on a joint that moves along x. */
struct shape {
    unsigned points[8][3];
    unsigned joint_y;
    unsigned keys[KEYS];
};

static void put(const char *path, struct buffer *text)
{
    struct error err;
    char *folder = path_folder(path);
    if (file_make_folders(folder, &err) < 0 ||
        file_renew(path, (struct bytes){(const uint8_t *)text->text, text->length}, &err) < 0)
        fail("%s", err.text);
    free(folder);
    buffer_release(text);
}

static void put_mesh(const char *path, const struct shape *shape)
{
    static const unsigned triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {2, 0, 1}, {3, 1, 2}};
    struct buffer out = {0};
    buffer_printf(&out, "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
                        " \"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n \"hand\" 0 ( 0 0 4 ) ( 0 0 0 )\n}\n"
                        "mesh {\n shader \"none\"\n numverts 8\n");
    for (unsigned i = 0; i < 8; i++)
        buffer_printf(&out, " vert %u ( 0 0 ) %u 1\n", i, i);
    buffer_printf(&out, " numtris 8\n");
    for (unsigned i = 0; i < 8; i++)
        buffer_printf(&out, " tri %u %u %u %u\n", i, triangles[i % 4][0] + i / 4 * 4,
                      triangles[i % 4][1] + i / 4 * 4, triangles[i % 4][2] + i / 4 * 4);
    buffer_printf(&out, " numweights 8\n");
    for (unsigned i = 0; i < 8; i++)
        buffer_printf(&out, " weight %u %u 1 ( %u %u %u )\n", i, i / 4, shape->points[i][0], shape->points[i][1],
                      shape->points[i][2]);
    buffer_printf(&out, "}\n");
    put(path, &out);
}

static void put_clip(const char *path, const struct shape *shape)
{
    struct buffer out = {0};
    buffer_printf(&out,
                  "MD5Version 10\ncommandline \"\"\nnumFrames %d\nnumJoints 2\nframeRate 4\n"
                  "numAnimatedComponents 1\nhierarchy {\n \"root\" -1 0 0\n \"hand\" 0 1 0\n}\nbounds {\n",
                  KEYS);
    for (int i = 0; i < KEYS; i++)
        buffer_printf(&out, " ( -99 -99 -99 ) ( 99 99 99 )\n");
    buffer_printf(&out, "}\nbaseframe {\n ( 0 0 0 ) ( 0 0 0 )\n ( 0 %u 4 ) ( 0 0 0 )\n}\n", shape->joint_y);
    for (int i = 0; i < KEYS; i++)
        buffer_printf(&out, "frame %d {\n %u\n}\n", i, shape->keys[i]);
    put(path, &out);
}

static void put_side(const char *folder, const struct shape *shape)
{
    struct buffer list = {0};
    char *mesh = path_join(folder, "game/arm.md5mesh"), *clip = path_join(folder, "game/bend.md5anim");
    char *path = path_join(folder, "list.yaml");
    put_mesh(mesh, shape);
    put_clip(clip, shape);
    buffer_printf(&list,
                  "version: 1\nassets: game\njobs:\n- {name: arm, model: arm.md5mesh, cell: 32, supersample: 1,\n"
                  "   cameras: [{name: c, directions: 3, pitch: 25}],\n"
                  "   animations: [{file: bend.md5anim, sampling: {frames: [0-%d]}}]}\n",
                  KEYS - 1);
    put(path, &list);
    free(mesh);
    free(clip);
    free(path);
}

/* Bits of the frames that are not the same in some camera; -1 where it says something else. */
static int changed_frames(const json_t *review)
{
    int changed = 0;
    json_t *sheets = json_object_get(review, "sheets"), *clip, *frame;
    size_t c, f;
    if (json_array_size(sheets) != 1)
        return -1;
    json_array_foreach(json_object_get(json_array_get(sheets, 0), "clips"), c, clip)
        json_array_foreach(json_object_get(clip, "frames"), f, frame)
    {
        const char *state = json_string_value(json_object_get(frame, "state"));
        if (!strcmp(state, "changed"))
            changed |= 1 << f;
        else if (strcmp(state, "same") && strcmp(state, "moved") && strcmp(state, "rescaled"))
            return -1;
    }
    return changed;
}

void check_framed(const struct program *program, uint64_t seed, struct strings *problems)
{
    struct random random = {seed};
    struct shape shape = {.joint_y = random_below(&random, 4)};
    for (int i = 0; i < 8; i++) /* three points on the axes and one at the origin: never flat */
        for (int axis = 0; axis < 3; axis++)
            shape.points[i][axis] = i % 4 == axis ? 3 + random_below(&random, 5) : 0;
    for (int i = 0; i < KEYS; i++)
        shape.keys[i] = random_below(&random, 12);
    put_side("framed/old/framed/new", &shape);
    static const char *const kinds[] = {"a vertex", "a joint", "a key"};
    unsigned kind = random_below(&random, 3), key = random_below(&random, KEYS), point = random_below(&random, 8);
    if (kind == 0 && point % 4 < 3)
        shape.points[point][point % 4] += 4 + random_below(&random, 20);
    else if (kind == 0)
        shape.points[point][2] += 12;
    else if (kind == 1)
        shape.joint_y += 4 + random_below(&random, 20);
    else
        shape.keys[key] += 4 + random_below(&random, 40);
    put_side("framed/new", &shape);
    int expected = kind == 2 ? 1 << key : (1 << KEYS) - 1;
    int code = program_run(program, "framed/said", "diff --json -j 1 --base framed/old framed/new/list.yaml");
    json_t *review = json_load_file("framed/said", 0, NULL);
    int changed = code == 0 ? changed_frames(review) : -1;
    if (changed != expected)
        PROBLEM("`diff --base` of another %s (seed %llu) has the changed frames %x, not %x", kinds[kind] + 2,
                (unsigned long long)seed, (unsigned)changed, (unsigned)expected);
    json_decref(review);
}
