#include "cli/model_args.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* Where the component "models" starts in the path, or NULL. */
static const char *find_models_folder(const char *path)
{
    static const char wanted[] = "models/";
    for (const char *part = path; part; part = strchr(part, '/')) {
        if (*part == '/')
            part++;
        if (!strncasecmp(part, wanted, sizeof wanted - 1))
            return part;
    }
    return NULL;
}

/* Splits a real path into the root to mount and the path below it. Both are the caller's. */
static void guess_root(const char *file, char **root, char **path)
{
    const char *models = find_models_folder(file);
    if (!models) {
        *root = path_folder(file);
        *path = must_strdup(path_base(file));
        return;
    }
    *root = models == file ? must_strdup(".") : must_printf("%.*s", (int)(models - file), file);
    *path = must_strdup(models);
}

int model_place_open(const char *file, const struct strings *roots, struct model_place *out, struct error *err)
{
    struct model_place place = {0};
    int result;
    if (roots->count) {
        place.path = must_strdup(file);
        result = assets_open((const char *const *)roots->items, roots->count, &place.assets, err);
    } else {
        char *root;
        if (access(file, R_OK) < 0) {
            /* Before the guess, so that the message names what the user typed. */
            struct blob blob;
            return file_read(file, 0, &blob, err);
        }
        guess_root(file, &root, &place.path);
        result = assets_open((const char *const *)&root, 1, &place.assets, err);
        free(root);
    }
    if (result < 0) {
        free(place.path);
        return -1;
    }
    *out = place;
    return 0;
}

void model_place_release(struct model_place *place)
{
    assets_close(place->assets);
    free(place->path);
    *place = (struct model_place){0};
}
