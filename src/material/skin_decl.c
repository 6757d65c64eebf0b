#include "material/skin_decl.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct lexer lexer;
    struct skin_decl *skin;
    size_t pair_capacity, model_capacity;
    const char *file; /* for warnings */
};

/* The next word or string where a name is wanted, on the line of `before`. */
static const char *take_name(struct parser *parser, const struct token *before)
{
    struct token token;
    if (!declaration_peek(&parser->lexer, &token) || token.kind == TOKEN_PUNCTUATION ||
        token.line != before->line) {
        char described[64];
        strings_printf(&parser->skin->warnings, "%s:%u: nothing follows %s", parser->file, before->line,
                       token_describe(before, described));
        return NULL;
    }
    declaration_next(&parser->lexer, &token);
    return declaration_text(&parser->skin->arena, &token);
}

int skin_decl_load(const struct declaration_index *index, const char *name, struct skin_decl *out,
                   struct error *err)
{
    const struct declaration_entry *entry = declaration_index_find(index, name);
    if (!entry)
        return declaration_index_fail(index, "skin", name, err);
    struct skin_decl skin = {0};
    struct parser parser = {.lexer = entry->item->body, .skin = &skin, .file = entry->file->path};
    struct token token;
    skin.name = arena_strdup(&skin.arena, entry->item->name);
    skin.declared = arena_printf(&skin.arena, "%s:%u", entry->file->path, entry->item->line);
    declaration_entry_warnings(entry, &skin.warnings);
    while (declaration_next(&parser.lexer, &token)) {
        if (token.kind == TOKEN_PUNCTUATION) {
            if (*token.text == '{')
                declaration_skip_block(&parser.lexer);
            continue;
        }
        const char *second = take_name(&parser, &token);
        if (second && token_is_ignoring_case(&token, "model")) {
            skin.models = must_grow(skin.models, skin.model_count, &parser.model_capacity, sizeof *skin.models);
            skin.models[skin.model_count++] = second;
        } else if (second) {
            skin.pairs = must_grow(skin.pairs, skin.pair_count, &parser.pair_capacity, sizeof *skin.pairs);
            skin.pairs[skin.pair_count++] = (struct skin_pair){declaration_text(&skin.arena, &token), second};
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
