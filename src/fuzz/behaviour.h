/*
 * behaviour.h - what a driver without coverage is seen to do: its calls and answers, counted as libFuzzer
 * counts edges, so that an input which makes it answer something new is kept.
 */
#ifndef FUZZ_BEHAVIOUR_H
#define FUZZ_BEHAVIOUR_H

#include <stddef.h>
#include <stdint.h>

#include <vidmm/host.h>

/* The counters, in this process; from now on the watcher counts. */
uint8_t *fuzz_behaviour_counters(size_t *count);
/* NULL: nobody counts. */
const struct vidmm_host_watcher *fuzz_behaviour_watcher(void);
/* An answer of the manager's to user mode. */
void fuzz_behaviour_answer(uint32_t status);

#endif
