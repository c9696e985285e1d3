/*
 * engine.c - see engine.h.
 *
 *   hang   PreemptCommand, and as long again for the answer; then, as often as the driver says that
 *          the engine is making progress, a little longer; then the reset
 *   fault  the reset at once: the engine executes nothing, not even a preemption
 *   reset  QueryDependentEngineGroup; the other engines of the group are preempted, and those that
 *          are not within 500 ms are reset as well, in the order of their ordinals
 *
 * While an engine is being reset nothing that is reported of it counts; LastAbortedFenceId says how
 * far it came. Paging work that was aborted needs the adapter to be reset.
 */
#include "engine/engine.h"

#include "base/adapter.h"
#include "base/assert.h"
#include "base/device.h"
#include "engine/packet.h"
#include "engine/page_fault.h"

#define TRIES_BEFORE_RESET 3u
#define GROUP_WAIT_NS      UINT64_C(500000000)

#define TDR_PAGE "tdr-changes-in-windows-8"

static bool can_preempt(const struct vidmm_adapter *adapter) {
    return adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WIN8 &&
           adapter->facts.caps.SchedulingCaps.PreemptionAware &&
           adapter->ddi->DxgkDdiPreemptCommand;
}

static bool can_reset(const struct vidmm_adapter *adapter) {
    const DRIVER_INITIALIZATION_DATA *ddi = adapter->ddi;
    return adapter->facts.interface_version >= DXGKDDI_INTERFACE_VERSION_WIN8 &&
           adapter->facts.caps.SupportPerEngineTDR && ddi->DxgkDdiResetEngine &&
           ddi->DxgkDdiQueryEngineStatus && ddi->DxgkDdiQueryDependentEngineGroup;
}

/* ---- Once more ------------------------------------------------------------------------------- */

struct again {
    uint32_t count;
    struct fence_record *record[FENCES_IN_FLIGHT];
};

/* Done as far as its waiters are concerned: it is not submitted again. */
static void engine_drop(struct vidmm_adapter *adapter, struct node *node,
                        struct fence_record *record) {
    fence_lose(adapter, record);
    if (record->packet.buffer)
        record->packet.buffer->fence = node->completed;
}

/* At the end of those that are outstanding. */
static void engine_put(struct node *node, const struct fence_record *record, struct again *again) {
    struct fence_record *slot = fence_record(node, node->count++);
    *slot = *record;
    again->record[again->count++] = slot;
}

static HANDLE record_context(const struct fence_record *record) {
    const struct packet *packet = &record->packet;
    return packet->virtual_address ? packet->submit_virtual.hContext : packet->submit.hContext;
}

/* The work of `context` comes before that of others, each in its order. */
static void engine_urge(struct fence_record *records, uint32_t count, HANDLE context) {
    struct fence_record others[FENCES_IN_FLIGHT];
    uint32_t urgent = 0, rest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (record_context(&records[i]) == context)
            records[urgent++] = records[i];
        else
            others[rest++] = records[i];
    }
    for (uint32_t i = 0; i < rest; i++)
        records[urgent + i] = others[i];
}

/*
 * With the fence lock. What is outstanding, in the order in which it is to be handed over: paging
 * work first, with its fences; the rest with new ones, that of context `urgent` (NULL: none) before
 * the others', unless its device is lost. Each record takes its packet's memory along, so that the
 * ring as a whole keeps it.
 */
static void engine_collect(struct vidmm_adapter *adapter, struct node *node, HANDLE urgent,
                           struct again *again) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    struct fence_record records[FENCES_IN_FLIGHT];
    uint32_t count = node->count, unused = count;
    for (uint32_t i = 0; i < count; i++)
        records[i] = *fence_record(node, i);
    if (urgent)
        engine_urge(records, count, urgent);
    node->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!records[i].device)
            engine_put(node, &records[i], again);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (records[i].device && records[i].device->lost) {
            engine_drop(adapter, node, &records[i]);
            *fence_record(node, --unused) = records[i];
        } else if (records[i].device) {
            records[i].fence = ++node->submitted;
            engine_put(node, &records[i], again);
        }
    }
}

