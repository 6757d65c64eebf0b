#include "image/image_program.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/lexer.h"
#include "base/memory.h"
#include "image/image_format.h"

enum function {
    PICTURE, /* no function: a file, or one of the built-in ones */
    HEIGHTMAP,
    ADD_NORMALS,
    SMOOTH_NORMALS,
    ADD,
    SCALE,
    INVERT_ALPHA,
    INVERT_COLOR,
    MAKE_INTENSITY,
    MAKE_ALPHA,
    DOWNSIZE,
};

struct signature {
    const char *name;
    unsigned image_count, number_count;
};

static const struct signature signatures[] = {
    [PICTURE] = {"", 0, 0},
    [HEIGHTMAP] = {"heightmap", 1, 1},
    [ADD_NORMALS] = {"addnormals", 2, 0},
    [SMOOTH_NORMALS] = {"smoothnormals", 1, 0},
    [ADD] = {"add", 2, 0},
    [SCALE] = {"scale", 1, 4},
    [INVERT_ALPHA] = {"invertAlpha", 1, 0},
    [INVERT_COLOR] = {"invertColor", 1, 0},
    [MAKE_INTENSITY] = {"makeIntensity", 1, 0},
    [MAKE_ALPHA] = {"makeAlpha", 1, 0},
    [DOWNSIZE] = {"downsize", 1, 1},
};

static const struct {
    const char *name;
    uint8_t color[4];
} built_ins[] = {
    {"_white", {255, 255, 255, 255}},
    {"_black", {0, 0, 0, 255}},
    {"_flat", {128, 128, 255, 255}},
    {"_default", {128, 128, 128, 255}},
};

struct node {
    enum function function;
    const char *path; /* of a PICTURE, as written */
    struct node *images[2];
    float numbers[4];
};

/* -- Paths ------------------------------------------------------------------------------------------------- */

size_t image_path_stem(const char *name)
{
    const char *suffix = path_suffix(name);
    return image_has_suffix(suffix) ? (size_t)(suffix - name) : strlen(name);
}

const char *image_path_exact(struct assets *assets, const char *path, struct strings *tried)
{
    if (tried && strings_has(tried, path))
        return NULL;
    const char *found = assets_find(assets, path);
    if (!found && tried)
        strings_add(tried, path);
    return found;
}

const char *image_path_ending(struct assets *assets, const char *name, size_t length, const char *ending,
                              struct strings *tried)
{
    const char *found = NULL;
    for (size_t i = 0; !found && image_suffix(i); i++) {
        char *path = must_printf("%.*s%s%s", (int)length, name, ending, image_suffix(i));
        found = image_path_exact(assets, path, tried);
        free(path);
    }
    return found;
}

const char *image_path_alone(struct assets *assets, const char *folder, struct strings *tried)
{
    struct strings pictures = {0};
    const char *found = NULL;
    size_t count = 0;
    char *only = glob_of(folder);
    for (size_t i = 0; image_suffix(i); i++) {
        char *pattern = must_printf("%s/*%s", only, image_suffix(i));
        struct error ignored;
        assets_glob(assets, pattern, &pictures, &ignored);
        free(pattern);
    }
    for (size_t i = 0; i < pictures.count; i++) {
        if (glob_matches("**-thumb.*", pictures.items[i], true))
            continue;
        found = pictures.items[i];
        count++;
    }
    found = count == 1 ? assets_find(assets, found) : NULL;
    if (!found)
        strings_printf(tried, "%s/*", folder);
    strings_release(&pictures);
    free(only);
    return found;
}

const char *image_path_find(struct assets *assets, const char *name, struct strings *tried)
{
    if (assets_is_embedded(assets, name))
        return image_path_exact(assets, name, tried);
    size_t length = image_path_stem(name);
    const char *found = name[length] ? image_path_exact(assets, name, tried) : NULL;
    return found ? found : image_path_ending(assets, name, length, "", tried);
}

/* -- Parsing ----------------------------------------------------------------------------------------------- */

struct parser {
    struct lexer lexer;
    struct arena *arena;
    unsigned depth, image_count;
};

static struct node *parse_node(struct parser *parser, struct error *err);

static bool peek_is(const struct parser *parser, const char *text)
{
    struct token token;
    struct error ignored;
    return lexer_peek(&parser->lexer, &token, &ignored) == 0 && token.kind == TOKEN_PUNCTUATION &&
           token_is(&token, text);
}

static void skip_sign(struct parser *parser, const char *sign)
{
    struct token token;
    struct error ignored;
    if (peek_is(parser, sign))
        lexer_next(&parser->lexer, &token, &ignored);
}

