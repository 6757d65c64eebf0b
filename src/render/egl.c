/* The EGL back end: OpenGL without any window system, where OSMesa is gone and where there is a GPU.
 *
 * A *display* of EGL is what a context is made on. Tried are, in this order:
 *
 *     each GPU the drivers list (EGL_EXT_platform_device)      unless LIBGL_ALWAYS_SOFTWARE says not to
 *     Mesa's surfaceless platform: llvmpipe where there is no GPU
 *
 * The context has neither a config nor a surface: we draw into framebuffers of our own. */
#include "render/context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "os/resources.h"

#define LIBRARY "libEGL"

/* Functions of the library itself, without "egl". */
#define EGL_ENTRY_POINTS(X)                                                                                       \
    X(BindAPI)                                                                                                    \
    X(CreateContext)                                                                                              \
    X(DestroyContext) X(GetError) X(GetProcAddress) X(Initialize) X(MakeCurrent) X(QueryString) X(Terminate)

enum { MOST_DEVICES = 16 };

struct egl {
    void *library;
    EGLDisplay display;
    EGLContext context;
#define X(name) __typeof__(egl##name) *name;
    EGL_ENTRY_POINTS(X)
#undef X
    /* Extensions; NULL where the library has none of them. */
    PFNEGLGETPLATFORMDISPLAYEXTPROC GetPlatformDisplay;
    PFNEGLQUERYDEVICESEXTPROC QueryDevices;
    PFNEGLQUERYDEVICESTRINGEXTPROC QueryDeviceString;
};

/* Whether a list of words, separated by spaces, holds this one. NULL is an empty list. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (size == length && !memcmp(at, word, length))
            return true;
        at += size;
    }
    return false;
}

static const char *error_name(EGLint code)
{
    static const struct {
        EGLint code;
        const char *name;
    } names[] = {
        {EGL_NOT_INITIALIZED, "not initialised"},
        {EGL_BAD_ACCESS, "bad access"},
        {EGL_BAD_ALLOC, "out of memory"},
        {EGL_BAD_ATTRIBUTE, "bad attribute"},
        {EGL_BAD_CONFIG, "bad config"},
        {EGL_BAD_DISPLAY, "bad display"},
        {EGL_BAD_MATCH, "bad match"},
        {EGL_BAD_PARAMETER, "bad parameter"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return "unknown error";
}

/* -- A context on one display ------------------------------------------------------------------------------ */

static void drop_context(struct egl *egl)
{
    if (egl->context == EGL_NO_CONTEXT)
        return;
    egl->MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl->DestroyContext(egl->display, egl->context);
    egl->context = EGL_NO_CONTEXT;
}

static int try_display(struct egl *egl, EGLenum platform, void *native, struct error *err)
{
    static const char *const needed[] = {"EGL_KHR_create_context", "EGL_KHR_no_config_context",
                                         "EGL_KHR_surfaceless_context"};
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION_KHR,
        3,
        EGL_CONTEXT_MINOR_VERSION_KHR,
        3,
        EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
        EGL_NONE,
    };
    egl->display = egl->GetPlatformDisplay(platform, native, NULL);
    if (egl->display == EGL_NO_DISPLAY)
        return error_set(err, "there is none (%s)", error_name(egl->GetError()));
    if (!egl->Initialize(egl->display, NULL, NULL)) {
        error_set(err, "no driver works there (%s)", error_name(egl->GetError()));
        goto fail;
    }
    const char *extensions = egl->QueryString(egl->display, EGL_EXTENSIONS);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!has_word(extensions, needed[i])) {
            error_set(err, "its driver has no %s", needed[i]);
            goto fail;
        }
    if (!egl->BindAPI(EGL_OPENGL_API)) {
        error_set(err, "its driver knows OpenGL ES alone, not OpenGL");
        goto fail;
    }
    egl->context = egl->CreateContext(egl->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (egl->context == EGL_NO_CONTEXT) {
        error_set(err, "it cannot make an OpenGL 3.3 core context (%s)", error_name(egl->GetError()));
        goto fail;
    }
    if (egl->MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl->context))
        return 0;
    error_set(err, "it cannot make its context current (%s)", error_name(egl->GetError()));

fail:
    drop_context(egl);
    egl->Terminate(egl->display);
    return -1;
}

