#include "base/missing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

enum { NAMES_SHOWN = 20 };

int missing_fail(const char *what, const char *wanted, const char *nearest, const char *const *names, size_t count,
                 struct error *err)
{
    struct buffer list = {0};
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (count > NAMES_SHOWN)
        buffer_printf(&list, " and %zu more", count - NAMES_SHOWN);
    error_set(err, "no %s '%s'%s%s%s (it has %s)", what, wanted, nearest ? ", did you mean '" : "",
              nearest ? nearest : "", nearest ? "'?" : "", list.text);
    buffer_release(&list);
    return -1;
}

/* Whether one may be meant by the other, such as .tga by .png. */
static bool is_same_kind(const char *suffix, const char *other)
{
    static const char *const kinds[][8] = {
        {".md2", ".md5mesh"},
        {".png", ".tga", ".jpg", ".jpeg", ".pcx", ".bmp", ".dds"},
        {".pk3", ".pk4", ".zip", ".pak", ""},
        {".yaml", ".yml"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool has = false, has_other = false;
        for (size_t j = 0; j < 8 && kinds[i][j]; j++) {
            has |= !strcasecmp(kinds[i][j], suffix);
            has_other |= !strcasecmp(kinds[i][j], other);
        }
        if (has && has_other)
            return true;
    }
    return false;
}

const char *missing_nearest_file(const struct strings *files, const char *path)
{
    const char *base = path_base(path), *suffix = path_suffix(base), *nearest = NULL;
    char *wanted = must_printf("%.*s", (int)(suffix - base), base);
    struct strings stems = {0};
    for (size_t i = 0; i < files->count; i++) {
        const char *name = path_base(files->items[i]), *end = path_suffix(name);
        bool is_wanted = (size_t)(end - name) == strlen(wanted) && !strncasecmp(name, wanted, strlen(wanted));
        if (!nearest && is_wanted && is_same_kind(suffix, end))
            nearest = files->items[i];
        strings_printf(&stems, "%.*s", strcasecmp(end, suffix) ? 0 : (int)(end - name), name);
    }
    const char *near = strings_nearest(wanted, (const char *const *)stems.items, stems.count);
    for (size_t i = 0; near && *near && i < stems.count; i++)
        if (stems.items[i] == near)
            nearest = files->items[i];
    strings_release(&stems);
    free(wanted);
    return nearest;
}

int missing_path_fail(const char *path, struct error *err)
{
    int number = errno;
    char *folder = path_folder(path);
    struct strings files = {0};
    DIR *directory = number == ENOENT ? opendir(folder) : NULL;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            strings_add(&files, entry->d_name);
    if (directory)
        closedir(directory);
    strings_sort(&files);
    const char *nearest = missing_nearest_file(&files, path);
    char *meant = nearest ? path_join(folder, nearest) : NULL;
    error_set(err, "%s%s%s%s", strerror(number), meant ? ", did you mean '" : "", meant ? meant : "",
              meant ? "'?" : "");
    free(meant);
    strings_release(&files);
    free(folder);
    return -1;
}
