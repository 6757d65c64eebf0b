/* An image program over an empty tree of assets, in which only the built-in pictures are found: what has a form
 * has the same form again, and can be run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image_program.h"
#include "base/memory.h"

static struct assets *open_nothing(void)
{
    char folder[] = "/tmp/fuzz_image_program.XXXXXX";
    const char *root = mkdtemp(folder);
    struct assets *assets;
    struct error err;
    if (!root || assets_open(&root, 1, &assets, &err) < 0)
        abort();
    rmdir(folder);
    return assets;
}

static void run(struct assets *assets, const char *form)
{
    struct image image;
    struct error err;
    if (image_program_load(assets, form, &image, &err) < 0)
        abort();
    image_release(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct assets *assets;
    if (!assets)
        assets = open_nothing();
    char *program = must_alloc(size + 1, 1), *form, *again;
    struct error err;
    memcpy(program, data, size);
    if (image_program_resolve(assets, program, &form, NULL, &err) == 0) {
        if (image_program_resolve(assets, form, &again, NULL, &err) < 0 || strcmp(form, again))
            abort();
        run(assets, form);
        free(again);
        free(form);
    }
    free(program);
    return 0;
}
