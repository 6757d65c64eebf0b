/* An offscreen OpenGL 3.3 core context, current in the process that opened it.
 *
 * The library behind it is opened with dlopen when the context is, and every GL entry point comes from its own
 * loader: commands that draw nothing never pay for loading LLVM, and the program starts where the library does
 * not exist. */
#ifndef RENDER_CONTEXT_H
#define RENDER_CONTEXT_H

#include "base/error.h"
#include "render/backend.h"

struct context;
struct gl;

enum backend_choice {
    BACKEND_AUTO, /* the first of the others that works */
#define X(choice, word, backend) choice,
    BACKENDS(X)
#undef X
        BACKEND_COUNT,
};

/* "auto", "osmesa", "egl": as --backend has it. */
extern const char *const backend_names[BACKEND_COUNT];

/* Opens the back end chosen. The error lists what each one that was tried said. */
int context_open(enum backend_choice choice, struct context **out, struct error *err);
void context_close(struct context *context);

/* The GL entry points (render/gl.h), valid until context_close. */
const struct gl *context_gl(const struct context *context);

/* Which one it is; never BACKEND_AUTO. */
enum backend_choice context_choice(const struct context *context);

/* "OSMesa 22.3.6, llvmpipe (LLVM 15.0.6, 256 bits)", for people and for the sheets' meta. */
const char *context_description(const struct context *context);

/* Draws one triangle with a program of ours into a target such as cells have, and looks at every pixel. Fails when the
 * shaders do not compile, GL reports an error, or a pixel is wrong. Leaves objects of GL behind: close the context. */
int context_test(struct context *context, struct error *err);

#endif
