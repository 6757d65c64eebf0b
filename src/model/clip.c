#include "model/clip.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* In frames: nearer to a keyframe than this is on it. */
#define ON_KEYFRAME 1e-6

/* Keyframes until a loop starts again. A single one has nothing to repeat. */
static uint32_t loop_length(const struct clip *clip)
{
    return clip->closes && clip->frame_count > 1 ? clip->frame_count - 1 : clip->frame_count;
}

double clip_keyframe_s(const struct clip *clip, uint32_t frame)
{
    const double *times_s = clip->times_s;
    if (!times_s || clip->frame_count < 2)
        return frame / (double)clip->rate_hz;
    if (frame < clip->frame_count)
        return times_s[frame];
    return clip->loop_s > 0 ? clip->loop_s : 2 * times_s[frame - 1] - times_s[frame - 2];
}

double clip_duration_s(const struct clip *clip, bool loop)
{
    return clip_keyframe_s(clip, loop ? loop_length(clip) : clip->frame_count - 1);
}

/* Returns the time in frames: beyond the last frame where it is after the clip's end. */
static double position_of_time(const struct clip *clip, double time_s, bool loop)
{
    if (!clip->times_s)
        return time_s * clip->rate_hz;
    double period_s = clip_duration_s(clip, true);
    if (loop)
        time_s -= period_s * floor(time_s / period_s);
    uint32_t frame = 0, past = clip->frame_count;
    while (past - frame > 1) {
        uint32_t middle = frame + (past - frame) / 2;
        *(clip->times_s[middle] <= time_s ? &frame : &past) = middle;
    }
    double begin_s = clip_keyframe_s(clip, frame), end_s = clip_keyframe_s(clip, frame + 1);
    return end_s > begin_s ? frame + (time_s - begin_s) / (end_s - begin_s) : frame;
}

/* Returns where in the clip a time falls, in frames: 0 <= position < loop_length for a loop, <= frame_count - 1 otherwise. */
static double position_in_clip(const struct clip *clip, double time_s, bool loop)
{
    double frames = loop ? loop_length(clip) : clip->frame_count;
    double position = position_of_time(clip, time_s, loop);

    if (loop) {
        /* A time so large that the product overflows has no fraction of a frame left to honour. */
        position = isfinite(position) ? fmod(position, frames) : 0;
        if (position < 0)
            position += frames;
    }
    if (fabs(position - round(position)) <= ON_KEYFRAME)
        position = round(position);
    if (loop)
        return position >= frames ? 0 : position;
    return fmin(fmax(position, 0), frames - 1);
}

/* Returns the keyframe, or the next that lasts some time; after the last comes the first. */
static uint32_t shown_frame(const struct clip *clip, uint32_t frame, bool loop)
{
    for (uint32_t passed = 0; clip->times_s && passed < clip->frame_count; passed++, frame++) {
        frame %= clip->frame_count;
        bool is_end = !loop && frame + 1 == clip->frame_count;
        if (is_end || clip_keyframe_s(clip, frame + 1) > clip_keyframe_s(clip, frame))
            break;
    }
    return frame % clip->frame_count;
}

/* Whether a word of the name is one of these, each of which a space ends. A capital may begin another word. */
static bool has_word_of(const char *name, const char *words)
{
    const unsigned char *at = (const unsigned char *)name, *end;
    for (; *at; at = end) {
        end = at + 1;
        while (isalpha(*at) && (islower(*end) || (isupper(*end) && isupper(end[-1]) && !islower(end[1]))))
            end++;
        const size_t length = (size_t)(end - at);
        for (const char *word = words; *word; word = strchr(word, ' ') + 1)
            if (!strncasecmp((const char *)at, word, length) && word[length] == ' ')
                return true;
    }
    return false;
}

bool clip_plays_once(const struct clip *clip)
{
    if (clip->ending == ENDING_LOOP || clip->ending == ENDING_ONCE)
        return clip->ending == ENDING_ONCE;
    if (has_word_of(clip->name, "loop ") || has_word_of(clip->name, "death crdeath die dies dying dead "))
        return !has_word_of(clip->name, "loop ");
    const char *gaits = "idle walk walking run running gallop galloping trot jog jogging sprint ";
    const char *between = "to start stop end turn jump "; /* as in "Jump_toIdle" and "WalkStart" */
    return clip->ending == ENDING_APART && (has_word_of(clip->name, between) || !has_word_of(clip->name, gaits));
}

struct moment clip_moment(const struct clip *clip, double time_s, bool loop)
{
    double position = position_in_clip(clip, time_s, loop);
    uint32_t frame = (uint32_t)position;
    struct moment moment = {.blend = position - frame};

    moment.frame_a = clip->first_frame + shown_frame(clip, frame, loop);
    moment.frame_b = moment.blend > 0 ? clip->first_frame + shown_frame(clip, frame + 1, loop) : moment.frame_a;
    if (moment.frame_a == moment.frame_b)
        moment.blend = 0; /* blended with itself it would be rounded, each time in another way */
    return moment;
}

const char *clip_name_clean(struct arena *arena, const char *text, size_t length)
{
    const char *from = arena_strndup(arena, text, length);
    char *name = arena_must_alloc(arena, length + 1, 1);
    size_t used = 0, words_end = 0;
    uint32_t character;

    for (size_t size; *from; from += size) {
        size = utf8_read(from, 4, &character);
        const bool is_word = isalnum((unsigned char)*from) || (size > 1 && printable_length(from));
        size += size == 0;
        if (*from == '"' || *from == '\'' || (!used && !is_word))
            continue;
        if (is_word)
            memcpy(name + used, from, size);
        else
            name[used] = strchr("-_.+ ", *from) ? *from : '_';
        used += is_word ? size : 1;
        words_end = is_word ? used : words_end;
    }
    name[words_end] = '\0';
    return words_end ? name : "frame";
}
