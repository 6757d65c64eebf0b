#include "cli/thumb.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "cli/sandbox_args.h"
#include "os/resources.h"
#include "run/confine.h"
#include "run/messages.h"
#include "run/pool.h"
#include "sheet/json_value.h"

/* A worker sends for each model a head, a text of JSON and its pictures, in messages of any length. It writes nothing. */
struct head {
    uint64_t text_size, sizes[THUMB_MOST_SIZES];
};

enum { MOST_BYTES = 1 << 30 }; /* of all that */

/* An item of the pool, from when it is given until it is done. */
struct model_item {
    char *name; /* NULL: free */
    struct buffer received;
};

struct many {
    const struct thumb_args *args;
    struct thumb_maker maker; /* in a worker */
    struct model_item *items;
    size_t item_count, begun; /* begun: of args->models */
    int input;                /* of further names, or -1 */
    struct buffer lines;      /* read from there, not begun */
    bool has_failed;
};

/* -- In a worker ------------------------------------------------------------------------------------------- */

static int start(void *context, struct worker *worker, struct error *err)
{
    struct many *many = context;
    const struct thumb_args *args = many->args;
    struct page_note *note = (struct page_note *)worker_note(worker);
    struct sandbox_rules rules = {.mode = args->sandbox};
    const struct page_writer writer = {.note = note->temporaries, .note_size = sizeof note->temporaries};
    page_note_guard(note, args->memory_limit);
    for (size_t i = 0; i < args->models.count; i++) { /* "-": this folder */
        const char *name = args->models.items[i];
        model_place_add_roots(strcmp(name, "-") ? name : "./-", &args->roots, &rules.read);
    }
    if (args->sandbox != SANDBOX_OFF)
        confine_add_renderer(&rules, "thumb");
    int result = args->sandbox == SANDBOX_OFF ? 0 : sandbox_enter(&rules, NULL, err);
    sandbox_rules_release(&rules);
    many->maker = (struct thumb_maker){args, bake_new(&writer, &note->figures.stopwatch), true};
    return result < 0 ? -1 : bake_start(many->maker.bake, args->backend, &(struct identity){0}, err);
}

static void send_bytes(struct worker *worker, struct bytes bytes)
{
    while (bytes.size > 0) {
        size_t size = bytes.size < POOL_MAX_MESSAGE ? bytes.size : POOL_MAX_MESSAGE;
        worker_send(worker, (struct bytes){bytes.data, size});
        bytes = (struct bytes){bytes.data + size, bytes.size - size};
    }
}

static json_t *describe(const struct thumb_made *made)
{
    json_t *object = json_pack("{s:o}", "warnings", json_texts(&made->warnings, 0)), *facts = json_object();
    for (size_t i = 0; i < made->facts.count; i++)
        json_object_set_new(facts, made->facts.items[i].name, text_value(made->facts.items[i].value));
    json_object_set_new(object, made->problems.count ? "problems" : "facts",
                        made->problems.count ? json_texts(&made->problems, 0) : facts);
    return object;
}

static void work(void *context, struct worker *worker, uint64_t item)
{
    struct many *many = context;
    struct thumb_made made = {0};
    (void)item;
    thumb_make(&many->maker, worker_text(worker), &made);
    json_t *object = describe(&made);
    char *text = json_dumps(object, JSON_COMPACT);
    struct head head = {.text_size = text ? strlen(text) : 0};
    for (size_t i = 0; i < THUMB_MOST_SIZES; i++)
        head.sizes[i] = made.files[i].size;
    send_bytes(worker, (struct bytes){(const uint8_t *)&head, sizeof head});
    send_bytes(worker, (struct bytes){(const uint8_t *)text, head.text_size});
    for (size_t i = 0; i < THUMB_MOST_SIZES; i++)
        send_bytes(worker, blob_bytes(&made.files[i]));
    free(text);
    json_decref(object);
    thumb_made_release(&made);
}

static void finish(void *context, struct worker *worker)
{
    struct many *many = context;
    (void)worker;
    bake_free(many->maker.bake);
}

/* -- The supervisor's: names ------------------------------------------------------------------------------- */

