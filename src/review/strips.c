#include "review/strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "image/letters.h"

enum {
    MOST_BYTES = 150 * 1000, /* of a strip */
    MOST_FRAMES = 48,
    MOST_WORK = 1 << 26, /* pixels of cells that are looked at for a version of a strip */
    LOSSY_QUALITY = 70,  /* of WebP, where it has no room without loss */

    /* Pixels. */
    LARGEST = 192, /* a cell's longer side; small cells are multiplied to come near it */
    LEAST = 96,    /* no smaller while there are frames to leave out */
    NARROWEST = 64,
    GAP = 3,
    HEAD = 13,                   /* above a cell: its word */
    ORIGIN = 4 * IMAGE_MAX_SIDE, /* of places that count from the pivot on */
};

enum panel { BEFORE, AFTER, DIFFERENCE, PANELS };

static const uint8_t frame_color[4] = {32, 36, 44, 255}, ground[4] = {136, 136, 136, 255}, mark[3] = {255, 64, 32};

struct strip {
    const struct review_sheet *sheet;
    const struct review_clip *clip;
    const char *pass;
    struct rect area;  /* from the pivot on, what any frame of either version shows */
    struct image cell; /* of the area's size */
    struct made_pictures pictures;
    float tolerance;
    uint32_t step; /* the strip shows every step-th frame */
    uint32_t side; /* the longer one of a cell */
    struct movie_settings movie;
};

/* -- What to show -------------------------------------------------------------------------------------------- */

/* Whether the model stands in the clip, by the clip's name. */
static bool is_calm(const struct review_clip *clip)
{
    return strcasestr(clip->name, "idle") || strcasestr(clip->name, "stand");
}

/* A sheet that may have a strip: what shows best how it differs. */
struct candidate {
    struct review_sheet *sheet;
    const struct review_clip *clip;
    const char *pass;
    double change; /* mean, of the frame that differs most */
    size_t turn;   /* how many sheets of its cause show more */
};

/* Chooses the clip of the frame with the largest mean difference, and its first pass that differs. The difference of a clip
 * in which the model stands counts twice: what differs there, too, is of the whole model, and seen best. A frame that only
 * one version has shows more than a few pixels of another. False where all frames look the same, or there is no picture now because it failed. */
static bool find_worst(struct review_sheet *sheet, struct candidate *out)
{
    const double least = 1e-6, whole = 0.02; /* of a frame that was not compared; that only one version has */
    double worst = 0;
    *out = (struct candidate){.sheet = sheet};
    for (size_t c = 0; c < sheet->clip_count && (sheet->after || sheet->state == REVIEW_REMOVED); c++) {
        const int times = is_calm(&sheet->clips[c]) ? 2 : 1;
        for (size_t i = 0; i < sheet->clips[c].frame_count; i++) {
            const struct review_frame *frame = &sheet->clips[c].frames[i];
            const bool is_in_both = frame->before && frame->after;
            const double mean = (double)frame->change.pixels.mean + (is_in_both ? least : whole);
            if (!review_looks_otherwise(sheet, frame) || mean * times <= worst)
                continue;
            out->clip = &sheet->clips[c];
            out->pass = frame->change.passes ? sheet->passes[__builtin_ctz(frame->change.passes)] : "color";
            out->change = mean;
            worst = mean * times;
        }
    }
    return out->clip != NULL;
}

/* Sorts by cause, and those of one cause by how much they show; equal ones stay in the review's order. */
static int compare_in_cause(const void *a_item, const void *b_item)
{
    const struct candidate *a = a_item, *b = b_item;
    if (a->sheet->causes[0] != b->sheet->causes[0])
        return a->sheet->causes[0] < b->sheet->causes[0] ? -1 : 1;
    if (a->change != b->change)
        return a->change > b->change ? -1 : 1;
    return a->sheet < b->sheet ? -1 : 1;
}

static int compare_turns(const void *a_item, const void *b_item)
{
    const struct candidate *a = a_item, *b = b_item;
    return a->turn != b->turn ? (a->turn < b->turn ? -1 : 1) : compare_in_cause(a, b);
}

/* Returns the sheets that may have a strip: the best one of each cause, then the second of each. The caller frees. */
static struct candidate *find_candidates(struct review *review, size_t *count)
{
    struct candidate *all = must_alloc(review->sheet_count, sizeof *all);
    *count = 0;
    for (size_t i = 0; i < review->sheet_count; i++)
        *count += find_worst(&review->sheets[i], &all[*count]);
    SORT(all, *count, compare_in_cause);
    for (size_t i = 1; i < *count; i++)
        if (all[i].sheet->causes[0] == all[i - 1].sheet->causes[0])
            all[i].turn = all[i - 1].turn + 1;
    SORT(all, *count, compare_turns);
    return all;
}

