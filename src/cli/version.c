/* The one place beside their wrappers that includes the libraries' headers: it asks each for its version. */
#include "cli/version.h"

#include <jansson.h>
#include <libdeflate.h>
#include <png.h>
#include <xxhash.h>
#include <yaml.h>

#include "render/context.h"

static void print_backend(FILE *out)
{
    struct context *context;
    struct error err;
    if (context_open(BACKEND_AUTO, &context, &err) < 0) {
        fprintf(out, "renderer:      %s\n", err.text);
        return;
    }
    fprintf(out, "renderer:      %s\n", context_description(context));
    context_close(context);
}

void version_print(FILE *out)
{
    unsigned xxhash = XXH_versionNumber();

    fprintf(out, "sheetbake %s\n", SHEETBAKE_VERSION);
    print_backend(out);
    fprintf(out, "libpng:        %s\n", png_get_libpng_ver(NULL));
    fprintf(out, "libdeflate:    %s (built with)\n", LIBDEFLATE_VERSION_STRING);
    fprintf(out, "libjpeg-turbo: %s (built with)\n", TURBOJPEG_VERSION);
    fprintf(out, "libyaml:       %s\n", yaml_get_version_string());
    fprintf(out, "jansson:       %s\n", jansson_version_str());
    fprintf(out, "xxHash:        %u.%u.%u\n", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
}
