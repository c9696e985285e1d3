/*
 * engine.h - libFuzzer and the tools of clang that it takes: found and linked when they are needed, so
 * that vidmm itself needs neither.
 */
#ifndef FUZZ_ENGINE_H
#define FUZZ_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a shared object of libFuzzer in `directory` and loads it: what a driver with coverage calls is
 * in it. false: one sentence is in `text`. */
bool fuzz_engine_load(const char *directory, char *text, size_t size);
/* In the process that searches: these counters are edges of a driver that has none of its own. */
void fuzz_engine_counters(uint8_t *counter, size_t count);
/* libFuzzer's own loop over the arguments of its command; it may end the process. */
int fuzz_engine_run(int argc, char **argv, int (*one)(const uint8_t *data, size_t size));
/* Whether the driver was built with coverage. */
bool fuzz_engine_measures(const char *driver_path);

#endif
