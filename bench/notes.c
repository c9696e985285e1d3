/*
 * notes.c - what keeping dirty bits costs a copy: the same commands on the same board, tracking on
 * and off in turn; one range, pages scattered over VRAM, and commands of a page each.
 *
 * The bare board without a driver, on a host of a few lines: page tables are put into VRAM by hand.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/copy.h"
#include "registers/softgpu_regs.h"

#define VRAM  (256 * BENCH_MIB)
#define RAM   (64 * BENCH_MIB)
#define BYTES (32 * BENCH_MIB) /* of a copy */
#define PAGES (BYTES / GPU_PAGE)
#define PAIRS 61u /* at most */

/* Two levels: a leaf table covers 32 MiB. Tables behind everything else in VRAM. */
#define ROOT   (VRAM - BENCH_MIB)
#define LEAVES (VRAM - BENCH_MIB / 2)
#define COPY   (UINT64_C(32) << 20) /* virtual addresses: destination; the source is at 0 */

static unsigned char *ram;

static void *host_alloc(void *ctx, size_t size) {
    (void)ctx;
    return calloc(1, size);
}

static void host_free(void *ctx, void *block, size_t size) {
    (void)ctx;
    (void)size;
    free(block);
}

static void *host_memory(void *ctx, uint64_t pa, size_t size) {
    (void)ctx;
    return pa < RAM && size <= RAM - pa ? ram + pa : NULL;
}

static void host_interrupt(void *ctx, uint32_t message) {
    (void)ctx;
    (void)message;
}

static uint64_t host_now(void *ctx) {
    (void)ctx;
    return 0;
}

static uint64_t host_setting(void *ctx, const char *name, uint64_t otherwise) {
    const uint64_t *visible = ctx;
    if (strcmp(name, "VramBytes") == 0)
        return VRAM;
    if (strcmp(name, "VramVisibleBytes") == 0)
        return *visible;
    if (strcmp(name, "DirtyPageBytes") == 0)
        return GPU_PAGE;
    if (strcmp(name, "SwizzlingRanges") == 0)
        return 0;
    return strcmp(name, "MmuLevels") == 0 ? 2 : otherwise;
}

struct board {
    void *hw;
    unsigned char *bar; /* the CPU's view of VRAM */
    uint64_t visible;
    uint32_t fence;
};

static void put(struct board *board, uint32_t offset, uint32_t width, uint64_t value) {
    vidmm_softgpu_model.reg_write(board->hw, 0, offset, width, value);
}

static void open_board(struct board *board, uint64_t visible) {
    struct vidmm_hw_bar bars[VIDMM_HW_BARS];
    board->visible = visible;
    const struct vidmm_hw_host host = {.ctx = &board->visible,
                                       .alloc = host_alloc,
                                       .free = host_free,
                                       .memory = host_memory,
                                       .interrupt = host_interrupt,
                                       .now = host_now,
                                       .setting = host_setting};
    board->fence = 0;
    board->hw = vidmm_softgpu_model.create(&host, bars);
    if (!board->hw) {
        fprintf(stderr, "bench: no board\n");
        exit(1);
    }
    board->bar = bars[GPU_BAR_VRAM].memory;
}

/* Commands at bus address `at` on the paging engine, to their end; seconds. */
static double run(struct board *board, uint64_t at, uint32_t size, bool virtual) {
    double start = bench_now();
    put(board, GPU_ENGINE(1) + GPU_ENGINE_ADDRESS, 8, at);
    put(board, GPU_ENGINE(1) + GPU_ENGINE_SIZE, 4, size);
    put(board, GPU_ENGINE(1) + GPU_ENGINE_FENCE, 4, ++board->fence);
    put(board, GPU_ENGINE(1) + GPU_ENGINE_ROOT, 8, GPU_VRAM_BASE + ROOT);
    put(board, GPU_ENGINE(1) + GPU_ENGINE_ROOT_ENTRIES, 4, 1u << 15);
    put(board, GPU_ENGINE(1) + GPU_ENGINE_DOORBELL, 4,
        GPU_DOORBELL_PAGING | (virtual ? GPU_DOORBELL_VIRTUAL : 0u));
    while (vidmm_softgpu_model.step(board->hw, 1))
        continue;
    hw_stream_fence();
    double seconds = bench_now() - start;
    if (vidmm_softgpu_model.reg_read(board->hw, 0, GPU_ENGINE(1) + GPU_ENGINE_COMPLETED, 4) !=
        board->fence) {
        fprintf(stderr, "bench: the board faulted\n");
        exit(1);
    }
    return seconds;
}

