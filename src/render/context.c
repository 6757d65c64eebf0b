#include "render/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/backend.h"
#include "render/gl.h"

const char *const backend_names[BACKEND_COUNT] = {
    [BACKEND_AUTO] = "auto",
    [BACKEND_OSMESA] = "osmesa",
    [BACKEND_EGL] = "egl",
};

/* OSMesa is first: it never takes a GPU, so that a list gives the same pictures on every machine that has it. */
const struct backend *const all_backends[] = {
    [BACKEND_OSMESA - 1] = &osmesa_backend,
    [BACKEND_EGL - 1] = &egl_backend,
    [BACKEND_COUNT - 1] = NULL,
};

struct context {
    const struct backend *backend;
    void *state;
    struct gl gl;
    char description[256];
};

static int load_entry_points(struct context *context, struct error *err)
{
    void *entry;
#define X(name, type)                                                                                             \
    entry = context->backend->entry_point(context->state, "gl" #name);                                            \
    if (!entry)                                                                                                   \
        return error_set(err, "it has no gl" #name);                                                              \
    memcpy(&context->gl.name, &entry, sizeof entry);
    GL_ENTRY_POINTS(X)
#undef X
    return 0;
}

/* GL_VERSION is "3.3 (Core Profile) Mesa 22.3.6" or "3.3.0 NVIDIA 535.54.03"; builds from git add "(git-0123456)". The
 * driver's own version is the first word with a digit after the first word. */
static const char *driver_version(const char *version, int *length)
{
    for (const char *word = version + strcspn(version, " "); *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        *length = (int)strcspn(word, " ");
        if (*word >= '0' && *word <= '9')
            return word;
    }
    *length = 0;
    return "";
}

static void describe(struct context *context)
{
    const char *renderer = (const char *)context->gl.GetString(GL_RENDERER);
    const char *version = (const char *)context->gl.GetString(GL_VERSION);
    int length = 0;
    const char *driver = driver_version(version ? version : "", &length);
    snprintf(context->description, sizeof context->description, "%s%s%.*s, %s", context->backend->name,
             length ? " " : "", length, driver, renderer ? renderer : "unknown renderer");
}

static int open_backend(struct context *context, const struct backend *backend, struct error *err)
{
    context->backend = backend;
    if (backend->open(&context->state, err) < 0)
        return -1;
    if (load_entry_points(context, err) < 0) {
        backend->close(context->state);
        return -1;
    }
    describe(context);
    return 0;
}

static int open_first(struct context *context, struct error *err)
{
    struct error all = {"no rendering back end works"};
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++) {
        struct error reason;
        if (open_backend(context, all_backends[i - 1], &reason) == 0)
            return 0;
        size_t length = strlen(all.text);
        snprintf(all.text + length, sizeof all.text - length, "%s %s: %s", i > BACKEND_AUTO + 1 ? ";" : ":",
                 all_backends[i - 1]->name, reason.text);
    }
    *err = all;
    return -1;
}

static int open_chosen(struct context *context, enum backend_choice choice, struct error *err)
{
    if (choice == BACKEND_AUTO)
        return open_first(context, err);
    if (open_backend(context, all_backends[choice - 1], err) < 0)
        return error_add(err, "%s does not work", all_backends[choice - 1]->name);
    return 0;
}

int context_open(enum backend_choice choice, struct context **out, struct error *err)
{
    struct context *context = must_alloc(1, sizeof *context);
    /* Parallelism comes from the workers: llvmpipe, behind either back end, is to draw in the thread that asks. A
     * user's own setting wins. */
    setenv("LP_NUM_THREADS", "0", 0);
    if (open_chosen(context, choice, err) < 0) {
        free(context);
        return -1;
    }
    *out = context;
    return 0;
}

void context_close(struct context *context)
{
    if (!context)
        return;
    context->backend->close(context->state);
    free(context);
}

const struct gl *context_gl(const struct context *context)
{
    return &context->gl;
}

enum backend_choice context_choice(const struct context *context)
{
    enum backend_choice choice = BACKEND_AUTO + 1;
    while (all_backends[choice - 1] != context->backend)
        choice++;
    return choice;
}

const char *context_description(const struct context *context)
{
    return context->description;
}
