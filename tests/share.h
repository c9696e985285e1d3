/*
 * share.h - VIDMM_SHARE=N in the environment: tests that play many cases take each Nth of them, as `make test` and .ci/run ask them
 * to; `make test-all`, `make sanitize` and `make tsan` play all.
 */
#ifndef VIDMM_TESTS_SHARE_H
#define VIDMM_TESTS_SHARE_H

#include <stdint.h>
#include <stdlib.h>

static inline uint32_t share(void) {
    const char *text = getenv("VIDMM_SHARE");
    int number = text ? atoi(text) : 1;
    return number > 1 ? (uint32_t)number : 1;
}

#endif
