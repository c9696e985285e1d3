/* grow.h - arrays that grow: what the referee keeps of calls has no maximum but memory. */
#ifndef REFEREE_GROW_H
#define REFEREE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives an array room for `wanted` elements of `size` bytes: `array` is the address of the pointer to
 * it (NULL at first), `*room` its elements (0 at first). New elements are zero; the array may move.
 * False: out of memory, and all is as it was. */
bool grow(void *array, uint32_t *room, uint32_t wanted, size_t size);

/* Frees the array; it is empty. */
void grow_free(void *array, uint32_t *room);

#endif
