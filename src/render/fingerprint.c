#include "render/fingerprint.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "render/cpu.h"
#include "render/identity.h"

/* -- Back ends --------------------------------------------------------------------------------------------- */

static bool identify_osmesa(struct identity *identity)
{
    return identity_add_library(identity, "libOSMesa.so.8") || identity_add_library(identity, "libOSMesa.so.6") ||
           identity_add_library(identity, "libOSMesa.so");
}

static bool identify_egl(struct identity *identity)
{
    if (!identity_add_library(identity, "libEGL.so.1"))
        return false;
    identity_add_egl(identity);
    return true;
}

static bool (*const identify[BACKEND_COUNT])(struct identity *identity) = {
    [BACKEND_OSMESA] = identify_osmesa,
    [BACKEND_EGL] = identify_egl,
};

/* As a JSON gives it back, names that are not UTF-8 included. Text that is too long is replaced by its hash. */
static void join(const struct strings *parts, char *out, size_t size)
{
    struct buffer text = {0};
    for (size_t i = 0; i < parts->count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", parts->items[i]);
    buffer_add(&text, "", 0);
    utf8_mask(text.text);
    if (text.length < size)
        snprintf(out, size, "%s", text.text);
    else
        hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, out);
    buffer_release(&text);
}

/* False where there is none. What could not be read is there, and not known. */
static bool take_library(enum backend_choice choice, char *out, size_t size)
{
    struct identity identity;
    identity_init(&identity);
    bool is_there = identify[choice](&identity);
    if (is_there && identity.is_known)
        join(&identity.parts, out, size);
    identity_release(&identity);
    return is_there || !identity.is_known;
}

static void take_program(char *out, size_t size)
{
    struct identity identity;
    identity_init(&identity);
    identity_add_program(&identity);
    if (identity.is_known)
        join(&identity.parts, out, size);
    identity_release(&identity);
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
 * The last two say which instructions mathematics and JPEG use. */
static bool is_heard(const char *variable)
{
    static const char *const heard[] = {
        "LP_",  "GALLIVM_", "GALLIUM_", "LIBGL_",   "MESA_",          "DRAW_",  "ST_DEBUG",
        "NIR_", "EGL_",     "__EGL_",   "SOFTPIPE", "GLIBC_TUNABLES", "JSIMD_",
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
        "DRI_",  "ZINK_",  "DRIRC_",  "VK_",    "__GL_",  "RADEON",   "RADV_", "AMD_", "INTEL_",
        "IRIS_", "ANV_",   "NOUVEAU", "NVK_",   "R600_",  "R300_",    "PAN_",  "V3D_", "FD_",
        "TU_",   "D3D12_", "ASAHI_",  "force_", "allow_", "disable_", "glsl_", "glx_", "CUDA_VISIBLE_DEVICES",
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

/* What is not cannot be told again as it was, once it has been in a JSON. */
static bool is_utf8(const char *text)
{
    char *masked = must_strdup(text);
    utf8_mask(masked);
    bool is_same = !strcmp(text, masked);
    free(masked);
    return is_same;
}

static void take_backend(enum backend_choice choice, char *out, size_t size)
{
    struct strings variables = {0}, parts = {0};
    for (char **variable = environ; variable && *variable; variable++) {
        if (is_heard(*variable) && is_utf8(*variable))
            strings_add(&variables, *variable);
        else if (is_heard(*variable))
            add_hidden(&variables, *variable);
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

void fingerprint_take_renderer(enum backend_choice choice, struct fingerprint *out)
{
    out->library[0] = '\0';
    enum backend_choice first = choice == BACKEND_AUTO ? BACKEND_AUTO + 1 : choice;
    enum backend_choice last = choice == BACKEND_AUTO ? BACKEND_COUNT - 1 : choice;
    for (choice = first; !take_library(choice, out->library, sizeof out->library) && choice < last;)
        choice++;
    take_backend(choice, out->backend, sizeof out->backend);
}

void fingerprint_take(enum backend_choice choice, struct fingerprint *out)
{
    *out = (struct fingerprint){.library = ""};
    cpu_describe(out->cpu, sizeof out->cpu);
    take_program(out->program, sizeof out->program);
    fingerprint_take_renderer(choice, out);
}
