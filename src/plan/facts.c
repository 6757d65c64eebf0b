#include "plan/planner.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "model/model.h"

/* Of the pose that is drawn first: "x y z to x y z". */
static char *bounds_text(const struct movement *movement, struct arena *arena)
{
    double ends[6];
    for (int i = 0; i < 6; i++) /* adding 0 prints -0 as 0 */
        ends[i] = round((double)movement->box[i / 3][i % 3] * 1000) / 1000 + 0.0;
    return arena_printf(arena, "%.3f %.3f %.3f to %.3f %.3f %.3f", ends[0], ends[1], ends[2], ends[3], ends[4],
                        ends[5]);
}

/* What is known of the pictures of a part. */
struct texture_facts {
    size_t found, missing; /* each once; surfaces without one, though one was looked for */
    size_t odd;            /* a side is no power of two */
    uint32_t side;         /* the longest */
    const char *largest, *first_odd;
};

static void add_texture(struct texture_facts *facts, const char *program, const uint32_t size_px[2])
{
    uint32_t side = size_px[0] > size_px[1] ? size_px[0] : size_px[1];
    bool is_odd = (size_px[0] & (size_px[0] - 1)) || (size_px[1] & (size_px[1] - 1));
    if (side > facts->side)
        facts->largest = program;
    if (is_odd && facts->odd++ == 0)
        facts->first_odd = program;
    facts->side = side > facts->side ? side : facts->side;
}

static struct texture_facts count_textures(const struct part *part, const struct textures *known)
{
    struct texture_facts facts = {0};
    SCOPED_BY(strings_release) struct strings pictures = {0};
    uint32_t size_px[2];
    for (size_t o = 0; o < part->outfit_count; o++)
        for (uint32_t i = 0; i < part->model->surface_count; i++) {
            const struct look *material = &part->outfits[o].looks[i];
            for (int m = 0; m < PICTURE_COUNT; m++) {
                const char *program = material->pictures[m].program;
                if (!program || strings_has(&pictures, program))
                    continue;
                strings_add(&pictures, program);
                if (textures_size(known, program, size_px))
                    add_texture(&facts, program, size_px);
            }
            facts.missing += !material->layers_only && material_lacks_picture(material);
        }
    facts.found = pictures.count;
    return facts;
}

static bool is_one_material(const struct surface_material *a, const struct surface_material *b)
{
    return a->kind == b->kind &&
           (a->kind == MATERIAL_OWN ? a->own[0] == b->own[0] : !a->name || !strcmp(a->name, b->name));
}

static unsigned count_materials(const struct model *model)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < model->surface_count; i++) {
        uint32_t before = 0;
        while (before < i && !is_one_material(&model->surfaces[before].material, &model->surfaces[i].material))
            before++;
        count += before == i;
    }
    return count;
}

const char *facts_number(struct arena *arena, double number, const char *shown_by)
{
    return arena_printf(arena, "%.6g%s%s", number, shown_by ? " " : "", shown_by ? shown_by : "");
}

/* The name of the frame that the first camera sees, in the first skin. */
static const char *sample_name(const struct plan *plan, uint32_t take, uint32_t sample, struct arena *arena)
{
    if (take >= plan->take_count || sample >= plan->takes[take].sample_count)
        return NULL; /* a worker that was taken over packed it */
    return plan_cell_name(plan, &(struct cell){.take = take, .sample = sample}, arena);
}

static const char *below_ground_text(const struct plan *plan, const struct movement *moves, struct arena *arena)
{
    double height = (double)moves->highest - (double)moves->lowest, below = -(double)moves->lowest;
    if (!isfinite(height))
        return "none";
    bool is_below = below > height * 1e-5; /* less is a matter of rounding */
    return facts_number(arena, is_below ? 100 * below / height : 0,
                        is_below ? sample_name(plan, moves->low_take, moves->low_sample, arena) : NULL);
}

static const char *jump_text(const struct plan *plan, const struct movement *moves, struct arena *arena)
{
    size_t count = moves->jump_take < plan->take_count ? plan->takes[moves->jump_take].sample_count : 0;
    return moves->jump > 0 && isfinite(moves->jump) && count
               ? facts_number(arena, (double)moves->jump,
                              sample_name(plan, moves->jump_take, (uint32_t)count - 1, arena))
               : "none";
}

/* The names of clips and joints, for those who compare two records; of more than MOST nobody reads them. */
static void list_names(const struct model *model, struct record *out)
{
    enum { MOST = 500, KINDS = 2 };
    const uint32_t counts[KINDS] = {model->clip_count, model->joint_count};
    struct record_pair *names = arena_must_alloc(&out->arena, KINDS, sizeof *names);
    out->names.items = names;
    for (int kind = 0; kind < KINDS; kind++) {
        SCOPED_BY(buffer_release) struct buffer text = {0};
        for (uint32_t i = 0; counts[kind] <= MOST && i < counts[kind]; i++) {
            const char *name = kind ? model->joints[i].name : model->clips[i].name;
            buffer_add(&text, "\n", i == 0);
            buffer_add(&text, name, strlen(name));
            buffer_add(&text, "\n", 1);
        }
        if (text.length)
            names[out->names.count++] =
                (struct record_pair){kind ? "joints" : "clips", arena_strdup(&out->arena, text.text)};
    }
}

void planner_describe(const struct planner *planner, struct record *out)
{
    const struct plan *plan = planner->plan;
    const struct movement *movement = &planner->views.movement;
    const struct part *part = &plan->parts[0];
    const struct model *model = part->model;
    struct arena *arena = &out->arena;
    const struct texture_facts textures = count_textures(part, planner->textures);
    const struct record_pair facts[] = {
        {"below_ground", below_ground_text(plan, movement, arena)},
        {"bounds", bounds_text(movement, arena)},
        {"clips", arena_printf(arena, "%u", model->clip_count)},
        {"format", model->format_name},
        {"joints", arena_printf(arena, "%u", model->joint_count)},
        {"loop_jump", jump_text(plan, movement, arena)},
        {"materials", arena_printf(arena, "%u", count_materials(model))},
        {"missing_textures", arena_printf(arena, "%zu", textures.missing)},
        {"model", part->file.path},
        {"odd_textures", facts_number(arena, (double)textures.odd, textures.first_odd)},
        {"texture_side", facts_number(arena, textures.side, textures.largest)},
        {"textures", arena_printf(arena, "%zu", textures.found)},
        {"triangles", arena_printf(arena, "%u", model->index_count / 3)},
        {"vertices", arena_printf(arena, "%u", model->vertex_count)},
    };
    const size_t count = sizeof facts / sizeof *facts;
    out->facts = (struct record_pairs){arena_copy(arena, facts, count, sizeof *facts), count};
    list_names(model, out);
    const char **clips = arena_must_alloc(arena, plan->take_count + 1, sizeof *clips);
    for (size_t i = 0; i < plan->take_count; i++)
        if (plan->takes[i].clip)
            clips[out->clip_count++] = plan->takes[i].name;
    out->clips = clips;
}
