/*
 * description.c - libFuzzer over described devices: any bytes are a device that can be read, written
 * and stepped, or one sentence.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <stdio.h>

#include <vidmm/device.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 64, ACCESSES = 64 };

static uint64_t now;

static void *fuzz_alloc(void *ctx, size_t size) {
    (void)ctx;
    return calloc(1, size);
}

static void fuzz_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    (void)size;
    free(block);
}

static void fuzz_interrupt(void *ctx, uint32_t message) {
    (void)ctx;
    if (message >= 2048)
        abort();
}

static uint64_t fuzz_now(void *ctx) {
    (void)ctx;
    return now;
}

static void fuzz_advance(void *ctx, uint64_t ns) {
    (void)ctx;
    now += ns;
}

static void use_bar(const struct vidmm_hw_model *model, void *hw, uint32_t bar, uint64_t size) {
    for (uint32_t i = 0; i < ACCESSES; i++) {
        uint32_t width = 1u << i % 4;
        uint64_t offset = (i < ACCESSES / 2 ? i * 4 : size - i * 8) / width * width;
        if (offset + width > size)
            continue;
        uint64_t value = model->reg_read(hw, bar, offset, width);
        model->reg_write(hw, bar, offset, width, ~value);
    }
}

static void use_device(const struct vidmm_hw_model *model) {
    const struct vidmm_hw_host host = {.alloc = fuzz_alloc,
                                       .free = fuzz_free,
                                       .interrupt = fuzz_interrupt,
                                       .now = fuzz_now,
                                       .advance = fuzz_advance,
                                       .model = model};
    struct vidmm_hw_bar bars[VIDMM_HW_BARS] = {{.kind = VIDMM_HW_BAR_NONE}};
    unsigned char space[256] = {0};
    void *hw = model->create(&host, bars);
    if (!hw)
        return;
    model->configure(hw, space);
    for (uint32_t i = 0; i < VIDMM_HW_BARS; i++)
        if (bars[i].kind == VIDMM_HW_BAR_REGISTERS)
            use_bar(model, hw, i, bars[i].size);
    for (uint32_t i = 0; i < STEPS && model->step(hw, 0); i++)
        continue;
    model->destroy(hw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[64], text[512] = "";
    int file = memfd_create("description", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(name, sizeof(name), "regs:/proc/self/fd/%d", file);
    struct vidmm_device *device = vidmm_device_open(name, text, sizeof(text));
    if (device)
        use_device(vidmm_device_model(device));
    else if (text[0] == '\0')
        abort();
    vidmm_device_close(device);
    close(file);
    return 0;
}
