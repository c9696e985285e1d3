/*
 * engine.c - an engine: a queue of submissions, and the loop that executes their commands.
 *
 * A step executes commands until STEP_NS of the cost model are spent or the submission ends. With
 * virtual time the engine is then busy for as long, beside the other one, and what became of the
 * submission is shown by the next step. What an engine cannot execute ends the submission with a
 * fault; it then goes on with the next one, unless it was a page fault, which halts it until it is
 * told to begin anew.
 *
 * Whatever the bytes of a command buffer are, they can do no more than move bytes inside the GPU's
 * memories.
 *
 * Cost model, in virtual nanoseconds: 1000 a submission, 50 a command; bytes at 16 a nanosecond
 * when system memory is involved and 128 inside VRAM; 4 a page mapped or unmapped; 1000 a SPIN
 * step.
 */
#include <string.h>

#include "hardware/copy.h"
#include "hardware/hw.h"

#define STEP_NS       500000u
#define SUBMISSION_NS 1000u
#define COMMAND_NS    50u

bool hw_engine_make(struct hw *hw, uint32_t index) {
    struct hw_engine *engine = &hw->engine[index];
    engine->index = index;
    if (pthread_mutex_init(&engine->run, NULL) != 0)
        return false;
    engine->queue = hw->host.alloc(hw->host.ctx, GPU_QUEUE_DEPTH * sizeof(*engine->queue));
    if (!engine->queue)
        pthread_mutex_destroy(&engine->run);
    return engine->queue;
}

void hw_engine_drop(struct hw *hw, struct hw_engine *engine) {
    if (!engine->queue)
        return;
    hw->host.free(hw->host.ctx, engine->queue, GPU_QUEUE_DEPTH * sizeof(*engine->queue));
    pthread_mutex_destroy(&engine->run);
}

void hw_interrupt(struct hw *hw) {
    pthread_mutex_lock(&hw->lock);
    bool enabled = hw->interrupts;
    pthread_mutex_unlock(&hw->lock);
    if (enabled)
        hw->host.interrupt(hw->host.ctx, 0);
}

/* ---- The queue ------------------------------------------------------------------------------- */

static void engine_push(struct hw_engine *engine, const struct hw_submission *submission) {
    engine->queue[(engine->head + engine->queued) % GPU_QUEUE_DEPTH] = *submission;
    engine->queued++;
}

static void engine_pop(struct hw_engine *engine) {
    engine->head = (engine->head + 1) % GPU_QUEUE_DEPTH;
    engine->queued--;
    engine->active = false;
}

void hw_engine_doorbell(struct hw *hw, struct hw_engine *engine, uint32_t kind) {
    const uint32_t restored = GPU_DOORBELL_SAVED | GPU_DOORBELL_VIRTUAL | GPU_DOORBELL_RENDER;
    bool shared = hw->iommu && kind == (GPU_DOORBELL_SHARED | GPU_DOORBELL_RENDER);
    bool saved = hw->mmu && kind == restored;
    uint32_t flags = shared ? GPU_DOORBELL_SHARED : hw->mmu ? GPU_DOORBELL_VIRTUAL : 0;
    uint32_t basic = kind & ~(saved ? flags | GPU_DOORBELL_SAVED : flags);
    if (basic != GPU_DOORBELL_RENDER && basic != GPU_DOORBELL_PAGING)
        return;
    pthread_mutex_lock(&hw->lock);
    struct hw_submission submission = {.address = engine->address,
                                       .size = engine->size,
                                       .fence = engine->fence,
                                       .kind = basic,
                                       .mapped = basic != kind,
                                       .space = engine->next_space,
                                       .saved = saved,
                                       .state = engine->next_state};
    submission.space.shared = shared;
    /* The last place is kept for a preemption request, which must always be possible. */
    bool full = engine->queued + 1 >= GPU_QUEUE_DEPTH;
    if (full) {
        engine->faulted = submission.fence;
        engine->fault = GPU_FAULT_OVERFLOW;
        engine->events |= GPU_EVENT_FAULTED;
    } else {
        engine_push(engine, &submission);
    }
    pthread_mutex_unlock(&hw->lock);
    if (full)
        hw_interrupt(hw);
}

void hw_engine_preempt(struct hw *hw, struct hw_engine *engine, uint32_t fence) {
    struct hw_submission request = {.fence = fence};
    pthread_mutex_lock(&hw->lock);
    engine->queued = engine->active ? 1 : 0;
    engine_push(engine, &request);
    pthread_mutex_unlock(&hw->lock);
}

