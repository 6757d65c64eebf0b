#include "cli/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static int write_stream(const char *path, struct bytes bytes, struct error *err)
{
    FILE *out = path ? fopen(path, "wb") : stdout;
    bool is_written = out && fwrite(bytes.data, 1, bytes.size, out) == bytes.size && fflush(out) == 0;
    if (!is_written)
        error_set(err, "%s: cannot write: %m", path ? path : "standard output");
    if (out && path)
        fclose(out);
    return is_written ? 0 : -1;
}

/* A rename would put a plain file where a pipe or a device such as /dev/null is: those are written into. */
int output_write(const char *path, struct bytes bytes, struct error *err)
{
    struct stat info;
    if (!path || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return write_stream(path, bytes, err);
    char *temporary = must_printf("%s.%ld.tmp", path, (long)getpid());
    int result = file_replace(path, temporary, bytes, err);
    free(temporary);
    return result;
}