static enum vidmm_status engine_hand_over(struct vidmm_adapter *adapter,
                                          struct fence_record *record) {
    enum vidmm_status status = packet_submit(adapter, &record->packet, record->fence, true);
    adapter->stats.resubmissions++;
    if (status != VIDMM_DRIVER_REFUSED)
        return status;
    fences_lock(adapter); /* its fence completes all the same */
    fence_lose(adapter, record);
    fences_unlock(adapter);
    return VIDMM_OK;
}

/* The engine has nothing in its queue: all that is outstanding is handed over again. */
static enum vidmm_status engine_resubmit(struct vidmm_adapter *adapter, uint32_t index,
                                         HANDLE urgent) {
    struct node *node = &adapter->fences.nodes[index];
    struct again again = {.count = 0};
    enum vidmm_status status = VIDMM_OK;
    fences_lock(adapter);
    engine_collect(adapter, node, urgent, &again);
    node->progress_ns = adapter->os.now(adapter->os.ctx);
    fences_unlock_and_wake(adapter);
    for (uint32_t i = 0; status == VIDMM_OK && i < again.count; i++)
        status = engine_hand_over(adapter, again.record[i]);
    return status;
}

/* ---- Preemption ------------------------------------------------------------------------------ */

/* With the fence lock. */
static bool wait_preempted(struct vidmm_adapter *adapter, struct node *node, uint64_t deadline) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    while (node->preempting && !node->faulted && adapter->os.now(adapter->os.ctx) < deadline)
        (void)adapter->os.wait(adapter->os.ctx, adapter->fence_lock, deadline);
    return !node->preempting;
}

/* `*done`: the driver said so within `patience`. */
static enum vidmm_status engine_preempt(struct vidmm_adapter *adapter, uint32_t index,
                                        uint64_t patience, bool *done) {
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    uint64_t deadline = adapter->os.now(adapter->os.ctx) + patience;
    DXGKARG_PREEMPTCOMMAND arg = {.PreemptionFenceId = ++node->submitted,
                                  .NodeOrdinal = node_ordinal(&adapter->facts, index),
                                  .EngineOrdinal = node_physical(&adapter->facts, index)};
    node->preemption = node->submitted;
    node->preempting = true;
    fences_unlock(adapter);
    enum vidmm_status status =
        packet_check(adapter, "DxgkDdiPreemptCommand", "R277", "nc-d3dkmddi-dxgkddi_preemptcommand",
                     adapter->ddi->DxgkDdiPreemptCommand(adapter->hadapter, &arg));
    if (status)
        return status;
    adapter->stats.preemptions++;
    fences_lock(adapter);
    *done = wait_preempted(adapter, node, deadline);
    fences_unlock(adapter);
    return VIDMM_OK;
}

/* ---- Reset ----------------------------------------------------------------------------------- */

static enum vidmm_status bad_fence(struct vidmm_adapter *adapter, uint32_t index, uint32_t fence) {
    return FATAL(adapter, .status = VIDMM_DRIVER_BROKE_RULE, .call = "DxgkDdiResetEngine",
                 .field = "DXGKARG_RESETENGINE.LastAbortedFenceId",
                 .expected = "no fence before the one completed last or after the one submitted "
                             "last",
                 .rule = "R281", .page = TDR_PAGE, .index = index, .value = fence);
}

/* With the fence lock: work up to `fence` is over, and that of `fence` itself was aborted. False:
 * paging work was among it. */
static bool abort_up_to(struct vidmm_adapter *adapter, struct node *node, uint32_t fence) {
    VIDMM_ASSERT_FENCES_LOCKED(adapter);
    bool paging = false;
    for (uint32_t i = 0; i < node->count && fence_reached(fence, fence_record(node, i)->fence);
         i++) {
        const struct fence_record *record = fence_record(node, i);
        paging |= !record->device;
        if (record->device && record->fence == fence) {
            page_fault_blame(node, record);
            fence_lose(adapter, record);
        }
    }
    if (paging)
        return false;
    fence_complete(adapter, node, fence);
    return true;
}

static void engine_listen(struct vidmm_adapter *adapter, struct node *node) {
    fences_lock(adapter);
    node->deaf = false;
    fences_unlock(adapter);
}

