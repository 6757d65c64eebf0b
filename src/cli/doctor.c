/* Reports the back ends that this machine can draw with. The facts go into one JSON document, from which the text is
 * printed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "format/formats.h"
#include "os/resources.h"
#include "os/child.h"
#include "render/identity.h"
#include "render/probe.h"
#include "render/shader_cache.h"
#include "run/confine.h"
#include "sheet/json_value.h"

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
    {ARG_JSON(struct doctor_args, is_json)},
    {"timeout", 0, "SEC", "give up on a back end that takes longer than SEC (default 20)",
     ARG_NUMBER(struct doctor_args, timeout_s, 0.1, 3600)},
    {0},
};

/* -- Back ends --------------------------------------------------------------------------------------------- */

/* In memory shared with the process that tries a back end, which fills it in as it goes: a driver may crash, hang or end
 * the process. */
struct trial {
    enum backend_choice choice;
    uint8_t is_open, is_drawn; /* no bool: what a shader cache holds runs there, and may write any byte */
    struct identity identity;  /* once it is open */
    char reason[1024];         /* why it stopped, or "" */
};

struct backend {
    const char *name; /* as --backend has it */
    struct trial trial;
    char *problem; /* NULL: it draws */
    bool is_slow;  /* it took longer than --timeout */
    char *output;  /* what the driver printed, or NULL */
};

static int make_trial(void *shared, struct blob *out)
{
    struct trial *trial = shared;
    struct sandbox_rules rules = {0};
    struct context *context;
    struct error err;
    (void)out;
    setenv("EGL_LOG_LEVEL", "warning", 0);
    confine_renderer(&rules, NULL, &err); /* a back end has to work where workers are */

    if (probe_open(trial->choice, &context, &err) < 0) {
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
        return 0;
    }
    identity_take(context, &trial->identity);
    trial->is_open = true;

    if (context_test(context, &err) < 0 || probe_draw(context, trial->identity.probe, &err) < 0)
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
    context_close(context);
    trial->is_drawn = !trial->reason[0];
    return 0;
}

static void try_backend(enum backend_choice choice, double timeout_s, struct backend *out)
{
    *out = (struct backend){.name = backend_names[choice]};
    struct trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    SCOPED_BY(file_close) int output = memfd_create("driver messages", MFD_CLOEXEC);
    if (trial == MAP_FAILED || output < 0) {
        out->problem = must_printf("cannot start a process to try it: %m");
    } else {
        trial->choice = choice;
        const struct child child = {"tried it", timeout_s, output, make_trial, trial};
        SCOPED_BY(blob_release) struct blob nothing = {0};
        struct error err;
        const double start_s = clock_now_s();
        const int status = child_run(&child, &nothing, &err);
        out->is_slow = status < 0 && clock_now_s() - start_s >= timeout_s;
        trial->reason[sizeof trial->reason - 1] = '\0';
        if (status < 0)
            out->problem = must_printf("%s while %s it", err.text,
                                       trial->is_drawn  ? "closing"
                                       : trial->is_open ? "drawing with"
                                                        : "opening");
        else if (trial->reason[0])
            out->problem = must_strdup(trial->reason);
        out->trial = *trial;

        char text[2048]; /* the beginning is enough */
        ssize_t length = pread(output, text, sizeof text, 0);
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
            length--;
        out->output = length > 0 ? must_printf("%.*s", (int)length, text) : NULL;
    }
    if (trial != MAP_FAILED)
        munmap(trial, sizeof *trial);
}

/* -- Values ------------------------------------------------------------------------------------------------ */

static json_t *text_unless_empty(const char *text)
{
    return text_or_null(text && *text ? text : NULL);
}

/* -- The machine: each adds its facts, and what costs speed or may go wrong ------------------------------------ */

static void add_cpus_and_memory(json_t *root, struct strings *notes)
{
    const unsigned worker_mib = 256, cpus = cpus_usable(); /* a worker with a driver and large textures */
    const double quota = cgroup_cpu_quota(""), mib = (double)memory_usable() / (1024 * 1024);
    const unsigned workers = (unsigned)(mib / worker_mib);
    json_object_set_new(
        root, "cpus",
        json_pack("{s:i, s:o}", "usable", (int)cpus, "cgroup_quota", quota > 0 ? json_real(quota) : json_null()));
    json_object_set_new(root, "memory", json_pack("{s:I}", "usable_mib", (json_int_t)mib));
    if (workers < cpus)
        strings_printf(notes, "%.0f MiB of memory may be too little for %u workers: render with -j%u", mib, cpus,
                       workers ? workers : 1);
}

