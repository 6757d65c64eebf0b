#include "image/image_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/lexer.h"
#include "base/memory.h"
#include "base/strings.h"
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

static const struct built_in {
    const char *name;
    uint8_t color[4];
} built_ins[] = {
    {"_white", {255, 255, 255, 255}},
    {"_black", {0, 0, 0, 255}},
    {"_flat", {128, 128, 255, 255}},
    {"_default", {128, 128, 128, 255}},
};

struct program_node {
    enum function function;
    const char *path; /* of a PICTURE, as written */
    struct program_node *images[2];
    float numbers[4];
};

/* -- Paths ------------------------------------------------------------------------------------------------- */

bool image_path_is_foreign(const char *name)
{
    static const char *const suffixes[] = {".psd", ".tif", ".tiff", ".exr",  ".gif",  ".ktx", ".ktx2",
                                           ".hdr", ".xcf", ".svg",  ".kra",  ".iff",  ".sgi", ".rgb",
                                           ".pct", ".dib", ".jp2",  ".avif", ".basis"};
    return named_find(suffixes, COUNT(suffixes), sizeof *suffixes, path_suffix(name), true);
}

size_t image_path_stem(const char *name)
{
    const char *suffix = path_suffix(name);
    return image_has_suffix(suffix) || image_path_is_foreign(name) ? (size_t)(suffix - name) : strlen(name);
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

const char *image_path_find(struct assets *assets, const char *name, struct strings *tried)
{
    if (assets_is_embedded(assets, name))
        return image_path_exact(assets, name, tried);
    size_t length = image_path_stem(name);
    bool is_whole = (name[length] && !image_path_is_foreign(name)) || !strcasecmp(path_suffix(name), ".lmp");
    const char *found = is_whole ? image_path_exact(assets, name, tried) : NULL;
    return found ? found : image_path_ending(assets, name, length, "", tried);
}

/* -- Parsing ----------------------------------------------------------------------------------------------- */

struct program_parser {
    struct lexer lexer;
    struct arena *arena;
    unsigned depth, image_count;
};

static struct program_node *parse_node(struct program_parser *parser, struct error *err);

static bool peek_is(struct program_parser *parser, char sign)
{
    struct token token;
    return lexer_peek(&parser->lexer, &token) && token_is_sign(&token, sign);
}

/* Takes the sign if it is next. */
static bool take_sign(struct program_parser *parser, char sign)
{
    struct token token;
    return peek_is(parser, sign) && lexer_next(&parser->lexer, &token);
}

/* The lexer's own messages count lines, of which a program is only a part. */
static int fail_expected(struct program_parser *parser, const char *what, struct error *err)
{
    struct token token;
    char described[64];
    lexer_peek(&parser->lexer, &token);
    if (parser->lexer.has_failed)
        return error_set(err, "expected %s, found a string that is never closed", what);
    return error_set(err, "expected %s, found %s", what,
                     token.kind == TOKEN_END ? "the end" : token_describe(&token, described));
}

static int parse_arguments(struct program_parser *parser, struct program_node *node, struct error *err)
{
    const struct signature *signature = &signatures[node->function];
    if (parser->depth > IMAGE_PROGRAM_MAX_DEPTH)
        return error_set(err, "image functions nested more than %d deep", IMAGE_PROGRAM_MAX_DEPTH);
    for (unsigned i = 0; i < signature->image_count; i++) {
        node->images[i] = parse_node(parser, err);
        if (!node->images[i])
            return -1;
        take_sign(parser, ','); /* real files leave one out now and then */
    }
    for (unsigned i = 0; i < signature->number_count; i++) {
        struct lexer before = parser->lexer;
        node->numbers[i] = peek_is(parser, ')') ? 1 : lexer_f32(&parser->lexer);
        if (parser->lexer.has_failed) {
            parser->lexer = before;
            fail_expected(parser, "a number", err);
            return error_add(err, "%s", signature->name);
        }
        take_sign(parser, ',');
    }
    if (take_sign(parser, ')'))
        return 0;
    fail_expected(parser, "')'", err);
    return error_add(err, "%s", signature->name);
}

static struct program_node *parse_node(struct program_parser *parser, struct error *err)
{
    struct program_node *node = arena_must_alloc(parser->arena, 1, sizeof *node);
    struct lexer before = parser->lexer;
    const struct token token = lexer_string(&parser->lexer);
    if (parser->lexer.has_failed) {
        parser->lexer = before;
        fail_expected(parser, "a picture", err);
        return NULL;
    }
    if (token.kind == TOKEN_STRING || !take_sign(parser, '(')) {
        if (++parser->image_count > IMAGE_PROGRAM_MAX_IMAGES) {
            error_set(err, "more than %d pictures in one image program", IMAGE_PROGRAM_MAX_IMAGES);
            return NULL;
        }
        node->path = arena_strndup(parser->arena, token.text, token.length);
        return node;
    }
    for (size_t i = 1; i < COUNT(signatures); i++)
        if (token_is_ignoring_case(&token, signatures[i].name))
            node->function = (enum function)i;
    if (node->function == PICTURE) {
        char described[64];
        error_set(err, "unknown image function %s", token_describe(&token, described));
        return NULL;
    }
    parser->depth++;
    if (parse_arguments(parser, node, err) < 0)
        return NULL;
    parser->depth--;
    return node;
}

static struct program_node *parse(struct arena *arena, const char *program, struct error *err)
{
    struct program_parser parser = {
        .lexer = lexer_at_start((struct bytes){(const uint8_t *)program, strlen(program)}),
        .arena = arena,
    };
    struct token token;
    if (parser.lexer.bytes.size > IMAGE_PROGRAM_LONGEST) {
        error_set(err, "an image program of %zu bytes, at most %d are allowed", parser.lexer.bytes.size,
                  IMAGE_PROGRAM_LONGEST);
        return NULL;
    }
    struct program_node *node = parse_node(&parser, err);
    if (node && (lexer_peek(&parser.lexer, &token) || parser.lexer.has_failed)) {
        fail_expected(&parser, "nothing more", err);
        return NULL;
    }
    return node;
}

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* NULL: it is none. */
static const struct built_in *find_built_in(const char *name)
{
    return named_find(built_ins, COUNT(built_ins), sizeof *built_ins, name, true);
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

static int write_node(struct assets *assets, const struct program_node *node, bool is_alone, struct strings *tried,
                      struct buffer *out, struct error *err)
{
    const struct signature *signature = &signatures[node->function];
    if (node->function == PICTURE) {
        const struct built_in *built_in = find_built_in(node->path);
        const char *path = built_in ? built_in->name : find_file(assets, node->path, tried);
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
    const struct program_node *node = parse(&arena, program, err);
    int result = node ? write_node(assets, node, true, tried, &text, err) : -1;
    arena_release(&arena);
    if (result == 0)
        *out = must_strdup(text.text);
    buffer_release(&text);
    return result;
}

/* -- Arithmetic -------------------------------------------------------------------------------------------- */

static uint8_t to_byte(float value)
{
    return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5f);
}

/* Normals are stored as 128 + 127 n. */
static void load_normal(const uint8_t *texel, float n[3])
{
    for (int i = 0; i < 3; i++)
        n[i] = ((float)texel[i] - 128) / 127;
}

/* Any length but zero; zero becomes straight up. */
static void store_normal(const float n[3], uint8_t *texel)
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float unit = length > 0 ? 127 / length : 0;
    for (int i = 0; i < 3; i++)
        texel[i] = to_byte(128 + n[i] * unit);
    if (length <= 0)
        texel[2] = 255;
    texel[3] = 255;
}

/* Adds the unit normal of a slope. */
static void add_slope(float dx, float dy, float n[3])
{
    float unit = 1 / sqrtf(dx * dx + dy * dy + 1);
    n[0] -= dx * unit;
    n[1] -= dy * unit;
    n[2] += unit;
}

static int heightmap(struct image *image, float scale, struct error *err)
{
    uint32_t width = image->width, height = image->height;
    uint8_t *heights = memory_alloc(image_pixel_count(image), 1, err);
    if (!heights)
        return -1;
    for (size_t i = 0; i < image_pixel_count(image); i++) {
        const uint8_t *texel = image->pixels + i * 4;
        heights[i] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
    }
    /* A texel with its right and lower neighbours makes two triangles; the normal is the mean of theirs. */
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *row = heights + (size_t)y * width, *next = heights + (size_t)((y + 1) % height) * width;
            uint32_t right = (x + 1) % width;
            float here = row[x], below = next[x], unit = scale / 256, n[3] = {0};
            add_slope((row[right] - here) * unit, (below - here) * unit, n);
            add_slope((next[right] - below) * unit, (below - here) * unit, n);
            store_normal(n, image->pixels + ((size_t)y * width + x) * 4);
        }
    free(heights);
    return 0;
}

