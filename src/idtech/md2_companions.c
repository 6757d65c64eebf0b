/* Files of UFO:AI beside an MD2: normals (.mdx), clips (.anm), tags (.tag). Binary files are little-endian. */
#include "idtech/md2.h"

#include <stdlib.h>
#include <string.h>

#include "base/lexer.h"

/* -- .mdx: which corners of an MD2's triangles share a normal ----------------------------------------------
 *
 *     "UFOMDX"
 *     version      1
 *     num_verts    how many normals there are
 *     num_indices  3 for each triangle of the MD2's table
 *     indices      num_indices numbers below num_verts, in the order of the table
 *
 * The game adds up the unit normals of the triangles that share a normal, at each keyframe, and blends what comes
 * out. It never uses the normals inside an MD2. */

int md2_add_normals(struct model *model, struct bytes bytes, struct error *err)
{
    static const char magic[] = {'U', 'F', 'O', 'M', 'D', 'X'};
    struct {
        uint32_t version, num_verts, num_indices;
    } header;
    struct cursor cursor = cursor_at(bytes, 0);
    const uint8_t *start = cursor_take(&cursor, sizeof magic);
    const uint32_t corner_count = model->index_count;
    if (!start || memcmp(start, magic, sizeof magic) != 0)
        return error_set(err, "not an .mdx file (does not start with \"UFOMDX\")");
    if (!read_words(&cursor, &header, sizeof header))
        return error_set(err, "too short for its header");
    if (header.version != 1)
        return error_set(err, "version %u (only 1 is supported)", header.version);
    if (header.num_indices != corner_count)
        return error_set(err, "%u corners of triangles, but the model has %u", header.num_indices, corner_count);
    const struct file_table tables[] = {
        {"normals", header.num_verts, 1, corner_count, 0, 0},
        {"corners", corner_count, 0, SIZE_MAX, cursor.at, sizeof(uint32_t)},
    };
    if (check_tables(bytes, tables, 2, err) < 0)
        return -1;
    SCOPED uint32_t *groups = must_alloc(corner_count, sizeof *groups);
    for (uint32_t i = 0; i < corner_count; i++) {
        groups[i] = cursor_u32(&cursor);
        if (groups[i] >= header.num_verts)
            return error_set(err, "corner %u has normal %u of %u", i, groups[i], header.num_verts);
    }
    return md2_split_points(model, groups, header.num_verts, err);
}

/* -- .anm: a text that names animations --------------------------------------------------------------------
 *
 *     // name   first  last  frames per second
 *     walk0     191    206   22 */

enum {
    /* Keeps the search for unique names short. Real files have up to 60 entries. */
    ANM_MAX_ENTRIES = 512,
    /* Real files go up to 50; above this a picture would be shown for less than a millisecond. */
    ANM_MAX_RATE_HZ = 1000,
};

/* For entries with a rate of 0. Real files write that for single frames ("dead1 29 29 0"). */
#define ANM_DEFAULT_RATE_HZ 10.0f

struct entry {
    const char *name; /* in the model's arena */
    uint32_t first, last;
    float rate_hz;
    unsigned line;
};

static void read_entry(struct lexer *lexer, struct arena *arena, struct entry *out)
{
    const struct token name = lexer_string(lexer);
    *out = (struct entry){.name = clip_name_clean(arena, name.text, name.length), .line = name.line};
    out->first = lexer_u32(lexer);
    out->last = lexer_u32(lexer);
    out->rate_hz = lexer_f32(lexer);
    if (out->rate_hz < 0 || out->rate_hz > ANM_MAX_RATE_HZ)
        lexer_fail(lexer, out->line, "%g frames per second (0 to %d are allowed)", (double)out->rate_hz,
                   ANM_MAX_RATE_HZ);
    if (out->first > out->last)
        lexer_fail(lexer, out->line, "frames %u to %u run backwards", out->first, out->last);
}

static void add_clip(struct model *model, const struct entry *entry)
{
    const uint32_t frame_count = model->animations[0].frame_count;
    const char *name = entry->name, *unique = model_unique_clip_name(model, name);
    struct strings *oddities = &model->oddities;
    uint32_t last = entry->last;
    if (last >= frame_count) {
        strings_printf(oddities, "animation '%s' (line %u) ends at frame %u of %u: cut off", name, entry->line,
                       last, frame_count);
        last = frame_count - 1;
    }
    if (entry->rate_hz == 0 && entry->first < last)
        strings_printf(oddities, "animation '%s' (line %u) has 0 frames per second: played at %g", name,
                       entry->line, ANM_DEFAULT_RATE_HZ);
    if (strcmp(unique, name))
        strings_printf(oddities, "animation '%s' (line %u) appears again: called '%s'", name, entry->line, unique);
    model_add_clip(model, &(struct clip){.name = unique,
                                         .first_frame = entry->first,
                                         .frame_count = last - entry->first + 1,
                                         .rate_hz = entry->rate_hz > 0 ? entry->rate_hz : ANM_DEFAULT_RATE_HZ});
}

