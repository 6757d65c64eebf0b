#include "reviewed.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/read.h"
#include "image/image_format.h"

#define PROBLEM(...) strings_printf(problems, __VA_ARGS__)

/* -- A plain comparison -------------------------------------------------------------------------------------- */

/* One folder: its frames by name, each with the picture of each pass and the values of its JSON. */
struct folder {
    json_t *frames; /* name -> {"frame": as in the file, "passes": {name: path}} */
    json_t *images; /* path -> number in `loaded` */
    struct image loaded[4096];
    size_t loaded_count;
};

static void read_page(const char *path, struct folder *folder)
{
    json_t *root = json_load_file(path, 0, NULL), *meta = json_object_get(root, "meta"), *value;
    json_t *own = json_object_get(meta, "sheetbake"), *passes = json_deep_copy(json_object_get(own, "passes"));
    const char *name;
    char *parent = path_folder(path);
    passes = passes ? passes : json_object();
    json_object_set(passes, "color", json_object_get(meta, "image"));
    json_object_foreach(passes, name, value)
    {
        char *picture = path_join(parent, json_string_value(value));
        json_object_set_new(passes, name, json_string(picture));
        free(picture);
    }
    json_object_foreach(json_object_get(root, "frames"), name, value) json_object_set_new(
        folder->frames, name, json_pack("{s:O, s:O, s:O}", "frame", value, "passes", passes, "own", own));
    free(parent);
    json_decref(passes);
    json_decref(root);
}

static void read_folder(const char *path, struct folder *folder)
{
    struct page_set pages;
    struct error err;
    folder->frames = json_object();
    folder->images = json_object();
    if (page_set_open(path, true, &pages, &err) < 0)
        return;
    for (size_t i = 0; i < pages.page_count; i++) {
        const char *stem = pages.pages[i].stem;
        char *json = must_printf("%s/%s.json", path, stem);
        if (strncmp(stem, ATLAS, strlen(ATLAS)))
            read_page(json, folder);
        free(json);
    }
    page_set_release(&pages);
}

static void release_folder(struct folder *folder)
{
    for (size_t i = 0; i < folder->loaded_count; i++)
        image_release(&folder->loaded[i]);
    json_decref(folder->frames);
    json_decref(folder->images);
}

static const struct image *load(struct folder *folder, const char *path)
{
    const json_t *known = json_object_get(folder->images, path);
    if (known)
        return &folder->loaded[json_integer_value(known)];
    struct error err;
    struct blob blob;
    struct image *image = &folder->loaded[folder->loaded_count];
    if (folder->loaded_count == sizeof folder->loaded / sizeof *folder->loaded ||
        file_read(path, 1 << 26, &blob, &err) < 0 || image_load(blob_bytes(&blob), image, &err) < 0)
        fail("cannot read %s", path);
    blob_release(&blob);
    json_object_set_new(folder->images, path, json_integer((json_int_t)folder->loaded_count++));
    return image;
}

static int number(const json_t *frame, const char *rect, const char *key)
{
    return (int)json_integer_value(json_object_get(json_object_get(frame, rect), key));
}

/* Of the untrimmed cell; transparent pixels are all alike. */
static uint32_t pixel(const struct image *image, const json_t *frame, int x, int y)
{
    bool is_trimmed = json_object_get(frame, "spriteSourceSize") != NULL;
    x -= is_trimmed ? number(frame, "spriteSourceSize", "x") : 0;
    y -= is_trimmed ? number(frame, "spriteSourceSize", "y") : 0;
    if (x < 0 || y < 0 || x >= number(frame, "frame", "w") || y >= number(frame, "frame", "h"))
        return 0;
    size_t at =
        (size_t)(y + number(frame, "frame", "y")) * image->width + (size_t)(x + number(frame, "frame", "x"));
    const uint8_t *rgba = image->pixels + at * 4;
    return rgba[3] ? (uint32_t)rgba[0] << 24 | (uint32_t)rgba[1] << 16 | (uint32_t)rgba[2] << 8 | rgba[3] : 0;
}

static int side_of(const json_t *frame, const char *key)
{
    return json_object_get(frame, "sourceSize") ? number(frame, "sourceSize", key) : number(frame, "frame", key);
}

static bool has_same_place(const json_t *a, const json_t *b)
{
    return side_of(a, "w") == side_of(b, "w") && side_of(a, "h") == side_of(b, "h") &&
           json_equal(json_object_get(a, "anchor"), json_object_get(b, "anchor"));
}

/* Pixels per unit, of the frame or its camera (in these worlds the part before its number). */
static double scale_of(const json_t *of, const char *name)
{
    const json_t *own = json_object_get(of, "own"), *value = json_object_get(json_object_get(own, "frames"), name);
    char *rest = must_strdup(name), *number = strrchr(rest, '/');
    *number = '\0';
    if (!value)
        value = json_object_get(json_object_get(own, "cameras"), strrchr(rest, '/') + 1);
    free(rest);
    return json_number_value(json_object_get(value, "pixelsPerUnit"));
}

static bool differs(struct folder *before, struct folder *after, const json_t *old, const json_t *new)
{
    const json_t *a = json_object_get(old, "frame"), *b = json_object_get(new, "frame");
    json_t *passes = json_object_get(old, "passes"), *path;
    const char *pass;
    json_object_foreach(passes, pass, path)
    {
        const json_t *other = json_object_get(json_object_get(new, "passes"), pass);
        if (!other)
            continue;
        const struct image *a_image = load(before, json_string_value(path));
        const struct image *b_image = load(after, json_string_value(other));
        for (int i = 0; i < side_of(a, "w") * side_of(a, "h"); i++) {
            int x = i % side_of(a, "w"), y = i / side_of(a, "w");
            if (pixel(a_image, a, x, y) != pixel(b_image, b, x, y))
                return true;
        }
    }
    return false;
}

