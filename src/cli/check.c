#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "job/names.h"
#include "run/confine.h"
#include "bake/planner.h"
#include "bake/search_path.h"
#include "image/image_program.h"

static const char about[] =
    "Does all that render does but draw: reads the job lists, opens their models and animations, reads "
    "their textures, and prints what render would make.";

static const struct exit_cause exits[] = {
    {"0", "all jobs can be rendered"},
    {"2", "wrong options, or a list with mistakes"},
    {"3", "some jobs would fail, or with --strict have warnings"},
    {"5", "the result cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct check_args {
    struct job_options job;
    const char *only;
    int verbosity;
    bool is_strict;
    enum sandbox_mode sandbox;
    enum ci ci;
};

struct totals {
    size_t lists, jobs, pages, pictures, cells, warnings, failures;
};

static const struct arg options[] = {
    ARG_OUTPUT(struct check_args, job.output),
    ARG_ONLY(struct check_args, only),
    ARG_CONFIG(struct check_args, job.config),
    {"strict", 0, NULL, "treat a job with a warning as one that would fail",
     ARG_FLAG(struct check_args, is_strict)},
    ARG_SANDBOX(struct check_args, sandbox),
    ARG_CI(struct check_args, ci),
    {"quiet", 'q', NULL, "print problems and warnings only", ARG_INT(struct check_args, verbosity, -1)},
    {"verbose", 'v', NULL, "print every sheet, and how each texture was found",
     ARG_INT(struct check_args, verbosity, 1)},
    {0},
};

static size_t count_cells(const struct plan *plan)
{
    size_t cells = 0;
    for (size_t i = 0; i < plan->sheet_count; i++)
        cells += plan->sheets[i].layout.cell_count;
    return cells;
}

static unsigned count_passes(const struct plan *plan)
{
    return (unsigned)__builtin_popcount(plan->job->passes);
}

/* A line whose names come from lists and files: a CI system must not read commands in it. */
__attribute__((format(printf, 2, 3))) static void print(const struct check_args *args, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *line = must_vprintf(format, values);
    va_end(values);
    ci_disarm(args->ci, line);
    cli_print_line("%s", line);
    free(line);
}

/* A failure or a warning, which some CI systems show at the job's place in the list. */
static void print_finding(const struct check_args *args, enum ci_level level, const struct job *job,
                          const char *text)
{
    struct buffer line = {0};
    if (ci_add_finding(&line, args->ci, level, &job->mark, job->name, text))
        fputs(line.text, stdout);
    else if (level == CI_ERROR)
        print(args, "  FAILED %s: %s", job->name, text);
    else
        print(args, "  warning: %s", text);
    buffer_release(&line);
}

static void print_pages(const struct plan *plan, const struct sheet_plan *sheet, const struct check_args *args)
{
    for (uint32_t p = 0; p < sheet->layout.page_count; p++)
        for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
            const struct layout_page *page = &sheet->layout.pages[p];
            if (!(plan->job->passes & 1u << pass))
                continue;
            char *name = names_picture(sheet->base, p, (enum pass)pass);
            char size[64];
            if (layout_needs_pixels(&plan->job->sheet))
                snprintf(size, sizeof size, "laid out when it is drawn");
            else
                snprintf(size, sizeof size, "%ux%u", page->width, page->height);
            print(args, "    %s: %s, %zu cell%s", name, size, page->cell_count, cli_plural(page->cell_count));
            free(name);
        }
}

static void print_surface(const struct part *part, const struct outfit *outfit, uint32_t surface,
                          const struct check_args *args)
{
    const struct material *material = &outfit->materials[surface];
    const char *program = material->pictures[PICTURE_DIFFUSE].program;
    bool has_color = material->own && !material->own->base_color.path;
    const char *missing = has_color                    ? "a plain colour"
                          : !material->stages_only     ? "no texture"
                          : material->stage_count == 0 ? "invisible"
                                                       : "blended";
    char *name = search_path_surface(part, outfit, surface);
    struct buffer line = {0};
    struct strings paths = {0};
    buffer_printf(&line, "    %s: %s", name, program ? program : missing);
    if (material->guessed)
        buffer_printf(&line, " (by a guess)");
    if (material->stage_count > 0)
        buffer_printf(&line, ", %zu stage%s", material->stage_count, cli_plural(material->stage_count));
    if (material->declared)
        buffer_printf(&line, " (%s)", material->declared);
    print(args, "%s", line.text);
    search_path_add(material, &paths);
    for (size_t i = 0; i < paths.count; i++)
        print(args, "      %s", paths.items[i]);
    strings_release(&paths);
    buffer_release(&line);
    free(name);
}

