#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/explain.h"

static void print_pairs(const char *what, const struct record_pairs *pairs, const char *between)
{
    for (size_t i = 0; i < pairs->count; i++)
        cli_print_line("  %s %s%s%s", what, pairs->items[i].name, between,
                       pairs->items[i].value ? pairs->items[i].value : "nothing");
}

static void print_names(const char *what, const struct record_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        cli_print_line("  %s %s", what, pairs->items[i].name);
}

static void print_record(const struct record *record)
{
    print_names("input", &record->inputs);
    print_pairs("found", &record->found, " as ");
    for (size_t i = 0; i < record->absent_count; i++)
        cli_print_line("  not found %s", record->absent[i]);
    print_names("listed", &record->listed);
    print_pairs("declared", &record->declared, " in ");
    print_pairs("setting", &record->settings, ": ");
    cli_print_line("  renderer %s, %s", record->backend, record->cpu);
    cli_print_line("  drawn by %s", record->library);
    cli_print_line("  with libraries %s", record->program);
    cli_print_line("  output version %u", record->output);
}

void explain_print(const struct explained *page, bool is_verbose)
{
    const char *state = page->job->missing_count ? "cannot be made"
                        : page->reasons->count   ? "to be made"
                                                 : "up to date";
    cli_print_line("%s: %s", page->name, state);
    for (size_t i = 0; i < page->reasons->count; i++) {
        char *text = reason_text(&page->reasons->items[i]);
        cli_print_line("  %s", text);
        free(text);
    }
    if (is_verbose && page->record) {
        if (page->reasons->count)
            cli_print_line("  It was made of:");
        print_record(page->record);
    }
}
