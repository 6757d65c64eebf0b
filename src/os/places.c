#include "os/places.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* clang-format off */
static const char *const readable[] = {
    /* Libraries. /nix and /gnu are where those systems have all of theirs. */
    "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib",
    "/usr/local/lib64", "/nix/store", "/gnu/store", "/run/opengl-driver", "/etc/ld.so.cache", "/etc/ld.so.preload",
    /* Settings and lists of drivers. */
    "/etc/drirc", "/etc/glvnd", "/etc/nvidia", "/usr/share/drirc.d", "/usr/share/glvnd", "/usr/share/libdrm",
    "/usr/share/nvidia", "/usr/local/share/drirc.d", "/usr/local/share/glvnd", "/usr/local/nvidia",
    /* Processors and memory: how many, and which. */
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    /* Which GPUs there are. */
    "/sys/bus/pci", "/sys/class/drm", "/sys/dev/char", "/proc/devices", "/proc/modules", "/proc/driver/nvidia",
    "/sys/devices/pci*",
    /* What it has mapped, for the reports of sanitizers. */
    "/proc/self/maps", "/proc/self/cmdline",
};
/* clang-format on */

/* Paths and lists of paths that drivers and the loader of libraries take from the environment. */
static const char *const variables[] = {
    "LD_LIBRARY_PATH",
    "LIBGL_DRIVERS_PATH",
    "GBM_BACKENDS_PATH",
    "DRIRC_CONFIGDIR",
    "__EGL_VENDOR_LIBRARY_DIRS",
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__EGL_EXTERNAL_PLATFORM_CONFIG_DIRS",
    "__EGL_EXTERNAL_PLATFORM_CONFIG_FILENAMES",
};

static const char *const devices[] = {
    "/dev/null",    "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dri",
    "/dev/nvidia*", "/dev/kfd",  "/dev/dxg",    "/dev/mali*",   "/dev/pvr*",
};

static void add_matches(const char *pattern, struct strings *out)
{
    glob_t found;
    if (glob(pattern, GLOB_NOSORT | GLOB_NOCHECK, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        strings_add(out, found.gl_pathv[i]);
    globfree(&found);
}

static void add_list(const char *list, const char *separators, struct strings *out)
{
    for (const char *at = list; *at; at += strspn(at, separators)) {
        size_t length = strcspn(at, separators);
        if (length > 0)
            strings_printf(out, "%.*s", (int)length, at);
        at += length;
    }
}

/* Folders of libraries beyond the usual ones: a line each, in a file or in those that it includes, which is always the
 * one pattern below. */
static void add_library_folders(struct strings *out)
{
    struct strings files = {0};
    strings_add(&files, "/etc/ld.so.conf");
    add_matches("/etc/ld.so.conf.d/*.conf", &files);
    for (size_t i = 0; i < files.count; i++) {
        FILE *file = fopen(files.items[i], "re");
        char line[4096];
        while (file && fgets(line, sizeof line, file))
            if (line[0] == '/')
                add_list(line, " \t\n", out);
        if (file)
            fclose(file);
    }
    strings_release(&files);
}

void places_add_readable(struct strings *out)
{
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        add_matches(readable[i], out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            add_list(value, ":;", out);
    }
    const char *home = getenv("HOME");
    if (home)
        strings_printf(out, "%s/.drirc", home);
    add_library_folders(out);
}

void places_add_devices(struct strings *out)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        add_matches(devices[i], out);
}
