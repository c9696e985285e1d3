/* ended.c - lists in front of memory that is not there; see ended.h. */
#include "state/ended.h"

#include <string.h>
#include <sys/mman.h>

#include "state/judge.h"

#define ENDED_MOST  ((size_t)65536) /* bytes of a list */
#define ENDED_AFTER ((size_t)65536) /* that are not there */

static bool ended_begin(struct ended_memory *memory) {
    if (memory->base)
        return true;
    void *base = mmap(NULL, ENDED_MOST + ENDED_AFTER, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    memory->base = base;
    if (mprotect(base, ENDED_MOST, PROT_READ | PROT_WRITE) == 0)
        return true;
    ended_free_memory(memory);
    return false;
}

void ended_make(struct vidmm_referee *referee, struct ended *ended, const struct referee_call *call,
                const char *member, void *original, size_t size) {
    struct ended_memory *memory = &referee->ended;
    *ended = (struct ended){.bytes = original};
    if (!original || size == 0 || size > ENDED_MOST || memory->taken || !ended_begin(memory))
        return;
    memory->taken = true;
    ended->taken = true;
    ended->bytes = memory->base + ENDED_MOST - size;
    memcpy(ended->bytes, original, size);
    referee_gives_list(call, 626, member, ended->bytes, size);
}

void ended_free(struct vidmm_referee *referee, const struct ended *ended) {
    if (ended->taken)
        referee->ended.taken = false;
}

void ended_free_memory(struct ended_memory *memory) {
    if (memory->base)
        (void)munmap(memory->base, ENDED_MOST + ENDED_AFTER);
    memory->base = NULL;
}
