/* Draws a mesh a second time, by the simplest means, and compares a picture with that.
 *
 *     plain_render MESH.obj TEXTURE.ppm|- YAW PITCH SCALE CELL PIVOT_X PIVOT_Y <PICTURE.rgba
 *
 * MESH is what `sheetbake pose` writes: Z up, X forward, t down from the top, front faces clockwise. The camera is
 * orthographic: YAW counter-clockwise seen from above, PITCH raises it, in degrees. SCALE is in pixels for each
 * unit of the model, the pivot is where its origin lies in the cell, in pixels from the top left. Standard input
 * is the cell, CELL x CELL pixels of RGBA. With `-` for the texture only the silhouette is compared.
 *
 * The picture has filtered textures and smooth edges, and this drawing has not. So only pixels count that have one
 * colour for a pixel and a half to every side. There the picture must have this colour, within LEVELS, because smaller
 * mip levels mix in texels from farther away.
 *
 * Prints the number of compared pixels, of pixels that show the model, and of colours. Exit code 1 when a pixel is
 * wrong. */
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples per pixel along each side, an even number, and those on each side of its middle that must agree. */
enum { GRID = 4, AROUND = 6 };

/* Values that are not colours of a texture, and how many levels a channel may differ. */
enum { NOTHING = -1, ANY = 1 << 24, LEVELS = 32 };

enum { LIMIT = 16384 };

struct mesh {
    int position_count, uv_count, corner_count;
    double positions[LIMIT][3], uvs[LIMIT][2];
    int corners[LIMIT][2]; /* numbers of a position and a uv */
};

struct texture {
    int width, height;
    unsigned char *pixels; /* NULL: none */
};

struct camera {
    double right[3], up[3], back[3]; /* back: towards the camera */
    double scale, pivot[2];
};

/* Samples of one cell: a colour each, and how near it is. */
struct canvas {
    int side;
    int *colors;
    double *depths;
};

/* A corner of a triangle on the canvas, in samples. */
struct corner {
    double x, y, depth, s, t;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static struct mesh *read_mesh(const char *path)
{
    struct mesh *mesh = calloc(1, sizeof *mesh);
    char line[512];
    FILE *file = fopen(path, "r");
    if (!mesh || !file)
        err(2, "%s", path);
    while (fgets(line, sizeof line, file)) {
        double *p = mesh->positions[mesh->position_count], *uv = mesh->uvs[mesh->uv_count];
        int(*c)[2] = &mesh->corners[mesh->corner_count];
        mesh->position_count += sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3;
        mesh->uv_count += sscanf(line, "vt %lf %lf", &uv[0], &uv[1]) == 2;
        if (sscanf(line, "f %d/%d/%*d %d/%d/%*d %d/%d/%*d", &c[0][0], &c[0][1], &c[1][0], &c[1][1], &c[2][0],
                   &c[2][1]) == 6)
            mesh->corner_count += 3;
        if (mesh->position_count == LIMIT || mesh->uv_count == LIMIT || mesh->corner_count > LIMIT - 3)
            errx(2, "%s: too large", path);
    }
    fclose(file);
    return mesh;
}

static struct texture read_texture(const char *path)
{
    struct texture texture = {0};
    if (!strcmp(path, "-"))
        return texture;
    FILE *file = fopen(path, "rb");
    if (!file || fscanf(file, "P6 %d %d 255", &texture.width, &texture.height) != 2 || fgetc(file) == EOF)
        err(2, "%s", path);
    size_t size = 3 * (size_t)texture.width * (size_t)texture.height;
    texture.pixels = malloc(size);
    if (!texture.pixels || fread(texture.pixels, 1, size, file) != size)
        errx(2, "%s: too short", path);
    fclose(file);
    return texture;
}

/* Seen from the front, the model's left is to the right. */
static struct camera camera_at(double yaw_deg, double pitch_deg)
{
    double yaw = yaw_deg * acos(-1) / 180, pitch = pitch_deg * acos(-1) / 180;
    return (struct camera){
        .right = {-sin(yaw), cos(yaw), 0},
        .up = {-sin(pitch) * cos(yaw), -sin(pitch) * sin(yaw), cos(pitch)},
        .back = {cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), sin(pitch)},
    };
}

/* -- Drawing ----------------------------------------------------------------------------------------------- */

static struct corner project(const struct camera *camera, const struct mesh *mesh, const int corner[2])
{
    const double *position = mesh->positions[corner[0] - 1], *uv = mesh->uvs[corner[1] - 1];
    return (struct corner){
        .x = GRID * (camera->pivot[0] + camera->scale * dot(camera->right, position)),
        .y = GRID * (camera->pivot[1] - camera->scale * dot(camera->up, position)),
        .depth = dot(camera->back, position),
        .s = uv[0],
        .t = uv[1],
    };
}

static int texel(const struct texture *texture, double s, double t)
{
    if (!texture->pixels)
        return ANY;
    int x = (int)floor((s - floor(s)) * texture->width), y = (int)floor((t - floor(t)) * texture->height);
    const unsigned char *p = texture->pixels + 3 * ((size_t)y * (size_t)texture->width + (size_t)x);
    return p[0] << 16 | p[1] << 8 | p[2];
}

