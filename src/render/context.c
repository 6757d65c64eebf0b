#include "render/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "os/resources.h"
#include "render/gl.h"
#include "render/programs.h"

const char *const backend_names[BACKEND_COUNT] = {[BACKEND_AUTO] = "auto",
#define X(choice, word, backend) [choice] = word,
                                                  BACKENDS(X)
#undef X
};

const struct gl_backend *const all_backends[] = {
#define X(choice, word, backend) [choice - 1] = &backend,
    BACKENDS(X)
#undef X
        NULL,
};

struct context {
    const struct gl_backend *backend;
    enum backend_choice choice;
    void *state;
    struct gl gl;
    char description[256];
};

/* GL_VERSION is "3.3 (Core Profile) Mesa 22.3.6" or "3.3.0 NVIDIA 535.54.03"; builds from git add "(git-0123456)". The
 * driver's own version is the first word with a digit after the first word. */
static const char *driver_version(const char *version, int *length)
{
    for (const char *word = version + strcspn(version, " "); *word; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        *length = (int)strcspn(word, " ");
        if (*word >= '0' && *word <= '9')
            return word;
    }
    *length = 0;
    return "";
}

static int open_backend(struct context *context, const struct gl_backend *backend, struct error *err)
{
    context->backend = backend;
    if (backend->open(&context->state, err) < 0)
        return -1;
    void *entry;
#define X(name)                                                                                                   \
    entry = backend->entry_point(context->state, "gl" #name);                                                     \
    if (!entry) {                                                                                                 \
        backend->close(context->state);                                                                           \
        return error_set(err, "it has no gl" #name);                                                              \
    }                                                                                                             \
    memcpy(&context->gl.name, &entry, sizeof entry);
    GL_ENTRY_POINTS(X)
#undef X
    const char *renderer = (const char *)context->gl.GetString(GL_RENDERER);
    const char *version = (const char *)context->gl.GetString(GL_VERSION);
    int length = 0;
    const char *driver = driver_version(version ? version : "", &length);
    snprintf(context->description, sizeof context->description, "%s%s%.*s, %s", backend->name, length ? " " : "",
             length, driver, renderer ? renderer : "unknown renderer");
    return 0;
}

int context_open(enum backend_choice choice, struct context **out, struct error *err)
{
    struct context *context = must_alloc(1, sizeof *context);
    char note[64];
    struct error all, reason = {""};
    int result = -1;
    memory_note(MEMORY_TO_DRAW, note);
    error_set(&all, "no rendering back end works%s", note);
    /* Parallelism comes from the workers: llvmpipe, behind either back end, is to draw in the thread that asks. A
     * user's own setting wins. */
    setenv("LP_NUM_THREADS", "0", 0);
    for (int i = 0; result < 0 && all_backends[i]; i++) {
        if (choice != BACKEND_AUTO && (int)choice != i + 1)
            continue;
        context->choice = (enum backend_choice)(i + 1);
        result = open_backend(context, all_backends[i], &reason);
        size_t length = strlen(all.text);
        snprintf(all.text + length, sizeof all.text - length, "%s %s: %s", i > 0 ? ";" : ":",
                 all_backends[i]->name, reason.text);
    }
    if (result == 0) {
        *out = context;
        return 0;
    }
    *err = choice == BACKEND_AUTO ? all : reason;
    free(context);
    return choice == BACKEND_AUTO ? -1
                                  : error_add(err, "%s does not work%s", all_backends[choice - 1]->name, note);
}

void context_close(struct context *context)
{
    if (!context)
        return;
    context->backend->close(context->state);
    free(context);
}

const struct gl *context_gl(const struct context *context)
{
    return &context->gl;
}

enum backend_choice context_choice(const struct context *context)
{
    return context->choice;
}

const char *context_description(const struct context *context)
{
    return context->description;
}

/* -- Trying it --------------------------------------------------------------------------------------------- */

enum { TEST_SIDE = 32 };

static const float test_color[4] = {0.5f, 0.2f, 1.0f, 1.0f};

/* The lower left half is drawn. On the slanted edge a driver may decide either way; elsewhere the last bit of a colour
 * is its own. */
static int check_pixels(uint8_t pixels[TEST_SIDE][TEST_SIDE][4], struct error *err)
{
    static const uint8_t inside[4] = {128, 51, 255, 255}; /* test_color */
    static const uint8_t outside[4];
    for (int y = 0; y < TEST_SIDE; y++)
        for (int x = 0; x < TEST_SIDE; x++) {
            int from_edge = x + y - (TEST_SIDE - 1);
            if (abs(from_edge) <= 1)
                continue;
            const uint8_t *pixel = pixels[y][x], *expected = from_edge < 0 ? inside : outside;
            for (int c = 0; c < 4; c++)
                if (abs(pixel[c] - expected[c]) > 2)
                    return error_set(
                        err, "it draws a wrong picture: pixel %d,%d is #%02x%02x%02x%02x, not #%02x%02x%02x%02x",
                        x, y, pixel[0], pixel[1], pixel[2], pixel[3], expected[0], expected[1], expected[2],
                        expected[3]);
        }
    return 0;
}

int context_test(struct context *context, struct error *err)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
    const struct gl *gl = &context->gl;
    uint8_t pixels[TEST_SIDE][TEST_SIDE][4] = {0};
    GLuint framebuffer, color, array, buffer;
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->GenRenderbuffers(1, &color);
    gl->BindRenderbuffer(GL_RENDERBUFFER, color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA16, TEST_SIDE, TEST_SIDE);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return error_set(err, "it cannot draw into a target of 16 bits a channel");
    gl->Viewport(0, 0, TEST_SIDE, TEST_SIDE);
    gl->Clear(GL_COLOR_BUFFER_BIT);

    struct programs *programs = must_alloc(1, sizeof *programs);
    programs->gl = gl;
    const struct program *program = programs_get(programs, SHADER_LINES, 0, err);
    GLuint id = program ? program->id : 0;
    free(programs);
    if (!id)
        return -1;
    gl->UseProgram(id);
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->VertexAttrib4fv(1, test_color);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->ReadPixels(0, 0, TEST_SIDE, TEST_SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    GLenum code = gl->GetError();
    return code == GL_NO_ERROR ? check_pixels(pixels, err) : error_set(err, "OpenGL reports error 0x%04x", code);
}
