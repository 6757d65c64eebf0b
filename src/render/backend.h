/* Between context.c and the back ends. */
#ifndef RENDER_BACKEND_H
#define RENDER_BACKEND_H

#include "base/error.h"

struct backend {
    const char *name;
    /* Loads the library, makes a context and makes it current. *state is the back end's own. */
    int (*open)(void **state, struct error *err);
    void (*close)(void *state);
    void *(*entry_point)(void *state, const char *name);
};

extern const struct backend osmesa_backend, egl_backend;

#endif
