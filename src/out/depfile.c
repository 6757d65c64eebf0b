#include "out/depfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"

static void add_name(struct buffer *text, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (strchr(" #:", *c))
            buffer_add(text, "\\", 1);
        else if (*c == '$')
            buffer_add(text, "$", 1);
        buffer_add(text, c, 1);
    }
}

static bool can_tell(const char *path)
{
    size_t length = strlen(path);
    if (length && path[length - 1] == ')' && strchr(path, '(')) /* to make, a member of an archive */
        return false;
    return !strpbrk(path, "\t\r\n\\*?&|;'\"<>^`");
}

/* "a: b=c" would set a variable where a file comes first. */
static void add_paths(struct buffer *text, const struct strings *paths, bool with_equals)
{
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        if (!can_tell(path) || !strchr(path, '=') == with_equals)
            continue;
        buffer_printf(text, " \\\n  ");
        add_name(text, path);
    }
}

/* As a target "a=b" would set a variable, and "a%b" be a pattern, to which a ':' gives another meaning again. */
bool depfile_can_be_target(const char *path)
{
    return can_tell(path) && !strpbrk(path, "=%");
}

char *depfile_text(const char *target, const struct strings *paths)
{
    struct buffer text = {0};
    add_name(&text, target);
    buffer_add(&text, ":", 1);
    add_paths(&text, paths, false);
    add_paths(&text, paths, true);
    buffer_add(&text, "\n", 1);
    for (size_t i = 0; i < paths->count; i++) {
        if (!depfile_can_be_target(paths->items[i]))
            continue;
        buffer_add(&text, "\n", 1);
        add_name(&text, paths->items[i]);
        buffer_add(&text, ":\n", 2);
    }
    return text.text;
}

static int make_folder(const char *path, struct error *err)
{
    char *folder = path_folder(path);
    int result = file_make_folders(folder, err);
    free(folder);
    return result;
}

int depfile_can_write(const char *path, struct error *err)
{
    return make_folder(path, err) < 0 ? -1 : file_can_renew(path, err);
}

int depfile_write(const char *path, const char *text, struct error *err)
{
    struct bytes bytes = {(const uint8_t *)text, strlen(text)};
    if (file_has(path, bytes))
        return 0;
    return make_folder(path, err) < 0 ? -1 : file_renew(path, bytes, err);
}