/* The lexer's own messages count lines, of which a program is only a part. */
static int fail_expected(const struct parser *parser, const char *what, struct error *err)
{
    struct token token;
    struct error ignored;
    char described[64];
    if (lexer_peek(&parser->lexer, &token, &ignored) < 0)
        return error_set(err, "expected %s, found a string that is never closed", what);
    return error_set(err, "expected %s, found %s", what,
                     token.kind == TOKEN_END ? "the end" : token_describe(&token, described));
}

static int parse_arguments(struct parser *parser, struct node *node, struct error *err)
{
    const struct signature *signature = &signatures[node->function];
    if (parser->depth > IMAGE_PROGRAM_MAX_DEPTH)
        return error_set(err, "image functions nested more than %d deep", IMAGE_PROGRAM_MAX_DEPTH);
    for (unsigned i = 0; i < signature->image_count; i++) {
        node->images[i] = parse_node(parser, err);
        if (!node->images[i])
            return -1;
        skip_sign(parser, ","); /* real files leave one out now and then */
    }
    for (unsigned i = 0; i < signature->number_count; i++) {
        struct lexer before = parser->lexer;
        node->numbers[i] = 1;
        if (!peek_is(parser, ")") && lexer_f32(&parser->lexer, &node->numbers[i], err) < 0) {
            parser->lexer = before;
            fail_expected(parser, "a number", err);
            return error_add(err, "%s", signature->name);
        }
        skip_sign(parser, ",");
    }
    if (!peek_is(parser, ")")) {
        fail_expected(parser, "')'", err);
        return error_add(err, "%s", signature->name);
    }
    skip_sign(parser, ")");
    return 0;
}

static struct node *parse_node(struct parser *parser, struct error *err)
{
    struct token token;
    struct node *node = arena_must_alloc(parser->arena, 1, sizeof *node);
    struct lexer before = parser->lexer;
    if (lexer_string(&parser->lexer, &token, err) < 0) {
        parser->lexer = before;
        fail_expected(parser, "a picture", err);
        return NULL;
    }
    if (token.kind == TOKEN_STRING || !peek_is(parser, "(")) {
        if (++parser->image_count > IMAGE_PROGRAM_MAX_IMAGES) {
            error_set(err, "more than %d pictures in one image program", IMAGE_PROGRAM_MAX_IMAGES);
            return NULL;
        }
        node->path = arena_strndup(parser->arena, token.text, token.length);
        return node;
    }
    for (size_t i = 1; i < sizeof signatures / sizeof *signatures; i++)
        if (token_is_ignoring_case(&token, signatures[i].name))
            node->function = (enum function)i;
    if (node->function == PICTURE) {
        char described[64];
        error_set(err, "unknown image function %s", token_describe(&token, described));
        return NULL;
    }
    skip_sign(parser, "(");
    parser->depth++;
    if (parse_arguments(parser, node, err) < 0)
        return NULL;
    parser->depth--;
    return node;
}

static struct node *parse(struct arena *arena, const char *program, struct error *err)
{
    struct parser parser = {
        .lexer = lexer_at_start((struct bytes){(const uint8_t *)program, strlen(program)}),
        .arena = arena,
    };
    struct token token;
    if (parser.lexer.bytes.size > IMAGE_PROGRAM_LONGEST) {
        error_set(err, "an image program of %zu bytes, at most %d are allowed", parser.lexer.bytes.size,
                  IMAGE_PROGRAM_LONGEST);
        return NULL;
    }
    struct node *node = parse_node(&parser, err);
    if (node && (lexer_peek(&parser.lexer, &token, err) < 0 || token.kind != TOKEN_END)) {
        fail_expected(&parser, "nothing more", err);
        return NULL;
    }
    return node;
}

/* -- Pictures ---------------------------------------------------------------------------------------------- */

static int find_built_in(const char *name)
{
    for (size_t i = 0; i < sizeof built_ins / sizeof *built_ins; i++)
        if (!strcasecmp(name, built_ins[i].name))
            return (int)i;
    return -1;
}

static int fail_no_picture(const char *name, struct error *err)
{
    if (name[0] == '_')
        return error_set(err, "the picture '%s' is one that the engine makes while it draws", name);
    return error_set(err, "no picture '%s'", name);
}

/* Below dds/ Doom 3 keeps compressed copies, some of them without the original. */
static const char *find_file(struct assets *assets, const char *name, struct strings *tried)
{
    const char *found = image_path_find(assets, name, tried);
    if (found)
        return found;
    char *compressed = must_printf("dds/%.*s.dds", (int)image_path_stem(name), name);
    found = image_path_exact(assets, compressed, tried);
    free(compressed);
    return found;
}

/* -- Resolving --------------------------------------------------------------------------------------------- */

