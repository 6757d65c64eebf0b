#include "page/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void findings_add(struct strings *out, bool is_failure, const char *rule, const char *cell, const char *text)
{
    const int most = sizeof((struct finding *)0)->text - 1;
    strings_printf(out, "%c%s\n%s\n%.*s", is_failure ? 'f' : 'w', rule, cell, most, text);
}

/* Copies a line without its break. Returns what follows; NULL where there is no break, or no room. */
static const char *take_line(const char *from, char *out, size_t size)
{
    size_t length = strcspn(from, "\n");
    if (!from[length] || length >= size)
        return NULL;
    memcpy(out, from, length);
    out[length] = '\0';
    return from + length + 1;
}

bool finding_read(const char *text, struct finding *out)
{
    const char *rest = *text == 'f' || *text == 'w' ? text + 1 : NULL;
    out->is_failure = *text == 'f';
    rest = rest ? take_line(rest, out->rule, sizeof out->rule) : NULL;
    rest = rest ? take_line(rest, out->cell, sizeof out->cell) : NULL;
    if (!rest || !*out->rule)
        return false;
    snprintf(out->text, sizeof out->text, "%s", rest);
    snprintf(out->told, sizeof out->told, "%s%s%s (rule %s)", out->text, *out->cell ? ", worst in " : "",
             out->cell, out->rule);
    return true;
}

const char *finding_level(const struct finding *finding)
{
    return finding->is_failure ? "failure" : "warning";
}

json_t *finding_json(const struct finding *finding)
{
    return json_pack("{s:o, s:s, s:o, s:o}", "rule", text_value(finding->rule), "level", finding_level(finding),
                     "text", text_value(finding->text), "cell",
                     text_or_null(*finding->cell ? finding->cell : NULL));
}

char *finding_from_json(const json_t *value)
{
    const char *rule = json_string_value(json_object_get(value, "rule"));
    const char *level = json_string_value(json_object_get(value, "level"));
    const char *text = json_string_value(json_object_get(value, "text"));
    const char *cell = json_string_value(json_object_get(value, "cell"));
    struct finding finding;
    char *serialized = must_printf("%c%s\n%s\n%s", level && !strcmp(level, "failure") ? 'f' : 'w',
                                   rule ? rule : "", cell ? cell : "", text ? text : "");
    if (finding_read(serialized, &finding))
        return serialized;
    free(serialized);
    return NULL;
}
