#include "page/metadata.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "sheet/movie.h"

/* The assembler takes the templates in as they are; paths count from where make runs. */
#define X(metadata, name, suffix, ...)                                                                            \
    __asm__(".section .rodata\n" #metadata "_template:\n.incbin \"src/page/templates/" name                       \
            ".mustache\"\n" #metadata "_template_end:\n"                                                          \
            ".previous\n");                                                                                       \
    extern const char metadata##_template[], metadata##_template_end[];
TEMPLATE_ROWS(X)
#undef X

const struct metadata_format metadata_formats[METADATA_COUNT] = {
#define X(metadata, name, suffix, is_reserved) {name, suffix, false, is_reserved, NULL, NULL},
    METADATA_ROWS(X)
#undef X
#define X(metadata, name, suffix, is_of_sheet, is_reserved)                                                       \
    {name, suffix, is_of_sheet, is_reserved, metadata##_template, metadata##_template_end},
        TEMPLATE_ROWS(X)
#undef X
};

_Static_assert(METADATA_COUNT <= 32, "job.metadata has a bit for each");

/* Regardless of case, for file systems that disregard it. */
static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), suffix_length = strlen(suffix);
    return length >= suffix_length && !strcasecmp(name + length - suffix_length, suffix);
}

char *template_suffix(struct arena *arena, const char *path)
{
    const char *stem = path_base_stem(arena, path), *suffix = path_suffix(stem);
    return arena_printf(arena, "%s%s", *suffix ? "" : ".", *suffix ? suffix : stem);
}

bool metadata_is_picture(const char *name)
{
    return ends_in(name, PICTURE_SUFFIX) || ends_in(name, movie_suffixes[MOVIE_WEBP]);
}

bool metadata_is_output(const char *name)
{
    if (metadata_is_picture(name) || ends_in(name, RECORD_SUFFIX) || ends_in(name, FRAMES_SUFFIX))
        return true;
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        if (ends_in(name, metadata_formats[i].suffix))
            return true;
    return false;
}
