/* UFO:AI's .anm: a text beside an MD2 that names its animations.
 *
 *     // name   first  last  frames per second
 *     walk0     191    206   22 */
#include <string.h>

#include "base/lexer.h"
#include "format/md2.h"

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

static int read_entry(struct lexer *lexer, struct arena *arena, struct entry *out, struct error *err)
{
    struct entry entry;
    struct token name;

    if (lexer_string(lexer, &name, err) < 0 || lexer_u32(lexer, &entry.first, err) < 0 ||
        lexer_u32(lexer, &entry.last, err) < 0 || lexer_f32(lexer, &entry.rate_hz, err) < 0)
        return -1;
    entry.line = name.line;
    if (entry.rate_hz < 0 || entry.rate_hz > ANM_MAX_RATE_HZ)
        return error_set(err, "%u: %g frames per second (0 to %d are allowed)", entry.line, entry.rate_hz,
                         ANM_MAX_RATE_HZ);
    if (entry.first > entry.last)
        return error_set(err, "%u: frames %u to %u run backwards", entry.line, entry.first, entry.last);
    entry.name = clip_name_clean(arena, name.text, name.length);
    *out = entry;
    return 0;
}

static void add_clip(struct model *model, struct entry *entry)
{
    uint32_t frame_count = model->animations[0].frame_count;
    const char *name = model_unique_clip_name(model, entry->name);

    if (entry->last >= frame_count) {
        strings_printf(&model->oddities, "animation '%s' (line %u) ends at frame %u of %u: cut off", entry->name,
                       entry->line, entry->last, frame_count);
        entry->last = frame_count - 1;
    }
    if (entry->rate_hz == 0) {
        if (entry->first < entry->last)
            strings_printf(&model->oddities, "animation '%s' (line %u) has 0 frames per second: played at %g",
                           entry->name, entry->line, ANM_DEFAULT_RATE_HZ);
        entry->rate_hz = ANM_DEFAULT_RATE_HZ;
    }
    if (strcmp(name, entry->name))
        strings_printf(&model->oddities, "animation '%s' (line %u) appears again: called '%s'", entry->name,
                       entry->line, name);
    model_add_clip(model, &(struct clip){.name = name,
                                         .first_frame = entry->first,
                                         .frame_count = entry->last - entry->first + 1,
                                         .rate_hz = entry->rate_hz});
}

int md2_add_clips(struct model *model, struct bytes bytes, struct error *err)
{
    uint32_t frame_count = model->animations[0].frame_count, count = 0, usable_count = 0;
    struct entry entries[ANM_MAX_ENTRIES];
    struct lexer lexer = lexer_at_start(bytes);
    struct token token;

    for (;; count++) {
        if (lexer_peek(&lexer, &token, err) < 0)
            return -1;
        if (token.kind == TOKEN_END)
            break;
        if (count == ANM_MAX_ENTRIES)
            return error_set(err, "%u: more than %d animations", token.line, ANM_MAX_ENTRIES);
        if (read_entry(&lexer, &model->arena, &entries[count], err) < 0)
            return -1;
        usable_count += entries[count].first < frame_count;
    }
    if (!count)
        return error_set(err, "no animations, at least 1 is needed");
    if (!usable_count)
        return error_set(err, "all %u animations lie past the model's last frame, %u", count, frame_count - 1);
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].first < frame_count)
            add_clip(model, &entries[i]);
        else
            strings_printf(&model->oddities, "animation '%s' (line %u) starts at frame %u of %u: left out",
                           entries[i].name, entries[i].line, entries[i].first, frame_count);
    }
    return 0;
}
