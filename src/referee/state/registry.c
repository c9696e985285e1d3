/* registry.c - the one file-scope variable of the referee; see registry.h. */
#include "state/registry.h"

#include <stdatomic.h>

#include "state/referee.h"

static _Atomic(struct vidmm_referee *) registry[REGISTRY_SLOTS];

bool registry_add(struct vidmm_referee *referee) {
    for (uint32_t slot = 0; slot < REGISTRY_SLOTS; slot++) {
        struct vidmm_referee *none = NULL;
        referee->slot = slot;
        if (atomic_compare_exchange_strong(&registry[slot], &none, referee))
            return true;
    }
    return false;
}

void registry_remove(struct vidmm_referee *referee) {
    atomic_store(&registry[referee->slot], NULL);
}

struct vidmm_referee *registry_at(uint32_t slot) {
    return atomic_load_explicit(&registry[slot], memory_order_acquire);
}
