#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/assets.h"
#include "base/file.h"
#include "base/glob.h"
#include "idtech/md3.h"

/* Quake III's .skin: lines of a surface and its shader, and of tags, which have none:
 *
 *     l_legs,models/players/sarge/red.tga
 *     tag_torso,
 *
 * The file lower_red.skin is the skin "red" of lower.md3, and of its simpler levels lower_1.md3 and lower_2.md3. For
 * Nexuiz box.md3_1.skin is the skin "1" of box.md3. */

/* As many as an MD2 may have. */
enum { MOST_SKINS = 256 };

/* -- One file ---------------------------------------------------------------------------------------------- */

/* Whether a surface of the model is meant. Names in a model may end in the number of a level, "_1". */
static bool is_name_of(const char *word, const char *surface)
{
    size_t length = strlen(word), whole = strlen(surface);
    bool has_level = whole > 2 && surface[whole - 2] == '_';
    return !strncasecmp(word, surface, length) && (length == whole || (has_level && length == whole - 2));
}

uint32_t md3_read_skin(struct bytes bytes, const struct surface *surfaces, uint32_t surface_count,
                       struct arena *arena, const char **shaders)
{
    static const char separators[] = " \t\r,\""; /* of words, as in the game */
    uint32_t count = 0;
    for (size_t at = 0, length; at < bytes.size; at += length + 1) {
        const char *text = (const char *)bytes.data + at, *end = memchr(text, '\n', bytes.size - at);
        length = end ? (size_t)(end - text) : bytes.size - at;
        char *line = arena_strndup(arena, text, length), *rest;
        const char *surface = strtok_r(line, separators, &rest), *shader = strtok_r(NULL, separators, &rest);
        if (shader)
            for (uint32_t i = 0; i < surface_count; i++)
                if (!shaders[i] && is_name_of(surface, surfaces[i].name)) {
                    shaders[i] = model_fixed_name(arena, (const uint8_t *)shader, strlen(shader), NULL);
                    count++;
                }
    }
    return count;
}

/* -- Beside a model ---------------------------------------------------------------------------------------- */

struct md3_skin {
    const char *name;
    const char *const *shaders; /* by surface */
};

struct skins {
    struct assets *assets;
    struct model *model;
    const char *wanted; /* NULL: all, up to `most` */
    struct md3_skin items[MOST_SKINS];
    uint32_t count, most;
};

static void add_skin(struct skins *skins, const char *path, const char *file_name)
{
    struct model *model = skins->model;
    SCOPED_BY(blob_release) struct blob blob = {0};
    struct error ignored;
    const char *name = clip_name_clean(&model->arena, file_name, strlen(file_name));
    if (skins->count == skins->most || (skins->wanted && strcasecmp(name, skins->wanted)) ||
        assets_read(skins->assets, path, &blob, &ignored) < 0)
        return;
    const char **shaders = arena_must_alloc(&model->arena, model->surface_count, sizeof *shaders);
    uint32_t named =
        md3_read_skin(blob_bytes(&blob), model->surfaces, model->surface_count, &model->arena, shaders);
    if (named == 0)
        return;
    for (uint32_t i = 0; i < model->surface_count; i++)
        if (!shaders[i])
            shaders[i] = model->surfaces[i].material.name;
    struct md3_skin skin = {name, shaders};
    uint32_t place = skins->count++;
    if (!strcasecmp(skin.name, "default")) { /* the first is worn unless a job says otherwise */
        memmove(&skins->items[1], &skins->items[0], place * sizeof skin);
        place = 0;
    }
    skins->items[place] = skin;
}

/* The skins in the files STEM_NAME.skin. */
static void add_skins_of(struct skins *skins, const char *stem)
{
    SCOPED_BY(strings_release) struct strings paths = {0};
    struct error ignored;
    SCOPED char *only = glob_of(stem), *pattern = must_printf("%s_*.skin", only);
    assets_glob(skins->assets, pattern, &paths, &ignored);
    for (size_t i = 0; i < paths.count; i++) {
        const char *rest = paths.items[i] + strlen(stem) + 1;
        SCOPED char *name = must_printf("%.*s", (int)(path_suffix(rest) - rest), rest);
        add_skin(skins, paths.items[i], name);
    }
}

/* The one `wanted`, or where that is NULL the first `most`; called as the model at `path`, or by the stem alone. */
static void add_skins(struct skins *skins, const char *wanted, uint32_t most, const char *stem, const char *path)
{
    SCOPED char *same = must_printf("%s.skin", stem);
    skins->wanted = wanted;
    skins->most = most;
    if (path && assets_find(skins->assets, same))
        add_skin(skins, same, "default");
    add_skins_of(skins, stem);
    if (path)
        add_skins_of(skins, path);
}

/* What is not read is not an input of the job, and may change. */
void md3_load_skins(const struct model_options *options, struct model *model, struct surface *surfaces)
{
    struct skins skins = {.assets = options->assets, .model = model};
    const char *asked = options->skin;
    bool asks_for_first = asked && !*asked;
    SCOPED char *stem = path_stem(options->path);
    add_skins(&skins, asks_for_first ? "default" : asked, MOST_SKINS, stem, options->path);
    if (skins.count == 0 && asked)
        add_skins(&skins, NULL, asks_for_first ? 1 : MOST_SKINS, stem, options->path);
    char *level = strrchr(stem, '_');
    if (skins.count == 0 && level && level != stem && strlen(level) == 2 && level[1] >= '0' && level[1] <= '9') {
        *level = '\0';
        add_skins(&skins, NULL, MOST_SKINS, stem, NULL);
    }

    const char **names = arena_must_alloc(&model->arena, skins.count, sizeof *names);
    for (uint32_t k = 0; k < skins.count; k++)
        names[k] = skins.items[k].name;
    model->skins = names;
    model->skin_count = skins.count;
    if (skins.count == 0)
        return;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const char **shaders = arena_must_alloc(&model->arena, skins.count, sizeof *shaders);
        for (uint32_t k = 0; k < skins.count; k++)
            shaders[k] = skins.items[k].shaders[i];
        surfaces[i].material.skin_names = shaders;
    }
}
