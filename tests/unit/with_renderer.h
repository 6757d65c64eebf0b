/* A renderer for all tests of a program: set up and torn down with the group. */
#ifndef TESTS_WITH_RENDERER_H
#define TESTS_WITH_RENDERER_H

#include "render/renderer.h"
#include "test.h"

static struct context *context;
static struct renderer *renderer;

static inline int open_renderer_by(enum backend_choice backend)
{
    struct error err;
    if (context_open(backend, &context, &err) == 0 && renderer_new(context, &renderer, &err) == 0)
        return 0;
    print_error("%s\n", err.text);
    return -1;
}

/* Whichever back end works: for tests in which no pixel is told beforehand. */
static inline int open_renderer(void **state)
{
    (void)state;
    return open_renderer_by(BACKEND_AUTO);
}

static inline int close_renderer(void **state)
{
    (void)state;
    renderer_free(renderer);
    context_close(context);
    return 0;
}

#endif
