#include "render/identity.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "os/child.h"
#include "render/context.h"
#include "render/probe.h"
#include "render/shader_cache.h"

static bool begins(const char *text, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

#define BEGINS(text, list) begins(text, list, sizeof(list) / sizeof *(list))

/* Joins the parts, as a JSON gives them back. A text that is too long is replaced by its hash. */
static void join(struct strings *parts, const char *between, char *out, size_t size)
{
    struct buffer text = {0};
    for (size_t i = 0; i < parts->count; i++)
        buffer_printf(&text, "%s%s", i ? between : "", parts->items[i]);
    buffer_add(&text, "", 0);
    utf8_mask(text.text);
    if (text.length < size)
        snprintf(out, size, "%s", text.text);
    else
        hash_bytes((struct bytes){(const uint8_t *)text.text, text.length}, out);
    buffer_release(&text);
    strings_release(parts);
}

/* -- Libraries --------------------------------------------------------------------------------------------- */

/* Stands for the libraries of a program that is linked with all of them. */
#define PROGRAM "sheetbake"

enum { BUILD_ID_SIZE = 65 }; /* of at most 32 bytes, hexadecimal */

struct libraries {
    struct strings drawing, program, assimp, self;
    bool is_known;
};

/* The libraries whose builds decide about pictures and other output, by how their names begin. Not the C library, whose
 * functions for numbers in text are exact, nor libyaml, which reads what is recorded
 * as settings. musl has its mathematics in one file with all else. */
static const struct library {
    const char *beginning, *duty;
    bool draws;
} known_libraries[] = {
    {"libLLVM", "compiles what draws", true},
    {"libgallium", "draws", true},
    {"libnvidia-", "draws", true},
    {"libvulkan", "draws", true},
    {"libdeflate.", "compresses pictures", false},
    {"libz.", "compresses pictures row by row", false},
    {"libjansson.", "writes JSON files", false},
    {"libassimp.", "reads models", false},
    {"libdraco.", "unpacks models", false},
    {"libmeshoptimizer.", "unpacks models", false},
    {"libpng", "reads and writes PNG files", false},
    {"libturbojpeg.", "reads JPEG files", false},
    {"libwebp", "packs pictures", false},
    {"libm.so", "computes poses", false},
    {"ld-musl-", "computes poses", false},
    {"libc.musl-", "computes poses", false},
    {PROGRAM, "has all libraries in it", false},
};

static const struct library *find_library(const char *name)
{
    for (size_t i = 0; i < sizeof known_libraries / sizeof *known_libraries; i++)
        if (!strncmp(name, known_libraries[i].beginning, strlen(known_libraries[i].beginning)))
            return &known_libraries[i];
    return NULL;
}

static bool draws(const char *name)
{
    const struct library *known = find_library(name);
    for (const struct gl_backend *const *backend = all_backends; *backend; backend++)
        if (!strncmp(name, (*backend)->library, strlen((*backend)->library)))
            return true;
    return known ? known->draws : strstr(name, "_dri.so") != NULL;
}

const char *identity_duty(const char *library)
{
    const struct library *known = find_library(library);
    return known ? known->duty : "draws";
}

/* Notes have a name, which is "GNU" for this one, and a content, each filled up to 4 bytes. */
static void find_build_id(const char *notes, size_t size, char out[BUILD_ID_SIZE])
{
    ElfW(Nhdr) note;
    for (size_t at = 0; size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, id = name + ((note.n_namesz + 3) & ~(size_t)3);
        size_t end = id + ((note.n_descsz + 3) & ~(size_t)3);
        if (end > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4))
            for (size_t i = 0; i < note.n_descsz && i < (BUILD_ID_SIZE - 1) / 2; i++)
                snprintf(out + 2 * i, 3, "%02x", (unsigned char)notes[id + i]);
        at = end;
    }
}

/* Some systems link without build ids: there the size of the file and when it was made have to do. */
static int add_library(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct libraries *libraries = context;
    const char *name = path_base(info->dlpi_name), *path = info->dlpi_name;
    struct strings *parts = draws(name)                        ? &libraries->drawing
                            : !strncmp(name, "libassimp.", 10) ? &libraries->assimp
                                                               : &libraries->program;
    if (!*name) { /* the program itself */
        name = PROGRAM;
        path = "/proc/self/exe";
        parts = &libraries->self;
    } else if (parts == &libraries->program && !find_library(name)) {
        return 0;
    }

    char build_id[BUILD_ID_SIZE] = "";
    struct stat file;
    for (size_t i = 0; i < info->dlpi_phnum && !build_id[0]; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_NOTE)
            find_build_id((const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz, build_id);
    }
    if (build_id[0])
        strings_printf(parts, "%s %s", name, build_id);
    else if (stat(path, &file) == 0)
        strings_printf(parts, "%s %jd-%jd", name, (intmax_t)file.st_size, (intmax_t)file.st_mtime);
    else
        libraries->is_known = false;
    return 0;
}

/* -- The processor ----------------------------------------------------------------------------------------- */

