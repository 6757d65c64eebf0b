#include "world.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "../../unit/tag_builder.h"

static bool has_suffix(const char *path, const char *suffix)
{
    return !strcmp(path_suffix(path), suffix);
}

static char *with_suffix(const char *path, const char *suffix)
{
    return must_printf("%.*s%s", (int)(strlen(path) - strlen(path_suffix(path))), path, suffix);
}

static const struct world_file *random_file(struct random *random, const struct world *world, const char *suffix)
{
    const struct world_file *found[WORLD_MOST_FILES];
    size_t count = 0;
    for (size_t i = 0; i < world->count; i++)
        if (has_suffix(world->files[i].path, suffix))
            found[count++] = &world->files[i];
    return count ? found[random_below(random, count)] : NULL;
}

/* -- Declarations ------------------------------------------------------------------------------------------ */

static void add_clips(struct world *world)
{
    char *path = with_suffix(world->files[0].path, ".anm");
    world_add_text(world, path, "// clips\nstand 0 0 10\nrun 0 3 20\nrun2 1 99 5\n");
    free(path);
}

/* The number of frames is the eleventh number of an MD2. */
static void add_tags(struct world *world)
{
    struct cursor cursor = cursor_at(blob_bytes(&world->files[0].blob), 40);
    uint32_t frames = cursor_u32(&cursor);
    static const char *const names[] = {"tag_hand"};
    enum { MOST_FRAMES = 2048 };
    static float axes[MOST_FRAMES][12];
    if (frames > MOST_FRAMES)
        return;
    for (uint32_t i = 0; i < frames; i++)
        axes[i][0] = axes[i][4] = axes[i][8] = 1;
    char *path = with_suffix(world->files[0].path, ".tag");
    world_add(world, path, tag_build(&(struct tag_spec){1, frames, names, (const float(*)[12])axes}));
    free(path);
}

/* A material for each shader of the mesh, with a random picture. */
static void declare(struct random *random, const struct world *world, const char *shader, int length,
                    struct buffer *out)
{
    static const char *const formats[] = {
        "%.*s\n{\n  diffusemap %s\n}\n",
        "%.*s\n{\n  twosided\n  bumpmap addnormals(_flat, heightmap(%s, 4))\n}\n",
        "%.*s\n{\n  {\n    blend diffusemap\n    map scale(%s, 0.5, 1)\n    alphatest 0.5\n  }\n}\n",
        "%.*s\n{\n  {\n    blend gl_one, gl_src_alpha\n    map makealpha(%s)\n    rgb 0.3 + parm1 * 2\n  }\n}\n",
    };
    static const char *const suffixes[] = {".png", ".tga", ".jpg", ".pcx"};
    const struct world_file *picture = random_file(random, world, PICK(random, suffixes));
    const char *path = picture ? picture->path : "_white";
    buffer_printf(out, PICK(random, formats), length, shader, path);
}

static void add_materials(struct random *random, struct world *world)
{
    struct buffer materials = {0}, skins = {0};
    struct bytes mesh = blob_bytes(&world->files[0].blob);
    const char *end = (const char *)mesh.data + mesh.size, *at = (const char *)mesh.data;
    buffer_printf(&skins, "skin fuzz/skin {\n  model %s\n", world->files[0].path);
    while ((at = memmem(at, (size_t)(end - at), "shader \"", 8))) {
        const char *name = at + 8, *quote = memchr(name, '"', (size_t)(end - name));
        int length = quote ? (int)(quote - name) : 0;
        declare(random, world, name, length, &materials);
        buffer_printf(&skins, "  %.*s _black\n", length, name);
        at = name;
    }
    buffer_printf(&skins, "  * _white\n}\n");
    if (materials.length)
        world_add_text(world, "materials/fuzz.mtr", materials.text);
    world_add_text(world, "skins/fuzz.skin", skins.text);
    buffer_release(&materials);
    buffer_release(&skins);
}

static void add_definition(struct random *random, struct world *world)
{
    const struct world_file *anim = random_file(random, world, ".md5anim");
    char *text = must_printf("model fuzz {\n  mesh %s\n  skin fuzz/skin\n  offset (0 0 4)\n  anim a1 %s\n}\n",
                             world->files[0].path, anim ? anim->path : "none");
    world_add_text(world, "def/fuzz.def", text);
    free(text);
}

