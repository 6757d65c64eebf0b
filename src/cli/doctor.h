/* What `doctor` finds out. The facts are gathered whole before any is printed; text and JSON are two views of
 * them.
 *
 *     doctor.c           the command, and its text
 *     doctor_backends.c  tries each back end, in a process of its own
 *     doctor_machine.c   CPUs, memory, limits, the shader cache, the environment
 *     doctor_json.c      JSON */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/strings.h"
#include "render/context.h"
#include "render/identity.h"
#include "os/sandbox.h"

/* -- Back ends --------------------------------------------------------------------------------------------- */

/* What the process that tries a back end tells, as far as it came. */
struct trial {
    bool is_open, is_drawn;
    char vendor[128], version[128], glsl[64];
    double open_ms, draw_ms;
    struct identity identity; /* once it is open */
    char reason[1024];        /* why it stopped; "" while it goes on */
};

struct backend_finding {
    const char *name; /* as --backend has it */
    struct trial trial;
    char *problem; /* NULL: it draws */
    char *chatter; /* what the driver printed meanwhile, or NULL */
};

void backend_try(enum backend_choice choice, double timeout_s, struct backend_finding *out);
void backend_finding_release(struct backend_finding *finding);

/* -- The machine ------------------------------------------------------------------------------------------- */

struct limit {
    const char *name; /* for people */
    const char *key;  /* for programs */
    bool is_size;     /* in bytes */
    rlim_t most;      /* RLIM_INFINITY: no limit */
};

enum { LIMIT_COUNT = 6 };

struct machine {
    unsigned cpus_online, cpus_allowed, cpus_usable;
    double cpu_quota;                              /* 0: none */
    double memory, memory_available, memory_limit; /* in bytes; the limit is the cgroup's, 0: none */
    struct limit limits[LIMIT_COUNT];

    char *cache_folder;        /* where Mesa keeps compiled shaders */
    const char *cache_problem; /* NULL: it can */
    double cache_free;         /* bytes that are left there; 0 where that is not known */

    struct strings environment; /* "NAME=value": what drivers listen to */
};

void machine_look(struct machine *out);
void machine_release(struct machine *machine);

/* -- Together ---------------------------------------------------------------------------------------------- */

struct findings {
    struct backend_finding backends[BACKEND_COUNT]; /* by choice; for auto all is zero */
    enum backend_choice first;                      /* what auto takes; BACKEND_AUTO: nothing works */
    struct machine machine;
    struct sandbox_state sandbox; /* what holds the workers of `render` */
    struct strings notes;         /* what costs speed or may go wrong */
    struct strings advice;        /* commands to type where nothing works */
};

/* The commands that install back ends on the system that an os-release file describes. */
void advise_install(const char *os_release, struct strings *out);

int findings_print_json(const struct findings *findings, FILE *out); /* -1 when memory is out */

#endif
