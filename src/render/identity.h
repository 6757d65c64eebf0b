/* The libraries that decide about pixels and bytes, told by their build ids. The parts of a fingerprint
 * (render/fingerprint.h), for its files alone. */
#ifndef RENDER_IDENTITY_H
#define RENDER_IDENTITY_H

#include <stdbool.h>

#include "base/strings.h"
#include "render/loaded.h"

struct identity {
    struct loaded loaded; /* in this process */
    struct strings seen;  /* names of libraries */
    struct strings parts; /* "libLLVM-15.so.1 8f3c..." */
    bool is_known;        /* all libraries that count were found */
};

void identity_init(struct identity *identity);
void identity_release(struct identity *identity);

/* The library that a driver or back end is, as the dynamic linker would find it, and those it needs in which
 * pixels are computed. False where it is not there. */
bool identity_add_library(struct identity *identity, const char *name);

/* Libraries of this program itself that decide about what it makes, which are loaded since it began. */
void identity_add_program(struct identity *identity);

/* What EGL may draw with beside libEGL, for it is found out at run time only: the vendors' libraries and Mesa's
 * driver, the settings of drivers, and the GPUs. In egl_identity.c. */
void identity_add_egl(struct identity *identity);

#endif
