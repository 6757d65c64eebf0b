/* Names that users give and that become part of file names and frame names. */
#ifndef JOB_NAME_H
#define JOB_NAME_H

#include <stddef.h>

#include "base/error.h"

enum {
    /* With "-label", "-page", ".wireframe.png" and what a temporary name adds, a part stays below the 255 bytes of
     * a file name. */
    NAME_LABEL_LENGTH = 64,
    NAME_PART_LENGTH = 128,
    NAME_PATH_LENGTH = 512,
};

/* A label (of a camera, an animation, a group) is one part; a path (a job's name) is parts with '/' between.
 * A part is UTF-8 without control characters and any of \ : * ? " < > |, does not start with '.' or a space, or
 * end in either, and no part of a path is a device of Windows, such as CON or com1.x: Windows has no such files, and
 * stores of CI artifacts refuse them. No folder of a path ends like a file of a page (sheet/metadata.h), which could
 * be another job's file. The message starts with what is wrong, such as "holds an empty part". */
int name_check_label(const char *name, struct error *err);
int name_check_path(const char *name, struct error *err);

/* Whether the text is UTF-8 without control characters. */
int name_check_text(const char *text, size_t length, struct error *err);

#endif
