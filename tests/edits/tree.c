#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "../fuzz/whole/world.h"

void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("edits: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

struct blob blob_copy(struct bytes bytes)
{
    struct blob blob = {must_alloc(bytes.size + 1, 1), bytes.size};
    memcpy(blob.data, bytes.data, bytes.size);
    return blob;
}

/* -- On disk ----------------------------------------------------------------------------------------------- */

static void set_time(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

static void write_over(const char *path, struct bytes bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file))
        fail("%s: %s", path, strerror(errno));
}

static void write_file(const struct tree *tree, const char *path, struct bytes bytes)
{
    struct error err;
    char *folder = path_folder(path);
    if (file_make_folders(folder, &err) < 0)
        fail("%s", err.text);
    if (tree->is_in_place)
        write_over(path, bytes);
    else if (file_renew(path, bytes, &err) < 0)
        fail("%s", err.text);
    if (tree->is_timeless)
        set_time(path);
    free(folder);
}

void write_text(const char *path, const char *text)
{
    struct bytes bytes = {(const uint8_t *)text, strlen(text)};
    if (!file_has(path, bytes))
        write_file(&(struct tree){0}, path, bytes);
}

/* -- Archives ---------------------------------------------------------------------------------------------- */

/* The length of the archive's name at the start of the path, or 0. */
static size_t archive_of(const char *path)
{
    size_t length = strcspn(path, "/");
    return length > 4 && !strncmp(path + length - 4, ".pk3", 4) ? length : 0;
}

static size_t count_members(const struct tree *tree, const char *path, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++)
        count += !strncmp(tree->files[i].path, path, length + 1);
    return count;
}

static void borrow(struct world *members, const char *path, struct blob blob)
{
    members->files[members->count++] = (struct world_file){(char *)path, blob};
}

static void write_archive(const struct tree *tree, const char *path, size_t length)
{
    struct world members = {0};
    for (size_t i = 0; i < tree->count; i++)
        if (!strncmp(tree->files[i].path, path, length + 1))
            borrow(&members, tree->files[i].path + length + 1, tree->files[i].blob);
    struct blob archive = world_archive(&members);
    char *name = must_printf("%.*s", (int)length, path);
    write_file(tree, name, blob_bytes(&archive));
    free(name);
    blob_release(&archive);
}

/* -- The tree ---------------------------------------------------------------------------------------------- */

int tree_find(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++)
        if (!strcmp(tree->files[i].path, path))
            return (int)i;
    return -1;
}

size_t tree_pick(const struct tree *tree, struct random *random)
{
    return random_below(random, tree->count);
}

/* Whether one path is a parent folder of the other. */
static bool is_within(const char *a, const char *b)
{
    size_t length = strlen(a);
    return !strncmp(a, b, length) && b[length] == '/';
}

static bool has_place(const struct tree *tree, const char *path, enum tree_kind kind)
{
    size_t archive = archive_of(path);
    if (archive && (kind != TREE_FILE || count_members(tree, path, archive) >= WORLD_MOST_FILES))
        return false;
    for (size_t i = 0; i < tree->count; i++)
        if (is_within(tree->files[i].path, path) || is_within(path, tree->files[i].path))
            return false;
    return true;
}

static void remove_from_disk(const struct tree_file *file)
{
    if (file->kind == TREE_FOLDER ? rmdir(file->path) : unlink(file->path))
        fail("%s: %s", file->path, strerror(errno));
}

void tree_remove(struct tree *tree, size_t number)
{
    struct tree_file file = tree->files[number];
    tree->count--;
    for (size_t i = number; i < tree->count; i++)
        tree->files[i] = tree->files[i + 1];
    size_t archive = archive_of(file.path);
    if (archive)
        write_archive(tree, file.path, archive);
    else
        remove_from_disk(&file);
    free(file.path);
    blob_release(&file.blob);
}

static bool add(struct tree *tree, const char *path, enum tree_kind kind, struct blob blob)
{
    int old = tree_find(tree, path);
    if (!has_place(tree, path, kind)) {
        blob_release(&blob);
        return false;
    }
    if (old >= 0 && (kind != TREE_FILE || tree->files[old].kind != TREE_FILE)) {
        tree_remove(tree, (size_t)old);
        old = -1;
    }
    if (old < 0) {
        tree->files = must_grow(tree->files, tree->count, &tree->capacity, sizeof *tree->files);
        old = (int)tree->count++;
        tree->files[old] = (struct tree_file){.path = must_strdup(path), .kind = kind};
    }
    blob_release(&tree->files[old].blob);
    tree->files[old].blob = blob;
    return true;
}

bool tree_put(struct tree *tree, const char *path, struct blob blob)
{
    if (!add(tree, path, TREE_FILE, blob))
        return false;
    size_t archive = archive_of(path);
    if (archive)
        write_archive(tree, path, archive);
    else
        write_file(tree, path, blob_bytes(&blob));
    return true;
}

bool tree_put_kind(struct tree *tree, const char *path, enum tree_kind kind)
{
    struct error err;
    if (!add(tree, path, kind, (struct blob){0}))
        return false;
    char *folder = path_folder(path);
    if (file_make_folders(folder, &err) < 0)
        fail("%s", err.text);
    if (kind == TREE_FOLDER ? mkdir(path, 0777) : symlink("../../elsewhere.tga", path))
        fail("%s: %s", path, strerror(errno));
    free(folder);
    return true;
}

void tree_release(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->files[i].path);
        blob_release(&tree->files[i].blob);
    }
    free(tree->files);
}
