/* What a shared library is, read from its file and without loading it: the build id that its linker gave it, and
 * the names of the libraries it needs. */
#ifndef RENDER_ELF_FILE_H
#define RENDER_ELF_FILE_H

#include "base/error.h"
#include "base/strings.h"

enum { BUILD_ID_SIZE = 65 }; /* of at most 32 bytes, hexadecimal */

struct elf_file {
    char build_id[BUILD_ID_SIZE]; /* "" where it has none */
    struct strings needed;        /* "libLLVM-15.so.1", as it says */
    char *rpath, *runpath; /* folders to look for those in, before LD_LIBRARY_PATH and after it, with ':' between;
                            * or NULL. An $ORIGIN is its own folder already */
};

/* Fails when the file cannot be read, or is none for the machine this program was made for: then errno is 0. */
int elf_file_read(const char *path, struct elf_file *out, struct error *err);
void elf_file_release(struct elf_file *elf);

/* The build id in a part of notes, of a file or in memory; `out` is left alone where there is none. */
void elf_notes_find_id(const void *notes, size_t size, char out[BUILD_ID_SIZE]);

#endif
