/* Any bytes as a shared library, and as the dynamic linker's cache: a stranger's LD_LIBRARY_PATH may hold either. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "render/elf_file.h"
#include "render/library_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    char path[64];
    struct elf_file elf;
    struct strings paths = {0};
    struct error err;
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (elf_file_read(path, &elf, &err) == 0)
        elf_file_release(&elf);
    close(fd);
    library_cache_find((struct bytes){data, size}, "libx.so.1", &paths);
    strings_release(&paths);
    return 0;
}
