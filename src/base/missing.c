#include "base/missing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

enum { NAMES_SHOWN = 8 };

char *missing_list_named(const void *items, size_t count, size_t size)
{
    struct buffer list = {0};
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", named_at(items, i, size));
    if (count > NAMES_SHOWN)
        buffer_printf(&list, " and %zu more", count - NAMES_SHOWN);
    return list.text ? list.text : must_strdup("none");
}

int missing_fail_named(const char *what, const char *wanted, const char *nearest, const void *items, size_t count,
                       size_t size, struct error *err)
{
    SCOPED char *list = missing_list_named(items, count, size);
    nearest = nearest && strcmp(nearest, wanted) ? nearest : NULL;
    return error_set(err, "no %s '%s'%s%s%s (it has %s)", what, wanted, nearest ? ", did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "", list);
}

int missing_news(const char *message, const char *before)
{
    const char *names = strstr(message, " (it has "), *told = before ? strstr(before, " (it has ") : NULL;
    return (int)(names && told && !strcmp(names, told) ? (size_t)(names - message) : strlen(message));
}

const char *missing_nearest_file(const struct strings *files, const char *path, missing_kind *has_kind)
{
    const char *base = path_base(path), *suffix = path_suffix(base), *nearest = NULL;
    SCOPED char *wanted = must_printf("%.*s", (int)(suffix - base), base);
    const bool is_of_kind = has_kind && has_kind(suffix);
    SCOPED_BY(strings_release) struct strings stems = {0};
    size_t most_alike = 0; /* ".glb" has three letters of ".gltf" */
    for (size_t i = 0; i < files->count; i++) {
        const char *name = path_base(files->items[i]), *end = path_suffix(name);
        bool is_wanted = (size_t)(end - name) == strlen(wanted) && !strncasecmp(name, wanted, strlen(wanted));
        size_t alike = 0;
        while (suffix[alike] && ascii_lower(suffix[alike]) == ascii_lower(end[alike]))
            alike++;
        if (alike > most_alike && is_wanted && is_of_kind && has_kind(end)) {
            nearest = files->items[i];
            most_alike = alike;
        }
        strings_printf(&stems, "%.*s", strcasecmp(end, suffix) ? 0 : (int)(end - name), name);
    }
    const char *near = strings_nearest(wanted, stems.items, stems.count);
    for (size_t i = 0; near && *near && i < stems.count; i++)
        if (stems.items[i] == near)
            nearest = files->items[i];
    return nearest;
}

int missing_path_fail(const char *path, missing_kind *has_kind, struct error *err)
{
    int number = errno;
    SCOPED char *folder = path_folder(path);
    SCOPED_BY(strings_release) struct strings files = {0};
    SCOPED_BY(folder_close) DIR *directory = number == ENOENT ? opendir(folder) : NULL;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            strings_add(&files, entry->d_name);
    strings_sort(&files);
    const char *nearest = missing_nearest_file(&files, path, has_kind);
    SCOPED char *meant = nearest ? path_join(folder, nearest) : NULL;
    return error_set(err, "%s%s%s%s", strerror(number), meant ? ", did you mean '" : "", meant ? meant : "",
                     meant ? "'?" : "");
}
