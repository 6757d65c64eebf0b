#include "model/clip_name.h"

#include <stdbool.h>
#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

const char *clip_name_clean(struct arena *arena, const char *text, size_t length)
{
    char *name = arena_must_alloc(arena, length + 1, 1);
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '/' || text[i] == '\\')
            return "frame";
        if (text[i] == '"' || text[i] == '\'' || (!used && !is_word(text[i])))
            continue;
        name[used++] = is_word(text[i]) || (text[i] && strchr("-_.+ ", text[i])) ? text[i] : '_';
    }
    while (used && !is_word(name[used - 1]))
        used--;
    name[used] = '\0';
    return used ? name : "frame";
}
