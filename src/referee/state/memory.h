/* memory.h - the referee's own memory: once some was not to be had, the referee knows less than what
 * happened, and judges nothing any more; see ledger.c. */
#ifndef REFEREE_MEMORY_H
#define REFEREE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* As malloc, calloc and realloc; freed by free. */
void *memory_malloc(size_t size);
void *memory_calloc(size_t count, size_t size);
void *memory_realloc(void *old, size_t size);
/* Whole pages. */
void *memory_pages(size_t page, size_t size);

/* Memory was refused to a referee of this process. Any thread may ask. */
bool memory_short(void);

#endif
