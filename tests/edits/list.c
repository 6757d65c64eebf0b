#include "list.h"

#include <string.h>

#include "base/buffer.h"
#include "tree.h"

const char *const list_roots[LIST_MOST_ROOTS] = {"base", "mods", "pak0.pk3", "pak1.pk3", "more"};

/* Some look like sheets of other jobs: "one-run" as by `split`, "two-1" like a second page. */
static const char *const names[] = {"one", "two",   "three",   "four",  "five",    "six/a", "six/b",
                                    "six", "seven", "one-run", "two-1", "six/a/b", "eight", "Nine"};

enum { NAMES = sizeof names / sizeof *names };

/* The last is a pattern, which makes several jobs. */
static const char *const models[] = {"models/die.md2",     "models/die.md2",     "models/held.md2",
                                     "models/extra.md2",   "models/arm.md5mesh", "models/arm.md5mesh",
                                     "models/imp.md5mesh", "def:droid",          "models/e*.md2"};

enum { MODELS = sizeof models / sizeof *models, FIRST_MD5 = 4, FIRST_DECLARED = 7, FIRST_PATTERN = 8 };

enum { FOR_ALL, FOR_MD2, FOR_MD5, FOR_DECLARED };

struct key {
    const char *name;
    int kind; /* of models that it applies to; keys for all kinds may be in defaults */
    const char *values[6];
};

static const struct key keys[] = {
    {"cell", FOR_ALL, {"16", "20", "[12, 16]"}},
    {"supersample", FOR_ALL, {"1", "2"}},
    {"fit",
     FOR_ALL,
     {"{scope: g}", "{scope: frame}", "{scope: h}", "{scope: animation}", "{pixels_per_unit: 0.7}",
      "{scope: g, margin: 0.2}"}},
    {"cameras", FOR_ALL, {"[front]", "[own]", "[left, front]", "{name: c, directions: 3, pitch: 20}", "[hero]"}},
    {"animations", FOR_ALL, {"[]"}},
    {"animations", FOR_MD2, {"[run]", "[{name: cut, frames: 0-1}]", "[run, hop]", "['r*']", "['*']"}},
    {"animations",
     FOR_MD5,
     {"[{file: anims/bend.md5anim}]", "[{file: wave.md5anim, sampling: {count: 2}}]",
      "[{file: anims/wave.md5anim, name: w}]"}},
    {"animations", FOR_DECLARED, {"[bend]"}},
    {"sampling", FOR_ALL, {"{count: 1}", "{count: 2}", "{count: 3}", "{frames: 0}", "{times: [0, 0.1]}"}},
    {"sheet",
     FOR_ALL,
     {"{max_size: 40}", "{layout: packed}", "{trim: true, max_size: 40}",
      "{layout: packed, trim: true, bleed: 1, max_size: 24}", "{columns: 1, padding: 1}"}},
    {"split", FOR_ALL, {"animation", "camera"}},
    {"passes", FOR_ALL, {"[normal]", "[normal, mask]", "[depth, skeleton]"}},
    {"metadata", FOR_ALL, {"[aseprite]", "[godot]", "[aseprite, godot]"}},
    {"previews",
     FOR_ALL,
     {"{}", "{format: webp, cameras: '*'}", "{clips: [run, bend], size: 20, background: checkerboard}", "none"}},
    {"skin", FOR_ALL, {"textures/a.tga", "{textures/a: textures/b.tga}", "own.tga", "{textures/a.pcx: mat/one}"}},
    {"skin", FOR_MD2, {"0", "a", "'textures/b[1].tga'"}},
    {"skin", FOR_MD5, {"'skins/one.skin#red'", "{mat/one: mat/two}", "'skins/two.skin#blue'"}},
    {"skins", FOR_MD2, {"all"}},
    {"attach",
     FOR_ALL,
     {"{name: w, model: models/held.md2, scale: 0.5}", "{name: w, model: models/arm.md5mesh, offset: [0, 0, 1]}"}},
    {"attach",
     FOR_MD2,
     {"{name: w, model: models/held.md2, at: tag_hand}", "{name: w, model: held.md2, same_frame: true}"}},
    {"attach",
     FOR_MD5,
     {"{name: w, model: models/die.md2, at: hand, animation: run}",
      "{model: imp.md5mesh, at: hand, skin: textures/b.tga}"}},
    {"sockets", FOR_MD2, {"[tag_hand]"}},
    {"sockets", FOR_MD5, {"[hand]"}},
    {"boxes", FOR_ALL, {"['*']"}},
    {"events", FOR_ALL, {"{'*': {0: step}}", "{'*': {0: [step, land]}}"}},
    {"background", FOR_ALL, {"'#203040'", "checkerboard"}},
    {"outline", FOR_ALL, {"{width: 1}", "none"}},
    {"ground", FOR_ALL, {"shadow", "contact", "grid"}},
    {"light", FOR_ALL, {"flat", "noon", "{rig: rim, key: {strength: 0.8}}"}},
    {"geometry", FOR_MD2, {"glcommands"}},
    {"interpolation", FOR_MD5, {"object"}},
    {"loop", FOR_MD2, {"false"}},
    {"loop", FOR_MD5, {"false"}},
};

