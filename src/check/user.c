/* user.c - a process of the conformance check: device, surfaces, submissions; see user.h. */
#include "spoken.h"
#include "surface.h"
#include "user.h"

#include <string.h>

void check_request(struct check *check, struct vidmm_request_record *record) {
    const struct vidmm_spoiler *spoiler = check->options->spoiler;
    if (spoiler && spoiler->request)
        spoiler->request(record);
    vidmm_referee_judge_request(check->harness.referee, record);
}

enum vidmm_answer user_answer(enum vidmm_status status) {
    switch (status) {
    case VIDMM_OK:
        return VIDMM_ANSWER_GRANTED;
    case VIDMM_DOES_NOT_FIT:
        return VIDMM_ANSWER_NO_ROOM;
    case VIDMM_BUSY:
        return VIDMM_ANSWER_BUSY;
    case VIDMM_DEVICE_LOST:
        return VIDMM_ANSWER_LOST;
    default:
        return VIDMM_ANSWER_REFUSED;
    }
}

bool user_fine(struct user *user, enum vidmm_status status) {
    user->status = status;
    switch (status) {
    case VIDMM_DOES_NOT_FIT:
    case VIDMM_BAD_ARGUMENT:
    case VIDMM_BUSY:
    case VIDMM_NOT_LOCKABLE:
    case VIDMM_DEVICE_LOST:
        return true;
    default:
        return check_good(user->check, status);
    }
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool makes_standard(struct check *check) {
    static const enum check_surface_kind kinds[] = {CHECK_SURFACE_SHADOW,
                                                    CHECK_SURFACE_GDI_TEXTURE};
    bool all = true;
    for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct check_surface surface;
        all = check_surface_open(check, &surface, kinds[i], CHECK_PAGE / 4, 1) && all;
        check_surface_close(&surface);
    }
    return all;
}

bool user_describes(struct check *check) {
    return check_speaks(check) || makes_standard(check);
}

void user_local_first(struct check *check) {
    if (!check_speaks(check))
        vidmm_place_first(check->harness.adapter, VIDMM_MEMORY_FIRST);
}

/* A row of a page, of a CPU-visible kind or of one that most likely is not. */
static enum vidmm_status create_standard(struct user *user, struct user_surface *surface,
                                         uint32_t flags, uint32_t pages) {
    struct check_surface made;
    bool seen = (flags & VIDMM_UMD_CPU_VISIBLE) != 0;
    bool good = check_surface_open(user->check, &made,
                                   seen ? CHECK_SURFACE_SHADOW : CHECK_SURFACE_GDI_TEXTURE,
                                   CHECK_PAGE / 4, pages);
    const struct vidmm_allocation_request request = check_surface_request(&made, false);
    enum vidmm_status status =
        good ? vidmm_allocation_create(user->device, &request, &surface->allocation)
             : VIDMM_DRIVER_REFUSED;
    check_surface_close(&made);
    return status;
}

bool user_surface_make(struct user *user, struct user_surface *surface, uint32_t flags,
                       uint32_t pages) {
    struct vidmm_allocation_info info;
    *surface = (struct user_surface){.allocation = NULL};
    if (!check_good(user->check,
                    user->speaks ? spoken_create(user->device, flags, pages, &surface->allocation)
                                 : create_standard(user, surface, flags, pages)))
        return false;
    vidmm_allocation_info(surface->allocation, &info);
    surface->size = info.size;
    const struct vidmm_va_request map = {.size = info.size,
                                         .allocation = surface->allocation,
                                         .protection = VIDMM_VA_WRITE | VIDMM_VA_EXECUTE};
    uint64_t fence = 0;
    return check_good(user->check, vidmm_va_map(user->queue, &map, &surface->va, &fence)) &&
           check_good(user->check, vidmm_paging_wait(user->queue, fence));
}

bool user_make(struct user *user, uint32_t index, uint32_t flags, uint32_t pages) {
    return user_surface_make(user, &user->surface[index], flags, pages);
}

void user_drop(struct user *user, uint32_t index) {
    vidmm_allocation_destroy(user->surface[index].allocation);
    user->surface[index] = (struct user_surface){.allocation = NULL};
}

