/* Lines: the first as what follows --shard, all of them as the environment of `--shard auto`. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/shard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_VARIABLES = 64 };

static void check(const struct shard *shard)
{
    if (shard->number < 1 || shard->number > shard->count || shard->count > SHARD_MAX)
        abort();
    uint32_t number = shard_of_page(shard->count, "list", "job", 0);
    if (number < 1 || number > shard->count)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = must_printf("%.*s", (int)size, (const char *)data), *variables[MOST_VARIABLES + 1] = {0},
         *rest = text;
    for (size_t i = 0; i < MOST_VARIABLES && rest; i++)
        variables[i] = strsep(&rest, "\n");
    struct shard shard;
    struct error err;
    if (shard_parse(text, &shard, &err) == 0)
        check(&shard);
    if (shard_detect(variables, &shard, &err) == 0)
        check(&shard);
    free(text);
    return 0;
}