static int write_node(struct assets *assets, const struct node *node, bool is_alone, struct strings *tried,
                      struct buffer *out, struct error *err)
{
    const struct signature *signature = &signatures[node->function];
    if (node->function == PICTURE) {
        int built_in = find_built_in(node->path);
        const char *path = built_in >= 0 ? built_ins[built_in].name : find_file(assets, node->path, tried);
        if (!path || (!is_alone && strchr(path, '"'))) /* one with a quote inside cannot be written */
            return fail_no_picture(node->path, err);
        /* A path that the lexer would not read as one word needs quotes. */
        bool needs_quotes =
            !*path || strpbrk(path, " \t\v\f\r\n{}()[],;") || strstr(path, "//") || strstr(path, "/*");
        buffer_printf(out, !is_alone && needs_quotes ? "\"%s\"" : "%s", path);
        return 0;
    }
    buffer_printf(out, "%s(", signature->name);
    for (unsigned i = 0; i < signature->image_count; i++) {
        buffer_printf(out, "%s", i ? ", " : "");
        if (write_node(assets, node->images[i], false, tried, out, err) < 0)
            return -1;
    }
    for (unsigned i = 0; i < signature->number_count; i++)
        buffer_printf(out, ", %.9g", node->numbers[i]);
    buffer_printf(out, ")");
    return 0;
}

int image_program_resolve(struct assets *assets, const char *program, char **out, struct strings *tried,
                          struct error *err)
{
    struct arena arena = {0};
    struct buffer text = {0};
    const struct node *node = parse(&arena, program, err);
    int result = node ? write_node(assets, node, true, tried, &text, err) : -1;
    arena_release(&arena);
    if (result == 0)
        *out = must_strdup(text.text);
    buffer_release(&text);
    return result;
}

/* -- Running ----------------------------------------------------------------------------------------------- */

static int load_file(struct assets *assets, const char *path, struct image *out, struct error *err)
{
    struct blob blob;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    int result = image_load(blob_bytes(&blob), out, err);
    blob_release(&blob);
    return result < 0 ? error_add(err, "%s", path) : 0;
}

/* `b` is the second picture of functions that have one. */
static int apply(const struct node *node, struct image *a, const struct image *b, struct error *err)
{
    switch (node->function) {
    case PICTURE:
    case DOWNSIZE:
        break;
    case HEIGHTMAP:
        return image_heightmap(a, node->numbers[0], err);
    case ADD_NORMALS:
        image_add_normals(a, b);
        break;
    case SMOOTH_NORMALS:
        return image_smooth_normals(a, err);
    case ADD:
        image_add(a, b);
        break;
    case SCALE:
        image_scale(a, node->numbers);
        break;
    case INVERT_ALPHA:
        image_invert_alpha(a);
        break;
    case INVERT_COLOR:
        image_invert_color(a);
        break;
    case MAKE_INTENSITY:
        image_make_intensity(a);
        break;
    case MAKE_ALPHA:
        image_make_alpha(a);
        break;
    }
    return 0;
}

static int run_node(struct assets *assets, const struct node *node, struct image *out, struct error *err)
{
    if (node->function == PICTURE) {
        int built_in = find_built_in(node->path);
        if (built_in < 0) {
            const char *path = find_file(assets, node->path, NULL);
            return path ? load_file(assets, path, out, err) : fail_no_picture(node->path, err);
        }
        if (image_init(out, 1, 1, err) < 0)
            return -1;
        memcpy(out->pixels, built_ins[built_in].color, 4);
        return 0;
    }
    struct image images[2] = {0};
    int result = 0;
    for (unsigned i = 0; i < signatures[node->function].image_count && result == 0; i++)
        result = run_node(assets, node->images[i], &images[i], err);
    if (result == 0 && images[1].pixels) { /* both to the larger width and height */
        uint32_t width = images[0].width > images[1].width ? images[0].width : images[1].width;
        uint32_t height = images[0].height > images[1].height ? images[0].height : images[1].height;
        if ((uint64_t)width * height > IMAGE_MAX_PIXELS)
            result = error_set(err, "a computed picture of %u x %u pixels, at most %d are allowed", width, height,
                               IMAGE_MAX_PIXELS);
        else if (image_resize(&images[0], width, height, err) < 0 ||
                 image_resize(&images[1], width, height, err) < 0)
            result = -1;
    }
    if (result == 0)
        result = apply(node, &images[0], &images[1], err);
    image_release(&images[1]);
    if (result < 0)
        image_release(&images[0]);
    else
        *out = images[0];
    return result;
}

int image_program_load(struct assets *assets, const char *program, struct image *out, struct error *err)
{
    /* A path, whatever is in its name. */
    const char *path = assets_find(assets, program);
    if (path)
        return load_file(assets, path, out, err);
    struct arena arena = {0};
    struct image image;
    const struct node *node = parse(&arena, program, err);
    int result = node ? run_node(assets, node, &image, err) : -1;
    arena_release(&arena);
    if (result < 0)
        return -1;
    image_update_alpha(&image);
    *out = image;
    return 0;
}
