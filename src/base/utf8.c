#include "base/utf8.h"

#include <stdbool.h>

enum { LONGEST = 4 }; /* bytes of a character; none contains the NUL at the end of a text */

size_t utf8_read(const char *text, size_t size, uint32_t *character)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint8_t lead = size ? (uint8_t)text[0] : 0xff;
    if (lead < 0x80) {
        *character = lead;
        return 1;
    }
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    uint32_t read = lead & (0x3fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if (i >= size || ((uint8_t)text[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        read = read << 6 | ((uint8_t)text[i] & 0x3f);
    }
    bool is_surrogate = read >= 0xd800 && read < 0xe000;
    if (read < least[more] || read > 0x10ffff || is_surrogate)
        return 0;
    *character = read;
    return 1 + more;
}

void utf8_mask(char *text)
{
    uint32_t ignored;
    while (*text) {
        size_t length = utf8_read(text, LONGEST, &ignored);
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}

/* Control characters, and marks that end a line or turn its direction, so that it reads as another one. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t printable_length(const char *text)
{
    uint32_t character;
    size_t length = utf8_read(text, LONGEST, &character);
    return length > 0 && is_control(character) ? 0 : length;
}

void printable_mask(char *text)
{
    while (*text) {
        size_t length = printable_length(text);
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}

void printable_add(struct buffer *out, const char *text)
{
    while (*text) {
        size_t length = printable_length(text);
        buffer_add(out, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}
