/* A pattern, a NUL, and text: whether it matches, which must end soon, and that whatever is printed is harmless.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/memory.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_printable(char *text)
{
    size_t length = strlen(text);
    printable_mask(text);
    if (strlen(text) != length)
        abort();
    for (const char *c = text; *c; c += printable_length(c))
        if (printable_length(c) == 0 || (unsigned char)*c < ' ' || *c == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *pattern = must_printf("%.*s", (int)size, (const char *)data);
    size_t length = strlen(pattern), rest = length < size ? length + 1 : size;
    char *text = must_printf("%.*s", (int)(size - rest), (const char *)data + rest);
    bool matches = glob_matches(pattern, text, false);
    if (matches && !strchr(pattern, '[') && !glob_matches(pattern, text, true)) /* a set may exclude characters */
        abort();
    if (matches && !glob_takes(pattern, text))
        abort();
    if (!glob_is_pattern(pattern) && matches != !strcmp(pattern, text))
        abort();
    check_printable(pattern);
    check_printable(text);
    free(pattern);
    free(text);
    return 0;
}
