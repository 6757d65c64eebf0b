/* The one way a function says why it failed.
 *
 * A function that can fail returns 0 or -1 and takes a `struct error *` last; the caller owns it, and it is
 * written only on failure. error_set() starts a message, error_add() puts what an outer level knows in
 * front, so that a user reads "orcs.yaml:14: job 'grunt': grunt.md2: frame 12 runs past the end". Messages
 * start in lower case, have no final stop, and give the number found with the number allowed. */
#pragma once

struct error {
    char text[1024]; /* always NUL-terminated; longer messages are cut */
};

/* Both return -1, so that `return error_set(err, ...)` fails the caller. */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends a message that says all that most people need. */
#define ERROR_NO_FILE ": no such file in the assets"

/* Puts the formatted text and ": " in front of the message already there; after one that ends with ERROR_NO_FILE in
 * brackets, as in "wand.bin: no such file in the assets (wand.gltf: mesh 0: buffer 0)". */
int error_add(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
