#include <math.h>
#include <string.h>

#include "format/gltf.h"

size_t gltf_count(const struct gltf *gltf, const char *list)
{
    return json_array_size(json_object_get(gltf->root, list));
}

json_t *gltf_item(const struct gltf *gltf, const char *list, size_t index)
{
    return json_array_get(json_object_get(gltf->root, list), index);
}

size_t gltf_size(struct gltf *gltf, json_t *object, const char *key, size_t otherwise)
{
    json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (!value)
        return otherwise;
    if (json_is_number(value) && number >= 0 && number <= UINT32_MAX && number == floor(number))
        return (size_t)number;
    gltf_fail(gltf, "%s is not a whole number from 0 to %u", key, UINT32_MAX);
    return otherwise;
}

int32_t gltf_index_of(json_t *value, size_t count)
{
    double number = json_is_number(value) ? json_number_value(value) : -1;
    return number >= 0 && number < (double)count && number == floor(number) ? (int32_t)number : -1;
}

int32_t gltf_index_below(struct gltf *gltf, json_t *object, const char *key, size_t count)
{
    size_t index = gltf_size(gltf, object, key, SIZE_MAX);
    if (index < count)
        return (int32_t)index;
    if (index != SIZE_MAX)
        gltf_fail(gltf, "%s is %zu, but there are %zu", key, index, count);
    return -1;
}

int32_t gltf_index(struct gltf *gltf, json_t *object, const char *key, const char *list)
{
    return gltf_index_below(gltf, object, key, gltf_count(gltf, list));
}

static bool get_number(json_t *value, double *out)
{
    *out = json_number_value(value);
    return json_is_number(value) && fabs(*out) <= MODEL_LARGEST_NUMBER;
}

double gltf_number(struct gltf *gltf, json_t *object, const char *key, double otherwise)
{
    json_t *value = json_object_get(object, key);
    double number = otherwise;
    if (value && !get_number(value, &number))
        gltf_fail(gltf, "%s is not a number up to %g", key, MODEL_LARGEST_NUMBER);
    return number;
}

void gltf_numbers(struct gltf *gltf, json_t *object, const char *key, double *out, size_t count)
{
    json_t *list = json_object_get(object, key);
    if (list && json_array_size(list) != count)
        gltf_fail(gltf, "%s is not a list of %zu numbers", key, count);
    for (size_t i = 0; i < json_array_size(list) && i < count; i++)
        if (!get_number(json_array_get(list, i), &out[i]))
            gltf_fail(gltf, "%s[%zu] is not a number up to %g", key, i, MODEL_LARGEST_NUMBER);
}

json_t *gltf_list(struct gltf *gltf, json_t *object, const char *key)
{
    json_t *list = json_object_get(object, key);
    if (list && !json_is_array(list))
        gltf_fail(gltf, "%s is not a list", key);
    return json_is_array(list) ? list : NULL;
}

const char *gltf_text(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

int gltf_word(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(text, words[i]))
            return (int)i;
    return -1;
}

int gltf_choice(struct gltf *gltf, json_t *object, const char *key, const char *const words[3])
{
    const char *text = gltf_text(object, key);
    const int choice = *text ? gltf_word(text, words, 3) : 0;
    if (choice >= 0)
        return choice;
    gltf_fail(gltf, "%s is '%s' (%s, %s and %s are read)", key, text, words[0], words[1], words[2]);
    return 0;
}

json_t *gltf_extension(json_t *object, const char *name)
{
    json_t *extension = json_object_get(json_object_get(object, "extensions"), name);
    return json_is_object(extension) ? extension : NULL;
}
