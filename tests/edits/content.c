#include "content.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "tree.h"
#include "../unit/tag_builder.h"

/* Names of pictures in models, materials and lists. Brackets, because paths may look like patterns. */
static const char *const pictures[] = {"textures/a", "textures/b", "textures/c", "textures/b[1]", "models/own"};
static const char *const shaders[] = {"textures/a", "textures/b", "mat/one", "mat/two"};

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* A TGA of 4 x 4 for every suffix: formats are recognised by content. One in four has holes. */
static struct blob make_picture(struct random *random)
{
    enum { SIDE = 4, HEADER = 18, SIZE = HEADER + SIDE * SIDE * 4 };
    struct blob blob = {must_alloc(SIZE, 1), SIZE};
    uint8_t *data = blob.data;
    data[2] = 2;
    data[12] = data[14] = SIDE;
    data[16] = 32;
    data[17] = 8;
    bool has_holes = random_one_in(random, 4);
    uint32_t color = (uint32_t)random_next(random), other = (uint32_t)random_next(random);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        uint32_t texel = i % 3 ? color : other;
        memcpy(data + HEADER + 4 * i, &texel, 3);
        data[HEADER + 4 * i + 3] = has_holes && i % 4 == 0 ? 0 : 255;
    }
    return blob;
}

/* -- Models ------------------------------------------------------------------------------------------------ */

static struct blob make_md2(struct random *random)
{
    static const char *const names[] = {"textures/a.pcx", "models/own.tga", ".skin", "textures/b[1].tga",
                                        "textures/c"};
    const char *skins[2];
    for (size_t i = 0; i < 2; i++)
        skins[i] = PICK(random, names);
    struct md2_words words;
    struct md2_spec spec = md2_tetrahedron(&words);
    float boxes[3][6];
    for (uint32_t i = 0; i < 3; i++)
        memcpy(boxes[i], (const float[6]){1, 1, 1, 0, 0, 0}, sizeof boxes[i]);
    uint32_t axis = random_below(random, 3);
    boxes[0][axis] += 0.25f * (float)random_below(random, 4);
    boxes[1][3] = (float)random_below(random, 4);
    spec.boxes = (const float(*)[6])boxes;
    spec.skins = skins;
    spec.skin_count = random_below(random, 3);
    return md2_build(&spec);
}

static struct blob take(struct buffer *buffer)
{
    return (struct blob){(uint8_t *)buffer->text, buffer->length};
}

static void add_mesh(struct random *random, struct buffer *out, const char *name)
{
    buffer_printf(out, "mesh {\n // meshes: %s\n shader \"%s\"\n numverts 4\n", name, PICK(random, shaders));
    buffer_printf(out, " vert 0 ( 0 0 ) 0 1\n vert 1 ( 1 0 ) 1 1\n vert 2 ( 1 1 ) 2 1\n vert 3 ( 0 1 ) 3 1\n");
    buffer_printf(out, " numtris 4\n tri 0 0 1 2\n tri 1 0 2 3\n tri 2 0 3 1\n tri 3 1 3 2\n numweights 4\n");
    buffer_printf(out, " weight 0 0 1 ( 0 0 %u )\n weight 1 0 1 ( 4 0 0 )\n", random_below(random, 4));
    buffer_printf(out, " weight 2 1 1 ( 0 4 0 )\n weight 3 1 1 ( 0 0 4 )\n}\n");
}

static struct blob make_mesh(struct random *random)
{
    struct buffer out = {0};
    buffer_printf(&out, "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 2\njoints {\n"
                        " \"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n \"hand\" 0 ( 0 0 4 ) ( 0 0 0 )\n}\n");
    add_mesh(random, &out, "upper");
    if (random_one_in(random, 2))
        add_mesh(random, &out, "lower");
    return take(&out); /* with one mesh, the number of meshes is wrong: a warning */
}

static struct blob make_anim(struct random *random)
{
    struct buffer out = {0};
    uint32_t frames = 2 + random_below(random, 2);
    buffer_printf(&out, "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints 2\nframeRate %u\n", frames,
                  2 + random_below(random, 2));
    buffer_printf(&out, "numAnimatedComponents 1\nhierarchy {\n \"root\" -1 4 0\n \"hand\" 0 0 0\n}\nbounds {\n");
    for (uint32_t i = 0; i < frames; i++)
        buffer_printf(&out, " ( -9 -9 -9 ) ( 9 9 9 )\n");
    buffer_printf(&out, "}\nbaseframe {\n ( 0 0 0 ) ( 0 0 0 )\n ( 0 0 4 ) ( 0 0 0 )\n}\n");
    for (uint32_t i = 0; i < frames; i++)
        buffer_printf(&out, "frame %u {\n %u\n}\n", i, random_below(random, 4));
    return take(&out);
}

static struct blob make_clips(struct random *random)
{
    static const char *const some[] = {"run 0 1 10\n", "run 0 2 5\nhop 2 2 10\n", "walk 1 2 10\nrun 0 0 10\n",
                                       "run 0 9 10\n", "// nothing\n"};
    const char *text = PICK(random, some);
    return blob_copy((struct bytes){(const uint8_t *)text, strlen(text)});
}

