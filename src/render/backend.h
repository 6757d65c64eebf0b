/* The back ends: libraries that give us a context. */
#ifndef RENDER_BACKEND_H
#define RENDER_BACKEND_H

#include "base/error.h"

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

#endif
