/* What commands are, and how they speak: `sheetbake COMMAND ...`. Each is a constant struct in a file of its own, and a
 * row of cli/commands.c. Results go to standard output, messages to standard error. */
#pragma once

#include <limits.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

/* One cause each; README.md documents them. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_DIFFERS = 1,       /* diff: something differs that --fail-on names */
    EXIT_USAGE = 2,         /* wrong options, a job list with problems, a file or folder that cannot be used */
    EXIT_SHEETS_FAILED = 3, /* everything was tried, some sheets failed */
    EXIT_NO_BACKEND = 4,    /* nothing here can draw */
    EXIT_BROKEN = 5,        /* the run itself could not go on, such as no more processes */
    EXIT_LOCKED = 6,        /* another run is at work in an output folder (--lock fail) */
    EXIT_SIGNAL = 128,      /* plus the signal's number: 130 for SIGINT, 143 for SIGTERM */
};

struct arg;

/* What a command's exit code means. */
struct exit_cause {
    const char *codes; /* "2", or several: "130, 143" */
    const char *cause;
};

/* What a command takes besides options. */
struct operands {
    const char *usage; /* "LIST..."; "" for none */
    const char *what;  /* one of them, for messages: "job list" */
    int least, most;
};

/* Texts are paragraphs, each a line of any length, separated by '\n'. --help and the manual page break the lines. */
struct command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    struct operands operands;
    const char *about;                 /* text: what it does */
    const struct arg *options;         /* a table that ends with {0}, for args_read */
    const char *notes;                 /* text after the options; NULL: none */
    const struct exit_cause *exits;    /* ends with {0} */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit code */
};

/* In the order in which they are listed; NULL ends it. */
extern const struct command *const commands[];

/* Runs the command in argv[1]; returns the exit code. */
int commands_main(int argc, char **argv);

extern const struct command render_command, check_command, info_command, pose_command, thumb_command,
    doctor_command, verify_command, diff_command, history_command, gallery_command, schema_command, init_command;

/* Prints "sheetbake COMMAND: message" and a hint at --help to standard error; returns EXIT_USAGE. */
int cli_usage_error(const struct command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line to standard output, with '?' for control characters: they come from files and their names. */
void cli_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "" for 1, else "s". */
const char *cli_plural(size_t count);

/* Prints "sheetbake: message" to standard error in the same way. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of an error. Returns the exit code. */
int cli_fail(const struct error *err, int exit_code);

/* Writes the one result of a command. A file appears whole or not at all; a pipe or device that is there is written
 * into. NULL is standard output. */
int cli_write(const char *path, struct bytes bytes, struct error *err);
