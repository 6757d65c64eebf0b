/* Changes a small world at random, and checks after each step that a run makes exactly what changed:
 *
 *     edits SHEETBAKE FOLDER SEED STEPS
 *
 * The seed alone decides all changes, but not the moments at which runs are killed or disturbed. On failure FOLDER keeps
 * the world. Prints each change, and at the end for each kind of change: steps, sheets made, and sheets made whose
 * pictures stayed the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "framed.h"

enum { MOST_KINDS = 32 };

struct count {
    const char *name;
    size_t steps, made, same_pictures;
};

struct counts {
    struct count items[MOST_KINDS];
    size_t count;
};

static void add_count(struct counts *counts, const char *name, enum way way, const struct check *check)
{
    size_t i = 0;
    while (i < counts->count && strcmp(counts->items[i].name, name))
        i++;
    if (i == counts->count)
        counts->items[counts->count++].name = name;
    counts->items[i].steps++;
    if (way == WAY_FORCE) /* it makes everything */
        return;
    counts->items[i].made += check->made;
    counts->items[i].same_pictures += check->same_pictures;
}

static enum way pick_way(struct random *random)
{
    static const enum way ways[] = {WAY_FORCE, WAY_ONLY,  WAY_ONLY,   WAY_SHARDS, WAY_SHARDS,
                                    WAY_PRUNE, WAY_PRUNE, WAY_KILLED, WAY_KILLED, WAY_DISTURBED};
    return random_one_in(random, 2) ? WAY_PLAIN : PICK(random, ways);
}

/* Whether all checks passed. */
static bool make_step(struct check *check, struct world_now *world, struct counts *counts, uint64_t seed,
                      size_t number)
{
    struct list before = world->list;
    struct buffer said = {0};
    struct step step = {.name = "begin", .is_neutral = false};
    if (number > 0 && check->failed.count && random_one_in(&world->random, 4)) {
        step.name = "heal";
        world_heal(world, &check->failed);
    } else if (number > 0) {
        world_change(world, &check->full, &step, &said);
    }
    enum way way = number > 0 ? pick_way(&world->random) : WAY_PLAIN;
    uint32_t delay_ms = random_below(&world->random, 250);
    printf("%zu: %s%s%s, %s\n", number, step.name, said.length ? ": " : "", said.length ? said.text : "",
           way_names[way]);
    fflush(stdout);
    if (!check_world(check, world, &step, way, delay_ms)) {
        printf("  the list has problems\n");
        world_mend(world, &before);
        step.is_neutral = step.is_of_list = false;
        free(step.edited);
        step.edited = NULL;
        if (!check_world(check, world, &step, WAY_PLAIN, 0))
            strings_add(&check->problems, "the list still has problems");
    }
    if (number % 5 == 1)
        check_framed(&check->program, seed + number, &check->problems);
    add_count(counts, step.name, way, check);
    buffer_release(&said);
    free(step.damaged);
    free(step.edited);
    for (size_t i = 0; i < check->problems.count && i < 20; i++)
        printf("FAILED: %s\n", check->problems.items[i]);
    return check->problems.count == 0;
}

static void print_counts(const struct counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        printf("= %s\t%zu\t%zu\t%zu\n", counts->items[i].name, counts->items[i].steps, counts->items[i].made,
               counts->items[i].same_pictures);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: edits SHEETBAKE FOLDER SEED STEPS\n", stderr);
        return 2;
    }
    char *program = path_resolve(argv[1]);
    struct check check = {.program = {program}};
    struct counts counts = {0};
    struct world_now world;
    struct error err;
    if (file_make_folders(argv[2], &err) < 0 || chdir(argv[2]) < 0)
        fail("cannot work in %s", argv[2]);
    uint64_t seed = strtoull(argv[3], NULL, 10);
    world_begin(&world, seed, &check.asked);
    size_t steps = strtoull(argv[4], NULL, 10), step = 0;
    bool is_fine = true;
    for (; step < steps && is_fine; step++)
        is_fine = make_step(&check, &world, &counts, seed * 1000, step);
    print_counts(&counts);
    check_release(&check);
    world_end(&world);
    free(program);
    return is_fine ? 0 : 1;
}
