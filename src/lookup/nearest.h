/*
 * nearest.h - the known words that are most like an unknown one.
 */
#ifndef LOOKUP_NEAREST_H
#define LOOKUP_NEAREST_H

#include <stddef.h>

/* "R8, stride and 0x10E" into `text`; empty: none is near. `word` may be any bytes. */
void nearest_words(const char *word, char *text, size_t size);

#endif
