/* user_addresses.c - requests of a process about GPU virtual addresses: reserve, map, update, free,
 * valid and invalid; see user.h. */
#include "user.h"

#include <string.h>

#define UNIT       0x10000u /* of reservations */
#define RESERVED   (4 * UNIT)
#define PROTECTION 0x5u
#define MANY       200u         /* updates */
#define TABLE      0x200000u    /* what a leaf table of 512 entries translates */
#define COPIED     (2u * TABLE) /* of a reservation with the end of a leaf table well inside */

struct range {
    struct user *user;
    uint64_t va, size; /* reserved */
    struct vidmm_allocation *target;
    bool waits; /* its updates stay in the queue */
};

/* By the manager's VA map, `va` leads to the byte of the allocation. */
static bool leads(const struct user *user, uint64_t va, const struct vidmm_allocation *target,
                  uint64_t offset) {
    struct vidmm_allocation *found = NULL;
    uint64_t at = 0;
    return vidmm_process_lookup(user->process, va, &found, &at) && found == target && at == offset;
}

static bool addresses_report(struct user *user, struct vidmm_request_record *record,
                             enum vidmm_status status) {
    record->answer = user_answer(status);
    check_request(user->check, record);
    return user_fine(user, status);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static bool reserve(struct user *user, uint64_t base, uint64_t size, enum vidmm_request_range range,
                    uint64_t *va) {
    const struct vidmm_va_request request = {
        .base = base, .size = size, .driver_protection = PROTECTION};
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_RESERVE};
    enum vidmm_status status = vidmm_va_reserve(user->process, &request, va);
    record.addresses = (struct vidmm_request_addresses){
        .base = base, .size = size, .va = *va, .driver_protection = PROTECTION, .range = range};
    return addresses_report(user, &record, status);
}

/* Anywhere between two bounds, far from where others begin. */
static bool reserve_between(struct user *user, uint64_t minimum, uint64_t maximum) {
    const struct vidmm_va_request request = {
        .minimum = minimum, .maximum = maximum, .size = RESERVED, .driver_protection = PROTECTION};
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_RESERVE};
    uint64_t va = 0;
    enum vidmm_status status = vidmm_va_reserve(user->process, &request, &va);
    record.addresses = (struct vidmm_request_addresses){.minimum = minimum,
                                                        .maximum = maximum,
                                                        .size = RESERVED,
                                                        .va = va,
                                                        .driver_protection = PROTECTION};
    return addresses_report(user, &record, status);
}

static bool map(struct user *user, const struct vidmm_va_request *request,
                enum vidmm_request_range range, uint64_t *va) {
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_MAP};
    uint64_t fence = 0;
    enum vidmm_status status = vidmm_va_map(user->queue, request, va, &fence);
    if (status == VIDMM_OK)
        status = vidmm_paging_wait(user->queue, fence);
    record.addresses = (struct vidmm_request_addresses){
        .base = request->base,
        .size = request->size,
        .va = *va,
        .offset = request->offset,
        .range = range,
        .allocation = request->allocation,
        .nowhere = (request->protection & (VIDMM_VA_NO_ACCESS | VIDMM_VA_ZERO)) != 0,
        .leads = status == VIDMM_OK && leads(user, *va, request->allocation, request->offset)};
    return addresses_report(user, &record, status);
}

/* `count` operations on the same addresses; the last one counts. */
static bool addresses_update(const struct range *range, const struct vidmm_va_operation *operations,
                             uint32_t count) {
    const struct vidmm_va_operation *last = &operations[count - 1];
    struct user *user = range->user;
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_UPDATE};
    enum vidmm_status status = vidmm_va_update(user->context, operations, count);
    uint32_t queued = vidmm_va_queued(user->context);
    if (status == VIDMM_OK && !range->waits)
        status = vidmm_va_wait(user->context);
    record.addresses = (struct vidmm_request_addresses){
        .queued = queued,
        .base = last->base,
        .size = last->size,
        .offset = last->offset,
        .repeat = last->repeat,
        .allocation = last->allocation,
        .one_reservation = last->base >= range->va && last->base < range->va + range->size &&
                           last->size <= range->va + range->size - last->base,
        .leads = range->waits ? last->type == VIDMM_VA_OP_MAP
                              : leads(user, last->base, range->target, last->offset),
        .should_lead = last->type == VIDMM_VA_OP_MAP};
    return addresses_report(user, &record, status);
}

