/* user_requests.c - requests of a process about residency, offers, locks and properties; see
 * user.h. */
#include "user.h"

/* One allocation of a request, before it is made. */
static struct vidmm_request_allocation before(const struct user *user, const struct user *owner,
                                              uint32_t index) {
    const struct user_surface *surface = &owner->surface[index];
    struct vidmm_allocation_info info;
    vidmm_allocation_info(surface->allocation, &info);
    return (struct vidmm_request_allocation){
        .handle = info.driver.hAllocation,
        .before = vidmm_residency_count(user->device, surface->allocation),
        .foreign = owner != user,
        .offered = surface->offered,
        .was_resident = info.segment != 0};
}

static void after(const struct user *user, const struct user *owner, uint32_t index,
                  struct vidmm_request_allocation *counts) {
    const struct user_surface *surface = &owner->surface[index];
    struct vidmm_allocation_info info;
    vidmm_allocation_info(surface->allocation, &info);
    counts->after = vidmm_residency_count(user->device, surface->allocation);
    counts->resident = info.segment != 0;
}

/* The surfaces of a request, and their request record. */
struct request {
    const struct user *owner;
    struct vidmm_allocation *list[USER_SURFACES];
    struct vidmm_request_record record;
};

static void requests_begin(struct request *request, enum vidmm_service service,
                           const struct user *user, const struct user *owner, const uint32_t *list,
                           uint32_t count) {
    *request = (struct request){.owner = owner, .record = {.service = service}};
    request->record.residency.count = count;
    for (uint32_t i = 0; i < count; i++) {
        request->list[i] = owner->surface[list[i]].allocation;
        request->record.residency.allocation[i] = before(user, owner, list[i]);
    }
}

/* What the manager reports afterwards. */
static void requests_note(struct request *request, const struct user *user, const uint32_t *list) {
    for (uint32_t i = 0; i < request->record.residency.count; i++)
        after(user, request->owner, list[i], &request->record.residency.allocation[i]);
}

static bool requests_report(struct request *request, struct user *user, enum vidmm_status status) {
    request->record.answer = user_answer(status);
    check_request(user->check, &request->record);
    return user_fine(user, status);
}

bool user_make_resident(struct user *user, const struct user *owners, const uint32_t *list,
                        uint32_t count, uint32_t flags) {
    struct request request;
    requests_begin(&request, VIDMM_SERVICE_MAKE_RESIDENT, user, owners ? owners : user, list,
                   count);
    struct vidmm_request_residency *residency = &request.record.residency;
    residency->cant_trim = (flags & VIDMM_RESIDENT_CANT_TRIM) != 0;
    residency->must_succeed = (flags & VIDMM_RESIDENT_MUST_SUCCEED) != 0;
    enum vidmm_status status = vidmm_make_resident(user->queue, request.list, count, flags,
                                                   &residency->fence, &residency->bytes_to_trim);
    if (status == VIDMM_OK && residency->fence != 0)
        status = vidmm_paging_wait(user->queue, residency->fence);
    residency->reached = vidmm_paging_fence(user->queue);
    requests_note(&request, user, list);
    return requests_report(&request, user, status);
}

bool user_evict(struct user *user, const uint32_t *list, uint32_t count, uint32_t flags) {
    struct request request;
    requests_begin(&request, VIDMM_SERVICE_EVICT, user, user, list, count);
    struct vidmm_request_residency *residency = &request.record.residency;
    residency->if_necessary = (flags & VIDMM_EVICT_ONLY_IF_NECESSARY) != 0;
    residency->not_written_to = (flags & VIDMM_EVICT_NOT_WRITTEN_TO) != 0;
    enum vidmm_status status =
        vidmm_device_evict(user->device, request.list, count, flags, &residency->bytes_to_trim);
    requests_note(&request, user, list);
    for (uint32_t i = 0; status == VIDMM_OK && residency->not_written_to && i < count; i++) {
        if (!user_fine(user, vidmm_allocation_evict(request.list[i], true)))
            return false;
        residency->allocation[i].lost = user_lost(user, list[i]);
    }
    return requests_report(&request, user, status);
}

/* The newest submission is not done and may use what was resident. */
static bool works_on(const struct user *user, bool was_resident) {
    return was_resident && user->fence != 0 &&
           !vidmm_completed(user->check->harness.adapter, user->fence);
}

/* The memory is needed at once, while the GPU may still work. */
bool user_offer(struct user *user, uint32_t index, uint32_t priority) {
    struct user_surface *surface = &user->surface[index];
    struct vidmm_allocation_info info;
    struct request request;
    requests_begin(&request, VIDMM_SERVICE_OFFER, user, user, &index, 1);
    request.record.residency.priority = priority;
    enum vidmm_status status =
        vidmm_offer(user->device, &surface->allocation, 1, (enum vidmm_offer_priority)priority);
    surface->offered = surface->offered || status == VIDMM_OK;
    if (status == VIDMM_OK && !user_fine(user, vidmm_allocation_evict(surface->allocation, false)))
        return false;
    vidmm_allocation_info(surface->allocation, &info);
    request.record.residency.working =
        info.segment == 0 && works_on(user, request.record.residency.allocation[0].was_resident);
    return requests_report(&request, user, status);
}