/* What there is of the input now; a line that has no end at the end of the input is one all the same. */
static void read_input(struct many *many)
{
    struct pollfd ready = {.fd = many->input, .events = POLLIN};
    char bytes[POOL_MAX_MESSAGE];
    if (many->input < 0 || poll(&ready, 1, 0) <= 0)
        return;
    ssize_t size = read(many->input, bytes, sizeof bytes);
    if (size > 0)
        buffer_add(&many->lines, bytes, (size_t)size);
    else if (size == 0 || errno != EINTR)
        many->input = -1;
}

/* The next line, the caller's; NULL: there is none yet. */
static char *take_line(struct many *many)
{
    const char *text = many->lines.text;
    size_t length = many->lines.length;
    const char *end = length ? memchr(text, '\n', length) : NULL;
    if (!end && (many->input >= 0 || length == 0))
        return NULL;
    size_t size = end ? (size_t)(end - text) : length, used = size + (end != NULL);
    char *line = must_printf("%.*s", (int)size, text);
    memmove(many->lines.text, text + used, length - used);
    many->lines.length -= used;
    return line;
}

/* NULL: there is none now. The caller's to free. */
static char *next_name(struct many *many)
{
    while (many->begun < many->args->models.count) {
        const char *name = many->args->models.items[many->begun++];
        if (strcmp(name, "-"))
            return must_strdup(name);
        many->input = STDIN_FILENO;
    }
    char *line = take_line(many);
    if (!line) {
        read_input(many);
        line = take_line(many);
    }
    return line;
}

/* -- The supervisor's: answers ----------------------------------------------------------------------------- */

/* Where the picture of a model goes: its own path below the folder, so that no two models have the same one. */
static char *picture_path(const struct thumb_args *args, const char *name, size_t size, struct error *err)
{
    char *path = must_strdup(name + strspn(name, "/"));
    bool is_inside = path_collapse(path);
    char number[16] = "";
    if (args->sizes.count > 1)
        snprintf(number, sizeof number, ".%u", args->sizes.px[size]);
    char *joined = is_inside ? must_printf("%s%s%s.png", args->output, path, number) : NULL;
    free(path);
    if (!joined)
        error_set(err, "%s: it is outside of this folder, so its picture has no place in %s; its absolute path has",
                  name, args->output);
    return joined;
}

static int write_picture(const struct thumb_args *args, const char *name, size_t size, struct bytes picture,
                         json_t *paths, struct error *err)
{
    char *path = picture_path(args, name, size, err);
    if (!path)
        return -1;
    char *folder = path_folder(path);
    int result = file_make_folders(folder, err);
    if (result == 0)
        result = file_renew(path, picture, err);
    if (result == 0)
        json_array_append_new(paths, text_value(path));
    free(folder);
    free(path);
    return result;
}

static int write_pictures(const struct thumb_args *args, const char *name, const struct head *head,
                          struct cursor *cursor, json_t *paths, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < args->sizes.count && result == 0; i++) {
        struct bytes picture = {cursor_take(cursor, head->sizes[i]), head->sizes[i]};
        result = picture.size ? write_picture(args, name, i, picture, paths, err)
                              : error_set(err, "%s: the worker sent no picture", name);
    }
    return result;
}

/* What a worker has sent of a model, its pictures written: the object of its line. NULL: no worker that is well sends
 * this. */
static json_t *take_answer(const struct many *many, const struct model_item *item)
{
    struct cursor cursor = {.bytes = {(const uint8_t *)item->received.text, item->received.length}};
    const void *head_bytes = cursor_take(&cursor, sizeof(struct head));
    struct head head;
    struct error err;
    if (!head_bytes)
        return NULL;
    memcpy(&head, head_bytes, sizeof head);
    const uint8_t *text = cursor_take(&cursor, head.text_size);
    json_t *object = text ? json_loadb((const char *)text, head.text_size, 0, NULL) : NULL;
    json_t *paths = json_array(), *problems = json_object_get(object, "problems");
    if (json_is_object(object) && !problems) {
        if (write_pictures(many->args, item->name, &head, &cursor, paths, &err) < 0)
            json_object_set_new(object, "problems", json_pack("[o]", text_value(err.text)));
        else
            json_object_set(object, "pictures", paths);
    }
    json_decref(paths);
    return object;
}

