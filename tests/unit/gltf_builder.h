/* Makes GLB files: the JSON of a test, and its numbers as the binary chunk. */
#ifndef TESTS_GLTF_BUILDER_H
#define TESTS_GLTF_BUILDER_H

#include <string.h>

#include "base/buffer.h"
#include "models.h"

static inline void add_word(struct buffer *out, uint32_t value)
{
    buffer_add(out, (const char *)&value, 4);
}

/* {"asset": ..., BODY}, and `size` bytes of data. */
static inline struct buffer glb_of(const char *body, const void *data, size_t size)
{
    struct buffer out = {0}, json = {0};
    buffer_printf(&json, "{\"asset\":{\"version\":\"2.0\"},%s}", body);
    while (json.length % 4)
        buffer_add(&json, " ", 1);
    uint32_t padding = -(uint32_t)size & 3;
    buffer_add(&out, "glTF", 4);
    add_word(&out, 2);
    add_word(&out, 12 + 8 + (uint32_t)json.length + 8 + (uint32_t)size + padding);
    add_word(&out, (uint32_t)json.length);
    buffer_add(&out, "JSON", 4);
    buffer_add(&out, json.text, json.length);
    add_word(&out, (uint32_t)size + padding);
    buffer_add(&out, "BIN\0", 4);
    buffer_add(&out, data, size);
    buffer_add(&out, "\0\0\0", padding);
    buffer_release(&json);
    return out;
}

static inline struct model *load_glb(const char *body, const void *data, size_t size, struct error *err)
{
    struct buffer glb = glb_of(body, data, size);
    struct model *model = NULL;
    int result = model_load((struct bytes){(const uint8_t *)glb.text, glb.length},
                            &(struct model_options){.path = "models/robot.glb"}, &model, err);
    buffer_release(&glb);
    return result == 0 ? model : NULL;
}

/* Fails for the texts around a change: `old` in `body` becomes `new`. */
static inline char *changed(const char *body, const char *old, const char *new)
{
    const char *at = strstr(body, old);
    if (!at)
        fail_msg("'%s' is not in the sample", old);
    return must_printf("%.*s%s%s", (int)(at - body), body, new, at + strlen(old));
}

#endif