static void print_details(const struct plan *plan, const struct check_args *args)
{
    for (size_t i = 0; i < plan->sheet_count; i++)
        print_pages(plan, &plan->sheets[i], args);
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct part *part = &plan->parts[i];
        for (size_t o = 0; o < part->outfit_count; o++)
            for (uint32_t surface = 0; surface < part->model->surface_count; surface++)
                print_surface(part, &part->outfits[o], surface, args);
    }
}

static void print_plan(const struct plan *plan, const struct check_args *args)
{
    enum { TAKES_SHOWN = 8 };
    const struct job *job = plan->job;
    const size_t cells = count_cells(plan);
    struct buffer line = {0};
    buffer_printf(&line, "  %s: %s%u page%s", job->name, layout_needs_pixels(&job->sheet) ? "at least " : "",
                  plan->page_count, cli_plural(plan->page_count));
    if (count_passes(plan) > 1)
        buffer_printf(&line, " in %u passes", count_passes(plan));
    buffer_printf(&line, ", %zu cell%s of %ux%u, %zu camera%s; ", cells, cli_plural(cells), job->cell_px[0],
                  job->cell_px[1], job->camera_count, cli_plural(job->camera_count));
    for (size_t i = 0; i < plan->take_count && i < TAKES_SHOWN; i++)
        buffer_printf(&line, "%s%s %zu", i ? ", " : "", plan->takes[i].name, plan->takes[i].sample_count);
    if (plan->take_count > TAKES_SHOWN)
        buffer_printf(&line, " and %zu more", plan->take_count - TAKES_SHOWN);
    if (args->verbosity >= 0)
        print(args, "%s", line.text);
    buffer_release(&line);
    if (args->verbosity > 0)
        print_details(plan, args);
    for (size_t i = 0; i < plan->warnings.count; i++)
        print_finding(args, args->is_strict ? CI_ERROR : CI_WARNING, job, plan->warnings.items[i]);
}

static int open_plan(struct assets *assets, struct model_cache *models, const struct job *job, struct plan **out,
                     struct error *err)
{
    struct trace trace = {0};
    assets_trace(assets, &trace);
    int result = plan_open(models, assets, job, out, err);
    assets_trace(assets, NULL);
    if (result == 0 && trace.trouble) {
        plan_free(*out);
        *out = NULL;
        result = error_set(err, "%s", trace.trouble);
    }
    trace_release(&trace);
    return result;
}

/* The pictures of a list that were read, and what is wrong with each, or "". */
struct pictures {
    struct strings programs, errors;
};

static int check_picture(struct assets *assets, struct pictures *pictures, const char *program, struct error *err)
{
    size_t i = 0;
    while (i < pictures->programs.count && strcmp(pictures->programs.items[i], program) != 0)
        i++;
    if (i == pictures->programs.count) {
        struct image image = {0};
        struct error broken = {""};
        image_program_load(assets, program, &image, &broken);
        image_release(&image);
        strings_add(&pictures->programs, program);
        strings_add(&pictures->errors, broken.text);
    }
    return *pictures->errors.items[i] ? error_set(err, "%s", pictures->errors.items[i]) : 0;
}

static int check_material(struct assets *assets, struct pictures *pictures, const struct material *material,
                          struct error *err)
{
    int result = 0;
    for (int i = 0; i < PICTURE_COUNT && result == 0; i++)
        if (material->pictures[i].program)
            result = check_picture(assets, pictures, material->pictures[i].program, err);
    for (size_t i = 0; i < material->stage_count && result == 0; i++) {
        const struct material_stage *stage = &material->stages[i];
        if (stage->image.program)
            result = check_picture(assets, pictures, stage->image.program, err);
        if (stage->mask.program && result == 0)
            result = check_picture(assets, pictures, stage->mask.program, err);
    }
    return result;
}

/* Those that render would load (bake/studio.c). */
static int check_pictures(struct assets *assets, struct pictures *pictures, const struct plan *plan,
                          struct error *err)
{
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct part *part = &plan->parts[i];
        for (size_t o = 0; o < part->outfit_count; o++)
            for (uint32_t s = 0; s < part->model->surface_count; s++)
                if (part->model->surfaces[s].index_count > 0 &&
                    check_material(assets, pictures, &part->outfits[o].materials[s], err) < 0)
                    return -1;
    }
    return 0;
}