static const struct atlas_frame *frame_of(const struct strip *strip, size_t i, enum panel panel)
{
    const struct review_frame *frame = &strip->clip->frames[i];
    return panel == BEFORE ? frame->before : frame->after;
}

/* Returns the place of the stored pixels, where the pivots of all frames are at the origin. */
static struct rect place_of(const struct atlas_frame *frame)
{
    double x = round(frame->pivot[0] * frame->source_px[0]), y = round(frame->pivot[1] * frame->source_px[1]);
    struct rect place = frame->source;
    place.x += ORIGIN - (fabs(x) <= IMAGE_MAX_SIDE ? (int32_t)x : 0);
    place.y += ORIGIN - (fabs(y) <= IMAGE_MAX_SIDE ? (int32_t)y : 0);
    return place;
}

/* -- Pixels -------------------------------------------------------------------------------------------------- */

/* A frame's cell in another size; transparent where that version does not have it, or not in this pass. */
static int read_cell(struct strip *strip, size_t i, enum panel panel, uint8_t *to, const uint32_t px[2],
                     struct error *err)
{
    const struct made_sheet *sheet = panel == BEFORE ? strip->sheet->before : strip->sheet->after;
    const struct atlas_frame *frame = frame_of(strip, i, panel);
    const struct image *cell = &strip->cell;
    memset(cell->pixels, 0, image_pixel_count(cell) * 4);
    if (frame && made_page_pass(&sheet->pages[frame->page], strip->pass)) {
        struct pixel_view view;
        struct rect place = place_of(frame);
        if (made_frame_cell(&strip->pictures, sheet, frame, strip->pass, &view, err) < 0)
            return -1;
        const size_t x = place.x - strip->area.x, y = place.y - strip->area.y;
        for (size_t row = 0; row < place.height; row++)
            memcpy(cell->pixels + 4 * ((y + row) * cell->width + x), view.pixels + row * view.stride,
                   (size_t)place.width * 4);
    }
    if (px[0] < cell->width || px[1] < cell->height)
        return scale_pixels(cell->pixels, (const uint32_t[]){cell->width, cell->height}, to, px, err);
    for (size_t p = 0, times = px[0] / cell->width; p < (size_t)px[0] * px[1]; p++)
        memcpy(to + 4 * p, cell->pixels + 4 * (p / px[0] / times * cell->width + p % px[0] / times), 4);
    return 0;
}

static void draw_word(uint8_t *pixels, size_t stride, const char *word)
{
    for (; *word; word++, pixels += LETTER_STEP * 4)
        for (unsigned y = 0; y < LETTER_HEIGHT; y++)
            for (unsigned x = 0; x < LETTER_WIDTH; x++)
                if (letter_has(*word, x, y))
                    memset(pixels + y * stride + x * 4, 255, 4);
}

static void blend(uint8_t out[3], const uint8_t color[3], unsigned alpha)
{
    for (int c = 0; c < 3; c++)
        out[c] = (uint8_t)((color[c] * alpha + out[c] * (255 - alpha) + 127) / 255);
}

/* Paints a pixel of a panel: that version's, on grey; or for the difference the later one, dark, with its changes marked. */
static void paint_pixel(uint8_t out[4], enum panel panel, const uint8_t *before, const uint8_t *after,
                        float tolerance)
{
    const uint8_t *shown = panel == BEFORE ? before : after;
    memcpy(out, ground, sizeof ground);
    blend(out, shown, shown[3]);
    if (panel != DIFFERENCE)
        return;
    memset(out, (2 * out[0] + 5 * out[1] + out[2]) / 24, 3);
    float difference = memcmp(before, after, 4) ? pixels_difference(before, after) : 0;
    if (difference > tolerance)
        blend(out, mark, (unsigned)fminf(255, 100 + 620 * difference));
}

/* -- The movie ----------------------------------------------------------------------------------------------- */

