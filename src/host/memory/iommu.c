/* iommu.c - see iommu.h. */
#include "memory/iommu.h"

#include <stdlib.h>
#include <string.h>

#include "base/world.h"
#include "memory/mdl.h"
#include "memory/physical.h"

#define PASIDS_MOST ((1u << 20) - 1) /* a PASID has 20 bits */

void host_iommu_init(struct host_iommu *iommu) {
    pthread_mutex_init(&iommu->lock, NULL);
}

static void drop_space(struct host_iommu_space *space) {
    host_block_free(HOST_OWNER_MANAGER, space->range, space->room * sizeof(*space->range));
    memset(space, 0, sizeof(*space));
}

/* The list is freed with its last process; remaining ranges are leaks of the manager. */
static void drop_spaces(struct host_iommu *iommu) {
    host_block_free(HOST_OWNER_MANAGER, iommu->space, iommu->spaces * sizeof(*iommu->space));
    iommu->space = NULL;
    iommu->spaces = 0;
}

void host_iommu_done(struct host_iommu *iommu) {
    for (uint32_t i = 0; i < iommu->spaces; i++)
        drop_space(&iommu->space[i]);
    drop_spaces(iommu);
    pthread_mutex_destroy(&iommu->lock);
}

bool host_iommu_in_use(void) {
    struct host_iommu *iommu = host_world->iommu;
    pthread_mutex_lock(&iommu->lock);
    bool used = iommu->attached != 0;
    pthread_mutex_unlock(&iommu->lock);
    return used;
}

