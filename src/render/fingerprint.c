#include "render/fingerprint.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "render/cpu.h"
#include "render/library_path.h"

enum { MOST_LIBRARIES = 32 }; /* that count; a Mesa with its LLVM has six */

struct identity {
    struct strings seen; /* names of libraries */
    struct strings parts;
    bool is_known;
};

/* -- Libraries --------------------------------------------------------------------------------------------- */

/* Those in which pixels are computed, of all that a driver needs. */
static bool counts(const char *name)
{
    static const char *const beginnings[] = {"libLLVM", "libgallium", "libOSMesa", "libEGL", "libnvidia-"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(path_base(name), beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Some systems link without build ids: there the size of the file and when it was made have to do. */
static void add_id(struct identity *identity, const char *name, const char *path, const struct elf_file *elf)
{
    struct stat info;
    if (elf->build_id[0])
        strings_printf(&identity->parts, "%s %s", path_base(name), elf->build_id);
    else if (stat(path, &info) == 0)
        strings_printf(&identity->parts, "%s %jd-%jd", path_base(name), (intmax_t)info.st_size,
                       (intmax_t)info.st_mtime);
}

/* The library and those it needs. False where it is not there. */
static bool add_library(struct identity *identity, const char *name)
{
    struct elf_file elf;
    if (strings_has(&identity->seen, name) || identity->seen.count == MOST_LIBRARIES)
        return true;
    char *path = library_path_find(name, &elf);
    if (!path)
        return false;
    strings_add(&identity->seen, name);
    add_id(identity, name, path, &elf);
    for (size_t i = 0; i < elf.needed.count; i++)
        if (counts(elf.needed.items[i]) && !add_library(identity, elf.needed.items[i]))
            identity->is_known = false;
    elf_file_release(&elf);
    free(path);
    return true;
}

/* -- EGL --------------------------------------------------------------------------------------------------- */

/* The library that a file of GLVND's names: { "ICD" : { "library_path" : "libEGL_mesa.so.0" } }. The caller's to
 * free. */
static char *vendor_library(const char *path)
{
    struct blob blob;
    struct error ignored;
    enum { LIMIT = 64 * 1024 };
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

/* Mesa's driver is no library that others need: it lies in a folder beside them. Those for all devices are one
 * file under many names, in which the one for no device is always there. */
static void add_dri_driver(struct identity *identity, const char *library)
{
    struct elf_file elf;
    char *path = library_path_find(library, &elf);
    if (!path)
        return;
    elf_file_release(&elf);
    char *folder = path_folder(path), *driver = must_printf("%s/dri/swrast_dri.so", folder);
    add_library(identity, driver);
    free(driver);
    free(folder);
    free(path);
}

static void add_vendors(struct identity *identity)
{
    glob_t files = {0};
    glob("/etc/glvnd/egl_vendor.d/*.json", 0, NULL, &files);
    glob("/usr/share/glvnd/egl_vendor.d/*.json", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *library = vendor_library(files.gl_pathv[i]);
        if (library && add_library(identity, library))
            add_dri_driver(identity, library);
        free(library);
    }
    globfree(&files);
}

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
    glob_t cards = {0};
    char version[128];
    glob("/sys/class/drm/renderD*/device", 0, NULL, &cards);
    for (size_t i = 0; i < cards.gl_pathc; i++) {
        char vendor[32], device[32], *path = must_printf("%s/vendor", cards.gl_pathv[i]);
        read_line(path, vendor, sizeof vendor);
        free(path);
        path = must_printf("%s/device", cards.gl_pathv[i]);
        read_line(path, device, sizeof device);
        free(path);
        strings_printf(&identity->parts, "GPU %s:%s", vendor, device);
    }
    globfree(&cards);
    read_line("/proc/driver/nvidia/version", version, sizeof version);
    if (version[0])
        strings_add(&identity->parts, version);
}

/* -- Back ends --------------------------------------------------------------------------------------------- */

static bool identify_osmesa(struct identity *identity)
{
    return add_library(identity, "libOSMesa.so.8") || add_library(identity, "libOSMesa.so.6") ||
           add_library(identity, "libOSMesa.so");
}

static bool identify_egl(struct identity *identity)
{
    if (!add_library(identity, "libEGL.so.1"))
        return false;
    add_vendors(identity);
    add_gpus(identity);
    return true;
}

static bool (*const identify[BACKEND_COUNT])(struct identity *identity) = {
    [BACKEND_OSMESA] = identify_osmesa,
    [BACKEND_EGL] = identify_egl,
};

/* Text that is too long is replaced by its hash. */
static void join(const struct strings *parts, char *out, size_t size)
{
    struct buffer text = {0};
    for (size_t i = 0; i < parts->count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", parts->items[i]);
    if (text.length < size)
        snprintf(out, size, "%s", text.length ? text.text : "");
    else
        hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, out);
    buffer_release(&text);
}

static bool take_library(enum backend_choice choice, char *out, size_t size)
{
    struct identity identity = {.is_known = true};
    bool is_there = identify[choice](&identity);
    if (is_there && identity.is_known)
        join(&identity.parts, out, size);
    strings_release(&identity.seen);
    strings_release(&identity.parts);
    return is_there;
}

/* -- Variables --------------------------------------------------------------------------------------------- */

static bool begins(const char *variable, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Drivers have many, and new ones with each release: so all of theirs count but those known to change no picture.
 */
static bool is_heard(const char *variable)
{
    static const char *const heard[] = {
        "LP_",      "GALLIVM_", "GALLIUM_", "LIBGL_", "MESA_",    "DRAW_",
        "ST_DEBUG", "NIR_",     "EGL_",     "__EGL_", "SOFTPIPE",
    };
    static const char *const harmless[] = {
        "LP_NUM_THREADS", "EGL_LOG_LEVEL",     "LIBGL_DEBUG",      "MESA_DEBUG",
        "MESA_LOG",       "MESA_SHADER_CACHE", "MESA_GLSL_CACHE",  "MESA_DISK_CACHE",
        "MESA_VERBOSE",   "GALLIUM_HUD",       "GALLIUM_DUMP_CPU", "GALLIUM_PRINT_OPTIONS",
    };
    return begins(variable, heard, sizeof heard / sizeof *heard) &&
           !begins(variable, harmless, sizeof harmless / sizeof *harmless);
}

/* By drivers of graphics cards. */
static bool is_heard_by_cards(const char *variable)
{
    static const char *const heard[] = {
        "DRI_",     "ZINK_",
        "VK_",      "__GL_",
        "RADEON",   "RADV_",
        "AMD_",     "INTEL_",
        "IRIS_",    "ANV_",
        "NOUVEAU",  "NVK_",
        "R600_",    "R300_",
        "PAN_",     "V3D_",
        "FD_",      "TU_",
        "D3D12_",   "ASAHI_",
        "force_",   "allow_",
        "disable_", "glsl_",
        "glx_",     "CUDA_VISIBLE_DEVICES",
    };
    return begins(variable, heard, sizeof heard / sizeof *heard);
}

/* The value as a hash: others have variables that begin like these, and pages are published (VK_TOKEN). */
static void add_hidden(struct strings *parts, const char *variable)
{
    char hash[HASH_SIZE];
    const char *value = variable + strcspn(variable, "=");
    hash_bytes((struct bytes){(const uint8_t *)value, strlen(value)}, hash);
    strings_printf(parts, "%.*s=#%.8s", (int)(value - variable), variable, hash);
}

static void take_backend(enum backend_choice choice, char *out, size_t size)
{
    struct strings variables = {0}, parts = {0};
    for (char **variable = environ; variable && *variable; variable++) {
        if (is_heard(*variable))
            strings_add(&variables, *variable);
        else if (choice != BACKEND_OSMESA && is_heard_by_cards(*variable))
            add_hidden(&variables, *variable);
    }
    strings_sort(&variables);
    strings_add(&parts, backend_names[choice]);
    for (size_t i = 0; i < variables.count; i++)
        strings_add(&parts, variables.items[i]);
    join(&parts, out, size);
    strings_release(&variables);
    strings_release(&parts);
}

void fingerprint_take(enum backend_choice choice, struct fingerprint *out)
{
    *out = (struct fingerprint){.library = ""};
    cpu_describe(out->cpu, sizeof out->cpu);
    enum backend_choice first = choice == BACKEND_AUTO ? BACKEND_AUTO + 1 : choice;
    enum backend_choice last = choice == BACKEND_AUTO ? BACKEND_COUNT - 1 : choice;
    for (choice = first; !take_library(choice, out->library, sizeof out->library) && choice < last;)
        choice++;
    take_backend(choice, out->backend, sizeof out->backend);
}
