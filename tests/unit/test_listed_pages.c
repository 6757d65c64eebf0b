#include "job_fixture.h"
#include "run/wanted.h"
#include "test.h"

/* Of a job with these keys, of a model with keyframes of its own or of one with animation files: what the list tells is
 * what the plan has. */
static void expect_pages(const char *model, const char *keys, uint32_t listed)
{
    struct fixture fixture = fixture_new();
    char *text = must_printf("jobs:\n  - {name: it, model: models/%s, cell: 16, %s}\n", model, keys);
    fixture_load(&fixture, text);
    fixture_open_assets(&fixture);
    free(text);
    uint32_t count = wanted_listed_pages(&fixture.list->jobs[0]);
    struct plan *plan = fixture_plan(&fixture, 0);
    if (count != listed || (count > 0 && count != plan->page_count))
        print_error("{%s}: %u pages listed, %u expected, %u planned\n", keys, count, listed, plan->page_count);
    assert_int_equal(count, listed);
    if (count > 0)
        assert_int_equal(count, plan->page_count);
    plan_free(plan);
    fixture_release(&fixture);
}

TEST(the_list_tells_the_pages)
{
    fact("first frame alone is one page");
    expect_pages("thing.md2", "animations: [], cameras: [front]", 1);
    expect_pages("thing.md2", "animations: [], cameras: [front, left, back]", 1);
    expect_pages("thing.md2", "animations: [], cameras: [front, left, back], split: camera", 3);
    expect_pages("thing.md2", "animations: [], cameras: [front, left, back], split: animation", 1);
    fact("cells past a page are counted");
    expect_pages("thing.md2", "animations: [], cameras: [front, left, back], sheet: {max_size: 16}", 3);
    expect_pages("thing.md2", "animations: [], cameras: [front, left, back], sheet: {max_size: 32, columns: 1}",
                 2);
    expect_pages("thing.md2",
                 "animations: [{name: all, frames: 0-2}], sampling: {count: 9}, sheet: {max_size: 32}", 3);
    fact("files and ranges with so many samples tell their pages");
    expect_pages("plate.md5mesh",
                 "animations: [{file: walk.md5anim, sampling: {count: 5}}], sheet: {max_size: 32}", 2);
    expect_pages("plate.md5mesh",
                 "animations: [{file: walk.md5anim, sampling: {times: [0, 0.05, 0]}}], sheet: {max_size: 16}", 3);
    expect_pages("plate.md5mesh",
                 "animations: [{file: walk.md5anim, sampling: {frames: [0-1, 0]}}], sheet: {max_size: 16}", 3);
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2}], sampling: {count: 3}, "
                 "cameras: [front, left], sheet: {max_size: 48}",
                 2);
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2, sampling: {count: 2}}], "
                 "sampling: {count: 5}, cameras: [front, left], sheet: {max_size: 48}",
                 2);
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2, sampling: {count: 2}}], "
                 "sampling: {count: 5}, cameras: [front, left], sheet: {max_size: 48}, split: animation",
                 3);
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2}], sampling: {count: 5}, "
                 "cameras: [front, left], sheet: {max_size: 48}, split: camera",
                 4);
    /* Strips of two cells make a row each, and three rows fit: four strips are two pages, eight cells would be one. */
    fact("strips that stay whole take more pages");
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2}], sampling: {count: 2}, "
                 "cameras: [front, left], sheet: {max_size: 48}",
                 2);
    expect_pages("thing.md2",
                 "animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2, sampling: {count: 1}}], "
                 "sampling: {count: 3}, cameras: [front, left], sheet: {max_size: 48}",
                 1);
    fact("what only the model tells is not counted");
    expect_pages("thing.md2", "cameras: [front]", 0);
    expect_pages("thing.md2", "animations: [run], sampling: {count: 2}", 0);
    expect_pages("thing.md2", "animations: ['r*'], sampling: {count: 2}", 0);
    expect_pages("thing.md2", "animations: [], skins: all", 0);
    expect_pages("thing.md2", "animations: [{name: a, frames: 0-1}], sampling: {fps: 10}", 0);
    expect_pages("thing.md2", "animations: [{name: a, frames: 0-1}], sampling: {frames: all}", 0);
    expect_pages("plate.md5mesh", "split: animation, animations: [{file: '*.md5anim', sampling: {count: 2}}]", 0);
    expect_pages("plate.md5mesh", "animations: [{file: walk.md5anim, optional: true, sampling: {count: 2}}]", 0);
    fact("packed and trimmed sheets are one page each");
    expect_pages("thing.md2", "sheet: {layout: packed, max_size: 32}", 1);
    expect_pages("thing.md2", "skins: all, sheet: {trim: true, max_size: 32}", 1);
    expect_pages("thing.md2", "cameras: [front, left], split: camera, sheet: {layout: packed}", 2);
    expect_pages("thing.md2", "split: animation, sheet: {layout: packed}", 0);
    expect_pages(
        "thing.md2",
        "split: animation, sheet: {trim: true}, animations: [{name: a, frames: 0-1}, {name: b, frames: 1-2}], "
        "sampling: {count: 3}",
        2);
}
