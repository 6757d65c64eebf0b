#include "review/review_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strings.h"
#include "image/image_format.h"
#include "job/rules.h"
#include "page/reasons.h"

#define NO_CAUSE "unknown", "the records give no cause"

const struct review_state_row review_states[REVIEW_STATE_COUNT] = {
    [REVIEW_UNKNOWN] = {"unknown", "not-compared", "not compared"},
    [REVIEW_FAILED] = {"failed", "failed", "cannot be made"},
    [REVIEW_TEXTURE_LOST] = {"texture-lost", NO_CAUSE},
    [REVIEW_NEW_WARNING] = {"new-warning", NO_CAUSE},
    [REVIEW_CHANGED] = {"changed", NO_CAUSE},
    [REVIEW_REMOVED] = {"removed", "removed", "no longer made"},
    [REVIEW_ADDED] = {"added", "added", "not made before"},
    [REVIEW_FIXED] = {"fixed", "fixed", "could not be made before"},
    [REVIEW_RENAMED] = {"renamed", "renamed", "only names differ"},
    [REVIEW_RESCALED] = {"rescaled", NO_CAUSE},
    [REVIEW_MOVED] = {"moved", NO_CAUSE},
    [REVIEW_RETIMED] = {"retimed", NO_CAUSE},
    [REVIEW_REPACKED] = {"repacked", NO_CAUSE},
    [REVIEW_SETTINGS] = {"settings", NO_CAUSE},
    [REVIEW_SAME] = {"same", NO_CAUSE},
};

void review_add_counts(struct buffer *out, const char *before, const size_t counts[REVIEW_STATE_COUNT],
                       unsigned states)
{
    for (enum review_state state = 0; state < REVIEW_STATE_COUNT; state++)
        if (counts[state] && states & 1u << state) {
            buffer_printf(out, "%s%zu %s", before, counts[state], review_states[state].name);
            before = ", ";
        }
}

static size_t sum_of(const size_t counts[REVIEW_STATE_COUNT], unsigned states)
{
    size_t sum = 0;
    for (enum review_state state = 0; state < REVIEW_STATE_COUNT; state++)
        sum += states & 1u << state ? counts[state] : 0;
    return sum;
}

/* -- Frames ------------------------------------------------------------------------------------------------- */

/* A sheet that both versions have, while it is compared. */
struct pair {
    struct review_sheet *sheet;
    struct made_pictures before_pictures, after_pictures;
    const struct review_settings *settings;
    uint64_t work; /* pixels that were looked at */
};

/* The name without that of the job, which may have been renamed. */
static const char *rest_of(const char *name, const char *job)
{
    size_t length = strlen(job);
    return !strncmp(name, job, length) && name[length] == '/' ? name + length + 1 : name;
}

static bool is_one_size(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return a->source_px[0] == b->source_px[0] && a->source_px[1] == b->source_px[1];
}

/* 0 is not known. */
static bool are_other_sizes(double a, double b)
{
    const double rounding = 1e-5; /* JSON has six decimals */
    return a > 0 && b > 0 && fabs(a - b) > rounding * fmax(a, b);
}

static bool is_rescaled(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return are_other_sizes(a->scale.pixels_per_unit, b->scale.pixels_per_unit);
}

static bool has_other_depths(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return are_other_sizes(a->scale.nearest, b->scale.nearest) ||
           are_other_sizes(a->scale.farthest, b->scale.farthest);
}

bool review_looks_otherwise(const struct review_sheet *sheet, const struct review_frame *frame)
{
    return REVIEW_OTHERWISE & 1u << frame->state || (frame->state == REVIEW_RESCALED && !sheet->is_framed);
}

const struct atlas_frame *review_shipped(const struct review_sheet *sheet, const struct review_frame *frame,
                                         int version)
{
    const struct atlas_frame *compared = version ? frame->after : frame->before;
    return compared && sheet->is_framed ? made_sheet_frame(sheet->shipped[version], compared->name) : compared;
}

static bool is_moved(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return !is_one_size(a, b) || a->pivot[0] != b->pivot[0] || a->pivot[1] != b->pivot[1] ||
           !made_frame_is_told_alike(a, b);
}

/* Pixels from the pivot of one to that of the other, from the top left of their cells. */
static double pivot_step(const struct atlas_frame *a, const struct atlas_frame *b, int axis)
{
    return b->pivot[axis] * b->source_px[axis] - a->pivot[axis] * a->source_px[axis];
}

/* Whether pixels of two folders can be laid on each other: one scale, and not half a pixel apart as in odd and even cells. */
static bool are_comparable(const struct atlas_frame *a, const struct atlas_frame *b)
{
    const double x = pivot_step(a, b, 0), y = pivot_step(a, b, 1), rounding = 1e-2;
    const bool are_between = fabs(x - round(x)) > rounding || fabs(y - round(y)) > rounding;
    return !is_rescaled(a, b) && (is_one_size(a, b) || !are_between);
}

/* Whole pixels from the pivot of `before` to that of `after`; 0 where they would be out of reach. */
static void align_pivots(const struct atlas_frame *before, const struct atlas_frame *after, int32_t offset[2])
{
    for (int i = 0; i < 2; i++) {
        double pixels = round(pivot_step(before, after, i));
        offset[i] = fabs(pixels) <= IMAGE_MAX_SIDE ? (int32_t)pixels : 0;
    }
}

/* Reads no picture: one place in files of one hash. */
static bool has_same_bytes(const struct pair *pair, const struct atlas_frame *a, const struct atlas_frame *b,
                           const char *pass)
{
    const struct made_pass *a_pass = made_page_pass(&pair->sheet->before->pages[a->page], pass);
    const struct made_pass *b_pass = made_page_pass(&pair->sheet->after->pages[b->page], pass);
    return a_pass && b_pass && *a_pass->hash && !strcmp(a_pass->hash, b_pass->hash) &&
           made_frame_is_same_place(a, b);
}

