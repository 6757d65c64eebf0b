#include "render/renderer.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/srgb.h"
#include "render/renderer_state.h"

/* Samples are read in bands of about so many, which stay in a processor's cache until they are averaged. Each has 8 bytes of
 * light, 4 of a code, and one of the stencil. */
enum { BAND_SAMPLES = 1 << 16, SAMPLE_SIZE = 13 };

/* The colour of a surface without a picture, sRGB: a warm light grey that shows form well. */
static const uint8_t plain_color[4] = {196, 190, 182, 255}, white_color[4] = {255, 255, 255, 255};

/* -- Opening ----------------------------------------------------------------------------------------------- */

static int add_color(struct renderer *renderer, const uint8_t color[4], struct texture *out, struct error *err)
{
    struct image image = {.width = 1, .height = 1, .pixels = (uint8_t *)color};
    return renderer_add_texture(renderer, &image, MIPMAP_COLOR, out, err);
}

int renderer_new(struct context *context, struct renderer **out, struct error *err)
{
    const struct gl *gl = context_gl(context);
    struct renderer *renderer = must_alloc(1, sizeof *renderer);
    renderer->gl = renderer->programs.gl = gl;
    if (!programs_get(&renderer->programs, SHADER_LIT, 0, err) ||
        add_color(renderer, plain_color, &renderer->plain, err) < 0 ||
        add_color(renderer, white_color, &renderer->white, err) < 0) {
        renderer_free(renderer);
        return -1;
    }
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(GL_CW); /* as models store it, see model/model.h */
    gl->ClearColor(0, 0, 0, 0);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl->StencilFunc(GL_ALWAYS, 1, 1);
    gl->StencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
    gl->GenVertexArrays(1, &renderer->no_vertices);
    *out = renderer;
    return 0;
}

static void drop_target(struct renderer *renderer)
{
    const struct gl *gl = renderer->gl;
    gl->DeleteFramebuffers(1, &renderer->framebuffer);
    gl->DeleteTextures(1, &renderer->light);
    gl->DeleteRenderbuffers(1, &renderer->data);
    gl->DeleteRenderbuffers(1, &renderer->depth);
    free(renderer->samples);
    renderer->framebuffer = renderer->light = renderer->data = renderer->depth = 0;
    renderer->samples = NULL;
    renderer->supersample = 0;
}

void renderer_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    drop_target(renderer);
    shadow_release(&renderer->shadow);
    shadow_release_target(renderer);
    renderer_drop_texture(renderer, &renderer->plain);
    renderer_drop_texture(renderer, &renderer->white);
    renderer->gl->DeleteVertexArrays(1, &renderer->no_vertices);
    programs_release(&renderer->programs);
    free(renderer);
}

/* -- Textures ---------------------------------------------------------------------------------------------- */

static void upload_level(const struct gl *gl, GLint level, enum mipmap_kind kind, const struct image *image)
{
    GLint format = kind == MIPMAP_DATA ? GL_RGBA8 : GL_SRGB8_ALPHA8;
    gl->TexImage2D(GL_TEXTURE_2D, level, format, (GLsizei)image->width, (GLsizei)image->height, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, image->pixels);
}

int renderer_add_texture(struct renderer *renderer, const struct image *image, enum mipmap_kind kind,
                         struct texture *out, struct error *err)
{
    const struct gl *gl = renderer->gl;
    struct mipmap mipmap;
    if (mipmap_build(image, kind, &mipmap, err) < 0)
        return -1;

    struct texture texture = {.has_alpha = image->has_alpha, .alpha_is_mask = image->alpha_is_mask};
    gl->GenTextures(1, &texture.id);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture.id);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)mipmap.level_count);
    upload_level(gl, 0, kind, image);
    for (uint32_t i = 0; i < mipmap.level_count; i++)
        upload_level(gl, (GLint)i + 1, kind, &mipmap.levels[i]);
    mipmap_release(&mipmap);

    if (check_gl(gl, "uploading a texture", err) < 0) {
        gl->DeleteTextures(1, &texture.id);
        return -1;
    }
    *out = texture;
    return 0;
}

void renderer_drop_texture(struct renderer *renderer, struct texture *texture)
{
    renderer->gl->DeleteTextures(1, &texture->id);
    *texture = (struct texture){0};
}

/* -- The target -------------------------------------------------------------------------------------------- */

