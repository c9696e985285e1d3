/*
 * codes.h - finds the row of a code by what people write for it.
 */
#ifndef LOOKUP_CODES_H
#define LOOKUP_CODES_H

#include "tables.h"

/* "0x10E", "VIDEO_TDR_FAILURE", "code43", "STATUS_NO_MEMORY" or "0xC0000017"; NULL: none of them. */
const struct vidmm_code *code_find(const char *word);
/* A status by its number, sign-extended to 64 bits or not; NULL: none that is known. */
const struct vidmm_code *code_find_status(uint64_t number);
/* The next status of which only the name is known; NULL: the first, and after the last. */
const struct vidmm_code *code_named_at(size_t index);
/* A hexadecimal number with or without 0x, and with the accent that the debugger puts in the middle. */
bool code_number(const char *word, uint64_t *number);

#endif