/* A stranger's JSON may have thousands of frames that lie over one another: the work is bounded by the pictures. */
static int add_work(struct pair *pair, uint64_t pixels, struct error *err)
{
    const struct made_pictures *before = &pair->before_pictures, *after = &pair->after_pictures;
    const uint64_t to_begin_with = 1 << 28, for_a_pixel = 16;
    pair->work += pixels;
    if (pair->work + before->read_px + after->read_px <=
        to_begin_with + for_a_pixel * (before->distinct_px + after->distinct_px))
        return 0;
    return error_set(err,
                     "%s/%s: its frames lie over one another: they have more than %u times the pixels of their "
                     "pictures",
                     pair->sheet->after->set->name, pair->sheet->after->name, (unsigned)for_a_pixel);
}

static int compare_pass(struct pair *pair, const struct atlas_frame *a, const struct atlas_frame *b,
                        const char *pass, struct review_change *out, struct error *err)
{
    struct pixel_view before, after;
    int32_t offset[2];
    float tolerance = (float)pair->settings->tolerance;
    *out = (struct review_change){0};
    if (has_same_bytes(pair, a, b, pass))
        return 0;
    if (made_frame_cell(&pair->before_pictures, pair->sheet->before, a, pass, &before, err) < 0 ||
        made_frame_cell(&pair->after_pictures, pair->sheet->after, b, pass, &after, err) < 0)
        return -1;
    align_pivots(a, b, offset);
    uint64_t work = pixels_compare(&before, &after, offset, tolerance, &out->pixels);
    memcpy(out->offset, offset, sizeof offset);
    if (is_one_size(a, b) && out->pixels.pixels > pair->settings->pixels && (offset[0] || offset[1])) {
        struct review_change unmoved = {0}; /* perhaps only the origin has moved */
        work += pixels_compare(&before, &after, unmoved.offset, tolerance, &unmoved.pixels);
        if (unmoved.pixels.pixels < out->pixels.pixels)
            *out = unmoved;
    }
    return add_work(pair, work, err);
}

/* Joins two changes: that with the larger mean, the larger maximum, and the box around both. */
static void take_worse(struct pixel_change *worst, const struct pixel_change *other)
{
    const float max = fmaxf(worst->max, other->max);
    int32_t box[4] = {other->box[0], other->box[1], other->box[2], other->box[3]};
    for (int axis = 0; axis < 2 && worst->pixels; axis++) {
        int32_t end = box[axis] + box[axis + 2], worst_end = worst->box[axis] + worst->box[axis + 2];
        box[axis] = box[axis] < worst->box[axis] ? box[axis] : worst->box[axis];
        box[axis + 2] = (end > worst_end ? end : worst_end) - box[axis];
    }
    if (other->mean != worst->mean ? other->mean > worst->mean : other->pixels > worst->pixels)
        *worst = *other;
    worst->max = max;
    memcpy(worst->box, box, sizeof box);
}

static int compare_places(const struct atlas_frame *a, const struct atlas_frame *b)
{
    int order = (a->page > b->page) - (a->page < b->page);
    order = order ? order : memcmp(&a->rect, &b->rect, sizeof a->rect);
    order = order ? order : memcmp(&a->source, &b->source, sizeof a->source);
    order = order ? order : memcmp(a->source_px, b->source_px, sizeof a->source_px);
    return order ? order : memcmp(a->pivot, b->pivot, sizeof a->pivot);
}

/* Orders frames by their pages, then by their places. */
static int compare_pairs(const void *a_item, const void *b_item)
{
    const struct review_frame *a = *(struct review_frame *const *)a_item,
                              *b = *(struct review_frame *const *)b_item;
    int order = (a->after->page > b->after->page) - (a->after->page < b->after->page);
    order = order ? order : compare_places(a->before, b->before);
    return order ? order : compare_places(a->after, b->after);
}

/* Adds what differs in a pass. Takes the frames sorted, so it reads a picture once, and compares cells that frames share
 * once. */
static int compare_frames_of_pass(struct pair *pair, size_t pass, struct review_frame **frames, size_t count,
                                  struct error *err)
{
    const char *name = pair->sheet->passes[pass];
    struct review_change change = {0};
    for (size_t i = 0; i < count; i++) {
        const struct atlas_frame *a = frames[i]->before, *b = frames[i]->after;
        if (!made_page_pass(&pair->sheet->before->pages[a->page], name) ||
            !made_page_pass(&pair->sheet->after->pages[b->page], name))
            continue;
        bool is_shared = i > 0 && compare_pairs(&frames[i - 1], &frames[i]) == 0;
        if (!is_shared && compare_pass(pair, a, b, name, &change, err) < 0)
            return -1;
        if (change.pixels.pixels <= pair->settings->pixels)
            continue;
        frames[i]->change.passes |= 1u << pass;
        memcpy(frames[i]->change.offset, change.offset, sizeof change.offset);
        take_worse(&frames[i]->change.pixels, &change.pixels);
    }
    return 0;
}

