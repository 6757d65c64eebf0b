/* Small pictures of quads (scene.h), drawn by a real renderer that is opened once per test program. */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include <math.h>

#include "image/srgb.h"
#include "scene.h"
#include "with_renderer.h"

/* The back end whose pixels the tests tell beforehand. */
static inline int open_osmesa(void **state)
{
    (void)state;
    return open_renderer_by(BACKEND_OSMESA);
}

/* Light that leaves colours as they are. */
static const struct light_rig even = {.sky = {1, 1, 1}, .ground = {1, 1, 1}};

enum { MOST_PIXELS = 64 };

/* What is drawn and how. `looks` of zeroes draw plain. */
struct picture {
    struct scene scene;
    struct look looks[SCENE_QUADS];
    struct light_rig light;
    struct view view;
    struct shot shot; /* ground, outline and lines; the rest is filled in */
    uint32_t cell_px[2], supersample;
    uint8_t pixels[MOST_PIXELS * 4];
};

static inline void picture_init(struct picture *picture, uint32_t width, uint32_t height)
{
    *picture = (struct picture){.light = even, .view = scene_view(), .cell_px = {width, height}, .supersample = 1};
    scene_init(&picture->scene);
    assert_true(width * height <= MOST_PIXELS);
}

/* One quad over the whole cell. */
static inline void picture_of_quad(struct picture *picture, uint32_t width, uint32_t height)
{
    picture_init(picture, width, height);
    scene_add_quad(&picture->scene, -1, -1, 1, 1, 0);
}

/* Draws what the drawable shows now, without reading it. */
static inline void draw_drawable(struct drawable *drawable, const struct picture *picture, enum pass pass)
{
    struct shot_part part = {drawable, picture->looks, GLM_MAT4_IDENTITY_INIT, 1};
    struct shot shot = picture->shot;
    shot.parts = &part;
    shot.part_count = 1;
    shot.light = &picture->light;
    shot.view = &picture->view;
    renderer_draw(renderer, &shot, pass);
}

static inline void read_pixels(struct picture *picture)
{
    struct error err = {""};
    if (renderer_read(renderer, picture->pixels, (size_t)picture->cell_px[0] * 4, &err) < 0)
        fail_msg("%s", err.text);
}

/* Poses the scene and draws it; the caller reads, and frees the drawable. */
static inline struct drawable *draw_unread(struct picture *picture, enum pass pass)
{
    struct drawable *drawable;
    struct error err = {""};
    if (drawable_new(renderer, &picture->scene.model, &drawable, &err) < 0 ||
        renderer_set_target(renderer, picture->cell_px, picture->supersample, &err) < 0)
        fail_msg("%s", err.text);
    drawable_set_pose(drawable, &picture->scene.mesh);
    draw_drawable(drawable, picture, pass);
    return drawable;
}

static inline void draw_pass(struct picture *picture, enum pass pass)
{
    struct drawable *drawable = draw_unread(picture, pass);
    read_pixels(picture);
    drawable_free(drawable);
}

static inline void draw(struct picture *picture)
{
    draw_pass(picture, PASS_COLOR);
}

static inline struct texture add_picture(uint32_t width, uint32_t height, const uint32_t *rgba, bool has_alpha,
                                         enum mipmap_kind kind)
{
    struct image image;
    struct texture texture;
    struct error err;
    assert_int_equal(image_init(&image, width, height, &err), 0);
    for (uint32_t i = 0; i < width * height * 4; i++)
        image.pixels[i] = (uint8_t)(rgba[i / 4] >> (24 - i % 4 * 8));
    image.has_alpha = has_alpha;
    if (renderer_add_texture(renderer, &image, kind, &texture, &err) < 0)
        fail_msg("%s", err.text);
    image_release(&image);
    return texture;
}

static inline struct texture add_texture(uint32_t width, uint32_t height, const uint32_t *rgba, bool has_alpha)
{
    return add_picture(width, height, rgba, has_alpha, MIPMAP_COLOR);
}

/* A texture of one colour, 0xRRGGBBAA. */
static inline struct texture add_color(uint32_t rgba)
{
    return add_texture(1, 1, &rgba, (rgba & 255) < 255);
}

static inline uint32_t pixel_of(const struct picture *picture, uint32_t i)
{
    const uint8_t *p = picture->pixels + (size_t)i * 4;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void expect_pixels(const struct picture *picture, const uint32_t *wanted)
{
    for (uint32_t i = 0; i < picture->cell_px[0] * picture->cell_px[1]; i++)
        if (pixel_of(picture, i) != wanted[i])
            fail_msg("pixel %u,%u is %08x, not %08x", i % picture->cell_px[0], i / picture->cell_px[0],
                     pixel_of(picture, i), wanted[i]);
}

#define EXPECT_PIXELS(picture, ...) expect_pixels(picture, (const uint32_t[]){__VA_ARGS__})

/* One pixel, from the texture and light there are. */
static inline void check_pixel(struct picture *picture, uint32_t wanted)
{
    draw(picture);
    EXPECT_PIXELS(picture, wanted);
}

/* The same for computed light: llvmpipe encodes to sRGB by an approximation that may be off by one. */
static inline void check_lit_pixel(struct picture *picture, uint32_t wanted)
{
    draw(picture);
    for (int i = 0; i < 4; i++)
        if (abs(picture->pixels[i] - (int)(wanted >> (24 - 8 * i) & 255)) > (i < 3))
            fail_msg("the pixel is %08x, not %08x", pixel_of(picture, 0), wanted);
}

static inline uint32_t grey(double linear)
{
    uint32_t code = srgb_from_linear((float)linear);
    return code << 24 | code << 16 | code << 8 | 255;
}

#define PLAIN 0xC4BEB6FFu
#define RED 0xFF0000FFu
#define GREEN 0x00FF00FFu
#define BLUE 0x0000FFFFu
#define WHITE 0xFFFFFFFFu
#define BLACK 0x000000FFu

#endif
