#include "material/model_decl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"

/* Real declarations inherit twice at most. */
enum {
    MOST_ANCESTORS = 32,
    MOST_ANIMATIONS = 4096, /* of one model, inherited ones included; the busiest real ones have a few hundred */
    MOST_EVENTS = 256,      /* of an animation: real ones have a few dozen */
};

/* The next word or string, on the line of `before`, or NULL. */
static const char *take_text(struct lexer *lexer, struct arena *arena, const struct token *before)
{
    struct token token;
    return declaration_take_word(lexer, before->line, &token) ? declaration_text(arena, &token) : NULL;
}

/* -- One model --------------------------------------------------------------------------------------------- */

struct model_parser {
    struct lexer lexer;
    struct def_decl *def;
    size_t animation_capacity;
    const char *file; /* for warnings */
    bool is_full;     /* of animations, and has said so */
};

static void warn(struct model_parser *parser, const struct token *keyword, const char *what)
{
    char described[64];
    strings_printf(&parser->def->warnings, "%s:%u: %s %s", parser->file, keyword->line,
                   token_describe(keyword, described), what);
}

static const char *take_name(struct model_parser *parser, const struct token *keyword)
{
    return take_text(&parser->lexer, &parser->def->arena, keyword);
}

/* ( x y z ) */
static void take_offset(struct model_parser *parser, const struct token *keyword)
{
    float offset[3];
    struct lexer lexer = parser->lexer;
    lexer_expect(&lexer, "(");
    for (int i = 0; i < 3; i++)
        offset[i] = lexer_f32(&lexer);
    lexer_expect(&lexer, ")");
    if (lexer.has_failed) {
        warn(parser, keyword, "wants three numbers in parentheses");
        declaration_skip_line(&parser->lexer, keyword, NULL);
        return;
    }
    parser->lexer = lexer;
    memcpy(parser->def->offset, offset, sizeof offset);
}

/* The animation of that name, or a new one at the end; NULL where there are too many. */
static struct def_animation *find_animation(struct model_parser *parser, const char *name)
{
    struct def_decl *def = parser->def;
    struct def_animation *found =
        named_find(def->animations, def->animation_count, sizeof *def->animations, name, true);
    if (!found && def->animation_count < MOST_ANIMATIONS)
        found = MUST_ADD(def->animations, def->animation_count, parser->animation_capacity);
    return found;
}

/* frame NUMBER COMMAND WORD..., on one line, on which another may follow. What else is in the block is for the game. */
static void take_events(struct model_parser *parser, struct def_animation *animation)
{
    static const char *const until[] = {"frame", NULL};
    struct arena *arena = &parser->def->arena;
    struct lexer *lexer = &parser->lexer;
    struct clip_event events[MOST_EVENTS];
    struct token keyword, number, what;
    uint32_t count = 0;
    bool is_full = false;
    while (declaration_next_word(lexer, &keyword)) {
        struct lexer ahead = *lexer;
        if (!token_is_ignoring_case(&keyword, "frame"))
            continue;
        const uint32_t frame = lexer_u32(&ahead); /* 0: there is none */
        if (frame == 0 || !declaration_take_word(lexer, keyword.line, &number) ||
            !declaration_take_word(lexer, keyword.line, &what)) {
            warn(parser, &keyword, "wants a number from 1 and what happens there");
            continue;
        }
        declaration_skip_line(lexer, &what, until);
        size_t length = (size_t)((const char *)lexer->bytes.data + lexer->at - what.text);
        length = length < DECLARATION_LONGEST_NAME ? length : DECLARATION_LONGEST_NAME;
        if (count < MOST_EVENTS)
            events[count++] = (struct clip_event){arena_strndup(arena, what.text, length), frame - 1, 0};
        else if (!is_full)
            warn(parser, &keyword, "comes too often: the first 256 count"), is_full = true;
    }
    animation->events = arena_copy(arena, events, count, sizeof *events);
    animation->event_count = count;
}