static int smooth_normals(struct image *image, struct error *err)
{
    uint32_t width = image->width, height = image->height;
    struct image before;
    if (image_init(&before, width, height, err) < 0)
        return -1;
    memcpy(before.pixels, image->pixels, image_pixel_count(image) * 4);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            float sum[3] = {0}, n[3];
            for (uint32_t i = 0; i < 9; i++) {
                uint32_t from_x = (x + width - 1 + i % 3) % width, from_y = (y + height - 1 + i / 3) % height;
                const uint8_t *texel = before.pixels + ((size_t)from_y * width + from_x) * 4;
                bool is_grey = texel[0] == texel[1] && texel[1] == texel[2];
                if (is_grey && (texel[0] == 0 || texel[0] == 128)) /* stands for no normal */
                    continue;
                load_normal(texel, n);
                for (int k = 0; k < 3; k++)
                    sum[k] += n[k];
            }
            store_normal(sum, image->pixels + ((size_t)y * width + x) * 4);
        }
    image_release(&before);
    return 0;
}

static void add_normal(uint8_t *texel, const uint8_t *bumps)
{
    float n[3], bump[3];
    load_normal(texel, n);
    load_normal(bumps, bump);
    /* Some normal maps fade to nothing at their edges: that is meant to be flat. */
    float flat = n[0] * n[0] + n[1] * n[1];
    if (flat + n[2] * n[2] < 1)
        n[2] = sqrtf(1 - flat);
    n[0] += bump[0];
    n[1] += bump[1];
    store_normal(n, texel);
}