static bool give_back(const struct range *range, uint64_t va, uint64_t size) {
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_FREE};
    enum vidmm_status status = vidmm_va_free(range->user->process, va, size);
    record.addresses = (struct vidmm_request_addresses){
        .base = va, .size = size, .leads = leads(range->user, va, range->target, 0)};
    return addresses_report(range->user, &record, status);
}

/* Its addresses are freed with it. */
static bool addresses_destroy(struct user *user, uint32_t index) {
    const struct user_surface gone = user->surface[index];
    struct vidmm_allocation *found = NULL;
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_FREE};
    uint64_t at = 0;
    user_drop(user, index);
    record.addresses = (struct vidmm_request_addresses){
        .base = gone.va,
        .size = gone.size,
        .leads = vidmm_process_lookup(user->process, gone.va, &found, &at)};
    return addresses_report(user, &record, VIDMM_OK);
}

/* ---- What is asked --------------------------------------------------------------------------- */

static bool reserve_all(struct range *range) {
    struct user *user = range->user;
    uint64_t ignored = 0;
    check_step(user->check, "residency: reservations");
    return reserve(user, 0, RESERVED, VIDMM_RANGE_FREE, &range->va) && user->status == VIDMM_OK &&
           reserve(user, 0, CHECK_PAGE, VIDMM_RANGE_FREE, &ignored) &&
           reserve(user, range->va, RESERVED, VIDMM_RANGE_RESERVED, &ignored) &&
           reserve_between(user, range->va + 4 * RESERVED, range->va + 8 * RESERVED);
}

static bool map_all(const struct range *range) {
    struct user *user = range->user;
    const uint64_t taken = user->surface[0].va;
    const struct {
        struct vidmm_va_request request;
        enum vidmm_request_range range;
    } maps[] = {
        {{.size = UNIT, .allocation = range->target, .protection = VIDMM_VA_WRITE},
         VIDMM_RANGE_FREE},
        {{.size = UNIT, .allocation = range->target}, VIDMM_RANGE_FREE}, /* to be read only */
        {{.size = UNIT, .allocation = range->target, .protection = VIDMM_VA_EXECUTE},
         VIDMM_RANGE_FREE},
        {{.size = CHECK_PAGE / 2, .allocation = range->target}, VIDMM_RANGE_FREE},
        {{.size = UNIT, .allocation = range->target, .protection = VIDMM_VA_NO_ACCESS},
         VIDMM_RANGE_FREE},
        {{.base = taken, .size = UNIT, .protection = VIDMM_VA_NO_ACCESS}, VIDMM_RANGE_MAPPED},
        {{.base = range->va, .size = UNIT, .protection = VIDMM_VA_NO_ACCESS}, VIDMM_RANGE_RESERVED},
    };
    check_step(user->check, "residency: mappings");
    for (uint32_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        uint64_t va = 0;
        if (!map(user, &maps[i].request, maps[i].range, &va))
            return false;
        if (user->status == VIDMM_OK && maps[i].request.allocation &&
            (!user_submit(user, 0) || !user_rest(user) || /* with its entries in place */
             !give_back(range, va, maps[i].request.size)))
            return false;
    }
    return true;
}

static bool update_all(const struct range *range) {
    struct vidmm_va_operation pair[2] = {
        {.type = VIDMM_VA_OP_MAP, .base = range->va, .size = UNIT, .allocation = range->target},
        {.type = VIDMM_VA_OP_UNMAP,
         .base = range->va,
         .size = UNIT,
         .protection = VIDMM_VA_NO_ACCESS}};
    struct vidmm_va_operation wrong = pair[0];
    check_step(range->user->check, "residency: updates");
    if (!addresses_update(range, pair, 1) || !addresses_update(range, pair, 2) ||
        !addresses_update(range, pair, 1))
        return false;
    wrong.base = range->va + RESERVED - CHECK_PAGE;
    if (!addresses_update(range, &wrong, 1))
        return false;
    wrong = pair[0];
    wrong.offset = CHECK_PAGE / 2;
    if (!addresses_update(range, &wrong, 1))
        return false;
    wrong = pair[0];
    wrong.repeat = 3 * CHECK_PAGE;
    if (!addresses_update(range, &wrong, 1))
        return false;
    wrong.repeat = 4 * CHECK_PAGE;
    return addresses_update(range, &wrong, 1);
}

