/* bin/sheetbake of the relocatable tarball. It starts lib/sheetbake with the loader and the libraries beside that, and so
 * needs nothing of the system that it runs on: it is linked statically, calls no shell, and reads no /proc.
 *
 * The loader is told the folder as an option, not by LD_LIBRARY_PATH, which git would inherit. The libraries of the system
 * are those of another C library, so its list of them is not read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char *join(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) >= 0)
        return path;
    perror("sheetbake");
    exit(5);
}

static void cut_last_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

int main(int argc, char **argv)
{
    char *top = realpath((const char *)getauxval(AT_EXECFN), NULL); /* TOP/bin/sheetbake, not a link to it */
    if (!top) {
        perror("sheetbake: cannot find its own folder");
        return 5;
    }
    cut_last_name(top);
    cut_last_name(top);
    char *lib = join(top, "lib"), *loader = join(lib, "loader"), *program = join(lib, "sheetbake");
    char *const before[] = {loader, "--inhibit-cache", "--library-path", lib, program};
    const size_t before_count = sizeof before / sizeof *before;
    char **args = calloc(before_count + (size_t)argc + 1, sizeof *args);
    if (!args) {
        perror("sheetbake");
        return 5;
    }
    memcpy(args, before, sizeof before);
    for (int i = 1; i < argc; i++)
        args[before_count + (size_t)i - 1] = argv[i];
    setenv("SHEETBAKE_LIBRARIES", lib, 1); /* for the sandbox: see src/os/sandbox.c */
    execv(loader, args);
    perror(loader);
    return 5;
}
