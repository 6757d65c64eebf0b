/* Job lists written in a test, and what they come to. Each test has a folder of its own with the files that lists
 * name; models are not opened by job_list_load, so empty files do. */
#ifndef TESTS_JOB_TEXT_H
#define TESTS_JOB_TEXT_H

#include <string.h>

#include "base/memory.h"
#include "job/job.h"
#include "temp_folder.h"
#include "test.h"

static const char *const job_text_files[] = {
    "assets/models/grunt.md5mesh", "assets/models/Orc.MD2",     "assets/models/sub/imp.md2",
    "assets/models/sub/own.png",   "assets/anims/walk.md5anim", "assets/skin.tga",
};

static inline int set_up(void **state)
{
    char *folder = temp_folder_new();
    for (size_t i = 0; i < sizeof job_text_files / sizeof *job_text_files; i++)
        temp_folder_add(folder, job_text_files[i], "");
    *state = folder;
    return 0;
}

/* Lists of load_with, until the test ends. */
static struct job_list **loaded;
static size_t loaded_count, loaded_capacity;

static inline int tear_down(void **state)
{
    while (loaded_count)
        job_list_free(loaded[--loaded_count]);
    free(loaded);
    loaded = NULL;
    loaded_capacity = 0;
    temp_folder_free(*state);
    return 0;
}

/* The list of this text, with "version" in front; `options` may be NULL. tear_down frees it. */
static inline struct job_list *load_with(const char *folder, const char *text, const struct job_options *options)
{
    char *whole = must_printf("version: 1\n%s", text);
    char *path = temp_folder_write(folder, "list.yaml", whole, strlen(whole));
    struct strings problems = {0};
    struct job_list *list = NULL;
    job_list_load(path, options ? options : &(struct job_options){0}, &list, &problems);
    for (size_t i = 0; i < problems.count; i++)
        print_error("%s\n", problems.items[i]);
    assert_int_equal(problems.count, 0);
    assert_non_null(list);
    loaded = must_grow(loaded, loaded_count, &loaded_capacity, sizeof *loaded);
    loaded[loaded_count++] = list;
    strings_release(&problems);
    free(path);
    free(whole);
    return list;
}

static inline struct job_list *load(void **state, const char *text)
{
    return load_with(*state, text, NULL);
}

/* The only job of a list: its keys, one a line. */
static inline const struct job *load_job(void **state, const char *keys)
{
    char *text = must_printf("assets: assets\njobs:\n- name: a\n  model: models/grunt.md5mesh\n%s", keys);
    struct job_list *list = load(state, text);
    assert_int_equal(list->job_count, 1);
    free(text);
    return list->jobs;
}

static inline void assert_problem(void **state, const char *text, const char *wanted)
{
    char *whole = must_printf("version: 1\n%s", text);
    char *path = temp_folder_write(*state, "list.yaml", whole, strlen(whole));
    struct strings problems = {0};
    struct job_list *list = NULL;
    assert_int_equal(job_list_load(path, &(struct job_options){0}, &list, &problems), -1);
    assert_int_equal(problems.count, 1);
    assert_int_equal(strncmp(problems.items[0], path, strlen(path)), 0);
    assert_string_equal(problems.items[0] + strlen(path), wanted);
    strings_release(&problems);
    free(path);
    free(whole);
}

#endif
