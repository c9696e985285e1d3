/*
 * one_board.c - the hardware model of drivers/ring with its board in a variable, as a model of one board may have it:
 * whatever board it is asked about, it answers for the one that was made last.
 */
#include <vidmm/hwmodel.h>

#define vidmm_hardware ring_hardware
#include "../../drivers/ring/hardware.c" /* NOLINT(bugprone-suspicious-include) */
#undef vidmm_hardware

static void *board;

static void *board_create(const struct vidmm_hw_host *host,
                          struct vidmm_hw_bar bars[VIDMM_HW_BARS]) {
    board = create(host, bars);
    return board;
}

static void board_destroy(void *hw) {
    (void)hw;
    destroy(board);
}

static uint64_t board_read(void *hw, uint32_t bar, uint64_t offset, uint32_t width) {
    (void)hw;
    return reg_read(board, bar, offset, width);
}

static void board_write(void *hw, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
    (void)hw;
    reg_write(board, bar, offset, width, value);
}

static bool board_step(void *hw, uint32_t engine) {
    (void)hw;
    return step(board, engine);
}

static const void *board_peek(void *hw, uint64_t gpu_address, size_t size) {
    (void)hw;
    return peek(board, gpu_address, size);
}

extern const struct vidmm_hw_model vidmm_hardware;
const struct vidmm_hw_model vidmm_hardware = {
    .name = "one-board",
    .create = board_create,
    .destroy = board_destroy,
    .reg_read = board_read,
    .reg_write = board_write,
    .engines = 1,
    .step = board_step,
    .peek = board_peek,
};
