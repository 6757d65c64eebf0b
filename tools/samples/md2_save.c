#include "md2_save.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "idtech/md2.h"

static void add_u8(struct buffer *out, uint32_t value)
{
    char byte = (char)(uint8_t)value;
    buffer_add(out, &byte, 1);
}

static void add_u16(struct buffer *out, uint32_t value)
{
    add_u8(out, value & 255);
    add_u8(out, value >> 8 & 255);
}

static void add_u32(struct buffer *out, uint32_t value)
{
    add_u16(out, value & 65535);
    add_u16(out, value >> 16);
}

static void add_f32(struct buffer *out, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    add_u32(out, bits);
}

static void add_name(struct buffer *out, const char *name, int size)
{
    for (int i = 0, length = (int)strlen(name); i < size; i++)
        add_u8(out, i < length ? (uint8_t)name[i] : 0);
}

/* Texture coordinates in whole texels, each pair once. */
struct coordinates {
    int count;
    int (*st)[2];
    uint32_t *of_vertex;
};

static void collect_coordinates(const struct coat *coat, struct coordinates *out)
{
    out->count = 0;
    out->st = must_alloc((size_t)coat->vertex_count, sizeof(out->st[0]));
    out->of_vertex = must_alloc((size_t)coat->vertex_count, sizeof(out->of_vertex[0]));
    for (int i = 0; i < coat->vertex_count; i++) {
        int s = (int)floor(coat->vertices[i].s * coat->size + 0.5);
        int t = (int)floor(coat->vertices[i].t * coat->size + 0.5), k = 0;
        while (k < out->count && (out->st[k][0] != s || out->st[k][1] != t))
            k++;
        if (k == out->count) {
            out->st[k][0] = s;
            out->st[k][1] = t;
            out->count++;
        }
        out->of_vertex[i] = (uint32_t)k;
    }
}

/* Corners here are vertices: a point with one place in the texture. */
struct run {
    bool is_fan;
    int triangle_count;
    int *triangles;    /* numbers of the coat's triangles */
    uint32_t *corners; /* triangle_count + 2 */
};

/* The triangle not yet used that has the edge from -> to, in that direction, and its third corner. */
static int find_neighbour(const struct coat *coat, const uint8_t *used, uint32_t from, uint32_t to,
                          uint32_t *third)
{
    for (int i = 0; i < coat->triangle_count; i++) {
        const uint32_t *corner = coat->triangles[i];
        for (int k = 0; k < 3 && !used[i]; k++) {
            if (corner[k] == from && corner[(k + 1) % 3] == to) {
                *third = corner[(k + 2) % 3];
                return i;
            }
        }
    }
    return -1;
}

/* Grows a run from corner `turn` of a triangle, as far as it goes; leaves `used` as it was.
 *
 * A fan's triangles are (0, i, i+1). A strip's are (i, i+1, i+2) for even i, and (i+1, i, i+2) for odd i, so that
 * all wind the same way. The next triangle has the last edge the other way round. */
static void grow_run(const struct coat *coat, uint8_t *used, int start, int turn, struct run *run)
{
    const uint32_t *corner = coat->triangles[start];
    int next = start, n = 0;
    for (int k = 0; k < 3; k++)
        run->corners[k] = corner[(turn + k) % 3];
    while (next >= 0) {
        used[next] = 1;
        run->triangles[n++] = next;
        uint32_t a = run->corners[run->is_fan ? 0 : n], b = run->corners[n + 1];
        bool flip = !run->is_fan && n % 2 == 1;
        next = find_neighbour(coat, used, flip ? b : a, flip ? a : b, &run->corners[n + 2]);
    }
    run->triangle_count = n;
    for (int i = 0; i < n; i++)
        used[run->triangles[i]] = 0;
}

static void run_init(struct run *run, const struct coat *coat)
{
    *run = (struct run){
        .triangles = must_alloc((size_t)coat->triangle_count, sizeof(run->triangles[0])),
        .corners = must_alloc((size_t)coat->triangle_count + 3, sizeof(run->corners[0])),
    };
}