/* Of functions that work on each texel by itself; `b` is that of the second picture. */
static void compute_texel(const struct program_node *node, uint8_t *a, const uint8_t *b)
{
    int mean = (a[0] + a[1] + a[2]) / 3;
    if (node->function == ADD_NORMALS)
        add_normal(a, b);
    for (int i = 0; i < 4; i++)
        switch (node->function) {
        case ADD:
            a[i] = (uint8_t)(a[i] + b[i] < 255 ? a[i] + b[i] : 255);
            break;
        case SCALE:
            a[i] = to_byte((float)a[i] * node->numbers[i]);
            break;
        case INVERT_ALPHA:
            a[i] = i < 3 ? a[i] : (uint8_t)(255 - a[i]);
            break;
        case INVERT_COLOR:
            a[i] = i < 3 ? (uint8_t)(255 - a[i]) : a[i];
            break;
        case MAKE_INTENSITY:
            a[i] = a[0];
            break;
        case MAKE_ALPHA:
            a[i] = i < 3 ? 255 : (uint8_t)mean;
            break;
        default:
            break;
        }
}

/* Two neighbouring texels along one side, and how much the second counts. */
struct neighbours {
    uint32_t first, second;
    float weight;
};

static struct neighbours neighbours_of(uint32_t at, uint32_t size, uint32_t from_size)
{
    float place = ((float)at + 0.5f) * (float)from_size / (float)size - 0.5f;
    float below = floorf(place);
    uint32_t first = below < 0 ? from_size - 1 : (uint32_t)below % from_size;
    return (struct neighbours){first, (first + 1) % from_size, place - below};
}

/* Wraps around at the edges. */
static int resize(struct image *image, uint32_t width, uint32_t height, struct error *err)
{
    if (image->width == width && image->height == height)
        return 0;
    struct image resized;
    if (image_init(&resized, width, height, err) < 0)
        return -1;
    size_t stride = (size_t)image->width * 4;
    uint8_t *out = resized.pixels;
    for (uint32_t y = 0; y < height; y++) {
        struct neighbours down = neighbours_of(y, height, image->height);
        const uint8_t *row = image->pixels + down.first * stride, *next = image->pixels + down.second * stride;
        for (uint32_t x = 0; x < width; x++) {
            struct neighbours across = neighbours_of(x, width, image->width);
            for (int i = 0; i < 4; i++) {
                float above =
                    row[across.first * 4 + i] * (1 - across.weight) + row[across.second * 4 + i] * across.weight;
                float below =
                    next[across.first * 4 + i] * (1 - across.weight) + next[across.second * 4 + i] * across.weight;
                *out++ = to_byte(above * (1 - down.weight) + below * down.weight);
            }
        }
    }
    image_release(image);
    *image = resized;
    return 0;
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

static int run_node(struct assets *assets, const struct program_node *node, struct image *out, struct error *err)
{
    if (node->function == PICTURE) {
        const struct built_in *built_in = find_built_in(node->path);
        if (!built_in) {
            const char *path = find_file(assets, node->path, NULL);
            return path ? load_file(assets, path, out, err) : fail_no_picture(node->path, err);
        }
        if (image_init(out, 1, 1, err) < 0)
            return -1;
        memcpy(out->pixels, built_in->color, 4);
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
        else if (resize(&images[0], width, height, err) < 0 || resize(&images[1], width, height, err) < 0)
            result = -1;
    }
    if (result == 0 && node->function == HEIGHTMAP)
        result = heightmap(&images[0], node->numbers[0], err);
    else if (result == 0 && node->function == SMOOTH_NORMALS)
        result = smooth_normals(&images[0], err);
    else if (result == 0)
        for (size_t i = 0; i < image_pixel_count(&images[0]) * 4; i += 4)
            compute_texel(node, images[0].pixels + i, images[1].pixels ? images[1].pixels + i : NULL);
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
    const struct program_node *node = parse(&arena, program, err);
    int result = node ? run_node(assets, node, &image, err) : -1;
    arena_release(&arena);
    if (result < 0)
        return -1;
    image_update_alpha(&image);
    *out = image;
    return 0;
}