enum { KEY_CELL, KEY_SUPERSAMPLE, KEY_FIT, KEYS = sizeof keys / sizeof *keys };

_Static_assert((int)KEYS <= (int)LIST_MOST_KEYS, "more room for settings is needed");

/* -- Settings ---------------------------------------------------------------------------------------------- */

static unsigned char pick_value(struct random *random, const struct key *key)
{
    size_t count = 0;
    while (count < sizeof key->values / sizeof *key->values && key->values[count])
        count++;
    return (unsigned char)(1 + random_below(random, count));
}

/* Sets a key to another value, or removes it. Keys of one name for different kinds exclude each other. */
static void change_setting(struct random *random, struct settings *settings, int kind)
{
    size_t key = random_below(random, KEYS);
    while (keys[key].kind != FOR_ALL && keys[key].kind != kind)
        key = random_below(random, KEYS);
    bool is_taken_away = settings->values[key] && random_one_in(random, 3);
    for (size_t i = 0; i < KEYS; i++)
        if (!strncmp(keys[i].name, keys[key].name, 4)) /* `skin` and `skins`, too */
            settings->values[i] = 0;
    if (!is_taken_away)
        settings->values[key] = pick_value(random, &keys[key]);
}

static int kind_of(const struct list_job *job)
{
    if (job->model < FIRST_MD5 || job->model >= FIRST_PATTERN)
        return FOR_MD2;
    return job->model < FIRST_DECLARED ? FOR_MD5 : FOR_DECLARED;
}

static void write_settings(const struct settings *settings, const char *separator, struct buffer *out)
{
    for (size_t i = 0; i < KEYS; i++)
        if (settings->values[i])
            buffer_printf(out, "%s%s: %s", separator, keys[i].name, keys[i].values[settings->values[i] - 1]);
}

/* -- Changes ----------------------------------------------------------------------------------------------- */

static bool is_used(const struct list *list, unsigned name)
{
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].name == name)
            return true;
    return false;
}

static unsigned pick_name(struct random *random, const struct list *list)
{
    unsigned name = random_below(random, NAMES);
    while (is_used(list, name))
        name = random_below(random, NAMES);
    return name;
}

void list_add_job(struct random *random, struct list *list)
{
    if (list->job_count == LIST_MOST_JOBS)
        return;
    struct list_job job = {.name = pick_name(random, list)};
    job.model = random_below(random, MODELS);
    for (uint32_t left = 1 + random_below(random, 4); left > 0; left--)
        change_setting(random, &job.settings, kind_of(&job));
    if (random_one_in(random, 3))
        job.settings.values[KEY_FIT] = 1; /* a group */
    list->jobs[list->job_count++] = job;
}

void list_init(struct random *random, struct list *list)
{
    *list = (struct list){.roots = {1, 0, 2}, .root_count = 3, .has_include = true};
    while (list->job_count < 8)
        list_add_job(random, list);
}

static struct list_job *pick_job(struct random *random, struct list *list)
{
    return &list->jobs[random_below(random, list->job_count)];
}

void list_change_job(struct random *random, struct list *list)
{
    struct list_job *job = pick_job(random, list);
    if (random_one_in(random, 8)) {
        job->model = random_below(random, MODELS);
        job->settings = (struct settings){0};
    }
    change_setting(random, &job->settings, kind_of(job));
}

void list_change_defaults(struct random *random, struct list *list)
{
    struct settings *all[] = {&list->defaults, &list->included, &list->config};
    if (random_one_in(random, 6))
        list->has_config = !list->has_config;
    else if (random_one_in(random, 6))
        memset(PICK(random, all), 0, sizeof **all);
    else
        change_setting(random, PICK(random, all), FOR_ALL);
}

void list_remove_job(struct random *random, struct list *list)
{
    if (list->job_count > 4)
        *pick_job(random, list) = list->jobs[--list->job_count];
}

void list_rename_job(struct random *random, struct list *list)
{
    struct list_job *job = pick_job(random, list), *other = pick_job(random, list);
    if (random_one_in(random, 2)) {
        job->name = pick_name(random, list);
        return;
    }
    unsigned name = job->name;
    job->name = other->name;
    other->name = name;
}

void list_change_roots(struct random *random, struct list *list)
{
    bool has_root[LIST_MOST_ROOTS] = {0};
    list->roots[0] = random_below(random, 4);
    has_root[list->roots[0]] = true;
    list->root_count = 1;
    while (!has_root[0] || random_one_in(random, 2)) {
        unsigned root = random_below(random, 4);
        if (has_root[root])
            continue;
        has_root[root] = true;
        list->roots[list->root_count++] = root;
        if (list->root_count == 4)
            break;
    }
}

void list_change_included(struct random *random, struct list *list)
{
    switch (random_below(random, 3)) {
    case 0:
        list->camera = random_below(random, 3);
        break;
    case 1:
        list->light = random_below(random, 3);
        break;
    default:
        list->has_include = !list->has_include;
    }
}