/* Twice the area, above 0 where a, b, c are clockwise on the canvas, whose y runs down. */
static double area(const struct corner *a, const struct corner *b, double x, double y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static void draw_triangle(struct canvas *canvas, const struct texture *texture, const struct corner c[3])
{
    double whole = area(&c[0], &c[1], c[2].x, c[2].y);
    if (whole <= 0)
        return;
    int left = (int)fmax(0, fmin(c[0].x, fmin(c[1].x, c[2].x)));
    int top = (int)fmax(0, fmin(c[0].y, fmin(c[1].y, c[2].y)));
    for (int y = top; y < canvas->side && y <= fmax(c[0].y, fmax(c[1].y, c[2].y)); y++)
        for (int x = left; x < canvas->side && x <= fmax(c[0].x, fmax(c[1].x, c[2].x)); x++) {
            double part[3] = {area(&c[1], &c[2], x, y) / whole, area(&c[2], &c[0], x, y) / whole,
                              area(&c[0], &c[1], x, y) / whole};
            if (part[0] < 0 || part[1] < 0 || part[2] < 0)
                continue;
            struct corner at = {0};
            for (int i = 0; i < 3; i++) {
                at.depth += part[i] * c[i].depth;
                at.s += part[i] * c[i].s;
                at.t += part[i] * c[i].t;
            }
            int i = y * canvas->side + x;
            if (canvas->colors[i] != NOTHING && canvas->depths[i] >= at.depth)
                continue;
            canvas->colors[i] = texel(texture, at.s, at.t);
            canvas->depths[i] = at.depth;
        }
}

static struct canvas draw(const struct mesh *mesh, const struct texture *texture, const struct camera *camera,
                          int cell)
{
    struct canvas canvas = {.side = GRID * cell + 1};
    size_t count = (size_t)canvas.side * (size_t)canvas.side;
    canvas.colors = malloc(count * sizeof *canvas.colors);
    canvas.depths = malloc(count * sizeof *canvas.depths);
    if (!canvas.colors || !canvas.depths)
        err(2, "the canvas");
    for (size_t i = 0; i < count; i++)
        canvas.colors[i] = NOTHING;
    for (int i = 0; i < mesh->corner_count; i += 3) {
        struct corner corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = project(camera, mesh, mesh->corners[i + k]);
        draw_triangle(&canvas, texture, corners);
    }
    return canvas;
}

/* -- Comparing --------------------------------------------------------------------------------------------- */

/* Whether all samples around the middle of the pixel have one colour. */
static bool is_even(const struct canvas *canvas, int px, int py)
{
    int middle_x = GRID * px + GRID / 2, middle_y = GRID * py + GRID / 2;
    int color = canvas->colors[middle_y * canvas->side + middle_x];
    for (int y = middle_y - AROUND; y <= middle_y + AROUND; y++)
        for (int x = middle_x - AROUND; x <= middle_x + AROUND; x++)
            if (x >= 0 && y >= 0 && x < canvas->side && y < canvas->side &&
                canvas->colors[y * canvas->side + x] != color)
                return false;
    return true;
}

static bool is_like(const unsigned char rgba[4], int color)
{
    if (color == NOTHING)
        return rgba[3] == 0;
    for (int i = 0; i < 3 && color != ANY; i++)
        if (abs(rgba[i] - (color >> (16 - 8 * i) & 255)) > LEVELS)
            return false;
    return rgba[3] == 255;
}

/* How often each colour was compared; few colours, so a list does. */
struct tally {
    int count, colors[64], times[64];
};

static void tally_add(struct tally *tally, int color)
{
    int i = 0;
    while (i < tally->count && tally->colors[i] != color)
        i++;
    if (i == 64)
        errx(2, "more than 64 colours");
    tally->count += i == tally->count;
    tally->colors[i] = color;
    tally->times[i]++;
}

static int compare(const struct canvas *canvas, const unsigned char *picture, int cell)
{
    int covered = 0, compared = 0, wrong = 0;
    struct tally tally = {0};
    for (int y = 0; y < cell; y++)
        for (int x = 0; x < cell; x++) {
            const unsigned char *rgba = picture + 4 * (y * cell + x);
            int color = canvas->colors[(GRID * y + GRID / 2) * canvas->side + GRID * x + GRID / 2];
            covered += color != NOTHING;
            if (!is_even(canvas, x, y))
                continue;
            if (!is_like(rgba, color) && wrong++ < 5)
                fprintf(stderr, "at %d, %d is %02x%02x%02x%02x, expected %06x\n", x, y, rgba[0], rgba[1], rgba[2],
                        rgba[3], (unsigned)color);
            if (color == NOTHING)
                continue;
            tally_add(&tally, color);
            compared++;
        }
    printf("%d of %d in %d colours, %d wrong\n", compared, covered, tally.count, wrong);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc != 9)
        errx(2, "usage: plain_render MESH.obj TEXTURE.ppm|- YAW PITCH SCALE CELL PIVOT_X PIVOT_Y <PICTURE.rgba");
    struct mesh *mesh = read_mesh(argv[1]);
    struct texture texture = read_texture(argv[2]);
    struct camera camera = camera_at(strtod(argv[3], NULL), strtod(argv[4], NULL));
    int cell = (int)strtol(argv[6], NULL, 10);
    camera.scale = strtod(argv[5], NULL);
    camera.pivot[0] = strtod(argv[7], NULL);
    camera.pivot[1] = strtod(argv[8], NULL);
    size_t size = 4 * (size_t)cell * (size_t)cell;
    unsigned char *picture = malloc(size);
    if (!picture || fread(picture, 1, size, stdin) != size)
        errx(2, "the picture is not of %d x %d pixels", cell, cell);
    struct canvas canvas = draw(mesh, &texture, &camera, cell);
    int result = compare(&canvas, picture, cell);
    free(canvas.colors);
    free(canvas.depths);
    free(picture);
    free(texture.pixels);
    free(mesh);
    return result;
}
