#include "fresh/renderer_change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"

/* What is not known is no two times the same. */
static void compare_whole(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    if (strcmp(was, is) || !*is)
        reasons_add(reasons, REASON_RENDERER, what, *was ? was : "unknown", *is ? is : "unknown");
}

/* "libOSMesa.so.8 45a7..., libLLVM-15.so.1 8f3c..." */
static void split(const char *text, struct strings *out)
{
    while (*text) {
        const char *end = strstr(text, ", ");
        int length = (int)(end ? (size_t)(end - text) : strlen(text));
        strings_printf(out, "%.*s", length, text);
        text += length + (end ? 2 : 0);
    }
}

static bool is_library(const char *part)
{
    const char *space = strchr(part, ' ');
    return space && space > part && !strchr(space + 1, ' ') &&
           (strstr(part, ".so") || !strncmp(part, "drirc ", 6) || !strncmp(part, "sheetbake ", 10));
}

/* All parts of the one that the other has not. False where one of them is no library, such as a GPU. */
static bool keep_others(const struct strings *parts, const struct strings *other, struct strings *out)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (strings_has(other, parts->items[i]))
            continue;
        if (!is_library(parts->items[i]))
            return false;
        strings_add(out, parts->items[i]);
    }
    return true;
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

/* Parts that the other has not: those of a library that both have are of another build. */
static void add_parts(struct reasons *reasons, const struct strings *was, const struct strings *is)
{
    for (size_t i = 0; i < is->count; i++)
        add_library(reasons, is->items[i], build_in(was, is->items[i]), build_in(is, is->items[i]));
    for (size_t i = 0; i < was->count; i++)
        if (!build_in(is, was->items[i]))
            add_library(reasons, was->items[i], build_in(was, was->items[i]), NULL);
}

static void compare_libraries(struct reasons *reasons, const char *what, const char *was, const char *is)
{
    struct strings old = {0}, new = {0}, only_old = {0}, only_new = {0};
    if (!strcmp(was, is) && *is)
        return;
    split(was, &old);
    split(is, &new);
    bool are_libraries = keep_others(&old, &new, &only_old) && keep_others(&new, &old, &only_new);
    if (*was && *is && are_libraries && only_old.count + only_new.count > 0)
        add_parts(reasons, &only_old, &only_new);
    else
        compare_whole(reasons, what, was, is);
    strings_release(&old);
    strings_release(&new);
    strings_release(&only_old);
    strings_release(&only_new);
}

void renderer_compare(const struct record *was, const struct record *today, struct reasons *reasons)
{
    compare_whole(reasons, "backend", was->backend, today->backend);
    if (strcmp(was->backend, today->backend) == 0) /* or other libraries are no news */
        compare_libraries(reasons, "library", was->library, today->library);
    compare_whole(reasons, "processor", was->cpu, today->cpu);
    compare_libraries(reasons, "program", was->program, today->program);
}
