#include "run/retry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SUSPICIOUS_DEATHS = 2 };

struct suspect {
    unsigned unforgiven; /* deaths among others whose page has not been done alone since */
    unsigned deaths;     /* all */
    bool is_quarantined;
};

/* In the order in which they came. */
struct queue {
    struct retry_page *items;
    size_t count, capacity;
};

struct retry {
    uint32_t *models; /* by job */
    size_t job_count;
    struct suspect *suspects; /* by model */
    struct queue dead, held;
};

struct retry *retry_new(const uint32_t *models, size_t job_count)
{
    struct retry *retry = must_alloc(1, sizeof *retry);
    retry->models = must_alloc(job_count, sizeof *retry->models);
    if (job_count > 0)
        memcpy(retry->models, models, job_count * sizeof *models);
    retry->job_count = job_count;
    retry->suspects = must_alloc(job_count, sizeof *retry->suspects);
    return retry;
}

void retry_page_release(struct retry_page *page)
{
    free(page->name);
    free(page->death);
    *page = (struct retry_page){0};
}

static void release_queue(struct queue *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        retry_page_release(&queue->items[i]);
    free(queue->items);
}

void retry_free(struct retry *retry)
{
    if (!retry)
        return;
    release_queue(&retry->dead);
    release_queue(&retry->held);
    free(retry->suspects);
    free(retry->models);
    free(retry);
}

static struct suspect *suspect_of(const struct retry *retry, uint32_t job)
{
    assert(job < retry->job_count && retry->models[job] < retry->job_count);
    return &retry->suspects[retry->models[job]];
}

static bool is_trusted(const struct suspect *suspect)
{
    return !suspect->is_quarantined && suspect->unforgiven < SUSPICIOUS_DEATHS;
}

static bool is_not_quarantined(const struct suspect *suspect)
{
    return !suspect->is_quarantined;
}

static bool is_quarantined(const struct suspect *suspect)
{
    return suspect->is_quarantined;
}

static bool is_any(const struct suspect *suspect)
{
    (void)suspect;
    return true;
}

static void push(struct queue *queue, struct retry_page page)
{
    queue->items = must_grow(queue->items, queue->count, &queue->capacity, sizeof *queue->items);
    queue->items[queue->count++] = page;
}

/* The first page whose model is as asked. */
static bool take(struct retry *retry, struct queue *queue, bool (*is_wanted)(const struct suspect *suspect),
                 struct retry_page *out)
{
    for (size_t i = 0; i < queue->count; i++) {
        if (!is_wanted(suspect_of(retry, queue->items[i].item.job)))
            continue;
        *out = queue->items[i];
        queue->count--;
        memmove(queue->items + i, queue->items + i + 1, (queue->count - i) * sizeof *queue->items);
        return true;
    }
    return false;
}

bool retry_admit(struct retry *retry, struct schedule_item item)
{
    if (is_trusted(suspect_of(retry, item.job)))
        return true;
    push(&retry->held, (struct retry_page){.item = item});
    return false;
}

void retry_add_death(struct retry *retry, const struct retry_page *page)
{
    struct suspect *suspect = suspect_of(retry, page->item.job);
    struct retry_page copy = *page;
    copy.name = page->name ? must_strdup(page->name) : NULL;
    copy.death = must_strdup(page->death);
    suspect->unforgiven++;
    suspect->deaths++;
    push(&retry->dead, copy);
}

bool retry_take_freed(struct retry *retry, struct schedule_item *out)
{
    struct retry_page page;
    if (!take(retry, &retry->held, is_trusted, &page))
        return false;
    *out = page.item;
    return true;
}

bool retry_take_dead(struct retry *retry, struct retry_page *out)
{
    return take(retry, &retry->dead, is_not_quarantined, out);
}

bool retry_take_lost(struct retry *retry, struct retry_page *out)
{
    return take(retry, &retry->dead, is_quarantined, out) || take(retry, &retry->held, is_quarantined, out);
}

bool retry_take_any_dead(struct retry *retry, struct retry_page *out)
{
    return take(retry, &retry->dead, is_any, out);
}

bool retry_take_held(struct retry *retry, struct schedule_item *out)
{
    struct retry_page page;
    if (!take(retry, &retry->held, is_any, &page))
        return false;
    *out = page.item;
    return true;
}

void retry_settle(struct retry *retry, struct schedule_item item, bool died)
{
    struct suspect *suspect = suspect_of(retry, item.job);
    if (died) {
        suspect->deaths++;
        suspect->is_quarantined = true;
    } else {
        suspect->unforgiven--;
    }
}

bool retry_has_dead(const struct retry *retry)
{
    for (size_t i = 0; i < retry->dead.count; i++)
        if (is_not_quarantined(suspect_of(retry, retry->dead.items[i].item.job)))
            return true;
    return false;
}

unsigned retry_deaths(const struct retry *retry, uint32_t job)
{
    return suspect_of(retry, job)->deaths;
}
