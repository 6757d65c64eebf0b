#include "material/mtr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const blend_factor_names[] = {
    [BLEND_ONE] = "one",
    [BLEND_ZERO] = "zero",
    [BLEND_SRC_COLOR] = "src_color",
    [BLEND_ONE_MINUS_SRC_COLOR] = "one_minus_src_color",
    [BLEND_SRC_ALPHA] = "src_alpha",
    [BLEND_ONE_MINUS_SRC_ALPHA] = "one_minus_src_alpha",
    [BLEND_DST_COLOR] = "dst_color",
    [BLEND_ONE_MINUS_DST_COLOR] = "one_minus_dst_color",
    [BLEND_DST_ALPHA] = "dst_alpha",
    [BLEND_ONE_MINUS_DST_ALPHA] = "one_minus_dst_alpha",
    NULL,
};

struct mtr_parser {
    struct lexer lexer;
    struct mtr *out;
    struct strings *warnings;
    struct mtr_stage stage; /* the one being read */
    bool is_left_out;       /* its condition is false, or its blend is unknown */
    bool is_glint;
    enum texture_wrap wrap[2]; /* of stages that do not say */
    bool has_lightmap;
};

static const struct blend {
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
    "uncompressed", "highquality",     "forcehighquality", "nopicmip", "nearest",    "linear",       "colored",
    "noshadows",    "ignorealphatest", "noselfshadow",     "nofog",    "nooverlays", "forceshadows", "nonsolid",
    "nodamage",     "forceoverlays",   "noportalfog",      "noimpact", "discrete",   NULL,
};

/* Skips an unknown word and its arguments: the rest of its line, but for a picture. */
static void skip_unknown(struct mtr_parser *parser, const struct token *word)
{
    static const char *const pictures[] = {"map", "diffusemap", "bumpmap", "specularmap", NULL};
    if (token_find(word, flags) < 0)
        declaration_skip_line(&parser->lexer, word, pictures);
}

/* -- Values ------------------------------------------------------------------------------------------------ */

/* The whole text of an image program, which may run over several lines; NULL where there is none. */
static const char *take_image(struct mtr_parser *parser, unsigned *line)
{
    struct lexer *lexer = &parser->lexer;
    struct token token;
    if (!declaration_take_word(lexer, 0, &token))
        return NULL;
    *line = token.line;
    if (token.kind == TOKEN_STRING || !declaration_peek_sign(lexer, '(')) {
        const char *quote = token.kind == TOKEN_STRING ? "\"" : "";
        return arena_printf(&parser->out->arena, "%s%s%s", quote, declaration_text(&parser->out->arena, &token),
                            quote);
    }
    struct token inner; /* to the ')' that closes the first '(': braces end it, too */
    size_t depth = 0;
    do {
        declaration_next(lexer, &inner);
        depth += token_is_sign(&inner, '(');
        depth -= token_is_sign(&inner, ')');
    } while (depth > 0 && !declaration_peek_sign(lexer, '{') && !declaration_peek_sign(lexer, '}') &&
             declaration_peek(lexer, &inner));
    token.length = (size_t)((const char *)lexer->bytes.data + lexer->at - token.text);
    return declaration_text(&parser->out->arena, &token);
}

/* A value for colours; what is not known is 1. */
static float take_color(struct mtr_parser *parser)
{
    double value = mtr_expression_take(&parser->lexer);
    return isnan(value) || value > 1 ? 1 : value < 0 ? 0 : (float)value;
}

/* An expression ends with its line; after a comma the next one may start on another. */
static void take_commas(struct mtr_parser *parser)
{
    struct token token;
    bool found = false;
    while (declaration_take_sign(&parser->lexer, ','))
        found = true;
    if (found && declaration_peek(&parser->lexer, &token) && token.kind == TOKEN_WORD) {
        parser->lexer.at = (size_t)(token.text - (const char *)parser->lexer.bytes.data);
        parser->lexer.line = token.line;
    }
}

/* -- Stages ------------------------------------------------------------------------------------------------ */

static const struct mtr_stage new_stage = {
    .role = MTR_BLENDED,
    .source = BLEND_ONE,
    .destination = BLEND_ZERO,
    .alpha_test = -1,
    .color = {1, 1, 1, 1},
};

static void end_stage(struct mtr_parser *parser)
{
    struct mtr *out = parser->out;
    out->roles |= 1u << parser->stage.role;
    if (parser->is_left_out || !parser->stage.image || out->stage_count == MTR_MAX_STAGES)
        return;
    *MUST_ADD(out->stages, out->stage_count, out->stage_capacity) = parser->stage;
}

