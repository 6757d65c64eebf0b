/* Compares a sheet of two versions: which frames differ, by how much, and what state the sheet has so. */
#pragma once

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strings.h"
#include "page/finding.h"
#include "page/read.h"
#include "review/pixels.h"

/* States of frames and sheets; the JSON has the names of review_states. A sheet has the first state that holds for it; the
 * table has this order, too. */
enum review_state {
    REVIEW_UNKNOWN, /* sheets: not compared, for a version could not be read, or was not made for a reason that is not
                       in its own files */
    REVIEW_FAILED,       /* sheets: it cannot be made now */
    REVIEW_TEXTURE_LOST, /* sheets: a texture is missing that was there before, whatever the frames show */
    REVIEW_NEW_WARNING,  /* sheets, with is_strict: it is made, and has a warning that it did not have before */
    REVIEW_CHANGED,      /* other pixels. Sheets: any frame was changed, added or removed */
    REVIEW_REMOVED,
    REVIEW_ADDED,
    REVIEW_FIXED,    /* sheets: it could not be made before */
    REVIEW_RENAMED,  /* the same pixels under another name */
    REVIEW_RESCALED, /* the same pixels in one frame; the scale differs. Of two folders: not compared */
    REVIEW_MOVED,    /* the same pixels; pivot, size of the cell, sockets, boxes or events differ */
    REVIEW_RETIMED,  /* the same pixels; the duration differs. Sheets: any frame's, or whether a clip loops */
    REVIEW_REPACKED, /* sheets: all frames are the same; their places, or without a tolerance the bytes of the files, differ */
    REVIEW_SETTINGS, /* sheets: all files are the same; only what they were made from, as recorded, differs */
    REVIEW_SAME,
    REVIEW_STATE_COUNT,
};

/* Bits: states of frames that look otherwise, with other pixels or none in one version. */
enum { REVIEW_OTHERWISE = 1 << REVIEW_CHANGED | 1 << REVIEW_ADDED | 1 << REVIEW_REMOVED };

extern const struct review_state_row {
    const char *name;         /* "failed", "changed", ... */
    const char *kind, *cause; /* of a sheet of this state where the records give no cause: struct review_cause's */
} review_states[REVIEW_STATE_COUNT];

struct review_change {
    struct pixel_change pixels; /* of the worst pass */
    uint32_t passes;            /* bits: those of the sheet that differ */
    int32_t offset[2];          /* of a frame: where the top left of `before` lay in the cell `after` */
};

struct review_frame {
    const char *name, *old_name; /* old_name: NULL unless it is renamed */
    enum review_state state;
    struct review_change change;
    const struct atlas_frame *before, *after; /* NULL where that version has none */
};

struct review_clip {
    const char *name;
    bool loop;
    struct review_frame *frames; /* of the sheet's, in the order in which they play; those removed follow */
    size_t frame_count;
    size_t counts[REVIEW_STATE_COUNT];
    const char *frames_text; /* as the sheet's */
};

/* A person's verdict on a sheet, or on all sheets of a cause (review/verdict.h). */
struct review_verdict {
    size_t line; /* of the file that has it; 0: there is none */
    bool is_accepted;
    const char *who, *words;
};

struct review_sheet {
    const char *name; /* list/job */
    const char *list, *job;
    const char *old_name;        /* of a renamed one; else NULL */
    const struct commit *commit; /* of a history; else NULL */
    enum review_state state;
    const char *reason;     /* why it is unknown, failed or had failed, or NULL */
    const uint32_t *causes; /* in the review's causes, most specific first */
    size_t cause_count;
    struct review_change change;       /* of its worst frame, by mean */
    const char *change_text;           /* that mean, which orders sheets of a state: "4.5 %"; or "" */
    size_t counts[REVIEW_STATE_COUNT]; /* frames */
    /* How many of them look otherwise, and in brackets how many others differ: "2 of 8 frames, of these 1 added (5 moved)"; "8 frames"
     * of a sheet that only one version has; "" where none differs. Clips are named where one or two of more look
     * otherwise: "death 2 of 8 frames (72 moved)". */
    const char *frames_text;
    const struct made_sheet *before, *after; /* that are compared; NULL where a version has none */
    const struct made_sheet *shipped[2];     /* each as made by itself: the same two, unless these are framed */
    bool is_framed;
    const char *unframed; /* why they could not be framed, though their framing differs, or NULL */
    const char **told;    /* what differs in the model, then in what they ship, in words: "1.10 times as large" */
    size_t told_count, model_count;
    const char *const *new_warnings, *const *gone_warnings;
    size_t new_warning_count, gone_warning_count;
    struct finding *findings; /* of rules, about the sheet after */
    size_t finding_count;
    const struct rules *rules; /* that found them; NULL: as recorded */
    bool breaks_rules; /* one is a failure, as with is_strict what warns and is new, of a rule or of the model */
    const char *const *passes; /* of both, "color" first */
    size_t pass_count;
    struct review_clip *clips;
    size_t clip_count;
    struct review_frame *frames; /* clip after clip */
    size_t frame_count;
    const char *strip, *strip_clip; /* a file of review/strips.h and the clip that it shows, or NULL */
    const char *accept;             /* the line that accepts it, or NULL */
    struct review_verdict verdict;
    /* "accepted by ann: longer sword"; "to accept: " and the line, where a verdict is asked for; or NULL. */
    const char *decided;
};

/* Whether a frame shows other pixels, or is not compared. */
bool review_looks_otherwise(const struct review_sheet *sheet, const struct review_frame *frame);

/* The frame as version 0 (before) or 1 (after) ships it, or NULL. */
const struct atlas_frame *review_shipped(const struct review_sheet *sheet, const struct review_frame *frame,
                                         int version);

/* Returns a warning of a record without its hint at an option of `render`. The caller frees it. */
char *review_warning(const char *text);

/* Adds the counts of these states, bits, that are not 0, the first behind `before`: "5 changed, 1 added". */
void review_add_counts(struct buffer *out, const char *before, const size_t counts[REVIEW_STATE_COUNT],
                       unsigned states);

/* Says which differences count. */
struct review_settings {
    double tolerance; /* pixels differ by more than this (review/pixels.h) */
    unsigned pixels;  /* frames of which no more pixels differ than this are the same */
    bool is_drawn;    /* both versions were drawn just now, and framed where their scales differ */
    const char *only; /* a pattern of job names, or NULL */
    bool is_strict;   /* a new warning of a model or of a rule fails its sheet, and is marked so */
};

/* Fills in a sheet whose versions and names are set: clips, passes, warnings, counts, the worst change, the state. They live
 * in the arena. A picture that cannot be read is a problem, and the sheet's reason. */
void review_sheet_compare(struct review_sheet *sheet, const struct review_settings *settings, struct arena *arena,
                          struct strings *problems);
