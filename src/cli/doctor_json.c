#include <jansson.h>

#include "cli/doctor.h"
#include "cli/json_output.h"
#include "sheet/json_value.h"

static json_t *text_unless_empty(const char *text)
{
    return text_or_null(text && *text ? text : NULL);
}

static json_t *list(const struct strings *strings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < strings->count; i++)
        json_array_append_new(array, text_unless_empty(strings->items[i]));
    return array;
}

static json_t *number_or_null(bool is_known, double number)
{
    return is_known ? json_real(number) : json_null();
}

static json_t *bytes_or_null(double bytes)
{
    return bytes > 0 ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *describe_backend(const struct backend_finding *backend)
{
    const struct trial *trial = &backend->trial;
    return json_pack(
        "{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", backend->name, "library",
        text_unless_empty(trial->identity.library), "works", backend->problem == NULL, "problem",
        text_unless_empty(backend->problem), "renderer", text_unless_empty(trial->identity.name), "vendor",
        text_unless_empty(trial->vendor), "gl_version", text_unless_empty(trial->version), "glsl_version",
        text_unless_empty(trial->glsl), "open_ms", number_or_null(trial->is_open, trial->open_ms), "draw_ms",
        number_or_null(trial->is_drawn, trial->draw_ms), "driver_messages", text_unless_empty(backend->chatter));
}

static json_t *describe_backends(const struct findings *findings)
{
    json_t *array = json_array();
    for (int i = BACKEND_AUTO + 1; i < BACKEND_COUNT; i++)
        json_array_append_new(array, describe_backend(&findings->backends[i]));
    return array;
}

static json_t *describe_limits(const struct machine *machine)
{
    json_t *limits = json_object();
    for (int i = 0; i < LIMIT_COUNT; i++)
        json_object_set_new(limits, machine->limits[i].key,
                            machine->limits[i].most == RLIM_INFINITY
                                ? json_null()
                                : json_integer((json_int_t)machine->limits[i].most));
    return limits;
}

static json_t *describe(const struct findings *findings)
{
    const struct machine *machine = &findings->machine;
    const struct identity *identity = &findings->backends[findings->first].trial.identity;
    json_t *cpus = json_pack("{s:o, s:i, s:i, s:i, s:o}", "features", text_unless_empty(identity->cpu), "usable",
                             (int)machine->cpus_usable, "allowed", (int)machine->cpus_allowed, "online",
                             (int)machine->cpus_online, "cgroup_quota",
                             number_or_null(machine->cpu_quota > 0, machine->cpu_quota));
    json_t *memory =
        json_pack("{s:o, s:o, s:o}", "total", bytes_or_null(machine->memory), "available",
                  bytes_or_null(machine->memory_available), "cgroup_limit", bytes_or_null(machine->memory_limit));
    json_t *cache = json_pack("{s:o, s:b, s:o, s:o}", "folder", text_unless_empty(machine->cache_folder), "works",
                              machine->cache_problem == NULL, "problem", text_unless_empty(machine->cache_problem),
                              "free", bytes_or_null(machine->cache_free));
    const struct sandbox_state *state = &findings->sandbox;
    json_t *sandbox = json_pack("{s:o, s:b, s:b, s:o}", "landlock_abi",
                                state->landlock_abi ? json_integer(state->landlock_abi) : json_null(), "seccomp",
                                state->has_filter, "no_new_privileges", state->has_no_new_privileges, "missing",
                                list(&state->missing));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", SHEETBAKE_VERSION,
                     "libraries", text_unless_empty(identity->program), "backends", describe_backends(findings),
                     "auto",
                     text_unless_empty(findings->first == BACKEND_AUTO ? NULL : backend_names[findings->first]),
                     "cpus", cpus, "memory", memory, "limits", describe_limits(machine), "shader_cache", cache,
                     "sandbox", sandbox, "environment", list(&machine->environment), "notes",
                     list(&findings->notes), "advice", list(&findings->advice));
}

int findings_print_json(const struct findings *findings, FILE *out)
{
    int result = json_print(describe(findings), JSON_INDENT(2) | JSON_REAL_PRECISION(4), out);
    return ferror(out) ? -1 : result;
}
