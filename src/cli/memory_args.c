#include "cli/memory_args.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "os/memory_use.h"

/* "M", "MB" and "MiB" are all the same here: 1024 x 1024 bytes. 0 when it is none. */
static double unit_size(const char *unit)
{
    static const char letters[] = "KMGT";
    double size = 1024;
    if (!*unit || (unit[1] && strcasecmp(unit + 1, "B") && strcasecmp(unit + 1, "iB")))
        return 0;
    for (const char *letter = letters; *letter; letter++, size *= 1024)
        if (*unit == *letter || *unit == *letter - 'A' + 'a')
            return size;
    return 0;
}

bool memory_args_take(const struct command *command, const char *text, void *out)
{
    uint64_t *bytes = out;
    const double least = 16 << 20, most = 0x1p44;
    char *end;
    double number = strtod(text, &end), size = number * unit_size(end);
    if (!strcmp(text, "0")) {
        *bytes = 0;
        return true;
    }
    if (end == text || !*text || unit_size(end) == 0) {
        cli_usage_error(command, "--memory: '%s' is no size such as 512M or 2G", text);
        return false;
    }
    if (!(size >= least && size <= most)) {
        cli_usage_error(command, "--memory: %s is out of range, 16M to 16T are allowed, or 0 for no limit", text);
        return false;
    }
    *bytes = (uint64_t)size;
    if (memory_use(getpid()) == 0)
        cli_complain("warning: --memory cannot be kept: /proc/PID/statm does not tell here what a process takes");
    return true;
}

/* A page alone that needs more than nearly all there is would end in the kernel's choice of whom to kill, and in some
 * containers that is everybody. */
uint64_t memory_limit_default(void)
{
    return memory_usable() / 10 * 9;
}
