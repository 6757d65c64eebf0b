#include "render/shader_cache.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static const char variable[] = "MESA_SHADER_CACHE_DIR";

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && (!strcmp(value, "1") || !strcasecmp(value, "true") || !strcasecmp(value, "yes") ||
                     !strcasecmp(value, "y"));
}

static bool is_off(void)
{
    return is_set("MESA_SHADER_CACHE_DISABLE") || is_set("MESA_GLSL_CACHE_DISABLE");
}

/* As Mesa decides it: by its own variable, in either spelling; by the one for all caches; or below the user's home as the
 * system knows it, whatever HOME says. */
char *shader_cache_folder(const char *part)
{
    const char *chosen = getenv(variable), *caches = getenv("XDG_CACHE_HOME");
    if (!chosen)
        chosen = getenv("MESA_GLSL_CACHE_DIR");
    if (chosen)
        return must_strdup(chosen);
    char *ours = NULL;
    if (caches && caches[0] == '/') { /* any other is to be ignored */
        ours = path_join(caches, "sheetbake");
    } else {
        const struct passwd *user = getpwuid(getuid());
        ours = user && user->pw_dir ? path_join(user->pw_dir, ".cache/sheetbake") : NULL;
    }
    char *folder = ours && part ? path_join(ours, part) : ours;
    if (folder != ours)
        free(ours);
    return folder;
}

/* Why the folder, or the nearest one above that is there, cannot be written to. */
const char *shader_cache_problem(const char *folder)
{
    if (is_off())
        return "off (MESA_SHADER_CACHE_DISABLE)";
    if (!folder)
        return "none: this user has no home";
    char *at = must_strdup(folder);
    const char *problem = NULL;
    while (!problem && access(at, W_OK | X_OK) < 0) {
        if (errno != ENOENT || !strcmp(at, "/") || !strcmp(at, "."))
            problem = strerror(errno);
        char *above = path_folder(at);
        free(at);
        at = above;
    }
    free(at);
    return problem;
}

char *shader_cache_use(const char *part)
{
    char *folder = is_off() ? NULL : shader_cache_folder(part);
    if (folder) {
        struct error ignored;
        char *above = path_folder(folder);
        bool is_made = file_make_folders(above, &ignored) == 0 && (mkdir(folder, 0700) == 0 || errno == EEXIST);
        free(above);
        if (!is_made || access(folder, W_OK | X_OK) < 0) {
            free(folder);
            folder = NULL;
        }
    }
    if (folder)
        setenv(variable, folder, 1);
    else
        setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    return folder;
}
