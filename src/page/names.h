/* Names: what users may call jobs and parts of jobs, and what the files of a page are called.
 *
 *     orcs/grunt.png, orcs/grunt.normal.png, orcs/grunt.json, ...   the first page of the job "orcs/grunt"
 *     orcs/grunt@1.png                                              its second page
 *     orcs/grunt@run.png, orcs/grunt@run@1.png                      with `split`: the sheet of the clip "run"
 *     orcs/grunt.preview@run@front.png                              a preview of the sheet
 *     orcs/grunt.frames/walk_00.png                                 a frame of the page, where `frames` asks for these
 *     orcs/grunt@2x.png, orcs/grunt@2x@run.png                      the same of a scale: of a job of its own, grunt@2x
 *
 * No two files have one name. '@' cannot stand in the name of a job, clip or camera, so a file tells its job,
 * sheet and page; and no such name ends in a word that starts the suffix of a file, such as ".normal". That leaves
 * names that are the same: the list refuses two jobs of one name, and a plan numbers its clips. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "render/pass.h"
#include "sheet/movie.h"

enum {
    /* With "@label", "@page", ".wireframe.png" and what a temporary name adds, a part stays below the 255 bytes of
     * a file name. */
    NAME_LABEL_LENGTH = 64,
    NAME_PART_LENGTH = 128,
    NAME_PATH_LENGTH = 512,
};

/* A label (of a camera, an animation, a group) is one part; a path (a job's name) is parts with '/' between.
 * A part is UTF-8 without control characters and line breaks, '@' and any of \ : * ? " < > |, does not start with '.' or a space,
 * or end in either or like a file of a page (".png", ".normal"), and no part of a path is a device of Windows,
 * such as CON or com1.x: Windows has no such files, and stores of CI artifacts refuse them. The message starts
 * with what is wrong, such as "has an empty part". */
int names_check_label(const char *name, struct error *err);
int names_check_path(const char *name, struct error *err);

/* Whether the text is UTF-8 without control characters, U+2028 and U+2029, at which YAML ends a line. */
int names_check_text(const char *text, size_t length, struct error *err);

/* Whether the text ends in a word of a file's suffix: ".normal", ".aseprite", ".png". */
bool names_end_like_file(const char *text);

/* Return the name of a job, or group, at a scale above 1; and the scale in such a name, which may go on as names of pages
 * do: *length is without that. */
const char *names_scaled(const char *name, uint32_t scale, struct arena *arena);
uint32_t names_scale(const char *name, size_t *length);

/* The name of a sheet: that of its job, with the label of its clip or camera unless that is NULL. The caller frees
 * the result of this and the next two. */
char *names_sheet(const char *job, const char *label);

/* A file of page `page` of a sheet; the name of the page itself with the suffix "". */
char *names_page(const char *sheet, uint32_t page, const char *suffix);

/* The picture of a pass: "orcs/grunt.png" for PASS_MAIN, else "orcs/grunt.normal.png". */
char *names_picture(const char *sheet, uint32_t page, enum pass pass);

/* A preview of a sheet: parts are the skin, the clip and the camera, in this order, as far as it has one (else NULL);
 * a file of the sheet's first page. */
char *names_preview(const char *sheet, const char *const parts[3], enum movie_format format);

/* Whether a page of this name is one of the job's, and a file of this name one of the page's. */
bool names_is_page_of(const char *page, const char *job);
bool names_is_file_of(const char *file, const char *page);

/* Whether it is that of a file in the folder of a page, or in one for its frames there, as records have them. */
bool names_is_plain(const char *file);