bool user_has(const struct user *user, uint32_t index) {
    struct vidmm_allocation_info info;
    vidmm_allocation_info(user->surface[index].allocation, &info);
    return info.segment != 0;
}

bool user_write(struct user *user, uint32_t index, uint8_t letter) {
    struct user_surface *surface = &user->surface[index];
    void *cpu = NULL;
    enum vidmm_status status = vidmm_lock(surface->allocation, 0, &cpu);
    if (status != VIDMM_OK)
        return user_fine(user, status);
    memset(cpu, letter, (size_t)surface->size);
    vidmm_unlock(surface->allocation);
    surface->letter = letter;
    return true;
}

bool user_lost(struct user *user, uint32_t index) {
    const struct user_surface *surface = &user->surface[index];
    void *cpu = NULL;
    bool lost = false;
    if (surface->letter == 0 || check_explained(user->check) ||
        vidmm_lock(surface->allocation, VIDMM_LOCK_READ_ONLY, &cpu) != VIDMM_OK)
        return false;
    for (uint64_t i = 0; i < surface->size; i++)
        lost = lost || ((const uint8_t *)cpu)[i] != surface->letter;
    vidmm_unlock(surface->allocation);
    return lost;
}

/* ---- Work ------------------------------------------------------------------------------------ */

static void tell_submission(struct user *user, enum vidmm_status status) {
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_SUBMIT,
                                          .answer = user_answer(status)};
    struct vidmm_request_residency *what = &record.residency;
    for (uint32_t i = 0; i < USER_SURFACES; i++) {
        const struct user_surface *surface = &user->surface[i];
        struct vidmm_allocation_info info;
        if (!surface->allocation || surface->offered ||
            vidmm_residency_count(user->device, surface->allocation) == 0)
            continue;
        vidmm_allocation_info(surface->allocation, &info);
        what->allocation[what->count++] = (struct vidmm_request_allocation){
            .handle = info.driver.hAllocation, .resident = info.segment != 0};
    }
    check_request(user->check, &record);
}

bool user_submit(struct user *user, uint32_t steps) {
    const struct vidmm_umd_spin packet = {
        .head = {.opcode = VIDMM_UMD_PACKET_SPIN, .size = sizeof(packet)}, .steps = steps};
    return user_send(user, &packet, user->speaks ? sizeof(packet) : 0);
}

bool user_repeat(struct user *user) {
    const struct vidmm_virtual_submission submission = {.commands = user->commands.va,
                                                        .size = user->sent,
                                                        .null_rendering = user->null_rendering,
                                                        .written = &user->commands.allocation};
    enum vidmm_status status = vidmm_submit_virtual(user->context, &submission, &user->fence);
    tell_submission(user, status);
    return user_fine(user, status);
}

static bool repeat_both(struct user *first, struct user *second) {
    return user_repeat(first) && user_repeat(second) && user_rest(first) && user_rest(second);
}

static uint64_t paging_buffers(const struct user *user) {
    struct vidmm_stats stats;
    vidmm_stats(user->check->harness.adapter, &stats);
    return stats.paging_buffers;
}

/* The first time brings in what stays. */
bool user_in_turn(struct user *first, struct user *second, bool *resident) {
    bool good = repeat_both(first, second);
    uint64_t before = paging_buffers(first);
    good = good && repeat_both(first, second);
    *resident = paging_buffers(first) == before;
    return good;
}

bool user_send(struct user *user, const void *packet, uint32_t size) {
    if (!user_rest(user))
        return false;
    memcpy(user->cpu, packet, size);
    user->sent = size;
    return user_repeat(user);
}

bool user_rest(struct user *user) {
    return check_good(user->check, vidmm_wait_idle(user->check->harness.adapter));
}

bool user_rest_told(struct user *user, uint32_t since, bool *told) {
    struct check *check = user->check;
    struct vidmm_stats before, after;
    vidmm_stats(check->harness.adapter, &before);
    bool good = user_rest(user);
    vidmm_stats(check->harness.adapter, &after);
    *told = after.preemptions == before.preemptions;
    if (good && !*told)
        check_unreported(check, check_explained(check), since,
                         "work that was submitted was reported only when it was preempted");
    return good;
}