static void complain(const char *lead, const json_t *texts)
{
    size_t i;
    json_t *text;
    json_array_foreach(texts, i, text)
        cli_complain("%s%s", lead, json_is_string(text) ? json_string_value(text) : "");
}

/* Its line, and for people what is wrong. Uses the object up. */
static void answer(struct many *many, const char *name, json_t *object)
{
    const json_t *problems = json_object_get(object, "problems");
    many->has_failed |= problems != NULL;
    if (!many->args->is_json && many->args->verbosity >= 0)
        complain("warning: ", json_object_get(object, "warnings"));
    if (!many->args->is_json)
        complain("", problems);
    json_object_set_new(object, "model", text_value(name));
    char *line = many->args->is_json ? json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (line)
        puts(line);
    fflush(stdout);
    free(line);
    json_decref(object);
}

static json_t *failure(const char *text)
{
    return json_pack("{s:[o]}", "problems", text_value(text));
}

/* -- The supervisor's: the pool ---------------------------------------------------------------------------- */

static bool next(void *context, unsigned worker, uint64_t *number)
{
    struct many *many = context;
    char *name;
    (void)worker;
    while ((name = next_name(many)) && (!*name || strlen(name) >= POOL_MAX_TEXT)) {
        if (*name)
            answer(many, name, failure("the name is too long"));
        free(name);
    }
    if (!name)
        return false;
    for (*number = 0; many->items[*number].name; ++*number)
        ;
    many->items[*number].name = name;
    return true;
}

static const char *item_text(void *context, uint64_t number)
{
    const struct many *many = context;
    return many->items[number].name;
}

static bool take_message(void *context, unsigned worker, uint64_t number, struct bytes message)
{
    struct many *many = context;
    struct buffer *received = &many->items[number].received;
    (void)worker;
    buffer_add(received, (const char *)message.data, message.size);
    return received->length <= MOST_BYTES;
}

static bool item_done(void *context, unsigned worker, uint64_t number, const struct outcome *outcome)
{
    struct many *many = context;
    struct model_item *item = &many->items[number];
    (void)worker;
    json_t *object = outcome->kind == OUTCOME_FINISHED ? take_answer(many, item) : NULL;
    if (!object) {
        char *why = outcome_describe(outcome, item->name, NULL);
        object = failure(why);
        free(why);
    }
    if (outcome->kind == OUTCOME_CANCELLED)
        json_decref(object);
    else
        answer(many, item->name, object);
    free(item->name);
    buffer_release(&item->received);
    *item = (struct model_item){0};
    return !ferror(stdout);
}

int thumb_many(const struct thumb_args *args)
{
    const unsigned workers = args->worker_count ? args->worker_count : cpus_usable();
    struct many many = {.args = args, .input = -1, .items = must_alloc(workers, sizeof *many.items)};
    struct error err;
    int signal_number;
    int exit_code = sandbox_args_check(args->sandbox, args->verbosity > 0);
    const struct pool_settings pool = {
        .worker_count = workers,
        .timeout_s = args->timeout_s,
        .start_timeout_s = 60,
        .memory_limit = args->memory_limit,
        .worker = {&many, start, work, finish},
        .context = &many,
        .input = &many.input,
        .text = item_text,
        .next = next,
        .message = take_message,
        .done = item_done,
    };
    if (exit_code < 0) {
        enum pool_end end = pool_run(&pool, &signal_number, &err);
        exit_code = end == POOL_INTERRUPTED    ? EXIT_SIGNAL + signal_number
                    : end == POOL_START_FAILED ? cli_fail(&err, EXIT_NO_BACKEND)
                    : end == POOL_FAILED       ? cli_fail(&err, EXIT_BROKEN)
                    : end == POOL_STOPPED      ? EXIT_BROKEN
                    : many.has_failed          ? EXIT_SHEETS_FAILED
                                               : EXIT_DONE;
    }
    buffer_release(&many.lines);
    free(many.items);
    return exit_code;
}
