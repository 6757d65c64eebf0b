#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

/* Without standard streams, files that we open would get their numbers, and what we print. */
static void fill_standard_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    fill_standard_streams();
    signal(SIGXFSZ, SIG_IGN); /* a write() beyond `ulimit -f` then fails, as on a full disk */
    int exit_code = commands_main(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    cli_complain("cannot write all of the result to standard output");
    return exit_code == EXIT_DONE ? EXIT_BROKEN : exit_code;
}
