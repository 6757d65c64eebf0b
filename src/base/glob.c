#include "base/glob.h"

#include <stddef.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/strings.h"

static char lower_if(char c, bool ignore_case)
{
    return ignore_case ? ascii_lower(c) : c;
}

/* The end of the set that starts at `set` (after its '['), or NULL when it is never closed: then '[' stands
 * for itself. A ']' right at the start belongs to the set. */
static const char *set_end(const char *set)
{
    if (*set == '!')
        set++;
    if (*set == ']')
        set++;
    return strchr(set, ']');
}

static bool set_matches(const char *set, const char *end, char c, bool ignore_case)
{
    bool inverted = *set == '!';
    if (inverted)
        set++;
    bool found = false;
    while (set < end) {
        char low = lower_if(*set++, ignore_case), high = low;
        if (set + 1 < end && *set == '-') {
            high = lower_if(set[1], ignore_case);
            set += 2;
        }
        found |= low <= c && c <= high;
    }
    return found != inverted;
}

/* Matches one pattern element other than a star against one character; gives the pattern after it. */
static bool element_matches(const char **pattern, char c, bool ignore_case)
{
    const char *p = *pattern;
    const char *end = *p == '[' ? set_end(p + 1) : NULL;
    if (end) {
        *pattern = end + 1;
        return c != '/' && set_matches(p + 1, end, lower_if(c, ignore_case), ignore_case);
    }
    *pattern = p + 1;
    return *p == '?' ? c != '/' : lower_if(*p, ignore_case) == lower_if(c, ignore_case);
}

static bool matches(const char *pattern, const char *text, bool ignore_case, bool crosses_folders)
{
    /* The last '*' and the last '**' seen are the only places worth going back to: an earlier one could not
     * match more than they can. Going back to a '*' ends at a '/', then the '**' takes over. */
    const char *star = NULL, *star_text = NULL;
    const char *globstar = NULL, *globstar_text = NULL;

    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            pattern += 2;
            if (pattern[0] == '/') /* matches nothing at all, or any run that ends in '/' */
                pattern++;
            globstar = pattern;
            globstar_text = text;
            star = NULL;
            continue;
        }
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
            continue;
        }
        if (!*text && !*pattern)
            return true;
        if (*text && *pattern && element_matches(&pattern, *text, ignore_case)) {
            text++;
            continue;
        }
        if (star && *star_text && (crosses_folders || *star_text != '/')) {
            pattern = star;
            text = ++star_text;
            continue;
        }
        if (!globstar || !*globstar_text)
            return false;
        star = NULL;
        if (globstar[-1] == '/') { /* next folder */
            const char *slash = strchr(globstar_text, '/');
            if (!slash)
                return false;
            globstar_text = slash + 1;
        } else {
            globstar_text++;
        }
        pattern = globstar;
        text = globstar_text;
    }
}

bool glob_matches(const char *pattern, const char *text, bool ignore_case)
{
    return matches(pattern, text, ignore_case, false);
}

bool glob_takes(const char *only, const char *name)
{
    return matches(only, name, false, true);
}

bool glob_is_pattern(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

const char *glob_hint(const char *only)
{
    return strchr(only, '*') ? "" : "; `*` stands for any part of a name";
}

char *glob_of(const char *text)
{
    struct buffer pattern = {0};
    buffer_add(&pattern, "", 0);
    for (; *text; text++)
        buffer_printf(&pattern, strchr("*?[", *text) ? "[%c]" : "%c", *text);
    return pattern.text;
}

char *glob_beside(const char *path, const char *pattern)
{
    SCOPED char *folder = path_folder(path), *only = glob_of(folder);
    return path_join(only, pattern);
}
