/* guarded.c - see guarded.h. */
#include "guarded.h"

#include <sys/mman.h>

bool guarded_make(struct guarded *guarded) {
    void *base =
        mmap(NULL, 2 * GUARDED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *guarded = (struct guarded){.base = base == MAP_FAILED ? NULL : base};
    if (!guarded->base)
        return false;
    guarded->end = guarded->base + GUARDED;
    return mprotect(guarded->end, GUARDED, PROT_NONE) == 0;
}

void guarded_free(struct guarded *guarded) {
    if (guarded->base)
        munmap(guarded->base, 2 * GUARDED);
}
