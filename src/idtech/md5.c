#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "idtech/md5.h"

enum { MD5_VERSION = 10 };

int md5_start(struct bytes bytes, struct lexer *lexer, struct error *err)
{
    struct token token;
    if (bytes.size > MD5_LARGEST_FILE)
        return error_set(err, "the file has %zu bytes, at most %zu are read", bytes.size, MD5_LARGEST_FILE);
    *lexer = lexer_at_start(bytes);
    lexer->err = err;
    lexer_expect(lexer, "MD5Version");
    const int32_t version = lexer_i32(lexer);
    if (version != MD5_VERSION)
        return lexer_fail(lexer, lexer->line, "MD5 version %d, only version %d is known", version, MD5_VERSION);
    if (lexer_peek(lexer, &token) && token.kind == TOKEN_WORD && token_is(&token, "commandline")) {
        lexer_next(lexer, &token);
        lexer_string(lexer);
    }
    return lexer->has_failed ? -1 : 0;
}

uint32_t md5_count(struct lexer *lexer, const char *keyword, size_t shortest_item, bool is_needed, uint32_t most)
{
    const uint32_t count = lexer_u32(lexer);
    const size_t room = (lexer->bytes.size - lexer->at) / shortest_item;
    if (count > room)
        lexer_fail(lexer, lexer->line, "%s is %u, but the rest of the file has room for at most %zu", keyword,
                   count, room);
    if (count < is_needed || count > most)
        lexer_fail(lexer, lexer->line, "%s is %u, %s %u are allowed", keyword, count,
                   is_needed ? "1 to" : "at most", most);
    return lexer->has_failed ? 0 : count;
}

void md5_vector(struct lexer *lexer, double *out, size_t count)
{
    lexer_expect(lexer, "(");
    for (size_t i = 0; i < count; i++)
        out[i] = lexer_f64(lexer, MODEL_LARGEST_NUMBER);
    lexer_expect(lexer, ")");
}

struct transform md5_transform(struct lexer *lexer, double *length_squared)
{
    struct transform out = {.scale = {1, 1, 1}};
    md5_vector(lexer, out.translation, 3);
    md5_vector(lexer, out.rotation, 3);
    *length_squared = dvec_dot(out.rotation, out.rotation);
    rig_complete_rotation(out.rotation);
    return out;
}

int md5_sort_joints(struct joint *joints, uint32_t count, uint32_t *places, struct lexer *lexer, unsigned line)
{
    SCOPED struct joint *sorted = must_alloc(count, sizeof *sorted);
    uint32_t placed = 0;
    for (uint32_t i = 0; i < count; i++)
        places[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        while (places[i] == UINT32_MAX) {
            uint32_t top = i, steps = 0; /* up to the highest joint above it that has no place yet */
            for (int32_t up; (up = joints[top].parent) >= 0 && places[up] == UINT32_MAX && steps <= count; steps++)
                top = (uint32_t)up;
            if (steps > count)
                return lexer_fail(lexer, line, "joint %u, '%s', is below itself", i, joints[i].name);
            sorted[placed] = joints[top];
            if (joints[top].parent >= 0)
                sorted[placed].parent = (int32_t)places[joints[top].parent];
            places[top] = placed++;
        }
    if (count > 0)
        memcpy(joints, sorted, count * sizeof *joints);
    return 0;
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
void md5_skip_block(struct lexer *lexer, unsigned line)
{
    struct token token;
    size_t depth = 1;
    while (depth > 0 && lexer_next(lexer, &token))
        depth += token_is_sign(&token, '{') ? 1 : token_is_sign(&token, '}') ? (size_t)-1 : 0;
    if (depth > 0)
        lexer_fail(lexer, token.line, "the block that starts in line %u is never closed", line);
}

void md5_skip(struct lexer *lexer, const struct token *token, struct md5_unknown *unknown)
{
    if (token_is_sign(token, '}'))
        lexer_fail(lexer, token->line, "'}' without a '{'");
    if (!unknown->count++) {
        unknown->line = token->line;
        token_describe(token, unknown->text);
    }
    if (token_is_sign(token, '{'))
        md5_skip_block(lexer, token->line);
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