static void add_shader_cache(json_t *root, struct strings *notes)
{
    SCOPED char *parent = shader_cache_folder(NULL);
    SCOPED char *folder = parent ? path_join(parent, "mesa_shader_cache") : NULL; /* as Mesa calls it */
    const char *problem = shader_cache_problem(folder);
    json_object_set_new(root, "shader_cache",
                        json_pack("{s:o, s:b, s:o}", "folder", text_unless_empty(folder), "works", problem == NULL,
                                  "problem", text_unless_empty(problem)));
    if (problem)
        strings_add(notes, "without a shader cache each worker compiles its shaders anew (about 30 ms): set "
                           "MESA_SHADER_CACHE_DIR to a folder that can be written and lasts");
}

static void add_environment(json_t *root, struct strings *notes)
{
    static const char *const prefixes[] = {"MESA_", "LIBGL_", "GALLIUM_", "LP_", "EGL_", "__EGL_", "GBM_"};
    SCOPED_BY(strings_release) struct strings found = {0};
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(*entry, prefixes[i], strlen(prefixes[i])))
                strings_add(&found, *entry);
    strings_sort(&found);
    json_object_set_new(root, "environment", json_texts(&found, 0));
    const char *threads = getenv("LP_NUM_THREADS");
    if (threads && strcmp(threads, "0"))
        strings_printf(notes, "LP_NUM_THREADS=%s gives each worker threads of its own, which slow each other down",
                       threads);
}

static void add_readers(json_t *root, struct strings *notes)
{
#ifndef WITH_DRACO
    strings_add(notes, "built without libdraco: glTF models that are packed with it are not read");
#endif
    char assimp[32] = "";
    struct error err;
    if (assimp_version(assimp, sizeof assimp, &err) < 0)
        strings_printf(notes, "COLLADA, OBJ and other formats are not read: %s", err.text);
    json_object_set_new(root, "assimp", text_unless_empty(assimp));
}

static void add_sandbox(json_t *root)
{
    struct sandbox_state state;
    sandbox_try(&state);
    json_object_set_new(root, "sandbox",
                        json_pack("{s:o, s:b, s:b, s:o}", "landlock_abi",
                                  state.landlock_abi ? json_integer(state.landlock_abi) : json_null(), "seccomp",
                                  state.has_filter, "no_new_privileges", state.has_no_new_privileges, "missing",
                                  json_texts(&state.missing, 0)));
    strings_release(&state.missing);
}

/* -- The report -------------------------------------------------------------------------------------------- */

/* What helps where nothing works. Packages are what is missing only where nothing else is. */
static void add_advice(const struct backend backends[BACKEND_COUNT], struct strings *advice)
{
    static const char *const packages[] = {
        "Debian, Ubuntu: apt-get install libosmesa6, or libegl1 libgl1-mesa-dri",
        "Fedora: dnf install mesa-libEGL mesa-dri-drivers. Arch: pacman -S mesa",
        "Alpine: apk add mesa-egl mesa-dri-gallium",
        "other systems: the packages with Mesa's libOSMesa, or with libEGL and Mesa's drivers",
    };
    const char *libraries = getenv("SHEETBAKE_LIBRARIES");
    char note[64];
    if (*memory_note(MEMORY_TO_DRAW, note))
        strings_printf(advice, "drawing takes some 300 MiB%s: allow more", note);
    else if (backends[BACKEND_OSMESA].is_slow || backends[BACKEND_EGL].is_slow)
        strings_add(advice, "this machine is slow, or busy: try again, and give it longer, as with --timeout 120");
    else if (libraries)
        strings_printf(advice, "libraries are missing in %s: unpack the tarball again", libraries);
    else
        for (size_t i = 0; i < COUNT(packages); i++)
            strings_add(advice, packages[i]);
}

