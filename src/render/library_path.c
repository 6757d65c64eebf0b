#include "render/library_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum { CACHE_LIMIT = 16 * 1024 * 1024 }; /* a full desktop's has 200 KB */

static char *accept_path(char *path, struct elf_file *elf, bool *is_known)
{
    struct error ignored;
    if (elf_file_read(path, elf, &ignored) == 0)
        return path;
    if (errno && errno != ENOENT && errno != ENOTDIR &&
        errno != EACCES) /* as for the linker, those are not there */
        *is_known = false;
    free(path);
    return NULL;
}

/* In folders that are separated by one of `separators`; an empty one is the current folder. */
static char *find_in(const char *folders, const char *separators, const char *name, struct elf_file *elf,
                     bool *is_known)
{
    char *found = NULL;
    while (folders && !found) {
        int length = (int)strcspn(folders, separators);
        found = accept_path(must_printf("%.*s%s%s", length, folders, length ? "/" : "", name), elf, is_known);
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    return found;
}

/* -- The cache --------------------------------------------------------------------------------------------- */

/* The file, in the byte order of the machine: where there is an older table it comes first, and ours is found by
 * its mark. Then
 *
 *     20 bytes  "glibc-ld.so.cache1.1"
 *      4        number of entries
 *     24        size of the texts, flags, where extensions are
 *     entries of 24 bytes: flags, place of the name, place of the path, version of the system, hwcap (8 bytes)
 *     texts; places count from the mark */
static const char mark[] = "glibc-ld.so.cache1.1";

enum { HEADER_SIZE = 48, ENTRY_SIZE = 24 };

static uint32_t number_at(struct bytes bytes, size_t offset)
{
    uint32_t number;
    memcpy(&number, bytes.data + offset, sizeof number);
    return number;
}

/* NULL unless the text ends inside the bytes. */
static const char *text_at(struct bytes bytes, size_t offset)
{
    bool is_whole = offset < bytes.size && memchr(bytes.data + offset, '\0', bytes.size - offset);
    return is_whole ? (const char *)bytes.data + offset : NULL;
}

void library_cache_find(struct bytes cache, const char *name, struct strings *out)
{
    const uint8_t *start = cache.size ? memmem(cache.data, cache.size, mark, sizeof mark - 1) : NULL;
    if (!start)
        return;
    struct bytes table = {start, cache.size - (size_t)(start - cache.data)};
    if (table.size < HEADER_SIZE || !bytes_hold(table, HEADER_SIZE, number_at(table, sizeof mark - 1), ENTRY_SIZE))
        return;
    uint32_t count = number_at(table, sizeof mark - 1);
    for (uint32_t i = 0; i < count; i++) {
        size_t entry = HEADER_SIZE + (size_t)i * ENTRY_SIZE;
        const char *key = text_at(table, number_at(table, entry + 4));
        const char *path = text_at(table, number_at(table, entry + 8));
        bool is_plain = number_at(table, entry + 16) == 0 && number_at(table, entry + 20) == 0;
        if (key && path && is_plain && !strcmp(key, name))
            strings_add(out, path);
    }
}

static char *find_in_cache(const char *name, struct elf_file *elf, bool *is_known)
{
    struct blob cache = {0};
    struct strings paths = {0};
    struct error ignored;
    char *found = NULL;
    if (file_read("/etc/ld.so.cache", CACHE_LIMIT, &cache, &ignored) == 0)
        library_cache_find(blob_bytes(&cache), name, &paths);
    else if (access("/etc/ld.so.cache", F_OK) == 0)
        *is_known = false;
    for (size_t i = 0; i < paths.count && !found; i++)
        found = accept_path(must_strdup(paths.items[i]), elf, is_known);
    strings_release(&paths);
    blob_release(&cache);
    return found;
}

char *library_path_find(const char *name, const struct elf_file *needed_by, struct elf_file *elf, bool *is_known)
{
    if (strchr(name, '/'))
        return accept_path(must_strdup(name), elf, is_known);
    const char *folders[] = {needed_by ? needed_by->rpath : NULL, getenv("LD_LIBRARY_PATH"),
                             needed_by ? needed_by->runpath : NULL};
    char *found = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++)
        found = find_in(folders[i], ":;", name, elf, is_known);
    if (!found)
        found = find_in_cache(name, elf, is_known);
    return found ? found : find_in("/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib", ":", name, elf, is_known);
}
