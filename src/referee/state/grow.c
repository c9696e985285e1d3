/* grow.c - see grow.h. */
#include "state/grow.h"
#include "state/memory.h"

#include <stdlib.h>
#include <string.h>

#define GROW_LEAST 16u

bool grow(void *array, uint32_t *room, uint32_t wanted, size_t size) {
    uint8_t *old, *now;
    if (wanted <= *room)
        return true;
    uint32_t more = *room < GROW_LEAST ? GROW_LEAST : *room * 2;
    if (more < wanted)
        more = wanted;
    memcpy(&old, array, sizeof(old)); /* a pointer to any type */
    now = memory_realloc(old, more * size);
    if (!now)
        return false;
    memset(now + *room * size, 0, (more - *room) * size);
    memcpy(array, &now, sizeof(now));
    *room = more;
    return true;
}

void grow_free(void *array, uint32_t *room) {
    void *old, *none = NULL;
    memcpy(&old, array, sizeof(old));
    free(old);
    memcpy(array, &none, sizeof(none));
    *room = 0;
}
