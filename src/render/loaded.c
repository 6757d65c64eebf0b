#include "render/loaded.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static int add(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct loaded *loaded = context;
    loaded->items = must_grow(loaded->items, loaded->count, &loaded->capacity, sizeof *loaded->items);
    struct loaded_library *library = &loaded->items[loaded->count++];
    *library = (struct loaded_library){.path = must_strdup(info->dlpi_name ? info->dlpi_name : "")};
    for (size_t i = 0; i < info->dlpi_phnum && !library->build_id[0]; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_NOTE)
            elf_notes_find_id((const void *)(info->dlpi_addr + header->p_vaddr), header->p_memsz,
                              library->build_id);
    }
    return 0;
}

void loaded_list(struct loaded *out)
{
    *out = (struct loaded){0};
    dl_iterate_phdr(add, out);
}

void loaded_release(struct loaded *loaded)
{
    for (size_t i = 0; i < loaded->count; i++)
        free(loaded->items[i].path);
    free(loaded->items);
    *loaded = (struct loaded){0};
}

const struct loaded_library *loaded_find(const struct loaded *loaded, const char *name)
{
    for (size_t i = 0; i < loaded->count; i++)
        if (!strcmp(path_base(loaded->items[i].path), name))
            return &loaded->items[i];
    return NULL;
}

const struct loaded_library *loaded_find_beginning(const struct loaded *loaded, const char *beginning)
{
    for (size_t i = 0; i < loaded->count; i++)
        if (!strncmp(path_base(loaded->items[i].path), beginning, strlen(beginning)))
            return &loaded->items[i];
    return NULL;
}