/* More updates behind work than may be queued; all are done before the next work. */
static bool queue_all(struct range *range) {
    const struct vidmm_va_operation map = {
        .type = VIDMM_VA_OP_MAP, .base = range->va, .size = UNIT, .allocation = range->target};
    bool fine = user_submit(range->user, 0);
    check_step(range->user->check, "residency: queued updates");
    range->waits = true;
    for (uint32_t i = 0; fine && i < MANY; i++)
        fine = addresses_update(range, &map, 1);
    range->waits = false;
    return fine && user_submit(range->user, 0) && user_rest(range->user) &&
           addresses_update(range, &map, 1);
}

/* The mapping moves inside its reservation. */
static bool copy_entries(const struct range *range, uint64_t from, uint64_t to, uint64_t size) {
    const struct vidmm_va_operation copy = {
        .type = VIDMM_VA_OP_COPY, .base = from, .size = size, .destination = to};
    struct user *user = range->user;
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_UPDATE};
    enum vidmm_status status = vidmm_va_update(user->context, &copy, 1);
    if (status == VIDMM_OK)
        status = vidmm_va_wait(user->context);
    record.addresses = (struct vidmm_request_addresses){.base = to,
                                                        .size = size,
                                                        .allocation = range->target,
                                                        .one_reservation = true,
                                                        .leads = leads(user, to, range->target, 0),
                                                        .should_lead = true};
    return addresses_report(user, &record, status);
}

/* Over the end of a leaf table, by less than its size, up and down, where no page of 64 KB can be: whichever way a driver goes through the
 * entries, one of the two writes what it has still to read. */
bool user_copies(struct user *user, uint32_t index) {
    const struct user_surface *surface = &user->surface[index];
    struct range range = {.user = user, .size = COPIED, .target = surface->allocation};
    const uint64_t step = surface->size / 4 & ~(uint64_t)(CHECK_PAGE - 1);
    check_step(user->check, "residency: mappings that move");
    if (step == 0 || surface->size > TABLE / 4 || check_explained(user->check))
        return true; /* entries that are wrong are so where they are copied to */
    if (!reserve(user, 0, COPIED, VIDMM_RANGE_FREE, &range.va) || user->status != VIDMM_OK)
        return user->status != VIDMM_OK;
    uint64_t end = (range.va + TABLE / 2 + TABLE - 1) / TABLE * TABLE - CHECK_PAGE;
    const struct vidmm_va_operation first = {.type = VIDMM_VA_OP_MAP,
                                             .base = end - 2 * step,
                                             .size = surface->size,
                                             .allocation = surface->allocation};
    return addresses_update(&range, &first, 1) &&
           copy_entries(&range, end - 2 * step, end - step, surface->size) &&
           user_submit(user, 0) && user_rest(user) &&
           copy_entries(&range, end - step, end - 2 * step, surface->size) &&
           user_submit(user, 0) && user_rest(user) && give_back(&range, range.va, COPIED);
}

/* The page at `middle` comes back between those that stayed. */
static bool join_again(struct user *user, const struct user_surface *surface, uint64_t va,
                       uint64_t middle) {
    const struct vidmm_va_request page = {.base = va + middle,
                                          .size = CHECK_PAGE,
                                          .allocation = surface->allocation,
                                          .offset = middle,
                                          .protection = VIDMM_VA_WRITE};
    uint64_t at = va + middle;
    return map(user, &page, VIDMM_RANGE_FREE, &at) && user->status == VIDMM_OK;
}

/* All of it at a second range, which loses a page out of its middle while both are resident. */
bool user_split(struct user *user, uint32_t index) {
    const struct user_surface *surface = &user->surface[index];
    const struct range range = {.user = user, .target = surface->allocation};
    const struct vidmm_va_request all = {
        .size = surface->size, .allocation = surface->allocation, .protection = VIDMM_VA_WRITE};
    uint64_t va = 0, middle = surface->size / 2 & ~(uint64_t)(CHECK_PAGE - 1);
    return map(user, &all, VIDMM_RANGE_FREE, &va) && user->status == VIDMM_OK &&
           user_submit(user, 0) && give_back(&range, va + middle, CHECK_PAGE) &&
           user_submit(user, 0) && join_again(user, surface, va, middle) && user_submit(user, 0) &&
           user_rest(user) && give_back(&range, va, surface->size);
}

bool user_protected(struct user *user, uint32_t index) {
    const struct user_surface *surface = &user->surface[index];
    const struct range range = {.user = user, .target = surface->allocation};
    const struct vidmm_va_request all = {
        .size = surface->size, .allocation = surface->allocation, .protection = VIDMM_VA_EXECUTE};
    uint64_t va = 0;
    return map(user, &all, VIDMM_RANGE_FREE, &va) && user->status == VIDMM_OK &&
           user_submit(user, 0) && user_rest(user) && give_back(&range, va, surface->size);
}

