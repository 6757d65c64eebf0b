#include "os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "os/child.h"
#include "os/resources.h"

const char *const sandbox_mode_names[SANDBOX_MODE_COUNT] = {
    [SANDBOX_AUTO] = "auto",
    [SANDBOX_REQUIRE] = "require",
    [SANDBOX_OFF] = "off",
};

void sandbox_rules_release(struct sandbox_rules *rules)
{
    strings_release(&rules->read);
    strings_release(&rules->write);
}

/* -- Privileges -------------------------------------------------------------------------------------------- */

static const unsigned kept_mask = 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER;

static int drop_capabilities(struct error *err)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
        if (i >= 32 || !(kept_mask & 1u << i))
            prctl(PR_CAPBSET_DROP, i, 0, 0, 0); /* fails without CAP_SETPCAP, which then has nothing to lose */

    if (syscall(SYS_capget, &header, data) < 0)
        return error_set(err, "cannot read the capabilities: %s", strerror(errno));
    data[0].effective &= kept_mask;
    data[0].permitted &= kept_mask;
    data[1].effective = data[1].permitted = 0;
    data[0].inheritable = data[1].inheritable = 0;
    if (syscall(SYS_capset, &header, data) < 0)
        return error_set(err, "cannot drop capabilities: %s", strerror(errno));
    return 0;
}

int sandbox_drop_privileges(struct error *err)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return error_set(err, "cannot give up new privileges: %s", strerror(errno));
    return drop_capabilities(err);
}

/* -- Landlock ---------------------------------------------------------------------------------------------- */

/* Landlock: the kernel lets this process use the files it was given, and no others. These are raw system calls, which
 * the C library lacks. A number, the ABI, says what a kernel can do:
 *
 *     1  files and folders          (Linux 5.13)      4  no TCP                            (6.7)
 *     2  links across folders       (5.19)            5  ioctl on devices                  (6.10)
 *     3  cutting files short        (6.2)             6  signals and abstract sockets      (6.12)
 *
 * A file without a rule is refused. Links in a path are followed when its rule is made; one that is made later leads
 * nowhere. */

/* As <linux/landlock.h> has them, which may be older than the kernel, or missing. Numbers of new system calls are the
 * same on all machines. */
enum { CALL_CREATE_RULESET = 444, CALL_ADD_RULE = 445, CALL_RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1 };
enum { RULE_PATH_BENEATH = 1 };

enum file_right {
    RIGHT_EXECUTE = 1 << 0,
    RIGHT_WRITE_FILE = 1 << 1,
    RIGHT_READ_FILE = 1 << 2,
    RIGHT_READ_DIR = 1 << 3,
    RIGHT_REMOVE_DIR = 1 << 4,
    RIGHT_REMOVE_FILE = 1 << 5,
    RIGHT_MAKE_DIR = 1 << 7,
    RIGHT_MAKE_REG = 1 << 8,
    RIGHTS_OF_ABI_1 = (1 << 13) - 1,
    RIGHT_REFER = 1 << 13,
    RIGHT_TRUNCATE = 1 << 14,
    RIGHT_IOCTL_DEV = 1 << 15,
    RIGHTS_OF_FILES = RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV,
};

enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1 };
enum { SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1 };

/* Older kernels take it when the members that they do not know are 0. */
struct ruleset {
    uint64_t handled_files, handled_net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t fd;
} __attribute__((packed));

