#include "run/shares.h"

#include <stdlib.h>

#include "base/memory.h"
#include "bake/listed_pages.h"

struct dealt_page {
    uint32_t page, shard;
};

/* The pages of a job that were dealt out, ascending. */
struct dealt_job {
    size_t first, count;
};

struct shares {
    const struct bake_job *jobs;
    size_t job_count;
    struct shard shard;
    struct dealt_job *dealt_jobs; /* NULL: all by the hash */
    struct dealt_page *dealt;
};

/* -- Dealing ----------------------------------------------------------------------------------------------- */

struct card {
    uint64_t cost;
    size_t dealt; /* its place among the dealt pages, which breaks ties */
};

static int compare_cards(const void *left, const void *right)
{
    const struct card *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? 1 : -1;
    return (a->dealt > b->dealt) - (a->dealt < b->dealt);
}

struct load {
    uint64_t cost;
    uint32_t shard;
};

static bool is_less(const struct load *a, const struct load *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->shard < b->shard;
}

/* Restores the heap after its root, the least load, has grown. */
static void sift_down(struct load *loads, uint32_t count)
{
    for (uint32_t at = 0;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && is_less(&loads[child + 1], &loads[child]))
            child++;
        if (!is_less(&loads[child], &loads[at]))
            return;
        struct load other = loads[at];
        loads[at] = loads[child];
        loads[child] = other;
        at = child;
    }
}

static void deal(struct shares *shares, struct card *cards, size_t card_count)
{
    qsort(cards, card_count, sizeof *cards, compare_cards);
    uint32_t count = shares->shard.count;
    struct load *loads = must_alloc(count, sizeof *loads);
    for (uint32_t i = 0; i < count; i++)
        loads[i].shard = i + 1; /* equal loads by number are a heap */
    for (size_t i = 0; i < card_count; i++) {
        shares->dealt[cards[i].dealt].shard = loads[0].shard;
        loads[0].cost += cards[i].cost;
        sift_down(loads, count);
    }
    free(loads);
}

struct deck {
    struct card *cards;
    size_t count, card_capacity, dealt_capacity;
};

static void add_card(struct shares *shares, struct deck *deck, uint32_t page, uint64_t cost)
{
    shares->dealt = must_grow(shares->dealt, deck->count, &deck->dealt_capacity, sizeof *shares->dealt);
    deck->cards = must_grow(deck->cards, deck->count, &deck->card_capacity, sizeof *deck->cards);
    shares->dealt[deck->count] = (struct dealt_page){.page = page};
    deck->cards[deck->count] = (struct card){cost, deck->count};
    deck->count++;
}

static void add_job(struct shares *shares, struct deck *deck, const struct estimates *estimates, size_t job)
{
    size_t measured_count;
    const struct cost *measured = estimates_measured(estimates, job, &measured_count);
    shares->dealt_jobs[job].first = deck->count;
    if (measured_count == 0 || measured[0].page > 0)
        add_card(shares, deck, 0, estimates_of_page(estimates, job, 0));
    for (size_t i = 0; i < measured_count; i++)
        add_card(shares, deck, measured[i].page, cost_us(&measured[i]));
    shares->dealt_jobs[job].count = deck->count - shares->dealt_jobs[job].first;
}

struct shares *shares_new(const struct bake_job *jobs, size_t job_count, const struct estimates *estimates,
                          const struct shard *shard)
{
    struct shares *shares = must_alloc(1, sizeof *shares);
    *shares = (struct shares){.jobs = jobs, .job_count = job_count, .shard = *shard};
    if (!estimates_are_times(estimates))
        return shares;
    struct deck deck = {0};
    shares->dealt_jobs = must_alloc(job_count, sizeof *shares->dealt_jobs);
    for (size_t i = 0; i < job_count; i++)
        add_job(shares, &deck, estimates, i);
    deal(shares, deck.cards, deck.count);
    free(deck.cards);
    return shares;
}

void shares_free(struct shares *shares)
{
    if (!shares)
        return;
    free(shares->dealt_jobs);
    free(shares->dealt);
    free(shares);
}

/* -- Asking ------------------------------------------------------------------------------------------------ */

static int compare_page(const void *page, const void *dealt)
{
    uint32_t left = *(const uint32_t *)page, right = ((const struct dealt_page *)dealt)->page;
    return (left > right) - (left < right);
}

static const struct dealt_page *find_dealt(const struct shares *shares, size_t job, uint32_t page)
{
    if (!shares->dealt_jobs)
        return NULL;
    const struct dealt_job *of = &shares->dealt_jobs[job];
    return of->count ? bsearch(&page, shares->dealt + of->first, of->count, sizeof *shares->dealt, compare_page)
                     : NULL;
}

uint32_t shares_shard_of(const struct shares *shares, size_t job, uint32_t page)
{
    const struct dealt_page *dealt = find_dealt(shares, job, page);
    if (dealt)
        return dealt->shard;
    const struct bake_job *of = &shares->jobs[job];
    return shard_of_page(shares->shard.count, of->list->name, of->job->name, page);
}

static bool is_ours(const void *context, size_t job, uint32_t page)
{
    const struct shares *shares = context;
    return shares_shard_of(shares, job, page) == shares->shard.number;
}

uint64_t shares_expect(const struct shares *shares, const struct estimates *estimates, size_t job)
{
    size_t count;
    const struct cost *measured = estimates_measured(estimates, job, &count);
    uint64_t sum = count == 0 && is_ours(shares, job, 0) ? estimates_of_page(estimates, job, 0) : 0;
    for (size_t i = 0; i < count; i++)
        if (is_ours(shares, job, measured[i].page))
            sum += cost_us(&measured[i]);
    return sum;
}

/* Where a page of the job is ours, its model is opened anyway, and tells how many there really are. */
static void leave_job(const struct shares *shares, struct selection *selection, size_t job)
{
    uint32_t page_count = listed_page_count(shares->jobs[job].job);
    for (uint32_t page = 0; page < page_count; page++)
        if (is_ours(shares, job, page))
            return;
    if (page_count > 0)
        selection_set_pages(selection, job, page_count);
}

void shares_apply(const struct shares *shares, struct selection *selection)
{
    selection_set_share(selection, is_ours, shares);
    for (size_t i = 0; i < shares->job_count; i++)
        if (selection_pages(selection, i) == 0)
            leave_job(shares, selection, i);
}
