/*
 * status.h - statuses in the sentences of findings, by their names.
 */
#ifndef REFEREE_STATUS_H
#define REFEREE_STATUS_H

#include <stddef.h>

/* "status STATUS_NOT_FOUND" where `text` has "status 0xc0000225"; at most `size` bytes. */
void status_words(const char *text, char *named, size_t size);

#endif