int md2_add_clips(struct model *model, struct bytes bytes, struct error *err)
{
    const uint32_t frame_count = model->animations[0].frame_count;
    struct entry entries[ANM_MAX_ENTRIES];
    uint32_t count = 0, usable_count = 0;
    struct lexer lexer = lexer_at_start(bytes);
    struct token token;
    lexer.err = err;
    for (; lexer_peek(&lexer, &token); count++) {
        if (count == ANM_MAX_ENTRIES)
            return lexer_fail(&lexer, token.line, "more than %d animations", ANM_MAX_ENTRIES);
        read_entry(&lexer, &model->arena, &entries[count]);
        usable_count += entries[count].first < frame_count;
    }
    if (lexer.has_failed)
        return -1;
    if (!count)
        return error_set(err, "no animations, at least 1 is needed");
    if (!usable_count)
        return error_set(err, "all %u animations lie past the model's last frame, %u", count, frame_count - 1);
    if (model->has_guessed_clips) /* an .anm names what frame names can only hint at */
        model->clip_count = 0;
    model->has_guessed_clips = false;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].first < frame_count)
            add_clip(model, &entries[i]);
        else
            strings_printf(&model->oddities, "animation '%s' (line %u) starts at frame %u of %u: left out",
                           entries[i].name, entries[i].line, entries[i].first, frame_count);
    }
    return 0;
}

/* -- .tag: places that others hang on ----------------------------------------------------------------------
 *
 *     header  8 words: ident "JDP2", version 1, num_tags, num_frames, ofs_names, ofs_tags, ofs_end, unpacked_size
 *     names   num_tags of 64 bytes
 *     tags    for each tag num_frames of 12 floats: its x, y and z axes in the model's space, then its place
 *
 * unpacked_size is what a game needs in memory and says nothing about the file. Real axes are of length 1 and at
 * right angles, but for a few frames that an exporter blended number by number. */

struct tag_header {
    uint32_t ident, version, num_tags, num_frames, ofs_names, ofs_tags, ofs_end, unpacked_size;
};

enum {
    TAG_IDENT = 'J' | 'D' << 8 | 'P' << 16 | '2' << 24,
    TAG_VERSION = 1,
    TAG_NAME_SIZE = 64,
    TAG_FRAME_SIZE = 12 * 4,
    /* Keeps lists in messages and the search for a name short. Real files have up to 4. */
    TAG_MAX_TAGS = 256,
};

static int read_tag_header(struct bytes bytes, struct tag_header *h, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);
    if (!read_words(&cursor, h, sizeof *h))
        return error_set(err, "%zu bytes are too few for the header of a .tag file (%zu)", bytes.size, sizeof *h);
    if (h->ident != TAG_IDENT)
        return error_set(err, "not a .tag file: it does not start with \"JDP2\"");
    if (h->version != TAG_VERSION)
        return error_set(err, "a .tag file of version %u, only %d is known", h->version, TAG_VERSION);
    if (h->ofs_end > bytes.size)
        return error_set(err, "the file ends at byte %zu, but says %u", bytes.size, h->ofs_end);
    const struct file_table tables[] = {
        {"tags", h->num_tags, 1, TAG_MAX_TAGS, h->ofs_names, TAG_NAME_SIZE},
        {"frames of tags", h->num_frames, 1, UINT32_MAX, h->ofs_tags, (size_t)h->num_tags * TAG_FRAME_SIZE},
    };
    return check_tables(bytes, tables, 2, err);
}

int md2_load_tags(struct bytes bytes, struct arena *arena, struct tags *out, struct error *err)
{
    struct tag_header header;
    if (read_tag_header(bytes, &header, err) < 0)
        return -1;
    struct tag *tags = arena_must_alloc(arena, header.num_tags, sizeof *tags);
    for (uint32_t i = 0; i < header.num_tags; i++) {
        const size_t first_at = header.ofs_tags + (size_t)i * header.num_frames * TAG_FRAME_SIZE;
        const struct tag_place place = {header.ofs_names + (size_t)i * TAG_NAME_SIZE, first_at, TAG_FRAME_SIZE,
                                        false};
        if (read_tag(bytes, &place, header.num_frames, arena, &tags[i], NULL, err) < 0)
            return -1;
    }
    *out = (struct tags){header.num_frames, header.num_tags, tags};
    return 0;
}
