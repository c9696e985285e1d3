/*
 * dirty.c - the plane of dirty bits as a block of the board: making it, and its registers. note.c
 * notes what engines write in it, trap.c what the CPU writes.
 */
#include "hardware/dirty.h"

/* ---- Registers ------------------------------------------------------------------------------- */

/*
 * Writes that began before are not noted, and are over when this returns: a thread that read `on`
 * too early holds one of these locks until all that it wrote is visible.
 */
static void dirty_start(struct hw *hw) {
    atomic_store(&hw->dirty->on, true);
    for (uint32_t i = 0; i < hw->nodes; i++) {
        pthread_mutex_lock(&hw->engine[i].run);
        pthread_mutex_unlock(&hw->engine[i].run);
    }
    pthread_mutex_lock(&hw->ranges_lock);
    pthread_mutex_unlock(&hw->ranges_lock);
    hw_view_close_all(hw);
}

static void dirty_stop(struct hw *hw) {
    atomic_store(&hw->dirty->on, false);
    hw_view_open_all(hw);
}

static void close_range(struct hw *hw) {
    struct hw_dirty *dirty = hw->dirty;
    pthread_mutex_lock(&hw->lock);
    uint64_t first = dirty->start, end = dirty->end;
    pthread_mutex_unlock(&hw->lock);
    if (end > hw->vram.size)
        end = hw->vram.size;
    if (first < end && hw_dirty_on(hw) && !hw_damaged(hw, HW_DAMAGE_DROP_CLOSE))
        hw_view_close(hw, first >> dirty->shift, (end - 1) >> dirty->shift);
}

static void dirty_command(struct hw *hw, uint32_t what) {
    switch (what) {
    case GPU_DIRTY_ON:
        dirty_start(hw);
        break;
    case GPU_DIRTY_OFF:
        dirty_stop(hw);
        break;
    case GPU_DIRTY_GATHER:
        hw_ranges_before(hw, GPU_VRAM_BASE, hw->vram.size);
        break;
    case GPU_DIRTY_CLOSE:
        close_range(hw);
        break;
    }
}

uint64_t hw_dirty_read(const struct hw *hw) {
    return hw->dirty ? UINT64_C(1) << hw->dirty->shift : 0;
}

void hw_dirty_write(struct hw *hw, uint32_t offset, uint64_t value) {
    if (!hw->dirty)
        return;
    if (offset == GPU_REG_DIRTY) {
        dirty_command(hw, (uint32_t)value);
        return;
    }
    pthread_mutex_lock(&hw->lock);
    if (offset == GPU_REG_DIRTY_START)
        hw->dirty->start = value;
    else
        hw->dirty->end = value;
    pthread_mutex_unlock(&hw->lock);
}

/* ---- Making ---------------------------------------------------------------------------------- */

bool hw_dirty_make(struct hw *hw) {
    uint64_t page = hw->host.setting(hw->host.ctx, "DirtyPageBytes", 0);
    if (page == 0)
        return true;
    if ((page & (page - 1)) != 0 || page < GPU_DIRTY_PAGE_MIN || page > GPU_DIRTY_PAGE_MAX ||
        hw->vram.size % page != 0 || hw->visible % page != 0)
        return hw_refuse(hw,
                         "DirtyPageBytes is a power of two from 4096 to 2 MiB that VramBytes and "
                         "VramVisibleBytes are multiples of");
    struct hw_dirty *dirty = hw->host.alloc(hw->host.ctx, sizeof(*dirty));
    if (!dirty)
        return false;
    hw->dirty = dirty;
    dirty->shift = (uint32_t)__builtin_ctzll(page);
    dirty->pages = hw->vram.size >> dirty->shift;
    return hw_bits_make(&dirty->dirty, &dirty->plane, dirty->pages) && hw_view_make(hw);
}

void hw_dirty_drop(struct hw *hw) {
    struct hw_dirty *dirty = hw->dirty;
    if (!dirty)
        return;
    hw_view_drop(hw);
    hw_memory_drop(&dirty->plane);
    hw->host.free(hw->host.ctx, dirty, sizeof(*dirty));
    hw->dirty = NULL;
}

void hw_dirty_reset(struct hw *hw) {
    if (!hw->dirty)
        return;
    hw_view_clear(hw);
    hw_dirty_note(hw, hw->vram.bytes, hw->vram.size, HW_DAMAGE_NONE);
}
