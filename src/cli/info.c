#include "cli/info.h"

#include "base/glob.h"
#include "cli/args.h"
#include "cli/model_args.h"
#include "cli/sandbox_args.h"

static const char about[] =
    "Shows what is in models (.md2, .md5mesh) and animations (.md5anim): geometry, joints, clips, the skins "
    "and shaders with the file each resolves to, bounds, and what is odd about the file.";

static const char notes[] =
    "An animation is shown on a mesh named before it, or else on the first .md5mesh beside it that fits. "
    "Without --assets, skins are looked for in the folder above the file that holds a folder 'models', or else "
    "in the file's own folder. With it, FILE may be a pattern such as 'models/**/*.md2'.\n"
    "The JSON is {\"files\": [...]}, an object for each file; docs/formats.md lists its fields.";

static const struct exit_cause exits[] = {
    {"0", "all shown"},
    {"2", "wrong options, or a file that cannot be read (the others are shown)"},
    {"5", "the result cannot be written, or no sandbox is to be had where one is required"},
    {0},
};

struct info_args {
    struct strings roots, names;
    bool is_json;
    enum sandbox_mode sandbox;
};

static const struct arg options[] = {
    ARG_ASSETS(struct info_args, roots),
    ARG_JSON(struct info_args, is_json),
    ARG_SANDBOX(struct info_args, sandbox),
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct info_args *args)
{
    int exit_code = args_read(&info_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    for (int i = optind; i < argc; i++)
        strings_add(&args->names, argv[i]);
    return optind == argc ? cli_usage_error(&info_command, "no file given") : -1;
}

/* Opens the tree of --assets, and puts in place of each pattern the files that match it. */
static int open_assets(struct info_args *args, struct info_files *files, struct error *err)
{
    struct strings names = {0};
    if (assets_open((const char *const *)args->roots.items, args->roots.count, &files->assets, err) < 0)
        return -1;
    for (size_t i = 0; i < args->names.count; i++) {
        const char *name = args->names.items[i];
        size_t before = names.count;
        if (!assets_find(files->assets, name) && glob_is_pattern(name) &&
            assets_glob(files->assets, name, &names, err) < 0) {
            strings_release(&names);
            return -1;
        }
        if (names.count == before) /* an ordinary name, or a pattern that will be reported as no such file */
            strings_add(&names, name);
    }
    strings_release(&args->names);
    args->names = names;
    return 0;
}

static int show_files(const struct info_args *args, struct info_files *files)
{
    int exit_code = EXIT_DONE;
    bool is_first = true;
    struct info_json *json = args->is_json ? info_json_new() : NULL;
    for (size_t i = 0; i < args->names.count; i++) {
        const char *name = args->names.items[i];
        struct info info;
        struct error err;
        if (info_open(files, name, &info, &err) < 0) {
            cli_complain("%s", err.text);
            exit_code = EXIT_USAGE;
            if (json)
                info_json_add_failure(json, name, err.text);
            continue;
        }
        if (json) {
            info_json_add(json, &info);
        } else {
            if (!is_first)
                putchar('\n');
            is_first = false;
            info_print(&info, stdout);
        }
        info_release(&info);
    }
    if (json && info_json_finish(json, stdout) < 0) {
        cli_complain("out of memory for the JSON");
        return EXIT_BROKEN;
    }
    if (fflush(stdout) || ferror(stdout)) {
        cli_complain("standard output: cannot write: %m");
        return EXIT_BROKEN;
    }
    return exit_code;
}

/* Before the first file is opened. Returns the exit code, or -1 to go on. */
static int confine(const struct info_args *args)
{
    struct sandbox_rules rules = {.mode = args->sandbox};
    for (size_t i = 0; i < args->names.count; i++)
        model_place_add_roots(args->names.items[i], &args->roots, &rules.read);
    int exit_code = sandbox_args_enter(&rules);
    sandbox_rules_release(&rules);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct info_args args = {.sandbox = SANDBOX_OF_COMMANDS};
    struct info_files files = {.roots = &args.roots};
    struct error err;
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code < 0)
        exit_code = confine(&args);
    if (exit_code < 0 && args.roots.count && open_assets(&args, &files, &err) < 0) {
        cli_complain("%s", err.text);
        exit_code = EXIT_USAGE;
    }
    if (exit_code < 0)
        exit_code = show_files(&args, &files);
    assets_close(files.assets);
    strings_release(&files.meshes);
    strings_release(&args.roots);
    strings_release(&args.names);
    return exit_code;
}

const struct command info_command = {
    .name = "info",
    .summary = "show what is in models and animations",
    .operands = "FILE...",
    .about = about,
    .options = options,
    .notes = notes,
    .exits = exits,
    .run = run,
};
