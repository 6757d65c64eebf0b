/* What this machine can draw with. All facts are gathered before any is printed: text and JSON are two views of them. */
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "format/formats.h"
#include "os/resources.h"
#include "os/child.h"
#include "render/gl.h"
#include "render/identity.h"
#include "render/shader_cache.h"
#include "run/confine.h"
#include "sheet/json_value.h"

static const char about[] =
    "Reports what this machine can draw with. A process for each back end opens it, draws a triangle and checks "
    "the "
    "pixels. The report also has CPUs, memory and limits, the folder of Mesa's shader cache, what the kernel "
    "offers "
    "for the sandbox, and the environment variables that drivers read. If nothing works, it says what to install.";

static const struct exit_cause exits[] = {
    {"0", "at least one back end works"},
    {"2", "wrong options"},
    {"4", "no back end works"},
    {"5", "the report cannot be written"},
    {0},
};

struct doctor_args {
    bool is_json;
    double timeout_s;
};

static const struct arg options[] = {
    ARG_JSON(struct doctor_args, is_json),
    {"timeout", 0, "SEC", "give up on a back end that takes longer than SEC (default 20)",
     ARG_NUMBER(struct doctor_args, timeout_s, 0.1, 3600)},
    {0},
};

/* -- Back ends --------------------------------------------------------------------------------------------- */

/* In memory shared with the process that tries a back end, which fills it in as it goes: a driver may crash, hang or end
 * the process. */
struct trial {
    bool is_open, is_drawn;
    char vendor[128], version[128], glsl[64];
    double open_ms, draw_ms;
    struct identity identity; /* once it is open */
    char reason[1024];        /* why it stopped, or "" */
};

struct backend {
    const char *name; /* as --backend has it */
    struct trial trial;
    char *problem; /* NULL: it draws */
    char *output;  /* what the driver printed, or NULL */
};

struct trial_task {
    enum backend_choice choice;
    struct trial *trial;
};

static int make_trial(void *task, struct blob *out)
{
    const enum backend_choice choice = ((struct trial_task *)task)->choice;
    struct trial *trial = ((struct trial_task *)task)->trial;
    struct sandbox_rules rules = {0};
    struct context *context;
    struct error err;
    (void)out;
    setenv("EGL_LOG_LEVEL", "warning", 0);
    confine_renderer(&rules, &err); /* a back end has to work where workers are */

    double start_s = clock_now_s();
    if (context_open(choice, &context, &err) < 0) {
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
        return 0;
    }
    trial->open_ms = 1000 * (clock_now_s() - start_s);
    const struct {
        GLenum name;
        char *text;
        size_t size;
    } strings[] = {
        {GL_VENDOR, trial->vendor, sizeof trial->vendor},
        {GL_VERSION, trial->version, sizeof trial->version},
        {GL_SHADING_LANGUAGE_VERSION, trial->glsl, sizeof trial->glsl},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        const char *text = (const char *)context_gl(context)->GetString(strings[i].name);
        snprintf(strings[i].text, strings[i].size, "%s", text ? text : "");
    }
    identity_take(context, &trial->identity);
    trial->is_open = true;

    start_s = clock_now_s();
    if (context_test(context, &err) < 0)
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
    trial->draw_ms = 1000 * (clock_now_s() - start_s);
    context_close(context);
    trial->is_drawn = !trial->reason[0];
    return 0;
}

static void try_backend(enum backend_choice choice, double timeout_s, struct backend *out)
{
    *out = (struct backend){.name = backend_names[choice]};
    struct trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int output = memfd_create("driver messages", MFD_CLOEXEC);
    if (trial == MAP_FAILED || output < 0) {
        out->problem = must_printf("cannot start a process to try it: %m");
    } else {
        struct trial_task task = {choice, trial};
        const struct child child = {"tried it", timeout_s, output, make_trial, &task};
        struct blob nothing = {0};
        struct error err;
        if (child_run(&child, &nothing, &err) < 0)
            out->problem = must_printf("%s while %s it", err.text,
                                       trial->is_drawn  ? "closing"
                                       : trial->is_open ? "drawing with"
                                                        : "opening");
        else if (trial->reason[0])
            out->problem = must_strdup(trial->reason);
        blob_release(&nothing);
        out->trial = *trial;

        char text[2048]; /* the beginning is enough */
        ssize_t length = pread(output, text, sizeof text, 0);
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
            length--;
        out->output = length > 0 ? must_printf("%.*s", (int)length, text) : NULL;
    }
    if (output >= 0)
        close(output);
    if (trial != MAP_FAILED)
        munmap(trial, sizeof *trial);
}

/* -- The machine ------------------------------------------------------------------------------------------- */

