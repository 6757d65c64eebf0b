#include "job/name.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sheet/metadata.h"

static const char forbidden[] = "\\:*?\"<>|";

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

/* CON, con.txt, LPT1, ... */
static bool is_device(const char *part, size_t length)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "COM", "LPT"};
    const char *dot = memchr(part, '.', length);
    size_t stem = dot ? (size_t)(dot - part) : length;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool has_digit = i >= 4;
        if (stem == 3u + has_digit && !strncasecmp(part, devices[i], 3) &&
            (!has_digit || (part[3] >= '1' && part[3] <= '9')))
            return true;
    }
    return false;
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
    if (part[length - 1] == '.')
        return error_set(err, "has a part that ends in '.', which Windows refuses");
    size_t allowed = strcspn(part, forbidden);
    if (allowed < length)
        return error_set(err, "holds '%c' (none of %s is allowed: Windows and CI artifacts refuse them)",
                         part[allowed], forbidden);
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
        if (is_device(part, part_length))
            return error_set(err, "has the part '%.*s', which is a device of Windows and cannot be a file there",
                             (int)part_length, part);
        if (!part[part_length])
            return 0;
        if (ends_like_output(part, part_length))
            return error_set(err, "has a folder that ends like a file of the output, '%.*s'", (int)part_length,
                             part);
        part += part_length + 1;
    }
}
