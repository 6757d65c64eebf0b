#include "image/image_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "image/image_format.h"

size_t image_path_stem(const char *name)
{
    const char *suffix = path_suffix(name);
    return image_has_suffix(suffix) ? (size_t)(suffix - name) : strlen(name);
}

const char *image_path_exact(struct assets *assets, const char *path, struct strings *tried)
{
    if (tried && strings_has(tried, path))
        return NULL;
    const char *found = assets_find(assets, path);
    if (!found && tried)
        strings_add(tried, path);
    return found;
}

const char *image_path_ending(struct assets *assets, const char *name, size_t length, const char *ending,
                              struct strings *tried)
{
    const char *found = NULL;
    for (size_t i = 0; !found && image_suffix(i); i++) {
        char *path = must_printf("%.*s%s%s", (int)length, name, ending, image_suffix(i));
        found = image_path_exact(assets, path, tried);
        free(path);
    }
    return found;
}

const char *image_path_alone(struct assets *assets, const char *folder, struct strings *tried)
{
    struct strings pictures = {0};
    const char *found = NULL;
    size_t count = 0;
    char *only = glob_of(folder);
    for (size_t i = 0; image_suffix(i); i++) {
        char *pattern = must_printf("%s/*%s", only, image_suffix(i));
        struct error ignored;
        assets_glob(assets, pattern, &pictures, &ignored);
        free(pattern);
    }
    for (size_t i = 0; i < pictures.count; i++) {
        if (glob_matches("**-thumb.*", pictures.items[i], true))
            continue;
        found = pictures.items[i];
        count++;
    }
    found = count == 1 ? assets_find(assets, found) : NULL;
    if (!found)
        strings_printf(tried, "%s/*", folder);
    strings_release(&pictures);
    free(only);
    return found;
}

const char *image_path_find(struct assets *assets, const char *name, struct strings *tried)
{
    if (assets_is_embedded(assets, name))
        return image_path_exact(assets, name, tried);
    size_t length = image_path_stem(name);
    const char *found = name[length] ? image_path_exact(assets, name, tried) : NULL;
    return found ? found : image_path_ending(assets, name, length, "", tried);
}
