#include "steps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "content.h"
#include "page/metadata.h"

/* -- A world ----------------------------------------------------------------------------------------------- */

static const char *root_of(struct world_now *world)
{
    static const char *const roots[] = {"base", "base", "base", "base", NULL, NULL, "pak0.pk3", "pak1.pk3"};
    const char *root = PICK(&world->random, roots);
    return root ? root : world->mods;
}

/* A path below a root: one that the last full run asked for, or a new one. The caller frees it. */
static char *pick_path_below(struct world_now *world)
{
    if (!world->asked->count || random_one_in(&world->random, 2))
        return content_path(&world->random);
    return must_strdup(world->asked->items[random_below(&world->random, world->asked->count)]);
}

/* The same with a root. The caller frees it. */
static char *pick_path(struct world_now *world)
{
    const char *root = root_of(world);
    char *path = pick_path_below(world);
    if (random_one_in(&world->random, 5))
        content_change_case(&world->random, path);
    char *whole = path_join(root, path);
    free(path);
    return whole;
}

static void put_new(struct world_now *world, const char *path)
{
    tree_put(&world->tree, path, content_make(&world->random, path));
}

/* The files that jobs name. */
static const char *const needed[] = {
    "base/models/die.md2",     "base/models/held.md2",    "base/models/extra.md2",   "base/models/arm.md5mesh",
    "base/models/imp.md5mesh", "base/anims/bend.md5anim", "base/anims/wave.md5anim", "base/models/wave.md5anim",
    "base/models/die.tag",     "base/models/held.tag",    "base/models/extra.tag",   "base/textures/a.tga",
    "base/textures/b.tga",     "base/textures/b[1].tga",  "base/models/own.tga",     "base/def/one.def",
    "base/skins/one.skin",     "base/skins/two.skin"};

enum { NEEDED = sizeof needed / sizeof *needed };

void world_begin(struct world_now *world, uint64_t seed, const struct strings *asked)
{
    static const char *const more[] = {"base/materials/one.mtr", "mods/models/extra.md2",
                                       "pak0.pk3/textures/c.tga", "pak1.pk3/textures/a.png"};
    *world = (struct world_now){.random = {seed}, .asked = asked, .mods = "mods"};
    mkdir("base", 0777);
    mkdir("mods", 0777);
    for (size_t i = 0; i < NEEDED; i++)
        put_new(world, needed[i]);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        put_new(world, more[i]);
    list_init(&world->random, &world->list);
    list_write(&world->list);
}

void world_end(struct world_now *world)
{
    tree_release(&world->tree);
}

/* -- Assets ------------------------------------------------------------------------------------------------ */

/* Steps for files get the number of a file. Links and empty folders are only replaced or removed. */

static void add_file(struct world_now *world, size_t file, struct buffer *said)
{
    (void)file;
    char *path = pick_path(world);
    buffer_printf(said, "%s", path);
    put_new(world, path);
    free(path);
}

static void change_file(struct world_now *world, size_t file, struct buffer *said)
{
    char *path = must_strdup(world->tree.files[file].path);
    buffer_printf(said, "%s", path);
    put_new(world, path);
    free(path);
}

/* Changes some bytes, or cuts the end off. */
static void damage_file(struct world_now *world, size_t file, struct buffer *said)
{
    char *path = must_strdup(world->tree.files[file].path);
    struct blob blob = blob_copy(blob_bytes(&world->tree.files[file].blob));
    buffer_printf(said, "%s", path);
    if (random_one_in(&world->random, 3))
        blob.size = random_below(&world->random, blob.size);
    else
        mutate(&world->random, CHANGE_NUMBERS, &blob, 1);
    tree_put(&world->tree, path, blob);
    free(path);
}

static void remove_file(struct world_now *world, size_t file, struct buffer *said)
{
    buffer_printf(said, "%s", world->tree.files[file].path);
    tree_remove(&world->tree, file);
}

