#include "material/material.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "material/declaration_index.h"
#include "image/image_format.h"
#include "image/image_program.h"
#include "material/mtr.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"

const char *const picture_names[PICTURE_COUNT] = {
    [PICTURE_DIFFUSE] = "diffuse",
    [PICTURE_NORMAL] = "normal",
    [PICTURE_SPECULAR] = "specular",
    [PICTURE_METALLIC_ROUGHNESS] = "roughness",
    [PICTURE_OCCLUSION] = "occlusion",
    [PICTURE_EMISSIVE] = "emission",
    [PICTURE_SPECULAR_STRENGTH] = "specular strength",
    [PICTURE_SHADE] = "shade",
};

/* What pictures that accompany a diffuse picture have behind its name: these are looked for as its normal map, then one as
 * its specular map. None of all is worn as a diffuse picture by a guess. */
static const char *const companion_endings[] = {
    "_local", "_n",        "_nm",        "_s",     "_gm",       "_rm",        "_h",       "_e",     "_m",
    "_r",     "_ao",       "_nrm",       "_norm",  "_normal",   "_normals",   "_bump",    "_spec",  "_specular",
    "_gloss", "_glow",     "_luma",      "_light", "_emissive", "_emission",  "_mask",    "_rough", "_roughness",
    "_metal", "_metallic", "_metalness", "_orm",   "_height",   "_occlusion", "_opacity",
};

enum { NORMAL_ENDING_COUNT = 3, ENDING_COUNT = sizeof companion_endings / sizeof *companion_endings };

struct picture_search {
    struct assets *assets;
    char *folder; /* of the model */
    struct strings *tried;
};

static const char *look_beside(const struct picture_search *search, const char *name)
{
    SCOPED char *path = path_join(search->folder, name);
    return image_path_find(search->assets, path, search->tried);
}

static struct picture_search search_begin(struct assets *assets, const char *model_path, const char *name,
                                          struct look *out)
{
    *out = (struct look){.name = must_strdup(name), .alpha_test = -1};
    return (struct picture_search){
        .assets = assets, .folder = path_folder(model_path), .tried = &out->pictures[PICTURE_DIFFUSE].tried};
}

static void search_end(struct picture_search *search, const char *diffuse, enum picture_guess guess,
                       struct look *out)
{
    if (diffuse)
        out->pictures[PICTURE_DIFFUSE].program = must_strdup(diffuse);
    out->guess = diffuse ? guess : GUESS_NONE;
    free(search->folder);
}

static bool is_companion(const char *path)
{
    size_t length = image_path_stem(path);
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        size_t size = strlen(companion_endings[i]);
        if (length > size && !strncasecmp(path + length - size, companion_endings[i], size))
            return true;
    }
    return false;
}

bool material_may_wear(const char *picture)
{
    return !glob_matches("**-thumb.*", picture, true) && !is_companion(picture);
}

/* The only picture in the model's folder; NULL where there are several. */
static const char *look_alone(const struct picture_search *search)
{
    SCOPED_BY(strings_release) struct strings pictures = {0};
    const char *found = NULL;
    size_t count = 0;
    SCOPED char *only = glob_of(search->folder);
    for (size_t i = 0; image_suffix(i); i++) {
        SCOPED char *pattern = must_printf("%s/*%s", only, image_suffix(i));
        struct error ignored;
        assets_glob(search->assets, pattern, &pictures, &ignored);
    }
    for (size_t i = 0; i < pictures.count; i++) {
        if (!material_may_wear(pictures.items[i]))
            continue;
        found = pictures.items[i];
        count++;
    }
    found = count == 1 ? assets_find(search->assets, found) : NULL;
    if (!found)
        strings_printf(search->tried, "%s/*", search->folder);
    return found;
}

void material_from_path(struct assets *assets, const char *model_path, const char *name, bool of_skin,
                        struct look *out)
{
    struct picture_search search = search_begin(assets, model_path, name, out);
    SCOPED char *beside = path_join(search.folder, name);
    out->alpha_test = of_skin ? MATERIAL_SKIN_ALPHA_TEST : -1;
    out->masks_alone = !of_skin;
    const char *found = image_path_exact(assets, name, search.tried);
    search_end(&search, found ? found : image_path_exact(assets, beside, search.tried), GUESS_NONE, out);
}

