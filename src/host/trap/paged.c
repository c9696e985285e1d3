/* paged.c - see trap/paged.h. */
#include "trap/paged.h"

#include "base/thread.h"
#include "base/violations.h"
#include "base/world.h"
#include "memory/paged_pool.h"
#include "memory/pool.h"

bool paged_fault(uint64_t address, bool writes) {
    struct host_pool_place place;
    if (!host_paged_pool_has(address))
        return false;
    bool told = host_paged_pool_reach(true); /* or another thread has brought it back meanwhile */
    if (!told && host_self.irql >= DISPATCH_LEVEL &&
        host_pool_place(host_world->pool, address, &place))
        host_violation(
            "the driver %s its block '%s' of %zu bytes of paged pool, at offset %llu, at "
            "IRQL %u: it may be paged out",
            writes ? "writes to" : "reads", place.tag, place.size, (unsigned long long)place.offset,
            host_self.irql);
    return true;
}
