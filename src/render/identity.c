#include "render/identity.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "render/library_path.h"

enum { MOST_LIBRARIES = 32 }; /* that count; a Mesa with its LLVM has six */

void identity_init(struct identity *identity)
{
    *identity = (struct identity){.is_known = true};
    loaded_list(&identity->loaded);
}

void identity_release(struct identity *identity)
{
    loaded_release(&identity->loaded);
    strings_release(&identity->seen);
    strings_release(&identity->parts);
}

/* Some systems link without build ids: there the size of the file and when it was made have to do. */
static void add_part(struct identity *identity, const char *name, const char *path, const char *build_id)
{
    struct stat info;
    if (build_id[0])
        strings_printf(&identity->parts, "%s %s", name, build_id);
    else if (stat(path, &info) == 0)
        strings_printf(&identity->parts, "%s %jd-%jd", name, (intmax_t)info.st_size, (intmax_t)info.st_mtime);
    else
        identity->is_known = false;
}

static void add_loaded(struct identity *identity, const struct loaded_library *library)
{
    bool is_program = !library->path[0];
    add_part(identity, is_program ? "sheetbake" : path_base(library->path),
             is_program ? "/proc/self/exe" : library->path, library->build_id);
}

/* -- Of a driver ------------------------------------------------------------------------------------------- */

/* Those in which pixels are computed, of all that a driver needs. The C library's mathematics is our own one, too.
 */
static bool draws(const char *name)
{
    static const char *const beginnings[] = {"libLLVM", "libgallium", "libOSMesa", "libEGL", "libnvidia-"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(path_base(name), beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

static bool add_library(struct identity *identity, const char *name, const struct elf_file *needed_by)
{
    struct elf_file elf;
    if (strings_has(&identity->seen, name) || identity->seen.count == MOST_LIBRARIES)
        return true;
    char *path = library_path_find(name, needed_by, &elf, &identity->is_known);
    if (!path)
        return false;
    strings_add(&identity->seen, name);
    const struct loaded_library *loaded = loaded_find(&identity->loaded, path_base(name));
    if (loaded) /* and the file may be another by now */
        add_loaded(identity, loaded);
    else
        add_part(identity, path_base(name), path, elf.build_id);
    for (size_t i = 0; i < elf.needed.count; i++)
        if (draws(elf.needed.items[i]) && !add_library(identity, elf.needed.items[i], &elf))
            identity->is_known = false;
    elf_file_release(&elf);
    free(path);
    return true;
}

bool identity_add_library(struct identity *identity, const char *name)
{
    return add_library(identity, name, NULL);
}

/* -- Of the program ---------------------------------------------------------------------------------------- */

/* Not the C library, whose functions for numbers in text are exact, nor zlib, which unpacks exactly, nor libyaml,
 * which reads what is recorded as settings. musl has its mathematics in one file with all else. */
void identity_add_program(struct identity *identity)
{
    static const char *const beginnings[] = {
        "libdeflate.", "libjansson.", "libm.so", "libpng", "libturbojpeg.", "ld-musl-", "libc.musl-",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const struct loaded_library *library = loaded_find_beginning(&identity->loaded, beginnings[i]);
        if (library)
            add_loaded(identity, library);
    }
    if (!identity->parts.count && identity->loaded.count) /* all of them are in the program */
        add_loaded(identity, &identity->loaded.items[0]);
}
