/* The libraries in this process, as the dynamic linker has mapped them: what runs, whatever has come to lie at
 * their paths since. */
#ifndef RENDER_LOADED_H
#define RENDER_LOADED_H

#include <stddef.h>

#include "render/elf_file.h"

struct loaded_library {
    char *path; /* as the linker found it; "" of the program itself */
    char build_id[BUILD_ID_SIZE];
};

struct loaded {
    struct loaded_library
        *items; /* in the order in which they came: the program, what it needs, what was opened later */
    size_t count, capacity;
};

void loaded_list(struct loaded *out);
void loaded_release(struct loaded *loaded);

/* The first whose file is called so, or NULL. */
const struct loaded_library *loaded_find(const struct loaded *loaded, const char *name);

/* The first whose file's name begins so, or NULL. */
const struct loaded_library *loaded_find_beginning(const struct loaded *loaded, const char *beginning);

#endif
