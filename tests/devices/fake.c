/* fake.c - see fake.h. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 3000u /* of 10 ms */

static void *fake_alloc(void *ctx, size_t size) {
    (void)ctx;
    return calloc(1, size);
}

static void fake_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    (void)size;
    free(block);
}

static void *fake_memory(void *ctx, uint64_t pa, size_t size) {
    struct fake *fake = ctx;
    return pa < FAKE_MEMORY && size <= FAKE_MEMORY - pa ? fake->memory + pa : NULL;
}

static int fake_file(void *ctx, uint64_t *bytes) {
    struct fake *fake = ctx;
    *bytes = FAKE_MEMORY;
    return fake->file;
}

static void fake_interrupt(void *ctx, uint32_t message) {
    struct fake *fake = ctx;
    fake->interrupts[message % FAKE_MESSAGES]++;
}

static uint64_t fake_now(void *ctx) {
    const struct fake *fake = ctx;
    return fake->now;
}

static void fake_advance(void *ctx, uint64_t ns) {
    struct fake *fake = ctx;
    fake->now += ns;
}

static uint64_t fake_setting(void *ctx, const char *name, uint64_t otherwise) {
    (void)ctx;
    (void)name;
    return otherwise;
}

static void fake_failed(void *ctx, const char *what) {
    struct fake *fake = ctx;
    snprintf(fake->failed, sizeof(fake->failed), "%s", what);
}

bool fake_begin(struct fake *fake, const char *device) {
    memset(fake, 0, sizeof(*fake));
    fake->device = vidmm_device_open(device, fake->failed, sizeof(fake->failed));
    if (!fake->device)
        return false;
    fake->model = vidmm_device_model(fake->device);
    fake->file = memfd_create("fake", MFD_CLOEXEC);
    if (ftruncate(fake->file, FAKE_MEMORY) != 0)
        abort();
    fake->memory = mmap(NULL, FAKE_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, fake->file, 0);
    fake->host = (struct vidmm_hw_host){.ctx = fake,
                                        .alloc = fake_alloc,
                                        .free = fake_free,
                                        .memory = fake_memory,
                                        .interrupt = fake_interrupt,
                                        .now = fake_now,
                                        .advance = fake_advance,
                                        .setting = fake_setting,
                                        .linked = 1,
                                        .model = fake->model,
                                        .memory_file = fake_file,
                                        .failed = fake_failed};
    fake->hw = fake->model->create(&fake->host, fake->bar);
    return fake->hw;
}

void fake_end(struct fake *fake) {
    if (fake->hw)
        fake->model->destroy(fake->hw);
    if (fake->memory) {
        munmap(fake->memory, FAKE_MEMORY);
        close(fake->file);
    }
    vidmm_device_close(fake->device);
}

uint64_t fake_read(struct fake *fake, uint64_t offset, uint32_t width) {
    return fake->model->reg_read(fake->hw, 0, offset, width);
}

void fake_write(struct fake *fake, uint64_t offset, uint32_t width, uint64_t value) {
    fake->model->reg_write(fake->hw, 0, offset, width, value);
}

void fake_run(struct fake *fake) {
    while (fake->model->step(fake->hw, 0))
        continue;
}

void fake_run_to(struct fake *fake, uint32_t interrupts) {
    const struct timespec while_it_works = {.tv_nsec = 10000000};
    fake_run(fake);
    for (uint32_t i = 0; i < PATIENCE && fake->interrupts[0] < interrupts; i++) {
        (void)nanosleep(&while_it_works, NULL);
        fake_run(fake);
    }
}
