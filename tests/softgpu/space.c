/* space.c - see space.h. */
#include "space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <vidmm/softgpu.h>

void space_board(struct board *board, uint32_t levels, uint32_t pages, uint64_t features) {
    const struct board_setting settings[] = {{"VramVisibleBytes", 8 * MIB},
                                             {"MmuLevels", levels},
                                             {"MmuPages", pages},
                                             {"MmuFeatures", features}};
    memcpy(board->setting, settings, sizeof(settings));
    assert_true(board_make(board));
}

static uint64_t new_table(struct space *space, uint64_t bytes) {
    uint64_t at = *space->next_table;
    *space->next_table += (bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
    assert_true(*space->next_table <= (at < GPU_BUS_END ? RAM_DATA : VRAM_END));
    memset(board_at(space->board, at), 0, bytes);
    return at;
}

void space_make(struct space *space, struct board *board, uint32_t id, uint64_t *next_table) {
    uint32_t top;
    memset(space, 0, sizeof(*space));
    space->board = board;
    space->format =
        gpu_mmu_format(board_read(board, GPU_REG_MMU), board_read64(board, GPU_REG_MMU_BITS));
    space->va_bits = gpu_mmu_shift(&space->format, space->format.levels);
    space->id = id;
    space->next_table = next_table;
    top = space->format.levels - 1;
    space->entries = 1u << space->format.bits[top];
    space->root = new_table(space, gpu_mmu_table_bytes(&space->format, top));
    for (uint64_t at = 0; at < COMMAND_BYTES; at += GPU_PAGE)
        space_map(space, COMMAND_VA + at, COMMANDS + at, GPU_PAGE_SHIFT, 0);
}

static uint64_t *word_of(struct space *space, uint64_t table, uint64_t index) {
    return (uint64_t *)(void *)board_at(space->board, table + index * 8);
}

uint64_t *space_table_entry(struct space *space, uint64_t va, uint32_t level, uint32_t half) {
    uint64_t table = space->root;
    for (uint32_t at = space->format.levels - 1;; at--) {
        uint64_t index =
            va >> gpu_mmu_shift(&space->format, at) & ((UINT64_C(1) << space->format.bits[at]) - 1);
        bool dual = at == 1 && space->format.pages == GPU_PAGES_DUAL;
        uint64_t *word = word_of(space, table, dual ? 2 * index + half : index);
        if (at == level)
            return word;
        if (*word == 0)
            *word = new_table(space, gpu_mmu_table_bytes(&space->format, at - 1)) | GPU_PTE_VALID;
        table = *word & GPU_PTE_ADDRESS;
    }
}

uint64_t *space_entry(struct space *space, uint64_t va, uint32_t shift) {
    bool big = shift == GPU_PAGE_64K_SHIFT;
    bool dual = space->format.pages == GPU_PAGES_DUAL;
    uint64_t *parent = space_table_entry(space, va, 1, big && dual);
    uint64_t index = va >> 12 & ((UINT64_C(1) << space->format.bits[0]) - 1);
    if (*parent == 0)
        *parent = new_table(space, big ? gpu_mmu_table_64k_bytes(&space->format)
                                       : gpu_mmu_table_bytes(&space->format, 0)) |
                  GPU_PTE_VALID | (big && !dual ? GPU_PTE_TABLE_64K : 0);
    return word_of(space, *parent & GPU_PTE_ADDRESS, big ? index >> 4 : index);
}

void space_map(struct space *space, uint64_t va, uint64_t address, uint32_t shift, uint64_t flags) {
    *space_entry(space, va, shift) = address | flags | GPU_PTE_VALID;
}

void space_queue(struct space *space, uint32_t engine, uint64_t va, uint32_t size, uint32_t kind) {
    uint32_t base = GPU_ENGINE(engine);
    board_write64(space->board, base + GPU_ENGINE_ROOT, space->root);
    board_write(space->board, base + GPU_ENGINE_ROOT_ENTRIES, space->entries);
    board_write(space->board, base + GPU_ENGINE_SPACE, space->id);
    board_queue(space->board, engine, va, size, kind | GPU_DOORBELL_VIRTUAL);
}

bool space_execute(struct space *space, const void *commands, uint32_t size, uint32_t kind) {
    assert_true(size <= COMMAND_BYTES);
    memcpy(space->board->ram, commands, size);
    space_queue(space, 0, COMMAND_VA, size, kind);
    return board_finish(space->board, 0);
}

void space_resume(struct space *space, uint32_t engine) {
    assert_int_equal(board_read(space->board, GPU_ENGINE(engine) + GPU_ENGINE_STATE),
                     GPU_STATE_HALTED);
    board_write(space->board, GPU_ENGINE(engine) + GPU_ENGINE_STATE, 1);
    assert_int_equal(board_read(space->board, GPU_ENGINE(engine) + GPU_ENGINE_STATE),
                     GPU_STATE_RUNNING);
}

bool space_copy(struct space *space, uint64_t destination, uint64_t source, uint64_t bytes) {
    struct gpu_copy copy = {{GPU_COPY, 0, sizeof(copy)}, destination, source, bytes};
    return space_execute(space, &copy, sizeof(copy), GPU_DOORBELL_RENDER);
}

bool space_fill(struct space *space, uint64_t destination, uint32_t pattern, uint64_t bytes) {
    struct gpu_fill fill = {{GPU_FILL, 0, sizeof(fill)}, pattern, 0, destination, bytes};
    return space_execute(space, &fill, sizeof(fill), GPU_DOORBELL_RENDER);
}

void space_flush(struct space *space, uint32_t what, uint64_t start, uint64_t end) {
    struct gpu_flush flush = {{GPU_FLUSH, 0, sizeof(flush)}, what, space->id, start, end};
    assert_true(space_execute(space, &flush, sizeof(flush), GPU_DOORBELL_PAGING));
}

struct vidmm_hw_translation space_translation(struct space *space, uint64_t va) {
    struct vidmm_hw_translation out;
    assert_true(softgpu_model.translate(space->board->hw, space->root, space->entries, va, &out));
    return out;
}

uint64_t space_word(struct space *space, uint64_t va) {
    uint64_t word;
    space_map(space, OUT_VA, RAM_DATA_END - GPU_PAGE, GPU_PAGE_SHIFT, 0);
    assert_true(space_copy(space, OUT_VA, va, sizeof(word)));
    memcpy(&word, board_at(space->board, RAM_DATA_END - GPU_PAGE), sizeof(word));
    return word;
}

void space_map_row(struct space *space, uint64_t address, uint64_t tag) {
    for (uint32_t page = 0; page < ROW_PAGES; page++) {
        space_map(space, VA + page * GPU_PAGE, address + page * GPU_PAGE, GPU_PAGE_SHIFT, 0);
        board_put(space->board, address + page * GPU_PAGE, tag + page);
    }
}

void space_touch_row(struct space *space) {
    for (uint32_t page = 0; page < ROW_PAGES; page++)
        (void)space_word(space, VA + page * GPU_PAGE);
}

void space_simple(struct space_simple *simple) {
    simple->next = VRAM_TABLES;
    space_board(&simple->board, 3, GPU_PAGES_4K, ALL_FEATURES);
    space_make(&simple->space, &simple->board, 1, &simple->next);
}
