#include "review/html.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* The assembler takes the files in as they are. make says where they are. */
#define PAGE_FILE(name)                                                                                           \
    __asm__(".section .rodata\n" #name "_page:\n.incbin \"pages/" #name ".html\"\n" #name "_page_end:\n"          \
            ".byte 0\n"                                                                                           \
            ".previous\n");                                                                                       \
    extern const uint8_t name##_page[], name##_page_end[]

PAGE_FILE(diff);
PAGE_FILE(gallery);

static const char data_mark[] = "@@DATA@@", data_start[] = "<script type=\"application/json\" id=\"data\">";

static struct bytes page_bytes(enum html_page page)
{
    return page == HTML_DIFF ? (struct bytes){diff_page, (size_t)(diff_page_end - diff_page)}
                             : (struct bytes){gallery_page, (size_t)(gallery_page_end - gallery_page)};
}

int html_check(const char *index, enum html_page page, struct error *err)
{
    char start[1024], mark[64];
    const char *command = page == HTML_DIFF ? "diff" : "gallery";
    int length = snprintf(mark, sizeof mark, "<meta name=\"generator\" content=\"sheetbake %s\">", command);
    SCOPED_BY(file_close) int fd = open(index, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? 0 : error_set(err, "%s: %s", index, strerror(errno));
    ssize_t size = read(fd, start, sizeof start);
    if (size < 0 || !memmem(start, (size_t)size, mark, (size_t)length))
        return error_set(err, "%s: `sheetbake %s` did not write this; choose another folder", index, command);
    return 0;
}

size_t html_size(enum html_page page)
{
    return page_bytes(page).size;
}

/* Nothing in the JSON can end its element or begin another. */
static void add_data(struct buffer *out, const char *json)
{
    for (;; json++) {
        size_t length = strcspn(json, "<>&");
        buffer_add(out, json, length);
        json += length;
        if (!*json)
            return;
        buffer_printf(out, "\\u%04x", (unsigned)*json);
    }
}

int html_add(struct buffer *out, enum html_page page, const json_t *data, struct error *err)
{
    struct bytes bytes = page_bytes(page);
    const uint8_t *mark = memmem(bytes.data, bytes.size, data_mark, strlen(data_mark));
    const uint8_t *rest = mark + strlen(data_mark);
    SCOPED char *json = json_dumps(data, HTML_JSON);
    if (!json)
        return error_set(err, "out of memory writing the page's data");
    buffer_add(out, (const char *)bytes.data, (size_t)(mark - bytes.data));
    add_data(out, json);
    buffer_add(out, (const char *)rest, (size_t)(bytes.data + bytes.size - rest));
    return 0;
}

json_t *html_data(struct bytes page)
{
    const uint8_t *start = page.size ? memmem(page.data, page.size, data_start, strlen(data_start)) : NULL;
    const char *data = start ? (const char *)start + strlen(data_start) : NULL;
    size_t size = start ? (size_t)(page.data + page.size - start) - strlen(data_start) : 0;
    return data ? json_loadb(data, size, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}
