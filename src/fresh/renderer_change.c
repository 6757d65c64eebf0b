#include "fresh/renderer_change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"

/* What is not known may have changed. */
static void compare_whole(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    if (strcmp(was, is) || !*is)
        reasons_add(reasons, REASON_RENDERER, what, *was ? was : "unknown", *is ? is : "unknown");
}

/* "libLLVM-15.so.1 8f3c..., libOSMesa.so.8 45a7..." */
static void split(const char *text, struct strings *out)
{
    while (*text) {
        const char *end = strstr(text, ", ");
        int length = (int)(end ? (size_t)(end - text) : strlen(text));
        strings_printf(out, "%.*s", length, text);
        text += length + (end ? 2 : 0);
    }
}

/* The build of the library that `part` names, or NULL. */
static const char *build_in(const struct strings *parts, const char *part)
{
    size_t length = strcspn(part, " ") + 1;
    for (size_t i = 0; i < parts->count; i++)
        if (!strncmp(parts->items[i], part, length))
            return parts->items[i] + length;
    return NULL;
}

static void add_library(struct reasons *reasons, const char *part, const char *was, const char *is)
{
    char *name = must_printf("%.*s", (int)strcspn(part, " "), part);
    reasons_add(reasons, REASON_LIBRARY, name, was, is);
    free(name);
}

static void compare_libraries(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    struct strings old = {0}, new = {0};
    if (!strchr(was, ' ') || !strchr(is, ' ')) { /* unknown, or so many that it is a hash */
        compare_whole(reasons, what, was, is);
        return;
    }
    split(was, &old);
    split(is, &new);
    for (size_t i = 0; i < new.count; i++)
        if (!strings_has(&old, new.items[i]))
            add_library(reasons, new.items[i], build_in(&old, new.items[i]), build_in(&new, new.items[i]));
    for (size_t i = 0; i < old.count; i++)
        if (!build_in(&new, old.items[i]))
            add_library(reasons, old.items[i], build_in(&old, old.items[i]), NULL);
    strings_release(&old);
    strings_release(&new);
}

void renderer_compare(const struct record *was, const struct record *today, struct reasons *reasons)
{
    if (!*today->backend) {
        compare_whole(reasons, "name", was->renderer, "");
        return;
    }
    compare_whole(reasons, "backend", was->backend, today->backend);
    if (strcmp(was->backend, today->backend) == 0) /* or other libraries are no news */
        compare_libraries(reasons, "library", was->library, today->library);
    if (strcmp(was->library, today->library) == 0) /* or another name is none */
        compare_whole(reasons, "name", was->renderer, today->renderer);
    compare_whole(reasons, "processor", was->cpu, today->cpu);
    compare_libraries(reasons, "program", was->program, today->program);
}