/* Equal pixels at two scales say nothing of the model: what should have been framed and was not is changed. */
static enum review_state state_of_frame(const struct pair *pair, const struct review_frame *frame)
{
    const struct review_sheet *sheet = pair->sheet;
    const struct atlas_frame *old = review_shipped(sheet, frame, 0), *new = review_shipped(sheet, frame, 1);
    if (frame->change.passes)
        return REVIEW_CHANGED;
    if (!pair->settings->is_drawn && !are_comparable(frame->before, frame->after))
        return REVIEW_RESCALED;
    if (old && new && (is_rescaled(old, new) || has_other_depths(old, new)))
        return pair->settings->is_drawn && !sheet->is_framed ? REVIEW_CHANGED : REVIEW_RESCALED;
    if (is_moved(frame->before, frame->after) || (old && new &&is_moved(old, new)))
        return REVIEW_MOVED;
    return frame->before->duration_ms != frame->after->duration_ms ? REVIEW_RETIMED : REVIEW_SAME;
}

/* -- Frames under other names ------------------------------------------------------------------------------- */

/* A frame that only one version has, and what its cell looks like. */
struct unmatched {
    char hash[HASH_SIZE];
    const struct atlas_frame *frame;
    struct review_frame *review;
};

static int compare_hashes(const void *a_item, const void *b_item)
{
    const struct unmatched *a = a_item, *b = b_item;
    int order = strcmp(a->hash, b->hash);
    return order ? order : strcmp(a->frame->name, b->frame->name);
}

static int compare_unmatched_places(const void *a, const void *b)
{
    return compare_places(((const struct unmatched *)a)->frame, ((const struct unmatched *)b)->frame);
}

/* Sorts them by the hashes of their cells. */
static int hash_unmatched(struct pair *pair, bool is_after, struct unmatched *items, size_t count,
                          struct error *err)
{
    struct made_pictures *pictures = is_after ? &pair->after_pictures : &pair->before_pictures;
    const struct made_sheet *sheet = is_after ? pair->sheet->after : pair->sheet->before;
    qsort(items, count, sizeof *items, compare_unmatched_places);
    for (size_t i = 0; i < count; i++) {
        struct pixel_view view;
        if (i > 0 && compare_unmatched_places(&items[i - 1], &items[i]) == 0) {
            memcpy(items[i].hash, items[i - 1].hash, sizeof items[i].hash);
            continue;
        }
        if (made_frame_cell(pictures, sheet, items[i].frame, "color", &view, err) < 0 ||
            add_work(pair, (uint64_t)view.shown.width * view.shown.height, err) < 0)
            return -1;
        pixels_hash(&view, items[i].hash);
    }
    qsort(items, count, sizeof *items, compare_hashes);
    return 0;
}

