/* Indexes the materials of a folder, as a worker does once. Prints their number, and the milliseconds of the fastest of
 * TIMES runs. */
#include <stdio.h>
#include <time.h>

#include "material/declaration_index.h"

enum { TIMES = 10 };

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    const char *root = argc > 1 ? argv[1] : ".";
    double least = 0;
    size_t count = 0;
    for (int i = 0; i < TIMES; i++) {
        struct assets *assets;
        struct error err;
        if (assets_open(&root, 1, &assets, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        double start = now_ms();
        count = declaration_index_of(assets, DECLARATION_MATERIAL)->entry_count;
        double taken = now_ms() - start;
        least = i == 0 || taken < least ? taken : least;
        assets_close(assets);
    }
    printf("%zu %.1f\n", count, least);
}