/* Of the first processor that the kernel lists: "vendor_id	: GenuineIntel", "flags		: fpu vme sse ...". Of the
 * flags those count by which code generators and mathematics choose how to compute, and so how they round. */
static void take_cpu(char *out, size_t size)
{
    static const char *const keys[] = {"vendor_id\t", "CPU implementer", "Features", "cpu\t", "isa"};
    static const char *const sets[] = {"sse", "ssse", "pni", "popcnt", "avx", "f16c", "fma", "xop"};
    FILE *file = fopen("/proc/cpuinfo", "re");
    struct strings parts = {0};
    char *line = NULL;
    size_t capacity = 0;
    while (file && getline(&line, &capacity, file) > 1) {
        char *colon = strstr(line, ": ");
        if (colon && !strncmp(line, "flags", 5)) {
            char *rest, *flag = strtok_r(colon + 2, " \n", &rest);
            for (; flag; flag = strtok_r(NULL, " \n", &rest))
                if (BEGINS(flag, sets))
                    strings_add(&parts, flag);
        } else if (colon && BEGINS(line, keys)) {
            strings_printf(&parts, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        }
    }
    free(line);
    if (file)
        fclose(file);
    join(&parts, " ", out, size);
}

/* -- Variables --------------------------------------------------------------------------------------------- */

/* Drivers have many, and new ones with each release: so all of theirs count but those known to change no picture.
 * The last two say which instructions mathematics and JPEG use. */
static bool is_read_by_drivers(const char *variable)
{
    static const char *const read[] = {
        "LP_",  "GALLIVM_", "GALLIUM_", "LIBGL_",   "MESA_",          "DRAW_",  "ST_DEBUG",
        "NIR_", "EGL_",     "__EGL_",   "SOFTPIPE", "GLIBC_TUNABLES", "JSIMD_",
    };
    static const char *const harmless[] = {
        "LP_NUM_THREADS", "EGL_LOG_LEVEL",     "LIBGL_DEBUG",      "MESA_DEBUG",
        "MESA_LOG",       "MESA_SHADER_CACHE", "MESA_GLSL_CACHE",  "MESA_DISK_CACHE",
        "MESA_VERBOSE",   "GALLIUM_HUD",       "GALLIUM_DUMP_CPU", "GALLIUM_PRINT_OPTIONS",
    };
    return BEGINS(variable, read) && !BEGINS(variable, harmless);
}

static void take_backend(enum backend_choice choice, char *out, size_t size)
{
    static const char *const read_by_cards[] = {
        "DRI_",  "ZINK_",  "DRIRC_",  "VK_",    "__GL_",  "RADEON",   "RADV_", "AMD_", "INTEL_",
        "IRIS_", "ANV_",   "NOUVEAU", "NVK_",   "R600_",  "R300_",    "PAN_",  "V3D_", "FD_",
        "TU_",   "D3D12_", "ASAHI_",  "force_", "allow_", "disable_", "glsl_", "glx_", "CUDA_VISIBLE_DEVICES",
    };
    struct strings variables = {0}, parts = {0};
    for (char **variable = environ; variable && *variable; variable++) {
        const char *value = *variable + strcspn(*variable, "=");
        bool is_drivers = is_read_by_drivers(*variable);
        if (!is_drivers && (choice == BACKEND_OSMESA || !BEGINS(*variable, read_by_cards)))
            continue;
        char *masked = must_strdup(*variable), hash[HASH_SIZE];
        utf8_mask(masked);
        if (is_drivers && !strcmp(masked, *variable)) {
            strings_add(&variables, *variable);
        } else {
            /* The value as a hash. Variables of other programs begin like those of cards, and pages are published
             * (VK_TOKEN). A value that is not UTF-8 cannot stand in a JSON. */
            hash_bytes((struct bytes){(const uint8_t *)value, strlen(value)}, hash);
            strings_printf(&variables, "%.*s=#%.8s", (int)(value - *variable), *variable, hash);
        }
        free(masked);
    }
    strings_sort(&variables);
    strings_add(&parts, backend_names[choice]);
    for (size_t i = 0; i < variables.count; i++)
        strings_add(&parts, variables.items[i]);
    strings_release(&variables);
    join(&parts, ", ", out, size);
}

/* -- Together ---------------------------------------------------------------------------------------------- */

void identity_take(const struct context *context, struct identity *out)
{
    memset(out, 0, sizeof *out); /* whole, as it goes through a pipe */
    snprintf(out->name, sizeof out->name, "%s", context_description(context));
    utf8_mask(out->name);
    take_backend(context_choice(context), out->backend, sizeof out->backend);
    take_cpu(out->cpu, sizeof out->cpu);
    struct libraries libraries = {.is_known = true};
    dl_iterate_phdr(add_library, &libraries);
    strings_sort(&libraries.drawing);
    strings_sort(&libraries.program);
    join(&libraries.assimp, ", ", out->assimp, sizeof out->assimp);
    if (libraries.program.count == 0 && libraries.self.count > 0) /* it has all of them in it */
        strings_add(&libraries.program, libraries.self.items[0]);
    join(&libraries.drawing, ", ", out->library, sizeof out->library);
    join(&libraries.program, ", ", out->program, sizeof out->program);
    join(&libraries.self, "", out->self, sizeof out->self);
    if (!libraries.is_known)
        out->library[0] = '\0';
}

struct question {
    enum backend_choice choice;
    struct sandbox_rules rules;
    bool draws; /* the probe is asked for */
};

/* A shader cache changes nothing of this, and would cost more time. */
static int answer(void *context, struct blob *out)
{
    const struct question *question = context;
    struct context *opened;
    struct identity identity = {0};
    struct error err;
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    if (sandbox_enter(&question->rules, NULL, &err) < 0 ||
        (question->draws ? probe_open : context_open)(question->choice, &opened, &err) < 0)
        return 1;
    dlopen(ASSIMP_LIBRARY, RTLD_LAZY | RTLD_LOCAL); /* for its build; there may be none */
    identity_take(opened, &identity);
    if (question->draws && probe_draw(opened, identity.probe, &err) < 0)
        identity.probe[0] = '\0';
    *out = (struct blob){must_alloc(1, sizeof identity), sizeof identity};
    memcpy(out->data, &identity, sizeof identity);
    return 0;
}

/* Unknown where the child did not answer. */
static void ask(struct question *question, struct identity *out)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC); /* a worker says again what a driver prints */
    const struct child child = {"opened it", 60, null > 0 ? null : 0, answer, question};
    struct blob told = {0};
    struct error ignored; /* workers that cannot open it say why */
    *out = (struct identity){0};
    if (child_run(&child, &told, &ignored) == 0 && told.size == sizeof *out)
        memcpy(out, told.data, sizeof *out);
    blob_release(&told);
    if (null >= 0)
        close(null);
}

