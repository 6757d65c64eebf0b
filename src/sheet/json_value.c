#include "sheet/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = must_strdup(text);
    utf8_mask(copy);
    value = json_string(copy);
    free(copy);
    return value;
}

json_t *text_or_null(const char *text)
{
    return text ? text_value(text) : json_null();
}

json_t *number_value(double number, int decimals)
{
    double scale = pow(10, decimals);
    double rounded = round(number * scale) / scale;
    if (!isfinite(rounded))
        return NULL;
    if (rounded == trunc(rounded) && fabs(rounded) < 1e15)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

json_t *size_value(uint32_t width, uint32_t height)
{
    return json_pack("{s:I, s:I}", "w", (json_int_t)width, "h", (json_int_t)height);
}

json_t *point_value(const double point[2], int decimals)
{
    return json_pack("{s:o, s:o}", "x", number_value(point[0], decimals), "y", number_value(point[1], decimals));
}

json_t *rect_value(const struct rect *rect)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "x", (json_int_t)rect->x, "y", (json_int_t)rect->y, "w",
                     (json_int_t)rect->width, "h", (json_int_t)rect->height);
}

int json_save(json_t *root, bool is_good, bool sorted, struct blob *out, struct error *err)
{
    /* Numbers were rounded to fewer than 15 digits, so that all of them come out as they would be written. */
    size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(15) | (sorted ? JSON_SORT_KEYS : 0);
    char *text = is_good ? json_dumps(root, flags) : NULL;
    json_decref(root);
    if (!text)
        return error_set(err, "cannot make the JSON: a number is not finite, or memory is out");
    size_t size = strlen(text);
    text[size] = '\n'; /* in the place of the NUL: a blob has none */
    *out = (struct blob){(uint8_t *)text, size + 1};
    return 0;
}
