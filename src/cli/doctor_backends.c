/* A driver may crash, hang or end the process it is in. So each is tried in a process of its own, which tells what
 * it finds through shared memory, as it goes: what was there before a crash is kept. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/doctor.h"
#include "render/gl.h"
#include "render/trial.h"
#include "run/confine.h"

/* -- In the child ------------------------------------------------------------------------------------------ */

static void copy_string(const struct gl *gl, GLenum name, char *out, size_t size)
{
    const char *text = (const char *)gl->GetString(name);
    snprintf(out, size, "%s", text ? text : "");
}

static void try_backend(enum backend_choice choice, struct trial *trial)
{
    struct context *context;
    struct error err;
    double start_s = clock_now_s();
    if (context_open(choice, &context, &err) < 0) {
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
        return;
    }
    const struct gl *gl = context_gl(context);
    trial->open_ms = 1000 * (clock_now_s() - start_s);
    snprintf(trial->description, sizeof trial->description, "%s", context_description(context));
    copy_string(gl, GL_VENDOR, trial->vendor, sizeof trial->vendor);
    copy_string(gl, GL_VERSION, trial->version, sizeof trial->version);
    copy_string(gl, GL_SHADING_LANGUAGE_VERSION, trial->glsl, sizeof trial->glsl);
    trial->is_open = true;

    start_s = clock_now_s();
    if (trial_draw(context, &err) < 0)
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
    trial->draw_ms = 1000 * (clock_now_s() - start_s);
    context_close(context);
    trial->is_drawn = !trial->reason[0];
}

/* `alive` is closed with the process, whichever way that ends; what drivers print goes to `chatter`. */
_Noreturn static void run_child(enum backend_choice choice, struct trial *trial, int chatter)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(chatter, STDOUT_FILENO);
    dup2(chatter, STDERR_FILENO);
    setenv("EGL_LOG_LEVEL", "warning", 0);
    struct sandbox_rules rules = {0};
    confine_renderer(&rules, &(struct error){0}); /* as workers are, for what works there is the question */
    try_backend(choice, trial);
    _exit(0);
}

/* -- In the parent ----------------------------------------------------------------------------------------- */

/* Waits until nobody holds the other end of the pipe any more; false when that takes too long. */
static bool wait_for_end(int pipe_end, double timeout_s)
{
    double end_s = clock_now_s() + timeout_s;
    struct pollfd poll_end = {.fd = pipe_end};
    for (;;) {
        double left_s = end_s - clock_now_s();
        int ready = poll(&poll_end, 1, left_s > 0 ? (int)(1000 * left_s) + 1 : 0);
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

static int reap(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static const char *stage_of(const struct trial *trial)
{
    return trial->is_drawn ? "closing" : trial->is_open ? "drawing with" : "opening";
}

/* Why it is of no use, or NULL. The caller frees it. */
static char *judge(const struct trial *trial, bool timed_out, int status, double timeout_s)
{
    if (timed_out)
        return must_printf("killed after %g s while %s it", timeout_s, stage_of(trial));
    if (WIFSIGNALED(status))
        return must_printf("the driver crashed while %s it: signal %d (%s)", stage_of(trial), WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    if (trial->reason[0])
        return must_strdup(trial->reason);
    if (!trial->is_drawn || WEXITSTATUS(status))
        return must_printf("the driver ended the process with status %d while %s it", WEXITSTATUS(status),
                           stage_of(trial));
    return NULL;
}

/* The beginning of what was printed, without the line end; NULL for nothing. */
static char *read_chatter(int file)
{
    char text[2048];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    return length > 0 ? must_printf("%.*s", (int)length, text) : NULL;
}

static int watch_child(enum backend_choice choice, double timeout_s, struct trial *trial, int chatter,
                       struct backend_finding *out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fflush(NULL); /* or the child would print it again */
    pid_t child = fork();
    if (child == 0)
        run_child(choice, trial, chatter);
    close(ends[1]);
    if (child > 0) {
        bool timed_out = !wait_for_end(ends[0], timeout_s);
        if (timed_out)
            kill(child, SIGKILL);
        int status = reap(child);
        out->problem = judge(trial, timed_out, status, timeout_s);
    }
    close(ends[0]);
    return child > 0 ? 0 : -1;
}

void backend_try(enum backend_choice choice, double timeout_s, struct backend_finding *out)
{
    *out = (struct backend_finding){.name = backend_names[choice]};
    struct trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int chatter = memfd_create("driver messages", MFD_CLOEXEC);
    if (trial == MAP_FAILED || chatter < 0 || watch_child(choice, timeout_s, trial, chatter, out) < 0)
        out->problem = must_printf("cannot start a process to try it: %m");
    if (chatter >= 0) {
        out->chatter = read_chatter(chatter);
        close(chatter);
    }
    if (trial != MAP_FAILED) {
        out->trial = *trial;
        munmap(trial, sizeof *trial);
    }
}

void backend_finding_release(struct backend_finding *finding)
{
    free(finding->problem);
    free(finding->chatter);
    *finding = (struct backend_finding){0};
}
