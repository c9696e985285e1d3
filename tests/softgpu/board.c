/* board.c - see board.h. */
#include "board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

static void *board_alloc(void *ctx, size_t size) {
    struct board *board = ctx;
    if (++board->allocations == board->fail_at)
        return NULL;
    board->live++;
    return calloc(1, size);
}

static void board_free(void *ctx, void *block, size_t size) {
    struct board *board = ctx;
    (void)size;
    board->live--;
    free(block);
}

static void *board_memory(void *ctx, uint64_t pa, size_t size) {
    struct board *board = ctx;
    if (pa < RAM_BASE || pa - RAM_BASE >= RAM_BYTES || size > RAM_BYTES - (pa - RAM_BASE))
        return NULL;
    return board->ram + (pa - RAM_BASE);
}

static void board_interrupt(void *ctx, uint32_t message) {
    struct board *board = ctx;
    (void)message;
    board->interrupts++;
}

static uint64_t board_now(void *ctx) {
    (void)ctx;
    return 0;
}

static void board_advance(void *ctx, uint64_t ns) {
    struct board *board = ctx;
    board->ns += ns;
}

static uint64_t board_setting(void *ctx, const char *name, uint64_t otherwise) {
    const struct board *board = ctx;
    for (uint32_t i = 0; i < BOARD_SETTINGS; i++)
        if (board->setting[i].name && strcmp(board->setting[i].name, name) == 0)
            return board->setting[i].value;
    if (strcmp(name, "VramBytes") == 0)
        return 8 * MIB;
    if (strcmp(name, "VramVisibleBytes") == 0 || strcmp(name, "ApertureBytes") == 0)
        return 4 * MIB;
    return otherwise;
}

bool board_make(struct board *board) {
    const struct vidmm_hw_host host = {
        .ctx = board,
        .alloc = board_alloc,
        .free = board_free,
        .memory = board_memory,
        .interrupt = board_interrupt,
        .now = board_now,
        .advance = board_advance,
        .setting = board_setting,
        .iommu = board->iommu,
    };
    /* Physical memory: in pages, as page tables are read in aligned words. */
    board->ram = aligned_alloc(GPU_PAGE, RAM_BYTES);
    assert_non_null(board->ram);
    memset(board->ram, 0, RAM_BYTES);
    board->hw = softgpu_model.create(&host, board->bar);
    if (board->hw)
        board_write(board, GPU_REG_INT_ENABLE, 1);
    return board->hw;
}

void board_drop(struct board *board) {
    if (board->hw)
        softgpu_model.destroy(board->hw);
    free(board->ram);
    assert_int_equal(board->live, 0);
}

uint32_t board_read(struct board *board, uint32_t offset) {
    return (uint32_t)softgpu_model.reg_read(board->hw, 0, offset, 4);
}

uint64_t board_read64(struct board *board, uint32_t offset) {
    return softgpu_model.reg_read(board->hw, 0, offset, 8);
}

void board_write(struct board *board, uint32_t offset, uint32_t value) {
    softgpu_model.reg_write(board->hw, 0, offset, 4, value);
}

void board_write64(struct board *board, uint32_t offset, uint64_t value) {
    softgpu_model.reg_write(board->hw, 0, offset, 8, value);
}

void board_queue(struct board *board, uint32_t engine, uint64_t address, uint32_t size,
                 uint32_t doorbell) {
    uint32_t base = GPU_ENGINE(engine);
    board_write64(board, base + GPU_ENGINE_ADDRESS, address);
    board_write(board, base + GPU_ENGINE_SIZE, size);
    board_write(board, base + GPU_ENGINE_FENCE, ++board->fence);
    board_write(board, base + GPU_ENGINE_DOORBELL, doorbell);
}

void board_run(struct board *board) {
    for (uint32_t round = 0; round < 100000; round++)
        if (!softgpu_model.step(board->hw, 0) && !softgpu_model.step(board->hw, 1))
            return;
    fail_msg("the GPU never came to rest");
}

bool board_finish(struct board *board, uint32_t engine) {
    uint32_t base = GPU_ENGINE(engine);
    board_run(board);
    uint32_t events = board_read(board, base + GPU_ENGINE_EVENTS);
    bool completed = (events & GPU_EVENT_COMPLETED) != 0;
    board_write(board, base + GPU_ENGINE_EVENTS, events);
    assert_int_equal(completed, !(events & GPU_EVENT_FAULTED));
    assert_int_equal(
        board_read(board, base + (completed ? GPU_ENGINE_COMPLETED : GPU_ENGINE_FAULTED)),
        board->fence);
    return completed;
}

bool board_execute(struct board *board, const void *commands, uint32_t size) {
    memcpy(board->ram, commands, size);
    board_queue(board, 0, COMMANDS, size, GPU_DOORBELL_RENDER);
    return board_finish(board, 0);
}

unsigned char *board_at(struct board *board, uint64_t address) {
    if (address >= GPU_VRAM_BASE) {
        assert_true(address - GPU_VRAM_BASE < board->bar[GPU_BAR_VRAM].size);
        return (unsigned char *)board->bar[GPU_BAR_VRAM].memory + (address - GPU_VRAM_BASE);
    }
    assert_true(address >= RAM_BASE && address - RAM_BASE < RAM_BYTES);
    return board->ram + (address - RAM_BASE);
}

void board_put(struct board *board, uint64_t address, uint64_t word) {
    memcpy(board_at(board, address), &word, sizeof(word));
}

uint64_t board_seed(void) {
    const char *text = getenv("VIDMM_SEED");
    return text ? strtoull(text, NULL, 0) | 1 : 0x5eed5eed5eed5eedu;
}

uint64_t board_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

uint64_t board_operand(uint64_t *random) {
    static const uint64_t edge[] = {0,
                                    RAM_BASE,
                                    RAM_BASE + RAM_BYTES,
                                    GPU_VRAM_BASE,
                                    GPU_VRAM_BASE + 4 * MIB,
                                    GPU_VRAM_BASE + 8 * MIB,
                                    GPU_APERTURE_BASE(0),
                                    GPU_APERTURE_BASE(0) + 4 * MIB,
                                    GPU_APERTURE_BASE(1),
                                    GPU_BUS_END,
                                    UINT64_MAX};
    uint64_t kind = board_random(random) % 8, value = board_random(random);
    if (kind < 4)
        return edge[value % (sizeof(edge) / sizeof(edge[0]))] + value / 16 % 3 * GPU_PAGE -
               value / 64 % 2;
    if (kind < 7)
        return value % (64 * GPU_PAGE);
    return value;
}

uint32_t board_command(uint64_t *random, unsigned char out[BOARD_COMMAND]) {
    uint64_t words[12];
    uint64_t opcode = board_random(random) % (GPU_OPCODES + 1), flags = board_random(random);
    struct gpu_command head = {(uint16_t)(opcode == GPU_SPIN ? GPU_NOP : opcode),
                               (uint16_t)(flags % 2 == 0 ? 0 : flags / 2 % 512),
                               (uint32_t)(8 + board_random(random) % 11 * 8)};
    for (size_t i = 0; i < 12; i++)
        words[i] = board_random(random) % 3 == 0
                       ? GPU_RUN(RAM_BASE / GPU_PAGE + board_random(random) % 2100,
                                 1 + board_random(random) % 4)
                       : board_operand(random);
    memcpy(words, &head, sizeof(head));
    memcpy(out, words, head.size);
    return head.size;
}
