#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct buffer *buffer, size_t more)
{
    size_t needed = buffer->length + more + 1;
    if (needed <= buffer->capacity)
        return;
    buffer->capacity = needed > buffer->capacity * 2 ? needed : buffer->capacity * 2;
    buffer->text = must_realloc(buffer->text, buffer->capacity, 1);
}

void buffer_add(struct buffer *buffer, const char *text, size_t length)
{
    reserve(buffer, length);
    if (length > 0) /* no text may be NULL, which memcpy does not take */
        memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        reserve(buffer, (size_t)length);
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text)
        buffer->text[0] = '\0';
}

void buffer_release(struct buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct buffer){0};
}
