/* One result made of a stranger's file, in a process of its own that is confined and keeps nothing but what it prints. */
#ifndef OS_APART_H
#define OS_APART_H

#include "base/bytes.h"
#include "base/error.h"
#include "os/sandbox.h"

/* Calls `make` there, and gives what it returned (0 to 255) with the bytes it left; -1 and why when the process did not
 * live to return, or took longer than this (0: as long as it takes). Where the rules are off, calls it here, for as long as
 * it takes. *out is the caller's. */
int sandbox_apart(struct sandbox_rules *rules, double timeout_s, int (*make)(void *context, struct blob *out),
                  void *context, struct blob *out, struct error *err);

#endif
