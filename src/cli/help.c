#include "cli/help.h"

#include <string.h>

#include "base/buffer.h"
#include "cli/args.h"

enum {
    LINE_WIDTH = 79,
    OPTION_INDENT = 24, /* where the help of options begins */
};

/* Adds a paragraph word by word; its first line goes on at the column `indent`, where all others begin. */
static void add_paragraph(struct buffer *out, const char *text, int indent)
{
    int column = indent;
    while (*text && *text != '\n') {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            buffer_printf(out, "\n%*s", indent, "");
            column = indent;
        }
        bool is_first = column == indent;
        buffer_printf(out, "%s%.*s", is_first ? "" : " ", length, text);
        column += length + !is_first;
        text += length;
        text += *text == ' ';
    }
    buffer_printf(out, "\n");
}

/* Each paragraph behind an empty line. */
static void add_text(struct buffer *out, const char *text)
{
    while (text && *text) {
        buffer_printf(out, "\n");
        add_paragraph(out, text, 0);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

static void add_option(struct buffer *out, const struct arg *arg)
{
    size_t begin = out->length;
    if (arg->letter)
        buffer_printf(out, "  -%c, ", arg->letter);
    else
        buffer_printf(out, "      ");
    buffer_printf(out, "--%s%s%s", arg->name, arg->value_name ? " " : "", arg->value_name ? arg->value_name : "");
    int width = (int)(out->length - begin);
    if (width + 2 > OPTION_INDENT)
        buffer_printf(out, "\n%*s", OPTION_INDENT, "");
    else
        buffer_printf(out, "%*s", OPTION_INDENT - width, "");
    add_paragraph(out, arg->help, OPTION_INDENT);
}

static void add_exits(struct buffer *out, const struct exit_cause *exits)
{
    int widest = 0;
    for (const struct exit_cause *exit = exits; exit->codes; exit++)
        widest = (int)strlen(exit->codes) > widest ? (int)strlen(exit->codes) : widest;
    buffer_printf(out, "\nexit codes:\n");
    for (; exits->codes; exits++) {
        buffer_printf(out, "  %-*s  ", widest, exits->codes);
        add_paragraph(out, exits->cause, widest + 4);
    }
}

void help_print(const struct command *command, FILE *out)
{
    static const struct arg help = {"help", 'h', NULL, "this text", .kind = ARG_KIND_BOOL};
    struct buffer text = {0};
    buffer_printf(&text, "usage: sheetbake %s [OPTION...]%s%s\n", command->name, *command->operands ? " " : "",
                  command->operands);
    add_text(&text, command->about);
    buffer_printf(&text, "\n");
    for (const struct arg *arg = command->options; arg->name; arg++)
        add_option(&text, arg);
    add_option(&text, &help);
    add_text(&text, command->notes);
    add_exits(&text, command->exits);
    fputs(text.text, out);
    buffer_release(&text);
}
