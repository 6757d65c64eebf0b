#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "render/identity.h"
#include "render/library_path.h"

enum { LIMIT = 1024 * 1024 }; /* of a file of settings; real ones have up to 50 KB */

static void add_matches(const char *pattern, struct strings *out)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        strings_add(out, found.gl_pathv[i]);
    globfree(&found);
}

/* The parts of a list of paths, each with something behind it. */
static void add_list(const char *list, const char *behind, struct strings *out)
{
    for (size_t length; *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (length > 0)
            strings_printf(out, "%.*s%s", (int)length, list, behind);
    }
}

/* -- Vendors ----------------------------------------------------------------------------------------------- */

/* The library that a file of GLVND's names: { "ICD" : { "library_path" : "libEGL_mesa.so.0" } }. The caller's to
 * free. */
static char *vendor_library(const char *path)
{
    struct blob blob;
    struct error ignored;
    if (file_read(path, LIMIT, &blob, &ignored) < 0)
        return NULL;
    char *text = strndup((const char *)blob.data, blob.size), *name = NULL;
    char *at = text ? strstr(text, "\"library_path\"") : NULL;
    at = at ? strchr(at + strlen("\"library_path\""), '"') : NULL;
    if (at)
        name = strndup(at + 1, strcspn(at + 1, "\""));
    free(text);
    blob_release(&blob);
    return name;
}

/* Mesa's driver is no library that others need: it lies in a folder beside them, or in one that a variable names.
 * Those for all devices are one file under many names, in which the one for no device is always there. */
static void add_dri_driver(struct identity *identity, const char *library)
{
    struct elf_file elf;
    struct strings drivers = {0};
    add_list(getenv("LIBGL_DRIVERS_PATH") ? getenv("LIBGL_DRIVERS_PATH") : "", "/swrast_dri.so", &drivers);
    char *path = drivers.count ? NULL : library_path_find(library, NULL, &elf, &identity->is_known);
    if (path) {
        elf_file_release(&elf);
        char *folder = path_folder(path);
        strings_printf(&drivers, "%s/dri/swrast_dri.so", folder);
        free(folder);
    }
    free(path);
    for (size_t i = 0; i < drivers.count && !identity_add_library(identity, drivers.items[i]); i++)
        ;
    strings_release(&drivers);
}

/* Where GLVND looks for them. */
static void list_vendors(struct strings *out)
{
    const char *files = getenv("__EGL_VENDOR_LIBRARY_FILENAMES"), *folders = getenv("__EGL_VENDOR_LIBRARY_DIRS");
    if (files) {
        add_list(files, "", out);
        return;
    }
    struct strings patterns = {0};
    add_list(folders ? folders : "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d", "/*.json", &patterns);
    for (size_t i = 0; i < patterns.count; i++)
        add_matches(patterns.items[i], out);
    strings_release(&patterns);
}

/* Where there are none, libEGL is Mesa's own. */
static void add_vendors(struct identity *identity)
{
    struct strings files = {0};
    list_vendors(&files);
    for (size_t i = 0; i < files.count; i++) {
        char *library = vendor_library(files.items[i]);
        if (library && identity_add_library(identity, library))
            add_dri_driver(identity, library);
        free(library);
    }
    if (!files.count)
        add_dri_driver(identity, "libEGL.so.1");
    strings_release(&files);
}

/* -- Settings ---------------------------------------------------------------------------------------------- */

/* Of Mesa's drivers: those of the system, and the user's. Whichever of them apply, as one hash. */
static void add_settings(struct identity *identity)
{
    struct strings paths = {0};
    struct buffer all = {0};
    char *pattern =
        must_printf("%s/*.conf", getenv("DRIRC_CONFIGDIR") ? getenv("DRIRC_CONFIGDIR") : "/usr/share/drirc.d");
    add_matches(pattern, &paths);
    free(pattern);
    strings_add(&paths, "/etc/drirc");
    strings_printf(&paths, "%s/.drirc", getenv("HOME") ? getenv("HOME") : "");
    for (size_t i = 0; i < paths.count; i++) {
        struct blob blob;
        struct error ignored;
        if (file_read(paths.items[i], LIMIT, &blob, &ignored) < 0)
            continue;
        buffer_add(&all, (const char *)blob.data, blob.size);
        blob_release(&blob);
    }
    if (all.length) {
        char hash[HASH_SIZE];
        hash_bytes((struct bytes){(const uint8_t *)all.text, all.length}, hash);
        strings_printf(&identity->parts, "drirc %s", hash);
    }
    buffer_release(&all);
    strings_release(&paths);
}

/* -- GPUs -------------------------------------------------------------------------------------------------- */

/* The first line of a small file of the kernel's, "" where there is none. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, (int)size, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void add_gpus(struct identity *identity)
{
    struct strings cards = {0};
    char version[128];
    add_matches("/sys/class/drm/renderD*/device", &cards);
    for (size_t i = 0; i < cards.count; i++) {
        char vendor[32], device[32], *path = must_printf("%s/vendor", cards.items[i]);
        read_line(path, vendor, sizeof vendor);
        free(path);
        path = must_printf("%s/device", cards.items[i]);
        read_line(path, device, sizeof device);
        free(path);
        strings_printf(&identity->parts, "GPU %s:%s", vendor, device);
    }
    strings_release(&cards);
    read_line("/proc/driver/nvidia/version", version, sizeof version);
    if (version[0])
        strings_add(&identity->parts, version);
}

void identity_add_egl(struct identity *identity)
{
    add_vendors(identity);
    add_settings(identity);
    add_gpus(identity);
}
