#include "base/error.h"
#include "cli/args.h"
#include "job/settings.h"

static const struct exit_cause exits[] = {
    {"0", "the schema is printed"},
    {"2", "wrong options"},
    {"5", "the result cannot be written"},
    {0},
};

static const struct arg options[] = {{0}};

static int run(int argc, char **argv)
{
    SCOPED_BY(blob_release) struct blob schema = {0};
    struct error err;
    int exit_code = args_read(&schema_command, argc, argv, NULL);
    if (exit_code >= 0)
        return exit_code;
    if (job_schema(&schema, &err) < 0 || cli_write(NULL, blob_bytes(&schema), &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    return EXIT_DONE;
}

const struct command schema_command = {
    .name = "schema",
    .summary = "print a JSON Schema of job lists, for editors",
    .operands = {"", NULL, 0, 0},
    .about = "Prints a JSON Schema of job lists (draft-07). Editors that read YAML with a schema complete keys, "
             "explain them and mark mistakes while you type, in a list that begins with the line '# "
             "yaml-language-server: $schema=FILE'; init writes it.",
    .options = options,
    .exits = exits,
    .run = run,
};