void hw_engine_stop(struct hw *hw, struct hw_engine *engine) {
    pthread_mutex_lock(&engine->run);
    pthread_mutex_lock(&hw->lock);
    const struct hw_submission *work = &engine->queue[engine->head];
    engine->aborted = engine->active && work->kind != 0 ? work->fence : engine->ended;
    engine->ended = engine->aborted;
    engine->head = engine->queued = 0;
    engine->active = engine->hung = engine->halted = false;
    engine->events = 0;
    engine->spending = engine->over = engine->notify = false;
    pthread_mutex_unlock(&hw->lock);
    pthread_mutex_unlock(&engine->run);
    if (hw->host.busy)
        (void)hw->host.busy(hw->host.ctx, engine->index, 0);
}

/* ---- Execution ------------------------------------------------------------------------------- */

static enum gpu_fault engine_nop(struct hw *hw, struct hw_engine *engine,
                                 const struct gpu_command *head) {
    (void)hw;
    (void)engine;
    (void)head;
    return GPU_FAULT_NONE;
}

static hw_command *const commands[GPU_OPCODES] = {
    [GPU_NOP] = engine_nop,
    [GPU_COPY] = hw_copy_command,
    [GPU_FILL] = hw_fill_command,
    [GPU_MAP] = hw_map_command,
    [GPU_UNMAP] = hw_unmap_command,
    [GPU_READ] = hw_touch_command,
    [GPU_WRITE] = hw_touch_command,
    [GPU_STAMP] = hw_draw_command,
    [GPU_CHECK] = hw_draw_command,
    [GPU_SPIN] = hw_spin_command,
    [GPU_RANGE_BACK] = hw_range_back_command,
    [GPU_RANGE_DETACH] = hw_range_detach_command,
    [GPU_RANGE_ATTACH] = hw_range_attach_command,
    [GPU_WRITE_ENTRIES] = hw_write_entries_command,
    [GPU_COPY_ENTRIES] = hw_copy_entries_command,
    [GPU_FLUSH] = hw_flush_command,
    [GPU_SIGNAL] = hw_signal_command,
    [GPU_STORE] = hw_store_command,
};

/* Commands that a virtual submission of an application may hold. */
#define UNPRIVILEGED                                                                               \
    (1u << GPU_NOP | 1u << GPU_COPY | 1u << GPU_FILL | 1u << GPU_READ | 1u << GPU_WRITE |          \
     1u << GPU_STAMP | 1u << GPU_CHECK | 1u << GPU_SPIN | 1u << GPU_SIGNAL)

/* May the active submission hold this command? Chooses the space of its operands. */
static bool engine_permitted(const struct hw *hw, struct hw_engine *engine,
                             const struct gpu_command *head) {
    const uint16_t privileged =
        GPU_FLAG_SOURCE_PAGES | GPU_FLAG_DESTINATION_PAGES | GPU_FLAG_PHYSICAL;
    const uint16_t tiling = GPU_FLAG_TILE | GPU_FLAG_UNTILE | GPU_FLAG_TILED;
    engine->translate = engine->mapped && !(head->flags & GPU_FLAG_PHYSICAL);
    engine->remote = false;
    if (head->opcode >= (hw->mmu || engine->mapped ? GPU_OPCODES : GPU_WRITE_ENTRIES))
        return false;
    if (engine->mapped && engine->queue[engine->head].kind != GPU_DOORBELL_PAGING &&
        ((head->flags & privileged) != 0 || !(UNPRIVILEGED >> head->opcode & 1u)))
        return false;
    return !engine->translate || (head->flags & tiling) == 0;
}

/* Executes the command at the cursor and moves past it unless it has to wait. */
static enum gpu_fault one_command(struct hw *hw, struct hw_engine *engine, uint32_t end) {
    struct gpu_command head;
    uint32_t left = end - engine->cursor;
    engine->leaves.entry = NULL; /* what the last command wrote may be tables */
    if (left < sizeof(head))
        return GPU_FAULT_COMMAND;
    enum gpu_fault fault = hw_engine_fetch(hw, engine, engine->cursor, &head, sizeof(head));
    if (fault != GPU_FAULT_NONE)
        return fault;
    if (head.size < sizeof(head) || head.size % 8 != 0 || head.size > left ||
        !engine_permitted(hw, engine, &head))
        return GPU_FAULT_COMMAND;
    engine->waiting = false;
    engine->cost_ns += COMMAND_NS;
    fault = commands[head.opcode](hw, engine, &head);
    if (fault == GPU_FAULT_NONE && !engine->waiting)
        engine->cursor += head.size;
    atomic_store_explicit(&engine->at, engine->cursor, memory_order_relaxed);
    return fault;
}

/* Starts the submission at the head of the queue. False: it is one that shall hang. */
static bool engine_begin(struct hw *hw, struct hw_engine *engine) {
    const struct hw_submission *work = &engine->queue[engine->head];
    engine->active = true;
    engine->cursor = engine->spun = 0;
    engine->cost_ns += SUBMISSION_NS;
    if (++hw->begun[work->kind] == hw->hang_at[work->kind])
        engine->hung = true;
    return !engine->hung;
}

