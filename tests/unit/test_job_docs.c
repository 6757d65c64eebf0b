/* Every example in docs/jobs.md is read as a job list: "```yaml" starts a complete list, "```yaml job" some keys
 * of a job. The files that examples name are made here, empty. */
#include <string.h>

#include "base/buffer.h"
#include "job/job.h"
#include "temp_folder.h"
#include "test.h"

static const char *const files[] = {
    "assets/models/grunt.md5mesh",
    "assets/anims/walk.md5anim",
    "assets/anims/hit.md5anim",
    "assets/models/monsters/infantry/tris.md2",
    "assets/models/monsters/infantry/skin.pcx",
    "assets/models/monsters/orc.md2",
    "assets/models/monsters/imp.md2",
    "assets/skins/red.tga",
    "assets/skins/grunt.skin",
    "assets/models/monsters/infantry/weapon.md2",
    "assets/models/hero.glb",
    "assets/anims/run.fbx",
    "assets/anims/library.glb",
    "assets/anims/mixamo/wave.fbx",
    "assets/models/legs.md5mesh",
    "assets/models/torso.md5mesh",
    "assets/models/head.md2",
    "assets/models/players/sarge/animation.cfg",
    "assets/models/weapons2/shotgun/shotgun.md3",
    "assets/weapons/blade.md2",
    "assets/weapons/blade.png",
    "assets/weapons/shield.md5mesh",
    "assets/weapons/glow.md5anim",
};

struct examples {
    char *folder;
    unsigned line; /* of the example, for messages */
    size_t list_count, job_count, failures;
};

static void prepare(const struct examples *examples)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        temp_folder_add(examples->folder, files[i], "");
    /* The smallest archive there is: a pak whose directory, of no entries, follows the header. */
    static const char pak[12] = "PACK\14";
    free(temp_folder_write(examples->folder, "packs/pak0.pk4", pak, sizeof pak));
    temp_folder_add(examples->folder, "cameras.yaml", "version: 1\ncameras: {compass: {directions: 8}}\n");
    temp_folder_add(examples->folder, "monsters/more.yaml", "version: 1\n");
}

static void check_text(struct examples *examples, const char *text)
{
    char *path = temp_folder_write(examples->folder, "example.yaml", text, strlen(text));
    struct strings problems = {0};
    struct job_list *list = NULL;
    if (job_list_load(path, &(struct job_options){0}, &list, &problems) < 0) {
        examples->failures++;
        print_error("the example in line %u of docs/jobs.md:\n", examples->line);
        for (size_t i = 0; i < problems.count; i++)
            print_error("  %s\n", problems.items[i]);
    }
    job_list_free(list);
    strings_release(&problems);
    free(path);
}

static void check_job(struct examples *examples, const char *keys)
{
    struct buffer text = {0};
    buffer_printf(&text, "version: 1\nassets: assets\njobs:\n  - name: example\n");
    if (!strstr(keys, "model: "))
        buffer_printf(&text, "    model: models/monsters/orc.md2\n");
    while (*keys) {
        size_t length = strcspn(keys, "\n") + 1;
        buffer_printf(&text, "    %.*s", (int)length, keys);
        keys += length;
    }
    check_text(examples, text.text);
    buffer_release(&text);
}

static void check_block(struct examples *examples, const char *kind, size_t kind_length, const char *text)
{
    if (kind_length == strlen("yaml job") && !memcmp(kind, "yaml job", kind_length)) {
        examples->job_count++;
        check_job(examples, text);
    } else if (kind_length == strlen("yaml") && !memcmp(kind, "yaml", kind_length)) {
        examples->list_count++;
        check_text(examples, text);
    } else {
        assert_true(kind_length == strlen("text") && !memcmp(kind, "text", kind_length));
    }
}

/* Takes the blocks between lines that start with three backquotes. */
static void check_all(struct examples *examples, const char *text)
{
    struct buffer block = {0};
    const char *kind = NULL;
    for (unsigned line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        bool is_fence = !strncmp(text, "```", 3);
        if (is_fence && !kind) {
            kind = text + 3;
            examples->line = line + 1;
            buffer_clear(&block);
        } else if (is_fence) {
            check_block(examples, kind, strcspn(kind, "\n"), block.text);
            kind = NULL;
        } else if (kind) {
            buffer_add(&block, text, length + 1);
        }
        text += length + (text[length] == '\n');
    }
    assert_null(kind);
    buffer_release(&block);
}

TEST(every_example_of_the_reference_is_a_good_list)
{
    struct examples examples = {.folder = temp_folder_new()};
    struct blob blob;
    struct error err;
    assert_int_equal(file_read("docs/jobs.md", 1 << 20, &blob, &err), 0);
    prepare(&examples);
    char *text = must_printf("%.*s", (int)blob.size, (const char *)blob.data);
    check_all(&examples, text);
    assert_int_equal(examples.failures, 0);
    assert_true(examples.list_count >= 10);
    assert_true(examples.job_count >= 7);
    free(text);
    blob_release(&blob);
    temp_folder_free(examples.folder);
}
