/* Where the dynamic linker would take a library from, without loading it: folders that the library which needs it
 * names, LD_LIBRARY_PATH, /etc/ld.so.cache, then the usual folders. Variants for newer processors (glibc-hwcaps)
 * are not looked for. */
#ifndef RENDER_LIBRARY_PATH_H
#define RENDER_LIBRARY_PATH_H

#include <stdbool.h>

#include "base/bytes.h"
#include "render/elf_file.h"

/* The file of "libOSMesa.so.8", and what it is; NULL where there is none for this machine. The caller's to free,
 * and *elf to release. A name with a '/' is that file. `needed_by` may be NULL. *is_known is
 * set to false where a file that may have been the one could not be read. */
char *library_path_find(const char *name, const struct elf_file *needed_by, struct elf_file *elf, bool *is_known);

/* The paths that the bytes of /etc/ld.so.cache have for the name, best first. */
void library_cache_find(struct bytes cache, const char *name, struct strings *out);

#endif
