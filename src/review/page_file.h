/* Files of review/page that are built in, as config/defaults.yaml is: the assembler takes them in as they are, by paths
 * that count from where make runs.
 *
 *     PAGE_FILE(gallery_css, "gallery.css");
 *     ... page_file_bytes(gallery_css) ...
 */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

/* The folder beside an index.html that has all else of the page, and nothing of anybody else. No job can have files of
 * this name (page/names.h). */
#define PAGE_FOLDER "index@files"

#define PAGE_FILE(name, file)                                                                                     \
    __asm__(".section .rodata\n.globl " #name "_start, " #name "_end\n" #name "_start:\n"                         \
            ".incbin \"src/review/page/" file "\"\n" #name "_end:\n"                                              \
            ".byte 0\n"                                                                                           \
            ".previous\n");                                                                                       \
    PAGE_FILE_USED(name)

/* One that another file of the program takes in. */
#define PAGE_FILE_USED(name) extern const uint8_t name##_start[], name##_end[]

#define page_file_bytes(name) ((struct bytes){name##_start, (size_t)(name##_end - name##_start)})

/* Fails where `index` is there and is not a page that this command writes. */
int page_file_check(const char *index, const char *command, struct error *err);
