/* Names of frames that are files of their own, beside the sheet: `frames` of a job, and the sprites of GZDoom. */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/names.h"

enum { LETTERS = 26 };    /* of the sprites of Doom */
enum { MOST_CLIPS = 35 }; /* of a job for GZDoom: a digit, but 0, or a letter for each */
enum { MOST_NAME = 200 }; /* a temporary file beside it has a longer one, of at most 255 */

void sprite_rotations(const struct job *job, uint32_t number, char out[3])
{
    static const char each_22_5_deg[] = "192A3B4C5D6E7F8G"; /* ZDoom put eight between those of Doom */
    const struct camera *camera = &job->cameras[number];
    const int turn = (int)lround(camera->yaw_deg / 22.5);
    if (job->camera_count == 1 && !camera->mirrored)
        snprintf(out, 3, "0");
    else if (camera->has_eye || fabs(camera->yaw_deg - turn * 22.5) > 1e-3)
        out[0] = '\0';
    else
        snprintf(out, 3, "%c%.1s", each_22_5_deg[turn & 15], camera->mirrored ? &each_22_5_deg[-turn & 15] : "");
}

/* Of the cell's sample, counted over the clips of its sheet. */
static size_t number_in_sheet(const struct plan *plan, const struct cell *cell)
{
    size_t number = cell->sample;
    for (uint32_t t = 0; t < cell->take && plan->job->sheet.split != SPLIT_ANIMATION; t++)
        number += plan->takes[t].sample_count;
    return number;
}

/* What stands for one pair of braces. */
static int add_word(struct buffer *name, const struct plan *plan, const struct cell *cell, const char *word,
                    struct error *err)
{
    const struct job *job = plan->job;
    const size_t number = number_in_sheet(plan, cell);
    char rotations[3];
    if (!strncmp(word, "{job}", 5)) {
        buffer_printf(name, "%s", path_base(job->name));
    } else if (!strncmp(word, "{clip}", 6)) {
        buffer_printf(name, "%s", plan->takes[cell->take].name);
    } else if (!strncmp(word, "{direction}", 11)) {
        buffer_printf(name, "%s", job->cameras[cell->camera].name);
    } else if (!strncmp(word, "{skin}", 6)) {
        buffer_printf(name, "%s",
                      plan->parts[0].outfits[cell->skin].name ? plan->parts[0].outfits[cell->skin].name : "");
    } else if (!strncmp(word, "{letter}", 8) || !strncmp(word, "{rotation}", 10)) {
        sprite_rotations(job, cell->camera, rotations);
        if (number >= LETTERS && (word[1] == 'l' || rotations[1]))
            return error_set(err,
                             "'frames' asks for letters, which end at Z, and a sheet has more frames than that: "
                             "`split: animation` begins anew with each clip");
        if (word[1] == 'r' && !rotations[0])
            return error_set(err,
                             "'frames' asks for rotations, which are yaws of 0, 22.5, 45 and so on, and the "
                             "camera '%s' has none of these",
                             job->cameras[cell->camera].name);
        if (word[1] == 'l')
            buffer_printf(name, "%c", (char)('A' + number));
        else if (rotations[1])
            buffer_printf(name, "%c%c%c", rotations[0], (char)('A' + number), rotations[1]);
        else
            buffer_printf(name, "%s", rotations);
    } else { /* {frame} or {frame:N} */
        buffer_printf(name, "%0*u", word[6] == ':' ? word[7] - '0' : 0, cell->sample);
    }
    return 0;
}

char *frame_file_name(const struct plan *plan, const struct sheet_plan *sheet, uint32_t page,
                      const struct cell *cell, struct error *err)
{
    SCOPED char *folder = names_page(sheet->base, page, FRAMES_SUFFIX "/");
    struct buffer name = {0};
    int result = 0;
    buffer_printf(&name, "%s", folder);
    for (const char *at = plan->job->frame_name; *at && result == 0;) {
        const size_t plain = strcspn(at, "{");
        buffer_add(&name, at, plain);
        at += plain;
        if (*at) {
            result = add_word(&name, plan, cell, at, err);
            at = strchr(at, '}') + 1;
        }
    }
    if (result < 0)
        buffer_release(&name);
    return name.text;
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

/* A part of the name may be empty, and clips have long names. */
static int check_name(const char *name, struct error *err)
{
    size_t length = strlen(name);
    if (name[0] == '.')
        return error_set(err, "'frames' gives a frame the name '%s', which starts with '.'", name);
    if (length > MOST_NAME)
        return error_set(err, "'frames' gives a frame a name of %zu bytes, '%.40s...', at most %d are allowed",
                         length, name, MOST_NAME);
    return 0;
}

/* Whether the metadata of GZDoom have a name of its own for each cell: see page/exporters. */
static int check_sprites(const struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    char own[3], other[3];
    for (uint32_t i = 0; i < job->camera_count; i++) {
        sprite_rotations(job, i, own);
        if (!own[0])
            return error_set(err,
                             "sprites of GZDoom have yaws of 0, 22.5, 45 and so on, and the camera '%s' has none "
                             "of these",
                             job->cameras[i].name);
        for (uint32_t before = 0; before < i; before++) {
            sprite_rotations(job, before, other);
            if (strpbrk(own, other))
                return error_set(err,
                                 "sprites of GZDoom differ in their yaws, and the cameras '%s' and '%s' do not",
                                 job->cameras[before].name, job->cameras[i].name);
        }
    }
    for (const struct take *take = plan->takes; take < plan->takes + plan->take_count; take++)
        if (take->sample_count > LETTERS)
            return error_set(err, "clips of GZDoom have at most %d frames, and '%s' has %zu", LETTERS, take->name,
                             take->sample_count);
    const size_t clips = plan->parts[0].outfit_count * plan->take_count;
    return clips > MOST_CLIPS
               ? error_set(err,
                           "a job for GZDoom has at most %d clips, counted in each skin, and this one has %zu",
                           MOST_CLIPS, clips)
               : 0;
}

int frame_names_check(const struct plan *plan, struct error *err)
{
    if (plan->job->metadata & 1u << METADATA_GZDOOM && check_sprites(plan, err) < 0)
        return error_add(err, "metadata 'gzdoom'");
    for (size_t s = 0; s < plan->sheet_count && plan->job->frame_name; s++) {
        const struct sheet_plan *sheet = &plan->sheets[s];
        SCOPED_BY(strings_release) struct strings names = {0};
        for (size_t i = 0; i < sheet->layout.cell_count; i++) {
            SCOPED char *name = frame_file_name(plan, sheet, 0, &sheet->cells[i], err);
            if (!name || check_name(path_base(name), err) < 0)
                return -1;
            strings_add(&names, path_base(name));
        }
        SORT(names.items, names.count, compare_names);
        for (size_t i = 1; i < names.count; i++)
            if (!strcasecmp(names.items[i - 1], names.items[i]))
                return error_set(err,
                                 "'frames' gives two frames one name, '%s': {clip}, {direction}, {frame} and, of "
                                 "several skins, {skin} tell them apart",
                                 names.items[i]);
    }
    return 0;
}
