/*
 * assert.c - see assert.h.
 */
#include "base/assert.h"

void assert_failed(const struct vidmm_os *os, const char *what, const char *file, int line) {
    if (!os || !os->assertion_failed)
        __builtin_trap();
    os->assertion_failed(os->ctx, what, file, line);
}

bool assert_held(const struct vidmm_os *os, void *lock) {
    return !os->lock_held || os->lock_held(os->ctx, lock);
}
