#include "image/image_format.h"

#include <strings.h>

#include "base/buffer.h"

static const struct image_format *const formats[] = {
#define X(format) &format,
    IMAGE_FORMATS(X)
#undef X
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char *image_suffix(size_t i)
{
    for (size_t format = 0; format < FORMAT_COUNT; format++)
        for (const char *const *suffix = formats[format]->suffixes; *suffix; suffix++)
            if (i-- == 0)
                return *suffix;
    return NULL;
}

bool image_has_suffix(const char *suffix)
{
    for (size_t i = 0; image_suffix(i); i++)
        if (!strcasecmp(suffix, image_suffix(i)))
            return true;
    return false;
}

int image_load(struct bytes bytes, struct image *out, struct error *err)
{
    size_t number = FORMAT_COUNT;
    while (number > 0 && !formats[number - 1]->matches(bytes))
        number--;
    if (number == 0) {
        struct buffer names = {0};
        for (size_t i = 0; i < FORMAT_COUNT; i++)
            buffer_printf(&names, "%s%s", i == 0 ? "" : i + 1 < FORMAT_COUNT ? ", " : " or ", formats[i]->name);
        error_set(err, "%zu bytes that are no %s picture", bytes.size, names.text);
        buffer_release(&names);
        return -1;
    }

    struct image image = {0};
    if (formats[number - 1]->load(bytes, &image, err) < 0) {
        image_release(&image);
        return error_add(err, "%s", formats[number - 1]->name);
    }
    image_update_alpha(&image);
    *out = image;
    return 0;
}
