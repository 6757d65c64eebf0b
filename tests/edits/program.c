#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "tree.h"

extern char **environ;

enum { MOST_ARGUMENTS = 24 };

/* -- Processes --------------------------------------------------------------------------------------------- */

pid_t program_start(const struct program *program, const char *output, const char *arguments)
{
    char *words = must_strdup(arguments), *argv[MOST_ARGUMENTS] = {(char *)program->path}, *rest = words;
    size_t count = 1;
    for (char *word; (word = strtok_r(rest, " ", &rest)) && count + 1 < MOST_ARGUMENTS;)
        argv[count++] = word;

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&files, 2, "stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* to be killed with its workers */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t process;
    int error = posix_spawn(&process, program->path, &files, &attributes, argv, environ);
    if (error)
        fail("%s: %s", program->path, strerror(error));
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    free(words);
    return process;
}

int program_wait(pid_t process)
{
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid: %s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Waits for workers that have lost their supervisor: this process adopts them. */
void program_wait_for_workers(pid_t process)
{
    while (waitpid(-process, NULL, 0) > 0 || errno == EINTR)
        ;
}

int program_run(const struct program *program, const char *output, const char *arguments)
{
    return program_wait(program_start(program, output, arguments));
}

/* -- Output ------------------------------------------------------------------------------------------------ */

static char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? must_strdup(text) : NULL;
}

static int number_of(const json_t *object, const char *key)
{
    const json_t *number = json_object_get(object, key);
    return json_is_integer(number) ? (int)json_integer_value(number) : -1;
}

static struct outcome *add(struct outcomes *outcomes, const json_t *object)
{
    outcomes->items = must_grow(outcomes->items, outcomes->count, &outcomes->capacity, sizeof *outcomes->items);
    struct outcome *outcome = &outcomes->items[outcomes->count++];
    *outcome = (struct outcome){
        .job = text_of(object, "job"),
        .sheet = text_of(object, "sheet"),
        .made_with = text_of(object, "madeWith"),
        .page = number_of(object, "page"),
    };
    if (!outcome->job)
        fail("a page without a job");
    return outcome;
}

static void add_line(struct outcomes *outcomes, const json_t *line)
{
    const char *type = json_string_value(json_object_get(line, "type"));
    const char *status = json_string_value(json_object_get(line, "status"));
    if (type && !strcmp(type, "run"))
        outcomes->warnings = number_of(json_object_get(line, "counts"), "warnings");
    if (!type || strcmp(type, "page") || !status)
        return;
    struct outcome *outcome = add(outcomes, line);
    outcome->is_made = !strcmp(status, "made");
    outcome->is_failed = !outcome->is_made && strcmp(status, "up-to-date");
}

void outcomes_of_log(const char *file, struct outcomes *out)
{
    *out = (struct outcomes){.warnings = -1};
    FILE *lines = fopen(file, "r");
    if (!lines)
        fail("%s: %s", file, strerror(errno));
    for (json_t *line; (line = json_loadf(lines, JSON_DISABLE_EOF_CHECK, NULL));) {
        add_line(out, line);
        json_decref(line);
    }
    fclose(lines);
}

void outcomes_of_dry_run(const char *file, struct outcomes *out)
{
    size_t i;
    json_t *sheet, *document = json_load_file(file, 0, NULL);
    *out = (struct outcomes){0};
    json_array_foreach(json_object_get(document, "sheets"), i, sheet)
    {
        add(out, sheet);
    }
    json_decref(document);
}

void outcomes_release(struct outcomes *outcomes)
{
    for (size_t i = 0; i < outcomes->count; i++) {
        free(outcomes->items[i].job);
        free(outcomes->items[i].sheet);
        free(outcomes->items[i].made_with);
    }
    free(outcomes->items);
    *outcomes = (struct outcomes){0};
}

static void add_keys(json_t *object, struct strings *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        strings_add(out, name);
    }
}

void paths_of_page(const char *file, struct strings *out)
{
    size_t i;
    json_t *path, *document = json_load_file(file, 0, NULL);
    add_keys(json_object_get(document, "inputs"), out);
    add_keys(json_object_get(document, "found"), out);
    json_array_foreach(json_object_get(document, "absent"), i, path)
    {
        strings_add(out, json_string_value(path));
    }
    json_decref(document);
}

void problems_of_verify(const char *file, struct strings *out)
{
    size_t i;
    json_t *problem, *document = json_load_file(file, 0, NULL);
    if (!document)
        fail("%s is no JSON", file);
    json_array_foreach(json_object_get(document, "problems"), i, problem)
    {
        strings_add(out, json_string_value(json_object_get(problem, "path")));
    }
    json_decref(document);
}
