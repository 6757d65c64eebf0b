#include "cli/share_args.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

bool share_args_shard(const struct command *command, const char *text, void *out)
{
    struct error err;
    int result = strcmp(text, "auto") ? shard_parse(text, out, &err) : shard_detect(environ, out, &err);
    if (result < 0)
        cli_usage_error(command, "--shard%s: %s", strcmp(text, "auto") ? "" : " auto", err.text);
    return result == 0;
}

bool share_args_costs(const struct command *command, const char *path, void *out)
{
    struct costs **costs = out;
    struct error err;
    struct strings warnings = {0};
    if (!*costs)
        *costs = costs_new();
    int result = costs_read(*costs, path, &warnings, &err);
    for (size_t i = 0; i < warnings.count; i++)
        cli_complain("--costs: %s", warnings.items[i]);
    strings_release(&warnings);
    if (result < 0)
        cli_usage_error(command, "--costs: %s", err.text);
    return result == 0;
}

void share_args_print(const struct shard *shard)
{
    if (shard->count > 0)
        cli_complain("shard %" PRIu32 " of %" PRIu32 "%s%s", shard->number, shard->count,
                     *shard->source ? ", from " : "", shard->source);
}
