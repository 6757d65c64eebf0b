#include "review/review_json.h"

#include <math.h>

#include "sheet/json_value.h"

static json_t *facts_value(const struct record_pairs *facts)
{
    json_t *object = json_object();
    for (size_t i = 0; facts && i < facts->count; i++) {
        json_t *name = text_value(facts->items[i].name);
        json_object_set_new(object, json_string_value(name), text_value(facts->items[i].value));
        json_decref(name);
    }
    return object;
}

static json_t *totals_value(const size_t counts[REVIEW_STATE_COUNT])
{
    json_t *object = json_object();
    for (int state = 0; state < REVIEW_STATE_COUNT; state++)
        if (counts[state])
            json_object_set_new(object, review_state_name((enum review_state)state),
                                json_integer((json_int_t)counts[state]));
    return object;
}

static json_t *pair_value(double x, double y, int decimals)
{
    return json_pack("[o, o]", number_value(x, decimals), number_value(y, decimals));
}

static json_t *change_value(const struct pixel_change *change)
{
    return json_pack("{s:I, s:o, s:o}", "pixels", (json_int_t)change->pixels, "max",
                     number_value((double)change->max, 6), "mean", number_value((double)change->mean, 9));
}

/* Those of a set of bits. */
static json_t *passes_value(const struct review_sheet *sheet, uint32_t passes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sheet->pass_count; i++)
        if (passes & 1u << i)
            json_array_append_new(array, text_value(sheet->passes[i]));
    return array;
}

static json_t *side_value(const struct made_frame *frame)
{
    if (!frame)
        return json_null();
    json_t *sockets = json_object();
    for (size_t i = 0; i < frame->socket_count; i++) {
        const struct made_socket *socket = &frame->sockets[i];
        json_object_set_new(sockets, socket->name, pair_value(socket->px[0], socket->px[1], 3));
    }
    return json_pack("{s:o, s:o, s:[I, I], s:o, s:o}", "time", number_value(frame->time_ms, 3), "duration",
                     number_value(frame->duration_ms, 3), "size", (json_int_t)frame->source_px[0],
                     (json_int_t)frame->source_px[1], "pivot", pair_value(frame->pivot[0], frame->pivot[1], 6),
                     "sockets", sockets);
}

static json_t *frame_value(const struct review_sheet *sheet, const struct review_frame *frame)
{
    const struct pixel_change *pixels = &frame->change.pixels;
    json_t *change = json_null();
    if (frame->change.passes) {
        change = change_value(pixels);
        json_object_set_new(
            change, "box",
            json_pack("[i, i, i, i]", pixels->box[0], pixels->box[1], pixels->box[2], pixels->box[3]));
        json_object_set_new(change, "passes", passes_value(sheet, frame->change.passes));
    }
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "name", text_value(frame->name), "old_name",
                     text_or_null(frame->old_name), "state", review_state_name(frame->state), "change", change,
                     "before", side_value(frame->before), "after", side_value(frame->after));
}

static json_t *clip_value(const struct review_sheet *sheet, const struct review_clip *clip)
{
    json_t *frames = json_array();
    for (size_t i = 0; i < clip->frame_count; i++)
        json_array_append_new(frames, frame_value(sheet, &clip->frames[i]));
    return json_pack("{s:o, s:b, s:o}", "name", text_value(clip->name), "loop", (int)clip->loop, "frames",
                     whole_array(frames, clip->frame_count));
}

static json_t *sheet_value(const struct review_sheet *sheet)
{
    json_t *clips = json_array(), *causes = json_array();
    for (size_t i = 0; i < sheet->clip_count; i++)
        json_array_append_new(clips, clip_value(sheet, &sheet->clips[i]));
    for (size_t i = 0; i < sheet->cause_count; i++)
        json_array_append_new(causes, json_integer(sheet->causes[i]));
    json_t *value = json_pack(
        "{s:o, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "name", text_value(sheet->name), "list",
        text_value(sheet->list), "job", text_value(sheet->job), "old_name", text_or_null(sheet->old_name), "state",
        review_state_name(sheet->state), "cause", (json_int_t)sheet->causes[0], "causes", causes, "reason",
        text_or_null(sheet->reason), "frames", totals_value(sheet->counts), "passes",
        texts_value(sheet->passes, sheet->pass_count, text_value), "clips", whole_array(clips, sheet->clip_count));
    if (!value)
        return NULL;
    json_object_set_new(value, "change", sheet->change.passes ? change_value(&sheet->change.pixels) : json_null());
    json_object_set_new(
        value, "facts",
        json_pack("{s:o, s:o}", "before", facts_value(sheet->old_facts), "after", facts_value(sheet->facts)));
    json_object_set_new(
        value, "warnings",
        json_pack("{s:o, s:o}", "added", texts_value(sheet->new_warnings, sheet->new_warning_count, text_value),
                  "removed", texts_value(sheet->gone_warnings, sheet->gone_warning_count, text_value)));
    return value;
}

json_t *review_json(const struct review *review)
{
    json_t *sheets = json_array(), *causes = json_array();
    for (size_t i = 0; i < review->sheet_count; i++)
        json_array_append_new(sheets, sheet_value(&review->sheets[i]));
    for (size_t i = 0; i < review->cause_count; i++)
        json_array_append_new(causes,
                              json_pack("{s:o, s:s, s:I}", "text", text_value(review->causes[i].text), "kind",
                                        review->causes[i].kind, "sheets", (json_int_t)review->causes[i].sheets));
    return json_pack("{s:s, s:{s:o, s:o}, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o}", "sheetbake", SHEETBAKE_VERSION,
                     "before", "name", text_value(review->before.name), "detail",
                     text_value(review->before.detail), "after", "name", text_value(review->after.name), "detail",
                     text_value(review->after.detail), "totals", "sheets", totals_value(review->sheet_totals),
                     "frames", totals_value(review->frame_totals), "causes",
                     whole_array(causes, review->cause_count), "sheets", whole_array(sheets, review->sheet_count));
}
