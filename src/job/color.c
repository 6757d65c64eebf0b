#include "job/color.h"

#include <string.h>

static int hexadecimal(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static bool parse_hexadecimal(const char *text, size_t most_channels, uint8_t out[4])
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 7 && length != 9) || length > 1 + 2 * most_channels)
        return false;
    for (size_t i = 0; i < (length - 1) / 2; i++) {
        int high = hexadecimal(text[1 + 2 * i]), low = hexadecimal(text[2 + 2 * i]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

static bool parse_list(const struct node *node, size_t most_channels, uint8_t out[4])
{
    if (node->count < 3 || node->count > most_channels)
        return false;
    for (size_t i = 0; i < node->count; i++) {
        double channel;
        if (!node_is_number(node->values[i], &channel) || channel < 0 || channel > 255 ||
            channel != (uint8_t)channel)
            return false;
        out[i] = (uint8_t)channel;
    }
    return true;
}

bool read_color(const struct reader *reader, const struct node *node, const char *name, bool with_alpha,
                uint8_t out[4])
{
    uint8_t color[4] = {0, 0, 0, 255};
    size_t most_channels = with_alpha ? 4 : 3;
    bool is_good = node->kind == NODE_SEQUENCE
                       ? parse_list(node, most_channels, color)
                       : node->kind == NODE_SCALAR && parse_hexadecimal(node->text, most_channels, color);
    if (is_good) {
        memcpy(out, color, sizeof color);
        return true;
    }
    const char *forms = with_alpha ? "'#rrggbb', '#rrggbbaa' or a list of 3 or 4 whole numbers from 0 to 255"
                                   : "'#rrggbb' or a list of 3 whole numbers from 0 to 255";
    bool is_comment = node_is_null(node);
    reader_expected(reader, node, "%s must be %s%s", name, forms,
                    is_comment ? " (without quotes, # starts a comment)" : "");
    return false;
}
