/* Job lists with models to work on, in a folder that lives as long as a test:
 *
 *     models/thing.md2       the tetrahedron of md2_builder.h: clips "run" (2 frames) and "hop" (1)
 *     models/plate.md5mesh   the plate of md5_samples.h, without an animation
 *     models/walk.md5anim    one for it, of 3 frames at 24 Hz
 *
 * below assets/, and the list itself as list.yaml; sheets go to out/. */
#ifndef TESTS_JOB_FIXTURE_H
#define TESTS_JOB_FIXTURE_H

#include "job/job.h"
#include "md2_builder.h"
#include "md5_samples.h"
#include "plan/plan.h"
#include "temp_folder.h"
#include "test.h"

struct fixture {
    char *folder;
    struct job_list *list;
    struct assets *assets; /* NULL until fixture_open_assets */
};

static inline void fixture_add_bytes(const struct fixture *fixture, const char *name, struct bytes bytes)
{
    char *path = must_printf("assets/%s", name);
    free(temp_folder_write(fixture->folder, path, bytes.data, bytes.size));
    free(path);
}

static inline void fixture_add_text(const struct fixture *fixture, const char *name, const char *text)
{
    fixture_add_bytes(fixture, name, (struct bytes){(const uint8_t *)text, strlen(text)});
}

static inline void fixture_add_md2(const struct fixture *fixture, const char *name, const struct md2_spec *spec)
{
    struct blob blob = md2_build(spec);
    fixture_add_bytes(fixture, name, blob_bytes(&blob));
    blob_release(&blob);
}

/* There is one asset tree in a process: a test that failed must not spoil the next. */
static struct assets *fixture_left_open;

static inline struct fixture fixture_new(void)
{
    assets_close(fixture_left_open);
    fixture_left_open = NULL;
    struct fixture fixture = {.folder = temp_folder_new()};
    struct md2_words words;
    struct md2_spec tetrahedron = md2_tetrahedron(&words);
    fixture_add_md2(&fixture, "models/thing.md2", &tetrahedron);
    fixture_add_text(&fixture, "models/plate.md5mesh", mesh_text);
    fixture_add_text(&fixture, "models/walk.md5anim", anim_text);
    return fixture;
}

/* `text` is the list from `jobs:` on, or a whole one when it starts with `version`. */
static inline void fixture_load(struct fixture *fixture, const char *text)
{
    struct strings problems = {0};
    const char *head = strncmp(text, "version", 7) ? "version: 1\nassets: assets\noutput: out\n" : "";
    char *whole = must_printf("%s%s", head, text);
    temp_folder_add(fixture->folder, "list.yaml", whole);
    free(whole);
    char *path = path_join(fixture->folder, "list.yaml");
    job_list_free(fixture->list);
    fixture->list = NULL;
    if (job_list_load(path, &(struct job_options){0}, &fixture->list, &problems) < 0)
        fail_msg("%s", problems.items[0]);
    free(path);
}

static inline void fixture_open_assets(struct fixture *fixture)
{
    struct error err;
    if (assets_open(fixture->list->roots, fixture->list->root_count, &fixture->assets, &err) < 0)
        fail_msg("%s", err.text);
    fixture_left_open = fixture->assets;
}

static inline struct fixture fixture_open(const char *text)
{
    struct fixture fixture = fixture_new();
    fixture_load(&fixture, text);
    fixture_open_assets(&fixture);
    return fixture;
}

static inline void fixture_release(struct fixture *fixture)
{
    job_list_free(fixture->list);
    assets_close(fixture->assets);
    fixture_left_open = NULL;
    temp_folder_free(fixture->folder);
}

/* The plan of a job of the list, which must open. The caller frees it. */
static inline struct plan *fixture_plan(const struct fixture *fixture, size_t job)
{
    struct plan *plan = NULL;
    struct error err;
    if (plan_open(NULL, fixture->assets, &fixture->list->jobs[job], &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

#endif