/* Takes over what the reset made of the node's work. */
static enum vidmm_status engine_take_over(struct vidmm_adapter *adapter, uint32_t index,
                                          uint32_t fence) {
    struct node *node = &adapter->fences.nodes[index];
    fences_lock(adapter);
    uint32_t outstanding = node->count, futile = node->futile;
    bool valid = fence_reached(fence, node->completed) && fence_reached(node->submitted, fence);
    bool kept = valid && abort_up_to(adapter, node, fence);
    node->futile = node->count == outstanding ? futile + 1 : 0;
    node->deaf = node->preempting = false;
    if (kept)
        node->faulted = node->anonymous = false;
    node->context = NULL;
    adapter->fences.torn |= valid && !kept;
    fences_unlock_and_wake(adapter);
    if (!valid)
        return bad_fence(adapter, index, fence);
    return kept ? VIDMM_OK : VIDMM_GPU_LOST;
}

/* What the driver cannot do is answered VIDMM_GPU_LOST. */
static enum vidmm_status reset_one(struct vidmm_adapter *adapter, uint32_t index) {
    struct node *node = &adapter->fences.nodes[index];
    DXGKARG_RESETENGINE arg = {.NodeOrdinal = node_ordinal(&adapter->facts, index),
                               .EngineOrdinal = node_physical(&adapter->facts, index)};
    fences_lock(adapter);
    bool over = node->count == 0 && !node->faulted;
    bool useless = node->futile >= TRIES_BEFORE_RESET;
    node->deaf = !over && !useless;
    fences_unlock(adapter);
    if (over || useless)
        return over ? VIDMM_OK : VIDMM_GPU_LOST;
    if (adapter->ddi->DxgkDdiResetEngine(adapter->hadapter, &arg) != STATUS_SUCCESS) {
        engine_listen(adapter, node);
        return VIDMM_GPU_LOST;
    }
    adapter->stats.engine_resets++;
    return engine_take_over(adapter, index, arg.LastAbortedFenceId);
}

/* The nodes that a reset of `index` affects, those that exist. */
static enum vidmm_status query_group(struct vidmm_adapter *adapter, uint32_t index,
                                     uint64_t *group) {
    const struct adapter_facts *facts = &adapter->facts;
    DXGKARG_QUERYDEPENDENTENGINEGROUP arg = {.NodeOrdinal = node_ordinal(facts, index),
                                             .EngineOrdinal = node_physical(facts, index)};
    if (adapter->ddi->DxgkDdiQueryDependentEngineGroup(adapter->hadapter, &arg) != STATUS_SUCCESS)
        return VIDMM_GPU_LOST;
    *group = node_set_of_driver(facts, arg.EngineOrdinal, arg.DependentNodeOrdinalMask) |
             UINT64_C(1) << index;
    return VIDMM_OK;
}

static bool engine_idle(struct vidmm_adapter *adapter, uint32_t index) {
    fences_lock(adapter);
    bool empty = adapter->fences.nodes[index].count == 0;
    fences_unlock(adapter);
    return empty;
}

/* Leaves those nodes of the group in `*group` that have to be reset; `*held`: were preempted. */
static enum vidmm_status preempt_group(struct vidmm_adapter *adapter, uint32_t index,
                                       uint64_t *group, uint64_t *held) {
    enum vidmm_status status = VIDMM_OK;
    *held = 0;
    for (uint32_t i = 0; status == VIDMM_OK && i < adapter->fences.node_count; i++) {
        uint64_t bit = UINT64_C(1) << (i & 63u);
        if (i >= 64 || i == index || !(*group & bit))
            continue;
        bool done = engine_idle(adapter, i);
        if (!done && can_preempt(adapter)) {
            status = engine_preempt(adapter, i, GROUP_WAIT_NS, &done);
            *held |= done ? bit : 0;
        }
        if (done)
            *group &= ~bit;
    }
    return status;
}

static enum vidmm_status engine_reset(struct vidmm_adapter *adapter, uint32_t index) {
    uint64_t group, held = 0;
    enum vidmm_status status = query_group(adapter, index, &group);
    if (status == VIDMM_OK)
        status = preempt_group(adapter, index, &group, &held);
    for (uint32_t i = 0; status == VIDMM_OK && i < 64 && i < adapter->fences.node_count; i++) {
        if ((group >> i) & 1u)
            status = reset_one(adapter, i);
    }
    for (uint32_t i = 0; status == VIDMM_OK && i < 64 && i < adapter->fences.node_count; i++) {
        if (((group | held) >> i) & 1u)
            status = engine_resubmit(adapter, i, NULL);
    }
    return status;
}

