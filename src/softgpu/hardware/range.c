/*
 * range.c - swizzling ranges: windows through which the CPU sees a surface in linear order.
 *
 * Silicon would redirect each CPU access. Plain memory cannot, so a window is a copy that is kept
 * coherent at the GPU's side: before a command touches a shown surface the window is written back
 * to it, and after a command wrote there the window is loaded again. A range whose surface was
 * evicted (SPECIAL_LOCK_TRANSFER) is detached: the window then holds the content, and its backing
 * pages get it when the range is released.
 */
#include <string.h>

#include "hardware/hw.h"

static bool range_shows(const struct hw_range *range, uint64_t address, uint64_t bytes) {
    return range->control == GPU_RANGE_ATTACHED &&
           address < range->shown_address + range->shown_bytes &&
           range->shown_address < address + bytes;
}

/* Window to surface. What the driver named was judged when it was attached. */
static void range_store(struct hw *hw, const struct hw_range *range) {
    if (range->shown_pitch != 0)
        hw_tile(hw, range->shown_address, range->shown_pitch, range->shown_bytes, 0, range->window,
                range->shown_bytes);
    else
        (void)hw_write(hw, NULL, range->shown_address, range->window, range->shown_bytes);
}

static void range_load(struct hw *hw, const struct hw_range *range) {
    if (range->shown_pitch != 0)
        hw_untile(hw, range->shown_address, range->shown_pitch, range->shown_bytes, 0,
                  range->window, range->shown_bytes);
    else
        (void)hw_read(hw, NULL, GPU_ACCESS_READ, range->shown_address, range->window,
                      range->shown_bytes);
}

/* One page of the window to the page of system memory behind it, if there is one. */
static enum gpu_fault store_page(struct hw *hw, const struct hw_range *range, uint64_t page) {
    uint64_t entry = atomic_load_explicit(&range->backing[page], memory_order_relaxed);
    if (!(entry & HW_ENTRY_VALID))
        return GPU_FAULT_NONE;
    return hw_write(hw, NULL, entry / GPU_PAGE * GPU_PAGE, range->window + page * GPU_PAGE,
                    GPU_PAGE);
}

static void store_backing(struct hw *hw, const struct hw_range *range) {
    for (uint64_t page = 0; page < range->shown_bytes / GPU_PAGE; page++)
        (void)store_page(hw, range, page);
}

/* Can a range show this? */
static bool range_showable(struct hw *hw, uint64_t address, uint64_t bytes, uint32_t pitch) {
    if (bytes == 0 || bytes % GPU_PAGE != 0 || bytes > GPU_WINDOW_BYTES)
        return false;
    return pitch != 0 ? hw_tiled_surface(hw, address, pitch, bytes) : hw_inside(hw, address, bytes);
}

static void forget_backing(struct hw_range *range) {
    for (uint64_t page = 0; page < GPU_WINDOW_BYTES / GPU_PAGE; page++)
        atomic_store_explicit(&range->backing[page], 0, memory_order_relaxed);
}

/* ---- What the driver does by register -------------------------------------------------------- */

static void range_attach(struct hw *hw, struct hw_range *range) {
    if (range->control != GPU_RANGE_OFF ||
        !range_showable(hw, range->address, range->bytes, range->pitch))
        return;
    range->shown_address = range->address;
    range->shown_bytes = range->bytes;
    range->shown_pitch = range->pitch;
    range->control = GPU_RANGE_ATTACHED;
    range_load(hw, range);
    atomic_fetch_add(&hw->ranges_on, 1);
}

static void range_release(struct hw *hw, struct hw_range *range) {
    if (range->control == GPU_RANGE_OFF)
        return;
    if (range->control == GPU_RANGE_ATTACHED)
        range_store(hw, range);
    else
        store_backing(hw, range);
    forget_backing(range);
    range->control = GPU_RANGE_OFF;
    atomic_fetch_sub(&hw->ranges_on, 1);
}

uint64_t hw_range_read(struct hw *hw, uint32_t offset) {
    struct hw_range *range = &hw->range[(offset - GPU_RANGE(0)) / 0x40u];
    uint64_t value = 0;
    pthread_mutex_lock(&hw->ranges_lock);
    switch ((offset - GPU_RANGE(0)) % 0x40u) {
    case GPU_RANGE_ADDRESS:
        value = range->address;
        break;
    case GPU_RANGE_BYTES:
        value = range->bytes;
        break;
    case GPU_RANGE_PITCH:
        value = range->pitch;
        break;
    case GPU_RANGE_CONTROL:
        value = range->control;
        break;
    }
    pthread_mutex_unlock(&hw->ranges_lock);
    return value;
}

void hw_range_write(struct hw *hw, uint32_t offset, uint64_t value) {
    struct hw_range *range = &hw->range[(offset - GPU_RANGE(0)) / 0x40u];
    pthread_mutex_lock(&hw->ranges_lock);
    switch ((offset - GPU_RANGE(0)) % 0x40u) {
    case GPU_RANGE_ADDRESS:
        range->address = value;
        break;
    case GPU_RANGE_BYTES:
        range->bytes = value;
        break;
    case GPU_RANGE_PITCH:
        range->pitch = (uint32_t)value;
        break;
    case GPU_RANGE_CONTROL:
        if (value == GPU_RANGE_ATTACHED)
            range_attach(hw, range);
        else if (value == GPU_RANGE_OFF)
            range_release(hw, range);
        break;
    }
    pthread_mutex_unlock(&hw->ranges_lock);
}