/* A leading '.' is UFO:AI's "in the folder of this model"; "./" and "../" are not that. */
static const char *look_skin(const struct picture_search *search, const char *skin, enum picture_guess *guess)
{
    *guess = GUESS_NONE;
    if (skin[0] == '.' && !strchr("./\\", skin[1]))
        return look_beside(search, skin + 1);
    const char *found = image_path_find(search->assets, skin, search->tried);
    if (found)
        return found;
    *guess = GUESS_PLACE;
    return look_beside(search, path_foreign_base(skin));
}

void material_from_skins(struct assets *assets, const char *model_path, const char *const *skins,
                         size_t skin_count, struct look *out)
{
    struct picture_search search = search_begin(assets, model_path, skin_count ? skins[0] : "", out);
    out->alpha_test = MATERIAL_SKIN_ALPHA_TEST;
    const char *found = NULL;
    enum picture_guess guess = GUESS_NONE;
    for (size_t i = 0; i < skin_count && !found; i++) {
        if (!*path_foreign_base(skins[i]))
            continue;
        bool is_first = search.tried->count == 0;
        found = look_skin(&search, skins[i], &guess);
        if (found && i > 0) {
            free(out->name);
            out->name = must_strdup(skins[i]);
        }
        if (found && !is_first)
            guess = GUESS_PICTURE;
    }
    if (!found) {
        guess = GUESS_PICTURE;
        found = image_path_ending(assets, model_path, (size_t)(path_suffix(model_path) - model_path), "",
                                  search.tried);
    }
    if (!found)
        found = look_beside(&search, "skin");
    if (!found)
        found = look_alone(&search);
    search_end(&search, found, guess, out);
}

/* The name itself, then with the ending that many use for the diffuse map of a set, then the first picture of the first
 * skin, as Quake's re-release numbers them. */
static const char *look_shader(const struct picture_search *search, const char *name, enum picture_guess *guess)
{
    *guess = GUESS_NONE;
    const char *found = image_path_find(search->assets, name, search->tried);
    if (found)
        return found;
    *guess = GUESS_PLACE;
    found = image_path_ending(search->assets, name, image_path_stem(name), "_d", search->tried);
    if (found)
        return found;
    SCOPED char *numbered = must_printf("%.*s_00_00.lmp", (int)image_path_stem(name), name);
    return image_path_exact(search->assets, numbered, search->tried);
}

/* Pictures beside the diffuse one that name themselves its normal and specular maps. */
static void find_companions(struct assets *assets, struct look *material)
{
    const char *diffuse = material->pictures[PICTURE_DIFFUSE].program;
    struct texture *normal = &material->pictures[PICTURE_NORMAL];
    struct texture *specular = &material->pictures[PICTURE_SPECULAR];
    size_t length = image_path_stem(diffuse);
    if (length > 2 && !strncasecmp(diffuse + length - 2, "_d", 2))
        length -= 2;

    const char *found = NULL;
    for (size_t i = 0; i < NORMAL_ENDING_COUNT && !found; i++)
        found = image_path_ending(assets, diffuse, length, companion_endings[i], &normal->tried);
    normal->program = found ? must_strdup(found) : NULL;
    found = image_path_ending(assets, diffuse, length, companion_endings[NORMAL_ENDING_COUNT], &specular->tried);
    specular->program = found ? must_strdup(found) : NULL;
}

/* -- Declared materials ------------------------------------------------------------------------------------ */

/* The picture of a stage, or none and a warning; but a missing diffuse picture is reported with its surface
 * (plan/skins.c). */