/* NAME file, file, ... { commands } */
static void take_animation(struct model_parser *parser, const struct token *keyword)
{
    struct arena *arena = &parser->def->arena;
    const char *name = take_name(parser, keyword), *file = name ? take_name(parser, keyword) : NULL;
    struct token token;
    SCOPED const char **files = NULL;
    size_t count = 0, capacity = 0;
    struct def_animation none, *animation = NULL;
    while (file) {
        *MUST_ADD(files, count, capacity) = file;
        file = NULL;
        if (declaration_take_sign(&parser->lexer, ',') && declaration_take_word(&parser->lexer, 0, &token))
            file = declaration_text(arena, &token);
    }
    if (count > 0) {
        const char **kept = arena_copy(arena, files, count, sizeof *kept);
        animation = find_animation(parser, name);
        size_t length = strlen(name);
        while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
            length--;
        const char *base = length > 0 ? arena_strndup(arena, name, length) : name;
        if (animation)
            *animation = (struct def_animation){.name = name, .base = base, .files = kept, .file_count = count};
        else if (!parser->is_full)
            strings_printf(&parser->def->warnings, "%s:%u: more than %d animations: the rest is left out",
                           parser->file, keyword->line, MOST_ANIMATIONS);
        parser->is_full |= !animation;
    } else {
        warn(parser, keyword, "wants a name and a file");
    }
    if (declaration_take_sign(&parser->lexer, '{'))
        take_events(parser, animation ? animation : &none);
}

static void take_keyword(struct model_parser *parser, const struct token *keyword)
{
    struct def_decl *def = parser->def;
    const char **value = token_is_ignoring_case(keyword, "mesh")   ? &def->mesh
                         : token_is_ignoring_case(keyword, "skin") ? &def->skin
                                                                   : NULL;
    const char *name = value ? take_name(parser, keyword) : NULL;
    if (name)
        *value = name;
    else if (value)
        warn(parser, keyword, "wants a name");
    else if (token_is_ignoring_case(keyword, "offset"))
        take_offset(parser, keyword);
    else if (token_is_ignoring_case(keyword, "anim"))
        take_animation(parser, keyword);
    else if (token_is_ignoring_case(keyword, "inherit"))
        take_name(parser, keyword); /* followed already, see find_inherit */
    else
        declaration_skip_line(&parser->lexer, keyword, NULL);
}

/* -- Models and what they inherit -------------------------------------------------------------------------- */

struct ancestry {
    const struct declaration_entry *items[MOST_ANCESTORS]; /* the heir first */
    size_t count;
};

/* The name after `inherit` at the top of the block, or NULL; the caller's to free. */
static char *find_inherit(const struct declaration *item)
{
    struct lexer lexer = item->body;
    struct token token, name;
    while (declaration_next_word(&lexer, &token))
        if (token_is_ignoring_case(&token, "inherit") && declaration_take_word(&lexer, 0, &name))
            return must_printf("%.*s", (int)name.length, name.text);
    return NULL;
}

static int add_ancestor(struct ancestry *ancestry, const struct declaration_entry *entry, struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer way = {0};
    bool is_circle = false;
    for (size_t i = 0; i < ancestry->count; i++) {
        is_circle |= ancestry->items[i] == entry;
        buffer_printf(&way, "'%s' inherits ", ancestry->items[i]->item->name);
    }
    if (is_circle)
        return error_set(err, "model %s'%s': a circle", way.text, entry->item->name);
    if (ancestry->count == MOST_ANCESTORS)
        return error_set(err, "model '%s' inherits more than %d times", ancestry->items[0]->item->name,
                         MOST_ANCESTORS);
    ancestry->items[ancestry->count++] = entry;
    return 0;
}

static int find_ancestors(const struct declaration_index *index, const char *name, struct ancestry *out,
                          struct error *err)
{
    char *next = must_strdup(name);
    int result = 0;
    while (next && result == 0) {
        const struct declaration_entry *entry = declaration_index_find(index, next);
        result = entry ? add_ancestor(out, entry, err) : declaration_index_fail(index, "model", next, err);
        if (!entry && out->count > 0)
            error_add(err, "model '%s'", out->items[out->count - 1]->item->name);
        free(next);
        next = result == 0 ? find_inherit(entry->item) : NULL;
    }
    return result;
}

