/* handed.c - see handed.h. */
#include "memory/handed.h"

#include <string.h>
#include <sys/mman.h>

#include "base/thread.h"
#include "base/world.h"

#define ROOM ((size_t)64 << 10) /* a page, however large the machine's are */

static struct host_handed *all; /* that have a page */

static bool handed_make(struct host_handed *handed) {
    void *pages = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return false;
    (void)mprotect((unsigned char *)pages + ROOM, ROOM, PROT_NONE);
    handed->page = pages;
    handed->next = all;
    all = handed;
    return true;
}

void *host_handed_begin(struct host_handed *handed, const char *what, const void *original,
                        size_t size) {
    if (!handed->page && !handed_make(handed))
        return NULL;
    handed->what = what;
    (void)mprotect(handed->page, ROOM, PROT_READ | PROT_WRITE);
    return memcpy(handed->page + ROOM - size, original, size);
}

void host_handed_end(struct host_handed *handed) {
    if (handed->page)
        (void)mprotect(handed->page, ROOM, PROT_NONE);
}

void host_handed_free(struct host_handed *handed) {
    struct host_handed **link = &all;
    while (*link && *link != handed)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = handed->next;
    (void)munmap(handed->page, 2 * ROOM);
    handed->page = NULL;
}

bool host_handed_fault(uint64_t address, bool writes) {
    for (const struct host_handed *handed = all; handed; handed = handed->next) {
        if (address - (uintptr_t)handed->page >= ROOM)
            continue;
        host_violation("the driver %s %s, which has returned", writes ? "writes" : "reads",
                       handed->what);
        return mprotect(handed->page, ROOM, PROT_READ | PROT_WRITE) == 0;
    }
    return false;
}