/* Both are sorted by hash. A removed frame that is found again loses its `before`. */
static void match_renamed(struct unmatched *removed, size_t removed_count, struct unmatched *added,
                          size_t added_count)
{
    for (size_t i = 0, j = 0; i < removed_count && j < added_count;) {
        int order = strcmp(removed[i].hash, added[j].hash);
        if (order == 0) {
            added[j].review->state = REVIEW_RENAMED;
            added[j].review->before = removed[i].frame;
            added[j].review->old_name = removed[i].frame->name;
            removed[i].review->before = NULL;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

/* Takes the frames that have neither out of their clips. */
static void drop_taken(struct review_sheet *sheet)
{
    struct review_frame *kept = sheet->frames;
    for (size_t i = 0; i < sheet->clip_count; i++) {
        struct review_clip *clip = &sheet->clips[i];
        const struct review_frame *frame = clip->frames, *end = frame + clip->frame_count;
        for (clip->frames = kept; frame < end; frame++)
            if (frame->before || frame->after)
                *kept++ = *frame;
        clip->frame_count = (size_t)(kept - clip->frames);
    }
    sheet->frame_count = (size_t)(kept - sheet->frames);
}

static int find_renamed(struct pair *pair, struct error *err)
{
    struct review_sheet *sheet = pair->sheet;
    size_t added_count = 0, removed_count = 0;
    SCOPED struct unmatched *added = must_alloc(sheet->frame_count, sizeof *added);
    SCOPED struct unmatched *removed = must_alloc(sheet->frame_count, sizeof *removed);
    for (size_t i = 0; i < sheet->frame_count; i++) {
        struct review_frame *frame = &sheet->frames[i];
        if (!frame->before)
            added[added_count++] = (struct unmatched){.frame = frame->after, .review = frame};
        else if (!frame->after)
            removed[removed_count++] = (struct unmatched){.frame = frame->before, .review = frame};
    }
    int result = 0;
    if (added_count && removed_count) {
        if (hash_unmatched(pair, false, removed, removed_count, err) < 0 ||
            hash_unmatched(pair, true, added, added_count, err) < 0)
            result = -1;
        else
            match_renamed(removed, removed_count, added, added_count);
    }
    drop_taken(sheet);
    return result;
}

/* -- A sheet's frames --------------------------------------------------------------------------------------- */

static const struct atlas_frame *find_other(const struct made_sheet *sheet, const struct made_sheet *from,
                                            const struct atlas_frame *frame)
{
    SCOPED char *name = must_printf("%s/%s", sheet->job, rest_of(frame->name, from->job));
    const struct atlas_frame *found = made_sheet_frame(sheet, name);
    return found ? found : made_sheet_frame(sheet, frame->name);
}

/* Finds a clip by name. Clips are sorted, but that of frames in no clip has no name and stands last. */
static const struct atlas_clip *find_clip(const struct made_sheet *sheet, const char *name)
{
    if (!sheet || !sheet->clip_count)
        return NULL;
    const struct atlas_clip *last = &sheet->clips[sheet->clip_count - 1];
    return !*name && !*last->name ? last
                                  : bsearch(&name, sheet->clips, sheet->clip_count - !*last->name,
                                            sizeof *sheet->clips, strings_compare);
}

/* Adds a clip: the frames that `after` has, then those that only `before` has. */
static void add_clip(struct review_sheet *sheet, const char *name)
{
    const struct made_sheet *before = sheet->before, *after = sheet->after;
    const struct atlas_clip *old = find_clip(before, name), *new = find_clip(after, name);
    struct review_clip *clip = &sheet->clips[sheet->clip_count++];
    struct review_frame *end = &sheet->frames[sheet->frame_count];
    *clip = (struct review_clip){.name = name, .loop = (new ? new : old)->loop, .frames = end};
    for (size_t i = 0; new &&i < new->frame_count; i++) {
        const struct atlas_frame *frame = &after->frames[new->first_frame + i];
        const struct atlas_frame *other = before ? find_other(before, after, frame) : NULL;
        *end++ =
            (struct review_frame){.name = frame->name, .state = REVIEW_ADDED, .before = other, .after = frame};
    }
    for (size_t i = 0; old && i < old->frame_count; i++) {
        const struct atlas_frame *frame = &before->frames[old->first_frame + i];
        if (!after || !find_other(after, before, frame))
            *end++ = (struct review_frame){.name = frame->name, .state = REVIEW_REMOVED, .before = frame};
    }
    clip->frame_count = (size_t)(end - clip->frames);
    sheet->frame_count += clip->frame_count;
}

static void add_clips(struct arena *arena, struct review_sheet *sheet)
{
    static const struct made_sheet none;
    const struct made_sheet *before = sheet->before ? sheet->before : &none;
    const struct made_sheet *after = sheet->after ? sheet->after : &none;
    sheet->clips = arena_must_alloc(arena, before->clip_count + after->clip_count, sizeof *sheet->clips);
    sheet->frames = arena_must_alloc(arena, before->frame_count + after->frame_count, sizeof *sheet->frames);
    for (size_t i = 0; i < after->clip_count; i++)
        add_clip(sheet, after->clips[i].name);
    for (size_t i = 0; i < before->clip_count; i++)
        if (!find_clip(after, before->clips[i].name))
            add_clip(sheet, before->clips[i].name);
}

static int compare_frames(struct pair *pair, struct error *err)
{
    struct review_sheet *sheet = pair->sheet;
    SCOPED struct review_frame **both = must_alloc(sheet->frame_count, sizeof(struct review_frame *));
    size_t count = 0;
    for (size_t i = 0; i < sheet->frame_count; i++) {
        struct review_frame *frame = &sheet->frames[i];
        if (frame->before && frame->after &&
            (pair->settings->is_drawn || are_comparable(frame->before, frame->after)))
            both[count++] = frame;
    }
    qsort(both, count, sizeof *both, compare_pairs);
    int result = 0;
    for (size_t pass = 0; pass < sheet->pass_count && result == 0; pass++)
        result = compare_frames_of_pass(pair, pass, both, count, err);
    for (size_t i = 0; i < sheet->frame_count; i++)
        if (sheet->frames[i].before && sheet->frames[i].after)
            sheet->frames[i].state = state_of_frame(pair, &sheet->frames[i]);
    return result < 0 ? -1 : find_renamed(pair, err);
}

/* -- A sheet ------------------------------------------------------------------------------------------------ */

/* Adds the passes of a sheet: its first page has them all. */
static void add_passes(const struct made_sheet *sheet, const char **passes, size_t *count)
{
    for (size_t p = 0; sheet && p < sheet->pages[0].pass_count; p++) {
        const char *name = sheet->pages[0].passes[p].name;
        if (!named_find(passes, *count, sizeof *passes, name, false))
            passes[(*count)++] = name;
    }
}

char *review_warning(const char *text)
{
    static const char hint[] = ", see -v";
    const char *at = strstr(text, hint);
    return at ? must_printf("%.*s%s", (int)(at - text), text, at + strlen(hint)) : must_strdup(text);
}

/* Warnings of `of` that `other` does not have. */
static const char *const *other_warnings(struct arena *arena, const struct record *of, const struct record *other,
                                         size_t *count)
{
    const char **found = arena_must_alloc(arena, of->warning_count, sizeof *found);
    SCOPED_BY(strings_release) struct strings known = {0};
    for (size_t i = 0; i < other->warning_count; i++)
        strings_add(&known, other->warnings[i]);
    strings_sort(&known);
    for (size_t i = 0; i < of->warning_count; i++)
        if (!strings_has_sorted(&known, of->warnings[i]))
            found[(*count)++] = arena_take(arena, review_warning(of->warnings[i]));
    return found;
}

static bool has_same_files(const struct made_sheet *a, const struct made_sheet *b)
{
    for (size_t i = 0; i < a->page_count && i < b->page_count; i++) {
        const struct record *old = &a->pages[i].record, *new = &b->pages[i].record;
        if (old->file_count != new->file_count)
            return false;
        for (size_t f = 0; f < old->file_count; f++)
            if (strcmp(old->files[f].name, new->files[f].name) || strcmp(old->files[f].hash, new->files[f].hash))
                return false;
    }
    return a->page_count == b->page_count;
}

static bool has_other_loops(const struct review_sheet *sheet)
{
    for (size_t i = 0; i < sheet->after->clip_count; i++) {
        const struct atlas_clip *old = find_clip(sheet->before, sheet->after->clips[i].name);
        if (old && old->loop != sheet->after->clips[i].loop)
            return true;
    }
    return false;
}

static bool has_same_places(const struct review_sheet *sheet)
{
    for (size_t i = 0; i < sheet->frame_count; i++) {
        const struct atlas_frame *before = sheet->frames[i].before, *after = sheet->frames[i].after;
        if (before->page != after->page || !made_frame_is_same_place(before, after))
            return false;
    }
    return true;
}

/* The state of a sheet whose frames are all the same. With a tolerance, other bytes of files are no difference, nor is
 * another group, which is the last reason. Lists may say the same in other words. */
static enum review_state state_of_same_frames(const struct review_sheet *sheet, bool is_tolerant)
{
    SCOPED_BY(reasons_release) struct reasons reasons = {0};
    bool is_in_place = is_tolerant ? has_same_places(sheet) : has_same_files(sheet->shipped[0], sheet->shipped[1]);
    (is_tolerant ? reasons_add_settings : reasons_compare)(&reasons, made_sheet_record(sheet->shipped[0]),
                                                           made_sheet_record(sheet->shipped[1]));
    bool is_same = (is_tolerant || is_in_place) && !sheet->new_warning_count && !sheet->gone_warning_count &&
                   (!reasons.count || (is_tolerant && reasons.items[0].kind == REASON_GROUP));
    return is_same ? REVIEW_SAME : is_in_place ? REVIEW_SETTINGS : REVIEW_REPACKED;
}

/* Whether the sheet reads a file now that was missing before. */
static bool has_new_file(const struct record *old, const struct record *new)
{
    bool has = false;
    for (size_t i = 0; i < old->absent_count && !has; i++)
        has = record_find(&new->inputs, old->absent[i]) != NULL;
    return has;
}

/* Whether more textures are missing (one that a guess replaces counts), or as many, and the sheet no longer reads a picture
 * though none came in its place. */
static bool has_lost_texture(const struct review_sheet *sheet)
{
    static const char count[] = "missing_textures";
    const struct record *old = made_sheet_record(sheet->shipped[0]), *new = made_sheet_record(sheet->shipped[1]);
    const struct record_pair *was = record_find(&old->facts, count), *is = record_find(&new->facts, count);
    unsigned long missing = is ? strtoul(is->value, NULL, 10) : 0;
    bool has_lost = missing && was && missing > strtoul(was->value, NULL, 10);
    const bool is_judged = missing && sheet->new_warning_count && !has_new_file(old, new);
    for (size_t i = 0; is_judged && i < old->inputs.count && !has_lost; i++) {
        const char *input = old->inputs.items[i].name;
        has_lost = image_has_suffix(path_suffix(input)) && !record_find(&new->inputs, input);
    }
    return has_lost;
}

static enum review_state state_of(const struct review_sheet *sheet, const struct review_settings *settings)
{
    const size_t *counts = sheet->counts;
    if (!sheet->before || !sheet->after)
        return sheet->after ? REVIEW_ADDED : REVIEW_REMOVED;
    if (has_lost_texture(sheet))
        return REVIEW_TEXTURE_LOST;
    if (sum_of(counts, REVIEW_OTHERWISE))
        return REVIEW_CHANGED;
    if (counts[REVIEW_RESCALED] && !settings->is_drawn) /* not compared: no other name may hide that */
        return REVIEW_RESCALED;
    for (enum review_state state = REVIEW_RENAMED; state <= REVIEW_RETIMED; state++)
        if (counts[state] || (state == REVIEW_RENAMED && sheet->old_name) ||
            (state == REVIEW_RETIMED && has_other_loops(sheet)))
            return state;
    return state_of_same_frames(sheet, settings->tolerance > 0 || settings->pixels);
}

static void count_frames(struct review_sheet *sheet)
{
    for (size_t c = 0; c < sheet->clip_count; c++)
        for (size_t i = 0; i < sheet->clips[c].frame_count; i++) {
            const struct review_frame *frame = &sheet->clips[c].frames[i];
            sheet->clips[c].counts[frame->state]++;
            sheet->counts[frame->state]++;
            take_worse(&sheet->change.pixels, &frame->change.pixels);
            sheet->change.passes |= frame->change.passes;
        }
}

/* -- Numbers, in words -------------------------------------------------------------------------------------- */

/* Adds those that do not look otherwise: "72 moved, 3 retimed". */
static void add_others(struct buffer *out, const size_t counts[REVIEW_STATE_COUNT], bool is_framed)
{
    const unsigned same_pixels = 1u << REVIEW_RENAMED | 1u << REVIEW_MOVED | 1u << REVIEW_RETIMED;
    review_add_counts(out, "", counts, same_pixels);
    if (counts[REVIEW_RESCALED])
        buffer_printf(out, "%s%zu rescaled%s", sum_of(counts, same_pixels) ? ", " : "", counts[REVIEW_RESCALED],
                      is_framed ? "" : ": not compared");
}

/* Adds "2 of 8", of each clip by its name where one or two of more look otherwise, else of all frames. Where none does, adds
 * the names of one or two of more that are not the same. Those that differ in the camera alone are one. */
static void add_parts(struct buffer *out, const struct review_sheet *sheet, bool are_looks)
{
    enum { MOST_NAMED = 2 };
    const struct review_clip *clip = sheet->clips, *end = clip + sheet->clip_count;
    SCOPED_BY(buffer_release) struct buffer names = {0};
    const unsigned states = are_looks ? REVIEW_OTHERWISE : ~(1u << REVIEW_SAME);
    size_t motions = 0, named = 0;
    for (; clip < end; motions++) {
        const char *name = clip->name, *camera = strrchr(name, '/');
        const size_t length = camera ? (size_t)(camera - name) : strlen(name);
        size_t all = 0, others = 0;
        for (; clip < end && !strncmp(clip->name, name, length) && strchr("/", clip->name[length]); clip++) {
            all += clip->frame_count;
            others += sum_of(clip->counts, states);
        }
        if (others)
            buffer_printf(&names, "%s%.*s", named++ ? ", " : "", (int)length, name);
        if (others && are_looks)
            buffer_printf(&names, " %zu of %zu", others, all);
    }
    if (named && named <= MOST_NAMED && named < motions)
        buffer_printf(out, "%s%s", names.text, are_looks ? "" : " ");
    else if (are_looks)
        buffer_printf(out, "%zu of %zu", sum_of(sheet->counts, REVIEW_OTHERWISE), sheet->frame_count);
}

/* Says how many frames of the sheet, or of one of its clips, look otherwise, and what the others are. */
static const char *tell_frames(const struct review_sheet *sheet, const struct review_clip *clip,
                               struct arena *arena)
{
    const size_t *counts = clip ? clip->counts : sheet->counts,
                 all = clip ? clip->frame_count : sheet->frame_count;
    const size_t looks = sum_of(counts, REVIEW_OTHERWISE);
    const bool is_in_both = sheet->before && sheet->after;
    SCOPED_BY(buffer_release) struct buffer text = {0};
    if (counts[REVIEW_SAME] == all)
        return "";
    if (!clip && is_in_both)
        add_parts(&text, sheet, looks);
    else if (!clip)
        buffer_printf(&text, "%zu", all);
    else if (looks)
        buffer_printf(&text, "%zu of %zu", looks, all);
    if (looks || !is_in_both)
        buffer_printf(&text, " frame%s", all == 1 ? "" : "s");
    if (looks && (clip || is_in_both))
        review_add_counts(&text, counts[REVIEW_CHANGED] ? ", of these " : ", ", counts,
                          1u << REVIEW_ADDED | 1u << REVIEW_REMOVED);
    const size_t length = text.length;
    if (clip || is_in_both)
        add_others(&text, counts, sheet->is_framed);
    const char *others = text.length > length && looks ? text.text + length : "";
    return *others ? arena_printf(arena, "%.*s (%s)", (int)length, text.text, others)
                   : arena_strdup(arena, text.text ? text.text : "");
}

static void say_numbers(struct review_sheet *sheet, struct arena *arena)
{
    const double percent = 100 * (double)sheet->change.pixels.mean;
    const int digits = (percent < 9.95) + (percent < 0.0995);
    sheet->change_text = !sheet->change.passes ? ""
                         : percent < 0.005     ? "below 0.01 %"
                                               : arena_printf(arena, "%.*f %%", digits, percent);
    sheet->frames_text = tell_frames(sheet, NULL, arena);
    for (size_t i = 0; i < sheet->clip_count; i++)
        sheet->clips[i].frames_text = tell_frames(sheet, &sheet->clips[i], arena);
}

/* What changes by less than this part of it is the same to people. */
static const double SEEN = 0.01;

/* -- What ships, in words ----------------------------------------------------------------------------------- */

/* The largest changes between two versions, and where they are. */
struct shipped_change {
    const struct atlas_frame *old, *new; /* of those that are rescaled, or of all, the first */
    bool is_several;                     /* scales */
    double moved_px;
    const char *camera, *first_camera; /* that moves most; the first that moves */
    bool are_others;                   /* more cameras move */
    bool is_changed;                   /* a frame: then a scale that hardly differs is no news */
};

static void add_shipped(struct shipped_change *change, const struct atlas_frame *old,
                        const struct atlas_frame *new, const char *camera)
{
    const double least_px = 0.005, px = hypot(pivot_step(old, new, 0), pivot_step(old, new, 1));
    if (!change->old || (is_rescaled(old, new) && !is_rescaled(change->old, change->new)))
        change->old = old, change->new = new;
    change->is_several |= is_rescaled(change->old, old) || is_rescaled(change->new, new);
    if (px < least_px)
        return;
    change->first_camera = change->first_camera ? change->first_camera : camera;
    change->are_others |= strcmp(change->first_camera, camera) != 0;
    change->camera = px > change->moved_px ? camera : change->camera;
    change->moved_px = fmax(px, change->moved_px);
}

/* Whether the scales differ by less than people care for. */
static bool is_hardly_rescaled(const struct atlas_frame *a, const struct atlas_frame *b)
{
    return fabs(a->scale.pixels_per_unit - b->scale.pixels_per_unit) < SEEN * a->scale.pixels_per_unit;
}

static void say_what_ships(struct review_sheet *sheet, struct arena *arena)
{
    const double least_px = 0.5; /* that people see beside frames that changed */
    struct shipped_change change = {0};
    const struct review_frame *retimed = NULL; /* the first */
    const char **said = &sheet->told[sheet->told_count];
    for (size_t c = 0; c < sheet->clip_count; c++) {
        const char *clip = sheet->clips[c].name, *camera = strrchr(clip, '/') ? strrchr(clip, '/') + 1 : clip;
        for (size_t i = 0; i < sheet->clips[c].frame_count; i++) {
            const struct atlas_frame *old = review_shipped(sheet, &sheet->clips[c].frames[i], 0);
            const struct atlas_frame *new = review_shipped(sheet, &sheet->clips[c].frames[i], 1);
            if (old && new)
                add_shipped(&change, old, new, camera);
            change.is_changed |= sheet->clips[c].frames[i].state == REVIEW_CHANGED;
            if (!retimed && sheet->clips[c].frames[i].state == REVIEW_RETIMED)
                retimed = &sheet->clips[c].frames[i];
        }
    }
    const struct atlas_frame *old = change.old, *new = change.new;
    const bool are_scales = old && is_rescaled(old, new), is_hardly = are_scales && is_hardly_rescaled(old, new);
    const char *scale = "";
    if (sheet->unframed)
        *said++ = arena_printf(arena, "not drawn in one frame: %s", sheet->unframed);
    if (are_scales && !(is_hardly && (sheet->is_framed || change.is_changed)))
        scale = arena_printf(arena, "scale of %s %.*g -> %.*g px per unit",
                             change.is_several ? "some frames" : "the sheet", is_hardly ? 7 : 3,
                             old->scale.pixels_per_unit, is_hardly ? 7 : 3, new->scale.pixels_per_unit);
    if (old && sheet->is_framed && !is_one_size(old, new))
        *said++ = arena_printf(arena, "cell %ux%u -> %ux%u%s%s; both are drawn in one frame", old->source_px[0],
                               old->source_px[1], new->source_px[0], new->source_px[1], *scale ? ", " : "", scale);
    else if (*scale)
        *said++ = sheet->is_framed ? arena_printf(arena, "%s; both are drawn at one scale", scale) : scale;
    else if (sheet->is_framed && (change.camera || are_scales))
        *said++ = "the frame of the cell moved; both are drawn in one frame";
    if (old && has_other_depths(old, new))
        *said++ = arena_printf(arena, "range of depths %.4g to %.4g -> %.4g to %.4g", old->scale.nearest,
                               old->scale.farthest, new->scale.nearest, new->scale.farthest);
    if (retimed)
        *said++ = arena_printf(arena, "a frame takes %.3g -> %.3g ms", retimed->before->duration_ms,
                               retimed->after->duration_ms);
    if (change.camera && (change.moved_px >= least_px || !change.is_changed))
        *said++ = arena_printf(arena, "pivot moves %.2g px in %s%s", change.moved_px, change.camera,
                               change.are_others ? ", less in others" : "");
    sheet->told_count = (size_t)(said - sheet->told);
}

/* -- What the model is, in words ------------------------------------------------------------------------------- */

/* Adds the names that `others` does not have: "+ tail_3, + tail_4". Both have each name between line breaks. */
static void add_names(struct buffer *out, const char *names, const char *others, char sign)
{
    enum { MOST = 4, MOST_READ = 500 }; /* a stranger's record may have any number */
    size_t count = 0, read = 0;
    for (const char *at = names, *end; *at && read++ < MOST_READ && (end = strchr(at + 1, '\n')); at = end) {
        SCOPED char *name = must_printf("%.*s", (int)(end + 1 - at), at);
        if (!strstr(others, name) && count++ < MOST)
            buffer_printf(out, "%s%c %.*s", out->length ? ", " : "", sign, (int)(end - at - 1), at + 1);
    }
    if (count > MOST)
        buffer_printf(out, ", %c %zu more", sign, count - MOST);
}

/* Whether `is` is `was` with its axes exchanged, mirrored and scaled. Each is x, y, z to x, y, z. */
static bool is_box_turned(const double was[6], const double is[6], const int axes[3], int mirrored, double scale,
                          double rounding)
{
    bool is_turned = true;
    for (int i = 0; i < 3; i++) {
        const bool is_mirrored = mirrored & 1 << i;
        const double low = was[axes[i]], high = was[axes[i] + 3];
        is_turned = is_turned && fabs(is[i] - scale * (is_mirrored ? -high : low)) <= rounding &&
                    fabs(is[i + 3] - scale * (is_mirrored ? -low : high)) <= rounding;
    }
    return is_turned;
}

/* Says how the box of a model differs: size, axes, place. Files have axes of their own, so ours have words. */
static void say_bounds(const char *old, const char *new, struct buffer *out)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}};
    static const char *const exchanged[] = {NULL,
                                            "width and height",
                                            "depth and height",
                                            "depth and width",
                                            "depth, width and height",
                                            "depth, width and height"};
    static const struct {
        int mirrored; /* bits: axes */
        const char *word;
    } flips[] = {{0, NULL}, /* turns first: half of a figure is as the other half */
                 {3, "turned by half: front to back, left to right"},
                 {5, "turned by half: front to back, upside down"},
                 {6, "turned by half: left to right, upside down"},
                 {1, "mirrored: front to back"},
                 {2, "mirrored: left to right"},
                 {4, "mirrored: upside down"},
                 {7, "mirrored: front to back, left to right, upside down"}};
    double was[6], is[6], sizes[2] = {0}, largest = 0;
    const char *const format = "%lf %lf %lf to %lf %lf %lf";
    if (sscanf(old, format, &was[0], &was[1], &was[2], &was[3], &was[4], &was[5]) != 6 ||
        sscanf(new, format, &is[0], &is[1], &is[2], &is[3], &is[4], &is[5]) != 6)
        return;
    for (int i = 0; i < 3; i++) {
        sizes[0] += was[i + 3] - was[i];
        sizes[1] += is[i + 3] - is[i];
        largest = fmax(largest, is[i + 3] - is[i]);
    }
    double scale = sizes[0] > 0 ? sizes[1] / sizes[0] : 1;
    scale = fabs(scale - 1) < SEEN ? 1 : scale;
    for (size_t order = 0; order < COUNT(orders); order++)
        for (size_t flip = 0; flip < COUNT(flips); flip++) {
            if (!is_box_turned(was, is, orders[order], flips[flip].mirrored, scale, SEEN * largest))
                continue;
            if (scale != 1)
                buffer_printf(out, scale < 100 ? "%.2f times as large" : "%.0f times as large", scale);
            if (order || flip)
                buffer_printf(out, order ? "%sturned: %s exchanged" : "%s%s", scale != 1 ? ", " : "",
                              order ? exchanged[order] : flips[flip].word);
            return;
        }
    bool is_moved = true;
    for (int i = 0; i < 3; i++)
        is_moved = is_moved && fabs(is[i + 3] - is[i] - was[i + 3] + was[i]) <= SEEN * largest;
    const double up = is[2] - was[2], height = was[5] - was[2];
    if (is_moved && height > 0 && fabs(is[0] - was[0]) + fabs(is[1] - was[1]) <= SEEN * largest)
        buffer_printf(out, "moved %s by %.2g %% of its height", up > 0 ? "up" : "down", 100 * fabs(up) / height);
    else if (is_moved)
        buffer_printf(out, "moved by %.3g, %.3g, %.3g", is[0] - was[0], is[1] - was[1], is[2] - was[2]);
    else
        buffer_printf(out, "size %.3g x %.3g x %.3g -> %.3g x %.3g x %.3g", was[3] - was[0], was[4] - was[1],
                      was[5] - was[2], is[3] - is[0], is[4] - is[1], is[5] - is[2]);
}