/* Moves or copies to another root, or to another name of its kind. */
static void move_file(struct world_now *world, size_t file, struct buffer *said)
{
    char *from = must_strdup(world->tree.files[file].path);
    struct blob blob = blob_copy(blob_bytes(&world->tree.files[file].blob));
    char *to =
        random_one_in(&world->random, 2) ? path_join(root_of(world), strchr(from, '/') + 1) : pick_path(world);
    buffer_printf(said, "%s to %s", from, to);
    bool is_kept = random_one_in(&world->random, 3); /* a copy */
    if (!is_kept)
        tree_remove(&world->tree, file);
    if (!tree_put(&world->tree, to, blob) && !is_kept)
        buffer_printf(said, " (lost)");
    free(from);
    free(to);
}

static void swap_files(struct world_now *world, size_t file, struct buffer *said)
{
    size_t other = tree_pick(&world->tree, &world->random);
    if (world->tree.files[other].kind != TREE_FILE)
        return;
    char *a = must_strdup(world->tree.files[file].path), *b = must_strdup(world->tree.files[other].path);
    struct blob blob = blob_copy(blob_bytes(&world->tree.files[file].blob));
    buffer_printf(said, "%s and %s", a, b);
    tree_put(&world->tree, a, blob_copy(blob_bytes(&world->tree.files[other].blob)));
    tree_put(&world->tree, b, blob);
    free(a);
    free(b);
}

static void replace_by_other(struct world_now *world, size_t file, struct buffer *said)
{
    char *path = must_strdup(world->tree.files[file].path);
    buffer_printf(said, "%s", path);
    tree_put_kind(&world->tree, path, random_one_in(&world->random, 2) ? TREE_FOLDER : TREE_LINK);
    free(path);
}

static void comment_file(struct world_now *world, size_t file, struct buffer *said)
{
    struct tree_file *commented = &world->tree.files[file];
    char *path = must_strdup(commented->path), *text;
    buffer_printf(said, "%s", path);
    text = must_printf("%.*s// %u\n", (int)commented->blob.size, (const char *)commented->blob.data,
                       random_below(&world->random, 100));
    static const char *const texts[] = {".mtr", ".skin", ".def", ".anm", ".md5mesh", ".md5anim"};
    bool is_text = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_text |= !strcmp(path_suffix(path), texts[i]);
    if (is_text)
        tree_put(&world->tree, path, (struct blob){(uint8_t *)text, strlen(text)});
    else
        free(text);
    free(path);
}

/* The same bytes, in a file with another number and time. */
static void touch_file(struct world_now *world, size_t file, struct buffer *said)
{
    char *path = must_strdup(world->tree.files[file].path);
    buffer_printf(said, "%s", path);
    tree_put(&world->tree, path, blob_copy(blob_bytes(&world->tree.files[file].blob)));
    free(path);
}

/* -- Others ------------------------------------------------------------------------------------------------ */

static void toggle_name(struct world_now *world)
{
    const char *to = strcmp(world->mods, "mods") ? "mods" : "more";
    size_t length = strlen(to); /* both names are equally long */
    if (rename(world->mods, to))
        fail("cannot rename %s", world->mods);
    for (size_t i = 0; i < world->tree.count; i++)
        if (!strncmp(world->tree.files[i].path, world->mods, length) && world->tree.files[i].path[length] == '/')
            memcpy(world->tree.files[i].path, to, length);
    world->mods = to;
}

static void rename_root(struct world_now *world, struct buffer *said)
{
    buffer_printf(said, "%s", world->mods);
    toggle_name(world);
}

struct list_change {
    const char *name;
    uint32_t share;
    void (*change)(struct random *random, struct list *list);
    bool is_neutral;
};

struct file_change {
    const char *name;
    uint32_t share;
    void (*change)(struct world_now *world, size_t file, struct buffer *said);
    bool is_neutral;
};

