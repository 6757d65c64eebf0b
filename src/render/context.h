/* An offscreen OpenGL 3.3 core context, current in the process that opened it.
 *
 * The library behind it is opened with dlopen when the context is, and every GL entry point comes from its own
 * loader: commands that draw nothing never pay for loading LLVM, and the program starts where the library does
 * not exist. */
#pragma once

#include "base/error.h"

/* -- Back ends: libraries that give us a context ----------------------------------------------------------- */

struct gl_backend {
    const char *name;    /* for people: "OSMesa" */
    const char *library; /* what the file name of its library begins with */
    /* Loads the library, makes a context and makes it current. *state is the back end's own. */
    int (*open)(void **state, struct error *err);
    void (*close)(void *state);
    void *(*entry_point)(void *state, const char *name);
};

/* A back end is one file and one row: its number, its word on the command line, and the struct in its file. BACKEND_AUTO
 * tries them in this order. OSMesa is first: it never takes a GPU, so that a list gives the same pictures on every
 * machine that has it. */
#define BACKENDS(X)                                                                                               \
    X(BACKEND_OSMESA, "osmesa", osmesa_backend)                                                                   \
    X(BACKEND_EGL, "egl", egl_backend)

#define X(choice, word, backend) extern const struct gl_backend backend;
BACKENDS(X)
#undef X

/* All of them; NULL ends the list. */
extern const struct gl_backend *const all_backends[];

/* -- The context ------------------------------------------------------------------------------------------- */

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
