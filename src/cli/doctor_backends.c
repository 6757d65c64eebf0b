/* A driver may crash, hang or end the process it is in. So each is tried in a child process, which writes what it
 * finds into shared memory, as it goes: what was there before a crash is kept. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/doctor.h"
#include "os/child.h"
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
    copy_string(gl, GL_VENDOR, trial->vendor, sizeof trial->vendor);
    copy_string(gl, GL_VERSION, trial->version, sizeof trial->version);
    copy_string(gl, GL_SHADING_LANGUAGE_VERSION, trial->glsl, sizeof trial->glsl);
    identity_take(context, &trial->identity);
    trial->is_open = true;

    start_s = clock_now_s();
    if (trial_draw(context, &err) < 0)
        snprintf(trial->reason, sizeof trial->reason, "%s", err.text);
    trial->draw_ms = 1000 * (clock_now_s() - start_s);
    context_close(context);
    trial->is_drawn = !trial->reason[0];
}

struct question {
    enum backend_choice choice;
    struct trial *trial;
};

static int make_trial(void *context, struct blob *out)
{
    const struct question *question = context;
    struct sandbox_rules rules = {0};
    (void)out;
    setenv("EGL_LOG_LEVEL", "warning", 0);
    confine_renderer(&rules, &(struct error){0}); /* as workers are, for what works there is the question */
    try_backend(question->choice, question->trial);
    return 0;
}

/* -- In the parent ----------------------------------------------------------------------------------------- */

/* The beginning of what was printed, without the line end; NULL for nothing. */
static char *read_chatter(int file)
{
    char text[2048];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    return length > 0 ? must_printf("%.*s", (int)length, text) : NULL;
}

/* Why it is of no use, or NULL. The caller frees it. */
static char *find_problem(const struct child *child, const struct trial *trial)
{
    struct blob nothing = {0};
    struct error err;
    if (child_run(child, &nothing, &err) < 0)
        return must_printf("%s while %s it", err.text,
                           trial->is_drawn  ? "closing"
                           : trial->is_open ? "drawing with"
                                            : "opening");
    blob_release(&nothing);
    return trial->reason[0] ? must_strdup(trial->reason) : NULL;
}

void backend_try(enum backend_choice choice, double timeout_s, struct backend_finding *out)
{
    *out = (struct backend_finding){.name = backend_names[choice]};
    struct trial *trial = mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int chatter = memfd_create("driver messages", MFD_CLOEXEC);
    if (trial == MAP_FAILED || chatter < 0) {
        out->problem = must_printf("cannot start a process to try it: %m");
    } else {
        struct question question = {choice, trial};
        const struct child child = {"tried it", timeout_s, chatter, make_trial, &question};
        out->problem = find_problem(&child, trial);
        out->chatter = read_chatter(chatter);
        out->trial = *trial;
    }
    if (chatter >= 0)
        close(chatter);
    if (trial != MAP_FAILED)
        munmap(trial, sizeof *trial);
}

void backend_finding_release(struct backend_finding *finding)
{
    free(finding->problem);
    free(finding->chatter);
    *finding = (struct backend_finding){0};
}
