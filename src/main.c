#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"

/* Started without standard streams, we would open files under their numbers and then print into them. */
static void fill_standard_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* A result that could not be printed is none. */
static int finish_output(int exit_code)
{
    int flushed = fflush(stdout);
    if (flushed == 0 && !ferror(stdout))
        return exit_code;
    cli_complain("cannot write all of the result to standard output");
    return exit_code == EXIT_DONE ? EXIT_BROKEN : exit_code;
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    /* A file beyond the limit of `ulimit -f` is an error of the write() then, as a full disk is. */
    signal(SIGXFSZ, SIG_IGN);
    return finish_output(commands_main(argc, argv));
}
