#include "render/probe.h"

#include <cglm/cglm.h>
#include <string.h>

#include "model/rig.h"
#include "render/renderer.h"

enum {
    COLUMNS = 20,
    ROWS = 10,
    VERTICES = (COLUMNS + 1) * (ROWS + 1),
    INDICES = 6 * COLUMNS * ROWS,
    TEXTURE_SIDE = 32,
    CELL = 48,
    SUPERSAMPLE = 2,
    OTHER_SHOTS = 8, /* than those of each pass, at most */
};

struct probe {
    struct renderer *renderer;
    struct model model;
    struct surface surface;
    struct rig_part part;
    struct rig rig;
    struct mesh mesh;
    uint32_t points[VERTICES], indices[INDICES];
    vec2 uvs[VERTICES], more_uvs[VERTICES];
    vec3 positions[VERTICES], normals[VERTICES];
    vec4 colors[VERTICES];
    struct drawable *drawable;
    struct texture pictures[PICTURE_COUNT];
    uint8_t pixels[PASS_COUNT + OTHER_SHOTS][CELL * CELL * 4];
    size_t shot_count;
};

/* -- What is drawn ----------------------------------------------------------------------------------------- */

/* Half a ball, open to the back, without sine or cosine: (1 - t^2, 2 t) / (1 + t^2) runs half around a circle. */
static void make_vertex(struct probe *probe, uint32_t column, uint32_t row)
{
    uint32_t i = row * (COLUMNS + 1) + column;
    float u = (float)column / COLUMNS, v = (float)row / ROWS, s = 2 * u - 1, t = 2 * v - 1;
    float width = (1 - t * t) / (1 + t * t), height = 2 * t / (1 + t * t);
    vec3 normal = {width * (1 - s * s) / (1 + s * s), width * 2 * s / (1 + s * s), height};
    glm_vec3_copy(normal, probe->normals[i]);
    glm_vec3_scale(normal, 1.5f, probe->positions[i]);
    glm_vec2_copy((vec2){3 * u, 2 - 2 * v}, probe->uvs[i]);
    glm_vec2_copy((vec2){v, u}, probe->more_uvs[i]);
    glm_vec4_copy((vec4){u, v, 1 - u, 0.25f + 0.75f * v}, probe->colors[i]);
    probe->points[i] = i;
}

static void make_model(struct probe *probe)
{
    for (uint32_t row = 0; row <= ROWS; row++)
        for (uint32_t column = 0; column <= COLUMNS; column++)
            make_vertex(probe, column, row);
    uint32_t *index = probe->indices;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t low = row * (COLUMNS + 1) + column, high = low + COLUMNS + 1;
            const uint32_t corners[6] = {low, high, high + 1, low, high + 1, low + 1}; /* clockwise as seen */
            memcpy(index, corners, sizeof corners);
            index += 6;
        }
    probe->part =
        (struct rig_part){.point_count = VERTICES, .positions = probe->positions, .normals = probe->normals};
    probe->rig = (struct rig){.parts = &probe->part, .part_count = 1};
    probe->surface = (struct surface){.name = "", .index_count = INDICES};
    probe->model = (struct model){
        .point_count = VERTICES,
        .vertex_count = VERTICES,
        .index_count = INDICES,
        .surface_count = 1,
        .vertex_points = probe->points,
        .uvs = (const vec2 *)probe->uvs,
        .more_uvs = (const vec2 *)probe->more_uvs,
        .colors = (const vec4 *)probe->colors,
        .indices = probe->indices,
        .surfaces = &probe->surface,
        .rig = &probe->rig,
    };
    probe->mesh = (struct mesh){.point_count = VERTICES, .positions = probe->positions, .normals = probe->normals};
}

/* Waves of whole numbers, of another kind for each picture. */
static int make_picture(struct probe *probe, enum picture_kind kind, struct error *err)
{
    uint8_t pixels[TEXTURE_SIDE * TEXTURE_SIDE][4];
    struct image image = {.width = TEXTURE_SIDE, .height = TEXTURE_SIDE, .pixels = pixels[0], .has_alpha = true};
    for (uint32_t i = 0; i < TEXTURE_SIDE * TEXTURE_SIDE; i++) {
        uint32_t x = i % TEXTURE_SIDE, y = i / TEXTURE_SIDE;
        for (uint32_t c = 0; c < 4; c++)
            pixels[i][c] =
                (uint8_t)((x * x * (c + 1) + y * (7 + kind) + x * y) % (kind == PICTURE_NORMAL ? 64 : 256) +
                          (kind == PICTURE_NORMAL ? c == 2 ? 190 : 96 : 0));
    }
    enum mipmap_kind mipmap = kind == PICTURE_DIFFUSE || kind == PICTURE_EMISSIVE ? MIPMAP_COLOR : MIPMAP_DATA;
    if (renderer_add_texture(probe->renderer, &image, mipmap, &probe->pictures[kind], err) < 0)
        return -1;
    probe->pictures[kind].placement = (struct texture_placement){
        .wrap = {(enum texture_wrap)(kind % 3), WRAP_MIRROR}, .is_second_set = kind % 2};
    return 0;
}