static void check_job(struct assets *assets, struct model_cache *models, struct pictures *pictures,
                      const struct job *job, const struct check_args *args, struct totals *totals)
{
    struct plan *plan = NULL;
    struct error err;
    totals->jobs++;
    if (open_plan(assets, models, job, &plan, &err) < 0 || check_pictures(assets, pictures, plan, &err) < 0) {
        plan_free(plan);
        print_finding(args, CI_ERROR, job, err.text);
        totals->failures++;
        return;
    }
    print_plan(plan, args);
    totals->pages += plan->page_count;
    totals->pictures += (size_t)plan->page_count * count_passes(plan);
    totals->cells += count_cells(plan);
    totals->warnings += plan->warnings.count;
    totals->failures += args->is_strict && plan->warnings.count > 0;
    plan_free(plan);
    model_cache_trim(models);
}

/* In CI systems, the lines of a list fold under its name. */
static void begin_list(const struct job_list *list, const struct check_args *args, unsigned number)
{
    char *title = must_printf("%s: into %s", list->path, list->output);
    struct buffer group = {0};
    ci_begin_group(&group, args->ci, number, time(NULL), title);
    if (args->verbosity >= 0 && args->ci == CI_OFF)
        print(args, "%s", title);
    else if (args->verbosity >= 0)
        fputs(group.text, stdout);
    buffer_release(&group);
    free(title);
}

static int check_list(const struct job_list *list, const struct check_args *args, struct totals *totals,
                      struct error *err)
{
    struct assets *assets;
    if (assets_open(list->roots, list->root_count, &assets, err) < 0)
        return -1;
    unsigned number = (unsigned)totals->lists++;
    struct model_cache *models = model_cache_new();
    struct pictures pictures = {0};
    begin_list(list, args, number);
    for (size_t i = 0; i < list->job_count; i++)
        if (!args->only || glob_matches(args->only, list->jobs[i].name, false))
            check_job(assets, models, &pictures, &list->jobs[i], args, totals);

    struct buffer group = {0};
    ci_end_group(&group, args->ci, number, time(NULL));
    if (args->verbosity >= 0 && group.text)
        fputs(group.text, stdout);
    buffer_release(&group);

    strings_release(&pictures.programs);
    strings_release(&pictures.errors);
    model_cache_free(models);
    assets_close(assets);
    return 0;
}

/* Returns the exit code. */
static int check_lists(const struct lists *lists, const struct check_args *args)
{
    struct totals totals = {0};
    struct error err;
    for (size_t i = 0; i < lists->count; i++)
        if (check_list(lists->items[i], args, &totals, &err) < 0) {
            cli_complain("%s", err.text);
            return EXIT_USAGE;
        }
    if (totals.jobs == 0)
        return cli_usage_error(&check_command, "no job's name matches --only '%s'", args->only ? args->only : "");
    printf("%zu job%s, %zu page%s", totals.jobs, cli_plural(totals.jobs), totals.pages, cli_plural(totals.pages));
    if (totals.pictures != totals.pages) /* passes are pictures of the same page */
        printf(" in %zu pictures", totals.pictures);
    printf(", %zu cell%s", totals.cells, cli_plural(totals.cells));
    if (totals.warnings)
        printf(", %zu warning%s", totals.warnings, cli_plural(totals.warnings));
    printf(totals.failures ? ", %zu failed\n" : "\n", totals.failures);
    return totals.failures ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct check_args args = {.ci = ci_detect(), .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = args_read(&check_command, argc, argv, &args);
    if (exit_code >= 0)
        return exit_code;

    struct lists lists;
    struct strings problems = {0};
    if (lists_read(argv + optind, (size_t)(argc - optind), &args.job, &lists, &problems) < 0) {
        lists_print_problems(&problems, args.ci);
        strings_release(&problems);
        return EXIT_USAGE;
    }
    /* The lists are the user's own; the assets may be a stranger's. */
    struct sandbox_rules rules = {.mode = args.sandbox};
    for (size_t i = 0; i < lists.count; i++)
        confine_add_list(&rules, lists.items[i], false);
    exit_code = sandbox_args_enter(&rules);
    sandbox_rules_release(&rules);
    if (exit_code < 0)
        exit_code = check_lists(&lists, &args);
    lists_release(&lists);
    return exit_code;
}

const struct command check_command = {
    .name = "check",
    .summary = "check job lists and models, and say what would be made",
    .operands = OPERANDS_SOME("LIST...", "job list"),
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