static const struct limit {
    const char *name, *key; /* for people, for programs */
    bool is_size;           /* in bytes */
    int resource;
} limits[] = {
    {"address space", "address_space", true, RLIMIT_AS}, {"data", "data", true, RLIMIT_DATA},
    {"file size", "file_size", true, RLIMIT_FSIZE},      {"open files", "open_files", false, RLIMIT_NOFILE},
    {"processes", "processes", false, RLIMIT_NPROC},     {"CPU seconds", "cpu_seconds", false, RLIMIT_CPU},
};

enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

struct report {
    struct backend backends[BACKEND_COUNT]; /* by choice; that of auto is empty */
    enum backend_choice first;              /* what auto takes; BACKEND_AUTO: nothing works */

    unsigned cpus_online, cpus_allowed, cpus_usable;
    double cpu_quota;                              /* 0: none */
    double memory, memory_available, memory_limit; /* in bytes; the limit is the cgroup's, 0: none */
    rlim_t limits[LIMIT_COUNT];                    /* RLIM_INFINITY: none */

    char *cache_folder;        /* of Mesa's compiled shaders */
    const char *cache_problem; /* NULL: it can be written */
    double cache_free;         /* bytes; 0: not known */
    struct sandbox_state sandbox;
    char assimp[32];            /* its version; "": it is not here */
    struct strings environment; /* "NAME=value": what drivers read */
    struct strings notes;       /* what costs speed or may go wrong */
    struct strings advice;      /* what to install where nothing works */
};

static const char *const packages[] = {
    "Debian, Ubuntu: apt-get install libosmesa6",
    "Debian, Ubuntu: apt-get install libegl1 libgl1-mesa-dri",
    "Fedora: dnf install mesa-libEGL mesa-dri-drivers",
    "Alpine: apk add mesa-egl mesa-dri-gallium",
    "Arch: pacman -S mesa",
    "other systems: the packages with Mesa's libOSMesa, or with libEGL and Mesa's drivers",
};

static void look_at_machine(struct report *out)
{
    static const char *const prefixes[] = {"MESA_", "LIBGL_", "GALLIUM_", "LP_", "EGL_", "__EGL_", "GBM_"};
    cpu_set_t set;
    out->cpus_online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    out->cpus_allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
    out->cpus_usable = cpus_usable();
    out->cpu_quota = cgroup_cpu_quota("");

    /* Lines are "MemTotal:       24683596 kB". */
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];
    double kib;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %lf kB", &kib) == 1)
            out->memory = 1024 * kib;
        else if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            out->memory_available = 1024 * kib;
    }
    if (file)
        fclose(file);
    out->memory_limit = cgroup_memory_limit("");

    for (int i = 0; i < LIMIT_COUNT; i++) {
        struct rlimit limit;
        bool is_known = getrlimit((__rlimit_resource_t)limits[i].resource, &limit) == 0;
        out->limits[i] = is_known ? limit.rlim_cur : RLIM_INFINITY;
    }

    struct statvfs info;
    char *folder = shader_cache_folder(NULL);
    out->cache_folder = folder ? path_join(folder, "mesa_shader_cache") : NULL; /* as Mesa calls it */
    free(folder);
    out->cache_problem = shader_cache_problem(out->cache_folder);
    if (out->cache_folder && statvfs(out->cache_folder, &info) == 0)
        out->cache_free = (double)info.f_bavail * (double)info.f_frsize;

    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(*entry, prefixes[i], strlen(prefixes[i])))
                strings_add(&out->environment, *entry);
    strings_sort(&out->environment);
}

static void add_notes(struct report *report)
{
#ifndef WITH_DRACO
    strings_add(&report->notes, "built without libdraco: glTF models that are packed with it are not read");
#endif
    struct error err;
    if (assimp_version(report->assimp, sizeof report->assimp, &err) < 0)
        strings_printf(&report->notes, "FBX, COLLADA, OBJ and other formats are not read: %s", err.text);
    const double worker_bytes = 256.0 * 1024 * 1024; /* one with a driver and large textures */
    if (report->cache_problem)
        strings_add(&report->notes, "without a shader cache each worker compiles its shaders anew (about 30 ms): "
                                    "set MESA_SHADER_CACHE_DIR to a folder that can be written and lasts");
    const char *threads = getenv("LP_NUM_THREADS");
    if (threads && strcmp(threads, "0"))
        strings_printf(&report->notes,
                       "LP_NUM_THREADS=%s gives each worker threads of its own, which slow each other down",
                       threads);
    double memory = report->memory_available;
    if (report->memory_limit > 0 && report->memory_limit < memory)
        memory = report->memory_limit;
    unsigned workers = (unsigned)(memory / worker_bytes);
    if (memory > 0 && workers < report->cpus_usable)
        strings_printf(&report->notes, "%.0f MiB of memory may be too little for %u workers: render with -j%u",
                       memory / (1024 * 1024), report->cpus_usable, workers ? workers : 1);
}