static void run_release(struct run *run)
{
    free(run->triangles);
    free(run->corners);
}

static void add_run(const struct coat *coat, const struct coordinates *coordinates, const struct run *run,
                    struct buffer *out)
{
    int count = run->triangle_count + 2;
    add_u32(out, (uint32_t)(run->is_fan ? -count : count));
    for (int i = 0; i < count; i++) {
        const int *st = coordinates->st[coordinates->of_vertex[run->corners[i]]];
        add_f32(out, (double)st[0] / coat->size);
        add_f32(out, (double)st[1] / coat->size);
        add_u32(out, coat->vertices[run->corners[i]].point);
    }
}

/* Takes the longest run that starts at the first triangle left, until none is. */
static void save_commands(const struct coat *coat, const struct coordinates *coordinates, struct buffer *out)
{
    struct run best, trial;
    uint8_t *used = must_alloc((size_t)coat->triangle_count, 1);
    run_init(&best, coat);
    run_init(&trial, coat);
    for (int start = 0; start < coat->triangle_count; start++) {
        if (used[start])
            continue;
        best.triangle_count = 0;
        for (int way = 0; way < 6; way++) {
            trial.is_fan = way >= 3;
            grow_run(coat, used, start, way % 3, &trial);
            if (trial.triangle_count > best.triangle_count) {
                struct run swap = best;
                best = trial;
                trial = swap;
            }
        }
        for (int i = 0; i < best.triangle_count; i++)
            used[best.triangles[i]] = 1;
        add_run(coat, coordinates, &best, out);
    }
    add_u32(out, 0);
    run_release(&best);
    run_release(&trial);
    free(used);
}

static uint8_t nearest_normal(struct v3 n)
{
    int best = 0;
    double most = -2;
    for (int i = 0; i < MD2_NORMAL_COUNT; i++) {
        double cosine = v3_dot(n, v3(md2_normals[i][0], md2_normals[i][1], md2_normals[i][2]));
        if (cosine > most) {
            most = cosine;
            best = i;
        }
    }
    return (uint8_t)best;
}

/* Positions are rounded to 256 steps an axis. All frames of a sequence share the steps: with steps of its own for
 * each frame, what stands still would tremble. */
struct steps {
    struct v3 low, size;
};

static struct steps find_steps(const struct v3 *points, int count)
{
    struct v3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++) {
        low = v3(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
        high = v3(fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z));
    }
    struct v3 range = v3_sub(high, low);
    /* In single precision, as readers compute them. */
    return (struct steps){v3((float)low.x, (float)low.y, (float)low.z),
                          v3((float)(range.x / 255), (float)(range.y / 255), (float)(range.z / 255))};
}

static uint8_t to_step(double value, double low, double size)
{
    return (uint8_t)clamp(floor((value - low) / size + 0.5), 0, 255);
}

static void save_frame(const struct coat *coat, const struct steps *steps, const struct v3 *points,
                       const char *name, struct buffer *out)
{
    struct v3 *normals = must_alloc((size_t)coat->point_count, sizeof(*normals));
    coat_normals(coat, points, normals);
    const double header[6] = {steps->size.x, steps->size.y, steps->size.z,
                              steps->low.x,  steps->low.y,  steps->low.z};
    for (int i = 0; i < 6; i++)
        add_f32(out, header[i]);
    add_name(out, name, MD2_FRAME_NAME_SIZE);
    for (int i = 0; i < coat->point_count; i++) {
        add_u8(out, to_step(points[i].x, steps->low.x, steps->size.x));
        add_u8(out, to_step(points[i].y, steps->low.y, steps->size.y));
        add_u8(out, to_step(points[i].z, steps->low.z, steps->size.z));
        add_u8(out, nearest_normal(normals[i]));
    }
    free(normals);
}

