#include "report/xml.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The length of a character that XML 1.0 allows, or 0. */
static size_t xml_length(const char *text)
{
    const size_t longest = 4; /* the NUL at the end is in no character */
    uint32_t character;
    size_t length = utf8_read(text, longest, &character);
    if (length == 0 || printable_length(text) == 0)
        return *text == '\n';
    return character == 0xfffe || character == 0xffff ? 0 : length;
}

void xml_add_text(struct buffer *out, const char *text)
{
    static const char special[] = "&<>\"\n";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;"};
    while (*text) {
        size_t length = xml_length(text);
        const char *found = strchr(special, *text);
        if (found)
            buffer_printf(out, "%s", escapes[found - special]);
        else
            buffer_add(out, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}

void xml_add_attribute(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, " %s=\"", name);
    xml_add_text(out, text);
    buffer_printf(out, "\"");
}

void xml_add_child(struct buffer *out, const char *tag, const char *type, const char *message, const char *details)
{
    buffer_printf(out, "   <%s", tag);
    xml_add_attribute(out, "message", message);
    if (type)
        xml_add_attribute(out, "type", type);
    buffer_printf(out, ">");
    xml_add_text(out, message);
    if (details) {
        xml_add_text(out, "\n");
        xml_add_text(out, details);
    }
    buffer_printf(out, "</%s>\n", tag);
}

void xml_add_totals(struct buffer *out, const struct xml_totals *totals)
{
    buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"",
                  totals->tests, totals->failures, totals->errors, totals->skipped, totals->seconds);
}

void xml_add_report(struct buffer *out, const struct xml_totals *totals, const char *suites)
{
    buffer_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sheetbake\"");
    xml_add_totals(out, totals);
    buffer_printf(out, ">\n%s</testsuites>\n", suites);
}