/* `first` is the back end that auto takes, or BACKEND_AUTO, which is empty: nothing works. */
static json_t *make_report(const struct backend backends[BACKEND_COUNT], enum backend_choice first)
{
    bool works = first != BACKEND_AUTO;
    SCOPED_BY(strings_release) struct strings notes = {0}, advice = {0};
    json_t *root = json_object(), *array = json_array();
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        const struct backend *backend = &backends[i];
        const struct identity *identity = &backend->trial.identity;
        json_array_append_new(
            array,
            json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name", backend->name, "works",
                      backend->problem == NULL, "problem", text_unless_empty(backend->problem), "renderer",
                      text_unless_empty(identity->name), "library", text_unless_empty(identity->library), "probe",
                      text_unless_empty(identity->probe), "driver_messages", text_unless_empty(backend->output)));
    }
    json_object_set_new(root, "version", json_string(SHEETBAKE_VERSION));
    json_object_set_new(root, "backends", array);
    json_object_set_new(root, "auto", text_or_null(works ? backend_names[first] : NULL));
    json_object_set_new(root, "libraries", text_unless_empty(backends[first].trial.identity.program));
    add_readers(root, &notes);
    add_shader_cache(root, &notes);
    add_environment(root, &notes);
    add_cpus_and_memory(root, &notes);
    add_sandbox(root);
    json_object_set_new(root, "notes", json_texts(&notes, 0));
    if (!works)
        add_advice(backends, &advice);
    json_object_set_new(root, "advice", json_texts(&advice, 0));
    return root;
}

/* -- Text -------------------------------------------------------------------------------------------------- */

/* A row for each fact that is known, and for each line of it: with the name of its object, and its own in that. Objects of a
 * list have names. */
static void print_facts(const char *name, const char *key, json_t *value)
{
    const char *inner, *item_name;
    json_t *item;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach(value, inner, item) if (strcmp(inner, "name") != 0) print_facts(name, inner, item);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            item_name = json_string_value(json_object_get(item, "name"));
            print_facts(item_name ? item_name : name, key, item);
        }
    } else if (!json_is_null(value)) {
        const char *words = json_string_value(value), *yes = json_is_true(value) ? "yes" : "no";
        words = json_is_boolean(value) ? yes : words;
        SCOPED char *text = words ? must_strdup(words) : must_printf("%.15g", json_number_value(value));
        for (char *at = text, *line; (line = strsep(&at, "\n"));)
            cli_print_line("%-13s %s%s%s", name, key, *key ? ": " : "", line);
    }
}

/* -- The command ------------------------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    struct doctor_args args = {.timeout_s = 20};
    int exit_code = args_read(&doctor_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    struct backend backends[BACKEND_COUNT] = {0}; /* by choice; that of auto is empty */
    enum backend_choice first = BACKEND_AUTO;     /* what auto takes; BACKEND_AUTO: nothing works */
    for (enum backend_choice i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        try_backend(i, args.timeout_s, &backends[i]);
        if (!backends[i].problem && first == BACKEND_AUTO)
            first = i;
    }
    exit_code = first == BACKEND_AUTO ? EXIT_NO_BACKEND : EXIT_DONE;
    json_t *root = make_report(backends, first);
    struct error err;
    if (!args.is_json) {
        const char *key;
        json_t *value;
        json_object_foreach(root, key, value) print_facts(key, "", value);
        if (first == BACKEND_AUTO)
            puts("nothing here can draw: the advice says what helps");
        json_decref(root);
    } else if (json_print(root, JSON_INDENT(2) | JSON_REAL_PRECISION(4), &err) < 0) {
        exit_code = cli_fail(&err, EXIT_BROKEN);
    }
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        free(backends[i].problem);
        free(backends[i].output);
    }
    return exit_code;
}

const struct command doctor_command = {
    .name = "doctor",
    .summary = "report what this machine can draw with, and what is missing",
    .operands = {"", NULL, 0, 0},
    .about = "Reports what this machine can draw with. A process for each back end opens it, draws a triangle and "
             "checks the pixels; machines with the same probe draw the same pictures. The report also has CPUs "
             "and memory, the folder of Mesa's shader cache, what the kernel offers for the sandbox, and the "
             "environment variables that drivers read. If nothing works, it says what helps.",
    .options = options,
    .exits = exits,
    .run = run,
};
