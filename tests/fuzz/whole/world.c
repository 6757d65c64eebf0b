/* Makes a world for one run of the program: a model from the given assets and files beside it, some of them damaged, and
 * a list of jobs.
 *
 *     world NUMBER FOLDER ASSETS...
 *
 * The same number and assets make the same world: FOLDER/list.yaml, and FOLDER/assets or FOLDER/assets.pk3. Prints
 * what was changed. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "base/file.h"
#include "base/memory.h"

enum { MOST_MODEL_BYTES = 1 << 20, MOST_BESIDE = 10 };

static _Noreturn void fail(const struct error *err)
{
    fprintf(stderr, "world: %s\n", err->text);
    exit(1);
}

void world_add(struct world *world, const char *path, struct blob blob)
{
    if (world->count == WORLD_MOST_FILES)
        blob_release(&blob);
    else
        world->files[world->count++] = (struct world_file){must_strdup(path), blob};
}

void world_add_text(struct world *world, const char *path, const char *text)
{
    world_add(world, path, (struct blob){(uint8_t *)must_strdup(text), strlen(text)});
}

void world_release(struct world *world)
{
    for (size_t i = 0; i < world->count; i++) {
        free(world->files[i].path);
        blob_release(&world->files[i].blob);
    }
}

/* -- What it is made of ------------------------------------------------------------------------------------ */

static void list_files(struct assets *assets, const char *pattern, struct strings *out)
{
    struct error err;
    if (assets_glob(assets, pattern, out, &err) < 0)
        fail(&err);
}

static void read_file(struct assets *assets, const char *path, struct world *world)
{
    struct error err;
    struct blob blob;
    int64_t size = assets_size(assets, path);
    if (size < 0 || size > MOST_MODEL_BYTES)
        return;
    if (assets_read(assets, path, &blob, &err) < 0)
        fail(&err);
    world_add(world, path, blob);
}

static void read_model(struct random *random, struct assets *assets, struct world *world)
{
    struct strings models = {0};
    list_files(assets, "**.md2", &models);
    list_files(assets, "**.md5mesh", &models);
    list_files(assets, "**.gl[tb]*", &models);
    if (models.count == 0) {
        fputs("world: these assets have no models\n", stderr);
        exit(1);
    }
    while (world->count == 0) /* until one is not too large */
        read_file(assets, models.items[random_below(random, models.count)], world);
    strings_release(&models);
}

/* Adds some files of the model's folder: pictures, animations, texts. */
static void read_beside(struct random *random, struct assets *assets, struct world *world)
{
    char *folder = path_folder(world->files[0].path), *pattern = path_join(folder, "*");
    struct strings beside = {0};
    list_files(assets, strcmp(folder, ".") ? pattern : "*", &beside);
    for (size_t i = 0; i < MOST_BESIDE && beside.count > 0; i++) {
        const char *path = beside.items[random_below(random, beside.count)];
        bool is_there = false;
        for (size_t j = 0; j < world->count; j++)
            is_there |= !strcmp(world->files[j].path, path);
        if (!is_there)
            read_file(assets, path, world);
    }
    strings_release(&beside);
    free(folder);
    free(pattern);
}

static void read_world(struct random *random, const char *root, struct world *world)
{
    struct assets *assets;
    struct error err;
    if (assets_open(&root, 1, &assets, &err) < 0)
        fail(&err);
    read_model(random, assets, world);
    read_beside(random, assets, world);
    assets_close(assets);
    world_add_declarations(random, world);
}

/* -- What is changed, and written -------------------------------------------------------------------------- */

static void change_blob(struct random *random, const char *path, struct blob *blob)
{
    enum change change = random_one_in(random, 3) ? CHANGE_ANYTHING : CHANGE_NUMBERS;
    uint32_t steps = 1 + random_below(random, change == CHANGE_ANYTHING ? 3 : 8);
    printf("%s: %u changes of %s\n", path, steps, change == CHANGE_ANYTHING ? "any kind" : "numbers");
    mutate(random, change, blob, steps);
}

/* Half of the changes go to the model. */
static void change_files(struct random *random, struct world *world)
{
    for (uint32_t left = 1 + random_below(random, 2); left > 0; left--) {
        size_t i = random_one_in(random, 2) ? 0 : random_below(random, world->count);
        change_blob(random, world->files[i].path, &world->files[i].blob);
    }
}

static void write_file(const char *folder, const char *name, struct bytes bytes)
{
    struct error err;
    char *path = path_join(folder, name), *parent = path_folder(path);
    if (file_make_folders(parent, &err) < 0 || file_renew(path, bytes, &err) < 0)
        fail(&err);
    free(path);
    free(parent);
}

/* A quarter as an archive, of which half are changed themselves. Returns what the list calls the assets. */
static const char *write_assets(struct random *random, const char *folder, struct world *world)
{
    if (random_one_in(random, 4)) {
        bool is_changed = random_one_in(random, 2);
        if (!is_changed)
            change_files(random, world);
        struct blob archive = world_archive(world);
        if (is_changed)
            change_blob(random, "assets.pk3", &archive);
        write_file(folder, "assets.pk3", blob_bytes(&archive));
        blob_release(&archive);
        return "assets.pk3";
    }
    change_files(random, world);
    char *assets = path_join(folder, "assets");
    for (size_t i = 0; i < world->count; i++)
        write_file(assets, world->files[i].path, blob_bytes(&world->files[i].blob));
    free(assets);
    return "assets";
}

static void write_list(struct random *random, const char *folder, const struct world *world, const char *assets)
{
    struct buffer text = {0};
    world_write_list(random, world, assets, &text);
    struct blob list = {(uint8_t *)text.text, text.length};
    if (random_one_in(random, 8))
        change_blob(random, "list.yaml", &list);
    write_file(folder, "list.yaml", blob_bytes(&list));
    blob_release(&list);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: world NUMBER FOLDER ASSETS...\n", stderr);
        return 2;
    }
    struct random random = {strtoull(argv[1], NULL, 10)};
    struct world world = {0};
    read_world(&random, argv[3 + random_below(&random, (size_t)argc - 3)], &world);
    const char *assets = write_assets(&random, argv[2], &world);
    write_list(&random, argv[2], &world, assets);
    world_release(&world);
    return 0;
}
