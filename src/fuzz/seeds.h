/*
 * seeds.h - the inputs with which a search from nothing begins: many calls each, since the start of the driver
 * costs more than they do.
 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include <stdbool.h>

/* Writes them into the directory; some begin with numbers of the driver's code. */
bool fuzz_seeds_write(const char *directory, const char *driver);

#endif
