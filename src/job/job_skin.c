#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "job/settings.h"

/* The best known engine draws 32 skins of an MD2, its successors 64; the file's own count is checked on opening
 * it. */
static const struct range skin_numbers = {0, 1023};

void skin_images_read(const struct reader *reader, const struct node *node, const struct skin_override **out,
                      size_t *count)
{
    double number;
    if (node_is_number(node, &number)) {
        reader_expected(reader, node, "'skin' must be a path or a mapping here");
        return;
    }
    bool is_map = node->kind == NODE_MAPPING;
    size_t skin_count = is_map ? node->count : 1;
    struct skin_override *skins = arena_must_alloc(reader->arena, skin_count, sizeof *skins);
    for (size_t i = 0; i < skin_count; i++) {
        const struct node *path = is_map ? node->values[i] : node;
        skins[i].mark = path->mark;
        skins[i].from = is_map ? node->keys[i]->text : NULL;
        if (!read_text(reader, path, is_map ? "the path of a skin" : "'skin'", &skins[i].path))
            return;
    }
    if (skin_count == 0)
        reader_expected(reader, node, "'skin' must be a path, or a mapping with at least one");
    *out = skins;
    *count = skin_count;
}

/* "skins/imp.skin#red": a file of Doom 3 skins, and one of those declared in it. */
static bool parse_declared(const struct reader *reader, const struct node *node, struct skin_settings *out)
{
    const char *hash = strchr(node->text, '#');
    size_t length = hash ? (size_t)(hash - node->text) : strlen(node->text);
    const char *file = arena_strndup(reader->arena, node->text, length);
    if (strcasecmp(path_suffix(file), ".skin"))
        return false;
    if (hash && hash[1]) {
        out->file = file;
        out->name = hash + 1;
    } else {
        const char *name = strchr(path_base(file), '_'); /* "_red.skin" of Quake III's upper_red.skin */
        char *alone = name ? must_printf("; of a Quake III model write 'skin: %.*s'",
                                         (int)(strlen(name + 1) - strlen(".skin")), name + 1)
                           : must_strdup("");
        problems_add(reader->problems, node->mark,
                     "'%.64s' is a file of skins; name one of them, as in '%.64s#red'%s", file, file, alone);
        free(alone);
    }
    return true;
}

void read_skin(const struct reader *reader, const struct node *node, void *whole)
{
    struct skin_settings *out = &((struct settings *)whole)->skin;
    double number;
    *out = (struct skin_settings){.mark = node->mark};
    if (node_is_number(node, &number)) {
        out->choice = SKIN_INDEX;
        read_integer(reader, node, "the number of a skin", skin_numbers, &out->index);
    } else if (node->kind != NODE_SCALAR || !parse_declared(reader, node, out)) {
        skin_images_read(reader, node, &out->skins, &out->skin_count);
    }
}

void read_skins(const struct reader *reader, const struct node *node, void *whole)
{
    static const char *const words[] = {"all"};
    unsigned word;
    if (read_one_word(reader, node, "'skins'", words, 1, &word))
        ((struct settings *)whole)->skin = (struct skin_settings){.mark = node->mark, .choice = SKIN_ALL};
}

void record_skin(struct recorder *recorder, const char *prefix, const void *whole)
{
    static const char *const choices[] = {
        [SKIN_SEARCH] = "search", [SKIN_INDEX] = "index", [SKIN_NAME] = "name", [SKIN_ALL] = "all"};
    const struct job *job = whole;
    recorder_add(recorder, prefix, "skin", choices[job->skin_choice]);
    if (job->skin_choice == SKIN_INDEX)
        recorder_add(recorder, prefix, "skin.index", arena_printf(recorder->arena, "%u", job->skin_index));
    recorder_add_text(recorder, prefix, "skin.file", job->skin_file);
    recorder_add_text(recorder, prefix, "skin.name", job->skin_name);
}

/* As they are recorded: keys of `skin` are names of the model's. */
const struct setting skin_rows[] = {
    {"from", SETTING_TEXT(struct skin_override, from)},
    {"image", SETTING_TEXT(struct skin_override, path)},
    {"material", SETTING_TEXT(struct skin_override, shader)},
    {NULL, SETTING_NOTE(struct skin_override, mark)},
    {0},
};