static void start_stage(struct mtr_parser *parser)
{
    parser->stage = new_stage;
    memcpy(parser->stage.placement.wrap, parser->wrap, sizeof parser->wrap);
    parser->is_left_out = parser->is_glint = false;
}

static bool take_factor(struct mtr_parser *parser, enum blend_factor *out)
{
    struct token token;
    if (!declaration_take_word(&parser->lexer, 0, &token))
        return false;
    struct token name = token;
    if (token.length > 3 && !strncasecmp(token.text, "gl_", 3)) {
        name.text += 3;
        name.length -= 3;
    }
    int which = token_find(&name, blend_factor_names);
    char described[64];
    if (which >= 0)
        *out = (enum blend_factor)which;
    else
        strings_printf(parser->warnings, "%u: unknown blend %s, its stage is left out", token.line,
                       token_describe(&token, described));
    parser->is_left_out |= which < 0;
    return true;
}

static const struct blend *find_blend(const struct token *token)
{
    for (size_t i = 0; i < sizeof blends / sizeof *blends; i++)
        if (token_is_ignoring_case(token, blends[i].name))
            return &blends[i];
    return NULL;
}

/* A stage with a role keeps it: another `blend` in it sets factors, which such a stage does not use. */
static void take_blend(struct mtr_parser *parser)
{
    struct mtr_stage *stage = &parser->stage;
    struct token token;
    if (!declaration_peek(&parser->lexer, &token))
        return;
    const struct blend *blend = find_blend(&token);
    if (blend) {
        declaration_next(&parser->lexer, &token);
        if (blend->role != MTR_BLENDED)
            stage->role = blend->role;
        stage->source = blend->source;
        stage->destination = blend->destination;
    } else if (take_factor(parser, &stage->source)) {
        take_commas(parser);
        take_factor(parser, &stage->destination);
    }
}

static bool take_wrap(const struct token *keyword, enum texture_wrap out[2])
{
    static const char *const names[] = {"noclamp", "clamp", "zeroclamp", "alphazeroclamp", NULL};
    int which = token_find(keyword, names);
    if (which >= 0)
        out[0] = out[1] = (enum texture_wrap)which;
    return which >= 0;
}

static const float unmoved[2][3] = {{1, 0, 0}, {0, 1, 0}};

/* Two movements of a picture, of which the second works first; one that leaves the range of floats is ignored. */
static void set_movement(struct texture_placement *placement, const float first[2][3], const float second[2][3])
{
    float product[2][3];
    bool has_matrix = false;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            product[i][j] = first[i][0] * second[0][j] + first[i][1] * second[1][j] + (j == 2 ? first[i][2] : 0);
            if (!(fabsf(product[i][j]) < 1e6f))
                return;
            has_matrix |= product[i][j] != unmoved[i][j];
        }
    memcpy(placement->matrix, product, sizeof product);
    placement->has_matrix = has_matrix;
}

static const float (*movement_of(const struct texture_placement *placement))[3]
{
    return placement->has_matrix ? placement->matrix : unmoved;
}

/* What is not known moves nothing. Shears, rotations (in turns) and `centerScale` leave the middle of the picture. */
static bool take_movement(struct mtr_parser *parser, const struct token *keyword)
{
    enum { SCROLL, TRANSLATE, SCALE, CENTER_SCALE, SHEAR, ROTATE };
    static const char *const names[] = {"scroll", "translate", "scale", "centerScale", "shear", "rotate", NULL};
    int which = token_find(keyword, names);
    if (which < 0)
        return false;
    double values[2] = {0};
    for (int i = 0; i < (which == ROTATE ? 1 : 2); i++, take_commas(parser)) {
        values[i] = mtr_expression_take(&parser->lexer);
        if (isnan(values[i]))
            values[i] = which == SCALE || which == CENTER_SCALE ? 1 : 0;
    }
    float a = (float)values[0], b = (float)values[1], turn = 2 * (float)M_PI * (float)fmod(values[0], 1);
    float step[2][3] = {{1, 0, 0}, {0, 1, 0}};
    if (which == SCROLL || which == TRANSLATE) {
        step[0][2] = a;
        step[1][2] = b;
    } else if (which == SHEAR) {
        step[0][1] = a;
        step[1][0] = b;
    } else {
        step[0][0] = which == ROTATE ? (float)cos((double)turn) : a;
        step[1][1] = which == ROTATE ? (float)cos((double)turn) : b;
        step[1][0] = which == ROTATE ? (float)sin((double)turn) : 0;
        step[0][1] = -step[1][0];
    }
    for (int i = 0; i < 2 && which >= CENTER_SCALE; i++)
        step[i][2] = 0.5f - 0.5f * (step[i][0] + step[i][1]);
    set_movement(&parser->stage.placement, movement_of(&parser->stage.placement), step);
    return true;
}