static void resolve_stage(struct assets *assets, const struct mtr_stage *stage, const char *role,
                          const struct declaration_file *file, struct texture *out, struct look *material)
{
    struct error err;
    out->placement = stage->placement;
    if (image_program_resolve(assets, stage->image, &out->program, &out->tried, &err) == 0) {
        if (out->program[0] == '_') /* of one texel: nothing in it has an edge */
            out->placement.wrap[0] = out->placement.wrap[1] = WRAP_REPEAT;
    } else if (out != &material->pictures[PICTURE_DIFFUSE] || out->tried.count == 0) {
        strings_printf(&material->warnings, "%s:%u: %s of '%s': %s", file->path, stage->line, role, material->name,
                       err.text);
    }
}

/* The same, with the stage's colour worked in. */
static void resolve_tinted(struct assets *assets, const struct mtr_stage *stage, const char *role,
                           const struct declaration_file *file, struct texture *out, struct look *material)
{
    struct mtr_stage tinted = *stage;
    const float *color = stage->color;
    SCOPED char *scaled =
        must_printf("scale(%s, %.9g, %.9g, %.9g, %.9g)", stage->image, color[0], color[1], color[2], color[3]);
    if (color[0] != 1 || color[1] != 1 || color[2] != 1 || color[3] != 1)
        tinted.image = scaled;
    resolve_stage(assets, &tinted, role, file, out, material);
}

static const struct mtr_stage *find_stage(const struct mtr *mtr, enum mtr_role role)
{
    for (size_t i = 0; i < mtr->stage_count; i++)
        if (mtr->stages[i].role == role)
            return &mtr->stages[i];
    return NULL;
}

/* Draws nothing, whatever its picture. */
static bool is_invisible(const struct mtr_stage *stage)
{
    return stage->source == BLEND_ZERO && stage->destination == BLEND_ONE;
}

/* Of the diffuse stage; or of one that draws nothing but cuts the same picture, as those of burning bodies do. */
static float find_alpha_test(const struct mtr *mtr, const struct mtr_stage *diffuse)
{
    float alpha_test = diffuse->alpha_test;
    for (size_t i = 0; i < mtr->stage_count && alpha_test < 0; i++) {
        const struct mtr_stage *stage = &mtr->stages[i];
        if (stage->role == MTR_BLENDED && is_invisible(stage) && !strcasecmp(stage->image, diffuse->image))
            alpha_test = stage->alpha_test;
    }
    return alpha_test;
}

/* Whether a stage writes alpha alone, for the DST_ALPHA factors of those after it. */
static bool is_mask(const struct mtr_stage *stage)
{
    return stage->role == MTR_BLENDED && (stage->masked & 15) == 7 && !is_invisible(stage);
}

static void picture_release(struct texture *picture)
{
    free(picture->program);
    strings_release(&picture->tried);
    *picture = (struct texture){0};
}

/* NULL where its picture is not found. A diffuse stage is an interaction with light of its own, which is added. */
static struct look_layer *add_stage(struct assets *assets, const struct mtr_stage *stage,
                                    const struct declaration_file *file, struct look *out)
{
    struct look_layer *added = &out->layers[out->layer_count];
    bool is_diffuse = stage->role == MTR_DIFFUSE;
    *added = (struct look_layer){
        .source = is_diffuse ? BLEND_ONE : stage->source,
        .destination = is_diffuse ? BLEND_ONE : stage->destination,
        .alpha_test = stage->alpha_test,
        .is_lit = stage->is_lit || is_diffuse,
        .masked = stage->masked & 7,
    };
    memcpy(added->color, stage->color, sizeof added->color);
    resolve_stage(assets, stage, "a stage", file, &added->image, out);
    if (!added->image.program) {
        picture_release(&added->image);
        return NULL;
    }
    out->layer_count++;
    return added;
}

