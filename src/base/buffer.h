/* A growing piece of text. A zeroed struct is an empty buffer. */
#pragma once

#include <stddef.h>

struct buffer {
    char *text; /* NUL-terminated once anything was added; NULL before */
    size_t length, capacity;
};

void buffer_add(struct buffer *buffer, const char *text, size_t length);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_clear(struct buffer *buffer); /* keeps the memory */
void buffer_release(struct buffer *buffer);
