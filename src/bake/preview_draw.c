#include "bake/preview_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/scale.h"
#include "sheet/movie.h"

static const double turn_s = 3; /* of the cameras around a model that does not move */

static double shown_s(const struct plan *plan, const struct preview_plan *preview, size_t frame)
{
    const struct take *take = &plan->takes[preview->cells[frame].take];
    if (take->sample_count == 1)
        return turn_s / (double)preview->cell_count;
    return sampling_shown_s(take->sampling, take->clip, take->loop, take->times_s, take->sample_count,
                            preview->cells[frame].sample);
}

/* One cell as its frame: `scaled` is of another size, or NULL. */
static int draw_frame(const struct plan *plan, struct studio *studio, const struct cell *cell, uint8_t *pixels,
                      uint8_t *scaled, const uint32_t size_px[2], struct error *err)
{
    const uint32_t *cell_px = plan->job->cell_px;
    if (studio_draw(studio, cell, PASS_COLOR, pixels, (size_t)cell_px[0] * 4, err) < 0 ||
        (scaled && scale_pixels(pixels, cell_px, scaled, size_px, err) < 0))
        return -1;
    background_apply(&plan->job->previews.background, scaled ? scaled : pixels, (size_t)size_px[0] * 4, size_px[0],
                     size_px[1]);
    return 0;
}

/* Times are rounded to milliseconds, and not their differences: so all of it takes as long as the clip. */
static int draw_frames(const struct plan *plan, struct studio *studio, const struct preview_plan *preview,
                       struct movie *movie, const uint32_t size_px[2], struct error *err)
{
    const uint32_t *cell_px = plan->job->cell_px;
    bool is_scaled = memcmp(size_px, cell_px, 2 * sizeof *cell_px) != 0;
    uint8_t *pixels = memory_alloc((size_t)cell_px[0] * cell_px[1], 4, err);
    uint8_t *scaled = pixels && is_scaled ? memory_alloc((size_t)size_px[0] * size_px[1], 4, err) : NULL;
    int result = pixels && (scaled || !is_scaled) ? 0 : -1;
    double end_ms = 0;
    for (size_t i = 0; i < preview->cell_count && result == 0; i++) {
        double start_ms = end_ms;
        end_ms += 1000 * shown_s(plan, preview, i);
        double duration_ms = fmin(round(end_ms) - round(start_ms), UINT32_MAX);
        result = draw_frame(plan, studio, &preview->cells[i], pixels, scaled, size_px, err);
        if (result == 0)
            result = movie_add(movie, scaled ? scaled : pixels, (uint32_t)duration_ms, err);
    }
    free(scaled);
    free(pixels);
    return result;
}

int preview_draw(const struct plan *plan, struct studio *studio, const struct preview_plan *preview,
                 struct blob *out, struct error *err)
{
    const struct preview_settings *settings = &plan->job->previews;
    const uint32_t *cell_px = plan->job->cell_px, longer = cell_px[0] > cell_px[1] ? cell_px[0] : cell_px[1];
    const struct take *take = &plan->takes[preview->cells[0].take];
    struct movie *movie;
    uint32_t size_px[2];
    for (int i = 0; i < 2; i++) {
        double side = settings->size_px ? (double)cell_px[i] * settings->size_px / longer : cell_px[i];
        size_px[i] = side < 1 ? 1 : (uint32_t)(side + 0.5);
    }
    if (movie_new(&(struct movie_settings){settings->format, size_px[0], size_px[1], (uint32_t)preview->cell_count,
                                           take->sample_count == 1 || take->loop, settings->quality},
                  &movie, err) < 0)
        return -1;
    int result = draw_frames(plan, studio, preview, movie, size_px, err);
    if (result == 0)
        result = movie_save(movie, out, err);
    movie_free(movie);
    return result;
}