/* A stage whose mask is not found is left out: it would cover the whole surface. */
static void add_stages(struct assets *assets, const struct mtr *mtr, const struct declaration_file *file,
                       struct look *out)
{
    const struct mtr_stage *diffuse = find_stage(mtr, MTR_DIFFUSE);
    SCOPED_BY(picture_release) struct texture mask = {0};
    bool has_mask = false;
    for (size_t i = 0; i < mtr->stage_count; i++) /* all light comes before what is blended */
        if (mtr->stages[i].role == MTR_DIFFUSE && &mtr->stages[i] != diffuse)
            add_stage(assets, &mtr->stages[i], file, out);
    for (size_t i = 0; i < mtr->stage_count; i++) {
        const struct mtr_stage *stage = &mtr->stages[i];
        if (is_mask(stage)) {
            has_mask = true;
            picture_release(&mask);
            resolve_tinted(assets, stage, "a mask", file, &mask, out);
        }
        bool is_drawn = stage->role == MTR_BLENDED && (stage->masked & 7) != 7 && !is_invisible(stage);
        bool is_masked = has_mask && (stage->source >= BLEND_DST_ALPHA || stage->destination >= BLEND_DST_ALPHA);
        if (!is_drawn || (is_masked && !mask.program))
            continue;
        struct look_layer *added = add_stage(assets, stage, file, out);
        if (added && is_masked)
            added->mask = (struct texture){.program = must_strdup(mask.program), .placement = mask.placement};
    }
}

/* The engine draws an opaque surface black before its stages, which shows where the first of them is a mask. */
static void add_black(const struct mtr *mtr, struct look *out)
{
    bool is_opaque = !mtr->translucent && mtr->stage_count > 0 && mtr->stages[0].source == BLEND_ONE &&
                     mtr->stages[0].destination == BLEND_ZERO;
    if (out->layers_only && is_opaque && is_mask(&mtr->stages[0]))
        out->layers[out->layer_count++] = (struct look_layer){
            .source = BLEND_ONE,
            .destination = BLEND_ZERO,
            .image.program = must_strdup("_black"),
            .alpha_test = -1,
            .color = {1, 1, 1, 1},
        };
}

/* What the engine draws where parts are missing: without a lit stage only the others. What is translucent adds its
 * light to what is behind it. */
static void apply_declaration(struct assets *assets, const struct mtr *mtr, const struct declaration_file *file,
                              struct look *out)
{
    const struct mtr_stage *diffuse = find_stage(mtr, MTR_DIFFUSE);
    const struct mtr_stage *bump = find_stage(mtr, MTR_BUMP);
    const struct mtr_stage *specular = find_stage(mtr, MTR_SPECULAR);
    struct texture *pictures = out->pictures;
    bool is_lit = mtr->roles & ~(1u << MTR_BLENDED);
    out->two_sided = mtr->two_sided;
    out->unsmoothed_tangents = mtr->unsmoothed_tangents;
    out->back_sided = mtr->back_sided;
    out->layers_only = mtr->translucent || !is_lit;
    if (diffuse) {
        resolve_tinted(assets, diffuse, "the diffuse map", file, &pictures[PICTURE_DIFFUSE], out);
        out->alpha_test = find_alpha_test(mtr, diffuse);
    } else if (is_lit) {
        /* It shows none. The engine gives a white one to a material with a bump map alone. */
        bool is_black = mtr->roles & (1u << MTR_DIFFUSE | 1u << MTR_SPECULAR) || mtr->reflects;
        pictures[PICTURE_DIFFUSE].program = must_strdup(is_black ? "_black" : "_white");
    }
    if (bump)
        resolve_stage(assets, bump, "the normal map", file, &pictures[PICTURE_NORMAL], out);
    if (specular)
        resolve_tinted(assets, specular, "the specular map", file, &pictures[PICTURE_SPECULAR], out);
    const char *shown = pictures[PICTURE_DIFFUSE].program;
    bool shines = pictures[PICTURE_SPECULAR].program || !shown || strcmp(shown, "_black") != 0;
    out->adds_light = mtr->translucent && is_lit && shines;
    out->layers = must_alloc(mtr->stage_count + 1, sizeof *out->layers);
    add_black(mtr, out);
    add_stages(assets, mtr, file, out);
}

