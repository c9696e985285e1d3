/* pool_hidden.c - see pool_hidden.h. */
#include "memory/pool_hidden.h"

#include <stddef.h>
#include <sys/mman.h>

#include "memory/physical.h"

#define FIRST_ONES  256u
#define ONE_OF_MANY 64u

bool host_pool_hidden_wants(struct host_pool_hidden *hidden) {
    uint64_t number = __atomic_fetch_add(&hidden->asked, 1, __ATOMIC_RELAXED);
    return number < FIRST_ONES || number % ONE_OF_MANY == 0;
}

static void protect(uint8_t *page, int protection) {
    (void)mprotect(page, HOST_PAGE, protection);
}

void host_pool_hide(struct host_pool_hidden *hidden, uint8_t *page) {
    uint32_t most = hidden->most != 0 ? hidden->most : HOST_POOL_HIDDEN;
    uint8_t **place = &hidden->page[hidden->next++ % most];
    if (*place)
        protect(*place, PROT_READ | PROT_WRITE);
    *place = page;
    protect(page, PROT_NONE);
}

bool host_pool_reveal(struct host_pool_hidden *hidden, const uint8_t *page) {
    for (uint32_t i = 0; i < HOST_POOL_HIDDEN; i++) {
        if (!hidden->page[i] || hidden->page[i] != page)
            continue;
        protect(hidden->page[i], PROT_READ | PROT_WRITE);
        hidden->page[i] = NULL;
        return true;
    }
    return false;
}

void host_pool_hide_again(const struct host_pool_hidden *hidden) {
    for (uint32_t i = 0; i < HOST_POOL_HIDDEN; i++)
        if (hidden->page[i])
            protect(hidden->page[i], PROT_NONE);
}