bool user_complete(struct user *user) {
    bool told;
    return user_send(user, "", 0) && user_rest_told(user, 0, &told);
}

/* A device that is lost by work that is empty is that of a driver whose mistake was told of. */
static bool complete_in_node(struct user *user, uint32_t node) {
    check_step(user->check, "work of node %u", node);
    return user_complete(user) && !vidmm_device_lost(user->device);
}

bool user_in_nodes(struct check *check, uint32_t first, bool (*work)(struct user *, uint32_t)) {
    struct vidmm_adapter_info info;
    vidmm_adapter_info(check->harness.adapter, &info);
    for (uint32_t node = first; node < info.nodes; node++)
        if (node != info.paging_node && !user_in_node(check, node, work))
            return false;
    return true;
}

bool user_completes_each(struct check *check) {
    return user_in_nodes(check, 0, complete_in_node);
}

/* ---- Coming and going ------------------------------------------------------------------------ */

static void trimmed(void *ctx, uint32_t flags, uint64_t bytes) {
    struct user *user = ctx;
    struct vidmm_request_record record = {.service = VIDMM_SERVICE_TRIM};
    record.residency.periodic = (flags & VIDMM_TRIM_PERIODIC) != 0;
    record.residency.restart_periodic = (flags & VIDMM_TRIM_RESTART_PERIODIC) != 0;
    record.residency.to_budget = (flags & VIDMM_TRIM_TO_BUDGET) != 0;
    record.residency.bytes_to_trim = bytes;
    check_request(user->check, &record);
    if (user->give != 0)
        (void)vidmm_device_evict(user->device, &user->surface[user->give - 1].allocation, 1, 0,
                                 NULL);
    user->give = 0;
}

static bool open_command_buffer(struct user *user) {
    uint64_t fence = 0;
    if (!user_surface_make(user, &user->commands, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED, 1) ||
        !user_fine(user, vidmm_lock(user->commands.allocation, 0, &user->cpu)))
        return false;
    if (!user->cpu) {
        (void)check_say(user->check, VIDMM_STAGE_STOPPED,
                        "the CPU cannot write commands: the surface for them cannot be locked");
        return false;
    }
    return check_good(user->check, vidmm_make_resident(user->queue, &user->commands.allocation, 1,
                                                       0, &fence, NULL));
}

bool user_open(struct check *check, struct user *user) {
    struct vidmm_adapter *adapter = check->harness.adapter;
    *user = (struct user){.check = check, .speaks = check_speaks(check)};
    if (!check_good(check, vidmm_process_create(adapter, &user->process)) ||
        !check_good(check, vidmm_process_device_create(user->process, &user->device)) ||
        !check_good(check, vidmm_context_create(user->device, 0, 0, &user->context)) ||
        !check_good(check, vidmm_paging_queue_create(user->device, 0, &user->queue)) ||
        !open_command_buffer(user))
        return false;
    vidmm_device_trim(user->device, trimmed, user);
    return true;
}

void user_close(struct user *user) {
    if (user->cpu)
        vidmm_unlock(user->commands.allocation);
    vidmm_allocation_destroy(user->commands.allocation);
    for (uint32_t i = 0; i < USER_SURFACES; i++)
        if (user->surface[i].allocation)
            user_drop(user, i);
    vidmm_paging_queue_destroy(user->queue);
    vidmm_context_destroy(user->context);
    vidmm_device_destroy(user->device);
    vidmm_process_destroy(user->process);
}

bool user_in_node(struct check *check, uint32_t node, bool (*work)(struct user *, uint32_t)) {
    struct user user;
    struct vidmm_context *context = NULL;
    if (!user_open(check, &user) || !user_rest(&user))
        return false;
    struct vidmm_context *own = user.context;
    enum vidmm_status made = vidmm_context_create(user.device, 0, node, &context);
    bool good = made == VIDMM_OK || made == VIDMM_DRIVER_REFUSED || check_good(check, made);
    if (context) {
        user.context = context;
        good = work(&user, node);
        user.context = own;
        if (good)
            vidmm_context_destroy(context);
    }
    if (good)
        user_close(&user);
    return good;
}
