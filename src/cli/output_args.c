#include "cli/output_args.h"

#include <string.h>

bool output_args_lock(const struct command *command, const char *text, enum lock_choice *out)
{
    static const char *const names[] = {[LOCK_WAIT] = "wait", [LOCK_FAIL] = "fail", [LOCK_OFF] = "off"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(text, names[i])) {
            *out = (enum lock_choice)i;
            return true;
        }
    }
    cli_usage_error(command, "--lock: '%s' is none of wait, fail and off", text);
    return false;
}

void output_args_waiting(void *context, const char *text)
{
    (void)context;
    cli_complain("%s", text);
}
