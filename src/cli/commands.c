/* Includes the headers of libraries that otherwise their wrappers alone include: --version asks each for its version. */
#include "cli/cli.h"

#include <jansson.h>
#include <libdeflate.h>
#include <png.h>
#include <string.h>
#include <webp/encode.h>
#include <xxhash.h>
#include <yaml.h>

#include "base/strings.h"
#include "cli/args.h"

const struct command *const commands[] = {
    &render_command,
    &check_command,
    &verify_command,
    &diff_command,
    &history_command,
    &gallery_command,
    &info_command,
    &pose_command,
    &thumb_command,
    &doctor_command,
    &init_command,
    &schema_command,
    NULL,
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands - 1 };

static void print_help(FILE *out)
{
    fputs("sheetbake turns animated game models into sprite sheets, without a display or a\n"
          "GPU. It reads glTF, FBX, MD2, MD3, MD5, IQM and Quake's MDL, and through assimp\n"
          "COLLADA, OBJ and some forty more formats.\n"
          "\n"
          "usage: sheetbake COMMAND [OPTION...] [FILE...]\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "  --help     print this help; 'sheetbake COMMAND --help' is that of a command\n"
          "  --version  print the versions of sheetbake and its libraries; 'sheetbake doctor' that of the "
          "renderer\n",
          out);
}

static void print_versions(void)
{
    unsigned xxhash = XXH_versionNumber();
    int webp = WebPGetEncoderVersion();
    printf("sheetbake %s\n", SHEETBAKE_VERSION);
    printf("libpng:        %s\n", png_get_libpng_ver(NULL));
    printf("libdeflate:    %s (built with)\n", LIBDEFLATE_VERSION_STRING);
    printf("libjpeg-turbo: %s (built with)\n", TURBOJPEG_VERSION);
    printf("libwebp:       %d.%d.%d\n", webp >> 16, webp >> 8 & 0xFF, webp & 0xFF);
    printf("libyaml:       %s\n", yaml_get_version_string());
    printf("jansson:       %s\n", jansson_version_str());
    printf("xxHash:        %u.%u.%u\n", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
}

static int complain_about_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {"--help", "--version"};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i + 2] = commands[i]->name;
    const char *nearest = strings_nearest(name, names, COMMAND_COUNT + 2);
    if (!strcmp(name, "explain")) /* a command until 0.3 */
        nearest = "render --dry-run -v";
    const char *what = name[0] == '-' ? "option" : "command";
    if (nearest)
        cli_complain("unknown %s '%s', did you mean '%s'?", what, name, nearest);
    else
        cli_complain("unknown %s '%s'; 'sheetbake --help' lists the commands", what, name);
    return EXIT_USAGE;
}

int commands_main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        print_versions();
        return EXIT_DONE;
    }
    bool is_help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help");
    if (is_help && argc == 2) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const char *name = argv[is_help ? 2 : 1];
    const struct command *command = NULL;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name))
            command = commands[i];
    if (!command)
        return complain_about_command(name);
    if (!is_help)
        return command->run(argc - 1, argv + 1);
    args_print_help(command, stdout);
    return EXIT_DONE;
}