static void take_stage_keyword(struct mtr_parser *parser, const struct token *keyword)
{
    static const char *const colors[] = {"red", "green", "blue", "alpha", "rgb", "rgba", NULL};
    static const char *const masks[] = {"maskRed",   "maskGreen", "maskBlue", "maskAlpha",
                                        "maskColor", "maskDepth", NULL};
    static const unsigned channels[] = {1, 2, 4, 8, 7, 15}, masked[] = {1, 2, 4, 8, 7, 0}; /* as bits */
    struct mtr_stage *stage = &parser->stage;
    int color = token_find(keyword, colors), mask = token_find(keyword, masks);
    if (token_is_ignoring_case(keyword, "blend")) {
        take_blend(parser);
    } else if (token_is_ignoring_case(keyword, "map")) {
        stage->image = take_image(parser, &stage->line);
    } else if (token_is_ignoring_case(keyword, "alphaTest")) {
        double value = mtr_expression_take(&parser->lexer);
        stage->alpha_test = isnan(value) ? -1 : (float)fmin(value, 1);
    } else if (token_is_ignoring_case(keyword, "vertexColor")) {
        stage->placement.vertex_color = VERTEX_COLOR;
    } else if (token_is_ignoring_case(keyword, "inverseVertexColor")) {
        stage->placement.vertex_color = VERTEX_COLOR_INVERSE;
    } else if (token_is_ignoring_case(keyword, "if")) {
        parser->is_left_out |= mtr_expression_take(&parser->lexer) == 0;
    } else if (token_is_ignoring_case(keyword, "texGen")) {
        struct token token;
        parser->out->reflects |= declaration_peek(&parser->lexer, &token) &&
                                 token_is_ignoring_case(&token, "reflect") &&
                                 declaration_next(&parser->lexer, &token);
    } else if (token_is_ignoring_case(keyword, "color")) {
        for (int i = 0; i < 4; i++, take_commas(parser))
            stage->color[i] = take_color(parser);
    } else if (color >= 0) {
        float value = take_color(parser);
        for (int i = 0; i < 4; i++)
            stage->color[i] = channels[color] >> i & 1 ? value : stage->color[i];
    } else if (mask >= 0) {
        stage->masked |= masked[mask];
    } else if (!take_wrap(keyword, stage->placement.wrap) && !take_movement(parser, keyword)) {
        skip_unknown(parser, keyword);
    }
}

static bool covers(const struct mtr_stage *stage)
{
    return stage->source == BLEND_ONE && stage->destination == BLEND_ZERO;
}

typedef void keyword_taker(struct mtr_parser *parser, const struct token *keyword);