/* Size and axes are what others follow from; how clips move follows from others. */
static int shown_rank(const char *fact)
{
    return !strcmp(fact, "bounds") ? 0 : strcmp(fact, "below_ground") && strcmp(fact, "loop_jump") ? 1 : 2;
}

/* Says how a fact differs, or nothing where people would not see it. What shows a number is a path or a frame. */
static void say_fact(const struct record *old, const struct record *new, const char *name, struct buffer *out)
{
    const char *was = record_find(&old->facts, name)->value, *is = record_find(&new->facts, name)->value;
    const struct record_pair *old_names = record_find(&old->names, name), *names = record_find(&new->names, name);
    char *was_end, *is_end;
    const double before = strtod(was, &was_end), after = strtod(is, &is_end);
    const bool are_numbers = was_end > was && is_end > is;
    SCOPED_BY(buffer_release) struct buffer others = {0};
    if (!strcmp(name, "bounds"))
        return say_bounds(was, is, out);
    if (old_names && names) {
        add_names(&others, names->value, old_names->value, '+');
        add_names(&others, old_names->value, names->value, '-');
    }
    const bool is_seen = are_numbers
                             ? fabs(after - before) >= SEEN * fmax(fabs(before), fabs(after)) && before != after
                             : strcmp(was, is) && strcmp(name, "model");
    if (is_seen || others.length)
        for (const char *c = name; *c; c++)
            buffer_printf(out, "%c", *c == '_' ? ' ' : *c);
    for (int i = 0; i < 2 && is_seen; i++) {
        const char *value = i ? is : was;
        buffer_printf(out, i ? " -> " : " ");
        if (are_numbers)
            rules_add_number(out, i ? after : before);
        else
            buffer_printf(out, "%.*s", (int)strcspn(value, strcmp(name, "format") ? " " : ""), value);
    }
    if (is_seen && are_numbers && shown_rank(name) > 1)
        buffer_printf(out, strcmp(name, "loop_jump") ? " %% of its height" : " of its largest step");
    if (others.length)
        buffer_printf(out, is_seen ? " (%s)" : ": %s", others.text);
}

