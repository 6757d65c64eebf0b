/* Any bytes as an archive, zip or pak: opened, listed to the bottom and read, as a job list with a pattern would.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "asset/assets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct assets *assets)
{
    struct strings files = {0};
    struct blob blob;
    struct error err;
    if (assets_glob(assets, "**", &files, &err) < 0)
        abort();
    for (size_t i = 0; i < files.count; i++) {
        if (!assets_find(assets, files.items[i]))
            abort();
        if (assets_read(assets, files.items[i], &blob, &err) == 0)
            blob_release(&blob);
    }
    strings_release(&files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC); /* roots are paths, so it has to be a file, but not on a disk */
    char path[64];
    const char *roots[] = {path};
    struct assets *assets;
    struct error err;
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (assets_open(roots, 1, &assets, &err) == 0) {
        read_all(assets);
        assets_close(assets);
    }
    close(fd);
    return 0;
}