static void fill_declared(struct assets *assets, const struct declaration_entry *entry, bool is_q3,
                          struct look *out)
{
    const struct declaration_file *file = entry->file;
    SCOPED_BY(mtr_release) struct mtr mtr = {0};
    SCOPED_BY(strings_release) struct strings warnings = {0};
    (is_q3 ? mtr_parse_q3 : mtr_parse)(entry->item, &mtr, &warnings);
    out->declared = must_printf("%s:%u", file->path, entry->item->line);
    declaration_entry_warnings(entry, &out->warnings);
    for (size_t i = 0; i < warnings.count; i++)
        strings_printf(&out->warnings, "%s:%s", file->path, warnings.items[i]);
    apply_declaration(assets, &mtr, file, out);
}

/* In the files of each game that are there: of Doom 3, else of Quake III. */
static bool find_declared(struct assets *assets, const char *shader, struct look *out)
{
    struct strings *tried = &out->pictures[PICTURE_DIFFUSE].tried;
    for (int is_q3 = 0; is_q3 < 2; is_q3++) {
        const struct declaration_index *index =
            declaration_index_of(assets, is_q3 ? DECLARATION_SHADER : DECLARATION_MATERIAL);
        const struct declaration_entry *entry = declaration_index_find(index, shader);
        if (entry) {
            strings_release(tried);
            strings_release(&out->warnings);
            fill_declared(assets, entry, is_q3, out);
            return true;
        }
        if (!is_q3 || index->file_count > 0)
            strings_add(tried, is_q3 ? "scripts/*.shader" : "materials/*.mtr");
        /* What is wrong with any file may be why the name is not there. */
        declaration_index_warnings(index, &out->warnings);
    }
    return false;
}

void material_from_shader(struct assets *assets, const char *model_path, const char *shader, bool is_only,
                          struct look *out)
{
    struct picture_search search = search_begin(assets, model_path, shader, out);
    const char *found = NULL;
    enum picture_guess guess = GUESS_NONE;
    if (*path_foreign_base(shader) && !find_declared(assets, shader, out)) {
        found = look_shader(&search, shader, &guess);
        if (!found) {
            SCOPED char *beside = path_join(search.folder, path_foreign_base(shader));
            found = look_shader(&search, beside, &guess);
            guess = GUESS_PLACE;
        }
        if (!found && declaration_index_of(assets, DECLARATION_SHADER)->file_count > 0) {
            SCOPED char *textures = path_join("textures", shader);
            found = image_path_find(assets, textures, search.tried);
        }
        if (!found && is_only) {
            found = look_alone(&search);
            guess = GUESS_PICTURE;
        }
        out->masks_alone = true;
    }
    search_end(&search, found, guess, out);
    if (found)
        find_companions(assets, out);
}

/* Whether all triangles are drawn with the same one. */
static bool has_one_shader(const struct model *model)
{
    const char *shader = NULL;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        if (surface->index_count == 0)
            continue;
        if (surface->material.kind != MATERIAL_SHADER || (shader && strcasecmp(shader, surface->material.name)))
            return false;
        shader = surface->material.name;
    }
    return shader;
}

/* -- Where artists keep pictures --------------------------------------------------------------------------- */

/* What stands behind the name of a model in that of its picture. */
static const char *const no_ending[] = {"", NULL};
static const char *const model_endings[] = {"",     "_diffuse", "_albedo", "_basecolor", "_base_color", "_color",
                                            "_col", "_texture", "_tex",    "_skin",      NULL};

/* The picture in a folder that is called by these letters and one of the endings, the first that is there. One pattern looks
 * for all of them, so that a record has one look-up for a place. */
static const char *look_in(const struct picture_search *search, const char *folder, const char *stem,
                           size_t length, const char *const *endings)
{
    SCOPED_BY(strings_release) struct strings files = {0};
    struct error ignored;
    const char *found = NULL;
    SCOPED char *name = must_printf("%.*s", (int)length, stem), *path = path_join(folder, name);
    SCOPED char *plain = glob_of(path);
    SCOPED char *pattern = must_printf("%s%s", plain, endings[1] ? MATERIAL_GUESS_END : ".*");
    if (!strings_has(search->tried, pattern))
        assets_glob(search->assets, pattern, &files, &ignored);
    struct trace *trace = assets_trace(search->assets, NULL);
    for (; *endings && files.count && !found; endings++)
        found = image_path_ending(search->assets, path, strlen(path), *endings, NULL);
    assets_trace(search->assets, trace);
    found = found ? assets_find(search->assets, found) : NULL;
    if (!found)
        strings_add_new(search->tried, pattern);
    return found;
}

