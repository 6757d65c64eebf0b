/* To be loaded in front of the C library (LD_PRELOAD): a process that is about to rename a file to a path that ends in
 * PAUSE_AT stops as if by Ctrl-Z. A test then knows exactly what it was doing, and that its temporary file is there. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ends_in(const char *text, const char *end)
{
    size_t text_length = strlen(text), end_length = strlen(end);
    return text_length >= end_length && !strcmp(text + text_length - end_length, end);
}

int rename(const char *from, const char *to)
{
    const char *end = getenv("PAUSE_AT");
    if (end && ends_in(to, end))
        raise(SIGSTOP);
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