/* ---- Commands, at the end of RAM ------------------------------------------------------------- */

#define COMMANDS (RAM - 2 * BENCH_MIB)

static uint32_t add_copy(uint32_t used, uint64_t to, uint64_t from, uint64_t bytes) {
    const struct gpu_copy copy = {{GPU_COPY, 0, sizeof(copy)}, to, from, bytes};
    memcpy(ram + COMMANDS + used, &copy, sizeof(copy));
    return used + (uint32_t)sizeof(copy);
}

/* A permutation of the pages of twice as much memory: no two neighbours stay together. */
static uint64_t scattered(uint64_t page) {
    return page * 2 % (2 * PAGES) * 7919 % (2 * PAGES);
}

/* Entries of both leaf tables, written by the board itself. */
static void make_tables(struct board *board, bool in_order) {
    uint64_t *words = (uint64_t *)(void *)(ram + RAM - BENCH_MIB);
    uint32_t used = 0;
    for (uint64_t page = 0; page < PAGES; page++) {
        words[page] = (page * GPU_PAGE) | GPU_PTE_VALID;
        words[PAGES + page] =
            (GPU_VRAM_BASE + (in_order ? page : scattered(page)) * GPU_PAGE) | GPU_PTE_VALID;
    }
    used = add_copy(used, GPU_VRAM_BASE + LEAVES, RAM - BENCH_MIB, 2 * PAGES * sizeof(*words));
    (void)run(board, COMMANDS, used, false);
    words[0] = (GPU_VRAM_BASE + LEAVES) | GPU_PTE_VALID;
    words[1] = (GPU_VRAM_BASE + LEAVES + PAGES * sizeof(*words)) | GPU_PTE_VALID;
    used = add_copy(0, GPU_VRAM_BASE + ROOT, RAM - BENCH_MIB, 2 * sizeof(*words));
    (void)run(board, COMMANDS, used, false);
    put(board, GPU_REG_FLUSH, 4, GPU_FLUSH_ALL);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

enum shape { RANGE, VIRTUAL_RANGE, VIRTUAL_SCATTERED, COMMANDS_OF_A_PAGE };

static double measure(struct board *board, enum shape shape) {
    uint32_t used = 0;
    bool virtual = shape == VIRTUAL_RANGE || shape == VIRTUAL_SCATTERED;
    uint64_t at = COMMANDS;
    if (shape == RANGE)
        used = add_copy(used, GPU_VRAM_BASE, 0, BYTES);
    for (uint64_t page = 0; shape == COMMANDS_OF_A_PAGE && page < PAGES; page++)
        used =
            add_copy(used, GPU_VRAM_BASE + scattered(page) * GPU_PAGE, page * GPU_PAGE, GPU_PAGE);
    if (!virtual)
        return run(board, at, used, false);
    /* In a virtual submission commands are at a virtual address: the last page of the source. */
    used = add_copy(used, COPY, 0, BYTES - GPU_PAGE);
    memcpy(ram + (PAGES - 1) * GPU_PAGE, ram + COMMANDS, used);
    return run(board, (PAGES - 1) * GPU_PAGE, used, true);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t count_pairs(void) {
    return bench_rounds() < BENCH_ROUNDS ? 9 : PAIRS;
}

/* Pairs, one after the other in either order; the median of their ratios. */
static struct bench_row compare(struct board *board, enum shape shape, const char *name) {
    double on[PAIRS], off[PAIRS], ratio[PAIRS];
    const uint32_t pairs = count_pairs();
    if (shape == VIRTUAL_RANGE || shape == VIRTUAL_SCATTERED)
        make_tables(board, shape == VIRTUAL_RANGE);
    (void)measure(board, shape);
    for (uint32_t i = 0; i < pairs; i++) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            bool tracking = (i + turn) % 2 == 0;
            put(board, GPU_REG_DIRTY, 4, tracking ? GPU_DIRTY_ON : GPU_DIRTY_OFF);
            *(tracking ? &on[i] : &off[i]) = measure(board, shape);
        }
        ratio[i] = on[i] / off[i];
    }
    qsort(on, pairs, sizeof(on[0]), by_value);
    qsort(off, pairs, sizeof(off[0]), by_value);
    qsort(ratio, pairs, sizeof(ratio[0]), by_value);
    printf("  %-34s %7.2f GB/s off, %7.2f on: %+.1f %%\n", name,
           (double)BYTES / off[pairs / 2] * 1e-9, (double)BYTES / on[pairs / 2] * 1e-9,
           (ratio[pairs / 2] - 1) * 100);
    return (struct bench_row){
        .unit = BENCH_SECONDS, .limit = off[pairs / 2], .ours = off[pairs / 2] * ratio[pairs / 2]};
}