/* -- Probes that are kept ---------------------------------------------------------------------------------- */

static const char kept_name[] = "probe-";

static bool has_probes(const char *path)
{
    DIR *folder = path ? opendir(path) : NULL;
    bool found = false;
    for (const struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = !strncmp(entry->d_name, kept_name, strlen(kept_name));
    if (folder)
        closedir(folder);
    return found;
}

static void hash_identity(const struct identity *identity, char hash[HASH_SIZE])
{
    hash_bytes((struct bytes){(const uint8_t *)identity, sizeof *identity}, hash);
}

/* Two hashes, one after the other: the probe, and that of the identity with it. */
enum { KEPT_LENGTH = 2 * (HASH_SIZE - 1) };

static void keep_text(const struct identity *identity, char text[KEPT_LENGTH + 1])
{
    memcpy(text, identity->probe, HASH_SIZE - 1);
    hash_identity(identity, text + HASH_SIZE - 1);
}

/* False, and the identity as it was, without a probe, where the file has none or not as it was written. */
static bool read_kept(const char *path, struct identity *identity)
{
    struct blob kept = {0};
    struct error ignored;
    char text[KEPT_LENGTH + 1];
    bool is_whole = file_read(path, KEPT_LENGTH, &kept, &ignored) == 0 && kept.size == KEPT_LENGTH;
    if (is_whole) {
        memcpy(identity->probe, kept.data, HASH_SIZE - 1);
        keep_text(identity, text);
        is_whole = !memcmp(text, kept.data, KEPT_LENGTH);
    }
    if (!is_whole)
        memset(identity->probe, 0, sizeof identity->probe);
    blob_release(&kept);
    return is_whole;
}

/* Gives the identity its probe: the one that was drawn with it, or that the folder keeps (NULL: none), or that another
 * process draws; and keeps it. */
static void settle_probe(struct question *question, const char *folder, struct identity *identity)
{
    struct identity drawn = *identity;
    struct error ignored;
    char key[HASH_SIZE], text[KEPT_LENGTH + 1];
    memset(identity->probe, 0, sizeof identity->probe);
    hash_identity(identity, key);
    char *name = must_printf("%s%s", kept_name, key), *path = folder ? path_join(folder, name) : NULL;
    if (question->draws || !path || !read_kept(path, identity)) {
        if (!question->draws) {
            question->draws = true;
            ask(question, &drawn);
        }
        memcpy(identity->probe, drawn.probe, sizeof drawn.probe);
        keep_text(identity, text);
        if (*drawn.probe && path && file_make_folders(folder, &ignored) == 0)
            file_renew(path, (struct bytes){(const uint8_t *)text, KEPT_LENGTH}, &ignored);
    }
    free(name);
    free(path);
}

void identity_ask(enum backend_choice choice, enum sandbox_mode sandbox, bool with_probe, struct identity *out)
{
    char *folder = with_probe ? shader_cache_folder(NULL) : NULL;
    if (folder && shader_cache_problem(folder)) {
        free(folder);
        folder = NULL;
    }
    /* Where no probe is kept at all, one process tells both. */
    struct question question = {choice, {.mode = sandbox}, with_probe && !has_probes(folder)};
    ask(&question, out);
    if (!*out->library || !*out->program) /* unknown: then no page is up to date */
        memset(out->probe, 0, sizeof out->probe);
    else if (with_probe)
        settle_probe(&question, folder, out);
    free(folder);
}