int renderer_set_target(struct renderer *renderer, const uint32_t cell_px[2], uint32_t supersample,
                        struct error *err)
{
    if (renderer->supersample == supersample && renderer->cell_px[0] == cell_px[0] &&
        renderer->cell_px[1] == cell_px[1])
        return 0;
    drop_target(renderer);
    const struct gl *gl = renderer->gl;
    const uint32_t size_px[2] = {cell_px[0] * supersample, cell_px[1] * supersample};
    GLint limit = 0;
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    if (size_px[0] > (uint32_t)limit || size_px[1] > (uint32_t)limit)
        return error_set(err,
                         "a cell is drawn at %ux%u pixels (its size times supersample), at most %d are allowed",
                         size_px[0], size_px[1], limit);
    renderer->band = BAND_SAMPLES / (size_px[0] * supersample) + 1;
    renderer->samples = memory_alloc((size_t)size_px[0] * supersample * renderer->band, SAMPLE_SIZE, err);
    if (!renderer->samples)
        return -1;

    gl->GenFramebuffers(1, &renderer->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    renderer->depth = add_renderbuffer(gl, GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT, size_px);
    gl->GenTextures(1, &renderer->light);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, renderer->light);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16, (GLsizei)size_px[0], (GLsizei)size_px[1], 0, GL_RGBA,
                   GL_UNSIGNED_SHORT, NULL);
    renderer_target_light(renderer);
    gl->Viewport(0, 0, (GLsizei)size_px[0], (GLsizei)size_px[1]);
    int result = check_gl(gl, "making room for a cell", err);
    if (result == 0 && gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        memory_failed((size_t)size_px[0] * size_px[1] * 8); /* Mesa's way to say so */
        result = error_set(err, "the driver cannot draw into a cell of %ux%u pixels, probably for lack of memory",
                           size_px[0], size_px[1]);
    }
    if (result < 0) {
        drop_target(renderer);
        return -1;
    }
    memcpy(renderer->cell_px, cell_px, sizeof renderer->cell_px);
    renderer->supersample = supersample;
    return 0;
}

/* -- Drawing ------------------------------------------------------------------------------------------- */

static bool has_solid(const struct shot *shot)
{
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        for (uint32_t i = 0; i < part->drawable->model->surface_count; i++)
            if (part->drawable->model->surfaces[i].index_count > 0 && look_is_solid(&part->looks[i]))
                return true;
    }
    return false;
}

/* What blends is drawn here where it is opaque, so that it hides what is behind it however it is sorted. In the other
 * passes it is solid where it hides at least half; with nothing solid in the shot, wherever it can be seen. */
static void draw_solids(struct renderer *renderer, const struct shot *shot)
{
    bool has_layers = pass_rows[renderer->pass].traits & SHOWS_LAYERS;
    bool all = !has_layers && !has_solid(shot); /* that can be seen at all */
    for (size_t p = 0; p < shot->part_count; p++) {
        const struct shot_part *part = &shot->parts[p];
        const struct model *model = part->drawable->model;
        for (uint32_t i = 0; i < model->surface_count; i++) {
            const struct look *look = &part->looks[i];
            bool is_shown =
                look_is_solid(look) || look->blends || (all && (look->layer_count > 0 || look->adds_light));
            if (model->surfaces[i].index_count == 0 || !is_shown)
                continue;
            float holes = look->blends && has_layers ? 0.99f : look->blends && all ? 0.05f : look_holes(look);
            if (has_layers && look_cover(look))
                layers_draw_cover(renderer, shot, part, i);
            else
                renderer_draw_surface(renderer, shot, part, i, holes);
        }
    }
}

/* Whether something that may be a layer of its own is not left out of the pass. */
static bool keeps(const struct shot *shot, unsigned traits, enum pass_trait layer)
{
    return traits & layer || !passes_need(shot->apart, layer);
}