/* -- What diff says ------------------------------------------------------------------------------------------ */

/* The states of all frames it lists, under their names and old names, also those that the old name of a job gives. */
static json_t *states_of(json_t *review)
{
    json_t *states = json_object(), *sheet, *clip, *frame;
    size_t s, c, f;
    json_array_foreach(json_object_get(review, "sheets"), s, sheet)
        json_array_foreach(json_object_get(sheet, "clips"), c, clip)
            json_array_foreach(json_object_get(clip, "frames"), f, frame)
    {
        const char *name = json_string_value(json_object_get(frame, "name"));
        const char *old = json_string_value(json_object_get(frame, "old_name"));
        const char *old_sheet = json_string_value(json_object_get(sheet, "old_name"));
        json_object_set(states, name, json_object_get(frame, "state"));
        if (old)
            json_object_set_new(states, old, json_string("renamed"));
        if (old_sheet) {
            const char *job = json_string_value(json_object_get(sheet, "job"));
            char *old_name = must_printf("%s%s", strchr(old_sheet, '/') + 1, name + strlen(job));
            json_object_set_new(states, old_name, json_string("renamed"));
            free(old_name);
        }
    }
    return states;
}

static void check_frames(struct folder *before, struct folder *after, const json_t *states,
                         struct strings *problems)
{
    const char *name;
    json_t *frame;
    json_object_foreach(after->frames, name, frame)
    {
        const char *state = json_string_value(json_object_get(states, name));
        const json_t *old = json_object_get(before->frames, name);
        state = state ? state : "same";
        if (!old) {
            if (!json_object_get(states, name))
                PROBLEM("`diff` does not list %s, which is new", name);
            continue;
        }
        bool is_in_place = has_same_place(json_object_get(old, "frame"), json_object_get(frame, "frame"));
        double was = scale_of(old, name), is = scale_of(frame, name);
        bool is_rescaled = fabs(was - is) > 1e-5 * fmax(was, is);
        if (is_rescaled != !strcmp(state, "rescaled"))
            PROBLEM("`diff` says that %s is %s, and its scale was %g and is %g", name, state, was, is);
        if (is_rescaled)
            continue;
        if (is_in_place && differs(before, after, old, frame) != !strcmp(state, "changed"))
            PROBLEM("`diff` says that %s is %s, and its pixels say the contrary", name, state);
        if (!is_in_place && (!strcmp(state, "same") || !strcmp(state, "retimed")))
            PROBLEM("`diff` says that %s is %s, and its pivot or size is another one", name, state);
    }
    json_object_foreach(before->frames, name, frame)
    {
        if (!json_object_get(after->frames, name) && !json_object_get(states, name))
            PROBLEM("`diff` does not list %s, which is gone", name);
    }
}

/* Whether a cause of the sheet has the text in it, or one of these kinds. */
static bool has_cause(const json_t *review, const json_t *sheet, const char *text, const char *kinds)
{
    json_t *causes = json_object_get(sheet, "causes"), *number;
    size_t i;
    json_array_foreach(causes, i, number)
    {
        const json_t *cause =
            json_array_get(json_object_get(review, "causes"), (size_t)json_integer_value(number));
        const char *kind = json_string_value(json_object_get(cause, "kind"));
        if ((text && strstr(json_string_value(json_object_get(cause, "text")), text)) || strstr(kinds, kind))
            return true;
    }
    return false;
}

/* Every sheet that both sides have is explained, and by what the step has edited. */
static void check_causes(const json_t *review, const struct step *step, struct strings *problems)
{
    json_t *sheet;
    size_t i;
    json_array_foreach(json_object_get(review, "sheets"), i, sheet)
    {
        const char *state = json_string_value(json_object_get(sheet, "state"));
        const char *name = json_string_value(json_object_get(sheet, "name"));
        if (!strcmp(state, "added") || !strcmp(state, "removed") ||
            json_is_string(json_object_get(sheet, "old_name")))
            continue;
        if (has_cause(review, sheet, NULL, "unknown not-compared"))
            PROBLEM("`diff` has no cause for %s, which is %s", name, state);
        /* What declares is recorded by what is declared, and patterns by what matches. */
        if (step && step->edited && !has_cause(review, sheet, step->edited, "declared listed"))
            PROBLEM("`diff` does not say that %s is %s because of %s", name, state, step->edited);
        if (step && step->is_of_list && !has_cause(review, sheet, NULL, "setting group"))
            PROBLEM("`diff` does not say that %s is %s because of settings", name, state);
    }
}

/* Their frames are those of jobs, which are compared, and so is what explains them. */
static void drop_atlases(json_t *review)
{
    json_t *sheets = json_object_get(review, "sheets");
    for (size_t i = json_array_size(sheets); i-- > 0;)
        if (!strncmp(json_string_value(json_object_get(json_array_get(sheets, i), "job")), ATLAS, strlen(ATLAS)))
            json_array_remove(sheets, i);
}

void check_review(const struct program *program, const struct step *step, struct strings *problems)
{
    int code = program_run(program, "review", "diff --json before full");
    json_t *review = json_load_file("review", 0, NULL);
    if (code != 0 || !review) {
        PROBLEM("`diff` ends with %d", code);
        json_decref(review);
        return;
    }
    struct folder *before = must_alloc(1, sizeof *before), *after = must_alloc(1, sizeof *after);
    drop_atlases(review);
    json_t *states = states_of(review);
    read_folder("before", before);
    read_folder("full", after);
    check_frames(before, after, states, problems);
    check_causes(review, step, problems);
    release_folder(before);
    release_folder(after);
    free(before);
    free(after);
    json_decref(states);
    json_decref(review);
}