/* -- The displays ------------------------------------------------------------------------------------------ */

/* The first GPU on which a context can be made; false where there is none, with what the last one said. */
static bool open_gpu(struct egl *egl, struct error *said)
{
    EGLDeviceEXT devices[MOST_DEVICES];
    EGLint count = 0;
    said->text[0] = '\0';
    /* Mesa's own variable, which it applies to the displays it chooses itself, not to a device named to it. */
    const char *software = getenv("LIBGL_ALWAYS_SOFTWARE");
    if (software && (!strcmp(software, "1") || !strcasecmp(software, "true") || !strcasecmp(software, "yes")))
        return false;
    if (!egl->QueryDevices || !egl->QueryDeviceString || !egl->QueryDevices(MOST_DEVICES, devices, &count))
        return false;
    for (EGLint i = 0; i < count; i++) {
        /* Software has no device behind it. Of NVIDIA's and AMD's drivers each names the extension of its devices. */
        const char *extensions = egl->QueryDeviceString(devices[i], EGL_EXTENSIONS);
        bool is_gpu = !has_word(extensions, "EGL_MESA_device_software") &&
                      (has_word(extensions, "EGL_EXT_device_drm") || has_word(extensions, "EGL_NV_device_cuda"));
        if (is_gpu && try_display(egl, EGL_PLATFORM_DEVICE_EXT, devices[i], said) == 0)
            return true;
    }
    return false;
}

static int open_display(struct egl *egl, struct error *err)
{
    struct error gpu;
    const char *extensions = egl->QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!egl->GetPlatformDisplay)
        return error_set(err, "the library is too old: it knows no displays without a window system");
    if (open_gpu(egl, &gpu))
        return 0;
    if (!has_word(extensions, "EGL_MESA_platform_surfaceless"))
        error_set(err, "no driver without a window system is installed%s",
                  missing_package(" (Debian package libegl-mesa0)"));
    else if (try_display(egl, EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, err) == 0)
        return 0;
    else
        error_add(err, "surfaceless display");
    return gpu.text[0] ? error_add(err, "GPU: %s; without it", gpu.text) : -1;
}

static void egl_close(void *state)
{
    struct egl *egl = state;
    /* The library stays loaded, for the reason given in osmesa.c, and so does the driver: the display is not
     * terminated, which would unload it. */
    drop_context(egl);
    free(egl);
}

static int egl_open(void **state, struct error *err)
{
    /* Mesa prints on its own what it tried in vain; what matters of it is in our messages. */
    setenv("EGL_LOG_LEVEL", "fatal", 0);

    struct egl *egl = must_alloc(1, sizeof *egl);
    egl->library = dlopen(LIBRARY ".so.1", RTLD_NOW | RTLD_LOCAL);
    if (!egl->library) {
        error_set(err, "cannot load %s%s: %s", LIBRARY ".so.1",
                  missing_package(" (Debian packages libegl1 and libgl1-mesa-dri)"), dlerror());
        goto fail;
    }
#define X(name)                                                                                                   \
    *(void **)&egl->name = dlsym(egl->library, "egl" #name);                                                      \
    if (!egl->name) {                                                                                             \
        error_set(err, "the library has no egl" #name);                                                           \
        goto fail;                                                                                                \
    }
    EGL_ENTRY_POINTS(X)
#undef X
    egl->GetPlatformDisplay = (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl->GetProcAddress("eglGetPlatformDisplayEXT");
    egl->QueryDevices = (PFNEGLQUERYDEVICESEXTPROC)egl->GetProcAddress("eglQueryDevicesEXT");
    egl->QueryDeviceString = (PFNEGLQUERYDEVICESTRINGEXTPROC)egl->GetProcAddress("eglQueryDeviceStringEXT");
    if (open_display(egl, err) < 0)
        goto fail;
    *state = egl;
    return 0;

fail:
    egl_close(egl);
    return -1;
}

static void *egl_entry_point(void *state, const char *name)
{
    struct egl *egl = state;
    __eglMustCastToProperFunctionPointerType entry = egl->GetProcAddress(name);
    void *address;
    memcpy(&address, &entry, sizeof address);
    return address;
}

const struct gl_backend egl_backend = {
    .name = "EGL",
    .library = LIBRARY,
    .open = egl_open,
    .close = egl_close,
    .entry_point = egl_entry_point,
};
