/* What a shared library is, read from its file and without loading it: the build id that its linker gave it, and
 * the names of the libraries it needs. */
#ifndef RENDER_ELF_FILE_H
#define RENDER_ELF_FILE_H

#include "base/error.h"
#include "base/strings.h"

struct elf_file {
    char build_id[65];     /* hexadecimal; "" where it has none */
    struct strings needed; /* "libLLVM-15.so.1", as it says */
};

/* Fails when the file cannot be read, or is none for the machine this program was made for. */
int elf_file_read(const char *path, struct elf_file *out, struct error *err);
void elf_file_release(struct elf_file *elf);

#endif
