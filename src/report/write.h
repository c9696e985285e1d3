/*
 * write.h - a report reaches its file whole or not at all.
 */
#ifndef VIDMM_REPORT_WRITE_H
#define VIDMM_REPORT_WRITE_H

#include <stdbool.h>
#include <jansson.h>
#include <stddef.h>

/* `dump` and a line's end to `path`, "-": standard output. false: one sentence in `text`. */
bool report_write(const char *path, const char *dump, char *text, size_t size);
/* The same of a document, which is given away. */
bool report_write_json(const char *path, json_t *root, char *text, size_t size);

#endif