/* The same in the folder of the model and those above it, in folders of pictures in these, and in one called as that in which
 * the picture was. */
static const char *look_around(const struct picture_search *search, const char *own_folder, const char *stem,
                               size_t length, const char *const *endings)
{
    enum { MOST_LEVELS = 8, FOLDER_COUNT = 6 };
    const char *const folders[FOLDER_COUNT] = {own_folder, "", "textures", "texture", "tex", "materials"};
    const char *found = NULL;
    char *level = must_strdup(search->folder), *next;
    for (int above = 0; above < MOST_LEVELS && level && !found; above++, level = next) {
        int count = above < (endings[1] ? 2 : 3) ? FOLDER_COUNT : 1;
        for (int i = !own_folder; i < count && !found; i++) {
            SCOPED char *folder = *folders[i] ? path_join(level, folders[i]) : must_strdup(level);
            found = look_in(search, folder, stem, length, endings);
        }
        next = strcmp(level, ".") ? path_folder(level) : NULL;
        free(level);
    }
    free(level);
    return found;
}

/* Whether it is made to wear a picture, and names none: it has texture coordinates, and one plain colour. Models of glTF have
 * their pictures. */
static bool lacks_pictures(const struct model *model)
{
    const float *color = NULL;
    bool is_bare = !model->colors && strcmp(model->format_name, "glTF") != 0, has_uvs = false;
    for (uint32_t i = 0; i < model->skin_count && is_bare; i++)
        is_bare = !*model->skins[i];
    for (uint32_t i = 0; i < model->surface_count && is_bare; i++) {
        const struct surface_material *material = &model->surfaces[i].material;
        is_bare = material->kind != MATERIAL_SHADER || !*material->name;
        if (material->kind != MATERIAL_OWN || model->surfaces[i].index_count == 0)
            continue;
        const struct model_material *own = material->own[model->skin_count];
        color = color ? color : own->base_color_factor;
        is_bare = !own->base_color.path && !own->normal.path && !own->emissive.path && !own->specular.path &&
                  !memcmp(color, own->base_color_factor, sizeof own->base_color_factor);
    }
    for (uint32_t i = 1; i < model->vertex_count && is_bare && !has_uvs; i++)
        has_uvs = memcmp(model->uvs[i], model->uvs[0], sizeof *model->uvs) != 0;
    return is_bare && has_uvs;
}

const char *material_guess(struct assets *assets, const char *model_path, const struct model *model)
{
    if (!lacks_pictures(model))
        return NULL;
    SCOPED_BY(strings_release) struct strings tried = {0};
    SCOPED char *folder = path_folder(model_path);
    const struct picture_search search = {assets, folder, &tried};
    const char *base = path_base(model_path);
    return look_around(&search, NULL, base, (size_t)(path_suffix(base) - base), model_endings);
}

const char *material_suggest(struct assets *assets, const char *model_path, const struct model *model,
                             bool *is_sure)
{
    static const char word[] = "texture";
    *is_sure = false;
    if (!lacks_pictures(model))
        return NULL;
    SCOPED_BY(strings_release) struct strings files = {0};
    struct error ignored;
    const char *base = path_base(model_path), *best = "";
    SCOPED char *name = must_printf("%.*s", (int)(path_suffix(base) - base), base), *plain = glob_of(name);
    SCOPED char *pattern = must_printf("**%s*", plain);
    SCOPED char *folder = path_folder(model_path), *pack = path_folder(folder);
    assets_glob(assets, pattern, &files, &ignored);
    for (size_t i = 0; i < files.count && !*is_sure; i++) {
        const char *path = files.items[i], *rest = path_base(path);
        if (strncasecmp(rest, name, strlen(name)) || !image_has_suffix(path_suffix(path)) || is_companion(path))
            continue;
        rest += strlen(name);
        if (*rest >= 'a' && *rest <= 'z') /* catfish.png */
            continue;
        const char *below = strcmp(pack, ".") ? path_below(pack, path) : path, *ending = rest + (*rest == '_');
        ending += strncasecmp(ending, word, strlen(word)) ? 0 : strlen(word);
        *is_sure = below && strcasestr(below, word) && ending == path_suffix(path);
        best = *best && !*is_sure ? best : assets_find(assets, path);
    }
    return best;
}