/* -- How it is drawn --------------------------------------------------------------------------------------- */

static const struct light_rig light = {
    .key = {{-0.5f, 0.75f, 0.75f}, {1.5f, 1.25f, 1}},
    .fill = {{1, 0.25f, 0.5f}, {0.25f, 0.5f, 0.75f}},
    .rim = {{0.25f, 0.5f, -1}, {0.5f, 0.5f, 1}},
    .sky = {0.25f, 0.25f, 0.375f},
    .ground = {0.125f, 0.0625f, 0},
    .ambient = {0.0625f, 0.0625f, 0.0625f},
};

static int draw(struct probe *probe, const struct look *look, enum pass pass, const struct ground *ground,
                struct error *err)
{
    static const vec3 lines[2][2] = {{{2, -1, -1}, {2, 1, 0.75f}}, {{2, 1, -1}, {2, -0.5f, 1}}};
    static const struct outline outline = {1.5f, {40, 80, 160, 255}};
    static const struct background gradient = {BACKGROUND_GRADIENT, {{60, 90, 120, 255}, {10, 20, 30, 128}}, 0};
    struct view view = {.nearest = 0.5f, .farthest = 9, .pixels_per_unit = 8};
    struct shot_part part = {.drawable = probe->drawable, .looks = look, .first_mask_id = 1};
    glm_mat4_copy((mat4){{0.6f, 0.8f, 0, 0}, {-0.8f, 0.6f, 0, 0}, {0, 0, 1, 0}, {0, 0, 0.25f, 1}},
                  part.model_to_world);
    /* From (4, 0, 1.5), turned down by the angle whose sine is 0.28; a perspective of 2 to 1. */
    glm_mat4_copy((mat4){{0, -0.28f, 0.96f, 0}, {1, 0, 0, 0}, {0, 0.96f, 0.28f, 0}, {0, 0, -4.25f, 1}},
                  view.world_to_view);
    glm_mat4_copy((mat4){{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, -9.5f / 8.5f, -1}, {0, 0, -9 / 8.5f, 0}},
                  view.view_to_clip);
    struct shot shot = {
        .parts = &part,
        .part_count = 1,
        .light = &light,
        .ground = ground,
        .ground_height = -1.25f,
        .outline = ground ? &outline : NULL,
        .background = ground ? &gradient : NULL,
        .view = &view,
        .lines = lines,
        .line_count = 2,
    };
    renderer_draw(probe->renderer, &shot, pass);
    return renderer_read(probe->renderer, probe->pixels[probe->shot_count++],
                         pass_rows[pass].sheet == SHEET_GREY16 ? 2 * CELL : 4 * CELL, err);
}

static int draw_lit(struct probe *probe, struct error *err)
{
    static const struct ground shadow = {GROUND_SHADOW, true, -1.25f, 0.5f, 0, {0, 0, 0, 255}};
    struct look look = {.alpha_test = -1};
    memcpy(look.pictures, probe->pictures, 3 * sizeof *look.pictures);
    if (draw(probe, &look, PASS_COLOR, &shadow, err) < 0)
        return -1;
    look.alpha_test = 0.5f;
    look.two_sided = look.unsmoothed_tangents = true;
    look.pictures[PICTURE_DIFFUSE].placement.has_matrix = true;
    memcpy(look.pictures[PICTURE_DIFFUSE].placement.matrix, (float[2][3]){{0.6f, 0.8f, 0.5f}, {-0.8f, 0.6f, 0}},
           sizeof look.pictures->placement.matrix);
    int result = 0;
    for (int pass = 0; pass < PASS_COUNT && result == 0; pass++)
        result = draw(probe, &look, (enum pass)pass, NULL, err);
    return result;
}

