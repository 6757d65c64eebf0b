/* To be loaded in front of the C library (LD_PRELOAD): a process that is about to rename a file to a path that ends in
 * PAUSE_AT stops as if by Ctrl-Z. A test then knows exactly what it was doing, and that its temporary file is there. With
 * PAUSE_ONCE, the name of a file that is not there yet, only the first that comes so far. With PAUSE_SIGNAL, a number, it
 * dies of that signal instead. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends_in(const char *text, const char *end)
{
    size_t text_length = strlen(text), end_length = strlen(end);
    return text_length >= end_length && !strcmp(text + text_length - end_length, end);
}

static int is_first(const char *mark)
{
    int fd = mark ? open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        close(fd);
    return !mark || fd >= 0;
}

static void stop(void)
{
    const char *number = getenv("PAUSE_SIGNAL");
    if (number)
        signal((int)strtol(number, NULL, 10), SIG_DFL); /* a sanitizer may have a handler */
    raise(number ? (int)strtol(number, NULL, 10) : SIGSTOP);
}

int rename(const char *from, const char *to)
{
    const char *end = getenv("PAUSE_AT");
    if (end && ends_in(to, end) && is_first(getenv("PAUSE_ONCE")))
        stop();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