static const struct file_change file_changes[] = {
    {"add a file", 14, add_file, false},
    {"change a file", 12, change_file, false},
    {"damage a file", 3, damage_file, false},
    {"remove a file", 8, remove_file, false},
    {"move a file", 8, move_file, false},
    {"swap two files", 4, swap_files, false},
    {"replace a file", 2, replace_by_other, false},
    {"add a comment", 4, comment_file, false},
    {"touch a file", 5, touch_file, true},
};

static const struct list_change list_changes[] = {
    {"change a job", 14, list_change_job, false},
    {"change defaults", 4, list_change_defaults, false},
    {"add a job", 4, list_add_job, false},
    {"remove a job", 3, list_remove_job, false},
    {"rename a job", 4, list_rename_job, false},
    {"change the roots", 3, list_change_roots, false},
    {"change cameras", 3, list_change_included, false},
    {"change comments", 5, list_change_nothing, true},
};

enum {
    FILE_CHANGES = sizeof file_changes / sizeof *file_changes,
    LIST_CHANGES = sizeof list_changes / sizeof *list_changes
};

/* -- Outputs ----------------------------------------------------------------------------------------------- */

static void append_to(const char *path)
{
    FILE *file = fopen(path, "ab");
    if (file)
        fputc('\n', file);
    if (!file || fclose(file))
        fail("cannot write to %s", path);
}

/* Changes that a run notices. It does not notice other bytes of the same size in pictures; `verify` does. */
static void damage_output(struct random *random, const char *path)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return;
    switch (random_below(random, metadata_is_picture(path) ? 3 : 4)) {
    case 0:
        append_to(path);
        break;
    case 1:
        if (truncate(path, random_below(random, (size_t)info.st_size)))
            fail("cannot truncate %s", path);
        break;
    case 2:
        unlink(path);
        break;
    default: {
        struct error err;
        struct blob blob;
        if (file_read(path, 1 << 24, &blob, &err) < 0)
            fail("%s", err.text);
        mutate(random, CHANGE_NUMBERS, &blob, 1);
        file_replace(path, "changed.tmp", blob_bytes(&blob), &err);
        blob_release(&blob);
    }
    }
}

static void change_output(struct world_now *world, const struct snapshot *outputs, struct step *step,
                          struct buffer *said)
{
    step->name = "damage outputs";
    if (random_one_in(&world->random, 12)) {
        buffer_printf(said, "all removed");
        if (system("rm -rf out"))
            fail("cannot remove out");
        return;
    }
    if (outputs->count == 0)
        return;
    step->damaged = must_strdup(outputs->files[random_below(&world->random, outputs->count)].name);
    char *path = path_join("out", step->damaged);
    buffer_printf(said, "%s", path);
    damage_output(&world->random, path);
    free(path);
}

/* -- Choosing ---------------------------------------------------------------------------------------------- */

/* Picks a file, half of the time one that was asked for. False where there is none. */
static bool pick_file(struct world_now *world, size_t *file)
{
    bool is_asked_for = random_one_in(&world->random, 2);
    for (size_t tries = 0; tries < 100; tries++) {
        *file = tree_pick(&world->tree, &world->random);
        if (*file == world->tree.count || world->tree.files[*file].kind != TREE_FILE)
            continue;
        if (!is_asked_for || tries > 50 ||
            strings_has(world->asked, strchr(world->tree.files[*file].path, '/') + 1))
            return true;
    }
    return false;
}

static const struct file_change *pick_file_change(struct random *random)
{
    uint32_t all = 0;
    for (size_t i = 0; i < FILE_CHANGES; i++)
        all += file_changes[i].share;
    uint32_t left = random_below(random, all);
    size_t i = 0;
    while (left >= file_changes[i].share)
        left -= file_changes[i++].share;
    return &file_changes[i];
}