/* Reads give zero there, and writes are dropped; a driver without such pages has none. */
bool user_zeroes(struct user *user, uint64_t size) {
    const struct range range = {.user = user};
    const struct vidmm_va_request zeroes = {.size = size, .protection = VIDMM_VA_ZERO};
    uint64_t va = 0;
    return map(user, &zeroes, VIDMM_RANGE_FREE, &va) &&
           (user->status != VIDMM_OK ||
            (user_submit(user, 0) && user_rest(user) && give_back(&range, va, size)));
}

/* ---- A leaf table of its own ------------------------------------------------------------------ */

static bool out_and_in(struct user *user, uint32_t index) {
    return user_evict(user, &index, 1, 0) &&
           user_fine(user, vidmm_allocation_evict(user->surface[index].allocation, true)) &&
           user_rest(user) && user_make_resident(user, NULL, &index, 1, 0) &&
           user_submit(user, 0) && user_rest(user);
}

/* The same pages once more, behind the first ones in the table, if it has room for them. */
static bool again_in_table(const struct range *range, uint64_t start, uint64_t end,
                           uint32_t index) {
    struct user *user = range->user;
    const uint64_t size = user->surface[index].size;
    const struct vidmm_va_operation pages = {.type = VIDMM_VA_OP_MAP,
                                             .base = start + size + 2 * UNIT,
                                             .size = size,
                                             .allocation = range->target};
    return pages.base + size > end || (addresses_update(range, &pages, 1) && user_submit(user, 0) &&
                                       user_rest(user) && out_and_in(user, index));
}

static bool in_table(const struct range *range, uint64_t start, uint64_t end, uint64_t zeroes,
                     uint32_t index) {
    struct user *user = range->user;
    const uint64_t size = user->surface[index].size;
    const struct vidmm_va_operation pages = {
        .type = VIDMM_VA_OP_MAP, .base = start, .size = size, .allocation = range->target};
    const struct vidmm_va_operation zero = {.type = VIDMM_VA_OP_UNMAP,
                                            .base = start + size,
                                            .size = zeroes,
                                            .protection = VIDMM_VA_ZERO};
    const struct vidmm_va_operation page = {.type = VIDMM_VA_OP_MAP,
                                            .base = start + size + UNIT,
                                            .size = CHECK_PAGE,
                                            .allocation = range->target};
    return addresses_update(range, &pages, 1) && user_submit(user, 0) && user_rest(user) &&
           out_and_in(user, index) && again_in_table(range, start, end, index) &&
           (zeroes == 0 || addresses_update(range, &zero, 1)) && user_submit(user, 0) &&
           user_rest(user) && addresses_update(range, &page, 1) && user_submit(user, 0) &&
           user_rest(user) && out_and_in(user, index);
}

bool user_tables(struct user *user, uint32_t index) {
    struct vidmm_gpummu_info mmu;
    struct range range = {.user = user, .target = user->surface[index].allocation};
    const uint64_t size = user->surface[index].size;
    vidmm_gpummu_info(user->check->harness.adapter, 0, &mmu);
    const uint64_t covers = (uint64_t)CHECK_PAGE << mmu.level[0].index_bits;
    check_step(user->check, "residency: a leaf table of its own");
    if (size % UNIT != 0 || size + 2 * UNIT > covers)
        return true;
    range.size = 2 * covers;
    if (!reserve(user, 0, range.size, VIDMM_RANGE_FREE, &range.va) || user->status != VIDMM_OK)
        return user->status == VIDMM_DOES_NOT_FIT;
    uint64_t start = (range.va + covers - 1) / covers * covers;
    return in_table(&range, start, start + covers, mmu.caps.ZeroInPteSupported ? UNIT : 0, index) &&
           give_back(&range, range.va, range.size);
}

/* ---- All requests about addresses ------------------------------------------------------------- */

bool user_addresses(struct user *user, uint32_t mapped, uint32_t gone) {
    struct range range = {
        .user = user, .size = RESERVED, .target = user->surface[mapped].allocation};
    return reserve_all(&range) && map_all(&range) && update_all(&range) &&
           user_copies(user, mapped) && queue_all(&range) && user_submit(user, 0) &&
           user_rest(user) && give_back(&range, range.va, RESERVED) &&
           user_evict(user, &gone, 1, 0) && addresses_destroy(user, gone);
}