static void save_sequence(const struct figure *figure, const struct motion *motion, const struct stance *frames,
                          struct buffer *out)
{
    const struct coat *coat = &figure->coats[0];
    int points = coat->point_count, count = motion->frame_count * points;
    struct v3 *all = must_alloc((size_t)count, sizeof(*all));
    for (int i = 0; i < motion->frame_count; i++)
        coat_pose(coat, &figure->rig, &frames[i], all + i * points);
    struct steps steps = find_steps(all, count);
    for (int i = 0; i < motion->frame_count; i++) {
        char name[MD2_FRAME_NAME_SIZE];
        snprintf(name, sizeof(name), "%s%02d", motion->name, i + 1);
        save_frame(coat, &steps, all + i * points, name, out);
    }
    free(all);
}

static void save_tables(const struct coat *coat, const struct coordinates *coordinates, const char *const *skins,
                        int skin_count, struct buffer *out)
{
    for (int i = 0; i < skin_count; i++)
        add_name(out, skins[i], MD2_SKIN_SIZE);
    for (int i = 0; i < coordinates->count; i++) {
        add_u16(out, (uint32_t)coordinates->st[i][0]);
        add_u16(out, (uint32_t)coordinates->st[i][1]);
    }
    for (int i = 0; i < coat->triangle_count; i++) {
        for (int k = 0; k < 3; k++)
            add_u16(out, coat->vertices[coat->triangles[i][k]].point);
        for (int k = 0; k < 3; k++)
            add_u16(out, coordinates->of_vertex[coat->triangles[i][k]]);
    }
}

static void save_header(const struct md2_header *header, struct buffer *out)
{
    const uint32_t words[] = {header->ident,     header->version,    header->skinwidth,  header->skinheight,
                              header->framesize, header->num_skins,  header->num_xyz,    header->num_st,
                              header->num_tris,  header->num_glcmds, header->num_frames, header->ofs_skins,
                              header->ofs_st,    header->ofs_tris,   header->ofs_frames, header->ofs_glcmds,
                              header->ofs_end};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        add_u32(out, words[i]);
}

void md2_save(const struct figure *figure, const struct motion *motions, int motion_count,
              const struct stance *frames, const char *const *skins, int skin_count, struct buffer *out)
{
    const struct coat *coat = &figure->coats[0];
    struct coordinates coordinates;
    struct buffer commands = {0};
    assert(figure->coat_count == 1);
    collect_coordinates(coat, &coordinates);
    save_commands(coat, &coordinates, &commands);

    struct md2_header header = {
        .ident = 0x32504449,
        .version = 8,
        .skinwidth = (uint32_t)coat->size,
        .skinheight = (uint32_t)coat->size,
        .num_skins = (uint32_t)skin_count,
        .num_xyz = (uint32_t)coat->point_count,
        .num_st = (uint32_t)coordinates.count,
        .num_tris = (uint32_t)coat->triangle_count,
        .num_glcmds = (uint32_t)(commands.length / 4),
    };
    for (int i = 0; i < motion_count; i++)
        header.num_frames += (uint32_t)motions[i].frame_count;
    header.framesize = MD2_FRAME_HEADER_SIZE + MD2_VERTEX_SIZE * header.num_xyz;
    header.ofs_skins = MD2_HEADER_SIZE;
    header.ofs_st = header.ofs_skins + MD2_SKIN_SIZE * header.num_skins;
    header.ofs_tris = header.ofs_st + MD2_ST_SIZE * header.num_st;
    header.ofs_frames = header.ofs_tris + MD2_TRIANGLE_SIZE * header.num_tris;
    header.ofs_glcmds = header.ofs_frames + header.framesize * header.num_frames;
    header.ofs_end = header.ofs_glcmds + 4 * header.num_glcmds;

    save_header(&header, out);
    save_tables(coat, &coordinates, skins, skin_count, out);
    for (int i = 0; i < motion_count; i++) {
        save_sequence(figure, &motions[i], frames, out);
        frames += motions[i].frame_count;
    }
    buffer_add(out, commands.text, commands.length);
    assert(out->length == header.ofs_end);
    buffer_release(&commands);
    free(coordinates.st);
    free(coordinates.of_vertex);
}