/* -- Materials of the model file --------------------------------------------------------------------------- */

/* A missing base colour is reported with its surface (plan/skins.c), other pictures with a warning. */
static void find_own(struct assets *assets, const char *model_path, const struct model_texture *texture,
                     enum picture_kind which, struct look *out)
{
    struct texture *picture = &out->pictures[which];
    const char *path = texture->path;
    if (!path)
        return;
    picture->placement = texture->placement;
    size_t length = strlen(model_path);
    bool is_inside = !strncmp(path, model_path, length) && path[length] == ':';
    bool is_foreign = !is_inside && image_path_is_foreign(path);
    const char *found = is_foreign ? NULL : image_path_exact(assets, path, &picture->tried);
    if (!found && !is_inside)
        found = image_path_find(assets, path, &picture->tried);
    if (!found && !is_inside) {
        /* Tools write "../textures/wall.tga" from wherever they ran; games keep that folder at the top. */
        const char *from_top = strcasestr(path, "/textures/");
        const char *base = path_foreign_base(path);
        SCOPED char *folder = path_folder(model_path);
        const struct picture_search search = {assets, folder, &picture->tried};
        found = look_beside(&search, base);
        if (!found && from_top)
            found = image_path_find(assets, from_top + 1, &picture->tried);
        if (!found)
            found = look_around(&search, texture->folder, base, image_path_stem(base), no_ending);
        if (found && which == PICTURE_DIFFUSE)
            out->guess = GUESS_PLACE;
    }
    picture->program = found ? must_strdup(found) : NULL;
    const char *foreign = !found && is_foreign ? assets_find(assets, path) : NULL;
    if (foreign)
        strings_printf(&out->warnings, "%s: '%s' is in a format that is not read: %s", model_path, foreign,
                       strcasestr(path_suffix(foreign), "ktx") ? "`ktx extract IN OUT.png` converts KTX2"
                                                               : "`magick IN OUT.png` converts most");
    if (!found && which != PICTURE_DIFFUSE)
        strings_printf(&out->warnings, "%s: no %s picture '%s' for '%s'; %zu place%s tried, see -v", model_path,
                       picture_names[which], path, out->name, picture->tried.count,
                       picture->tried.count == 1 ? "" : "s");
}

static void material_from_own(struct assets *assets, const char *model_path, const struct model_material *said,
                              struct look *out)
{
    *out = (struct look){
        .name = must_strdup(said->name),
        .own = must_alloc(1, sizeof *out->own),
        .alpha_test = said->alpha_mode == ALPHA_MASK ? said->alpha_cutoff : -1,
        .two_sided = said->is_double_sided,
    };
    const struct model_texture *const textures[PICTURE_COUNT] = {
        [PICTURE_DIFFUSE] = &said->base_color,         [PICTURE_NORMAL] = &said->normal,
        [PICTURE_SPECULAR] = &said->specular_color,    [PICTURE_METALLIC_ROUGHNESS] = &said->metallic_roughness,
        [PICTURE_OCCLUSION] = &said->occlusion,        [PICTURE_EMISSIVE] = &said->emissive,
        [PICTURE_SPECULAR_STRENGTH] = &said->specular, [PICTURE_SHADE] = &said->shade,
    };
    *out->own = *said;
    for (int i = 0; i < PICTURE_COUNT; i++)
        find_own(assets, model_path, textures[i], (enum picture_kind)i, out);
    if (said->emissive.path && !out->pictures[PICTURE_EMISSIVE].program) /* or all of it would glow */
        memset(out->own->emissive_factor, 0, sizeof out->own->emissive_factor);
    if (said->shade.path && !out->pictures[PICTURE_SHADE].program) /* or its shade would be a blank */
        out->own->has_shade = false;
}

