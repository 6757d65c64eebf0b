#include "os/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "os/child.h"
#include "os/landlock.h"
#include "os/places.h"
#include "os/privileges.h"
#include "os/syscalls.h"

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

void sandbox_state_release(struct sandbox_state *state)
{
    strings_release(&state->missing);
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
    struct strings readable = {0}, devices = {0};
    places_add_readable(&readable);
    places_add_devices(&devices);
    allow_all(fd, found, LANDLOCK_READ, &readable);
    allow_all(fd, found, LANDLOCK_DEVICE, &devices);
    allow_all(fd, found, LANDLOCK_READ, &rules->read);
    allow_all(fd, found, LANDLOCK_WRITE, &rules->write);
#ifdef SANDBOX_COUNTERS /* where `config=cover` keeps them */
    landlock_allow(fd, found, LANDLOCK_WRITE, SANDBOX_COUNTERS);
#endif
    strings_release(&readable);
    strings_release(&devices);
    if (landlock_enter(fd, err) < 0)
        return -1;
    *abi = found;
    return 0;
}

/* Landlock would not hold the others. */
static bool is_one_thread(void)
{
    DIR *threads = opendir("/proc/self/task");
    unsigned count = 0;
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        count += entry->d_name[0] != '.';
    if (threads)
        closedir(threads);
    return count <= 1; /* where there is no /proc, we are believed */
}

static void replace_file(int fd, const char *path, int flags)
{
    int other = open(path, flags | O_NOCTTY | O_CLOEXEC);
    if (other < 0)
        return;
    dup2(other, fd);
    close(other);
}

/* Nothing of ours is read from there once strangers' files are: what comes may be meant for whoever reads on behind us. A
 * terminal is mostly open to be read as well, also where it is for output. Where it belongs to someone else, as after su, it
 * stays as it is. */
static void stop_reading_streams(void)
{
    replace_file(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (isatty(STDOUT_FILENO))
        replace_file(STDOUT_FILENO, "/proc/self/fd/1", O_WRONLY);
    if (isatty(STDERR_FILENO))
        replace_file(STDERR_FILENO, "/proc/self/fd/2", O_WRONLY);
}

/* In this order: Landlock and seccomp want no_new_privs, and what builds the rules of Landlock comes before what
 * refuses calls. */
static void confine(const struct sandbox_rules *rules, struct sandbox_state *state)
{
    struct error err;
    stop_reading_streams();
    if (privileges_drop(&err) < 0)
        strings_add(&state->missing, err.text);
    state->has_no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    if (!is_one_thread())
        strings_add(&state->missing, "threads that were started before stay free");
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
        sandbox_state_release(&state);
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
    if (rules->mode == SANDBOX_OFF)
        return make(context, out);
    return child_run(&(struct child){"read it", timeout_s, .make = make_confined, .context = &confined}, out, err);
}

/* "ABI FILTER NO_NEW_PRIVILEGES" and a line for each thing that is missing, as one string. */
static int make_report(void *context, struct blob *out)
{
    (void)context;
    const struct sandbox_rules rules = {0};
    struct sandbox_state state;
    struct error err;
    struct buffer report = {0};
    sandbox_enter(&rules, &state, &err);
    buffer_printf(&report, "%d %d %d\n", state.landlock_abi, state.has_filter, state.has_no_new_privileges);
    for (size_t i = 0; i < state.missing.count; i++)
        buffer_printf(&report, "%s\n", state.missing.items[i]);
    sandbox_state_release(&state);
    *out = (struct blob){(uint8_t *)report.text, report.length + 1};
    return 0;
}

void sandbox_try(struct sandbox_state *out)
{
    struct blob report = {0};
    struct error err;
    int has_filter = 0, has_no_new_privileges = 0;
    *out = (struct sandbox_state){0};
    if (child_run(&(struct child){"tried the sandbox", .make = make_report}, &report, &err) < 0) {
        strings_add(&out->missing, err.text);
        return;
    }
    const char *text = (const char *)report.data;
    if (sscanf(text, "%d %d %d", &out->landlock_abi, &has_filter, &has_no_new_privileges) == 3) {
        out->has_filter = has_filter;
        out->has_no_new_privileges = has_no_new_privileges;
    }
    for (const char *line = strchr(text, '\n'), *end; line && (end = strchr(line + 1, '\n')); line = end)
        strings_printf(&out->missing, "%.*s", (int)(end - line - 1), line + 1);
    blob_release(&report);
}
