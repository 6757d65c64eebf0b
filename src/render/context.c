#include "render/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/backend.h"
#include "render/gl.h"

static const struct backend *const backends[] = {&osmesa_backend};

struct context {
    const struct backend *backend;
    void *state;
    struct gl gl;
    char description[256];
};

static int load_entry_points(struct context *context, struct error *err)
{
    void *entry;
#define X(name, type)                                                                                              \
    entry = context->backend->entry_point(context->state, "gl" #name);                                             \
    if (!entry)                                                                                                    \
        return error_set(err, "it has no gl" #name);                                                               \
    memcpy(&context->gl.name, &entry, sizeof entry);
    GL_ENTRY_POINTS(X)
#undef X
    return 0;
}

/* GL_VERSION is "3.3 (Core Profile) Mesa 22.3.6": its last word is the Mesa version. */
static void describe(struct context *context)
{
    const char *renderer = (const char *)context->gl.GetString(GL_RENDERER);
    const char *version = (const char *)context->gl.GetString(GL_VERSION);
    const char *mesa = version ? strrchr(version, ' ') : NULL;
    snprintf(context->description, sizeof context->description, "%s%s, %s", context->backend->name, mesa ? mesa : "",
             renderer ? renderer : "unknown renderer");
}

static int open_backend(struct context *context, struct error *err)
{
    if (context->backend->open(&context->state, err) < 0)
        return -1;
    if (load_entry_points(context, err) < 0) {
        context->backend->close(context->state);
        return -1;
    }
    describe(context);
    return 0;
}

int context_open(struct context **out, struct error *err)
{
    struct error all = {"no rendering back end works"};
    struct context *context = must_alloc(1, sizeof *context);

    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct error reason;
        context->backend = backends[i];
        if (open_backend(context, &reason) == 0) {
            *out = context;
            return 0;
        }
        size_t length = strlen(all.text);
        snprintf(all.text + length, sizeof all.text - length, "%s %s: %s", i ? ";" : ":", backends[i]->name, reason.text);
    }
    free(context);
    *err = all;
    return -1;
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

const char *context_description(const struct context *context)
{
    return context->description;
}
