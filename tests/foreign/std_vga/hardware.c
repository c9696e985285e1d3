/* SPDX-License-Identifier: MIT */
/*
 * hardware.c - the display that virtual machines have had since Bochs, as a model for vidmm
 * (vidmm/hwmodel.h): a frame buffer in BAR 0, and in BAR 2 sixteen-bit registers for its mode. It
 * executes nothing; what a driver draws stays where it drew it.
 */
#include <vidmm/hwmodel.h>

#include <pthread.h>
#include <stdint.h>

#define FRAME_BYTES    (UINT64_C(16) << 20)
#define REGISTER_BYTES 0x1000u
#define FIRST          0x500u /* of the registers in their BAR */
#define REGISTERS      11u
#define PAGE           4096u

enum { ID, WIDTH, HEIGHT, DEPTH, ENABLE, BANK, VIRTUAL_WIDTH, VIRTUAL_HEIGHT, X, Y, MEMORY_64K };

struct display {
    struct vidmm_hw_host host;
    pthread_mutex_t lock;
    unsigned char *block;
    uint16_t value[REGISTERS];
};

static uint64_t reg_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    struct display *display = hw;
    uint64_t index = (offset - FIRST) / 2;
    uint64_t value = 0;
    (void)bar;
    if (offset < FIRST || index >= REGISTERS || width != 2)
        return value;
    pthread_mutex_lock(&display->lock);
    value = display->value[index];
    pthread_mutex_unlock(&display->lock);
    return value;
}

/* The identifier and the size of the memory are what they are. */
static void reg_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    struct display *display = hw;
    uint64_t index = (offset - FIRST) / 2;
    (void)bar;
    if (offset < FIRST || index >= REGISTERS || width != 2 || index == ID || index == MEMORY_64K)
        return;
    pthread_mutex_lock(&display->lock);
    display->value[index] = (uint16_t)(index == WIDTH ? value & ~UINT64_C(7) : value);
    pthread_mutex_unlock(&display->lock);
}

static bool step(void *hw, uint32_t engine) {
    (void)hw;
    (void)engine;
    return false;
}

static void configure(void *hw, unsigned char *space) {
    static const unsigned char start[] = {0x34, 0x12, 0x11, 0x11, 7, 0, 0, 0, 2, 0, 0, 3};
    (void)hw;
    for (unsigned i = 0; i < sizeof(start); i++)
        space[i] = start[i];
}

static void *create(const struct vidmm_hw_host *host, struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    struct display *display = host->alloc(host->ctx, sizeof(*display));
    if (!display)
        return NULL;
    display->host = *host;
    display->block = host->alloc(host->ctx, FRAME_BYTES + PAGE);
    if (!display->block) {
        host->free(host->ctx, display, sizeof(*display));
        return NULL;
    }
    pthread_mutex_init(&display->lock, NULL);
    display->value[ID] = 0xb0c5;
    display->value[MEMORY_64K] = FRAME_BYTES >> 16;
    unsigned char *frame = display->block + PAGE - (uintptr_t)display->block % PAGE;
    bars[0] = (struct vidmm_hw_bar){VIDMM_HW_BAR_MEMORY, FRAME_BYTES, frame};
    bars[2] = (struct vidmm_hw_bar){VIDMM_HW_BAR_REGISTERS, REGISTER_BYTES, NULL};
    return display;
}

static void destroy(void *hw) {
    struct display *display = hw;
    struct vidmm_hw_host host = display->host;
    pthread_mutex_destroy(&display->lock);
    host.free(host.ctx, display->block, FRAME_BYTES + PAGE);
    host.free(host.ctx, display, sizeof(*display));
}

extern const struct vidmm_hw_model vidmm_hardware;
const struct vidmm_hw_model vidmm_hardware = {
    .name = "std-vga",
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .reg_read = reg_read,
    .reg_write = reg_write,
    .engines = 1,
    .step = step,
};