void renderer_draw(struct renderer *renderer, const struct shot *shot, enum pass pass)
{
    const struct gl *gl = renderer->gl;
    const unsigned traits = pass_rows[pass].traits;
    renderer->shot_number++;
    renderer->pass = pass;
    renderer->shines = keeps(shot, traits, ONLY_EMISSION) && !(traits & ONLY_ALBEDO);
    renderer->is_grey = passes_need(shot->apart, ONLY_TEAM);
    renderer->has_layers = false;
    renderer->view = *shot->view;
    bool has_ground = traits & SHOWS_GROUND && keeps(shot, traits, ONLY_GROUND) && shot->ground;
    bool has_outline = traits & SHOWS_OUTLINE && keeps(shot, traits, ONLY_OUTLINE) && shot->outline;
    renderer->ground = has_ground ? *shot->ground : (struct ground){0};
    renderer->ground_height = shot->ground_height;
    renderer->outline = has_outline ? *shot->outline : (struct outline){0};
    renderer->background =
        traits & SHOWS_BACKGROUND && shot->background ? *shot->background : (struct background){0};
    renderer->pixel = traits & HAS_EDGES && shot->pixel ? *shot->pixel : (struct pixel_art){0};
    if (pass != PASS_MAIN)
        renderer->pixel.outline = PIXEL_OUTLINE_NONE; /* it stays with the colours */
    shadow_release(&renderer->shadow);
    if (renderer->ground.kind == GROUND_CONTACT || renderer->ground.kind == GROUND_SHADOW)
        shadow_draw(renderer, shot);

    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    if (pass_rows[pass].sheet == SHEET_COLOR)
        renderer_target_light(renderer);
    else
        renderer_target_data(renderer);
    gl->Viewport(0, 0, (GLsizei)(renderer->cell_px[0] * renderer->supersample),
                 (GLsizei)(renderer->cell_px[1] * renderer->supersample));
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    if (!(traits & ONLY_GROUND))
        draw_solids(renderer, shot);
    if (traits & SHOWS_LAYERS)
        layers_draw(renderer, shot);
    if (traits & (SHOWS_SKELETON | SHOWS_BOX) && shot->line_count > 0)
        lines_draw(renderer, shot);
}

/* -- Reading ------------------------------------------------------------------------------------------- */

/* Makes `height` rows of pixels. Each is the nearest of its samples, of which 1 is the far plane, where nothing is. */
static void reduce_depths(const struct renderer *renderer, uint32_t height, uint16_t *pixels, size_t stride)
{
    const struct view *view = &renderer->view;
    const vec4 *clip = view->view_to_clip;
    const uint32_t factor = renderer->supersample, *cell_px = renderer->cell_px;
    const float range = view->farthest - view->nearest;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < cell_px[0]; x++) {
            const float *samples = (const float *)renderer->samples +
                                   (size_t)(height - 1 - y) * factor * cell_px[0] * factor + (size_t)x * factor;
            float nearest = 1;
            for (uint32_t v = 0; v < factor; v++)
                for (uint32_t u = 0; u < factor; u++)
                    nearest = fminf(nearest, samples[(size_t)v * cell_px[0] * factor + u]);
            /* How far it is from the camera's plane: clip space turned back. */
            double ndc = 2.0 * nearest - 1;
            double z = (clip[3][2] - ndc * clip[3][3]) / (ndc * clip[2][3] - clip[2][2]);
            float distance = (float)-z;
            float part = range > 0 ? glm_clamp((distance - view->nearest) / range, 0, 1) : 0;
            uint16_t *row = (uint16_t *)((uint8_t *)pixels + y * stride);
            row[x] = nearest < 1 ? (uint16_t)(65535.5f - part * 65534) : 0;
        }
}

/* What comes back of `height` rows of pixels from `y` on, of the target that is bound. */
static void read_samples(const struct renderer *renderer, uint32_t y, uint32_t height, GLenum format, GLenum type,
                         void *out)
{
    const uint32_t factor = renderer->supersample, *cell_px = renderer->cell_px;
    renderer->gl->ReadPixels(0, (GLint)((cell_px[1] - y - height) * factor), (GLsizei)(cell_px[0] * factor),
                             (GLsizei)(height * factor), format, type, out);
}

/* Codes that were multiplied by alpha, 8 bits a channel, as light that was. What layers added beyond alpha stays. */
static void code_to_light(const uint8_t codes[4], uint16_t light[4])
{
    for (int c = 0; c < 3; c++) {
        float whole = srgb_to_linear[codes[c]];
        if (codes[3] > 0 && codes[3] < 255) {
            unsigned straight = (codes[c] * 255u + codes[3] / 2u) / codes[3];
            whole = fmaxf(whole, srgb_to_linear[straight < 255 ? straight : 255] * codes[3] / 255);
        }
        light[c] = (uint16_t)(whole * 65535 + 0.5f);
    }
    light[3] = (uint16_t)(codes[3] * 257);
}

/* Reads light, of which the samples that layers touched were drawn as codes. */
static void read_light(struct renderer *renderer, uint32_t y, uint32_t height, size_t count)
{
    uint16_t *light = renderer->samples;
    read_samples(renderer, y, height, GL_RGBA, GL_UNSIGNED_SHORT, light);
    if (!renderer->has_layers)
        return;
    uint8_t *codes = (uint8_t *)(light + 4 * count), *is_touched = codes + 4 * count;
    renderer_target_data(renderer);
    read_samples(renderer, y, height, GL_RGBA, GL_UNSIGNED_BYTE, codes);
    read_samples(renderer, y, height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, is_touched);
    renderer_target_light(renderer);
    for (size_t i = 0; i < count; i++)
        if (is_touched[i])
            code_to_light(codes + 4 * i, light + 4 * i);
}

