/* midway_managed.c - over the manager, at GPU virtual addresses; see midway.h. */
#include "midway.h"
#include "user.h"

#include <string.h>

#include <vidmm/umd.h>

#define CONTEXTS 2u
#define PAGES    2u   /* of a surface: the first has the result, the second is checked */
#define APART    512u /* bytes of the command buffer for each */

#define MIDWAY_WANTED "each command of a buffer that is preempted in its middle carried out once"

void midway_judge(struct check *check, uint32_t node, uint64_t found, uint64_t expected) {
    check_judge(check, 645, VIDMM_SIDE_DRIVER, found == expected, MIDWAY_WANTED,
                "node %u checked %llu bytes, and its commands say %llu", node,
                (unsigned long long)found, (unsigned long long)expected);
}

void midway_judge_fault(struct check *check, uint32_t node) {
    check_judge(check, 645, VIDMM_SIDE_DRIVER, false, MIDWAY_WANTED,
                "node %u reported a fault of a buffer that was preempted in its middle; without a "
                "preemption its commands have none",
                node);
}

/* Work of a context: surface `index` has its result. */
struct midway {
    struct user *user;
    struct vidmm_context *context;
    uint32_t index, size;
    uint64_t expected; /* bytes that were checked, when all that was submitted is done */
    uint64_t fence;
    uint32_t faults; /* that were reported before anything is preempted */
};

