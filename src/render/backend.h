/* What a back end is: one file, a word in render/context.h and a line in the tables of context.c. */
#ifndef RENDER_BACKEND_H
#define RENDER_BACKEND_H

#include "base/error.h"

struct backend {
    const char *name;    /* for people: "OSMesa" */
    const char *library; /* what the file name of its library begins with */
    /* Loads the library, makes a context and makes it current. *state is the back end's own. */
    int (*open)(void **state, struct error *err);
    void (*close)(void *state);
    void *(*entry_point)(void *state, const char *name);
};

extern const struct backend osmesa_backend, egl_backend;

/* In the order in which BACKEND_AUTO tries them; NULL ends the list. */
extern const struct backend *const all_backends[];

#endif