/* ---- Coherence ------------------------------------------------------------------------------- */

static void range_each(struct hw *hw, uint64_t address, uint64_t bytes,
                       void (*move)(struct hw *hw, const struct hw_range *range)) {
    if (atomic_load_explicit(&hw->ranges_on, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&hw->ranges_lock);
    for (uint32_t i = 0; i < hw->range_count; i++)
        if (range_shows(&hw->range[i], address, bytes))
            move(hw, &hw->range[i]);
    pthread_mutex_unlock(&hw->ranges_lock);
}

void hw_ranges_before(struct hw *hw, uint64_t address, uint64_t bytes) {
    range_each(hw, address, bytes, range_store);
}

void hw_ranges_after(struct hw *hw, uint64_t address, uint64_t bytes) {
    range_each(hw, address, bytes, range_load);
}

void hw_ranges_stop(struct hw *hw) {
    pthread_mutex_lock(&hw->ranges_lock);
    for (uint32_t i = 0; i < hw->range_count; i++) {
        hw->range[i].control = GPU_RANGE_OFF;
        forget_backing(&hw->range[i]);
    }
    atomic_store(&hw->ranges_on, 0);
    pthread_mutex_unlock(&hw->ranges_lock);
}

void hw_ranges_lose(struct hw *hw) {
    hw_ranges_before(hw, 0, UINT64_MAX);
    hw_ranges_stop(hw);
    for (uint32_t i = 0; i < hw->range_count; i++)
        memset(hw->range[i].window, 0, GPU_WINDOW_BYTES);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* Operands of a range command, and the range, which must be on. */
static enum gpu_fault range_operands(struct hw *hw, struct hw_engine *engine,
                                     const struct gpu_command *head, struct gpu_range *operands) {
    enum gpu_fault fault = hw_operands(hw, engine, head, operands, sizeof(*operands));
    if (fault != GPU_FAULT_NONE)
        return fault;
    return operands->range < hw->range_count ? GPU_FAULT_NONE : GPU_FAULT_COMMAND;
}

static enum gpu_fault range_back(struct hw *hw, struct hw_engine *engine, struct hw_range *range,
                                 uint64_t page, uint32_t at, uint32_t end) {
    uint64_t pages = range->control == GPU_RANGE_OFF ? 0 : range->shown_bytes / GPU_PAGE;
    enum gpu_fault fault = GPU_FAULT_NONE;
    for (; end - at >= 8 && fault == GPU_FAULT_NONE; at += 8) {
        uint64_t run;
        fault = hw_engine_fetch(hw, engine, at, &run, sizeof(run));
        if (fault != GPU_FAULT_NONE)
            break;
        uint64_t pfn = GPU_RUN_PFN(run), count = GPU_RUN_PAGES(run);
        if (page > pages || count > pages - page)
            return GPU_FAULT_COMMAND;
        for (; count != 0 && fault == GPU_FAULT_NONE; count--, pfn++, page++) {
            atomic_store_explicit(&range->backing[page], pfn * GPU_PAGE | HW_ENTRY_VALID,
                                  memory_order_relaxed);
            fault = store_page(hw, range, page);
        }
    }
    return fault;
}

enum gpu_fault hw_range_back_command(struct hw *hw, struct hw_engine *engine,
                                     const struct gpu_command *head) {
    struct gpu_range operands;
    enum gpu_fault fault = range_operands(hw, engine, head, &operands);
    if (fault != GPU_FAULT_NONE)
        return fault;
    pthread_mutex_lock(&hw->ranges_lock);
    fault = range_back(hw, engine, &hw->range[operands.range], operands.value,
                       engine->cursor + (uint32_t)sizeof(operands), engine->cursor + head->size);
    pthread_mutex_unlock(&hw->ranges_lock);
    return fault;
}

enum gpu_fault hw_range_detach_command(struct hw *hw, struct hw_engine *engine,
                                       const struct gpu_command *head) {
    struct gpu_range operands;
    enum gpu_fault fault = range_operands(hw, engine, head, &operands);
    if (fault != GPU_FAULT_NONE)
        return fault;
    pthread_mutex_lock(&hw->ranges_lock);
    struct hw_range *range = &hw->range[operands.range];
    if (range->control == GPU_RANGE_ATTACHED)
        range->control = GPU_RANGE_DETACHED;
    pthread_mutex_unlock(&hw->ranges_lock);
    return GPU_FAULT_NONE;
}

enum gpu_fault hw_range_attach_command(struct hw *hw, struct hw_engine *engine,
                                       const struct gpu_command *head) {
    struct gpu_range operands;
    enum gpu_fault fault = range_operands(hw, engine, head, &operands);
    if (fault != GPU_FAULT_NONE)
        return fault;
    pthread_mutex_lock(&hw->ranges_lock);
    struct hw_range *range = &hw->range[operands.range];
    if (range->control == GPU_RANGE_OFF ||
        !range_showable(hw, operands.value, range->shown_bytes, operands.pitch)) {
        fault = GPU_FAULT_COMMAND;
    } else {
        range->shown_address = operands.value;
        range->shown_pitch = operands.pitch;
        range->control = GPU_RANGE_ATTACHED;
        range_store(hw, range);
        forget_backing(range);
    }
    pthread_mutex_unlock(&hw->ranges_lock);
    return fault;
}
