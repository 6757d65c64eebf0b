/* A libOSMesa that misbehaves: as ODD says, it crashes, hangs, ends the process, prints, or draws nothing. Other calls go
 * to the real library, whose path is in REAL.
 *
 * With COUNTS=FILE it writes, when the run ends, how often all its processes drew, how many of them did, how many programs
 * they linked, how often they uploaded vertices that change from pose to pose, and how often they compressed at another level
 * than the fastest. It has to be preloaded then: workers can map no more memory with others. Then each draw takes SLOW
 * milliseconds longer, and the second process that draws is killed at its draw number KILL_SECOND, or writes 255 to each byte
 * of shared memory there (SPOIL_SECOND). */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static void do_nothing(void)
{
}

/* -- Counting ------------------------------------------------------------------------------------------------ */

static struct {
    atomic_ulong draws, drawers, programs, uploads, slow;
} * counts;

static void (*real_draw)(unsigned, int, unsigned, const void *);
static void (*real_link)(unsigned);
static void (*real_upload)(unsigned, ptrdiff_t, const void *, unsigned);

__attribute__((constructor)) static void share_counts(void)
{
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Workers end without it. */
__attribute__((destructor)) static void write_counts(void)
{
    FILE *file = getenv("COUNTS") ? fopen(getenv("COUNTS"), "we") : NULL;
    if (file) {
        fprintf(file, "%lu draws\n%lu drawers\n%lu programs\n%lu uploads\n%lu slow\n", counts->draws,
                counts->drawers, counts->programs, counts->uploads, counts->slow);
        fclose(file);
    }
}

static void fill_shared(void)
{
    char line[256];
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &from, &to) == 2)
            memset((void *)from, 255, to - from);
    if (maps)
        fclose(maps);
}

static void draw(unsigned mode, int count, unsigned type, const void *indices)
{
    static unsigned long drawer, draws;
    const char *slow = getenv("SLOW"), *last = getenv("KILL_SECOND"), *spoilt = getenv("SPOIL_SECOND");
    atomic_fetch_add(&counts->draws, 1);
    drawer = drawer ? drawer : atomic_fetch_add(&counts->drawers, 1) + 1;
    usleep(slow ? 1000 * (unsigned)strtoul(slow, NULL, 10) : 0);
    if (last && drawer == 2 && ++draws == strtoul(last, NULL, 10))
        raise(SIGKILL);
    if (spoilt && drawer == 2 && ++draws == strtoul(spoilt, NULL, 10))
        fill_shared();
    real_draw(mode, count, type, indices);
}

static void link_program(unsigned program)
{
    atomic_fetch_add(&counts->programs, 1);
    real_link(program);
}

static void upload(unsigned target, ptrdiff_t size, const void *data, unsigned usage)
{
    enum { ARRAY_BUFFER = 0x8892, STREAM_DRAW = 0x88e0 };
    atomic_fetch_add(&counts->uploads, target == ARRAY_BUFFER && usage == STREAM_DRAW);
    real_upload(target, size, data, usage);
}

/* In place of libdeflate's. */
void *libdeflate_alloc_compressor(int level)
{
    void *(*alloc)(int);
    *(void **)&alloc = dlsym(RTLD_NEXT, "libdeflate_alloc_compressor");
    atomic_fetch_add(&counts->slow, level > 1);
    return alloc(level);
}

/* -- OSMesa -------------------------------------------------------------------------------------------------- */

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
    *(void **)&get = real("OSMesaGetProcAddress");
    void *entry = get(name);
    void (*blank)(void) = do_nothing;
    if (is("blank") && (!strcmp(name, "glReadPixels") || !strncmp(name, "glDraw", 6)))
        return *(void **)&blank;
    if (getenv("COUNTS") && !strcmp(name, "glDrawElements")) {
        *(void **)&real_draw = entry;
        return (void *)draw;
    }
    if (getenv("COUNTS") && !strcmp(name, "glLinkProgram")) {
        *(void **)&real_link = entry;
        return (void *)link_program;
    }
    if (getenv("COUNTS") && !strcmp(name, "glBufferData")) {
        *(void **)&real_upload = entry;
        return (void *)upload;
    }
    return entry;
}
