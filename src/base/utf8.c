#include "base/utf8.h"

#include <stdbool.h>

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
    const size_t longest = 4; /* the NUL at the end is in no character */
    uint32_t ignored;
    while (*text) {
        size_t length = utf8_read(text, longest, &ignored);
        if (length == 0)
            *text = '?';
        text += length ? length : 1;
    }
}
