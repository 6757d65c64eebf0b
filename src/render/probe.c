#include "render/probe.h"

#include <cglm/cglm.h>
#include <stdlib.h>
#include <string.h>

#include "model/rig.h"
#include "render/gl.h"
#include "render/renderer.h"

enum {
    COLUMNS = 20,
    ROWS = 10,
    VERTICES = (COLUMNS + 1) * (ROWS + 1),
    INDICES = 6 * COLUMNS * ROWS,
    TEXTURE_SIDE = 32,
    CELL = 96,
    SUPERSAMPLE = 2,
    SIDE = CELL * SUPERSAMPLE,
    PICTURES = PICTURE_SPECULAR + 1, /* those that a lit surface has, the diffuse one first */
};

struct probe {
    struct renderer *renderer;
    struct model model;
    struct surface surface;
    struct rig_part part;
    struct rig rig;
    struct mesh mesh;
    uint32_t points[VERTICES], indices[INDICES];
    vec2 uvs[VERTICES];
    vec3 positions[VERTICES], normals[VERTICES];
    vec4 colors[VERTICES];
    struct drawable *drawable;
    struct look look;
    struct {
        uint16_t samples[SIDE * SIDE][4];
        float depths[SIDE * SIDE];
        uint8_t pixels[CELL * CELL][4];
    } drawn;
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
    return renderer_add_texture(probe->renderer, &image, kind == PICTURE_DIFFUSE ? MIPMAP_COLOR : MIPMAP_DATA,
                                &probe->look.pictures[kind], err);
}

/* A surface with all that one in the light of the rig can have. Pictures that are not mirrored and hold no colours are
 * filtered by other instructions, as whole numbers. */
static void make_look(struct look *look)
{
    static const enum texture_wrap wraps[PICTURES][2] = {
        [PICTURE_DIFFUSE] = {WRAP_REPEAT, WRAP_MIRROR},
        [PICTURE_NORMAL] = {WRAP_REPEAT, WRAP_REPEAT},
        [PICTURE_SPECULAR] = {WRAP_ZERO, WRAP_CLAMP},
    };
    struct texture_placement *diffuse = &look->pictures[PICTURE_DIFFUSE].placement;
    look->alpha_test = 0.5f;
    look->two_sided = look->unsmoothed_tangents = true;
    for (int kind = 0; kind < PICTURES; kind++)
        memcpy(look->pictures[kind].placement.wrap, wraps[kind], sizeof wraps[kind]);
    diffuse->vertex_color = VERTEX_COLOR_INVERSE;
    diffuse->has_matrix = true;
    memcpy(diffuse->matrix, (float[2][3]){{0.6f, 0.8f, 0.5f}, {-0.8f, 0.6f, 0}}, sizeof diffuse->matrix);
}

/* -- How it is drawn --------------------------------------------------------------------------------------- */

static void draw(struct probe *probe)
{
    static const struct light_rig light = {
        .key = {{-0.5f, 0.75f, 0.75f}, {1.5f, 1.25f, 1}},
        .fill = {{1, 0.25f, 0.5f}, {0.25f, 0.5f, 0.75f}},
        .rim = {{0.25f, 0.5f, -1}, {0.5f, 0.5f, 1}},
        .sky = {0.25f, 0.25f, 0.375f},
        .ground = {0.125f, 0.0625f, 0},
        .ambient = {0.0625f, 0.0625f, 0.0625f},
    };
    static const struct outline outline = {1.5f, {40, 80, 160, 255}};
    static const struct background gradient = {BACKGROUND_GRADIENT, {{60, 90, 120, 255}, {10, 20, 30, 128}}, 0};
    struct view view = {.nearest = 0.5f, .farthest = 9, .pixels_per_unit = 8};
    struct shot_part part = {.drawable = probe->drawable, .looks = &probe->look, .first_mask_id = 1};
    glm_mat4_copy((mat4){{0.6f, 0.8f, 0, 0}, {-0.8f, 0.6f, 0, 0}, {0, 0, 1, 0}, {0, 0, 0.25f, 1}},
                  part.model_to_world);
    /* From (4, 0, 1.5), turned down by the angle whose sine is 0.28; a perspective of 2 to 1. */
    glm_mat4_copy((mat4){{0, -0.28f, 0.96f, 0}, {1, 0, 0, 0}, {0, 0.96f, 0.28f, 0}, {0, 0, -4.25f, 1}},
                  view.world_to_view);
    glm_mat4_copy((mat4){{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, -9.5f / 8.5f, -1}, {0, 0, -9 / 8.5f, 0}},
                  view.view_to_clip);
    const struct shot shot = {
        .parts = &part,
        .part_count = 1,
        .light = &light,
        .outline = &outline,
        .background = &gradient,
        .view = &view,
    };
    renderer_draw(probe->renderer, &shot, PASS_COLOR);
}

/* The surface blends with a colour that is there: sums of products of both. */
static int draw_blended(struct probe *probe, const struct gl *gl, struct error *err)
{
    if (renderer_set_target(probe->renderer, (const uint32_t[2]){CELL, CELL}, SUPERSAMPLE, err) < 0)
        return -1;
    drawable_set_pose(probe->drawable, &probe->mesh);
    gl->ClearColor(0.25f, 0.5f, 0.125f, 0);
    gl->Enable(GL_BLEND);
    gl->BlendFuncSeparate(GL_ONE_MINUS_DST_COLOR, GL_ONE, GL_ONE, GL_ZERO);
    draw(probe);
    gl->Disable(GL_BLEND);
    gl->ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_SHORT, probe->drawn.samples);
    gl->ReadPixels(0, 0, SIDE, SIDE, GL_DEPTH_COMPONENT, GL_FLOAT, probe->drawn.depths);
    return renderer_read(probe->renderer, probe->drawn.pixels, sizeof *probe->drawn.pixels * CELL, err);
}

/* -- Together ---------------------------------------------------------------------------------------------- */

int probe_open(enum backend_choice choice, struct context **out, struct error *err)
{
    static const char variable[] = "GALLIVM_PERF";
    const bool is_set = getenv(variable) != NULL;
    setenv(variable, "nopt", 0);
    int result = context_open(choice, out, err);
    if (!is_set)
        unsetenv(variable);
    return result;
}

int probe_draw(struct context *context, char hash[HASH_SIZE], struct error *err)
{
    struct probe *probe = must_alloc(1, sizeof *probe);
    int result = renderer_new(context, &probe->renderer, err);
    make_model(probe);
    for (int kind = 0; kind < PICTURES && result == 0; kind++)
        result = make_picture(probe, (enum picture_kind)kind, err);
    make_look(&probe->look);
    if (result == 0)
        result = drawable_new(probe->renderer, &probe->model, &probe->drawable, err);
    if (result == 0)
        result = draw_blended(probe, context_gl(context), err);
    if (result == 0)
        hash_bytes((struct bytes){(const uint8_t *)&probe->drawn, sizeof probe->drawn}, hash);
    drawable_free(probe->drawable);
    for (int i = 0; i < PICTURES && probe->renderer; i++)
        renderer_drop_texture(probe->renderer, &probe->look.pictures[i]);
    renderer_free(probe->renderer);
    free(probe);
    return result;
}