static const struct model_material *own_of(const struct model *model, const struct surface *surface,
                                           const char *const *skins, size_t skin_count)
{
    return surface->material.own[skin_count ? (size_t)(skins - model->skins) : model->skin_count];
}

/* Gives a material of the model file another base colour: that of a picture that the user named, or of a guess. */
static void repaint(struct assets *assets, const char *model_path, const char *name, struct look *material)
{
    SCOPED_BY(material_release) struct look named = {0};
    material_from_path(assets, model_path, name, false, &named);
    struct texture *diffuse = &material->pictures[PICTURE_DIFFUSE], before = *diffuse;
    *diffuse = named.pictures[PICTURE_DIFFUSE];
    diffuse->placement = before.placement;
    named.pictures[PICTURE_DIFFUSE] = before;
    material->own->has_shade &= diffuse->program != NULL;
    if (material->own->has_shade) {
        free(material->pictures[PICTURE_SHADE].program);
        material->pictures[PICTURE_SHADE].program = must_strdup(diffuse->program);
        material->pictures[PICTURE_SHADE].placement = before.placement;
    }
    material->own->base_color.path = name;
    for (int i = 0; i < 3; i++) /* its opacity is kept */
        material->own->base_color_factor[i] = 1;
    material->guess = GUESS_NONE;
}

const char *material_name(const struct model *model, const struct surface *surface, const char *const *skins,
                          size_t skin_count)
{
    const struct surface_material *material = &surface->material;
    if (material->kind == MATERIAL_OWN)
        return own_of(model, surface, skins, skin_count)->name;
    return material->skin_names && skin_count ? material->skin_names[skins - model->skins] : material->name;
}

void material_of_surface(struct assets *assets, const char *model_path, const struct model *model,
                         const struct surface *surface, const char *const *skins, size_t skin_count,
                         const struct material_choice *choice, struct look *out)
{
    const enum material_kind kind = surface->material.kind;
    if (choice->shader) {
        material_from_shader(assets, model_path, choice->shader, false, out);
        return;
    }
    if (choice->path && kind != MATERIAL_OWN) {
        material_from_path(assets, model_path, choice->path, kind == MATERIAL_SKIN, out);
        return;
    }
    switch (kind) {
    case MATERIAL_NONE:
        *out = (struct look){.name = must_strdup(""), .alpha_test = -1};
        break;
    case MATERIAL_SKIN:
        material_from_skins(assets, model_path, skins, skin_count, out);
        break;
    case MATERIAL_SHADER:
        material_from_shader(assets, model_path, material_name(model, surface, skins, skin_count),
                             has_one_shader(model), out);
        break;
    case MATERIAL_OWN:
        material_from_own(assets, model_path, own_of(model, surface, skins, skin_count), out);
        break;
    }
    const char *guess = out->pictures[PICTURE_DIFFUSE].program ? NULL : material_guess(assets, model_path, model);
    if (guess && out->own)
        repaint(assets, model_path, guess, out);
    else if (guess)
        out->pictures[PICTURE_DIFFUSE].program = must_strdup(guess);
    if (guess)
        out->guess = GUESS_PICTURE;
    if (choice->path)
        repaint(assets, model_path, choice->path, out);
}

bool material_lacks_picture(const struct look *material)
{
    const struct texture *diffuse = &material->pictures[PICTURE_DIFFUSE];
    return diffuse->program ? material->guess == GUESS_PICTURE : diffuse->tried.count > 0;
}

void material_release(struct look *material)
{
    free(material->name);
    for (int i = 0; i < PICTURE_COUNT; i++)
        picture_release(&material->pictures[i]);
    for (size_t i = 0; i < material->layer_count; i++) {
        picture_release(&material->layers[i].image);
        picture_release(&material->layers[i].mask);
    }
    free(material->own);
    free(material->layers);
    free(material->declared);
    strings_release(&material->warnings);
    *material = (struct look){0};
}