static void take_stage(struct mtr_parser *parser, keyword_taker *take_keyword)
{
    struct token token;
    start_stage(parser);
    while (declaration_next_word(&parser->lexer, &token))
        take_keyword(parser, &token);
    /* A glint depends on the light of the moment; what covers all does so without it. */
    parser->is_left_out |= parser->is_glint && !covers(&parser->stage);
    end_stage(parser);
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* The next word of the material itself; the stages before it are read. */
static bool next_word(struct mtr_parser *parser, keyword_taker *take_keyword, struct token *out)
{
    while (declaration_next(&parser->lexer, out) && out->kind == TOKEN_PUNCTUATION)
        if (token_is_sign(out, '{'))
            take_stage(parser, take_keyword);
    return out->kind != TOKEN_END;
}

/* `diffusemap x` is short for a stage. */
static bool take_short_stage(struct mtr_parser *parser, const struct token *keyword)
{
    const struct blend *blend = find_blend(keyword);
    if (!blend || blend->role == MTR_BLENDED)
        return false;
    start_stage(parser);
    parser->stage.role = blend->role;
    parser->stage.image = take_image(parser, &parser->stage.line);
    end_stage(parser);
    return true;
}

void mtr_parse(const struct declaration *declaration, struct mtr *out, struct strings *warnings)
{
    *out = (struct mtr){0};
    struct mtr_parser parser = {.lexer = declaration->body, .out = out, .warnings = warnings};
    struct token token;
    while (next_word(&parser, take_stage_keyword, &token))
        if (token_is_ignoring_case(&token, "twoSided"))
            out->two_sided = true;
        else if (token_is_ignoring_case(&token, "backSided"))
            out->back_sided = true;
        else if (token_is_ignoring_case(&token, "translucent"))
            out->translucent = true;
        else if (token_is_ignoring_case(&token, "forceOpaque"))
            out->translucent = false;
        else if (token_is_ignoring_case(&token, "unsmoothedTangents"))
            out->unsmoothed_tangents = true;
        else if (!take_short_stage(&parser, &token) && !take_wrap(&token, parser.wrap))
            skip_unknown(&parser, &token);
}

/* -- Quake III's shaders ----------------------------------------------------------------------------------- */

/* A number on the line of its keyword. */
static float take_number(struct mtr_parser *parser, const struct token *keyword, float otherwise)
{
    struct lexer before = parser->lexer;
    struct token token;
    declaration_take_sign(&parser->lexer, '(');
    const bool is_there = declaration_peek(&parser->lexer, &token) && token.line == keyword->line;
    const float value = is_there ? lexer_f32(&parser->lexer) : 0;
    if (is_there && !parser->lexer.has_failed && fabsf(value) < 1e6f)
        return value;
    parser->lexer = before;
    return otherwise;
}

/* Takes the word on the line of its keyword: its number among the names, or -1. */
static int take_word(struct mtr_parser *parser, const struct token *keyword, const char *const *names)
{
    struct token token;
    if (!declaration_peek(&parser->lexer, &token) || token.line != keyword->line || token.kind != TOKEN_WORD)
        return -1;
    declaration_next(&parser->lexer, &token);
    return token_find(&token, names);
}

/* `sin 0.5 0.5 0 1`: the function, its base, amplitude, phase and frequency; at time 0. */
static float take_wave(struct mtr_parser *parser, const struct token *keyword)
{
    enum { SIN, TRIANGLE, SQUARE, SAWTOOTH, INVERSE_SAWTOOTH };
    static const char *const names[] = {"sin", "triangle", "square", "sawtooth", "inversesawtooth", NULL};
    int which = take_word(parser, keyword, names);
    float base = take_number(parser, keyword, 1), amplitude = take_number(parser, keyword, 0);
    float phase = take_number(parser, keyword, 0);
    float at = phase - floorf(phase); /* of a period */
    const float values[] = {
        [SIN] = (float)sin(2 * M_PI * (double)at),
        [TRIANGLE] = at < 0.25f   ? 4 * at
                     : at < 0.75f ? 2 - 4 * at
                                  : 4 * at - 4,
        [SQUARE] = at < 0.5f ? 1 : -1,
        [SAWTOOTH] = at,
        [INVERSE_SAWTOOTH] = 1 - at,
    };
    return which < 0 ? base : base + amplitude * values[which];
}

/* `rgbGen` and `alphaGen`. Colours of vertices and things are white. */
static void take_gen(struct mtr_parser *parser, const struct token *keyword, bool is_alpha)
{
    enum { LIGHTING, SPECULAR, CONST, WAVE };
    static const char *const names[] = {"lightingDiffuse", "lightingSpecular", "const", "wave", NULL};
    struct mtr_stage *stage = &parser->stage;
    int which = take_word(parser, keyword, names);
    stage->is_lit |= which == LIGHTING;
    parser->is_glint |= which == SPECULAR;
    if (which != CONST && which != WAVE)
        return;
    float wave = which == WAVE ? take_wave(parser, keyword) : 0;
    for (int i = is_alpha ? 3 : 0; i < (is_alpha ? 4 : 3); i++)
        stage->color[i] = fminf(fmaxf(which == WAVE ? wave : take_number(parser, keyword, 1), 0), 1);
}

/* `tcMod`: steps work one after the other. Scrolls and turns have not begun at time 0, and what shakes each vertex by
 * itself is not moved. */
static void take_tcmod(struct mtr_parser *parser, const struct token *keyword)
{
    enum { SCALE, STRETCH, TRANSFORM };
    static const char *const names[] = {"scale", "stretch", "transform", NULL};
    struct texture_placement *placement = &parser->stage.placement;
    float step[2][3] = {{1, 0, 0}, {0, 1, 0}};
    int which = take_word(parser, keyword, names);
    if (which == SCALE) {
        step[0][0] = take_number(parser, keyword, 1);
        step[1][1] = take_number(parser, keyword, 1);
    } else if (which == STRETCH) {
        float wave = take_wave(parser, keyword), scale = fabsf(wave) > 1e-3f ? 1 / wave : 1;
        step[0][0] = step[1][1] = scale;
        step[0][2] = step[1][2] = 0.5f - 0.5f * scale;
    } else if (which == TRANSFORM) {
        for (int i = 0; i < 6; i++) /* m00 m01 m10 m11 t0 t1, for a row times the matrix */
            step[i % 2][i / 2] = take_number(parser, keyword, step[i % 2][i / 2]);
    }
    set_movement(placement, step, movement_of(placement));
}

/* Pictures of the engine's own are named with a sign. A lightmap is light, and not a picture. */
static const char *take_q3_image(struct mtr_parser *parser, struct mtr_stage *stage)
{
    static const char *const whites[] = {"$whiteimage", "$white", "*white", NULL};
    struct token token;
    if (!declaration_take_word(&parser->lexer, 0, &token))
        return NULL;
    stage->line = token.line;
    if (token_is_ignoring_case(&token, "$lightmap")) {
        parser->has_lightmap = true;
        return NULL;
    }
    if (token_find(&token, whites) >= 0)
        return "_white";
    const char *path = declaration_text(&parser->out->arena, &token);
    return arena_printf(&parser->out->arena, "\"%s\"", path + (*path == '/')); /* the game's paths may begin so */
}

/* Other words mean nothing, nor do what follows them, so that a whole stage may stand on one line. */
static void take_q3_keyword(struct mtr_parser *parser, const struct token *keyword)
{
    enum { CLAMP_MAP = 1, ANIM_MAP };
    static const char *const maps[] = {"map", "clampMap", "animMap", NULL};
    static const char *const tests[] = {"GT0", "GE128", NULL}, *const environment[] = {"environment", NULL};
    static const float alphas[] = {-1, 0.5f / 255, 127.5f / 255};
    struct mtr_stage *stage = &parser->stage;
    int which = token_find(keyword, maps);
    if (which >= 0) {
        if (which == ANIM_MAP)
            take_number(parser, keyword, 0); /* pictures a second */
        stage->image = take_q3_image(parser, stage);
        if (which == CLAMP_MAP)
            stage->placement.wrap[0] = stage->placement.wrap[1] = WRAP_CLAMP;
    } else if (token_is_ignoring_case(keyword, "blendFunc")) {
        take_blend(parser);
    } else if (token_is_ignoring_case(keyword, "alphaFunc")) {
        stage->alpha_test = alphas[1 + take_word(parser, keyword, tests)];
    } else if (token_is_ignoring_case(keyword, "rgbGen") || token_is_ignoring_case(keyword, "alphaGen")) {
        take_gen(parser, keyword, *keyword->text == 'a' || *keyword->text == 'A');
    } else if (token_is_ignoring_case(keyword, "tcMod")) {
        take_tcmod(parser, keyword);
    } else if (token_is_ignoring_case(keyword, "tcGen")) {
        stage->placement.is_environment = take_word(parser, keyword, environment) == 0;
    }
}

/* The first stage is the lit surface where it covers what is behind and takes light, be it that of a lightmap; else all
 * are layers. */
static void finish_q3(struct mtr_parser *parser)
{
    struct mtr *out = parser->out;
    struct mtr_stage *first = out->stages;
    if (out->stage_count == 0)
        return;
    bool is_filter = (first->source == BLEND_DST_COLOR && first->destination == BLEND_ZERO) ||
                     (first->source == BLEND_ZERO && first->destination == BLEND_SRC_COLOR);
    if (parser->has_lightmap && is_filter) {
        first->source = BLEND_ONE;
        first->destination = BLEND_ZERO;
    }
    if (covers(first)) {
        first->is_lit |= parser->has_lightmap;
        first->role = first->is_lit && !first->placement.is_environment ? MTR_DIFFUSE : MTR_BLENDED;
        out->roles |= 1u << first->role;
    }
}

void mtr_parse_q3(const struct declaration *declaration, struct mtr *out, struct strings *warnings)
{
    static const char *const culls[] = {"none", "disable", "twosided", "back", "backside", "backsided", NULL};
    *out = (struct mtr){0};
    struct mtr_parser parser = {.lexer = declaration->body, .out = out, .warnings = warnings};
    struct token token;
    while (next_word(&parser, take_q3_keyword, &token))
        if (token_is_ignoring_case(&token, "cull")) {
            int which = take_word(&parser, &token, culls);
            out->two_sided = which >= 0 && which < 3;
            out->back_sided = which >= 3;
        }
    finish_q3(&parser);
}

void mtr_release(struct mtr *mtr)
{
    arena_release(&mtr->arena);
    free(mtr->stages);
    *mtr = (struct mtr){0};
}
