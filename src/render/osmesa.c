/* The OSMesa back end: Mesa's llvmpipe, drawing into memory. It left Mesa in 25.1; where the library is missing,
 * opening it says which package has it.
 *
 * OSMesa wants a default framebuffer even though we draw into our own; a few pixels are enough. */
#include "render/context.h"

#include <GL/osmesa.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "base/memory.h"
#include "os/resources.h"

#define LIBRARY "libOSMesa"

enum { DEFAULT_SIDE = 4 };

struct osmesa {
    void *library;
    OSMesaContext context;
    GLubyte framebuffer[DEFAULT_SIDE * DEFAULT_SIDE * 4];
    OSMesaContext (*create)(const int *attributes, OSMesaContext shared);
    void (*destroy)(OSMesaContext context);
    GLboolean (*make_current)(OSMesaContext context, void *buffer, GLenum type, GLsizei width, GLsizei height);
    OSMESAproc (*get_proc_address)(const char *name);
};

static void osmesa_close(void *state)
{
    struct osmesa *osmesa = state;
    if (osmesa->context)
        osmesa->destroy(osmesa->context);
    /* The library stays loaded: LLVM does not survive being unloaded and loaded again. */
    free(osmesa);
}

static int osmesa_open(void **state, struct error *err)
{
    static const int attributes[] = {
        OSMESA_FORMAT,
        OSMESA_RGBA,
        OSMESA_PROFILE,
        OSMESA_CORE_PROFILE,
        OSMESA_CONTEXT_MAJOR_VERSION,
        3,
        OSMESA_CONTEXT_MINOR_VERSION,
        3,
        0,
    };
    static const char *const names[] = {LIBRARY ".so.8", LIBRARY ".so.6", LIBRARY ".so"};
    struct osmesa *osmesa = must_alloc(1, sizeof *osmesa);
    for (size_t i = 0; !osmesa->library && i < sizeof names / sizeof *names; i++)
        osmesa->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!osmesa->library) {
        error_set(err, "cannot load %s%s: %s", names[0], missing_package(" (Debian package libosmesa6)"),
                  dlerror());
        goto fail;
    }
    *(void **)&osmesa->create = dlsym(osmesa->library, "OSMesaCreateContextAttribs");
    *(void **)&osmesa->destroy = dlsym(osmesa->library, "OSMesaDestroyContext");
    *(void **)&osmesa->make_current = dlsym(osmesa->library, "OSMesaMakeCurrent");
    *(void **)&osmesa->get_proc_address = dlsym(osmesa->library, "OSMesaGetProcAddress");
    if (!osmesa->create || !osmesa->destroy || !osmesa->make_current || !osmesa->get_proc_address) {
        error_set(err, "the library is too old: it cannot make core profile contexts");
        goto fail;
    }
    osmesa->context = osmesa->create(attributes, NULL);
    if (!osmesa->context) {
        error_set(err, "it cannot make an OpenGL 3.3 core context");
        goto fail;
    }
    if (!osmesa->make_current(osmesa->context, osmesa->framebuffer, GL_UNSIGNED_BYTE, DEFAULT_SIDE,
                              DEFAULT_SIDE)) {
        error_set(err, "it cannot make its context current");
        goto fail;
    }
    *state = osmesa;
    return 0;

fail:
    osmesa_close(osmesa);
    return -1;
}

static void *osmesa_entry_point(void *state, const char *name)
{
    struct osmesa *osmesa = state;
    OSMESAproc entry = osmesa->get_proc_address(name);
    void *address;
    __builtin_memcpy(&address, &entry, sizeof address);
    return address;
}

const struct gl_backend osmesa_backend = {
    .name = "OSMesa",
    .library = LIBRARY,
    .open = osmesa_open,
    .close = osmesa_close,
    .entry_point = osmesa_entry_point,
};
