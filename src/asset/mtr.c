#include "asset/mtr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/mtr_expression.h"

struct parser {
    struct lexer lexer;
    struct mtr *out;
    struct strings *warnings;
    struct mtr_stage stage; /* the one being read */
    bool is_left_out;       /* its condition is false, or its blend is none we know */
};

static const struct {
    const char *name;
    enum mtr_role role;
    enum blend_factor source, destination;
} blends[] = {
    {"diffusemap", MTR_DIFFUSE, BLEND_ONE, BLEND_ZERO},
    {"bumpmap", MTR_BUMP, BLEND_ONE, BLEND_ZERO},
    {"specularmap", MTR_SPECULAR, BLEND_ONE, BLEND_ZERO},
    {"blend", MTR_BLENDED, BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA},
    {"add", MTR_BLENDED, BLEND_ONE, BLEND_ONE},
    {"filter", MTR_BLENDED, BLEND_DST_COLOR, BLEND_ZERO},
    {"modulate", MTR_BLENDED, BLEND_DST_COLOR, BLEND_ZERO},
    {"none", MTR_BLENDED, BLEND_ZERO, BLEND_ONE},
};

/* Words that stand alone: others may follow on their line. */
static const char *const flags[] = {
    "clamp",        "noclamp",         "zeroclamp",        "alphazeroclamp",
    "uncompressed", "highquality",     "forcehighquality", "nopicmip",
    "nearest",      "linear",          "vertexcolor",      "inversevertexcolor",
    "colored",      "ignorealphatest", "noshadows",        "noselfshadow",
    "forceshadows", "nofog",           "nooverlays",       "forceoverlays",
    "noportalfog",  "forceopaque",     "backsided",        "nonsolid",
    "nodamage",     "noimpact",        "discrete",
};

static bool is_one_of(const struct token *token, const char *const *names, size_t count, size_t *which)
{
    for (size_t i = 0; i < count; i++)
        if (token_is_ignoring_case(token, names[i])) {
            *which = i;
            return true;
        }
    return false;
}

static bool is_flag(const struct token *token)
{
    size_t ignored;
    return is_one_of(token, flags, sizeof flags / sizeof *flags, &ignored);
}

/* -- Values ------------------------------------------------------------------------------------------------ */

static bool peek_sign(const struct parser *parser, char sign)
{
    struct token token;
    return declaration_peek(&parser->lexer, &token) && token.kind == TOKEN_PUNCTUATION && *token.text == sign;
}

/* Past the ')' that closes the '(' just taken; braces end it, too. */
static void skip_arguments(struct parser *parser)
{
    struct token token;
    size_t depth = 1;
    while (depth > 0 && !peek_sign(parser, '{') && !peek_sign(parser, '}') &&
           declaration_next(&parser->lexer, &token)) {
        depth += token.kind == TOKEN_PUNCTUATION && *token.text == '(';
        depth -= token.kind == TOKEN_PUNCTUATION && *token.text == ')';
    }
}

/* The whole text of an image program, which may run over several lines; NULL where there is none. */
static const char *take_image(struct parser *parser, unsigned *line)
{
    struct token token;
    if (!declaration_peek(&parser->lexer, &token) || token.kind == TOKEN_PUNCTUATION)
        return NULL;
    declaration_next(&parser->lexer, &token);
    *line = token.line;
    if (token.kind == TOKEN_STRING || !peek_sign(parser, '(')) {
        const char *quote = token.kind == TOKEN_STRING ? "\"" : "";
        return arena_printf(&parser->out->arena, "%s%s%s", quote, declaration_text(&parser->out->arena, &token),
                            quote);
    }
    struct token parenthesis;
    declaration_next(&parser->lexer, &parenthesis);
    skip_arguments(parser);
    token.length = (size_t)((const char *)parser->lexer.bytes.data + parser->lexer.at - token.text);
    return declaration_text(&parser->out->arena, &token);
}

/* A value for colours; what is not known is 1. */
static float take_color(struct parser *parser)
{
    double value = mtr_expression_take(&parser->lexer);
    return isnan(value) || value > 1 ? 1 : value < 0 ? 0 : (float)value;
}

static void take_commas(struct parser *parser)
{
    struct token token;
    while (peek_sign(parser, ','))
        declaration_next(&parser->lexer, &token);
}

/* -- Stages ------------------------------------------------------------------------------------------------ */

static const struct mtr_stage new_stage = {
    .role = MTR_BLENDED,
    .source = BLEND_ONE,
    .destination = BLEND_ZERO,
    .alpha_test = -1,
    .color = {1, 1, 1, 1},
};

static void end_stage(struct parser *parser)
{
    struct mtr *out = parser->out;
    out->is_lit |= parser->stage.role != MTR_BLENDED;
    if (parser->is_left_out || !parser->stage.image || out->stage_count == MTR_MAX_STAGES)
        return;
    out->stages = must_grow(out->stages, out->stage_count, &out->stage_capacity, sizeof *out->stages);
    out->stages[out->stage_count++] = parser->stage;
}

static void leave_out(struct parser *parser, const struct token *token)
{
    char described[64];
    strings_printf(parser->warnings, "%u: unknown blend %s, its stage is left out", token->line,
                   token_describe(token, described));
    parser->is_left_out = true;
}