/* Small cells are multiplied, others made smaller. */
static int encode(struct strip *strip, struct blob *out, struct error *err)
{
    static const char *const words[PANELS] = {"BEFORE", "AFTER", "DIFFERENCE"};
    const enum panel first = strip->sheet->before ? BEFORE : AFTER, only = strip->sheet->after ? AFTER : BEFORE;
    const enum panel last = first == BEFORE && only == AFTER ? DIFFERENCE : only; /* else new or gone */
    const struct image *cell = &strip->cell;
    const uint32_t longer = cell->width > cell->height ? cell->width : cell->height;
    const uint32_t over = longer > strip->side ? longer : 1, times = over > 1 ? strip->side : strip->side / longer;
    const uint32_t px[2] = {(cell->width * times + over - 1) / over, (cell->height * times + over - 1) / over};
    const uint32_t panel_px = (px[0] < NARROWEST ? NARROWEST : px[0]) + GAP;
    struct movie *movie;
    strip->movie.width = GAP + (last - first + 1) * panel_px;
    strip->movie.height = HEAD + px[1] + GAP;
    strip->movie.frame_count = (uint32_t)((strip->clip->frame_count + strip->step - 1) / strip->step);
    if (movie_new(&strip->movie, &movie, err) < 0)
        return -1;
    const size_t stride = (size_t)strip->movie.width * 4, size = (size_t)px[0] * px[1] * 4;
    SCOPED uint8_t *pixels = must_alloc(strip->movie.height, stride), *cells = must_alloc(2, size);
    int result = 0;
    for (size_t i = 0; i < strip->movie.height * stride; i += 4)
        memcpy(pixels + i, frame_color, 4);
    for (size_t i = 0; i < strip->clip->frame_count && result == 0; i += strip->step) {
        const struct atlas_frame *shown = frame_of(strip, i, frame_of(strip, i, AFTER) ? AFTER : BEFORE);
        for (enum panel panel = BEFORE; panel <= AFTER && result == 0; panel++)
            result = read_cell(strip, i, panel, cells + panel * size, px, err);
        uint8_t *at = pixels + GAP * stride + GAP * 4;
        for (enum panel panel = first; panel <= last; panel++, at += panel_px * (size_t)4) {
            uint8_t *to = at + (HEAD - GAP) * stride + (panel_px - GAP - px[0]) / 2 * 4;
            draw_word(at, stride, words[panel]);
            for (size_t p = 0; p < size; p += 4)
                paint_pixel(to + p / 4 / px[0] * stride + p / 4 % px[0] * 4, panel, cells + p, cells + size + p,
                            strip->tolerance);
        }
        uint32_t duration_ms = (uint32_t)fmin(round(shown->duration_ms * strip->step), UINT16_MAX);
        result = result == 0 ? movie_add(movie, pixels, duration_ms, err) : result;
    }
    result = result == 0 ? movie_save(movie, out, err) : result;
    movie_free(movie);
    return result;
}

/* Tries losses, then smaller cells, then fewer frames, until it fits: a single small frame fits even as plain bytes. */
static int make_strip(struct strip *strip, struct blob *out, struct error *err)
{
    size_t count = strip->clip->frame_count;
    for (size_t i = 0; i < 2 * count; i++) {
        const struct atlas_frame *frame = frame_of(strip, i / 2, i % 2);
        const struct rect place = frame ? place_of(frame) : strip->area;
        rect_join(&strip->area, &place);
    }
    if (image_init(&strip->cell, strip->area.width, strip->area.height, err) < 0)
        return -1;
    _Static_assert((int)MOST_WORK >= (int)IMAGE_MAX_PIXELS, "at least one frame is shown of the largest cell");
    size_t most = MOST_WORK / image_pixel_count(&strip->cell);
    most = most > MOST_FRAMES ? MOST_FRAMES : most;
    strip->step = (uint32_t)((count + most - 1) / most);
    int result;
    while ((result = encode(strip, out, err)) == 0 && out->size > MOST_BYTES) {
        blob_release(out);
        if (strip->movie.format == MOVIE_WEBP && !strip->movie.quality)
            strip->movie.quality = LOSSY_QUALITY;
        else if (strip->side > LEAST)
            strip->side = strip->side * 3 / 4;
        else
            strip->step *= 2;
    }
    image_release(&strip->cell);
    made_pictures_release(&strip->pictures);
    return result;
}

int strips_write(struct review *review, const struct strips_settings *settings, struct error *err)
{
    unsigned written = 0;
    size_t count;
    SCOPED struct candidate *candidates = find_candidates(review, &count);
    int result = 0;
    for (size_t i = 0; i < count && written < settings->most && result == 0; i++) {
        struct review_sheet *sheet = candidates[i].sheet;
        struct strip strip = {
            .sheet = sheet,
            .clip = candidates[i].clip,
            .pass = candidates[i].pass,
            .tolerance = settings->tolerance,
            .side = LARGEST,
            .movie = {.format = settings->format, .loop = true, .png_level = 9},
        };
        SCOPED_BY(blob_release) struct blob file = {0};
        struct error problem;
        if (make_strip(&strip, &file, &problem) < 0) {
            strings_printf(&review->problems, "%s: it has no strip: %s", sheet->name, problem.text);
            continue;
        }
        char hash[HASH_SIZE];
        hash_bytes((struct bytes){(const uint8_t *)sheet->name, strlen(sheet->name)}, hash);
        sheet->strip = arena_printf(&review->arena, "%s%s", hash, movie_suffixes[settings->format]);
        sheet->strip_clip = strip.clip->name;
        SCOPED char *path = path_join(settings->folder, sheet->strip);
        result = file_renew(path, blob_bytes(&file), err);
        written++;
    }
    return result;
}
