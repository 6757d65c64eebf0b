#include "depends.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

enum { MOST_BYTES = 1 << 20 };

static struct timespec time_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? info.st_mtim : (struct timespec){0};
}

static void add(struct depends *depends, const char *path)
{
    depends->items = must_grow(depends->items, depends->count, &depends->capacity, sizeof *depends->items);
    depends->items[depends->count++] = (struct dependency){must_strdup(path), time_of(path)};
}

/* The first rule; no name in a world needs to be written otherwise than it is. */
static void add_rule(struct depends *depends, char *text)
{
    char *rest = strchr(text, ':');
    if (!rest)
        return;
    char *end = strchr(rest, '\n');
    while (end && end[-1] == '\\')
        end = strchr(end + 1, '\n');
    if (end)
        *end = '\0';
    rest++;
    for (char *word; (word = strtok_r(rest, " \\\n", &rest));)
        add(depends, word);
}

void depends_take(const char *depfile, struct depends *out)
{
    struct blob blob;
    struct error err;
    *out = (struct depends){0};
    if (file_read(depfile, MOST_BYTES, &blob, &err) < 0)
        return;
    char *text = must_printf("%.*s", (int)blob.size, (const char *)blob.data);
    add_rule(out, text);
    free(text);
    blob_release(&blob);
}

bool depends_have_changed(const struct depends *depends)
{
    for (size_t i = 0; i < depends->count; i++) {
        struct timespec now = time_of(depends->items[i].path), then = depends->items[i].changed;
        if (now.tv_sec != then.tv_sec || now.tv_nsec != then.tv_nsec)
            return true;
    }
    return false;
}

void depends_release(struct depends *depends)
{
    for (size_t i = 0; i < depends->count; i++)
        free(depends->items[i].path);
    free(depends->items);
    *depends = (struct depends){0};
}
