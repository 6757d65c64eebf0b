/* The options of a command are rows of a table: the name, the value, and the member of a struct that the value goes
 * into.
 *
 *     static const struct arg options[] = {
 *         {"jobs", 'j', "N", "worker processes", ARG_COUNT(struct render_args, batch.worker_count, 1, POOL_MAX_WORKERS)},
 *         {"force", 0, NULL, "make all sheets", ARG_FLAG(struct render_args, batch.force)},
 *         {0},
 *     };
 *
 * args_read fills in the struct, and --help, the manual page and the completion of shells come from the same rows.
 * -h, --help is in every command and in no table. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/strings.h"
#include "cli/cli.h"
#include "render/context.h"
#include "report/ci.h"
#include "run/pool.h"

enum arg_kind {
    /* Without a value: arg->value goes into a bool or an int. */
    ARG_KIND_BOOL,
    ARG_KIND_INT,
    /* With one. */
    ARG_KIND_TEXT,
    ARG_KIND_PATH,
    ARG_KIND_LIST,
    ARG_KIND_COUNT,
    ARG_KIND_NUMBER,
    ARG_KIND_CHOICE,
    ARG_KIND_CALL,
};

/* Reads `text` into *out. Returns the exit code, after a message, or -1 to go on. */
typedef int arg_take(const struct command *command, const char *text, void *out);

struct arg {
    const char *name;       /* without its dashes */
    char letter;            /* 0: none */
    const char *value_name; /* its value in the help; NULL: it takes none */
    const char *help;       /* one paragraph, without a stop at its end; NULL: no manual names the option */
    enum arg_kind kind;
    size_t offset; /* of the member */
    int value;
    double least, most;       /* of a count or number */
    const char *const *names; /* of a choice; of a call, those that a shell completes */
    size_t name_count;
    arg_take *take; /* of a call */

    /* Names of options, and behind a ':' or ',' why: one without which it means nothing, and those which it cannot be given
     * with, split by spaces. NULL: none. */
    const char *needs, *excludes;
};

/* The offset of a member; does not compile unless it has the type `wanted`. */
#define ARG_IN(type, member, wanted) .offset = _Generic(((type *)0)->member, wanted : offsetof(type, member))

/* The same for an int or an enum, which to the compiler is int or unsigned. */
#define ARG_IN_INT(type, member)                                                                                  \
    .offset = _Generic(((type *)0)->member, int : offsetof(type, member), unsigned : offsetof(type, member))

/* These follow the help in a row. Without a value: a bool becomes true, or a bool, int or enum becomes `what`. */
#define ARG_FLAG(type, member) ARG_BOOL(type, member, true)
#define ARG_BOOL(type, member, what) .kind = ARG_KIND_BOOL, ARG_IN(type, member, bool), .value = what
#define ARG_INT(type, member, what) .kind = ARG_KIND_INT, ARG_IN_INT(type, member), .value = what

/* Into a const char *. A path must not be empty, as it is when a variable of a script is not set. */
#define ARG_TEXT(type, member) .kind = ARG_KIND_TEXT, ARG_IN(type, member, const char *)
#define ARG_PATH(type, member) .kind = ARG_KIND_PATH, ARG_IN(type, member, const char *)

/* Into struct strings; may be given several times. */
#define ARG_LIST(type, member) .kind = ARG_KIND_LIST, ARG_IN(type, member, struct strings)

/* Into an unsigned, a whole number; into a double, any. */
#define ARG_COUNT(type, member, from, to)                                                                         \
    .kind = ARG_KIND_COUNT, ARG_IN(type, member, unsigned), .least = from, .most = to
#define ARG_NUMBER(type, member, from, to)                                                                        \
    .kind = ARG_KIND_NUMBER, ARG_IN(type, member, double), .least = from, .most = to

/* Into an enum: the index of the text in an array of names. */
#define ARG_CHOICE(type, member, choices)                                                                         \
    .kind = ARG_KIND_CHOICE, ARG_IN_INT(type, member), .names = choices,                                          \
    .name_count = sizeof choices / sizeof *choices

/* Anything else: a function reads it. */
#define ARG_CALL(type, member, wanted, function)                                                                  \
    .kind = ARG_KIND_CALL, ARG_IN(type, member, wanted), .take = function

/* Options of several commands. */
#define ARG_OUTPUT(type, member)                                                                                  \
    "output", 'o', "DIR", "the folder of the sheets, instead of the lists' own", ARG_PATH(type, member)
#define ARG_CONFIG(type, member)                                                                                  \
    "config", 0, "FILE",                                                                                          \
        "read defaults from FILE; the built-in ones (config/defaults.yaml) apply to what it leaves out",          \
        ARG_PATH(type, member)
#define ARG_ONLY(type, member)                                                                                    \
    "only", 0, "GLOB", "take only jobs whose names match: * is any part of a name, as in 'orcs/*'",               \
        ARG_TEXT(type, member)
#define ARG_ASSETS(type, member)                                                                                  \
    "assets", 0, "ROOT",                                                                                          \
        "look for files in ROOT, a folder or an archive (pk3, pk4, zip, pak). If it is given several times, "     \
        "the first that has a file wins. Other names on the command line are then paths in it",                   \
        ARG_LIST(type, member)
#define ARG_WORKERS(type, member)                                                                                 \
    "jobs", 'j', "N", "run N workers (default: one for each usable CPU)",                                         \
        ARG_COUNT(type, member, 1, POOL_MAX_WORKERS)
#define ARG_TIMEOUT(type, member, what)                                                                           \
    "timeout", 0, "SEC", "kill a worker that takes longer than SEC for " what " (default 60; 0: no limit)",       \
        ARG_NUMBER(type, member, 0, 86400)
#define ARG_MEMORY(type, member)                                                                                  \
    "memory", 0, "SIZE",                                                                                          \
        "kill a worker that uses more memory than SIZE, such as 512M or 2G (default: nine tenths of what "        \
        "this machine or container has; 0: no limit)",                                                            \
        ARG_CALL(type, member, uint64_t, args_take_memory)
#define ARG_BACKEND(type, member)                                                                                 \
    "backend", 0, "NAME",                                                                                         \
        "draw with osmesa, egl, or auto (the default): the first that works; see 'sheetbake doctor'",             \
        ARG_CHOICE(type, member, backend_names)
#define ARG_SARIF(type, member) "sarif", 0, "FILE", SARIF_HELP, ARG_PATH(type, member)
#define ARG_CI(type, member)                                                                                      \
    "ci", 0, "NAME",                                                                                              \
        "print messages for a CI system: github, gitlab, off or auto (the default), which looks at the "          \
        "environment",                                                                                            \
        ARG_CHOICE(type, member, ci_names)
#define ARG_JSON(type, member) "json", 0, NULL, "print JSON instead of text", ARG_FLAG(type, member)

/* Reads the options of the command into *out, a struct of the type that its table is about. Returns the exit code, or
 * -1 to go on with the operands, from argv[optind] on. */
int args_read(const struct command *command, int argc, char **argv, void *out);

/* Prints the text of --help, in lines of less than 80 columns. */
void args_print_help(const struct command *command, FILE *out);

bool arg_has_value(const struct arg *arg);

arg_take args_take_memory; /* into a uint64_t: the bytes that "512M" or "1.5G" means, 0 for no limit */
