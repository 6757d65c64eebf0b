/* Does what a worker does before its first page, and prints the renderer: loads the OpenGL library, makes a
 * context and compiles the shaders. */
#include <stdio.h>

#include "render/renderer.h"

int main(void)
{
    struct error err;
    struct context *context;
    struct renderer *renderer;
    if (context_open(BACKEND_AUTO, &context, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int result = renderer_new(context, &renderer, &err);
    if (result == 0) {
        printf("%s\n", context_description(context));
        renderer_free(renderer);
    } else
        fprintf(stderr, "%s\n", err.text);
    context_close(context);
    return result == 0 ? 0 : 1;
}
