/*
 * member.h - typed access to the members of one line's JSON object, with exact places in messages.
 *
 * jansson parses the line but does not keep the position of a value; member_column finds it again
 * if there is an error to report.
 */
#ifndef VIDMM_WORKLOAD_MEMBER_H
#define VIDMM_WORKLOAD_MEMBER_H

#include <jansson.h>

#include "lines.h"

/* A parsed line. */
struct member_line {
    const char *name; /* of the recording */
    uint64_t number;
    const char *text;
    size_t size;
    json_t *object;
    struct vidmm_workload_error *error;
};

#define MEMBER_WHOLE SIZE_MAX

/* Parses; false with the error filled in, and nothing to free, when it is not one JSON object. */
bool member_parse(struct member_line *line);

/* Column (1-based) of the value of `key`, or of item `item` of that array; 1 when there is none. */
uint64_t member_column(const struct member_line *line, const char *key, size_t item);
/* Reports an error of that value. Returns false. */
bool member_fail(const struct member_line *line, const char *key, size_t item, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* A whole number from `least` to `most`; false with the error filled in. */
bool member_number(const struct member_line *line, const char *key, uint64_t least, uint64_t most,
                   uint64_t *value);
/* A string that lives as long as the object, or NULL with the error filled in. */
const char *member_string(const struct member_line *line, const char *key);
/* An array, or NULL with the error filled in. */
json_t *member_array(const struct member_line *line, const char *key);

#endif
