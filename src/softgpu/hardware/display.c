/*
 * display.c - connectors with a monitor: which memory each of them shows, and its vertical sync, at which an address
 * that was written before takes effect. Pixels are read by nobody.
 */
#include "hardware/hw.h"

#define DISPLAY_FRAME_NS UINT64_C(16666667) /* 60 Hz */

bool hw_displays_make(struct hw *hw, uint64_t count) {
    if (count > GPU_DISPLAYS)
        return hw_refuse(hw, "Displays is at most 2");
    hw->displays = (uint32_t)count;
    return true;
}

void hw_displays_stop(struct hw *hw) {
    pthread_mutex_lock(&hw->lock);
    memset(hw->display, 0, sizeof(hw->display));
    hw->vsync_wanted = hw->vsync_events = 0;
    pthread_mutex_unlock(&hw->lock);
}

/* A vertical sync of each whose time has come; under the lock. */
static uint32_t displays_sync(struct hw *hw, uint64_t now) {
    uint32_t synced = 0;
    for (uint32_t i = 0; i < hw->displays; i++) {
        struct hw_display *display = &hw->display[i];
        if ((display->control & GPU_DISPLAY_SYNC) == 0 || now < display->next)
            continue;
        display->next = now + DISPLAY_FRAME_NS;
        display->shown = display->address;
        synced |= 1u << i;
    }
    return synced;
}

bool hw_displays_step(struct hw *hw) {
    uint32_t told = 0;
    if (hw->displays == 0)
        return false;
    pthread_mutex_lock(&hw->lock);
    told = displays_sync(hw, hw->host.now(hw->host.ctx)) & hw->vsync_wanted;
    hw->vsync_events |= told;
    pthread_mutex_unlock(&hw->lock);
    if (told != 0)
        hw_interrupt(hw);
    return told != 0;
}

bool hw_display_scanout(struct hw *hw, uint32_t head, struct vidmm_hw_scanout *out) {
    if (head >= hw->displays)
        return false;
    pthread_mutex_lock(&hw->lock);
    const struct hw_display *display = &hw->display[head];
    out->on = (display->control & GPU_DISPLAY_READ) != 0;
    out->address = display->shown;
    pthread_mutex_unlock(&hw->lock);
    return true;
}

/* ---- Registers ------------------------------------------------------------------------------- */

static uint64_t display_read(const struct hw_display *display, uint32_t within) {
    switch (within) {
    case GPU_DISPLAY_ADDRESS:
        return display->address;
    case GPU_DISPLAY_SHOWN:
        return display->shown;
    case GPU_DISPLAY_CONTROL:
        return display->control;
    case GPU_DISPLAY_SIZE:
        return display->size;
    case GPU_DISPLAY_PITCH:
        return display->pitch;
    default:
        return 0;
    }
}

uint64_t hw_displays_read(struct hw *hw, uint32_t offset) {
    uint64_t value = 0;
    pthread_mutex_lock(&hw->lock);
    if (offset == GPU_REG_DISPLAYS)
        value = hw->displays;
    else if (offset == GPU_REG_VSYNC)
        value = hw->vsync_wanted;
    else if (offset == GPU_REG_VSYNC_EVENTS)
        value = hw->vsync_events;
    else if (offset >= GPU_DISPLAY(0) && offset < GPU_DISPLAY(hw->displays))
        value = display_read(&hw->display[(offset - GPU_DISPLAY(0)) / GPU_DISPLAY_STEP],
                             (offset - GPU_DISPLAY(0)) % GPU_DISPLAY_STEP);
    pthread_mutex_unlock(&hw->lock);
    return value;
}

static void display_write(struct hw_display *display, uint32_t within, uint64_t value,
                          uint64_t now) {
    switch (within) {
    case GPU_DISPLAY_ADDRESS:
        display->address = value;
        break;
    case GPU_DISPLAY_CONTROL:
        if ((display->control & GPU_DISPLAY_SYNC) == 0) {
            display->next = now + DISPLAY_FRAME_NS;
            display->shown = display->address;
        }
        display->control = (uint32_t)value;
        break;
    case GPU_DISPLAY_SIZE:
        display->size = (uint32_t)value;
        break;
    case GPU_DISPLAY_PITCH:
        display->pitch = (uint32_t)value;
        break;
    default:
        break;
    }
}

void hw_displays_write(struct hw *hw, uint32_t offset, uint64_t value) {
    pthread_mutex_lock(&hw->lock);
    if (offset == GPU_REG_VSYNC)
        hw->vsync_wanted = (uint32_t)value;
    else if (offset == GPU_REG_VSYNC_EVENTS)
        hw->vsync_events &= ~(uint32_t)value;
    else if (offset >= GPU_DISPLAY(0) && offset < GPU_DISPLAY(hw->displays))
        display_write(&hw->display[(offset - GPU_DISPLAY(0)) / GPU_DISPLAY_STEP],
                      (offset - GPU_DISPLAY(0)) % GPU_DISPLAY_STEP, value,
                      hw->host.now(hw->host.ctx));
    pthread_mutex_unlock(&hw->lock);
}
