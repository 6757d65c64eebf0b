/* A libOSMesa that misbehaves: as ODD says, it crashes, hangs, ends the process, prints, or draws nothing. Other calls go
 * to the real library, whose path is in REAL. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *real(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(getenv("REAL"), RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

static int is(const char *oddity)
{
    const char *wanted = getenv("ODD");
    return wanted && !strcmp(wanted, oddity);
}

static void read_nothing(void)
{
}

void *OSMesaCreateContextAttribs(const int *attributes, void *shared)
{
    if (is("crash")) {
        signal(SIGSEGV, SIG_DFL); /* past the handler of a sanitizer */
        raise(SIGSEGV);
    }
    if (is("hang"))
        sleep(60);
    if (is("leave"))
        _exit(7);
    if (is("print"))
        fputs("driver: out of order\nand more\n", stderr);
    void *(*create)(const int *, void *);
    *(void **)&create = real("OSMesaCreateContextAttribs");
    return create(attributes, shared);
}

void OSMesaDestroyContext(void *context)
{
    void (*destroy)(void *);
    *(void **)&destroy = real("OSMesaDestroyContext");
    destroy(context);
}

unsigned char OSMesaMakeCurrent(void *context, void *buffer, unsigned type, int width, int height)
{
    unsigned char (*make_current)(void *, void *, unsigned, int, int);
    *(void **)&make_current = real("OSMesaMakeCurrent");
    return make_current(context, buffer, type, width, height);
}

void *OSMesaGetProcAddress(const char *name)
{
    void *(*get)(const char *);
    void *entry;
    void (*instead)(void) = read_nothing;
    *(void **)&get = real("OSMesaGetProcAddress");
    entry = get(name);
    if (is("blank") && !strcmp(name, "glReadPixels"))
        memcpy(&entry, &instead, sizeof entry);
    return entry;
}
