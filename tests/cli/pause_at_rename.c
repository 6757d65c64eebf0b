/* To be loaded in front of the C library (LD_PRELOAD): a process that is about to rename a file to a path that ends in
 * PAUSE_AT stops as if by Ctrl-Z. A test then knows exactly what it was doing, and that its temporary file is there. With
 * PAUSE_ONCE, only the first of the run. With PAUSE_SIGNAL, a number, it dies of that signal instead. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int ends_in(const char *text, const char *end)
{
    size_t text_length = strlen(text), end_length = strlen(end);
    return text_length >= end_length && !strcmp(text + text_length - end_length, end);
}

static atomic_flag *has_paused; /* shared by all processes of the run: workers in their sandbox can leave no marks elsewhere */

__attribute__((constructor)) static void share(void)
{
    has_paused = mmap(NULL, sizeof *has_paused, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int may_pause(void)
{
    return !getenv("PAUSE_ONCE") || !atomic_flag_test_and_set(has_paused);
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
    if (end && ends_in(to, end) && may_pause())
        stop();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
