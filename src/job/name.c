#include "job/name.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Takes one character off the text; 0xFFFFFFFF where it is not UTF-8. */
static uint32_t next_character(const char *text, size_t length, size_t *at)
{
    const uint32_t broken = UINT32_MAX;
    uint8_t lead = (uint8_t)text[(*at)++];
    if (lead < 0x80)
        return lead;
    unsigned more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || length - *at < more)
        return broken;
    uint32_t character = lead & (0x3Fu >> more);
    for (unsigned i = 0; i < more; i++) {
        uint8_t byte = (uint8_t)text[(*at)++];
        if ((byte & 0xC0) != 0x80)
            return broken;
        character = character << 6 | (byte & 0x3F);
    }
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    bool is_surrogate = character >= 0xD800 && character < 0xE000;
    return character < least[more] || character > 0x10FFFF || is_surrogate ? broken : character;
}

int name_check_text(const char *text, size_t length, struct error *err)
{
    for (size_t at = 0; at < length;) {
        uint32_t character = next_character(text, length, &at);
        if (character == UINT32_MAX)
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
    static const char *const suffixes[] = {".png", ".json", ".tres"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t suffix_length = strlen(suffixes[i]);
        if (length >= suffix_length && !strncasecmp(part + length - suffix_length, suffixes[i], suffix_length))
            return true;
    }
    return false;
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