int def_decl_load(const struct declaration_index *index, const char *name, struct def_decl *out, struct error *err)
{
    struct ancestry ancestry = {0};
    if (find_ancestors(index, name, &ancestry, err) < 0)
        return error_add(err, "def/*.def");
    const struct declaration_entry *heir = ancestry.items[0];
    struct def_decl def = {0};
    struct model_parser parser = {.def = &def};
    for (size_t i = ancestry.count; i-- > 0;) {
        /* Lays one declaration over what its ancestors gave. */
        const struct declaration_entry *entry = ancestry.items[i];
        struct token token;
        parser.lexer = entry->item->body;
        parser.file = entry->file->path;
        declaration_entry_warnings(entry, &def.warnings);
        while (declaration_next_word(&parser.lexer, &token))
            take_keyword(&parser, &token);
    }
    def.name = arena_strdup(&def.arena, heir->item->name);
    def.declared = arena_printf(&def.arena, "%s:%u", heir->file->path, heir->item->line);
    if (!def.mesh) {
        error_set(err, "%s: model '%s' has no mesh", def.declared, def.name);
        def_decl_release(&def);
        return -1;
    }
    *out = def;
    return 0;
}

int def_decl_find(struct assets *assets, const char *name, struct def_decl *out, struct error *err)
{
    return def_decl_load(declaration_index_of(assets, DECLARATION_MODEL), name, out, err);
}

void def_decl_release(struct def_decl *def)
{
    arena_release(&def->arena);
    free(def->animations);
    strings_release(&def->warnings);
    *def = (struct def_decl){0};
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

int skin_decl_load(const struct declaration_index *index, const char *name, struct skin_decl *out,
                   struct error *err)
{
    const struct declaration_entry *entry = declaration_index_find(index, name);
    if (!entry)
        return declaration_index_fail(index, "skin", name, err);
    struct skin_decl skin = {0};
    struct lexer lexer = entry->item->body;
    size_t pair_capacity = 0, model_capacity = 0;
    struct token token;
    skin.name = arena_strdup(&skin.arena, entry->item->name);
    skin.declared = arena_printf(&skin.arena, "%s:%u", entry->file->path, entry->item->line);
    declaration_entry_warnings(entry, &skin.warnings);
    while (declaration_next_word(&lexer, &token)) {
        const char *second = take_text(&lexer, &skin.arena, &token);
        if (!second) {
            char described[64];
            strings_printf(&skin.warnings, "%s:%u: nothing follows %s", entry->file->path, token.line,
                           token_describe(&token, described));
        } else if (token_is_ignoring_case(&token, "model")) {
            *MUST_ADD(skin.models, skin.model_count, model_capacity) = second;
        } else {
            *MUST_ADD(skin.pairs, skin.pair_count, pair_capacity) =
                (struct skin_pair){declaration_text(&skin.arena, &token), second};
        }
    }
    *out = skin;
    return 0;
}

int skin_decl_find(struct assets *assets, const char *file, const char *name, struct skin_decl *out,
                   struct error *err)
{
    /* This one becomes a warning of the sheet. It names no other skin: these may change, and the sheet stays. */
    if (!file && skin_decl_load(declaration_index_of(assets, DECLARATION_SKIN), name, out, err) < 0)
        return error_set(err, "no skin '%s' is declared", name);
    if (!file)
        return 0;
    struct declaration_index *index;
    if (declaration_index_read(assets, DECLARATION_SKIN, file, &index, err) < 0)
        return -1;
    int result = skin_decl_load(index, name, out, err);
    declaration_index_free(index);
    return result < 0 ? error_add(err, "%s", file) : 0;
}

void skin_decl_release(struct skin_decl *skin)
{
    arena_release(&skin->arena);
    free(skin->models);
    free(skin->pairs);
    strings_release(&skin->warnings);
    *skin = (struct skin_decl){0};
}

const char *skin_decl_map(const struct skin_decl *skin, const char *shader)
{
    for (size_t i = 0; i < skin->pair_count; i++)
        if (!strcmp(skin->pairs[i].from, "*") || declaration_same_name(skin->pairs[i].from, shader))
            return skin->pairs[i].to;
    return shader;
}
