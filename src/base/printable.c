#include "base/printable.h"

size_t printable_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    if (byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] >= 0x80 && byte[0] < 0xc2) || byte[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
    }
    return byte[0] == 0xc2 && byte[1] < 0xa0 ? 0 : length;
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