static const struct list_change *pick_list_change(struct random *random)
{
    uint32_t all = 0;
    for (size_t i = 0; i < LIST_CHANGES; i++)
        all += list_changes[i].share;
    uint32_t left = random_below(random, all);
    size_t i = 0;
    while (left >= list_changes[i].share)
        left -= list_changes[i++].share;
    return &list_changes[i];
}

static void change_files(struct world_now *world, struct step *step, struct buffer *said)
{
    const struct file_change *change = pick_file_change(&world->random);
    size_t file;
    step->name = change->name;
    step->is_neutral = change->is_neutral;
    world->tree.is_timeless = random_one_in(&world->random, 2);
    world->tree.is_in_place = random_one_in(&world->random, 3);
    if (!pick_file(world, &file))
        return;
    if (change->change == change_file || change->change == damage_file)
        step->edited = must_strdup(strchr(world->tree.files[file].path, '/') + 1);
    change->change(world, file, said);
}

void world_change_assets(struct world_now *world, struct buffer *said)
{
    struct step step = {0};
    change_files(world, &step, said);
    free(step.edited);
}

static void write_list(struct world_now *world)
{
    struct list list = world->list;
    for (size_t i = 0; i < list.root_count; i++)
        if (list.roots[i] == 1 && !strcmp(world->mods, "more"))
            list.roots[i] = 4;
    list_write(&list);
}

void world_change(struct world_now *world, const struct snapshot *outputs, struct step *step, struct buffer *said)
{
    *step = (struct step){0};
    world->tree.is_timeless = world->tree.is_in_place = false;
    uint32_t kind = random_below(&world->random, 100);
    if (kind < 50) {
        change_files(world, step, said);
    } else if (kind < 88) {
        const struct list_change *change = pick_list_change(&world->random);
        step->name = change->name;
        step->is_neutral = change->is_neutral;
        step->is_of_list = change->change == list_change_job || change->change == list_change_defaults;
        change->change(&world->random, &world->list);
    } else if (kind < 91) {
        step->name = "rename a root";
        step->is_neutral = true;
        rename_root(world, said);
    } else {
        change_output(world, outputs, step, said);
    }
    write_list(world);
}

static void renew(struct world_now *world, size_t file)
{
    char *path = must_strdup(world->tree.files[file].path);
    if (world->tree.files[file].kind == TREE_FILE)
        put_new(world, path);
    free(path);
}

static bool is_there(const struct world_now *world, const char *path)
{
    int file = tree_find(&world->tree, path);
    return file >= 0 && world->tree.files[file].kind == TREE_FILE;
}

/* Whether the path is one of those in another case: then a pattern finds two files for one name. */
static bool is_other_case(const char *path)
{
    for (size_t i = 0; i < NEEDED; i++)
        if (!strcasecmp(strchr(path, '/'), strchr(needed[i], '/')) &&
            strcmp(strchr(path, '/'), strchr(needed[i], '/')))
            return true;
    return false;
}

void world_mend(struct world_now *world, const struct list *list)
{
    world->list = *list;
    for (size_t i = world->tree.count; i-- > 0;)
        if (is_other_case(world->tree.files[i].path))
            tree_remove(&world->tree, i);
    for (size_t i = 0; i < NEEDED; i++)
        if (!is_there(world, needed[i]))
            put_new(world, needed[i]);
    write_list(world);
}

/* Replaces files, because any file may be damaged, or hide another. Pictures get new contents: a missing picture would
 * change little. */
void world_heal(struct world_now *world, const struct strings *failed)
{
    for (size_t i = 0; i < failed->count; i++)
        list_reset_job(&world->list, failed->items[i]);
    for (size_t i = world->tree.count; i-- > 0;)
        if (strstr(world->tree.files[i].path, "textures/"))
            renew(world, i);
        else if (random_one_in(&world->random, 2))
            tree_remove(&world->tree, i);
        else
            renew(world, i);
    struct list list = world->list;
    world_mend(world, &list);
}