static int draw_own(struct probe *probe, struct error *err)
{
    struct model_material material;
    struct look look = {.alpha_test = -1, .two_sided = true, .own = &material};
    model_material_init(&material);
    memcpy(look.pictures, probe->pictures, sizeof look.pictures);
    /* Bytes that are not mirrored are filtered by other instructions, which are not the same everywhere. */
    for (int kind = 0; kind < PICTURE_COUNT; kind++)
        look.pictures[kind].placement.wrap[1] = WRAP_REPEAT;
    material.metallic = 0.75f;
    memcpy(material.emissive_factor, (float[3]){0.125f, 0.25f, 0}, sizeof material.emissive_factor);
    int result = draw(probe, &look, PASS_COLOR, NULL, err);
    look.blends = true;
    material.is_specular_glossiness = true;
    result |= draw(probe, &look, PASS_COLOR, NULL, err);
    material.is_unlit = true;
    result |= draw(probe, &look, PASS_COLOR, NULL, err);
    material.is_unlit = false;
    material.has_shade = true;
    material.shade_range[1] = 0.5f;
    memcpy(material.shade_factor, (float[3]){0.5f, 0.25f, 1}, sizeof material.shade_factor);
    return result | draw(probe, &look, PASS_COLOR, NULL, err);
}

/* What most models with materials of their own are: no metal, one picture, and at the vertices no more than it needs. */
static int draw_plain(struct probe *probe, struct error *err)
{
    struct model_material material;
    struct look look = {.alpha_test = -1, .own = &material};
    model_material_init(&material);
    material.metallic = 0;
    look.pictures[PICTURE_DIFFUSE] = probe->pictures[PICTURE_DIFFUSE];
    probe->model.colors = NULL;
    probe->model.more_uvs = NULL;
    return draw(probe, &look, PASS_COLOR, NULL, err);
}

/* Layers of all factors, two at a time, over one that covers. */
static int draw_layers(struct probe *probe, struct error *err)
{
    static const enum blend_factor factors[][2] = {
        {BLEND_DST_COLOR, BLEND_ZERO},
        {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA},
        {BLEND_ONE, BLEND_ONE},
        {BLEND_ONE_MINUS_DST_COLOR, BLEND_SRC_COLOR},
        {BLEND_DST_ALPHA, BLEND_ONE_MINUS_DST_ALPHA},
    };
    struct look_layer layers[1 + sizeof factors / sizeof *factors] = {{.destination = BLEND_ZERO}};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct look_layer *layer = &layers[i];
        *layer = (struct look_layer){
            probe->pictures[PICTURE_DIFFUSE], BLEND_ONE, BLEND_ZERO, 0, {1, 1, 1, 0.75f}, i == 2, 0,
            probe->pictures[PICTURE_EMISSIVE]};
        if (i > 0) {
            layer->source = factors[i - 1][0];
            layer->destination = factors[i - 1][1];
        }
        layer->image.placement.is_environment = i == 3;
        layer->image.placement.vertex_color = i == 1   ? VERTEX_COLOR
                                              : i == 4 ? VERTEX_COLOR_INVERSE
                                                       : VERTEX_COLOR_IGNORED;
    }
    struct look look = {
        .layers_only = true, .layers = layers, .layer_count = sizeof layers / sizeof *layers, .alpha_test = -1};
    return draw(probe, &look, PASS_COLOR, NULL, err);
}

/* -- Together ---------------------------------------------------------------------------------------------- */

static int draw_all(struct probe *probe, struct error *err)
{
    make_model(probe);
    for (int kind = 0; kind < PICTURE_COUNT; kind++)
        if (make_picture(probe, (enum picture_kind)kind, err) < 0)
            return -1;
    if (drawable_new(probe->renderer, &probe->model, &probe->drawable, err) < 0 ||
        renderer_set_target(probe->renderer, (const uint32_t[2]){CELL, CELL}, SUPERSAMPLE, err) < 0)
        return -1;
    drawable_set_pose(probe->drawable, &probe->mesh);
    return draw_lit(probe, err) < 0 || draw_own(probe, err) < 0 || draw_layers(probe, err) < 0 ||
                   draw_plain(probe, err) < 0
               ? -1
               : 0;
}

int probe_draw(struct context *context, char hash[HASH_SIZE], struct error *err)
{
    struct probe *probe = must_alloc(1, sizeof *probe);
    int result = renderer_new(context, &probe->renderer, err);
    if (result == 0)
        result = draw_all(probe, err);
    if (result == 0)
        hash_bytes((struct bytes){probe->pixels[0], sizeof probe->pixels}, hash);
    drawable_free(probe->drawable);
    for (int i = 0; i < PICTURE_COUNT && probe->renderer; i++)
        renderer_drop_texture(probe->renderer, &probe->pictures[i]);
    renderer_free(probe->renderer);
    free(probe);
    return result;
}