static bool take_factor(struct parser *parser, enum blend_factor *out)
{
    struct token token, name;
    if (!declaration_peek(&parser->lexer, &token) || token.kind == TOKEN_PUNCTUATION)
        return false;
    declaration_next(&parser->lexer, &token);
    name = token;
    if (token.length > 3 && !strncasecmp(token.text, "gl_", 3)) {
        name.text += 3;
        name.length -= 3;
    }
    for (int i = BLEND_ONE; i <= BLEND_ONE_MINUS_DST_ALPHA; i++)
        if (token_is_ignoring_case(&name, blend_factor_names[i])) {
            *out = (enum blend_factor)i;
            return true;
        }
    leave_out(parser, &token);
    return true;
}

static void take_blend(struct parser *parser)
{
    struct token token;
    if (!declaration_peek(&parser->lexer, &token))
        return;
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++)
        if (token_is_ignoring_case(&token, blends[i].name)) {
            declaration_next(&parser->lexer, &token);
            parser->stage.role = blends[i].role;
            parser->stage.source = blends[i].source;
            parser->stage.destination = blends[i].destination;
            return;
        }
    parser->stage.role = MTR_BLENDED;
    if (take_factor(parser, &parser->stage.source)) {
        take_commas(parser);
        take_factor(parser, &parser->stage.destination);
    }
}

/* The channels of a colour that a keyword sets, as bits. */
static unsigned color_channels(const struct token *keyword)
{
    static const char *const names[] = {"red", "green", "blue", "alpha", "rgb", "rgba"};
    static const unsigned channels[] = {1, 2, 4, 8, 7, 15};
    size_t which;
    return is_one_of(keyword, names, sizeof names / sizeof *names, &which) ? channels[which] : 0;
}

static void take_stage_keyword(struct parser *parser, const struct token *keyword)
{
    struct mtr_stage *stage = &parser->stage;
    unsigned channels = color_channels(keyword);
    if (token_is_ignoring_case(keyword, "blend")) {
        take_blend(parser);
    } else if (token_is_ignoring_case(keyword, "map")) {
        stage->image = take_image(parser, &stage->line);
    } else if (token_is_ignoring_case(keyword, "alphaTest")) {
        double value = mtr_expression_take(&parser->lexer);
        stage->alpha_test = isnan(value) ? -1 : (float)fmin(value, 1);
    } else if (token_is_ignoring_case(keyword, "if")) {
        parser->is_left_out |= mtr_expression_take(&parser->lexer) == 0;
    } else if (token_is_ignoring_case(keyword, "color")) {
        for (int i = 0; i < 4; i++, take_commas(parser))
            stage->color[i] = take_color(parser);
    } else if (channels) {
        float value = take_color(parser);
        for (int i = 0; i < 4; i++)
            stage->color[i] = channels >> i & 1 ? value : stage->color[i];
    } else if (!is_flag(keyword)) {
        declaration_skip_line(&parser->lexer, keyword);
    }
}

static void take_stage(struct parser *parser)
{
    struct token token;
    parser->stage = new_stage;
    parser->is_left_out = false;
    while (declaration_next(&parser->lexer, &token) && !(token.kind == TOKEN_PUNCTUATION && *token.text == '}')) {
        if (token.kind == TOKEN_WORD)
            take_stage_keyword(parser, &token);
        else if (token.kind == TOKEN_PUNCTUATION && *token.text == '{')
            declaration_skip_block(&parser->lexer);
    }
    end_stage(parser);
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* `diffusemap x` is short for a stage. */
static bool take_short_stage(struct parser *parser, const struct token *keyword)
{
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++)
        if (blends[i].role != MTR_BLENDED && token_is_ignoring_case(keyword, blends[i].name)) {
            parser->stage = new_stage;
            parser->is_left_out = false;
            parser->stage.role = blends[i].role;
            parser->stage.image = take_image(parser, &parser->stage.line);
            end_stage(parser);
            return true;
        }
    return false;
}

static void take_keyword(struct parser *parser, const struct token *keyword)
{
    if (take_short_stage(parser, keyword))
        return;
    if (token_is_ignoring_case(keyword, "twoSided"))
        parser->out->two_sided = true;
    else if (token_is_ignoring_case(keyword, "translucent"))
        parser->out->translucent = true;
    else if (!is_flag(keyword))
        declaration_skip_line(&parser->lexer, keyword);
}

void mtr_parse(const struct declaration *declaration, struct mtr *out, struct strings *warnings)
{
    *out = (struct mtr){0};
    struct parser parser = {.lexer = declaration->body, .out = out, .warnings = warnings};
    struct token token;
    while (declaration_next(&parser.lexer, &token)) {
        if (token.kind == TOKEN_PUNCTUATION && *token.text == '{')
            take_stage(&parser);
        else if (token.kind == TOKEN_WORD)
            take_keyword(&parser, &token);
    }
}

void mtr_release(struct mtr *mtr)
{
    arena_release(&mtr->arena);
    free(mtr->stages);
    *mtr = (struct mtr){0};
}