static void say_what_model_is(struct review_sheet *sheet, struct arena *arena)
{
    enum { MOST_SHIPPED = 5 }; /* lines of say_what_ships */
    const struct record *old = made_sheet_record(sheet->shipped[0]), *new = made_sheet_record(sheet->shipped[1]);
    const struct record_pair *lost = record_find(&new->facts, "missing_textures");
    const bool is_lost = lost && strcmp(lost->value, "0") != 0;
    sheet->told = arena_must_alloc(arena, new->facts.count + MOST_SHIPPED, sizeof *sheet->told);
    for (size_t i = 0; i < 3 * new->facts.count; i++) {
        const char *name = new->facts.items[i % new->facts.count].name;
        const bool is_now = shown_rank(name) == (int)(i / new->facts.count);
        SCOPED_BY(buffer_release) struct buffer text = {0};
        if (is_now && !(is_lost && strstr(name, "texture")) &&
            record_find(&old->facts, name)) /* the warning says it */
            say_fact(old, new, name, &text);
        if (text.length)
            sheet->told[sheet->model_count++] = arena_strdup(arena, text.text);
    }
    sheet->told_count = sheet->model_count;
}

/* -- A sheet, compared -------------------------------------------------------------------------------------- */

void review_sheet_compare(struct review_sheet *sheet, const struct review_settings *settings, struct arena *arena,
                          struct strings *problems)
{
    struct error err;
    say_what_model_is(sheet, arena);
    const char **passes = arena_must_alloc(arena, 2 * MADE_MOST_PASSES, sizeof *passes);
    add_passes(sheet->after, passes, &sheet->pass_count);
    add_passes(sheet->before, passes, &sheet->pass_count);
    sheet->passes = passes;
    const struct record *old = made_sheet_record(sheet->shipped[0]), *new = made_sheet_record(sheet->shipped[1]);
    sheet->new_warnings = other_warnings(arena, new, old, &sheet->new_warning_count);
    sheet->gone_warnings = other_warnings(arena, old, new, &sheet->gone_warning_count);
    add_clips(arena, sheet);
    if (sheet->before && sheet->after) {
        struct pair pair = {.sheet = sheet, .settings = settings};
        if (compare_frames(&pair, &err) < 0) {
            strings_add(problems, err.text);
            sheet->reason = arena_strdup(arena, err.text);
            sheet->clip_count = sheet->frame_count = 0; /* nobody knows how frames differ */
        }
        made_pictures_release(&pair.before_pictures);
        made_pictures_release(&pair.after_pictures);
        say_what_ships(sheet, arena);
    }
    count_frames(sheet);
    say_numbers(sheet, arena);
    sheet->state = sheet->reason ? REVIEW_UNKNOWN : state_of(sheet, settings);
}
