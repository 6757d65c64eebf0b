#include "base/printable.h"

#include "base/utf8.h"

size_t printable_length(const char *text)
{
    const size_t longest = 4; /* the NUL at the end is in no character */
    uint32_t character;
    size_t length = utf8_read(text, longest, &character);
    return length > 0 && (character < 0x20 || (character >= 0x7f && character < 0xa0)) ? 0 : length;
}

uint32_t printable_code(const char *text, size_t length)
{
    uint32_t character = 0;
    utf8_read(text, length, &character);
    return character;
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
