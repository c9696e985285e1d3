/* engine_registers.c - the registers of an engine. */
#include "hardware/hw.h"

/* What a board with an MMU has besides. */
static uint64_t engine_read_virtual(const struct hw_engine *engine, uint32_t offset) {
    switch (offset) {
    case GPU_ENGINE_ROOT:
        return engine->next_space.root;
    case GPU_ENGINE_ROOT_ENTRIES:
        return engine->next_space.entries;
    case GPU_ENGINE_SPACE:
        return engine->next_space.id;
    case GPU_ENGINE_PASID:
        return engine->next_space.pasid;
    case GPU_ENGINE_CONTEXT:
        return engine->next_state;
    case GPU_ENGINE_FAULT_VA:
        return engine->fault_at.va;
    case GPU_ENGINE_FAULT_ROOT:
        return engine->fault_at.root;
    case GPU_ENGINE_FAULT_SPACE:
        return engine->fault_at.space;
    case GPU_ENGINE_FAULT_ACCESS:
        return engine->fault_at.access;
    case GPU_ENGINE_FAULT_LEVEL:
        return engine->fault_at.level;
    default:
        return 0;
    }
}

/* What every board has. */
static uint64_t engine_read_basic(const struct hw_engine *engine, uint32_t offset) {
    switch (offset) {
    case GPU_ENGINE_ADDRESS:
        return engine->address;
    case GPU_ENGINE_SIZE:
        return engine->size;
    case GPU_ENGINE_FENCE:
        return engine->fence;
    case GPU_ENGINE_EVENTS:
        return engine->events;
    case GPU_ENGINE_COMPLETED:
        return engine->completed;
    case GPU_ENGINE_FAULTED:
        return engine->faulted;
    case GPU_ENGINE_FAULT:
        return engine->fault;
    case GPU_ENGINE_PREEMPTED:
        return engine->preempted;
    case GPU_ENGINE_QUEUED:
        return engine->queued;
    case GPU_ENGINE_COMMAND:
        return atomic_load_explicit(&engine->at, memory_order_relaxed);
    case GPU_ENGINE_STATE:
        return engine->halted ? GPU_STATE_HALTED : GPU_STATE_RUNNING;
    case GPU_ENGINE_ABORTED:
        return engine->aborted;
    default:
        return engine_read_virtual(engine, offset);
    }
}

uint64_t hw_engine_read(struct hw *hw, struct hw_engine *engine, uint32_t offset) {
    pthread_mutex_lock(&hw->lock);
    uint64_t value = engine_read_basic(engine, offset);
    pthread_mutex_unlock(&hw->lock);
    return value;
}

void hw_engine_write(struct hw *hw, struct hw_engine *engine, uint32_t offset, uint64_t value) {
    pthread_mutex_lock(&hw->lock);
    switch (offset) {
    case GPU_ENGINE_ADDRESS:
        engine->address = value;
        break;
    case GPU_ENGINE_SIZE:
        engine->size = (uint32_t)value;
        break;
    case GPU_ENGINE_FENCE:
        engine->fence = (uint32_t)value;
        break;
    case GPU_ENGINE_COMPLETED:
        engine->completed = (uint32_t)value;
        break;
    case GPU_ENGINE_EVENTS:
        engine->events &= ~(uint32_t)value;
        break;
    case GPU_ENGINE_ROOT:
        engine->next_space.root = value;
        break;
    case GPU_ENGINE_ROOT_ENTRIES:
        engine->next_space.entries = (uint32_t)value;
        break;
    case GPU_ENGINE_SPACE:
        engine->next_space.id = (uint32_t)value;
        break;
    case GPU_ENGINE_PASID:
        engine->next_space.pasid = (uint32_t)value;
        break;
    case GPU_ENGINE_CONTEXT:
        engine->next_state = value;
        break;
    }
    pthread_mutex_unlock(&hw->lock);
}