int landlock_abi(struct error *err)
{
    long abi = syscall(CALL_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    if (abi > 0)
        return (int)abi;
    switch (errno) {
    case ENOSYS:
        return error_set(err, "this kernel has no Landlock (since Linux 5.13), or a container refuses it");
    case EOPNOTSUPP:
        return error_set(err,
                         "Landlock was turned off when this kernel was started (see lsm= on its command line)");
    default:
        return error_set(err, "Landlock is refused: %s", strerror(errno));
    }
}

static uint64_t file_rights_of(int abi)
{
    return RIGHTS_OF_ABI_1 | (abi >= 2 ? RIGHT_REFER : 0) | (abi >= 3 ? RIGHT_TRUNCATE : 0) |
           (abi >= 5 ? RIGHT_IOCTL_DEV : 0);
}

int landlock_begin(int abi, struct error *err)
{
    const struct ruleset ruleset = {
        .handled_files = file_rights_of(abi),
        .handled_net = abi >= 4 ? NET_BIND_TCP | NET_CONNECT_TCP : 0,
        .scoped = abi >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
    };
    long fd = syscall(CALL_CREATE_RULESET, &ruleset, sizeof ruleset, 0);
    return fd < 0 ? error_set(err, "Landlock takes no rules: %s", strerror(errno)) : (int)fd;
}

void landlock_allow(int rules, int abi, enum landlock_use use, const char *path)
{
    static const uint64_t rights[] = {
        [LANDLOCK_READ] = RIGHT_READ_FILE | RIGHT_READ_DIR,
        [LANDLOCK_WRITE] = RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_WRITE_FILE | RIGHT_TRUNCATE |
                           RIGHT_REMOVE_FILE | RIGHT_REMOVE_DIR | RIGHT_MAKE_DIR | RIGHT_MAKE_REG,
        [LANDLOCK_DEVICE] = RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_WRITE_FILE | RIGHT_IOCTL_DEV,
    };
    struct stat info;
    SCOPED_BY(file_close) int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) < 0)
        return;
    uint64_t of_kind = S_ISDIR(info.st_mode) ? UINT64_MAX : RIGHTS_OF_FILES;
    const struct path_rule rule = {rights[use] & of_kind & file_rights_of(abi), fd};
    syscall(CALL_ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0);
}

int landlock_enter(int rules, struct error *err)
{
    long result = syscall(CALL_RESTRICT_SELF, rules, 0);
    int reason = errno;
    close(rules);
    if (result == 0)
        return 0;
    return reason == E2BIG
               ? error_set(err, "Landlock: this process is in 16 sandboxes already, and no more are allowed")
               : error_set(err, "Landlock does not confine this process: %s", strerror(reason));
}

/* -- Files ------------------------------------------------------------------------------------------------- */

/* Files of the system that a worker opens: the libraries of the renderer and the files that they read. Found with strace,
 * from Mesa 22.3 (OSMesa and EGL) with LLVM 15, and in the sources of GPU drivers. Many exist on some systems only. */
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
    /* The process itself: its memory, and for the reports of sanitizers. */
    "/proc/self/statm", "/proc/self/maps", "/proc/self/cmdline",
};
/* clang-format on */

/* Variables with paths, or lists of them, that drivers and the loader of libraries read. */
static const char *const variables[] = {
    "LD_LIBRARY_PATH",
    "SHEETBAKE_LIBRARIES", /* where tools/relocatable has them */
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

static void add_readable(struct strings *out)
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

    /* The folders of libraries that ld.so.conf names, a line each. The files that it includes have always this pattern. */
    SCOPED_BY(strings_release) struct strings files = {0};
    strings_add(&files, "/etc/ld.so.conf");
    add_matches("/etc/ld.so.conf.d/*.conf", &files);
    for (size_t i = 0; i < files.count; i++) {
        SCOPED_BY(stream_close) FILE *file = fopen(files.items[i], "re");
        char line[4096];
        while (file && fgets(line, sizeof line, file))
            if (line[0] == '/')
                add_list(line, " \t\n", out);
    }
}

static void allow_all(int fd, int abi, enum landlock_use use, const struct strings *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        landlock_allow(fd, abi, use, paths->items[i]);
}

static int confine_files(const struct sandbox_rules *rules, int *abi, struct error *err)
{
    int found = landlock_abi(err);
    int fd = found < 0 ? -1 : landlock_begin(found, err);
    if (fd < 0)
        return -1;
    SCOPED_BY(strings_release) struct strings system = {0}, device_files = {0};
    add_readable(&system);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        add_matches(devices[i], &device_files);
    allow_all(fd, found, LANDLOCK_READ, &system);
    allow_all(fd, found, LANDLOCK_DEVICE, &device_files);
    allow_all(fd, found, LANDLOCK_READ, &rules->read);
    allow_all(fd, found, LANDLOCK_WRITE, &rules->write);
#ifdef SANDBOX_COUNTERS /* where `config=cover` keeps them */
    landlock_allow(fd, found, LANDLOCK_WRITE, SANDBOX_COUNTERS);
#endif
    if (landlock_enter(fd, err) < 0)
        return -1;
    *abi = found;
    return 0;
}

/* -- All parts --------------------------------------------------------------------------------------------- */

/* Landlock does not confine other threads that exist already. */
static bool is_one_thread(void)
{
    SCOPED_BY(folder_close) DIR *threads = opendir("/proc/self/task");
    unsigned count = 0;
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        count += entry->d_name[0] != '.';
    return count <= 1; /* 0: there is no /proc */
}