static uint64_t midway_now(const struct check *check) {
    const struct vidmm_os *os = vidmm_host_os(check->harness.host);
    return os->now(os->ctx);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static unsigned char *managed_put(unsigned char *at, const void *packet, size_t size) {
    memcpy(at, packet, size);
    return at + size;
}

static void managed_write(struct midway *work) {
    const uint64_t va = work->user->surface[work->index].va;
    const struct vidmm_umd_draw draw = {
        .head = {.opcode = VIDMM_UMD_PACKET_CHECK, .size = sizeof(draw)},
        .address = va,
        .result = va,
        .oracle = 1,
        .bytes = (uint64_t)PAGES * CHECK_PAGE,
        .page = 1,
        .pages = 1};
    const struct vidmm_umd_spin spin = {
        .head = {.opcode = VIDMM_UMD_PACKET_SPIN, .size = sizeof(spin)}, .steps = MIDWAY_STEPS};
    unsigned char *begin = (unsigned char *)work->user->cpu + work->index * APART, *at = begin;
    for (uint32_t i = 0; i < MIDWAY_CHECKS(work->index); i++)
        at = managed_put(at, &draw, sizeof(draw));
    at = managed_put(at, &spin, sizeof(spin));
    at = managed_put(at, &draw, sizeof(draw));
    work->size = (uint32_t)(at - begin);
}

static bool managed_submit(struct midway *work) {
    struct user *user = work->user;
    const struct vidmm_virtual_submission submission = {
        .commands = user->commands.va + work->index * APART, .size = work->size};
    work->expected += (MIDWAY_CHECKS(work->index) + 1) * (uint64_t)CHECK_PAGE;
    return check_good(user->check, vidmm_submit_virtual(work->context, &submission, &work->fence));
}

/* False: it cannot be read. */
static bool managed_read(const struct midway *work, uint64_t *checked) {
    struct vidmm_allocation *surface = work->user->surface[work->index].allocation;
    struct vidmm_umd_result result;
    void *cpu = NULL;
    if (vidmm_lock(surface, VIDMM_LOCK_READ_ONLY, &cpu) != VIDMM_OK)
        return false;
    memcpy(&result, cpu, sizeof(result));
    vidmm_unlock(surface);
    *checked = result.checked_bytes;
    return true;
}

/* True: the device is lost by a fault, told here. */
static bool managed_faulted(const struct midway *works, uint32_t node) {
    struct check *check = works[0].user->check;
    bool faulted = vidmm_device_lost(works[0].user->device) &&
                   vidmm_referee_faults(check->harness.referee) != works[0].faults;
    if (faulted)
        midway_judge_fault(check, node);
    return faulted;
}

static bool managed_finish(struct midway *works, uint32_t count, uint32_t node) {
    struct user *user = works[0].user;
    uint64_t checked;
    if (!user_rest(user) || managed_faulted(works, node))
        return false;
    for (uint32_t i = 0; i < count && !vidmm_device_lost(user->device); i++)
        if (managed_read(&works[i], &checked))
            midway_judge(user->check, node, checked, works[i].expected);
    return true;
}

/* ---- What happens to it ---------------------------------------------------------------------- */

/* `*ns`: how long it takes; 0: it counts nothing, or takes no time, as of an engine that does not know such work. */
static bool managed_alone(struct midway *work, uint64_t *ns) {
    struct user *user = work->user;
    uint64_t begin = midway_now(user->check), checked = 0;
    *ns = 0;
    if (!managed_submit(work) || !user_rest(user))
        return false;
    if (!vidmm_device_lost(user->device) && managed_read(work, &checked) &&
        checked == work->expected)
        *ns = midway_now(user->check) - begin;
    return true;
}

static bool managed_preempted(struct midway *works, uint32_t node, uint64_t ns) {
    struct check *check = works[0].user->check;
    check_step(check, "preempt: in the middle of a buffer of node %u", node);
    if (!managed_submit(&works[0]))
        return false;
    vidmm_host_pass(check->harness.host, ns / 2);
    return check_good(check, vidmm_preempt(check->harness.adapter, 0, node)) &&
           managed_finish(works, 1, node);
}

/* The second context's is stopped while the first one's is. */
static bool managed_preempted_both(struct midway *works, uint32_t node, uint64_t ns) {
    struct check *check = works[0].user->check;
    check_step(check, "preempt: in the middle of buffers of two contexts of node %u", node);
    if (!managed_submit(&works[0]))
        return false;
    vidmm_host_pass(check->harness.host, ns / 2);
    if (!managed_submit(&works[1]) || !check_good(check, vidmm_preempt_for(works[1].context)))
        return false;
    vidmm_host_pass(check->harness.host, ns / 2);
    return check_good(check, vidmm_preempt_for(works[0].context)) &&
           managed_finish(works, CONTEXTS, node);
}

/* One that was stopped in its middle, and ended, comes again, and waits behind the other context's when it is preempted: now
 * none of its commands is done. */
static bool managed_preempted_later(struct midway *works, uint32_t node, uint64_t ns) {
    struct check *check = works[0].user->check;
    check_step(check, "preempt: before a buffer of node %u that was stopped in its middle earlier",
               node);
    if (!managed_submit(&works[1]) || !managed_submit(&works[0]))
        return false;
    vidmm_host_pass(check->harness.host, ns / 2);
    return check_good(check, vidmm_preempt(check->harness.adapter, 0, node)) &&
           managed_finish(works, CONTEXTS, node);
}

static bool managed_show(struct midway *works, uint32_t node) {
    struct user *user = works[0].user;
    uint32_t list[CONTEXTS];
    uint64_t ns = 0;
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        list[i] = works[i].index = i;
        if (!user_make(user, i, VIDMM_UMD_CPU_VISIBLE | VIDMM_UMD_CACHED, PAGES) ||
            !user_write(user, i, 0))
            return false;
        managed_write(&works[i]);
    }
    bool good = user_make_resident(user, NULL, list, CONTEXTS, 0) && user_rest(user) &&
                managed_alone(&works[0], &ns);
    works[0].faults = vidmm_referee_faults(user->check->harness.referee);
    return good && (ns == 0 || (managed_preempted(works, node, ns) &&
                                managed_preempted_later(works, node, ns) &&
                                managed_preempted_both(works, node, ns)));
}

static bool midway_of(struct user *user, uint32_t node) {
    struct vidmm_context *second = NULL;
    check_step(user->check, "preempt: a buffer of node %u that counts", node);
    if (!check_good(user->check, vidmm_context_create(user->device, 0, node, &second)))
        return false;
    struct midway works[CONTEXTS] = {{.user = user, .context = user->context},
                                     {.user = user, .context = second}};
    bool good = managed_show(works, node);
    if (good)
        vidmm_context_destroy(second);
    return good;
}

bool midway_managed(struct check *check) {
    return !check_executes(check, VIDMM_UMD_PACKET_SPIN) ||
           !check_executes(check, VIDMM_UMD_PACKET_CHECK) || user_in_nodes(check, 0, midway_of);
}