/* Twice as many elements, or 8; false: no memory. `*room` says how many there are room for. */
static bool iommu_grow(void **list, uint32_t *room, size_t element) {
    uint32_t wanted = *room != 0 ? 2 * *room : 8;
    void *grown = host_block_alloc(HOST_OWNER_MANAGER, wanted * element);
    if (!grown)
        return false;
    if (*room != 0)
        memcpy(grown, *list, *room * element);
    host_block_free(HOST_OWNER_MANAGER, *list, *room * element);
    *list = grown;
    *room = wanted;
    return true;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* With the lock held; NULL: no such process. */
static struct host_iommu_space *space_of(struct host_iommu *iommu, uint32_t pasid) {
    return pasid != 0 && pasid <= iommu->spaces && iommu->space[pasid - 1].pasid != 0
               ? &iommu->space[pasid - 1]
               : NULL;
}

static uint32_t attach_locked(struct host_iommu *iommu) {
    uint32_t i = 0;
    while (i < iommu->spaces && iommu->space[i].pasid != 0)
        i++;
    if (i == PASIDS_MOST ||
        (i == iommu->spaces &&
         !iommu_grow((void **)&iommu->space, &iommu->spaces, sizeof(*iommu->space))))
        return 0;
    iommu->attached++;
    return iommu->space[i].pasid = i + 1;
}

static uint32_t iommu_attach(void *ctx) {
    struct host_iommu *iommu = host_world->iommu;
    (void)ctx;
    pthread_mutex_lock(&iommu->lock);
    uint32_t pasid = attach_locked(iommu);
    pthread_mutex_unlock(&iommu->lock);
    return pasid;
}

static void iommu_detach(void *ctx, uint32_t pasid) {
    struct host_iommu *iommu = host_world->iommu;
    (void)ctx;
    pthread_mutex_lock(&iommu->lock);
    struct host_iommu_space *space = space_of(iommu, pasid);
    if (space) {
        drop_space(space);
        if (--iommu->attached == 0)
            drop_spaces(iommu);
    }
    pthread_mutex_unlock(&iommu->lock);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* The first range that ends behind `va`: its index, or how many there are. */
static uint32_t first_behind(const struct host_iommu_space *space, uint64_t va) {
    uint32_t low = 0, high = space->ranges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (space->range[middle].end > va)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The range that begins at `address`, or NULL. With the lock held. */
static struct host_iommu_range *range_at(struct host_iommu *iommu, uint32_t pasid,
                                         uint64_t address) {
    struct host_iommu_space *space = space_of(iommu, pasid);
    uint32_t i = space ? first_behind(space, address) : 0;
    return space && i < space->ranges && space->range[i].start == address ? &space->range[i] : NULL;
}

static bool iommu_insert(struct host_iommu_space *space, const struct host_iommu_range *range) {
    uint32_t i = first_behind(space, range->start);
    if (i < space->ranges && space->range[i].start < range->end)
        return false;
    if (space->ranges == space->room &&
        !iommu_grow((void **)&space->range, &space->room, sizeof(*space->range)))
        return false;
    memmove(&space->range[i + 1], &space->range[i], (space->ranges - i) * sizeof(*space->range));
    space->range[i] = *range;
    space->ranges++;
    return true;
}

static uint64_t iommu_map(void *ctx, uint32_t pasid, PMDL mdl) {
    struct host_iommu *iommu = host_world->iommu;
    uint64_t bytes;
    struct host_iommu_range range = {.start = host_mdl_reserve(mdl, &bytes), .mdl = mdl};
    (void)ctx;
    if (range.start == 0)
        return 0;
    range.end = range.start + bytes;
    pthread_mutex_lock(&iommu->lock);
    struct host_iommu_space *space = space_of(iommu, pasid);
    bool mapped = space && iommu_insert(space, &range);
    pthread_mutex_unlock(&iommu->lock);
    return mapped ? range.start : 0;
}

static void iommu_unmap(void *ctx, uint32_t pasid, uint64_t address) {
    struct host_iommu *iommu = host_world->iommu;
    (void)ctx;
    pthread_mutex_lock(&iommu->lock);
    struct host_iommu_range *range = range_at(iommu, pasid, address);
    if (range) {
        struct host_iommu_space *space = space_of(iommu, pasid);
        uint32_t behind = --space->ranges - (uint32_t)(range - space->range);
        memmove(range, range + 1, behind * sizeof(*range));
    }
    pthread_mutex_unlock(&iommu->lock);
}

static void iommu_show(void *ctx, uint32_t pasid, uint64_t address, bool shown) {
    struct host_iommu *iommu = host_world->iommu;
    (void)ctx;
    pthread_mutex_lock(&iommu->lock);
    struct host_iommu_range *range = range_at(iommu, pasid, address);
    if (range)
        range->shown = shown;
    pthread_mutex_unlock(&iommu->lock);
}

const struct vidmm_iommu host_iommu_functions = {.attach = iommu_attach,
                                                 .detach = iommu_detach,
                                                 .map = iommu_map,
                                                 .unmap = iommu_unmap,
                                                 .show = iommu_show};

/* ---- Translation ----------------------------------------------------------------------------- */

/* RAM behind byte `at` of a range, as far as its frames follow each other. */
static void *frames_at(const struct host_iommu_range *range, uint64_t at, size_t *size) {
    const PFN_NUMBER *frame = (const PFN_NUMBER *)(range->mdl + 1) + at / HOST_PAGE;
    uint64_t left = range->end - range->start - at, have = HOST_PAGE - at % HOST_PAGE;
    for (uint32_t i = 1; have < *size && have < left && frame[i] == frame[0] + i; i++)
        have += HOST_PAGE;
    if (have < *size)
        *size = have;
    return host_physical_pointer(host_world->physical, frame[0] * HOST_PAGE + at % HOST_PAGE,
                                 *size);
}

void *host_iommu_translate(void *ctx, uint32_t pasid, uint64_t va, size_t *size) {
    struct host_iommu *iommu = host_world->iommu;
    void *at = NULL;
    (void)ctx;
    pthread_mutex_lock(&iommu->lock);
    const struct host_iommu_space *space = space_of(iommu, pasid);
    uint32_t i = space ? first_behind(space, va) : 0;
    if (space && i < space->ranges && space->range[i].start <= va && space->range[i].shown)
        at = frames_at(&space->range[i], va - space->range[i].start, size);
    pthread_mutex_unlock(&iommu->lock);
    return at;
}
