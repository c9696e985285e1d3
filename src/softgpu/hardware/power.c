/*
 * power.c - the board without power: registers and the tables of apertures lose what they hold; VRAM refreshes
 * itself in standby, and is lost when power is off.
 */
#include "hardware/dirty.h"
#include "hardware/mmu.h"

static void power_engine(struct hw *hw, struct hw_engine *engine) {
    hw_engine_stop(hw, engine);
    pthread_mutex_lock(&hw->lock);
    engine->completed = engine->faulted = engine->fault = engine->preempted = 0;
    engine->ended = engine->aborted = 0;
    engine->address = engine->next_state = 0;
    engine->size = engine->fence = 0;
    engine->next_space = (struct hw_space){.root = 0};
    pthread_mutex_unlock(&hw->lock);
}

void hw_power(struct hw *hw, enum vidmm_hw_power power) {
    if (power == VIDMM_HW_POWER_ON)
        return;
    pthread_mutex_lock(&hw->lock);
    hw->interrupts = false;
    pthread_mutex_unlock(&hw->lock);
    for (uint32_t i = 0; i < hw->nodes; i++)
        power_engine(hw, &hw->engine[i]);
    hw_displays_stop(hw);
    hw_ranges_lose(hw);
    hw_memory_clear(&hw->tables);
    hw_mmu_stop(hw);
    if (power != VIDMM_HW_POWER_OFF)
        return;
    hw_memory_clear(&hw->vram);
    hw_host_aperture_reset(hw);
    hw_dirty_reset(hw);
}