/* The CPU may see it, and does not get to. */
static bool is_unlockable(const struct user_surface *surface) {
    struct vidmm_allocation_info info;
    void *cpu = NULL;
    vidmm_allocation_info(surface->allocation, &info);
    if (!info.driver.Flags.CpuVisible)
        return false;
    bool locked = vidmm_lock(surface->allocation, VIDMM_LOCK_READ_ONLY, &cpu) == VIDMM_OK;
    if (locked)
        vidmm_unlock(surface->allocation);
    return !locked;
}

bool user_reclaim(struct user *user, uint32_t index) {
    struct user_surface *surface = &user->surface[index];
    enum vidmm_reclaim_result result = VIDMM_RECLAIM_OK;
    struct request request;
    requests_begin(&request, VIDMM_SERVICE_RECLAIM, user, user, &index, 1);
    struct vidmm_request_residency *residency = &request.record.residency;
    enum vidmm_status status =
        vidmm_reclaim(user->queue, &surface->allocation, 1, &result, &residency->fence);
    if (status == VIDMM_OK && residency->fence != 0)
        status = vidmm_paging_wait(user->queue, residency->fence);
    requests_note(&request, user, &index);
    if (status == VIDMM_OK) {
        surface->offered = false;
        residency->unlockable = is_unlockable(surface);
        residency->allocation[0].discarded = result == VIDMM_RECLAIM_DISCARDED;
        residency->allocation[0].lost = user_lost(user, index);
    }
    if (result == VIDMM_RECLAIM_DISCARDED)
        surface->letter = 0;
    return requests_report(&request, user, status);
}

bool user_lock(struct user *user, uint32_t index, uint32_t flags) {
    const struct user_surface *surface = &user->surface[index];
    struct vidmm_allocation_info was, is;
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_LOCK};
    void *cpu = NULL;
    vidmm_allocation_info(surface->allocation, &was);
    record.lock =
        (struct vidmm_request_lock){.allocation = was.driver.hAllocation,
                                    .read_only = (flags & VIDMM_LOCK_READ_ONLY) != 0,
                                    .write_only = (flags & VIDMM_LOCK_WRITE_ONLY) != 0,
                                    .dont_wait = (flags & VIDMM_LOCK_DONT_WAIT) != 0,
                                    .dont_evict = (flags & VIDMM_LOCK_DONT_EVICT) != 0,
                                    .acquire_aperture = (flags & VIDMM_LOCK_ACQUIRE_APERTURE) != 0,
                                    .alternate_va = (flags & VIDMM_LOCK_ALTERNATE_VA) != 0,
                                    .busy = works_on(user, was.segment != 0),
                                    .offered = surface->offered,
                                    .was_resident = was.segment != 0};
    enum vidmm_status status = vidmm_lock(surface->allocation, flags, &cpu);
    vidmm_allocation_info(surface->allocation, &is);
    if (status == VIDMM_OK)
        vidmm_unlock(surface->allocation);
    record.lock.resident = is.segment != 0;
    record.answer = user_answer(status);
    check_request(user->check, &record);
    return user_fine(user, status);
}

static void list_usage(const struct user *user, const struct user_surface *surface,
                       struct vidmm_request_residency *residency) {
    struct vidmm_allocation_info info;
    if (!surface->allocation || vidmm_residency_count(user->device, surface->allocation) == 0)
        return;
    vidmm_allocation_info(surface->allocation, &info);
    residency->allocation[residency->count++].handle = info.driver.hAllocation;
}

bool user_budget(struct user *user) {
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_BUDGET};
    list_usage(user, &user->commands, &record.residency);
    for (uint32_t i = 0; i < USER_SURFACES; i++)
        list_usage(user, &user->surface[i], &record.residency);
    for (uint32_t i = 0; i < 2; i++) {
        struct vidmm_budget budget;
        vidmm_process_budget(user->process, 0, i == 0 ? VIDMM_GROUP_LOCAL : VIDMM_GROUP_NON_LOCAL,
                             &budget);
        record.residency.budget[i] = budget.budget;
        record.residency.usage[i] = budget.usage;
    }
    check_request(user->check, &record);
    return true;
}

bool user_place(struct user *user, uint32_t index, uint32_t set) {
    const struct user_surface *surface = &user->surface[index];
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_PROPERTIES};
    struct vidmm_allocation_info info;
    vidmm_allocation_info(surface->allocation, &info);
    record.properties.SetSupportedSegmentSet = 1;
    record.properties.SupportedSegmentSet = set;
    enum vidmm_status status = vidmm_allocation_update(surface->allocation, &record.properties);
    record.properties.hAllocation = info.driver.hAllocation;
    record.answer = user_answer(status);
    check_request(user->check, &record);
    return status == VIDMM_DRIVER_REFUSED || user_fine(user, status);
}
