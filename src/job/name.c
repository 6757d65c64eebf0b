#include "job/name.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sheet/metadata.h"

int name_check_text(const char *text, size_t length, struct error *err)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t character;
        size = utf8_read(text + at, length - at, &character);
        if (size == 0)
            return error_set(err, "is not UTF-8 text");
        if (character < 0x20 || (character >= 0x7F && character < 0xA0))
            return error_set(err, "holds the control character U+%04X", character);
    }
    return 0;
}

static int check_part(const char *part, size_t length, size_t limit, struct error *err)
{
    if (length == 0)
        return error_set(err, "has an empty part");
    if (length > limit)
        return error_set(err, "has %zu bytes in one part, at most %zu are allowed", length, limit);
    if (part[0] == '.')
        return error_set(err, "has a part that starts with '.'");
    if (part[0] == ' ' || part[length - 1] == ' ')
        return error_set(err, "has a part that starts or ends with a space");
    if (memchr(part, '\\', length))
        return error_set(err, "holds a backslash");
    return name_check_text(part, length, err);
}

int name_check_label(const char *name, struct error *err)
{
    if (strchr(name, '/'))
        return error_set(err, "holds '/'");
    return check_part(name, strlen(name), NAME_LABEL_LENGTH, err);
}

static bool ends_like_output(const char *part, size_t length)
{
    char *name = must_printf("%.*s", (int)length, part);
    bool result = metadata_is_output(name);
    free(name);
    return result;
}

int name_check_path(const char *name, struct error *err)
{
    size_t length = strlen(name);
    if (length > NAME_PATH_LENGTH)
        return error_set(err, "has %zu bytes, at most %d are allowed", length, NAME_PATH_LENGTH);
    for (const char *part = name;;) {
        size_t part_length = strcspn(part, "/");
        if (check_part(part, part_length, NAME_PART_LENGTH, err) < 0)
            return -1;
        if (!part[part_length])
            return 0;
        if (ends_like_output(part, part_length))
            return error_set(err, "has a folder that ends like a file of the output, '%.*s'", (int)part_length,
                             part);
        part += part_length + 1;
    }
}