/* ---- A hang ---------------------------------------------------------------------------------- */

/* One more attempt to get on without a reset; false: there were enough of them. */
static bool may_try(struct vidmm_adapter *adapter, struct node *node, bool preempting) {
    fences_lock(adapter);
    bool may = node->tries < TRIES_BEFORE_RESET && !(preempting && node->preempting);
    node->tries += may;
    fences_unlock(adapter);
    return may;
}

/* The driver says that the engine gets on: a little longer. */
static bool engine_responsive(struct vidmm_adapter *adapter, uint32_t index) {
    struct node *node = &adapter->fences.nodes[index];
    DXGKARG_QUERYENGINESTATUS arg = {.NodeOrdinal = node_ordinal(&adapter->facts, index),
                                     .EngineOrdinal = node_physical(&adapter->facts, index)};
    if (adapter->ddi->DxgkDdiQueryEngineStatus(adapter->hadapter, &arg) != STATUS_SUCCESS ||
        !arg.EngineStatus.Responsive || !may_try(adapter, node, false))
        return false;
    fences_lock(adapter);
    node->progress_ns = adapter->os.now(adapter->os.ctx);
    fences_unlock(adapter);
    return true;
}

/* `*done`: it is over without a reset. */
static enum vidmm_status preempt_hang(struct vidmm_adapter *adapter, uint32_t index, bool *done) {
    struct node *node = &adapter->fences.nodes[index];
    *done = false;
    if (!can_preempt(adapter) || !may_try(adapter, node, true))
        return VIDMM_OK;
    enum vidmm_status status = engine_preempt(adapter, index, adapter->settings.hang_ns, done);
    return status == VIDMM_OK && *done ? engine_resubmit(adapter, index, NULL) : status;
}

static enum vidmm_status help_hang(struct vidmm_adapter *adapter, uint32_t index) {
    bool done;
    enum vidmm_status status = preempt_hang(adapter, index, &done);
    if (status || done || engine_idle(adapter, index))
        return status;
    if (!can_reset(adapter))
        return VIDMM_GPU_LOST;
    return engine_responsive(adapter, index) ? VIDMM_OK : engine_reset(adapter, index);
}

enum vidmm_status engine_help(struct vidmm_adapter *adapter, uint32_t index) {
    VIDMM_ASSERT_LOCKED(adapter);
    struct node *node = &adapter->fences.nodes[index];
    if (adapter->stopped)
        return VIDMM_GPU_LOST;
    page_faults_resolve(adapter);
    fences_lock(adapter);
    bool faulted = node->faulted, whole = node->adapter_reset, fatal = adapter->fences.fatal;
    bool torn = adapter->fences.torn;
    fences_unlock(adapter);
    if (fatal)
        return FATAL(adapter, .status = VIDMM_STOPPED, .call = "DxgkCbNotifyInterrupt",
                     .field = "DmaPageFaulted.PageFaultFlags",
                     .expected = "hardware that goes on after a page fault",
                     .page = "ne-d3dkmdt-_dxgk_page_fault_flags", .index = ERROR_NO_INDEX,
                     .value = DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR);
    if (torn)
        return VIDMM_GPU_LOST;
    if (!faulted)
        return help_hang(adapter, index);
    if (whole || !can_reset(adapter))
        return VIDMM_GPU_LOST;
    return engine_reset(adapter, index);
}

enum vidmm_status engine_yield(struct vidmm_adapter *adapter, uint32_t index, HANDLE urgent) {
    VIDMM_ASSERT_LOCKED(adapter);
    fences_lock(adapter);
    bool faulted = adapter->fences.nodes[index].faulted, done = false;
    fences_unlock(adapter);
    enum vidmm_status status = faulted ? engine_help(adapter, index) : VIDMM_OK;
    if (status || !can_preempt(adapter))
        return status;
    status = engine_preempt(adapter, index, adapter->settings.hang_ns, &done);
    if (status)
        return status;
    return done ? engine_resubmit(adapter, index, urgent) : VIDMM_GPU_LOST;
}