void world_add_declarations(struct random *random, struct world *world)
{
    if (has_suffix(world->files[0].path, ".md2")) {
        add_clips(world);
        add_tags(world);
    } else {
        add_materials(random, world);
        add_definition(random, world);
    }
}

/* -- The list ---------------------------------------------------------------------------------------------- */

static void write_animations(struct random *random, const struct world *world, struct buffer *out)
{
    if (has_suffix(world->files[0].path, ".md2")) {
        static const char *const some[] = {"", "", "    animations: [{name: cut, frames: 0-2}]\n",
                                           "    animations: ['s*']\n", "    geometry: glcommands\n"};
        buffer_printf(out, "%s", PICK(random, some));
        return;
    }
    const struct world_file *anim = random_file(random, world, ".md5anim");
    if (anim && !random_one_in(random, 4))
        buffer_printf(out, "    animations: [{file: '%s'}]\n", anim->path);
}

/* Each in half of the jobs or less. */
static void write_settings(struct random *random, bool is_md2, struct buffer *out)
{
    static const char *const passes[] = {"normal, depth", "mask, uv", "skeleton, wireframe", "clay, bounds",
                                         "emission, albedo"};
    static const char *const sheets[] = {"{layout: packed, trim: true}", "{trim: true}",
                                         "{max_size: 32, padding: 1}",
                                         "{bleed: 2, extrude: 1, power_of_two: true}"};
    static const char *const fits[] = {"{scope: frame}", "{scope: animation}", "{pixels_per_unit: 0.5}",
                                       "{scope: g}"};
    static const char *const others[] = {"ground: shadow",
                                         "ground: grid",
                                         "outline: {width: 1}",
                                         "sockets: tag_hand",
                                         "boxes: ['*']",
                                         "events: {'*': {0: step}}",
                                         "split: animation",
                                         "metadata: [aseprite, godot]",
                                         "teamcolor: {range: {color: '#c03020'}}",
                                         "tint: {'*': '#c03020'}"};
    if (random_one_in(random, 2))
        buffer_printf(out, "    passes: [%s]\n", PICK(random, passes));
    if (random_one_in(random, 2))
        buffer_printf(out, "    sheet: %s\n", PICK(random, sheets));
    if (random_one_in(random, 2))
        buffer_printf(out, "    fit: %s\n", PICK(random, fits));
    if (random_one_in(random, 2))
        buffer_printf(out, "    %s\n", PICK(random, others));
    if (random_one_in(random, 4))
        buffer_printf(out, "    %s\n", is_md2 ? "skins: all" : "skin: 'skins/fuzz.skin#fuzz/skin'");
}

static void write_job(struct random *random, const struct world *world, const char *name, struct buffer *out)
{
    const char *model = world->files[0].path;
    bool is_md2 = has_suffix(model, ".md2"), is_declared = !is_md2 && random_one_in(random, 5);
    buffer_printf(out, "  - name: %s\n    model: '%s'\n", name, is_declared ? "def:fuzz" : model);
    buffer_printf(out, "    cell: %u\n    supersample: %u\n", 1 + random_below(random, 16),
                  1 + random_below(random, 2));
    buffer_printf(out, "    sampling: {count: %u}\n", 1 + random_below(random, 3));
    if (random_one_in(random, 3))
        buffer_printf(out, "    cameras: {directions: 2, pitch: 30, projection: perspective, name: p}\n");
    if (!is_declared)
        write_animations(random, world, out);
    if (random_one_in(random, 4))
        buffer_printf(out, "    attach: {model: '%s', name: twin, scale: 0.5}\n", model);
    write_settings(random, is_md2, out);
}

void world_write_list(struct random *random, const struct world *world, const char *assets, struct buffer *out)
{
    buffer_printf(out, "version: 1\nassets: %s\noutput: out\njobs:\n", assets);
    write_job(random, world, "one", out);
    if (random_one_in(random, 3))
        write_job(random, world, "two", out);
}
