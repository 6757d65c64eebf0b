#include "asset/material.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"

/* In the order tried. The engines swap one for another freely: a skin named .pcx is often shipped as .png. */
static const char *const image_suffixes[] = {".tga", ".png", ".jpg", ".jpeg", ".pcx", ".dds", ".bmp"};
static const char *const normal_endings[] = {"_local", "_n", "_nm"};

enum {
    SUFFIX_COUNT = sizeof image_suffixes / sizeof *image_suffixes,
    NORMAL_ENDING_COUNT = sizeof normal_endings / sizeof *normal_endings,
};

struct search {
    struct assets *assets;
    char *folder;          /* of the model */
    struct strings *tried; /* NULL where failures are nothing to report */
};

/* The length of `name` without a suffix that names a picture format; other dots belong to the name. */
static size_t stem_length(const char *name)
{
    const char *suffix = path_suffix(name);
    for (size_t i = 0; i < SUFFIX_COUNT; i++)
        if (!strcasecmp(suffix, image_suffixes[i]))
            return (size_t)(suffix - name);
    return strlen(name);
}

static const char *look(const struct search *search, const char *path)
{
    if (search->tried && strings_has(search->tried, path))
        return NULL;
    const char *found = assets_find(search->assets, path);
    if (!found && search->tried)
        strings_add(search->tried, path);
    return found;
}

/* The first `length` characters of `name` with `ending` and each suffix. */
static const char *look_suffixes(const struct search *search, const char *name, size_t length, const char *ending)
{
    const char *found = NULL;
    for (size_t i = 0; i < SUFFIX_COUNT && !found; i++) {
        char *path = must_printf("%.*s%s%s", (int)length, name, ending, image_suffixes[i]);
        found = look(search, path);
        free(path);
    }
    return found;
}

/* The picture as named, then with the other suffixes. */
static const char *look_name(const struct search *search, const char *name)
{
    size_t length = stem_length(name);
    const char *found = name[length] ? look(search, name) : NULL;
    return found ? found : look_suffixes(search, name, length, "");
}

static const char *look_beside(const struct search *search, const char *name)
{
    char *path = path_join(search->folder, name);
    const char *found = look_name(search, path);
    free(path);
    return found;
}

/* What follows the last separator of a name as models have it. */
static const char *base_of(const char *name)
{
    const char *base = name;
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\')
            base = c + 1;
    return base;
}

static struct search search_begin(struct assets *assets, const char *model_path, const char *name,
                                  struct material *out)
{
    *out = (struct material){.name = must_strdup(name)};
    return (struct search){.assets = assets, .folder = path_folder(model_path), .tried = &out->tried};
}

static void search_end(struct search *search, const char *diffuse, bool guessed, struct material *out)
{
    if (diffuse)
        out->diffuse = must_strdup(diffuse);
    out->guessed = diffuse && guessed;
    free(search->folder);
}

void material_from_path(struct assets *assets, const char *model_path, const char *name, struct material *out)
{
    struct search search = search_begin(assets, model_path, name, out);
    const char *found = look(&search, name);
    if (!found) {
        char *beside = path_join(search.folder, name);
        found = look(&search, beside);
        free(beside);
    }
    search_end(&search, found, false, out);
}

/* A leading '.' is UFO:AI's "in the folder of this model"; "./" and "../" are not that. */
static const char *look_skin(const struct search *search, const char *skin, bool *guessed)
{
    *guessed = false;
    if (skin[0] == '.' && !strchr("./\\", skin[1]))
        return look_beside(search, skin + 1);
    const char *found = look_name(search, skin);
    if (found)
        return found;
    *guessed = true;
    return look_beside(search, base_of(skin));
}

void material_from_skins(struct assets *assets, const char *model_path, const char *const *skins,
                         size_t skin_count, struct material *out)
{
    struct search search = search_begin(assets, model_path, skin_count ? skins[0] : "", out);
    const char *found = NULL;
    bool guessed = false;
    for (size_t i = 0; i < skin_count && !found; i++) {
        if (!*base_of(skins[i]))
            continue;
        found = look_skin(&search, skins[i], &guessed);
        if (found && i > 0) {
            free(out->name);
            out->name = must_strdup(skins[i]);
        }
    }
    if (!found) {
        guessed = true;
        found = look_suffixes(&search, model_path, (size_t)(path_suffix(model_path) - model_path), "");
    }
    if (!found)
        found = look_beside(&search, "skin");
    search_end(&search, found, guessed, out);
}

/* The name itself, then with the ending that many use for the diffuse map of a set. */
static const char *look_shader(const struct search *search, const char *name, bool *with_ending)
{
    *with_ending = false;
    const char *found = look_name(search, name);
    if (found)
        return found;
    *with_ending = true;
    return look_suffixes(search, name, stem_length(name), "_d");
}

/* Pictures beside the diffuse one that name themselves its normal and specular maps. */
static void find_companions(struct assets *assets, struct material *material)
{
    const struct search search = {.assets = assets};
    const char *diffuse = material->diffuse;
    size_t length = stem_length(diffuse);
    if (length > 2 && !strncasecmp(diffuse + length - 2, "_d", 2))
        length -= 2;

    const char *normal = NULL;
    for (size_t i = 0; i < NORMAL_ENDING_COUNT && !normal; i++)
        normal = look_suffixes(&search, diffuse, length, normal_endings[i]);
    const char *specular = look_suffixes(&search, diffuse, length, "_s");
    material->normal = normal ? must_strdup(normal) : NULL;
    material->specular = specular ? must_strdup(specular) : NULL;
}

void material_from_shader(struct assets *assets, const char *model_path, const char *shader, struct material *out)
{
    struct search search = search_begin(assets, model_path, shader, out);
    const char *found = NULL;
    bool guessed = false;
    const char *base = base_of(shader);
    if (*base) {
        found = look_shader(&search, shader, &guessed);
        if (!found) {
            char *beside = path_join(search.folder, base);
            found = look_shader(&search, beside, &guessed);
            guessed = true;
            free(beside);
        }
    }
    search_end(&search, found, guessed, out);
    if (out->diffuse)
        find_companions(assets, out);
}

void material_release(struct material *material)
{
    free(material->name);
    free(material->diffuse);
    free(material->normal);
    free(material->specular);
    strings_release(&material->tried);
    *material = (struct material){0};
}
