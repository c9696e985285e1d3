/*
 * context.c - contexts whose state is in memory (GPU_DOORBELL_SAVED): restored when a submission
 * begins, saved when it has come to its end.
 *
 * What a GPU saves of a context is, here, a word in each page of the save area, different with
 * every submission. When the system loses the area, maps other memory at its addresses, or leaves a
 * stale root in the state, the next submission of the context ends with GPU_FAULT_STATE.
 */
#include "hardware/hw.h"

#define WORD_NS 16u

static uint64_t word_of(const struct gpu_context_state *state, uint32_t page) {
    uint64_t x = GPU_CONTEXT_MAGIC + ((uint64_t)state->space << 32 | state->saves);
    x = (x ^ page) * UINT64_C(0x9fb21c651e98df25);
    return x ^ x >> 29;
}

static enum gpu_fault read_state(struct hw *hw, uint64_t at, struct gpu_context_state *state) {
    enum gpu_fault fault = hw_read(hw, NULL, GPU_ACCESS_READ, at, state, sizeof(*state));
    if (fault != GPU_FAULT_NONE)
        return fault;
    return state->magic == GPU_CONTEXT_MAGIC && state->save_pages <= GPU_SAVE_PAGES_MAX
               ? GPU_FAULT_NONE
               : GPU_FAULT_STATE;
}

static enum gpu_fault context_compare(struct hw *hw, struct hw_engine *engine,
                                      const struct gpu_context_state *state) {
    enum gpu_fault fault = GPU_FAULT_NONE;
    for (uint32_t i = 0; fault == GPU_FAULT_NONE && i < state->save_pages; i++) {
        uint64_t word = 0;
        fault = hw_read(hw, engine, GPU_ACCESS_READ, state->save + (uint64_t)i * GPU_PAGE, &word,
                        sizeof(word));
        if (fault == GPU_FAULT_NONE && word != word_of(state, i))
            fault = GPU_FAULT_STATE;
    }
    engine->cost_ns += (uint64_t)state->save_pages * WORD_NS;
    return fault;
}

enum gpu_fault hw_context_restore(struct hw *hw, struct hw_engine *engine, uint64_t at) {
    struct gpu_context_state state;
    enum gpu_fault fault = read_state(hw, at, &state);
    engine->space = (struct hw_space){.entries = 0};
    if (fault != GPU_FAULT_NONE)
        return fault;
    engine->space.root = state.root;
    engine->space.entries = state.root_entries;
    engine->space.id = state.space;
    if (!hw_mmu_enter(hw, &engine->space))
        return GPU_FAULT_STATE;
    return state.saves != 0 ? context_compare(hw, engine, &state) : GPU_FAULT_NONE;
}

enum gpu_fault hw_context_save(struct hw *hw, struct hw_engine *engine, uint64_t at) {
    struct gpu_context_state state;
    enum gpu_fault fault = read_state(hw, at, &state);
    if (fault != GPU_FAULT_NONE)
        return fault;
    state.saves++;
    engine->leaves.entry = NULL; /* what the last command wrote may be tables */
    for (uint32_t i = 0; fault == GPU_FAULT_NONE && i < state.save_pages; i++) {
        uint64_t word = word_of(&state, i);
        fault = hw_write(hw, engine, state.save + (uint64_t)i * GPU_PAGE, &word, sizeof(word));
    }
    if (fault == GPU_FAULT_NONE)
        fault = hw_write(hw, NULL, at, &state, sizeof(state));
    engine->cost_ns += (uint64_t)state.save_pages * WORD_NS;
    return fault;
}
