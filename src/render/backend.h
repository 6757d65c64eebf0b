/* What a back end is, for the files that are one, and for those that ask all of them. */
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
