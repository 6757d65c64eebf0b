#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "idtech/md5.h"

enum { MD5_VERSION = 10 };

int md5_start(struct bytes bytes, struct lexer *out, struct error *err)
{
    if (bytes.size > MD5_LARGEST_FILE)
        return error_set(err, "the file has %zu bytes, at most %zu are read", bytes.size, MD5_LARGEST_FILE);
    struct lexer lexer = lexer_at_start(bytes);
    int32_t version;
    if (lexer_expect(&lexer, "MD5Version", err) < 0 || lexer_i32(&lexer, &version, err) < 0)
        return -1;
    if (version != MD5_VERSION)
        return error_set(err, "%u: MD5 version %d, only version %d is known", lexer.line, version, MD5_VERSION);
    struct token token;
    *out = lexer;
    if (lexer_next(&lexer, &token, err) < 0)
        return -1;
    if (token.kind != TOKEN_WORD || !token_is(&token, "commandline"))
        return 0;
    *out = lexer;
    return lexer_string(out, &token, err);
}

int md5_count(struct lexer *lexer, const char *keyword, size_t shortest_item, uint32_t *out, struct error *err)
{
    uint32_t count;
    if (lexer_u32(lexer, &count, err) < 0)
        return -1;
    size_t room = (lexer->bytes.size - lexer->at) / shortest_item;
    if (count > room)
        return error_set(err, "%u: %s is %u, but the rest of the file has room for at most %zu", lexer->line,
                         keyword, count, room);
    *out = count;
    return 0;
}

int md5_vector(struct lexer *lexer, double *out, size_t count, struct error *err)
{
    if (lexer_expect(lexer, "(", err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (lexer_f64(lexer, MODEL_LARGEST_NUMBER, &out[i], err) < 0)
            return -1;
    return lexer_expect(lexer, ")", err);
}

int md5_transform(struct lexer *lexer, struct transform *out, double *length_squared, struct error *err)
{
    *out = (struct transform){.scale = {1, 1, 1}};
    if (md5_vector(lexer, out->translation, 3, err) < 0 || md5_vector(lexer, out->rotation, 3, err) < 0)
        return -1;
    if (length_squared)
        *length_squared = dvec_dot(out->rotation, out->rotation);
    rig_complete_rotation(out->rotation);
    return 0;
}

int md5_sort_joints(struct joint *joints, uint32_t count, uint32_t *places, struct error *err)
{
    struct joint *sorted = must_alloc(count, sizeof *sorted);
    uint32_t placed = 0;
    int result = 0;
    for (uint32_t i = 0; i < count; i++)
        places[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count && result == 0; i++)
        while (places[i] == UINT32_MAX && result == 0) {
            uint32_t top = i, steps = 0; /* up to the highest joint above it that has no place yet */
            for (int32_t up; (up = joints[top].parent) >= 0 && places[up] == UINT32_MAX && steps <= count; steps++)
                top = (uint32_t)up;
            if (steps > count)
                result = error_set(err, "joint %u, '%s', is below itself", i, joints[i].name);
            sorted[placed] = joints[top];
            if (joints[top].parent >= 0)
                sorted[placed].parent = (int32_t)places[joints[top].parent];
            places[top] = placed++;
        }
    if (count > 0)
        memcpy(joints, sorted, count * sizeof *joints);
    free(sorted);
    return result;
}

struct rig md5_rig(struct model *model, const struct transform *bind)
{
    struct rig_node *nodes = arena_must_alloc(&model->arena, model->joint_count, sizeof *nodes);
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const int32_t above = model->joints[n].parent;
        nodes[n] = (struct rig_node){.name = model->joints[n].name,
                                     .parent = above,
                                     .local = above < 0 ? bind[n] : transform_relative(&bind[above], &bind[n])};
    }
    return (struct rig){.to_model = {[0] = 1, [5] = 1, [10] = 1, [15] = 1},
                        .nodes = nodes,
                        .node_count = model->joint_count,
                        .blends_turns = true,
                        .has_moving_root = true};
}

/* Counts braces instead of calling itself: a file may nest them a million deep. */
int md5_skip_block(struct lexer *lexer, unsigned line, struct error *err)
{
    struct token token;
    for (size_t depth = 1; depth > 0;) {
        if (lexer_next(lexer, &token, err) < 0)
            return -1;
        if (token.kind == TOKEN_END)
            return error_set(err, "%u: the block that starts in line %u is never closed", token.line, line);
        if (token.kind == TOKEN_PUNCTUATION)
            depth += token.text[0] == '{' ? 1 : token.text[0] == '}' ? (size_t)-1 : 0;
    }
    return 0;
}

int md5_skip(struct lexer *lexer, const struct token *token, struct md5_unknown *unknown, struct error *err)
{
    if (token->kind == TOKEN_PUNCTUATION && token->text[0] == '}')
        return error_set(err, "%u: '}' without a '{'", token->line);
    if (!unknown->count++) {
        unknown->line = token->line;
        token_describe(token, unknown->text);
    }
    if (token->kind == TOKEN_PUNCTUATION && token->text[0] == '{')
        return md5_skip_block(lexer, token->line, err);
    return 0;
}

void md5_report_unknown(const struct md5_unknown *unknown, const char *where, struct strings *oddities)
{
    if (unknown->count == 1)
        strings_printf(oddities, "%sline %u: %s is not known and was passed over", where, unknown->line,
                       unknown->text);
    else if (unknown->count)
        strings_printf(oddities, "%sline %u: %s and %zu more words are not known and were passed over", where,
                       unknown->line, unknown->text, unknown->count - 1);
}
