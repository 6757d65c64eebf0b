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

uint32_t printable_code(const char *text, size_t length)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
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