/* Where light is added over nothing that is a part of the layer, too: black is what adds none. */
static void cover_light(uint16_t *samples, size_t count)
{
    for (uint16_t *sample = samples; sample < samples + 4 * count; sample += 4)
        if (sample[0] || sample[1] || sample[2])
            sample[3] = 65535;
}

/* Of every so many rows, and pixels of a row. The weights of sRGB values, in 256ths, are those of television; a row's sums
 * fit. */
static float lightness_of(const uint8_t *pixels, size_t stride, const uint32_t cell_px[2], uint32_t step)
{
    uint64_t light = 0, alpha = 0;
    for (uint32_t y = 0; y < cell_px[1]; y += step) {
        const uint8_t *p = pixels + y * stride, *end = p + (size_t)4 * cell_px[0];
        uint32_t row_light = 0, row_alpha = 0;
        for (; p < end; p += (size_t)4 * step) {
            row_light += (54u * p[0] + 183u * p[1] + 19u * p[2]) * p[3] >> 8;
            row_alpha += p[3];
        }
        light += row_light;
        alpha += row_alpha;
    }
    return alpha ? (float)((double)light / (255.0 * (double)alpha)) : NAN;
}

/* Reads `height` rows of pixels from `y` on. */
static void read_band(struct renderer *renderer, uint32_t y, uint32_t height, void *pixels, size_t stride)
{
    const uint32_t factor = renderer->supersample, width = renderer->cell_px[0];
    const size_t sample_count = (size_t)width * factor * height * factor, row_size = (size_t)4 * width * factor;
    const struct pass_row *row = &pass_rows[renderer->pass];
    if (row->sheet == SHEET_GREY16) {
        read_samples(renderer, y, height, GL_DEPTH_COMPONENT, GL_FLOAT, renderer->samples);
        reduce_depths(renderer, height, pixels, stride);
    } else if (row->sheet == SHEET_DATA) {
        read_samples(renderer, y, height, GL_RGBA, GL_UNSIGNED_BYTE, renderer->samples);
        downsample(renderer->samples, row_size, width, height, factor, row->reduce, pixels, stride);
    } else {
        read_light(renderer, y, height, sample_count);
        if (row->traits & ONLY_EMISSION)
            cover_light(renderer->samples, sample_count);
        downsample_light(renderer->samples, row_size, width, height, factor, pixels, stride);
    }
}

float renderer_lightness(const struct renderer *renderer)
{
    return renderer->lightness;
}

int renderer_read(struct renderer *renderer, void *pixels, size_t stride, struct error *err)
{
    const uint32_t *cell_px = renderer->cell_px;
    const struct pass_row *row = &pass_rows[renderer->pass];
    if (renderer->failed) {
        renderer->failed = false;
        *err = renderer->failure;
        return -1;
    }
    for (uint32_t y = 0, height; y < cell_px[1]; y += height) {
        height = cell_px[1] - y < renderer->band ? cell_px[1] - y : renderer->band;
        read_band(renderer, y, height, (uint8_t *)pixels + y * stride, stride);
    }
    if (check_gl(renderer->gl, "drawing a cell", err) < 0)
        return -1;
    if (row->sheet != SHEET_COLOR)
        return 0;
    if (renderer->pass == PASS_MAIN)
        renderer->lightness = lightness_of(pixels, stride, cell_px, 2); /* a quarter tells as much in less time */
    if (renderer->pass == PASS_MAIN && isnan(renderer->lightness))
        renderer->lightness = lightness_of(pixels, stride, cell_px, 1);
    if (outline_apply(&renderer->outline, row->traits & ONLY_OUTLINE, pixels, stride, cell_px[0], cell_px[1],
                      err) < 0)
        return -1;
    if (renderer->pixel.is_wanted)
        pixel_edges_apply(&renderer->pixel, row->traits & ONLY_TEAM, pixels, stride, cell_px[0], cell_px[1]);
    ground_paint(&renderer->ground, renderer->ground_height, &renderer->shadow, &renderer->view, cell_px, pixels,
                 stride);
    background_apply(&renderer->background, pixels, stride, cell_px[0], cell_px[1]);
    return 0;
}