void list_change_nothing(struct random *random, struct list *list)
{
    struct list_job *a = pick_job(random, list), *b = pick_job(random, list), job = *a;
    switch (random_below(random, 4)) {
    case 0:
        list->comment++;
        break;
    case 1:
        a->comment++;
        break;
    case 2:
        list->is_spaced = !list->is_spaced;
        break;
    default:
        *a = *b;
        *b = job;
    }
}

void list_reset_job(struct list *list, const char *name)
{
    for (size_t i = 0; i < list->job_count; i++) {
        size_t length = strlen(names[list->jobs[i].name]);
        if (!strncmp(names[list->jobs[i].name], name, length) && (!name[length] || name[length] == '/'))
            list->jobs[i].settings = (struct settings){0};
    }
}

/* -- The files --------------------------------------------------------------------------------------------- */

static void write_rigs(const struct list *list, struct buffer *out)
{
    static const char *const cameras[] = {"own: {yaw: 20}", "own: {yaw: 25, pitch: 10}",
                                          "own: {yaw: 20, projection: perspective}"};
    static const char *const lights[] = {"noon: {ambient: '#ffffff'}", "noon: {rig: studio, key: {strength: 2}}",
                                         "noon: {sky: [200, 220, 255]}"};
    buffer_printf(out, "cameras: {%s, hero: {yaw: 70}}\nlights: {%s}\n", cameras[list->camera],
                  lights[list->light]);
}

static void write_config(const struct list *list)
{
    struct buffer out = {0};
    struct settings settings = list->config;
    settings.values[KEY_CELL] = settings.values[KEY_SUPERSAMPLE] = 0;
    buffer_printf(&out, "version: 1\ncameras: {front: {yaw: 3}}\ndefaults: {cell: 18, supersample: 1");
    write_settings(&settings, ", ", &out);
    buffer_printf(&out, "}\n");
    write_text("config.yaml", out.text);
    buffer_release(&out);
}

/* Without the include, the list itself has the cameras and lights that jobs name. */
static void write_included(const struct list *list)
{
    struct buffer out = {0};
    buffer_printf(&out, "version: 1\ndefaults:\n  supersample: 1");
    struct settings settings = list->included;
    settings.values[KEY_SUPERSAMPLE] = 0;
    write_settings(&settings, "\n  ", &out);
    buffer_printf(&out, "\n");
    write_rigs(list, &out);
    write_text("more.yaml", out.text);
    buffer_release(&out);
}

/* Half of the jobs share atlases: those that say the same of what shapes pages. An atlas has no depth. */
static void write_atlas(const struct list *list, const struct list_job *job, const char *separator,
                        struct buffer *out)
{
    const struct settings *levels[] = {&job->settings, &list->defaults, &list->included, &list->config};
    struct buffer name = {0};
    bool has_depth = false;
    for (size_t i = 0; i < KEYS; i++)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            unsigned value = levels[l]->values[i];
            if (!strcmp(keys[i].name, "sheet") || !strcmp(keys[i].name, "passes") ||
                !strcmp(keys[i].name, "metadata"))
                buffer_printf(&name, "%u", value);
            has_depth |= value && strstr(keys[i].values[value - 1], "depth");
        }
    if (job->name % 2 == 0 && !has_depth)
        buffer_printf(out, "%satlas: " ATLAS "%s", separator, name.text);
    buffer_release(&name);
}

static void write_job(const struct list *list, const struct list_job *job, struct buffer *out)
{
    for (unsigned i = 0; i < job->comment % 3; i++)
        buffer_printf(out, "# %s, %u\n", names[job->name], job->comment);
    const char *separator = list->is_spaced ? "\n  " : ", ";
    buffer_printf(out, "- %sname: %s%smodel: '%s'", list->is_spaced ? "" : "{", names[job->name], separator,
                  models[job->model]);
    write_settings(&job->settings, separator, out);
    write_atlas(list, job, separator, out);
    buffer_printf(out, "%s\n", list->is_spaced ? "" : "}");
}

void list_write(const struct list *list)
{
    struct buffer out = {0};
    buffer_printf(&out, "version: 1\noutput: out\nassets: [");
    for (size_t i = 0; i < list->root_count; i++)
        buffer_printf(&out, "%s%s", i ? ", " : "", list_roots[list->roots[i]]);
    buffer_printf(&out, "]\n# %u\ndefaults:\n  loop: true", list->comment);
    if (!list->defaults.values[KEY_CELL] && !list->has_config)
        buffer_printf(&out, "\n  cell: 16");
    write_settings(&list->defaults, "\n  ", &out);
    buffer_printf(&out, "\n");
    if (list->has_include)
        buffer_printf(&out, "include: more.yaml\n");
    else
        write_rigs(list, &out);
    buffer_printf(&out, "jobs:\n");
    for (size_t i = 0; i < list->job_count; i++)
        write_job(list, &list->jobs[i], &out);
    write_text("list.yaml", out.text);
    buffer_release(&out);
    write_included(list);
    write_config(list);
}
