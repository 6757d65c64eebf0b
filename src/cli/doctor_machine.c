#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/doctor.h"
#include "render/shader_cache.h"
#include "os/cgroup.h"
#include "os/cpus.h"

/* -- CPUs, memory and limits ------------------------------------------------------------------------------- */

static unsigned count_allowed_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

/* Lines of /proc/meminfo are "MemTotal:       24683596 kB". */
static void read_memory(struct machine *machine)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[256];
    double kib;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %lf kB", &kib) == 1)
            machine->memory = 1024 * kib;
        else if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            machine->memory_available = 1024 * kib;
    }
    if (file)
        fclose(file);
    machine->memory_limit = cgroup_memory_limit("");
}

static void read_limits(struct limit limits[LIMIT_COUNT])
{
    static const struct {
        const char *name, *key;
        bool is_size;
        int resource;
    } known[LIMIT_COUNT] = {
        {"address space", "address_space", true, RLIMIT_AS}, {"data", "data", true, RLIMIT_DATA},
        {"file size", "file_size", true, RLIMIT_FSIZE},      {"open files", "open_files", false, RLIMIT_NOFILE},
        {"processes", "processes", false, RLIMIT_NPROC},     {"CPU seconds", "cpu_seconds", false, RLIMIT_CPU},
    };
    for (int i = 0; i < LIMIT_COUNT; i++) {
        struct rlimit limit;
        limits[i] = (struct limit){known[i].name, known[i].key, known[i].is_size, RLIM_INFINITY};
        if (getrlimit((__rlimit_resource_t)known[i].resource, &limit) == 0)
            limits[i].most = limit.rlim_cur;
    }
}

/* -- The shader cache -------------------------------------------------------------------------------------- */

/* What Mesa makes in it. */
static char *find_cache_folder(void)
{
    char *folder = shader_cache_folder(NULL), *inner = folder ? path_join(folder, "mesa_shader_cache") : NULL;
    free(folder);
    return inner;
}

static double free_bytes(const char *folder)
{
    struct statvfs info;
    return folder && statvfs(folder, &info) == 0 ? (double)info.f_bavail * (double)info.f_frsize : 0;
}

/* -- The environment --------------------------------------------------------------------------------------- */

static void list_environment(struct strings *out)
{
    static const char *const prefixes[] = {"MESA_", "LIBGL_", "GALLIUM_", "LP_", "EGL_", "__EGL_", "GBM_"};
    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (!strncmp(*entry, prefixes[i], strlen(prefixes[i])))
                strings_add(out, *entry);
    strings_sort(out);
}

/* -- Together ---------------------------------------------------------------------------------------------- */

void machine_look(struct machine *out)
{
    *out = (struct machine){
        .cpus_online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
        .cpus_allowed = count_allowed_cpus(),
        .cpus_usable = cpus_usable(),
        .cpu_quota = cgroup_cpu_quota(""),
        .cache_folder = find_cache_folder(),
    };
    read_memory(out);
    read_limits(out->limits);
    out->cache_problem = shader_cache_problem(out->cache_folder);
    out->cache_free = free_bytes(out->cache_folder);
    list_environment(&out->environment);
}

void machine_release(struct machine *machine)
{
    free(machine->cache_folder);
    strings_release(&machine->environment);
    *machine = (struct machine){0};
}

/* -- What to install --------------------------------------------------------------------------------------- */

/* Whether the file names this system as its own (ID) or as one that it is like (ID_LIKE). */
static bool names_system(const char *os_release, const char *system)
{
    size_t length = strlen(system);
    for (const char *line = os_release; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, "ID=", 3) && strncmp(line, "ID_LIKE=", 8))
            continue;
        for (const char *word = line; *word && *word != '\n'; word++) {
            bool starts = word == line || strchr("=\"' ", word[-1]);
            if (starts && !strncmp(word, system, length) && (!word[length] || strchr("\"' \n", word[length])))
                return true;
        }
    }
    return false;
}

void advise_install(const char *os_release, struct strings *out)
{
    static const struct {
        const char *system, *commands[2];
    } known[] = {
        {"debian", {"apt-get install libosmesa6", "apt-get install libegl1 libgl1-mesa-dri"}},
        {"fedora", {"dnf install mesa-libEGL mesa-dri-drivers"}},
        {"alpine", {"apk add mesa-egl mesa-dri-gallium"}},
        {"arch", {"pacman -S mesa"}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t c = 0; names_system(os_release, known[i].system) && c < 2 && known[i].commands[c]; c++)
            strings_add(out, known[i].commands[c]);
    if (out->count == 0)
        strings_add(out, "the packages of your system with Mesa's libOSMesa, or with libEGL and Mesa's drivers");
}