static void replace_file(int fd, const char *path, int flags)
{
    SCOPED_BY(file_close) int other = open(path, flags | O_NOCTTY | O_CLOEXEC);
    if (other >= 0)
        dup2(other, fd);
}

/* A process that reads strangers' files must not read what the user types: it may be meant for the shell. A terminal is
 * mostly open for reading as well, even as standard output. One that belongs to another user, as after su, cannot be
 * opened again and stays as it is. */
static void stop_reading_streams(void)
{
    replace_file(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (isatty(STDOUT_FILENO))
        replace_file(STDOUT_FILENO, "/proc/self/fd/1", O_WRONLY);
    if (isatty(STDERR_FILENO))
        replace_file(STDERR_FILENO, "/proc/self/fd/2", O_WRONLY);
}

/* In this order: Landlock and seccomp need no_new_privs, and seccomp refuses calls that build the rules of Landlock. */
static void confine(const struct sandbox_rules *rules, struct sandbox_state *state)
{
    struct error err;
    stop_reading_streams();
    if (sandbox_drop_privileges(&err) < 0)
        strings_add(&state->missing, err.text);
    state->has_no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    if (!is_one_thread())
        strings_add(&state->missing, "threads that were started before are not confined");
    if (confine_files(rules, &state->landlock_abi, &err) < 0)
        strings_add(&state->missing, err.text);
    if (syscalls_restrict(&err) < 0)
        strings_add(&state->missing, err.text);
    else
        state->has_filter = true;
}

int sandbox_enter(const struct sandbox_rules *rules, struct sandbox_state *out, struct error *err)
{
    struct sandbox_state state = {0};
    if (rules->mode != SANDBOX_OFF)
        confine(rules, &state);
    int result = 0;
    if (rules->mode == SANDBOX_REQUIRE && state.missing.count > 0)
        result = error_set(err, "--sandbox require: %s", state.missing.items[0]);
    if (out)
        *out = state;
    else
        strings_release(&state.missing);
    return result;
}

/* -- In a process of its own ------------------------------------------------------------------------------- */

struct confined {
    const struct sandbox_rules *rules;
    int (*make)(void *context, struct blob *out);
    void *context;
};

static int make_confined(void *context, struct blob *out)
{
    const struct confined *confined = context;
    struct error err;
    if (sandbox_enter(confined->rules, NULL, &err) < 0)
        _exit(1);
    return confined->make(confined->context, out);
}

int sandbox_run(const struct sandbox_rules *rules, double timeout_s, int (*make)(void *context, struct blob *out),
                void *context, struct blob *out, struct error *err)
{
    struct confined confined = {rules, make, context};
    memory_allow(memory_usable() / 2);
    memory_limit(memory_usable() / 2); /* of this process, too: the sandbox hides the files of control groups */
    if (rules->mode == SANDBOX_OFF)
        return make(context, out);
    return child_run(&(struct child){"read it", timeout_s, .make = make_confined, .context = &confined}, out, err);
}

/* The state, whose pointers mean nothing elsewhere, and behind it each text that is missing, with its '\0'. */
static int make_report(void *context, struct blob *out)
{
    (void)context;
    const struct sandbox_rules rules = {0};
    struct sandbox_state state;
    struct error err;
    struct buffer report = {0};
    sandbox_enter(&rules, &state, &err);
    buffer_add(&report, (const char *)&state, sizeof state);
    for (size_t i = 0; i < state.missing.count; i++)
        buffer_add(&report, state.missing.items[i], strlen(state.missing.items[i]) + 1);
    strings_release(&state.missing);
    *out = (struct blob){(uint8_t *)report.text, report.length};
    return 0;
}

void sandbox_try(struct sandbox_state *out)
{
    SCOPED_BY(blob_release) struct blob report = {0};
    struct error err;
    *out = (struct sandbox_state){0};
    if (child_run(&(struct child){"tried the sandbox", .make = make_report}, &report, &err) < 0) {
        strings_add(&out->missing, err.text);
        return;
    }
    memcpy(out, report.data, sizeof *out);
    out->missing = (struct strings){0};
    for (size_t at = sizeof *out; at < report.size; at += strlen((const char *)report.data + at) + 1)
        strings_add(&out->missing, (const char *)report.data + at);
}
