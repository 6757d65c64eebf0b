#include "page/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/metadata.h"

/* Between the job, the label and the number of a page. Unity's files have it before the name of a clip; it means
 * nothing to shells, URLs and Windows. */
static const char separator = '@';

static const char forbidden[] = "\\:*?\"<>|";

/* -- What users may call things ---------------------------------------------------------------------------- */

int names_check_text(const char *text, size_t length, struct error *err)
{
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t character;
        size = utf8_read(text + at, length - at, &character);
        if (size == 0)
            return error_set(err, "is not UTF-8 text");
        if (character < 0x20 || (character >= 0x7F && character < 0xA0))
            return error_set(err, "holds the control character U+%04X", character);
        if (character == 0x2028 || character == 0x2029) /* YAML ends comments there */
            return error_set(err, "holds the line break U+%04X", character);
    }
    return 0;
}

/* CON, con.txt, LPT1, ... */
static bool is_device(const char *part, size_t length)
{
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "COM", "LPT"};
    const char *dot = memchr(part, '.', length);
    size_t stem = dot ? (size_t)(dot - part) : length;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool has_digit = i >= 4;
        if (stem == 3u + has_digit && !strncasecmp(part, devices[i], 3) &&
            (!has_digit || (part[3] >= '1' && part[3] <= '9')))
            return true;
    }
    return false;
}

/* Whether a suffix such as ".aseprite.json" has `word`, such as ".aseprite". */
static bool has_word(const char *suffix, const char *word)
{
    size_t length = strlen(word);
    for (; suffix; suffix = strchr(suffix + 1, '.'))
        if (!strncasecmp(suffix, word, length) && (suffix[length] == '.' || suffix[length] == '\0'))
            return true;
    return false;
}

bool names_end_like_file(const char *text)
{
    const char *word = strrchr(text, '.');
    bool is_known = word && (has_word(PICTURE_SUFFIX, word) || has_word(RECORD_SUFFIX, word) ||
                             has_word(PREVIEW_WORD, word) || has_word(FRAMES_SUFFIX, word));
    for (unsigned i = PASS_MAIN + 1; word && i < PASS_COUNT; i++)
        is_known |= !strcasecmp(word + 1, pass_names[i]);
    for (unsigned i = 0; word && i < MOVIE_FORMAT_COUNT; i++)
        is_known |= has_word(movie_suffixes[i], word);
    for (unsigned i = 0; word && i < METADATA_COUNT; i++)
        is_known |= metadata_formats[i].is_reserved && has_word(metadata_formats[i].suffix, word);
    return is_known;
}

static int check_part(const char *part, size_t length, size_t limit, struct error *err)
{
    if (length == 0)
        return error_set(err, "has an empty part");
    if (length > limit)
        return error_set(err, "has %zu bytes in one part, at most %zu are allowed", length, limit);
    if (part[0] == '.')
        return error_set(err, "has a part that starts with '.'");
    if (part[0] == ' ' || part[length - 1] == ' ')
        return error_set(err, "has a part that starts or ends with a space");
    if (part[length - 1] == '.')
        return error_set(err, "has a part that ends in '.', which Windows refuses");
    size_t allowed = strcspn(part, forbidden);
    if (allowed < length)
        return error_set(err, "holds '%c'; Windows and CI artifacts refuse any of %s", part[allowed], forbidden);
    if (memchr(part, separator, length))
        return error_set(err, "holds '%c', which separates clip, camera and page in file names", separator);
    if (names_check_text(part, length, err) < 0)
        return -1;
    char *name = must_printf("%.*s", (int)length, part);
    int result =
        names_end_like_file(name) ? error_set(err, "has a part that ends like an output file, '%s'", name) : 0;
    free(name);
    return result;
}

/* "2x": how long that is, or 0. */
static size_t scale_length(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == 'x' ? digits + 1 : 0;
}

int names_check_label(const char *name, struct error *err)
{
    if (strchr(name, '/'))
        return error_set(err, "holds '/'");
    if (*name && scale_length(name) == strlen(name))
        return error_set(err, "is that of a scale, such as 2x");
    return check_part(name, strlen(name), NAME_LABEL_LENGTH, err);
}

int names_check_path(const char *name, struct error *err)
{
    size_t length = strlen(name);
    if (length > NAME_PATH_LENGTH)
        return error_set(err, "has %zu bytes, at most %d are allowed", length, NAME_PATH_LENGTH);
    for (const char *part = name;;) {
        size_t part_length = strcspn(part, "/");
        if (check_part(part, part_length, NAME_PART_LENGTH, err) < 0)
            return -1;
        if (is_device(part, part_length))
            return error_set(err, "has the part '%.*s', which is a device of Windows and cannot be a file there",
                             (int)part_length, part);
        if (!part[part_length])
            return 0;
        part += part_length + 1;
    }
}

/* -- What files are called --------------------------------------------------------------------------------- */

const char *names_scaled(const char *name, uint32_t scale, struct arena *arena)
{
    return arena_printf(arena, "%s%c%ux", name, separator, scale);
}

uint32_t names_scale(const char *name, size_t *length)
{
    const char *end = strchrnul(name, separator);
    const size_t of_scale = *end ? scale_length(end + 1) : 0;
    const char *rest = end + (*end ? 1 + of_scale : 0); /* a label may be "2x.5" */
    const bool is_scaled = of_scale > 0 && (!*rest || *rest == separator);
    *length = (size_t)(end - name) + (is_scaled ? 1 + of_scale : 0);
    return is_scaled ? (uint32_t)strtoul(end + 1, NULL, 10) : 1;
}

char *names_sheet(const char *job, const char *label)
{
    return label ? must_printf("%s%c%s", job, separator, label) : must_strdup(job);
}

char *names_page(const char *sheet, uint32_t page, const char *suffix)
{
    return page ? must_printf("%s%c%u%s", sheet, separator, page, suffix) : must_printf("%s%s", sheet, suffix);
}

char *names_picture(const char *sheet, uint32_t page, enum pass pass)
{
    if (pass == PASS_MAIN)
        return names_page(sheet, page, PICTURE_SUFFIX);
    char *suffix = must_printf(".%s" PICTURE_SUFFIX, pass_names[pass]), *name = names_page(sheet, page, suffix);
    free(suffix);
    return name;
}

char *names_preview(const char *sheet, const char *const parts[3], enum movie_format format)
{
    struct buffer name = {0};
    buffer_printf(&name, "%s" PREVIEW_WORD, sheet);
    for (int i = 0; i < 3; i++)
        if (parts[i])
            buffer_printf(&name, "%c%s", separator, parts[i]);
    buffer_printf(&name, "%s", movie_suffixes[format]);
    return name.text;
}

bool names_is_page_of(const char *page, const char *job)
{
    size_t length = strlen(job);
    return !strncmp(page, job, length) &&
           (page[length] == '\0' || (page[length] == separator && !strchr(page + length, '/')));
}

bool names_is_plain(const char *file)
{
    const char *slash = strchr(file, '/');
    if (slash) /* of a frame */
        file = (size_t)(slash - file) > strlen(FRAMES_SUFFIX) &&
                       !strncmp(slash - strlen(FRAMES_SUFFIX), FRAMES_SUFFIX, strlen(FRAMES_SUFFIX))
                   ? slash + 1
                   : "";
    return *file && strcmp(file, ".") && strcmp(file, "..") && !strchr(file, '/');
}

bool names_is_file_of(const char *file, const char *page)
{
    size_t length = strlen(page);
    return !strncmp(file, page, length) && file[length] == '.';
}