/* -- Text -------------------------------------------------------------------------------------------------- */

static const char *size_text(double bytes, char text[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    snprintf(text, 32, "%.*f %s", bytes < 10 && unit > 0 ? 1 : 0, bytes, units[unit]);
    return text;
}

/* Each line of the text, indented below the name. */
static void print_lines(const char *lead, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        cli_print_line("           %s%.*s", lead, length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_backend(const struct backend *backend)
{
    const struct trial *trial = &backend->trial;
    cli_print_line("  %-8s %s%s", backend->name,
                   backend->problem ? "" : "works: ", backend->problem ? backend->problem : trial->identity.name);
    char triangle[64] = "";
    if (trial->is_drawn)
        snprintf(triangle, sizeof triangle, ", a triangle in %.0f ms", trial->draw_ms);
    if (trial->is_open)
        cli_print_line("           OpenGL %s, GLSL %s, %s; opened in %.0f ms%s", trial->version, trial->glsl,
                       trial->vendor, trial->open_ms, triangle);
    print_lines("", trial->identity.library);
    if (backend->output)
        print_lines("driver: ", backend->output);
}

static void print_machine(const struct report *report, const struct identity *identity)
{
    char size[32], free_size[32];
    printf("\nMachine\n  CPUs          %u usable (%u allowed of %u online", report->cpus_usable,
           report->cpus_allowed, report->cpus_online);
    if (report->cpu_quota > 0)
        printf(", cgroup quota %g", report->cpu_quota);
    printf(")%s%s\n", *identity->cpu ? ": " : "", identity->cpu);

    const char *lead = "  libraries     ";
    for (const char *at = identity->program; *at; at += strspn(at, ", "), lead = "                ") {
        int length = (int)strcspn(at, ",");
        printf("%s%.*s\n", lead, length, at);
        at += length;
    }
    printf("  assimp        %s\n", *report->assimp ? report->assimp : "none");
    printf("  memory        %s, %s available", size_text(report->memory, size),
           size_text(report->memory_available, free_size));
    if (report->memory_limit > 0)
        printf(", cgroup limit %s", size_text(report->memory_limit, size));

    printf("\n  limits        ");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const rlim_t most = report->limits[i];
        if (most == RLIM_INFINITY)
            continue;
        if (limits[i].is_size)
            printf("%s %s, ", limits[i].name, size_text((double)most, size));
        else
            printf("%s %llu, ", limits[i].name, (unsigned long long)most);
    }
    puts("no others");

    bool is_known = !report->cache_problem && report->cache_free > 0;
    cli_print_line("  shader cache  %s: %s%s%s%s", report->cache_folder ? report->cache_folder : "no folder",
                   report->cache_problem ? report->cache_problem : "writable", is_known ? ", " : "",
                   is_known ? size_text(report->cache_free, size) : "", is_known ? " free" : "");

    const struct sandbox_state *sandbox = &report->sandbox;
    printf("  sandbox       ");
    if (sandbox->landlock_abi > 0)
        printf("Landlock ABI %d, ", sandbox->landlock_abi);
    else
        printf("no Landlock, ");
    printf("%s, %s\n", sandbox->has_filter ? "seccomp" : "no seccomp",
           sandbox->has_no_new_privileges ? "no new privileges" : "new privileges");
    for (size_t i = 0; i < sandbox->missing.count; i++)
        printf("                %s\n", sandbox->missing.items[i]);
}

static void print_list(const char *title, const struct strings *list)
{
    if (list->count > 0)
        printf("\n%s\n", title);
    for (size_t i = 0; i < list->count; i++)
        cli_print_line("  %s", list->items[i]);
}

static void print_text(const struct report *report)
{
    printf("sheetbake %s\n\nBack ends\n", SHEETBAKE_VERSION);
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++)
        print_backend(&report->backends[i]);
    if (report->first != BACKEND_AUTO)
        printf("  auto     takes %s\n", backend_names[report->first]);
    print_machine(report, &report->backends[report->first].trial.identity);
    print_list("Environment", &report->environment);
    print_list("Notes", &report->notes);
    print_list("Nothing here can draw. Install one of", &report->advice);
}

/* -- JSON -------------------------------------------------------------------------------------------------- */

static json_t *text_unless_empty(const char *text)
{
    return text_or_null(text && *text ? text : NULL);
}

static json_t *number_or_null(bool is_known, double number)
{
    return is_known ? json_real(number) : json_null();
}

static json_t *bytes_or_null(double bytes)
{
    return bytes > 0 ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *json_of_backend(const struct backend *backend)
{
    const struct trial *trial = &backend->trial;
    return json_pack(
        "{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", backend->name, "library",
        text_unless_empty(trial->identity.library), "works", backend->problem == NULL, "problem",
        text_unless_empty(backend->problem), "renderer", text_unless_empty(trial->identity.name), "vendor",
        text_unless_empty(trial->vendor), "gl_version", text_unless_empty(trial->version), "glsl_version",
        text_unless_empty(trial->glsl), "open_ms", number_or_null(trial->is_open, trial->open_ms), "draw_ms",
        number_or_null(trial->is_drawn, trial->draw_ms), "driver_messages", text_unless_empty(backend->output));
}

static json_t *json_of_report(const struct report *report)
{
    const struct identity *identity = &report->backends[report->first].trial.identity;
    const struct sandbox_state *sandbox = &report->sandbox;
    json_t *root = json_object(), *backends = json_array(), *bounds = json_object();
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++)
        json_array_append_new(backends, json_of_backend(&report->backends[i]));
    for (int i = 0; i < LIMIT_COUNT; i++)
        json_object_set_new(bounds, limits[i].key,
                            report->limits[i] == RLIM_INFINITY ? json_null()
                                                               : json_integer((json_int_t)report->limits[i]));

    json_object_set_new(root, "version", json_string(SHEETBAKE_VERSION));
    json_object_set_new(root, "libraries", text_unless_empty(identity->program));
    json_object_set_new(root, "assimp", text_unless_empty(report->assimp));
    json_object_set_new(root, "backends", backends);
    json_object_set_new(root, "auto",
                        text_unless_empty(report->first == BACKEND_AUTO ? NULL : backend_names[report->first]));
    json_object_set_new(root, "cpus",
                        json_pack("{s:o, s:i, s:i, s:i, s:o}", "features", text_unless_empty(identity->cpu),
                                  "usable", (int)report->cpus_usable, "allowed", (int)report->cpus_allowed,
                                  "online", (int)report->cpus_online, "cgroup_quota",
                                  number_or_null(report->cpu_quota > 0, report->cpu_quota)));
    json_object_set_new(root, "memory",
                        json_pack("{s:o, s:o, s:o}", "total", bytes_or_null(report->memory), "available",
                                  bytes_or_null(report->memory_available), "cgroup_limit",
                                  bytes_or_null(report->memory_limit)));
    json_object_set_new(root, "limits", bounds);
    json_object_set_new(root, "shader_cache",
                        json_pack("{s:o, s:b, s:o, s:o}", "folder", text_unless_empty(report->cache_folder),
                                  "works", report->cache_problem == NULL, "problem",
                                  text_unless_empty(report->cache_problem), "free",
                                  bytes_or_null(report->cache_free)));
    json_object_set_new(root, "sandbox",
                        json_pack("{s:o, s:b, s:b, s:o}", "landlock_abi",
                                  sandbox->landlock_abi ? json_integer(sandbox->landlock_abi) : json_null(),
                                  "seccomp", sandbox->has_filter, "no_new_privileges",
                                  sandbox->has_no_new_privileges, "missing", json_texts(&sandbox->missing, 0)));
    json_object_set_new(root, "environment", json_texts(&report->environment, 0));
    json_object_set_new(root, "notes", json_texts(&report->notes, 0));
    json_object_set_new(root, "advice", json_texts(&report->advice, 0));
    return root;
}

/* -- The command ------------------------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    struct doctor_args args = {.timeout_s = 20};
    int exit_code = args_read(&doctor_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    struct report report = {.first = BACKEND_AUTO};
    struct error err;
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        try_backend((enum backend_choice)i, args.timeout_s, &report.backends[i]);
        if (!report.backends[i].problem && report.first == BACKEND_AUTO)
            report.first = (enum backend_choice)i;
    }
    look_at_machine(&report);
    sandbox_try(&report.sandbox);
    add_notes(&report);
    for (size_t i = 0; report.first == BACKEND_AUTO && i < sizeof packages / sizeof *packages; i++)
        strings_add(&report.advice, packages[i]);

    exit_code = report.first == BACKEND_AUTO ? EXIT_NO_BACKEND : EXIT_DONE;
    if (!args.is_json) {
        print_text(&report);
    } else if (json_print(json_of_report(&report), JSON_INDENT(2) | JSON_REAL_PRECISION(4), &err) < 0) {
        cli_complain("%s", err.text);
        exit_code = EXIT_BROKEN;
    }

    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        free(report.backends[i].problem);
        free(report.backends[i].output);
    }
    free(report.cache_folder);
    sandbox_state_release(&report.sandbox);
    strings_release(&report.environment);
    strings_release(&report.notes);
    strings_release(&report.advice);
    return exit_code;
}

const struct command doctor_command = {
    .name = "doctor",
    .summary = "report what this machine can draw with, and what is missing",
    .operands = OPERANDS_NONE,
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