/* Chooses the address space, and finds the commands if they are in one piece. */
static void engine_enter(struct hw *hw, struct hw_engine *engine,
                         const struct hw_submission *work) {
    uint64_t bytes = work->size;
    unsigned char *at;
    engine->mapped = work->mapped;
    engine->space = work->space;
    engine->leaves.entry = NULL;
    engine->commands = NULL;
    engine->refused = work->saved ? hw_context_restore(hw, engine, work->state) : GPU_FAULT_NONE;
    if (engine->mapped && !work->space.shared && !hw_mmu_enter(hw, &engine->space))
        engine->space.entries = 0; /* where every address is a fault */
    engine->ran = engine->mapped && !engine->space.shared ? engine->space.root : HW_NO_ROOT;
    if (bytes != 0 && engine->refused == GPU_FAULT_NONE &&
        hw_reach(hw, engine->mapped ? engine : NULL, GPU_ACCESS_EXECUTE, work->address, &at,
                 &bytes) == GPU_FAULT_NONE &&
        bytes == work->size)
        engine->commands = at;
}

/* A copy of the submission to go on with; false when there is none. */
static bool engine_current(struct hw *hw, struct hw_engine *engine, struct hw_submission *work) {
    pthread_mutex_lock(&hw->lock);
    bool some = !engine->hung && !engine->halted && engine->queued != 0;
    bool fresh = some && !engine->active;
    if (fresh)
        some = engine_begin(hw, engine);
    if (some)
        *work = engine->queue[engine->head];
    pthread_mutex_unlock(&hw->lock);
    if (some && fresh)
        engine_enter(hw, engine, work);
    return some;
}

static void engine_finish(struct hw *hw, struct hw_engine *engine) {
    const struct hw_submission *work = &engine->queue[engine->head];
    enum gpu_fault fault = engine->outcome;
    pthread_mutex_lock(&hw->lock);
    engine_pop(engine);
    if (work->kind != 0)
        engine->ended = work->fence;
    if (work->kind == 0) {
        engine->preempted = work->fence;
        engine->events |= GPU_EVENT_PREEMPTED;
    } else if (fault == GPU_FAULT_NONE) {
        engine->completed = work->fence;
        engine->events |= GPU_EVENT_COMPLETED;
    } else {
        engine->faulted = work->fence;
        engine->fault = (uint32_t)fault;
        engine->events |= GPU_EVENT_FAULTED;
        engine->halted = GPU_FAULT_IS_PAGE(fault);
        if (engine->halted)
            engine->fault_at = engine->trap;
    }
    pthread_mutex_unlock(&hw->lock);
}

/* Executes some of `work`. */
static void engine_execute(struct hw *hw, struct hw_engine *engine,
                           const struct hw_submission *work) {
    enum gpu_fault fault = engine->refused;
    engine->waiting = false;
    while (fault == GPU_FAULT_NONE && engine->cursor < work->size && !engine->waiting &&
           engine->cost_ns < STEP_NS)
        fault = one_command(hw, engine, work->size);
    engine->over = fault != GPU_FAULT_NONE || engine->cursor >= work->size;
    if (fault == GPU_FAULT_NONE && engine->over && work->saved)
        fault = hw_context_save(hw, engine, work->state);
    engine->outcome = fault;
    if (!engine->over)
        return;
    hw_dirty_settle(hw);
    hw_stream_fence();
}

/* Lets the time pass that the piece took. False: it does, beside that of the other engine. */
static bool engine_spend(struct hw *hw, struct hw_engine *engine) {
    const struct vidmm_hw_host *host = &hw->host;
    uint64_t cost = engine->cost_ns;
    engine->cost_ns = 0;
    if (host->busy && host->busy(host->ctx, engine->index, cost))
        return false;
    if (host->advance)
        host->advance(host->ctx, cost);
    return true;
}

/* One piece of work; false: there is none. */
static bool engine_piece(struct hw *hw, struct hw_engine *engine) {
    struct hw_submission work;
    hw_dirty_begin(hw, engine);
    bool some = engine_current(hw, engine, &work);
    if (some)
        engine_execute(hw, engine, &work);
    hw_dirty_end(hw);
    return some;
}

/* The time of the piece is over. True: there is something to say about it. */
static bool engine_show(struct hw *hw, struct hw_engine *engine) {
    bool news = engine->over || engine->notify;
    if (engine->over)
        engine_finish(hw, engine);
    engine->spending = engine->over = engine->notify = false;
    return news;
}

bool hw_engine_step(struct hw *hw, struct hw_engine *engine) {
    bool some = true, spent = true, news = false;
    pthread_mutex_lock(&engine->run);
    if (!engine->spending) {
        some = engine->spending = engine_piece(hw, engine);
        spent = some && engine_spend(hw, engine);
    }
    if (spent)
        news = engine_show(hw, engine);
    pthread_mutex_unlock(&engine->run);
    if (news)
        hw_interrupt(hw);
    return some;
}
