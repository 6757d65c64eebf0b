/* `make samples`: makes the sample models under the folder given, jobs/assets. */
#include <stdio.h>

#include "samples.h"

int main(int argc, char **argv)
{
    struct error err;
    if (argc != 2) {
        fprintf(stderr, "usage: samples FOLDER\n");
        return 2;
    }
    if (samples_write(argv[1], &err) < 0) {
        fprintf(stderr, "samples: %s\n", err.text);
        return 1;
    }
    return 0;
}