/* The CPU's first write to each of some pages after their bits were taken, `step` pages apart. */
static void first_writes(struct board *board, uint64_t step) {
    enum { WRITES = 2000 };
    double series[PAIRS];
    const uint32_t pairs = count_pairs();
    put(board, GPU_REG_DIRTY, 4, GPU_DIRTY_ON);
    for (uint32_t i = 0; i < pairs; i++) {
        double start = bench_now();
        for (uint64_t page = 0; page < WRITES; page++)
            board->bar[page * step * GPU_PAGE] = (unsigned char)i;
        series[i] = (bench_now() - start) / WRITES;
        put(board, GPU_REG_DIRTY_START, 8, 0);
        put(board, GPU_REG_DIRTY_END, 8, VRAM);
        put(board, GPU_REG_DIRTY, 4, GPU_DIRTY_CLOSE);
    }
    put(board, GPU_REG_DIRTY, 4, GPU_DIRTY_OFF);
    qsort(series, pairs, sizeof(series[0]), by_value);
    printf("  %-34s %7.2f us each\n",
           step == 1 ? "first writes of the CPU, in a row" : "the same, scattered",
           series[pairs / 2] * 1e6);
}

int main(void) {
    static const struct {
        uint64_t visible;
        const char *name;
    } part[] = {{0, "VRAM that the CPU does not see"}, {VRAM, "VRAM behind a BAR"}};
    ram = aligned_alloc(2 * BENCH_MIB, RAM);
    if (!ram)
        return 1;
    memset(ram, 1, RAM);
    for (uint32_t i = 0; i < 2; i++) {
        struct board board;
        open_board(&board, part[i].visible);
        printf("copies of 32 MiB into %s, pages of 4 KiB:\n", part[i].name);
        struct bench_row range = compare(&board, RANGE, "one range");
        (void)compare(&board, VIRTUAL_RANGE, "one virtual range");
        struct bench_row pages = compare(&board, VIRTUAL_SCATTERED, "scattered pages, one command");
        (void)compare(&board, COMMANDS_OF_A_PAGE, "scattered pages, a command each");
        if (part[i].visible == 0) {
            range.work = "tracking, a range";
            range.goal = 1.01;
            bench_row(&range);
            pages.work = "tracking, scattered pages";
            pages.goal = 1.03;
            bench_row(&pages);
        }
        for (uint64_t step = 1; part[i].visible != 0 && step <= 7; step += 6)
            first_writes(&board, step);
        vidmm_softgpu_model.destroy(board.hw);
    }
    free(ram);
    return 0;
}
