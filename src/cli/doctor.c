#include "cli/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/args.h"

static const char about[] =
    "Says what this machine can draw with. Each back end is opened in a process of its own, where it draws a "
    "triangle whose pixels are checked. Then come CPUs, memory and limits, the folder in which Mesa keeps "
    "compiled shaders, what this kernel has for the sandbox of workers, and the variables drivers listen to. "
    "Where nothing works, it says what to install.";

static const struct exit_cause exits[] = {
    {"0", "something can draw"},
    {"2", "wrong options"},
    {"4", "nothing can"},
    {"5", "the result cannot be written"},
    {0},
};

struct doctor_args {
    bool is_json;
    double timeout_s;
};

static const struct arg options[] = {
    ARG_JSON(struct doctor_args, is_json),
    {"timeout", 0, "SEC", "the longest a back end may take (default 20)",
     ARG_NUMBER(struct doctor_args, timeout_s, 0.1, 3600)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct doctor_args *args)
{
    int exit_code = args_read(&doctor_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    return optind < argc ? cli_usage_error(&doctor_command, "'%s': there is nothing to name here", argv[optind])
                         : -1;
}

/* -- Findings ---------------------------------------------------------------------------------------------- */

/* What a worker with the driver in it takes at least, and with large textures. */
static const double worker_bytes = 256.0 * 1024 * 1024;

static double usable_memory(const struct machine *machine)
{
    double memory = machine->memory_available;
    return machine->memory_limit > 0 && machine->memory_limit < memory ? machine->memory_limit : memory;
}

static void note_memory(const struct machine *machine, struct strings *notes)
{
    double memory = usable_memory(machine);
    unsigned workers = (unsigned)(memory / worker_bytes);
    if (memory > 0 && workers < machine->cpus_usable)
        strings_printf(notes, "%.0f MiB of memory may be too little for %u workers: render with -j%u",
                       memory / (1024 * 1024), machine->cpus_usable, workers ? workers : 1);
}

static void add_notes(const struct machine *machine, struct strings *notes)
{
    if (machine->cache_problem)
        strings_add(notes, "without a shader cache each worker compiles its shaders anew (about 30 ms): "
                           "set MESA_SHADER_CACHE_DIR to a folder that can be written and lasts");
    const char *threads = getenv("LP_NUM_THREADS");
    if (threads && strcmp(threads, "0"))
        strings_printf(notes, "LP_NUM_THREADS=%s gives each worker threads of its own, which slow each other down",
                       threads);
    note_memory(machine, notes);
}

static void add_advice(struct strings *advice)
{
    struct blob os_release = {0};
    struct error ignored;
    const size_t limit = 64 * 1024;
    bool is_read = file_read("/etc/os-release", limit, &os_release, &ignored) == 0;
    char *text = is_read ? strndup((const char *)os_release.data, os_release.size) : NULL;
    advise_install(text ? text : "", advice);
    free(text);
    blob_release(&os_release);
}

static void examine(double timeout_s, struct findings *out)
{
    *out = (struct findings){.first = BACKEND_AUTO};
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        backend_try((enum backend_choice)i, timeout_s, &out->backends[i]);
        if (!out->backends[i].problem && out->first == BACKEND_AUTO)
            out->first = (enum backend_choice)i;
    }
    machine_look(&out->machine);
    sandbox_try(&out->sandbox);
    add_notes(&out->machine, &out->notes);
    if (out->first == BACKEND_AUTO)
        add_advice(&out->advice);
}

static void release(struct findings *findings)
{
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++)
        backend_finding_release(&findings->backends[i]);
    machine_release(&findings->machine);
    sandbox_state_release(&findings->sandbox);
    strings_release(&findings->notes);
    strings_release(&findings->advice);
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

static void print_size(const char *before, double bytes, const char *after)
{
    char text[32];
    printf("%s%s%s", before, size_text(bytes, text), after);
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

static void print_backend(const struct backend_finding *backend)
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
    if (backend->chatter)
        print_lines("driver: ", backend->chatter);
}

static void print_cpus(const struct machine *machine, const char *features)
{
    printf("  CPUs          %u usable (%u allowed of %u online", machine->cpus_usable, machine->cpus_allowed,
           machine->cpus_online);
    if (machine->cpu_quota > 0)
        printf(", cgroup quota %g", machine->cpu_quota);
    printf(")%s%s\n", *features ? ": " : "", features);
}

/* Those that decide about what is made: "NAME BUILD, ...". */
static void print_program(const char *libraries)
{
    const char *lead = "  libraries     ";
    for (size_t length; *libraries; lead = "                ") {
        length = strcspn(libraries, ",");
        printf("%s%.*s\n", lead, (int)length, libraries);
        libraries += length + strspn(libraries + length, ", ");
    }
}

static void print_memory(const struct machine *machine)
{
    print_size("  memory        ", machine->memory, "");
    print_size(", ", machine->memory_available, " available");
    if (machine->memory_limit > 0)
        print_size(", cgroup limit ", machine->memory_limit, "");
    putchar('\n');
}

static void print_limits(const struct machine *machine)
{
    printf("  limits        ");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit *limit = &machine->limits[i];
        if (limit->most == RLIM_INFINITY)
            continue;
        printf("%s ", limit->name);
        if (limit->is_size)
            print_size("", (double)limit->most, ", ");
        else
            printf("%llu, ", (unsigned long long)limit->most);
    }
    puts("no others");
}

static void print_cache(const struct machine *machine)
{
    char free_text[32] = "";
    bool is_known = !machine->cache_problem && machine->cache_free > 0;
    cli_print_line("  shader cache  %s: %s%s%s%s", machine->cache_folder ? machine->cache_folder : "no folder",
                   machine->cache_problem ? machine->cache_problem : "writable", is_known ? ", " : "",
                   is_known ? size_text(machine->cache_free, free_text) : "", is_known ? " free" : "");
}

static void print_sandbox(const struct sandbox_state *sandbox)
{
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
    if (list->count == 0)
        return;
    printf("\n%s\n", title);
    for (size_t i = 0; i < list->count; i++)
        cli_print_line("  %s", list->items[i]);
}

static void print_text(const struct findings *findings)
{
    printf("sheetbake %s\n\nBack ends\n", SHEETBAKE_VERSION);
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++)
        print_backend(&findings->backends[i]);
    if (findings->first != BACKEND_AUTO)
        printf("  auto     takes %s\n", backend_names[findings->first]);
    const struct identity *identity = &findings->backends[findings->first].trial.identity;
    puts("\nMachine");
    print_cpus(&findings->machine, identity->cpu);
    print_program(identity->program);
    print_memory(&findings->machine);
    print_limits(&findings->machine);
    print_cache(&findings->machine);
    print_sandbox(&findings->sandbox);
    print_list("Environment", &findings->machine.environment);
    print_list("Notes", &findings->notes);
    print_list("Nothing here can draw. Install one of", &findings->advice);
}

static int run(int argc, char **argv)
{
    struct doctor_args args = {.timeout_s = 20};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    struct findings findings;
    examine(args.timeout_s, &findings);
    exit_code = findings.first == BACKEND_AUTO ? EXIT_NO_BACKEND : EXIT_DONE;
    if (!args.is_json)
        print_text(&findings);
    else if (findings_print_json(&findings, stdout) < 0)
        exit_code = EXIT_BROKEN;
    release(&findings);
    return exit_code;
}

const struct command doctor_command = {
    .name = "doctor",
    .summary = "say what this machine can draw with, and what it lacks",
    .operands = "",
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