static struct blob make_tag(struct random *random)
{
    static const char *const names[] = {"tag_hand"};
    float frames[3][12] = {{0}};
    for (size_t i = 0; i < 3; i++) {
        frames[i][0] = frames[i][4] = frames[i][8] = 1;
        uint32_t axis = random_below(random, 3);
        frames[i][9 + axis] = (float)random_below(random, 6);
    }
    return tag_build(&(struct tag_spec){1, 3, names, (const float(*)[12])frames});
}

/* -- Declarations ------------------------------------------------------------------------------------------ */

static struct blob make_materials(struct random *random)
{
    static const char *const bodies[] = {
        "diffusemap %s",
        "diffusemap %s\n  bumpmap addnormals(_flat, heightmap(textures/c, 2))\n  twosided",
        "{ blend diffusemap\n map scale(%s, 0.5, 1)\n alphatest 0.5 }",
        "diffusemap add(%s, textures/missing)",
        "diffusemap textures/a\n  { blend add\n map makealpha(%s) }",
    };
    struct buffer out = {0};
    for (uint32_t left = 1 + random_below(random, 3); left > 0; left--) {
        const char *type = random_one_in(random, 3) ? "material " : "", *picture = PICK(random, pictures);
        buffer_printf(&out, "%s%s {\n  ", type, PICK(random, shaders));
        buffer_printf(&out, PICK(random, bodies), picture);
        buffer_printf(&out, "\n}\n");
    }
    buffer_printf(&out, "// %u\n", random_below(random, 100));
    return take(&out);
}

static struct blob make_skins(struct random *random)
{
    struct buffer out = {0};
    static const char *const names[] = {"red", "blue"};
    for (uint32_t left = 1 + random_below(random, 2); left > 0; left--) {
        const char *from = random_one_in(random, 2) ? "*" : PICK(random, shaders), *to = PICK(random, shaders);
        buffer_printf(&out, "skin %s { %s %s }\n", PICK(random, names), from, to);
    }
    return take(&out);
}

static struct blob make_definition(struct random *random)
{
    static const char *const names[] = {"droid", "droid", "droid", "droid", "droid", "other"};
    static const char *const meshes[] = {"models/arm.md5mesh", "models/imp.md5mesh"};
    static const char *const skins[] = {"", "  skin red\n", "  skin textures/a\n"};
    struct buffer out = {0};
    const char *name = PICK(random, names), *mesh = PICK(random, meshes), *skin = PICK(random, skins);
    buffer_printf(&out, "model %s {\n  mesh %s\n%s  offset (0 0 %u)\n", name, mesh, skin, random_below(random, 3));
    buffer_printf(&out, "  anim bend anims/%s.md5anim\n}\n", random_one_in(random, 2) ? "bend" : "wave");
    return take(&out);
}

/* -- By name ----------------------------------------------------------------------------------------------- */

struct kind {
    const char *suffix;
    struct blob (*make)(struct random *random);
    const char *stems[3];
    uint32_t share; /* percent of all paths; the rest are pictures */
};

static const struct kind kinds[] = {
    {".md2", make_md2, {"models/die", "models/held", "models/extra"}, 8},
    {".md5mesh", make_mesh, {"models/arm", "models/imp", "models/arm"}, 5},
    {".md5anim", make_anim, {"anims/bend", "models/wave", "anims/wave"}, 7},
    {".anm", make_clips, {"models/die", "models/held", "models/extra"}, 4},
    {".tag", make_tag, {"models/die", "models/extra", "models/die"}, 4},
    {".mtr", make_materials, {"materials/one", "materials/two", "materials/zed"}, 22},
    {".skin", make_skins, {"skins/one", "skins/two", "skins/one"}, 7},
    {".def", make_definition, {"def/one", "def/two", "def/one"}, 8},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static char *picture_path(struct random *random)
{
    static const char *const more[] = {"models/die", "models/skin", "models/held", "models/a"};
    static const char *const companions[] = {"", "", "", "", "_d", "_local", "_s", "_n"};
    static const char *const suffixes[] = {".tga", ".tga", ".png", ".jpg", ".pcx", ".dds", ".bmp"};
    const char *stem = random_one_in(random, 4) ? PICK(random, more) : PICK(random, pictures);
    const char *companion = PICK(random, companions);
    return must_printf("%s%s%s", stem, companion, PICK(random, suffixes));
}

void content_change_case(struct random *random, char *path)
{
    char *c = path + random_below(random, strlen(path));
    if (*c >= 'a' && *c <= 'z')
        *c = (char)(*c - 'a' + 'A');
}

char *content_path(struct random *random)
{
    char *path = NULL;
    uint32_t left = random_below(random, 100);
    for (size_t i = 0; i < KINDS && !path; left -= kinds[i++].share)
        if (left < kinds[i].share) {
            const char *stem = PICK(random, kinds[i].stems);
            path = must_printf("%s%s", stem, kinds[i].suffix);
            break;
        }
    if (!path)
        path = picture_path(random);
    return path;
}

struct blob content_make(struct random *random, const char *path)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!strcasecmp(path_suffix(path), kinds[i].suffix))
            return kinds[i].make(random);
    return make_picture(random);
}
