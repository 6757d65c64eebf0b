#include "review/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int page_file_check(const char *index, const char *command, struct error *err)
{
    char start[1024], mark[64];
    int length = snprintf(mark, sizeof mark, "<meta name=\"generator\" content=\"sheetbake %s\">", command);
    int fd = open(index, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? 0 : error_set(err, "%s: %s", index, strerror(errno));
    ssize_t size = read(fd, start, sizeof start);
    close(fd);
    if (size < 0 || !memmem(start, (size_t)size, mark, (size_t)length))
        return error_set(err, "%s: `sheetbake %s` did not write this; choose another folder", index, command);
    return 0;
}
